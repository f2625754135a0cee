//! The rubric, its schemas, and the judges.

use axum::extract::{Path, State};
use axum::response::Response;
use carelock_core::report::{report_schema, rubric_schema, verdicts_schema};
use carelock_engine::judging::listing_json;
use carelock_engine::rubric_file::rubric_json;
use serde_json::json;

use super::json_text;
use super::table::{Gives, Operation};
use crate::api_error::{ApiError, ApiResult};
use crate::state::Shared;

pub(super) const RUBRIC: Operation = Operation {
    gives: Gives::Json("Rubric"),
    ..Operation::reading("/api/v1/rubric", "rubric", "The rubric, as `carelock rubric --format json` prints it.")
};

pub(super) const SCHEMAS: Operation = Operation {
    gives: Gives::Json("SchemaList"),
    ..Operation::reading("/api/v1/schemas", "schemas", "The names of the JSON Schemas.")
};

pub(super) const SCHEMA: Operation =
    Operation::reading("/api/v1/schemas/{name}", "schema", "A JSON Schema, as `carelock schema NAME` prints it.");

pub(super) const JUDGES: Operation = Operation {
    gives: Gives::Json("JudgeList"),
    ..Operation::reading(
        "/api/v1/judges",
        "judges",
        "The judges there are and whether they can be asked, as `carelock judges --json` prints it.",
    )
};

/// The names of the schemas.
const NAMES: [&str; 3] = ["report", "verdicts", "rubric"];

/// The rubric.
pub(super) async fn rubric(State(server): State<Shared>) -> ApiResult<Response> {
    Ok(json_text(rubric_json(&server.rubric)?))
}

/// All schemas.
pub(super) async fn schemas() -> ApiResult<Response> {
    let one = |name: &str| json!({ "name": name, "url": format!("/api/v1/schemas/{name}") });
    let list = json!({ "schema": "carelock/schemas/1", "schemas": NAMES.map(one) });
    Ok(json_text(format!("{list:#}\n")))
}

/// One schema.
pub(super) async fn schema(State(server): State<Shared>, Path(name): Path<String>) -> ApiResult<Response> {
    let schema = match name.as_str() {
        "report" => report_schema(&server.rubric),
        "verdicts" => verdicts_schema(&server.rubric),
        "rubric" => rubric_schema(),
        _ => return Err(ApiError::missing("There is no schema of this name.")),
    };
    Ok(json_text(format!("{schema:#}\n")))
}

/// The judges. Keys are not in it, only whether there are any.
pub(super) async fn judges(State(server): State<Shared>) -> ApiResult<Response> {
    Ok(json_text(format!("{:#}\n", listing_json(&server.config))))
}
