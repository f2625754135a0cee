//! Agreement for a terminal: gates first, then figures, then the words behind the worst disagreements.

use carelock_core::report::TextStyle;
use carelock_statistics::Estimate;

use super::disagreement::{Disagreement, Opinion};
use super::gates::GateChat;
use super::{Against, By, Study};
use crate::figures::{Align, Page, Table, count, estimate, listed, plural, undefined};

/// Names of chats in one line.
const NAMES: usize = 8;

/// The study as text.
pub fn text(study: &Study, style: TextStyle) -> String {
    let mut page = Page::new(style);
    for against in &study.judges {
        page.heading(&format!("{} against {}", against.judge.title(), study.reference.title()));
        matched(&mut page, study, against);
        gates(&mut page, against);
        figures(&mut page, study, against);
        slices(&mut page, study, against);
        disagreements(&mut page, study, against);
    }
    if let Some(together) = &study.together {
        page.heading(&format!("All {} raters together", together.checks.raters));
        let mut table = figure_table();
        let checks = &together.checks;
        row(&mut table, "agreement of pairs", &checks.raw, "");
        row(&mut table, "Fleiss' kappa", &checks.fleiss_kappa, "");
        row(&mut table, "Gwet's AC1", &checks.gwet_ac1, "");
        row(&mut table, "Krippendorff's alpha", &checks.krippendorff_alpha, "");
        row(&mut table, "ICC of overall scores", &together.overall.icc_agreement, "the same scores");
        page.table(2, &table);
    }
    for note in &study.notes {
        page.block("note: ", note);
    }
    page.line("");
    let settings = &study.intervals;
    let percent = settings.confidence() * 100.0;
    let how = format!(
        "In brackets: {percent:.0} % intervals. {} resamples of whole chats, seed {:#x}; Wilson's for gates and pairs.",
        count(settings.resamples() as u64),
        settings.seed()
    );
    page.block("", &how);
    page.finish()
}

fn matched(page: &mut Page, study: &Study, against: &Against) {
    let matched = &against.matched;
    let mut line = format!("{} in both", plural(matched.chats, "chat"));
    if matched.by_digest > 0 {
        line += &format!(" ({} found by their text, because their ids differ)", matched.by_digest);
    }
    page.block("", &format!("{line}; {} checks with two verdicts", count(against.checks.items)));
    let unmatched = [
        (&matched.only_first, format!("only in {}", study.reference.short())),
        (&matched.only_second, format!("only in {}", against.judge.short())),
        (&matched.other_text, "same id, other text".to_owned()),
    ];
    for (ids, what) in unmatched.iter().filter(|(ids, _)| !ids.is_empty()) {
        let names = listed(ids.iter().map(String::as_str), NAMES);
        page.block("  ", &format!("{what}: {} ({names})", plural(ids.len(), "chat")));
    }
}

fn gates(page: &mut Page, against: &Against) {
    let gates = &against.gates;
    page.heading("Gates");
    if gates.should + gates.should_not == 0 {
        page.line("  no chat has a label on a gate check");
        return;
    }
    let of = |part: u64, whole: u64| format!("{} of {}", count(part), count(whole));
    let mut table = Table::new(&[("", Align::Left), ("chats", Align::Right), ("", Align::Left)]);
    table.row(["should fire and does".into(), of(gates.fired, gates.should), estimate(&gates.recall)]);
    let alarms = of(gates.false_alarms, gates.should_not);
    table.row(["should not fire and does".into(), alarms, estimate(&gates.false_alarm_rate)]);
    if gates.not_judged > 0 {
        table.row(["not judged".into(), count(gates.not_judged), String::new()]);
    }
    page.table(2, &table);
    for (what, chats) in [("missed: ", &gates.missed), ("false alarm: ", &gates.alarms)] {
        let named: Vec<String> = chats.iter().map(gate_chat).collect();
        if !named.is_empty() {
            page.block(&format!("  {what}"), &listed(named.iter().map(String::as_str), NAMES));
        }
    }
}

pub(super) fn gate_chat(chat: &GateChat) -> String {
    format!("{} {}", chat.chat, chat.checks.join("+"))
}

fn figure_table() -> Table {
    Table::new(&[("", Align::Left), ("", Align::Left), ("", Align::Left)])
}

fn row(table: &mut Table, name: &str, figure: &Estimate, says: &str) {
    let why = undefined(figure);
    let remark = match (why.is_empty(), says.is_empty()) {
        (true, _) => says.to_owned(),
        (false, true) => format!("({why})"),
        (false, false) => format!("{says} ({why})"),
    };
    table.row([name.to_owned(), estimate(figure), remark]);
}

fn figures(page: &mut Page, study: &Study, against: &Against) {
    page.heading("Checks: pass or fail");
    page.table(2, &agreement_table(against));
    page.heading("Failures");
    let failures = &against.failures;
    let counts = format!(
        "{} fails {}, {} fails {}, both fail {}",
        study.reference.short(),
        count(failures.reference),
        against.judge.short(),
        count(failures.named),
        count(failures.found)
    );
    page.block("  ", &counts);
    page.table(2, &failure_table(against));
    page.heading(&format!(
        "Overall score, {}",
        plural(usize::try_from(against.overall.complete).unwrap_or_default(), "chat")
    ));
    page.table(2, &overall_table(against));
    if let Some(pairs) = &against.pairs {
        page.heading("Pairs of chats alike but for one check");
        let share = format!("{} of {}  {}", count(pairs.both_right), count(pairs.pairs), estimate(&pairs.share));
        page.line(&format!("  both chats right  {share}"));
        if pairs.incomplete > 0 {
            page.line(&format!(
                "  {} lack a chat",
                plural(usize::try_from(pairs.incomplete).unwrap_or_default(), "pair")
            ));
        }
        if !pairs.wrong.is_empty() {
            page.block("  wrong: ", &listed(pairs.wrong.iter().map(String::as_str), NAMES));
        }
    }
    if let Some(table) = confusion_table(study, against) {
        page.heading(&format!("Verdicts of {} (down) and {} (across)", study.reference.short(), against.judge.short()));
        page.table(2, &table);
    }
}

pub(super) fn agreement_table(against: &Against) -> Table {
    let checks = &against.checks;
    let mut table = figure_table();
    row(&mut table, "agreement", &checks.raw, "");
    row(&mut table, "constant guess", &checks.baseline, "always the commonest label");
    row(&mut table, "Cohen's kappa", &checks.cohen_kappa, "");
    row(&mut table, "Gwet's AC1", &checks.gwet_ac1, "");
    row(&mut table, "Krippendorff's alpha", &checks.krippendorff_alpha, "");
    table
}

pub(super) fn failure_table(against: &Against) -> Table {
    let failures = &against.failures;
    let mut table = figure_table();
    row(&mut table, "precision", &failures.precision, "failures named that are failures");
    row(&mut table, "recall", &failures.recall, "failures that were found");
    row(&mut table, "F1", &failures.f1, "");
    row(&mut table, "over-passing", &failures.over_passing, "failures that were passed");
    row(&mut table, "over-failing", &failures.over_failing, "passes that were failed");
    table
}

pub(super) fn overall_table(against: &Against) -> Table {
    let overall = &against.overall;
    let mut table = figure_table();
    row(&mut table, "ICC(A,1)", &overall.icc_agreement, "the same scores");
    row(&mut table, "ICC(C,1)", &overall.icc_consistency, "the same order and distances");
    row(&mut table, "Krippendorff's alpha", &overall.krippendorff_alpha, "");
    table
}

pub(super) fn confusion_table(study: &Study, against: &Against) -> Option<Table> {
    let confusion = against.confusion.as_ref()?;
    let classes = ["pass", "not triggered", "fail"];
    let name = study.reference.short();
    let mut header = vec![(name, Align::Left)];
    header.extend(classes.iter().map(|class| (*class, Align::Right)));
    header.push(("no verdict", Align::Right));
    let mut table = Table::new(&header);
    for (place, class) in classes.iter().enumerate() {
        let mut cells = vec![(*class).to_owned()];
        cells.extend(confusion.counts[place].iter().map(|number| count(*number)));
        cells.push(count(confusion.reference_only[place]));
        table.row(cells);
    }
    if confusion.other_only.iter().sum::<u64>() + confusion.neither > 0 {
        let mut cells = vec!["no verdict".to_owned()];
        cells.extend(confusion.other_only.iter().map(|number| count(*number)));
        cells.push(count(confusion.neither));
        table.row(cells);
    }
    Some(table)
}

fn slices(page: &mut Page, study: &Study, against: &Against) {
    let Some(by) = against.by else { return };
    page.heading(match by {
        By::Check => "By check",
        By::Metric => "By metric",
        By::Source => "By source",
    });
    let mut table = Table::new(&[
        ("", Align::Left),
        ("fails", Align::Right),
        ("agreement", Align::Left),
        ("kappa", Align::Left),
        ("over-passing", Align::Left),
    ]);
    for slice in &against.slices {
        table.row([
            slice.title.clone(),
            format!("{}/{}", slice.failures.reference, slice.agreement.items),
            estimate(&slice.agreement.raw),
            estimate(&slice.agreement.cohen_kappa),
            estimate(&slice.failures.over_passing),
        ]);
    }
    page.table(2, &table);
    page.block("  ", &format!("fails: how many {} fails, of the checks both judged", study.reference.short()));
}

fn disagreements(page: &mut Page, study: &Study, against: &Against) {
    let all = &against.disagreements;
    let total = all.over_passed + all.over_failed;
    page.heading("Disagreements");
    let (judge, reference) = (against.judge.short(), study.reference.short());
    let (passed, failed) = (plural(all.over_passed, "check"), count(all.over_failed as u64));
    page.block("  ", &format!("{judge} passes {passed} that {reference} fails, and fails {failed} that it passes"));
    if total > all.worst.len() && !all.worst.is_empty() {
        let number = if all.worst.len() == 1 { String::new() } else { format!("{} ", all.worst.len()) };
        page.line(&format!("  the {number}worst:"));
    }
    for (number, one) in (1..).zip(&all.worst) {
        page.line("");
        disagreement(page, number, one, (study.reference.short(), against.judge.short()));
    }
}

fn disagreement(page: &mut Page, number: usize, one: &Disagreement, (reference, judge): (&str, &str)) {
    let gate = if one.gate { ", a gate" } else { "" };
    page.block(&format!("  {number}. "), &format!("{}, {} {}{gate}", one.chat, one.check, one.title));
    opinion(page, reference, &one.reference);
    opinion(page, judge, &one.judge);
}

fn opinion(page: &mut Page, name: &str, opinion: &Opinion) {
    let mut said = format!("{name}: {}", opinion.verdict);
    if !opinion.words.why.is_empty() {
        said += &format!(" – {}", opinion.words.why);
    }
    page.block("     ", &said);
    if let Some(quote) = &opinion.words.quote {
        let turn = opinion.words.turns.first().map(|turn| format!("turn {turn} ")).unwrap_or_default();
        page.block("       ", &format!("{turn}“{quote}”"));
    }
}
