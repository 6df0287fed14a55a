//! Instantiates rules: numbers and sorts for the parameters, terms for the variables.

use super::grow::{Grown, Leaves, Maker};
use super::kit::{Law, SortNo, Spec};
use crate::rules::pattern::{Node, SortPattern};
use crate::rules::{Bindings, Rule};
use auspex_logic::{Sort, SortKind, TermId};

/// A rule with sorts and numbers, but without terms for its variables.
pub(super) struct Chosen {
    pub rule: &'static Rule,
    /// What its letters stand for.
    pub bindings: Bindings,
    /// The sorts of the variables.
    pub sorts: Vec<SortNo>,
    /// Which variables must be literal values.
    pub valued: Box<[bool]>,
}

const TRIES: usize = 16;

impl Maker<'_> {
    /// A rule of the theories in focus with fitting parameters.
    pub fn choose_law(&mut self) -> Option<Chosen> {
        let law = self.kit.law(self.focus, self.draw)?;
        self.instantiate(law, &Bindings::default())
    }

    /// A rule `before = x` with a variable of the given sort on its right, and that variable's position.
    pub fn choose_identity(&mut self, sort: SortNo) -> Option<(Chosen, usize)> {
        for _ in 0..TRIES {
            let law = self.kit.law(self.focus, self.draw)?;
            if let Some(found) = self.as_identity(law, sort) {
                return Some(found);
            }
        }
        None
    }

    /// That rule for a variable of the given sort.
    pub fn as_identity(&mut self, law: &Law, sort: SortNo) -> Option<(Chosen, usize)> {
        let Node::Variable(at) = law.rule.right.node else {
            return None;
        };
        let at = usize::from(at);
        if !law.rule.is_identity() {
            return None;
        }
        let local = self.sort(sort);
        let mut bindings = Bindings::default();
        let wanted = &law.rule.variables[at].sort;
        if !wanted.matches(self.terms, local, &mut bindings) {
            return None;
        }
        Some((self.instantiate(law, &bindings)?, at))
    }

    /// A rule whose second side is that constant.
    pub fn choose_constant(&mut self, literal: TermId) -> Option<Chosen> {
        let local = self.terms.sort(literal);
        for _ in 0..4 * TRIES {
            let law = self.kit.law(self.focus, self.draw)?;
            let is_fixed = law.rule.right.node.is_constant();
            if !is_fixed || law.rule.relation.is_implication() {
                continue;
            }
            let mut bindings = Bindings::default();
            if let SortKind::BitVec(width) = self.terms.sorts.kind(local) {
                bindings.set_number('m', (*width).into());
            }
            if let Some(chosen) = self.instantiate(law, &bindings)
                && self.build(&chosen, &chosen.rule.right.node, &[]) == Some(literal)
            {
                return Some(chosen);
            }
        }
        None
    }

    /// Fills the parameters that are still open.
    pub fn instantiate(&mut self, law: &Law, known: &Bindings) -> Option<Chosen> {
        for _ in 0..TRIES {
            let mut bindings = *known;
            self.fill_numbers(law, &mut bindings);
            if !law.rule.sizes_hold(&bindings) {
                continue;
            }
            for letter in &law.sort_letters {
                if bindings.sort(*letter).is_none() {
                    let sort = self.any_sort()?;
                    let local = self.sort(sort);
                    bindings.set_sort(*letter, local);
                }
            }
            let variables = law.rule.variables.iter();
            let sorts: Option<Vec<SortNo>> = variables
                .map(|variable| self.number_of(&variable.sort, &bindings))
                .collect();
            if let Some(sorts) = sorts {
                return Some(Chosen {
                    rule: law.rule,
                    bindings,
                    sorts,
                    valued: law.valued.clone(),
                });
            }
        }
        None
    }

    fn fill_numbers(&mut self, law: &Law, bindings: &mut Bindings) {
        const SMALL: [u64; 6] = [4, 3, 2, 1, 4, 5];
        const WIDE: [u64; 8] = [4, 8, 1, 2, 16, 32, 3, 5];
        // Queries about wide formats often time out.
        const FORMATS: [(u64, u64); 6] = [(3, 5), (5, 11), (3, 5), (8, 24), (3, 5), (3, 5)];
        let mut variables = law.rule.variables.iter();
        let float = variables.any(|v| matches!(v.sort, SortPattern::Float(..)));
        let (eb, sb) = FORMATS[self.draw.index(FORMATS.len())];
        for letter in &law.number_letters {
            if bindings.has_number(*letter) {
                continue;
            }
            let number = match letter {
                'e' if float => eb,
                'k' if float => sb,
                'e' => 2 + self.draw.below(4),
                'm' | 'n' if law.rule.small => SMALL[self.draw.index(SMALL.len())],
                'm' | 'n' => WIDE[self.draw.index(WIDE.len())],
                // Positions in a vector, up to its width.
                _ => self.draw.below(bindings.number_of('m').unwrap_or(9) + 1),
            };
            bindings.set_number(*letter, number);
        }
    }

    /// Any sort in focus that has variables.
    pub fn any_sort(&mut self) -> Option<SortNo> {
        for _ in 0..TRIES {
            let at = super::kit::skewed(self.kit.kinds.len(), self.draw);
            let kind = &self.kit.kinds[at];
            if kind.is_first_class() && self.focus.includes(kind.theories) {
                return Some(SortNo(at as u16));
            }
        }
        None
    }

    /// The kit's sort for a sort of a rule.
    fn number_of(&mut self, sort: &SortPattern, bindings: &Bindings) -> Option<SortNo> {
        let spec = match sort {
            SortPattern::Exactly(sort) => Spec::Fixed(*sort),
            SortPattern::Any(letter) => return self.number_of_sort(bindings.sort(*letter)?),
            SortPattern::BitVec(width) => Spec::BitVec(width.width(bindings)?),
            SortPattern::Float(eb, sb) => Spec::Float(eb.width(bindings)?, sb.width(bindings)?),
            SortPattern::Array(index, element) => Spec::Array(
                self.number_of(index, bindings)?,
                self.number_of(element, bindings)?,
            ),
            SortPattern::Seq(element) => Spec::Seq(self.number_of(element, bindings)?),
            SortPattern::Set(element) => Spec::Set(self.number_of(element, bindings)?),
            SortPattern::Bag(element) => Spec::Bag(self.number_of(element, bindings)?),
            SortPattern::Number | SortPattern::Data | SortPattern::Field | SortPattern::Rest => {
                return None;
            }
        };
        self.kit.numbers.get(&spec).copied()
    }

    /// The kit's sort for a sort of the arena.
    pub fn number_of_sort(&self, sort: Sort) -> Option<SortNo> {
        let spec = match self.terms.sorts.kind(sort) {
            SortKind::BitVec(width) => Spec::BitVec(*width),
            SortKind::Float { eb, sb } => Spec::Float(*eb, *sb),
            SortKind::Array(index, element) => {
                let (index, element) = (*index, *element);
                Spec::Array(self.number_of_sort(index)?, self.number_of_sort(element)?)
            }
            SortKind::Seq(element) => Spec::Seq(self.number_of_sort(*element)?),
            SortKind::Set(element) => Spec::Set(self.number_of_sort(*element)?),
            SortKind::Bag(element) => Spec::Bag(self.number_of_sort(*element)?),
            _ => Spec::Fixed(sort),
        };
        self.kit.numbers.get(&spec).copied()
    }

    /// Terms for the variables of a rule: mostly variables; one is a term of the full depth.
    pub fn arguments(&mut self, chosen: &Chosen, depth: u64) -> Option<Vec<Grown>> {
        let mut arguments = Vec::with_capacity(chosen.sorts.len());
        let deep = self.draw.index(chosen.sorts.len().max(1));
        for (at, sort) in chosen.sorts.iter().enumerate() {
            let grown = if chosen.valued[at] {
                self.plain_literal(*sort)
            } else if !self.kit.kind(*sort).is_first_class() {
                self.leaves = Leaves::Ground;
                self.grow(*sort, depth.min(2))
            } else if depth > 0 && at == deep && self.draw.coin() {
                self.leaves = Leaves::Free;
                self.deep(*sort, depth)
            } else if depth > 0 && self.draw.one_in(3) {
                self.leaves = Leaves::Free;
                self.grow(*sort, 1)
            } else {
                self.any_variable(*sort)
            };
            arguments.push(grown?);
        }
        Some(arguments)
    }

    /// A new variable with some corner value.
    pub fn any_variable(&mut self, sort: SortNo) -> Option<Grown> {
        let pool = &self.kit.kind(sort).values;
        let value = pool.get(super::kit::skewed(pool.len(), self.draw))?.clone();
        let term = self.fresh(sort, value.clone());
        Some(Grown { term, value })
    }

    pub fn build(&mut self, chosen: &Chosen, node: &Node, variables: &[TermId]) -> Option<TermId> {
        node.build(self.terms, &chosen.bindings.with_terms(variables))
    }
}
