//! Sending a part so that it is sent once.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use super::part::ENDPOINT;
use super::requests::Page;
use super::{BatchError, Job, Part, PartKey, RemoteId};
use crate::http::{HttpRequest, Method};
use crate::provider::Wire;

/// How often a batch is opened before the provider is left alone.
const TRIES: u32 = 3;
/// The slowest upload that is waited for, in bytes a second.
const SLOWEST_UPLOAD: u64 = 64 << 10;
/// The most pages of a list that are read.
pub(super) const MOST_PAGES: usize = 50;

/// A file in OpenAI's words.
#[derive(Deserialize)]
struct File {
    id: String,
    #[serde(default)]
    filename: String,
}

impl Job {
    /// Sends a part; the name of its batch is to be stored at once.
    ///
    /// Where nobody knows whether the provider took it (the connection broke, or it answered with an error of its own),
    /// it is looked for before it is sent again. For a part that an earlier process may have sent, call
    /// [`Job::recover`] first.
    pub async fn submit(&self, part: &Part) -> Result<RemoteId, BatchError> {
        let request = match self.wire() {
            Wire::OpenAiChat => {
                let file = self.upload(part).await?;
                let body = json!({
                    "input_file_id": file.as_str(),
                    "endpoint": ENDPOINT,
                    "completion_window": "24h",
                    "metadata": { "carelock": part.key.as_str() },
                });
                let opened = self.open(part, self.opening(Bytes::from(body.to_string()))).await;
                if matches!(opened, Err(BatchError::Misconfigured { .. } | BatchError::Invalid { .. })) {
                    // The file holds chats, and no batch will ever use it. The error that matters is the first one.
                    let _ = self.delete(self.file_url(&file)).await;
                }
                return opened;
            }
            Wire::AnthropicMessages => {
                HttpRequest { patience: upload_time(part), ..self.opening(part.payload.clone()) }
            }
        };
        self.open(part, request).await
    }

    fn opening(&self, body: Bytes) -> HttpRequest {
        HttpRequest { body, repeatable: false, ..self.request(Method::POST, self.batches_url()) }
    }

    /// Opens a batch, looking for it wherever it is not known whether it was opened.
    async fn open(&self, part: &Part, request: HttpRequest) -> Result<RemoteId, BatchError> {
        let begun = (self.clock)();
        let mut pause = self.options.first_pause;
        for _ in 1..TRIES {
            match self.batch(&request, None).await {
                Ok(progress) => return Ok(self.opened(progress.id)),
                Err(BatchError::Unavailable { .. }) if self.lane.closed().is_none() => {}
                Err(error) => return Err(error),
            }
            // A list may not show at once what was just made.
            self.pause(pause).await?;
            if let Some(id) = self.look(&part.key, &part.ids, begun).await?.id() {
                return Ok(self.opened(id.clone()));
            }
            pause = pause.saturating_mul(2).min(self.options.longest_pause);
        }
        self.batch(&request, None).await.map(|progress| self.opened(progress.id))
    }

    fn opened(&self, id: RemoteId) -> RemoteId {
        self.knows([id.clone()]);
        id
    }

    /// Uploads a part to OpenAI; a file that was uploaded twice is deleted once.
    async fn upload(&self, part: &Part) -> Result<RemoteId, BatchError> {
        let boundary = part.key.as_str();
        let mut request = self.request(Method::POST, self.files_url());
        request.headers.retain(|(name, _)| *name != "content-type");
        request.headers.push(("content-type", format!("multipart/form-data; boundary={boundary}")));
        request.body = form(boundary, &file_name(&part.key), &part.payload);
        request.patience = upload_time(part);
        let (file, stats) = self.json::<File>(&request, None).await?;
        let unusable =
            |_| BatchError::Invalid { what: "the provider gave a file a name that cannot be used".to_owned() };
        let file = RemoteId::parse(&file.id).map_err(unusable)?;
        if stats.attempts > 1 {
            // The part itself is safe; a stray copy that cannot be deleted now is no reason not to go on.
            let _ = self.sweep(&part.key, Some(&file)).await;
        }
        Ok(file)
    }

    /// Deletes uploads of a part at OpenAI that no batch uses.
    pub(super) async fn sweep(&self, key: &PartKey, keep: Option<&RemoteId>) -> Result<(), BatchError> {
        let name = file_name(key);
        let mut after = String::new();
        for _ in 0..MOST_PAGES {
            let url = format!("{}?purpose=batch&order=desc&limit=100{after}", self.files_url());
            let (page, _) = self.json::<Page<File>>(&self.request(Method::GET, url), None).await?;
            let last = page.data.last().and_then(|file| RemoteId::parse(&file.id).ok());
            let strays = page.data.iter().filter(|file| file.filename == name);
            for stray in strays.filter_map(|file| RemoteId::parse(&file.id).ok()).filter(|id| Some(id) != keep) {
                self.delete(self.file_url(&stray)).await?;
            }
            match last.filter(|_| page.has_more) {
                Some(last) => after = format!("&after={last}"),
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

fn upload_time(part: &Part) -> Duration {
    Duration::from_secs(part.bytes() as u64 / SLOWEST_UPLOAD)
}

fn file_name(key: &PartKey) -> String {
    format!("{key}.jsonl")
}

/// A form with one file. The boundary is a digest, so that no chat can hold it.
fn form(boundary: &str, file_name: &str, payload: &[u8]) -> Bytes {
    let head = format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
         --{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{file_name}\"\r\n\
         content-type: application/jsonl\r\n\r\n"
    );
    let tail = format!("\r\n--{boundary}--\r\n");
    let mut body = Vec::with_capacity(head.len() + payload.len() + tail.len());
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(payload);
    body.extend_from_slice(tail.as_bytes());
    Bytes::from(body)
}
