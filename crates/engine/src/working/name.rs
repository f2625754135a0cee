//! What a run is called.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_judge::provider::Date;

/// The name of a run: the one that was given, if it can be one, else that of today.
pub fn run_name(given: Option<&str>) -> Result<String> {
    const LONGEST: usize = 200;
    let Some(name) = given else { return Ok(of_today()) };
    let name = name.trim();
    if name.is_empty() || name.len() > LONGEST || name.chars().any(char::is_control) {
        bail!(
            Problem::new(format!("--name {name:?}: cannot be a run's name"))
                .advice(format!("use up to {LONGEST} letters, digits and signs"))
        );
    }
    Ok(name.to_owned())
}

/// Day and minute, so that two runs of a day have two names.
fn of_today() -> String {
    let now = SystemTime::now();
    let minutes = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 60 % (24 * 60);
    let day = Date::from_time(now).map_or_else(|| "run".to_owned(), |day| day.to_string());
    format!("{day}-{:02}{:02}", minutes / 60, minutes % 60)
}
