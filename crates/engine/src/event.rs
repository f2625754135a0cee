//! What happens while chats are judged, told to whoever shows it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use carelock_judge::provider::Cost;

use crate::figures::time_span;
use crate::timestamp::moment;

/// Something that happened. Its text says it in plain words; nothing in it is made for a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Something about settings or a judge that the user should know.
    Warning(String),
    /// Personal details were replaced in a chat before it was sent.
    Redacted {
        /// The chat.
        chat: String,
        /// What was replaced by what, a line each.
        list: String,
    },
    /// A judge gave no verdicts on a chat; told once for a judge and a kind of failure.
    NoVerdicts {
        /// The chat.
        chat: String,
        /// The judge.
        judge: String,
        /// What went wrong.
        reason: String,
    },
    /// An answer in the cache is damaged and is not used.
    DamagedAnswer(String),
    /// Answers could not be written into the cache.
    NotCached(String),
    /// How new answers differ from those that were known.
    Changed(String),
    /// No report can be computed from the stored answers on a chat.
    NoReport(String),
    /// A batch of questions was sent.
    BatchSent {
        /// Its number, from 1.
        number: u32,
        /// How many questions it holds.
        questions: usize,
        /// The provider's name for it.
        name: String,
    },
    /// How far the batches of a judge are; told again and again.
    BatchProgress {
        /// Questions that are answered at the provider.
        answered: u64,
        /// All questions.
        total: u64,
        /// Batches that are waited for.
        batches: usize,
    },
    /// How many chats the models have been asked about; told again and again, the last time when none is left.
    Asked {
        /// Chats that are through.
        done: usize,
        /// All chats.
        total: usize,
        /// How much longer it takes if the rest is as slow.
        left: Option<Duration>,
    },
    /// No batch of a judge is waited for any more.
    BatchesLeft,
    /// A batch brings no answers; its chats are asked directly.
    BatchWithoutAnswers {
        /// The provider's name for it.
        name: String,
        /// What became of it.
        why: String,
    },
    /// What a batch left at the provider could not be deleted.
    BatchNotDeleted {
        /// The provider's name for it.
        name: String,
        /// Why not.
        why: String,
    },
    /// A worker that is gone had claimed chats; they are judged here.
    TookOver {
        /// Answers that were to come from it.
        tasks: u64,
        /// Batches it looked after.
        batches: u64,
        /// Its process, where it ran on this machine.
        process: Option<u32>,
    },
    /// All that is left is with another worker; should it give no sign of life, it is taken over.
    WaitsForWorker {
        /// Answers that are to come from it.
        tasks: u64,
        /// Its process, where it runs on this machine.
        process: Option<u32>,
        /// When it is taken over, in milliseconds since 1970.
        until: i64,
    },
    /// The connection to the database was lost; it is tried again.
    DatabaseLost(String),
    /// The database answers again.
    DatabaseBack,
    /// What the judges cost in all.
    Spent(Cost),
}

impl Event {
    /// Whether this is how things stand now, to be shown in the place of what stood there.
    #[must_use]
    pub fn is_progress(&self) -> bool {
        matches!(self, Self::BatchProgress { .. } | Self::BatchesLeft | Self::Asked { .. })
    }

    /// Whether something went wrong that makes a result incomplete.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self, Self::NoReport(_))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Warning(text) | Self::Changed(text) => f.write_str(text),
            Self::Redacted { chat, list } => write!(f, "{chat}:\n{list}"),
            Self::NoVerdicts { chat, judge, reason } => write!(f, "{chat}: no verdicts of judge {judge}: {reason}"),
            Self::DamagedAnswer(what) => write!(f, "a kept answer is damaged and is not used: {what}"),
            Self::NotCached(why) => write!(f, "answers cannot be kept: {why}"),
            Self::NoReport(why) => write!(f, "no result can be computed: {why}"),
            Self::BatchSent { number, questions, name } => {
                write!(f, "sent batch {number}: {questions} questions as {name}")
            }
            Self::BatchProgress { answered, total, batches } => {
                write!(f, "{answered}/{total} answered at the provider (batches: {batches})")
            }
            Self::Asked { done, total, .. } if done >= total => Ok(()),
            Self::Asked { done, total, left } => {
                write!(f, "{done} of {} judged", counted(*total as u64, "chat", "chats"))?;
                left.map_or(Ok(()), |left| write!(f, ", about {} left", time_span(left.as_secs_f64())))
            }
            Self::BatchesLeft => Ok(()),
            Self::BatchWithoutAnswers { name, why } => write!(f, "batch {name} {why}; its chats are asked directly"),
            Self::BatchNotDeleted { name, why } => {
                write!(f, "batch {name}: what it left at the provider could not be deleted: {why}")
            }
            Self::TookOver { tasks, batches, process } => {
                let (tasks, batches) = (counted(*tasks, "answer", "answers"), counted(*batches, "batch", "batches"));
                write!(f, "took over {tasks} and {batches} of a worker that is gone")?;
                process.map_or(Ok(()), |process| write!(f, ", process {process}"))
            }
            Self::WaitsForWorker { tasks, process, until } => {
                let (tasks, end) = (counted(*tasks, "answer", "answers"), moment(*until));
                match process {
                    Some(process) => write!(f, "waiting for {tasks} of another worker, process {process}")?,
                    None => write!(f, "waiting for {tasks} of a worker that does not run here")?,
                }
                write!(f, "; if it gives no sign of life, it is taken over at {end}")
            }
            Self::DatabaseLost(why) => write!(f, "the database is lost and tried again for ten minutes: {why}"),
            Self::DatabaseBack => f.write_str("the database is back"),
            Self::Spent(cost) => write!(f, "spent {cost}"),
        }
    }
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A function that takes events.
type Listener = dyn Fn(&Event) + Send + Sync;

/// Where events go; nowhere by default.
#[derive(Clone, Default)]
pub struct Events(Option<Arc<Listener>>);

impl Events {
    /// Hands every event to a function.
    pub fn new(take: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(take)))
    }

    /// Tells what happened.
    pub fn tell(&self, event: &Event) {
        if let Some(take) = &self.0 {
            take(event);
        }
    }

    /// Tells that the user should know something.
    pub(crate) fn warn(&self, text: &str) {
        self.tell(&Event::Warning(text.to_owned()));
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Events").field(&self.0.is_some()).finish()
    }
}
