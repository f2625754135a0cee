//! The judges that can be asked through the server: the embedded one, and those its settings know. Never an address that
//! comes with a request, which would let a client have this machine call any other.

use carelock_engine::config::Config;
use carelock_engine::judging::JudgeKind;
use carelock_judge::provider::JudgeSpec;

use super::api_error::{ApiError, ApiResult};

/// The most judges on one chat.
pub(crate) const MOST: usize = 8;

/// The judges of these names; the embedded one where none is named.
pub(crate) fn kinds(config: &Config, names: &[String]) -> ApiResult<Vec<JudgeKind>> {
    if names.len() > MOST {
        return Err(ApiError::bad(format!("{} judges are named.", names.len()), format!("name at most {MOST}")));
    }
    let mut kinds: Vec<JudgeKind> = Vec::new();
    for name in names {
        let kind = JudgeKind::parse(name).ok().filter(|kind| is_known(config, kind));
        let Some(kind) = kind else {
            let fix = "name builtin, a model that GET /api/v1/judges lists, or a judge of the server's settings";
            return Err(ApiError::bad("There is no such judge on this server.", fix));
        };
        if kinds.contains(&kind) {
            return Err(ApiError::bad("A judge is named twice.", "name each judge once"));
        }
        kinds.push(kind);
    }
    if kinds.is_empty() {
        kinds.push(JudgeKind::Embedded);
    }
    Ok(kinds)
}

/// Whether whoever runs the server has allowed this judge: in the settings, or among the models of the table.
fn is_known(config: &Config, kind: &JudgeKind) -> bool {
    let Some(model) = kind.model() else { return true };
    let set = config.settings().judging.judges.iter().chain(&config.settings().judging.fallback);
    let is_set = set.filter_map(|name| JudgeKind::parse(name).ok()).any(|own| own.model() == Some(model));
    is_set || is_listed(config, model)
}

fn is_listed(config: &Config, model: &JudgeSpec) -> bool {
    model.provider().is_some_and(|provider| config.table().models(provider).any(|known| known.id == model.model()))
}
