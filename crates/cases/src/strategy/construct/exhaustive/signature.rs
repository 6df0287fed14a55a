//! The signature of the enumeration: sorts with a few values and operators, and the number of terms of each size. A
//! term is made from its number alone, without listing terms.

use super::super::grow::Maker;
use super::super::kit::{Group, Instance, Kit, SortNo, Spec};
use super::Bounds;
use crate::corner::is_writable;
use auspex_logic::{Sort, TermId, TheorySet, Value};

/// How a leaf represents a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// The value itself.
    Ground,
    /// The value itself or a new variable: over all leaves, the power set of the free variables.
    Open,
    /// A variable, the same for equal values.
    Shared,
}

/// One sort of the signature.
pub struct Column {
    pub sort: SortNo,
    pub values: Vec<Value>,
    pub operators: Vec<Instance>,
    /// The number of terms of each size, of values only and with variables.
    ground: Vec<u128>,
    open: Vec<u128>,
}

pub struct Signature {
    pub columns: Vec<Column>,
    /// Regular expressions have no variables inside.
    regex: Option<SortNo>,
}

impl Signature {
    pub fn new(kit: &Kit, bounds: Bounds) -> Signature {
        let chosen = chosen_sorts(kit, bounds);
        let columns = chosen.iter().map(|sort| Column {
            sort: *sort,
            values: values(kit, *sort, bounds),
            operators: operators(kit, *sort, &chosen, bounds),
            ground: Vec::new(),
            open: Vec::new(),
        });
        let columns = columns.collect();
        let regex = chosen
            .iter()
            .copied()
            .find(|s| !kit.kind(*s).is_first_class());
        let mut all = Signature { columns, regex };
        (0..=bounds.size).for_each(|size| all.count(size));
        all
    }

    pub fn column(&self, sort: SortNo) -> Option<&Column> {
        self.columns.iter().find(|column| column.sort == sort)
    }

    /// The sorts that equations can be about.
    pub fn results(&self) -> impl Iterator<Item = &Column> {
        let regex = self.regex;
        self.columns.iter().filter(move |c| Some(c.sort) != regex)
    }

    fn count(&mut self, size: usize) {
        let count = |column: &Column, leaf: Leaf| match size {
            0 => self.leaves(column, leaf),
            _ => column.operators.iter().fold(0u128, |sum, operator| {
                sum.saturating_add(self.ways(column.sort, &operator.args, size - 1, leaf))
            }),
        };
        let both = |column| (count(column, Leaf::Ground), count(column, Leaf::Open));
        let counts: Vec<(u128, u128)> = self.columns.iter().map(both).collect();
        for (column, (ground, open)) in self.columns.iter_mut().zip(counts) {
            column.ground.push(ground);
            column.open.push(open);
        }
    }

    fn leaves(&self, column: &Column, leaf: Leaf) -> u128 {
        let values = column.values.len() as u128;
        match leaf {
            Leaf::Open => 2 * values,
            Leaf::Ground | Leaf::Shared => values,
        }
    }

    /// The number of terms of a sort with a number of operators.
    pub fn terms(&self, sort: SortNo, size: usize, leaf: Leaf) -> u128 {
        let Some(column) = self.column(sort) else {
            return 0;
        };
        let counts = match leaf {
            Leaf::Open => &column.open,
            Leaf::Ground | Leaf::Shared => &column.ground,
        };
        counts.get(size).copied().unwrap_or(0)
    }

    /// The number of ways in which arguments of these sorts have a total number of operators.
    fn ways(&self, result: SortNo, args: &[SortNo], size: usize, leaf: Leaf) -> u128 {
        let Some((first, rest)) = args.split_first() else {
            return u128::from(size == 0);
        };
        let inner = self.inside(result, leaf);
        (0..=size).fold(0u128, |sum, own| {
            let ways = match self.terms(*first, own, inner) {
                0 => 0,
                terms => terms.saturating_mul(self.ways(result, rest, size - own, leaf)),
            };
            sum.saturating_add(ways)
        })
    }

    fn inside(&self, result: SortNo, leaf: Leaf) -> Leaf {
        match self.regex == Some(result) {
            true => Leaf::Ground,
            false => leaf,
        }
    }

    /// The term of a sort and size with that number.
    pub fn term(
        &self,
        maker: &mut Maker<'_>,
        sort: SortNo,
        (size, mut number): (usize, u128),
        leaf: Leaf,
    ) -> Option<TermId> {
        let column = self.column(sort)?;
        if size == 0 {
            return self.leaf(maker, column, usize::try_from(number).ok()?, leaf);
        }
        for operator in &column.operators {
            let ways = self.ways(sort, &operator.args, size - 1, leaf);
            if number < ways {
                let mut args = Vec::with_capacity(operator.args.len());
                let inner = self.inside(sort, leaf);
                self.arguments(
                    maker,
                    (sort, &operator.args),
                    (size - 1, number),
                    inner,
                    &mut args,
                )?;
                let local = maker.sort(sort);
                let op = maker.terms.op_with(operator.row, &operator.indices);
                return maker.terms.apply_op(op, &args, local);
            }
            number -= ways;
        }
        None
    }

    fn arguments(
        &self,
        maker: &mut Maker<'_>,
        (result, sorts): (SortNo, &[SortNo]),
        (size, mut number): (usize, u128),
        leaf: Leaf,
        args: &mut Vec<TermId>,
    ) -> Option<()> {
        let Some((first, rest)) = sorts.split_first() else {
            return Some(());
        };
        for own in 0..=size {
            let others = self.ways(result, rest, size - own, leaf);
            let ways = self.terms(*first, own, leaf).saturating_mul(others);
            if number < ways {
                let term = self.term(maker, *first, (own, number / others), leaf)?;
                args.push(term);
                let rest = (result, rest);
                return self.arguments(maker, rest, (size - own, number % others), leaf, args);
            }
            number -= ways;
        }
        None
    }

    fn leaf(
        &self,
        maker: &mut Maker<'_>,
        column: &Column,
        number: usize,
        leaf: Leaf,
    ) -> Option<TermId> {
        let count = column.values.len();
        let value = column.values.get(number % count)?.clone();
        match leaf {
            Leaf::Open if number >= count => Some(maker.fresh(column.sort, value)),
            Leaf::Ground | Leaf::Open => Some(maker.literal(column.sort, value)?.term),
            Leaf::Shared => Some(maker.variable(column.sort, value).term),
        }
    }
}

fn chosen_sorts(kit: &Kit, bounds: Bounds) -> Vec<SortNo> {
    // Sorts of the theories' operators, in the order of the kit, from simple to complex.
    let count = kit.kinds.len() as u16;
    let with_operators = |sort: &SortNo| !kit.kind(*sort).groups.is_empty();
    let sorts: Vec<SortNo> = (0..count).map(SortNo).filter(with_operators).collect();
    let some = |fits: &dyn Fn(SortNo) -> bool| -> Vec<SortNo> {
        sorts.iter().copied().filter(|sort| fits(*sort)).collect()
    };
    let regex = some(&|sort| !kit.kind(sort).is_first_class());
    let own = some(&|sort| kit.kind(sort).theories != TheorySet::default());
    let plain = some(&|sort| {
        let is_real = kit.kind(sort).spec == Spec::Fixed(Sort::REAL);
        kit.kind(sort).theories == TheorySet::default() && (!is_real || own.is_empty())
    });
    let mut chosen: Vec<SortNo> = Vec::new();
    for sort in plain.into_iter().chain(regex).chain(spread(&own, kit)) {
        if !chosen.contains(&sort) {
            chosen.push(sort);
        }
    }
    chosen.truncate(bounds.sorts);
    chosen
}

/// The sorts interleaved by set of theories, so that the first few cover all sets.
fn spread(own: &[SortNo], kit: &Kit) -> Vec<SortNo> {
    let mut groups: Vec<(TheorySet, Vec<SortNo>)> = Vec::new();
    for sort in own {
        let theories = kit.kind(*sort).theories;
        match groups.iter_mut().find(|(mask, _)| *mask == theories) {
            Some((_, group)) => group.push(*sort),
            None => groups.push((theories, vec![*sort])),
        }
    }
    let longest = groups.iter().map(|(_, g)| g.len()).max().unwrap_or(0);
    let turn = |at: usize| groups.iter().filter_map(move |(_, g)| g.get(at).copied());
    (0..longest).flat_map(turn).collect()
}

fn values(kit: &Kit, sort: SortNo, bounds: Bounds) -> Vec<Value> {
    let kind = kit.kind(sort);
    if !kind.written || !kind.is_first_class() {
        return Vec::new();
    }
    let writable = |value: &&Value| is_writable(value, kit.careful);
    let values = kind.values.iter().filter(writable).take(bounds.values);
    values.cloned().collect()
}

fn operators(kit: &Kit, sort: SortNo, chosen: &[SortNo], bounds: Bounds) -> Vec<Instance> {
    let is_left_out = |group: &&Group| match bounds.without {
        Some(theory) => group.theory == TheorySet::one(theory),
        None => false,
    };
    let groups = kit
        .kind(sort)
        .groups
        .iter()
        .filter(|group| !is_left_out(group));
    let rows = groups.flat_map(|group| &group.rows);
    let fits = |instance: &&Instance| {
        instance.args.iter().all(|arg| chosen.contains(arg)) && !instance.values_only
    };
    rows.flat_map(|instances| instances.iter().filter(fits).take(bounds.instances))
        .cloned()
        .collect()
}
