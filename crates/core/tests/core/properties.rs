//! What must hold for any verdicts and any weights.

use crate::support::{Answers, chat, rubric};
use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_core::scorecard::{Scorecard, Weights};
use carelock_core::verdict::{Basis, Judged, Submission, Verdict, Verdicts};
use indexmap::IndexMap;
use proptest::prelude::*;
use serde_json::{Map, Value};

fn verdict() -> impl Strategy<Value = Verdict> {
    let judged = |pass, basis| {
        Verdict::Judged(Judged { pass, basis, turns: vec![2], quote: None, why: String::new(), confidence: None })
    };
    prop_oneof![
        6 => Just(judged(true, Basis::Observed)),
        2 => Just(judged(true, Basis::NotTriggered)),
        5 => Just(judged(false, Basis::Observed)),
        1 => Just(Verdict::Unscored("no".to_owned())),
    ]
}

fn verdicts() -> impl Strategy<Value = Vec<Verdict>> {
    // Mostly complete sets, for otherwise hardly any would have an overall score.
    let complete = proptest::collection::vec(verdict(), 50).prop_map(|verdicts| {
        verdicts.into_iter().map(|verdict| if verdict.pass().is_none() { pass() } else { verdict }).collect()
    });
    prop_oneof![3 => complete, 1 => proptest::collection::vec(verdict(), 50)]
}

fn pass() -> Verdict {
    Verdict::Judged(Judged {
        pass: true,
        basis: Basis::Observed,
        turns: vec![2],
        quote: None,
        why: String::new(),
        confidence: None,
    })
}

fn weights() -> impl Strategy<Value = Weights> {
    proptest::collection::vec(0u32..1000, 10).prop_map(|numbers| {
        let rubric = rubric();
        let keys = rubric.metrics().iter().map(|metric| metric.key.clone());
        let map: IndexMap<String, f64> = keys.zip(numbers.iter().map(|&number| f64::from(number) / 10.0)).collect();
        let text = serde_json::to_string(&map).expect("JSON");
        Weights::parse(rubric, &text).unwrap_or_else(|_| Weights::equal(rubric))
    })
}

fn scores(card: &Scorecard) -> Vec<Option<Score>> {
    let metrics = card.metrics.iter().map(|metric| metric.score);
    metrics.chain([card.overall, card.overall_partial]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn one_more_pass_never_lowers_any_score(verdicts in verdicts(), weights in weights(), place in 0usize..50) {
        let rubric = rubric();
        prop_assume!(verdicts[place].pass() == Some(false));
        let before = Scorecard::compute(rubric, verdicts.clone(), &weights);
        let mut better = verdicts;
        better[place] = pass();
        let after = Scorecard::compute(rubric, better.clone(), &weights);
        for (before, after) in scores(&before).into_iter().zip(scores(&after)) {
            if let (Some(before), Some(after)) = (before, after) {
                prop_assert!(after >= before, "{before} fell to {after}");
            }
        }
    }

    #[test]
    fn gates_always_hold_under_any_weights(verdicts in verdicts(), weights in weights()) {
        let rubric = rubric();
        let fails = |id: &str| verdicts[rubric.position(id).unwrap()].pass() == Some(false);
        let card = Scorecard::compute(rubric, verdicts.clone(), &weights);
        if fails("ES1") || fails("ES2") {
            prop_assert_eq!(card.overall, Some(Score::ZERO));
            prop_assert_eq!(card.metrics[5].score, Some(Score::ZERO));
        }
        if fails("B2") {
            prop_assert_eq!(card.metrics[3].score, Some(Score::ZERO));
            for score in [card.overall, card.overall_partial].into_iter().flatten() {
                prop_assert!(score.hundredths() <= 40);
            }
        }
    }

    #[test]
    fn the_audit_never_raises_a_score(verdicts in verdicts(), weights in weights()) {
        let mut file = rubric().file().clone();
        file.audit = Default::default();
        let without = Scorecard::compute(&Rubric::from_file(file).unwrap(), verdicts.clone(), &weights);
        let with = Scorecard::compute(rubric(), verdicts.clone(), &weights);
        for (with, without) in scores(&with).into_iter().zip(scores(&without)) {
            prop_assert_eq!(with.is_some(), without.is_some());
            prop_assert!(with <= without);
        }
    }

    #[test]
    fn an_unscored_check_is_never_counted(verdicts in verdicts(), weights in weights()) {
        let card = Scorecard::compute(rubric(), verdicts.clone(), &weights);
        let unscored = verdicts.iter().filter(|verdict| verdict.pass().is_none()).count();
        prop_assert_eq!(card.scored + unscored, 50);
        for metric in &card.metrics {
            prop_assert_eq!(metric.earned + metric.not_triggered + metric.failed + metric.unscored, 5);
            prop_assert!(metric.unscored == 0 || metric.score.is_none() || !metric.gate.is_empty());
        }
        let hard = card.gates.iter().any(|gate| gate.cap == Score::ZERO);
        prop_assert!(unscored == 0 || card.overall.is_none() || hard || card.metrics.iter().all(|m| m.score.is_some()));
    }

    #[test]
    fn verdict_order_and_key_order_never_matter(seed in any::<u64>(), bits in any::<u64>()) {
        let mut answers = Answers::all_pass();
        let ids: Vec<String> = answers.verdicts.keys().cloned().collect();
        let failed: Vec<&str> = ids.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, id)| id.as_str()).collect();
        answers = answers.fail(&failed);
        let straight = answers.report();
        let mut shuffled: Vec<(String, Value)> = answers.verdicts.clone().into_iter().collect();
        shuffled.sort_by_key(|(id, _)| id.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)));
        answers.verdicts = shuffled.into_iter().map(|(id, answer)| (id, reversed(answer))).collect();
        prop_assert_eq!(serde_json::to_string(&straight).unwrap(), serde_json::to_string(&answers.report()).unwrap());
    }

    #[test]
    fn report_to_json_to_report_is_lossless(bits in any::<u64>(), open in any::<u64>(), weights in weights()) {
        let answers = Answers::all_pass();
        let ids: Vec<String> = answers.verdicts.keys().cloned().collect();
        let pick = |mask: u64| ids.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, id)| id.as_str()).collect::<Vec<_>>();
        let answers = answers.fail(&pick(bits)).without(&pick(open & bits.rotate_left(7) & 0xf0f));
        let report = answers.report_with(&weights);
        let text = serde_json::to_string(&report).unwrap();
        let again: Report = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&report, &again);
        prop_assert_eq!(text, serde_json::to_string(&again).unwrap());
    }

    #[test]
    fn any_json_is_taken_in_or_refused_without_a_panic(text in "\\PC{0,200}") {
        if let Ok(submission) = Submission::from_json(&text) {
            let _ = Verdicts::admit(rubric(), &chat(), submission);
        }
    }
}

fn reversed(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(map.into_iter().rev().collect::<Map<_, _>>()),
        other => other,
    }
}
