//! Reads the models that solvers print: the standard form and each solver's variants.

use super::{Interpretation, Model};
use crate::read::ScriptReader;
use crate::render::post_order;
use crate::script::{Command, Script};
use crate::sort::{Sort, SortKind};
use crate::term::{BinderKind, Fun, FunDecl, FunKind, Head, TermId, Terms};
use crate::value::{BitVec, Irrational, Value};
use auspex_syntax::{Document, Sexpr, SyntaxError};
use std::sync::Arc;

/// Why a reply is not a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    Syntax(SyntaxError),
    /// The solver printed an error instead.
    Refused(String),
    /// Not a list of definitions.
    NoModel(String),
}

/// Reads a solver's reply to `(get-model)` for a script.
pub fn read_model(terms: &mut Terms, script: &Script, text: &str) -> Result<Model, ModelError> {
    // z3 prints nothing for the empty symbol.
    let text = text.replace("(define-fun  ()", "(define-fun || ()");
    let document = Document::read(&text).map_err(ModelError::Syntax)?;
    let mut definitions: Vec<Sexpr<'_>> = Vec::new();
    for item in document.items() {
        collect(item, &mut definitions)?;
    }
    if definitions.is_empty() && !document.items().any(|item| item.is_list()) {
        return Err(ModelError::NoModel(text.chars().take(80).collect()));
    }
    let mut model = Model::with_definitions(script);
    define_names(terms, &mut model, script);
    let mut reader = ScriptReader::for_script(terms, script);
    note_universes(&mut reader, &mut model, &text);
    // Definitions may use functions that are defined later.
    for definition in &definitions {
        declare_added(&mut reader, &mut model, *definition);
    }
    for definition in &definitions {
        define(&mut reader, &mut model, *definition);
    }
    make_field(reader.terms(), &mut model);
    Ok(model)
}

/// Collects the definitions, which come in one list, in a list that starts with `model`, or one after another.
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
        // Cardinality axioms and other remarks define no symbol.
        Some(_) => Ok(()),
    }
}

/// Defines the names of assertions by their terms.
fn define_names(terms: &mut Terms, model: &mut Model, script: &Script) {
    for command in &script.commands {
        if let Command::Assert(assertion) = command
            && let Some(name) = assertion.name
        {
            let fun = terms.declare(FunDecl {
                name,
                params: Box::default(),
                result: Sort::BOOL,
                kind: FunKind::Defined,
            });
            model.set(fun, Interpretation::Body(Vec::new(), assertion.term));
        }
    }
}

/// cvc5 lists the elements of an uninterpreted sort in comments: `; rep: (as @U_0 U)`.
/// CVC4 writes `; rep: @uc_U_0`, and the sort only in `; cardinality of U is 3`.
fn note_universes(reader: &mut ScriptReader<'_>, model: &mut Model, text: &str) {
    let mut current = None;
    for line in text.lines() {
        if let Some(said) = line.trim().strip_prefix("; cardinality of ") {
            let sort = said.rsplit_once(" is ").map_or(said, |(sort, _)| sort);
            let document = Document::read(sort).ok();
            current = document.and_then(|d| d.items().next().map(|item| reader.sort(item)));
        }
        let Some(element) = line.trim().strip_prefix("; rep: ") else {
            continue;
        };
        let Ok(document) = Document::read(element) else {
            continue;
        };
        for item in document.items() {
            if let (Some(name), Some(sort)) = (item.symbol(), current) {
                add_element(reader, model, name, sort);
                continue;
            }
            let term = reader.term(item);
            let sort = reader.terms().sort(term);
            let declared = matches!(reader.terms().sorts.kind(sort), SortKind::Declared(..));
            if let (true, Head::Opaque(name)) = (declared, reader.terms().head(term)) {
                model.elements.insert(name);
                let universe = model.universes.entry(sort).or_default();
                universe.push(Value::Element(name));
            }
        }
    }
}

/// The script's symbol that a definition interprets.
fn script_symbol(
    reader: &mut ScriptReader<'_>,
    name: &str,
    params: &[Sort],
    result: Sort,
) -> Option<Fun> {
    let symbol = reader.terms().symbols.intern(name);
    let named = reader.declared_funs(symbol);
    let rank = |fun: &&Fun, terms: &Terms| {
        let decl = terms.fun(**fun);
        &*decl.params == params && decl.result == result
    };
    let exact = named.iter().find(|fun| rank(fun, reader.terms())).copied();
    let curried = |fun: &&Fun, terms: &Terms| {
        let decl = terms.fun(**fun);
        match terms.sorts.kind(decl.result) {
            SortKind::Function(more) => {
                let all: Vec<Sort> = decl.params.iter().chain(more.iter()).copied().collect();
                all.split_last() == Some((&result, params))
            }
            // boolector writes arrays as functions.
            SortKind::Array(index, element) => {
                decl.params.is_empty() && params == [*index] && result == *element
            }
            _ => false,
        }
    };
    exact
        .or_else(|| {
            named
                .iter()
                .find(|fun| curried(fun, reader.terms()))
                .copied()
        })
        // A sort written in another way than in the script.
        .or_else(|| match named.as_slice() {
            [only] if reader.terms().fun(*only).params.len() == params.len() => Some(*only),
            _ => None,
        })
}

fn declare_added(reader: &mut ScriptReader<'_>, model: &mut Model, definition: Sexpr<'_>) {
    match definition.head() {
        Some("define-fun" | "define-fun-rec") => {}
        // z3 lists the elements of a universe as declarations.
        Some("declare-fun") => return declare_element(reader, model, definition),
        _ => return,
    }
    let (Some(name), Some(result)) = (
        definition.item(1).and_then(|n| n.symbol()),
        definition.item(3),
    ) else {
        return;
    };
    let params = param_sorts(reader, definition);
    let result = reader.sort(result);
    if script_symbol(reader, name, &params, result).is_some() {
        return;
    }
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
    add_element(reader, model, name, sort);
}

fn add_element(reader: &mut ScriptReader<'_>, model: &mut Model, name: &str, sort: Sort) {
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
    let fun = script_symbol(reader, name, &params, result).or_else(|| {
        let added = model.added.get(name)?;
        added
            .iter()
            .copied()
            .find(|fun| &*reader.terms().fun(*fun).params == params.as_slice())
    });
    let Some(fun) = fun else { return };
    if is_approximate(body) {
        let name = Irrational::Named(body.text().into());
        return model.set_value(fun, Value::Irrational(Arc::new(name)));
    }
    // A rounded number inside a larger value: leave it undefined rather than wrong.
    if has_rounded_number(body) {
        return;
    }
    let Some((variables, body)) = reader.function_body(definition.item(2), constant, body, result)
    else {
        return;
    };
    // A constructor of another datatype with the same name: leave it undefined rather than wrong.
    let terms = reader.terms();
    let found = terms.sort(body);
    let is_data = |sort| matches!(terms.sorts.kind(sort), SortKind::Data(..));
    if found != result && is_data(found) && is_data(result) {
        return;
    }
    note_parts(terms, model, body);
    let over_truth_values = over_bits(terms, model, fun, &variables, body);
    let (variables, body) = over_truth_values.unwrap_or((variables, body));
    let interpretation = curry(terms, fun, variables, body);
    model.set(fun, interpretation);
}

/// A body over more variables than the symbol has arguments is a function.
fn curry(terms: &mut Terms, fun: Fun, mut variables: Vec<TermId>, body: TermId) -> Interpretation {
    let own = terms.fun(fun).params.len();
    if variables.len() <= own {
        return Interpretation::Body(variables, body);
    }
    let rest = variables.split_off(own);
    let function = terms.quantified(BinderKind::Lambda, &rest, body);
    Interpretation::Body(variables, function)
}

/// boolector writes truth values that functions take or give as single bits: `(P x)` is `(= (bits (ite x #b1 #b0)) #b1)`
/// then, where `bits` is what the model says.
fn over_bits(
    terms: &mut Terms,
    model: &mut Model,
    fun: Fun,
    variables: &[TermId],
    body: TermId,
) -> Option<(Vec<TermId>, TermId)> {
    let decl = terms.fun(fun).clone();
    let bit = terms.sorts.bit_vec(1);
    let given: Vec<Sort> = variables.iter().map(|v| terms.sort(*v)).collect();
    let is_bits = |(own, written): (&Sort, &Sort)| *own == Sort::BOOL && *written == bit;
    let result = terms.sort(body);
    let written = || given.iter().chain([&result]);
    let own = decl.params.iter().chain([&decl.result]);
    if given.len() != decl.params.len() || given.is_empty() || !own.zip(written()).any(is_bits) {
        return None;
    }
    let bits = terms.declare(FunDecl {
        params: given.as_slice().into(),
        result,
        kind: FunKind::Defined,
        ..decl
    });
    model.set(bits, Interpretation::Body(variables.to_vec(), body));
    let [zero, one] = [false, true].map(|one| {
        let value = BitVec::from_bool(one);
        terms.literal_node(Value::BitVec(value), bit)
    });
    let (mut own, mut arguments) = (Vec::new(), Vec::new());
    for (variable, (sort, written)) in variables.iter().zip(decl.params.iter().zip(&given)) {
        let Head::Variable(name) = terms.head(*variable) else {
            return None;
        };
        let variable = terms.variable(name, *sort);
        own.push(variable);
        arguments.push(match is_bits((sort, written)) {
            true => terms.app("ite", &[variable, one, zero]).ok()?,
            false => variable,
        });
    }
    let said = terms.try_fun_app(bits, &arguments)?;
    let said = match is_bits((&decl.result, &result)) {
        true => terms.equation(said, one)?,
        false => said,
    };
    Some((own, said))
}

/// z3 prints decimals that end in `?` when told to; yices prints irrational numbers with six digits after the
/// point (negative ones as `-1.414214`), and fractions never so.
fn is_approximate(body: Sexpr<'_>) -> bool {
    const YICES_DIGITS: usize = 6;
    let inner = match body.head() {
        Some("-") => body.item(1).unwrap_or(body),
        _ => body,
    };
    let number = inner.text().strip_prefix('-').unwrap_or(inner.text());
    let fraction = number.split_once('.').map(|(_, fraction)| fraction);
    let rounded = number.ends_with('?') || fraction.is_some_and(|f| f.len() == YICES_DIGITS);
    rounded && number.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a printed value has a number that a solver has rounded.
pub fn has_rounded_number(body: Sexpr<'_>) -> bool {
    let mut stack = vec![body];
    while let Some(sexpr) = stack.pop() {
        if !sexpr.is_list() && is_approximate(sexpr) {
            return true;
        }
        stack.extend(sexpr.items());
    }
    false
}

/// Undeclared names in a model's bodies are elements of uninterpreted sorts.
fn note_parts(terms: &Terms, model: &mut Model, body: TermId) {
    for term in post_order(terms, body) {
        if let (Head::Opaque(name), []) = (terms.head(term), terms.args(term)) {
            model.elements.insert(name);
        }
    }
}

/// Builds one field of the model's irrational numbers, simple ones first, so that only the most complex ones may not
/// fit.
fn make_field(terms: &Terms, model: &mut Model) {
    let mut numbers = Vec::new();
    for (_, interpretation) in model.interpretations() {
        let Interpretation::Body(_, body) = interpretation else {
            continue;
        };
        for term in post_order(terms, *body) {
            if let Some(Value::Irrational(irrational)) = terms.literal_value(term)
                && let Irrational::Algebraic(number) = &**irrational
            {
                numbers.push(number.clone());
            }
        }
    }
    numbers.sort_by(|a, b| a.degree().cmp(&b.degree()).then_with(|| a.cmp(b)));
    numbers.dedup();
    for number in &numbers {
        model.field.adjoin(number);
    }
}
