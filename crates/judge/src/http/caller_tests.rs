//! Retries, limits and the breaker on a paused clock, with a script in the place of the network.

use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use carelock_core::verdict::Tokens;
use serde_json::json;
use tokio::time::sleep;

use super::*;
use crate::http::{Auth, BreakerOptions, LaneOptions, Secret, TransportError};
use crate::outcome::Reply;

/// A transport that answers every call after a while with the next status of its script, then with 200.
struct Script {
    takes: Duration,
    steps: Mutex<Vec<Result<u16, TransportError>>>,
    sent: Mutex<Vec<Instant>>,
    running: AtomicUsize,
    most_running: AtomicUsize,
}

impl Script {
    fn new(takes: f64, steps: impl IntoIterator<Item = Result<u16, TransportError>>) -> Self {
        let mut steps: Vec<_> = steps.into_iter().collect();
        steps.reverse();
        Self {
            takes: Duration::from_secs_f64(takes),
            steps: Mutex::new(steps),
            sent: Mutex::default(),
            running: AtomicUsize::new(0),
            most_running: AtomicUsize::new(0),
        }
    }

    fn times(&self, since: Instant) -> Vec<f64> {
        self.sent.lock().unwrap().iter().map(|at| (*at - since).as_secs_f64()).collect()
    }
}

impl Transport for &Script {
    async fn send(&self, _: &Request, _: &Auth) -> Result<Response, TransportError> {
        self.sent.lock().unwrap().push(Instant::now());
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_running.fetch_max(running, Ordering::SeqCst);
        let step = self.steps.lock().unwrap().pop().unwrap_or(Ok(200));
        sleep(self.takes).await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        step.map(|status| Response { status, headers: Vec::new(), body: Vec::new() })
    }
}

fn request() -> Request {
    Request { url: "http://judge.test/v1".into(), headers: Vec::new(), body: json!({ "question": "?" }) }
}

fn reply(tokens: u64) -> Outcome {
    Outcome::Answered(Reply { tokens: Some(Tokens { input: tokens, ..Tokens::default() }), ..Reply::default() })
}

fn classify(response: &Response) -> Outcome {
    let what = format!("HTTP {}", response.status);
    match response.status {
        200 => reply(1),
        400..=404 => Outcome::Misconfigured { what },
        429 => Outcome::Unavailable { what, retry: Retry::After(3.0) },
        503 => Outcome::Unavailable { what, retry: Retry::Never },
        _ => Outcome::Unavailable { what, retry: Retry::Later },
    }
}

fn caller(script: &Script) -> Caller<&Script> {
    Caller::new(script, RetryPolicy::default(), Jitter::seeded(7), CancellationToken::new())
}

fn patient_lane() -> Lane {
    let breaker = BreakerOptions { failures: 1000, ..BreakerOptions::default() };
    Lane::new(LaneOptions { breaker, concurrency: 64, ..LaneOptions::default() })
}

async fn many(caller: &Caller<&Script>, lane: &Lane, count: usize) -> Vec<(Outcome, CallStats)> {
    let request = request();
    let mut calls: Vec<_> = (0..count).map(|_| Box::pin(caller.call(lane, &request, classify))).collect();
    let mut results = Vec::new();
    // All are polled together: each is waited for while the others are woken through the same task.
    std::future::poll_fn(|context| {
        calls.retain_mut(|call| match call.as_mut().poll(context) {
            std::task::Poll::Ready(result) => {
                results.push(result);
                false
            }
            std::task::Poll::Pending => true,
        });
        if calls.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    results
}

#[tokio::test(start_paused = true)]
async fn pauses_double_and_differ_by_a_quarter_at_most() {
    let script = Script::new(0.0, [Ok(500), Ok(529), Ok(502), Ok(500)]);
    let start = Instant::now();
    let (outcome, stats) = caller(&script).call(&patient_lane(), &request(), classify).await;
    assert!(matches!(outcome, Outcome::Unavailable { retry: Retry::Later, .. }));
    assert_eq!((stats.attempts, stats.status), (4, Some(500)));
    let times = script.times(start);
    for (pair, longest) in times.windows(2).zip([0.5, 1.0, 2.0]) {
        let pause = pair[1] - pair[0];
        assert!(pause <= longest + 0.002 && pause >= longest * 0.75, "{times:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_pauses() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let script = Script::new(0.0, [Ok(500), Ok(500), Ok(500)]);
        let start = Instant::now();
        let (outcome, _) = caller(&script).call(&patient_lane(), &request(), classify).await;
        assert_eq!(outcome, reply(1));
        runs.push(script.times(start));
    }
    assert_eq!(runs[0], runs[1]);
    let jitter = Jitter::seeded(1);
    let fractions: Vec<_> = (0..1000).map(|_| jitter.fraction()).collect();
    assert!(fractions.iter().all(|fraction| (0.0..1.0).contains(fraction)));
    let mean = fractions.iter().sum::<f64>() / 1000.0;
    assert!((0.45..0.55).contains(&mean), "{mean}");
}

#[tokio::test(start_paused = true)]
async fn a_pause_the_server_asks_for_is_kept_by_every_call_on_the_lane() {
    let script = Script::new(0.1, [Ok(429)]);
    let (caller, lane) = (caller(&script), patient_lane());
    let start = Instant::now();
    let request = request();
    let first = caller.call(&lane, &request, classify);
    let second = async {
        sleep(Duration::from_millis(500)).await;
        caller.call(&lane, &request, classify).await
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first.0, second.0), (reply(1), reply(1)));
    let times = script.times(start);
    assert_eq!(times.len(), 3);
    assert!(times[1] >= 3.1 && times[2] >= 3.1 && times[2] < 3.2, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn pauses_that_outlast_the_time_or_make_no_sense_never_hang_a_call() {
    for (seconds, attempts) in [(1e9, 1), (f64::INFINITY, 1), (119.0, 1), (f64::NAN, 4), (-5.0, 4), (0.0, 4)] {
        let script = Script::new(0.0, vec![Ok(500); 4]);
        let policy = RetryPolicy { total: Duration::from_secs(100), ..RetryPolicy::default() };
        let caller = Caller::new(&script, policy, Jitter::seeded(7), CancellationToken::new());
        let start = Instant::now();
        let stubborn = |_: &Response| Outcome::Unavailable { what: "busy".into(), retry: Retry::After(seconds) };
        let (outcome, stats) = caller.call(&patient_lane(), &request(), stubborn).await;
        assert!(matches!(outcome, Outcome::Unavailable { .. }));
        assert_eq!(stats.attempts, attempts, "{seconds}");
        assert!(start.elapsed() < Duration::from_secs(10), "{seconds}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_trying_again_can_help_is_tried_again() {
    let broken = TransportError::broken("h", "the connection was reset");
    let too_large = TransportError::new(End::Nonsense, "too large");
    for (step, attempts) in [(Ok(200), 1), (Ok(400), 1), (Ok(503), 1), (Err(too_large), 1), (Err(broken), 2)] {
        let script = Script::new(0.0, [step]);
        let (_, stats) = caller(&script).call(&patient_lane(), &request(), classify).await;
        assert_eq!(stats.attempts, attempts);
    }
}

#[tokio::test(start_paused = true)]
async fn all_attempts_together_end_in_time_even_if_the_transport_hangs() {
    let script = Script::new(1e6, []);
    let start = Instant::now();
    let (outcome, stats) = caller(&script).call(&patient_lane(), &request(), classify).await;
    assert!(matches!(outcome, Outcome::Unavailable { .. }));
    assert_eq!((start.elapsed().as_secs(), stats.attempts), (600, 1));
}

#[tokio::test(start_paused = true)]
async fn a_wrong_key_closes_the_lane_and_nothing_more_is_sent() {
    let script = Script::new(0.0, [Ok(401)]);
    let (caller, lane) = (caller(&script), patient_lane());
    let (first, _) = caller.call(&lane, &request(), classify).await;
    let (second, stats) = caller.call(&lane, &request(), classify).await;
    assert_eq!(first, Outcome::Misconfigured { what: "HTTP 401".into() });
    assert_eq!((second, stats.attempts), (first.clone(), 0));
    assert_eq!(lane.closed(), Some(first));
    assert_eq!(script.sent.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn closing_the_lane_ends_calls_that_pause_or_wait_for_their_minute() {
    let script = Script::new(0.0, [Ok(429)]);
    let caller = caller(&script);
    let lane = Lane::new(LaneOptions { requests_per_minute: Some(1), ..LaneOptions::default() });
    let start = Instant::now();
    let close = async {
        sleep(Duration::from_secs(1)).await;
        lane.close(Outcome::Misconfigured { what: "no money".into() });
    };
    let (results, ()) = tokio::join!(many(&caller, &lane, 5), close);
    assert!(results.iter().all(|(outcome, _)| *outcome == Outcome::Misconfigured { what: "no money".into() }));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_wrong_by_itself_leaves_the_lane_open() {
    let script = Script::new(0.0, [Ok(400)]);
    let (caller, lane) = (caller(&script), patient_lane());
    assert!(matches!(caller.call(&lane, &request(), classify).await.0, Outcome::Misconfigured { .. }));
    assert_eq!(caller.call(&lane, &request(), classify).await.0, reply(1));
}

#[tokio::test(start_paused = true)]
async fn a_judge_that_is_down_for_good_is_given_up_after_few_calls() {
    let script = Script::new(0.1, vec![Ok(529); 5000]);
    let caller = caller(&script);
    let lane = Lane::new(LaneOptions { concurrency: 64, ..LaneOptions::default() });
    let start = Instant::now();
    let results = many(&caller, &lane, 1000).await;
    assert!(results.iter().all(|(outcome, _)| matches!(outcome, Outcome::Unavailable { .. })));
    // 64 were on their way when the breaker opened; then one at a time, eight times.
    assert!(script.sent.lock().unwrap().len() <= 64 + 8);
    assert!(start.elapsed() < Duration::from_secs(300), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_judge_that_comes_back_answers_every_call() {
    let script = Script::new(0.1, vec![Ok(529); 66]);
    let caller = caller(&script);
    let lane = Lane::new(LaneOptions { concurrency: 64, ..LaneOptions::default() });
    let results = many(&caller, &lane, 200).await;
    assert!(results.iter().all(|(outcome, _)| *outcome == reply(1)));
    assert_eq!(script.sent.lock().unwrap().len(), 266);
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_run_at_once_than_the_lane_allows() {
    let script = Script::new(0.2, []);
    let lane = Lane::new(LaneOptions { concurrency: 16, ..LaneOptions::default() });
    let start = Instant::now();
    let results = many(&caller(&script), &lane, 160).await;
    assert_eq!(results.len(), 160);
    assert_eq!(script.most_running.load(Ordering::SeqCst), 16);
    let elapsed = start.elapsed().as_secs_f64();
    assert!((1.99..2.3).contains(&elapsed), "{elapsed}");
}

#[tokio::test(start_paused = true)]
async fn requests_and_tokens_stay_within_their_minute() {
    for (requests_per_minute, tokens_per_minute) in [(Some(10), None), (None, Some(1000))] {
        let script = Script::new(0.0, []);
        let options = LaneOptions { requests_per_minute, tokens_per_minute, concurrency: 1, ..LaneOptions::default() };
        // An answer that uses 100 tokens: ten a minute by either limit once the true size is known.
        let lane = Lane::new(LaneOptions { answer_tokens: 95, ..options });
        let start = Instant::now();
        for _ in 0..30 {
            caller(&script).call(&lane, &request(), |_: &Response| reply(100)).await;
        }
        let times = script.times(start);
        assert!(times.windows(11).all(|window| window[10] - window[0] >= 59.9), "{times:?}");
        assert!(start.elapsed().as_secs_f64() < 121.0);
    }
}

#[tokio::test(start_paused = true)]
async fn limits_in_the_answers_slow_the_lane_down() {
    let script = Script::new(0.0, []);
    let (caller, lane) = (caller(&script), patient_lane());
    let start = Instant::now();
    let limits = Limits { remaining_requests: Some(0), reset_requests_s: Some(9.0), ..Limits::default() };
    for _ in 0..3 {
        caller.call(&lane, &request(), |response: &Response| (classify(response), limits)).await;
    }
    let times = script.times(start);
    assert!(times[1] >= 9.0 && times[2] >= 18.0 && times[2] < 18.1, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_calls_that_run_and_calls_that_wait() {
    let script = Script::new(50.0, []);
    let cancel = CancellationToken::new();
    let caller = Caller::new(&script, RetryPolicy::default(), Jitter::seeded(7), cancel.clone());
    let lane = Lane::new(LaneOptions { concurrency: 2, ..LaneOptions::default() });
    let start = Instant::now();
    let stop = async {
        sleep(Duration::from_secs(60)).await;
        cancel.cancel();
    };
    let (results, ()) = tokio::join!(many(&caller, &lane, 10), stop);
    assert_eq!(start.elapsed().as_secs(), 60);
    assert_eq!(results.iter().filter(|(outcome, stats)| *outcome == reply(1) && !stats.cancelled).count(), 2);
    assert_eq!(results.iter().filter(|(_, stats)| stats.cancelled).count(), 8);
    let (_, late) = caller.call(&lane, &request(), classify).await;
    assert_eq!((late.cancelled, late.attempts), (true, 0));
}

#[tokio::test(start_paused = true)]
async fn a_key_in_the_servers_words_does_not_reach_the_outcome() {
    let script = Script::new(0.0, []);
    let auth = Auth::Bearer(Secret::new("sk-planted-1234567890"));
    let lane = Lane::new(LaneOptions { auth, ..LaneOptions::default() });
    let echo = |_: &Response| Outcome::Misconfigured { what: "bad key sk-planted-1234567890".into() };
    let (outcome, stats) = caller(&script).call(&lane, &request(), echo).await;
    let printed = format!("{outcome:?} {stats:?} {lane:?} {:?}", lane.closed());
    assert!(!printed.contains("planted"), "{printed}");
}
