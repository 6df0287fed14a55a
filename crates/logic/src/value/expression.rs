//! Reals represented by an expression, such as sin(1/3) + √2, with bounds as narrow as needed. Such numbers are
//! compared by their bounds only, and never treated as rational.

use super::interval::Interval;
use super::{Algebraic, Int, Irrational, Rat, Value, elementary};
use std::cmp::Ordering;
use std::sync::Arc;

/// To how many bits bounds are computed: the first at once, the others if a comparison needs them.
const PRECISIONS: [u64; 3] = [80, 240, 720];
/// Larger expressions are given up.
const MOST_PARTS: u32 = 100;
/// Powers with larger whole exponents are computed as any other.
const MOST_PRODUCTS: i64 = 64;

/// What a number is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    Neg,
    Abs,
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Power,
    Sqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Csc,
    Sec,
    Cot,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Pi,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    Rational(Rat),
    Algebraic(Algebraic),
    Apply(Function, Box<[Expression]>),
}

/// A real number with first bounds; it is what its parts say, so the bounds do not count in comparisons of data.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Arc<Node>,
    first: Interval,
    parts: u32,
}

impl Expression {
    /// A number as an expression.
    pub fn of(value: &Value) -> Option<Expression> {
        let node = match value {
            Value::Real(rat) => Node::Rational(rat.clone()),
            Value::Irrational(irrational) => match &**irrational {
                Irrational::Algebraic(number) => Node::Algebraic(number.clone()),
                Irrational::Expression(expression) => return Some(expression.clone()),
                Irrational::Named(_) => return None,
            },
            _ => return None,
        };
        Some(Expression {
            first: enclosed(&node, PRECISIONS[0])?,
            node: Arc::new(node),
            parts: 1,
        })
    }

    /// A function's value; none where it is not defined, or may be.
    pub fn apply(function: Function, args: Vec<Expression>) -> Option<Expression> {
        let parts = args.iter().map(|arg| arg.parts).sum::<u32>() + 1;
        if parts > MOST_PARTS {
            return None;
        }
        let bounds: Vec<Interval> = args.iter().map(|arg| arg.first.clone()).collect();
        Some(Expression {
            first: applied(function, &args, &bounds, PRECISIONS[0])?,
            node: Arc::new(Node::Apply(function, args.into())),
            parts,
        })
    }

    fn enclosed(&self, bits: u64) -> Option<Interval> {
        match bits == PRECISIONS[0] {
            true => Some(self.first.clone()),
            false => enclosed(&self.node, bits),
        }
    }

    /// How it compares with another number, as far as the narrowest bounds that we compute tell.
    pub fn compare(&self, other: &Expression) -> Option<Ordering> {
        if self == other {
            return Some(Ordering::Equal);
        }
        let bounds = |bits| self.enclosed(bits)?.compare(&other.enclosed(bits)?);
        PRECISIONS.into_iter().find_map(bounds)
    }

    pub fn floor(&self) -> Option<Int> {
        let floor = |bits| self.enclosed(bits)?.floor();
        PRECISIONS.into_iter().find_map(floor)
    }

    /// A fraction near it.
    pub fn near(&self) -> Option<Rat> {
        self.first.middle()?.to_rat()
    }

    fn as_int(&self) -> Option<i64> {
        match &*self.node {
            Node::Rational(rat) => rat.to_int()?.to_i64(),
            _ => None,
        }
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.node == other.node
    }
}

impl Eq for Expression {}

impl PartialOrd for Expression {
    fn partial_cmp(&self, other: &Expression) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Expression {
    fn cmp(&self, other: &Expression) -> Ordering {
        self.node.cmp(&other.node)
    }
}

impl std::hash::Hash for Expression {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.node.hash(state);
    }
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let million = Int::from(1_000_000);
        let near = self.near().unwrap_or(Rat::ZERO);
        let scaled = near.mul(&Rat::from(million.clone())).floor();
        let near = Rat::new(&scaled, &million).unwrap_or(Rat::ZERO);
        write!(f, "(irrational {})", near.to_smtlib())
    }
}

/// Bounds of a node; its parts are few, so this does not go deep.
fn enclosed(node: &Node, bits: u64) -> Option<Interval> {
    match node {
        Node::Rational(rat) => Interval::between(rat, rat, bits),
        Node::Algebraic(number) => {
            let width = Rat::new(&Int::ONE, &Int::power_of_two(bits)?)?;
            let (low, high) = number.enclosed(&width)?;
            Interval::between(&low, &high, bits)
        }
        Node::Apply(function, args) => {
            let bounds: Option<Vec<Interval>> = args.iter().map(|a| a.enclosed(bits)).collect();
            applied(*function, args, &bounds?, bits)
        }
    }
}

fn applied(
    function: Function,
    args: &[Expression],
    bounds: &[Interval],
    bits: u64,
) -> Option<Interval> {
    use Function as F;
    let one = Interval::int(1);
    match (function, bounds) {
        (F::Pi, []) => elementary::pi(bits),
        (F::Neg, [x]) => Some(x.neg()),
        (F::Abs, [x]) => x.abs(),
        (F::Sqrt, [x]) => x.sqrt(bits),
        (F::Exp, [x]) => elementary::exp(x, bits),
        (F::Log, [x]) => elementary::log(x, bits),
        (F::Sin, [x]) => elementary::sin(x, bits),
        (F::Cos, [x]) => elementary::cos(x, bits),
        (F::Tan, [x]) => elementary::tan(x, bits),
        (F::Csc, [x]) => one.div(&elementary::sin(x, bits)?, bits),
        (F::Sec, [x]) => one.div(&elementary::cos(x, bits)?, bits),
        (F::Cot, [x]) => elementary::cos(x, bits)?.div(&elementary::sin(x, bits)?, bits),
        (F::Asin, [x]) => elementary::asin(x, bits),
        (F::Acos, [x]) => elementary::acos(x, bits),
        (F::Atan, [x]) => elementary::atan(x, bits),
        (F::Sinh, [x]) => elementary::sinh(x, bits),
        (F::Cosh, [x]) => elementary::cosh(x, bits),
        (F::Tanh, [x]) => elementary::tanh(x, bits),
        (F::Add, [x, y]) => x.add(y, bits),
        (F::Sub, [x, y]) => x.sub(y, bits),
        (F::Mul, [x, y]) => x.mul(y, bits),
        (F::Div, [x, y]) => x.div(y, bits),
        (F::Min, [x, y]) => x.min(y),
        (F::Max, [x, y]) => x.max(y),
        (F::Atan2, [y, x]) => elementary::atan2(y, x, bits),
        (F::Power, [x, y]) => match args[1].as_int() {
            Some(exponent) if exponent.abs() <= MOST_PRODUCTS => x.power(exponent, bits),
            _ => elementary::exp(&elementary::log(x, bits)?.mul(y, bits)?, bits),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Expression {
        let negative = text.strip_prefix('-');
        let rat = Rat::parse(negative.unwrap_or(text)).expect("a decimal");
        let rat = if negative.is_some() { rat.neg() } else { rat };
        Expression::of(&Value::Real(rat)).expect("a number")
    }

    fn apply(function: Function, args: &[&str]) -> Option<Expression> {
        Expression::apply(function, args.iter().map(|a| number(a)).collect())
    }

    /// Digits as tables of functions give them, cut off: the number lies between them and one more in the last place.
    const TABLE: &[(Function, &[&str], &str, &str)] = &[
        (Function::Pi, &[], "3.14159265358979", "3.14159265358980"),
        (
            Function::Exp,
            &["1"],
            "2.71828182845904",
            "2.71828182845905",
        ),
        (
            Function::Exp,
            &["-2.5"],
            "0.08208499862389",
            "0.08208499862390",
        ),
        (
            Function::Exp,
            &["20"],
            "485165195.409790",
            "485165195.409791",
        ),
        (
            Function::Log,
            &["2"],
            "0.69314718055994",
            "0.69314718055995",
        ),
        (
            Function::Log,
            &["10"],
            "2.30258509299404",
            "2.30258509299405",
        ),
        (
            Function::Log,
            &["0.1"],
            "-2.30258509299405",
            "-2.30258509299404",
        ),
        (
            Function::Sin,
            &["1"],
            "0.84147098480789",
            "0.84147098480790",
        ),
        (
            Function::Sin,
            &["100"],
            "-0.50636564110976",
            "-0.50636564110975",
        ),
        (
            Function::Cos,
            &["1"],
            "0.54030230586813",
            "0.54030230586814",
        ),
        (
            Function::Cos,
            &["3"],
            "-0.98999249660045",
            "-0.98999249660044",
        ),
        (
            Function::Tan,
            &["1"],
            "1.55740772465490",
            "1.55740772465491",
        ),
        (
            Function::Asin,
            &["0.5"],
            "0.52359877559829",
            "0.52359877559830",
        ),
        (
            Function::Acos,
            &["-0.5"],
            "2.09439510239319",
            "2.09439510239320",
        ),
        (
            Function::Atan,
            &["1"],
            "0.78539816339744",
            "0.78539816339745",
        ),
        (
            Function::Atan,
            &["-10"],
            "-1.47112767430374",
            "-1.47112767430373",
        ),
        (
            Function::Atan2,
            &["1", "-1"],
            "2.35619449019234",
            "2.35619449019235",
        ),
        (
            Function::Atan2,
            &["-1", "-1"],
            "-2.35619449019235",
            "-2.35619449019234",
        ),
        (
            Function::Sinh,
            &["1"],
            "1.17520119364380",
            "1.17520119364381",
        ),
        (
            Function::Cosh,
            &["1"],
            "1.54308063481524",
            "1.54308063481525",
        ),
        (
            Function::Tanh,
            &["1"],
            "0.76159415595576",
            "0.76159415595577",
        ),
        (
            Function::Sqrt,
            &["2"],
            "1.41421356237309",
            "1.41421356237310",
        ),
        (
            Function::Power,
            &["2", "0.5"],
            "1.41421356237309",
            "1.41421356237310",
        ),
        (Function::Power, &["-2", "3"], "-8.1", "-7.9"),
        (
            Function::Sec,
            &["1"],
            "1.85081571768092",
            "1.85081571768093",
        ),
        (
            Function::Csc,
            &["1"],
            "1.18839510577812",
            "1.18839510577813",
        ),
        (
            Function::Cot,
            &["1"],
            "0.64209261593433",
            "0.64209261593434",
        ),
    ];

    #[test]
    fn bounds_hold_the_digits_of_the_tables() {
        for (function, args, low, high) in TABLE {
            let value = apply(*function, args).expect("defined");
            let case = format!("{function:?} {args:?}");
            assert_eq!(
                value.compare(&number(low)),
                Some(Ordering::Greater),
                "{case}"
            );
            assert_eq!(value.compare(&number(high)), Some(Ordering::Less), "{case}");
        }
    }

    #[test]
    fn nothing_is_said_outside_a_domain() {
        for (function, args) in [
            (Function::Log, &["0"][..]),
            (Function::Log, &["-1"]),
            (Function::Sqrt, &["-1"]),
            (Function::Asin, &["1.5"]),
            (Function::Acos, &["-1.5"]),
            (Function::Div, &["1", "0"]),
            (Function::Csc, &["0"]),
            (Function::Atan2, &["0", "0"]),
            (Function::Power, &["-2", "0.5"]),
            (Function::Power, &["0", "-1"]),
        ] {
            assert_eq!(apply(function, args), None, "{function:?} {args:?}");
        }
    }

    #[test]
    fn equal_numbers_are_never_told_apart() {
        let sine = apply(Function::Sin, &["1"]).expect("defined");
        let cosine = apply(Function::Cos, &["1"]).expect("defined");
        let square = |x: &Expression| {
            Expression::apply(Function::Mul, vec![x.clone(), x.clone()]).expect("defined")
        };
        let sum = Expression::apply(Function::Add, vec![square(&sine), square(&cosine)]);
        let sum = sum.expect("defined");
        assert_eq!(sum.compare(&number("1")), None);
        assert_eq!(sum.compare(&sum), Some(Ordering::Equal));
        let root = apply(Function::Sqrt, &["6.25"]).expect("defined");
        assert_eq!(root.compare(&number("2.5")), Some(Ordering::Equal));
    }

    /// Between 3 and the tenth approximation of π, and beyond what doubles tell apart.
    #[test]
    fn close_numbers_are_told_apart() {
        let pi = apply(Function::Pi, &[]).expect("defined");
        let digits = "3.141592653589793238462643383279502884197169399375105820974944";
        assert_eq!(pi.compare(&number(digits)), Some(Ordering::Greater));
        let sine = Expression::apply(Function::Sin, vec![pi.clone()]).expect("defined");
        assert_eq!(sine.compare(&number("0")), None);
        assert_eq!(pi.floor(), Some(Int::from(3)));
    }

    mod laws {
        use super::*;
        use proptest::prelude::*;

        fn fraction() -> impl Strategy<Value = Expression> {
            (-4000i64..4000, 1i64..200).prop_map(|(above, below)| {
                let rat = Rat::new(&Int::from(above), &Int::from(below)).expect("not zero");
                Expression::of(&Value::Real(rat)).expect("a number")
            })
        }

        fn middle(x: &Expression) -> f64 {
            let near = x.near().expect("a number");
            let parts = near.mul(&Rat::from(1 << 40)).floor();
            parts.to_i64().expect("small") as f64 / (1u64 << 40) as f64
        }

        proptest! {
            /// The system's functions are right to many digits, though not proved so.
            #[test]
            fn near_what_the_system_computes(x in fraction()) {
                let at = middle(&x);
                type SolverSet = (Function, fn(f64) -> f64);
                let table: [SolverSet; 6] = [
                    (Function::Sin, f64::sin),
                    (Function::Cos, f64::cos),
                    (Function::Atan, f64::atan),
                    (Function::Tanh, f64::tanh),
                    (Function::Log, f64::ln),
                    (Function::Sqrt, f64::sqrt),
                ];
                for (function, expected) in table {
                    if let Some(value) = Expression::apply(function, vec![x.clone()]) {
                        let difference = (middle(&value) - expected(at)).abs();
                        prop_assert!(difference < 1e-6, "{function:?} {at}: {difference}");
                    }
                }
            }

            /// sin² + cos² = 1, exp(log x) = x, tan(atan x) = x: the bounds of both sides meet, at every precision.
            #[test]
            fn identities_are_never_refuted(x in fraction()) {
                let f = |function, x: &Expression| Expression::apply(function, vec![x.clone()]);
                let square = |x: Expression| Expression::apply(Function::Mul, vec![x.clone(), x]);
                let one = Expression::of(&Value::Real(Rat::ONE)).expect("a number");
                let sines = [Function::Sin, Function::Cos].map(|one| f(one, &x).and_then(square));
                if let [Some(a), Some(b)] = sines {
                    let sum = Expression::apply(Function::Add, vec![a, b]).expect("defined");
                    let order = sum.compare(&one);
                    prop_assert!(order.is_none_or(Ordering::is_eq), "{order:?}");
                }
                for (inner, outer) in [
                    (Function::Log, Function::Exp),
                    (Function::Atan, Function::Tan),
                    (Function::Sqrt, Function::Abs),
                ] {
                    if let Some(there) = f(inner, &x)
                        && let Some(back) = f(outer, &there)
                    {
                        let back = match outer {
                            Function::Abs => square(back).expect("defined"),
                            _ => back,
                        };
                        let order = back.compare(&x);
                        prop_assert!(order.is_none_or(Ordering::is_eq), "{inner:?}: {order:?}");
                    }
                }
            }
        }
    }
}
