//! Ratings by name: files, or runs in the database.

use std::rc::Rc;

use anyhow::Result;
use carelock_core::problem::Problem;
use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_store::{ChatKey, OpenMode, RunState, ScoredChat, StoreError};

use super::file::read_rater;
use super::{Outcome, Rater, Rating, RatingFile, Source, weights_in_words};
use crate::error::problem;
use crate::runs::{Database, Scoring, StoredConfig, finished_by, from_records, is_file, judges_for_people, report_of};

/// Where raters are looked up by what the user calls them.
pub struct Library {
    /// Whether files may be read too.
    reads_files: bool,
    /// The database the user named.
    location: Option<String>,
    database: Option<Rc<Database>>,
    /// The rubric the user named.
    named: Option<Rubric>,
    /// The rubric of the first run that was opened.
    of_run: Option<Rubric>,
}

/// A run that can be looked into again.
pub(super) struct StoredRun {
    database: Rc<Database>,
    scoring: Scoring,
}

impl std::fmt::Debug for StoredRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredRun({})", self.database.store().label())
    }
}

impl StoredRun {
    /// The report on a chat; nothing where the chat is gone.
    pub(super) fn report(&self, chat: ChatKey) -> Result<Option<Report>> {
        let store = self.database.store();
        let (chats, answers) = self
            .database
            .wait(async { Ok::<_, anyhow::Error>((store.chats(&[chat]).await?, store.answers(&[chat]).await?)) })?;
        chats.first().map(|chat| report_of(chat, &answers, &self.scoring)).transpose()
    }
}

impl Library {
    /// Nothing is opened yet.
    pub fn new(location: Option<&str>, named: Option<Rubric>) -> Self {
        Self { reads_files: true, location: location.map(str::to_owned), database: None, named, of_run: None }
    }

    /// Over the runs of an open database alone; no file is ever read.
    pub fn of_runs(database: Database) -> Self {
        let database = Some(Rc::new(database));
        Self { reads_files: false, location: None, database, named: None, of_run: None }
    }

    /// The rubric everything is brought to: the one the user named, else that of the first run, else the built-in one.
    pub fn rubric(&self) -> Rubric {
        self.named.as_ref().or(self.of_run.as_ref()).cloned().unwrap_or_else(Rubric::care_lock)
    }

    /// All raters. Runs come first into view, because files are read with their rubric.
    pub fn open_all(&mut self, names: &[String]) -> Result<Vec<Rater>> {
        let is_file =
            |name: &String| if self.reads_files { is_file(name, self.location.as_deref()) } else { Ok(false) };
        let files: Vec<bool> = names.iter().map(is_file).collect::<Result<_>>()?;
        for (name, _) in names.iter().zip(&files).filter(|(_, is_file)| !**is_file) {
            self.note_rubric(person(name).map_or(name, |(_, run)| run))?;
        }
        let rubric = self.rubric();
        let open = |(name, is_file): (&String, bool)| match person(name) {
            _ if is_file => read_rater(&rubric, name),
            Some((rater, run)) => self.person(&rubric, rater, run),
            None => self.run(&rubric, name),
        };
        names.iter().zip(files).map(open).collect()
    }

    fn database(&mut self, name: &str) -> Result<Rc<Database>> {
        if let Some(database) = &self.database {
            return Ok(Rc::clone(database));
        }
        let opened = Database::open(self.location.as_deref(), OpenMode::Existing).map_err(|error| {
            let found = problem(&error);
            let what = format!("{name:?} is no file here, so it must be the name of a run; but {}", found.what());
            Problem { what, at: String::new(), ..found }
        })?;
        Ok(Rc::clone(self.database.insert(Rc::new(opened))))
    }

    fn note_rubric(&mut self, name: &str) -> Result<()> {
        if self.named.is_none() && self.of_run.is_none() {
            let database = self.database(name)?;
            let store = database.store();
            let run = database.wait(store.run(name)).map_err(|error| no_such(name, &error))?;
            let config = database.wait(StoredConfig::load(store, run.key))?;
            self.of_run = Some(config.scoring()?.rubric);
        }
        Ok(())
    }

    /// What a person has finished in a run.
    fn person(&mut self, rubric: &Rubric, rater: &str, run: &str) -> Result<Rater> {
        let database = self.database(run)?;
        let found = database.wait(database.store().run(run)).map_err(|error| no_such(run, &error))?;
        let name = format!("{PERSON}{rater}@{run}");
        let mut notes = Vec::new();
        let (mut ratings, mut answers) = (Vec::new(), Vec::new());
        for (chat, mut answer) in finished_by(&database, &found, rater)? {
            let all = answer.verdicts.len();
            answer.verdicts.retain(|(id, _)| rubric.position(id).is_some());
            if answer.verdicts.len() < all && notes.is_empty() {
                notes.push(format!("{name}: rests on another rubric; checks are matched by their ids"));
            }
            let rating = Rating::of_person(rubric, &chat.chat, &answer)?;
            ratings.push(Rating { source: Source::Sheet { file: 0, chat: answers.len() }, ..rating });
            answers.push(answer);
        }
        let judges = vec![format!("{PERSON}{rater}")];
        let files = vec![RatingFile::Sheet { name: name.clone(), answers }];
        Ok(Rater { name, judges, ratings, notes, files, ..Rater::default() })
    }

    fn run(&mut self, rubric: &Rubric, name: &str) -> Result<Rater> {
        let database = self.database(name)?;
        let store = database.store();
        let run = database.wait(store.run(name)).map_err(|error| no_such(name, &error))?;
        let (config, scored) = database.wait(async {
            Ok::<_, anyhow::Error>((StoredConfig::load(store, run.key).await?, store.scores(run.key, None).await?))
        })?;
        let scoring = config.scoring()?;
        let mut notes = Vec::new();
        if scoring.rubric.digest() != rubric.digest() {
            notes.push(format!("{name}: rests on another rubric; checks are matched by their ids"));
        }
        let open = run.chats.saturating_sub(scored.len() as u64);
        if run.state != RunState::Done && open > 0 {
            notes.push(format!("{name}: {open} of {} chats have no result yet", run.chats));
        }
        let order = Order::new(&scoring.rubric, rubric);
        let ratings = scored.into_iter().map(|chat| order.rating(chat)).collect();
        let brought = from_records(config.inline, &database.wait(store.spent(run.key))?);
        if brought > 0 {
            notes.push(format!("{name}: {brought} of {} chats brought their answers in their records", run.chats));
        }
        let judges = match judges_for_people(&config.judges, brought, run.chats).as_slice() {
            // Where its answers lay ready, the run says more than their path.
            [judge] if !judge.starts_with("verdicts:") => vec![judge.clone()],
            _ => Vec::new(),
        };
        let run = Some(StoredRun { database, scoring });
        let weights = weights_in_words(config.weights.as_ref());
        Ok(Rater { name: name.to_owned(), judges, ratings, notes, weights, files: Vec::new(), run })
    }
}

/// How a person is told apart from other judges.
const PERSON: &str = "person:";

/// The rater and the run, where a name means what a person has rated: `person:NAME@RUN`.
fn person(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(PERSON)?.rsplit_once('@')
}

/// Whoever mistyped the name of a file did not mean a run.
fn no_such(name: &str, error: &StoreError) -> Problem {
    let found = error.problem();
    match error {
        StoreError::NoSuchRun { .. } => {
            Problem { what: format!("{name:?} is no file here, and {}", found.what()), ..found }
        }
        _ => found,
    }
}

/// Where the checks and metrics of a run stand in the rubric in use.
struct Order {
    checks: Vec<Option<usize>>,
    metrics: Vec<Option<usize>>,
    sizes: (usize, usize),
}

impl Order {
    fn new(run: &Rubric, used: &Rubric) -> Self {
        Self {
            checks: run.checks().map(|check| used.position(&check.id)).collect(),
            metrics: run.metrics().iter().map(|metric| used.metric_position(&metric.key)).collect(),
            sizes: (used.checks().len(), used.metrics().len()),
        }
    }

    fn rating(&self, chat: ScoredChat) -> Rating {
        let mut outcomes = vec![None; self.sizes.0];
        for (letter, position) in chat.scores.outcomes.bytes().zip(&self.checks) {
            if let Some(position) = *position {
                outcomes[position] = outcome(letter);
            }
        }
        let mut metrics = vec![None; self.sizes.1];
        for (score, position) in chat.scores.metrics.iter().zip(&self.metrics) {
            if let Some(position) = *position {
                metrics[position] = score.and_then(Score::from_hundredths);
            }
        }
        Rating {
            id: chat.name,
            digest: Some(chat.digest).filter(|digest| !digest.is_empty()),
            group: chat.group,
            outcomes,
            overall: chat.scores.overall.and_then(Score::from_hundredths),
            metrics,
            pair: None,
            source: Source::Run(chat.chat),
        }
    }
}

/// What a stored letter means.
fn outcome(letter: u8) -> Option<Outcome> {
    match letter {
        b'p' => Some(Outcome::Pass),
        b'n' => Some(Outcome::NotTriggered),
        b'f' => Some(Outcome::Fail),
        _ => None,
    }
}
