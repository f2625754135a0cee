//! What is wrong is said with what to do, and nothing is lost.

use std::fs;

use carelock_store::RunState;
use carelock_test_support::Place;

use super::stored::Stored;

fn run_of(count: usize) -> (Place, Stored) {
    let place = Place::with_short_chats(count);
    place.run(&["run", "chats", "--name", "n"]).exits(0);
    let stored = Stored::file(&place.path("carelock.db"));
    (place, stored)
}

#[test]
fn two_runs_of_one_name_are_refused_and_resume_is_named() {
    let (place, stored) = run_of(2);
    let refused = place.run(&["run", "chats", "--name", "n"]).exits(2);
    assert!(refused.stderr.contains("there is already a run named \"n\""), "{refused}");
    assert!(refused.stderr.contains("carelock run --resume n"), "{refused}");
    assert_eq!(stored.results("n").len(), 2);
    let spaced = place.run(&["run", "chats", "--name", "my run"]).exits(0);
    assert!(spaced.stdout.ends_with("next: carelock show 'my run'\n"), "{spaced}");
}

#[test]
fn a_missing_a_foreign_and_a_damaged_database_are_told_apart() {
    let place = Place::with_short_chats(1);
    let missing = place.run(&["run", "--resume", "n"]).exits(2);
    assert!(missing.stderr.contains("carelock.db: there is no database here"), "{missing}");
    assert!(!place.path("carelock.db").exists());
    place.write("text.db", "this is a text and not a database at all, whatever its name says");
    let text = place.run(&["run", "chats", "--db", "text.db"]).exits(2);
    assert!(text.stderr.contains("text.db: this is not a database"), "{text}");
    let no_folder = place.run(&["run", "chats", "--db", "none/runs.db"]).exits(2);
    assert!(no_folder.stderr.contains("the folder none does not exist"), "{no_folder}");
    let url = place.run(&["run", "chats", "--db", "postgres://ana:planted@127.0.0.1:1/x"]).exits(2);
    assert!(url.stderr.contains("cannot be reached") && !url.stderr.contains("planted"), "{url}");
    place.run(&["run", "chats", "--name", "n"]).exits(0);
    let mut bytes = fs::read(place.path("carelock.db")).unwrap();
    let size = bytes.len();
    bytes[100..size / 2].fill(0xa5);
    place.write("broken.db", &bytes);
    let broken = place.run(&["run", "--resume", "n", "--db", "broken.db"]).exits(2);
    assert!(broken.stderr.contains("damaged") || broken.stderr.contains("not a"), "{broken}");
    assert_eq!(fs::read(place.path("broken.db")).unwrap().len(), size);
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let (place, _) = run_of(1);
    let path = place.path("carelock.db").display().to_string();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        use sqlx::Connection as _;
        sqlx::any::install_default_drivers();
        let mut connection = sqlx::AnyConnection::connect(&format!("sqlite://{path}")).await.unwrap();
        let sql = "INSERT INTO carelock_schema SELECT 999, 'later', checksum FROM carelock_schema LIMIT 1";
        let plain = "INSERT INTO carelock_schema (version, name) VALUES (999, 'later')";
        if sqlx::query(plain).execute(&mut connection).await.is_err() {
            sqlx::query(sql).execute(&mut connection).await.unwrap();
        }
        connection.close().await.unwrap();
    });
    let before = fs::read(place.path("carelock.db")).unwrap();
    for words in [&["run", "--resume", "n"][..], &["run", "chats", "--name", "m"]] {
        let refused = place.run(words).exits(2);
        assert!(refused.stderr.contains("the database has schema 999"), "{refused}");
    }
    assert_eq!(fs::read(place.path("carelock.db")).unwrap(), before);
}

#[test]
fn a_dataset_that_changed_under_a_resumed_run_is_an_error_that_says_what_changed() {
    let (place, stored) = run_of(8);
    let before = stored.results("n");
    place.write("chats/002.txt", "Human: I feel fine.\nAI: Good.\n");
    fs::remove_file(place.path("chats/003.txt")).unwrap();
    place.write("chats/new.txt", "Human: Hello.\nAI: Hi.\n");
    let refused = place.run(&["run", "--resume", "n"]).exits(2);
    for part in ["1 changed (\"002\")", "1 removed (\"003\")", "1 added (\"new\")", "fix: put the files back"] {
        assert!(refused.stderr.contains(part), "{part}: {refused}");
    }
    assert_eq!(stored.results("n"), before);
    fs::rename(place.path("chats"), place.path("elsewhere")).unwrap();
    let moved = place.run(&["run", "--resume", "n"]).exits(0);
    assert!(moved.stderr.contains("the files of this run are not here"), "{moved}");
}

#[test]
fn a_chat_that_cannot_be_read_is_named_and_the_others_are_judged() {
    let place = Place::with_short_chats(2);
    place.write("chats/bad.json", "{\"messages\": [");
    let ran = place.run(&["run", "chats", "--name", "n"]).exits(2);
    assert!(ran.stderr.contains("chats/bad.json") && ran.stdout.contains("could not be read in 1 chat"), "{ran}");
    assert_eq!(Stored::file(&place.path("carelock.db")).results("n").len(), 2);
    let again = place.run(&["run", "--resume", "n"]).exits(2);
    assert!(again.stderr.contains("chats/bad.json") && again.stdout == ran.stdout, "{again}");
}

#[test]
fn a_place_that_cannot_be_written_is_known_before_anything_is_judged() {
    let place = Place::with_short_chats(1);
    for option in ["-o", "--summary"] {
        let refused = place.run(&["run", "chats", "--name", "n", option, "none/out.md"]).exits(2);
        assert!(refused.stderr.contains("there is no folder none"), "{refused}");
    }
    assert!(!place.path("carelock.db").exists());
}

#[test]
fn proposed_commands_name_the_database() {
    let place = Place::with_short_chats(1);
    let ran = place.run(&["run", "chats", "--name", "n", "--db", "my runs.db"]).exits(0);
    assert!(ran.stdout.ends_with("next: carelock show n --db 'my runs.db'\n"), "{ran}");
    let refused = place.run(&["run", "chats", "--name", "n", "--db", "my runs.db"]).exits(2);
    assert!(refused.stderr.contains("`carelock run --resume n --db 'my runs.db'`"), "{refused}");
}

#[test]
fn chats_whose_results_cannot_be_computed_leave_the_run_open_and_the_others_are_tried() {
    // More than are looked at together, so that those behind them are reached too.
    let (place, stored) = run_of(260);
    stored.spoil(&format!("sqlite://{}", place.path("carelock.db").display()), "n", 257);
    let ran = place.run(&["run", "--resume", "n"]).exits(3);
    assert!(ran.stdout.contains("without a result  in 257 chats"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("next: carelock run --resume n\n"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no result can be computed: chat \"001\""), "{}", &ran.stderr[..400]);
    assert_eq!(stored.results("n").len(), 3);
    assert_eq!(stored.run("n").map(|run| run.state), Some(RunState::Open));
    place.run(&["run", "--resume", "n", "--fail-under", "0.01"]).exits(3);
}

#[test]
fn chats_of_one_id_are_refused_and_leave_no_run_behind() {
    let place = Place::with(&[]);
    let line = r#"{"id":"same","messages":[{"role":"user","content":"I had a long day at work."},{"role":"assistant","content":"That sounds tiring. What made it so long?"}]}"#;
    place.write("a.jsonl", format!("{line}\n{line}"));
    let refused = place.run(&["run", "a.jsonl", "--name", "n"]).exits(2);
    assert!(refused.stderr.contains("the id \"same\" is that of an earlier chat"), "{refused}");
    place.write("a.jsonl", line);
    place.run(&["run", "a.jsonl", "--name", "n"]).exits(0);
}

#[test]
fn nothing_to_judge_and_wrong_words_are_errors_before_a_database_is_made() {
    let place = Place::with_short_chats(1);
    place.write("none.toml", "judges = [\"builtin\"]\n");
    place.write("typo.toml", "judgez = [\"builtin\"]\n");
    let cases: [(&[&str], &str); 8] = [
        (&["run"], "no chats are named"),
        (&["run", "none.toml"], "no chats are named"),
        (&["run", "typo.toml"], "unknown field `judgez`"),
        (&["run", "missing.toml"], "missing.toml: no such file"),
        (&["run", "missing/"], "no such file or folder"),
        (&["run", "chats", "--judge", "nobody"], "nobody"),
        (&["run", "chats", "-o", "report.pdf"], "its ending does not say what to write"),
        (&["run", "chats", "--verdicts", "none.csv"], "none.csv: no such file"),
    ];
    for (words, expected) in cases {
        let refused = place.run(words).exits(2);
        assert!(refused.stderr.contains(expected) && refused.stderr.contains("fix:"), "{words:?}: {refused}");
    }
    assert!(!place.path("carelock.db").exists());
    place.run(&["run", "chats", "--resume", "n"]).exits(2);
}
