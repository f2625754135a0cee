//! `carelock prompt`, and the way back of the answer.

use carelock_core::rubric::{Kind, Rubric};
use carelock_test_support::Place;
use serde_json::{Map, Value, json};

use super::samples::SHORT_CHAT;

/// An answer in the shape that the prompt asks for.
fn answer() -> Value {
    let one = |why: &str, verdict: &str, turns: &[u32], quote: &str| json!({ "why": why, "verdict": verdict, "turns": turns, "quote": quote });
    let verdicts: Map<String, Value> = Rubric::care_lock()
        .checks()
        .map(|check| {
            let verdict = match check.kind {
                Kind::Presence if check.id == "E1" => one("Names it", "pass", &[2], "That sounds hard."),
                Kind::Presence => one("Not there", "fail", &[], ""),
                Kind::Absence => one("", "pass", &[], ""),
                Kind::Conditional => one("", "not_triggered", &[], ""),
            };
            (check.id.clone(), verdict)
        })
        .collect();
    json!({
        "moments": [{ "id": 1, "idx": 2, "quote": "That sounds hard.", "why": "Meets the feeling" }],
        "verdicts": verdicts,
        "positive": [{ "id": 1, "why": "Short and warm" }],
        "negative": [],
        "summary": "Warm, but it ends there.",
    })
}

#[test]
fn the_prompt_is_the_instructions_and_then_the_chat() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    let text = place.run(&["prompt", "chat.txt"]).done();
    let parts = place.run(&["prompt", "chat.txt", "--json"]).json();
    let (system, user) = (parts["system"].as_str().unwrap(), parts["user"].as_str().unwrap());
    assert_eq!(text, format!("{system}\n\n{user}\n"));
    assert!(user.contains(r#"{"idx":1,"speaker":"HUMAN","text":"I feel low."}"#), "{user}");
    assert!(!system.contains("I feel low"));
    assert_eq!(place.run(&["prompt", "chat.txt", "-o", "prompt.txt"]).done(), "");
    assert_eq!(place.read("prompt.txt"), text);
}

#[test]
fn an_answer_in_the_shape_of_the_prompt_becomes_a_report() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    let schema = place.run(&["prompt", "chat.txt", "--json"]).json()["schema"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&answer()), "{:?}", validator.validate(&answer()).err());
    place.write("answer.json", answer().to_string());
    let report = place.run(&["eval", "chat.txt", "--verdicts", "answer.json", "--format", "json"]);
    assert_eq!((report.code, report.stderr.as_str()), (0, ""), "{report}");
    let report = report.json();
    assert_eq!(report["metrics"]["Empathy"]["checks"]["E1"]["pass"], true);
    assert!(report["overall"].is_number());
    let metrics = report["metrics"].as_object().unwrap();
    assert!(metrics.values().all(|metric| metric["unscored"] == 0), "{report:#}");
}

#[test]
fn an_answer_copied_from_a_chat_window_is_read_with_its_fence_and_words() {
    let place = Place::new();
    place.write("chat.txt", SHORT_CHAT);
    place.write("plain.json", answer().to_string());
    let run = |name: &str| place.run(&["eval", "chat.txt", "--verdicts", name, "--format", "json"]);
    let plain = run("plain.json").done();
    for text in [format!("```json\n{:#}\n```\n", answer()), format!("Here it is:\n\n{}\n\nAnything else?", answer())] {
        place.write("copied.txt", text);
        assert_eq!(run("copied.txt").done(), plain);
    }
    place.write("copied.txt", "```json\n{\"verdicts\": {\"E1\": {\"verdict\": \"pass\"");
    let said = run("copied.txt").refused();
    assert!(said.contains("copied.txt: "), "{said}");
}

#[test]
fn a_prompt_is_for_one_chat() {
    let place = Place::with_examples();
    let said = place.run(&["prompt", "chats"]).refused();
    assert!(said.contains("holds 8 chats, a prompt is for one"), "{said}");
    place.run(&["prompt", "gone.txt"]).refused();
}

#[test]
fn a_redacted_prompt_holds_placeholders_and_shows_on_demand_what_they_stand_for() {
    let place = Place::new();
    place.write("chat.txt", "Ana: I'm Ana, mail me at ana@example.org.\nAI: Thank you, Ana.\n");
    let words = ["prompt", "chat.txt", "--human", "Ana"];
    let plain = place.run(&words).done();
    assert!(plain.contains("ana@example.org"), "{plain}");
    let redacted = place.run(&[&words[..], &["--redact"]].concat()).exits(0);
    assert!(!redacted.stdout.contains("ana@example.org") && !redacted.stdout.contains("Ana"), "{redacted}");
    assert!(redacted.stdout.contains("I'm [NAME_1], mail me at [EMAIL_1]."), "{redacted}");
    let shown = place.run(&[&words[..], &["--redact=show"]].concat()).exits(0);
    assert!(shown.stderr.contains("ana@example.org") && shown.stdout == redacted.stdout, "{shown}");
}
