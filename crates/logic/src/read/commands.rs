//! Reads commands.

use super::scope::SortName;
use super::{Issue, ScriptReader};
use crate::intern::Symbol;
use crate::render::post_order;
use crate::script::{Assertion, Command, Definition, DefinitionKind, Goal};
use crate::sort::Sort;
use crate::term::{Attribute, Fun, FunDecl, FunKind, Head, TermId};
use auspex_syntax::Sexpr;
use rustc_hash::{FxHashMap, FxHashSet};

impl ScriptReader<'_> {
    /// Reads one command and appends it.
    pub fn read_command(&mut self, sexpr: Sexpr<'_>) {
        let mut command = self.command(sexpr);
        if std::mem::take(&mut self.renames) {
            self.named.clear();
            command = None;
        }
        let command = command.unwrap_or_else(|| {
            self.issue(sexpr, Issue::OddCommand(sexpr.head().unwrap_or("").into()));
            self.kept(sexpr)
        });
        self.declare_list_parts();
        if !self.pending.is_empty() {
            self.report_pending(sexpr, &command);
        }
        if !self.named.is_empty() {
            self.sort_named(&command);
        }
        for (_, definition) in self.named.drain(..) {
            self.script.commands.push(Command::DefineFun(definition));
            self.script.spans.push(sexpr.span());
        }
        self.script.commands.push(command);
        self.script.spans.push(sexpr.span());
    }

    /// Keeps a command that is not understood as text. Its assertions or assumptions count as unknown terms: a solver
    /// may accept the command, and then no verdict may ignore it.
    fn kept(&mut self, sexpr: Sexpr<'_>) -> Command {
        let only = sexpr.item(1).filter(|_| sexpr.count() == 2);
        match (sexpr.head(), only) {
            (Some("assert"), Some(term)) => {
                self.opaque_terms += 1;
                let (term, name) = (self.only_text(term), None);
                Command::Assert(Assertion { term, name })
            }
            (Some("check-sat-assuming"), Some(list)) if list.is_list() => {
                self.opaque_terms += 1;
                let terms = list.items().map(|term| self.only_text(term));
                Command::CheckSatAssuming(terms.collect())
            }
            _ => Command::Other(self.terms.symbols.intern(&sexpr.portable_text())),
        }
    }

    /// Orders `:named` names by their terms, each once: with `let` the same terms may be written, and thus named, in
    /// another order or several times.
    fn sort_named(&mut self, command: &Command) {
        let mut places = FxHashMap::default();
        for root in command.roots() {
            for term in post_order(self.terms, root) {
                if let Head::Annotated(_) = self.terms.head(term) {
                    let place = places.len();
                    places.entry(term).or_insert(place);
                }
            }
        }
        let named = std::mem::take(&mut self.named);
        let (mut kept, lost): (Vec<_>, Vec<_>) = named
            .into_iter()
            .partition(|(term, _)| places.contains_key(term));
        kept.sort_by_key(|(term, _)| places[term]);
        self.define_lost(lost);
        self.named.extend(kept);
        self.named.dedup();
    }

    /// Turns a name in an unused `let` value into a definition, because the name may be used later. Names inside of
    /// the term are kept, too.
    fn define_lost(&mut self, mut lost: Vec<(TermId, Definition)>) {
        let mut inside = FxHashSet::default();
        for (term, definition) in lost.iter_mut().rev() {
            if !inside.contains(term) && self.terms.is_closed(*term) {
                definition.how = DefinitionKind::Plain;
                inside.extend(post_order(self.terms, definition.body));
            }
        }
        self.named.extend(lost);
    }

    /// Terms that still wait for a sort at the end of a command are unsorted.
    fn report_pending(&mut self, sexpr: Sexpr<'_>, command: &Command) {
        let mut waiting = std::mem::take(&mut self.pending);
        waiting.sort_unstable();
        waiting.dedup();
        let mut left = Vec::new();
        for root in command.roots() {
            left.extend(post_order(self.terms, root));
        }
        left.sort_unstable();
        for (term, name) in waiting {
            if left.binary_search(&term).is_ok() {
                self.opaque_terms += 1;
                let name = self.terms.symbols.name(name).into();
                self.issue(sexpr, Issue::UnknownSymbol(name));
            }
        }
    }

    fn command(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let name = sexpr.head()?;
        let arg = |i: usize| sexpr.item(i);
        Some(match name {
            "assert" if sexpr.count() == 2 => self.assertion(arg(1)?),
            "declare-fun" if sexpr.count() == 4 => self.declare_fun(arg(1)?, arg(2)?, arg(3)?)?,
            "declare-const" if sexpr.count() == 3 => self.declare_const(arg(1)?, arg(2)?)?,
            "define-fun" | "define-fun-rec" => self.define_fun(sexpr, name == "define-fun-rec")?,
            "define-const" => self.define_const(sexpr)?,
            "define-funs-rec" => self.define_funs_rec(sexpr)?,
            "declare-datatype" | "declare-codatatype" => self.declare_datatype(sexpr)?,
            "declare-datatypes" | "declare-codatatypes" => self.declare_datatypes(sexpr)?,
            "declare-sort" => self.declare_sort(sexpr)?,
            "define-sort" => self.define_sort(sexpr)?,
            "push" => self.push(levels(arg(1))?),
            "pop" => self.pop(levels(arg(1))?),
            "check-sat" if sexpr.count() == 1 => Command::CheckSat,
            // z3's older form of `check-sat-assuming`.
            "check-sat" => {
                let assumptions = sexpr.items().skip(1);
                Command::CheckSatAssuming(assumptions.map(|t| self.term(t)).collect())
            }
            "check-sat-using" if sexpr.count() == 2 => {
                Command::CheckSatUsing(self.terms.symbols.intern(&arg(1)?.portable_text()))
            }
            "check-sat-assuming" if sexpr.count() == 2 => {
                Command::CheckSatAssuming(self.term_list(arg(1)?)?)
            }
            "get-value" if sexpr.count() == 2 => Command::GetValue(self.term_list(arg(1)?)?),
            "get-model" if sexpr.count() == 1 => Command::GetModel,
            "get-unsat-core" if sexpr.count() == 1 => Command::GetUnsatCore,
            "reset-assertions" if sexpr.count() == 1 => self.reset_assertions(),
            "reset" if sexpr.count() == 1 => self.reset(),
            "exit" if sexpr.count() == 1 => Command::Exit,
            "set-logic" if sexpr.count() == 2 => self.set_logic(arg(1)?.text()),
            "set-option" if sexpr.count() == 3 => self.set_option(arg(1)?, arg(2)?),
            "set-info" if sexpr.count() == 3 => {
                let (key, value) = (arg(1)?.portable_text(), arg(2)?.portable_text());
                let key = self.terms.symbols.intern(&key);
                Command::SetInfo(key, self.terms.symbols.intern(&value))
            }
            "maximize" | "minimize" | "assert-soft" if sexpr.count() > 1 => {
                self.goal(sexpr, name)?
            }
            "assert" | "declare-fun" | "declare-const" => return None,
            _ => self.other(sexpr, name),
        })
    }

    fn goal(&mut self, sexpr: Sexpr<'_>, verb: &str) -> Option<Command> {
        let term = self.term(sexpr.item(1)?);
        let term = match verb {
            "assert-soft" => self.settle(term, Sort::BOOL),
            _ => term,
        };
        let texts: Vec<_> = sexpr.items().skip(2).map(Sexpr::portable_text).collect();
        let attributes = (!texts.is_empty()).then(|| self.terms.symbols.intern(&texts.join(" ")));
        Some(Command::Goal(Goal {
            verb: self.terms.symbols.intern(verb),
            term,
            attributes,
        }))
    }

    /// A command that is only stored; its declarations are recorded.
    fn other(&mut self, sexpr: Sexpr<'_>, name: &str) -> Command {
        let arg = |i: usize| sexpr.item(i);
        if name == "declare-var"
            && let (Some(name), Some(sort)) = (arg(1), arg(2))
        {
            self.declare_const(name, sort);
        }
        if name == "declare-sort-parameter"
            && let Some(parameter) = arg(1).and_then(|p| p.symbol())
        {
            let parameter = self.terms.symbols.intern(parameter);
            self.scope.add_sort(parameter, SortName::Parameter);
        }
        Command::Other(self.terms.symbols.intern(&sexpr.portable_text()))
    }

    fn reset(&mut self) -> Command {
        self.scope.clear();
        self.numerals_are_reals = false;
        Command::Reset
    }

    fn reset_assertions(&mut self) -> Command {
        self.scope.reset_assertions();
        Command::ResetAssertions
    }

    fn set_option(&mut self, key: Sexpr<'_>, value: Sexpr<'_>) -> Command {
        if key.text() == ":global-declarations" {
            self.scope.keeps_declarations = value.text() == "true";
        }
        let key = self.terms.symbols.intern(&key.portable_text());
        Command::SetOption(key, self.terms.symbols.intern(&value.portable_text()))
    }

    fn set_logic(&mut self, logic: &str) -> Command {
        // Arithmetic without integers: LRA, NRA, RDL and their combinations.
        let has = |parts: &[&[u8; 3]]| {
            let mut threes = logic.as_bytes().windows(3);
            threes.any(|three| parts.iter().any(|part| *part == three))
        };
        self.numerals_are_reals =
            has(&[b"LRA", b"NRA", b"RDL"]) && !has(&[b"IRA", b"LIA", b"NIA", b"IDL", b"ALL"]);
        Command::SetLogic(self.terms.symbols.intern(logic))
    }

    fn push(&mut self, levels: u32) -> Command {
        self.scope.push(levels);
        Command::Push(levels)
    }

    fn pop(&mut self, levels: u32) -> Command {
        self.scope.pop(levels);
        Command::Pop(levels)
    }

    fn term_list(&mut self, list: Sexpr<'_>) -> Option<Vec<TermId>> {
        let terms = |reader: &mut Self| list.items().map(|t| reader.term(t)).collect();
        list.is_list().then(|| terms(self))
    }

    /// An assertion's outermost name belongs to the assertion, not to the term.
    fn assertion(&mut self, sexpr: Sexpr<'_>) -> Command {
        let term = self.term(sexpr);
        let term = self.settle(term, Sort::BOOL);
        if let Head::Annotated(number) = self.terms.head(term)
            && let [(key, Attribute::Text(name))] = *self.terms.annotation(number).attributes
            && self.terms.symbols.name(key) == ":named"
            // Only a symbol can be a name.
            && self.named.iter().any(|(place, _)| *place == term)
        {
            let name = self.name_of_text(name);
            let inner = self.terms.args(term)[0];
            self.named
                .retain(|(_, d)| self.terms.fun(d.fun).name != name);
            return Command::Assert(Assertion {
                term: inner,
                name: Some(name),
            });
        }
        Command::Assert(Assertion { term, name: None })
    }

    fn declare_fun(
        &mut self,
        name: Sexpr<'_>,
        params: Sexpr<'_>,
        result: Sexpr<'_>,
    ) -> Option<Command> {
        let name = self.name(name).filter(|_| params.is_list())?;
        let params = params.items().map(|p| self.sort(p)).collect();
        let result = self.sort(result);
        Some(self.declared(name, params, result))
    }

    fn declare_const(&mut self, name: Sexpr<'_>, sort: Sexpr<'_>) -> Option<Command> {
        let name = self.name(name)?;
        let sort = self.sort(sort);
        Some(self.declared(name, Box::default(), sort))
    }

    fn declared(&mut self, name: Symbol, params: Box<[Sort]>, result: Sort) -> Command {
        let fun = self.terms.declare(FunDecl {
            name,
            params,
            result,
            kind: FunKind::Declared,
        });
        self.add_fun(fun);
        Command::DeclareFun(fun)
    }

    fn defined(&mut self, name: &str, params: Box<[Sort]>, result: Sort) -> Fun {
        let name = self.terms.symbols.intern(name);
        let fun = self.terms.declare(FunDecl {
            name,
            params,
            result,
            kind: FunKind::Defined,
        });
        self.add_fun(fun);
        fun
    }

    /// The variables of a definition.
    pub(super) fn parameters(&mut self, list: Sexpr<'_>) -> Option<Vec<(Symbol, TermId)>> {
        if !self.binds_variables(list) {
            return None;
        }
        let start = self.variables.len();
        self.sorted_variables(list);
        Some(self.variables.split_off(start))
    }

    fn define_fun(&mut self, sexpr: Sexpr<'_>, recursive: bool) -> Option<Command> {
        let (name, params) = (sexpr.item(1)?.symbol()?, sexpr.item(2)?);
        let (result, body) = (sexpr.item(3)?, sexpr.item(4)?);
        if sexpr.count() != 5 {
            return None;
        }
        let variables = self.parameters(params)?;
        let result = self.sort(result);
        let sorts: Box<[Sort]> = variables.iter().map(|(_, v)| self.terms.sort(*v)).collect();
        let early = recursive.then(|| self.defined(name, sorts.clone(), result));
        let body = self.body(&variables, body, result);
        let fun = early.unwrap_or_else(|| self.defined(name, sorts, result));
        let how = if recursive {
            DefinitionKind::Recursive
        } else {
            DefinitionKind::Plain
        };
        Some(Command::DefineFun(Definition {
            fun,
            variables: variables.into_iter().map(|(_, v)| v).collect(),
            body,
            how,
        }))
    }

    fn define_const(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let (name, result, body) = (sexpr.item(1)?.symbol()?, sexpr.item(2)?, sexpr.item(3)?);
        if sexpr.count() != 4 {
            return None;
        }
        let result = self.sort(result);
        let body = self.body(&[], body, result);
        let fun = self.defined(name, Box::default(), result);
        Some(Command::DefineFun(Definition {
            fun,
            variables: vec![],
            body,
            how: DefinitionKind::Constant,
        }))
    }

    fn define_funs_rec(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let (heads, bodies) = (sexpr.item(1)?, sexpr.item(2)?);
        let well_formed = |head: Sexpr<'_>| {
            let params = head.item(1);
            head.head().is_some()
                && head.count() == 3
                && params.is_some_and(|params| self.binds_variables(params))
        };
        if sexpr.count() != 3 || heads.count() != bodies.count() || !heads.items().all(well_formed)
        {
            return None;
        }
        let mut all = Vec::new();
        for head in heads.items() {
            let variables = self.parameters(head.item(1)?)?;
            let result = self.sort(head.item(2)?);
            let sorts = variables.iter().map(|(_, v)| self.terms.sort(*v)).collect();
            let fun = self.defined(head.head()?, sorts, result);
            all.push((fun, variables, result));
        }
        let definitions = all.into_iter().zip(bodies.items());
        let definitions = definitions.map(|((fun, variables, result), body)| Definition {
            fun,
            body: self.body(&variables, body, result),
            variables: variables.into_iter().map(|(_, v)| v).collect(),
            how: DefinitionKind::Recursive,
        });
        Some(Command::DefineFunsRec(definitions.collect()))
    }

    /// A definition's body, with integers converted if the result is real.
    pub(super) fn body(
        &mut self,
        variables: &[(Symbol, TermId)],
        body: Sexpr<'_>,
        result: Sort,
    ) -> TermId {
        let outside = self.scope.bound();
        for (name, variable) in variables {
            self.scope.bind(*name, *variable);
        }
        let term = self.term(body);
        let term = self.settle(term, result);
        self.scope.unbind(outside);
        if result == Sort::REAL {
            return self.terms.to_real(term).unwrap_or(term);
        }
        term
    }

    fn declare_sort(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let name = self.terms.symbols.intern(sexpr.item(1)?.symbol()?);
        let arity = sexpr.item(2).map_or(Some(0), |n| n.text().parse().ok())?;
        let declared = self.scope.sort_name(name);
        let again = matches!(declared, Some(SortName::Declared(same)) if *same == arity);
        if sexpr.count() > 3 || !(again || self.scope.is_new_sort(name)) {
            return None;
        }
        self.scope.add_sort(name, SortName::Declared(arity));
        Some(Command::DeclareSort(name, arity))
    }

    fn define_sort(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let (name, list, sort) = (sexpr.item(1)?.symbol()?, sexpr.item(2)?, sexpr.item(3)?);
        if sexpr.count() != 4 || !list.is_list() || !list.items().all(|p| p.symbol().is_some()) {
            return None;
        }
        let name = self.terms.symbols.intern(name);
        if !self.scope.is_new_sort(name) {
            return None;
        }
        let outside = self.scope.sorts_len();
        let mut parameters = Vec::new();
        for parameter in list.items() {
            let parameter = self.terms.symbols.intern(parameter.symbol()?);
            self.scope.add_sort(parameter, SortName::Parameter);
            parameters.push(parameter);
        }
        let sort = self.sort(sort);
        self.scope.forget_sorts(outside);
        let meaning = SortName::Defined(parameters.clone(), sort);
        self.scope.add_sort(name, meaning);
        Some(Command::DefineSort(name, parameters, sort))
    }
}

fn levels(arg: Option<Sexpr<'_>>) -> Option<u32> {
    const MOST: u32 = 1 << 16;
    arg.map_or(Some(1), |n| n.text().parse().ok().filter(|n| *n <= MOST))
}
