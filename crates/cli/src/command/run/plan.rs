//! What a run is set up with: the configuration file, the options over it, and the settings under it.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use carelock_core::panel::{GatePolicy, PanelRules, TiePolicy};
use carelock_core::problem::Problem;
use carelock_core::scorecard::Weights;
use carelock_engine::config::Config;
use carelock_engine::judging::JudgeKind;
use carelock_engine::options::{JudgeOptions, MAX_SIZE, ReadingOptions};
use carelock_engine::panel::RECORDED;
use carelock_engine::rubric_file::{load_rubric, read_weights};
use carelock_engine::runs::{DatasetConfig, Scoring, StoredConfig, Thresholds};
use carelock_engine::working::run_name;

use super::file::RunFile;
use super::output;
use crate::cli::RunArguments;
use crate::command::eval::sends_nothing;

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
        Self::build(arguments, config, &file, datasets)
    }

    /// A run whose chats come from no files.
    pub(super) fn without_files(arguments: &RunArguments, config: &Config) -> Result<Self> {
        let plan = Self::build(arguments, config, &RunFile::default(), Vec::new())?;
        Ok(Self { stored: StoredConfig { inline: false, ..plan.stored }, ..plan })
    }

    fn build(arguments: &RunArguments, config: &Config, file: &RunFile, datasets: Vec<DatasetConfig>) -> Result<Self> {
        let name = run_name(arguments.name.as_ref().or(file.name.as_ref()).map(String::as_str))?;
        let rubric_file = arguments.rubric.file.clone().or_else(|| file.rubric.clone());
        let rubric = load_rubric(rubric_file.as_deref())?;
        let weights = match &arguments.weights {
            Some(path) => read_weights(&rubric, path)?,
            None => Weights::from_map(&rubric, &file.weights.clone().unwrap_or_default())?,
        };
        let gate_policy = arguments.gate_policy.map(GatePolicy::from).or(file.gate_policy).unwrap_or_default();
        let tie = arguments.tie.map(TiePolicy::from).or(file.tie).unwrap_or_default();
        let (judges, inline) = judges(arguments, file, config)?;
        let outputs: Vec<PathBuf> = if arguments.output.is_empty() { &file.outputs } else { &arguments.output }.clone();
        outputs.iter().try_for_each(|path| output::format_of(path).map(drop))?;
        let stored = StoredConfig {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            judges,
            inline,
            gate_policy,
            tie,
            weights: weights.to_map(),
            thresholds: Thresholds {
                fail_under: arguments.ci.fail_under.or(file.thresholds.fail_under),
                fail_on_gate: arguments.ci.fail_on_gate || file.thresholds.fail_on_gate,
                min_judges: arguments.min_judges.or(file.thresholds.min_judges),
            },
            rubric: rubric.file().clone(),
            rubric_digest: rubric.digest().to_owned(),
            datasets,
            reading: reading(arguments, file),
            judging: judging(arguments, file, config)?,
            outputs,
            probe: None,
        };
        Ok(Self { name, stored, scoring: Scoring { rubric, weights, rules: PanelRules { gate_policy, tie } } })
    }
}

/// The configuration among the paths, and the rest of them.
fn file_and_paths(typed: &[String]) -> Result<(RunFile, &[String])> {
    let is_file = |path: &String| Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    match typed {
        [first, rest @ ..] if is_file(first) => {
            if let Some(second) = rest.iter().find(|path| is_file(path)) {
                bail!(Problem::new(format!("{second}: a second configuration")).advice("name one"));
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
            Problem::new("no chats are named")
                .advice("name files or folders, or a configuration with a [[dataset]]; `carelock init` writes one")
        );
    }
    let standard = datasets.iter().flat_map(|dataset| &dataset.paths).chain(&arguments.verdicts);
    if standard.filter(|path| *path == "-").count() > 1 {
        bail!(Problem::new("standard input (-) is named twice").advice("only one of the inputs can come from it"));
    }
    Ok(datasets)
}

/// The judges by name, and whether answers in the chats' own records count.
fn judges(arguments: &RunArguments, file: &RunFile, config: &Config) -> Result<(Vec<String>, bool)> {
    let ready = if arguments.verdicts.is_empty() { &file.verdicts } else { &arguments.verdicts };
    let mut named = if arguments.judging.judge.is_empty() { &file.judges } else { &arguments.judging.judge };
    if named.is_empty() && ready.is_empty() {
        named = &config.settings().judging.judges;
    }
    let kinds: Vec<JudgeKind> = named.iter().map(|name| JudgeKind::parse(name)).collect::<Result<_, _>>()?;
    if kinds.iter().filter(|kind| **kind == JudgeKind::Embedded).count() > 1 {
        bail!(
            Problem::new(format!("judge {} is named twice", JudgeKind::Embedded))
                .advice("name it once; it never says anything else")
        );
    }
    if kinds.iter().all(|kind| kind.model().is_none()) {
        sends_nothing(&JudgeOptions::from(&arguments.judging))?;
    }
    let mut judges: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    judges.extend(ready.iter().map(|path| format!("{RECORDED}{path}")));
    let inline = judges.is_empty();
    if inline {
        judges.push(carelock_builtin::NAME.to_owned());
    }
    Ok((judges, inline))
}

fn reading(arguments: &RunArguments, file: &RunFile) -> ReadingOptions {
    let given = ReadingOptions::from(&arguments.reading);
    let or = |given: Vec<String>, file: &Vec<String>| if given.is_empty() { file.clone() } else { given };
    ReadingOptions {
        human: or(given.human, &file.reading.human),
        ai: or(given.ai, &file.reading.ai),
        other: or(given.other, &file.reading.other),
        ignore_speaker: or(given.ignore_speaker, &file.reading.ignore_speaker),
        not_a_speaker: or(given.not_a_speaker, &file.reading.not_a_speaker),
        skip_unreadable: given.skip_unreadable || file.reading.skip_unreadable,
        from: given.from.or_else(|| file.reading.from.clone()),
        max_size: file.reading.max_size.filter(|_| given.max_size == Some(MAX_SIZE)).or(given.max_size),
    }
}

/// What decides the answers is settled here, so that all workers of the run ask alike.
fn judging(arguments: &RunArguments, file: &RunFile, config: &Config) -> Result<JudgeOptions> {
    let JudgeOptions { fallback, second_look, redact, .. } = config.settings().judging.clone();
    let settings = JudgeOptions { fallback, second_look, redact, ..JudgeOptions::default() };
    let typed = JudgeOptions { batch: arguments.batch, ..JudgeOptions::from(&arguments.judging) };
    Ok(typed.or(&file.judging()?).or(&settings))
}
