//! Reads the models that solvers print: the standard form and each solver's habits.

use super::{Interpretation, Model};
use crate::read::ScriptReader;
use crate::render::post_order;
use crate::script::Script;
use crate::sort::Sort;
use crate::term::{Fun, FunDecl, FunKind, Head, TermId, Terms};
use crate::value::Value;
use auspex_syntax::{Document, Sexpr, SyntaxError};

/// Why a reply is no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    Syntax(SyntaxError),
    /// The solver printed an error instead.
    Refused(String),
    /// No list of definitions.
    NoModel(String),
}

/// Reads a solver's reply to `(get-model)` for a script.
pub fn read_model(terms: &mut Terms, script: &Script, text: &str) -> Result<Model, ModelError> {
    let document = Document::read(text).map_err(ModelError::Syntax)?;
    let mut definitions: Vec<Sexpr<'_>> = Vec::new();
    for item in document.items() {
        collect(item, &mut definitions)?;
    }
    if definitions.is_empty() && !document.items().any(|item| item.is_list()) {
        return Err(ModelError::NoModel(text.chars().take(80).collect()));
    }
    let mut model = Model::with_definitions(script);
    let mut reader = ScriptReader::for_script(terms, script);
    // Definitions may use functions that are defined further down.
    for definition in &definitions {
        declare_added(&mut reader, &mut model, *definition);
    }
    for definition in &definitions {
        define(&mut reader, &mut model, *definition);
    }
    Ok(model)
}

/// Definitions stand in one list, in a list that starts with `model`, or one after another.
fn collect<'s>(item: Sexpr<'s>, definitions: &mut Vec<Sexpr<'s>>) -> Result<(), ModelError> {
    match item.head() {
        Some("error") => Err(ModelError::Refused(
            item.item(1).map_or("", |m| m.text()).into(),
        )),
        Some(head) if head.starts_with("define-") || head.starts_with("declare-") => {
            definitions.push(item);
            Ok(())
        }
        Some("model") | None => item
            .items()
            .filter(|i| i.is_list())
            .try_for_each(|i| collect(i, definitions)),
        // Cardinality axioms and other remarks say nothing about a symbol.
        Some(_) => Ok(()),
    }
}

/// The script's own symbol that a definition gives a meaning to.
fn script_symbol(reader: &mut ScriptReader<'_>, name: &str, params: &[Sort]) -> Option<Fun> {
    let symbol = reader.terms().symbols.intern(name);
    reader
        .declared_funs(symbol)
        .into_iter()
        .find(|fun| &*reader.terms().fun(*fun).params == params)
}

fn declare_added(reader: &mut ScriptReader<'_>, model: &mut Model, definition: Sexpr<'_>) {
    match definition.head() {
        Some("define-fun" | "define-fun-rec") => {}
        // z3 lists the elements of a universe as declarations.
        Some("declare-fun") => return declare_element(reader, model, definition),
        Some("declare-datatypes" | "declare-datatype" | "declare-sort") => return,
        _ => return,
    }
    let (Some(name), Some(result)) = (
        definition.item(1).and_then(|n| n.symbol()),
        definition.item(3),
    ) else {
        return;
    };
    let params = param_sorts(reader, definition);
    if script_symbol(reader, name, &params).is_some() {
        return;
    }
    let result = reader.sort(result);
    let symbol = reader.terms().symbols.intern(name);
    let fun = reader.terms().declare(FunDecl {
        name: symbol,
        params: params.into(),
        result,
        kind: FunKind::Defined,
    });
    reader.add_fun(fun);
    model.added.entry(name.into()).or_default().push(fun);
}

fn declare_element(reader: &mut ScriptReader<'_>, model: &mut Model, definition: Sexpr<'_>) {
    let (Some(name), Some(sort)) = (
        definition.item(1).and_then(|n| n.symbol()),
        definition.item(3),
    ) else {
        return;
    };
    let sort = reader.sort(sort);
    let symbol = reader.terms().symbols.intern(name);
    let fun = reader.terms().declare_fun(name, &[], sort);
    reader.add_fun(fun);
    let element = Value::Element(symbol);
    model.set_value(fun, element.clone());
    model.universes.entry(sort).or_default().push(element);
}

fn param_sorts(reader: &mut ScriptReader<'_>, definition: Sexpr<'_>) -> Vec<Sort> {
    let params = definition.item(2).into_iter().flat_map(|p| p.items());
    params
        .filter_map(|p| p.item(1))
        .map(|s| reader.sort(s))
        .collect()
}

fn define(reader: &mut ScriptReader<'_>, model: &mut Model, definition: Sexpr<'_>) {
    if !matches!(
        definition.head(),
        Some("define-fun" | "define-fun-rec" | "define-const")
    ) {
        return;
    }
    let Some(name) = definition.item(1).and_then(|n| n.symbol()) else {
        return;
    };
    let constant = definition.head() == Some("define-const");
    let body_at = if constant { 3 } else { 4 };
    let (Some(result), Some(body)) = (definition.item(body_at - 1), definition.item(body_at))
    else {
        return;
    };
    let params = if constant {
        Vec::new()
    } else {
        param_sorts(reader, definition)
    };
    let result = reader.sort(result);
    let fun = script_symbol(reader, name, &params).or_else(|| {
        let added = model.added.get(name)?;
        added
            .iter()
            .copied()
            .find(|fun| &*reader.terms().fun(*fun).params == params.as_slice())
    });
    let Some(fun) = fun else { return };
    if is_irrational(body) {
        return model.set_value(fun, Value::Irrational(body.text().into()));
    }
    let Some((variables, body)) = reader.function_body(definition.item(2), constant, body, result)
    else {
        return;
    };
    note_elements(reader.terms(), model, body);
    model.set(fun, Interpretation::Body(variables, body));
}

/// z3 prints `(root-obj polynomial number)` or a decimal that ends in `?`, cvc5 `(_ real_algebraic_number …)`.
fn is_irrational(body: Sexpr<'_>) -> bool {
    let inner = if body.head() == Some("-") {
        body.item(1).unwrap_or(body)
    } else {
        body
    };
    inner.head() == Some("root-obj")
        || inner.text().ends_with('?') && inner.text().starts_with(|c: char| c.is_ascii_digit())
        || inner.item(1).and_then(|i| i.symbol()) == Some("real_algebraic_number")
}

/// Names in a model's bodies that nobody declared are elements of uninterpreted sorts.
fn note_elements(terms: &Terms, model: &mut Model, body: TermId) {
    for term in post_order(terms, body) {
        if let Head::Opaque(name) = terms.head(term)
            && terms.args(term).is_empty()
        {
            model.elements.insert(name);
        }
    }
}
