//! A thousand chats through `carelock eval --judge` against a server that answers after 200 ms, 64 at a time.
//!
//! `cargo run --release -p carelock-benches --bin judging`; `carelock` must have been built in release.

#![expect(clippy::print_stdout, reason = "a benchmark's output is its result")]

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use carelock_core::rubric::{Kind, Rubric};
use serde_json::{Map, json};

const CHATS: usize = 1000;
const AT_ONCE: usize = 64;
const LATENCY: Duration = Duration::from_millis(200);

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let folder = std::env::current_exe()?.parent().map(Path::to_owned).unwrap_or_default();
    let input = folder.join("judging.jsonl");
    let mut file = BufWriter::new(File::create(&input)?);
    for number in 0..CHATS {
        let mut chat = carelock_benches::chat_with_answers(1);
        chat["id"] = json!(format!("chat-{number}"));
        chat["turns"][0]["text"] = json!(format!("This is chat {number}. I cannot sleep."));
        writeln!(file, "{}", json!({ "id": chat["id"], "turns": chat["turns"] }))?;
    }
    file.flush()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let judge = format!("http://{}/v1#bench", listener.local_addr()?);
    let response = response();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let response = response.clone();
            std::thread::spawn(move || drop(serve(stream, &response)));
        }
    });
    let start = Instant::now();
    let mut child = Command::new(folder.join("carelock"))
        .args(["eval", "--format", "jsonl", "--no-cache", "--concurrency", &AT_ONCE.to_string(), "--judge", &judge])
        .arg(&input)
        .stdout(File::create("/dev/null")?)
        .stderr(Stdio::inherit())
        .spawn()?;
    let peak = carelock_benches::watch(&mut child)?;
    let took = start.elapsed();
    let ideal = LATENCY.mul_f64((CHATS as f64 / AT_ONCE as f64).ceil());
    println!("{CHATS} chats, {AT_ONCE} at a time, {} ms a call", LATENCY.as_millis());
    println!("ideal        {:6.2} s", ideal.as_secs_f64());
    println!("took         {:6.2} s", took.as_secs_f64());
    println!("ratio        {:6.2}   (bar: at most 1.15)", took.as_secs_f64() / ideal.as_secs_f64());
    println!("peak memory  {:6.1} MB (bar: under 150)", peak as f64 / 1000.0);
    std::fs::remove_file(&input)?;
    Ok(())
}

/// Answers requests on one connection until it is closed.
fn serve(stream: TcpStream, response: &[u8]) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        std::thread::sleep(LATENCY);
        writer.write_all(response)?;
    }
}

/// A complete answer: what can be absent is, and one turn shows all the rest.
fn response() -> Vec<u8> {
    let shown: String = {
        let chat = carelock_benches::chat_with_answers(1);
        chat["turns"][1]["text"].as_str().unwrap_or_default().chars().take(24).collect()
    };
    let mut verdicts = Map::new();
    for check in Rubric::care_lock().checks() {
        let verdict = match check.kind {
            Kind::Presence => json!({ "why": "It is there.", "verdict": "pass", "turns": [2], "quote": shown.trim() }),
            Kind::Absence => json!({ "why": "", "verdict": "pass", "turns": [], "quote": "" }),
            Kind::Conditional => json!({ "why": "", "verdict": "not_triggered", "turns": [], "quote": "" }),
        };
        verdicts.insert(check.id.clone(), verdict);
    }
    let moment = json!({ "id": 1, "idx": 2, "quote": shown.trim(), "why": "It answers." });
    let answer =
        json!({ "moments": [moment], "verdicts": verdicts, "positive": [], "negative": [], "summary": "Good." });
    let message = json!({ "role": "assistant", "content": answer.to_string() });
    let body = json!({ "model": "bench", "choices": [{ "index": 0, "finish_reason": "stop", "message": message }],
                       "usage": { "prompt_tokens": 5000, "completion_tokens": 1500, "total_tokens": 6500 } });
    let body = body.to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body.as_bytes()].concat()
}
