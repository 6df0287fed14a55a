//! Evaluates small terms without a cache: for a few operators, caching results takes longer than computing them.
//! Anything not easily determined is left to the evaluator.

use crate::sig::Assoc;
use crate::term::{Fun, FunKind, Head, TermId, Terms};
use crate::theory::{Args, Meaning};
use crate::value::Value;

/// Terms with more parts than this are left to the evaluator, which evaluates shared ones once.
const MOST_PARTS: u32 = 200;

/// Evaluates small terms of one arena; kept for many of them, it allocates nothing.
pub struct Direct<'a, F> {
    terms: &'a Terms,
    /// The value of a declared constant.
    constant: F,
    values: Vec<Value>,
    parts: u32,
}

impl<'a, 'v, F: Fn(Fun) -> Option<&'v Value>> Direct<'a, F> {
    pub fn new(terms: &'a Terms, constant: F) -> Self {
        Direct {
            terms,
            constant,
            values: Vec::new(),
            parts: 0,
        }
    }

    /// The value of a term without quantifiers, functions and unspecified applications; none means unknown.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        self.parts = 0;
        self.values.clear();
        self.part(term)
    }

    fn part(&mut self, term: TermId) -> Option<Value> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return None;
        }
        let terms = self.terms;
        match terms.head(term) {
            Head::Literal(number) => plain(terms.literal(number)),
            Head::Fun(fun) if terms.args(term).is_empty() => match terms.fun(fun).kind {
                FunKind::Declared => plain((self.constant)(fun)?),
                _ => None,
            },
            Head::Op(op) => {
                let decl = terms.op(op);
                match decl.meaning {
                    Meaning::Strict(meaning) => {
                        let base = self.arguments(term)?;
                        let values = &self.values[base..];
                        // Other numbers of arguments need folding.
                        let fits = values.len() == decl.sig.params.len();
                        if !fits && decl.sig.assoc != Assoc::None {
                            return None;
                        }
                        let result = meaning(&Args {
                            values,
                            indices: terms.op_indices(op),
                            sort: terms.sort(term),
                            sorts: &terms.sorts,
                        });
                        self.values.truncate(base);
                        result.ok().filter(|value| !value.is_expression())
                    }
                    Meaning::Lazy(meaning) => {
                        const MOST: usize = 4;
                        let base = self.arguments(term)?;
                        let mut options = [const { None }; MOST];
                        let count = self.values.len() - base;
                        let places = options.get_mut(..count)?.iter_mut();
                        let values = self.values.drain(base..);
                        places.zip(values).for_each(|(at, v)| *at = Some(v));
                        meaning(&options[..count])
                    }
                    Meaning::Applying(_) | Meaning::None(_) => None,
                }
            }
            _ => None,
        }
    }

    /// Pushes the arguments' values on the stack; returns where they begin.
    fn arguments(&mut self, term: TermId) -> Option<usize> {
        let base = self.values.len();
        for arg in self.terms.args(term) {
            let value = self.part(*arg)?;
            self.values.push(value);
        }
        Some(base)
    }
}

/// Irrational numbers are computed with in the model's field only.
fn plain(value: &Value) -> Option<Value> {
    match value {
        Value::Irrational(_) => None,
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::{Model, read_script};

    fn both(formula: &str) -> (Option<Value>, Option<Value>) {
        let mut terms = Terms::new();
        let text = format!("(declare-const x Int)(assert {formula})");
        let reading = read_script(&mut terms, &text).expect("well-formed");
        let fun = reading.script.declared().next().expect("one symbol");
        let seven = Value::Int(7.into());
        let mut model = Model::default();
        model.set_value(fun, seven.clone());
        let root = reading.script.roots()[0];
        let evaluated = Evaluator::new(&terms, &model).value(root).ok();
        let direct = Direct::new(&terms, |f| (f == fun).then_some(&seven)).value(root);
        (direct, evaluated)
    }

    #[test]
    fn agrees_with_the_evaluator() {
        for formula in [
            "(= x 7)",
            "(and (< x 8) (not (= x 3)))",
            "(= (ite (> x 0) \"a\" \"b\") \"b\")",
            "(= (select (store ((as const (Array Int Int)) 0) x 1) 7) 1)",
            "(= ((_ extract 2 1) #b0110) #b11)",
        ] {
            let (direct, evaluated) = both(formula);
            assert!(direct.is_some() && direct == evaluated, "{formula}");
        }
    }

    #[test]
    fn leaves_the_rest_to_the_evaluator() {
        for formula in ["(< 0 x 8)", "(= (div x 0) 1)", "(exists ((b Bool)) b)"] {
            assert_eq!(both(formula).0, None, "{formula}");
        }
        let deep = format!("{}true{}", "(not ".repeat(500), ")".repeat(500));
        assert_eq!(both(&deep).0, None);
    }
}
