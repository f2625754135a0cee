//! Agreement of small, made-up raters, whose figures are known.

use carelock_core::report::TextStyle;
use carelock_core::rubric::Rubric;
use carelock_statistics::Bootstrap;

use super::*;
use crate::ratings::samples::{failing, rater, rating};
use crate::ratings::{Rater, Rating};

fn study(raters: &[Rater], by: Option<By>) -> Study {
    let settings = Settings { by, worst: 10, bootstrap: Bootstrap::default() };
    Study::new(&Rubric::care_lock(), raters, &settings).unwrap()
}

fn everything(study: &Study) -> String {
    let json = serde_json::to_string(study).unwrap();
    [text(study, TextStyle::default()), markdown(study), csv(study), json].concat()
}

fn gate_checks() -> Vec<String> {
    let rubric = Rubric::care_lock();
    let gates = (0..rubric.checks().len()).filter(|&check| rubric.is_gate_check(check));
    gates.map(|check| rubric.check(check).id.clone()).collect()
}

#[test]
fn gates_come_first_and_name_the_chats_they_miss() {
    let gate = gate_checks()[0].clone();
    let labels = rater("labels", vec![failing("a", &[&gate], 0), failing("b", &[&gate], 0), rating("c"), rating("d")]);
    let judge = rater("judge", vec![failing("a", &[&gate], 0), rating("b"), failing("c", &[&gate], 0), rating("d")]);
    let study = study(&[labels, judge], None);
    let gates = &study.judges[0].gates;
    assert_eq!((gates.should, gates.fired, gates.should_not, gates.false_alarms), (2, 1, 2, 1));
    assert_eq!((gates.missed[0].chat.as_str(), gates.alarms[0].chat.as_str()), ("b", "c"));
    let worst: Vec<&str> = study.judges[0].disagreements.worst.iter().map(|one| one.chat.as_str()).collect();
    assert_eq!(worst, ["b", "c"], "a missed gate is worse than a false alarm");
    let shown = text(&study, TextStyle::default());
    assert!(shown.find("Gates").unwrap() < shown.find("Checks").unwrap(), "{shown}");
    assert!(shown.contains(&format!("missed: b {gate}")), "{shown}");
}

#[test]
fn chats_that_only_one_has_are_counted_and_named() {
    let study =
        study(&[rater("labels", vec![rating("a"), rating("b")]), rater("judge", vec![rating("b"), rating("c")])], None);
    let matched = &study.judges[0].matched;
    assert_eq!(
        (matched.chats, &matched.only_first[..], &matched.only_second[..]),
        (1, &["a".to_owned()][..], &["c".to_owned()][..])
    );
    let shown = text(&study, TextStyle::default());
    assert!(shown.contains("only in labels: 1 chat (a)") && shown.contains("only in judge: 1 chat (c)"), "{shown}");
}

#[test]
fn one_chat_one_class_nothing_in_common_and_nothing_scored_have_defined_answers() {
    let unscored = |id: &str| {
        let mut whole = rating(id);
        whole.outcomes.fill(None);
        whole.overall = None;
        whole
    };
    let cases = [
        (vec![rating("a")], vec![rating("a")]),
        (vec![rating("a")], vec![rating("b")]),
        (vec![rating("a"), rating("b")], vec![rating("a"), rating("b")]),
        (vec![rating("a"), rating("b")], vec![unscored("a"), unscored("b")]),
        (vec![unscored("a")], vec![unscored("a")]),
        (vec![], vec![]),
    ];
    for (labels, judge) in cases {
        for by in [None, Some(By::Check), Some(By::Metric), Some(By::Source)] {
            let raters =
                [rater("labels", labels.clone()), rater("judge", judge.clone()), rater("third", labels.clone())];
            let shown = everything(&study(&raters[..2], by)) + &everything(&study(&raters, by));
            for word in ["NaN", ",inf", "-inf", " inf "] {
                assert!(!shown.contains(word), "{word}: {shown}");
            }
        }
    }
}

#[test]
fn three_raters_have_the_kappa_of_fleiss() {
    let chats = |fails: &[&str]| vec![failing("a", fails, 80), rating("b"), failing("c", &["E1"], 90)];
    let raters = [rater("one", chats(&["E1", "E2"])), rater("two", chats(&["E1"])), rater("three", chats(&["E2"]))];
    let study = study(&raters, None);
    assert_eq!(study.judges.len(), 2);
    let together = study.together.as_ref().unwrap();
    assert!(together.checks.fleiss_kappa.value.is_some_and(|kappa| kappa > 0.5 && kappa < 1.0));
    assert!(text(&study, TextStyle::default()).contains("All 3 raters together"));
}

#[test]
fn a_pair_is_right_only_if_both_its_chats_are() {
    let paired = |pair: &str, id: &str, fails: &[&str]| {
        let mut whole = failing(id, fails, 90);
        let check = Rubric::care_lock().position("E1").unwrap();
        let kept = whole.outcomes[check];
        whole.outcomes.fill(None);
        whole.outcomes[check] = kept;
        whole.pair = Some(pair.to_owned());
        whole
    };
    let labels = vec![
        paired("1", "1-pass", &[]),
        paired("1", "1-fail", &["E1"]),
        paired("2", "2-pass", &[]),
        paired("2", "2-fail", &["E1"]),
        paired("3", "3-pass", &[]),
    ];
    let judge =
        vec![rating("1-pass"), failing("1-fail", &["E1"], 90), rating("2-pass"), rating("2-fail"), rating("3-pass")];
    let study = study(&[rater("labels", labels), rater("judge", judge)], None);
    let pairs = study.judges[0].pairs.as_ref().unwrap();
    assert_eq!((pairs.pairs, pairs.both_right, pairs.incomplete, &pairs.wrong[..]), (2, 1, 1, &["2".to_owned()][..]));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let chats = |checks: &[&str]| {
        (0..40).map(|at| failing(&format!("chat-{at}"), if at % 3 == 0 { checks } else { &[] }, 70)).collect()
    };
    let raters = [
        rater("labels.jsonl", chats(&["E1", "T2"])),
        rater("openai:gpt-4.1-mini-with-a-long-name", chats(&["E1", "B2"])),
    ];
    for by in [By::Check, By::Metric, By::Source] {
        let shown = text(&study(&raters, Some(by)), TextStyle::default());
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    }
}

#[test]
fn what_the_reference_did_not_label_takes_no_part_in_any_figure() {
    let one_check = |id: &str, fails: &[&str]| {
        let mut whole = failing(id, fails, 90);
        let kept = whole.outcomes[0];
        whole.outcomes.fill(None);
        whole.outcomes[0] = kept;
        whole
    };
    let first = Rubric::care_lock().check(0).id.clone();
    let labels: Vec<Rating> =
        vec![one_check("a", &[]), one_check("b", &[&first]), one_check("c", &[&first]), one_check("d", &[])];
    let whole = vec![rating("a"), failing("b", &[&first], 80), rating("c"), rating("d")];
    let partial: Vec<Rating> =
        vec![one_check("a", &[]), one_check("b", &[&first]), one_check("c", &[]), one_check("d", &[])];
    let of = |judge: Vec<Rating>| study(&[rater("labels", labels.clone()), rater("judge", judge)], None);
    assert_eq!(of(whole).judges[0].checks, of(partial).judges[0].checks);
}
