//! Style sheets and scripts, inside the program.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};

use super::api_error::{ApiError, ApiResult};

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All files, by name.
const FILES: &[(&str, &str, &str)] = &[
    ("report.css", CSS, carelock_page::STYLE_SHEET),
    ("app.css", CSS, include_str!("../assets/app.css")),
    ("app.js", SCRIPT, include_str!("../assets/app.js")),
    ("runs.css", CSS, include_str!("../assets/runs.css")),
    ("runs.js", SCRIPT, include_str!("../assets/runs.js")),
    ("report.js", SCRIPT, include_str!("../assets/report.js")),
    ("judge.js", SCRIPT, include_str!("../assets/judge.js")),
    ("progress.js", SCRIPT, include_str!("../assets/progress.js")),
    ("login.js", SCRIPT, include_str!("../assets/login.js")),
    ("rate.css", CSS, include_str!("../assets/rate.css")),
    ("rate.js", SCRIPT, include_str!("../assets/rate.js")),
    ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

/// What changes with any of the files; part of their addresses, so that browsers may keep them for good.
pub(crate) static EDITION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    FILES.iter().for_each(|(_, _, text)| {
        hasher.update(text.as_bytes());
    });
    hasher.finalize().to_hex()[..12].to_owned()
});

/// One of the files.
pub(crate) async fn file(Path((_edition, name)): Path<(String, String)>) -> ApiResult<Response> {
    let found = FILES.iter().find(|(known, _, _)| *known == name);
    let (_, kind, text) = found.ok_or_else(|| ApiError::missing("There is no such file."))?;
    let headers = [(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, *text).into_response())
}
