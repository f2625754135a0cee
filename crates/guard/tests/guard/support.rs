//! An upstream that sends bytes on a script, a guard before it, and a client that reads bytes.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use carelock_core::rubric::Rubric;
use carelock_engine::config::Config;
use carelock_engine::session::Watcher;
use carelock_guard::policy::Policy;
use carelock_guard::{Guard, Messages};
use serde_json::{Value, json};

/// What an upstream does with one request.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Waits a little, so that what was sent arrives alone.
    Pause,
    /// Sends nothing until the other side has gone.
    Hang,
    /// Ends the connection with a reset.
    Reset,
}

/// An upstream on a thread.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Upstream {
    /// Does the same with every request, then closes the connection.
    pub(crate) fn start(script: Vec<Step>) -> Self {
        Self::choosing(move |_| script.clone())
    }

    /// Does with every request what is chosen for it.
    pub(crate) fn choosing(choose: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, choose) = (Arc::clone(&requests), Arc::new(choose));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, choose) = (Arc::clone(&seen), Arc::clone(&choose));
                std::thread::spawn(move || {
                    let mut stream = stream;
                    if let Some(request) = request(&mut stream) {
                        seen.lock().unwrap().push(request.clone());
                        act(stream, choose(&request));
                    }
                });
            }
        });
        Self { address, requests }
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn request(stream: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    let mut byte = [0; 1];
    while !read.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        read.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&read).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    read.extend(body);
    Some(String::from_utf8_lossy(&read).into_owned())
}

fn act(mut stream: TcpStream, script: Vec<Step>) {
    let _ = stream.set_nodelay(true);
    for step in script {
        match step {
            Step::Send(bytes) => {
                if stream.write_all(&bytes).is_err() {
                    return;
                }
            }
            Step::Pause => std::thread::sleep(Duration::from_millis(15)),
            Step::Hang => {
                let _ = stream.read(&mut [0; 1]);
                return;
            }
            Step::Reset => {
                // Bytes that nobody read make the system reset the connection.
                let _ = stream.shutdown(Shutdown::Both);
                return;
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.read(&mut [0; 64]);
}

/// A guard on a thread of its own runtime.
pub(crate) struct Guarded {
    pub(crate) address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

static WATCHER: LazyLock<Arc<Watcher>> = LazyLock::new(|| {
    let watcher = Watcher::new(Rubric::care_lock(), Arc::default());
    watcher.warm_up();
    Arc::new(watcher)
});

/// What guards said to whoever runs them.
pub(crate) static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl Guarded {
    /// A guard before an upstream, with the rest of a policy.
    pub(crate) fn start(upstream: Option<SocketAddr>, policy: &str) -> Self {
        let mut policy = Policy::parse(policy).unwrap();
        policy.check_timeout_ms = 120_000;
        policy.upstream = upstream.map(|address| format!("http://{address}"));
        let messages = Messages { say: |text| SAID.lock().unwrap().push(text.to_owned()) };
        let policy = policy.checked().unwrap();
        let settings = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
        let config = Config::of_process(Some(settings.path())).unwrap();
        let guard = Guard::new(policy, &config, Arc::clone(&WATCHER), None, messages).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = guard.router();
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { address, _runtime: runtime }
    }

    /// Whether it still answers.
    pub(crate) fn is_alive(&self) -> bool {
        send(self.address, "GET", "/carelock/health", b"").status == 200
    }

    /// A chat with one message of the person's.
    pub(crate) fn chat(&self, said: &str, stream: bool) -> Answer {
        let body = json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": said}]});
        self.post("/v1/chat/completions", &body)
    }

    /// Sends JSON.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        send(self.address, "POST", path, body.to_string().as_bytes())
    }
}

/// What a client got.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Whether the body came to its end.
    pub(crate) is_whole: bool,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// Opens a request without reading its answer.
pub(crate) fn open(address: SocketAddr, method: &str, path: &str, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: guard\r\nauthorization: Bearer k\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // A guard that refuses a request need not read it.
    let _ = stream.write_all(body);
    stream
}

/// Sends a request and reads everything that comes.
pub(crate) fn send(address: SocketAddr, method: &str, path: &str, body: &[u8]) -> Answer {
    let mut stream = open(address, method, path, body);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = bytes.get(end + 4..).unwrap_or_default();
    let (body, is_whole) = if head.contains("transfer-encoding: chunked") {
        unchunked(body)
    } else {
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
        (body.to_vec(), length.is_none_or(|length| length == body.len()))
    };
    Answer { status, head, body, is_whole }
}

fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|two| two == b"\r\n") else { return (body, false) };
        let size = std::str::from_utf8(&rest[..end]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let Some(size) = size else { return (body, false) };
        rest = &rest[end + 2..];
        if size == 0 {
            return (body, true);
        }
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        let Some(next) = rest.get(size + 2..) else { return (body, false) };
        rest = next;
    }
}

/// An event of a stream with a piece of a reply.
pub(crate) fn piece(text: &str) -> String {
    let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": null});
    format!("data: {}\n\n", json!({"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}))
}

/// A stream that says a text word by word.
pub(crate) fn stream(text: &str) -> String {
    let words: String = text.split_inclusive(' ').map(piece).collect();
    let end = json!({"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    format!("{words}data: {end}\n\ndata: [DONE]\n\n")
}

/// A whole answer in JSON.
pub(crate) fn whole(text: &str) -> String {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    json!({"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}).to_string()
}

/// An answer that ends with the connection.
pub(crate) fn until_close(kind: &str, pieces: Vec<Vec<u8>>) -> Vec<Step> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
    let mut steps = vec![Step::Send(head.into_bytes())];
    for piece in pieces {
        steps.extend([Step::Send(piece), Step::Pause]);
    }
    steps
}

/// An answer with its length.
pub(crate) fn sized(status: &str, more: &str, body: &[u8]) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status}\r\n{more}content-length: {}\r\n\r\n", body.len());
    vec![Step::Send([head.as_bytes(), body].concat())]
}

pub(crate) const STREAM: &str = "text/event-stream";
