//! Turns a solver's output, command by command, into one `Answer` per query. An answer after a rejected assertion in
//! the same scope does not count; an answer before a crash does.

use crate::crash;
use crate::ending::end;
use crate::items::{items, message, names, reason, verdict};
use crate::limits::Limits;
use crate::meaning;
use crate::process::{Ending, Usage};
use crate::profile::{Meaning, Pattern, Profile};
use crate::script::{Role, Step};
use auspex_logic::answer::{Answer, Crash, CrashKind, Rejection, Said, is_narrated};

/// Replies to questions of more bytes are not looked at.
const LONGEST_SAID: usize = 1 << 16;

/// The same for proofs, which are long.
const LONGEST_PROOF: usize = 1 << 20;

/// Everything known about a run when its replies are interpreted.
#[derive(Debug)]
pub struct Transcript<'t> {
    pub profile: &'t Profile,
    pub steps: &'t [Step<'t>],
    /// The reply to each completed step; steps that were skipped on purpose have an empty reply.
    pub texts: &'t [&'t str],
    /// The output after the last completed step.
    pub tail: &'t str,
    pub stderr: &'t str,
    pub ending: Ending,
    pub usage: Usage,
    pub limits: &'t Limits,
}

/// The interpretation of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// One answer per query that was reached; queries after the end of the process have none.
    pub answers: Vec<Answer>,
    /// A crash in a command after the last answer.
    pub later: Option<Later>,
    /// The reply to each question that was completed.
    pub said: Vec<Said>,
}

/// A crash after the last answer: the answer counts, and the crash belongs to this command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Later {
    pub command: String,
    pub crash: Crash,
}

/// Interprets a run.
pub fn judge(transcript: &Transcript<'_>) -> Judged {
    let mut judge = Judge {
        own: &transcript.profile.replies,
        stderr: transcript.stderr,
        narrates: narrates(transcript.steps),
        scopes: vec![None],
        stopped: None,
        judged: Judged::default(),
    };
    for (step, text) in transcript.steps.iter().zip(transcript.texts) {
        judge.step(step, text);
    }
    let rest = &transcript.steps[transcript.texts.len().min(transcript.steps.len())..];
    judge.rest(transcript, rest);
    judge.judged
}

/// Whether an option makes the solver print more than its answer to a query.
fn narrates(steps: &[Step<'_>]) -> bool {
    let mut options = steps.iter().filter(|step| step.role == Role::Option);
    options.any(|step| {
        let mut commands = items(step.text).map(|item| item.trim_matches(['(', ')']));
        commands.any(|command| {
            let mut words = command.split_whitespace().skip(1);
            let pair = (words.next(), words.next());
            matches!(pair, (Some(key), Some(value)) if is_narrated(key, value))
        })
    })
}

/// What was printed before the answer to a query: whole items, as many as fit.
fn narration(text: &str) -> &str {
    let mut end = 0;
    for item in items(text) {
        let after = item.as_ptr() as usize - text.as_ptr() as usize + item.len();
        if verdict(item).is_some() || after > LONGEST_PROOF {
            break;
        }
        end = after;
    }
    &text[..end]
}

struct Judge<'t> {
    own: &'t [Pattern],
    stderr: &'t str,
    narrates: bool,
    /// What invalidates the answers in each open scope, outermost first.
    scopes: Vec<Option<Answer>>,
    /// The first rejection, after which some solvers stop answering.
    stopped: Option<Answer>,
    judged: Judged,
}

impl Judge<'_> {
    /// A step that was completed.
    fn step(&mut self, step: &Step<'_>, text: &str) {
        match step.role {
            // A rejected option matters only if the solver stops there.
            Role::Option | Role::Info => {
                self.stopped = self.stopped.take().or(refusal(text, self.own));
            }
            Role::Question => {
                self.said(step.head, text);
                self.stopped = self.stopped.take().or(refusal(text, self.own));
            }
            Role::Logic | Role::Setup => self.spoil(silent(text, step.role, self.own)),
            Role::Push(count) => {
                self.spoil(silent(text, step.role, self.own));
                let open = self.scopes.len() + count.min(1 << 16) as usize;
                self.scopes.resize(open, None);
            }
            Role::Pop(count) => {
                let open = self.scopes.len().saturating_sub(count as usize).max(1);
                self.scopes.truncate(open);
                self.spoil(silent(text, step.role, self.own));
            }
            Role::Reset => {
                self.scopes = vec![None];
                self.stopped = None;
                self.spoil(silent(text, step.role, self.own));
            }
            Role::Check => {
                if self.narrates {
                    self.said(step.head, narration(text));
                }
                let spoilt = self.scopes.iter().flatten().next().cloned();
                let answer = spoilt.unwrap_or_else(|| self.check(text));
                let answer = self.despite_complaint(answer, text, step.head);
                self.stop(&answer);
                self.judged.answers.push(answer);
            }
            Role::Model | Role::Core => self.detail(step.role, text),
            Role::Reason => {
                // The script's own request is a question as well.
                if !step.is_added() {
                    self.said(step.head, text);
                }
                self.detail(step.role, text);
            }
            Role::Exit => {}
            // An ignored command may have been part of the query.
            Role::Other => self.spoil(refusal(text, self.own)),
        }
    }

    /// The reply to a question, unless it was said about something else than was asked, or is too long to read.
    fn said(&mut self, head: &str, text: &str) {
        let spoilt = self.scopes.iter().any(Option::is_some);
        let most = match self.narrates || head == "get-proof" {
            true => LONGEST_PROOF,
            false => LONGEST_SAID,
        };
        let known = !spoilt && text.len() <= most;
        self.judged.said.push(Said {
            head: head.to_string(),
            text: if known { text.trim() } else { "" }.to_string(),
        });
    }

    /// The answer in the reply to a query; if the reply is empty, standard error may explain it.
    fn check(&self, text: &str) -> Answer {
        if let Some(answer) = against_status(text) {
            return answer;
        }
        if text.trim().is_empty() && meaning::of(self.stderr, self.own).is_some() {
            return meaning::answer(self.stderr, self.own).unwrap_or_else(|| check(text, self.own));
        }
        if let (true, Some(refusal)) = (text.trim().is_empty(), &self.stopped) {
            return refusal.clone();
        }
        check(text, self.own)
    }

    /// A solver that answers and then rejects its own model has answered: the model can be checked, and the complaint
    /// comes after the answer.
    fn despite_complaint(&mut self, answer: Answer, text: &str, command: &str) -> Answer {
        let mut verdicts = items(text).filter_map(verdict);
        match (answer, verdicts.next()) {
            (Answer::Crashed(crash), Some(said))
                if meaning::of(&crash.message, self.own) == Some(Meaning::InvalidModel) =>
            {
                self.blame(command, Some(crash));
                said
            }
            (answer, _) => answer,
        }
    }

    /// Some solvers stop answering after a rejection; then the remaining queries count as rejected, too.
    fn stop(&mut self, answer: &Answer) {
        let refusal = match answer {
            Answer::Rejected { .. } => answer.clone(),
            Answer::Crashed(crash) => Answer::Rejected {
                why: Rejection::Other,
                message: crash.message.clone(),
            },
            _ => return,
        };
        self.stopped.get_or_insert(refusal);
    }

    fn spoil(&mut self, trouble: Option<Answer>) {
        if let Some(trouble) = &trouble {
            self.stop(trouble);
        }
        if let Some(scope) = self.scopes.last_mut() {
            *scope = scope.take().or(trouble);
        }
    }

    /// Adds a model, core or reason to the last answer.
    fn detail(&mut self, role: Role, text: &str) {
        let refused = items(text).any(|item| item.starts_with("(error") || item == "unsupported");
        if refused {
            self.stopped = self.stopped.take().or(refusal(text, self.own));
        }
        let text = text.trim();
        if refused || text.is_empty() {
            return;
        }
        match (self.judged.answers.last_mut(), role) {
            (Some(Answer::Sat { model }), Role::Model) => *model = Some(text.to_string()),
            (Some(Answer::Unsat { core }), Role::Core) => *core = names(text),
            (Some(answer @ Answer::Unknown { .. }), Role::Reason) => {
                *answer = unknown(reason(text), self.own);
            }
            _ => {}
        }
    }

    /// What happened after the last completed step.
    fn rest(&mut self, transcript: &Transcript<'_>, rest: &[Step<'_>]) {
        if transcript.ending == Ending::Alive {
            if let Some(crash) = crash::find(transcript.stderr) {
                let last = transcript.steps.last();
                self.blame(last.map_or("", |step| step.head), Some(crash));
            }
            return;
        }
        let mut waiting = rest.iter().take_while(|step| step.role != Role::Exit);
        let answered = self.answered_in_tail(transcript, rest);
        let asked = waiting.clone().any(|step| step.role == Role::Check);
        if asked && !answered {
            let printed = [transcript.tail, transcript.stderr];
            if let Some(answer) = printed.into_iter().find_map(against_status) {
                self.judged.answers.push(answer);
                return;
            }
            let answer = match (end(transcript, true), &self.stopped) {
                // Without markers its rejection may have been assigned to an earlier query.
                (Answer::Crashed(crash), Some(refusal)) if is_plain_exit(&crash) => refusal.clone(),
                (Answer::Crashed(crash), None) if is_plain_exit(&crash) => {
                    let last = transcript.texts.last();
                    let last = last.filter(|text| meaning::of(text, self.own).is_some());
                    let refusal = last.and_then(|text| meaning::answer(text, self.own));
                    refusal.unwrap_or(Answer::Crashed(crash))
                }
                (answer, _) => answer,
            };
            let role = rest.first().map_or(Role::Check, |step| step.role);
            self.judged.answers.push(unread(answer, role));
            return;
        }
        if let Answer::Crashed(crash) = end(transcript, false) {
            // The answer came but not its marker: the process died in the next command.
            let command = waiting.nth(usize::from(answered));
            self.blame(command.map_or("exit", |step| step.head), Some(crash));
        }
    }

    /// The answer may be complete although the marker after it is missing.
    fn answered_in_tail(&mut self, transcript: &Transcript<'_>, rest: &[Step<'_>]) -> bool {
        let Some(step) = rest.first().filter(|step| step.role == Role::Check) else {
            return false;
        };
        let answer = check(transcript.tail, self.own);
        let complete = transcript.tail.trim_end() != transcript.tail;
        let stands = matches!(
            answer,
            Answer::Sat { .. } | Answer::Unsat { .. } | Answer::Unknown { .. }
        );
        if !stands || !complete {
            return false;
        }
        self.step(step, transcript.tail);
        true
    }

    fn blame(&mut self, command: &str, crash: Option<Crash>) {
        let command = command.to_string();
        self.judged.later = crash.map(|crash| Later { command, crash });
    }
}

/// The answer in a complaint about the script's own `:status`: cvc5 and CVC4 print `Expected result unsat but got
/// sat` instead of the answer, and stop.
fn against_status(text: &str) -> Option<Answer> {
    let (_, rest) = text.split_once("Expected result ")?;
    let (_, got) = rest.split_once(" but got ")?;
    let word: String = got.chars().take_while(char::is_ascii_lowercase).collect();
    verdict(&word)
}

/// Whether only an exit code indicates a crash.
fn is_plain_exit(crash: &Crash) -> bool {
    matches!(crash.how, CrashKind::ExitCode(_)) && crash.message.trim().is_empty()
}

/// What invalidates a scope: the rejection of a command that should be silent, or an unexpected answer.
fn silent(text: &str, role: Role, own: &[Pattern]) -> Option<Answer> {
    // A solver that does not know a logic enables everything.
    let refused = items(text).filter(|item| role != Role::Logic || *item != "unsupported");
    let unexpected = |item: &str| {
        verdict(item).map(|_| Answer::Garbled {
            text: text.to_string(),
        })
    };
    let mut found = refused.map(|item| refusal_of(item, own).or_else(|| unexpected(item)));
    found
        .find_map(|answer| answer)
        .map(|answer| unread(answer, role))
}

/// An unknown message about a declaration or assertion means that it could not be read.
fn unread(answer: Answer, role: Role) -> Answer {
    match answer {
        Answer::Rejected {
            why: Rejection::Other,
            message,
        } if role == Role::Setup => Answer::Rejected {
            why: Rejection::ParseError,
            message,
        },
        other => other,
    }
}

/// The first rejection in a reply.
fn refusal(text: &str, own: &[Pattern]) -> Option<Answer> {
    items(text).find_map(|item| refusal_of(item, own))
}

fn refusal_of(item: &str, own: &[Pattern]) -> Option<Answer> {
    let refused = item.starts_with("(error") || item == "unsupported";
    refused
        .then(|| meaning::answer(message(item), own))
        .flatten()
}

/// The reply to one `check-sat`.
fn check(text: &str, own: &[Pattern]) -> Answer {
    let mut verdicts = Vec::new();
    for item in items(text) {
        verdicts.extend(verdict(item));
    }
    if let Some(refusal) = refusal(text, own) {
        return refusal;
    }
    let garbled = || Answer::Garbled {
        text: text.to_string(),
    };
    match verdicts.len() {
        1 => match verdicts.pop() {
            Some(Answer::Unknown { reason }) => unknown(reason, own),
            answer => answer.unwrap_or_else(garbled),
        },
        0 => crash::find(text).map_or_else(garbled, Answer::Crashed),
        _ => garbled(),
    }
}

/// An `unknown` because of time or memory is a timeout or out-of-memory.
fn unknown(reason: String, own: &[Pattern]) -> Answer {
    match meaning::of(&reason, own) {
        Some(Meaning::Timeout) => Answer::Timeout,
        Some(Meaning::OutOfMemory) => Answer::OutOfMemory,
        _ => Answer::Unknown { reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::steps;

    /// Judges replies, one text per step; an ending other than `Alive` leaves the last text as the tail.
    fn check_replies(script: &str, replies: &[&str], stderr: &str, ending: Ending) -> Judged {
        let profile = Profile::unknown("test");
        let steps = steps(script);
        let (texts, tail) = match ending {
            Ending::Alive => (replies, ""),
            _ => replies
                .split_last()
                .map_or((replies, ""), |(tail, texts)| (texts, *tail)),
        };
        judge(&Transcript {
            profile: &profile,
            steps: &steps,
            texts,
            tail,
            stderr,
            ending,
            usage: Usage::default(),
            limits: &Limits::default(),
        })
    }

    fn words(judged: &Judged) -> Vec<&'static str> {
        judged.answers.iter().map(Answer::word).collect()
    }

    #[test]
    fn an_answer_is_no_message_of_a_crash() {
        let script = "(check-sat)(get-model)";
        let judged = check_replies(script, &["sat\n"], "", Ending::Signal(11));
        assert_eq!(words(&judged), ["sat"]);
        assert_eq!(judged.later.expect("a crash").crash.message, "");
    }

    #[test]
    fn what_is_printed_before_an_answer_is_a_reply_where_an_option_asks_for_it() {
        let script = "(set-option :output lemmas)(check-sat)(check-sat)";
        let replies = [
            "",
            "(lemma p :source A)\n(lemma q :source B)\nsat\n",
            "unsat\n",
        ];
        let judged = check_replies(script, &replies, "", Ending::Alive);
        assert_eq!(words(&judged), ["sat", "unsat"]);
        let said: Vec<&str> = judged.said.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(said, ["(lemma p :source A)\n(lemma q :source B)", ""]);
        let plain = check_replies(
            "(check-sat)",
            &["(lemma p :source A)\nsat\n"],
            "",
            Ending::Alive,
        );
        assert_eq!(plain.said, []);
    }

    #[test]
    fn an_exit_after_a_refusal_is_that_refusal() {
        let script = "(check-sat)(get-unsat-core)(check-sat-assuming (x))";
        let refusal = "(error \"unsupported command 'check-sat-assuming'\")\n";
        let judged = check_replies(script, &["sat\n", refusal, ""], "", Ending::Exit(1));
        assert_eq!(words(&judged), ["sat", "rejected"]);
        let judged = check_replies(script, &["sat\n", "(x)\n", ""], "", Ending::Exit(1));
        assert_eq!(words(&judged), ["sat", "crash"]);
    }

    #[test]
    fn a_refused_assertion_spoils_its_scope_and_no_other() {
        let script = "(push 1)(assert y)(check-sat)(pop 1)(check-sat)";
        let replies = ["", "(error \"unknown constant y\")\n", "sat\n", "", "sat\n"];
        let judged = check_replies(script, &replies, "", Ending::Alive);
        assert_eq!(words(&judged), ["rejected", "sat"]);
        let script = "(assert y)(push 1)(check-sat)(pop 1)(check-sat)(reset)(check-sat)";
        let replies = [replies[1], "", "sat\n", "", "sat\n", "", "unsat\n"];
        let judged = check_replies(script, &replies, "", Ending::Alive);
        assert_eq!(words(&judged), ["rejected", "rejected", "unsat"]);
    }

    #[test]
    fn a_refused_option_or_question_spoils_nothing() {
        let script = "(set-option :x true)(set-logic L)(get-info :y)(check-sat)(get-model)";
        let error = "(error \"unknown\")\n";
        let replies = [error, "unsupported\n", error, "sat\n", error];
        let judged = check_replies(script, &replies, "", Ending::Alive);
        assert_eq!(judged.answers, [Answer::Sat { model: None }]);
    }

    #[test]
    fn silence_after_a_refused_question_is_that_refusal() {
        let script = "(check-sat)(get-unsat-core)(check-sat)";
        let error = "(error \"no core after sat\")\n";
        let judged = check_replies(script, &["sat\n", error, ""], "", Ending::Alive);
        assert_eq!(words(&judged), ["sat", "rejected"]);
        let judged = check_replies(script, &["sat\n", error, "unsat\n"], "", Ending::Alive);
        assert_eq!(words(&judged), ["sat", "unsat"]);
        let script = "(set-option :wf-checking true)(assert p)(check-sat)";
        let error = "(error \"expert option wf-checking cannot be set in safe mode.\")\n";
        let judged = check_replies(script, &[error, "", ""], "", Ending::Alive);
        assert_eq!(words(&judged), ["rejected"]);
        let judged = check_replies(script, &[error, "", "sat\n"], "", Ending::Alive);
        assert_eq!(words(&judged), ["sat"]);
    }

    #[test]
    fn an_answer_stands_though_the_solver_finds_fault_with_its_model() {
        let script = "(check-sat)(get-model)(check-sat)";
        let complaint = "sat\n(error \"an invalid model was generated\")\n";
        let replies = [complaint, "((define-fun x () Int 1))", "unsat\n"];
        let judged = check_replies(script, &replies, "", Ending::Alive);
        assert_eq!(words(&judged), ["sat", "unsat"]);
        assert!(matches!(&judged.answers[0], Answer::Sat { model: Some(_) }));
        let later = judged.later.expect("the complaint is not lost");
        assert!(later.crash.message.contains("invalid model"));
        let error = "sat\n(error \"unknown constant y\")\n";
        let judged = check_replies("(check-sat)", &[error], "", Ending::Alive);
        assert_eq!(
            words(&judged),
            ["rejected"],
            "no other error leaves an answer"
        );
    }

    #[test]
    fn silence_after_a_refused_query_or_assertion_is_that_refusal() {
        let error = "(error \"Cannot handle assertion with term of kind wand\")\n";
        let crash = "(error \"an invalid model was generated\")\n";
        for (script, replies, expected) in [
            (
                "(check-sat)(check-sat)",
                [error, ""],
                ["rejected", "rejected"],
            ),
            (
                "(check-sat)(check-sat)",
                [error, "sat\n"],
                ["rejected", "sat"],
            ),
            ("(check-sat)(check-sat)", [crash, ""], ["crash", "rejected"]),
            ("(check-sat)(check-sat)", ["sat\n", ""], ["sat", "garbled"]),
        ] {
            let judged = check_replies(script, &replies, "", Ending::Alive);
            assert_eq!(words(&judged), expected, "{replies:?}");
        }
        let script = "(push 1)(assert p)(check-sat)(pop 1)(check-sat)";
        let judged = check_replies(script, &["", error, "", "", ""], "", Ending::Alive);
        assert_eq!(words(&judged), ["rejected", "rejected"]);
        let judged = check_replies(script, &["", error, "", "", "sat\n"], "", Ending::Alive);
        assert_eq!(words(&judged), ["rejected", "sat"]);
        let script = "(check-sat)(reset)(check-sat)";
        let judged = check_replies(script, &[error, "", ""], "", Ending::Alive);
        assert_eq!(words(&judged), ["rejected", "garbled"]);
    }

    #[test]
    fn details_go_to_their_answer() {
        let script = "(check-sat)(get-model)(check-sat)(get-unsat-core)(check-sat)(get-info :reason-unknown)";
        let replies = [
            "sat\n",
            "(model)\n",
            "unsat\n",
            "(a |b c|)\n",
            "unknown\n",
            "(:reason-unknown \"incomplete\")\n",
        ];
        let judged = check_replies(script, &replies, "", Ending::Alive);
        let model = Some("(model)".to_string());
        let core = Some(vec!["a".to_string(), "b c".to_string()]);
        let reason = "incomplete".to_string();
        assert_eq!(
            judged.answers,
            [
                Answer::Sat { model },
                Answer::Unsat { core },
                Answer::Unknown { reason }
            ]
        );
    }

    #[test]
    fn a_core_of_terms_has_whole_terms() {
        let core = "((and p (= |q r| 1)) a (not p))\n";
        let judged = check_replies(
            "(check-sat)(get-unsat-core)",
            &["unsat\n", core],
            "",
            Ending::Alive,
        );
        let members = ["(and p (= |q r| 1))", "a", "(not p)"];
        let core = Some(members.map(str::to_string).to_vec());
        assert_eq!(judged.answers, [Answer::Unsat { core }]);
    }

    #[test]
    fn unknown_for_lack_of_time_is_a_timeout() {
        let script = "(check-sat)(get-info :reason-unknown)";
        for reason in ["\"timeout\"", "\"canceled\"", "timeout", "resourceout"] {
            let reply = format!("(:reason-unknown {reason})");
            let judged = check_replies(script, &["unknown\n", &reply], "", Ending::Alive);
            assert_eq!(judged.answers, [Answer::Timeout], "{reason}");
        }
    }

    #[test]
    fn a_crash_after_the_answer_is_of_the_later_command() {
        let script = "(check-sat)(get-model)(check-sat)";
        let judged = check_replies(script, &["sat\n", ""], "", Ending::Signal(libc::SIGSEGV));
        assert_eq!(words(&judged), ["sat", "crash"]);
        let script = "(check-sat)(get-model)(exit)";
        let judged = check_replies(script, &["sat\n", ""], "", Ending::Signal(libc::SIGSEGV));
        assert_eq!(words(&judged), ["sat"]);
        assert_eq!(judged.later.unwrap().command, "get-model");
        let judged = check_replies(script, &["sat\n"], "", Ending::Signal(libc::SIGSEGV));
        assert_eq!(words(&judged), ["sat"]);
        assert_eq!(judged.later.unwrap().command, "get-model");
    }

    #[test]
    fn what_was_printed_in_order_is_no_message_of_a_crash() {
        let signal = Ending::Signal(libc::SIGSEGV);
        let message = |out: &str, err: &str| {
            let judged = check_replies("(apply skip)(check-sat)", &[out], err, signal);
            match &judged.answers[..] {
                [Answer::Crashed(crash)] => crash.message.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(message("(goals\n(goal\n", ""), "");
        assert_eq!(message("(goals\n(goal\n", "bad pointer"), "bad pointer");
    }

    #[test]
    fn a_proper_end_is_no_crash() {
        let script = "(check-sat)(exit)";
        for code in [0, 1, 10, 20] {
            let judged = check_replies(script, &["sat\n", ""], "", Ending::Exit(code));
            assert_eq!(words(&judged), ["sat"]);
            assert_eq!(judged.later, None, "{code}");
        }
        let judged = check_replies(script, &["sat\n", ""], "", Ending::Exit(134));
        assert!(judged.later.is_some());
    }

    #[test]
    fn a_faulty_reply_to_one_query_does_not_shift_the_others() {
        let script = "(check-sat)(push 1)(check-sat)(pop 1)(check-sat)";
        let replies = ["sat\n", "", "what?\n", "", "unsat\n"];
        let judged = check_replies(script, &replies, "", Ending::Alive);
        assert_eq!(words(&judged), ["sat", "garbled", "unsat"]);
    }

    #[test]
    fn errors_that_quote_the_script_are_one_item() {
        let text = "(error \"Parse Error: <stdin>:1.2: no\n\n  (assert foo)(echo \"x\")(check-sat)\n   ^\n\")\nsat\n";
        let items: Vec<&str> = items(text).collect();
        assert_eq!(items.len(), 2);
        assert_eq!(items[1], "sat");
    }

    #[test]
    fn an_answer_against_the_status_of_the_script_is_an_answer() {
        let said = |word: &str| format!("(error \"Expected result unsat but got {word}\")");
        let judged = check_replies("(check-sat)", &[&said("sat")], "", Ending::Alive);
        assert_eq!(judged.answers, [Answer::Sat { model: None }]);
        let died = check_replies("(check-sat)", &[&said("sat")], "", Ending::Exit(1));
        assert_eq!(died.answers, [Answer::Sat { model: None }]);
        let other = check_replies(
            "(check-sat)",
            &["(error \"Expected a term\")"],
            "",
            Ending::Alive,
        );
        assert!(matches!(other.answers[..], [Answer::Rejected { .. }]));
    }
}
