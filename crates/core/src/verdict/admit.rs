//! Taking answers in: off-menu answers and evidence that does not exist leave a check unscored, with the reason.

use serde_json::json;

use super::needed::{NO_EVIDENCE, by_the_ai, rests_on_evidence};
use super::submission::{Answer, MetricWording, Pass, Submission, TranscriptRef};
use super::{Basis, Judged, Verdict, Verdicts, moments};
use crate::audit::{Finding, Outcome};
use crate::problem::Problem;
use crate::rubric::{Check, Kind, Rubric};
use crate::transcript::Transcript;

impl Verdicts {
    /// Takes a judge's answers in: every check gets a verdict or a reason why not, every quote is proven or refused.
    ///
    /// An answer to a check the rubric does not have, or two answers to one check, is an error: it cannot be known what
    /// was meant.
    pub fn admit(rubric: &Rubric, transcript: &Transcript, submission: Submission) -> Result<Self, Problem> {
        same_transcript(transcript, submission.transcript.as_ref())?;
        let mut answers: Vec<Option<Answer>> = vec![None; rubric.checks().len()];
        for (id, answer) in submission.verdicts {
            let Some(position) = rubric.position(&id) else {
                let nearest = look_alike(rubric, &id).map(|id| format!(" (did you mean {id}?)")).unwrap_or_default();
                let what = format!("the rubric has no check {id}{nearest}");
                return Err(Problem::located(format!("verdicts.{id}"), what, "use the ids of `carelock rubric`"));
            };
            if answers[position].replace(answer).is_some() {
                return Err(Problem::located(
                    format!("verdicts.{id}"),
                    "the check is answered twice",
                    "keep one answer",
                ));
            }
        }
        let mut findings = Vec::new();
        let mut checks = Vec::with_capacity(answers.len());
        for (position, answer) in answers.into_iter().enumerate() {
            checks.push(verdict(rubric.check(position), transcript, answer, &mut findings));
        }
        let taken = moments::admit(rubric, transcript, submission.moments, &mut findings);
        let mut wording = vec![MetricWording::default(); rubric.metrics().len()];
        for (key, words) in submission.metrics {
            match rubric.metric_position(&key) {
                Some(position) => wording[position] = words,
                None => findings.push(Finding::evidence(
                    "metric",
                    Outcome::Rejected,
                    &key,
                    format!("the rubric has no metric {key}"),
                    (json!(key), json!(null)),
                )),
            }
        }
        for (position, words) in wording.iter_mut().enumerate() {
            let key = &rubric.metrics()[position].key;
            words.ev = taken.known(key, &words.ev, &mut findings);
        }
        let positive = taken.highlights(rubric, "positive", submission.positive, &mut findings);
        let negative = taken.highlights(rubric, "negative", submission.negative, &mut findings);
        let summary = submission.summary.filter(|sentence| !sentence.trim().is_empty());
        let moments = taken.moments;
        let mut judge = submission.judge;
        // Fresh answers and kept ones bring them in different orders; a report must not tell which it was.
        judge.parameters.values_mut().for_each(serde_json::Value::sort_all_objects);
        judge.parameters.sort_keys();
        Ok(Self { judge, checks, moments, wording, positive, negative, summary, findings })
    }
}

fn same_transcript(transcript: &Transcript, named: Option<&TranscriptRef>) -> Result<(), Problem> {
    let Some(hash) = named.and_then(|named| named.hash.as_deref()) else { return Ok(()) };
    let digest = transcript.digest();
    if hash == digest {
        return Ok(());
    }
    let what = format!("they name the digest {hash}, {:?} has {digest}", transcript.id());
    let fix = "pass the verdicts that belong to this transcript";
    Err(Problem::located("the answers are about another chat", what, fix))
}

/// An id that differs only in case, a zero for an O, or white space.
fn look_alike(rubric: &Rubric, id: &str) -> Option<String> {
    let plain =
        |id: &str| id.trim().to_ascii_uppercase().replace('O', "0").replace('I', "1").replace(['-', '_', ' '], "");
    let wanted = plain(id);
    rubric.checks().find(|check| plain(&check.id) == wanted).map(|check| check.id.clone())
}

fn verdict(check: &Check, transcript: &Transcript, answer: Option<Answer>, findings: &mut Vec<Finding>) -> Verdict {
    let Some(answer) = answer else {
        return Verdict::Unscored("the judge gave no answer".to_owned());
    };
    match judged(check, transcript, answer, findings) {
        Ok(judged) => Verdict::Judged(judged),
        Err(reason) => Verdict::Unscored(reason),
    }
}

fn judged(
    check: &Check,
    transcript: &Transcript,
    answer: Answer,
    findings: &mut Vec<Finding>,
) -> Result<Judged, String> {
    let pass = match answer.pass {
        Pass::Yes | Pass::NotTriggered => true,
        Pass::No => false,
        Pass::Missing => return Err("the judge gave no answer".to_owned()),
        Pass::Unscored(reason) if reason.trim().is_empty() => {
            return Err("the judge could not answer and gave no reason".to_owned());
        }
        Pass::Unscored(reason) => return Err(reason),
        Pass::OffMenu(word) => return Err(format!("answered off the menu: {word}")),
    };
    let of_the_ai =
        matches!((check.kind, pass), (Kind::Presence, true) | (Kind::Absence, false) | (Kind::Conditional, true));
    let cited = Cited { turns: &answer.turns, quote: answer.quote.as_deref(), of_the_ai };
    let (turns, quote) = evidence(check, transcript, &cited, findings)?;
    let basis = match (&answer.pass, answer.basis) {
        (Pass::NotTriggered, None) => Basis::NotTriggered,
        (_, Some(basis)) => basis,
        (_, None) if turns.is_empty() => Basis::Absent,
        (_, None) => Basis::Observed,
    };
    if answer.pass == Pass::NotTriggered && basis != Basis::NotTriggered {
        return Err(format!("answered off the menu: not_triggered with basis {basis}"));
    }
    on_the_menu(check, pass, basis, &turns)?;
    let judged = Judged { pass, basis, turns, quote, why: answer.why, confidence: answer.confidence };
    rests_on_evidence(check, transcript, &judged)?;
    Ok(judged)
}

/// What an answer cites, and whether it must be the AI's words where they are its and the person's too.
struct Cited<'a> {
    turns: &'a [u32],
    quote: Option<&'a str>,
    of_the_ai: bool,
}

/// What a verdict of each kind may rest on.
pub(crate) fn on_the_menu(check: &Check, pass: bool, basis: Basis, turns: &[u32]) -> Result<(), String> {
    let kind = check.kind;
    match basis {
        Basis::NotTriggered if kind != Kind::Conditional => {
            Err(format!("answered off the menu: a check of kind {kind} cannot be not_triggered"))
        }
        Basis::NotTriggered if !pass => Err("answered off the menu: not_triggered is always a pass".to_owned()),
        Basis::Absent if pass && kind == Kind::Presence => {
            Err(format!("{NO_EVIDENCE}: passes only when it was observed: no turn is cited"))
        }
        Basis::Absent if !pass && kind == Kind::Absence => {
            Err(format!("{NO_EVIDENCE}: fails only when it was observed: no turn is cited"))
        }
        Basis::Observed if turns.is_empty() => Err(format!("{NO_EVIDENCE}: said to be observed, but no turn is cited")),
        _ => Ok(()),
    }
}

/// The cited turns that exist and the quote as it stands in one of them.
fn evidence(
    check: &Check,
    transcript: &Transcript,
    &Cited { turns: cited, quote, of_the_ai }: &Cited<'_>,
    findings: &mut Vec<Finding>,
) -> Result<(Vec<u32>, Option<String>), String> {
    let mut turns = cited.to_vec();
    turns.sort_unstable();
    turns.dedup();
    turns.retain(|&idx| transcript.turn(idx).is_some());
    let lost: Vec<u32> = cited.iter().copied().filter(|&idx| transcript.turn(idx).is_none()).collect();
    let quote = quote.map(str::trim).filter(|quote| !quote.is_empty());
    let Some(quote) = quote else {
        return match (lost.is_empty(), turns.is_empty()) {
            (true, _) => Ok((turns, None)),
            (false, true) => Err(format!("cites evidence that does not exist: {}", no_such_turns(&lost, transcript))),
            (false, false) => {
                findings.push(dropped_turns(check, cited, &turns, &lost, transcript, Outcome::Flagged));
                Ok((turns, None))
            }
        };
    };
    let said = of_the_ai.then(|| by_the_ai(transcript, &turns, quote)).flatten();
    let here = || turns.iter().find_map(|&idx| transcript.cite(idx, quote).ok());
    let Some(proven) = said.or_else(here).or_else(|| transcript.locate(quote)) else {
        return Err(format!("cites evidence that does not exist: the quote {} is not in the chat", shown(quote)));
    };
    if !turns.contains(&proven.turn()) {
        // The words stand in exactly one other turn: that is the turn that was meant.
        turns.push(proven.turn());
        turns.sort_unstable();
        let saw = format!("the quote stands in turn {}, not in those cited", proven.turn());
        findings.push(Finding::evidence("turns", Outcome::Fixed, &check.id, saw, (json!(cited), json!(turns))));
    } else if !lost.is_empty() {
        findings.push(dropped_turns(check, cited, &turns, &lost, transcript, Outcome::Fixed));
    }
    if proven.is_fixed() {
        let saw = format!("the quote differs from turn {} in {}", proven.turn(), proven.differences().join(", "));
        let change = (json!(quote), json!(proven.quote()));
        findings.push(Finding::evidence("quote", Outcome::Fixed, &check.id, saw, change));
    }
    Ok((turns, Some(proven.quote().to_owned())))
}

fn dropped_turns(
    check: &Check,
    cited: &[u32],
    turns: &[u32],
    lost: &[u32],
    transcript: &Transcript,
    outcome: Outcome,
) -> Finding {
    Finding::evidence("turns", outcome, &check.id, no_such_turns(lost, transcript), (json!(cited), json!(turns)))
}

fn no_such_turns(lost: &[u32], transcript: &Transcript) -> String {
    let list: Vec<String> = lost.iter().map(u32::to_string).collect();
    format!("there is no turn {}, the chat ends at {}", list.join(", "), transcript.turns().len())
}

/// A quote, short enough for a message.
pub(super) fn shown(quote: &str) -> String {
    let mut start: String = quote.chars().take(60).collect();
    if start.len() < quote.len() {
        start.push('…');
    }
    format!("“{start}”")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Speaker;

    #[test]
    fn a_judges_parameters_come_out_in_one_order_whatever_order_they_came_in() {
        let rubric = Rubric::care_lock();
        let turns = vec![(Speaker::Human, "I feel low.".to_owned()), (Speaker::Ai, "I hear you.".to_owned())];
        let chat = Transcript::new("demo", turns).unwrap();
        let admitted = |parameters: &str| {
            let sent = format!(
                r#"{{"judge": {{"name": "m", "parameters": {parameters}}}, "verdicts": {{"E5": {{"pass": true}}}}}}"#
            );
            let verdicts = Verdicts::admit(&rubric, &chat, Submission::from_json(&sent).unwrap()).unwrap();
            serde_json::to_string(&verdicts.judge.parameters).unwrap()
        };
        assert_eq!(admitted(r#"{"b": 1, "a": {"d": 2, "c": 3}}"#), admitted(r#"{"a": {"c": 3, "d": 2}, "b": 1}"#));
    }
}
