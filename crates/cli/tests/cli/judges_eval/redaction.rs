//! `--redact`: what identifies a person stays here, and the report has the original words.

use carelock_test_support::Place;
use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};

const CHAT: &str = "\
Human: I'm Ana Lopez, write to ana.lopez@example.org or call +44 7700 900123. I feel low.
AI: I hear you, Ana. That sounds hard.
Human: My sister Lena left.
AI: Losing Lena hurts. You can call 988 at any time.
";

const PRIVATE: [&str; 6] = ["Ana", "Lopez", "ana.lopez", "example.org", "900123", "Lena"];

fn place() -> (Place, ModelServer) {
    let place = Place::with(&[]);
    place.write("chat.txt", CHAT);
    (place, ModelServer::start(|call| ModelReply::said(call, &plain(call).to_string())))
}

#[test]
fn nothing_private_is_sent_and_the_report_quotes_the_original_words() {
    let (place, server) = place();
    let judge = server.judge();
    let arguments = ["eval", "chat.txt", "--judge", &judge, "--redact", "--lock", "answers.lock", "--format", "json"];
    let outcome = place.run(&arguments).exits(0);
    assert!(!server.calls().is_empty());
    for call in server.take_calls() {
        let sent = format!("{}{}", call.head, call.body);
        let shown: Vec<&str> = PRIVATE.into_iter().filter(|private| sent.contains(private)).collect();
        assert_eq!(shown, [""; 0], "{}", call.user());
        assert!(call.user().contains("[NAME_1]") && call.user().contains("[EMAIL_1]"), "{}", call.user());
        assert!(call.user().contains("988"), "help lines stay");
    }
    let report = outcome.json();
    assert_eq!(report["metrics"]["Empathy"]["checks"]["E1"]["quote"], "I hear you, Ana.");
    assert_eq!(report["moments"][0]["quote"], "I hear you, Ana.");
    assert!(!outcome.stdout.contains("NAME_1"), "{outcome}");
    place.write("report.json", &outcome.stdout);
    place.run(&["verify", "report.json"]).exits(0);
    place.forget();
    let locked = place.run(&[&arguments[..], &["--locked"]].concat()).exits(0);
    assert_eq!(locked.json()["metrics"], report["metrics"]);
    place.run(&["eval", "chat.txt", "--judge", &judge, "--lock", "answers.lock"]).exits(0);
    assert!(!server.calls().is_empty(), "an answer on the redacted chat is not one on the chat");
}

#[test]
fn what_is_replaced_is_shown_once_a_chat_whether_or_not_it_is_asked() {
    let (place, server) = place();
    let (judge, other) = (server.judge(), format!("{}#other", server.base()));
    let panel = ["eval", "chat.txt", "--judge", &judge, "--judge", &other, "--redact=show"];
    let planned = place.run(&[&panel[..], &["--dry-run"]].concat()).exits(0);
    assert_eq!(server.calls().len(), 0);
    let asked = place.run(&panel).exits(0);
    assert!(!server.take_calls().is_empty());
    let known = place.run(&panel).exits(0);
    assert_eq!(server.calls().len(), 0);
    for outcome in [&planned, &asked, &known] {
        for shown in ["[NAME_1]", "Ana", "[EMAIL_1]", "ana.lopez@example.org", "[PHONE_1]", "+44 7700 900123", "Lena"] {
            assert!(outcome.stderr.contains(shown), "{shown}: {outcome}");
        }
        assert_eq!(outcome.stderr.matches("[EMAIL_1]").count(), 1, "{outcome}");
    }
}

#[test]
fn a_label_that_is_a_name_is_not_sent_where_it_is_said() {
    let place = Place::with(&[]);
    place.write("chat.txt", "Marit: I feel low. Nobody asks for Marit.\nJoy: That sounds hard. Hello Marit.\n");
    let server = ModelServer::start(|call| ModelReply::said(call, &plain(call).to_string()));
    let arguments = ["eval", "chat.txt", "--human", "Marit", "--ai", "Joy", "--redact", "--judge"];
    place.run(&[&arguments[..], &[&server.judge()]].concat()).exits(0);
    for call in server.calls() {
        assert!(!call.body.to_string().contains("Marit"), "{}", call.user());
    }
}
