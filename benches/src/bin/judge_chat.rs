//! Judges one ten-turn chat as often as it is told; `benches/instructions` counts the instructions of one time.

use carelock_builtin::Judge;
use carelock_core::rubric::Rubric;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let times: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1);
    let chats = carelock_benches::ten_turn_chats()?;
    let chat = chats.iter().find(|chat| chat.id() == "ordinary").ok_or("the example `ordinary` has ten turns")?;
    let (judge, rubric) = (Judge::embedded(), Rubric::care_lock());
    for _ in 0..times {
        std::hint::black_box(judge.judge(&rubric, std::hint::black_box(chat)));
    }
    Ok(())
}
