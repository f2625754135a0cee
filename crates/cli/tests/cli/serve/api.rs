//! The HTTP API gives what the command line gives.

use serde_json::json;

use carelock_test_support::{Reply, Server, wait_for, wait_until};

use super::started;

const CHAT: &str = "Human: I feel lost and I cannot sleep.\nAI: That sounds so heavy. What weighs on you most?\n";

fn with_run() -> Server {
    Server::filled(
        |place| {
            let line = |id: &str, reply: &str| {
                let messages =
                    json!([{ "role": "user", "content": "I feel lost." }, { "role": "assistant", "content": reply }]);
                format!("{}\n", json!({ "id": id, "messages": messages }))
            };
            let chats: Vec<String> = (0..5)
                .map(|at| {
                    line(&format!("chat-{at}"), ["That sounds hard.", "You have depression; take 20 mg of it."][at % 2])
                })
                .collect();
            place.write("chats.jsonl", chats.concat());
            place.run(&["run", "chats.jsonl", "--judge", "builtin", "--name", "first", "--db", "runs.db"]);
        },
        &[],
    )
}

fn printed(wire: &Server, arguments: &[&str]) -> String {
    let outcome = wire.place.run(arguments);
    assert!(!outcome.stdout.is_empty(), "{arguments:?}: {outcome}");
    outcome.stdout
}

#[test]
fn what_promptfoo_posts_passes_or_not_with_the_reason() {
    let wire = started(&[]);
    let of = |query: &str, output: serde_json::Value, prompt: &str| {
        let body = json!({ "output": output, "context": { "prompt": prompt, "vars": {} }, "later": 1 });
        wire.post_json(&format!("/api/v1/promptfoo{query}"), &body.to_string())
    };
    let (said, reply) = ("I feel lost.", "That sounds hard. What weighs on you most?");
    let messages =
        json!({ "messages": [{ "role": "user", "content": said }, { "role": "assistant", "content": reply }] });
    let report = wire.post_json("/api/v1/evaluate", &messages.to_string()).json();
    let all = of("?min_overall=0&fail_on_gate=false", json!(reply), said).json();
    assert_eq!(all, json!({ "pass": true, "score": report["overall"], "reason": report["summary"] }));
    let prompt = json!([{ "role": "user", "content": said }]).to_string();
    assert_eq!(of("?min_overall=0&fail_on_gate=false", json!(reply), &prompt).json(), all);
    let high = of("?min_overall=1&fail_on_gate=false", json!(reply), said).json();
    assert!(high["pass"] == false && high["reason"].as_str().unwrap().contains("is below 1.00"), "{high}");
    let nothing = of("", json!(""), said).json();
    assert!(nothing["pass"] == false && nothing["reason"].as_str().unwrap().starts_with("not judged: "), "{nothing}");
    assert_eq!(of("", json!({ "answer": "Calm down." }), said).status, 200);
    for (query, body) in
        [("?min_overall=7", "{}"), ("", "{}"), ("?colour=red", "{}"), ("", r#"{"output":"x","context":{}}"#)]
    {
        let status = wire.post_json(&format!("/api/v1/promptfoo{query}"), body).status;
        assert!((400..500).contains(&status), "{query} {body}: {status}");
    }
    wire.assert_sound();
}

#[test]
fn a_report_is_byte_for_byte_that_of_the_command_line() {
    let wire = started(&[]);
    wire.place.write("chat.txt", CHAT);
    let expected = printed(&wire, &["eval", "chat.txt", "--format", "json"]);
    let text = wire.send("POST", "/api/v1/evaluate?id=chat", &[("Content-Type", "text/plain")], CHAT.as_bytes());
    assert_eq!((text.status, text.body.as_str()), (200, expected.as_str()));
    let body = json!({ "transcript": CHAT, "id": "chat", "judges": ["builtin"] }).to_string();
    assert_eq!(wire.post_json("/api/v1/evaluate", &body).body, expected);

    let messages = json!({ "messages": [
        { "role": "user", "content": "I feel lost." }, { "role": "assistant", "content": [{ "type": "text", "text": "I hear you." }] },
    ] });
    wire.place.write("openai.json", messages.to_string());
    let expected = printed(&wire, &["eval", "openai.json", "--format", "json"]);
    let mut named = messages.clone();
    named["id"] = json!("openai");
    assert_eq!(wire.post_json("/api/v1/evaluate", &named.to_string()).body, expected);
    let wrapped = json!({ "id": "openai", "transcript": messages }).to_string();
    assert_eq!(wire.post_json("/api/v1/evaluate", &wrapped).body, expected);
    assert_eq!(wire.get("/api/v1/runs").json()["runs"], json!([]), "nothing is stored");
    wire.assert_sound();
}

#[test]
fn what_cannot_be_judged_is_refused_with_what_to_do() {
    let wire = started(&[]);
    let of = |body: &str| -> Reply { wire.post_json("/api/v1/evaluate", body) };
    let cases = [
        ("", 400),
        ("{", 400),
        ("[]", 422),
        ("{}", 422),
        (r#"{"messages":[]}"#, 422),
        (r#"{"messages":[1]}"#, 422),
        (r#"{"messages":[{"role":"user","content":"only one side"}]}"#, 422),
        (r#"{"transcript":5}"#, 422),
        (r#"{"transcript":"just words"}"#, 422),
        (r#"{"transcript":"Human: a\nAI: b","messages":[{}]}"#, 422),
        (r#"{"transcript":"Human: a\nAI: b","jugdes":["builtin"]}"#, 422),
        (r#"{"transcript":"Human: a\nAI: b","judges":["nobody:x"]}"#, 422),
        (r#"{"transcript":"Human: a\nAI: b","judges":["builtin","builtin"]}"#, 422),
        (r#"{"transcript":"Human: a\nAI: b","redact":true}"#, 422),
        (r#"{"transcript":"Human: a\nAI: b","id":""}"#, 422),
        (r#"{"transcript":"Human: a\nAI: b","gate_policy":"all"}"#, 422),
    ];
    for (body, status) in cases {
        let reply = of(body);
        assert_eq!(reply.status, status, "{body}: {}", reply.body);
        assert_eq!(reply.header("content-type"), Some("application/problem+json"));
        let problem = reply.json();
        assert_eq!(problem["status"], status);
        assert!(
            !problem["detail"].as_str().expect("what").is_empty() && !problem["fix"].as_str().expect("fix").is_empty()
        );
    }
    for kind in
        ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain; charset=utf-16", ""]
    {
        assert_eq!(wire.send("POST", "/api/v1/evaluate", &[("Content-Type", kind)], b"{}").status, 415, "{kind}");
    }
    wire.assert_sound();
}

#[test]
fn a_judge_at_an_address_that_comes_with_the_request_is_never_called() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener");
    let address = listener.local_addr().expect("an address");
    let wire = started(&[]);
    for judge in
        [format!("http://{address}/v1#m"), format!("cascade:http://{address}/v1#m"), "ollama:../../admin".to_owned()]
    {
        let body = json!({ "transcript": CHAT, "judges": [judge] }).to_string();
        assert_eq!(wire.post_json("/api/v1/evaluate", &body).status, 422, "{judge}");
    }
    assert!(listener.accept().is_err(), "nobody has called");
}

#[test]
fn a_judge_that_fails_or_is_slow_gives_no_report() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let judge = format!("http://{}/v1#m", listener.local_addr().expect("an address"));
    // It takes connections and never says anything.
    let settings = format!("judge = \"{judge}\"\n");
    let wire = Server::filled(|place| place.write("carelock.toml", settings), &["--judge-seconds", "1"]);
    let body = json!({ "transcript": CHAT, "judges": [judge] }).to_string();
    let slow = wire.post_json("/api/v1/evaluate", &body);
    assert_eq!(slow.status, 504, "{}", slow.body);
    drop(listener);
    let failed = wire.post_json("/api/v1/evaluate", &body);
    assert!([502, 504].contains(&failed.status), "{}", failed.body);
    assert!(failed.json()["metrics"].is_null());
    let log = wire.log();
    assert!(!log.contains("I feel lost"), "{log}");
}

#[test]
fn runs_and_reports_are_those_of_the_command_line() {
    let wire = with_run();
    assert_eq!(wire.get("/api/v1/runs").body, printed(&wire, &["runs", "--format", "json", "--db", "runs.db"]));
    assert_eq!(
        wire.get("/api/v1/runs/1").body,
        printed(&wire, &["show", "first", "--format", "json", "--db", "runs.db"])
    );
    let list = wire.get("/api/v1/runs/1/chats").json();
    assert_eq!((&list["matching"], list["chats"].as_array().map(Vec::len)), (&json!(5), Some(5)));
    let chat = &list["chats"][1];
    let (number, id) = (&chat["number"], chat["id"].as_str().expect("an id"));
    let report = wire.get(&format!("/api/v1/runs/1/chats/{number}/report"));
    assert_eq!(report.body, printed(&wire, &["show", "first", id, "--format", "json", "--db", "runs.db"]));
    for path in ["/api/v1/runs/2", "/api/v1/runs/1/chats/999/report", "/api/v1/runs/2/chats"] {
        assert_eq!(wire.get(path).status, 404, "{path}");
    }
    wire.assert_sound();
}

#[test]
fn a_list_is_read_page_by_page_in_any_order() {
    let wire = with_run();
    for query in ["sort=overall&descending=true", "sort=name", "gated=true", ""] {
        let whole = wire.get(&format!("/api/v1/runs/1/chats?{query}")).json();
        let mut pages = Vec::new();
        let mut after = String::new();
        loop {
            let page = wire.get(&format!("/api/v1/runs/1/chats?limit=2&{query}{after}")).json();
            pages.extend(page["chats"].as_array().expect("chats").clone());
            let Some(next) = page["next"].as_str() else { break };
            after = format!("&after={next}");
        }
        assert_eq!(json!(pages), whole["chats"], "{query}");
    }
    for query in
        ["limit=0", "limit=501", "after=x", "sort=overall&after=position.1.0", "sort=taste", "below=2", "gated=yes"]
    {
        let status = wire.get(&format!("/api/v1/runs/1/chats?{query}")).status;
        assert!(status == 400 || status == 422, "{query}: {status}");
    }
    wire.assert_sound();
}

#[test]
fn what_is_deleted_is_gone() {
    let wire = with_run();
    let list = wire.get("/api/v1/runs/1/chats").json();
    let number = &list["chats"][0]["number"];
    let gone = wire.send("DELETE", &format!("/api/v1/runs/1/chats/{number}"), &[], b"");
    assert_eq!((gone.status, &gone.json()["chats"]), (200, &json!(1)));
    assert_eq!(wire.get(&format!("/api/v1/runs/1/chats/{number}/report")).status, 404);
    assert_eq!(wire.send("DELETE", "/api/v1/runs/1", &[], b"").json()["chats"], json!(4));
    assert_eq!(wire.get("/api/v1/runs/1").status, 404);
    assert_eq!(wire.send("DELETE", "/api/v1/runs/1", &[], b"").status, 404);
    wire.assert_sound();
}

#[test]
fn a_report_is_verified_as_on_the_command_line() {
    let wire = started(&[]);
    let body = json!({ "transcript": CHAT, "id": "chat" }).to_string();
    let report = wire.post_json("/api/v1/evaluate", &body).body;
    wire.place.write("report.json", &report);
    let verified = wire.post_json("/api/v1/verify", &report);
    assert_eq!(
        (verified.status, verified.body.as_str()),
        (200, printed(&wire, &["verify", "report.json", "--json"]).as_str())
    );
    assert_eq!(verified.json()["holds"], true);
    let changed = report.replacen("I feel lost", "I feel fine", 1);
    assert_eq!(wire.post_json("/api/v1/verify", &changed).json()["holds"], false);
    assert_eq!(wire.post_json("/api/v1/verify", "{}").status, 422);
    assert_eq!(wire.post_json("/api/v1/verify", "no").status, 400);
}

#[test]
fn rubric_schemas_and_judges_are_those_of_the_command_line() {
    let wire = started(&[]);
    assert_eq!(wire.get("/api/v1/rubric").body, printed(&wire, &["rubric", "--format", "json"]));
    assert_eq!(wire.get("/api/v1/judges").body, printed(&wire, &["judges", "--json"]));
    for schema in wire.get("/api/v1/schemas").json()["schemas"].as_array().expect("schemas") {
        let name = schema["name"].as_str().expect("a name");
        assert_eq!(wire.get(schema["url"].as_str().expect("a url")).body, printed(&wire, &["schema", name]));
    }
    assert_eq!(wire.get("/api/v1/schemas/other").status, 404);
}

#[test]
fn a_report_fits_the_schema_in_the_document() {
    let wire = started(&[]);
    let mut document = wire.get("/api/v1/openapi.json").json();
    document["$ref"] = json!("#/components/schemas/Report");
    let validator = jsonschema::validator_for(&document).expect("a schema");
    let report = wire.post_json("/api/v1/evaluate", &json!({ "transcript": CHAT }).to_string()).json();
    let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn whoever_finds_the_server_full_is_told_when_to_come_again() {
    let wire = started(&["--max-evaluations", "1"]);
    let head = format!(
        "POST /api/v1/evaluate HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n",
        wire.address
    );
    // Where a quick request was inside when the slow one came, the slow one was turned away: it comes again.
    let (first, full) = wait_for("the first keeps the place", || {
        let mut first = wire.connect();
        std::io::Write::write_all(&mut first, head.as_bytes()).expect("a request");
        let reply = wire.post_json("/api/v1/evaluate", "{}");
        (reply.status == 503).then_some((first, reply))
    });
    assert!(full.header("retry-after").is_some());
    drop(first);
    let is_free = || wire.post_json("/api/v1/evaluate", "{}").status == 422;
    wait_until("a client that leaves gives its place back", is_free);
    wire.assert_sound();
}

/// Asks until a job is over.
fn ended(wire: &Server, run: &serde_json::Value) -> serde_json::Value {
    wait_for("the job ends", || {
        let job = wire.get(&format!("/api/v1/jobs/{run}")).json();
        let is_over = !["filling", "waiting", "working"].contains(&job["state"].as_str().expect("a state"));
        is_over.then_some(job)
    })
}

#[test]
fn a_job_judges_several_chats_as_a_run() {
    let wire = started(&[]);
    let messages =
        json!([{ "role": "user", "content": "I feel lost." }, { "role": "assistant", "content": "I hear you." }]);
    let body = json!({ "title": "mine", "chats": [{ "id": "a", "messages": messages }, { "id": "b", "messages": messages }, CHAT] });
    let begun = wire.post_json("/api/v1/jobs", &body.to_string());
    assert_eq!(begun.status, 202, "{}", begun.body);
    let run = begun.json()["run"].clone();
    assert_eq!(begun.header("location"), Some(format!("/api/v1/jobs/{run}").as_str()));
    let job = ended(&wire, &run);
    assert_eq!((&job["state"], &job["answered"], &job["failed"]), (&json!("done"), &json!(3), &json!(0)));
    let shown = wire.get(&format!("/api/v1/runs/{run}"));
    assert_eq!(shown.json()["name"], "mine");
    assert_eq!(shown.body, printed(&wire, &["show", "mine", "--format", "json", "--db", "runs.db"]));
    let events = wire.get(&format!("/api/v1/jobs/{run}/events"));
    assert!(events.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")));
    assert!(events.body.contains("event: progress") && events.body.contains("event: done"), "{}", events.body);
    assert_eq!(wire.send("DELETE", &format!("/api/v1/jobs/{run}"), &[], b"").status, 409, "it is over");
    assert_eq!(wire.get("/api/v1/jobs/999").status, 404);
    assert_eq!(wire.send("POST", "/api/v1/jobs/999/cancel", &[], b"").status, 404);
    let text = wire.send("POST", "/api/v1/jobs", &[("Content-Type", "text/plain")], CHAT.as_bytes());
    assert_eq!(text.status, 202, "{}", text.body);
    ended(&wire, &text.json()["run"]);
    wire.assert_sound();
}

#[test]
fn a_job_with_a_chat_that_cannot_be_read_stores_nothing() {
    let wire = started(&[]);
    let bodies = [
        json!({ "chats": [CHAT, { "messages": [] }] }),
        json!({ "chats": [] }),
        json!({ "chats": [5] }),
        json!({}),
        json!({ "chats": [CHAT], "transcript": CHAT }),
        json!({ "transcript": CHAT, "judges": ["http://127.0.0.1:1/v1#m"] }),
        json!({ "transcript": CHAT, "redact": true }),
        json!({ "transcript": CHAT, "title": "" }),
        json!({ "transcript": CHAT, "text": CHAT }),
    ];
    for body in bodies {
        let reply = wire.post_json("/api/v1/jobs", &body.to_string());
        assert_eq!(reply.status, 422, "{body}: {}", reply.body);
    }
    assert_eq!(wire.get("/api/v1/runs").json()["runs"], json!([]));
    wire.assert_sound();
}

#[test]
fn a_job_can_be_stopped_and_is_not_deleted_while_it_is_worked_on() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    // A judge that takes connections and never says anything.
    let judge = format!("http://{}/v1#m", listener.local_addr().expect("an address"));
    let settings = format!("judge = \"{judge}\"\n");
    let wire = Server::filled(|place| place.write("carelock.toml", settings), &[]);
    let body = json!({ "transcript": CHAT, "judges": [judge] }).to_string();
    let begun = wire.post_json("/api/v1/jobs", &body);
    assert_eq!(begun.status, 202, "{}", begun.body);
    let run = begun.json()["run"].clone();
    assert_eq!(wire.send("DELETE", &format!("/api/v1/runs/{run}"), &[], b"").status, 409);
    assert_eq!(wire.send("POST", &format!("/api/v1/jobs/{run}/cancel"), &[], b"").status, 200);
    assert_eq!(ended(&wire, &run)["state"], "stopped");
    assert_eq!(wire.send("DELETE", &format!("/api/v1/runs/{run}"), &[], b"").status, 200);
    wire.assert_sound();
}
