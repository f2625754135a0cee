//! `carelock rubric`: prints the rubric.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Result, anyhow};
use carelock_core::rubric::{CARE_LOCK_TOML, Rubric};
use carelock_core::scorecard::Weights;

use crate::cli::{RubricArguments, RubricFileArgument, RubricFormat};
use crate::exit;
use crate::input::read_text;
use crate::output::Output;

/// The rubric the user named, or the built-in one.
pub(super) fn load(argument: &RubricFileArgument) -> Result<Rubric> {
    let Some(path) = &argument.file else { return Ok(Rubric::care_lock()) };
    let path = path.display().to_string();
    let text = read_text(&path)?;
    let rubric = if text.trim_start().starts_with('{') { Rubric::from_json(&text) } else { Rubric::from_toml(&text) };
    rubric.map_err(|error| anyhow!("{path}: {error}"))
}

/// The weights in a file.
pub(super) fn read_weights(rubric: &Rubric, path: &Path) -> Result<Weights> {
    let path = path.display().to_string();
    Weights::parse(rubric, &read_text(&path)?).map_err(|error| anyhow!("{path}: {error}"))
}

/// The rubric as JSON. The digest is not part of what it is a digest of; it stands beside it for whoever reads this.
pub(crate) fn json(rubric: &Rubric) -> Result<String> {
    let mut value = serde_json::to_value(rubric.file())?;
    value["digest"] = rubric.digest().into();
    Ok(format!("{value:#}\n"))
}

pub(super) fn run(arguments: &RubricArguments) -> Result<u8> {
    let rubric = load(&arguments.rubric)?;
    let text = match (arguments.format, &arguments.rubric.file) {
        (RubricFormat::Md, _) => rubric.to_markdown(),
        (RubricFormat::Json, _) => json(&rubric)?,
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
