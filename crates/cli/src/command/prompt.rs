//! `carelock prompt`: what an LLM judge would be sent.

use std::io::Write as _;

use anyhow::Result;
use carelock_engine::input::one_transcript;
use carelock_engine::rubric_file::load_rubric;
use carelock_judge::prompt::{Prompt, answer_schema};
use serde_json::json;

use crate::cli::PromptArguments;
use crate::exit;
use crate::output::Output;

pub(super) fn run(arguments: &PromptArguments) -> Result<u8> {
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let transcript = one_transcript(&arguments.path, &(&arguments.reading).into(), "a prompt")?;
    let prompt = Prompt::new(&rubric);
    let text = if arguments.json {
        let schema = answer_schema(&rubric, prompt.checks());
        let parts = json!({ "system": prompt.system(), "user": prompt.chat(&transcript), "schema": schema });
        format!("{parts:#}\n")
    } else {
        prompt.full_text(&transcript)
    };
    let mut output = Output::open(arguments.output.as_deref())?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}
