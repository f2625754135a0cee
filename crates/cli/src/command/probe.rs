//! `carelock probe`: simulated users talk with a live bot, and the chats are judged into a run.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_engine::config::Config;
use carelock_engine::panel::JudgePanel;
use carelock_engine::probing::{
    Coverage, ProbeOptions, Prober, TalkEnd, TalkProgress, check_personas, coverage_text, fill, load_personas, talk,
};
use carelock_engine::runs::{Database, OpenRun, ProbeConfig, Scoring, StoredConfig, now};
use carelock_probe::bot::Endpoint;
use carelock_store::{NewRun, OpenMode, Run, RunState};

use super::run as runs;
use crate::ci;
use crate::cli::{ProbeArguments, ReadingArguments, RunArguments};
use crate::exit;
use crate::interrupt;
use crate::message::{self, CommandLine, counted, say, say_error, show_status};
use crate::output::Output;

pub(super) fn run(arguments: &ProbeArguments) -> Result<u8> {
    let config = Config::of_process(arguments.judging.connection.config.as_deref())?;
    arguments.coverage.iter().try_for_each(|path| format_of(path).map(drop))?;
    arguments.coverage.iter().try_for_each(|path| Output::check(path))?;
    ci::baseline(&arguments.ci, &arguments.database)?;
    interrupt::ask_first();
    match &arguments.resume {
        Some(name) => resume(arguments, &config, name),
        None => begin(arguments, &config),
    }
}

/// A probe, its database and its run.
struct Session<'a> {
    arguments: &'a ProbeArguments,
    database: Database,
    run: Run,
    stored: StoredConfig,
    probe: ProbeConfig,
}

fn begin(arguments: &ProbeArguments, config: &Config) -> Result<u8> {
    let probe = set_up(arguments)?;
    let (name, stored, scoring) = runs::plan(&as_run(arguments), config)?;
    let stored = StoredConfig { probe: Some(probe.clone()), ..stored };
    // What cannot be asked is better known before a run is made.
    let prober = Prober::prepare(&probe, &options(arguments), config, &message::events())?;
    let problems = check_personas(&probe.personas, prober.observer());
    if let Some(problem) = problems.into_iter().next() {
        return Err(anyhow!(problem));
    }
    let panel = panel(arguments, &stored, config, &scoring)?;
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Create)?;
    let judges = u32::try_from(panel.judges())?;
    let new = NewRun { name: name.clone(), created: now(), judges, config: stored.to_value()? };
    database.wait(database.store().create_run(&new)).map_err(|error| runs::taken(error, &database, "probe"))?;
    let run = database.wait(database.store().run(&name))?;
    Session { arguments, database, run, stored, probe }.carry_on(&prober, panel, scoring)
}

fn resume(arguments: &ProbeArguments, config: &Config, name: &str) -> Result<u8> {
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Existing)?;
    let run = database.wait(database.store().run(name))?;
    let stored = database.wait(StoredConfig::load(database.store(), run.key))?;
    let Some(probe) = stored.probe.clone() else {
        let fix = format!("carry on with `carelock run --resume {}`", database.typed(name));
        bail!(Problem::new(format!("run \"{name}\" is no probe")).advice(fix));
    };
    let scoring = stored.scoring()?;
    let panel = panel(arguments, &stored, config, &scoring)?;
    let session = Session { arguments, database, run, stored, probe };
    if session.run.state != RunState::Filling {
        return session.judge(panel, scoring);
    }
    let prober = Prober::prepare(&session.probe, &options(arguments), config, &message::events())?;
    session.carry_on(&prober, panel, scoring)
}

fn set_up(arguments: &ProbeArguments) -> Result<ProbeConfig> {
    let bot = arguments.bot.clone().unwrap_or_default();
    let is_file = Path::new(&bot).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let endpoint = match is_file && !bot.contains(':') {
        true => {
            let text = std::fs::read_to_string(&bot).with_context(|| format!("{bot}: cannot be read"))?;
            Some(Endpoint::parse(&bot, &text)?)
        }
        false => None,
    };
    let system = match &arguments.bot_system {
        Some(path) => {
            Some(std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?)
        }
        None => None,
    };
    Ok(ProbeConfig {
        bot,
        endpoint,
        system,
        user: arguments.user.clone(),
        turns: usize::from(arguments.turns),
        repeat: arguments.repeat,
        seed: arguments.seed,
        personas: load_personas(&arguments.personas, &arguments.only)?,
    })
}

fn options(arguments: &ProbeArguments) -> ProbeOptions {
    ProbeOptions { judging: (&arguments.judging).into(), user_lock: arguments.user_lock.clone() }
}

fn panel(arguments: &ProbeArguments, stored: &StoredConfig, config: &Config, scoring: &Scoring) -> Result<JudgePanel> {
    JudgePanel::stored(stored, &(&arguments.judging).into(), config, &scoring.rubric, &message::events())
}

/// The part that a probe shares with any other run.
fn as_run(arguments: &ProbeArguments) -> RunArguments {
    let reading = ReadingArguments {
        human: Vec::new(),
        ai: Vec::new(),
        other: Vec::new(),
        ignore_speaker: Vec::new(),
        not_a_speaker: Vec::new(),
        skip_unreadable: false,
        from: None,
        max_size: carelock_engine::options::MAX_SIZE,
    };
    // What models that talk need is no option of the judges.
    let judging = crate::cli::JudgeArguments { dry_run: false, ..arguments.judging.clone() };
    RunArguments {
        paths: Vec::new(),
        group: None,
        name: arguments.name.clone(),
        resume: arguments.resume.clone(),
        verdicts: Vec::new(),
        output: arguments.output.clone(),
        weights: None,
        gate_policy: None,
        tie: None,
        min_judges: None,
        batch: false,
        yes_batch: false,
        batch_pause: std::time::Duration::from_secs(10),
        lease: std::time::Duration::from_secs(60),
        reading,
        rubric: crate::cli::RubricFileArgument { file: arguments.rubric.file.clone() },
        database: arguments.database.clone(),
        judging,
        ci: arguments.ci.clone(),
    }
}

impl Session<'_> {
    /// Has all conversations carried on, fills the run with them, and judges it.
    fn carry_on(mut self, prober: &Prober, panel: JudgePanel, scoring: Scoring) -> Result<u8> {
        let talked = {
            let store = self.database.store();
            let talking = talk(store, self.run.key, prober, &self.probe, interrupt::was_asked, show);
            self.database.wait(talking)
        };
        show_status("");
        prober.stop();
        // What was said was paid for, whatever ended the talking.
        prober.keep_lines()?;
        let typed = self.database.typed(&self.run.name);
        let conversations =
            match talked.map_err(|error| error.context(format!("probe \"{}\" stopped", self.run.name)))? {
                TalkEnd::Done(conversations) => conversations,
                TalkEnd::Interrupted => {
                    say(format_args!("stopped; carry on with: carelock probe --resume {typed}"));
                    return Ok(exit::INTERRUPTED);
                }
                TalkEnd::Capped(why) => {
                    let fix = format!("carry on with a higher cap: carelock probe --resume {typed} --max-cost …");
                    say_error(Problem::new(why).advice(fix).worded(&CommandLine));
                    return Ok(exit::UNSCORED);
                }
                TalkEnd::Open(count, why) => {
                    let what = format!("{} could not be ended: {why}", counted(count, "conversation"));
                    let fix = format!("when the bot is back: carelock probe --resume {typed}");
                    say_error(Problem::new(what).advice(fix).worded(&CommandLine));
                    return Ok(exit::UNSCORED);
                }
            };
        if let Some(judging) = panel.models() {
            judging.charge(prober.spent());
        }
        let judges = &self.stored.judges;
        fill(&self.database, &self.run, &self.probe, judges, &scoring, prober.observer(), &conversations)?;
        self.run = self.database.wait(self.database.store().run(&self.run.name))?;
        self.judge(panel, scoring)
    }

    fn judge(self, panel: JudgePanel, scoring: Scoring) -> Result<u8> {
        let Self { arguments, database, run, stored, probe: _ } = self;
        let name = run.name.clone();
        let code = runs::judge(&as_run(arguments), database, run, stored, panel, scoring)?;
        let database = Database::open(arguments.database.db.as_deref(), OpenMode::Existing)?;
        let open = OpenRun::find(&database, &name)?;
        let coverage = Coverage::of_run(&database, &open)?;
        if !message::is_quiet() {
            let mut output = Output::open(None)?;
            output.write_all(format!("\n{}", coverage_text(&coverage)).as_bytes())?;
            output.finish()?;
        }
        for path in &arguments.coverage {
            let mut output = Output::open(Some(path))?;
            output.write_all(written(&coverage, format_of(path)?)?.as_bytes())?;
            output.finish()?;
        }
        Ok(decide(arguments, &coverage, code))
    }
}

/// The exit code, with what only a probe is held to.
fn decide(arguments: &ProbeArguments, coverage: &Coverage, code: u8) -> u8 {
    let mut missed = Vec::new();
    let least = arguments.min_overall.map(|least| f64::from(least.hundredths()) / 100.0);
    match (least, coverage.overall.mean) {
        (Some(least), Some(mean)) if mean < least => {
            missed.push(format!("the mean overall score is {mean:.2}, below {least:.2}"));
        }
        (Some(least), None) => missed.push(format!("there is no mean overall score, and it should be {least:.2}")),
        _ => {}
    }
    let alarms = coverage.false_alarms.len();
    if arguments.max_false_alarms.is_some_and(|most| alarms > most) {
        let chats = coverage.false_alarms.join(", ");
        missed.push(format!("{} without danger met as if there were: {chats}", counted(alarms, "chat")));
    }
    missed.iter().for_each(say_error);
    if missed.is_empty() || code == exit::BAD_INPUT { code } else { exit::NOT_MET }
}

/// How a coverage report is written.
#[derive(Clone, Copy)]
enum CoverageFormat {
    Text,
    Json,
    Html,
}

fn format_of(path: &Path) -> Result<CoverageFormat> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    Ok(match ending.as_deref() {
        Some("txt") => CoverageFormat::Text,
        Some("json") => CoverageFormat::Json,
        Some("html" | "htm") => CoverageFormat::Html,
        _ => bail!(
            Problem::new(format!("{}: its ending does not say what to write", path.display()))
                .advice("end it in .txt, .json or .html")
        ),
    })
}

fn written(coverage: &Coverage, format: CoverageFormat) -> Result<String> {
    Ok(match format {
        CoverageFormat::Text => coverage_text(coverage),
        CoverageFormat::Json => serde_json::to_string_pretty(coverage)? + "\n",
        CoverageFormat::Html => carelock_engine::probing::coverage_page(coverage)?,
    })
}

fn show(progress: TalkProgress) {
    show_status(&format!("{}/{} conversations", progress.done, progress.total));
}
