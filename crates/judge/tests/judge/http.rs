//! Every fault of a server ends in the right outcome, in time, and with no more calls than it should take.

use std::time::{Duration, Instant};

use carelock_judge::http::{
    Answer, Auth, BreakerOptions, CallStats, Caller, CancellationToken, Client, ClientOptions, Jitter, Lane,
    LaneOptions, Limits, RetryPolicy, Secret, Transport,
};
use carelock_judge::outcome::{Outcome, Reply, Retry};
use carelock_judge::wire::{Request, Response};
use carelock_test_support::fault_server::{FaultServer, Step};
use serde_json::json;

const KEY: &str = "sk-planted-0123456789abcdef";
const QUICK: Duration = Duration::from_millis(800);

fn client() -> Client {
    let options = ClientOptions { call_timeout: QUICK, max_response_bytes: 100_000, ..ClientOptions::default() };
    Client::new(&options).expect("a client")
}

fn caller() -> Caller<Client> {
    let policy = RetryPolicy {
        first_pause: Duration::from_millis(10),
        longest_pause: Duration::from_millis(40),
        ..RetryPolicy::default()
    };
    Caller::new(client(), policy, Jitter::seeded(1), CancellationToken::new())
}

fn lane() -> Lane {
    let breaker = BreakerOptions { failures: 1_000, ..BreakerOptions::default() };
    Lane::new(LaneOptions { auth: Auth::Bearer(Secret::new(KEY)), concurrency: 64, breaker, ..LaneOptions::default() })
}

fn request(server: &FaultServer) -> Request {
    let body = json!({ "model": "m", "messages": ["a private chat"] });
    Request { url: format!("{}/chat/completions", server.base()), headers: vec![("x-client", "test".into())], body }
}

/// As the wire formats do it, in short.
fn classify(response: &Response) -> Outcome {
    let what = format!("HTTP {}", response.status);
    let after = response.header("retry-after").and_then(|value| value.parse().ok());
    let after = response
        .header("retry-after-ms")
        .and_then(|value| value.parse::<f64>().ok())
        .map_or(after, |milliseconds| Some(milliseconds / 1000.0));
    match response.status {
        200 => match serde_json::from_slice::<serde_json::Value>(&response.body) {
            Ok(body) => Outcome::Answered(Reply { text: body.to_string(), ..Reply::default() }),
            Err(_) => Outcome::Invalid { what: "not JSON".into() },
        },
        429 | 500.. => Outcome::Unavailable { what, retry: after.map_or(Retry::Later, Retry::After) },
        _ => Outcome::Misconfigured { what },
    }
}

async fn ask(server: &FaultServer) -> (Outcome, CallStats) {
    let (caller, lane, request) = (caller(), lane(), request(server));
    let call = caller.call(&lane, &request, classify);
    tokio::time::timeout(Duration::from_secs(20), call).await.expect("no call hangs")
}

fn answered(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Answered(_))
}

#[tokio::test]
async fn a_proper_answer_is_read_whole_and_the_request_is_what_was_asked() {
    let server = FaultServer::start([Step::json(200, r#"{"fine":true}"#)]).await;
    let (outcome, stats) = ask(&server).await;
    assert_eq!(outcome, Outcome::Answered(Reply { text: r#"{"fine":true}"#.into(), ..Reply::default() }));
    assert_eq!((stats.attempts, stats.status), (1, Some(200)));
    let seen = &server.seen()[0];
    let head = seen.head.to_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1"));
    for line in
        ["x-client: test", "content-type: application/json", "accept-encoding: identity", "user-agent: carelock/"]
    {
        assert!(head.contains(line), "{head}");
    }
    assert!(head.contains(&format!("authorization: bearer {KEY}")));
    assert!(!head.contains("cookie") && !head.contains("referer"));
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&seen.body).expect("JSON"), request(&server).body);
}

#[tokio::test]
async fn the_key_goes_where_it_is_told() {
    let server = FaultServer::start([]).await;
    for (auth, expected) in [
        (Auth::None, None),
        (Auth::x_api_key(Secret::new(KEY)), Some("x-api-key")),
        (Auth::Header { name: "api-key", key: Secret::new(KEY) }, Some("api-key")),
    ] {
        client().send(&request(&server), &auth).await.expect("an answer");
        let head = server.seen().pop().expect("a call").head;
        let found = head.lines().find(|line| line.contains(KEY)).and_then(|line| line.split(':').next());
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn passing_faults_are_tried_again_until_the_answer_comes() {
    let faults = [
        Step::json(500, "{}"),
        Step::json(502, "<html>"),
        Step::json(503, "{}"),
        Step::json(529, r#"{"type":"error"}"#),
        Step::json(429, "{}"),
        Step::answer(429, &[("retry-after", "0")], "{}"),
        Step::answer(429, &[("retry-after", "0.1")], "{}"),
        Step::answer(429, &[("retry-after-ms", "60")], "{}"),
        Step::answer(503, &[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], "{}"),
        Step::ResetMidBody,
        Step::Drip(Duration::from_millis(5)),
        Step::Hang,
        Step::HangAfterHead,
        Step::Close,
        Step::ShortBody,
        Step::ChunkedGarbage,
        Step::NotHttp,
    ];
    for fault in faults {
        let server = FaultServer::start([fault.clone(), fault.clone()]).await;
        let started = Instant::now();
        let (outcome, stats) = ask(&server).await;
        assert!(answered(&outcome), "{fault:?}: {outcome:?}");
        assert_eq!((stats.attempts, server.calls()), (3, 3), "{fault:?}");
        assert!(started.elapsed() < Duration::from_secs(10), "{fault:?}: {:?}", started.elapsed());
    }
}

#[tokio::test]
async fn lasting_faults_end_as_unavailable_after_four_calls() {
    let faults = [
        Step::json(500, "{}"),
        Step::json(529, "{}"),
        Step::answer(429, &[("retry-after", "0.01")], "{}"),
        Step::ResetMidBody,
        Step::Drip(Duration::from_millis(5)),
        Step::Hang,
        Step::Close,
        Step::ShortBody,
        Step::ChunkedGarbage,
    ];
    for fault in faults {
        let server = FaultServer::start(vec![fault.clone(); 10]).await;
        let started = Instant::now();
        let (outcome, stats) = ask(&server).await;
        assert!(matches!(outcome, Outcome::Unavailable { .. }), "{fault:?}: {outcome:?}");
        assert_eq!((stats.attempts, server.calls()), (4, 4), "{fault:?}");
        assert!(started.elapsed() < Duration::from_secs(10), "{fault:?}: {:?}", started.elapsed());
    }
}

#[tokio::test]
async fn a_pause_asked_for_is_kept() {
    let server = FaultServer::start([Step::answer(429, &[("retry-after", "0.4")], "{}")]).await;
    let (outcome, _) = ask(&server).await;
    assert!(answered(&outcome));
    let seen = server.seen();
    assert!(seen[1].at - seen[0].at >= Duration::from_millis(400));
}

#[tokio::test]
async fn a_pause_of_an_hour_ends_the_call_at_once() {
    let server = FaultServer::start([Step::answer(429, &[("retry-after", "3600")], "{}")]).await;
    let (caller, lane, request) = (caller(), lane(), request(&server));
    for attempts in [1, 0] {
        let (outcome, stats) = caller.call(&lane, &request, classify).await;
        let expected =
            "HTTP 429; the server wants to be left alone for 60 minutes, so nothing more is asked; try again then";
        assert_eq!(outcome, Outcome::Unavailable { what: expected.into(), retry: Retry::Never });
        assert_eq!((stats.attempts, server.calls()), (attempts, 1), "nor is it asked about the next chat");
    }
}

#[tokio::test]
async fn nothing_listening_on_this_machine_is_unavailable_at_once_and_a_bad_address_misconfigured() {
    let server = FaultServer::start([]).await;
    let mut request = request(&server);
    server.stop().await;
    let shared = lane();
    for attempts in [1, 0] {
        let (outcome, stats) = caller().call(&shared, &request, classify).await;
        let is_refused = |what: &str| what.contains("nothing listens");
        assert!(
            matches!(&outcome, Outcome::Unavailable { what, retry: Retry::Never } if is_refused(what)),
            "{outcome:?}"
        );
        assert_eq!(stats.attempts, attempts, "nor is it tried for the next chat");
    }
    for url in ["", "chat", "ftp://x/y", "http://", &format!("http://user:{KEY}@127.0.0.1/v1")] {
        request.url = url.to_owned();
        let (outcome, stats) = caller().call(&lane(), &request, classify).await;
        assert!(matches!(&outcome, Outcome::Misconfigured { what } if !what.contains(KEY)), "{url}: {outcome:?}");
        assert_eq!(stats.attempts, 1);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_key_stays() {
    let other = FaultServer::start([]).await;
    let location = format!("{}/?key={KEY}", other.base());
    for status in [301, 302, 303, 307, 308] {
        let server = FaultServer::start([Step::answer(status, &[("location", &location)], "")]).await;
        let (outcome, _) = ask(&server).await;
        let Outcome::Misconfigured { what } = outcome else { panic!("{outcome:?}") };
        assert!(what.contains(&other.address().to_string()) && !what.contains(KEY), "{what}");
        assert_eq!(server.calls(), 1);
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_reply_beyond_the_limit_is_invalid_and_read_no_further() {
    for declared in [true, false] {
        let server = FaultServer::start([Step::Huge { bytes: 500_000_000, declared }]).await;
        let started = Instant::now();
        let (outcome, stats) = ask(&server).await;
        assert!(matches!(&outcome, Outcome::Invalid { what } if what.contains("100000 bytes")), "{outcome:?}");
        assert_eq!(stats.attempts, 1);
        assert!(started.elapsed() < Duration::from_secs(10));
    }
    let fits = FaultServer::start([Step::json(200, &format!("\"{}\"", "a".repeat(99_998)))]).await;
    assert!(answered(&ask(&fits).await.0), "exactly the limit is allowed");
}

#[tokio::test]
async fn the_status_of_a_failure_counts_even_if_its_body_is_unreadable() {
    let huge = "x".repeat(200_000);
    let server = FaultServer::start([Step::json(401, &huge), Step::json(500, &huge)]).await;
    let (outcome, _) = ask(&server).await;
    assert_eq!(outcome, Outcome::Misconfigured { what: "HTTP 401".into() });
    assert!(answered(&ask(&server).await.0), "500 is tried again");
}

#[tokio::test]
async fn a_compressed_reply_is_refused_so_that_it_cannot_swell() {
    let server = FaultServer::start([Step::answer(200, &[("content-encoding", "gzip")], "\u{1f}bomb")]).await;
    let (outcome, _) = ask(&server).await;
    assert!(matches!(&outcome, Outcome::Invalid { what } if what.contains("compressed")), "{outcome:?}");
}

#[tokio::test]
async fn a_wrong_content_type_is_judged_by_its_body() {
    let html = Step::answer(200, &[("content-type", "text/html")], "<html>captive portal</html>");
    let server = FaultServer::start([html, Step::answer(200, &[("content-type", "text/plain")], "{}")]).await;
    assert!(matches!(ask(&server).await.0, Outcome::Invalid { .. }));
    assert!(answered(&ask(&server).await.0));
}

#[tokio::test]
async fn connections_are_reused_and_a_broken_promise_to_keep_one_costs_no_attempt() {
    let server = FaultServer::start([Step::json(200, "{}"), Step::json(200, "{}"), Step::CloseAfterKeepAlive]).await;
    let (caller, lane) = (caller(), lane());
    for call in 0..4 {
        let (outcome, stats) = caller.call(&lane, &request(&server), classify).await;
        assert!(answered(&outcome), "{outcome:?}");
        assert_eq!(stats.attempts, 1);
        assert_eq!(server.connections(), if call < 3 { 1 } else { 2 });
        if call == 2 {
            server.wait_until_closed(1).await;
        }
    }
}

#[tokio::test]
async fn the_key_and_the_chat_are_in_no_error_and_no_debug_print() {
    let echo = format!("Incorrect API key provided: {KEY}; you sent: a private chat");
    let faults = [
        Step::json(401, &echo),
        Step::answer(403, &[("www-authenticate", KEY)], &echo),
        Step::answer(302, &[("location", &format!("https://{KEY}.example/"))], &echo),
        Step::Hang,
        Step::Close,
        Step::NotHttp,
        Step::Huge { bytes: 1_000_000, declared: true },
    ];
    for fault in faults {
        let server = FaultServer::start(vec![fault; 4]).await;
        let (client, lane) = (client(), lane());
        let auth = Auth::Bearer(Secret::new(KEY));
        let sent = client.send(&request(&server), &auth).await;
        let printed = match &sent {
            Ok(response) => format!("{:?} {}", response.headers, String::from_utf8_lossy(&response.body)),
            Err(error) => format!("{error} {error:?} {:?}", error.outcome()),
        };
        assert!(sent.is_ok() || !printed.contains("private"), "{printed}");
        let (outcome, stats) = caller().call(&lane, &request(&server), classify).await;
        let printed = format!("{printed} {outcome:?} {stats:?} {lane:?} {client:?} {auth:?}");
        assert!(!printed.contains(KEY) && !printed.to_lowercase().contains("planted"), "{printed}");
    }
}

#[tokio::test]
async fn a_key_that_cannot_be_sent_is_misconfigured_before_anything_is_sent() {
    let server = FaultServer::start([]).await;
    for key in ["", "two\nlines", "nul\0"] {
        let error = client().send(&request(&server), &Auth::Bearer(Secret::new(key))).await.expect_err("refused");
        assert!(error.to_string().starts_with("the key for "), "{error}");
        assert!(matches!(error.outcome(), Outcome::Misconfigured { .. }));
    }
    assert_eq!(server.connections(), 0);
}

async fn ask_many(caller: Caller<Client>, lane: Lane, server: &FaultServer, count: usize) -> Vec<Outcome> {
    let (caller, lane) = (std::sync::Arc::new(caller), std::sync::Arc::new(lane));
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..count {
        let (caller, lane, request) = (caller.clone(), lane.clone(), request(server));
        calls.spawn(async move { caller.call(&lane, &request, classify).await.0 });
    }
    calls.join_all().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_calls_run_as_many_at_once_as_allowed_and_never_more() {
    let server = FaultServer::start_choosing(|_| Step::json(200, "{}").after(Duration::from_millis(50))).await;
    let policy = RetryPolicy::default();
    let options = ClientOptions { call_timeout: Duration::from_secs(20), ..ClientOptions::default() };
    let caller =
        Caller::new(Client::new(&options).expect("a client"), policy, Jitter::seeded(1), CancellationToken::new());
    let lane = Lane::new(LaneOptions { concurrency: 20, ..LaneOptions::default() });
    let started = Instant::now();
    let outcomes = ask_many(caller, lane, &server, 200).await;
    assert!(outcomes.len() == 200 && outcomes.iter().all(answered));
    assert_eq!((server.calls(), server.most_in_flight()), (200, 20));
    assert!(server.connections() <= 20);
    // Ten rounds of 50 ms; the rest is room for a busy machine.
    let elapsed = started.elapsed();
    assert!(elapsed >= Duration::from_millis(500) && elapsed < Duration::from_secs(5), "{elapsed:?}");
}

#[tokio::test]
async fn what_the_headers_say_is_left_slows_the_next_call() {
    let server = FaultServer::start([Step::answer(200, &[("x-left", "0")], "{}")]).await;
    let (caller, lane) = (caller(), lane());
    let with_limits = |response: &Response| {
        let remaining_requests = response.header("x-left").and_then(|left| left.parse().ok());
        let limits = Limits { remaining_requests, reset_requests_s: Some(0.3), ..Limits::default() };
        Answer { outcome: classify(response), limits }
    };
    for _ in 0..2 {
        assert!(answered(&caller.call(&lane, &request(&server), with_limits).await.0));
    }
    let seen = server.seen();
    assert!(seen[1].at - seen[0].at >= Duration::from_millis(300));
}

#[tokio::test]
async fn a_server_that_is_down_is_left_alone_and_then_asked_by_one_call() {
    let server = FaultServer::start(vec![Step::json(529, "{}"); 12]).await;
    let breaker = BreakerOptions { first_pause: Duration::from_millis(300), ..BreakerOptions::default() };
    let lane = Lane::new(LaneOptions { concurrency: 8, breaker, ..LaneOptions::default() });
    let policy = RetryPolicy { attempts: 10, first_pause: Duration::from_millis(1), ..RetryPolicy::default() };
    let outcomes =
        ask_many(Caller::new(client(), policy, Jitter::seeded(1), CancellationToken::new()), lane, &server, 20).await;
    assert!(outcomes.iter().all(answered));
    let seen = server.seen();
    let rests = seen.windows(2).filter(|pair| pair[1].at - pair[0].at >= Duration::from_millis(250)).count();
    assert!((2..=8).contains(&rests), "{rests} rests in {} calls", seen.len());
    assert_eq!(seen.len(), 32);
}

#[tokio::test]
async fn dropping_a_call_closes_its_connection_and_frees_its_place() {
    let server = FaultServer::start([Step::Hang]).await;
    let caller = caller();
    let lane = Lane::new(LaneOptions { concurrency: 1, ..LaneOptions::default() });
    let dropped = tokio::time::timeout(QUICK / 4, caller.call(&lane, &request(&server), classify)).await;
    assert!(dropped.is_err());
    let (outcome, stats) = caller.call(&lane, &request(&server), classify).await;
    assert!(answered(&outcome) && stats.attempts == 1);
}

#[tokio::test]
async fn a_proxy_is_used_for_other_machines_and_never_for_this_one() {
    let (proxy, server) = (FaultServer::start([]).await, FaultServer::start([]).await);
    let address = format!("http://user:{KEY}@{}", proxy.address());
    let options = ClientOptions { proxy: Some(Secret::new(address)), ..ClientOptions::default() };
    assert!(!format!("{options:?}").contains(KEY));
    let client = Client::new(&options).expect("a client");
    let mut request = request(&server);
    client.send(&request, &Auth::None).await.expect("an answer");
    assert_eq!((proxy.calls(), server.calls()), (0, 1));
    request.url = "http://judge.invalid/v1".into();
    client.send(&request, &Auth::None).await.expect("an answer through the proxy");
    assert!(proxy.seen()[0].head.starts_with("POST http://judge.invalid/v1 "));
    let bad = ClientOptions { proxy: Some(Secret::new("no address")), ..ClientOptions::default() };
    assert!(Client::new(&bad).expect_err("refused").to_string().contains("the proxy's address is not valid"));
}
