//! A live session: one solver process that answers many queries, each in its mode. Isolation comes first: a script
//! that does not fit a mode runs in a safer one, and after anything unusual the process is replaced.

use crate::allow::allowed;
use crate::items::{items, verdict};
use crate::limits::Limits;
use crate::plain::{is_clear, is_plain};
use crate::process::{Ending, Process, Stop, Usage};
use crate::profile::{Mode, Pattern, Profile};
use crate::run::{Markers, Query, Run, reached};
use crate::script::{Role, Step};
use crate::solver::{Solver, StartError, text};
use crate::talk::{Talk, nonce};
use crate::trail::Trail;
use auspex_logic::answer::{Answer, Rejection};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// When to replace a live process that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recycle {
    /// After this many queries.
    pub queries: u64,
    /// After it has grown by this many bytes since its first query.
    pub growth: u64,
}

impl Default for Recycle {
    fn default() -> Self {
        Recycle {
            queries: 5_000,
            growth: 256 << 20,
        }
    }
}

/// Space for the marker after a step.
const ROOM: usize = 40;

/// How many queries pass between two checks of the process's memory.
const LOOK_EVERY: u64 = 64;

/// A live solver. The process starts with the first query, and again when needed.
#[derive(Debug)]
pub struct Session {
    solver: Solver,
    limits: Limits,
    recycle: Recycle,
    live: Option<Live>,
    /// The process before it, which has other options in force.
    spare: Option<Live>,
    /// Processes started so far.
    pub starts: u64,
}

#[derive(Debug)]
struct Live {
    process: Process,
    markers: Markers,
    /// The number of the next marker.
    next: usize,
    /// Options that may survive a reset.
    options: String,
    /// Logic and options in force.
    header: Option<String>,
    /// Scopes that the last query left open.
    open: u32,
    queries: u64,
    /// Whether models are requested together with queries.
    ahead: bool,
    first_size: u64,
    cpu: Duration,
    trail: Trail,
}

impl Session {
    /// A new session; no process is started yet.
    pub fn start(solver: &Solver, limits: &Limits) -> Session {
        Session {
            solver: solver.clone(),
            limits: limits.clone(),
            recycle: Recycle::default(),
            live: None,
            spare: None,
            starts: 0,
        }
    }

    pub fn recycle(mut self, recycle: Recycle) -> Session {
        self.recycle = recycle;
        self
    }

    /// Changes the processor time limit of queries, from the next one on.
    pub fn limit_cpu(&mut self, cpu: Duration) {
        self.limits.cpu = Some(cpu);
        for live in self.live.iter_mut().chain(&mut self.spare) {
            live.process.limit_cpu(cpu);
        }
    }

    /// Whether a process is running; otherwise the next query starts one.
    pub fn is_live(&self) -> bool {
        self.live.is_some() || self.spare.is_some()
    }

    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Asks one query, in the mode it wants or in the nearest safe one.
    pub fn ask(&mut self, query: &Query<'_>) -> Result<Run, StartError> {
        let profile = self.solver.profile.clone();
        let script = self.solver.written(query.script);
        let allowed = allowed(&profile, &script);
        if let Some(why) = allowed.refused {
            return Ok(Run::refused(why));
        }
        let asks_less = allowed.has_lost_question();
        let query = &Query {
            script: &allowed.script,
            ..*query
        };
        Ok(self.ask_sifted(query)?.asked_less(asks_less))
    }

    /// Asks a query of which all may be sent.
    fn ask_sifted(&mut self, query: &Query<'_>) -> Result<Run, StartError> {
        let profile = self.solver.profile.clone();
        let mut details = query.details(&profile);
        details.push(Role::Reason);
        let mut steps = query.steps(&profile, &|_| details.clone());
        let mode = fitting(query.mode, &steps, &profile);
        if mode == Mode::Fresh {
            return self.ask_fresh(query, &steps);
        }
        steps.retain(|step| step.role != Role::Info);
        let body = steps.iter().take_while(|step| step.role != Role::Exit);
        let body: Vec<Step<'_>> = body.map(|step| tuned(step, mode)).collect();
        let asking = Asking {
            mode,
            ahead: query.likely_sat && profile.goes_on,
            options: lasting_options(&steps),
            header: header(&steps),
            body: match mode {
                Mode::Reset => &body[..],
                _ => &body[header_length(&body)..],
            },
        };
        let started = Instant::now();
        match self.put(&asking, Marks::Last, started)? {
            Some(run) => Ok(run),
            // It is unclear which command printed what, so ask again with a marker after each.
            None => {
                let run = self.put(&asking, Marks::Each, started)?;
                Ok(run.unwrap_or_else(|| unreachable!("with all markers there is no doubt")))
            }
        }
    }

    /// Asks the live process; none if it is unclear which command printed what.
    fn put(
        &mut self,
        asking: &Asking<'_>,
        marks: Marks,
        started: Instant,
    ) -> Result<Option<Run>, StartError> {
        let deadline = Instant::now() + self.limits.wall;
        let mut live = self.take_live(&asking.options)?;
        let lead = live.lead(asking.mode, &asking.header);
        let earlier = live.trail.scripts();
        let own = &self.solver.profile.replies;
        live.ahead = asking.ahead;
        let spoken = live.speak(&lead, asking.body, (marks, own), deadline);
        live.open = open_scopes(asking.body) + u32::from(asking.mode != Mode::Reset);
        if asking.mode != Mode::Reset {
            live.trail.add(asking.body, live.open);
        }
        if spoken.doubt {
            self.keep_refused(live);
            return Ok(None);
        }
        let mut run = self.close(live, spoken, asking.body, asking.mode, started)?;
        run.earlier = earlier;
        let other = |answer: &Answer| {
            matches!(
                answer,
                Answer::Rejected {
                    why: Rejection::Other,
                    ..
                }
            )
        };
        // If a process ends without a marker, it is unknown in which command.
        let lost = run.ending != Ending::Alive && run.answers.iter().any(other);
        Ok((!lost || marks == Marks::Each).then_some(run))
    }

    /// Asks in a fresh process; commands that depend on an answer wait for it if the solver permits.
    fn ask_fresh(&self, query: &Query<'_>, steps: &[Step<'_>]) -> Result<Run, StartError> {
        let solver = &self.solver;
        let whole = steps.iter().all(|step| step.closed);
        if !query.wants_details() || !whole || !solver.profile.answers_as_it_reads() {
            return solver.fresh_sifted(query, &self.limits);
        }
        // Some solvers stop at an answer that the script's own status denies, before they can be asked about it.
        let mut steps = steps.to_vec();
        steps.retain(|step| step.role != Role::Info);
        let steps = steps.as_slice();
        let started = Instant::now();
        let deadline = started + self.limits.wall;
        let mut live = Live::new(solver.start_fresh(steps, &self.limits)?, String::new());
        let own = &solver.profile.replies;
        let mut spoken = live.speak("", steps, (Marks::Each, own), deadline);
        if spoken.stop == Stop::Reached {
            spoken.stop = live.process.run(b"", deadline);
        }
        Ok(self.last_words(live, spoken, steps, Mode::Fresh, started))
    }

    /// The process that has these options in force. The one that was asked last is kept, since scripts with options
    /// come between many without.
    fn take_live(&mut self, options: &str) -> Result<Live, StartError> {
        let has = |live: &Option<Live>| live.as_ref().is_some_and(|live| live.options == options);
        if !has(&self.live) && (self.live.is_some() || has(&self.spare)) {
            std::mem::swap(&mut self.live, &mut self.spare);
        }
        match self.live.take() {
            Some(live) if live.options == options => Ok(live),
            _ => self.start_live(options.to_string()),
        }
    }

    fn start_live(&mut self, options: String) -> Result<Live, StartError> {
        let process = self.solver.start_live(&self.limits)?;
        self.starts += 1;
        Ok(Live::new(process, options))
    }

    /// Interprets the replies, and keeps or drops the process.
    fn close(
        &mut self,
        mut live: Live,
        spoken: Spoken,
        body: &[Step<'_>],
        mode: Mode,
        started: Instant,
    ) -> Result<Run, StartError> {
        let profile = self.solver.profile.clone();
        let limits = self.limits.clone();
        let wall = started.elapsed();
        if spoken.stop == Stop::Reached {
            let usage = live.usage();
            let stderr = text(&std::mem::take(&mut live.process.err));
            let talk = Talk {
                profile: &profile,
                limits: &limits,
                steps: body,
                texts: spoken.texts.iter().map(String::as_str).collect(),
                tail: "",
                stderr,
                ending: Ending::Alive,
                usage,
            };
            let stdout = auspex_syntax::decode(&live.process.out);
            let run = talk.into_run(&stdout, mode, wall);
            match health(&run) {
                Health::Good => self.keep(live),
                Health::Refused => self.keep_refused(live),
                Health::Bad => {}
            }
            return Ok(run);
        }
        Ok(self.last_words(live, spoken, body, mode, started))
    }

    /// Interprets the query during which the process ended or was killed.
    fn last_words(
        &self,
        live: Live,
        spoken: Spoken,
        body: &[Step<'_>],
        mode: Mode,
        started: Instant,
    ) -> Run {
        let cpu_before = live.cpu;
        let (ending, mut usage, out, err) = live.process.finish(spoken.stop);
        usage.cpu = usage.cpu.saturating_sub(cpu_before);
        let stdout = text(&out);
        let (_, tail) = live.markers.cut(&stdout, 0);
        let taken = spoken.texts.last().filter(|_| spoken.unmarked);
        let tail = taken
            .and_then(|said| tail.strip_prefix(said.as_str()))
            .unwrap_or(tail);
        let talk = Talk {
            profile: &self.solver.profile,
            limits: &self.limits,
            steps: body,
            texts: spoken.texts.iter().map(String::as_str).collect(),
            tail,
            stderr: text(&err),
            ending,
            usage,
        };
        talk.into_run(&stdout, mode, started.elapsed())
    }

    fn keep(&mut self, live: Live) {
        if !self.is_due(&live) {
            self.live = Some(live);
        }
    }

    /// A reset undoes everything in a rejected script, and a new process costs far more.
    fn keep_refused(&mut self, mut live: Live) {
        if self.solver.profile.has(Mode::Reset) {
            live.header = None;
            self.keep(live);
        }
    }

    fn is_due(&self, live: &Live) -> bool {
        if live.queries >= self.recycle.queries {
            return true;
        }
        live.queries.is_multiple_of(LOOK_EVERY)
            && live.process.resident() > live.first_size + self.recycle.growth
    }
}

/// A query to a live process.
struct Asking<'a> {
    mode: Mode,
    /// Whether models are requested together with queries.
    ahead: bool,
    /// Options that may survive a reset.
    options: String,
    /// Logic and options.
    header: String,
    body: &'a [Step<'a>],
}

/// Where the markers between replies are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    /// Only after the query, if all commands before it are silent.
    Last,
    /// After each command.
    Each,
}

/// The replies to the steps that were reached.
struct Spoken {
    texts: Vec<String>,
    stop: Stop,
    /// Whether another command than assumed may have printed it.
    doubt: bool,
    /// Whether the last text is an answer without its marker.
    unmarked: bool,
}

impl Spoken {
    /// Takes the replies to plain steps: everything belongs to the query, unless that makes a difference. If the
    /// model was requested, too, it follows the answer; `tail` is the text without a marker.
    fn take_plain(
        &mut self,
        piece: &[Step<'_>],
        said: Option<&str>,
        tail: Option<&str>,
        own: &[Pattern],
    ) {
        self.texts.extend(piece[1..].iter().map(|_| String::new()));
        let Some(said) = said else {
            let answer = tail.and_then(parted).map(|(answer, _)| answer);
            if let Some(answer) = answer.filter(|answer| is_clear(piece, answer, own)) {
                self.texts.push(answer.to_string());
                self.unmarked = true;
            }
            return;
        };
        let (answer, model) = match tail {
            Some(_) => parted(said).unwrap_or((said, "")),
            None => (said, ""),
        };
        let second = items(model).next().and_then(verdict);
        self.doubt = !is_clear(piece, answer, own) || second.is_some();
        self.texts.push(answer.to_string());
        if tail.is_some() {
            self.texts.push(model.to_string());
        }
    }
}

impl Live {
    fn new(process: Process, options: String) -> Live {
        Live {
            process,
            options,
            markers: Markers::new(nonce()),
            next: 0,
            header: None,
            open: 0,
            queries: 0,
            ahead: false,
            first_size: 0,
            cpu: Duration::ZERO,
            trail: Trail::default(),
        }
    }

    /// The commands that bring the process into the initial state of this mode.
    fn lead(&mut self, mode: Mode, header: &str) -> String {
        let mut lead = String::new();
        let scoped = mode != Mode::Reset;
        if scoped && self.header.as_deref() == Some(header) {
            if self.open > 0 {
                // Writing to a string cannot fail.
                let _ = writeln!(lead, "(pop {})", self.open);
            }
        } else {
            // A new process needs no reset, and some solvers reject one.
            if self.queries > 0 {
                lead.push_str("(reset)\n");
            }
            self.trail.clear();
            self.header = scoped.then(|| header.to_string());
            lead.push_str(self.header.as_deref().unwrap_or(""));
        }
        if scoped {
            lead.push_str("(push 1)\n");
        }
        lead
    }

    /// Sends the steps in as few pieces as possible and waits for their replies. A step that is valid only after
    /// `sat` or `unsat` waits for that answer, and is skipped after another.
    fn speak(
        &mut self,
        lead: &str,
        steps: &[Step<'_>],
        (marks, own): (Marks, &[Pattern]),
        deadline: Instant,
    ) -> Spoken {
        self.process.out.clear();
        self.process.err.clear();
        self.queries += 1;
        let mut spoken = Spoken {
            texts: Vec::with_capacity(steps.len()),
            stop: Stop::Reached,
            doubt: false,
            unmarked: false,
        };
        let length: usize = steps.iter().map(|step| step.text.len() + ROOM).sum();
        let mut input = String::with_capacity(lead.len() + length);
        input.push_str(lead);
        while spoken.texts.len() < steps.len() && spoken.stop == Stop::Reached && !spoken.doubt {
            let at = spoken.texts.len();
            if !makes_sense(steps[at].role, &steps[..at], &spoken.texts) {
                spoken.texts.push(String::new());
                continue;
            }
            let end = piece_end(steps, at);
            let piece = &steps[at..end];
            let plain = marks == Marks::Last && is_plain(piece);
            let (first, from) = (self.next, self.process.out.len());
            let ahead = self.asked_ahead(piece, &steps[end..]);
            self.write(&steps[at..end + ahead], plain, &mut input);
            spoken.stop = self.exchange(&input, from, deadline);
            input.clear();
            let output = auspex_syntax::decode(&self.process.out[from..]);
            let (texts, tail) = self.markers.cut(&output, first);
            if plain {
                let said = texts.first().copied();
                spoken.take_plain(piece, said, (ahead > 0).then_some(tail), own);
            } else {
                spoken.texts.extend(texts.into_iter().map(str::to_string));
            }
            if ahead > 0 && !makes_sense(Role::Model, &steps[..end], &spoken.texts) {
                // There is no model after this answer, so ignore the reply to the request.
                spoken.texts.iter_mut().skip(end).for_each(String::clear);
            }
        }
        spoken
    }

    /// How many of the steps after a query are sent together with it: the request for its model, or none.
    fn asked_ahead(&self, piece: &[Step<'_>], after: &[Step<'_>]) -> usize {
        let is = |step: Option<&Step<'_>>, role| step.is_some_and(|step| step.role == role);
        usize::from(self.ahead && is(piece.last(), Role::Check) && is(after.first(), Role::Model))
    }

    /// Writes steps with a marker after each, or after the last.
    fn write(&mut self, steps: &[Step<'_>], plain: bool, input: &mut String) {
        for (at, step) in steps.iter().enumerate() {
            input.push_str(step.text);
            if !plain || at + 1 == steps.len() {
                self.markers.write(self.next, input);
                self.next += 1;
            }
            input.push('\n');
        }
    }

    fn exchange(&mut self, input: &str, from: usize, deadline: Instant) -> Stop {
        let bytes = auspex_syntax::encode(input);
        let last = self.markers.line(self.next - 1);
        let mut seen = from;
        self.process.exchange(&bytes, deadline, &mut |output| {
            let reached = reached(&last, output, seen);
            // The last line may be incomplete, so search it again.
            let complete = output.iter().rposition(|&byte| byte == b'\n');
            seen = complete.map_or(seen, |newline| (newline + 1).max(seen));
            reached
        })
    }

    /// The resources that this query used; also gives the next one its limit.
    fn usage(&mut self) -> Usage {
        let total = self.process.account();
        let cpu = total.saturating_sub(self.cpu);
        self.cpu = total;
        if self.queries == 1 {
            self.first_size = self.process.resident();
        }
        Usage {
            cpu,
            max_rss: self.first_size,
        }
    }
}

/// The state in which a query leaves a live process.
enum Health {
    /// Clean: no later query is affected.
    Good,
    /// The solver rejected a command and waits for the next.
    Refused,
    Bad,
}

fn health(run: &Run) -> Health {
    let calm = |answer: &Answer| {
        matches!(
            answer,
            Answer::Sat { .. } | Answer::Unsat { .. } | Answer::Unknown { .. } | Answer::Timeout
        )
    };
    let refused = |answer: &Answer| matches!(answer, Answer::Rejected { .. });
    let errors = run
        .replies
        .iter()
        .any(|reply| reply.text.contains("(error"));
    if run.later.is_some() || !run.answers.iter().all(|a| calm(a) || refused(a)) {
        Health::Bad
    } else if errors || run.answers.iter().any(refused) {
        Health::Refused
    } else {
        Health::Good
    }
}

/// The wanted mode if the script keeps to its scope and the solver has the mode; else `Reset`, else `Fresh`.
fn fitting(wanted: Mode, steps: &[Step<'_>], profile: &Profile) -> Mode {
    let modes = &profile.modes;
    let whole = steps.iter().all(|step| step.closed);
    let stays = steps.iter().rposition(|step| step.role == Role::Exit);
    let stays = stays.is_none_or(|at| at + 1 == steps.len());
    let leaves_names = profile.names_last && steps.iter().any(|step| step.text.contains(":named"));
    if wanted == Mode::Fresh || !whole || !stays || leaves_names {
        return Mode::Fresh;
    }
    let scoped = wanted == Mode::Reset || keeps_to_scope(steps);
    match (
        modes.contains(&wanted) && scoped,
        modes.contains(&Mode::Reset),
    ) {
        (true, _) => wanted,
        (false, true) => Mode::Reset,
        (false, false) => Mode::Fresh,
    }
}

/// Whether one pop undoes everything that the script does after its header.
fn keeps_to_scope(steps: &[Step<'_>]) -> bool {
    let start = header_length(steps);
    let global = steps[..start]
        .iter()
        .any(|step| step.text.contains("global-declarations"));
    let mut depth = 0i64;
    let inside = steps[start..].iter().all(|step| {
        match step.role {
            Role::Push(count) => depth += i64::from(count),
            Role::Pop(count) => depth -= i64::from(count),
            Role::Logic | Role::Option | Role::Reset => return false,
            _ => {}
        }
        depth >= 0
    });
    inside && !global
}

fn header_length(steps: &[Step<'_>]) -> usize {
    let header = |step: &Step<'_>| matches!(step.role, Role::Logic | Role::Option | Role::Info);
    steps.iter().take_while(|step| header(step)).count()
}

/// Logic and options at the start of a script.
fn header(steps: &[Step<'_>]) -> String {
    let mut header = String::new();
    for step in &steps[..header_length(steps)] {
        header.push_str(step.text);
        header.push('\n');
    }
    header
}

/// Options that only a new process undoes: z3 keeps its parameters across `(reset)`, and with proofs it gives no cores.
fn lasting_options(steps: &[Step<'_>]) -> String {
    let mut options = String::new();
    for step in steps.iter().filter(|step| step.role == Role::Option) {
        let commands = step.text.split("(set-option").skip(1).map(str::trim);
        let is_undone = |text: &str| {
            text.starts_with(":produce-") && !text.starts_with(":produce-proofs")
                || text.starts_with(":print-success")
        };
        options.extend(commands.filter(|text| !is_undone(text)));
    }
    options
}

fn open_scopes(steps: &[Step<'_>]) -> u32 {
    steps.iter().fold(0, |depth: u32, step| match step.role {
        Role::Push(count) => depth + count,
        Role::Pop(count) => depth.saturating_sub(count),
        _ => depth,
    })
}

/// A query in the `check-sat-using` mode; everything else is unchanged.
fn tuned<'s>(step: &Step<'s>, mode: Mode) -> Step<'s> {
    match (mode, step.role, step.head) {
        (Mode::CheckSatUsing, Role::Check, "check-sat") => Step {
            text: "(check-sat-using default)",
            ..*step
        },
        _ => *step,
    }
}

/// The steps that can be sent together: up to the next one that depends on an answer.
fn piece_end(steps: &[Step<'_>], at: usize) -> usize {
    let waits = |step: &Step<'_>| matches!(step.role, Role::Model | Role::Core | Role::Reason);
    let next = steps[at + 1..].iter().position(waits);
    next.map_or(steps.len(), |more| at + 1 + more)
}

/// Splits a reply after the line of its answer.
fn parted(reply: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    for line in reply.split_inclusive('\n') {
        end += line.len();
        if line.ends_with('\n') && verdict(line.trim()).is_some() {
            return Some(reply.split_at(end));
        }
    }
    None
}

/// Whether a step is valid after an answer: a model after `sat`, a core after `unsat`, a reason after `unknown`.
fn makes_sense(role: Role, before: &[Step<'_>], texts: &[String]) -> bool {
    let wanted = match role {
        Role::Model => "sat",
        Role::Core => "unsat",
        Role::Reason => "unknown",
        _ => return true,
    };
    let last = before.iter().rposition(|step| step.role == Role::Check);
    let reply = last.and_then(|at| texts.get(at)).map_or("", String::as_str);
    let mut verdicts = items(reply).filter(|item| verdict(item).is_some());
    verdicts.next() == Some(wanted)
}
