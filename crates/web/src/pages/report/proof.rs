//! Two looks behind a report: every number of it derived again, and how the embedded judge came to a verdict.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use carelock_builtin::Explanation;
use carelock_core::report::names;
use carelock_core::report::safe_text::one_line;
use carelock_core::verify::{Conclusion, Counts, Outcome, Point};
use carelock_engine::runs::{OpenRun, source_of};
use carelock_engine::verification::verify;
use carelock_store::StoredChat;
use serde::Deserialize;

use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;
use crate::stored;

/// Where a page stands: the run and the chat it is about.
struct ChatHeading {
    run: i64,
    chat: i64,
    run_name: String,
    name: String,
}

#[derive(Template)]
#[template(path = "report/verify.html")]
struct VerifyPage {
    frame: Frame,
    place: ChatHeading,
    conclusion: Conclusion,
    counts: Counts,
    failing: Vec<Point>,
    open: Vec<Point>,
}

impl VerifyPage {
    fn holds(&self) -> bool {
        self.conclusion == Conclusion::Holds
    }
}

#[derive(Template)]
#[template(path = "report/explain.html")]
struct ExplainPage {
    frame: Frame,
    place: ChatHeading,
    check: String,
    title: String,
    explanation: Explanation,
    /// The judges of the run, where the embedded judge is none of them.
    other_judges: Option<String>,
    sentences: Vec<Sentence>,
    checks: Vec<(String, String)>,
}

impl ExplainPage {
    /// The verdict in a word, and its class.
    fn verdict(&self) -> (&'static str, &'static str) {
        match self.explanation.pass {
            Some(true) => ("passes", "earned"),
            Some(false) => ("fails", "failed"),
            None => ("not judged", "open"),
        }
    }
}

/// A sentence that was looked at.
struct Sentence {
    turn: u32,
    who: &'static str,
    quote: String,
    /// What it does, and how likely, in percent.
    acts: Vec<(String, u32)>,
}

/// The chat that is asked for, where whoever asks may know what judges say of it.
async fn found(server: &Shared, who: &Who, run: i64, chat: i64) -> ApiResult<(Arc<OpenRun>, StoredChat, ChatHeading)> {
    let open = Arc::new(stored::run(server, run).await?);
    let stored = stored::chat(server, &open, chat).await?;
    blind::check_chat(server, who, stored.key).await?;
    let place = ChatHeading { run, chat, run_name: open.run.name.clone(), name: one_line(&stored.chat.name) };
    Ok((open, stored, place))
}

/// Derives the report again.
pub(crate) async fn verification(
    State(server): State<Shared>,
    who: Who,
    Path((run, chat)): Path<(i64, i64)>,
) -> ApiResult<Response> {
    let (open, stored, place) = found(&server, &who, run, chat).await?;
    let report = stored::report(&server, Arc::clone(&open), stored).await?;
    let report = report.ok_or_else(|| ApiError::missing("No judge has answered on this chat yet."))?;
    let judge = Arc::clone(&server.embedded);
    let verified = server.work.on_a_core(move || -> anyhow::Result<_> {
        Ok(verify(&serde_json::to_string(&report)?, &open.scoring.rubric, Some(&judge))?)
    });
    let verified = verified.await??;
    let with = |outcome| verified.with(outcome).cloned().collect();
    html(&VerifyPage {
        frame: Frame::new(format!("Verified: {}", place.name), Section::Runs, &who),
        place,
        conclusion: verified.conclusion(),
        counts: verified.counts(),
        failing: with(Outcome::DoesNotHold),
        open: with(Outcome::CannotVerify),
    })
}

/// Which check is to be explained.
#[derive(Deserialize)]
pub(crate) struct ExplainQuery {
    #[serde(default)]
    check: String,
}

/// Shows how the embedded judge reads a chat for one check.
pub(crate) async fn explanation(
    State(server): State<Shared>,
    who: Who,
    Path((run, chat)): Path<(i64, i64)>,
    Query(asked): Query<ExplainQuery>,
) -> ApiResult<Response> {
    let (open, stored, place) = found(&server, &who, run, chat).await?;
    let rubric = &open.scoring.rubric;
    let missing = || ApiError::missing("There is no such check in the rubric of this run.");
    let title = rubric.check(rubric.position(&asked.check).ok_or_else(missing)?).title.clone();
    let transcript = source_of(stored.chat)?.transcript;
    let (judge, shared, check) = (Arc::clone(&server.embedded), Arc::clone(&open), asked.check.clone());
    let explained = server.work.on_a_core(move || {
        let explanation = judge.judge().explain(&shared.scoring.rubric, &transcript, &check);
        (explanation, transcript)
    });
    let (explanation, transcript) = explained.await?;
    let explanation = explanation.ok_or_else(|| {
        let fix = "look at a check of the shipped rubric";
        ApiError { fix: fix.to_owned(), ..ApiError::missing("The embedded judge does not know this check.") }
    })?;
    let sentence = |one: &carelock_builtin::Considered| Sentence {
        turn: one.turn,
        who: transcript.turn(one.turn).map(|turn| names::who(turn.speaker)).unwrap_or_default(),
        quote: one_line(&one.quote),
        acts: one.acts.iter().map(|(act, permille)| (act.clone(), u32::from(*permille) / 10)).collect(),
    };
    let judges = &open.config.judges;
    let is_other = !judges.iter().any(|judge| judge == carelock_builtin::NAME);
    html(&ExplainPage {
        frame: Frame::new(format!("{} in {}", asked.check, place.name), Section::Runs, &who),
        place,
        title,
        sentences: explanation.sentences.iter().map(sentence).collect(),
        explanation,
        other_judges: is_other.then(|| one_line(&judges.join(", "))),
        checks: rubric.checks().map(|check| (check.id.clone(), check.title.clone())).collect(),
        check: asked.check,
    })
}
