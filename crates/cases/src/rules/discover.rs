//! Discovers rules: enumerates small atoms over the operators of a theory, evaluates them on small domains, and
//! proposes an implication if one atom is never true while the other is false, and no third atom is between them. A
//! proposal is a conjecture until solvers prove it.
//!
//! ```text
//! atoms over x, y:  (bvult x y), (bvule (bvand x y) y), (= x (bvneg y)), …
//! proposed:         (=> (bvult x y) (distinct x y)), (=> (bvnego x) (bvsle x y)), …
//! ```

use super::domain::domain;
use super::table::read_rule;
use super::{Rule, approximations, rule_index};
use auspex_logic::eval::Evaluator;
use auspex_logic::model::Interpretation;
use auspex_logic::theory::{Meaning, SolverSet};
use auspex_logic::{Fun, Model, Sort, TermId, Terms, Theory, Value, read_script};
use rustc_hash::FxHashMap;

/// The starting point of the enumeration: variables, with their sorts in rules and here, and constants.
struct Ground {
    theory: Theory,
    /// Name, sort in the rule, sort in the enumeration.
    variables: &'static [(&'static str, &'static str, &'static str)],
    /// Text in the rule, text in the enumeration.
    constants: &'static [(&'static str, &'static str)],
    /// Additional theories whose operators are used.
    beside: &'static [Theory],
}

const BITS: &str = "(_ BitVec n)";
const FLOAT: &str = "(_ FloatingPoint e s)";

const GROUNDS: &[Ground] = &[
    Ground {
        theory: Theory::Ints,
        variables: &[("x", "Int", "Int"), ("y", "Int", "Int")],
        constants: &[("0", "0"), ("1", "1")],
        beside: &[],
    },
    Ground {
        theory: Theory::Reals,
        variables: &[("x", "Real", "Real"), ("y", "Real", "Real")],
        constants: &[("0.0", "0.0"), ("1.0", "1.0")],
        beside: &[Theory::Ints],
    },
    Ground {
        theory: Theory::BitVectors,
        variables: &[("x", BITS, "(_ BitVec 3)"), ("y", BITS, "(_ BitVec 3)")],
        constants: &[("(_ bv0 n)", "(_ bv0 3)"), ("(_ bv1 n)", "(_ bv1 3)")],
        beside: &[],
    },
    Ground {
        theory: Theory::FloatingPoint,
        variables: &[
            ("x", FLOAT, "(_ FloatingPoint 2 3)"),
            ("y", FLOAT, "(_ FloatingPoint 2 3)"),
        ],
        constants: &[
            ("(_ +zero e s)", "(_ +zero 2 3)"),
            ("(_ +oo e s)", "(_ +oo 2 3)"),
        ],
        beside: &[],
    },
    Ground {
        theory: Theory::Strings,
        variables: &[
            ("x", "String", "String"),
            ("y", "String", "String"),
            ("i", "Int", "Int"),
        ],
        constants: &[("\"\"", "\"\""), ("0", "0")],
        beside: &[Theory::Ints],
    },
    Ground {
        theory: Theory::Regex,
        variables: &[
            ("x", "String", "String"),
            ("r", "RegLan", "RegLan"),
            ("q", "RegLan", "RegLan"),
        ],
        constants: &[],
        beside: &[],
    },
    Ground {
        theory: Theory::Arrays,
        variables: &[
            ("a", "(Array X Y)", "(Array (_ BitVec 1) (_ BitVec 1))"),
            ("b", "(Array X Y)", "(Array (_ BitVec 1) (_ BitVec 1))"),
            ("i", "X", "(_ BitVec 1)"),
            ("x", "Y", "(_ BitVec 1)"),
        ],
        constants: &[],
        beside: &[],
    },
    Ground {
        theory: Theory::Sequences,
        variables: &[
            ("x", "(Seq X)", "(Seq Bool)"),
            ("y", "(Seq X)", "(Seq Bool)"),
            ("i", "Int", "Int"),
        ],
        constants: &[
            ("(as seq.empty (Seq X))", "(as seq.empty (Seq Bool))"),
            ("0", "0"),
        ],
        beside: &[Theory::Ints],
    },
    Ground {
        theory: Theory::Sets,
        variables: &[
            ("s", "(Set X)", "(Set Int)"),
            ("t", "(Set X)", "(Set Int)"),
            ("x", "X", "Int"),
        ],
        constants: &[("(as set.empty (Set X))", "(as set.empty (Set Int))")],
        beside: &[],
    },
];

/// The theories in which rules can be searched for.
pub fn theories() -> impl Iterator<Item = Theory> {
    GROUNDS.iter().map(|ground| ground.theory)
}

/// The limits of the enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Terms made of variables and constants.
    pub terms: usize,
    /// Atoms with different truth values.
    pub atoms: usize,
    /// Assignments under which they are evaluated.
    pub assignments: usize,
    /// Rules proposed, the shortest first.
    pub rules: usize,
}

impl Default for Extent {
    fn default() -> Self {
        Extent {
            terms: 60,
            atoms: 600,
            assignments: 500,
            rules: 200,
        }
    }
}

/// The result of an enumeration: counts and proposals.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub atoms: usize,
    /// Atoms that differ in their truth values.
    pub classes: usize,
    /// Implications without a third atom between their sides.
    pub implications: usize,
    /// The proposals that are in no table.
    pub rules: Vec<Proposal>,
}

/// A rule with the line that a table has of it.
#[derive(Clone, Debug)]
pub struct Proposal {
    pub line: String,
    pub rule: Rule,
}

/// Searches for rules in a theory; none for theories without a starting point.
pub fn discover(theory: Theory, extent: &Extent) -> Found {
    let Some(ground) = GROUNDS.iter().find(|ground| ground.theory == theory) else {
        return Found::default();
    };
    let mut terms = Terms::new();
    let Some((leaves, funs)) = leaves(&mut terms, ground) else {
        return Found::default();
    };
    let atoms = atoms(&mut terms, ground, &leaves, extent);
    let Some(models) = models(&mut terms, &funs, extent.assignments) else {
        return Found::default();
    };
    let classes = classes(&terms, &models, &atoms, extent.atoms);
    let pairs = covers(&classes);
    let mut found = Found {
        atoms: atoms.len(),
        classes: classes.len(),
        implications: pairs.len(),
        rules: Vec::new(),
    };
    found.rules = propose(&terms, ground, &classes, &pairs);
    found.rules.truncate(extent.rules);
    found
}

/// A term with its text in rules.
#[derive(Clone, Debug)]
struct Part {
    text: String,
    term: TermId,
    size: usize,
}

fn leaves(terms: &mut Terms, ground: &Ground) -> Option<(Vec<Part>, Vec<Fun>)> {
    let mut script = String::new();
    for (name, _, sort) in ground.variables {
        script.push_str(&format!("(declare-const {name} {sort})"));
    }
    let variables = ground.variables.iter().map(|(name, ..)| (*name, *name));
    let all: Vec<(&str, &str)> = variables.chain(ground.constants.iter().copied()).collect();
    let values: Vec<&str> = all.iter().map(|(_, here)| *here).collect();
    script.push_str(&format!("(get-value ({}))", values.join(" ")));
    let reading = read_script(terms, &script).ok()?;
    let funs = reading.script.declared().collect();
    let roots = reading.script.roots();
    let part = |((text, _), term): (&(&str, &str), &TermId)| Part {
        text: text.to_string(),
        term: *term,
        size: 1,
    };
    Some((all.iter().zip(&roots).map(part).collect(), funs))
}

/// Operators applied to all tuples of some parts.
fn applications(
    terms: &mut Terms,
    theories: &[Theory],
    parts: &[Part],
    boolean: bool,
) -> Vec<Part> {
    let table = terms.table().clone();
    let mut all = Vec::new();
    for (row, decl) in table.rows().iter().enumerate() {
        // Solvers define non-standard operators such as `^` differently, so proofs about them mean little.
        let own = matches!(decl.theory, Theory::Sets | Theory::Sequences);
        let known = decl.known.is_standard() || own && decl.known.includes(SolverSet::CVC5);
        let usable = known
            && theories.contains(&decl.theory)
            && decl.sig.indices.is_empty()
            && !decl.sig.qualified
            && !matches!(decl.meaning, Meaning::None(_))
            && (1..=3).contains(&decl.sig.params.len());
        if !usable {
            continue;
        }
        for tuple in tuples(parts, decl.sig.params.len()) {
            // Two equal orders are interchangeable.
            if decl.commutative && tuple.len() == 2 && tuple[0].text > tuple[1].text {
                continue;
            }
            let sorts: Vec<Sort> = tuple.iter().map(|part| terms.sort(part.term)).collect();
            let Some(result) = decl.sig.infer(&mut terms.sorts, &[], &sorts) else {
                continue;
            };
            if (result == Sort::BOOL) != boolean {
                continue;
            }
            let args: Vec<TermId> = tuple.iter().map(|part| part.term).collect();
            let op = terms.op_with(row as u32, &[]);
            let Some(term) = terms.apply_op(op, &args, result) else {
                continue;
            };
            let texts: Vec<&str> = tuple.iter().map(|part| part.text.as_str()).collect();
            let size = 1 + tuple.iter().map(|part| part.size).sum::<usize>();
            all.push(Part {
                text: format!("({} {})", decl.name, texts.join(" ")),
                term,
                size,
            });
        }
    }
    all
}

fn tuples(parts: &[Part], length: usize) -> Vec<Vec<&Part>> {
    let mut all: Vec<Vec<&Part>> = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .iter()
            .flat_map(|start| {
                parts.iter().map(move |part| {
                    let mut longer = start.clone();
                    longer.push(part);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Predicates over the leaves and over one operator above them, shortest first; short ones also negated.
fn atoms(terms: &mut Terms, ground: &Ground, leaves: &[Part], extent: &Extent) -> Vec<Part> {
    let mut theories = vec![ground.theory];
    if ground.theory == Theory::Regex {
        theories.push(Theory::Strings);
    }
    let mut larger = applications(terms, &theories, leaves, false);
    larger.sort_by_key(|part| part.size);
    // Spread over all operators instead of taking the first ones.
    let step = larger.len().div_ceil(extent.terms.max(1)).max(1);
    let larger: Vec<Part> = larger.into_iter().step_by(step).collect();
    let mut parts = leaves.to_vec();
    parts.extend(larger);
    theories.extend(ground.beside);
    let own = theories.clone();
    theories.push(Theory::Core);
    let mut atoms = applications(terms, &theories, &parts, true);
    atoms.retain(|atom| {
        terms
            .args(atom.term)
            .iter()
            .all(|arg| is_no_formula(terms, *arg))
    });
    let short: Vec<Part> = applications(terms, &own, leaves, true);
    for atom in short {
        if let Ok(term) = terms.app("not", &[atom.term]) {
            atoms.push(Part {
                text: format!("(not {})", atom.text),
                term,
                size: atom.size + 1,
            });
        }
    }
    atoms.sort_by(|a, b| (a.size, a.text.len(), &a.text).cmp(&(b.size, b.text.len(), &b.text)));
    atoms.dedup_by(|a, b| a.term == b.term);
    atoms
}

/// Neither Boolean nor of a sort that solvers cannot compare.
fn is_no_formula(terms: &Terms, term: TermId) -> bool {
    !matches!(terms.sort(term), Sort::BOOL)
}

fn models(terms: &mut Terms, funs: &[Fun], most: usize) -> Option<Vec<Model>> {
    let mut domains = Vec::new();
    for fun in funs {
        let sort = terms.fun(*fun).result;
        domains.push((*fun, domain(terms, sort)?));
    }
    let total = domains
        .iter()
        .fold(1usize, |n, (_, values)| n.saturating_mul(values.len()));
    let step = total.div_ceil(most.max(1)) | 1;
    let model = |mut number: usize| {
        let mut model = Model::default();
        for (fun, values) in &domains {
            model.set(
                *fun,
                Interpretation::Value(values[number % values.len()].clone()),
            );
            number /= values.len();
        }
        model
    };
    Some((0..total).step_by(step).map(model).collect())
}

/// An atom with the assignments under which it is true and those under which it is false.
struct Class {
    atom: Part,
    truths: Vec<u64>,
    falsehoods: Vec<u64>,
}

/// The shortest atom of every truth table that is neither always true nor always false.
fn classes(terms: &Terms, models: &[Model], atoms: &[Part], most: usize) -> Vec<Class> {
    let words = models.len().div_ceil(64);
    let mut tables = vec![(vec![0u64; words], vec![0u64; words]); atoms.len()];
    for (number, model) in models.iter().enumerate() {
        let mut evaluator = Evaluator::new(terms, model);
        for (atom, (truths, falsehoods)) in atoms.iter().zip(&mut tables) {
            match evaluator.value(atom.term) {
                Ok(Value::Bool(true)) => truths[number / 64] |= 1 << (number % 64),
                Ok(Value::Bool(false)) => falsehoods[number / 64] |= 1 << (number % 64),
                _ => {}
            }
        }
    }
    let mut seen: FxHashMap<(Vec<u64>, Vec<u64>), ()> = FxHashMap::default();
    let mut classes = Vec::new();
    for (atom, (truths, falsehoods)) in atoms.iter().zip(tables) {
        let constant = truths.iter().all(|w| *w == 0) || falsehoods.iter().all(|w| *w == 0);
        if constant
            || seen
                .insert((truths.clone(), falsehoods.clone()), ())
                .is_some()
        {
            continue;
        }
        classes.push(Class {
            atom: atom.clone(),
            truths,
            falsehoods,
        });
        if classes.len() == most {
            break;
        }
    }
    classes
}

fn implies(a: &Class, b: &Class) -> bool {
    a.truths.iter().zip(&b.falsehoods).all(|(t, f)| t & f == 0)
}

/// The implications with no third class between.
fn covers(classes: &[Class]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (low, a) in classes.iter().enumerate() {
        let above: Vec<usize> = (0..classes.len())
            .filter(|high| {
                *high != low && implies(a, &classes[*high]) && !implies(&classes[*high], a)
            })
            .collect();
        for high in &above {
            let between = |middle: &&usize| {
                *middle != high
                    && implies(&classes[**middle], &classes[*high])
                    && !implies(&classes[*high], &classes[**middle])
            };
            if !above.iter().any(|middle| between(&middle)) {
                pairs.push((low, *high));
            }
        }
    }
    pairs
}

/// The implications that are no instances of rules, shortest first.
fn propose(
    terms: &Terms,
    ground: &Ground,
    classes: &[Class],
    pairs: &[(usize, usize)],
) -> Vec<Proposal> {
    let mut pairs = pairs.to_vec();
    let size = |(low, high): &(usize, usize)| classes[*low].atom.size + classes[*high].atom.size;
    pairs.sort_by_key(|pair| (size(pair), *pair));
    let mut found: Vec<Proposal> = Vec::new();
    for (low, high) in pairs {
        let (low, high) = (&classes[low].atom, &classes[high].atom);
        let is_instance = rule_index().covering(terms, low.term, high.term).is_some();
        if is_instance || is_written(&low.text, &high.text) {
            continue;
        }
        let line = line(ground, found.len() + 1, &low.text, &high.text);
        if let Some(rule) = read_rule(&line, ground.theory) {
            found.push(Proposal { line, rule });
        }
    }
    found
}

/// The table line for the implication between two atoms.
fn line(ground: &Ground, number: usize, lesser: &str, greater: &str) -> String {
    let theory = ground.theory.name();
    let is_used = |name: &str| mentions(lesser, name) || mentions(greater, name);
    let used = ground.variables.iter().filter(|(name, ..)| is_used(name));
    let variables: Vec<String> = used
        .map(|(name, sort, _)| format!("({name} {sort})"))
        .collect();
    let variables = variables.join(" ");
    format!(
        "(approximation {theory}-found-{number} ({variables}) (=> {lesser} {greater}) :source found)"
    )
}

fn mentions(text: &str, name: &str) -> bool {
    text.split([' ', '(', ')']).any(|token| token == name)
}

fn is_written(lesser: &str, greater: &str) -> bool {
    let mut all = approximations().iter();
    all.any(|rule| rule.left.text == lesser && rule.right.text == greater)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(theory: Theory) -> Found {
        discover(
            theory,
            &Extent {
                terms: 12,
                atoms: 120,
                assignments: 200,
                rules: 40,
            },
        )
    }

    #[test]
    fn finds_rules_in_every_theory_with_a_ground() {
        for theory in theories() {
            let found = small(theory);
            assert!(
                found.rules.len() >= 10,
                "{}: {}",
                theory.name(),
                found.rules.len()
            );
        }
        assert!(small(Theory::Bags).rules.is_empty());
    }

    #[test]
    fn proposals_can_be_evaluated() {
        for theory in [Theory::Ints, Theory::FloatingPoint, Theory::Sequences] {
            for found in small(theory).rules {
                assert!(found.rule.claim().check_with(50).held > 0, "{}", found.line);
            }
        }
    }

    #[test]
    fn the_same_search_finds_the_same() {
        let lines =
            |found: Found| -> Vec<String> { found.rules.into_iter().map(|r| r.line).collect() };
        assert_eq!(
            lines(small(Theory::BitVectors)),
            lines(small(Theory::BitVectors))
        );
    }
}
