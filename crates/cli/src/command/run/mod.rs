//! `carelock run`: many chats judged into a database, in a way that survives whatever happens to the process.

mod closing;
mod file;
mod fill;
mod output;
mod plan;
mod progress;

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_engine::config::Config;
use carelock_engine::input::Unread;
use carelock_engine::panel::JudgePanel;
use carelock_engine::render::ReportFormat;
use carelock_engine::runs::{Database, OpenRun, Scoring, StoredConfig, Thresholds, now};
use carelock_engine::working::{
    BatchRun, DatasetReader, Ending, Progress, Shared, Worker, retention, settle_the_rest, work_in_batches,
};
use carelock_store::{NewRun, OpenMode, Run, RunState, StoreError};

use crate::ci;
use crate::cli::RunArguments;
use crate::exit;
use crate::interrupt;
use crate::message::{self, say, say_error, say_left_out};
use crate::output::Output;
use closing::Closing;
use fill::Filled;
use plan::Plan;
use progress::StatusLine;

pub(super) fn run(arguments: &RunArguments) -> Result<u8> {
    let config = Config::of_process(arguments.judging.connection.config.as_deref())?;
    // A baseline that cannot be used is better known before anything is asked and paid for.
    ci::baseline(&arguments.ci, &arguments.database)?;
    interrupt::ask_first();
    match &arguments.resume {
        Some(name) => resume(arguments, &config, name),
        None => begin(arguments, &config),
    }
}

/// A run whose chats come from elsewhere: what it is set up with.
pub(super) fn plan(arguments: &RunArguments, config: &Config) -> Result<(String, StoredConfig, Scoring)> {
    let Plan { name, stored, scoring } = Plan::without_files(arguments, config)?;
    output::check(arguments, &stored)?;
    Ok((name, stored, scoring))
}

/// Judges a run that is filled; the exit code.
pub(super) fn judge(
    arguments: &RunArguments,
    database: Database,
    run: Run,
    stored: StoredConfig,
    panel: JudgePanel,
    scoring: Scoring,
) -> Result<u8> {
    Session { arguments, database, run, stored }.work(panel, scoring, &Filled::default())
}

/// A run that was named twice.
pub(super) fn taken(error: StoreError, database: &Database, command: &str) -> anyhow::Error {
    match error {
        StoreError::NameTaken { database: place, name } => {
            anyhow!(Problem::new(format!("{place}: there is already a run named \"{name}\"")).advice(format!(
                "carry on with it by `carelock {command} --resume {}`, or give this one another name with --name",
                database.typed(&name)
            )))
        }
        error => error.into(),
    }
}

/// A run, its database and its judges.
struct Session<'a> {
    arguments: &'a RunArguments,
    database: Database,
    run: Run,
    stored: StoredConfig,
}

fn begin(arguments: &RunArguments, config: &Config) -> Result<u8> {
    let Plan { name, stored, scoring } = Plan::new(arguments, config)?;
    let panel = JudgePanel::stored(&stored, &(&arguments.judging).into(), config, &scoring.rubric, &message::events())?;
    panel.check_recorded()?;
    let reader = DatasetReader::open(&stored, &panel.folders(), &message::events())?;
    if arguments.judging.dry_run {
        return estimate(reader, &panel, &scoring);
    }
    agree_to_batches(arguments, &stored, &panel)?;
    output::check(arguments, &stored)?;
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Create)?;
    let judges = u32::try_from(panel.judges())?;
    let new = NewRun { name: name.clone(), created: now(), judges, config: stored.to_value()? };
    database.wait(database.store().create_run(&new)).map_err(|error| taken(error, &database, "run"))?;
    let run = database.wait(database.store().run(&name))?;
    let mut filled = Filled::default();
    if let Err(error) = fill::fill(&database, &run, &stored, &scoring, reader, &mut filled) {
        // A run that never began would only be in the way of the next try. A full disk is no reason to remove anything.
        if error.downcast_ref::<StoreError>().is_none() {
            discard(&database, &run, &filled);
        }
        return Err(error);
    }
    Session { arguments, database, run, stored }.work(panel, scoring, &filled)
}

/// Removes a run that this process alone has made and filled; one that others work on stays.
fn discard(database: &Database, run: &Run, filled: &Filled) {
    let quoted = database.typed(&run.name);
    match database.wait(database.store().discard_run(run.key, filled.added)) {
        Ok(Some(_)) => {}
        Ok(None) => say(format_args!(
            "run \"{}\" stays: another process has filled it too; carry on with `carelock run --resume {quoted}`",
            run.name
        )),
        Err(error) => say_error(format_args!(
            "run \"{}\" lacks some of its chats and could not be removed: {error}\n  then: carelock delete {quoted}",
            run.name
        )),
    }
}

fn resume(arguments: &RunArguments, config: &Config, name: &str) -> Result<u8> {
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Existing)?;
    let run = fill::watched(&database, database.wait(database.store().run(name))?)?;
    let stored = database.wait(StoredConfig::load(database.store(), run.key))?;
    output::check(arguments, &stored)?;
    let scoring = stored.scoring()?;
    let panel = JudgePanel::stored(&stored, &(&arguments.judging).into(), config, &scoring.rubric, &message::events())?;
    if stored.probe.is_some() && run.state == RunState::Filling {
        let typed = database.typed(name);
        let what = format!("run \"{name}\" is a probe with unfinished conversations");
        bail!(Problem::new(what).advice(format!("carry on with `carelock probe --resume {typed}`")));
    }
    let here = fill::can_be_read(&stored);
    let mut filled = Filled::default();
    match run.state {
        RunState::Filling if here => {
            let reader = DatasetReader::open(&stored, &panel.folders(), &message::events())?;
            fill::fill(&database, &run, &stored, &scoring, reader, &mut filled)?;
        }
        RunState::Filling => bail!(
            Problem::new(format!(
                "run \"{name}\" was stopped before all its chats were stored, and its files are not here"
            ))
            .advice(format!(
                "resume it in the folder it was started in, or remove it with `carelock delete {}`",
                database.typed(name)
            ))
        ),
        RunState::Open | RunState::Done if here => {
            let reader = DatasetReader::open(&stored, &panel.folders(), &message::events())?;
            fill::check_unchanged(&database, &run, &stored, reader, &mut filled)?;
        }
        RunState::Open | RunState::Done => say("the files of this run are not here; its stored chats are judged"),
    }
    let reopened = database.wait(database.store().reopen_failed(run.key))?;
    if reopened > 0 && run.state == RunState::Done {
        database.wait(database.store().set_state(run.key, RunState::Open))?;
    }
    Session { arguments, database, run, stored }.work(panel, scoring, &filled)
}

impl Session<'_> {
    /// Works on the run until it is done or stopped; the exit code.
    fn work(mut self, panel: JudgePanel, scoring: Scoring, filled: &Filled) -> Result<u8> {
        self.run = self.database.wait(self.database.store().run(&self.run.name))?;
        if filled.interrupted {
            return Ok(stopped(&self.database, &self.run));
        }
        let progress = self.database.wait(Progress::before(self.database.store(), self.run.key, &panel))?;
        let only = self.run.chats == 1;
        let shared =
            Arc::new(Shared { scoring, panel, events: message::events(), only, stopping: AtomicBool::new(false) });
        let worked = self.judge(&shared, progress);
        if let Some(judging) = shared.panel.models() {
            judging.stop();
            // What was answered was paid for, whatever ended the run.
            judging.keep_lock()?;
        }
        let ending = worked.map_err(|error| {
            let (name, quoted) = (&self.run.name, self.database.typed(&self.run.name));
            error.context(format!("run \"{name}\" stopped; carry on with `carelock run --resume {quoted}`"))
        })?;
        let code = self.conclude(&shared.scoring, ending, &filled.unread)?;
        self.database.close();
        Ok(code)
    }

    /// First what goes into batches, then the rest.
    fn judge(&self, shared: &Arc<Shared>, progress: Progress) -> Result<Ending> {
        let (database, run, lease) = (&self.database, &self.run, self.arguments.lease);
        loop {
            if self.stored.judging.batch {
                let (pause, is_stopped) = (self.arguments.batch_pause, interrupt::was_asked as fn() -> bool);
                let batch_run = BatchRun { database, run, shared, lease, pause, is_stopped };
                if let Some(ending) = work_in_batches(batch_run)? {
                    return Ok(ending);
                }
            }
            let line = StatusLine::new(shared.panel.judges());
            let mut worker = Worker::new(database.store(), run, Arc::clone(shared), lease, progress, line);
            match database.wait(worker.work())? {
                // Another process has sent batches meanwhile.
                Ending::InBatches if self.stored.judging.batch => shared.stopping.store(false, Ordering::SeqCst),
                ending => return Ok(ending),
            }
        }
    }

    /// Settles what is left, says what came of the run, and writes its outputs.
    fn conclude(&self, scoring: &Scoring, ending: Ending, unread: &[Unread]) -> Result<u8> {
        let Self { arguments, database, run, stored } = self;
        let store = database.store();
        let unsettled = database.wait(settle_the_rest(store, run.key, scoring, &message::events()))?;
        let mut asked = arguments.ci.clone();
        asked.fail_under = asked.fail_under.or(stored.thresholds.fail_under);
        asked.fail_on_gate |= stored.thresholds.fail_on_gate;
        let thresholds = Thresholds {
            fail_under: asked.fail_under,
            fail_on_gate: asked.fail_on_gate,
            min_judges: arguments.min_judges.or(stored.thresholds.min_judges),
        };
        let closing = database.wait(Closing::new(store, run, &thresholds, unsettled))?;
        match ending {
            Ending::Interrupted if !closing.is_through() => {
                if stored.judging.batch && !database.wait(store.open_batches(run.key))?.is_empty() {
                    say("batches that were sent go on at the provider, and are charged");
                }
                return Ok(stopped(database, run));
            }
            Ending::Capped(why) => {
                let fix = format!(
                    "carry on with a higher cap: carelock run --resume {} --max-cost …",
                    database.typed(&run.name)
                );
                say_error(Problem::new(why).advice(fix));
            }
            Ending::Interrupted | Ending::Done | Ending::InBatches => {}
        }
        if closing.is_through() {
            let outputs = if arguments.output.is_empty() { &stored.outputs } else { &arguments.output };
            for path in outputs {
                if output::format_of(path)? == ReportFormat::Html {
                    output::write_page(database, run, path)?;
                } else {
                    database.wait(output::write(store, run, asked.fail_under, scoring, unread, path))?;
                }
            }
        }
        if !message::is_quiet() {
            closing.print(database, run, stored, unread.len())?;
        }
        let open = OpenRun::find(database, &run.name)?;
        let reviewed = ci::review_run(database, &open, &asked, &arguments.database)?;
        Ok(closing.exit_code(reviewed, unread.len()))
    }
}

fn stopped(database: &Database, run: &Run) -> u8 {
    say(format_args!("stopped; carry on with: carelock run --resume {}", database.typed(&run.name)));
    exit::INTERRUPTED
}

/// Nothing is sent in a batch before the user has agreed to what the provider keeps of it.
fn agree_to_batches(arguments: &RunArguments, stored: &StoredConfig, panel: &JudgePanel) -> Result<()> {
    if !stored.judging.batch {
        return Ok(());
    }
    let Some(judging) = panel.models() else {
        bail!(Problem::new("--batch goes with a model").advice("name one with --judge, or leave --batch out"));
    };
    let texts = retention(judging, judging.judges())?;
    if !arguments.yes_batch {
        bail!(Problem::new(texts.join("\n")).advice("add --yes-batch if that is all right, or leave --batch out"));
    }
    texts.iter().for_each(say);
    Ok(())
}

/// Says what the run would take and cost.
fn estimate(mut reader: DatasetReader, panel: &JudgePanel, scoring: &Scoring) -> Result<u8> {
    if panel.models().is_none() {
        bail!(Problem::new("--dry-run goes with a model").advice("name one with --judge"));
    }
    let mut subjects = Vec::new();
    while let Some(batch) = reader.next_batch() {
        for chat in batch {
            match chat {
                Ok(chat) => subjects.push(chat.subject(panel, &scoring.rubric)?),
                Err(unread) if unread.skipped.is_some() => say_left_out(&unread),
                Err(unread) => say(format_args!("not in the estimate: {}", message::unread(&unread))),
            }
        }
    }
    let mut output = Output::open(None)?;
    output.write_all(panel.estimate(&scoring.rubric, &subjects).as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}
