//! Rubrics and weights in files of the user's own, and the rubric as JSON.

use std::path::Path;

use anyhow::Result;
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;

use crate::input::read_text;

/// The rubric in a file, TOML or JSON; the built-in one where none is named.
pub fn load_rubric(file: Option<&Path>) -> Result<Rubric> {
    let Some(path) = file else { return Ok(Rubric::care_lock()) };
    let path = path.display().to_string();
    let text = read_text(&path)?;
    let rubric = if text.trim_start().starts_with('{') { Rubric::from_json(&text) } else { Rubric::from_toml(&text) };
    Ok(rubric.map_err(|error| error.within(&path))?)
}

/// The weights in a file.
pub fn read_weights(rubric: &Rubric, path: &Path) -> Result<Weights> {
    let path = path.display().to_string();
    Ok(Weights::parse(rubric, &read_text(&path)?).map_err(|error| error.within(&path))?)
}

/// The rubric as JSON. The digest is not part of what it is a digest of; it stands beside it for whoever reads this.
pub fn rubric_json(rubric: &Rubric) -> Result<String> {
    let mut value = serde_json::to_value(rubric.file())?;
    value["digest"] = rubric.digest().into();
    Ok(format!("{value:#}\n"))
}
