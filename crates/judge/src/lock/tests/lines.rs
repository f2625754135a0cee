//! Entries as lines, and lines as a file.

use carelock_core::rubric::Rubric;
use carelock_core::verdict::{
    Answer, Basis, Confidence, Highlight, JudgeInfo, MetricWording, Pass, RawMoment, Submission, Tokens, TranscriptRef,
};
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

use super::{asked, chat, entry, rubric, submission};
use crate::lock::{Circumstances, Entry, LineError, Lock, LockQuestion};

#[test]
fn an_entry_gives_its_submission_back() {
    let entry = entry("I can't sleep.");
    assert_eq!(entry.submission(), submission(rubric(), entry.asked()));
    assert_eq!(Entry::from_line(&entry.to_line()), Ok(entry));
}

#[test]
fn a_submission_without_a_single_verdict_is_not_kept() {
    let asked = asked("x");
    let mut nothing = submission(rubric(), &asked);
    for (_, answer) in &mut nothing.verdicts {
        answer.pass = Pass::Unscored("the judge refused".to_owned());
    }
    let kept = Entry::new(asked, rubric(), nothing, Circumstances::default());
    assert!(kept.unwrap_err().what.contains("nothing to keep"));
}

#[test]
fn answers_that_are_ambiguous_or_about_something_else_are_not_kept() {
    let asked = asked("x");
    let sent = |change: &dyn Fn(&mut Submission)| {
        let mut sent = submission(rubric(), &asked);
        change(&mut sent);
        Entry::new(asked.clone(), rubric(), sent, Circumstances::default()).unwrap_err()
    };
    let twice = sent(&|sent| sent.verdicts.push(sent.verdicts[0].clone()));
    assert!(twice.what.contains("is answered twice"));
    let unknown = sent(&|sent| sent.verdicts[0].0 = "X9".to_owned());
    assert!(unknown.what.contains("no check X9"));
    let other = sent(&|sent| sent.transcript.as_mut().unwrap().hash = Some("blake3:other".to_owned()));
    assert!(other.what.contains("the chat blake3:other"));
}

#[test]
fn a_line_changed_by_hand_is_refused() {
    let line = entry("x").to_line();
    let flipped = line.replacen("\"pass\":\"yes\"", "\"pass\":\"no\"", 1);
    assert_ne!(flipped, line);
    assert_eq!(Entry::from_line(&flipped), Err(LineError::BrokenSeal));
    assert!(matches!(Entry::from_line(&line[..line.len() - 9]), Err(LineError::Shape(_))));
    assert!(matches!(Entry::from_line("{}"), Err(LineError::Shape(_))));
}

fn lock_of(openings: &[&str]) -> Lock {
    let mut lock = Lock::default();
    for opening in openings {
        lock.insert(entry(opening));
    }
    lock
}

#[test]
fn the_file_is_the_same_whatever_order_entries_came_in() {
    let forwards = lock_of(&["a", "b", "c", "d"]).to_text();
    assert_eq!(forwards, lock_of(&["d", "b", "a", "c"]).to_text());
    assert_eq!(Lock::from_text(&forwards).unwrap().to_text(), forwards);
    let chats: Vec<&str> = forwards.lines().skip(1).collect();
    assert_eq!(chats.len(), 4);
}

#[test]
fn a_lock_survives_windows_line_ends_a_byte_order_mark_and_blank_lines() {
    let lock = lock_of(&["a", "b"]);
    let text = format!("\u{feff}{}\r\n", lock.to_text().replace('\n', "\r\n"));
    assert_eq!(Lock::from_text(&text), Ok(lock));
    assert_eq!(Lock::from_text(""), Ok(Lock::default()));
}

#[test]
fn errors_name_the_line_and_what_to_do() {
    let good = lock_of(&["a", "b"]).to_text();
    let lines: Vec<&str> = good.lines().collect();
    let (header, first) = (lines[0], lines[1]);

    let conflict = format!("{header}\n<<<<<<< HEAD\n{first}\n=======\n{first}\n>>>>>>> main\n");
    let said = |text: &str| Lock::from_text(text).unwrap_err().to_string();
    assert!(said(&conflict).starts_with("line 2: an unresolved git conflict\n  fix: "));

    let twice = format!("{header}\n{first}\n\n{first}\n");
    assert!(said(&twice).starts_with("line 4: the same key as line 2:"));

    let torn = format!("{header}\n{first}\n{}\n", &lines[2][..lines[2].len() / 2]);
    assert!(said(&torn).starts_with("line 3: ") && said(&torn).contains("fix: restore the line"));

    let newer = good.replacen("carelock/lock/1", "carelock/lock/2", 1);
    assert!(said(&newer).starts_with("line 1: the lock has the format carelock/lock/2,"));

    assert!(said("hello\n").starts_with("line 1: this is not a Care-Lock lock file"));
    assert!(said("{\"format\":\"other\"}\n").contains("(its format is \"other\")"));
}

fn pass() -> impl Strategy<Value = Pass> {
    prop_oneof![
        Just(Pass::Yes),
        Just(Pass::No),
        Just(Pass::NotTriggered),
        Just(Pass::Missing),
        any::<String>().prop_map(Pass::Unscored),
        any::<String>().prop_map(Pass::OffMenu),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let basis = prop_oneof![Just(None), Just(Some(Basis::Observed)), Just(Some(Basis::Absent))];
    let rest = (proptest::collection::vec(any::<u32>(), 0..3), any::<Option<String>>(), any::<String>());
    let confidence = prop_oneof![Just(None), Just(Some(Confidence::High)), Just(Some(Confidence::Low))];
    (pass(), basis, rest, confidence).prop_map(|(pass, basis, (turns, quote, why), confidence)| Answer {
        pass,
        basis,
        turns,
        quote,
        why,
        confidence,
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().rev().collect())),
        ]
    })
}

fn map() -> impl Strategy<Value = Map<String, Value>> {
    proptest::collection::btree_map(any::<String>(), value(), 0..3).prop_map(|map| map.into_iter().rev().collect())
}

fn judge() -> impl Strategy<Value = JudgeInfo> {
    let tokens = any::<Option<(u64, u64, u64)>>()
        .prop_map(|tokens| tokens.map(|(input, cached, output)| Tokens { input, cached, output }));
    let cost = any::<Option<f64>>().prop_map(|cost| cost.and_then(Number::from_f64));
    (any::<String>(), any::<Option<String>>(), map(), tokens, cost, any::<Option<String>>()).prop_map(
        |(name, model, parameters, tokens, cost, note)| JudgeInfo {
            name,
            model,
            parameters,
            tokens,
            cost,
            cached: Some(true),
            note,
        },
    )
}

type Words = (String, Vec<u32>, String, Option<String>);

fn sent() -> impl Strategy<Value = (LockQuestion, Submission, Circumstances)> {
    let words = || proptest::collection::vec(any::<Words>(), 0..3);
    let circumstances =
        (any::<Option<String>>(), any::<Option<String>>(), any::<bool>(), any::<u32>(), any::<Vec<String>>()).prop_map(
            |(created, fingerprint, repaired, windows, notes)| Circumstances {
                created,
                fingerprint,
                repaired,
                windows,
                notes,
            },
        );
    let answers = proptest::collection::vec(answer(), 50);
    (map(), judge(), answers, words(), words(), any::<Option<String>>(), circumstances).prop_map(
        |(parameters, judge, answers, metrics, others, summary, circumstances)| {
            let asked = LockQuestion::new(&chat("x"), "p:m", parameters, "blake3:prompt");
            let mut verdicts: Vec<(String, Answer)> =
                rubric().checks().map(|check| check.id.clone()).zip(answers).collect();
            verdicts[0].1.pass = Pass::Yes;
            let named = TranscriptRef { id: Some(asked.chat.clone()), hash: Some(asked.transcript.clone()) };
            let sent = Submission {
                judge,
                transcript: Some(named),
                verdicts,
                moments: others.iter().map(moment).collect(),
                metrics: metrics.into_iter().map(|(key, ev, why, _)| (key, MetricWording { ev, why })).collect(),
                positive: others.iter().map(highlight).collect(),
                negative: others.iter().rev().map(highlight).collect(),
                summary,
            };
            (asked, sent, circumstances)
        },
    )
}

fn moment((quote, numbers, why, _): &Words) -> RawMoment {
    let (id, idx) = (numbers.first().copied(), numbers.last().copied().unwrap_or_default());
    RawMoment { id, idx, speaker: None, quote: quote.clone(), why: why.clone() }
}

fn highlight((_, numbers, why, better): &Words) -> Highlight {
    Highlight { id: numbers.first().copied().unwrap_or_default(), why: why.clone(), better: better.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_judge_sends_comes_back_unchanged_through_a_line((asked, sent, circumstances) in sent()) {
        let rubric: &Rubric = rubric();
        let entry = Entry::new(asked, rubric, sent.clone(), circumstances).unwrap();
        let line = entry.to_line();
        prop_assert!(!line.contains('\n'));
        let back = Entry::from_line(&line).unwrap();
        prop_assert_eq!(&back, &entry);
        prop_assert_eq!(back.to_line(), line);
        prop_assert_eq!(back.submission(), sent);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        drop(Lock::from_text(&text));
        drop(Entry::from_line(&text));
    }
}
