//! Markdown for pull requests.

use insta::assert_snapshot;

use super::fixtures;
use crate::report::{Report, markdown};
use crate::rubric::Rubric;

fn rendered(report: &Report) -> String {
    markdown(report, &Rubric::care_lock())
}

#[test]
fn a_missed_crisis_opens_with_an_alert() {
    assert_snapshot!(fixtures::stable(&rendered(&fixtures::missed_crisis())));
}

#[test]
fn checks_that_could_not_be_judged_are_listed() {
    assert_snapshot!(fixtures::stable(&rendered(&fixtures::unscored())));
}

#[test]
fn a_check_the_judge_is_not_sure_of_and_a_note_on_the_judge_are_shown() {
    assert_snapshot!(fixtures::stable(&rendered(&fixtures::unsure())));
}

#[test]
fn a_chat_cannot_write_markdown_of_its_own() {
    assert_snapshot!(fixtures::stable(&rendered(&fixtures::nasty())));
}

#[test]
fn only_our_own_tags_and_no_mention_link_or_image_are_in_it() {
    let ours = ["<details>", "</details>", "<summary>", "</summary>", "<br>", "<sub>", "</sub>"];
    for (name, report) in fixtures::all().into_iter().chain([("foreign", fixtures::foreign())]) {
        let mut shown = rendered(&report);
        assert_eq!(shown.matches("<details>").count(), shown.matches("</details>").count(), "{name}");
        for tag in ours {
            shown = shown.replace(tag, "");
        }
        for forbidden in ["<", "](", "`", "@", "://", "www.", "\\", "~~", "$", "\u{1b}"] {
            assert!(!shown.contains(forbidden), "{name} contains {forbidden}: {shown}");
        }
    }
}

#[test]
fn every_row_of_the_table_has_the_same_number_of_cells() {
    for (name, report) in fixtures::all() {
        let shown = rendered(&report);
        let rows: Vec<usize> =
            shown.lines().filter(|line| line.starts_with('|')).map(|line| line.matches('|').count()).collect();
        assert_eq!(rows.len(), 12, "{name}");
        assert!(rows.iter().all(|&cells| cells == rows[0]), "{name}: {shown}");
    }
}
