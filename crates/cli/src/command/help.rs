//! `carelock completions` and `carelock man`: help for shells and readers of manuals.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;

use crate::cli::{Arguments, CompletionsArguments, ManArguments};
use crate::exit;
use crate::output::Output;

pub(super) fn completions(arguments: &CompletionsArguments) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "carelock", &mut script);
    let mut output = Output::open(None)?;
    output.write_all(&script)?;
    output.finish()?;
    Ok(exit::DONE)
}

pub(super) fn man(arguments: &ManArguments) -> Result<u8> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    clap_mangen::generate_to(Arguments::command(), folder)
        .with_context(|| format!("{}: cannot be written to", folder.display()))?;
    Ok(exit::DONE)
}
