//! What a run of `carelock eval` has seen so far, and the exit code that follows from it.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use carelock_core::problem::Problem;
use carelock_engine::input::Unread;
use carelock_engine::render::Rendered;

use crate::ci::Standing;
use crate::exit;
use crate::message::{self, counted, say, say_error, say_left_out};

/// A chat's report, ready to be written, and what the exit code depends on.
pub(super) struct Judged {
    pub(super) rendered: Rendered,
    pub(super) standing: Standing,
    pub(super) below: bool,
    /// Whether fewer judges answered than must.
    pub(super) is_short_of_judges: bool,
}

/// What came of an outcome.
pub(super) enum Taken {
    /// A report to be written.
    Judged(Judged),
    /// An error, which stands in the results too.
    Refused(Unread),
    /// No chat, and no error.
    LeftOut,
}

/// What has been seen so far.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) chats: usize,
    pub(super) reports: usize,
    pub(super) unread: usize,
    left_out: usize,
    gated: usize,
    below: usize,
    unscored: usize,
    short_of_judges: usize,
    /// Digests instead of the ids themselves keep a run of millions small.
    ids: HashSet<u64>,
}

impl Tally {
    /// Counts an outcome; what came of it.
    pub(super) fn take(&mut self, outcome: Result<Judged, Unread>) -> Taken {
        let judged = match outcome {
            Ok(judged) => judged,
            Err(unread) if unread.skipped.is_some() => {
                self.left_out += 1;
                say_left_out(&unread);
                return Taken::LeftOut;
            }
            Err(unread) => return self.refuse(unread),
        };
        let mut hasher = DefaultHasher::new();
        let standing = &judged.standing;
        standing.id.hash(&mut hasher);
        if !self.ids.insert(hasher.finish()) {
            let problem = Problem::new(format!("the id {:?} is that of an earlier chat", standing.id));
            return self.refuse(Unread::new(&standing.origin, problem.advice("give every chat its own id")));
        }
        self.chats += 1;
        self.reports += 1;
        self.gated += usize::from(!standing.gates.is_empty());
        self.below += usize::from(judged.below);
        self.unscored += usize::from(standing.unscored);
        self.short_of_judges += usize::from(judged.is_short_of_judges && !standing.unscored);
        Taken::Judged(judged)
    }

    fn refuse(&mut self, unread: Unread) -> Taken {
        self.chats += 1;
        self.unread += 1;
        say_error(message::unread(&unread));
        Taken::Refused(unread)
    }

    /// One line at the end, where there is something to say that the reports do not show at a glance.
    pub(super) fn say_so(&self) {
        if self.chats > 1 || self.left_out > 0 {
            let mut parts = vec![counted(self.chats, "chat"), counted(self.reports, "report")];
            let counts = [
                (self.gated, "with a gate tripped"),
                (self.below, "below the threshold"),
                (self.unscored, "not fully judged"),
                (self.short_of_judges, "without a verdict of one of the judges"),
                (self.unread, "could not be evaluated"),
            ];
            parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
            if self.left_out > 0 {
                parts.push(format!("{} left out", counted(self.left_out, "file")));
            }
            say(parts.join(", "));
        }
    }

    /// The code, where `failed` says whether something that was asked for does not hold.
    pub(super) fn exit_code(&self, failed: bool) -> u8 {
        if self.unread > 0 || self.reports == 0 {
            exit::BAD_INPUT
        } else if failed {
            exit::NOT_MET
        } else if self.unscored > 0 || self.short_of_judges > 0 {
            exit::UNSCORED
        } else {
            exit::DONE
        }
    }
}
