//! Where a report comes from: judge, model, tokens, cost and digests.

use carelock_core::report::names;
use carelock_core::report::safe_text::one_line;
use carelock_core::verdict::{JudgeInfo, Tokens};

use crate::evidence::members;
use crate::subject::Subject;

/// A heading with its lines.
pub(crate) struct Origin {
    pub(crate) title: String,
    pub(crate) lines: Vec<Line>,
}

/// A term and what it is.
pub(crate) struct Line {
    pub(crate) term: &'static str,
    pub(crate) value: String,
    /// Digests are shown in letters of one width.
    pub(crate) is_code: bool,
}

pub(crate) fn origins(subject: &Subject<'_>) -> Vec<Origin> {
    let report = subject.report;
    let mut origins = vec![Origin { title: "Judge".to_owned(), lines: judge(&report.judge) }];
    for (number, own) in (1..).zip(members(report)) {
        origins.push(Origin { title: format!("Judge {number} of the panel"), lines: judge(&own.judge) });
    }
    let mut record = vec![
        plain("Chat", one_line(&report.transcript.id)),
        code("Chat's digest", one_line(&report.transcript.hash)),
        plain("Turns", report.turns.len().to_string()),
    ];
    record.extend(names::dropped(report).map(|dropped| plain("Left out when it was read", dropped)));
    record.extend([
        plain("Rubric", format!("{} {}", one_line(&report.rubric.name), one_line(&report.rubric.version))),
        code("Rubric's digest", one_line(&report.rubric.hash)),
        plain("Checks judged", format!("{} %", report.coverage.hundredths())),
    ]);
    if let Some(weights) = &report.weights {
        let named = |(key, weight): (&String, &carelock_core::scorecard::Weight)| {
            format!("{} {weight}", names::metric_title(subject.rubric, key))
        };
        record.push(plain("Weights", weights.iter().map(named).collect::<Vec<_>>().join(", ")));
    }
    record.push(code("Format", one_line(&report.schema)));
    origins.push(Origin { title: "Record".to_owned(), lines: record });
    origins
}

fn judge(judge: &JudgeInfo) -> Vec<Line> {
    let mut lines = vec![plain("Name", one_line(&judge.name))];
    lines.extend(names::judge_note(judge).map(|note| plain("Note", note)));
    lines.extend(judge.model.as_deref().map(|model| plain("Model", one_line(model))));
    for (name, value) in &judge.parameters {
        let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        lines.push(plain("Parameter", format!("{}: {}", one_line(name), one_line(&value))));
    }
    lines.extend(judge.tokens.map(tokens));
    lines.extend(judge.cost.as_ref().map(|cost| plain("Cost", format!("{cost} US dollars"))));
    if judge.cached == Some(true) {
        lines.push(plain("Answers", "from the record of an earlier call".to_owned()));
    }
    lines
}

fn tokens(tokens: Tokens) -> Line {
    let Tokens { input, cached, output } = tokens;
    let cached = if cached > 0 { format!(" ({cached} of them cached)") } else { String::new() };
    plain("Tokens", format!("{input} in{cached}, {output} out"))
}

fn plain(term: &'static str, value: String) -> Line {
    Line { term, value, is_code: false }
}

fn code(term: &'static str, value: String) -> Line {
    Line { term, value, is_code: true }
}
