//! Invariants of Horn clauses: after `sat` each clause must hold under the model; after `unsat` there must be no
//! model.
//!
//! ```text
//! (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))     sat, (define-fun p ((y Int)) Bool (>= y 0))
//!     claims: the clause holds under the model             must be unsat: (p x), (not (p (+ x 1)))
//! unsat, but another solver has an invariant, or the case was made from one
//!     claims: the invariant does not satisfy the clauses   must be sat: a clause fails under it
//! ```
//!
//! Clauses whose truth depends on values that the standard leaves unspecified are not judged.

use super::guarded::is_guarded;
use super::opened::opened;
use super::reading::{disjunction, reply, short};
use super::{AnswerKind, Asked, Check, Kind, Obligation, script_of};
use crate::case::{Case, Evidence};
use crate::draw::Draw;
use auspex_logic::model::Interpretation;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Command, Head, Model, Script, Sort, TermId, Terms};
use auspex_syntax::{Document, Sexpr};

pub struct Invariants;

impl AnswerKind for Invariants {
    fn kind(&self) -> Kind {
        Kind::Invariant
    }

    fn makes(&self) -> &'static [&'static str] {
        &["z3"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        let is_query = matches!(
            script.commands.get(command),
            Some(Command::CheckSat | Command::CheckSatUsing(_))
        );
        is_query && is_horn(terms, script)
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        match asked.answer {
            Some(Answer::Sat { model: Some(model) }) => {
                let definitions = read_definitions(model)?;
                clauses_hold(asked, &definitions)
            }
            Some(Answer::Unsat { .. }) => no_invariant(asked),
            _ => Ok(Vec::new()),
        }
    }

    fn ask(&self, _: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        let horn = make == "z3" && is_horn(terms, &case.script);
        horn.then(|| case.script.clone())
    }
}

/// Whether a script is about predicates in Horn clauses: its logic says so, or all that it declares are predicates and
/// it has quantifiers.
fn is_horn(terms: &Terms, script: &Script) -> bool {
    let mut declared = script.declared().map(|fun| terms.fun(fun));
    let has_predicate = script
        .declared()
        .any(|fun| !terms.fun(fun).params.is_empty());
    let only_predicates = has_predicate && declared.all(|decl| decl.result == Sort::BOOL);
    let mut logic = script.logic().into_iter();
    let has_sorts = script
        .commands
        .iter()
        .any(|c| matches!(c, Command::DeclareSort(..)));
    let is_quantified = |term| matches!(terms.head(term), Head::Binder(_));
    let quantified = script.assertions().any(|a| is_quantified(a.term));
    !has_sorts
        && only_predicates
        && (quantified || logic.any(|logic| terms.symbols.name(logic) == "HORN"))
}

/// A definition that a model has for a symbol.
struct Definition {
    name: String,
    text: String,
}

/// The definitions of a model, each after those it uses.
fn read_definitions(model: &str) -> Result<Vec<Definition>, String> {
    let document = reply(model)?;
    let mut all = Vec::new();
    let mut waiting: Vec<Sexpr<'_>> = document.items().collect();
    while let Some(item) = waiting.pop() {
        match item.head() {
            Some("define-fun") => {
                let name = item.item(1).and_then(|name| name.symbol());
                all.push(Definition {
                    name: name.ok_or("a definition has no name")?.to_string(),
                    text: item.portable_text().into_owned(),
                });
            }
            Some("define-fun-rec" | "define-funs-rec") => {
                return Err("the model has recursive definitions".to_string());
            }
            Some("model") | None => waiting.extend(item.items().filter(|item| item.is_list())),
            Some(_) => {}
        }
    }
    sorted(all)
}

fn sorted(mut waiting: Vec<Definition>) -> Result<Vec<Definition>, String> {
    let mut all = Vec::new();
    while !waiting.is_empty() {
        let names: Vec<String> = waiting.iter().map(|one| one.name.clone()).collect();
        let is_ready = |one: &Definition| {
            let mut others = names.iter().filter(|name| **name != one.name);
            !others.any(|name| mentions(&one.text, name))
        };
        let ready = waiting.iter().position(is_ready);
        all.push(waiting.remove(ready.ok_or("the definitions of the model are cyclic")?));
    }
    Ok(all)
}

/// Whether a definition has a symbol in its body.
fn mentions(definition: &str, name: &str) -> bool {
    let Ok(document) = Document::read(definition) else {
        return true;
    };
    let body = document.items().next().and_then(|item| item.item(4));
    let mut waiting: Vec<Sexpr<'_>> = body.into_iter().collect();
    while let Some(item) = waiting.pop() {
        if item.symbol() == Some(name) {
            return true;
        }
        waiting.extend(item.items());
    }
    false
}

/// The declarations in force with the definitions in place of what they define; a message if something is left.
fn interpreted(asked: &Asked<'_>, definitions: &[Definition]) -> Result<String, String> {
    let declarations = asked.in_force().declarations;
    let document = reply(&declarations)?;
    let mut text = String::new();
    for item in document.items() {
        let is_declaration = matches!(item.head(), Some("declare-fun" | "declare-const"));
        match item
            .item(1)
            .and_then(|name| name.symbol())
            .filter(|_| is_declaration)
        {
            Some(name) if definitions.iter().any(|one| one.name == name) => {}
            Some(name) => return Err(format!("the model does not define {name}")),
            None => {
                text.push_str(&item.portable_text());
                text.push('\n');
            }
        }
    }
    for definition in definitions {
        text.push_str(&definition.text);
        text.push('\n');
    }
    Ok(text)
}

/// Each clause must hold under the model that came with `sat`.
fn clauses_hold(
    asked: &mut Asked<'_>,
    definitions: &[Definition],
) -> Result<Vec<Obligation>, String> {
    let interpreted = interpreted(asked, definitions)?;
    let mut all = Vec::new();
    for clause in asked.in_force().assertions {
        let text = format!("{interpreted}(assert (not {clause}))\n(check-sat)\n");
        let script = script_of(asked.terms, &text)?;
        let script = opened(asked.terms, &script);
        if is_guarded(asked.terms, &script) {
            all.push(Obligation {
                claim: format!("Under the model this clause holds: {}.", short(&clause)),
                check: Check::Unsat(script),
            });
        }
    }
    Ok(all)
}

/// No model may satisfy all clauses: neither one that another solver has, nor the one the case was made from.
fn no_invariant(asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
    let mut all = Vec::new();
    if let Evidence::Witness(model) = asked.evidence {
        let claim = "The invariant that the clauses were made from does not satisfy them all.";
        let definitions = definitions_of(asked.terms, asked.script, model);
        all.extend(some_clause_fails(asked, claim, &definitions)?);
    }
    for model in asked.others {
        let claim = "The model that another solver returned does not satisfy all clauses.";
        if let Ok(definitions) = read_definitions(model)
            && let Ok(Some(obligation)) = some_clause_fails(asked, claim, &definitions)
        {
            all.push(obligation);
        }
    }
    Ok(all)
}

fn some_clause_fails(
    asked: &mut Asked<'_>,
    claim: &str,
    definitions: &[Definition],
) -> Result<Option<Obligation>, String> {
    let interpreted = interpreted(asked, definitions)?;
    let clauses = asked.in_force().assertions.into_iter();
    let failing: Vec<String> = clauses.map(|clause| format!("(not {clause})")).collect();
    let text = format!(
        "{interpreted}(assert {})\n(check-sat)\n",
        disjunction(&failing)
    );
    let script = script_of(asked.terms, &text)?;
    let obligation = Obligation {
        claim: claim.to_string(),
        check: Check::Sat(script.clone()),
    };
    Ok(is_guarded(asked.terms, &script).then_some(obligation))
}

/// A model of ours as definitions.
fn definitions_of(terms: &mut Terms, script: &Script, model: &Model) -> Vec<Definition> {
    let declared: Vec<_> = script.declared().collect();
    let mut all = Vec::new();
    for fun in declared {
        let Some(Interpretation::Body(variables, body)) = model.interpretation(fun) else {
            continue;
        };
        let decl = terms.fun(fun);
        let name = terms.symbols.name(decl.name);
        let mut text = String::from("(define-fun ");
        auspex_syntax::write_symbol(&mut text, name);
        let shown = |variable: &TermId| {
            let sort = render::sort(terms, terms.sort(*variable));
            format!("({} {sort})", render::term(terms, *variable, Sharing::Auto))
        };
        let parameters: Vec<String> = variables.iter().map(shown).collect();
        let body = render::term(terms, *body, Sharing::Auto);
        let result = render::sort(terms, decl.result);
        text.push_str(&format!(" ({}) {result} {body})", parameters.join(" ")));
        let name = name.to_string();
        all.push(Definition { name, text });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};
    use auspex_logic::read_script;

    const COUNT: &str = "(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 0))\
         (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))(check-sat)";

    fn about(script: &str, model: &str) -> Vec<String> {
        obligations(&Invariants, script, "sat", Some(model))
    }

    #[test]
    fn each_clause_holds_under_the_model() {
        // z3 5.4.0
        let told = about(
            COUNT,
            "(\n  (define-fun p ((x!0 Int)) Bool\n    (not (<= x!0 (- 1))))\n)",
        );
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(
            told[1].ends_with("(assert (p x))(assert (not (p (+ x 1))))"),
            "{told:?}"
        );
        assert!(
            told[1].contains("(define-fun p ((x!0 Int)) Bool (not (<= x!0 (- 1))))"),
            "{told:?}"
        );
    }

    #[test]
    fn a_model_must_define_every_predicate() {
        let told = about(COUNT, "((define-fun q ((x!0 Int)) Bool true))");
        assert_eq!(told, ["unread: the model does not define p"]);
    }

    #[test]
    fn what_is_left_open_is_not_judged() {
        let script = "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= (div x 0) 1) (p x))))(check-sat)";
        assert_eq!(
            about(script, "((define-fun p ((x Int)) Bool true))"),
            [] as [&str; 0]
        );
    }

    #[test]
    fn definitions_come_after_what_they_use() {
        let model = "((define-fun p ((x Int)) Bool (q x)) (define-fun q ((x Int)) Bool (> x 0)))";
        let names: Vec<String> = read_definitions(model)
            .unwrap()
            .into_iter()
            .map(|d| d.name)
            .collect();
        assert_eq!(names, ["q", "p"]);
    }

    #[test]
    fn an_unsat_denies_every_invariant() {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, COUNT).expect("well-formed").script;
        let told = |evidence: &Evidence, others: &[&str], terms: &mut Terms| {
            let command = script.commands.len() - 1;
            let obligations = Invariants.obligations(&mut Asked {
                said: "unsat",
                answer: Some(&Answer::Unsat { core: None }),
                evidence,
                others,
                ..Asked::new(terms, &script, command)
            });
            obligations.expect("readable")
        };
        assert!(told(&Evidence::NoneKnown, &[], &mut terms).is_empty());
        let other = "((define-fun p ((y Int)) Bool (>= y 0)))";
        let one = told(&Evidence::NoneKnown, &[other], &mut terms);
        let Check::Sat(script_of_one) = &one[0].check else {
            panic!("a model that fails somewhere")
        };
        let text = render::script(&terms, script_of_one, Sharing::Auto);
        assert!(
            text.contains("(assert (or (not (p 0)) (not (forall "),
            "{text}"
        );
        let model = auspex_logic::model::read_model(&mut terms, &script, other).expect("a model");
        let planted = told(&Evidence::Witness(Box::new(model)), &[], &mut terms);
        assert!(
            planted[0]
                .claim
                .starts_with("The invariant that the clauses were made from")
        );
    }

    #[test]
    fn horn_clauses_are_asked_as_they_are() {
        assert!(asked(&Invariants, COUNT, "z3", 0).is_some());
        assert!(
            asked(
                &Invariants,
                "(declare-const x Int)(assert (> x 0))(check-sat)",
                "z3",
                0
            )
            .is_none()
        );
    }
}
