//! The incompleteness oracle: an `unknown`, not caused by a limit, to a script whose answer is known and whose
//! fragment is decidable.
//!
//! ```text
//! witness x = 3, (assert (< (+ x x) 7)) → unknown, (:reason-unknown "incomplete")      it gave up
//!                                       → unknown, (:reason-unknown "timeout")         it had no time
//! ```
//! The answer is known by construction, or because the solver itself answered a script that the case was weakened or
//! strengthened from. An `unknown` is not a wrong answer and never a bug. The idea is from Janus.

use super::grounds::Grounds;
use super::{Class, Oracle, QueryContext, Verdict};
use crate::features::{Features, is_number};
use auspex_logic::script::DefinitionKind;
use auspex_logic::{Answer, Command, Head, Query, Script, Sort, TermId, Terms, Theory};
use rustc_hash::FxHashSet;

pub struct Incompleteness;

impl Oracle for Incompleteness {
    fn name(&self) -> &'static str {
        "incompleteness"
    }

    fn about(&self) -> &'static str {
        "A solver is incomplete if it answers unknown without a limit to blame, though the fragment is decidable and the answer known."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let Some(expected) = context.evidence.expected() else {
            return Vec::new();
        };
        let replies = context.replies.iter().enumerate();
        let unknown = replies.filter_map(|(at, reply)| match &reply.answer {
            Answer::Unknown { reason } if !is_limit(reason) => Some((at, in_short(reason))),
            _ => None,
        });
        let unknown: Vec<(usize, String)> = unknown.collect();
        if unknown.is_empty() || !is_decidable(context.terms, context.script, context.query) {
            return Vec::new();
        }
        let gave_up = unknown.into_iter().map(|(at, reason)| Verdict {
            site: reason.clone(),
            ..Verdict::new(
                Class::Incompleteness,
                at,
                Grounds::GaveUp { expected, reason },
            )
        });
        gave_up.collect()
    }
}

/// Reasons for an `unknown` that are limits or unsupported features.
const LIMITS: &[&str] = &[
    "timeout",
    "timed out",
    "cancel",
    "interrupt",
    "resource",
    "limit",
    "memory",
    "memout",
    "max.",
    "maximum",
    "exceeded",
    "steps",
    "unsupported",
    "not supported",
    "delta-sat",
];

/// Whether a reason for an `unknown` is a limit.
pub fn is_limit(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    LIMITS.iter().any(|word| reason.contains(word))
}

/// A normalised reason, for grouping.
fn in_short(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    match words.is_empty() {
        true => "no reason given".to_string(),
        false => words.join(" ").chars().take(80).collect(),
    }
}

/// The features whose quantifier-free combinations are decidable.
const DECIDABLE: Features = Features::INTS
    .union(Features::REALS)
    .union(Features::BITS)
    .union(Features::BIT_VECTORS)
    .union(Features::FLOATS)
    .union(Features::ARRAYS)
    .union(Features::OTHER_ARRAYS)
    .union(Features::DATATYPES)
    .union(Features::FUNCTIONS);

/// Whether a query is in a decidable fragment: no quantifiers, products of unknowns, recursion, strings, sequences,
/// sets and the like.
pub fn is_decidable(terms: &Terms, script: &Script, query: &Query) -> bool {
    let recursive = |command: &Command| match command {
        Command::DefineFunsRec(_) => true,
        Command::DefineFun(definition) => definition.how == DefinitionKind::Recursive,
        _ => false,
    };
    if script.commands.iter().any(recursive) {
        return false;
    }
    let asserted = query.assertions.iter().map(|a| a.term);
    let defined = script.definitions().map(|d| d.body);
    let assumed = query.assumptions.iter().copied();
    let mut stack: Vec<TermId> = asserted.chain(assumed).chain(defined).collect();
    let mut seen = FxHashSet::default();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        if !is_plain(terms, term) {
            return false;
        }
        stack.extend_from_slice(terms.args(term));
    }
    true
}

/// Whether the root of a term is in the decidable fragment.
fn is_plain(terms: &Terms, term: TermId) -> bool {
    let mut allowed = DECIDABLE;
    if let Head::Op(op) = terms.head(term) {
        match terms.op(op).theory {
            // Constant arrays, and operators on finitely many values.
            Theory::Arrays | Theory::BitVectors => allowed = allowed.union(Features::EXTENSION),
            // Conversions between numbers and floats round, which no solver decides for unknown numbers.
            Theory::FloatingPoint if mixes_numbers(terms, term) => return false,
            _ => {}
        }
    }
    !matches!(terms.head(term), Head::Opaque(_) | Head::Binder(_))
        && terms.sorts.is_known(terms.sort(term))
        && allowed.includes(Features::of_root(terms, term))
}

fn mixes_numbers(terms: &Terms, term: TermId) -> bool {
    let is_unknown = |term: TermId| {
        matches!(terms.sort(term), Sort::INT | Sort::REAL) && !is_number(terms, term)
    };
    is_unknown(term) || terms.args(term).iter().any(|arg| is_unknown(*arg))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Evidence, Relation, RelationKind, SeedStatus};
    use crate::oracle::tests::with_context;
    use crate::oracle::{Reply, SolverId};
    use auspex_logic::read_script;
    use std::sync::Arc;

    const LINEAR: &str = "(declare-const x Int)(assert (< (+ x (* 2 x)) 7))(check-sat)";

    fn verdicts(text: &str, evidence: &Evidence, reason: &str) -> Vec<Verdict> {
        let reason = reason.to_string();
        let solver = Arc::new(SolverId::new("a", "1.0"));
        let replies = [Reply::new(solver, Answer::Unknown { reason })];
        with_context(text, evidence, &replies, &[], |context| {
            Incompleteness.judge(context)
        })
    }

    fn seed(kind: RelationKind, status: SeedStatus) -> Evidence {
        Evidence::Relation(Relation {
            kind,
            sources: Vec::new(),
            status: Some(status),
        })
    }

    #[test]
    fn flags_giving_up_where_the_answer_is_known() {
        for evidence in [
            seed(RelationKind::Weaker, SeedStatus::ProvedSat),
            seed(RelationKind::Weaker, SeedStatus::SaidSat),
            seed(RelationKind::Stronger, SeedStatus::SaidUnsat),
        ] {
            let found = verdicts(LINEAR, &evidence, "(incomplete (theory arithmetic))");
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].class, Class::Incompleteness);
            assert_eq!(found[0].site, "(incomplete (theory arithmetic))");
        }
    }

    #[test]
    fn accepts_limits_and_open_questions() {
        let known = seed(RelationKind::Weaker, SeedStatus::ProvedSat);
        for reason in [
            "timeout",
            "canceled",
            "max. resource limit exceeded",
            "out of memory",
            "memout",
            "unsupported",
        ] {
            assert_eq!(verdicts(LINEAR, &known, reason), [], "{reason}");
        }
        let open = seed(RelationKind::Stronger, SeedStatus::ProvedSat);
        assert_eq!(verdicts(LINEAR, &open, "incomplete"), []);
        assert_eq!(verdicts(LINEAR, &Evidence::NoneKnown, "incomplete"), []);
    }

    fn decidable(text: &str) -> bool {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let query = script.queries().remove(0);
        is_decidable(&terms, &script, &query)
    }

    #[test]
    fn knows_what_can_be_decided() {
        for text in [
            LINEAR,
            "(declare-const a (Array Int Real))(assert (= a ((as const (Array Int Real)) 0.5)))(check-sat)",
            "(declare-sort U 0)(declare-fun f (U) U)(declare-const u U)(assert (= (f (f u)) u))(check-sat)",
            "(declare-const b (_ BitVec 8))(assert (= (bvmul b b) #x10))(check-sat)",
            "(declare-const f Float32)(assert (fp.isNaN (fp.mul RNE f f)))(check-sat)",
            "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)\
             (assert ((_ is cons) (tail l)))(check-sat)",
            "(declare-const x Int)(assert (= (div x 3) (mod x 2)))(check-sat)",
        ] {
            assert!(decidable(text), "{text}");
        }
    }

    #[test]
    fn leaves_what_cannot_be_decided_alone() {
        for text in [
            "(declare-const x Int)(assert (= (* x x) 2))(check-sat)",
            "(declare-const x Real)(assert (= (/ 1.0 x) 2.0))(check-sat)",
            "(declare-const x Int)(assert (exists ((y Int)) (= (+ y y) x)))(check-sat)",
            "(declare-const s String)(assert (= (str.len s) 2))(check-sat)",
            "(declare-const s (Seq Int))(assert (= (seq.len s) 2))(check-sat)",
            "(declare-const a (Array Int String))(assert (= a a))(check-sat)",
            "(declare-const r Real)(assert (fp.isNaN ((_ to_fp 8 24) RNE r)))(check-sat)",
            "(define-fun-rec f ((x Int)) Int (f x))(assert (= (f 1) 2))(check-sat)",
            "(declare-const x Int)(assert (unknown-predicate x))(check-sat)",
        ] {
            assert!(!decidable(text), "{text}");
        }
    }
}
