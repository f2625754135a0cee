//! Reports changed everywhere: verification notices each change, but for what only the judge can vouch for.

use serde_json::Value;

use super::mutations::mutations;
use super::samples::{eventful, panel, partial, verified};
use crate::rubric::Rubric;
use crate::verify::verify;

/// Where a report says what only its judge can vouch for, or somebody who knows what the judge had sent.
const JUDGES_WORD: [&str; 23] = [
    "/judge/name",
    "/transcript/id",
    "/checks/*/turns",
    "/checks/*/judged/turns",
    "/checks/*/why",
    "/checks/*/judged/why",
    "/checks/*/unscored",
    "/metrics/*/ev",
    "/metrics/*/ev/*",
    "/metrics/*/why",
    "/moments/*/why",
    "/positive",
    "/positive/*",
    "/positive/*/id",
    "/positive/*/why",
    "/negative",
    "/negative/*",
    "/negative/*/why",
    "/negative/*/better",
    "/summary",
    "/audit",
    "removed /audit/*",
    // Earlier reports have none.
    "removed /panel/tie",
];

fn assert_all_seen(report: &Value, of_a_sort: usize) {
    assert!(verified(report).holds());
    let rubric = Rubric::care_lock();
    let unseen = mutations(report, of_a_sort)
        .into_iter()
        .filter(|mutation| verify(&mutation.report.to_string(), &rubric).is_ok_and(|seen| seen.holds()))
        .map(|mutation| format!("{} {}", mutation.change, mutation.place));
    let unseen: Vec<String> = unseen.filter(|change| !JUDGES_WORD.iter().any(|word| change.ends_with(word))).collect();
    assert_eq!(unseen, [""; 0]);
}

#[test]
fn no_change_to_a_report_goes_unseen_but_in_the_judges_own_words() {
    assert_all_seen(&eventful(), 2);
}

#[test]
fn no_change_to_a_report_with_unscored_checks_and_replaced_wording_goes_unseen() {
    assert_all_seen(&partial(), 2);
}

#[test]
fn no_change_to_the_report_of_a_panel_or_of_its_judges_goes_unseen() {
    assert_all_seen(&panel(), 1);
}
