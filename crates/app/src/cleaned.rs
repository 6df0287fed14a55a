//! Removes control characters from output, so that text from outside cannot move the cursor or rename the window.

use std::io::{self, StdoutLock, Write};

/// The replacement for a control character.
const REPLACED: &str = "\u{fffd}";

/// Text without control characters; line ends, tabs and colours stay.
pub fn cleaned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_control() && c != '\n' && c != '\t') {
        out.push_str(&rest[..at]);
        let colour = colour_length(&rest[at..]);
        match colour {
            0 => out.push_str(REPLACED),
            length => out.push_str(&rest[at..at + length]),
        }
        let first = rest[at..].chars().next().map_or(1, char::len_utf8);
        rest = &rest[at + colour.max(first)..];
    }
    out.push_str(rest);
    out
}

/// The length of a leading colour sequence, `ESC [ 1 ; 31 m`; else 0.
fn colour_length(text: &str) -> usize {
    let Some(inside) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let numbers = inside
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b';')
        .count();
    match inside.as_bytes().get(numbers) {
        Some(b'm') => "\u{1b}[".len() + numbers + 1,
        _ => 0,
    }
}

/// Standard output, with control characters replaced if people read it.
pub struct Cleaned {
    out: StdoutLock<'static>,
    cleans: bool,
    /// The first byte of a character whose second byte is still missing and that may be a control character.
    held: bool,
}

impl Cleaned {
    pub fn new(out: StdoutLock<'static>, cleans: bool) -> Cleaned {
        Cleaned {
            out,
            cleans,
            held: false,
        }
    }
}

/// Appends bytes without control characters. `held` means that the last byte was 0xC2, which starts U+0080 to U+009F.
fn clean_into(out: &mut Vec<u8>, bytes: &[u8], held: &mut bool) {
    for &byte in bytes {
        if std::mem::take(held) {
            match byte {
                0x80..=0x9f => {
                    out.extend_from_slice(REPLACED.as_bytes());
                    continue;
                }
                _ => out.push(0xc2),
            }
        }
        match byte {
            0xc2 => *held = true,
            b'\n' | b'\t' => out.push(byte),
            0..=0x1f | 0x7f => out.extend_from_slice(REPLACED.as_bytes()),
            _ => out.push(byte),
        }
    }
}

impl Write for Cleaned {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.cleans {
            return self.out.write(bytes);
        }
        let mut clean = Vec::with_capacity(bytes.len());
        clean_into(&mut clean, bytes, &mut self.held);
        self.out.write_all(&clean)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced_and_colours_stay() {
        assert_eq!(
            cleaned("a\u{1b}]0;x\u{7}b\u{9b}c"),
            "a\u{fffd}]0;x\u{fffd}b\u{fffd}c"
        );
        assert_eq!(
            cleaned("\u{1b}[1;31mé\n\tb\u{1b}[0m"),
            "\u{1b}[1;31mé\n\tb\u{1b}[0m"
        );
        assert_eq!(cleaned("\u{1b}[2J\u{1b}"), "\u{fffd}[2J\u{fffd}");
    }

    #[test]
    fn bytes_are_cleaned_however_they_are_cut() {
        let text = "a\u{1b}[1mé\u{9b}\u{a9}\n".as_bytes();
        for cut in 0..text.len() {
            let (mut out, mut held) = (Vec::new(), false);
            clean_into(&mut out, &text[..cut], &mut held);
            clean_into(&mut out, &text[cut..], &mut held);
            assert_eq!(
                String::from_utf8(out).unwrap(),
                "a\u{fffd}[1mé\u{fffd}\u{a9}\n"
            );
        }
    }
}
