//! Instances of claims about constructors with any number of fields: constructors with one, two and three fields,
//! each field in turn the chosen one.
//!
//! ```text
//! (=> (= (cn x r) (cn y q)) (= x y))    with two fields, the second chosen:
//! (=> (= (k2 r!0 x) (k2 q!0 y)) (= x y))    r!0 and q!0 of the first field's sort
//! ```

use super::claim::Claim;
use auspex_syntax::{Document, Sexpr};

/// Constructors with their fields.
const CONSTRUCTORS: [(&str, &[(&str, &str)]); 3] = [
    ("k1", &[("k1a", "Int")]),
    ("k2", &[("k2a", "Bool"), ("k2b", "Int")]),
    ("k3", &[("k3a", "Int"), ("k3b", "Bool"), ("k3c", "Int")]),
];

/// The datatype of the instances.
fn declaration() -> String {
    let field = |(name, sort): &(&str, &str)| format!(" ({name} {sort})");
    let constructor = |(name, fields): &(&str, &[(&str, &str)])| {
        let fields: String = fields.iter().map(field).collect();
        format!(" ({name}{fields})")
    };
    let all: String = CONSTRUCTORS.iter().map(constructor).collect();
    format!("(declare-datatype D ((c0) (d0){all}))\n")
}

/// A constructor with a chosen field.
struct Choice {
    name: &'static str,
    fields: &'static [(&'static str, &'static str)],
    chosen: usize,
}

/// The claim itself, unless it is about a datatype.
pub fn instances(claim: &Claim) -> Vec<Claim> {
    if !claim.variables.iter().any(|(_, sort)| is_data(sort)) {
        return vec![claim.clone()];
    }
    let choices = CONSTRUCTORS.iter().flat_map(|(name, fields)| {
        let of = |chosen| Choice {
            name,
            fields,
            chosen,
        };
        (0..fields.len()).map(of)
    });
    choices.map(|choice| choice.instance(claim)).collect()
}

fn is_data(sort: &str) -> bool {
    matches!(sort, "D" | "F" | "Rest")
}

impl Choice {
    fn instance(&self, claim: &Claim) -> Claim {
        let variables = claim.variables.iter();
        let text = |text: &String| self.text(text);
        Claim {
            title: format!("{} {}.{}", claim.title, self.name, self.chosen),
            prelude: declaration() + &claim.prelude,
            variables: variables
                .flat_map(|(name, sort)| self.variables(name, sort))
                .collect(),
            premises: claim.premises.iter().map(text).collect(),
            lemma: claim.lemma.as_ref().map(text),
            conclusion: self.text(&claim.conclusion),
        }
    }

    fn others(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let fields = self.fields.iter().enumerate();
        let chosen = self.chosen;
        fields
            .filter(move |(field, _)| *field != chosen)
            .map(|(field, (_, sort))| (field, *sort))
    }

    fn variables(&self, name: &str, sort: &str) -> Vec<(String, String)> {
        match sort {
            "F" => vec![(name.to_string(), self.fields[self.chosen].1.to_string())],
            "Rest" => {
                let rest = |(field, sort)| (format!("{name}!{field}"), String::from(sort));
                self.others().map(rest).collect()
            }
            _ => vec![(name.to_string(), sort.to_string())],
        }
    }

    fn text(&self, text: &str) -> String {
        let document = Document::read(text);
        let first = document.as_ref().ok().and_then(|d| d.items().next());
        first.map_or_else(|| text.to_string(), |item| self.written(item))
    }

    fn written(&self, item: Sexpr<'_>) -> String {
        if !item.is_list() {
            return match item.symbol() {
                Some("cn") => self.name.to_string(),
                Some("sn") => self.fields[self.chosen].0.to_string(),
                _ => item.text().to_string(),
            };
        }
        let parts: Vec<String> = item.items().map(|part| self.written(part)).collect();
        match (item.head(), parts.as_slice()) {
            (Some("cn"), [name, field, rest]) => {
                let args = (0..self.fields.len()).map(|place| match place == self.chosen {
                    true => field.clone(),
                    false => format!("{rest}!{place}"),
                });
                format!("({name} {})", args.collect::<Vec<_>>().join(" "))
            }
            (Some("rebuilt"), [_, of]) => {
                let args = self.fields.iter().map(|(name, _)| format!("({name} {of})"));
                format!("({} {})", self.name, args.collect::<Vec<_>>().join(" "))
            }
            _ => format!("({})", parts.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(variables: &[(&str, &str)], conclusion: &str) -> Claim {
        let variable = |(n, s): &(&str, &str)| (n.to_string(), s.to_string());
        Claim {
            title: "claim".into(),
            prelude: String::new(),
            variables: variables.iter().map(variable).collect(),
            premises: Vec::new(),
            lemma: None,
            conclusion: conclusion.into(),
        }
    }

    #[test]
    fn every_field_of_every_constructor_is_chosen() {
        let all = [("x", "F"), ("y", "F"), ("r", "Rest"), ("q", "Rest")];
        let claims = instances(&claim(&all, "(=> (= (cn x r) (cn y q)) (= x y))"));
        assert_eq!(claims.len(), 6);
        assert_eq!(
            claims[2].conclusion,
            "(=> (= (k2 r!0 x) (k2 q!0 y)) (= x y))"
        );
        assert_eq!(claims[5].variables.len(), 6);
        for claim in claims {
            let result = claim.evaluate(3000).expect("well-formed");
            assert!(result.counterexample.is_none() && result.held > 0);
        }
    }

    #[test]
    fn what_holds_for_one_field_only_is_refuted() {
        let wrong = claim(
            &[("u", "D"), ("x", "F"), ("r", "Rest")],
            "(=> (and ((_ is cn) u) (= (sn u) x)) (= u (cn x r)))",
        );
        let refuted = |claim: &Claim| {
            let result = claim.evaluate(3000).expect("well-formed");
            result.counterexample.is_some()
        };
        let refuted: Vec<bool> = instances(&wrong).iter().map(refuted).collect();
        assert_eq!(refuted, [false, true, true, true, true, true]);
    }

    #[test]
    fn other_claims_stay_as_they_are() {
        let plain = claim(&[("x", "Int")], "(= x x)");
        assert_eq!(instances(&plain), [plain]);
    }
}
