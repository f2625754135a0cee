//! What a run would take and cost, before anything is sent.

use std::fmt::Write as _;

use carelock_core::report::safe_text::one_line;
use carelock_core::report::wrap;
use carelock_core::rubric::Rubric;
use carelock_judge::cascade;
use carelock_judge::prompt::Prompt;
use carelock_judge::provider::Cost;

use super::{Model, Subject};
use crate::figures::{plural, time_span};

/// Tokens an answer to all checks takes, as measured on the example chats.
const ANSWER: u64 = 1_700;
/// Tokens of an answer that models write in a second: hosted ones, and small ones on a machine without a graphics card.
const FAST_AND_SLOW: [u64; 2] = [50, 10];
/// The most chats whose checks are listed; more than that is no list to read.
const LISTED: usize = 20;
/// The columns of the list.
const WIDTH: usize = 80;

/// What a model would be asked.
pub(super) struct Inquiry<'a> {
    pub(super) model: &'a Model,
    /// Whether the embedded judge answers what it is sure of.
    pub(super) divides: bool,
    /// How many checks it is sure of, over all chats.
    pub(super) answered: usize,
    /// The chats whose answers are not known, with the checks to ask where it is not all of them.
    pub(super) open: Vec<(&'a Subject, Option<Vec<String>>)>,
}

/// The estimate.
pub(super) fn text(rubric: &Rubric, chats: usize, at_once: usize, inquiries: &[Inquiry<'_>]) -> String {
    let whole = Prompt::new(rubric);
    let mut text = String::new();
    // Writing to a String cannot fail, so the results are dropped on purpose.
    let _ = write!(text, "{chats} {}", if chats == 1 { "chat" } else { "chats" });
    if inquiries.iter().any(|inquiry| !inquiry.divides) {
        let _ = write!(text, "; {} tokens of each question are the same for all", tokens(whole.system()));
    }
    text.push('\n');
    let taken: Vec<(Option<Cost>, u64)> =
        inquiries.iter().map(|inquiry| inquiry.write(rubric, &whole, chats, &mut text)).collect();
    let costs: Vec<Option<Cost>> = taken.iter().map(|(cost, _)| *cost).collect();
    let total: Cost = costs.iter().flatten().copied().sum();
    let unknown = costs.iter().filter(|cost| cost.is_none()).count();
    let all = match (unknown, costs.len()) {
        (0, _) => format!("about {total}"),
        (unknown, all) if unknown == all => "an unknown amount (no price is known)".to_owned(),
        (1, _) => format!("about {total} and what the judge costs whose price is unknown"),
        (unknown, _) => format!("about {total} and what the {unknown} judges cost whose price is unknown"),
    };
    let _ = writeln!(text, "in all {all}, before second looks and without provider caches; nothing was sent");
    // Judges are asked side by side, so the slowest one decides.
    let written = taken.iter().map(|(_, written)| *written).max().unwrap_or_default();
    if written > 0 {
        let at_once = at_once.clamp(1, chats.max(1));
        let [fast, slow] = FAST_AND_SLOW.map(|speed| time_span(written as f64 / (speed as f64 * at_once as f64)));
        let [quick, lame] = FAST_AND_SLOW;
        let _ = writeln!(
            text,
            "time: about {fast} where the model writes {quick} tokens a second, {slow} where it writes {lame}; {} at once",
            plural(at_once, "chat")
        );
    }
    text
}

/// Four bytes a token is close for English; the plan that decides what fits is more careful.
fn tokens(text: &str) -> u64 {
    text.len() as u64 / 4
}

impl Inquiry<'_> {
    /// Writes what this one takes; what it costs, where that is known, and the tokens that are to be written.
    fn write(&self, rubric: &Rubric, whole: &Prompt, chats: usize, text: &mut String) -> (Option<Cost>, u64) {
        let name = self.model.name();
        let name = if self.divides { cascade::name(&name) } else { name };
        let checks = rubric.checks().len();
        if self.divides {
            let (sure, all, first) = (self.answered, chats * checks, carelock_builtin::NAME);
            let _ = writeln!(text, "{name}: {first} is sure of {sure} of {all} checks");
        }
        if self.open.is_empty() {
            let _ = writeln!(text, "{name}: all answers are known");
            return (Some(Cost::default()), 0);
        }
        let sizes: Vec<(u64, u64)> =
            self.open.iter().map(|(subject, only)| size(rubric, whole, subject, only)).collect();
        let input: u64 = sizes.iter().map(|(input, _)| input).sum();
        let output: u64 = sizes.iter().map(|(_, output)| output).sum();
        let _ = write!(text, "{name}: {} to ask, about {input} tokens in and {output} out, ", sizes.len());
        let price = self.model.resolved().model.price.as_ref();
        let cost = price.map(|price| sizes.iter().map(|(input, output)| price.estimate(*input, *output)).sum::<Cost>());
        let _ = match cost {
            Some(cost) => writeln!(text, "about {cost}"),
            None => writeln!(text, "price unknown"),
        };
        self.list(checks, text);
        (cost, output)
    }

    /// Lists the checks that would be sent for each chat.
    fn list(&self, all: usize, text: &mut String) {
        let partly = self.open.iter().filter_map(|(subject, only)| Some((subject, only.as_ref()?)));
        for (subject, only) in partly.take(LISTED) {
            let checks = if only.len() == all { "all checks".to_owned() } else { only.join(", ") };
            let line = one_line(&format!("{}: {checks}", subject.transcript.id()));
            for (number, part) in wrap(&line, WIDTH - 4).iter().enumerate() {
                let _ = writeln!(text, "{}{part}", if number == 0 { "  " } else { "    " });
            }
        }
        if self.divides && self.open.len() > LISTED {
            let _ = writeln!(text, "  … and {} more chats", self.open.len() - LISTED);
        }
    }
}

/// Tokens of a question and of its answer.
fn size(rubric: &Rubric, whole: &Prompt, subject: &Subject, only: &Option<Vec<String>>) -> (u64, u64) {
    let of = |prompt: &Prompt| tokens(prompt.system()) + tokens(&prompt.chat(&subject.transcript));
    match only {
        Some(checks) => {
            let output = ANSWER * checks.len() as u64 / rubric.checks().len().max(1) as u64;
            (of(&Prompt::focused(rubric, checks)), output)
        }
        None => (of(whole), ANSWER),
    }
}
