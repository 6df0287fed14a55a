//! A script prepared for judging: its queries, validation of models, and what evaluation alone decides.

use crate::judge::examine::plain_queries;
use crate::judge::judging::{Judge, Unconfirmed};
use crate::judge::witness::witness_text;
use crate::team::SolverRun;
use auspex_cases::answers::asked_by;
use auspex_cases::oracle::ground::refuted_part;
use auspex_cases::oracle::incompleteness::is_decidable;
use auspex_cases::oracle::may_ask_otherwise;
use auspex_cases::{Case, Evidence, Origin};
use auspex_logic::model::{ModelVerdict, is_defined, omitted_values, read_model, validate};
use auspex_logic::render::post_order;
use auspex_logic::script::Query;
use auspex_logic::{Command, Head, Model, Script, Terms, Theory, read_script};
use rustc_hash::FxHashMap;

/// The result of validating a model for one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    Valid,
    Invalid,
    Open,
}

/// A script prepared for judging.
pub struct Candidate {
    terms: Terms,
    pub script: Script,
    queries: Vec<Query>,
    /// For each query, whether an unknown command may have changed it.
    unsure: Vec<bool>,
    /// A cache of validated models, by text and query.
    worths: FxHashMap<(String, usize), Option<Worth>>,
    /// Whether a model is valid only if every part has a value; see `demanding`.
    demanding: bool,
}

impl Candidate {
    /// None if the text is not a sequence of s-expressions.
    pub fn read(text: &str) -> Option<Candidate> {
        let mut terms = Terms::new();
        let mut script = read_script(&mut terms, text).ok()?.script;
        plain_queries(&terms, &mut script);
        // The reply to a question belongs to a query, and solvers are asked one after the script.
        let mut commands = 0..script.commands.len();
        if script.queries().is_empty() && commands.any(|at| asked_by(&terms, &script, at).is_some())
        {
            script.push(Command::CheckSat);
        }
        let queries = script.queries();
        let unsure = queries.iter();
        let unsure = unsure.map(|query| may_ask_otherwise(&terms, &script, query));
        Some(Candidate {
            unsure: unsure.collect(),
            terms,
            script,
            queries,
            worths: FxHashMap::default(),
            demanding: false,
        })
    }

    /// For a solver with partial functions, such as dReal: a model is valid only if every part has a value.
    pub fn demanding(mut self, demanding: bool) -> Candidate {
        self.demanding = demanding;
        self.worths.clear();
        self
    }

    /// The number of queries.
    pub fn queries(&self) -> usize {
        self.queries.len()
    }

    /// The decidable queries.
    pub fn decidable(&self) -> Vec<usize> {
        let queries = self.queries.iter().enumerate();
        let decidable = queries.filter(|(_, query)| is_decidable(&self.terms, &self.script, query));
        decidable.map(|(number, _)| number).collect()
    }

    /// Whether a model makes all assertions of one of these queries true.
    pub fn holds(&mut self, model: &str, queries: &[usize]) -> bool {
        let mut numbers = queries.iter();
        numbers.any(|number| self.worth(model, *number) == Some(Worth::Valid))
    }

    /// Whether a model makes the assertions of every query true.
    pub fn holds_everywhere(&mut self, model: &str) -> bool {
        let mut numbers = 0..self.queries();
        self.queries() > 0 && numbers.all(|number| self.worth(model, number) == Some(Worth::Valid))
    }

    /// Validates a model; none if it cannot be read or there is no such query.
    pub fn worth(&mut self, model: &str, number: usize) -> Option<Worth> {
        let key = (model.to_string(), number);
        if let Some(known) = self.worths.get(&key) {
            return *known;
        }
        let worth = self.weigh(model, number);
        self.worths.insert(key, worth);
        worth
    }

    fn weigh(&mut self, model: &str, number: usize) -> Option<Worth> {
        let query = self.queries.get(number)?;
        if self.unsure[number] {
            return Some(Worth::Open);
        }
        let mark = self.terms.mark();
        let model = read_model(&mut self.terms, &self.script, model).ok();
        let worth = model.map(|model| match validate(&self.terms, &model, query) {
            ModelVerdict::Valid if self.demanding && !is_defined(&self.terms, &model, query) => {
                Worth::Open
            }
            ModelVerdict::Valid => Worth::Valid,
            ModelVerdict::Invalid { .. } => Worth::Invalid,
            ModelVerdict::Undetermined { .. } => Worth::Open,
        });
        self.terms.release(mark);
        worth
    }

    /// The judge's verdicts on runs, given a model that satisfies the script, if there is one.
    pub fn verdicts(
        &mut self,
        judge: &mut Judge<'_>,
        witness: Option<&str>,
        runs: &[SolverRun],
    ) -> Vec<Unconfirmed> {
        let model = witness.and_then(|text| read_model(&mut self.terms, &self.script, text).ok());
        let evidence = match model {
            Some(model) => Evidence::Witness(Box::new(model)),
            None => Evidence::NoneKnown,
        };
        let case = Case {
            script: self.script.clone(),
            evidence: vec![evidence; self.queries.len()],
            origin: Origin::default(),
        };
        judge.verdicts(&mut self.terms, &case, runs)
    }

    /// Whether a model has a value for every symbol that the script declares.
    pub fn is_complete(&mut self, model: &str) -> bool {
        let model = read_model(&mut self.terms, &self.script, model);
        let mut declared = self.script.declared();
        model.is_ok_and(|model| declared.all(|fun| model.interpretation(fun).is_some()))
    }

    /// A model as definitions of exactly the symbols that the script declares. Those it omits get values that make the
    /// assertions of a query true, or the evaluator's default values.
    pub fn definitions(&mut self, model: &str, number: usize) -> Option<String> {
        let mut model = read_model(&mut self.terms, &self.script, model).ok()?;
        if let Some(query) = self.queries.get(number) {
            for (fun, value) in omitted_values(&self.terms, &model, query) {
                model.set_value(fun, value);
            }
        }
        for fun in self.script.declared() {
            let declaration = self.terms.fun(fun);
            if declaration.params.is_empty()
                && model.interpretation(fun).is_none()
                && let Some(value) = model.default_value(&self.terms, declaration.result)
            {
                model.set_value(fun, value);
            }
        }
        Some(witness_text(&mut self.terms, &self.script, &model))
    }

    /// The operators outside of the core theory, by name, in the order of their first use.
    pub fn operators(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for root in self.script.roots() {
            for term in post_order(&self.terms, root) {
                let Head::Op(op) = self.terms.head(term) else {
                    continue;
                };
                let row = self.terms.op(op);
                if row.theory != Theory::Core && !names.contains(&row.name.to_string()) {
                    names.push(row.name.to_string());
                }
            }
        }
        names
    }

    /// Whether one of the simplest values of all symbols satisfies every query.
    pub fn holds_by_default(&self) -> bool {
        let model = Model::with_definitions(&self.script);
        let mut verdicts = self.queries.iter();
        verdicts.all(|query| validate(&self.terms, &model, query) == ModelVerdict::Valid)
    }

    /// The queries with an assertion that is false in every model.
    pub fn false_queries(&self) -> Vec<usize> {
        let all = 0..self.queries.len();
        all.filter(|number| self.is_false(*number)).collect()
    }

    /// Whether an assertion of a query is false in every model, by itself or with values that others force.
    pub fn is_false(&self, number: usize) -> bool {
        let query = self.queries.get(number).filter(|_| !self.unsure[number]);
        query.is_some_and(|query| refuted_part(&self.terms, &self.script, query).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Candidate {
        Candidate::read(text).expect("well-formed")
    }

    #[test]
    fn nothing_is_said_after_a_command_that_may_change_the_question() {
        let mut candidate = read("(assert true)(check-sat)(block-model :values)(check-sat)");
        assert_eq!(candidate.worth("()", 0), Some(Worth::Valid));
        assert_eq!(candidate.worth("()", 1), Some(Worth::Open));
        let mut candidate = read("(assert true)(check-sat)(get-proof)(echo \"x\")(check-sat)");
        assert_eq!(candidate.worth("()", 1), Some(Worth::Valid));
    }

    #[test]
    fn tells_what_a_model_is_worth() {
        let mut candidate = read("(declare-const x Int)(assert (< x 3))(check-sat)");
        let model = |n: i64| format!("((define-fun x () Int {n}))");
        assert_eq!(candidate.worth(&model(2), 0), Some(Worth::Valid));
        assert_eq!(candidate.worth(&model(3), 0), Some(Worth::Invalid));
        assert_eq!(candidate.worth(&model(2), 1), None);
        assert_eq!(candidate.worth("no model", 0), None);
    }

    #[test]
    fn a_part_without_a_value_is_no_model_where_functions_are_partial() {
        let text = "(declare-const x Real)(assert (or (= x 1.0) (= (/ 1.0 0.0) x)))(check-sat)";
        let model = "((define-fun x () Real 1.0))";
        assert_eq!(read(text).worth(model, 0), Some(Worth::Valid));
        let mut demanding = read(text).demanding(true);
        assert_eq!(demanding.worth(model, 0), Some(Worth::Open));
    }

    #[test]
    fn decides_by_evaluation_what_no_symbol_can_change() {
        assert!(read("(declare-const x Int)(assert (and (= x x) (= 1 2)))(check-sat)").is_false(0));
        assert!(!read("(declare-const x Int)(assert (= x 2))(check-sat)").is_false(0));
        assert!(read("(declare-const x Int)(assert (< x 2))(check-sat)").holds_by_default());
        assert!(!read("(declare-const x Int)(assert (< x x))(check-sat)").holds_by_default());
    }

    #[test]
    fn writes_a_model_of_another_script_for_this_one() {
        let mut candidate = read("(declare-const x Int)(declare-const p Bool)(check-sat)");
        let model = "((define-fun x () Int 7)(define-fun gone () Int 8))";
        let text = candidate.definitions(model, 0).unwrap();
        assert_eq!(
            text,
            "(\n(define-fun x () Int 7)\n(define-fun p () Bool false)\n)\n"
        );
        assert!(candidate.is_complete(&text) && !candidate.is_complete(model));
        assert_eq!(candidate.definitions("no model", 0), None);
        let mut candidate = read("(declare-const y Int)(assert (> y 1))(check-sat)");
        let text = candidate.definitions(model, 0).unwrap();
        assert_eq!(candidate.worth(&text, 0), Some(Worth::Valid), "{text}");
    }

    #[test]
    fn names_its_operators() {
        let text = "(declare-const x Int)(assert (and (= (mod x 2) 1) (< x (mod 7 x))))(check-sat)";
        assert_eq!(read(text).operators(), ["mod", "<"]);
        assert!(
            read("(declare-const p Bool)(assert (or p p))")
                .operators()
                .is_empty()
        );
    }

    #[test]
    fn a_tactic_asks_the_same_question() {
        assert_eq!(read("(assert true)(check-sat-using smt)").queries(), 1);
        assert_eq!(read("(assert true)(get-model)").queries(), 0);
    }
}
