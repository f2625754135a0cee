//! kill -9 at any moment: nothing judged is lost, and nothing is asked twice but what was in flight.

#![cfg(unix)]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::postgres::fresh_blocking;
use carelock_test_support::{Place, Running, wait_for, wait_until};

use super::stored::Stored;

const CHATS: usize = 200;
const KILLS: usize = 25;
const AT_ONCE: usize = 4;

/// Moments that look random and are the same every time.
struct Moments(u64);

impl Moments {
    fn next(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn pause(&mut self, most: u64) -> Duration {
        Duration::from_millis(self.next(most))
    }
}

fn slow_server() -> ModelServer {
    ModelServer::start(|call| {
        // Between 50 and 100 ms, by the chat.
        std::thread::sleep(Duration::from_millis(50 + call.user().len() as u64 * 7 % 50));
        ModelReply::said(call, &plain(call).to_string())
    })
}

/// The command line that begins the run, or carries on with it once it is there.
fn words<'a>(begun: bool, judge: &'a str, database: &'a str, lease: &'a str, at_once: &'a str) -> Vec<&'a str> {
    let mut words = match begun {
        true => vec!["run", "--resume", "killed"],
        false => vec!["run", "chats", "--name", "killed", "--judge", judge, "--no-second-look"],
    };
    words.extend(["--db", database, "--lease", lease, "--concurrency", at_once, "--no-cache"]);
    words
}

/// How often each chat was asked about.
fn asked(server: &ModelServer) -> HashMap<String, usize> {
    let mut asked = HashMap::new();
    for call in server.calls() {
        let first = call.turns().remove(0).text;
        *asked.entry(first).or_default() += 1;
    }
    asked
}

/// Kills the program some time after it has asked so much more; false where it ended by itself.
fn killed(mut running: Running, server: &ModelServer, calls: u64, pause: Duration) -> bool {
    let wanted = server.calls().len() + usize::try_from(calls).unwrap();
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

#[track_caller]
fn every_chat_has_one_answer(stored: &Stored) {
    let run = stored.run("killed").unwrap();
    let (answers, results) = stored.answers("killed");
    assert_eq!((run.chats, answers.len(), results), (CHATS as u64, CHATS, CHATS));
    assert!(answers.values().all(|count| *count == 1), "{answers:?}");
}

#[test]
fn a_run_killed_25_times_has_every_verdict_once_and_asked_twice_only_what_was_in_flight() {
    let place = Place::with_short_chats(CHATS);
    let server = slow_server();
    let judge = server.judge();
    let database = place.path("runs.db").display().to_string();
    let stored = Stored::file(&place.path("runs.db"));
    let mut moments = Moments(20_261_115);
    let (mut kills, mut lost) = (0, 0);
    while kills < KILLS {
        let begun = stored.run("killed").is_some();
        let child = place.start(&words(begun, &judge, &database, "1", "4"));
        // Every fourth dies young: while the database is opened, the run filled, the first chats claimed.
        let (calls, pause) =
            if kills % 4 == 0 { (0, moments.pause(300)) } else { (moments.next(7), moments.pause(80)) };
        if !killed(child, &server, calls, pause) {
            break;
        }
        kills += 1;
        // What was asked and is not stored was in flight; that can be no more than is ever asked at once.
        let answered = stored.run("killed").map_or(0, |_| usize::try_from(stored.progress("killed").answered).unwrap());
        let in_flight = server.calls().len() - answered - lost;
        assert!(in_flight <= AT_ONCE, "kill {kills}: {in_flight} calls were lost");
        lost += in_flight;
    }
    assert_eq!(kills, KILLS, "the run ended before it was killed often enough");
    let last = place.run(&words(true, &judge, &database, "1", "4")).exits(0);
    assert!(last.stdout.contains("next: carelock show killed"), "{last}");
    every_chat_has_one_answer(&stored);
    let asked = asked(&server);
    let calls: usize = asked.values().sum();
    assert_eq!(asked.len(), CHATS);
    assert_eq!(calls, CHATS + lost, "only what was in flight at a kill is asked again");
}

/// A run with one slow chat under way whose worker is killed; what it is called is `killed`.
fn killed_over_a_chat(place: &Place, database: &str) -> ModelServer {
    let server = slow_server();
    let judge = server.judge();
    let child = place.start(&words(false, &judge, database, "600", "2"));
    assert!(killed(child, &server, 3, Duration::ZERO));
    server
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_worker_of_this_machine_left_is_taken_over_at_once() {
    let place = Place::with_short_chats(12);
    let database = place.path("runs.db").display().to_string();
    let server = killed_over_a_chat(&place, &database);
    let rescored = place.run(&["rescore", "killed", "--equal-weights", "--db", &database]).exits(0);
    assert!(!rescored.stderr.contains("is being worked on"), "{rescored}");
    let server_judge = server.judge();
    let begun = Instant::now();
    let resumed = place.run(&words(true, &server_judge, &database, "600", "4")).exits(0);
    assert!(begun.elapsed() < Duration::from_secs(60), "{resumed}");
    let (answers, results) = Stored::file(&place.path("runs.db")).answers("killed");
    assert_eq!((answers.len(), results), (12, 12));
}

#[test]
fn a_lease_of_a_clock_that_was_wrong_holds_no_longer_than_a_lease() {
    let place = Place::with_short_chats(12);
    let database = place.path("runs.db").display().to_string();
    let server = killed_over_a_chat(&place, &database);
    let url = format!("sqlite://{database}");
    let spoil = "UPDATE tasks SET owner = 'direct.elsewhere.1.1.1500.1', until = until + 31536000000 WHERE state = 1";
    Stored::change(&url, spoil);
    let begun = Instant::now();
    let resumed = place.run(&words(true, &server.judge(), &database, "600", "4")).exits(0);
    assert!(begun.elapsed() < Duration::from_secs(60), "{resumed}");
    assert!(resumed.stderr.contains("of a worker that does not run here; if it gives no sign of life"), "{resumed}");
}

#[test]
fn of_two_workers_on_a_server_one_can_be_killed_again_and_again() {
    let Some(database) = fresh_blocking() else { return };
    let place = Place::with_short_chats(CHATS);
    let server = slow_server();
    let judge = server.judge();
    let stored = Stored::at(&database);
    // The first worker is never killed; the lease is long enough for a busy machine.
    let first = place.start(&words(false, &judge, &database, "3", "2"));
    wait_until("the run has begun", || stored.run("killed").is_some_and(|run| run.dataset.is_some()));
    let mut moments = Moments(42);
    let mut kills = 0;
    while kills < KILLS {
        let second = place.start(&words(true, &judge, &database, "3", "4"));
        let (calls, pause) = (moments.next(9), moments.pause(200));
        if !killed(second, &server, calls, pause) {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 5, "the run ended after {kills} kills");
    first.wait().exits(0);
    every_chat_has_one_answer(&stored);
    let asked = asked(&server);
    let calls: usize = asked.values().sum();
    assert_eq!(asked.len(), CHATS);
    assert!(calls <= CHATS + kills * AT_ONCE, "{calls} calls for {CHATS} chats and {kills} kills");
    assert_eq!(stored.progress("killed").answered, CHATS as u64);
}
