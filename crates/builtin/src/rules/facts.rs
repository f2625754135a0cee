//! Facts the person gave and the reply gives back otherwise.

use std::collections::HashSet;

use carelock_core::transcript::Speaker;

use super::Words;

/// Words that mean the same relative, a group a line. `your sister` after `my brother` is a slip.
const RELATIVES: [&[&str]; 14] = [
    &["mother", "mum", "mom", "mam", "mama", "mums", "moms"],
    &["father", "dad", "papa", "dads", "daddy"],
    &["brother", "brothers", "bro"],
    &["sister", "sisters", "sis"],
    &["son", "boy", "sons"],
    &["daughter", "girl", "daughters"],
    &["husband", "hubby"],
    &["wife"],
    &["boyfriend", "bf"],
    &["girlfriend", "gf"],
    &["grandmother", "gran", "nan", "grandma", "nana"],
    &["grandfather", "grandpa", "grandad", "granddad"],
    &["dog", "puppy"],
    &["cat", "kitten"],
];

/// Words that do not say which relative, so that they contradict nobody.
const UNSAID: [&str; 8] = ["partner", "parent", "parents", "family", "child", "kids", "kid", "children"];

fn group(word: &str) -> Option<usize> {
    RELATIVES.iter().position(|words| words.contains(&word))
}

pub(super) fn other_relative(words: &Words<'_>) -> i64 {
    let mut known = HashSet::new();
    let mut open = false;
    let mut slips = 0;
    for (turn, said) in words.turns.iter().enumerate() {
        let is_human = words.reading.turns[turn].speaker == Speaker::Human;
        for (place, word) in said.iter().enumerate() {
            let word = word.strip_suffix("'s").unwrap_or(word);
            if is_human {
                known.extend(group(word));
                open |= UNSAID.contains(&word);
            } else if place > 0
                && said[place - 1] == "your"
                && let Some(group) = group(word)
            {
                slips += usize::from(!known.contains(&group) && !known.is_empty());
                known.insert(group);
            }
        }
    }
    let weight = if open { 250 } else { 500 };
    (slips.min(2) * weight) as i64
}

fn number(word: &str) -> Option<u64> {
    const WORDS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if let Ok(number) = word.parse() {
        return Some(number);
    }
    match word {
        "a" | "an" => Some(1),
        "fifteen" => Some(15),
        "twenty" => Some(20),
        "thirty" => Some(30),
        "forty" => Some(40),
        "fifty" => Some(50),
        _ => WORDS.iter().position(|known| *known == word).map(|place| place as u64),
    }
}

fn unit(word: &str) -> Option<&'static str> {
    const UNITS: [(&str, &[&str]); 10] = [
        ("minute", &["minute", "minutes", "min", "mins"]),
        ("hour", &["hour", "hours", "hrs"]),
        ("day", &["day", "days"]),
        ("night", &["night", "nights"]),
        ("week", &["week", "weeks", "wks"]),
        ("month", &["month", "months"]),
        ("year", &["year", "years", "yr", "yrs"]),
        ("time", &["times"]),
        ("child", &["children", "kids", "boys", "girls", "sons", "daughters", "sisters", "brothers"]),
        ("job", &["jobs", "shifts", "exams", "classes"]),
    ];
    UNITS.iter().find(|(_, words)| words.contains(&word)).map(|(unit, _)| *unit)
}

fn amounts(said: &[String]) -> impl Iterator<Item = (&'static str, u64)> + '_ {
    said.windows(2).filter_map(|pair| Some((unit(&pair[1])?, number(&pair[0])?)))
}

/// A reply that gives the person another number of the same thing than the person gave, in a sentence about the person.
pub(super) fn other_number(words: &Words<'_>) -> i64 {
    let mut known: HashSet<(&str, u64)> = HashSet::new();
    let mut slips = 0;
    for (turn, said) in words.turns.iter().enumerate() {
        if words.reading.turns[turn].speaker == Speaker::Human {
            known.extend(amounts(said));
            continue;
        }
        for sentence in words.reading.turns[turn].sentences.clone() {
            let said = super::words(words.reading.words(sentence));
            let about_the_person = said.iter().any(|word| word.starts_with("you"));
            let tells = said
                .iter()
                .any(|word| matches!(word.as_str(), "said" | "mentioned" | "told" | "been" | "since" | "after"));
            if !(about_the_person && tells) {
                continue;
            }
            for (unit, count) in amounts(&said) {
                let others = known.iter().any(|(known, _)| *known == unit);
                slips += usize::from(count > 1 && others && !known.contains(&(unit, count)));
            }
        }
    }
    (slips.min(2) * 500) as i64
}

const DAYS: [&str; 14] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "spring",
    "summer",
    "autumn",
    "winter",
    "christmas",
    "january",
    "june",
];

/// A day in a reply that was not the person's, where the person gave another one.
pub(super) fn other_day(words: &Words<'_>) -> i64 {
    let day = |word: &String| DAYS.iter().position(|day| word.strip_suffix('s').unwrap_or(word) == *day || word == day);
    let mut known = HashSet::new();
    let mut slips = 0;
    for (turn, said) in words.turns.iter().enumerate() {
        let found = said.iter().filter_map(day);
        if words.reading.turns[turn].speaker == Speaker::Human {
            known.extend(found);
        } else {
            slips += found.filter(|day| !known.is_empty() && !known.contains(day)).count();
        }
    }
    (slips.min(2) * 500) as i64
}
