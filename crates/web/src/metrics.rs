//! Counters for a monitoring system: how many, how long; never what.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The borders of the histogram of times, in thousandths of a second.
const BORDERS: [u64; 8] = [5, 25, 50, 100, 250, 1_000, 5_000, 30_000];

/// What is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    routes: Mutex<BTreeMap<(String, String, u16), Times>>,
    connections: AtomicI64,
    refused_connections: AtomicU64,
    jobs: AtomicI64,
    judged: AtomicU64,
    failed: AtomicU64,
}

#[derive(Debug, Default)]
struct Times {
    count: u64,
    sum: Duration,
    below: [u64; BORDERS.len()],
}

impl Metrics {
    /// A request was answered. The route is the pattern, so that no name of a run or chat gets into the counters.
    pub(crate) fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let times = routes.entry((method.to_owned(), route.to_owned(), status)).or_default();
        times.count += 1;
        times.sum += took;
        for (slot, border) in times.below.iter_mut().zip(BORDERS) {
            *slot += u64::from(took <= Duration::from_millis(border));
        }
    }

    /// A connection came (1) or went (-1).
    pub(crate) fn connected(&self, change: i64) {
        self.connections.fetch_add(change, Ordering::Relaxed);
    }

    /// A connection was turned away because all others are busy.
    pub(crate) fn refused_connection(&self) {
        self.refused_connections.fetch_add(1, Ordering::Relaxed);
    }

    /// A job began (1) or ended (-1).
    pub(crate) fn working(&self, change: i64) {
        self.jobs.fetch_add(change, Ordering::Relaxed);
    }

    /// Chats were judged, or could not be.
    pub(crate) fn judged(&self, judged: u64, failed: u64) {
        self.judged.fetch_add(judged, Ordering::Relaxed);
        self.failed.fetch_add(failed, Ordering::Relaxed);
    }

    /// All counters in the text format of Prometheus.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let single = [
            ("connections", "gauge", "Connections that are open.", self.connections.load(Ordering::Relaxed).max(0)),
            ("jobs", "gauge", "Runs this server works on.", self.jobs.load(Ordering::Relaxed).max(0)),
            (
                "connections_refused_total",
                "counter",
                "Connections turned away because all others were busy.",
                i64::try_from(self.refused_connections.load(Ordering::Relaxed)).unwrap_or(i64::MAX),
            ),
            (
                "chats_judged_total",
                "counter",
                "Chats judged by this server.",
                i64::try_from(self.judged.load(Ordering::Relaxed)).unwrap_or(i64::MAX),
            ),
            (
                "chats_failed_total",
                "counter",
                "Chats that could not be judged.",
                i64::try_from(self.failed.load(Ordering::Relaxed)).unwrap_or(i64::MAX),
            ),
        ];
        for (name, kind, help, value) in single {
            // Writing to a String cannot fail, so the results are dropped on purpose.
            let _ =
                writeln!(text, "# HELP carelock_{name} {help}\n# TYPE carelock_{name} {kind}\ncarelock_{name} {value}");
        }
        self.times(&mut text);
        text
    }

    fn times(&self, text: &mut String) {
        const NAME: &str = "carelock_request_seconds";
        let _ = writeln!(text, "# HELP {NAME} How long requests took.\n# TYPE {NAME} histogram");
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        for ((method, route, status), times) in routes.iter() {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            for (count, border) in times.below.iter().zip(BORDERS) {
                let border = Duration::from_millis(border).as_secs_f64();
                let _ = writeln!(text, "{NAME}_bucket{{{labels},le=\"{border}\"}} {count}");
            }
            let _ = writeln!(text, "{NAME}_bucket{{{labels},le=\"+Inf\"}} {}", times.count);
            let _ = writeln!(text, "{NAME}_sum{{{labels}}} {}", times.sum.as_secs_f64());
            let _ = writeln!(text, "{NAME}_count{{{labels}}} {}", times.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_in_every_bucket_they_fit() {
        let metrics = Metrics::default();
        metrics.answered("GET", "/runs/{run}", 200, Duration::from_millis(30));
        let text = metrics.text();
        assert!(text.contains(r#"route="/runs/{run}",status="200",le="0.025"} 0"#), "{text}");
        assert!(text.contains(r#"route="/runs/{run}",status="200",le="0.05"} 1"#), "{text}");
        assert!(text.contains(r#"route="/runs/{run}",status="200"} 1"#), "{text}");
    }
}
