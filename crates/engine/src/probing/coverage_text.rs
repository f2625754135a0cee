//! What a probe showed, for a terminal.

use std::fmt::Write as _;

use carelock_core::report::safe_text::one_line;

use super::coverage::{Coverage, GroupCoverage, MeanWithInterval};

/// Checks that are listed.
const LISTED: usize = 8;

/// The coverage report as text.
pub fn text(coverage: &Coverage) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(coverage, &mut text);
    text
}

fn write(coverage: &Coverage, text: &mut String) -> std::fmt::Result {
    let Coverage { conversations, repeat, seed, turns, .. } = coverage;
    writeln!(text, "probe of {}", one_line(&coverage.bot))?;
    writeln!(
        text,
        "  persons            {} personas × {repeat}, played by {}",
        coverage.personas.len(),
        one_line(&coverage.user)
    )?;
    writeln!(text, "  set up with        up to {turns} turns, seed {seed}")?;
    writeln!(text, "  scored             {} of {conversations} chats", coverage.scored)?;
    writeln!(text, "  mean overall       {}", interval(coverage.overall))?;
    let gates: Vec<String> = coverage.gates.iter().map(|(id, count)| format!("{id} in {count}")).collect();
    writeln!(
        text,
        "  gates tripped      {}",
        if gates.is_empty() { "in no chat".to_owned() } else { gates.join(", ") }
    )?;
    let harmless = coverage.by_risk.iter().find(|group| group.group == "none").map_or(0, |group| group.conversations);
    writeln!(text, "  false alarms       {} of {harmless} chats without danger", coverage.false_alarms.len())?;
    for (title, groups) in [("risk", &coverage.by_risk), ("disclosure", &coverage.by_disclosure)] {
        writeln!(text, "\n{title:<12} chats  mean overall         gated  first at turn  safety asked or help named")?;
        groups.iter().filter(|group| group.conversations > 0).try_for_each(|group| line(text, group))?;
    }
    write_checks(coverage, text)?;
    write_personas(coverage, text)?;
    write_worst(coverage, text)
}

fn line(text: &mut String, group: &GroupCoverage) -> std::fmt::Result {
    let turn = group.first_gate_turn.map_or_else(|| "–".to_owned(), |turn| turn.to_string());
    let GroupCoverage { group: name, conversations, gated, alarmed, overall, .. } = group;
    writeln!(text, "{name:<12} {conversations:>5}  {:<19} {gated:>6}  {turn:>13}  {alarmed:>26}", interval(*overall))
}

pub(super) fn interval(of: MeanWithInterval) -> String {
    match (of.mean, of.low, of.high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.2} ({low:.2} to {high:.2})"),
        (Some(mean), ..) => format!("{mean:.2}"),
        (None, ..) => "undetermined".to_owned(),
    }
}

fn write_checks(coverage: &Coverage, text: &mut String) -> std::fmt::Result {
    let tested = coverage.checks.iter().filter(|check| check.triggered > 0).count();
    writeln!(text, "\n{tested} of {} checks were put to the test", coverage.checks.len())?;
    let never: Vec<&str> =
        coverage.checks.iter().filter(|check| check.triggered == 0).map(|check| check.id.as_str()).collect();
    if !never.is_empty() {
        writeln!(text, "  never: {}", never.join(", "))?;
    }
    let mut failed: Vec<_> = coverage.checks.iter().filter(|check| check.failed > 0).collect();
    failed.sort_by_key(|check| std::cmp::Reverse(check.failed));
    for check in failed.iter().take(LISTED) {
        let title = one_line(&check.title);
        writeln!(text, "  {:<4} failed in {:>3} of {:>3} chats  {title}", check.id, check.failed, check.triggered)?;
    }
    if failed.len() > LISTED {
        writeln!(text, "  … and {} more with failures", failed.len() - LISTED)?;
    }
    Ok(())
}

fn write_personas(coverage: &Coverage, text: &mut String) -> std::fmt::Result {
    let mut gated: Vec<_> = coverage.personas.iter().filter(|persona| !persona.gates.is_empty()).collect();
    gated.sort_by_key(|persona| persona.first_gate_turn);
    if !gated.is_empty() {
        writeln!(text, "\ngates, persona by persona")?;
    }
    for persona in gated {
        let gates: Vec<String> = persona.gates.iter().map(|(id, count)| format!("{id} × {count}")).collect();
        let turn = persona.first_gate_turn.map_or_else(String::new, |turn| format!(", first at turn {turn}"));
        writeln!(text, "  {}: {}{turn}", persona.id, gates.join(", "))?;
    }
    if !coverage.unscored.is_empty() {
        writeln!(text, "\nunscored")?;
        coverage.unscored.iter().try_for_each(|(chat, reason)| writeln!(text, "  {chat}: {}", one_line(reason)))?;
    }
    Ok(())
}

fn write_worst(coverage: &Coverage, text: &mut String) -> std::fmt::Result {
    if coverage.worst.is_empty() {
        return Ok(());
    }
    writeln!(text, "\nlook at these first")?;
    for worst in &coverage.worst {
        let gates = if worst.gates.is_empty() { String::new() } else { format!(", gate {}", worst.gates.join(", ")) };
        writeln!(text, "  {} at turn {}: overall {:.2}{gates}", worst.chat, worst.turn, worst.overall)?;
        writeln!(text, "    “{}”", one_line(&worst.quote))?;
        writeln!(text, "    {}", one_line(&worst.why))?;
        if let Some(better) = &worst.better {
            writeln!(text, "    better: {}", one_line(better))?;
        }
    }
    Ok(())
}
