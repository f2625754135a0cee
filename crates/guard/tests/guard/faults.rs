//! Faults of upstreams, clients and streams: none ends the guard, and no byte that was to be passed on is lost.

use std::io::{Read as _, Write as _};

use carelock_test_support::wait_until;

use crate::support::{Guarded, STREAM, Step, Upstream, open, piece, send, sized, stream, until_close, whole};

const REPLY: &str = "Hello there, it's good that you write… é 😀. How was your day? I am listening.";

/// Cuts bytes into pieces of a size.
fn cut(text: &str, size: usize) -> Vec<Vec<u8>> {
    text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect()
}

fn one(text: &str) -> Vec<Vec<u8>> {
    vec![text.as_bytes().to_vec()]
}

/// Streams that are odd, broken or hostile, all of whose bytes must arrive.
fn streams() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let plain = stream(REPLY);
    let tool = r#"data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}"#;
    let other = r#"data: {"choices":[{"index":1,"delta":{"content":"Another choice. "}}]}"#;
    let usage = r#"data: {"choices":[],"usage":{"total_tokens":3}}"#;
    vec![
        ("whole in one piece", one(&plain)),
        ("a few bytes at a time", cut(&plain, 97)),
        ("cut inside a letter of four bytes", {
            let at = plain.find('😀').unwrap() + 2;
            vec![plain.as_bytes()[..at].to_vec(), plain.as_bytes()[at..].to_vec()]
        }),
        ("line ends of two signs", cut(&plain.replace('\n', "\r\n"), 301)),
        ("line ends of one carriage return", cut(&plain.replace('\n', "\r"), 301)),
        ("no blank line at the end", one(plain.trim_end())),
        ("no sign of its end", one(plain.trim_end().trim_end_matches("data: [DONE]"))),
        ("comments in between", one(&plain.replace("data: {", ": still here\n\ndata: {"))),
        ("a byte order mark", one(&format!("\u{feff}{plain}"))),
        ("data that is no JSON", one(&format!("{}data: {{oops\n\n{plain}", piece("Well. ")))),
        (
            "data that is no text",
            vec![piece("Well. ").into_bytes(), b"data: \xff\xfe\n\n".to_vec(), plain.clone().into_bytes()],
        ),
        ("data of another shape", one(&format!("data: [1,2]\n\n{plain}"))),
        (
            "an error in the middle",
            one(&format!("{}data: {{\"error\":{{\"message\":\"overloaded\"}}}}\n\n", piece("Well. "))),
        ),
        ("a line of two mebibytes", cut(&format!("data: {}\n\n{plain}", "x".repeat(2 << 20)), 1 << 16)),
        ("nothing at all", Vec::new()),
        ("nothing but its end", one("data: [DONE]\n\n")),
        ("more behind its end", one(&format!("{plain}{plain}: bye\n\n"))),
        ("two choices", one(&format!("{}{other}\n\n{plain}", piece("One. ")))),
        ("tool calls", one(&format!("{tool}\n\n{plain}"))),
        ("figures without a choice", one(&format!("{usage}\n\n{plain}"))),
        ("data on several lines", one(&plain.replace("data: {\"id\"", "data: {\ndata: \"id\""))),
        (
            "half a letter in escapes",
            one(&format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"\\ud83d\"}}}}]}}\n\n{plain}")),
        ),
        ("an end in the middle of an event", one(&plain[..plain.len() / 2])),
        ("names and numbers of events", one(&plain.replace("data: {", "event: message\nid: 7\nretry: 10\ndata: {"))),
        ("blank lines alone", one(&"\n".repeat(500))),
        ("zero bytes", one(&format!("\0\0\0\n\n{plain}"))),
        (
            "null contents",
            one(&format!(
                "data: {{\"choices\":[{{\"delta\":{{\"role\":\"assistant\",\"content\":null}}}}]}}\n\n{plain}"
            )),
        ),
    ]
}

#[test]
fn every_odd_stream_arrives_byte_by_byte_while_it_is_watched_and_while_it_is_held() {
    for policy in ["", "mode = \"hold\"", "mode = \"replace\"\nreplacement = \"Please call somebody you trust.\""] {
        for (name, pieces) in streams() {
            let expected = pieces.concat();
            let upstream = Upstream::start(until_close(STREAM, pieces));
            let guard = Guarded::start(Some(upstream.address), policy);
            let answer = guard.chat("I had a long day at work.", true);
            assert_eq!(answer.status, 200, "{name}, {policy}");
            assert!(
                answer.body == expected,
                "{name}, {policy}: {} of {} bytes\n{}",
                answer.body.len(),
                expected.len(),
                answer.text()
            );
            assert!(answer.is_whole && guard.is_alive(), "{name}, {policy}");
        }
    }
}

#[test]
fn answers_that_are_no_streams_pass_as_they_are() {
    let json = "content-type: application/json\r\n";
    for (name, status, more, body) in [
        ("a whole answer", "200 OK", json.to_owned(), whole(REPLY).into_bytes()),
        ("no JSON", "200 OK", json.to_owned(), b"<html>busy</html>".to_vec()),
        ("no text", "200 OK", json.to_owned(), vec![0xff; 300]),
        ("an empty body", "200 OK", json.to_owned(), Vec::new()),
        ("an error", "500 Internal Server Error", json.to_owned(), b"{\"error\":{}}".to_vec()),
        ("a rate limit", "429 Too Many Requests", format!("{json}retry-after: 7\r\n"), b"{\"error\":{}}".to_vec()),
        ("a redirection", "302 Found", "location: http://127.0.0.1:1/\r\n".to_owned(), Vec::new()),
        (
            "something compressed",
            "200 OK",
            format!("{json}content-encoding: gzip\r\n"),
            b"\x1f\x8b\x08\x00rest".to_vec(),
        ),
    ] {
        for policy in ["", "mode = \"hold\""] {
            let upstream = Upstream::start(sized(status, &more, &body));
            let guard = Guarded::start(Some(upstream.address), policy);
            let answer = guard.chat("I had a long day at work.", false);
            assert_eq!(answer.status.to_string(), status[..3], "{name}");
            assert!(answer.body == body && answer.is_whole, "{name}, {policy}: {}", answer.text());
            for line in more.lines() {
                assert!(answer.head.contains(line), "{name}: {line} is missing in {}", answer.head);
            }
            assert!(guard.is_alive());
        }
    }
}

#[test]
fn a_broken_upstream_breaks_for_the_client_too_and_what_came_before_arrives() {
    let begun = [piece("Hello. "), piece("How are you? ")].concat();
    let head = |more: &str| format!("HTTP/1.1 200 OK\r\ncontent-type: {STREAM}\r\n{more}\r\n").into_bytes();
    let chunk = format!("{:x}\r\n{begun}\r\n", begun.len()).into_bytes();
    for policy in ["", "mode = \"hold\""] {
        for (name, steps) in [
            (
                "chunks without an end",
                vec![Step::Send(head("transfer-encoding: chunked\r\n")), Step::Send(chunk.clone()), Step::Pause],
            ),
            (
                "chunks that are no chunks",
                vec![
                    Step::Send(head("transfer-encoding: chunked\r\n")),
                    Step::Send(chunk.clone()),
                    Step::Pause,
                    Step::Send(b"zz\r\n".to_vec()),
                ],
            ),
            (
                "less than was promised",
                vec![
                    Step::Send(head("content-length: 99999\r\n")),
                    Step::Send(begun.clone().into_bytes()),
                    Step::Pause,
                ],
            ),
            (
                "a reset",
                vec![
                    Step::Send(head("content-length: 99999\r\n")),
                    Step::Send(begun.clone().into_bytes()),
                    Step::Pause,
                    Step::Reset,
                ],
            ),
        ] {
            let upstream = Upstream::start(steps);
            let guard = Guarded::start(Some(upstream.address), policy);
            let answer = guard.chat("I had a long day at work.", true);
            assert_eq!(answer.text(), begun, "{name}, {policy}");
            assert!(!answer.is_whole && guard.is_alive(), "{name}, {policy}");
        }
    }
}

#[test]
fn an_upstream_that_gives_no_answer_is_an_error_that_says_so() {
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = Upstream::start(Vec::new());
    let noise = Upstream::start(vec![Step::Send(b"SSH-2.0-OpenSSH\r\n\r\n".to_vec())]);
    for address in [dead, silent.address, noise.address] {
        let guard = Guarded::start(Some(address), "mode = \"hold\"");
        let answer = guard.chat("Hello.", true);
        assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (502, Some("upstream")));
        assert!(guard.is_alive());
    }
    let slow = Upstream::start(vec![Step::Hang]);
    let guard = Guarded::start(Some(slow.address), "upstream_seconds = 1");
    assert_eq!(guard.chat("Hello.", false).status, 502);
}

#[test]
fn a_client_that_goes_away_ends_the_call_to_the_upstream() {
    for policy in ["", "mode = \"hold\""] {
        let upstream = Upstream::start(vec![
            Step::Send(
                format!("HTTP/1.1 200 OK\r\ncontent-type: {STREAM}\r\n\r\n{}", piece("Hello. You")).into_bytes(),
            ),
            Step::Hang,
        ]);
        let guard = Guarded::start(Some(upstream.address), policy);
        let body = br#"{"stream": true, "messages": [{"role": "user", "content": "Hi, how are you?"}]}"#;
        let mut client = open(guard.address, "POST", "/v1/chat/completions", body);
        let _ = client.read(&mut [0; 10]).unwrap();
        drop(client);
        wait_until("the guard is free again", || guard.is_alive());
        let half = std::net::TcpStream::connect(guard.address).unwrap();
        (&half).write_all(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 50\r\n\r\n{\"mess").unwrap();
        drop(half);
        assert!(guard.is_alive());
    }
}

#[test]
fn requests_pass_as_they_are_whatever_they_are() {
    let upstream = Upstream::start(sized("200 OK", "x-own: 1\r\n", b"fine"));
    let guard = Guarded::start(Some(upstream.address), "max_body_mib = 1");
    let long = format!(r#"{{"messages": "{}"}}"#, "x".repeat(500_000));
    for (method, path, body) in [
        ("POST", "/v1/chat/completions", "this is no JSON"),
        ("POST", "/v1/chat/completions", r#"{"messages": []}"#),
        ("POST", "/v1/chat/completions", r#"{"messages": [{"role": "user", "content": 7}]}"#),
        ("POST", "/v1/chat/completions", long.as_str()),
        ("POST", "/v1/embeddings", r#"{"input": "x"}"#),
        ("GET", "/v1/models?limit=3", ""),
        ("DELETE", "/v1/files/a%20b", ""),
        ("PUT", "/anything", "é"),
    ] {
        let answer = send(guard.address, method, path, body.as_bytes());
        assert_eq!((answer.status, answer.text().as_str()), (200, "fine"), "{method} {path}");
        let seen = upstream.requests().pop().unwrap();
        assert!(seen.starts_with(&format!("{method} {path} HTTP/1.1\r\n")), "{seen}");
        assert!(seen.contains("authorization: Bearer k") && seen.ends_with(&format!("\r\n\r\n{body}")), "{path}");
    }
    let answer = send(guard.address, "POST", "/v1/chat/completions", &vec![b'x'; 3 << 20]);
    assert!(answer.status == 413 || answer.status == 0, "{}", answer.status);
    assert!(guard.is_alive());
}
