//! The profile of a case: its operators in the context of the operators around them, and its theories. It is a pure
//! function of the script, so that all workers agree on what is new.

use crate::stable::Stable;
use auspex_cases::features::Features;
use auspex_cases::logics;
use auspex_logic::sort::SortKind;
use auspex_logic::term::FunKind;
use auspex_logic::{Command, Head, Script, Sort, TermId, Terms, Theory, TheorySet};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// The profile of one script.
#[derive(Clone, Debug, Default)]
pub struct CaseProfile {
    /// One hash per operator, argument position and operator in that position; sorted and distinct.
    pub edges: Vec<u64>,
    pub theories: TheorySet,
    /// Whether it has floating-point or nonlinear operators, which take solvers longer.
    pub is_hard: bool,
    /// Rows of the operators in the table; sorted and distinct.
    pub operators: Vec<u32>,
    /// The logic that it sets.
    pub logic: Option<String>,
    /// What a logic must allow for it, declarations included.
    pub needs: Features,
    /// The widths of its floating-point formats; sorted and distinct.
    pub formats: Vec<(u32, u32)>,
    /// The commands and attributes that not every solver reads; sorted and distinct.
    pub words: Vec<String>,
}

/// Computes the profile of a script.
pub fn features(terms: &Terms, script: &Script) -> CaseProfile {
    let mut found = of_commands(terms, script);
    for term in subterms(terms, script) {
        note_theory(terms, term, &mut found.theories);
        found.needs = found.needs.union(Features::of_root(terms, term));
        note_format(terms, terms.sort(term), &mut found.formats);
        if let Head::Annotated(number) = terms.head(term) {
            let attributes = terms.annotation(number).attributes.iter();
            let names = attributes.map(|(name, _)| terms.symbols.name(*name).to_string());
            found.words.extend(names);
        }
        if let Head::Op(op) = terms.head(term) {
            found.operators.push(terms.op_row(op) as u32);
            found.is_hard |= terms.op(op).nonlinear;
        }
        let parent = label(terms, term);
        for (at, arg) in terms.args(term).iter().enumerate() {
            let edge = parent.number(at.min(3) as u64);
            let edge = edge.number(label(terms, *arg).finish());
            found.edges.push(edge.finish());
        }
    }
    found.edges.sort_unstable();
    found.edges.dedup();
    found.operators.sort_unstable();
    found.operators.dedup();
    found.formats.sort_unstable();
    found.formats.dedup();
    found.words.sort_unstable();
    found.words.dedup();
    found
}

/// What the commands of a script tell, without their terms.
fn of_commands(terms: &Terms, script: &Script) -> CaseProfile {
    let mut found = CaseProfile {
        logic: logics::of_script(script).map(|logic| terms.symbols.name(logic).to_string()),
        ..CaseProfile::default()
    };
    for command in &script.commands {
        found.needs = found.needs.union(logics::declared(terms, command));
        match command {
            Command::DeclareFun(fun) => {
                let fun = terms.fun(*fun);
                let sorts = fun.params.iter().chain([&fun.result]);
                sorts.for_each(|sort| note_format(terms, *sort, &mut found.formats));
            }
            Command::DeclareSort(..) => found.words.push("declare-sort".to_string()),
            Command::CheckSatAssuming(_) => found.words.push("check-sat-assuming".to_string()),
            Command::SetOption(name, _) => {
                found.words.push(terms.symbols.name(*name).to_string());
            }
            Command::Other(text) => {
                let text = terms.symbols.name(*text).trim_start_matches('(');
                let word = text.split([' ', ')', '\n']).next().unwrap_or("");
                found.words.push(word.to_string());
            }
            _ => {}
        }
    }
    found
}

/// Notes the floating-point formats that occur in a sort.
fn note_format(terms: &Terms, sort: Sort, formats: &mut Vec<(u32, u32)>) {
    if let SortKind::Float { eb, sb } = terms.sorts.kind(sort) {
        if formats.last() != Some(&(*eb, *sb)) {
            formats.push((*eb, *sb));
        }
        return;
    }
    if !matches!(terms.sorts.kind(sort), SortKind::Data(..)) {
        let parts = terms.sorts.parts(sort);
        parts
            .iter()
            .for_each(|part| note_format(terms, *part, formats));
    }
}

/// Every distinct subterm of a script.
pub fn subterms(terms: &Terms, script: &Script) -> Vec<TermId> {
    /// Initial capacity, which suffices for most scripts.
    const USUAL: usize = 200;
    let mut seen = FxHashSet::with_capacity_and_hasher(USUAL, FxBuildHasher);
    let mut order = Vec::with_capacity(USUAL);
    let mut stack = script.roots();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            order.push(term);
            stack.extend(terms.args(term));
        }
    }
    order
}

fn label(terms: &Terms, term: TermId) -> Stable {
    let start = Stable::default().text(sort_word(terms, terms.sort(term)));
    match terms.head(term) {
        Head::Op(op) => start.text(&terms.op(op).name),
        Head::Literal(_) => start.number(1),
        Head::Fun(fun) => match terms.fun(fun).kind {
            FunKind::Declared => start.number(2 + terms.args(term).len().min(1) as u64),
            FunKind::Defined => start.number(4),
            FunKind::Constructor(..) => start.number(5),
            FunKind::Selector(..) => start.number(6),
            FunKind::Tester(..) => start.number(7),
            FunKind::Updater(..) => start.number(8),
        },
        Head::Variable(_) => start.number(9),
        Head::Binder(number) => start.number(10 + terms.binder(number).kind as u64),
        Head::Match(_) => start.number(20),
        Head::Annotated(_) => start.number(21),
        Head::Apply => start.number(22),
        Head::Opaque(name) => start.text(terms.symbols.name(name)),
    }
}

/// The kind of a sort in one word.
pub fn sort_word(terms: &Terms, sort: Sort) -> &'static str {
    match terms.sorts.kind(sort) {
        SortKind::Unknown | SortKind::Opaque(_) => "?",
        SortKind::Bool => "Bool",
        SortKind::Int => "Int",
        SortKind::Real => "Real",
        SortKind::String => "String",
        SortKind::RegLan => "RegLan",
        SortKind::RoundingMode => "RoundingMode",
        SortKind::BitVec(_) => "BitVec",
        SortKind::Float { .. } => "FloatingPoint",
        SortKind::Array(..) => "Array",
        SortKind::Seq(_) => "Seq",
        SortKind::Set(_) => "Set",
        SortKind::Bag(_) => "Bag",
        SortKind::Tuple(_) => "Tuple",
        SortKind::Nullable(_) => "Nullable",
        SortKind::FiniteField(_) => "FiniteField",
        SortKind::Function(_) => "->",
        SortKind::Declared(..) => "Sort",
        SortKind::Data(..) => "Datatype",
        SortKind::Parameter(_) => "Parameter",
    }
}

fn note_theory(terms: &Terms, term: TermId, theories: &mut TheorySet) {
    if let Head::Op(op) = terms.head(term) {
        theories.insert(terms.op(op).theory);
    }
    let theory = match terms.sorts.kind(terms.sort(term)) {
        SortKind::Int => Theory::Ints,
        SortKind::Real => Theory::Reals,
        SortKind::String => Theory::Strings,
        SortKind::RegLan => Theory::Regex,
        SortKind::RoundingMode | SortKind::Float { .. } => Theory::FloatingPoint,
        SortKind::BitVec(_) => Theory::BitVectors,
        SortKind::Array(..) => Theory::Arrays,
        SortKind::Seq(_) => Theory::Sequences,
        SortKind::Set(_) => Theory::Sets,
        SortKind::Bag(_) => Theory::Bags,
        SortKind::FiniteField(_) => Theory::FiniteFields,
        SortKind::Data(..) | SortKind::Tuple(_) => Theory::Datatypes,
        _ => Theory::Core,
    };
    theories.insert(theory);
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    fn of(text: &str) -> CaseProfile {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).unwrap().script;
        features(&terms, &script)
    }

    #[test]
    fn names_and_constants_do_not_matter() {
        let a = of("(declare-const x Int)(assert (< (+ x 1) 2))");
        let b = of("(declare-const other Int)(assert (< (+ other 77) 5))");
        assert_eq!(a.edges, b.edges);
        assert!(!a.edges.is_empty());
    }

    #[test]
    fn operators_and_their_places_matter() {
        let a = of("(declare-const x Int)(assert (< (+ x 1) x))");
        let b = of("(declare-const x Int)(assert (< x (+ x 1)))");
        assert_ne!(a.edges, b.edges);
    }

    #[test]
    fn theories_come_from_operators_and_sorts() {
        let found = of("(declare-const s String)(declare-const b Bool)(assert (= b (= s \"\")))");
        assert_eq!(found.theories.names(), ["core", "strings"]);
        assert!(TheorySet::of(&[Theory::Core, Theory::Strings]).includes(found.theories));
        assert!(!TheorySet::one(Theory::Core).includes(found.theories));
    }
}
