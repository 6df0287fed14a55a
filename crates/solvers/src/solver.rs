//! A solver ready to run (profile, program, release and options), and fresh runs of one script.

use crate::allow::allowed;
use crate::coverage::{Coverage, Gauge};
use crate::invocation::{Invocation, Scratch};
use crate::limits::Limits;
use crate::options::{as_written, is_command};
use crate::process::{Process, Stop};
use crate::profile::{Profile, Tier};
use crate::run::{Markers, Query, Run};
use crate::script::{Role, Step, steps, without_status};
use crate::settable::{BadOption, may_pass};
use crate::talk::{Recorded, input, nonce};
use crate::version::{self, Version};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A solver ready to run.
#[derive(Clone, Debug)]
pub struct Solver {
    pub profile: Arc<Profile>,
    /// The program with its first arguments (`python3 driver.py`) and its environment.
    pub base: Invocation,
    pub version: Option<Version>,
    /// The commit that the program was built from, if it prints one; releases seldom do.
    pub commit: Option<String>,
    /// Options of this configuration, including those of its tier.
    pub options: Vec<String>,
}

/// How long a program may take to tell its version or its options.
const TELLING: Duration = Duration::from_secs(10);

/// A process that could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {program}: {source}")]
pub struct StartError {
    pub program: String,
    pub source: std::io::Error,
}

impl Solver {
    /// A program with its profile. It is asked for its version and gets the default tier of that release.
    pub fn new(profile: Arc<Profile>, base: Invocation) -> Result<Solver, StartError> {
        let mut solver = Solver {
            profile,
            base,
            version: None,
            commit: None,
            options: Vec::new(),
        };
        let gauge = Gauge::new();
        solver.base.coverage = Coverage::On(gauge.clone());
        let version = solver.ask_version();
        let edges = gauge.edges();
        solver.base.coverage = edges.map_or(Coverage::Unknown, Coverage::Idle);
        (solver.version, solver.commit) = version?;
        if let Some(version) = &solver.version {
            solver.profile = Arc::new(solver.profile.for_release(version));
        }
        let tier = solver.profile.default_tier(solver.version.as_ref());
        solver.options = tier.map_or_else(Vec::new, |tier| tier.arguments.clone());
        Ok(solver)
    }

    /// The same solver, and what its processes reach from now on; none if it is not instrumented.
    pub fn gauged(mut self) -> (Solver, Option<Gauge>) {
        let gauge = self.base.coverage.edges().map(|_| Gauge::new());
        if let Some(gauge) = &gauge {
            self.base.coverage = Coverage::On(gauge.clone());
        }
        (self, gauge)
    }

    /// The same solver with another tier instead of the default one.
    pub fn with_tier(mut self, name: &str) -> Option<Solver> {
        let tier = self.profile.tiers.iter().find(|tier| tier.name == name)?;
        let version = self.version.as_ref();
        if version.is_some_and(|version| !tier.covers(version)) {
            return None;
        }
        self.options = tier.arguments.clone();
        Some(self)
    }

    /// Its options that stand on the command line; the others are commands of the script.
    fn words(&self) -> impl Iterator<Item = &String> {
        self.options.iter().filter(|option| !is_command(option))
    }

    /// A script as it is sent under these options.
    pub fn written<'s>(&self, script: &'s str) -> Cow<'s, str> {
        as_written(&self.options, script)
    }

    /// The furthest tier of options that can be set beside those that it has: a safe mode refuses what is for experts.
    pub fn furthest(&self) -> Tier {
        let tiers = self.profile.tiers.iter();
        let mut own = tiers.filter(|tier| {
            let has = |word: &String| self.options.contains(word);
            !tier.arguments.is_empty() && tier.arguments.iter().all(has)
        });
        own.find_map(|tier| tier.options)
            .unwrap_or(Tier::Unsupported)
    }

    /// The same solver with more options.
    pub fn with_options(mut self, options: &[String]) -> Solver {
        self.options.extend_from_slice(options);
        self
    }

    /// The same solver with the options recorded in a finding instead of its own; each has a known form.
    pub fn with_recorded(mut self, options: &[String]) -> Result<Solver, BadOption> {
        self.options = options.to_vec();
        self.checked()
    }

    /// The same solver, if a finding may set each of its options.
    pub fn checked(self) -> Result<Solver, BadOption> {
        let mut options = self.options.iter();
        match options.find(|word| !may_pass(&self.profile, word)) {
            None => Ok(self),
            Some(bad) => Err(BadOption {
                solver: self.profile.name.clone(),
                option: bad.clone(),
            }),
        }
    }

    /// The same solver, but scripts are sent unchanged; only for scripts that the user trusts.
    pub fn as_is(mut self) -> Solver {
        Arc::make_mut(&mut self.profile).as_is = true;
        self
    }

    /// This release, run like another one in a finding: if that had its default tier, this one gets its own.
    pub fn configured_like(
        mut self,
        release: Option<&Version>,
        options: &[String],
    ) -> Result<Solver, BadOption> {
        let tier = self.profile.default_tier(release);
        let usual = tier.map_or(&[][..], |tier| &tier.arguments);
        match options.strip_prefix(usual) {
            Some(more) => self = self.with_options(more),
            None => self.options = options.to_vec(),
        }
        self.checked()
    }

    /// Name, release and options, if any: `z3 4.13.0`.
    pub fn title(&self) -> String {
        let mut title = self.profile.name.clone();
        if let Some(version) = &self.version {
            title = format!("{title} {version}");
        }
        for option in &self.options {
            title = format!("{title} {option}");
        }
        title
    }

    /// The command line that runs a script file.
    pub fn command(&self, file: &Path) -> Invocation {
        let mut command = self.with_arguments(&Limits::default(), false, &[]);
        command.arguments.push(file.into());
        command
    }

    /// The command line for reports, as its maintainers know it: without a path or a driver.
    pub fn shown(&self, file: &str) -> String {
        let program = self.profile.programs.first().unwrap_or(&self.profile.name);
        let own = self.profile.arguments.iter().chain(self.words());
        let shown = Invocation {
            program: program.into(),
            arguments: own.map(Into::into).chain([file.into()]).collect(),
            ..Invocation::default()
        };
        shown.line()
    }

    /// The version and the commit that the program prints.
    fn ask_version(&self) -> Result<(Option<Version>, Option<String>), StartError> {
        if self.profile.version.is_empty() {
            return Ok((None, None));
        }
        let (out, err) = self.tell(&self.profile.version, 1 << 20)?;
        let version = Version::find(&out).or_else(|| Version::find(&err));
        let commit = version::commit(&out).or_else(|| version::commit(&err));
        Ok((version, commit))
    }

    /// What the program prints about itself with these arguments alone, on both streams.
    pub(crate) fn tell(
        &self,
        arguments: &[String],
        output: usize,
    ) -> Result<(String, String), StartError> {
        let mut what = self.base.clone();
        what.arguments.extend(arguments.iter().map(Into::into));
        let limits = Limits {
            output,
            ..Limits::default()
        };
        let mut process = self.start_process(&what, &limits)?;
        let stop = process.run(b"", Instant::now() + TELLING);
        if matches!(stop, Stop::Deadline | Stop::Flooded) {
            let text = format!(
                "it did not end within {} s with the arguments {}",
                TELLING.as_secs(),
                arguments.join(" ")
            );
            return Err(StartError {
                program: what.program.display().to_string(),
                source: std::io::Error::other(text),
            });
        }
        let (_, _, out, err) = process.finish(stop);
        Ok((
            String::from_utf8_lossy(&out).into_owned(),
            String::from_utf8_lossy(&err).into_owned(),
        ))
    }

    fn start_process(&self, what: &Invocation, limits: &Limits) -> Result<Process, StartError> {
        let measure = self.profile.limits.measure;
        Process::start(what, limits, measure).map_err(|source| StartError {
            program: what.program.display().to_string(),
            source,
        })
    }

    /// The command line up to the input.
    fn with_arguments(&self, limits: &Limits, live: bool, last: &[String]) -> Invocation {
        let mut what = self.base.clone();
        let own = self.profile.arguments.iter().chain(self.words());
        what.arguments.extend(own.map(Into::into));
        // A limit for the whole run would end a live process too early.
        let own = &self.profile.limits;
        let total = own.total.as_ref().filter(|_| !live);
        if let (Some(time), Some(form)) = (limits.soft, own.query.as_ref().or(total)) {
            let words = form.split(' ').map(|word| fill(word, time).into());
            what.arguments.extend(words);
        }
        what.arguments.extend(last.iter().map(Into::into));
        what
    }

    /// Starts a process for a live session.
    pub(crate) fn start_live(&self, limits: &Limits) -> Result<Process, StartError> {
        let what = self.with_arguments(limits, true, &self.profile.live);
        self.start_process(&what, limits)
    }

    /// Runs the allowed part of a script in a fresh process, with markers between the replies.
    pub fn fresh(&self, script: &str, limits: &Limits) -> Result<Run, StartError> {
        let nonce = self.profile.echo.then(nonce);
        self.fresh_marked(script, limits, nonce)
    }

    /// Runs a script in a fresh process without any addition, even if it has no query, so that a report shows exactly
    /// what was run.
    pub fn fresh_exact(&self, script: &str, limits: &Limits) -> Result<Run, StartError> {
        self.with_allowed(script, |script| {
            let written = steps(script);
            match written.iter().any(|step| step.role == Role::Check) {
                true => self.run_marked(script, limits, None),
                false => self.run_steps(script, &written, limits, None),
            }
        })
    }

    /// Like `fresh`, with a given number in the markers, so that a record can be interpreted again.
    pub fn fresh_marked(
        &self,
        script: &str,
        limits: &Limits,
        nonce: Option<u64>,
    ) -> Result<Run, StartError> {
        self.with_allowed(script, |script| self.run_marked(script, limits, nonce))
    }

    /// Runs a query in a fresh process with the details it wants.
    pub fn fresh_query(&self, query: &Query<'_>, limits: &Limits) -> Result<Run, StartError> {
        self.with_allowed(query.script, |script| {
            self.fresh_sifted(&Query { script, ..*query }, limits)
        })
    }

    /// Calls a function with the allowed part of a script.
    fn with_allowed(
        &self,
        script: &str,
        run: impl FnOnce(&str) -> Result<Run, StartError>,
    ) -> Result<Run, StartError> {
        let script = self.written(script);
        let allowed = allowed(&self.profile, &script);
        let asks_less = allowed.has_lost_question();
        match allowed.refused {
            Some(why) => Ok(Run::refused(why)),
            None => Ok(run(&allowed.script)?.asked_less(asks_less)),
        }
    }

    fn run_marked(
        &self,
        script: &str,
        limits: &Limits,
        nonce: Option<u64>,
    ) -> Result<Run, StartError> {
        let query = Query::new(script);
        let steps = query.steps(&self.profile, &|_| Vec::new());
        self.run_steps(script, &steps, limits, nonce)
    }

    /// Runs a filtered query in a fresh process with the details it wants.
    pub(crate) fn fresh_sifted(
        &self,
        query: &Query<'_>,
        limits: &Limits,
    ) -> Result<Run, StartError> {
        let plain = self.run_marked(query.script, limits, self.profile.echo.then(nonce))?;
        if !query.wants_details() {
            return Ok(plain);
        }
        // Some solvers print nothing after a rejected command, so a second run asks only what is valid.
        let details = |at: usize| match plain.answers.get(at) {
            Some(answer) => query.details_after(answer, &self.profile),
            None => Vec::new(),
        };
        if (0..plain.answers.len()).all(|at| details(at).is_empty()) {
            return Ok(plain);
        }
        // Some solvers stop at an answer that the script's own status denies, before they can be asked about it.
        let script = without_status(query.script);
        let query = Query {
            script: &script,
            ..*query
        };
        let steps = query.steps(&self.profile, &details);
        let nonce = self.profile.echo.then(nonce);
        self.run_steps(&script, &steps, limits, nonce)
    }

    fn run_steps(
        &self,
        script: &str,
        steps: &[Step<'_>],
        limits: &Limits,
        nonce: Option<u64>,
    ) -> Result<Run, StartError> {
        let started = Instant::now();
        let markers = nonce.map(Markers::new);
        let input = input(script, steps, markers.as_ref());
        let bytes = auspex_syntax::encode(&input);
        let scratch = self.scratch(&bytes)?;
        let mut what = self.with_arguments(limits, false, &self.fresh_arguments(steps));
        if let Some(scratch) = &scratch {
            what.arguments.push(scratch.path().into());
        }
        let mut process = self.start_process(&what, limits)?;
        let feed: &[u8] = if scratch.is_some() { b"" } else { &bytes };
        let stop = process.run(feed, started + limits.wall);
        let (ending, usage, out, err) = process.finish(stop);
        let recorded = Recorded {
            profile: &self.profile,
            limits,
            script,
            nonce,
            stdout: text(&out),
            stderr: text(&err),
            ending,
            usage,
            wall: started.elapsed(),
        };
        Ok(recorded.judge(steps, markers.as_ref()))
    }

    /// Writes the script to a file, for a solver that does not read standard input.
    fn scratch(&self, bytes: &[u8]) -> Result<Option<Scratch>, StartError> {
        if self.profile.stdin.is_some() {
            return Ok(None);
        }
        let scratch = Scratch::write(bytes, ".smt2").map_err(|source| StartError {
            program: "a temporary file".to_string(),
            source,
        })?;
        Ok(Some(scratch))
    }

    fn fresh_arguments(&self, steps: &[Step<'_>]) -> Vec<String> {
        let checks = steps.iter().filter(|step| step.role == Role::Check).count();
        let goes_on =
            |step: &Step<'_>| matches!(step.role, Role::Push(_)) || step.head.ends_with("-next");
        let mut arguments = match checks > 1 || steps.iter().any(goes_on) {
            true => self.profile.incremental.clone(),
            false => Vec::new(),
        };
        arguments.extend(self.profile.stdin.iter().flatten().cloned());
        arguments
    }

    /// Starts a process that gets one script command by command.
    pub(crate) fn start_fresh(
        &self,
        steps: &[Step<'_>],
        limits: &Limits,
    ) -> Result<Process, StartError> {
        let what = self.with_arguments(limits, false, &self.fresh_arguments(steps));
        self.start_process(&what, limits)
    }
}

/// Output as text; bytes that are not UTF-8 stay distinguishable.
pub(crate) fn text(bytes: &[u8]) -> String {
    auspex_syntax::decode(bytes).into_owned()
}

/// Fills in templates such as `-t:{ms}`.
fn fill(form: &str, time: Duration) -> String {
    form.replace("{ms}", &time.as_millis().max(1).to_string())
        .replace("{s}", &time.as_millis().div_ceil(1000).max(1).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::profiles;

    fn cvc5(version: &str) -> Solver {
        let mut profiles = profiles(None).unwrap().into_iter();
        let profile = profiles.find(|profile| profile.name == "cvc5").unwrap();
        let version = Version::read(version);
        let tier = profile.default_tier(version.as_ref());
        Solver {
            options: tier.map_or_else(Vec::new, |tier| tier.arguments.clone()),
            profile: Arc::new(profile),
            base: Invocation::default(),
            version,
            commit: None,
        }
    }

    #[test]
    fn another_release_is_run_in_its_own_tier_with_the_same_options() {
        let run_like = |older: &str, newer: &str, more: &[&str]| {
            let other = cvc5(newer);
            let more: Vec<String> = more.iter().map(ToString::to_string).collect();
            let options = other.clone().with_options(&more).options;
            let like = cvc5(older).configured_like(other.version.as_ref(), &options);
            like.unwrap()
        };
        let old = run_like("1.0.3", "1.3.0", &["--check-models"]);
        assert_eq!(old.options, ["--check-models"], "it has no safe mode");
        let new = run_like("1.3.0", "1.0.3", &["--check-models"]);
        assert_eq!(new.options, ["--safe-mode=safe", "--check-models"]);
        let plain = cvc5("1.3.1").configured_like(Version::read("1.3.0").as_ref(), &[]);
        let plain = plain.unwrap();
        assert!(plain.options.is_empty(), "it was plain on purpose");
        let bad = cvc5("1.3.1").configured_like(None, &["--out=/tmp/x".to_string()]);
        assert_eq!(bad.unwrap_err().option, "--out=/tmp/x");
    }
}
