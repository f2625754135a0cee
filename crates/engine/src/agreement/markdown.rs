//! Agreement as Markdown, for pull requests and pages.

use carelock_core::report::escape_markdown;

use super::disagreement::Opinion;
use super::text::{agreement_table, confusion_table, failure_table, gate_chat, overall_table};
use super::{Against, Study};
use crate::figures::{Align, Table, count, estimate, listed, plural};

/// Names of chats in one line.
const NAMES: usize = 20;

/// The study as Markdown.
pub fn markdown(study: &Study) -> String {
    let mut text = String::new();
    for against in &study.judges {
        let title = format!("{} against {}", against.judge.title(), study.reference.title());
        text += &format!("## {}\n\n", escape_markdown(&title));
        text += &opening(study, against);
        text += &format!("### Gates\n\n{}\n", gates(against));
        text += &format!("### Checks: pass or fail\n\n{}\n", agreement_table(against).markdown());
        text += &format!("### Failures\n\n{}\n", failure_table(against).markdown());
        text += &format!("### Overall score\n\n{}\n", overall_table(against).markdown());
        if let Some(table) = confusion_table(study, against) {
            text += &format!("### Verdicts\n\n{}\n", table.markdown());
        }
        text += &slices(against);
        text += &disagreements(study, against);
    }
    if let Some(together) = &study.together {
        let checks = &together.checks;
        let mut table = Table::new(&[("all raters together", Align::Left), ("", Align::Left)]);
        let icc = &together.overall.icc_agreement;
        for (name, figure) in [
            ("agreement of pairs", &checks.raw),
            ("Fleiss' kappa", &checks.fleiss_kappa),
            ("Gwet's AC1", &checks.gwet_ac1),
            ("Krippendorff's alpha", &checks.krippendorff_alpha),
            ("ICC(A,1) of overall scores", icc),
        ] {
            table.row([name.to_owned(), estimate(figure)]);
        }
        text += &format!("{}\n", table.markdown());
    }
    for note in &study.notes {
        text += &format!("Note: {}\n\n", escape_markdown(note));
    }
    let settings = &study.intervals;
    text += &format!(
        "In brackets: {:.0} % intervals; {} resamples of whole chats, seed {:#x}.\n",
        settings.confidence() * 100.0,
        count(settings.resamples() as u64),
        settings.seed()
    );
    text
}

fn opening(study: &Study, against: &Against) -> String {
    let matched = &against.matched;
    let mut text =
        format!("{} in both, {} checks with two verdicts.", plural(matched.chats, "chat"), count(against.checks.items));
    for (ids, what) in [
        (&matched.only_first, format!("Only in {}", study.reference.short())),
        (&matched.only_second, format!("Only in {}", against.judge.short())),
        (&matched.other_text, "Same id, other text".to_owned()),
    ] {
        if !ids.is_empty() {
            let names = listed(ids.iter().map(String::as_str), NAMES);
            text += &escape_markdown(&format!(" {what}: {} ({names}).", plural(ids.len(), "chat")));
        }
    }
    text + "\n\n"
}

fn gates(against: &Against) -> String {
    let gates = &against.gates;
    let mut table =
        Table::new(&[("", Align::Left), ("chats", Align::Right), ("share", Align::Left), ("which", Align::Left)]);
    let names = |chats: &[super::gates::GateChat]| {
        let named: Vec<String> = chats.iter().map(gate_chat).collect();
        listed(named.iter().map(String::as_str), NAMES)
    };
    let of = |part: u64, whole: u64| format!("{} of {}", count(part), count(whole));
    let missed = if gates.missed.is_empty() { String::new() } else { format!("missed: {}", names(&gates.missed)) };
    table.row(["should fire and does".into(), of(gates.fired, gates.should), estimate(&gates.recall), missed]);
    let alarms = of(gates.false_alarms, gates.should_not);
    let rate = estimate(&gates.false_alarm_rate);
    table.row(["should not fire and does".into(), alarms, rate, names(&gates.alarms)]);
    let mut text = table.markdown();
    if gates.not_judged > 0 {
        text += &format!("\n{} chats have a gate check that was not judged.\n", gates.not_judged);
    }
    if let Some(pairs) = &against.pairs {
        let (right, all) = (count(pairs.both_right), count(pairs.pairs));
        text += &format!("\nPairs with both chats right: {right} of {all}, {}.\n", estimate(&pairs.share));
    }
    text
}

fn slices(against: &Against) -> String {
    if against.slices.is_empty() {
        return String::new();
    }
    let names = ["fails", "agreement", "guess", "kappa", "AC1", "alpha", "precision", "recall", "over-passing"];
    let mut header = vec![("", Align::Left)];
    header.extend(names.map(|name| (name, Align::Right)));
    let mut table = Table::new(&header);
    for slice in &against.slices {
        let (agreement, failures) = (&slice.agreement, &slice.failures);
        let mut cells = vec![slice.name.clone(), format!("{}/{}", failures.reference, agreement.items)];
        let figures = [
            &agreement.raw,
            &agreement.baseline,
            &agreement.cohen_kappa,
            &agreement.gwet_ac1,
            &agreement.krippendorff_alpha,
            &failures.precision,
            &failures.recall,
            &failures.over_passing,
        ];
        cells.extend(figures.map(estimate));
        table.row(cells);
    }
    format!("### In parts\n\n{}\n", table.markdown())
}

fn disagreements(study: &Study, against: &Against) -> String {
    let all = &against.disagreements;
    let mut text =
        format!("### Disagreements\n\n{} passed that fail, {} failed that pass.\n\n", all.over_passed, all.over_failed);
    for one in &all.worst {
        let gate = if one.gate { ", a gate" } else { "" };
        text +=
            &format!("- **{} {}**{gate} in {}\n", one.check, escape_markdown(&one.title), escape_markdown(&one.chat));
        text += &opinion(study.reference.short(), &one.reference);
        text += &opinion(against.judge.short(), &one.judge);
    }
    if !all.worst.is_empty() {
        text.push('\n');
    }
    text
}

fn opinion(name: &str, opinion: &Opinion) -> String {
    let mut text = format!("  - {}: {}", escape_markdown(name), opinion.verdict);
    if !opinion.words.why.is_empty() {
        text += &format!(" – {}", escape_markdown(&opinion.words.why));
    }
    if let Some(quote) = &opinion.words.quote {
        text += &format!(" (“{}”)", escape_markdown(quote));
    }
    text + "\n"
}
