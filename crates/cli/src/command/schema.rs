//! `carelock schema`: prints a JSON Schema.

use std::io::Write as _;

use anyhow::Result;
use carelock_core::report::{report_schema, rubric_schema, verdicts_schema};
use carelock_engine::rubric_file::load_rubric;

use crate::cli::{SchemaArguments, SchemaName};
use crate::exit;
use crate::output::Output;

pub(super) fn run(arguments: &SchemaArguments) -> Result<u8> {
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let schema = match arguments.which {
        SchemaName::Report => report_schema(&rubric),
        SchemaName::Verdicts => verdicts_schema(&rubric),
        SchemaName::Rubric => rubric_schema(),
    };
    let mut output = Output::open(None)?;
    writeln!(output, "{schema:#}")?;
    output.finish()?;
    Ok(exit::DONE)
}
