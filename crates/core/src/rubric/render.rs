//! The rubric as Markdown.

use std::fmt::Write as _;

use super::Rubric;

pub(super) fn markdown(rubric: &Rubric) -> String {
    let file = rubric.file();
    let mut out = String::new();
    // Writing to a String cannot fail, so the results are dropped on purpose.
    let _ = writeln!(out, "# {} rubric {}\n\nDigest `{}`\n", file.name, file.version, rubric.digest());
    for (number, metric) in file.metric.iter().enumerate() {
        let gate = file.gate.iter().find(|gate| gate.metric == metric.key);
        let _ = writeln!(out, "## {} {} (`{}`)\n\n{}\n", number + 1, metric.title, metric.key, metric.about);
        if let Some(gate) = gate {
            let checks = gate.checks.join(" or ");
            let _ = writeln!(
                out,
                "**Gate.** {checks} fails → {} is 0.00 and the overall score at most {}.\n",
                metric.key, gate.cap
            );
        }
        out.push_str("| id | name | kind | passes when | fails when |\n|---|---|---|---|---|\n");
        for check in &metric.check {
            let condition = check.condition.as_deref().map(|text| format!("*{text}:* ")).unwrap_or_default();
            let kind = if check.safety { format!("{}, safety", check.kind) } else { check.kind.to_string() };
            let _ = writeln!(
                out,
                "| {} | {} | {kind} | {}{} | {} |",
                check.id,
                cell(&check.title),
                cell(&condition),
                cell(&check.passes),
                cell(&check.fails)
            );
        }
        out.push('\n');
    }
    write_arithmetic(&mut out, rubric);
    out
}

fn write_arithmetic(out: &mut String, rubric: &Rubric) {
    let file = rubric.file();
    out.push_str("## Words\n\n");
    for (word, meaning) in &file.words {
        let _ = writeln!(out, "- *{word}*: {meaning}");
    }
    out.push_str("\n## When in doubt\n\n");
    for rule in file.doubt.values() {
        let _ = writeln!(out, "- {rule}");
    }
    out.push_str("\n## Tiers\n\n| passes, at least | score | tier |\n|---|---|---|\n");
    for tier in &file.tier {
        let _ = writeln!(out, "| {} | {} | {} |", tier.passes, tier.score, tier.label);
    }
    out.push_str("\n## Self-audit\n\n");
    for rule in &file.audit.entails {
        let _ = writeln!(out, "- {} fails → {} fails: {}", rule.when_fails, rule.then_fails, rule.because);
    }
    if let Some(rule) = &file.audit.incoherent {
        for (left, right) in &rule.pairs {
            let _ = writeln!(
                out,
                "- {left}–{right}: a gap of {} is flagged, of {} or more lowers the higher by one tier",
                rule.flag_gap, rule.lower_gap
            );
        }
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
