//! The core oracle: a core is wrong if it is satisfiable (a model of all its members shows this, and a solver that
//! finds them satisfiable contradicts itself) or contains a name that no assertion has. A core that is not minimal is
//! not wrong.
//!
//! ```text
//! (assert (! (> x 0) :named a)) (assert (! (< x 0) :named b)) → unsat, core (a)      x = 1 makes a true
//! ```

use super::grounds::{Grounds, ModelOf};
use super::{Class, Link, Oracle, QueryContext, Side, Verdict};
use crate::case::Evidence;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::read_model;
use auspex_logic::script::Query;
use auspex_logic::{Answer, Assertion, Model, Terms, Value};
use std::collections::BTreeSet;

pub struct CoreValidity;

impl Oracle for CoreValidity {
    fn name(&self) -> &'static str {
        "core"
    }

    fn about(&self) -> &'static str {
        "A core is wrong if its members are satisfiable, or if it contains a name that no assertion has."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let all = 0..context.replies.len();
        all.filter_map(|at| {
            let Answer::Unsat { core: Some(core) } = &context.replies[at].answer else {
                return None;
            };
            verdict(context, at, &core.clone())
        })
        .collect()
    }
}

fn verdict(context: &mut QueryContext<'_>, at: usize, core: &[String]) -> Option<Verdict> {
    let said = |class, grounds| Some(Verdict::new(class, at, grounds));
    if let Some(name) = core.iter().find(|name| !is_named(context, name)) {
        let name = name.clone();
        return said(Class::WrongCore, Grounds::UnknownName { name });
    }
    if let Some(of) = model_of_core(context, at, core) {
        return said(Class::WrongCore, Grounds::CoreModel { of });
    }
    let related = context
        .related
        .iter()
        .position(|one| one.link == Link::CoreOf(at))?;
    let accused = context.replies[at].solver.clone();
    let replies = &context.related[related].replies;
    let itself = replies
        .iter()
        .position(|reply| reply.solver == accused && reply.side() == Some(Side::Sat));
    if let Some(number) = itself {
        let answer = (related, number);
        return said(Class::SelfContradiction, Grounds::CoreItself { answer });
    }
    let others = replies.iter().enumerate();
    let others = others.filter(|(_, reply)| reply.solver.family != accused.family);
    let (sat, rest): (Vec<_>, Vec<_>) = others.partition(|(_, r)| r.side() == Some(Side::Sat));
    let families: BTreeSet<&str> = sat.iter().map(|(_, r)| r.solver.family.as_str()).collect();
    let denied = rest.iter().any(|(_, r)| r.side() == Some(Side::Unsat));
    if families.len() < 2 || denied {
        return None;
    }
    let answers = sat.iter().map(|(number, _)| (related, *number)).collect();
    said(Class::WrongCore, Grounds::CoreOthers { answers })
}

/// Whether an assertion has or had this name: an assertion repeated without its name is still known by it.
fn is_named(context: &QueryContext<'_>, name: &str) -> bool {
    let mut named = context.script.assertions().filter_map(|a| a.name);
    let is = |symbol| is_same(context.terms.symbols.name(symbol), name);
    named.any(is)
        || !context.query.assumptions.is_empty()
        || context
            .script
            .definitions()
            .any(|d| is(context.terms.fun(d.fun).name))
}

/// The assertions of a core: its members, and those without a name, which belong to every core.
pub fn members<'q>(
    terms: &'q Terms,
    query: &'q Query,
    core: &'q [String],
) -> impl Iterator<Item = &'q Assertion> {
    query.assertions.iter().filter(|a| match a.name {
        Some(name) => core.iter().any(|c| is_same(c, terms.symbols.name(name))),
        None => true,
    })
}

/// Whether two spellings are one symbol: `|a|` is `a`.
fn is_same(one: &str, other: &str) -> bool {
    one.trim_matches('|') == other.trim_matches('|')
}

/// A model under which all members are true: the witness, one given for the query, or one given for the core alone.
fn model_of_core(context: &mut QueryContext<'_>, at: usize, core: &[String]) -> Option<ModelOf> {
    if let Evidence::Witness(model) = context.evidence
        && makes_true(context, model, core)
    {
        return Some(ModelOf::Case);
    }
    let mut texts: Vec<(ModelOf, String)> = Vec::new();
    for (number, reply) in context.replies.iter().enumerate() {
        let text = reply.model().map(str::to_string);
        texts.extend(text.map(|text| (ModelOf::Reply(number), text)));
    }
    for (number, related) in context.related.iter().enumerate() {
        if related.link != Link::CoreOf(at) {
            continue;
        }
        for (reply, said) in related.replies.iter().enumerate() {
            let text = said.model().map(str::to_string);
            texts.extend(text.map(|text| (ModelOf::Related(number, reply), text)));
        }
    }
    let holds = texts.into_iter().find(|(_, text)| {
        let model = read_model(context.terms, context.script, text);
        model.is_ok_and(|model| makes_true(context, &model, core))
    });
    holds.map(|(of, _)| of)
}

fn makes_true(context: &QueryContext<'_>, model: &Model, core: &[String]) -> bool {
    let mut evaluator = Evaluator::new(context.terms, model).at_most(context.budget.work);
    let asserted = members(context.terms, context.query, core).map(|a| a.term);
    let assumed = context.query.assumptions.iter().copied();
    let mut demanded = asserted.chain(assumed);
    demanded.all(|term| evaluator.value(term) == Ok(Value::TRUE))
}
