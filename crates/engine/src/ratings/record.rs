//! Ratings from one record: a report, a label of one check, or answers to many.

use anyhow::{Result, anyhow, bail};
use carelock_core::problem::{Problem, Setting};
use carelock_core::remedy;
use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::{Scorecard, Weights};
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Answer, Basis, Judged, Pass, Submission, Verdict};
use serde::Deserialize;

use super::{Outcome, Rating, Source, weights_in_words};

/// A rating and who gave it, where that is said.
pub(super) struct Read {
    pub(super) rating: Rating,
    pub(super) judge: Option<String>,
    /// Whether it was made with another rubric than the one in use.
    pub(super) other_rubric: bool,
    /// How the metrics count, in words.
    pub(super) weights: String,
}

/// What tells the kinds of records apart, and what a label has besides its verdicts.
#[derive(Deserialize)]
pub(super) struct Outline {
    #[serde(default)]
    schema: Option<String>,
    #[serde(default)]
    check: Option<String>,
    #[serde(default)]
    verdict: Option<String>,
    #[serde(default)]
    id: Option<serde_json::Value>,
    #[serde(default)]
    source: Option<serde_json::Value>,
    #[serde(default)]
    group: Option<serde_json::Value>,
    #[serde(default)]
    judge: Option<serde_json::Value>,
    #[serde(default)]
    turns: Option<serde_json::Value>,
    /// In a label of one check these are turns; in others they are turns by check.
    #[serde(default)]
    cited: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct LabelTurn {
    speaker: Speaker,
    text: String,
}

impl Outline {
    pub(super) fn new(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| {
            anyhow!(
                Problem::new(format!("not a record of a rater: {error}"))
                    .advice("give labels, a rating sheet, recorded answers or reports")
            )
        })
    }

    pub(super) fn is_report(&self) -> bool {
        self.schema.as_deref().is_some_and(|schema| schema.starts_with("carelock/report/"))
    }

    /// The one check a record of a pair is about, with its label.
    pub(super) fn single(&self) -> Option<(&str, Answer)> {
        let (check, verdict) = (self.check.as_deref()?, self.verdict.as_deref()?);
        let numbers = self.cited.as_ref().and_then(|cited| serde_json::from_value(cited.clone()).ok());
        let answer = Answer { pass: Pass::from_word(verdict), turns: numbers.unwrap_or_default(), ..Answer::default() };
        Some((check, answer))
    }

    fn id(&self) -> Option<String> {
        self.id.as_ref().and_then(words)
    }

    /// What was said in the chat, where the record has its turns.
    pub(super) fn said(&self) -> Vec<(Speaker, String)> {
        let turns = self.turns.as_ref().and_then(|turns| Vec::<LabelTurn>::deserialize(turns).ok());
        turns.unwrap_or_default().into_iter().map(|turn| (turn.speaker, turn.text)).collect()
    }

    fn digest(&self) -> Option<String> {
        Transcript::new("", self.said()).ok().map(|transcript| transcript.digest())
    }

    /// Whether these are the recorded answers of a model.
    fn is_by_model(&self) -> bool {
        self.judge.as_ref().and_then(|judge| judge.get("model")).is_some_and(|model| !model.is_null())
    }

    fn judge_name(&self) -> Option<String> {
        let judge = self.judge.as_ref()?;
        words(judge).or_else(|| judge.get("name").and_then(words))
    }
}

fn words(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Reads one record.
pub(super) fn read(rubric: &Rubric, text: &str, fallback_id: &str) -> Result<Read> {
    let outline = Outline::new(text)?;
    if outline.is_report() {
        let report: Report = serde_json::from_str(text).map_err(|error| {
            anyhow!(
                Problem::new(format!("not a report: {error}"))
                    .advice("give one that `carelock eval --format json` or jsonl wrote")
            )
        })?;
        return Ok(of_report(rubric, &report));
    }
    let group = outline.source.as_ref().or(outline.group.as_ref()).and_then(words);
    let (mut answers, pair) = match outline.single() {
        Some((check, answer)) => (vec![(check.to_owned(), answer)], outline.id().as_deref().and_then(pair_of)),
        None => (Submission::from_json(text)?.verdicts, None),
    };
    if outline.is_by_model() {
        // What a model said off the menu is no verdict; in a label it is a slip of the pen.
        answers.retain(|(_, answer)| !matches!(answer.pass, Pass::OffMenu(_)));
    }
    let id = outline.id().unwrap_or_else(|| fallback_id.to_owned());
    let mut rating = of_answers(rubric, id, &answers)?;
    rating.group = group;
    rating.pair = pair;
    rating.digest = outline.digest();
    Ok(Read { rating, judge: outline.judge_name(), other_rubric: false, weights: String::new() })
}

/// The pair a chat belongs to: its id without the verdict at its end.
fn pair_of(id: &str) -> Option<String> {
    let (pair, verdict) = id.rsplit_once(['-', '_', '/', ':'])?;
    matches!(verdict, "pass" | "fail").then(|| pair.to_owned())
}

/// A report's verdicts and scores as they stand.
pub(super) fn of_report(rubric: &Rubric, report: &Report) -> Read {
    let mut outcomes = vec![None; rubric.checks().len()];
    for (_, id, check) in report.checks() {
        if let Some(position) = rubric.position(id) {
            outcomes[position] = check.pass.map(|pass| outcome(pass, check.basis));
        }
    }
    let mut metrics = vec![None; rubric.metrics().len()];
    for (key, metric) in &report.metrics {
        if let Some(position) = rubric.metric_position(key) {
            metrics[position] = metric.score;
        }
    }
    let rating = Rating {
        id: report.transcript.id.clone(),
        digest: Some(report.transcript.hash.clone()).filter(|hash| !hash.is_empty()),
        group: None,
        outcomes,
        overall: report.overall,
        metrics,
        pair: None,
        source: Source::None,
    };
    let weights = weights_in_words(report.weights.as_ref());
    let other_rubric = report.rubric.hash != rubric.digest();
    Read { rating, judge: Some(report.judge.name.clone()), other_rubric, weights }
}

/// Answers without their chat: scored as they are, because no quote can be looked up.
pub(super) fn of_answers(rubric: &Rubric, id: String, answers: &[(String, Answer)]) -> Result<Rating> {
    let mut verdicts = vec![Verdict::Unscored(String::new()); rubric.checks().len()];
    for (check, answer) in answers {
        let Some(position) = rubric.position(check) else {
            bail!(
                Problem::new(format!("the rubric has no check {check:?}"))
                    .with(remedy!["use the ids of `carelock rubric`, or name the rubric with ", Setting::Rubric])
            );
        };
        if let Pass::OffMenu(word) = &answer.pass {
            bail!(
                Problem::new(format!("{check}: {word:?} is no verdict"))
                    .advice("write pass, fail or not_triggered, or leave the check out")
            );
        }
        if let Some((pass, basis)) = answered(answer) {
            let judged = Judged { pass, basis, turns: Vec::new(), quote: None, why: String::new(), confidence: None };
            verdicts[position] = Verdict::Judged(judged);
        }
    }
    let complete = verdicts.iter().all(|verdict| verdict.pass().is_some());
    let card = Scorecard::compute(rubric, verdicts.clone(), &Weights::equal(rubric));
    // A rule of the audit may fail a check that nobody rated; that is no rating.
    let counted = verdicts.iter().zip(&card.checks).map(|(given, counted)| match (&given, &counted.verdict) {
        (Verdict::Judged(_), Verdict::Judged(judged)) => Some(outcome(judged.pass, Some(judged.basis))),
        _ => None,
    });
    Ok(Rating {
        id,
        digest: None,
        group: None,
        outcomes: counted.collect(),
        // A gate decides the score of a chat with one label too, but that says nothing of the rater's other verdicts.
        overall: card.overall.filter(|_| complete),
        metrics: card.metrics.iter().map(|metric| metric.score).collect(),
        pair: None,
        source: Source::None,
    })
}

fn answered(answer: &Answer) -> Option<(bool, Basis)> {
    match answer.pass {
        Pass::Yes => Some((true, answer.basis.unwrap_or(Basis::Observed))),
        Pass::No => Some((false, answer.basis.unwrap_or(Basis::Observed))),
        Pass::NotTriggered => Some((true, Basis::NotTriggered)),
        Pass::Missing | Pass::Unscored(_) | Pass::OffMenu(_) => None,
    }
}

fn outcome(pass: bool, basis: Option<Basis>) -> Outcome {
    match (pass, basis) {
        (false, _) => Outcome::Fail,
        (true, Some(Basis::NotTriggered)) => Outcome::NotTriggered,
        (true, _) => Outcome::Pass,
    }
}
