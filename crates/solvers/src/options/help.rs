//! A help text as programs of the CVC family print it: lines that begin with `--name`, and `[*]` where `--no-name`
//! exists as well. Only such switches are read: a help text names the values of no other option.

use super::{Domain, Parameter, tier_in};
use crate::profile::Tier;

pub(super) fn read(text: &str) -> Vec<Parameter> {
    let mut all: Vec<Parameter> = Vec::new();
    let mut rows: Vec<String> = Vec::new();
    for line in text.lines() {
        let continues = line.starts_with("      ") && !line.trim_start().starts_with('-');
        match rows.last_mut() {
            Some(row) if continues => {
                row.push(' ');
                row.push_str(line.trim());
            }
            _ => rows.push(line.trim().to_string()),
        }
    }
    for row in rows {
        all.extend(switch(&row).filter(|one| !all.iter().any(|known| known.name == one.name)));
    }
    all
}

fn switch(row: &str) -> Option<Parameter> {
    let at = row.find("--")?;
    // An option of one letter may stand before the long name.
    let before = row[..at].trim();
    if !(before.is_empty() || (before.len() <= 4 && before.starts_with('-'))) {
        return None;
    }
    let (name, means) = row[at + 2..].split_once(' ')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let means = means.trim();
    let is_switch = means.ends_with("[*]");
    if !is_switch || name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let means = means.trim_end_matches("[*]").trim();
    Some(Parameter {
        name: name.to_string(),
        domain: Domain::Boolean,
        default: String::new(),
        tier: tier_in(means, Tier::Advanced),
        category: String::new(),
        means: means.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_read_and_nothing_else() {
        let text = "usage: cvc5 [options] [input-file]

Most commonly-used cvc5 options:
  -i | --incremental       enable incremental solving [*]
  --bv-solver=MODE         choose bit-vector solver, see --bv-solver=help
  --cegqi-bv               use word-level inversion approach
                           for bit-vectors [*]
  -V | --version           identify this cvc5 binary

[*] Each of these options has a --no-OPTIONNAME variant, which reverses the sense of the option.
";
        let names: Vec<String> = read(text).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["incremental", "cegqi-bv"]);
        assert_eq!(
            read(text)[1].means,
            "use word-level inversion approach for bit-vectors"
        );
    }
}
