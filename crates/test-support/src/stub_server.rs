//! An HTTP server on this machine that answers by a script and remembers every request.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{LIMIT, wait_until};

/// One request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// The request line and the headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The method.
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// The path, without what is asked behind it.
    pub fn path(&self) -> &str {
        self.head.split([' ', '?']).nth(1).unwrap_or_default()
    }

    /// Head and body as one text.
    pub fn text(&self) -> String {
        format!("{}{}", self.head, String::from_utf8_lossy(&self.body))
    }
}

/// The server; it ends when it is stopped or the test's process ends.
pub struct StubServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stopped: Arc<AtomicBool>,
}

impl StubServer {
    /// Answers every request with a status and JSON, or closes the connection without a word. Requests are answered at
    /// the same time, each on a thread.
    pub fn start(script: impl Fn(&Request) -> Option<(u16, String)> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("a bound address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let (seen, ends, script) = (Arc::clone(&requests), Arc::clone(&stopped), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                std::thread::spawn(move || serve(stream, &seen, script.as_ref()));
            }
        });
        Self { address, requests, stopped }
    }

    /// From now on nobody listens here.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        wait_until("nobody listens any more", || TcpStream::connect(self.address).is_err());
    }

    /// Its address as the base of an API.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        locked(&self.requests).clone()
    }

    /// The requests since it was last asked for them.
    pub fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut locked(&self.requests))
    }
}

fn locked(requests: &Mutex<Vec<Request>>) -> MutexGuard<'_, Vec<Request>> {
    requests.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Request>>, script: &dyn Fn(&Request) -> Option<(u16, String)>) {
    let Some(request) = read(&stream) else { return };
    locked(seen).push(request.clone());
    let Some((status, body)) = script(&request) else { return };
    // A caller that has gone away is no matter for the server.
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

/// One request; nothing where the caller has gone away.
fn read(stream: &TcpStream) -> Option<Request> {
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { head, body })
}
