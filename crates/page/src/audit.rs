//! What the self-audit saw, with links to what it is about.

use carelock_core::audit::{Finding, Outcome, Step};
use carelock_core::report::names;
use carelock_core::report::safe_text::{excerpt, one_line};
use serde_json::Value;

use crate::subject::Subject;

/// Enough of a text that was replaced to recognise it; the whole of it stands in the JSON report.
const CHANGE: usize = 240;

/// A finding.
pub(crate) struct ShownFinding {
    pub(crate) step: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) about: String,
    /// Where the check or metric it is about stands.
    pub(crate) anchor: Option<String>,
    pub(crate) rule: String,
    pub(crate) saw: String,
    /// What it was and what it is now, where something was changed.
    pub(crate) change: Option<(String, String)>,
}

impl ShownFinding {
    /// Findings that cost points stand out.
    pub(crate) fn class(&self) -> &'static str {
        match self.outcome {
            Outcome::Failed | Outcome::Lowered => "bad",
            Outcome::Rejected | Outcome::Flagged => "mixed",
            Outcome::Fixed | Outcome::Replaced => "plain",
        }
    }
}

pub(crate) fn findings(subject: &Subject<'_>) -> Vec<ShownFinding> {
    subject.report.audit.iter().map(|finding| shown(subject, finding)).collect()
}

fn shown(subject: &Subject<'_>, finding: &Finding) -> ShownFinding {
    let metric = || subject.report.metrics.get_index_of(finding.about.as_str());
    let anchor = subject.check_anchor(&finding.about).or_else(|| metric().map(|at| subject.anchors.metric(at)));
    ShownFinding {
        step: match finding.step {
            Step::Entailed => "one failure entails another",
            Step::Incoherent => "metrics far apart",
            Step::Evidence => "evidence",
            Step::Wording => "wording",
        },
        outcome: finding.outcome,
        about: names::metric_title(subject.rubric, &finding.about).into_owned(),
        anchor,
        rule: names::with_titles(subject.rubric, &one_line(&finding.rule)),
        saw: names::with_titles(subject.rubric, &one_line(&finding.saw)),
        change: (finding.before != finding.after).then(|| (value(&finding.before), value(&finding.after))),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(pass) => if *pass { "pass" } else { "fail" }.to_owned(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |score| format!("{score:.2}")),
        Value::String(text) => excerpt(text, CHANGE),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        other => excerpt(&other.to_string(), CHANGE),
    }
}
