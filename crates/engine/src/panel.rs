//! A panel of judges: who judges, place by place, and what each of them answers on a chat.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::Submission;
use carelock_judge::provider::Cost;

use crate::config::Config;
use crate::embedded::Embedded;
use crate::error::problem;
use crate::event::Events;
use crate::judging::{JudgeKind, Judging, Stop, Subject};
use crate::options::JudgeOptions;
use crate::runs::StoredConfig;
use crate::verdict_source::VerdictSource;

/// What stands before the path of recorded answers in a list of judges.
pub const RECORDED: &str = "verdicts:";

/// Who judges in one place.
enum Member {
    /// The embedded judge.
    Embedded,
    /// The answers in the chat's own record; the embedded judge's where there are none.
    Own,
    /// A model, by its number among those that are asked, and whether the embedded judge goes before it.
    Model { number: usize, screened: bool },
    /// Recorded answers of a person or a model, or why they cannot be read.
    Recorded(Box<Result<VerdictSource, Problem>>),
}

/// All judges of a chat or of a run.
pub struct JudgePanel {
    members: Vec<Member>,
    models: Option<Judging>,
    embedded: Arc<Embedded>,
}

/// The recorded answers in a place and the file they stand in; none where somebody else judges.
pub(crate) type Recorded = Option<(String, Submission)>;

/// A chat as judges that answer at once see it.
pub(crate) struct QuickChat<'a> {
    /// The chat.
    pub(crate) transcript: &'a Transcript,
    /// Its id, without a group.
    pub(crate) id: &'a str,
    /// What it is called by its file.
    pub(crate) file: &'a str,
    /// The answers in its own record.
    pub(crate) own: Option<&'a Submission>,
    /// What the embedded judge answers, where it is known already.
    pub(crate) screening: Option<&'a Submission>,
    /// Whether it is the only chat there is.
    pub(crate) only: bool,
}

impl JudgePanel {
    /// A panel of these judges; of none, a chat's own answers or else the embedded judge's. Keys and addresses are looked
    /// up; nothing is sent yet.
    pub fn new(judges: &[JudgeKind], options: &JudgeOptions, config: &Config, events: &Events) -> Result<Self> {
        if judges.is_empty() {
            return Ok(Self { members: vec![Member::Own], models: None, embedded: Arc::default() });
        }
        let mut models = Vec::new();
        let members = judges.iter().map(|judge| member(judge, &mut models)).collect();
        let models = match models.as_slice() {
            [] => None,
            models => Some(Judging::prepare(models, options, config, events)?),
        };
        Ok(Self { members, models, embedded: Arc::default() })
    }

    /// A panel of so many embedded judges, which is one or none.
    #[must_use]
    pub fn embedded(judges: usize) -> Self {
        let members = std::iter::repeat_with(|| Member::Embedded).take(judges).collect();
        Self { members, models: None, embedded: Arc::default() }
    }

    /// A panel of recorded answers alone, to which nobody belongs yet.
    #[must_use]
    pub fn empty() -> Self {
        Self { members: Vec::new(), models: None, embedded: Arc::default() }
    }

    /// The panel of a stored run. Nothing is sent yet, and a judge that cannot answer is an error instead of answers
    /// without verdicts, because it can be asked again later.
    pub fn stored(
        stored: &StoredConfig,
        options: &JudgeOptions,
        config: &Config,
        rubric: &Rubric,
        events: &Events,
    ) -> Result<Self> {
        let (mut members, mut models) = (Vec::new(), Vec::new());
        for name in &stored.judges {
            members.push(match name.strip_prefix(RECORDED) {
                Some(path) => {
                    let source = VerdictSource::open(rubric, path).map_err(|error| problem(&error));
                    Member::Recorded(Box::new(source))
                }
                None => member(&JudgeKind::parse(name)?, &mut models),
            });
        }
        let models = if models.is_empty() {
            None
        } else {
            // A run that is stored without redaction leaves it to the settings.
            let redact = stored.judging.redact.filter(|redact| redact.is_on());
            let options = options.clone().or(&JudgeOptions { redact, ..stored.judging.clone() });
            Some(Judging::prepare(&models, &options, config, events)?.failing())
        };
        Ok(Self { members, models, embedded: Arc::default() })
    }

    /// The same panel with recorded answers before the others.
    #[must_use]
    pub fn led_by(mut self, sources: Vec<VerdictSource>) -> Self {
        let recorded = sources.into_iter().map(|source| Member::Recorded(Box::new(Ok(source))));
        self.members.splice(0..0, recorded);
        self
    }

    /// The same judges, with an embedded judge that others use too.
    #[must_use]
    pub fn sharing(self, embedded: Arc<Embedded>) -> Self {
        Self { embedded, ..self }
    }

    /// The embedded judge, for others to use too.
    #[must_use]
    pub fn shared(&self) -> Arc<Embedded> {
        Arc::clone(&self.embedded)
    }

    /// The same judges, but nothing that was answered before is looked up beside the database, and nothing is kept.
    #[must_use]
    pub fn without_record(self) -> Self {
        Self { models: self.models.map(Judging::without_record), ..self }
    }

    /// The same judges, but one that cannot answer is an error instead of answers without verdicts.
    #[must_use]
    pub fn failing(self) -> Self {
        Self { models: self.models.map(Judging::failing), ..self }
    }

    /// An error where recorded answers cannot be read.
    pub fn check_recorded(&self) -> Result<()> {
        let failed = self.members.iter().find_map(|member| match member {
            Member::Recorded(source) => source.as_ref().as_ref().err(),
            _ => None,
        });
        failed.map_or(Ok(()), |problem| Err(problem.clone().into()))
    }

    /// Folders of answers, which hold no chats.
    #[must_use]
    pub fn folders(&self) -> Vec<&Path> {
        let recorded = self.members.iter().filter_map(|member| match member {
            Member::Recorded(source) => source.as_ref().as_ref().ok(),
            _ => None,
        });
        recorded.filter_map(VerdictSource::folder).collect()
    }

    /// How many judges there are.
    #[must_use]
    pub fn judges(&self) -> usize {
        self.members.len()
    }

    /// The models that are asked.
    #[must_use]
    pub fn models(&self) -> Option<&Judging> {
        self.models.as_ref()
    }

    /// What has been spent, the run's earlier workers included as far as they were told.
    #[must_use]
    pub fn spent(&self) -> Cost {
        self.models.as_ref().map_or(Cost::default(), Judging::spent)
    }

    /// Calls nobody any more; calls that are under way end.
    pub fn stop(&self) {
        if let Some(models) = &self.models {
            models.stop();
        }
    }

    /// Writes the lock, if one is kept, and tells what was spent.
    pub fn finish(&self) -> Result<()> {
        self.models.as_ref().map_or(Ok(()), Judging::finish)
    }

    /// Whether the judge in a place answers at once, without asking anybody.
    #[must_use]
    pub fn is_quick(&self, place: u32) -> bool {
        !matches!(self.member(place), Some(Member::Model { .. }))
    }

    fn member(&self, place: u32) -> Option<&Member> {
        self.members.get(usize::try_from(place).ok()?)
    }

    /// The places of the judges.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.members).map(|(place, _)| place)
    }

    /// Whether answers in a chat's own record count.
    pub(crate) fn takes_own(&self) -> bool {
        self.members.iter().any(|member| matches!(member, Member::Own))
    }

    /// What the embedded judge answers, where one of these places needs it beside its own verdict.
    pub(crate) fn screening(&self, rubric: &Rubric, transcript: &Transcript, places: &[u32]) -> Option<Submission> {
        let screened = |place: &u32| matches!(self.member(*place), Some(Member::Model { screened: true, .. }));
        places.iter().any(screened).then(|| self.embedded.judge().judge(rubric, transcript))
    }

    /// What a judge that answers at once says, with the file it stands in, if any.
    pub(crate) fn quick(&self, rubric: &Rubric, chat: &QuickChat<'_>, place: u32) -> Result<(String, Submission)> {
        let embedded = || match chat.screening {
            Some(screening) => screening.clone(),
            None => self.embedded.judge().judge(rubric, chat.transcript),
        };
        match self.member(place) {
            Some(Member::Embedded) => Ok((String::new(), embedded())),
            Some(Member::Own) => Ok((String::new(), chat.own.cloned().unwrap_or_else(embedded))),
            Some(Member::Recorded(source)) => {
                let source = source.as_ref().as_ref().map_err(Clone::clone)?;
                source.find(rubric, chat.id, chat.file, chat.only)
            }
            _ => Err(anyhow!("there is no judge in place {place}")),
        }
    }

    /// Recorded answers on a chat by place, with the file they stand in; `only` says whether it is the only chat there is.
    pub(crate) fn recorded(&self, rubric: &Rubric, id: &str, file: &str, only: bool) -> Result<Vec<Recorded>> {
        let find = |member: &Member| match member {
            Member::Recorded(source) => {
                let source = source.as_ref().as_ref().map_err(Clone::clone)?;
                source.find(rubric, id, file, only).map(Some)
            }
            _ => Ok(None),
        };
        self.members.iter().map(find).collect()
    }

    /// The model in a place, by its number among those that are asked.
    #[must_use]
    pub fn model(&self, place: u32) -> Option<usize> {
        match self.member(place) {
            Some(Member::Model { number, .. }) => Some(*number),
            _ => None,
        }
    }

    /// What a model answers.
    pub async fn ask(&self, rubric: &Rubric, subject: &Subject, place: u32) -> Result<Submission, Stop> {
        match (self.model(place), &self.models) {
            (Some(number), Some(models)) => models.answer(rubric, subject, number).await,
            _ => Err(Stop::ThisChat(anyhow!("there is no model in place {place}"))),
        }
    }

    /// What it would cost to ask the models about these chats, in words; nothing is sent.
    #[must_use]
    pub fn estimate(&self, rubric: &Rubric, subjects: &[Subject]) -> String {
        Judging::estimate(self.models.as_ref(), rubric, subjects)
    }
}

/// A judge in its place; a model is added to those that are asked.
fn member(judge: &JudgeKind, models: &mut Vec<JudgeKind>) -> Member {
    if judge.model().is_none() {
        return Member::Embedded;
    }
    models.push(judge.clone());
    Member::Model { number: models.len() - 1, screened: judge.screens() }
}
