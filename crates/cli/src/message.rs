//! Messages to the person: on standard error, and never able to steer the terminal.

use std::fmt::Display;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use carelock_core::problem::{Setting, Words};
use carelock_engine::error::problem;
use carelock_engine::event::Events;
use carelock_engine::input::{Skipped, Unread};

/// What stands on the last line of the terminal and will be written over; empty where nothing does.
static STATUS: Mutex<String> = Mutex::new(String::new());

/// Back to the start of the line, and nothing left on it.
const ERASE: &str = "\r\u{1b}[K";

/// Whether only errors are said.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Says from now on only what is wrong.
pub(crate) fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether only errors are said, and nothing is written to standard output that could be read off the exit code.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Says something on standard error, unless only errors are wanted. What came from a file may be in it, so control characters are shown, not sent.
pub(crate) fn say(message: impl Display) {
    if !is_quiet() {
        write(message);
    }
}

fn write(message: impl Display) {
    let status = STATUS.lock().unwrap_or_else(PoisonError::into_inner);
    let message = harmless(&message.to_string());
    if status.is_empty() {
        anstream::eprintln!("carelock: {message}");
    } else {
        anstream::eprint!("{ERASE}carelock: {message}\n{status}");
    }
}

/// Shows how things stand on the last line of the terminal, where there is one, in the place of what stood there; an
/// empty text removes it.
pub(crate) fn show_status(text: &str) {
    if is_quiet() || !std::io::stderr().is_terminal() {
        return;
    }
    let mut status = STATUS.lock().unwrap_or_else(PoisonError::into_inner);
    if *status != text {
        *status = harmless(text);
        anstream::eprint!("{ERASE}{status}");
    }
}

/// Says that something is wrong.
pub(crate) fn say_error(message: impl Display) {
    write(format_args!("error: {message}"));
}

/// What an error amounts to, in the words of the command line.
pub(crate) fn told(error: &anyhow::Error) -> String {
    problem(error).worded(&CommandLine)
}

/// A chat that could not be read, in the words of the command line.
pub(crate) fn unread(unread: &Unread) -> String {
    format!("{}: {}", unread.origin, unread.problem.worded(&CommandLine))
}

/// Names a file that is left out although it may hold a chat; litter in folders is only counted.
pub(crate) fn say_left_out(unread: &Unread) {
    if unread.skipped == Some(Skipped::Unreadable) {
        say(format_args!("left out {}: {}", unread.origin, unread.problem.what()));
    }
}

/// A number of things: `1 chat`, `2 chats`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Options of the command line, where a remedy asks for something.
pub(crate) struct CommandLine;

impl Words for CommandLine {
    fn use_speakers(&self) -> String {
        "use --human NAME --ai NAME".to_owned()
    }

    fn with_speakers(&self) -> String {
        "with --human NAME --ai NAME".to_owned()
    }

    fn human(&self, label: Option<&str>) -> String {
        label.map_or_else(|| "--human".to_owned(), |label| format!("--human \"{label}\""))
    }

    fn ai(&self, label: Option<&str>) -> String {
        label.map_or_else(|| "--ai".to_owned(), |label| format!("--ai \"{label}\""))
    }

    fn other(&self, label: &str) -> String {
        format!("--other \"{label}\"")
    }

    fn ignored(&self, label: &str) -> String {
        format!("--ignore-speaker \"{label}\"")
    }

    fn not_a_speaker(&self, label: &str) -> String {
        format!("--not-a-speaker \"{label}\"")
    }

    fn setting(&self, setting: Setting) -> String {
        format!("--{}", setting.name().replace('_', "-"))
    }
}

/// How often a plain line says how far something is, where there is no terminal.
pub(crate) const PLAIN: Duration = Duration::from_secs(30);

/// Events of the engine, said as they come.
pub(crate) fn events() -> Events {
    let said = Mutex::new(Instant::now());
    Events::new(move |event| match event {
        event if event.is_progress() => {
            let text = event.to_string();
            let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
            if !std::io::stderr().is_terminal() && !text.is_empty() && said.elapsed() >= PLAIN {
                *said = Instant::now();
                say(text);
            } else {
                show_status(&text);
            }
        }
        event if event.is_error() => say_error(event),
        event => say(event),
    })
}

/// Text whose control characters are written out; line breaks and tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() && !matches!(character, '\n' | '\t') {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Asks a question on standard error, so that standard output stays empty.
pub(crate) fn is_agreed(question: &str) -> std::io::Result<bool> {
    anstream::eprint!("carelock: {question} [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer)?;
    if read == 0 {
        anstream::eprintln!();
    }
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_line_breaks_kept() {
        assert_eq!(harmless("a\n\tb\u{1b}[2J\u{7}"), "a\n\tb\\u{1b}[2J\\u{7}");
    }
}
