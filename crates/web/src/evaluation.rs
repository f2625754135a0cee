//! Judging one chat while somebody waits for the report; nothing of it is kept.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use carelock_core::panel::GatePolicy;
use carelock_core::report::Report;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::formats::{self, ReadOptions, Reading};
use carelock_engine::error::problem;
use carelock_engine::evaluate::{ChatInput, Evaluator, Prepared};
use carelock_engine::input::NO_NAME;
use carelock_engine::judging::JudgeKind;
use carelock_engine::options::{JudgeOptions, Redact};
use carelock_engine::panel::JudgePanel;
use carelock_engine::runs::Scoring;

use super::api_error::{ApiError, ApiResult};
use super::blocking::blocking;
use super::state::Shared;
use super::words::ApiWords;

/// A chat as it was sent.
pub(crate) struct ChatUpload {
    /// In any format the reader knows.
    pub(crate) text: String,
    /// What it goes by, whatever its own record says.
    pub(crate) id: Option<String>,
    /// Who is who, where the labels do not say it.
    pub(crate) options: ReadOptions,
}

/// How it is to be judged.
pub(crate) struct Terms {
    /// Who judges; empty where nobody is named.
    pub(crate) kinds: Vec<JudgeKind>,
    /// Whether nobody was named, so that answers in the chat's own record count.
    pub(crate) is_default: bool,
    /// When a panel trips a gate.
    pub(crate) policy: GatePolicy,
    /// Whether names and numbers are replaced before anything is sent.
    pub(crate) redact: bool,
}

/// The report on a chat, the same as `carelock eval` makes.
pub(crate) async fn evaluate(server: &Shared, sent: ChatUpload, terms: Terms, patience: Duration) -> ApiResult<Report> {
    check_redaction(terms.redact, &terms.kinds)?;
    let options = ReadOptions { unpacked_limit: Some(server.most_unpacked()), ..sent.options };
    let sent = ChatUpload { options, ..sent };
    let evaluator = Arc::new(evaluator(server, &terms, patience)?);
    let ours = Arc::clone(&evaluator);
    if evaluator.panel.models().is_none() {
        let work = move || {
            let prepared = prepare(&ours, sent)?;
            ours.report(prepared).map_err(|error| judge_failed(&error))
        };
        return server.work.on_a_core(work).await?;
    }
    let prepared = server.work.on_a_core(move || prepare(&ours, sent)).await??;
    let prepared = ask(server, &evaluator, prepared, patience).await?;
    let report = move || evaluator.report(prepared).map_err(|error| judge_failed(&error));
    server.work.on_a_core(report).await?
}

/// The judges that were asked for.
fn evaluator(server: &Shared, terms: &Terms, patience: Duration) -> ApiResult<Evaluator> {
    let options = JudgeOptions {
        redact: terms.redact.then_some(Redact::On),
        no_cache: true,
        timeout: Some(patience.as_secs().max(1)),
        ..JudgeOptions::default()
    };
    let events = server.messages.events();
    // Where nobody is named, the chat's own answers count.
    let kinds = if terms.is_default { &[] } else { terms.kinds.as_slice() };
    let panel = JudgePanel::new(kinds, &options, &server.config, &events);
    let panel = panel.map_err(|error| ApiError::of_input(&error))?.without_record().failing();
    let panel = panel.sharing(Arc::clone(&server.embedded));
    let rubric = (*server.rubric).clone();
    let scoring = Scoring { weights: Weights::equal(&rubric), rubric, rules: terms.policy.into() };
    Ok(Evaluator { scoring, panel, events })
}

fn prepare(evaluator: &Evaluator, sent: ChatUpload) -> ApiResult<Prepared> {
    evaluator.prepare(understand(sent)?, true).map_err(|error| ApiError::of_input(&error))
}

/// Refuses redaction where nothing is sent: whoever asks for it expects that something would be.
pub(crate) fn check_redaction(redact: bool, kinds: &[JudgeKind]) -> ApiResult<()> {
    if redact && kinds.iter().all(|kind| kind.model().is_none()) {
        let fix = "leave redact out, or name a model among the judges";
        return Err(ApiError::bad("Nothing is sent to anybody, so there is nothing to redact.", fix));
    }
    Ok(())
}

/// Ends the calls of judges for whose answers nobody waits any more.
struct StopOnDrop(Arc<Evaluator>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.panel.stop();
    }
}

async fn ask(server: &Shared, evaluator: &Arc<Evaluator>, chat: Prepared, patience: Duration) -> ApiResult<Prepared> {
    let waiting = StopOnDrop(Arc::clone(evaluator));
    let ours = Arc::clone(&waiting.0);
    let asked = blocking(move || {
        let mut chats = [(String::new(), Ok(chat))];
        ours.ask_all(&mut chats)?;
        let [(_, chat)] = chats;
        Ok(chat.map_err(|unread| unread.problem)?)
    });
    let Ok(answered) = tokio::time::timeout(patience, asked).await else {
        server.metrics.judged(0, 1);
        let what = format!("The judges have not answered within {} s.", patience.as_secs());
        let fix = "send it again, or as a job to /api/v1/jobs, which waits longer";
        return Err(ApiError::new(StatusCode::GATEWAY_TIMEOUT, what, fix));
    };
    answered?.map_err(|error| {
        server.metrics.judged(0, 1);
        judge_failed(&error)
    })
}

/// A judge that fails has given no verdict, so there is no report.
fn judge_failed(error: &anyhow::Error) -> ApiError {
    let problem = problem(error);
    let fix = match &problem.remedy {
        Some(remedy) => remedy.worded(&ApiWords),
        None => "try again, or name another judge".to_owned(),
    };
    ApiError::new(StatusCode::BAD_GATEWAY, problem.what(), fix)
}

fn understand(sent: ChatUpload) -> ApiResult<ChatInput> {
    let document = formats::read(sent.text.as_bytes(), &sent.options);
    let document = document.map_err(|error| ApiError::of_problem(&error.problem()))?;
    let number = document.readings.len();
    let mut readings = document.readings.into_iter();
    let (Some(reading), None) = (readings.next(), readings.next()) else {
        let what = format!("There are {number} chats in it.");
        return Err(ApiError::bad(what, "send one chat, or all of them as a job to /api/v1/jobs"));
    };
    let mut reading: Reading = reading.map_err(|error| ApiError::of_problem(&error.problem()))?;
    if sent.id.is_some() {
        reading.id = sent.id;
    }
    ChatInput::new(reading, NO_NAME).map_err(|error| {
        let fix = "send messages of both sides; where a speaker was taken for the wrong one, say who is who with \
                   the fields human and ai";
        ApiError::bad(problem(&error).what(), fix)
    })
}
