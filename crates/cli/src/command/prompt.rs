//! `carelock prompt`: what an LLM judge would be sent.

use std::io::Write as _;

use anyhow::Result;
use carelock_engine::input::{ChatInput, one_chat};
use carelock_engine::options::Redact;
use carelock_engine::rubric_file::load_rubric;
use carelock_judge::prompt::{Prompt, answer_schema};
use carelock_judge::redact::{RedactOptions, Redaction};
use serde_json::json;

use crate::cli::PromptArguments;
use crate::exit;
use crate::message::say;
use crate::output::Output;

pub(super) fn run(arguments: &PromptArguments) -> Result<u8> {
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let chat = one_chat(&arguments.path, arguments.chat.as_deref(), &(&arguments.reading).into(), "a prompt")?;
    let origin = chat.origin.clone();
    let ChatInput { mut transcript, labels, .. } = ChatInput::try_from(chat).map_err(|error| error.context(origin))?;
    if let Some(redact) = arguments.redact.filter(|redact| redact.is_on()) {
        let redaction = Redaction::new(&transcript, &RedactOptions { names: labels, ..RedactOptions::default() });
        if redact == Redact::Show {
            say(redaction.show());
        }
        transcript = redaction.redacted().clone();
    }
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
