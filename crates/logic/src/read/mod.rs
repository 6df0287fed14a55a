//! The reader of typed scripts. It accepts every well-formed text: unknown and ill-sorted terms become opaque terms,
//! which are printed as they were and reported with their position.

mod applications;
mod commands;
mod datatypes;
mod forms;
mod fresh;
mod indexed;
mod irrational;
mod literals;
mod pending;
mod scope;
mod sorts;
mod special;
mod terms;

use crate::intern::Symbol;
use crate::script::{Command, Definition, Script};
use crate::sort::{DataId, Sort};
use crate::term::{Attribute, Fun, FunKind, MatchCase, TermId, Terms};
use auspex_syntax::{Reader, Sexpr, Span, SyntaxError, Tape};
use rustc_hash::FxHashSet;
use scope::{Global, Scope, SortName};
use std::mem::take;

/// Something in a script that could not be given a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Issue {
    UnknownSort(String),
    UnknownSymbol(String),
    /// A known name with ill-sorted arguments; shows their sorts.
    DoesNotFit(String),
    /// A malformed command.
    OddCommand(String),
}

impl Issue {
    pub fn message(&self) -> String {
        match self {
            Issue::UnknownSort(text) => format!("unknown sort {text}"),
            Issue::UnknownSymbol(name) => format!("unknown symbol {name}"),
            Issue::DoesNotFit(text) => format!("ill-sorted: {text}"),
            Issue::OddCommand(name) if name.is_empty() => "not a command".into(),
            Issue::OddCommand(name) => {
                format!("command {name} is malformed, or redeclares a name")
            }
        }
    }
}

/// A script, and the issues found in it.
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
    /// Undeclared symbols that were used.
    undeclared: FxHashSet<Symbol>,
    /// In logics without integers a numeral is a real.
    numerals_are_reals: bool,
    /// The `:named` terms of the command being read, with their names.
    named: Vec<(TermId, Definition)>,
    /// Whether the command being read gives a term a name that has a meaning already.
    renames: bool,
    /// Terms of the command being read that wait for a sort, and their names.
    pending: Vec<(TermId, Symbol)>,
    /// z3's built-in lists, if they are used.
    list: Option<DataId>,
    /// Whether the command being read uses them.
    uses_list: bool,
    fresh: u32,
    /// Values of `let` names that bind variables inside; see `fresh`.
    binding: fresh::Binding,
    /// The stacks of the term being read; see `terms`.
    frames: Vec<terms::Frame>,
    values: Vec<TermId>,
    names: Vec<(Symbol, u32)>,
    variables: Vec<(Symbol, TermId)>,
    attributes: Vec<(Symbol, Attribute)>,
    /// Which of `attributes` are `:named`.
    named_here: Vec<u32>,
    cases: Vec<MatchCase>,
    /// For each open `match`, the number of locals bound outside of it.
    case_bounds: Vec<u32>,
    tape: Tape,
}

/// The buffers of a reader, kept by the arena for the next one: most scripts are small, and allocating would take
/// longer than reading them.
#[derive(Default)]
struct Scratch {
    scope: Scope,
    frames: Vec<terms::Frame>,
    values: Vec<TermId>,
    names: Vec<(Symbol, u32)>,
    variables: Vec<(Symbol, TermId)>,
    tape: Tape,
}

impl Drop for ScriptReader<'_> {
    fn drop(&mut self) {
        // After a panic the stacks are inconsistent.
        if std::thread::panicking() {
            return;
        }
        self.scope.clear();
        self.tape.clear();
        let scratch = Scratch {
            scope: take(&mut self.scope),
            frames: modest(take(&mut self.frames)),
            values: modest(take(&mut self.values)),
            names: modest(take(&mut self.names)),
            variables: modest(take(&mut self.variables)),
            tape: take(&mut self.tape),
        };
        self.terms.scratch = Some(Box::new(scratch));
    }
}

/// The buffers of a huge script are not kept.
fn modest<T>(vec: Vec<T>) -> Vec<T> {
    const MOST: usize = 1 << 16;
    if vec.capacity() > MOST {
        return Vec::new();
    }
    vec
}

impl<'t> ScriptReader<'t> {
    pub fn new(terms: &'t mut Terms) -> Self {
        let kept = take(&mut terms.scratch);
        let scratch = kept.and_then(|kept| kept.downcast::<Scratch>().ok());
        let Scratch {
            scope,
            frames,
            values,
            names,
            variables,
            tape,
        } = scratch.map_or_else(Scratch::default, |scratch| *scratch);
        ScriptReader {
            terms,
            scope,
            script: Script::default(),
            issues: Vec::new(),
            opaque_terms: 0,
            undeclared: FxHashSet::default(),
            numerals_are_reals: false,
            named: Vec::new(),
            renames: false,
            pending: Vec::new(),
            list: None,
            uses_list: false,
            fresh: 0,
            binding: fresh::Binding::default(),
            frames,
            values,
            names,
            variables,
            attributes: Vec::new(),
            named_here: Vec::new(),
            cases: Vec::new(),
            case_bounds: Vec::new(),
            tape,
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

    pub(crate) fn add_fun(&mut self, fun: Fun) {
        let decl = self.terms.fun(fun);
        let name = decl.name;
        let global = if decl.params.is_empty() {
            let sort = decl.result;
            Global::Constant(fun, self.terms.node(crate::term::Head::Fun(fun), &[], sort))
        } else {
            Global::Fun(fun)
        };
        self.scope.add_global(name, global);
    }

    /// The script's function symbols of that name.
    pub(crate) fn declared_funs(&self, name: Symbol) -> Vec<Fun> {
        let funs = self.scope.globals(name).filter_map(Global::fun);
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
            self.parameters(params?)?
        };
        // If several datatypes have the constructor, the result sort decides.
        let named = body.symbol().filter(|name| {
            let name = self.terms.symbols.intern(name);
            variables.iter().all(|(variable, _)| *variable != name)
        });
        let constructor = named.and_then(|name| self.constructor_named(result, name));
        let constant = constructor.and_then(|fun| self.terms.try_fun_app(fun, &[]));
        let body = constant.unwrap_or_else(|| self.body(&variables, body, result));
        self.pending.clear();
        Some((variables.into_iter().map(|(_, v)| v).collect(), body))
    }

    /// Reads commands and appends them to the script.
    pub fn read(&mut self, text: &str) -> Result<(), SyntaxError> {
        // Growing step by step would move the commands several times.
        const SHORT_COMMAND: usize = 64;
        self.script.commands.reserve(text.len() / SHORT_COMMAND);
        self.script.spans.reserve(text.len() / SHORT_COMMAND);
        let mut reader = Reader::new(text);
        let mut tape = take(&mut self.tape);
        let end = loop {
            match reader.next(&mut tape) {
                Ok(Some(root)) => self.read_command(tape.root(text, root)),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
            tape.clear();
        };
        const LONG: usize = 1 << 20;
        if text.len() <= LONG {
            self.tape = tape;
        }
        end
    }

    pub fn finish(mut self) -> Reading {
        Reading {
            script: take(&mut self.script),
            issues: take(&mut self.issues),
            opaque_terms: self.opaque_terms,
        }
    }

    pub fn terms(&mut self) -> &mut Terms {
        self.terms
    }

    /// The interned name of a symbol.
    #[inline]
    fn name(&mut self, sexpr: Sexpr<'_>) -> Option<Symbol> {
        let part = sexpr.symbol_range()?;
        Some(self.terms.symbols.intern_part(sexpr.source(), part))
    }

    pub(crate) fn issue(&mut self, sexpr: Sexpr<'_>, issue: Issue) {
        self.issues.push((sexpr.span(), issue));
    }
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
        let mut terms = Terms::new();
        let undeclared = "(assert (let ((y x)) (exists ((x Int)) (= x y))))";
        let script = read_script(&mut terms, undeclared).unwrap().script;
        let printed = render::script(&terms, &script, Sharing::Auto);
        assert_eq!(printed, "(assert (exists ((x!1 Int)) (= x!1 x)))\n");
    }

    #[test]
    fn keeps_the_parentheses_of_unknown_terms() {
        let mut terms = Terms::new();
        for text in ["(assert (foo ((bar 1))))\n", "(assert (foo ((bar 1) 2)))\n"] {
            let script = read_script(&mut terms, text).unwrap().script;
            assert_eq!(render::script(&terms, &script, Sharing::Auto), text);
        }
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
    fn keeps_unknown_terms() {
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
