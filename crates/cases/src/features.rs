//! Features: the parts of SMT-LIB that a term uses, and those that a logic allows. A mutant that stays inside its
//! logic keeps it; otherwise it is declared in `ALL`.

use auspex_logic::term::{BinderKind, FunKind};
use auspex_logic::{Fun, Head, OpDecl, Sort, SortKind, Sorts, TermId, Terms, Theory, Value};

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Features(u32);

impl Features {
    pub const NONE: Features = Features(0);
    pub const INTS: Features = Features(1);
    pub const REALS: Features = Features(1 << 1).union(Features::REAL_NUMBERS);
    pub const BIT_VECTORS: Features = Features(1 << 2);
    pub const FLOATS: Features = Features(1 << 3);
    pub const ARRAYS: Features = Features(1 << 4);
    /// Strings and regular expressions.
    pub const STRINGS: Features = Features(1 << 5);
    pub const DATATYPES: Features = Features(1 << 6);
    /// Function symbols with arguments, and sorts of the script.
    pub const FUNCTIONS: Features = Features(1 << 7);
    pub const SEQUENCES: Features = Features(1 << 8);
    pub const SETS: Features = Features(1 << 9);
    pub const BAGS: Features = Features(1 << 10);
    pub const FIELDS: Features = Features(1 << 11);
    pub const TRANSCENDENTALS: Features = Features(1 << 12);
    pub const SEPARATION: Features = Features(1 << 13);
    pub const QUANTIFIERS: Features = Features(1 << 14);
    /// A product of two unknowns, or a division by one.
    pub const NONLINEAR: Features = Features(1 << 15);
    pub const HIGHER_ORDER: Features = Features(1 << 16);
    /// Operators of a user's signature file.
    pub const USER: Features = Features(1 << 17);
    /// The sort of bit-vectors; floating-point logics have it without the operators.
    pub const BITS: Features = Features(1 << 18);
    /// Non-standard operators: solvers support them only outside of the small logics.
    pub const EXTENSION: Features = Features(1 << 19);
    /// Arrays other than from bit-vectors to bit-vectors.
    pub const OTHER_ARRAYS: Features = Features(1 << 20);
    /// Literals of reals; floating-point logics have them without the operators.
    pub const REAL_NUMBERS: Features = Features(1 << 21);
    pub const ALL: Features = Features((1 << 22) - 1);
    /// Sorts and operators that a solver's profile names as theories, in its words.
    const NAMED: [(&str, Features); 19] = [
        ("ints", Features::INTS),
        ("reals", Features::REALS),
        ("bit-vectors", Features::BIT_VECTORS.union(Features::BITS)),
        ("floating-point", Features::FLOATS),
        ("arrays", Features::ARRAYS.union(Features::OTHER_ARRAYS)),
        ("strings", Features::STRINGS),
        ("datatypes", Features::DATATYPES),
        ("sequences", Features::SEQUENCES),
        ("sets", Features::SETS),
        ("bags", Features::BAGS),
        ("relations", Features::SETS),
        ("finite-fields", Features::FIELDS),
        ("separation-logic", Features::SEPARATION),
        ("transcendentals", Features::TRANSCENDENTALS),
        ("uninterpreted", Features::FUNCTIONS),
        ("quantifiers", Features::QUANTIFIERS),
        ("nonlinear", Features::NONLINEAR),
        ("higher-order", Features::HIGHER_ORDER),
        ("regular-expressions", Features::STRINGS),
    ];

    #[must_use]
    pub const fn union(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    #[must_use]
    pub const fn without(self, other: Features) -> Features {
        Features(self.0 & !other.0)
    }

    pub const fn has_strings(self) -> bool {
        self.includes(Features::STRINGS) || self.includes(Features::SEQUENCES)
    }

    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    pub const fn includes(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }

    /// What a word of a profile stands for.
    pub fn named(word: &str) -> Option<Features> {
        let row = Features::NAMED.iter().find(|(name, _)| *name == word);
        row.map(|(_, features)| *features)
    }

    /// What a solver takes that lists these theories; all if it lists none.
    pub fn of_names<S: AsRef<str>>(names: &[S]) -> Features {
        if names.is_empty() {
            return Features::ALL;
        }
        let listed = |(name, _): &&(&str, Features)| names.iter().any(|one| one.as_ref() == *name);
        let unnamed = Features::NAMED
            .iter()
            .fold(Features::ALL, |all, (_, one)| all.without(*one))
            // Literals of reals stand in terms of floating-point numbers; z3 reads a function as an array.
            .union(Features::REAL_NUMBERS)
            .union(Features::HIGHER_ORDER);
        let listed = Features::NAMED.iter().filter(listed);
        listed.fold(unnamed, |all, (_, one)| all.union(*one))
    }

    /// The features of a theory's operators.
    pub fn of_theory(theory: Theory) -> Features {
        match theory {
            Theory::Core => Features::NONE,
            Theory::Ints => Features::INTS,
            Theory::Reals => Features::REALS,
            Theory::BitVectors => Features::BIT_VECTORS,
            Theory::FloatingPoint => Features::FLOATS,
            Theory::Arrays => Features::ARRAYS,
            Theory::Strings | Theory::Regex => Features::STRINGS,
            Theory::Datatypes => Features::DATATYPES,
            Theory::Sequences => Features::SEQUENCES,
            Theory::Sets => Features::SETS,
            Theory::Bags => Features::BAGS,
            Theory::FiniteFields => Features::FIELDS,
            Theory::Transcendentals => Features::TRANSCENDENTALS.union(Features::REALS),
            Theory::Separation => Features::SEPARATION,
            Theory::Relations => Features::SETS.union(Features::DATATYPES),
            Theory::User => Features::USER,
        }
    }

    /// The features of an operator, independent of its arguments.
    pub fn of_row(decl: &OpDecl) -> Features {
        let theory = Features::of_theory(decl.theory);
        if decl.known.is_standard() || decl.theory == Theory::User {
            theory
        } else {
            theory.union(Features::EXTENSION)
        }
    }

    /// The features of a sort.
    pub fn of_sort(sorts: &Sorts, sort: Sort) -> Features {
        let own = match sorts.kind(sort) {
            SortKind::Unknown | SortKind::Bool | SortKind::Parameter(_) | SortKind::Opaque(_) => {
                return Features::NONE;
            }
            SortKind::Int => return Features::INTS,
            SortKind::Real => return Features::REALS,
            SortKind::String | SortKind::RegLan => return Features::STRINGS,
            SortKind::RoundingMode | SortKind::Float { .. } => return Features::FLOATS,
            SortKind::BitVec(_) => return Features::BITS,
            SortKind::FiniteField(_) => return Features::FIELDS,
            SortKind::Array(index, element) => {
                let is_bits = |part: Sort| matches!(sorts.kind(part), SortKind::BitVec(_));
                if is_bits(*index) && is_bits(*element) {
                    return Features::ARRAYS.union(Features::BITS);
                }
                Features::ARRAYS.union(Features::OTHER_ARRAYS)
            }
            SortKind::Seq(_) => Features::SEQUENCES,
            SortKind::Set(_) => Features::SETS,
            SortKind::Bag(_) => Features::BAGS,
            SortKind::Tuple(_) | SortKind::Nullable(_) | SortKind::Data(..) => Features::DATATYPES,
            SortKind::Function(_) => Features::HIGHER_ORDER,
            SortKind::Declared(..) => Features::FUNCTIONS,
        };
        let parts = sorts.parts(sort);
        parts
            .into_iter()
            .fold(own, |all, part| all.union(Features::of_sort(sorts, part)))
    }

    /// The features needed for an argument of a sort: for a real a literal suffices.
    pub fn of_argument(sorts: &Sorts, sort: Sort) -> Features {
        match sorts.kind(sort) {
            SortKind::Real => Features::REAL_NUMBERS,
            _ => Features::of_sort(sorts, sort),
        }
    }

    /// The features of the root of a term, without its arguments.
    pub fn of_root(terms: &Terms, term: TermId) -> Features {
        let (sorts, sort) = (&terms.sorts, terms.sort(term));
        let sort = match terms.head(term) {
            Head::Literal(_) => Features::of_argument(sorts, sort),
            _ => Features::of_sort(sorts, sort),
        };
        sort.union(match terms.head(term) {
            Head::Op(op) => {
                let decl = terms.op(op);
                let row = Features::of_row(decl);
                if is_nonlinear(terms, decl, terms.args(term)) {
                    row.union(Features::NONLINEAR)
                } else {
                    row
                }
            }
            Head::Fun(fun) if is_of_datatype(terms, fun) => Features::DATATYPES,
            Head::Fun(_) if !terms.args(term).is_empty() => Features::FUNCTIONS,
            Head::Binder(number) => match terms.binder(number).kind {
                BinderKind::Forall | BinderKind::Exists => Features::QUANTIFIERS,
                BinderKind::Lambda | BinderKind::Choice => Features::HIGHER_ORDER,
                BinderKind::Comprehension => Features::SETS,
            },
            Head::Match(_) => Features::DATATYPES,
            Head::Apply => Features::HIGHER_ORDER,
            Head::Literal(_)
            | Head::Fun(_)
            | Head::Variable(_)
            | Head::Annotated(_)
            | Head::Opaque(_) => Features::NONE,
        })
    }
}

/// Whether a function symbol belongs to a datatype.
fn is_of_datatype(terms: &Terms, fun: Fun) -> bool {
    !matches!(terms.fun(fun).kind, FunKind::Declared | FunKind::Defined)
}

/// Whether an operator that can leave linear arithmetic does so on these arguments.
pub fn is_nonlinear(terms: &Terms, decl: &OpDecl, args: &[TermId]) -> bool {
    if !decl.nonlinear
        || !matches!(
            decl.theory,
            Theory::Ints | Theory::Reals | Theory::Transcendentals
        )
    {
        return false;
    }
    if !may_stay_linear(decl) {
        return true;
    }
    let unknowns = |args: &[TermId]| args.iter().filter(|a| !is_number(terms, **a)).count();
    if decl.commutative {
        unknowns(args) > 1
    } else {
        // A division is linear only by numbers; by zero it is an unknown function.
        args.len() < 2 || args[1..].iter().any(|a| !is_nonzero_number(terms, *a))
    }
}

/// Multiplication and division, which are linear when the other arguments are numbers.
pub fn may_stay_linear(decl: &OpDecl) -> bool {
    decl.known.is_standard() && decl.sig.params.len() == 2
}

/// A literal, one with a sign, or a fraction of two: what every solver accepts as a number.
pub fn is_number(terms: &Terms, term: TermId) -> bool {
    let args = terms.args(term);
    match terms.head(term) {
        Head::Literal(_) => true,
        Head::Op(op) => match (&*terms.op(op).name, args.len()) {
            ("-", 1) | ("/", 2) => args.iter().all(|arg| {
                let inner = terms.args(*arg);
                terms.literal_value(*arg).is_some()
                    || !inner.is_empty()
                        && inner.iter().all(|i| terms.literal_value(*i).is_some())
                        && is_number(terms, *arg)
            }),
            _ => false,
        },
        _ => false,
    }
}

/// A number that starts with a literal other than zero: `5`, `(- 5)`, `(/ 1 3)`.
fn is_nonzero_number(terms: &Terms, term: TermId) -> bool {
    match (terms.literal_value(term), terms.args(term)) {
        (Some(Value::Int(int)), _) => !int.is_zero(),
        (Some(Value::Real(rat)), _) => !rat.is_zero(),
        (None, [first, ..]) => {
            is_number(terms, term)
                && terms.args(*first).is_empty()
                && is_nonzero_number(terms, *first)
        }
        _ => false,
    }
}

/// The features a logic's name allows; `None` for a name that does not follow the scheme.
pub fn of_logic(name: &str) -> Option<Features> {
    let (name, mut all) = match name.strip_prefix("HO_") {
        Some(rest) => (rest, Features::HIGHER_ORDER),
        None => (name, Features::NONE),
    };
    let mut rest = match name.strip_prefix("QF_") {
        Some(rest) => rest,
        None => {
            all = all.union(Features::QUANTIFIERS);
            name
        }
    };
    if rest == "ALL" {
        // z3 treats logics with longer names as small ones.
        let small = match name == "ALL" && all == Features::QUANTIFIERS {
            true => Features::NONE,
            false => Features::EXTENSION,
        };
        let beyond = small.union(Features::HIGHER_ORDER);
        return Some(all.union(Features::ALL.without(beyond.union(Features::QUANTIFIERS))));
    }
    while !rest.is_empty() {
        let (word, features) = WORDS.iter().find(|(word, _)| rest.starts_with(word))?;
        all = all.union(*features);
        rest = &rest[word.len()..];
    }
    // Arrays in logics of bit-vectors are memory: from bit-vectors to bit-vectors.
    let memory = all.includes(Features::BIT_VECTORS)
        && !all.includes(Features::INTS)
        && !all.includes(Features::REALS);
    if all.includes(Features::ARRAYS) && !memory {
        all = all.union(Features::OTHER_ARRAYS);
    }
    Some(all)
}

const BOTH: Features = Features::INTS.union(Features::REALS);

/// The parts of logic names, longer ones before their beginnings.
const WORDS: &[(&str, Features)] = &[
    ("NIRA", BOTH.union(Features::NONLINEAR)),
    ("LIRA", BOTH),
    ("NIA", Features::INTS.union(Features::NONLINEAR)),
    ("NRA", Features::REALS.union(Features::NONLINEAR)),
    ("LIA", Features::INTS),
    ("LRA", Features::REALS),
    ("SEP_", Features::SEPARATION),
    ("AX", Features::ARRAYS),
    ("UF", Features::FUNCTIONS),
    ("BV", Features::BIT_VECTORS.union(Features::BITS)),
    ("FF", Features::FIELDS),
    (
        "FP",
        Features::FLOATS
            .union(Features::BITS)
            .union(Features::REAL_NUMBERS),
    ),
    ("FS", Features::SETS.union(Features::INTS)),
    ("DT", Features::DATATYPES),
    ("A", Features::ARRAYS),
    ("S", Features::STRINGS.union(Features::INTS)),
    ("T", Features::TRANSCENDENTALS),
];

/// The logic to mutate in: difference arithmetic is too narrow for almost any change.
pub fn widened(logic: &str) -> String {
    logic.replace("IDL", "LIA").replace("RDL", "LRA")
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    fn features(text: &str) -> Features {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let mut all = Features::NONE;
        for root in script.roots() {
            for term in auspex_logic::render::post_order(&terms, root) {
                all = all.union(Features::of_root(&terms, term));
            }
        }
        all
    }

    #[test]
    fn linear_terms_are_inside_linear_logic() {
        let allowed = of_logic("QF_LIA").expect("a known name");
        let linear = "(declare-const x Int)(assert (< (* 2 x) (+ (div x 3) (* (- 5) x))))";
        assert!(allowed.includes(features(linear)));
        for beyond in [
            "(* x x)",
            "(div x 0)",
            "(mod 3 x)",
            "(str.len (str.from_int x))",
        ] {
            let text = format!("(declare-const x Int)(assert (= x {beyond}))");
            assert!(!allowed.includes(features(&text)), "{beyond}");
        }
        let quantified = "(assert (exists ((x Int)) (> x 0)))";
        assert!(!allowed.includes(features(quantified)));
        assert!(
            of_logic("LIA")
                .expect("a known name")
                .includes(features(quantified))
        );
    }

    #[test]
    fn numbers_in_logics_of_floating_point_bring_no_arithmetic() {
        let allowed = of_logic("QF_FP").expect("a known name");
        assert!(allowed.includes(features("(assert (fp.isNaN ((_ to_fp 2 3) RNE 1.5)))")));
        assert!(!allowed.includes(features("(assert (> 1.5 2.0))")));
        assert!(!allowed.includes(features("(declare-const x Real)(assert (= x 1.0))")));
    }

    #[test]
    fn asking_for_integers_among_reals_takes_both() {
        let text = "(declare-const x Real)(assert (is_int x))";
        let includes = |name| of_logic(name).is_some_and(|all| all.includes(features(text)));
        assert!(includes("QF_LIRA"));
        assert!(!includes("QF_LRA"));
    }

    #[test]
    fn reads_logic_names() {
        let all = |name| of_logic(name).unwrap_or(Features::NONE);
        assert!(all("ALL").includes(Features::QUANTIFIERS.union(Features::STRINGS)));
        assert!(!all("QF_ALL").includes(Features::QUANTIFIERS));
        assert!(all("QF_AUFBVDTLIA").includes(Features::DATATYPES.union(Features::ARRAYS)));
        assert!(all("QF_SLIA").includes(Features::STRINGS));
        assert!(!all("QF_SLIA").includes(Features::NONLINEAR));
        assert!(!all("QF_FP").includes(Features::BIT_VECTORS));
        assert!(!all("QF_AUFBV").includes(Features::OTHER_ARRAYS));
        assert!(all("QF_AUFLIA").includes(Features::OTHER_ARRAYS));
        assert!(all("ALL").includes(Features::EXTENSION));
        assert!(!all("HO_ALL").includes(Features::EXTENSION));
        assert!(!all("QF_ALL").includes(Features::EXTENSION));
        assert!(all("HO_ALL").includes(Features::HIGHER_ORDER));
        assert!(!all("QF_LIA").includes(Features::EXTENSION));
        assert_eq!(of_logic("FOO"), None);
        assert_eq!(widened("QF_UFIDL"), "QF_UFLIA");
    }
}
