//! Findings for other programs: a baseline, JUnit for test reports, SARIF for code scanning.

use crate::findings::finding::Finding;
use crate::judge::fingerprint::BUCKET_LIMIT;
use crate::report::markup::escaped;
use auspex_cases::Class;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Known findings, which do not make a run fail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    pub version: u32,
    pub findings: Vec<Accepted>,
}

/// One accepted finding. Fingerprint and bucket are compared; the rest is for readers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub fingerprint: String,
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub bucket: String,
    #[serde(default)]
    pub why: String,
}

impl Baseline {
    /// Reads a baseline. An empty text is an empty baseline.
    pub fn read(text: &str) -> Result<Baseline, String> {
        if text.trim().is_empty() {
            return Ok(Baseline::default());
        }
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// A baseline of these findings, in a fixed order.
    pub fn of(findings: &[Finding]) -> Baseline {
        let mut all: Vec<Accepted> = findings
            .iter()
            .map(|finding| Accepted {
                fingerprint: finding.fingerprint.clone(),
                id: finding.id.to_string(),
                bucket: finding.bucket.clone(),
                why: finding.why.clone(),
            })
            .collect();
        all.sort_by(|a, b| a.fingerprint.cmp(&b.fingerprint));
        Baseline {
            version: 1,
            findings: all,
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The findings that are not in the baseline. If a bucket reached the number that a campaign stores, all its
    /// findings are accepted.
    pub fn new_among<'f>(&self, findings: &'f [Finding]) -> Vec<&'f Finding> {
        let known: BTreeSet<&str> = self
            .findings
            .iter()
            .map(|f| f.fingerprint.as_str())
            .collect();
        let mut buckets: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &self.findings {
            *buckets.entry(finding.bucket.as_str()).or_default() += 1;
        }
        let floods = |finding: &Finding| {
            let accepted = buckets.get(finding.bucket.as_str());
            accepted.is_some_and(|count| *count >= BUCKET_LIMIT)
        };
        let is_new =
            |finding: &&Finding| !known.contains(finding.fingerprint.as_str()) && !floods(finding);
        findings.iter().filter(is_new).collect()
    }
}

/// A JUnit report: one failed test per finding, one passed test if there is none.
pub fn junit(findings: &[&Finding], cases: u64, seconds: f64) -> String {
    let tests = findings.len().max(1);
    let failures = findings.len();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\
         <testsuite name=\"auspex\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" time=\"{seconds:.3}\">\n"
    );
    if findings.is_empty() {
        out.push_str(&format!(
            "<testcase classname=\"auspex\" name=\"{cases} cases without a new finding\"/>\n"
        ));
    }
    for finding in findings {
        out.push_str(&format!(
            "<testcase classname=\"auspex.{}\" name=\"{}\">\n<failure message=\"{}\">{}</failure>\n</testcase>\n",
            finding.class.name(),
            escaped(&finding.id),
            escaped(&finding.why),
            escaped(&format!("{}\n\nauspex replay '{}'\n", finding.shown(), finding.replay))
        ));
    }
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

/// A SARIF 2.1.0 log. Paths are relative to the campaign's folder.
pub fn sarif(findings: &[&Finding], release: &str) -> String {
    let rules: Vec<Value> = Class::ALL
        .iter()
        .map(|class| {
            json!({
                "id": class.name(),
                "shortDescription": { "text": description(*class) },
            })
        })
        .collect();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "auspex", "version": release, "rules": rules } },
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn result(finding: &Finding) -> Value {
    let level = match finding.class {
        Class::WrongUnsat
        | Class::WrongSat
        | Class::InvalidModel
        | Class::WrongCore
        | Class::Wrong(_)
        | Class::SelfContradiction
        | Class::Crash => "error",
        Class::Disagreement => "warning",
        Class::Incompleteness | Class::Slowness => "note",
    };
    let file = match finding.reduced {
        Some(_) => "reduced.smt2",
        None => "script.smt2",
    };
    json!({
        "ruleId": finding.class.name(),
        "level": level,
        "message": { "text": finding.why },
        "partialFingerprints": { "auspex/v1": finding.fingerprint },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": format!("findings/{}/{file}", finding.id) },
                "region": { "startLine": 1 },
            },
        }],
    })
}

fn description(class: Class) -> &'static str {
    match class {
        Class::WrongUnsat => "The solver answers unsat to a satisfiable script",
        Class::WrongSat => "The solver answers sat to an unsatisfiable script",
        Class::InvalidModel => "The solver's model makes an assertion false",
        Class::WrongCore => "The solver's unsatisfiable core is satisfiable",
        Class::Wrong(_) => "The solver's reply to a question claims what does not hold",
        Class::SelfContradiction => {
            "Two answers of the solver exclude each other, so one of them is wrong"
        }
        Class::Crash => "The solver ends with a signal, a failed assertion or an internal error",
        Class::Disagreement => "Solvers contradict each other",
        Class::Incompleteness => {
            "The solver answers unknown to a decidable script, and not because of a limit"
        }
        Class::Slowness => {
            "The solver needs the whole time limit for a script that another solver answers at once"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;

    #[test]
    fn only_what_is_not_accepted_is_new() {
        let (old, new) = (sample("a"), sample("b"));
        let baseline = Baseline::of(std::slice::from_ref(&old));
        let read = Baseline::read(&baseline.to_json()).unwrap();
        let all = [old, new.clone()];
        assert_eq!(read.new_among(&all), [&new]);
        assert_eq!(Baseline::read("").unwrap().new_among(&all).len(), 2);
        assert!(Baseline::read("[").is_err());
    }

    #[test]
    fn one_more_of_a_flood_is_not_new() {
        let flood: Vec<Finding> = (0..BUCKET_LIMIT).map(|n| sample(&n.to_string())).collect();
        let mut other = sample("other");
        let more = [sample("one more"), other.clone()];
        let few = Baseline::of(&flood[1..]);
        assert_eq!(few.new_among(&more).len(), 2);
        other.bucket = "another".to_string();
        let more = [sample("one more"), other.clone()];
        assert_eq!(Baseline::of(&flood).new_among(&more), [&other]);
    }

    #[test]
    fn junit_escapes_what_xml_does_not_allow() {
        let mut finding = sample("a");
        finding.why = "a < b & \"c\" \u{1}".to_string();
        let text = junit(&[&finding], 5, 1.0);
        assert!(
            text.contains("a &lt; b &amp; &quot;c&quot; \u{fffd}"),
            "{text}"
        );
        assert!(text.contains("failures=\"1\""));
        assert!(junit(&[], 5, 1.0).contains("5 cases without a new finding"));
    }

    #[test]
    fn sarif_names_rule_place_and_fingerprint() {
        let finding = sample("abc");
        let log: Value = serde_json::from_str(&sarif(&[&finding], "1.0")).unwrap();
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "wrong-sat");
        assert_eq!(result["partialFingerprints"]["auspex/v1"], "abc");
        let rules = log["runs"][0]["tool"]["driver"]["rules"]
            .as_array()
            .unwrap();
        assert_eq!(rules.len(), Class::ALL.len());
    }
}
