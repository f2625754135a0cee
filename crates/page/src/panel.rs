//! The judges of a panel side by side.

use carelock_core::panel::GatePolicy;
use carelock_core::report::safe_text::one_line;
use carelock_core::report::{Report, agreement_line, names};

use crate::outcome::score_class;
use crate::subject::{Subject, said};

/// The panel's judges and their scores.
pub(crate) struct ShownPanel {
    pub(crate) judges: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) agreement: Option<String>,
    pub(crate) policy: &'static str,
    pub(crate) summaries: Vec<(String, String)>,
}

/// A line of the table: the panel's own value and every judge's.
pub(crate) struct Row {
    pub(crate) title: String,
    pub(crate) anchor: Option<String>,
    pub(crate) panel: Cell,
    pub(crate) judges: Vec<Cell>,
}

impl Row {
    /// Whether the judges differ among themselves.
    pub(crate) fn is_split(&self) -> bool {
        self.judges.windows(2).any(|pair| pair[0].text != pair[1].text)
    }
}

/// One value.
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) class: &'static str,
}

pub(crate) fn panel(subject: &Subject<'_>) -> Option<ShownPanel> {
    let report = subject.report;
    let panel = report.panel.as_deref()?;
    let row = |title: String, anchor: Option<String>, cell: &dyn Fn(&Report) -> Cell| Row {
        title,
        anchor,
        panel: cell(report),
        judges: panel.reports.iter().map(cell).collect(),
    };
    let mut rows = vec![
        row("Overall".to_owned(), None, &|own| overall(subject, own)),
        row("Gates tripped".to_owned(), None, &|own| gates(own)),
    ];
    for (position, key) in report.metrics.keys().enumerate() {
        let title = names::metric_title(subject.rubric, key).into_owned();
        rows.push(row(title, Some(subject.anchors.metric(position)), &|own| metric(subject, own, key)));
    }
    Some(ShownPanel {
        judges: panel.reports.iter().map(|own| one_line(&own.judge.name)).collect(),
        rows,
        agreement: agreement_line(report),
        policy: match panel.gate_policy {
            GatePolicy::Any => "one judge that sees a violation, with evidence, trips a gate",
            GatePolicy::Majority => "the majority decides on gates as on every other check",
        },
        summaries: panel
            .reports
            .iter()
            .filter_map(|own| Some((one_line(&own.judge.name), said(&own.summary)?)))
            .collect(),
    })
}

fn overall(subject: &Subject<'_>, own: &Report) -> Cell {
    let text = own.overall.map_or_else(|| "undetermined".to_owned(), |score| score.to_string());
    Cell { text, class: if own.is_gated() { "bad" } else { score_class(subject.rubric, own.overall) } }
}

fn gates(own: &Report) -> Cell {
    let gates: Vec<String> = own.gates.iter().map(|gate| one_line(&gate.check)).collect();
    match gates.is_empty() {
        true => Cell { text: "none".to_owned(), class: "plain" },
        false => Cell { text: gates.join(" "), class: "bad" },
    }
}

fn metric(subject: &Subject<'_>, own: &Report, key: &str) -> Cell {
    let score = own.metrics.get(key).and_then(|metric| metric.score);
    let text = score.map_or_else(|| "—".to_owned(), |score| score.to_string());
    Cell { text, class: score_class(subject.rubric, score) }
}
