//! What a run would take and cost, before anything is sent.

use std::fmt::Write as _;

use carelock_core::rubric::Rubric;
use carelock_judge::ask::Judge;
use carelock_judge::http::Client;
use carelock_judge::prompt::Prompt;
use carelock_judge::provider::Cost;

use super::Subject;

/// Tokens an answer takes, as measured on the example chats.
const ANSWER: u64 = 1_700;

pub(super) fn text(judges: &[Judge<Client>], rubric: &Rubric, subjects: &[Subject]) -> String {
    let prompt = Prompt::new(rubric);
    // Four bytes a token is close for English; the plan that decides what fits is more careful.
    let system = prompt.system().len() as u64 / 4;
    let sizes: Vec<u64> = subjects.iter().map(|subject| prompt.chat(&subject.transcript).len() as u64 / 4).collect();
    let chats: u64 = sizes.iter().sum();
    let input = chats + system * sizes.len() as u64;
    let output = ANSWER * sizes.len() as u64;
    let mut text = String::new();
    // Writing to a String cannot fail, so the results are dropped on purpose.
    let _ = writeln!(
        text,
        "{} chats: about {input} tokens in ({system} a chat are the same for all), {output} out",
        sizes.len()
    );
    let mut total = Cost::default();
    for judge in judges {
        match &judge.resolved().model.price {
            Some(price) => {
                let cost: Cost = sizes.iter().map(|size| price.estimate(size + system, ANSWER)).sum();
                total = [total, cost].into_iter().sum();
                let _ = writeln!(text, "{}: about {cost}", judge.name());
            }
            None => {
                let _ = writeln!(text, "{}: price unknown", judge.name());
            }
        }
    }
    let _ = writeln!(text, "in all about {total}, before second looks and without provider caches; nothing was sent");
    text
}
