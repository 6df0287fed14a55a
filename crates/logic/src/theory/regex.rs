//! The regular expressions of UnicodeStrings, the functions that look for their matches, and what z3, cvc5 and CVC4 add.

use super::Meaning::{None as Unknown, Strict};
use super::strings::{index, position, regex, string};
use super::{Args, Open, Row, SolverSet, row};
use crate::value::{Matcher, Re, Value};

const STANDARD: SolverSet = SolverSet::STANDARD;
const Z3: SolverSet = SolverSet::Z3;
const CVC5: SolverSet = SolverSet::CVC5;
const CVC4: SolverSet = SolverSet::CVC4;

pub const ROWS: &[Row] = &[
    row("(str.to_re String RegLan)", STANDARD, Strict(to_re)).examples(&[
        (r#"(str.in_re "ab" (str.to_re "ab"))"#, "true"),
        (r#"(str.in_re "a" (str.to_re "ab"))"#, "false"),
    ]),
    row("(str.in_re String RegLan Bool)", STANDARD, Strict(in_re)).examples(&[
        (
            r#"(str.in_re "aab" (re.++ (re.* (str.to_re "a")) (str.to_re "b")))"#,
            "true",
        ),
        (
            r#"(str.in_re "aa" (re.++ (re.* (str.to_re "a")) (str.to_re "b")))"#,
            "false",
        ),
    ]),
    row("(re.none RegLan)", STANDARD, Strict(none))
        .examples(&[(r#"(str.in_re "" re.none)"#, "false")]),
    row("(re.all RegLan)", STANDARD, Strict(all))
        .examples(&[(r#"(str.in_re "abc" re.all)"#, "true")]),
    row("(re.allchar RegLan)", STANDARD, Strict(all_char)).examples(&[
        (r#"(str.in_re "\u{2FFFF}" re.allchar)"#, "true"),
        (r#"(str.in_re "" re.allchar)"#, "false"),
    ]),
    row(
        "(re.++ RegLan RegLan RegLan :left-assoc)",
        STANDARD,
        Strict(concat),
    )
    .examples(&[(
        r#"(str.in_re "abc" (re.++ (str.to_re "a") (str.to_re "b") (str.to_re "c")))"#,
        "true",
    )]),
    row(
        "(re.union RegLan RegLan RegLan :left-assoc)",
        STANDARD,
        Strict(union),
    )
    .commutative()
    .examples(&[(
        r#"(str.in_re "b" (re.union (str.to_re "a") (str.to_re "b")))"#,
        "true",
    )]),
    row(
        "(re.inter RegLan RegLan RegLan :left-assoc)",
        STANDARD,
        Strict(inter),
    )
    .commutative()
    .examples(&[(
        r#"(str.in_re "b" (re.inter (str.to_re "a") (str.to_re "b")))"#,
        "false",
    )]),
    row("(re.* RegLan RegLan)", STANDARD, Strict(star)).examples(&[
        (r#"(str.in_re "" (re.* re.none))"#, "true"),
        (r#"(str.in_re "aba" (re.* (str.to_re "ab")))"#, "false"),
    ]),
    row("(re.comp RegLan RegLan)", STANDARD, Strict(comp))
        .examples(&[(r#"(str.in_re "a" (re.comp (str.to_re "a")))"#, "false")]),
    row(
        "(re.diff RegLan RegLan RegLan :left-assoc)",
        STANDARD,
        Strict(diff),
    )
    .examples(&[
        (
            r#"(str.in_re "a" (re.diff re.all (str.to_re "b")))"#,
            "true",
        ),
        (
            r#"(str.in_re "c" (re.diff re.all (str.to_re "b") (str.to_re "c")))"#,
            "false",
        ),
    ]),
    row("(re.+ RegLan RegLan)", STANDARD, Strict(plus))
        .examples(&[(r#"(str.in_re "" (re.+ (str.to_re "a")))"#, "false")]),
    row("(re.opt RegLan RegLan)", STANDARD, Strict(opt))
        .examples(&[(r#"(str.in_re "" (re.opt (str.to_re "a")))"#, "true")]),
    row("(re.range String String RegLan)", STANDARD, Strict(range))
        .literals(0b11)
        .examples(&[
            (r#"(str.in_re "b" (re.range "a" "c"))"#, "true"),
            (r#"(= (re.range "ab" "c") re.none)"#, "true"),
            (r#"(= (re.range "a" "bc") re.none)"#, "true"),
            (r#"(= (re.range "c" "a") re.none)"#, "true"),
        ]),
    row("((_ re.^ n) RegLan RegLan)", STANDARD, Strict(power)).examples(&[
        (r#"(= ((_ re.^ 0) (str.to_re "a")) (str.to_re ""))"#, "true"),
        (
            r#"(= ((_ re.^ 2) (str.to_re "a")) (str.to_re "aa"))"#,
            "true",
        ),
    ]),
    row("((_ re.loop i n) RegLan RegLan)", STANDARD, Strict(repeat)).examples(&[
        (
            r#"(str.in_re "aaa" ((_ re.loop 1 3) (str.to_re "a")))"#,
            "true",
        ),
        (r#"(= ((_ re.loop 3 1) (str.to_re "a")) re.none)"#, "true"),
    ]),
    row(
        "(str.replace_re String RegLan String String)",
        STANDARD,
        Strict(replace_re),
    )
    .examples(&[
        (
            r#"(str.replace_re "abbb" (re.+ (str.to_re "b")) "x")"#,
            r#""axbb""#,
        ),
        (
            r#"(str.replace_re "abbb" (re.* (str.to_re "b")) "x")"#,
            r#""xabbb""#,
        ),
        (
            r#"(str.replace_re "abbb" (str.to_re "c") "x")"#,
            r#""abbb""#,
        ),
    ]),
    row(
        "(str.replace_re_all String RegLan String String)",
        STANDARD,
        Strict(replace_re_all),
    )
    .examples(&[
        (
            r#"(str.replace_re_all "abbb" (re.* (str.to_re "b")) "x")"#,
            r#""axxx""#,
        ),
        (r#"(str.replace_re_all "ab" (str.to_re "") "x")"#, r#""ab""#),
    ]),
    // cvc5's documentation, theory reference of strings.
    row(
        "(str.indexof_re String RegLan Int Int)",
        CVC5,
        Strict(index_of_re),
    )
    .examples(&[
        (r#"(str.indexof_re "abab" (re.+ (str.to_re "b")) 2)"#, "3"),
        (r#"(str.indexof_re "abab" re.all 4)"#, "4"),
        (r#"(str.indexof_re "abab" re.all 5)"#, "(- 1)"),
    ]),
    // z3: at least so often, bounds as arguments, and further operators.
    row("((_ re.loop n) RegLan RegLan)", Z3, Strict(repeat)).examples(&[(
        r#"(str.in_re "aaa" ((_ re.loop 2) (str.to_re "a")))"#,
        "true",
    )]),
    row(
        "(re.loop RegLan Int Int RegLan)",
        Z3.union(CVC4),
        Strict(repeat_by_arguments),
    )
    .literals(0b110)
    .examples(&[
        (r#"(str.in_re "aa" (re.loop (str.to_re "a") 1 2))"#, "true"),
        (
            r#"(str.in_re "aaa" (re.loop (str.to_re "a") 1 2))"#,
            "false",
        ),
    ]),
    row(
        "(re.loop RegLan Int RegLan)",
        Z3.union(CVC4),
        Strict(repeat_by_arguments),
    )
    .literals(0b10)
    .examples(&[(r#"(str.in_re "aaa" (re.loop (str.to_re "a") 1))"#, "true")]),
    row("(re.xor RegLan RegLan RegLan)", Z3, Strict(xor))
        .commutative()
        .examples(&[(
            r#"(str.in_re "a" (re.xor (str.to_re "a") re.all))"#,
            "false",
        )]),
    row("(re.reverse RegLan RegLan)", Z3, Strict(reverse))
        .examples(&[(r#"(str.in_re "ba" (re.reverse (str.to_re "ab")))"#, "true")]),
    row("(re.empty RegLan :qualified)", Z3, Strict(none))
        .examples(&[(r#"(str.in_re "" (as re.empty (RegEx String)))"#, "false")]),
    // Spellings from before the standard.
    row("(str.to.re String RegLan)", Z3.union(CVC4), Strict(to_re))
        .examples(&[(r#"(str.in_re "a" (str.to.re "a"))"#, "true")]),
    row("(str.to-re String RegLan)", Z3, Strict(to_re))
        .examples(&[(r#"(str.in_re "a" (str.to-re "a"))"#, "true")]),
    row(
        "(str.in.re String RegLan Bool)",
        Z3.union(CVC4),
        Strict(in_re),
    )
    .examples(&[(r#"(str.in.re "a" re.all)"#, "true")]),
    row("(str.in-re String RegLan Bool)", Z3, Strict(in_re))
        .examples(&[(r#"(str.in-re "a" re.all)"#, "true")]),
    row("(re.nostr RegLan)", Z3.union(CVC4), Strict(none))
        .examples(&[(r#"(str.in_re "" re.nostr)"#, "false")]),
    row("(re.complement RegLan RegLan)", Z3, Strict(comp))
        .examples(&[(r#"(str.in_re "" (re.complement re.none))"#, "true")]),
    row("(seq.to.re String RegLan)", Z3, Strict(to_re))
        .examples(&[(r#"(str.in_re "a" (seq.to.re "a"))"#, "true")]),
    row("(seq.in.re String RegLan Bool)", Z3, Strict(in_re))
        .examples(&[(r#"(seq.in.re "a" re.all)"#, "true")]),
    row(
        "(par (A) (re.of.pred (Array A Bool) RegLan))",
        Z3,
        Unknown("a predicate over characters"),
    ),
];

fn value(re: Re) -> Result<Value, Open> {
    Ok(Value::Regex(re))
}

fn to_re(args: &Args<'_>) -> Result<Value, Open> {
    value(Re::literal(string(args, 0)?.clone()))
}

fn in_re(args: &Args<'_>) -> Result<Value, Open> {
    Ok(Value::Bool(regex(args, 1)?.contains(string(args, 0)?)?))
}

fn none(_: &Args<'_>) -> Result<Value, Open> {
    value(Re::none())
}

fn all(_: &Args<'_>) -> Result<Value, Open> {
    value(Re::all())
}

fn all_char(_: &Args<'_>) -> Result<Value, Open> {
    value(Re::all_char())
}

fn pair(args: &Args<'_>) -> Result<Vec<Re>, Open> {
    Ok(vec![regex(args, 0)?.clone(), regex(args, 1)?.clone()])
}

fn concat(args: &Args<'_>) -> Result<Value, Open> {
    value(Re::concat(pair(args)?))
}

fn union(args: &Args<'_>) -> Result<Value, Open> {
    value(Re::union(pair(args)?))
}

fn inter(args: &Args<'_>) -> Result<Value, Open> {
    value(Re::inter(pair(args)?))
}

fn diff(args: &Args<'_>) -> Result<Value, Open> {
    value(Re::diff(pair(args)?))
}

fn xor(args: &Args<'_>) -> Result<Value, Open> {
    value(regex(args, 0)?.xor(regex(args, 1)?))
}

fn star(args: &Args<'_>) -> Result<Value, Open> {
    value(regex(args, 0)?.star())
}

fn plus(args: &Args<'_>) -> Result<Value, Open> {
    value(regex(args, 0)?.plus())
}

fn opt(args: &Args<'_>) -> Result<Value, Open> {
    value(regex(args, 0)?.opt())
}

fn comp(args: &Args<'_>) -> Result<Value, Open> {
    value(regex(args, 0)?.comp())
}

fn reverse(args: &Args<'_>) -> Result<Value, Open> {
    value(regex(args, 0)?.reverse())
}

fn range(args: &Args<'_>) -> Result<Value, Open> {
    value(Re::range(string(args, 0)?, string(args, 1)?))
}

fn count(index: u64) -> Result<u32, Open> {
    u32::try_from(index).map_err(|_| Open::TooLarge)
}

fn power(args: &Args<'_>) -> Result<Value, Open> {
    value(regex(args, 0)?.power(count(args.indices[0])?))
}

fn repeat(args: &Args<'_>) -> Result<Value, Open> {
    let most = args.indices.get(1).map(|most| count(*most)).transpose()?;
    value(regex(args, 0)?.repeat(count(args.indices[0])?, most))
}

/// Negative bounds are documented nowhere, so they are unspecified.
fn repeat_by_arguments(args: &Args<'_>) -> Result<Value, Open> {
    let bounds: Result<Vec<i64>, Open> = (1..args.values.len())
        .map(|at| position(args, at))
        .collect();
    let bounds = bounds?;
    if bounds.iter().any(|bound| *bound < 0) {
        return Err(Open::Unspecified);
    }
    let bounds: Result<Vec<u32>, Open> = bounds
        .into_iter()
        .map(|bound| count(bound.unsigned_abs()))
        .collect();
    let bounds = bounds?;
    value(regex(args, 0)?.repeat(bounds[0], bounds.get(1).copied()))
}

fn replace_re(args: &Args<'_>) -> Result<Value, Open> {
    let mut matcher = Matcher::new(regex(args, 1)?)?;
    Ok(Value::Str(
        matcher.replace(string(args, 0)?, string(args, 2)?)?,
    ))
}

fn replace_re_all(args: &Args<'_>) -> Result<Value, Open> {
    let mut matcher = Matcher::new(regex(args, 1)?)?;
    Ok(Value::Str(
        matcher.replace_all(string(args, 0)?, string(args, 2)?)?,
    ))
}

fn index_of_re(args: &Args<'_>) -> Result<Value, Open> {
    let mut matcher = Matcher::new(regex(args, 1)?)?;
    Ok(index(
        matcher.index_of(string(args, 0)?, position(args, 2)?)?,
    ))
}

#[cfg(test)]
mod tests {
    use crate::eval::Reason;
    use crate::theory::tests::{undetermined, value};

    #[test]
    fn equality_is_that_of_languages() {
        assert_eq!(
            value(r#"(= (re.+ (str.to_re "a")) (re.++ (re.* (str.to_re "a")) (str.to_re "a")))"#),
            "true"
        );
        assert_eq!(
            value(r#"(= (re.+ (str.to_re "a")) (re.* (str.to_re "a")))"#),
            "false"
        );
        assert_eq!(
            value(r#"(distinct re.all re.none (re.comp re.all))"#),
            "false"
        );
    }

    #[test]
    fn exponential_automata_are_undetermined() {
        let nth = |n: u32| format!("(re.++ re.all (str.to_re \"a\") ((_ re.^ {n}) re.allchar))");
        let both = format!(
            "(re.comp (re.inter (re.comp {}) (re.comp {})))",
            nth(40),
            nth(41)
        );
        let either = format!(
            "(re.union {} {} (str.to_re \"{}\"))",
            nth(40),
            nth(41),
            "b".repeat(60)
        );
        assert_eq!(
            undetermined(&format!("(= {both} {either})")),
            Reason::TooLarge
        );
    }

    #[test]
    fn bounds_as_arguments_must_not_be_negative() {
        let negative = r#"(str.in_re "" (re.loop (str.to_re "a") (- 1) 2))"#;
        assert_eq!(undetermined(negative), Reason::Unspecified);
    }
}
