//! Parts of the state of a Horn problem: a few arguments with an invariant, and steps that keep it.
//!
//! ```text
//! u, v with u + v = 7      starts at 3, 4; steps to u + w, v - w; never u + v > 7
//! ```
//!
//! Everything is text over given arguments, so that a step can be written for variables and computed for values.

use crate::draw::Draw;
use auspex_logic::Theory;

/// A few arguments with what holds of them.
#[derive(Clone, Debug)]
pub(super) enum Component {
    /// `v >= low`.
    Above { low: i64 },
    /// `v mod m = r`.
    Residue { modulus: i64, rest: i64 },
    /// `u + v = sum`.
    Sum { sum: i64 },
    /// `v = factor * u`.
    Multiple { factor: i64 },
    /// `u <= v`.
    Ordered,
    /// `0.0 <= r <= high`.
    Within { high: i64 },
    /// The low bits of `b` are fixed.
    LowBits { width: u64, low: u64, bits: u64 },
    /// `b <= high`, unsigned.
    AtMost { width: u64, high: u64 },
    /// `a[place] >= low`.
    Element { place: i64, low: i64 },
    /// `a[k] = v`.
    Holds,
    /// The head of a list, if it has one, is at least `low`.
    Head { low: i64 },
    /// A colour is not red.
    NotRed,
    /// `q` implies `v > low`.
    Flag { low: i64 },
}

/// One move of a component: what must hold, the new arguments, and the sorts of new variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    pub guards: Vec<String>,
    pub arguments: Vec<String>,
}

pub(super) const LIST: &str =
    "(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))\n";
pub(super) const COLOUR: &str = "(declare-datatypes ((Colour 0)) (((red) (green) (blue))))\n";

impl Component {
    /// A component whose sorts belong to some theories; none where these have none.
    pub fn choose(draw: &mut Draw, theories: &[Theory]) -> Option<Component> {
        let has =
            |needed: &[Theory]| theories.is_empty() || needed.iter().all(|t| theories.contains(t));
        let small = |draw: &mut Draw| draw.below(12) as i64 - 3;
        let mut choices = Vec::new();
        if has(&[Theory::Ints]) {
            choices.extend([0, 1, 2, 3, 4, 12]);
        }
        if has(&[Theory::Reals]) {
            choices.extend([5, 5]);
        }
        if has(&[Theory::BitVectors]) {
            choices.extend([6, 7]);
        }
        if has(&[Theory::Arrays, Theory::Ints]) {
            choices.extend([8, 8, 9]);
        }
        if has(&[Theory::Datatypes, Theory::Ints]) {
            choices.push(10);
        }
        if has(&[Theory::Datatypes]) {
            choices.push(11);
        }
        let width = draw.between(2, 6);
        Some(match draw.pick(&choices)? {
            0 => Component::Above { low: small(draw) },
            1 => {
                let modulus = draw.between(2, 5) as i64;
                let rest = draw.below(modulus as u64) as i64;
                Component::Residue { modulus, rest }
            }
            2 => Component::Sum { sum: small(draw) },
            3 => Component::Multiple {
                factor: draw.between(2, 4) as i64,
            },
            4 => Component::Ordered,
            5 => Component::Within {
                high: draw.between(1, 9) as i64,
            },
            6 => {
                let low = draw.between(1, width);
                Component::LowBits {
                    width,
                    low,
                    bits: draw.below(1 << low),
                }
            }
            7 => Component::AtMost {
                width,
                high: draw.below(1 << width),
            },
            8 => Component::Element {
                place: small(draw),
                low: small(draw),
            },
            9 => Component::Holds,
            10 => Component::Head { low: small(draw) },
            11 => Component::NotRed,
            _ => Component::Flag { low: small(draw) },
        })
    }

    pub fn sorts(&self) -> Vec<String> {
        let named = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        match self {
            Component::Above { .. } | Component::Residue { .. } => named(&["Int"]),
            Component::Sum { .. } | Component::Multiple { .. } | Component::Ordered => {
                named(&["Int", "Int"])
            }
            Component::Within { .. } => named(&["Real"]),
            Component::LowBits { width, .. } | Component::AtMost { width, .. } => {
                vec![format!("(_ BitVec {width})")]
            }
            Component::Element { .. } => named(&["(Array Int Int)"]),
            Component::Holds => named(&["(Array Int Int)", "Int", "Int"]),
            Component::Head { .. } => named(&["List"]),
            Component::NotRed => named(&["Colour"]),
            Component::Flag { .. } => named(&["Bool", "Int"]),
        }
    }

    /// The sort of the variable that a step may choose.
    pub fn fresh_sort(&self) -> String {
        match self {
            Component::NotRed => "Colour".to_string(),
            Component::Within { .. } => "Real".to_string(),
            Component::LowBits { width, .. } | Component::AtMost { width, .. } => {
                format!("(_ BitVec {width})")
            }
            _ => "Int".to_string(),
        }
    }

    /// A value for the variable that a step may choose.
    pub fn fresh_value(&self, draw: &mut Draw) -> String {
        match self {
            Component::NotRed => ["green", "blue"][draw.index(2)].to_string(),
            Component::Within { high } => format!("{}.0", draw.below(*high as u64 + 1)),
            Component::LowBits { width, .. } | Component::AtMost { width, .. } => {
                bits(*width, draw.below(1 << width))
            }
            _ => int(draw.below(14) as i64 - 4),
        }
    }

    /// What holds of the arguments.
    pub fn invariant(&self, args: &[String]) -> String {
        let (u, v) = (&args[0], args.get(1).unwrap_or(&args[0]));
        match self {
            Component::Above { low } => format!("(>= {u} {})", int(*low)),
            Component::Residue { modulus, rest } => format!("(= (mod {u} {modulus}) {rest})"),
            Component::Sum { sum } => format!("(= (+ {u} {v}) {})", int(*sum)),
            Component::Multiple { factor } => format!("(= {v} (* {factor} {u}))"),
            Component::Ordered => format!("(<= {u} {v})"),
            Component::Within { high } => format!("(and (<= 0.0 {u}) (<= {u} {high}.0))"),
            Component::LowBits {
                width,
                low,
                bits: value,
            } => {
                let mask = bits(*width, (1 << low) - 1);
                format!("(= (bvand {u} {mask}) {})", bits(*width, *value))
            }
            Component::AtMost { width, high } => format!("(bvule {u} {})", bits(*width, *high)),
            Component::Element { place, low } => {
                format!("(>= (select {u} {}) {})", int(*place), int(*low))
            }
            Component::Holds => format!("(= (select {u} {v}) {})", args[2]),
            Component::Head { low } => {
                format!("(or (not ((_ is cons) {u})) (>= (head {u}) {}))", int(*low))
            }
            Component::NotRed => format!("(not (= {u} red))"),
            Component::Flag { low } => format!("(=> {u} (> {v} {}))", int(*low)),
        }
    }

    /// Values to start from.
    pub fn start(&self, draw: &mut Draw) -> Vec<String> {
        let more = draw.below(4) as i64;
        match self {
            Component::Above { low } => vec![int(low + more)],
            Component::Residue { modulus, rest } => vec![int(rest + modulus * (more - 1))],
            Component::Sum { sum } => vec![int(more), int(sum - more)],
            Component::Multiple { factor } => vec![int(more), int(factor * more)],
            Component::Ordered => vec![int(more - 2), int(more)],
            Component::Within { high } => vec![format!("{}.0", more.min(*high))],
            Component::LowBits {
                width, bits: value, ..
            } => vec![bits(*width, *value)],
            Component::AtMost { width, high } => vec![bits(*width, (*high).min(more as u64))],
            Component::Element { place, low } => {
                let all = "((as const (Array Int Int)) 0)";
                vec![format!("(store {all} {} {})", int(*place), int(low + more))]
            }
            Component::Holds => {
                let value = int(more);
                vec![
                    format!("((as const (Array Int Int)) {value})"),
                    int(3 - more),
                    value,
                ]
            }
            Component::Head { low } => match draw.coin() {
                true => vec!["nil".to_string()],
                false => vec![format!("(cons {} nil)", int(low + more))],
            },
            Component::NotRed => vec![["green", "blue"][draw.index(2)].to_string()],
            Component::Flag { low } => match draw.coin() {
                true => vec!["false".to_string(), int(more)],
                false => vec!["true".to_string(), int(low + 1 + more)],
            },
        }
    }

    /// A step that keeps the invariant; `fresh` is a variable or a value of the component's choice.
    pub fn step(&self, draw: &mut Draw, args: &[String], fresh: &str) -> Step {
        let (u, v) = (&args[0], args.get(1).unwrap_or(&args[0]));
        let choice = draw.below(4);
        let amount = draw.between(1, 4) as i64;
        let free = |arguments: Vec<String>| Step {
            guards: Vec::new(),
            arguments,
        };
        let guarded = |guard: String, arguments: Vec<String>| Step {
            guards: vec![guard],
            arguments,
        };
        match self {
            Component::Above { low } => match choice {
                0 | 1 => free(vec![format!("(+ {u} {amount})")]),
                2 => guarded(format!("(>= {fresh} {u})"), vec![fresh.to_string()]),
                _ => free(vec![format!(
                    "(ite (> {u} {}) (- {u} {amount}) {u})",
                    int(low + amount)
                )]),
            },
            Component::Residue { modulus, .. } => match choice {
                0 | 1 => free(vec![format!("(+ {u} {})", modulus * amount)]),
                2 => free(vec![format!("(+ {u} (* {modulus} {fresh}))")]),
                _ => free(vec![format!("(- {u} {modulus})")]),
            },
            Component::Sum { .. } => match choice {
                0 | 1 => free(vec![
                    format!("(+ {u} {amount})"),
                    format!("(- {v} {amount})"),
                ]),
                2 => free(vec![format!("(- {u} {fresh})"), format!("(+ {v} {fresh})")]),
                _ => free(vec![v.clone(), u.clone()]),
            },
            Component::Multiple { factor } => match choice {
                0 | 1 => free(vec![
                    format!("(+ {u} {amount})"),
                    format!("(+ {v} {})", factor * amount),
                ]),
                2 => free(vec![
                    format!("(+ {u} {fresh})"),
                    format!("(+ {v} (* {factor} {fresh}))"),
                ]),
                _ => free(vec![format!("(- {u})"), format!("(- {v})")]),
            },
            Component::Ordered => match choice {
                0 => free(vec![u.clone(), format!("(+ {v} {amount})")]),
                1 => free(vec![format!("(- {u} {amount})"), v.clone()]),
                2 => guarded(
                    format!("(< {u} {v})"),
                    vec![format!("(+ {u} 1)"), v.clone()],
                ),
                _ => guarded(
                    format!("(<= {v} {fresh})"),
                    vec![v.clone(), fresh.to_string()],
                ),
            },
            Component::Within { high } => match choice {
                0 => free(vec![format!("(/ {u} 2.0)")]),
                1 => free(vec![format!("(- {high}.0 {u})")]),
                2 => guarded(
                    format!("(and (<= 0.0 {fresh}) (<= {fresh} {u}))"),
                    vec![fresh.to_string()],
                ),
                _ => guarded(
                    format!("(<= (* 2.0 {u}) {high}.0)"),
                    vec![format!("(* 2.0 {u})")],
                ),
            },
            Component::LowBits { width, low, .. } => {
                let mask = bits(*width, (1 << low) - 1);
                match choice {
                    0 | 1 => free(vec![format!(
                        "(bvadd {u} {})",
                        bits(*width, (amount as u64) << low)
                    )]),
                    2 => free(vec![format!("(bvxor {u} (bvand {fresh} (bvnot {mask})))")]),
                    _ => free(vec![format!(
                        "(bvor (bvand {u} {mask}) (bvshl {fresh} {}))",
                        bits(*width, *low)
                    )]),
                }
            }
            Component::AtMost { width, .. } => match choice {
                0 => free(vec![format!("(bvand {u} {fresh})")]),
                1 => free(vec![format!("(bvlshr {u} {})", bits(*width, 1))]),
                2 => guarded(format!("(bvule {fresh} {u})"), vec![fresh.to_string()]),
                _ => guarded(
                    format!("(bvule {fresh} {u})"),
                    vec![format!("(bvsub {u} {fresh})")],
                ),
            },
            Component::Element { place, low } => {
                let (place, low) = (int(*place), int(*low));
                match choice {
                    0 => guarded(
                        format!("(not (= {fresh} {place}))"),
                        vec![format!("(store {u} {fresh} {})", int(amount - 9))],
                    ),
                    1 => free(vec![format!(
                        "(store {u} {place} (+ (select {u} {place}) {amount}))"
                    )]),
                    2 => guarded(
                        format!("(>= {fresh} {low})"),
                        vec![format!("(store {u} {place} {fresh})")],
                    ),
                    _ => guarded(
                        format!("(> {fresh} {place})"),
                        vec![format!("(store {u} {fresh} (select {u} {place}))")],
                    ),
                }
            }
            Component::Holds => {
                let w = &args[2];
                match choice {
                    0 => free(vec![
                        format!("(store {u} {v} {fresh})"),
                        v.clone(),
                        fresh.to_string(),
                    ]),
                    1 => free(vec![
                        format!("(store {u} {fresh} {w})"),
                        fresh.to_string(),
                        w.clone(),
                    ]),
                    2 => guarded(
                        format!("(not (= {fresh} {v}))"),
                        vec![
                            format!("(store {u} {fresh} {amount})"),
                            v.clone(),
                            w.clone(),
                        ],
                    ),
                    _ => free(vec![
                        u.clone(),
                        fresh.to_string(),
                        format!("(select {u} {fresh})"),
                    ]),
                }
            }
            Component::Head { low } => match choice {
                0 | 1 => guarded(
                    format!("(>= {fresh} {})", int(*low)),
                    vec![format!("(cons {fresh} {u})")],
                ),
                2 => free(vec![format!(
                    "(ite ((_ is cons) {u}) (cons (+ (head {u}) {amount}) {u}) {u})"
                )]),
                _ => free(vec!["nil".to_string()]),
            },
            Component::NotRed => match choice {
                0 | 1 => free(vec![format!("(ite (= {u} green) blue green)")]),
                _ => guarded(format!("(not (= {fresh} red))"), vec![fresh.to_string()]),
            },
            Component::Flag { low } => match choice {
                0 => free(vec!["false".to_string(), fresh.to_string()]),
                1 => free(vec![u.clone(), format!("(+ {v} {amount})")]),
                2 => free(vec![
                    format!("(> {fresh} {})", int(*low)),
                    fresh.to_string(),
                ]),
                _ => free(vec![format!("(and {u} (> {v} {amount}))"), v.clone()]),
            },
        }
    }
}

/// A literal with its sign.
pub(super) fn int(value: i64) -> String {
    match value < 0 {
        true => format!("(- {})", value.unsigned_abs()),
        false => value.to_string(),
    }
}

/// The low bits of a number.
fn bits(width: u64, value: u64) -> String {
    let digits = (0..width)
        .rev()
        .map(|at| if value >> at & 1 == 1 { '1' } else { '0' });
    format!("#b{}", digits.collect::<String>())
}
