//! Passing a request of somebody else on: what they sent goes out as it is, and the answer is handed through piece by piece.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Method, Url};

use super::client::{Client, address};
use super::error::from_reqwest;
use super::{Auth, TransportError};

/// An answer whose body is still to be read.
#[derive(Debug)]
pub struct UpstreamResponse {
    response: reqwest::Response,
    host: String,
}

impl UpstreamResponse {
    /// The status.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The headers as they came.
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The next piece of the body; none at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        self.response.chunk().await.map_err(|error| from_reqwest(&error, &self.host))
    }
}

impl Client {
    /// Sends a request as it is, and waits up to `patience` for the head of its answer. Redirects are not followed.
    pub async fn pass(
        &self,
        method: Method,
        url: &str,
        headers: HeaderMap,
        body: Bytes,
        patience: Duration,
    ) -> Result<UpstreamResponse, TransportError> {
        let (url, host): (Url, String) = address(url)?;
        let sent = self.inner.request(method, url).headers(headers).body(body).send();
        match tokio::time::timeout(patience, sent).await {
            Ok(Ok(response)) => Ok(UpstreamResponse { response, host }),
            Ok(Err(error)) => Err(from_reqwest(&error, &host)),
            Err(_) => Err(Self::out_of_time(&host, patience)),
        }
    }

    /// Sends JSON to an address and reads no more of the answer than its status.
    pub async fn post_json(
        &self,
        url: &str,
        auth: &Auth,
        body: String,
        patience: Duration,
    ) -> Result<u16, TransportError> {
        let (_, host) = address(url)?;
        let headers = super::client::headers(&[], auth, &host)?;
        Ok(self.pass(Method::POST, url, headers, body.into(), patience).await?.status())
    }
}
