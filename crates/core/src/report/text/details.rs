//! The lower half of the page: what failed and why, the moments, the self-audit, and where it all comes from.

use serde_json::Value;

use super::Page;
use super::paint::{Lead, Tone};
use crate::audit::{Finding, Outcome};
use crate::report::safe_text::{excerpt, one_line, short_digest};
use crate::report::{CheckReport, MetricReport};
use crate::report::{judges, names, places};
use crate::verdict::{Highlight, JudgeInfo};

/// Enough of a quote to recognise the place; the whole of it stands in the JSON report.
const QUOTE: usize = 240;
/// Advice is shown nearly in full.
const ADVICE: usize = 500;

impl Page<'_> {
    pub(super) fn failed(&mut self) {
        let report = self.report;
        let mut titled = false;
        for (key, metric) in report.metrics.iter().filter(|(_, metric)| metric.failed > 0) {
            if !titled {
                self.painter.heading("Failed checks");
                titled = true;
            }
            self.failed_of(key, metric);
        }
    }

    fn failed_of(&mut self, key: &str, metric: &MetricReport) {
        let title = names::metric_title(self.rubric, key).into_owned();
        self.painter.block(Lead::indent("  "), Tone::Faint, "", &title);
        let first = format!("    {} ", self.painter.glyphs.failed);
        for (id, check) in metric.checks.iter().filter(|(_, check)| check.pass == Some(false)) {
            let lead = Lead { first: &first, rest: "      ", tone: Tone::Bad };
            let name = names::judged_name(self.rubric, id, Some(check));
            if self.report.gates.iter().any(|gate| gate.check == *id) {
                self.painter.block(lead, Tone::Strong, "", &format!("{name} (the gate above)"));
                continue;
            }
            self.painter.block(lead, Tone::Strong, "", &name);
            self.reason(id, check);
        }
    }

    fn reason(&mut self, id: &str, check: &CheckReport) {
        let lead = Lead::indent("      ");
        self.painter.block(lead, Tone::Plain, "", &excerpt(&check.why, ADVICE));
        if check.entailed_by.is_some() {
            self.painter.block(lead, Tone::Faint, "", "The judge had passed it; the self-audit did not.");
        }
        let Some(place) = places::check_place(self.report, self.rubric, id, check) else { return };
        match check.quote.as_deref() {
            Some(words) => {
                let words = self.painter.quoted(&excerpt(words, QUOTE));
                self.painter.block(lead, Tone::Plain, &format!("{place}:"), &words);
            }
            None => self.painter.block(lead, Tone::Faint, "", &place),
        }
    }

    pub(super) fn unscored(&mut self) {
        let reasons = names::unscored_by_reason(self.report);
        if reasons.is_empty() {
            return;
        }
        self.painter.heading("Not judged");
        let first = format!("  {} ", self.painter.glyphs.unscored);
        for (reason, ids) in reasons {
            let ids: Vec<String> = ids.into_iter().map(one_line).collect();
            let lead = Lead { first: &first, rest: "    ", tone: Tone::Fair };
            self.painter.block(lead, Tone::Strong, "", &ids.join(" "));
            self.painter.block(Lead::indent("      "), Tone::Plain, "", &excerpt(&reason, ADVICE));
        }
    }

    pub(super) fn moments(&mut self) {
        let report = self.report;
        if report.moments.is_empty() {
            return;
        }
        self.painter.heading("Moments");
        for (number, moment) in (1..).zip(places::moments_in_order(report)) {
            let first = format!("  {number} ");
            let rest = " ".repeat(first.len());
            let words = self.painter.quoted(&excerpt(&moment.quote, QUOTE));
            let lead = Lead { first: &first, rest: &rest, tone: Tone::Strong };
            let place = format!("{}:", names::place(moment.idx, moment.speaker));
            self.painter.block(lead, Tone::Plain, &place, &words);
            self.painter.block(Lead::indent(&rest), Tone::Plain, "", &one_line(&moment.why));
        }
    }

    pub(super) fn highlights(&mut self) {
        let report = self.report;
        let minus = self.painter.glyphs.minus;
        self.highlights_of("Went well", "+", Tone::Good, &report.positive);
        self.highlights_of("Could be better", minus, Tone::Bad, &report.negative);
    }

    fn highlights_of(&mut self, title: &str, sign: &str, tone: Tone, highlights: &[Highlight]) {
        if highlights.is_empty() {
            return;
        }
        self.painter.heading(title);
        let first = format!("  {sign} ");
        for highlight in highlights {
            let moment = self.report.moments.iter().find(|moment| moment.id == highlight.id);
            let label = match moment {
                Some(moment) => format!("{}:", names::place(moment.idx, moment.speaker)),
                None => format!("moment {}:", highlight.id),
            };
            let why = one_line(&highlight.why);
            let why = if why.is_empty() { moment.map(|moment| one_line(&moment.why)).unwrap_or_default() } else { why };
            self.painter.block(Lead { first: &first, rest: "    ", tone }, Tone::Plain, &label, &why);
            let better = highlight.better.as_deref().map(|better| excerpt(better, ADVICE)).unwrap_or_default();
            self.painter.block(Lead::indent("    "), Tone::Plain, "Better:", &better);
        }
    }

    /// The judges of a panel, each with its own score, and how far they agree.
    pub(super) fn judges(&mut self) {
        let lines = judges::lines(self.report);
        if lines.is_empty() {
            return;
        }
        self.painter.heading("Judges");
        for line in lines.into_iter().chain(judges::agreement(self.report)) {
            self.painter.block(Lead::indent("  "), Tone::Plain, "", &line);
        }
    }

    pub(super) fn audit(&mut self) {
        let report = self.report;
        if report.audit.is_empty() {
            return;
        }
        self.painter.heading("Self-audit");
        for alike in report.audit.chunk_by(same_finding) {
            let [finding, ..] = alike else { continue };
            let tone = match finding.outcome {
                Outcome::Failed | Outcome::Lowered | Outcome::Rejected => Tone::Bad,
                Outcome::Flagged => Tone::Fair,
                Outcome::Fixed | Outcome::Replaced => Tone::Faint,
            };
            let first = format!("  {:<9}", finding.outcome);
            let lead = Lead { first: &first, rest: "           ", tone };
            let said = format!("{}: {}", Self::subject(alike), excerpt(&finding.saw, ADVICE));
            let said = names::with_titles(self.rubric, &said);
            self.painter.block(lead, Tone::Plain, "", &format!("{said}{}", self.change(finding)));
        }
    }

    /// What findings that say the same are about, and the rule, unless its name already says it.
    fn subject(alike: &[Finding]) -> String {
        let about = alike.iter().map(|finding| one_line(&finding.about)).collect::<Vec<_>>().join(", ");
        let rule = alike.first().map(|finding| one_line(&finding.rule)).unwrap_or_default();
        if rule.contains(&about) { rule } else { format!("{about} ({rule})") }
    }

    /// What a finding changed, where that is short enough to say.
    fn change(&self, finding: &Finding) -> String {
        let arrow = self.painter.glyphs.arrow;
        match (&finding.before, &finding.after) {
            (Value::Bool(_), Value::Bool(_)) => format!(" (pass {arrow} fail)"),
            (Value::Number(before), Value::Number(after)) if before != after => match (before.as_f64(), after.as_f64())
            {
                (Some(before), Some(after)) if finding.outcome == Outcome::Lowered => {
                    format!(" ({before:.2} {arrow} {after:.2})")
                }
                _ => format!(" ({before} {arrow} {after})"),
            },
            _ => String::new(),
        }
    }

    pub(super) fn footer(&mut self) {
        self.painter.line("");
        let report = self.report;
        let (rubric, chat) = (&report.rubric, &report.transcript);
        let lead = Lead::indent("");
        let between = format!(" {} ", self.painter.glyphs.dot);
        let mut judge = vec![format!("judge {}", names::judge(report))];
        judge.extend(usage(&report.judge));
        self.painter.block(lead, Tone::Faint, "", &judge.join(&between));
        let (name, version) = (one_line(&rubric.name), one_line(&rubric.version));
        let mut source = vec![
            format!("rubric {name} {version} {}", short_digest(&rubric.hash)),
            format!("transcript {}", short_digest(&chat.hash)),
        ];
        source.extend(names::dropped(report).map(|dropped| format!("left out: {dropped}")));
        self.painter.block(lead, Tone::Faint, "", &source.join(&between));
        if !names::same_rubric(report, self.rubric) {
            let other = format!("Names of checks are those of {} {}.", self.rubric.name(), self.rubric.version());
            self.painter.block(lead, Tone::Fair, "", &format!("This report was made with another rubric. {other}"));
        }
    }
}

/// Whether two findings differ only in what they are about.
fn same_finding(left: &Finding, right: &Finding) -> bool {
    let said = |finding: &Finding| (finding.rule.clone(), finding.saw.clone());
    left.outcome == right.outcome && said(left) == said(right) && left.after == right.after
}

/// What the judge used, where that is known.
fn usage(judge: &JudgeInfo) -> Vec<String> {
    let tokens = judge.tokens.map(|tokens| format!("{} tokens in, {} out", tokens.input, tokens.output));
    let cost = judge.cost.as_ref().map(|cost| format!("{cost} US dollars"));
    let cached = (judge.cached == Some(true)).then(|| "answered from the record".to_owned());
    [tokens, cost, cached].into_iter().flatten().collect()
}
