//! Bytes to text and back without loss: bytes that are not UTF-8 become private-use characters.

use std::borrow::Cow;

/// Byte `b` (always 0x80 or more) is written as the character `ESCAPE + b`.
const ESCAPE: u32 = 0xF700;

/// The first byte of the UTF-8 form of every escape character, U+F780 to U+F7FF.
const ESCAPE_LEAD: u8 = 0xEF;

fn is_escape(c: char) -> bool {
    matches!(c, '\u{F780}'..='\u{F7FF}')
}

fn may_hold_escapes(bytes: &[u8]) -> bool {
    bytes.contains(&ESCAPE_LEAD)
}

/// Bytes to text: valid UTF-8 is borrowed; each byte outside it becomes the character U+F700 + byte.
///
/// A text that already holds one of these 128 characters has its bytes escaped as well,
/// so that different bytes always give different texts and [`encode`] undoes this exactly.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) if !may_hold_escapes(bytes) || !text.contains(is_escape) => Cow::Borrowed(text),
        _ => Cow::Owned(escape_all(bytes)),
    }
}

fn escape_all(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find(is_escape) {
            let (before, after) = rest.split_at(at);
            let (escape, after) = after.split_at('\u{F780}'.len_utf8());
            out.push_str(before);
            out.extend(escape.bytes().map(escaped));
            rest = after;
        }
        out.push_str(rest);
        out.extend(chunk.invalid().iter().copied().map(escaped));
    }
    out
}

fn escaped(byte: u8) -> char {
    char::from_u32(ESCAPE + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Text to bytes: undoes [`decode`].
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !may_hold_escapes(text.as_bytes()) || !text.contains(is_escape) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_escape) {
        let (before, after) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        let mut chars = after.chars();
        out.extend(chars.next().map(|c| (c as u32 & 0xFF) as u8));
        rest = chars.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrows_valid_text() {
        for text in ["", "(assert p)", "\u{FEFF}äöü 漢字 \0", "\u{F700}\u{F800}"] {
            assert!(matches!(decode(text.as_bytes()), Cow::Borrowed(t) if t == text));
            assert!(matches!(encode(text), Cow::Borrowed(b) if b == text.as_bytes()));
        }
    }

    #[test]
    fn keeps_different_invalid_bytes_different() {
        assert_eq!(decode(b"a\xFFb\xC3"), "a\u{F7FF}b\u{F7C3}");
        assert_ne!(decode(b"\xFF"), decode(b"\xFE"));
        assert_ne!(decode("\u{F7FF}".as_bytes()), decode(b"\xFF"));
    }

    #[test]
    fn encode_undoes_decode() {
        let escape_itself = "x\u{F780}y\u{F7FF}".as_bytes();
        let cases: [&[u8]; 5] = [
            b"",
            b"\xFF",
            b"ok\xE4\xB8(",
            b"\xEF\x9E\x80\xEF",
            escape_itself,
        ];
        for bytes in cases {
            assert_eq!(encode(&decode(bytes)), bytes, "{bytes:?}");
        }
    }
}
