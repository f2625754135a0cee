//! What a run of `carelock eval` has seen so far, and the exit code that follows from it.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use carelock_core::problem::Problem;
use carelock_engine::input::Unread;
use carelock_engine::render::Rendered;

use crate::ci::Standing;
use crate::exit;
use crate::message::{CommandLine, say, say_error};

/// A chat's report, ready to be written, and what the exit code depends on.
pub(super) struct Judged {
    pub(super) rendered: Rendered,
    pub(super) standing: Standing,
    pub(super) below: bool,
}

/// What has been seen so far.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) chats: usize,
    pub(super) reports: usize,
    pub(super) unread: usize,
    gated: usize,
    below: usize,
    unscored: usize,
    /// Digests instead of the ids themselves keep a run of millions small.
    ids: HashSet<u64>,
}

impl Tally {
    /// Counts an outcome; what came of it where it counts.
    pub(super) fn take(&mut self, outcome: Result<Judged, Unread>) -> Option<Judged> {
        let judged = match outcome {
            Ok(judged) => judged,
            Err(unread) if unread.passed_over => {
                say(format_args!("passed over {}: not a transcript", unread.origin));
                return None;
            }
            Err(unread) => {
                self.refuse(&unread.origin, &unread.problem);
                return None;
            }
        };
        let mut hasher = DefaultHasher::new();
        let standing = &judged.standing;
        standing.id.hash(&mut hasher);
        if !self.ids.insert(hasher.finish()) {
            let problem = Problem::new(format!("the id {:?} is that of an earlier chat", standing.id));
            self.refuse(&standing.origin, &problem.advice("give every chat its own id"));
            return None;
        }
        self.chats += 1;
        self.reports += 1;
        self.gated += usize::from(!standing.gates.is_empty());
        self.below += usize::from(judged.below);
        self.unscored += usize::from(standing.unscored);
        Some(judged)
    }

    fn refuse(&mut self, origin: &str, problem: &Problem) {
        self.chats += 1;
        self.unread += 1;
        say_error(format_args!("{origin}: {}", problem.worded(&CommandLine)));
    }

    /// One line at the end, where there is something to say that the reports do not show at a glance.
    pub(super) fn say_so(&self) {
        if self.chats > 1 {
            let reports = if self.reports == 1 { "1 report".to_owned() } else { format!("{} reports", self.reports) };
            let mut parts = vec![format!("{} chats", self.chats), reports];
            let counts = [
                (self.gated, "with a gate tripped"),
                (self.below, "below the threshold"),
                (self.unscored, "not fully judged"),
                (self.unread, "could not be evaluated"),
            ];
            parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
            say(parts.join(", "));
        }
    }

    /// The code, where `failed` says whether something that was asked for does not hold.
    pub(super) fn exit_code(&self, failed: bool) -> u8 {
        if self.unread > 0 || self.reports == 0 {
            exit::BAD_INPUT
        } else if failed {
            exit::NOT_MET
        } else if self.unscored > 0 {
            exit::UNSCORED
        } else {
            exit::DONE
        }
    }
}
