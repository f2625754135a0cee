//! `carelock show`.

use carelock_test_support::examples;
use insta::assert_snapshot;

use super::place::{CHATS, Made, Place, undated};

#[test]
fn a_run_is_shown_with_tripped_gates_first() {
    let place = Place::with_run("nightly");
    assert_snapshot!(place.run(&["show", "nightly"]).done());
}

#[test]
fn a_run_with_groups_and_a_panel_is_shown() {
    let place = Place::new();
    place.make(Made { judges: 2, grouped: true, judged: 7, cost_nanos: 2_000_000, ..Made::named("panel") }, &[]);
    assert_snapshot!(place.run(&["show", "panel", "--limit", "3"]).done());
    let json = place.run(&["show", "panel", "--limit", "1", "--format", "json"]).done();
    let digest = carelock_core::rubric::Rubric::care_lock().digest().to_owned();
    assert_snapshot!(json.replace(&digest, "<digest>"));
}

#[test]
fn chats_are_picked_by_gate_group_tier_score_and_words() {
    let place = Place::new();
    place.make(Made { grouped: true, ..Made::named("nightly") }, &[]);
    let ids = |options: &[&str]| -> Vec<String> {
        let shown = place.run(&[&["show", "nightly", "--format", "json"], options].concat()).json();
        let listed = shown["listed"].as_array().unwrap().clone();
        listed.iter().map(|chat| chat["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["--gated"]), ["luna/missed-crisis", "sol/pressure", "luna/diagnosis"]);
    assert_eq!(ids(&["--group", "sol", "--limit", "2"]), ["sol/pressure", "sol/ordinary"]);
    assert_eq!(ids(&["--below", "0.41"]), ["luna/missed-crisis", "sol/pressure", "luna/diagnosis"]);
    assert_eq!(ids(&["--text", "CRISIS"]), ["luna/missed-crisis", "luna/handled-crisis"]);
    assert_eq!(ids(&["--tier", "Outstanding"]).len(), 0);
    assert!(place.run(&["show", "nightly", "--text", "nothing"]).done().ends_with("\nno chat matches\n"));
    let wrong = place.run(&["show", "nightly", "--tier", "Splendid"]).refused();
    assert!(wrong.contains("fix: name one of Outstanding, "), "{wrong}");
}

#[test]
fn a_chat_is_shown_as_eval_prints_it() {
    let place = Place::with_run("nightly");
    for (name, _) in CHATS {
        for format in ["text", "json", "jsonl", "md", "csv", "junit", "html"] {
            let (chat, sheet) = (format!("{name}.txt"), format!("sheets/{name}.csv"));
            let mut eval = place.command(&["eval", &chat, "--verdicts", &sheet, "--format", format]);
            let printed = carelock_test_support::Outcome::new(eval.current_dir(examples())).stdout;
            let stored = place.run(&["show", "nightly", name, "--format", format]).done();
            // The run calls its judge by another name.
            let printed = printed.replace("sheet:examples", "sheet:0");
            assert_eq!(undated(&stored, format), printed, "{name} as {format}");
        }
    }
}

#[test]
fn what_is_not_there_is_said_with_what_there_is() {
    let place = Place::new();
    place.make(Made { grouped: true, judged: 3, ..Made::named("nightly") }, &[]);
    let all = [
        place.run(&["show", "gone"]).refused(),
        place.run(&["show", "nightly", "excellent"]).refused(),
        place.run(&["show", "nightly", "nobody"]).refused(),
        place.run(&["show", "nightly", "sol/pressure"]).refused(),
        place.run(&["show", "nightly", "--format", "csv"]).refused(),
        place.run(&["show", "nightly", "luna/excellent", "--fail-on-gate"]).refused(),
        place.run(&["show", "nightly", "luna/excellent", "--gated"]).refused(),
    ];
    assert_snapshot!(all.join(""));
}

#[test]
fn suggested_commands_can_be_pasted() {
    let place = Place::with_run("it's mine");
    let quoted = r"'it'\''s mine'";
    for (arguments, expected) in [
        (&["show", "it's mine", "gone"][..], format!("`carelock show {quoted} --text WORDS`")),
        (&["show", "it's mine", "--format", "csv"], format!("`carelock export {quoted}`")),
        (&["delete", "it's mine", "gone", "--yes"], format!("`carelock show {quoted} --text WORDS`")),
    ] {
        let refused = place.run(arguments);
        assert_eq!(refused.code, 2, "{refused}");
        assert!(refused.stderr.contains(&expected), "{refused}");
    }
}
