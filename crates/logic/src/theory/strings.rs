//! UnicodeStrings without its regular expressions, and the string functions that z3, cvc5 and CVC4 add.
//!
//! The meanings are methods of `Str`; here they get their arguments. Positions beyond 64 bits are
//! clamped: no string is that long, so the answer is the same.

use super::Meaning::Strict;
use super::{Args, Open, Row, SolverSet, row};
use crate::value::{Int, Re, Str, TooLarge, Value};

const STANDARD: SolverSet = SolverSet::STANDARD;
const Z3: SolverSet = SolverSet::Z3;
const CVC5: SolverSet = SolverSet::CVC5;
const CVC4: SolverSet = SolverSet::CVC4;

pub const ROWS: &[Row] = &[
    row(
        "(str.++ String String String :left-assoc)",
        STANDARD,
        Strict(concat),
    )
    .examples(&[
        (r#"(str.++ "ab" "" "c")"#, r#""abc""#),
        (r#"(str.++ "\u{61}" "\u0062")"#, r#""ab""#),
    ]),
    row("(str.len String Int)", STANDARD, Strict(len))
        .says("SMT-LIB theory Strings: the number of characters")
        .examples(&[
            (r#"(str.len "\u1234")"#, "1"),
            (r#"(str.len "\u{ACG}A")"#, "8"),
            (r#"(str.len """")"#, "1"),
        ]),
    row(
        "(str.< String String Bool :chainable)",
        STANDARD,
        Strict(less),
    )
    .says(
        "SMT-LIB theory Strings: the lexicographic order that extends the order of \
         code points",
    )
    .examples(&[
        (
            r#"(str.< "a" "aardvark" "aardwolf" "zygomorphic" "zygotic")"#,
            "true",
        ),
        (r#"(str.< "a" "a")"#, "false"),
        (r#"(str.< "B" "a")"#, "true"),
    ]),
    row(
        "(str.<= String String Bool :chainable)",
        STANDARD,
        Strict(at_most),
    )
    .says(
        "SMT-LIB theory Strings: equal, or smaller in the lexicographic order that \
         extends the order of code points",
    )
    .examples(&[
        (r#"(str.<= "" "a" "a")"#, "true"),
        (r#"(str.<= "ab" "a")"#, "false"),
    ]),
    row("(str.at String Int String)", STANDARD, Strict(at))
        .says(
            "SMT-LIB theory Strings: the character at that position, or the empty string if \
         the position is outside of the string",
        )
        .examples(&[
            (r#"(str.at "abc" 1)"#, r#""b""#),
            (r#"(str.at "abc" 3)"#, r#""""#),
            (r#"(str.at "abc" (- 1))"#, r#""""#),
        ]),
    row(
        "(str.substr String Int Int String)",
        STANDARD,
        Strict(substr),
    )
    .says(
        "SMT-LIB theory Strings: the empty string if the start is outside of the string \
         or the length is not positive; otherwise as many characters as there are, at \
         most the length",
    )
    .examples(&[
        (r#"(str.substr "abcde" 1 3)"#, r#""bcd""#),
        (r#"(str.substr "abcde" 3 9)"#, r#""de""#),
        (r#"(str.substr "abcde" 5 1)"#, r#""""#),
        (r#"(str.substr "abcde" (- 1) 3)"#, r#""""#),
        (r#"(str.substr "abcde" 1 (- 1))"#, r#""""#),
    ]),
    row(
        "(str.prefixof String String Bool)",
        STANDARD,
        Strict(prefix_of),
    )
    .says(
        "SMT-LIB theory Strings: true if the first argument is a prefix of the \
         second",
    )
    .examples(&[
        (r#"(str.prefixof "ab" "abc")"#, "true"),
        (r#"(str.prefixof "abc" "ab")"#, "false"),
    ]),
    row(
        "(str.suffixof String String Bool)",
        STANDARD,
        Strict(suffix_of),
    )
    .says(
        "SMT-LIB theory Strings: true if the first argument is a suffix of the \
         second",
    )
    .examples(&[
        (r#"(str.suffixof "bc" "abc")"#, "true"),
        (r#"(str.suffixof "" "")"#, "true"),
    ]),
    row(
        "(str.contains String String Bool)",
        STANDARD,
        Strict(contains),
    )
    .says(
        "SMT-LIB theory Strings: true if the first argument has the second one as a \
         substring; every string contains the empty string",
    )
    .examples(&[
        (r#"(str.contains "abc" "bc")"#, "true"),
        (r#"(str.contains "bc" "abc")"#, "false"),
    ]),
    row(
        "(str.indexof String String Int Int)",
        STANDARD,
        Strict(index_of),
    )
    .says(
        "SMT-LIB theory Strings: the first position from the start at which the second \
         string occurs, or -1; the empty string occurs at every position from 0 to the \
         length",
    )
    .examples(&[
        (r#"(str.indexof "abab" "ab" 1)"#, "2"),
        (r#"(str.indexof "abab" "ab" (- 1))"#, "(- 1)"),
        (r#"(str.indexof "abab" "" 4)"#, "4"),
        (r#"(str.indexof "abab" "" 5)"#, "(- 1)"),
    ]),
    row(
        "(str.replace String String String String)",
        STANDARD,
        Strict(replace),
    )
    .says(
        "SMT-LIB theory Strings: replaces the first occurrence; the empty string occurs \
         at the beginning",
    )
    .examples(&[
        (r#"(str.replace "abab" "b" "c")"#, r#""acab""#),
        (r#"(str.replace "ab" "" "c")"#, r#""cab""#),
        (r#"(str.replace "ab" "c" "d")"#, r#""ab""#),
    ]),
    row(
        "(str.replace_all String String String String)",
        STANDARD,
        Strict(replace_all),
    )
    .says(
        "SMT-LIB theory Strings: replaces all occurrences; an empty second argument \
         replaces nothing",
    )
    .examples(&[
        (r#"(str.replace_all "aaa" "aa" "b")"#, r#""ba""#),
        (r#"(str.replace_all "ab" "" "c")"#, r#""ab""#),
    ]),
    row("(str.is_digit String Bool)", STANDARD, Strict(is_digit))
        .says(
            "SMT-LIB theory Strings: true for the strings \"0\" to \"9\" of one \
             character",
        )
        .examples(&[
            (r#"(str.is_digit "7")"#, "true"),
            (r#"(str.is_digit "77")"#, "false"),
        ]),
    row("(str.to_code String Int)", STANDARD, Strict(to_code))
        .says(
            "SMT-LIB theory Strings: the code point of a string of one character, otherwise \
         -1",
        )
        .examples(&[
            (r#"(str.to_code "a")"#, "97"),
            (r#"(str.to_code "ab")"#, "(- 1)"),
        ]),
    row("(str.from_code Int String)", STANDARD, Strict(from_code))
        .says(
            "SMT-LIB theory Strings: the character with that code point, or the empty string \
         if there is none",
        )
        .examples(&[
            ("(str.from_code 97)", r#""a""#),
            ("(str.from_code 196607)", r#""\u{2FFFF}""#),
            ("(str.from_code 196608)", r#""""#),
        ]),
    row("(str.to_int String Int)", STANDARD, Strict(to_int))
        .says(
            "SMT-LIB theory Strings: the value of a non-empty string of decimal digits, \
         otherwise -1",
        )
        .examples(&[
            (r#"(str.to_int "00123")"#, "123"),
            (r#"(str.to_int "-123")"#, "(- 1)"),
            (r#"(str.to_int "")"#, "(- 1)"),
        ]),
    row("(str.from_int Int String)", STANDARD, Strict(from_int))
        .says(
            "SMT-LIB theory Strings: the decimal digits of a number that is not negative, \
         otherwise the empty string",
        )
        .examples(&[
            ("(str.from_int 123)", r#""123""#),
            ("(str.from_int (- 123))", r#""""#),
        ]),
    // cvc5's documentation, theory reference of strings.
    row("(str.rev String String)", CVC5.union(CVC4), Strict(reverse))
        .examples(&[(r#"(str.rev "abc")"#, r#""cba""#)]),
    row("(str.to_lower String String)", CVC5, Strict(to_lower))
        .examples(&[(r#"(str.to_lower "aZ[")"#, r#""az[""#)]),
    row("(str.to_upper String String)", CVC5, Strict(to_upper))
        .examples(&[(r#"(str.to_upper "aZ`")"#, r#""AZ`""#)]),
    row(
        "(str.update String Int String String)",
        CVC5,
        Strict(update),
    )
    .examples(&[
        (r#"(str.update "abcd" 1 "XYZW")"#, r#""aXYZ""#),
        (r#"(str.update "abcd" 4 "X")"#, r#""abcd""#),
    ]),
    // z3's decimal notation of bit-vectors.
    row("(str.from_ubv (_ BitVec m) String)", Z3, Strict(from_ubv))
        .examples(&[("(str.from_ubv #b1111)", r#""15""#)]),
    row("(str.from_sbv (_ BitVec m) String)", Z3, Strict(from_sbv)).examples(&[
        ("(str.from_sbv #b1111)", r#""-1""#),
        ("(str.from_sbv #b0111)", r#""7""#),
    ]),
    // Spellings from before the standard.
    row("(str.tolower String String)", CVC4, Strict(to_lower))
        .examples(&[(r#"(str.tolower "aZ")"#, r#""az""#)]),
    row("(str.toupper String String)", CVC4, Strict(to_upper))
        .examples(&[(r#"(str.toupper "aZ")"#, r#""AZ""#)]),
    row("(str.code String Int)", CVC4, Strict(to_code)).examples(&[(r#"(str.code "a")"#, "97")]),
    row(
        "(str.replaceall String String String String)",
        CVC4,
        Strict(replace_all),
    )
    .examples(&[(r#"(str.replaceall "aa" "a" "b")"#, r#""bb""#)]),
    row("(str.to.int String Int)", Z3.union(CVC4), Strict(to_int))
        .examples(&[(r#"(str.to.int "12")"#, "12")]),
    row("(str.to-int String Int)", Z3, Strict(to_int)).examples(&[(r#"(str.to-int "12")"#, "12")]),
    row("(int.to.str Int String)", Z3.union(CVC4), Strict(from_int))
        .examples(&[("(int.to.str 12)", r#""12""#)]),
    row("(str.from-int Int String)", Z3, Strict(from_int))
        .examples(&[("(str.from-int 12)", r#""12""#)]),
    // In z3 a string is a sequence of characters and takes the functions of sequences.
    row(
        "(seq.++ String String String :left-assoc)",
        Z3,
        Strict(concat),
    )
    .examples(&[(r#"(seq.++ "a" "b")"#, r#""ab""#)]),
    row("(seq.len String Int)", Z3, Strict(len)).examples(&[(r#"(seq.len "ab")"#, "2")]),
    row("(seq.at String Int String)", Z3, Strict(at)).examples(&[(r#"(seq.at "ab" 1)"#, r#""b""#)]),
    row("(seq.extract String Int Int String)", Z3, Strict(substr))
        .examples(&[(r#"(seq.extract "abc" 1 2)"#, r#""bc""#)]),
    row("(seq.prefixof String String Bool)", Z3, Strict(prefix_of))
        .examples(&[(r#"(seq.prefixof "a" "ab")"#, "true")]),
    row("(seq.suffixof String String Bool)", Z3, Strict(suffix_of))
        .examples(&[(r#"(seq.suffixof "a" "ab")"#, "false")]),
    row("(seq.contains String String Bool)", Z3, Strict(contains))
        .examples(&[(r#"(seq.contains "ab" "b")"#, "true")]),
    row("(seq.indexof String String Int Int)", Z3, Strict(index_of))
        .examples(&[(r#"(seq.indexof "aba" "a" 1)"#, "2")]),
    row(
        "(seq.last_indexof String String Int)",
        Z3,
        Strict(last_index_of),
    )
    .examples(&[
        (r#"(seq.last_indexof "aba" "a")"#, "2"),
        (r#"(seq.last_indexof "aba" "c")"#, "(- 1)"),
    ]),
    row(
        "(seq.replace String String String String)",
        Z3,
        Strict(replace),
    )
    .examples(&[(r#"(seq.replace "aba" "a" "c")"#, r#""cba""#)]),
];

impl From<TooLarge> for Open {
    fn from(TooLarge: TooLarge) -> Self {
        Open::TooLarge
    }
}

pub(super) fn string<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Str, Open> {
    match &args.values[place] {
        Value::Str(string) => Ok(string),
        _ => Err(Open::NoMeaning("a value that is not a string")),
    }
}

pub(super) fn regex<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Re, Open> {
    match &args.values[place] {
        Value::Regex(regex) => Ok(regex),
        _ => Err(Open::NoMeaning("a value that is not a regular expression")),
    }
}

pub(super) fn int<'a>(args: &'a Args<'_>, place: usize) -> Result<&'a Int, Open> {
    match &args.values[place] {
        Value::Int(int) => Ok(int),
        _ => Err(Open::NoMeaning("a value that is not an integer")),
    }
}

/// A position or a length, clamped to 64 bits.
pub(super) fn position(args: &Args<'_>, place: usize) -> Result<i64, Open> {
    let position = int(args, place)?;
    let clamped = if position.is_negative() {
        i64::MIN
    } else {
        i64::MAX
    };
    Ok(position.to_i64().unwrap_or(clamped))
}

/// An index or -1.
pub(super) fn index(found: Option<usize>) -> Value {
    let index = found.and_then(|at| i64::try_from(at).ok());
    Value::Int(Int::from(index.unwrap_or(-1)))
}

fn concat(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Str(string(args, 0)?.concat(string(args, 1)?)?))
}

fn len(args: &Args<'_>) -> Result<Value, Open> {
    Ok(index(Some(string(args, 0)?.len())))
}

fn less(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(string(args, 0)? < string(args, 1)?))
}

fn at_most(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(string(args, 0)? <= string(args, 1)?))
}

fn at(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Str(string(args, 0)?.at(position(args, 1)?)))
}

fn substr(args: &Args<'_>) -> Result<Value, Open> {
    let (start, length) = (position(args, 1)?, position(args, 2)?);
    Ok(Value::Str(string(args, 0)?.substr(start, length)))
}

fn prefix_of(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(string(args, 0)?.is_prefix_of(string(args, 1)?)))
}

fn suffix_of(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(string(args, 0)?.is_suffix_of(string(args, 1)?)))
}

fn contains(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(string(args, 0)?.contains(string(args, 1)?)))
}

fn index_of(args: &Args<'_>) -> Result<Value, Open> {
    let start = position(args, 2)?;
    Ok(index(string(args, 0)?.index_of(string(args, 1)?, start)))
}

fn last_index_of(args: &Args<'_>) -> Result<Value, Open> {
    Ok(index(string(args, 0)?.last_index_of(string(args, 1)?)))
}

fn replace(args: &Args<'_>) -> Result<Value, Open> {
    let (part, by) = (string(args, 1)?, string(args, 2)?);
    Ok(Value::Str(string(args, 0)?.replace(part, by)?))
}

fn replace_all(args: &Args<'_>) -> Result<Value, Open> {
    let (part, by) = (string(args, 1)?, string(args, 2)?);
    Ok(Value::Str(string(args, 0)?.replace_all(part, by)?))
}

fn is_digit(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(string(args, 0)?.is_digit()))
}

fn to_code(args: &Args<'_>) -> Result<Value, Open> {
    let code = string(args, 0)?.to_code();
    Ok(Value::Int(code.map_or(Int::from(-1), Int::from)))
}

fn from_code(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Str(Str::from_code(position(args, 0)?)))
}

fn to_int(args: &Args<'_>) -> Result<Value, Open> {
    const MOST_DIGITS: usize = 1 << 20;
    let Some(digits) = string(args, 0)?.to_int() else {
        return Ok(Value::Int(Int::from(-1)));
    };
    if digits.len() > MOST_DIGITS {
        return Err(Open::TooLarge);
    }
    Int::parse(&digits).map(Value::Int).ok_or(Open::TooLarge)
}

fn from_int(args: &Args<'_>) -> Result<Value, Open> {
    let number = int(args, 0)?;
    match number.is_negative() {
        true => Ok(Value::Str(Str::default())),
        false => Ok(Value::Str(Str::from_int(&decimal(number)?))),
    }
}

/// Decimal notation takes time that grows faster than the number is long.
fn decimal(number: &Int) -> Result<String, Open> {
    const MOST_BITS: u64 = 1 << 22;
    match number.bit_len() <= MOST_BITS {
        true => Ok(number.to_string()),
        false => Err(Open::TooLarge),
    }
}

fn reverse(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Str(string(args, 0)?.reverse()))
}

fn to_lower(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Str(string(args, 0)?.to_lower()))
}

fn to_upper(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Str(string(args, 0)?.to_upper()))
}

fn update(args: &Args<'_>) -> Result<Value, Open> {
    let (start, by) = (position(args, 1)?, string(args, 2)?);
    Ok(Value::Str(string(args, 0)?.update(start, by)))
}

fn from_ubv(args: &Args<'_>) -> Result<Value, Open> {
    match &args.values[0] {
        Value::BitVec(bits) => Ok(Value::Str(decimal(&bits.ubv_to_int())?.as_str().into())),
        _ => Err(Open::NoMeaning("a value that is not a bit-vector")),
    }
}

/// Unlike `str.from_int`, with a minus sign for negative numbers.
fn from_sbv(args: &Args<'_>) -> Result<Value, Open> {
    match &args.values[0] {
        Value::BitVec(bits) => Ok(Value::Str(decimal(&bits.sbv_to_int())?.as_str().into())),
        _ => Err(Open::NoMeaning("a value that is not a bit-vector")),
    }
}

#[cfg(test)]
mod tests {
    use crate::eval::Reason;
    use crate::theory::tests::{undetermined, value};

    #[test]
    fn positions_beyond_64_bits_are_far_outside() {
        assert_eq!(value(r#"(str.at "a" 99999999999999999999)"#), "\"\"");
        assert_eq!(
            value(r#"(str.substr "abc" 1 99999999999999999999)"#),
            "\"bc\""
        );
        assert_eq!(
            value(r#"(str.substr "abc" (- 99999999999999999999) 5)"#),
            "\"\""
        );
        assert_eq!(value("(str.from_code 99999999999999999999)"), "\"\"");
    }

    #[test]
    fn integers_of_any_size_are_strings() {
        let digits = "123456789012345678901234567890";
        assert_eq!(value(&format!("(str.to_int \"{digits}\")")), digits);
        assert_eq!(
            value(&format!("(str.from_int {digits})")),
            format!("\"{digits}\"")
        );
    }

    #[test]
    fn strings_beyond_the_allowed_length_are_undetermined() {
        let mut term = "\"ab\"".to_owned();
        for _ in 0..30 {
            term = format!("(let ((x {term})) (str.++ x x))");
        }
        assert_eq!(undetermined(&format!("(str.len {term})")), Reason::TooLarge);
    }
}
