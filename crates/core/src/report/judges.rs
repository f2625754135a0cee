//! What a panel's report says of its judges, in words for every view.

use super::safe_text::one_line;
use super::{Estimate, Report, names};

/// One line a judge: its name and its own overall score, the gates it saw, and what should be known of it.
pub(super) fn lines(report: &Report) -> Vec<String> {
    let Some(panel) = &report.panel else { return Vec::new() };
    let line = |own: &Report| {
        let overall = own.overall.map_or_else(|| "undetermined".to_owned(), |score| score.to_string());
        let gates: Vec<&str> = own.gates.iter().map(|gate| gate.check.as_ref()).collect();
        let gates = if gates.is_empty() { String::new() } else { format!(", gate {}", gates.join(" ")) };
        let overall = if names::judges_that_answered(own) == 0 { "gave no verdict".to_owned() } else { overall };
        let note = names::judge_note(&own.judge).map(|note| format!(" ({note})")).unwrap_or_default();
        format!("{}: {overall}{gates}{note}", one_line(&own.judge.name))
    };
    panel.reports.iter().map(line).collect()
}

/// How far the judges agree, and on which checks they do not.
pub fn agreement(report: &Report) -> Option<String> {
    let agreement = &report.panel.as_ref()?.agreement;
    if agreement.checks == 0 {
        return Some("agreement is not known: no check was answered by two judges".to_owned());
    }
    let shown = |name: &str, estimate: Option<Estimate>| {
        estimate.map(|e| format!("{name} {:.2} ({:.2} to {:.2})", e.value, e.low, e.high))
    };
    let parts = [
        shown("raw", agreement.raw),
        shown("Cohen's kappa", agreement.cohen_kappa),
        shown("Fleiss' kappa", agreement.fleiss_kappa),
        shown("Krippendorff's alpha", agreement.krippendorff_alpha),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let split: Vec<&str> =
        agreement.by_check.iter().filter(|(_, share)| **share < 1.0).map(|(id, _)| id.as_str()).collect();
    let split = if split.is_empty() { "no check".to_owned() } else { split.join(" ") };
    Some(format!("agreement on {} checks: {}; split on {}", agreement.checks, parts.join(", "), one_line(&split)))
}
