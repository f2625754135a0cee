//! A comparison as one HTML page.

use anyhow::Result;
use carelock_core::report::names::check_name;
use carelock_core::report::safe_text::one_line;
use carelock_core::rubric::Rubric;
use carelock_page::{
    ChangeRow, ChatLink, ComparisonPage, ContestPage, DifferenceRow, Figure, FlipRow, KindRow, SideRow, Style,
    close_page, comparison_article, open_page,
};
use carelock_statistics::Estimate;

use super::change::{Change, Flip, NamedChat};
use super::contest::{Contest, Difference};
use super::leaderboard::LeaderboardRow;
use super::text::{chat_by_chat, how, matched, score, sentences};
use super::{Comparison, number};
use crate::figures::{estimate, p_value, value};

/// The page.
pub fn html(comparison: &Comparison, rubric: &Rubric) -> Result<String> {
    let content = comparison_page(comparison, rubric);
    let title = format!("{} · Care-Lock", one_line(&content.title));
    let mut text = open_page(&title, Style::Inline, &[("sides", "To the figures")])?;
    text += &comparison_article(&content)?;
    Ok(text + &close_page(&[])?)
}

/// What the page says.
pub fn comparison_page(comparison: &Comparison, rubric: &Rubric) -> ComparisonPage {
    let title = match comparison.contests.as_slice() {
        [only] => format!("{} against {}", only.second.name, only.first.name),
        _ => format!("{} side by side", comparison.leaderboard.len()),
    };
    ComparisonPage {
        title,
        facts: vec![format!("{} · {}", comparison.rubric, comparison.rubric_hash)],
        sides: comparison.leaderboard.iter().map(side).collect(),
        contests: comparison.contests.iter().map(|contest| of_contest(contest, rubric)).collect(),
        notes: comparison.notes.clone(),
        how: how(comparison),
    }
}

fn side(standing: &LeaderboardRow) -> SideRow {
    SideRow {
        name: one_line(&standing.side.name),
        judges: judges(&standing.side.judges),
        addresses: None,
        chats: standing.side.chats as u64,
        overall: figure(&standing.overall, estimate),
        gated: standing.gated,
        gate_rate: figure(&standing.gate_rate, estimate),
        not_fully_judged: standing.not_fully_judged as u64,
    }
}

/// Answers that lay ready need not say whose they are.
fn judges(names: &[String]) -> String {
    let named: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    if named.is_empty() { "not named".to_owned() } else { one_line(&named.join(", ")) }
}

fn of_contest(contest: &Contest, rubric: &Rubric) -> ContestPage {
    let scores = [&contest.overall].into_iter().chain(&contest.metrics).map(|one| difference(one, false));
    let mut differences: Vec<DifferenceRow> = scores.collect();
    differences.insert(1, difference(&contest.gates, true));
    ContestPage {
        first: contest.first.name.clone(),
        second: contest.second.name.clone(),
        matched: matched(contest),
        // The page lists the chats themselves.
        sentences: sentences(contest).into_iter().filter(|said| Some(said) != chat_by_chat(contest).as_ref()).collect(),
        newly_gated: contest.changes.newly_gated as u64,
        no_longer_gated: contest.changes.no_longer_gated as u64,
        moved: contest.changes.moved as u64,
        changes: contest.changes.most.iter().map(|one| change(one, rubric)).collect(),
        kinds: [("worse", "worse"), ("better", "better"), ("same", "unchanged")]
            .into_iter()
            .zip(&contest.changes.kinds)
            .map(|((key, title), kind)| KindRow {
                key,
                title,
                number: kind.number as u64,
                chats: kind.chats.iter().map(|one| change(one, rubric)).collect(),
            })
            .collect(),
        flips: contest.flips.iter().map(flip).collect(),
        differences,
    }
}

fn difference(one: &Difference, is_less_better: bool) -> DifferenceRow {
    let mean = |estimate: &Estimate| estimate.value.map_or_else(|| "–".to_owned(), value);
    DifferenceRow {
        title: one.title.clone(),
        first: mean(&one.first),
        second: mean(&one.second),
        difference: Figure { text: one.apart(), ..figure(&one.difference, estimate) },
        p_value: p_value(&one.test),
        is_shown: one.shown,
        is_less_better,
    }
}

fn change(change: &Change, rubric: &Rubric) -> ChangeRow {
    let named = |checks: &[String]| checks.iter().map(|check| check_name(rubric, check)).collect();
    let moved = number(change.first).zip(number(change.second)).map(|(first, second)| second - first);
    ChangeRow {
        chat: change.chat.clone(),
        first: score(change.first),
        second: score(change.second),
        moved,
        new_gates: change.named_gates.clone(),
        now_fails: named(&change.now_fails),
        now_passes: named(&change.now_passes),
        stored: change.stored.0.zip(change.stored.1).map(|(first, second)| (first.0, second.0)),
        addresses: None,
    }
}

fn flip(flip: &Flip) -> FlipRow {
    FlipRow {
        check: one_line(&format!("{} {}", flip.check, flip.title)),
        is_gate: flip.gate,
        now_fails: flip.now_fails as u64,
        now_passes: flip.now_passes as u64,
        chats: flip.chats.each_ref().map(|chats| chats.iter().map(named).collect()),
    }
}

fn named((chat, stored): &NamedChat) -> ChatLink {
    ChatLink { chat: chat.clone(), stored: stored.map(|key| key.0), address: None }
}

fn figure(estimate: &Estimate, written: fn(&Estimate) -> String) -> Figure {
    let interval = estimate.interval.map(|interval| (interval.low, interval.high));
    Figure { text: written(estimate), value: estimate.value, interval }
}
