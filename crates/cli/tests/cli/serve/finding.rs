//! Finding runs and chats again: names, tags, words in what was said, a trend, and rows that tell what they are about.

use carelock_test_support::{Server, Visitor};

use super::site::{chats, fill, link, replies, values, with_run};

/// A server over three runs.
fn three() -> Server {
    Server::filled(
        |place| {
            for name in ["nightly 1", "nightly 2", "other"] {
                fill(place, name, &chats(4, replies));
            }
        },
        &[],
    )
}

#[test]
fn a_run_is_renamed_and_tagged_and_found_by_both() {
    let site = three();
    let browser = Visitor::at(&site.address, "/runs/3");
    let saved = browser.post("/runs/3/name", &[("name", "night <b>3</b>"), ("tags", "gpt, nightly gpt")]);
    assert_eq!((saved.status, saved.header("location")), (303, Some("/runs/3")));
    let page = site.get("/runs/3").body;
    assert!(page.contains("night &#60;b&#62;3&#60;/b&#62;") && page.contains("gpt nightly\""), "{page}");
    let listed = |text: &str| values(&site.get(&format!("/runs?text={text}")).body, "tr data-run");
    assert_eq!(listed("NIGHTLY"), ["3", "2", "1"]);
    assert_eq!(listed("night+gpt"), ["3"]);
    assert_eq!(listed("nowhere"), [""; 0]);
    assert!(site.get("/runs?text=nowhere").body.contains("No runs match."));
    let taken = browser.post("/runs/3/name", &[("name", "nightly 1"), ("tags", "")]);
    assert!(taken.status == 422 && taken.body.contains("Another run has this name."), "{}", taken.body);
    for name in ["", "   ", "a\nb", &"x".repeat(201)] {
        assert_eq!(browser.post("/runs/3/name", &[("name", name)]).status, 422, "{name:?}");
    }
    assert_eq!(browser.post("/runs/77/name", &[("name", "new")]).status, 404);
    assert_eq!(site.send("POST", "/runs/3/name", &[], b"name=x").status, 403, "without the mark of a form");
    assert!(site.get("/runs/3").body.contains("night &#60;b&#62;3"), "it is still what it was");
}

#[test]
fn runs_that_were_looked_for_show_how_they_came_off_one_after_the_other() {
    let site = three();
    assert!(!site.get("/runs").body.contains("class=\"trend\""));
    let page = site.get("/runs?text=nightly").body;
    let drawn = page.split("class=\"trend\"").nth(1).and_then(|rest| rest.split("</svg>").next()).expect("a drawing");
    assert_eq!(drawn.matches("<circle").count(), 2, "{drawn}");
    assert!(drawn.find("/runs/1\"").unwrap() < drawn.find("/runs/2\"").unwrap(), "the oldest first: {drawn}");
}

#[test]
fn words_are_found_in_what_was_said_with_the_turn_they_stand_in() {
    let site = with_run(60);
    let page = site.get("/runs/1/search?words=FLUOXETINE").is(200).body;
    assert_eq!(values(&page, "li class=\"change-row\" data-chat").len(), 15, "{page}");
    assert!(page.contains("<mark class=\"plain\">fluoxetine</mark>") && page.contains("#t2\">turn 2, AI"), "{page}");
    assert!(page.contains("among the first 60 of 60 chats"), "{page}");
    let common = site.get("/runs/1/search?words=%3Cscript%3E").body;
    assert_eq!(values(&common, "li class=\"change-row\" data-chat").len(), 50);
    assert!(!common.contains("<script>alert"), "what was said stays text");
    let rest = site.get(&link(&common, "next").expect("more")).body;
    assert_eq!(values(&rest, "li class=\"change-row\" data-chat").len(), 10);
    assert!(link(&rest, "next").is_none());
    assert!(site.get("/runs/1/search?words=nowhere").body.contains("Nobody says this"));
    assert_eq!(site.get("/runs/1/search").status, 200);
    assert_eq!(site.get("/runs/9/search?words=a").status, 404);
    assert_eq!(site.get(&format!("/runs/1/search?words={}", "a".repeat(501))).status, 422);
}

#[test]
fn the_rows_of_a_run_begin_with_tripped_gates_and_tell_first_words_and_verdict() {
    let site = with_run(12);
    let page = site.get("/runs/1").body;
    let table = page.split("chat-table").nth(1).expect("a table");
    let gated: Vec<bool> = table.split("data-chat=").skip(1).map(|row| row.contains("badge failed")).collect();
    assert!(gated[0] && !gated[11] && gated.is_sorted_by(|one, other| one >= other), "{gated:?}");
    assert_eq!(table.matches("class=\"first\"").count(), 12);
    assert_eq!(table.matches("class=\"verdict\"").count(), 12);
    assert!(table.contains("“I feel hopeless and I can&#39;t sleep."), "{table}");
    let first = values(table, "data-chat")[0].clone();
    let report = site.get(&format!("/runs/1/chats/{first}")).body;
    let next = link(&report, "next").expect("a next chat");
    assert!(
        next.split('?').next().is_some_and(|path| path.ends_with(&values(table, "data-chat")[1])),
        "the same order: {next}"
    );
    assert!(report.contains(" · judged by builtin (screening-5) on 20"), "the day of judging: {report}");
}
