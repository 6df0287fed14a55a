//! Proves rules twice: by evaluation, on every assignment of small domains and samples of large ones, and by
//! solvers, to which a query goes that must be unsatisfiable. The solvers' part runs as a test of the program;
//! `proved.txt` records which of them proved a rule, and a rule without record is never used for a verdict.

use super::record::Record;
use super::{Compiled, Kind, Parameters};
use crate::draw::Draw;
use crate::strategy::construct::corner_values;
use auspex_logic::eval::Evaluator;
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::value::{Int, Rat, Str, array, cardinality};
use auspex_logic::{
    Assertion, Command, Fun, Model, OpTable, Script, Sort, TermId, Terms, Value, read_script,
};
use std::sync::LazyLock;

/// A rule with numbers and sorts for its letters and constants for its variables.
pub struct Instance {
    pub parameters: Parameters,
    pub constants: Vec<Fun>,
    /// The formula that must hold for all values of the constants.
    pub claim: TermId,
}

/// What evaluation says about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Assignments under which the claim is true.
    pub confirmed: u64,
    /// Assignments under which it is not determined.
    pub open: u64,
    /// Whether every instance was tried on all values of its sorts.
    pub exhaustive: bool,
    /// A script that shows the rule false.
    pub refuted: Option<String>,
}

/// The most assignments tried for one instance; beyond that, as many are drawn.
const MOST: u64 = 4096;
/// Domains up to this size are listed in full.
const SMALL: u128 = 256;

/// Checks a rule by evaluation on small instances.
pub fn check(compiled: &Compiled) -> Checked {
    let mut checked = Checked {
        confirmed: 0,
        open: 0,
        exhaustive: true,
        refuted: None,
    };
    for parameters in small_parameters(compiled) {
        let mut terms = Terms::new();
        if let Some(instance) = instance(&mut terms, compiled, parameters) {
            check_instance(&mut terms, &instance, &mut checked);
        }
        if checked.refuted.is_some() {
            break;
        }
    }
    checked
}

fn check_instance(terms: &mut Terms, instance: &Instance, checked: &mut Checked) {
    let sorts: Vec<Sort> = instance
        .constants
        .iter()
        .map(|fun| terms.fun(*fun).result)
        .collect();
    let mut domains = Vec::new();
    for sort in sorts {
        let (values, complete) = domain(terms, sort);
        checked.exhaustive &= complete;
        domains.push(values);
    }
    let size = domains
        .iter()
        .fold(1u64, |n, d| n.saturating_mul(d.len() as u64));
    checked.exhaustive &= size <= MOST;
    let mut draw = Draw::new(0x7072_6f6f, size);
    for turn in 0..size.min(MOST) {
        let number = if size <= MOST { turn } else { draw.below(size) };
        let model = assignment(instance, &domains, number);
        match Evaluator::new(terms, &model).value(instance.claim) {
            Ok(Value::Bool(true)) => checked.confirmed += 1,
            Ok(_) => {
                checked.refuted = Some(counterexample(terms, instance, &model));
                return;
            }
            Err(_) => checked.open += 1,
        }
    }
}

/// The assignment with a number, counting through the domains.
fn assignment(instance: &Instance, domains: &[Vec<Value>], mut number: u64) -> Model {
    let mut model = Model::default();
    for (fun, domain) in instance.constants.iter().zip(domains) {
        let size = domain.len() as u64;
        let value = domain[(number % size) as usize].clone();
        model.set_value(*fun, value);
        number /= size;
    }
    model
}

fn counterexample(terms: &mut Terms, instance: &Instance, model: &Model) -> String {
    let mut text = render::term(terms, instance.claim, Sharing::Auto);
    for fun in &instance.constants {
        let name = terms.symbols.name(terms.fun(*fun).name).to_string();
        if let Some(what) = model.interpretation(*fun) {
            text.push_str(&format!("\n; {name} = {what:?}"));
        }
    }
    text
}

/// All values of a small sort, else typical ones; and whether they are all.
fn domain(terms: &mut Terms, sort: Sort) -> (Vec<Value>, bool) {
    let size = cardinality(&terms.sorts, sort);
    if size.is_some_and(|n| n <= SMALL)
        && let Some(values) = array::enumerate(&terms.sorts, sort)
    {
        return (values, true);
    }
    let values = match sort {
        Sort::INT => (-9..=9).map(|n| Value::Int(Int::from(n))).collect(),
        Sort::REAL => (-6..=6)
            .flat_map(|n| [1, 2, 3].map(|d| (n, d)))
            .filter_map(|(n, d)| Rat::new(&Int::from(n), &Int::from(d)))
            .map(Value::Real)
            .collect(),
        Sort::STRING => words(),
        Sort::REG_LAN => regexes(terms).into_iter().map(|(_, value)| value).collect(),
        _ => {
            let mut values = corner_values(&terms.sorts, sort);
            values.truncate(24);
            values
        }
    };
    (values, false)
}

/// All words of up to two letters of a small alphabet, and a few longer ones.
fn words() -> Vec<Value> {
    let letters = ["a", "b", "0", "7"];
    let mut texts = vec![String::new()];
    texts.extend(letters.map(String::from));
    for first in letters {
        texts.extend(letters.map(|second| format!("{first}{second}")));
    }
    texts.extend(["aba", "aab", "abab", "007", "-1", "A", "\\u{2FFFF}"].map(String::from));
    let read = |text: &String| Str::read(text, auspex_logic::value::Escapes::Standard);
    texts
        .iter()
        .filter_map(|t| read(t).map(Value::Str))
        .collect()
}

/// Typical regular expressions with their values.
fn regexes(terms: &mut Terms) -> Vec<(TermId, Value)> {
    const TEXTS: [&str; 9] = [
        "(str.to_re \"a\")",
        "re.none",
        "re.all",
        "re.allchar",
        "(str.to_re \"\")",
        "(re.* (str.to_re \"ab\"))",
        "(re.range \"a\" \"b\")",
        "(re.comp (str.to_re \"a\"))",
        "(re.union (str.to_re \"ab\") (re.+ (re.range \"0\" \"7\")))",
    ];
    let mut found = Vec::new();
    for text in TEXTS {
        let script = format!("(assert (str.in_re \"\" {text}))");
        let Ok(reading) = read_script(terms, &script) else {
            continue;
        };
        let Some(root) = reading.script.roots().first().copied() else {
            continue;
        };
        let regex = terms.args(root)[1];
        if let Ok(value) = Evaluator::new(terms, &Model::default()).value(regex) {
            found.push((regex, value));
        }
    }
    found
}

/// A rule with numbers and sorts for its letters; none if they do not fit it.
pub fn instance(
    terms: &mut Terms,
    compiled: &Compiled,
    parameters: Parameters,
) -> Option<Instance> {
    if !compiled.sizes_hold(&parameters) {
        return None;
    }
    let mut constants = Vec::new();
    let mut variables = Vec::new();
    for (name, shape) in &compiled.variables {
        let sort = shape.build(terms, &parameters)?;
        let fun = terms.declare_fun(name, &[], sort);
        constants.push(fun);
        variables.push(terms.fun_app(fun, &[]).ok()?);
    }
    let claim = claim(terms, compiled, &parameters, &variables)?;
    Some(Instance {
        parameters,
        constants,
        claim,
    })
}

/// What a rule says, with terms for its variables: `conditions => before = after`.
pub fn claim(
    terms: &mut Terms,
    compiled: &Compiled,
    parameters: &Parameters,
    variables: &[TermId],
) -> Option<TermId> {
    let before = compiled.before.build(terms, parameters, variables)?;
    let after = compiled.after.build(terms, parameters, variables)?;
    let operator = match compiled.rule.kind {
        Kind::Equality | Kind::Equivalence => "=",
        Kind::Implication => "=>",
    };
    let mut claim = terms.app(operator, &[before, after]).ok()?;
    for condition in compiled.when.iter().rev() {
        let condition = condition.build(terms, parameters, variables)?;
        claim = terms.app("=>", &[condition, claim]).ok()?;
    }
    Some(claim)
}

/// The first instance that fits.
pub fn smallest_instance(terms: &mut Terms, compiled: &Compiled) -> Option<Instance> {
    let mut all = small_parameters(compiled).into_iter();
    all.find_map(|parameters| instance(terms, compiled, parameters))
}

/// Numbers and sorts for the letters, small enough to try all values.
fn small_parameters(compiled: &Compiled) -> Vec<Parameters> {
    parameters(compiled, 4, &[Sort::BOOL, Sort::INT])
}

/// All combinations of numbers up to a bound that the rule allows, with sorts in turn.
fn parameters(compiled: &Compiled, most: u64, sorts: &[Sort]) -> Vec<Parameters> {
    const ENOUGH: usize = 24;
    let mut all = vec![Parameters::default()];
    for letter in compiled.number_letters() {
        let extend = |p: Parameters| {
            (0..=most).map(move |n| {
                let mut more = p.clone();
                more.set_number(letter, n);
                more
            })
        };
        all = all.into_iter().flat_map(extend).collect();
    }
    all.retain(|p| compiled.sizes_hold(p));
    let letters = compiled.sort_letters();
    if !letters.is_empty() {
        let extend = |p: Parameters| (0..sorts.len()).map(move |at| (p.clone(), at));
        let with_sorts = |(mut p, at): (Parameters, usize)| {
            for (place, letter) in letters.iter().enumerate() {
                p.set_sort(*letter, sorts[(at + place) % sorts.len()]);
            }
            p
        };
        all = all.into_iter().flat_map(extend).map(with_sorts).collect();
    }
    // The largest say most.
    all.reverse();
    all.truncate(ENOUGH);
    all
}

/// Queries that must be unsatisfiable, each a whole script, for solvers.
pub fn queries(compiled: &Compiled) -> Vec<String> {
    let most = if compiled.rule.small { 3 } else { 4 };
    let all = parameters(compiled, most, &[Sort::INT, Sort::BOOL]);
    // Some rules begin at four.
    let all = match all.is_empty() {
        true => parameters(compiled, 4, &[Sort::INT, Sort::BOOL]),
        false => all,
    };
    let step = (all.len() / 3).max(1);
    all.into_iter()
        .step_by(step)
        .take(3)
        .filter_map(|parameters| query(compiled, parameters))
        .collect()
}

fn query(compiled: &Compiled, parameters: Parameters) -> Option<String> {
    let mut terms = Terms::new();
    let instance = instance(&mut terms, compiled, parameters)?;
    let mut claim = instance.claim;
    let mut script = Script::default();
    let samples = regexes(&mut terms);
    for (at, fun) in instance.constants.iter().enumerate() {
        if terms.fun(*fun).result == Sort::REG_LAN {
            // Solvers have no variables of this sort: a typical expression stands for it.
            let constant = terms.fun_app(*fun, &[]).ok()?;
            let (sample, _) = samples[(at * 3 + 5) % samples.len()];
            let map = [(constant, sample)].into_iter().collect();
            claim = terms.replace_all(claim, &map);
        } else {
            script.push(Command::DeclareFun(*fun));
        }
    }
    let term = terms.app("not", &[claim]).ok()?;
    script.push(Command::Assert(Assertion { term, name: None }));
    script.push(Command::CheckSat);
    let text = render::script(&terms, &script, Sharing::Auto);
    Some(format!("(set-logic ALL)\n{text}"))
}

/// The solvers that know every operator of a rule.
pub fn known_to(compiled: &Compiled) -> SolverSet {
    let table = OpTable::builtin();
    let known = |name: &str| {
        let rows = table
            .named(name)
            .iter()
            .map(|row| table.rows()[*row as usize].known);
        rows.fold(SolverSet(0), |all, known| all.union(known))
    };
    let all = compiled.operators().into_iter().map(known);
    all.fold(SolverSet::STANDARD, |both, known| {
        SolverSet(both.0 & known.0)
    })
}

/// The solvers that proved a rule, as recorded.
pub fn proved_by(compiled: &Compiled) -> &'static [&'static str] {
    static RECORD: LazyLock<Record> = LazyLock::new(|| Record::read(include_str!("proved.txt")));
    RECORD.provers(compiled.rule.name)
}

/// Whether a rule may be used for a verdict: besides evaluation, which a test demands for every rule,
/// a solver proved it. For nearly all rules two did; some are beyond one solver, or it cannot read them.
pub fn is_proved(compiled: &Compiled) -> bool {
    !proved_by(compiled).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Rule, all, equality, equivalence};
    use auspex_logic::Theory;

    #[test]
    fn evaluation_confirms_every_rule() {
        for compiled in all() {
            let checked = check(compiled);
            let name = compiled.rule.name;
            assert_eq!(checked.refuted, None, "{name} is false");
            let has_quantifier =
                compiled.rule.after.contains("(exists") || compiled.rule.after.contains("(forall");
            assert!(
                checked.confirmed > 0 || has_quantifier,
                "{name}: {checked:?}"
            );
        }
    }

    #[test]
    fn refutes_the_published_errors() {
        // Becker's table 2 multiplies by 2^m, and its recursion for bvor does not shorten the operands.
        static CONCAT: Rule = equality(
            "concat",
            "(s (_ BitVec m)) (t (_ BitVec n))",
            "(concat s t)",
            "((_ int2bv m+n) (+ (* (bv2nat s) 2^m) (bv2nat t)))",
        )
        .sizes("1<=m 1<=n");
        // Sparrow's table 2 takes a suffix for something smaller.
        static SUFFIX: Rule = equivalence(
            "suffix",
            "(s String) (t String)",
            "(=> (str.suffixof s t) (str.<= s t))",
            "true",
        );
        for rule in [&CONCAT, &SUFFIX] {
            let compiled = Compiled::read(Theory::Core, rule).expect("well-formed");
            assert!(check(&compiled).refuted.is_some(), "{}", rule.name);
        }
    }

    #[test]
    fn every_rule_is_recorded_as_proved() {
        let open: Vec<&str> = all()
            .iter()
            .filter(|c| !is_proved(c))
            .map(|c| c.rule.name)
            .collect();
        assert_eq!(open, Vec::<&str>::new());
        let twice = all().iter().filter(|c| proved_by(c).len() >= 2).count();
        let possible = all()
            .iter()
            .filter(|c| known_to(c).includes(SolverSet::Z3.union(SolverSet::CVC5)));
        assert!(twice * 100 >= possible.count() * 95, "{twice}");
    }

    #[test]
    fn queries_deny_the_claim() {
        let compiled = crate::rules::named("bvsub-by-bvneg").expect("a rule");
        let queries = queries(compiled);
        assert!(!queries.is_empty());
        assert!(queries[0].contains("(assert (not (= (bvsub s t) (bvadd s (bvneg t)))))"));
    }
}
