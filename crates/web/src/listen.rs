//! Taking connections: bounded in number and in time, so that no client can keep the others out.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tower::ServiceExt as _;

use super::metrics::Metrics;
use super::middleware::request_head::{Ambiguous, Heads};
use super::write_timeout::WriteTimeout;

/// The largest head of a request.
const HEAD_BYTES: usize = 32 << 10;
/// How long requests that are under way may take when the server ends.
const LAST: Duration = Duration::from_secs(5);

/// Connections that are open, the oldest first.
#[derive(Default)]
struct Open(Mutex<VecDeque<Arc<Connection>>>);

/// One connection.
#[derive(Default)]
struct Connection {
    /// Requests that are being answered.
    busy: AtomicUsize,
    /// Told when it has to make room.
    close: Notify,
}

impl Open {
    /// Takes a connection in; the longest idle one makes room where there are too many. None where all are busy.
    fn enter(&self, most: usize) -> Option<Arc<Connection>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= most {
            let idle = open.iter().position(|connection| connection.busy.load(Ordering::SeqCst) == 0)?;
            if let Some(idle) = open.remove(idle) {
                idle.close.notify_one();
            }
        }
        let connection = Arc::new(Connection::default());
        open.push_back(Arc::clone(&connection));
        Some(connection)
    }

    fn leave(&self, connection: &Arc<Connection>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| !Arc::ptr_eq(other, connection));
    }
}

/// Counts a request as long as it lasts, whichever way it ends.
struct Busy(Arc<Connection>);

impl Busy {
    fn new(connection: &Arc<Connection>) -> Self {
        connection.busy.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(connection))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::SeqCst);
    }
}

/// How much is let in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Connections at once.
    pub(super) most: usize,
    /// How long a client may take over the head of a request; a connection that waits for one ends after it too.
    pub(super) head: Duration,
    /// How long a client may leave an answer unread.
    pub(super) unread: Duration,
}

/// Answers requests until the server is told to end.
pub(super) async fn listen(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    metrics: Arc<Metrics>,
    mut ending: watch::Receiver<bool>,
) {
    let open = Arc::new(Open::default());
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Out of file handles, or the client is gone already: the next one may have more luck.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            },
            _ = ending.changed() => break,
        };
        let Some(connection) = open.enter(bounds.most) else {
            metrics.refused_connection();
            continue;
        };
        let (open, router, ending) = (Arc::clone(&open), router.clone(), ending.clone());
        let metrics = Arc::clone(&metrics);
        tokio::spawn(async move {
            metrics.connected(1);
            serve(stream, peer, bounds, router, &connection, ending).await;
            metrics.connected(-1);
            open.leave(&connection);
        });
    }
    let is_empty = || open.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
    let patience = tokio::time::Instant::now() + LAST;
    while !is_empty() && tokio::time::Instant::now() < patience {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    bounds: Bounds,
    router: Router,
    connection: &Arc<Connection>,
    mut ending: watch::Receiver<bool>,
) {
    // Small answers are not held back for more to come.
    let _ = stream.set_nodelay(true);
    let heads = Arc::new(Mutex::new(Heads::default()));
    let answer = |mut request: Request<Incoming>| {
        let busy = Busy::new(connection);
        let router = router.clone();
        if heads.lock().unwrap_or_else(PoisonError::into_inner).next_is_ambiguous() {
            request.extensions_mut().insert(Ambiguous);
        }
        request.extensions_mut().insert(ConnectInfo(peer));
        async move {
            let Ok(response) = router.oneshot(request).await;
            // The connection is busy until all of the body is sent: until then the body holds on to `busy`.
            let body = |body: Body| body.map_frame(move |frame| (&busy, frame).1);
            Ok::<_, Infallible>(response.map(body))
        }
    };
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(bounds.head).max_buf_size(HEAD_BYTES);
    let served = builder.serve_connection(
        TokioIo::new(WriteTimeout::new(stream, bounds.unread, Arc::clone(&heads))),
        hyper::service::service_fn(answer),
    );
    tokio::pin!(served);
    tokio::select! {
        // What goes wrong on a connection is the client's business.
        _ = &mut served => {}
        () = connection.close.notified() => {}
        _ = ending.changed() => {
            served.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(LAST, served).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_idle_connection_makes_room_and_a_busy_one_never_does() {
        let open = Open::default();
        let first = open.enter(2).expect("room");
        let second = open.enter(2).expect("room");
        let busy = Busy::new(&first);
        let third = open.enter(2).expect("the second makes room");
        let there: Vec<_> = open.0.lock().expect("lock").iter().cloned().collect();
        assert!(there.iter().any(|other| Arc::ptr_eq(other, &first)));
        assert!(!there.iter().any(|other| Arc::ptr_eq(other, &second)));
        let also_busy = Busy::new(&third);
        assert!(open.enter(2).is_none(), "all are busy");
        drop((busy, also_busy));
        assert!(open.enter(2).is_some());
    }
}
