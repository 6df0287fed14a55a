//! Claims: for all values of some variables, the premises imply the conclusion. A rule has one claim, and so has a
//! monotone argument; instances have numbers, sorts and constructors for the letters.
//!
//! ```text
//! (monotone ((a N) (_ N)) (* a _) number up number :when (positive a))
//! claims that (> a 0) and (<= x y) imply (<= (* a x) (* a y))
//! ```

use super::bindings::{CONSTRUCTORS, SORTS, WITH_FIELDS};
use super::order::sort_named;
use super::pattern::{self, Node, SortPattern, Variable};
use super::read::Reader;
use super::size::Size;
use super::{Bindings, Monotone, Order, Relation, Rule, sizes_hold};
use auspex_logic::{Command, Fun, OpTable, Script, Sort, TermId, Terms, read_script};

/// For all values of the variables, the premises imply the conclusion.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    pub title: String,
    pub variables: Vec<Variable>,
    pub premises: Vec<Node>,
    /// A lemma for solvers: they must prove it, and then the conclusion with it as a premise.
    pub lemma: Option<Node>,
    pub conclusion: Node,
    sizes: Vec<(Size, Size)>,
    small: bool,
}

/// A claim with numbers and sorts for its letters and constants for its variables.
pub struct Instance {
    /// The claim with the bindings of its letters.
    pub title: String,
    pub terms: Terms,
    /// The declarations of the constants.
    pub script: Script,
    pub premises: Vec<TermId>,
    pub lemma: Option<TermId>,
    pub conclusion: TermId,
}

/// The bindings of letters in the instances of a claim.
struct Extent {
    sorts: &'static [AnySort],
    /// The largest width of bit-vectors, and the largest that a claim with small widths has.
    widths: [u64; 2],
    formats: &'static [(u64, u64)],
    /// The values of numbers that are not widths.
    counts: &'static [u64],
}

/// A sort for `X`, `Y` or `Z`.
#[derive(Clone, Copy)]
enum AnySort {
    Bool,
    Int,
    Bits(u32),
}

/// Small enough for exhaustive evaluation.
const SMALL: Extent = Extent {
    sorts: &[AnySort::Bool, AnySort::Int, AnySort::Bits(2)],
    widths: [4, 4],
    formats: &[(2, 2), (2, 3), (3, 3)],
    counts: &[0, 1, 2, 3, 4],
};

/// For queries to solvers.
const LARGE: Extent = Extent {
    sorts: &[AnySort::Int, AnySort::Bits(4), AnySort::Bool],
    widths: [8, 3],
    formats: &[(2, 3), (3, 5)],
    counts: &[0, 1, 2, 3],
};

/// If a small width leaves no instance, widths up to this one are tried.
const LEAST_WIDTH: u64 = 4;
/// The most instances of one claim.
const MOST_INSTANCES: usize = 48;

/// Constructors with any number of fields, for `cn`.
const WITH_SOME_FIELDS: [usize; 3] = [1, 2, 3];
/// The datatype of the instances: after the constants, a constructor for each number of fields.
const DATATYPE: &str = "(declare-datatype D ((c0) (d0) (k1 (k1a Int)) (k2 (k2a Bool) (k2b Int)) \
     (k3 (k3a Int) (k3b Bool) (k3c Int))))(declare-const d D)";

/// The bindings of one instance.
#[derive(Clone, Default)]
struct Choice {
    numbers: Bindings,
    sorts: [Option<AnySort>; SORTS.len()],
    numeric: Option<Sort>,
    /// The constructor for `cn`, by its number of fields.
    constructor: Option<usize>,
    title: String,
}

impl Rule {
    /// The claim that the sides are in the relation.
    pub fn claim(&self) -> Claim {
        let mut variables = self.variables.clone();
        let (left, right) = (&self.left.node, &self.right.node);
        let conclusion = match self.relation {
            Relation::Equal | Relation::Equivalent => Order::equation(left, right),
            Relation::Below(order) => {
                let witness = add_witness(order, &mut variables);
                order.relation(left, right, &witness)
            }
        };
        let mut premises = literals(&self.variables);
        premises.extend(
            self.conditions
                .iter()
                .map(|condition| condition.node.clone()),
        );
        Claim {
            title: format!("{} {}", self.used_as.name(), self.name),
            variables,
            premises,
            lemma: self.lemma.clone(),
            conclusion,
            sizes: self.sizes.clone(),
            small: self.small,
        }
    }
}

impl Monotone {
    pub fn title(&self) -> String {
        format!("monotone {} {}", self.context.text, self.from.name())
    }

    /// The claim that the operator maps one order to the other.
    pub fn claim(&self) -> Claim {
        let mut variables = self.variables.clone();
        let lower = Node::Variable(self.argument as u8);
        variables[self.argument].name = "lower".into();
        let sort = variables[self.argument].sort.clone();
        let more = add(&mut variables, "upper", sort.clone());
        let other = match self.from.has_two_around() {
            true => add(&mut variables, "other", sort),
            false => more.clone(),
        };
        let mut premises = literals(&self.variables);
        let upper = match self.from.term_above(&lower, [&more, &other]) {
            Some(above) => above,
            None => {
                premises.push(self.from.closed_relation(&lower, &more));
                more
            }
        };
        let witness = add_witness(self.to, &mut variables);
        let (below, above) = (&self.context.node, self.context.node.with(&lower, &upper));
        let conclusion = match self.up {
            true => self.to.relation(below, &above, &witness),
            false => self.to.relation(&above, below, &witness),
        };
        Claim {
            title: self.title(),
            variables,
            premises,
            lemma: None,
            conclusion,
            sizes: Vec::new(),
            small: false,
        }
    }
}

/// Adds a variable.
fn add(variables: &mut Vec<Variable>, name: &str, sort: SortPattern) -> Node {
    variables.push(Variable {
        name: name.to_string(),
        sort,
        literal: None,
    });
    Node::Variable(variables.len() as u8 - 1)
}

/// Adds the variable that the relation of an order needs, if it needs one.
fn add_witness(order: Order, variables: &mut Vec<Variable>) -> Node {
    match order.witness_sort().and_then(sort_named) {
        Some(sort) => add(variables, "w!", sort),
        None => Node::Variable(0),
    }
}

/// The conditions on variables that match literals.
fn literals(variables: &[Variable]) -> Vec<Node> {
    let table = OpTable::builtin();
    let reader = Reader::new(&table, variables);
    let formula = |variable: &Variable| {
        let formula = variable.literal?.formula(&variable.name);
        reader.text(&formula)
    };
    variables.iter().filter_map(formula).collect()
}

impl Claim {
    fn nodes(&self) -> impl Iterator<Item = &Node> {
        let steps = self.lemma.iter().chain([&self.conclusion]);
        self.premises.iter().chain(steps)
    }

    /// The instances that evaluation tries.
    pub fn small_instances(&self) -> impl Iterator<Item = Instance> {
        self.instances(&SMALL)
    }

    /// The instances that solvers are asked about.
    pub fn large_instances(&self) -> impl Iterator<Item = Instance> {
        self.instances(&LARGE)
    }

    fn instances(&self, extent: &Extent) -> impl Iterator<Item = Instance> {
        let choices = self.choices(extent);
        let step = choices.len().div_ceil(MOST_INSTANCES).max(1);
        let choices = choices.into_iter().rev().step_by(step);
        choices.filter_map(|choice| self.instance(&choice))
    }

    /// All combinations of numbers, sorts and constructors.
    fn choices(&self, extent: &Extent) -> Vec<Choice> {
        let mut all = vec![Choice::default()];
        for place in pattern::sort_letters(&self.variables) {
            let most = extent.sorts.len() - usize::from(place);
            vary(&mut all, &extent.sorts[..most], |choice, sort| {
                choice.set_sort(place, *sort)
            });
        }
        if self.has_sort(|sort| *sort == SortPattern::Number) {
            vary(&mut all, &[Sort::INT, Sort::REAL], |choice, sort| {
                choice.set_numeric(*sort)
            });
        }
        if self.has_sort(SortPattern::is_data) {
            let fields = WITH_SOME_FIELDS.map(|count| (0..count).map(move |field| (count, field)));
            let fields: Vec<(usize, usize)> = fields.into_iter().flatten().collect();
            vary(&mut all, &fields, |choice, field| {
                choice.set_constructor(*field)
            });
        }
        let largest = extent.widths[usize::from(self.small)];
        let sized = self.with_numbers(&all, extent, largest);
        match sized.is_empty() {
            true => self.with_numbers(&all, extent, LEAST_WIDTH.max(largest)),
            false => sized,
        }
    }

    /// The choices with all numbers that fit the claim.
    fn with_numbers(&self, from: &[Choice], extent: &Extent, largest: u64) -> Vec<Choice> {
        let (formats, widths) = self.formats_and_widths();
        let mut all = from.to_vec();
        for (e, s) in &formats {
            vary(&mut all, extent.formats, |choice, (eb, sb)| {
                choice.set_number(*e, *eb);
                choice.set_number(*s, *sb);
            });
        }
        let is_done = |letter: &char| formats.iter().any(|(e, s)| e == letter || s == letter);
        let letters = pattern::number_letters(&self.variables, self.nodes());
        for letter in letters.into_iter().filter(|letter| !is_done(letter)) {
            let numbers: Vec<u64> = match widths.iter().position(|width| *width == letter) {
                Some(0) => (1..=largest).collect(),
                Some(_) => (1..=largest.min(3)).collect(),
                None => extent.counts.to_vec(),
            };
            vary(&mut all, &numbers, |choice, number| {
                choice.set_number(letter, *number)
            });
        }
        all.retain(|choice| sizes_hold(&self.sizes, &choice.numbers));
        all
    }

    fn has_sort(&self, is_wanted: impl Fn(&SortPattern) -> bool) -> bool {
        let mut sorts = self.variables.iter().flat_map(|v| v.sort.parts());
        sorts.any(is_wanted)
    }

    /// The letters of formats of floats, in pairs, and those of widths.
    fn formats_and_widths(&self) -> (Vec<(char, char)>, Vec<char>) {
        let (mut formats, mut widths) = (Vec::new(), Vec::new());
        let letter = |size: &Size| Some(super::size::LETTERS[size.letter()? as usize]);
        for part in self.variables.iter().flat_map(|v| v.sort.parts()) {
            match part {
                SortPattern::Float(e, s) => formats.extend(letter(e).zip(letter(s))),
                SortPattern::BitVec(width) => widths.extend(letter(width)),
                _ => {}
            }
        }
        formats.sort_unstable();
        formats.dedup();
        let mut seen = Vec::new();
        widths.retain(|letter| {
            !seen.contains(letter) && {
                seen.push(*letter);
                true
            }
        });
        (formats, widths)
    }

    fn instance(&self, choice: &Choice) -> Option<Instance> {
        let mut terms = Terms::new();
        let mut script = Script::default();
        let mut bindings = choice.bindings(&mut terms, &mut script)?;
        for (at, variable) in self.variables.iter().enumerate() {
            let constant = match variable.sort {
                SortPattern::Rest => rest(&mut terms, &mut script, &bindings, &variable.name)?,
                _ => {
                    let sort = variable.sort.instance(&mut terms, &bindings)?;
                    declared(&mut terms, &mut script, &variable.name, sort)?
                }
            };
            bindings.terms[at] = Some(constant);
        }
        if self.nodes().any(Node::has_function) {
            let fun = terms.declare_fun("f", &[bindings.sort(0)?], Sort::INT);
            script.push(Command::DeclareFun(fun));
            bindings.function = Some(fun);
        }
        let premises = self
            .premises
            .iter()
            .map(|node| node.build(&mut terms, &bindings));
        let premises: Option<Vec<TermId>> = premises.collect();
        let lemma = match &self.lemma {
            Some(lemma) => Some(lemma.build(&mut terms, &bindings)?),
            None => None,
        };
        Some(Instance {
            title: format!("{}{}", self.title, choice.title),
            premises: premises?,
            lemma,
            conclusion: self.conclusion.build(&mut terms, &bindings)?,
            terms,
            script,
        })
    }
}

/// Replaces each choice by one for each value.
fn vary<T>(all: &mut Vec<Choice>, values: &[T], set: impl Fn(&mut Choice, &T)) {
    let with = |choice: &Choice, value: &T| {
        let mut choice = choice.clone();
        set(&mut choice, value);
        choice
    };
    let varied = all
        .iter()
        .flat_map(|choice| values.iter().map(|value| with(choice, value)));
    *all = varied.collect();
}

/// A constant that the script declares.
fn declared(terms: &mut Terms, script: &mut Script, name: &str, sort: Sort) -> Option<TermId> {
    let fun = terms.declare_fun(name, &[], sort);
    script.push(Command::DeclareFun(fun));
    terms.fun_app(fun, &[]).ok()
}

/// An application of the constructor with fields to constants. The chosen field is not used.
fn rest(terms: &mut Terms, script: &mut Script, bindings: &Bindings, name: &str) -> Option<TermId> {
    let constructor: Fun = bindings.constructor(terms, WITH_FIELDS)?;
    let sorts = terms.fun(constructor).params.clone();
    let mut unused = Script::default();
    let mut args = Vec::with_capacity(sorts.len());
    for (field, sort) in sorts.iter().enumerate() {
        let script = match field == bindings.turn {
            true => &mut unused,
            false => &mut *script,
        };
        args.push(declared(terms, script, &format!("{name}!{field}"), *sort)?);
    }
    terms.fun_app(constructor, &args).ok()
}

impl Choice {
    fn set_sort(&mut self, place: u8, sort: AnySort) {
        self.sorts[usize::from(place)] = Some(sort);
        let name = match sort {
            AnySort::Bool => "Bool".to_string(),
            AnySort::Int => "Int".to_string(),
            AnySort::Bits(width) => format!("(_ BitVec {width})"),
        };
        self.note(SORTS[usize::from(place)], &name);
    }

    fn set_numeric(&mut self, sort: Sort) {
        self.numeric = Some(sort);
        self.note('N', if sort == Sort::INT { "Int" } else { "Real" });
    }

    fn set_number(&mut self, letter: char, number: u64) {
        self.numbers.set_number(letter, number);
        self.note(letter, &number.to_string());
    }

    fn set_constructor(&mut self, (fields, chosen): (usize, usize)) {
        self.constructor = Some(fields);
        self.numbers.turn = chosen;
        self.title.push_str(&format!(" k{fields}.{chosen}"));
    }

    fn note(&mut self, letter: char, value: &str) {
        self.title.push_str(&format!(" {letter}={value}"));
    }

    /// The bindings of the letters in an arena, after declaring the datatype, if there is one.
    fn bindings(&self, terms: &mut Terms, script: &mut Script) -> Option<Bindings> {
        let mut bindings = self.numbers;
        for (place, sort) in (0..).zip(self.sorts) {
            match sort {
                Some(AnySort::Bool) => bindings.set_sort(place, Sort::BOOL),
                Some(AnySort::Int) => bindings.set_sort(place, Sort::INT),
                Some(AnySort::Bits(width)) => bindings.set_sort(place, terms.sorts.bit_vec(width)),
                None => {}
            }
        }
        if let Some(sort) = self.numeric {
            bindings.bind_numeric(sort);
        }
        if let Some(fields) = self.constructor {
            let declaration = read_script(terms, DATATYPE).ok()?.script;
            let constant = declaration.declared().next()?;
            bindings.bind_data(terms.fun(constant).result);
            script
                .commands
                .extend(declaration.commands.into_iter().take(1));
            let constants = CONSTRUCTORS.len() - 1;
            bindings.constructors = [Some(0), Some(1), Some((constants + fields - 1) as u32)];
        }
        Some(bindings)
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::read_rule;
    use super::*;
    use auspex_logic::Theory;
    use auspex_logic::render::{self, Sharing};

    fn claim(row: &str) -> Claim {
        let rule = read_rule(&format!("(approximation test {row})"), Theory::Core);
        rule.unwrap_or_else(|| panic!("{row}")).claim()
    }

    fn conclusions(claim: &Claim) -> Vec<String> {
        let shown = |one: Instance| render::term(&one.terms, one.conclusion, Sharing::Expanded);
        claim.small_instances().map(shown).collect()
    }

    #[test]
    fn every_width_has_its_instance() {
        let claim = claim("((x (_ BitVec n)) (y (_ BitVec n))) (unsigned (bvand x y) x)");
        assert_eq!(conclusions(&claim), ["(bvule (bvand x y) x)"; 4]);
    }

    #[test]
    fn every_field_of_every_constructor_is_chosen() {
        let row = "((x F) (y F) (r Rest) (q Rest)) (=> (= (cn x r) (cn y q)) (= x y))";
        let claim = claim(row);
        let conclusions = conclusions(&claim);
        assert_eq!(conclusions.len(), 6);
        assert!(conclusions.contains(&"(=> (= (k2 r!0 x) (k2 q!0 y)) (= x y))".into()));
        let largest = claim.small_instances().next().expect("an instance");
        assert_eq!(largest.script.declared().count(), 6);
        assert_eq!(claim.check().counterexample, None);
    }

    #[test]
    fn what_holds_for_one_field_only_is_refuted() {
        let row = "((u D) (x F) (r Rest)) (=> (and ((_ is cn) u) (= (sn u) x)) (= u (cn x r)))";
        let mut refuted = 0;
        for mut instance in claim(row).small_instances() {
            let is_false = instance.check().counterexample.is_some();
            assert_eq!(
                is_false,
                !instance.title.ends_with("k1.0"),
                "{}",
                instance.title
            );
            refuted += usize::from(is_false);
        }
        assert_eq!(refuted, 5);
    }

    #[test]
    fn monotone_arguments_claim_an_order_of_their_results() {
        let all = super::super::monotone();
        let find = |title: &str| all.iter().find(|row| row.title() == title).expect("a row");
        let shown = |title: &str| {
            let instance = find(title)
                .claim()
                .small_instances()
                .next()
                .expect("an instance");
            let formulas = instance.premises.iter().chain([&instance.conclusion]);
            let shown = |term: &TermId| render::term(&instance.terms, *term, Sharing::Expanded);
            formulas.map(shown).collect::<Vec<String>>()
        };
        assert_eq!(
            shown("monotone (not _) truth"),
            ["(=> lower upper)", "(=> (not upper) (not lower))"]
        );
        assert_eq!(
            shown("monotone (str.len _) substring"),
            ["(<= (str.len lower) (str.len (str.++ upper lower other)))"]
        );
    }
}
