//! `carelock compare`: files of reports, runs by name, and the groups of a run.

use carelock_test_support::Place;
use insta::assert_snapshot;

/// The examples judged twice, as files and as runs.
fn place() -> Place {
    let place = Place::with_examples();
    place.run(&["eval", "chats", "--verdicts", "sheets", "--format", "jsonl", "-o", "rated.jsonl"]);
    place.run(&["eval", "chats", "--judge", "builtin", "--format", "jsonl", "-o", "builtin.jsonl"]);
    place.run(&["run", "chats", "--verdicts", "sheets", "--name", "rated"]);
    place.run(&["run", "chats", "--judge", "builtin", "--name", "candidate"]);
    place
}

/// A place with a run of two models that were given the same chats.
fn two_models() -> Place {
    let place = Place::new();
    for (model, chats) in [("kind", ["excellent", "handled-crisis"]), ("cold", ["missed-crisis", "diagnosis"])] {
        for (number, chat) in (1..).zip(chats) {
            place.copy(&format!("{chat}.txt"), &format!("models/{model}/{number}.txt"));
        }
    }
    place.run(&["run", "models", "--group", "folder", "--judge", "builtin", "--name", "models"]);
    place
}

#[test]
fn a_run_against_itself_shows_no_difference() {
    let shown = place().run(&["compare", "rated", "rated"]).done();
    assert_snapshot!(shown);
}

#[test]
fn runs_and_files_of_the_same_reports_say_the_same() {
    let place = place();
    let run = |sides: [&str; 2]| {
        let mut comparison = place.run(&["compare", sides[0], sides[1], "--format", "json"]).json();
        let mut contest = comparison["contests"][0].take();
        contest["first"].take();
        contest["second"].take();
        contest
    };
    let files = run(["rated.jsonl", "builtin.jsonl"]);
    assert_eq!(run(["rated", "candidate"]), files);
    assert_eq!(run(["rated", "builtin.jsonl"]), files);
    assert_eq!((&files["paired"], &files["matched"]["chats"]), (&true.into(), &8.into()));
}

#[test]
fn a_newly_fired_gate_comes_before_everything_else_that_changed() {
    let place = place();
    let (before, after) = ("builtin.jsonl", "rated.jsonl");
    let comparison = place.run(&["compare", before, after, "--format", "json"]).json();
    let changes = &comparison["contests"][0]["changes"];
    assert!(changes["newly_gated"].as_u64().unwrap() > 0, "{changes:#}");
    assert!(changes["most"][0]["new_gates"].is_array(), "{changes:#}");
    let text = place.run(&["compare", before, after]).done();
    assert!(text.contains("a gate newly fires in"), "{text}");
}

#[test]
fn sides_with_other_weights_are_said_not_to_compare() {
    let place = Place::with_examples();
    place.write("weights.toml", "Empathy = 3\n");
    let judged = ["eval", "chats", "--verdicts", "sheets", "--format", "jsonl", "-o"];
    place.run(&[&judged[..], &["plain.jsonl"]].concat());
    place.run(&[&judged[..], &["weighted.jsonl", "--weights", "weights.toml"]].concat());
    place.run(&["run", "chats", "--verdicts", "sheets", "--name", "weighted", "--weights", "weights.toml"]);
    for other in ["weighted.jsonl", "weighted"] {
        let text = place.run(&["compare", "plain.jsonl", other]).done();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = format!(
            "overall scores are weighted differently and do not compare: plain.jsonl: all metrics alike; {other}: Empathy 3"
        );
        assert!(text.contains(&said), "{text}");
    }
    let same = place.run(&["compare", "weighted", "weighted.jsonl"]).done();
    assert!(!same.contains("weighted differently"), "{same}");
}

#[test]
fn groups_of_a_run_are_compared_over_the_chats_they_share() {
    let place = two_models();
    let comparison = place.run(&["compare", "models", "--by", "group", "--format", "json"]).json();
    let names: Vec<&str> =
        comparison["leaderboard"].as_array().unwrap().iter().map(|side| side["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 2);
    let contest = &comparison["contests"][0];
    assert_eq!((&contest["paired"], &contest["matched"]["chats"]), (&true.into(), &2.into()), "{contest:#}");
    assert_eq!(contest["first"]["name"], names[0], "the best is the yardstick");
}

#[test]
fn every_format_is_written_and_no_line_of_text_is_too_wide() {
    let place = place();
    let text = place.run(&["compare", "rated.jsonl", "builtin.jsonl"]).done();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let markdown = place.run(&["compare", "rated", "candidate", "-f", "md"]).done();
    assert!(markdown.contains("| Ethical safety | ") && !markdown.contains("EthicalSafety"), "{markdown}");
    let csv = place.run(&["compare", "rated", "candidate", "-f", "csv"]).done();
    assert!(csv.lines().all(|row| row.split(',').count() == 9), "{csv}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_what_to_do() {
    let place = place();
    let all = [
        vec!["compare", "rated"],
        vec!["compare", "rated", "candidate", "--by", "group"],
        vec!["compare", "rated", "--by", "group"],
        vec!["compare", "rated", "nowhere"],
        vec!["compare", "rated", "nowhere.jsonl"],
        vec!["compare", "rated", "candidate", "--db", "gone.db"],
    ];
    assert_snapshot!(all.map(|arguments| place.run(&arguments).refused()).join(""));
}
