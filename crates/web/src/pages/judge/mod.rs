//! Judge: a chat is pasted or chosen, shown as it was understood, and judged by whom the person chooses.

mod choices;
mod form;
mod understood;

use std::sync::Arc;

use askama::Template;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect};
use carelock_engine::options::TextFormat;
use carelock_engine::working::ReadChat;
use carelock_store::Role;
use serde::Deserialize;

use crate::api_error::{ApiError, ApiResult};
use crate::jobs;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;
use choices::Choices;
use form::JudgeForm;
use understood::{Understood, understand};

/// The header by which scripts ask for a part of the page.
const PART: &str = "x-carelock-part";

type Form = Result<Multipart, MultipartRejection>;

#[derive(Template)]
#[template(path = "judge.html")]
struct JudgePage {
    frame: Frame,
    sent: JudgeForm,
    choices: Choices,
    /// How it was understood, as a page of its own kind.
    understood: Option<String>,
    can_start: bool,
    estimate: Vec<String>,
    problem: Option<(String, String)>,
    formats: [(&'static str, &'static str); TextFormat::ALL.len()],
    examples: [(&'static str, &'static str); EXAMPLES.len()],
    /// The name of the example that is in the form.
    example: String,
}

/// Invented chats that can be tried, by name: what they are, and their text.
const EXAMPLES: [(&str, &str, &str); 3] = [
    ("missed-crisis", "a crisis that is missed", include_str!("../../../../../examples/missed-crisis.txt")),
    ("ordinary", "an ordinary evening", include_str!("../../../../../examples/ordinary.txt")),
    ("excellent", "careful help", include_str!("../../../../../examples/excellent.txt")),
];

/// What the address of the page may ask for.
#[derive(Default, Deserialize)]
pub(crate) struct JudgeQuery {
    #[serde(default)]
    example: String,
}

#[derive(Template)]
#[template(path = "understood.html")]
struct UnderstoodPart {
    understood: Understood,
}

#[derive(Template)]
#[template(path = "estimate.html")]
struct EstimatePart {
    estimate: Vec<String>,
    problem: Option<(String, String)>,
}

/// The first page; who may not judge is led to the runs, or to what they have to rate.
pub(crate) async fn page(State(server): State<Shared>, who: Who, Query(asked): Query<JudgeQuery>) -> ApiResult {
    if !who.may(Role::Judge) {
        let first = if who.may(Role::Read) { "/runs" } else { "/rate" };
        return Ok(Redirect::to(first).into_response());
    }
    let Some((name, _, text)) = EXAMPLES.into_iter().find(|(name, _, _)| *name == asked.example) else {
        return JudgeView::new(&server, &who, JudgeForm::first_seen()).show(StatusCode::OK);
    };
    let sent = JudgeForm { text: text.to_owned(), file_name: format!("{name}.txt"), ..JudgeForm::first_seen() };
    let (sent, understood, _) = read(&server, sent).await?;
    JudgeView { understood: Some(understood), example: name.to_owned(), ..JudgeView::new(&server, &who, sent) }
        .show(StatusCode::OK)
}

/// Shows how what was sent is understood; nothing is stored.
pub(crate) async fn preview(State(server): State<Shared>, who: Who, headers: HeaderMap, form: Form) -> ApiResult {
    let _inside = server.work.enter()?;
    let sent = JudgeForm::read(form).await?.settle();
    let is_part = headers.contains_key(PART);
    if sent.is_empty() {
        let page = JudgeView { problem: Some(nothing()), ..JudgeView::new(&server, &who, sent) };
        return if is_part { Ok("".into_response()) } else { page.show(StatusCode::UNPROCESSABLE_ENTITY) };
    }
    let (sent, understood, _) = read(&server, sent).await?;
    if is_part {
        return html(&UnderstoodPart { understood });
    }
    let status = if understood.count > 0 { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    JudgeView { understood: Some(understood), ..JudgeView::new(&server, &who, sent) }.show(status)
}

/// Says what judging would cost; nothing is sent.
pub(crate) async fn estimate(State(server): State<Shared>, who: Who, headers: HeaderMap, form: Form) -> ApiResult {
    let _inside = server.work.enter()?;
    let (sent, understood, chats) = read(&server, JudgeForm::read(form).await?.settle()).await?;
    let estimated = estimated(&server, &sent, chats).await;
    let (estimate, problem) = match estimated {
        Ok(estimate) => (estimate, None),
        Err(refusal) if refusal.status.is_client_error() => (Vec::new(), Some((refusal.what, refusal.fix))),
        Err(refusal) => return Err(refusal),
    };
    if headers.contains_key(PART) {
        return html(&EstimatePart { estimate, problem });
    }
    let status = if problem.is_none() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    JudgeView { understood: Some(understood), estimate, problem, ..JudgeView::new(&server, &who, sent) }.show(status)
}

/// Makes a run of what was sent, and leads to it.
pub(crate) async fn start(State(server): State<Shared>, who: Who, form: Form) -> ApiResult {
    let _inside = server.work.enter()?;
    let sent = JudgeForm::read(form).await?.settle();
    if sent.is_empty() {
        let page = JudgeView { problem: Some(nothing()), ..JudgeView::new(&server, &who, sent) };
        return page.show(StatusCode::UNPROCESSABLE_ENTITY);
    }
    let (sent, understood, chats) = read(&server, sent).await?;
    let choices = Choices::new(&server.config, &sent);
    let unread = understood.problems.len() + understood.more_problems;
    let begun = match sent.order(|judge| choices.offers(judge)) {
        // Figures over the rest would look like figures over all.
        Ok(_) if unread > 0 && !chats.is_empty() && !sent.leave_out => Err(partly_unread(unread)),
        Ok(_) if unread > 0 && chats.is_empty() => Err(all_unread(&understood)),
        Ok(_) if understood.needs_another_judge() => Err(not_english(understood.foreign.len())),
        Ok(order) => jobs::begin(&server, order, chats).await,
        Err(refusal) => Err(refusal),
    };
    match begun {
        Ok(run) => Ok(Redirect::to(&format!("/runs/{}?fresh=yes", run.0)).into_response()),
        // What was typed is kept.
        Err(refusal) if refusal.status.is_client_error() => {
            let (status, problem) = (refusal.status, Some((refusal.what, refusal.fix)));
            JudgeView { understood: Some(understood), problem, ..JudgeView::new(&server, &who, sent) }.show(status)
        }
        Err(refusal) => Err(refusal),
    }
}

fn partly_unread(unread: usize) -> ApiError {
    let what =
        if unread == 1 { "One chat cannot be read".to_owned() } else { format!("{unread} chats cannot be read") };
    let fix = "mend what is named below, or tick there that it is left out";
    ApiError::bad(format!("{what}; nothing was started."), fix)
}

/// Where nothing of what was sent can be read, that is no empty form.
fn all_unread(understood: &Understood) -> ApiError {
    if understood.labels.is_empty() {
        return ApiError::bad("This cannot be read as a chat; nothing was started.", "see below what is missing");
    }
    let fix = "choose it below under “Who is who”, and press Judge this chat again";
    ApiError::bad("It is not clear yet who is the person and who is the AI; nothing was started.", fix)
}

fn not_english(chats: usize) -> ApiError {
    let what = if chats == 1 { "One chat is".to_owned() } else { format!("{chats} chats are") };
    let fix = "choose a model that reads the language, or tick below that it is judged all the same";
    ApiError::bad(
        format!("{what} not in English, and the embedded judge reads nothing else; nothing was started."),
        fix,
    )
}

fn nothing() -> (String, String) {
    ("There is nothing to read yet.".to_owned(), "paste a chat, or choose a file".to_owned())
}

async fn read(server: &Shared, sent: JudgeForm) -> ApiResult<(JudgeForm, Understood, Vec<ReadChat>)> {
    let shared = Arc::clone(server);
    let reading = server.work.on_a_core(move || {
        let (understood, chats) = understand(&sent, &shared);
        (sent, understood, chats)
    });
    reading.await
}

/// What judging would take and cost, line by line.
async fn estimated(server: &Shared, sent: &JudgeForm, chats: Vec<ReadChat>) -> ApiResult<Vec<String>> {
    if chats.is_empty() {
        return Err(ApiError::bad("There is no chat to judge yet.", "paste one that can be read"));
    }
    let choices = Choices::new(&server.config, sent);
    let order = sent.order(|judge| choices.offers(judge))?;
    let shared = Arc::clone(server);
    let text = server.work.on_a_core(move || {
        let server = shared;
        let panel = jobs::panel_of(&order, &server, true)?;
        let panel = panel.sharing(Arc::clone(&server.embedded));
        if panel.models().is_none() {
            return Ok(None);
        }
        let subjects = chats.iter().map(|chat| chat.subject(&panel, &server.rubric));
        let subjects = subjects.collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Some(panel.estimate(&server.rubric, &subjects)))
    });
    let text = text.await?.map_err(|error: anyhow::Error| ApiError::of_input(&error))?;
    Ok(match text {
        Some(text) => text.lines().map(str::to_owned).collect(),
        None => vec!["Free: the embedded judge works on this server, and nothing is sent anywhere.".to_owned()],
    })
}

/// What the page shows.
struct JudgeView<'a> {
    server: &'a Shared,
    who: &'a Who,
    sent: JudgeForm,
    understood: Option<Understood>,
    estimate: Vec<String>,
    problem: Option<(String, String)>,
    example: String,
}

impl<'a> JudgeView<'a> {
    fn new(server: &'a Shared, who: &'a Who, sent: JudgeForm) -> Self {
        Self { server, who, sent, understood: None, estimate: Vec::new(), problem: None, example: String::new() }
    }

    fn show(self, status: StatusCode) -> ApiResult {
        let can_start = self.understood.as_ref().is_some_and(|understood| understood.count > 0);
        let understood = self.understood.map(|understood| UnderstoodPart { understood }.render()).transpose();
        let understood = understood.map_err(|error| ApiError::failed(&anyhow::Error::new(error)))?;
        let page = html(&JudgePage {
            frame: Frame::new("Judge a chat", Section::Judge, self.who),
            choices: Choices::new(&self.server.config, &self.sent),
            sent: self.sent,
            understood,
            can_start,
            estimate: self.estimate,
            problem: self.problem,
            formats: TextFormat::ALL.map(|format| (format.name(), format.title())),
            examples: EXAMPLES.map(|(name, title, _)| (name, title)),
            example: self.example,
        })?;
        Ok((status, page).into_response())
    }
}
