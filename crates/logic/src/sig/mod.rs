//! Operator signatures as data that run both ways: `infer` gives the result sort of an application, `propose` gives
//! argument sorts and indices for a wanted result. Written in the style of SMT-LIB theory declarations, so that a
//! user's file and the built-in tables share one reader:
//!
//! ```text
//! (bvadd (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)
//! ((_ extract i j) (_ BitVec m) (_ BitVec i-j+1) :where (j<=i i<m))
//! (par (X Y) (select (Array X Y) X Y))
//! ```

mod declaration;

use crate::sort::{Sort, SortKind, Sorts};
pub use declaration::{BadDeclaration, Declaration, read_declaration};

/// How a binary operator takes more than two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assoc {
    None,
    Left,
    Right,
    Chainable,
    Pairwise,
}

/// A sort with holes. Holes are numbered per signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    Exactly(Sort),
    Hole(u8),
    BitVec(Number),
    Float(Number, Number),
    Array(Box<Pattern>, Box<Pattern>),
    Seq(Box<Pattern>),
    Set(Box<Pattern>),
    Bag(Box<Pattern>),
    Nullable(Box<Pattern>),
    /// `(-> arguments… result)`.
    Function(Vec<Pattern>),
    /// Any finite field; the same one wherever the same letter stands.
    Field(u8),
    /// A sort of a user's signature file, by name, with its arguments.
    Named(Box<str>, Vec<Pattern>),
}

/// `constant + Σ factor·variable`, or the product of two variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    pub constant: i64,
    pub linear: Vec<(i64, u8)>,
    pub product: Option<(u8, u8)>,
}

/// `left <= right` between numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtMost(pub Number, pub Number);

/// A result sort that no pattern expresses, computed from indices and argument sorts.
pub type Rule = fn(&mut Sorts, &[u64], &[Sort]) -> Option<Sort>;

/// The signature of one operator.
#[derive(Clone, Debug)]
pub struct Sig {
    /// Number variables bound by the indices, in order.
    pub indices: Vec<u8>,
    pub params: Vec<Pattern>,
    pub result: Pattern,
    pub assoc: Assoc,
    pub conditions: Vec<AtMost>,
    /// Whether the result sort is written with `(as name sort)`, because the arguments do not determine it.
    pub qualified: bool,
    /// Computes the sort instead of the patterns, which then only describe it; runs in one direction only.
    pub rule: Option<Rule>,
    pub(crate) holes: u8,
    pub(crate) numbers: u8,
    pub(crate) shape: Shape,
}

/// A precomputed classification: matching patterns for each of millions of applications would take longer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// No holes or numbers, such as most of Core and integers; with the result sort.
    Fixed(Sort),
    /// All arguments of one sort, such as `=` and most of bit-vectors; the result has the given sort, or else that of
    /// the arguments.
    Alike(Option<Sort>),
    Other,
}

impl Shape {
    pub fn of(sig: &Sig) -> Shape {
        let plain = sig.indices.is_empty() && sig.conditions.is_empty();
        let first = sig.params.first();
        let alike = first.is_some_and(|first| {
            let one_sort = match first {
                Pattern::Hole(_) => true,
                Pattern::BitVec(width) => width.lone_variable().is_some(),
                _ => false,
            };
            one_sort && sig.params.iter().all(|param| param == first)
        });
        let exactly = |pattern: &Pattern| matches!(pattern, Pattern::Exactly(_));
        match sig.result {
            Pattern::Exactly(result) if plain && sig.params.iter().all(exactly) => {
                Shape::Fixed(result)
            }
            // With more than two arguments, the result of the first two is combined with the third.
            Pattern::Exactly(_) if sig.assoc == Assoc::Left => Shape::Other,
            Pattern::Exactly(result) if plain && alike => Shape::Alike(Some(result)),
            ref result if plain && alike && Some(result) == first => Shape::Alike(None),
            _ => Shape::Other,
        }
    }
}

const MOST: usize = 8;

/// The values of the holes.
#[derive(Clone, Copy)]
pub struct Bindings {
    /// `Sort::UNKNOWN` where a hole is open.
    sorts: [Sort; MOST],
    /// `OPEN` where a number is open.
    numbers: [i64; MOST],
}

const OPEN: i64 = i64::MIN;

impl Default for Bindings {
    fn default() -> Self {
        Bindings {
            sorts: [Sort::UNKNOWN; MOST],
            numbers: [OPEN; MOST],
        }
    }
}

impl Bindings {
    fn sort(&self, hole: u8) -> Option<Sort> {
        Some(self.sorts[hole as usize]).filter(|sort| *sort != Sort::UNKNOWN)
    }

    fn number(&self, variable: u8) -> Option<i64> {
        Some(self.numbers[variable as usize]).filter(|number| *number != OPEN)
    }

    /// Fills a hole, or compares with its value.
    #[inline]
    fn bind(&mut self, sorts: &Sorts, hole: u8, actual: Sort) -> bool {
        let bound = &mut self.sorts[hole as usize];
        if *bound == Sort::UNKNOWN {
            *bound = actual;
            return true;
        }
        *bound == actual || sorts.is_compatible(*bound, actual)
    }
}

impl Number {
    pub fn constant(value: i64) -> Self {
        Number {
            constant: value,
            linear: Vec::new(),
            product: None,
        }
    }

    fn lone_variable(&self) -> Option<u8> {
        match (self.constant, self.linear.as_slice(), self.product) {
            (0, [(1, v)], None) => Some(*v),
            _ => None,
        }
    }

    fn value(&self, bindings: &Bindings) -> Option<i64> {
        let mut sum = self.constant;
        for (factor, variable) in &self.linear {
            sum = sum.checked_add(factor.checked_mul(bindings.number(*variable)?)?)?;
        }
        if let Some((a, b)) = self.product {
            let product = bindings.number(a)?.checked_mul(bindings.number(b)?)?;
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    /// Makes the number equal `target`, binding the one variable left open, if exactly one is.
    fn solve(&self, target: i64, bindings: &mut Bindings) -> bool {
        if let Some(value) = self.value(bindings) {
            return value == target;
        }
        let mut open = None;
        let mut rest = target.checked_sub(self.constant);
        for (factor, variable) in &self.linear {
            match bindings.number(*variable) {
                Some(value) => rest = rest.and_then(|r| r.checked_sub(factor.checked_mul(value)?)),
                None if open.is_some() => return true,
                None => open = Some((*factor, *variable)),
            }
        }
        if let Some((a, b)) = self.product {
            open = match (bindings.number(a), bindings.number(b)) {
                (Some(k), None) => Some((k, b)),
                (None, Some(k)) => Some((k, a)),
                _ => return true,
            };
        }
        match (open, rest) {
            (Some((factor, variable)), Some(rest))
                if factor != 0 && rest % factor == 0 && rest / factor >= 0 =>
            {
                bindings.numbers[variable as usize] = rest / factor;
                true
            }
            _ => false,
        }
    }
}

impl Pattern {
    /// Matches an actual sort, binding open holes. An unknown sort matches anything.
    fn matches(&self, sorts: &mut Sorts, actual: Sort, bindings: &mut Bindings) -> bool {
        match self {
            _ if actual == Sort::UNKNOWN => return true,
            Pattern::Exactly(sort) => return *sort == actual,
            Pattern::Hole(hole) => return bindings.bind(sorts, *hole, actual),
            _ => {}
        }
        match (self, sorts.kind(actual)) {
            (Pattern::BitVec(width), SortKind::BitVec(w)) => match_number(width, *w, bindings),
            (Pattern::Float(e, s), SortKind::Float { eb, sb }) => {
                match_number(e, *eb, bindings) && match_number(s, *sb, bindings)
            }
            (Pattern::Array(i, e), &SortKind::Array(index, element)) => {
                i.matches(sorts, index, bindings) && e.matches(sorts, element, bindings)
            }
            (Pattern::Seq(p), &SortKind::Seq(e))
            | (Pattern::Set(p), &SortKind::Set(e))
            | (Pattern::Bag(p), &SortKind::Bag(e))
            | (Pattern::Nullable(p), &SortKind::Nullable(e)) => p.matches(sorts, e, bindings),
            (Pattern::Field(hole), SortKind::FiniteField(_)) => bindings.bind(sorts, *hole, actual),
            // For z3 arrays are functions.
            (Pattern::Function(patterns), SortKind::Function(_) | SortKind::Array(..)) => {
                let parts = sorts.curried(actual).unwrap_or_default();
                match_function(patterns, sorts, &parts, bindings)
            }
            (Pattern::Named(name, patterns), SortKind::Declared(symbol, args)) => {
                let args = args.clone();
                sorts.user_sort(name) == Some(*symbol)
                    && patterns.len() == args.len()
                    && (patterns.iter().zip(args)).all(|(p, s)| p.matches(sorts, s, bindings))
            }
            _ => false,
        }
    }

    /// The sort this pattern stands for, once all its holes are bound.
    pub fn instance(&self, sorts: &mut Sorts, bindings: &Bindings) -> Option<Sort> {
        let small = |n: &Number| n.value(bindings).and_then(|v| u32::try_from(v).ok());
        match self {
            Pattern::Exactly(sort) => Some(*sort),
            Pattern::Hole(hole) | Pattern::Field(hole) => bindings.sort(*hole),
            Pattern::BitVec(width) => {
                let width = small(width).filter(|w| *w > 0)?;
                Some(sorts.bit_vec(width))
            }
            Pattern::Float(eb, sb) => {
                let (eb, sb) = (small(eb).filter(|e| *e > 1)?, small(sb).filter(|s| *s > 1)?);
                Some(sorts.float(eb, sb))
            }
            Pattern::Array(i, e) => {
                let (i, e) = (i.instance(sorts, bindings)?, e.instance(sorts, bindings)?);
                Some(sorts.array(i, e))
            }
            Pattern::Seq(e) => e.instance(sorts, bindings).map(|e| sorts.seq(e)),
            Pattern::Set(e) => e.instance(sorts, bindings).map(|e| sorts.set(e)),
            Pattern::Bag(e) => e
                .instance(sorts, bindings)
                .map(|e| sorts.intern(SortKind::Bag(e))),
            Pattern::Nullable(e) => e
                .instance(sorts, bindings)
                .map(|e| sorts.intern(SortKind::Nullable(e))),
            Pattern::Function(parts) => {
                let parts: Option<Box<[Sort]>> =
                    parts.iter().map(|p| p.instance(sorts, bindings)).collect();
                let parts = parts?;
                // A function that returns a function would have more arguments than the pattern.
                let gives_function = |last| matches!(sorts.kind(last), SortKind::Function(_));
                if parts.last().copied().is_some_and(gives_function) {
                    return None;
                }
                Some(sorts.intern(SortKind::Function(parts)))
            }
            Pattern::Named(name, args) => {
                let symbol = sorts.user_sort(name)?;
                let args: Option<Box<[Sort]>> =
                    args.iter().map(|p| p.instance(sorts, bindings)).collect();
                Some(sorts.intern(SortKind::Declared(symbol, args?)))
            }
        }
    }
}

/// A function of several arguments is also a function that returns a function.
fn match_function(
    patterns: &[Pattern],
    sorts: &mut Sorts,
    parts: &[Sort],
    bindings: &mut Bindings,
) -> bool {
    let Some((result, arguments)) = patterns.split_last() else {
        return false;
    };
    let Some(rest) = parts.get(arguments.len()..).filter(|rest| !rest.is_empty()) else {
        return false;
    };
    let rest = match rest {
        [only] => *only,
        more => sorts.intern(SortKind::Function(more.into())),
    };
    arguments
        .iter()
        .zip(parts)
        .all(|(p, s)| p.matches(sorts, *s, bindings))
        && result.matches(sorts, rest, bindings)
}

fn match_number(number: &Number, actual: u32, bindings: &mut Bindings) -> bool {
    if let Some(variable) = number.lone_variable()
        && bindings.number(variable).is_none()
    {
        bindings.numbers[variable as usize] = i64::from(actual);
        return true;
    }
    number.solve(i64::from(actual), bindings)
}

/// Argument sorts and indices that give a wanted result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub indices: Vec<u64>,
    pub params: Vec<Sort>,
}

impl Sig {
    /// Whether the signature takes this number of arguments. One argument to an associative operator is not standard
    /// SMT-LIB, but solvers' tests use it.
    pub fn takes(&self, count: usize) -> bool {
        count == self.params.len()
            || self.params.len() == 2
                && match self.assoc {
                    Assoc::None => false,
                    Assoc::Left | Assoc::Right => count >= 1,
                    Assoc::Chainable | Assoc::Pairwise => count >= 1,
                }
    }

    /// The pattern of the argument at a place among `count`.
    fn param(&self, place: usize, count: usize) -> &Pattern {
        match self.assoc {
            Assoc::Right if count != self.params.len() => {
                if place + 1 == count {
                    &self.params[1]
                } else {
                    &self.params[0]
                }
            }
            Assoc::None => &self.params[place],
            _ if count == self.params.len() => &self.params[place],
            _ if place == 0 => &self.params[0],
            _ => &self.params[1],
        }
    }

    /// The result sort of an application, or `None` if it does not fit.
    pub fn infer(&self, sorts: &mut Sorts, indices: &[u64], args: &[Sort]) -> Option<Sort> {
        if let Some(rule) = self.rule {
            let open = args.contains(&Sort::UNKNOWN);
            return rule(sorts, indices, args).or(open.then_some(Sort::UNKNOWN));
        }
        if !self.takes(args.len()) {
            return None;
        }
        match self.shape {
            Shape::Fixed(result) => {
                return (indices.is_empty() && self.fits_fixed(args)).then_some(result);
            }
            Shape::Alike(result) if indices.is_empty() && self.are_alike(sorts, args) => {
                return result.or(args.first().copied());
            }
            _ => {}
        }
        let mut bindings = self.with_indices(indices)?;
        // `concat` and the like: the result width grows with every further argument.
        if self.assoc == Assoc::Left && args.len() > 2 && self.result != self.params[0] {
            let first = self.infer(sorts, indices, &args[..2])?;
            return args[2..]
                .iter()
                .try_fold(first, |sum, next| self.infer(sorts, indices, &[sum, *next]));
        }
        for (place, arg) in args.iter().enumerate() {
            if !self
                .param(place, args.len())
                .matches(sorts, *arg, &mut bindings)
            {
                return None;
            }
        }
        if !self.conditions_hold(&bindings) {
            return None;
        }
        match self.result.instance(sorts, &bindings) {
            Some(sort) if sorts.is_too_large(sort) => None,
            Some(sort) => Some(sort),
            None if args.contains(&Sort::UNKNOWN) => Some(Sort::UNKNOWN),
            None => None,
        }
    }

    #[inline]
    fn fits_fixed(&self, args: &[Sort]) -> bool {
        let fits = |wanted: &Pattern, arg: Sort| {
            arg == Sort::UNKNOWN || matches!(wanted, Pattern::Exactly(sort) if *sort == arg)
        };
        if args.len() == self.params.len() {
            return self.params.iter().zip(args).all(|(p, arg)| fits(p, *arg));
        }
        let mut places = args.iter().enumerate();
        places.all(|(place, arg)| fits(self.param(place, args.len()), *arg))
    }

    /// Whether all arguments have one known sort that fits a signature with equal argument sorts. If not, they may
    /// still fit.
    #[inline]
    fn are_alike(&self, sorts: &Sorts, args: &[Sort]) -> bool {
        let (Some(pattern), Some(first)) = (self.params.first(), args.first()) else {
            return false;
        };
        *first != Sort::UNKNOWN
            && args.iter().all(|arg| arg == first)
            && !sorts.is_too_large(*first)
            && (matches!(pattern, Pattern::Hole(_)) || sorts.bit_width(*first).is_some())
    }

    /// The argument sorts of an application some of whose arguments (and perhaps its result) are not known yet, as
    /// far as the known ones determine them. `None` if the known ones do not fit.
    pub fn complete(
        &self,
        sorts: &mut Sorts,
        indices: &[u64],
        args: &[Sort],
        result: Sort,
    ) -> Option<Vec<Sort>> {
        let mut bindings = self.with_indices(indices)?;
        if self.rule.is_some()
            || !self.takes(args.len())
            || !self.result.matches(sorts, result, &mut bindings)
        {
            return None;
        }
        let pattern = |place: usize| self.param(place, args.len());
        for (place, arg) in args.iter().enumerate() {
            if !pattern(place).matches(sorts, *arg, &mut bindings) {
                return None;
            }
        }
        let sort = |(place, arg): (usize, &Sort)| match *arg {
            Sort::UNKNOWN => pattern(place)
                .instance(sorts, &bindings)
                .unwrap_or(Sort::UNKNOWN),
            known => known,
        };
        Some(args.iter().enumerate().map(sort).collect())
    }

    /// Whether an application whose result sort is written with `as` fits.
    pub fn fits(&self, sorts: &mut Sorts, indices: &[u64], args: &[Sort], result: Sort) -> bool {
        let Some(mut bindings) = self.with_indices(indices) else {
            return false;
        };
        self.takes(args.len())
            && self.result.matches(sorts, result, &mut bindings)
            && args.iter().enumerate().all(|(place, arg)| {
                self.param(place, args.len())
                    .matches(sorts, *arg, &mut bindings)
            })
    }

    fn with_indices(&self, indices: &[u64]) -> Option<Bindings> {
        if indices.len() != self.indices.len() {
            return None;
        }
        let mut bindings = Bindings::default();
        for (variable, index) in self.indices.iter().zip(indices) {
            bindings.numbers[*variable as usize] = i64::try_from(*index).ok()?;
        }
        Some(bindings)
    }

    fn conditions_hold(&self, bindings: &Bindings) -> bool {
        self.conditions.iter().all(|AtMost(low, high)| {
            match (low.value(bindings), high.value(bindings)) {
                (Some(low), Some(high)) => low <= high,
                _ => true,
            }
        })
    }

    /// Argument sorts and indices such that the application has sort `result`.
    /// Open holes are filled with sorts from `hints` where one fits, else with small numbers;
    /// `choose(n)` picks a number below `n`. `None` if the operator cannot give that sort.
    pub fn propose(
        &self,
        sorts: &mut Sorts,
        result: Sort,
        hints: &[Sort],
        choose: &mut dyn FnMut(u64) -> u64,
    ) -> Option<Proposal> {
        let mut forced = Bindings::default();
        if !self.result.matches(sorts, result, &mut forced) {
            return None;
        }
        const TRIES: usize = 8;
        (0..TRIES).find_map(|_| self.try_proposal(sorts, result, forced, hints, choose))
    }

    fn try_proposal(
        &self,
        sorts: &mut Sorts,
        result: Sort,
        mut bindings: Bindings,
        hints: &[Sort],
        choose: &mut dyn FnMut(u64) -> u64,
    ) -> Option<Proposal> {
        for pattern in &self.params {
            if pattern.instance(sorts, &bindings).is_none() {
                self.fill(sorts, pattern, &mut bindings, hints, choose);
            }
        }
        self.result.matches(sorts, result, &mut bindings);
        for variable in 0..self.numbers as usize {
            if bindings.numbers[variable] == OPEN {
                bindings.numbers[variable] = choose(9) as i64;
                if !self.result.matches(sorts, result, &mut bindings) {
                    return None;
                }
            }
        }
        for hole in 0..self.holes as usize {
            if bindings.sorts[hole] == Sort::UNKNOWN {
                bindings.sorts[hole] = pick(hints, choose).unwrap_or(Sort::INT);
            }
        }
        let params: Option<Vec<Sort>> = self
            .params
            .iter()
            .map(|p| p.instance(sorts, &bindings))
            .collect();
        let indices: Option<Vec<u64>> = self
            .indices
            .iter()
            .map(|v| bindings.number(*v).and_then(|n| u64::try_from(n).ok()))
            .collect();
        let proposal = Proposal {
            indices: indices?,
            params: params?,
        };
        let fits = if self.qualified {
            self.fits(sorts, &proposal.indices, &proposal.params, result)
        } else {
            self.infer(sorts, &proposal.indices, &proposal.params) == Some(result)
        };
        fits.then_some(proposal)
    }

    fn fill(
        &self,
        sorts: &mut Sorts,
        pattern: &Pattern,
        bindings: &mut Bindings,
        hints: &[Sort],
        choose: &mut dyn FnMut(u64) -> u64,
    ) {
        let fitting: Vec<Sort> = hints
            .iter()
            .copied()
            .filter(|hint| pattern.matches(sorts, *hint, &mut bindings.clone()))
            .collect();
        if let Some(hint) = pick(&fitting, choose)
            && choose(4) > 0
        {
            pattern.matches(sorts, hint, bindings);
        }
    }
}

fn pick(from: &[Sort], choose: &mut dyn FnMut(u64) -> u64) -> Option<Sort> {
    if from.is_empty() {
        None
    } else {
        Some(from[choose(from.len() as u64) as usize])
    }
}
