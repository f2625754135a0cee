//! The report of a finished rating, and how far the rater agrees with judges and other raters.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use carelock_engine::ratings;
use carelock_engine::runs::{OpenRun, answers_of_person, of_chat, report_of, report_of_person, shell_word};
use carelock_store::{ChatKey, Rating, RatingState, RunState, StoredAnswer, StoredChat};

use super::{Opened, RateQuery, Rater};
use crate::api_error::{ApiError, ApiResult};
use crate::blocking::blocking;
use crate::computed::Agreed;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::pages::report::files::ReportFile;
use crate::pages::runs::figures::config_stamp;
use crate::rating::comparison::{Figures, Row, Side, rows};
use crate::rating::draft::judge_name;
use crate::state::Shared;

/// How long the figures of a run under way may lag behind.
const STALE: Duration = Duration::from_secs(5);

#[derive(Template)]
#[template(path = "rate/report.html")]
struct ReportPage {
    frame: Frame,
    rater: Rater,
    path: String,
    run: i64,
    run_name: String,
    /// What gives the same figures on the command line.
    command: String,
    article: String,
    me: String,
    sides: Vec<String>,
    rows: Vec<Row>,
    differing: usize,
    agreed: Arc<Agreed>,
}

/// What the figures are computed from.
struct Material {
    run: Arc<OpenRun>,
    rater: String,
    /// All finished ratings, of everybody, of the chats this rater is done with.
    finished: Vec<Rating>,
    chats: Vec<StoredChat>,
    answers: Vec<StoredAnswer>,
}

/// The comparison on the chat that is shown.
struct Compared {
    article: String,
    sides: Vec<String>,
    rows: Vec<Row>,
}

/// The rating of a chat; refused while it is not done, so that nothing of a judge is seen before.
async fn finished(server: &Shared, who: &Who, asked: &RateQuery, place: (i64, i64)) -> ApiResult<Opened> {
    let opened = Opened::find(server, who, asked, place).await?;
    if opened.is_done() {
        return Ok(opened);
    }
    let what = "This rating is not finished; its report and what judges say come afterwards.";
    Err(ApiError::new(StatusCode::CONFLICT, what, "finish the rating first"))
}

/// The report, with the differences to others.
pub(crate) async fn page(
    State(server): State<Shared>,
    who: Who,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<RateQuery>,
) -> ApiResult {
    let opened = finished(&server, &who, &asked, place).await?;
    if server.store.is_unfinished(opened.chat.key, &opened.rater.name).await? {
        let what =
            "Your rating is finished, but you have yet to rate the same chat elsewhere; what judges say comes after.";
        return Err(ApiError::new(StatusCode::CONFLICT, what, "finish the other rating of it too, under Rate"));
    }
    let agreed = agreed(&server, &opened).await?;
    let persons = server.store.ratings_of_chat(opened.chat.key).await?;
    let answers = server.store.answers(&[opened.chat.key]).await?;
    let (opened, compared) = blocking(move || {
        let compared = compare(&opened, persons, &answers);
        compared.map(|compared| (opened, compared))
    })
    .await??;
    html(&ReportPage {
        frame: Frame::new(
            format!("{} · {}", opened.chat.chat.name, judge_name(&opened.rater.name)),
            Section::Rate,
            &who,
        ),
        path: opened.path(),
        run: opened.run.run.key.0,
        run_name: opened.run.run.name.clone(),
        command: command(&opened.rater.name, &opened.run.run.name),
        me: judge_name(&opened.rater.name),
        article: compared.article,
        sides: compared.sides,
        differing: compared.rows.iter().filter(|row| row.differs()).count(),
        rows: compared.rows,
        agreed,
        rater: opened.rater,
    })
}

fn command(rater: &str, run: &str) -> String {
    format!("carelock agree {} {}", shell_word(&format!("{}@{run}", judge_name(rater))), shell_word(run))
}

/// The figures, kept until another rating is finished or the run has other answers.
async fn agreed(server: &Shared, opened: &Opened) -> ApiResult<Arc<Agreed>> {
    let run = &opened.run;
    let done = server.store.ratings_of_run(run.run.key, None, Some(RatingState::Done), u32::MAX).await?;
    // One that was opened and finished again counts anew.
    let latest = done.iter().map(|rating| (rating.finished, rating.key.0)).max();
    let mut stamp = format!("{} {latest:?} {:?} {}", done.len(), run.run, config_stamp(run));
    let mut stale = Duration::ZERO;
    if run.run.state != RunState::Done {
        stamp += &format!(" {:?}", server.store.progress(run.run.key).await?);
        stale = STALE;
    }
    let rater = opened.rater.name.clone();
    // What judges say on a chat that is still to be rated elsewhere is left out of the figures.
    let blind: HashSet<ChatKey> = server.store.unfinished_chats(run.run.key, &rater).await?.into_iter().collect();
    let _ = write!(stamp, " {}", blind.len());
    let of = format!("{} {rater}", run.run.key.0);
    let (server, run) = (Arc::clone(server), Arc::clone(run));
    let kept = Arc::clone(&server);
    let make = || async move {
        let material = material(&server, run, rater, &blind).await?;
        Ok(blocking(move || agreement(&material)).await??)
    };
    kept.agreed.get(&of, &stamp, stale, make).await
}

async fn material(server: &Shared, run: Arc<OpenRun>, rater: String, blind: &HashSet<ChatKey>) -> ApiResult<Material> {
    let mut finished = server.store.finished_ratings(run.run.key, None).await?;
    let own = finished.iter().filter(|rating| rating.queued.rater == rater).map(|rating| rating.queued.chat);
    let own: Vec<ChatKey> = own.filter(|chat| !blind.contains(chat)).collect();
    let known: HashSet<ChatKey> = own.iter().copied().collect();
    finished.retain(|rating| known.contains(&rating.queued.chat));
    let chats = server.store.chats(&own).await?;
    let answers = server.store.answers(&own).await?;
    Ok(Material { run, rater, finished, chats, answers })
}

fn agreement(material: &Material) -> Result<Agreed> {
    let scoring = &material.run.scoring;
    let rubric = &scoring.rubric;
    let mut mine = Vec::new();
    // By name, in the order in which they are shown: judges first, then people.
    let mut sides: Vec<ratings::Rater> = Vec::new();
    let mut people: BTreeMap<&str, Vec<ratings::Rating>> = BTreeMap::new();
    let mut finished: HashMap<ChatKey, Vec<&Rating>> = HashMap::new();
    for rating in &material.finished {
        finished.entry(rating.queued.chat).or_default().push(rating);
    }
    for chat in &material.chats {
        for rating in finished.remove(&chat.key).unwrap_or_default() {
            let Some(body) = &rating.body else { continue };
            let given = ratings::Rating::of_person(rubric, &chat.chat, &answers_of_person(body)?)?;
            let rater = rating.queued.rater.as_str();
            if rater == material.rater { mine.push(given) } else { people.entry(rater).or_default().push(given) }
        }
        let answers = of_chat(&material.answers, chat.key);
        if answers.is_empty() {
            continue;
        }
        for side in Side::of_run(report_of(chat, answers, scoring)?) {
            let rating = ratings::Rating::of_report(rubric, &side.report);
            match sides.iter_mut().find(|judge| judge.name == side.name) {
                Some(judge) => judge.ratings.push(rating),
                None => sides.push(ratings::Rater::of_ratings(&side.name, vec![rating])),
            }
        }
    }
    sides.extend(people.into_iter().map(|(name, ratings)| ratings::Rater::of_ratings(judge_name(name), ratings)));
    let finished = mine.len();
    let person = ratings::Rater::of_ratings(judge_name(&material.rater), mine);
    Ok(Agreed { figures: Figures::new(rubric, &person, &sides), finished })
}

/// What the rater, the judges and the other raters who are done say about the chat.
fn compare(opened: &Opened, persons: Vec<Rating>, answers: &[StoredAnswer]) -> Result<Compared> {
    let scoring = &opened.run.scoring;
    let rubric = &scoring.rubric;
    let side = |rater: &str, answers| -> Result<Side> {
        Ok(Side { name: judge_name(rater), report: report_of_person(&opened.chat, answers, scoring)? })
    };
    let own = side(&opened.rater.name, opened.draft.submission().clone())?;
    let mut others =
        if answers.is_empty() { Vec::new() } else { Side::of_run(report_of(&opened.chat, answers, scoring)?) };
    for rating in persons {
        let is_other = rating.queued.state == RatingState::Done && rating.queued.rater != opened.rater.name;
        let Some(body) = rating.body.filter(|_| is_other) else { continue };
        others.push(side(&rating.queued.rater, answers_of_person(&body)?)?);
    }
    Ok(Compared {
        article: carelock_page::report_article(&own.report, rubric, 1)?,
        rows: if others.is_empty() { Vec::new() } else { rows(rubric, &own, &others) },
        sides: others.into_iter().map(|side| side.name).collect(),
    })
}

/// The report as a file.
pub(crate) async fn file(
    State(server): State<Shared>,
    who: Who,
    Path((run, chat, name)): Path<(i64, i64, String)>,
    Query(asked): Query<RateQuery>,
) -> ApiResult {
    let file = ReportFile::named(&name)?;
    let opened = finished(&server, &who, &asked, (run, chat)).await?;
    let submission = opened.draft.submission().clone();
    let made = blocking(move || {
        let report = report_of_person(&opened.chat, submission, &opened.run.scoring)?;
        file.written(&report, &opened.run)
    });
    Ok(made.await??)
}
