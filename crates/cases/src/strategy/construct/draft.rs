//! A draft of a case: assertions with their claim. Every case is checked by evaluation before it is returned: a
//! witness must satisfy every assertion, and the known values must not satisfy an unsatisfiable case.

use super::check::Check;
use super::grow::Maker;
use crate::case::{Case, Evidence, Origin};
use auspex_logic::sort::DataId;
use auspex_logic::{Assertion, Command, Fun, Script, TermId};

/// The role of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Part of the contradiction, or true in a satisfiable case.
    Member,
    /// Irrelevant to the contradiction.
    Bystander,
}

/// The claim about the assertions together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The values of the variables satisfy all.
    Witness,
    /// The members contradict each other; the text says why.
    Contradiction(String),
}

pub(super) struct Draft {
    pub claim: Claim,
    pub assertions: Vec<(TermId, Part)>,
    /// Declared before everything else.
    pub datatypes: Vec<DataId>,
    /// Function symbols without an interpretation in the witness.
    pub functions: Vec<Fun>,
    /// Whether a contradiction has quantifiers; it rests on its rule alone then, because trying values would take
    /// long and show little.
    pub quantified: bool,
    pub steps: Vec<String>,
}

impl Draft {
    pub fn new(claim: Claim, step: &str) -> Self {
        Draft {
            claim,
            assertions: Vec::with_capacity(4),
            datatypes: Vec::new(),
            functions: Vec::new(),
            quantified: false,
            steps: vec![step.to_string()],
        }
    }

    pub fn member(&mut self, term: TermId) {
        self.assertions.push((term, Part::Member));
    }

    pub fn bystander(&mut self, term: TermId) {
        self.assertions.push((term, Part::Bystander));
    }

    /// The finished case, or none if evaluation does not confirm the claim.
    pub fn finish(self, maker: &mut Maker<'_>) -> Option<Case> {
        if !self.is_confirmed(maker) {
            return None;
        }
        let named = self.claim != Claim::Witness;
        let mut script = Script::default();
        let count = maker.variables.len() + self.functions.len() + self.assertions.len() + 2;
        script.commands.reserve_exact(count);
        if !self.datatypes.is_empty() {
            script.push(Command::DeclareDatatypes(self.datatypes));
        }
        for variable in &maker.variables {
            script.push(Command::DeclareFun(variable.fun));
        }
        for fun in &self.functions {
            script.push(Command::DeclareFun(*fun));
        }
        let mut names = Vec::new();
        for (number, (term, part)) in self.assertions.iter().enumerate() {
            let name = named.then(|| maker.numbered('a', number));
            if let (Some(name), Part::Member) = (name, part) {
                names.push(name);
            }
            script.push(Command::Assert(Assertion { term: *term, name }));
        }
        script.push(Command::CheckSat);
        let evidence = match self.claim {
            Claim::Witness => Evidence::Witness(Box::new(maker.witness())),
            Claim::Contradiction(because) => Evidence::Core { names, because },
        };
        let origin = Origin {
            strategy: super::NAME,
            seed: None,
            steps: self.steps,
        };
        Some(Case {
            script,
            evidence: vec![evidence],
            origin,
        })
    }

    fn is_confirmed(&self, maker: &Maker<'_>) -> bool {
        let mut check = Check::new(maker);
        let mut all = self.assertions.iter();
        match self.claim {
            Claim::Witness => all.all(|(term, _)| check.holds(*term)),
            Claim::Contradiction(_) if self.quantified => true,
            // If the values satisfy all members, the rule is wrong. The last members are most likely false, so check
            // them first.
            Claim::Contradiction(_) => !all
                .rev()
                .filter(|(_, part)| *part == Part::Member)
                .all(|(term, _)| check.holds(*term)),
        }
    }
}
