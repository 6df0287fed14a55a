//! The scripts that a live process was asked since its last reset, each in scopes of its own: a bug may need them.

use crate::script::{Role, Step};
use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;

/// The most scripts that are kept.
const MOST: usize = 32;
/// Longer scripts are left out.
const LONGEST: usize = 4096;

/// The last scripts, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Trail(VecDeque<Arc<str>>);

impl Trail {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn scripts(&self) -> Vec<Arc<str>> {
        self.0.iter().cloned().collect()
    }

    /// Adds a script that was asked between a push and a pop that closes this many scopes.
    pub(crate) fn add(&mut self, steps: &[Step<'_>], scopes: u32) {
        let length: usize = steps.iter().map(|step| step.text.len() + 1).sum();
        if length > LONGEST {
            return;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(scoped(steps, scopes).into());
    }
}

/// The commands between a push and the pop. What was requested depending on an answer is left out.
fn scoped(steps: &[Step<'_>], scopes: u32) -> String {
    let mut text = "(push 1)\n".to_string();
    let depends = |role: Role| matches!(role, Role::Model | Role::Core | Role::Reason);
    for step in steps.iter().filter(|step| !depends(step.role)) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", step.text);
    }
    let _ = writeln!(text, "(pop {scopes})");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::steps;

    #[test]
    fn the_last_scripts_are_kept_in_scopes_of_their_own() {
        let mut trail = Trail::default();
        for number in 0..MOST + 2 {
            let text =
                format!("(declare-const x Int)(assert (= x {number}))(check-sat)(get-model)");
            trail.add(&steps(&text), 1);
        }
        let scripts = trail.scripts();
        assert_eq!(scripts.len(), MOST);
        assert_eq!(
            &*scripts[0],
            "(push 1)\n(declare-const x Int)(assert (= x 2))\n(check-sat)\n(pop 1)\n"
        );
        let long = format!("(assert {})", "x".repeat(LONGEST));
        trail.add(&steps(&long), 1);
        assert_eq!(trail.scripts(), scripts, "left out");
    }
}
