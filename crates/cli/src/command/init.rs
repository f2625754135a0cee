//! `carelock init`: a commented configuration for `carelock run`.

use std::io::Write as _;

use anyhow::Result;

use crate::cli::InitArguments;
use crate::exit;
use crate::message::say;
use crate::output::Output;

/// The configuration that is written; the example in the documentation is the same file.
pub(super) const TEMPLATE: &str = include_str!("run/template.toml");

pub(super) fn run(arguments: &InitArguments) -> Result<u8> {
    let path = &arguments.path;
    let mut output = Output::open_new(Some(path))?;
    output.write_all(TEMPLATE.as_bytes())?;
    output.finish()?;
    let shown = path.display();
    say(format_args!("wrote {shown}; name your chats in it, then: carelock run {shown}"));
    Ok(exit::DONE)
}
