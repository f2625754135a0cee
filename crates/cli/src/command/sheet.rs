//! `carelock sheet`: writes a rating sheet.

use std::io::Write as _;

use anyhow::Result;
use carelock_core::verdict::{sheet_csv, sheet_json};
use carelock_engine::input::one_transcript;
use carelock_engine::rubric_file::load_rubric;

use crate::cli::{SheetArguments, SheetFormat};
use crate::exit;
use crate::output::Output;

pub(super) fn run(arguments: &SheetArguments) -> Result<u8> {
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let transcript =
        one_transcript(&arguments.path, arguments.chat.as_deref(), &(&arguments.reading).into(), "a sheet")?;
    let text = match arguments.format {
        SheetFormat::Csv => sheet_csv(&rubric, &transcript),
        SheetFormat::Json => format!("{:#}\n", sheet_json(&rubric, &transcript)),
    };
    let mut output = Output::open_new(arguments.output.as_deref())?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}
