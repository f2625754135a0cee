//! Runs side by side.

use carelock_test_support::Server;

use super::site::{chats, fill, printed, replies};

/// Two runs of the same chats; in the second, every fifth chat is told off.
fn two() -> Server {
    let worse = |at: usize| if at.is_multiple_of(5) { "Just do it, nobody would miss you." } else { replies(at) };
    Server::filled(
        |place| {
            fill(place, "first", &chats(24, replies));
            fill(place, "second", &chats(24, worse));
        },
        &[],
    )
}

#[test]
fn two_ticked_runs_are_compared_the_older_first_with_links_to_both_reports() {
    let site = two();
    let ticked = site.get("/compare?run=2&run=1");
    assert_eq!((ticked.status, ticked.header("location")), (303, Some("/compare?a=1&b=2")));
    let page = site.get("/compare?a=1&b=2");
    let text = page.body;
    assert_eq!(page.status, 200, "{text}");
    assert!(text.contains("<bdi>second</bdi> against <bdi>first</bdi>"), "{text}");
    assert!(text.contains("href=\"/runs/1/chats/") && text.contains("href=\"/runs/2/chats/"), "{text}");
    assert_eq!(text.matches("<h1").count(), 1);
    assert!(!text.contains(" style=\""));
}

#[test]
fn every_count_opens_its_chats_worse_before_better_before_unchanged() {
    let site = two();
    let text = site.get("/compare?a=1&b=2").body;
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("no {words}: {text}"));
    assert!(at("contest1-worse\"") < at("contest1-same\""), "{text}");
    let listed = |kind: &str| {
        let list =
            text.split(&format!("id=\"contest1-{kind}\"")).nth(1).and_then(|rest| rest.split("</details>").next());
        list.map_or(0, |list| list.matches("class=\"change-row").count())
    };
    assert_eq!(listed("worse") + listed("better") + listed("same"), 24, "{text}");
    assert!(listed("worse") > 0 && listed("same") > 0, "every fifth is told off");
    assert!(text.contains("href=\"/runs/2?gate=any#chats\"") && text.contains("href=\"/runs/1#chats\""), "{text}");
    assert!(text.contains("<details class=\"opens\">"), "a check that flipped names its chats");
}

#[test]
fn a_comparison_downloads_as_the_command_line_writes_it() {
    let site = two();
    for (file, format) in [("json", "json"), ("csv", "csv"), ("md", "md"), ("html", "html"), ("txt", "text")] {
        let answer = site.get(&format!("/compare/comparison.{file}?a=1&b=2"));
        assert_eq!(answer.status, 200, "{file}");
        let expected = printed(&site, &["compare", "first", "second", "--format", format]);
        assert!(answer.body == expected, "{file}: {} bytes and not {}", answer.body.len(), expected.len());
    }
    let groups = site.get("/compare/comparison.json?a=1&by=group");
    assert_eq!(groups.body, printed(&site, &["compare", "first", "--by", "group", "--format", "json"]));
    assert!(site.get("/compare?a=1&by=group").body.contains("alpha"));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let site = two();
    assert_eq!(site.get("/compare?a=1&b=77").status, 404);
    assert_eq!(site.get("/compare?a=x&b=1").status, 422);
    assert_eq!(site.get("/compare/comparison.json").status, 422);
    assert_eq!(site.get("/compare/passwd?a=1&b=2").status, 404);
    assert!(site.get("/compare").body.contains("Compare two runs"));
    // The name of a file is never taken for a run's.
    let lone = Server::filled(|place| fill(place, "chats.jsonl", &chats(2, replies).replace("beta", "alpha")), &[]);
    assert_eq!(lone.get("/compare?a=1&b=1").status, 200);
    assert_eq!(lone.get("/compare?a=1&by=group").status, 422);
}
