//! The question that decides every step: does this text still show the bug?

/// What is known about a text before anything is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It cannot be interesting; nothing needs to be run.
    Refuted,
    /// Nothing is known.
    Open,
    /// The evidence that convicts the solver still holds.
    Supported,
}

/// How the examination of a text ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Examined {
    No,
    /// Interesting, with the evidence (a model's text, or nothing) that the next texts may be tried with.
    Yes {
        evidence: String,
    },
}

/// Decides whether a text still shows the bug. One worker has one check of its own.
pub trait Check: Send {
    /// Whether `support` can ever say more than `Open`.
    fn has_evidence(&self) -> bool {
        false
    }

    /// A look at the text that costs no run.
    fn support(&mut self, text: &str) -> Support {
        let _ = text;
        Support::Open
    }

    fn interesting(&mut self, text: &str) -> Examined;

    /// Asked now and then about a text that was found interesting: whether a slower and surer look agrees.
    fn confirm(&mut self, text: &str, evidence: &str) -> bool {
        let _ = (text, evidence);
        true
    }

    /// Some worker's `confirm` said no: quick looks are worth less than was thought.
    fn distrust(&mut self) {}

    /// Whether it has just learnt that its earlier refusals are worth little: they are forgotten then.
    fn takes_back(&mut self) -> bool {
        false
    }

    /// The search goes on from this text; `evidence` is what some worker's check gave with its `Yes`.
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
