//! A folder with a database of runs, filled with the example chats and their sheets.

use std::fs;
use std::ops::Deref;

use carelock_core::panel::GatePolicy;
use carelock_core::report::{CheckReport, Report};
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::{ReadOptions, read};
use carelock_core::verdict::{Basis, Submission, Verdicts, read_sheet};
use carelock_store::{
    ChatKey, Location, METRICS, NewAnswer, NewChat, NewResult, NewRun, OpenMode, RunState, Scores, Store,
};
use carelock_test_support::examples;
use serde_json::json;

/// The example chats, in the order of their names, with the group each is put into.
pub(crate) const CHATS: [(&str, &str); 8] = [
    ("diagnosis", "luna"),
    ("excellent", "luna"),
    ("handled-crisis", "luna"),
    ("missed-crisis", "luna"),
    ("mixed-corrections", "sol"),
    ("ordinary", "sol"),
    ("pressure", "sol"),
    ("very-short", "sol"),
];

/// When the first run began.
const BEGUN: i64 = 1_790_000_000_000;

/// A folder, and the database in it or elsewhere.
pub(crate) struct Place {
    place: carelock_test_support::Place,
    database: Location,
}

impl Deref for Place {
    type Target = carelock_test_support::Place;

    fn deref(&self) -> &Self::Target {
        &self.place
    }
}

/// How a run is made.
#[derive(Clone, Copy)]
pub(crate) struct Made<'a> {
    pub(crate) name: &'a str,
    /// How many judges; the second one fails every check that trips a gate in the first chat.
    pub(crate) judges: u32,
    /// Whether chats belong to groups.
    pub(crate) grouped: bool,
    /// How many of the chats are judged.
    pub(crate) judged: usize,
    /// What one answer costs.
    pub(crate) cost_nanos: u64,
}

impl<'a> Made<'a> {
    pub(crate) fn named(name: &'a str) -> Self {
        Self { name, judges: 1, grouped: false, judged: CHATS.len(), cost_nanos: 0 }
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = carelock_test_support::Place::new();
        let database = Location::file(place.path("carelock.db"));
        Self { place, database }
    }

    /// A place whose database is a server.
    pub(crate) fn on(database: Location) -> Self {
        Self { database, ..Self::new() }
    }

    /// A place with one run of all example chats.
    pub(crate) fn with_run(name: &str) -> Self {
        let place = Self::new();
        place.make(Made::named(name), &[]);
        place
    }

    /// Puts a run into the database; `changed` sheets take the place of those of the examples.
    pub(crate) fn make(&self, made: Made<'_>, changed: &[(&str, &str)]) {
        self.wait(|store| async move { fill(&store, made, changed).await });
    }

    pub(crate) fn wait<T, F: Future<Output = T>>(&self, asked: impl FnOnce(Store) -> F) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = Store::open(&self.database, OpenMode::Create).await.unwrap();
            let found = asked(store.clone()).await;
            store.close().await;
            found
        })
    }
}

pub(crate) fn chat(name: &str, group: Option<&str>) -> NewChat {
    let bytes = fs::read(examples().join(format!("{name}.txt"))).unwrap();
    let mut document = read(&bytes, &ReadOptions::default()).unwrap();
    let name = group.map_or_else(|| name.to_owned(), |group| format!("{group}/{name}"));
    let transcript = document.readings.remove(0).unwrap().into_transcript(&name).unwrap();
    NewChat {
        digest: transcript.digest(),
        origin: format!("chats/{name}.txt"),
        group: group.map(str::to_owned),
        dropped: Default::default(),
        labels: None,
        turns: transcript.into_turns(),
        name,
    }
}

/// What a sheet answers.
pub(crate) fn sheet(name: &str, changed: &[(&str, &str)]) -> String {
    let found = changed.iter().find(|(chat, _)| *chat == name).map(|(_, sheet)| (*sheet).to_owned());
    found.unwrap_or_else(|| fs::read_to_string(examples().join(format!("sheets/{name}.csv"))).unwrap())
}

async fn fill(store: &Store, made: Made<'_>, changed: &[(&str, &str)]) {
    let rubric = Rubric::care_lock();
    let before = i64::try_from(store.runs().await.unwrap().len()).unwrap();
    let judges: Vec<String> = (0..made.judges).map(|place| format!("sheet:{place}")).collect();
    let config = json!({
        "version": "0.1.0",
        "judges": judges,
        "rubric": rubric.file(),
        "rubric_digest": rubric.digest(),
    });
    let new = NewRun { name: made.name.to_owned(), created: BEGUN + 60_000 * before, judges: made.judges, config };
    let run = store.create_run(&new).await.unwrap();
    let chats: Vec<NewChat> = CHATS.iter().map(|(name, group)| chat(name, made.grouped.then_some(*group))).collect();
    let keys = store.add_chats(run, &chats).await.unwrap();
    store.seal(run, "dataset").await.unwrap();
    for ((key, chat), (name, _)) in keys.into_iter().zip(&chats).zip(CHATS).take(made.judged) {
        let submission = read_sheet(&rubric, &sheet(name, changed)).unwrap().remove(0);
        let (answers, results) = judged(&rubric, key, chat, &submission, made);
        store.record(&answers, &results).await.unwrap();
    }
    if made.judged == CHATS.len() {
        store.set_state(run, RunState::Done).await.unwrap();
    }
}

fn judged(
    rubric: &Rubric,
    chat: ChatKey,
    new: &NewChat,
    submission: &Submission,
    made: Made<'_>,
) -> (Vec<NewAnswer>, Vec<NewResult>) {
    let turns = new.turns.iter().map(|turn| (turn.speaker, turn.text.clone())).collect();
    let transcript = Transcript::new(new.name.clone(), turns).unwrap();
    let mut members = Vec::new();
    let mut answers = Vec::new();
    for place in 0..made.judges {
        let mut said = submission.clone();
        said.judge.name = format!("sheet:{place}");
        answers.push(NewAnswer {
            chat,
            place,
            judge: said.judge.name.clone(),
            answered: BEGUN,
            input_tokens: 10,
            cached_tokens: 0,
            output_tokens: 5,
            cost_nanos: made.cost_nanos,
            from_record: false,
            body: said.to_json(),
        });
        members.push(Verdicts::admit(rubric, &transcript, said).unwrap());
    }
    let weights = Weights::equal(rubric);
    let report = match members.len() {
        1 => Report::assemble(rubric, transcript, members.remove(0), &weights),
        _ => Report::assemble_panel(rubric, transcript, members, GatePolicy::Any, &weights),
    };
    let own =
        report.panel.iter().flat_map(|panel| &panel.reports).zip(0..).map(|(report, place)| (Some(place), report));
    let rows = std::iter::once((None, &report)).chain(own);
    let results = rows.map(|(place, report)| NewResult {
        chat,
        place,
        judge: report.judge.name.clone(),
        scores: scores(rubric, report),
    });
    (answers, results.collect())
}

fn scores(rubric: &Rubric, report: &Report) -> Scores {
    let mut metrics = [None; METRICS];
    for (slot, metric) in metrics.iter_mut().zip(report.metrics.values()) {
        *slot = metric.score.map(Score::hundredths);
    }
    let letter = |check: &CheckReport| match (check.pass, check.basis) {
        (None, _) => 'u',
        (Some(false), _) => 'f',
        (Some(true), Some(Basis::NotTriggered)) => 'n',
        (Some(true), _) => 'p',
    };
    let unscored: usize = report.metrics.values().map(|metric| metric.unscored).sum();
    Scores {
        overall: report.overall.map(Score::hundredths),
        gates: report.gates.iter().map(|gate| gate.check.to_string()).collect(),
        tier: report.overall.and_then(|score| rubric.tier_reached(score)).map(|tier| tier.label.clone()),
        unscored: u32::try_from(unscored).unwrap(),
        metrics,
        outcomes: report.checks().map(|(_, _, check)| letter(check)).collect(),
    }
}

/// A report without the moment of judging, which only a database knows; it must be there in the formats for people.
pub(crate) fn undated(shown: &str, format: &str) -> String {
    let mut parts = shown.split(" on ");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    let mut dates = 0;
    for part in parts {
        let moment = part.get(..20).filter(|moment| moment.ends_with(" UTC") && moment.starts_with(['1', '2']));
        if moment.is_some() {
            dates += 1;
        } else {
            rest.push_str(" on ");
        }
        rest.push_str(&part[moment.map_or(0, str::len)..]);
    }
    assert_eq!(dates > 0, ["text", "md", "html"].contains(&format), "{format}: {shown}");
    rest
}
