//! What a probe showed, as one HTML page.

use anyhow::Result;
use carelock_core::report::safe_text::one_line;
use carelock_page::{ProbeChat, ProbeGate, ProbePage, ProbeTable, Style, close_page, open_page, probe_article};

use super::coverage::{Coverage, GroupCoverage, WorstChat};
use super::coverage_text::interval;

/// The page, whole and on its own.
pub fn page(coverage: &Coverage) -> Result<String> {
    let content = content(coverage, |_| None);
    let title = format!("{} · Care-Lock", one_line(&content.title));
    let mut text = open_page(&title, Style::Inline, &[("probe-risk", "To the figures")])?;
    text += &probe_article(&content)?;
    Ok(text + &close_page(&[])?)
}

/// What the page says; `address` leads to a chat where there is a place to read it.
pub fn content(coverage: &Coverage, address: impl Fn(&WorstChat) -> Option<String>) -> ProbePage {
    let Coverage { repeat, seed, turns, conversations, scored, .. } = coverage;
    let by = one_line(&coverage.user);
    let facts = vec![
        format!("{} personas × {repeat}, played by {by}; up to {turns} turns, seed {seed}", coverage.personas.len()),
        format!("{scored} of {conversations} chats scored · mean overall {}", interval(coverage.overall)),
        format!("{} chats without danger were met as if there were some", coverage.false_alarms.len()),
    ];
    let gates = coverage.personas.iter().flat_map(|persona| {
        persona.gates.iter().map(|(check, count)| {
            let turn = persona.first_gate_turn.map_or_else(String::new, |turn| format!(", first at turn {turn}"));
            ProbeGate { check: check.clone(), text: format!("{} × {count}{turn}", persona.id) }
        })
    });
    let worst = |chat: &WorstChat| ProbeChat {
        title: format!("{} at turn {}: overall {:.2}", chat.chat, chat.turn, chat.overall),
        address: address(chat),
        quote: one_line(&chat.quote),
        why: one_line(&chat.why),
        better: chat.better.as_deref().map(one_line),
    };
    ProbePage {
        title: format!("Probe of {}", one_line(&coverage.bot)),
        facts,
        gates: gates.collect(),
        worst: coverage.worst.iter().map(worst).collect(),
        tables: tables(coverage),
    }
}

const GROUP_COLUMNS: [&str; 6] =
    ["", "Chats", "Mean overall", "Gated", "First gate at turn", "Safety asked or help named"];

fn tables(coverage: &Coverage) -> Vec<ProbeTable> {
    let group = |anchor, title: &str, groups: &[GroupCoverage]| ProbeTable {
        anchor,
        title: title.to_owned(),
        columns: GROUP_COLUMNS.to_vec(),
        rows: groups.iter().filter(|group| group.conversations > 0).map(group_row).collect(),
        ..ProbeTable::default()
    };
    let mut tables = vec![
        group("probe-risk", "By risk", &coverage.by_risk),
        group("probe-disclosure", "By disclosure", &coverage.by_disclosure),
        personas(coverage),
        checks(coverage),
    ];
    if !coverage.unscored.is_empty() {
        tables.push(ProbeTable {
            anchor: "probe-unscored",
            title: "Unscored".to_owned(),
            note: "These say nothing about the bot.".to_owned(),
            columns: vec!["Chat", "Why"],
            rows: coverage.unscored.iter().map(|(chat, why)| vec![chat.clone(), one_line(why)]).collect(),
        });
    }
    tables
}

fn turn(turn: Option<u32>) -> String {
    turn.map_or_else(|| "–".to_owned(), |turn| turn.to_string())
}

fn group_row(group: &GroupCoverage) -> Vec<String> {
    vec![
        group.group.clone(),
        group.conversations.to_string(),
        interval(group.overall),
        group.gated.to_string(),
        turn(group.first_gate_turn),
        group.alarmed.to_string(),
    ]
}

fn personas(coverage: &Coverage) -> ProbeTable {
    let rows = coverage.personas.iter().map(|persona| {
        let gates: Vec<String> = persona.gates.iter().map(|(check, count)| format!("{check} × {count}")).collect();
        vec![
            persona.id.clone(),
            one_line(&persona.title),
            persona.risk.word().to_owned(),
            persona.disclosure.word().to_owned(),
            persona.mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}")),
            gates.join(", "),
            turn(persona.first_gate_turn),
        ]
    });
    ProbeTable {
        anchor: "probe-personas",
        title: "Persona by persona".to_owned(),
        columns: vec!["Persona", "Who", "Risk", "Disclosure", "Mean overall", "Gates", "First gate at turn"],
        rows: rows.collect(),
        ..ProbeTable::default()
    }
}

fn checks(coverage: &Coverage) -> ProbeTable {
    let tested = coverage.checks.iter().filter(|check| check.triggered > 0).count();
    let rows = coverage.checks.iter().map(|check| {
        let counts = [check.triggered, check.failed, check.not_triggered, check.unscored];
        let named = [check.id.clone(), one_line(&check.title)];
        named.into_iter().chain(counts.iter().map(ToString::to_string)).collect()
    });
    ProbeTable {
        anchor: "probe-checks",
        title: "Check by check".to_owned(),
        note: format!("{tested} of {} checks were put to the test.", coverage.checks.len()),
        columns: vec!["Check", "What it asks", "Tested in chats", "Failed", "Did not arise", "Unscored"],
        rows: rows.collect(),
    }
}
