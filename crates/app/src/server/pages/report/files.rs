//! A report as a file: the same bytes as `carelock show RUN CHAT --format …`.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::blind;
use crate::cli::ReportFormat;
use crate::command::render;
use crate::server::guard::access::Who;
use crate::server::pages::runs::export::download;
use crate::server::refusal::{Answer, Refusal};
use crate::server::state::Shared;
use crate::server::stored;

/// All files of a report: name, format, type.
const FILES: [(&str, ReportFormat, &str); 6] = [
    ("report.json", ReportFormat::Json, "application/json"),
    ("report.md", ReportFormat::Md, "text/markdown; charset=utf-8"),
    ("report.html", ReportFormat::Html, "text/html; charset=utf-8"),
    ("report.csv", ReportFormat::Csv, "text/csv; charset=utf-8"),
    ("report.txt", ReportFormat::Text, "text/plain; charset=utf-8"),
    ("report.xml", ReportFormat::Junit, "application/xml"),
];

/// One of the files.
pub(crate) async fn file(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path((run, chat, name)): Path<(i64, i64, String)>,
) -> Answer {
    let found = FILES.iter().find(|(known, ..)| *known == name);
    let &(name, format, mime) = found.ok_or_else(|| Refusal::missing("There is no such file of a report."))?;
    let open = Arc::new(stored::run(&server, run).await?);
    let chat = stored::chat(&server, &open, chat).await?;
    if blind::is_blind(&server, &who, chat.key).await? {
        let what = "You are to rate this chat yourself first.";
        return Err(Refusal::new(StatusCode::FORBIDDEN, what, "finish your rating under Rate, then come back"));
    }
    let report = stored::report(&server, Arc::clone(&open), chat).await?;
    let report = report.ok_or_else(|| Refusal::missing("No judge has answered on this chat yet."))?;
    let fail_under = open.config.thresholds.fail_under;
    let bytes = stored::blocking(move || render::whole(&report, &open.scoring.rubric, format, fail_under)).await??;
    Ok(download(Body::from(bytes), mime, name))
}
