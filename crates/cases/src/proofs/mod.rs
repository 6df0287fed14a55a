//! What solvers show of their reasoning (lemmas, proof steps), as claims that can be judged: premises imply a
//! conclusion. This code reads it and decides what propositional logic, equality and evaluation decide; the rest is
//! asked of other solvers through `answers`.
//!
//! ```text
//! (lemma (or (not (>= b 1)) (>= b 0)) :source ARITH_SPLIT_DEQ)     claims: for all values of b
//! (step @p3 (>= b 0) :rule trans :premises (@p1 @p2))              claims: @p1 and @p2 imply (>= b 0)
//! ```

mod alethe;
pub mod closure;
mod cpc;
pub mod draft;
pub mod internal;
pub mod lemmas;
mod matching;
pub mod points;
pub mod rules;
pub mod steps;
mod z3;

use auspex_logic::{TermId, Terms};
use auspex_syntax::{Document, Sexpr};
use draft::Proof;

/// The format of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// cvc5's Cooperating Proof Calculus.
    Cpc,
    Alethe,
    Z3,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::Cpc => "CPC",
            Format::Alethe => "Alethe",
            Format::Z3 => "z3's",
        }
    }

    fn of(commands: &[Sexpr<'_>]) -> Option<Format> {
        if commands.iter().any(|one| one.head() == Some("proof")) {
            return Some(Format::Z3);
        }
        let clause = |one: &Sexpr<'_>| {
            one.head() == Some("step") && one.item(2).is_some_and(|two| two.head() == Some("cl"))
        };
        let is_step =
            |one: &Sexpr<'_>| matches!(one.head(), Some("step" | "assume" | "step-pop" | "anchor"));
        match commands.iter().any(clause) {
            true => Some(Format::Alethe),
            false => commands.iter().any(is_step).then_some(Format::Cpc),
        }
    }
}

/// Reads a proof as a solver printed it, after the declarations and assertions in force.
pub fn read(
    terms: &mut Terms,
    declarations: &str,
    assertions: &[String],
    said: &str,
) -> Result<(Format, Proof), String> {
    let document = Document::read(said).map_err(|error| error.message().to_string())?;
    // cvc5 and z3 print the commands in one list, other programs one after the other.
    let mut commands: Vec<Sexpr<'_>> = Vec::new();
    for item in document.items() {
        match item.head() {
            Some(
                "step" | "assume" | "assume-push" | "step-pop" | "anchor" | "define" | "proof",
            ) => {
                commands.push(item);
            }
            _ if item.is_list() => commands.extend(item.items()),
            _ => {}
        }
    }
    let format =
        Format::of(&commands).ok_or("the text is no proof in CPC, Alethe or z3's format")?;
    let proof = match format {
        Format::Cpc => cpc::read(commands.into_iter()).read(terms, declarations, assertions)?,
        Format::Alethe => {
            alethe::read(commands.into_iter()).read(terms, declarations, assertions)?
        }
        Format::Z3 => z3::read(terms, declarations, assertions, &commands)?,
    };
    Ok((format, proof))
}

/// The premises imply the conclusion, for all values of the symbols.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sequent {
    pub premises: Vec<TermId>,
    pub conclusion: TermId,
}

impl Sequent {
    /// A formula that claims to be valid.
    pub fn valid(conclusion: TermId) -> Sequent {
        Sequent {
            premises: Vec::new(),
            conclusion,
        }
    }

    /// Every formula of it.
    pub fn formulas(&self) -> impl Iterator<Item = TermId> {
        self.premises.iter().copied().chain([self.conclusion])
    }
}
