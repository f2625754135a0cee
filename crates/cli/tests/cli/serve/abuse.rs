//! What clients should not do: it is refused with the right status, written down without content, and the server goes on.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use carelock_test_support::{Reply, SECRET, wait_until};

use super::started;

fn chat() -> String {
    format!("Human: I feel lost. {SECRET}\nAI: I hear you.\n")
}

const TEXT: (&str, &str) = ("Content-Type", "text/plain");

#[test]
fn only_requests_for_this_very_host_are_answered() {
    let wire = started(&[]);
    let port = wire.address.rsplit(':').next().expect("a port");
    let own = format!("localhost:{port}");
    assert_eq!(wire.send("GET", "/healthz", &[("Host", &own)], b"").status, 200);
    let nearly = format!("127.0.0.1.{SECRET}.example:{port}");
    for host in
        ["evil.example", "evil.example:80", "localhost", &nearly, "", " ", "127.0.0.1:1", "127.0.0.1@evil.example"]
    {
        let reply = wire.send("GET", "/api/v1/runs", &[("Host", host)], b"");
        assert_eq!(reply.status, 421, "{host}");
        assert!(!reply.body.contains("runs"), "{host}");
    }
    let twice = wire.send("GET", "/api/v1/runs", &[("Host", &own), ("Host", "evil.example")], b"");
    assert_eq!(twice.status, 400);
    let none = wire.raw(b"GET /api/v1/runs HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(Reply::first(&none).expect("an answer").status, 400);
    let old = wire.raw(b"GET /api/v1/runs HTTP/1.0\r\n\r\n");
    assert_eq!(Reply::first(&old).expect("an answer").status, 400);
    let whole = format!("GET http://evil.example/api/v1/runs HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n");
    assert_eq!(Reply::first(&wire.raw(whole.as_bytes())).expect("an answer").status, 421);
    wire.assert_sound();
}

#[test]
fn pages_of_other_sites_change_nothing() {
    let wire = started(&[]);
    let own = format!("http://{}", wire.address);
    let post = |headers: &[(&str, &str)]| {
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([TEXT]).collect();
        wire.send("POST", "/api/v1/evaluate", &headers, chat().as_bytes()).status
    };
    assert_eq!(post(&[]), 200);
    assert_eq!(post(&[("Origin", &own), ("Sec-Fetch-Site", "same-origin")]), 200);
    let other_port = "http://127.0.0.1:1";
    for origin in ["https://evil.example", "null", other_port, "file://", "", SECRET, "http://localhost"] {
        assert_eq!(post(&[("Origin", origin)]), 403, "{origin}");
    }
    for site in ["cross-site", "same-site", "", SECRET] {
        assert_eq!(post(&[("Sec-Fetch-Site", site)]), 403, "{site}");
    }
    assert_eq!(post(&[("Origin", &own), ("Origin", "https://evil.example")]), 403, "two origins");
    let foreign = [("Origin", "https://evil.example")];
    assert_eq!(wire.send("DELETE", "/api/v1/runs/1", &foreign, b"").status, 403);
    assert_eq!(wire.send("POST", "/logout", &[], b"").status, 403, "a form without its mark");
    let asked = [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")];
    let before = wire.send("OPTIONS", "/api/v1/evaluate", &asked, b"");
    assert!(before.status == 405 && before.header("access-control-allow-origin").is_none());
    wire.assert_sound();
}

#[test]
fn bodies_that_are_too_large_are_refused_however_they_come() {
    let wire = started(&["--max-body", "1"]);
    let host = &wire.address;
    let head = format!("POST /api/v1/evaluate HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\n");
    let announced = format!("{head}Content-Length: 99999999999\r\n\r\n{SECRET}");
    let mut stream = wire.connect();
    stream.write_all(announced.as_bytes()).expect("a request");
    let mut start = [0; 12];
    stream.read_exact(&mut start).expect("an answer before the body has come");
    assert_eq!(&start, b"HTTP/1.1 413");
    let mut chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    for _ in 0..20 {
        chunked.extend_from_slice(b"10000\r\n");
        chunked.extend(std::iter::repeat_n(b'a', 0x10000));
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    let reply = Reply::first(&wire.raw(&chunked));
    assert!(reply.is_none_or(|reply| reply.status == 413), "refused, or cut off in the middle");
    let form = vec![b'a'; 8 << 10];
    let mark = [("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(wire.send("POST", "/login", &mark, &form).status, 403, "before anything of it is read");
    wire.assert_sound();
}

#[test]
fn heads_and_bodies_that_come_too_slowly_end() {
    let wire = started(&["--head-seconds", "1", "--request-seconds", "1"]);
    let closes = |start: String| {
        let begun = Instant::now();
        let mut stream = wire.connect();
        stream.write_all(start.as_bytes()).expect("a start");
        let mut back = Vec::new();
        let _ = stream.read_to_end(&mut back);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        Reply::first(&back).map(|reply| reply.status)
    };
    let host = &wire.address;
    assert!(
        closes(format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nX-A: {SECRET}")).is_none_or(|status| status == 408)
    );
    assert!(closes(String::new()).is_none());
    let slow =
        format!("Host: {host}\r\nContent-Length: 100\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n{SECRET}");
    assert_eq!(closes(format!("POST /api/v1/evaluate HTTP/1.1\r\n{slow}")), Some(408));
    let json = slow.replace("text/plain", "application/json");
    assert_eq!(closes(format!("POST /api/v1/verify HTTP/1.1\r\n{json}")), Some(408));
    wire.assert_sound();
}

#[test]
fn a_drop_at_a_time_does_not_hold_a_request_open() {
    let wire = started(&["--head-seconds", "1", "--request-seconds", "1"]);
    let mut stream = wire.connect();
    let head = format!(
        "POST /api/v1/evaluate HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000\r\nContent-Type: text/plain\r\n\r\n",
        wire.address
    );
    stream.write_all(head.as_bytes()).expect("a head");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) && stream.write_all(b"a").is_ok() {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "the connection was closed while drops still came");
    wire.assert_sound();
}

#[test]
fn malformed_bodies_are_refused_and_never_repeated_in_messages() {
    let wire = started(&[]);
    let json = ("Content-Type", "application/json");
    let deep = "[".repeat(100_000);
    for body in
        [format!("{{\"{SECRET}"), format!("{{\"{SECRET}\":1}}"), format!("\"{SECRET}\""), deep, "\u{0}".to_owned()]
    {
        for path in ["/api/v1/evaluate", "/api/v1/verify"] {
            let status = wire.send("POST", path, &[json], body.as_bytes()).status;
            assert!(status == 400 || status == 422, "{path}: {status}");
        }
    }
    let invalid = [b"Human: \xff\xfe ", SECRET.as_bytes()].concat();
    assert_eq!(wire.send("POST", "/api/v1/evaluate", &[TEXT], &invalid).status, 400);
    assert_eq!(wire.send("POST", "/api/v1/verify", &[json], &invalid).status, 400);
    let kinds = ["multipart/form-data", "multipart/form-data; boundary=", "application/x-www-form-urlencoded", SECRET];
    for kind in kinds {
        let body = format!("--x\r\nContent-Disposition: form-data; name=\"{SECRET}\r\n\r\n%ff%zz&&==");
        assert_eq!(
            wire.send("POST", "/api/v1/evaluate", &[("Content-Type", kind)], body.as_bytes()).status,
            415,
            "{kind}"
        );
    }
    let cut = format!(
        "POST /api/v1/evaluate HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{SECRET}",
        wire.address
    );
    let reply = Reply::first(&wire.raw(cut.as_bytes())).expect("an answer");
    assert_eq!(reply.status, 400);
    wire.assert_sound();
}

#[test]
fn no_path_leads_out_of_the_program() {
    let wire = started(&[]);
    let long = format!("/{}", "a".repeat(20_000));
    let longer = format!("/{}", "a".repeat(100_000));
    let named = format!("/runs/{SECRET}/%2e%2e");
    let paths = [
        "/../../etc/passwd",
        "/..",
        "/assets/../../etc/passwd",
        "/assets/x/../../../etc/passwd",
        "/assets/x/..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/x/%2e%2e%5c%2e%2e",
        "/%00",
        "/runs/%00",
        "/api/v1/runs/%00",
        "//",
        "//healthz",
        "/healthz/",
        "/%2fhealthz",
        "/api/v1//runs",
        "/api/v1/runs/1/../2",
        "/api/v1/schemas/..%2freport",
        "/runs/%ff%fe",
        "/api/v1/runs/-1",
        "/api/v1/runs/99999999999999999999",
        "/api/v1/schemas/%ff",
        "/.env",
        "/api/v1/runs/1%0d%0a",
        "/API/v1/runs",
        &named,
        &long,
    ];
    for path in paths {
        let reply = wire.send("GET", path, &[], b"");
        assert!([400, 404].contains(&reply.status), "{path}: {}", reply.status);
        assert!(!reply.body.contains("root:"), "{path}");
    }
    let status = wire.send("GET", &longer, &[], b"").status;
    assert!([414, 431].contains(&status), "{status}");
    let many: Vec<(String, String)> = (0..300).map(|at| (format!("X-{at}"), "a".repeat(200))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(wire.send("GET", "/healthz", &many, b"").status, 431);
    wire.assert_sound();
}

#[test]
fn nothing_that_is_sent_becomes_a_header_of_the_answer() {
    let wire = started(&[]);
    let trick = format!("a%0d%0aX-Injected:%20{SECRET}%0d%0a%0d%0a");
    let places = [
        format!("/?next={trick}"),
        format!("/login?next={trick}"),
        format!("/{trick}"),
        format!("/runs/{trick}"),
        format!("/api/v1/runs?after={trick}"),
        format!("/api/v1/schemas/{trick}"),
        format!("/api/v1/runs/1/chats?text={trick}"),
        format!("/assets/{trick}/app.css"),
    ];
    for place in &places {
        let reply = wire.get(place);
        assert!(reply.header("x-injected").is_none(), "{place}");
        assert!(!reply.head.to_ascii_lowercase().contains("marker"), "{place}: {}", reply.head);
    }
    let sent = wire.send("POST", &format!("/api/v1/evaluate?id={trick}"), &[TEXT], chat().as_bytes());
    assert!(sent.status == 200 && sent.header("x-injected").is_none());
    assert_eq!(sent.json()["transcript"]["id"], format!("a\r\nX-Injected: {SECRET}\r\n\r\n"));
    wire.assert_sound();
}

#[test]
fn a_second_request_cannot_be_hidden_in_the_first() {
    let wire = started(&[]);
    let host = &wire.address;
    let hidden = format!("GET /api/v1/rubric HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let first = format!("POST /api/v1/evaluate HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\n");
    let length = hidden.len() + 5;
    let shapes = [
        format!("{first}Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{first}Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{first}Content-Length: 0\r\nContent-Length: {length}\r\n\r\n{hidden}"),
        format!("{first}Content-Length: 0, {length}\r\n\r\n{hidden}"),
        format!("{first}Content-Length: +0\r\n\r\n{hidden}"),
        format!("{first}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{first}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{first}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{first}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{first}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
    ];
    for shape in shapes {
        let back = String::from_utf8_lossy(&wire.raw(shape.as_bytes())).into_owned();
        let answers = back.matches("HTTP/1.1 ").count();
        assert!(answers <= 1, "{shape:?} got {answers} answers");
        assert!(!back.contains("carelock/rubric/1"), "{shape:?}");
        let status = Reply::first(back.as_bytes()).map(|reply| reply.status);
        assert!(status.is_none_or(|status| (400..500).contains(&status)), "{shape:?}: {status:?}");
    }
    wire.assert_sound();
}

#[test]
fn a_body_with_two_ends_gets_400_even_where_it_is_a_good_one() {
    let wire = started(&[]);
    let host = &wire.address;
    let first = format!("POST /api/v1/evaluate HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\n");
    let text = chat();
    let chunks = format!("{:x}\r\n{text}\r\n0\r\n\r\n", text.len());
    let length = chunks.len();
    for shape in [
        format!("{first}Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"),
        format!("{first}Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n\r\n{chunks}"),
        format!("{first}Content-Length: {0}\r\nContent-Length: {0}\r\n\r\n{text}", text.len()),
    ] {
        let reply = Reply::first(&wire.raw(shape.as_bytes())).expect("an answer");
        assert_eq!(reply.status, 400, "{shape:?}");
        reply.has("It is not clear where the body of this request ends.");
    }
    let good = format!("{first}Transfer-Encoding: chunked\r\n\r\n{chunks}");
    assert_eq!(Reply::first(&wire.raw(good.as_bytes())).map(|reply| reply.status), Some(200));
    wire.assert_sound();
}

/// How many files this process may have open.
fn open_files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap_or_default();
    line.split_whitespace().nth(3).and_then(|soft| soft.parse().ok()).unwrap_or(1024)
}

#[test]
fn ten_thousand_idle_connections_keep_nobody_out() {
    let wire = started(&[]);
    let number = open_files().saturating_sub(500).min(10_000);
    if number < 10_000 {
        eprintln!("only {number} connections: this process may not open more files (ulimit -n)");
    }
    let mut idle: Vec<TcpStream> = Vec::with_capacity(number);
    let mut slowest = Duration::ZERO;
    while idle.len() < number {
        for _ in 0..1000.min(number - idle.len()) {
            idle.push(wire.connect());
        }
        let begun = Instant::now();
        assert_eq!(wire.get("/healthz").status, 200, "with {} idle connections", idle.len());
        slowest = slowest.max(begun.elapsed());
    }
    let reply = wire.send("POST", "/api/v1/evaluate", &[TEXT], chat().as_bytes());
    assert_eq!(reply.status, 200);
    let metrics = wire.get("/metrics").body;
    let line = metrics.lines().find(|line| line.starts_with("carelock_connections ")).expect("a counter");
    let held: usize = line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    assert!(held <= 513, "{held} are kept open");
    eprintln!("{number} idle connections, {held} kept open, the slowest answer took {slowest:?}");
    drop(idle);
    wire.assert_sound();
}

#[test]
fn methods_that_do_not_exist_and_things_that_are_not_http_are_refused() {
    let wire = started(&[]);
    for method in ["PUT", "PATCH", "TRACE", "PROPFIND", SECRET] {
        let status = wire.send(method, "/api/v1/runs", &[], b"").status;
        assert!(status == 405 || status == 403, "{method}: {status}");
    }
    let connect = Reply::first(&wire.raw(b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"));
    assert!(connect.is_none_or(|reply| reply.status >= 400));
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let reply = Reply::first(&wire.raw(bytes));
        assert!(reply.is_none_or(|reply| reply.status >= 400), "{bytes:?}");
    }
    wire.assert_sound();
}

#[test]
fn a_client_that_does_not_read_its_answer_keeps_nobody_out() {
    let wire = started(&["--max-connections", "8", "--request-seconds", "2"]);
    let request = format!("GET /api/v1/openapi.json HTTP/1.1\r\nHost: {}\r\n\r\n", wire.address);
    let unread: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = wire.connect();
            let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
            // Many at once, so that their answers fill all buffers on the way.
            for _ in 0..200 {
                if stream.write_all(request.as_bytes()).is_err() {
                    break;
                }
            }
            stream
        })
        .collect();
    let health = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", wire.address);
    wait_until("the server has room again", || Reply::first(&wire.raw(health.as_bytes())).is_some());
    drop(unread);
    wire.assert_sound();
}
