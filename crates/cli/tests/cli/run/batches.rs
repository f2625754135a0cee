//! `--batch`: agreed to first, sent once, collected also by another process, and asked directly where it brings nothing.

use std::time::{Duration, Instant};

use carelock_test_support::{Place, Running, wait_until};

use super::batch_server::BatchServer;
use super::stored::Stored;
use crate::samples::HOSTED;

const CHATS: usize = 6;
const OPTIONS: [&str; 6] = ["--no-second-look", "--batch", "--yes-batch", "--no-cache", "--batch-pause", "0.2"];

fn begin() -> Vec<&'static str> {
    [&["run", "chats", "--name", "b", "--judge", HOSTED, "--lease", "1"], &OPTIONS[..]].concat()
}

fn resume() -> Vec<&'static str> {
    vec!["run", "--resume", "b", "--no-cache", "--batch-pause", "0.2", "--lease", "1"]
}

/// Starts the run, waits until its batch was sent and, where its name is not lost on the way, is known and stored.
fn sent(place: &Place, server: &BatchServer, environment: &[(&str, &str)]) -> Running {
    let running = place.start_with(environment, &begin());
    let loses_names = server.world().loses_names;
    // Whoever looks at a batch has stored its name before.
    wait_until("the batch is sent", || match loses_names {
        true => !server.world().batches.is_empty(),
        false => server.world().looks > 0,
    });
    running
}

#[track_caller]
fn is_done(place: &Place, server: &BatchServer) {
    let stored = Stored::file(&place.path("carelock.db"));
    let (answers, results) = stored.answers("b");
    assert_eq!((answers.len(), results), (CHATS, CHATS));
    assert!(answers.values().all(|count| *count == 1));
    let world = server.world();
    assert_eq!((world.batches.len(), world.batched.len()), (1, CHATS), "it was sent once");
    assert!(world.files.is_empty(), "nothing is left at the provider: {:?}", world.files.keys());
}

#[test]
fn nothing_is_sent_before_the_user_has_agreed_to_what_the_provider_keeps() {
    let place = Place::with_short_chats(CHATS);
    let server = BatchServer::start();
    let base = server.base();
    let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
    let words: Vec<&str> = begin().into_iter().filter(|word| *word != "--yes-batch").collect();
    let refused = place.run_with(&environment, &words).exits(2);
    assert!(refused.stderr.contains("OpenAI keeps the uploaded file") && refused.stderr.contains("--yes-batch"));
    assert!(server.world().files.is_empty() && !place.path("carelock.db").exists());
    let done = place.run_with(&environment, &begin()).exits(0);
    assert!(done.stderr.contains("OpenAI keeps the uploaded file"), "{done}");
    assert!(done.stdout.contains("chats             6") && done.stdout.contains("spent             $"), "{done}");
    is_done(&place, &server);
    assert!(server.world().direct.is_empty());
    let no_batches = ["run", "chats", "--name", "c", "--judge", "http://127.0.0.1:1/v1#m", "--batch", "--yes-batch"];
    let refused = place.run(&no_batches).exits(2);
    assert!(refused.stderr.contains("takes no batches"), "{refused}");
}

#[test]
fn what_a_batch_does_not_answer_is_asked_directly() {
    let place = Place::with_short_chats(CHATS);
    let server = BatchServer::start();
    server.world().broken = vec!["day 2.".to_owned(), "day 5.".to_owned()];
    let base = server.base();
    let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
    place.run_with(&environment, &begin()).exits(0);
    is_done(&place, &server);
    let mut direct = server.world().direct.clone();
    direct.sort();
    assert_eq!(direct, ["I feel low, day 2.", "I feel low, day 5."]);
}

#[cfg(unix)]
#[test]
fn a_run_killed_while_it_waits_or_before_it_knew_the_batchs_name_is_carried_on() {
    for loses_names in [false, true] {
        let place = Place::with_short_chats(CHATS);
        let server = BatchServer::start();
        {
            let mut world = server.world();
            (world.ends, world.loses_names) = (false, loses_names);
        }
        let base = server.base();
        let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
        sent(&place, &server, &environment).kill();
        {
            let mut world = server.world();
            (world.ends, world.loses_names) = (true, false);
        }
        place.run_with(&environment, &resume()).exits(0);
        is_done(&place, &server);
        assert!(server.world().direct.is_empty(), "nothing is paid for twice");
    }
}

/// Sends a batch with a long lease and kills the worker.
#[cfg(unix)]
fn killed_with_a_batch(place: &Place, environment: &[(&str, &str)], server: &BatchServer, lease: &str) {
    server.world().ends = false;
    let words: Vec<&str> = begin().into_iter().filter(|word| *word != "--lease" && *word != "1").collect();
    let running = place.start_with(environment, &[&words[..], &["--lease", lease]].concat());
    let stored = Stored::file(&place.path("carelock.db"));
    wait_until("nothing was sent", || !server.world().batches.is_empty() && stored.batch_is_known());
    running.kill();
    server.world().ends = true;
}

#[cfg(target_os = "linux")]
#[test]
fn the_batch_of_a_worker_that_was_killed_here_is_taken_over_at_once() {
    let place = Place::with_short_chats(CHATS);
    let server = BatchServer::start();
    let base = server.base();
    let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
    killed_with_a_batch(&place, &environment, &server, "600");
    let begun = Instant::now();
    let resumed = place.run_with(&environment, &resume()).exits(0);
    assert!(begun.elapsed() < Duration::from_secs(60), "{resumed}");
    assert!(resumed.stderr.contains("took over 6 answers and 1 batch of a worker that is gone, process "), "{resumed}");
    is_done(&place, &server);
    assert!(server.world().direct.is_empty(), "nothing is paid for twice");
}

#[cfg(unix)]
#[test]
fn a_batch_of_a_worker_elsewhere_is_waited_for_and_not_asked_again_directly() {
    let place = Place::with_short_chats(CHATS);
    let server = BatchServer::start();
    let base = server.base();
    let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
    killed_with_a_batch(&place, &environment, &server, "600");
    let database = format!("sqlite://{}", place.path("carelock.db").display());
    // A worker on another machine, whose clock is a year ahead, and who gives no sign of life for two seconds.
    for table in ["tasks", "batches"] {
        Stored::change(
            &database,
            match table {
                "tasks" => "UPDATE tasks SET owner = 'batch0.elsewhere.1.1.2000.1', until = until + 31536000000",
                _ => "UPDATE batches SET owner = 'batch0.elsewhere.1.1.2000.1', until = until + 31536000000",
            },
        );
    }
    let resumed = place.run_with(&environment, &resume()).exits(0);
    let waits =
        "waiting for 6 answers of a worker that does not run here; if it gives no sign of life, it is taken over at ";
    assert_eq!(resumed.stderr.matches(waits).count(), 1, "{resumed}");
    is_done(&place, &server);
    assert!(server.world().direct.is_empty(), "nothing is paid for twice");
}

#[cfg(unix)]
#[test]
fn a_stored_name_that_is_damaged_is_said_and_nothing_is_sent_again() {
    for spoil in [
        "UPDATE batches SET remote = 'not a name'",
        "UPDATE batches SET remote = NULL, detail = 'not a key'",
        "UPDATE batch_items SET custom_id = 'not an id' WHERE custom_id = (SELECT MIN(custom_id) FROM batch_items)",
    ] {
        let place = Place::with_short_chats(CHATS);
        let server = BatchServer::start();
        server.world().ends = false;
        let base = server.base();
        let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
        sent(&place, &server, &environment).kill();
        Stored::change(&format!("sqlite://{}", place.path("carelock.db").display()), spoil);
        server.world().ends = true;
        let refused = place.run_with(&environment, &resume()).exits(2);
        assert!(refused.stderr.contains("in the database is damaged; nothing was sent again\n  fix: "), "{refused}");
        let world = server.world();
        assert_eq!((world.batches.len(), world.direct.len()), (1, 0), "{spoil}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_batch_at_the_provider_and_says_so() {
    let place = Place::with_short_chats(CHATS);
    let server = BatchServer::start();
    server.world().ends = false;
    let base = server.base();
    let environment = [("OPENAI_API_KEY", "test"), ("OPENAI_BASE_URL", base.as_str())];
    let running = sent(&place, &server, &environment);
    running.interrupt();
    let said = running.wait().exits(130).stderr;
    assert!(said.contains("go on at the provider") && said.contains("carelock run --resume b"), "{said}");
    server.world().ends = true;
    place.run_with(&environment, &resume()).exits(0);
    is_done(&place, &server);
    assert!(server.world().direct.is_empty());
}
