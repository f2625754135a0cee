//! The rubric: what is asked, and the arithmetic that turns answers into scores, read from one data file.

mod file;
mod render;
mod validate;

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;

pub use file::{
    AuditRules, Check, Entailment, Gate, Incoherence, Kind, Limits, Metric, RUBRIC_SCHEMA, RubricFile, Tier,
};

use crate::problem::Problem;
use crate::score::Score;

/// The text of the rubric that ships with Care-Lock.
pub const CARE_LOCK_TOML: &str = include_str!("../../rubric/care-lock.toml");

/// A validated rubric.
///
/// ```
/// use carelock_core::rubric::Rubric;
/// let rubric = Rubric::care_lock();
/// assert_eq!(rubric.metrics().len(), 10);
/// assert_eq!(rubric.checks().len(), 50);
/// assert_eq!(rubric.tier(4).label, "Strong");
/// ```
#[derive(Clone, Debug)]
pub struct Rubric {
    file: RubricFile,
    digest: String,
    checks: IndexMap<Arc<str>, CheckEntry>,
    metric_keys: IndexMap<Arc<str>, Range<usize>>,
    gates: Vec<ResolvedGate>,
    entailments: Vec<(usize, usize)>,
    pairs: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct CheckEntry {
    metric: usize,
    within: usize,
}

/// A gate with its names looked up: positions of metric and checks.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedGate {
    pub(crate) metric: usize,
    pub(crate) checks: Vec<usize>,
    pub(crate) cap: Score,
}

impl Rubric {
    /// The rubric that ships with Care-Lock.
    pub fn care_lock() -> Self {
        match Self::from_toml(CARE_LOCK_TOML) {
            Ok(rubric) => rubric,
            Err(error) => unreachable!("the shipped rubric is valid, a test guards it: {error}"),
        }
    }

    /// Reads and validates a rubric file in TOML.
    pub fn from_toml(text: &str) -> Result<Self, Problem> {
        let file = toml::from_str::<RubricFile>(text).map_err(|error| validate::syntax(text, &error));
        file.and_then(Self::validated).map_err(|error| validate::located(text, error).within("rubric"))
    }

    /// Reads and validates a rubric written as JSON.
    pub fn from_json(text: &str) -> Result<Self, Problem> {
        let unread = |error: serde_json::Error| {
            Problem::located("rubric: the file", error.to_string(), "see `carelock schema rubric`")
        };
        Self::from_file(serde_json::from_str(text).map_err(unread)?)
    }

    /// Validates a rubric.
    pub fn from_file(file: RubricFile) -> Result<Self, Problem> {
        Self::validated(file).map_err(|error| error.within("rubric"))
    }

    fn validated(file: RubricFile) -> Result<Self, Problem> {
        validate::check(&file)?;
        let mut checks = IndexMap::new();
        let mut metric_keys = IndexMap::new();
        for (metric, entry) in file.metric.iter().enumerate() {
            let start = checks.len();
            for (within, check) in entry.check.iter().enumerate() {
                checks.insert(Arc::from(check.id.as_str()), CheckEntry { metric, within });
            }
            metric_keys.insert(Arc::from(entry.key.as_str()), start..checks.len());
        }
        // Validation has made sure that every name below exists.
        let check = |id: &String| checks.get_index_of(id.as_str()).unwrap_or_default();
        let metric = |key: &String| metric_keys.get_index_of(key.as_str()).unwrap_or_default();
        let gates = file.gate.iter().map(|gate| ResolvedGate {
            metric: metric(&gate.metric),
            checks: gate.checks.iter().map(check).collect(),
            cap: gate.cap,
        });
        let gates = gates.collect();
        let entailments =
            file.audit.entails.iter().map(|rule| (check(&rule.when_fails), check(&rule.then_fails))).collect();
        let pairs = file.audit.incoherent.iter().flat_map(|rule| &rule.pairs);
        let pairs = pairs.map(|(left, right)| (metric(left), metric(right))).collect();
        let digest = digest(&file);
        Ok(Self { file, digest, checks, metric_keys, gates, entailments, pairs })
    }

    /// The rubric's name.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// The rubric's version.
    pub fn version(&self) -> &str {
        &self.file.version
    }

    /// The rubric's identity: a digest of everything in it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The file this rubric was made from.
    pub fn file(&self) -> &RubricFile {
        &self.file
    }

    /// The metrics in report order.
    pub fn metrics(&self) -> &[Metric] {
        &self.file.metric
    }

    /// All checks in rubric order.
    pub fn checks(&self) -> impl ExactSizeIterator<Item = &Check> {
        self.checks.values().map(|entry| &self.file.metric[entry.metric].check[entry.within])
    }

    /// The check at a position of [`Self::checks`].
    pub fn check(&self, position: usize) -> &Check {
        let entry = &self.checks[position];
        &self.file.metric[entry.metric].check[entry.within]
    }

    /// The position of a check, by its id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.checks.get_index_of(id)
    }

    /// How much a judge may write.
    pub fn limits(&self) -> Limits {
        self.file.limits
    }

    /// The tier reached with this many passes.
    pub fn tier(&self, passes: usize) -> &Tier {
        let tiers = &self.file.tier;
        let reached = tiers.iter().find(|tier| usize::from(tier.passes) <= passes);
        // Validation makes the last tier start at no passes at all, so there always is one.
        reached.unwrap_or(&tiers[tiers.len() - 1])
    }

    /// The tier a mean has reached; the lowest one for anything below it.
    pub fn tier_reached(&self, score: Score) -> Option<&Tier> {
        let tiers = &self.file.tier;
        tiers.iter().find(|tier| tier.score <= score).or(tiers.last())
    }

    /// The tier one below the one with this score; the lowest stays where it is.
    pub fn tier_below(&self, score: Score) -> &Tier {
        let tiers = &self.file.tier;
        tiers.iter().find(|tier| tier.score < score).unwrap_or(&tiers[tiers.len() - 1])
    }

    /// The metric whose key, or a key it had in older reports, is this one.
    pub fn metric_position(&self, key: &str) -> Option<usize> {
        self.metric_keys
            .get_index_of(key)
            .or_else(|| self.file.metric.iter().position(|metric| metric.aliases.iter().any(|alias| alias == key)))
    }

    /// What the AI did when this gate check fails, in words that complete "The AI …"; empty for other checks.
    pub fn gate_says(&self, position: usize) -> &str {
        let id = &self.check(position).id;
        self.file.gate.iter().find_map(|gate| gate.says.get(id)).map_or("", String::as_str)
    }

    /// Whether a failure of this check trips a gate.
    pub fn is_gate_check(&self, position: usize) -> bool {
        self.gates.iter().any(|gate| gate.checks.contains(&position))
    }

    pub(crate) fn check_id(&self, position: usize) -> Arc<str> {
        self.checks.get_index(position).map(|(id, _)| Arc::clone(id)).unwrap_or_default()
    }

    pub(crate) fn metric_key(&self, position: usize) -> Arc<str> {
        self.metric_keys.get_index(position).map(|(key, _)| Arc::clone(key)).unwrap_or_default()
    }

    /// The positions of a metric's checks.
    pub fn checks_of(&self, metric: usize) -> Range<usize> {
        self.metric_keys[metric].clone()
    }

    /// The metric a check belongs to, by position.
    pub fn metric_of(&self, check: usize) -> usize {
        self.checks[check].metric
    }

    pub(crate) fn gates(&self) -> &[ResolvedGate] {
        &self.gates
    }

    pub(crate) fn entailments(&self) -> &[(usize, usize)] {
        &self.entailments
    }

    pub(crate) fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// The rubric as Markdown, for people.
    pub fn to_markdown(&self) -> String {
        render::markdown(self)
    }
}

/// Hashes the content, not the text: comments and layout of the file do not change a rubric's identity.
fn digest(file: &RubricFile) -> String {
    let canonical = serde_json::to_vec(file).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(RUBRIC_SCHEMA.as_bytes());
    hasher.update(&canonical);
    format!("blake3:{}", hasher.finalize().to_hex())
}

#[cfg(test)]
mod tests;
