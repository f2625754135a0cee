//! `carelock sheet`: writes a rating sheet.

use std::io::Write as _;

use anyhow::{Result, anyhow, bail};
use carelock_core::verdict::{sheet_csv, sheet_json};

use crate::cli::{SheetArguments, SheetFormat};
use crate::exit;
use crate::input::{Batches, read_options};
use crate::output::Output;

pub(super) fn run(arguments: &SheetArguments) -> Result<u8> {
    let rubric = super::rubric::load(&arguments.rubric)?;
    let options = read_options(&arguments.reading);
    let mut batches = Batches::new(std::slice::from_ref(&arguments.path), arguments.reading.max_size)?;
    let mut chats = Vec::new();
    while let Some(batch) = batches.next() {
        for read in batch.read(&options) {
            chats.push(read.map_err(|unread| anyhow!("{}: {}", unread.origin, unread.message))?);
        }
    }
    let count = chats.len();
    let Some(chat) = chats.pop().filter(|_| count == 1) else {
        bail!("{}: holds {count} chats, a sheet is for one\n  fix: name a file with one chat", arguments.path);
    };
    let origin = chat.origin.clone();
    let (transcript, _) = chat.into_transcript().map_err(|error| anyhow!("{origin}: {error}"))?;
    let text = match arguments.format {
        SheetFormat::Csv => sheet_csv(&rubric, &transcript),
        SheetFormat::Json => format!("{:#}\n", sheet_json(&rubric, &transcript)),
    };
    let mut output = Output::open_new(arguments.output.as_deref())?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}
