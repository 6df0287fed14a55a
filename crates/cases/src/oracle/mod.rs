//! The judge: oracles decide who is wrong, and nothing else does. They are pure functions from facts and evidence to
//! verdicts. Each is one file and one line in `ALL`; every command calls `judge`.

pub mod answers;
pub mod consistency;
pub mod core;
pub mod crash;
pub mod differential;
pub mod fact;
pub mod ground;
pub mod grounds;
pub mod incompleteness;
mod known_status;
mod model_validity;
pub mod relation;
pub mod sentence;
pub mod slowness;

pub use fact::{Form, Link, QuestionReply, Related, Reply, Side, SolverId, SourceStatus};
pub use grounds::{Grounds, ModelOf, Refuted};
pub use sentence::Facts;

use crate::answers::Kind;
use crate::case::Evidence;
use ::core::time::Duration;
use auspex_logic::model::{MOST_WORK, ModelVerdict, read_model, validate_within};
use auspex_logic::{Answer, Command, Head, Query, Script, Symbol, Terms, render};
use grounds::ModelState;
use serde::{Deserialize, Serialize};

/// Everything known about one query: the query, the evidence for its answer, and all replies.
pub struct QueryContext<'a> {
    pub terms: &'a mut Terms,
    pub script: &'a Script,
    pub query: &'a Query,
    pub evidence: &'a Evidence,
    pub replies: &'a [Reply],
    /// Answers to other scripts that bear on this query.
    pub related: &'a [Related],
    /// The makes to which an option in the script gives it another meaning: strings of fewer characters, integers that
    /// are reals. Their answers count for nothing unless they are crashes.
    pub other_makes: &'a [String],
    pub budget: Budget,
}

impl<'a> QueryContext<'a> {
    /// A query without replies.
    pub fn new(
        terms: &'a mut Terms,
        script: &'a Script,
        query: &'a Query,
        evidence: &'a Evidence,
    ) -> QueryContext<'a> {
        QueryContext {
            terms,
            script,
            query,
            evidence,
            replies: &[],
            related: &[],
            other_makes: &[],
            budget: Budget::THOROUGH,
        }
    }

    /// The makes that the script means something else to.
    pub fn meaning_else_to(self, other_makes: &'a [String]) -> QueryContext<'a> {
        QueryContext {
            other_makes,
            ..self
        }
    }

    /// Whether the script means something else to whoever gave a reply.
    fn is_read_otherwise(&self, reply: &Reply) -> bool {
        reply.solver.reads_otherwise || self.other_makes.contains(&reply.solver.make)
    }

    pub fn with(self, replies: &'a [Reply], related: &'a [Related]) -> QueryContext<'a> {
        QueryContext {
            replies,
            related,
            ..self
        }
    }

    pub fn within(self, budget: Budget) -> QueryContext<'a> {
        QueryContext { budget, ..self }
    }

    /// Whether one of the replies is on that side.
    fn anyone_says(&self, wanted: Side) -> bool {
        self.replies
            .iter()
            .any(|reply| reply.side() == Some(wanted))
    }

    /// Whether a model makes every assertion true.
    fn is_valid(&mut self, text: &str) -> bool {
        self.state_of(text) == ModelState::Valid
    }

    fn has_valid_model(&mut self, at: usize) -> bool {
        self.model_state(at) == ModelState::Valid
    }

    /// The state of the model in a reply.
    fn model_state(&mut self, at: usize) -> ModelState {
        match self.replies[at].model() {
            Some(text) => self.state_of(text),
            None => ModelState::Missing,
        }
    }

    fn state_of(&mut self, text: &str) -> ModelState {
        let Ok(model) = read_model(self.terms, self.script, text) else {
            return ModelState::Unreadable;
        };
        match validate_within(self.terms, &model, self.query, self.budget.work) {
            ModelVerdict::Valid => ModelState::Valid,
            ModelVerdict::Invalid { .. } => ModelState::Invalid,
            ModelVerdict::Undetermined { .. } => ModelState::Undetermined,
        }
    }
}

/// The effort spent on judging answers.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The processor time from which a solver may be slow; none if times do not count.
    pub slow_from: Option<Duration>,
    /// The limit of work for evaluating a model; beyond it the model is undetermined.
    pub work: u64,
}

impl Budget {
    /// The largest effort, without regard to times.
    pub const THOROUGH: Budget = Budget {
        slow_from: None,
        work: MOST_WORK,
    };

    /// The effort for a first look in a campaign; no solver counts as slow.
    pub const QUICK: Budget = Budget {
        slow_from: None,
        work: MOST_WORK / 300,
    };
}

/// The class of a verdict, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Class {
    WrongUnsat,
    WrongSat,
    InvalidModel,
    WrongCore,
    /// A reply of that kind claims what does not hold.
    Wrong(Kind),
    /// Two answers of one solver exclude each other; which one is wrong is not known.
    SelfContradiction,
    Crash,
    Disagreement,
    Incompleteness,
    Slowness,
}

impl Class {
    pub const ALL: [Class; 24] = [
        Class::WrongUnsat,
        Class::WrongSat,
        Class::InvalidModel,
        Class::WrongCore,
        Class::Wrong(Kind::Optimum),
        Class::Wrong(Kind::Interpolant),
        Class::Wrong(Kind::Abduct),
        Class::Wrong(Kind::Synthesis),
        Class::Wrong(Kind::Invariant),
        Class::Wrong(Kind::Simplification),
        Class::Wrong(Kind::Elimination),
        Class::Wrong(Kind::Consequence),
        Class::Wrong(Kind::Assumptions),
        Class::Wrong(Kind::Value),
        Class::Wrong(Kind::Lemma),
        Class::Wrong(Kind::ProofStep),
        Class::Wrong(Kind::Preprocessing),
        Class::Wrong(Kind::Printing),
        Class::Wrong(Kind::Reason),
        Class::SelfContradiction,
        Class::Crash,
        Class::Disagreement,
        Class::Incompleteness,
        Class::Slowness,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Class::WrongUnsat => "wrong-unsat",
            Class::WrongSat => "wrong-sat",
            Class::InvalidModel => "invalid-model",
            Class::WrongCore => "wrong-core",
            Class::Wrong(kind) => kind.wrong(),
            Class::SelfContradiction => "self-contradiction",
            Class::Crash => "crash",
            Class::Disagreement => "disagreement",
            Class::Incompleteness => "incompleteness",
            Class::Slowness => "slowness",
        }
    }

    /// Whether the accused is wrong for certain. The other classes do not affect the exit code.
    pub fn is_bug(self) -> bool {
        match self {
            Class::WrongUnsat
            | Class::WrongSat
            | Class::InvalidModel
            | Class::WrongCore
            | Class::Wrong(_)
            | Class::SelfContradiction
            | Class::Crash => true,
            Class::Disagreement | Class::Incompleteness | Class::Slowness => false,
        }
    }

    /// Whether it is known which of the accused's answers is wrong.
    pub fn is_proof(self) -> bool {
        self.is_bug() && !matches!(self, Class::SelfContradiction | Class::Crash)
    }

    /// The right answer, where the class tells it.
    pub fn expected(self) -> Option<Side> {
        match self {
            Class::WrongUnsat => Some(Side::Sat),
            Class::WrongSat => Some(Side::Unsat),
            _ => None,
        }
    }

    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|c| c.name() == name)
    }
}

impl From<Class> for &'static str {
    fn from(class: Class) -> &'static str {
        class.name()
    }
}

impl TryFrom<String> for Class {
    type Error = String;

    fn try_from(name: String) -> Result<Class, String> {
        Class::named(&name).ok_or_else(|| format!("no class of findings is called {name}"))
    }
}

/// An oracle's verdict on the replies to one query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub class: Class,
    /// Positions of the replies that are (or, for a disagreement, may be) wrong.
    pub accused: Vec<usize>,
    pub grounds: Grounds,
    /// The place of the error, for grouping: the site of a crash, the smallest false part of an assertion.
    pub site: String,
}

impl Verdict {
    pub fn new(class: Class, accused: usize, grounds: Grounds) -> Verdict {
        Verdict {
            class,
            accused: vec![accused],
            grounds,
            site: String::new(),
        }
    }
}

pub trait Oracle: Sync {
    fn name(&self) -> &'static str;
    /// What it proves, in one sentence.
    fn about(&self) -> &'static str;
    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict>;
}

/// Every oracle, in the order of their calls.
pub const ALL: &[&dyn Oracle] = &[
    &crash::CrashOracle,
    &model_validity::ModelValidity,
    &known_status::KnownStatus,
    &relation::RelationOracle,
    &ground::Ground,
    &core::CoreValidity,
    &answers::Answers,
    &consistency::Consistency,
    &differential::Differential,
    &incompleteness::Incompleteness,
    &slowness::Slowness,
];

/// The replies to judge: of a solver to which the script means something else than the standard says only a crash counts.
fn comparable(context: &QueryContext<'_>) -> Option<Vec<Reply>> {
    let is_other = |reply: &Reply| {
        context.is_read_otherwise(reply) && !matches!(reply.answer, Answer::Crashed(_))
    };
    if !context.replies.iter().any(is_other) {
        return None;
    }
    let masked = context.replies.iter().map(|reply| match is_other(reply) {
        true => Reply {
            answer: Answer::Unknown {
                reason: "asked under an option that changes what the script means".to_string(),
            },
            questions: Vec::new(),
            ..reply.clone()
        },
        false => reply.clone(),
    });
    Some(masked.collect())
}

/// Prefixes of commands kept as text that do not change later queries.
const HARMLESS: &[&str] = &[
    "(apply",
    "(assert",
    "(assume",
    "(check-",
    "(constraint",
    "(de",
    "(display",
    "(echo",
    "(eval",
    "(get-",
    "(help",
    "(inv-constraint",
    "(labels",
    "(set-",
    "(simplify",
    "(synth-",
];

/// Whether a query may mean something else to a solver than to us: an unknown command, such as cvc5's `(block-model
/// :values)`, may have changed it, or it has names that are out of scope by the standard.
pub fn may_ask_otherwise(terms: &Terms, script: &Script, query: &Query) -> bool {
    let before = script.commands.iter().take(query.command);
    let mut unknown = before.filter_map(|command| match command {
        Command::Other(text) => Some(terms.symbols.name(*text)),
        _ => None,
    });
    unknown.any(|text| !HARMLESS.iter().any(|begin| text.starts_with(begin)))
        || has_forgotten_name(terms, script, query)
        || asks_for_next(terms, script, query)
}

/// Whether a query is answered by another model than the ones before: z3 goes through a Pareto front, up to `unsat`.
fn asks_for_next(terms: &Terms, script: &Script, query: &Query) -> bool {
    let before = &script.commands[..query.command.min(script.commands.len())];
    let is_pareto = |command: &Command| match command {
        Command::SetOption(key, value) => {
            terms.symbols.name(*key) == ":opt.priority" && terms.symbols.name(*value) == "pareto"
        }
        _ => false,
    };
    let has = |is: &dyn Fn(&Command) -> bool| before.iter().any(is);
    has(&is_pareto)
        && has(&|command| matches!(command, Command::Goal(_)))
        && has(&|command| matches!(command, Command::CheckSat))
}

/// Whether a query uses a function after the end of its scope. Solvers that do not reject it differ: after
/// `(reset-assertions)` without `:global-declarations`, z3 keeps a definition and CVC4 only its name.
fn has_forgotten_name(terms: &Terms, script: &Script, query: &Query) -> bool {
    let mut before = script.commands.iter().take(query.command);
    if !before.any(|command| matches!(command, Command::Pop(_) | Command::ResetAssertions)) {
        return false;
    }
    let below = |root| render::post_order(terms, root);
    let mut unknown = query.demands().flat_map(below).filter_map(|term| {
        let Head::Opaque(name) = terms.head(term) else {
            return None;
        };
        Some(name)
    });
    let is_said = |name: Symbol| {
        let defined = script.definitions().map(|definition| definition.fun);
        let mut funs = script.declared().chain(defined);
        funs.any(|fun| terms.fun(fun).name == name)
            || script.assertions().any(|a| a.name == Some(name))
    };
    unknown.any(is_said)
}

/// All verdicts on the replies to one query. A proof replaces a disagreement or self-contradiction of the same
/// solver, a wrong `sat` replaces its own invalid model, and there is one verdict of a class on the same replies.
pub fn judge(context: &mut QueryContext<'_>) -> Vec<Verdict> {
    if let Some(replies) = comparable(context) {
        return judge_comparable(&mut QueryContext {
            terms: context.terms,
            replies: &replies,
            ..*context
        });
    }
    judge_comparable(context)
}

fn judge_comparable(context: &mut QueryContext<'_>) -> Vec<Verdict> {
    let other = may_ask_otherwise(context.terms, context.script, context.query);
    let asked: &[&dyn Oracle] = if other { &[&crash::CrashOracle] } else { ALL };
    let all = asked.iter().flat_map(|oracle| oracle.judge(context));
    let all: Vec<Verdict> = all.collect();
    let of = |classes: &[Class]| -> Vec<usize> {
        let proved = all.iter().filter(|v| classes.contains(&v.class));
        proved.flat_map(|v| v.accused.clone()).collect()
    };
    let wrong_sat = of(&[Class::WrongSat]);
    let proved = all.iter().filter(|v| v.class.is_proof());
    let proved: Vec<usize> = proved.flat_map(|v| v.accused.clone()).collect();
    let decided = of(&[Class::WrongSat, Class::WrongUnsat, Class::InvalidModel]);
    let torn = of(&[Class::SelfContradiction]);
    let mut seen: Vec<(Class, Vec<usize>)> = Vec::new();
    let mut kept = all;
    kept.retain(|verdict| {
        let mut accused = verdict.accused.clone();
        accused.sort_unstable();
        let some = |of: &[usize]| accused.iter().any(|at| of.contains(at));
        let silenced = match verdict.class {
            Class::Disagreement => !decided.is_empty() || some(&torn),
            Class::SelfContradiction => some(&proved),
            // If there is no model, every model is wrong.
            Class::InvalidModel => accused.iter().all(|at| wrong_sat.contains(at)),
            _ => false,
        };
        let key = (verdict.class, accused);
        let again = seen.contains(&key);
        if !silenced && !again {
            seen.push(key);
            return true;
        }
        false
    });
    kept
}

/// A related script to ask before a query can be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// The script to ask.
    pub link: Link,
    /// The reply that makes it worth asking.
    pub reply: usize,
    /// The text of the script, where the link does not tell it.
    pub text: Option<String>,
}

impl FollowUp {
    pub fn new(link: Link, reply: usize) -> FollowUp {
        FollowUp {
            link,
            reply,
            text: None,
        }
    }
}

/// Related scripts that were not asked yet and that may convict one of the replies.
pub fn follow_ups(context: &mut QueryContext<'_>) -> Vec<FollowUp> {
    let mut all = Vec::new();
    if may_ask_otherwise(context.terms, context.script, context.query) {
        return all;
    }
    for (at, reply) in context.replies.iter().enumerate() {
        if context.is_read_otherwise(reply) {
            continue;
        }
        if let (Evidence::Relation(relation), Some(side)) = (context.evidence, reply.side())
            && relation::is_suspicious(relation, side)
        {
            let sources = 0..relation.sources.len();
            all.extend(sources.map(|number| FollowUp::new(Link::Source(number), at)));
        }
        if let Answer::Unsat { core: Some(core) } = &reply.answer
            && core::members(context.terms, context.query, core).count()
                < context.query.assertions.len()
        {
            all.push(FollowUp::new(Link::CoreOf(at), at));
        }
    }
    all.retain(|one| {
        !context
            .related
            .iter()
            .any(|related| related.link == one.link)
    });
    all.extend(answers::follow_ups(context));
    all
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use auspex_logic::read_script;
    use std::sync::Arc;

    pub const PLAIN: &str = "(declare-const p Bool)(assert p)(check-sat)";

    /// A reply of `make release` by its word.
    pub fn reply(solver: &str, word: &str) -> Reply {
        let (make, release) = solver.split_once(' ').unwrap_or((solver, ""));
        let mut id = SolverId::new(make, release);
        if make.starts_with("cvc") {
            id.family = "cvc".to_string();
        }
        let answer = match word {
            "sat" => Answer::Sat { model: None },
            "unsat" => Answer::Unsat { core: None },
            "timeout" => Answer::Timeout,
            _ => Answer::Unknown {
                reason: String::new(),
            },
        };
        Reply::new(Arc::new(id), answer)
    }

    /// Does something with the first query of a script and replies to it.
    pub fn with_context<T>(
        text: &str,
        evidence: &Evidence,
        replies: &[Reply],
        related: &[Related],
        act: impl FnOnce(&mut QueryContext<'_>) -> T,
    ) -> T {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let query = script.queries().remove(0);
        let context = QueryContext::new(&mut terms, &script, &query, evidence);
        act(&mut context.with(replies, related))
    }

    /// The verdicts where nothing is known but replies about a script that says nothing.
    pub fn verdicts_of(replies: &[Reply]) -> Vec<Verdict> {
        with_context(PLAIN, &Evidence::NoneKnown, replies, &[], judge)
    }

    /// The verdicts where nothing is known but these words of solvers about a script.
    pub fn verdicts_about(text: &str, words: &[(&str, &str)]) -> Vec<Verdict> {
        let replies: Vec<Reply> = words.iter().map(|(who, word)| reply(who, word)).collect();
        with_context(text, &Evidence::NoneKnown, &replies, &[], judge)
    }

    #[test]
    fn what_is_forgotten_convicts_nobody() {
        let told = |text: &str| verdicts_about(text, &[("cvc4 1.8", "sat"), ("z3 5.4.0", "unsat")]);
        let forgotten = [
            "(define-fun a () Bool false)(reset-assertions)(assert a)(check-sat)",
            "(declare-const a Bool)(reset-assertions)(assert (and a (not a)))(check-sat)",
            "(assert (! false :named a))(reset-assertions)(assert a)(check-sat)",
            "(push 1)(define-fun a () Bool false)(pop 1)(assert a)(check-sat)",
        ];
        for text in forgotten {
            assert_eq!(told(text), [], "{text}");
            let global = format!("(set-option :global-declarations true){text}");
            assert_eq!(told(&global).len(), 1, "{global}");
        }
        let anew = "(declare-const a Int)(reset-assertions)(define-fun a () Bool false)(assert a)(check-sat)";
        assert_eq!(told(anew)[0].class, Class::WrongSat);
    }

    #[test]
    fn who_reads_the_script_otherwise_convicts_nobody_and_is_not_convicted() {
        let replies = [reply("z3 5.4.0", "sat"), reply("z3 4.8.10", "unsat")];
        assert_eq!(verdicts_of(&replies).len(), 1);
        let makes = ["z3".to_string()];
        let told = with_context(PLAIN, &Evidence::NoneKnown, &replies, &[], |context| {
            judge(&mut QueryContext {
                terms: context.terms,
                other_makes: &makes,
                ..*context
            })
        });
        assert_eq!(told, []);
        let mut own = replies[0].clone();
        Arc::make_mut(&mut own.solver).reads_otherwise = true;
        assert_eq!(verdicts_of(&[own, replies[1].clone()]), []);
    }

    #[test]
    fn a_wrong_sat_silences_its_own_model_and_is_told_once() {
        let told = |text: &str| {
            let model = Some("((define-fun p () Bool false))".to_string());
            let solver = Arc::new(SolverId::new("a", ""));
            let replies = [Reply::new(solver, Answer::Sat { model })];
            let all = with_context(text, &Evidence::NoneKnown, &replies, &[], judge);
            all.iter().map(|v| v.class).collect::<Vec<_>>()
        };
        assert_eq!(
            told("(declare-const p Bool)(assert p)(assert (= 1 2))(check-sat)"),
            [Class::WrongSat]
        );
        assert_eq!(
            told("(declare-const p Bool)(assert p)(check-sat)"),
            [Class::InvalidModel]
        );
    }
}
