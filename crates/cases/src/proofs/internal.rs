//! Rewrites a solver's text into SMT-LIB: symbols of its own are replaced by what they stand for where the text tells
//! it, and a term with any other is left out.
//!
//! ```text
//! (>= (@purify (+ a 1)) 0)       (>= (+ a 1) 0)
//! (@div_by_zero_2 x)             (/ x 0.0)
//! (@array_deq_diff a b)          left out: no term of the standard
//! ```

use auspex_syntax::{Kind, Sexpr};

/// How a text writes numbers and indexed operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// As the standard does.
    Standard,
    /// As cvc5's proofs do: `-1`, `3/4`, `(extract 3 0 x)`, `(@bv 5 4)`.
    Cpc,
}

/// The most pieces of one text.
const MOST: usize = 1 << 20;

/// Names that only bind a variable.
const BOUND: [&str; 1] = ["@var."];

/// Operators whose first arguments are indices in cvc5's proofs, and how many.
const INDEXED: [(&str, usize); 16] = [
    ("extract", 2),
    ("repeat", 1),
    ("zero_extend", 1),
    ("sign_extend", 1),
    ("rotate_left", 1),
    ("rotate_right", 1),
    ("int_to_bv", 1),
    ("int2bv", 1),
    ("divisible", 1),
    ("iand", 1),
    ("re.loop", 2),
    ("re.^", 1),
    ("is", 1),
    ("update", 1),
    ("tuple.select", 1),
    ("tuple.update", 1),
];

/// A part that is still to be written.
enum Piece<'s> {
    Item(Sexpr<'s>),
    Text(String),
}

/// What a text's own names stand for: the text to write for a name, or why there is none.
pub type Names<'n> = &'n dyn Fn(&str) -> Option<Result<String, String>>;

/// The text in the words of the standard; the symbol that has no meaning there, if there is one.
pub fn plain(item: Sexpr<'_>, dialect: Dialect) -> Result<String, String> {
    plain_with(item, dialect, &|_| None)
}

/// The same where names were given to terms before.
pub fn plain_with(item: Sexpr<'_>, dialect: Dialect, names: Names<'_>) -> Result<String, String> {
    let mut out = String::new();
    let mut waiting = vec![Piece::Item(item)];
    let mut pieces = 0;
    while let Some(piece) = waiting.pop() {
        pieces += 1;
        if pieces > MOST {
            return Err("a term that is too long".to_string());
        }
        match piece {
            Piece::Text(text) => {
                append(&mut out, &text);
            }
            Piece::Item(item) if item.is_list() => {
                let mut pieces = list(item, dialect)?;
                pieces.reverse();
                waiting.append(&mut pieces);
            }
            Piece::Item(item) => {
                match names(item.text()) {
                    Some(known) => append(&mut out, &known?),
                    None => append(&mut out, &atom(item, dialect)?),
                }
                if out.len() > MOST {
                    return Err("a term that is too long".to_string());
                }
            }
        }
    }
    Ok(out)
}

/// With a space where words would touch.
fn append(out: &mut String, text: &str) {
    let touches = !out.is_empty() && !out.ends_with('(') && !text.starts_with(')');
    if touches {
        out.push(' ');
    }
    out.push_str(text);
}

/// The name without the number that tells symbols of one kind apart.
fn family(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((family, number)) if number.bytes().all(|b| b.is_ascii_digit()) => family,
        _ => name,
    }
}

fn text<'s>(text: &str) -> Piece<'s> {
    Piece::Text(text.to_string())
}

fn list(item: Sexpr<'_>, dialect: Dialect) -> Result<Vec<Piece<'_>>, String> {
    let items: Vec<Sexpr<'_>> = item.items().collect();
    let head = item.head().unwrap_or("");
    let rest = items.get(1..).unwrap_or_default();
    Ok(match (family(head), rest) {
        ("@purify", [meant]) => vec![Piece::Item(*meant)],
        ("@div_by_zero", [_]) => around("(/", rest, "0.0)"),
        ("@int_div_by_zero", [_]) => around("(div", rest, "0)"),
        ("@mod_by_zero", [_]) => around("(mod", rest, "0)"),
        ("@bit", [place, bits]) => {
            let place = place.text();
            around(
                &format!("(= ((_ extract {place} {place})"),
                &[*bits],
                ") #b1)",
            )
        }
        ("@bv", [value, width]) if dialect == Dialect::Cpc => {
            vec![text(&format!("(_ bv{} {})", value.text(), width.text()))]
        }
        _ if dialect == Dialect::Cpc => match indexed(head, rest) {
            Some((indices, rest)) => {
                let indices: Vec<&str> = indices.iter().map(|index| index.text()).collect();
                around(&format!("((_ {head} {})", indices.join(" ")), rest, ")")
            }
            None => around("(", &items, ")"),
        },
        _ => around("(", &items, ")"),
    })
}

fn around<'s>(open: &str, shown: &[Sexpr<'s>], close: &str) -> Vec<Piece<'s>> {
    let mut all = vec![text(open)];
    all.extend(shown.iter().copied().map(Piece::Item));
    all.push(text(close));
    all
}

type Items<'i, 's> = &'i [Sexpr<'s>];

fn indexed<'i, 's>(head: &str, rest: Items<'i, 's>) -> Option<(Items<'i, 's>, Items<'i, 's>)> {
    let (_, count) = INDEXED.iter().find(|(name, _)| *name == head)?;
    (rest.len() > *count).then(|| rest.split_at(*count))
}

/// A word in the words of the standard.
pub fn atom(item: Sexpr<'_>, dialect: Dialect) -> Result<String, String> {
    let shown = item.portable_text().into_owned();
    if dialect == Dialect::Cpc
        && let Some(number) = number(&shown)
    {
        return Ok(number);
    }
    let is_own =
        |name: &str| name.starts_with('@') && !BOUND.iter().any(|bound| name.starts_with(bound));
    match item.kind() {
        Kind::Symbol if item.symbol().is_some_and(is_own) => Err(family(&shown).to_string()),
        _ => Ok(shown),
    }
}

/// `-1` and `3/4` as terms.
fn number(shown: &str) -> Option<String> {
    let (is_negative, digits) = match shown.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, shown),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let plain = match digits.split_once('/') {
        Some((above, below)) if is_number(above) && is_number(below) => match below {
            "1" => format!("{above}.0"),
            _ => format!("(/ {above}.0 {below}.0)"),
        },
        None if is_number(digits) => digits.to_string(),
        _ => return None,
    };
    Some(match is_negative {
        true => format!("(- {plain})"),
        false => plain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_syntax::Document;

    fn plainly(text: &str, dialect: Dialect) -> Result<String, String> {
        let document = Document::read(text).unwrap();
        let item = document.items().next().unwrap();
        plain(item, dialect)
    }

    #[test]
    fn symbols_with_a_meaning_are_replaced_by_it() {
        for (internal, expected) in [
            ("(>= (@purify (+ a 1)) 0)", "(>= (+ a 1) 0)"),
            ("(= (@div_by_zero_2 x) 1.0)", "(= (/ x 0.0) 1.0)"),
            (
                "(= (@int_div_by_zero x) (@mod_by_zero_17 y))",
                "(= (div x 0) (mod y 0))",
            ),
            ("(@bit 3 b)", "(= ((_ extract 3 3) b) #b1)"),
            (
                "(exists ((@var.str_index Int)) (> @var.str_index 0))",
                "(exists ((@var.str_index Int)) (> @var.str_index 0))",
            ),
        ] {
            assert_eq!(
                plainly(internal, Dialect::Standard).as_deref(),
                Ok(expected)
            );
        }
    }

    #[test]
    fn symbols_without_a_meaning_are_told() {
        for (internal, name) in [
            ("(> @purify_3 0)", "@purify"),
            ("(select a (@array_deq_diff a b))", "@array_deq_diff"),
        ] {
            assert_eq!(plainly(internal, Dialect::Standard), Err(name.to_string()));
        }
    }

    #[test]
    fn numbers_and_indices_of_cvc5s_proofs_are_those_of_the_standard() {
        for (cpc, expected) in [
            ("(+ -1 x -3/4 2/1)", "(+ (- 1) x (- (/ 3.0 4.0)) 2.0)"),
            ("(extract 3 0 x)", "((_ extract 3 0) x)"),
            ("(bvadd x (@bv 5 4))", "(bvadd x (_ bv5 4))"),
            ("(is cons x)", "((_ is cons) x)"),
        ] {
            assert_eq!(plainly(cpc, Dialect::Cpc).as_deref(), Ok(expected));
        }
        assert_eq!(plainly("(- 1)", Dialect::Standard).as_deref(), Ok("(- 1)"));
    }
}
