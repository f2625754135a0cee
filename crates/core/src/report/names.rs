//! What identifiers in a report mean to people; a report made with another rubric falls back to the identifiers.

use std::borrow::Cow;

use super::safe_text::{excerpt, one_line};
use super::{CheckReport, GateReport, Report};
use crate::rubric::{Kind, Rubric};
use crate::score::Score;
use crate::transcript::{Speaker, Turn};
use crate::verdict::{Confidence, JudgeInfo};

/// A note beside a judge is one line; the whole of a longer one stands in the JSON report.
const NOTE: usize = 240;

/// Enough of an id or a title to tell chats apart.
const HEADING: usize = 200;

/// The metric's name for people, or its key.
pub fn metric_title<'a>(rubric: &'a Rubric, key: &'a str) -> Cow<'a, str> {
    match rubric.metric_position(key) {
        Some(position) => Cow::Borrowed(rubric.metrics()[position].title.as_str()),
        None => Cow::Owned(one_line(key)),
    }
}

/// The check's id and, where the rubric knows it, its name.
pub fn check_name(rubric: &Rubric, id: &str) -> String {
    match rubric.position(id) {
        Some(position) => format!("{id} {}", rubric.check(position).title),
        None => one_line(id),
    }
}

/// The check's name, marked where the judge was not sure of its verdict.
pub fn judged_name(rubric: &Rubric, id: &str, check: Option<&CheckReport>) -> String {
    let name = check_name(rubric, id);
    match check.and_then(|check| check.confidence) {
        Some(Confidence::Low) => format!("{name} (low confidence)"),
        _ => name,
    }
}

/// What a gate is tripped for: `Mishandled a crisis`; where the rubric has no words for it, the check's title.
pub fn gate_failure(rubric: &Rubric, id: &str) -> String {
    let Some(position) = rubric.position(id) else { return String::new() };
    let says = one_line(rubric.gate_says(position));
    let mut letters = says.chars();
    match letters.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), letters.as_str()),
        None => one_line(&rubric.check(position).title),
    }
}

/// A gate by its failure: `ES2 Mishandled a crisis`.
pub fn gate_name(rubric: &Rubric, id: &str) -> String {
    let failure = gate_failure(rubric, id);
    if failure.is_empty() { one_line(id) } else { format!("{} {failure}", one_line(id)) }
}

/// What a tripped gate is called in its report, marked where the judge was not sure.
pub fn tripped_gate(report: &Report, rubric: &Rubric, gate: &GateReport) -> String {
    let name = gate_name(rubric, &gate.check);
    let is_unsure = gate_check(report, gate).and_then(|check| check.confidence) == Some(Confidence::Low);
    if is_unsure { format!("{name} (low confidence)") } else { name }
}

/// Ids or names in a sentence: `B2, ES1 and ES2`.
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// What a report is headed by: the chat's title where it has one, else its id; and the id beside a title.
pub fn heading(report: &Report) -> (String, Option<String>) {
    let id = excerpt(&report.transcript.id, HEADING);
    let title = report.heading.title.as_deref().map(|title| excerpt(title, HEADING)).filter(|title| !title.is_empty());
    match title {
        Some(title) if title != id => (title, Some(id).filter(|id| !id.is_empty())),
        _ => (if id.is_empty() { "(no id)".to_owned() } else { id }, None),
    }
}

/// Who judged, and when, where that is known: `judged by builtin (screening-4) on 2026-11-18 04:10 UTC`.
pub fn judged(report: &Report) -> String {
    match &report.heading.judged {
        Some(moment) => format!("judged by {} on {}", judge(report), one_line(moment)),
        None => format!("judged by {}", judge(report)),
    }
}

/// What a gate does to the scores.
pub fn gate_effect(rubric: &Rubric, gate: &GateReport) -> String {
    let metric = metric_title(rubric, &gate.metric);
    match gate.cap {
        Score::ZERO => format!("{metric} and the overall score are 0.00, however good the rest is."),
        cap => format!("{metric} is 0.00 and the overall score at most {cap}, however good the rest is."),
    }
}

/// Why there is no overall score, with metrics by their names.
pub fn undetermined(report: &Report, rubric: &Rubric) -> String {
    with_titles(rubric, &one_line(report.undetermined.as_deref().unwrap_or("no reason was given")))
}

/// A sentence of the record with metrics by their names instead of their keys.
pub fn with_titles(rubric: &Rubric, text: &str) -> String {
    let is_key = |character: char| character.is_alphanumeric();
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|character| !is_key(character)).unwrap_or(rest.len());
        let (key, behind) = rest.split_at(word);
        match rubric.metric_position(key) {
            Some(position) => said.push_str(&one_line(&rubric.metrics()[position].title)),
            None => said.push_str(key),
        }
        let between = behind.find(is_key).unwrap_or(behind.len());
        said.push_str(&behind[..between]);
        rest = &behind[between..];
    }
    said
}

/// What the overall score would be without a gate, in a sentence that holds also where several were tripped.
pub fn without_gate(report: &Report, gate: &GateReport) -> String {
    match (gate.without, report.overall_ungated) {
        (None, _) => "What it would be without this gate is not known.".to_owned(),
        (Some(alone), _) if report.gates.len() < 2 => format!("Without this gate it would be {alone}."),
        (Some(alone), Some(none)) => {
            let still = if Some(alone) == report.overall { "still be" } else { "be" };
            format!("Without this gate alone it would {still} {alone}, without any gate {none}.")
        }
        (Some(alone), None) => format!("Without this gate alone it would be {alone}."),
    }
}

/// The judges of a panel that gave no verdict at all, each with its reason.
pub fn silent_judges(report: &Report) -> Vec<(String, String)> {
    let members = report.panel.iter().flat_map(|panel| &panel.reports);
    let silent = members.filter(|own| Counts::new(own).judged() == 0);
    let reason = |own: &Report| own.checks().map(|(_, _, check)| unscored_reason(check)).next().unwrap_or_default();
    silent.map(|own| (one_line(&own.judge.name), reason(own))).collect()
}

/// How many judges of a report gave verdicts.
pub fn judges_that_answered(report: &Report) -> usize {
    match &report.panel {
        Some(panel) => panel.reports.len() - silent_judges(report).len(),
        None => usize::from(Counts::new(report).judged() > 0),
    }
}

/// The check that tripped a gate.
pub fn gate_check<'a>(report: &'a Report, gate: &GateReport) -> Option<&'a CheckReport> {
    report.metrics.get(gate.metric.as_ref())?.checks.get(gate.check.as_ref())
}

/// What the check's pass and failure rest on, where the rubric knows it.
pub fn check_kind(rubric: &Rubric, id: &str) -> Option<Kind> {
    rubric.position(id).map(|position| rubric.check(position).kind)
}

/// Whether the report was made with this very rubric, so that its tiers apply.
pub fn same_rubric(report: &Report, rubric: &Rubric) -> bool {
    report.rubric.hash == rubric.digest()
}

/// The turn the words stand in: the first cited one that contains them, else the first cited one.
pub fn cited_turn<'a>(report: &'a Report, turns: &[u32], quote: Option<&str>) -> Option<&'a Turn> {
    let cited = || turns.iter().filter_map(|&idx| turn(report, idx));
    let holds = |turn: &&Turn| quote.is_some_and(|quote| turn.text.contains(quote));
    cited().find(holds).or_else(|| cited().next())
}

/// A turn by its number.
pub fn turn(report: &Report, idx: u32) -> Option<&Turn> {
    report.turns.iter().find(|turn| turn.idx == idx)
}

/// Who speaks, in the words of reports for people.
pub fn who(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Human => "person",
        Speaker::Ai => "AI",
    }
}

/// Where words stand: `turn 6, AI`.
pub fn place(idx: u32, speaker: Speaker) -> String {
    format!("turn {idx}, {}", who(speaker))
}

/// Where a verdict looked: the place of its quote, or all the turns it cites.
pub fn cited_place(report: &Report, turns: &[u32], quote: Option<&str>) -> Option<String> {
    match (turns, quote) {
        ([], _) => None,
        ([_], _) | (_, Some(_)) => match cited_turn(report, turns, quote) {
            Some(turn) => Some(place(turn.idx, turn.speaker)),
            None => Some(format!("turn {}", turns[0])),
        },
        _ => Some(format!("turns {}", numbers(turns, ", "))),
    }
}

/// What the person said before a reply that tripped a gate, with its turn: the words of a moment in a cited turn of theirs, or else that turn. Nothing
/// where the gate quotes the person itself.
pub fn gate_cue<'a>(report: &'a Report, gate: &GateReport) -> Option<(u32, &'a str)> {
    let reply = cited_turn(report, &gate.turns, gate.quote.as_deref()).filter(|turn| turn.speaker == Speaker::Ai)?;
    let cited = gate.turns.iter().filter_map(|&idx| turn(report, idx));
    let cue = cited.filter(|turn| turn.speaker == Speaker::Human).find(|turn| turn.idx < reply.idx)?;
    let moment = report.moments.iter().find(|moment| moment.idx == cue.idx);
    Some((cue.idx, moment.map_or(cue.text.as_str(), |moment| moment.quote.as_str())))
}

/// Numbers in a row.
pub fn numbers(turns: &[u32], between: &str) -> String {
    turns.iter().map(u32::to_string).collect::<Vec<_>>().join(between)
}

/// Checks without a verdict, by reason, in rubric order: one reason often holds for many.
pub fn unscored_by_reason(report: &Report) -> Vec<(String, Vec<&str>)> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for (_, id, check) in report.checks().filter(|(_, _, check)| check.pass.is_none()) {
        let reason = unscored_reason(check);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(id),
            None => reasons.push((reason, vec![id])),
        }
    }
    reasons
}

/// Why a check has no verdict, in words.
pub fn unscored_reason(check: &CheckReport) -> String {
    let reason = one_line(check.unscored.as_deref().unwrap_or_default());
    if reason.is_empty() { "no reason was given".to_owned() } else { reason }
}

/// Who judged, with the model behind it.
pub fn judge(report: &Report) -> String {
    let name = one_line(&report.judge.name);
    match &report.judge.model {
        Some(model) => format!("{name} ({})", one_line(model)),
        None => name,
    }
}

/// What a reader should know of the judge, where there is something.
pub fn judge_note(judge: &JudgeInfo) -> Option<String> {
    judge.note.as_deref().map(|note| excerpt(note, NOTE)).filter(|note| !note.is_empty())
}

/// The checks of a report, counted by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Passes that were observed, or looked for in the whole chat.
    pub earned: usize,
    /// Passes whose condition never arose.
    pub not_triggered: usize,
    /// Checks failed.
    pub failed: usize,
    /// Checks without a verdict.
    pub unscored: usize,
}

impl Counts {
    /// Counts the checks of a report.
    pub fn new(report: &Report) -> Self {
        report.metrics.values().fold(Self::default(), |sum, metric| Self {
            earned: sum.earned + metric.earned,
            not_triggered: sum.not_triggered + metric.not_triggered,
            failed: sum.failed + metric.failed,
            unscored: sum.unscored + metric.unscored,
        })
    }

    /// Those that have a verdict.
    pub fn judged(self) -> usize {
        self.earned + self.not_triggered + self.failed
    }

    /// All of them.
    pub fn all(self) -> usize {
        self.judged() + self.unscored
    }
}

/// What was left out when the chat was read: `2 system, 1 tool`.
pub fn dropped(report: &Report) -> Option<String> {
    let parts: Vec<String> =
        report.transcript.dropped.iter().map(|(what, count)| format!("{count} {}", one_line(what))).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_called_by_their_names_wherever_their_keys_stand() {
        let named = with_titles(&Rubric::care_lock(), "not every check of EmotionalRelevance, Tone (Boundary–Clarity)");
        assert_eq!(named, "not every check of Emotional relevance, Tone (Boundary awareness–Clarity)");
    }
}
