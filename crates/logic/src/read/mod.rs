//! From text to typed scripts. Never refuses a well-formed text: what nobody knows stays opaque and
//! printable, and what does not fit is kept as an opaque term and reported with its place.

mod applications;
mod scope;
mod sorts;
mod special;
mod terms;

use crate::script::{Assertion, Command, Definition, DefinitionKind, Script};
use crate::sort::Sort;
use crate::term::{Attribute, FunDecl, FunKind, Head, TermId, Terms};
use auspex_syntax::{Reader, Sexpr, Span, SyntaxError, Tape};
use scope::{Global, Scope, SortName};

/// Something in a script that could not be given a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Issue {
    UnknownSort(String),
    UnknownSymbol(String),
    /// A known name whose signature does not fit the arguments; shows their sorts.
    DoesNotFit(String),
    /// A command whose parts are not as expected.
    OddCommand(String),
}

impl Issue {
    pub fn message(&self) -> String {
        match self {
            Issue::UnknownSort(text) => format!("unknown sort {text}"),
            Issue::UnknownSymbol(name) => format!("unknown symbol {name}"),
            Issue::DoesNotFit(text) => format!("sorts do not fit: {text}"),
            Issue::OddCommand(name) => format!("command {name} has unexpected parts"),
        }
    }
}

/// A script with what could not be understood in it.
#[derive(Clone, Debug)]
pub struct Reading {
    pub script: Script,
    pub issues: Vec<(Span, Issue)>,
    /// How many terms have no sort.
    pub opaque_terms: usize,
}

/// Reads a whole script into an arena.
pub fn read_script(terms: &mut Terms, text: &str) -> Result<Reading, SyntaxError> {
    let mut reader = ScriptReader::new(terms);
    reader.read(text)?;
    Ok(reader.finish())
}

/// Reads scripts and, after them, further terms and definitions in the same scope.
pub struct ScriptReader<'t> {
    pub(crate) terms: &'t mut Terms,
    pub(crate) scope: Scope,
    script: Script,
    issues: Vec<(Span, Issue)>,
    opaque_terms: usize,
    /// In logics without integers a numeral is a real.
    numerals_are_reals: bool,
    /// Names of `:named` terms found inside the command being read.
    named: Vec<Definition>,
    fresh: u32,
}

impl<'t> ScriptReader<'t> {
    pub fn new(terms: &'t mut Terms) -> Self {
        ScriptReader {
            terms,
            scope: Scope::default(),
            script: Script::default(),
            issues: Vec::new(),
            opaque_terms: 0,
            numerals_are_reals: false,
            named: Vec::new(),
            fresh: 0,
        }
    }

    /// A reader in whose scope everything that a script declares is visible.
    pub fn for_script(terms: &'t mut Terms, script: &Script) -> Self {
        let mut reader = Self::new(terms);
        for command in &script.commands {
            reader.enter(command);
        }
        reader
    }

    fn enter(&mut self, command: &Command) {
        match command {
            Command::DeclareFun(fun) => self.add_fun(*fun),
            Command::DefineFun(definition) => self.add_fun(definition.fun),
            Command::DefineFunsRec(all) => all.iter().for_each(|d| self.add_fun(d.fun)),
            Command::DeclareSort(name, arity) => {
                self.scope.add_sort(*name, SortName::Declared(*arity))
            }
            Command::DefineSort(name, parameters, sort) => {
                self.scope
                    .add_sort(*name, SortName::Defined(parameters.clone(), *sort));
            }
            Command::DeclareDatatypes(ids) => ids.iter().for_each(|id| self.enter_datatype(*id)),
            _ => {}
        }
    }

    pub(crate) fn add_fun(&mut self, fun: crate::term::Fun) {
        let name = self.terms.fun(fun).name;
        self.scope.add_global(name, Global::Fun(fun));
    }

    /// The script's function symbols of that name.
    pub(crate) fn declared_funs(&self, name: crate::Symbol) -> Vec<crate::term::Fun> {
        let funs = self
            .scope
            .globals(name)
            .iter()
            .filter_map(|global| match global {
                Global::Fun(fun) => Some(*fun),
                _ => None,
            });
        funs.filter(|fun| self.terms.fun(*fun).kind == FunKind::Declared)
            .collect()
    }

    /// Parameters and body of a definition.
    pub(crate) fn function_body(
        &mut self,
        params: Option<Sexpr<'_>>,
        constant: bool,
        body: Sexpr<'_>,
        result: Sort,
    ) -> Option<(Vec<TermId>, TermId)> {
        let variables = if constant {
            Vec::new()
        } else {
            self.sorted_variables(params?)?
        };
        let body = self.body(&variables, body, result);
        Some((variables.into_iter().map(|(_, v)| v).collect(), body))
    }

    /// Reads commands and appends them to the script.
    pub fn read(&mut self, text: &str) -> Result<(), SyntaxError> {
        let mut reader = Reader::new(text);
        let mut tape = Tape::default();
        while let Some(root) = reader.next(&mut tape)? {
            self.read_command(tape.root(text, root));
            tape.clear();
        }
        Ok(())
    }

    pub fn finish(self) -> Reading {
        Reading {
            script: self.script,
            issues: self.issues,
            opaque_terms: self.opaque_terms,
        }
    }

    pub fn terms(&mut self) -> &mut Terms {
        self.terms
    }

    pub(crate) fn issue(&mut self, sexpr: Sexpr<'_>, issue: Issue) {
        self.issues.push((sexpr.span(), issue));
    }

    /// Reads one command and appends it.
    pub fn read_command(&mut self, sexpr: Sexpr<'_>) {
        let command = self.command(sexpr).unwrap_or_else(|| {
            self.issue(sexpr, Issue::OddCommand(sexpr.head().unwrap_or("").into()));
            Command::Other(self.terms.symbols.intern(sexpr.text()))
        });
        for definition in std::mem::take(&mut self.named) {
            self.script.commands.push(Command::DefineFun(definition));
            self.script.spans.push(sexpr.span());
        }
        self.script.commands.push(command);
        self.script.spans.push(sexpr.span());
    }

    fn command(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let name = sexpr.head()?;
        let arg = |i: usize| sexpr.item(i);
        Some(match name {
            "assert" => self.assertion(arg(1)?),
            "declare-fun" => self.declare_fun(arg(1)?, arg(2)?.items().collect(), arg(3)?)?,
            "declare-const" => self.declare_fun(arg(1)?, Vec::new(), arg(2)?)?,
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
            "check-sat-assuming" => Command::CheckSatAssuming(self.term_list(arg(1)?)),
            "get-value" => Command::GetValue(self.term_list(arg(1)?)),
            "get-model" => Command::GetModel,
            "get-unsat-core" => Command::GetUnsatCore,
            "reset-assertions" => Command::ResetAssertions,
            "reset" => {
                self.scope = Scope::default();
                Command::Reset
            }
            "exit" => Command::Exit,
            "set-logic" => self.set_logic(arg(1)?.text()),
            "set-option" if arg(2).is_some() => self.set(Command::SetOption, arg(1)?, arg(2)?),
            "set-info" if arg(2).is_some() => self.set(Command::SetInfo, arg(1)?, arg(2)?),
            _ => Command::Other(self.terms.symbols.intern(sexpr.text())),
        })
    }

    fn set(
        &mut self,
        make: fn(crate::Symbol, crate::Symbol) -> Command,
        key: Sexpr<'_>,
        value: Sexpr<'_>,
    ) -> Command {
        let key = self.terms.symbols.intern(key.text());
        make(key, self.terms.symbols.intern(value.text()))
    }

    fn set_logic(&mut self, logic: &str) -> Command {
        // Arithmetic without integers: LRA, NRA, RDL and their combinations.
        let reals = ["LRA", "NRA", "RDL"].iter().any(|r| logic.contains(r));
        let ints = ["IRA", "LIA", "NIA", "IDL", "ALL"]
            .iter()
            .any(|i| logic.contains(i));
        self.numerals_are_reals = reals && !ints;
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

    fn term_list(&mut self, list: Sexpr<'_>) -> Vec<TermId> {
        list.items().map(|t| self.term(t)).collect()
    }

    /// An assertion's outermost name belongs to the assertion, not to the term.
    fn assertion(&mut self, sexpr: Sexpr<'_>) -> Command {
        let term = self.term(sexpr);
        if let Head::Annotated(number) = self.terms.head(term)
            && let [(key, Attribute::Text(name))] = *self.terms.annotation(number).attributes
            && self.terms.symbols.name(key) == ":named"
        {
            let name = self.terms.symbols.name(name).trim_matches('|').to_string();
            let name = self.terms.symbols.intern(&name);
            let inner = self.terms.args(term)[0];
            self.named.retain(|d| self.terms.fun(d.fun).name != name);
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
        params: Vec<Sexpr<'_>>,
        result: Sexpr<'_>,
    ) -> Option<Command> {
        let params: Vec<Sort> = params.into_iter().map(|p| self.sort(p)).collect();
        let result = self.sort(result);
        let fun = self.terms.declare_fun(name.symbol()?, &params, result);
        self.scope
            .add_global(self.terms.fun(fun).name, Global::Fun(fun));
        Some(Command::DeclareFun(fun))
    }

    fn defined(&mut self, name: &str, params: Box<[Sort]>, result: Sort) -> crate::term::Fun {
        let name = self.terms.symbols.intern(name);
        let fun = self.terms.declare(FunDecl {
            name,
            params,
            result,
            kind: FunKind::Defined,
        });
        self.scope.add_global(name, Global::Fun(fun));
        fun
    }

    fn define_fun(&mut self, sexpr: Sexpr<'_>, recursive: bool) -> Option<Command> {
        let (name, params, result, body) = (
            sexpr.item(1)?.symbol()?,
            sexpr.item(2)?,
            sexpr.item(3)?,
            sexpr.item(4)?,
        );
        let result = self.sort(result);
        let variables = self.sorted_variables(params)?;
        let sorts: Box<[Sort]> = variables.iter().map(|(_, v)| self.terms.sort(*v)).collect();
        let early = recursive.then(|| self.defined(name, sorts.clone(), result));
        let body = self.body(&variables, body, result);
        let fun = early.unwrap_or_else(|| self.defined(name, sorts, result));
        let how = if recursive {
            DefinitionKind::Recursive
        } else {
            DefinitionKind::Plain
        };
        let variables = variables.into_iter().map(|(_, v)| v).collect();
        Some(Command::DefineFun(Definition {
            fun,
            variables,
            body,
            how,
        }))
    }

    fn define_const(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let result = self.sort(sexpr.item(2)?);
        let body = self.body(&[], sexpr.item(3)?, result);
        let fun = self.defined(sexpr.item(1)?.symbol()?, Box::default(), result);
        Some(Command::DefineFun(Definition {
            fun,
            variables: vec![],
            body,
            how: DefinitionKind::Constant,
        }))
    }

    fn define_funs_rec(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let mut heads = Vec::new();
        for head in sexpr.item(1)?.items() {
            let result = self.sort(head.item(2)?);
            let variables = self.sorted_variables(head.item(1)?)?;
            let sorts = variables.iter().map(|(_, v)| self.terms.sort(*v)).collect();
            heads.push((
                self.defined(head.item(0)?.symbol()?, sorts, result),
                variables,
                result,
            ));
        }
        let mut all = Vec::new();
        for ((fun, variables, result), body) in heads.into_iter().zip(sexpr.item(2)?.items()) {
            let body = self.body(&variables, body, result);
            let variables = variables.into_iter().map(|(_, v)| v).collect();
            all.push(Definition {
                fun,
                variables,
                body,
                how: DefinitionKind::Recursive,
            });
        }
        Some(Command::DefineFunsRec(all))
    }

    /// A definition's body, with integers lifted where the result is real.
    fn body(
        &mut self,
        variables: &[(crate::Symbol, TermId)],
        body: Sexpr<'_>,
        result: Sort,
    ) -> TermId {
        for (name, variable) in variables {
            self.scope.bind(*name, *variable);
        }
        let mut term = self.term(body);
        for (name, _) in variables {
            self.scope.unbind(*name);
        }
        if result == Sort::REAL {
            term = self.terms.to_real(term).unwrap_or(term);
        }
        term
    }

    fn declare_sort(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let name = self.terms.symbols.intern(sexpr.item(1)?.symbol()?);
        let arity = sexpr.item(2).map_or(Some(0), |n| n.text().parse().ok())?;
        self.scope.add_sort(name, SortName::Declared(arity));
        Some(Command::DeclareSort(name, arity))
    }

    fn define_sort(&mut self, sexpr: Sexpr<'_>) -> Option<Command> {
        let name = self.terms.symbols.intern(sexpr.item(1)?.symbol()?);
        let mut parameters = Vec::new();
        for parameter in sexpr.item(2)?.items() {
            let parameter = self.terms.symbols.intern(parameter.symbol()?);
            self.scope.add_sort(parameter, SortName::Parameter);
            parameters.push(parameter);
        }
        let sort = self.sort(sexpr.item(3)?);
        for parameter in &parameters {
            self.scope.remove_sort(*parameter);
        }
        self.scope
            .add_sort(name, SortName::Defined(parameters.clone(), sort));
        Some(Command::DefineSort(name, parameters, sort))
    }
}

fn levels(arg: Option<Sexpr<'_>>) -> Option<u32> {
    const MOST: u32 = 1 << 16;
    arg.map_or(Some(1), |n| n.text().parse().ok().filter(|n| *n <= MOST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{self, Sharing};

    /// Reads, prints, reads again: the same commands, and nothing opaque.
    fn round_trip(text: &str) -> String {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, text).expect("well-formed");
        assert_eq!(reading.issues, [], "in {text}");
        let printed = render::script(&terms, &reading.script, Sharing::Expanded);
        let again = read_script(&mut terms, &printed).expect("printed text is well-formed");
        assert_eq!(
            render::script(&terms, &again.script, Sharing::Expanded),
            printed
        );
        let shared = render::script(&terms, &reading.script, Sharing::Let);
        let again = read_script(&mut terms, &shared).expect("shared text is well-formed");
        assert_eq!(
            render::script(&terms, &again.script, Sharing::Expanded),
            printed
        );
        printed
    }

    #[test]
    fn prints_what_it_read() {
        let text = "(declare-const x Int)\n(assert (forall ((y Int)) (=> (< x y) (<= (+ x 1) y))))\n(check-sat)\n";
        assert_eq!(round_trip(text), text);
    }

    #[test]
    fn expands_let_without_capture() {
        let printed =
            round_trip("(declare-const x Int)(assert (let ((y x)) (exists ((x Int)) (= x y))))");
        assert_eq!(
            printed,
            "(declare-const x Int)\n(assert (exists ((x!1 Int)) (= x!1 x)))\n"
        );
    }

    #[test]
    fn keeps_patterns_and_names() {
        round_trip(
            "(declare-fun f (Int) Int)(declare-const a Int)\
             (assert (! (forall ((x Int)) (! (= (f x) x) :pattern ((f x) (f (f x))) :qid q :pattern ((f x)))) :named n))\
             (assert (or (! (= a 1) :named inner) (not inner)))(check-sat)(get-unsat-core)",
        );
    }

    #[test]
    fn reads_datatypes_old_and_new() {
        let new = round_trip(
            "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))\
             (declare-const l (List Int))\
             (assert (= l (cons 1 (as nil (List Int)))))(assert ((_ is cons) l))\
             (assert (= 1 (match l ((nil 0) ((cons h t) h)))))",
        );
        let old = round_trip(
            "(declare-datatypes (T) ((List nil (cons (head T) (tail List)))))\
             (declare-const l (List Int))\
             (assert (= l (cons 1 (as nil (List Int)))))(assert (is-cons l))\
             (assert (= 1 (match l ((nil 0) ((cons h t) h)))))",
        );
        assert_eq!(new, old);
    }

    #[test]
    fn lifts_integers_among_reals() {
        let printed =
            round_trip("(declare-const x Real)(declare-const i Int)(assert (< x (+ i 1)))");
        assert!(printed.contains("(< x (to_real (+ i 1)))"), "{printed}");
    }

    #[test]
    fn numerals_are_reals_without_integers() {
        let printed = round_trip("(set-logic QF_LRA)(declare-const x Real)(assert (= x 3))");
        assert!(printed.contains("(= x 3.0)"), "{printed}");
    }

    #[test]
    fn keeps_what_nobody_knows() {
        let mut terms = Terms::new();
        let text = "(declare-const x Blob)\n(assert (frobnicate x (+ 1 2)))\n(frob :x 3)\n";
        let reading = read_script(&mut terms, text).expect("well-formed");
        assert_eq!(reading.opaque_terms, 1);
        assert_eq!(render::script(&terms, &reading.script, Sharing::Auto), text);
    }

    #[test]
    fn reports_sorts_that_do_not_fit() {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, "(assert (and true 1))").expect("well-formed");
        assert_eq!(
            reading.issues[0].1,
            Issue::DoesNotFit("(and Bool Int)".into())
        );
    }

    #[test]
    fn survives_a_million_levels() {
        let deep = 1_000_000;
        for (open, close) in [
            ("(not ", ")"),
            ("(", ")"),
            ("(let ((x true)) ", ")"),
            ("((f) ", ")"),
        ] {
            let text = format!("(assert {}true{})", open.repeat(deep), close.repeat(deep));
            let mut terms = Terms::new();
            let reading = read_script(&mut terms, &text).expect("well-formed");
            let printed = render::script(&terms, &reading.script, Sharing::Auto);
            assert!(printed.len() > 10);
        }
    }
}
