//! One run: how it stands, how its scores are spread, its groups, and the table of its chats.

use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_core::report::names;
use carelock_core::rubric::{Metric, Rubric};
use carelock_engine::figures::{count, estimate};
use carelock_engine::runs::{OpenRun, mean_for_people, moment_for_people, of_chat, report_of};
use carelock_store::{ChatKey, Distribution, ListedResult, MetricPlace, RunState, Sort, StoredChat, Sum};
use serde::Deserialize;

use super::figures::figures;
use super::histogram::Histogram;
use super::query::FilterForm;
use super::rows::{Row, RowText, WaitingChat};
use crate::address::encoded;
use crate::api_error::ApiResult;
use crate::blind;
use crate::blocking::blocking;
use crate::computed::Figures;
use crate::jobs::{address, view};
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::pages::progress;
use crate::state::Shared;
use crate::stored;

/// Chats on a page.
const AT_ONCE: u32 = 50;

#[derive(Template)]
#[template(path = "runs/one.html")]
struct One {
    frame: Frame,
    key: i64,
    name: String,
    /// Its tags, and where runs with them are listed.
    tags: Vec<(String, String)>,
    typed_tags: String,
    /// How many judges every chat is put to.
    places: u32,
    /// How it goes, and whether somebody works on it, where it is not done.
    progress: Option<(String, bool)>,
    head: Head,
    /// Whether whoever asks has yet to rate chats of the run, and learns nothing of its verdicts.
    is_blind: bool,
    /// Whether simulated users talked with a bot here.
    is_probe: bool,
    gates: Vec<(String, String, u64)>,
    tiers: Vec<Tier>,
    overall: Histogram,
    metrics: Vec<Spread>,
    groups: Vec<Group>,
    form: Form,
    rows: Vec<Row>,
    matching: String,
    list: String,
    next: Option<String>,
    previous: Option<String>,
    columns: Vec<Column>,
    waiting: Vec<WaitingChat>,
}

/// How the run stands.
struct Head {
    state: &'static str,
    facts: Vec<String>,
    done: u64,
    chats: u64,
    failed: u64,
    mean: String,
    gated: u64,
    unscored: u64,
    results: u64,
}

impl Head {
    /// A number as people read it.
    fn number(&self, number: &u64) -> String {
        count(*number)
    }

    /// A text as part of an address.
    fn encoded(&self, text: &str) -> String {
        encoded(text)
    }
}

struct Tier {
    label: String,
    /// Whether it is one of the rubric's, and not the lack of one.
    is_real: bool,
    number: u64,
    width: String,
}

struct Spread {
    title: String,
    key: String,
    mean: String,
    drawn: Histogram,
    sorted: String,
}

struct Group {
    name: String,
    chats: String,
    overall: String,
    gates: String,
    /// Where its chats are listed; nothing for those without a group.
    href: Option<String>,
}

/// What can be chosen above the table, and what is.
struct Form {
    asked: FilterForm,
    gates: Vec<(String, String)>,
    tiers: Vec<String>,
    groups: Vec<String>,
    judges: Vec<(String, String)>,
    sorts: Vec<(String, String)>,
}

struct Column {
    title: &'static str,
    href: String,
    /// `ascending`, `descending`, or nothing.
    sorted: &'static str,
}

/// Who has just started a run.
#[derive(Deserialize)]
pub(crate) struct Starter {
    fresh: Option<String>,
}

/// The page.
pub(crate) async fn page(
    State(server): State<Shared>,
    who: Who,
    Path(number): Path<i64>,
    Query(asked): Query<FilterForm>,
    Query(starter): Query<Starter>,
) -> ApiResult {
    let open = Arc::new(stored::run(&server, number).await?);
    // However quick its judge was, whoever has had one chat judged is led to its report.
    if starter.fresh.is_some() {
        let result = address(&server, open.run.key, &view(&server, open.run.key, &who).await?).await?;
        if result != format!("/runs/{number}") {
            return Ok(Redirect::to(&result).into_response());
        }
    }
    let blind = blind::chats(&server, &who, open.run.key).await?;
    let is_blind = !blind.is_empty();
    let asked = if is_blind { asked.without_verdicts() } else { asked };
    let sorted = if is_blind { asked.clone() } else { asked.clone().gates_first() };
    let known = figures(&server, &open).await?;
    let filter = sorted.filter(open.run.key)?;
    let (listed, matching) =
        tokio::try_join!(async { Ok(server.store.list(&filter, AT_ONCE).await?) }, known.count(&server, &filter),)?;
    let waiting = if asked == asked.first_page() && open.run.chats > known.spread.results {
        server.store.pending(open.run.key, None, AT_ONCE).await?
    } else {
        Vec::new()
    };
    // Of a run that is done there is nothing to tell, and asking takes a look at all its results.
    let part = match open.run.state {
        RunState::Done => None,
        _ => progress::fragment(&server, open.run.key, &who).await?,
    };
    let said = told(&server, &open, &listed.results, is_blind).await?;
    let rubric = &open.scoring.rubric;
    let row = |result: ListedResult| {
        let told = said.get(&result.chat).cloned().unwrap_or_default();
        Row::new(result, rubric, &blind, told)
    };
    let rows = listed.results.into_iter().map(row).collect();
    let place = |query: FilterForm| format!("/runs/{number}{}#chats", query.query());
    html(&One {
        frame: Frame::new(open.run.name.clone(), Section::Runs, &who),
        key: number,
        name: open.run.name.clone(),
        tags: open
            .run
            .tags
            .split_whitespace()
            .map(|tag| (tag.to_owned(), format!("/runs?text={}", encoded(tag))))
            .collect(),
        typed_tags: open.run.tags.clone(),
        places: open.run.judges,
        progress: part,
        head: head(&open, &known),
        is_blind,
        is_probe: open.config.probe.is_some(),
        gates: gates(rubric, &known),
        tiers: tiers(rubric, &known),
        overall: Histogram::new(&known.spread.overall, 20),
        metrics: metrics(rubric, &known, number, &asked),
        groups: groups(&known, number),
        form: Form::new(&open, &known, asked.clone()),
        rows,
        matching: count(matching),
        list: asked.first_page().query(),
        next: listed.next.map(|next| place(asked.behind(&next))),
        previous: listed.previous.map(|previous| place(asked.ahead_of(&previous))),
        columns: columns(number, &sorted, is_blind),
        waiting: waiting.into_iter().map(WaitingChat::new).collect(),
    })
}

/// The first words of chats and the verdicts on them in a sentence; of verdicts nothing for who has yet to rate.
async fn told(
    server: &Shared,
    open: &Arc<OpenRun>,
    listed: &[ListedResult],
    is_blind: bool,
) -> ApiResult<HashMap<ChatKey, RowText>> {
    let keys: Vec<ChatKey> = listed.iter().map(|result| result.chat).collect();
    let chats = server.store.chats(&keys).await?;
    let answers = if is_blind { Vec::new() } else { server.store.answers(&keys).await? };
    let open = Arc::clone(open);
    let told = blocking(move || {
        let one = |chat: StoredChat| {
            let report = report_of(&chat, of_chat(&answers, chat.key), &open.scoring).ok();
            (chat.key, RowText::new(&chat, report.map(|report| report.summary)))
        };
        chats.into_iter().map(one).collect()
    });
    told.await
}

fn head(open: &OpenRun, known: &Figures) -> Head {
    let (run, overview) = (&open.run, &known.overview);
    let rubric = &open.scoring.rubric;
    let mut facts = vec![
        format!("begun {} UTC", moment_for_people(run.created)),
        format!("judged by {}", overview.judges.join(", ")),
        format!("{} {}", rubric.name(), rubric.version()),
    ];
    if overview.cost() != carelock_judge::provider::Cost::ZERO {
        facts.push(format!("spent {}", overview.cost()));
    }
    Head {
        state: overview.state(),
        facts,
        done: known.spread.results,
        chats: run.chats,
        failed: overview.progress.failed,
        mean: mean_for_people(overview.overall()),
        gated: overview.gated(),
        unscored: overview.unscored(),
        results: known.spread.results,
    }
}

/// The checks that trip gates, what each means, and in how many chats; the most frequent first.
fn gates(rubric: &Rubric, known: &Figures) -> Vec<(String, String, u64)> {
    let named = |(check, &number): (&String, &u64)| (check.clone(), names::gate_failure(rubric, check), number);
    let mut found: Vec<_> = known.spread.gates.iter().map(named).collect();
    found.sort_by_key(|(_, _, number)| u64::MAX - number);
    found
}

fn tiers(rubric: &Rubric, known: &Figures) -> Vec<Tier> {
    let labels = rubric.file().tier.iter().map(|tier| Some(tier.label.as_str()));
    let all: Vec<(Option<&str>, u64)> = labels.chain([None]).map(|label| (label, known.tier(label))).collect();
    let most = all.iter().map(|(_, number)| *number).max().unwrap_or_default().max(1);
    let shown = all.into_iter().filter(|(label, number)| label.is_some() || *number > 0);
    shown
        .map(|(label, number)| Tier {
            label: label.unwrap_or("undetermined").to_owned(),
            is_real: label.is_some(),
            number,
            width: format!("{:.1}", 100.0 * number as f64 / most as f64),
        })
        .collect()
}

fn metrics(rubric: &Rubric, known: &Figures, run: i64, asked: &FilterForm) -> Vec<Spread> {
    let means = known.overview.metrics();
    let spreads = known.spread.metrics.iter().zip(means);
    let all = rubric.metrics().iter().zip(spreads).enumerate();
    let one = |(at, (metric, (spread, mean))): (usize, (&Metric, (&Distribution, Sum)))| {
        let sort = MetricPlace::at(at).map_or(Sort::Position, Sort::Metric);
        let asked = FilterForm { sort: String::new(), ..asked.clone() };
        Spread {
            title: metric.title.clone(),
            key: metric.key.clone(),
            mean: mean_for_people(mean),
            drawn: Histogram::new(spread, 10),
            sorted: format!("/runs/{run}{}#chats", asked.sorted(sort, false).query()),
        }
    };
    all.map(one).collect()
}

fn groups(known: &Figures, run: i64) -> Vec<Group> {
    let named: Vec<&str> = known.overview.groups.iter().filter_map(|group| group.group.as_deref()).collect();
    let one = |standing: &carelock_engine::comparison::GroupStanding| {
        let name = &standing.side.name;
        let asked = FilterForm { group: name.clone(), ..FilterForm::default() };
        Group {
            name: name.clone(),
            chats: count(standing.side.chats as u64),
            overall: estimate(&standing.overall),
            gates: estimate(&standing.gate_rate),
            href: named.contains(&name.as_str()).then(|| format!("/runs/{run}{}#chats", asked.query())),
        }
    };
    known.groups.iter().map(one).collect()
}

impl Form {
    fn new(open: &OpenRun, known: &Figures, asked: FilterForm) -> Self {
        let rubric = &open.scoring.rubric;
        let gates = rubric.checks().enumerate().filter(|(at, _)| rubric.is_gate_check(*at));
        let metrics = rubric.metrics().iter().zip(1..);
        let plain = [
            ("position", "their order in the run"),
            ("name", "name"),
            ("group", "group"),
            ("overall", "overall score"),
            ("gates", "gates first"),
        ];
        let plain = plain.into_iter().map(|(word, title)| (word.to_owned(), title.to_owned()));
        let judges = open.config.judges.iter().zip(0..).map(|(name, place)| (place.to_string(), name.clone()));
        Self {
            asked,
            gates: gates.map(|(_, check)| (check.id.clone(), names::gate_failure(rubric, &check.id))).collect(),
            tiers: rubric.file().tier.iter().map(|tier| tier.label.clone()).collect(),
            groups: known.overview.groups.iter().filter_map(|group| group.group.clone()).collect(),
            judges: if open.run.judges > 1 { judges.collect() } else { Vec::new() },
            sorts: plain.chain(metrics.map(|(metric, at)| (format!("metric-{at}"), metric.title.clone()))).collect(),
        }
    }
}

/// The headings that sort.
fn columns(run: i64, asked: &FilterForm, is_blind: bool) -> Vec<Column> {
    let current = asked.sort.parse().unwrap_or(Sort::Position);
    let one = |(title, sort)| Column {
        title,
        href: format!("/runs/{run}{}#chats", asked.sorted(sort, false).query()),
        sorted: match (current == sort, asked.order == "down") {
            (false, _) => "",
            (true, false) => "ascending",
            (true, true) => "descending",
        },
    };
    let all = [
        ("#", Sort::Position),
        ("Chat", Sort::Name),
        ("Group", Sort::Group),
        ("Overall", Sort::Overall),
        ("Gates", Sort::Gates),
    ];
    // Whose list is always in the order of the run can only turn it round.
    all.into_iter().take(if is_blind { 1 } else { all.len() }).map(one).collect()
}
