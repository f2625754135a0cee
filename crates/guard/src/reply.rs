//! A chat that is under way through the guard: its session, the check of a reply, and what is told about it.

use std::sync::Arc;

use carelock_core::transcript::Speaker;
use carelock_engine::session::{Change, ChangeKind};

use crate::alert::Subject;
use crate::answer::Verdict;
use crate::pool::Effort;
use crate::sessions::{Entry, history};
use crate::state::Guard;

/// A chat whose last message waits for its reply.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) guard: Arc<Guard>,
    pub(crate) number: String,
    pub(crate) entry: Arc<Entry>,
    owner: Arc<Vec<u8>>,
}

impl Exchange {
    /// Finds the chat that a request goes on with, or begins one, and takes in what is new of it. What was said by whom is
    /// the request's word: a chat never holds a turn that its request does not.
    pub(crate) async fn begin(
        guard: &Arc<Guard>,
        door: &'static str,
        owner: &[u8],
        turns: Vec<(Speaker, String)>,
    ) -> Result<Self, String> {
        let digests = history(owner, turns.iter().map(|(speaker, text)| (*speaker, text.as_str())));
        let found = guard.sessions.continuing(&digests[..digests.len()]);
        let owner = Arc::new(owner.to_vec());
        if let Some((number, entry, known)) = found
            && let Ok(session) = Arc::clone(&entry.session).try_lock_owned()
            && session.turns().len() == known
        {
            let exchange = Self { guard: Arc::clone(guard), number, entry, owner };
            return exchange.take_in(session, turns, known, digests.last().copied()).await;
        }
        let begun = guard.sessions.begin(None, door).map_err(|error| error.to_string())?;
        let (number, entry) = begun.ok_or("busy: every chat that is kept is in use")?;
        let session = Arc::clone(&entry.session).lock_owned().await;
        let exchange = Self { guard: Arc::clone(guard), number, entry, owner };
        exchange.take_in(session, turns, 0, digests.last().copied()).await
    }

    /// A chat that was begun before.
    pub(crate) fn again(guard: &Arc<Guard>, number: String, owner: &[u8]) -> Option<Self> {
        let entry = guard.sessions.find(&number)?;
        Some(Self { guard: Arc::clone(guard), number, entry, owner: Arc::new(owner.to_vec()) })
    }

    async fn take_in(
        self,
        mut session: tokio::sync::OwnedMutexGuard<carelock_engine::session::Session>,
        turns: Vec<(Speaker, String)>,
        known: usize,
        now: Option<[u8; 32]>,
    ) -> Result<Self, String> {
        let this = self.clone();
        let pool = self.guard.pool.clone();
        let size = turns[known..].iter().map(|(_, text)| text.len()).sum();
        let done = pool.run(self.guard.policy.patience(), Effort::Turns(size), move || {
            let new = turns[known..].iter().map(|(speaker, text)| (*speaker, text.as_str()));
            let changes = if known < turns.len() { session.push_all(new) } else { Vec::new() };
            this.guard.sessions.note(&this.number, &this.entry, &session, &changes, now);
            changes
        });
        let changes = done.await.map_err(|error| error.reason().to_owned())?;
        self.tell(&changes, None);
        Ok(self)
    }

    /// Whether a crisis still calls for something.
    pub(crate) fn is_due(&self) -> bool {
        !self.entry.summary().due.is_empty()
    }

    /// Looks at a reply that was not sent yet.
    pub(crate) async fn check(&self, reply: String, is_whole: bool) -> Verdict {
        let session = Arc::clone(&self.entry.session);
        let unsure_counts = self.guard.policy.unsure_counts;
        let patience = self.guard.policy.patience();
        let Ok(mut session) = tokio::time::timeout(patience, session.lock_owned()).await else {
            return Verdict::CouldNotJudge("late: the chat is in use".to_owned());
        };
        let checked = self.guard.pool.run(patience, Effort::Sentence, move || session.preview(&reply, is_whole)).await;
        match checked {
            Ok(preview) => Verdict::from_preview(preview, unsure_counts),
            Err(error) => Verdict::CouldNotJudge(error.reason().to_owned()),
        }
    }

    /// Takes a reply in as it was sent, and tells the outcome; the verdict on it.
    pub(crate) async fn sent(&self, reply: String, id: Option<&str>) -> Verdict {
        let verdict = self.commit(reply, id).await;
        self.outcome(&verdict, "passed_on", id);
        verdict
    }

    /// Takes a reply in as it was sent; the verdict on it.
    pub(crate) async fn commit(&self, reply: String, id: Option<&str>) -> Verdict {
        let this = self.clone();
        let session = Arc::clone(&self.entry.session).lock_owned().await;
        // The reply is out already: there is no hurry, but for those who wait for the verdict.
        let patience = self.guard.policy.patience().max(crate::state::UNHURRIED);
        let pushed = self.guard.pool.run(patience, Effort::Turns(reply.len()), move || {
            let mut session = session;
            let changes = session.push(Speaker::Ai, &reply);
            let turns = session.turns().iter().map(|turn| (turn.speaker, turn.text.as_str()));
            let now = history(&this.owner, turns).last().copied();
            this.guard.sessions.note(&this.number, &this.entry, &session, &changes, now);
            (changes, session.unread().map(str::to_owned), session.turns().len())
        });
        match pushed.await {
            Ok((changes, unread, turns)) => {
                self.tell(&changes, id);
                self.ask_behind(turns);
                let gates: Vec<Change> = changes.into_iter().filter(|change| change.kind == ChangeKind::Gate).collect();
                match unread {
                    Some(reason) => Verdict::CouldNotJudge(reason),
                    None if gates.is_empty() => Verdict::UpstreamResponse,
                    None => Verdict::Gate(gates),
                }
            }
            Err(error) => Verdict::CouldNotJudge(error.reason().to_owned()),
        }
    }

    /// Asks the judge behind the guard, where there is one, beside everything else.
    fn ask_behind(&self, turns: usize) {
        let (this, Some(behind)) = (self.clone(), self.guard.behind.clone()) else { return };
        tokio::spawn(async move {
            let changes = behind.ask(&this.number, &this.entry, turns, &this.guard.pool).await;
            for silent in changes.iter().filter(|change| change.kind == ChangeKind::NoAnswer) {
                let judge = silent.judge.as_deref().unwrap_or_default();
                this.guard.alerts.say(&format!("the judge behind the guard, {judge}, gave no answer: {}", silent.why));
            }
            this.entry.tell(&changes);
            this.tell(&changes, None);
        });
    }

    /// Tells what became of a reply.
    pub(crate) fn outcome(&self, verdict: &Verdict, action: &'static str, id: Option<&str>) {
        self.guard.alerts.outcome(&self.subject(id), verdict, action);
    }

    fn tell(&self, changes: &[Change], id: Option<&str>) {
        self.guard.alerts.changes(&self.subject(id), changes);
    }

    fn subject(&self, id: Option<&str>) -> Subject {
        Subject { session: self.number.clone(), response: id.map(str::to_owned) }
    }
}
