//! String literals: reading their contents with the escapes of the standard or of older dialects, and writing them so that they read back the same.
//!
//! The doubling of quotes belongs to the syntax crate; here `contents` is what stands between the outer quotes after undoubling.

use std::fmt;

use super::string::{MAX_CODE_POINT, Str};

/// Which sequences after a backslash stand for one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// `\ud₃d₂d₁d₀` and `\u{d}` to `\u{ddddd}`, the only ones of SMT-LIB 2.6 and later
    Standard,
    /// Also `\x41`, octal `\101`, `\n` and the like, as releases before 2020 of z3 and CVC4 print them
    C,
}

impl Str {
    /// The string that a literal with these contents denotes, or none if it has a character beyond plane 2.
    pub fn read(contents: &str, escapes: Escapes) -> Option<Self> {
        if contents.is_ascii() && !contents.contains('\\') {
            return Some(Self::from(contents));
        }
        let mut code_points = Vec::with_capacity(contents.len());
        let mut rest = contents;
        while let Some(first) = rest.chars().next() {
            let escape = match escapes {
                Escapes::Standard => standard_escape(rest),
                Escapes::C => standard_escape(rest).or_else(|| c_escape(rest)),
            };
            let (code_point, length) = escape.unwrap_or((u32::from(first), first.len_utf8()));
            code_points.push(code_point);
            rest = &rest[length..];
        }
        Self::new(&code_points)
    }

    /// The contents of a literal of this string, with standard escapes and before the doubling of quotes.
    pub fn contents(&self) -> String {
        let code_points = self.code_points();
        let mut out = String::with_capacity(code_points.len());
        for (at, &c) in code_points.iter().enumerate() {
            let begins_escape = c == u32::from('\\') && code_points.get(at + 1) == Some(&0x75);
            match char::from_u32(c) {
                Some(plain @ ' '..='~') if !begins_escape => out.push(plain),
                _ => out.push_str(&format!("\\u{{{c:x}}}")),
            }
        }
        out
    }
}

/// The literal with its quotes.
impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.contents().replace('"', "\"\""))
    }
}

/// The code point and the length of the escape sequence that `text` starts with.
fn standard_escape(text: &str) -> Option<(u32, usize)> {
    let digits = text.strip_prefix("\\u")?;
    match digits.strip_prefix('{') {
        Some(digits) => {
            let count = digits.find('}').filter(|count| (1..=5).contains(count))?;
            let code_point = hexadecimal(&digits[..count])?;
            (code_point <= MAX_CODE_POINT).then_some((code_point, count + 4))
        }
        None => Some((hexadecimal(digits.get(..4)?)?, 6)),
    }
}

/// As [`standard_escape`], for the escapes of C.
fn c_escape(text: &str) -> Option<(u32, usize)> {
    let text = text.strip_prefix('\\')?;
    let code_point = match text.bytes().next()? {
        b'x' => return Some((hexadecimal(text.get(1..3)?)?, 4)),
        b'0'..=b'7' => return Some(octal(text)),
        b'a' => 7,
        b'b' => 8,
        b't' => 9,
        b'n' => 10,
        b'v' => 11,
        b'f' => 12,
        b'r' => 13,
        b'e' => 27,
        b'\\' => 92,
        _ => return None,
    };
    Some((code_point, 2))
}

/// One to three octal digits, of which the caller has seen one.
fn octal(text: &str) -> (u32, usize) {
    let digits = text
        .bytes()
        .take(3)
        .take_while(|b| (b'0'..=b'7').contains(b));
    digits.fold((0, 1), |(value, length), digit| {
        (value * 8 + u32::from(digit - b'0'), length + 1)
    })
}

fn hexadecimal(digits: &str) -> Option<u32> {
    let all_digits = digits.bytes().all(|b| b.is_ascii_hexdigit());
    all_digits.then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(contents: &str) -> Vec<u32> {
        let string = Str::read(contents, Escapes::Standard).unwrap();
        string.code_points().to_vec()
    }

    fn plain(contents: &str) -> Vec<u32> {
        contents.chars().map(u32::from).collect()
    }

    #[test]
    fn reads_the_escapes_of_the_standard() {
        assert_eq!(read(r"\u003A"), [0x3A]);
        assert_eq!(read(r"\u{3A}"), [0x3A]);
        assert_eq!(read(r"\u{0}"), [0]);
        assert_eq!(read(r"\u{2FFFF}"), [0x2FFFF]);
        assert_eq!(read(r"\u{00041}"), [0x41]);
        assert_eq!(read(r"a\u02C1"), [0x61, 0x2C1]);
        assert_eq!(read(r"\u02C1a"), [0x2C1, 0x61]);
        assert_eq!(read(r"\u{2C}1a"), [0x2C, 0x31, 0x61]);
        assert_eq!(read(r"\\u{2C}"), [0x5C, 0x2C]);
    }

    #[test]
    fn leaves_everything_else_as_it_stands() {
        for contents in [
            r"\u2CA",
            r"\u2CXA",
            r"\u{ACG}A",
            r"\u{}",
            r"\u{30000}",
            r"\u{000041}",
            r"\u{+41}",
            r"\u+041",
            r"\u{41",
            r"\n\x41\101\\",
            r"\",
            r"\u",
            r"\u{",
            r"\u00é",
        ] {
            assert_eq!(read(contents), plain(contents), "{contents}");
        }
    }

    #[test]
    fn older_escapes_are_read_only_on_request() {
        let string = Str::read(r"\x41\n\101\7\\\q\u{42}", Escapes::C).unwrap();
        assert_eq!(
            string.code_points(),
            [0x41, 10, 0x41, 7, 92, 92, 0x71, 0x42]
        );
        assert_eq!(read(r"\x41"), plain(r"\x41"));
    }

    #[test]
    fn characters_beyond_plane_two_are_no_values() {
        assert_eq!(Str::read("\u{30000}", Escapes::Standard), None);
        assert!(Str::read("\u{2F800}", Escapes::Standard).is_some());
    }

    #[test]
    fn writes_only_printable_ascii() {
        let string = Str::new(&[0, 0x41, 0x22, 0x5C, 0x75, 0x5C, 0x7F, 0x2FFFF]).unwrap();
        assert_eq!(string.to_string(), r#""\u{0}A""\u{5c}u\\u{7f}\u{2ffff}""#);
    }

    #[test]
    fn whatever_is_written_reads_back() {
        let letters = [0x5C, 0x75, 0x7B, 0x30, 0x7D, 0x2FFFF];
        for code in 0..6_u32.pow(5) {
            let word: Vec<u32> = (0..5)
                .map(|i| letters[(code / 6_u32.pow(i) % 6) as usize])
                .collect();
            let string = Str::new(&word).unwrap();
            assert_eq!(
                Str::read(&string.contents(), Escapes::Standard),
                Some(string)
            );
        }
    }
}
