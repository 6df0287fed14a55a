//! Broken operators: once a finding has been reduced to one operator, other wrong answers with it are most likely the
//! same bug, and need not all be confirmed and reduced.

use crate::findings::finding::Finding;
use crate::findings::group::accused_name;
use crate::judge::fingerprint::Identity;
use crate::judge::fingerprint::Kind;
use crate::judge::shape::special_operators;
use auspex_cases::Class;
use auspex_logic::read_script;
use std::collections::HashMap;

/// How many more findings with a broken operator are followed up; later only ever rarer ones, since another bug may
/// hide behind the first.
const LOOKED_AT: u32 = 4;

/// The broken operators of a campaign, and how often each occurred since.
#[derive(Debug, Default)]
pub struct Broken {
    met: HashMap<String, u32>,
}

impl Broken {
    /// Learns from a reduced finding that is not a crash.
    pub fn learn(&mut self, finding: &Finding) {
        if let Some(key) = broken_operator(finding) {
            self.met.entry(key).or_default();
        }
    }

    /// Whether an unconfirmed verdict is most likely a known bug.
    pub fn explains(&mut self, identity: &Identity) -> bool {
        let mut explained = false;
        for key in &identity.operators {
            if let Some(met) = self.met.get_mut(key) {
                *met = met.saturating_add(1);
                explained |= *met > LOOKED_AT && !met.is_power_of_two();
            }
        }
        explained
    }
}

/// The kind within which findings are compared.
pub fn kind_of(finding: &Finding) -> Kind {
    Kind::new(finding.class, accused_name(finding))
}

fn broken_operator(finding: &Finding) -> Option<String> {
    if finding.class == Class::Crash {
        return None;
    }
    let mut terms = finding.terms();
    let script = read_script(&mut terms, finding.reduced.as_ref()?)
        .ok()?
        .script;
    kind_of(finding).alone(&special_operators(&terms, &script))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;

    fn identity(operators: &[&str], finding: &Finding) -> Identity {
        let kind = kind_of(finding);
        Identity {
            class: finding.class,
            fingerprint: String::new(),
            bucket: String::new(),
            operators: operators.iter().map(|name| kind.key(name)).collect(),
        }
    }

    #[test]
    fn more_of_a_broken_operator_is_looked_at_ever_less_often() {
        let mut finding = sample("f");
        let text = "(declare-const s String)(assert (= (str.to_code s) 5))(check-sat)";
        finding.reduced = Some(text.to_string());
        let mut broken = Broken::default();
        broken.learn(&finding);
        let with = identity(&["str.to_code 1", "str.len 1"], &finding);
        let looked_at = (0..1000).filter(|_| !broken.explains(&with)).count();
        assert!((4..20).contains(&looked_at), "{looked_at}");
        let without = identity(&["str.len 1"], &finding);
        assert!((0..1000).all(|_| !broken.explains(&without)));
    }

    #[test]
    fn two_operators_may_be_wrong_only_together() {
        let mut finding = sample("f");
        let text = "(declare-const s String)(assert (= (str.to_code s) (str.len s)))(check-sat)";
        finding.reduced = Some(text.to_string());
        let mut broken = Broken::default();
        broken.learn(&finding);
        let with = identity(&["str.to_code 1", "str.len 1"], &finding);
        assert!((0..1000).all(|_| !broken.explains(&with)));
    }
}
