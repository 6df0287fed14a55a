//! How long a mutation takes: one occurrence of a script replaced, the script rebuilt and printed.
//! `cargo bench -p auspex-logic --bench edit [-- FILE…]`; without files, a script of about 200 nodes is made.

use auspex_logic::edit::Occurrences;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Script, Terms, read_script};
use auspex_syntax::decode;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 2_000;

fn main() {
    let files: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    if files.is_empty() {
        measure("made", &made_script());
    }
    for file in files {
        match std::fs::read(&file) {
            Ok(bytes) => measure(&file, &decode(&bytes)),
            Err(error) => println!("{file}: {error}"),
        }
    }
}

/// Twelve assertions over integers, arrays and bit-vectors: 200 nodes.
fn made_script() -> String {
    let mut text = String::from(
        "(set-logic ALL)\n(declare-const x Int)\n(declare-const y Int)\n\
         (declare-const a (Array Int Int))\n(declare-const b (_ BitVec 8))\n",
    );
    for n in 0..6 {
        text.push_str(&format!(
            "(assert (or (= (+ x {n}) (* y 2)) (< (select (store a x y) {n}) (- x y)) (not (= x y))))\n\
             (assert (=> (bvult b (bvadd b (_ bv{n} 8))) (= ((_ extract 3 0) b) #x{n})))\n"
        ));
    }
    text + "(check-sat)\n"
}

fn measure(name: &str, text: &str) {
    let mut terms = Terms::new();
    let Ok(reading) = read_script(&mut terms, text) else {
        println!("{name}: not well-formed");
        return;
    };
    let script = reading.script;
    let all = Occurrences::new(&terms, &script.roots());
    let mut times: Vec<Duration> = Vec::new();
    let mut out = String::new();
    for round in 0..ROUNDS {
        // A fixed stride visits every place; nothing here is random.
        let place = u64::from(round) * 7919 % all.len().max(1);
        let start = Instant::now();
        mutate(&mut terms, &script, &all, place, &mut out);
        times.push(start.elapsed());
        black_box(&out);
    }
    times.sort_unstable();
    println!(
        "{name}: {} nodes, {} bytes printed: median {:?}, 99 % below {:?}",
        all.len(),
        out.len(),
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
}

/// Replaces one occurrence by another term of its sort, prints the script, and forgets the new terms.
fn mutate(terms: &mut Terms, script: &Script, all: &Occurrences, place: u64, out: &mut String) {
    out.clear();
    let mark = terms.mark();
    let Some(old) = all.nth(terms, place) else {
        return;
    };
    let sort = terms.sort(old.term);
    let new = (place + 1..place + all.len())
        .filter_map(|other| all.nth(terms, other % all.len()))
        .find(|other| other.term != old.term && terms.sort(other.term) == sort)
        .map_or(old.term, |other| other.term);
    let mut changed = script.clone();
    let mut at = 0;
    changed.map_roots(|root| {
        at += 1;
        if at - 1 != old.root {
            return root;
        }
        terms.replace_at(root, &old.path, new).unwrap_or(root)
    });
    render::script_to(terms, &changed, Sharing::Auto, out);
    terms.release(mark);
}
