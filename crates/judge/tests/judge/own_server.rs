//! How servers that people run themselves come to an end of their context, and what is made of it.

use std::sync::Arc;
use std::time::SystemTime;

use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_judge::ask::{AskOptions, Budget, Failure, Graded, Judge};
use carelock_judge::http::{Caller, CancellationToken, Client, ClientOptions, Jitter, Lane, LaneOptions, RetryPolicy};
use carelock_judge::provider::{Date, JudgeSpec, Table, Terms};
use carelock_test_support::fault_server::{FaultServer, Seen, Step};
use serde_json::{Value, json};

fn completion(text: &str, finish: &str, tokens: (u64, u64)) -> Step {
    let body = json!({
        "model": "small",
        "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": finish }],
        "usage": { "prompt_tokens": tokens.0, "completion_tokens": tokens.1 },
    });
    Step::json(200, &body.to_string())
}

fn messages(seen: &Seen) -> Vec<Value> {
    let body: Value = serde_json::from_slice(&seen.body).expect("JSON");
    body["messages"].as_array().expect("messages").clone()
}

async fn ask(server: &FaultServer, turns: usize, context: Option<u64>) -> Result<Graded, Failure> {
    let spec = JudgeSpec::parse(&format!("{}#small", server.base())).expect("a judge's name");
    let today = Date::from_time(SystemTime::now()).expect("a day");
    let resolved = Table::shipped().resolve(&spec, &Terms::on(today)).expect("a judge");
    let client = Client::new(&ClientOptions::default()).expect("a client");
    let caller = Arc::new(Caller::new(client, RetryPolicy::default(), Jitter::seeded(1), CancellationToken::new()));
    let options = AskOptions { second_look: false, context, ..AskOptions::default() };
    let lane = Lane::new(LaneOptions::default());
    let judge = Judge::new(spec, resolved, lane, caller, Arc::new(Budget::default()), options, SystemTime::now);
    let turn = |place: usize| {
        let speaker = if place.is_multiple_of(2) { Speaker::Human } else { Speaker::Ai };
        (speaker, format!("This is turn {place} of the chat. {}", "It goes on for a while. ".repeat(12)))
    };
    let chat = Transcript::new("chat", (0..turns).map(turn).collect()).expect("a chat");
    judge.judge(&Rubric::care_lock(), &chat, Some(&["E1".to_owned()])).await
}

const ANSWER: &str = r#"{"verdicts": {"E1": {"why": "cold", "verdict": "fail", "turns": [], "quote": ""}}}"#;

#[tokio::test]
async fn an_answer_cut_off_at_the_end_of_the_context_makes_the_chat_judged_in_parts() {
    let server = FaultServer::start_choosing(|seen| {
        let part = messages(seen)[1]["content"].as_str().is_some_and(|text| text.contains("part of a longer chat"));
        if part { completion(ANSWER, "stop", (3_000, 30)) } else { completion("{\"verdicts\"", "length", (5_990, 10)) }
    })
    .await;
    let graded = ask(&server, 60, None).await.expect("answers");
    assert!(graded.circumstances.windows > 1);
    assert_eq!(graded.circumstances.notes[0], "the server's context is 6000 tokens");
    assert_eq!(server.calls() as u32, 1 + graded.circumstances.windows, "more room would not have helped");
}

#[tokio::test]
async fn an_answer_cut_off_at_its_own_limit_gets_twice_the_room() {
    let server =
        FaultServer::start([completion("{", "length", (900, 360)), completion(ANSWER, "stop", (900, 30))]).await;
    let graded = ask(&server, 4, None).await.expect("answers");
    assert_eq!(graded.circumstances.windows, 1);
    assert_eq!(server.calls(), 2);
}

#[tokio::test]
async fn being_asked_again_leaves_the_bad_answer_out_where_it_does_not_fit() {
    let server = FaultServer::start_choosing(|seen| {
        let messages = messages(seen);
        let text = messages.last().and_then(|message| message["content"].as_str()).unwrap_or_default();
        match (messages.len(), text.contains("could not be used")) {
            (2, false) => completion("no JSON here", "stop", (3_000, 30)),
            (2, true) => completion(ANSWER, "stop", (3_000, 30)),
            _ => {
                let error = json!({ "code": 400, "type": "exceed_context_size_error", "n_ctx": 8192,
                    "message": "request (8300 tokens) exceeds the available context size (8192 tokens)" });
                Step::json(400, &json!({ "error": error }).to_string())
            }
        }
    })
    .await;
    let graded = ask(&server, 4, Some(8_192)).await.expect("answers");
    assert_eq!(graded.submission.verdicts.len(), 1);
    assert_eq!(server.calls(), 3);
}
