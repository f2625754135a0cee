//! What can be counted rather than recognised: form, repetition, and facts that do not fit together.

mod facts;
mod form;
mod names;

use carelock_core::transcript::Speaker;

use crate::reading::Reading;

/// Something countable about a chat: its name and how it is counted, in thousandths.
pub struct Rule {
    /// The name by which weights speak of it.
    pub name: &'static str,
    /// What it says, in words.
    pub meaning: &'static str,
    /// The count.
    pub count: fn(&Words<'_>) -> i64,
}

/// Every rule.
pub const RULES: &[Rule] = &[
    Rule { name: "emoji", meaning: "emoji in one reply", count: form::emoji },
    Rule { name: "cut_off", meaning: "a reply that breaks off", count: form::cut_off },
    Rule { name: "slang", meaning: "slang or text-speak in a reply", count: form::slang },
    Rule { name: "capitals", meaning: "words in capitals in a reply", count: form::capitals },
    Rule { name: "repeats", meaning: "two replies that are nearly the same", count: form::repeats },
    Rule { name: "echo", meaning: "a reply that repeats the person word for word", count: form::echo },
    Rule { name: "list_items", meaning: "list items in one reply", count: form::list_items },
    Rule { name: "longest_reply", meaning: "length of the longest reply", count: form::longest_reply },
    Rule { name: "shortest_reply", meaning: "length of the shortest reply", count: form::shortest_reply },
    Rule { name: "long_words", meaning: "long words in the replies", count: form::long_words },
    Rule { name: "long_sentences", meaning: "length of the replies' sentences", count: form::long_sentences },
    Rule { name: "harder_words", meaning: "longer words than the person's", count: form::harder_words },
    Rule { name: "harder_sentences", meaning: "longer sentences than the person's", count: form::harder_sentences },
    Rule { name: "questions", meaning: "questions in the replies", count: form::questions },
    Rule { name: "only_questions", meaning: "replies made of questions", count: form::only_questions },
    Rule {
        name: "advice_in_one_breath",
        meaning: "several suggestions in one sentence",
        count: form::advice_in_one_breath,
    },
    Rule { name: "replies", meaning: "number of replies", count: form::replies },
    Rule { name: "other_relative", meaning: "a relative the person never mentioned", count: facts::other_relative },
    Rule { name: "other_number", meaning: "another number than the person gave", count: facts::other_number },
    Rule { name: "other_day", meaning: "another day or time than the person gave", count: facts::other_day },
    Rule { name: "other_name", meaning: "another name than the person gave", count: names::other_name },
    Rule { name: "two_own_names", meaning: "two names of its own", count: names::two_own_names },
    Rule { name: "new_name", meaning: "a name nobody mentioned", count: names::new_name },
];

/// A chat's turns as lower-case words, for counting.
pub struct Words<'a> {
    /// The chat.
    pub reading: &'a Reading<'a>,
    /// The words of every turn, lower-cased, with straight apostrophes.
    pub turns: Vec<Vec<String>>,
}

impl<'a> Words<'a> {
    /// Splits every turn into words.
    pub fn new(reading: &'a Reading<'a>) -> Self {
        let turns = (0..reading.turns.len()).map(|turn| words(reading.text(turn))).collect();
        Self { reading, turns }
    }

    /// A speaker's turns: their place and words.
    fn of(&self, speaker: Speaker) -> impl Iterator<Item = (usize, &Vec<String>)> {
        self.reading.turns_of(speaker).map(|turn| (turn, &self.turns[turn]))
    }

    /// A speaker's turns that say something, or all where none does: "ok" must not move an average.
    fn telling(&self, speaker: Speaker) -> impl Iterator<Item = (usize, &Vec<String>)> {
        let is_brief = |turn: usize| self.reading.turns[turn].is_brief;
        let all_brief = self.reading.turns_of(speaker).all(is_brief);
        self.of(speaker).filter(move |&(turn, _)| all_brief || !is_brief(turn))
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
        .map(|word| word.replace('’', "'").trim_matches('\'').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Counts every rule, in thousandths.
pub fn count(reading: &Reading<'_>) -> Vec<i64> {
    let words = Words::new(reading);
    RULES.iter().map(|rule| (rule.count)(&words)).collect()
}
