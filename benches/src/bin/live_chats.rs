//! Labelled chats told turn by turn, as the guard sees them: whether a crisis is reported at its turn, how often an ordinary
//! turn raises anything, and whether the report after every turn is that of an evaluation.
//!
//! `cargo run --release -p carelock-benches --bin live_chats -- same CHATS | cues EXCHANGES POOL… | calm CHATS`
//!
//! CHATS: a JSON record a line with `id` and `turns` (`speaker`, `text`). EXCHANGES: `chat`, `human_turn` and `labels`, about chats
//! in the files of the POOL.

#![expect(clippy::print_stdout, reason = "its output is its result")]

use std::collections::HashMap;
use std::sync::Arc;

use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_engine::embedded::Embedded;
use carelock_engine::evaluate::Evaluator;
use carelock_engine::event::Events;
use carelock_engine::panel::JudgePanel;
use carelock_engine::runs::Scoring;
use carelock_engine::session::{Change, ChangeKind, Session, Watcher};
use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
type Said = Vec<(Speaker, String)>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let embedded: Arc<Embedded> = Arc::default();
    let watcher = Arc::new(Watcher::new(Rubric::care_lock(), Arc::clone(&embedded)));
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["same", chats] => same(&watcher, embedded, chats),
        ["cues", exchanges, pool @ ..] => cues(&watcher, exchanges, pool),
        ["calm", chats] => calm(&watcher, chats),
        _ => Err("say `same CHATS`, `cues EXCHANGES POOL…` or `calm CHATS`".into()),
    }
}

fn records(path: &str) -> Outcome<Vec<Value>> {
    std::fs::read_to_string(path)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn said(record: &Value) -> Said {
    let turns = record["turns"].as_array().into_iter().flatten();
    let speaker = |turn: &Value| if turn["speaker"] == "AI" { Speaker::Ai } else { Speaker::Human };
    turns.map(|turn| (speaker(turn), turn["text"].as_str().unwrap_or_default().to_owned())).collect()
}

/// Every report on the way is that of an evaluation, byte for byte, replies previewed in pieces before.
fn same(watcher: &Arc<Watcher>, embedded: Arc<Embedded>, chats: &str) -> Outcome<()> {
    let rubric = Rubric::care_lock();
    let weights = carelock_core::scorecard::Weights::equal(&rubric);
    let scoring = Scoring { rubric, weights, rules: carelock_core::panel::PanelRules::default() };
    let panel = JudgePanel::embedded(1).sharing(embedded);
    let evaluator = Evaluator { scoring, panel, events: Events::default() };
    let (mut compared, mut differ, mut count) = (0, 0, 0);
    for record in records(chats)? {
        count += 1;
        let (id, turns) = (record["id"].as_str().unwrap_or("chat"), said(&record));
        let mut session = Session::new(id, Arc::clone(watcher));
        for (place, (speaker, text)) in turns.iter().enumerate() {
            if *speaker == Speaker::Ai {
                session.preview(&text[..text.floor_char_boundary(text.len() / 2)], false);
            }
            if place % 3 == 2 {
                session.cool();
            }
            session.push(*speaker, text);
            let Ok(so_far) = Transcript::new(id, turns[..=place].to_vec()) else { continue };
            let expected = evaluator.evaluate_at_once(so_far.into(), true)?;
            compared += 1;
            if serde_json::to_string(&session.report()?)? != serde_json::to_string(&expected)? {
                differ += 1;
                println!("{id} differs after turn {}", place + 1);
            }
        }
    }
    println!("{count} chats, {compared} reports compared, {differ} differ");
    Ok(())
}

/// In how many messages that show a crisis the cue is reported at that very turn.
fn cues(watcher: &Arc<Watcher>, exchanges: &str, pool: &[&str]) -> Outcome<()> {
    let mut chats = HashMap::new();
    for file in pool {
        for record in records(file)? {
            chats.insert(record["id"].as_str().unwrap_or_default().to_owned(), said(&record));
        }
    }
    let (mut all, mut reported, mut sure, mut unread) = (0, 0, 0, 0);
    for exchange in records(exchanges)?.iter().filter(|exchange| exchange["labels"]["crisis"].is_string()) {
        let place = exchange["human_turn"].as_u64().and_then(|turn| usize::try_from(turn).ok()).unwrap_or(1);
        let Some(turns) = chats.get(exchange["chat"].as_str().unwrap_or_default()) else { continue };
        let Some(((speaker, text), before)) = turns.get(..place).and_then(<[_]>::split_last) else { continue };
        let mut session = Session::new("chat", Arc::clone(watcher));
        session.push_all(before.iter().map(|(speaker, text)| (*speaker, text.as_str())));
        let changes = session.push(*speaker, text);
        let cue = changes.iter().find(|change| change.kind == ChangeKind::Cue);
        all += 1;
        reported += usize::from(cue.is_some());
        sure += usize::from(cue.is_some_and(|cue| cue.sure == Some(true)));
        unread += usize::from(session.unread().is_some());
    }
    println!(
        "{all} messages that show a crisis: {reported} reported at their turn ({:.1} %), {sure} of them sure ({:.1} %); {unread} not judged",
        share(reported, all),
        share(sure, all)
    );
    Ok(())
}

/// In how many turns of ordinary chats anything is raised.
fn calm(watcher: &Arc<Watcher>, chats: &str) -> Outcome<()> {
    let (mut all, mut alarms, mut unsure, mut failed, mut count) = (0, 0, 0, 0, 0);
    for record in records(chats)? {
        count += 1;
        let mut session = Session::new("chat", Arc::clone(watcher));
        for (speaker, text) in said(&record) {
            let changes = session.push(speaker, &text);
            let of = |kind: ChangeKind| changes.iter().any(|change| change.kind == kind);
            let is_alarm = changes.iter().any(Change::is_alarm);
            all += 1;
            alarms += usize::from(is_alarm);
            unsure += usize::from(!is_alarm && of(ChangeKind::Unsure));
            failed += usize::from(!is_alarm && of(ChangeKind::Failed));
            for change in changes.iter().filter(|change| change.is_alarm()) {
                let (name, check) = (change.kind.name(), change.check.as_deref().unwrap_or_default());
                println!(
                    "{} turn {}: {name} {check} {:?}",
                    record["id"],
                    change.turn,
                    change.quote.as_deref().unwrap_or_default()
                );
            }
        }
    }
    println!(
        "{count} chats, {all} turns: {alarms} raise a cue, something due or a gate ({:.2} %); {unsure} more are unsure of a gate ({:.2} %), {failed} more fail another check ({:.2} %)",
        share(alarms, all),
        share(unsure, all),
        share(failed, all)
    );
    Ok(())
}

fn share(part: usize, all: usize) -> f64 {
    part as f64 * 100.0 / all.max(1) as f64
}
