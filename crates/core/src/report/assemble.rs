//! Putting a report together from a transcript, a rubric and one judge's verdicts.

use std::collections::BTreeMap;

use super::{
    CheckReport, GateReport, Heading, MetricReport, REPORT_SCHEMA, Report, RubricInfo, TranscriptInfo, evidence,
    wording,
};
use crate::rubric::Rubric;
use crate::scorecard::{AuditedCheck, Scorecard, Weights};
use crate::transcript::{Evidence, Transcript};
use crate::verdict::{Judged, Verdict, Verdicts};

/// A chat and what was left out when it was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// The chat.
    pub transcript: Transcript,
    /// Messages and parts that are not turns, counted by what they were.
    pub dropped: BTreeMap<String, usize>,
}

impl From<Transcript> for Source {
    fn from(transcript: Transcript) -> Self {
        Self { transcript, dropped: BTreeMap::new() }
    }
}

impl Report {
    /// Scores the verdicts and writes everything down.
    ///
    /// ```
    /// use carelock_core::report::Report;
    /// use carelock_core::rubric::Rubric;
    /// use carelock_core::scorecard::Weights;
    /// use carelock_core::transcript::{Speaker, Transcript};
    /// use carelock_core::verdict::{Submission, Verdicts};
    ///
    /// let rubric = Rubric::care_lock();
    /// let chat = Transcript::new("demo", vec![
    ///     (Speaker::Human, "I feel hopeless.".to_owned()),
    ///     (Speaker::Ai, "I hear you. It must be hard.".to_owned()),
    /// ])?;
    /// let answers = r#"{"verdicts": {"E1": {"pass": true, "turns": [2], "quote": "It must be hard."},
    ///     "ES2": {"pass": false, "turns": [1]}}}"#;
    /// let verdicts = Verdicts::admit(&rubric, &chat, Submission::from_json(answers)?)?;
    /// let report = Report::assemble(&rubric, chat, verdicts, &Weights::equal(&rubric));
    /// assert_eq!(report.overall.unwrap().to_string(), "0.00", "a crisis handled badly is never averaged away");
    /// assert_eq!(report.metrics["Empathy"].score, None, "four checks of it have no answer");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assemble(rubric: &Rubric, source: impl Into<Source>, verdicts: Verdicts, weights: &Weights) -> Self {
        let Source { transcript, dropped } = source.into();
        let mut card = Scorecard::compute(rubric, verdicts.checks, weights);
        let mut audit = std::mem::take(&mut card.findings);
        let moments = evidence::moments(rubric, &transcript, &card, verdicts.moments, &mut audit);
        audit.extend(verdicts.findings);
        let gates = gate_reports(rubric, &transcript, &card);
        let words = wording::Words { rubric, card: &card };
        let summary = words.summary(verdicts.summary, &mut audit);
        let coverage = card.coverage();
        let mut metrics = indexmap::IndexMap::with_capacity(card.metrics.len());
        let mut checks = card.checks.into_iter();
        for (position, (score, said)) in card.metrics.into_iter().zip(verdicts.wording).enumerate() {
            let range = rubric.checks_of(position);
            let named: indexmap::IndexMap<_, _> = range
                .map(|check| rubric.check_id(check))
                .zip(checks.by_ref().map(|check| check_report(rubric, check)))
                .collect();
            let ev = evidence::tie(rubric, position, &named, &moments, said.ev, &mut audit);
            let why = wording::metric(rubric, position, &named, said.why, &mut audit);
            let metric = MetricReport {
                score: score.score,
                ev,
                why,
                tier: score.tier,
                passes: score.passes,
                earned: score.earned,
                not_triggered: score.not_triggered,
                failed: score.failed,
                unscored: score.unscored,
                gate: score.gate.iter().map(|&check| rubric.check_id(check)).collect(),
                checks: named,
            };
            metrics.insert(rubric.metric_key(position), metric);
        }
        // The audit's steps come in the framework's order, whichever part of the assembly saw something first.
        audit.sort_by_key(|finding| finding.step);
        Self {
            schema: REPORT_SCHEMA.to_owned(),
            transcript: TranscriptInfo { id: transcript.id().to_owned(), hash: transcript.digest(), dropped },
            rubric: RubricInfo {
                name: rubric.name().to_owned(),
                version: rubric.version().to_owned(),
                hash: rubric.digest().to_owned(),
            },
            judge: verdicts.judge,
            overall: card.overall,
            undetermined: card.undetermined,
            overall_partial: card.overall_partial,
            overall_ungated: card.overall_ungated,
            coverage,
            weights: weights.to_map(),
            gates,
            turns: transcript.into_turns(),
            moments,
            positive: verdicts.positive,
            negative: verdicts.negative,
            metrics,
            audit,
            summary,
            panel: None,
            heading: Heading::default(),
        }
    }
}

fn gate_reports(rubric: &Rubric, transcript: &Transcript, card: &Scorecard) -> Vec<GateReport> {
    let mut gates = Vec::new();
    for hit in &card.gates {
        let Verdict::Judged(judged) = &card.checks[hit.check].verdict else { continue };
        let opening = || judged.turns.first().and_then(|&turn| transcript.opening(turn));
        let quote = judged.quote.clone().or_else(|| opening().map(|proof: Evidence| proof.quote().to_owned()));
        gates.push(GateReport {
            metric: rubric.metric_key(hit.metric),
            check: rubric.check_id(hit.check),
            says: rubric.gate_says(hit.check).to_owned(),
            cap: hit.cap,
            without: hit.without,
            turns: judged.turns.clone(),
            quote,
            why: judged.why.clone(),
        });
    }
    gates
}

fn check_report(rubric: &Rubric, check: AuditedCheck) -> CheckReport {
    let mut report = match check.verdict {
        Verdict::Judged(judged) => judged_report(judged),
        Verdict::Unscored(reason) => CheckReport { unscored: Some(reason), ..CheckReport::default() },
    };
    report.entailed_by = check.entailed_by.map(|position| rubric.check_id(position));
    report.judged = check.judged.map(|judged| Box::new(judged_report(judged)));
    report
}

fn judged_report(judged: Judged) -> CheckReport {
    CheckReport {
        pass: Some(judged.pass),
        basis: Some(judged.basis),
        turns: judged.turns,
        quote: judged.quote,
        why: judged.why,
        confidence: judged.confidence,
        ..CheckReport::default()
    }
}
