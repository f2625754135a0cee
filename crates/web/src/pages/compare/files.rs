//! A comparison as a file: the same bytes as `carelock compare … --format …`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use carelock_core::report::TextStyle;
use carelock_engine::comparison::{csv, html, markdown, text};
use carelock_engine::figures::{self, FigureFormat};
use carelock_store::RunKey;

use super::query::CompareQuery;
use super::{Compared, compared};
use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::pages::runs::export::download;
use crate::state::Shared;

/// All files of a comparison: name, format, type.
const FILES: [(&str, FigureFormat, &str); 5] = [
    ("comparison.html", FigureFormat::Html, "text/html; charset=utf-8"),
    ("comparison.json", FigureFormat::Json, "application/json"),
    ("comparison.csv", FigureFormat::Csv, "text/csv; charset=utf-8"),
    ("comparison.md", FigureFormat::Md, "text/markdown; charset=utf-8"),
    ("comparison.txt", FigureFormat::Text, "text/plain; charset=utf-8"),
];

/// One of the files.
pub(crate) async fn file(
    State(server): State<Shared>,
    who: Who,
    Path(name): Path<String>,
    Query(fields): Query<Vec<(String, String)>>,
) -> ApiResult {
    let found = FILES.iter().find(|(known, ..)| *known == name);
    let &(name, format, mime) = found.ok_or_else(|| ApiError::missing("There is no such file of a comparison."))?;
    let CompareQuery::For(sides) = CompareQuery::new(&fields, &[])? else {
        return Err(ApiError::bad("It is not said which runs are compared.", "name them with ?a=1&b=2"));
    };
    for &run in sides.runs() {
        blind::check_run(&server, &who, RunKey(run)).await?;
    }
    let found = compared(&server, &sides).await?;
    let written = blocking(move || written(&found, format)).await??;
    Ok(download(Body::from(written), mime, name))
}

fn written(found: &Arc<Compared>, format: FigureFormat) -> anyhow::Result<String> {
    let Compared { comparison, rubric } = &**found;
    Ok(match format {
        FigureFormat::Text => text(comparison, TextStyle::default()),
        FigureFormat::Md => markdown(comparison),
        FigureFormat::Csv => csv(comparison),
        FigureFormat::Json => figures::json(comparison)?,
        FigureFormat::Html => html(comparison, rubric)?,
    })
}
