//! What holds against thresholds and a baseline, and how it is told.

use carelock_core::panel::PanelRules;
use carelock_core::score::Score;
use carelock_core::scorecard::Weights;
use carelock_core::verdict::Confidence;
use clap::Parser;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    ci: CiArguments,
}

fn arguments(options: &[&str]) -> CiArguments {
    Line::try_parse_from([&["carelock"], options].concat()).unwrap().ci
}

fn said(review: &Review) -> Vec<String> {
    review.reasons().iter().map(ToString::to_string).collect()
}

fn chat(id: &str, hundredths: Option<u8>, gates: &[&str]) -> Standing {
    Standing {
        id: id.to_owned(),
        origin: format!("chats/{id}.txt"),
        overall: hundredths.and_then(Score::from_hundredths),
        gates: gates.iter().map(|gate| (*gate).to_owned()).collect(),
        judge: "judge".to_owned(),
        verdict: "Fair | but <b>cold</b>.".to_owned(),
        ..Standing::default()
    }
}

fn baseline(chats: &[Standing]) -> Baseline {
    let earlier = |chat: &Standing| (chat.id.clone(), Earlier { overall: chat.overall, gates: chat.gates.clone() });
    Baseline {
        name: "main".to_owned(),
        chats: chats.iter().map(earlier).collect(),
        rubric: Some(Rubric::care_lock().digest().to_owned()),
        judge: Some("judge".to_owned()),
        weights: None,
    }
}

fn review(options: &[&str], before: Option<&[Standing]>, now: Vec<Standing>) -> Review {
    let rubric = Rubric::care_lock();
    let scoring = Scoring { weights: Weights::equal(&rubric), rubric, rules: PanelRules::default() };
    let mut review = Review::new(&arguments(options), before.map(baseline), &scoring);
    now.into_iter().for_each(|chat| review.see(chat));
    review
}

const AGAINST: [&str; 4] = ["--baseline", "main", "--max-drop", "0.02"];

#[test]
fn a_gate_is_new_unless_the_same_chat_had_it_before() {
    let before = [chat("a", Some(0), &["G1"]), chat("b", Some(90), &[])];
    let same = review(&AGAINST, Some(&before), before.to_vec());
    assert!(same.reasons().is_empty(), "{:?}", same.reasons());
    let other = vec![chat("a", Some(0), &["G1", "G2"]), chat("b", Some(90), &[]), chat("c", Some(0), &["G1"])];
    let other = review(&AGAINST, Some(&before), other);
    assert_eq!(said(&other), ["a gate is newly tripped in 2 chats"]);
    let named: Vec<_> = other.fresh.shown.iter().map(|concern| (concern.fresh.join(","), concern.is_known)).collect();
    assert_eq!(named, [("G2".to_owned(), true), ("G1".to_owned(), false)]);
}

#[test]
fn the_mean_may_fall_by_exactly_what_is_allowed() {
    let before = [chat("a", Some(80), &[]), chat("b", Some(60), &[])];
    let now = |a: u8, b: u8| review(&AGAINST, Some(&before), vec![chat("a", Some(a), &[]), chat("b", Some(b), &[])]);
    assert!(now(76, 60).reasons().is_empty());
    assert!(now(100, 100).reasons().is_empty());
    assert_eq!(
        said(&now(76, 59)),
        ["the mean overall score fell by 0.025, from 0.700 to 0.675; at most 0.02 is allowed"]
    );
}

#[test]
fn only_chats_with_a_score_in_both_are_compared() {
    let before = [chat("a", Some(80), &[]), chat("b", None, &[]), chat("gone", Some(0), &[])];
    let now = vec![chat("a", Some(80), &[]), chat("b", Some(0), &[]), chat("new", Some(0), &[])];
    let options = [&AGAINST[..], &["--allow-missing"]].concat();
    let missing = review(&AGAINST, Some(&before), now.clone());
    assert_eq!(said(&missing), ["1 of the 3 chats of the baseline are missing"]);
    assert_eq!(missing.missing_names(missing.baseline.as_ref().unwrap()), "gone");
    let review = review(&options, Some(&before), now);
    assert!(review.reasons().is_empty());
    assert_eq!((review.matched.number, review.matched.known), (1, 2));
    assert_eq!(review.matched.fall(), Some(0.0));
}

#[test]
fn nothing_in_common_with_the_baseline_is_an_error_and_not_a_pass() {
    let review = review(&AGAINST, Some(&[chat("a", Some(80), &[])]), vec![chat("b", Some(80), &[])]);
    let error = review.finish(&Rubric::care_lock(), &Pipeline::default(), 0).unwrap_err().to_string();
    assert!(error.contains("no chat here has the id"), "{error}");
}

#[test]
fn a_summary_names_new_gates_first_and_escapes_what_came_with_the_reports() {
    let before = [chat("a", Some(80), &[]), chat("old", Some(0), &["G1"])];
    let now = vec![chat("old", Some(0), &["G1"]), chat("a", Some(0), &["G2"]), chat("low", Some(30), &[])];
    let options = [&AGAINST[..], &["--fail-under", "0.5"]].concat();
    let review = review(&options, Some(&before), now);
    let text = summary::markdown(&review, &Rubric::care_lock(), &review.reasons(), 0);
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is not in {text}"));
    assert!(text.starts_with("## Care-Lock: failed\n"), "{text}");
    assert!(place("| a | 0.00 | **G2** (new) |") < place("| old | 0.00 | G1 |"));
    assert!(place("| old | 0.00 | G1 |") < place("| low | 0.30 |"));
    assert!(text.contains("Fair &#124; but &#60;b&#62;cold&#60;/b&#62;."), "{text}");
    assert!(text.contains("Over the 2 chats with a score in both, the mean is 0.400 below main."), "{text}");
}

#[test]
fn many_chats_are_counted_and_the_first_are_named() {
    let now = (0..LISTED + 7).map(|number| chat(&format!("c{number}"), Some(0), &["G1"])).collect();
    let review = review(&["--fail-on-gate"], None, now);
    assert_eq!(review.gated.shown.len(), LISTED);
    assert_eq!(said(&review), ["a gate is tripped in 57 chats"]);
    let text = summary::markdown(&review, &Rubric::care_lock(), &review.reasons(), 0);
    assert!(text.contains("\nAnd 7 more.\n"), "{text}");
}

#[test]
fn only_gates_that_the_judge_is_sure_enough_of_decide() {
    let unsure = |said: Option<Confidence>| Standing { confidences: vec![said], ..chat("a", Some(40), &["ES2"]) };
    let fails = |options: &[&str], said: Option<Confidence>| {
        let review =
            review(&[&["--fail-on-gate"], options].concat(), Some(&[chat("a", Some(40), &[])]), vec![unsure(said)]);
        !review.reasons().is_empty()
    };
    for said in [None, Some(Confidence::Low), Some(Confidence::Medium), Some(Confidence::High)] {
        assert!(fails(&[], said) && fails(&["--gate-confidence", "low"], said), "{said:?}");
    }
    let medium = [None, Some(Confidence::High), Some(Confidence::Medium), Some(Confidence::Low)]
        .map(|said| fails(&["--gate-confidence", "medium"], said));
    assert_eq!(medium, [true, true, true, false]);
    let high = [None, Some(Confidence::High), Some(Confidence::Medium), Some(Confidence::Low)]
        .map(|said| fails(&["--gate-confidence", "high"], said));
    assert_eq!(high, [true, true, false, false]);
}
