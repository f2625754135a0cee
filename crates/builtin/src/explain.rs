//! How a verdict came about, as data.

use serde::Serialize;

/// Everything that went into the verdict on one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The check.
    pub check: String,
    /// Whether it passes; nothing where it could not be judged.
    pub pass: Option<bool>,
    /// What that rests on: `observed`, `absent`, `not_triggered`, or why it was not judged.
    pub basis: String,
    /// How sure the judge is: `high`, `medium` or `low`.
    pub confidence: String,
    /// The sentences that speak for or against, the strongest first.
    pub sentences: Vec<Considered>,
    /// What was added up, the weightiest first. Positive numbers speak for a failure.
    pub contributions: Vec<Contribution>,
    /// The sum of the contributions, in thousandths. Above zero the check fails.
    pub sum: i64,
    /// What the judge would say in a report.
    pub why: String,
}

/// A sentence that was considered, with the acts recognised in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Considered {
    /// The turn.
    pub turn: u32,
    /// The words, verbatim.
    pub quote: String,
    /// Acts recognised in it, with their probability in thousandths, the likeliest first.
    pub acts: Vec<(String, u16)>,
}

/// One summand of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// What was looked at, in words.
    pub what: String,
    /// How strong it was, in thousandths.
    pub value: i64,
    /// What it counts for, in thousandths.
    pub weight: i64,
    /// Value times weight, in thousandths.
    pub adds: i64,
}
