//! Recognises a crash in a solver's output: its kind, its place in the source, and the line to search for.

use auspex_logic::answer::{Crash, CrashKind};

/// Texts that show a crash, most specific first.
const SIGNS: &[(&str, Sign)] = &[
    ("LeakSanitizer", Sign::Leak),
    ("AddressSanitizer", Sign::Sanitizer),
    ("UndefinedBehaviorSanitizer", Sign::Sanitizer),
    ("MemorySanitizer", Sign::Sanitizer),
    ("ThreadSanitizer", Sign::Sanitizer),
    (": runtime error: ", Sign::Sanitizer),
    ("Fatal failure within", Sign::Fatal),
    ("ASSERTION VIOLATION", Sign::Z3Assertion),
    ("Assertion `", Sign::Assert),
    ("Assertion failed", Sign::Assert),
    ("assertion failed", Sign::Assert),
    ("Assertion failure", Sign::Assert),
    ("Check failure", Sign::Assert),
    ("Unhandled case encountered", Sign::Fatal),
    ("UNEXPECTED CODE WAS REACHED", Sign::Z3Assertion),
    ("Unreachable code reached", Sign::Fatal),
    ("panicked at", Sign::Panic),
    ("terminate called", Sign::Exception),
    ("Unhandled exception", Sign::Exception),
    ("unhandled exception", Sign::Exception),
    ("uncaught exception", Sign::Exception),
    ("Exception in thread", Sign::Exception),
    ("Fatal error: exception", Sign::Exception),
    ("Traceback (most recent call last)", Sign::Exception),
    ("pure virtual method called", Sign::Assert),
    ("stack smashing detected", Sign::Assert),
    ("double free or corruption", Sign::Assert),
    ("free(): invalid", Sign::Assert),
    ("malloc(): ", Sign::Assert),
    ("malloc_consolidate(): ", Sign::Assert),
    ("munmap_chunk(): ", Sign::Assert),
    ("corrupted double-linked list", Sign::Assert),
    ("corrupted size vs. prev_size", Sign::Assert),
    ("Segmentation fault", Sign::Fault),
    ("suffered a segfault", Sign::Fault),
    ("FATAL ERROR: ", Sign::Internal),
    ("INTERNAL ERROR", Sign::Internal),
    ("Internal error", Sign::Internal),
    ("internal error", Sign::Internal),
    ("Internal failure", Sign::Internal),
];

#[derive(Clone, Copy)]
enum Sign {
    Leak,
    Sanitizer,
    Fatal,
    Z3Assertion,
    Assert,
    Panic,
    Exception,
    /// A handler or a shell reports a signal that we cannot see ourselves.
    Fault,
    Internal,
}

/// The crash that a text reports, if any.
pub fn find(text: &str) -> Option<Crash> {
    // The text is nearly always empty, and preparing the searches would cost a live session a tenth of its time.
    if text.is_empty() {
        return None;
    }
    let (at, sign) = SIGNS
        .iter()
        .find_map(|(sign, kind)| text.find(sign).map(|at| (at, *kind)))?;
    let line = line_around(text, at);
    let (how, site, message) = match sign {
        Sign::Leak => (CrashKind::Leak, frame(text), line.to_string()),
        Sign::Sanitizer => (CrashKind::Sanitizer, frame(text), line.to_string()),
        Sign::Z3Assertion => (CrashKind::Assertion, z3_site(text), z3_message(text, line)),
        Sign::Fatal => (
            CrashKind::Assertion,
            place(line),
            with_next_line(text, at, line),
        ),
        Sign::Assert => (CrashKind::Assertion, place(line), line.to_string()),
        Sign::Panic => (
            CrashKind::Exception,
            place(line),
            with_next_line(text, at, line),
        ),
        Sign::Exception => (CrashKind::Exception, None, exception(text, at, line)),
        Sign::Fault => (CrashKind::Signal(libc::SIGSEGV), None, line.to_string()),
        Sign::Internal => (CrashKind::InternalError, place(line), line.to_string()),
    };
    Some(Crash {
        how,
        site,
        message: message.trim().to_string(),
    })
}

fn line_around(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..]
        .find('\n')
        .map_or(text.len(), |length| at + length);
    text[start..end].trim()
}

/// The line and the one after it, which has the reason.
fn with_next_line(text: &str, at: usize, line: &str) -> String {
    let next = text[at..].lines().nth(1).unwrap_or("").trim();
    format!("{line}\n{next}")
}

/// `file.cpp:123` anywhere in a line, without the folders, which differ from build to build.
fn place(line: &str) -> Option<String> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '\'' | '`' | '"' | ','))
        .find_map(place_in_word)
}

const ENDINGS: &[&str] = &[
    ".cpp", ".h", ".cc", ".c", ".hpp", ".cxx", ".rs", ".ml", ".java", ".scala", ".py",
];

fn place_in_word(word: &str) -> Option<String> {
    let mut parts = word.split(':');
    let file = parts.next()?;
    let line = parts.next()?;
    let known = ENDINGS.iter().any(|ending| file.ends_with(ending));
    let number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    let name = file.rsplit('/').next().unwrap_or(file);
    (known && number).then(|| format!("{name}:{line}"))
}

/// The first frame of a sanitizer's stack that is inside the solver: `file:line`, else a function.
fn frame(text: &str) -> Option<String> {
    let frames = text.lines().filter(|line| line.trim().starts_with('#'));
    let own = frames.filter(|line| !line.contains("sanitizer") && !line.contains("libc"));
    let mut function = None;
    for line in own {
        if let Some(place) = place(line) {
            return Some(place);
        }
        let named = line
            .split(" in ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        function = function.or(named.map(str::to_string));
    }
    function.or_else(|| {
        text.lines()
            .find(|line| line.contains("runtime error"))
            .and_then(place)
    })
}

/// `File: ../src/sat/sat_solver.cpp` and `Line: 123` on separate lines.
fn z3_site(text: &str) -> Option<String> {
    let after = |label: &str| {
        let line = text
            .lines()
            .find_map(|line| line.trim().strip_prefix(label));
        line.map(|value| value.trim().to_string())
    };
    let file = after("File:")?;
    let name = file.rsplit('/').next().unwrap_or(&file);
    Some(format!("{name}:{}", after("Line:")?))
}

/// The text between the place and the request to file an issue.
fn z3_message(text: &str, line: &str) -> String {
    let said = text
        .lines()
        .skip_while(|line| !line.trim().starts_with("Line:"))
        .nth(1)
        .unwrap_or("")
        .trim();
    format!("{line}\n{said}")
}

/// The line that names the exception: the next one for C++, the last of the block for Python.
fn exception(text: &str, at: usize, line: &str) -> String {
    if line.starts_with("Traceback") {
        let last = text[at..].lines().rfind(|line| !line.trim().is_empty());
        return last.unwrap_or(line).to_string();
    }
    match text[at..].lines().nth(1).map(str::trim) {
        Some(next) if next.starts_with("what():") => format!("{line}\n{next}"),
        _ => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, how: CrashKind, site: Option<&str>) -> String {
        let crash = find(text).unwrap();
        assert_eq!(crash.how, how, "{text}");
        assert_eq!(crash.site.as_deref(), site, "{text}");
        crash.message
    }

    #[test]
    fn names_file_and_line() {
        check(
            "z3: ../src/math/lp/nla_core.cpp:1234: void nla::core::f(): Assertion `x > 0' failed.\n",
            CrashKind::Assertion,
            Some("nla_core.cpp:1234"),
        );
        let message = check(
            "Fatal failure within void cvc5::Foo::bar() at /build/src/theory/foo.cpp:77\nCheck failure\n\n res == x\n",
            CrashKind::Assertion,
            Some("foo.cpp:77"),
        );
        assert!(message.contains("Check failure"));
        let message = check(
            "ASSERTION VIOLATION\nFile: ../src/ast/ast.cpp\nLine: 388\nUNEXPECTED CODE WAS REACHED.\nZ3 4.8.12.0\nPlease file an issue\n",
            CrashKind::Assertion,
            Some("ast.cpp:388"),
        );
        assert!(message.contains("UNEXPECTED CODE"));
        check(
            "thread 'main' panicked at src/solver.rs:12:5:\nindex out of bounds\n",
            CrashKind::Exception,
            Some("solver.rs:12"),
        );
    }

    #[test]
    fn reads_sanitizer_reports() {
        check(
            "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\n    #0 0x1 in operator delete(void*) (/usr/lib/libsanitizer.so+0x1)\n    #1 0x2 in smt::context::pop(unsigned) /src/z3/src/smt/smt_context.cpp:99:3\n",
            CrashKind::Sanitizer,
            Some("smt_context.cpp:99"),
        );
        check(
            "==1==ERROR: LeakSanitizer: detected memory leaks\n",
            CrashKind::Leak,
            None,
        );
        check(
            "../src/util/mpz.cpp:12:7: runtime error: signed integer overflow\n",
            CrashKind::Sanitizer,
            Some("mpz.cpp:12"),
        );
    }

    #[test]
    fn ordinary_errors_are_no_crash() {
        for text in [
            "(error \"line 3 column 13: unknown constant y\")",
            "(error \"Parse Error: f.smt2:3.14: Symbol y is not declared.\")",
            "unsupported",
            "sat",
            "",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
