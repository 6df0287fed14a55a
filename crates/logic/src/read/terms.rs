//! Reads terms with an explicit stack, so that a million levels of nesting are safe. `let` is expanded: the DAG
//! shares subterms, and printing introduces `let` again.

use super::{Issue, ScriptReader};
use crate::Symbol;
use crate::sort::Sort;
use crate::term::{BinderKind, TermId};
use crate::words::Word;
use auspex_syntax::{Kind, Sexpr};
use std::borrow::Cow;
use std::ops::Range;

/// A list whose parts are being read; positions are those of the tape.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub form: Form,
    /// The whole list.
    pub at: u32,
    /// The next part to read, and where the parts end.
    pub next: u32,
    pub end: u32,
    /// Where the values of this list start.
    pub base: u32,
    /// Where its names, bound names, attributes or cases start.
    pub extra: u32,
}

/// The kind of a list, which decides what happens to its parts.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// `(name args…)`.
    Named(Symbol),
    /// `((_ …) args…)` or `((as …) args…)`.
    Compound,
    /// A list whose head is a term (or nothing of the grammar) and is read like an argument.
    TermHead,
    /// The values of a `let`; the parts are its bindings.
    LetValues,
    LetBody,
    Binder(BinderKind),
    /// The attributes of an annotated term; the parts are keywords and values.
    Attributes,
    /// The terms of one attribute.
    AttributeTerms,
    MatchSubject,
    /// The bodies of a `match`; the parts are its cases.
    MatchCases,
    /// The same where the patterns are not known.
    LooseCases,
}

pub(super) enum Step {
    Read(u32),
    Have(TermId),
    Resume,
}

impl ScriptReader<'_> {
    /// Reads a term. Never fails: unknown terms become opaque.
    pub fn term(&mut self, root: Sexpr<'_>) -> TermId {
        let floor = self.frames.len();
        let mut step = Step::Read(root.at());
        loop {
            step = match step {
                Step::Read(at) => {
                    let sexpr = root.tape().root(root.source(), at);
                    if sexpr.is_list() {
                        self.open(sexpr)
                    } else {
                        Step::Have(self.atom(sexpr))
                    }
                }
                Step::Have(term) if self.frames.len() == floor => return term,
                Step::Have(term) => {
                    self.values.push(term);
                    Step::Resume
                }
                Step::Resume => self.resume(root),
            }
        }
    }

    fn open(&mut self, sexpr: Sexpr<'_>) -> Step {
        let mut items = sexpr.items();
        let Some(head) = items.next() else {
            return Step::Have(self.unknown(sexpr, &[]));
        };
        let frame = Frame {
            form: Form::TermHead,
            at: sexpr.at(),
            next: head.after(),
            end: sexpr.after(),
            base: self.values.len() as u32,
            extra: 0,
        };
        let form = match self.name(head) {
            Some(symbol) => {
                if let Some(word) = self.terms.word(symbol) {
                    if let Some(step) = self.open_word(word, sexpr, frame) {
                        return step;
                    }
                    if word.has_parts_of_its_own() && self.is_unbound(word) {
                        return Step::Have(self.malformed(sexpr));
                    }
                }
                Form::Named(symbol)
            }
            None if matches!(head.head(), Some("_" | "as")) => Form::Compound,
            None => {
                let next = head.at();
                self.frames.push(Frame { next, ..frame });
                return Step::Resume;
            }
        };
        self.frames.push(Frame { form, ..frame });
        Step::Resume
    }

    /// Opens a form of the grammar, unless it has unexpected parts.
    fn open_word(&mut self, word: Word, sexpr: Sexpr<'_>, frame: Frame) -> Option<Step> {
        let binder = match word {
            Word::Indexed | Word::Qualified => return Some(Step::Have(self.identifier(sexpr))),
            Word::Let => return self.open_let(sexpr, frame),
            Word::Annotation => {
                let inner = sexpr.item(1)?;
                self.frames.push(Frame {
                    form: Form::Attributes,
                    next: inner.after(),
                    extra: self.attributes.len() as u32,
                    ..frame
                });
                return Some(Step::Read(inner.at()));
            }
            Word::Match => return self.open_match(sexpr, frame),
            Word::Apply if sexpr.count() >= 3 => {
                self.frames.push(frame);
                return Some(Step::Resume);
            }
            Word::Root if self.is_unbound(word) => {
                return Some(Step::Have(self.root_object(sexpr)));
            }
            Word::Apply | Word::Root | Word::True | Word::False => return None,
            Word::Forall => BinderKind::Forall,
            Word::Exists => BinderKind::Exists,
            Word::Lambda => BinderKind::Lambda,
            Word::Choice => BinderKind::Choice,
            Word::Comprehension => BinderKind::Comprehension,
        };
        self.open_binder(binder, sexpr, frame)
    }

    /// Whether a word outside of the standard still has its own meaning.
    fn is_unbound(&mut self, word: Word) -> bool {
        let symbol = self.terms.symbols.intern(word.name());
        self.scope.is_free(symbol)
    }

    fn open_let(&mut self, sexpr: Sexpr<'_>, frame: Frame) -> Option<Step> {
        let mut items = sexpr.items().skip(1);
        let (bindings, _, None) = (items.next()?, items.next()?, items.next()) else {
            return None;
        };
        let well_formed = |b: Sexpr<'_>| b.count() == 2 && b.head().is_some();
        if !bindings.is_list() || !bindings.items().all(well_formed) {
            return None;
        }
        self.frames.push(Frame {
            form: Form::LetValues,
            next: bindings.at() + 1,
            end: bindings.after(),
            extra: self.names.len() as u32,
            ..frame
        });
        Some(Step::Resume)
    }

    fn open_binder(&mut self, kind: BinderKind, sexpr: Sexpr<'_>, frame: Frame) -> Option<Step> {
        let bodies = 1 + usize::from(kind == BinderKind::Comprehension);
        if sexpr.count() != bodies + 2 {
            return None;
        }
        let (list, body) = (sexpr.item(1)?, sexpr.item(2)?);
        if list.items().next().is_none() || !self.binds_variables(list) {
            return None;
        }
        let start = self.variables.len();
        self.sorted_variables(list);
        let bound = self.scope.bound();
        for at in start..self.variables.len() {
            let (name, variable) = self.variables[at];
            self.scope.bind(name, variable);
        }
        self.frames.push(Frame {
            form: Form::Binder(kind),
            next: body.after(),
            extra: bound as u32,
            ..frame
        });
        Some(Step::Read(body.at()))
    }

    /// Whether a list is one of variables with sorts.
    pub(super) fn binds_variables(&self, list: Sexpr<'_>) -> bool {
        list.is_list() && list.items().all(|v| v.count() == 2 && v.head().is_some())
    }

    /// Pushes variables with their names in the text. A name in use (by an operator, a symbol of the script or an
    /// enclosing variable) is changed, so that moving terms never captures.
    pub(super) fn sorted_variables(&mut self, list: Sexpr<'_>) {
        for item in list.items() {
            let mut parts = item.items();
            let (Some(name), Some(sort)) = (parts.next(), parts.next()) else {
                continue;
            };
            let Some(name) = self.name(name) else {
                continue;
            };
            let sort = self.sort(sort);
            let variable = self.new_variable(name, sort);
            self.variables.push((name, variable));
        }
    }

    pub(super) fn new_variable(&mut self, name: Symbol, sort: Sort) -> TermId {
        if self.is_untaken(name) {
            return self.terms.variable(name, sort);
        }
        self.fresh_variable(name, sort)
    }

    fn is_untaken(&self, name: Symbol) -> bool {
        self.scope.is_free(name)
            && self.terms.rows_named(name).is_empty()
            && self.terms.word(name).is_none()
    }

    /// A variable with an unused name that starts like another's.
    pub(super) fn fresh_variable(&mut self, name: Symbol, sort: Sort) -> TermId {
        loop {
            self.fresh += 1;
            let fresh = format!("{}!{}", self.terms.symbols.name(name), self.fresh);
            let fresh = self.terms.symbols.intern(&fresh);
            if self.is_untaken(fresh) && !self.undeclared.contains(&fresh) {
                return self.terms.variable(fresh, sort);
            }
        }
    }

    fn resume(&mut self, root: Sexpr<'_>) -> Step {
        let Some(frame) = self.frames.last_mut() else {
            unreachable!("a step is resumed only inside a frame");
        };
        let sexpr = |at: u32| root.tape().root(root.source(), at);
        match frame.form {
            Form::Named(_) | Form::Compound | Form::TermHead | Form::AttributeTerms => {
                let parts = frame.next..frame.end;
                self.resume_parts(root, parts)
            }
            Form::LetValues => self.resume_let(root),
            Form::LetBody => {
                let bound = frame.extra as usize;
                self.frames.pop();
                self.scope.unbind(bound);
                Step::Have(self.pop_value())
            }
            Form::Binder(_) if frame.next < frame.end => {
                let next = frame.next;
                frame.next = sexpr(next).after();
                Step::Read(next)
            }
            Form::Binder(kind) => self.close_binder(kind),
            Form::Attributes => self.resume_attributes(root),
            Form::MatchSubject => self.resume_subject(root),
            Form::MatchCases => self.resume_match(root),
            Form::LooseCases => self.resume_loose_cases(root),
        }
    }

    /// Reads the parts of a list up to the next one that is a list itself.
    fn resume_parts(&mut self, root: Sexpr<'_>, parts: Range<u32>) -> Step {
        let mut next = parts.start;
        while next < parts.end {
            let part = root.tape().root(root.source(), next);
            next = part.after();
            if part.is_list() {
                if let Some(frame) = self.frames.last_mut() {
                    frame.next = next;
                }
                return self.open(part);
            }
            let term = self.atom(part);
            self.values.push(term);
        }
        self.close_list(root)
    }

    fn close_list(&mut self, root: Sexpr<'_>) -> Step {
        let Some(frame) = self.frames.pop() else {
            unreachable!("a list is closed inside its frame");
        };
        if matches!(frame.form, Form::AttributeTerms) {
            return Step::Resume;
        }
        let sexpr = root.tape().root(root.source(), frame.at);
        let base = frame.base as usize;
        let term = match frame.form {
            Form::Named(name) => self.named_application(sexpr, name, base),
            Form::Compound => self.compound_application(sexpr, base),
            _ => self.term_application(sexpr, base),
        };
        self.values.truncate(base);
        Step::Have(term)
    }

    fn resume_let(&mut self, root: Sexpr<'_>) -> Step {
        let Some(frame) = self.frames.last_mut() else {
            unreachable!("called with a let on top");
        };
        if frame.next < frame.end {
            let binding = root.tape().root(root.source(), frame.next);
            frame.next = binding.after();
            let mut parts = binding.items();
            let (Some(name), Some(value)) = (parts.next(), parts.next()) else {
                unreachable!("the bindings of an open let are well-formed");
            };
            let Some(name) = self.name(name) else {
                unreachable!("the bindings of an open let are well-formed");
            };
            self.names.push((name, self.binding.made));
            return Step::Read(value.at());
        }
        let (names, base) = (frame.extra as usize, frame.base as usize);
        let body = frame.end;
        frame.form = Form::LetBody;
        frame.extra = self.scope.bound() as u32;
        for ((name, made), value) in self.names[names..].iter().zip(&self.values[base..]) {
            self.scope.bind(*name, *value);
            if *made != self.binding.made {
                self.binding.values.insert(*value);
            }
        }
        self.names.truncate(names);
        self.values.truncate(base);
        // The body follows the list of bindings.
        Step::Read(body)
    }

    fn close_binder(&mut self, kind: BinderKind) -> Step {
        let Some(frame) = self.frames.pop() else {
            unreachable!("a binder is closed inside its frame");
        };
        let bound = frame.extra as usize;
        let count = self.scope.bound() - bound;
        self.scope.unbind(bound);
        let start = self.variables.len() - count;
        let mut variables: Vec<TermId> = self.variables[start..].iter().map(|(_, v)| *v).collect();
        self.variables.truncate(start);
        let mut body = self.pop_value();
        self.binding.made += 1;
        Step::Have(match kind {
            BinderKind::Comprehension => {
                let mut condition = self.pop_value();
                self.release_undeclared(&mut variables, [&mut condition, &mut body]);
                self.terms.comprehension(&variables, condition, body)
            }
            _ => {
                self.release_undeclared(&mut variables, [&mut body]);
                self.terms.quantified(kind, &variables, body)
            }
        })
    }

    pub(super) fn pop_value(&mut self) -> TermId {
        match self.values.pop() {
            Some(value) => value,
            None => unreachable!("the part of the form was just read"),
        }
    }

    fn atom(&mut self, sexpr: Sexpr<'_>) -> TermId {
        match sexpr.kind() {
            Kind::Symbol | Kind::QuotedSymbol => self.symbol(sexpr),
            Kind::Keyword | Kind::List => self.unknown(sexpr, &[]),
            _ => self.literal(sexpr),
        }
    }

    #[inline]
    fn symbol(&mut self, sexpr: Sexpr<'_>) -> TermId {
        let Some(symbol) = self.name(sexpr) else {
            return self.unknown(sexpr, &[]);
        };
        if let Some(local) = self.scope.local(symbol) {
            return self.local_value(local);
        }
        if let Some(super::scope::Global::Constant(_, term)) = self.scope.global(symbol) {
            return term;
        }
        self.rarer_symbol(sexpr, symbol)
    }

    fn rarer_symbol(&mut self, sexpr: Sexpr<'_>, symbol: Symbol) -> TermId {
        if let Some(term) = self.global_constant(symbol) {
            return term;
        }
        match self.terms.word(symbol) {
            Some(Word::True) => return self.terms.bool(true),
            Some(Word::False) => return self.terms.bool(false),
            _ => {}
        }
        if !self.terms.rows_named(symbol).is_empty() {
            if let Some(term) = self.terms.try_op_app(symbol, &[], &[]) {
                return term;
            }
            if let Some(pending) = self.pending_constant(sexpr, symbol) {
                return pending;
            }
        }
        let special = if sexpr.kind() == Kind::Symbol {
            self.special_symbol(sexpr)
        } else {
            None
        };
        special.unwrap_or_else(|| self.unknown(sexpr, &[]))
    }

    /// Keeps a malformed form as text, since its parts must not be read as terms. Read and printed, `((let () (f
    /// x)))` would become a list of bindings.
    fn malformed(&mut self, sexpr: Sexpr<'_>) -> TermId {
        self.only_text(sexpr);
        self.unknown(sexpr, &[])
    }

    /// Keeps a part that is not a term as text, with names that no variable may capture.
    pub(super) fn only_text(&mut self, sexpr: Sexpr<'_>) -> TermId {
        for at in sexpr.at()..sexpr.after() {
            if let Some(name) = sexpr.tape().root(sexpr.source(), at).symbol() {
                self.undeclared.insert(self.terms.symbols.intern(name));
            }
        }
        self.terms.opaque(&sexpr.flat_text(), &[], Sort::UNKNOWN)
    }

    /// Keeps an unknown term as text, with its arguments, if any.
    pub(super) fn unknown(&mut self, sexpr: Sexpr<'_>, args: &[TermId]) -> TermId {
        self.opaque_terms += 1;
        let head = if sexpr.is_list() && !args.is_empty() {
            sexpr.item(0).map_or(Cow::Borrowed(""), Sexpr::flat_text)
        } else {
            sexpr.flat_text()
        };
        let shown: String = head.chars().take(60).collect();
        self.issue(sexpr, Issue::UnknownSymbol(shown));
        // As the value of a `let` it may be used under a variable of that name; see `fresh`.
        let name = sexpr.symbol().or_else(|| sexpr.item(0)?.symbol());
        if let Some(name) = name {
            self.undeclared.insert(self.terms.symbols.intern(name));
        }
        self.terms.opaque(&head, args, Sort::UNKNOWN)
    }
}
