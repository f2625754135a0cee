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

/// The estimate; `known` says whether a judge's answers on a chat need no asking.
pub(super) fn text<'a>(
    judges: impl Iterator<Item = &'a Judge<Client>>,
    rubric: &Rubric,
    subjects: &[Subject],
    known: impl Fn(&Judge<Client>, &Subject) -> bool,
) -> String {
    let prompt = Prompt::new(rubric);
    // Four bytes a token is close for English; the plan that decides what fits is more careful.
    let system = prompt.system().len() as u64 / 4;
    let mut text = String::new();
    // Writing to a String cannot fail, so the results are dropped on purpose.
    let _ = writeln!(text, "{} chats; {system} tokens of each question are the same for all", subjects.len());
    let mut total = Cost::default();
    for judge in judges {
        let open = subjects.iter().filter(|subject| !known(judge, subject));
        let sizes: Vec<u64> = open.map(|subject| system + prompt.chat(&subject.transcript).len() as u64 / 4).collect();
        if sizes.is_empty() {
            let _ = writeln!(text, "{}: all answers are known", judge.name());
            continue;
        }
        let (input, output) = (sizes.iter().sum::<u64>(), ANSWER * sizes.len() as u64);
        let _ = write!(text, "{}: {} to ask, about {input} tokens in and {output} out, ", judge.name(), sizes.len());
        let _ = match &judge.resolved().model.price {
            Some(price) => {
                let cost: Cost = sizes.iter().map(|size| price.estimate(*size, ANSWER)).sum();
                total = [total, cost].into_iter().sum();
                writeln!(text, "about {cost}")
            }
            None => writeln!(text, "price unknown"),
        };
    }
    let _ = writeln!(text, "in all about {total}, before second looks and without provider caches; nothing was sent");
    text
}
