//! The list of runs, a run's page, its table of chats, its downloads, and deleting.

use std::collections::HashSet;

use carelock_test_support::Server;

use super::site::{chats, fill, link, printed, replies, submit, values, with_run};

/// The chats of a list, page after page, as the links lead on.
fn all_pages(site: &Server, first: &str) -> (Vec<String>, usize) {
    let (mut path, mut found, mut pages) = (first.to_owned(), Vec::new(), 0);
    loop {
        let page = site.get(&path);
        assert_eq!(page.status, 200, "{path}");
        let text = page.body;
        let table = text.split("chat-table").nth(1).and_then(|rest| rest.split("</table>").next()).unwrap_or_default();
        found.extend(values(table, "data-chat"));
        pages += 1;
        let Some(next) = link(&text, "next") else { return (found, pages) };
        path = next;
    }
}

#[test]
fn runs_are_listed_with_the_newest_first_and_their_names_stay_text() {
    let site = Server::filled(
        |place| {
            fill(place, "older", &chats(3, replies));
            fill(place, "<b>newer</b> \"&", &chats(2, replies));
        },
        &[],
    );
    let text = site.get("/runs").body;
    assert_eq!(values(&text, "data-run"), ["2", "1"], "{text}");
    assert!(text.contains("&#60;b&#62;newer&#60;/b&#62;") && !text.contains("<b>newer"), "{text}");
    let one = site.get("/runs/2").body;
    assert!(one.contains("&#60;b&#62;newer&#60;/b&#62;") && !one.contains("<b>newer"), "{one}");
}

#[test]
fn every_order_goes_through_all_chats_without_gaps_or_repeats_and_back_again() {
    let site = with_run(120);
    for sort in ["position", "name", "group", "overall", "gates", "metric-1", "metric-10"] {
        for order in ["", "down"] {
            let (found, pages) = all_pages(&site, &format!("/runs/1?sort={sort}&order={order}"));
            assert_eq!((found.len(), pages), (120, 3), "{sort} {order}");
            assert_eq!(found.iter().collect::<HashSet<_>>().len(), 120, "{sort} {order}");
        }
    }
    let second = link(&site.get("/runs/1?sort=overall").body, "next").expect("a second page");
    let back = link(&site.get(&second).body, "prev").expect("a way back");
    let first = |path: &str| values(&site.get(path).body, "data-chat");
    assert_eq!(first(&back), first("/runs/1?sort=overall"));
}

#[test]
fn filters_let_through_what_the_command_line_lists() {
    let site = with_run(60);
    let shown = |arguments: &[&str]| {
        let all: Vec<&str> =
            ["show", "first", "--format", "json"].into_iter().chain(arguments.iter().copied()).collect();
        let value: serde_json::Value = serde_json::from_str(&printed(&site, &all)).expect("JSON");
        value["matching"].as_u64().expect("a number")
    };
    let cases: [(&str, &[&str]); 5] = [
        ("gate=any", &["--gated"]),
        ("group=beta", &["--group", "beta"]),
        ("below=0.5", &["--below", "0.5"]),
        ("text=Chat-01", &["--text", "chat-01"]),
        ("gate=any&group=alpha&below=0.9", &["--gated", "--group", "alpha", "--below", "0.9"]),
    ];
    for (query, arguments) in cases {
        let (found, _) = all_pages(&site, &format!("/runs/1?{query}"));
        assert_eq!(found.len() as u64, shown(arguments), "{query}");
        assert!(!found.is_empty() && found.len() < 60, "{query} divides them: {}", found.len());
    }
    let gated = all_pages(&site, "/runs/1?gate=any").0.len();
    assert_eq!(gated + all_pages(&site, "/runs/1?gate=none").0.len(), 60);
    assert!(site.get("/runs/1?text=nowhere").body.contains("No chats match."));
}

#[test]
fn what_makes_no_sense_is_refused_and_what_is_not_there_is_missing() {
    let site = with_run(2);
    for path in ["/runs/1?below=9", "/runs/1?sort=size", "/runs/1?after=x", "/runs/1?judge=x"] {
        assert_eq!(site.get(path).status, 422, "{path}");
    }
    for path in ["/runs/2", "/runs/-1", "/runs/1/chats/9", "/runs/1/export/runs.db", "/runs/1/chats/1/report.exe"] {
        assert_eq!(site.get(path).status, 404, "{path}");
    }
    assert_eq!(site.get("/runs/one").status, 400);
}

#[test]
fn a_run_downloads_as_the_command_line_exports_it() {
    let site = with_run(12);
    let files: [(&str, &[&str]); 6] = [
        ("reports.jsonl", &["--format", "jsonl"]),
        ("chats.csv", &["--format", "csv"]),
        ("checks.csv", &["--format", "csv", "--table", "checks"]),
        ("reports.md", &["--format", "md"]),
        ("reports.html", &["--format", "html"]),
        ("junit.xml", &["--format", "junit"]),
    ];
    for (file, arguments) in files {
        let all: Vec<&str> = ["export", "first"].into_iter().chain(arguments.iter().copied()).collect();
        let answer = site.get(&format!("/runs/1/export/{file}"));
        assert_eq!(answer.status, 200, "{file}");
        assert!(answer.header("content-disposition").is_some_and(|value| value.contains(file)), "{}", answer.head);
        assert!(answer.body == printed(&site, &all), "{file}: {} bytes", answer.body.len());
    }
    let gated = site.get("/runs/1/export/chats.csv?gate=any&sort=overall");
    assert_eq!(gated.body, printed(&site, &["export", "first", "--format", "csv", "--gated"]));
}

#[cfg(feature = "parquet")]
#[test]
fn a_run_downloads_as_a_parquet_file() {
    let site = with_run(3);
    let body = site.get("/runs/1/export/chats.parquet").bytes;
    assert!(body.starts_with(b"PAR1") && body.ends_with(b"PAR1"));
}

#[test]
fn deleting_asks_first_and_then_nothing_is_left() {
    let site = with_run(4);
    let text = site.get("/runs/1?sort=position").body;
    let chat = values(text.split("chat-table").nth(1).expect("a table"), "data-chat")[2].clone();
    let path = format!("/runs/1/chats/{chat}");
    assert!(site.get(&path).body.contains("chat-002"));
    assert_eq!(site.send("POST", &format!("{path}/delete"), &[], b"").status, 403, "without the mark of a form");
    assert_eq!(site.get(&path).status, 200);
    assert_eq!(submit(&site, &format!("{path}/delete")).status, 303);
    assert_eq!(site.get(&path).status, 404);
    let text = site.get("/runs/1").body;
    assert!(!text.contains("chat-002") && text.contains("3 of 3"), "{text}");
    let answer = submit(&site, "/runs/1/delete");
    assert_eq!((answer.status, answer.header("location")), (303, Some("/runs?said=deleted")));
    assert_eq!(site.get("/runs/1").status, 404);
    assert!(site.get("/runs").body.contains("No runs yet"));
    for entry in std::fs::read_dir(site.place.path("")).expect("a folder").flatten() {
        let is_database = entry.file_name().to_string_lossy().starts_with("runs.db");
        let bytes = std::fs::read(entry.path()).expect("a file");
        assert!(!is_database || !bytes.windows(8).any(|eight| eight == b"chat-001"), "{:?}", entry.path());
    }
}

#[test]
fn a_page_of_the_list_that_is_not_there_is_empty() {
    let site = with_run(1);
    for page in ["1", "18446744073709551615", "368934881474191033"] {
        assert_eq!(site.get(&format!("/runs?page={page}")).status, 200, "{page}");
    }
}

#[test]
fn what_is_deleted_through_the_api_is_not_shown_from_memory() {
    let site = with_run(4);
    let text = site.get("/runs/1").body;
    assert!(text.contains("4 of 4") && site.get("/runs").body.contains(">4<"));
    let chat = values(text.split("chat-table").nth(1).expect("a table"), "data-chat")[0].clone();
    assert_eq!(site.send("DELETE", &format!("/api/v1/runs/1/chats/{chat}"), &[], b"").status, 200);
    assert!(site.get("/runs/1").body.contains("3 of 3"));
    assert!(site.get("/runs").body.contains(">3<"));
}

#[test]
fn only_who_may_delete_is_asked_whether_to() {
    let mut tokens = Vec::new();
    let site = Server::filled(
        |place| {
            fill(place, "first", &chats(2, replies));
            tokens = ["read", "admin"].map(|role| place.token(role, role)).to_vec();
        },
        &["--auth"],
    );
    assert_eq!(site.get("/runs").status, 303, "to the page where a token is shown");
    assert_eq!(site.get_as(&tokens[0], "/runs/1/delete").status, 403);
    assert_eq!(site.get_as(&tokens[0], "/runs/1/chats/1/delete").status, 403);
    assert!(!site.get_as(&tokens[0], "/runs/1").body.contains("/runs/1/delete"));
    assert_eq!(site.get_as(&tokens[1], "/runs/1/delete").status, 200);
}

#[test]
fn a_run_says_what_its_numbers_are() {
    let site = with_run(30);
    let text = site.get("/runs/1").body;
    let shown: serde_json::Value =
        serde_json::from_str(&printed(&site, &["show", "first", "--format", "json"])).expect("JSON");
    let mean = format!("{:.3}", shown["mean_overall"].as_f64().expect("a mean"));
    assert!(text.contains(&format!("<strong>{mean}</strong>")), "{mean}");
    let gated = format!("Gates tripped in {} of 30 chats", shown["gated"]);
    assert!(text.contains(&gated), "{gated}");
    assert_eq!(values(&text, "data-metric").len(), 10);
    assert_eq!(text.matches("<h1").count(), 1);
    for group in ["alpha", "beta", "gamma"] {
        assert!(text.contains(&format!("?group={group}#chats")), "{group}");
    }
}

#[test]
fn the_rubric_is_there_to_be_read() {
    let site = with_run(1);
    let text = site.get("/rubric").body;
    assert_eq!(text.matches("class=\"sheet codebook\"").count(), 50);
    assert_eq!(text.matches("<h1").count(), 1);
}
