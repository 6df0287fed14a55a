//! Groups findings that are most likely one bug: the same crash site, the same reduced shape up to names and
//! constants, the same releases and options that show it, or one broken operator. A bug that has an entry in a file
//! or database of bugs keeps its name there, and its lookalikes join it.

use crate::findings::bug::{BugEntry, BugState};
use crate::findings::bug_file::Bugs;
use crate::findings::finding::Finding;
use crate::findings::history::History;
use crate::findings::trigger::kind_of;
use crate::judge::fingerprint::Kind;
use crate::judge::shape::{shape, special_operators};
use crate::stable;
use crate::team::case_profile::features;
use auspex_cases::Class;
use auspex_logic::{Theory, read_script};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A finding with its history.
#[derive(Clone, Debug)]
pub struct FindingRecord {
    pub finding: Finding,
    pub history: History,
    /// The number of duplicates.
    pub repeats: u64,
}

/// One bug, its smallest finding first.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub members: Vec<FindingRecord>,
    /// Its name and entry, if it has one.
    pub entry: Option<(String, BugEntry)>,
    /// What its findings are recognised by, the most specific first.
    pub keys: Vec<String>,
}

impl Group {
    /// The name of the bug: that of its entry, else that of the finding that was found first.
    pub fn id(&self) -> &str {
        let oldest = || {
            let findings = self.members.iter().map(|member| &member.finding);
            findings.min_by_key(|finding| (finding.found, finding.id.as_str()))
        };
        match &self.entry {
            Some((id, _)) => id,
            None => oldest().map_or("", |finding| finding.id.as_str()),
        }
    }

    pub fn state(&self) -> BugState {
        match &self.entry {
            Some((_, entry)) => entry.state,
            None if self.known().is_some() => BugState::Reported,
            None => BugState::Open,
        }
    }

    /// The state with what belongs to it; empty for an open bug without a history.
    pub fn state_line(&self) -> String {
        match (&self.entry, self.known()) {
            (Some((_, entry)), _) => entry.line(),
            (None, Some(why)) => format!("reported {why}"),
            (None, None) => BugState::Open.word().to_string(),
        }
    }

    /// The entry as it is, or as it would be written now.
    pub fn entry_or_new(&self, title: &str) -> BugEntry {
        let finding = &self.first().finding;
        let new = || BugEntry {
            title: title.to_string(),
            class: finding.class.name().to_string(),
            solver: self.solver().to_string(),
            theories: self
                .theories()
                .iter()
                .map(|name| name.to_string())
                .collect(),
            state: self.state(),
            link: self.known().map(str::to_string),
            ..BugEntry::default()
        };
        let mut entry = self
            .entry
            .as_ref()
            .map_or_else(new, |(_, entry)| entry.clone());
        entry.learn(&self.keys, &self.wrong_titles());
        // Operators of a user's own file are not known where the script is read.
        if let (Some(reduced), None) = (&finding.reduced, &finding.signature) {
            entry.keep_script(reduced, &finding.options_of_accused());
        }
        entry
    }

    /// Releases and options that were seen to be wrong.
    pub fn wrong_titles(&self) -> Vec<String> {
        let findings = self.members.iter().map(|member| &member.finding);
        let titles: BTreeSet<&String> = findings.flat_map(|finding| &finding.accused).collect();
        titles.into_iter().cloned().collect()
    }

    /// The theories of its smallest script, without the core.
    pub fn theories(&self) -> Vec<&'static str> {
        let finding = &self.first().finding;
        let mut terms = finding.terms();
        let script = read_script(&mut terms, finding.shown());
        script.map_or_else(
            |_| Vec::new(),
            |reading| {
                features(&terms, &reading.script)
                    .theories
                    .without(Theory::Core)
                    .names()
            },
        )
    }

    /// The finding to show: the smallest.
    pub fn first(&self) -> &FindingRecord {
        &self.members[0]
    }

    /// Every finding as a separate bug.
    pub fn alone(self) -> Vec<Group> {
        let (entry, keys) = (self.entry, self.keys);
        let single = |member| Group {
            members: vec![member],
            entry: entry.clone(),
            keys: keys.clone(),
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
    groups_among(exhibits, &Bugs::default())
}

/// The same, where some bugs are known by name: their lookalikes join them.
pub fn groups_among(exhibits: Vec<FindingRecord>, bugs: &Bugs) -> Vec<Group> {
    let reduced: Vec<Option<Reduced>> = exhibits.iter().map(Reduced::of).collect();
    let alone = reduced.iter().flatten();
    let mut broken: HashSet<String> = alone
        .filter_map(|one| one.kind.alone(&one.operators))
        .collect();
    broken.extend(
        bugs.bugs
            .values()
            .flat_map(|entry| entry.keys.iter().cloned()),
    );
    let keyed = exhibits.iter().zip(&reduced);
    let keys: Vec<Vec<String>> = keyed
        .map(|(exhibit, reduced)| keys(exhibit, reduced.as_ref(), &broken))
        .collect();
    let mut by_bug: BTreeMap<(Option<&str>, usize), Vec<usize>> = BTreeMap::new();
    for component in components(&keys) {
        let known = |at: &usize| entry_of(&exhibits[*at].finding.id, &keys[*at], bugs);
        let own: Vec<Option<&str>> = component.iter().map(known).collect();
        let first = own.iter().flatten().min().copied();
        for (at, own) in component.iter().zip(&own) {
            // Several bugs that people tell apart are never joined.
            let bug = own.or(first);
            let place = (bug, if bug.is_some() { 0 } else { component[0] });
            by_bug.entry(place).or_default().push(*at);
        }
    }
    let mut exhibits: Vec<Option<FindingRecord>> = exhibits.into_iter().map(Some).collect();
    let mut all: Vec<Group> = Vec::new();
    for ((bug, _), places) in by_bug {
        let members = places.iter().filter_map(|at| exhibits[*at].take());
        let own = places.iter().flat_map(|at| &keys[*at]);
        all.push(Group {
            keys: distinct(own),
            entry: bug.and_then(|id| Some((id.to_string(), bugs.bugs.get(id)?.clone()))),
            ..sorted(members.collect())
        });
    }
    all.sort_by_cached_key(|group| order(group.first()));
    all
}

/// The entry of a finding: by its name, else by the most specific key; a duplicate belongs to its original.
fn entry_of<'b>(id: &str, keys: &[String], bugs: &'b Bugs) -> Option<&'b str> {
    let named = bugs.bugs.get_key_value(id).map(|(id, _)| id.as_str());
    let found = named.or_else(|| bugs.with_keys(keys).first().copied())?;
    Some(bugs.original(found))
}

/// The positions of findings that share a key with each other, directly or through others.
fn components(keys: &[Vec<String>]) -> Vec<Vec<usize>> {
    let mut place_of_key: HashMap<&str, usize> = HashMap::new();
    let mut parents: Vec<usize> = (0..keys.len()).collect();
    for (at, own) in keys.iter().enumerate() {
        for key in own {
            let other = *place_of_key.entry(key).or_insert(at);
            let (a, b) = (root(&parents, at), root(&parents, other));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut by_root: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..keys.len() {
        by_root.entry(root(&parents, at)).or_default().push(at);
    }
    by_root.into_values().collect()
}

/// Keys without repetitions, in their order.
fn distinct<'k>(keys: impl Iterator<Item = &'k String>) -> Vec<String> {
    let mut seen = HashSet::new();
    keys.filter(|key| seen.insert(key.as_str()))
        .cloned()
        .collect()
}

fn root(parents: &[usize], mut at: usize) -> usize {
    while parents[at] != at {
        at = parents[at];
    }
    at
}

fn sorted(mut members: Vec<FindingRecord>) -> Group {
    members.sort_by_cached_key(order);
    Group {
        members,
        ..Group::default()
    }
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

/// The keys of a finding, the most specific first; findings that share a key are one bug. They are texts that mean the
/// same on every machine: hashes of what the script and the verdict are, and operators by name.
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
            keys.push(format!("place {}", stable::name(&[&finding.bucket])))
        }
        (_, Some(reduced)) => {
            let shape = stable::name(&[reduced.kind.name(), &reduced.shape]);
            keys.push(format!("shape {shape}"));
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
        keys.push(format!(
            "toggle {}",
            stable::name(&[&finding.bucket, &toggle])
        ));
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
