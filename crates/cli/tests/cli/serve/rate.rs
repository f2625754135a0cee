//! A person rates by hand: queues, drafts, evidence, undo, finishing, and agreement afterwards.

use serde_json::Value;

use carelock_test_support::{Reply, Visitor};

use super::rating::{named, printed, serve, serve_judged, unknown, with_token};

const METRICS: usize = 10;

/// One check on a rating page: its id, and whether it may be not triggered or must be shown to be met.
struct Check {
    id: String,
    conditional: bool,
    presence: bool,
}

fn checks(page: &Reply) -> Vec<Check> {
    let one = |part: &str| Check {
        id: part.split('"').next().unwrap().to_owned(),
        conditional: part.contains(r#"value="not_triggered""#),
        presence: part.contains("Yes needs the words"),
    };
    page.body.split(r#"data-check=""#).skip(1).map(one).collect()
}

pub(crate) fn version(page: &Reply) -> String {
    page.between(r#"name="version" id="version" value=""#, "\"")
        .or_else(|| page.between(r#"name="version" value=""#, "\""))
        .unwrap()
        .to_owned()
}

/// The words of a turn, as they stand on the page.
fn words(page: &Reply, turn: u32) -> String {
    let begin = format!(r#"data-turn="{turn}""#);
    let (_, rest) = page.body.split_once(&begin).unwrap();
    let text = rest.split_once("data-words>").unwrap().1.split_once("</div>").unwrap().0;
    text.replace("&#39;", "'").replace("&#34;", "\"").replace("&#38;", "&")
}

/// Begins a queue of all chats; the numbers of the chats in its order.
pub(crate) fn begin(rater: &Visitor) -> Vec<String> {
    let begun = rater.post("/rate", &[("run", "1"), ("how", "all"), ("seed", "1")]);
    assert_eq!(begun.status, 303, "{}", begun.body);
    let queue = rater.follow(&begun);
    queue.body.split(r#"data-chat=""#).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

/// Answers everything: what can be is not triggered, what must be shown is not met but for the checks named, which are
/// shown by the second turn.
pub(crate) fn answer_all(rater: &Visitor, chat: &str, shown: &[&str]) {
    for metric in 1..=METRICS {
        let page = rater.get(&format!("/rate/1/{chat}?metric={metric}"));
        let (version, number, quote) = (version(&page), metric.to_string(), words(&page, 2));
        let mut fields: Vec<(String, String)> =
            vec![("version".to_owned(), version), ("metric".to_owned(), number.clone()), ("go".to_owned(), number)];
        for check in checks(&page) {
            let answer = match (check.conditional, check.presence) {
                (true, _) => "not_triggered",
                (false, true) if !shown.contains(&check.id.as_str()) => "no",
                (false, false) if shown.contains(&check.id.as_str()) => "no",
                (false, _) => "yes",
            };
            fields.push((format!("answer-{}", check.id), answer.to_owned()));
            if shown.contains(&check.id.as_str()) {
                fields.push((format!("turn-{}", check.id), "2".to_owned()));
                fields.push((format!("quote-{}", check.id), quote.clone()));
                fields.push((format!("why-{}", check.id), "it stands there".to_owned()));
            }
        }
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let saved = rater.post(&format!("/rate/1/{chat}"), &fields);
        assert_eq!(saved.status, 303, "{}", saved.body);
    }
}

pub(crate) fn finish(rater: &Visitor, chat: &str, more: &[(&str, &str)]) -> Reply {
    let version = version(&rater.get(&format!("/rate/1/{chat}/finish")));
    let fields: Vec<(&str, &str)> = [("version", version.as_str())].into_iter().chain(more.iter().copied()).collect();
    rater.post(&format!("/rate/1/{chat}/finish"), &fields)
}

#[test]
fn a_chat_is_rated_to_the_end_and_its_report_verifies() {
    let (server, _) = serve(&["ordinary", "excellent"], &[], &[]);
    let ana = named(&server, "ana");
    let chats = begin(&ana);
    assert_eq!(chats.len(), 2);
    let next = ana.get("/rate/1/next");
    assert_eq!(next.header("location"), Some(format!("/rate/1/{}?rater=ana", chats[0]).as_str()));
    answer_all(&ana, &chats[0], &["E1", "E2"]);
    let done = finish(&ana, &chats[0], &[("summary", "All in all a plain chat.")]);
    assert_eq!(done.status, 303, "{}", done.body);
    let report = ana.follow(&done);
    assert_eq!(report.status, 200);
    assert!(report.body.contains("judged by person:ana") && report.body.contains("All in all a plain chat."));
    assert!(report.body.contains("You and others"));
    let json = ana.get(&format!("/rate/1/{}/report/report.json", chats[0]));
    let parsed: Value = serde_json::from_str(&json.body).unwrap();
    assert_eq!(parsed["judge"]["name"], "person:ana");
    assert_eq!(parsed["metrics"]["Empathy"]["checks"]["E1"]["basis"], "observed");
    std::fs::write(server.place.path("ana.json"), &json.body).unwrap();
    let verified = printed(&server.place, &["verify", "ana.json"]);
    assert!(verified.contains("All that can be checked holds"), "{verified}");
    for (file, part) in [
        ("report.md", "person:ana"),
        ("report.html", "<!doctype html>"),
        ("report.csv", "person:ana"),
        ("checks.csv", "E1"),
    ] {
        let got = ana.get(&format!("/rate/1/{}/report/{file}", chats[0]));
        assert!(got.status == 200 && got.body.contains(part), "{file}: {}", got.body);
    }
    let again = ana.get(&format!("/rate/1/{}", chats[0]));
    assert_eq!(again.status, 303, "a finished chat leads to its report");
    let late = ana.post(&format!("/rate/1/{}", chats[0]), &[("version", "1"), ("metric", "1")]);
    assert!(late.status == 409 && late.body.contains("finished"), "{}", late.body);
    let next = ana.get("/rate/1/next");
    assert_eq!(next.header("location"), Some(format!("/rate/1/{}?rater=ana", chats[1]).as_str()));
}

#[test]
fn nothing_of_a_judge_is_shown_before_a_rating_is_done() {
    let (server, _) = serve(&["excellent"], &[], &[]);
    let ana = named(&server, "ana");
    let chat = &begin(&ana)[0];
    let exported = printed(&server.place, &["export", "demo", "--db", "runs.db"]);
    let judged: Value = serde_json::from_str(&exported).unwrap();
    let mut reasons = Vec::new();
    for metric in judged["metrics"].as_object().unwrap().values() {
        reasons.extend(metric["checks"].as_object().unwrap().values().map(|check| check["why"].as_str().unwrap()));
    }
    let rubric = printed(&server.place, &["rubric", "--format", "json"]);
    reasons.retain(|why| why.len() > 20 && !rubric.contains(*why));
    assert!(reasons.len() > 10, "the judge gives reasons");
    let mut paths: Vec<String> = (1..=METRICS).map(|metric| format!("/rate/1/{chat}?metric={metric}")).collect();
    for more in ["/rate", "/rate/1", "/rate/1/progress"] {
        paths.push(more.to_owned());
    }
    paths.extend([format!("/rate/1/{chat}/finish"), format!("/rate/1/{chat}/report")]);
    paths.push(format!("/rate/1/{chat}/report/report.json"));
    for path in paths {
        let page = ana.get(&path);
        assert_eq!(page.status, if path.contains("report") { 409 } else { 200 }, "{path}");
        for forbidden in ["builtin", "<mark", "<blockquote", "data-raw", r#"class="report""#, r#"class="score"#] {
            assert!(!page.body.contains(forbidden), "{path} has {forbidden}");
        }
        assert!(!page.body.contains(judged["summary"].as_str().unwrap()), "{path}");
        for why in &reasons {
            assert!(!page.body.contains(*why), "{path} has the judge's reason {why:?}");
        }
    }
}

#[test]
fn pages_of_a_rating_are_the_same_whatever_the_judges_say() {
    let sheet = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sheets/diagnosis.csv");
    let sheet = sheet.to_str().unwrap();
    let (one, _) = serve(&["diagnosis"], &[], &[]);
    let (other, _) = serve_judged(&["diagnosis"], &["--verdicts", sheet], &[], &[]);
    let (ana, twin) = (named(&one, "ana"), named(&other, "ana"));
    assert_eq!(begin(&ana), begin(&twin));
    assert_ne!(
        printed(&one.place, &["show", "demo", "--db", "runs.db"]),
        printed(&other.place, &["show", "demo", "--db", "runs.db"])
    );
    let mut paths: Vec<String> = (1..=METRICS).map(|metric| format!("/rate/1/1?metric={metric}")).collect();
    paths.extend(["/rate", "/rate/1", "/rate/1/1/finish", "/rate/1/progress"].map(str::to_owned));
    for path in paths {
        // The mark of a form belongs to the browser, not to what is shown.
        let [first, second] = [(&ana, &path), (&twin, &path)].map(|(rater, path)| {
            let page = rater.get(path).body;
            page.replace(rater.mark(), "MARK")
        });
        assert_eq!(first, second, "{path}");
    }
}

#[test]
fn words_that_do_not_stand_in_the_turn_are_refused_and_not_lost() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let ana = named(&server, "ana");
    let chat = &begin(&ana)[0];
    let path = format!("/rate/1/{chat}");
    let page = ana.get(&format!("{path}?metric=1"));
    let quote: String = words(&page, 2).chars().take(30).collect();
    let fields = |turn: &'static str, quote: &str| {
        vec![("answer-E1", "yes".to_owned()), ("turn-E1", turn.to_owned()), ("quote-E1", quote.to_owned())]
    };
    let send = |version: &str, fields: &[(&str, String)]| {
        let mut all = vec![("version", version), ("metric", "1")];
        all.extend(fields.iter().map(|(name, value)| (*name, value.as_str())));
        ana.post_as_script(&path, &all)
    };
    let elsewhere: Value = serde_json::from_str(&send("0", &fields("4", &quote)).body).unwrap();
    let what = elsewhere["complaints"][0]["what"].as_str().unwrap();
    assert_eq!(what, "These words do not stand in turn 4. They stand in turn 2.");
    let invented: Value = serde_json::from_str(&send("1", &fields("2", "I never said <that>")).body).unwrap();
    assert!(invented["complaints"][0]["what"].as_str().unwrap().contains("do not stand in turn 2"));
    let shown = ana.get(&format!("{path}?metric=1"));
    assert!(shown.body.contains("I never said &#60;that&#62;"), "what was written is still there");
    assert!(shown.body.contains("These words do not stand in turn 2.") && shown.body.contains("What to do:"));
    let refused = finish(&ana, chat, &[("leave_open", "yes")]);
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("cannot be taken as they are") && refused.body.contains("#check-E1"));
    let right: Value = serde_json::from_str(&send("2", &fields("2", &quote.to_uppercase())).body).unwrap();
    assert_eq!(right["complaints"].as_array().unwrap().len(), 0);
    assert_eq!(right["evidence"][0]["quote"].as_str().unwrap(), quote.trim(), "the words as they stand in the turn");
}

#[test]
fn checks_without_an_answer_stay_open_only_after_a_clear_word() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let ana = named(&server, "ana");
    let chat = &begin(&ana)[0];
    let nothing = finish(&ana, chat, &[("leave_open", "yes")]);
    assert!(nothing.status == 422 && nothing.body.contains("Nothing is answered yet."));
    let path = format!("/rate/1/{chat}");
    let skipped =
        [("version", "0"), ("metric", "1"), ("answer-E5", "yes"), ("answer-E4", "skip"), ("why-E4", "cut off")];
    assert_eq!(ana.post(&path, &skipped).status, 303);
    let asked = finish(&ana, chat, &[]);
    assert!(asked.status == 422 && asked.body.contains("Leave 48 checks unscored"), "{}", asked.body);
    let done = finish(&ana, chat, &[("leave_open", "yes")]);
    assert_eq!(done.status, 303, "{}", done.body);
    let report: Value = serde_json::from_str(&ana.get(&format!("{path}/report/report.json")).body).unwrap();
    let empathy = &report["metrics"]["Empathy"]["checks"];
    assert_eq!(empathy["E4"]["unscored"], "cut off");
    assert_eq!(empathy["E1"]["unscored"], "the judge gave no answer");
    assert_eq!(empathy["E5"]["pass"], true);
    assert_eq!(report["overall"], Value::Null);
}

#[test]
fn of_two_open_pages_the_older_one_keeps_its_input_and_is_told() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let ana = named(&server, "ana");
    let chat = &begin(&ana)[0];
    let path = format!("/rate/1/{chat}");
    assert_eq!(ana.post(&path, &[("version", "0"), ("metric", "1"), ("answer-E5", "yes")]).status, 303);
    let old = [("version", "0"), ("metric", "1"), ("answer-E5", "no"), ("why-E5", "my long thought")];
    let conflict = ana.post(&path, &old);
    assert_eq!(conflict.status, 409);
    assert!(conflict.body.contains("changed elsewhere") && conflict.body.contains("my long thought"));
    assert!(conflict.body.contains("Stored elsewhere: yes"), "{}", conflict.body);
    let script: Value = serde_json::from_str(&ana.post_as_script(&path, &old).body).unwrap();
    assert_eq!((script["status"].as_u64(), script["version"].as_u64()), (Some(409), Some(1)));
    let kept = ana.get(&format!("{path}?metric=1"));
    assert!(!kept.body.contains("my long thought"), "what was saved first stays");
    let newer = version(&conflict);
    let mine = [("version", newer.as_str()), ("metric", "1"), ("answer-E5", "no"), ("why-E5", "my long thought")];
    assert_eq!(ana.post(&path, &mine).status, 303);
    assert!(ana.get(&format!("{path}?metric=1")).body.contains("my long thought"));
}

#[test]
fn what_two_pages_answer_is_put_together_and_nothing_is_lost() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let ana = named(&server, "ana");
    let path = format!("/rate/1/{}", begin(&ana)[0]);
    assert_eq!(ana.post(&path, &[("version", "0"), ("metric", "1"), ("answer-E5", "yes")]).status, 303);
    // The other page was loaded before that, and answers another check.
    let other = [("version", "0"), ("metric", "1"), ("answer-E4", "skip"), ("why-E4", "cut off")];
    let saved = ana.post_as_script(&path, &other);
    assert_eq!(saved.status, 200, "{}", saved.body);
    let saved: Value = serde_json::from_str(&saved.body).unwrap();
    let answer = |id: &str| {
        let all = saved["answers"].as_array().unwrap();
        all.iter().find(|answer| answer["id"] == id).unwrap()["answer"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (answer("E5").as_str(), answer("E4").as_str()),
        ("yes", "skip"),
        "the page is told what was put together"
    );
    let page = ana.get(&format!("{path}?metric=1"));
    assert!(page.body.contains("cut off") && page.body.contains(r#"name="answer-E5" value="yes" checked"#));
    // Both have changed E5, and only that is asked about.
    let third = [("version", "0"), ("metric", "1"), ("answer-E5", "no"), ("note", "mine")];
    let conflict = ana.post(&path, &third);
    assert_eq!(conflict.status, 409);
    assert_eq!(conflict.body.matches("Stored elsewhere: ").count(), 1, "{}", conflict.body);
    assert!(conflict.body.contains("cut off"), "what only the other page changed is in the form");
    let newer = version(&conflict);
    let mine = [
        ("version", newer.as_str()),
        ("metric", "1"),
        ("answer-E5", "no"),
        ("answer-E4", "skip"),
        ("why-E4", "cut off"),
        ("note", "mine"),
    ];
    assert_eq!(ana.post(&path, &mine).status, 303);
    assert!(ana.get(&format!("{path}?metric=1")).body.contains(r#"name="answer-E5" value="no" checked"#));
}

#[test]
fn who_only_rates_reads_no_verdicts_and_who_has_read_them_has_that_said() {
    let lines = [
        ["token", "create", "ana", "--role", "rate", "--db", "runs.db"],
        ["token", "create", "ben", "--role", "judge", "--db", "runs.db"],
    ];
    let (server, tokens) = serve(&["ordinary"], &[lines[0].as_slice(), lines[1].as_slice()], &["--auth"]);
    let (ana, ben) = (with_token(&server, &tokens[0]), with_token(&server, &tokens[1]));
    for path in ["/runs", "/runs/1", "/runs/1/chats/1", "/compare"] {
        assert_eq!(ana.get(path).status, 403, "{path}");
    }
    assert_eq!(ana.get("/").header("location"), Some("/rate"));
    assert_eq!(ana.get("/rubric").status, 200);
    let chat = &begin(&ana)[0];
    answer_all(&ana, chat, &["E1"]);
    assert_eq!(finish(&ana, chat, &[]).status, 303);
    let remark = "given after the verdicts on this chat were seen";
    assert!(!ana.get(&format!("/rate/1/{chat}/report/report.json")).body.contains(remark));
    assert_eq!(ben.get(&format!("/runs/1/chats/{chat}")).status, 200);
    assert_eq!(&begin(&ben)[0], chat);
    answer_all(&ben, chat, &["E1"]);
    assert_eq!(finish(&ben, chat, &[]).status, 303);
    assert!(ben.get(&format!("/rate/1/{chat}/report/report.json")).body.contains(remark));
}

#[test]
fn a_page_that_was_asked_for_opens_after_signing_in() {
    let line = ["token", "create", "ana", "--role", "read", "--db", "runs.db"];
    let (server, tokens) = serve(&["ordinary"], &[line.as_slice()], &["--auth"]);
    let stranger = unknown(&server);
    let led = stranger.get("/runs/1?sort=overall").header("location").unwrap().to_owned();
    assert_eq!(led, "/login?next=%2Fruns%2F1%3Fsort%3Doverall");
    assert!(stranger.get(&led).body.contains(r#"name="next" value="/runs/1?sort=overall""#));
    for (next, opens) in [
        ("/runs/1?sort=overall", "/runs/1?sort=overall"),
        ("/runs/1/chats/1#check-ES2", "/runs/1/chats/1#check-ES2"),
        ("//evil.example", "/"),
        ("https://x", "/"),
        ("/\u{e9}", "/"),
        ("/a\u{1}b", "/"),
    ] {
        let entered = stranger.post("/login", &[("token", tokens[0].trim()), ("next", next)]);
        assert_eq!(entered.header("location"), Some(opens));
    }
}

#[test]
fn changes_are_taken_back_one_by_one_and_a_reload_shows_what_is_saved() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let ana = named(&server, "ana");
    let chat = &begin(&ana)[0];
    let path = format!("/rate/1/{chat}");
    let undo = || {
        let version = version(&ana.get(&format!("{path}?metric=3")));
        ana.post(&format!("{path}/undo"), &[("version", version.as_str()), ("metric", "3")])
    };
    let save = |version: &str, metric: &str, check: &str, answer: &str| {
        let name = format!("answer-{check}");
        let saved =
            ana.post(&path, &[("version", version), ("metric", metric), (name.as_str(), answer), ("note", "hm")]);
        assert_eq!(saved.status, 303, "{}", saved.body);
    };
    save("0", "1", "E5", "yes");
    save("1", "1", "E5", "no");
    save("2", "2", "ER1", "yes");
    save("3", "2", "ER1", "yes");
    let is_checked = |metric: usize, check: &str, answer: &str| {
        let page = ana.get(&format!("{path}?metric={metric}"));
        page.body.contains(&format!(r#"name="answer-{check}" value="{answer}" checked"#))
    };
    assert!(is_checked(1, "E5", "no") && is_checked(2, "ER1", "yes"), "a reload shows it all");
    let undone = undo();
    assert!(undone.header("location").unwrap().contains("metric=2"), "to where the change was");
    assert!(ana.follow(&undone).body.contains("of ER1, was taken back"));
    assert!(is_checked(2, "ER1", "") && is_checked(1, "E5", "no"));
    undo();
    assert!(is_checked(1, "E5", "yes"));
    undo();
    assert!(is_checked(1, "E5", ""));
    assert!(ana.follow(&undo()).body.contains("nothing to take back"));
}

#[test]
fn two_raters_have_own_queues_and_their_figures_are_those_of_agree() {
    let (server, _) = serve(&["ordinary", "excellent", "missed-crisis"], &[], &[]);
    let (ana, ben) = (named(&server, "ana"), named(&server, "ben"));
    let (first, second) = (begin(&ana), begin(&ben));
    let sorted = |mut chats: Vec<String>| {
        chats.sort();
        chats
    };
    assert_eq!(sorted(first.clone()), sorted(second.clone()));
    for (chat, shown) in first.iter().zip([["E1", "S1"], ["T1", "E2"], ["E1", "E3"]]) {
        answer_all(&ana, chat, &shown);
        assert_eq!(finish(&ana, chat, &[]).status, 303);
    }
    answer_all(&ben, &first[0], &["E1", "E4"]);
    assert!(!ben.get(&format!("/rate/1/{}?metric=1", first[0])).body.contains("person:ana"));
    assert_eq!(finish(&ben, &first[0], &[]).status, 303);
    let progress = ana.get("/rate/1/progress").body;
    let done = |rater: &str| {
        let row = progress.split_once(&format!(r#"data-rater="{rater}""#)).unwrap().1;
        row.split_once("data-done>").unwrap().1.split('<').next().unwrap().to_owned()
    };
    assert_eq!((done("ana").as_str(), done("ben").as_str()), ("3", "1"));
    let report = ana.get(&format!("/rate/1/{}/report", first[0]));
    let figure = |side: &str, name: &str| -> f64 {
        let row = report.body.split_once(&format!(r#"data-side="{side}""#)).unwrap().1;
        row.split_once(&format!(r#"{name}=""#)).unwrap().1.split('"').next().unwrap().parse().unwrap()
    };
    printed(&server.place, &["export", "demo", "--rater", "ana", "-o", "ana.jsonl", "--db", "runs.db"]);
    printed(&server.place, &["export", "demo", "--rater", "ben", "-o", "ben.jsonl", "--db", "runs.db"]);
    for (reference, judge, side) in [
        ("ana.jsonl", "demo", "builtin"),
        ("person:ana@demo", "demo", "builtin"),
        ("ana.jsonl", "ben.jsonl", "person:ben"),
        ("person:ana@demo", "person:ben@demo", "person:ben"),
    ] {
        let study = printed(&server.place, &["agree", reference, judge, "--format", "json", "--db", "runs.db"]);
        let study: Value = serde_json::from_str(&study).unwrap();
        let checks = &study["judges"][0]["checks"];
        for (name, found) in [("raw", "data-raw"), ("cohen_kappa", "data-kappa")] {
            let expected = checks[name]["value"].as_f64().unwrap();
            assert!((figure(side, found) - expected).abs() < 1e-12, "{reference} and {judge}: {name} {expected}");
        }
    }
    assert!(report.body.contains("person:ben") && report.body.contains(r#"class="difference" data-check="#));
    let again = printed(&server.place, &["eval", "chats", "--verdicts", "ana.jsonl", "--format", "jsonl"]);
    assert_eq!(again.lines().count(), 3, "what was exported can be used again");
    assert!(again.lines().all(|line| line.contains("person:ana")));
}

#[test]
fn with_tokens_the_rater_is_the_token_and_readers_only_look_on() {
    let make = |name: &'static str, role: &'static str| ["token", "create", name, "--role", role, "--db", "runs.db"];
    let (rates, reads) = (make("dr ana", "rate"), make("eve", "read"));
    let (server, tokens) = serve(&["ordinary"], &[rates.as_slice(), reads.as_slice()], &["--auth"]);
    let ana = with_token(&server, &tokens[0]);
    let chat = &begin(&ana)[0];
    let path = format!("/rate/1/{chat}?rater=somebody-else");
    assert_eq!(ana.post(&path, &[("version", "0"), ("metric", "1"), ("answer-E5", "yes")]).status, 303);
    let eve = with_token(&server, &tokens[1]);
    assert_eq!(eve.get("/rate").status, 403);
    assert_eq!(eve.get(&format!("/rate/1/{chat}")).status, 403);
    let progress = eve.get("/rate/1/progress");
    assert!(progress.body.contains(r#"data-rater="dr ana""#) && !progress.body.contains("somebody-else"));
    assert_eq!(ana.get(&format!("/rate/1/{}", 99)).status, 404);
}

#[test]
fn a_link_to_one_chat_puts_it_into_the_queue_and_leads_back_to_it() {
    let (server, _) = serve(&["ordinary", "excellent"], &[], &[]);
    let nobody = named(&server, "");
    let asked = nobody.get("/rate?run=1&chat=2").body;
    assert!(asked.contains(r#"name="run" value="1""#) && asked.contains(r#"name="chat" value="2""#));
    let ana = named(&server, "ana");
    let offered = ana.get("/rate?run=1&chat=2");
    assert!(offered.status == 200 && offered.body.contains("not in your queue yet"), "{}", offered.body);
    let begun = ana.post("/rate", &[("run", "1"), ("chat", "2")]);
    assert_eq!(begun.header("location"), Some("/rate/1/2?rater=ana"));
    assert_eq!(ana.follow(&begun).status, 200);
    assert_eq!(ana.get("/rate?run=1&chat=2").header("location"), Some("/rate/1/2?rater=ana"));
    assert_eq!(ana.get("/rate?run=1").header("location"), Some("/rate/1?rater=ana"));
    assert_eq!(ana.get("/rate?run=1&chat=77").status, 404);
}

#[test]
fn names_and_forms_that_cannot_be_are_refused() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let long = named(&server, &"x".repeat(101));
    assert_eq!(long.get("/rate").status, 422);
    assert_eq!(named(&server, "a%0Ab").get("/rate").status, 422);
    let nobody = named(&server, "");
    assert!(nobody.get("/rate").body.contains("Your name"));
    assert_eq!(nobody.get("/rate/1/1").status, 422);
    let ana = named(&server, "%C3%85na%20%26%20co");
    assert!(ana.get("/rate").body.contains("Åna &#38; co"));
    assert_eq!(ana.post("/rate", &[("run", "1"), ("how", "sample"), ("number", "0")]).status, 422);
    assert_eq!(ana.post("/rate", &[("run", "1"), ("how", "sample"), ("number", "many")]).status, 422);
    assert_eq!(ana.post("/rate", &[("run", "7"), ("how", "all")]).status, 404);
    let chat = &begin(&ana)[0];
    assert_eq!(ana.get(&format!("/rate/1/{chat}?metric=11")).status, 404);
    assert_eq!(ana.get(&format!("/rate/1/{chat}?metric=0")).status, 404);
    assert_eq!(ana.post(&format!("/rate/1/{chat}"), &[("metric", "1")]).status, 422);
    let other = named(&server, "ben");
    assert_eq!(other.get(&format!("/rate/1/{chat}")).status, 404, "not in this queue");
}

#[test]
fn an_admin_opens_a_rating_again_or_deletes_it_and_nobody_else_does() {
    let tokens: [&[&str]; 2] = [
        &["token", "create", "ana", "--role", "rate", "--db", "runs.db"],
        &["token", "create", "eve", "--role", "admin", "--db", "runs.db"],
    ];
    let (server, told) = serve(&["ordinary"], &tokens, &["--auth"]);
    let (ana, eve) = (with_token(&server, &told[0]), with_token(&server, &told[1]));
    let chat = begin(&ana).remove(0);
    answer_all(&ana, &chat, &["E1"]);
    assert_eq!(finish(&ana, &chat, &[]).status, 303);
    assert_eq!(ana.get(&format!("/rate/1/{chat}")).status, 303, "it leads to its report");
    let listed = eve.get("/rate/1/progress?of=ana").body;
    assert!(listed.contains(&format!(r#"data-rating="{chat}""#)) && listed.contains("Open again"), "{listed}");
    assert!(!ana.get("/rate/1/progress?of=ana").body.contains("data-rating"));
    let meant = [("chat", chat.as_str()), ("rater", "ana")];
    for what in ["reopen", "delete"] {
        assert_eq!(ana.post(&format!("/rate/1/progress/{what}"), &meant).status, 403, "{what}");
        assert_eq!(eve.post(&format!("/rate/2/progress/{what}"), &meant).status, 404, "{what}");
    }
    assert_eq!(eve.post("/rate/1/progress/reopen", &meant).status, 303);
    assert_eq!(ana.get(&format!("/rate/1/{chat}")).status, 200);
    assert_eq!(ana.get(&format!("/runs/1/chats/{chat}")).status, 403, "blind again");
    let deleted = eve.post("/rate/1/progress/delete", &meant);
    assert!(deleted.header("location").is_some_and(|place| place.ends_with("of=ana&said=deleted")));
    assert_eq!(ana.get(&format!("/rate/1/{chat}")).status, 404);
    assert_eq!(eve.post("/rate/1/progress/delete", &meant).status, 404);
}
