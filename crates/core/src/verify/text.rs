//! A verification for people: plain text at 80 columns, with nothing in it that could fool a terminal.

use std::fmt::Write as _;

use indexmap::IndexMap;
use unicode_width::UnicodeWidthChar;

use super::{Conclusion, Outcome, Point, ReportKind, Verification};

/// How wide a line may be.
const COLUMNS: usize = 80;

pub(super) fn render(verification: &Verification, verbose: bool) -> String {
    let counts = verification.counts();
    let kind = match &verification.kind {
        ReportKind::Own { schema } if schema.is_empty() => "a report without its schema".to_owned(),
        ReportKind::Own { schema } => schema.clone(),
        ReportKind::Earlier => "a report of the earlier Care-Lock".to_owned(),
    };
    let name = verification.id.as_deref().map(|id| format!("{id}: ")).unwrap_or_default();
    let mut out = String::new();
    wrap(&mut out, 0, &format!("{name}{kind}"));
    let verdict = match verification.conclusion() {
        Conclusion::Holds => "All that can be checked holds",
        Conclusion::DoesNotHold => "Not everything holds",
        Conclusion::NotVerifiable => "Not verifiable: the scores cannot be derived again",
    };
    let (hold, fail, open) = (counts.hold, counts.do_not_hold, counts.cannot_be_verified);
    wrap(&mut out, 0, &format!("{verdict}: {fail} do not hold, {open} cannot be verified, {hold} hold."));
    section(&mut out, "Does not hold", verification.with(Outcome::DoesNotHold));
    section(&mut out, "Cannot be verified", verification.with(Outcome::CannotVerify));
    if verbose {
        section(&mut out, "Holds", verification.with(Outcome::Holds));
    } else if hold > 0 {
        out.push_str("\nHolds\n");
        wrap(&mut out, 2, &summary(verification.with(Outcome::Holds)));
    }
    out
}

/// Claims with the same reason share one entry, so that ten scores that cannot be derived do not fill the screen.
fn section<'a>(out: &mut String, title: &str, points: impl Iterator<Item = &'a Point>) {
    let mut by_detail: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for point in points {
        by_detail.entry(&point.detail).or_default().push(&point.what);
    }
    if by_detail.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    for (detail, names) in by_detail {
        wrap(out, 2, &names.join(", "));
        wrap(out, 6, detail);
    }
}

/// What holds, counted by the sort of claim.
fn summary<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let mut sorts: IndexMap<&str, usize> = IndexMap::new();
    for point in points {
        *sorts.entry(sort(&point.what)).or_default() += 1;
    }
    let list: Vec<String> = sorts.iter().map(|(sort, count)| format!("{sort} {count}")).collect();
    list.join(", ")
}

/// The part of the report a claim is in; quotes and answers are counted apart.
fn sort(what: &str) -> &str {
    if what.ends_with(".quote") {
        return "quotes";
    }
    if what.contains(".checks.") {
        return "checks";
    }
    what.split(['.', '[', ' ']).next().unwrap_or(what)
}

/// Adds a paragraph, indented and broken at spaces; a word that is too long is broken anywhere.
fn wrap(out: &mut String, indent: usize, text: &str) {
    let room = COLUMNS - indent;
    let mut column = 0;
    let safe = escaped(text);
    let start = |out: &mut String| out.push_str(&" ".repeat(indent));
    start(out);
    for word in safe.split(' ') {
        let width: usize = word.chars().filter_map(UnicodeWidthChar::width).sum();
        if column > 0 && column + 1 + width > room {
            out.push('\n');
            start(out);
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        for char in word.chars() {
            let width = char.width().unwrap_or_default();
            if column + width > room {
                out.push('\n');
                start(out);
                column = 0;
            }
            out.push(char);
            column += width;
        }
    }
    out.push('\n');
}

/// Control characters, and those that change the direction of text, as escapes: the text comes from a report.
fn escaped(text: &str) -> String {
    let steers = |char: char| matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() || steers(char) { out.extend(char.escape_default()) } else { out.push(char) }
    }
    out
}
