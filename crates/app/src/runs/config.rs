//! What a run was set up with, as it is kept in the database.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use carelock_core::panel::GatePolicy;
use carelock_core::rubric::{Rubric, RubricFile};
use carelock_core::score::Score;
use carelock_core::scorecard::{Weight, Weights};
use carelock_store::{RunKey, Store};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Scoring;

/// Everything a run was set up with. Nothing in it is secret: keys come from the environment every time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredConfig {
    /// The version of Care-Lock that began the run.
    pub(crate) version: String,
    /// The judges by name, in the order of their places; `verdicts:PATH` for answers that lay ready.
    pub(crate) judges: Vec<String>,
    /// Whether answers that stand in a chat's own record count instead of the judge's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) inline: bool,
    /// When a panel trips a gate.
    #[serde(default)]
    pub(crate) gate_policy: GatePolicy,
    /// How much each metric counts, where they do not count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) weights: Option<IndexMap<String, Weight>>,
    /// What the run is held to.
    #[serde(default)]
    pub(crate) thresholds: Thresholds,
    /// The rubric in full, so that the run can be scored again after another one has become the usual.
    pub(crate) rubric: RubricFile,
    /// The rubric's digest.
    pub(crate) rubric_digest: String,
    /// Where the chats came from.
    #[serde(default)]
    pub(crate) datasets: Vec<DatasetConfig>,
    /// How they were read.
    #[serde(default)]
    pub(crate) reading: ReadingConfig,
    /// How the judges are asked.
    #[serde(default)]
    pub(crate) judging: JudgingConfig,
    /// Files that are written when the run is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outputs: Vec<PathBuf>,
}

/// What a run is held to; where it is not met, the exit code says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Thresholds {
    /// The least overall score of every chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fail_under: Option<Score>,
    /// Whether a gate may be tripped in no chat.
    pub(crate) fail_on_gate: bool,
}

/// Chats and the group they belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DatasetConfig {
    /// Files, folders and patterns.
    pub(crate) paths: Vec<String>,
    /// Where the group is taken from: `folder`, `meta:FIELD`, or a fixed text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
}

/// How chats were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReadingConfig {
    /// Labels that mean the person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) human: Vec<String>,
    /// Labels that mean the AI.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ai: Vec<String>,
    /// The text format, where it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    /// The largest file in MiB, where it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_size: Option<u64>,
}

/// How judges are asked; what is not set follows the settings of whoever works on the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct JudgingConfig {
    /// The judge that stands in where another refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fallback: Option<String>,
    /// Whether doubtful checks are asked once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) second_look: Option<bool>,
    /// Whether personal details are replaced before anything is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) redact: Option<bool>,
    /// Chats judged at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) concurrency: Option<usize>,
    /// The most the run may cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_cost: Option<String>,
    /// The longest one call may take, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<u64>,
    /// The model's context in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<u64>,
    /// The lock file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lock: Option<PathBuf>,
    /// Whether questions go to the provider's batch API.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) batch: bool,
}

impl StoredConfig {
    /// The configuration of a run of the database.
    pub(crate) async fn load(store: &Store, run: RunKey) -> Result<Self> {
        let value = store.config(run).await?;
        serde_json::from_value(value).map_err(|error| {
            let database = store.label();
            anyhow!(
                "{database}: the configuration of this run cannot be read: {error}\n  \
                 fix: use the version of Care-Lock that made it"
            )
        })
    }

    /// The configuration as it is stored.
    pub(crate) fn to_value(&self) -> Result<Value> {
        Ok(serde_json::to_value(self)?)
    }

    /// Sets the rubric and its digest.
    pub(crate) fn with_rubric(self, rubric: &Rubric) -> Self {
        Self { rubric: rubric.file().clone(), rubric_digest: rubric.digest().to_owned(), ..self }
    }

    /// What its reports are computed with.
    pub(crate) fn scoring(&self) -> Result<Scoring> {
        let fix = "fix: use the version of Care-Lock that made the run";
        let rubric = Rubric::from_file(self.rubric.clone())
            .map_err(|error| anyhow!("the run's rubric cannot be used: {error}\n  {fix}"))?;
        let weights = match &self.weights {
            Some(weights) => Weights::from_map(&rubric, weights).map_err(|error| anyhow!("{error}\n  {fix}"))?,
            None => Weights::equal(&rubric),
        };
        Ok(Scoring { rubric, weights, policy: self.gate_policy })
    }
}
