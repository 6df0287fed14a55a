//! cvc5's nullable sorts: a value of the sort, or none.

use super::Meaning::None as Unknown;
use super::{Row, SolverSet, row};
use crate::sort::{Sort, SortKind, Sorts};

const CVC5: SolverSet = SolverSet::CVC5;
const NO_VALUES: super::Meaning = Unknown("nullable values");

pub const ROWS: &[Row] = &[
    row("(par (X) (nullable.some X (Nullable X)))", CVC5, NO_VALUES),
    row(
        "(par (X) (nullable.null (Nullable X) :qualified))",
        CVC5,
        NO_VALUES,
    ),
    row("(par (X) (nullable.val (Nullable X) X))", CVC5, NO_VALUES),
    row(
        "(par (X) (nullable.is_null (Nullable X) Bool))",
        CVC5,
        NO_VALUES,
    ),
    row(
        "(par (X) (nullable.is_some (Nullable X) Bool))",
        CVC5,
        NO_VALUES,
    ),
    row(
        "(nullable.lift Function Nullable Nullable)",
        CVC5,
        NO_VALUES,
    )
    .rule(lift),
];

/// A function of `n` arguments and `n` nullables of its argument sorts give a nullable result.
fn lift(sorts: &mut Sorts, _: &[u64], args: &[Sort]) -> Option<Sort> {
    let (function, args) = args.split_first()?;
    let SortKind::Function(parts) = sorts.kind(*function) else {
        return None;
    };
    let (result, params) = parts.split_last()?;
    let fits = params.len() == args.len()
        && params
            .iter()
            .zip(args)
            .all(|(param, arg)| *sorts.kind(*arg) == SortKind::Nullable(*param));
    let result = SortKind::Nullable(*result);
    fits.then(|| sorts.intern(result))
}
