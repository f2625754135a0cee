//! Who judges in a run, place by place.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::Submission;
use carelock_judge::provider::Cost;

use super::chat::{Notes, ReadChat};
use super::ready::Ready;
use crate::cli::{JudgeArguments, Redact};
use crate::config::Config;
use crate::embedded::Embedded;
use crate::judging::{Judging, Seat, Stop, Subject};
use crate::runs::{JudgingConfig, StoredConfig, own_name};
use crate::verdict_source::VerdictSource;

/// What stands before the path of answers that lie ready in a judge's place.
pub(crate) const READY: &str = "verdicts:";

/// Who judges in one place.
enum Place {
    Embedded,
    /// A model, by its number among those that are asked, and whether the embedded judge goes before it.
    Model(usize, bool),
    /// Answers that lie ready, or why they cannot be read.
    Ready(Box<Result<VerdictSource, String>>),
}

/// All judges of a run.
pub(crate) struct Bench {
    places: Vec<Place>,
    judging: Option<Judging>,
    embedded: Arc<Embedded>,
}

impl Bench {
    /// Looks all judges up; nothing is sent yet.
    pub(crate) fn seat(
        stored: &StoredConfig,
        arguments: &JudgeArguments,
        config: &Config,
        rubric: &Rubric,
    ) -> Result<Self> {
        let mut places = Vec::new();
        let mut models = Vec::new();
        for name in &stored.judges {
            if let Some(path) = name.strip_prefix(READY) {
                let source = VerdictSource::open(rubric, path).map_err(|error| format!("{error:#}"));
                places.push(Place::Ready(Box::new(source)));
                continue;
            }
            match Seat::parse(name)? {
                Seat::Embedded => places.push(Place::Embedded),
                seat => {
                    places.push(Place::Model(models.len(), seat.screens()));
                    models.push(seat);
                }
            }
        }
        let judging = if models.is_empty() {
            None
        } else {
            let arguments = judge_arguments(&stored.judging, arguments);
            Some(Judging::prepare(&models, &arguments, config)?.failing())
        };
        Ok(Self { places, judging, embedded: Arc::default() })
    }

    /// The same judges, with an embedded judge that others use too.
    #[cfg(feature = "web")]
    pub(crate) fn sharing(self, embedded: Arc<Embedded>) -> Self {
        Self { embedded, ..self }
    }

    /// The same judges, but nothing that was answered before is looked up beside the database, and nothing is kept.
    #[cfg(feature = "web")]
    pub(crate) fn without_record(self) -> Self {
        Self { judging: self.judging.map(Judging::without_record), ..self }
    }

    /// An error where answers that should lie ready do not.
    pub(crate) fn check_ready(&self) -> Result<()> {
        let failed = self.places.iter().find_map(|place| match place {
            Place::Ready(source) => source.as_ref().as_ref().err(),
            _ => None,
        });
        failed.map_or(Ok(()), |message| Err(anyhow!("{message}")))
    }

    /// Folders of answers, which hold no chats.
    pub(crate) fn folders(&self) -> Vec<&Path> {
        self.places
            .iter()
            .filter_map(|place| match place {
                Place::Ready(source) => source.as_ref().as_ref().ok()?.folder(),
                _ => None,
            })
            .collect()
    }

    /// How many judges there are.
    pub(crate) fn judges(&self) -> usize {
        self.places.len()
    }

    /// The models that are asked.
    pub(crate) fn judging(&self) -> Option<&Judging> {
        self.judging.as_ref()
    }

    /// What has been spent, the run's earlier workers included as far as they were told.
    pub(crate) fn spent(&self) -> Cost {
        self.judging.as_ref().map_or(Cost::default(), Judging::spent)
    }

    /// Whether the judge in a place answers at once, without asking anybody.
    pub(crate) fn is_quick(&self, place: u32) -> bool {
        !matches!(self.place(place), Some(Place::Model(..)))
    }

    fn place(&self, place: u32) -> Option<&Place> {
        self.places.get(usize::try_from(place).ok()?)
    }

    /// What a quick judge answers.
    pub(crate) fn quick(&self, rubric: &Rubric, chat: &Ready, place: u32, only: bool) -> Result<Submission> {
        match self.place(place) {
            Some(Place::Embedded) => Ok(self.embedded.answers(rubric, &chat.source.transcript)),
            Some(Place::Ready(source)) => {
                let source = source.as_ref().as_ref().map_err(|message| anyhow!("{message}"))?;
                let id = own_name(chat.group.as_deref(), chat.source.transcript.id());
                let file = chat.notes.file.as_deref().unwrap_or(id);
                Ok(source.find(rubric, id, file, only)?.1)
            }
            _ => Err(anyhow!("there is no judge in place {place}")),
        }
    }

    /// The chat as models are asked about it.
    pub(crate) fn subject(&self, rubric: &Rubric, chat: &Ready, places: &[u32]) -> Subject {
        self.about(rubric, chat.source.transcript.clone(), chat.notes.speakers.clone(), places)
    }

    /// The same, of a chat that is not stored.
    pub(crate) fn planned(&self, rubric: &Rubric, chat: &ReadChat, places: &[u32]) -> Result<Subject> {
        Ok(self.about(rubric, chat.transcript.clone(), Notes::of_chat(&chat.chat)?.speakers, places))
    }

    fn about(&self, rubric: &Rubric, transcript: Transcript, labels: Vec<String>, places: &[u32]) -> Subject {
        let screens = places.iter().any(|place| matches!(self.place(*place), Some(Place::Model(_, true))));
        let screening = screens.then(|| self.embedded.answers(rubric, &transcript));
        Subject::new(transcript, labels, screening)
    }

    /// The model in a place, by its number among those that are asked.
    pub(crate) fn model(&self, place: u32) -> Option<usize> {
        match self.place(place) {
            Some(Place::Model(number, _)) => Some(*number),
            _ => None,
        }
    }

    /// What a model answers.
    pub(crate) async fn ask(&self, rubric: &Rubric, subject: &Subject, place: u32) -> Result<Submission, Stop> {
        match (self.place(place), &self.judging) {
            (Some(Place::Model(number, _)), Some(judging)) => judging.answer(rubric, subject, *number).await,
            _ => Err(Stop::ThisChat(anyhow!("there is no model in place {place}"))),
        }
    }
}

/// The options for judges that follow from what is stored; what a worker's own command line says wins.
fn judge_arguments(stored: &JudgingConfig, own: &JudgeArguments) -> JudgeArguments {
    let mut arguments = own.clone();
    arguments.fallback = own.fallback.clone().or_else(|| stored.fallback.clone());
    if !own.second_look && !own.no_second_look {
        arguments.second_look = stored.second_look == Some(true);
        arguments.no_second_look = stored.second_look == Some(false);
    }
    arguments.redact = own.redact.or(stored.redact.filter(|on| *on).map(|_| Redact::On));
    arguments.concurrency = own.concurrency.or(stored.concurrency);
    arguments.max_cost = own.max_cost.clone().or_else(|| stored.max_cost.clone());
    arguments.timeout = own.timeout.or(stored.timeout);
    arguments.context = own.context.or(stored.context);
    arguments.lock = own.lock.clone().or_else(|| stored.lock.clone());
    arguments
}
