//! A panel's report: every judge's own report verifies, and the panel's verdicts follow from theirs.

use serde_json::Value;

use super::json::Place;
use super::own;
use super::points::Points;
use crate::panel::Agreement;
use crate::report::Report;
use crate::rubric::Rubric;
use crate::transcript::Transcript;
use crate::verdict::{Submission, Verdicts};

pub(super) fn check(report: &Place<'_>, rubric: &Rubric, same_rubric: bool, points: &mut Points) {
    let panel = report.key("panel");
    if panel.is_missing() {
        return;
    }
    let reports = panel.key("reports");
    let Some(members) = reports.items().filter(|members| members.len() > 1) else {
        points.fails(&reports, "a panel keeps the reports of two or more judges");
        return;
    };
    for member in &members {
        own::check(member, rubric, points);
        points.compare(&member.key("transcript").key("hash"), &report.key("transcript").key("hash").value().clone());
    }
    if !same_rubric {
        points.open(&panel, "the panel's verdicts follow from the rules of another rubric");
        return;
    }
    match derive(report.value(), rubric) {
        Ok((derived, agreement)) => {
            let verdicts = |report: &Report| -> Vec<Value> {
                report.checks().map(|(_, _, check)| serde_json::to_value(check).unwrap_or_default()).collect()
            };
            let said: Option<Report> = serde_json::from_value(report.value().clone()).ok();
            let same = said.as_ref().is_some_and(|said| verdicts(said) == verdicts(&derived));
            let sentence = "the panel's verdicts";
            points.judge(
                format!("{panel}.verdicts"),
                if same {
                    Ok(format!("{sentence} follow from its judges' reports"))
                } else {
                    Err(format!("{sentence} do not follow from its judges' reports and the gate policy"))
                },
            );
            points.compare(&panel.key("agreement"), &serde_json::to_value(agreement).unwrap_or_default());
        }
        Err(what) => points.fails(&panel, what),
    }
}

/// The panel's report and agreement, made again from its judges' reports.
fn derive(report: &Value, rubric: &Rubric) -> Result<(Report, Agreement), String> {
    let said: Report = serde_json::from_value(report.clone()).map_err(|error| format!("cannot be read: {error}"))?;
    let chat: Transcript = said.to_transcript().map_err(|error| error.to_string())?;
    let panel = said.panel.ok_or("there is no panel")?;
    let mut members = Vec::new();
    for member in &panel.reports {
        let text = serde_json::to_string(member).map_err(|error| error.to_string())?;
        let submission = Submission::from_json(&text).map_err(|error| error.to_string())?;
        members.push(Verdicts::admit(rubric, &chat, submission).map_err(|error| error.to_string())?);
    }
    let agreement = Agreement::between(rubric, &members);
    let together = Verdicts::panel(rubric, &members, panel.gate_policy);
    let weights = crate::scorecard::Weights::equal(rubric);
    Ok((Report::assemble(rubric, chat, together, &weights), agreement))
}
