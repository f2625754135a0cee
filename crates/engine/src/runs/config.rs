//! What a run was set up with, as it is kept in the database.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use carelock_core::panel::{GatePolicy, PanelRules, TiePolicy};
use carelock_core::problem::Problem;
use carelock_core::rubric::{Rubric, RubricFile};
use carelock_core::score::Score;
use carelock_core::scorecard::{Weight, Weights};
use carelock_store::{RunKey, Store};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Scoring;
use crate::options::{JudgeOptions, ReadingOptions};

/// Everything a run was set up with. Nothing in it is secret: keys come from the environment every time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredConfig {
    /// The version of Care-Lock that began the run.
    pub version: String,
    /// The judges by name, in the order of their places; `verdicts:PATH` for answers that lay ready.
    pub judges: Vec<String>,
    /// Whether answers that stand in a chat's own record count instead of the judge's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inline: bool,
    /// When a panel trips a gate.
    #[serde(default)]
    pub gate_policy: GatePolicy,
    /// How a panel decides a tie; a run of an earlier version does not say, and goes by standing when it is scored again.
    #[serde(default)]
    pub tie: TiePolicy,
    /// How much each metric counts, where they do not count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<IndexMap<String, Weight>>,
    /// What the run is held to.
    #[serde(default)]
    pub thresholds: Thresholds,
    /// The rubric in full, so that the run can be scored again after another one has become the usual.
    pub rubric: RubricFile,
    /// The rubric's digest.
    pub rubric_digest: String,
    /// Where the chats came from.
    #[serde(default)]
    pub datasets: Vec<DatasetConfig>,
    /// How they were read.
    #[serde(default)]
    pub reading: ReadingOptions,
    /// How the judges are asked.
    #[serde(default)]
    pub judging: JudgeOptions,
    /// Files that are written when the run is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<PathBuf>,
    /// How simulated users talked with a bot, where the chats came from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<super::ProbeConfig>,
}

/// What a run is held to; where it is not met, the exit code says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thresholds {
    /// The least overall score of every chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_under: Option<Score>,
    /// Whether a gate may be tripped in no chat.
    pub fail_on_gate: bool,
    /// How many judges of every chat must have answered; all of them where this is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_judges: Option<u32>,
}

/// Chats and the group they belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetConfig {
    /// Files, folders and patterns.
    pub paths: Vec<String>,
    /// Where the group is taken from: `folder`, `meta:FIELD`, or a fixed text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

impl StoredConfig {
    /// The configuration of a run of the database.
    pub async fn load(store: &Store, run: RunKey) -> Result<Self> {
        let value = store.config(run).await?;
        serde_json::from_value(value).map_err(|error| {
            let database = store.label();
            anyhow!(
                Problem::new(format!("{database}: the configuration of this run cannot be read: {error}"))
                    .advice("use the version of Care-Lock that made it")
            )
        })
    }

    /// The configuration as it is stored.
    pub fn to_value(&self) -> Result<Value> {
        Ok(serde_json::to_value(self)?)
    }

    /// Sets the rubric and its digest.
    pub fn with_rubric(self, rubric: &Rubric) -> Self {
        Self { rubric: rubric.file().clone(), rubric_digest: rubric.digest().to_owned(), ..self }
    }

    /// What its reports are computed with.
    pub fn scoring(&self) -> Result<Scoring> {
        let fix = "use the version of Care-Lock that made the run";
        let rubric = Rubric::from_file(self.rubric.clone())
            .map_err(|error| Problem::new(format!("the run's rubric cannot be used: {}", error.what())).advice(fix))?;
        let weights = match &self.weights {
            Some(weights) => Weights::from_map(&rubric, weights).map_err(|error| error.advice(fix))?,
            None => Weights::equal(&rubric),
        };
        Ok(Scoring { rubric, weights, rules: PanelRules { gate_policy: self.gate_policy, tie: self.tie } })
    }
}
