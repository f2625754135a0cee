//! Why an answer cannot be used, in words that can be put to the model that gave it.

use super::answer::ReadAnswer;
use super::{REASK, fill, listed};

/// Why a model's answer cannot be used as it is.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnswerError {
    /// There is no JSON in the answer.
    #[error("there is no JSON object in it")]
    NoObject,
    /// The answer ends before its JSON does.
    #[error("the JSON object is not closed: it was cut off, or a quotation mark inside a string is not escaped")]
    CutOff,
    /// The answer is far longer than any answer.
    #[error("it has {bytes} bytes, far more than an answer can need")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// There are several answers in the answer.
    #[error("it holds {objects} JSON objects with `verdicts`, where exactly one was asked for")]
    Several {
        /// How many.
        objects: usize,
    },
    /// The object is not JSON and could not be repaired.
    #[error("it is not valid JSON: {what}")]
    Syntax {
        /// What is wrong, and where.
        what: String,
    },
    /// Something has another type than it must have.
    #[error("{at} does not have the shape asked for: {what}")]
    Shape {
        /// Where in the answer.
        at: String,
        /// What is wrong.
        what: String,
    },
    /// There are no verdicts, perhaps scores in their place.
    #[error("it holds no `verdicts`; each check is to be answered with pass or fail, and scores are not asked for")]
    NoVerdicts,
    /// Checks are missing, unknown, answered twice or off the menu.
    #[error("{0}")]
    Checks(Box<CheckProblems>),
    /// The summary has too many words; everything else is in order.
    #[error("`summary` has {words} words, at most {most} are allowed")]
    SummaryTooLong {
        /// How many it has.
        words: usize,
        /// How many it may have.
        most: usize,
        /// The answer, for when asking again does not help: the engine then writes the sentence itself.
        answer: Box<ReadAnswer>,
    },
}

/// What is wrong with the checks of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckProblems {
    /// Checks that were asked and not answered.
    pub missing: Vec<String>,
    /// Answers to checks that were not asked, ids as they were given but harmless to show.
    pub unknown: Vec<String>,
    /// Checks answered more than once.
    pub twice: Vec<String>,
    /// Checks answered with something else than the words allowed, and what was said, harmless to show.
    pub off_menu: Vec<(String, String)>,
    /// The rest of the answer, where it is clear what was meant by it.
    pub answer: Option<Box<ReadAnswer>>,
}

impl CheckProblems {
    /// Whether there is nothing wrong.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.unknown.is_empty() && self.twice.is_empty() && self.off_menu.is_empty()
    }
}

impl std::fmt::Display for CheckProblems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut problems = Vec::new();
        if !self.missing.is_empty() {
            problems.push(format!("not answered: {}", listed(&self.missing)));
        }
        if !self.unknown.is_empty() {
            problems.push(format!("not asked: {}", listed(&self.unknown)));
        }
        if !self.twice.is_empty() {
            problems.push(format!("answered twice: {}", listed(&self.twice)));
        }
        for (id, said) in &self.off_menu {
            problems.push(format!("{id}: {said}"));
        }
        f.write_str(&problems.join("; "))
    }
}

impl AnswerError {
    /// What of the answer can be used when asking again did not help.
    ///
    /// Checks without a clear answer are then left unscored. Nothing is usable where it cannot be known what was meant.
    pub fn usable(self) -> Option<ReadAnswer> {
        match self {
            Self::Checks(problems) => problems.answer.map(|answer| *answer),
            Self::SummaryTooLong { answer, .. } => Some(*answer),
            _ => None,
        }
    }
}

/// The message that asks again, and says what was wrong.
pub fn reask_message(error: &AnswerError) -> String {
    fill(REASK, &[("problem", &format!("{error}."))])
}

/// A model's own words, made harmless: they may come from the chat and must not be able to instruct anyone.
pub(super) fn harmless(words: &str) -> String {
    const LONGEST: usize = 24;
    let plain = |char: char| if char.is_ascii_alphanumeric() || "_.-".contains(char) { char } else { ' ' };
    let kept: String = words.chars().take(200).map(plain).collect();
    let mut kept = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    if kept.len() > LONGEST {
        kept.truncate(LONGEST);
        kept.push('…');
    }
    format!("\"{kept}\"")
}
