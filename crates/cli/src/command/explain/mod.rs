//! `carelock explain`: how the embedded judge came to its verdict on one check.

mod page;

use std::io::Write as _;

use anyhow::{Result, anyhow};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_engine::embedded::Embedded;
use carelock_engine::input::one_transcript;
use carelock_engine::rubric_file::load_rubric;
use carelock_engine::runs::{Database, OpenRun, is_absence, is_file, shell_word};
use carelock_store::OpenMode;
use serde_json::{Value, json};

use crate::cli::{Colour, ExplainArguments, ExplainFormat};
use crate::exit;
use crate::message::{say, say_error};
use crate::output::Output;
use crate::terminal;

/// The name of the JSON format this version writes.
const EXPLANATION_SCHEMA: &str = "carelock/explanation/1";

pub(super) fn run(arguments: &ExplainArguments, colour: Colour) -> Result<u8> {
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let position = rubric.position(&arguments.check).ok_or_else(|| no_such_check(&rubric, &arguments.check))?;
    let transcript = transcript(arguments)?;
    let embedded = Embedded::default();
    let Some(explanation) = embedded.judge().explain(&rubric, &transcript, &arguments.check) else {
        let problem = Problem::new(format!("{}: the embedded judge does not know this check", arguments.check));
        say_error(problem.advice("explain a check of the shipped rubric"));
        return Ok(exit::UNSCORED);
    };
    let text = match arguments.format {
        ExplainFormat::Text => {
            let style = terminal::text_style(colour, false);
            page::text(&explanation, rubric.check(position), rule(&arguments.check), &transcript, &style)
        }
        ExplainFormat::Json => {
            let mut value = json!({ "schema": EXPLANATION_SCHEMA, "chat": transcript.id() });
            if let (Value::Object(whole), Value::Object(parts)) = (&mut value, serde_json::to_value(&explanation)?) {
                whole.extend(parts);
            }
            format!("{value:#}\n")
        }
    };
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}

/// The chat of a file, or of a run.
fn transcript(arguments: &ExplainArguments) -> Result<Transcript> {
    let (path, database) = (&arguments.path, arguments.database.db.as_deref());
    let of_run = match arguments.chat.as_deref() {
        Some(chat) if !is_file(path, database)? => Some(chat),
        _ => None,
    };
    let Some(chat) = of_run else {
        return one_transcript(path, arguments.chat.as_deref(), &(&arguments.reading).into(), "an explanation");
    };
    let found = Database::open(database, OpenMode::Existing).and_then(|database| {
        let open = OpenRun::find(&database, path)?;
        if !open.config.judges.iter().any(|judge| judge == carelock_builtin::NAME) {
            let judges = open.config.judges.join(", ");
            say(format_args!("the run was judged by {judges}; this is what the embedded judge sees in the chat"));
        }
        open.transcript(&database, chat)
    });
    let found = found.map_err(|error| match is_absence(&error) {
        true => error.context(format!("{path}: there is no such file, and no such run")),
        false => error,
    })?;
    found.ok_or_else(|| {
        let fix = format!("`carelock show {} --text WORDS` looks for chats", shell_word(path));
        anyhow!(Problem::new(format!("run {path:?} has no chat {chat:?}")).advice(fix))
    })
}

/// How the embedded judge decides a check. It knows the gates of the shipped rubric, whatever rubric is in use.
fn rule(check: &str) -> page::Rule {
    let shipped = Rubric::care_lock();
    let is_gate = shipped.position(check).is_some_and(|position| shipped.is_gate_check(position));
    if is_gate { page::Rule::Sentence } else { page::Rule::Chat }
}

fn no_such_check(rubric: &Rubric, id: &str) -> anyhow::Error {
    let near = near(rubric, id);
    let hint = if near.is_empty() { String::new() } else { format!(" (near it: {})", near.join(", ")) };
    anyhow!(
        Problem::new(format!("the rubric has no check {id:?}{hint}")).advice("use one of the ids of `carelock rubric`")
    )
}

/// The ids that may have been meant: the same but for case, else a letter away, else those that begin alike.
fn near<'a>(rubric: &'a Rubric, id: &str) -> Vec<&'a str> {
    /// More would be a list and not a hint.
    const MOST: usize = 6;
    let plain = |id: &str| id.trim().to_uppercase();
    let letters = |id: &str| plain(id).trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
    let wanted = plain(id);
    let ids = || rubric.checks().map(|check| check.id.as_str());
    let same: Vec<&str> = ids().filter(|id| plain(id) == wanted).collect();
    let close = || ids().filter(|id| is_a_letter_away(&plain(id), &wanted)).collect::<Vec<_>>();
    let alike = || ids().filter(|other| letters(other) == letters(id)).collect::<Vec<_>>();
    let mut found = [same, close(), alike()].into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    found.truncate(MOST);
    found
}

/// Whether one letter added, left out or changed makes one text the other.
fn is_a_letter_away(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let start = short.iter().zip(&long).take_while(|(left, right)| left == right).count();
    let skipped = usize::from(short.len() == long.len());
    short.get(start + skipped..).unwrap_or_default() == long.get(start + 1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_not_there_is_met_with_those_near_it() {
        let rubric = Rubric::care_lock();
        assert_eq!(near(&rubric, "b2"), ["B2"]);
        assert_eq!(near(&rubric, "B9"), ["B1", "B2", "B3", "B4", "B5"]);
        assert!(near(&rubric, "ES11").contains(&"ES1"));
        assert!(near(&rubric, "ES77").contains(&"ES2"), "those that begin alike");
        assert!(near(&rubric, "nonsense").is_empty() && near(&rubric, "").is_empty());
        let said = no_such_check(&rubric, "b2").to_string();
        assert!(said.starts_with("the rubric has no check \"b2\" (near it: B2)\n  fix: "), "{said}");
    }

    #[test]
    fn gates_are_decided_by_a_sentence_and_other_checks_by_the_chat() {
        let by_sentence = |check: &str| rule(check) == page::Rule::Sentence;
        assert!(["B2", "ES1", "ES2"].into_iter().all(by_sentence));
        assert!(!["E1", "AD5", "a check of your own"].into_iter().any(by_sentence));
    }
}
