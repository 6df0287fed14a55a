//! Instantiates rules: numbers and sorts for the parameters, terms for the variables.

use super::grow::{Grown, Leaves, Maker};
use super::kit::{Law, SortNo, Spec};
use crate::rules::template::{Expr, Node, Shape};
use crate::rules::{Compiled, Kind, Parameters, matching};
use auspex_logic::{Sort, SortKind, TermId};

/// A rule with sorts and numbers, but without terms for its variables.
pub(super) struct Chosen {
    pub compiled: &'static Compiled,
    pub parameters: Parameters,
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
        self.instantiate(law, &Parameters::default())
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
        let Node::Variable(at) = law.compiled.after else {
            return None;
        };
        if !law.compiled.is_identity() {
            return None;
        }
        let local = self.sort(sort);
        let mut parameters = Parameters::default();
        let (_, shape) = &law.compiled.variables[at];
        if !matching::shape(self.terms, shape, local, &mut parameters) {
            return None;
        }
        Some((self.instantiate(law, &parameters)?, at))
    }

    /// A rule whose second side is that constant.
    pub fn choose_constant(&mut self, literal: TermId) -> Option<Chosen> {
        let local = self.terms.sort(literal);
        for _ in 0..4 * TRIES {
            let law = self.kit.law(self.focus, self.draw)?;
            let fixed = matches!(
                law.compiled.after,
                Node::Literal(..) | Node::Number(_) | Node::Bits(..)
            );
            if !fixed || law.compiled.rule.kind == Kind::Implication {
                continue;
            }
            let mut parameters = Parameters::default();
            if let SortKind::BitVec(width) = self.terms.sorts.kind(local) {
                parameters.set_number('m', (*width).into());
            }
            if let Some(chosen) = self.instantiate(law, &parameters)
                && self.build(&chosen, &chosen.compiled.after, &[]) == Some(literal)
            {
                return Some(chosen);
            }
        }
        None
    }

    /// Fills the parameters that are still open.
    pub fn instantiate(&mut self, law: &Law, known: &Parameters) -> Option<Chosen> {
        for _ in 0..TRIES {
            let mut parameters = known.clone();
            self.fill_numbers(law, &mut parameters);
            if !law.compiled.sizes_hold(&parameters) {
                continue;
            }
            for letter in &law.sort_letters {
                if parameters.sort(*letter).is_none() {
                    let sort = self.any_sort()?;
                    let local = self.sort(sort);
                    parameters.set_sort(*letter, local);
                }
            }
            let shapes = law.compiled.variables.iter();
            let sorts: Option<Vec<SortNo>> = shapes
                .map(|(_, shape)| self.number_of(shape, &parameters))
                .collect();
            if let Some(sorts) = sorts {
                return Some(Chosen {
                    compiled: law.compiled,
                    parameters,
                    sorts,
                    valued: law.valued.clone(),
                });
            }
        }
        None
    }

    fn fill_numbers(&mut self, law: &Law, parameters: &mut Parameters) {
        const SMALL: [u64; 6] = [4, 3, 2, 1, 4, 5];
        const WIDE: [u64; 8] = [4, 8, 1, 2, 16, 32, 3, 5];
        // Queries about wide formats often time out.
        const FORMATS: [(u64, u64); 6] = [(3, 5), (5, 11), (3, 5), (8, 24), (3, 5), (3, 5)];
        let mut shapes = law.compiled.variables.iter();
        let float = shapes.any(|(_, shape)| matches!(shape, Shape::Float(..)));
        let (eb, sb) = FORMATS[self.draw.index(FORMATS.len())];
        for letter in &law.number_letters {
            if parameters.number(*letter).is_some() {
                continue;
            }
            let number = match letter {
                'e' if float => eb,
                'k' if float => sb,
                'e' => 2 + self.draw.below(4),
                'm' | 'n' if law.compiled.rule.small => SMALL[self.draw.index(SMALL.len())],
                'm' | 'n' => WIDE[self.draw.index(WIDE.len())],
                // Positions in a vector, up to its width.
                _ => self.draw.below(parameters.number('m').unwrap_or(9) + 1),
            };
            parameters.set_number(*letter, number);
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

    /// The kit's sort for a shape.
    fn number_of(&mut self, shape: &Shape, parameters: &Parameters) -> Option<SortNo> {
        let number = |expr: &Expr| {
            let value = expr.value(parameters)?.to_u64()?;
            u32::try_from(value).ok()
        };
        let spec = match shape {
            Shape::Fixed(sort) => Spec::Fixed(*sort),
            Shape::Letter(letter) => return self.number_of_sort(parameters.sort(*letter)?),
            Shape::BitVec(width) => Spec::BitVec(number(width)?),
            Shape::Float(eb, sb) => Spec::Float(number(eb)?, number(sb)?),
            Shape::Array(index, element) => Spec::Array(
                self.number_of(index, parameters)?,
                self.number_of(element, parameters)?,
            ),
            Shape::Seq(element) => Spec::Seq(self.number_of(element, parameters)?),
            Shape::Set(element) => Spec::Set(self.number_of(element, parameters)?),
            Shape::Bag(element) => Spec::Bag(self.number_of(element, parameters)?),
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
        node.build(self.terms, &chosen.parameters, variables)
    }
}
