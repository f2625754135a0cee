//! Two or more runs, or groups of one run, side by side: who is ahead, by how much, and whether that could be chance.

mod change;
mod contest;
mod csv;
mod html;
mod leaderboard;
mod markdown;
mod sides;
mod text;

#[cfg(test)]
mod tests;

pub use csv::csv;
pub use html::{comparison_page, html};
pub use leaderboard::{LeaderboardRow as GroupStanding, standings};
pub use markdown::markdown;
pub use text::text;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_statistics::{Bootstrap, correct};
use serde::Serialize;

use crate::ratings::Rater;
use contest::Contest;
use leaderboard::LeaderboardRow;

/// The name of the format of the JSON.
const SCHEMA: &str = "carelock/comparison/1";

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many chats and checks that changed are shown.
    pub changes: usize,
    /// How intervals are made. A difference is shown where chance would bring it less often than they are wrong.
    pub bootstrap: Bootstrap,
}

/// Everything there is to say about the difference of some runs or groups.
#[derive(Debug, Serialize)]
pub struct Comparison {
    schema: &'static str,
    rubric: String,
    rubric_hash: String,
    /// How intervals were made: chats are drawn again.
    intervals: Bootstrap,
    /// All of them, the best first.
    leaderboard: Vec<LeaderboardRow>,
    /// Each against the first that was named, or among groups against the best.
    contests: Vec<Contest>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl Comparison {
    /// Compares all with the first.
    pub fn new(rubric: &Rubric, sides: &[Rater], settings: &Settings) -> Self {
        let bootstrap = &settings.bootstrap;
        let standings = leaderboard::standings(rubric, sides, bootstrap);
        let numbered = sides.iter().zip(&standings);
        let first = numbered.clone().next();
        let against = |(first, ours): (&Rater, &LeaderboardRow)| -> Vec<Contest> {
            let rest = numbered.skip(1);
            rest.map(|(second, theirs)| Contest::new(rubric, (first, second), (ours, theirs), settings)).collect()
        };
        let mut contests = first.map(against).unwrap_or_default();
        settle(&mut contests, 1.0 - bootstrap.confidence());
        Self {
            schema: SCHEMA,
            rubric: format!("{} {}", rubric.name(), rubric.version()),
            rubric_hash: rubric.digest().to_owned(),
            intervals: *bootstrap,
            leaderboard: leaderboard::ranked(standings),
            contests,
            notes: other_weights(sides).into_iter().chain(sides.iter().flat_map(|side| side.notes.clone())).collect(),
        }
    }
}

/// Says so where overall scores are not made alike.
fn other_weights(sides: &[Rater]) -> Option<String> {
    let first = sides.first()?;
    let differs = sides.iter().any(|side| side.weights != first.weights);
    let told = |side: &Rater| {
        let weights = if side.weights.is_empty() { "all metrics alike" } else { &side.weights };
        format!("{}: {weights}", side.name)
    };
    let all: Vec<String> = sides.iter().map(told).collect();
    differs.then(|| format!("overall scores are weighted differently and do not compare: {}", all.join("; ")))
}

/// Corrects p-values for the number of tests made together, and says which differences are shown.
///
/// Metrics are tested together; the overall score and the rate of gates are each a question of its own.
fn settle(contests: &mut [Contest], level: f64) {
    correct(contests.iter_mut().map(|contest| &mut contest.overall.test));
    correct(contests.iter_mut().map(|contest| &mut contest.gates.test));
    correct(contests.iter_mut().flat_map(|contest| &mut contest.metrics).map(|metric| &mut metric.test));
    for contest in contests {
        let all = [&mut contest.overall, &mut contest.gates].into_iter().chain(&mut contest.metrics);
        all.for_each(|difference| difference.settle(level));
    }
}

/// One rater's chats as several raters, one a group, the best first.
pub fn groups(run: Rater) -> Vec<Rater> {
    let mut groups = run.by_group("no group");
    groups.sort_by(|one, other| leaderboard::mean(other).total_cmp(&leaderboard::mean(one)));
    groups
}

/// The groups of one run as sides; an error where there are not two.
pub fn in_groups(sides: Vec<Rater>) -> Result<Vec<Rater>> {
    let found: Vec<Rater> = sides.into_iter().flat_map(groups).collect();
    if found.len() < 2 {
        let name = found.first().map(|group| group.name.as_str()).unwrap_or_default();
        bail!(
            Problem::new(format!("all chats are in one group ({name}), so there is nothing to compare"))
                .advice("give chats a group when the run is made, or name two runs")
        );
    }
    Ok(found)
}

/// A score as a number to compute with.
fn number(score: Option<Score>) -> Option<f64> {
    score.map(|score| f64::from(score.hundredths()) / 100.0)
}
