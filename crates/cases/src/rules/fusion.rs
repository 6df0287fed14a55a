//! Fusion functions: `z` is made of `x` and `y` so that each of the two can be had back from `z` and the other.
//!
//! ```text
//! z = (+ x y)      x = (- z y)      y = (- z x)
//! ```
//!
//! A row is written with the function in the place of `z`, as two laws that are proved like all others:
//! `(- (+ x y) y)` is `x`. After Winterer, Zhang and Su (YinYang), 2020.

use super::template::Node;
use super::{Compiled, Parameters, Rule, equality, proof};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Sort, TermId, Terms, Theory};
use std::sync::OnceLock;

/// A function of `x` and `y`, and the laws by which they come back.
struct Row {
    theory: Theory,
    fuse: Rule,
    x: Rule,
    y: Rule,
}

const fn row(
    theory: Theory,
    names: [&'static str; 3],
    variables: &'static str,
    fuse: &'static str,
    x: &'static str,
    y: &'static str,
) -> Row {
    Row {
        theory,
        fuse: equality(names[0], variables, fuse, fuse),
        x: equality(names[1], variables, x, "x"),
        y: equality(names[2], variables, y, "y"),
    }
}

impl Row {
    const fn sizes(mut self, sizes: &'static str) -> Row {
        self.fuse = self.fuse.sizes(sizes);
        self.x = self.x.sizes(sizes);
        self.y = self.y.sizes(sizes);
        self
    }
}

const BOOLS: &str = "(x Bool) (y Bool)";
const INTS: &str = "(x Int) (y Int)";
const REALS: &str = "(x Real) (y Real)";
const BITS: &str = "(x (_ BitVec m)) (y (_ BitVec m))";
const STRINGS: &str = "(x String) (y String)";

static ROWS: [Row; 15] = [
    row(
        Theory::Core,
        ["fuse-xor", "fuse-xor-x", "fuse-xor-y"],
        BOOLS,
        "(xor x y)",
        "(xor (xor x y) y)",
        "(xor x (xor x y))",
    ),
    row(
        Theory::Core,
        ["fuse-iff", "fuse-iff-x", "fuse-iff-y"],
        BOOLS,
        "(= x y)",
        "(= (= x y) y)",
        "(= x (= x y))",
    ),
    row(
        Theory::Ints,
        ["fuse-int-sum", "fuse-int-sum-x", "fuse-int-sum-y"],
        INTS,
        "(+ x y)",
        "(- (+ x y) y)",
        "(- (+ x y) x)",
    ),
    row(
        Theory::Ints,
        [
            "fuse-int-difference",
            "fuse-int-difference-x",
            "fuse-int-difference-y",
        ],
        INTS,
        "(- x y)",
        "(+ (- x y) y)",
        "(- x (- x y))",
    ),
    row(
        Theory::Ints,
        [
            "fuse-int-multiple",
            "fuse-int-multiple-x",
            "fuse-int-multiple-y",
        ],
        INTS,
        "(+ x (* n y))",
        "(- (+ x (* n y)) (* n y))",
        "(div (- (+ x (* n y)) x) n)",
    )
    .sizes("1<=n"),
    row(
        Theory::Ints,
        ["fuse-int-shift", "fuse-int-shift-x", "fuse-int-shift-y"],
        INTS,
        "(+ n x y)",
        "(- (+ n x y) n y)",
        "(- (+ n x y) x n)",
    ),
    row(
        Theory::Ints,
        [
            "fuse-int-product",
            "fuse-int-product-x",
            "fuse-int-product-y",
        ],
        INTS,
        "(* n (- x y))",
        "(+ (div (* n (- x y)) n) y)",
        "(- x (div (* n (- x y)) n))",
    )
    .sizes("1<=n"),
    row(
        Theory::Reals,
        ["fuse-real-sum", "fuse-real-sum-x", "fuse-real-sum-y"],
        REALS,
        "(+ x y)",
        "(- (+ x y) y)",
        "(- (+ x y) x)",
    ),
    row(
        Theory::Reals,
        [
            "fuse-real-difference",
            "fuse-real-difference-x",
            "fuse-real-difference-y",
        ],
        REALS,
        "(- x y)",
        "(+ (- x y) y)",
        "(- x (- x y))",
    ),
    row(
        Theory::Reals,
        [
            "fuse-real-multiple",
            "fuse-real-multiple-x",
            "fuse-real-multiple-y",
        ],
        REALS,
        "(- x (* 3.0 y))",
        "(+ (- x (* 3.0 y)) (* 3.0 y))",
        "(/ (- x (- x (* 3.0 y))) 3.0)",
    ),
    row(
        Theory::BitVectors,
        ["fuse-bvadd", "fuse-bvadd-x", "fuse-bvadd-y"],
        BITS,
        "(bvadd x y)",
        "(bvsub (bvadd x y) y)",
        "(bvsub (bvadd x y) x)",
    ),
    row(
        Theory::BitVectors,
        ["fuse-bvsub", "fuse-bvsub-x", "fuse-bvsub-y"],
        BITS,
        "(bvsub x y)",
        "(bvadd (bvsub x y) y)",
        "(bvsub x (bvsub x y))",
    ),
    row(
        Theory::BitVectors,
        ["fuse-bvxor", "fuse-bvxor-x", "fuse-bvxor-y"],
        BITS,
        "(bvxor x y)",
        "(bvxor (bvxor x y) y)",
        "(bvxor x (bvxor x y))",
    ),
    row(
        Theory::Strings,
        ["fuse-concat", "fuse-concat-x", "fuse-concat-y"],
        STRINGS,
        "(str.++ x y)",
        "(str.substr (str.++ x y) 0 (- (str.len (str.++ x y)) (str.len y)))",
        "(str.substr (str.++ x y) (str.len x) (- (str.len (str.++ x y)) (str.len x)))",
    ),
    row(
        Theory::Strings,
        ["fuse-prefix", "fuse-prefix-x", "fuse-prefix-y"],
        STRINGS,
        "(str.++ x y)",
        "(str.substr (str.++ x y) 0 (- (str.len (str.++ x y)) (str.len y)))",
        "(str.replace (str.++ x y) x \"\")",
    ),
];

/// A fusion function ready for use.
pub struct Fusion {
    pub theory: Theory,
    /// Over `x` and `y`.
    fuse: Compiled,
    /// `x` over `x`, `y` and `z`, of which it uses the last two; and `y`.
    inverses: [Node; 2],
    laws: [Compiled; 2],
}

/// Fusion functions and inverses of three terms.
pub struct Fused {
    pub z: TermId,
    pub x: TermId,
    pub y: TermId,
}

impl Fusion {
    fn read(row: &'static Row) -> Fusion {
        let read = |rule: &'static Rule| {
            Compiled::read(row.theory, rule)
                .unwrap_or_else(|bad| panic!("rule {}: {bad}", rule.name))
        };
        let fuse = read(&row.fuse);
        let laws = [read(&row.x), read(&row.y)];
        let inverse = |law: &Compiled| law.before.with(&fuse.before, &Node::Variable(2));
        Fusion {
            theory: row.theory,
            inverses: [inverse(&laws[0]), inverse(&laws[1])],
            laws,
            fuse,
        }
    }

    pub fn name(&self) -> &'static str {
        self.fuse.rule.name
    }

    /// The laws it rests on.
    pub fn laws(&self) -> &[Compiled] {
        &self.laws
    }

    /// Whether a solver proved both laws; evaluation is a test.
    pub fn is_proved(&self) -> bool {
        self.laws.iter().all(proof::is_proved)
    }

    /// The solvers that know all of its operators.
    pub fn known_to(&self) -> SolverSet {
        let known = self.laws.iter().map(proof::known_to);
        known.fold(SolverSet::STANDARD, |both, one| SolverSet(both.0 & one.0))
    }

    /// What `z`, `x` and `y` are in terms of the others; none if they are not of its sort.
    pub fn build(&self, terms: &mut Terms, number: u64, [x, y, z]: [TermId; 3]) -> Option<Fused> {
        let mut parameters = Parameters::default();
        parameters.set_number('n', number);
        let sort = terms.sort(x);
        if let Some(width) = terms.sorts.bit_width(sort) {
            parameters.set_number('m', u64::from(width));
        }
        if !self.fuse.sizes_hold(&parameters) || self.sort(terms, &parameters)? != sort {
            return None;
        }
        let variables = [x, y, z];
        let all = [&self.fuse.before, &self.inverses[0], &self.inverses[1]];
        let mut built = all
            .into_iter()
            .map(|node| node.build(terms, &parameters, &variables));
        let (fused, left, right) = (built.next()??, built.next()??, built.next()??);
        Some(Fused {
            z: fused,
            x: left,
            y: right,
        })
    }

    fn sort(&self, terms: &mut Terms, parameters: &Parameters) -> Option<Sort> {
        let (_, shape) = self.fuse.variables.first()?;
        shape.build(terms, parameters)
    }
}

/// Every fusion function, read once.
pub fn all() -> &'static [Fusion] {
    static ALL: OnceLock<Vec<Fusion>> = OnceLock::new();
    ALL.get_or_init(|| ROWS.iter().map(Fusion::read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::render::{self, Sharing};

    #[test]
    fn evaluation_confirms_every_law() {
        for law in all().iter().flat_map(Fusion::laws) {
            let checked = proof::check(law);
            let name = law.rule.name;
            assert_eq!(checked.refuted, None, "{name} is false");
            assert_eq!(checked.open, 0, "{name}");
            assert!(checked.confirmed > 3, "{name}: {checked:?}");
        }
    }

    #[test]
    fn a_function_without_an_inverse_is_refuted() {
        static WRONG: Rule = equality("wrong", STRINGS, "(str.replace (str.++ x y) y \"\")", "x");
        let law = Compiled::read(Theory::Strings, &WRONG).expect("well-formed");
        assert!(proof::check(&law).refuted.is_some());
    }

    #[test]
    fn every_law_is_recorded_as_proved() {
        let open = all().iter().filter(|f| !f.is_proved());
        assert_eq!(open.map(Fusion::name).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn inverses_speak_of_z_and_the_other_only() {
        let mut terms = Terms::new();
        for fusion in all() {
            let bits = terms.sorts.bit_vec(4);
            let sort = match fusion.theory {
                Theory::Core => Sort::BOOL,
                Theory::Ints => Sort::INT,
                Theory::Reals => Sort::REAL,
                Theory::Strings => Sort::STRING,
                _ => bits,
            };
            let names = ["left", "right", "both"].map(|name| {
                let fun = terms.declare_fun(name, &[], sort);
                terms.fun_app(fun, &[]).expect("a constant")
            });
            let fused = fusion.build(&mut terms, 3, names).expect("it fits");
            let has = |term, name: &str| render::term(&terms, term, Sharing::Auto).contains(name);
            let name = fusion.name();
            assert!(
                has(fused.z, "left") && has(fused.z, "right") && !has(fused.z, "both"),
                "{name}"
            );
            assert!(
                has(fused.x, "both") && has(fused.x, "right") && !has(fused.x, "left"),
                "{name}"
            );
            assert!(
                has(fused.y, "both") && has(fused.y, "left") && !has(fused.y, "right"),
                "{name}"
            );
        }
    }
}
