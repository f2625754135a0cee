//! Judging one chat while somebody waits for the report; nothing of it is kept.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use carelock_core::panel::GatePolicy;
use carelock_core::report::{Report, Source};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::{self, ReadOptions, Reading};
use carelock_core::verdict::{Submission, Verdicts};

use super::refusal::{Answer, Refusal};
use super::state::Shared;
use super::stored::blocking;
use crate::cli::{JudgeArguments, Redact};
use crate::input::NO_NAME;
use crate::judging::{Judging, Seat, Subject};

/// A chat as it was sent.
pub(crate) struct Sent {
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
    pub(crate) seats: Vec<Seat>,
    /// Whether nobody was named, so that answers in the chat's own record count.
    pub(crate) is_default: bool,
    /// When a panel trips a gate.
    pub(crate) policy: GatePolicy,
    /// Whether names and numbers are replaced before anything is sent.
    pub(crate) redact: bool,
}

/// A chat that was understood.
struct Understood {
    transcript: Transcript,
    dropped: BTreeMap<String, usize>,
    labels: Vec<String>,
    verdicts: Option<Submission>,
}

/// The report on a chat, the same as `carelock eval` makes.
pub(crate) async fn evaluate(server: &Shared, sent: Sent, terms: Terms, patience: Duration) -> Answer<Report> {
    let has_models = terms.seats.iter().any(|seat| seat.model().is_some());
    check_redaction(terms.redact, &terms.seats)?;
    let options = ReadOptions { unpacked_limit: Some(server.most_unpacked()), ..sent.options };
    let sent = Sent { options, ..sent };
    let shared = Arc::clone(server);
    if !has_models {
        return server.work.on_a_core(move || embedded(&shared, sent, &terms)).await?;
    }
    let (subject, dropped) = server.work.on_a_core(move || subject(&shared, sent)).await??;
    let policy = terms.policy;
    let (subject, members) = ask(server, subject, terms, patience).await?;
    let shared = Arc::clone(server);
    let report = move || assemble(&shared.rubric, Source { transcript: subject.transcript, dropped }, members, policy);
    server.work.on_a_core(report).await?
}

/// Refuses redaction where nothing is sent: whoever asks for it expects that something would be.
pub(crate) fn check_redaction(redact: bool, seats: &[Seat]) -> Answer<()> {
    if redact && seats.iter().all(|seat| seat.model().is_none()) {
        let fix = "leave redact out, or name a model among the judges";
        return Err(Refusal::bad("Nothing is sent to anybody, so there is nothing to redact.", fix));
    }
    Ok(())
}

fn embedded(server: &Shared, sent: Sent, terms: &Terms) -> Answer<Report> {
    let Understood { transcript, dropped, verdicts, .. } = understand(sent)?;
    let submission = match verdicts.filter(|_| terms.is_default) {
        Some(verdicts) => verdicts,
        None => server.embedded.answers(&server.rubric, &transcript),
    };
    let verdicts = Verdicts::admit(&server.rubric, &transcript, submission);
    let verdicts = verdicts.map_err(|error| Refusal::of_input(&error.into()))?;
    assemble(&server.rubric, Source { transcript, dropped }, vec![verdicts], terms.policy)
}

fn assemble(rubric: &Rubric, source: Source, mut members: Vec<Verdicts>, policy: GatePolicy) -> Answer<Report> {
    let weights = Weights::equal(rubric);
    if members.len() > 1 {
        return Ok(Report::assemble_panel(rubric, source, members, policy, &weights));
    }
    let only = members.pop().ok_or_else(|| judge_failed("no judge has answered"))?;
    Ok(Report::assemble(rubric, source, only, &weights))
}

/// The chat for the models, with what the embedded judge makes of it.
fn subject(server: &Shared, sent: Sent) -> Answer<(Subject, BTreeMap<String, usize>)> {
    let Understood { transcript, dropped, labels, .. } = understand(sent)?;
    let screening = server.embedded.answers(&server.rubric, &transcript);
    Ok((Subject::new(transcript, labels, Some(screening)), dropped))
}

/// Ends the calls of judges for whose answers nobody waits any more.
struct Waiting(Arc<Judging>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.stop();
    }
}

async fn ask(server: &Shared, subject: Subject, terms: Terms, patience: Duration) -> Answer<(Subject, Vec<Verdicts>)> {
    let arguments = JudgeArguments {
        redact: terms.redact.then_some(Redact::On),
        no_cache: true,
        timeout: Some(patience.as_secs().max(1)),
        ..JudgeArguments::default()
    };
    let judging = Judging::prepare(&terms.seats, &arguments, &server.config);
    let judging = judging.map_err(|error| Refusal::of_input(&error))?.without_record().failing();
    let waiting = Waiting(Arc::new(judging));
    let (judging, rubric) = (Arc::clone(&waiting.0), Arc::clone(&server.rubric));
    let asked = blocking(move || {
        let judged = judging.judge(&rubric, std::slice::from_ref(&subject));
        (subject, judged)
    });
    let Ok(answered) = tokio::time::timeout(patience, asked).await else {
        server.metrics.judged(0, 1);
        let what = format!("The judges have not answered within {} s.", patience.as_secs());
        let fix = "send it again, or as a job to /api/v1/jobs, which waits longer";
        return Err(Refusal::new(StatusCode::GATEWAY_TIMEOUT, what, fix));
    };
    let (subject, judged) = answered?;
    let judged = judged.and_then(|mut chats| chats.pop().unwrap_or_else(|| Ok(Vec::new())));
    match judged {
        Ok(members) => Ok((subject, members)),
        Err(error) => {
            server.metrics.judged(0, 1);
            Err(judge_failed(&format!("{error:#}")))
        }
    }
}

/// A judge that fails has given no verdict, so there is no report.
fn judge_failed(why: &str) -> Refusal {
    let (what, fix) = why.split_once("\n  fix: ").unwrap_or((why, "try again, or name another judge"));
    Refusal::new(StatusCode::BAD_GATEWAY, what, fix)
}

/// What is wrong with a chat, with the names that its options have here.
fn of_reading(error: &anyhow::Error) -> Refusal {
    let refusal = Refusal::of_input(error);
    let fix = refusal.fix.replace("--human NAME --ai NAME", "the fields human and ai");
    let fix = fix.replace("--human", "the field human").replace("--ai", "the field ai");
    Refusal { fix, ..refusal }
}

fn understand(sent: Sent) -> Answer<Understood> {
    let document = formats::read(sent.text.as_bytes(), &sent.options);
    let document = document.map_err(|error| of_reading(&error.into()))?;
    let number = document.readings.len();
    let mut readings = document.readings.into_iter();
    let (Some(reading), None) = (readings.next(), readings.next()) else {
        let what = format!("There are {number} chats in it.");
        return Err(Refusal::bad(what, "send one chat, or all of them as a job to /api/v1/jobs"));
    };
    let mut reading: Reading = reading.map_err(|error| of_reading(&error.into()))?;
    if sent.id.is_some() {
        reading.id = sent.id;
    }
    let verdicts = reading.verdicts.take().map(|verdicts| Submission::from_json(verdicts.get())).transpose();
    let verdicts = verdicts.map_err(|error| Refusal::of_input(&error.into()))?;
    let labels = reading.speakers.iter().map(|note| note.label.clone()).collect();
    let dropped = std::mem::take(&mut reading.dropped);
    let transcript = reading.into_transcript(NO_NAME).map_err(|error| {
        let fix = "send messages of both sides; where a speaker was taken for the wrong one, say who is who with \
                   the fields human and ai";
        Refusal::bad(error.to_string(), fix)
    })?;
    Ok(Understood { transcript, dropped, labels, verdicts })
}
