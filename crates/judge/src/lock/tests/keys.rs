//! Keys change exactly with what they are made of.

use std::collections::BTreeSet;

use carelock_core::rubric::Kind;
use serde_json::json;

use super::{asked, edited, parameters, rubric};
use crate::lock::{Key, LockQuestion, check_digests};

#[test]
fn the_key_changes_with_the_turns_the_judge_the_parameters_and_the_prompt() {
    let same = asked("I can't sleep.");
    let variants = [
        same.clone(),
        asked("I can't sleep"),
        LockQuestion { judge: "openai:gpt-4.1".to_owned(), ..same.clone() },
        LockQuestion { parameters: parameters(json!({ "temperature": 0.2, "seed": 7 })), ..same.clone() },
        LockQuestion { parameters: parameters(json!({ "temperature": 0 })), ..same.clone() },
        LockQuestion { prompt: "blake3:other".to_owned(), ..same.clone() },
    ];
    let keys: BTreeSet<Key> = variants.iter().map(LockQuestion::key).collect();
    assert_eq!(keys.len(), variants.len());
    assert_eq!(same.key(), asked("I can't sleep.").key());
}

#[test]
fn the_key_does_not_change_with_the_chats_name_or_the_spelling_of_parameters() {
    let same = asked("I can't sleep.");
    assert_eq!(same.key(), LockQuestion { chat: "renamed".to_owned(), ..same.clone() }.key());
    let respelled = parameters(json!({ "seed": 7.0, "temperature": 0.0 }));
    assert_eq!(same.key(), LockQuestion { parameters: respelled, ..same.clone() }.key());
}

#[test]
fn the_key_changes_with_the_checks_that_are_asked_but_not_with_their_order() {
    let whole = asked("x");
    let some = |checks: &[&str]| whole.clone().only(&checks.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
    assert_ne!(some(&["E1", "E2"]).key(), whole.key());
    assert_ne!(some(&["E1", "E2"]).key(), some(&["E1"]).key());
    assert_ne!(some(&[]).key(), whole.key());
    assert_eq!(some(&["E1", "E2"]).key(), some(&["E2", "E1"]).key());
    assert!(some(&["E1"]).asks("E1") && !some(&["E1"]).asks("E2") && whole.asks("E2"));
}

#[test]
fn fields_next_to_each_other_cannot_be_mistaken_for_one_another() {
    let base = asked("x");
    let left = LockQuestion { judge: "a:b".to_owned(), prompt: String::new(), ..base.clone() };
    let right = LockQuestion { judge: "a".to_owned(), prompt: ":b".to_owned(), ..base };
    assert_ne!(left.key(), right.key());
}

/// The ids of the checks whose digest differs from the shipped rubric's.
fn changed(edit: impl FnOnce(&mut carelock_core::rubric::RubricFile)) -> Vec<String> {
    let edited = edited(edit);
    let (before, after) = (check_digests(rubric()), check_digests(&edited));
    before.iter().zip(&after).filter(|(old, new)| old != new).map(|(old, _)| old.0.to_owned()).collect()
}

#[test]
fn each_part_of_a_check_changes_the_digest_of_that_check_alone() {
    let first = rubric().check(0).id.clone();
    assert_eq!(changed(|file| file.metric[0].check[0].passes.push('!')), std::slice::from_ref(&first));
    assert_eq!(changed(|file| file.metric[0].check[0].fails.push('!')), std::slice::from_ref(&first));
    assert_eq!(changed(|file| file.metric[0].check[0].safety ^= true), [first]);
    let conditional = rubric().checks().find(|check| check.kind == Kind::Conditional).unwrap().id.clone();
    let edit = |file: &mut carelock_core::rubric::RubricFile| {
        let mut checks = file.metric.iter_mut().flat_map(|metric| &mut metric.check);
        let check = checks.find(|check| check.kind == Kind::Conditional).unwrap();
        check.condition.as_mut().unwrap().push('!');
    };
    assert_eq!(changed(edit), [conditional]);
}

#[test]
fn rules_for_doubt_and_meanings_of_words_belong_to_every_check() {
    assert_eq!(changed(|file| file.doubt[0].push('!')).len(), 50);
    assert_eq!(changed(|file| file.words[0].push('!')).len(), 50);
}

#[test]
fn what_only_the_engine_reads_changes_no_digest() {
    assert!(changed(|file| file.version = "9.9.9".to_owned()).is_empty());
    assert!(changed(|file| file.metric[0].check[0].title.push('!')).is_empty());
    assert!(changed(|file| file.gate.clear()).is_empty());
    assert!(changed(|file| file.audit.entails.clear()).is_empty());
    assert!(changed(|file| file.tier[0].label.push('!')).is_empty());
}

#[test]
fn only_64_hexadecimal_digits_are_a_key() {
    assert!(Key::from_digits(asked("x").key().as_str()).is_some());
    assert!(Key::from_digits("../../etc").is_none());
    assert!(Key::from_digits(&"A".repeat(64)).is_none());
    assert!(Key::from_digits(&"é".repeat(32)).is_none());
}
