//! Where in the chat things went well or wrong, as a drawing: earned checks above the line, failed ones below it.

use std::collections::BTreeMap;

use carelock_core::report::places;
use carelock_core::transcript::Speaker;

use crate::outcome::Outcome;
use crate::subject::Subject;

/// The drawing's measures, in pixels; across, it is measured in percent and takes the width there is.
const TOP: f64 = 22.0;
const HALF: f64 = 44.0;
const AXIS: f64 = 8.0;
const LABELS: f64 = 20.0;
/// So many turn numbers fit side by side on a phone.
const NUMBERS: usize = 12;

/// A chat of a few turns does not fill the width with columns as wide as a hand.
const FEWEST: usize = 8;
/// More turns than this need more room than a phone has.
const LONG: usize = 60;

/// The drawing.
pub(crate) struct Timeline {
    pub(crate) height: f64,
    pub(crate) axis_top: f64,
    pub(crate) axis_height: f64,
    pub(crate) label_top: f64,
    /// Chats so long that their turns need more room than a phone has.
    pub(crate) is_long: bool,
    pub(crate) columns: Vec<Column>,
}

/// One turn.
pub(crate) struct Column {
    pub(crate) anchor: String,
    /// What is to be known of it, in words; empty for a turn that nothing cites.
    pub(crate) words: String,
    pub(crate) speaker: &'static str,
    pub(crate) left: String,
    pub(crate) width: String,
    pub(crate) bar_left: String,
    pub(crate) bar_width: String,
    pub(crate) middle: String,
    pub(crate) good: Option<Bar>,
    pub(crate) bad: Option<Bar>,
    pub(crate) is_gate: bool,
    pub(crate) moment: Option<String>,
    pub(crate) number: Option<u32>,
}

/// The part of a column that stands above or below the line.
pub(crate) struct Bar {
    pub(crate) top: String,
    pub(crate) height: String,
}

#[derive(Default)]
struct TurnTally {
    earned: usize,
    failed: usize,
    gates: Vec<String>,
    moments: Vec<usize>,
}

pub(crate) fn timeline(subject: &Subject<'_>) -> Timeline {
    let turns = &subject.report.turns;
    let seen = seen(subject);
    let most = seen.values().map(|seen| seen.earned.max(seen.failed)).max().unwrap_or(0).max(4);
    let unit = HALF / most as f64;
    let step = turns.len().div_ceil(NUMBERS).max(1);
    let width = 100.0 / turns.len().max(FEWEST) as f64;
    let is_long = turns.len() > LONG;
    let nothing = TurnTally::default();
    let column = |(place, turn): (usize, &carelock_core::transcript::Turn)| {
        let here = seen.get(&turn.idx).unwrap_or(&nothing);
        let left = width * place as f64;
        let up = here.earned as f64 * unit;
        let down = here.failed as f64 * unit;
        let has_gate = !here.gates.is_empty();
        let moments: Vec<String> = here.moments.iter().map(usize::to_string).collect();
        Column {
            anchor: subject.anchors.turn(turn.idx),
            words: words(turn.idx, turn.speaker, here),
            speaker: if turn.speaker == Speaker::Ai { "ai" } else { "human" },
            left: percent(left),
            width: percent(width),
            bar_left: percent(left + width * 0.15),
            bar_width: percent(width * 0.7),
            middle: percent(left + width / 2.0),
            good: (here.earned > 0).then(|| Bar { top: pixels(TOP + HALF - up), height: pixels(up) }),
            bad: (here.failed > 0).then(|| Bar { top: pixels(TOP + HALF + AXIS), height: pixels(down) }),
            is_gate: has_gate,
            // Where columns are narrow, signs would overlap: their numbers stand in the words, and a gate goes first.
            moment: (!moments.is_empty() && (!is_long || !has_gate))
                .then(|| if is_long { String::new() } else { moments.join(" ") }),
            number: (place % step == 0).then_some(turn.idx),
        }
    };
    Timeline {
        height: TOP + 2.0 * HALF + AXIS + LABELS,
        axis_top: TOP + HALF,
        axis_height: AXIS,
        label_top: TOP + 2.0 * HALF + AXIS + 15.0,
        is_long,
        columns: turns.iter().enumerate().map(column).collect(),
    }
}

fn seen(subject: &Subject<'_>) -> BTreeMap<u32, TurnTally> {
    let mut seen: BTreeMap<u32, TurnTally> = BTreeMap::new();
    for (_, id, check) in subject.report.checks() {
        if places::is_clean_pass(subject.rubric, id, check) {
            continue;
        }
        for &turn in &check.turns {
            let here = seen.entry(turn).or_default();
            match Outcome::new(check) {
                Outcome::Earned => here.earned += 1,
                Outcome::Failed => here.failed += 1,
                Outcome::NotTriggered | Outcome::Unscored => {}
            }
        }
    }
    for gate in &subject.report.gates {
        // A gate is shown where its words stand, not at every turn that is cited for it.
        let quote = gate.quote.as_deref();
        let piece = quote.and_then(|quote| subject.evidence.piece(subject.report, &gate.turns, quote));
        let turn = piece.map(|piece| piece.turn).or(gate.turns.first().copied());
        if let Some(turn) = turn {
            seen.entry(turn).or_default().gates.push(carelock_core::report::safe_text::one_line(&gate.check));
        }
    }
    for moment in places::moments_in_order(subject.report) {
        let number = places::moment_number(subject.report, moment.id).unwrap_or_default();
        seen.entry(moment.idx).or_default().moments.push(number);
    }
    seen
}

fn words(idx: u32, speaker: Speaker, here: &TurnTally) -> String {
    let mut parts = Vec::new();
    if !here.gates.is_empty() {
        parts.push(format!("gate {}", here.gates.join(" ")));
    }
    if here.earned > 0 {
        parts.push(format!("{} earned", here.earned));
    }
    if here.failed > 0 {
        parts.push(format!("{} failed", here.failed));
    }
    parts.extend(here.moments.iter().map(|id| format!("moment {id}")));
    if parts.is_empty() { String::new() } else { format!("turn {idx}, {speaker}: {}", parts.join(", ")) }
}

fn percent(share: f64) -> String {
    format!("{share:.3}%")
}

fn pixels(length: f64) -> String {
    format!("{length:.1}")
}
