//! Putting a page together from its parts.

use askama::Template;
use carelock_core::report::safe_text::one_line;
use carelock_core::report::{Report, names};
use carelock_core::rubric::Rubric;

use crate::audit::{self, ShownFinding};
use crate::chat::{self, ShownTurn};
use crate::checks::{self, ShownCheck, ShownMetric};
use crate::moments::{self, ShownMoment};
use crate::origin::{self, Origin};
use crate::overview::{self, Count, Overall, ShownGate};
use crate::panel::{self, ShownPanel};
use crate::style::{STYLE_SHEET, Style, content_security_policy};
use crate::subject::Subject;
use crate::timeline::{self, Timeline};

/// A page that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the page could not be written: {0}")]
pub struct PageError(#[from] askama::Error);

/// What the list of a page's reports says of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The chat's title, or its id.
    title: String,
    /// Its overall score, or that there is none.
    overall: String,
    /// The checks that tripped a gate.
    gates: String,
    /// The anchor of its report.
    anchor: String,
}

impl Entry {
    /// The entry of the report with this number on its page.
    pub fn new(report: &Report, number: usize) -> Self {
        let gates: Vec<String> = report.gates.iter().map(|gate| one_line(&gate.check)).collect();
        Self {
            title: names::heading(report).0,
            overall: report.overall.map_or_else(|| "undetermined".to_owned(), |score| score.to_string()),
            gates: gates.join(" "),
            anchor: format!("report{number}"),
        }
    }
}

#[derive(Template)]
#[template(path = "open.html", whitespace = "minimize")]
struct Opening<'a> {
    title: &'a str,
    style: Style<'a>,
    policy: &'a str,
    sheet: &'a str,
    skips: &'a [(&'a str, &'a str)],
}

#[derive(Template)]
#[template(path = "close.html", whitespace = "minimize")]
struct Closing<'a> {
    entries: &'a [Entry],
}

#[derive(Template)]
#[template(path = "report.html", whitespace = "minimize")]
struct Article {
    anchor: String,
    number: usize,
    prefix: String,
    title: String,
    /// The chat's id, where the title is not it.
    id: Option<String>,
    about: String,
    note: Option<String>,
    summary: String,
    gates: Vec<ShownGate>,
    overall: Overall,
    counts: Vec<Count>,
    metrics: Vec<ShownMetric>,
    timeline: Timeline,
    moments: Vec<ShownMoment>,
    turns: Vec<ShownTurn>,
    findings: Vec<ShownFinding>,
    panel: Option<ShownPanel>,
    /// Whether the judges of a panel are split on any check.
    is_split: bool,
    origins: Vec<Origin>,
}

/// The whole page of one report.
pub fn report_page(report: &Report, rubric: &Rubric, style: Style<'_>) -> Result<String, PageError> {
    let entry = Entry::new(report, 1);
    let title = format!("{} · {} · Care-Lock", entry.title, entry.overall);
    let mut page = open_page(&title, style, &[("chat", "To the chat"), ("checks", "To the checks")])?;
    page.push_str(&report_article(report, rubric, 1)?);
    page.push_str(&close_page(&[])?);
    Ok(page)
}

/// How a page begins; `skips` are anchors with words, for those who want to go past what comes first.
pub fn open_page(title: &str, style: Style<'_>, skips: &[(&str, &str)]) -> Result<String, PageError> {
    let opening = Opening { title, style, policy: content_security_policy(), sheet: STYLE_SHEET, skips };
    Ok(opening.render()?)
}

/// One report of a page; its number, from 1, keeps its links apart from those of others.
pub fn report_article(report: &Report, rubric: &Rubric, number: usize) -> Result<String, PageError> {
    let subject = Subject::new(report, rubric, number);
    let about = format!(
        "{} turns · {} · {} {}",
        report.turns.len(),
        names::judged(report),
        one_line(&report.rubric.name),
        one_line(&report.rubric.version)
    );
    let (title, id) = names::heading(report);
    let metrics = checks::metrics(&subject);
    let article = Article {
        anchor: Entry::new(report, number).anchor,
        number,
        prefix: subject.anchors.part(""),
        title,
        id,
        about,
        note: names::judge_note(&report.judge),
        summary: one_line(&report.summary),
        gates: overview::gates(&subject),
        overall: overview::overall(&subject),
        counts: overview::counts(&subject),
        timeline: timeline::timeline(&subject),
        moments: moments::moments(&subject),
        turns: chat::turns(&subject),
        findings: audit::findings(&subject),
        panel: panel::panel(&subject),
        is_split: metrics.iter().flat_map(|metric| &metric.checks).any(ShownCheck::is_split),
        metrics,
        origins: origin::origins(&subject),
    };
    Ok(article.render()?)
}

/// How a page ends: with the list of its reports, where it holds several.
pub fn close_page(entries: &[Entry]) -> Result<String, PageError> {
    // The engine drops a template's last line break; a text file ends with one.
    Ok(Closing { entries }.render()? + "\n")
}
