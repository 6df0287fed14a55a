//! Variants of a script that more than one step of a campaign needs.

use auspex_logic::{Assertion, Command, Script, Terms};

/// A script with those of its assertions that stand at these positions.
pub fn with_assertions(script: &Script, places: &[usize]) -> Script {
    let mut number = 0;
    let mut commands = script.commands.clone();
    commands.retain(|command| {
        let is_assertion = matches!(command, Command::Assert(_));
        number += usize::from(is_assertion);
        !is_assertion || places.contains(&(number - 1))
    });
    Script {
        commands,
        spans: Vec::new(),
    }
}

/// The same script after one `push`, as a live session asks it.
pub fn pushed(mut script: Script) -> Script {
    let is_header = |command: &Command| {
        matches!(
            command,
            Command::SetLogic(_) | Command::SetOption(..) | Command::SetInfo(..)
        )
    };
    let header = script.commands.iter().take_while(|c| is_header(c)).count();
    script.commands.insert(header, Command::Push(1));
    script
}

/// The same script with a name for every assertion that has none.
pub fn named_assertions(terms: &mut Terms, script: &Script) -> Script {
    let mut named = script.clone();
    named.spans.clear();
    let mut number = 0;
    for command in &mut named.commands {
        if let Command::Assert(Assertion { name, .. }) = command {
            if name.is_none() {
                *name = Some(terms.symbols.intern(&format!("auspex!{number}")));
            }
            number += 1;
        }
    }
    named
}

/// The same script without names of assertions.
pub fn without_names(script: &Script) -> Script {
    let mut plain = script.clone();
    for command in &mut plain.commands {
        if let Command::Assert(assertion) = command {
            assertion.name = None;
        }
    }
    plain
}
