//! A stored chat, ready to be judged, and what becomes of the answers on it.

use anyhow::Result;
use carelock_core::report::Source;
use carelock_core::rubric::Rubric;
use carelock_core::verdict::{Submission, Verdicts};
use carelock_judge::provider::Cost;
use carelock_store::{ChatKey, NewAnswer, NewResult, StoredChat};

use super::chat::Notes;
use crate::judging::Subject;
use crate::panel::{JudgePanel, QuickChat};
use crate::runs::{Scoring, now, own_name, results_of, source_of};

/// A chat that can be judged.
pub struct Ready {
    /// Its number in the database.
    pub key: ChatKey,
    pub(super) group: Option<String>,
    /// Its turns.
    pub source: Source,
    pub(super) notes: Notes,
}

impl Ready {
    /// A chat of the database.
    pub fn new(stored: StoredChat) -> Result<Self> {
        let notes = Notes::of_chat(&stored.chat)?;
        let group = stored.chat.group.clone();
        Ok(Self { key: stored.key, group, source: source_of(stored.chat)?, notes })
    }

    /// The chat as models in these places are asked about it.
    #[must_use]
    pub fn subject(&self, panel: &JudgePanel, rubric: &Rubric, places: &[u32]) -> Subject {
        let transcript = &self.source.transcript;
        let screening = panel.screening(rubric, transcript, places);
        Subject::new(transcript.clone(), self.notes.speakers.clone(), screening)
    }

    /// The chat as judges that answer at once see it; `only` says whether it is the only one of its run.
    pub(super) fn quick(&self, only: bool) -> QuickChat<'_> {
        let transcript = &self.source.transcript;
        let id = own_name(self.group.as_deref(), transcript.id());
        let file = self.notes.file.as_deref().unwrap_or(id);
        QuickChat { transcript, id, file, own: None, screening: None, only }
    }
}

/// A judge's answers, admitted and ready to be stored.
pub struct Answered {
    /// The answers as they are stored.
    pub answer: NewAnswer,
    /// What they say.
    pub verdicts: Verdicts,
}

impl Answered {
    /// Takes answers in; what they are about is known, and is not kept a second time.
    pub fn new(scoring: &Scoring, source: &Source, chat: ChatKey, place: u32, submission: Submission) -> Result<Self> {
        let verdicts = Verdicts::admit(&scoring.rubric, &source.transcript, submission.clone())?;
        let submission = Submission { transcript: None, ..submission };
        let judge = &submission.judge;
        let tokens = judge.tokens.unwrap_or_default();
        let from_record = judge.cached == Some(true);
        // What came from the record was paid for before.
        let cost = judge.cost.as_ref().filter(|_| !from_record).and_then(nanos).unwrap_or_default();
        let answer = NewAnswer {
            chat,
            place,
            judge: judge.name.clone(),
            answered: now(),
            input_tokens: tokens.input,
            cached_tokens: tokens.cached,
            output_tokens: tokens.output,
            cost_nanos: cost,
            from_record,
            body: submission.to_json(),
        };
        Ok(Self { answer, verdicts })
    }
}

fn nanos(cost: &serde_json::Number) -> Option<u64> {
    let nanos = (cost.as_f64()? * 1e9).round();
    // The range check comes before the cast, so the cast cannot lose anything; NaN fails it.
    (0.0..1e18).contains(&nanos).then_some(nanos as u64)
}

/// An amount in thousand-millionths of a dollar.
pub fn cost_of(nanos: u64) -> Cost {
    Cost::from_picodollars(u128::from(nanos) * 1000)
}

/// The results of a chat whose judges have all answered.
pub fn results(
    scoring: &Scoring,
    chat: ChatKey,
    source: Source,
    mut members: Vec<(u32, Verdicts)>,
) -> Result<Vec<NewResult>> {
    members.sort_by_key(|(place, _)| *place);
    let (places, members): (Vec<u32>, Vec<Verdicts>) = members.into_iter().unzip();
    let report = scoring.report(source, members)?;
    Ok(results_of(&scoring.rubric, chat, &places, &report))
}
