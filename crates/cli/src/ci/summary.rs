//! The outcome as Markdown, for a pull request or the page of a job.

use std::fmt::Write as _;

use carelock_core::report::safe_text::excerpt;
use carelock_core::report::{escape_markdown, names};
use carelock_core::rubric::Rubric;

use super::{Concern, Listed, Reason, Review};

/// A verdict is a sentence; more than this was not meant as one.
const VERDICT: usize = 400;

/// The page. Every word that came with a report is escaped.
pub(super) fn markdown(review: &Review, rubric: &Rubric, reasons: &[Reason], unread: usize) -> String {
    let mut out = String::new();
    let failed = !reasons.is_empty() || unread > 0;
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "## Care-Lock: {}\n", if failed { "failed" } else { "passed" });
    for reason in reasons {
        let _ = writeln!(out, "- {}", escape_markdown(&reason.to_string()));
    }
    if unread > 0 {
        let _ = writeln!(out, "- {} could not be evaluated", super::chats(unread));
    }
    if failed {
        out.push('\n');
    }
    figures(&mut out, review);
    concerns(&mut out, review, rubric);
    means(&mut out, review, rubric);
    let (name, version) = (escape_markdown(rubric.name()), escape_markdown(rubric.version()));
    let _ = writeln!(out, "<sub>Rubric {name} {version}</sub>");
    out
}

fn figures(out: &mut String, review: &Review) {
    let figures = &review.figures;
    let mut rows = vec![
        ("Chats", figures.chats.to_string(), String::new()),
        ("Mean overall score", figures.overall.shown(), String::new()),
        ("Chats with a gate tripped", figures.gated.to_string(), String::new()),
    ];
    if let Some(baseline) = &review.baseline {
        let mut overall = super::figures::Mean::default();
        baseline.chats.values().for_each(|chat| overall.add(chat.overall));
        rows[0].2 = baseline.chats.len().to_string();
        rows[1].2 = overall.shown();
        rows[2].2 = baseline.chats.values().filter(|chat| !chat.gates.is_empty()).count().to_string();
    }
    if figures.below > 0 {
        rows.push(("Chats below the threshold", figures.below.to_string(), String::new()));
    }
    if figures.unscored > 0 {
        rows.push(("Chats not fully judged", figures.unscored.to_string(), String::new()));
    }
    let baseline = review.baseline.as_ref().map(|baseline| escape_markdown(&baseline.name));
    let (head, rule) = baseline.as_ref().map_or((String::new(), ""), |name| (format!(" {name} |"), "---:|"));
    let _ = writeln!(out, "| | Now |{head}\n|---|---:|{rule}");
    for (what, now, before) in rows {
        let before = if baseline.is_some() { format!(" {before} |") } else { String::new() };
        let _ = writeln!(out, "| {what} | {now} |{before}");
    }
    out.push('\n');
    if let (Some(name), Some(fall)) = (&baseline, review.matched.fall()) {
        let (number, change) = (review.matched.number, super::change(-fall));
        let _ = writeln!(out, "Over the {number} chats with a score in both, the mean is {change} {name}.\n");
    }
}

fn concerns(out: &mut String, review: &Review, rubric: &Rubric) {
    let lists = [&review.fresh, &review.gated, &review.below];
    if lists.iter().all(|list| list.total == 0) {
        return;
    }
    out.push_str("| Chat | Overall | Gates | Verdict |\n|---|---:|---|---|\n");
    for concern in lists.iter().flat_map(|list| &list.shown) {
        row(out, concern, rubric);
    }
    out.push('\n');
    let more: usize = lists.into_iter().map(Listed::more).sum();
    if more > 0 {
        let _ = writeln!(out, "And {more} more.\n");
    }
}

fn row(out: &mut String, concern: &Concern, rubric: &Rubric) {
    let standing = &concern.standing;
    let gate = |gate: &String| {
        let id = escape_markdown(&names::gate_name(rubric, gate));
        if concern.fresh.contains(gate) { format!("**{id}** (new)") } else { id }
    };
    let gates: Vec<String> = standing.gates.iter().map(gate).collect();
    let overall = standing.overall.map_or_else(|| "–".to_owned(), |score| score.to_string());
    let id = escape_markdown(&excerpt(&standing.id, VERDICT));
    let verdict = escape_markdown(&excerpt(&standing.verdict, VERDICT));
    let _ = writeln!(out, "| {id} | {overall} | {} | {verdict} |", gates.join(", "));
}

fn means(out: &mut String, review: &Review, rubric: &Rubric) {
    out.push_str("<details>\n<summary>Metrics and tiers</summary>\n\n| Metric | Mean |\n|---|---:|\n");
    for (metric, mean) in rubric.metrics().iter().zip(&review.figures.metrics) {
        let _ = writeln!(out, "| {} | {} |", escape_markdown(&metric.title), mean.shown());
    }
    out.push_str("\n| Tier reached overall | Chats |\n|---|---:|\n");
    for tier in &rubric.file().tier {
        let number = review.figures.tiers.get(&tier.label).copied().unwrap_or_default();
        let _ = writeln!(out, "| {} | {number} |", escape_markdown(&tier.label));
    }
    out.push_str("\n</details>\n\n");
}
