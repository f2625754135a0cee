//! Cases in which the model's own words are at fault.

use serde_json::{Value, json};

use super::case::Case;
use super::flavour::{Flavour, KEY};
use super::script::{CHAT, GOOD, all_ids, good, spoiled, with_check};

pub(crate) fn cases(flavour: Flavour) -> Vec<Case> {
    let mut cases = around(flavour);
    cases.extend(unusable(flavour));
    cases.extend(partly_usable(flavour));
    cases.extend(lenient(flavour));
    cases
}

/// The right answer with something around it, or slips in it.
fn around(flavour: Flavour) -> Vec<Case> {
    let text = good();
    let turns: Vec<Value> = CHAT.turns().iter().map(|turn| json!({ "idx": turn.idx, "text": turn.text })).collect();
    let echo = turns.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let slip = format!("{},}}", &text[..text.len() - 1]);
    let comment = format!("{} // done\n}}", &text[..text.len() - 1]);
    vec![
        Case::graded("fenced", vec![flavour.says(&format!("```json\n{text}\n```"))]),
        Case::graded("prose around", vec![flavour.says(&format!("Sure, here it is: {text}\nI hope this \"helps\"!"))]),
        Case::graded("a trailing comma", vec![flavour.says(&slip)]).repaired(),
        Case::graded("a comment", vec![flavour.says(&comment)]).repaired(),
        Case::graded("an echo of the transcript before it", vec![flavour.says(&format!("{echo}\n{text}"))]),
        Case::graded("unknown fields", vec![flavour.says(&spoiled(|all| all["score"] = json!(0.97)))]),
        Case::graded(
            "the key in a reason",
            vec![flavour.says(&with_check("E5", json!({ "why": KEY, "verdict": "pass", "turns": [], "quote": "" })))],
        ),
    ]
}

/// Answers of which nothing can be used: asked again, then given up.
fn unusable(flavour: Flavour) -> Vec<Case> {
    let text = good();
    let mut answers = vec![
        ("prose alone", "I'm sorry, I can't judge this conversation.".to_owned()),
        ("JSON that breaks off", text[..text.len() * 2 / 3].to_owned()),
        ("two answers in one", format!("{text}\n\n{}", with_check("E1", json!("fail")))),
        ("a score in place of verdicts", json!({ "overall": 0.9, "scores": { "Empathy": 1.0 } }).to_string()),
        ("51 checks", spoiled(|all| all["verdicts"]["E6"] = json!("pass"))),
        ("verdicts that are a sentence", spoiled(|all| all["verdicts"] = json!("all pass"))),
        ("no verdict at all", spoiled(|all| all["verdicts"] = json!({}))),
        ("turns that are no numbers", with_check("E1", json!({ "verdict": "pass", "turns": ["second"] }))),
        ("only an echo of the transcript", json!(CHAT.turns()[1].text).to_string()),
        ("a huge answer", format!("{{\"verdicts\": \"{}\"}}", "x".repeat(1_200_000))),
    ];
    // A tool's input is parsed on the way, where of two equal keys only one is left.
    if flavour != Flavour::Tool {
        let twice = text.replacen("\"verdicts\":{", "\"verdicts\":{\"E1\":{\"verdict\":\"fail\"},", 1);
        answers.push(("a check answered twice", twice));
        let listed: Vec<Value> =
            all_ids().iter().chain(&["E1".to_owned()]).map(|id| json!({ "id": id, "verdict": "pass" })).collect();
        answers.push(("a list with a check twice", spoiled(|all| all["verdicts"] = json!(listed))));
    }
    let mut cases = Vec::new();
    for (what, answer) in answers {
        let said = flavour.says(&answer);
        cases.push(Case::fails(format!("{what} for ever"), "invalid", vec![said.clone(); 3]));
        cases.push(Case::graded(format!("{what} once"), vec![said.clone(), flavour.says(&text)]));
        cases.push(Case::graded(format!("{what} twice"), vec![said.clone(), said, flavour.says(&text)]));
    }
    cases
}

/// Answers of which a part is clear: asked again, then used so far.
fn partly_usable(flavour: Flavour) -> Vec<Case> {
    let text = good();
    let missing = spoiled(|all| drop(all["verdicts"].as_object_mut().expect("an object").remove("AD5")));
    let long = spoiled(|all| all["summary"] = json!("word ".repeat(200)));
    let answers: [(&str, String, &[&str]); 8] = [
        ("49 checks", missing.clone(), &["AD5"]),
        ("maybe", with_check("T1", json!({ "verdict": "maybe", "turns": [], "quote": "" })), &["T1"]),
        ("null", with_check("T1", Value::Null), &["T1"]),
        ("a null verdict", with_check("T1", json!({ "verdict": null })), &["T1"]),
        ("a score for a check", with_check("T1", json!({ "verdict": 0.5 })), &["T1"]),
        ("one for yes", with_check("T1", json!({ "verdict": 1 })), &["T1"]),
        ("not triggered where nothing triggers", with_check("T1", json!("not_triggered")), &["T1"]),
        ("a summary of 200 words", long, &[]),
    ];
    let mut cases = Vec::new();
    for (what, answer, open) in answers {
        let said = flavour.says(&answer);
        // The second look asks once more what has no verdict that stands.
        cases.push(partly(format!("{what} for ever"), vec![said.clone(); 3], open, flavour));
        cases.push(Case::graded(format!("{what} once"), vec![said, flavour.says(&text)]));
    }
    let said = flavour.says(&missing);
    let lost = vec![said.clone(), flavour.says(""), flavour.says("")];
    cases.push(Case::graded("49 checks, then nothing", lost).unscored(&["AD5"]).noted("not answered: AD5"));
    let mut down = vec![said.clone()];
    down.extend(vec![flavour.error(500, "api_error", "down"); 4]);
    cases.push(Case::fails("49 checks, then an outage", "unavailable", down));
    cases.push(Case::fails("49 checks, then a refusal", "refused", vec![said, flavour.refusal()]));
    cases
}

fn partly(
    name: String,
    mut steps: Vec<carelock_test_support::fault_server::Step>,
    open: &[&str],
    flavour: Flavour,
) -> Case {
    let answered_badly = open.contains(&"T1");
    if answered_badly {
        steps.push(flavour.refusal());
    }
    Case::graded(name, steps).unscored(open).noted("used as far as it could be")
}

/// Other ways of writing the same answer.
fn lenient(flavour: Flavour) -> Vec<Case> {
    let listed: Vec<Value> = all_ids()
        .iter()
        .map(|id| {
            let mut answer = GOOD["verdicts"][id].clone();
            answer["id"] = json!(id);
            answer
        })
        .collect();
    let turns = |turns: Value| {
        with_check(
            "E1",
            json!({ "verdict": "pass", "turns": turns, "quote": "You must feel so anxious every weekend." }),
        )
    };
    vec![
        Case::graded("verdicts in a list", vec![flavour.says(&spoiled(|all| all["verdicts"] = json!(listed)))]),
        Case::graded("turns as text", vec![flavour.says(&turns(json!(["2"])))]),
        Case::graded("a turn without its list", vec![flavour.says(&turns(json!(2)))]),
        Case::graded("yes and no", vec![flavour.says(&with_check("T1", json!("Yes")))]),
        Case::graded("true and false", vec![flavour.says(&with_check("T1", json!(true)))]),
        Case::graded("only verdicts", vec![flavour.says(&json!({ "verdicts": GOOD["verdicts"] }).to_string())]),
    ]
}
