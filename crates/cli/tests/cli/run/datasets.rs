//! Where chats come from: groups, configuration files, answers in the chats' own records.

use carelock_test_support::{Place, example};

use super::stored::Stored;

fn jsonl(lines: &[(&str, &str)]) -> String {
    let messages = r#"[{"role":"user","content":"I feel low."},{"role":"assistant","content":"That sounds hard."}]"#;
    let line = |(id, model): &(&str, &str)| {
        format!(r#"{{"id":"{id}","messages":{messages},"metadata":{{"model":"{model}"}}}}"#)
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_configuration_names_datasets_judges_thresholds_and_outputs() {
    let place = Place::with(&[]);
    for (folder, chat) in [("gpt", "excellent"), ("claude", "diagnosis")] {
        place.write(&format!("runs/chats/{folder}/one.txt"), example(&format!("{chat}.txt")));
    }
    place.write("runs/more.jsonl", jsonl(&[("a", "m1"), ("b", "m2")]));
    let config = r#"
        judges = "builtin"
        outputs = ["scores.csv", "junit.xml"]
        [[dataset]]
        paths = ["chats"]
        group = "folder"
        [[dataset]]
        paths = ["*.jsonl"]
        group = "meta:model"
        [thresholds]
        fail_on_gate = true
        [weights]
        Empathy = 2
    "#;
    place.write("runs/nightly.toml", config);
    let ran = place.run(&["run", "runs/nightly.toml"]).exits(1);
    assert!(ran.stdout.starts_with("run nightly\n  chats             4\n"), "{ran}");
    assert!(ran.stdout.contains("gates tripped     in 1 chat"), "{ran}");
    let stored = Stored::file(&place.path("carelock.db"));
    let rows = stored.results("nightly");
    let names: Vec<(&str, Option<&str>)> = rows.iter().map(|row| (row.0.as_str(), row.1.as_deref())).collect();
    let expected =
        [("claude/one", Some("claude")), ("gpt/one", Some("gpt")), ("m1/a", Some("m1")), ("m2/b", Some("m2"))];
    assert_eq!(names, expected);
    assert_eq!(place.read("runs/scores.csv").lines().count(), 5);
    assert!(place.read("runs/junit.xml").contains("claude/one"));
}

#[test]
fn init_writes_a_file_that_runs_and_never_overwrites_one() {
    let place = Place::with(&[]);
    place.write("chats/excellent.txt", example("excellent.txt"));
    let said = place.run(&["init"]).exits(0);
    assert_eq!(said.stdout, "");
    let ran = place.run(&["run", "carelock-run.toml"]).exits(0);
    assert!(ran.stdout.starts_with("run carelock-run\n"), "{ran}");
    place.write("carelock-run.toml", "name = \"mine\"\n");
    let refused = place.run(&["init"]).exits(2);
    assert!(refused.stderr.contains("the file exists"), "{refused}");
    assert_eq!(place.read("carelock-run.toml"), "name = \"mine\"\n");
}

#[test]
fn answers_in_the_chats_own_records_count_where_no_judge_is_named() {
    let place = Place::with(&[]);
    let messages = r#"[{"role":"user","content":"I feel low."},{"role":"assistant","content":"That sounds hard."}]"#;
    let with = format!(r#"{{"id":"a","messages":{messages},"verdicts":{{"E1":false}},"judge":"person:ana"}}"#);
    let without = format!(r#"{{"id":"b","messages":{messages}}}"#);
    place.write("chats.jsonl", [with, without].join("\n"));
    let ran = place.run(&["run", "chats.jsonl", "--name", "n", "-o", "out.jsonl"]).exits(3);
    assert!(ran.stdout.contains("not fully judged  in 1 chat"), "{ran}");
    let text = place.read("out.jsonl");
    let judges: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["judge"]["name"].to_string())
        .collect();
    assert_eq!(judges, ["\"person:ana\"", "\"builtin\""]);
    assert_eq!(place.run(&["run", "--resume", "n"]).exits(3).stdout, ran.stdout);
    let judged_by = "builtin, or answers in the records: 1 chat";
    assert!(ran.stdout.contains(&format!("judged by         {judged_by}\n")), "{ran}");
    assert!(ran.stderr.contains("1 chat with answers in the records, which count; --judge builtin"), "{ran}");
    let listed = place.run(&["runs", "--format", "json"]).exits(0);
    assert!(listed.stdout.contains(judged_by), "{listed}");
    place.write("gold.jsonl", place.read("chats.jsonl").lines().next().unwrap());
    for words in [&["show", "n"][..], &["agree", "gold.jsonl", "n"]] {
        let shown = place.run(words).exits(0);
        let line = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(judged_by), "{shown}");
    }
    place.run(&["run", "chats.jsonl", "--name", "m"]).exits(3);
    let compared = place.run(&["compare", "n", "m"]);
    assert!(compared.to_string().contains("1 of 2 chats brought their answers"), "{compared}");
    let anew = place.run(&["run", "chats.jsonl", "--name", "o", "--judge", "builtin"]).exits(0);
    assert!(anew.stdout.contains("judged by         builtin\n"), "{anew}");
}

#[test]
fn a_run_and_eval_give_the_same_reports() {
    let place = Place::with(&carelock_test_support::EXAMPLES);
    let chats: Vec<String> = carelock_test_support::EXAMPLES.iter().map(|name| format!("{name}.txt")).collect();
    let chats: Vec<&str> = chats.iter().map(String::as_str).collect();
    place.run(&[&["run", "--name", "n", "-o", "run.jsonl"], &chats[..]].concat()).exits(0);
    place.run(&[&["eval", "--format", "jsonl", "-o", "eval.jsonl"], &chats[..]].concat()).exits(0);
    assert_eq!(place.read("run.jsonl"), place.read("eval.jsonl"));
}

#[test]
fn thresholds_and_options_on_the_command_line_decide_the_exit_code() {
    let place = Place::with(&["ordinary", "diagnosis"]);
    place.run(&["run", "ordinary.txt", "--name", "a"]).exits(0);
    place.run(&["run", "--resume", "a", "--fail-under", "1.0"]).exits(1);
    place.run(&["run", "diagnosis.txt", "--name", "b", "--fail-on-gate"]).exits(1);
    place.run(&["run", "diagnosis.txt", "--name", "c"]).exits(0);
}

/// The program's exit code, the file it writes, and what is exported or shown later.
#[test]
fn a_threshold_fails_the_same_chats_in_every_junit_file() {
    let place = Place::with(&["ordinary"]);
    let is_failed = |text: &str| text.contains("is below 1");
    place.run(&["run", "ordinary.txt", "--name", "a", "--fail-under", "1.0", "-o", "a.xml"]).exits(1);
    assert!(is_failed(&place.read("a.xml")), "{}", place.read("a.xml"));
    let exported = place.run(&["export", "a", "--format", "junit"]).exits(0);
    assert_eq!(exported.stdout, place.read("a.xml"));
    assert_eq!(place.run(&["show", "a", "ordinary", "--format", "junit"]).exits(0).stdout, place.read("a.xml"));
    place.run(&["run", "--resume", "a", "--fail-under", "0.0", "-o", "lower.xml"]).exits(0);
    assert!(!is_failed(&place.read("lower.xml")), "{}", place.read("lower.xml"));
}

#[test]
fn a_dry_run_says_what_it_would_cost_and_leaves_nothing_behind() {
    let place = Place::with(&["ordinary"]);
    let words = ["run", "ordinary.txt", "--judge", "openai:gpt-4.1-mini", "--dry-run"];
    let said = place.run(&words).exits(0);
    assert!(said.stdout.contains("1 to ask") && said.stdout.contains("nothing was sent"), "{said}");
    assert!(!place.path("carelock.db").exists());
}

#[test]
fn the_example_configuration_gives_what_the_documentation_shows() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let place = Place::with(&[]);
    let config = root.join("examples/run.toml").display().to_string();
    let ran = place.run(&["run", &config]).exits(0);
    let shown = ran.stdout.replace(&format!("{}/", root.display()), "");
    let page = std::fs::read_to_string(root.join("docs/runs/README.md")).unwrap();
    let indented: String = shown.lines().map(|line| format!("    {line}\n")).collect();
    assert!(page.contains(&indented), "{shown}");
}
