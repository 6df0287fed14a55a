//! The ingredients for new parts of a mutant: visible symbols, including defined functions, parts of the changed
//! formula, constants, new variables, and (for live predicate injection) grown formulas.

use super::site::Site;
use super::target::{Declared, Target, is_built_in, place};
use crate::draw::Draw;
use crate::features::{Features, is_nonlinear};
use crate::grow::{self, Function, Ingredients, Item, Palette, Places, Pool, Rules};
use crate::rules::Supply;
use crate::rules::pattern::Literal;
use auspex_logic::value::{Int, Rat, Str};
use auspex_logic::{Command, Fun, Head, Sort, Symbol, TermId, Terms, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The most symbols used.
const MOST_SYMBOLS: usize = 64;
/// The most parts of the seed used, in all and of one assertion.
const MOST_PARTS: usize = 96;
const MOST_PARTS_EACH: usize = 24;
/// The most new variables of one mutant.
const MOST_VARIABLES: u64 = 3;

/// A seed's ingredients for the new terms of a mutant.
pub struct Material<'w> {
    pool: Pool,
    rules: Rules<'w>,
    palette: Arc<Palette>,
    functions: Vec<Function>,
    /// The names of all declared symbols.
    names: FxHashSet<Symbol>,
    /// New variables, which the script does not declare.
    pub variables: Vec<(Fun, TermId)>,
}

/// The ingredients of new terms.
pub struct Ground<'a> {
    pub commands: &'a [Command],
    pub targets: &'a [Target],
    pub symbols: &'a [Declared],
    /// The prefix of new variables; none if there are none.
    pub prefix: Option<String>,
}

impl<'w> Material<'w> {
    pub fn new(
        terms: &mut Terms,
        ground: &Ground<'_>,
        rules: Rules<'w>,
        draw: &mut Draw,
    ) -> Material<'w> {
        let turn = draw.below(u64::MAX);
        let name = |(fun, _): &Declared| terms.fun(*fun).name;
        let names = ground.symbols.iter().map(name).collect();
        let mut filling = Filling::default();
        for (fun, places) in rotated(ground.symbols, turn).take(MOST_SYMBOLS) {
            if !terms.fun(*fun).params.is_empty() {
                filling.function(terms, *fun, *places);
            } else if let Ok(constant) = terms.fun_app(*fun, &[]) {
                filling.item(terms, constant, *places);
            }
        }
        let mut room = MOST_PARTS;
        for target in rotated(ground.targets, turn) {
            let Some(root) = target.term(ground.commands).filter(|_| room > 0) else {
                continue;
            };
            // Parts with a body's parameters cannot be used elsewhere.
            if target.defines(ground.commands).is_none() {
                let parts = parts(terms, root, room.min(MOST_PARTS_EACH));
                room = room.saturating_sub(parts.len());
                for part in parts {
                    filling.item(terms, part, place(target.slot));
                }
            }
        }
        let variables = match &ground.prefix {
            Some(prefix) => filling.variables(terms, prefix, draw),
            None => Vec::new(),
        };
        let at_hand = filling.pool.kinds(&terms.sorts);
        let table = terms.table().clone();
        Material {
            palette: Palette::shared(&table, &rules, at_hand),
            rules,
            pool: filling.pool,
            functions: filling.functions,
            names,
            variables,
        }
    }
}

/// A list, rotated by a random amount.
fn rotated<T>(list: &[T], turn: u64) -> impl Iterator<Item = &T> {
    let first = turn.checked_rem(list.len() as u64).unwrap_or(0) as usize;
    list[first..].iter().chain(&list[..first])
}

/// Parts of an assertion that can be used elsewhere in it, larger ones first.
fn parts(terms: &Terms, root: TermId, most: usize) -> Vec<TermId> {
    const LOOKED_AT: usize = 200;
    let mut parts = Vec::new();
    let mut queue = std::collections::VecDeque::from([root]);
    for _ in 0..LOOKED_AT {
        let Some(term) = queue.pop_front() else {
            break;
        };
        if parts.len() >= most {
            break;
        }
        let args = terms.args(term);
        match terms.head(term) {
            // Unknown terms may not be copied.
            Head::Opaque(_) | Head::Match(_) => {}
            // Attributes are not copied.
            Head::Annotated(_) => queue.extend(args.first()),
            Head::Binder(number) => {
                parts.extend_from_slice(&terms.binder(number).variables);
                queue.extend(args);
            }
            _ => {
                if term != root && is_known_throughout(terms, term) {
                    parts.push(term);
                }
                queue.extend(args);
            }
        }
    }
    parts
}

#[derive(Default)]
struct Filling {
    pool: Pool,
    functions: Vec<Function>,
    seen: FxHashSet<TermId>,
}

impl Filling {
    fn item(&mut self, terms: &mut Terms, term: TermId, places: Places) {
        if self.seen.insert(term) && terms.sorts.is_known(terms.sort(term)) {
            let item = Item {
                term,
                places,
                clashes: false,
            };
            self.pool.add(terms, item, places);
        }
    }

    /// New constants of some available sorts that need no declaration.
    fn variables(
        &mut self,
        terms: &mut Terms,
        prefix: &str,
        draw: &mut Draw,
    ) -> Vec<(Fun, TermId)> {
        let sorts = self.pool.sorts(grow::EVERYWHERE).into_owned();
        let sorts: Vec<Sort> = sorts
            .into_iter()
            .filter(|sort| is_built_in(terms, *sort))
            .collect();
        let mut variables = Vec::new();
        for number in 0..draw.between(1, MOST_VARIABLES) {
            let sort = draw.pick(&sorts).copied().unwrap_or(Sort::BOOL);
            let fun = terms.declare_fun(&format!("{prefix}{number}"), &[], sort);
            if let Ok(term) = terms.fun_app(fun, &[]) {
                self.item(terms, term, grow::EVERYWHERE);
                variables.push((fun, term));
            }
        }
        variables
    }

    fn function(&mut self, terms: &Terms, fun: Fun, places: Places) {
        let function = Function {
            fun,
            places,
            clashes: false,
        };
        self.pool.add_function(terms, function);
        self.functions.push(function);
    }
}

/// The connective above the atoms of a formula: none or `not` above one, or a binary one above two.
const CONNECTIVES: &[&str] = &["", "not", "and", "or", "=>", "xor"];

/// Supplies rules with terms for one site.
pub struct SiteSupply<'a> {
    pub draw: &'a mut Draw,
    pub material: &'a Material<'a>,
    pub site: &'a Site,
    /// The place of its assertion.
    pub place: Places,
    /// Depth of operators in an injected atom.
    pub depth: u32,
}

impl SiteSupply<'_> {
    /// Whether a symbol is shadowed by a binder of the same name.
    fn is_clear(&self, terms: &Terms) -> bool {
        let hides = |v: &TermId| match terms.head(*v) {
            Head::Variable(name) => self.material.names.contains(&name),
            _ => false,
        };
        !self.site.scope.iter().any(hides)
    }

    /// A formula as in the paper's Algorithm 1: one or two grown atoms under a connective.
    pub fn snippet(&mut self, terms: &mut Terms) -> Option<TermId> {
        let connective = *self.draw.pick(CONNECTIVES)?;
        let first = self.atom(terms)?;
        match connective {
            "" => Some(first),
            "not" => terms.app(connective, &[first]).ok(),
            _ => {
                let second = self.atom(terms)?;
                terms.app(connective, &[first, second]).ok()
            }
        }
    }

    /// A predicate over terms of sorts other than Bool, if there are any.
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
        if !self.is_clear(terms) {
            return None;
        }
        let with = Ingredients {
            pool: &self.material.pool,
            palette: &self.material.palette,
            scope: &self.site.scope,
            place: self.place,
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

impl Supply for SiteSupply<'_> {
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
        let sorts = self.material.pool.sorts(self.place);
        let args = terms.args(self.site.term);
        let choice = self.draw.index(sorts.len() + args.len());
        let near = || args.get(choice - sorts.len()).map(|arg| terms.sort(*arg));
        sorts.get(choice).copied().or_else(near)
    }

    fn function(&mut self, terms: &Terms, argument: Sort) -> Option<Fun> {
        if !self.is_clear(terms) {
            return None;
        }
        let fits =
            |f: &&Function| f.places & self.place != 0 && *terms.fun(f.fun).params == [argument];
        let functions = self.material.functions.iter();
        let fitting: Vec<Fun> = functions.filter(fits).map(|f| f.fun).collect();
        self.draw.pick(&fitting).copied()
    }

    fn choose(&mut self, bound: usize) -> usize {
        self.draw.index(bound)
    }

    /// Whether the solvers know the operator at the root, and the logic allows it.
    fn allows(&self, terms: &Terms, application: TermId) -> bool {
        let Head::Op(op) = terms.head(application) else {
            return true;
        };
        let (decl, row) = (terms.op(op), terms.op_row(op) as u32);
        let mut features = Features::of_theory(decl.theory);
        if is_nonlinear(terms, decl, terms.args(application)) {
            features = features.union(Features::NONLINEAR);
        }
        let rules = &self.material.rules;
        let known = match rules.solvers.0 {
            0 => decl.known.is_standard(),
            _ => decl.known.includes(rules.solvers),
        };
        known && rules.features.includes(features) && rules.forbidden.binary_search(&row).is_err()
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
