//! Functions that take functions: maps, filters and folds over sets, bags and sequences.

use super::Meaning::None as Unknown;
use super::{Known, Row, row};

const CVC5: Known = Known::CVC5;
const Z3: Known = Known::Z3;
const FUNCTION: super::Meaning = Unknown("functions applied to every element");

pub const SETS: &[Row] = &[
    row(
        "(par (X Y) (set.map (-> X Y) (Set X) (Set Y)))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X) (set.filter (-> X Bool) (Set X) (Set X)))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X) (set.all (-> X Bool) (Set X) Bool))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X) (set.some (-> X Bool) (Set X) Bool))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X Y) (set.fold (-> X Y Y) Y (Set X) Y))",
        CVC5,
        FUNCTION,
    ),
];

pub const BAGS: &[Row] = &[
    row(
        "(par (X Y) (bag.map (-> X Y) (Bag X) (Bag Y)))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X) (bag.filter (-> X Bool) (Bag X) (Bag X)))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X) (bag.all (-> X Bool) (Bag X) Bool))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X) (bag.some (-> X Bool) (Bag X) Bool))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X Y) (bag.fold (-> X Y Y) Y (Bag X) Y))",
        CVC5,
        FUNCTION,
    ),
    row(
        "(par (X) (bag.partition (-> X X Bool) (Bag X) (Bag (Bag X))))",
        CVC5,
        FUNCTION,
    ),
];

pub const SEQUENCES: &[Row] = &[
    row(
        "(par (A B) (seq.map (-> A B) (Seq A) (Seq B)))",
        Z3,
        FUNCTION,
    ),
    row(
        "(par (A B) (seq.mapi (-> Int A B) Int (Seq A) (Seq B)))",
        Z3,
        FUNCTION,
    ),
    row(
        "(par (A B) (seq.foldl (-> B A B) B (Seq A) B))",
        Z3,
        FUNCTION,
    ),
    row(
        "(par (A B) (seq.foldli (-> Int B A B) Int B (Seq A) B))",
        Z3,
        FUNCTION,
    ),
];
