//! A comparison as Markdown, for pull requests and pages.

use carelock_core::report::escape_markdown;

use super::Comparison;
use super::contest::Contest;
use super::text::{differences, flip_table, flips, how, leaderboard, moved_by, sentences};
use crate::figures::{Align, Table, estimate, plural};

/// The comparison as Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = format!("## Leaderboard\n\n{}\n", leaderboard(comparison).markdown());
    text += &format!("{}\n", metrics(comparison).markdown());
    for contest in &comparison.contests {
        let title = format!("{} against {}", contest.second.name, contest.first.name);
        text += &format!("## {}\n\n", escape_markdown(&title));
        for sentence in sentences(contest) {
            text += &format!("- {}\n", escape_markdown(&sentence));
        }
        text += &format!("\n{}\n", differences(contest).markdown());
        text += &changes(contest);
    }
    for note in &comparison.notes {
        text += &format!("Note: {}\n\n", escape_markdown(note));
    }
    text + &format!("{}\n", escape_markdown(&how(comparison)))
}

/// The mean of every metric, one row a run or group.
fn metrics(comparison: &Comparison) -> Table {
    let names =
        comparison.leaderboard.first().map(|standing| standing.metrics.iter().map(|metric| metric.title.as_str()));
    let mut header = vec![("", Align::Left)];
    header.extend(names.into_iter().flatten().map(|name| (name, Align::Right)));
    let mut table = Table::new(&header);
    for standing in &comparison.leaderboard {
        let mut cells = vec![standing.side.name.clone()];
        cells.extend(standing.metrics.iter().map(|metric| estimate(&metric.mean)));
        table.row(cells);
    }
    table
}

fn changes(contest: &Contest) -> String {
    let changes = &contest.changes;
    if !changes.is_any() && contest.flips.is_empty() {
        return String::new();
    }
    let (new, moved) = (plural(changes.newly_gated, "chat"), plural(changes.moved, "chat"));
    let mut text =
        format!("### What changed\n\nA gate newly fires in {new}. The overall score changed in {moved}.\n\n");
    for change in &changes.most {
        text += &format!("- {}: {}", escape_markdown(&change.chat), moved_by(change));
        let flips = flips(change);
        text += &if flips.is_empty() { "\n".to_owned() } else { format!(" ({})\n", escape_markdown(&flips)) };
    }
    if !contest.flips.is_empty() {
        text += &format!("\n{}", flip_table(contest).markdown());
    }
    text + "\n"
}
