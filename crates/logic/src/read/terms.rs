//! Reads terms with an explicit stack, so that a million levels of nesting are no danger.
//! `let` is expanded on the way in: the DAG shares, and rendering brings sharing back.

use super::{Issue, ScriptReader};
use crate::Symbol;
use crate::script::{Definition, DefinitionKind};
use crate::sort::Sort;
use crate::term::{Annotation, Attribute, BinderKind, FunDecl, FunKind, Match, MatchCase, TermId};
use crate::value::{BitVec, Escapes, Int, Rat, RoundingMode, Str, Value};
use auspex_syntax::{Items, Kind, Sexpr};

/// A list whose parts are being read.
enum Frame<'s> {
    /// With a term as its head, that term is read like an argument, before the others.
    Application {
        sexpr: Sexpr<'s>,
        rest: Items<'s>,
        base: usize,
        head_is_term: bool,
    },
    LetValues {
        bindings: Items<'s>,
        names: Vec<Symbol>,
        body: Sexpr<'s>,
        base: usize,
    },
    LetBody {
        names: Vec<Symbol>,
    },
    Binder {
        kind: BinderKind,
        variables: Vec<(Symbol, TermId)>,
    },
    Attributes {
        rest: Items<'s>,
        attributes: Vec<(Symbol, Attribute)>,
        base: usize,
    },
    AttributeTerms {
        terms: Items<'s>,
    },
    MatchSubject {
        cases: Items<'s>,
        base: usize,
    },
    MatchCases {
        cases: Items<'s>,
        done: Vec<MatchCase>,
        bound: Vec<Symbol>,
        base: usize,
    },
}

enum Step<'s> {
    Read(Sexpr<'s>),
    Have(TermId),
    Resume,
}

impl ScriptReader<'_> {
    /// Reads a term. Never fails: what is not understood becomes opaque.
    pub fn term(&mut self, root: Sexpr<'_>) -> TermId {
        let mut frames: Vec<Frame<'_>> = Vec::new();
        let mut values: Vec<TermId> = Vec::new();
        let mut step = Step::Read(root);
        loop {
            step = match step {
                Step::Read(sexpr) if !sexpr.is_list() => Step::Have(self.atom(sexpr)),
                Step::Read(sexpr) => self.open(sexpr, &mut frames, values.len()),
                Step::Have(term) if frames.is_empty() => return term,
                Step::Have(term) => {
                    values.push(term);
                    Step::Resume
                }
                Step::Resume => self.resume(&mut frames, &mut values),
            }
        }
    }

    fn open<'s>(&mut self, sexpr: Sexpr<'s>, frames: &mut Vec<Frame<'s>>, base: usize) -> Step<'s> {
        let form = sexpr.head().unwrap_or("");
        match form {
            "let" if sexpr.count() == 3 => {
                let bindings = sexpr.item(1).map(|b| b.items());
                if let (Some(bindings), Some(body)) = (bindings, sexpr.item(2)) {
                    frames.push(Frame::LetValues {
                        bindings,
                        names: Vec::new(),
                        body,
                        base,
                    });
                    return Step::Resume;
                }
            }
            "forall" | "exists" | "lambda" | "choice" if sexpr.count() == 3 => {
                if let Some(step) = self.open_binder(form, sexpr, frames) {
                    return step;
                }
            }
            "!" if sexpr.count() >= 2 => {
                let mut rest = sexpr.items();
                rest.next();
                if let Some(inner) = rest.next() {
                    frames.push(Frame::Attributes {
                        rest,
                        attributes: Vec::new(),
                        base,
                    });
                    return Step::Read(inner);
                }
            }
            "match" if sexpr.count() == 3 => {
                if let (Some(subject), Some(cases)) = (sexpr.item(1), sexpr.item(2)) {
                    frames.push(Frame::MatchSubject {
                        cases: cases.items(),
                        base,
                    });
                    return Step::Read(subject);
                }
            }
            "_" | "as" => return Step::Have(self.identifier(sexpr)),
            _ => {}
        }
        let mut rest = sexpr.items();
        let head_is_term = sexpr
            .item(0)
            .is_some_and(|h| h.is_list() && !matches!(h.head(), Some("_" | "as")));
        if !head_is_term {
            rest.next();
        }
        frames.push(Frame::Application {
            sexpr,
            rest,
            base,
            head_is_term,
        });
        Step::Resume
    }

    fn open_binder<'s>(
        &mut self,
        form: &str,
        sexpr: Sexpr<'s>,
        frames: &mut Vec<Frame<'s>>,
    ) -> Option<Step<'s>> {
        let kind = match form {
            "forall" => BinderKind::Forall,
            "exists" => BinderKind::Exists,
            "lambda" => BinderKind::Lambda,
            _ => BinderKind::Choice,
        };
        let variables = self
            .sorted_variables(sexpr.item(1)?)
            .filter(|v| !v.is_empty())?;
        for (name, variable) in &variables {
            self.scope.bind(*name, *variable);
        }
        frames.push(Frame::Binder { kind, variables });
        Some(Step::Read(sexpr.item(2)?))
    }

    /// Variables with the names they have in the text. A name that is taken (by a symbol of the
    /// script or an enclosing variable) is changed, so that moving terms around never captures.
    pub(super) fn sorted_variables(&mut self, list: Sexpr<'_>) -> Option<Vec<(Symbol, TermId)>> {
        let mut variables = Vec::new();
        for item in list.items() {
            let name = self.terms.symbols.intern(item.item(0)?.symbol()?);
            let sort = self.sort(item.item(1)?);
            variables.push((name, self.new_variable(name, sort)));
        }
        Some(variables)
    }

    fn new_variable(&mut self, name: Symbol, sort: Sort) -> TermId {
        let taken = self.scope.local(name).is_some() || !self.scope.globals(name).is_empty();
        if !taken {
            return self.terms.variable(name, sort);
        }
        loop {
            self.fresh += 1;
            let fresh = format!("{}!{}", self.terms.symbols.name(name), self.fresh);
            let fresh = self.terms.symbols.intern(&fresh);
            if self.scope.local(fresh).is_none() && self.scope.globals(fresh).is_empty() {
                return self.terms.variable(fresh, sort);
            }
        }
    }

    fn resume<'s>(&mut self, frames: &mut Vec<Frame<'s>>, values: &mut Vec<TermId>) -> Step<'s> {
        let Some(frame) = frames.last_mut() else {
            unreachable!("a step is resumed only inside a frame");
        };
        match frame {
            Frame::Application {
                sexpr,
                rest,
                base,
                head_is_term,
            } => match rest.next() {
                Some(next) => Step::Read(next),
                None => {
                    let (sexpr, base, head_is_term) = (*sexpr, *base, *head_is_term);
                    frames.pop();
                    let term = if head_is_term {
                        self.term_application(sexpr, &values[base..])
                    } else {
                        self.application(sexpr, &values[base..])
                    };
                    values.truncate(base);
                    Step::Have(term)
                }
            },
            Frame::LetValues {
                bindings,
                names,
                body,
                base,
            } => {
                let next = bindings.next();
                if let Some((name, value)) =
                    next.and_then(|b| Some((b.item(0)?.symbol()?, b.item(1)?)))
                {
                    names.push(self.terms.symbols.intern(name));
                    return Step::Read(value);
                }
                let (names, body, base) = (std::mem::take(names), *body, *base);
                for (name, value) in names.iter().zip(&values[base..]) {
                    self.scope.bind(*name, *value);
                }
                values.truncate(base);
                *frame = Frame::LetBody { names };
                Step::Read(body)
            }
            Frame::LetBody { names } => {
                for name in names.iter() {
                    self.scope.unbind(*name);
                }
                frames.pop();
                pop_value(values)
            }
            Frame::Binder { kind, variables } => {
                let (kind, variables) = (*kind, std::mem::take(variables));
                frames.pop();
                for (name, _) in &variables {
                    self.scope.unbind(*name);
                }
                let variables: Vec<TermId> = variables.into_iter().map(|(_, v)| v).collect();
                let body = values.pop().expect("a binder's body was just read");
                Step::Have(self.terms.quantified(kind, &variables, body))
            }
            Frame::AttributeTerms { terms } => match terms.next() {
                Some(next) => Step::Read(next),
                None => {
                    frames.pop();
                    Step::Resume
                }
            },
            Frame::Attributes { .. } => self.resume_attributes(frames, values),
            Frame::MatchSubject { cases, base } => {
                let (cases, base) = (cases.clone(), *base);
                *frame = Frame::MatchCases {
                    cases,
                    done: Vec::new(),
                    bound: Vec::new(),
                    base,
                };
                Step::Resume
            }
            Frame::MatchCases { .. } => self.resume_match(frames, values),
        }
    }

    fn resume_attributes<'s>(
        &mut self,
        frames: &mut Vec<Frame<'s>>,
        values: &mut Vec<TermId>,
    ) -> Step<'s> {
        let Some(Frame::Attributes {
            rest,
            attributes,
            base,
        }) = frames.last_mut()
        else {
            unreachable!("called with an attribute frame on top");
        };
        let Some(key) = rest.next() else {
            let (attributes, base) = (std::mem::take(attributes), *base);
            frames.pop();
            let term = self.annotated(attributes, &values[base..]);
            values.truncate(base);
            return Step::Have(term);
        };
        let key_symbol = self.terms.symbols.intern(key.text());
        let value = rest.clone().next().filter(|v| v.kind() != Kind::Keyword);
        let Some(value) = value else {
            attributes.push((key_symbol, Attribute::Bare));
            return Step::Resume;
        };
        rest.next();
        if key.text() == ":pattern" && value.is_list() {
            attributes.push((key_symbol, Attribute::Terms(value.count() as u32)));
            frames.push(Frame::AttributeTerms {
                terms: value.items(),
            });
            return Step::Resume;
        }
        let text = self.terms.symbols.intern(value.text());
        attributes.push((key_symbol, Attribute::Text(text)));
        Step::Resume
    }

    fn annotated(&mut self, attributes: Vec<(Symbol, Attribute)>, args: &[TermId]) -> TermId {
        for (key, value) in &attributes {
            if let (":named", Attribute::Text(text)) = (self.terms.symbols.name(*key), value) {
                let name = self.terms.symbols.name(*text).trim_matches('|').to_string();
                self.name_term(&name, args[0]);
            }
        }
        self.terms.annotated_node(
            Annotation {
                attributes: attributes.into(),
            },
            args,
        )
    }

    /// A named term can be used by its name afterwards.
    fn name_term(&mut self, name: &str, body: TermId) {
        let name = self.terms.symbols.intern(name);
        let result = self.terms.sort(body);
        let decl = FunDecl {
            name,
            params: Box::default(),
            result,
            kind: FunKind::Defined,
        };
        let fun = self.terms.declare(decl);
        self.scope.add_global(name, super::Global::Fun(fun));
        self.named.push(Definition {
            fun,
            variables: vec![],
            body,
            how: DefinitionKind::Named,
        });
    }

    fn resume_match<'s>(
        &mut self,
        frames: &mut Vec<Frame<'s>>,
        values: &mut Vec<TermId>,
    ) -> Step<'s> {
        let Some(Frame::MatchCases {
            cases,
            done,
            bound,
            base,
        }) = frames.last_mut()
        else {
            unreachable!("called with a match frame on top");
        };
        for name in bound.drain(..) {
            self.scope.unbind(name);
        }
        let subject = values[*base];
        match cases.next() {
            Some(case) => {
                let (Some(pattern), Some(body)) = (case.item(0), case.item(1)) else {
                    return Step::Resume;
                };
                let (match_case, names) = self.match_case(subject, pattern);
                done.push(match_case);
                *bound = names;
                Step::Read(body)
            }
            None => {
                let (done, base) = (std::mem::take(done), *base);
                frames.pop();
                let sort = values
                    .get(base + 1)
                    .map_or(Sort::UNKNOWN, |body| self.terms.sort(*body));
                let term =
                    self.terms
                        .match_node(Match { cases: done.into() }, &values[base..], sort);
                values.truncate(base);
                Step::Have(term)
            }
        }
    }

    fn match_case(&mut self, subject: TermId, pattern: Sexpr<'_>) -> (MatchCase, Vec<Symbol>) {
        let sort = self.terms.sort(subject);
        let name = pattern.symbol().or_else(|| pattern.head()).unwrap_or("_");
        let constructor = self.constructor_named(sort, name);
        let fields = constructor
            .map(|fun| self.terms.fun(fun).params.clone())
            .unwrap_or_default();
        let mut names = Vec::new();
        let mut variables = Vec::new();
        let mut bind = |reader: &mut Self, name: &str, sort: Sort| {
            let symbol = reader.terms.symbols.intern(name);
            let variable = reader.new_variable(symbol, sort);
            reader.scope.bind(symbol, variable);
            names.push(symbol);
            variables.push(variable);
        };
        if constructor.is_none() && !pattern.is_list() {
            bind(self, name, sort);
        }
        for (at, item) in pattern.items().skip(1).enumerate() {
            let field = fields.get(at).copied().unwrap_or(Sort::UNKNOWN);
            bind(self, item.symbol().unwrap_or("_"), field);
        }
        (
            MatchCase {
                constructor,
                variables: variables.into(),
            },
            names,
        )
    }

    fn atom(&mut self, sexpr: Sexpr<'_>) -> TermId {
        match sexpr.kind() {
            Kind::Symbol | Kind::QuotedSymbol => self.symbol(sexpr, sexpr.symbol().unwrap_or("")),
            Kind::Numeral if self.numerals_are_reals => self.decimal(sexpr),
            Kind::Numeral => match Int::parse(sexpr.text()) {
                Some(int) => self.terms.literal_node(Value::Int(int), Sort::INT),
                None => self.unknown(sexpr, &[]),
            },
            Kind::Decimal => self.decimal(sexpr),
            Kind::Hexadecimal | Kind::Binary => match BitVec::parse(sexpr.text()) {
                Some(bits) => {
                    let sort = self.terms.sorts.bit_vec(bits.width());
                    self.terms.literal_node(Value::BitVec(bits), sort)
                }
                None => self.unknown(sexpr, &[]),
            },
            Kind::String => {
                let contents = sexpr.string().unwrap_or_default();
                match Str::read(&contents, Escapes::Standard) {
                    Some(string) => self.terms.literal_node(Value::Str(string), Sort::STRING),
                    None => self.unknown(sexpr, &[]),
                }
            }
            Kind::Keyword | Kind::List => self.unknown(sexpr, &[]),
        }
    }

    fn decimal(&mut self, sexpr: Sexpr<'_>) -> TermId {
        match Rat::parse(sexpr.text()) {
            Some(rat) => self.terms.literal_node(Value::Real(rat), Sort::REAL),
            None => self.unknown(sexpr, &[]),
        }
    }

    fn symbol(&mut self, sexpr: Sexpr<'_>, name: &str) -> TermId {
        let symbol = self.terms.symbols.intern(name);
        if let Some(local) = self.scope.local(symbol) {
            return local;
        }
        if let Some(term) = self.global_constant(symbol) {
            return term;
        }
        match name {
            "true" => return self.terms.bool(true),
            "false" => return self.terms.bool(false),
            _ => {}
        }
        if let Some(mode) = RoundingMode::parse(name) {
            return self
                .terms
                .literal_node(Value::Rounding(mode), Sort::ROUNDING_MODE);
        }
        if !self.terms.rows_named(symbol).is_empty()
            && let Ok(term) = self.terms.op_app(symbol, &[], &[])
        {
            return term;
        }
        self.special(sexpr, name, &[], &[])
            .unwrap_or_else(|| self.unknown(sexpr, &[]))
    }

    /// Keeps what nobody knows, as text, with its arguments if it has some.
    pub(super) fn unknown(&mut self, sexpr: Sexpr<'_>, args: &[TermId]) -> TermId {
        self.opaque_terms += 1;
        let head = if sexpr.is_list() && !args.is_empty() {
            sexpr.item(0).map_or("", |h| h.text())
        } else {
            sexpr.text()
        };
        let shown: String = head.chars().take(60).collect();
        self.issue(sexpr, Issue::UnknownSymbol(shown));
        self.terms.opaque(head, args, Sort::UNKNOWN)
    }
}

fn pop_value<'s>(values: &mut Vec<TermId>) -> Step<'s> {
    Step::Have(values.pop().expect("a let's body was just read"))
}
