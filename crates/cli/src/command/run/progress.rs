//! How far a run is: one line on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use carelock_engine::figures::time_span;
use carelock_engine::working::{ProgressObserver, Standing, StopMode};
use carelock_judge::provider::Cost;

use crate::interrupt;
use crate::message::{PLAIN, say, show_status};

/// How often the line on a terminal changes.
const REFRESH: Duration = Duration::from_millis(200);

/// The line that says how a run goes.
pub(super) struct StatusLine {
    /// Chats, or answers where there are several judges.
    what: &'static str,
    started: Instant,
    shown: Instant,
    is_terminal: bool,
}

impl StatusLine {
    pub(super) fn new(judges: usize) -> Self {
        let now = Instant::now();
        let what = if judges > 1 { "answers" } else { "chats" };
        Self { what, started: now, shown: now, is_terminal: std::io::stderr().is_terminal() }
    }

    fn line(&self, standing: &Standing, elapsed: Duration) -> String {
        let Standing { total, through: done, own, gated, unscored, failed, spent } = *standing;
        let percent = (done * 100).checked_div(total).unwrap_or(100);
        let mut parts = vec![format!("{done}/{total} {} ({percent}%)", self.what)];
        let rate = own as f64 / elapsed.as_secs_f64().max(0.001);
        if own > 0 {
            parts.push(if rate >= 10.0 { format!("{rate:.0}/s") } else { format!("{rate:.1}/s") });
            let left = (total - done) as f64 / rate;
            parts.push(format!("{} left", time_span(left)));
        }
        if spent != Cost::default() {
            parts.push(spent.to_string());
        }
        let counts = [(gated, "gated"), (unscored, "unscored"), (failed, "failed")];
        parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
        parts.join(" · ")
    }
}

impl ProgressObserver for StatusLine {
    fn stop_mode(&self) -> StopMode {
        if interrupt::was_asked() { StopMode::Finish } else { StopMode::Continue }
    }

    fn show(&mut self, standing: &Standing) {
        let pause = if self.is_terminal { REFRESH } else { PLAIN };
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        let line = self.line(standing, self.started.elapsed());
        if self.is_terminal {
            show_status(&fitting(&line));
        } else {
            say(line);
        }
    }

    fn waits_for(&self, answers: usize) {
        say(format_args!("stopping when {answers} answers have come; Ctrl-C again stops at once"));
    }

    /// Takes the line off the terminal.
    fn end(&mut self, _standing: &Standing) {
        show_status("");
    }
}

/// Shows how many chats have been read, on a terminal; they are not judged before all are.
pub(super) fn show_reading(chats: u64) {
    show_status(&if chats == 0 { String::new() } else { format!("reading: {chats} chats") });
}

/// As much of a line as the terminal has room for: what is broken over two lines cannot be written over.
fn fitting(line: &str) -> String {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
    line.chars().take(width.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_a_terminal_and_leaves_out_what_is_nothing() {
        let line = StatusLine::new(1);
        let mut standing = Standing { total: 100_000, through: 20_000, ..Standing::default() };
        assert_eq!(line.line(&standing, Duration::from_secs(1)), "20000/100000 chats (20%)");
        (standing.through, standing.own, standing.spent) = (50_000, 30_000, "12.34".parse().unwrap());
        (standing.gated, standing.unscored, standing.failed) = (123, 45, 6);
        let line = line.line(&standing, Duration::from_secs(100));
        assert_eq!(line, "50000/100000 chats (50%) · 300/s · 2m47s left · $12.34 · 123 gated · 45 unscored · 6 failed");
        assert!(line.chars().count() <= 100);
    }

    #[test]
    fn nothing_to_do_is_no_division_by_zero() {
        assert_eq!(StatusLine::new(2).line(&Standing::default(), Duration::ZERO), "0/0 answers (100%)");
    }
}
