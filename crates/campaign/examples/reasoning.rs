//! Judges what solvers show of their reasoning on seeds: how many lemmas and steps are settled in which way, and
//! whether altered ones are caught.
//!
//! `cargo run -p auspex-campaign --example reasoning -- census|lies lemmas|cpc|alethe|z3 COUNT SEED…`
//!
//! `census` counts; `lies` alters each lemma or step in one place (a number, a polarity, a conclusion) and judges it
//! again. COUNT limits the lemmas or steps.

use auspex_campaign::judge::examine::case_of;
use auspex_campaign::judge::steps::{Asking, Outcome, ask};
use auspex_cases::Draw;
use auspex_cases::answers::{Asked, lemma, proof};
use auspex_cases::proofs::steps::{Effort, Verdict};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Script, Terms, read_script};
use auspex_solvers::{Catalog, Limits, Query, Session, Solver};
use std::collections::BTreeMap;
use std::time::Duration;

/// What is counted, by words.
type Counts = BTreeMap<String, usize>;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [how, what, count, files @ ..] = &words[..] else {
        eprintln!("census|lies lemmas|cpc|alethe|z3 COUNT SEED…");
        return;
    };
    let most: usize = count.parse().expect("a number");
    let catalog = Catalog::of_user().expect("a catalog");
    let found = |name: &str| catalog.find(name).expect("an installed solver").solver;
    let mut accused = match &**what {
        "z3" => found("z3@5.4.0"),
        _ => found("cvc5@1.4.2+plain"),
    };
    if what == "alethe" {
        accused = accused.with_options(&["--proof-format-mode=alethe".to_string()]);
    }
    let other = match &**what {
        "z3" => found("cvc5@1.4.2+plain"),
        _ => found("z3@5.4.0"),
    };
    let limits = Limits {
        wall: Duration::from_secs(3),
        ..Limits::default()
    };
    let mut work = Work {
        lies: how == "lies",
        lemmas: what == "lemmas",
        other,
        limits,
        counts: Counts::new(),
        done: 0,
    };
    let mut read = 0;
    for file in files {
        if work.done >= most {
            break;
        }
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        read += usize::from(work.file(file, &text, &accused).is_some());
    }
    println!(
        "{read} seeds with an answer of this kind, {} judged",
        work.done
    );
    for (word, count) in &work.counts {
        println!("{count:>8}  {word}");
    }
}

struct Work {
    lies: bool,
    lemmas: bool,
    other: Solver,
    limits: Limits,
    counts: Counts,
    done: usize,
}

impl Work {
    fn count(&mut self, word: impl Into<String>) {
        *self.counts.entry(word.into()).or_default() += 1;
    }

    fn file(&mut self, name: &str, text: &str, accused: &Solver) -> Option<()> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).ok()?.script;
        let script = case_of(script, &terms).script;
        let script = match self.lemmas {
            true => lemma::narrated(&mut terms, &script, "cvc5")?,
            false => proof::with_proof(&mut terms, &script),
        };
        let text = render::script(&terms, &script, Sharing::Auto);
        let run = Session::start(accused, &self.limits)
            .ask(&Query::new(&text))
            .ok()?;
        let replies = auspex_cases::answers::replies(&terms, &script, &run.said);
        let reply = replies.last().filter(|reply| !reply.said.is_empty())?;
        let is_unsat = matches!(run.answers.last(), Some(Answer::Unsat { .. }));
        if !self.lemmas && !is_unsat {
            return None;
        }
        let place = Place {
            name,
            script: &script,
            command: reply.command,
        };
        match (self.lemmas, self.lies) {
            (true, false) => self.lemmas(&mut terms, place, &reply.said),
            (true, true) => self.lemma_lies(&mut terms, place, &reply.said),
            (false, false) => self.steps(&mut terms, place, &reply.said),
            (false, true) => self.step_lies(&mut terms, place, &reply.said),
        }
        Some(())
    }

    fn lemmas(&mut self, terms: &mut Terms, place: Place<'_>, said: &str) {
        for one in place.lemmas(terms, said) {
            if one.state == lemma::State::Wrong {
                println!("WRONG {} {}", place.name, one.source);
            }
            self.count(one.state.word());
            self.done += 1;
        }
    }

    fn lemma_lies(&mut self, terms: &mut Terms, place: Place<'_>, said: &str) {
        for (number, line) in said.lines().enumerate().take(40) {
            let before = place.lemmas(terms, line);
            let is_judged = |one: &lemma::Judged| {
                matches!(one.state, lemma::State::Lemma | lemma::State::Conflict)
            };
            if !before.iter().any(is_judged) {
                continue;
            }
            let mut draw = Draw::new(7, number as u64);
            let Some(lie) = altered(&mut draw, line) else {
                continue;
            };
            self.done += 1;
            let after = place.lemmas(terms, &lie);
            match after.first().map(|one| one.state) {
                Some(lemma::State::Wrong) => self.count("caught by evaluation"),
                Some(state) => self.count(format!("{} after the change", state.word())),
                None => self.count("not read after the change"),
            }
        }
    }

    fn steps(&mut self, terms: &mut Terms, place: Place<'_>, said: &str) {
        let judged = match place.proof(terms, said) {
            Ok(judged) => judged,
            Err(why) => return self.count(format!("proofs not read: {why}")),
        };
        self.count("proofs");
        let other = [self.other.clone()];
        let asking = Asking {
            solvers: &other,
            limits: &self.limits,
            most: 30,
        };
        let asked = ask(terms, place.script, &judged, &asking);
        for (number, verdict) in judged.verdicts.iter().enumerate() {
            self.done += 1;
            let outcome = asked.iter().find(|(step, _)| *step == number);
            let word = match (verdict, outcome.map(|(_, outcome)| outcome)) {
                (_, Some(Outcome::Holds(_))) => "another solver",
                (_, Some(Outcome::Refuted(_))) | (Verdict::Wrong(_), _) => {
                    println!("WRONG {} {}", place.name, judged.claim(terms, number));
                    "WRONG"
                }
                (Verdict::Open, None) => "open, not asked",
                (verdict, _) => verdict.word(),
            };
            self.count(word);
        }
    }

    fn step_lies(&mut self, terms: &mut Terms, place: Place<'_>, said: &str) {
        let Ok(before) = place.proof(terms, said) else {
            return;
        };
        let lines: Vec<&str> = said.lines().collect();
        let steps: Vec<usize> = (0..lines.len())
            .filter(|at| lines[*at].starts_with("(step "))
            .collect();
        let wrong = |all: &proof::Judged| {
            let is_wrong = |verdict: &&Verdict| matches!(verdict, Verdict::Wrong(_));
            all.verdicts.iter().filter(is_wrong).count()
        };
        if wrong(&before) > 0 {
            println!("WRONG before any change: {}", place.name);
        }
        for number in 0..steps.len().min(25) as u64 {
            let mut draw = Draw::new(9, number);
            let at = *draw.pick(&steps).expect("not empty");
            let Some(lie) = altered_step(&mut draw, lines[at]) else {
                continue;
            };
            let mut changed = lines.clone();
            changed[at] = &lie;
            let Ok(after) = place.proof(terms, &changed.join("\n")) else {
                continue;
            };
            self.done += 1;
            let id = lie.split_whitespace().nth(1).unwrap_or("").to_string();
            let own = after.proof.steps.iter().position(|step| step.id == id);
            let own = own.map(|at| after.verdicts[at].word());
            match (wrong(&after) > 0, own) {
                (true, _) => self.count("caught by evaluation"),
                (false, word) => self.count(format!("{} after the change", word.unwrap_or("gone"))),
            }
        }
    }
}

/// Where a reply belongs.
#[derive(Clone, Copy)]
struct Place<'a> {
    name: &'a str,
    script: &'a Script,
    command: usize,
}

impl Place<'_> {
    fn lemmas(&self, terms: &mut Terms, said: &str) -> Vec<lemma::Judged> {
        lemma::judged(&mut self.asked(terms, said)).unwrap_or_default()
    }

    fn proof(&self, terms: &mut Terms, said: &str) -> Result<proof::Judged, String> {
        proof::judged(&mut self.asked(terms, said), Effort::QUICK)
    }

    fn asked<'b>(&'b self, terms: &'b mut Terms, said: &'b str) -> Asked<'b> {
        Asked {
            said,
            ..Asked::new(terms, self.script, self.command)
        }
    }
}

/// A lemma with one number changed, or one comparison turned.
fn altered(draw: &mut Draw, line: &str) -> Option<String> {
    let turned = [
        ("(>= ", "(< "),
        ("(=> ", "(or "),
        ("(not ", "(and "),
        ("(or ", "(and "),
    ];
    let place = line.find(":source")?;
    let (formula, rest) = line.split_at(place);
    match draw.coin() {
        true => other_number(draw, formula).map(|text| text + rest),
        false => {
            let known: Vec<(&str, &str)> = turned
                .into_iter()
                .filter(|(old, _)| formula.contains(old))
                .collect();
            let (old, new) = draw.pick(&known)?;
            Some(formula.replacen(old, new, 1) + rest)
        }
    }
}

/// One number of a text, one larger.
fn other_number(draw: &mut Draw, text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let starts = |at: usize| bytes[at].is_ascii_digit() && at > 0 && matches!(bytes[at - 1], b' ');
    let ends = |at: usize| {
        text[at..]
            .find(|c: char| !c.is_ascii_digit())
            .map(|n| at + n)
    };
    let places: Vec<usize> = (0..bytes.len()).filter(|at| starts(*at)).collect();
    let at = *draw.pick(&places)?;
    let end = ends(at)?;
    let number: u64 = text[at..end].parse().ok()?;
    Some(format!("{}{}{}", &text[..at], number + 1, &text[end..]))
}

/// A step that concludes the opposite.
fn altered_step(draw: &mut Draw, line: &str) -> Option<String> {
    let (before, after) = line.split_once(" :rule ")?;
    let (head, conclusion) = match before.split_once("(cl ") {
        Some((head, literals)) => (format!("{head}(cl "), literals.strip_suffix(')')?),
        None => {
            let mut words = before.splitn(3, ' ');
            let (step, id) = (words.next()?, words.next()?);
            (format!("{step} {id} "), words.next()?)
        }
    };
    let is_clause = head.ends_with("(cl ");
    let changed = match draw.below(3) {
        0 => other_number(draw, conclusion).unwrap_or_else(|| format!("(not {conclusion})")),
        _ => format!("(not {conclusion})"),
    };
    // A clause of several literals has no negation in one literal.
    if is_clause
        && changed.starts_with("(not ")
        && conclusion.contains(' ')
        && !conclusion.starts_with('(')
    {
        return None;
    }
    let close = if is_clause { ")" } else { "" };
    Some(format!("{head}{changed}{close} :rule {after}"))
}
