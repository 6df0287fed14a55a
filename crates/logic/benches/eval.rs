//! Term nodes evaluated per second, and heap allocations per node, for Booleans, small integers and small bit-vectors.
//!
//! `cargo bench -p auspex-logic --bench eval`. The aim: 5 million nodes per second and no allocation per node.

use auspex_logic::eval::Evaluator;
use auspex_logic::render::post_order;
use auspex_logic::{Model, TermId, Terms, read_script};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The system's allocator, with a count of how often it is asked for memory.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SPAN: Duration = Duration::from_secs(1);
const NODES: usize = 20_000;

/// A kind of term: how two earlier terms and a number make the next one.
type Rule = fn(usize, &str, &str) -> String;

const KINDS: &[(&str, &str, &str, Rule)] = &[
    ("Booleans", "Bool", "true", |n, a, b| match n % 5 {
        0 => format!("(and {a} {b})"),
        1 => format!("(or {a} (not {b}))"),
        2 => format!("(xor {a} {b})"),
        3 => format!("(=> {a} {b})"),
        _ => format!("(ite {a} {b} (= {a} {b}))"),
    }),
    ("integers", "Int", "7", |n, a, b| match n % 5 {
        0 => format!("(mod (+ {a} {b} {n}) 1009)"),
        1 => format!("(- {a} {b})"),
        2 => format!("(ite (<= {a} {b}) {b} (+ {a} 1))"),
        3 => format!("(mod (* {a} 3) 1013)"),
        _ => format!("(div {a} 3)"),
    }),
    (
        "bit-vectors",
        "(_ BitVec 64)",
        "(_ bv77 64)",
        |n, a, b| match n % 6 {
            0 => format!("(bvadd {a} {b})"),
            1 => format!("(bvmul {a} (_ bv{n} 64))"),
            2 => format!("(bvxor {a} (bvnot {b}))"),
            3 => format!("(ite (bvult {a} {b}) {a} {b})"),
            4 => format!("(bvlshr {a} (_ bv3 64))"),
            _ => format!("(concat ((_ extract 31 0) {a}) ((_ extract 63 32) {b}))"),
        },
    ),
];

fn main() {
    println!(
        "{:<14} {:>8} {:>16} {:>20}",
        "kind", "nodes", "nodes/s", "allocations/node"
    );
    for (name, sort, first, rule) in KINDS {
        measure(name, sort, first, *rule);
    }
}

fn measure(name: &str, sort: &str, first: &str, rule: Rule) {
    let mut terms = Terms::new();
    let root = chain(&mut terms, sort, first, rule);
    let nodes = post_order(&terms, root).len() as u64;
    let model = Model::default();
    let (mut rounds, mut allocations) = (0u64, 0u64);
    let started = Instant::now();
    let before = processor_time();
    while processor_time().saturating_sub(before) < SPAN {
        let mut evaluator = Evaluator::new(&terms, &model);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let value = evaluator.value(root);
        allocations += ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert!(value.is_ok(), "{name}: {value:?}");
        rounds += 1;
    }
    let inside = match processor_time().saturating_sub(before) {
        Duration::ZERO => started.elapsed(),
        spent => spent,
    };
    let all = (rounds * nodes) as f64;
    println!(
        "{name:<14} {nodes:>8} {:>16.0} {:>20.5}",
        all / inside.as_secs_f64(),
        allocations as f64 / all
    );
}

/// What this thread has had of a processor: on a busy machine the clock says little.
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = said.and_then(|text| text.split(' ').next()?.parse().ok());
    let wall = START.get_or_init(Instant::now).elapsed();
    spent.map_or(wall, Duration::from_nanos)
}

/// A large DAG: each definition uses two earlier ones.
fn chain(terms: &mut Terms, sort: &str, first: &str, rule: Rule) -> TermId {
    let mut text = format!("(define-fun t0 () {sort} {first})");
    for n in 1..NODES / 4 {
        let (a, b) = (format!("t{}", n - 1), format!("t{}", n * 7 / 8));
        text.push_str(&format!(
            "(define-fun t{n} () {sort} {})\n",
            rule(n, &a, &b)
        ));
    }
    let reading = read_script(terms, &text).expect("well-formed");
    // Definitions are written out, so that the evaluator sees one DAG.
    let mut written = rustc_hash::FxHashMap::default();
    let mut last = None;
    for definition in reading.script.definitions() {
        let body = terms.replace_all(definition.body, &written);
        let name = terms.fun_app(definition.fun, &[]).expect("a constant");
        written.insert(name, body);
        last = Some(body);
    }
    last.expect("there are definitions")
}
