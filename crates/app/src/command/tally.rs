//! What a run of `carelock eval` has seen so far, and the exit code that follows from it.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::render::Rendered;
use crate::cli::EvalArguments;
use crate::exit;
use crate::input::Unread;
use crate::message::{say, say_error};

/// A chat's report, ready to be written, and what the exit code depends on.
pub(super) struct Judged {
    pub(super) id: String,
    pub(super) origin: String,
    pub(super) rendered: Rendered,
    pub(super) gated: bool,
    pub(super) below: bool,
    pub(super) unscored: bool,
}

/// What has been seen so far.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) chats: usize,
    pub(super) reports: usize,
    unread: usize,
    gated: usize,
    below: usize,
    unscored: usize,
    gate_failed: bool,
    /// Digests instead of the ids themselves keep a run of millions small.
    ids: HashSet<u64>,
}

impl Tally {
    /// Counts an outcome; what is to be written of it.
    pub(super) fn take(&mut self, outcome: Result<Judged, Unread>, arguments: &EvalArguments) -> Option<Rendered> {
        let judged = match outcome {
            Ok(judged) => judged,
            Err(unread) if unread.passed_over => {
                say(format_args!("passed over {}: not a transcript", unread.origin));
                return None;
            }
            Err(unread) => return self.refuse(&unread.origin, &unread.message),
        };
        let mut hasher = DefaultHasher::new();
        judged.id.hash(&mut hasher);
        if !self.ids.insert(hasher.finish()) {
            let message =
                format!("the id {:?} is that of an earlier chat\n  fix: give every chat its own id", judged.id);
            return self.refuse(&judged.origin, &message);
        }
        self.chats += 1;
        self.reports += 1;
        self.gated += usize::from(judged.gated);
        self.below += usize::from(judged.below);
        self.unscored += usize::from(judged.unscored);
        self.gate_failed |= judged.gated && arguments.fail_on_gate;
        Some(judged.rendered)
    }

    fn refuse(&mut self, origin: &str, message: &str) -> Option<Rendered> {
        self.chats += 1;
        self.unread += 1;
        say_error(format_args!("{origin}: {message}"));
        None
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

    pub(super) fn exit_code(&self) -> u8 {
        if self.unread > 0 || self.reports == 0 {
            exit::BAD_INPUT
        } else if self.gate_failed || self.below > 0 {
            exit::NOT_MET
        } else if self.unscored > 0 {
            exit::UNSCORED
        } else {
            exit::DONE
        }
    }
}
