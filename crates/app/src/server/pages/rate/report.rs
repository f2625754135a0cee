//! The report of a finished rating, and how far the rater agrees with judges and other raters.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use anyhow::Result;
use askama::Template;
use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use carelock_core::report::{Report, checks_header, checks_rows, csv_header, csv_row, markdown};
use carelock_store::{ChatKey, RatingState, StoredAnswer, StoredChat};

use super::{Asked, Opened, Rater};
use crate::ratings;
use crate::runs::{OpenRun, answers_of_person, of_chat, report_of, report_of_person};
use crate::server::guard::access::Who;
use crate::server::page::{Frame, Section, html};
use crate::server::rating::comparison::{Figures, Row, Side, rows};
use crate::server::rating::draft::judge_name;
use crate::server::refusal::{Answer, Refusal};
use crate::server::state::Shared;
use crate::server::stored::blocking;

#[derive(Template)]
#[template(path = "rate/report.html")]
struct ReportPage {
    frame: Frame,
    rater: Rater,
    path: String,
    run: i64,
    run_name: String,
    article: String,
    me: String,
    sides: Vec<String>,
    rows: Vec<Row>,
    differing: usize,
    figures: Vec<Figures>,
    finished: usize,
}

/// A finished rating of a run, with its chat.
struct Finished {
    rater: String,
    chat: ChatKey,
    body: String,
}

/// Everything the comparison is made of.
struct Material {
    run: Arc<OpenRun>,
    rater: String,
    /// The chat that is shown.
    chat: ChatKey,
    /// All finished ratings, of everybody, of the chats this rater is done with.
    finished: Vec<Finished>,
    chats: Vec<StoredChat>,
    answers: Vec<StoredAnswer>,
}

/// The comparison.
struct Compared {
    article: String,
    sides: Vec<String>,
    rows: Vec<Row>,
    figures: Vec<Figures>,
    finished: usize,
}

/// The rating of a chat; refused while it is not done, so that nothing of a judge is seen before.
async fn finished(server: &Shared, who: &Who, asked: &Asked, place: (i64, i64)) -> Answer<Opened> {
    let opened = Opened::find(server, who, asked, place).await?;
    if opened.is_done() {
        return Ok(opened);
    }
    let what = "This rating is not finished; its report and what judges say come afterwards.";
    Err(Refusal::new(StatusCode::CONFLICT, what, "finish the rating first"))
}

/// The report, with the differences to others.
pub(crate) async fn page(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path(place): Path<(i64, i64)>,
    Query(asked): Query<Asked>,
) -> Answer {
    let opened = finished(&server, &who, &asked, place).await?;
    if server.store.is_unfinished(opened.chat.key, &opened.rater.name).await? {
        let what =
            "Your rating is finished, but you have yet to rate the same chat elsewhere; what judges say comes after.";
        return Err(Refusal::new(StatusCode::CONFLICT, what, "finish the other rating of it too, under Rate"));
    }
    let material = material(&server, &opened).await?;
    let compared = blocking(move || compare(&material)).await??;
    html(&ReportPage {
        frame: Frame::new(
            format!("{} · {}", opened.chat.chat.name, judge_name(&opened.rater.name)),
            Section::Rate,
            &who,
        ),
        path: opened.path(),
        run: opened.run.run.key.0,
        run_name: opened.run.run.name.clone(),
        me: judge_name(&opened.rater.name),
        article: compared.article,
        sides: compared.sides,
        differing: compared.rows.iter().filter(|row| row.differs()).count(),
        rows: compared.rows,
        figures: compared.figures,
        finished: compared.finished,
        rater: opened.rater,
    })
}

async fn material(server: &Shared, opened: &Opened) -> Answer<Material> {
    let run = Arc::clone(&opened.run);
    let all = server.store.finished_ratings(run.run.key, None).await?;
    let is_mine = |rater: &str| rater == opened.rater.name;
    let blind = server.store.unfinished_chats(run.run.key, &opened.rater.name).await?;
    let blind: HashSet<ChatKey> = blind.into_iter().collect();
    let own = all.iter().filter(|rating| is_mine(&rating.queued.rater)).map(|rating| rating.queued.chat);
    let own: Vec<ChatKey> = own.filter(|chat| !blind.contains(chat)).collect();
    let shared = all.into_iter().filter(|rating| own.contains(&rating.queued.chat));
    let finished = shared
        .filter(|rating| rating.queued.state == RatingState::Done)
        .filter_map(|rating| {
            Some(Finished { rater: rating.queued.rater, chat: rating.queued.chat, body: rating.body? })
        })
        .collect();
    let chats = server.store.chats(&own).await?;
    let answers = server.store.answers(&own).await?;
    Ok(Material { run, rater: opened.rater.name.clone(), chat: opened.chat.key, finished, chats, answers })
}

fn compare(material: &Material) -> Result<Compared> {
    let scoring = &material.run.scoring;
    let rubric = &scoring.rubric;
    let mut mine = Vec::new();
    // By name, in the order in which they are shown: judges first, then people.
    let mut judges: Vec<ratings::Rater> = Vec::new();
    let mut people: BTreeMap<String, Vec<ratings::Rating>> = BTreeMap::new();
    let (mut own, mut others, mut persons) = (None, Vec::new(), Vec::new());
    for chat in &material.chats {
        let is_shown = chat.key == material.chat;
        for rating in material.finished.iter().filter(|rating| rating.chat == chat.key) {
            let answers = answers_of_person(&rating.body)?;
            let given = ratings::Rating::of_person(rubric, &chat.chat, &answers)?;
            let is_own = rating.rater == material.rater;
            if is_shown {
                let report = report_of_person(chat, answers, scoring)?;
                let side = Side { name: judge_name(&rating.rater), report };
                if is_own { own = Some(side) } else { persons.push(side) }
            }
            if is_own { mine.push(given) } else { people.entry(rating.rater.clone()).or_default().push(given) }
        }
        let answers = of_chat(&material.answers, chat.key);
        if answers.is_empty() {
            continue;
        }
        let sides = Side::of_run(report_of(chat, answers, scoring)?);
        for side in &sides {
            let rating = ratings::Rating::of_report(rubric, &side.report);
            match judges.iter_mut().find(|judge| judge.name == side.name) {
                Some(judge) => judge.ratings.push(rating),
                None => judges.push(ratings::Rater::of_ratings(&side.name, vec![rating])),
            }
        }
        if is_shown {
            others = sides;
        }
    }
    others.extend(persons);
    judges.extend(people.into_iter().map(|(name, ratings)| ratings::Rater::of_ratings(judge_name(&name), ratings)));
    let own = own.ok_or_else(|| anyhow::anyhow!("a finished rating has no answers"))?;
    let finished = mine.len();
    let person = ratings::Rater::of_ratings(judge_name(&material.rater), mine);
    Ok(Compared {
        article: carelock_page::report_article(&own.report, rubric, 1)?,
        rows: if others.is_empty() { Vec::new() } else { rows(rubric, &own, &others) },
        sides: others.into_iter().map(|side| side.name).collect(),
        figures: Figures::of(rubric, &person, &judges),
        finished,
    })
}

/// The report as a file.
pub(crate) async fn file(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path((run, chat, file)): Path<(i64, i64, String)>,
    Query(asked): Query<Asked>,
) -> Answer {
    let opened = finished(&server, &who, &asked, (run, chat)).await?;
    let submission = opened.draft.submission().clone();
    blocking(move || {
        let report = report_of_person(&opened.chat, submission, &opened.run.scoring)?;
        written(&file, &report, &opened.run)
    })
    .await?
}

fn written(file: &str, report: &Report, run: &OpenRun) -> Answer<Response> {
    let rubric = &run.scoring.rubric;
    let (kind, text) = match file {
        "report.json" => {
            let text = serde_json::to_string_pretty(report).map_err(|error| Refusal::failed(&error.into()))?;
            ("application/json", text + "\n")
        }
        "report.md" => ("text/markdown; charset=utf-8", markdown(report, rubric)),
        "report.csv" => ("text/csv; charset=utf-8", csv_header(rubric) + &csv_row(report, rubric)),
        "checks.csv" => ("text/csv; charset=utf-8", checks_header() + &checks_rows(report, rubric)),
        "report.html" => {
            let page = carelock_page::report_page(report, rubric, carelock_page::Style::Inline);
            ("text/html; charset=utf-8", page.map_err(|error| Refusal::failed(&error.into()))?)
        }
        _ => return Err(Refusal::missing("There is no such file.")),
    };
    let saved = format!("attachment; filename=\"{file}\"");
    Ok(([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, saved)], text).into_response())
}
