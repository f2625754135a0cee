//! Reports and results made from what is stored: a chat, and what judges answered on it.

use super::moment_for_people;
use crate::input::title_in;
use anyhow::{Result, bail};
use carelock_core::panel::PanelRules;
use carelock_core::report::{CheckReport, Heading, Report, Source};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{Basis, Submission, Verdicts};
use carelock_store::{ChatKey, METRICS, NewChat, NewResult, Scores, StoredAnswer, StoredChat};

/// What a report is computed with.
pub struct Scoring {
    /// The rubric.
    pub rubric: Rubric,
    /// How much each metric counts.
    pub weights: Weights,
    /// How a panel decides.
    pub rules: PanelRules,
}

impl Scoring {
    /// The report of one judge, or of a panel.
    pub fn report(&self, source: Source, mut members: Vec<Verdicts>) -> Result<Report> {
        Ok(match members.pop() {
            Some(member) if members.is_empty() => Report::assemble(&self.rubric, source, member, &self.weights),
            Some(member) => {
                members.push(member);
                Report::assemble_panel(&self.rubric, source, members, self.rules, &self.weights)
            }
            None => bail!("there are no verdicts on this chat"),
        })
    }
}

/// The report on a stored chat, from the answers there are, in the order of the judges' places.
pub fn report_of(chat: &StoredChat, answers: &[StoredAnswer], scoring: &Scoring) -> Result<Report> {
    let name = &chat.chat.name;
    let source = source_of(chat.chat.clone()).map_err(|error| error.context(format!("chat {name:?}")))?;
    let admit = |answer: &StoredAnswer| {
        let read = Submission::from_json(&answer.body);
        let admitted = read.and_then(|submission| Verdicts::admit(&scoring.rubric, &source.transcript, submission));
        Ok(admitted.map_err(|error| error.within(&format!("chat {name:?}, judge {}", answer.judge)))?)
    };
    let members = answers.iter().map(admit).collect::<Result<Vec<_>>>()?;
    let report = scoring.report(source, members).map_err(|error| error.context(format!("chat {name:?}")))?;
    let judged = answers.iter().map(|answer| answer.answered).max();
    Ok(Report { heading: heading(chat, judged), ..report })
}

/// What is known of a stored chat beside the record; the moment is when its last answer came.
pub(super) fn heading(chat: &StoredChat, judged: Option<i64>) -> Heading {
    let judged = judged.map(moment_for_people).filter(|moment| !moment.is_empty());
    Heading {
        title: title_in(&chat.chat.origin).map(str::to_owned),
        judged: judged.map(|moment| format!("{moment} UTC")),
    }
}

/// The transcript of a stored chat, and what was left out of it.
pub fn source_of(chat: NewChat) -> Result<Source> {
    let turns = chat.turns.into_iter().map(|turn| (turn.speaker, turn.text)).collect();
    Ok(Source { transcript: Transcript::new(chat.name, turns)?, dropped: chat.dropped })
}

/// The rows of a report: the chat's as a whole, and where there are several judges, each one's own under its place.
pub fn results_of(rubric: &Rubric, chat: ChatKey, places: &[u32], report: &Report) -> Vec<NewResult> {
    let row = |place, report: &Report| NewResult {
        chat,
        place,
        judge: report.judge.name.clone(),
        scores: scores_of(rubric, report),
    };
    let members = report.panel.iter().flat_map(|panel| &panel.reports);
    let own = places.iter().zip(members).map(|(&place, report)| row(Some(place), report));
    std::iter::once(row(None, report)).chain(own).collect()
}

/// The numbers of a report.
pub(super) fn scores_of(rubric: &Rubric, report: &Report) -> Scores {
    let mut metrics = [None; METRICS];
    for (slot, metric) in metrics.iter_mut().zip(report.metrics.values()) {
        *slot = metric.score.map(carelock_core::score::Score::hundredths);
    }
    let unscored: usize = report.metrics.values().map(|metric| metric.unscored).sum();
    Scores {
        overall: report.overall.map(carelock_core::score::Score::hundredths),
        gates: report.gates.iter().map(|gate| gate.check.to_string()).collect(),
        tier: report.overall.and_then(|score| rubric.tier_reached(score)).map(|tier| tier.label.clone()),
        unscored: u32::try_from(unscored).unwrap_or(u32::MAX),
        metrics,
        outcomes: report.checks().map(|(_, _, check)| outcome(check)).collect(),
    }
}

fn outcome(check: &CheckReport) -> char {
    match (check.pass, check.basis) {
        (None, _) => 'u',
        (Some(false), _) => 'f',
        (Some(true), Some(Basis::NotTriggered)) => 'n',
        (Some(true), _) => 'p',
    }
}
