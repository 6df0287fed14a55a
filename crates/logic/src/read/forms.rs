//! Reads annotated terms and `match`.

use super::ScriptReader;
use super::terms::{Form, Frame, Step};
use crate::Symbol;
use crate::script::{Definition, DefinitionKind};
use crate::sort::Sort;
use crate::term::{Annotation, Attribute, FunDecl, FunKind, Match, MatchCase, TermId};
use auspex_syntax::{Kind, Sexpr};

impl ScriptReader<'_> {
    pub(super) fn resume_attributes(&mut self, root: Sexpr<'_>) -> Step {
        let Some(frame) = self.frames.last_mut() else {
            unreachable!("called with attributes on top");
        };
        let sexpr = |at: u32| root.tape().root(root.source(), at);
        if frame.next >= frame.end {
            let (base, start) = (frame.base as usize, frame.extra as usize);
            self.frames.pop();
            return Step::Have(self.annotated(base, start));
        }
        let key = sexpr(frame.next);
        frame.next = key.after();
        let is_value = |at: u32, end: u32| at < end && sexpr(at).kind() != Kind::Keyword;
        let value = is_value(frame.next, frame.end).then(|| sexpr(frame.next));
        if let Some(value) = value {
            frame.next = value.after();
        }
        let key_symbol = self.terms.symbols.intern(key.text());
        let (attribute, step) = match (key.text(), value) {
            (":pattern", Some(list)) if list.is_list() => {
                self.frames.push(Frame {
                    form: Form::AttributeTerms,
                    at: list.at(),
                    next: list.at() + 1,
                    end: list.after(),
                    base: 0,
                    extra: 0,
                });
                (Attribute::Terms(list.count() as u32), Step::Resume)
            }
            (":no-pattern", Some(term)) => (Attribute::Term, Step::Read(term.at())),
            (":named", Some(name)) if name.symbol().is_some() => {
                self.named_here.push(self.attributes.len() as u32);
                (self.text_attribute(name), Step::Resume)
            }
            (_, Some(value)) => (self.text_attribute(value), Step::Resume),
            (_, None) => (Attribute::Bare, Step::Resume),
        };
        self.attributes.push((key_symbol, attribute));
        step
    }

    fn text_attribute(&mut self, value: Sexpr<'_>) -> Attribute {
        Attribute::Text(self.terms.symbols.intern(&value.portable_text()))
    }

    fn annotated(&mut self, base: usize, start: usize) -> TermId {
        let inner = self.values[base];
        let mut names = Vec::new();
        while let Some(at) = self.named_here.pop_if(|at| *at as usize >= start) {
            if let Attribute::Text(text) = self.attributes[at as usize].1 {
                names.push(text);
            }
        }
        let attributes = self.attributes.drain(start..).collect();
        let annotation = Annotation { attributes };
        let term = self.terms.annotated_node(annotation, &self.values[base..]);
        for text in names {
            self.name_term(text, inner, term);
        }
        self.values.truncate(base);
        term
    }

    /// The name in a symbol's text.
    pub(super) fn name_of_text(&mut self, text: Symbol) -> Symbol {
        let quoted = self.terms.symbols.name(text);
        let inside = quoted.strip_prefix('|').and_then(|t| t.strip_suffix('|'));
        match inside.map(str::to_owned) {
            Some(inside) => self.terms.symbols.intern(&inside),
            None => text,
        }
    }

    /// Records a named term, which can be used by its name afterwards. No solver accepts a name that has another
    /// meaning; with `let` the terms of a command may be written in another order, and the name would be ambiguous.
    fn name_term(&mut self, text: Symbol, body: TermId, place: TermId) {
        let name = self.name_of_text(text);
        let mut named = self.named.iter();
        if named.any(|(at, d)| *at == place && self.terms.fun(d.fun).name == name) {
            return;
        }
        self.renames |= self.scope.global(name).is_some() || self.undeclared.contains(&name);
        let fun = self.terms.declare(FunDecl {
            name,
            params: Box::default(),
            result: self.terms.sort(body),
            kind: FunKind::Defined,
        });
        self.add_fun(fun);
        let definition = Definition {
            fun,
            variables: vec![],
            body,
            how: DefinitionKind::Named,
        };
        self.named.push((place, definition));
    }

    pub(super) fn open_match(&mut self, sexpr: Sexpr<'_>, frame: Frame) -> Option<Step> {
        let mut items = sexpr.items().skip(1);
        let (subject, cases, None) = (items.next()?, items.next()?, items.next()) else {
            return None;
        };
        let is_pattern = |p: Sexpr<'_>| {
            p.symbol().is_some()
                || p.head().is_some() && p.items().all(|part| part.symbol().is_some())
        };
        let is_case = |c: Sexpr<'_>| c.count() == 2 && c.item(0).is_some_and(is_pattern);
        if cases.items().next().is_none() || !cases.items().all(is_case) {
            return None;
        }
        self.frames.push(Frame {
            form: Form::MatchSubject,
            next: cases.at() + 1,
            end: cases.after(),
            ..frame
        });
        Some(Step::Read(subject.at()))
    }

    /// Continues with the cases if every pattern has a constructor of the subject's sort; otherwise the form is kept
    /// as an unknown one.
    pub(super) fn resume_subject(&mut self, root: Sexpr<'_>) -> Step {
        let Some(&frame) = self.frames.last() else {
            unreachable!("called with a match on top");
        };
        let sexpr = |at: u32| root.tape().root(root.source(), at);
        let sort = self.terms.sort(self.values[frame.base as usize]);
        let mut at = frame.next;
        let mut fits = true;
        while at < frame.end {
            let case = sexpr(at);
            at = case.after();
            fits &= case
                .item(0)
                .is_some_and(|pattern| self.is_known_pattern(sort, pattern));
        }
        let Some(frame) = self.frames.last_mut() else {
            unreachable!("the frame is still there");
        };
        if fits {
            frame.form = Form::MatchCases;
            frame.extra = self.cases.len() as u32;
            self.case_bounds.push(self.scope.bound() as u32);
        } else {
            frame.form = Form::LooseCases;
        }
        Step::Resume
    }

    /// Cases of an unknown match: the patterns stay texts, since they are not terms.
    pub(super) fn resume_loose_cases(&mut self, root: Sexpr<'_>) -> Step {
        let Some(frame) = self.frames.last_mut() else {
            unreachable!("called with a match on top");
        };
        if frame.next < frame.end {
            let case = root.tape().root(root.source(), frame.next);
            frame.next = case.after();
            let (Some(pattern), Some(body)) = (case.item(0), case.item(1)) else {
                unreachable!("the cases of an open match are well-formed");
            };
            let pattern = self.only_text(pattern);
            self.values.push(pattern);
            return Step::Read(body.at());
        }
        let (at, base) = (frame.at, frame.base as usize);
        self.frames.pop();
        let values = self.values.split_off(base);
        let pairs = values[1..].chunks(2);
        let cases: Vec<TermId> = pairs
            .map(|case| self.terms.opaque("", case, Sort::UNKNOWN))
            .collect();
        let cases = self.terms.opaque("", &cases, Sort::UNKNOWN);
        let sexpr = root.tape().root(root.source(), at);
        Step::Have(self.unknown(sexpr, &[values[0], cases]))
    }

    fn is_known_pattern(&mut self, sort: Sort, pattern: Sexpr<'_>) -> bool {
        let Some(name) = pattern.head() else {
            return self.terms.data_of(sort).is_some();
        };
        let constructor = self.constructor_named(sort, name);
        constructor.is_some_and(|fun| self.terms.fun(fun).params.len() + 1 == pattern.count())
    }

    pub(super) fn resume_match(&mut self, root: Sexpr<'_>) -> Step {
        let Some(frame) = self.frames.last_mut() else {
            unreachable!("called with a match on top");
        };
        let Some(&bound) = self.case_bounds.last() else {
            unreachable!("every match with cases has its place");
        };
        self.scope.unbind(bound as usize);
        let base = frame.base as usize;
        if frame.next < frame.end {
            let case = root.tape().root(root.source(), frame.next);
            frame.next = case.after();
            let (Some(pattern), Some(body)) = (case.item(0), case.item(1)) else {
                unreachable!("the cases of an open match are well-formed");
            };
            let case = self.match_case(self.values[base], pattern);
            self.cases.push(case);
            return Step::Read(body.at());
        }
        let start = frame.extra as usize;
        self.frames.pop();
        self.case_bounds.pop();
        self.binding.made += 1;
        let mut cases: Box<[MatchCase]> = self.cases.drain(start..).collect();
        self.settle_bodies(base + 1);
        for (case, at) in cases.iter_mut().zip(base + 1..) {
            let mut body = self.values[at];
            self.release_undeclared(&mut case.variables, [&mut body]);
            self.values[at] = body;
        }
        let bodies = &self.values[base + 1..];
        let known = bodies.iter().map(|body| self.terms.sort(*body));
        let sort = known.clone().find(|sort| *sort != Sort::UNKNOWN);
        let sort = sort.unwrap_or(Sort::UNKNOWN);
        let term = self
            .terms
            .match_node(Match { cases }, &self.values[base..], sort);
        self.values.truncate(base);
        Step::Have(term)
    }

    /// Sorts bodies whose sort only the other bodies determine.
    fn settle_bodies(&mut self, from: usize) {
        let sorts = self.values[from..]
            .iter()
            .map(|body| self.terms.sort(*body));
        let Some(sort) = sorts.clone().find(|sort| *sort != Sort::UNKNOWN) else {
            return;
        };
        for at in from..self.values.len() {
            self.values[at] = self.settle(self.values[at], sort);
        }
    }

    fn match_case(&mut self, subject: TermId, pattern: Sexpr<'_>) -> MatchCase {
        let sort = self.terms.sort(subject);
        let name = pattern.symbol().or_else(|| pattern.head()).unwrap_or("_");
        let constructor = self.constructor_named(sort, name);
        let constructor =
            constructor.filter(|fun| pattern.is_list() || self.terms.fun(*fun).params.is_empty());
        let fields = constructor.map(|fun| self.terms.fun(fun).params.clone());
        let mut variables = Vec::new();
        match fields {
            None => variables.push(self.bind_new(name, sort)),
            Some(fields) => {
                for (item, field) in pattern.items().skip(1).zip(&fields) {
                    variables.push(self.bind_new(item.symbol().unwrap_or("_"), *field));
                }
            }
        }
        MatchCase {
            constructor,
            variables: variables.into(),
        }
    }

    fn bind_new(&mut self, name: &str, sort: Sort) -> TermId {
        let name = self.terms.symbols.intern(name);
        let variable = self.new_variable(name, sort);
        self.scope.bind(name, variable);
        variable
    }
}
