//! Forms whose sort no signature row can express: tuples, relations, finite fields and the like.
//! They are sorted here and otherwise kept as they are, without a meaning.

use super::ScriptReader;
use crate::sort::{Sort, SortKind};
use crate::term::TermId;
use auspex_syntax::Sexpr;

impl ScriptReader<'_> {
    pub(super) fn special(
        &mut self,
        head: Sexpr<'_>,
        name: &str,
        indices: &[u64],
        args: &[TermId],
    ) -> Option<TermId> {
        let sort = self.special_sort(name, indices, args)?;
        Some(self.terms.opaque(head.text(), args, sort))
    }

    fn special_sort(&mut self, name: &str, indices: &[u64], args: &[TermId]) -> Option<Sort> {
        let sorts: Vec<Sort> = args.iter().map(|a| self.terms.sort(*a)).collect();
        match name {
            "tuple" | "mkTuple" => Some(self.tuple(&sorts)),
            "tuple.unit" => Some(self.tuple(&[])),
            "tuple.select" | "tuple_select" | "tupSel" => self
                .tuple_parts(*sorts.first()?)?
                .get(usize::try_from(*indices.first()?).ok()?)
                .copied(),
            "tuple.update" | "tuple_update" => sorts.first().copied(),
            "tuple.project" | "tuple_project" => {
                let parts = self.tuple_parts(*sorts.first()?)?;
                let chosen: Option<Vec<Sort>> = indices
                    .iter()
                    .map(|i| parts.get(usize::try_from(*i).ok()?).copied())
                    .collect();
                Some(self.tuple(&chosen?))
            }
            "rel.transpose" | "transpose" => {
                let mut parts = self.relation_parts(*sorts.first()?)?;
                parts.reverse();
                Some(self.relation(&parts))
            }
            "rel.tclosure" | "tclosure" => sorts.first().copied(),
            "rel.join" | "join" => {
                let (a, b) = (
                    self.relation_parts(*sorts.first()?)?,
                    self.relation_parts(*sorts.get(1)?)?,
                );
                let joined: Vec<Sort> = a[..a.len().checked_sub(1)?]
                    .iter()
                    .chain(b.get(1..)?)
                    .copied()
                    .collect();
                Some(self.relation(&joined))
            }
            "rel.product" | "product" => {
                let (a, b) = (
                    self.relation_parts(*sorts.first()?)?,
                    self.relation_parts(*sorts.get(1)?)?,
                );
                let joined: Vec<Sort> = a.into_iter().chain(b).collect();
                Some(self.relation(&joined))
            }
            "ff.add" | "ff.mul" | "ff.neg" | "ff.bitsum" => {
                let first = *sorts.first()?;
                matches!(self.terms.sorts.kind(first), SortKind::FiniteField(_)).then_some(first)
            }
            "sep" | "wand" | "pto" | "sep.emp" | "pto_set" => Some(Sort::BOOL),
            _ if name.starts_with("#f") => self.field_literal(name),
            _ => None,
        }
    }

    /// `(as ff3 (_ FiniteField 7))`, `(as sep.nil S)`, `(as @U_0 U)` and other constants named with their sort.
    pub(super) fn special_qualified(
        &mut self,
        head: Sexpr<'_>,
        name: &str,
        args: &[TermId],
        sort: Sort,
    ) -> Option<TermId> {
        let known = name.starts_with("ff")
            && matches!(self.terms.sorts.kind(sort), SortKind::FiniteField(_))
            || matches!(name, "sep.nil" | "univset" | "set.universe")
            || name.starts_with('@');
        known.then(|| self.terms.opaque(head.text(), args, sort))
    }

    /// `#f3m7` is the element 3 of the field of order 7.
    fn field_literal(&mut self, name: &str) -> Option<Sort> {
        let (_, order) = name.strip_prefix("#f")?.split_once('m')?;
        let order = self.terms.symbols.intern(order);
        Some(self.terms.sorts.intern(SortKind::FiniteField(order)))
    }

    fn tuple(&mut self, parts: &[Sort]) -> Sort {
        self.terms.sorts.intern(SortKind::Tuple(parts.into()))
    }

    fn tuple_parts(&self, sort: Sort) -> Option<Vec<Sort>> {
        match self.terms.sorts.kind(sort) {
            SortKind::Tuple(parts) => Some(parts.to_vec()),
            _ => None,
        }
    }

    fn relation(&mut self, parts: &[Sort]) -> Sort {
        let tuple = self.tuple(parts);
        self.terms.sorts.set(tuple)
    }

    fn relation_parts(&self, sort: Sort) -> Option<Vec<Sort>> {
        match self.terms.sorts.kind(sort) {
            SortKind::Set(element) | SortKind::Bag(element) => self.tuple_parts(*element),
            _ => None,
        }
    }
}
