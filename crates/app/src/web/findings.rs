//! The list of bugs. Filters and search are part of the address, so it works without a script and can be linked.

use super::format::{bytes, segment};
use super::picture::{Bug, Picture};
use super::{Frame, Site, Time, blocking};
use askama::Template;
use auspex_campaign::Finding;
use auspex_campaign::findings::bug::BugState;
use auspex_campaign::findings::group::{FindingRecord, accused_name};
use axum::extract::{Query as Asked, State};
use axum::response::Response;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

const ON_A_PAGE: usize = 50;

/// The filters; anything invalid is ignored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Query {
    pub q: String,
    class: String,
    solver: String,
    strategy: String,
    state: String,
    /// Every finding, not only the smallest of each bug.
    all: String,
    /// What is no bug, instead of bugs.
    other: String,
    page: String,
}

impl Query {
    /// Whether every word occurs in one of the texts, ignoring case.
    pub fn fits(&self, texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        let words = self.q.to_lowercase();
        words
            .split_whitespace()
            .all(|word| texts.iter().any(|text| text.contains(word)))
    }

    fn takes(&self, bug: &Bug, exhibit: &FindingRecord) -> bool {
        let finding = &exhibit.finding;
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        is(&self.class, finding.class.name())
            && is(&self.solver, accused_name(finding))
            && is(&self.strategy, &finding.origin.strategy)
            && self.takes_state(bug)
            && (self.q.is_empty() || self.fits(&texts(finding, &bug.headline)))
    }

    fn takes_state(&self, bug: &Bug) -> bool {
        match self.state.parse::<BugState>() {
            Ok(state) => bug.group.state() == state,
            Err(_) => true,
        }
    }

    /// The same filters for another page.
    fn address(&self, path: &str, page: usize) -> String {
        let fields = [
            ("q", &self.q),
            ("class", &self.class),
            ("solver", &self.solver),
            ("strategy", &self.strategy),
            ("state", &self.state),
            ("all", &self.all),
            ("other", &self.other),
        ];
        let given = fields.iter().filter(|(_, value)| !value.is_empty());
        let fields: String = given
            .map(|(name, value)| format!("{name}={}&", segment(value)))
            .collect();
        format!("{path}?{fields}page={page}")
    }

    fn is_empty(&self) -> bool {
        [
            &self.q,
            &self.class,
            &self.solver,
            &self.strategy,
            &self.state,
        ]
        .iter()
        .all(|f| f.is_empty())
    }
}

/// The texts that are searched.
fn texts<'f>(finding: &'f Finding, headline: &'f str) -> Vec<&'f str> {
    let mut texts = vec![
        headline,
        &finding.id,
        &finding.why,
        &finding.site,
        &finding.bucket,
        finding.shown(),
    ];
    texts.push(&finding.origin.strategy);
    texts.extend(finding.origin.seed.as_deref());
    texts.extend(finding.replies.iter().map(|reply| reply.title.as_str()));
    texts
}

/// The part of a long list that is shown.
pub struct Pages {
    pub number: usize,
    pub count: usize,
    pub total: usize,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl Pages {
    pub fn new(path: &str, query: &Query, total: usize) -> Pages {
        let count = total.div_ceil(ON_A_PAGE).max(1);
        let number = query.page.parse().unwrap_or(1).clamp(1, count);
        Pages {
            number,
            count,
            total,
            before: (number > 1).then(|| query.address(path, number - 1)),
            after: (number < count).then(|| query.address(path, number + 1)),
        }
    }

    pub fn range(&self) -> Range<usize> {
        let from = (self.number - 1) * ON_A_PAGE;
        from..(from + ON_A_PAGE).min(self.total)
    }
}

/// One finding in a list.
pub struct Line {
    pub link: String,
    pub id: String,
    pub class: &'static str,
    pub headline: String,
    /// The decisive assertions.
    pub gist: String,
    pub operators: String,
    pub accused: String,
    pub strategy: String,
    pub size: String,
    pub reduced: bool,
    pub seen: u64,
    pub members: usize,
    pub fixed: Option<String>,
    pub state: &'static str,
    /// The state with what belongs to it.
    pub state_line: String,
    pub found: Time,
}

impl Line {
    /// A bug, by its smallest finding.
    pub fn of_bug(bug: &Bug) -> Line {
        let group = &bug.group;
        Line {
            seen: group.seen(),
            members: group.members.len(),
            fixed: group.fixed_in().map(str::to_string),
            accused: group.wrong_titles().join(", "),
            ..Line::of_member(bug, group.first())
        }
    }

    pub fn of_member(bug: &Bug, exhibit: &FindingRecord) -> Line {
        let finding = &exhibit.finding;
        Line {
            link: format!("/findings/{}", segment(&finding.id)),
            id: finding.id.to_string(),
            class: finding.class.name(),
            headline: bug.headline.clone(),
            gist: bug.gist.clone(),
            operators: bug.operators.join(", "),
            accused: finding.accused.join(", "),
            strategy: finding.origin.strategy.clone(),
            size: bytes(finding.shown().len() as u64),
            reduced: finding.reduced.is_some(),
            seen: exhibit.repeats + 1,
            members: 1,
            fixed: exhibit.history.fixed_in().map(str::to_string),
            state: bug.group.state().word(),
            state_line: bug.group.state_line(),
            found: Time::of(finding.found),
        }
    }
}

/// One choice of a filter, with its number of findings.
struct Choice {
    value: String,
    count: usize,
    chosen: bool,
}

#[derive(Template)]
#[template(path = "findings.html")]
struct Page {
    frame: Frame,
    q: String,
    all: bool,
    /// Whether it lists what is no bug.
    other: bool,
    bugs: usize,
    others: usize,
    filtered: bool,
    menus: Vec<(&'static str, &'static str, Vec<Choice>)>,
    lines: Vec<Line>,
    pages: Pages,
}

pub async fn show(State(site): State<Arc<Site>>, Asked(query): Asked<Query>) -> Response {
    blocking(move || Some(page(&site.picture(), &query))).await
}

fn page(picture: &Picture, query: &Query) -> Page {
    let all = !query.all.is_empty();
    let mut lines = Vec::new();
    let other = !query.other.is_empty();
    let listed = if other {
        &picture.others
    } else {
        &picture.bugs
    };
    for bug in listed.iter() {
        let mut fitting = bug
            .group
            .members
            .iter()
            .filter(|member| query.takes(bug, member))
            .peekable();
        match all {
            true => lines.extend(fitting.map(|member| Line::of_member(bug, member))),
            false => lines.extend(fitting.peek().map(|_| Line::of_bug(bug))),
        }
    }
    let pages = Pages::new("/findings", query, lines.len());
    let range = pages.range();
    Page {
        frame: Frame::new("Findings", "Findings", picture),
        q: query.q.clone(),
        all,
        other,
        bugs: picture.bugs.len(),
        others: picture.others.len(),
        filtered: !query.is_empty(),
        menus: menus(listed, query),
        lines: lines.drain(range).collect(),
        pages,
    }
}

fn menus(listed: &[Bug], query: &Query) -> Vec<(&'static str, &'static str, Vec<Choice>)> {
    let firsts = || listed.iter().map(|bug| &bug.group.first().finding);
    vec![
        (
            "class",
            "class",
            choices(firsts().map(|f| f.class.name()), &query.class),
        ),
        (
            "solver",
            "solver",
            choices(firsts().map(accused_name), &query.solver),
        ),
        (
            "strategy",
            "strategy",
            choices(
                firsts().map(|f| f.origin.strategy.as_str()),
                &query.strategy,
            ),
        ),
        (
            "state",
            "state",
            choices(
                listed.iter().map(|bug| bug.group.state().word()),
                &query.state,
            ),
        ),
    ]
}

fn choices<'w>(words: impl Iterator<Item = &'w str>, chosen: &str) -> Vec<Choice> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words.filter(|word| !word.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    let choice = |(value, count): (&str, usize)| Choice {
        value: value.to_string(),
        count,
        chosen: value == chosen,
    };
    counts.into_iter().map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(q: &str) -> Query {
        Query {
            q: q.to_string(),
            ..Query::default()
        }
    }

    #[test]
    fn every_word_must_be_somewhere() {
        assert!(query("Z3 array").fits(&["z3 4.13.0", "(Array Int Int)"]));
        assert!(!query("z3 string").fits(&["z3 4.13.0", "(Array Int Int)"]));
        assert!(query("").fits(&[]));
    }

    #[test]
    fn pages_stay_within_the_list() {
        for (page, total, range) in [
            ("", 0, 0..0),
            ("9", 60, 50..60),
            ("-1", 60, 0..50),
            ("2", 100, 50..100),
        ] {
            let asked = Query {
                page: page.to_string(),
                ..query("a&b")
            };
            let pages = Pages::new("/findings", &asked, total);
            assert_eq!(pages.range(), range);
        }
        let pages = Pages::new("/findings", &query("a&b"), 60);
        assert_eq!(pages.after.as_deref(), Some("/findings?q=a%26b&page=2"));
        assert_eq!(pages.before, None);
    }
}
