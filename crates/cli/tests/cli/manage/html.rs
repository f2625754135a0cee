//! Runs and comparisons as one HTML page.

use super::ci::worse;
use super::place::{CHATS, Made, Place};

fn is_whole(page: &str) {
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    assert_eq!(page.matches("<!doctype html>").count(), 1);
    let (before, style) = page.split_once("<style>").unwrap();
    assert!(before.contains("default-src 'none'; style-src 'sha256-"), "{before}");
    let (_, body) = style.split_once("</style>").unwrap();
    for forbidden in ["<script", "<img", "src=", " style=", "http://", "https://", "<link"] {
        assert!(!body.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn a_run_is_shown_as_a_page_without_the_chats_themselves() {
    let place = Place::new();
    place.make(Made { grouped: true, ..Made::named("nightly") }, &[]);
    let page = place.run(&["show", "nightly", "--format", "html", "--limit", "5"]).done();
    is_whole(&page);
    assert!(page.contains("Gates tripped in 3 of 8 chats") && page.contains(">Chats (5 of 8)</h2>"), "{page}");
    assert!(page.contains("luna/missed-crisis") && page.contains("Mean overall"));
    assert_eq!(page.matches("<article ").count(), 1);
    assert!(!page.contains("I still set out two cups"), "what was said is not on it");
}

#[test]
fn an_exported_page_has_the_reports_of_its_chats_and_leads_to_them() {
    let place = Place::with_run("nightly");
    assert_eq!(place.run(&["export", "nightly", "--format", "html", "-o", "run.html"]).done(), "");
    let page = place.read("run.html");
    is_whole(&page);
    assert_eq!(page.matches("<article ").count(), 1 + CHATS.len());
    assert!(page.contains("<a href=\"#report1\" dir=\"auto\">missed-crisis</a>"), "{page}");
    assert!(page.contains("I still set out two cups"));
    let gated = place.run(&["export", "nightly", "--format", "html", "--gated"]).done();
    assert_eq!(gated.matches("<article ").count(), 4);
    assert!(gated.contains("Chats that match (3)"), "{gated}");
}

#[test]
fn an_exported_page_says_how_many_chats_have_no_result_yet() {
    let place = Place::new();
    place.make(Made { judged: 3, ..Made::named("begun") }, &[]);
    let outcome = place.run(&["export", "begun", "--format", "html"]);
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (0, "carelock: 5 of 8 chats have no result yet and are left out\n")
    );
    assert!(outcome.stdout.contains("3 of 8 chats"));
}

#[test]
fn a_comparison_is_a_page_with_new_gates_first() {
    let place = Place::with_run("before");
    place.make(Made::named("after"), &[("excellent", &worse())]);
    place.make(Made { grouped: true, ..Made::named("grouped") }, &[]);
    let page = place.run(&["compare", "before", "after", "--format", "html"]).done();
    is_whole(&page);
    assert!(page.contains("<h1 id=\"comparison-title\" dir=\"auto\">after against before</h1>"), "{page}");
    let gates = page.find("A gate newly fires in").expect("a gate fires that did not");
    assert!(gates < page.find("Side by side").unwrap());
    let groups = place.run(&["compare", "grouped", "--by", "group", "-f", "html"]).done();
    is_whole(&groups);
    assert!(groups.contains("luna") && groups.contains("sol"));
}

#[test]
fn figures_that_have_no_page_say_so() {
    let place = Place::with_run("nightly");
    let refused = place.run(&["agree", "nightly", "nightly", "--format", "html"]).refused();
    assert!(refused.contains("--format html is for comparisons\n  fix: "), "{refused}");
}
