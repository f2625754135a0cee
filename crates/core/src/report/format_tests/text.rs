//! Text for a terminal.

use insta::assert_snapshot;
use unicode_width::UnicodeWidthStr;

use super::fixtures;
use crate::report::{Report, TextStyle, text};
use crate::rubric::Rubric;

fn plain(report: &Report) -> String {
    text(report, &Rubric::care_lock(), &TextStyle::default())
}

#[test]
fn an_excellent_chat_reads_calmly() {
    assert_snapshot!(fixtures::stable(&plain(&fixtures::excellent())));
}

#[test]
fn a_missed_crisis_is_the_first_thing_seen() {
    let shown = plain(&fixtures::missed_crisis());
    assert!(shown.find("GATE ES2").unwrap() < shown.find("Overall").unwrap());
    assert_snapshot!(fixtures::stable(&shown));
}

#[test]
fn on_one_screen_are_the_gates_the_verdict_the_metrics_and_what_matters_most() {
    let style = TextStyle { full: false, ..TextStyle::default() };
    for (name, report) in fixtures::all() {
        let shown = text(&report, &Rubric::care_lock(), &style);
        assert!(shown.lines().count() < 40, "{name}: {} lines\n{shown}", shown.lines().count());
        for gate in &report.gates {
            assert!(shown.contains(&format!("GATE {}", gate.check)), "{name}: {shown}");
        }
        assert!(shown.contains("\nMetrics\n") && shown.contains("--full shows"), "{name}: {shown}");
        assert!(shown.lines().all(|line| line.width() <= 80), "{name}: {shown}");
    }
    assert_snapshot!(fixtures::stable(&text(&fixtures::missed_crisis(), &Rubric::care_lock(), &style)));
}

#[test]
fn three_gates_with_long_words_fit_one_screen_too() {
    let style = TextStyle { full: false, ..TextStyle::default() };
    let mut report = fixtures::two_gates();
    let mut third = report.gates[0].clone();
    third.check = "ES2".into();
    report.gates.push(third);
    for gate in &mut report.gates {
        gate.why = "it says something that takes many more words than a line of a terminal has room for".to_owned();
        gate.quote = gate.quote.take().map(|quote| format!("{quote} {}", "and on it goes ".repeat(20)));
    }
    report.judge.note = Some("a note of the judge that takes two lines ".repeat(3));
    let shown = text(&report, &Rubric::care_lock(), &style);
    assert!(shown.lines().count() < 40, "{} lines\n{shown}", shown.lines().count());
    assert!(shown.lines().all(|line| line.width() <= 80), "{shown}");
    assert_eq!(shown.matches("; without it alone ").count(), 3, "{shown}");
    assert!(shown.contains(" and ES2 · ") && !shown.contains(" and ES1 and "), "{shown}");
}

#[test]
fn the_title_stands_before_the_id_and_the_day_beside_the_judge() {
    let mut report = fixtures::missed_crisis();
    let before = serde_json::to_string(&report).unwrap();
    report.heading = crate::report::Heading {
        title: Some("Evening talk".to_owned()),
        judged: Some("2026-11-18 04:10 UTC".to_owned()),
    };
    let shown = plain(&report);
    assert!(shown.starts_with(&format!("Evening talk · {}\n", report.transcript.id)), "{shown}");
    assert!(shown.replace('\n', " ").contains(" on 2026-11-18 04:10 UTC · "), "{shown}");
    let shown = crate::report::markdown(&report, &Rubric::care_lock());
    assert!(shown.starts_with("## Care-Lock: Evening talk · "), "{shown}");
    assert!(shown.contains("\nChat ") && shown.contains("<sub>Judged by "), "{shown}");
    assert!(shown.contains(" on 2026-11-18 04:10 UTC · "), "{shown}");
    assert_eq!(serde_json::to_string(&report).unwrap(), before, "the record is the same whenever it was made");
}

#[test]
fn what_the_person_said_stands_before_the_reply_that_tripped_the_gate() {
    let mut report = fixtures::missed_crisis();
    let reply = report.turns[7].text.clone();
    report.gates[0].turns = vec![7, 8];
    report.gates[0].quote = Some(reply.clone());
    let shown = plain(&report);
    let cue = shown.find("turn 7, person: “I wanted to thank somebody").unwrap();
    let answer = shown.find("turn 8, AI: “").unwrap();
    assert!(cue < answer && answer < shown.find("Overall").unwrap(), "{shown}");
    // A gate that quotes the person has said it already.
    report.gates[0].quote = Some(report.turns[6].text.clone());
    assert_eq!(plain(&report).split("Overall").next().unwrap().matches(", person: “").count(), 1);
}

#[test]
fn both_gates_are_named_with_what_the_score_would_have_been() {
    assert_snapshot!(fixtures::stable(&plain(&fixtures::two_gates())));
}

#[test]
fn checks_that_could_not_be_judged_are_listed_by_reason() {
    assert_snapshot!(fixtures::stable(&plain(&fixtures::unscored())));
    assert_snapshot!(fixtures::stable(&plain(&fixtures::nothing_judged())));
}

#[test]
fn weights_stand_beside_the_metrics_they_change() {
    assert_snapshot!(fixtures::stable(&plain(&fixtures::weighted())));
}

#[test]
fn what_the_audit_changed_is_marked() {
    let shown = plain(&fixtures::incoherent());
    assert!(shown.contains("Strong ↓") && shown.contains("↓ lowered by"), "{shown}");
    assert_snapshot!(fixtures::stable(&shown));
}

#[test]
fn a_check_the_judge_is_not_sure_of_and_a_note_on_the_judge_are_shown() {
    assert_snapshot!(fixtures::stable(&plain(&fixtures::unsure())));
}

#[test]
fn a_chat_cannot_steer_the_terminal() {
    assert_snapshot!(fixtures::stable(&plain(&fixtures::nasty())));
}

#[test]
fn a_report_of_another_rubric_is_shown_by_its_identifiers() {
    let shown = plain(&fixtures::foreign());
    assert!(shown.contains(r"GATE G\u{1b}2"), "{shown}");
    assert!(shown.contains("Grenze<b>"), "{shown}");
    assert!(shown.contains("made with another rubric"), "{shown}");
}

#[test]
fn without_colour_and_unicode_our_own_signs_are_ascii() {
    let style = TextStyle { unicode: false, ..TextStyle::default() };
    let reports = [fixtures::two_gates(), fixtures::unscored(), fixtures::incoherent(), fixtures::missed_crisis()];
    for report in reports {
        let shown = text(&report, &Rubric::care_lock(), &style);
        assert!(shown.is_ascii(), "{shown}");
    }
}

#[test]
fn a_narrow_terminal_keeps_names_scores_and_marks() {
    let style = TextStyle { width: 40, ..TextStyle::default() };
    let shown = text(&fixtures::missed_crisis(), &Rubric::care_lock(), &style);
    assert!(shown.contains("\n  Emotional relevance  0.60  ●✗●✗●\n"), "{shown}");
}

#[test]
fn colour_adds_nothing_but_colour() {
    let style = TextStyle { color: true, ..TextStyle::default() };
    for (name, report) in fixtures::all() {
        let colored = text(&report, &Rubric::care_lock(), &style);
        assert!(colored.contains('\u{1b}'), "{name} has no colour");
        assert_eq!(without_styles(&colored), plain(&report), "{name}");
    }
}

#[test]
fn no_line_is_wider_than_asked_and_no_control_character_gets_through() {
    for width in [40, 60, 80, 100] {
        for unicode in [true, false] {
            let style = TextStyle { color: false, width, unicode, ..TextStyle::default() };
            for (name, report) in fixtures::all().into_iter().chain([("foreign", fixtures::foreign())]) {
                let shown = text(&report, &Rubric::care_lock(), &style);
                for line in shown.lines() {
                    assert!(line.width() <= width, "{name} at {width}: {line:?} takes {}", line.width());
                    assert!(!line.ends_with(' '), "{name}: {line:?}");
                }
                assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{name}: {shown:?}");
            }
        }
    }
}

/// The text without the sequences that set a style; any other escape stays and fails the comparison.
fn without_styles(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap();
        assert_eq!(&after[end..=end], "m");
        rest = &after[end + 1..];
    }
    out + rest
}
