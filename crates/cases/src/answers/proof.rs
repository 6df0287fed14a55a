//! Proofs: every step that a solver shows must hold, and the last one is `false`.
//!
//! ```text
//! (check-sat) (get-proof)     unsat, (… (step @p3 (>= b 1) :rule eq_resolve :premises (@p1 @p2)) …)
//!     claims: @p1 and @p2 imply (>= b 1)        must be unsat: they, and its negation
//! ```
//!
//! Steps that the table of rules, logic or evaluation at all points settles claim nothing more. Of the rest the most
//! different ones are asked of other solvers. Holes are not judged, and neither is what names internal symbols.

use super::reading::{declines, is_named, short};
use super::{AnswerKind, Asked, Check, Kind, Obligation};
use crate::case::{Case, Expected};
use crate::draw::Draw;
use crate::proofs::draft::Proof;
use crate::proofs::steps::{Effort, Verdict, judge, sequent};
use crate::proofs::{Format, read};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Command, Script, Terms};
use std::collections::{BTreeMap, BTreeSet};

pub struct Proofs;

/// How many steps of one proof are asked of other solvers.
const ASKED: usize = 6;
/// So many premises are shown.
const SHOWN: usize = 4;

/// The settings that a proof needs.
const SETTINGS: [(&str, &str); 2] = [
    (":produce-proofs", "true"),
    (":proof-print-conclusion", "true"),
];

impl AnswerKind for Proofs {
    fn kind(&self) -> Kind {
        Kind::ProofStep
    }

    fn makes(&self) -> &'static [&'static str] {
        &["cvc5", "z3"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["get-proof"])
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if declines(asked.said) || !matches!(asked.answer, Some(Answer::Unsat { .. })) {
            return Ok(Vec::new());
        }
        let judged = judged(asked, Effort::QUICK)?;
        let mut all = Vec::new();
        for (number, verdict) in judged.verdicts.iter().enumerate() {
            if let Verdict::Wrong(point) = verdict {
                let point = point.text(asked.terms);
                all.push(Obligation {
                    claim: judged.claim(asked.terms, number),
                    check: Check::Wrong(format!(
                        "But with {point} the premises are true and the conclusion is false."
                    )),
                });
            }
        }
        for number in judged.most_different(ASKED) {
            let claim = judged.claim(asked.terms, number);
            if let Some(commands) = judged.question(asked.terms, number) {
                all.extend(asked.must_be_unsat(&claim, &commands));
            }
        }
        Ok(all)
    }

    fn ask(&self, _: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        if !self.makes().contains(&make) {
            return None;
        }
        let known = case.evidence.last().and_then(|one| one.expected());
        (known != Some(Expected::Sat)).then(|| with_proof(terms, &case.script))
    }
}

/// The same script, with a request for a proof after its last query.
pub fn with_proof(terms: &mut Terms, script: &Script) -> Script {
    let mut made = script.clone();
    made.spans.clear();
    let is_query = |command: &Command| {
        matches!(
            command,
            Command::CheckSat | Command::CheckSatAssuming(_) | Command::CheckSatUsing(_)
        )
    };
    let last = made.commands.iter().rposition(is_query);
    // What stands after the query may need another state.
    made.commands
        .truncate(last.map_or(made.commands.len(), |at| at + 1));
    if last.is_none() {
        made.push(Command::CheckSat);
    }
    made.push(Command::Other(terms.symbols.intern("(get-proof)")));
    for (key, value) in SETTINGS.into_iter().rev() {
        let option = Command::SetOption(terms.symbols.intern(key), terms.symbols.intern(value));
        if !made.commands.contains(&option) {
            made.commands.insert(0, option);
        }
    }
    made
}

/// A proof with the verdict on each step.
pub struct Judged {
    pub format: Format,
    pub proof: Proof,
    pub verdicts: Vec<Verdict>,
}

/// The proof in a reply, judged without other solvers.
pub fn judged(asked: &mut Asked<'_>, effort: Effort) -> Result<Judged, String> {
    let force = asked.in_force();
    let (format, proof) = read(
        asked.terms,
        &force.declarations,
        &force.assertions,
        asked.said,
    )?;
    let verdicts = judge(asked.terms, &proof, effort);
    Ok(Judged {
        format,
        proof,
        verdicts,
    })
}

impl Judged {
    /// How many steps are settled in each way.
    pub fn census(&self) -> BTreeMap<&'static str, usize> {
        let mut all = BTreeMap::new();
        for verdict in &self.verdicts {
            *all.entry(verdict.word()).or_default() += 1;
        }
        all
    }

    /// Up to so many open steps, of as many rules as there are.
    pub fn most_different(&self, count: usize) -> Vec<usize> {
        let is_open = |number: &usize| matches!(self.verdicts[*number], Verdict::Open);
        let open: Vec<usize> = (0..self.verdicts.len()).filter(is_open).collect();
        let mut rules = BTreeSet::new();
        let (first, rest): (Vec<usize>, Vec<usize>) = open
            .into_iter()
            .partition(|number| rules.insert(self.proof.steps[*number].rule.clone()));
        first.into_iter().chain(rest).take(count).collect()
    }

    /// What a step claims, as a sentence.
    pub fn claim(&self, terms: &Terms, number: usize) -> String {
        let step = &self.proof.steps[number];
        let text = |term| short(&render::term(terms, term, Sharing::Auto));
        let conclusion = step.conclusion.map_or_else(String::new, text);
        let (id, rule) = (&step.id, &step.rule);
        let premises = sequent(&self.proof, number).map_or_else(Vec::new, |one| one.premises);
        let more = premises.len().saturating_sub(SHOWN);
        let mut shown: Vec<String> = premises.into_iter().take(SHOWN).map(text).collect();
        if more > 0 {
            shown.push(format!("{more} more"));
        }
        let from = match shown.is_empty() {
            true => "without premises".to_string(),
            false => format!("from {}", shown.join(", ")),
        };
        format!("Step {id} concludes {conclusion} {from} by {rule}.")
    }

    /// The commands that must be unsatisfiable if a step holds.
    pub fn question(&self, terms: &Terms, number: usize) -> Option<String> {
        let sequent = sequent(&self.proof, number)?;
        let mut commands = String::new();
        // Names that the proof declares itself.
        for command in &self.proof.script.commands {
            if let Command::DeclareFun(fun) = command
                && terms.symbols.name(terms.fun(*fun).name).contains('!')
            {
                render::command_to(terms, command, Sharing::Auto, &mut commands);
                commands.push('\n');
            }
        }
        for premise in &sequent.premises {
            let premise = render::term(terms, *premise, Sharing::Auto);
            commands.push_str(&format!("(assert {premise})\n"));
        }
        let conclusion = render::term(terms, sequent.conclusion, Sharing::Auto);
        commands.push_str(&format!("(assert (not {conclusion}))"));
        Some(commands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    const SCRIPT: &str = "(set-logic ALL)(declare-const b Int)(declare-const c Int)(assert (> b 0))(assert (not (>= b 1)))(check-sat)(get-proof)";

    fn about(said: &str) -> Vec<String> {
        // The reply of a query that is not sat.
        let script = SCRIPT.replace("(check-sat)", "(check-sat-assuming (true))");
        obligations(&Proofs, &script, said, None)
    }

    #[test]
    fn sat_has_no_proof() {
        assert_eq!(about("(error \"no proof\")"), Vec::<String>::new());
    }

    #[test]
    fn a_made_case_asks_after_its_last_query() {
        let text =
            "(declare-const p Bool)(assert p)(check-sat)(push 1)(assert (not p))(check-sat)(pop 1)";
        let made = asked(&Proofs, text, "cvc5", 0).unwrap();
        assert!(made.starts_with(
            "(set-option :produce-proofs true)\n(set-option :proof-print-conclusion true)"
        ));
        assert!(made.ends_with("(check-sat)\n(get-proof)\n"), "{made}");
        assert_eq!(asked(&Proofs, text, "yices", 0), None);
    }
}
