//! What each bit-vector operator does, said with other operators: the thesis's equivalences with its errata corrected
//! (the factor of `concat` is 2^n; the recursions of `bvand` and `bvor` shorten their operands and stay themselves),
//! and the standard's own definitions.

use super::{Rule, equality, equivalence};

const BECKER: &str = "Becker, table 2";
const BECKER_FIXED: &str = "Becker, table 2, corrected";
const STANDARD: &str = "SMT-LIB logic QF_BV";

const S: &str = "(s (_ BitVec m))";
const ST: &str = "(s (_ BitVec m)) (t (_ BitVec m))";
const ANY: &str = "1<=m";

pub const RULES: &[Rule] = &[
    equality(
        "concat-by-int",
        "(s (_ BitVec m)) (t (_ BitVec n))",
        "(concat s t)",
        "((_ int2bv m+n) (+ (* (bv2nat s) 2^n) (bv2nat t)))",
    )
    .sizes("1<=m 1<=n")
    .small()
    .source(BECKER_FIXED),
    equality(
        "extract-by-shift",
        S,
        "((_ extract i j) s)",
        "((_ int2bv i-j+1) (bv2nat (bvlshr (bvshl s (_ bvm-1-i m)) (_ bvm-i+j-1 m))))",
    )
    .sizes("1<=m j<=i i<=m-1")
    .small()
    .source(BECKER),
    equality(
        "bvnot-by-int",
        S,
        "(bvnot s)",
        "((_ int2bv m) (- 2^m-1 (bv2nat s)))",
    )
    .sizes(ANY)
    .small()
    .source(BECKER),
    equality(
        "bvneg-by-int",
        S,
        "(bvneg s)",
        "((_ int2bv m) (- 2^m (bv2nat s)))",
    )
    .sizes(ANY)
    .small()
    .source(BECKER),
    equality(
        "bvadd-by-int",
        ST,
        "(bvadd s t)",
        "((_ int2bv m) (+ (bv2nat s) (bv2nat t)))",
    )
    .sizes(ANY)
    .small()
    .source(BECKER),
    equality(
        "bvmul-by-int",
        ST,
        "(bvmul s t)",
        "((_ int2bv m) (* (bv2nat s) (bv2nat t)))",
    )
    .sizes(ANY)
    .small()
    .source(BECKER),
    equality(
        "bvudiv-by-int",
        ST,
        "(bvudiv s t)",
        "(ite (> (bv2nat t) 0) ((_ int2bv m) (div (bv2nat s) (bv2nat t))) (_ bv2^m-1 m))",
    )
    .sizes(ANY)
    .small()
    .source(BECKER),
    equality(
        "bvurem-by-int",
        ST,
        "(bvurem s t)",
        "(ite (> (bv2nat t) 0) ((_ int2bv m) (mod (bv2nat s) (bv2nat t))) s)",
    )
    .sizes(ANY)
    .small()
    .source(BECKER),
    equality(
        "bvshl-by-cases",
        ST,
        "(bvshl s t)",
        "(ite (= (bv2nat t) 0) ((_ extract m-1 0) s) \
         (cases (k 1 m-1) (= (bv2nat t) k) (concat ((_ extract m-1-k 0) s) (_ bv0 k)) (_ bv0 m)))",
    )
    .sizes(ANY)
    .source(BECKER),
    equality(
        "bvlshr-by-cases",
        ST,
        "(bvlshr s t)",
        "(ite (= (bv2nat t) 0) ((_ extract m-1 0) s) \
         (cases (k 1 m-1) (= (bv2nat t) k) (concat (_ bv0 k) ((_ extract m-1 k) s)) (_ bv0 m)))",
    )
    .sizes(ANY)
    .source(BECKER),
    equivalence("bvult-by-int", ST, "(bvult s t)", "(< (bv2nat s) (bv2nat t))")
        .sizes(ANY)
        .small()
        .source(BECKER),
    equality(
        "bvand-by-bits",
        ST,
        "(bvand s t)",
        "(concat (ite (and (= ((_ extract m-1 m-1) s) #b1) (= ((_ extract m-1 m-1) t) #b1)) #b1 #b0) \
         (bvand ((_ extract m-2 0) s) ((_ extract m-2 0) t)))",
    )
    .sizes("2<=m")
    .source(BECKER_FIXED),
    equality(
        "bvor-by-bits",
        ST,
        "(bvor s t)",
        "(concat (ite (or (= ((_ extract m-1 m-1) s) #b1) (= ((_ extract m-1 m-1) t) #b1)) #b1 #b0) \
         (bvor ((_ extract m-2 0) s) ((_ extract m-2 0) t)))",
    )
    .sizes("2<=m")
    .source(BECKER_FIXED),
    equivalence(
        "bvand-by-some-bit",
        "(s (_ BitVec m)) (t (_ BitVec m)) (r (_ BitVec m))",
        "(= (bvand s t) r)",
        "(exists ((q (_ BitVec 1))) (and \
         (= q (ite (and (= ((_ extract m-1 m-1) s) #b1) (= ((_ extract m-1 m-1) t) #b1)) #b1 #b0)) \
         (= (concat q (bvand ((_ extract m-2 0) s) ((_ extract m-2 0) t))) r)))",
    )
    .sizes("2<=m")
    .source(BECKER_FIXED),
    equivalence(
        "bvor-by-some-bit",
        "(s (_ BitVec m)) (t (_ BitVec m)) (r (_ BitVec m))",
        "(= (bvor s t) r)",
        "(exists ((q (_ BitVec 1))) (and \
         (= q (ite (or (= ((_ extract m-1 m-1) s) #b1) (= ((_ extract m-1 m-1) t) #b1)) #b1 #b0)) \
         (= (concat q (bvor ((_ extract m-2 0) s) ((_ extract m-2 0) t))) r)))",
    )
    .sizes("2<=m")
    .source(BECKER_FIXED),
    equality("bvsub-by-bvneg", ST, "(bvsub s t)", "(bvadd s (bvneg t))")
        .sizes(ANY)
        .source(STANDARD),
    equality("bvneg-by-bvnot", S, "(bvneg s)", "(bvadd (bvnot s) (_ bv1 m))").sizes(ANY),
    equality("bvnand-by-bvand", ST, "(bvnand s t)", "(bvnot (bvand s t))")
        .sizes(ANY)
        .source(STANDARD),
    equality("bvnor-by-bvor", ST, "(bvnor s t)", "(bvnot (bvor s t))")
        .sizes(ANY)
        .source(STANDARD),
    equality(
        "bvxor-by-and-or",
        ST,
        "(bvxor s t)",
        "(bvor (bvand s (bvnot t)) (bvand (bvnot s) t))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equality(
        "bvxnor-by-and-or",
        ST,
        "(bvxnor s t)",
        "(bvor (bvand s t) (bvand (bvnot s) (bvnot t)))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equality(
        "bvcomp-by-ite",
        ST,
        "(bvcomp s t)",
        "(ite (= s t) #b1 #b0)",
    )
    .sizes(ANY)
    .source(STANDARD),
    equality(
        "bvsdiv-by-bvudiv",
        ST,
        "(bvsdiv s t)",
        "(ite (= ((_ extract m-1 m-1) s) #b0) \
         (ite (= ((_ extract m-1 m-1) t) #b0) (bvudiv s t) (bvneg (bvudiv s (bvneg t)))) \
         (ite (= ((_ extract m-1 m-1) t) #b0) (bvneg (bvudiv (bvneg s) t)) (bvudiv (bvneg s) (bvneg t))))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equality(
        "bvsrem-by-bvurem",
        ST,
        "(bvsrem s t)",
        "(ite (= ((_ extract m-1 m-1) s) #b0) \
         (ite (= ((_ extract m-1 m-1) t) #b0) (bvurem s t) (bvurem s (bvneg t))) \
         (ite (= ((_ extract m-1 m-1) t) #b0) (bvneg (bvurem (bvneg s) t)) \
         (bvneg (bvurem (bvneg s) (bvneg t)))))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equality(
        "bvsmod-by-bvsrem",
        ST,
        "(bvsmod s t)",
        "(ite (or (= (bvsrem s t) (_ bv0 m)) (= (bvslt s (_ bv0 m)) (bvslt t (_ bv0 m)))) \
         (bvsrem s t) (bvadd (bvsrem s t) t))",
    )
    .sizes(ANY),
    equality(
        "bvashr-by-bvlshr",
        ST,
        "(bvashr s t)",
        "(ite (= ((_ extract m-1 m-1) s) #b0) (bvlshr s t) (bvnot (bvlshr (bvnot s) t)))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equality(
        "zero-extend-by-concat",
        S,
        "((_ zero_extend i) s)",
        "(concat (_ bv0 i) s)",
    )
    .sizes("1<=m 1<=i i<=8")
    .source(STANDARD),
    equality(
        "sign-extend-by-ite",
        S,
        "((_ sign_extend i) s)",
        "(concat (ite (bvslt s (_ bv0 m)) (_ bv2^i-1 i) (_ bv0 i)) s)",
    )
    .sizes("1<=m 1<=i i<=8")
    .source(STANDARD),
    equality("repeat-by-concat", S, "((_ repeat 2) s)", "(concat s s)")
        .sizes(ANY)
        .source(STANDARD),
    equality(
        "rotate-left-by-concat",
        S,
        "((_ rotate_left i) s)",
        "(concat ((_ extract m-1-i 0) s) ((_ extract m-1 m-i) s))",
    )
    .sizes("1<=i i<=m-1")
    .source(STANDARD),
    equality(
        "rotate-right-by-concat",
        S,
        "((_ rotate_right i) s)",
        "(concat ((_ extract i-1 0) s) ((_ extract m-1 i) s))",
    )
    .sizes("1<=i i<=m-1")
    .source(STANDARD),
    equality(
        "rotate-left-by-right",
        S,
        "((_ rotate_left i) s)",
        "((_ rotate_right m-i) s)",
    )
    .sizes("1<=i i<=m-1"),
    equivalence("bvule-by-bvult", ST, "(bvule s t)", "(or (bvult s t) (= s t))")
        .sizes(ANY)
        .source(STANDARD),
    equivalence("bvuge-by-bvult", ST, "(bvuge s t)", "(not (bvult s t))").sizes(ANY),
    equivalence("bvugt-by-bvult", ST, "(bvugt s t)", "(bvult t s)")
        .sizes(ANY)
        .source(STANDARD),
    equivalence(
        "bvslt-by-bvult",
        ST,
        "(bvslt s t)",
        "(bvult (bvxor s (_ bv2^k m)) (bvxor t (_ bv2^k m)))",
    )
    .sizes("1<=m k<=m-1 m-1<=k"),
    equivalence(
        "bvslt-by-sign",
        ST,
        "(bvslt s t)",
        "(or (and (= ((_ extract m-1 m-1) s) #b1) (= ((_ extract m-1 m-1) t) #b0)) \
         (and (= ((_ extract m-1 m-1) s) ((_ extract m-1 m-1) t)) (bvult s t)))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equivalence("bvsle-by-bvslt", ST, "(bvsle s t)", "(or (bvslt s t) (= s t))").sizes(ANY),
    equivalence("bvsge-by-bvslt", ST, "(bvsge s t)", "(not (bvslt s t))").sizes(ANY),
    equivalence("bvsgt-by-bvslt", ST, "(bvsgt s t)", "(bvslt t s)")
        .sizes(ANY)
        .source(STANDARD),
    equivalence("bvnego-by-least", S, "(bvnego s)", "(= s (_ bv2^k m))")
        .sizes("1<=m k<=m-1 m-1<=k")
        .source(STANDARD),
    equivalence(
        "bvuaddo-by-carry",
        ST,
        "(bvuaddo s t)",
        "(= ((_ extract m m) (bvadd ((_ zero_extend 1) s) ((_ zero_extend 1) t))) #b1)",
    )
    .sizes(ANY)
    .source(STANDARD),
    equivalence("bvuaddo-by-wrap", ST, "(bvuaddo s t)", "(bvult (bvadd s t) s)").sizes(ANY),
    equivalence(
        "bvsaddo-by-extension",
        ST,
        "(bvsaddo s t)",
        "(distinct ((_ sign_extend 1) (bvadd s t)) (bvadd ((_ sign_extend 1) s) ((_ sign_extend 1) t)))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equivalence(
        "bvumulo-by-extension",
        ST,
        "(bvumulo s t)",
        "(distinct ((_ extract m+m-1 m) (bvmul ((_ zero_extend m) s) ((_ zero_extend m) t))) (_ bv0 m))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equivalence(
        "bvsmulo-by-extension",
        ST,
        "(bvsmulo s t)",
        "(distinct ((_ sign_extend m) (bvmul s t)) (bvmul ((_ sign_extend m) s) ((_ sign_extend m) t)))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equivalence("bvusubo-by-bvult", ST, "(bvusubo s t)", "(bvult s t)")
        .sizes(ANY)
        .source(STANDARD),
    equivalence(
        "bvssubo-by-extension",
        ST,
        "(bvssubo s t)",
        "(distinct ((_ sign_extend 1) (bvsub s t)) (bvsub ((_ sign_extend 1) s) ((_ sign_extend 1) t)))",
    )
    .sizes(ANY)
    .source(STANDARD),
    equivalence(
        "bvsdivo-by-values",
        ST,
        "(bvsdivo s t)",
        "(and (= s (_ bv2^k m)) (= t (_ bv2^m-1 m)))",
    )
    .sizes("1<=m k<=m-1 m-1<=k")
    .source(STANDARD),
];
