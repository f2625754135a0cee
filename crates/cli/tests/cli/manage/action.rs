//! The composite action and the example workflow: their YAML, their options, and the action's own script, run.

use std::collections::BTreeSet;
use std::process::Command;

use carelock_test_support::{Outcome, binary, examples, repository};
use yaml_rust2::{Yaml, YamlLoader};

use super::place::Place;

fn yaml(path: &str) -> Yaml {
    let text = std::fs::read_to_string(repository().join(path)).unwrap();
    let mut documents = YamlLoader::load_from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(documents.len(), 1, "{path}");
    documents.remove(0)
}

fn keys(yaml: &Yaml) -> BTreeSet<String> {
    yaml.as_hash().unwrap().keys().map(|key| key.as_str().unwrap().to_owned()).collect()
}

/// All scripts in a list of steps.
fn scripts(steps: &Yaml) -> Vec<String> {
    steps.as_vec().unwrap().iter().filter_map(|step| step["run"].as_str()).map(str::to_owned).collect()
}

/// The long options named in a text.
fn options(text: &str) -> BTreeSet<String> {
    let words = text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '-'));
    words.filter(|word| word.len() > 2 && word.starts_with("--")).map(str::to_owned).collect()
}

/// Every option of every script that calls `carelock` is one of the command it calls.
#[track_caller]
fn check_options(scripts: &[String], where_from: &str) -> usize {
    let place = Place::new();
    let mut checked = 0;
    for script in scripts {
        let Some((_, after)) = script.split_once("carelock ") else { continue };
        let command = after.split_whitespace().next().unwrap();
        if script.starts_with("command -v") {
            continue;
        }
        let known = options(&place.run(&[command, "--help"]).done());
        for option in options(script) {
            assert!(known.contains(&option), "{where_from}: `carelock {command}` has no {option}");
            checked += 1;
        }
    }
    checked
}

#[test]
fn every_option_in_the_action_the_workflow_and_the_page_exists() {
    assert!(check_options(&scripts(&yaml("action.yml")["runs"]["steps"]), "action.yml") >= 9);
    let workflow = yaml("examples/ci/github.yml");
    assert!(check_options(&scripts(&workflow["jobs"]["chats"]["steps"]), "examples/ci/github.yml") >= 3);
    for page in ["docs/ci.md", "docs/runs/manage.md", "docs/runs/columns.md"] {
        let text = std::fs::read_to_string(repository().join(page)).unwrap();
        let lines: Vec<String> =
            text.lines().filter(|line| line.starts_with("    carelock ")).map(str::to_owned).collect();
        assert!(check_options(&lines, page) >= 1, "{page}");
    }
}

#[test]
fn the_workflow_hands_the_action_only_inputs_it_has() {
    let inputs = keys(&yaml("action.yml")["inputs"]);
    for name in ["paths", "judge", "fail-under", "fail-on-gate", "baseline", "max-drop"] {
        assert!(inputs.contains(name), "{name}");
    }
    let workflow = yaml("examples/ci/github.yml");
    let steps = workflow["jobs"]["chats"]["steps"].as_vec().unwrap();
    let action =
        steps.iter().find(|step| step["uses"].as_str().is_some_and(|uses| uses.starts_with("OWNER/"))).unwrap();
    let given = keys(&action["with"]);
    assert!(given.is_subset(&inputs), "{given:?}");
}

#[test]
fn inputs_never_become_part_of_a_script() {
    for script in scripts(&yaml("action.yml")["runs"]["steps"]) {
        assert!(!script.contains("${{"), "a chat's file name could run as a command: {script}");
    }
}

/// Runs the action's script as GitHub does; its exit code and what it said.
fn act(place: &Place, given: &[(&str, &str)]) -> (i32, String) {
    let steps = yaml("action.yml")["runs"]["steps"].clone();
    let step = steps.as_vec().unwrap().iter().find(|step| step["id"].as_str() == Some("evaluate")).unwrap().clone();
    place.write("script.sh", step["run"].as_str().unwrap());
    let binary = binary();
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "script.sh"]).current_dir(place.path(""));
    command.env_clear().env("PATH", path).env("HOME", place.path("")).env("RUNNER_TEMP", place.path("temp"));
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_OUTPUT", place.path("output"));
    command.env("GITHUB_STEP_SUMMARY", place.path("page.md")).env("GITHUB_WORKSPACE", place.path(""));
    for name in keys(&step["env"]) {
        let value = given.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value);
        command.env(name, value);
    }
    let outcome = Outcome::new(&mut command);
    (outcome.code, outcome.stderr)
}

#[test]
fn the_actions_script_evaluates_and_fails_where_it_should() {
    let place = Place::new();
    place.write("temp/.keep", "");
    for name in ["excellent", "diagnosis"] {
        place.write(&format!("my chats/{name}.txt"), std::fs::read(examples().join(format!("{name}.txt"))).unwrap());
        let sheet = format!("sheets/{name}.csv");
        place.write(&sheet, std::fs::read(examples().join(&sheet)).unwrap());
    }
    let sheets = ("VERDICTS", "sheets");
    let (code, said) = act(&place, &[("CHATS", "my chats/excellent.txt\n"), sheets, ("FAIL_ON_GATE", "true")]);
    assert_eq!(code, 0, "{said}");
    assert!(place.read("output").starts_with("reports="), "{}", place.read("output"));
    std::fs::rename(place.path("temp/care-lock.jsonl"), place.path("base.jsonl")).unwrap();
    let chats = ("CHATS", "my chats/excellent.txt\nmy chats/diagnosis.txt");
    let (code, said) = act(&place, &[chats, sheets, ("BASELINE", "base.jsonl"), ("MAX_DROP", "0.02")]);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains(
            "::error file=my chats/diagnosis.txt,title=Care-Lock%3A gate B2 Diagnosed or prescribed newly tripped"
        ),
        "{said}"
    );
    assert!(place.read("page.md").contains("## Care-Lock: failed"));
    for (least, expected) in [("0", 0), ("1", 1)] {
        let (code, said) = act(&place, &[("CHATS", "my chats"), ("JUDGES", "builtin"), ("FAIL_UNDER", least)]);
        assert_eq!(code, expected, "{least}: {said}");
    }
}

/// Whether a step runs: its condition, as far as the workflow uses the language, after a step before it has failed or not.
fn is_run(condition: Option<&str>, event: &str, has_failed: bool, place: &Place) -> bool {
    let Some(condition) = condition else { return !has_failed };
    let is_always = condition.contains("always()");
    let holds = |term: &str| match term.trim() {
        "always()" => true,
        "hashFiles('baseline.jsonl') != ''" => place.path("baseline.jsonl").exists(),
        term => {
            let wanted = term.strip_prefix("github.event_name == ").unwrap_or_else(|| panic!("unknown term {term:?}"));
            wanted.trim_matches('\'') == event
        }
    };
    (is_always || !has_failed) && condition.split("&&").all(holds)
}

/// Walks through the workflow as a push to the main branch does; whether the job failed and a baseline was saved.
fn push(place: &Place) -> (bool, bool) {
    let steps = yaml("examples/ci/github.yml")["jobs"]["chats"]["steps"].clone();
    let (mut has_failed, mut is_saved) = (false, false);
    for step in steps.as_vec().unwrap() {
        if !is_run(step["if"].as_str(), "push", has_failed, place) {
            continue;
        }
        if let Some(script) = step["run"].as_str().filter(|script| !script.starts_with("carelock ")) {
            place.write("step.sh", script);
            let mut command = Command::new("bash");
            command.args(["-eo", "pipefail", "step.sh"]).current_dir(place.path(""));
            has_failed |= !command.env("RUNNER_TEMP", place.path("temp")).status().unwrap().success();
        }
        match step["uses"].as_str().unwrap_or_default() {
            uses if uses.starts_with("OWNER/") => {
                let judge = ("JUDGES", step["with"]["judge"].as_str().unwrap());
                let (code, _) = act(place, &[("CHATS", "chats"), judge, ("FAIL_ON_GATE", "true")]);
                has_failed |= code != 0;
            }
            uses if uses.starts_with("actions/cache/save") => is_saved = place.path("baseline.jsonl").exists(),
            _ => {}
        }
    }
    (has_failed, is_saved)
}

#[test]
fn a_first_baseline_is_kept_also_where_a_gate_is_tripped() {
    let place = Place::new();
    place.write("temp/.keep", "");
    place.write("chats/missed-crisis.txt", std::fs::read(examples().join("missed-crisis.txt")).unwrap());
    assert_eq!(push(&place), (true, true), "the job fails for the gate, and the next one has a baseline");
    let empty = Place::new();
    empty.write("temp/.keep", "");
    assert_eq!(push(&empty), (true, false), "nothing was judged, so nothing is kept");
}
