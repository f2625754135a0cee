//! A run as JSON.

use carelock_core::score::Score;
use carelock_store::{ListedResult, METRICS, Sum};
use serde_json::{Map, Value, json};

use super::Shown;
use crate::runs::{StoredReport, moment};

/// One object: the numbers of the run, and the chats listed.
pub fn object(shown: &Shown) -> Value {
    let Shown { open, overview, .. } = shown;
    let rubric = &open.scoring.rubric;
    let metrics = |sums: [Sum; METRICS]| -> Map<String, Value> {
        let keys = rubric.metrics().iter().map(|metric| metric.key.clone());
        keys.zip(sums).map(|(key, sum)| (key, json!(sum.mean()))).collect()
    };
    let groups = overview.groups.iter().map(|group| {
        json!({
            "group": group.group,
            "chats": group.results,
            "mean_overall": group.overall.mean(),
            "gated": group.gated,
            "unscored": group.unscored,
            "metrics": metrics(group.metrics),
        })
    });
    let chats: Vec<Value> = shown.listed.iter().map(chat).collect();
    json!({
        "schema": "carelock/run/1",
        "number": open.run.key.0,
        "name": open.run.name,
        "created": moment(open.run.created),
        "state": overview.state(),
        "chats": open.run.chats,
        "done": overview.results(),
        "failed": overview.progress.failed,
        "judges": overview.judges,
        "gate_policy": open.config.gate_policy,
        "weights": open.config.weights,
        "rubric": { "name": rubric.name(), "version": rubric.version(), "hash": rubric.digest() },
        "mean_overall": overview.overall().mean(),
        "gated": overview.gated(),
        "unscored": overview.unscored(),
        "cost_usd": overview.cost().to_number(),
        "tiers": tiers(shown),
        "metrics": metrics(overview.metrics()),
        "groups": groups.collect::<Vec<_>>(),
        "matching": shown.matching,
        "listed": chats,
    })
}

/// Chats by tier, in the rubric's order.
fn tiers(shown: &Shown) -> Map<String, Value> {
    let tiers = shown.open.scoring.rubric.file().tier.iter();
    tiers.map(|tier| (tier.label.clone(), json!(shown.tier_count(Some(&tier.label))))).collect()
}

fn chat(stored: &StoredReport) -> Value {
    let mut object = listed(&stored.listed);
    object["verdict"] = json!(stored.report.summary);
    object
}

/// A chat's result without its report.
pub fn listed(result: &ListedResult) -> Value {
    json!({
        "number": result.chat.0,
        "id": result.name,
        "group": result.group,
        "origin": result.origin,
        "overall": result.scores.overall.and_then(Score::from_hundredths),
        "tier": result.scores.tier,
        "gates": result.scores.gates,
        "unscored": result.scores.unscored,
    })
}
