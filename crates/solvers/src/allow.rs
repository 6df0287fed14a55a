//! Filters what of a foreign script may reach a solver: only commands and options that are known to be harmless.
//! Other commands are replaced by spaces, so that lines and columns stay correct, and are reported.
//!
//! ```text
//! (set-option :regular-output-channel "/p/f")   left out: writes to a file
//! (set-option :smt.arith.solver 2)              stays: on the list of the make
//! (echo "…"), (include "…"), unknown commands   left out
//! (assert …), (check-sat), (get-model), …       stay
//! ```
//! A hostile script may exploit differences between a solver's reader and ours: `\"` in a string, `#| … |#`, a bare
//! carriage return. A script with any of these is rewritten in tokens that all solvers read alike, or is not sent at
//! all.

use crate::profile::Profile;
use crate::settable::{is_plain_value, is_quiet, may_set};
use auspex_logic::answer::is_question;
use auspex_syntax::{Kind, Reader, Sexpr, Tape, line_column};
use std::borrow::Cow;

/// Commands that only declare, assert, ask, or move between scopes.
const HARMLESS: [&str; 71] = [
    "assert",
    "assert-soft",
    "assume",
    "block-model",
    "block-model-values",
    "check-sat",
    "check-sat-assuming",
    "check-synth",
    "check-synth-next",
    "constraint",
    "declare-codatatype",
    "declare-codatatypes",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-heap",
    "declare-map",
    "declare-pool",
    "declare-rel",
    "declare-sort",
    "declare-sort-parameter",
    "declare-type-var",
    "declare-var",
    "define-codatatype",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "display",
    "eval",
    "exit",
    "get-abduct",
    "get-abduct-next",
    "get-assertions",
    "get-assignment",
    "get-consequences",
    "get-difficulty",
    "get-info",
    "get-interpolant",
    "get-interpolant-next",
    "get-interpolants",
    "get-learned-literals",
    "get-model",
    "get-objectives",
    "get-option",
    "get-proof",
    "get-qe",
    "get-qe-disjunct",
    "get-timeout-core",
    "get-timeout-core-assuming",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "inv-constraint",
    "labels",
    "maximize",
    "meta-info",
    "minimize",
    "model-add",
    "model-del",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "rule",
    "set-info",
    "set-logic",
    "synth-fun",
    "synth-inv",
];

/// Commands that take options.
const WITH_OPTIONS: [&str; 5] = [
    "apply",
    "check-sat-using",
    "query",
    "set-simplifier",
    "simplify",
];

/// How much of a command a message shows.
const SHOWN: usize = 60;

/// A script as it may be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed<'s> {
    pub script: Cow<'s, str>,
    /// The commands that were removed.
    pub lost: Vec<Lost>,
    /// Why the whole script may not be sent.
    pub refused: Option<String>,
}

/// A command that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// From 1.
    pub line: usize,
    /// The command, or its start, in one line.
    pub command: String,
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.command)
    }
}

impl Allowed<'_> {
    /// Whether a question is among what was left out.
    pub fn has_lost_question(&self) -> bool {
        let head = |command: &str| {
            let inner = command.trim_start_matches('(').trim_start();
            let end = inner.find(|c: char| c.is_whitespace() || c == ')');
            is_question(&inner[..end.unwrap_or(inner.len())])
        };
        self.lost.iter().any(|lost| head(&lost.command))
    }
}

/// The part of a script that may reach a solver of this make.
pub fn allowed<'s>(profile: &Profile, script: &'s str) -> Allowed<'s> {
    let whole = Allowed {
        script: Cow::Borrowed(script),
        lost: Vec::new(),
        refused: None,
    };
    if profile.as_is {
        return whole;
    }
    sift(
        script,
        whole,
        &|name, value| may_set(profile, name, value),
        profile.standard_strings,
    )
}

/// The part of a script that may reach at least one of several makes.
pub fn allowed_by_any<'s>(profiles: &[Profile], script: &'s str) -> Allowed<'s> {
    let whole = Allowed {
        script: Cow::Borrowed(script),
        lost: Vec::new(),
        refused: None,
    };
    let settable = |name: &str, value: &str| profiles.iter().any(|p| may_set(p, name, value));
    sift(script, whole, &settable, true)
}

type Settable<'p> = &'p dyn Fn(&str, &str) -> bool;

fn sift<'s>(
    script: &'s str,
    mut allowed: Allowed<'s>,
    settable: Settable<'_>,
    standard_strings: bool,
) -> Allowed<'s> {
    let mut anew = is_read_differently(script).then(String::new);
    let (mut reader, mut tape) = (Reader::new(script), Tape::default());
    loop {
        tape.clear();
        let command = match reader.next(&mut tape) {
            Ok(None) => break,
            Ok(Some(at)) => tape.root(script, at),
            Err(error) => {
                let (line, column) = line_column(script, error.span.start);
                let problem = error.message();
                allowed.refused = Some(format!(
                    "not sent: line {line} column {column}: {problem}, and solvers differ in how they continue"
                ));
                break;
            }
        };
        if !is_allowed(command, settable) {
            let span = command.span().range();
            allowed.lost.push(Lost {
                line: line_column(script, command.span().start).0,
                command: shown(command.text()),
            });
            if anew.is_none() {
                blank(allowed.script.to_mut(), span);
            }
        } else if !command.has_certain_words() {
            let line = line_column(script, command.span().start).0;
            allowed.refused = Some(format!(
                "not sent: line {line}: a word with characters that solvers read differently"
            ));
            break;
        } else if let Some(text) = &mut anew {
            match command.certain_text(standard_strings) {
                Some(command) => {
                    text.push_str(&command);
                    text.push('\n');
                }
                None => {
                    let line = line_column(script, command.span().start).0;
                    allowed.refused = Some(format!(
                        "not sent: line {line}: a backslash before a quote, which solvers read differently"
                    ));
                    break;
                }
            }
        }
    }
    if let Some(text) = anew {
        allowed.script = Cow::Owned(text);
    }
    if allowed.refused.is_some() {
        allowed.script = Cow::Borrowed("");
    }
    allowed
}

/// Whether an option is one command of a script that sets options and no more: `(set-simplifier elim-term-ite)`.
pub(crate) fn sets_quietly(profile: &Profile, command: &str) -> bool {
    let (mut reader, mut tape) = (Reader::new(command), Tape::default());
    let Ok(Some(at)) = reader.next(&mut tape) else {
        return false;
    };
    let read = tape.root(command, at);
    let whole = read.text() == command && !is_read_differently(command);
    let head = read.item(0).map_or("", Sexpr::text);
    let sets = ["set-option", "set-simplifier", "check-sat-using"].contains(&head);
    let settable = |name: &str, value: &str| may_set(profile, name, value);
    whole && sets && read.has_certain_words() && is_allowed(read, &settable)
}

/// Whether a reader of another dialect may see different commands.
fn is_read_differently(script: &str) -> bool {
    let bytes = script.as_bytes();
    let pair = |pair: &[u8]| match pair {
        [b'\\', b'"' | b'|'] | [b'#', b'|'] | [b'|', b'#'] => true,
        [b'\r', next] => *next != b'\n',
        _ => false,
    };
    // Most scripts contain none of the first ones, which a quick search shows.
    let any = bytes.iter().any(|b| matches!(b, b'\\' | b'#' | b'\r'));
    // Some solvers skip a byte order mark, others reject it.
    let marked = bytes.contains(&0xef) && script.contains('\u{feff}');
    marked || (any && (bytes.windows(2).any(pair) || bytes.last() == Some(&b'\r')))
}

fn is_allowed(command: Sexpr<'_>, settable: Settable<'_>) -> bool {
    // Some solvers read a name in bars as a command, others do not.
    let head = command.item(0).filter(|head| head.kind() == Kind::Symbol);
    let Some(head) = head.map(Sexpr::text) else {
        return false;
    };
    if head == "set-option" {
        return is_allowed_option(command, settable);
    }
    if WITH_OPTIONS.contains(&head) {
        return has_quiet_options(command, head == "simplify" || head == "query");
    }
    HARMLESS.binary_search(&head).is_ok()
}

/// `(set-option :name value)`, with a value that cannot name a file.
fn is_allowed_option(command: Sexpr<'_>, settable: Settable<'_>) -> bool {
    let mut items = command.items().skip(1);
    let (Some(name), Some(value), None) = (items.next(), items.next(), items.next()) else {
        return false;
    };
    let atom = matches!(value.kind(), Kind::Symbol | Kind::Numeral | Kind::Decimal);
    let name = name.text().strip_prefix(':');
    atom && name.is_some_and(|name| settable(name, value.text()))
}

/// Whether no option or text inside a command can name a file: `(using-params smt :random_seed 1)`.
fn has_quiet_options(command: Sexpr<'_>, has_terms: bool) -> bool {
    let mut lists = vec![command];
    while let Some(list) = lists.pop() {
        let mut after = None;
        for item in list.items() {
            let fits = match (item.kind(), after) {
                (Kind::List, _) => {
                    lists.push(item);
                    true
                }
                (Kind::Keyword, _) => is_quiet(item.text()),
                (Kind::String, _) => has_terms && after.is_none(),
                (_, Some(Kind::Keyword)) => has_terms || is_plain_value(item.text()),
                _ => true,
            };
            if !fits {
                return false;
            }
            after = (item.kind() == Kind::Keyword).then_some(Kind::Keyword);
        }
    }
    true
}

fn shown(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Spaces of the same length, with the same line ends.
fn blank(text: &mut String, range: std::ops::Range<usize>) {
    let blank = text[range.clone()].bytes();
    let blank: String = blank.map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
    text.replace_range(range, &blank);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::profiles;

    fn profile(name: &str) -> Profile {
        let all = profiles(None).unwrap();
        all.into_iter().find(|p| p.name == name).unwrap()
    }

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    /// Each way in which a script tried to name a file.
    const HOSTILE: [&str; 23] = [
        "(set-option :regular-output-channel \"/p/f\")",
        "(set-option :regular-output-channel\"/p/f\")",
        "( set-option :diagnostic-output-channel stderr)",
        "(;x\nset-option :regular-output-channel \"/p/f\")",
        "(|set-option| :regular-output-channel \"/p/f\")",
        "(set-option ;\"\n:trace_file_name ;\"\n\"/p/f\")",
        "(set-option :solver.proof.log ;x\n /p/f)",
        "(set-option :sat.drat.file;\n|/p/f|)",
        "(set-option :trace_file_name |é/../x|)",
        "(set-option :smt.arith.solver 2 :trace true)",
        "(set-option :smt.arith.solver)",
        "(set-option \":trace\" true)",
        "(set-option (:trace) true)",
        "(include \"/etc/passwd\")",
        "(echo \"a line of the attacker's choice\")",
        "(declare-oracle-fun f (Int) Int |/bin/sh|)",
        "(apply (using-params sat :drat.file /p/f))",
        "(check-sat-using (! smt :proof.log x))",
        "(set-simplifier (! simplify :proof.log x))",
        "(apply (echo \"x\"))",
        "(dump-state \"x\")",
        "set-option",
        "((set-option :trace true))",
    ];

    #[test]
    fn what_could_harm_is_left_blank() {
        let z3 = profile("z3");
        for hostile in HOSTILE {
            let script = format!("(set-logic ALL)\n{hostile}(check-sat)");
            let allowed = allowed(&z3, &script);
            assert_eq!(allowed.refused, None, "{hostile}");
            assert_eq!(allowed.script.len(), script.len(), "{hostile}");
            assert_eq!(
                words(&allowed.script),
                ["(set-logic", "ALL)", "(check-sat)"],
                "{hostile}"
            );
            assert_eq!(
                (allowed.lost.len(), allowed.lost[0].line),
                (1, 2),
                "{hostile}"
            );
        }
    }

    #[test]
    fn what_is_harmless_stays_to_the_letter() {
        let z3 = profile("z3");
        for script in [
            "(set-option :produce-models true) ; see http://x/y",
            "(set-option :produce-models ; a/b\n true)",
            "(set-option :opt.priority pareto)(set-option :smt.arith.solver 2)",
            "(set-info :source |a/b|)(assert (= s \"(set-option :out /x)\"))",
            "(set-simplifier (then simplify elim-term-ite))",
            "(check-sat-using (then simplify (using-params smt :random_seed 3)))",
            "(simplify (str.++ \"a\" x) :arith_lhs true)",
            "(assert (= x #b01 #xff))\r\n(check-sat)",
            "",
        ] {
            let allowed = allowed(&z3, script);
            assert!(
                matches!(allowed.script, Cow::Borrowed(text) if text == script),
                "{script}"
            );
            assert!(
                allowed.lost.is_empty() && allowed.refused.is_none(),
                "{script}"
            );
        }
    }

    #[test]
    fn each_make_has_its_own_options() {
        let script = "(set-option :strings-exp true)(set-option :smt.mbqi false)(check-sat)";
        let left = |name| allowed(&profile(name), script).lost.remove(0).command;
        assert_eq!(left("z3"), "(set-option :strings-exp true)");
        assert_eq!(left("cvc5"), "(set-option :smt.mbqi false)");
        assert!(
            allowed_by_any(&profiles(None).unwrap(), script)
                .lost
                .is_empty()
        );
    }

    #[test]
    fn what_readers_part_on_is_written_anew_or_not_sent() {
        let sent = |make, script: &str| allowed(&profile(make), script).script.into_owned();
        let string = "(assert (= s \"a\\\"))\n(check-sat)";
        assert_eq!(sent("z3", string), "(assert (= s \"a\\\"))\n(check-sat)\n");
        assert_eq!(
            sent("yices", string),
            "",
            "who knows how it reads a backslash"
        );
        let older = sent("z3", "(set-info :source \"a\\\"x (echo 1)\")(check-sat)");
        assert_eq!(
            older,
            "(set-info :source \"a\"\"x (echo 1)\")\n(check-sat)\n"
        );
        let comment = "(assert p)#| \" |#(set-option :trace true)#| \" |#(check-sat)";
        assert_eq!(sent("z3", comment), "(assert p)\n(check-sat)\n");
        let bare = "(assert p);\r(set-option :trace true)\n(check-sat)";
        assert_eq!(sent("cvc4", bare), "(assert p)\n(check-sat)\n");
        assert_eq!(sent("z3", "(assert |a\\| b|)"), "");
        assert_eq!(sent("z3", "(assert # | )(set-option :trace true)( |)"), "");
        assert_eq!(sent("z3", "\u{feff}(assert p)"), "(assert p)\n");
        assert!(
            allowed(&profile("z3"), "(check-sat)(assert (p")
                .refused
                .is_some()
        );
    }

    #[test]
    fn a_script_of_ones_own_is_sent_as_it_is() {
        let own = Profile {
            as_is: true,
            ..profile("z3")
        };
        for script in HOSTILE {
            assert_eq!(allowed(&own, script).script, script);
        }
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(HARMLESS.is_sorted());
    }
}
