//! `carelock rubric` and rubrics of one's own.

use carelock_test_support::Place;
use insta::assert_snapshot;
use serde_json::Value;

#[test]
fn every_format_prints_all_checks_and_the_same_digest() {
    let place = Place::new();
    let [md, json, toml] = ["md", "json", "toml"].map(|format| place.run(&["rubric", "--format", format]).done());
    let value: Value = serde_json::from_str(&json).unwrap();
    let digest = value["digest"].as_str().unwrap();
    assert!(digest.starts_with("blake3:") && md.contains(digest) && toml.contains(digest));
    let checks = value["metric"].as_array().unwrap().iter().flat_map(|metric| metric["check"].as_array().unwrap());
    let ids: Vec<&str> = checks.map(|check| check["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 50);
    for id in ids {
        assert!(md.contains(&format!("| {id} |")) && toml.contains(&format!("\"{id}\"")), "{id}");
    }
    assert_eq!(place.run(&["rubric"]).done(), md);
}

#[test]
fn a_copy_of_the_rubric_judges_the_same() {
    let place = Place::with_example("very-short");
    let built_in = place.run(&["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", "json"]).done();
    for format in ["toml", "json"] {
        let name = format!("my.{format}");
        place.write(&name, place.run(&["rubric", "--format", format]).done());
        let arguments = ["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", "json"];
        assert_eq!(place.run(&[&arguments[..], &["--rubric", &name]].concat()).done(), built_in, "{format}");
    }
}

#[test]
fn a_changed_rubric_has_another_digest_and_its_reports_need_it() {
    let place = Place::with_example("very-short");
    let toml = place.run(&["rubric", "--format", "toml"]).done();
    place.write("my.toml", toml.replace("name = \"Care-Lock\"", "name = \"Ours\""));
    let mine = place.run(&["rubric", "--rubric", "my.toml", "--format", "json"]);
    let built_in = place.run(&["rubric", "--format", "json"]);
    assert_ne!(mine.json()["digest"], built_in.json()["digest"]);
    let arguments = ["eval", "very-short.txt", "--verdicts", "very-short.csv", "--format", "json", "-o", "report.json"];
    place.run(&[&arguments[..], &["--rubric", "my.toml"]].concat()).done();
    assert_eq!(place.run(&["verify", "report.json", "--rubric", "my.toml"]).code, 0);
    let without = place.run(&["verify", "report.json"]);
    assert!(without.stdout.contains("rubric"), "{without}");
}

#[test]
fn a_broken_rubric_is_refused_with_the_place() {
    let place = Place::new();
    let toml = place.run(&["rubric", "--format", "toml"]).done();
    let refused = |from: &str, to: &str| {
        assert!(toml.contains(from), "{from}");
        place.write("my.toml", toml.replacen(from, to, 1));
        place.run(&["rubric", "--rubric", "my.toml"]).refused()
    };
    let version = toml.lines().find(|line| line.starts_with("version = ")).expect("a version");
    let all = [
        refused(version, "version = "),
        refused("kind = \"presence\"", "kind = \"maybe\""),
        refused("id = \"E2\"", "id = \"E1\""),
        refused("checks = [\"B2\"]", "checks = [\"B9\"]"),
        refused("when_fails = \"E2\"", "when_fails = \"E9\""),
        refused("schema = \"carelock/rubric/1\"", "schema = \"carelock/rubric/9\""),
        refused("cap = 0.40", "cap = 4"),
        refused("name = \"Care-Lock\"", "nam = \"Care-Lock\""),
    ];
    assert_snapshot!(all.join("\n"));
}

#[test]
fn a_rubric_that_is_not_there_or_no_rubric_is_refused() {
    let place = Place::new();
    place.write("empty.toml", "");
    place.write("broken.json", "{\"schema\": 1,");
    let all = ["gone.toml", "empty.toml", "broken.json"];
    let all = all.map(|name| place.run(&["eval", "chat.txt", "--rubric", name]).refused());
    assert_snapshot!(all.join("\n"));
}
