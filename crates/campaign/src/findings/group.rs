//! Groups findings that are most likely one bug: the same crash site, the same reduced shape up to names and
//! constants, the same releases and options that show it, or one broken operator.

use crate::findings::broken::kind_of;
use crate::findings::finding::Finding;
use crate::findings::history::History;
use crate::judge::fingerprint::Kind;
use crate::judge::shape::{shape, special_operators};
use auspex_cases::Class;
use auspex_logic::read_script;
use std::collections::{HashMap, HashSet};

/// A finding with its history.
#[derive(Clone, Debug)]
pub struct FindingRecord {
    pub finding: Finding,
    pub history: History,
    /// The number of duplicates.
    pub repeats: u64,
}

/// One bug, its smallest finding first.
#[derive(Clone, Debug)]
pub struct Group {
    pub members: Vec<FindingRecord>,
}

impl Group {
    /// The finding to show: the smallest.
    pub fn first(&self) -> &FindingRecord {
        &self.members[0]
    }

    /// Every finding as a separate bug.
    pub fn alone(self) -> Vec<Group> {
        let single = |member| Group {
            members: vec![member],
        };
        self.members.into_iter().map(single).collect()
    }

    /// How often the bug occurred in all.
    pub fn seen(&self) -> u64 {
        self.members.iter().map(|m| m.repeats + 1).sum()
    }

    /// The profile name of the wrong solver.
    pub fn solver(&self) -> &str {
        accused_name(&self.first().finding)
    }

    /// The release in which a recheck found it fixed.
    pub fn fixed_in(&self) -> Option<&str> {
        self.members.iter().find_map(|m| m.history.fixed_in())
    }

    /// Why no report is needed, if a person said so.
    pub fn known(&self) -> Option<&str> {
        self.members.iter().find_map(|m| m.history.known.as_deref())
    }
}

/// The name of the profile of the first accused.
pub fn accused_name(finding: &Finding) -> &str {
    let Some(title) = finding.accused.first() else {
        return "";
    };
    let reply = finding.replies.iter().find(|reply| reply.title == *title);
    reply.map_or_else(
        || title.split_whitespace().next().unwrap_or(""),
        |reply| &reply.solver,
    )
}

/// Groups findings by bug; the gravest class first, then the smallest script.
pub fn groups(exhibits: Vec<FindingRecord>) -> Vec<Group> {
    let mut place_of_key: HashMap<String, usize> = HashMap::new();
    let mut parents: Vec<usize> = (0..exhibits.len()).collect();
    let reduced: Vec<Option<Reduced>> = exhibits.iter().map(Reduced::of).collect();
    let broken: HashSet<String> = reduced
        .iter()
        .flatten()
        .filter_map(|one| one.kind.alone(&one.operators))
        .collect();
    for (at, exhibit) in exhibits.iter().enumerate() {
        for key in keys(exhibit, reduced[at].as_ref(), &broken) {
            let other = *place_of_key.entry(key).or_insert(at);
            let (a, b) = (root(&parents, at), root(&parents, other));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut by_root: HashMap<usize, Vec<FindingRecord>> = HashMap::new();
    for (at, exhibit) in exhibits.into_iter().enumerate() {
        by_root.entry(root(&parents, at)).or_default().push(exhibit);
    }
    let mut all: Vec<Group> = by_root.into_values().map(sorted).collect();
    all.sort_by_cached_key(|group| order(group.first()));
    all
}

fn root(parents: &[usize], mut at: usize) -> usize {
    while parents[at] != at {
        at = parents[at];
    }
    at
}

fn sorted(mut members: Vec<FindingRecord>) -> Group {
    members.sort_by_cached_key(order);
    Group { members }
}

fn order(exhibit: &FindingRecord) -> (Class, usize, String) {
    let finding = &exhibit.finding;
    (finding.class, finding.shown().len(), finding.id.to_string())
}

/// The keys from the reduced script of a wrong answer, model or core.
struct Reduced {
    kind: Kind,
    shape: String,
    /// The operators of theories other than the core.
    operators: Vec<String>,
}

impl Reduced {
    fn of(exhibit: &FindingRecord) -> Option<Reduced> {
        let finding = &exhibit.finding;
        let text = finding.reduced.as_ref()?;
        let mut terms = finding.terms();
        let script = read_script(&mut terms, text).ok()?.script;
        Some(Reduced {
            kind: kind_of(finding),
            shape: shape(&terms, &script),
            operators: special_operators(&terms, &script),
        })
    }
}

/// The keys of a finding; findings that share a key are one bug.
fn keys(
    exhibit: &FindingRecord,
    reduced: Option<&Reduced>,
    broken: &HashSet<String>,
) -> Vec<String> {
    let finding = &exhibit.finding;
    let mut keys = vec![
        format!("fingerprint {}", finding.fingerprint),
        format!("name {}", finding.id),
    ];
    // The campaign has found already that it is the same bug as another.
    keys.extend(finding.same_as.iter().map(|id| format!("name {id}")));
    match (finding.class, reduced) {
        // The bucket of a crash is its site, and that of a finding that is not a bug its reason.
        (class, _) if class == Class::Crash || !class.is_bug() => {
            keys.push(format!("place {}", finding.bucket))
        }
        (_, Some(reduced)) => {
            keys.push(format!("shape {} {}", reduced.kind.name(), reduced.shape));
            // With two broken operators it is unclear which one is to blame.
            let all = reduced.operators.iter().map(|name| reduced.kind.key(name));
            let mut known = all.filter(|key| broken.contains(key));
            if let (Some(one), None) = (known.next(), known.next()) {
                keys.push(one);
            }
        }
        (_, None) => {}
    }
    let toggle = exhibit.history.releases.as_ref().and_then(|r| r.toggle());
    if let Some(toggle) = toggle {
        keys.push(format!("toggle {} {toggle}", finding.bucket));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;
    use crate::findings::history::Releases;

    fn exhibit(fingerprint: &str, reduced: Option<&str>) -> FindingRecord {
        let mut finding = sample(fingerprint);
        finding.reduced = reduced.map(str::to_string);
        FindingRecord {
            finding,
            history: History::default(),
            repeats: 1,
        }
    }

    #[test]
    fn one_reduced_shape_is_one_bug_and_the_smallest_speaks_for_it() {
        let all = vec![
            exhibit(
                "a",
                Some("(declare-const xx Int)(assert (< xx 10))(check-sat)"),
            ),
            exhibit(
                "b",
                Some("(declare-const y Int)(assert (< y 1))(check-sat)"),
            ),
            exhibit(
                "c",
                Some("(declare-const y Int)(assert (> y 1))(check-sat)"),
            ),
        ];
        let found = groups(all);
        let ids: Vec<Vec<&str>> = found
            .iter()
            .map(|g| {
                let ids = g.members.iter().map(|m| m.finding.fingerprint.as_str());
                ids.collect()
            })
            .collect();
        assert_eq!(ids, [vec!["b", "a"], vec!["c"]]);
        assert_eq!(found[0].seen(), 4);
    }

    #[test]
    fn an_operator_that_is_wrong_by_itself_explains_larger_scripts_with_it() {
        let script = |body: &str| format!("(declare-const s String)(assert {body})(check-sat)");
        let alone = script("(= (str.to_code s) 5)");
        let larger = script("(not (= (str.len (str.++ s s)) (str.to_code s)))");
        let other = script("(= (str.len (str.++ s s)) (str.to_int s))");
        let found = groups(vec![
            exhibit("a", Some(&alone)),
            exhibit("b", Some(&larger)),
            exhibit("c", Some(&other)),
        ]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].members.len(), 2);
        let apart = groups(vec![
            exhibit("b", Some(&larger)),
            exhibit("c", Some(&other)),
        ]);
        assert_eq!(apart.len(), 2, "no operator is wrong by itself");
    }

    #[test]
    fn crashes_at_one_place_are_one_bug_and_unreduced_answers_are_not() {
        let mut all = vec![exhibit("a", None), exhibit("b", None)];
        assert_eq!(groups(all.clone()).len(), 2);
        for one in &mut all {
            one.finding.class = Class::Crash;
            one.finding.bucket = "crash z3 a.cpp:1".to_string();
        }
        assert_eq!(groups(all).len(), 1);
    }

    #[test]
    fn what_comes_and_goes_together_is_one_bug() {
        let mut all = vec![exhibit("a", None), exhibit("b", None)];
        for one in &mut all {
            one.history.releases = Some(Releases {
                right_with: vec!["x=false".to_string()],
                ..Releases::default()
            });
        }
        assert_eq!(groups(all).len(), 1);
    }
}
