//! The same judge asked several times about the same chats: what changes, how far, and which verdict counts.

mod canonical;
mod text;

#[cfg(test)]
mod tests;

pub use text::{csv, markdown, text};

use carelock_core::rubric::Rubric;
use carelock_statistics::stability::{Firing, Flips, Spread, firing, flips, spread};
use carelock_statistics::{Bootstrap, Estimate, mean};
use serde::Serialize;

use crate::ratings::{Outcome, Rating};
use canonical::Canonical;

/// The name of the format of the JSON.
const SCHEMA: &str = "carelock/stability/1";

/// One chat and what was said about it each time; nothing where there was no answer.
pub struct Repeats {
    /// The chat's id.
    pub id: String,
    /// One rating a repeat.
    pub ratings: Vec<Option<Rating>>,
}

/// Everything there is to say about how steady a judge is.
#[derive(Debug, Serialize)]
pub struct Stability {
    schema: &'static str,
    judge: String,
    repeats: usize,
    chats: usize,
    rubric: String,
    rubric_hash: String,
    intervals: Bootstrap,
    gates: GateStability,
    overall: Spread,
    /// How often two answers to the same check of the same chat differ.
    flip_rate: Estimate,
    /// Each check, gate checks first and then those that flip most.
    checks: Vec<CheckStability>,
    canonical: Canonical,
    /// The answers that were most divided, gate checks first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    divided: Vec<Divided>,
    /// Chats that had no answer in some repeat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unanswered: Vec<String>,
}

/// How likely it is that a gate fires.
#[derive(Debug, Serialize)]
struct GateStability {
    /// Over all chats and repeats.
    probability: Estimate,
    /// Chats in which a gate fires always, sometimes and never.
    always: usize,
    sometimes: usize,
    never: usize,
    /// The chats in which it fires sometimes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsteady: Vec<GateChat>,
}

/// A chat in which a gate fires in some repeats.
#[derive(Debug, Serialize)]
struct GateChat {
    chat: String,
    fires: usize,
    answers: usize,
    probability: Estimate,
}

/// How steady one check is.
#[derive(Debug, Serialize)]
struct CheckStability {
    check: String,
    title: String,
    gate: bool,
    #[serde(flatten)]
    flips: Flips,
}

/// One check of one chat on which the repeats differ.
#[derive(Debug, Serialize)]
struct Divided {
    chat: String,
    check: String,
    title: String,
    gate: bool,
    passes: usize,
    fails: usize,
}

impl Stability {
    /// All figures; `most` is how many divided answers are listed.
    pub fn new(rubric: &Rubric, judge: String, chats: &[Repeats], most: usize, bootstrap: &Bootstrap) -> Self {
        let overall: Vec<Vec<Option<f64>>> = chats.iter().map(Repeats::overall).collect();
        let rates: Vec<Vec<Option<f64>>> = chats.iter().map(|chat| chat.flip_rates(rubric)).collect();
        let divided = divided(rubric, chats, most);
        let unanswered = chats.iter().filter(|chat| chat.ratings.iter().any(Option::is_none));
        Self {
            schema: SCHEMA,
            judge,
            repeats: chats.iter().map(|chat| chat.ratings.len()).max().unwrap_or_default(),
            chats: chats.len(),
            rubric: format!("{} {}", rubric.name(), rubric.version()),
            rubric_hash: rubric.digest().to_owned(),
            intervals: *bootstrap,
            gates: GateStability::new(rubric, chats, bootstrap),
            overall: spread(overall.iter().map(Vec::as_slice), bootstrap),
            flip_rate: mean::of_clusters(rates.iter().map(Vec::as_slice), bootstrap),
            checks: by_check(rubric, chats, bootstrap),
            canonical: Canonical::new(rubric, chats),
            divided,
            unanswered: unanswered.map(|chat| chat.id.clone()).collect(),
        }
    }

    /// Whether some answer is missing.
    pub fn is_incomplete(&self) -> bool {
        !self.unanswered.is_empty()
    }
}

impl Repeats {
    /// Pass or fail of one check in each repeat.
    fn answers(&self, check: usize) -> impl Iterator<Item = Option<bool>> {
        let ratings = self.ratings.iter();
        ratings.map(move |rating| rating.as_ref().and_then(|rating| rating.outcomes[check]).map(Outcome::passes))
    }

    /// How often it passes and fails.
    fn votes(&self, check: usize) -> (usize, usize) {
        let passes = self.answers(check).filter(|answer| *answer == Some(true)).count();
        (passes, self.answers(check).flatten().count() - passes)
    }

    fn overall(&self) -> Vec<Option<f64>> {
        let score = |rating: &Option<Rating>| rating.as_ref().and_then(|rating| rating.overall);
        self.ratings.iter().map(|rating| score(rating).map(|score| f64::from(score.hundredths()) / 100.0)).collect()
    }

    /// For each check the share of pairs of answers that differ.
    fn flip_rates(&self, rubric: &Rubric) -> Vec<Option<f64>> {
        let rate = |check: usize| {
            let (passes, fails) = self.votes(check);
            let pairs = (passes + fails) * (passes + fails).saturating_sub(1);
            (pairs > 0).then(|| 2.0 * (passes * fails) as f64 / pairs as f64)
        };
        (0..rubric.checks().len()).map(rate).collect()
    }
}

impl GateStability {
    fn new(rubric: &Rubric, chats: &[Repeats], bootstrap: &Bootstrap) -> Self {
        let fires = |rating: &Option<Rating>| rating.as_ref().map(|rating| rating.is_gated(rubric));
        let events: Vec<Vec<Option<bool>>> =
            chats.iter().map(|chat| chat.ratings.iter().map(fires).collect()).collect();
        let Firing { by_chat, overall } = firing(events.iter().map(Vec::as_slice), bootstrap);
        let (mut always, mut never, mut unsteady) = (0, 0, Vec::new());
        for ((chat, events), probability) in chats.iter().zip(&events).zip(by_chat) {
            let fires = events.iter().flatten().filter(|&&fires| fires).count();
            let answers = events.iter().flatten().count();
            match (fires, answers) {
                (_, 0) => {}
                (0, _) => never += 1,
                (fires, answers) if fires == answers => always += 1,
                _ => unsteady.push(GateChat { chat: chat.id.clone(), fires, answers, probability }),
            }
        }
        Self { probability: overall, always, sometimes: unsteady.len(), never, unsteady }
    }
}

fn by_check(rubric: &Rubric, chats: &[Repeats], bootstrap: &Bootstrap) -> Vec<CheckStability> {
    let one = |check: usize| {
        let answers = |chat: &Repeats| chat.answers(check).map(|answer| answer.map(u8::from)).collect();
        let classes: Vec<Vec<Option<u8>>> = chats.iter().map(answers).collect();
        let asked = rubric.check(check);
        CheckStability {
            check: asked.id.clone(),
            title: asked.title.clone(),
            gate: rubric.is_gate_check(check),
            flips: flips(classes.iter().map(Vec::as_slice), bootstrap),
        }
    };
    let mut checks: Vec<CheckStability> = (0..rubric.checks().len()).map(one).collect();
    let rate = |check: &CheckStability| check.flips.flip_rate.value.unwrap_or_default();
    checks.sort_by(|one, other| {
        (other.gate, rate(other)).partial_cmp(&(one.gate, rate(one))).unwrap_or(std::cmp::Ordering::Equal)
    });
    checks
}

/// The checks of chats on which the repeats differ: gate checks first, then the closest votes.
fn divided(rubric: &Rubric, chats: &[Repeats], most: usize) -> Vec<Divided> {
    let mut found = Vec::new();
    for chat in chats {
        for check in 0..rubric.checks().len() {
            let (passes, fails) = chat.votes(check);
            if passes > 0 && fails > 0 {
                let asked = rubric.check(check);
                let (check, gate) = (asked.id.clone(), rubric.is_gate_check(check));
                found.push(Divided { chat: chat.id.clone(), check, title: asked.title.clone(), gate, passes, fails });
            }
        }
    }
    found.sort_by_key(|one| (!one.gate, one.passes.abs_diff(one.fails)));
    found.truncate(most);
    found
}
