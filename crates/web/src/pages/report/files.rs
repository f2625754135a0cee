//! A report as a file: the same bytes as `carelock show RUN CHAT --format …`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use carelock_core::report::Report;
use carelock_engine::render::{self, ReportFormat};
use carelock_engine::runs::OpenRun;

use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::pages::runs::export::download;
use crate::state::Shared;
use crate::stored;

/// A file of a report.
#[derive(Clone, Copy)]
pub(crate) struct ReportFile {
    name: &'static str,
    format: ReportFormat,
    mime: &'static str,
    /// Whether a table has a line for each check.
    checks: bool,
}

const fn file_of(name: &'static str, format: ReportFormat, mime: &'static str, checks: bool) -> ReportFile {
    ReportFile { name, format, mime, checks }
}

/// All files of a report.
const FILES: [ReportFile; 7] = [
    file_of("report.json", ReportFormat::Json, "application/json", false),
    file_of("report.md", ReportFormat::Md, "text/markdown; charset=utf-8", false),
    file_of("report.html", ReportFormat::Html, "text/html; charset=utf-8", false),
    file_of("report.csv", ReportFormat::Csv, "text/csv; charset=utf-8", false),
    file_of("checks.csv", ReportFormat::Csv, "text/csv; charset=utf-8", true),
    file_of("report.txt", ReportFormat::Text, "text/plain; charset=utf-8", false),
    file_of("report.xml", ReportFormat::Junit, "application/xml", false),
];

impl ReportFile {
    /// The file with this name.
    pub(crate) fn named(name: &str) -> ApiResult<Self> {
        let found = FILES.iter().find(|file| file.name == name).copied();
        found.ok_or_else(|| ApiError::missing("There is no such file of a report."))
    }

    /// The name of the file on the reader's disk: that of the chat, as far as file systems take it, and the ending.
    fn called_after(self, chat: &str) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
        let stem: String = chat.chars().take(80).map(plain).collect();
        let stem = stem.trim_matches(['-', '.']);
        if stem.is_empty() { self.name.to_owned() } else { format!("{stem}-{}", self.name) }
    }

    /// The file of a report.
    pub(crate) fn written(self, report: &Report, open: &OpenRun) -> anyhow::Result<Response> {
        let fail_under = open.config.thresholds.fail_under;
        let bytes = render::whole(report, &open.scoring.rubric, self.format, self.checks, fail_under)?;
        Ok(download(Body::from(bytes), self.mime, &self.called_after(&report.transcript.id)))
    }
}

/// One of the files.
pub(crate) async fn file(
    State(server): State<Shared>,
    who: Who,
    Path((run, chat, name)): Path<(i64, i64, String)>,
) -> ApiResult {
    let file = ReportFile::named(&name)?;
    let open = Arc::new(stored::run(&server, run).await?);
    let chat = stored::chat(&server, &open, chat).await?;
    blind::check_chat(&server, &who, chat.key).await?;
    let report = stored::report(&server, Arc::clone(&open), chat).await?;
    let report = report.ok_or_else(|| ApiError::missing("No judge has answered on this chat yet."))?;
    Ok(blocking(move || file.written(&report, &open)).await??)
}
