//! Classes of bytes, and the end and kind of an atom.

use crate::tape::Kind;

/// What a byte does at the start of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Part of a symbol and nothing else; also every byte that has no meaning of its own.
    Other,
    Digit,
    Hash,
    Colon,
    /// The first byte of a byte order mark and of other characters.
    Mark,
    // From here on: bytes that end a symbol.
    Space,
    Semicolon,
    Open,
    Close,
    Quote,
    Bar,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut digit = b'0';
    while digit <= b'9' {
        classes[digit as usize] = Class::Digit;
        digit += 1;
    }
    let spaces = b" \t\n\r\x0B\x0C";
    let mut i = 0;
    while i < spaces.len() {
        classes[spaces[i] as usize] = Class::Space;
        i += 1;
    }
    classes[BYTE_ORDER_MARK[0] as usize] = Class::Mark;
    classes[b'#' as usize] = Class::Hash;
    classes[b':' as usize] = Class::Colon;
    classes[b';' as usize] = Class::Semicolon;
    classes[b'(' as usize] = Class::Open;
    classes[b')' as usize] = Class::Close;
    classes[b'"' as usize] = Class::Quote;
    classes[b'|' as usize] = Class::Bar;
    classes
};

/// Some editors put U+FEFF in front of a text, and so it gets between texts that are joined.
pub(crate) const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

#[inline]
pub(crate) fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Whether a token before this byte stands apart from what follows.
pub(crate) fn is_delimiter(byte: u8) -> bool {
    matches!(
        class(byte),
        Class::Space | Class::Semicolon | Class::Open | Class::Close
    )
}

/// Where the run of symbol bytes that goes on at `at` ends.
#[inline]
pub(crate) fn symbol_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && (class(bytes[at]) as u8) < Class::Space as u8 {
        at += 1;
    }
    at
}

fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at].is_ascii_digit() {
        at += 1;
    }
    at
}

/// A token that starts with a digit: numeral, decimal, or a symbol of some dialect such as `1e-5` or `1/3`.
pub(crate) fn number(bytes: &[u8], start: usize) -> (Kind, usize) {
    let whole = digits_end(bytes, start);
    let end = symbol_end(bytes, whole);
    if end == whole {
        return (Kind::Numeral, end);
    }
    // z3 also writes decimals without a fraction: `2.`
    let is_decimal = bytes[whole] == b'.' && digits_end(bytes, whole + 1) == end;
    (
        if is_decimal {
            Kind::Decimal
        } else {
            Kind::Symbol
        },
        end,
    )
}

/// A token that starts with `#`: a bit-vector literal, or a symbol of some dialect such as `#f1m5`.
pub(crate) fn hash(bytes: &[u8], start: usize) -> (Kind, usize) {
    let end = symbol_end(bytes, start + 1);
    let kind = match &bytes[start + 1..end] {
        [b'x', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) => {
            Kind::Hexadecimal
        }
        [b'b', digits @ ..]
            if !digits.is_empty() && digits.iter().all(|b| matches!(b, b'0' | b'1')) =>
        {
            Kind::Binary
        }
        _ => Kind::Symbol,
    };
    (kind, end)
}

/// A token that starts with `:`; a lone colon is a symbol.
pub(crate) fn keyword(bytes: &[u8], start: usize) -> (Kind, usize) {
    let end = symbol_end(bytes, start + 1);
    (
        if end > start + 1 {
            Kind::Keyword
        } else {
            Kind::Symbol
        },
        end,
    )
}

/// The line break that ends a comment, or the end of the text.
pub(crate) fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..]
        .iter()
        .position(|&b| b == b'\n')
        .map_or(bytes.len(), |n| from + n)
}
