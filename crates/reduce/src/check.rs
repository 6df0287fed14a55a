//! The question that decides every step: does this text still show the bug?

/// What is known about a text before anything is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It cannot show the bug; nothing needs to be run.
    Refuted,
    /// Nothing is known.
    Open,
    /// The evidence that convicts the solver still holds.
    Supported,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Examined {
    No,
    /// It shows the bug; with the evidence (a model's text, or nothing) to use for the next texts.
    Yes {
        evidence: String,
    },
}

/// Decides whether a text still shows the bug. Each worker has its own check.
pub trait Check: Send {
    /// Whether `support` can ever return something other than `Open`.
    fn has_evidence(&self) -> bool {
        false
    }

    /// What can be said about a text without a run.
    fn support(&mut self, text: &str) -> Support {
        let _ = text;
        Support::Open
    }

    fn interesting(&mut self, text: &str) -> Examined;

    /// Whether a slower and more reliable check agrees; called from time to time for an accepted text.
    fn confirm(&mut self, text: &str, evidence: &str) -> bool {
        let _ = (text, evidence);
        true
    }

    /// Called when `confirm` failed for some worker: the quick checks are less reliable than assumed.
    fn distrust(&mut self) {}

    /// Whether earlier rejections turned out to be unreliable; then they are forgotten.
    fn takes_back(&mut self) -> bool {
        false
    }

    /// Called when the search continues from this text; `evidence` came with some worker's `Yes`.
    fn accepted(&mut self, text: &str, evidence: &str) {
        let _ = (text, evidence);
    }
}

/// A plain function is a check without evidence.
impl<F: FnMut(&str) -> bool + Send> Check for F {
    fn interesting(&mut self, text: &str) -> Examined {
        match self(text) {
            true => Examined::Yes {
                evidence: String::new(),
            },
            false => Examined::No,
        }
    }
}
