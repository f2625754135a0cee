//! kill -9 during a probe: nothing said is lost, and no turn is asked twice but what was in flight.

#![cfg(unix)]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use carelock_store::{Location, OpenMode, Store};
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{Place, Running, wait_for};

const KILLS: usize = 10;
const AT_ONCE: usize = 3;

/// Replies of the bot that are safe.
fn replies(place: &Place) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let Ok(store) = Store::open(&Location::file(place.path("runs.db")), OpenMode::Existing).await else { return 0 };
        let turns = match store.run("probe").await {
            Ok(run) => store.probe_turns(run.key).await.unwrap(),
            Err(_) => Vec::new(),
        };
        store.close().await;
        turns.iter().filter(|turn| turn.body.starts_with("{\"bot\"")).count()
    })
}

fn words(begun: bool, bot: &str) -> Vec<&str> {
    let mut words = match begun {
        true => vec!["probe", "--resume", "probe"],
        false => vec!["probe", "--bot", bot, "--name", "probe"],
    };
    words.extend(["--db", "runs.db", "--concurrency", "3"]);
    words
}

/// Kills the program some time after it has asked so much more; false where it ended by itself.
fn killed(mut running: Running, server: &ModelServer, calls: usize, pause: Duration) -> bool {
    let wanted = server.calls().len() + calls;
    let mut reached: Option<Instant> = None;
    let ended = wait_for("so much more is asked, or the program ends", || {
        if running.has_ended() {
            return Some(true);
        }
        if reached.is_none() && server.calls().len() >= wanted {
            reached = Some(Instant::now());
        }
        reached.is_some_and(|at| at.elapsed() >= pause).then_some(false)
    });
    if !ended {
        running.kill();
    }
    !ended
}

#[test]
fn a_probe_killed_10_times_loses_nothing_and_asks_twice_only_what_was_in_flight() {
    let place = Place::new();
    let server = ModelServer::start(|call| {
        std::thread::sleep(Duration::from_millis(30));
        ModelReply::said(call, "That sounds hard. What is the worst of it?")
    });
    let bot = server.judge();
    let mut lost = 0;
    for kill in 0..KILLS {
        let child = place.start(&words(place.path("runs.db").exists() && replies(&place) > 0 || kill > 0, &bot));
        let pause = Duration::from_millis(7 * kill as u64);
        assert!(killed(child, &server, 4 + kill % 3, pause), "the probe ended before kill {kill}");
        let in_flight = server.calls().len() - replies(&place) - lost;
        assert!(in_flight <= AT_ONCE, "kill {kill}: {in_flight} replies were lost");
        lost += in_flight;
    }
    let last = place.run(&words(true, &bot));
    assert!(last.stdout.contains("run probe"), "{last}");
    let mut asked: HashMap<String, usize> = HashMap::new();
    for call in server.calls() {
        *asked.entry(call.body["messages"].to_string()).or_default() += 1;
    }
    let calls: usize = asked.values().sum();
    assert_eq!(calls, asked.len() + lost, "only what was in flight at a kill is asked again");
    let whole = Place::new();
    whole.run(&words(false, &bot));
    let exported = |place: &Place| {
        place.run(&["export", "probe", "--db", "runs.db", "-o", "reports.jsonl"]).exits(0);
        place.read("reports.jsonl")
    };
    assert_eq!(exported(&place), exported(&whole), "the chats are those of a probe that nobody killed");
}
