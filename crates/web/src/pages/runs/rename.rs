//! Giving a run another name, and words to find it by.

use axum::extract::{Form, Path, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_store::{RunKey, StoreError};
use serde::Deserialize;

use crate::api_error::{ApiError, ApiResult};
use crate::state::Shared;

/// The longest name, and the longest list of tags, in bytes.
const LONGEST: usize = 200;

/// What the form sends.
#[derive(Deserialize)]
pub(crate) struct RenameForm {
    name: String,
    #[serde(default)]
    tags: String,
}

/// Takes the name and the tags.
pub(crate) async fn rename(
    State(server): State<Shared>,
    Path(number): Path<i64>,
    Form(sent): Form<RenameForm>,
) -> ApiResult {
    let (name, tags) = (sent.name.trim(), tags(&sent.tags));
    let is_name = !name.is_empty() && name.len() <= LONGEST && !name.chars().any(char::is_control);
    if !is_name || tags.len() > LONGEST || tags.chars().any(char::is_control) {
        let fix = format!("go back; use up to {LONGEST} letters, digits and signs for each");
        return Err(ApiError::bad("This cannot be a run's name or its tags.", fix));
    }
    match server.store.rename_run(RunKey(number), name, &tags).await {
        Ok(()) => Ok(Redirect::to(&format!("/runs/{number}")).into_response()),
        Err(StoreError::NameTaken { .. }) => {
            Err(ApiError::bad("Another run has this name.", "go back and choose another"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Tags as they are stored: each once, by the blanks and commas between them.
fn tags(typed: &str) -> String {
    let mut tags: Vec<&str> = Vec::new();
    for tag in typed.split([' ', ',', '\t']).filter(|tag| !tag.is_empty()) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_kept_once_each() {
        assert_eq!(tags(" nightly, gpt  nightly,,v2 "), "nightly gpt v2");
        assert_eq!(tags(" , "), "");
    }
}
