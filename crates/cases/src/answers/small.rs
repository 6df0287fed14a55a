//! Small formulas for such questions: those of a made case, or new ones over a few numbers, bit-vectors and Booleans,
//! for which elimination, interpolation and abduction are fast.

use crate::alone::alone;
use crate::case::{Case, Expected};
use crate::draw::Draw;
use crate::logics::smallest_of;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, SortKind, Terms, read_script};

/// Formulas with their declarations, as text.
pub(super) struct Small {
    pub declarations: String,
    pub formulas: Vec<String>,
    /// The answer to all formulas together, if it is known.
    pub expected: Option<Expected>,
    /// What new formulas are made of.
    pub domain: Domain,
    /// Constants of the domain's sort.
    pub constants: Vec<String>,
}

/// A sort of numbers with its operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Ints,
    Reals,
    Bits(u64),
}

/// The longest case for most questions.
const LONGEST: usize = 1500;

impl Small {
    /// The formulas of the case or new ones, equally often.
    pub fn over(draw: &mut Draw, terms: &mut Terms, case: &Case) -> Option<Small> {
        if draw.coin()
            && let Some(small) = Small::of(terms, case)
        {
            return Some(small);
        }
        let domain = match draw.below(5) {
            0 | 1 => Domain::Ints,
            2 => Domain::Reals,
            _ => Domain::Bits(draw.between(1, 4)),
        };
        Small::within(draw, domain)
    }

    /// New formulas over numbers of one domain.
    pub fn within(draw: &mut Draw, domain: Domain) -> Option<Small> {
        let constants: Vec<String> = ["x", "y", "z"].map(str::to_string).to_vec();
        let constants = constants[..2 + draw.index(2)].to_vec();
        let sort = domain.sort();
        let declared = constants
            .iter()
            .map(|name| format!("(declare-const {name} {sort})\n"));
        let mut declarations: String = declared.collect();
        declarations.push_str("(declare-const p Bool)\n");
        let mut small = Small {
            declarations,
            formulas: Vec::new(),
            expected: None,
            domain,
            constants,
        };
        for _ in 0..1 + draw.index(3) {
            let formula = small.formula(draw)?;
            small.formulas.push(formula);
        }
        Some(small)
    }

    /// The formulas of the first query of a case.
    pub fn of(terms: &mut Terms, case: &Case) -> Option<Small> {
        let query = case.script.queries().into_iter().next()?;
        let mut declarations = alone(terms, &case.script, &query);
        declarations.commands.pop();
        declarations.commands.retain(|command| {
            !matches!(
                command,
                Command::Assert(_)
                    | Command::SetOption(..)
                    | Command::SetInfo(..)
                    | Command::SetLogic(_)
            )
        });
        let mut constants = Vec::new();
        let mut domain = Domain::Ints;
        for fun in declarations
            .declared()
            .filter(|fun| terms.fun(*fun).params.is_empty())
        {
            let decl = terms.fun(fun);
            let found = match terms.sorts.kind(decl.result) {
                SortKind::Int => Domain::Ints,
                SortKind::Real => Domain::Reals,
                SortKind::BitVec(width) => Domain::Bits(u64::from(*width)),
                _ => continue,
            };
            if constants.is_empty() {
                domain = found;
            }
            if found == domain {
                let mut name = String::new();
                auspex_syntax::write_symbol(&mut name, terms.symbols.name(decl.name));
                constants.push(name);
            }
        }
        let text = |term| render::term(terms, term, Sharing::Auto);
        let formulas: Vec<String> = query.demands().map(text).collect();
        let length: usize = formulas.iter().map(String::len).sum();
        let is_plain = formulas.iter().all(|formula| !formula.contains(":named"));
        (is_plain && !formulas.is_empty() && length <= LONGEST).then(|| Small {
            declarations: render::script(terms, &declarations, Sharing::Auto),
            formulas,
            expected: case
                .evidence
                .first()
                .and_then(|evidence| evidence.expected()),
            domain,
            constants,
        })
    }

    /// A new formula over the constants.
    pub fn formula(&self, draw: &mut Draw) -> Option<String> {
        let (one, other) = (self.atom(draw)?, self.atom(draw)?);
        Some(match draw.below(8) {
            0 | 1 => one,
            2 => format!("(and {one} {other})"),
            3 => format!("(or {one} {other})"),
            4 => format!("(=> {one} {other})"),
            5 => format!("(not {one})"),
            6 => format!("(= {one} {other})"),
            _ => format!("(xor {one} {other})"),
        })
    }

    /// A comparison of two terms.
    pub fn atom(&self, draw: &mut Draw) -> Option<String> {
        let (one, other) = (self.term(draw, 2), self.term(draw, 1));
        let relations: &[&str] = match self.domain {
            Domain::Ints | Domain::Reals => &["<", "<=", ">", ">=", "=", "distinct"],
            Domain::Bits(_) => &["bvult", "bvule", "bvslt", "bvsge", "=", "distinct"],
        };
        let relation = draw.pick(relations)?;
        Some(format!("({relation} {one} {other})"))
    }

    /// A term of the domain's sort.
    pub fn term(&self, draw: &mut Draw, depth: u64) -> String {
        if depth == 0 || draw.one_in(3) {
            return match draw.pick(&self.constants) {
                Some(name) if !draw.one_in(3) => name.clone(),
                _ => self.domain.number(draw),
            };
        }
        let (one, other) = (self.term(draw, depth - 1), self.term(draw, depth - 1));
        let number = self.domain.small(draw);
        match self.domain {
            Domain::Ints => match draw.below(6) {
                0 | 1 => format!("(+ {one} {other})"),
                2 => format!("(- {one} {other})"),
                3 => format!("(* {number} {one})"),
                4 => format!("(mod {one} {number})"),
                _ => format!("(div {one} {number})"),
            },
            Domain::Reals => match draw.below(4) {
                0 | 1 => format!("(+ {one} {other})"),
                2 => format!("(- {one} {other})"),
                _ => format!("(* {number} {one})"),
            },
            Domain::Bits(_) => {
                const BINARY: [&str; 11] = [
                    "bvadd", "bvadd", "bvand", "bvor", "bvxor", "bvmul", "bvsub", "bvshl",
                    "bvlshr", "bvudiv", "bvurem",
                ];
                match draw.index(BINARY.len() + 2) {
                    11 => format!("(bvnot {one})"),
                    12 => format!("(bvneg {one})"),
                    at => format!("({} {one} {other})", BINARY[at]),
                }
            }
        }
    }

    /// A script of a header, the declarations and more commands, in `ALL` unless the header names a logic.
    pub fn script(&self, terms: &mut Terms, header: &str, commands: &str) -> Option<Script> {
        let text = format!("{header}{}{commands}", self.declarations);
        let reading = read_script(terms, &text).ok()?;
        if !reading.issues.is_empty() {
            return None;
        }
        let mut script = reading.script;
        script.spans.clear();
        if script.logic().is_none() {
            let logic = terms.symbols.intern("ALL");
            script.commands.insert(0, Command::SetLogic(logic));
        }
        Some(script)
    }

    /// The same in the smallest logic that fits what is asserted.
    pub fn script_in_logic(
        &self,
        terms: &mut Terms,
        header: &str,
        commands: &str,
    ) -> Option<Script> {
        let mut script = self.script(terms, header, commands)?;
        script.commands.remove(0);
        let logic = smallest_of(terms, &script.commands);
        let logic = terms.symbols.intern(logic);
        script.commands.insert(0, Command::SetLogic(logic));
        Some(script)
    }
}

impl Domain {
    pub fn sort(self) -> String {
        match self {
            Domain::Ints => "Int".to_string(),
            Domain::Reals => "Real".to_string(),
            Domain::Bits(width) => format!("(_ BitVec {width})"),
        }
    }

    /// Any number.
    pub fn number(self, draw: &mut Draw) -> String {
        let signed = |negative: bool, text: String| match negative {
            true => format!("(- {text})"),
            false => text,
        };
        match self {
            Domain::Ints => signed(draw.one_in(4), draw.below(12).to_string()),
            Domain::Reals => {
                let halves = draw.below(15);
                signed(
                    draw.one_in(4),
                    format!("{}.{}", halves / 2, 5 * (halves % 2)),
                )
            }
            Domain::Bits(width) => {
                let bits = (0..width).map(|_| if draw.coin() { '1' } else { '0' });
                format!("#b{}", bits.collect::<String>())
            }
        }
    }

    /// A number above one, where the sort has one.
    fn small(self, draw: &mut Draw) -> String {
        match self {
            Domain::Ints => draw.between(2, 5).to_string(),
            Domain::Reals => format!("{}.0", draw.between(2, 5)),
            Domain::Bits(_) => self.number(draw),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_well_sorted() {
        let mut terms = Terms::new();
        for number in 0..300 {
            let mut draw = Draw::new(1, number);
            let domain = [Domain::Ints, Domain::Reals, Domain::Bits(3)][number as usize % 3];
            let small = Small::within(&mut draw, domain).expect("a draw gives formulas");
            let text = super::super::reading::asserted(&small.formulas);
            let script = small.script(&mut terms, "", &text);
            assert!(script.is_some(), "{text}");
        }
    }
}
