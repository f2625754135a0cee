//! Figures against values from other implementations and from published examples (`reference/make.py`), to 1e-9.

use carelock_statistics::agreement::Ratings;
use carelock_statistics::paired::{compare_events, sign_flip};
use carelock_statistics::scores::Scores;
use carelock_statistics::{Bootstrap, Estimate, holm, proportion, unpaired};
use serde_json::Value;

fn cases(name: &str) -> Vec<Value> {
    let values: Value = serde_json::from_str(include_str!("reference/values.json")).expect("JSON");
    let cases = values[name].as_array().expect("a list").clone();
    assert!(!cases.is_empty(), "{name}");
    cases
}

fn bootstrap() -> Bootstrap {
    Bootstrap::default().with_resamples(200).expect("enough resamples")
}

/// The figure must be that of the case, where the case has one.
fn close(case: &Value, name: &str, value: Option<f64>) {
    let Some(expected) = case[name].as_f64() else { return };
    let value = value.unwrap_or_else(|| panic!("no {name} in {case}"));
    assert!((value - expected).abs() < 1e-9, "{name}: {value} is not {expected} in {}", case["name"]);
}

fn ends_close(expected: &Value, estimate: Estimate) {
    let interval = estimate.interval.expect("an interval");
    assert!((interval.low - expected[0].as_f64().expect("a number")).abs() < 1e-9, "{interval:?} is not {expected}");
    assert!((interval.high - expected[1].as_f64().expect("a number")).abs() < 1e-9, "{interval:?} is not {expected}");
}

fn count(case: &Value, name: &str) -> usize {
    usize::try_from(case[name].as_u64().expect("a number")).expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn ratings(case: &Value) -> Ratings {
    let label = |label: &Value| label.as_u64().map(|label| u8::try_from(label).expect("a number"));
    let item = |item: &Value| item.as_array().expect("a list").iter().map(label).collect::<Vec<_>>();
    let items: Vec<Vec<Option<u8>>> = case["items"].as_array().expect("a list").iter().map(item).collect();
    let mut ratings = Ratings::new(
        u8::try_from(items[0].len()).expect("a number"),
        u8::try_from(count(case, "classes")).expect("a number"),
    );
    for chat in items.chunks(4) {
        ratings.add_chat(chat.iter().map(Vec::as_slice));
    }
    ratings
}

#[test]
fn agreement_on_labels_is_that_of_other_implementations() {
    for case in cases("labels") {
        let agreement = ratings(&case).agreement(&bootstrap());
        close(&case, "raw", agreement.raw.value);
        close(&case, "baseline", agreement.baseline.value);
        close(&case, "cohen_kappa", agreement.cohen_kappa.value);
        close(&case, "gwet_ac1", agreement.gwet_ac1.value);
        close(&case, "krippendorff_alpha", agreement.krippendorff_alpha.value);
        close(&case, "fleiss_kappa", agreement.fleiss_kappa.value);
    }
}

#[test]
fn failures_and_confusion_tables_are_those_of_other_implementations() {
    for case in cases("labels") {
        let ratings = ratings(&case);
        let failures = ratings.failures(0, &bootstrap());
        close(&case, "precision", failures.precision.value);
        close(&case, "recall", failures.recall.value);
        close(&case, "f1", failures.f1.value);
        close(&case, "over_passing", failures.over_passing.value);
        close(&case, "over_failing", failures.over_failing.value);
        if let Some(table) = case["confusion"].as_array() {
            let confusion = ratings.confusion().unwrap();
            assert_eq!(serde_json::to_value(confusion.counts).unwrap(), Value::from(table.clone()));
        }
    }
}

#[test]
fn published_examples_have_their_published_values() {
    let named = |name: &str| cases("labels").into_iter().find(|case| case["name"] == name).unwrap();
    let rounded = |estimate: Estimate| (estimate.value.unwrap() * 1000.0).round() / 1000.0;
    let figures = |name: &str| ratings(&named(name)).agreement(&bootstrap());
    assert_eq!(rounded(figures("Krippendorff 2011").krippendorff_alpha), 0.743);
    assert_eq!(rounded(figures("Fleiss 1971").fleiss_kappa), 0.210);
    assert_eq!(rounded(figures("paradox of kappa").cohen_kappa), -0.023);
    assert_eq!(rounded(figures("paradox of kappa").gwet_ac1), 0.941);
    let scores = scores(&cases("scores")[0]).agreement(&bootstrap());
    assert_eq!((rounded(scores.icc_agreement), rounded(scores.icc_consistency)), (0.290, 0.715));
}

fn scores(case: &Value) -> Scores {
    let item = |item: &Value| item.as_array().expect("a list").iter().map(Value::as_f64).collect::<Vec<_>>();
    let items: Vec<Vec<Option<f64>>> = case["items"].as_array().expect("a list").iter().map(item).collect();
    let mut scores = Scores::new(u8::try_from(items[0].len()).expect("a number"));
    for item in &items {
        scores.add_chat([item.as_slice()]);
    }
    scores
}

#[test]
fn agreement_on_scores_is_that_of_other_implementations() {
    for case in cases("scores") {
        let scores = scores(&case);
        let agreement = scores.agreement(&bootstrap());
        close(&case, "icc_agreement", agreement.icc_agreement.value);
        close(&case, "icc_consistency", agreement.icc_consistency.value);
        close(&case, "krippendorff_alpha", agreement.krippendorff_alpha.value);
    }
}

#[test]
fn scores_far_from_zero_agree_as_far_as_those_close_to_it() {
    let near = [[9.0, 2.0, 5.0], [6.0, 1.0, 3.0], [8.0, 4.0, 6.0], [7.0, 1.0, 2.0]];
    let figures = |origin: f64| {
        let mut scores = Scores::new(3);
        for item in near {
            scores.add_chat([item.map(|score| Some(origin + score / 64.0)).as_slice()]);
        }
        let agreement = scores.agreement(&bootstrap());
        [agreement.icc_agreement, agreement.icc_consistency, agreement.krippendorff_alpha].map(|figure| figure.value)
    };
    assert_eq!(figures(0.0), figures(1_048_576.0));
}

#[test]
fn the_sign_flip_test_of_few_pairs_is_exact() {
    for case in cases("sign_flip") {
        close(&case, "p_value", sign_flip(&numbers(&case["differences"]), &bootstrap()).p_value);
    }
}

#[test]
fn mcnemars_test_is_that_of_another_implementation() {
    for case in cases("mcnemar") {
        let mut pairs = vec![(Some(true), Some(true)); 50];
        pairs.extend(vec![(Some(true), Some(false)); count(&case, "only_first")]);
        pairs.extend(vec![(Some(false), Some(true)); count(&case, "only_second")]);
        close(&case, "p_value", compare_events(&pairs, &bootstrap()).test.p_value);
    }
}

#[test]
fn fishers_test_is_that_of_another_implementation() {
    for case in cases("fisher") {
        let group = |hits: &str, cases: &str| -> Vec<Option<bool>> {
            (0..count(&case, cases)).map(|position| Some(position < count(&case, hits))).collect()
        };
        let (first, second) = (group("first_hits", "first_cases"), group("second_hits", "second_cases"));
        close(&case, "p_value", unpaired::compare_events(&first, &second, &bootstrap()).test.p_value);
    }
}

#[test]
fn welchs_test_is_that_of_another_implementation() {
    for case in cases("welch") {
        let group = |name: &str| numbers(&case[name]).into_iter().map(Some).collect::<Vec<_>>();
        close(
            &case,
            "p_value",
            unpaired::differences(&[group("first")], &[group("second")], &bootstrap())[0].1.p_value,
        );
    }
}

#[test]
fn holms_correction_is_that_of_another_implementation() {
    for case in cases("holm") {
        let p_values: Vec<Option<f64>> = numbers(&case["p_values"]).into_iter().map(Some).collect();
        for (adjusted, expected) in holm(&p_values).into_iter().zip(numbers(&case["adjusted"])) {
            assert!((adjusted.unwrap() - expected).abs() < 1e-9);
        }
    }
}

#[test]
fn wilsons_interval_is_that_of_another_implementation() {
    for case in cases("wilson") {
        let (hits, all) = (case["hits"].as_u64().unwrap(), case["cases"].as_u64().unwrap());
        ends_close(&case["interval"], proportion(hits, all, &bootstrap()));
    }
}
