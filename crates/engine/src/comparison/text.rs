//! A comparison for a terminal: the leaderboard, then what is shown and what is not.

use carelock_core::report::TextStyle;
use carelock_core::report::safe_text::excerpt;
use carelock_core::score::Score;

use super::Comparison;
use super::change::Change;
use super::contest::{Contest, Difference};
use crate::figures::{Align, Page, Table, count, estimate, listed, p_value, plural};

/// Names of chats in one line.
const NAMES: usize = 8;
/// The longest name over a column of numbers.
const HEADING: usize = 10;
/// Checks in the list of those that flipped.
const FLIPS: usize = 12;

/// The comparison as text.
pub fn text(comparison: &Comparison, style: TextStyle) -> String {
    let mut page = Page::new(style);
    page.heading("Leaderboard");
    page.table(2, &leaderboard(comparison));
    for contest in &comparison.contests {
        page.heading(&format!("{} against {}", contest.second.name, contest.first.name));
        for line in matched(contest) {
            page.block("  ", &line);
        }
        for sentence in sentences(contest) {
            page.block("  ", &sentence);
        }
        page.line("");
        page.table(2, &differences(contest));
        changes(&mut page, contest);
    }
    for note in &comparison.notes {
        page.block("note: ", note);
    }
    page.line("");
    page.block("", &how(comparison));
    page.finish()
}

/// How the figures were made.
pub(super) fn how(comparison: &Comparison) -> String {
    let settings = &comparison.intervals;
    format!(
        "In brackets: {:.0} % intervals, {} resamples of whole chats, seed {:#x}; Wilson's for gate rates. p of metrics \
         is corrected for their number (Holm).",
        settings.confidence() * 100.0,
        count(settings.resamples() as u64),
        settings.seed()
    )
}

/// Everyone on their own, the best first.
pub(super) fn leaderboard(comparison: &Comparison) -> Table {
    let names = [("", Align::Left), ("chats", Align::Right), ("overall", Align::Left), ("gate rate", Align::Left)];
    let incomplete = comparison.leaderboard.iter().any(|standing| standing.not_fully_judged > 0);
    let mut header = names.to_vec();
    if incomplete {
        header.push(("not fully judged", Align::Right));
    }
    let mut table = Table::new(&header);
    for (rank, standing) in (1..).zip(&comparison.leaderboard) {
        let mut cells = vec![
            format!("{rank}. {}", standing.side.name),
            count(standing.side.chats as u64),
            estimate(&standing.overall),
            estimate(&standing.gate_rate),
        ];
        if incomplete {
            cells.push(count(standing.not_fully_judged as u64));
        }
        table.row(cells);
    }
    table
}

/// Which chats are compared.
pub(super) fn matched(contest: &Contest) -> Vec<String> {
    let matched = &contest.matched;
    let mut line = format!("{} in both", plural(matched.chats, "chat"));
    if matched.by_digest > 0 {
        line += &format!(" ({} found by their text, because their ids differ)", matched.by_digest);
    }
    if !contest.paired {
        line += ": compared as two groups of different chats";
    }
    let mut lines = vec![line];
    let only = [(&matched.only_first, &contest.first.name), (&matched.only_second, &contest.second.name)];
    for (ids, name) in only.iter().filter(|(ids, _)| !ids.is_empty() && contest.paired) {
        let names = listed(ids.iter().map(String::as_str), NAMES);
        lines.push(format!("only in {name}: {} ({names})", plural(ids.len(), "chat")));
    }
    if !matched.other_text.is_empty() {
        lines.push(format!("{} with the same id and another text", plural(matched.other_text.len(), "chat")));
    }
    lines
}

/// How the chats came off one by one, in words; nothing where they are not the same chats.
pub(super) fn chat_by_chat(contest: &Contest) -> Option<String> {
    let (wins, ties, losses) = (contest.wins, contest.ties, contest.losses);
    let is_known = contest.paired && contest.overall.chats.0 > 0;
    is_known.then(|| format!("Chat by chat {} wins {wins}, ties {ties}, loses {losses}.", contest.second.name))
}

/// What is shown, in words.
pub(super) fn sentences(contest: &Contest) -> Vec<String> {
    let (first, second) = (&contest.first.name, &contest.second.name);
    let mut said = Vec::new();
    let direction = |of: &Difference, up: &str, down: &str| {
        if of.difference.value.unwrap_or_default() > 0.0 { up.to_owned() } else { down.to_owned() }
    };
    let overall = &contest.overall;
    said.push(match (overall.difference.value, overall.shown) {
        (None, _) => "Overall score: there is nothing to compare.".to_owned(),
        (_, true) => {
            let direction = direction(overall, "higher", "lower");
            format!("Overall score: {second} is {direction} than {first}: {}.", number(overall))
        }
        (_, false) => format!("Overall score: no difference shown ({}).", number(overall)),
    });
    said.extend(chat_by_chat(contest));
    let gates = &contest.gates;
    said.push(match (gates.difference.value, gates.shown) {
        (None, _) => "Gates: there is nothing to compare.".to_owned(),
        (_, true) => {
            let direction = direction(gates, "more", "less");
            format!("Gates fire {direction} often in {second}: {}.", number(gates))
        }
        (_, false) => format!("Gates: no difference shown ({}).", number(gates)),
    });
    let shown: Vec<&str> =
        contest.metrics.iter().filter(|metric| metric.shown).map(|metric| metric.title.as_str()).collect();
    said.push(match shown.as_slice() {
        [] if contest.metrics.iter().all(|metric| metric.difference.value.is_none()) => {
            "Metrics: there is nothing to compare.".to_owned()
        }
        [] => "Metrics: no difference shown in any.".to_owned(),
        shown => format!("Metrics with a difference: {}.", shown.join(", ")),
    });
    if !contest.shows_any() && contest.has_intervals() {
        said.push("No difference shown does not mean that there is none: see how wide the intervals are.".to_owned());
    }
    said
}

/// How far two are apart, and how likely that is by chance; why not, where nobody can say.
fn number(of: &Difference) -> String {
    let chance = match (of.test.adjusted, of.test.why_not) {
        (None, Some(why)) => format!("no p-value: {why}"),
        _ => format!("p = {}", p_value(&of.test)).replace("= <", "< "),
    };
    format!("{}, {chance}", of.apart())
}

/// Both means of everything, and how far they are apart.
pub(super) fn differences(contest: &Contest) -> Table {
    let (first, second) = headings(&contest.first.name, &contest.second.name);
    let mut table = Table::new(&[
        ("", Align::Left),
        (&first, Align::Right),
        (&second, Align::Right),
        ("difference", Align::Left),
        ("p", Align::Right),
        ("", Align::Left),
    ]);
    for one in [&contest.overall, &contest.gates].into_iter().chain(&contest.metrics) {
        let mean = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), crate::figures::value);
        table.row([
            one.title.clone(),
            mean(one.first.value),
            mean(one.second.value),
            one.apart(),
            p_value(&one.test),
            if one.shown { "shown".to_owned() } else { String::new() },
        ]);
    }
    table
}

/// Both names as far as there is room, or what stands for them where that does not tell them apart.
fn headings(first: &str, second: &str) -> (String, String) {
    let [one, other] = [first, second].map(|name| excerpt(name, HEADING));
    if one == other { ("first".to_owned(), "second".to_owned()) } else { (one, other) }
}

fn changes(page: &mut Page, contest: &Contest) {
    let changes = &contest.changes;
    if changes.is_any() {
        page.heading("What changed");
    }
    if changes.newly_gated > 0 {
        page.alarm(&format!("a gate newly fires in {}", plural(changes.newly_gated, "chat")));
    }
    let told = [("another overall score in", changes.moved), ("a gate no longer fires in", changes.no_longer_gated)];
    let told = told.iter().filter(|(_, chats)| *chats > 0);
    let told: Vec<String> = told.map(|(what, chats)| format!("{what} {}", plural(*chats, "chat"))).collect();
    if !told.is_empty() {
        page.block("  ", &told.join("; "));
    }
    for change in &changes.most {
        page.block("  · ", &format!("{}: {}", change.chat, moved_by(change)));
        let flips = flips(change);
        if !flips.is_empty() {
            page.block("      ", &flips);
        }
    }
    if !contest.flips.is_empty() {
        page.heading("Checks that flipped");
        page.table(2, &flip_table(contest));
    }
}

/// The two scores of a chat.
pub(super) fn moved_by(change: &Change) -> String {
    format!("{} → {}", score(change.first), score(change.second))
}

/// A score, or that there is none.
pub(super) fn score(score: Option<Score>) -> String {
    score.map_or_else(|| "undetermined".to_owned(), |score| score.to_string())
}

/// Its checks that turned.
pub(super) fn flips(change: &Change) -> String {
    let gates = change.named_gates.join(", ");
    let [fails, passes] = [&change.now_fails, &change.now_passes].map(|checks| checks.join(" "));
    let parts = [("gate: ", gates), ("now fails ", fails), ("now passes ", passes)];
    let told = parts.iter().filter(|(_, checks)| !checks.is_empty());
    told.map(|(what, checks)| format!("{what}{checks}")).collect::<Vec<_>>().join("; ")
}

/// The checks that flipped in most chats.
pub(super) fn flip_table(contest: &Contest) -> Table {
    let mut table = Table::new(&[("", Align::Left), ("now fails", Align::Right), ("now passes", Align::Right)]);
    for flip in contest.flips.iter().take(FLIPS) {
        let gate = if flip.gate { ", a gate" } else { "" };
        table.row([
            format!("{} {}{gate}", flip.check, flip.title),
            count(flip.now_fails as u64),
            count(flip.now_passes as u64),
        ]);
    }
    if contest.flips.len() > FLIPS {
        let rest = contest.flips.len() - FLIPS;
        table.row([format!("and {rest} more"), String::new(), String::new()]);
    }
    table
}
