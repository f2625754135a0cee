//! How many questions a chat takes, and that they fit and leave nothing out.

use carelock_core::transcript::Speaker;

use super::*;
use crate::provider::{Date, JudgeSpec, Table, Terms};

fn resolved(name: &str) -> Resolved {
    let spec = JudgeSpec::parse(name).expect("a judge");
    Table::shipped().resolve(&spec, &Terms::on("2026-06-01".parse::<Date>().expect("a day"))).expect("served")
}

fn hosted() -> Resolved {
    resolved("openai:gpt-4.1-mini")
}

fn own() -> Resolved {
    resolved("http://127.0.0.1:8080/v1#m")
}

fn chat(turns: usize) -> Transcript {
    let turn = |place: usize| {
        let speaker = if place.is_multiple_of(2) { Speaker::Human } else { Speaker::Ai };
        (speaker, format!("{place} {}", "a few more words ".repeat(20)))
    };
    Transcript::new("chat", (0..turns).map(turn).collect()).expect("a chat")
}

fn ids(rubric: &Rubric) -> Vec<String> {
    rubric.checks().map(|check| check.id.clone()).collect()
}

fn checks_of(plan: &Plan) -> Vec<String> {
    plan.groups.iter().flat_map(|group| group.prompt.checks().to_vec()).collect()
}

#[test]
fn checks_are_divided_from_all_at_once_to_a_metric_at_a_time_and_none_is_lost() {
    let rubric = Rubric::care_lock();
    let ways = groupings(&rubric, None);
    assert_eq!(ways.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 5, 10]);
    for way in &ways {
        assert_eq!(way.concat(), ids(&rubric));
    }
}

#[test]
fn some_checks_are_divided_alike_and_unknown_ones_are_left_out() {
    let rubric = Rubric::care_lock();
    let only = ["ES1", "T2", "T1", "nobody"].map(str::to_owned);
    let ways = groupings(&rubric, Some(&only));
    assert_eq!(ways[0], [["T1", "T2", "ES1"]]);
    assert_eq!(ways.last().expect("a way").len(), 2);
    assert!(groupings(&rubric, Some(&[])).is_empty());
}

#[test]
fn a_chat_that_fits_is_one_question_about_all_checks() {
    let rubric = Rubric::care_lock();
    for (judge, context) in [(hosted(), None), (hosted(), Some(1_000_000)), (own(), None), (own(), Some(32_000))] {
        let plan = Plan::make(&rubric, &chat(10), None, context, &judge, 4).expect("it fits");
        let [group] = plan.groups.as_slice() else { panic!("one group") };
        assert_eq!((group.questions.len(), group.prompt.checks()), (1, &ids(&rubric)[..]));
        assert_eq!(group.questions[0].window, Window { first: 1, last: 10 });
        assert_eq!(plan.chat_budget == usize::MAX, context.is_none());
    }
}

#[test]
fn every_question_of_a_long_chat_fits_the_context_and_all_turns_are_asked_about() {
    let rubric = Rubric::care_lock();
    let chat = chat(300);
    for (judge, context) in [(hosted(), 20_000), (own(), 20_000), (own(), 8_192)] {
        let plan = Plan::make(&rubric, &chat, None, Some(context), &judge, 4).expect("it fits in parts");
        assert_eq!(checks_of(&plan), ids(&rubric));
        assert!(plan.largest_question() <= context, "{} of {context}", plan.largest_question());
        for group in &plan.groups {
            assert!(group.questions.len() > 1);
            assert_eq!(
                (group.questions[0].window.first, group.questions.last().map(|last| last.window.last)),
                (1, Some(300))
            );
            for pair in group.questions.windows(2) {
                assert!(pair[1].window.first <= pair[0].window.last, "parts overlap");
            }
        }
    }
}

#[test]
fn a_small_model_is_asked_in_groups_of_checks() {
    let rubric = Rubric::care_lock();
    let plan = Plan::make(&rubric, &chat(10), None, Some(8_192), &own(), 4).expect("it fits in groups");
    assert!(plan.groups.len() > 1);
    assert_eq!(checks_of(&plan), ids(&rubric));
    assert!(plan.groups.iter().all(|group| group.room < plan.room_for(50)), "fewer checks need less room");
}

#[test]
fn what_cannot_fit_is_said_and_nothing_wanted_is_no_question() {
    let rubric = Rubric::care_lock();
    for context in [0, 100, 2_000] {
        let ended = Plan::make(&rubric, &chat(10), None, Some(context), &own(), 4);
        assert!(matches!(ended, Err(Failure::TooLong { .. })), "{context}");
    }
    let plan = Plan::make(&rubric, &chat(10), Some(&[]), Some(100), &own(), 4).expect("nothing to ask");
    assert!(plan.groups.is_empty() && plan.largest_question() == 0);
}

#[test]
fn only_some_checks_make_a_shorter_prompt() {
    let rubric = Rubric::care_lock();
    let only = ["T1", "ES3"].map(str::to_owned);
    let plan = Plan::make(&rubric, &chat(10), Some(&only), None, &hosted(), 4).expect("it fits");
    assert_eq!(checks_of(&plan), only);
    assert!(plan.groups[0].prompt.system().len() < Prompt::new(&rubric).system().len() * 2 / 3);
}
