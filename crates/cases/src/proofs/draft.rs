//! A proof as text: names for terms, and steps. It becomes a proof in one arena by one reading, in which every name
//! and every conclusion is a `let`.

use auspex_logic::render::post_order;
use auspex_logic::{Command, Head, Script, Sort, TermId, Terms, read_script};
use auspex_syntax::Sexpr;
use std::collections::{BTreeSet, HashMap};

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It repeats an assertion of the script.
    Assertion,
    /// It assumes something that is discharged later.
    Assumption,
    /// Its premises imply its conclusion.
    Derived,
    /// The solver itself says that it has no reason.
    Hole,
    /// It says how it was built: what it concludes is its premise under the assumptions it ends.
    Discharge,
    /// What it means depends on more than its premises: variables in context, names that it introduces.
    Context,
}

/// One step, as text.
#[derive(Clone, Debug)]
pub struct DraftStep {
    pub id: String,
    pub rule: String,
    pub how: How,
    /// Its conclusion in the words of the standard; else what has no meaning there.
    pub conclusion: Result<String, String>,
    /// Other texts that count as its premises, beside those of steps.
    pub extra: Vec<Result<String, String>>,
    /// The steps before it that it uses.
    pub premises: Vec<usize>,
}

/// A proof as text.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Names for terms, in order.
    pub names: Vec<(String, Result<String, String>)>,
    /// Further declarations.
    pub declarations: String,
    pub steps: Vec<DraftStep>,
}

/// The steps of a proof as they are read, found by their names.
#[derive(Default)]
pub(super) struct Named {
    pub draft: Draft,
    places: HashMap<String, usize>,
}

impl Named {
    /// Adds a step without premises; its place.
    pub fn push(
        &mut self,
        name: &str,
        rule: &str,
        how: How,
        conclusion: Result<String, String>,
    ) -> usize {
        let place = self.draft.steps.len();
        self.places.insert(name.to_string(), place);
        self.draft.steps.push(DraftStep {
            id: name.to_string(),
            rule: rule.to_string(),
            how,
            conclusion,
            extra: Vec::new(),
            premises: Vec::new(),
        });
        place
    }

    /// The places of the steps that a command lists after `:premises`.
    pub fn premises(&self, items: &[Sexpr<'_>]) -> Vec<usize> {
        let listed = after(items, ":premises");
        let names = listed.into_iter().flat_map(|list| list.items());
        names
            .filter_map(|name| self.places.get(name.text()).copied())
            .collect()
    }
}

/// One step over an arena.
#[derive(Clone, Debug)]
pub struct Step {
    pub id: String,
    pub rule: String,
    pub how: How,
    /// None if it cannot be read, with the reason in `unread`.
    pub conclusion: Option<TermId>,
    pub unread: Option<String>,
    pub extra: Vec<Option<TermId>>,
    pub premises: Vec<usize>,
}

/// A proof over an arena.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The declarations in force, then the assertions of the input.
    pub script: Script,
    /// The assertions of the input; none for one that cannot be read.
    pub input: Vec<Option<TermId>>,
    pub steps: Vec<Step>,
}

/// The name of a step's conclusion.
pub fn step_name(number: usize) -> String {
    format!("auspex.step.{number}")
}

/// The item after a keyword.
pub(super) fn after<'s>(items: &[Sexpr<'s>], keyword: &str) -> Option<Sexpr<'s>> {
    let place = items.iter().position(|item| item.text() == keyword)?;
    items.get(place + 1).copied()
}

/// What stands for a term that cannot be read.
const UNREADABLE: &str = "(auspex.unreadable)";

impl Draft {
    /// Reads the proof after declarations and assertions.
    pub fn read(
        self,
        terms: &mut Terms,
        declarations: &str,
        assertions: &[String],
    ) -> Result<Proof, String> {
        let text = self.text(declarations, assertions);
        let reading = read_script(terms, &text).map_err(|error| error.message().to_string())?;
        let mut script = reading.script;
        script.spans.clear();
        let Some(Command::Assert(whole)) = script.commands.pop() else {
            return Err("the proof cannot be read".to_string());
        };
        let parts = terms.args(whole.term).to_vec();
        let mut readable = Readable::default();
        let mut parts = parts.into_iter().map(|part| readable.formula(terms, part));
        let mut steps = Vec::with_capacity(self.steps.len());
        for step in self.steps {
            let conclusion = parts.next().flatten();
            let unread = match (&step.conclusion, conclusion) {
                (_, Some(_)) => None,
                (Err(why), None) => Some(why.clone()),
                (Ok(_), None) => Some("a term that cannot be read".to_string()),
            };
            steps.push(Step {
                id: step.id,
                rule: step.rule,
                how: step.how,
                conclusion,
                unread,
                extra: step.extra.iter().map(|_| parts.next().flatten()).collect(),
                premises: step.premises,
            });
        }
        let input = script.assertions().map(|a| readable.formula(terms, a.term));
        let input = input.collect();
        Ok(Proof {
            script,
            input,
            steps,
        })
    }

    fn text(&self, declarations: &str, assertions: &[String]) -> String {
        let mut text = format!("{declarations}{}", self.declarations);
        for assertion in assertions {
            text.push_str(&format!("(assert {assertion})\n"));
        }
        text.push_str("(assert ");
        let mut depth = 0;
        let written = |one: &Result<String, String>| match one {
            Ok(text) => text.clone(),
            Err(_) => UNREADABLE.to_string(),
        };
        for (name, term) in &self.names {
            text.push_str(&format!("(let ((|{name}| {}))\n", written(term)));
            depth += 1;
        }
        let mut parts = String::new();
        for (number, step) in self.steps.iter().enumerate() {
            let name = step_name(number);
            let conclusion = written(&step.conclusion);
            text.push_str(&format!("(let ((|{name}| {conclusion}))\n"));
            depth += 1;
            parts.push_str(&format!(" |{name}|"));
            for extra in &step.extra {
                parts.push_str(&format!(" {}", written(extra)));
            }
        }
        text.push_str(&format!("(auspex.steps{parts} true)"));
        text.push_str(&")".repeat(depth + 1));
        text
    }
}

/// Which terms have a sort everywhere.
#[derive(Default)]
pub struct Readable {
    known: HashMap<TermId, bool>,
}

impl Readable {
    /// A term if it is a closed formula that can be judged.
    pub fn formula(&mut self, terms: &Terms, root: TermId) -> Option<TermId> {
        let is_formula = terms.sort(root) == Sort::BOOL && terms.is_closed(root);
        (is_formula && self.has_sorts(terms, root)).then_some(root)
    }

    fn has_sorts(&mut self, terms: &Terms, root: TermId) -> bool {
        if let Some(known) = self.known.get(&root) {
            return *known;
        }
        let mut odd: BTreeSet<TermId> = BTreeSet::new();
        for node in post_order(terms, root) {
            let is_odd = matches!(terms.head(node), Head::Opaque(_))
                || terms.sort(node) == Sort::UNKNOWN
                || self.known.get(&node) == Some(&false)
                || terms.args(node).iter().any(|arg| odd.contains(arg));
            if is_odd {
                odd.insert(node);
            }
        }
        let known = !odd.contains(&root);
        self.known.insert(root, known);
        known
    }
}
