//! The accepted texts of a search since the last confirmation, and how far back to go when a confirmation fails.

/// A text and the evidence that came with it.
type Place = (String, String);

/// Accepted texts after the last confirmed one.
#[derive(Clone)]
pub struct Trail {
    sure: Place,
    unsure: Vec<Place>,
    /// How many accepted texts are confirmed.
    confirmed: usize,
}

impl Trail {
    /// Starts at a text that needs no confirmation.
    pub fn from(text: &str, evidence: &str) -> Trail {
        Trail {
            sure: (text.to_string(), evidence.to_string()),
            unsure: Vec::new(),
            confirmed: 0,
        }
    }

    pub fn add(&mut self, text: &str, evidence: &str) {
        self.unsure.push((text.to_string(), evidence.to_string()));
    }

    pub fn sure(&self) -> &Place {
        &self.sure
    }

    pub fn confirmed(&self) -> usize {
        self.confirmed
    }

    /// Whether there are as many unconfirmed steps as confirmed ones. Thus the distance between confirmations
    /// doubles, and at most half of all steps are lost.
    pub fn is_due(&self) -> bool {
        self.unsure.len() >= self.confirmed.max(1)
    }

    /// Moves to the last text that can be confirmed, by binary search; returns the unconfirmed texts.
    pub fn confirm(&mut self, confirms: &mut dyn FnMut(&str, &str) -> bool) -> Vec<String> {
        let (mut good, mut end, mut refused) = (0, self.unsure.len(), Vec::new());
        // Texts before `good` are confirmed, the one at `end` was rejected; the last one is tried first.
        let mut at = end;
        while good < end {
            let (text, evidence) = &self.unsure[at - 1];
            if confirms(text, evidence) {
                good = at;
            } else {
                refused.push(text.clone());
                end = at - 1;
            }
            at = good + (end - good).div_ceil(2);
        }
        if let Some(place) = self.unsure.drain(..).take(good).next_back() {
            self.sure = place;
        }
        self.confirmed += good;
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(texts: &[&str]) -> Trail {
        let mut trail = Trail::from("start", "");
        texts.iter().for_each(|text| trail.add(text, ""));
        trail
    }

    #[test]
    fn one_question_confirms_the_whole_way() {
        let (mut trail, mut asked) = (trail(&["a", "b", "c"]), 0);
        let refused = trail.confirm(&mut |_, _| {
            asked += 1;
            true
        });
        assert_eq!((asked, refused.len(), trail.confirmed()), (1, 0, 3));
        assert_eq!(trail.sure().0, "c");
        assert!(!trail.is_due() && trail.confirm(&mut |_, _| false).is_empty());
    }

    #[test]
    fn goes_back_to_the_last_confirmed_text() {
        for good in 0..=5 {
            let mut trail = trail(&["1", "2", "3", "4", "5"]);
            let refused =
                trail.confirm(&mut |text, _| text.parse::<usize>().is_ok_and(|n| n <= good));
            assert_eq!(trail.confirmed(), good);
            assert_eq!(refused.is_empty(), good == 5);
        }
    }

    #[test]
    fn confirmations_are_due_ever_less_often() {
        let mut trail = trail(&["a"]);
        assert!(trail.is_due());
        trail.confirm(&mut |_, _| true);
        trail.add("b", "");
        assert!(trail.is_due());
        trail.confirm(&mut |_, _| true);
        trail.add("c", "");
        assert!(!trail.is_due());
    }
}
