//! Chats that go on, in memory alone: found by number or by what was said so far, bounded in count, forgotten when idle.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex as Lock, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use carelock_core::transcript::Speaker;
use carelock_engine::session::{Change, ChangeKind, Session, Watcher};
use serde::Serialize;
use tokio::sync::{Mutex, broadcast};

/// How many changes a slow listener may lag behind.
const LAG: usize = 64;

/// How much is kept, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Chats in memory.
    pub most: usize,
    /// How long one is kept without a turn.
    pub idle: Duration,
    /// Chats that are kept ready for a quick next turn.
    pub warm: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { most: 10_000, idle: Duration::from_secs(3600), warm: 64 }
    }
}

/// How a chat stands, in a few words: no text of it but the last cue.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Its id.
    pub id: String,
    /// Where it comes from: `api`, `proxy`, `litellm`.
    pub door: &'static str,
    /// How many turns it has.
    pub turns: usize,
    /// The gates that are tripped.
    pub gates: Vec<String>,
    /// The gates that a model found when it was last asked, where one is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model_gates: Vec<String>,
    /// What a crisis still calls for.
    pub due: Vec<&'static str>,
    /// The last crisis cue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cue: Option<Change>,
    /// Why it cannot be judged, where it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// One chat.
pub struct Entry {
    /// The chat itself; whoever holds it judges.
    pub session: Arc<Mutex<Session>>,
    summary: Lock<Summary>,
    changes: broadcast::Sender<Arc<Vec<Change>>>,
    used: Lock<Instant>,
    /// What it has said so far, by a digest.
    history: Lock<Option<[u8; 32]>>,
}

impl Entry {
    /// How it stands.
    #[must_use]
    pub fn summary(&self) -> Summary {
        locked(&self.summary).clone()
    }

    /// Notes the gates that a model found, and gives those that it had not found before.
    pub(crate) fn found_by_model(&self, gates: &[String]) -> Vec<String> {
        let mut summary = locked(&self.summary);
        let before = std::mem::replace(&mut summary.model_gates, gates.to_vec());
        gates.iter().filter(|gate| !before.contains(gate)).cloned().collect()
    }

    /// Tells whoever listens.
    pub(crate) fn tell(&self, changes: &[Change]) {
        if !changes.is_empty() {
            // Nobody need listen.
            let _ = self.changes.send(Arc::new(changes.to_vec()));
        }
    }

    /// What changes from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Arc<Vec<Change>>> {
        self.changes.subscribe()
    }
}

#[derive(Default)]
struct Kept {
    by_id: HashMap<String, Arc<Entry>>,
    /// The chat that has said exactly this so far, by a digest.
    by_history: HashMap<[u8; 32], String>,
    /// In the order of last use, the most recent last.
    warm: VecDeque<String>,
}

/// All chats that go on.
pub struct Sessions {
    watcher: Arc<Watcher>,
    bounds: Bounds,
    kept: Lock<Kept>,
}

fn locked<T>(lock: &Lock<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was said so far, as digests: the first of nothing, then one more for every turn.
#[must_use]
pub fn history<'a>(owner: &[u8], turns: impl IntoIterator<Item = (Speaker, &'a str)>) -> Vec<[u8; 32]> {
    let mut digests = vec![*blake3::Hasher::new_derive_key("carelock guard 1").update(owner).finalize().as_bytes()];
    for (speaker, text) in turns {
        let mut hasher = blake3::Hasher::new();
        hasher.update(digests.last().map_or(&[], |digest| digest.as_slice()));
        hasher.update(&[u8::from(speaker == Speaker::Ai)]).update(text.as_bytes());
        digests.push(*hasher.finalize().as_bytes());
    }
    digests
}

impl Sessions {
    /// No chat yet.
    #[must_use]
    pub fn new(watcher: Arc<Watcher>, bounds: Bounds) -> Self {
        Self { watcher, bounds, kept: Lock::default() }
    }

    /// Begins a chat; where there are too many, the one that was idle longest is forgotten. None where all are in use.
    pub fn begin(&self, id: Option<String>, door: &'static str) -> Result<Option<(String, Arc<Entry>)>> {
        let number = fresh()?;
        let session = Session::new(id.unwrap_or_else(|| number.clone()), Arc::clone(&self.watcher));
        let summary = Summary { id: session.id().to_owned(), door, ..Summary::default() };
        let entry = Arc::new(Entry {
            session: Arc::new(Mutex::new(session)),
            summary: Lock::new(summary),
            changes: broadcast::channel(LAG).0,
            used: Lock::new(Instant::now()),
            history: Lock::default(),
        });
        let mut kept = locked(&self.kept);
        if kept.by_id.len() >= self.bounds.most && !self.make_room(&mut kept) {
            return Ok(None);
        }
        kept.by_id.insert(number.clone(), Arc::clone(&entry));
        Ok(Some((number, entry)))
    }

    /// The chat with a number.
    #[must_use]
    pub fn find(&self, number: &str) -> Option<Arc<Entry>> {
        locked(&self.kept).by_id.get(number).cloned()
    }

    /// The chat that has said the most of a history, with how many turns of it; see [`history`].
    #[must_use]
    pub fn continuing(&self, history: &[[u8; 32]]) -> Option<(String, Arc<Entry>, usize)> {
        let kept = locked(&self.kept);
        (1..history.len()).rev().find_map(|turns| {
            let number = kept.by_history.get(&history[turns])?;
            Some((number.clone(), Arc::clone(kept.by_id.get(number)?), turns))
        })
    }

    /// Notes what a turn changed, and where the chat stands now.
    pub fn note(&self, number: &str, entry: &Entry, session: &Session, changes: &[Change], now: Option<[u8; 32]>) {
        {
            let mut summary = locked(&entry.summary);
            summary.turns = session.turns().len();
            summary.gates = session.tripped().map(str::to_owned).collect();
            summary.due = session.due().to_vec();
            summary.unread = session.unread().map(str::to_owned);
            if let Some(cue) = changes.iter().find(|change| change.kind == ChangeKind::Cue) {
                summary.cue = Some(cue.clone());
            }
        }
        *locked(&entry.used) = Instant::now();
        entry.tell(changes);
        let cooled = {
            let mut kept = locked(&self.kept);
            if let Some(now) = now {
                forget_history(&mut kept, number, entry);
                kept.by_history.insert(now, number.to_owned());
                *locked(&entry.history) = Some(now);
            }
            kept.warm.retain(|known| known != number);
            kept.warm.push_back(number.to_owned());
            let surplus = kept.warm.len() > self.bounds.warm;
            surplus.then(|| kept.warm.pop_front()).flatten().and_then(|number| kept.by_id.get(&number).cloned())
        };
        // One that is in use is warm for a reason.
        if let Some(mut session) = cooled.as_ref().and_then(|entry| entry.session.try_lock().ok()) {
            session.cool();
        }
    }

    /// Forgets a chat; whether there was one.
    pub fn forget(&self, number: &str) -> bool {
        let mut kept = locked(&self.kept);
        remove(&mut kept, number)
    }

    /// Forgets chats that were idle for too long.
    pub fn forget_idle(&self) {
        let mut kept = locked(&self.kept);
        let idle = |entry: &Entry| locked(&entry.used).elapsed() > self.bounds.idle;
        let old: Vec<String> =
            kept.by_id.iter().filter(|(_, entry)| idle(entry)).map(|(number, _)| number.clone()).collect();
        for number in old {
            remove(&mut kept, &number);
        }
    }

    /// How many chats there are.
    #[must_use]
    pub fn count(&self) -> usize {
        locked(&self.kept).by_id.len()
    }

    /// How chats stand, those with something to see first, then the latest; so many of them.
    #[must_use]
    pub fn list(&self, most: usize) -> Vec<(String, Summary)> {
        let kept = locked(&self.kept);
        let mut all: Vec<_> = kept
            .by_id
            .iter()
            .map(|(number, entry)| (number.clone(), entry.summary(), locked(&entry.used).elapsed()))
            .collect();
        drop(kept);
        let calm = |summary: &Summary| {
            summary.gates.is_empty()
                && summary.model_gates.is_empty()
                && summary.due.is_empty()
                && summary.cue.is_none()
        };
        all.sort_by_key(|(_, summary, idle)| (calm(summary), *idle));
        all.into_iter().take(most).map(|(number, summary, _)| (number, summary)).collect()
    }

    fn make_room(&self, kept: &mut Kept) -> bool {
        let free = kept.by_id.iter().filter(|(_, entry)| entry.session.try_lock().is_ok());
        let oldest = free.max_by_key(|(_, entry)| locked(&entry.used).elapsed()).map(|(number, _)| number.clone());
        oldest.is_some_and(|number| remove(kept, &number))
    }
}

fn remove(kept: &mut Kept, number: &str) -> bool {
    kept.warm.retain(|known| known != number);
    let Some(entry) = kept.by_id.remove(number) else { return false };
    forget_history(kept, number, &entry);
    true
}

/// Another chat may have said the same by now.
fn forget_history(kept: &mut Kept, number: &str, entry: &Entry) {
    if let Some(history) = locked(&entry.history).take()
        && kept.by_history.get(&history).is_some_and(|known| known == number)
    {
        kept.by_history.remove(&history);
    }
}

/// A number that cannot be guessed.
fn fresh() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("this system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use carelock_core::rubric::Rubric;

    use super::*;

    fn sessions(most: usize) -> Sessions {
        let watcher = Arc::new(Watcher::new(Rubric::care_lock(), Arc::default()));
        Sessions::new(watcher, Bounds { most, idle: Duration::ZERO, warm: 1 })
    }

    #[tokio::test]
    async fn a_chat_is_found_by_what_was_said_and_by_nobody_elses_key() {
        let sessions = sessions(10);
        let (number, entry) = sessions.begin(None, "proxy").unwrap().unwrap();
        let said = [(Speaker::Human, "Hello."), (Speaker::Ai, "Hello, what is on your mind?")];
        let known = history(b"key", said);
        let changes = entry.session.lock().await.push_all(said);
        sessions.note(&number, &entry, &*entry.session.lock().await, &changes, known.last().copied());
        let more = said.into_iter().chain([(Speaker::Human, "I can't sleep.")]);
        let found = sessions.continuing(&history(b"key", more.clone())).map(|(number, _, turns)| (number, turns));
        assert_eq!(found, Some((number, 2)));
        assert!(sessions.continuing(&history(b"other", more)).is_none());
    }

    #[tokio::test]
    async fn the_longest_idle_chat_makes_room_and_none_does_where_all_are_in_use() {
        let sessions = sessions(2);
        let (first, _) = sessions.begin(None, "api").unwrap().unwrap();
        let (_, second) = sessions.begin(None, "api").unwrap().unwrap();
        let (_, third) = sessions.begin(None, "api").unwrap().unwrap();
        assert!(sessions.find(&first).is_none() && sessions.count() == 2);
        let _in_use = (second.session.lock().await, third.session.lock().await);
        assert!(sessions.begin(None, "api").unwrap().is_none());
        sessions.forget_idle();
        assert_eq!(sessions.count(), 0);
    }
}
