//! How far judges agree: raw agreement, kappa and alpha, with bootstrap intervals.

use indexmap::IndexMap;

use crate::report::{Agreement, Estimate};
use crate::rubric::Rubric;
use crate::verdict::Verdicts;

/// One check's answers, a judge each; nothing where a judge has none.
type Item = Vec<Option<bool>>;

const RESAMPLES: usize = 1000;
/// Any fixed number will do: intervals must be the same on every run.
const SEED: u64 = 0x5eed_ca4e_10c4;

impl Agreement {
    /// Agreement of a panel's members on one chat.
    pub fn between(rubric: &Rubric, members: &[Verdicts]) -> Self {
        let items: Vec<Item> = (0..rubric.checks().len())
            .map(|position| members.iter().map(|member| member.checks[position].pass()).collect())
            .collect();
        let by_check = rubric
            .checks()
            .zip(&items)
            .filter_map(|(check, item)| raw(&[item]).map(|share| (check.id.clone(), rounded(share))))
            .collect();
        Self { by_check, ..Self::new(&items, members.len()) }
    }

    /// Agreement over any items.
    pub fn new(items: &[Item], judges: usize) -> Self {
        let answered = |item: &&Item| item.iter().flatten().count() >= 2;
        let items: Vec<&Item> = items.iter().filter(answered).collect();
        Self {
            judges,
            checks: items.len(),
            raw: estimate(&items, raw),
            cohen_kappa: (judges == 2).then(|| estimate(&items, cohen)).flatten(),
            fleiss_kappa: (judges > 2).then(|| estimate(&items, |items| fleiss(items, judges))).flatten(),
            krippendorff_alpha: estimate(&items, alpha),
            by_check: IndexMap::new(),
        }
    }
}

fn counts(item: &Item) -> (f64, f64) {
    let passes = item.iter().flatten().filter(|&&pass| pass).count();
    (passes as f64, item.iter().flatten().count() as f64)
}

/// Agreeing pairs of answers in one item, of all its pairs.
fn pairs(item: &Item) -> (f64, f64) {
    let (passes, answers) = counts(item);
    let fails = answers - passes;
    (passes * (passes - 1.0) + fails * (fails - 1.0), answers * (answers - 1.0))
}

fn raw(items: &[&Item]) -> Option<f64> {
    let (agreeing, all) = items.iter().fold((0.0, 0.0), |sum, item| {
        let (agreeing, all) = pairs(item);
        (sum.0 + agreeing, sum.1 + all)
    });
    (all > 0.0).then(|| agreeing / all)
}

fn chance_corrected(observed: f64, expected: f64) -> Option<f64> {
    (expected < 1.0).then(|| (observed - expected) / (1.0 - expected))
}

fn cohen(items: &[&Item]) -> Option<f64> {
    let mut table = [[0.0_f64; 2]; 2];
    for item in items {
        if let [Some(first), Some(second)] = item.as_slice() {
            table[usize::from(*first)][usize::from(*second)] += 1.0;
        }
    }
    let total = table.iter().flatten().sum::<f64>();
    if total == 0.0 {
        return None;
    }
    let observed = (table[0][0] + table[1][1]) / total;
    let first = (table[1][0] + table[1][1]) / total;
    let second = (table[0][1] + table[1][1]) / total;
    chance_corrected(observed, first * second + (1.0 - first) * (1.0 - second))
}

/// Fleiss' kappa over the items every judge answered: it is not defined for others.
fn fleiss(items: &[&Item], judges: usize) -> Option<f64> {
    let full: Vec<&&Item> = items.iter().filter(|item| item.iter().flatten().count() == judges).collect();
    if full.is_empty() {
        return None;
    }
    let mut observed = 0.0;
    let mut passes = 0.0;
    for item in &full {
        let (agreeing, all) = pairs(item);
        observed += agreeing / all;
        passes += counts(item).0;
    }
    let total = full.len() as f64;
    let share = passes / (total * judges as f64);
    chance_corrected(observed / total, share * share + (1.0 - share) * (1.0 - share))
}

/// Krippendorff's alpha for nominal data; items may have any number of answers from two up.
fn alpha(items: &[&Item]) -> Option<f64> {
    let mut disagreeing = 0.0;
    let (mut passes, mut answers) = (0.0, 0.0);
    for item in items {
        let (agreed, all) = pairs(item);
        let (item_passes, item_answers) = counts(item);
        if item_answers < 2.0 {
            continue;
        }
        disagreeing += (all - agreed) / (item_answers - 1.0);
        passes += item_passes;
        answers += item_answers;
    }
    let fails = answers - passes;
    let expected = 2.0 * passes * fails / (answers - 1.0).max(1.0);
    (expected > 0.0).then(|| 1.0 - disagreeing / expected)
}

/// The value with its percentile interval over resampled items; resamples without a value take no part.
fn estimate(items: &[&Item], statistic: impl Fn(&[&Item]) -> Option<f64>) -> Option<Estimate> {
    let value = statistic(items)?;
    let mut random = SplitMix(SEED);
    let mut values: Vec<f64> = Vec::with_capacity(RESAMPLES);
    let mut sample: Vec<&Item> = Vec::with_capacity(items.len());
    for _ in 0..RESAMPLES {
        sample.clear();
        sample.extend((0..items.len()).map(|_| items[random.below(items.len())]));
        values.extend(statistic(&sample));
    }
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values.get(((values.len() as f64 - 1.0) * share).round() as usize).copied().unwrap_or(value);
    Some(Estimate { value: rounded(value), low: rounded(at(0.025)), high: rounded(at(0.975)) })
}

/// Four decimals are more than these numbers can bear.
fn rounded(value: f64) -> f64 {
    let rounded = (value * 1e4).round() / 1e4;
    // No "-0" in a report.
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// A small generator with a fixed sequence: the core must give the same numbers everywhere.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        // The bias of a 64-bit remainder is far below what a thousand resamples can show.
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(both: usize, first_only: usize, second_only: usize, neither: usize) -> Vec<Item> {
        let rows = [(both, true, true), (first_only, true, false), (second_only, false, true), (neither, false, false)];
        rows.into_iter().flat_map(|(count, first, second)| vec![vec![Some(first), Some(second)]; count]).collect()
    }

    fn close(estimate: Option<Estimate>, value: f64) {
        let estimate = estimate.expect("a value");
        assert!((estimate.value - value).abs() < 1e-4, "{estimate:?} is not {value}");
        assert!(estimate.low <= estimate.value && estimate.value <= estimate.high, "{estimate:?}");
    }

    #[test]
    fn cohens_kappa_is_that_of_the_textbook_table() {
        // 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed 0.7, by chance 0.5.
        close(Agreement::new(&table(20, 5, 10, 15), 2).cohen_kappa, 0.4);
        close(Agreement::new(&table(20, 5, 10, 15), 2).raw, 0.7);
    }

    #[test]
    fn krippendorffs_alpha_of_two_judges_is_that_of_the_formula() {
        // 100 values, 55 of them yes; 15 disagreements: 1 - 99 * 15 / (55 * 45).
        close(Agreement::new(&table(20, 5, 10, 15), 2).krippendorff_alpha, 1.0 - 99.0 * 15.0 / (55.0 * 45.0));
    }

    #[test]
    fn fleiss_kappa_counts_pairs_within_items() {
        let item = |passes: usize| (0..3).map(|judge| Some(judge < passes)).collect::<Item>();
        let items = [item(3), item(2), item(0), item(3)];
        // Item agreements 1, 1/3, 1, 1; share of passes 8/12.
        let expected = (8.0_f64 / 12.0).powi(2) + (4.0_f64 / 12.0).powi(2);
        close(Agreement::new(&items, 3).fleiss_kappa, (10.0 / 12.0 - expected) / (1.0 - expected));
    }

    #[test]
    fn where_chance_alone_agrees_always_there_is_no_kappa_and_no_nan() {
        let agreement = Agreement::new(&table(10, 0, 0, 0), 2);
        assert_eq!((agreement.cohen_kappa, agreement.krippendorff_alpha), (None, None));
        close(agreement.raw, 1.0);
        let none = Agreement::new(&[vec![Some(true), None]], 2);
        assert_eq!((none.checks, none.raw), (0, None));
    }
}
