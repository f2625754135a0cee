//! Settling a chat on which raters differ: whose answer stands, check by check, kept as a rating of its own.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::{Form, Path, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_core::report::names;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::Pass;
use carelock_engine::runs::{now, source_of};
use carelock_store::{ChatKey, Rating, RatingState};

use super::view::{ShownTurn, in_words, turns, word};
use super::{RateQuery, Rater};
use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::rating::draft::{Draft, Fields};
use crate::state::Shared;
use crate::stored;

/// The name under which settled ratings are stored, compared and exported; nobody rates under it.
pub(crate) const SETTLED: &str = "settled";

#[derive(Template)]
#[template(path = "rate/settle.html")]
struct SettlePage {
    frame: Frame,
    run: i64,
    run_name: String,
    chat: i64,
    name: String,
    checks: Vec<OpenCheck>,
    turns: Vec<ShownTurn>,
    /// Who settled it before, and how.
    earlier: Option<String>,
}

/// A check that raters see differently.
pub(super) struct OpenCheck {
    position: usize,
    id: String,
    name: String,
    gate: bool,
    opinions: Vec<Opinion>,
}

/// What one rater answered.
struct Opinion {
    rater: String,
    said: String,
    /// Whether this answer was chosen before.
    is_chosen: bool,
}

/// Everything that raters finished about a chat, and what was settled.
struct Finished {
    drafts: Vec<(String, Draft)>,
    settled: Option<Draft>,
}

impl Finished {
    fn read(ratings: Vec<Rating>, transcript: &Transcript) -> anyhow::Result<Self> {
        let mut found = Self { drafts: Vec::new(), settled: None };
        for rating in ratings.into_iter().filter(|rating| rating.queued.state == RatingState::Done) {
            let draft = Draft::open(rating.body.as_deref(), &rating.queued.rater, transcript)?;
            match rating.queued.rater.as_str() {
                SETTLED => found.settled = Some(draft),
                _ => found.drafts.push((rating.queued.rater, draft)),
            }
        }
        Ok(found)
    }

    /// The checks that some call met and others not.
    fn open(&self, rubric: &Rubric) -> Vec<OpenCheck> {
        let open = |position: usize| {
            let id = &rubric.check(position).id;
            let answers = self.drafts.iter().filter_map(|(rater, draft)| Some((rater, draft.answer(id)?)));
            let said: Vec<_> = answers.filter(|(_, answer)| is_met(&answer.pass).is_some()).collect();
            let is_split = said.iter().any(|(_, answer)| is_met(&answer.pass) == Some(true))
                && said.iter().any(|(_, answer)| is_met(&answer.pass) == Some(false));
            let chosen = self.settled.as_ref().and_then(|settled| settled.answer(id));
            let opinion = |(rater, answer): (&String, &carelock_core::verdict::Answer)| Opinion {
                rater: rater.clone(),
                said: in_words(Some(answer)),
                is_chosen: chosen == Some(answer),
            };
            is_split.then(|| OpenCheck {
                position,
                id: id.clone(),
                name: names::check_name(rubric, id),
                gate: rubric.is_gate_check(position),
                opinions: said.into_iter().map(opinion).collect(),
            })
        };
        let mut checks: Vec<OpenCheck> = (0..rubric.checks().len()).filter_map(open).collect();
        checks.sort_by_key(|check| !check.gate);
        checks
    }

    /// What is settled by these choices: of disputed checks the answer of whom the form names, of the others the first one
    /// there is. A check that is disputed and not chosen is named instead.
    fn settle(&self, rubric: &Rubric, transcript: &Transcript, chosen: &Fields) -> Result<Settled, String> {
        let open = self.open(rubric);
        let mut answers = Vec::new();
        let mut decided = Vec::new();
        for position in 0..rubric.checks().len() {
            let id = &rubric.check(position).id;
            let wanted = match open.iter().find(|check| check.position == position) {
                Some(check) => {
                    let rater = chosen.get(&format!("stands-{id}")).filter(|rater| check.has(rater));
                    let rater = rater.ok_or_else(|| check.name.clone())?;
                    decided.push(format!("{id} as {rater}"));
                    Some(rater)
                }
                None => None,
            };
            let is_wanted = |rater: &String| wanted.is_none_or(|wanted| wanted == rater);
            let of_some = self.drafts.iter().filter(|(rater, _)| is_wanted(rater));
            let mut given = of_some.filter_map(|(_, draft)| draft.answer(id));
            if let Some(answer) = given.find(|answer| is_met(&answer.pass).is_some()) {
                answers.push((id.clone(), answer.clone()));
            }
        }
        let draft = Draft::open(None, SETTLED, transcript).map_err(|error| error.to_string())?;
        Ok(Settled { draft: draft.with_answers(answers), decided })
    }
}

/// A settled rating, and which answers were decided on.
struct Settled {
    draft: Draft,
    decided: Vec<String>,
}

impl OpenCheck {
    fn has(&self, rater: &str) -> bool {
        self.opinions.iter().any(|opinion| opinion.rater == rater)
    }
}

/// Whether an answer says that a check is met; nothing where it says neither.
fn is_met(pass: &Pass) -> Option<bool> {
    match word(pass) {
        "yes" | "not_triggered" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// The form: every answer on which raters differ, side by side.
pub(crate) async fn page(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path((run, chat)): Path<(i64, i64)>,
) -> ApiResult {
    let open = Arc::new(stored::run(&server, run).await?);
    let chat = stored::chat(&server, &open, chat).await?;
    blind::check_chat(&server, &who, chat.key).await?;
    let ratings = server.store.ratings_of_chat(chat.key).await?;
    let name = chat.chat.name.clone();
    let key = chat.key.0;
    let shared = Arc::clone(&open);
    let (checks, turns, earlier) = blocking(move || -> anyhow::Result<_> {
        let transcript = source_of(chat.chat)?.transcript;
        let finished = Finished::read(ratings, &transcript)?;
        let earlier = finished.settled.as_ref().map(|settled| settled.remark().to_owned());
        Ok((finished.open(&shared.scoring.rubric), turns(&transcript), earlier))
    })
    .await??;
    let frame = Frame::new(format!("Settle {name}"), Section::Rate, &who);
    html(&SettlePage { frame, run, run_name: open.run.name.clone(), chat: key, name, checks, turns, earlier })
}

/// Stores what was decided, in place of what was decided before.
pub(crate) async fn settle(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path((run, chat)): Path<(i64, i64)>,
    Form(chosen): Form<Fields>,
) -> ApiResult {
    let asked = RateQuery { rater: chosen.get("rater").cloned(), ..RateQuery::default() };
    let by = Rater::known(&who, &asked)?;
    let open = Arc::new(stored::run(&server, run).await?);
    let chat = stored::chat(&server, &open, chat).await?;
    blind::check_chat(&server, &who, chat.key).await?;
    let ratings = server.store.ratings_of_chat(chat.key).await?;
    let (key, of_run) = (chat.key, open.run.key);
    let settled = blocking(move || -> anyhow::Result<_> {
        let transcript = source_of(chat.chat)?.transcript;
        let finished = Finished::read(ratings, &transcript)?;
        Ok(finished.settle(&open.scoring.rubric, &transcript, &chosen))
    })
    .await??;
    let settled = settled.map_err(|check| {
        ApiError::bad(format!("It is not said whose answer to {check} stands."), "choose one for every check listed")
    })?;
    if settled.decided.is_empty() {
        return Err(ApiError::bad("There is nothing to settle: the raters of this chat do not differ.", "go back"));
    }
    let remark = format!("settled by {}: {}", by.name, settled.decided.join(", "));
    server.store.queue_ratings(of_run, SETTLED, &[key]).await?;
    store(&server, key, &settled.draft.with_remark(&remark)).await?;
    Ok(Redirect::to(&format!("/rate/{run}/agreement#disputed")).into_response())
}

async fn store(server: &Shared, chat: ChatKey, draft: &Draft) -> ApiResult<()> {
    let missing = || ApiError::missing("This chat was deleted meanwhile.");
    let rating = server.store.rating(chat, SETTLED).await?.ok_or_else(missing)?.queued;
    let mut version = rating.version;
    if rating.state == RatingState::Done {
        version = server.store.reopen_rating(rating.key, version, now()).await?;
    }
    version = server.store.save_rating(rating.key, version, &draft.body(), now()).await?;
    server.store.finish_rating(rating.key, version, now()).await?;
    Ok(())
}
