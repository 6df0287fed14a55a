//! Writes commands, one a line.

use super::terms::Writer;
use super::{Sharing, with_let};
use crate::intern::Symbol;
use crate::script::{Assertion, Command, Definition, DefinitionKind, Goal};
use crate::sort::{DataId, Sort};
use crate::term::{Fun, TermId, Terms};
use auspex_syntax::write_symbol;
use std::fmt::Write;

/// Appends the text of one command and a line break. A `:named` definition is printed where its term stands.
pub fn command_to(terms: &Terms, command: &Command, sharing: Sharing, out: &mut String) {
    write(&mut Writer::new(terms), terms, command, sharing, out);
}

pub(super) fn write(
    writer: &mut Writer<'_>,
    terms: &Terms,
    command: &Command,
    sharing: Sharing,
    out: &mut String,
) {
    let term = |out: &mut String, term: TermId| {
        writer.term(out, term, with_let(terms, term, sharing));
    };
    let name = |symbol: &Symbol| terms.symbols.name(*symbol);
    match command {
        Command::SetLogic(logic) => put(out, format_args!("(set-logic {})", name(logic))),
        Command::SetOption(key, value) => put(
            out,
            format_args!("(set-option {} {})", name(key), name(value)),
        ),
        Command::SetInfo(key, value) => put(
            out,
            format_args!("(set-info {} {})", name(key), name(value)),
        ),
        Command::DeclareSort(symbol, arity) => {
            out.push_str("(declare-sort ");
            write_symbol(out, name(symbol));
            put(out, format_args!(" {arity})"));
        }
        Command::DefineSort(symbol, parameters, sort) => {
            define_sort(terms, *symbol, parameters, *sort, out)
        }
        Command::DeclareDatatypes(ids) => datatypes(terms, ids, out),
        Command::DeclareFun(fun) => declare_fun(terms, *fun, out),
        Command::DefineFun(definition) if definition.how == DefinitionKind::Named => return,
        Command::DefineFun(definition) => define_fun(terms, definition, term, out),
        Command::DefineFunsRec(all) => define_funs_rec(terms, all, term, out),
        Command::Assert(assertion) => assert(terms, assertion, term, out),
        Command::Push(n) => put(out, format_args!("(push {n})")),
        Command::Pop(n) => put(out, format_args!("(pop {n})")),
        Command::CheckSat => out.push_str("(check-sat)"),
        Command::CheckSatAssuming(all) => term_list("(check-sat-assuming (", all, term, out),
        Command::CheckSatUsing(tactic) => {
            put(out, format_args!("(check-sat-using {})", name(tactic)));
        }
        Command::GetValue(all) => term_list("(get-value (", all, term, out),
        Command::GetModel => out.push_str("(get-model)"),
        Command::GetUnsatCore => out.push_str("(get-unsat-core)"),
        Command::ResetAssertions => out.push_str("(reset-assertions)"),
        Command::Reset => out.push_str("(reset)"),
        Command::Exit => out.push_str("(exit)"),
        Command::Goal(goal) => write_goal(terms, goal, term, out),
        Command::Other(text) => out.push_str(name(text)),
    }
    out.push('\n');
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
}

fn sort_to(terms: &Terms, sort: Sort, out: &mut String) {
    terms.sorts.write(out, &terms.symbols, sort);
}

fn term_list(
    open: &str,
    all: &[TermId],
    mut write: impl FnMut(&mut String, TermId),
    out: &mut String,
) {
    out.push_str(open);
    for (at, term) in all.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        write(out, *term);
    }
    out.push_str("))");
}

fn assert(
    terms: &Terms,
    assertion: &Assertion,
    mut write: impl FnMut(&mut String, TermId),
    out: &mut String,
) {
    out.push_str("(assert ");
    match assertion.name {
        None => write(out, assertion.term),
        Some(name) => {
            out.push_str("(! ");
            write(out, assertion.term);
            out.push_str(" :named ");
            write_symbol(out, terms.symbols.name(name));
            out.push(')');
        }
    }
    out.push(')');
}

fn write_goal(
    terms: &Terms,
    goal: &Goal,
    mut write: impl FnMut(&mut String, TermId),
    out: &mut String,
) {
    put(out, format_args!("({} ", terms.symbols.name(goal.verb)));
    write(out, goal.term);
    if let Some(attributes) = goal.attributes {
        put(out, format_args!(" {}", terms.symbols.name(attributes)));
    }
    out.push(')');
}

fn declare_fun(terms: &Terms, fun: Fun, out: &mut String) {
    let decl = terms.fun(fun);
    let constant = decl.params.is_empty();
    out.push_str(if constant {
        "(declare-const "
    } else {
        "(declare-fun "
    });
    write_symbol(out, terms.symbols.name(decl.name));
    out.push(' ');
    if !constant {
        out.push('(');
        for (at, param) in decl.params.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            sort_to(terms, *param, out);
        }
        out.push_str(") ");
    }
    sort_to(terms, decl.result, out);
    out.push(')');
}

fn define_fun(
    terms: &Terms,
    definition: &Definition,
    mut write: impl FnMut(&mut String, TermId),
    out: &mut String,
) {
    let decl = terms.fun(definition.fun);
    out.push_str(match definition.how {
        DefinitionKind::Recursive => "(define-fun-rec ",
        DefinitionKind::Constant => "(define-const ",
        DefinitionKind::Plain | DefinitionKind::Named => "(define-fun ",
    });
    write_symbol(out, terms.symbols.name(decl.name));
    if definition.how != DefinitionKind::Constant {
        out.push_str(" (");
        Writer::new(terms).variables(out, &definition.variables);
        out.push(')');
    }
    out.push(' ');
    sort_to(terms, decl.result, out);
    out.push(' ');
    write(out, definition.body);
    out.push(')');
}

fn define_funs_rec(
    terms: &Terms,
    all: &[Definition],
    mut write: impl FnMut(&mut String, TermId),
    out: &mut String,
) {
    out.push_str("(define-funs-rec (");
    for definition in all {
        let decl = terms.fun(definition.fun);
        out.push('(');
        write_symbol(out, terms.symbols.name(decl.name));
        out.push_str(" (");
        Writer::new(terms).variables(out, &definition.variables);
        out.push_str(") ");
        sort_to(terms, decl.result, out);
        out.push(')');
    }
    out.push_str(") (");
    for (at, definition) in all.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        write(out, definition.body);
    }
    out.push_str("))");
}

fn define_sort(terms: &Terms, name: Symbol, parameters: &[Symbol], sort: Sort, out: &mut String) {
    out.push_str("(define-sort ");
    write_symbol(out, terms.symbols.name(name));
    out.push_str(" (");
    symbols(terms, parameters, out);
    out.push_str(") ");
    sort_to(terms, sort, out);
    out.push(')');
}

fn symbols(terms: &Terms, all: &[Symbol], out: &mut String) {
    for (at, symbol) in all.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        write_symbol(out, terms.symbols.name(*symbol));
    }
}

fn datatypes(terms: &Terms, ids: &[DataId], out: &mut String) {
    let codata = ids
        .first()
        .is_some_and(|id| terms.sorts.datatype(*id).codatatype);
    out.push_str(if codata {
        "(declare-codatatypes ("
    } else {
        "(declare-datatypes ("
    });
    for id in ids {
        let datatype = terms.sorts.datatype(*id);
        out.push('(');
        write_symbol(out, terms.symbols.name(datatype.name));
        put(out, format_args!(" {})", datatype.parameters.len()));
    }
    out.push_str(") (");
    for id in ids {
        datatype(terms, *id, out);
    }
    out.push_str("))");
}

fn datatype(terms: &Terms, id: DataId, out: &mut String) {
    let datatype = terms.sorts.datatype(id);
    let parametric = !datatype.parameters.is_empty();
    if parametric {
        out.push_str("(par (");
        symbols(terms, &datatype.parameters, out);
        out.push_str(") ");
    }
    out.push('(');
    for constructor in &datatype.constructors {
        out.push('(');
        write_symbol(out, terms.symbols.name(constructor.name));
        for (selector, sort) in &constructor.selectors {
            out.push_str(" (");
            write_symbol(out, terms.symbols.name(*selector));
            out.push(' ');
            sort_to(terms, *sort, out);
            out.push(')');
        }
        out.push(')');
    }
    out.push_str(if parametric { "))" } else { ")" });
}

#[cfg(test)]
mod tests {
    use crate::render::{Sharing, script};
    use crate::{Command, Terms, read_script};

    #[test]
    fn goals_of_optimizers_have_terms_and_come_back() {
        let text =
            "(declare-const x Int)\n(maximize (+ x 1))\n(assert-soft (< x 3) :weight 2 :id a)\n";
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, text).expect("well-formed");
        assert_eq!(reading.script.roots().len(), 2);
        assert_eq!(script(&terms, &reading.script, Sharing::Auto), text);
    }

    #[test]
    fn a_goal_without_a_term_is_kept_as_text() {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, "(maximize)").expect("well-formed");
        assert!(matches!(reading.script.commands[..], [Command::Other(_)]));
    }
}
