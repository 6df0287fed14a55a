//! FixedSizeBitVectors and QF_BV of SMT-LIB 2.7, with the extensions of z3, cvc5 and bitwuzla.
//! The operations themselves are methods of `BitVec`; here they get names, sorts and examples.

use super::Meaning::{self, Strict};
use super::SolverSet;
use super::{Args, Open, Row, row};
use crate::value::{BitVec, Value};

const STANDARD: SolverSet = SolverSet::STANDARD;
const Z3: SolverSet = SolverSet::Z3;
const CVC5: SolverSet = SolverSet::CVC5;
const BITWUZLA: SolverSet = SolverSet::BITWUZLA;
/// Added to the standard in version 2.7, which not every solver follows yet.
const SINCE_2_7: SolverSet = Z3.union(CVC5).union(BITWUZLA);
/// Reductions that became common before any standard had them.
const REDUCTION: SolverSet = Z3.union(CVC5).union(SolverSet::CVC4).union(BITWUZLA);
const CONVERSION: SolverSet = Z3.union(CVC5).union(SolverSet::CVC4);

const Z3_INTERNAL: Meaning = Meaning::None("z3's name for what its division by zero gives");

pub const ROWS: &[Row] = &[
    row(
        "(concat (_ BitVec i) (_ BitVec j) (_ BitVec i+j) :left-assoc)",
        STANDARD,
        Strict(concat),
    )
    .examples(&[
        ("(concat #b10 #b0)", "#b100"),
        ("(concat #b1 #b0 #b1)", "#b101"),
    ]),
    row(
        "((_ extract i j) (_ BitVec m) (_ BitVec i-j+1) :where (j<=i i<m))",
        STANDARD,
        Strict(extract),
    )
    .says(
        "SMT-LIB theory FixedSizeBitVectors: the bits from position i down to \
         position j, where position 0 is the least significant bit",
    )
    .examples(&[("((_ extract 2 1) #b0101)", "#b10")]),
    row(
        "(bvnot (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| unary(a, BitVec::not)),
    )
    .examples(&[("(bvnot #b010)", "#b101")]),
    row(
        "(bvneg (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| unary(a, BitVec::neg)),
    )
    .examples(&[("(bvneg #b001)", "#b111"), ("(bvneg #b100)", "#b100")]),
    row(
        "(bvand (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)",
        STANDARD,
        Strict(|a| binary(a, BitVec::and)),
    )
    .commutative()
    .examples(&[("(bvand #b0011 #b0101)", "#b0001")]),
    row(
        "(bvor (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)",
        STANDARD,
        Strict(|a| binary(a, BitVec::or)),
    )
    .commutative()
    .examples(&[("(bvor #b0011 #b0101)", "#b0111")]),
    row(
        "(bvxor (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)",
        STANDARD,
        Strict(|a| binary(a, BitVec::xor)),
    )
    .commutative()
    .examples(&[
        ("(bvxor #b0011 #b0101)", "#b0110"),
        ("(bvxor #b1 #b1 #b1)", "#b1"),
    ]),
    row(
        "(bvnand (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::nand)),
    )
    .commutative()
    .examples(&[("(bvnand #b0011 #b0101)", "#b1110")]),
    row(
        "(bvnor (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::nor)),
    )
    .commutative()
    .examples(&[("(bvnor #b0011 #b0101)", "#b1000")]),
    row(
        "(bvxnor (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::xnor)),
    )
    .commutative()
    .examples(&[("(bvxnor #b0011 #b0101)", "#b1001")]),
    row(
        "(bvadd (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)",
        STANDARD,
        Strict(|a| binary(a, BitVec::add)),
    )
    .commutative()
    .examples(&[("(bvadd #b01 #b11)", "#b00")]),
    row(
        "(bvsub (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::sub)),
    )
    .examples(&[("(bvsub #b01 #b10)", "#b11")]),
    row(
        "(bvmul (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)",
        STANDARD,
        Strict(|a| binary(a, BitVec::mul)),
    )
    .commutative()
    .nonlinear()
    .examples(&[("(bvmul #b0101 #b0111)", "#b0011")]),
    row(
        "(bvudiv (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::udiv)),
    )
    .says("SMT-LIB theory FixedSizeBitVectors: division by zero gives all ones")
    .nonlinear()
    .examples(&[
        ("(bvudiv #b0111 #b0010)", "#b0011"),
        ("(bvudiv #b0101 #b0000)", "#b1111"),
    ]),
    row(
        "(bvurem (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::urem)),
    )
    .says(
        "SMT-LIB theory FixedSizeBitVectors: the remainder of a division by zero is the \
         first argument",
    )
    .nonlinear()
    .examples(&[
        ("(bvurem #b0111 #b0100)", "#b0011"),
        ("(bvurem #b0101 #b0000)", "#b0101"),
    ]),
    row(
        "(bvsdiv (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::sdiv)),
    )
    .says(
        "SMT-LIB logic QF_BV: bvudiv of the absolute values, negated if exactly one \
         argument is negative",
    )
    .nonlinear()
    .examples(&[
        ("(bvsdiv #b1001 #b0010)", "#b1101"),
        ("(bvsdiv #b0101 #b0000)", "#b1111"),
        ("(bvsdiv #b1011 #b0000)", "#b0001"),
        ("(bvsdiv #b1000 #b1111)", "#b1000"),
    ]),
    row(
        "(bvsrem (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::srem)),
    )
    .says(
        "SMT-LIB logic QF_BV: bvurem of the absolute values with the sign of the first \
         argument",
    )
    .nonlinear()
    .examples(&[
        ("(bvsrem #b1001 #b0010)", "#b1111"),
        ("(bvsrem #b0111 #b1110)", "#b0001"),
        ("(bvsrem #b1011 #b0000)", "#b1011"),
    ]),
    row(
        "(bvsmod (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::smod)),
    )
    .says(
        "SMT-LIB logic QF_BV: the remainder with the sign of the second argument; with a \
         divisor of zero the first argument",
    )
    .nonlinear()
    .examples(&[
        ("(bvsmod #b1001 #b0010)", "#b0001"),
        ("(bvsmod #b0111 #b1110)", "#b1111"),
        ("(bvsmod #b1011 #b0000)", "#b1011"),
    ]),
    row(
        "(bvshl (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::shl)),
    )
    .nonlinear()
    .says(
        "SMT-LIB theory FixedSizeBitVectors: the first argument times 2 to the \
         power of the second, modulo 2 to the power of the width",
    )
    .examples(&[
        ("(bvshl #b0011 #b0010)", "#b1100"),
        ("(bvshl #b0011 #b0100)", "#b0000"),
    ]),
    row(
        "(bvlshr (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::lshr)),
    )
    .nonlinear()
    .says(
        "SMT-LIB theory FixedSizeBitVectors: the first argument divided by 2 to the \
         power of the second, without a remainder",
    )
    .examples(&[
        ("(bvlshr #b1001 #b0010)", "#b0010"),
        ("(bvlshr #b1001 #b1111)", "#b0000"),
    ]),
    row(
        "(bvashr (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| binary(a, BitVec::ashr)),
    )
    .nonlinear()
    .says(
        "SMT-LIB logic QF_BV: as bvlshr, but the new bits at the left are copies of \
         the sign bit",
    )
    .examples(&[
        ("(bvashr #b1001 #b0010)", "#b1110"),
        ("(bvashr #b1001 #b1111)", "#b1111"),
    ]),
    row(
        "((_ repeat i) (_ BitVec m) (_ BitVec i*m) :where (1<=i))",
        STANDARD,
        Strict(|a| widened(a, BitVec::repeat)),
    )
    .examples(&[("((_ repeat 3) #b10)", "#b101010")]),
    row(
        "((_ zero_extend i) (_ BitVec m) (_ BitVec m+i))",
        STANDARD,
        Strict(|a| widened(a, BitVec::zero_extend)),
    )
    .examples(&[
        ("((_ zero_extend 2) #b10)", "#b0010"),
        ("((_ zero_extend 0) #b1)", "#b1"),
    ]),
    row(
        "((_ sign_extend i) (_ BitVec m) (_ BitVec m+i))",
        STANDARD,
        Strict(|a| widened(a, BitVec::sign_extend)),
    )
    .says("SMT-LIB logic QF_BV: extended at the left by i copies of the sign bit")
    .examples(&[
        ("((_ sign_extend 2) #b10)", "#b1110"),
        ("((_ sign_extend 1) #b01)", "#b001"),
    ]),
    row(
        "((_ rotate_left i) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| Ok(Value::BitVec(bits(a, 0)?.rotate_left(a.indices[0])))),
    )
    .says(
        "SMT-LIB logic QF_BV: rotated to the left by i positions; a full turn \
         changes nothing",
    )
    .examples(&[("((_ rotate_left 5) #b0011)", "#b0110")]),
    row(
        "((_ rotate_right i) (_ BitVec m) (_ BitVec m))",
        STANDARD,
        Strict(|a| Ok(Value::BitVec(bits(a, 0)?.rotate_right(a.indices[0])))),
    )
    .says(
        "SMT-LIB logic QF_BV: rotated to the right by i positions; a full turn \
         changes nothing",
    )
    .examples(&[("((_ rotate_right 5) #b0011)", "#b1001")]),
    row(
        "(bvcomp (_ BitVec m) (_ BitVec m) (_ BitVec 1))",
        STANDARD,
        Strict(|a| binary(a, BitVec::comp)),
    )
    .commutative()
    .says("SMT-LIB logic QF_BV: #b1 if both arguments are equal, else #b0")
    .examples(&[("(bvcomp #b01 #b01)", "#b1"), ("(bvcomp #b01 #b00)", "#b0")]),
    row(
        "(bvult (_ BitVec m) (_ BitVec m) Bool)",
        STANDARD,
        Strict(|a| test(a, BitVec::ult)),
    )
    .examples(&[("(bvult #b01 #b10)", "true")]),
    row(
        "(bvule (_ BitVec m) (_ BitVec m) Bool)",
        STANDARD,
        Strict(|a| test(a, BitVec::ule)),
    )
    .examples(&[("(bvule #b10 #b01)", "false")]),
    row(
        "(bvugt (_ BitVec m) (_ BitVec m) Bool)",
        STANDARD,
        Strict(|a| test(a, BitVec::ugt)),
    )
    .examples(&[("(bvugt #b10 #b01)", "true")]),
    row(
        "(bvuge (_ BitVec m) (_ BitVec m) Bool)",
        STANDARD,
        Strict(|a| test(a, BitVec::uge)),
    )
    .examples(&[("(bvuge #b10 #b10)", "true")]),
    row(
        "(bvslt (_ BitVec m) (_ BitVec m) Bool)",
        STANDARD,
        Strict(|a| test(a, BitVec::slt)),
    )
    .examples(&[("(bvslt #b10 #b01)", "true")]),
    row(
        "(bvsle (_ BitVec m) (_ BitVec m) Bool)",
        STANDARD,
        Strict(|a| test(a, BitVec::sle)),
    )
    .examples(&[("(bvsle #b01 #b10)", "false")]),
    row(
        "(bvsgt (_ BitVec m) (_ BitVec m) Bool)",
        STANDARD,
        Strict(|a| test(a, BitVec::sgt)),
    )
    .examples(&[("(bvsgt #b01 #b10)", "true")]),
    row(
        "(bvsge (_ BitVec m) (_ BitVec m) Bool)",
        STANDARD,
        Strict(|a| test(a, BitVec::sge)),
    )
    .examples(&[("(bvsge #b10 #b01)", "false")]),
    row(
        "(bvnego (_ BitVec m) Bool)",
        SINCE_2_7,
        Strict(|a| Ok(Value::Bool(bits(a, 0)?.nego()))),
    )
    .says(
        "SMT-LIB theory FixedSizeBitVectors: true if the argument is the smallest \
         signed number, whose negation overflows",
    )
    .examples(&[("(bvnego #b100)", "true"), ("(bvnego #b111)", "false")]),
    row(
        "(bvuaddo (_ BitVec m) (_ BitVec m) Bool)",
        SINCE_2_7,
        Strict(|a| test(a, BitVec::uaddo)),
    )
    .commutative()
    .examples(&[
        ("(bvuaddo #b11 #b01)", "true"),
        ("(bvuaddo #b10 #b01)", "false"),
    ]),
    row(
        "(bvsaddo (_ BitVec m) (_ BitVec m) Bool)",
        SINCE_2_7,
        Strict(|a| test(a, BitVec::saddo)),
    )
    .commutative()
    .examples(&[
        ("(bvsaddo #b01 #b01)", "true"),
        ("(bvsaddo #b11 #b01)", "false"),
    ]),
    row(
        "(bvumulo (_ BitVec m) (_ BitVec m) Bool)",
        SINCE_2_7,
        Strict(|a| test(a, BitVec::umulo)),
    )
    .commutative()
    .nonlinear()
    .examples(&[
        ("(bvumulo #b10 #b10)", "true"),
        ("(bvumulo #b11 #b01)", "false"),
    ]),
    row(
        "(bvsmulo (_ BitVec m) (_ BitVec m) Bool)",
        SINCE_2_7,
        Strict(|a| test(a, BitVec::smulo)),
    )
    .commutative()
    .nonlinear()
    .examples(&[
        ("(bvsmulo #b10 #b11)", "true"),
        ("(bvsmulo #b10 #b01)", "false"),
    ]),
    row(
        "(bvusubo (_ BitVec m) (_ BitVec m) Bool)",
        SINCE_2_7,
        Strict(|a| test(a, BitVec::usubo)),
    )
    .examples(&[
        ("(bvusubo #b01 #b10)", "true"),
        ("(bvusubo #b10 #b10)", "false"),
    ]),
    row(
        "(bvssubo (_ BitVec m) (_ BitVec m) Bool)",
        SINCE_2_7,
        Strict(|a| test(a, BitVec::ssubo)),
    )
    .examples(&[
        ("(bvssubo #b00 #b10)", "true"),
        ("(bvssubo #b11 #b10)", "false"),
    ]),
    row(
        "(bvsdivo (_ BitVec m) (_ BitVec m) Bool)",
        SINCE_2_7,
        Strict(|a| test(a, BitVec::sdivo)),
    )
    .nonlinear()
    .examples(&[
        ("(bvsdivo #b10 #b11)", "true"),
        ("(bvsdivo #b10 #b00)", "false"),
    ]),
    row(
        "(ubv_to_int (_ BitVec m) Int)",
        Z3.union(CVC5),
        Strict(unsigned),
    )
    .examples(&[("(ubv_to_int #b1001)", "9")]),
    row(
        "(sbv_to_int (_ BitVec m) Int)",
        Z3.union(CVC5),
        Strict(signed),
    )
    .examples(&[("(sbv_to_int #b1001)", "(- 7)")]),
    row(
        "((_ int_to_bv m) Int (_ BitVec m))",
        Z3.union(CVC5),
        Strict(from_int),
    )
    .examples(&[
        ("((_ int_to_bv 4) (- 7))", "#b1001"),
        ("((_ int_to_bv 4) 9)", "#b1001"),
    ]),
    // Earlier names of the conversions.
    row("(bv2nat (_ BitVec m) Int)", CONVERSION, Strict(unsigned))
        .examples(&[("(bv2nat #b1001)", "9")]),
    row("(bv2int (_ BitVec m) Int)", Z3, Strict(unsigned)).examples(&[("(bv2int #b1001)", "9")]),
    row(
        "((_ int2bv m) Int (_ BitVec m))",
        CONVERSION,
        Strict(from_int),
    )
    .examples(&[("((_ int2bv 4) (- 7))", "#b1001")]),
    // Reductions to one bit.
    row(
        "(bvredor (_ BitVec m) (_ BitVec 1))",
        REDUCTION,
        Strict(|a| unary(a, BitVec::redor)),
    )
    .examples(&[("(bvredor #b010)", "#b1"), ("(bvredor #b000)", "#b0")]),
    row(
        "(bvredand (_ BitVec m) (_ BitVec 1))",
        REDUCTION,
        Strict(|a| unary(a, BitVec::redand)),
    )
    .examples(&[("(bvredand #b111)", "#b1"), ("(bvredand #b110)", "#b0")]),
    row(
        "(bvredxor (_ BitVec m) (_ BitVec 1))",
        BITWUZLA,
        Strict(|a| unary(a, BitVec::redxor)),
    )
    .examples(&[("(bvredxor #b111)", "#b1"), ("(bvredxor #b110)", "#b0")]),
    row(
        "(bvinc (_ BitVec m) (_ BitVec m))",
        BITWUZLA,
        Strict(increment),
    )
    .examples(&[("(bvinc #b11)", "#b00")]),
    row(
        "(bvdec (_ BitVec m) (_ BitVec m))",
        BITWUZLA,
        Strict(decrement),
    )
    .examples(&[("(bvdec #b00)", "#b11")]),
    // Rotation by a bit-vector.
    row(
        "(bvrol (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        BITWUZLA,
        Strict(|a| binary(a, BitVec::rotate_left_by)),
    )
    .nonlinear()
    .examples(&[("(bvrol #b0011 #b0101)", "#b0110")]),
    row(
        "(bvror (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        BITWUZLA,
        Strict(|a| binary(a, BitVec::rotate_right_by)),
    )
    .nonlinear()
    .examples(&[("(bvror #b0011 #b0101)", "#b1001")]),
    row(
        "(ext_rotate_left (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        Z3,
        Strict(|a| binary(a, BitVec::rotate_left_by)),
    )
    .nonlinear()
    .examples(&[("(ext_rotate_left #b0011 #b0101)", "#b0110")]),
    row(
        "(ext_rotate_right (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        Z3,
        Strict(|a| binary(a, BitVec::rotate_right_by)),
    )
    .nonlinear()
    .examples(&[("(ext_rotate_right #b0011 #b0101)", "#b1001")]),
    // One bit as a condition or a truth value.
    row(
        "(bvite (_ BitVec 1) (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        CVC5,
        Strict(choose),
    )
    .examples(&[
        ("(bvite #b1 #b01 #b10)", "#b01"),
        ("(bvite #b0 #b01 #b10)", "#b10"),
    ]),
    row(
        "((_ bit2bool i) (_ BitVec m) Bool :where (i+1<=m))",
        Z3,
        Strict(bit_to_bool),
    )
    .examples(&[
        ("((_ bit2bool 1) #b010)", "true"),
        ("((_ bit2bool 0) #b010)", "false"),
    ]),
    // z3's names from before the overflow predicates were standard.
    row(
        "(bvumul_noovfl (_ BitVec m) (_ BitVec m) Bool)",
        Z3,
        Strict(|a| test(a, |s, t| !s.umulo(t))),
    )
    .commutative()
    .nonlinear()
    .examples(&[("(bvumul_noovfl #b10 #b10)", "false")]),
    row(
        "(bvsmul_noovfl (_ BitVec m) (_ BitVec m) Bool)",
        Z3,
        Strict(|a| test(a, |s, t| !s.smul_above(t))),
    )
    .commutative()
    .nonlinear()
    .examples(&[
        ("(bvsmul_noovfl #x7 #x2)", "false"),
        ("(bvsmul_noovfl #x7 #xe)", "true"),
    ]),
    row(
        "(bvsmul_noudfl (_ BitVec m) (_ BitVec m) Bool)",
        Z3,
        Strict(|a| test(a, |s, t| !s.smul_below(t))),
    )
    .commutative()
    .nonlinear()
    .examples(&[
        ("(bvsmul_noudfl #x7 #xe)", "false"),
        ("(bvsmul_noudfl #x7 #x2)", "true"),
    ]),
    // z3's divisions that promise nothing for divisor 0, and its functions for that case.
    row(
        "(bvudiv_i (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        Z3,
        Strict(|a| divide(a, BitVec::udiv)),
    )
    .nonlinear()
    .examples(&[("(bvudiv_i #b0111 #b0010)", "#b0011")]),
    row(
        "(bvurem_i (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        Z3,
        Strict(|a| divide(a, BitVec::urem)),
    )
    .nonlinear()
    .examples(&[("(bvurem_i #b0111 #b0100)", "#b0011")]),
    row(
        "(bvsdiv_i (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        Z3,
        Strict(|a| divide(a, BitVec::sdiv)),
    )
    .nonlinear()
    .examples(&[("(bvsdiv_i #b1001 #b0010)", "#b1101")]),
    row(
        "(bvsrem_i (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        Z3,
        Strict(|a| divide(a, BitVec::srem)),
    )
    .nonlinear()
    .examples(&[("(bvsrem_i #b1001 #b0010)", "#b1111")]),
    row(
        "(bvsmod_i (_ BitVec m) (_ BitVec m) (_ BitVec m))",
        Z3,
        Strict(|a| divide(a, BitVec::smod)),
    )
    .nonlinear()
    .examples(&[("(bvsmod_i #b1001 #b0010)", "#b0001")]),
    row("(bvudiv0 (_ BitVec m) (_ BitVec m))", Z3, Z3_INTERNAL),
    row("(bvurem0 (_ BitVec m) (_ BitVec m))", Z3, Z3_INTERNAL),
    row("(bvsdiv0 (_ BitVec m) (_ BitVec m))", Z3, Z3_INTERNAL),
    row("(bvsrem0 (_ BitVec m) (_ BitVec m))", Z3, Z3_INTERNAL),
    row("(bvsmod0 (_ BitVec m) (_ BitVec m))", Z3, Z3_INTERNAL),
];

/// The bit-vector at a place, if it is not too wide to work with.
pub(super) fn bits<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a BitVec, Open> {
    match &args.values[place] {
        Value::BitVec(bits) if bits.width() <= BitVec::MAX_WIDTH => Ok(bits),
        Value::BitVec(_) => Err(Open::TooLarge),
        _ => Err(Open::NoMeaning("a value that is not a bit-vector")),
    }
}

/// The first index as a width, if it is not too large to work with.
pub(super) fn width_index(args: &Args<'_>) -> Result<u32, Open> {
    let width = u32::try_from(args.indices[0]).ok();
    width
        .filter(|w| *w <= BitVec::MAX_WIDTH)
        .ok_or(Open::TooLarge)
}

fn unary(args: &Args<'_>, f: fn(&BitVec) -> BitVec) -> Result<Value, Open> {
    Ok(Value::BitVec(f(bits(args, 0)?)))
}

fn binary(args: &Args<'_>, f: fn(&BitVec, &BitVec) -> BitVec) -> Result<Value, Open> {
    Ok(Value::BitVec(f(bits(args, 0)?, bits(args, 1)?)))
}

fn test(args: &Args<'_>, f: fn(&BitVec, &BitVec) -> bool) -> Result<Value, Open> {
    Ok(Value::Bool(f(bits(args, 0)?, bits(args, 1)?)))
}

/// An operation that widens by its index.
fn widened(args: &Args<'_>, f: fn(&BitVec, u32) -> Option<BitVec>) -> Result<Value, Open> {
    f(bits(args, 0)?, width_index(args)?)
        .map(Value::BitVec)
        .ok_or(Open::TooLarge)
}

/// A division that is open for divisor 0.
fn divide(args: &Args<'_>, f: fn(&BitVec, &BitVec) -> BitVec) -> Result<Value, Open> {
    match bits(args, 1)?.is_zero() {
        true => Err(Open::Unspecified),
        false => binary(args, f),
    }
}

fn concat(args: &Args<'_>) -> Result<Value, Open> {
    let joined = bits(args, 0)?.concat(bits(args, 1)?);
    joined.map(Value::BitVec).ok_or(Open::TooLarge)
}

fn extract(args: &Args<'_>) -> Result<Value, Open> {
    let index = |place: usize| u32::try_from(args.indices[place]).ok();
    let (high, low) = index(0).zip(index(1)).ok_or(Open::TooLarge)?;
    let part = bits(args, 0)?.extract(high, low);
    part.map(Value::BitVec)
        .ok_or(Open::NoMeaning("bits outside a bit-vector"))
}

fn unsigned(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Int(bits(args, 0)?.ubv_to_int()))
}

fn signed(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Int(bits(args, 0)?.sbv_to_int()))
}

fn from_int(args: &Args<'_>) -> Result<Value, Open> {
    let width = width_index(args)?;
    match &args.values[0] {
        Value::Int(n) => Ok(Value::BitVec(BitVec::from_int(width, n))),
        _ => Err(Open::NoMeaning("a value that is not an integer")),
    }
}

fn increment(args: &Args<'_>) -> Result<Value, Open> {
    unary(args, |s| s.add(&BitVec::one(s.width())))
}

fn decrement(args: &Args<'_>) -> Result<Value, Open> {
    unary(args, |s| s.sub(&BitVec::one(s.width())))
}

fn choose(args: &Args<'_>) -> Result<Value, Open> {
    let place = if bits(args, 0)?.is_zero() { 2 } else { 1 };
    Ok(Value::BitVec(bits(args, place)?.clone()))
}

fn bit_to_bool(args: &Args<'_>) -> Result<Value, Open> {
    let index = u32::try_from(args.indices[0]).map_err(|_| Open::TooLarge)?;
    Ok(Value::Bool(bits(args, 0)?.bit(index)))
}

#[cfg(test)]
mod tests {
    use crate::eval::{Evaluator, Reason};
    use crate::{Model, Terms, Value, read_script};

    fn outcome(formula: &str) -> Result<Value, Reason> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, &format!("(assert {formula})")).expect("well-formed");
        assert_eq!(reading.issues, [], "in {formula}");
        let model = Model::default();
        let value = Evaluator::new(&terms, &model).value(reading.script.roots()[0]);
        value.map_err(|open| open.reason)
    }

    #[test]
    fn nested_operations_have_values() {
        let formula =
            "(= (concat ((_ extract 3 2) #b1001) ((_ zero_extend 1) (bvmul #b11 #b11))) #b10001)";
        assert_eq!(outcome(formula), Ok(Value::TRUE));
        assert_eq!(
            outcome("(= (bvadd (_ bv255 8) #x01) #x00)"),
            Ok(Value::TRUE)
        );
        assert_eq!(
            outcome("(= ((_ rotate_left 1) #b10) #b10)"),
            Ok(Value::FALSE)
        );
    }

    #[test]
    fn what_is_open_or_too_large_has_no_value() {
        assert_eq!(
            outcome("(= (bvudiv_i #b1 #b0) #b1)"),
            Err(Reason::Unspecified)
        );
        let wide = "(= (bvnot (_ bv0 4000000000)) (_ bv1 4000000000))";
        assert_eq!(outcome(wide), Err(Reason::TooLarge));
        let long = "(= ((_ sign_extend 4000000000) #b1) (_ bv1 4000000001))";
        assert_eq!(outcome(long), Err(Reason::TooLarge));
    }
}
