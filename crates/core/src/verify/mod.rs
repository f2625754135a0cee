//! Checking a report against itself: every number derived again, every quote looked up again.

mod chat;
mod compare;
mod earlier;
mod json;
mod moments;
mod own;
mod points;
mod text;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::Value;

pub use points::{Counts, Outcome, Point};

use crate::problem::Problem;
use crate::report::{REPORT_SCHEMA, Report};
use crate::rubric::Rubric;
use json::Place;
use points::Points;

/// What became of every claim of one report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Which sort of report it is.
    pub kind: ReportKind,
    /// The chat's id, where the report names it.
    pub id: Option<String>,
    /// The claims in the order they were looked at.
    pub points: Vec<Point>,
    /// Whether every score, the gates and the overall score could be derived.
    pub derived: bool,
}

/// What a verification comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Every number was derived again, and everything that could be checked holds.
    Holds,
    /// Something does not hold.
    DoesNotHold,
    /// Nothing was found wrong, but the scores could not be derived.
    NotVerifiable,
}

/// Which sort of report was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "format", rename_all = "snake_case")]
pub enum ReportKind {
    /// A report of this engine.
    Own {
        /// The name of its format.
        schema: String,
    },
    /// A report of the earlier Python Care-Lock: scores without the answers behind them.
    Earlier,
}

/// Derives every number of a report again and looks every quote up, and says of each claim whether it holds.
///
/// The text is the JSON of one report: of this engine, or of the earlier Python Care-Lock. Odd types inside a report are
/// claims that do not hold; only a text that is no report at all is an error.
///
/// ```
/// use carelock_core::{rubric::Rubric, verify::verify};
///
/// let report = r#"{
///     "turns": [{"idx": 1, "speaker": "HUMAN", "text": "I feel lost."}, {"idx": 2, "speaker": "AI", "text": "I hear you."}],
///     "moments": [{"id": 1, "idx": 2, "speaker": "AI", "quote": "I see you.", "why": "Warm."}],
///     "metrics": {"Empathy": {"score": 0.8, "ev": [1], "why": "Warm."}},
///     "summary": "Warm."
/// }"#;
/// let verification = verify(report, &Rubric::care_lock())?;
/// assert!(!verification.holds());
/// assert_eq!(verification.failing().next().unwrap().what, "moments[0].quote");
/// # Ok::<(), carelock_core::problem::Problem>(())
/// ```
pub fn verify(text: &str, rubric: &Rubric) -> Result<Verification, Problem> {
    let read = json::read(text)?;
    let report = Place::root(&read.value);
    let kind = kind(&report)?;
    let mut points = Points::default();
    for path in read.twice {
        points.fails(path, "the key stands twice in one object, so two readers may see two reports");
    }
    let id = match &kind {
        ReportKind::Own { .. } => own::check(&report, rubric, &mut points),
        ReportKind::Earlier => earlier::check(&report, rubric, &mut points),
    };
    let (points, derived) = points.finish();
    Ok(Verification { kind, id, points, derived })
}

/// The report of this engine that a text holds, read as [`verify`] reads it; nothing where it cannot be read.
pub fn report(text: &str) -> Option<Report> {
    own::read(&json::read(text).ok()?.value).ok()
}

/// What only our own reports have; a report that lost its `schema` must not pass for an earlier one.
const OWN_MARKS: [&str; 4] = ["transcript", "rubric", "coverage", "gates"];

fn kind(report: &Place<'_>) -> Result<ReportKind, Problem> {
    let other = |at: &str, what: String, fix: &str| Err(Problem::located(at, format!("not a report: {what}"), fix));
    let Some(fields) = report.entries() else {
        let fix = "pass one report, an object; of several, pass one at a time";
        return other("the top", format!("expected an object, found {}", report.sort()), fix);
    };
    let schema = report.key("schema");
    if let Some(name) = schema.text().filter(|&name| name != REPORT_SCHEMA && name.starts_with("carelock/")) {
        let what = format!("its format is {name:?}, this version verifies {REPORT_SCHEMA:?}");
        return other("schema", what, "pass a report; if it comes from a newer Care-Lock, verify it with that one");
    }
    let metrics = report.key("metrics");
    let has_checks =
        metrics.entries().is_some_and(|all| all.iter().any(|(_, metric)| !metric.key("checks").is_missing()));
    let is_own = !schema.is_missing() || has_checks || OWN_MARKS.iter().any(|mark| !report.key(mark).is_missing());
    if is_own && (schema.text() == Some(REPORT_SCHEMA) || !metrics.is_missing()) {
        return Ok(ReportKind::Own { schema: schema.text().unwrap_or_default().to_owned() });
    }
    if metrics.entries().is_some_and(|all| !all.is_empty()) {
        return Ok(ReportKind::Earlier);
    }
    let names: Vec<&str> = fields.iter().take(5).map(|(name, _)| *name).collect();
    let what = match report.key("error").value() {
        Value::Null if names.is_empty() => "it is empty".to_owned(),
        Value::Null => format!("there are no metrics in it, only: {}", names.join(", ")),
        error => format!("it records an error: {}", points::shown(error)),
    };
    other("metrics", what, "pass the JSON of a report, with its `metrics`")
}

impl Verification {
    /// Whether every number could be derived again and everything holds.
    pub fn holds(&self) -> bool {
        self.conclusion() == Conclusion::Holds
    }

    /// What it comes to.
    pub fn conclusion(&self) -> Conclusion {
        match (self.failing().next(), self.derived) {
            (Some(_), _) => Conclusion::DoesNotHold,
            (None, false) => Conclusion::NotVerifiable,
            (None, true) => Conclusion::Holds,
        }
    }

    /// The claims that do not hold.
    pub fn failing(&self) -> impl Iterator<Item = &Point> {
        self.with(Outcome::DoesNotHold)
    }

    /// The claims with this outcome, in order.
    pub fn with(&self, outcome: Outcome) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(move |point| point.outcome == outcome)
    }

    /// How many claims have each outcome.
    pub fn counts(&self) -> Counts {
        let count = |outcome| self.with(outcome).count();
        Counts {
            hold: count(Outcome::Holds),
            do_not_hold: count(Outcome::DoesNotHold),
            cannot_be_verified: count(Outcome::CannotVerify),
        }
    }

    /// The verification for people, 80 columns wide: first what does not hold, then what cannot be verified, then a
    /// summary of what holds, or all of it when `verbose`.
    pub fn to_text(&self, verbose: bool) -> String {
        text::render(self, verbose)
    }
}

impl Serialize for Verification {
    /// The counts go with the points, so that a script needs to count nothing.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Verification", 6)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("id", &self.id)?;
        fields.serialize_field("holds", &self.holds())?;
        fields.serialize_field("conclusion", &self.conclusion())?;
        fields.serialize_field("counts", &self.counts())?;
        fields.serialize_field("points", &self.points)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests;
