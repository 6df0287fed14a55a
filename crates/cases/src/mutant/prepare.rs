//! Prepares a seed's commands for mutation: removes what belongs to the seed's own answer or to one solver, and
//! expands names of inner terms, so that terms can be moved and copied.

use auspex_logic::script::{Assertion, DefinitionKind};
use auspex_logic::{Command, Head, Script, TermId, Terms};
use rustc_hash::FxHashMap;

/// Options that mean the same to every solver and do not affect output channels.
const COMMON_OPTIONS: &[&str] = &[
    ":produce-models",
    ":produce-unsat-cores",
    ":produce-assignments",
    ":global-declarations",
];

/// The commands to mutate, with at least one query.
pub fn prepare(terms: &mut Terms, script: &Script) -> Vec<Command> {
    let commands = script.commands.iter();
    let mut commands: Vec<Command> = commands
        .take_while(|command| !matches!(command, Command::Exit))
        .filter_map(|command| kept(terms, command))
        .collect();
    write_out_names(terms, &mut commands);
    let asks = |c: &&Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
    match commands.iter().filter(asks).count() {
        0 => commands.push(Command::CheckSat),
        1 => {
            commands = commands
                .into_iter()
                .flat_map(|c| asserted(terms, c, false))
                .collect()
        }
        _ => {
            commands = commands
                .into_iter()
                .flat_map(|c| asserted(terms, c, true))
                .collect()
        }
    }
    commands
}

/// Turns assumptions that are not literals into assertions, which can be mutated; in their own scope if other queries
/// follow.
fn asserted(terms: &Terms, command: Command, scoped: bool) -> Vec<Command> {
    let assumed = match &command {
        Command::CheckSatAssuming(all) if !all.iter().all(|t| is_literal(terms, *t)) => all,
        _ => return vec![command],
    };
    let assert = |term: &TermId| {
        Command::Assert(Assertion {
            term: *term,
            name: None,
        })
    };
    let asserted = assumed.iter().map(assert).chain([Command::CheckSat]);
    match scoped {
        true => [Command::Push(1)]
            .into_iter()
            .chain(asserted)
            .chain([Command::Pop(1)])
            .collect(),
        false => asserted.collect(),
    }
}

/// A symbol or its negation, which the standard permits as an assumption.
fn is_literal(terms: &Terms, term: TermId) -> bool {
    match (terms.head(term), terms.args(term)) {
        (Head::Fun(_), []) => true,
        (Head::Op(op), [inner]) if &*terms.op(op).name == "not" => {
            matches!(terms.head(*inner), Head::Fun(_)) && terms.args(*inner).is_empty()
        }
        _ => false,
    }
}

fn kept(terms: &Terms, command: &Command) -> Option<Command> {
    let keep = match command {
        // The seed's answer is not that of its mutants, and solvers check it.
        Command::SetInfo(..) => false,
        Command::SetOption(key, _) => COMMON_OPTIONS.contains(&terms.symbols.name(*key)),
        Command::GetValue(_) | Command::GetModel | Command::GetUnsatCore | Command::Exit => false,
        Command::Goal(_) => false,
        // A tactic belongs to one solver.
        Command::CheckSatUsing(_) => return Some(Command::CheckSat),
        Command::Other(text) => {
            let text = terms.symbols.name(*text);
            if text.starts_with("(check-sat") {
                return Some(Command::CheckSat);
            }
            // Keep declarations; drop commands that ask, print or optimise.
            text.starts_with("(declare") || text.starts_with("(define")
        }
        Command::SetLogic(_)
        | Command::DeclareSort(..)
        | Command::DefineSort(..)
        | Command::DeclareDatatypes(_)
        | Command::DeclareFun(_)
        | Command::DefineFun(_)
        | Command::DefineFunsRec(_)
        | Command::Assert(_)
        | Command::Push(_)
        | Command::Pop(_)
        | Command::CheckSat
        | Command::CheckSatAssuming(_)
        | Command::ResetAssertions
        | Command::Reset => true,
    };
    keep.then(|| command.clone())
}

/// Replaces `(! t :named n)` inside terms, and every use of `n`, by `t`.
fn write_out_names(terms: &mut Terms, commands: &mut Vec<Command>) {
    let mut written_out: FxHashMap<TermId, TermId> = FxHashMap::default();
    for command in &*commands {
        if let Command::DefineFun(definition) = command
            && definition.how == DefinitionKind::Named
            && let Ok(name) = terms.fun_app(definition.fun, &[])
        {
            let body = terms.replace_all(definition.body, &written_out);
            written_out.insert(name, body);
        }
    }
    if written_out.is_empty() {
        return;
    }
    commands.retain(|c| !matches!(c, Command::DefineFun(d) if d.how == DefinitionKind::Named));
    let mut script = Script {
        commands: std::mem::take(commands),
        spans: Vec::new(),
    };
    for root in script.roots() {
        for term in auspex_logic::render::post_order(terms, root) {
            if is_only_named(terms, term) {
                written_out.insert(term, terms.args(term)[0]);
            }
        }
    }
    // A body may contain further names. A name reused after `pop` may even occur in its own body, hence the bound.
    const DEEPEST: usize = 20;
    for _ in 0..DEEPEST {
        let mut changed = false;
        script.map_roots(|root| {
            let new = terms.replace_all(root, &written_out);
            changed |= new != root;
            new
        });
        if !changed {
            break;
        }
    }
    *commands = script.commands;
}

/// Whether a term is `(! t :named n)` without further attributes.
fn is_only_named(terms: &Terms, term: TermId) -> bool {
    match terms.head(term) {
        Head::Annotated(number) => {
            let attributes = &terms.annotation(number).attributes;
            attributes
                .iter()
                .all(|(key, _)| terms.symbols.name(*key) == ":named")
        }
        _ => false,
    }
}

/// Whether a term has a name that must stay unique.
pub fn is_named(terms: &Terms, term: TermId) -> bool {
    match terms.head(term) {
        Head::Annotated(number) => {
            let attributes = &terms.annotation(number).attributes;
            attributes
                .iter()
                .any(|(key, _)| terms.symbols.name(*key) == ":named")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};

    #[test]
    fn assumed_terms_become_assertions_and_literals_stay() {
        let text = "(declare-const p Bool)(declare-const x Int)(check-sat-assuming ((< x 1) p))";
        let assertions = "(declare-const p Bool)\n(declare-const x Int)\n(assert (< x 1))\n(assert p)\n(check-sat)\n";
        assert_eq!(prepared(text), assertions);
        let twice = prepared(&format!("{text}(check-sat)"));
        assert!(twice.contains("(push 1)\n(assert (< x 1))"), "{twice}");
        assert!(twice.ends_with("(pop 1)\n(check-sat)\n"), "{twice}");
        let literals = "(declare-const p Bool)\n(check-sat-assuming ((not p)))\n";
        assert_eq!(prepared(literals), literals);
    }

    fn prepared(text: &str) -> String {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let commands = prepare(&mut terms, &script);
        let script = Script {
            commands,
            spans: vec![],
        };
        render::script(&terms, &script, Sharing::Expanded)
    }

    #[test]
    fn drops_what_belongs_to_the_seed() {
        let text = "(set-info :status sat)(set-option :produce-models true)(set-option :fmf-bound true)\
                    (declare-const p Bool)(assert p)(check-sat)(get-model)(get-info :name)(exit)(check-sat)";
        let expected =
            "(set-option :produce-models true)\n(declare-const p Bool)\n(assert p)\n(check-sat)\n";
        assert_eq!(prepared(text), expected);
    }

    #[test]
    fn keeps_declarations_and_asks_at_least_once() {
        let text = "(declare-heap (Int Int))(declare-const p Bool)(assert (! p :named a))";
        assert_eq!(
            prepared(text),
            "(declare-heap (Int Int))\n(declare-const p Bool)\n(assert (! p :named a))\n(check-sat)\n"
        );
    }

    #[test]
    fn writes_inner_names_out() {
        let text = "(declare-const p Bool)(assert (or (! (not (! p :named i)) :named n) i))(assert (and n i))(check-sat)";
        let expected = "(declare-const p Bool)\n(assert (or (not p) p))\n(assert (and (not p) p))\n(check-sat)\n";
        assert_eq!(prepared(text), expected);
    }
}
