//! Proves rules twice: by evaluation, on all assignments of small domains and samples of large ones, and by solvers,
//! whose queries must be unsatisfiable. The solvers' part runs as a test; the files `tables/*.proved` record the
//! solvers that proved a rule, and a rule without a record is never used for a verdict.

use super::claim::{Claim, Instance};
use super::domain::{domain, regexes};
use super::record::Record;
use super::{Monotone, Rule};
use crate::corner::corner_values;
use crate::draw::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::Interpretation;
use auspex_logic::render::{self, Sharing};
use auspex_logic::value::cardinality;
use auspex_logic::{
    Assertion, Command, Fun, Model, Script, Sort, TermId, Terms, Theory, Value, read_script,
};
use rustc_hash::FxHashMap;

/// The result of evaluation on small domains.
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

/// The most assignments of each instance; if there are more, a random sample of this size is tried.
const MOST: usize = 20_000;
/// Corner values that are tried in addition to a small domain.
const CORNERS: usize = 12;

impl Rule {
    /// The solvers that proved it, as recorded; evaluation proves every rule.
    pub fn provers(&self) -> &'static [&'static str] {
        provers(
            self.theory,
            &format!("{} {}", self.used_as.name(), self.name),
        )
    }

    /// Whether the rule may be used for a verdict: a solver must have proved it, in addition to evaluation, which a
    /// test requires for every rule. Two solvers proved nearly all rules; some are too hard for one solver or not
    /// supported by it.
    pub fn is_proved(&self) -> bool {
        !self.provers().is_empty()
    }
}

impl Monotone {
    /// The solvers that proved it, as recorded.
    pub fn provers(&self) -> &'static [&'static str] {
        provers(self.theory, &self.title())
    }

    pub fn is_proved(&self) -> bool {
        !self.provers().is_empty()
    }
}

fn provers(theory: Theory, title: &str) -> &'static [&'static str] {
    Record::of(theory).provers(title)
}

impl Claim {
    /// Evaluates all small instances; stops at the first counterexample.
    pub fn check(&self) -> Evaluation {
        self.check_with(MOST)
    }

    /// The same with a limit of assignments for each instance.
    pub fn check_with(&self, most: usize) -> Evaluation {
        let mut all = Evaluation {
            exhaustive: true,
            ..Evaluation::default()
        };
        for mut instance in self.small_instances() {
            let one = instance.check_with(most);
            all.exhaustive &= one.exhaustive;
            all.held += one.held;
            all.open += one.open;
            all.counterexample = one.counterexample;
            if all.counterexample.is_some() {
                break;
            }
        }
        all
    }

    /// The scripts that a solver must find unsatisfiable.
    pub fn queries(&self) -> Vec<String> {
        self.large_instances().flat_map(Instance::queries).collect()
    }
}

impl Instance {
    pub fn check(&mut self) -> Evaluation {
        self.check_with(MOST)
    }

    fn check_with(&mut self, most: usize) -> Evaluation {
        let constants: Vec<Fun> = self.script.declared().collect();
        let mut domains = Vec::with_capacity(constants.len());
        let mut exhaustive = true;
        for fun in constants {
            let (values, is_complete) = interpretations(&mut self.terms, fun);
            exhaustive &= is_complete;
            domains.push((fun, values));
        }
        let total = domains
            .iter()
            .fold(1usize, |n, (_, values)| n.saturating_mul(values.len()));
        let mut result = Evaluation {
            exhaustive: exhaustive && total <= most,
            ..Evaluation::default()
        };
        let mut draw = Draw::new(0x7072_6f6f, total as u64);
        for turn in 0..total.min(most) {
            let number = if total <= most {
                turn
            } else {
                draw.index(total)
            };
            let model = model_number(&domains, number);
            match self.value(&model) {
                Some(true) => result.held += 1,
                None => result.open += 1,
                Some(false) => {
                    result.counterexample = Some(self.shown(&domains, number));
                    return result;
                }
            }
        }
        result
    }

    /// Whether the premises imply the conclusion under a model; none if undetermined.
    fn value(&self, model: &Model) -> Option<bool> {
        let mut evaluator = Evaluator::new(&self.terms, model);
        let mut is_open = false;
        for premise in &self.premises {
            match evaluator.value(*premise) {
                Ok(Value::Bool(false)) => return Some(true),
                Ok(_) => {}
                Err(_) => is_open = true,
            }
        }
        match evaluator.value(self.conclusion) {
            Ok(Value::Bool(true)) => Some(true),
            Ok(_) if !is_open => Some(false),
            _ => None,
        }
    }

    fn shown(&self, domains: &[(Fun, Vec<Interpretation>)], mut number: usize) -> String {
        let mut text = String::new();
        for (fun, values) in domains {
            let name = self.terms.symbols.name(self.terms.fun(*fun).name);
            text.push_str(&format!("{name} = {:?}; ", values[number % values.len()]));
            number /= values.len();
        }
        let formulas = self.premises.iter().chain([&self.conclusion]);
        let formulas = formulas.map(|term| render::term(&self.terms, *term, Sharing::Expanded));
        text + &formulas.collect::<Vec<_>>().join(" ")
    }

    /// The scripts that a solver must find unsatisfiable: the claim itself, or its lemma and then what is left to show.
    /// Variables for regular expressions, which solvers do not take, are replaced by regular expressions.
    fn queries(mut self) -> Vec<String> {
        let all = self.regex_choices();
        let mut queries = Vec::new();
        for map in all {
            match self.lemma {
                None => queries.extend(self.query(&map, None, self.conclusion)),
                Some(lemma) => {
                    queries.extend(self.query(&map, None, lemma));
                    queries.extend(self.query(&map, Some(lemma), self.conclusion));
                }
            }
        }
        queries
    }

    /// Regular expressions for the variables of that sort, in all combinations.
    fn regex_choices(&mut self) -> Vec<FxHashMap<TermId, TermId>> {
        let samples: Vec<TermId> = regexes()
            .iter()
            .skip(1)
            .step_by(2)
            .copied()
            .collect::<Vec<_>>()
            .into_iter()
            .filter_map(|text| regex(&mut self.terms, text))
            .collect();
        let mut all = vec![FxHashMap::default()];
        let constants: Vec<Fun> = self.script.declared().collect();
        for fun in constants {
            if self.terms.fun(fun).result != Sort::REG_LAN {
                continue;
            }
            let Ok(constant) = self.terms.fun_app(fun, &[]) else {
                continue;
            };
            let with = |map: &FxHashMap<TermId, TermId>, sample: TermId| {
                let mut map = map.clone();
                map.insert(constant, sample);
                map
            };
            let varied = all
                .iter()
                .flat_map(|map| samples.iter().map(|sample| with(map, *sample)));
            all = varied.collect();
        }
        all
    }

    fn query(
        &mut self,
        map: &FxHashMap<TermId, TermId>,
        lemma: Option<TermId>,
        conclusion: TermId,
    ) -> Option<String> {
        let mut script = Script::default();
        for command in &self.script.commands {
            match command {
                Command::DeclareFun(fun) if self.terms.fun(*fun).result == Sort::REG_LAN => {}
                other => script.push(other.clone()),
            }
        }
        let negation = self.terms.app("not", &[conclusion]).ok()?;
        let premises = self.premises.iter().copied().chain(lemma);
        for formula in premises.chain([negation]) {
            let term = self.terms.replace_all(formula, map);
            script.push(Command::Assert(Assertion { term, name: None }));
        }
        script.push(Command::CheckSat);
        let text = render::script(&self.terms, &script, Sharing::Auto);
        Some(format!("(set-logic ALL)\n{text}"))
    }
}

fn regex(terms: &mut Terms, text: &str) -> Option<TermId> {
    let script = format!("(assert (str.in_re \"\" {text}))");
    let script = read_script(terms, &script).ok()?.script;
    Some(terms.args(*script.roots().first()?)[1])
}

/// Values for a constant, and whether these are all; for a function, some tables.
fn interpretations(terms: &mut Terms, fun: Fun) -> (Vec<Interpretation>, bool) {
    let decl = terms.fun(fun).clone();
    let results = values(terms, decl.result);
    let Some(param) = decl.params.first() else {
        let count = cardinality(&terms.sorts, decl.result);
        let is_complete = count == Some(results.len() as u128);
        let constants = results.into_iter().map(Interpretation::Value);
        return (constants.collect(), is_complete);
    };
    let arguments = values(terms, *param);
    let table = |step: usize| {
        let entry = |(at, argument): (usize, &Value)| {
            let result = results[at * step % results.len()].clone();
            (vec![argument.clone()], result)
        };
        let rows = arguments.iter().enumerate().map(entry).collect();
        Interpretation::Table(rows, results.first().cloned())
    };
    match results.is_empty() {
        true => (Vec::new(), false),
        false => (vec![table(0), table(1)], false),
    }
}

/// All values of a small sort, else typical ones.
fn values(terms: &mut Terms, sort: Sort) -> Vec<Value> {
    let mut values = domain(terms, sort).unwrap_or_default();
    if cardinality(&terms.sorts, sort) == Some(values.len() as u128) {
        return values;
    }
    let corners = corner_values(&terms.sorts, sort);
    let count = if values.is_empty() {
        2 * CORNERS
    } else {
        CORNERS
    };
    for value in corners.into_iter().take(count) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

fn model_number(domains: &[(Fun, Vec<Interpretation>)], mut number: usize) -> Model {
    let mut model = Model::default();
    for (fun, values) in domains {
        model.set(*fun, values[number % values.len()].clone());
        number /= values.len();
    }
    model
}

#[cfg(test)]
mod tests {
    use super::super::table::read_rule;
    use super::super::{approximations, fusions, laws, monotone};
    use super::*;
    use auspex_logic::theory::SolverSet;

    fn inverses() -> impl Iterator<Item = &'static Rule> {
        fusions().iter().flat_map(|fusion| &fusion.inverses)
    }

    fn rules() -> impl Iterator<Item = &'static Rule> {
        laws().iter().chain(approximations()).chain(inverses())
    }

    #[test]
    fn evaluation_confirms_every_rule() {
        for rule in rules() {
            let checked = rule.claim().check();
            assert_eq!(checked.counterexample, None, "{} is false", rule.name);
            assert!(
                checked.held > 0 || rule.has_quantifier(),
                "{}: {checked:?}",
                rule.name
            );
        }
    }

    #[test]
    fn evaluation_confirms_every_monotone_argument() {
        for row in monotone() {
            let checked = row.claim().check();
            assert_eq!(checked.counterexample, None, "{} is false", row.title());
            assert!(checked.held > 0, "{}: {checked:?}", row.title());
        }
    }

    #[test]
    fn inverses_are_determined_everywhere() {
        for rule in inverses() {
            let checked = rule.claim().check();
            assert!(
                checked.open == 0 && checked.held > 3,
                "{}: {checked:?}",
                rule.name
            );
        }
    }

    #[test]
    fn refutes_the_published_errors() {
        let wrong = [
            // Becker's table 2 multiplies by 2^m, and its recursion for bvor does not shorten the operands.
            "(law a ((s (_ BitVec m)) (t (_ BitVec n))) \
             (= (concat s t) ((_ int2bv m+n) (+ (* (bv2nat s) 2^m) (bv2nat t)))) :sizes (1<=m 1<=n))",
            // Sparrow's table 2 takes a suffix for something smaller.
            "(law b ((s String) (t String)) (<=> (=> (str.suffixof s t) (str.<= s t)) true))",
            "(approximation c ((x String) (y String)) (=> (str.suffixof x y) (str.<= x y)))",
            "(approximation d ((x String) (y String)) (=> (str.contains x y) (str.<= y x)))",
            "(approximation e ((x String) (y String) (a String)) (=> (and (str.suffixof x a) \
             (str.prefixof x a) (str.suffixof y a) (str.prefixof y a)) (= x y)))",
            "(approximation f ((x (_ BitVec n)) (y (_ BitVec n))) (=> (bvsgt x y) (bvsle x y)))",
            "(approximation g ((x (_ FloatingPoint e s)) (y (_ FloatingPoint e s))) \
             (=> (= x y) (fp.leq x y)))",
        ];
        for text in wrong {
            let rule = read_rule(text, Theory::Strings).unwrap_or_else(|| panic!("{text}"));
            assert!(rule.claim().check().counterexample.is_some(), "{text}");
        }
    }

    #[test]
    fn every_rule_is_recorded_as_proved() {
        let open: Vec<&str> = rules()
            .filter(|rule| !rule.is_proved())
            .map(|rule| rule.name.as_str())
            .collect();
        assert_eq!(open, [""; 0], "record a proof, or drop these");
        let arguments = monotone().iter().filter(|row| !row.is_proved());
        assert_eq!(arguments.map(Monotone::title).collect::<Vec<_>>(), [""; 0]);
        let both = SolverSet::Z3.union(SolverSet::CVC5);
        let possible = laws().iter().filter(|rule| rule.known_to().includes(both));
        let twice = laws()
            .iter()
            .filter(|rule| rule.provers().len() >= 2)
            .count();
        assert!(twice * 100 >= possible.count() * 95, "{twice}");
    }

    fn queries(row: &str) -> Vec<String> {
        let rule = read_rule(row, Theory::Core).unwrap_or_else(|| panic!("{row}"));
        rule.claim().queries()
    }

    #[test]
    fn queries_deny_the_claim() {
        let all = queries(
            "(law a ((s (_ BitVec m)) (t (_ BitVec m))) (= (bvsub s t) (bvadd s (bvneg t))))",
        );
        assert_eq!(all.len(), 8);
        assert!(all[0].contains("(assert (not (= (bvsub s t) (bvadd s (bvneg t)))))"));
    }

    #[test]
    fn queries_have_no_regular_expression_variables() {
        let all = queries("(approximation a ((r RegLan)) (language r (re.* r)))");
        assert!(all.len() > 1);
        assert!(all.iter().all(|query| !query.contains("RegLan")));
    }

    #[test]
    fn a_lemma_is_a_query_of_its_own() {
        let all = queries("(approximation a ((x Int)) (=> (< x 1) (< x 3)) :lemma (< x 2))");
        assert!(all[0].contains("(assert (not (< x 2)))"), "{}", all[0]);
        assert!(
            all[1].contains("(assert (< x 2))\n(assert (not (=> (< x 1) (< x 3))))"),
            "{}",
            all[1]
        );
    }
}
