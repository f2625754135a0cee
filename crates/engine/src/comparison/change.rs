//! What changed from one run to the other: gates that newly fire, chats that moved most, checks that flipped.

use std::cmp::Ordering;

use carelock_core::report::names::gate_name;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use serde::Serialize;

use crate::ratings::{Matching, Outcome, Rating};

/// The chats that changed, over those that both runs have.
#[derive(Debug, Serialize)]
pub(super) struct Changes {
    /// Chats in which a gate fires now that did not before, whatever other gates did.
    pub(super) newly_gated: usize,
    /// Chats in which a gate fired before and does not now.
    pub(super) no_longer_gated: usize,
    /// Chats whose overall score changed.
    pub(super) moved: usize,
    /// The chats that changed most: newly fired gates first, then the largest differences.
    pub(super) most: Vec<Change>,
    /// All chats that both have, by how they came off: worse, better, the same.
    #[serde(skip)]
    pub(super) kinds: [Kind; 3],
}

/// Chats that came off alike, the most changed first.
#[derive(Debug, Default)]
pub(super) struct Kind {
    pub(super) number: usize,
    /// The first of them.
    pub(super) chats: Vec<Change>,
}

/// Chats of a kind, and of a check that flipped, that are listed by name.
const LISTED: usize = 200;

/// One chat in both runs.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    pub(super) chat: String,
    pub(super) first: Option<Score>,
    pub(super) second: Option<Score>,
    /// Gate checks that fail now and did not before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) new_gates: Vec<String>,
    /// The same by their failures: `ES2 Mishandled a crisis`.
    #[serde(skip)]
    pub(super) named_gates: Vec<String>,
    /// Other checks that fail now and passed before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) now_fails: Vec<String>,
    /// Checks that pass now and failed before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) now_passes: Vec<String>,
    /// The chat as both sides store it.
    #[serde(skip)]
    pub(super) stored: Stored,
}

/// A chat in the databases of two sides, where they come from one.
pub(super) type Stored = (Option<carelock_store::ChatKey>, Option<carelock_store::ChatKey>);

/// A check whose verdict changed in some chats.
#[derive(Debug, Serialize)]
pub(super) struct Flip {
    pub(super) check: String,
    pub(super) title: String,
    pub(super) gate: bool,
    /// Chats in which it passed and fails now.
    pub(super) now_fails: usize,
    /// Chats in which it failed and passes now.
    pub(super) now_passes: usize,
    /// The first chats in which it fails now, and in which it passes now.
    #[serde(skip)]
    pub(super) chats: [Vec<NamedChat>; 2],
}

/// A chat by its name, as the second side stores it.
pub(super) type NamedChat = (String, Option<carelock_store::ChatKey>);

/// How a verdict changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turned {
    Same,
    Fails,
    Passes,
}

fn turned(before: Option<Outcome>, after: Option<Outcome>) -> Turned {
    match (before.map(Outcome::passes), after.map(Outcome::passes)) {
        (Some(true), Some(false)) => Turned::Fails,
        (Some(false), Some(true)) => Turned::Passes,
        _ => Turned::Same,
    }
}

/// Whether a gate fires now that did not, whatever other gates fired before.
fn newly_fires(rubric: &Rubric, before: &Rating, after: &Rating) -> bool {
    if before.is_gated(rubric) {
        let mut gates = (0..before.outcomes.len()).filter(|&check| rubric.is_gate_check(check));
        return gates.any(|check| turned(before.outcomes[check], after.outcomes[check]) == Turned::Fails);
    }
    after.is_gated(rubric)
}

impl Changes {
    /// Whether any chat changed.
    pub(super) fn is_any(&self) -> bool {
        self.newly_gated + self.no_longer_gated + self.moved > 0 || !self.most.is_empty()
    }

    pub(super) fn new(rubric: &Rubric, first: &[Rating], second: &[Rating], matching: &Matching, most: usize) -> Self {
        let mut changes =
            Self { newly_gated: 0, no_longer_gated: 0, moved: 0, most: Vec::new(), kinds: Default::default() };
        let mut kinds: [Vec<(bool, u8, usize)>; 3] = Default::default();
        // Newly gated first, then by how far the score moved; the order of the chats decides between equals.
        let mut ranked: Vec<(bool, u8, usize)> = Vec::new();
        for (place, &(one, two)) in matching.pairs.iter().enumerate() {
            let (before, after) = (&first[one], &second[two]);
            let gated = [before, after].map(|rating| rating.is_gated(rubric));
            let is_newly = newly_fires(rubric, before, after);
            changes.newly_gated += usize::from(is_newly);
            changes.no_longer_gated += usize::from(gated == [true, false]);
            let gap = before.overall.zip(after.overall).map_or(0, |(before, after)| before.gap(after).hundredths());
            changes.moved += usize::from(gap > 0);
            if gap > 0 || is_newly || gated[0] != gated[1] {
                ranked.push((is_newly, gap, place));
            }
            let kind = match (gated, before.overall.cmp(&after.overall)) {
                _ if is_newly => 0,
                ([true, false], _) => 1,
                (_, Ordering::Greater) if gap > 0 => 0,
                (_, Ordering::Less) if gap > 0 => 1,
                _ => 2,
            };
            kinds[kind].push((is_newly || gated[0] != gated[1], gap, place));
        }
        let by_size = |ranked: &mut Vec<(bool, u8, usize)>| {
            ranked.sort_by_key(|&(gated, gap, place)| (!gated, u8::MAX - gap, place));
        };
        by_size(&mut ranked);
        let change = |place: usize| {
            let (one, two) = matching.pairs[place];
            Change::new(rubric, &first[one], &second[two])
        };
        changes.kinds = kinds.map(|mut kind| {
            by_size(&mut kind);
            let chats = kind.iter().take(LISTED).map(|&(_, _, place)| change(place)).collect();
            Kind { number: kind.len(), chats }
        });
        let shown = ranked.iter().take(most).map(|&(_, _, place)| matching.pairs[place]);
        changes.most = shown.map(|(one, two)| Change::new(rubric, &first[one], &second[two])).collect();
        changes
    }
}

impl Change {
    fn new(rubric: &Rubric, before: &Rating, after: &Rating) -> Self {
        let turned_to = |wanted: Turned, gate: Option<bool>| {
            let checks = (0..before.outcomes.len()).filter(|&check| {
                gate.is_none_or(|gate| rubric.is_gate_check(check) == gate)
                    && turned(before.outcomes[check], after.outcomes[check]) == wanted
            });
            checks.map(|check| rubric.check(check).id.clone()).collect::<Vec<String>>()
        };
        let new_gates = turned_to(Turned::Fails, Some(true));
        Self {
            named_gates: new_gates.iter().map(|check| gate_name(rubric, check)).collect(),
            chat: before.id.clone(),
            first: before.overall,
            second: after.overall,
            new_gates,
            now_fails: turned_to(Turned::Fails, Some(false)),
            now_passes: turned_to(Turned::Passes, None),
            stored: (before.stored(), after.stored()),
        }
    }
}

impl Flip {
    /// All checks that changed anywhere: gate checks first, then those that changed in most chats.
    pub(super) fn all(rubric: &Rubric, first: &[Rating], second: &[Rating], matching: &Matching) -> Vec<Self> {
        let mut counts = vec![([0; 2], [Vec::new(), Vec::new()]); rubric.checks().len()];
        for &(one, two) in &matching.pairs {
            let pairs = first[one].outcomes.iter().zip(&second[two].outcomes);
            for ((numbers, chats), (before, after)) in counts.iter_mut().zip(pairs) {
                let side = match turned(*before, *after) {
                    Turned::Fails => 0,
                    Turned::Passes => 1,
                    Turned::Same => continue,
                };
                numbers[side] += 1;
                if chats[side].len() < LISTED {
                    chats[side].push((first[one].id.clone(), second[two].stored()));
                }
            }
        }
        let flip = |(check, ([now_fails, now_passes], chats)): (usize, ([usize; 2], [Vec<NamedChat>; 2]))| Self {
            check: rubric.check(check).id.clone(),
            title: rubric.check(check).title.clone(),
            gate: rubric.is_gate_check(check),
            now_fails,
            now_passes,
            chats,
        };
        let mut flips: Vec<Self> = counts.into_iter().enumerate().map(flip).collect();
        flips.retain(|flip| flip.now_fails + flip.now_passes > 0);
        flips.sort_by_key(|flip| (!flip.gate, usize::MAX - flip.now_fails - flip.now_passes));
        flips
    }
}
