//! What programs that use the library rely on.

use std::ops::ControlFlow;

use carelock::{Evaluator, Remedy};

const CHAT: &str = "Human: I feel low.\nAI: I'm sorry to hear that. What happened?";

fn examples() -> String {
    format!("{}/../../examples", env!("CARGO_MANIFEST_DIR"))
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn an_evaluator_is_shared_between_threads_and_its_futures_move_between_them() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    let evaluator = Evaluator::builder().build().unwrap();
    is_shared(&evaluator);
    let chat = carelock::parse(CHAT).unwrap();
    drop(is_send(evaluator.evaluate(&chat)));
}

#[test]
fn the_function_the_builder_and_the_command_give_the_same_report() {
    let chat = carelock::parse(CHAT).unwrap();
    let short = carelock::evaluate(&chat).unwrap();
    let built = Evaluator::builder().judge("builtin").build().unwrap().evaluate_blocking(&chat).unwrap();
    assert_eq!(short, built);
    assert_eq!(short.judge.name, "builtin");
}

#[test]
fn an_error_has_its_place_and_a_remedy_to_act_on() {
    let error = carelock::parse("Ana: hi\nLuz: hello\nAna: so\nLuz: yes").unwrap_err();
    assert!(matches!(error.remedy.as_deref(), Some(Remedy::NameSpeakers(_))), "{error}");
    assert!(!error.what().contains("fix:") && !error.to_string().contains("--human"), "{error}");
    let error = carelock::read("no-such-chat.txt").unwrap_err();
    assert!(error.what().starts_with("no-such-chat.txt: no such file"), "{error}");
    let error = Evaluator::builder().judge("gpt").build().unwrap_err();
    assert!(error.what().contains("no provider is named") && error.remedy.is_some(), "{error}");
}

#[test]
fn many_chats_are_judged_in_order_until_the_caller_has_enough() {
    let evaluator = Evaluator::builder().build().unwrap();
    let pattern = format!("{}/*.txt", examples());
    let all: Vec<String> = carelock::read_all(&pattern).unwrap().iter().map(|chat| chat.id().to_owned()).collect();
    let mut seen = Vec::new();
    evaluator
        .evaluate_all([&pattern], |report| {
            seen.push(report.unwrap().transcript.id);
            if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(seen, all[..2]);
}

#[test]
fn a_person_s_sheet_is_a_judge_like_any_other() {
    let sheet = format!("{}/sheets/diagnosis.csv", examples());
    let evaluator = Evaluator::builder().verdicts(sheet).build().unwrap();
    let chat = carelock::read(format!("{}/diagnosis.txt", examples())).unwrap();
    let report = evaluator.evaluate_blocking(&chat).unwrap();
    assert!(report.panel.is_none() && report.judge.name.starts_with("sheet:"), "{}", report.judge.name);
}
