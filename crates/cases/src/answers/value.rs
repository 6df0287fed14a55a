//! Values: those that a solver returns for terms must belong to one model of the assertions, the one it prints.
//!
//! ```text
//! (check-sat) (get-value (x (+ x 1)))     ((x 4) ((+ x 1) 5))
//!     claims: some model has these values   must be sat: the assertions, (= x 4), (= (+ x 1) 5)
//!             its own model has them        evaluated
//! (get-assignment)                          ((big true)): the same for named formulas
//! ```

use super::reading::{asserted, declines, is_named, last_assertion, reply, short};
use super::{AnswerKind, Asked, Kind, Obligation, query_at};
use crate::case::{Case, Evidence, Expected};
use crate::draw::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::{has_rounded_number, read_model};
use auspex_logic::render::{self, Sharing, post_order};
use auspex_logic::script::DefinitionKind;
use auspex_logic::{Command, Head, Script, SortKind, Terms, Value};
use auspex_syntax::Sexpr;

pub struct Values;

impl AnswerKind for Values {
    fn kind(&self) -> Kind {
        Kind::Value
    }

    fn makes(&self) -> &'static [&'static str] {
        &[
            "z3",
            "cvc5",
            "yices",
            "bitwuzla",
            "mathsat",
            "opensmt",
            "smtinterpol",
            "cvc4",
            "boolector",
        ]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        matches!(script.commands.get(command), Some(Command::GetValue(_)))
            || is_named(terms, script, command, &["get-assignment"])
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let is_sat = matches!(asked.answer, Some(auspex_logic::Answer::Sat { .. }));
        if declines(asked.said) || !is_sat {
            return Ok(Vec::new());
        }
        let values = read(asked)?;
        let mut all = other_than_modelled(asked, &values);
        let equations: Vec<String> = values
            .iter()
            .map(|(term, value)| format!("(= {term} {value})"))
            .filter(|equation| asked.script(&format!("(assert {equation})")).is_ok())
            .collect();
        if !equations.is_empty() {
            let mut text = asserted(&last_query(asked));
            text.push_str(&asserted(&equations));
            let claim = "One model of the assertions has all these values.";
            all.push(asked.must_be_sat(claim, &text)?);
        }
        Ok(all)
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        let queries = case.script.queries();
        let number = draw.index(queries.len());
        let query = queries.get(number)?;
        let expected = case.evidence.get(number).and_then(Evidence::expected);
        if expected == Some(Expected::Unsat) {
            return None;
        }
        let mut parts = Vec::new();
        for root in query.demands() {
            parts.extend(post_order(terms, root));
        }
        parts.retain(|part| {
            let has_value = !matches!(
                terms.sorts.kind(terms.sort(*part)),
                SortKind::RegLan | SortKind::Function(_) | SortKind::Unknown
            );
            has_value && terms.is_closed(*part) && !matches!(terms.head(*part), Head::Literal(_))
        });
        const TERMS: usize = 4;
        let mut chosen: Vec<_> = (0..TERMS)
            .filter_map(|_| draw.pick(&parts).copied())
            .collect();
        chosen.dedup();
        if chosen.is_empty() {
            return None;
        }
        let mut script = case.script.clone();
        script.spans.clear();
        let after = query.command + 1;
        script.commands.insert(after, Command::GetValue(chosen));
        let mut options = vec![":produce-models"];
        if ["z3", "cvc5"].contains(&make) && draw.one_in(3) {
            name_assertions(terms, &mut script);
            let assignment = terms.symbols.intern("(get-assignment)");
            script.commands.insert(after, Command::Other(assignment));
            options.push(":produce-assignments");
        }
        for name in options {
            let option =
                Command::SetOption(terms.symbols.intern(name), terms.symbols.intern("true"));
            if !script.commands.contains(&option) {
                script.commands.insert(0, option);
            }
        }
        Some(script)
    }
}

/// Gives every assertion a name, so that it has a value in an assignment.
fn name_assertions(terms: &mut Terms, script: &mut Script) {
    let mut number = 0;
    for command in &mut script.commands {
        if let Command::Assert(assertion) = command {
            let name = || terms.symbols.intern(&format!("named!{number}"));
            assertion.name.get_or_insert_with(name);
            number += 1;
        }
    }
}

/// The terms with their values.
fn read(asked: &Asked<'_>) -> Result<Vec<(String, String)>, String> {
    let document = reply(asked.said)?;
    let list = document.items().next().ok_or("the reply is empty")?;
    let pairs: Vec<Sexpr<'_>> = list.items().collect();
    if pairs.iter().any(|pair| pair.count() != 2) {
        return Err("the reply is not a list of pairs".to_string());
    }
    let Some(Command::GetValue(terms)) = asked.script.commands.get(asked.command) else {
        let named = pairs.iter().filter_map(|pair| {
            let term = named(asked, pair.item(0)?.symbol()?)?;
            Some((term, exact_value(*pair)?.portable_text().into_owned()))
        });
        return Ok(named.collect());
    };
    if pairs.len() != terms.len() {
        return Err(format!("{} values for {} terms", pairs.len(), terms.len()));
    }
    let both = terms.iter().zip(&pairs);
    let valued = both.filter_map(|(term, pair)| {
        let text = render::term(asked.terms, *term, Sharing::Auto);
        Some((text, exact_value(*pair)?.portable_text().into_owned()))
    });
    Ok(valued.collect())
}

/// The value of a pair, unless the solver has rounded it.
fn exact_value(pair: Sexpr<'_>) -> Option<Sexpr<'_>> {
    pair.item(1).filter(|value| !has_rounded_number(*value))
}

/// The formula of that name.
fn named(asked: &Asked<'_>, name: &str) -> Option<String> {
    let is_meant = |symbol| asked.terms.symbols.name(symbol) == name;
    let before = &asked.script.commands[..asked.command];
    let term = before.iter().rev().find_map(|command| match command {
        Command::Assert(assertion) => {
            let meant = assertion.name.is_some_and(is_meant);
            meant.then_some(assertion.term)
        }
        Command::DefineFun(definition) if definition.how == DefinitionKind::Named => {
            is_meant(asked.terms.fun(definition.fun).name).then_some(definition.body)
        }
        _ => None,
    })?;
    Some(render::term(asked.terms, term, Sharing::Auto))
}

/// The assertions and assumptions of the last query before the command: what the values are about.
fn last_query(asked: &Asked<'_>) -> Vec<String> {
    let queries = asked.script.queries();
    let last = queries
        .iter()
        .rev()
        .find(|query| query.command < asked.command);
    let query = last.map(|query| query_at(asked.script, query.command));
    let text = |term| render::term(asked.terms, term, Sharing::Auto);
    query
        .iter()
        .flat_map(|query| query.demands())
        .map(text)
        .collect()
}

/// A term that has another value under the model that the solver printed.
fn other_than_modelled(asked: &mut Asked<'_>, values: &[(String, String)]) -> Vec<Obligation> {
    let Some(model) = asked.model().map(str::to_string) else {
        return Vec::new();
    };
    let Ok(model) = read_model(asked.terms, asked.script, &model) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (term, value) in values {
        let Ok(script) = asked.script(&format!("(assert (= {term} {value}))")) else {
            continue;
        };
        let Some(equation) = last_assertion(&script) else {
            continue;
        };
        let Some(&[left, _]) = asked.terms.args(equation).first_chunk::<2>() else {
            continue;
        };
        let evaluated = |term| {
            let mut evaluator = Evaluator::new(asked.terms, &model).without_completion();
            evaluator.value(term).ok()
        };
        // Equal values may be written in several ways, so the equation itself decides.
        if evaluated(equation) == Some(Value::Bool(false))
            && let Some(modelled) = evaluated(left)
        {
            let sort = asked.terms.sort(left);
            let modelled = asked.terms.value_text(&modelled, sort);
            let claim = format!("{} has the value {}.", short(term), short(value));
            let found = format!("Under the model it is {}.", short(&modelled));
            all.push(Obligation::wrong(claim, found));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    const SCRIPT: &str = "(declare-const x Int)(declare-const a Bool)(assert (! (=> a (> x 3)) :named big))(check-sat)";
    const MODEL: &str = "((define-fun x () Int 4)(define-fun a () Bool true))";

    fn about(question: &str, said: &str, model: Option<&str>) -> Vec<String> {
        obligations(&Values, &format!("{SCRIPT}{question}"), said, model)
    }

    #[test]
    fn some_model_has_the_values() {
        // z3 5.4.0
        let said = "((x 4)\n (a true)\n ((+ x 1) 5))";
        assert_eq!(
            about("(get-value (x a (+ x 1)))", said, Some(MODEL)),
            ["One model of the assertions has all these values. => sat: \
              (assert (=> a (> x 3)))(assert (= x 4))(assert (= a true))(assert (= (+ x 1) 5))"]
        );
    }

    #[test]
    fn the_printed_model_has_them() {
        let told = about(
            "(get-value (x (+ x 1)))",
            "((x 4) ((+ x 1) 6))",
            Some(MODEL),
        );
        assert_eq!(
            told[0],
            "(+ x 1) has the value 6. => wrong: Under the model it is 5."
        );
    }

    #[test]
    fn named_formulas_have_values() {
        let told = about("(get-assignment)", "((big true))", None);
        assert!(
            told[0].ends_with("(assert (= (=> a (> x 3)) true))"),
            "{told:?}"
        );
        let told = about("(get-assignment)", "((big false))", Some(MODEL));
        assert!(
            told[0].ends_with("wrong: Under the model it is true."),
            "{told:?}"
        );
    }

    #[test]
    fn rounded_numbers_say_nothing() {
        let script = "(declare-const r Real)(assert (= (* r r) 2.0))(check-sat)(get-value (r))";
        assert_eq!(
            obligations(&Values, script, "((r 1.414214))", None),
            [] as [&str; 0]
        );
        assert_eq!(
            obligations(&Values, script, "((r 1.4142135623?))", None),
            [] as [&str; 0]
        );
    }

    #[test]
    fn terms_of_the_case_are_asked_for() {
        let text = "(declare-const x Int)(assert (> (+ x 1) 3))(check-sat)";
        let made = asked(&Values, text, "yices", 3).expect("a question");
        assert!(made.contains("(check-sat)\n(get-value ("), "{made}");
        let all: Vec<String> = (0..20)
            .filter_map(|number| asked(&Values, text, "z3", number))
            .collect();
        let assigned =
            |text: &&String| text.contains(":named named!0))\n(check-sat)\n(get-assignment)");
        assert!(all.iter().filter(assigned).count() > 2, "{all:?}");
    }
}
