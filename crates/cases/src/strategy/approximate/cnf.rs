//! Conjunctive normal form by Tseitin's transformation: linear, with a new name for every connective.
//!
//! ```text
//! (assert (or (and p q) (not r)))   →   (assert (or cnf!0 (not r)))
//!                                       (assert (or (not cnf!0) p)) (assert (or (not cnf!0) q))
//!                                       (assert (or cnf!0 (not p) (not q)))
//! ```
//! Every model of the clauses is a model of the formula, and every model of the formula becomes a model of the
//! clauses when each new name gets the value of its formula. Everything except Boolean connectives (atoms of any
//! theory, quantifiers, annotated formulas) stays as it is.

use auspex_logic::{Fun, Head, Sort, TermId, Terms, Theory};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The clauses of some formulas that share their names.
pub struct Tseitin {
    /// The literal that represents a formula.
    literals: FxHashMap<TermId, TermId>,
    prefix: String,
    /// The connectives that get clauses; none for all.
    chosen: Option<FxHashSet<TermId>>,
    /// The number of names.
    named: usize,
    /// The new names with their formulas, in order of creation.
    pub names: Vec<(Fun, TermId)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Connective {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Equal,
    Ite,
}

impl Tseitin {
    /// Starts with a prefix for new names.
    pub fn new(prefix: &str) -> Tseitin {
        Tseitin {
            literals: FxHashMap::default(),
            prefix: prefix.into(),
            chosen: None,
            named: 0,
            names: Vec::new(),
        }
    }

    /// Converts at most this many connectives of a formula, outer ones first; the rest stays as it is.
    pub fn at_most(&mut self, terms: &Terms, root: TermId, most: usize) -> usize {
        let chosen = outermost(terms, root, most);
        let count = chosen.len();
        self.chosen.get_or_insert_default().extend(chosen);
        count
    }

    fn connective(&self, terms: &Terms, term: TermId) -> Option<Connective> {
        let all = self.chosen.as_ref();
        let is_chosen = all.is_none_or(|chosen| chosen.contains(&term));
        connective(terms, term).filter(|found| is_chosen || *found == Connective::Not)
    }

    /// The clauses of a formula; each is a literal or a disjunction of literals.
    pub fn clauses(&mut self, terms: &mut Terms, root: TermId) -> Option<Vec<TermId>> {
        let mut clauses = Vec::new();
        let mut tops = vec![root];
        while let Some(top) = tops.pop() {
            let args = terms.args(top).to_vec();
            match self.connective(terms, top) {
                Some(Connective::And) => tops.extend(args.iter().rev()),
                Some(Connective::Or) => {
                    let literals = args
                        .iter()
                        .map(|arg| self.literal(terms, *arg, &mut clauses));
                    let literals: Option<Vec<TermId>> = literals.collect();
                    clauses.push(disjunction(terms, &literals?)?);
                }
                _ => {
                    let literal = self.literal(terms, top, &mut clauses)?;
                    clauses.push(literal);
                }
            }
        }
        Some(clauses)
    }

    /// The literal of a formula; adds the clauses that define it by its parts, parts first.
    fn literal(
        &mut self,
        terms: &mut Terms,
        root: TermId,
        clauses: &mut Vec<TermId>,
    ) -> Option<TermId> {
        let mut stack = vec![(root, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.literals.contains_key(&term) {
                continue;
            }
            let Some(connective) = self.connective(terms, term) else {
                self.literals.insert(term, term);
                continue;
            };
            if ready {
                let parts: Vec<TermId> =
                    terms.args(term).iter().map(|a| self.literals[a]).collect();
                let literal = self.define(terms, connective, term, &parts, clauses)?;
                self.literals.insert(term, literal);
            } else {
                stack.push((term, true));
                stack.extend(terms.args(term).iter().map(|arg| (*arg, false)));
            }
        }
        self.literals.get(&root).copied()
    }

    fn define(
        &mut self,
        terms: &mut Terms,
        connective: Connective,
        term: TermId,
        parts: &[TermId],
        clauses: &mut Vec<TermId>,
    ) -> Option<TermId> {
        if connective == Connective::Not {
            return negation(terms, parts[0]);
        }
        let name = self.name(terms, term)?;
        let not_name = negation(terms, name)?;
        let negated: Option<Vec<TermId>> = parts.iter().map(|p| negation(terms, *p)).collect();
        let negated = negated?;
        let mut add = |terms: &mut Terms, literals: &[TermId]| {
            clauses.push(disjunction(terms, literals)?);
            Some(())
        };
        match connective {
            Connective::Not => {}
            Connective::And => {
                parts
                    .iter()
                    .try_for_each(|part| add(terms, &[not_name, *part]))?;
                add(terms, &[&[name], &negated[..]].concat())?;
            }
            Connective::Or => {
                negated
                    .iter()
                    .try_for_each(|part| add(terms, &[name, *part]))?;
                add(terms, &[&[not_name], parts].concat())?;
            }
            Connective::Implies => {
                let last = parts.len() - 1;
                parts[..last]
                    .iter()
                    .try_for_each(|part| add(terms, &[name, *part]))?;
                add(terms, &[name, negated[last]])?;
                add(
                    terms,
                    &[&[not_name], &negated[..last], &parts[last..]].concat(),
                )?;
            }
            Connective::Xor | Connective::Equal => {
                let same = connective == Connective::Equal;
                let (yes, no) = if same {
                    (name, not_name)
                } else {
                    (not_name, name)
                };
                add(terms, &[no, negated[0], parts[1]])?;
                add(terms, &[no, parts[0], negated[1]])?;
                add(terms, &[yes, parts[0], parts[1]])?;
                add(terms, &[yes, negated[0], negated[1]])?;
            }
            Connective::Ite => {
                add(terms, &[negated[0], not_name, parts[1]])?;
                add(terms, &[negated[0], name, negated[1]])?;
                add(terms, &[parts[0], not_name, parts[2]])?;
                add(terms, &[parts[0], name, negated[2]])?;
            }
        }
        Some(name)
    }

    fn name(&mut self, terms: &mut Terms, of: TermId) -> Option<TermId> {
        let name = format!("{}{}", self.prefix, self.named);
        self.named += 1;
        let fun = terms.declare_fun(&name, &[], Sort::BOOL);
        self.names.push((fun, of));
        terms.fun_app(fun, &[]).ok()
    }
}

/// The Boolean connective of a term; none for terms that stay as they are.
fn connective(terms: &Terms, term: TermId) -> Option<Connective> {
    let Head::Op(op) = terms.head(term) else {
        return None;
    };
    let decl = terms.op(op);
    let args = terms.args(term);
    if decl.theory != Theory::Core || !args.iter().all(|arg| terms.sort(*arg) == Sort::BOOL) {
        return None;
    }
    match (&*decl.name, args.len()) {
        ("not", 1) => Some(Connective::Not),
        ("and", _) => Some(Connective::And),
        ("or", _) => Some(Connective::Or),
        ("=>", 2..) => Some(Connective::Implies),
        ("xor" | "distinct", 2) => Some(Connective::Xor),
        ("=", 2) => Some(Connective::Equal),
        ("ite", 3) => Some(Connective::Ite),
        _ => None,
    }
}

/// The connectives of a formula nearest to its root, up to a number.
fn outermost(terms: &Terms, root: TermId, most: usize) -> FxHashSet<TermId> {
    let mut seen = FxHashSet::default();
    let mut queue = VecDeque::from([root]);
    while let Some(term) = queue.pop_front() {
        if seen.len() >= most {
            break;
        }
        if connective(terms, term).is_some() && seen.insert(term) {
            queue.extend(terms.args(term));
        }
    }
    seen
}

fn negation(terms: &mut Terms, literal: TermId) -> Option<TermId> {
    match connective(terms, literal) {
        Some(Connective::Not) => terms.args(literal).first().copied(),
        _ => terms.app("not", &[literal]).ok(),
    }
}

fn disjunction(terms: &mut Terms, literals: &[TermId]) -> Option<TermId> {
    match literals {
        [one] => Some(*one),
        _ => terms.app("or", literals).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::eval::Evaluator;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::{Model, Value, read_script};

    fn clauses(terms: &mut Terms, formula: &str) -> (TermId, Tseitin, Vec<TermId>) {
        let text = format!(
            "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(declare-const x Int)(assert {formula})"
        );
        let root = read_script(terms, &text)
            .expect("well-formed")
            .script
            .roots()[0];
        let mut tseitin = Tseitin::new("cnf!");
        let all = tseitin.clauses(terms, root).expect("sorts fit");
        (root, tseitin, all)
    }

    fn texts(formula: &str) -> Vec<String> {
        let mut terms = Terms::new();
        let (_, _, all) = clauses(&mut terms, formula);
        all.iter()
            .map(|c| render::term(&terms, *c, Sharing::Expanded))
            .collect()
    }

    #[test]
    fn names_inner_connectives() {
        let expected = [
            "(or (not cnf!0) p)",
            "(or (not cnf!0) q)",
            "(or cnf!0 (not p) (not q))",
            "(or cnf!0 (not r))",
        ];
        assert_eq!(texts("(or (and p q) (not r))"), expected);
    }

    #[test]
    fn leaves_clauses_and_atoms_alone() {
        assert_eq!(
            texts("(and (or p (not q)) (< x 1))"),
            ["(or p (not q))", "(< x 1)"]
        );
        let quantified = "(forall ((y Int)) (and (< x y) p))";
        assert_eq!(texts(quantified), [quantified]);
        assert_eq!(texts("(= (ite p x 1) 2)"), ["(= (ite p x 1) 2)"]);
    }

    #[test]
    fn large_formulas_are_taken_apart_as_far_as_allowed() {
        let mut terms = Terms::new();
        let (root, ..) = clauses(&mut terms, "(or (and p (or q r)) (and q (xor p r)))");
        let mut tseitin = Tseitin::new("few!");
        assert_eq!(tseitin.at_most(&terms, root, 2), 2);
        let all = tseitin.clauses(&mut terms, root).expect("sorts fit");
        let shown = |c: &TermId| render::term(&terms, *c, Sharing::Expanded);
        let expected = [
            "(or (not few!0) p)",
            "(or (not few!0) (or q r))",
            "(or few!0 (not p) (not (or q r)))",
            "(or few!0 (and q (xor p r)))",
        ];
        assert_eq!(all.iter().map(shown).collect::<Vec<_>>(), expected);
    }

    /// With the names as what they name, the clauses say what the formula says; otherwise they imply it.
    #[test]
    fn clauses_mean_the_formula() {
        let formulas = [
            "(=> p q r)",
            "(= (xor p q) (ite r (not p) (and q r)))",
            "(or (=> (and p q) r) (distinct p (or q r)))",
            "(not (ite (=> p q) (xor q r) (= p r)))",
        ];
        for formula in formulas {
            let mut terms = Terms::new();
            let (root, tseitin, all) = clauses(&mut terms, formula);
            let mut variables: Vec<Fun> = ["p", "q", "r"]
                .map(|n| terms.declare_fun(n, &[], Sort::BOOL))
                .into();
            variables.extend(tseitin.names.iter().map(|(fun, _)| *fun));
            for bits in 0..1u32 << variables.len() {
                let mut model = Model::default();
                for (at, fun) in variables.iter().enumerate() {
                    model.set_value(*fun, Value::Bool(bits >> at & 1 == 1));
                }
                let mut evaluator = Evaluator::new(&terms, &model);
                let mut value = |term| evaluator.value(term) == Ok(Value::TRUE);
                let clauses_hold = all.iter().all(|c| value(*c));
                let holds = value(root);
                assert!(!clauses_hold || holds, "{formula} {bits:b}");
                let named = tseitin.names.iter().enumerate();
                let mut named =
                    named.map(|(at, (_, of))| value(*of) == (bits >> (at + 3) & 1 == 1));
                if named.all(|same| same) {
                    assert_eq!(clauses_hold, holds, "{formula} {bits:b}");
                }
            }
        }
    }
}
