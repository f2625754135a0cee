//! A model server on loopback that lets every question wait until the test releases it.

use anyhow::{Result, bail};
use carelock_core::rubric::{Kind, Rubric};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many questions came, and how many may be answered.
#[derive(Default)]
struct Counts {
    asked: usize,
    allowed: usize,
}

#[derive(Default)]
struct Gate {
    counts: Mutex<Counts>,
    changed: Condvar,
}

/// The server; it ends with the test's process.
pub(crate) struct SlowJudge {
    address: SocketAddr,
    gate: Arc<Gate>,
}

impl SlowJudge {
    pub(crate) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (address, gate) = (listener.local_addr()?, Arc::new(Gate::default()));
        let held = Arc::clone(&gate);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let gate = Arc::clone(&held);
                std::thread::spawn(move || serve(stream, &gate));
            }
        });
        Ok(Self { address, gate })
    }

    /// The settings that make it a judge on offer.
    pub(crate) fn settings(&self) -> String {
        format!("judge = [\"{}\"]\nsecond_look = false\nconcurrency = 1\n", self.name())
    }

    /// Its name among the judges.
    pub(crate) fn name(&self) -> String {
        format!("http://{}/v1#slow", self.address)
    }

    /// Lets so many more questions be answered.
    pub(crate) fn release(&self, questions: usize) {
        let mut counts = self.gate.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.allowed = counts.allowed.saturating_add(questions);
        self.gate.changed.notify_all();
    }

    /// Waits until so many questions have come since the start.
    pub(crate) fn wait_for(&self, questions: usize) -> Result<()> {
        let until = Instant::now() + Duration::from_secs(20);
        let mut counts = self.gate.counts.lock().unwrap_or_else(PoisonError::into_inner);
        while counts.asked < questions {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!("only {} questions came", counts.asked);
            }
            counts = self.gate.changed.wait_timeout(counts, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

impl Gate {
    fn pass(&self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.asked += 1;
        self.changed.notify_all();
        while counts.allowed == 0 {
            counts = self.changed.wait(counts).unwrap_or_else(PoisonError::into_inner);
        }
        counts.allowed -= 1;
    }
}

fn serve(mut stream: TcpStream, gate: &Gate) -> Result<()> {
    let asked = read(&stream)?;
    gate.pass();
    let usage = json!({ "prompt_tokens": 5000, "completion_tokens": 1500, "total_tokens": 6500 });
    let message = json!({ "role": "assistant", "content": answer(&asked).to_string() });
    let choices = json!([{ "index": 0, "finish_reason": "stop", "message": message }]);
    let body = json!({ "id": "x", "object": "chat.completion", "model": "slow-1", "choices": choices, "usage": usage });
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )?;
    Ok(())
}

fn read(stream: &TcpStream) -> Result<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// Nothing good is seen, and nothing bad: an answer that needs no evidence.
fn answer(asked: &Value) -> Value {
    let rubric = Rubric::care_lock();
    let schema = &asked["response_format"]["json_schema"]["schema"]["properties"];
    let wanted = |id: &str| schema["verdicts"]["properties"].get(id).is_some();
    let verdict = |kind: Kind| match kind {
        Kind::Presence => "fail",
        Kind::Absence => "pass",
        Kind::Conditional => "not_triggered",
    };
    let one = |kind: Kind| json!({ "why": "", "verdict": verdict(kind), "turns": [], "quote": "" });
    let checks = rubric.checks().filter(|check| wanted(&check.id));
    let verdicts: Map<String, Value> = checks.map(|check| (check.id.clone(), one(check.kind))).collect();
    let parts = [("moments", json!([])), ("positive", json!([])), ("negative", json!([])), ("summary", json!("Said."))];
    let parts = parts.into_iter().filter(|(name, _)| schema.get(name).is_some());
    let mut whole: Map<String, Value> = parts.map(|(name, value)| (name.to_owned(), value)).collect();
    whole.insert("verdicts".to_owned(), Value::Object(verdicts));
    Value::Object(whole)
}
