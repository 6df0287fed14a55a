//! `Re`, a value of sort RegLan: the regular expression as it was written, shared and cheap to clone.
//!
//! Two expressions are `==` when they are written alike; whether they denote the same language is asked with `Re::same_language`.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::string::{MAX_CODE_POINT, Str};

/// A regular expression over code points.
#[derive(Clone)]
pub struct Re(Arc<Node>);

struct Node {
    shape: Shape,
    /// Of the whole expression, computed once so that comparing and hashing do not descend.
    hash: u64,
    /// Of the whole expression, counted once per occurrence.
    size: u64,
}

/// One level of a regular expression, in the words of the standard.
#[derive(Clone, Debug)]
pub enum Shape {
    None,
    All,
    AllChar,
    Literal(Str),
    /// From a first to a last code point, the first not beyond the last.
    Range(u32, u32),
    Concat(Box<[Re]>),
    Union(Box<[Re]>),
    Inter(Box<[Re]>),
    /// The first without the others.
    Diff(Box<[Re]>),
    Star(Re),
    Plus(Re),
    Opt(Re),
    Comp(Re),
    Power(Re, u32),
    /// At least, and at most if there is a bound.
    Loop(Re, u32, Option<u32>),
}

impl Shape {
    pub(super) fn parts(&self) -> &[Re] {
        match self {
            Self::None | Self::All | Self::AllChar | Self::Literal(_) | Self::Range(..) => &[],
            Self::Concat(parts) | Self::Union(parts) | Self::Inter(parts) | Self::Diff(parts) => {
                parts
            }
            Self::Star(part)
            | Self::Plus(part)
            | Self::Opt(part)
            | Self::Comp(part)
            | Self::Power(part, _)
            | Self::Loop(part, ..) => std::slice::from_ref(part),
        }
    }

    fn map_parts(self, of: impl Fn(&Re) -> Re) -> Self {
        let all = |parts: Box<[Re]>| parts.iter().map(&of).collect();
        match self {
            Self::Concat(parts) => Self::Concat(all(parts)),
            Self::Union(parts) => Self::Union(all(parts)),
            Self::Inter(parts) => Self::Inter(all(parts)),
            Self::Diff(parts) => Self::Diff(all(parts)),
            Self::Star(part) => Self::Star(of(&part)),
            Self::Plus(part) => Self::Plus(of(&part)),
            Self::Opt(part) => Self::Opt(of(&part)),
            Self::Comp(part) => Self::Comp(of(&part)),
            Self::Power(part, count) => Self::Power(of(&part), count),
            Self::Loop(part, least, most) => Self::Loop(of(&part), least, most),
            leaf
            @ (Self::None | Self::All | Self::AllChar | Self::Literal(_) | Self::Range(..)) => leaf,
        }
    }

    /// Compares this level, apart from the parts.
    fn compare_level(&self, other: &Self) -> Ordering {
        let by_label = match (self, other) {
            (Self::Literal(a), Self::Literal(b)) => a.cmp(b),
            _ => self.opening().cmp(&other.opening()),
        };
        by_label.then(self.parts().len().cmp(&other.parts().len()))
    }

    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(self).hash(&mut hasher);
        match self {
            Self::Literal(word) => word.hash(&mut hasher),
            Self::Range(first, last) => (first, last).hash(&mut hasher),
            Self::Power(_, count) => count.hash(&mut hasher),
            Self::Loop(_, least, most) => (least, most).hash(&mut hasher),
            _ => {}
        }
        self.parts().iter().for_each(|part| part.hash(&mut hasher));
        hasher.finish()
    }

    /// The beginning of the SMT-LIB term, for shapes with parts.
    fn opening(&self) -> String {
        match self {
            Self::Concat(_) => "(re.++".into(),
            Self::Union(_) => "(re.union".into(),
            Self::Inter(_) => "(re.inter".into(),
            Self::Diff(_) => "(re.diff".into(),
            Self::Star(_) => "(re.*".into(),
            Self::Plus(_) => "(re.+".into(),
            Self::Opt(_) => "(re.opt".into(),
            Self::Comp(_) => "(re.comp".into(),
            Self::Power(_, count) => format!("((_ re.^ {count})"),
            Self::Loop(_, least, Some(most)) => format!("((_ re.loop {least} {most})"),
            Self::Loop(_, least, None) => format!("((_ re.loop {least})"),
            Self::None => "re.none".into(),
            Self::All => "re.all".into(),
            Self::AllChar => "re.allchar".into(),
            Self::Literal(word) => format!("(str.to_re {word})"),
            Self::Range(first, last) => {
                let (first, last) = (Str::trusted([*first]), Str::trusted([*last]));
                format!("(re.range {first} {last})")
            }
        }
    }
}

impl From<Shape> for Re {
    fn from(shape: Shape) -> Self {
        let sizes = shape.parts().iter().map(Self::size);
        let size = sizes.fold(1, u64::saturating_add);
        let hash = shape.hash();
        Self(Arc::new(Node { shape, hash, size }))
    }
}

impl Re {
    pub fn shape(&self) -> &Shape {
        &self.0.shape
    }

    /// The number of operators when written out as a tree; shared parts count each time.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// Equal for clones of the same value, and for those only.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// `re.none`
    pub fn none() -> Self {
        Shape::None.into()
    }

    /// `re.all`
    pub fn all() -> Self {
        Shape::All.into()
    }

    /// `re.allchar`
    pub fn all_char() -> Self {
        Shape::AllChar.into()
    }

    /// `str.to_re`
    pub fn literal(word: Str) -> Self {
        Shape::Literal(word).into()
    }

    /// `re.range`; empty unless both strings are singletons in this order
    pub fn range(first: &Str, last: &Str) -> Self {
        match (first.single(), last.single()) {
            (Some(first), Some(last)) => Self::code_range(first, last),
            _ => Self::none(),
        }
    }

    /// All characters from a first to a last one, as far as the theory has them.
    pub fn code_range(first: u32, last: u32) -> Self {
        let last = last.min(MAX_CODE_POINT);
        match first <= last {
            true => Shape::Range(first, last).into(),
            false => Self::none(),
        }
    }

    /// `re.++`
    pub fn concat(parts: Vec<Self>) -> Self {
        Self::n_ary(parts, Shape::Concat, || Self::literal(Str::default()))
    }

    /// `re.union`
    pub fn union(parts: Vec<Self>) -> Self {
        Self::n_ary(parts, Shape::Union, Self::none)
    }

    /// `re.inter`
    pub fn inter(parts: Vec<Self>) -> Self {
        Self::n_ary(parts, Shape::Inter, Self::all)
    }

    fn n_ary(mut parts: Vec<Self>, shape: fn(Box<[Self]>) -> Shape, unit: fn() -> Self) -> Self {
        match parts.len() {
            0 => unit(),
            1 => parts.swap_remove(0),
            _ => shape(parts.into_boxed_slice()).into(),
        }
    }

    /// `re.diff`: the first without all the others; the empty language if there is no first
    pub fn diff(parts: Vec<Self>) -> Self {
        Self::n_ary(parts, Shape::Diff, Self::none)
    }

    /// `re.*`
    pub fn star(&self) -> Self {
        Shape::Star(self.clone()).into()
    }

    /// `re.+`
    pub fn plus(&self) -> Self {
        Shape::Plus(self.clone()).into()
    }

    /// `re.opt`
    pub fn opt(&self) -> Self {
        Shape::Opt(self.clone()).into()
    }

    /// `re.comp`
    pub fn comp(&self) -> Self {
        Shape::Comp(self.clone()).into()
    }

    /// `(_ re.^ n)`
    pub fn power(&self, count: u32) -> Self {
        Shape::Power(self.clone(), count).into()
    }

    /// `(_ re.loop least most)`, or z3's `(_ re.loop least)`; empty if `least` exceeds `most`
    pub fn repeat(&self, least: u32, most: Option<u32>) -> Self {
        Shape::Loop(self.clone(), least, most).into()
    }

    /// The exclusive or of two languages, z3's `re.xor`.
    pub fn xor(&self, other: &Self) -> Self {
        let left = Self::diff(vec![self.clone(), other.clone()]);
        let right = Self::diff(vec![other.clone(), self.clone()]);
        Self::union(vec![left, right])
    }

    /// The language of all words read backwards, z3's `re.reverse`.
    pub fn reverse(&self) -> Self {
        let mut reversed: FxHashMap<usize, Self> = FxHashMap::default();
        for re in postorder(&[self]) {
            let of = |part: &Self| reversed[&part.address()].clone();
            let shape = re.shape().clone().map_parts(of);
            let shape = match shape {
                Shape::Literal(word) => Shape::Literal(word.reverse()),
                Shape::Concat(parts) => Shape::Concat(parts.into_iter().rev().collect()),
                other => other,
            };
            reversed.insert(re.address(), shape.into());
        }
        reversed[&self.address()].clone()
    }
}

/// Every distinct part of the expressions, parts first.
pub(super) fn postorder<'r>(expressions: &[&'r Re]) -> Vec<&'r Re> {
    enum Step<'r> {
        Enter(&'r Re),
        Leave(&'r Re),
    }
    let mut steps: Vec<Step<'r>> = expressions.iter().map(|re| Step::Enter(re)).collect();
    let mut entered = FxHashSet::default();
    let mut order = Vec::new();
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(re) => order.push(re),
            Step::Enter(re) if entered.insert(re.address()) => {
                steps.push(Step::Leave(re));
                steps.extend(re.shape().parts().iter().map(Step::Enter));
            }
            Step::Enter(_) => {}
        }
    }
    order
}

/// Takes the tree apart step by step, because a chain of a million operators must not overflow the stack.
impl Drop for Re {
    fn drop(&mut self) {
        let mut doomed = Vec::new();
        take_parts(self, &mut doomed);
        while let Some(mut re) = doomed.pop() {
            take_parts(&mut re, &mut doomed);
        }
    }
}

fn take_parts(re: &mut Re, into: &mut Vec<Re>) {
    if re.0.shape.parts().is_empty() {
        return;
    }
    let Some(node) = Arc::get_mut(&mut re.0) else {
        return;
    };
    match std::mem::replace(&mut node.shape, Shape::None) {
        Shape::Concat(parts) | Shape::Union(parts) | Shape::Inter(parts) | Shape::Diff(parts) => {
            into.extend(parts);
        }
        Shape::Star(part) | Shape::Plus(part) | Shape::Opt(part) | Shape::Comp(part) => {
            into.push(part);
        }
        Shape::Power(part, _) | Shape::Loop(part, ..) => into.push(part),
        Shape::None | Shape::All | Shape::AllChar | Shape::Literal(_) | Shape::Range(..) => {}
    }
}

impl PartialEq for Re {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Re {}

impl PartialOrd for Re {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Some total order of the expressions as written, for sorted containers.
impl Ord for Re {
    fn cmp(&self, other: &Self) -> Ordering {
        let mut pending = vec![(self, other)];
        let mut seen = FxHashSet::default();
        while let Some((a, b)) = pending.pop() {
            let pair = (a.address(), b.address());
            if pair.0 == pair.1 || !seen.insert(pair) {
                continue;
            }
            let order = a.0.hash.cmp(&b.0.hash);
            let order = order.then_with(|| a.shape().compare_level(b.shape()));
            if order.is_ne() {
                return order;
            }
            pending.extend(a.shape().parts().iter().zip(b.shape().parts()));
        }
        Ordering::Equal
    }
}

impl Hash for Re {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

/// The SMT-LIB term, written out as a tree.
impl fmt::Display for Re {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Step<'r> {
            Write(&'r Re),
            Close,
        }
        let mut steps = vec![Step::Write(self)];
        let mut first = true;
        while let Some(step) = steps.pop() {
            let Step::Write(re) = step else {
                f.write_str(")")?;
                continue;
            };
            if !std::mem::take(&mut first) {
                f.write_str(" ")?;
            }
            f.write_str(&re.shape().opening())?;
            let parts = re.shape().parts();
            if !parts.is_empty() {
                steps.push(Step::Close);
            }
            steps.extend(parts.iter().rev().map(Step::Write));
        }
        Ok(())
    }
}

impl fmt::Debug for Re {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size() {
            0..=10_000 => write!(f, "{self}"),
            size => write!(f, "Re of size {size}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(text: &str) -> Re {
        Re::literal(text.into())
    }

    #[test]
    fn writes_the_term() {
        let re = Re::concat(vec![lit("a\"").star().comp(), Re::code_range(0x30, 0x39)]);
        let re = Re::union(vec![re.power(3), Re::none(), re.repeat(1, Some(2)).opt()]);
        assert_eq!(
            re.to_string(),
            "(re.union ((_ re.^ 3) (re.++ (re.comp (re.* (str.to_re \"a\"\"\"))) (re.range \"0\" \"9\"))) \
             re.none (re.opt ((_ re.loop 1 2) (re.++ (re.comp (re.* (str.to_re \"a\"\"\"))) (re.range \"0\" \"9\")))))"
        );
    }

    #[test]
    fn equality_is_that_of_the_expressions() {
        let build = || Re::union(vec![lit("a"), lit("b").star()]);
        assert_eq!(build(), build());
        assert_ne!(build(), Re::union(vec![lit("b").star(), lit("a")]));
        assert_ne!(lit("a").power(2), lit("a").power(3));
    }

    #[test]
    fn range_needs_two_singletons_in_order() {
        let range = |a: &str, b: &str| Re::range(&a.into(), &b.into());
        assert_eq!(range("a", "c"), Re::code_range(97, 99));
        for (a, b) in [("ab", "c"), ("a", "bc"), ("c", "a"), ("", "a")] {
            assert_eq!(range(a, b), Re::none());
        }
    }

    #[test]
    fn reverse_reads_words_backwards() {
        let re = Re::concat(vec![
            lit("ab").star(),
            lit("cd").comp(),
            Re::code_range(0x30, 0x39),
        ]);
        let backwards = Re::concat(vec![
            Re::code_range(0x30, 0x39),
            lit("dc").comp(),
            lit("ba").star(),
        ]);
        assert_eq!(re.reverse(), backwards);
        assert_ne!(lit("ab").reverse(), lit("ab"));
    }

    #[test]
    fn deep_and_shared_expressions_are_safe() {
        let build = || {
            let mut re = lit("a");
            for _ in 0..200_000 {
                re = re.star();
            }
            for _ in 0..200 {
                re = Re::union(vec![re.clone(), re]);
            }
            re
        };
        assert_eq!(build(), build());
        assert_eq!(build().size(), u64::MAX);
    }
}
