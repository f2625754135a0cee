//! What a run is set up with: the configuration file, the options over it, and the settings under it.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use carelock_core::panel::GatePolicy;
use carelock_core::scorecard::Weights;
use clap::ValueEnum as _;

use super::file::RunFile;
use super::output;
use crate::cli::{JudgeArguments, RubricFileArgument, RunArguments, TextFormat};
use crate::command::{bench, rubric};
use crate::config::Config;
use crate::judging::Seat;
use crate::runs::{DatasetConfig, JudgingConfig, ReadingConfig, Scoring, StoredConfig, Thresholds};
use crate::working::{READY, run_name};

/// A run that is about to begin.
pub(super) struct Plan {
    pub(super) name: String,
    pub(super) stored: StoredConfig,
    pub(super) scoring: Scoring,
}

impl Plan {
    pub(super) fn new(arguments: &RunArguments, config: &Config) -> Result<Self> {
        let (file, paths) = file_and_paths(&arguments.paths)?;
        let datasets = datasets(arguments, &file, paths)?;
        let name = run_name(arguments.name.as_ref().or(file.name.as_ref()).map(String::as_str))?;
        let rubric_file = arguments.rubric.file.clone().or_else(|| file.rubric.clone());
        let rubric = rubric::load(&RubricFileArgument { file: rubric_file })?;
        let weights = match &arguments.weights {
            Some(path) => rubric::read_weights(&rubric, path)?,
            None => Weights::from_map(&rubric, &file.weights.clone().unwrap_or_default())?,
        };
        let gate_policy = arguments.gate_policy.map(GatePolicy::from).or(file.gate_policy).unwrap_or_default();
        let (judges, inline) = judges(arguments, &file, config)?;
        let outputs: Vec<PathBuf> = if arguments.output.is_empty() { &file.outputs } else { &arguments.output }.clone();
        outputs.iter().try_for_each(|path| output::format_of(path).map(drop))?;
        let stored = StoredConfig {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            judges,
            inline,
            gate_policy,
            weights: weights.to_map(),
            thresholds: Thresholds {
                fail_under: arguments.ci.fail_under.or(file.thresholds.fail_under),
                fail_on_gate: arguments.ci.fail_on_gate || file.thresholds.fail_on_gate,
            },
            rubric: rubric.file().clone(),
            rubric_digest: rubric.digest().to_owned(),
            datasets,
            reading: reading(arguments, &file),
            judging: JudgingConfig {
                batch: arguments.batch || file.batch == Some(true),
                ..judging(&arguments.judging, &file, config)?
            },
            outputs,
        };
        Ok(Self { name, stored, scoring: Scoring { rubric, weights, policy: gate_policy } })
    }
}

/// The configuration among the paths, and the rest of them.
fn file_and_paths(typed: &[String]) -> Result<(RunFile, &[String])> {
    let is_file = |path: &String| Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    match typed {
        [first, rest @ ..] if is_file(first) => {
            if let Some(second) = rest.iter().find(|path| is_file(path)) {
                bail!("{second}: a second configuration\n  fix: name one");
            }
            Ok((RunFile::read(Path::new(first))?, rest))
        }
        paths => Ok((RunFile::default(), paths)),
    }
}

fn datasets(arguments: &RunArguments, file: &RunFile, paths: &[String]) -> Result<Vec<DatasetConfig>> {
    let mut datasets = match paths {
        [] => file.datasets(),
        paths => vec![DatasetConfig { paths: paths.to_vec(), group: None }],
    };
    for dataset in &mut datasets {
        dataset.group = arguments.group.clone().or(dataset.group.take());
    }
    if datasets.iter().all(|dataset| dataset.paths.is_empty()) {
        bail!(
            "no chats are named\n  fix: name files or folders, or a configuration with a [[dataset]]; `carelock init` \
             writes one"
        );
    }
    let standard = datasets.iter().flat_map(|dataset| &dataset.paths).chain(&arguments.verdicts);
    if standard.filter(|path| *path == "-").count() > 1 {
        bail!("standard input (-) is named twice\n  fix: only one of the inputs can come from it");
    }
    Ok(datasets)
}

/// The judges by name, and whether answers in the chats' own records count.
fn judges(arguments: &RunArguments, file: &RunFile, config: &Config) -> Result<(Vec<String>, bool)> {
    let ready = if arguments.verdicts.is_empty() { &file.verdicts } else { &arguments.verdicts };
    let mut named = if arguments.judging.judge.is_empty() { &file.judges } else { &arguments.judging.judge };
    if named.is_empty() && ready.is_empty() {
        named = &config.settings().judges;
    }
    let seats: Vec<Seat> = named.iter().map(|name| Seat::parse(name)).collect::<Result<_, _>>()?;
    if seats.iter().filter(|seat| **seat == Seat::Embedded).count() > 1 {
        bail!("judge {} is named twice\n  fix: name it once; it never says anything else", Seat::Embedded);
    }
    if seats.iter().all(|seat| seat.model().is_none()) {
        bench::sends_nothing(&arguments.judging)?;
    }
    let mut judges: Vec<String> = seats.iter().map(ToString::to_string).collect();
    judges.extend(ready.iter().map(|path| format!("{READY}{path}")));
    let inline = judges.is_empty();
    if inline {
        judges.push(carelock_builtin::NAME.to_owned());
    }
    Ok((judges, inline))
}

fn reading(arguments: &RunArguments, file: &RunFile) -> ReadingConfig {
    let given = &arguments.reading;
    let or = |given: &Vec<String>, file: &Vec<String>| if given.is_empty() { file.clone() } else { given.clone() };
    let from = given.from.and_then(|from| from.to_possible_value()).map(|value| value.get_name().to_owned());
    ReadingConfig {
        human: or(&given.human, &file.reading.human),
        ai: or(&given.ai, &file.reading.ai),
        from: from.or_else(|| file.reading.from.clone()),
        max_size: file.reading.max_size.filter(|_| given.max_size == USUAL_SIZE).or(Some(given.max_size)),
    }
}

/// The largest file in MiB unless something else is said.
pub(super) const USUAL_SIZE: u64 = 256;

/// What decides the answers is settled here, so that all workers of the run ask alike.
fn judging(arguments: &JudgeArguments, file: &RunFile, config: &Config) -> Result<JudgingConfig> {
    let settings = config.settings();
    let second_look = (arguments.second_look || arguments.no_second_look).then_some(arguments.second_look);
    Ok(JudgingConfig {
        fallback: arguments.fallback.clone().or_else(|| file.fallback.clone()).or_else(|| settings.fallback.clone()),
        second_look: second_look.or(file.second_look).or(settings.second_look),
        redact: arguments.redact.map(|_| true).or(file.redact).or(settings.redact),
        concurrency: arguments.concurrency.or(file.concurrency),
        max_cost: arguments.max_cost.clone().map_or_else(|| file.max_cost(), |cost| Ok(Some(cost)))?,
        timeout: arguments.timeout.or(file.timeout),
        context: arguments.context.or(file.context),
        lock: arguments.lock.clone().or_else(|| file.lock.clone()),
        batch: false,
    })
}

/// The text format of this name.
pub(super) fn text_format(name: &str) -> Result<TextFormat> {
    TextFormat::from_str(name, true)
        .map_err(|_| anyhow!("from = {name:?}: there is no such format\n  fix: use text, markdown, messenger or table"))
}
