//! Verifying a report: its numbers derived again, and where the embedded judge of this version gave the answers, these too.

use carelock_core::problem::Problem;
use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::verdict::Verdicts;
use carelock_core::verify::{self, Outcome, Point, Verification};

use crate::embedded::Embedded;

/// Derives every number of a report again and looks every quote up. With a judge, answers that this version of the embedded
/// judge gave are asked for again and compared: it gives the same ones to the same chat.
pub fn verify(text: &str, rubric: &Rubric, judge: Option<&Embedded>) -> Result<Verification, Problem> {
    let mut verification = verify::verify(text, rubric)?;
    let Some((judge, report)) = judge.zip(verify::report(text)) else { return Ok(verification) };
    let is_its_own = |report: &Report| {
        let info = judge.judge().info();
        report.judge.name == info.name && report.judge.model == info.model && report.rubric.hash == rubric.digest()
    };
    let panel = report.panel.iter().flat_map(|panel| panel.reports.iter().enumerate());
    let members = panel.map(|(number, member)| (format!("panel.reports[{number}].judge"), member));
    let all = std::iter::once(("judge".to_owned(), &report)).chain(members);
    for (what, report) in all.filter(|(_, report)| is_its_own(report)) {
        let (outcome, detail) = match judged_again(report, rubric, judge) {
            Ok(()) => (Outcome::Holds, "asked again, the embedded judge gives the same answers".to_owned()),
            Err(detail) => (Outcome::DoesNotHold, detail),
        };
        verification.points.retain(|point| point.what != what);
        verification.points.push(Point { what, outcome, detail });
    }
    Ok(verification)
}

/// Asks the embedded judge again; says where it differs.
fn judged_again(report: &Report, rubric: &Rubric, judge: &Embedded) -> Result<(), String> {
    let chat = report.to_transcript().map_err(|error| format!("the chat cannot be judged again: {error}"))?;
    let answers = judge.judge().judge(rubric, &chat);
    let verdicts = Verdicts::admit(rubric, &chat, answers).map_err(|error| error.to_string())?;
    let weights = report.weights.as_ref().and_then(|weights| Weights::from_map(rubric, weights).ok());
    let again = Report::assemble(rubric, chat, verdicts, &weights.unwrap_or_else(|| Weights::equal(rubric)));
    let said = report.checks().zip(again.checks());
    let other: Vec<&str> = said.filter(|(said, again)| said.2 != again.2).map(|(said, _)| said.1).collect();
    let reasons = |report: &Report| -> Vec<_> {
        report.metrics.values().map(|metric| (metric.ev.clone(), metric.why.clone())).collect()
    };
    // Values before and after are compared where they are derived; here 1 and 1.0 would differ.
    let findings = |report: &Report| -> Vec<_> {
        report.audit.iter().map(|one| (one.rule.clone(), one.about.clone(), one.saw.clone())).collect()
    };
    let words = [
        ("what it says of itself", report.judge == again.judge),
        ("the moments", report.moments == again.moments),
        ("what went well", report.positive == again.positive),
        ("what went wrong", report.negative == again.negative),
        ("the reasons of the metrics", reasons(report) == reasons(&again)),
        ("the summary", report.summary == again.summary),
        ("the self-audit", findings(report) == findings(&again)),
    ];
    let other_words = words.iter().filter(|(_, same)| !same).map(|(part, _)| *part);
    let differing: Vec<&str> = other.into_iter().chain(other_words).collect();
    if differing.is_empty() {
        return Ok(());
    }
    Err(format!("asked again, the embedded judge answers differently in: {}", differing.join(", ")))
}

#[cfg(test)]
mod tests;
