//! Writes a model as definitions that people and `read_model` can read.

use auspex_logic::model::Interpretation;
use auspex_logic::render::{self, Sharing};
use auspex_logic::script::DefinitionKind;
use auspex_logic::{Command, Definition, Fun, Model, Script, TermId, Terms, Value};
use std::collections::HashMap;

/// The definitions of the symbols that the script declares, if their values can be written.
pub fn witness_text(terms: &mut Terms, script: &Script, model: &Model) -> String {
    let mut out = String::from("(\n");
    for fun in script.declared() {
        let Some(what) = model.interpretation(fun) else {
            continue;
        };
        if let Some((variables, body)) = body_of(terms, fun, what) {
            let definition = Definition {
                fun,
                variables,
                body,
                how: DefinitionKind::Plain,
            };
            render::command_to(
                terms,
                &Command::DefineFun(definition),
                Sharing::Auto,
                &mut out,
            );
        }
    }
    out.push_str(")\n");
    out
}

fn body_of(terms: &mut Terms, fun: Fun, what: &Interpretation) -> Option<(Vec<TermId>, TermId)> {
    let declaration = terms.fun(fun).clone();
    if let Interpretation::Body(variables, body) = what {
        return Some((variables.clone(), *body));
    }
    let params = declaration.params.iter().enumerate();
    let variables: Vec<TermId> = params
        .map(|(at, sort)| {
            let name = terms.symbols.intern(&format!("x!{at}"));
            terms.variable(name, *sort)
        })
        .collect();
    let body = match what {
        Interpretation::Value(value) => terms.value_term(value, declaration.result)?,
        Interpretation::Table(table, default) => {
            table_body(terms, &variables, table, default.as_ref(), fun)?
        }
        Interpretation::Body(..) => return None,
    };
    Some((variables, body))
}

/// `(ite (and (= x!0 a) …) value …)`, in a fixed order.
fn table_body(
    terms: &mut Terms,
    variables: &[TermId],
    table: &HashMap<Vec<Value>, Value>,
    default: Option<&Value>,
    fun: Fun,
) -> Option<TermId> {
    let declaration = terms.fun(fun).clone();
    let mut rows: Vec<_> = table.iter().collect();
    rows.sort();
    let mut rows = rows.into_iter();
    let last = match default {
        Some(value) => value.clone(),
        None => rows.next()?.1.clone(),
    };
    let mut body = terms.value_term(&last, declaration.result)?;
    for (arguments, value) in rows {
        let mut equal = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let argument = terms.value_term(argument, declaration.params[at])?;
            equal.push(terms.app("=", &[variables[at], argument]).ok()?);
        }
        let condition = match equal.as_slice() {
            [] => terms.bool(true),
            [one] => *one,
            many => terms.app("and", many).ok()?,
        };
        let value = terms.value_term(value, declaration.result)?;
        body = terms.app("ite", &[condition, value, body]).ok()?;
    }
    Some(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::model::{ModelVerdict, read_model, validate};
    use auspex_logic::read_script;

    #[test]
    fn what_is_written_is_read_again_as_the_same_model() {
        let mut terms = Terms::new();
        let text = "(declare-const x Int)(declare-fun f (Int Int) Int)(declare-const a (Array Int Bool))\
                    (assert (= (f x 2) (- 3)))(assert (= (f 0 0) 7))(assert (select a x))(check-sat)";
        let script = read_script(&mut terms, text).unwrap().script;
        let reply = "((define-fun x () Int 1)(define-fun a () (Array Int Bool) ((as const (Array Int Bool)) true))\
                     (define-fun f ((u Int) (v Int)) Int (ite (and (= u 1) (= v 2)) (- 3) 7)))";
        let model = read_model(&mut terms, &script, reply).unwrap();
        let written = witness_text(&mut terms, &script, &model);
        let again = read_model(&mut terms, &script, &written).unwrap();
        let query = &script.queries()[0];
        assert_eq!(validate(&terms, &again, query), ModelVerdict::Valid);
    }

    #[test]
    fn a_table_becomes_conditionals() {
        let mut terms = Terms::new();
        let text = "(declare-fun f (Bool) Int)(assert (= (f true) 5))(check-sat)";
        let script = read_script(&mut terms, text).unwrap().script;
        let fun = script.declared().next().unwrap();
        let mut model = Model::with_definitions(&script);
        let int = |n: i64| Value::Int(n.into());
        let table = HashMap::from([(vec![Value::TRUE], int(5)), (vec![Value::FALSE], int(6))]);
        model.set(fun, Interpretation::Table(table, None));
        let written = witness_text(&mut terms, &script, &model);
        let again = read_model(&mut terms, &script, &written).unwrap();
        assert_eq!(
            validate(&terms, &again, &script.queries()[0]),
            ModelVerdict::Valid
        );
    }
}
