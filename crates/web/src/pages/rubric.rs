//! The rubric: what is looked at, in the words judges and raters are given.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use carelock_core::rubric::Rubric;

use crate::api_error::ApiResult;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;

#[derive(Template)]
#[template(path = "rubric.html")]
struct RubricPage {
    frame: Frame,
    rubric: Arc<Rubric>,
}

impl RubricPage {
    fn is_gate(&self, check: &str) -> bool {
        self.rubric.position(check).is_some_and(|at| self.rubric.is_gate_check(at))
    }

    fn says(&self, check: &str) -> &str {
        self.rubric.position(check).map_or("", |at| self.rubric.gate_says(at))
    }
}

/// The page.
pub(crate) async fn page(State(server): State<Shared>, who: Who) -> ApiResult {
    html(&RubricPage { frame: Frame::new("Rubric", Section::Other, &who), rubric: Arc::clone(&server.rubric) })
}
