//! Prints terms with an explicit stack of pieces, the next piece last.

use super::decimal::{write_bits, write_decimal};
use super::sharing::shared;
use crate::Symbol;
use crate::digits::write_number;
use crate::sort::SortKind;
use crate::term::{Attribute, BinderKind, FunDecl, FunKind, Head, Op, TermId, Terms};
use crate::value::Value;
use auspex_syntax::write_symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Binders nested deeper than this get no `let` in their bodies: finding shared subterms takes time proportional to
/// the body.
const DEEPEST_LET: usize = 200;

pub(super) struct Writer<'t> {
    terms: &'t Terms,
    with_let: bool,
    /// The `let` names in scope.
    names: FxHashMap<TermId, u32>,
    counter: u32,
    /// The bound variables in scope.
    in_scope: FxHashSet<TermId>,
    /// What to restore at the end of each binder's body.
    bodies: Vec<Restore>,
    work: Vec<Work>,
    /// Constructors that are written with their sort.
    pub overloaded: FxHashSet<Symbol>,
    /// Terms whose texts are given.
    pub known: &'t [(TermId, &'t str)],
}

struct Restore {
    /// Variables that come into scope with the body.
    added: Vec<TermId>,
    /// The names in use outside, if some mention a variable that the body binds anew.
    names: Option<FxHashMap<TermId, u32>>,
}

/// A piece still to be written.
#[derive(Clone, Copy)]
enum Work {
    Text(&'static str),
    /// The text of a symbol, as it is.
    Raw(Symbol),
    /// A space and a term, by its name if it has one.
    Argument(TermId),
    Term(TermId),
    /// A term itself, even if it has a name.
    Plain(TermId),
    /// The body of a binder, which may have shared parts of its own.
    Body(TermId, u32),
    /// A `let` name, written and (after its definition) put into use.
    LetName(u32),
    Name(TermId, u32),
    /// Ends the scope of a name, or the body of a binder.
    Unname(TermId),
    EndBody,
    /// The pattern of a `match`'s case.
    Pattern(u32, u32),
}

impl<'t> Writer<'t> {
    pub fn new(terms: &'t Terms) -> Self {
        Writer {
            terms,
            with_let: false,
            names: FxHashMap::default(),
            counter: 0,
            in_scope: FxHashSet::default(),
            bodies: Vec::new(),
            // Room for most terms without growing.
            work: Vec::with_capacity(32),
            overloaded: FxHashSet::default(),
            known: &[],
        }
    }

    /// Writes a whole term.
    pub fn term(&mut self, out: &mut String, root: TermId, with_let: bool) {
        self.with_let = with_let;
        self.counter = 0;
        if with_let {
            self.in_scope.clear();
            self.in_scope.extend(self.terms.free_variables(root));
            self.scope(root, None);
        } else {
            self.work.push(Work::Plain(root));
        }
        while let Some(work) = self.work.pop() {
            self.step(out, work);
        }
    }

    #[inline]
    fn step(&mut self, out: &mut String, work: Work) {
        match work {
            Work::Text(text) => out.push_str(text),
            Work::Raw(symbol) => out.push_str(self.terms.symbols.name(symbol)),
            Work::Argument(term) => {
                out.push(' ');
                self.shared_or_plain(out, term);
            }
            Work::Term(term) => self.shared_or_plain(out, term),
            Work::Plain(term) => self.plain(out, term),
            Work::Body(body, binder) => {
                if !self.with_let {
                    return self.plain(out, body);
                }
                let terms = self.terms;
                let variables = &terms.binder(binder).variables;
                self.enter_body(variables);
                self.work.push(Work::EndBody);
                self.scope(body, Some(variables));
            }
            Work::LetName(number) => let_name(out, number),
            Work::Name(term, number) => {
                self.names.insert(term, number);
            }
            Work::Unname(term) => {
                self.names.remove(&term);
                out.push(')');
            }
            Work::EndBody => self.leave_body(),
            Work::Pattern(number, case) => self.match_pattern(out, number, case as usize),
        }
    }

    fn enter_body(&mut self, variables: &[TermId]) {
        let mut restore = Restore {
            added: Vec::new(),
            names: None,
        };
        for variable in variables {
            if self.in_scope.insert(*variable) {
                restore.added.push(*variable);
            } else if restore.names.is_none() {
                // Terms that mention the outer variable of this name mean something else inside.
                restore.names = Some(self.names.clone());
            }
        }
        if restore.names.is_some() {
            let terms = self.terms;
            let closed = |term: &TermId| {
                let free = terms.free_variables(*term);
                !variables.iter().any(|v| free.contains(v))
            };
            self.names.retain(|term, _| closed(term));
        }
        self.bodies.push(restore);
    }

    fn leave_body(&mut self) {
        let Some(restore) = self.bodies.pop() else {
            unreachable!("every body that ends was entered");
        };
        for variable in restore.added {
            self.in_scope.remove(&variable);
        }
        if let Some(names) = restore.names {
            self.names = names;
        }
    }

    /// Starts a scope: the whole term, or the body of a binder with its variables. Shared subterms get names if they
    /// mention only variables in scope and, in a binder's body, at least one of its own.
    fn scope(&mut self, root: TermId, variables: Option<&[TermId]>) {
        if self.bodies.len() > DEEPEST_LET {
            self.work.push(Work::Term(root));
            return;
        }
        let mut numbered = Vec::new();
        for term in shared(self.terms, root) {
            let free = self.terms.free_variables(term);
            let own = variables.is_none_or(|own| own.iter().any(|v| free.contains(v)));
            if own
                && !self.names.contains_key(&term)
                && free.iter().all(|v| self.in_scope.contains(v))
            {
                numbered.push((term, self.fresh()));
            }
        }
        let ends = numbered.iter().map(|(term, _)| Work::Unname(*term));
        self.work.extend(ends);
        self.work.push(Work::Term(root));
        for (term, number) in numbered.into_iter().rev() {
            self.work.extend([
                Work::Text(")) "),
                Work::Name(term, number),
                Work::Plain(term),
                Work::Text(" "),
                Work::LetName(number),
                Work::Text("(let (("),
            ]);
        }
    }

    /// A number such that `_number` is not a symbol of the arena.
    fn fresh(&mut self) -> u32 {
        let mut name = String::new();
        loop {
            self.counter += 1;
            name.clear();
            let_name(&mut name, self.counter);
            if self.terms.symbols.find(&name).is_none() {
                return self.counter;
            }
        }
    }

    fn shared_or_plain(&mut self, out: &mut String, term: TermId) {
        if !self.names.is_empty()
            && let Some(number) = self.names.get(&term)
        {
            return let_name(out, *number);
        }
        self.plain(out, term);
    }

    fn plain(&mut self, out: &mut String, term: TermId) {
        if let Some((_, text)) = self.known.iter().find(|(known, _)| *known == term) {
            return out.push_str(text);
        }
        let terms = self.terms;
        let (head, args) = (terms.head(term), terms.args(term));
        if args.is_empty() {
            return self.leaf(out, term, head);
        }
        out.push('(');
        match head {
            Head::Op(op) => self.operator(out, op, term),
            Head::Fun(_) => self.function(out, term, head),
            Head::Opaque(text) => {
                let text = terms.symbols.name(text);
                out.push_str(text);
                if text.is_empty() {
                    return self.headless(args);
                }
            }
            Head::Apply => return self.headless(args),
            Head::Binder(number) => return self.binder(out, number, args),
            Head::Match(number) => return self.match_(out, number, args),
            Head::Annotated(number) => return self.annotated(out, number, args),
            Head::Literal(_) | Head::Variable(_) => unreachable!("leaves have no arguments"),
        }
        self.work.push(Work::Text(")"));
        self.work
            .extend(args.iter().rev().map(|arg| Work::Argument(*arg)));
    }

    /// The first argument is printed as the head.
    fn headless(&mut self, args: &[TermId]) {
        self.work.push(Work::Text(")"));
        let others = args[1..].iter().rev().map(|arg| Work::Argument(*arg));
        self.work.extend(others);
        self.work.push(Work::Term(args[0]));
    }

    fn leaf(&self, out: &mut String, term: TermId, head: Head) {
        match head {
            Head::Literal(number) => write_literal(out, self.terms.literal(number)),
            Head::Variable(name) => write_symbol(out, self.terms.symbols.name(name)),
            Head::Opaque(text) => out.push_str(self.terms.symbols.name(text)),
            Head::Op(op) => self.operator(out, op, term),
            Head::Fun(_) => self.function(out, term, head),
            Head::Binder(_) | Head::Match(_) | Head::Annotated(_) | Head::Apply => {
                unreachable!("these heads always have arguments")
            }
        }
    }

    fn binder(&mut self, out: &mut String, number: u32, bodies: &[TermId]) {
        let binder = self.terms.binder(number);
        out.push_str(match binder.kind {
            BinderKind::Forall => "forall (",
            BinderKind::Exists => "exists (",
            BinderKind::Lambda => "lambda (",
            BinderKind::Choice => "choice (",
            BinderKind::Comprehension => "set.comprehension (",
        });
        self.variables(out, &binder.variables);
        out.push_str(") ");
        self.work.push(Work::Text(")"));
        for (at, body) in bodies.iter().enumerate().rev() {
            self.work.push(Work::Body(*body, number));
            if at > 0 {
                self.work.push(Work::Text(" "));
            }
        }
    }

    pub fn variables(&self, out: &mut String, variables: &[TermId]) {
        for (at, variable) in variables.iter().enumerate() {
            out.push_str(if at == 0 { "(" } else { " (" });
            self.leaf(out, *variable, self.terms.head(*variable));
            out.push(' ');
            let sort = self.terms.sort(*variable);
            self.terms.sorts.write(out, &self.terms.symbols, sort);
            out.push(')');
        }
    }

    fn match_(&mut self, out: &mut String, number: u32, args: &[TermId]) {
        out.push_str("match");
        self.work.push(Work::Text("))"));
        for (case, body) in args[1..].iter().enumerate().rev() {
            self.work.extend([
                Work::Text(")"),
                Work::Argument(*body),
                Work::Pattern(number, case as u32),
                Work::Text(if case == 0 { "(" } else { " (" }),
            ]);
        }
        self.work
            .extend([Work::Text(" ("), Work::Argument(args[0])]);
    }

    fn match_pattern(&self, out: &mut String, number: u32, case: usize) {
        let case = &self.terms.match_(number).cases[case];
        let variable = |out: &mut String, v: &TermId| self.leaf(out, *v, self.terms.head(*v));
        let Some(constructor) = case.constructor else {
            return case.variables.iter().for_each(|v| variable(out, v));
        };
        let name = self.terms.symbols.name(self.terms.fun(constructor).name);
        if case.variables.is_empty() {
            return write_symbol(out, name);
        }
        out.push('(');
        write_symbol(out, name);
        for v in &case.variables {
            out.push(' ');
            variable(out, v);
        }
        out.push(')');
    }

    fn annotated(&mut self, out: &mut String, number: u32, args: &[TermId]) {
        out.push('!');
        let attributes = &self.terms.annotation(number).attributes;
        self.work.push(Work::Text(")"));
        let mut rest = args;
        for (key, value) in attributes.iter().rev() {
            let count = match value {
                Attribute::Bare | Attribute::Text(_) => 0,
                Attribute::Term => 1,
                Attribute::Terms(count) => *count as usize,
            };
            let (before, own) = rest.split_at(rest.len() - count);
            rest = before;
            match value {
                Attribute::Bare => {}
                Attribute::Text(text) => self.work.extend([Work::Raw(*text), Work::Text(" ")]),
                Attribute::Term => self.work.push(Work::Argument(own[0])),
                Attribute::Terms(0) => self.work.push(Work::Text(" ()")),
                Attribute::Terms(_) => {
                    self.headless(own);
                    self.work.push(Work::Text(" ("));
                }
            }
            self.work.extend([Work::Raw(*key), Work::Text(" ")]);
        }
        self.work.push(Work::Argument(args[0]));
    }

    pub fn head(&self, out: &mut String, term: TermId) {
        match self.terms.head(term) {
            Head::Op(op) => self.operator(out, op, term),
            head => self.function(out, term, head),
        }
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
        out.push_str(&decl.written);
        for index in indices {
            out.push(' ');
            write_number(out, *index);
        }
        if !indices.is_empty() {
            out.push(')');
        }
        if decl.sig.qualified {
            out.push(' ');
            let sort = self.terms.sort(term);
            self.terms.sorts.write(out, &self.terms.symbols, sort);
            out.push(')');
        }
    }

    fn function(&self, out: &mut String, term: TermId, head: Head) {
        let Head::Fun(fun) = head else {
            return;
        };
        let decl = self.terms.fun(fun);
        let name = self.terms.symbols.name(decl.name);
        match decl.kind {
            FunKind::Tester(..) => wrapped(out, "(_ is ", name),
            FunKind::Updater(..) => wrapped(out, "(_ update ", name),
            FunKind::Constructor(..) if self.needs_sort(decl) => {
                out.push_str("(as ");
                write_symbol(out, name);
                out.push(' ');
                let sort = decl.result;
                self.terms.sorts.write(out, &self.terms.symbols, sort);
                out.push(')');
            }
            _ if self.is_as_array(term, decl) => wrapped(out, "(_ as-array ", name),
            _ => write_symbol(out, name),
        }
    }

    /// Whether a constructor's arguments do not determine the instance of its datatype.
    fn needs_sort(&self, constructor: &FunDecl) -> bool {
        let FunKind::Constructor(id, number) = constructor.kind else {
            return false;
        };
        if self.overloaded.contains(&constructor.name) {
            return true;
        }
        let datatype = self.terms.sorts.datatype(id);
        let fields = &datatype.constructors[number as usize].selectors;
        let told = |parameter: &Symbol| {
            let sorts = &self.terms.sorts;
            let mut fields = fields.iter().map(|(_, sort)| *sort);
            fields.any(|field| sorts.mentions(field, *parameter))
        };
        !datatype.parameters.iter().all(told)
    }

    fn is_as_array(&self, term: TermId, decl: &FunDecl) -> bool {
        let sorts = &self.terms.sorts;
        !decl.params.is_empty()
            && self.terms.args(term).is_empty()
            && matches!(sorts.kind(self.terms.sort(term)), SortKind::Array(..))
    }
}

fn let_name(out: &mut String, number: u32) {
    out.push('_');
    write_number(out, number.into());
}

fn wrapped(out: &mut String, open: &str, name: &str) {
    out.push_str(open);
    write_symbol(out, name);
    out.push(')');
}

/// A literal as the theory writes it. Literals are never negative.
fn write_literal(out: &mut String, value: &Value) {
    let _ = match value {
        Value::Bool(b) => {
            out.push_str(if *b { "true" } else { "false" });
            Ok(())
        }
        Value::Int(int) => write!(out, "{int}"),
        Value::Real(rat) => {
            write_decimal(out, rat);
            Ok(())
        }
        Value::BitVec(bits) => match bits.to_u64() {
            // Digits of such a literal would be nearly all zeros, and may be billions.
            Some(small) if bits.width() > 1 << 12 => {
                write!(out, "(_ bv{small} {})", bits.width())
            }
            Some(small) if (1..=64).contains(&bits.width()) => {
                write_bits(out, small, bits.width());
                Ok(())
            }
            _ => write!(out, "{bits}"),
        },
        Value::Rounding(mode) => write!(out, "{mode}"),
        Value::Str(string) => {
            auspex_syntax::write_string(out, &string.contents());
            Ok(())
        }
        Value::Irrational(irrational) => write!(out, "{irrational}"),
        other => unreachable!("{other:?} is no literal"),
    };
}
