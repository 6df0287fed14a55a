//! Regular expressions against two independent readings of the standard: languages as sets of short words, and the crate aws-smt-strings.

use std::collections::BTreeSet;

use auspex_logic::value::{Matcher, Re, Shape, Str};
use aws_smt_strings::{regular_expressions::ReManager, smt_strings::SmtString};
use proptest::prelude::*;

const LETTERS: [u32; 2] = [0x61, 0x62];
const LONGEST: usize = 5;

type Language = BTreeSet<Vec<u32>>;

/// All words up to the greatest length.
fn universe() -> Language {
    let mut all = Language::from([vec![]]);
    let mut last = all.clone();
    for _ in 0..LONGEST {
        let longer = last
            .iter()
            .flat_map(|w| LETTERS.map(|c| [w.as_slice(), &[c]].concat()));
        last = longer.collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn product(left: &Language, right: &Language) -> Language {
    let pairs = left
        .iter()
        .flat_map(|a| right.iter().map(move |b| [a.as_slice(), b].concat()));
    pairs.filter(|word| word.len() <= LONGEST).collect()
}

fn power(language: &Language, count: u32) -> Language {
    (0..count).fold(Language::from([vec![]]), |sum, _| product(&sum, language))
}

/// The smallest language with the empty word that is closed under putting a word in front.
fn star(language: &Language) -> Language {
    let mut sum = Language::from([vec![]]);
    loop {
        let more: Language = sum.union(&product(language, &sum)).cloned().collect();
        if more == sum {
            return sum;
        }
        sum = more;
    }
}

/// The words of the universe in the language, as the standard defines it.
fn language(re: &Re, universe: &Language) -> Language {
    let of = |part: &Re| language(part, universe);
    let one = |from: u32, to: u32| {
        LETTERS
            .iter()
            .filter(|c| (from..=to).contains(c))
            .map(|&c| vec![c])
            .collect()
    };
    match re.shape() {
        Shape::None => Language::new(),
        Shape::All => universe.clone(),
        Shape::AllChar => one(0, u32::MAX),
        Shape::Literal(word) => Language::from([word.code_points().to_vec()]),
        Shape::Range(first, last) => one(*first, *last),
        Shape::Concat(parts) => parts.iter().fold(Language::from([vec![]]), |sum, part| {
            product(&sum, &of(part))
        }),
        Shape::Union(parts) => parts.iter().flat_map(of).collect(),
        Shape::Inter(parts) => parts
            .iter()
            .fold(universe.clone(), |sum, part| &sum & &of(part)),
        Shape::Diff(parts) => parts[1..]
            .iter()
            .fold(of(&parts[0]), |sum, part| &sum - &of(part)),
        Shape::Star(part) => star(&of(part)),
        Shape::Plus(part) => product(&of(part), &star(&of(part))),
        Shape::Opt(part) => &of(part) | &Language::from([vec![]]),
        Shape::Comp(part) => universe - &of(part),
        Shape::Power(part, count) => power(&of(part), *count),
        Shape::Loop(part, least, Some(most)) => (*least..=*most)
            .flat_map(|count| power(&of(part), count))
            .collect(),
        Shape::Loop(part, least, None) => product(&power(&of(part), *least), &star(&of(part))),
    }
}

fn word() -> impl Strategy<Value = Str> {
    prop::collection::vec(prop::sample::select(&LETTERS[..]), 0..=LONGEST)
        .prop_map(|word| Str::new(&word).unwrap())
}

fn short_word() -> impl Strategy<Value = Str> {
    prop::collection::vec(prop::sample::select(&LETTERS[..]), 0..=2)
        .prop_map(|word| Str::new(&word).unwrap())
}

fn expression() -> impl Strategy<Value = Re> {
    let leaf = prop_oneof![
        1 => Just(Re::none()),
        1 => Just(Re::all()),
        2 => Just(Re::all_char()),
        6 => short_word().prop_map(Re::literal),
        1 => Just(Re::code_range(0x61, 0x62)),
        1 => Just(Re::code_range(0x62, 0x7A)),
    ];
    leaf.prop_recursive(5, 24, 3, |part| {
        let parts = prop::collection::vec(part.clone(), 2..=3);
        prop_oneof![
            3 => parts.clone().prop_map(Re::concat),
            2 => parts.clone().prop_map(Re::union),
            2 => parts.clone().prop_map(Re::inter),
            1 => parts.prop_map(Re::diff),
            2 => part.clone().prop_map(|re| re.star()),
            1 => part.clone().prop_map(|re| re.plus()),
            1 => part.clone().prop_map(|re| re.opt()),
            2 => part.clone().prop_map(|re| re.comp()),
            1 => (part.clone(), 0..4_u32).prop_map(|(re, count)| re.power(count)),
            1 => (part.clone(), 0..3_u32, 0..4_u32).prop_map(|(re, least, most)| re.repeat(least, Some(most))),
            1 => (part, 0..3_u32).prop_map(|(re, least)| re.repeat(least, None)),
        ]
    })
}

/// The same expression for aws-smt-strings.
fn translate(re: &Re, to: &mut ReManager) -> aws_smt_strings::regular_expressions::RegLan {
    let parts: Vec<_> = match re.shape() {
        Shape::Concat(parts) | Shape::Union(parts) | Shape::Inter(parts) | Shape::Diff(parts) => {
            parts.iter().map(|part| translate(part, to)).collect()
        }
        Shape::Star(part) | Shape::Plus(part) | Shape::Opt(part) | Shape::Comp(part) => {
            vec![translate(part, to)]
        }
        Shape::Power(part, _) | Shape::Loop(part, ..) => vec![translate(part, to)],
        _ => vec![],
    };
    match re.shape() {
        Shape::None => to.empty(),
        Shape::All => to.full(),
        Shape::AllChar => to.all_chars(),
        Shape::Literal(word) => to.str(&SmtString::from(word.code_points())),
        Shape::Range(first, last) => to.range(*first, *last),
        Shape::Concat(_) => to.concat_list(parts),
        Shape::Union(_) => to.union_list(parts),
        Shape::Inter(_) => to.inter_list(parts),
        Shape::Diff(_) => parts[1..]
            .iter()
            .fold(parts[0], |sum, part| to.diff(sum, part)),
        Shape::Star(_) => to.star(parts[0]),
        Shape::Plus(_) => to.plus(parts[0]),
        Shape::Opt(_) => to.opt(parts[0]),
        Shape::Comp(_) => to.complement(parts[0]),
        Shape::Power(_, count) => to.exp(parts[0], *count),
        Shape::Loop(_, least, Some(most)) if least > most => to.empty(),
        Shape::Loop(_, least, Some(most)) => to.smt_loop(parts[0], *least, *most),
        Shape::Loop(_, least, None) => {
            let (needed, more) = (to.exp(parts[0], *least), to.star(parts[0]));
            to.concat(needed, more)
        }
    }
}

/// `str.replace_re_all` by its recursive definition, or `str.replace_re` if `once`.
fn replace_by_definition(word: &[u32], language: &Language, by: &[u32], once: bool) -> Vec<u32> {
    for start in 0..=word.len() {
        for end in start + usize::from(!once)..=word.len() {
            if language.contains(&word[start..end]) {
                let rest = match once {
                    true => word[end..].to_vec(),
                    false => replace_by_definition(&word[end..], language, by, once),
                };
                return [&word[..start], by, &rest].concat();
            }
        }
    }
    word.to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn membership_is_that_of_the_definition(re in expression()) {
        let universe = universe();
        let expected = language(&re, &universe);
        let mut matcher = Matcher::new(&re).unwrap();
        for word in universe {
            let string = Str::new(&word).unwrap();
            let is_member = Ok(expected.contains(&word));
            prop_assert_eq!(matcher.contains(&string), is_member, "{} on {}", re, string);
            prop_assert_eq!(matcher.contains_by_matrix(&string), is_member, "{} on {}", re, string);
        }
    }

    #[test]
    fn membership_is_that_of_aws_smt_strings(re in expression(), word in word()) {
        let mut manager = ReManager::new();
        let theirs = translate(&re, &mut manager);
        let expected = manager.str_in_re(&SmtString::from(word.code_points()), theirs);
        prop_assert_eq!(re.contains(&word), Ok(expected), "{} on {}", re, word);
    }

    #[test]
    fn replacing_follows_the_definition(re in expression(), word in word(), by in short_word()) {
        let language = language(&re, &universe());
        let mut matcher = Matcher::new(&re).unwrap();
        let expected = |once| replace_by_definition(word.code_points(), &language, by.code_points(), once);
        let (first, all) = (matcher.replace(&word, &by).unwrap(), matcher.replace_all(&word, &by).unwrap());
        prop_assert_eq!(first.code_points(), expected(true));
        prop_assert_eq!(all.code_points(), expected(false));
    }

    #[test]
    fn languages_compare_as_sets(left in expression(), right in expression()) {
        let universe = universe();
        let (small, large) = (language(&left, &universe), language(&right, &universe));
        check_answer(left.is_empty_language(), &small, &Language::new(), &left, &right)?;
        check_answer(left.is_included_in(&right), &small, &large, &left, &right)?;
        let same = left.same_language(&right);
        if same == auspex_logic::value::LanguageAnswer::Yes {
            prop_assert_eq!(small, large);
        } else if let auspex_logic::value::LanguageAnswer::No(word) = same {
            prop_assert_ne!(left.contains(&word), right.contains(&word));
        }
    }
}

/// An answer about inclusion agrees with the short words, and its witness is one.
fn check_answer(
    answer: auspex_logic::value::LanguageAnswer,
    small: &Language,
    large: &Language,
    left: &Re,
    right: &Re,
) -> Result<(), TestCaseError> {
    use auspex_logic::value::LanguageAnswer::{No, TooLarge, Yes};
    match answer {
        Yes => prop_assert!(small.is_subset(large), "{} and {}", left, right),
        No(word) => {
            prop_assert_eq!(left.contains(&word), Ok(true));
            let shorter = small
                .difference(large)
                .all(|other| other.len() >= word.len());
            prop_assert!(
                shorter,
                "{} is not a shortest word of {} without {}",
                word,
                left,
                right
            );
        }
        TooLarge => prop_assert!(false, "small expressions are within the work allowed"),
    }
    Ok(())
}
