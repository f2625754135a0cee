//! Finding answers again after the rubric, the prompt or the judge changed.

use carelock_core::verdict::{Answer, JudgeInfo, Pass, Submission, Verdicts};
use serde_json::json;

use super::{asked, chat, edited, entry, parameters, rubric, submission};
use crate::lock::{Circumstances, Entry, Lock, LockQuestion, Lookup, Reason, ToAsk};

fn lock() -> Lock {
    let mut lock = Lock::default();
    lock.insert(entry("x"));
    lock
}

#[test]
fn the_same_question_is_answered_whole() {
    let Lookup::Complete(known) = lock().lookup(&asked("x"), rubric()) else { panic!("not complete") };
    assert_eq!(known, submission(rubric(), &asked("x")));
    assert!(Verdicts::admit(rubric(), &chat("x"), known).is_ok());
}

#[test]
fn the_same_turns_under_another_name_are_the_same_chat() {
    let renamed = LockQuestion { chat: "renamed".to_owned(), ..asked("x") };
    let Lookup::Complete(known) = lock().lookup(&renamed, rubric()) else { panic!("not complete") };
    assert_eq!(known.transcript.unwrap().id.as_deref(), Some("renamed"));
}

#[test]
fn one_word_in_one_check_re_asks_this_check_alone() {
    let rubric = edited(|file| file.metric[3].check[1].passes.push_str(" indeed"));
    let id = rubric.metrics()[3].check[1].id.clone();
    let Lookup::Partial { known, ask } = lock().lookup(&asked("x"), &rubric) else { panic!("not partial") };
    assert_eq!(ask, [ToAsk { id: id.clone(), reason: Reason::Changed }]);
    assert_eq!(known.verdicts.len(), 49);
    assert!(known.verdicts.iter().all(|(known, _)| *known != id));
    assert_eq!(known.summary, None, "the summary may no longer be true");
    assert_eq!(known.metrics.len(), 9, "nor may the words on the metric that is asked about");
}

#[test]
fn new_answers_to_some_checks_complete_the_old_ones() {
    let rubric = edited(|file| file.metric[3].check[1].passes.push_str(" indeed"));
    let id = rubric.metrics()[3].check[1].id.clone();
    let fresh = Submission {
        judge: JudgeInfo { ..submission(&rubric, &asked("x")).judge },
        verdicts: vec![(id.clone(), Answer { pass: Pass::No, turns: vec![4], ..Answer::default() })],
        ..Submission::default()
    };
    let updated = entry("x").updated(&rubric, fresh, Circumstances::default()).unwrap();
    let Lookup::Complete(known) = updated.lookup(&asked("x"), &rubric) else { panic!("not complete") };
    let changed = known.verdicts.iter().find(|(known, _)| *known == id).unwrap();
    assert_eq!(changed.1.pass, Pass::No);
    assert_eq!(known.judge.tokens.unwrap().input, 14_000);
    assert_eq!(known.moments.len(), 1);
}

#[test]
fn a_check_the_rubric_no_longer_has_is_left_out() {
    let rubric = edited(|file| file.metric[6].check[4].id = "C9".to_owned());
    let Lookup::Partial { known, ask } = lock().lookup(&asked("x"), &rubric) else { panic!("not partial") };
    assert_eq!(ask, [ToAsk { id: "C9".to_owned(), reason: Reason::NeverAnswered }]);
    assert!(Verdicts::admit(&rubric, &chat("x"), known).is_ok());
}

#[test]
fn new_rules_for_doubt_re_ask_everything() {
    let rubric = edited(|file| file.doubt[0].push('!'));
    assert_eq!(lock().lookup(&asked("x"), &rubric), Lookup::Absent);
    let error = lock().locked(&asked("x"), &rubric).unwrap_err().to_string();
    assert!(error.contains("every check of the rubric changed since"), "{error}");
}

#[test]
fn a_check_left_without_answer_stays_open_until_it_is_settled() {
    let asked = asked("x");
    let mut sent = submission(rubric(), &asked);
    let (id, _) = sent.verdicts.remove(7);
    let entry = Entry::new(asked.clone(), rubric(), sent, Circumstances::default()).unwrap();
    let Lookup::Partial { ask, .. } = entry.lookup(&asked, rubric()) else { panic!("not partial") };
    assert_eq!(ask, [ToAsk { id: id.clone(), reason: Reason::NeverAnswered }]);
    let Lookup::Complete(known) = entry.settled(rubric()).lookup(&asked, rubric()) else { panic!("not settled") };
    assert_eq!(known.verdicts[7], (id, Answer::default()));
}

#[test]
fn locked_says_exactly_what_is_missing() {
    let says = |asked: &LockQuestion| lock().locked(asked, rubric()).unwrap_err().to_string();
    assert!(lock().locked(&asked("x"), rubric()).is_ok());

    let other_judge = says(&LockQuestion { judge: "deepseek:deepseek-chat".to_owned(), ..asked("x") });
    assert!(other_judge.starts_with("demo: no locked answers of judge deepseek:deepseek-chat"), "{other_judge}");
    assert!(other_judge.contains("locked are answers of openai:gpt-4.1-mini"), "{other_judge}");
    assert!(other_judge.contains("run without `locked` to ask"), "{other_judge}");

    assert!(says(&asked("y")).contains("the chat's turns changed since"));
    assert!(says(&LockQuestion { prompt: "other".to_owned(), ..asked("x") }).contains("the prompt changed since"));
    let hot = LockQuestion { parameters: parameters(json!({ "temperature": 1 })), ..asked("x") };
    assert!(says(&hot).contains("its parameters changed since"));
    assert!(!says(&LockQuestion { chat: "new".to_owned(), ..asked("y") }).contains("since"));

    let rubric = edited(|file| file.metric[0].check[0].fails.push('!'));
    let partial = lock().locked(&asked("x"), &rubric).unwrap_err();
    assert!(partial.to_string().contains("no locked answer to E1 (changed since)"), "{partial}");
}

#[test]
fn answers_to_some_checks_are_complete_when_those_are_answered() {
    let checks: Vec<String> = rubric().checks().take(3).map(|check| check.id.clone()).collect();
    let some = asked("x").only(&checks);
    let mut sent = submission(rubric(), &some);
    sent.verdicts.truncate(2);
    let entry = Entry::new(some.clone(), rubric(), sent, Circumstances::default()).unwrap();
    let Lookup::Partial { ask, .. } = entry.lookup(&some, rubric()) else { panic!("a check is open") };
    assert_eq!(ask.iter().map(|ask| ask.id.clone()).collect::<Vec<_>>(), checks[2..]);
    let settled = entry.settled(rubric());
    assert_eq!(settled.checks().len(), 3, "what was not asked is not settled");
    let read = Entry::from_line(&settled.to_line()).unwrap();
    assert_eq!(read, settled);
    assert!(matches!(read.lookup(&some, rubric()), Lookup::Complete(known) if known.verdicts.len() == 3));
    assert_eq!(read.lookup(&asked("x"), rubric()), Lookup::Absent);
    // A check that was not asked may change; one that was is asked again.
    let other = edited(|file| file.metric[5].check[0].passes.push('!'));
    assert!(matches!(read.lookup(&some, &other), Lookup::Complete(_)));
    let same = edited(|file| file.metric[0].check[0].passes.push('!'));
    assert!(matches!(read.lookup(&some, &same), Lookup::Partial { ask, .. } if ask.len() == 1));
}
