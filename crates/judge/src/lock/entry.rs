//! One judge's answers on one chat, with everything needed to use them again.

use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::verdict::{
    Answer, Highlight, JudgeInfo, MetricWording, Pass, RawMoment, Submission, Tokens, TranscriptRef,
};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::key::{Key, LockQuestion, check_digests};
use super::line::AnswerLine;

/// One judge's graded answers on one chat. Only a [`Submission`] makes one: a refusal or an outage has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub(super) asked: LockQuestion,
    pub(super) rubric: (String, String),
    pub(super) circumstances: Circumstances,
    pub(super) judge: JudgeInfo,
    pub(super) checks: Vec<KeptCheck>,
    pub(super) moments: Vec<RawMoment>,
    pub(super) metrics: Vec<(String, MetricWording)>,
    pub(super) positive: Vec<Highlight>,
    pub(super) negative: Vec<Highlight>,
    pub(super) summary: Option<String>,
}

/// The answer to one check, and the question it answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCheck {
    /// The check's id.
    pub id: String,
    /// The digest of the check's text when it was asked ([`check_digests`]).
    pub digest: String,
    /// The answer as it was given.
    #[serde(flatten, with = "AnswerLine")]
    pub answer: Answer,
}

/// How answers came about, beside what the answers themselves say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circumstances {
    /// When they were given; the caller's clock and format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// The provider's fingerprint of the system that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Whether the answer's JSON had to be repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repaired: bool,
    /// In how many windows the chat was judged; 0 where that was not said.
    #[serde(default)]
    pub windows: u32,
    /// Anything else a report should say about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Entry {
    /// Takes graded answers for keeping.
    ///
    /// What comes back from [`Entry::submission`] is the same submission with its answers in rubric order, the chat
    /// named, and `cached` true. A check that was asked and left without an answer stays open: say
    /// [`Entry::settled`] if it shall not be asked again.
    pub fn new(
        asked: LockQuestion,
        rubric: &Rubric,
        submission: Submission,
        circumstances: Circumstances,
    ) -> Result<Self, Problem> {
        if let Some(named) = submission.transcript.as_ref().and_then(|named| named.hash.as_ref())
            && *named != asked.transcript
        {
            let what = format!("the answers name the chat {named}, but were to be kept for {}", asked.transcript);
            return Err(Problem::new(what).advice("keep them with their own chat"));
        }
        let graded = |pass: &Pass| matches!(pass, Pass::Yes | Pass::No | Pass::NotTriggered);
        if !submission.verdicts.iter().any(|(_, answer)| graded(&answer.pass)) {
            let what = "no check is answered with yes, no or not_triggered: there is nothing to keep";
            return Err(Problem::new(what).advice("ask again"));
        }
        Ok(Self {
            checks: keep(rubric, submission.verdicts)?,
            rubric: (rubric.name().to_owned(), rubric.version().to_owned()),
            asked,
            circumstances,
            judge: JudgeInfo { cached: None, ..submission.judge },
            moments: submission.moments,
            metrics: submission.metrics,
            positive: submission.positive,
            negative: submission.negative,
            summary: submission.summary,
        })
    }

    /// The same entry in which every check that was asked and has no answer counts as asked and not answered.
    pub fn settled(mut self, rubric: &Rubric) -> Self {
        let digests = check_digests(rubric);
        let asked = digests.into_iter().filter(|(id, _)| self.asked.asks(id));
        let open = asked.filter(|(id, _)| !self.checks.iter().any(|kept| kept.id == *id));
        let silent = open.map(|(id, digest)| KeptCheck { id: id.to_owned(), digest, answer: Answer::default() });
        let silent: Vec<_> = silent.collect();
        self.checks.extend(silent);
        self.checks.sort_by_key(|kept| rubric.position(&kept.id).unwrap_or(usize::MAX));
        self
    }

    /// These answers with those to the checks that were asked anew put in.
    ///
    /// Checks the rubric no longer has are dropped. Moments, highlights and wording that came with the new answers
    /// replace the old ones; without new moments the old ones stay, less the summary and the wording of metrics that
    /// changed. Tokens and costs add up.
    pub fn updated(&self, rubric: &Rubric, fresh: Submission, circumstances: Circumstances) -> Result<Self, Problem> {
        let (known, _) = self.known(rubric);
        let mut whole = known;
        whole.verdicts.retain(|(id, _)| !fresh.verdicts.iter().any(|(asked, _)| asked == id));
        whole.verdicts.extend(fresh.verdicts);
        if !fresh.moments.is_empty() {
            (whole.moments, whole.metrics) = (fresh.moments, fresh.metrics);
            (whole.positive, whole.negative) = (fresh.positive, fresh.negative);
        }
        whole.summary = fresh.summary.or(whole.summary);
        whole.judge = JudgeInfo {
            tokens: added(self.judge.tokens, fresh.judge.tokens),
            cost: sum(self.judge.cost.as_ref(), fresh.judge.cost.as_ref()),
            ..fresh.judge
        };
        Self::new(self.asked.clone(), rubric, whole, circumstances)
    }

    /// The answers as they were given.
    pub fn submission(&self) -> Submission {
        Submission {
            judge: JudgeInfo { cached: Some(true), ..self.judge.clone() },
            transcript: Some(TranscriptRef {
                id: Some(self.asked.chat.clone()),
                hash: Some(self.asked.transcript.clone()),
            }),
            verdicts: self.checks.iter().map(|kept| (kept.id.clone(), kept.answer.clone())).collect(),
            moments: self.moments.clone(),
            metrics: self.metrics.clone(),
            positive: self.positive.clone(),
            negative: self.negative.clone(),
            summary: self.summary.clone(),
        }
    }

    /// The address of this entry.
    pub fn key(&self) -> Key {
        self.asked.key()
    }

    /// What was asked of whom.
    pub fn asked(&self) -> &LockQuestion {
        &self.asked
    }

    /// The answers, in the order of the rubric they were given to.
    pub fn checks(&self) -> &[KeptCheck] {
        &self.checks
    }
}

fn keep(rubric: &Rubric, verdicts: Vec<(String, Answer)>) -> Result<Vec<KeptCheck>, Problem> {
    let digests = check_digests(rubric);
    let mut places: Vec<Option<KeptCheck>> = vec![None; digests.len()];
    for (id, answer) in verdicts {
        let Some(position) = rubric.position(&id) else {
            let what = format!("the rubric has no check {id}: its answer cannot be kept");
            return Err(Problem::new(what).advice("keep answers with the rubric they answer"));
        };
        let kept = KeptCheck { id, digest: digests[position].1.clone(), answer };
        if let Some(first) = places[position].replace(kept) {
            let what = format!("the check {} is answered twice: it cannot be known which answer counts", first.id);
            return Err(Problem::new(what).advice("keep one answer"));
        }
    }
    Ok(places.into_iter().flatten().collect())
}

fn added(one: Option<Tokens>, other: Option<Tokens>) -> Option<Tokens> {
    let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
    Some(Tokens {
        input: one.input.saturating_add(other.input),
        cached: one.cached.saturating_add(other.cached),
        output: one.output.saturating_add(other.output),
    })
}

fn sum(one: Option<&Number>, other: Option<&Number>) -> Option<Number> {
    let (Some(first), Some(second)) = (one, other) else { return one.or(other).cloned() };
    Number::from_f64(first.as_f64()? + second.as_f64()?)
}
