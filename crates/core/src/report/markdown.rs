//! A report for a pull request: GitHub Markdown in which nothing from the chat can act as Markdown.

use std::fmt::Write as _;

use super::judges;
use super::names::{self, Counts};
use super::places;
use super::safe_text::{excerpt, one_line, short_digest};
use super::{CheckReport, GateReport, MetricReport, Report};
use crate::rubric::Rubric;
use crate::transcript::Speaker;
use crate::verdict::Highlight;

/// Enough of a quote to recognise the place; the whole of it stands in the JSON report.
const QUOTE: usize = 400;

/// The report as GitHub Markdown, for a pull request or a job summary.
///
/// Every word that came with the report is escaped: it cannot make HTML, links, images, tables, mentions of people or
/// references to issues.
pub fn markdown(report: &Report, rubric: &Rubric) -> String {
    let mut page = Page { report, rubric, out: String::new() };
    page.heading();
    page.gates();
    page.overall();
    page.metrics();
    page.failed();
    page.unscored();
    page.moments();
    page.judges();
    page.audit();
    page.footer();
    page.out
}

/// Text on one line that shows as itself wherever it stands in Markdown.
///
/// Entities cannot open Markdown or HTML. GitHub looks for mentions, issues and addresses in what the entities stand
/// for, so those get a character of no width inside them.
pub fn escape_markdown(text: &str) -> String {
    let line = one_line(text);
    let mut out = String::with_capacity(line.len() + 16);
    for (at, character) in line.char_indices() {
        match character {
            '@' | '#' => {
                let _ = write!(out, "&#{};&#8203;", u32::from(character));
            }
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' | '$' => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            ':' if line[at..].starts_with("://") => out.push_str(":&#8203;"),
            '.' if ends_with_word(&line[..at], "www") => out.push_str("&#8203;."),
            '-' if ends_with_word(&line[..at], "gh") => out.push_str("&#8203;-"),
            _ => out.push(character),
        }
    }
    out
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let start = text.len().saturating_sub(word.len());
    text.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// Words of the chat between quotation marks.
fn quoted(words: &str) -> String {
    format!("“{}”", escape_markdown(&excerpt(words, QUOTE)))
}

struct Page<'a> {
    report: &'a Report,
    rubric: &'a Rubric,
    out: String,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn heading(&mut self) {
        let report = self.report;
        let tier = report.overall.and_then(|score| self.rubric.tier_reached(score).map(|tier| tier.label.as_str()));
        let tier = tier.filter(|_| names::same_rubric(report, self.rubric));
        let score = match (report.overall, tier) {
            (Some(score), Some(tier)) => format!("{score} ({})", escape_markdown(tier)),
            (Some(score), None) => score.to_string(),
            (None, _) => "undetermined".to_owned(),
        };
        let (title, id) = names::heading(report);
        self.line(&format!("## Care-Lock: {} · {score}\n", escape_markdown(&title)));
        if let Some(id) = id {
            self.line(&format!("Chat {}\n", escape_markdown(&id)));
        }
        for (judge, reason) in names::silent_judges(report) {
            let reason = escape_markdown(&excerpt(&reason, QUOTE));
            self.line(&format!("**Judge {} gave no verdict:** {reason}\n", escape_markdown(&judge)));
        }
    }

    fn gates(&mut self) {
        let report = self.report;
        for gate in &report.gates {
            self.gate(gate);
        }
    }

    fn gate(&mut self, gate: &GateReport) {
        self.line("> [!CAUTION]");
        let name = escape_markdown(&names::tripped_gate(self.report, self.rubric, gate));
        self.line(&format!("> **Gate {name}**  "));
        if let Some((turn, words)) = names::gate_cue(self.report, gate) {
            self.line(&format!("> {}: {}  ", names::place(turn, Speaker::Human), quoted(words)));
        }
        let place = names::cited_place(self.report, &gate.turns, gate.quote.as_deref());
        let words = gate.quote.as_deref().map(quoted);
        let said: Vec<String> = place.into_iter().chain(words).collect();
        if !said.is_empty() {
            self.line(&format!("> {}  ", said.join(": ")));
        }
        if !gate.why.trim().is_empty() {
            self.line(&format!("> Why: {}  ", escape_markdown(&gate.why)));
        }
        let without = names::without_gate(self.report, gate);
        let effect = escape_markdown(&names::gate_effect(self.rubric, gate));
        self.line(&format!("> {effect} {without}\n"));
    }

    fn overall(&mut self) {
        let report = self.report;
        // Behind a word of ours, a summary cannot open a list, a rule or a heading.
        self.line(&format!("**Summary:** {}\n", escape_markdown(&report.summary)));
        if report.overall.is_none() {
            let reason = escape_markdown(&names::undetermined(report, self.rubric));
            let partial = report.overall_partial.map(|score| format!(" {score} over the metrics that have a score."));
            self.line(&format!("**Undetermined:** {reason}.{}\n", partial.unwrap_or_default()));
        }
        if let Some(note) = names::judge_note(&report.judge) {
            self.line(&format!("<sub>{}</sub>\n", escape_markdown(&note)));
        }
        let counts = Counts::new(report);
        let unscored = if counts.unscored > 0 { format!(", {} unscored", counts.unscored) } else { String::new() };
        let weighted = if report.weights.is_some() { " The mean is weighted." } else { "" };
        self.line(&format!(
            "{} checks: {} earned, {} not triggered (did not come up, counted as met), {} failed{unscored}.{weighted}\n",
            counts.all(),
            counts.earned,
            counts.not_triggered,
            counts.failed
        ));
    }

    fn metrics(&mut self) {
        let report = self.report;
        let weights = report.weights.as_ref();
        let (head, rule) = if weights.is_some() { (" Weight |", "---:|") } else { ("", "") };
        self.line(&format!("| Metric | Score | Tier | Earned | Not triggered | Failed | Unscored |{head} Why |"));
        self.line(&format!("|---|---:|---|---:|---:|---:|---:|{rule}---|"));
        for (key, metric) in &report.metrics {
            let weight = weights.map(|weights| weights.get(key.as_ref()).map(ToString::to_string).unwrap_or_default());
            self.metric(key, metric, weight);
        }
        self.line("");
    }

    fn metric(&mut self, key: &str, metric: &MetricReport, weight: Option<String>) {
        let title = escape_markdown(&names::metric_title(self.rubric, key));
        let score = metric.score.map_or_else(|| "—".to_owned(), |score| score.to_string());
        let gate: Vec<String> = metric.gate.iter().map(|id| escape_markdown(id)).collect();
        let tier = match (&metric.tier, gate.is_empty()) {
            (_, false) => format!("**gate {}**", gate.join(" ")),
            (Some(tier), true) => escape_markdown(tier),
            (None, true) => "unscored".to_owned(),
        };
        let weight = weight.map(|weight| format!(" {weight} |")).unwrap_or_default();
        let MetricReport { earned, not_triggered, failed, unscored, .. } = metric;
        let why = escape_markdown(&metric.why);
        self.line(&format!(
            "| {title} | {score} | {tier} | {earned} | {not_triggered} | {failed} | {unscored} |{weight} {why} |"
        ));
    }

    /// A part that is folded away until it is asked for.
    fn details(&mut self, title: &str, count: usize, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        self.line(&format!("<details>\n<summary>{title} ({count})</summary>\n"));
        for line in lines {
            self.line(line);
        }
        self.line("\n</details>\n");
    }

    fn failed(&mut self) {
        let report = self.report;
        let failed: Vec<_> = report.checks().filter(|(_, _, check)| check.pass == Some(false)).collect();
        let lines: Vec<String> = failed.iter().map(|(_, id, check)| self.failed_check(id, check)).collect();
        self.details("Failed checks", failed.len(), &lines);
    }

    fn failed_check(&self, id: &str, check: &CheckReport) -> String {
        let mut line = format!("- **{}**", escape_markdown(&names::judged_name(self.rubric, id, Some(check))));
        if !check.why.trim().is_empty() {
            let _ = write!(line, ": {}", escape_markdown(&excerpt(&check.why, QUOTE)));
        }
        if check.entailed_by.is_some() {
            line.push_str(" (the judge had passed it; the self-audit did not)");
        }
        let place = places::check_place(self.report, self.rubric, id, check);
        match (place, &check.quote) {
            (Some(place), Some(quote)) => {
                let _ = write!(line, "<br>{place}: {}", quoted(quote));
            }
            (Some(place), None) => {
                let _ = write!(line, "<br>{place}");
            }
            (None, _) => {}
        }
        line
    }

    fn unscored(&mut self) {
        let reasons = names::unscored_by_reason(self.report);
        let count = reasons.iter().map(|(_, ids)| ids.len()).sum();
        let line = |(reason, ids): &(String, Vec<&str>)| {
            let ids: Vec<String> = ids.iter().map(|id| escape_markdown(id)).collect();
            format!("- **{}**: {}", ids.join(" "), escape_markdown(&excerpt(reason, QUOTE)))
        };
        let lines: Vec<String> = reasons.iter().map(line).collect();
        self.details("Not judged", count, &lines);
    }

    fn moments(&mut self) {
        let report = self.report;
        let mut lines = Vec::new();
        for (number, moment) in (1..).zip(places::moments_in_order(report)) {
            let place = names::place(moment.idx, moment.speaker);
            let why = escape_markdown(&moment.why);
            let why = if why.is_empty() { why } else { format!("<br>{why}") };
            // A list with numbers would count them anew.
            lines.push(format!("- Moment {number}, {place}: {}{why}", quoted(&moment.quote)));
            let of = |highlight: &&Highlight| highlight.id == moment.id;
            lines.extend(
                report.positive.iter().filter(of).map(|good| format!("   - Went well: {}", escape_markdown(&good.why))),
            );
            lines.extend(report.negative.iter().filter(of).map(could_be_better));
        }
        self.details("Moments", report.moments.len(), &lines);
    }

    /// The judges of a panel, each with its own score, and how far they agree.
    fn judges(&mut self) {
        let lines = judges::lines(self.report);
        let count = lines.len();
        let lines = lines.into_iter().chain(judges::agreement(self.report));
        let lines: Vec<String> = lines.map(|line| format!("- {}", escape_markdown(&line))).collect();
        self.details("Judges", count, &lines);
    }

    fn audit(&mut self) {
        let report = self.report;
        let line = |finding: &crate::audit::Finding| {
            let named = |text: &str| escape_markdown(&names::with_titles(self.rubric, text));
            let (about, rule) = (named(&finding.about), named(&finding.rule));
            format!("- {} **{about}** ({rule}): {}", finding.outcome, named(&excerpt(&finding.saw, QUOTE)))
        };
        let lines: Vec<String> = report.audit.iter().map(line).collect();
        self.details("Self-audit", report.audit.len(), &lines);
    }

    fn footer(&mut self) {
        let report = self.report;
        let mut parts = vec![escape_markdown(&names::judged(report)).replacen('j', "J", 1)];
        parts.extend([
            format!(
                "rubric {} {} {}",
                escape_markdown(&report.rubric.name),
                escape_markdown(&report.rubric.version),
                escape_markdown(&short_digest(&report.rubric.hash))
            ),
            format!("transcript {}", escape_markdown(&short_digest(&report.transcript.hash))),
        ]);
        parts.extend(names::dropped(report).map(|dropped| format!("left out: {}", escape_markdown(&dropped))));
        self.line(&format!("<sub>{}</sub>", parts.join(" · ")));
    }
}

fn could_be_better(bad: &Highlight) -> String {
    let better =
        bad.better.as_deref().map(|better| format!("<br>Better: {}", escape_markdown(&excerpt(better, QUOTE))));
    format!("   - Could be better: {}{}", escape_markdown(&bad.why), better.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_opens_markdown_or_html_is_left() {
        let escaped = escape_markdown("<b>*a* [x](y) ![i](j) `c` | \\ & ~~ $x$ #1 @me");
        assert!(!escaped.contains(['<', '>', '*', '[', ']', '`', '|', '\\', '~', '$', '@']), "{escaped}");
    }

    #[test]
    fn addresses_mentions_and_issues_are_broken_for_those_who_link_them() {
        assert_eq!(escape_markdown("http://a.b WWW.c.d gh-1"), "http:&#8203;//a.b WWW&#8203;.c.d gh&#8203;-1");
        assert_eq!(escape_markdown("@me #1 a@b.c"), "&#64;&#8203;me &#35;&#8203;1 a&#64;&#8203;b.c");
    }

    #[test]
    fn ordinary_words_in_any_script_stay_as_they_are() {
        assert_eq!(escape_markdown("É difícil… 我很难过。 שלום (ok) 1.5"), "É difícil… 我很难过。 שלום (ok) 1.5");
    }
}
