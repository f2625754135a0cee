//! `carelock rubric`: prints the rubric.

use std::io::Write as _;

use anyhow::Result;
use carelock_core::rubric::CARE_LOCK_TOML;
use carelock_engine::input::read_text;
use carelock_engine::rubric_file::{load_rubric, rubric_json};

use crate::cli::{RubricArguments, RubricFormat};
use crate::exit;
use crate::output::Output;

pub(super) fn run(arguments: &RubricArguments) -> Result<u8> {
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let text = match (arguments.format, &arguments.rubric.file) {
        (RubricFormat::Md, _) => rubric.to_markdown(),
        (RubricFormat::Json, _) => rubric_json(&rubric)?,
        (RubricFormat::Toml, None) => format!("# digest: {}\n{CARE_LOCK_TOML}", rubric.digest()),
        (RubricFormat::Toml, Some(path)) => {
            format!("# digest: {}\n{}", rubric.digest(), read_text(&path.display().to_string())?)
        }
    };
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}
