//! Laws of reading, sorting and printing scripts that hold for any bytes. Fuzz targets and tests call them. Each
//! function panics with the broken law and is silent otherwise.

use crate::render::{self, Sharing, post_order};
use crate::script::{Command, Script};
use crate::sort::{Sort, SortKind};
use crate::term::{BinderKind, Head, TermId, Terms};
use crate::{Reading, read_script as read};
use auspex_syntax::decode;

/// Reading any bytes ends, keeps every command in its place, and marks every issue in the text.
pub fn read_script(bytes: &[u8]) {
    let text = decode(bytes);
    let mut terms = Terms::new();
    let Ok(reading) = read(&mut terms, &text) else {
        return;
    };
    let script = &reading.script;
    assert_eq!(
        script.commands.len(),
        script.spans.len(),
        "every command has a place"
    );
    let mut last = 0;
    for span in &script.spans {
        assert!(
            last <= span.start && span.start < span.end,
            "commands are in order"
        );
        last = span.start;
    }
    for (span, issue) in &reading.issues {
        assert!(
            text.get(span.range()).is_some(),
            "an issue has a place in the text"
        );
        assert!(!issue.message().is_empty(), "an issue says what is wrong");
    }
    assert!(
        reading.opaque_terms == 0 || !reading.issues.is_empty(),
        "what has no sort is reported"
    );
}

/// Every term of a script has the sort that its head and its arguments give.
pub fn sort_script(bytes: &[u8]) {
    let mut terms = Terms::new();
    let Ok(reading) = read(&mut terms, &decode(bytes)) else {
        return;
    };
    for command in &reading.script.commands {
        let variables: &[TermId] = match command {
            Command::DefineFun(definition) => &definition.variables,
            _ => &[],
        };
        // The bodies of `define-funs-rec` have variables each; named terms may stand under a binder.
        let open = matches!(command, Command::DefineFunsRec(_))
            || matches!(command, Command::DefineFun(d) if d.how == crate::script::DefinitionKind::Named);
        for root in command.roots() {
            let mut free = terms.free_variables(root).iter();
            assert!(
                open || free.all(|v| variables.contains(v)),
                "no variable leaves its scope"
            );
            for term in post_order(&terms, root) {
                assert_sorted(&mut terms, term);
            }
        }
    }
    if reading.issues.is_empty() {
        let roots = reading.script.roots();
        for term in roots.iter().flat_map(|root| post_order(&terms, *root)) {
            assert_ne!(
                terms.sort(term),
                Sort::UNKNOWN,
                "without issues all is sorted"
            );
        }
    }
}

fn assert_sorted(terms: &mut Terms, term: TermId) {
    let sort = terms.sort(term);
    let args = terms.args(term).to_vec();
    let sorts: Vec<Sort> = args.iter().map(|arg| terms.sort(*arg)).collect();
    let again = match terms.head(term) {
        Head::Op(op) => terms.apply_op(op, &args, sort).map(|t| terms.sort(t)),
        Head::Fun(_) if args.is_empty() => Some(sort),
        Head::Fun(fun) => terms.fun_app(fun, &args).ok().map(|t| terms.sort(t)),
        Head::Apply => terms.apply_term(&args).map(|t| terms.sort(t)),
        Head::Binder(number) => match terms.binder(number).kind {
            BinderKind::Forall | BinderKind::Exists => Some(Sort::BOOL),
            BinderKind::Choice => Some(terms.sort(terms.binder(number).variables[0])),
            BinderKind::Lambda | BinderKind::Comprehension => Some(sort),
        },
        Head::Annotated(_) => Some(sorts[0]),
        Head::Match(_) => sorts[1..]
            .iter()
            .find(|s| **s != Sort::UNKNOWN)
            .or(Some(&Sort::UNKNOWN))
            .copied(),
        Head::Literal(_) | Head::Variable(_) | Head::Opaque(_) => Some(sort),
    };
    let open = sorts.contains(&Sort::UNKNOWN);
    assert!(
        open || again == Some(sort),
        "the sort follows from head and arguments: {}",
        render::term(terms, term, Sharing::Auto)
    );
    assert!(
        !matches!(terms.sorts.kind(sort), SortKind::Function(parts) if parts.len() < 2),
        "a function has arguments and a result"
    );
}

/// Printing any script and reading it again gives the same commands, with every way of sharing.
pub fn print_script(bytes: &[u8]) {
    let mut terms = Terms::new();
    let Ok(Reading { script, .. }) = read(&mut terms, &decode(bytes)) else {
        return;
    };
    for sharing in [Sharing::Auto, Sharing::Let] {
        assert_prints_back(&mut terms, &script, sharing);
    }
}

fn assert_prints_back(terms: &mut Terms, script: &Script, sharing: Sharing) {
    let printed = render::script(terms, script, sharing);
    let again = match read(terms, &printed) {
        Ok(again) => again.script,
        Err(error) => panic!(
            "printed text is well-formed: {} in\n{printed}",
            error.message()
        ),
    };
    for (mine, its) in script.commands.iter().zip(&again.commands) {
        if mine != its {
            let (mut a, mut b) = (String::new(), String::new());
            render::command_to(terms, mine, Sharing::Auto, &mut a);
            render::command_to(terms, its, Sharing::Auto, &mut b);
            panic!("printed text is read as the same: {a}{b}in\n{printed}");
        }
    }
    assert_eq!(
        script.commands.len(),
        again.commands.len(),
        "no command is lost:\n{printed}"
    );
}

/// Small scripts with one of each form.
pub const CORPUS: &[&str] = &[
    "(set-logic ALL)(set-info :status sat)(set-option :global-declarations true)(declare-const x Int)(assert (! (< x 1.5) :named a))(check-sat)(get-value (x (f x)))(get-model)(exit)",
    "(declare-fun f (Int) Int)(push 2)(assert (forall ((x Int) (f Bool)) (! (= (f x) 1) :pattern ((f x) x) :no-pattern x :qid |q r| :weight 3)))(pop)(check-sat-assuming ((not true)))",
    "(declare-datatypes ((L 1) (T 0)) ((par (X) ((nil) (cons (hd X) (tl (L X))))) ((leaf) (node (kids (L T))))))(declare-const l (L Int))(assert (= l nil (cons 1 (as nil (L Int)))))(assert (match l ((nil true) ((cons h t) (= h ((_ update hd) l 2) (is-cons t))) (_ ((_ is nil) l)))))",
    "(declare-datatypes (T) ((List nil (insert (head T) (tail List)))))(declare-codatatypes ((S 0)) (((s (next S)))))(define-sort P (X) (Array X (List X)))(declare-const p (P Bool))(assert (= p ((as const (P Bool)) (select p true))))",
    "(declare-const a (_ BitVec 8))(assert (= ((_ extract 3 0) (concat a #b1 #xF (_ bv3 4))) ((_ repeat 2) #b10)))(assert (fp.lt ((_ to_fp 2 2) RNE 0.1) (fp #b0 #b11 #b1) (_ +oo 2 2)))(declare-const r RoundingMode)",
    "(set-logic QF_LRA)(declare-const x Real)(assert (let ((y (+ x 1)) (z (* 2 x))) (let ((w (/ y z))) (and (< w y) (< w z) (= 1/3 -2. -0.5)))))",
    "(assert (str.in_re (str.++ \"a\"\"b\\u{41}\" (str.from_int 3)) (re.* (re.range \"a\" \"z\"))))(assert (= (seq.unit 1) (as seq.empty (Seq Int))))(assert (set.member (tuple 1 \"\") (rel.product (set.singleton (tuple 1)) (set.singleton (tuple \"\")))))",
    "(declare-fun g (Int Int) Int)(define-fun h ((x Int)) (-> Int Int) (lambda ((y Int)) (@ (g x) y)))(assert (= (h 1 2) ((h 1) 2) ((lambda ((x Int)) x) 3)))(assert (set.subset (set.comprehension ((x Int)) (> x 0) (+ x 1)) (choice ((s (Set Int))) true)))",
    "(define-funs-rec ((e ((x Int)) Bool) (o ((x Int)) Bool)) ((ite (= x 0) true (o (- x 1))) (ite (= x 0) false (e (- x 1)))))(define-fun-rec k ((x Int)) Int (k x))(define-const c Int 3)(reset-assertions)(reset)",
    "(declare-const x Blob)(assert (frob x (+ 1 true) (_ huh 3) (as wat Int)))(assert (let (junk) x))(assert (forall x y))(assert ((_ map and) ((f) 1 \"s\" :k)))(frobnicate :x (3))word(declare-fun)",
    "(declare-const |x y| Int)(declare-const |let| Bool)(assert (! (or |let| (let ((|x y| true)) |x y|)) :named |n m|))(assert (exists ((|x y| Int) (|as| Int)) (= |x y| |as|)))(assert |n m|)",
    "(declare-const a Int)(assert (let ((p (exists ((x Int)) (= x a)))) (forall ((x Int)) (and p (or p (= x a) (let ((q (+ x a))) (forall ((y Int)) (= q (+ y q) (+ x a)))))))))",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn all_laws(text: &str) {
        read_script(text.as_bytes());
        sort_script(text.as_bytes());
        print_script(text.as_bytes());
    }

    #[test]
    fn read_script_smoke() {
        CORPUS.iter().for_each(|text| read_script(text.as_bytes()));
    }

    #[test]
    fn sort_script_smoke() {
        CORPUS.iter().for_each(|text| sort_script(text.as_bytes()));
    }

    #[test]
    fn print_script_smoke() {
        CORPUS.iter().for_each(|text| print_script(text.as_bytes()));
    }

    #[test]
    fn laws_hold_on_pairs_of_the_corpus() {
        for a in CORPUS {
            for b in CORPUS {
                all_laws(&format!("{a}{b}"));
            }
        }
    }

    #[test]
    fn a_name_in_an_unused_let_is_not_lost() {
        let unused = |named: &str| {
            all_laws(&format!(
                "(declare-const x Bool)(assert (let ((y {named})) true))(assert n)"
            ));
        };
        unused("(! x :named n)");
        unused("(! (not (! x :named m)) :named n)");
        all_laws("(declare-const x Bool)(assert (let ((y (! x :named n))) (! (not x) :named m)))");
    }

    #[test]
    fn a_name_goes_with_its_term_when_a_variable_is_renamed() {
        all_laws("(assert (forall ((x A)) (! (= x (exists x)) :named a)))");
    }

    #[test]
    fn a_name_that_is_given_to_two_terms_names_none() {
        all_laws("(assert (and (! c :named n) (! b :named n) (! b :named n) n))");
        all_laws("(assert (and n (! b :named n) (! b :named n)))");
        all_laws("(assert (and (! b :w :named n) (! b :named m) (! b :named n) (! b :named n)))");
        all_laws(
            "(declare-const n Bool)(assert (and n (! (not n) :named n) (! (not n) :named n)))",
        );
    }

    #[test]
    fn an_assertion_that_is_kept_as_text_still_counts() {
        let mut terms = Terms::new();
        let text = "(set-option :global-declarations true)\
            (declare-const p Bool)(assert (! p :named a))(reset-assertions)\
            (assert (! (and p false) :named a))(check-sat)(check-sat-assuming ((! p :named a)))";
        let script = read(&mut terms, text).expect("well-formed").script;
        let queries = script.queries();
        assert_eq!(queries.len(), 2);
        let unknown = queries[0].assertions[0].term;
        assert_eq!(terms.sort(unknown), Sort::UNKNOWN);
        assert_eq!(queries[1].assumptions.len(), 1);
    }

    #[test]
    fn names_keep_their_order_whether_a_let_gives_them_or_not() {
        let named = "(! (forall ((x Int)) (= x 1)) :named n)";
        all_laws(&format!("(assert (f {named} {named}))"));
        all_laws(&format!(
            "(assert (f (! (= 1 2) :named m) {named} {named}))"
        ));
        all_laws(&format!(
            "(assert (let ((t {named})) (f (! (= 1 2) :named m) t t)))"
        ));
    }

    #[test]
    fn a_name_in_parentheses_is_applied_like_the_name() {
        let list = "(declare-datatypes ((L 1)) ((par (X) ((is (f X)) (c)))))";
        all_laws(&format!("{list}(assert ((is) (as c (L Int))))"));
        all_laws(&format!("{list}(assert ((_ is) c x))"));
        all_laws("(declare-fun c (Int) Bool)(declare-const c Int)(assert ((c) c))");
    }

    #[test]
    fn an_indexed_name_that_is_applied_as_a_term_is_applied_like_the_name() {
        let list = "(declare-datatypes ((D 0)) (((c) (d (s Int)))))(declare-const x D)";
        all_laws(&format!("{list}(assert (@ (_ is d) x))"));
        all_laws(&format!("{list}(assert (let ((f (_ is d))) (f x)))"));
        all_laws(&format!(
            "{list}(assert (@ (_ is e) x))(assert (@ (as d E) 1))"
        ));
    }

    #[test]
    fn nothing_in_parentheses_is_not_nothing() {
        all_laws("(check-sat-assuming ((let (()) ())))");
        all_laws("(assert (match x (())))(assert (forall (()) (() x)))");
    }

    #[test]
    fn what_is_no_term_is_not_read_as_one() {
        all_laws("(assert (let ((let () (not ()))) ()))");
        all_laws(
            "(assert (lambda ((let () (x Int))) x))(assert (let ((f (forall (x) y))) (exists ((y Int)) f)))",
        );
        let unknown = "(match zero (((succ y) (match zero (((succ y) x))))))";
        all_laws(&format!("(assert ((succ y) {unknown}))"));
        all_laws(&format!("(assert (forall ((x Int)) ((succ y) {unknown})))"));
        let twice = "(match x ((a (match y (((b) (p x))))) (c (match z (((b) (p x)))))))";
        all_laws(&format!("(assert (forall ((x Int)) {twice}))"));
        let moved = "(let ((a (match u ((p q))))) (match y ((p a))))";
        all_laws(&format!(
            "(declare-datatype D ((c)))(define-fun f ((y D)) D {moved})"
        ));
        all_laws("(assert (let ((y ())) (match x ((px y)))))");
        all_laws("(declare-fun |let| (Bool Bool) Bool)(assert (|let| true false))");
    }

    #[test]
    fn a_constructor_of_two_datatypes_is_a_value() {
        let two = "(declare-datatypes ((A 0)) (((m (o Int)))))(declare-datatypes ((B 0)) (((m (o Int)))))";
        all_laws(&format!("{two}(assert m)(assert (= m m))"));
        let third = "(declare-datatypes ((C 0)) (((m (p Int) (q Int)))))";
        all_laws(&format!("{two}{third}(assert (m ()))(assert (m 1))"));
        all_laws("(assert (@ @ () x))(assert (@ let x y))");
    }

    #[test]
    fn a_sort_that_is_declared_again_keeps_its_first_meaning() {
        let first = "(declare-datatypes ((x) (m)) (((s (h Int))) (s)))(declare-const v Int)";
        for again in [
            "(declare-datatypes ((x) (n)) (() ()))",
            "(declare-datatypes () ((x)))",
            "(declare-sort x)",
            "(define-sort x () Int)",
        ] {
            all_laws(&format!("{first}{again}(assert (= (s v) (s v)))"));
        }
        all_laws("(declare-datatypes ((x) (x)) (((s (h Int))) (s)))(assert (= (s 1) (s 1)))");
        let used = "(define-sort x () (Set y))(define-sort y () Int)(declare-sort Set 1)";
        all_laws(&format!("{used}(define-fun z () x (as set.empty x))"));
    }

    #[test]
    fn lists_have_no_parts_before_the_command_that_uses_them_is_over() {
        let list = "(cons 0 (as nil (List Int)))";
        all_laws(&format!("(assert (= (nil) (= {list} {list})))(assert nil)"));
    }

    #[test]
    fn strings_of_the_older_style_do_not_stay_among_others() {
        let inner = r#""\"(a) b""#;
        all_laws(&format!(
            r#"(assert ("\"" (exists {inner})))(echo {inner})"#
        ));
        all_laws(&format!(r#"(assert ("\"" {inner}))(set-info :x {inner})"#));
    }

    #[test]
    fn the_corpus_is_mostly_understood() {
        let issues = CORPUS.iter().filter_map(|text| {
            let mut terms = Terms::new();
            let reading = read(&mut terms, text).expect("well-formed");
            let (_, first) = reading.issues.first()?;
            Some(first.message())
        });
        let issues: Vec<_> = issues.collect();
        assert!(issues.len() <= 4, "{issues:?}");
    }

    #[test]
    #[should_panic(expected = "printed text is read as the same")]
    fn another_script_breaks_a_law() {
        let mut terms = Terms::new();
        let mut script = read(&mut terms, "(check-sat)").expect("well-formed").script;
        // A symbol's text that is no single s-expression cannot come from reading.
        let bad = terms.symbols.intern("(check-sat) ");
        script.commands = vec![Command::Other(bad)];
        assert_prints_back(&mut terms, &script, Sharing::Auto);
    }
}
