//! Chats that are judged while they go on.

use std::sync::{Arc, OnceLock};

use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Turn};
use carelock_engine::error::problem;
use carelock_engine::session;

use crate::Result;

/// A chat that takes turns one at a time and says what each changes. A turn costs that turn, not the chat again; the report
/// is the one that [`crate::evaluate`] gives for the same turns.
///
/// ```
/// use carelock::{ChangeKind, Session, Speaker};
/// let mut chat = Session::new("chat-7");
/// chat.push(Speaker::Human, "I can't go on. I want to kill myself tonight.");
/// assert_eq!(chat.due(), ["ask", "help"]);
/// let changes = chat.push(Speaker::Ai, "Have you tried going to bed earlier?");
/// assert!(changes.iter().any(|change| change.kind == ChangeKind::Gate));
/// assert!(!chat.report()?.gates.is_empty());
/// # Ok::<(), carelock::Error>(())
/// ```
pub struct Session(session::Session);

impl Session {
    /// A chat without turns; `id` is what its report calls it.
    pub fn new(id: impl Into<String>) -> Self {
        static WATCHER: OnceLock<Arc<session::Watcher>> = OnceLock::new();
        let watcher = WATCHER.get_or_init(|| Arc::new(session::Watcher::new(Rubric::care_lock(), Arc::default())));
        Self(session::Session::new(id, Arc::clone(watcher)))
    }

    /// Adds a turn, and says what it changes.
    pub fn push(&mut self, speaker: Speaker, text: &str) -> Vec<session::Change> {
        self.0.push(speaker, text)
    }

    /// Looks at a reply that was not sent yet, or the beginning of one; nothing is kept of it.
    pub fn preview(&mut self, reply: &str, is_whole: bool) -> session::Preview {
        self.0.preview(reply, is_whole)
    }

    /// The turns so far.
    #[must_use]
    pub fn turns(&self) -> &[Turn] {
        self.0.turns()
    }

    /// What a crisis still calls for: `ask` about safety, name live `help`.
    #[must_use]
    pub fn due(&self) -> &[&'static str] {
        self.0.due()
    }

    /// The gates that are tripped as things stand.
    pub fn tripped(&self) -> impl Iterator<Item = &str> {
        self.0.tripped()
    }

    /// The report on the chat so far.
    pub fn report(&mut self) -> Result<Report> {
        self.0.report().map_err(|error| problem(&error))
    }
}
