//! Identifiers with indices: `(_ bv5 8)`, `(_ is cons)`, `((_ extract 3 0) x)`, `((_ map f) a b)`.

use super::ScriptReader;
use super::scope::Global;
use crate::sort::{Sort, SortKind};
use crate::term::{Head, TermId};
use crate::value::{BitVec, Int, Str, Value};
use auspex_syntax::{Kind, Sexpr};

impl ScriptReader<'_> {
    pub(super) fn indexed(&mut self, head: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        let name = head.item(1)?.symbol()?;
        if args.is_empty()
            && let Some(term) = self.indexed_literal(head, name)
        {
            return Some(term);
        }
        let indices: Option<Vec<u64>> = head.items().skip(2).map(number).collect();
        if let Some(indices) = indices.filter(|indices| !indices.is_empty()) {
            let symbol = self.terms.symbols.intern(name);
            if !self.terms.rows_named(symbol).is_empty()
                && let Some(term) = self.terms.try_op_app(symbol, &indices, args)
            {
                return Some(term);
            }
        }
        match name {
            "is" => self.tester(head.item(2)?, args),
            "update" => self.updater(head.item(2)?, args),
            // z3's name, kept because z3 has no other.
            "update-field" => {
                let updated = self.updater(head.item(2)?, args)?;
                let sort = self.terms.sort(updated);
                Some(self.terms.opaque(&head.flat_text(), args, sort))
            }
            "as-array" if args.is_empty() => self.function_as_array(head.item(2)?.symbol()?),
            "real_algebraic_number" if args.is_empty() => Some(self.algebraic_number(head)),
            "map" => self.mapped(head, args),
            "nullable.lift" => self.lifted(head, args),
            "fmf.card" | "fmf.card.v" if args.is_empty() => {
                Some(self.terms.opaque(&head.flat_text(), &[], Sort::BOOL))
            }
            _ => None,
        }
    }

    /// `(_ bv5 8)`, `(_ char #x41)`.
    fn indexed_literal(&mut self, head: Sexpr<'_>, name: &str) -> Option<TermId> {
        if let Some(digits) = name.strip_prefix("bv")
            && head.count() == 3
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
        {
            let width: u32 = head.item(2)?.text().parse().ok().filter(|w| *w > 0)?;
            let bits = BitVec::from_int(width, &Int::parse(digits)?);
            let sort = self.terms.sorts.bit_vec(width);
            return Some(self.terms.literal_node(Value::BitVec(bits), sort));
        }
        if matches!(name, "char" | "Char") && head.count() == 3 {
            let text = head.item(2)?.text();
            let code = match text.strip_prefix("#x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => text.parse().ok()?,
            };
            let string = Str::new(&[code])?;
            return Some(self.terms.literal_node(Value::Str(string), Sort::STRING));
        }
        None
    }

    /// `((_ is constructor) x)`, where the constructor may be written with its rank as in z3.
    fn tester(&mut self, constructor: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        let name = constructor.symbol().or_else(|| constructor.head())?;
        let sort = self.terms.sort(*args.first()?);
        let number = self.constructor_number(sort, name)?;
        let tester = self.terms.tester(sort, number)?;
        self.terms.try_fun_app(tester, args)
    }

    fn updater(&mut self, selector: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        let selector = self.terms.symbols.intern(selector.symbol()?);
        let sort = self.terms.sort(*args.first()?);
        let (constructor, field) = self.selector_named(sort, selector)?;
        let updater = self.terms.updater(sort, constructor, field)?;
        let params = self.terms.fun(updater).params.clone();
        let args = self.settle_all(args, &params);
        self.terms.try_fun_app(updater, &args)
    }

    /// z3's `(_ as-array f)`: the function as an array value.
    fn function_as_array(&mut self, name: &str) -> Option<TermId> {
        let symbol = self.terms.symbols.intern(name);
        let mut funs = self.scope.globals(symbol).filter_map(Global::fun);
        let fun = funs.find(|fun| self.terms.fun(*fun).params.len() == 1)?;
        let (param, result) = (self.terms.fun(fun).params[0], self.terms.fun(fun).result);
        let sort = self.terms.sorts.array(param, result);
        Some(self.terms.node(Head::Fun(fun), &[], sort))
    }

    /// z3's `((_ map f) array…)`, where `f` is a name or `(name (sort…) sort)`. A set is an array too.
    fn mapped(&mut self, head: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        let function = head.item(2).filter(|_| head.count() == 3)?;
        let mut elements = Vec::new();
        let mut index = None;
        for arg in args {
            let (i, element) = match *self.terms.sorts.kind(self.terms.sort(*arg)) {
                SortKind::Array(i, element) => (i, element),
                SortKind::Set(i) => (i, Sort::BOOL),
                _ => return None,
            };
            if *index.get_or_insert(i) != i {
                return None;
            }
            elements.push(element);
        }
        let result = self.result_sort(function, &elements)?;
        let array = self.terms.sorts.array(index?, result);
        let first = self.terms.sort(*args.first()?);
        let is_set = matches!(self.terms.sorts.kind(first), SortKind::Set(_));
        let sort = if is_set && result == Sort::BOOL {
            first
        } else {
            array
        };
        Some(self.terms.opaque(&head.flat_text(), args, sort))
    }

    /// cvc5's `((_ nullable.lift f) nullable…)`.
    fn lifted(&mut self, head: Sexpr<'_>, args: &[TermId]) -> Option<TermId> {
        let mut elements = Vec::new();
        for arg in args {
            match *self.terms.sorts.kind(self.terms.sort(*arg)) {
                SortKind::Nullable(element) => elements.push(element),
                _ => return None,
            }
        }
        let result = self.result_sort(head.item(2)?, &elements)?;
        let sort = self.terms.sorts.intern(SortKind::Nullable(result));
        Some(self.terms.opaque(&head.flat_text(), args, sort))
    }

    /// The result sort of a named function for arguments of some sorts.
    fn result_sort(&mut self, function: Sexpr<'_>, params: &[Sort]) -> Option<Sort> {
        if function.is_list() && function.head() != Some("_") {
            let result = function.item(2)?;
            return Some(self.sort(result));
        }
        let name = function.symbol().or_else(|| function.item(1)?.symbol())?;
        let symbol = self.terms.symbols.intern(name);
        let mut funs = self.scope.globals(symbol).filter_map(Global::fun);
        if let Some(fun) = funs.find(|fun| *self.terms.fun(*fun).params == *params) {
            return Some(self.terms.fun(fun).result);
        }
        let indices: Option<Vec<u64>> = function.items().skip(2).map(number).collect();
        self.terms.op_result(symbol, &indices?, params)
    }
}

/// A numeral, possibly hexadecimal, as z3 writes some indices.
fn number(index: Sexpr<'_>) -> Option<u64> {
    match index.kind() {
        Kind::Numeral => index.text().parse().ok(),
        Kind::Hexadecimal => u64::from_str_radix(index.text().get(2..)?, 16).ok(),
        _ => None,
    }
}
