//! How far a run is: one line on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use carelock_judge::provider::Cost;

use crate::message::{say, show_status};

/// How often the line on a terminal changes.
const REFRESH: Duration = Duration::from_millis(200);
/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(30);

/// What is known of a run on its way.
pub(super) struct Progress {
    /// Chats, or answers where there are several judges.
    what: &'static str,
    total: u64,
    /// What was through when this worker began, and what others have done since.
    before: u64,
    own: u64,
    pub(super) gated: u64,
    pub(super) unscored: u64,
    pub(super) failed: u64,
    started: Instant,
    shown: Instant,
    is_terminal: bool,
}

impl Progress {
    pub(super) fn new(judges: usize, total: u64, before: u64) -> Self {
        let now = Instant::now();
        let what = if judges > 1 { "answers" } else { "chats" };
        let is_terminal = std::io::stderr().is_terminal();
        Self { what, total, before, own: 0, gated: 0, unscored: 0, failed: 0, started: now, shown: now, is_terminal }
    }

    /// Counts what this worker has done.
    pub(super) fn add(&mut self, answers: u64) {
        self.own += answers;
    }

    /// Takes over how the whole run stands, other workers included.
    pub(super) fn set_through(&mut self, through: u64) {
        self.before = through.saturating_sub(self.own);
    }

    /// Shows how it stands, where it is time to.
    pub(super) fn show(&mut self, spent: Cost) {
        let pause = if self.is_terminal { REFRESH } else { PLAIN };
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        let line = self.line(spent, self.started.elapsed());
        if self.is_terminal {
            show_status(&line);
        } else {
            say(line);
        }
    }

    /// Takes the line off the terminal.
    pub(super) fn end(&self) {
        if self.is_terminal {
            show_status("");
        }
    }

    fn line(&self, spent: Cost, elapsed: Duration) -> String {
        let done = (self.before + self.own).min(self.total);
        let percent = (done * 100).checked_div(self.total).unwrap_or(100);
        let mut parts = vec![format!("{done}/{} {} ({percent}%)", self.total, self.what)];
        let rate = self.own as f64 / elapsed.as_secs_f64().max(0.001);
        if self.own > 0 {
            parts.push(if rate >= 10.0 { format!("{rate:.0}/s") } else { format!("{rate:.1}/s") });
            let left = (self.total - done) as f64 / rate;
            parts.push(format!("{} left", span(left)));
        }
        if spent != Cost::default() {
            parts.push(spent.to_string());
        }
        let counts = [(self.gated, "gated"), (self.unscored, "unscored"), (self.failed, "failed")];
        parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
        parts.join(" · ")
    }
}

/// A time span for people: `45s`, `3m10s`, `2h05m`.
fn span(seconds: f64) -> String {
    const DAY: f64 = 86_400.0;
    if !seconds.is_finite() || seconds > 99.0 * DAY {
        return "long".to_owned();
    }
    // In range by the line above.
    let seconds = seconds.round() as u64;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_a_terminal_and_leaves_out_what_is_nothing() {
        let mut progress = Progress::new(1, 100_000, 20_000);
        assert_eq!(progress.line(Cost::default(), Duration::from_secs(1)), "20000/100000 chats (20%)");
        progress.add(30_000);
        (progress.gated, progress.unscored, progress.failed) = (123, 45, 6);
        let line = progress.line("12.34".parse().unwrap(), Duration::from_secs(100));
        assert_eq!(line, "50000/100000 chats (50%) · 300/s · 2m47s left · $12.34 · 123 gated · 45 unscored · 6 failed");
        assert!(line.chars().count() <= 100);
    }

    #[test]
    fn spans_are_short_and_an_endless_one_is_said_to_be_long() {
        let spans = [(0.4, "0s"), (59.0, "59s"), (190.0, "3m10s"), (7500.0, "2h05m"), (f64::INFINITY, "long")];
        for (seconds, text) in spans {
            assert_eq!(span(seconds), text);
        }
    }

    #[test]
    fn nothing_to_do_is_no_division_by_zero() {
        assert_eq!(Progress::new(2, 0, 0).line(Cost::default(), Duration::ZERO), "0/0 answers (100%)");
    }
}
