//! Removes lines of a text that is not a sequence of s-expressions.
//!
//! ```text
//! (assert (       →   )
//! )
//! ```

use super::Pass;
use crate::chunks::chunks;
use crate::edit::Edit;
use crate::subject::Subject;

pub struct Lines;

impl Pass for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn about(&self) -> &'static str {
        "Removes lines of a text that is not a sequence of s-expressions."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        if !subject.trouble.is_unreadable() {
            return Vec::new();
        }
        let lines: Vec<&str> = subject.text.split_inclusive('\n').collect();
        let pieces = chunks(lines.len()).into_iter();
        pieces
            .map(|piece| {
                let rest = [&lines[..piece.start], &lines[piece.end..]].concat();
                Edit::text(piece.len() as u64, rest.concat())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn drops_lines_of_unreadable_text() {
        proposes(&Lines, "(assert (\n)\n)\n)\n", "(assert ()");
    }

    #[test]
    fn leaves_readable_text_alone() {
        leaves_alone(&Lines, "(assert true)\n(check-sat)\n");
    }
}
