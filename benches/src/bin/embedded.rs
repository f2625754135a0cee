//! The embedded judge on one core: chats of ten turns a second, the cost of longer chats, and peak memory.
//!
//! `cargo run --release -p carelock-benches --bin embedded`

#![expect(clippy::print_stdout, reason = "a benchmark's output is its result")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use carelock_benches::{long_chat, peak_memory, ten_turn_chats};
use carelock_builtin::Judge;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;

/// A round is timed for at least so long.
const ROUND: Duration = Duration::from_millis(1500);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let chats = ten_turn_chats()?;
    let rubric = Rubric::care_lock();
    let start = Instant::now();
    let judge = Judge::embedded();
    println!("start-up                     {:8.1} ms", start.elapsed().as_secs_f64() * 1000.0);
    let each = best_of_three(&judge, &rubric, &chats);
    println!("{} example chats of ten turns, one core", chats.len());
    println!("chats a second               {:8.0}    (bar: at least 200)", 1.0 / each.as_secs_f64());
    println!("peak memory                  {:8.1} MB (bar: under 200)", peak_memory("self") as f64 / 1000.0);
    let mut first = None;
    for length in [10, 100, 1000, 10_000] {
        let chat = [long_chat(length)?];
        let turn = best_of_three(&judge, &rubric, &chat).as_secs_f64() * 1e6 / length as f64;
        let ratio = turn / *first.get_or_insert(turn);
        println!("a turn in a chat of {length:6}   {turn:8.1} µs ({ratio:.2} of a turn in the shortest)");
    }
    println!("peak memory after the longest{:8.1} MB", peak_memory("self") as f64 / 1000.0);
    Ok(())
}

/// The time a chat takes, in the best of three rounds: a neighbour's load can only add to it.
fn best_of_three(judge: &Judge, rubric: &Rubric, chats: &[Transcript]) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let mut judged: u32 = 0;
        while start.elapsed() < ROUND {
            for chat in chats {
                black_box(judge.judge(rubric, black_box(chat)));
                judged += 1;
            }
        }
        best = best.min(start.elapsed() / judged);
    }
    best
}
