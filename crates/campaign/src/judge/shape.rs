//! The shape of a script or a term: operators and sorts without names and constants. Two scripts of one shape very
//! likely show the same bug.

use crate::team::case_profile::{sort_word, subterms};
use auspex_logic::render::post_order;
use auspex_logic::{Head, Script, TermId, Terms, Theory};
use auspex_syntax::{Document, Kind, Sexpr};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The longest shape; larger ones are truncated.
const LIMIT: usize = 4000;

/// The distinct operators of a script, sorted: the shape of a script that is not reduced yet.
pub fn operators(terms: &Terms, script: &Script) -> Vec<String> {
    let mut names = BTreeSet::new();
    for term in subterms(terms, script) {
        match terms.head(term) {
            Head::Op(op) => names.insert(terms.op(op).name.to_string()),
            Head::Binder(_) => names.insert("binder".to_string()),
            Head::Match(_) => names.insert("match".to_string()),
            Head::Opaque(name) => names.insert(terms.symbols.name(name).to_string()),
            _ => false,
        };
    }
    names.into_iter().collect()
}

/// The operators of a script that belong to other theories than the core, each with its number of arguments: `to_fp`
/// of two and of three arguments are different. The notation of constants, as in `(- 1)`, does not count.
pub fn special_operators(terms: &Terms, script: &Script) -> Vec<String> {
    let (mut varying, mut all) = (FxHashSet::default(), Vec::new());
    for root in script.roots() {
        all.extend(post_order(terms, root));
    }
    for term in &all {
        let args = terms.args(*term).iter();
        let is_name = matches!(terms.head(*term), Head::Fun(_) | Head::Variable(_));
        if is_name || args.clone().any(|arg| varying.contains(arg)) {
            varying.insert(*term);
        }
    }
    let named = |keep: &dyn Fn(&&TermId) -> bool| -> Vec<String> {
        let names = all.iter().filter(keep);
        let names: BTreeSet<String> = names.filter_map(|t| special(terms, *t)).collect();
        names.into_iter().collect()
    };
    let names = named(&|term| varying.contains(*term));
    match names.is_empty() {
        true => named(&|_| true),
        false => names,
    }
}

fn special(terms: &Terms, term: TermId) -> Option<String> {
    let (table, count) = (terms.table(), terms.args(term).len());
    let name = match terms.head(term) {
        Head::Op(op) => terms.op(op).name.to_string(),
        Head::Binder(_) => return Some("binder".to_string()),
        Head::Match(_) => return Some("match".to_string()),
        Head::Opaque(name) => terms.symbols.name(name).to_string(),
        _ => return None,
    };
    let mut rows = table.named(&name).iter();
    let is_core = rows.any(|row| table.rows()[*row as usize].theory == Theory::Core);
    (!is_core).then(|| format!("{name} {count}"))
}

/// The assertions with every name and constant replaced by its sort: the shape of a reduced script.
pub fn shape(terms: &Terms, script: &Script) -> String {
    let mut budget = LIMIT;
    let assertions = script.assertions();
    let mut shapes: Vec<String> = assertions
        .map(|assertion| term_shape(terms, assertion.term, &mut budget))
        .collect();
    shapes.sort_unstable();
    shapes.join("\n")
}

fn term_shape(terms: &Terms, term: TermId, budget: &mut usize) -> String {
    *budget = budget.saturating_sub(4);
    if *budget == 0 {
        return "…".to_string();
    }
    let word = sort_word(terms, terms.sort(term));
    let (name, commutative) = match terms.head(term) {
        Head::Op(op) => (terms.op(op).name.to_string(), terms.op(op).commutative),
        Head::Literal(_) => return format!("c:{word}"),
        Head::Fun(_) if terms.args(term).is_empty() => return format!("x:{word}"),
        Head::Variable(_) => return format!("v:{word}"),
        Head::Fun(_) => (format!("f:{word}"), false),
        Head::Binder(number) => (format!("{:?}", terms.binder(number).kind), false),
        Head::Match(_) => ("match".to_string(), false),
        Head::Annotated(_) => return term_shape(terms, terms.args(term)[0], budget),
        Head::Apply => ("@".to_string(), false),
        Head::Opaque(name) => (terms.symbols.name(name).to_string(), false),
    };
    let args = terms.args(term).iter();
    let mut args: Vec<String> = args.map(|arg| term_shape(terms, *arg, budget)).collect();
    if commutative {
        args.sort_unstable();
    }
    match args.is_empty() {
        true => name,
        false => format!("({name} {})", args.join(" ")),
    }
}

/// The shape of a term given as text, such as the part of an assertion that a model makes false.
pub fn text_shape(terms: &Terms, text: &str) -> String {
    let Ok(document) = Document::read(text) else {
        return text.chars().take(80).collect();
    };
    let mut out = String::new();
    for item in document.items() {
        sexpr_shape(terms, item, &mut out);
    }
    out
}

fn sexpr_shape(terms: &Terms, item: Sexpr<'_>, out: &mut String) {
    if out.len() >= LIMIT {
        return;
    }
    if item.is_list() {
        out.push('(');
        for inner in item.items() {
            sexpr_shape(terms, inner, out);
        }
        out.push(')');
        return;
    }
    let known = item.symbol().filter(|name| {
        let symbol = terms.symbols.find(name);
        symbol.is_some_and(|symbol| !terms.rows_named(symbol).is_empty())
    });
    match (known, item.kind()) {
        (Some(name), _) => out.push_str(name),
        (None, Kind::Symbol | Kind::QuotedSymbol) => out.push('x'),
        (None, _) => out.push('c'),
    }
    out.push(' ');
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    fn of(text: &str) -> String {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).unwrap().script;
        shape(&terms, &script)
    }

    #[test]
    fn names_constants_and_order_go() {
        let a = of("(declare-const x Int)(assert (< x 1))(assert (= x (+ x 3)))");
        let b = of("(declare-const y Int)(assert (= (+ 9 y) y))(assert (< y 0))");
        assert_eq!(a, b);
        assert!(a.contains("(< x:Int c:Int)"), "{a}");
    }

    #[test]
    fn operators_and_sorts_stay() {
        let a = of("(declare-const x Int)(assert (< x 1))");
        assert_ne!(a, of("(declare-const x Real)(assert (< x 1.0))"));
        assert_ne!(a, of("(declare-const x Int)(assert (<= x 1))"));
    }

    fn special(text: &str) -> Vec<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).unwrap().script;
        special_operators(&terms, &script)
    }

    #[test]
    fn how_constants_are_written_is_no_operator() {
        let x = "(declare-const x Real)";
        let a = special(&format!(
            "{x}(assert (= ((_ to_fp 2 3) RNE x) (_ +zero 2 3)))"
        ));
        let b = special(&format!(
            "{x}(assert (= ((_ to_fp 2 3) RNE (- 1) x) (_ +zero 2 3)))"
        ));
        assert_eq!(
            (a, b),
            (vec!["to_fp 2".to_string()], vec!["to_fp 3".to_string()])
        );
        assert_eq!(special("(assert (= (str.len \"\") 1))"), ["str.len 1"]);
    }

    #[test]
    fn deep_and_wide_terms_are_cut() {
        let deep = format!("(assert {}true{})", "(not ".repeat(9000), ")".repeat(9000));
        assert!(of(&deep).len() < 60_000);
    }

    #[test]
    fn a_text_keeps_its_operators() {
        let terms = Terms::new();
        let shape = text_shape(&terms, "(= (str.len |a b|) 5)");
        assert_eq!(shape, text_shape(&terms, "(= (str.len q) 7)"));
        assert_ne!(shape, text_shape(&terms, "(= (str.to_int q) 7)"));
    }
}
