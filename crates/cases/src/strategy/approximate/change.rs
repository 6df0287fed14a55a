//! Changes one place by a rule or an injected formula, so that it becomes weaker or stronger.

use super::Changes;
use super::supply::SiteSupply;
use crate::rules::{Order, Rule, Side, Source, Supply, rule_index};
use auspex_logic::{Sort, TermId, Terms};

/// How many rules are tried at one place before a formula is injected; most do not match, which is a quick test.
const RULES_TRIED: usize = 12;

/// A replacement for a site, and the name of the rule.
pub fn changed(
    terms: &mut Terms,
    changes: Changes,
    supply: &mut SiteSupply<'_>,
) -> Option<(TermId, &'static str)> {
    match changes {
        Changes::Any => ruled(terms, supply, |_| true).or_else(|| injected(terms, supply)),
        Changes::Rules => ruled(terms, supply, |rule| !injects(rule)),
        Changes::Formulas => injected(terms, supply),
        Changes::Paper if supply.draw.coin() => injected(terms, supply),
        Changes::Paper => ruled(terms, supply, is_of_table).or_else(|| injected(terms, supply)),
    }
}

/// Whether a rule inserts a grown formula, or removes one.
fn injects(rule: &Rule) -> bool {
    rule.injects(Side::Lesser) || rule.injects(Side::Greater)
}

/// Whether a rule is in the paper's Table 2, as printed or corrected.
fn is_of_table(rule: &Rule) -> bool {
    matches!(rule.source, Source::Sparrow | Source::SparrowCorrected) && !injects(rule)
}

fn ruled(
    terms: &mut Terms,
    supply: &mut SiteSupply<'_>,
    may: impl Fn(&Rule) -> bool,
) -> Option<(TermId, &'static str)> {
    let (rules, site) = (rule_index(), supply.site);
    let special = rules.for_root(terms, site.term, site.order, site.side);
    let general = rules.anywhere(site.order, site.side);
    for _ in 0..RULES_TRIED {
        let from = match special.is_empty() || supply.draw.one_in(4) {
            true => general,
            false => special,
        };
        let Some(number) = supply.draw.pick(from) else {
            continue;
        };
        let rule = rules.rule(*number);
        if !may(rule) || rule.forgets(site.side) && !supply.draw.one_in(8) {
            continue;
        }
        if let Some(new) = rule.apply(terms, site.term, site.side, supply) {
            return Some((new, &rule.name));
        }
    }
    None
}

/// Live predicate injection, which is possible even around unknown terms.
fn injected(terms: &mut Terms, supply: &mut SiteSupply<'_>) -> Option<(TermId, &'static str)> {
    let site = supply.site;
    if site.order != Order::Truth {
        return None;
    }
    let formula = supply.term(terms, Sort::BOOL)?;
    let (connective, name) = match site.side {
        Side::Lesser => ("or", "inject-or"),
        Side::Greater => ("and", "inject-and"),
    };
    Some((terms.app(connective, &[site.term, formula]).ok()?, name))
}
