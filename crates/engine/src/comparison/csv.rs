//! A comparison as CSV: one row a figure.

use super::Comparison;
use super::contest::{Contest, Difference};
use crate::figures::Sheet;

/// The comparison as CSV; `second` is empty where a row is about one run or group alone.
pub fn csv(comparison: &Comparison) -> String {
    let mut sheet = Sheet::new(&["first", "second", "name"]);
    for standing in &comparison.leaderboard {
        let name = standing.side.name.as_str();
        let about = |what: &'static str| [name, "", what];
        sheet.count(&about("chats"), "chats", standing.side.chats as u64);
        sheet.count(&about("chats"), "not_fully_judged", standing.not_fully_judged as u64);
        sheet.count(&about("gate rate"), "gated", standing.gated);
        sheet.estimate(&about("gate rate"), "rate", &standing.gate_rate);
        sheet.estimate(&about("overall"), "mean", &standing.overall);
        for metric in &standing.metrics {
            sheet.estimate(&[name, "", &metric.metric], "mean", &metric.mean);
        }
    }
    for contest in &comparison.contests {
        of_contest(&mut sheet, contest);
    }
    sheet.finish()
}

fn of_contest(sheet: &mut Sheet, contest: &Contest) {
    let (first, second) = (contest.first.name.as_str(), contest.second.name.as_str());
    let about = |what: &'static str| [first, second, what];
    sheet.count(&about("chats"), "matched", contest.matched.chats as u64);
    sheet.count(&about("overall"), "wins", contest.wins as u64);
    sheet.count(&about("overall"), "ties", contest.ties as u64);
    sheet.count(&about("overall"), "losses", contest.losses as u64);
    sheet.count(&about("gate rate"), "newly_gated", contest.changes.newly_gated as u64);
    sheet.count(&about("gate rate"), "no_longer_gated", contest.changes.no_longer_gated as u64);
    for one in [&contest.overall, &contest.gates].into_iter().chain(&contest.metrics) {
        let Difference { name, difference, test, shown, .. } = one;
        sheet.tested(&[first, second, name], "difference", difference, Some(test));
        sheet.count(&[first, second, name], "shown", u64::from(*shown));
    }
    for flip in &contest.flips {
        sheet.count(&[first, second, &flip.check], "now_fails", flip.now_fails as u64);
        sheet.count(&[first, second, &flip.check], "now_passes", flip.now_passes as u64);
    }
}
