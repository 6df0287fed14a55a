//! Reads the value that z3 prints for an objective: a number, an infinity, a limit that is not attained, or bounds.
//!
//! ```text
//! 9   (- 18)   (/ 5.0 2.0)   oo   (* (- 1) oo)   (+ (/ 5.0 2.0) (* (- 1.0) epsilon))   (interval 2 oo)
//! ```

use auspex_logic::value::{BitVec, Rat};
use auspex_syntax::{Document, Kind, Sexpr};

/// A number extended by infinite and infinitesimal parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extended {
    /// Above zero for plus infinity.
    pub infinite: Rat,
    pub finite: Rat,
    /// Above zero for a number approached from above.
    pub epsilon: Rat,
}

/// What is said of one objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Optimum {
    Exactly(Extended),
    Between(Extended, Extended),
}

impl Extended {
    fn finite(finite: Rat) -> Extended {
        Extended {
            infinite: Rat::ZERO,
            finite,
            epsilon: Rat::ZERO,
        }
    }

    fn add(&self, other: &Extended) -> Extended {
        Extended {
            infinite: self.infinite.add(&other.infinite),
            finite: self.finite.add(&other.finite),
            epsilon: self.epsilon.add(&other.epsilon),
        }
    }

    pub fn scaled(&self, by: &Rat) -> Extended {
        Extended {
            infinite: self.infinite.mul(by),
            finite: self.finite.mul(by),
            epsilon: self.epsilon.mul(by),
        }
    }

    pub fn shifted(&self, by: &Rat) -> Extended {
        self.add(&Extended::finite(by.clone()))
    }

    /// In words: `3`, `infinity`, `just below 3`.
    pub fn shown(&self) -> String {
        let near = match self.epsilon.signum() {
            0 => "",
            1 => "just above ",
            _ => "just below ",
        };
        match self.infinite.signum() {
            0 => format!("{near}{}", self.finite.to_smtlib()),
            1 => "infinity".to_string(),
            _ => "minus infinity".to_string(),
        }
    }

    fn negated(&self) -> Extended {
        self.scaled(&Rat::ONE.neg())
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<&Rat> {
        (self.infinite.is_zero() && self.epsilon.is_zero()).then_some(&self.finite)
    }

    fn read(value: Sexpr<'_>) -> Option<Extended> {
        let text = value.text();
        match value.kind() {
            Kind::Numeral | Kind::Decimal => Some(Extended::finite(Rat::parse(text)?)),
            Kind::Symbol if text == "oo" => Some(Extended {
                infinite: Rat::ONE,
                ..Extended::finite(Rat::ZERO)
            }),
            Kind::Symbol if text == "epsilon" => Some(Extended {
                epsilon: Rat::ONE,
                ..Extended::finite(Rat::ZERO)
            }),
            Kind::List => Extended::applied(value),
            _ if text.starts_with('#') => {
                let bits = BitVec::parse(text)?;
                Some(Extended::finite(Rat::from(bits.ubv_to_int())))
            }
            _ => None,
        }
    }

    fn applied(list: Sexpr<'_>) -> Option<Extended> {
        let args: Option<Vec<Extended>> = list.items().skip(1).map(Extended::read).collect();
        match (list.head()?, args?.as_slice()) {
            ("-", [one]) => Some(one.negated()),
            ("-", [one, other]) => Some(one.add(&other.negated())),
            ("to_real", [one]) => Some(one.clone()),
            ("+", [first, rest @ ..]) => {
                Some(rest.iter().fold(first.clone(), |sum, one| sum.add(one)))
            }
            ("*", [by, one]) if by.number().is_some() => Some(one.scaled(by.number()?)),
            ("*", [one, by]) => Some(one.scaled(by.number()?)),
            ("/", [one, by]) => Some(one.scaled(&by.number()?.inverse()?)),
            _ => None,
        }
    }
}

/// The values in a reply to `(get-objectives)`, in the order of the objectives.
pub fn read(said: &str) -> Result<Vec<Optimum>, String> {
    let document = Document::read(said).map_err(|error| error.message().to_string())?;
    let mut items = document.items();
    let (Some(list), None) = (items.next(), items.next()) else {
        return Err("the reply is not one list".to_string());
    };
    if list.head() != Some("objectives") {
        return Err("the list does not start with objectives".to_string());
    }
    let values = list.items().skip(1).map(|one| {
        let value = one.items().last().filter(|_| one.count() <= 2);
        let read = value.and_then(optimum);
        read.ok_or_else(|| format!("{} has no known value", one.text()))
    });
    values.collect()
}

fn optimum(value: Sexpr<'_>) -> Option<Optimum> {
    match (value.head(), value.count()) {
        (Some("interval"), 3) => Some(Optimum::Between(
            Extended::read(value.item(1)?)?,
            Extended::read(value.item(2)?)?,
        )),
        _ => Extended::read(value).map(Optimum::Exactly),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Infinite, finite and infinitesimal part of each objective.
    fn values(said: &str) -> Vec<String> {
        let text = |one: &Extended| format!("{} {} {}", one.infinite, one.finite, one.epsilon);
        let all = read(said).expect("readable").into_iter();
        all.map(|one| match one {
            Optimum::Exactly(one) => text(&one),
            Optimum::Between(low, high) => format!("{} to {}", text(&low), text(&high)),
        })
        .collect()
    }

    #[test]
    fn reads_what_releases_print() {
        // z3 5.4.0 and 4.8.12.
        let said = "(objectives\n (x 9)\n ((- (* 2 x)) (- 18))\n (y  (interval 2 (+ (/ 5.0 2.0) (* (- 1.0) epsilon))))\n\
                    \x20(b 11)\n (y (* (- 1) oo))\n (s1 (/ 5.0 2.0))\n ( 1)\n)";
        let wanted = [
            "0.0 9.0 0.0",
            "0.0 (- 18.0) 0.0",
            "0.0 2.0 0.0 to 0.0 2.5 (- 1.0)",
            "0.0 11.0 0.0",
            "(- 1.0) 0.0 0.0",
            "0.0 2.5 0.0",
            "0.0 1.0 0.0",
        ];
        assert_eq!(values(said), wanted);
    }

    #[test]
    fn what_has_no_known_value_is_refused() {
        for said in [
            "(objectives (x (root-obj (+ (^ x 2) (- 2)) 2)))",
            "(objectives (x 1.41?))",
            "(objectives (x a b))",
            "(x 3)",
            "(objectives (x 3)",
        ] {
            assert!(read(said).is_err(), "{said}");
        }
    }
}
