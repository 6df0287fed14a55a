//! The fast protocol: one marker after silent commands and their query, instead of one after each command. A reply is
//! accepted only if more markers could not change its meaning; otherwise the query is sent again with all markers.

use crate::items::{items, message, verdict};
use crate::meaning;
use crate::profile::Pattern;
use crate::script::{Role, Step};
use auspex_logic::answer::{Answer, Rejection};

/// Whether these steps are silent commands followed by one query.
pub(crate) fn is_plain(steps: &[Step<'_>]) -> bool {
    let Some((check, before)) = steps.split_last() else {
        return false;
    };
    let silent = |step: &Step<'_>| match step.role {
        // Some solvers take `\"` for a quote inside a string, and thus see other commands than we do.
        Role::Setup => !step.text.contains("\\\""),
        Role::Logic | Role::Option | Role::Info | Role::Push(_) | Role::Pop(_) => true,
        _ => false,
    };
    check.role == Role::Check && before.iter().all(silent)
}

/// Whether the reply means the same, whichever step printed which part of it.
pub(crate) fn is_clear(steps: &[Step<'_>], reply: &str, own: &[Pattern]) -> bool {
    let mut verdicts = 0;
    let mut refused = false;
    for item in items(reply) {
        if verdict(item).is_some() {
            verdicts += 1;
        } else if item.starts_with("(error") || item == "unsupported" {
            match meaning::answer(message(item), own) {
                // After an assertion it would be a parse error, after a query it would not.
                Some(Answer::Rejected {
                    why: Rejection::Other,
                    ..
                }) => return false,
                answer => refused |= answer.is_some(),
            }
        }
    }
    // A rejected option affects no answer, and a rejection inside a scope affects nothing outside.
    let spoils = |step: &Step<'_>| matches!(step.role, Role::Setup | Role::Check);
    match refused {
        true => verdicts <= 1 && steps.iter().all(spoils),
        false => verdicts == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::steps;

    const UNKNOWN: &str = "(error \"what is this\")\n";
    const KNOWN: &str = "(error \"line 1 column 2: unknown constant y\")\n";

    fn clear(script: &str, reply: &str) -> bool {
        let steps = steps(script);
        assert!(is_plain(&steps), "{script}");
        is_clear(&steps, reply, &[])
    }

    #[test]
    fn one_query_after_silent_commands_is_plain() {
        for (script, plain) in [
            ("(check-sat)", true),
            (
                "(declare-const x Int)(push 1)(assert true)(check-sat-assuming (p))",
                true,
            ),
            ("(assert (= s \"\\\"))(check-sat)", false),
            ("(check-sat)(check-sat)", false),
            ("(echo \"sat\")(check-sat)", false),
            ("(simplify x)(check-sat)", false),
            ("(reset)(check-sat)", false),
            ("(check-sat)(assert true)", false),
            ("(check-sat)(get-model)", false),
        ] {
            assert_eq!(is_plain(&steps(script)), plain, "{script}");
        }
    }

    #[test]
    fn one_answer_is_clear() {
        for reply in [
            "sat\n",
            "success\nunsat\n",
            "unknown\n",
            "sat\n(objectives\n (x 1)\n)\n",
        ] {
            assert!(clear("(assert p)(check-sat)", reply), "{reply}");
        }
    }

    #[test]
    fn a_known_refusal_is_clear_unless_it_may_spoil_nothing() {
        for reply in [
            KNOWN.to_string(),
            format!("{KNOWN}sat\n"),
            format!("sat\n{KNOWN}"),
        ] {
            assert!(clear("(assert y)(check-sat)", &reply), "{reply}");
            assert!(!clear("(push 1)(assert y)(pop 1)(check-sat)", &reply));
            assert!(!clear("(set-logic Y)(assert y)(check-sat)", &reply));
        }
    }

    #[test]
    fn all_else_is_in_doubt() {
        let hidden = format!("sat\n{UNKNOWN}");
        let before = format!("{UNKNOWN}sat\n");
        let ignored = "(error \"check annotation that says unsat\")\n";
        for reply in [
            "",
            "sat\nunsat\n",
            "sat\nsat\n",
            "what\n",
            &hidden,
            &before,
            UNKNOWN,
            ignored,
        ] {
            assert!(!clear("(assert p)(check-sat)", reply), "{reply}");
        }
        let twice = format!("{KNOWN}sat\nunsat\n");
        assert!(!clear("(assert p)(check-sat)", &twice));
    }
}
