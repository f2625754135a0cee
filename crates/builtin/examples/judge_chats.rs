//! Judges chats and writes what the judge sends, a line a chat: `judge_chats [THREADS] < chats.jsonl > submissions`.
//!
//! A chat is a line of JSON, `{"id": …, "turns": [{"speaker": "HUMAN", "text": …}, …]}`. The lines come out in the order of the
//! chats whatever the number of threads, so that the outputs of two builds can be compared byte by byte.

use std::io::{BufRead, Write};

use carelock_builtin::Judge;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Transcript};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    id: String,
    turns: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    speaker: Speaker,
    text: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let threads: usize = std::env::args().nth(1).map_or(Ok(1), |word| word.parse())?;
    let mut chats = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let Line { id, turns } = serde_json::from_str(&line?)?;
        chats.push(Transcript::new(id, turns.into_iter().map(|said| (said.speaker, said.text)).collect())?);
    }
    let (judge, rubric) = (Judge::embedded(), Rubric::care_lock());
    let judged = |chat: &Transcript| format!("{} {:?}", chat.id(), judge.judge(&rubric, chat));
    let share = chats.len().div_ceil(threads.max(1)).max(1);
    let lines: Vec<String> = std::thread::scope(|scope| {
        let parts = chats.chunks(share);
        let running: Vec<_> =
            parts.map(|part| scope.spawn(|| part.iter().map(judged).collect::<Vec<String>>())).collect();
        running.into_iter().flat_map(|part| part.join().unwrap_or_else(|_| vec!["panicked".to_owned()])).collect()
    });
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(())
}
