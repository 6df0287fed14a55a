//! The trace of an evaluation: why a term has its value under a model. It follows the arguments that decide, which the
//! meaning of an operator shows: a false argument decides an `and`, the condition and one branch an `ite`.
//!
//! ```text
//! (assert (or (= (div_total 0 x) 1) p))     x = 0, p = false
//!     (div_total 0 x) = 0
//!     (= 0 1) = false
//!     (or false p) = false
//! ```

use super::Model;
use crate::eval::{Evaluator, Outcome};
use crate::render::{self, Sharing};
use crate::term::{Head, TermId, Terms};
use crate::theory::{Meaning, Theory};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A longer trace is cut.
const MOST_STEPS: usize = 2_000;
/// The longest text of a value that stands for an argument.
const LONGEST_VALUE: usize = 40;
/// A line with more characters leaves out what does not decide.
const WIDE: usize = 90;
/// The longest text of a line.
const LONGEST_LINE: usize = 160;

/// Why a term has its value, bottom-up, in few lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The symbols that decide, with their values.
    pub symbols: Vec<(String, String)>,
    /// The last one is about the whole term.
    pub lines: Vec<Line>,
    /// How many steps are left out.
    pub left_out: usize,
    /// The rows of the operators outside the core on the shown path, the one nearest to the result first.
    pub operators: Vec<usize>,
}

/// One step: an application to values, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The term, with values instead of compound arguments.
    pub term: String,
    pub value: String,
    /// The values of the bound variables that decide a quantifier.
    pub instance: Vec<(String, String)>,
}

/// A term with the values of all its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The operator or the whole leaf.
    pub head: String,
    pub value: String,
    /// Whether its value decides that of the whole term.
    pub decides: bool,
    pub parts: Vec<Tree>,
    /// Whether parts are left out.
    pub is_cut: bool,
}

struct Step {
    term: TermId,
    outcome: Outcome,
    /// The steps of the arguments that decide.
    parts: Vec<usize>,
    instance: Vec<(TermId, Value)>,
}

impl Line {
    /// `(= 0 1) = false`, `(forall ((x Int)) (> x 0)) = false at x = 0`.
    pub fn text(&self) -> String {
        let at: Vec<String> = self
            .instance
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let at = match at.is_empty() {
            true => String::new(),
            false => format!(" at {}", at.join(", ")),
        };
        format!("{} = {}{at}", self.term, self.value)
    }
}

impl Explanation {
    /// The lines as text, the values of symbols first.
    pub fn text(&self) -> Vec<String> {
        let symbols: Vec<String> = self
            .symbols
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let mut lines: Vec<String> = Vec::new();
        if !symbols.is_empty() {
            lines.push(symbols.join(", "));
        }
        lines.extend(self.lines.iter().map(Line::text));
        lines
    }
}

/// Explains the value of a closed term in at most so many lines, besides the values of symbols.
pub fn explanation(terms: &mut Terms, model: &Model, root: TermId, most: usize) -> Explanation {
    let steps = steps(terms, model, root);
    let Some(last) = steps.len().checked_sub(1) else {
        return Explanation::default();
    };
    let compound: Vec<bool> = steps.iter().map(|step| is_compound(terms, step)).collect();
    let total = compound.iter().filter(|is| **is).count();
    let kept = match total <= most {
        true => (0..steps.len()).filter(|at| compound[*at]).collect(),
        false => nearest(terms, &steps, &compound, most),
    };
    let mut explanation = Explanation {
        left_out: total.saturating_sub(kept.len()),
        ..Explanation::default()
    };
    for at in &kept {
        let line = line(terms, &steps, *at);
        explanation.lines.push(line);
    }
    if kept.is_empty() {
        let line = line(terms, &steps, last);
        explanation.lines.push(line);
    }
    explanation.symbols = symbols(terms, &steps, &kept);
    explanation.operators = operators(terms, &steps, &kept);
    explanation
}

/// The steps that decide the value of a term, bottom-up.
fn steps(terms: &Terms, model: &Model, root: TermId) -> Vec<Step> {
    let mut evaluator = Evaluator::new(terms, model).recording();
    let _ = evaluator.value(root);
    let mut steps: Vec<Step> = Vec::new();
    let mut place: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut stack = vec![(plain(terms, root), false)];
    while let Some((term, ready)) = stack.pop() {
        if place.contains_key(&term) {
            continue;
        }
        let args = deciding(terms, &mut evaluator, term);
        let args: Vec<TermId> = args.into_iter().map(|arg| plain(terms, arg)).collect();
        if !ready && steps.len() + stack.len() < MOST_STEPS {
            stack.push((term, true));
            stack.extend(args.iter().rev().map(|arg| (*arg, false)));
            continue;
        }
        let step = Step {
            term,
            outcome: evaluator.value(term),
            parts: args
                .iter()
                .filter_map(|arg| place.get(arg).copied())
                .collect(),
            instance: instance(terms, &evaluator, term),
        };
        place.insert(term, steps.len());
        steps.push(step);
    }
    steps
}

/// A term without annotations.
fn plain(terms: &Terms, mut term: TermId) -> TermId {
    while let (Head::Annotated(_), Some(inner)) = (terms.head(term), terms.args(term).first()) {
        term = *inner;
    }
    term
}

/// The arguments that decide the value of an application: as few as suffice for a lazy operator, else all.
fn deciding(terms: &Terms, evaluator: &mut Evaluator<'_>, term: TermId) -> Vec<TermId> {
    let args: Vec<TermId> = match terms.head(term) {
        Head::Binder(_) | Head::Literal(_) => Vec::new(),
        _ => {
            let closed = terms.args(term).iter().filter(|arg| terms.is_closed(**arg));
            closed.copied().collect()
        }
    };
    let meaning = match terms.head(term) {
        Head::Op(op) => terms.op(op).meaning,
        _ => return args,
    };
    let (Meaning::Lazy(meaning), Ok(wanted)) = (meaning, evaluator.value(term)) else {
        return args;
    };
    let known: Vec<Option<Value>> = args.iter().map(|arg| evaluator.value(*arg).ok()).collect();
    let suffices = |kept: &[bool]| {
        let given = known.iter().zip(kept);
        let given: Vec<Option<Value>> = given
            .map(|(value, kept)| value.clone().filter(|_| *kept))
            .collect();
        meaning(&given).as_ref() == Some(&wanted)
    };
    let mut kept = vec![true; args.len()];
    // Later arguments go first, so that of several that suffice the first stays.
    for at in (0..args.len()).rev() {
        kept[at] = false;
        kept[at] = !suffices(&kept);
    }
    let chosen = args.iter().zip(&kept).filter(|(_, kept)| **kept);
    chosen.map(|(arg, _)| *arg).collect()
}

fn instance(terms: &Terms, evaluator: &Evaluator<'_>, term: TermId) -> Vec<(TermId, Value)> {
    let Head::Binder(number) = terms.head(term) else {
        return Vec::new();
    };
    let variables = terms.binder(number).variables.iter().copied();
    let values = evaluator.instance(term).unwrap_or_default();
    variables.zip(values.iter().cloned()).collect()
}

/// Whether a step is worth a line: neither a symbol nor another way to write its own value.
fn is_compound(terms: &mut Terms, step: &Step) -> bool {
    let is_leaf = terms.args(step.term).is_empty();
    !is_leaf && !is_value(terms, step)
}

fn is_value(terms: &mut Terms, step: &Step) -> bool {
    let sort = terms.sort(step.term);
    match &step.outcome {
        Ok(value) => terms.value_term(value, sort) == Some(step.term),
        Err(_) => false,
    }
}

/// The whole term, and the steps nearest to the part where more than one argument decides.
fn nearest(terms: &Terms, steps: &[Step], compound: &[bool], most: usize) -> Vec<usize> {
    let last = steps.len() - 1;
    let mut site = last;
    while let [only] = steps[site].parts.as_slice()
        && matches!(steps[*only].outcome, Ok(Value::Bool(_)))
        && !terms.args(steps[*only].term).is_empty()
    {
        site = *only;
    }
    let mut kept = vec![last];
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut open = VecDeque::from([site]);
    while let Some(at) = open.pop_front() {
        if kept.len() >= most {
            break;
        }
        if !seen.insert(at) {
            continue;
        }
        if compound[at] && at != last {
            kept.push(at);
        }
        open.extend(steps[at].parts.iter().copied());
    }
    kept.sort_unstable();
    kept
}

fn line(terms: &mut Terms, steps: &[Step], at: usize) -> Line {
    let step = &steps[at];
    let written = with_values(terms, steps, step);
    let term = short(render::term(terms, written, Sharing::Auto), LONGEST_LINE);
    let instance = step.instance.clone();
    let instance = instance.into_iter().map(|(variable, value)| {
        let sort = terms.sort(variable);
        let name = render::term(terms, variable, Sharing::Auto);
        (name, terms.value_text(&value, sort))
    });
    Line {
        instance: instance.collect(),
        value: outcome_text(terms, step.term, &step.outcome),
        term,
    }
}

/// A term whose compound arguments are replaced by their values, where these are short, and those that do not decide
/// by `_` if it is long.
fn with_values(terms: &mut Terms, steps: &[Step], step: &Step) -> TermId {
    let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
    for part in &step.parts {
        let part = &steps[*part];
        let sort = terms.sort(part.term);
        if let (Ok(value), false) = (&part.outcome, terms.args(part.term).is_empty())
            && let Some(value) = terms.value_term(value, sort)
            && render::term(terms, value, Sharing::Auto).chars().count() <= LONGEST_VALUE
        {
            map.insert(part.term, value);
        }
    }
    let written = replaced(terms, step.term, &map);
    if render::term(terms, written, Sharing::Auto).chars().count() <= WIDE {
        return written;
    }
    // What does not decide need not be read.
    let decides: Vec<TermId> = step.parts.iter().map(|part| steps[*part].term).collect();
    for arg in terms.args(step.term).to_vec() {
        let arg = plain(terms, arg);
        if !decides.contains(&arg) && !terms.args(arg).is_empty() {
            let sort = terms.sort(arg);
            map.insert(arg, terms.opaque("_", &[], sort));
        }
    }
    replaced(terms, step.term, &map)
}

/// The application with other arguments, where they fit.
fn replaced(terms: &mut Terms, term: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
    let args: Vec<TermId> = terms.args(term).to_vec();
    let args: Vec<TermId> = args
        .iter()
        .map(|arg| map.get(&plain(terms, *arg)).copied().unwrap_or(*arg))
        .collect();
    terms.with_args(term, &args).unwrap_or(term)
}

fn outcome_text(terms: &mut Terms, term: TermId, outcome: &Outcome) -> String {
    let sort = terms.sort(term);
    match outcome {
        Ok(value) => short(terms.value_text(value, sort), LONGEST_LINE),
        Err(_) => "undetermined".to_string(),
    }
}

fn short(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The symbols on which the kept steps rest directly.
fn symbols(terms: &mut Terms, steps: &[Step], kept: &[usize]) -> Vec<(String, String)> {
    let last = steps.len() - 1;
    let own = |at: &usize| steps[*at].parts.clone();
    let mut places: Vec<usize> = kept.iter().flat_map(own).collect();
    if kept.is_empty() {
        places.push(last);
    }
    places.sort_unstable();
    places.dedup();
    let mut symbols = Vec::new();
    for at in places {
        let term = steps[at].term;
        let is_symbol = matches!(terms.head(term), Head::Fun(_)) && terms.args(term).is_empty();
        if is_symbol && !is_value(terms, &steps[at]) {
            let name = render::term(terms, term, Sharing::Auto);
            symbols.push((name, outcome_text(terms, term, &steps[at].outcome)));
        }
    }
    symbols
}

fn operators(terms: &Terms, steps: &[Step], kept: &[usize]) -> Vec<usize> {
    let mut rows: Vec<usize> = Vec::new();
    for at in kept.iter().rev() {
        if let Head::Op(op) = terms.head(steps[*at].term)
            && terms.op(op).theory != Theory::Core
            && !rows.contains(&terms.op_row(op))
        {
            rows.push(terms.op_row(op));
        }
    }
    rows
}

/// The term with the value of every part, at most so many nodes.
pub fn tree(terms: &mut Terms, model: &Model, root: TermId, most: usize) -> Tree {
    let mut known: FxHashMap<TermId, (Outcome, Vec<TermId>)> = FxHashMap::default();
    {
        let mut evaluator = Evaluator::new(terms, model);
        let mut open = VecDeque::from([root]);
        while let Some(term) = open.pop_front() {
            if known.len() >= most || known.contains_key(&term) {
                continue;
            }
            let decide = deciding(terms, &mut evaluator, term);
            known.insert(term, (evaluator.value(term), decide));
            open.extend(closed_args(terms, term));
        }
    }
    let mut left = most;
    branch(terms, &known, (root, true), &mut left)
}

fn closed_args(terms: &Terms, term: TermId) -> Vec<TermId> {
    let args = terms.args(term).iter().copied();
    args.filter(|arg| terms.is_closed(*arg)).collect()
}

/// The deepest tree.
const DEEPEST: usize = 60;

fn branch(
    terms: &mut Terms,
    known: &FxHashMap<TermId, (Outcome, Vec<TermId>)>,
    (term, decides): (TermId, bool),
    left: &mut usize,
) -> Tree {
    branch_at(terms, known, (term, decides), (left, DEEPEST))
}

fn branch_at(
    terms: &mut Terms,
    known: &FxHashMap<TermId, (Outcome, Vec<TermId>)>,
    (term, decides): (TermId, bool),
    (left, depth): (&mut usize, usize),
) -> Tree {
    *left = left.saturating_sub(1);
    let (value, deciding) = match known.get(&term) {
        Some((outcome, deciding)) => (outcome_text(terms, term, outcome), deciding.clone()),
        None => (String::new(), Vec::new()),
    };
    let args = closed_args(terms, term);
    let text = render::term(terms, term, Sharing::Auto);
    let is_short = args.is_empty() || text == value;
    let mut tree = Tree {
        head: if is_short {
            short(text, LONGEST_LINE)
        } else {
            head(terms, term)
        },
        value,
        decides,
        parts: Vec::new(),
        is_cut: false,
    };
    if is_short {
        return tree;
    }
    for arg in args {
        if *left == 0 || depth == 0 || !known.contains_key(&arg) {
            tree.is_cut = true;
            break;
        }
        let arg_decides = decides && deciding.contains(&arg);
        let part = branch_at(terms, known, (arg, arg_decides), (left, depth - 1));
        tree.parts.push(part);
    }
    tree
}

/// The head of an application: `(bvadd …)` as `bvadd`, `((_ extract 1 0) x)` as `(_ extract 1 0)`.
fn head(terms: &Terms, term: TermId) -> String {
    let text = render::term(terms, term, Sharing::Auto);
    let inner = text.strip_prefix('(').unwrap_or(&text);
    let mut depth = 0;
    let mut in_bars = false;
    let end = inner.find(|c: char| {
        match c {
            '|' => in_bars = !in_bars,
            '(' if !in_bars => depth += 1,
            ')' if !in_bars => depth -= 1,
            _ => {}
        }
        c.is_whitespace() && depth == 0 && !in_bars
    });
    short(
        inner[..end.unwrap_or(inner.len())].to_string(),
        LONGEST_VALUE,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::read_model;
    use crate::read_script;

    fn with<T>(script: &str, model: &str, look: impl FnOnce(&mut Terms, &Model, TermId) -> T) -> T {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, script).expect("well-formed").script;
        let model = read_model(&mut terms, &script, model).expect("a model");
        let root = script.assertions().next().expect("an assertion").term;
        look(&mut terms, &model, root)
    }

    fn lines(script: &str, model: &str) -> Vec<String> {
        with(script, model, |terms, model, root| {
            explanation(terms, model, root, 5).text()
        })
    }

    #[test]
    fn a_false_assertion_is_evaluated_bottom_up() {
        let script = "(declare-const x Int)(assert (xor (= (div_total 0 x) 0) true))";
        assert_eq!(
            lines(script, "((define-fun x () Int 0))"),
            [
                "x = 0",
                "(div_total 0 x) = 0",
                "(= 0 0) = true",
                "(xor true true) = false"
            ]
        );
    }

    #[test]
    fn only_what_decides_is_told() {
        let script = "(declare-const x Int)(declare-const y Int)
            (assert (and (< y 1) (ite (> x 0) (= x 2) (= y 3)) (< (+ y y) 7)))";
        let model = "((define-fun x () Int 1)(define-fun y () Int 0))";
        assert_eq!(
            lines(script, model),
            [
                "x = 1",
                "(> x 0) = true",
                "(= x 2) = false",
                "(ite true false (= y 3)) = false",
                "(and (< y 1) false (< (+ y y) 7)) = false"
            ]
        );
    }

    #[test]
    fn a_quantifier_shows_the_values_that_decide_it() {
        let script = "(declare-const x Int)(assert (forall ((y Int)) (> (* y y) x)))";
        let told = lines(script, "((define-fun x () Int 0))");
        assert_eq!(told, ["(forall ((y Int)) (> (* y y) x)) = false at y = 0"]);
    }

    #[test]
    fn a_long_path_is_cut_to_what_is_nearest_to_the_false_part() {
        let sum = (0..40).fold("x".to_string(), |sum, n| format!("(+ (* {sum} 1) {n})"));
        let script = format!("(declare-const x Int)(assert (not (not (= {sum} 1))))");
        with(
            &script,
            "((define-fun x () Int 0))",
            |terms, model, root| {
                let told = explanation(terms, model, root, 5);
                assert_eq!(told.lines.len(), 5);
                assert!(told.left_out > 70, "{}", told.left_out);
                let text = told.text();
                assert_eq!(text.last().map(String::as_str), Some("(not true) = false"));
                assert!(text.contains(&"(= 780 1) = false".to_string()), "{text:?}");
                let rows = terms.table().rows();
                let names: Vec<&str> = told.operators.iter().map(|row| &*rows[*row].name).collect();
                assert_eq!(names, ["+", "*"]);
            },
        );
    }

    #[test]
    fn a_tree_has_every_value_and_marks_the_path_that_decides() {
        let script =
            "(declare-const x (_ BitVec 4))(assert (or (= ((_ extract 1 0) x) #b01) (= x #x2)))";
        with(
            script,
            "((define-fun x () (_ BitVec 4) #x3))",
            |terms, model, root| {
                let all = tree(terms, model, root, 100);
                assert_eq!((all.head.as_str(), all.value.as_str()), ("or", "false"));
                let equation = &all.parts[0];
                assert_eq!(equation.parts[0].head, "(_ extract 1 0)");
                assert_eq!(equation.parts[0].value, "#b11");
                assert!(equation.decides && equation.parts[0].parts[0].decides);
                assert!(
                    tree(terms, model, root, 3).is_cut
                        || tree(terms, model, root, 3).parts.iter().any(|p| p.is_cut)
                );
            },
        );
        let script = "(declare-const p Bool)(assert (and p (not p)))";
        with(
            script,
            "((define-fun p () Bool true))",
            |terms, model, root| {
                let all = tree(terms, model, root, 100);
                assert!(!all.parts[0].decides && all.parts[1].decides);
            },
        );
    }

    #[test]
    fn deep_terms_do_not_exhaust_the_stack() {
        let deep = format!(
            "(declare-const p Bool)(assert {}p{})",
            "(not ".repeat(9001),
            ")".repeat(9001)
        );
        with(
            &deep,
            "((define-fun p () Bool true))",
            |terms, model, root| {
                assert!(explanation(terms, model, root, 5).lines.len() <= 5);
                assert!(tree(terms, model, root, 200).parts.len() == 1);
            },
        );
    }
}
