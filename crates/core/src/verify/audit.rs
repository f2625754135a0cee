//! The audit of a report: what follows from the verdicts must be there, nothing more, and the rest must fit.

use super::json::Place;
use super::points::Points;
use crate::audit::{Finding, Outcome, Step};

/// The findings with their place; one that cannot be read is said to be so.
fn findings<'a>(audit: &Place<'a>) -> Vec<(Place<'a>, Result<Finding, String>)> {
    let read = |place: Place<'a>| {
        let finding = serde_json::from_value(place.value().clone()).map_err(|error| error.to_string());
        (place, finding)
    };
    audit.items().unwrap_or_default().into_iter().map(read).collect()
}

/// Whether the audit flagged that a metric rests on nothing.
pub(super) fn excuses(audit: &Place<'_>, metric: &str) -> bool {
    let flagged = |finding: &Finding| {
        finding.step == Step::Evidence && finding.outcome == Outcome::Flagged && finding.about == metric
    };
    findings(audit).iter().any(|(_, finding)| finding.as_ref().is_ok_and(flagged))
}

/// What can be said without the verdicts: readable, in order, and replaced sentences are those of the report.
pub(super) fn check_shape(report: &Place<'_>, points: &mut Points) {
    let audit = report.key("audit");
    if audit.items().is_none() {
        return points.fails(&audit, format!("expected a list, found {}", audit.sort()));
    }
    let (mut last, mut sent) = (Step::Entailed, 0);
    for (place, finding) in findings(&audit) {
        let finding = match finding {
            Ok(finding) => finding,
            Err(error) => {
                points.fails(&place, format!("not a finding: {error}"));
                continue;
            }
        };
        if finding.step < last {
            points.fails(place.key("step"), "the steps of the audit are out of order");
        }
        last = finding.step;
        match finding.step {
            Step::Entailed | Step::Incoherent => {}
            Step::Evidence => sent += 1,
            Step::Wording => check_wording(report, &place, &finding, points),
        }
    }
    if sent > 0 {
        let what =
            format!("{sent} findings on evidence: what the judge had sent before it was mended is kept nowhere else");
        points.open("audit (evidence)", what);
    }
}

fn check_wording(report: &Place<'_>, place: &Place<'_>, finding: &Finding, points: &mut Points) {
    let metric = report.key("metrics").key(&finding.about);
    let sentence = if metric.is_missing() { report.key(&finding.about) } else { metric.key("why") };
    let after = place.key("after");
    match sentence.text() {
        Some(text) if finding.after == text => points.holds(&after, format!("is the sentence at {sentence}")),
        _ => points.fails(&after, format!("is not the sentence at {sentence}")),
    }
}

/// Compares the steps that follow from the verdicts alone: entailed failures and incoherent metrics.
pub(super) fn check_derived(audit: &Place<'_>, derived: &[Finding], points: &mut Points) {
    let follows = |finding: &Finding| matches!(finding.step, Step::Entailed | Step::Incoherent);
    let mut said: Vec<Place<'_>> = findings(audit)
        .into_iter()
        .filter_map(|(place, finding)| finding.ok().filter(follows).map(|_| place))
        .collect();
    for finding in derived {
        let named = |place: &Place<'_>| place.key("rule").text() == Some(&finding.rule);
        let Some(found) = said.iter().position(named) else {
            points.fails(audit, format!("a finding is missing: {}, {}", finding.rule, finding.saw));
            continue;
        };
        compare(&said.remove(found), finding, points);
    }
    for extra in said {
        points.fails(&extra, "nothing in the verdicts leads to this finding");
    }
    if derived.is_empty() && audit.items().is_some() {
        points.holds(audit, "the verdicts entail no failure and no metrics lie far apart");
    }
}

fn compare(place: &Place<'_>, finding: &Finding, points: &mut Points) {
    const FIELDS: [&str; 7] = ["step", "rule", "outcome", "about", "saw", "before", "after"];
    let derived = serde_json::to_value(finding).unwrap_or_default();
    points.compare_fields(place, &FIELDS, &derived, format!("{}: {}", finding.rule, finding.outcome));
}
