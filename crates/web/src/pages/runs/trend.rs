//! How the runs of a list came off one after the other, as a small drawing.

use carelock_engine::runs::{Overview, moment_for_people};

/// The drawing's size in its own units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 120.0;
/// Room at both ends, so that the first and the last point are whole.
const MARGIN: f64 = 8.0;

/// A drawing of the runs' means, the oldest first.
pub(crate) struct Trend {
    /// The line through the points.
    pub(crate) line: String,
    pub(crate) points: Vec<Point>,
}

/// One run.
pub(crate) struct Point {
    pub(crate) run: i64,
    pub(crate) x: String,
    pub(crate) y: String,
    /// Whether a gate tripped in any of its chats.
    pub(crate) is_gated: bool,
    pub(crate) title: String,
}

impl Trend {
    /// Of runs that have a mean; nothing where there are not two.
    pub(crate) fn new<'a>(runs: impl Iterator<Item = &'a Overview>) -> Option<Self> {
        let mut runs: Vec<(&Overview, f64)> =
            runs.filter_map(|overview| overview.overall().mean().map(|mean| (overview, mean))).collect();
        runs.sort_by_key(|(overview, _)| (overview.run.created, overview.run.key));
        let steps = runs.len().checked_sub(1).filter(|steps| *steps > 0)?;
        let point = |(at, (overview, mean)): (usize, &(&Overview, f64))| {
            let x = MARGIN + (WIDTH - 2.0 * MARGIN) * at as f64 / steps as f64;
            let y = MARGIN + (HEIGHT - 2.0 * MARGIN) * (1.0 - mean);
            let (run, gated, chats) = (&overview.run, overview.gated(), overview.results());
            let begun = moment_for_people(run.created);
            Point {
                run: run.key.0,
                x: format!("{x:.1}"),
                y: format!("{y:.1}"),
                is_gated: gated > 0,
                title: format!("{}, {begun}: mean {mean:.3}, gates in {gated} of {chats} chats", run.name),
            }
        };
        let points: Vec<Point> = runs.iter().enumerate().map(point).collect();
        let line = points.iter().map(|point| format!("{},{}", point.x, point.y)).collect::<Vec<_>>().join(" ");
        Some(Self { line, points })
    }
}
