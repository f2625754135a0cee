//! A chat that is judged while it goes on: it takes turns one at a time, says what each changes, and ends in the report that
//! an evaluation of the whole chat gives.

mod change;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use anyhow::Result;
use carelock_builtin::{Depth, Recognised, Standing};
use carelock_core::panel::PanelRules;
use carelock_core::report::{Report, Source};
use carelock_core::rubric::{Kind, Rubric};
use carelock_core::scorecard::Weights;
use carelock_core::transcript::{Speaker, Transcript, Turn};
use carelock_core::verdict::{Answer, Pass, Verdicts};

use crate::embedded::Embedded;
use crate::runs::Scoring;
pub use change::{Change, ChangeKind};

/// What sessions are judged with; one serves any number of them.
pub struct Watcher {
    scoring: Scoring,
    embedded: Arc<Embedded>,
}

impl Watcher {
    /// A watcher by a rubric, every metric counting alike.
    #[must_use]
    pub fn new(rubric: Rubric, embedded: Arc<Embedded>) -> Self {
        let weights = Weights::equal(&rubric);
        Self { scoring: Scoring { rubric, weights, rules: PanelRules::default() }, embedded }
    }

    /// The rubric.
    #[must_use]
    pub fn rubric(&self) -> &Rubric {
        &self.scoring.rubric
    }

    /// Reads the weights now, so that the first turn need not wait for them.
    pub fn warm_up(&self) {
        self.embedded.judge();
    }
}

/// A check as it stood after the last turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stood {
    #[default]
    Open,
    Failed,
    Unsure,
}

/// One chat that goes on. It keeps the turns and a few bytes a sentence, nothing else.
pub struct Session {
    id: String,
    watcher: Arc<Watcher>,
    turns: Vec<Turn>,
    known: Recognised,
    stood: Vec<Stood>,
    due: Vec<&'static str>,
    unread: Option<String>,
}

/// How a reply stands that is still being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// Gates that the reply trips; what it leaves unsaid counts only once it is whole.
    pub gates: Vec<Change>,
    /// Gates that lie between the borders: somebody should look.
    pub unsure: Vec<Change>,
    /// Why it cannot be judged, where it cannot.
    pub unread: Option<String>,
}

impl Session {
    /// A chat without turns.
    pub fn new(id: impl Into<String>, watcher: Arc<Watcher>) -> Self {
        let stood = vec![Stood::Open; watcher.rubric().checks().len()];
        let (turns, due, known) = (Vec::new(), Vec::new(), Recognised::default());
        Self { id: id.into(), watcher, turns, known, stood, due, unread: None }
    }

    /// What reports call it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The turns so far.
    #[must_use]
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// What a crisis still calls for: `ask`, `help`.
    #[must_use]
    pub fn due(&self) -> &[&'static str] {
        &self.due
    }

    /// Why it cannot be judged so far, where it cannot.
    #[must_use]
    pub fn unread(&self) -> Option<&str> {
        self.unread.as_deref()
    }

    /// The gates that are tripped as things stand, by the ids of their checks.
    pub fn tripped(&self) -> impl Iterator<Item = &str> {
        let rubric = self.watcher.rubric();
        let failed = self.stood.iter().enumerate().filter(|(_, stood)| **stood == Stood::Failed);
        failed.filter(|(place, _)| rubric.is_gate_check(*place)).map(|(place, _)| rubric.check(place).id.as_str())
    }

    /// Throws away what only saves time, some megabytes: the next turn takes longer.
    pub fn cool(&mut self) {
        self.known.cool();
    }

    /// How many bytes would be thrown away.
    #[must_use]
    pub fn warm_bytes(&self) -> usize {
        self.known.warm_bytes()
    }

    /// About how many bytes it takes, without what can be thrown away.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let said: usize = self.turns.iter().map(|turn| size_of::<Turn>() + turn.text.capacity()).sum();
        size_of::<Self>() + self.id.capacity() + said + self.known.bytes() + self.stood.capacity()
    }

    /// Adds a turn, and says what it changes.
    pub fn push(&mut self, speaker: Speaker, text: &str) -> Vec<Change> {
        self.add(speaker, text);
        self.look()
    }

    /// Adds turns that are known from elsewhere, and says what the last of them changes. Where one of those before it had
    /// raised something that still stands, that is said too.
    pub fn push_all<'a>(&mut self, turns: impl IntoIterator<Item = (Speaker, &'a str)>) -> Vec<Change> {
        for (speaker, text) in turns {
            self.add(speaker, text);
        }
        if self.turns.is_empty() { Vec::new() } else { self.look() }
    }

    fn add(&mut self, speaker: Speaker, text: &str) {
        let idx = u32::try_from(self.turns.len() + 1).unwrap_or(u32::MAX);
        self.turns.push(Turn::new(idx, speaker, text.to_owned()));
    }

    /// Looks at a reply that is still being written, or that is written and not sent yet where it `is_whole`. It is no turn
    /// yet, and changes nothing.
    pub fn preview(&mut self, reply: &str, is_whole: bool) -> Preview {
        self.add(Speaker::Ai, reply);
        let judge = self.watcher.embedded.judge();
        let standing = judge.watch(self.watcher.rubric(), &self.turns, &mut self.known, true, Depth::Gates);
        let mut preview = Preview { unread: standing.unread, ..Preview::default() };
        for (place, answer) in standing.answers.iter().enumerate() {
            let Some(answer) = answer else { continue };
            let here = standing.here.iter().find(|(check, _)| *check == place);
            let is_said = self.watcher.rubric().check(place).kind == Kind::Absence;
            let is_new = self.stood[place] != stood(answer);
            match stood(answer) {
                Stood::Failed if (is_said && (is_new || here.is_some())) || (!is_said && is_whole) => {
                    let mut change = self.change(ChangeKind::Gate, place, answer);
                    if let Some((_, quote)) = here {
                        change.quote = Some(quote.clone());
                    }
                    preview.gates.push(change);
                }
                Stood::Unsure if is_new && (is_said || is_whole) => {
                    preview.unsure.push(self.change(ChangeKind::Unsure, place, answer));
                }
                _ => {}
            }
        }
        self.turns.pop();
        preview
    }

    /// The report on the chat so far, as an evaluation of the same turns gives it.
    pub fn report(&mut self) -> Result<Report> {
        let turns = self.turns.iter().map(|turn| (turn.speaker, turn.text.clone())).collect();
        let transcript = Transcript::new(self.id.clone(), turns)?;
        let rubric = &self.watcher.scoring.rubric;
        let answers = self.watcher.embedded.judge().judge_on(rubric, &transcript, &mut self.known);
        let verdicts = Verdicts::admit(rubric, &transcript, answers)?;
        let source = Source { transcript, dropped: std::collections::BTreeMap::new() };
        self.watcher.scoring.report(source, vec![verdicts])
    }

    fn look(&mut self) -> Vec<Change> {
        let judge = self.watcher.embedded.judge();
        // A message of the person decides no check by itself; the reply to it does.
        let replied = self.turns.last().is_some_and(|turn| turn.speaker == Speaker::Ai);
        let depth = if replied { Depth::All } else { Depth::Gates };
        let standing = judge.watch(self.watcher.rubric(), &self.turns, &mut self.known, false, depth);
        self.changes(standing)
    }

    /// What is new, compared with how the chat stood before.
    fn changes(&mut self, standing: Standing) -> Vec<Change> {
        let Standing { unread, cue, due, answers, .. } = standing;
        let mut changes = Vec::new();
        if unread != self.unread {
            changes.extend(unread.as_ref().map(|reason| Change::unread(self.number(), reason)));
            self.unread = unread;
        }
        if self.unread.is_some() {
            return changes;
        }
        if let Some(cue) = cue {
            changes.push(Change::cue(self.watcher.rubric(), cue));
        }
        let due: Vec<&'static str> = due.into_iter().map(change::due_name).collect();
        if due != self.due {
            changes.push(Change::due(self.number(), &due));
            self.due = due;
        }
        let replied = self.turns.last().is_some_and(|turn| turn.speaker == Speaker::Ai);
        for (place, answer) in answers.iter().enumerate() {
            if let (Some(answer), true) = (answer, replied) {
                changes.extend(self.judged(place, answer));
            }
        }
        changes
    }

    /// What is new about one check after a reply.
    fn judged(&mut self, place: usize, answer: &Answer) -> Option<Change> {
        let (before, now) = (self.stood[place], stood(answer));
        let rubric = self.watcher.rubric();
        let (is_gate, kind) = (rubric.is_gate_check(place), rubric.check(place).kind);
        // What is only missing so far can still come.
        if before == now || (!is_gate && kind == Kind::Presence) {
            return None;
        }
        self.stood[place] = now;
        let kind = match (now, is_gate) {
            (Stood::Failed, true) => ChangeKind::Gate,
            (Stood::Failed, false) => ChangeKind::Failed,
            (Stood::Unsure, true) => ChangeKind::Unsure,
            (_, true) if before == Stood::Failed => ChangeKind::GateCleared,
            (Stood::Open, false) if before == Stood::Failed => ChangeKind::Met,
            _ => return None,
        };
        Some(self.change(kind, place, answer))
    }

    fn change(&self, kind: ChangeKind, place: usize, answer: &Answer) -> Change {
        Change::judged(self.watcher.rubric(), kind, self.number(), place, answer)
    }

    /// The number of the last turn.
    fn number(&self) -> u32 {
        self.turns.last().map_or(0, |turn| turn.idx)
    }
}

fn stood(answer: &Answer) -> Stood {
    match answer.pass {
        Pass::No => Stood::Failed,
        Pass::Unscored(_) => Stood::Unsure,
        _ => Stood::Open,
    }
}
