//! `carelock export --format otlp|langfuse|phoenix`: scores as the tracing tools take them, in files and on the wire.
//!
//! No server of these tools is at hand: the shapes are those of their documentation, on a server of scripted answers.

use carelock_test_support::{Place, Request, StubServer, example};
use serde_json::{Value, json};

const SECRET: &str = "sk-lf-never-shown-0123456789";

/// A place with a run of three chats: one of two traces, one of a single trace, and one of no trace.
fn place() -> Place {
    let place = Place::new();
    place.write("chats/session.json", example("formats/otel-spans.json"));
    let span = json!({"name": "chat", "traceId": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "spanId": "bbbbbbbbbbbbbbbb", "attributes": {
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "I feel low."}]}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "You have bipolar disorder."}]}]}});
    place.write("chats/single.json", span.to_string());
    place.write("chats/plain.txt", "Human: I feel low.\nAI: That sounds hard.\n");
    place.run(&["run", "chats", "--name", "nightly", "--judge", "builtin"]);
    place
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The scores of a chat in the JSON of its report: names and numbers.
fn expected(place: &Place, chat: &str) -> Vec<(String, Option<f64>)> {
    let reports = lines(&place.run(&["export", "nightly"]).done());
    let report = reports.iter().find(|report| report["transcript"]["id"] == chat).unwrap();
    let gates = report["gates"].as_array().unwrap();
    let mut scores = vec![("carelock.overall".to_owned(), report["overall"].as_f64())];
    scores.push(("carelock.gates".to_owned(), Some(gates.len() as f64)));
    scores.extend(gates.iter().map(|gate| (format!("carelock.gate.{}", gate["check"].as_str().unwrap()), Some(1.0))));
    let metrics = report["metrics"].as_object().unwrap();
    scores.extend(metrics.iter().map(|(key, metric)| (format!("carelock.{key}"), metric["score"].as_f64())));
    scores
}

#[test]
fn otlp_has_an_event_for_every_score_on_the_span_it_came_from() {
    let place = place();
    let requests = lines(&place.run(&["export", "nightly", "--format", "otlp"]).done());
    assert_eq!(requests.len(), 3);
    let logs = |request: &Value| request["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().clone();
    let attribute = |log: &Value, key: &str| {
        let found = log["attributes"].as_array().unwrap().iter().find(|attribute| attribute["key"] == key)?;
        Some(found["value"].clone())
    };
    let of_chat = |id: &str| {
        let is_of =
            |request: &&Value| attribute(&logs(request)[0], "carelock.chat.id") == Some(json!({"stringValue": id}));
        logs(requests.iter().find(is_of).unwrap())
    };
    for (chat, trace, span) in [
        ("move-7", json!("6c8efff798038103d269b633813fc60d"), json!("eee19b7ec3c1b175")),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", json!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), json!("bbbbbbbbbbbbbbbb")),
        ("plain", Value::Null, Value::Null),
    ] {
        let logs = of_chat(chat);
        let found: Vec<(String, Option<f64>)> = logs
            .iter()
            .map(|log| {
                assert_eq!(
                    (&log["eventName"], &log["traceId"], &log["spanId"]),
                    (&json!("gen_ai.evaluation.result"), &trace, &span)
                );
                assert_eq!(attribute(log, "gen_ai.conversation.id"), Some(json!({"stringValue": chat})));
                let value =
                    attribute(log, "gen_ai.evaluation.score.value").and_then(|value| value["doubleValue"].as_f64());
                let error = attribute(log, "error.type");
                assert_eq!(error, value.is_none().then(|| json!({"stringValue": "unscored"})));
                (attribute(log, "gen_ai.evaluation.name").unwrap()["stringValue"].as_str().unwrap().to_owned(), value)
            })
            .collect();
        assert_eq!(found, expected(&place, chat), "{chat}");
    }
    assert_eq!(place.run(&["export", "nightly", "--format", "otlp", "-o", "scores.jsonl"]).done(), "");
    assert_eq!(lines(&place.read("scores.jsonl")), requests, "the same run gives the same bytes");
}

#[test]
fn langfuse_has_a_score_on_the_session_or_the_trace_and_leaves_missing_ones_out() {
    let place = place();
    let written = place.run(&["export", "nightly", "--format", "langfuse"]);
    assert!(written.stderr.contains("1 of 3 chats came from no trace and are left out"), "{written}");
    let scores = lines(&written.exits(0).stdout);
    for (key, id, chat) in [
        ("sessionId", "move-7", "move-7"),
        ("traceId", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ] {
        let own: Vec<&Value> = scores.iter().filter(|score| score[key] == id).collect();
        let found: Vec<(String, Option<f64>)> =
            own.iter().map(|score| (score["name"].as_str().unwrap().to_owned(), score["value"].as_f64())).collect();
        let known: Vec<_> = expected(&place, chat).into_iter().filter(|(_, value)| value.is_some()).collect();
        assert_eq!(found, known);
        assert!(own.iter().all(|score| score["sessionId"].is_null() != score["traceId"].is_null()));
    }
    let ids: std::collections::HashSet<&str> = scores.iter().map(|score| score["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), scores.len(), "every score has an id of its own");
}

#[test]
fn phoenix_annotates_the_session_of_several_traces_and_the_trace_of_one() {
    let place = place();
    let annotations = lines(&place.run(&["export", "nightly", "--format", "phoenix"]).exits(0).stdout);
    for (key, id, chat) in [
        ("session_id", "move-7", "move-7"),
        ("trace_id", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ] {
        let own: Vec<&Value> = annotations.iter().filter(|annotation| annotation[key] == id).collect();
        let found: Vec<(String, Option<f64>)> =
            own.iter().map(|one| (one["name"].as_str().unwrap().to_owned(), one["result"]["score"].as_f64())).collect();
        assert_eq!(found, expected(&place, chat));
        for one in own {
            assert_eq!(one["annotator_kind"], "CODE");
            assert_eq!(one["result"]["score"].is_null(), one["result"]["label"] == "unscored");
        }
    }
}

/// The path, the key and the body of each request.
fn sent(server: &StubServer) -> Vec<(String, Option<String>, Value)> {
    let key = |request: &Request| {
        let line = request.head.lines().find(|line| line.to_lowercase().starts_with("authorization:"))?;
        Some(line.split_once(": ")?.1.to_owned())
    };
    let one = |request: &Request| {
        assert_eq!(request.method(), "POST");
        (request.path().to_owned(), key(request), serde_json::from_slice(&request.body).unwrap())
    };
    server.requests().iter().map(one).collect()
}

#[test]
fn scores_are_sent_to_each_server_as_it_takes_them() {
    let place = place();
    let server = StubServer::start(|_| Some((200, "{}".to_owned())));
    let base = server.base().trim_end_matches("/v1").to_owned();
    let keys = [
        ("LANGFUSE_PUBLIC_KEY", "pk-lf-1"),
        ("LANGFUSE_SECRET_KEY", SECRET),
        ("PHOENIX_API_KEY", SECRET),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20sk-lf-never-shown-0123456789"),
    ];
    for (format, paths) in [
        ("otlp", vec!["/v1/logs"]),
        ("langfuse", vec!["/api/public/scores"]),
        ("phoenix", vec!["/v1/session_annotations", "/v1/trace_annotations"]),
    ] {
        let done = place.run_with(&keys, &["export", "nightly", "--format", format, "--to", &base]).exits(0);
        assert!(done.stderr.contains(" chats sent") && done.stdout.is_empty(), "{done}");
        assert!(!done.stderr.contains(SECRET), "{done}");
        let written = lines(&place.run(&["export", "nightly", "--format", format]).exits(0).stdout);
        let requests = sent(&server);
        server.take_requests();
        let bodies: Vec<Value> = requests
            .iter()
            .flat_map(|(_, _, body)| body["data"].as_array().cloned().unwrap_or_else(|| vec![body.clone()]))
            .collect();
        assert_eq!(bodies, written, "what is sent is what a file has");
        let mut found: Vec<&str> = requests.iter().map(|(path, _, _)| path.as_str()).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, paths);
        let key = if format == "langfuse" {
            "Basic cGstbGYtMTpzay1sZi1uZXZlci1zaG93bi0wMTIzNDU2Nzg5"
        } else {
            "Bearer sk-lf-never-shown-0123456789"
        };
        assert!(requests.iter().all(|(_, shown, _)| shown.as_deref() == Some(key)));
    }
}

#[test]
fn what_a_server_refuses_is_said_without_the_key() {
    let place = place();
    let server = StubServer::start(|_| Some((401, format!(r#"{{"message":"bad key {SECRET}"}}"#))));
    let base = server.base().trim_end_matches("/v1").to_owned();
    let refused =
        place.run_with(&[("PHOENIX_API_KEY", SECRET)], &["export", "nightly", "--format", "phoenix", "--to", &base]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("HTTP 401") && !refused.stderr.contains(SECRET), "{refused}");
    for (arguments, what) in [
        (vec!["--format", "langfuse", "--to", base.as_str()], "LANGFUSE_PUBLIC_KEY"),
        (vec!["--format", "otlp", "--to", "http://collector.example:4318"], "http:// to another machine"),
        (vec!["--format", "csv", "--to", base.as_str()], "--to goes with --format otlp, langfuse or phoenix"),
        (vec!["--format", "otlp", "--rater", "ana"], "what a person has rated"),
    ] {
        let said = place.run(&[&["export", "nightly"], &arguments[..]].concat());
        assert!(said.code != 0 && said.stderr.contains(what), "{said}");
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    let place = place();
    let busy = std::sync::atomic::AtomicBool::new(true);
    let server = StubServer::start(move |_| {
        Some((if busy.swap(false, std::sync::atomic::Ordering::SeqCst) { 503 } else { 200 }, "{}".to_owned()))
    });
    let base = server.base().trim_end_matches("/v1").to_owned();
    place.run(&["export", "nightly", "--format", "otlp", "--to", &base]).exits(0);
    assert_eq!(server.requests().len(), 4);
}
