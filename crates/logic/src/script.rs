//! Scripts: lists of typed commands, with their positions in the text.

use crate::intern::Symbol;
use crate::sort::{DataId, Sort};
use crate::term::{Fun, TermId};
use auspex_syntax::Span;

/// A script over one arena.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    pub commands: Vec<Command>,
    /// Where each command stood, or empty for a script that was not read from a text.
    pub spans: Vec<Span>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    SetLogic(Symbol),
    /// Key with colon, and the value's text.
    SetOption(Symbol, Symbol),
    SetInfo(Symbol, Symbol),
    DeclareSort(Symbol, u32),
    /// Name, parameters, and the sort over them.
    DefineSort(Symbol, Vec<Symbol>, Sort),
    DeclareDatatypes(Vec<DataId>),
    DeclareFun(Fun),
    DefineFun(Definition),
    DefineFunsRec(Vec<Definition>),
    Assert(Assertion),
    Push(u32),
    Pop(u32),
    CheckSat,
    CheckSatAssuming(Vec<TermId>),
    /// z3's `(check-sat-using tactic)`, by the tactic's text.
    CheckSatUsing(Symbol),
    GetValue(Vec<TermId>),
    GetModel,
    GetUnsatCore,
    ResetAssertions,
    Reset,
    Exit,
    /// A goal for an optimizer.
    Goal(Goal),
    /// Anything else, by its text.
    Other(Symbol),
}

/// `(assert term)`, with the name of a `(! term :named name)` taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertion {
    pub term: TermId,
    pub name: Option<Symbol>,
}

/// `(maximize term)`, `(minimize term)` or `(assert-soft term :weight 2)`, as z3 and others know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The command's name.
    pub verb: Symbol,
    pub term: TermId,
    /// The text after the term.
    pub attributes: Option<Symbol>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub fun: Fun,
    pub variables: Vec<TermId>,
    pub body: TermId,
    pub how: DefinitionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// `define-fun`.
    Plain,
    /// `define-fun-rec`.
    Recursive,
    /// `define-const`.
    Constant,
    /// The `:named` name of a term inside an assertion; printed with that term, not as a command.
    Named,
}

/// The assertions and assumptions that one query is about.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Query {
    /// Number of the command in the script.
    pub command: usize,
    pub assertions: Vec<Assertion>,
    pub assumptions: Vec<TermId>,
}

impl Query {
    /// The formulas that must be true: its assertions and assumptions.
    pub fn demands(&self) -> impl Iterator<Item = TermId> {
        let assumptions = self.assumptions.iter().copied();
        self.assertions.iter().map(|a| a.term).chain(assumptions)
    }
}

impl Command {
    /// The terms that stand directly in the command.
    pub fn roots(&self) -> Vec<TermId> {
        match self {
            Command::Assert(assertion) => vec![assertion.term],
            Command::Goal(goal) => vec![goal.term],
            Command::CheckSatAssuming(terms) | Command::GetValue(terms) => terms.clone(),
            Command::DefineFun(definition) => vec![definition.body],
            Command::DefineFunsRec(all) => all.iter().map(|d| d.body).collect(),
            _ => Vec::new(),
        }
    }
}

impl Script {
    pub fn push(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Every `check-sat` with its assertions, following `push`, `pop` and resets.
    pub fn queries(&self) -> Vec<Query> {
        let mut queries = Vec::new();
        let mut stack: Vec<Assertion> = Vec::new();
        let mut levels: Vec<usize> = Vec::new();
        for (number, command) in self.commands.iter().enumerate() {
            match command {
                Command::Assert(assertion) => stack.push(*assertion),
                Command::Push(n) => levels.extend(std::iter::repeat_n(stack.len(), *n as usize)),
                Command::Pop(n) => {
                    for _ in 0..*n {
                        if let Some(len) = levels.pop() {
                            stack.truncate(len);
                        }
                    }
                }
                Command::Reset | Command::ResetAssertions => {
                    stack.clear();
                    levels.clear();
                }
                Command::CheckSat | Command::CheckSatUsing(_) => {
                    queries.push(Query {
                        command: number,
                        assertions: stack.clone(),
                        assumptions: vec![],
                    });
                }
                Command::CheckSatAssuming(assumptions) => queries.push(Query {
                    command: number,
                    assertions: stack.clone(),
                    assumptions: assumptions.clone(),
                }),
                Command::Exit => break,
                _ => {}
            }
        }
        queries
    }

    /// All assertions in order, whatever their scope.
    pub fn assertions(&self) -> impl Iterator<Item = &Assertion> {
        self.commands.iter().filter_map(|command| match command {
            Command::Assert(assertion) => Some(assertion),
            _ => None,
        })
    }

    /// All function definitions, also those of `:named` terms.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.commands.iter().flat_map(|command| match command {
            Command::DefineFun(definition) => std::slice::from_ref(definition),
            Command::DefineFunsRec(definitions) => definitions.as_slice(),
            _ => &[],
        })
    }

    /// The declared function symbols in order.
    pub fn declared(&self) -> impl Iterator<Item = Fun> {
        self.commands.iter().filter_map(|command| match command {
            Command::DeclareFun(fun) => Some(*fun),
            _ => None,
        })
    }

    pub fn logic(&self) -> Option<Symbol> {
        self.commands.iter().find_map(|command| match command {
            Command::SetLogic(logic) => Some(*logic),
            _ => None,
        })
    }

    /// Every term that stands directly in a command.
    pub fn roots(&self) -> Vec<TermId> {
        self.commands.iter().flat_map(Command::roots).collect()
    }

    /// Replaces every term that stands directly in a command.
    pub fn map_roots(&mut self, mut change: impl FnMut(TermId) -> TermId) {
        for command in &mut self.commands {
            match command {
                Command::Assert(assertion) => assertion.term = change(assertion.term),
                Command::Goal(goal) => goal.term = change(goal.term),
                Command::CheckSatAssuming(terms) | Command::GetValue(terms) => {
                    terms.iter_mut().for_each(|t| *t = change(*t));
                }
                Command::DefineFun(definition) => definition.body = change(definition.body),
                Command::DefineFunsRec(all) => all.iter_mut().for_each(|d| d.body = change(d.body)),
                _ => {}
            }
        }
    }
}
