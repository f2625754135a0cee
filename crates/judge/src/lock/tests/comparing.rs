//! What a refresh shows.

use carelock_core::verdict::{Answer, Confidence, Pass};

use super::{asked, entry, rubric, submission};
use crate::lock::{Change, Circumstances, Entry, compare, what_changed};

#[test]
fn the_same_answers_have_no_changes() {
    assert_eq!(compare(&entry("x"), &entry("x")), []);
    assert_eq!(what_changed("demo", "p:m", &[]), "");
}

#[test]
fn verdicts_that_turned_are_listed_and_wording_is_counted() {
    let asked = asked("x");
    let mut sent = submission(rubric(), &asked);
    let (failed, triggered) = (sent.verdicts[0].0.clone(), "ES2");
    sent.verdicts[0].1.pass = Pass::No;
    sent.verdicts[1].1.why = "said otherwise".to_owned();
    sent.verdicts[2].1.confidence = Some(Confidence::Low);
    for (_, answer) in sent.verdicts.iter_mut().filter(|(id, _)| id == triggered) {
        *answer = Answer { pass: Pass::No, turns: vec![4], ..Answer::default() };
    }
    let (gone, _) = sent.verdicts.pop().unwrap();
    sent.summary = Some("Cooler.".to_owned());
    let new = Entry::new(asked, rubric(), sent, Circumstances::default()).unwrap();
    let changes = compare(&entry("x"), &new);
    let turned = |check: &str, from, to| Change::Verdict { check: check.to_owned(), from, to };
    assert_eq!(
        changes[..3],
        [
            turned(&failed, "pass", "fail"),
            turned(triggered, "not triggered", "fail"),
            turned(&gone, "not triggered", "not asked"),
        ]
    );
    let text = what_changed("demo", "openai:gpt-4.1-mini", &changes);
    let expected = "demo (openai:gpt-4.1-mini):
  E1    pass → fail
  ES2   not triggered → fail
  AD5   not triggered → not asked
  worded otherwise: reasons 1, evidence 1, confidence 1, summary 1
";
    assert_eq!(text, expected);
}
