//! Makes cases from hand-written datatypes (recursive, mutually recursive, parametric and nested ones): negated laws
//! of constructors, selectors, testers and `match`, and operations that equal their result.
//!
//! ```text
//! (not (= (top (link e l)) e))                                                      unsat: a law denied
//! (= l (link e l))                                                                  unsat: values are finite
//! (= (match l ((end 0) ((link h t) h))) 1)                                          sat, with l = (link 1 end)
//! ```
//!
//! The laws follow from section 3.7 of the SMT-LIB standard. A test tries each on all small values; the program's test
//! `generate` asks z3 and cvc5.

use super::kit::Kit;
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use crate::rules::domain::domain;
use auspex_logic::eval::Evaluator;
use auspex_logic::{
    Assertion, Command, Fun, Model, Script, TermId, Terms, Theory, Value, read_script,
};

/// Datatypes with constants of their sorts, laws about these, and operations on them.
struct World {
    /// The declarations; `E` is the sort of elements.
    datatypes: &'static str,
    constants: &'static str,
    /// Name and formula.
    laws: &'static [(&'static str, &'static str)],
    operations: &'static [&'static str],
    needs: Theory,
}

/// The sort of elements, and its theory.
const ELEMENTS: [(&str, Theory); 4] = [
    ("Int", Theory::Core),
    ("Bool", Theory::Core),
    ("(_ BitVec 4)", Theory::BitVectors),
    ("(Array Int Bool)", Theory::Arrays),
];

const LISTS: World = World {
    datatypes: "(declare-datatypes ((Chain 0)) (((end) (link (top E) (rest Chain)))))",
    constants: "(declare-const e E)(declare-const d E)(declare-const l Chain)(declare-const k Chain)",
    laws: &[
        ("list-head", "(= (top (link e l)) e)"),
        ("list-tail", "(= (rest (link e l)) l)"),
        (
            "list-injective",
            "(= (= (link e l) (link d k)) (and (= e d) (= l k)))",
        ),
        ("list-distinct", "(distinct end (link e l))"),
        ("list-cases", "(or (= l end) (= l (link (top l) (rest l))))"),
        ("list-testers", "(xor ((_ is end) l) ((_ is link) l))"),
        (
            "list-rebuilt",
            "(=> ((_ is link) l) (= (link (top l) (rest l)) l))",
        ),
        ("list-nil", "(= ((_ is end) l) (= l end))"),
        ("list-acyclic", "(distinct l (link e l))"),
        (
            "list-acyclic-two",
            "(not (and (= l (link e k)) (= k (link d l))))",
        ),
        (
            "list-tail-differs",
            "(=> ((_ is link) l) (distinct (rest l) l))",
        ),
        ("list-congruent", "(=> (= l k) (= (top l) (top k)))"),
        (
            "list-match-nil",
            "(= (match end ((end e) ((link h t) h))) e)",
        ),
        (
            "list-match-cons",
            "(= (match (link d l) ((end e) ((link h t) h))) d)",
        ),
        (
            "list-match-ite",
            "(= (match l ((end e) ((link h t) h))) (ite ((_ is end) l) e (top l)))",
        ),
        ("list-match-variable", "(= (match l ((end end) (x x))) l)"),
        (
            "list-match-rebuilt",
            "(= (match l ((end end) ((link h t) (link h t)))) l)",
        ),
    ],
    operations: &[
        "(link e l)",
        "((_ is link) (link e l))",
        "(rest (link e k))",
        "(top (rest (link e (link d l))))",
        "(match l ((end k) ((link h t) t)))",
        "(match l ((end e) ((link h t) (match t ((end h) (x d))))))",
        "(ite ((_ is end) l) (link e k) (link d end))",
    ],
    needs: Theory::Core,
};

const TREES: World = World {
    datatypes: "(declare-datatypes ((Tree 0) (Forest 0)) \
        (((leaf) (node (label E) (children Forest))) ((none) (some (first Tree) (rest Forest)))))",
    constants: "(declare-const e E)(declare-const t Tree)(declare-const u Tree)\
        (declare-const f Forest)(declare-const g Forest)",
    laws: &[
        ("tree-children", "(= (children (node e f)) f)"),
        ("tree-first", "(= (first (some t f)) t)"),
        (
            "tree-injective",
            "(= (= (some t f) (some u g)) (and (= t u) (= f g)))",
        ),
        ("tree-acyclic", "(distinct t (node e (some t f)))"),
        ("forest-acyclic", "(distinct f (some (node e f) g))"),
        ("forest-acyclic-rest", "(distinct f (some t f))"),
        ("forest-cases", "(or (= f none) ((_ is some) f))"),
        (
            "tree-match",
            "(= (match t ((leaf none) ((node x y) y))) (ite ((_ is leaf) t) none (children t)))",
        ),
        (
            "tree-match-nested",
            "(= (match (node e (some t f)) ((leaf leaf) ((node x y) (match y ((none leaf) ((some v w) v)))))) t)",
        ),
    ],
    operations: &[
        "(node e (some t f))",
        "(children (node e f))",
        "((_ is leaf) (first (some t f)))",
        "(match f ((none t) ((some x y) x)))",
        "(match t ((leaf f) ((node x y) (some u y))))",
    ],
    needs: Theory::Core,
};

const PAIRS: World = World {
    datatypes: "(declare-datatypes ((Pair 2) (Maybe 1)) ((par (X Y) ((pair (left X) (right Y)))) \
        (par (X) ((nothing) (just (value X))))))",
    constants: "(declare-const e E)(declare-const p (Pair E Bool))(declare-const q (Pair E Bool))\
        (declare-const m (Maybe (Pair E Bool)))(declare-const b Bool)",
    laws: &[
        ("pair-left", "(= (left (pair e b)) e)"),
        ("pair-rebuilt", "(= (pair (left p) (right p)) p)"),
        (
            "pair-extensional",
            "(= (= p q) (and (= (left p) (left q)) (= (right p) (right q))))",
        ),
        ("pair-tester", "((_ is pair) p)"),
        ("maybe-value", "(= (value (just p)) p)"),
        ("maybe-injective", "(=> (= (just p) (just q)) (= p q))"),
        (
            "maybe-cases",
            "(or (= m (as nothing (Maybe (Pair E Bool)))) (= m (just (value m))))",
        ),
        ("maybe-finite", "(not (distinct (right p) (right q) b))"),
        (
            "maybe-match",
            "(= (match m ((nothing p) ((just x) x))) (ite ((_ is just) m) (value m) p))",
        ),
        ("pair-match", "(= (match p (((pair x y) x))) (left p))"),
    ],
    operations: &[
        "(pair e (right p))",
        "(left (pair e b))",
        "(value (just p))",
        "((_ is just) (just p))",
        "(match m ((nothing q) ((just x) (pair (left x) b))))",
        "(match p (((pair x y) (and y b))))",
    ],
    needs: Theory::Core,
};

/// Arrays over a datatype, as sorts of elements and of indices.
const STORED: World = World {
    datatypes: "(declare-datatypes ((Colour 0) (Box 0)) (((red) (green) (blue)) ((box (inside E) (colour Colour)))))",
    constants: "(declare-const e E)(declare-const c Colour)(declare-const d Colour)(declare-const x Box)\
        (declare-const a (Array Int Box))(declare-const i Int)(declare-const s (Array Colour Int))",
    laws: &[
        ("colour-three", "(or (= c red) (= c green) (= c blue))"),
        (
            "colour-match",
            "(= (match c ((red green) (green blue) (blue red))) (ite (= c red) green (ite (= c green) blue red)))",
        ),
        (
            "colour-match-default",
            "(= (match c ((red d) (y y))) (ite ((_ is red) c) d c))",
        ),
        (
            "box-stored",
            "(= (inside (select (store a i (box e c)) i)) e)",
        ),
        ("box-rebuilt", "(= (box (inside x) (colour x)) x)"),
        (
            "colour-index",
            "(=> (= c d) (= (select (store s c i) d) i))",
        ),
        (
            "colour-index-other",
            "(=> (distinct c d) (= (select (store s c i) d) (select s d)))",
        ),
        (
            "colour-extensional",
            "(=> (and (= (select s red) i) (= (select s green) i) (= (select s blue) i)) (= (store (store (store s red i) green i) blue i) s))",
        ),
    ],
    operations: &[
        "(select (store a i x) i)",
        "(select (store s c 3) d)",
        "(match c ((red i) (y (select s y))))",
        "(colour (select (store a 0 x) 0))",
    ],
    needs: Theory::Arrays,
};

const WORLDS: [&World; 4] = [&LISTS, &TREES, &PAIRS, &STORED];

/// A negated law, or an operation that equals its result.
pub(super) fn case(kit: &Kit, terms: &mut Terms, draw: &mut Draw) -> Option<Case> {
    let wanted = |theory: Theory| theory == Theory::Core || kit.has(theory);
    let world = draw.pick(&WORLDS).filter(|world| wanted(world.needs))?;
    let (element, _) = *draw.pick(&ELEMENTS).filter(|(_, needs)| wanted(*needs))?;
    match draw.coin() {
        true => denied(terms, draw, world, element),
        false => witnessed(terms, draw, world, element),
    }
}

fn denied(terms: &mut Terms, draw: &mut Draw, world: &World, element: &str) -> Option<Case> {
    let (name, law) = *draw.pick(world.laws)?;
    let mut script = world.script(terms, element, law)?;
    let law = script.assertions().next()?.term;
    script.commands.pop();
    let mut names = Vec::new();
    let denial = terms.app("not", &[law]).ok()?;
    let mut member = |terms: &mut Terms, script: &mut Script, term| {
        let name = terms.symbols.intern(&format!("a{}", names.len()));
        names.push(name);
        let name = Some(name);
        script.push(Command::Assert(Assertion { term, name }));
    };
    // Sometimes the law is negated for one value: a smaller query about the same operators.
    if draw.one_in(3) {
        let values = values(terms, draw, &script)?;
        for (fun, value) in &values {
            let constant = terms.fun_app(*fun, &[]).ok()?;
            let sort = terms.sort(constant);
            let value = terms.value_term(value, sort)?;
            let equal = terms.equation(constant, value)?;
            if is_used(terms, denial, constant) {
                member(terms, &mut script, equal);
            }
        }
    }
    member(terms, &mut script, denial);
    script.push(Command::CheckSat);
    let because = format!("by the law {name} of the datatypes");
    Some(finished(script, Evidence::Core { names, because }, name))
}

fn witnessed(terms: &mut Terms, draw: &mut Draw, world: &World, element: &str) -> Option<Case> {
    let operation = draw.pick(world.operations)?;
    let text = format!("(= {operation} {operation})");
    let mut script = world.script(terms, element, &text)?;
    let equation = script.assertions().next()?.term;
    script.commands.pop();
    let operation = *terms.args(equation).first().unwrap_or(&equation);
    let values = values(terms, draw, &script)?;
    let mut model = Model::default();
    for (fun, value) in values {
        model.set_value(fun, value);
    }
    let value = Evaluator::new(terms, &model).value(operation).ok()?;
    let sort = terms.sort(operation);
    let right = terms.value_term(&value, sort)?;
    let term = terms.equation(operation, right)?;
    script.push(Command::Assert(Assertion { term, name: None }));
    script.push(Command::CheckSat);
    let evidence = Evidence::Witness(Box::new(model));
    Some(finished(
        script,
        evidence,
        "operation on a datatype equals its result",
    ))
}

fn finished(script: Script, evidence: Evidence, step: &str) -> Case {
    Case {
        script,
        evidence: vec![evidence],
        origin: Origin {
            strategy: super::NAME,
            seed: None,
            steps: vec![step.to_string()],
        },
    }
}

/// A value for every constant.
fn values(terms: &mut Terms, draw: &mut Draw, script: &Script) -> Option<Vec<(Fun, Value)>> {
    let constants: Vec<Fun> = script.declared().collect();
    let mut values = Vec::with_capacity(constants.len());
    for fun in constants {
        let sort = terms.fun(fun).result;
        let all = domain(terms, sort)?;
        values.push((fun, draw.pick(&all)?.clone()));
    }
    Some(values)
}

fn is_used(terms: &Terms, root: TermId, part: TermId) -> bool {
    auspex_logic::render::post_order(terms, root).contains(&part)
}

impl World {
    /// The declarations and one assertion.
    fn script(&self, terms: &mut Terms, element: &str, formula: &str) -> Option<Script> {
        let text = format!("{}{}(assert {formula})", self.datatypes, self.constants);
        let text = with_elements(&text, element);
        let reading = read_script(terms, &text).ok()?;
        reading.issues.is_empty().then_some(reading.script)
    }
}

/// The text with a sort for `E`.
fn with_elements(text: &str, element: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let is_edge = |c: Option<char>| c.is_none_or(|c| " ()".contains(c));
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == 'E' && is_edge(before) && is_edge(rest.peek().copied()) {
            out.push_str(element);
        } else {
            out.push(c);
        }
        before = Some(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::model::{ModelVerdict, validate};
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::SolverSet;

    /// The value of a formula for values of the constants, where it is determined.
    fn holds(world: &World, element: &str, formula: &str, number: u64) -> Option<bool> {
        let mut terms = Terms::new();
        let script = world.script(&mut terms, element, formula).expect(formula);
        let values = values(&mut terms, &mut Draw::new(1, number), &script).expect("values");
        let mut model = Model::default();
        for (fun, value) in values {
            model.set_value(fun, value);
        }
        let law = script.assertions().next().expect("one").term;
        match Evaluator::new(&terms, &model).value(law) {
            Ok(Value::Bool(value)) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn laws_hold_for_small_values() {
        for world in WORLDS {
            for (name, law) in world.laws {
                let mut determined = 0;
                for number in 0..60 {
                    let element = ELEMENTS[number as usize % ELEMENTS.len()].0;
                    let held = holds(world, element, law, number);
                    assert_ne!(held, Some(false), "{name} is false for {number}");
                    determined += usize::from(held.is_some());
                }
                assert!(determined > 5, "{name}: {determined}");
            }
        }
    }

    #[test]
    fn what_is_no_law_is_refuted() {
        let wrong = "(= (link e l) (link d l))";
        assert!((0..100).any(|n| holds(&LISTS, "Int", wrong, n) == Some(false)));
    }

    #[test]
    fn cases_read_back_and_witnesses_are_valid() {
        let (mut sat, mut matches, mut parametric, mut mutual) = (0, 0, 0, 0);
        let kit = Kit::of(&[], SolverSet::Z3.union(SolverSet::CVC5));
        for number in 0..400 {
            let mut terms = Terms::new();
            let Some(case) = case(&kit, &mut terms, &mut Draw::new(2, number)) else {
                continue;
            };
            if let Evidence::Witness(model) = &case.evidence[0] {
                let verdict = validate(&terms, model, &case.script.queries()[0]);
                assert_eq!(verdict, ModelVerdict::Valid);
                sat += 1;
            }
            let text = render::script(&terms, &case.script, Sharing::Auto);
            let reading = read_script(&mut Terms::new(), &text).expect("well-formed");
            assert_eq!(reading.issues, [], "{text}");
            matches += usize::from(text.contains("(match "));
            parametric += usize::from(text.contains("(par "));
            mutual += usize::from(text.contains("Forest"));
        }
        for count in [sat, matches, parametric, mutual] {
            assert!(count > 30, "{sat} {matches} {parametric} {mutual}");
        }
    }
}
