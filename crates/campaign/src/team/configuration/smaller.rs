//! Smaller configurations: with fewer options, shorter chains of tactics and simplifiers.

/// Options that ask less: without one of them, then with less of one of them.
pub fn smaller_options(options: &[String]) -> Vec<Vec<String>> {
    let without = |place: usize| {
        let mut fewer = options.to_vec();
        fewer.remove(place);
        fewer
    };
    let mut all: Vec<Vec<String>> = (0..options.len()).map(without).collect();
    for (place, option) in options.iter().enumerate() {
        for less in smaller_command(option) {
            let mut smaller = options.to_vec();
            smaller[place] = less;
            all.push(smaller);
        }
    }
    all
}

/// A command with one list of tactics replaced by one of them, or without one of them.
fn smaller_command(command: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut opened: Vec<usize> = Vec::new();
    for (at, c) in command.char_indices() {
        match c {
            '(' => opened.push(at),
            ')' => {
                let Some(start) = opened.pop().filter(|start| *start > 0) else {
                    continue;
                };
                let inner = parts(&command[start + 1..at]);
                let around =
                    |text: &str| format!("{}{text}{}", &command[..start], &command[at + 1..]);
                let Some((head, rest)) = inner.split_first() else {
                    continue;
                };
                if !["then", "or-else", "par-or", "using-params"].contains(head) {
                    continue;
                }
                let tactics = if *head == "using-params" {
                    &rest[..1]
                } else {
                    rest
                };
                all.extend(tactics.iter().rev().map(|tactic| around(tactic)));
                if rest.len() > 2 && *head != "using-params" {
                    for place in 0..rest.len() {
                        let mut kept = inner.clone();
                        kept.remove(place + 1);
                        all.push(around(&format!("({})", kept.join(" "))));
                    }
                }
            }
            _ => {}
        }
    }
    all
}

/// The words and lists of a text, on its top level.
fn parts(text: &str) -> Vec<&str> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => {
                all.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[start..]);
    all.retain(|part| !part.is_empty());
    all
}
