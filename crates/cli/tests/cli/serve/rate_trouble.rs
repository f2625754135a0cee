//! What goes wrong while a person rates by hand, and what they are told: nothing they wrote is lost.

use serde_json::Value;

use carelock_test_support::Reply;

use super::rate::{answer_all, begin, finish, version};
use super::rating::{named, serve, unknown, with_token};

#[test]
fn a_form_of_thousands_of_turns_is_read_at_once_and_a_larger_one_not_at_all() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let ana = named(&server, "ana");
    let path = format!("/rate/1/{}", begin(&ana)[0]);
    let turns: Vec<String> = (1..12_000).map(|turn| turn.to_string()).collect();
    let turns = turns.join(" ");
    let send = |also: &str| {
        ana.post_as_script(&path, &[("version", "0"), ("metric", "1"), ("answer-E1", "yes"), ("also-E1", also)])
    };
    let saved = send(&turns);
    assert_eq!(saved.status, 200, "{}", saved.body);
    let saved: Value = serde_json::from_str(&saved.body).unwrap();
    assert!(saved["complaints"][0]["what"].as_str().unwrap().contains("There is no turn"), "{saved}");
    let page = ana.get(&format!("{path}?metric=1"));
    let also = page.between(r#"name="also-E1" value=""#, "\"").unwrap();
    assert!(also.split(' ').count() < 64, "{also}");
    assert_eq!(send(&turns.repeat(3)).status, 413);
}

#[test]
fn what_is_too_long_is_told_and_neither_cut_nor_saved() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let ana = named(&server, "ana");
    let chat = &begin(&ana)[0];
    let path = format!("/rate/1/{chat}");
    let long = format!("{} the end of my thought", "x".repeat(8 << 10));
    let fields = [("version", "0"), ("metric", "1"), ("answer-E5", "yes"), ("why-E5", long.as_str())];
    let told = ana.post(&path, &fields);
    assert_eq!(told.status, 422);
    assert!(told.body.contains("The reason of E5 is too long.") && told.body.contains("the end of my thought"));
    assert!(!told.body.contains("changed elsewhere"));
    let script = ana.post_as_script(&path, &fields);
    let problem: Value = serde_json::from_str(&script.body).unwrap();
    assert_eq!((script.status, problem["detail"].as_str()), (422, Some("The reason of E5 is too long.")));
    let page = ana.get(&format!("{path}?metric=1"));
    assert_eq!(version(&page), "0", "nothing was saved");
    assert_eq!(page.body.matches("maxlength=").count(), 11);
    let told = finish(&ana, chat, &[("summary", long.as_str())]);
    assert!(told.status == 422 && told.body.contains("the end of my thought"), "{}", told.body);
}

#[test]
fn finishing_many_times_at_once_leads_to_the_report_and_an_older_page_keeps_its_sentence() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let ana = named(&server, "ana");
    let chat = &begin(&ana)[0];
    let path = format!("/rate/1/{chat}");
    answer_all(&ana, chat, &["E1"]);
    let older = version(&ana.get(&format!("{path}/finish")));
    let note = [("version", older.as_str()), ("metric", "10"), ("note", "later")];
    assert_eq!(ana.post(&path, &note).status, 303);
    let finish = format!("{path}/finish");
    let stale =
        ana.post(&finish, &[("version", older.as_str()), ("summary", "my one sentence"), ("leave_open", "yes")]);
    assert_eq!(stale.status, 409, "{}", stale.body);
    assert!(stale.body.contains("changed elsewhere") && stale.body.contains("my one sentence</textarea>"));
    let newer = version(&stale);
    let fields = [("version", newer.as_str()), ("leave_open", "yes")];
    let answers: Vec<Reply> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..12).map(|_| scope.spawn(|| ana.post(&finish, &fields))).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for answer in answers {
        assert_eq!(answer.status, 303, "{}", answer.body);
    }
    assert_eq!(ana.get(&format!("{path}/report")).status, 200);
}

#[test]
fn a_script_without_a_session_is_told_so_and_gets_the_mark_of_a_new_one() {
    let line = ["token", "create", "ana", "--role", "rate", "--db", "runs.db"];
    let (server, tokens) = serve(&["ordinary"], &[line.as_slice()], &["--auth"]);
    let ana = with_token(&server, &tokens[0]);
    let path = format!("/rate/1/{}", begin(&ana)[0]);
    let stranger = unknown(&server);
    let fields = [("version", "0"), ("metric", "1"), ("answer-E5", "yes")];
    let told = stranger.post_as_script(&path, &fields);
    let problem: Value = serde_json::from_str(&told.body).unwrap();
    assert_eq!((told.status, problem["fix"].as_str()), (401, Some("sign in in another tab, then save again")));
    assert_eq!(stranger.post(&path, &fields).header("location"), Some("/login"));
    let mark: Value = serde_json::from_str(&ana.get("/rate/mark").body).unwrap();
    assert_eq!((mark["mark"].as_str(), mark["rater"].as_str()), (Some(ana.mark()), Some("ana")));
    assert_eq!(stranger.get("/rate/mark").status, 303);
}

#[test]
fn figures_that_are_kept_follow_every_rating_that_is_finished() {
    let (server, _) = serve(&["ordinary", "excellent"], &[], &[]);
    let (ana, ben) = (named(&server, "ana"), named(&server, "ben"));
    let chats = begin(&ana);
    begin(&ben);
    let report = || ana.get(&format!("/rate/1/{}/report", chats[0])).body;
    answer_all(&ana, &chats[0], &["E1"]);
    assert_eq!(finish(&ana, &chats[0], &[]).status, 303);
    let first = report();
    assert!(first.contains("Over all 1 chat ") && !first.contains("person:ben"));
    assert_eq!(report(), first);
    answer_all(&ben, &chats[0], &["E2"]);
    assert!(!report().contains("person:ben"), "not done yet");
    assert_eq!(finish(&ben, &chats[0], &[]).status, 303);
    assert!(report().contains(r#"data-side="person:ben""#));
    answer_all(&ana, &chats[1], &["E1"]);
    assert_eq!(finish(&ana, &chats[1], &[]).status, 303);
    assert!(report().contains("Over all 2 chats "));
}
