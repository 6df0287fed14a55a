//! What new parts of a mutant are made of: symbols that are visible where they stand, parts of the formula that is
//! changed, constants, and (for live predicate injection) grown formulas.

use super::spot::Spot;
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::{self, EVERYWHERE, Function, Ingredients, Item, Palette, Pool, Rules};
use crate::rules::approximation::{Literal, Supply};
use auspex_logic::value::{Int, Rat, Str};
use auspex_logic::{Command, Fun, Head, OpDecl, Sort, TermId, Terms, Value};

/// The declared symbols that are visible at a command.
#[derive(Clone, Debug, Default)]
pub struct Visible {
    pub constants: Vec<TermId>,
    pub functions: Vec<Fun>,
}

/// No more symbols than these are used.
const MOST_SYMBOLS: usize = 24;
/// Nor more parts of the changed formula.
const MOST_PARTS: usize = 24;

impl Visible {
    /// What is declared before a command and still in scope there.
    pub fn at(terms: &mut Terms, commands: &[Command], at: usize, draw: &mut Draw) -> Visible {
        let mut open: Vec<Fun> = Vec::new();
        let mut levels: Vec<usize> = Vec::new();
        for command in &commands[..at] {
            match command {
                Command::DeclareFun(fun) => open.push(*fun),
                Command::Push(count) => {
                    levels.extend(std::iter::repeat_n(open.len(), *count as usize))
                }
                Command::Pop(count) => {
                    for _ in 0..*count {
                        open.truncate(levels.pop().unwrap_or(open.len()));
                    }
                }
                Command::Reset | Command::ResetAssertions => {
                    open.clear();
                    levels.clear();
                }
                _ => {}
            }
        }
        let mut visible = Visible::default();
        let first = draw.index(open.len());
        for turn in 0..open.len().min(MOST_SYMBOLS) {
            let fun = open[(first + turn) % open.len()];
            if !terms.fun(fun).params.is_empty() {
                visible.functions.push(fun);
            } else if let Ok(constant) = terms.fun_app(fun, &[]) {
                visible.constants.push(constant);
            }
        }
        visible
    }
}

/// Supplies rules with terms for one spot.
pub struct Pantry<'a> {
    pub draw: &'a mut Draw,
    pub visible: &'a Visible,
    pub spot: &'a Spot,
    pub rules: Rules<'a>,
    /// Operators above each other in an injected atom.
    pub depth: u32,
    pool: Option<(Pool, Palette)>,
}

impl<'a> Pantry<'a> {
    pub fn new(
        draw: &'a mut Draw,
        visible: &'a Visible,
        spot: &'a Spot,
        rules: Rules<'a>,
        depth: u32,
    ) -> Pantry<'a> {
        Pantry {
            draw,
            visible,
            spot,
            rules,
            depth,
            pool: None,
        }
    }

    /// Under a binder, a symbol with the name of a bound variable cannot be used.
    fn is_hidden(&self, terms: &Terms, fun: Fun) -> bool {
        let name = terms.fun(fun).name;
        let mut scope = self.spot.scope.iter();
        scope.any(|v| matches!(terms.head(*v), Head::Variable(n) if n == name))
    }

    fn fill(&self, terms: &mut Terms) -> Pool {
        let mut pool = Pool::default();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut add = |pool: &mut Pool, terms: &mut Terms, term: TermId| {
            if seen.insert(term) && terms.sorts.is_known(terms.sort(term)) {
                pool.add(
                    terms,
                    Item {
                        term,
                        places: EVERYWHERE,
                        clashes: false,
                    },
                    EVERYWHERE,
                );
            }
        };
        for constant in &self.visible.constants {
            let Head::Fun(fun) = terms.head(*constant) else {
                continue;
            };
            if !self.is_hidden(terms, fun) {
                add(&mut pool, terms, *constant);
            }
        }
        for variable in self.spot.scope.iter().rev().take(MOST_SYMBOLS) {
            add(&mut pool, terms, *variable);
        }
        for part in self.parts(terms) {
            add(&mut pool, terms, part);
        }
        for fun in &self.visible.functions {
            if !self.is_hidden(terms, *fun) {
                let function = Function {
                    fun: *fun,
                    places: EVERYWHERE,
                    clashes: false,
                };
                pool.add_function(terms, function);
            }
        }
        pool
    }

    /// Parts of the changed term that can stand beside it, larger ones first.
    fn parts(&self, terms: &Terms) -> Vec<TermId> {
        let mut parts = Vec::new();
        let mut stack = vec![self.spot.term];
        while let Some(term) = stack.pop() {
            if parts.len() >= MOST_PARTS {
                break;
            }
            match terms.head(term) {
                // What nobody knows may not be copied, and attributes stay where they are.
                Head::Opaque(_) | Head::Annotated(_) => continue,
                Head::Binder(_) | Head::Match(_) => continue,
                _ => {}
            }
            if term != self.spot.term {
                parts.push(term);
            }
            stack.extend_from_slice(terms.args(term));
        }
        // Arguments of opaque terms are not reached, so every part is free of them only if its own parts are.
        parts.retain(|part| is_known_throughout(terms, *part));
        parts
    }

    /// A formula as in Algorithm 1 of the paper: one or two grown atoms under a connective.
    fn snippet(&mut self, terms: &mut Terms) -> Option<TermId> {
        let connective = *self.draw.pick(&["", "not", "and", "or", "=>", "xor"])?;
        let first = self.atom(terms)?;
        match connective {
            "" => Some(first),
            "not" => terms.app("not", &[first]).ok(),
            _ => {
                let second = self.atom(terms)?;
                terms.app(connective, &[first, second]).ok()
            }
        }
    }

    /// A predicate over terms of other sorts than truth values, where there are any.
    fn atom(&mut self, terms: &mut Terms) -> Option<TermId> {
        const TRIES: usize = 5;
        let mut last = None;
        for _ in 0..TRIES {
            let Some(term) = self.grown(terms, Sort::BOOL, self.depth) else {
                continue;
            };
            let args = terms.args(term);
            if args.iter().any(|arg| terms.sort(*arg) != Sort::BOOL) {
                return Some(term);
            }
            last = Some(term);
        }
        last
    }

    fn grown(&mut self, terms: &mut Terms, sort: Sort, depth: u32) -> Option<TermId> {
        if self.pool.is_none() {
            let pool = self.fill(terms);
            let kinds = pool.kinds(&terms.sorts);
            let palette = Palette::new(&terms.table().clone(), &self.rules, kinds);
            self.pool = Some((pool, palette));
        }
        let (pool, palette) = self.pool.as_ref()?;
        let with = Ingredients {
            pool,
            palette,
            scope: &self.spot.scope,
            place: EVERYWHERE,
            avoid: None,
            constants: 5,
        };
        grow::grow(terms, self.draw, sort, depth, &with)
    }
}

/// Whether no part of a small term is opaque or annotated.
fn is_known_throughout(terms: &Terms, root: TermId) -> bool {
    const MOST: usize = 200;
    let mut stack = vec![root];
    for _ in 0..MOST {
        let Some(term) = stack.pop() else {
            return true;
        };
        if matches!(
            terms.head(term),
            Head::Opaque(_) | Head::Annotated(_) | Head::Binder(_) | Head::Match(_)
        ) {
            return false;
        }
        stack.extend_from_slice(terms.args(term));
    }
    false
}

impl Supply for Pantry<'_> {
    fn term(&mut self, terms: &mut Terms, sort: Sort) -> Option<TermId> {
        if sort == Sort::BOOL {
            return self.snippet(terms);
        }
        let depth = u32::from(self.draw.one_in(4));
        self.grown(terms, sort, depth)
    }

    fn literal(&mut self, terms: &mut Terms, sort: Sort, literal: Literal) -> Option<TermId> {
        let value = match (literal, sort) {
            (Literal::NonEmpty, Sort::STRING) => Value::Str(word(self.draw)?),
            (Literal::Positive | Literal::NonNegative, Sort::INT | Sort::REAL) => {
                let least = u64::from(literal == Literal::Positive);
                let int = number(self.draw, least);
                if sort == Sort::INT {
                    Value::Int(int)
                } else {
                    let denominator = *self.draw.pick(&[1, 1, 2, 3, 10])?;
                    Value::Real(Rat::new(&int, &Int::from(denominator))?)
                }
            }
            _ => return None,
        };
        terms.value_term(&value, sort)
    }

    fn sort(&mut self, terms: &mut Terms) -> Option<Sort> {
        let constants = self.visible.constants.iter();
        let near = constants
            .chain(&self.spot.scope)
            .chain(terms.args(self.spot.term));
        let sorts: Vec<Sort> = near.map(|term| terms.sort(*term)).collect();
        self.draw.pick(&sorts).copied()
    }

    fn function(&mut self, terms: &Terms, argument: Sort) -> Option<Fun> {
        let fits =
            |fun: &&Fun| *terms.fun(**fun).params == [argument] && !self.is_hidden(terms, **fun);
        let fitting: Vec<Fun> = self
            .visible
            .functions
            .iter()
            .filter(fits)
            .copied()
            .collect();
        self.draw.pick(&fitting).copied()
    }

    fn choose(&mut self, bound: usize) -> usize {
        self.draw.index(bound)
    }

    fn allows(&self, decl: &OpDecl, row: u32, features: Features) -> bool {
        let known = match self.rules.solvers.0 {
            0 => decl.known.is_standard(),
            _ => decl.known.includes(self.rules.solvers),
        };
        known
            && self.rules.features.includes(features)
            && self.rules.forbidden.binary_search(&row).is_err()
    }
}

fn number(draw: &mut Draw, least: u64) -> Int {
    match draw.below(8) {
        0..=5 => Int::from(draw.between(least, 9)),
        6 => Int::from(draw.between(least.max(10), 1000)),
        _ => {
            let exponent = *draw.pick(&[8, 16, 31, 32, 63, 64]).unwrap_or(&8);
            Int::power_of_two(exponent).unwrap_or(Int::from(256))
        }
    }
}

fn word(draw: &mut Draw) -> Option<Str> {
    const LETTERS: &[u32] = &[
        'a' as u32, 'b' as u32, '0' as u32, ' ' as u32, 0, 0x7f, 0xff, 0x2_ffff,
    ];
    let length = draw.between(1, 3);
    let letters: Option<Vec<u32>> = (0..length).map(|_| draw.pick(LETTERS).copied()).collect();
    Str::new(&letters?)
}
