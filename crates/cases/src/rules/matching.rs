//! Matches the terms and sorts of rules: variables match any term of their sort, letters take the numbers and
//! sorts that the term has.
//!
//! ```text
//! (bvadd s t) with s, t : (_ BitVec m)   in   (bvadd x #x1)   gives   s = x, t = #x1, m = 4
//! ```

use super::bindings::{Bindings, WITH_FIELDS};
use super::pattern::{Node, SortPattern, Variable};
use super::size::Size;
use auspex_logic::sort::DataId;
use auspex_logic::term::FunKind;
use auspex_logic::value::Rat;
use auspex_logic::{Fun, Head, Sort, SortKind, TermId, Terms, Value};

impl SortPattern {
    pub fn matches(&self, terms: &Terms, sort: Sort, bindings: &mut Bindings) -> bool {
        if sort == Sort::UNKNOWN {
            return false;
        }
        match (self, terms.sorts.kind(sort)) {
            (SortPattern::Exactly(wanted), _) => *wanted == sort,
            (SortPattern::Any(place), _) => {
                is_comparable(terms, sort) && bindings.bind_sort(*place, sort)
            }
            (SortPattern::Number, SortKind::Int | SortKind::Real) => bindings.bind_numeric(sort),
            (SortPattern::BitVec(size), SortKind::BitVec(width)) => {
                size.matches(u64::from(*width), bindings)
            }
            (SortPattern::Float(e, s), SortKind::Float { eb, sb }) => {
                e.matches(u64::from(*eb), bindings) && s.matches(u64::from(*sb), bindings)
            }
            (SortPattern::Array(i, e), SortKind::Array(index, element)) => {
                i.matches(terms, *index, bindings) && e.matches(terms, *element, bindings)
            }
            (SortPattern::Seq(e), SortKind::Seq(element))
            | (SortPattern::Set(e), SortKind::Set(element))
            | (SortPattern::Bag(e), SortKind::Bag(element)) => e.matches(terms, *element, bindings),
            (SortPattern::Data, SortKind::Data(..)) => bindings.bind_data(sort),
            // Constructors determine the sorts of their fields.
            (SortPattern::Field, _) => is_comparable(terms, sort),
            _ => false,
        }
    }
}

/// Whether solvers accept `=` between terms of a sort.
fn is_comparable(terms: &Terms, sort: Sort) -> bool {
    terms.sorts.is_known(sort)
        && !matches!(
            terms.sorts.kind(sort),
            SortKind::RegLan | SortKind::Function(_)
        )
}

impl Node {
    pub fn matches(
        &self,
        terms: &Terms,
        variables: &[Variable],
        term: TermId,
        bindings: &mut Bindings,
    ) -> bool {
        match (self, terms.head(term)) {
            (Node::Variable(at), _) => {
                let at = *at as usize;
                match bindings.terms[at] {
                    Some(bound) => bound == term,
                    None => {
                        bindings.terms[at] = Some(term);
                        let sort = terms.sort(term);
                        variables[at].sort.matches(terms, sort, bindings)
                    }
                }
            }
            (Node::Apply { .. }, Head::Op(_)) => {
                self.matches_application(terms, variables, term, bindings)
            }
            (_, Head::Literal(number)) => self.matches_literal(terms.literal(number), bindings),
            (Node::Function(arg), Head::Fun(fun)) => {
                let decl = terms.fun(fun);
                matches!(decl.kind, FunKind::Declared | FunKind::Defined)
                    && decl.params.len() == 1
                    && terms.args(term).len() == 1
                    && bindings.bind_function(fun)
                    && arg.matches(terms, variables, terms.args(term)[0], bindings)
            }
            (_, Head::Fun(fun)) => self.matches_data(terms, variables, (term, fun), bindings),
            // Bound variables have different names in every term, so quantifiers match nothing.
            _ => false,
        }
    }

    fn matches_literal(&self, literal: &Value, bindings: &mut Bindings) -> bool {
        match (self, literal) {
            (Node::Integer(int), Value::Int(value)) => value == int,
            (Node::Integer(int), Value::Real(value)) => *value == Rat::from(int.clone()),
            (Node::Number(size), Value::Int(value)) => size.equals(value, bindings),
            (Node::Value(wanted, _), value) => wanted == value,
            (Node::Bits(size, width), Value::BitVec(bits)) => {
                width.matches(u64::from(bits.width()), bindings)
                    && size.equals(&bits.ubv_to_int(), bindings)
            }
            _ => false,
        }
    }

    /// Whether a term has this operator at its root, whatever its arguments are.
    pub fn is_at_root_of(&self, terms: &Terms, term: TermId) -> bool {
        match (self, terms.head(term)) {
            (Node::Apply { rows, .. }, Head::Op(op)) => rows.contains(&(terms.op_row(op) as u32)),
            _ => false,
        }
    }

    fn matches_application(
        &self,
        terms: &Terms,
        variables: &[Variable],
        term: TermId,
        bindings: &mut Bindings,
    ) -> bool {
        let (
            Node::Apply {
                indices,
                args,
                sort,
                ..
            },
            Head::Op(op),
        ) = (self, terms.head(term))
        else {
            return false;
        };
        let actual = terms.args(term);
        self.is_at_root_of(terms, term)
            && actual.len() == args.len()
            && indices_match(indices, terms.op_indices(op), bindings)
            && sort
                .as_ref()
                .is_none_or(|sort| sort.matches(terms, terms.sort(term), bindings))
            && args
                .iter()
                .zip(actual)
                .all(|(node, arg)| node.matches(terms, variables, *arg, bindings))
    }

    fn matches_data(
        &self,
        terms: &Terms,
        variables: &[Variable],
        (term, fun): (TermId, Fun),
        bindings: &mut Bindings,
    ) -> bool {
        let args = terms.args(term);
        let decl = terms.fun(fun);
        let subject = decl.params.first().copied().unwrap_or(Sort::UNKNOWN);
        match (self, decl.kind) {
            (Node::Constructor(slot), FunKind::Constructor(_, number)) => {
                decl.params.is_empty() && bindings.bind_constructor(*slot, decl.result, number)
            }
            (Node::Fields(field, rest), FunKind::Constructor(_, number)) => {
                let Some(chosen) = bindings.turn.checked_rem(args.len()) else {
                    return false;
                };
                bindings.bind_constructor(WITH_FIELDS, decl.result, number)
                    && bindings.bind_rest(terms, *rest, term, chosen)
                    && field.matches(terms, variables, args[chosen], bindings)
            }
            (Node::Selector(node), FunKind::Selector(id, number, of)) => {
                bindings.turn.checked_rem(fields(terms, id, number)) == Some(of as usize)
                    && bindings.bind_constructor(WITH_FIELDS, subject, number)
                    && node.matches(terms, variables, args[0], bindings)
            }
            (Node::Rebuilt(node), FunKind::Constructor(_, number)) => {
                let Some(of) = rebuilt_of(terms, term) else {
                    return false;
                };
                bindings.bind_constructor(WITH_FIELDS, decl.result, number)
                    && node.matches(terms, variables, of, bindings)
            }
            (Node::Tester(slot, node), FunKind::Tester(id, number)) => {
                (*slot == WITH_FIELDS) == (fields(terms, id, number) > 0)
                    && bindings.bind_constructor(*slot, subject, number)
                    && node.matches(terms, variables, args[0], bindings)
            }
            _ => false,
        }
    }
}

/// How many fields a constructor has.
fn fields(terms: &Terms, id: DataId, number: u32) -> usize {
    let constructors = &terms.sorts.datatype(id).constructors;
    constructors[number as usize].selectors.len()
}

/// The term whose fields are all those of a constructor application, in order.
fn rebuilt_of(terms: &Terms, term: TermId) -> Option<TermId> {
    let first = terms.args(*terms.args(term).first()?).first().copied()?;
    let Head::Fun(fun) = terms.head(term) else {
        return None;
    };
    let FunKind::Constructor(id, number) = terms.fun(fun).kind else {
        return None;
    };
    let mut args = terms.args(term).iter().enumerate();
    let all = args.all(|(field, arg)| match terms.head(*arg) {
        Head::Fun(selector) => {
            terms.fun(selector).kind == FunKind::Selector(id, number, field as u32)
                && terms.args(*arg) == [first]
        }
        _ => false,
    });
    all.then_some(first)
}

fn indices_match(wanted: &[Size], actual: &[u64], bindings: &mut Bindings) -> bool {
    wanted.len() == actual.len()
        && wanted
            .iter()
            .zip(actual)
            .all(|(size, number)| size.matches(*number, bindings))
}

#[cfg(test)]
mod tests {
    use crate::rules::building::Nothing;
    use crate::rules::{Rule, laws};
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::{Terms, read_script};

    fn named(name: &str) -> &'static Rule {
        let mut all = laws().iter();
        all.find(|rule| rule.name == name).expect("a law")
    }

    /// What a law makes of the asserted term's first argument.
    fn rewritten(law: &str, script: &str) -> Option<String> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, script).expect("well-formed");
        let root = *reading.script.roots().last().expect("an assertion");
        let term = terms.args(root)[0];
        let law = named(law);
        let mut bindings = super::Bindings::default();
        let left = &law.left.node;
        if !left.matches(&terms, &law.variables, term, &mut bindings) || !law.sizes_hold(&bindings)
        {
            return None;
        }
        let right = &law.right.node;
        let after = right.instance(&mut terms, &law.variables, &mut bindings, &mut Nothing)?;
        Some(render::term(&terms, after, Sharing::Expanded))
    }

    #[test]
    fn matches_any_width() {
        let script = "(declare-const x (_ BitVec 7))(assert (= (bvsub x (bvnot x)) x))";
        let after = rewritten("bvsub-by-bvneg", script);
        assert_eq!(after.as_deref(), Some("(bvadd x (bvneg (bvnot x)))"));
    }

    #[test]
    fn leaves_other_operators_alone() {
        let script = "(declare-const x (_ BitVec 7))(assert (= (bvadd x x) x))";
        assert_eq!(rewritten("bvsub-by-bvneg", script), None);
    }

    #[test]
    fn same_variable_same_term() {
        let same = "(declare-const x (_ BitVec 7))(assert (= (bvand x x) x))";
        assert_eq!(rewritten("bvand-idempotent", same).as_deref(), Some("x"));
        let other = "(declare-const x (_ BitVec 7))(assert (= (bvand x (bvnot x)) x))";
        assert_eq!(rewritten("bvand-idempotent", other), None);
    }

    #[test]
    fn solves_indices() {
        let whole = "(declare-const x (_ BitVec 7))(assert (= ((_ extract 6 0) x) x))";
        assert_eq!(rewritten("extract-whole", whole).as_deref(), Some("x"));
        let part = "(declare-const x (_ BitVec 7))(assert (= ((_ extract 5 0) x) #b000000))";
        assert_eq!(rewritten("extract-whole", part), None);
    }
}
