//! All small formulas over a signature, smallest first, each made from its number alone: nothing is listed or kept.
//!
//! ```text
//! 0: (not false)   1: (not true)   2: (not v0)   …   (= (bvnot #x0) v1)   …   (bvult (bvadd v1 #x1) v1)
//! ```
//!
//! A term's size is its number of operators. For every size and sort the number of terms is counted; a case number
//! is then turned into a formula by finding its place in the sums. Ground formulas are evaluated; with variables
//! a witness is looked for among the corner values, and where a sort is small enough to try all of it, the lack of
//! one proves the formula unsatisfiable.

use super::NAME;
use super::kit::{Instance, Kit, Mask, SortNo, Spec, local_sort};
use crate::case::{Case, Evidence, Origin};
use auspex_logic::eval::Evaluator;
use auspex_logic::theory::Known;
use auspex_logic::value::cardinality;
use auspex_logic::{Assertion, Command, Fun, Model, Script, Sort, TermId, Terms, Theory, Value};
use std::sync::Arc;

/// What the formulas are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many sorts, simplest first.
    pub sorts: usize,
    /// How many literals of each sort.
    pub literals: usize,
    /// How many variables of each sort.
    pub variables: usize,
    /// How many instances of each operator with each result.
    pub instances: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            sorts: 8,
            literals: 2,
            variables: 1,
            instances: 2,
        }
    }
}

/// Formulas of more operators than this are not counted.
const LARGEST: usize = 8;

/// One sort of the signature.
struct Column {
    sort: SortNo,
    literals: Vec<Value>,
    variables: usize,
    operators: Vec<Instance>,
    /// The number of terms of each size.
    counts: Vec<u128>,
}

/// All formulas over a signature.
pub struct Exhaustive {
    kit: Arc<Kit>,
    columns: Vec<Column>,
}

/// A leaf's or an application's place in the order of its sort.
struct Builder<'a> {
    all: &'a Exhaustive,
    terms: &'a mut Terms,
    variables: Vec<(SortNo, usize, Fun)>,
}

impl Exhaustive {
    pub fn new(theories: &[Theory], solvers: Known, bounds: Bounds) -> Exhaustive {
        let kit = Kit::of(theories, solvers);
        let chosen = chosen_sorts(&kit, bounds);
        let columns = chosen.iter().map(|sort| Column {
            sort: *sort,
            literals: literals(&kit, *sort, bounds),
            variables: if kit.kind(*sort).is_first_class() {
                bounds.variables
            } else {
                0
            },
            operators: operators(&kit, *sort, &chosen, bounds),
            counts: Vec::new(),
        });
        let columns = columns.collect();
        let mut all = Exhaustive { kit, columns };
        all.count();
        all
    }

    fn column(&self, sort: SortNo) -> Option<&Column> {
        self.columns.iter().find(|column| column.sort == sort)
    }

    fn count(&mut self) {
        for size in 0..=LARGEST {
            let counts: Vec<u128> = (self.columns.iter())
                .map(|column| match size {
                    0 => (column.literals.len() + column.variables) as u128,
                    _ => {
                        let operators = column.operators.iter();
                        operators.fold(0u128, |sum, operator| {
                            sum.saturating_add(self.ways(&operator.args, size - 1))
                        })
                    }
                })
                .collect();
            for (column, count) in self.columns.iter_mut().zip(counts) {
                column.counts.push(count);
            }
        }
    }

    /// In how many ways arguments of these sorts can have that many operators together.
    fn ways(&self, args: &[SortNo], size: usize) -> u128 {
        let Some((first, rest)) = args.split_first() else {
            return u128::from(size == 0);
        };
        let Some(column) = self.column(*first) else {
            return 0;
        };
        (0..=size).fold(0u128, |sum, own| {
            let ways = match column.counts[own] {
                0 => 0,
                terms => terms.saturating_mul(self.ways(rest, size - own)),
            };
            sum.saturating_add(ways)
        })
    }

    fn formulas(&self) -> Option<&Column> {
        let is_bool = |column: &&Column| self.kit.kind(column.sort).spec == Spec::Fixed(Sort::BOOL);
        self.columns.iter().find(is_bool)
    }

    /// How many formulas there are with up to that many operators.
    pub fn total(&self, size: usize) -> u128 {
        let counts = self.formulas().map_or(&[][..], |column| &column.counts);
        let wanted = counts.iter().take(size.min(LARGEST) + 1).skip(1);
        wanted.fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The formula of that number as a case; none beyond the last.
    pub fn nth(&self, terms: &mut Terms, number: u128) -> Option<Case> {
        let column = self.formulas()?;
        let mut rest = number;
        let mut size = 1;
        while rest >= *column.counts.get(size)? {
            rest -= column.counts[size];
            size += 1;
        }
        let mut builder = Builder {
            all: self,
            terms,
            variables: Vec::new(),
        };
        let formula = builder.term(column.sort, size, rest)?;
        let variables = std::mem::take(&mut builder.variables);
        let evidence = self.evidence(terms, formula, &variables);
        Some(case(terms, formula, &variables, evidence, number))
    }

    /// What trying values says about a formula.
    fn evidence(
        &self,
        terms: &mut Terms,
        formula: TermId,
        variables: &[(SortNo, usize, Fun)],
    ) -> Evidence {
        const MOST: u128 = 4096;
        let mut complete = true;
        let mut domains: Vec<Vec<Value>> = Vec::new();
        for (sort, _, _) in variables {
            let local = local_sort(&self.kit, &mut terms.sorts, *sort);
            let (values, all) = domain(terms, &self.kit, *sort, local);
            complete &= all;
            domains.push(values);
        }
        let size = domains.iter().map(|d| d.len() as u128).product::<u128>();
        complete &= size <= MOST;
        for number in 0..size.min(MOST) {
            let mut model = Model::default();
            let mut rest = number;
            for ((_, _, fun), domain) in variables.iter().zip(&domains) {
                let len = domain.len() as u128;
                model.set_value(*fun, domain[(rest % len) as usize].clone());
                rest /= len;
            }
            match Evaluator::new(terms, &model).value(formula) {
                Ok(Value::Bool(true)) => return Evidence::Witness(Box::new(model)),
                Ok(_) => {}
                Err(_) => complete = false,
            }
        }
        if !complete {
            return Evidence::Agreement;
        }
        Evidence::Core {
            names: vec![terms.symbols.intern("a0")],
            because: "evaluation finds it false for all values of its variables".into(),
        }
    }
}

fn chosen_sorts(kit: &Kit, bounds: Bounds) -> Vec<SortNo> {
    // Sorts that operators of the theories speak about, in the order of the kit, which is from simple to complex.
    let count = kit.kinds.len() as u16;
    let mut sorts: Vec<SortNo> = (0..count).map(SortNo).collect();
    sorts.retain(|sort| !kit.kind(*sort).groups.is_empty());
    let regex = sorts
        .iter()
        .copied()
        .find(|sort| !kit.kind(*sort).is_first_class());
    let own: Vec<SortNo> = sorts
        .iter()
        .copied()
        .filter(|sort| kit.kind(*sort).theories != Mask::default())
        .collect();
    let plain = sorts
        .iter()
        .copied()
        .filter(|sort| kit.kind(*sort).theories == Mask::default());
    let mut chosen: Vec<SortNo> = plain.chain(regex).chain(spread(&own, kit)).collect();
    let mut seen = Vec::new();
    chosen.retain(|sort| {
        let new = !seen.contains(sort);
        seen.push(*sort);
        new
    });
    chosen.truncate(bounds.sorts);
    chosen
}

/// The sorts in turns, one of each set of theories after the other, so that the first few show all of them.
fn spread(own: &[SortNo], kit: &Kit) -> Vec<SortNo> {
    let mut groups: Vec<(Mask, Vec<SortNo>)> = Vec::new();
    for sort in own {
        let theories = kit.kind(*sort).theories;
        match groups.iter_mut().find(|(mask, _)| *mask == theories) {
            Some((_, group)) => group.push(*sort),
            None => groups.push((theories, vec![*sort])),
        }
    }
    let longest = groups.iter().map(|(_, g)| g.len()).max().unwrap_or(0);
    let turn = |at: usize| {
        groups
            .iter()
            .filter_map(move |(_, group)| group.get(at).copied())
    };
    (0..longest).flat_map(turn).collect()
}

fn literals(kit: &Kit, sort: SortNo, bounds: Bounds) -> Vec<Value> {
    let kind = kit.kind(sort);
    if !kind.written {
        return Vec::new();
    }
    let writable = |value: &&Value| super::values::is_writable(value, kit.careful);
    let values = kind.values.iter().filter(writable).take(bounds.literals);
    values.cloned().collect()
}

fn operators(kit: &Kit, sort: SortNo, chosen: &[SortNo], bounds: Bounds) -> Vec<Instance> {
    let rows = kit.kind(sort).groups.iter().flat_map(|group| &group.rows);
    let fits = |instance: &&Instance| {
        instance.args.iter().all(|arg| chosen.contains(arg)) && !instance.values_only
    };
    rows.flat_map(|instances| instances.iter().filter(fits).take(bounds.instances))
        .cloned()
        .collect()
}

/// All values of a small sort, else its corner values; and whether they are all.
fn domain(terms: &Terms, kit: &Kit, sort: SortNo, local: Sort) -> (Vec<Value>, bool) {
    const SMALL: u128 = 64;
    if cardinality(&terms.sorts, local).is_some_and(|n| n <= SMALL)
        && let Some(values) = auspex_logic::value::array::enumerate(&terms.sorts, local)
    {
        return (values, true);
    }
    const FEW: usize = 8;
    let values = kit.kind(sort).values.iter().take(FEW);
    (values.cloned().collect(), false)
}

impl Builder<'_> {
    /// The term of a sort and size with that number.
    fn term(&mut self, sort: SortNo, size: usize, mut number: u128) -> Option<TermId> {
        let all = self.all;
        let column = all.column(sort)?;
        if size == 0 {
            return self.leaf(column, usize::try_from(number).ok()?);
        }
        for operator in &column.operators {
            let ways = all.ways(&operator.args, size - 1);
            if number < ways {
                let mut args = Vec::with_capacity(operator.args.len());
                self.arguments(&operator.args, size - 1, number, &mut args)?;
                let local = local_sort(&all.kit, &mut self.terms.sorts, sort);
                let op = self.terms.op_with(operator.row, &operator.indices);
                return self.terms.apply_op(op, &args, local);
            }
            number -= ways;
        }
        None
    }

    fn arguments(
        &mut self,
        sorts: &[SortNo],
        size: usize,
        mut number: u128,
        args: &mut Vec<TermId>,
    ) -> Option<()> {
        let Some((first, rest)) = sorts.split_first() else {
            return Some(());
        };
        let all = self.all;
        let column = all.column(*first)?;
        for own in 0..=size {
            let others = all.ways(rest, size - own);
            let ways = column.counts[own].saturating_mul(others);
            if number < ways {
                let term = self.term(*first, own, number / others)?;
                args.push(term);
                return self.arguments(rest, size - own, number % others, args);
            }
            number -= ways;
        }
        None
    }

    fn leaf(&mut self, column: &Column, number: usize) -> Option<TermId> {
        let local = local_sort(&self.all.kit, &mut self.terms.sorts, column.sort);
        if let Some(value) = column.literals.get(number) {
            return self.terms.value_term(value, local);
        }
        let place = number - column.literals.len();
        let known = self
            .variables
            .iter()
            .find(|(sort, at, _)| *sort == column.sort && *at == place);
        let fun = match known {
            Some((_, _, fun)) => *fun,
            None => {
                let name = format!("v{}", self.variables.len());
                let fun = self.terms.declare_fun(&name, &[], local);
                self.variables.push((column.sort, place, fun));
                fun
            }
        };
        self.terms.fun_app(fun, &[]).ok()
    }
}

fn case(
    terms: &mut Terms,
    formula: TermId,
    variables: &[(SortNo, usize, Fun)],
    evidence: Evidence,
    number: u128,
) -> Case {
    let mut script = Script::default();
    for (_, _, fun) in variables {
        script.push(Command::DeclareFun(*fun));
    }
    let named = matches!(evidence, Evidence::Core { .. });
    let name = named.then(|| terms.symbols.intern("a0"));
    script.push(Command::Assert(Assertion {
        term: formula,
        name,
    }));
    script.push(Command::CheckSat);
    Case {
        script,
        evidence: vec![evidence],
        origin: Origin {
            strategy: NAME,
            seed: None,
            steps: vec![format!("formula {number} of all")],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::render::{self, Sharing};
    use std::collections::HashSet;

    fn bits() -> Exhaustive {
        let bounds = Bounds {
            sorts: 2,
            ..Bounds::default()
        };
        Exhaustive::new(&[Theory::BitVectors], Known(0), bounds)
    }

    fn text(all: &Exhaustive, number: u128) -> Option<String> {
        let mut terms = Terms::new();
        let case = all.nth(&mut terms, number)?;
        Some(render::script(&terms, &case.script, Sharing::Expanded))
    }

    #[test]
    fn every_formula_once() {
        let all = bits();
        let total = all.total(1);
        assert!((50..10_000).contains(&total), "{total}");
        let texts: HashSet<String> = (0..total).filter_map(|n| text(&all, n)).collect();
        assert_eq!(texts.len() as u128, total);
    }

    #[test]
    fn sizes_never_shrink() {
        let all = bits();
        let size = |n: u128| {
            let mut terms = Terms::new();
            let case = all.nth(&mut terms, n).expect("in range");
            let term = case.script.roots()[0];
            let parts = auspex_logic::edit::Occurrences::new(&terms, &[term]);
            let ops = (0..parts.len()).filter_map(|at| parts.nth(&terms, at));
            ops.filter(|o| !terms.args(o.term).is_empty()).count()
        };
        assert_eq!(size(0), 1);
        assert_eq!(size(all.total(1)), 2);
        assert_eq!(size(all.total(2)), 3);
    }

    #[test]
    fn ends_after_the_last() {
        let all = bits();
        let mut terms = Terms::new();
        assert!(all.nth(&mut terms, all.total(LARGEST)).is_none());
        assert!(all.nth(&mut terms, all.total(LARGEST) - 1).is_some());
    }

    #[test]
    fn false_formulas_are_unsatisfiable() {
        let all = bits();
        for number in 0..all.total(1) {
            let mut terms = Terms::new();
            let case = all.nth(&mut terms, number).expect("in range");
            let shown = render::script(&terms, &case.script, Sharing::Expanded);
            match &case.evidence[0] {
                Evidence::Core { .. } => assert!(!shown.contains("(assert true)")),
                Evidence::Witness(model) => {
                    let query = &case.script.queries()[0];
                    let verdict = auspex_logic::model::validate(&terms, model, query);
                    assert_eq!(verdict, auspex_logic::model::ModelVerdict::Valid, "{shown}");
                }
                other => panic!("{other:?} for {shown}"),
            }
        }
    }
}
