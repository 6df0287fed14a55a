//! Reads z3's proofs, which are terms: the last argument of a rule is its conclusion, the ones before are proofs.
//!
//! ```text
//! (proof (let ((@x1 (asserted (> b 0)))) (mp @x1 (rewrite (= (> b 0) (not (<= b 0)))) (not (<= b 0)))))
//! ((_ th-lemma arith farkas 1 1) @x1 @x2 false)
//! (lemma @x7 (or (not p) q))     @x7 derives false from the hypotheses p and (not q)
//! ```

use super::draft::{How, Proof, Readable, Step};
use auspex_logic::render::post_order;
use auspex_logic::{Command, Head, TermId, Terms, read_script};
use auspex_syntax::Sexpr;
use std::collections::{HashMap, HashSet};

/// The names of rules; those with parameters stand in `(_ name …)`.
const RULES: [&str; 38] = [
    "and-elim",
    "apply-def",
    "asserted",
    "commutativity",
    "def-axiom",
    "def-intro",
    "der",
    "distributivity",
    "elim-unused",
    "goal",
    "hypothesis",
    "iff-false",
    "iff-true",
    "iff~",
    "intro-def",
    "lemma",
    "monotonicity",
    "mp",
    "mp~",
    "nnf-neg",
    "nnf-pos",
    "not-or-elim",
    "proof-bind",
    "pull-quant",
    "push-quant",
    "quant-inst",
    "quant-intro",
    "refl",
    "rewrite",
    "rewrite*",
    "sk",
    "symm",
    "th-lemma",
    "trans",
    "trans*",
    "true-axiom",
    "unit-resolution",
    "bind",
];

/// The longest list of hypotheses of one lemma.
const MOST_HYPOTHESES: usize = 500;

/// Reads a proof after declarations and assertions.
pub fn read(
    terms: &mut Terms,
    declarations: &str,
    assertions: &[String],
    commands: &[Sexpr<'_>],
) -> Result<Proof, String> {
    let mut text = declarations.to_string();
    let mut proof = None;
    for item in commands {
        match item.head() {
            Some("declare-fun" | "declare-sort" | "declare-datatypes") => {
                text.push_str(item.text());
                text.push('\n');
            }
            Some("proof") => proof = item.item(1),
            _ => {}
        }
    }
    let proof = proof.ok_or("the reply has no proof")?;
    for assertion in assertions {
        text.push_str(&format!("(assert {assertion})\n"));
    }
    text.push_str(&format!("(assert {})", proof.portable_text()));
    let reading = read_script(terms, &text).map_err(|error| error.message().to_string())?;
    let mut script = reading.script;
    script.spans.clear();
    let Some(Command::Assert(root)) = script.commands.pop() else {
        return Err("the proof cannot be read".to_string());
    };
    let mut readable = Readable::default();
    let input = script.assertions().map(|a| readable.formula(terms, a.term));
    let input = input.collect();
    let steps = steps(terms, &mut readable, root.term);
    Ok(Proof {
        script,
        input,
        steps,
    })
}

/// The rule of a node of the proof.
fn rule(terms: &Terms, node: TermId) -> Option<&str> {
    let Head::Opaque(symbol) = terms.head(node) else {
        return None;
    };
    let name = terms.symbols.name(symbol);
    let name = match name.strip_prefix("(_ ") {
        Some(rest) => rest.split([' ', ')']).next().unwrap_or(rest),
        None => name,
    };
    RULES.contains(&name).then_some(name)
}

fn steps(terms: &mut Terms, readable: &mut Readable, root: TermId) -> Vec<Step> {
    let mut places: HashMap<TermId, usize> = HashMap::new();
    let mut steps: Vec<Step> = Vec::new();
    for node in post_order(terms, root) {
        let Some(rule) = rule(terms, node).map(str::to_string) else {
            continue;
        };
        let args = terms.args(node).to_vec();
        let Some((conclusion, before)) = args.split_last() else {
            continue;
        };
        if rule == "proof-bind" || !terms.is_closed(node) {
            continue;
        }
        let how = match &*rule {
            "asserted" | "goal" => How::Assertion,
            "hypothesis" => How::Assumption,
            "sk" | "intro-def" | "apply-def" | "def-intro" => How::Context,
            _ => How::Derived,
        };
        let extra = match &*rule {
            "lemma" => vec![refuted(terms, &before[0])],
            _ => Vec::new(),
        };
        let read = readable.formula(terms, *conclusion);
        let premises = before.iter().filter_map(|arg| places.get(arg).copied());
        let premises: Vec<usize> = premises.collect();
        places.insert(node, steps.len());
        steps.push(Step {
            id: format!("{}", steps.len() + 1),
            rule,
            how,
            conclusion: read,
            unread: read
                .is_none()
                .then(|| "a term that cannot be read".to_string()),
            extra,
            premises,
        });
    }
    steps
}

/// That the hypotheses below a proof of `false` exclude each other.
fn refuted(terms: &mut Terms, proof: &TermId) -> Option<TermId> {
    let mut waiting = vec![*proof];
    let mut seen = HashSet::new();
    let mut hypotheses = Vec::new();
    while let Some(node) = waiting.pop() {
        if !seen.insert(node) {
            continue;
        }
        let found = rule(terms, node);
        let (is_hypothesis, is_closed) = (found == Some("hypothesis"), found == Some("lemma"));
        let is_rule = found.is_some();
        match terms.args(node) {
            [.., conclusion] if is_hypothesis => hypotheses.push(*conclusion),
            args if is_rule && !is_closed => waiting.extend(args),
            _ => {}
        }
        if hypotheses.len() > MOST_HYPOTHESES {
            return None;
        }
    }
    let all = match &hypotheses[..] {
        [] => return Some(terms.bool(false)),
        [only] => *only,
        many => terms.app("and", many).ok()?,
    };
    let excluded = terms.app("not", &[all]).ok()?;
    Readable::default().formula(terms, excluded)
}
