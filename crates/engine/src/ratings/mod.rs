//! What raters said about chats, wherever it is kept: labels, rating sheets, recorded answers, reports, runs.

mod file;
mod held;
mod matching;
mod record;
mod run;
mod words;

#[cfg(test)]
pub mod samples;

pub use matching::{Matching, match_chats};
pub use run::Library;
pub use words::Words;

use std::collections::BTreeMap;

use anyhow::Result;
use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_core::scorecard::Weight;
use carelock_core::verdict::Submission;
use carelock_store::{ChatKey, NewChat};
use indexmap::IndexMap;

use held::{FilePart, RatingFile};
use run::StoredRun;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Met.
    Pass,
    /// Met because its condition never arose.
    NotTriggered,
    /// Not met.
    Fail,
}

impl Outcome {
    /// Whether it counts as met.
    pub fn passes(self) -> bool {
        self != Self::Fail
    }

    /// The word for it in labels.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NotTriggered => "not triggered",
            Self::Fail => "fail",
        }
    }
}

/// What one rater said about one chat, as far as figures need it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// The chat's id.
    pub id: String,
    /// The chat's digest, where it is known.
    pub digest: Option<String>,
    /// The source or group the chat belongs to, where that is said.
    pub group: Option<String>,
    /// The checks in the rubric's order, as they count after the audit; nothing where there is no verdict.
    pub outcomes: Vec<Option<Outcome>>,
    /// The overall score, where it is determined.
    pub overall: Option<Score>,
    /// The metrics' scores in the rubric's order.
    pub metrics: Vec<Option<Score>>,
    /// The pair of chats it belongs to, where all but one check of them is the same.
    pub pair: Option<String>,
    source: Source,
}

/// Where the words behind a rating stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Source {
    /// Nowhere.
    #[default]
    None,
    /// In a file with one record a chat.
    Record { file: usize, place: FilePart },
    /// In a sheet, by the number of the chat in it.
    Sheet { file: usize, chat: usize },
    /// In a database.
    Run(ChatKey),
}

impl Rating {
    /// What a report says.
    pub fn of_report(rubric: &Rubric, report: &Report) -> Self {
        record::of_report(rubric, report).rating
    }

    /// The chat in the database, where it comes from one.
    pub fn stored(&self) -> Option<ChatKey> {
        if let Source::Run(chat) = self.source { Some(chat) } else { None }
    }

    /// What a person answered about a chat.
    pub fn of_person(rubric: &Rubric, chat: &NewChat, answers: &Submission) -> Result<Self> {
        let rating = record::of_answers(rubric, chat.name.clone(), &answers.verdicts)?;
        let digest = Some(chat.digest.clone()).filter(|digest| !digest.is_empty());
        Ok(Self { digest, group: chat.group.clone(), ..rating })
    }

    /// The gate checks that fail.
    pub fn gates<'a>(&'a self, rubric: &'a Rubric) -> impl Iterator<Item = usize> + 'a {
        let fails = |check: &usize| self.outcomes[*check] == Some(Outcome::Fail);
        (0..self.outcomes.len()).filter(fails).filter(|&check| rubric.is_gate_check(check))
    }

    /// Whether a gate check fails.
    pub fn is_gated(&self, rubric: &Rubric) -> bool {
        self.gates(rubric).next().is_some()
    }

    /// Whether every check has a verdict.
    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().all(Option::is_some)
    }
}

/// All that one rater said.
#[derive(Debug, Default)]
pub struct Rater {
    /// The file or run it comes from.
    pub name: String,
    /// The names of the judges in it, each once.
    pub judges: Vec<String>,
    /// One rating a chat.
    pub ratings: Vec<Rating>,
    /// What whoever reads the figures should know.
    pub notes: Vec<String>,
    /// How the metrics count in the overall scores, in words; empty where they count alike, and where that is not known.
    pub weights: String,
    files: Vec<RatingFile>,
    run: Option<StoredRun>,
}

/// Weights in words: `Empathy 2, Tone 0.5`; those that count 1 are left out.
pub(crate) fn weights_in_words(weights: Option<&IndexMap<String, Weight>>) -> String {
    let named = weights.into_iter().flatten().filter(|(_, weight)| **weight != Weight::ONE);
    named.map(|(metric, weight)| format!("{metric} {weight}")).collect::<Vec<_>>().join(", ")
}

impl Rater {
    /// A rater of whom only figures are wanted.
    pub fn of_ratings(name: impl Into<String>, ratings: Vec<Rating>) -> Self {
        Self { name: name.into(), ratings, ..Self::default() }
    }

    /// One rater a group, by name; `other` is what chats without one are called.
    pub fn by_group(self, other: &str) -> Vec<Self> {
        let mut groups: BTreeMap<String, Vec<Rating>> = BTreeMap::new();
        for rating in self.ratings {
            groups.entry(rating.group.clone().unwrap_or_else(|| other.to_owned())).or_default().push(rating);
        }
        let mut notes = self.notes;
        let group = |(name, ratings)| Self { name, ratings, notes: std::mem::take(&mut notes), ..Self::default() };
        groups.into_iter().map(group).collect()
    }
}
