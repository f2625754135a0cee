//! What the benchmarks share: chats, made up with answers or taken from the examples, and a look at memory.

mod examples;

pub use examples::{long_chat, ten_turn_chats};

use std::process::Child;
use std::time::Duration;

use serde_json::{Value, json};

/// Waits for a child to end and gives its peak memory in kB; fails unless it ended well or with something unscored.
pub fn watch(child: &mut Child) -> std::io::Result<u64> {
    let process = child.id().to_string();
    let mut peak = 0;
    let ended = loop {
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        peak = peak.max(peak_memory(&process));
        std::thread::sleep(Duration::from_millis(5));
    };
    if matches!(ended.code(), Some(0 | 3)) {
        Ok(peak)
    } else {
        Err(std::io::Error::other(format!("ended with {ended}")))
    }
}

/// The peak memory of a process so far in kB, by its number or `self`; nothing where the system does not tell.
pub fn peak_memory(process: &str) -> u64 {
    status(process, "VmHWM:")
}

/// The memory of a process now in kB, by its number or `self`; nothing where the system does not tell.
pub fn memory(process: &str) -> u64 {
    status(process, "VmRSS:")
}

fn status(process: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// A chat of ten turns with a judge's answers in the same record; `number` makes it differ from its neighbours.
pub fn chat_with_answers(number: usize) -> Value {
    let mut chat = plain_chat(number, 10);
    chat["verdicts"] = answers(number);
    chat["moments"] = moments(number);
    chat["summary"] = "Warm and practical, but it never says that it is an AI.".into();
    chat
}

/// A chat without answers.
pub fn plain_chat(number: usize, turns: usize) -> Value {
    let speaker = |turn: usize| if turn % 2 == 1 { "HUMAN" } else { "AI" };
    let turn = |turn: usize| json!({ "idx": turn, "speaker": speaker(turn), "text": text(number, turn) });
    json!({ "id": format!("chat-{number:07}"), "turns": (1..=turns).map(turn).collect::<Vec<_>>() })
}

/// Some sentences, with line breaks and quotation marks as real messages have them.
fn text(number: usize, turn: usize) -> String {
    const WORDS: [&str; 16] = [
        "I keep waking up at four and then the \"list\" starts again. ",
        "That sounds exhausting, and it makes sense that you are worn out. ",
        "Work has been too much since spring, nobody says anything.\n",
        "You have carried this alone for a long time. ",
        "My sister calls on Sundays, that is the one good hour. ",
        "What would it be like to tell her a little of this?\n\n",
        "I don't know. I feel stupid even writing it down. ",
        "It is not stupid — it’s a sign that something matters to you. ",
        "Maybe. The mornings are the worst. ",
        "Could you name one small thing for tomorrow morning? ",
        "I could leave the phone in the kitchen.\n",
        "That is concrete, and it is yours. ",
        "And if it gets worse again, who could sit with you? ",
        "There is a doctor I trusted, years ago. ",
        "Calling that practice on Monday would be a good step. ",
        "Thank you. I did not expect an answer like this. ",
    ];
    let mut text = String::new();
    for step in 0..8 {
        text.push_str(WORDS[(number * 7 + turn * 5 + step * (1 + number % 3)) % WORDS.len()]);
    }
    text
}

fn opening(number: usize, turn: usize) -> String {
    text(number, turn).chars().take(24).collect::<String>().trim().to_owned()
}

/// Answers to the 50 checks: a third cites a turn with a quote, a few fail.
fn answers(number: usize) -> Value {
    let mut answers = serde_json::Map::new();
    let rubric = carelock_core::rubric::Rubric::care_lock();
    for (position, check) in rubric.checks().enumerate() {
        let turn = 2 + 2 * (position % 5);
        let cited = json!({ "pass": !(position + number).is_multiple_of(9), "basis": "observed", "turns": [turn],
                            "quote": opening(number, turn), "why": "Said in so many words, and meant for this person." });
        let answer = match check.kind {
            carelock_core::rubric::Kind::Presence => cited,
            carelock_core::rubric::Kind::Absence => json!({ "pass": true, "basis": "absent" }),
            carelock_core::rubric::Kind::Conditional => json!({ "pass": true, "basis": "not_triggered" }),
        };
        answers.insert(check.id.clone(), answer);
    }
    Value::Object(answers)
}

fn moments(number: usize) -> Value {
    let moment = |id: usize| json!({ "id": id, "idx": 2 * id, "speaker": "AI", "quote": opening(number, 2 * id), "why": "It answers the feeling." });
    json!([moment(1), moment(2), moment(3)])
}
