//! Chooses the logic that a mutant declares: its seed's if that suffices, else the smallest one with the features it
//! uses.

use crate::features::{Features, of_logic, widened};
use auspex_logic::{Command, Fun, Script, Symbol, TermId, Terms};
use rustc_hash::FxHashSet;

/// Common logics, small ones first. Scripts that fit none of them use `ALL`.
pub const LOGICS: &[&str] = &[
    "QF_UF",
    "QF_BV",
    "QF_LIA",
    "QF_LRA",
    "QF_FP",
    "QF_AX",
    "QF_DT",
    "QF_UFBV",
    "QF_ABV",
    "QF_BVFP",
    "QF_UFLIA",
    "QF_UFLRA",
    "QF_NIA",
    "QF_NRA",
    "QF_ALIA",
    "QF_UFDT",
    "QF_LIRA",
    "QF_UFFP",
    "QF_AUFBV",
    "QF_UFNIA",
    "QF_UFNRA",
    "QF_AUFLIA",
    "QF_SLIA",
    "QF_UFDTLIA",
    "QF_ABVFP",
    "QF_FPLRA",
    "QF_BVFPLRA",
    "QF_UFLIRA",
    "QF_NIRA",
    "QF_ANIA",
    "QF_AUFNIA",
    "QF_SNIA",
    "QF_AUFBVFP",
    "QF_ABVFPLRA",
    "QF_AUFLIRA",
    "QF_UFNIRA",
    "QF_UFBVLIA",
    "QF_UFBVDT",
    "QF_AUFBVLIA",
    "QF_AUFNIRA",
    "QF_UFDTLIRA",
    "QF_UFDTNIA",
    "QF_AUFBVNIA",
    "QF_AUFDTLIA",
    "QF_AUFDTNIRA",
    "LIA",
    "LRA",
    "BV",
    "FP",
    "UF",
    "NIA",
    "NRA",
    "UFBV",
    "ABV",
    "UFLIA",
    "UFLRA",
    "UFDT",
    "ALIA",
    "BVFP",
    "UFNIA",
    "UFNRA",
    "AUFBV",
    "AUFLIA",
    "UFDTLIA",
    "AUFLIRA",
    "UFNIRA",
    "AUFNIA",
    "UFDTNIA",
    "AUFNIRA",
    "UFDTLIRA",
    "UFDTNIRA",
    "AUFDTLIA",
    "AUFDTLIRA",
    "AUFDTNIRA",
];

/// The logic that a script declares.
pub fn of_script(script: &Script) -> Option<Symbol> {
    script.commands.iter().find_map(|command| match command {
        Command::SetLogic(logic) => Some(*logic),
        _ => None,
    })
}

/// The features that new terms may have so that a mutant keeps its seed's logic: all if that is unknown or missing.
pub fn room(terms: &Terms, seed: &Script) -> Features {
    let own = of_script(seed).map(|logic| widened(terms.symbols.name(logic)));
    let allowed = own.and_then(|name| of_logic(&name));
    allowed.map_or(Features::ALL, |allowed| {
        // If a seed has one operator outside of its logic, solvers need not support others there.
        allowed.union(used(terms, &seed.commands).without(Features::EXTENSION))
    })
}

/// The logic for the commands of a mutant; `ALL` if its seed declares none.
pub fn fitting(terms: &Terms, seed: &Script, commands: &[Command]) -> String {
    let Some(own) = of_script(seed) else {
        return "ALL".to_string();
    };
    let used = used(terms, commands);
    let own = widened(terms.symbols.name(own));
    if of_logic(&own).is_some() && room(terms, seed).includes(used) {
        return own;
    }
    smallest(used).to_string()
}

/// The smallest logic with some features.
pub fn smallest(used: Features) -> &'static str {
    let has = |name: &&&str| of_logic(name).is_some_and(|all| all.includes(used));
    match LOGICS.iter().find(has) {
        Some(logic) => logic,
        None if used.includes(Features::HIGHER_ORDER) => "HO_ALL",
        None => "ALL",
    }
}

/// The smallest logic for some commands.
pub fn smallest_of(terms: &Terms, commands: &[Command]) -> &'static str {
    smallest(used(terms, commands))
}

/// The features of the terms and declarations of some commands.
pub fn used(terms: &Terms, commands: &[Command]) -> Features {
    let mut all = Features::NONE;
    let mut stack: Vec<TermId> = Vec::new();
    for command in commands {
        stack.extend(command.roots());
        all = all.union(declared(terms, command));
    }
    let mut seen = FxHashSet::default();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            all = all.union(Features::of_root(terms, term));
            stack.extend_from_slice(terms.args(term));
        }
    }
    all
}

/// The features of a declaration, without those of its body.
pub fn declared(terms: &Terms, command: &Command) -> Features {
    match command {
        Command::DeclareFun(fun) => rank(terms, *fun),
        Command::DeclareSort(..) => Features::FUNCTIONS,
        Command::DeclareDatatypes(all) => {
            let datatypes = all.iter().map(|id| terms.sorts.datatype(*id));
            let constructors = datatypes.flat_map(|datatype| &datatype.constructors);
            let fields = constructors.flat_map(|constructor| &constructor.selectors);
            fields.fold(Features::DATATYPES, |all, (_, sort)| {
                all.union(Features::of_sort(&terms.sorts, *sort))
            })
        }
        // Solvers treat them as axioms.
        Command::DefineFunsRec(_) => Features::FUNCTIONS.union(Features::QUANTIFIERS),
        _ => Features::NONE,
    }
}

fn rank(terms: &Terms, fun: Fun) -> Features {
    let fun = terms.fun(fun);
    let all = match fun.params.is_empty() {
        true => Features::NONE,
        false => Features::FUNCTIONS,
    };
    let sorts = fun.params.iter().chain([&fun.result]);
    sorts.fold(all, |all, sort| {
        all.union(Features::of_sort(&terms.sorts, *sort))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    /// The logic of a mutant of a seed in a logic.
    fn logic(seed: &str, mutant: &str) -> String {
        let mut terms = Terms::new();
        let declarations = "(declare-const x Int)(declare-const r Real)(declare-const s String)\
                            (declare-const b (_ BitVec 8))";
        let mut read = |text: &str| read_script(&mut terms, text).expect("well-formed").script;
        let seed = read(seed);
        let whole = read(&format!("{declarations}(assert {mutant})(check-sat)"));
        let asserted = whole.commands.iter();
        let asserted: Vec<Command> = asserted
            .filter(|c| matches!(c, Command::Assert(_)))
            .cloned()
            .collect();
        fitting(&terms, &seed, &asserted)
    }

    #[test]
    fn small_logics_come_before_those_that_have_them() {
        let features = |name: &&str| of_logic(name).expect("a logic of parts");
        for (at, logic) in LOGICS.iter().enumerate() {
            assert_eq!(smallest(features(logic)), *logic, "{at}");
        }
    }

    #[test]
    fn a_mutant_inside_keeps_the_logic_of_its_seed() {
        assert_eq!(logic("(set-logic QF_NRA)", "(< (* r r) 2.0)"), "QF_NRA");
        assert_eq!(logic("(set-logic QF_NRA)", "(< r 2.0)"), "QF_NRA");
        assert_eq!(logic("(set-logic QF_IDL)", "(< (+ x x) 2)"), "QF_LIA");
        assert_eq!(logic("", "(< r 2.0)"), "ALL");
    }

    #[test]
    fn a_mutant_outside_gets_the_smallest_that_fits() {
        assert_eq!(logic("(set-logic QF_LIA)", "(< (* x x) 2)"), "QF_NIA");
        assert_eq!(logic("(set-logic QF_LIA)", "(< (str.len s) x)"), "QF_SLIA");
        assert_eq!(logic("(set-logic QF_BV)", "(< (to_real x) r)"), "QF_LIRA");
        assert_eq!(
            logic("(set-logic QF_BV)", "(= (str.len s) (ubv_to_int b))"),
            "ALL"
        );
        assert_eq!(
            logic("(set-logic QF_LIA)", "(forall ((y Int)) (< x y))"),
            "LIA"
        );
    }
}
