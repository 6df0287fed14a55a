//! Claims: for all values of some variables, the premises imply the conclusion.
//! A claim is checked by evaluation on small domains, and asked of solvers as the negation to be found unsatisfiable.
//! Its sorts may have parameters: `X`, `Y`, `Z` any sorts, `N` `Int` or `Real`, `n`, `m`, `e`, `s`, `k`, `l` numbers.

use super::domain::{domain, regexes};
use auspex_logic::eval::Evaluator;
use auspex_logic::model::Interpretation;
use auspex_logic::render::{self, Sharing};
use auspex_logic::value::cardinality;
use auspex_logic::{Command, Fun, Model, Script, TermId, Terms, Value, read_script};
use std::collections::HashMap;

/// For all values of the variables, the premises imply the conclusion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub title: String,
    /// Declarations that the formulas need besides the variables.
    pub prelude: String,
    /// Names with sorts.
    pub variables: Vec<(String, String)>,
    pub premises: Vec<String>,
    /// A step for solvers: they are asked whether it follows, and then for the conclusion with it as a premise.
    pub lemma: Option<String>,
    pub conclusion: String,
}

/// What evaluation on small domains found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluation {
    /// Whether all values of all sorts were tried.
    pub exhaustive: bool,
    /// Assignments under which the claim was true.
    pub held: usize,
    /// Assignments under which it has no determined value.
    pub open: usize,
    /// An assignment under which it is false.
    pub counterexample: Option<String>,
}

/// What parameters stand for in evaluation: small enough to try everything.
const SMALL: Choices = Choices {
    sorts: &["Bool", "Int", "(_ BitVec 2)"],
    numbers: &["Int", "Real"],
    widths: &["1", "2", "3"],
    formats: &[("2", "2"), ("2", "3")],
    counts: &["0", "1", "2"],
};

/// What parameters stand for in queries to solvers.
const LARGE: Choices = Choices {
    sorts: &["Int", "(_ BitVec 4)"],
    numbers: &["Int", "Real"],
    widths: &["1", "2", "3", "4", "5", "6", "7", "8"],
    formats: &[("2", "3"), ("3", "5")],
    counts: &["1", "3"],
};

/// Assignments tried of each instance.
const MOST: usize = 20_000;

struct Choices {
    sorts: &'static [&'static str],
    numbers: &'static [&'static str],
    widths: &'static [&'static str],
    formats: &'static [(&'static str, &'static str)],
    counts: &'static [&'static str],
}

impl Claim {
    /// The instances that evaluation tries.
    pub fn small_instances(&self) -> Vec<Claim> {
        self.instances(&SMALL)
    }

    /// The scripts that a solver must find unsatisfiable. Variables for regular expressions, which solvers do not
    /// take, are replaced by regular expressions.
    pub fn queries(&self) -> Vec<String> {
        let instances = self.instances(&LARGE);
        let closed = instances.iter().flat_map(Claim::without_regex_variables);
        closed
            .flat_map(Claim::steps)
            .map(|claim| claim.script())
            .collect()
    }

    /// The claim itself, or its lemma and then what is left to show.
    fn steps(self) -> Vec<Claim> {
        let Some(lemma) = &self.lemma else {
            return vec![self];
        };
        let first = Claim {
            conclusion: lemma.clone(),
            ..self.clone()
        };
        let mut second = self.clone();
        second.premises.push(lemma.clone());
        vec![first, second]
    }

    /// Evaluates all small instances: on all assignments where there are not too many, else on a sample of them.
    /// Ends at the first counterexample.
    pub fn check(&self) -> Result<Evaluation, String> {
        let mut all = Evaluation {
            exhaustive: true,
            ..Evaluation::default()
        };
        for instance in self.small_instances() {
            let one = instance.evaluate(MOST)?;
            all.exhaustive &= one.exhaustive;
            all.held += one.held;
            all.open += one.open;
            all.counterexample = one.counterexample;
            if all.counterexample.is_some() {
                break;
            }
        }
        Ok(all)
    }

    fn instances(&self, choices: &Choices) -> Vec<Claim> {
        let claims = super::constructors::instances(self);
        let claims = claims.iter();
        claims.flat_map(|claim| claim.sorted(choices)).collect()
    }

    /// With sorts and numbers for the parameters.
    fn sorted(&self, choices: &Choices) -> Vec<Claim> {
        let used = self.parameters();
        let mut all: Vec<HashMap<&str, &str>> = vec![HashMap::new()];
        let vary = |all: &mut Vec<HashMap<&'static str, &'static str>>,
                    name: &'static str,
                    values: &[&'static str]| {
            if used.iter().any(|u| u == name) {
                *all = all
                    .iter()
                    .flat_map(|map| {
                        values.iter().map(|value| {
                            let mut map = map.clone();
                            map.insert(name, *value);
                            map
                        })
                    })
                    .collect();
            }
        };
        vary(&mut all, "X", choices.sorts);
        vary(&mut all, "Y", &choices.sorts[..2]);
        vary(&mut all, "Z", &choices.sorts[..1]);
        vary(&mut all, "N", choices.numbers);
        vary(&mut all, "n", choices.widths);
        vary(&mut all, "m", &choices.widths[..2]);
        vary(&mut all, "k", choices.counts);
        vary(&mut all, "l", choices.counts);
        let formats = used.iter().any(|u| u == "e");
        let with_format = |map: &HashMap<&'static str, &'static str>,
                           (e, s): &(&'static str, &'static str)| {
            let mut map = map.clone();
            map.extend([("e", *e), ("s", *s)]);
            map
        };
        if formats {
            let formats = |map| choices.formats.iter().map(move |f| with_format(map, f));
            all = all.iter().flat_map(formats).collect();
        }
        all.iter().map(|map| self.substitute(map)).collect()
    }

    /// The parameters in sorts and indices that are not names of variables.
    fn parameters(&self) -> Vec<String> {
        const ALL: [&str; 10] = ["X", "Y", "Z", "N", "n", "m", "e", "s", "k", "l"];
        let is_variable = |name: &str| self.variables.iter().any(|(v, _)| v == name);
        let sorts = self.variables.iter().map(|(_, sort)| sort);
        let texts: Vec<&String> = sorts.chain([&self.conclusion, &self.prelude]).collect();
        ALL.into_iter()
            .filter(|name| !is_variable(name))
            .filter(|name| texts.iter().any(|text| tokens(text).any(|t| t == *name)))
            .map(str::to_string)
            .collect()
    }

    fn substitute(&self, map: &HashMap<&str, &str>) -> Claim {
        let change = |text: &String| replace_tokens(text, map);
        let mut title = self.title.clone();
        let mut parameters: Vec<_> = map.iter().collect();
        parameters.sort();
        for (name, value) in parameters {
            title.push_str(&format!(" {name}={value}"));
        }
        Claim {
            title,
            prelude: change(&self.prelude),
            variables: self
                .variables
                .iter()
                .map(|(n, s)| (n.clone(), change(s)))
                .collect(),
            premises: self.premises.iter().map(change).collect(),
            lemma: self.lemma.as_ref().map(change),
            conclusion: change(&self.conclusion),
        }
    }

    fn without_regex_variables(&self) -> Vec<Claim> {
        let Some(at) = self.variables.iter().position(|(_, sort)| sort == "RegLan") else {
            return vec![self.clone()];
        };
        let name = self.variables[at].0.clone();
        let replaced = regexes().iter().skip(1).step_by(2).map(|regex| {
            let mut claim = self.clone();
            claim.variables.remove(at);
            claim.substitute(&HashMap::from([(name.as_str(), *regex)]))
        });
        replaced
            .flat_map(|claim| claim.without_regex_variables())
            .collect()
    }

    /// A script that is satisfiable exactly if the claim is false.
    pub fn script(&self) -> String {
        let mut text = format!("(set-logic ALL)\n{}", self.prelude);
        for (name, sort) in &self.variables {
            text.push_str(&format!("(declare-const {name} {sort})\n"));
        }
        for premise in &self.premises {
            text.push_str(&format!("(assert {premise})\n"));
        }
        text.push_str(&format!(
            "(assert (not {}))\n(check-sat)\n",
            self.conclusion
        ));
        text
    }

    /// Evaluates the claim for every choice of values from small domains, at most `most` of them.
    pub fn evaluate(&self, most: usize) -> Result<Evaluation, String> {
        let mut terms = Terms::new();
        let reading =
            read_script(&mut terms, &self.script()).map_err(|error| format!("{error:?}"))?;
        if let Some((_, issue)) = reading.issues.first() {
            return Err(format!("{}: {}", self.title, issue.message()));
        }
        let script = reading.script;
        let domains: Option<Vec<(Fun, Vec<Interpretation>)>> = script
            .declared()
            .map(|fun| Some((fun, interpretations(&mut terms, fun)?)))
            .collect();
        let domains = domains.ok_or_else(|| format!("{}: no values for a variable", self.title))?;
        let complete = |(fun, values): &(Fun, Vec<Interpretation>)| {
            let decl = terms.fun(*fun);
            let count = cardinality(&terms.sorts, decl.result);
            decl.params.is_empty() && count == Some(values.len() as u128)
        };
        let complete = domains.iter().all(complete);
        let mut result = try_all(&terms, &script, &domains, most);
        result.exhaustive &= complete;
        Ok(result)
    }
}

/// Values for a constant; for a function, some tables.
fn interpretations(terms: &mut Terms, fun: Fun) -> Option<Vec<Interpretation>> {
    let decl = terms.fun(fun).clone();
    let results = domain(terms, decl.result)?;
    let Some(param) = decl.params.first() else {
        return Some(results.into_iter().map(Interpretation::Value).collect());
    };
    let arguments = domain(terms, *param)?;
    let table = |step: usize| {
        let entry = |(at, argument): (usize, &Value)| {
            (
                vec![argument.clone()],
                results[at * step % results.len()].clone(),
            )
        };
        let rows = arguments.iter().enumerate().map(entry).collect();
        Interpretation::Table(rows, Some(results[0].clone()))
    };
    Some(vec![table(0), table(1)])
}

fn try_all(
    terms: &Terms,
    script: &Script,
    domains: &[(Fun, Vec<Interpretation>)],
    most: usize,
) -> Evaluation {
    let total = domains
        .iter()
        .fold(1usize, |n, (_, values)| n.saturating_mul(values.len()));
    // A step that shares no factor with the sizes visits the domains evenly.
    let step = total.div_ceil(most.max(1)) | 1;
    let assertions: Vec<TermId> = script.assertions().map(|a| a.term).collect();
    let mut result = Evaluation {
        exhaustive: step == 1,
        ..Evaluation::default()
    };
    for number in (0..total).step_by(step) {
        let model = model_number(domains, number);
        match all_true(terms, &model, &assertions) {
            Some(false) => result.held += 1,
            None => result.open += 1,
            Some(true) => {
                result.counterexample = Some(shown(terms, script, domains, number));
                return result;
            }
        }
    }
    result
}

fn model_number(domains: &[(Fun, Vec<Interpretation>)], mut number: usize) -> Model {
    let mut model = Model::default();
    for (fun, values) in domains {
        model.set(*fun, values[number % values.len()].clone());
        number /= values.len();
    }
    model
}

/// Whether all assertions are true; `None` if that is not determined.
fn all_true(terms: &Terms, model: &Model, assertions: &[TermId]) -> Option<bool> {
    let mut evaluator = Evaluator::new(terms, model);
    let mut open = false;
    for assertion in assertions {
        match evaluator.value(*assertion) {
            Ok(Value::Bool(false)) => return Some(false),
            Ok(_) => {}
            Err(_) => open = true,
        }
    }
    if open { None } else { Some(true) }
}

fn shown(
    terms: &Terms,
    script: &Script,
    domains: &[(Fun, Vec<Interpretation>)],
    mut number: usize,
) -> String {
    let mut text = String::new();
    for (fun, values) in domains {
        let name = terms.symbols.name(terms.fun(*fun).name);
        text.push_str(&format!("{name} = {:?}; ", values[number % values.len()]));
        number /= values.len();
    }
    let formulas = script.commands.iter().filter_map(|command| match command {
        Command::Assert(assertion) => Some(render::term(terms, assertion.term, Sharing::Expanded)),
        _ => None,
    });
    text + &formulas.collect::<Vec<_>>().join(" ")
}

/// The symbols, numerals and keywords of a text, without strings.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let outside = text.split('"').step_by(2);
    outside.flat_map(|part| part.split([' ', '\n', '(', ')']).filter(|t| !t.is_empty()))
}

fn replace_tokens(text: &str, map: &HashMap<&str, &str>) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, part) in text.split('"').enumerate() {
        if number > 0 {
            out.push('"');
        }
        if number % 2 == 1 {
            out.push_str(part);
            continue;
        }
        let mut rest = part;
        while !rest.is_empty() {
            let end = rest.find([' ', '\n', '(', ')']).unwrap_or(rest.len());
            let token = &rest[..end];
            out.push_str(map.get(token).unwrap_or(&token));
            let after = rest[end..].chars().next().map_or(0, char::len_utf8);
            out.push_str(&rest[end..end + after]);
            rest = &rest[end + after..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(variables: &[(&str, &str)], conclusion: &str) -> Claim {
        Claim {
            title: "claim".into(),
            prelude: String::new(),
            variables: variables
                .iter()
                .map(|(n, s)| (n.to_string(), s.to_string()))
                .collect(),
            premises: Vec::new(),
            lemma: None,
            conclusion: conclusion.into(),
        }
    }

    #[test]
    fn true_claims_hold() {
        let claim = claim(
            &[("x", "(_ BitVec n)"), ("y", "(_ BitVec n)")],
            "(bvule (bvand x y) x)",
        );
        assert_eq!(claim.small_instances().len(), 3);
        for instance in claim.small_instances() {
            let result = instance.evaluate(1000).expect("well-formed");
            assert_eq!((result.open, result.counterexample), (0, None));
            assert!(result.held >= 4);
        }
    }

    #[test]
    fn false_claims_have_counterexamples() {
        // The erratum of the paper: "b" is a suffix of "ab" and not before it.
        let claim = claim(
            &[("x", "String"), ("y", "String")],
            "(=> (str.suffixof x y) (str.<= x y))",
        );
        let result = claim.evaluate(10_000).expect("well-formed");
        assert!(result.counterexample.is_some());
    }

    #[test]
    fn queries_have_no_regular_expression_variables() {
        let claim = claim(
            &[("r", "RegLan"), ("w", "String")],
            "(=> (str.in_re w r) (str.in_re w (re.* r)))",
        );
        assert!(claim.queries().len() > 1);
        assert!(claim.queries().iter().all(|q| !q.contains("RegLan")));
    }

    #[test]
    fn a_lemma_is_a_query_of_its_own() {
        let mut claim = claim(&[("x", "Int")], "(< x 3)");
        claim.lemma = Some("(< x 2)".into());
        let queries = claim.queries();
        assert!(queries[0].contains("(assert (not (< x 2)))"));
        assert!(queries[1].contains("(assert (< x 2))\n(assert (not (< x 3)))"));
    }

    #[test]
    fn strings_are_no_tokens() {
        let map = HashMap::from([("n", "4")]);
        assert_eq!(
            replace_tokens(r#"(f n "n" (_ BitVec n))"#, &map),
            r#"(f 4 "n" (_ BitVec 4))"#
        );
    }
}
