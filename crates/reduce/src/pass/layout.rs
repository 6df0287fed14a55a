//! Writes one command per line, without comments.
//!
//! ```text
//! (assert      ; why        →   (assert p)
//!    p) (check-sat)             (check-sat)
//! ```

use super::Pass;
use crate::edit::Edit;
use crate::subject::Subject;
use auspex_syntax::write_flat;

pub struct Layout;

impl Pass for Layout {
    fn name(&self) -> &'static str {
        "layout"
    }

    fn about(&self) -> &'static str {
        "Writes one command per line, without comments and redundant space."
    }

    fn is_cosmetic(&self) -> bool {
        true
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut text = String::new();
        for form in subject.document.items() {
            write_flat(form, &mut text);
            text.push('\n');
        }
        if text.is_empty() {
            return Vec::new();
        }
        vec![Edit::text(0, text)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn drops_comments_and_space() {
        proposes(
            &Layout,
            "(assert ; why\n   p) (check-sat)",
            "(assert p)(check-sat)",
        );
    }

    #[test]
    fn leaves_flat_text_alone() {
        leaves_alone(&Layout, "(assert p)\n(check-sat)\n");
    }
}
