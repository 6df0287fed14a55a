//! Synthesis: synthesised functions have the signature that was asked for, come from the grammar, and satisfy every
//! constraint for all values of the variables.
//!
//! ```text
//! (synth-fun f ((a Int)) Int) (declare-var x Int) (constraint (> (f x) x)) (check-synth)
//! ((define-fun f ((a Int)) Int (+ a 1)))
//!     claims: every constraint holds     must be unsat: (define-fun f …) (declare-const x Int) (not (> (f x) x))
//! infeasible
//!     claims: no definition of the script is a solution (made cases have one): some constraint must fail under it
//! ```

use super::reading::{asserted, conjunction, declines, is_named, parts, reply, short, texts};
use super::small::{Domain, Small};
use super::{AnswerKind, Asked, Check, Kind, Obligation, grammar, opened, script_of};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::{Script, Terms};
use auspex_syntax::Document;

pub struct Synthesis;

impl AnswerKind for Synthesis {
    fn kind(&self) -> Kind {
        Kind::Synthesis
    }

    fn makes(&self) -> &'static [&'static str] {
        &["cvc5"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["check-synth", "check-synth-next"])
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let problem = Problem::read(asked)?;
        if asked.said.trim() == "infeasible" {
            return problem.infeasible(asked);
        }
        if declines(asked.said) {
            return Ok(Vec::new());
        }
        problem.solved(asked)
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, _: &Case, make: &str) -> Option<Script> {
        (make == "cvc5").then_some(())?;
        let domain = match draw.coin() {
            true => Domain::Ints,
            false => Domain::Bits(draw.between(1, 4)),
        };
        let small = Small {
            declarations: String::new(),
            ..Small::within(draw, domain)?
        };
        let text = problem(draw, &small)?;
        small.script(terms, "", &text)
    }
}

/// The name of the solution that a made problem has.
const PLANTED: &str = "planted";

/// A problem around a function chosen first, which is a solution.
fn problem(draw: &mut Draw, small: &Small) -> Option<String> {
    let sort = small.domain.sort();
    let names = &small.constants;
    let parameters = names.iter().map(|name| format!("({name} {sort})"));
    let parameters = parameters.collect::<Vec<_>>().join(" ");
    let (condition, one, other) = (small.atom(draw)?, small.term(draw, 2), small.term(draw, 2));
    let body = match draw.coin() {
        true => one,
        false => format!("(ite {condition} {one} {other})"),
    };
    let mut text = format!(
        "(define-fun {PLANTED} ({parameters}) {sort} {body})\n(synth-fun f ({parameters}) {sort})\n"
    );
    for name in names {
        text.push_str(&format!("(declare-var {name} {sort})\n"));
    }
    for _ in 0..draw.between(1, 3) {
        let constraint = constraint(draw, small)?;
        text.push_str(&format!("(constraint {constraint})\n"));
    }
    text.push_str("(check-synth)\n");
    Some(text)
}

/// Something that holds of the planted function.
fn constraint(draw: &mut Draw, small: &Small) -> Option<String> {
    let all = small.constants.join(" ");
    let (mine, planted) = (format!("(f {all})"), format!("({PLANTED} {all})"));
    let at_most = match small.domain {
        Domain::Bits(_) => "bvule",
        Domain::Ints | Domain::Reals => "<=",
    };
    Some(match draw.below(5) {
        0 => {
            let point: Vec<String> = (small.constants.iter())
                .map(|_| small.domain.number(draw))
                .collect();
            let point = point.join(" ");
            format!("(= (f {point}) ({PLANTED} {point}))")
        }
        1 => format!("({at_most} {planted} {mine})"),
        2 => format!("({at_most} {mine} {planted})"),
        3 => format!("(or {} (= {mine} {planted}))", small.atom(draw)?),
        _ => format!("(=> {} (= {mine} {planted}))", small.atom(draw)?),
    })
}

/// A function to synthesise.
struct Wanted {
    name: String,
    parameters: String,
    result: String,
    grammar: Vec<String>,
}

/// What was asked.
struct Problem {
    wanted: Vec<Wanted>,
    /// The variables, declared as constants.
    variables: String,
    assumed: Vec<String>,
    constraints: Vec<String>,
}

impl Problem {
    fn read(asked: &Asked<'_>) -> Result<Problem, String> {
        let mut problem = Problem {
            wanted: Vec::new(),
            variables: String::new(),
            assumed: Vec::new(),
            constraints: Vec::new(),
        };
        for command in &asked.script.commands[..asked.command] {
            let Some(parts) = parts(asked.terms, command) else {
                continue;
            };
            problem.add(&parts)?;
        }
        match problem.wanted.is_empty() || problem.constraints.is_empty() {
            true => Err("there is nothing to synthesise".to_string()),
            false => Ok(problem),
        }
    }

    fn add(&mut self, command: &[String]) -> Result<(), String> {
        let parts: Vec<&str> = command.iter().map(String::as_str).collect();
        match &parts[..] {
            ["synth-fun", name, parameters, result, grammar @ ..] => self.wanted.push(Wanted {
                name: name.to_string(),
                parameters: parameters.to_string(),
                result: result.to_string(),
                grammar: grammar.iter().map(ToString::to_string).collect(),
            }),
            ["synth-inv", name, parameters, grammar @ ..] => self.wanted.push(Wanted {
                name: name.to_string(),
                parameters: parameters.to_string(),
                result: "Bool".to_string(),
                grammar: grammar.iter().map(ToString::to_string).collect(),
            }),
            ["declare-var", name, sort] => {
                let line = format!("(declare-const {name} {sort})\n");
                self.variables.push_str(&line);
            }
            ["assume", formula] => self.assumed.push(formula.to_string()),
            ["constraint", formula] => self.constraints.push(formula.to_string()),
            ["inv-constraint", ..] => return Err("an inv-constraint is not read".to_string()),
            _ => {}
        }
        Ok(())
    }

    /// What functions claim that are said to be a solution.
    fn solved(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let document = reply(asked.said)?;
        let list = document.items().next().ok_or("the reply is empty")?;
        let definitions: Vec<Vec<String>> = list.items().map(texts).collect();
        let mut all = Vec::new();
        for wanted in &self.wanted {
            let definition = definitions
                .iter()
                .find(|one| one.len() == 5 && one[0] == "define-fun" && one[1] == wanted.name);
            let Some(definition) = definition else {
                let found = format!("It does not define {}.", wanted.name);
                let claim = "Every function is synthesised.";
                return Ok(vec![Obligation::wrong(claim, found)]);
            };
            if !wanted.has_signature(&definition[2], &definition[3]) {
                let found = format!("It defines {} with other sorts.", wanted.name);
                let claim = "The functions have the signatures that were asked for.";
                return Ok(vec![Obligation::wrong(claim, found)]);
            }
            if !wanted.grammar.is_empty() && definition[2] == wanted.parameters {
                all.extend(grammar::obligation(&wanted.grammar, &definition[4]));
            }
        }
        let text: String = list.items().fold(String::new(), |text, item| {
            format!("{text}{}\n", item.portable_text())
        });
        let claim = format!("With {} every constraint holds.", short(&text));
        let commands = self.violated(&text);
        all.push(self.refutable(asked, &claim, &commands)?);
        Ok(all)
    }

    /// A definition of the script with the right signature must not be a solution.
    fn infeasible(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let [wanted] = &self.wanted[..] else {
            return Ok(Vec::new());
        };
        if !wanted.grammar.is_empty() {
            return Ok(Vec::new());
        }
        let declarations = asked.in_force().declarations;
        let document = reply(&declarations)?;
        let mut all = Vec::new();
        for item in document
            .items()
            .filter(|item| item.head() == Some("define-fun"))
        {
            let [_, name, parameters, result, body] = &texts(item)[..] else {
                continue;
            };
            if !wanted.has_signature(parameters, result) {
                continue;
            }
            let text = format!(
                "(define-fun {} {parameters} {result} {body})\n",
                wanted.name
            );
            let claim = format!("A constraint fails if {} is {name}.", wanted.name);
            let script = self.script(asked, &self.violated(&text))?;
            all.push(Obligation {
                claim,
                check: Check::Sat(script),
            });
        }
        Ok(all)
    }

    /// Commands that are satisfiable if a constraint fails under definitions.
    fn violated(&self, definitions: &str) -> String {
        let constraints = conjunction(&self.constraints);
        format!(
            "{definitions}{}{}(assert (not {constraints}))\n",
            self.variables,
            asserted(&self.assumed)
        )
    }

    fn refutable(
        &self,
        asked: &mut Asked<'_>,
        claim: &str,
        commands: &str,
    ) -> Result<Obligation, String> {
        let script = self.script(asked, commands)?;
        let check = Check::Unsat(opened::opened(asked.terms, &script));
        let claim = claim.to_string();
        Ok(Obligation { claim, check })
    }

    /// The declarations in force, without variables of synthesis, and more commands.
    fn script(&self, asked: &mut Asked<'_>, commands: &str) -> Result<Script, String> {
        let declarations = asked.in_force().declarations;
        let kept = declarations.lines();
        let kept: Vec<&str> = kept
            .filter(|one| !one.starts_with("(declare-var "))
            .collect();
        let text = format!("{}\n{commands}(check-sat)\n", kept.join("\n"));
        script_of(asked.terms, &text)
    }
}

impl Wanted {
    fn has_signature(&self, parameters: &str, result: &str) -> bool {
        sorts(parameters).is_some_and(|own| Some(own) == sorts(&self.parameters))
            && spaced(result) == spaced(&self.result)
    }
}

/// The sorts of a list of parameters.
fn sorts(parameters: &str) -> Option<Vec<String>> {
    let document = Document::read(parameters).ok()?;
    let all = document.items().next()?.items();
    all.map(|one| Some(spaced(one.item(1)?.text()))).collect()
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    const PROBLEM: &str = "(define-fun planted ((a Int)) Int (+ a 1))(synth-fun f ((a Int)) Int)\
         (declare-var x Int)(constraint (> (f x) x))(constraint (<= (f x) (planted x)))(check-synth)";

    fn about(said: &str) -> Vec<String> {
        obligations(&Synthesis, PROBLEM, said, None)
    }

    #[test]
    fn every_constraint_holds() {
        // cvc5 1.2.0
        let told = about("(\n(define-fun f ((a Int)) Int (+ a 1))\n)");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with(
                "With (define-fun f ((a Int)) Int (+ a 1)) every constraint holds. => unsat: "
            ),
            "{told:?}"
        );
        assert!(
            told[0].ends_with("(assert (not (and (> (f x) x) (<= (f x) (planted x)))))"),
            "{told:?}"
        );
    }

    #[test]
    fn a_function_of_other_sorts_is_none() {
        let told = about("((define-fun f ((a Real)) Int 1))");
        assert!(
            told[0].contains("=> wrong: It defines f with other sorts."),
            "{told:?}"
        );
        let told = about("((define-fun g ((a Int)) Int 1))");
        assert!(
            told[0].contains("=> wrong: It does not define f."),
            "{told:?}"
        );
        assert_eq!(about("fail"), [] as [&str; 0]);
    }

    #[test]
    fn infeasible_denies_the_planted_solution() {
        let told = about("infeasible");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("A constraint fails if f is planted. => sat: "),
            "{told:?}"
        );
    }

    #[test]
    fn problems_are_made() {
        let text = "(declare-const x Int)(assert (> x 3))(check-sat)";
        let made = (0..20).filter_map(|number| asked(&Synthesis, text, "cvc5", number));
        assert_eq!(
            made.filter(|text| text.contains("(check-synth)")).count(),
            20
        );
    }
}
