//! Downloads of whole runs: the same bytes as `carelock export`, sent as they are made.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use carelock_engine::destination::Flushed;
use carelock_engine::export::{ExportFormat, Kind, TableName, write};
use carelock_engine::runs::Database;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::query::FilterForm;
use crate::api_error::{ApiError, ApiResult};
use crate::blind;
use crate::middleware::access::Who;
use crate::state::Shared;
use crate::stored;

/// How many runs are sent at once; each keeps a thread busy.
pub(crate) const AT_ONCE: usize = 4;
/// How long a client may take over what it was sent before it is given up.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes in one piece of an answer.
const PIECE: usize = 64 << 10;

/// All files of a run: name, format, table, type.
const FILES: [(&str, ExportFormat, Option<TableName>, &str); 7] = [
    ("reports.jsonl", ExportFormat::Jsonl, None, "application/jsonl"),
    ("chats.csv", ExportFormat::Csv, None, "text/csv; charset=utf-8"),
    ("checks.csv", ExportFormat::Csv, Some(TableName::Checks), "text/csv; charset=utf-8"),
    ("reports.md", ExportFormat::Md, None, "text/markdown; charset=utf-8"),
    ("reports.html", ExportFormat::Html, None, "text/html; charset=utf-8"),
    ("junit.xml", ExportFormat::Junit, None, "application/xml"),
    ("chats.parquet", ExportFormat::Parquet, None, "application/vnd.apache.parquet"),
];

/// One of the files, of the chats that the address lets through.
pub(crate) async fn file(
    State(server): State<Shared>,
    who: Who,
    Path((number, name)): Path<(i64, String)>,
    Query(asked): Query<FilterForm>,
) -> ApiResult {
    let found = FILES.iter().find(|(known, ..)| *known == name);
    let &(name, format, table, mime) = found.ok_or_else(|| ApiError::missing("There is no such file of a run."))?;
    let open = stored::run(&server, number).await?;
    blind::check_run(&server, &who, open.run.key).await?;
    // The order of the chats, whatever the list shows: files are the same as on the command line.
    let asked = FilterForm { sort: String::new(), order: String::new(), judge: String::new(), ..asked.first_page() };
    let filter = asked.filter(open.run.key)?;
    let permit = Arc::clone(&server.exports).try_acquire_owned().map_err(|_| {
        let what = "Too many runs are being downloaded at once.";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, what, "try again when the others are done")
    })?;
    let (sender, receiver) = mpsc::channel(4);
    let (store, handle) = (server.store.clone(), Handle::current());
    tokio::task::spawn_blocking(move || {
        let pipe = Pipe { sender: sender.clone(), handle: handle.clone(), held: Vec::with_capacity(PIECE) };
        let database = Database::of_server(store, handle.clone());
        let kind = Kind { format, table };
        if let Err(error) = write(&database, open, kind, filter, Box::new(Flushed(pipe))) {
            // The answer has begun, so its end is cut off: nobody takes it for whole.
            let _ = handle.block_on(sender.send(Err(io::Error::other(error))));
        }
        drop(permit);
    });
    Ok(download(Body::from_stream(pieces(receiver)), mime, name))
}

fn pieces(
    receiver: mpsc::Receiver<io::Result<Bytes>>,
) -> impl futures_util::Stream<Item = io::Result<Bytes>> + Send + 'static {
    futures_util::stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver)))
}

/// An answer that browsers keep as a file.
pub(crate) fn download(body: Body, mime: &'static str, name: &str) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(mime));
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// What is written goes to the client, piece by piece.
struct Pipe {
    sender: mpsc::Sender<io::Result<Bytes>>,
    handle: Handle,
    held: Vec<u8>,
}

impl Pipe {
    fn send(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::replace(&mut self.held, Vec::with_capacity(PIECE)));
        let sent = self.handle.block_on(tokio::time::timeout(PATIENCE, self.sender.send(Ok(piece))));
        match sent {
            Ok(Ok(())) => Ok(()),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PIECE {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()
    }
}
