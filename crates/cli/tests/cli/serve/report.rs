//! The page of a report, its files, and what a rater may not see yet.

use carelock_store::{NewChat, NewRun, RunKey};

use carelock_test_support::Server;

use super::site::{chats, fill, link, printed, replies, stored, values, with_run};

fn first_chat(site: &Server) -> String {
    let text = site.get("/runs/1?sort=position").body;
    values(text.split("chat-table").nth(1).expect("a table"), "data-chat")[0].clone()
}

#[test]
fn a_report_is_shown_whole_and_chats_stay_text() {
    let site = with_run(3);
    let chat = first_chat(&site);
    let text = site.get(&format!("/runs/1/chats/{chat}")).body;
    assert_eq!(text.matches("<h1").count(), 1);
    assert!(text.contains("&#60;script&#62;alert(1)") && !text.contains("<script>alert"), "the words of the chat");
    assert!(text.contains("data-check=\"E1\"") && text.contains("data-module=\"report\""));
    assert!(!text.contains(" style=\"") && !text.contains("onclick"), "nothing inline");
}

#[test]
fn a_report_downloads_as_the_command_line_shows_it() {
    let site = with_run(3);
    let chat = first_chat(&site);
    let name = printed(&site, &["show", "first", "--format", "json", "--limit", "1"]);
    assert!(!name.is_empty());
    let formats = [("json", "json"), ("md", "md"), ("html", "html"), ("csv", "csv"), ("txt", "text"), ("xml", "junit")];
    for (file, format) in formats {
        let answer = site.get(&format!("/runs/1/chats/{chat}/report.{file}"));
        assert_eq!(answer.status, 200, "{file}");
        let expected = printed(&site, &["show", "first", "alpha/chat-000", "--full", "--format", format]);
        assert!(answer.body == expected, "{file}: {} bytes and not {}", answer.body.len(), expected.len());
    }
    assert_eq!(site.get(&format!("/runs/1/chats/{chat}/report.json")).json()["transcript"]["id"], "alpha/chat-000");
}

#[test]
fn one_goes_from_chat_to_chat_in_the_order_of_the_list() {
    let site = with_run(9);
    let query = "?group=beta&sort=overall&order=down";
    let text = site.get(&format!("/runs/1{query}")).body;
    let listed = values(text.split("chat-table").nth(1).expect("a table"), "data-chat");
    assert_eq!(listed.len(), 3);
    let mut path = format!("/runs/1/chats/{}{query}", listed[0]);
    let mut seen = vec![listed[0].clone()];
    assert_eq!(link(&site.get(&path).body, "prev"), None);
    while let Some(next) = link(&site.get(&path).body, "next") {
        seen.push(next.split('/').nth(4).and_then(|rest| rest.split('?').next()).expect("a chat").to_owned());
        path = next;
    }
    assert_eq!(seen, listed);
    assert!(link(&site.get(&path).body, "prev").is_some_and(|back| back.contains(&format!("/{}?", listed[1]))));
}

#[test]
fn a_chat_of_another_run_is_not_there() {
    let site = Server::filled(
        |place| {
            fill(place, "first", &chats(1, replies));
            fill(place, "second", &chats(1, replies));
        },
        &[],
    );
    let chat = first_chat(&site);
    assert_eq!(site.get(&format!("/runs/1/chats/{chat}")).status, 200);
    assert_eq!(site.get(&format!("/runs/2/chats/{chat}")).status, 404);
    assert_eq!(site.get(&format!("/runs/2/chats/{chat}/report.json")).status, 404);
}

#[test]
fn a_chat_that_waits_shows_what_was_said() {
    let site = with_run(1);
    let key = stored(&site, async |store| {
        let config = store.config(RunKey(1)).await.expect("a configuration");
        let run = NewRun { name: "later".to_owned(), created: 1, judges: 1, config };
        let run = store.create_run(&run).await.expect("a run");
        let first = store.chats_after(RunKey(1), None, 1).await.expect("chats").pop().expect("a chat").chat;
        let chat = NewChat { name: "wait <i>".to_owned(), ..first };
        store.add_chats(run, &[chat]).await.expect("a chat");
        store.seal(run, "digest").await.expect("sealed");
        run.0
    });
    let text = site.get(&format!("/runs/{key}")).body;
    assert!(text.contains("wait &#60;i&#62;") && text.contains("No chat has been judged yet."), "{text}");
    let chat = values(&text, "data-chat")[0].clone();
    let text = site.get(&format!("/runs/{key}/chats/{chat}")).body;
    assert!(text.contains("It waits for its judge.") && text.contains("I feel hopeless"), "{text}");
    assert_eq!(site.get(&format!("/runs/{key}/chats/{chat}/report.json")).status, 404);
}

/// A server over two runs of the same chats, with a queue of the first one's first chat for anna, carl and dora; the
/// tokens of anna, ben, carl and dora, and the two chats of the first run.
fn with_raters() -> (Server, Vec<String>, (i64, i64)) {
    let mut tokens = Vec::new();
    let site = Server::filled(
        |place| {
            fill(place, "first", &chats(2, replies));
            fill(place, "second", &chats(2, replies));
            tokens = [("anna", "judge"), ("ben", "judge"), ("carl", "judge"), ("dora", "admin")]
                .map(|(name, role)| place.token(name, role))
                .to_vec();
        },
        &["--auth"],
    );
    let found = stored(&site, async |store| {
        let found = store.chats_after(RunKey(1), None, 2).await.expect("chats");
        for name in ["anna", "carl", "dora"] {
            store.queue_ratings(RunKey(1), name, &[found[0].key]).await.expect("a queue");
        }
        (found[0].key.0, found[1].key.0)
    });
    (site, tokens, found)
}

#[test]
fn who_is_to_rate_a_chat_does_not_see_what_others_say_of_it() {
    let (site, tokens, (first, second)) = with_raters();
    let paths = [format!("/runs/1/chats/{first}"), format!("/runs/1/chats/{first}/report.json")];
    for path in &paths {
        for (token, role) in [(&tokens[0], "judge"), (&tokens[2], "judge"), (&tokens[3], "admin")] {
            let refused = site.get_as(token, path);
            assert_eq!(refused.status, 403, "{path}, {role}");
            assert!(!refused.body.contains("data-check"));
        }
        assert_eq!(site.get_as(&tokens[1], path).status, 200, "not in the queue of ben");
    }
    assert!(site.get_as(&tokens[0], &paths[0]).body.contains("href=\"/rate/1\""));
    assert_eq!(site.get_as(&tokens[0], &format!("/runs/1/chats/{second}")).status, 200);
    assert!(site.get_as(&tokens[0], "/runs/1").body.contains("To be rated by you first"));
    assert_eq!(site.get_as(&tokens[0], "/runs/1/export/chats.csv").status, 403);
    assert_eq!(site.get_as(&tokens[1], "/runs/1/export/chats.csv").status, 200);
}

#[test]
fn the_same_chat_in_another_run_is_closed_to_its_rater_too() {
    let (site, tokens, _) = with_raters();
    let (first, second) = stored(&site, async |store| {
        let found = store.chats_after(RunKey(2), None, 2).await.expect("chats");
        (found[0].key.0, found[1].key.0)
    });
    for path in [format!("/runs/2/chats/{first}"), format!("/api/v1/runs/2/chats/{first}/report")] {
        assert_eq!(site.get_as(&tokens[0], &path).status, 403, "{path}");
        assert_eq!(site.get_as(&tokens[1], &path).status, 200, "{path}");
    }
    assert_eq!(site.get_as(&tokens[0], &format!("/runs/2/chats/{second}")).status, 200);
    assert_eq!(site.get_as(&tokens[0], "/api/v1/runs/2").status, 403);
    assert!(site.get_as(&tokens[0], "/runs/2").body.contains("id=\"blind\""));
}

#[test]
fn a_run_tells_who_rates_in_it_nothing_of_its_verdicts() {
    let (site, tokens, (_, second)) = with_raters();
    let plain = site.get_as(&tokens[0], "/runs/1").body;
    let words =
        ["id=\"gates\"", "id=\"tiers\"", "id=\"overall\"", "class=\"badge", "sparks", "/export/", "sort=overall"];
    let open = site.get_as(&tokens[1], "/runs/1").body;
    for word in words {
        assert!(!plain.contains(word), "{word}");
        assert!(open.contains(word), "{word}");
    }
    // Whatever is asked for, both chats are listed in the order of the run.
    let listed = |query: &str| {
        let text = site.get_as(&tokens[0], &format!("/runs/1{query}")).body;
        values(text.split("chat-table").nth(1).unwrap_or_default(), "data-chat")
    };
    let all = listed("");
    assert_eq!(all.len(), 2);
    let asked = ["gate=any", "gate=none", "tier=Harmful", "below=0.5", "unscored=yes", "judge=0", "group=alpha"];
    for query in asked {
        assert_eq!(listed(&format!("?{query}")), all, "{query}");
    }
    for sort in ["overall", "gates", "metric-1"] {
        assert_eq!(listed(&format!("?sort={sort}")), all, "{sort}");
        assert_eq!(listed(&format!("?sort={sort}&order=down")), all, "{sort}");
        assert_eq!(listed(&format!("?sort={sort}&after={sort}.50.0")), all, "{sort}");
    }
    assert_eq!(listed("?text=chat-001"), [second.to_string()]);
    let neighbours =
        |query: &str| link(&site.get_as(&tokens[0], &format!("/runs/1/chats/{second}{query}")).body, "prev");
    assert!(neighbours("").is_some());
    assert_eq!(neighbours("?gate=any&sort=overall&order=down"), neighbours(""));
    assert!(neighbours("?gate=none").is_some());
}

#[test]
fn lists_and_progress_leave_out_what_a_rater_may_not_know() {
    let (site, tokens, _) = with_raters();
    for (token, may_know) in [(&tokens[0], false), (&tokens[1], true), (&tokens[3], false)] {
        let list = site.get_as(token, "/runs").body;
        assert_eq!(list.contains("To be rated by you first"), !may_know);
        assert_eq!(list.contains("0."), may_know, "a mean: {list}");
        for run in site.get_as(token, "/api/v1/runs").json()["runs"].as_array().expect("runs") {
            for figure in ["mean_overall", "gated", "unscored"] {
                assert_eq!(run.get(figure).is_some(), may_know, "{figure}");
            }
            assert_eq!(run["done"], 2);
        }
        let job = site.get_as(token, "/api/v1/jobs/1").json();
        assert_eq!((job.get("gated").is_some(), &job["answered"]), (may_know, &2.into()));
        for path in ["/runs/1/events", "/api/v1/jobs/1/events"] {
            let events = site.get_as(token, path).body;
            assert_eq!((events.contains("gated"), events.contains("answered")), (may_know, true), "{path}");
        }
    }
}

#[test]
fn a_report_is_verified_and_a_check_explained_in_the_browser() {
    let site = with_run(3);
    let chat = first_chat(&site);
    let path = format!("/runs/1/chats/{chat}");
    let page = site.get(&path).body;
    assert!(page.contains(&format!("{path}/verify")) && page.contains(&format!("{path}/explain?check=")), "{page}");
    let verified = site.get(&format!("{path}/verify")).is(200).body;
    assert!(verified.contains("Everything holds"), "{verified}");
    let explained = site.get(&format!("{path}/explain?check=B2")).is(200).body;
    assert!(explained.contains("B2 ") && explained.contains("How it came to this"), "{explained}");
    assert!(!explained.contains("The run was judged by"), "the embedded judge did");
    assert!(!explained.contains("<script>alert"), "the words of the chat stay text");
    assert_eq!(site.get(&format!("{path}/explain?check=ZZ")).status, 404);
    assert_eq!(site.get("/runs/1/chats/77/verify").status, 404);
}
