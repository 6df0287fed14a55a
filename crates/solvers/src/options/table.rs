//! The list that our drivers print for packages without a program: one option a line, in columns between tabs:
//! name, type (`bool`, `int`, `real`, `choice`, `text`), default, category, values (`a,b` or `least..most`), meaning.

use super::{Domain, Parameter, tier_in};
use crate::profile::Tier;

pub(super) fn read(text: &str) -> Vec<Parameter> {
    text.lines().filter_map(parameter).collect()
}

fn parameter(line: &str) -> Option<Parameter> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [name, kind, default, category, values, means] = columns[..] else {
        return None;
    };
    let domain = match kind {
        "bool" => Domain::Boolean,
        "choice" => Domain::Choice {
            values: values.split(',').map(str::to_string).collect(),
        },
        "int" => {
            let (least, most) = bounds(values);
            Domain::Integer {
                least: least.and_then(|text| text.parse().ok()).unwrap_or(0),
                most: most
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(i128::from(u32::MAX)),
            }
        }
        "real" => {
            let (least, most) = bounds(values);
            Domain::Real {
                least: least.and_then(|text| text.parse().ok()).unwrap_or(0.0),
                most: most.and_then(|text| text.parse().ok()).unwrap_or(f64::MAX),
            }
        }
        "text" => Domain::Text,
        _ => return None,
    };
    let tier = match category {
        "expert" => Tier::Advanced,
        "undocumented" => Tier::Unsupported,
        _ => Tier::Normal,
    };
    Some(Parameter {
        name: name.to_string(),
        domain,
        default: default.to_string(),
        tier: tier_in(means, tier),
        category: category.to_string(),
        means: means.to_string(),
    })
}

/// The ends of `0..10`; either may be missing.
fn bounds(values: &str) -> (Option<&str>, Option<&str>) {
    match values.split_once("..") {
        Some((least, most)) => (
            Some(least).filter(|text| !text.is_empty()),
            Some(most).filter(|text| !text.is_empty()),
        ),
        None => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_parameters() {
        let text = "cbqi\tbool\ttrue\tcommon\t\tconflict-based instantiation\n\
                    bv-solver\tchoice\tbitblast\tregular\tbitblast,bitblast-internal\t\n\
                    bvand-integer-granularity\tint\t1\texpert\t1..8\t\n\
                    random-freq\treal\t0.0\texpert\t0.0..1.0\t\n\
                    out\ttext\t\texpert\t\t\n\
                    broken line\n";
        let all = read(text);
        let shown: Vec<String> = all.iter().map(|one| one.domain.shown()).collect();
        assert_eq!(
            shown,
            [
                "Boolean",
                "bitblast | bitblast-internal",
                "integer 1 … 8",
                "real",
                "text"
            ]
        );
        let tiers: Vec<Tier> = all.iter().map(|one| one.tier).collect();
        assert_eq!(
            tiers,
            [
                Tier::Normal,
                Tier::Normal,
                Tier::Advanced,
                Tier::Advanced,
                Tier::Advanced
            ]
        );
    }
}
