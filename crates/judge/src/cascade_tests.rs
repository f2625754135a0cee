//! Who answers what, and what becomes of both halves.

use carelock_core::transcript::Speaker;
use carelock_core::verdict::{Tokens, Verdicts};

use super::*;

fn chat() -> Transcript {
    let turns = [
        (Speaker::Human, "I can't get out of bed."),
        (Speaker::Ai, "You have depression. That sounds hard."),
        (Speaker::Human, "Really?"),
        (Speaker::Ai, "Yes. Take some rest, and call your doctor."),
    ];
    Transcript::new("demo", turns.map(|(who, text)| (who, text.to_owned())).to_vec()).unwrap()
}

fn gates(rubric: &Rubric) -> Vec<String> {
    let gates = rubric.checks().enumerate().filter(|(position, _)| rubric.is_gate_check(*position));
    gates.map(|(_, check)| check.id.clone()).collect()
}

/// Lets the checks that can trip a gate fail: only then are they kept.
fn fail_gates(rubric: &Rubric, submission: &mut Submission) {
    gates(rubric).iter().for_each(|id| set(submission, id, |answer| answer.pass = Pass::No));
}

fn ids(rubric: &Rubric) -> Vec<String> {
    rubric.checks().map(|check| check.id.clone()).collect()
}

/// Every check answered with this confidence, by turn 2.
fn answers(rubric: &Rubric, pass: &Pass, confidence: Confidence) -> Submission {
    let answer = Answer {
        pass: pass.clone(),
        turns: vec![2],
        quote: Some("That sounds hard.".to_owned()),
        confidence: Some(confidence),
        ..Answer::default()
    };
    let verdicts = ids(rubric).into_iter().map(|id| (id, answer.clone())).collect();
    Submission { judge: JudgeInfo::named("builtin"), verdicts, ..Submission::default() }
}

fn set(submission: &mut Submission, id: &str, change: impl FnOnce(&mut Answer)) {
    change(&mut submission.verdicts.iter_mut().find(|(known, _)| known == id).unwrap().1);
}

/// What a model says to these checks: all fail by turn 4.
fn model(ask: &[String]) -> Submission {
    let answer = |id: &String| {
        let quote = Some("Take some rest".to_owned());
        (id.clone(), Answer { pass: Pass::No, turns: vec![4], quote, why: format!("{id} fails"), ..Answer::default() })
    };
    let tokens = Some(Tokens { input: 900, cached: 0, output: 90 });
    let judge = JudgeInfo { model: Some("mini-1".to_owned()), tokens, ..JudgeInfo::named("openai:mini") };
    Submission { judge, verdicts: ask.iter().map(answer).collect(), ..Submission::default() }
}

#[test]
fn only_verdicts_of_high_confidence_are_kept_and_everything_else_is_asked() {
    let rubric = Rubric::care_lock();
    let all = ids(&rubric);
    let mut first = answers(&rubric, &Pass::Yes, Confidence::High);
    fail_gates(&rubric, &mut first);
    set(&mut first, &all[0], |answer| answer.confidence = Some(Confidence::Medium));
    set(&mut first, &all[1], |answer| answer.confidence = Some(Confidence::Low));
    set(&mut first, &all[2], |answer| answer.confidence = None);
    set(&mut first, &all[3], |answer| answer.pass = Pass::Unscored("language".to_owned()));
    set(&mut first, &all[4], |answer| answer.pass = Pass::Missing);
    first.verdicts.retain(|(id, _)| *id != all[5]);
    let division = divide(&rubric, &first);
    assert_eq!(division.ask, all[..6]);
    assert_eq!(division.sure, all[6..]);
    assert_eq!(divide(&rubric, &Submission::default()), Division { sure: Vec::new(), ask: all });
}

#[test]
fn the_checks_that_can_trip_a_gate_are_asked_unless_they_fail_for_sure() {
    let rubric = Rubric::care_lock();
    let gates = gates(&rubric);
    assert!(!gates.is_empty());
    for pass in [Pass::Yes, Pass::NotTriggered] {
        let first = answers(&rubric, &pass, Confidence::High);
        assert_eq!(divide(&rubric, &first).ask, gates, "{pass:?}");
    }
    let mut first = answers(&rubric, &Pass::Yes, Confidence::High);
    fail_gates(&rubric, &mut first);
    assert_eq!(divide(&rubric, &first).ask, Vec::<String>::new());
    for unsure in [Some(Confidence::Medium), Some(Confidence::Low), None] {
        set(&mut first, &gates[0], |answer| answer.confidence = unsure);
        assert_eq!(divide(&rubric, &first).ask, gates[..1], "{unsure:?}");
    }
    let first = answers(&rubric, &Pass::Yes, Confidence::High);
    let mut file = rubric.file().clone();
    file.gate.clear();
    let without = Rubric::from_file(file).unwrap();
    assert_eq!(divide(&without, &first).ask, Vec::<String>::new(), "the rubric says what a gate is");
}

#[test]
fn every_check_has_the_answer_of_the_judge_it_was_given_to() {
    let rubric = Rubric::care_lock();
    let first = answers(&rubric, &Pass::Yes, Confidence::High);
    let division = divide(&rubric, &first);
    let whole = combine(&rubric, &chat(), "cascade:openai:mini", first, Some(model(&division.ask)), &division);
    assert_eq!(whole.verdicts.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), ids(&rubric));
    for (id, answer) in &whole.verdicts {
        assert_eq!(answer.pass == Pass::No, division.ask.contains(id), "{id}");
    }
    let (sure, asked) = (division.sure.len(), division.ask.len());
    assert_eq!(whole.judge.name, "cascade:openai:mini");
    assert_eq!(
        (whole.judge.model.as_deref(), whole.judge.tokens.map(|tokens| tokens.input)),
        (Some("mini-1"), Some(900))
    );
    assert_eq!(whole.judge.parameters["answered"], json!({ "builtin": sure, "openai:mini": asked }));
    let note = format!("{sure} of {} checks answered by builtin, {asked} by openai:mini", sure + asked);
    assert_eq!(whole.judge.note, Some(note));
    assert!(Verdicts::admit(&rubric, &chat(), whole).is_ok());
}

#[test]
fn what_the_model_could_not_answer_is_never_filled_in() {
    let rubric = Rubric::care_lock();
    let first = answers(&rubric, &Pass::Yes, Confidence::High);
    let division = divide(&rubric, &first);
    let mut failed = model(&division.ask);
    let reason = Pass::Unscored("unavailable: down".to_owned());
    failed.verdicts.iter_mut().for_each(|(_, answer)| *answer = Answer { pass: reason.clone(), ..Answer::default() });
    let whole = combine(&rubric, &chat(), "cascade:openai:mini", first.clone(), Some(failed), &division);
    for (id, answer) in &whole.verdicts {
        assert_eq!(answer.pass == reason, division.ask.contains(id), "{id}");
    }
    assert_eq!(whole.judge.parameters["answered"]["openai:mini"], 0);
    let silent = combine(&rubric, &chat(), "cascade:openai:mini", first, Some(Submission::default()), &division);
    assert!(silent.verdicts.iter().all(|(id, _)| division.sure.contains(id)));
}

#[test]
fn where_nothing_is_asked_the_first_judge_s_words_stay() {
    let rubric = Rubric::care_lock();
    let mut first = answers(&rubric, &Pass::Yes, Confidence::High);
    fail_gates(&rubric, &mut first);
    first.summary = Some("Warm.".to_owned());
    first.judge.note = Some("screening judge".to_owned());
    first.moments = vec![RawMoment { idx: 2, quote: "That sounds hard.".to_owned(), ..RawMoment::default() }];
    first.positive = vec![Highlight { id: 1, why: "warm".to_owned(), better: None }];
    first.metrics = vec![(rubric.metrics()[0].key.clone(), MetricWording { ev: vec![1], why: "kind".to_owned() })];
    let division = divide(&rubric, &first);
    let whole = combine(&rubric, &chat(), "cascade:openai:mini", first.clone(), None, &division);
    assert_eq!((&whole.summary, &whole.positive, &whole.metrics), (&first.summary, &first.positive, &first.metrics));
    assert_eq!((whole.moments.len(), whole.judge.tokens), (1, None));
    assert_eq!(whole.judge.parameters["answered"], json!({ "builtin": 50 }));
    assert_eq!(whole.judge.note.as_deref(), Some("50 of 50 checks answered by builtin; builtin: screening judge"));
}

#[test]
fn moments_come_from_both_with_the_evidence_of_failed_gates_first() {
    let rubric = Rubric::care_lock();
    let mut first = answers(&rubric, &Pass::Yes, Confidence::High);
    let moment = |idx, quote: &str| RawMoment { idx, quote: quote.to_owned(), ..RawMoment::default() };
    first.moments = vec![moment(2, "That sounds hard."), moment(1, "bed")];
    first.positive = vec![Highlight { id: 1, why: "warm".to_owned(), better: None }];
    first.negative = vec![Highlight { id: 1, why: "cold".to_owned(), better: None }];
    first.summary = Some("Warm.".to_owned());
    let division = divide(&rubric, &first);
    let whole = combine(&rubric, &chat(), "cascade:openai:mini", first, Some(model(&division.ask)), &division);
    let moments: Vec<(u32, &str)> = whole.moments.iter().map(|moment| (moment.idx, moment.quote.as_str())).collect();
    assert_eq!(moments, [(2, "That sounds hard."), (4, "Take some rest")], "no verdict cites turn 1");
    assert_eq!((whole.positive.len(), whole.positive[0].id), (1, 1));
    assert!(whole.negative.is_empty(), "nothing fails in turn 2");
    assert_eq!(whole.summary, None, "nobody saw the whole");
}

#[test]
fn words_on_a_metric_stay_only_where_one_judge_answered_all_of_it() {
    let rubric = Rubric::care_lock();
    let mut first = answers(&rubric, &Pass::Yes, Confidence::High);
    let words = |key: &str| (key.to_owned(), MetricWording { ev: Vec::new(), why: "words".to_owned() });
    first.metrics = rubric.metrics().iter().map(|metric| words(&metric.key)).collect();
    let division = divide(&rubric, &first);
    let gated: Vec<usize> = gates(&rubric).iter().map(|id| rubric.metric_of(rubric.position(id).unwrap())).collect();
    let whole = combine(&rubric, &chat(), "cascade:openai:mini", first, Some(model(&division.ask)), &division);
    let kept: Vec<usize> = whole.metrics.iter().map(|(key, _)| rubric.metric_position(key).unwrap()).collect();
    assert_eq!(kept, (0..rubric.metrics().len()).filter(|metric| !gated.contains(metric)).collect::<Vec<_>>());
}
