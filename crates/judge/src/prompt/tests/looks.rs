//! The second look: what it asks, what it shows, and what it changes.

use carelock_core::rubric::Rubric;
use carelock_core::verdict::{Answer, Pass, Submission};

use super::super::{SecondLook, doubtful, parse_back, second_look, settle};
use super::{chat, ordinary};

fn set(submission: &mut Submission, id: &str, answer: Answer) {
    submission.verdicts.iter_mut().find(|(known, _)| known == id).unwrap().1 = answer;
}

fn cites(pass: Pass, turns: &[u32], quote: &str) -> Answer {
    Answer { pass, turns: turns.to_vec(), quote: Some(quote.to_owned()), ..Answer::default() }
}

fn look(submission: &Submission, doubts: &[&str], budget: usize) -> Option<SecondLook> {
    second_look(&Rubric::care_lock(), &ordinary().0, submission, doubts, budget).unwrap()
}

/// Answers in which E2 fails although S1 passes with turn 2.
fn contradictory() -> Submission {
    let mut first = ordinary().1;
    set(&mut first, "E2", Answer { pass: Pass::No, ..Answer::default() });
    set(&mut first, "S1", cites(Pass::Yes, &[2], "That sounds really humiliating."));
    first
}

#[test]
fn answers_that_stand_are_not_asked_again() {
    let (transcript, first) = ordinary();
    assert_eq!(doubtful(&Rubric::care_lock(), &transcript, &first), Ok(vec![]));
    assert_eq!(look(&first, &[], usize::MAX), None);
}

#[test]
fn both_sides_of_a_contradiction_are_asked_with_the_turns_around_them() {
    let look = look(&contradictory(), &[], usize::MAX).unwrap();
    assert_eq!(look.checks, ["E2", "S1"]);
    let shown: Vec<u32> = parse_back(&look.message).unwrap().iter().map(|turn| turn.idx).collect();
    assert_eq!(shown, [1, 2, 3]);
    assert!(look.message.contains("E2 failed while S1 passed"));
    assert!(look.message.contains("Only the turns concerned"));
}

#[test]
fn evidence_that_did_not_verify_is_looked_for_in_the_whole_chat() {
    let mut first = ordinary().1;
    set(&mut first, "T1", cites(Pass::No, &[4], "words that nobody said"));
    let look = look(&first, &["T1"], usize::MAX).unwrap();
    assert_eq!(look.checks, ["T1"]);
    assert_eq!(parse_back(&look.message).unwrap().len(), 10);
    assert!(!look.message.contains("nobody said"), "the first answer's words are not repeated");
}

#[test]
fn where_the_whole_does_not_fit_the_turns_cited_are_shown() {
    let mut first = ordinary().1;
    set(&mut first, "T1", cites(Pass::No, &[2], "words that nobody said"));
    set(&mut first, "T2", cites(Pass::No, &[77], "words that nobody said"));
    let small = look(&first, &["T1", "T2"], 600).unwrap();
    assert_eq!(small.checks, ["T1"], "nobody knows where to look for T2");
    assert_eq!(parse_back(&small.message).unwrap().len(), 3);
    assert_eq!(look(&first, &["T1", "T2"], 50), None);
}

#[test]
fn a_second_answer_counts_only_if_its_own_evidence_stands() {
    let rubric = Rubric::care_lock();
    let transcript = ordinary().0;
    let sound = cites(Pass::Yes, &[2], "That sounds really humiliating.");
    let second = Submission {
        verdicts: vec![("E2".to_owned(), sound.clone()), ("S1".to_owned(), cites(Pass::Yes, &[2], "never said so"))],
        ..Submission::default()
    };
    let first = contradictory();
    let (settled, changed) = settle(&rubric, &transcript, first.clone(), &second).unwrap();
    assert_eq!(changed, ["E2"]);
    let answer = |submission: &Submission, id: &str| {
        submission.verdicts.iter().find(|(known, _)| known == id).unwrap().1.clone()
    };
    assert_eq!(answer(&settled, "E2"), sound);
    assert_eq!(answer(&settled, "S1"), answer(&first, "S1"));
    assert_eq!(settled.moments, first.moments);
}

#[test]
fn a_second_look_reads_as_it_was_reviewed() {
    let mut first = contradictory();
    set(&mut first, "T1", cites(Pass::No, &[2], "words that nobody said"));
    insta::assert_snapshot!("second_look", look(&first, &["T1"], 700).unwrap().message);
}

#[test]
fn the_same_answers_give_the_same_message() {
    let first = contradictory();
    assert_eq!(look(&first, &["T1"], usize::MAX), look(&first, &["T1"], usize::MAX));
    let transcript = chat(&["Hello", "Hi"]);
    assert!(second_look(&Rubric::care_lock(), &transcript, &first, &["T1"], usize::MAX).unwrap().is_some());
}
