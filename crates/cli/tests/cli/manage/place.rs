//! A folder with a database of runs, filled with the example chats and their sheets.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
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
use serde_json::{Value, json};
use tempfile::TempDir;

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

pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

/// A folder, and the database in it or elsewhere.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    database: Location,
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
        let folder = TempDir::new().unwrap();
        let database = Location::file(folder.path().join("carelock.db"));
        Self { folder, database }
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

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The command in this folder, with nothing in its environment that changes what it does.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("carelock").unwrap();
        command.current_dir(self.folder.path()).args(arguments).env("HOME", self.folder.path());
        let ours = |name: &str| name.starts_with("CARELOCK_") || name.starts_with("GITHUB_");
        for (name, _) in std::env::vars().filter(|(name, _)| ours(name)) {
            command.env_remove(name);
        }
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::new(&mut self.command(arguments))
    }
}

/// How a command ended and all it said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn new(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What was printed, of a command that did what it was asked and had nothing to add.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// What was said of a command line or an input that is wrong, with nothing printed besides.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        self.stderr
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit {}", self.code)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "--- {name}\n{text}")?;
            }
        }
        Ok(())
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
