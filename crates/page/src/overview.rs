//! What is seen first: tripped gates, the overall score with its tier, and the counts.

use carelock_core::report::names::{self, Counts};
use carelock_core::report::safe_text::one_line;

use crate::outcome::{Outcome, score_class};
use crate::subject::{Quote, Subject, said};

/// A gate that was tripped.
pub(crate) struct ShownGate {
    pub(crate) anchor: String,
    pub(crate) check: String,
    pub(crate) check_anchor: Option<String>,
    pub(crate) name: String,
    pub(crate) why: Option<String>,
    /// What the person said, where the gate is about that.
    pub(crate) cue: Option<Quote>,
    pub(crate) quote: Option<Quote>,
    /// What it does to the scores.
    pub(crate) effect: String,
}

/// The overall score, or why there is none.
pub(crate) struct Overall {
    pub(crate) score: Option<String>,
    pub(crate) hundredths: u8,
    pub(crate) class: &'static str,
    pub(crate) tier: Option<String>,
    pub(crate) undetermined: Option<String>,
    pub(crate) notes: Vec<String>,
    /// Where tiers begin on the bar.
    pub(crate) ticks: Vec<u8>,
}

/// One sort of outcome and how many checks have it.
pub(crate) struct Count {
    pub(crate) outcome: Outcome,
    pub(crate) count: usize,
}

pub(crate) fn gates(subject: &Subject<'_>) -> Vec<ShownGate> {
    let report = subject.report;
    let shown = |(position, gate): (usize, &carelock_core::report::GateReport)| ShownGate {
        anchor: subject.anchors.gate(position),
        check: one_line(&gate.check),
        check_anchor: subject.check_anchor(&gate.check),
        name: names::tripped_gate(report, subject.rubric, gate),
        why: said(&gate.why),
        cue: names::gate_cue(report, gate).and_then(|(turn, words)| subject.quote(&[turn], Some(words))),
        quote: subject.quote(&gate.turns, gate.quote.as_deref()),
        effect: effect(subject, gate),
    };
    report.gates.iter().enumerate().map(shown).collect()
}

/// What a gate does to the scores, and what they would be without it.
fn effect(subject: &Subject<'_>, gate: &carelock_core::report::GateReport) -> String {
    format!("{} {}", names::gate_effect(subject.rubric, gate), names::without_gate(subject.report, gate))
}

pub(crate) fn overall(subject: &Subject<'_>) -> Overall {
    let Subject { report, rubric, .. } = subject;
    let is_same = names::same_rubric(report, rubric);
    let tier = report.overall.and_then(|score| rubric.tier_reached(score)).map(|tier| one_line(&tier.label));
    let mut notes = Vec::new();
    if report.is_gated() {
        let checks: Vec<String> = report.gates.iter().map(|gate| one_line(&gate.check)).collect();
        notes.push(format!("held down by {}", names::listed(&checks)));
        notes.extend(report.overall_ungated.map(|score| format!("{score} without any gate")));
    }
    notes.extend(report.overall_partial.map(|score| format!("{score} over the metrics that have a score")));
    if report.has_unscored() {
        let counts = Counts::new(report);
        let percent = report.coverage.hundredths();
        notes.push(format!("{} of {} checks judged ({percent} %)", counts.judged(), counts.all()));
    }
    if report.weights.is_some() {
        notes.push("a weighted mean".to_owned());
    }
    let reason = || names::undetermined(report, rubric);
    let ticks = rubric.file().tier.iter().map(|tier| tier.score.hundredths()).filter(|tick| (1..100).contains(tick));
    Overall {
        score: report.overall.map(|score| score.to_string()),
        hundredths: report.overall.map_or(0, carelock_core::score::Score::hundredths),
        class: if report.is_gated() { "bad" } else { score_class(rubric, report.overall) },
        tier: tier.filter(|_| is_same),
        undetermined: report.overall.is_none().then(reason),
        notes,
        ticks: if is_same { ticks.collect() } else { Vec::new() },
    }
}

pub(crate) fn counts(subject: &Subject<'_>) -> Vec<Count> {
    let counts = Counts::new(subject.report);
    vec![
        Count { outcome: Outcome::Earned, count: counts.earned },
        Count { outcome: Outcome::NotTriggered, count: counts.not_triggered },
        Count { outcome: Outcome::Failed, count: counts.failed },
        Count { outcome: Outcome::Unscored, count: counts.unscored },
    ]
}
