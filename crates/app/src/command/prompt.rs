//! `carelock prompt`: what an LLM judge would be sent.

use std::io::Write as _;

use anyhow::Result;
use carelock_judge::prompt::{Prompt, answer_schema};
use serde_json::json;

use crate::cli::PromptArguments;
use crate::exit;
use crate::input::one_transcript;
use crate::output::Output;

pub(super) fn run(arguments: &PromptArguments) -> Result<u8> {
    let rubric = super::rubric::load(&arguments.rubric)?;
    let transcript = one_transcript(&arguments.path, &arguments.reading, "a prompt")?;
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
