//! Writes terms with an explicit stack.

use super::sharing::worth_naming;
use crate::sort::SortKind;
use crate::term::{Attribute, BinderKind, FunKind, Head, Op, TermId, Terms};
use crate::value::Value;
use auspex_syntax::write_symbol;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Binders nested deeper than this get no `let` of their own: the writer recurses once per level.
const DEEPEST_LET: usize = 200;

pub(super) struct Writer<'t> {
    terms: &'t Terms,
    with_let: bool,
    names: FxHashMap<TermId, String>,
    counter: u32,
}

struct Frame {
    term: TermId,
    next: usize,
}

impl<'t> Writer<'t> {
    pub fn new(terms: &'t Terms, with_let: bool) -> Self {
        Writer {
            terms,
            with_let,
            names: FxHashMap::default(),
            counter: 0,
        }
    }

    /// Writes a term that opens a scope: the whole term, or the body of a binder.
    pub fn scoped(&mut self, out: &mut String, root: TermId, variables: &[TermId], depth: usize) {
        if !self.with_let || depth > DEEPEST_LET {
            return self.plain(out, root, depth);
        }
        let shared: Vec<TermId> = worth_naming(self.terms, root, variables)
            .into_iter()
            .filter(|t| !self.names.contains_key(t))
            .collect();
        for term in &shared {
            let name = self.fresh_name();
            out.push_str("(let ((");
            out.push_str(&name);
            out.push(' ');
            self.plain(out, *term, depth);
            out.push_str(")) ");
            self.names.insert(*term, name);
        }
        self.plain(out, root, depth);
        for term in &shared {
            out.push(')');
            self.names.remove(term);
        }
    }

    fn fresh_name(&mut self) -> String {
        loop {
            self.counter += 1;
            let name = format!("_{}", self.counter);
            if self.terms.symbols.find(&name).is_none() {
                return name;
            }
        }
    }

    fn plain(&mut self, out: &mut String, root: TermId, depth: usize) {
        let mut stack: Vec<Frame> = Vec::new();
        self.enter(out, root, &mut stack, depth);
        while let Some(frame) = stack.last_mut() {
            let (term, next) = (frame.term, frame.next);
            frame.next += 1;
            match self.terms.args(term).get(next) {
                Some(arg) => {
                    self.before_argument(out, term, next);
                    self.enter(out, *arg, &mut stack, depth);
                    // A leaf or a named term is complete at once.
                }
                None => {
                    self.close(out, term);
                    stack.pop();
                }
            }
        }
    }

    fn enter(&mut self, out: &mut String, term: TermId, stack: &mut Vec<Frame>, depth: usize) {
        if !self.names.is_empty()
            && let Some(name) = self.names.get(&term)
        {
            out.push_str(name);
            return;
        }
        if let (Head::Binder(number), true) = (self.terms.head(term), self.with_let) {
            self.open(out, term);
            out.push(' ');
            let variables = self.terms.binder(number).variables.clone();
            self.scoped(out, self.terms.args(term)[0], &variables, depth + 1);
            out.push(')');
            return;
        }
        if self.terms.args(term).is_empty() {
            self.leaf(out, term);
            return;
        }
        self.open(out, term);
        stack.push(Frame { term, next: 0 });
    }

    fn leaf(&self, out: &mut String, term: TermId) {
        match self.terms.head(term) {
            Head::Literal(number) => write_literal(out, self.terms.literal(number)),
            Head::Variable(name) => write_symbol(out, self.terms.symbols.name(name)),
            Head::Opaque(text) => out.push_str(self.terms.symbols.name(text)),
            Head::Op(op) => self.operator(out, op, term),
            Head::Fun(_) => self.function(out, term),
            Head::Binder(_) | Head::Match(_) | Head::Annotated(_) | Head::Apply => {
                unreachable!("these heads always have arguments")
            }
        }
    }

    /// Everything before the first argument, without the space.
    fn open(&self, out: &mut String, term: TermId) {
        out.push('(');
        match self.terms.head(term) {
            Head::Op(op) => self.operator(out, op, term),
            Head::Fun(_) => self.function(out, term),
            Head::Opaque(text) => out.push_str(self.terms.symbols.name(text)),
            Head::Annotated(_) => out.push('!'),
            Head::Match(_) => out.push_str("match"),
            Head::Apply => {}
            Head::Binder(number) => self.binder(out, number),
            Head::Literal(_) | Head::Variable(_) => unreachable!("leaves have no arguments"),
        }
    }

    fn binder(&self, out: &mut String, number: u32) {
        let binder = self.terms.binder(number);
        out.push_str(match binder.kind {
            BinderKind::Forall => "forall (",
            BinderKind::Exists => "exists (",
            BinderKind::Lambda => "lambda (",
            BinderKind::Choice => "choice (",
        });
        self.variables(out, &binder.variables);
        out.push(')');
    }

    pub(super) fn variables(&self, out: &mut String, variables: &[TermId]) {
        for (at, variable) in variables.iter().enumerate() {
            out.push_str(if at == 0 { "(" } else { " (" });
            self.leaf(out, *variable);
            out.push(' ');
            self.terms
                .sorts
                .write(out, &self.terms.symbols, self.terms.sort(*variable));
            out.push(')');
        }
    }

    /// What stands between the parts of a form.
    fn before_argument(&self, out: &mut String, term: TermId, next: usize) {
        match self.terms.head(term) {
            Head::Apply if next == 0 => {}
            Head::Opaque(text) if next == 0 && self.terms.symbols.name(text).is_empty() => {}
            Head::Match(number) if next > 0 => {
                out.push_str(if next == 1 { " ((" } else { ") (" });
                self.match_pattern(out, number, next - 1);
                out.push(' ');
            }
            Head::Annotated(number) if next > 0 => self.attributes(out, number, next - 1, false),
            _ => out.push(' '),
        }
    }

    fn close(&self, out: &mut String, term: TermId) {
        match self.terms.head(term) {
            Head::Match(_) if self.terms.args(term).len() > 1 => out.push_str("))"),
            Head::Match(_) => out.push_str(" ()"),
            Head::Annotated(number) => {
                self.attributes(out, number, self.terms.args(term).len() - 1, true);
            }
            _ => {}
        }
        out.push(')');
    }

    fn match_pattern(&self, out: &mut String, number: u32, case: usize) {
        let case = &self.terms.match_(number).cases[case];
        let Some(constructor) = case.constructor else {
            return case.variables.iter().for_each(|v| self.leaf(out, *v));
        };
        let name = self.terms.symbols.name(self.terms.fun(constructor).name);
        if case.variables.is_empty() {
            return write_symbol(out, name);
        }
        out.push('(');
        write_symbol(out, name);
        for variable in &case.variables {
            out.push(' ');
            self.leaf(out, *variable);
        }
        out.push(')');
    }

    /// The attributes between two attribute terms: closes a finished list of terms, writes those
    /// without terms, and opens the list to which the next term belongs.
    fn attributes(&self, out: &mut String, number: u32, terms_done: usize, at_end: bool) {
        let mut seen = 0usize;
        for (key, value) in &self.terms.annotation(number).attributes {
            let (first, count) = match value {
                Attribute::Terms(n) => (seen, *n as usize),
                _ => (seen, 0),
            };
            seen += count;
            let already = terms_done > first
                || count == 0 && terms_done > 0 && self.was_written(number, key, terms_done);
            if count > 0 && terms_done == seen {
                out.push(')');
            } else if count > 0 && first < terms_done && terms_done < seen {
                out.push(' ');
                return;
            }
            if already {
                continue;
            }
            out.push(' ');
            out.push_str(self.terms.symbols.name(*key));
            match value {
                Attribute::Bare => {}
                Attribute::Text(text) => {
                    out.push(' ');
                    out.push_str(self.terms.symbols.name(*text));
                }
                Attribute::Terms(0) => out.push_str(" ()"),
                Attribute::Terms(_) if at_end => {}
                Attribute::Terms(_) => {
                    out.push_str(" (");
                    return;
                }
            }
        }
    }

    /// Whether an attribute without terms stands before the list that holds the last written term.
    fn was_written(&self, number: u32, key: &crate::Symbol, terms_done: usize) -> bool {
        let mut seen = 0usize;
        for (k, value) in &self.terms.annotation(number).attributes {
            if k == key && !matches!(value, Attribute::Terms(n) if *n > 0) {
                return seen < terms_done;
            }
            if let Attribute::Terms(n) = value {
                seen += *n as usize;
            }
        }
        false
    }

    fn operator(&self, out: &mut String, op: Op, term: TermId) {
        let decl = self.terms.op(op);
        let indices = self.terms.op_indices(op);
        if decl.sig.qualified {
            out.push_str("(as ");
        }
        if !indices.is_empty() {
            out.push_str("(_ ");
        }
        write_symbol(out, &decl.name);
        for index in indices {
            let _ = write!(out, " {index}");
        }
        if !indices.is_empty() {
            out.push(')');
        }
        if decl.sig.qualified {
            out.push(' ');
            self.terms
                .sorts
                .write(out, &self.terms.symbols, self.terms.sort(term));
            out.push(')');
        }
    }

    fn function(&self, out: &mut String, term: TermId) {
        let Head::Fun(fun) = self.terms.head(term) else {
            return;
        };
        let decl = self.terms.fun(fun);
        let name = self.terms.symbols.name(decl.name);
        match decl.kind {
            FunKind::Tester(..) => wrapped(out, "(_ is ", name),
            FunKind::Updater(..) => wrapped(out, "(_ update ", name),
            FunKind::Constructor(id, _)
                if decl.params.is_empty()
                    && !self.terms.sorts.datatype(id).parameters.is_empty() =>
            {
                out.push_str("(as ");
                write_symbol(out, name);
                out.push(' ');
                self.terms
                    .sorts
                    .write(out, &self.terms.symbols, decl.result);
                out.push(')');
            }
            _ if self.is_as_array(term, &decl.params) => wrapped(out, "(_ as-array ", name),
            _ => write_symbol(out, name),
        }
    }

    fn is_as_array(&self, term: TermId, params: &[crate::sort::Sort]) -> bool {
        !params.is_empty()
            && self.terms.args(term).is_empty()
            && matches!(
                self.terms.sorts.kind(self.terms.sort(term)),
                SortKind::Array(..)
            )
    }
}

fn wrapped(out: &mut String, open: &str, name: &str) {
    out.push_str(open);
    write_symbol(out, name);
    out.push(')');
}

/// A literal as the theory writes it. Literals are never negative.
fn write_literal(out: &mut String, value: &Value) {
    let _ = match value {
        Value::Bool(b) => write!(out, "{b}"),
        Value::Int(int) => write!(out, "{int}"),
        Value::Real(rat) => write!(out, "{rat}"),
        Value::BitVec(bits) => write!(out, "{bits}"),
        Value::Rounding(mode) => write!(out, "{mode}"),
        Value::Str(string) => {
            auspex_syntax::write_string(out, &string.contents());
            Ok(())
        }
        other => unreachable!("{other:?} is no literal"),
    };
}
