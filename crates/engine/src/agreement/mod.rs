//! How far raters agree: a judge against labels, or judges against each other.

mod checks;
mod csv;
mod disagreement;
mod gates;
mod markdown;
mod pairs;
mod side;
mod text;
mod together;

#[cfg(test)]
mod tests;

pub use csv::csv;
pub use markdown::markdown;
pub use text::text;

use anyhow::Result;
use carelock_core::rubric::Rubric;
use carelock_statistics::Bootstrap;
use carelock_statistics::agreement::{Agreement, Confusion, Failures};
use carelock_statistics::scores::ScoreAgreement;
use serde::Serialize;

use crate::ratings::{Matching, Rater, match_chats};
use checks::Slice;
use disagreement::Disagreements;
use gates::Gates;
use pairs::Pairs;
pub use side::{Matched, Side};
use together::Together;

/// The name of the format of the JSON.
const SCHEMA: &str = "carelock/agreement/1";

/// What figures are broken down by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// One row a check.
    Check,
    /// One row a metric.
    Metric,
    /// One row a source or group of chats.
    Source,
}

impl By {
    /// The word for it in options and tables.
    fn word(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Metric => "metric",
            Self::Source => "source",
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The breakdown, where one is wanted.
    pub by: Option<By>,
    /// How many disagreements are shown.
    pub worst: usize,
    /// How intervals are made.
    pub bootstrap: Bootstrap,
}

/// Everything there is to say about the agreement of raters.
#[derive(Debug, Serialize)]
pub struct Study {
    schema: &'static str,
    /// The name and digest of the rubric.
    rubric: String,
    rubric_hash: String,
    /// How intervals were made: chats are drawn again.
    intervals: Bootstrap,
    /// What the others are measured against.
    reference: Side,
    /// Each judge against the reference.
    judges: Vec<Against>,
    /// All raters at once, where there are more than two.
    #[serde(skip_serializing_if = "Option::is_none")]
    together: Option<Together>,
    /// What whoever reads the figures should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// One judge against the reference.
#[derive(Debug, Serialize)]
struct Against {
    judge: Side,
    matched: Matched,
    gates: Gates,
    /// Pass or fail; what was not triggered passes.
    checks: Agreement,
    failures: Failures,
    /// Rows are the reference's classes: pass, not triggered, fail.
    confusion: Option<Confusion>,
    overall: ScoreAgreement,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Pairs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<By>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slices: Vec<Slice>,
    disagreements: Disagreements,
}

impl Study {
    /// Measures all raters against the first.
    pub fn new(rubric: &Rubric, raters: &[Rater], settings: &Settings) -> Result<Self> {
        let mut reference = raters.first().map(Side::new).unwrap_or_default();
        let mut judges = Vec::new();
        if let Some((first, rest)) = raters.split_first() {
            for judge in rest {
                let mut against = Against::new(rubric, first, judge, settings)?;
                reference.tell_apart(&mut against.judge);
                judges.push(against);
            }
        }
        Ok(Self {
            schema: SCHEMA,
            rubric: format!("{} {}", rubric.name(), rubric.version()),
            rubric_hash: rubric.digest().to_owned(),
            intervals: settings.bootstrap,
            reference,
            judges,
            together: (raters.len() > 2).then(|| Together::new(rubric, raters, &settings.bootstrap)),
            notes: raters.iter().flat_map(|rater| rater.notes.iter().cloned()).collect(),
        })
    }

    /// How many chats were compared at least once.
    pub fn compared(&self) -> usize {
        self.judges.iter().map(|judge| judge.matched.chats).max().unwrap_or_default()
    }
}

impl Against {
    fn new(rubric: &Rubric, reference: &Rater, judge: &Rater, settings: &Settings) -> Result<Self> {
        let matching: Matching = match_chats(&reference.ratings, &judge.ratings);
        let two = Two { rubric, reference, judge, matching: &matching };
        let bootstrap = &settings.bootstrap;
        let labels = checks::labels(&two, |_| true, |_, _| true);
        let slices = settings.by.map(|by| checks::slices(&two, by, bootstrap)).unwrap_or_default();
        Ok(Self {
            judge: Side::new(judge),
            matched: Matched::new(&matching, &reference.ratings, &judge.ratings),
            gates: Gates::new(&two, bootstrap),
            checks: labels.agreement(bootstrap),
            failures: labels.failures(checks::FAIL, bootstrap),
            confusion: checks::confusion(&two),
            overall: checks::overall(&two, bootstrap),
            pairs: Pairs::new(&two, bootstrap),
            by: settings.by,
            slices,
            disagreements: Disagreements::new(&two, settings.worst)?,
        })
    }
}

/// How far a judge agrees with the reference on checks: the same figures as in a [`Study`], without the rest of it.
pub fn on_checks(rubric: &Rubric, reference: &Rater, judge: &Rater, bootstrap: &Bootstrap) -> Agreement {
    let matching = match_chats(&reference.ratings, &judge.ratings);
    checks::labels(&Two { rubric, reference, judge, matching: &matching }, |_| true, |_, _| true).agreement(bootstrap)
}

/// Two raters and which chat is which.
struct Two<'a> {
    rubric: &'a Rubric,
    reference: &'a Rater,
    judge: &'a Rater,
    matching: &'a Matching,
}
