//! What a report says about the judge: model, parameters, tokens, cost.

use carelock_core::verdict::JudgeInfo;
use serde_json::{Map, Value, json};

use super::exchange::Tally;
use super::{AskOptions, Judge};
use crate::prompt::Prompt;
use crate::provider::Resolved;

/// Parameters that are settled before anything is asked.
pub(super) fn parameters(resolved: &Resolved, options: &AskOptions) -> Map<String, Value> {
    let mut parameters = Map::new();
    parameters.insert("model".to_owned(), json!(resolved.model.id));
    if resolved.model.temperature {
        parameters.insert("temperature".to_owned(), json!(0));
    }
    parameters.insert("second_look".to_owned(), json!(options.second_look));
    parameters
}

pub(super) fn judge<T>(judge: &Judge<T>, tally: &Tally) -> JudgeInfo {
    let mut info = JudgeInfo::named(judge.spec.to_string());
    info.model = Some(tally.model.clone().unwrap_or_else(|| judge.resolved.model.id.clone()));
    info.parameters = parameters(&judge.resolved, &judge.options);
    let mechanism = tally.mechanism.unwrap_or(judge.resolved.model.structured).name();
    info.parameters.insert("structured_output".to_owned(), json!(mechanism));
    info.parameters.insert("prompt".to_owned(), json!(Prompt::digest()));
    if let Some(fingerprint) = &tally.fingerprint {
        info.parameters.insert("fingerprint".to_owned(), json!(fingerprint));
    }
    if tally.repaired {
        info.parameters.insert("repaired_json".to_owned(), json!(true));
    }
    if !tally.notes.is_empty() {
        info.parameters.insert("notes".to_owned(), json!(tally.notes));
    }
    info.tokens = Some(tally.spent.tokens);
    info.cost = judge.resolved.model.price.as_ref().and_then(|_| tally.spent.cost.to_number());
    info.cached = Some(false);
    info
}
