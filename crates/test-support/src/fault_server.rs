//! A server that answers or misbehaves on a script, byte by byte, so that nothing corrects its faults on the way.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// What is done with one request.
#[derive(Clone, Debug)]
pub enum Step {
    /// A proper answer.
    Answer(Answer),
    /// The head and half of the body, then a reset.
    ResetMidBody,
    /// The head, then one byte at a time with this pause between.
    Drip(Duration),
    /// Nothing, ever.
    Hang,
    /// The head, then nothing, ever.
    HangAfterHead,
    /// The connection is closed without a byte.
    Close,
    /// A body shorter than its length, then the end of the connection.
    ShortBody,
    /// A proper answer whose body breaks off after so many bytes.
    CutOff(Answer, usize),
    /// A chunked body whose chunk sizes are no numbers.
    ChunkedGarbage,
    /// Bytes that are not HTTP.
    NotHttp,
    /// A body of so many bytes, its length declared or chunked.
    Huge {
        /// How many bytes.
        bytes: usize,
        /// Whether the head says how many.
        declared: bool,
    },
    /// A proper answer that promises to keep the connection, which is then closed.
    CloseAfterKeepAlive,
}

/// A proper answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers besides the length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How long it takes.
    pub after: Duration,
}

impl Step {
    /// An answer in JSON.
    pub fn json(status: u16, body: &str) -> Self {
        Self::answer(status, &[("content-type", "application/json")], body)
    }

    /// An answer with these headers.
    pub fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self::Answer(Answer { status, headers, body: body.as_bytes().to_vec(), after: Duration::ZERO })
    }

    /// The same answer, later.
    pub fn after(mut self, wait: Duration) -> Self {
        if let Self::Answer(answer) = &mut self {
            answer.after = wait;
        }
        self
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The request line and headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
    /// When it was complete.
    pub at: std::time::Instant,
}

type Choose = dyn Fn(&Seen) -> Step + Send + Sync;

#[derive(Default)]
struct Shared {
    script: Mutex<VecDeque<Step>>,
    choose: Option<Box<Choose>>,
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    closed: AtomicUsize,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

/// The server; it stops when it is dropped.
pub struct FaultServer {
    address: std::net::SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FaultServer {
    /// Does one step after the other, then answers 200 with `{}`.
    pub async fn start(script: impl IntoIterator<Item = Step>) -> Self {
        Self::serve(Shared { script: Mutex::new(script.into_iter().collect()), ..Shared::default() }).await
    }

    /// Chooses what to do from the request itself.
    pub async fn start_choosing(choose: impl Fn(&Seen) -> Step + Send + Sync + 'static) -> Self {
        Self::serve(Shared { choose: Some(Box::new(choose)), ..Shared::default() }).await
    }

    async fn serve(shared: Shared) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port on loopback");
        let address = listener.local_addr().expect("a bound address");
        let shared = Arc::new(shared);
        let task = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    shared.connections.fetch_add(1, Ordering::SeqCst);
                    let shared = Arc::clone(&shared);
                    tokio::spawn(async move {
                        connection(stream, Arc::clone(&shared)).await;
                        shared.closed.fetch_add(1, Ordering::SeqCst);
                    });
                }
            }
        });
        Self { address, shared, task }
    }

    /// Stops it, and waits until nobody listens any more.
    pub async fn stop(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Waits until it has closed so many connections.
    pub async fn wait_until_closed(&self, count: usize) {
        let closed = async {
            while self.shared.closed.load(Ordering::SeqCst) < count {
                sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(crate::LIMIT, closed).await.expect("connections are closed in time");
    }

    /// Where it listens.
    pub fn address(&self) -> std::net::SocketAddr {
        self.address
    }

    /// The base address, such as `http://127.0.0.1:40123/v1`.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().expect("no test panicked here").clone()
    }

    /// How many requests came.
    pub fn calls(&self) -> usize {
        self.seen().len()
    }

    /// How many connections were opened.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// The most requests that were being answered at the same time.
    pub fn most_in_flight(&self) -> usize {
        self.shared.most_in_flight.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn next(&self, seen: Seen) -> Step {
        let step = match &self.choose {
            Some(choose) => choose(&seen),
            None => self.script.lock().expect("no test panicked here").pop_front().unwrap_or(Step::json(200, "{}")),
        };
        self.seen.lock().expect("no test panicked here").push(seen);
        step
    }
}

async fn connection(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut buffer = Vec::new();
    while let Some(seen) = read_request(&mut stream, &mut buffer).await {
        let step = shared.next(seen);
        let in_flight = InFlight::new(&shared);
        let mut closed = [0; 1];
        tokio::select! {
            // A client that gives up closes its side, and then there is nobody to misbehave to.
            _ = stream.peek(&mut closed) => return,
            () = wait_of(&step) => {}
        }
        if perform(&mut stream, step, in_flight).await.is_none() {
            return;
        }
    }
}

/// One request that is being answered.
struct InFlight<'shared>(&'shared Shared);

impl<'shared> InFlight<'shared> {
    fn new(shared: &'shared Shared) -> Self {
        let running = shared.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        shared.most_in_flight.fetch_max(running, Ordering::SeqCst);
        Self(shared)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn wait_of(step: &Step) {
    match step {
        Step::Answer(answer) => sleep(answer.after).await,
        Step::Hang => std::future::pending().await,
        _ => {}
    }
}

/// Reads one request; nothing if the client is gone.
async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Seen> {
    loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            let total = end + 4 + length.unwrap_or(0);
            if buffer.len() >= total {
                let body = buffer[end + 4..total].to_vec();
                buffer.drain(..total);
                return Some(Seen { head, body, at: std::time::Instant::now() });
            }
        }
        let mut chunk = [0; 16 * 1024];
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => buffer.extend_from_slice(&chunk[..count]),
        }
    }
}

/// Does one step; nothing if the connection is over.
async fn perform(stream: &mut TcpStream, step: Step, in_flight: InFlight<'_>) -> Option<()> {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    match step {
        Step::Answer(answer) => {
            // Counted down first: the client may send its next request before this task runs again.
            drop(in_flight);
            return write_answer(stream, &answer).await;
        }
        Step::CloseAfterKeepAlive => {
            let text = format!("{HEAD}connection: keep-alive\r\ncontent-length: 2\r\n\r\n{{}}");
            stream.write_all(text.as_bytes()).await.ok()?;
        }
        Step::ResetMidBody => {
            stream.write_all(format!("{HEAD}content-length: 100\r\n\r\n{{\"half\":").as_bytes()).await.ok()?;
            stream.flush().await.ok()?;
            sleep(Duration::from_millis(20)).await;
            stream.set_zero_linger().ok()?;
        }
        Step::Drip(pause) => {
            stream.write_all(format!("{HEAD}content-length: 100000\r\n\r\n").as_bytes()).await.ok()?;
            while stream.write_all(b" ").await.is_ok() {
                sleep(pause).await;
            }
        }
        Step::HangAfterHead => {
            stream.write_all(format!("{HEAD}content-length: 10\r\n\r\n").as_bytes()).await.ok()?;
            let _ = stream.read(&mut [0; 1]).await;
        }
        Step::ShortBody => {
            stream.write_all(format!("{HEAD}content-length: 50\r\n\r\n{{}}").as_bytes()).await.ok()?;
        }
        Step::CutOff(answer, kept) => {
            let head = format!("HTTP/1.1 {} Cut\r\ncontent-length: {}\r\n\r\n", answer.status, answer.body.len());
            stream.write_all(head.as_bytes()).await.ok()?;
            stream.write_all(&answer.body[..kept.min(answer.body.len())]).await.ok()?;
        }
        Step::ChunkedGarbage => {
            let text = format!("{HEAD}transfer-encoding: chunked\r\n\r\nzz; not a size\r\n{{}}\r\n0\r\n\r\n");
            stream.write_all(text.as_bytes()).await.ok()?;
        }
        Step::NotHttp => stream.write_all(b"SSH-2.0-OpenSSH_9.6\r\n\r\n").await.ok()?,
        Step::Huge { bytes, declared } => write_huge(stream, bytes, declared).await?,
        Step::Hang | Step::Close => {}
    }
    None
}

async fn write_answer(stream: &mut TcpStream, answer: &Answer) -> Option<()> {
    let mut text = format!("HTTP/1.1 {} Scripted\r\ncontent-length: {}\r\n", answer.status, answer.body.len());
    for (name, value) in &answer.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(&answer.body);
    stream.write_all(&bytes).await.ok()
}

async fn write_huge(stream: &mut TcpStream, bytes: usize, declared: bool) -> Option<()> {
    let framing = if declared { format!("content-length: {bytes}") } else { "transfer-encoding: chunked".to_owned() };
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n").as_bytes()).await.ok()?;
    let block = vec![b' '; 64 * 1024];
    let mut left = bytes;
    while left > 0 {
        let count = left.min(block.len());
        if !declared {
            stream.write_all(format!("{count:x}\r\n").as_bytes()).await.ok()?;
        }
        stream.write_all(&block[..count]).await.ok()?;
        if !declared {
            stream.write_all(b"\r\n").await.ok()?;
        }
        left -= count;
    }
    if declared { Some(()) } else { stream.write_all(b"0\r\n\r\n").await.ok() }
}
