//! Chats that are judged while they go on: what a streamed sentence and a turn cost, and what an open chat takes.
//!
//! `cargo run --release -p carelock-benches --bin watching [OPEN CHATS]`

#![expect(clippy::print_stdout, reason = "a benchmark's output is its result")]

use std::sync::Arc;
use std::time::Duration;

use carelock_benches::{memory, plain_chat};
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Speaker;
use carelock_engine::session::{Session, Watcher};
use carelock_guard::sessions::{Bounds, Sessions};

/// A chat of usual length: so many turns, and about so many bytes in all.
const TURNS: usize = 10;
const BYTES: usize = 2000;

/// A long one, as recorded chats of half an hour are.
const LONG_TURNS: usize = 28;
const LONG_BYTES: usize = 31_000;

type Said = Vec<(Speaker, String)>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let open = std::env::args().nth(1).map_or(Ok(10_000), |number| number.parse::<usize>())?;
    let watcher = Arc::new(Watcher::new(Rubric::care_lock(), Arc::default()));
    watcher.warm_up();
    for (name, turns, bytes) in [("usual", TURNS, BYTES), ("long", LONG_TURNS, LONG_BYTES)] {
        costs(name, &watcher, turns, bytes);
    }
    for (name, turns, bytes, open) in
        [("usual", TURNS, BYTES, open), ("long", LONG_TURNS, LONG_BYTES, open.div_ceil(20)), ("new", 1, 40, open)]
    {
        if open > 0 {
            takes(name, &watcher, turns, bytes, open);
        }
    }
    Ok(())
}

/// A chat of so many turns and about so many bytes; no two numbers give the same.
fn chat(number: usize, turns: usize, bytes: usize) -> Said {
    let each = bytes / turns;
    let turn = |turn: usize| {
        let mut text = String::new();
        let mut part = 0;
        while text.len() < each {
            let more = plain_chat(number + part * 31, turn);
            text.push_str(more["turns"][turn - 1]["text"].as_str().unwrap_or_default());
            part += 1;
        }
        text.truncate(text.floor_char_boundary(each));
        (if turn % 2 == 1 { Speaker::Human } else { Speaker::Ai }, text)
    };
    (1..=turns).map(turn).collect()
}

/// Where the sentences of a text end.
fn ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let ended = text.match_indices(['.', '?', '!']).map(|(place, sign)| place + sign.len());
    ended.chain([text.len()])
}

/// Goes through a few chats turn by turn, every reply sentence by sentence.
fn costs(name: &str, watcher: &Arc<Watcher>, turns: usize, bytes: usize) {
    let (mut sentences, mut pushed, mut cold) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..2 {
        let mut session = Session::new("chat", Arc::clone(watcher));
        for (speaker, text) in chat(number, turns, bytes) {
            if speaker == Speaker::Ai {
                for end in ends(&text) {
                    sentences.push(timed(|| session.preview(&text[..end], false)));
                }
            } else {
                session.cool();
                cold.push(timed(|| session.preview("Yes.", false)));
            }
            pushed.push(timed(|| session.push(speaker, &text)));
        }
    }
    println!("{name} chat, {turns} turns, {bytes} bytes: processor time");
    show("a streamed sentence", sentences);
    show("the first one after it was cooled", cold);
    show("a turn", pushed);
}

/// The processor time of some work: what a neighbour takes does not count.
fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = processor_time();
    std::hint::black_box(work());
    processor_time().saturating_sub(start)
}

/// The processor time of this thread so far; where the system does not tell, nothing.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or_default())
}

fn show(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() as f64 * share) as usize).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!("  {name:34} median {:7.2} ms   p99 {:7.2} ms   ({} times)", at(0.5), at(0.99), times.len());
}

/// Opens chats as the guard does, on every core, and looks at memory after the first tenth and after all: what the judge
/// itself takes is not counted.
fn takes(name: &str, watcher: &Arc<Watcher>, turns: usize, bytes: usize, open: usize) {
    let sessions = Sessions::new(Arc::clone(watcher), Bounds { most: open, warm: 0, ..Bounds::default() });
    let first = open / 10;
    fill(&sessions, 0..first, turns, bytes);
    let before = memory("self");
    fill(&sessions, first..open, turns, bytes);
    let each = memory("self").saturating_sub(before) as f64 / (open - first).max(1) as f64;
    let count = sessions.count();
    println!("{count} open {name} chats of {turns} turns and {bytes} bytes: {each:.1} kB each (bar: 100)");
}

fn fill(sessions: &Sessions, numbers: std::ops::Range<usize>, turns: usize, bytes: usize) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for core in 0..cores {
            let numbers = numbers.clone();
            scope.spawn(move || {
                for number in numbers.skip(core).step_by(cores) {
                    let Ok(Some((key, entry))) = sessions.begin(None, "bench") else { return };
                    let Ok(mut session) = entry.session.try_lock() else { return };
                    for (speaker, text) in chat(number, turns, bytes) {
                        let changes = session.push(speaker, &text);
                        sessions.note(&key, &entry, &session, &changes, None);
                    }
                    session.cool();
                }
            });
        }
    });
}
