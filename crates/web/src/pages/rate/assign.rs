//! Giving the chats of a run to several raters, so that each chat is rated by as many of them as wanted.

use axum::extract::{Form, Path, State};
use axum::response::{IntoResponse as _, Redirect};
use carelock_store::RunKey;
use serde::Deserialize;

use super::{LONGEST, queues::whole_number};
use crate::api_error::{ApiError, ApiResult};
use crate::rating::order::share_out;
use crate::state::Shared;

/// Raters of one form; more than that is a list pasted by mistake.
const MOST: usize = 100;

/// The form.
#[derive(Deserialize)]
pub(crate) struct AssignForm {
    raters: String,
    overlap: String,
    #[serde(default)]
    number: String,
    #[serde(default)]
    seed: String,
}

/// Fills the queues.
pub(crate) async fn assign(
    State(server): State<Shared>,
    Path(run): Path<i64>,
    Form(sent): Form<AssignForm>,
) -> ApiResult {
    let run = server.store.run_numbered(RunKey(run)).await?;
    let raters = names(&sent.raters)?;
    let overlap = usize::try_from(whole_number(&sent.overlap, "number of raters of a chat")?).unwrap_or(usize::MAX);
    if overlap == 0 || overlap > raters.len() {
        let fix = "let each chat be rated by at least one and at most all of the raters named";
        return Err(ApiError::bad("A chat cannot have so many raters.", fix));
    }
    let most = match sent.number.trim() {
        "" => None,
        number => Some(usize::try_from(whole_number(number, "number of chats")?).unwrap_or(usize::MAX)),
    };
    let seed = if sent.seed.trim().is_empty() { 0 } else { whole_number(&sent.seed, "seed")? };
    let chats = server.store.chat_keys(run.key).await?;
    for (rater, chats) in share_out(&chats, most, seed, &raters, overlap) {
        server.store.queue_ratings(run.key, &rater, &chats).await?;
    }
    Ok(Redirect::to(&format!("/rate/{}/progress?said=assigned", run.key.0)).into_response())
}

/// The names in a field, one a line or with commas between them, each once.
fn names(typed: &str) -> ApiResult<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for name in typed.split(['\n', '\r', ',']).map(str::trim).filter(|name| !name.is_empty()) {
        if name.len() > LONGEST || name.chars().any(char::is_control) {
            let fix = format!("use up to {LONGEST} letters, digits and signs for each");
            return Err(ApiError::bad("One of the names cannot be a rater's.", fix));
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    match names.len() {
        0 => Err(ApiError::bad("No rater is named.", "write a name a line")),
        number if number > MOST => Err(ApiError::bad("These are too many raters.", format!("name up to {MOST}"))),
        _ => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_on_lines_or_between_commas_and_count_once() {
        assert_eq!(names("ana\r\nben, cara,\n ana ").expect("names"), ["ana", "ben", "cara"]);
        assert!(names(" , \n").is_err() && names("a\u{7}b").is_err() && names(&"x".repeat(101)).is_err());
    }
}
