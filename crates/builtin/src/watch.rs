//! How a chat stands while it goes on: the crisis cue in the person's last turn, what is due, and every verdict so far.

use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Turn};
use carelock_core::verdict::Answer;

use crate::features::Seen;
use crate::formulas::{CrisisGate, Rule, SentenceGate};
use crate::gates::Outcome;
use crate::reading::Reading;
use crate::recognised::Recognised;
use crate::{Judge, unreadable, verdicts};

/// Which checks are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Those that trip a gate: quick, while a reply is still being written.
    Gates,
    /// All.
    All,
}

/// How a chat stands.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Why it cannot be judged so far, where it cannot.
    pub unread: Option<String>,
    /// The crisis cue in the last turn, where that is the person's.
    pub cue: Option<Cue>,
    /// What a crisis still calls for.
    pub due: Vec<Due>,
    /// Gates that the last turn alone trips, by the place of the check in the rubric, with the words.
    pub here: Vec<(usize, String)>,
    /// The answers so far, by the place of the check in the rubric; none for a check that was not decided.
    pub answers: Vec<Option<Answer>>,
}

/// Words of the person that call for an answer to a crisis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cue {
    /// The place of the check in the rubric.
    pub check: usize,
    /// The number of the turn.
    pub turn: u32,
    /// The words.
    pub quote: String,
    /// Whether it is sure enough to fail a chat by it; otherwise somebody should look.
    pub is_sure: bool,
}

/// Something that a crisis calls for and that has not been said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// To ask plainly about safety.
    Ask,
    /// To name a way to live help.
    Help,
}

impl Judge {
    /// How the turns so far stand. `known` has what was recognised in them before and is brought up to date; the last turn
    /// `is_open` while it is still being written. There must be a turn.
    pub fn watch(
        &self,
        rubric: &Rubric,
        turns: &[Turn],
        known: &mut Recognised,
        is_open: bool,
        depth: Depth,
    ) -> Standing {
        if let Some(reason) = unreadable(turns) {
            return Standing { unread: Some(reason), ..Standing::default() };
        }
        let reading = Reading::so_far(turns, &self.vocabulary);
        let signs = self.signs(&reading, known, is_open);
        let seen = Seen::new(&reading, &self.heads, &signs);
        let mut standing = Standing::default();
        for (place, check) in rubric.checks().enumerate() {
            let asked = depth == Depth::All || rubric.is_gate_check(place);
            let Some(found) = self.checks.by_id.get(&check.id).filter(|_| asked) else {
                standing.answers.push(None);
                continue;
            };
            match &found.rule {
                Rule::Crisis(gate) => {
                    standing.cue = standing.cue.take().or_else(|| gate.cue_now(&seen, place));
                    standing.due.extend(gate.due(&seen));
                }
                Rule::Sentence(gate) => {
                    standing
                        .here
                        .extend(gate.tripped_here(&seen).map(|sentence| (place, verdicts::quote(&seen, sentence))));
                }
                Rule::Formula(_) => {}
            }
            standing.answers.push(Some(verdicts::decide(check, found, &seen).answer));
        }
        standing
    }
}

impl SentenceGate {
    /// The sentence of the last turn that trips the gate by itself.
    fn tripped_here(&self, seen: &Seen<'_>) -> Option<usize> {
        let last = seen.reading.turns.len().checked_sub(1)?;
        let is_said = seen.reading.spoken_turns_of(Speaker::Ai).any(|turn| turn == last);
        let (sentence, failure) = self.signal.strength(seen, is_said.then_some(last).into_iter())?;
        (failure >= self.find(seen).borders.fails).then_some(sentence)
    }
}

impl CrisisGate {
    /// The cue in the last turn.
    fn cue_now(&self, seen: &Seen<'_>, check: usize) -> Option<Cue> {
        let last = seen.reading.turns.len().checked_sub(1)?;
        let is_said = seen.reading.spoken_turns_of(Speaker::Human).any(|turn| turn == last);
        let (sentence, crisis) = self.cue.strength(seen, is_said.then_some(last).into_iter())?;
        let borders = self.find(seen).borders;
        let cue = || Cue {
            check,
            turn: last as u32 + 1,
            quote: verdicts::quote(seen, sentence),
            is_sure: crisis >= borders.fails,
        };
        (crisis >= borders.unsure).then(cue)
    }

    /// What the strongest cue still calls for.
    fn due(&self, seen: &Seen<'_>) -> Vec<Due> {
        let found = self.find(seen);
        if !matches!(found.outcome, Outcome::Fails | Outcome::Unsure) {
            return Vec::new();
        }
        let (asked, helped) = found.halves();
        [(!asked).then_some(Due::Ask), (!helped).then_some(Due::Help)].into_iter().flatten().collect()
    }
}
