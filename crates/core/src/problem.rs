//! What went wrong, where, and what can be done about it: the one shape of errors that front ends show.

mod remedy;

use std::fmt;

pub use remedy::{Part, PlainWords, Remedy, Setting, Speakers, Words};

/// What stands between a problem and its remedy in a text of both.
const FIX: &str = "\n  fix: ";

/// An error as a front end shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: a file, a line, a judge; may be empty.
    pub at: String,
    /// What is wrong.
    pub what: String,
    /// What can be done about it.
    pub remedy: Option<Box<Remedy>>,
}

impl Problem {
    /// Something that is wrong, with no place and no remedy yet.
    pub fn new(what: impl Into<String>) -> Self {
        Self { at: String::new(), what: what.into(), remedy: None }
    }

    /// Something that is wrong at a place, with its remedy.
    pub fn located(at: impl Into<String>, what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Self { at: at.into(), ..Self::new(what).with(remedy.into()) }
    }

    /// A text that is not the JSON expected; serde_json says the place at the end of its message, ours stands in front.
    pub fn json(error: &serde_json::Error) -> Self {
        let at = format!("line {}, column {}", error.line(), error.column());
        Self::new(without_place(error)).within(&at)
    }

    /// The same problem with its remedy.
    #[must_use]
    pub fn with(self, remedy: Remedy) -> Self {
        Self { remedy: Some(Box::new(remedy)), ..self }
    }

    /// The same problem with a remedy that reads the same everywhere.
    #[must_use]
    pub fn advice(self, text: impl Into<String>) -> Self {
        self.with(Remedy::Advice(text.into()))
    }

    /// The same problem, seen from a wider place: a file, a chat.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        let at = match (place, self.at.as_str()) {
            ("", _) => self.at,
            (place, "") => place.to_owned(),
            (place, at) => format!("{place}: {at}"),
        };
        Self { at, ..self }
    }

    /// Reads back what [`Display`](fmt::Display) has written, such as the failures that a database keeps.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        match text.split_once(FIX) {
            Some((what, fix)) => Self::new(what).advice(fix),
            None => Self::new(text),
        }
    }

    /// Where and what, without the remedy.
    #[must_use]
    pub fn what(&self) -> String {
        if self.at.is_empty() { self.what.clone() } else { format!("{}: {}", self.at, self.what) }
    }

    /// The remedy in the words of a front end; empty where there is none.
    #[must_use]
    pub fn fix(&self, words: &dyn Words) -> String {
        self.remedy.as_ref().map(|remedy| remedy.worded(words)).unwrap_or_default()
    }

    /// The whole problem in the words of a front end, its remedy on a line of its own.
    #[must_use]
    pub fn worded(&self, words: &dyn Words) -> String {
        match &self.remedy {
            Some(remedy) => format!("{}{FIX}{}", self.what(), remedy.worded(words)),
            None => self.what(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&PlainWords))
    }
}

impl std::error::Error for Problem {}

/// Goes on where something holds; else says where it does not, what is wrong, and what to do.
pub fn ensure(holds: bool, at: &str, what: impl Into<String>, fix: impl Into<Remedy>) -> Result<(), Problem> {
    if holds { Ok(()) } else { Err(Problem::located(at, what, fix)) }
}

/// Where a byte stands in a text: "line 3, column 14".
pub fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or_default();
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) + 1;
    format!("line {}, column {column}", before.matches('\n').count() + 1)
}

/// Where an error stands in the TOML it is about.
pub fn toml_place(text: &str, error: &toml::de::Error) -> String {
    place(text, error.span().map_or(0, |span| span.start))
}

/// The message of an error of serde_json without the place at its end.
pub fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what).to_owned()
}

/// Shows an error type as the problem it amounts to, by its method `problem`.
#[macro_export]
macro_rules! shown_as_problem {
    ($error:ty) => {
        impl ::std::fmt::Display for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.problem(), f)
            }
        }

        impl From<$error> for $crate::problem::Problem {
            fn from(error: $error) -> Self {
                error.problem()
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_what_and_what_to_do_are_apart_and_shown_together() {
        let problem = Problem::new("not JSON").advice("correct it").within("line 3").within("a.json");
        assert_eq!(
            (problem.what().as_str(), problem.fix(&PlainWords).as_str()),
            ("a.json: line 3: not JSON", "correct it")
        );
        assert_eq!(problem.to_string(), "a.json: line 3: not JSON\n  fix: correct it");
        assert_eq!(Problem::new("broken").to_string(), "broken");
        assert_eq!(Problem::from_stored(&problem.to_string()).to_string(), problem.to_string());
    }

    #[test]
    fn a_setting_is_named_as_the_front_end_calls_it() {
        let remedy = crate::remedy!["run without ", Setting::Locked, " to ask"];
        assert_eq!(Problem::new("x").with(remedy).fix(&PlainWords), "run without `locked` to ask");
    }

    #[test]
    fn one_label_that_is_unclear_is_met_with_what_is_known_of_the_others() {
        let unclear = |human: Option<&str>, ai: Option<&str>| {
            let (human, ai) = (human.map(str::to_owned), ai.map(str::to_owned));
            Remedy::from(Speakers::Unclear { label: "Joy".to_owned(), human, ai }).worded(&PlainWords)
        };
        assert_eq!(unclear(None, Some("Bot")), "if \"Joy\" is the person: person \"Joy\" AI \"Bot\"");
        assert_eq!(unclear(Some("Ana"), None), "if \"Joy\" is the AI: person \"Ana\" AI \"Joy\"");
        assert!(unclear(None, None).starts_with("say who is who"));
    }
}
