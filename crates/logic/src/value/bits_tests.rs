//! `BitVec` against the definitions of SMT-LIB 2.7, written out over another library's integers.

use num_bigint::BigInt;
use proptest::prelude::*;

use super::bits::BitVec;
use super::int::Int;

/// A bit-vector as the standard's functions see it: its width and `bv2nat`.
#[derive(Clone, Debug)]
struct Spec {
    width: u32,
    nat: BigInt,
}

fn power(exponent: u32) -> BigInt {
    BigInt::from(1) << exponent
}

fn modulo(a: &BigInt, m: &BigInt) -> BigInt {
    ((a % m) + m) % m
}

impl Spec {
    /// `nat2bv[m](n)`
    fn nat2bv(width: u32, n: BigInt) -> Spec {
        Spec {
            width,
            nat: modulo(&n, &power(width)),
        }
    }

    fn bit(&self, x: u32) -> bool {
        self.nat.bit(u64::from(x))
    }

    fn msb(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// `bv2int`
    fn int(&self) -> BigInt {
        if self.msb() {
            &self.nat - power(self.width)
        } else {
            self.nat.clone()
        }
    }

    /// The function from positions to bits that the standard's lambdas give.
    fn by_bits(width: u32, bit: impl Fn(u32) -> bool) -> Spec {
        let nat = (0..width).filter(|x| bit(*x)).map(power).sum();
        Spec { width, nat }
    }

    fn not(&self) -> Spec {
        Spec::by_bits(self.width, |x| !self.bit(x))
    }

    fn neg(&self) -> Spec {
        Spec::nat2bv(self.width, power(self.width) - &self.nat)
    }

    fn add(&self, t: &Spec) -> Spec {
        Spec::nat2bv(self.width, &self.nat + &t.nat)
    }

    fn udiv(&self, t: &Spec) -> Spec {
        match t.nat == BigInt::from(0) {
            true => Spec::by_bits(self.width, |_| true),
            false => Spec::nat2bv(self.width, &self.nat / &t.nat),
        }
    }

    fn urem(&self, t: &Spec) -> Spec {
        match t.nat == BigInt::from(0) {
            true => self.clone(),
            false => Spec::nat2bv(self.width, &self.nat % &t.nat),
        }
    }

    fn sdiv(&self, t: &Spec) -> Spec {
        match (self.msb(), t.msb()) {
            (false, false) => self.udiv(t),
            (true, false) => self.neg().udiv(t).neg(),
            (false, true) => self.udiv(&t.neg()).neg(),
            (true, true) => self.neg().udiv(&t.neg()),
        }
    }

    fn srem(&self, t: &Spec) -> Spec {
        match (self.msb(), t.msb()) {
            (false, false) => self.urem(t),
            (true, false) => self.neg().urem(t).neg(),
            (false, true) => self.urem(&t.neg()),
            (true, true) => self.neg().urem(&t.neg()).neg(),
        }
    }

    fn smod(&self, t: &Spec) -> Spec {
        let abs = |s: &Spec| if s.msb() { s.neg() } else { s.clone() };
        let u = abs(self).urem(&abs(t));
        if u.nat == BigInt::from(0) {
            return u;
        }
        match (self.msb(), t.msb()) {
            (false, false) => u,
            (true, false) => u.neg().add(t),
            (false, true) => u.add(t),
            (true, true) => u.neg(),
        }
    }

    /// The shift amount; any amount from the width on has the same effect, so it is cut there.
    fn amount(&self) -> u32 {
        let width = BigInt::from(self.width);
        let cut = if self.nat < width { &self.nat } else { &width };
        cut.to_string().parse().expect("digits")
    }

    fn shl(&self, t: &Spec) -> Spec {
        Spec::nat2bv(self.width, &self.nat * power(t.amount()))
    }

    fn lshr(&self, t: &Spec) -> Spec {
        Spec::nat2bv(self.width, &self.nat / power(t.amount()))
    }

    fn ashr(&self, t: &Spec) -> Spec {
        if self.msb() {
            self.not().lshr(t).not()
        } else {
            self.lshr(t)
        }
    }

    fn out_of_signed_range(&self, n: &BigInt) -> bool {
        *n >= power(self.width - 1) || *n < -power(self.width - 1)
    }

    fn nego(&self) -> bool {
        self.int() == -power(self.width - 1)
    }

    fn saddo(&self, t: &Spec) -> bool {
        self.out_of_signed_range(&(self.int() + t.int()))
    }

    fn ssubo(&self, t: &Spec) -> bool {
        if t.nego() {
            self.int() >= BigInt::from(0)
        } else {
            self.saddo(&t.neg())
        }
    }

    fn ours(&self) -> BitVec {
        BitVec::from_int(
            self.width,
            &Int::parse(&self.nat.to_string()).expect("digits"),
        )
    }
}

type OpPair = (
    &'static str,
    fn(&BitVec, &BitVec) -> BitVec,
    fn(&Spec, &Spec) -> Spec,
);

const OPERATIONS: &[OpPair] = &[
    ("bvand", BitVec::and, |s, t| {
        Spec::by_bits(s.width, |x| s.bit(x) && t.bit(x))
    }),
    ("bvor", BitVec::or, |s, t| {
        Spec::by_bits(s.width, |x| s.bit(x) || t.bit(x))
    }),
    ("bvxor", BitVec::xor, |s, t| {
        Spec::by_bits(s.width, |x| s.bit(x) != t.bit(x))
    }),
    ("bvnand", BitVec::nand, |s, t| {
        Spec::by_bits(s.width, |x| !(s.bit(x) && t.bit(x)))
    }),
    ("bvnor", BitVec::nor, |s, t| {
        Spec::by_bits(s.width, |x| !(s.bit(x) || t.bit(x)))
    }),
    ("bvxnor", BitVec::xnor, |s, t| {
        Spec::by_bits(s.width, |x| s.bit(x) == t.bit(x))
    }),
    ("bvadd", BitVec::add, Spec::add),
    ("bvsub", BitVec::sub, |s, t| s.add(&t.neg())),
    ("bvmul", BitVec::mul, |s, t| {
        Spec::nat2bv(s.width, &s.nat * &t.nat)
    }),
    ("bvudiv", BitVec::udiv, Spec::udiv),
    ("bvurem", BitVec::urem, Spec::urem),
    ("bvsdiv", BitVec::sdiv, Spec::sdiv),
    ("bvsrem", BitVec::srem, Spec::srem),
    ("bvsmod", BitVec::smod, Spec::smod),
    ("bvshl", BitVec::shl, Spec::shl),
    ("bvlshr", BitVec::lshr, Spec::lshr),
    ("bvashr", BitVec::ashr, Spec::ashr),
    ("bvcomp", BitVec::comp, |s, t| {
        Spec::nat2bv(1, BigInt::from(u8::from(s.nat == t.nat)))
    }),
    ("bvneg", |s, _| s.neg(), |s, _| s.neg()),
    ("bvnot", |s, _| s.not(), |s, _| s.not()),
];

type PredicatePair = (
    &'static str,
    fn(&BitVec, &BitVec) -> bool,
    fn(&Spec, &Spec) -> bool,
);

const PREDICATES: &[PredicatePair] = &[
    ("bvult", BitVec::ult, |s, t| s.nat < t.nat),
    ("bvule", BitVec::ule, |s, t| s.nat <= t.nat),
    ("bvugt", BitVec::ugt, |s, t| s.nat > t.nat),
    ("bvuge", BitVec::uge, |s, t| s.nat >= t.nat),
    ("bvslt", BitVec::slt, |s, t| s.int() < t.int()),
    ("bvsle", BitVec::sle, |s, t| s.int() <= t.int()),
    ("bvsgt", BitVec::sgt, |s, t| s.int() > t.int()),
    ("bvsge", BitVec::sge, |s, t| s.int() >= t.int()),
    ("bvnego", |s, _| s.nego(), |s, _| s.nego()),
    ("bvuaddo", BitVec::uaddo, |s, t| {
        &s.nat + &t.nat >= power(s.width)
    }),
    ("bvsaddo", BitVec::saddo, Spec::saddo),
    ("bvumulo", BitVec::umulo, |s, t| {
        &s.nat * &t.nat >= power(s.width)
    }),
    ("bvsmulo", BitVec::smulo, |s, t| {
        s.out_of_signed_range(&(s.int() * t.int()))
    }),
    ("bvusubo", BitVec::usubo, |s, t| s.nat < t.nat),
    ("bvssubo", BitVec::ssubo, Spec::ssubo),
    ("bvsdivo", BitVec::sdivo, |s, t| {
        s.nego() && t.not().nat == BigInt::from(0)
    }),
];

fn check_all(s: &Spec, t: &Spec) {
    let (a, b) = (s.ours(), t.ours());
    for (name, ours, spec) in OPERATIONS {
        assert_eq!(ours(&a, &b), spec(s, t).ours(), "({name} {a} {b})");
    }
    for (name, ours, spec) in PREDICATES {
        assert_eq!(ours(&a, &b), spec(s, t), "({name} {a} {b})");
    }
    assert_eq!(a.ubv_to_int().to_string(), s.nat.to_string());
    assert_eq!(a.sbv_to_int().to_string(), s.int().to_string());
}

#[test]
fn follows_the_standard_on_every_pair_up_to_four_bits() {
    for width in 1..=4 {
        for s in 0..1 << width {
            for t in 0..1 << width {
                check_all(
                    &Spec::nat2bv(width, BigInt::from(s)),
                    &Spec::nat2bv(width, BigInt::from(t)),
                );
            }
        }
    }
}

/// A number that is random, sparse, or close to a power of two, as operand of any width.
fn natural() -> impl Strategy<Value = BigInt> {
    prop_oneof![
        any::<[u64; 4]>().prop_map(|w| w.iter().fold(BigInt::from(0), |n, d| (n << 64u32) + d)),
        (0u32..256, -2i32..=2).prop_map(|(k, d)| power(k) + d),
        (0u32..256, -2i32..=2).prop_map(|(k, d)| d - power(k)),
        (-3i32..200).prop_map(BigInt::from),
    ]
}

fn width() -> impl Strategy<Value = u32> {
    prop_oneof![
        1u32..=256,
        prop::sample::select(vec![1, 31, 32, 33, 63, 64, 65, 127, 128, 129])
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn follows_the_standard_at_any_width(w in width(), a in natural(), b in natural()) {
        check_all(&Spec::nat2bv(w, a), &Spec::nat2bv(w, b));
    }

    #[test]
    fn joins_cuts_and_widens_as_the_standard_says(
        (v, w) in (width(), width()), a in natural(), b in natural(), i in 0u32..600, j in 0u32..600
    ) {
        let (s, t) = (Spec::nat2bv(v, a), Spec::nat2bv(w, b));
        let (x, y) = (s.ours(), t.ours());
        let joined = Spec::by_bits(v + w, |k| if k < w { t.bit(k) } else { s.bit(k - w) });
        prop_assert_eq!(x.concat(&y), Some(joined.ours()));
        let (high, low) = ((i % v).max(j % v), (i % v).min(j % v));
        let cut = Spec::by_bits(high - low + 1, |k| s.bit(low + k));
        prop_assert_eq!(x.extract(high, low), Some(cut.ours()));
        let repeated = Spec::by_bits(v * (1 + i % 7), |k| s.bit(k % v));
        prop_assert_eq!(x.repeat(1 + i % 7), Some(repeated.ours()));
        let zeros = Spec::by_bits(v + i, |k| k < v && s.bit(k));
        prop_assert_eq!(x.zero_extend(i), Some(zeros.ours()));
        let signs = Spec::by_bits(v + i, |k| s.bit(k.min(v - 1)));
        prop_assert_eq!(x.sign_extend(i), Some(signs.ours()));
        let left = Spec::by_bits(v, |k| s.bit((k + v - i % v) % v));
        prop_assert_eq!(x.rotate_left(u64::from(i)), left.ours());
        let right = Spec::by_bits(v, |k| s.bit((k + i) % v));
        prop_assert_eq!(x.rotate_right(u64::from(i)), right.ours());
        let amount = BitVec::from_int(v, &Int::from(i));
        let by = (amount.ubv_to_int().to_u64().unwrap() % u64::from(v)) as u32;
        let left = Spec::by_bits(v, |k| s.bit((k + v - by) % v));
        prop_assert_eq!(x.rotate_left_by(&amount), left.ours());
        prop_assert_eq!(x.rotate_left_by(&amount).rotate_right_by(&amount), x);
    }

    #[test]
    fn reductions_and_text_agree_with_the_bits(w in width(), a in natural()) {
        let s = Spec::nat2bv(w, a);
        let x = s.ours();
        let ones = (0..w).filter(|k| s.bit(*k)).count();
        prop_assert_eq!(x.redor(), BitVec::from_bool(ones > 0));
        prop_assert_eq!(x.redand(), BitVec::from_bool(ones == w as usize));
        prop_assert_eq!(x.redxor(), BitVec::from_bool(ones % 2 == 1));
        let digits: String = (0..w).rev().map(|k| if s.bit(k) { '1' } else { '0' }).collect();
        prop_assert_eq!(x.to_binary_digits(), digits.clone());
        prop_assert_eq!(BitVec::parse(&format!("#b{digits}")), Some(x.clone()));
        prop_assert_eq!(BitVec::parse(&x.to_string()), Some(x));
    }
}

#[test]
fn refuses_sorts_that_do_not_exist_or_do_not_fit() {
    let x = BitVec::parse("#b101").unwrap();
    assert_eq!(x.extract(3, 0), None);
    assert_eq!(x.extract(0, 1), None);
    assert_eq!(x.repeat(0), None);
    assert_eq!(x.repeat(u32::MAX), None);
    assert_eq!(x.zero_extend(u32::MAX), None);
    assert_eq!(x.sign_extend(BitVec::MAX_WIDTH), None);
}

#[test]
fn a_million_bits_take_no_time() {
    let width = 1_000_000;
    let x = BitVec::parse("#b1011").unwrap().repeat(width / 4).unwrap();
    let y = BitVec::parse("#b01101").unwrap().repeat(width / 5).unwrap();
    let started = std::time::Instant::now();
    for (name, operation, _) in OPERATIONS {
        let result = operation(&x, &y);
        assert!(result.width() == width || *name == "bvcomp");
    }
    for (_, predicate, _) in PREDICATES {
        predicate(&x, &y);
    }
    let (quotient, remainder) = (x.udiv(&y), x.urem(&y));
    assert_eq!(quotient.mul(&y).add(&remainder), x);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
