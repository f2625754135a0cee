//! One call: a request goes out, a response comes back whole and in time, or an error says why not.

use std::future::Future;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, ClientBuilder, Proxy, RequestBuilder, Url, redirect, retry};

use super::error::{End, from_reqwest};
use super::{Auth, Functions, Secret, TransportError};
use crate::wire::{Request, Response};

/// What can be set about all calls of a client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The longest that connecting may take, names looked up and TLS agreed on.
    pub connect_timeout: Duration,
    /// The longest that one call may take, from connecting to the last byte.
    pub call_timeout: Duration,
    /// The largest response that is read.
    pub max_response_bytes: usize,
    /// How we introduce ourselves.
    pub user_agent: String,
    /// Authorities to trust besides those of the system, as PEM; one entry may hold several.
    pub extra_roots: Vec<Vec<u8>>,
    /// A proxy for everything but this machine. It is secret because its address may hold a password. Nothing is read
    /// from the environment here.
    pub proxy: Option<Secret>,
    /// Whether connections are kept for the next call. A request that is not sent twice must not meet a connection that
    /// the server is about to close.
    pub keeps_connections: bool,
    /// Functions that answer in place of a server.
    pub functions: Functions,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_secs(300),
            max_response_bytes: 8 << 20,
            user_agent: concat!("carelock/", env!("CARGO_PKG_VERSION")).to_owned(),
            extra_roots: Vec::new(),
            proxy: None,
            keeps_connections: true,
            functions: Functions::default(),
        }
    }
}

/// Whatever can carry one request to a model: the [`Client`], or a script in tests.
pub trait Transport: Sync {
    /// Sends one request and reads the response whole.
    fn send(&self, request: &Request, auth: &Auth) -> impl Future<Output = Result<Response, TransportError>> + Send;
}

/// The HTTP client. Copies share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    pub(super) inner: reqwest::Client,
    pub(super) call_timeout: Duration,
    pub(super) max_response_bytes: usize,
    functions: Functions,
}

impl Client {
    /// Sets up a client; no connection is made yet.
    pub fn new(options: &ClientOptions) -> Result<Self, TransportError> {
        // A second client finds the provider installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let roots = extra_roots(options)?;
        // A system without any certificates can still reach judges on plain HTTP; HTTPS then fails at the certificate.
        let inner = builder(options)?.tls_certs_merge(roots.clone()).build().or_else(|_| {
            builder(options)?
                .tls_certs_only(roots)
                .build()
                .map_err(|_| TransportError::bad_address("TLS cannot be set up with these certificates"))
        })?;
        Ok(Self {
            inner,
            call_timeout: options.call_timeout,
            max_response_bytes: options.max_response_bytes,
            functions: options.functions.clone(),
        })
    }

    /// Sends a call and reads the response whole.
    pub(super) async fn exchange(
        &self,
        call: RequestBuilder,
        host: &str,
        auth: &Auth,
    ) -> Result<Response, TransportError> {
        let (mut head, mut response) = self.open(call, host, auth).await?;
        head.body = match self.read_body(&mut response, host).await {
            Ok(body) => auth.scrub_bytes(body),
            // The status of a failure says enough, whatever became of its body.
            Err(_) if head.status >= 400 => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(head)
    }

    /// Sends a call; the response's body is still to be read.
    pub(super) async fn open(
        &self,
        call: RequestBuilder,
        host: &str,
        auth: &Auth,
    ) -> Result<(Response, reqwest::Response), TransportError> {
        let response = call.send().await.map_err(|error| from_reqwest(&error, host))?;
        let status = response.status().as_u16();
        if (300..400).contains(&status) {
            let to = response.headers().get("location").map(HeaderValue::as_bytes).map_or_else(elsewhere, origin);
            let to = auth.scrub(to);
            let fix = "which is not followed; if you trust it, set it as the address";
            let what = format!("{host} redirects to {to} (HTTP {status}), {fix}");
            // Following would hand the key and the chat to someone the user did not name.
            return Err(TransportError::new(End::Misconfigured, what));
        }
        let received = response.headers().iter().map(|(name, value)| {
            (name.as_str().to_owned(), auth.scrub(String::from_utf8_lossy(value.as_bytes()).into_owned()))
        });
        let headers: Vec<_> = received.collect();
        Ok((Response { status, headers, body: Vec::new() }, response))
    }

    /// The client's words for a call that took too long.
    pub(super) fn out_of_time(host: &str, limit: Duration) -> TransportError {
        let seconds = limit.as_secs_f64().ceil() as u64;
        let fix = "raise the time limit if the model is slow";
        TransportError::new(End::Broken, format!("{host} did not finish its reply within {seconds} s; {fix}"))
    }

    pub(super) async fn read_body(
        &self,
        response: &mut reqwest::Response,
        host: &str,
    ) -> Result<Vec<u8>, TransportError> {
        check_encoding(response, host)?;
        let limit = self.max_response_bytes;
        let too_large = || {
            let what = format!("the reply of {host} is larger than {limit} bytes; is this the address of a judge?");
            TransportError::new(End::Nonsense, what)
        };
        if response.content_length().is_some_and(|length| length > limit as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| from_reqwest(&error, host))? {
            if chunk.len() > limit - body.len() {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

impl Transport for Client {
    async fn send(&self, request: &Request, auth: &Auth) -> Result<Response, TransportError> {
        if Functions::take(request) {
            let answered = tokio::time::timeout(self.call_timeout, self.functions.answer(request)).await;
            return answered.unwrap_or_else(|_| Err(Self::out_of_time("the function", self.call_timeout)));
        }
        let (url, host) = address(&request.url)?;
        let headers = headers(&request.headers, auth, &host)?;
        let call = self.inner.post(url).headers(headers).body(request.body.to_string());
        match tokio::time::timeout(self.call_timeout, self.exchange(call, &host, auth)).await {
            Ok(result) => result,
            Err(_) => Err(Self::out_of_time(&host, self.call_timeout)),
        }
    }
}

/// Plain text was asked for; what is compressed all the same could swell.
pub(super) fn check_encoding(response: &reqwest::Response, host: &str) -> Result<(), TransportError> {
    let encoding = response.headers().get("content-encoding").map(HeaderValue::as_bytes);
    if encoding.is_some_and(|encoding| !encoding.is_empty() && !encoding.eq_ignore_ascii_case(b"identity")) {
        let fix = "turn that off at the server or proxy";
        let what = format!("the reply of {host} is compressed although plain text was asked for; {fix}");
        return Err(TransportError::new(End::Nonsense, what));
    }
    Ok(())
}

fn builder(options: &ClientOptions) -> Result<ClientBuilder, TransportError> {
    // HTTP/1.1 alone: one connection a call, so that one reset never takes other calls with it.
    let builder = ClientBuilder::new()
        .http1_only()
        .connect_timeout(options.connect_timeout)
        .user_agent(&options.user_agent)
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .pool_max_idle_per_host(if options.keeps_connections { usize::MAX } else { 0 })
        .referer(false)
        .no_proxy();
    let Some(proxy) = &options.proxy else { return Ok(builder) };
    let unusable = TransportError::bad_address("the proxy's address is not valid");
    let proxy = Proxy::all(proxy.expose()).map_err(|_| unusable)?;
    Ok(builder.proxy(proxy.no_proxy(reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1"))))
}

fn extra_roots(options: &ClientOptions) -> Result<Vec<Certificate>, TransportError> {
    let mut roots = Vec::new();
    for pem in &options.extra_roots {
        let unusable = TransportError::bad_address("an extra certificate is not in PEM form");
        let certificates = Certificate::from_pem_bundle(pem).map_err(|_| unusable.clone())?;
        if certificates.is_empty() {
            return Err(unusable);
        }
        roots.extend(certificates);
    }
    Ok(roots)
}

pub(super) fn address(text: &str) -> Result<(Url, String), TransportError> {
    let bad = TransportError::bad_address;
    let url = Url::parse(text).map_err(|_| bad("it is not a full address such as https://host/v1"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("it begins with neither http:// nor https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it holds a user name or password; give the key as a key"));
    }
    let host = url.host_str().ok_or_else(|| bad("it names no host"))?;
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    Ok((url, host))
}

pub(super) fn headers(stated: &[(&'static str, String)], auth: &Auth, host: &str) -> Result<HeaderMap, TransportError> {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert("accept", HeaderValue::from_static("application/json"));
    headers.insert("accept-encoding", HeaderValue::from_static("identity"));
    for (name, value) in stated {
        let bad = || {
            let what = format!("the header {name} for {host} holds characters that HTTP does not allow");
            TransportError::new(End::Misconfigured, what + "; check the configuration")
        };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        headers.insert(header, HeaderValue::from_str(value).map_err(|_| bad())?);
    }
    let bad_key = || {
        let what =
            format!("the key for {host} is empty or holds characters that no key has; set it again, on one line");
        TransportError::new(End::Misconfigured, what)
    };
    let (name, value) = match auth {
        Auth::None => return Ok(headers),
        Auth::Bearer(key) => ("authorization", format!("Bearer {}", key.expose())),
        Auth::Header { name, key } => (*name, key.expose().to_owned()),
    };
    let value = zeroize::Zeroizing::new(value);
    let mut value = HeaderValue::from_str(&value).map_err(|_| bad_key())?;
    if auth.key().is_some_and(Secret::is_empty) {
        return Err(bad_key());
    }
    value.set_sensitive(true);
    headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad_key())?, value);
    Ok(headers)
}

fn elsewhere() -> String {
    "another address".to_owned()
}

/// Scheme and host alone: paths and queries of redirects can hold what was sent.
fn origin(location: &[u8]) -> String {
    let url = std::str::from_utf8(location).ok().and_then(|text| Url::parse(text).ok());
    url.filter(Url::has_host).map_or_else(elsewhere, |url| url.origin().ascii_serialization())
}
