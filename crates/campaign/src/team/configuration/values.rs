//! The values that an option is tried with.

use auspex_cases::Draw;
use auspex_solvers::options::{Domain, Parameter};

/// How much more often an option is tried for its type: another engine changes more than another bound.
pub(super) fn eagerness(domain: &Domain) -> u32 {
    match domain {
        Domain::Choice { .. } => 16,
        Domain::Boolean => 3,
        Domain::Integer { .. } => 2,
        Domain::Real { .. } | Domain::Text => 1,
    }
}

/// A value other than the default.
pub(super) fn value(draw: &mut Draw, parameter: &Parameter) -> Option<String> {
    draw.pick(&values(parameter)).cloned()
}

/// The values other than the default: small and extreme ones for numbers.
pub(in crate::team) fn values(parameter: &Parameter) -> Vec<String> {
    let default = parameter.default.as_str();
    let values: Vec<String> = match &parameter.domain {
        Domain::Boolean => vec!["true".to_string(), "false".to_string()],
        Domain::Choice { values } => values.clone(),
        Domain::Integer { least, most } => {
            let usual = default.parse::<i128>().unwrap_or(*least);
            let near = [
                0,
                1,
                2,
                3,
                10,
                1000,
                1 << 30,
                usual - 1,
                usual + 1,
                usual * 2,
                *least,
                *most,
            ];
            let fit = near
                .into_iter()
                .filter(|value| (least..=most).contains(&value));
            fit.map(|value| value.to_string()).collect()
        }
        Domain::Real { least, most } => {
            let usual = default.parse::<f64>().unwrap_or(1.0);
            let near = [0.0, 0.5, 1.0, usual / 2.0, usual * 2.0, 1000.0];
            let fit = near
                .into_iter()
                .filter(|value| (least..=most).contains(&value));
            fit.map(|value| format!("{value:.3}")).collect()
        }
        Domain::Text => Vec::new(),
    };
    let other = values.into_iter().filter(|value| value != default);
    other.collect()
}
