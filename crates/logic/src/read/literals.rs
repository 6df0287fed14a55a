//! Reads literals of all dialects: the standard's, and numbers with a sign, a trailing point or a fraction bar.

use super::ScriptReader;
use crate::sort::{Sort, SortKind};
use crate::term::TermId;
use crate::value::{BitVec, Escapes, Int, Rat, RoundingMode, Str, Value};
use auspex_syntax::{Kind, Sexpr};

/// Numbers with more digits are kept as text, with their sort, because arithmetic on them takes too long.
const LONGEST: usize = 1 << 16;

impl ScriptReader<'_> {
    pub(super) fn literal(&mut self, sexpr: Sexpr<'_>) -> TermId {
        let text = sexpr.text();
        if text.len() > LONGEST {
            return self.long_literal(sexpr);
        }
        let term = match sexpr.kind() {
            Kind::Numeral if self.numerals_are_reals => self.decimal(text),
            Kind::Numeral => self.numeral(text),
            Kind::Decimal => self.decimal(text),
            Kind::Hexadecimal | Kind::Binary => self.bits(text),
            Kind::String => self.string(sexpr),
            Kind::Symbol | Kind::QuotedSymbol | Kind::Keyword | Kind::List => None,
        };
        term.or_else(|| self.special_symbol(sexpr))
            .unwrap_or_else(|| self.unknown(sexpr, &[]))
    }

    fn long_literal(&mut self, sexpr: Sexpr<'_>) -> TermId {
        let text = sexpr.text();
        let sort = match sexpr.kind() {
            Kind::Numeral if !self.numerals_are_reals => Sort::INT,
            Kind::Numeral | Kind::Decimal => Sort::REAL,
            Kind::String => {
                let string = self.string(sexpr);
                return string.unwrap_or_else(|| self.unknown(sexpr, &[]));
            }
            Kind::Hexadecimal | Kind::Binary => {
                let bits = self.bits(text);
                return bits.unwrap_or_else(|| self.unknown(sexpr, &[]));
            }
            Kind::Symbol | Kind::QuotedSymbol | Kind::Keyword | Kind::List => Sort::UNKNOWN,
        };
        self.terms.opaque(text, &[], sort)
    }

    fn numeral(&mut self, text: &str) -> Option<TermId> {
        let int = Int::parse(text)?;
        Some(self.terms.literal_node(Value::Int(int), Sort::INT))
    }

    fn decimal(&mut self, text: &str) -> Option<TermId> {
        let rat = Rat::parse(text)?;
        Some(self.terms.literal_node(Value::Real(rat), Sort::REAL))
    }

    fn bits(&mut self, text: &str) -> Option<TermId> {
        let bits = BitVec::parse(text)?;
        let sort = self.terms.sorts.bit_vec(bits.width());
        Some(self.terms.literal_node(Value::BitVec(bits), sort))
    }

    fn string(&mut self, sexpr: Sexpr<'_>) -> Option<TermId> {
        let contents = sexpr.string()?;
        let string = Str::read(&contents, Escapes::Standard)?;
        Some(self.terms.literal_node(Value::Str(string), Sort::STRING))
    }

    /// An undeclared symbol that is a literal.
    pub(super) fn special_symbol(&mut self, sexpr: Sexpr<'_>) -> Option<TermId> {
        let text = sexpr.text();
        if let Some(mode) = RoundingMode::parse(text) {
            let value = Value::Rounding(mode);
            return Some(self.terms.literal_node(value, Sort::ROUNDING_MODE));
        }
        if text.starts_with("#f") {
            let sort = self.field_of_literal(text)?;
            return Some(self.terms.opaque(text, &[], sort));
        }
        let first = *text.strip_prefix('-').unwrap_or(text).as_bytes().first()?;
        first.is_ascii_digit().then(|| self.lenient_number(text))?
    }

    /// `-5`, `2.`, `-0.25`, `1/3`: the numbers of z3 and cvc5. Numerals with a trailing point and fractions are real.
    fn lenient_number(&mut self, text: &str) -> Option<TermId> {
        if let Some(positive) = text.strip_prefix('-') {
            let term = self.lenient_number(positive)?;
            return self.terms.app("-", &[term]).ok();
        }
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if let Some((numerator, denominator)) = text.split_once('/') {
            if !digits(numerator) || !digits(denominator) || Int::parse(denominator)?.is_zero() {
                return None;
            }
            let (n, d) = (self.decimal(numerator)?, self.decimal(denominator)?);
            return self.terms.app("/", &[n, d]).ok();
        }
        match text.split_once('.') {
            Some((whole, "")) if digits(whole) => self.decimal(whole),
            Some((whole, part)) if digits(whole) && digits(part) => self.decimal(text),
            None if digits(text) && self.numerals_are_reals => self.decimal(text),
            None if digits(text) => self.numeral(text),
            _ => None,
        }
    }

    /// `#f3m7` is the element 3 of the field of order 7.
    fn field_of_literal(&mut self, text: &str) -> Option<Sort> {
        let (element, order) = text.strip_prefix("#f")?.split_once('m')?;
        let element = element.strip_prefix('-').unwrap_or(element);
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(element) || !digits(order) {
            return None;
        }
        let order = self.terms.symbols.intern(order);
        Some(self.terms.sorts.intern(SortKind::FiniteField(order)))
    }
}

#[cfg(test)]
mod tests {
    use crate::render::{self, Sharing};
    use crate::{Terms, read_script};

    fn check(literal: &str, printed: &str, opaque: usize) {
        let mut terms = Terms::new();
        let text = format!("(assert (= {literal} {literal}))");
        let reading = read_script(&mut terms, &text).expect("well-formed");
        let root = reading.script.roots()[0];
        let term = terms.args(root)[0];
        assert_eq!(render::term(&terms, term, Sharing::Expanded), printed);
        assert_eq!(reading.opaque_terms, opaque, "{literal}");
    }

    #[test]
    fn reads_the_numbers_of_all_dialects() {
        check("12", "12", 0);
        check("1.50", "1.5", 0);
        check("#xA", "#xa", 0);
        check("-5", "(- 5)", 0);
        check("2.", "2.0", 0);
        check("-0.25", "(- 0.25)", 0);
        check("1/3", "(/ 1.0 3.0)", 0);
        check("#f3m7", "#f3m7", 0);
    }

    #[test]
    fn what_is_no_number_stays_opaque() {
        check("5/0", "5/0", 2);
        check("-x", "-x", 2);
        check("1/", "1/", 2);
        check("#fxm7", "#fxm7", 2);
    }
}
