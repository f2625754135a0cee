//! A database server that is away for a while: workers wait for it, and lose nothing.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::postgres::fresh_blocking;
use carelock_test_support::{Place, wait_until};

use super::stored::Stored;

/// Stands between the program and a server, and can be cut.
struct Line {
    port: u16,
    is_cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    fn to(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (is_cut, open) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::<TcpStream>::new())));
        let line = Self { port, is_cut: Arc::clone(&is_cut), open: Arc::clone(&open) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let client = stream.unwrap();
                if is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let server = TcpStream::connect(&target).unwrap();
                open.lock().unwrap().extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                forward(client.try_clone().unwrap(), server.try_clone().unwrap());
                forward(server, client);
            }
        });
        line
    }

    /// Ends all connections, and takes no others.
    fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        let mut bytes = [0; 16 << 10];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            if to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}

#[test]
fn a_worker_waits_for_a_server_that_is_away_and_goes_on_where_it_was() {
    const CHATS: usize = 30;
    let Some(database) = fresh_blocking() else { return };
    let (head, rest) = database.split_once('@').unwrap();
    let (address, name) = rest.split_once('/').unwrap();
    let line = Line::to(address.to_owned());
    let through = format!("{head}@127.0.0.1:{}/{name}", line.port);
    let place = Place::with_short_chats(CHATS);
    let server = ModelServer::start(|call| {
        std::thread::sleep(Duration::from_millis(50));
        ModelReply::said(call, &plain(call).to_string())
    });
    let judge = server.judge();
    let options = ["--db", &through, "--concurrency", "2", "--no-cache", "--no-second-look"];
    let running = place.start(&[&["run", "chats", "--name", "away", "--judge", &judge], &options[..]].concat());
    wait_until("6 calls came", || server.calls().len() >= 6);
    line.cut();
    wait_until("the loss is said", || running.stderr().contains("the database is lost"));
    line.mend();
    let said = running.wait().exits(0).stderr;
    assert_eq!(said.matches("the database is lost").count(), 1, "{said}");
    assert!(said.contains("the database is back"), "{said}");
    let (answers, results) = Stored::at(&database).answers("away");
    assert_eq!((answers.len(), results), (CHATS, CHATS));
    assert!(answers.values().all(|count| *count == 1), "{answers:?}");
    assert_eq!(server.calls().len(), CHATS, "nothing is asked twice");
}
