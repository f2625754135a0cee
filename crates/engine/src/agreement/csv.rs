//! Agreement as CSV: one row a figure.

use carelock_statistics::agreement::{Agreement, Failures};
use carelock_statistics::scores::ScoreAgreement;

use super::{Against, Study};
use crate::figures::Sheet;

/// The study as CSV: judge, reference, what part of the checks, the figure and its interval.
pub fn csv(study: &Study) -> String {
    let mut sheet = Sheet::new(&["judge", "reference", "part", "name"]);
    let reference = study.reference.name.as_str();
    for against in &study.judges {
        of_judge(&mut sheet, reference, against);
    }
    if let Some(together) = &study.together {
        let about = ["all", reference, "checks", ""];
        agreement(&mut sheet, &about, &together.checks);
        overall(&mut sheet, &["all", reference, "overall", ""], &together.overall);
    }
    sheet.finish()
}

fn of_judge(sheet: &mut Sheet, reference: &str, against: &Against) {
    let judge = against.judge.short();
    let about = |part: &'static str| [judge, reference, part, ""];
    let matched = &against.matched;
    sheet.count(&about("chats"), "matched", matched.chats as u64);
    sheet.count(&about("chats"), "only_reference", matched.only_first.len() as u64);
    sheet.count(&about("chats"), "only_judge", matched.only_second.len() as u64);
    sheet.count(&about("chats"), "other_text", matched.other_text.len() as u64);
    let gates = &against.gates;
    sheet.count(&about("gates"), "should_fire", gates.should);
    sheet.count(&about("gates"), "fired", gates.fired);
    sheet.estimate(&about("gates"), "recall", &gates.recall);
    sheet.count(&about("gates"), "should_not_fire", gates.should_not);
    sheet.count(&about("gates"), "false_alarms", gates.false_alarms);
    sheet.estimate(&about("gates"), "false_alarm_rate", &gates.false_alarm_rate);
    sheet.count(&about("gates"), "not_judged", gates.not_judged);
    agreement(sheet, &about("checks"), &against.checks);
    failures(sheet, &about("checks"), &against.failures);
    overall(sheet, &about("overall"), &against.overall);
    if let Some(pairs) = &against.pairs {
        sheet.count(&about("pairs"), "pairs", pairs.pairs);
        sheet.count(&about("pairs"), "both_right", pairs.both_right);
        sheet.estimate(&about("pairs"), "share_both_right", &pairs.share);
    }
    for slice in &against.slices {
        let part = against.by.map_or("", super::By::word);
        let about = [judge, reference, part, slice.name.as_str()];
        agreement(sheet, &about, &slice.agreement);
        failures(sheet, &about, &slice.failures);
    }
}

fn agreement(sheet: &mut Sheet, about: &[&str], figures: &Agreement) {
    sheet.count(about, "items", figures.items);
    for (name, figure) in [
        ("agreement", &figures.raw),
        ("constant_guess", &figures.baseline),
        ("cohen_kappa", &figures.cohen_kappa),
        ("gwet_ac1", &figures.gwet_ac1),
        ("krippendorff_alpha", &figures.krippendorff_alpha),
        ("fleiss_kappa", &figures.fleiss_kappa),
    ] {
        sheet.estimate(about, name, figure);
    }
}

fn failures(sheet: &mut Sheet, about: &[&str], figures: &Failures) {
    sheet.count(about, "reference_failures", figures.reference);
    sheet.count(about, "judge_failures", figures.named);
    sheet.count(about, "both_fail", figures.found);
    for (name, figure) in [
        ("precision", &figures.precision),
        ("recall", &figures.recall),
        ("f1", &figures.f1),
        ("over_passing", &figures.over_passing),
        ("over_failing", &figures.over_failing),
    ] {
        sheet.estimate(about, name, figure);
    }
}

fn overall(sheet: &mut Sheet, about: &[&str], figures: &ScoreAgreement) {
    sheet.count(about, "chats", figures.complete);
    sheet.estimate(about, "icc_agreement", &figures.icc_agreement);
    sheet.estimate(about, "icc_consistency", &figures.icc_consistency);
    sheet.estimate(about, "krippendorff_alpha", &figures.krippendorff_alpha);
}
