//! Why an answer is wrong, step by step: the trace of our evaluator on a script and a model, and what is known about
//! the operators on its path. Every text is rendered from these facts.

use crate::findings::finding::{EvidenceRecord, Finding};
use crate::judge::examine::plain_queries;
use auspex_cases::Class;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::{
    Explanation, ModelVerdict, Tree, explanation, read_model, tree, validate,
};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::OpDecl;
use auspex_logic::value::Value;
use auspex_logic::{Model, Script, TermId, Terms, read_script};

/// The most lines about one assertion, besides the values of symbols.
const LINES: usize = 5;
/// The most assertions that are explained.
const ASSERTIONS: usize = 4;
/// The most nodes of a tree.
const NODES: usize = 300;
/// The most operators of which something is said.
const OPERATORS: usize = 2;
/// The longest assertion that is written out.
const LONGEST: usize = 200;

/// The evaluation of one assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    pub assertion: String,
    /// Its value.
    pub holds: bool,
    pub trace: Explanation,
    pub tree: Tree,
    /// A sentence for each operator that matters.
    pub operators: Vec<String>,
}

/// The evaluation that shows a wrong answer: of the assertion that a model falsifies, or of those that a model
/// satisfies. Nothing if the evidence is of another kind, or not about this script.
pub fn explain(finding: &Finding, script: &str, model: Option<&str>) -> Vec<Explained> {
    let mut terms = finding.terms();
    let Ok(reading) = read_script(&mut terms, script) else {
        return Vec::new();
    };
    let mut script = reading.script;
    plain_queries(&terms, &mut script);
    let found = match (finding.class, model) {
        (Class::InvalidModel, Some(model)) => falsified(&mut terms, &script, model, finding.query),
        (Class::WrongUnsat, Some(model)) => satisfied(&mut terms, &script, model, finding.query),
        (Class::WrongSat, _) => false_anyway(&terms, &script, finding.query),
        _ => None,
    };
    let Some((model, assertions)) = found else {
        return Vec::new();
    };
    let mut explained = Vec::new();
    for assertion in assertions.into_iter().take(ASSERTIONS) {
        explained.push(one(&mut terms, &model, assertion));
    }
    if finding.class == Class::WrongUnsat {
        // A choice for what the model leaves open makes them true, and it is not known here.
        explained.retain(|one| one.holds);
    }
    if finding.class == Class::WrongSat {
        // No model gives the symbols values, so nothing may rest on them.
        explained.retain(|one| one.trace.symbols.is_empty());
    }
    explained
}

/// The model under which a stored finding's shown script is evaluated.
pub fn stored_model(finding: &Finding) -> Option<&str> {
    if finding.reduced.is_some() {
        return finding.reduced_model.as_deref();
    }
    if let (Class::WrongUnsat, EvidenceRecord::Witness { model }) =
        (finding.class, &finding.evidence)
    {
        return Some(model);
    }
    let accused = finding.accused_replies.first()?;
    match &finding.replies.get(*accused)?.answer {
        auspex_logic::Answer::Sat { model } => model.as_deref(),
        _ => None,
    }
}

fn falsified(
    terms: &mut Terms,
    script: &Script,
    model: &str,
    number: usize,
) -> Option<(Model, Vec<TermId>)> {
    let model = read_model(terms, script, model).ok()?;
    let queries = script.queries();
    let query = queries.get(number).or(queries.last())?;
    match validate(terms, &model, query) {
        ModelVerdict::Invalid { assertion } => Some((model, vec![assertion])),
        ModelVerdict::Valid | ModelVerdict::Undetermined { .. } => None,
    }
}

fn satisfied(
    terms: &mut Terms,
    script: &Script,
    model: &str,
    number: usize,
) -> Option<(Model, Vec<TermId>)> {
    let model = read_model(terms, script, model).ok()?;
    let queries = script.queries();
    let query = queries.get(number).or(queries.last())?;
    (validate(terms, &model, query) == ModelVerdict::Valid)
        .then(|| (model, query.demands().collect()))
}

/// An assertion that is false whatever the symbols stand for.
fn false_anyway(terms: &Terms, script: &Script, number: usize) -> Option<(Model, Vec<TermId>)> {
    let model = Model::with_definitions(script);
    let queries = script.queries();
    let query = queries.get(number).or(queries.last())?;
    let mut evaluator = Evaluator::new(terms, &model).without_completion();
    let is_false = |term: &TermId| evaluator.value(*term) == Ok(Value::FALSE);
    let assertion = query.demands().find(is_false)?;
    Some((model, vec![assertion]))
}

fn one(terms: &mut Terms, model: &Model, assertion: TermId) -> Explained {
    let trace = explanation(terms, model, assertion, LINES);
    let rows = terms.table().rows();
    let operators = trace.operators.iter().take(OPERATORS);
    Explained {
        assertion: short(render::term(terms, assertion, Sharing::Auto)),
        holds: Evaluator::new(terms, model).value(assertion) == Ok(Value::TRUE),
        operators: operators.map(|row| sentence(&rows[*row])).collect(),
        tree: tree(terms, model, assertion, NODES),
        trace,
    }
}

fn short(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What the operator table says about an operator: where it comes from, its meaning in words if that is written down,
/// else an example.
fn sentence(row: &OpDecl) -> String {
    let origin = match row.known.is_standard() {
        true => "an operator of the SMT-LIB standard".to_string(),
        false => format!("not in the SMT-LIB standard; declared {}", row.declaration),
    };
    match (row.says, row.examples.first()) {
        ("", Some((term, value))) => {
            format!("{} is {origin}; for example, {term} = {value}.", row.name)
        }
        ("", None) => format!("{} is {origin}.", row.name),
        (says, _) => format!("{}: {says}.", row.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;

    fn finding(class: Class) -> Finding {
        let mut finding = sample("a");
        finding.class = class;
        finding
    }

    const DIVISION: &str =
        "(declare-const x (_ BitVec 2))(assert (= (bvudiv x #b00) #b00))(check-sat)";
    const X: &str = "((define-fun x () (_ BitVec 2) #b01))";

    #[test]
    fn a_falsified_assertion_is_explained_with_the_clause_of_its_operator() {
        let told = explain(&finding(Class::InvalidModel), DIVISION, Some(X));
        assert_eq!(
            told[0].trace.text(),
            [
                "x = #b01",
                "(bvudiv x #b00) = #b11",
                "(= #b11 #b00) = false"
            ]
        );
        assert!(
            told[0].operators[0].contains("division by zero gives all ones"),
            "{:?}",
            told[0].operators
        );
        assert!(!told[0].holds);
    }

    #[test]
    fn a_model_that_proves_nothing_explains_nothing() {
        assert!(explain(&finding(Class::WrongUnsat), DIVISION, Some(X)).is_empty());
        assert!(explain(&finding(Class::InvalidModel), DIVISION, None).is_empty());
        assert!(explain(&finding(Class::InvalidModel), "(assert", Some(X)).is_empty());
        assert!(explain(&finding(Class::Crash), DIVISION, Some(X)).is_empty());
        let holds = DIVISION.replace("#b00))(check", "#b11))(check");
        assert!(explain(&finding(Class::InvalidModel), &holds, Some(X)).is_empty());
        let told = explain(&finding(Class::WrongUnsat), &holds, Some(X));
        assert!(told[0].holds);
    }

    #[test]
    fn a_wrong_sat_is_explained_only_by_what_no_symbol_changes() {
        let ground = "(assert (= (str.at \"ab\" 5) \"a\"))(check-sat)";
        let told = explain(&finding(Class::WrongSat), ground, None);
        assert_eq!(told[0].trace.lines[0].text(), "(str.at \"ab\" 5) = \"\"");
        let symbol = "(declare-const x Int)(assert (not (= x x)))(check-sat)";
        assert!(explain(&finding(Class::WrongSat), symbol, None).is_empty());
    }
}
