//! What the figures answer where there is little, nothing, or all the same to compute from.

use carelock_statistics::agreement::Ratings;
use carelock_statistics::paired::{Pair, PairedComparison, compare_events, compare_many, sign_flip};
use carelock_statistics::scores::Scores;
use carelock_statistics::{
    Bootstrap, ClusterSums, Estimate, Procedure, Tested, WhyNot, mean, proportion, stability, unpaired,
};

fn settings() -> Bootstrap {
    Bootstrap::default()
}

fn two_raters(items: &[(u8, u8)]) -> Ratings {
    let mut ratings = Ratings::new(2, 2);
    for &(first, second) in items {
        ratings.add_chat([[Some(first), Some(second)].as_slice()]);
    }
    ratings
}

fn of_chats(values: &[Option<f64>], settings: &Bootstrap) -> Estimate {
    mean::of_many(&[values.to_vec()], settings)[0]
}

fn compare(pairs: &[Pair]) -> PairedComparison {
    compare_many(&[pairs.to_vec()], &settings())[0]
}

fn apart(first: &[Option<f64>], second: &[Option<f64>]) -> (Estimate, Tested) {
    unpaired::differences(&[first.to_vec()], &[second.to_vec()], &settings())[0]
}

fn says(estimate: Estimate, value: Option<f64>, why_not: WhyNot) {
    assert_eq!((estimate.value, estimate.interval, estimate.why_not), (value, None, Some(why_not)));
}

#[test]
fn without_data_every_figure_says_so() {
    let agreement = Ratings::new(2, 2).agreement(&settings());
    for figure in [agreement.raw, agreement.baseline, agreement.cohen_kappa, agreement.gwet_ac1] {
        says(figure, None, WhyNot::NoData);
    }
    says(agreement.krippendorff_alpha, None, WhyNot::NoData);
    says(Scores::new(2).agreement(&settings()).icc_agreement, None, WhyNot::NoData);
    says(of_chats(&[None, Some(f64::NAN)], &settings()), None, WhyNot::NoData);
    says(proportion(0, 0, &settings()), None, WhyNot::NoData);
    assert_eq!(compare(&[]).means.test.why_not, Some(WhyNot::NoData));
    assert_eq!(compare_events(&[(None, Some(true))], &settings()).test.why_not, Some(WhyNot::NoData));
    assert_eq!(apart(&[], &[Some(1.0)]).1.why_not, Some(WhyNot::NoData));
    assert_eq!(unpaired::compare_events(&[], &[Some(true)], &settings()).test.why_not, Some(WhyNot::NoData));
    assert_eq!(settings().estimates(&[], [&|_| Ok(1.0)])[0].why_not, Some(WhyNot::OneChat));
}

#[test]
fn where_all_labels_are_one_class_chance_corrected_figures_are_undefined_and_ac1_is_one() {
    let agreement = two_raters(&[(1, 1); 10]).agreement(&settings());
    says(agreement.cohen_kappa, None, WhyNot::OneClass);
    says(agreement.krippendorff_alpha, None, WhyNot::OneClass);
    says(agreement.gwet_ac1, Some(1.0), WhyNot::NoVariation);
    says(agreement.raw, Some(1.0), WhyNot::NoVariation);
    says(agreement.fleiss_kappa, None, WhyNot::OtherRaters);
}

#[test]
fn without_failures_there_is_no_recall_but_a_rate_of_over_failing() {
    let failures = two_raters(&[(1, 1), (1, 1), (1, 0), (1, 1)]).failures(0, &settings());
    says(failures.recall, None, WhyNot::NoCases);
    says(failures.over_passing, None, WhyNot::NoCases);
    assert_eq!((failures.precision.value, failures.over_failing.value), (Some(0.0), Some(0.25)));
    assert_eq!((failures.reference, failures.named, failures.found), (0, 1, 0));
}

#[test]
fn one_chat_has_values_and_no_intervals() {
    let mut ratings = Ratings::new(2, 2);
    let items = [[Some(0), Some(0)], [Some(1), Some(0)], [Some(1), Some(1)]];
    ratings.add_chat(items.iter().map(<[_; 2]>::as_slice));
    let agreement = ratings.agreement(&settings());
    says(agreement.raw, Some(2.0 / 3.0), WhyNot::OneChat);
    assert_eq!((agreement.chats, agreement.items), (1, 3));
    says(of_chats(&[Some(3.0)], &settings()), Some(3.0), WhyNot::OneChat);
    let one = compare(&[(Some(1.0), Some(2.0))]);
    says(one.means.difference, Some(1.0), WhyNot::OneChat);
    assert_eq!(one.means.test.p_value, Some(1.0));
    assert_eq!(apart(&[Some(1.0)], &[Some(2.0), Some(3.0)]).1.why_not, Some(WhyNot::OneChat));
}

#[test]
fn equal_values_have_no_interval_and_no_test_but_no_difference_is_certain() {
    let same: Vec<Pair> = vec![(Some(0.1), Some(0.1)); 30];
    let comparison = compare(&same);
    says(comparison.means.difference, Some(0.0), WhyNot::NoVariation);
    assert_eq!((comparison.means.test.p_value, comparison.same), (Some(1.0), 30));
    assert_eq!(comparison.means.first.why_not, Some(WhyNot::NoVariation), "{comparison:?}");
    assert_eq!(apart(&[Some(0.1); 9], &[Some(0.1); 7]).1.why_not, Some(WhyNot::NoVariation));
    let mut scores = Scores::new(2);
    for _ in 0..5 {
        scores.add_chat([[Some(0.1), Some(0.1)].as_slice()]);
    }
    says(scores.agreement(&settings()).icc_consistency, None, WhyNot::NoVariation);
    says(scores.agreement(&settings()).krippendorff_alpha, None, WhyNot::NoVariation);
}

#[test]
fn raters_that_always_agree_on_different_scores_correlate_fully() {
    let mut scores = Scores::new(2);
    for score in [10.0, 20.0, 35.5, 71.25] {
        scores.add_chat([[Some(score), Some(score)].as_slice()]);
    }
    assert_eq!(scores.agreement(&settings()).icc_agreement.value, Some(1.0));
    assert_eq!(scores.agreement(&settings()).icc_consistency.value, Some(1.0));
}

#[test]
fn a_gate_that_never_fired_still_has_an_interval() {
    let interval = proportion(0, 20, &settings()).interval.unwrap();
    assert!(interval.low == 0.0 && (interval.high - 0.1611).abs() < 1e-4, "{interval:?}");
    assert_eq!(proportion(20, 20, &settings()).interval.unwrap().high, 1.0);
}

#[test]
fn numbers_too_large_to_add_up_say_so() {
    says(of_chats(&[Some(f64::MAX); 3], &settings()), None, WhyNot::TooLarge);
    let far = compare(&[(Some(f64::MIN), Some(f64::MAX)); 3]).means;
    assert_eq!((far.difference.why_not, far.test.why_not), (Some(WhyNot::TooLarge), Some(WhyNot::TooLarge)));
}

#[test]
fn a_figure_that_most_resamples_cannot_have_gets_no_interval() {
    let mut sums = ClusterSums::new(2);
    for chat in 0..50 {
        sums.add_chat().copy_from_slice(&[1.0, f64::from(chat)]);
    }
    let estimate = settings().estimate(&sums, &|sums| if sums[1] == 1225.0 { Ok(1.0) } else { Err(WhyNot::NoCases) });
    says(estimate, Some(1.0), WhyNot::TooFewCases);
}

#[test]
fn the_same_settings_give_the_same_interval_and_another_seed_another() {
    let values: Vec<Option<f64>> = (0..40).map(|number| Some(f64::from(number * number % 17))).collect();
    assert_eq!(of_chats(&values, &settings()), of_chats(&values, &settings()));
    assert_ne!(of_chats(&values, &settings()), of_chats(&values, &settings().with_seed(1)));
}

#[test]
fn chats_are_resampled_and_not_their_checks() {
    // Ten checks of a chat all say the same: ten times the checks tell no more than the chats.
    let chats: Vec<Vec<Option<f64>>> = (0..30).map(|chat| vec![Some(f64::from(chat % 2)); 10]).collect();
    let singles: Vec<Option<f64>> = (0..30).map(|chat| Some(f64::from(chat % 2))).collect();
    let clustered = mean::of_clusters(chats.iter().map(Vec::as_slice), &settings());
    assert_eq!(clustered, of_chats(&singles, &settings()));
}

#[test]
fn a_hundred_thousand_chats_have_the_interval_of_their_standard_error() {
    let values: Vec<Option<f64>> =
        (0..100_000_u32).map(|chat| Some(f64::from(chat.wrapping_mul(2_654_435_761) % 101))).collect();
    let estimate = of_chats(&values, &settings());
    let (value, interval) = (estimate.value.unwrap(), estimate.interval.unwrap());
    let squares = values.iter().flatten().map(|number| (number - value).powi(2)).sum::<f64>();
    let reach = 1.96 * (squares / 99_999.0 / 100_000.0).sqrt();
    assert!((interval.high - value - reach).abs() < 0.1 * reach, "{interval:?} {reach}");
    assert!((value - interval.low - reach).abs() < 0.1 * reach, "{interval:?} {reach}");
}

#[test]
fn the_sign_flip_test_goes_from_exact_to_sampled_to_normal_without_a_jump() {
    let differences = |count: u32| -> Vec<f64> { (0..count).map(|number| f64::from(number % 7) - 2.9).collect() };
    let of = |count: u32| sign_flip(&differences(count), &settings());
    assert_eq!(of(20).procedure, Procedure::SignFlipExact);
    assert_eq!(of(21).procedure, Procedure::SignFlipSampled);
    assert_eq!(of(10_000).procedure, Procedure::SignFlipSampled);
    assert_eq!(of(10_001).procedure, Procedure::SignFlipNormal);
    assert!((of(20).p_value.unwrap() - of(21).p_value.unwrap()).abs() < 0.15);
    // Sums of hundreds of flips are close to normal: 2.1 standard errors.
    let shifted: Vec<f64> =
        (0..500).map(|number| if number % 2 == 0 { 1.0 } else { -1.0 } + 2.1 / 500_f64.sqrt()).collect();
    let p_value = sign_flip(&shifted, &settings()).p_value.unwrap();
    assert!((p_value - 0.0357).abs() < 0.008, "{p_value}");
}

#[test]
fn many_metrics_are_corrected_together() {
    let metric =
        |shift: f64| (0..12).map(|chat| (Some(f64::from(chat)), Some(f64::from(chat) + shift))).collect::<Vec<Pair>>();
    let comparisons = compare_many(&[metric(1.0), metric(0.0), metric(-2.0)], &settings());
    let single = 2.0 / 4096.0;
    assert_eq!(comparisons[0].means.test.p_value, Some(single));
    assert_eq!(comparisons[0].means.test.adjusted, Some(3.0 * single));
    assert_eq!((comparisons[0].higher, comparisons[1].same, comparisons[2].lower), (12, 12, 12));
}

#[test]
fn repeats_show_flips_firing_and_spread() {
    let steady = vec![Some(1_u8); 4];
    let mixed = vec![Some(1), Some(0), Some(1), None];
    let flips = stability::flips([steady.as_slice(), mixed.as_slice(), &[Some(1)]], &settings());
    assert_eq!((flips.chats, flips.unsteady.value), (2, Some(0.5)));
    // Of twelve ordered pairs and six, four differ.
    assert_eq!(flips.flip_rate.value, Some(4.0 / 18.0));
    let firing = stability::firing([[Some(true), Some(false), None].as_slice(), &[None]], &settings());
    assert_eq!((firing.by_chat[0].value, firing.by_chat[1].why_not), (Some(0.5), Some(WhyNot::NoData)));
    let spread =
        stability::spread([[Some(70.0), Some(74.0)].as_slice(), &[Some(50.0), Some(50.0), Some(50.0)]], &settings());
    assert_eq!((spread.chats, spread.largest_range, spread.mean_range.value), (2, Some(4.0), Some(2.0)));
    assert_eq!(spread.deviation.value, Some((8.0_f64 / 3.0).sqrt()));
}

#[test]
fn missing_labels_are_counted_apart_in_the_confusion_table() {
    let mut ratings = Ratings::new(2, 2);
    let items = [[Some(0), Some(1)], [Some(0), None], [None, Some(1)], [None, None], [Some(9), Some(1)]];
    ratings.add_chat(items.iter().map(<[_; 2]>::as_slice));
    let confusion = ratings.confusion().unwrap();
    assert_eq!(confusion.counts, [[0, 1], [0, 0]]);
    assert_eq!((confusion.reference_only, confusion.other_only, confusion.neither), (vec![1, 0], vec![0, 2], 1));
}

#[test]
fn settings_that_make_no_interval_are_refused_with_what_to_do() {
    let error = settings().with_confidence(95.0).unwrap_err().to_string();
    assert_eq!(error, "confidence: 95 is not between 0 and 1\nfix: give a share such as 0.95");
    assert!(settings().with_confidence(f64::NAN).is_err() && settings().with_resamples(1).is_err());
}

#[test]
fn many_values_at_once_say_what_they_say_one_by_one() {
    let value = |chat: u32, factor: u32| Some(f64::from((chat * factor) % 17) / 17.0);
    let columns: Vec<Vec<Option<f64>>> =
        [3, 5, 7].map(|factor| (0..40).map(|chat| value(chat, factor)).collect()).to_vec();
    let others: Vec<Vec<Option<f64>>> =
        [4, 6, 9].map(|factor| (0..40).map(|chat| value(chat, factor)).collect()).to_vec();
    let one_by_one: Vec<Estimate> = columns.iter().map(|column| of_chats(column, &settings())).collect();
    assert_eq!(mean::of_many(&columns, &settings()), one_by_one);
    let pairs: Vec<Vec<Pair>> =
        columns.iter().zip(&others).map(|(one, two)| one.iter().copied().zip(two.iter().copied()).collect()).collect();
    for (many, pairs) in compare_many(&pairs, &settings()).into_iter().zip(&pairs) {
        let one = compare(pairs);
        assert_eq!((many.means.difference, many.means.first), (one.means.difference, one.means.first));
        assert_eq!((many.means.test.p_value, many.higher), (one.means.test.p_value, one.higher));
    }
    let found = unpaired::differences(&columns, &others, &settings());
    for ((difference, test), (one, two)) in found.into_iter().zip(columns.iter().zip(&others)) {
        assert_eq!((difference, test), apart(one, two));
    }
}

#[test]
fn many_values_of_which_some_are_missing_everywhere_are_still_defined() {
    let columns = vec![vec![Some(1.0), Some(2.0), None], vec![None, None, None], vec![None, Some(1.0), None]];
    let means = mean::of_many(&columns, &settings());
    assert_eq!(means[0].value, Some(1.5));
    says(means[1], None, WhyNot::NoData);
    assert_eq!((means[2].value, means[2].interval), (Some(1.0), None));
    assert_eq!(mean::of_many(&[], &settings()), []);
    assert_eq!(compare_many(&[], &settings()), []);
    assert_eq!(unpaired::differences(&[], &[], &settings()), []);
    assert_eq!(unpaired::differences(&columns, &columns, &settings())[1].0.value, None);
}
