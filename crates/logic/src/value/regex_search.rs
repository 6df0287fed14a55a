//! Membership in a language, and the functions that look for the leftmost, then shortest match: `str.in_re`, `str.replace_re`, `str.replace_re_all`, `str.indexof_re`.

use super::regex::Re;
use super::regex_matrix::Matrix;
use super::regex_states::{Class, EMPTY, State, States};
use super::string::{Str, TooLarge};
use super::words::append;

/// The work allowed for one question if nothing else is said: below a second.
pub(super) const WORK: u64 = 1 << 23;

/// What a matcher may have learnt before it starts afresh.
const LEARNT: usize = 1 << 16;

/// An expression prepared for many words; what it learns from one word it uses for the next.
pub struct Matcher {
    states: States,
    /// How many of the states belong to the expression itself.
    own: usize,
    root: State,
    work: u64,
}

/// A part of a word, from a start to just before an end.
pub type Match = (usize, usize);

/// How the matches in one word are found.
enum Way {
    Derivatives,
    /// For the expressions and words where derivatives grow too much.
    Matrix(Matrix),
}

impl Matcher {
    pub fn new(re: &Re) -> Result<Self, TooLarge> {
        Self::with_work(re, WORK)
    }

    /// With a limit on the steps spent on the expression and, separately, on each word.
    pub fn with_work(re: &Re, work: u64) -> Result<Self, TooLarge> {
        let (states, roots) = States::of(&[re], work)?;
        let (own, root) = (states.count(), roots[0]);
        Ok(Self {
            states,
            own,
            root,
            work,
        })
    }

    /// `str.in_re`
    pub fn contains(&mut self, word: &Str) -> Result<bool, TooLarge> {
        let classes = self.classes(word);
        self.begin();
        match self.walk(&classes) {
            Ok(end) => Ok(self.states.is_nullable(end)),
            Err(TooLarge) => Ok(self.matrix(&classes)?.has(0, word.len())),
        }
    }

    /// `str.in_re` without derivatives: slower as a rule, and independent of them.
    pub fn contains_by_matrix(&mut self, word: &Str) -> Result<bool, TooLarge> {
        let classes = self.classes(word);
        Ok(self.matrix(&classes)?.has(0, word.len()))
    }

    fn begin(&mut self) {
        self.states.refill(self.work);
        if self.states.count() - self.own > LEARNT {
            self.states.forget_beyond(self.own);
        }
    }

    fn classes(&self, word: &Str) -> Vec<Class> {
        let code_points = word.code_points().iter();
        code_points
            .map(|&c| self.states.alphabet.class_of(c))
            .collect()
    }

    fn walk(&mut self, word: &[Class]) -> Result<State, TooLarge> {
        let mut state = self.root;
        for &class in word {
            self.states.charge(1)?;
            state = self.states.derive(state, class)?;
            if state == EMPTY {
                break;
            }
        }
        Ok(state)
    }

    fn matrix(&mut self, word: &[Class]) -> Result<Matrix, TooLarge> {
        self.states.refill(self.work);
        self.states.matrix(self.root, word)
    }

    /// The first match that starts at or after `from`: the leftmost, and of those the shortest, not empty if so asked.
    pub fn find(
        &mut self,
        word: &Str,
        from: usize,
        nonempty: bool,
    ) -> Result<Option<Match>, TooLarge> {
        let mut way = Way::Derivatives;
        self.begin();
        self.find_by(&mut way, &self.classes(word), from, nonempty)
    }

    fn find_by(
        &mut self,
        way: &mut Way,
        word: &[Class],
        from: usize,
        nonempty: bool,
    ) -> Result<Option<Match>, TooLarge> {
        for start in from..=word.len() {
            let least_end = start + usize::from(nonempty);
            let end = match way {
                Way::Matrix(matrix) => matrix.first_from(start, least_end),
                Way::Derivatives => match self.shortest_end(word, start, least_end) {
                    Ok(end) => end,
                    Err(TooLarge) => {
                        let matrix = self.matrix(word)?;
                        let end = matrix.first_from(start, least_end);
                        *way = Way::Matrix(matrix);
                        end
                    }
                },
            };
            if let Some(end) = end {
                return Ok(Some((start, end)));
            }
        }
        Ok(None)
    }

    fn shortest_end(
        &mut self,
        word: &[Class],
        start: usize,
        least_end: usize,
    ) -> Result<Option<usize>, TooLarge> {
        let mut state = self.root;
        for end in start..=word.len() {
            self.states.charge(1)?;
            if end >= least_end && self.states.is_nullable(state) {
                return Ok(Some(end));
            }
            if end == word.len() || state == EMPTY {
                break;
            }
            state = self.states.derive(state, word[end])?;
        }
        Ok(None)
    }

    /// `str.replace_re`
    pub fn replace(&mut self, word: &Str, by: &Str) -> Result<Str, TooLarge> {
        let Some((start, end)) = self.find(word, 0, false)? else {
            return Ok(word.clone());
        };
        let parts = [
            &word.code_points()[..start],
            by.code_points(),
            &word.code_points()[end..],
        ];
        super::words::join(&parts).map(Str::trusted)
    }

    /// `str.replace_re_all`
    pub fn replace_all(&mut self, word: &Str, by: &Str) -> Result<Str, TooLarge> {
        let classes = self.classes(word);
        let mut way = Way::Derivatives;
        self.begin();
        let mut result = Vec::new();
        let mut from = 0;
        while let Some((start, end)) = self.find_by(&mut way, &classes, from, true)? {
            append(&mut result, &word.code_points()[from..start])?;
            append(&mut result, by.code_points())?;
            from = end;
        }
        append(&mut result, &word.code_points()[from..])?;
        Ok(Str::trusted(result))
    }

    /// `str.indexof_re` (cvc5); `None` stands for -1
    pub fn index_of(&mut self, word: &Str, from: i64) -> Result<Option<usize>, TooLarge> {
        match usize::try_from(from) {
            Ok(from) if from <= word.len() => {
                Ok(self.find(word, from, false)?.map(|(start, _)| start))
            }
            _ => Ok(None),
        }
    }
}

impl Re {
    /// `str.in_re`
    pub fn contains(&self, word: &Str) -> Result<bool, TooLarge> {
        Matcher::new(self)?.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(text: &str) -> Re {
        Re::literal(text.into())
    }

    fn a_or_aa() -> Re {
        Re::union(vec![lit("a"), lit("aa")])
    }

    fn has(re: &Re, word: &str) -> bool {
        let derived = re.contains(&word.into()).unwrap();
        let by_matrix = Matcher::new(re).unwrap().contains_by_matrix(&word.into());
        assert_eq!(Ok(derived), by_matrix, "{re} on {word}");
        derived
    }

    #[test]
    fn members_of_each_operator() {
        let digit = Re::code_range(0x30, 0x39);
        assert!(has(&Re::all(), "xyz") && !has(&Re::none(), ""));
        assert!(
            has(&Re::all_char(), "x") && !has(&Re::all_char(), "xy") && !has(&Re::all_char(), "")
        );
        assert!(has(&lit("ab").star(), "abab") && !has(&lit("ab").star(), "aba"));
        assert!(has(&digit.plus(), "42") && !has(&digit.plus(), ""));
        assert!(has(&digit.opt(), "") && !has(&digit.opt(), "42"));
        assert!(has(&lit("ab").comp(), "a") && !has(&lit("ab").comp(), "ab"));
        let even_not_empty = Re::diff(vec![lit("aa").star(), lit("")]);
        assert!(
            has(&even_not_empty, "aaaa") && !has(&even_not_empty, "") && !has(&even_not_empty, "a")
        );
        let both = Re::inter(vec![lit("aa").star(), lit("aaa").star()]);
        assert!(has(&both, "aaaaaa") && !has(&both, "aaaa"));
    }

    #[test]
    fn loops_count() {
        let a = lit("a");
        assert!(has(&a.power(3), "aaa") && !has(&a.power(3), "aa"));
        assert!(has(&a.power(0), "") && !has(&a.power(0), "a"));
        assert!(has(&a.repeat(2, Some(3)), "aa") && has(&a.repeat(2, Some(3)), "aaa"));
        assert!(!has(&a.repeat(2, Some(3)), "a") && !has(&a.repeat(2, Some(3)), "aaaa"));
        assert!(!has(&a.repeat(3, Some(2)), "aa") && !has(&a.repeat(3, Some(2)), ""));
        assert!(has(&a.repeat(2, None), "aaaa") && !has(&a.repeat(2, None), "a"));
        assert!(has(&a_or_aa().power(3), "aaaaaa") && !has(&a_or_aa().power(3), "aaaaaaa"));
        assert!(has(&a.opt().power(3), "") && has(&a.opt().power(3), "aaa"));
        assert!(!has(&a.opt().power(3), "aaaa"));
        assert!(!has(&a.opt().repeat(3, Some(2)), "aa") && !has(&a.opt().repeat(3, Some(2)), ""));
    }

    #[test]
    fn replace_re_takes_the_leftmost_then_shortest_match() {
        let replace = |re: &Re, word: &str| {
            let mut matcher = Matcher::new(re).unwrap();
            matcher.replace(&word.into(), &"x".into()).unwrap()
        };
        assert_eq!(
            replace(&Re::union(vec![lit("c"), lit("bcd"), lit("bc")]), "abcd"),
            "axd".into()
        );
        assert_eq!(replace(&lit("b").plus(), "abbb"), "axbb".into());
        assert_eq!(replace(&lit("b").star(), "abbb"), "xabbb".into());
        assert_eq!(replace(&lit("z"), "abbb"), "abbb".into());
        assert_eq!(replace(&lit(""), ""), "x".into());
    }

    #[test]
    fn replace_re_all_ignores_empty_matches() {
        let replace_all = |re: &Re, word: &str| {
            let mut matcher = Matcher::new(re).unwrap();
            matcher.replace_all(&word.into(), &"x".into()).unwrap()
        };
        assert_eq!(replace_all(&lit("b").star(), "abbb"), "axxx".into());
        assert_eq!(replace_all(&lit("bb"), "abbb"), "axb".into());
        assert_eq!(replace_all(&lit(""), "abc"), "abc".into());
        assert_eq!(replace_all(&Re::all(), "abc"), "xxx".into());
    }

    #[test]
    fn indexof_re_is_total() {
        let index = |re: &Re, word: &str, from| {
            Matcher::new(re)
                .unwrap()
                .index_of(&word.into(), from)
                .unwrap()
        };
        assert_eq!(index(&lit("b").plus(), "abab", 2), Some(3));
        assert_eq!(index(&lit("b").star(), "abab", 2), Some(2));
        assert_eq!(index(&lit("b").star(), "abab", 4), Some(4));
        assert_eq!(index(&lit("b").star(), "abab", 5), None);
        assert_eq!(index(&lit("b").star(), "abab", -1), None);
        assert_eq!(index(&lit("c"), "abab", 0), None);
    }

    #[test]
    fn large_loops_and_long_words_stay_cheap() {
        let long = Str::trusted(vec![0x61; 100_000]);
        assert_eq!(lit("a").power(100_000).contains(&long), Ok(true));
        assert_eq!(lit("a").power(4_000_000_000).contains(&long), Ok(false));
        assert_eq!(
            lit("a").repeat(5, Some(4_000_000_000)).contains(&long),
            Ok(true)
        );
        assert_eq!(lit("a").opt().power(99_999).contains(&long), Ok(false));
    }

    #[test]
    fn growing_derivatives_fall_back_to_the_matrix() {
        // Three nested counts: each step of the word may belong to any count of each level.
        let re = a_or_aa()
            .repeat(2, Some(40))
            .repeat(3, Some(40))
            .repeat(5, Some(40));
        let word = Str::trusted(vec![0x61; 200]);
        let mut matcher = Matcher::with_work(&re, 1 << 22).unwrap();
        let classes = matcher.classes(&word);
        assert_eq!(matcher.walk(&classes), Err(TooLarge));
        assert_eq!(matcher.contains(&word), Ok(true));
        let mut matcher = Matcher::with_work(&re, 1 << 30).unwrap();
        let end = matcher.walk(&classes).unwrap();
        assert!(matcher.states.is_nullable(end));
        assert!(matcher.states.count() > LEARNT);
        // A matcher that has learnt too much forgets it and still answers.
        assert_eq!(matcher.contains(&"aaaa".into()), Ok(false));
        assert_eq!(matcher.contains(&Str::trusted(vec![0x61; 30])), Ok(true));
        assert!(matcher.states.count() < LEARNT);
        let mut matcher = Matcher::with_work(&re, 1 << 10).unwrap();
        assert_eq!(matcher.contains(&word), Err(TooLarge));
    }
}
