//! Properties: whatever goes in, no public function gives a number that is not finite, and what it gives is in order.

use carelock_statistics::agreement::Ratings;
use carelock_statistics::paired::{compare_events, compare_many, sign_flip};
use carelock_statistics::scores::Scores;
use carelock_statistics::{Bootstrap, Estimate, Tested, holm, mean, proportion, stability, unpaired};
use proptest::prelude::*;

/// Everything a number can be, but mostly scores, so that ties and equal values come up.
fn number() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        6 => (0..=10_i32).prop_map(|score| Some(f64::from(score) / 2.0)),
        2 => (-1e3..1e3).prop_map(Some),
        2 => any::<f64>().prop_map(Some),
        1 => prop::sample::select(vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, 1e-308, -0.0, 1e200]).prop_map(Some),
        2 => Just(None),
    ]
}

fn scores() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![8 => (0..=10_i32).prop_map(|score| Some(f64::from(score) / 2.0)), 1 => Just(None)]
}

fn numbers() -> impl Strategy<Value = Vec<Option<f64>>> {
    prop_oneof![prop::collection::vec(number(), 0..30), prop::collection::vec(scores(), 0..30)]
}

fn chats<T: std::fmt::Debug>(value: impl Strategy<Value = T> + Clone) -> impl Strategy<Value = Vec<Vec<Vec<T>>>> {
    prop::collection::vec(prop::collection::vec(prop::collection::vec(value, 0..6), 0..5), 0..8)
}

fn settings() -> impl Strategy<Value = Bootstrap> {
    (any::<u64>(), 0.01..0.999_999).prop_map(|(seed, confidence)| {
        let settings =
            Bootstrap::default().with_resamples(100).and_then(|settings| settings.with_confidence(confidence));
        settings.expect("good settings").with_seed(seed)
    })
}

/// No field of an answer may be a number that is not finite; its debug text shows all of them.
fn finite(answer: &impl std::fmt::Debug) {
    let text = format!("{answer:?}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

fn in_order(estimate: Estimate) {
    finite(&estimate);
    assert_eq!(estimate.why_not.is_some(), estimate.value.is_none() || estimate.interval.is_none(), "{estimate:?}");
    assert!(estimate.interval.is_none_or(|ends| estimate.value.is_some() && ends.low <= ends.high), "{estimate:?}");
}

fn tested(test: Tested) {
    finite(&test);
    assert_eq!(test.p_value.is_none(), test.why_not.is_some(), "{test:?}");
    assert!(test.p_value.into_iter().chain(test.adjusted).all(|p_value| (0.0..=1.0).contains(&p_value)), "{test:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agreement_on_labels_is_finite(
        chats in chats(prop_oneof![3 => (0..4_u8).prop_map(Some), 1 => any::<u8>().prop_map(Some), 1 => Just(None)]),
        raters in 0..6_u8, classes in 0..5_u8, failure in any::<u8>(), settings in settings(),
    ) {
        let mut ratings = Ratings::new(raters, classes);
        for chat in &chats {
            ratings.add_chat(chat.iter().map(Vec::as_slice));
        }
        let agreement = ratings.agreement(&settings);
        for figure in [agreement.raw, agreement.baseline, agreement.cohen_kappa] {
            in_order(figure);
        }
        for figure in [agreement.gwet_ac1, agreement.krippendorff_alpha, agreement.fleiss_kappa] {
            in_order(figure);
            prop_assert!(figure.value.is_none_or(|value| value <= 1.0 + 1e-12));
        }
        for class in [failure, 0, 1] {
            let failures = ratings.failures(class, &settings);
            for figure in [failures.precision, failures.recall, failures.f1, failures.over_passing, failures.over_failing] {
                in_order(figure);
                prop_assert!(figure.value.is_none_or(|value| (0.0..=1.0).contains(&value)));
            }
        }
        prop_assert_eq!(ratings.confusion().is_some(), raters == 2);
    }

    #[test]
    fn agreement_on_scores_is_finite(
        chats in prop_oneof![chats(number().boxed()), chats(scores().boxed())], raters in 0..5_u8, settings in settings(),
    ) {
        let mut all = Scores::new(raters);
        for chat in &chats {
            all.add_chat(chat.iter().map(Vec::as_slice));
        }
        let agreement = all.agreement(&settings);
        for figure in [agreement.icc_agreement, agreement.icc_consistency, agreement.krippendorff_alpha] {
            in_order(figure);
        }
    }

    #[test]
    fn comparisons_of_pairs_are_finite(
        metrics in prop::collection::vec(prop::collection::vec((number(), number()), 0..30), 0..4),
        settings in settings(),
    ) {
        for (comparison, pairs) in compare_many(&metrics, &settings).into_iter().zip(&metrics) {
            for figure in [comparison.means.first, comparison.means.second, comparison.means.difference] {
                in_order(figure);
            }
            tested(comparison.means.test);
            prop_assert_eq!(comparison.higher + comparison.same + comparison.lower, comparison.means.chats.0);
            prop_assert!(comparison.means.chats.0 <= pairs.len());
        }
    }

    #[test]
    fn comparisons_of_paired_events_are_finite(
        pairs in prop::collection::vec(any::<(Option<bool>, Option<bool>)>(), 0..40), settings in settings(),
    ) {
        let comparison = compare_events(&pairs, &settings);
        for figure in [comparison.first, comparison.second, comparison.difference] {
            in_order(figure);
        }
        tested(comparison.test);
    }

    #[test]
    fn comparisons_of_groups_are_finite(first in numbers(), second in numbers(), settings in settings()) {
        let events = |group: &[Option<f64>]| group.iter().map(|value| value.map(|value| value > 2.0)).collect::<Vec<_>>();
        let rates = unpaired::compare_events(&events(&first), &events(&second), &settings);
        for figure in [rates.first, rates.second, rates.difference] {
            in_order(figure);
        }
        tested(rates.test);
        for (difference, test) in unpaired::differences(&[first], &[second], &settings) {
            in_order(difference);
            tested(test);
        }
    }

    #[test]
    fn means_rates_and_corrections_are_finite(
        values in numbers(), hits in any::<u64>(), cases in any::<u64>(), settings in settings(),
    ) {
        in_order(mean::of_many(std::slice::from_ref(&values), &settings)[0]);
        in_order(mean::of_clusters(values.chunks(3), &settings));
        in_order(proportion(hits, cases, &settings));
        tested(sign_flip(&values.iter().flatten().copied().collect::<Vec<_>>(), &settings));
        let adjusted = holm(&values);
        finite(&adjusted);
        for (adjusted, p_value) in adjusted.into_iter().zip(&values) {
            prop_assert!(adjusted.is_none_or(|adjusted| p_value.is_some_and(|p_value| p_value <= adjusted)));
        }
    }

    #[test]
    fn stability_is_finite(chats in prop::collection::vec(numbers(), 0..8), settings in settings()) {
        let spread = stability::spread(chats.iter().map(Vec::as_slice), &settings);
        finite(&spread);
        in_order(spread.deviation);
        in_order(spread.mean_range);
        let classes = |chat: &Vec<Option<f64>>| chat.iter().map(|value| value.map(|value| value as u8)).collect();
        let answers: Vec<Vec<Option<u8>>> = chats.iter().map(classes).collect();
        let flips = stability::flips(answers.iter().map(Vec::as_slice), &settings);
        in_order(flips.flip_rate);
        in_order(flips.unsteady);
        let events = |chat: &Vec<Option<f64>>| chat.iter().map(|value| value.map(|value| value > 2.0)).collect();
        let events: Vec<Vec<Option<bool>>> = chats.iter().map(events).collect();
        let firing = stability::firing(events.iter().map(Vec::as_slice), &settings);
        in_order(firing.overall);
        firing.by_chat.into_iter().for_each(in_order);
    }
}
