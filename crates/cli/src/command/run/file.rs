//! The configuration file of a run: read strictly, so that a misspelt line is no surprise later.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use carelock_core::panel::{GatePolicy, TiePolicy};
use carelock_core::problem::{Problem, toml_place};
use carelock_core::score::Score;
use carelock_core::scorecard::Weight;
use carelock_judge::wire::redact_keys;
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer};

use carelock_engine::options::{JudgeOptions, Redact};
use carelock_engine::runs::DatasetConfig;

/// What the file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunFile {
    pub(super) name: Option<String>,
    #[serde(default, deserialize_with = "one_or_more")]
    pub(super) judges: Vec<String>,
    #[serde(default, deserialize_with = "one_or_more")]
    pub(super) verdicts: Vec<String>,
    pub(super) gate_policy: Option<GatePolicy>,
    pub(super) tie: Option<TiePolicy>,
    fallback: Option<String>,
    redact: Option<Redact>,
    second_look: Option<bool>,
    concurrency: Option<usize>,
    max_cost: Option<toml::Value>,
    price: Option<String>,
    timeout: Option<u64>,
    context: Option<u64>,
    lock: Option<PathBuf>,
    batch: Option<bool>,
    pub(super) rubric: Option<PathBuf>,
    #[serde(default)]
    pub(super) outputs: Vec<PathBuf>,
    #[serde(default)]
    pub(super) dataset: Vec<Dataset>,
    #[serde(default)]
    pub(super) thresholds: Thresholds,
    pub(super) weights: Option<IndexMap<String, Weight>>,
    #[serde(default)]
    pub(super) reading: Reading,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dataset {
    #[serde(deserialize_with = "one_or_more", alias = "path")]
    paths: Vec<String>,
    group: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Thresholds {
    pub(super) fail_under: Option<Score>,
    #[serde(default)]
    pub(super) fail_on_gate: bool,
    pub(super) min_judges: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reading {
    #[serde(default)]
    pub(super) human: Vec<String>,
    #[serde(default)]
    pub(super) ai: Vec<String>,
    #[serde(default)]
    pub(super) other: Vec<String>,
    #[serde(default)]
    pub(super) ignore_speaker: Vec<String>,
    #[serde(default)]
    pub(super) not_a_speaker: Vec<String>,
    #[serde(default)]
    pub(super) skip_unreadable: bool,
    pub(super) from: Option<String>,
    pub(super) max_size: Option<u64>,
}

impl RunFile {
    /// Reads a file; its paths are made to start where it lies.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        if !path.is_file() {
            bail!(
                Problem::new(format!("{shown}: no such file"))
                    .advice(format!("check the path, or write one with `carelock init {shown}`"))
            );
        }
        let text = std::fs::read_to_string(path).with_context(|| format!("{shown}: cannot be read"))?;
        let mut file: Self = toml::from_str(&text).map_err(|error| {
            let fix = "docs/runs/config.md lists what can stand here";
            Problem::located(format!("{shown}: {}", toml_place(&text, &error)), redact_keys(error.message()), fix)
        })?;
        file.start_at(path.parent().unwrap_or(Path::new("")));
        file.name = file.name.or_else(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        Ok(file)
    }

    fn start_at(&mut self, folder: &Path) {
        let beside = |path: &mut PathBuf| *path = folder.join(&*path);
        self.outputs.iter_mut().for_each(beside);
        self.rubric.iter_mut().chain(&mut self.lock).for_each(beside);
        let named = self.dataset.iter_mut().flat_map(|dataset| &mut dataset.paths).chain(&mut self.verdicts);
        for path in named.filter(|path| *path != "-") {
            *path = folder.join(&*path).display().to_string();
        }
    }

    /// Where the chats come from.
    pub(super) fn datasets(&self) -> Vec<DatasetConfig> {
        let one = |dataset: &Dataset| DatasetConfig { paths: dataset.paths.clone(), group: dataset.group.clone() };
        self.dataset.iter().map(one).collect()
    }

    /// How judges are asked.
    pub(super) fn judging(&self) -> Result<JudgeOptions> {
        Ok(JudgeOptions {
            fallback: self.fallback.clone(),
            second_look: self.second_look,
            redact: self.redact,
            concurrency: self.concurrency,
            max_cost: self.max_cost()?,
            price: self.price.clone(),
            timeout: self.timeout,
            context: self.context,
            lock: self.lock.clone(),
            batch: self.batch == Some(true),
            ..JudgeOptions::default()
        })
    }

    /// The most the run may cost, as it would be typed.
    fn max_cost(&self) -> Result<Option<String>> {
        Ok(match &self.max_cost {
            None => None,
            Some(toml::Value::Float(number)) => Some(number.to_string()),
            Some(toml::Value::Integer(number)) => Some(number.to_string()),
            Some(toml::Value::String(text)) => Some(text.clone()),
            Some(_) => {
                bail!(Problem::new("max_cost: expected an amount of dollars").advice("write it as max_cost = 5.00"))
            }
        })
    }
}

/// A list, or a single text.
fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text or a list of texts")]
    enum Either {
        One(String),
        More(Vec<String>),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::One(text) => vec![text],
        Either::More(texts) => texts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_init_writes_can_be_read_also_with_every_line_switched_on() {
        let template = crate::command::init::TEMPLATE;
        let file: RunFile = toml::from_str(template).unwrap();
        assert_eq!((file.judges, file.dataset.len()), (vec!["builtin".to_owned()], 1));
        let setting = |line: &str| {
            let inner = line.strip_prefix("# ")?;
            let is_setting =
                inner.starts_with('[') || inner.split_once(" = ").is_some_and(|(name, _)| !name.contains(' '));
            is_setting.then(|| inner.to_owned())
        };
        let on: Vec<String> = template.lines().map(|line| setting(line).unwrap_or_else(|| line.to_owned())).collect();
        let file: RunFile = toml::from_str(&on.join("\n")).unwrap();
        assert_eq!((file.dataset.len(), file.thresholds.fail_on_gate), (2, true));
        assert_eq!(file.max_cost().unwrap().as_deref(), Some("5"));
        assert_eq!((file.reading.max_size, file.outputs.len()), (Some(256), 3));
    }

    #[test]
    fn a_misspelt_line_is_named_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.toml");
        std::fs::write(&path, "name = \"a\"\njudge = \"builtin\"\n").unwrap();
        let error = RunFile::read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2, column 1: unknown field `judge`"), "{error}");
    }

    #[test]
    fn paths_start_where_the_file_lies() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.toml");
        std::fs::write(&path, "verdicts = \"s\"\n[[dataset]]\npath = \"chats\"\n").unwrap();
        let file = RunFile::read(&path).unwrap();
        let beside = |name: &str| folder.path().join(name).display().to_string();
        assert_eq!(file.datasets()[0].paths, [beside("chats")]);
        assert_eq!((file.verdicts, file.name.as_deref()), (vec![beside("s")], Some("night")));
    }
}
