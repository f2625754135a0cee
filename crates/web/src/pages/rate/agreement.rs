//! How far the raters of a run and its judges agree, and the chats on which raters do not.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use anyhow::Result;
use askama::Template;
use axum::extract::{Form, Path, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_core::report::names;
use carelock_engine::ratings;
use carelock_engine::runs::{OpenRun, answers_of_person, of_chat, report_of};
use carelock_store::{ChatKey, Rating, StoredAnswer, StoredChat};
use serde::Deserialize;

use super::settle::SETTLED;
use super::{RateQuery, Rater};
use crate::api_error::ApiResult;
use crate::blind;
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::rating::comparison::{Figures, Side};
use crate::rating::draft::judge_name;
use crate::state::Shared;
use crate::stored;

/// Chats that are listed.
const LISTED: usize = 200;

#[derive(Template)]
#[template(path = "rate/agreement.html")]
struct AgreementPage {
    frame: Frame,
    run: i64,
    run_name: String,
    /// Every rater against all others and the judges.
    people: Vec<Person>,
    disputed: Vec<Disputed>,
    more: usize,
}

/// One rater against everybody else.
struct Person {
    name: String,
    chats: usize,
    figures: Vec<Figures>,
}

/// A chat on which people who rated it do not say the same.
struct Disputed {
    chat: ChatKey,
    name: String,
    gates: usize,
    checks: Vec<DisputedCheck>,
    /// Who settled it and how, where somebody did.
    settled: Option<String>,
}

/// A check they see differently.
struct DisputedCheck {
    name: String,
    gate: bool,
    passed: Vec<String>,
    failed: Vec<String>,
    /// What was settled.
    settled: Option<&'static str>,
}

impl DisputedCheck {
    /// What most of them say; nothing where as many say the one as the other.
    fn decided(&self) -> Option<&'static str> {
        match self.passed.len().cmp(&self.failed.len()) {
            std::cmp::Ordering::Greater => Some("met"),
            std::cmp::Ordering::Less => Some("not met"),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// What is compared: everything that people have finished, and what judges said of these chats.
struct Material {
    run: Arc<OpenRun>,
    finished: Vec<Rating>,
    chats: Vec<StoredChat>,
    answers: Vec<StoredAnswer>,
}

impl Material {
    async fn load(server: &Shared, run: Arc<OpenRun>) -> ApiResult<Self> {
        let finished = server.store.finished_ratings(run.run.key, None).await?;
        let mut keys: Vec<ChatKey> = finished.iter().map(|rating| rating.queued.chat).collect();
        keys.sort_unstable();
        keys.dedup();
        let chats = server.store.chats(&keys).await?;
        let answers = server.store.answers(&keys).await?;
        Ok(Self { run, finished, chats, answers })
    }

    /// What each person says, chat by chat.
    fn people(&self) -> Result<BTreeMap<&str, Vec<(ChatKey, ratings::Rating)>>> {
        let chats: HashMap<ChatKey, &StoredChat> = self.chats.iter().map(|chat| (chat.key, chat)).collect();
        let mut people: BTreeMap<&str, Vec<(ChatKey, ratings::Rating)>> = BTreeMap::new();
        for rating in &self.finished {
            let (Some(body), Some(chat)) = (&rating.body, chats.get(&rating.queued.chat)) else { continue };
            let answers = answers_of_person(body)?;
            let given = ratings::Rating::of_person(&self.run.scoring.rubric, &chat.chat, &answers)?;
            people.entry(&rating.queued.rater).or_default().push((chat.key, given));
        }
        Ok(people)
    }

    /// What the judges say of the same chats.
    fn judges(&self) -> Result<Vec<ratings::Rater>> {
        let scoring = &self.run.scoring;
        let mut judges: Vec<ratings::Rater> = Vec::new();
        for chat in &self.chats {
            let answers = of_chat(&self.answers, chat.key);
            if answers.is_empty() {
                continue;
            }
            for side in Side::of_run(report_of(chat, answers, scoring)?) {
                let rating = ratings::Rating::of_report(&scoring.rubric, &side.report);
                match judges.iter_mut().find(|judge| judge.name == side.name) {
                    Some(judge) => judge.ratings.push(rating),
                    None => judges.push(ratings::Rater::of_ratings(&side.name, vec![rating])),
                }
            }
        }
        Ok(judges)
    }

    fn agreement(&self) -> Result<Vec<Person>> {
        let judges = self.judges()?;
        let sides: Vec<ratings::Rater> = self
            .people()?
            .into_iter()
            .map(|(name, given)| {
                ratings::Rater::of_ratings(judge_name(name), given.into_iter().map(|(_, rating)| rating).collect())
            })
            .collect();
        let person = |(at, own): (usize, &ratings::Rater)| {
            // Each pair of people is shown once.
            let again = |side: &ratings::Rater| ratings::Rater::of_ratings(&side.name, side.ratings.clone());
            let others: Vec<ratings::Rater> = judges.iter().chain(&sides[at + 1..]).map(again).collect();
            let figures = Figures::new(&self.run.scoring.rubric, own, &others);
            Person { name: own.name.clone(), chats: own.ratings.len(), figures }
        };
        Ok(sides.iter().enumerate().map(person).collect())
    }

    /// What was settled, in the words of whoever did it.
    fn settled(&self) -> Result<HashMap<ChatKey, String>> {
        let mut found = HashMap::new();
        for rating in self.finished.iter().filter(|rating| rating.queued.rater == SETTLED) {
            let Some(body) = &rating.body else { continue };
            found.insert(rating.queued.chat, answers_of_person(body)?.judge.note.unwrap_or_default());
        }
        Ok(found)
    }

    /// The chats on which people differ: what is not settled first, of those the ones with a gate check first, then those with most checks.
    fn disputed(&self) -> Result<Vec<Disputed>> {
        let rubric = &self.run.scoring.rubric;
        let mut said: BTreeMap<ChatKey, Vec<(&str, ratings::Rating)>> = BTreeMap::new();
        for (name, given) in self.people()? {
            given.into_iter().for_each(|(chat, rating)| said.entry(chat).or_default().push((name, rating)));
        }
        let settled = self.settled()?;
        let mut disputed = Vec::new();
        for chat in &self.chats {
            let Some(given) = said.get(&chat.key) else { continue };
            let (decided, given): (Vec<_>, Vec<_>) = given.iter().partition(|(name, _)| *name == SETTLED);
            let check = |position: usize| {
                let saying = |passes: bool| -> Vec<String> {
                    let says = |rating: &ratings::Rating| {
                        rating.outcomes[position].map(ratings::Outcome::passes) == Some(passes)
                    };
                    given.iter().filter(|(_, rating)| says(rating)).map(|(name, _)| (*name).to_owned()).collect()
                };
                let (passed, failed) = (saying(true), saying(false));
                let name = names::check_name(rubric, &rubric.check(position).id);
                let gate = rubric.is_gate_check(position);
                let outcome = decided.iter().find_map(|(_, rating)| rating.outcomes[position]);
                let settled = outcome.map(|outcome| if outcome.passes() { "met" } else { "not met" });
                let is_split = !passed.is_empty() && !failed.is_empty();
                is_split.then_some(DisputedCheck { name, gate, passed, failed, settled })
            };
            let mut checks: Vec<DisputedCheck> = (0..rubric.checks().len()).filter_map(check).collect();
            checks.sort_by_key(|check| !check.gate);
            if !checks.is_empty() {
                let gates = checks.iter().filter(|check| check.gate).count();
                let settled = settled.get(&chat.key).cloned();
                disputed.push(Disputed { chat: chat.key, name: chat.chat.name.clone(), gates, checks, settled });
            }
        }
        disputed.sort_by_key(|one| (one.settled.is_some(), std::cmp::Reverse((one.gates, one.checks.len()))));
        Ok(disputed)
    }
}

/// The page.
pub(crate) async fn page(State(server): State<Shared>, who: Who, Path(run): Path<i64>) -> ApiResult {
    let open = Arc::new(stored::run(&server, run).await?);
    blind::check_run(&server, &who, open.run.key).await?;
    let run_name = open.run.name.clone();
    let material = Material::load(&server, open).await?;
    let (people, mut disputed) =
        blocking(move || -> Result<_> { Ok((material.agreement()?, material.disputed()?)) }).await??;
    let more = disputed.len().saturating_sub(LISTED);
    disputed.truncate(LISTED);
    let frame = Frame::new(format!("Agreement in {run_name}"), Section::Rate, &who);
    html(&AgreementPage { frame, run, run_name, people, disputed, more })
}

/// Who takes chats on, where nobody needs a token.
#[derive(Deserialize)]
pub(crate) struct TakesOn {
    #[serde(default)]
    rater: String,
}

/// Puts the chats on which others differ into one's own queue, to rate them without knowing what the others said.
pub(crate) async fn take_on(
    State(server): State<Shared>,
    who: Who,
    Path(run): Path<i64>,
    Form(sent): Form<TakesOn>,
) -> ApiResult {
    let rater = Rater::known(&who, &RateQuery { rater: Some(sent.rater), ..RateQuery::default() })?;
    let open = Arc::new(stored::run(&server, run).await?);
    let key = open.run.key;
    let material = Material::load(&server, open).await?;
    let own: HashSet<ChatKey> = material
        .finished
        .iter()
        .filter(|rating| rating.queued.rater == rater.name)
        .map(|rating| rating.queued.chat)
        .collect();
    let disputed = blocking(move || material.disputed()).await??;
    let chats: Vec<ChatKey> = disputed
        .iter()
        .filter(|one| one.settled.is_none())
        .map(|one| one.chat)
        .filter(|chat| !own.contains(chat))
        .collect();
    server.store.queue_ratings(key, &rater.name, &chats).await?;
    Ok(Redirect::to(&format!("/rate/{run}{}", rater.first)).into_response())
}
