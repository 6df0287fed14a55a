//! Removes set-logic, after everything else.
//!
//! ```text
//! (set-logic ALL) (assert p)   →   (assert p)
//! ```
//! Works on the text. Solvers treat a script without a logic differently, and then a bug may be harder to reduce, so
//! this pass comes last.

use super::Pass;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::Subject;

pub struct Logic;

impl Pass for Logic {
    fn name(&self) -> &'static str {
        "logic"
    }

    fn about(&self) -> &'static str {
        "Removes set-logic, after everything else."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let forms = subject.document.items();
        let logics = forms.filter(|form| form.head() == Some("set-logic"));
        logics
            .map(|form| Edit::text(3, splice(&subject.text, &[(form.span().range(), "")])))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::pass::Pass;
    use crate::subject::Subject;

    fn candidates(pass: &dyn Pass, text: &str) -> Vec<String> {
        let mut subject = Subject::read(text);
        let edits = pass.candidates(&mut subject);
        let texts = edits.iter().map(|edit| edit.change.text(&mut subject));
        texts.flatten().collect()
    }

    #[test]
    fn only_the_logic_goes() {
        let texts = candidates(&super::Logic, "(set-logic ALL)\n(check-sat)\n");
        assert_eq!(texts, ["\n(check-sat)\n"]);
        assert!(candidates(&super::Logic, "(check-sat)\n").is_empty());
    }

    #[test]
    fn passes_before_it_leave_the_logic() {
        let text = "(set-logic ALL)\n(assert true)\n(check-sat)\n";
        let earlier: [&dyn Pass; 2] = [
            &super::super::commands::Commands,
            &super::super::forms::Forms,
        ];
        for pass in earlier {
            let texts = candidates(pass, text);
            assert!(!texts.is_empty() && texts.iter().all(|text| text.contains("set-logic")));
        }
    }
}
