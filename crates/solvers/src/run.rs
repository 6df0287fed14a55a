//! One execution of a script: what was sent, what came back, how long it took, and its interpretation.

use crate::process::Ending;
use crate::profile::{Mode, Profile};
use crate::reply::Later;
use crate::script::{Role, Step, steps as steps_of};
use auspex_logic::answer::{Answer, Rejection, Said};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// A script, and how to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query<'q> {
    /// An SMT-LIB script; if it has no query, `(check-sat)` is appended.
    pub script: &'q str,
    pub mode: Mode,
    /// Ask for a model after every `sat`.
    pub want_model: bool,
    /// Ask for a core after every `unsat`; the script must name the assertions.
    pub want_core: bool,
    /// `sat` is expected, so a live process may be asked for its model together with the query.
    pub likely_sat: bool,
}

impl<'q> Query<'q> {
    /// A query in a fresh process, without model and core.
    pub fn new(script: &'q str) -> Query<'q> {
        Query {
            script,
            mode: Mode::Fresh,
            want_model: false,
            want_core: false,
            likely_sat: false,
        }
    }

    pub fn mode(self, mode: Mode) -> Self {
        Query { mode, ..self }
    }

    pub fn model(self) -> Self {
        Query {
            want_model: true,
            ..self
        }
    }

    pub fn core(self) -> Self {
        Query {
            want_core: true,
            ..self
        }
    }

    pub fn likely_sat(self) -> Self {
        Query {
            likely_sat: true,
            ..self
        }
    }

    /// Whether models or cores are wanted.
    pub(crate) fn wants_details(&self) -> bool {
        self.want_model || self.want_core
    }

    /// The steps of the script, with a query if it has none, and after each query the commands of `details`.
    pub(crate) fn steps<'s>(
        &self,
        profile: &'s Profile,
        details: &dyn Fn(usize) -> Vec<Role>,
    ) -> Vec<Step<'s>>
    where
        'q: 's,
    {
        let mut steps = self.enable(profile);
        let mut checks = 0;
        let mut written = steps_of(self.script);
        if !written.iter().any(|step| step.role == Role::Check) {
            let exit = written.iter().position(|step| step.role == Role::Exit);
            let place = exit.map_or(self.script.len(), |at| written[at].start);
            let check = added(Role::Check, "(check-sat)", place);
            written.insert(exit.unwrap_or(written.len()), check);
        }
        let models = !turns_models_off(&written);
        if !models {
            // Some solvers print something anyway; it need not be a model.
            let own = written.iter_mut().filter(|step| step.role == Role::Model);
            own.for_each(|step| step.role = Role::Question);
        }
        for (at, step) in written.iter().enumerate() {
            steps.push(*step);
            if step.role == Role::Check {
                let asked = asked_for(&written[at + 1..]);
                let roles = details(checks).into_iter();
                let roles = roles
                    .filter(|role| !asked.contains(role))
                    .filter(|role| models || *role != Role::Model);
                steps.extend(roles.map(|role| added(role, question(role), step.end)));
                checks += 1;
            }
        }
        steps
    }

    /// Commands after a query; each is valid only after `sat`, `unsat` or `unknown`.
    pub(crate) fn details(&self, profile: &Profile) -> Vec<Role> {
        let model = (self.want_model && profile.models).then_some(Role::Model);
        let core = (self.want_core && profile.cores).then_some(Role::Core);
        model.into_iter().chain(core).collect()
    }

    /// The command that is valid after this answer.
    pub(crate) fn details_after(&self, answer: &Answer, profile: &Profile) -> Vec<Role> {
        let mut roles = self.details(profile);
        roles.retain(|role| match role {
            Role::Model => matches!(answer, Answer::Sat { .. }),
            Role::Core => matches!(answer, Answer::Unsat { .. }),
            _ => false,
        });
        roles
    }

    /// Options that models and cores need and that the script does not set.
    fn enable<'s>(&self, profile: &'s Profile) -> Vec<Step<'s>> {
        let models = (self.want_model && profile.models).then_some(&profile.model_options);
        let cores = (self.want_core && profile.cores).then_some(&profile.core_options);
        let commands = [models, cores].into_iter().flatten().flatten();
        let missing = commands.filter(|command| {
            let name = command.split_whitespace().nth(1).unwrap_or(command);
            !self.script.contains(name)
        });
        missing
            .map(|command| added(Role::Option, command, 0))
            .collect()
    }
}

fn turns_models_off(steps: &[Step<'_>]) -> bool {
    let mut options = steps.iter().filter(|step| step.role == Role::Option);
    options.any(|step| step.text.contains(":produce-models") && step.text.contains("false"))
}

/// What the script itself asks for before it changes anything.
fn asked_for(after: &[Step<'_>]) -> Vec<Role> {
    let asks = |role| {
        !matches!(
            role,
            Role::Check | Role::Setup | Role::Push(_) | Role::Pop(_)
        )
    };
    let same = after.iter().map(|step| step.role);
    same.take_while(|&role| asks(role)).collect()
}

fn question(role: Role) -> &'static str {
    match role {
        Role::Model => "(get-model)",
        Role::Core => "(get-unsat-core)",
        Role::Reason => "(get-info :reason-unknown)",
        _ => "",
    }
}

fn added(role: Role, text: &str, at: usize) -> Step<'_> {
    Step {
        role,
        head: text
            .trim_matches(['(', ')'])
            .split(' ')
            .next()
            .unwrap_or(text),
        text,
        start: at,
        end: at,
        closed: true,
    }
}

/// One execution of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The answers to the queries that the process reached, in order.
    pub answers: Vec<Answer>,
    /// A crash after the last answer.
    pub later: Option<Later>,
    /// The reply to each question of the script, in order, as far as the process came; none where a question was left
    /// out of what was sent.
    pub said: Vec<Said>,
    /// The reply to each command, if known.
    pub replies: Vec<Reply>,
    /// The mode used: a script that does not fit the wanted mode runs in another.
    pub mode: Mode,
    /// What the same process was asked before, since its last reset.
    pub earlier: Vec<Arc<str>>,
    pub ending: Ending,
    pub wall: Duration,
    pub cpu: Duration,
    /// The shortest time limit in force, on the clock.
    pub time_limit: Duration,
    pub max_rss: u64,
    pub stdout: String,
    pub stderr: String,
}

/// The reply to one command, or to a run of silent commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub command: String,
    pub text: String,
}

impl Run {
    /// The run of a script that was not sent.
    pub(crate) fn refused(why: String) -> Run {
        let why = Answer::Rejected {
            why: Rejection::ParseError,
            message: why,
        };
        Run {
            answers: vec![why],
            later: None,
            said: Vec::new(),
            replies: Vec::new(),
            mode: Mode::Fresh,
            earlier: Vec::new(),
            ending: Ending::Alive,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            time_limit: Duration::ZERO,
            max_rss: 0,
            stdout: String::new(),
            stderr: String::new(),
        }
    }

    /// Where a question was left out it is not known which reply belongs to which.
    pub(crate) fn asked_less(mut self, asked_less: bool) -> Run {
        if asked_less {
            self.said.clear();
        }
        self
    }

    /// The answer to the first query.
    pub fn answer(&self) -> &Answer {
        const NONE: &Answer = &Answer::Garbled {
            text: String::new(),
        };
        self.answers.first().unwrap_or(NONE)
    }
}

/// Lines that separate the replies: unique to one process, so that no script can print them by chance.
#[derive(Clone, Debug)]
pub(crate) struct Markers {
    prefix: String,
}

impl Markers {
    pub(crate) fn new(nonce: u64) -> Markers {
        Markers {
            prefix: format!("auspex-{nonce:x}-"),
        }
    }

    pub(crate) fn write(&self, number: usize, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = write!(out, "(echo \"{}{number}\")", self.prefix);
    }

    /// The number in a marker line; some solvers print the quotes.
    fn number(&self, line: &str) -> Option<usize> {
        let line = line.trim_start();
        // Most lines of a long reply are not markers, which a quick test shows.
        let line = line.strip_prefix('"').unwrap_or(line);
        let number = line.strip_prefix(&self.prefix)?;
        number.trim_end().trim_end_matches('"').parse().ok()
    }

    /// The content of a marker line.
    pub(crate) fn line(&self, number: usize) -> String {
        format!("{}{number}", self.prefix)
    }

    /// Splits output at the markers `first..`: one text per completed step, and the text after the last marker.
    pub(crate) fn cut<'o>(&self, output: &'o str, first: usize) -> (Vec<&'o str>, &'o str) {
        let mut texts = Vec::new();
        let mut start = 0;
        let mut at = 0;
        for line in output.split_inclusive('\n') {
            if let Some(number) = self.number(line)
                && number >= first + texts.len()
            {
                // If a marker is missing, its step has no reply.
                texts.push(&output[start..at]);
                texts.resize(number - first + 1, "");
                start = at + line.len();
            }
            at += line.len();
        }
        (texts, &output[start..])
    }
}

/// Whether the bytes after `from` contain the complete line of this marker; some solvers print the quotes.
pub(crate) fn reached(marker: &str, output: &[u8], from: usize) -> bool {
    let tail = output.get(from..).unwrap_or_default();
    let mut lines = tail.split_inclusive(|&byte| byte == b'\n');
    lines.any(|line| {
        line.ends_with(b"\n")
            && std::str::from_utf8(line).is_ok_and(|line| line.trim().trim_matches('"') == marker)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::BUILT_IN;

    fn heads(name: &str, query: Query<'_>) -> Vec<String> {
        let text = BUILT_IN.iter().find(|(known, _)| *known == name).unwrap().1;
        let profile = Profile::read(name, text).unwrap();
        let steps = query.steps(&profile, &|_| query.details(&profile));
        steps.iter().map(|step| step.head.to_string()).collect()
    }

    #[test]
    fn adds_the_query_and_what_is_wanted() {
        assert_eq!(
            heads("z3", Query::new("(assert true)").model()),
            ["assert", "check-sat", "get-model"]
        );
        assert_eq!(
            heads("z3", Query::new("(assert true)(exit)")),
            ["assert", "check-sat", "exit"]
        );
        assert_eq!(
            heads(
                "z3",
                Query::new("(check-sat)(get-model)(check-sat)").model()
            ),
            ["check-sat", "get-model", "check-sat", "get-model"]
        );
        assert_eq!(
            heads("cvc5", Query::new("(check-sat)").model().core()),
            [
                "set-option",
                "set-option",
                "check-sat",
                "get-model",
                "get-unsat-core"
            ]
        );
    }

    #[test]
    fn leaves_out_what_the_script_or_the_solver_does_not_need() {
        let script = "(set-option :produce-models true)(check-sat)(get-model)";
        assert_eq!(
            heads("cvc5", Query::new(script).model()),
            ["set-option", "check-sat", "get-model"]
        );
        assert_eq!(
            heads("verit", Query::new("(check-sat)").model().core()),
            ["check-sat"]
        );
    }

    #[test]
    fn a_script_that_wants_no_models_is_asked_for_none() {
        let script = "(set-option :produce-models false)(check-sat)";
        assert_eq!(
            heads("z3", Query::new(script).model()),
            ["set-option", "check-sat"]
        );
    }

    #[test]
    fn cuts_replies_at_whole_lines_only() {
        let markers = Markers::new(10);
        let output = "sat\nauspex-a-0\n(error \"in (check-sat)(echo \"auspex-a-1\")\n^\n\")\n\"auspex-a-1\"\nrest";
        let (texts, tail) = markers.cut(output, 0);
        assert_eq!(texts.len(), 2);
        assert_eq!(texts[0], "sat\n");
        assert!(texts[1].starts_with("(error"));
        assert_eq!(tail, "rest");
        assert!(reached(&markers.line(1), output.as_bytes(), 0));
        assert!(!reached(&markers.line(2), output.as_bytes(), 0));
        assert!(!reached(&markers.line(1), b"auspex-a-1", 0));
    }

    #[test]
    fn a_missing_marker_does_not_shift_the_rest() {
        let markers = Markers::new(1);
        let (texts, tail) = markers.cut("a\nauspex-1-0\nb\nauspex-1-2\nc\n", 0);
        assert_eq!(texts, ["a\n", "b\n", ""]);
        assert_eq!(tail, "c\n");
    }
}
