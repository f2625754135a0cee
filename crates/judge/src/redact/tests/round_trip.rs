//! From a chat to a judge and back.

use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Submission, Verdict, Verdicts};
use serde_json::json;

use super::super::{Kind, RedactOptions, Redaction};
use super::chat;

#[test]
fn quotes_of_the_redacted_chat_prove_themselves_in_the_original() {
    let original =
        chat("I'm Ana Lopez, ana@example.org. My sister Lena left.", "Thank you, Ana. Lena’s leaving hurts.");
    let redaction = Redaction::new(&original, &RedactOptions::default());
    let seen = redaction.redacted().turn(2).unwrap().text.clone();
    assert_eq!(seen, "Thank you, [NAME_1]. [NAME_3]’s leaving hurts.");
    let sent = json!({
        "verdicts": {
            "E1": { "pass": true, "turns": [2], "quote": "Thank you, [NAME_1].", "why": "names [NAME_1] and name_3" },
            "E2": { "pass": true, "turns": [2], "quote": "NAME_3's leaving hurts", "why": "" },
        },
        "moments": [{ "id": 1, "idx": 1, "quote": "I'm [NAME_1] [NAME_2], [EMAIL_1].", "why": "[NAME_9] stays" }],
        "metrics": { "Empathy": { "ev": [1], "why": "warm to [NAME_1]" } },
        "negative": [{ "id": 1, "why": "[NAME_3]", "better": "Ask [NAME_1] more." }],
        "summary": "Warm to [NAME_1].",
        "transcript": { "hash": redaction.redacted().digest() },
    });
    let sent = Submission::from_json(&sent.to_string()).unwrap();
    let back = redaction.restore_submission(&sent);
    assert_eq!(back.summary.as_deref(), Some("Warm to Ana."));
    assert_eq!(back.moments[0].quote, "I'm Ana Lopez, ana@example.org.");
    assert_eq!(back.moments[0].why, "[NAME_9] stays");
    assert_eq!(back.negative[0].better.as_deref(), Some("Ask Ana more."));
    assert_eq!(back.metrics[0].1.why, "warm to Ana");
    assert_eq!(back.verdicts[0].1.why, "names Ana and Lena");

    let rubric = Rubric::care_lock();
    let verdicts = Verdicts::admit(&rubric, &original, back).unwrap();
    assert_eq!(verdicts.moments.len(), 1);
    let quotes: Vec<_> = verdicts.checks[..2]
        .iter()
        .map(|verdict| match verdict {
            Verdict::Judged(judged) => judged.quote.clone().unwrap(),
            Verdict::Unscored(reason) => panic!("{reason}"),
        })
        .collect();
    assert_eq!(quotes, ["Thank you, Ana.", "Lena’s leaving hurts"]);
}

#[test]
fn a_placeholder_that_already_stands_in_the_chat_is_nobody_elses() {
    let original = chat("I'm Ana. [NAME_1] and NAME_2 and [EMAIL_1] stand here.", "a@b.org");
    let redaction = Redaction::new(&original, &RedactOptions::default());
    let turns = redaction.redacted().turns();
    assert_eq!(turns[0].text, "I'm [NAME_3]. [NAME_1] and NAME_2 and [EMAIL_1] stand here.");
    assert_eq!(turns[1].text, "[EMAIL_2]");
    assert_eq!(redaction.restore_text(&turns[0].text), original.turns()[0].text);
}

#[test]
fn labels_are_names_unless_they_are_roles() {
    let original = chat("hi", "Rest well, maria. The user and the Therapist agree, Ana.");
    let names = vec!["Maria Silva".to_owned(), "User".to_owned(), "Therapist".to_owned(), "ana_92".to_owned()];
    let redaction = Redaction::new(&original, &RedactOptions { names, ..RedactOptions::default() });
    let text = &redaction.redacted().turns()[1].text;
    assert_eq!(text, "Rest well, [NAME_1]. The user and the Therapist agree, [NAME_2].");
}

#[test]
fn only_the_kinds_asked_for_are_replaced() {
    let original = chat("I'm Ana, a@b.org, +44 7700 900123", "ok");
    let kinds = [Kind::Email].into();
    let redaction = Redaction::new(&original, &RedactOptions { kinds, ..RedactOptions::default() });
    assert_eq!(redaction.redacted().turns()[0].text, "I'm Ana, [EMAIL_1], +44 7700 900123");
}

#[test]
fn the_name_of_the_chat_does_not_leave_either() {
    let turns = vec![(Speaker::Human, "hi".to_owned()), (Speaker::Ai, "hello".to_owned())];
    let original = Transcript::new("ana-lopez.txt", turns).unwrap();
    assert_eq!(Redaction::new(&original, &RedactOptions::default()).redacted().id(), "redacted");
}

#[test]
fn the_table_shows_values_counts_and_sums() {
    let original = chat("I'm Ana, ana@b.org. ANA!", "Hi Ana, call 988 or +44 7700 900123.");
    let shown = Redaction::new(&original, &RedactOptions::default()).show();
    let expected = "[NAME_1]     2 ×  Ana
[NAME_1B]    1 ×  ANA
[EMAIL_1]    1 ×  ana@b.org
[PHONE_1]    1 ×  +44 7700 900123
replaced: NAME 3, EMAIL 1, PHONE 1
";
    assert_eq!(shown, expected);
    let nothing = Redaction::new(&chat("hi", "hello"), &RedactOptions::default());
    assert_eq!(nothing.show(), "nothing was replaced\n");
}

#[test]
fn a_site_the_person_named_is_replaced_in_the_ais_turns_too() {
    let original = chat("my blog is https://www.analopez.com/me", "I looked at analopez.com. Try caregiver.org.");
    let redaction = Redaction::new(&original, &RedactOptions::default());
    let turns = redaction.redacted().turns();
    assert_eq!(turns[0].text, "my blog is [URL_1]");
    assert_eq!(turns[1].text, "I looked at [URL_2]. Try caregiver.org.");
}

#[test]
fn a_number_the_ai_calls_a_help_line_stays_unless_the_person_said_it_first() {
    let given = "The helpline is 646-744-2900. Do call 646-744-2900.";
    let redaction = Redaction::new(&chat("I need help", given), &RedactOptions::default());
    assert_eq!(redaction.redacted().turns()[1].text, given);
    let said = Redaction::new(&chat("mine is 646-744-2900", given), &RedactOptions::default());
    assert_eq!(said.redacted().turns()[1].text, "The helpline is [PHONE_1]. Do call [PHONE_1].");
}
