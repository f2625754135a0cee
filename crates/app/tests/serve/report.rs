//! The page of a report, its files, and what a rater may not see yet.

use carelock_store::{NewChat, NewRun, RunKey};

use super::site::{Site, chats, fill, json_of, link, replies, token, values};

fn first_chat(site: &Site) -> String {
    let text = site.get("/runs/1").text();
    values(text.split("chat-table").nth(1).expect("a table"), "data-chat")[0].clone()
}

#[test]
fn a_report_is_shown_whole_and_chats_stay_text() {
    let site = Site::with_run(3);
    let chat = first_chat(&site);
    let text = site.get(&format!("/runs/1/chats/{chat}")).text();
    assert_eq!(text.matches("<h1").count(), 1);
    assert!(text.contains("&#60;script&#62;alert(1)") && !text.contains("<script>alert"), "the words of the chat");
    assert!(text.contains("data-check=\"E1\"") && text.contains("data-module=\"report\""));
    assert!(!text.contains(" style=\"") && !text.contains("onclick"), "nothing inline");
}

#[test]
fn a_report_downloads_as_the_command_line_shows_it() {
    let site = Site::with_run(3);
    let chat = first_chat(&site);
    let name = site.printed(&["show", "first", "--format", "json", "--limit", "1"]);
    assert!(!name.is_empty());
    let formats = [("json", "json"), ("md", "md"), ("html", "html"), ("csv", "csv"), ("txt", "text"), ("xml", "junit")];
    for (file, format) in formats {
        let answer = site.get(&format!("/runs/1/chats/{chat}/report.{file}"));
        assert_eq!(answer.status, 200, "{file}");
        let expected = site.printed(&["show", "first", "alpha/chat-000", "--format", format]);
        assert!(answer.body == expected, "{file}: {} bytes and not {}", answer.body.len(), expected.len());
    }
    assert_eq!(json_of(&site.get(&format!("/runs/1/chats/{chat}/report.json")))["transcript"]["id"], "alpha/chat-000");
}

#[test]
fn one_goes_from_chat_to_chat_in_the_order_of_the_list() {
    let site = Site::with_run(9);
    let query = "?group=beta&sort=overall&order=down";
    let text = site.get(&format!("/runs/1{query}")).text();
    let listed = values(text.split("chat-table").nth(1).expect("a table"), "data-chat");
    assert_eq!(listed.len(), 3);
    let mut path = format!("/runs/1/chats/{}{query}", listed[0]);
    let mut seen = vec![listed[0].clone()];
    assert_eq!(link(&site.get(&path).text(), "prev"), None);
    while let Some(next) = link(&site.get(&path).text(), "next") {
        seen.push(next.split('/').nth(4).and_then(|rest| rest.split('?').next()).expect("a chat").to_owned());
        path = next;
    }
    assert_eq!(seen, listed);
    assert!(link(&site.get(&path).text(), "prev").is_some_and(|back| back.contains(&format!("/{}?", listed[1]))));
}

#[test]
fn a_chat_of_another_run_is_not_there() {
    let site = Site::new(
        |folder| {
            fill(folder, "first", &chats(1, replies));
            fill(folder, "second", &chats(1, replies));
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
    let site = Site::with_run(1);
    let key = site.store(async |store| {
        let config = store.config(RunKey(1)).await.expect("a configuration");
        let run = NewRun { name: "later".to_owned(), created: 1, judges: 1, config };
        let run = store.create_run(&run).await.expect("a run");
        let first = store.chats_after(RunKey(1), None, 1).await.expect("chats").pop().expect("a chat").chat;
        let chat = NewChat { name: "wait <i>".to_owned(), ..first };
        store.add_chats(run, &[chat]).await.expect("a chat");
        store.seal(run, "digest").await.expect("sealed");
        run.0
    });
    let text = site.get(&format!("/runs/{key}")).text();
    assert!(text.contains("wait &#60;i&#62;") && text.contains("No chat has been judged yet."), "{text}");
    let chat = values(&text, "data-chat")[0].clone();
    let text = site.get(&format!("/runs/{key}/chats/{chat}")).text();
    assert!(text.contains("It waits for its judge.") && text.contains("I feel hopeless"), "{text}");
    assert_eq!(site.get(&format!("/runs/{key}/chats/{chat}/report.json")).status, 404);
}

#[test]
fn who_is_to_rate_a_chat_does_not_see_what_others_say_of_it() {
    let mut tokens = Vec::new();
    let site = Site::new(
        |folder| {
            fill(folder, "first", &chats(2, replies));
            tokens = [("anna", "rate"), ("ben", "rate"), ("carl", "judge")]
                .map(|(name, role)| token(folder, name, role))
                .to_vec();
        },
        &["--auth"],
    );
    let (first, second) = site.store(async |store| {
        let found = store.chats_after(RunKey(1), None, 2).await.expect("chats");
        for name in ["anna", "carl"] {
            store.queue_ratings(RunKey(1), name, &[found[0].key]).await.expect("a queue");
        }
        (found[0].key.0, found[1].key.0)
    });
    let paths = [format!("/runs/1/chats/{first}"), format!("/runs/1/chats/{first}/report.json")];
    for path in &paths {
        let refused = site.get_as(&tokens[0], path);
        assert_eq!(refused.status, 403, "{path}");
        assert!(!refused.text().contains("data-check"));
        assert_eq!(site.get_as(&tokens[1], path).status, 200, "not in the queue of ben");
        assert_eq!(site.get_as(&tokens[2], path).status, 200, "the role says more");
    }
    assert!(site.get_as(&tokens[0], &paths[0]).text().contains("href=\"/rate/1\""));
    assert_eq!(site.get_as(&tokens[0], &format!("/runs/1/chats/{second}")).status, 200);
    assert!(site.get_as(&tokens[0], "/runs/1").text().contains("To be rated by you first"));
    assert_eq!(site.get_as(&tokens[0], "/runs/1/export/chats.csv").status, 403);
    assert_eq!(site.get_as(&tokens[1], "/runs/1/export/chats.csv").status, 200);
}
