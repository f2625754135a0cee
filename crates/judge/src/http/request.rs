//! HTTP requests around a batch: what is fetched, sent and deleted beside questions to a model, whole or line by line.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::timeout;

use super::caller::{Answer, Attempt, CallStats, Caller, Terms};
use super::client::{address, check_encoding, headers};
use super::error::from_reqwest;
use super::{Auth, Client, Lane, Method, TransportError};
use crate::outcome::Outcome;
use crate::wire::Response;

/// One request. Keys are added by the HTTP layer, never here.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// What is done.
    pub method: Method,
    /// The full address.
    pub url: String,
    /// Headers without the key.
    pub headers: Vec<(&'static str, String)>,
    /// What is sent; copies share it.
    pub body: Bytes,
    /// How much longer than a question it may take, because it carries or fetches a large file.
    pub patience: Duration,
    /// Whether it does no harm to send it again when nobody knows whether it arrived.
    pub repeatable: bool,
}

/// A line of a file as it comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'file> {
    /// A whole line, without its end.
    Whole(&'file [u8]),
    /// The file's last line, without an end: all of it, or cut off.
    Last(&'file [u8]),
    /// A line larger than any response may be; it was not kept.
    TooLong,
}

/// Whoever reads a file line by line.
pub trait LineReader: Send {
    /// The file is read from its beginning; it may be for a second time.
    fn begin(&mut self);

    /// Takes a line; false if it makes no sense.
    fn line(&mut self, line: Line<'_>) -> bool;
}

impl Client {
    fn prepare(&self, request: &HttpRequest, auth: &Auth) -> Result<(reqwest::RequestBuilder, String), TransportError> {
        let (url, host) = address(&request.url)?;
        let call = self.inner.request(request.method.clone(), url);
        let call = call.headers(headers(&request.headers, auth, &host)?);
        Ok((if request.body.is_empty() { call } else { call.body(request.body.clone()) }, host))
    }

    async fn read_lines(
        &self,
        response: &mut reqwest::Response,
        host: &str,
        auth: &Auth,
        reader: &mut dyn LineReader,
    ) -> Result<(), TransportError> {
        check_encoding(response, host)?;
        let mut rest = Rest { kept: Vec::new(), skipping: false, limit: self.max_response_bytes };
        loop {
            // Only silence counts against the time: a large file may take long as long as it keeps coming.
            let chunk = timeout(self.call_timeout, response.chunk()).await;
            let chunk = chunk.map_err(|_| Self::out_of_time(host, self.call_timeout))?;
            let Some(chunk) = chunk.map_err(|error| from_reqwest(&error, host))? else { break };
            rest.take(&chunk, auth, reader);
        }
        if rest.end(auth, reader) {
            return Ok(());
        }
        Err(TransportError::broken(host, "the file ends in the middle of a line"))
    }

    /// Makes a request and reads the response whole.
    async fn request(&self, request: &HttpRequest, auth: &Auth) -> Result<Response, TransportError> {
        let (call, host) = self.prepare(request, auth)?;
        let limit = self.call_timeout.saturating_add(request.patience);
        match timeout(limit, self.exchange(call, &host, auth)).await {
            Ok(result) => result,
            Err(_) => Err(Self::out_of_time(&host, limit)),
        }
    }

    /// Makes a request and hands the lines of a successful response over as they come; its body stays empty then.
    async fn lines(
        &self,
        request: &HttpRequest,
        auth: &Auth,
        reader: &mut dyn LineReader,
    ) -> Result<Response, TransportError> {
        let (call, host) = self.prepare(request, auth)?;
        let opened = timeout(self.call_timeout, self.open(call, &host, auth)).await;
        let (mut head, mut response) = opened.map_err(|_| Self::out_of_time(&host, self.call_timeout))??;
        if head.status >= 400 {
            let body = timeout(self.call_timeout, self.read_body(&mut response, &host)).await;
            head.body = auth.scrub_bytes(body.ok().and_then(Result::ok).unwrap_or_default());
            return Ok(head);
        }
        reader.begin();
        self.read_lines(&mut response, &host, auth, reader).await?;
        Ok(head)
    }
}

/// What has come of a line whose end has not.
struct Rest {
    kept: Vec<u8>,
    skipping: bool,
    limit: usize,
}

impl Rest {
    fn take(&mut self, chunk: &[u8], auth: &Auth, reader: &mut dyn LineReader) {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |text| (text, true));
            if self.kept.len() + text.len() > self.limit {
                self.kept = Vec::new();
                self.skipping = true;
            }
            if !self.skipping {
                self.kept.extend_from_slice(text);
            }
            if ends {
                let line = auth.scrub_bytes(std::mem::take(&mut self.kept));
                reader.line(if self.skipping { Line::TooLong } else { Line::Whole(&line) });
                self.skipping = false;
            }
        }
    }

    /// Whether the file came to a sensible end.
    fn end(self, auth: &Auth, reader: &mut dyn LineReader) -> bool {
        if self.skipping {
            // Reading it again would not make it shorter.
            reader.line(Line::TooLong);
            return true;
        }
        self.kept.trim_ascii().is_empty() || reader.line(Line::Last(&auth.scrub_bytes(self.kept)))
    }
}

/// A request whose response is read whole, or line by line where somebody reads lines.
struct Fetch<'call> {
    client: &'call Client,
    request: &'call HttpRequest,
    reader: Option<&'call mut dyn LineReader>,
}

impl Attempt for Fetch<'_> {
    async fn send(&mut self, auth: &Auth) -> Result<Response, TransportError> {
        match &mut self.reader {
            Some(reader) => self.client.lines(self.request, auth, &mut **reader).await,
            None => self.client.request(self.request, auth).await,
        }
    }

    fn terms(&self, _: &Lane) -> Terms {
        let HttpRequest { patience, repeatable, .. } = *self.request;
        Terms { tokens: 0, patience, gives_up: false, repeatable }
    }
}

impl Caller<Client> {
    /// Makes a request and tries again where that can help and does no harm.
    pub async fn request<R: Into<Answer>>(
        &self,
        lane: &Lane,
        request: &HttpRequest,
        classify: impl Fn(&Response) -> R,
    ) -> (Outcome, CallStats) {
        self.run(lane, Fetch { client: &self.transport, request, reader: None }, classify).await
    }

    /// Fetches a file line by line; a file that breaks off is read again from its beginning.
    pub async fn lines<R: Into<Answer>>(
        &self,
        lane: &Lane,
        request: &HttpRequest,
        reader: &mut dyn LineReader,
        classify: impl Fn(&Response) -> R,
    ) -> (Outcome, CallStats) {
        self.run(lane, Fetch { client: &self.transport, request, reader: Some(reader) }, classify).await
    }
}
