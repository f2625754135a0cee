//! A run of many chats against `eval` of the same, and how soon the commands on it answer.
//!
//! `cargo build --release && cargo run --release -p carelock-benches --bin runs [CHATS]`

#![expect(clippy::print_stdout, reason = "a benchmark's output is its result")]

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use carelock_benches::{plain_chat, watch};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let count: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(100_000);
    let program = std::env::current_exe()?.with_file_name("carelock");
    let folder = std::env::temp_dir().join(format!("carelock-bench-runs-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let measured = measure(&program, &folder, count);
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn measure(program: &Path, folder: &Path, count: usize) -> Result<(), Failure> {
    write_chats(&folder.join("chats.jsonl"), count)?;
    println!("{count} chats of four turns, embedded judge, all cores");
    let eval = timed(program, folder, "eval chats.jsonl --judge builtin --format jsonl -o reports.jsonl")?;
    let run = timed(program, folder, "run chats.jsonl --judge builtin --name first")?;
    let size = std::fs::metadata(folder.join("carelock.db"))?.len();
    println!("eval to JSONL          {:8.1} s   {:6.0} MB", eval.0.as_secs_f64(), eval.1 as f64 / 1000.0);
    println!(
        "run into SQLite        {:8.1} s   {:6.0} MB (bar: under 300)",
        run.0.as_secs_f64(),
        run.1 as f64 / 1000.0
    );
    println!("ratio                  {:8.2}     (bar: at most 1.5)", run.0.as_secs_f64() / eval.0.as_secs_f64());
    println!("database               {:8.1} MB  {:6.0} bytes a chat", size as f64 / 1e6, size as f64 / count as f64);
    let again = timed(program, folder, "rescore first --as second")?;
    println!("rescore into a copy    {:8.1} s   {:6.0} MB", again.0.as_secs_f64(), again.1 as f64 / 1000.0);
    for command in ["runs", "show first", "show first chat-0000007", "compare first second"] {
        // The best of three: a neighbour's load can only add to it.
        let mut best = timed(program, folder, command)?;
        for _ in 0..2 {
            best = best.min(timed(program, folder, command)?);
        }
        let seconds = best.0.as_secs_f64();
        println!("{command:<24} {seconds:6.2} s   {:6.0} MB (bar: under 1 s)", best.1 as f64 / 1000.0);
    }
    Ok(())
}

fn write_chats(path: &PathBuf, count: usize) -> Result<(), Failure> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    for number in 0..count {
        serde_json::to_writer(&mut file, &plain_chat(number, 4))?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}

/// How long a command takes, and its peak memory in kB.
fn timed(program: &Path, folder: &Path, words: &str) -> Result<(Duration, u64), Failure> {
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(words.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    let peak = watch(&mut command.spawn()?).map_err(|error| format!("carelock {words}: {error}"))?;
    Ok((start.elapsed(), peak))
}
