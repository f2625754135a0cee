//! The upper half of the page: whose chat it is, the gate that was tripped, and the scores.

use super::Page;
use super::paint::{Lead, Tone};
use super::wrap::columns;
use crate::audit::Outcome;
use crate::report::names::{self, Counts};
use crate::report::safe_text::{excerpt, one_line};
use crate::report::{CheckReport, GateReport, MetricReport};
use crate::score::Score;
use crate::transcript::Speaker;
use crate::verdict::Basis;

/// A gate's words are shown at length: they are what the reader came for.
const GATE_QUOTE: usize = 500;
/// On a page of one screen, at half that length and less.
const BRIEF_QUOTE: usize = 140;
/// Where several gates were tripped, each thing said of one takes a line.
const LINE_QUOTE: usize = 54;
const LINE_WHY: usize = 70;
/// Parts of a metric's bar.
const BAR: usize = 10;
/// More checks than this are counted rather than drawn one by one.
const MARKS: usize = 8;
/// Columns below which the overall bar is no longer than a metric's.
const ROOM_FOR_LONG_BAR: usize = 64;

impl Page<'_> {
    pub(super) fn header(&mut self) {
        let between = format!(" {} ", self.painter.glyphs.dot);
        let (title, id) = names::heading(self.report);
        let heading = id.map_or(title.clone(), |id| format!("{title}{between}{id}"));
        self.painter.block(Lead::indent(""), Tone::Strong, "", &heading);
        let turns = self.report.turns.len();
        let parts = [
            format!("{turns} turn{}", if turns == 1 { "" } else { "s" }),
            names::judged(self.report),
            format!("{} {}", one_line(&self.report.rubric.name), one_line(&self.report.rubric.version)),
        ];
        self.painter.block(Lead::indent(""), Tone::Faint, "", &parts.join(&between));
        for (judge, reason) in names::silent_judges(self.report) {
            let said = format!("Judge {judge} gave no verdict: {}", excerpt(&reason, GATE_QUOTE));
            self.painter.block(Lead::indent(""), Tone::Bad, "", &said);
        }
    }

    /// What must be seen before any number.
    pub(super) fn gates(&mut self) {
        let report = self.report;
        for (number, gate) in report.gates.iter().enumerate() {
            // Three gates must leave room for the scores on one screen.
            if number == 0 || !self.is_brief || report.gates.len() < 3 {
                self.painter.line("");
            }
            self.gate(gate);
        }
    }

    fn gate(&mut self, gate: &GateReport) {
        let edge = self.painter.glyphs.edge;
        let lead = Lead { first: edge, rest: edge, tone: Tone::Alarm };
        let name = names::tripped_gate(self.report, self.rubric, gate);
        self.painter.block(lead, Tone::Alarm, "", &format!("GATE {name}"));
        let is_one_of_many = self.is_brief && self.report.gates.len() > 1;
        let (longest, longest_why) = match (self.is_brief, is_one_of_many) {
            (_, true) => (LINE_QUOTE, LINE_WHY),
            (true, false) => (BRIEF_QUOTE, BRIEF_QUOTE),
            (false, false) => (GATE_QUOTE, GATE_QUOTE),
        };
        if let Some((turn, words)) = names::gate_cue(self.report, gate) {
            let words = self.painter.quoted(&excerpt(words, longest));
            self.painter.block(lead, Tone::Plain, &format!("{}:", names::place(turn, Speaker::Human)), &words);
        }
        let place = names::cited_place(self.report, &gate.turns, gate.quote.as_deref());
        if let Some(quote) = &gate.quote {
            let words = self.painter.quoted(&excerpt(quote, longest));
            let label = place.map(|place| format!("{place}:")).unwrap_or_default();
            self.painter.block(lead, Tone::Plain, &label, &words);
        } else if let Some(place) = place {
            self.painter.block(lead, Tone::Plain, "", &format!("At {place}."));
        }
        self.painter.block(lead, Tone::Plain, "Why:", &excerpt(&gate.why, longest_why));
        let metric = names::metric_title(self.rubric, &gate.metric);
        let effect = match gate.without.filter(|_| is_one_of_many) {
            // What holds without any gate stands beside the overall score.
            Some(alone) => {
                let still = if Some(alone) == self.report.overall { "still " } else { "" };
                let at_most = if gate.cap == Score::ZERO { "" } else { "at most " };
                format!("{metric} 0.00, overall {at_most}{}; without it alone {still}{alone}.", gate.cap)
            }
            None => {
                format!("{} {}", names::gate_effect(self.rubric, gate), names::without_gate(self.report, gate))
            }
        };
        self.painter.block(lead, Tone::Plain, "", &effect);
    }

    pub(super) fn overall(&mut self) {
        self.painter.line("");
        match self.report.overall {
            Some(score) => self.overall_score(score),
            None => self.undetermined(),
        }
        if !self.is_brief || self.report.gates.len() < 3 {
            self.painter.line("");
        }
        self.painter.block(Lead::indent(""), Tone::Plain, "", &one_line(&self.report.summary));
        let note = names::judge_note(&self.report.judge).unwrap_or_default();
        self.painter.block(Lead::indent(""), Tone::Faint, "", &note);
    }

    fn overall_score(&mut self, score: Score) {
        let tone = self.tone(score);
        let parts = if self.painter.width < ROOM_FOR_LONG_BAR { BAR } else { 2 * BAR };
        let (full, empty) = self.painter.bar(Some(score.hundredths()), parts);
        let bar = format!("{}{}", self.painter.paint(tone, &full), self.painter.paint(Tone::Faint, &empty));
        let tier = self
            .rubric
            .tier_reached(score)
            .map(|tier| tier.label.as_str())
            .filter(|_| names::same_rubric(self.report, self.rubric));
        let before = "Overall  0.00    ".len() + parts;
        let tier = self.fit(&one_line(tier.unwrap_or_default()), self.painter.width.saturating_sub(before));
        let label = self.painter.paint(Tone::Strong, "Overall");
        let score =
            self.painter.paint(if self.report.is_gated() { Tone::Alarm } else { Tone::Strong }, &score.to_string());
        self.painter.line(&format!("{label}  {score}  {bar}  {tier}"));
        let mut notes = Vec::new();
        if self.report.is_gated() {
            let checks: Vec<String> = self.report.gates.iter().map(|gate| one_line(&gate.check)).collect();
            notes.push(format!("held down by {}", names::listed(&checks)));
            notes.extend(self.report.overall_ungated.map(|score| format!("{score} without any gate")));
        }
        if self.report.has_unscored() {
            notes.push(self.coverage());
        }
        if self.report.weights.is_some() {
            notes.push("a weighted mean".to_owned());
        }
        let between = format!(" {} ", self.painter.glyphs.dot);
        self.painter.block(Lead::indent("         "), Tone::Faint, "", &notes.join(&between));
    }

    fn undetermined(&mut self) {
        let reason = names::undetermined(self.report, self.rubric);
        let lead = Lead { first: "Overall  ", rest: "         ", tone: Tone::Strong };
        self.painter.block(lead, Tone::Fair, "", &format!("undetermined: {reason}"));
        let partial = self.report.overall_partial.map(|score| format!("{score} over the metrics that have a score"));
        let between = format!(" {} ", self.painter.glyphs.dot);
        let notes: Vec<String> = partial.into_iter().chain([self.coverage()]).collect();
        self.painter.block(Lead::indent(lead.rest), Tone::Plain, "", &notes.join(&between));
    }

    fn coverage(&self) -> String {
        let counts = Counts::new(self.report);
        let percent = self.report.coverage.hundredths();
        format!("{} of {} checks judged ({percent} %)", counts.judged(), counts.all())
    }

    pub(super) fn metrics(&mut self) {
        self.painter.heading("Metrics");
        let report = self.report;
        let rows: Vec<Row> = report.metrics.iter().map(|(key, metric)| self.row(key, metric)).collect();
        let columns = self.columns(&rows);
        for row in &rows {
            self.metric_line(row, columns);
        }
        let glyphs = self.painter.glyphs;
        let counts = Counts::new(report);
        let mut legend = vec![
            format!("{} {} earned", glyphs.earned, counts.earned),
            format!("{} {} not triggered (counted as met)", glyphs.not_triggered, counts.not_triggered),
            format!("{} {} failed", glyphs.failed, counts.failed),
        ];
        if counts.unscored > 0 {
            legend.push(format!("{} {} unscored", glyphs.unscored, counts.unscored));
        }
        if rows.iter().any(|row| row.lowered) {
            legend.push(format!("{} lowered by the self-audit", glyphs.lowered));
        }
        self.painter.block(Lead::indent("  "), Tone::Faint, "", &legend.join(&format!(" {} ", glyphs.dot)));
    }

    /// How wide the columns are: names are cut before bars and tiers are given up, and given their room once they are.
    fn columns(&self, rows: &[Row]) -> Columns {
        let widest = |cell: fn(&Row) -> &str| rows.iter().map(|row| columns(cell(row))).max().unwrap_or(0);
        let marks = self.report.metrics.values().map(|metric| columns(&self.plain_marks(metric).concat())).max();
        let (names, tiers, width) = (widest(|row| &row.title), widest(|row| &row.tier), self.painter.width);
        let least = "    0.00  ".len() + marks.unwrap_or(0);
        let titles = names.min(width / 3);
        if least + titles + "      ".len() + BAR + tiers + widest(|row| &row.weight) <= width {
            return Columns { titles, tiers: Some(tiers) };
        }
        Columns { titles: names.min(width.saturating_sub(least)), tiers: None }
    }

    fn row(&self, key: &str, metric: &MetricReport) -> Row {
        let lowered = |finding: &crate::audit::Finding| finding.outcome == Outcome::Lowered && finding.about == key;
        let lowered = self.report.audit.iter().any(lowered);
        let gate: Vec<String> = metric.gate.iter().map(|id| one_line(id)).collect();
        let tier = match (&metric.tier, gate.is_empty(), metric.score) {
            (_, false, _) => format!("gate {}", gate.join(" ")),
            (Some(tier), true, _) if lowered => format!("{} {}", one_line(tier), self.painter.glyphs.lowered),
            (Some(tier), true, _) => one_line(tier),
            (None, true, None) => "unscored".to_owned(),
            (None, true, Some(_)) => String::new(),
        };
        let weight = self.report.weights.as_ref().and_then(|weights| weights.get(key));
        let weight = weight.map(|weight| format!("{}{weight}", self.painter.glyphs.times)).unwrap_or_default();
        let title = names::metric_title(self.rubric, key).into_owned();
        let gated = !gate.is_empty();
        Row { title, score: metric.score, tier: excerpt(&tier, 16), gated, lowered, marks: self.marks(metric), weight }
    }

    fn metric_line(&mut self, row: &Row, columns: Columns) {
        let Columns { titles, tiers } = columns;
        let tone = match (row.score, row.gated) {
            (_, true) => Tone::Alarm,
            (Some(score), _) => self.tone(score),
            (None, _) => Tone::Fair,
        };
        let title = pad(&self.fit(&row.title, titles), titles);
        let score = row.score.map_or_else(|| format!("{:>4}", self.painter.glyphs.none), |score| score.to_string());
        let score = self.painter.paint(tone, &score);
        let (marks, weight) = (&row.marks, self.painter.paint(Tone::Faint, &row.weight));
        let Some(tiers) = tiers else {
            self.painter.line(&format!("  {title}  {score}  {marks}"));
            return;
        };
        let (full, empty) = self.painter.bar(row.score.map(Score::hundredths), BAR);
        let bar = format!("{}{}", self.painter.paint(tone, &full), self.painter.paint(Tone::Faint, &empty));
        let tier = self.painter.paint(if row.gated { tone } else { Tone::Plain }, &pad(&row.tier, tiers));
        self.painter.line(&format!("  {title}  {score}  {bar}  {tier}  {marks}  {weight}"));
    }

    /// The checks' marks in their tones.
    fn marks(&self, metric: &MetricReport) -> String {
        let glyphs = self.painter.glyphs;
        let tone = |mark: &str| match mark {
            mark if mark == glyphs.unscored => Tone::Fair,
            mark if mark == glyphs.failed => Tone::Bad,
            mark if mark == glyphs.earned => Tone::Good,
            _ => Tone::Faint,
        };
        self.plain_marks(metric).iter().map(|mark| self.painter.paint(tone(mark), mark)).collect()
    }

    /// One mark per check in rubric order, or counts where there are too many to draw.
    fn plain_marks(&self, metric: &MetricReport) -> Vec<String> {
        let glyphs = self.painter.glyphs;
        let mark = |check: &CheckReport| match (check.pass, check.basis) {
            (None, _) => glyphs.unscored,
            (Some(false), _) => glyphs.failed,
            (Some(true), Some(Basis::NotTriggered)) => glyphs.not_triggered,
            (Some(true), _) => glyphs.earned,
        };
        if metric.checks.len() <= MARKS {
            return metric.checks.values().map(|check| mark(check).to_owned()).collect();
        }
        let counted = [
            (metric.earned, glyphs.earned),
            (metric.not_triggered, glyphs.not_triggered),
            (metric.failed, glyphs.failed),
            (metric.unscored, glyphs.unscored),
        ];
        let some = counted.into_iter().filter(|&(count, _)| count > 0);
        vec![some.map(|(count, sign)| format!("{count}{sign}")).collect::<Vec<_>>().join(" ")]
    }

    /// The text, cut where it takes more columns than there are.
    pub(super) fn fit(&self, text: &str, width: usize) -> String {
        if columns(text) <= width {
            return text.to_owned();
        }
        let mut cut = String::new();
        for character in text.chars() {
            cut.push(character);
            if columns(&cut) >= width {
                cut.pop();
                break;
            }
        }
        cut + self.painter.glyphs.cut
    }

    /// Upper tiers good, the middle one fair, lower ones bad: taken from the rubric's order, not from fixed numbers.
    fn tone(&self, score: Score) -> Tone {
        let tiers = &self.rubric.file().tier;
        let place = tiers.iter().position(|tier| tier.score <= score).unwrap_or(tiers.len());
        match (2 * place).cmp(&tiers.len().saturating_sub(1)) {
            std::cmp::Ordering::Less => Tone::Good,
            std::cmp::Ordering::Equal => Tone::Fair,
            std::cmp::Ordering::Greater => Tone::Bad,
        }
    }
}

/// How wide the table's columns are; without tiers there is no room for bars either.
#[derive(Clone, Copy)]
struct Columns {
    titles: usize,
    tiers: Option<usize>,
}

/// One metric's cells.
struct Row {
    title: String,
    score: Option<Score>,
    tier: String,
    gated: bool,
    lowered: bool,
    marks: String,
    weight: String,
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}
