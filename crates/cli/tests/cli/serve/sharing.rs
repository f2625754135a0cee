//! Chats given to several raters, how far they agree, and the chats on which they do not.

use super::rate::{answer_all, begin, finish};
use super::rating::{named, printed, serve, with_token};
use super::site::values;

const CHATS: [&str; 4] = ["ordinary", "excellent", "diagnosis", "pressure"];

#[test]
fn chats_are_given_to_raters_so_that_each_has_as_many_as_wanted() {
    let (server, _) = serve(&CHATS, &[], &[]);
    let admin = named(&server, "admin");
    let fields = [("raters", "ana\nben, cara"), ("overlap", "2"), ("number", ""), ("seed", "1")];
    let given = admin.post("/rate/1/assign", &fields);
    assert_eq!((given.status, given.header("location")), (303, Some("/rate/1/progress?said=assigned")));
    let page = admin.get("/rate/1/progress").body;
    let waiting: usize = ["ana", "ben", "cara"]
        .map(|rater| named(&server, rater).get("/rate/1").body.matches("data-chat=\"").count())
        .iter()
        .sum();
    assert_eq!((values(&page, "data-rater").len(), waiting), (3, 2 * CHATS.len()), "{page}");
    for wrong in [("overlap", "4"), ("overlap", "0"), ("overlap", "two"), ("raters", " ,"), ("number", "-1")] {
        let fields = fields.map(|field| if field.0 == wrong.0 { wrong } else { field });
        assert_eq!(admin.post("/rate/1/assign", &fields).status, 422, "{wrong:?}");
    }
    assert_eq!(server.send("POST", "/rate/1/assign", &[], b"raters=x&overlap=1").status, 403);
}

#[test]
fn raters_who_differ_are_seen_and_a_third_one_takes_their_chats_on() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let (ana, ben, cara) = (named(&server, "ana"), named(&server, "ben"), named(&server, "cara"));
    for (rater, shown) in [(&ana, &["E1", "ES1"][..]), (&ben, &["E1", "E2"])] {
        let chat = begin(rater)[0].clone();
        answer_all(rater, &chat, shown);
        assert_eq!(finish(rater, &chat, &[]).status, 303);
    }
    let page = ana.get("/rate/1/agreement").body;
    assert_eq!(values(&page, "data-pair"), ["person:ana builtin", "person:ana person:ben", "person:ben builtin"]);
    let list = page.split("id=\"disputed\"").nth(1).expect("a list");
    assert!(list.contains("ES1") && list.contains("E2") && !list.contains(">E1 "), "{list}");
    assert!(list.find("ES1").unwrap() < list.find("E2 ").unwrap(), "gate checks first: {list}");
    assert!(!list.contains(">most say"), "one against one");
    let taken = cara.post("/rate/1/disputed", &[("rater", "cara")]);
    assert_eq!((taken.status, taken.header("location")), (303, Some("/rate/1?rater=cara")));
    let queue = cara.follow(&taken);
    assert_eq!(queue.body.matches("data-chat=\"").count(), 1, "{}", queue.body);
    let chat = begin(&cara)[0].clone();
    answer_all(&cara, &chat, &["E1", "E2"]);
    assert_eq!(finish(&cara, &chat, &[]).status, 303);
    let list = ana.get("/rate/1/agreement").body;
    assert!(list.contains(">most say met") && list.contains("met for <bdi>ben, cara</bdi>"), "{list}");
}

#[test]
fn what_raters_differ_on_is_settled_kept_shown_and_exported() {
    let (server, _) = serve(&["ordinary"], &[], &[]);
    let (ana, ben, cara) = (named(&server, "ana"), named(&server, "ben"), named(&server, "cara"));
    for (rater, shown) in [(&ana, &["E1", "ES1"][..]), (&ben, &["E1", "E2"])] {
        let chat = begin(rater)[0].clone();
        answer_all(rater, &chat, shown);
        assert_eq!(finish(rater, &chat, &[]).status, 303);
    }
    let path = "/rate/1/1/settle";
    let page = cara.get(path).body;
    assert_eq!(values(&page, "data-check"), ["ES1", "E2"], "gate checks first: {page}");
    assert!(page.contains("<strong>ana</strong>: no, turn 2, “"), "the answers with their evidence: {page}");
    let half = cara.post(path, &[("stands-ES1", "ben"), ("rater", "cara")]);
    assert!(half.status == 422 && half.body.contains("E2"), "{} {}", half.status, half.body);
    assert_ne!(cara.post(path, &[("stands-ES1", "nobody"), ("stands-E2", "ben"), ("rater", "cara")]).status, 303);
    let fields = [("stands-ES1", "ben"), ("stands-E2", "ben"), ("rater", "cara")];
    assert_eq!(cara.post(path, &fields).header("location"), Some("/rate/1/agreement#disputed"));
    let page = ana.get("/rate/1/agreement").body;
    assert!(page.contains("settled by cara: E2 as ben, ES1 as ben"), "{page}");
    assert_eq!(page.matches("settled: met").count(), 2, "{page}");
    assert!(
        values(&page, "data-pair").iter().any(|pair| pair == "person:settled builtin"),
        "judges are measured against it: {page}"
    );
    printed(&server.place, &["export", "demo", "--rater", "settled", "-o", "settled.jsonl", "--db", "runs.db"]);
    let report: serde_json::Value = serde_json::from_str(&server.place.read("settled.jsonl")).unwrap();
    assert_eq!(report["metrics"]["Empathy"]["checks"]["E2"]["pass"], true, "{report}");
    assert_eq!((&report["gates"], &report["judge"]["name"]), (&serde_json::json!([]), &"person:settled".into()));
    // Deciding again replaces it.
    let fields = [("stands-ES1", "ana"), ("stands-E2", "ana"), ("rater", "cara")];
    assert_eq!(cara.post(path, &fields).status, 303);
    let page = ana.get("/rate/1/agreement").body;
    assert_eq!((page.matches("settled: not met").count(), page.matches("settled: met").count()), (2, 0), "{page}");
    assert_ne!(named(&server, "settled").get("/rate").status, 200, "nobody rates under this name");
}

#[test]
fn agreement_is_not_shown_to_who_still_has_to_rate() {
    let token = ["token", "create", "ben", "--role", "judge", "--db", "runs.db"];
    let (server, told) = serve(&["ordinary"], &[&token], &["--auth"]);
    let ben = with_token(&server, &told[0]);
    assert_eq!(ben.get("/rate/1/agreement").status, 200);
    begin(&ben);
    assert_eq!(ben.get("/rate/1/agreement").status, 403);
}
