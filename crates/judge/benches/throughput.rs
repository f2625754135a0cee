//! 1,000 calls, 64 at a time, to a server that answers after 200 ms: wall time against the ideal, and peak memory.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints its numbers, and may stop")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use carelock_judge::http::{
    Auth, Caller, CancellationToken, Client, ClientOptions, Jitter, Lane, LaneOptions, RetryPolicy, Secret,
};
use carelock_judge::outcome::{Outcome, Reply};
use carelock_judge::wire::{Request, Response};
use carelock_test_support::fault_server::{FaultServer, Step};
use serde_json::json;

const CALLS: usize = 1_000;
const AT_ONCE: usize = 64;
const LATENCY: Duration = Duration::from_millis(200);
/// About what a question with the rubric and a long chat weighs, and an answer of 2,500 tokens.
const QUESTION_BYTES: usize = 60_000;
const ANSWER_BYTES: usize = 10_000;

const MOST_TIME: f64 = 1.15;
const MOST_MEMORY_MB: f64 = 150.0;

fn classify(response: &Response) -> Outcome {
    let text = String::from_utf8_lossy(&response.body).into_owned();
    Outcome::Answered(Reply { text, ..Reply::default() })
}

async fn run(server: &FaultServer) -> Duration {
    let client = Client::new(&ClientOptions::default()).unwrap();
    let caller = Arc::new(Caller::new(client, RetryPolicy::default(), Jitter::seeded(1), CancellationToken::new()));
    let auth = Auth::Bearer(Secret::new("sk-benchmark-key"));
    let lane = Arc::new(Lane::new(LaneOptions { auth, concurrency: AT_ONCE, ..LaneOptions::default() }));
    let url = format!("{}/chat/completions", server.base());
    let request = Arc::new(Request { url, headers: Vec::new(), body: json!({ "text": "x".repeat(QUESTION_BYTES) }) });
    let started = Instant::now();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..CALLS {
        let (caller, lane, request) = (Arc::clone(&caller), Arc::clone(&lane), Arc::clone(&request));
        calls.spawn(async move {
            let (outcome, stats) = caller.call(&lane, &request, classify).await;
            assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
            assert_eq!(stats.attempts, 1);
        });
    }
    calls.join_all().await;
    started.elapsed()
}

fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (elapsed, most_in_flight) = runtime.block_on(async {
        let answer = format!("\"{}\"", "y".repeat(ANSWER_BYTES));
        let server = FaultServer::start_choosing(move |_| Step::json(200, &answer).after(LATENCY)).await;
        (run(&server).await, server.most_in_flight())
    });
    let ideal = LATENCY.as_secs_f64() * CALLS as f64 / AT_ONCE as f64;
    let ratio = elapsed.as_secs_f64() / ideal;
    println!("{CALLS} calls, {AT_ONCE} at a time, {} ms each", LATENCY.as_millis());
    println!("wall time       {:.3} s, ideal {ideal:.3} s, ratio {ratio:.3} (bar {MOST_TIME})", elapsed.as_secs_f64());
    println!("most in flight  {most_in_flight}");
    let memory = peak_memory_mb();
    match memory {
        Some(memory) => println!("peak memory     {memory:.1} MB, the server included (bar {MOST_MEMORY_MB})"),
        None => println!("peak memory     not known on this system"),
    }
    assert!(most_in_flight <= AT_ONCE, "more calls at once than allowed");
    assert!(ratio <= MOST_TIME, "slower than the bar");
    assert!(memory.is_none_or(|memory| memory <= MOST_MEMORY_MB), "more memory than the bar");
}
