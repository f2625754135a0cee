//! A large JSONL of chats through `carelock eval`, beside a bare parse of the same file into typed values.
//!
//! `cargo run --release -p carelock-benches --bin streaming [MEGABYTES]`; `carelock` must have been built in release.

#![expect(clippy::print_stdout, reason = "a benchmark's output is its result")]

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use carelock_core::transcript::Speaker;
use carelock_core::verdict::Basis;
use indexmap::IndexMap;
use serde::Deserialize;

/// A line of the file as typed values, as a program would hold it.
#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is making the values, not using them")]
struct Line {
    id: String,
    turns: Vec<Turn>,
    verdicts: IndexMap<String, Answer>,
    moments: Vec<Moment>,
    summary: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is making the values, not using them")]
struct Turn {
    idx: u32,
    speaker: Speaker,
    text: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is making the values, not using them")]
struct Answer {
    pass: bool,
    basis: Basis,
    #[serde(default)]
    turns: Vec<u32>,
    quote: Option<String>,
    why: Option<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is making the values, not using them")]
struct Moment {
    id: u32,
    idx: u32,
    speaker: Speaker,
    quote: String,
    why: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let megabytes: u64 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1000);
    let folder = std::env::current_exe()?.parent().map(Path::to_owned).unwrap_or_default();
    let input = folder.join(format!("streaming-{megabytes}.jsonl"));
    let chats = make(&input, megabytes * 1_000_000)?;
    println!("{chats} chats, {megabytes} MB, {} cores", std::thread::available_parallelism()?);
    let carelock = folder.join("carelock");
    let (mut bare, mut eval) = (Duration::MAX, Duration::MAX);
    let mut memory = 0;
    // Interleaved, best of three: a neighbour's load hits both sides alike.
    for _ in 0..3 {
        bare = bare.min(parse(&input, chats)?);
        let (time, peak) = run(&carelock, &input)?;
        eval = eval.min(time);
        memory = memory.max(peak);
    }
    println!("bare serde_json parse into typed values  {:7.2} s", bare.as_secs_f64());
    println!("carelock eval --format jsonl             {:7.2} s", eval.as_secs_f64());
    println!(
        "ratio                                    {:7.2}   (bar: at most 2)",
        eval.as_secs_f64() / bare.as_secs_f64()
    );
    println!("peak memory of carelock                  {:7.1} MB (bar: under 150)", memory as f64 / 1000.0);
    if std::env::var_os("KEEP").is_none() {
        std::fs::remove_file(&input)?;
    }
    Ok(())
}

fn make(path: &PathBuf, bytes: u64) -> Result<usize, Box<dyn std::error::Error>> {
    let kinds: Vec<String> = (0..64).map(|number| carelock_benches::chat_with_answers(number).to_string()).collect();
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut chats) = (0, 0);
    while written < bytes {
        let kind = chats % kinds.len();
        // Only the id differs between repeats, so that making the file stays quick.
        let line = kinds[kind].replacen(&format!("chat-{kind:07}"), &format!("chat-{chats:07}"), 1);
        writeln!(file, "{line}")?;
        written += line.len() as u64 + 1;
        chats += 1;
    }
    file.flush()?;
    Ok(chats)
}

fn parse(path: &PathBuf, chats: usize) -> Result<Duration, Box<dyn std::error::Error>> {
    let start = Instant::now();
    let mut reader = BufReader::with_capacity(1 << 18, File::open(path)?);
    let mut line = Vec::new();
    let mut seen = 0;
    while reader.read_until(b'\n', &mut line)? > 0 {
        let parsed: Line = serde_json::from_slice(&line)?;
        std::hint::black_box(&parsed);
        seen += 1;
        line.clear();
    }
    assert_eq!(seen, chats);
    Ok(start.elapsed())
}

/// Time and peak memory in kB of one evaluation.
fn run(carelock: &Path, input: &Path) -> Result<(Duration, u64), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let mut child = Command::new(carelock)
        .args(["eval", "--format", "jsonl"])
        .arg(input)
        .stdout(File::create("/dev/null")?)
        .stderr(Stdio::null())
        .spawn()?;
    let peak = carelock_benches::watch(&mut child)?;
    let time = start.elapsed();
    Ok((time, peak))
}
