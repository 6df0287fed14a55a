//! The objectives in force at a query, and how they are combined.

use auspex_logic::eval::Evaluator;
use auspex_logic::script::Goal;
use auspex_logic::value::{Int, Rat};
use auspex_logic::{Command, Script, SortKind, TermId, Terms, Value, render};
use auspex_syntax::{Document, Sexpr};

/// How several objectives are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// The first before the second, and so on.
    Lexicographic,
    /// Each on its own.
    Box,
    /// No other model is better in one and as good in all others.
    Pareto,
}

/// One objective.
#[derive(Clone, Debug)]
pub struct Objective {
    pub maximize: bool,
    pub range: Range,
    what: What,
}

/// The values of an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    Int,
    Real,
    /// Unsigned numbers of so many bits.
    Bits(u32),
}

#[derive(Clone, Debug)]
enum What {
    Term(TermId),
    /// Soft assertions under one name, with their weights: the weights of those that fail are added up.
    Soft {
        id: String,
        members: Vec<(TermId, Rat)>,
    },
}

/// The option that says how objectives are weighed, as far as a command.
pub fn priority(terms: &Terms, script: &Script, command: usize) -> Option<Priority> {
    let mut priority = Priority::Lexicographic;
    for command in &script.commands[..command] {
        match command {
            Command::SetOption(key, value) if terms.symbols.name(*key) == ":opt.priority" => {
                priority = match terms.symbols.name(*value) {
                    "lex" => Priority::Lexicographic,
                    "box" => Priority::Box,
                    "pareto" => Priority::Pareto,
                    _ => return None,
                };
            }
            Command::Reset => priority = Priority::Lexicographic,
            _ => {}
        }
    }
    Some(priority)
}

/// The objectives in force at a command, in their order; a message where one is of another kind than we know.
pub fn in_force(terms: &Terms, script: &Script, command: usize) -> Result<Vec<Objective>, String> {
    let mut goals: Vec<Goal> = Vec::new();
    let mut levels: Vec<usize> = Vec::new();
    for command in &script.commands[..command] {
        match command {
            Command::Goal(goal) => goals.push(*goal),
            Command::Push(count) => {
                levels.extend(std::iter::repeat_n(goals.len(), *count as usize));
            }
            Command::Pop(count) => {
                for _ in 0..*count {
                    goals.truncate(levels.pop().unwrap_or(0));
                }
            }
            Command::Reset | Command::ResetAssertions => {
                goals.clear();
                levels.clear();
            }
            _ => {}
        }
    }
    let mut objectives: Vec<Objective> = Vec::new();
    for goal in goals {
        add(terms, &mut objectives, goal)?;
    }
    Ok(objectives)
}

fn add(terms: &Terms, objectives: &mut Vec<Objective>, goal: Goal) -> Result<(), String> {
    let attributes = goal.attributes.map_or("", |text| terms.symbols.name(text));
    if terms.symbols.name(goal.verb) != "assert-soft" {
        objectives.push(Objective {
            maximize: terms.symbols.name(goal.verb) == "maximize",
            range: range(terms, goal.term).ok_or("an objective that is not a number")?,
            what: What::Term(goal.term),
        });
        return Ok(());
    }
    let (id, weight) =
        soft(attributes).ok_or_else(|| format!("unknown attributes {attributes}"))?;
    let mut known = objectives.iter_mut();
    let group = known.find_map(|one| match &mut one.what {
        What::Soft { id: own, members } if *own == id => Some(members),
        _ => None,
    });
    match group {
        Some(members) => members.push((goal.term, weight)),
        None => objectives.push(Objective {
            maximize: false,
            range: Range::Real,
            what: What::Soft {
                id,
                members: vec![(goal.term, weight)],
            },
        }),
    }
    Ok(())
}

/// The weight of a soft assertion.
pub fn soft_weight(terms: &Terms, goal: &Goal) -> Option<Rat> {
    let attributes = goal.attributes.map_or("", |text| terms.symbols.name(text));
    soft(attributes).map(|(_, weight)| weight)
}

/// The name and the weight of a soft assertion.
fn soft(attributes: &str) -> Option<(String, Rat)> {
    let document = Document::read(attributes).ok()?;
    let mut items = document.items();
    let (mut id, mut weight) = (String::new(), Rat::ONE);
    while let Some(key) = items.next() {
        let value: Sexpr<'_> = items.next()?;
        match key.text() {
            ":id" => id = value.text().to_string(),
            ":weight" => weight = Rat::parse(value.text())?,
            _ => return None,
        }
    }
    Some((id, weight))
}

fn range(terms: &Terms, term: TermId) -> Option<Range> {
    match terms.sorts.kind(terms.sort(term)) {
        SortKind::Int => Some(Range::Int),
        SortKind::Real => Some(Range::Real),
        SortKind::BitVec(width) => Some(Range::Bits(*width)),
        _ => None,
    }
}

impl Objective {
    /// The objective as a term.
    pub fn term(&self, terms: &Terms) -> String {
        let text = |term| render::term(terms, term, render::Sharing::Auto);
        match &self.what {
            What::Term(term) => text(*term),
            What::Soft { members, .. } => {
                let parts = members.iter().map(|(term, weight)| {
                    format!("(ite {} 0.0 {})", text(*term), weight.to_smtlib())
                });
                match parts.collect::<Vec<_>>().as_slice() {
                    [one] => one.clone(),
                    several => format!("(+ {})", several.join(" ")),
                }
            }
        }
    }

    /// How a claim calls it.
    pub fn name(&self, terms: &Terms) -> String {
        match &self.what {
            What::Term(_) => self.term(terms),
            What::Soft { id, .. } if id.is_empty() => "the penalty".to_string(),
            What::Soft { id, .. } => format!("the penalty of {id}"),
        }
    }

    /// The soft assertions of an objective, with the weight that each costs where it fails.
    pub fn penalties(&self) -> &[(TermId, Rat)] {
        match &self.what {
            What::Soft { members, .. } => members,
            What::Term(_) => &[],
        }
    }

    /// The term of an objective that is one.
    pub fn single(&self) -> Option<TermId> {
        match self.what {
            What::Term(term) => Some(term),
            What::Soft { .. } => None,
        }
    }

    /// A number as a term, if it is one of the objective's values.
    pub fn literal(&self, value: &Rat) -> Option<String> {
        match self.range {
            Range::Real => Some(value.to_smtlib()),
            Range::Int => value.to_int().map(|value| value.to_smtlib()),
            Range::Bits(width) => {
                let value = value.to_int().filter(|value| !value.is_negative())?;
                let fits = value.bit_len() <= u64::from(width);
                fits.then(|| format!("(_ bv{value} {width})"))
            }
        }
    }

    /// `(> x 3)`: better than a value.
    pub fn better(&self, term: &str, value: &str) -> String {
        let name = match (self.range, self.maximize) {
            (Range::Bits(_), true) => "bvugt",
            (Range::Bits(_), false) => "bvult",
            (_, true) => ">",
            (_, false) => "<",
        };
        format!("({name} {term} {value})")
    }

    /// `(>= x 3)`: at least as good as a value.
    pub fn as_good(&self, term: &str, value: &str) -> String {
        let name = match (self.range, self.maximize) {
            (Range::Bits(_), true) => "bvuge",
            (Range::Bits(_), false) => "bvule",
            (_, true) => ">=",
            (_, false) => "<=",
        };
        format!("({name} {term} {value})")
    }

    /// Its value under a model, if that has one.
    pub fn value(&self, evaluator: &mut Evaluator<'_>) -> Option<Rat> {
        match &self.what {
            What::Term(term) => number(evaluator.value(*term).ok()?),
            What::Soft { members, .. } => {
                let mut sum = Rat::ZERO;
                for (term, weight) in members {
                    if evaluator.value(*term).ok()? == Value::FALSE {
                        sum = sum.add(weight);
                    }
                }
                Some(sum)
            }
        }
    }
}

/// The number that a value is; bit-vectors count as unsigned.
pub fn number(value: Value) -> Option<Rat> {
    let int: Int = match value {
        Value::Int(value) => value,
        Value::Real(value) => return Some(value),
        Value::BitVec(bits) => bits.ubv_to_int(),
        _ => return None,
    };
    Some(Rat::from(int))
}
