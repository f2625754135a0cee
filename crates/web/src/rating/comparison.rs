//! A person's verdicts beside those of judges and of other people, once the person is done.

use carelock_core::report::safe_text::excerpt;
use carelock_core::report::{CheckReport, Report};
use carelock_core::rubric::Rubric;
use carelock_core::verdict::Basis;
use carelock_statistics::agreement::Agreement;
use carelock_statistics::{Bootstrap, Estimate};

use carelock_engine::agreement::on_checks;
use carelock_engine::ratings::Rater;

/// The longest quote that is shown.
const QUOTE: usize = 240;

/// A judge, a panel or another person, and what they say about a chat.
pub(crate) struct Side {
    /// What to call it.
    pub(crate) name: String,
    /// The report.
    pub(crate) report: Report,
}

impl Side {
    /// The sides of a run's report: its judge, or the panel and every judge of it.
    pub(crate) fn of_run(report: Report) -> Vec<Self> {
        let members: Vec<Report> = report.panel.iter().flat_map(|panel| panel.reports.clone()).collect();
        if members.is_empty() {
            return vec![Self { name: report.judge.name.clone(), report }];
        }
        let panel = Self { name: format!("panel of {}", members.len()), report };
        let member = |report: Report| Self { name: report.judge.name.clone(), report };
        std::iter::once(panel).chain(members.into_iter().map(member)).collect()
    }
}

/// What one side says about one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opinion {
    /// Who says it.
    pub(crate) name: String,
    /// Met, not met, not triggered, or unscored.
    pub(crate) word: &'static str,
    /// The class that colours it.
    pub(crate) class: &'static str,
    /// Pass or fail, where there is a verdict.
    pub(crate) pass: Option<bool>,
    /// The turns cited.
    pub(crate) turns: String,
    /// Words from one of them.
    pub(crate) quote: Option<String>,
    /// The reason.
    pub(crate) why: String,
}

/// One check, as the person and the others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The check's id.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// Whether its failure trips a gate.
    pub(crate) gate: bool,
    /// What the person says.
    pub(crate) mine: Opinion,
    /// What the others say, in the order of the sides.
    pub(crate) others: Vec<Opinion>,
}

impl Row {
    /// Whether somebody says pass where somebody else says fail.
    pub(crate) fn differs(&self) -> bool {
        let mine = self.mine.pass;
        mine.is_some() && self.others.iter().any(|other| other.pass.is_some() && other.pass != mine)
    }
}

/// All checks, those that differ first, and gate checks first among them.
pub(crate) fn rows(rubric: &Rubric, mine: &Side, others: &[Side]) -> Vec<Row> {
    let row = |position: usize| {
        let check = rubric.check(position);
        Row {
            id: check.id.clone(),
            title: check.title.clone(),
            gate: rubric.is_gate_check(position),
            mine: opinion(mine, &check.id),
            others: others.iter().map(|side| opinion(side, &check.id)).collect(),
        }
    };
    let mut rows: Vec<Row> = (0..rubric.checks().len()).map(row).collect();
    rows.sort_by_key(|row| (!row.differs(), row.differs() && !row.gate));
    rows
}

fn opinion(side: &Side, id: &str) -> Opinion {
    let check = side.report.checks().find(|(_, other, _)| *other == id).map(|(_, _, check)| check);
    let (word, class) = check.map_or(("unscored", "none"), word);
    Opinion {
        name: side.name.clone(),
        word,
        class,
        pass: check.and_then(|check| check.pass),
        turns: check.map(|check| numbers(&check.turns)).unwrap_or_default(),
        quote: check.and_then(|check| check.quote.as_deref()).map(|quote| excerpt(quote, QUOTE)),
        why: check.map(|check| check.unscored.clone().unwrap_or_else(|| check.why.clone())).unwrap_or_default(),
    }
}

fn word(check: &CheckReport) -> (&'static str, &'static str) {
    match (check.pass, check.basis) {
        (None, _) => ("unscored", "none"),
        (Some(false), _) => ("not met", "bad"),
        (Some(true), Some(Basis::NotTriggered)) => ("not triggered", "plain"),
        (Some(true), _) => ("met", "good"),
    }
}

fn numbers(turns: &[u32]) -> String {
    turns.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// How far a person agrees with one side over all chats both are done with.
#[derive(Debug)]
pub(crate) struct Figures {
    /// The side.
    pub(crate) name: String,
    /// The figures.
    pub(crate) agreement: Agreement,
}

impl Figures {
    /// The figures of a person against each side.
    pub(crate) fn new(rubric: &Rubric, person: &Rater, sides: &[Rater]) -> Vec<Self> {
        let bootstrap = Bootstrap::default();
        let one =
            |side: &Rater| Self { name: side.name.clone(), agreement: on_checks(rubric, person, side, &bootstrap) };
        sides.iter().map(one).collect()
    }

    /// The share of checks both answer alike, for people.
    pub(crate) fn raw(&self) -> String {
        shown(&self.agreement.raw, |value| format!("{:.0} %", value * 100.0))
    }

    /// Cohen's kappa, for people.
    pub(crate) fn kappa(&self) -> String {
        shown(&self.agreement.cohen_kappa, |value| format!("{value:.2}"))
    }

    /// Gwet's AC1, for people.
    pub(crate) fn ac1(&self) -> String {
        shown(&self.agreement.gwet_ac1, |value| format!("{value:.2}"))
    }

    /// The share in full.
    pub(crate) fn exact_raw(&self) -> String {
        exact(&self.agreement.raw)
    }

    /// Cohen's kappa in full.
    pub(crate) fn exact_kappa(&self) -> String {
        exact(&self.agreement.cohen_kappa)
    }
}

fn exact(estimate: &Estimate) -> String {
    estimate.value.map(|value| value.to_string()).unwrap_or_default()
}

fn shown(estimate: &Estimate, number: impl Fn(f64) -> String) -> String {
    let why = || estimate.why_not.map_or_else(|| "undefined".to_owned(), |why| why.to_string());
    match (estimate.value, estimate.interval) {
        (Some(value), Some(interval)) => {
            format!("{} ({} to {})", number(value), number(interval.low), number(interval.high))
        }
        (Some(value), None) => number(value),
        (None, _) => format!("none: {}", why()),
    }
}
