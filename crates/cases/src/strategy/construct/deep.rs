//! Makes terms and contexts of an exact depth: one path of operators goes all the way down and everything beside it
//! is shallow, so that the size is linear in the depth.
//!
//! ```text
//! (bvadd (bvnot (bvmul x0 x1)) #x1)                           a term of three levels
//! (bvnot (bvadd □ x0))                                        a context of two
//! ```

use super::grow::{Grown, Leaves, Maker};
use super::kit::{Instance, SortNo};
use auspex_logic::{Op, Sort, TermId};

/// The largest depth that a user can set.
pub const DEEPEST: u64 = 200;

/// How deep terms beside the path may be.
const BESIDE: u64 = 1;

/// An operator around a term, with its other arguments.
pub(super) struct Layer {
    op: Op,
    sort: Sort,
    args: Vec<TermId>,
    place: usize,
}

/// Layers around a term, innermost first, with the resulting sort and value.
pub(super) struct Context {
    pub layers: Vec<Layer>,
    pub sort: SortNo,
    pub grown: Grown,
}

impl Maker<'_> {
    /// A term of a sort whose longest path has exactly that many operators.
    pub fn deep(&mut self, sort: SortNo, levels: u64) -> Option<Grown> {
        if levels == 0 {
            let has_leaf = self.kit.kind(sort).is_first_class();
            return match has_leaf {
                true => self.leaf(sort),
                false => self.grow(sort, 0),
            };
        }
        const TRIES: usize = 8;
        for _ in 0..TRIES {
            let operator = match self.small {
                true => self.kit.small_operator(sort, self.draw),
                false => self.kit.operator(sort, self.focus, self.draw),
            };
            let Some(instance) = operator else {
                continue;
            };
            let fits = match levels {
                1 => !instance.args.is_empty(),
                _ => self.place(instance, sort).is_some(),
            };
            if fits {
                return self.over(instance, sort, levels - 1);
            }
        }
        None
    }

    /// An operator over terms of exactly that many levels.
    pub fn over(&mut self, instance: &Instance, sort: SortNo, below: u64) -> Option<Grown> {
        if below == 0 || self.small {
            return self.apply(instance, sort, below, None);
        }
        if self.is_forbidden(instance.row) {
            return None;
        }
        let place = self.place(instance, sort)?;
        let (known, outer) = (self.variables.len(), self.leaves);
        let in_regex = !self.kit.kind(sort).is_first_class();
        if in_regex || self.must_be_ground(instance) {
            self.leaves = Leaves::Ground;
        }
        let child = self.deep(instance.args[place], below);
        let grown = child.and_then(|child| self.beside(instance, sort, below, (place, &child)));
        self.leaves = outer;
        if grown.is_none() {
            self.forget(known);
        }
        grown
    }

    /// Keeps the child and draws its siblings again, without a search through the levels below.
    fn beside(
        &mut self,
        instance: &Instance,
        sort: SortNo,
        below: u64,
        child: (usize, &Grown),
    ) -> Option<Grown> {
        const TRIES: usize = 6;
        let depth = below.min(BESIDE);
        (0..TRIES).find_map(|_| self.apply(instance, sort, depth, Some(child)))
    }

    /// An argument of an operator that may be another operator.
    fn place(&mut self, instance: &Instance, sort: SortNo) -> Option<usize> {
        if instance.values_only {
            return None;
        }
        // Solvers require constant regular expressions, so their strings stay literals.
        let in_regex = !self.kit.kind(sort).is_first_class();
        let first = self.draw.index(instance.args.len());
        let count = instance.args.len();
        (0..count).map(|turn| (first + turn) % count).find(|at| {
            let kind = self.kit.kind(instance.args[*at]);
            !kind.groups.is_empty() && (!in_regex || !kind.is_first_class())
        })
    }

    /// A number of operators around a term of a sort; fewer if no draw gives a value.
    pub fn context(&mut self, sort: SortNo, grown: Grown, levels: u64) -> Context {
        let mut context = Context {
            layers: Vec::new(),
            sort,
            grown,
        };
        const TRIES: u64 = 4;
        let mut tries = levels * TRIES;
        while (context.layers.len() as u64) < levels && tries > 0 {
            tries -= 1;
            self.wrap(&mut context);
        }
        context
    }

    fn wrap(&mut self, context: &mut Context) -> Option<()> {
        let kit = self.kit;
        let (sort, instance) = kit.taker(context.sort, self.focus, self.draw)?;
        let takes = |arg: &SortNo| *arg == context.sort;
        let place = instance.args.iter().position(takes)?;
        let grown = self.apply(instance, *sort, BESIDE, Some((place, &context.grown)))?;
        let args = self.terms.args(grown.term).to_vec();
        // Some applications are written differently than requested.
        if args.get(place) != Some(&context.grown.term) {
            return None;
        }
        context.layers.push(Layer {
            op: self.terms.op_with(instance.row, &instance.indices),
            sort: self.sort(*sort),
            args,
            place,
        });
        context.sort = *sort;
        context.grown = grown;
        Some(())
    }

    /// Another term in the same context.
    pub fn inside(&mut self, layers: &[Layer], term: TermId) -> TermId {
        layers.iter().fold(term, |term, layer| {
            let mut args = layer.args.clone();
            args[layer.place] = term;
            self.terms.apply_fitting(layer.op, &args, layer.sort)
        })
    }
}
