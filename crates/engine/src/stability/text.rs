//! Stability as text, Markdown and CSV: gates first, then scores, then checks.

use carelock_core::report::{TextStyle, escape_markdown};

use super::{CheckStability, Stability};
use crate::figures::{Align, Page, Sheet, Table, count, estimate, listed, plural, undefined, value};

/// Names of chats in one line.
const NAMES: usize = 8;
/// Rows of a table of chats or checks.
const ROWS: usize = 12;

/// The figures as text.
pub fn text(stability: &Stability, style: TextStyle) -> String {
    let mut page = Page::new(style);
    let (judge, chats) = (&stability.judge, plural(stability.chats, "chat"));
    page.heading(&format!("{judge}, asked {} times about {chats}", stability.repeats));
    if !stability.unanswered.is_empty() {
        let names = listed(stability.unanswered.iter().map(String::as_str), NAMES);
        let number = plural(stability.unanswered.len(), "chat");
        page.alarm(&format!("no answer at least once on {number}: {names}"));
    }
    gates(&mut page, stability);
    page.heading("Overall score");
    page.table(2, &spread_table(stability));
    checks(&mut page, stability);
    page.heading("Which verdict counts");
    for sentence in canonical(stability) {
        page.block("  ", &sentence);
    }
    page.line("");
    page.block("", &how(stability));
    page.finish()
}

/// How the figures were made.
fn how(stability: &Stability) -> String {
    let settings = &stability.intervals;
    format!(
        "In brackets: {:.0} % intervals, {} resamples of whole chats, seed {:#x}; Wilson's for single chats. What was not \
         triggered counts as passed.",
        settings.confidence() * 100.0,
        count(settings.resamples() as u64),
        settings.seed()
    )
}

fn gates(page: &mut Page, stability: &Stability) {
    let gates = &stability.gates;
    page.heading("Gates");
    page.line(&format!("  probability that a gate fires  {}", estimate(&gates.probability)));
    let (always, sometimes, never) = (gates.always, gates.sometimes, gates.never);
    page.line(&format!("  always in {}, sometimes in {sometimes}, never in {never}", plural(always, "chat")));
    if !gates.unsteady.is_empty() {
        page.table(2, &gate_table(stability));
    }
}

/// The chats in which a gate fires sometimes.
fn gate_table(stability: &Stability) -> Table {
    let mut table = Table::new(&[("sometimes", Align::Left), ("fires", Align::Right), ("probability", Align::Left)]);
    for chat in stability.gates.unsteady.iter().take(ROWS) {
        let fires = format!("{} of {}", chat.fires, chat.answers);
        table.row([chat.chat.clone(), fires, estimate(&chat.probability)]);
    }
    table
}

/// The spread of the overall score.
fn spread_table(stability: &Stability) -> Table {
    let overall = &stability.overall;
    let mut table = Table::new(&[("", Align::Left), ("", Align::Left), ("", Align::Left)]);
    let why = |says: &str, why: String| if why.is_empty() { says.to_owned() } else { format!("{says} ({why})") };
    let deviation = why("of a chat, as a standard deviation", undefined(&overall.deviation));
    table.row(["spread".to_owned(), estimate(&overall.deviation), deviation]);
    let range = why("lowest to highest of a chat", undefined(&overall.mean_range));
    table.row(["mean range".to_owned(), estimate(&overall.mean_range), range]);
    let largest = overall.largest_range.map_or_else(|| "–".to_owned(), value);
    table.row(["largest range".to_owned(), largest, String::new()]);
    table
}

fn checks(page: &mut Page, stability: &Stability) {
    page.heading("Checks");
    let rate = estimate(&stability.flip_rate);
    page.block("  ", &format!("two answers to the same check of the same chat differ: {rate}"));
    let flipping = stability.checks.iter().filter(|check| flips(check)).count();
    if flipping == 0 {
        page.line("  no check ever flipped");
        return;
    }
    page.table(2, &check_table(stability));
    if !stability.divided.is_empty() {
        page.heading("Most divided");
        for one in &stability.divided {
            let gate = if one.gate { ", a gate" } else { "" };
            let votes = format!("passed {}, failed {}", one.passes, one.fails);
            page.block("  · ", &format!("{}, {} {}{gate}: {votes}", one.chat, one.check, one.title));
        }
    }
}

fn flips(check: &CheckStability) -> bool {
    check.flips.flip_rate.value.is_some_and(|rate| rate > 0.0)
}

/// The checks that flip, gate checks always.
fn check_table(stability: &Stability) -> Table {
    let mut table = Table::new(&[("", Align::Left), ("flip rate", Align::Left), ("unsteady chats", Align::Left)]);
    let all: Vec<&CheckStability> = stability.checks.iter().filter(|check| check.gate || flips(check)).collect();
    for check in all.iter().take(ROWS) {
        let gate = if check.gate { ", a gate" } else { "" };
        let name = format!("{} {}{gate}", check.check, check.title);
        table.row([name, estimate(&check.flips.flip_rate), estimate(&check.flips.unsteady)]);
    }
    let (more, steady) = (all.len().saturating_sub(ROWS), stability.checks.len() - all.len());
    if more > 0 {
        table.row([format!("{} that flip less", plural(more, "check")), String::new(), String::new()]);
    }
    if steady > 0 {
        table.row([format!("{} that never flipped", plural(steady, "check")), String::new(), String::new()]);
    }
    table
}

/// The rule, and how much depends on it here.
fn canonical(stability: &Stability) -> Vec<String> {
    let canonical = &stability.canonical;
    let mut rule = canonical.rule.to_owned();
    rule.replace_range(..1, &rule[..1].to_uppercase());
    let (all, outvoted) = (count(canonical.checks as u64), count(canonical.outvoted as u64));
    let ties = if canonical.ties > 0 { format!(" ({} evenly divided)", canonical.ties) } else { String::new() };
    let mut said =
        vec![format!("{rule}."), format!("The majority says something else in {outvoted} of {all} checks{ties}.")];
    if !canonical.other_gate.is_empty() {
        let names = listed(canonical.other_gate.iter().map(String::as_str), NAMES);
        said.push(format!("It decides otherwise about a gate in {names}."));
    }
    said
}

/// The figures as Markdown.
pub fn markdown(stability: &Stability) -> String {
    let title =
        format!("{}, asked {} times about {}", stability.judge, stability.repeats, plural(stability.chats, "chat"));
    let gates = &stability.gates;
    let mut text = format!("## {}\n\n", escape_markdown(&title));
    text += &format!(
        "A gate fires with a probability of {}: always in {}, sometimes in {}, never in {}.\n\n",
        estimate(&gates.probability),
        plural(gates.always, "chat"),
        gates.sometimes,
        gates.never
    );
    if !gates.unsteady.is_empty() {
        text += &format!("{}\n", gate_table(stability).markdown());
    }
    text += &format!("### Overall score\n\n{}\n", spread_table(stability).markdown());
    let rate = estimate(&stability.flip_rate);
    text += &format!("### Checks\n\nTwo answers to the same check of the same chat differ: {rate}.\n\n");
    text += &format!("{}\n### Which verdict counts\n\n", check_table(stability).markdown());
    for sentence in canonical(stability) {
        text += &format!("- {}\n", escape_markdown(&sentence));
    }
    text + &format!("\n{}\n", escape_markdown(&how(stability)))
}

/// The figures as CSV.
pub fn csv(stability: &Stability) -> String {
    let mut sheet = Sheet::new(&["judge", "part", "name"]);
    let judge = stability.judge.as_str();
    let gates = &stability.gates;
    sheet.count(&[judge, "all", ""], "chats", stability.chats as u64);
    sheet.count(&[judge, "all", ""], "repeats", stability.repeats as u64);
    sheet.estimate(&[judge, "gates", ""], "probability", &gates.probability);
    sheet.count(&[judge, "gates", ""], "always", gates.always as u64);
    sheet.count(&[judge, "gates", ""], "sometimes", gates.sometimes as u64);
    sheet.count(&[judge, "gates", ""], "never", gates.never as u64);
    for chat in &gates.unsteady {
        sheet.estimate(&[judge, "chat", &chat.chat], "gate_probability", &chat.probability);
    }
    sheet.estimate(&[judge, "overall", ""], "deviation", &stability.overall.deviation);
    sheet.estimate(&[judge, "overall", ""], "mean_range", &stability.overall.mean_range);
    sheet.estimate(&[judge, "checks", ""], "flip_rate", &stability.flip_rate);
    for check in &stability.checks {
        sheet.estimate(&[judge, "check", &check.check], "flip_rate", &check.flips.flip_rate);
        sheet.estimate(&[judge, "check", &check.check], "unsteady_chats", &check.flips.unsteady);
    }
    sheet.count(&[judge, "first answers", ""], "checks", stability.canonical.checks as u64);
    sheet.count(&[judge, "first answers", ""], "outvoted", stability.canonical.outvoted as u64);
    sheet.finish()
}
