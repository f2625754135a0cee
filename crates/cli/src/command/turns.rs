//! `carelock turns`: shows how a transcript was understood.

use std::io::Write as _;

use anyhow::Result;
use carelock_core::transcript::Transcript;
use carelock_engine::input::{Batches, Chat, ChatInput};
use carelock_engine::options::ReadingOptions;
use serde_json::json;

use crate::cli::TurnsArguments;
use crate::exit;
use crate::message::{self, harmless, say_error, say_left_out};
use crate::output::Output;

pub(super) fn run(arguments: &TurnsArguments) -> Result<u8> {
    let options = ReadingOptions::from(&arguments.reading).reader()?;
    let mut batches = Batches::new(&arguments.paths, arguments.reading.max_size)?
        .skipping_unreadable(arguments.reading.skip_unreadable);
    let mut output = Output::open(None)?;
    let mut failed = 0;
    let mut shown = 0;
    while let Some(batch) = batches.read_next(&options) {
        for read in batch {
            match read {
                Ok(chat) => {
                    if shown > 0 && !arguments.json {
                        writeln!(output)?;
                    }
                    shown += 1;
                    failed += usize::from(!show(chat, arguments.json, &mut output)?);
                }
                Err(unread) if unread.skipped.is_some() => say_left_out(&unread),
                Err(unread) => {
                    say_error(message::unread(&unread));
                    failed += 1;
                }
            }
        }
    }
    output.finish()?;
    Ok(if failed > 0 || shown == 0 { exit::BAD_INPUT } else { exit::DONE })
}

/// Shows one chat; whether it can be judged.
fn show(chat: Chat, as_json: bool, output: &mut Output) -> Result<bool> {
    if !as_json {
        header(&chat, output)?;
    }
    let origin = chat.origin.clone();
    match ChatInput::try_from(chat).map(|input| input.transcript) {
        Ok(transcript) if as_json => {
            writeln!(output, "{}", json!({ "id": transcript.id(), "turns": transcript.turns() }))?;
            Ok(true)
        }
        Ok(transcript) => {
            turns(&transcript, output)?;
            Ok(true)
        }
        Err(error) => {
            // What was understood has just been shown; it comes before the error in reading order.
            output.flush()?;
            say_error(format_args!("{origin}: {}", message::told(&error)));
            Ok(false)
        }
    }
}

fn header(chat: &Chat, output: &mut Output) -> Result<()> {
    writeln!(output, "{}", harmless(&chat.origin))?;
    writeln!(output, "  id      {}", harmless(chat.id()))?;
    match chat.format {
        Some(format) => writeln!(output, "  format  {format}")?,
        None => writeln!(output, "  format  JSONL, a chat a line")?,
    }
    for note in &chat.reading.speakers {
        let (label, because) = (harmless(&note.label), harmless(&note.because));
        writeln!(output, "  {:<6}  {label:?} in {} ({because})", note.taken_for, counted(note.turns))?;
    }
    for (what, count) in &chat.reading.dropped {
        writeln!(output, "  dropped {count} × {}", harmless(what))?;
    }
    for note in chat.warnings.iter().chain(&chat.file_notes).chain(&chat.reading.notes) {
        writeln!(output, "  note    {}", harmless(note))?;
    }
    Ok(())
}

fn counted(turns: usize) -> String {
    if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") }
}

fn turns(transcript: &Transcript, output: &mut Output) -> Result<()> {
    writeln!(output, "  turns   {}", transcript.turns().len())?;
    writeln!(output, "  digest  {}", transcript.digest())?;
    for turn in transcript.turns() {
        writeln!(output)?;
        let mut lines = turn.text.split('\n');
        writeln!(output, "{:>4} {:<6} {}", turn.idx, turn.speaker, harmless(lines.next().unwrap_or_default()))?;
        for line in lines {
            writeln!(output, "{:12}{}", "", harmless(line))?;
        }
    }
    Ok(())
}
