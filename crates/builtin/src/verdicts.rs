//! From what was seen in a chat to the verdict on every check, with its evidence.

use carelock_core::rubric::{Check, Kind};
use carelock_core::transcript::Speaker;
use carelock_core::verdict::{Answer, Basis, Confidence, Pass};

use crate::checks::{Checks, KnownCheck};
use crate::features::Seen;

/// From this probability on (thousandths) a condition counts as having arisen when the check passes.
const ARISEN: u16 = 600;

/// The longest quote, in bytes; longer sentences are quoted from their start, at a word's end.
const LONGEST_QUOTE: usize = 240;

/// A decided check.
#[derive(Debug)]
pub(crate) struct Decided {
    /// The sum of everything that speaks for a failure, in thousandths; above zero the check fails.
    pub(crate) sum: i64,
    /// The answer as it goes into the submission.
    pub(crate) answer: Answer,
    /// The sentence that is quoted.
    pub(crate) sentence: Option<usize>,
    /// The person's sentence that called for it, where there is one.
    pub(crate) cue: Option<usize>,
}

/// The value of every feature, in thousandths.
pub(crate) fn values(checks: &Checks, seen: &Seen<'_>) -> Vec<i64> {
    checks.features.iter().map(|feature| seen.value(feature)).collect()
}

/// Adds up what speaks for a failure.
pub(crate) fn sum(known: &KnownCheck, values: &[i64]) -> i64 {
    let weighted: i64 = known.weights.iter().map(|&(place, weight)| weight * values[place]).sum();
    known.bias + weighted / 1000
}

/// Decides one check.
pub(crate) fn decide(check: &Check, known: &KnownCheck, seen: &Seen<'_>, values: &[i64]) -> Decided {
    let sum = sum(known, values);
    let fails = sum > 0;
    let cue = cue(known, seen);
    let arisen = cue.is_some_and(|(_, probability)| probability >= ARISEN);
    let confidence = confidence(known, sum);
    let cue_sentence = cue.map(|(sentence, _)| sentence);
    let (basis, turn, sentence) = match (check.kind, fails) {
        (Kind::Absence, false) => (Basis::Absent, None, None),
        (Kind::Conditional, false) if !arisen && !known.wording.idle.is_empty() => (Basis::NotTriggered, None, None),
        (Kind::Presence | Kind::Conditional, false) => cite(seen, &known.shows, Basis::Observed),
        (Kind::Absence, true) => cite(seen, &known.breaks, Basis::Observed),
        (Kind::Conditional, true) => {
            let (turn, sentence) = answer_to(seen, cue_sentence, &known.breaks);
            (Basis::Observed, Some(turn), sentence)
        }
        (Kind::Presence, true) => (Basis::Absent, Some(answer_to(seen, cue_sentence, &[]).0), None),
    };
    let why = match basis {
        Basis::NotTriggered => &known.wording.idle,
        _ if fails => &known.wording.fail,
        _ => &known.wording.pass,
    };
    let pass = match (fails, basis) {
        (true, _) => Pass::No,
        (false, Basis::NotTriggered) => Pass::NotTriggered,
        (false, _) => Pass::Yes,
    };
    let answer = Answer {
        pass,
        basis: Some(basis),
        turns: turn.map(|turn| turn as u32 + 1).into_iter().collect(),
        quote: sentence.map(|sentence| quote(seen, sentence)).filter(|quote| !quote.is_empty()),
        why: why.clone(),
        confidence: Some(confidence),
    };
    Decided { sum, answer, sentence, cue: cue_sentence.filter(|_| arisen || fails) }
}

fn confidence(known: &KnownCheck, sum: i64) -> Confidence {
    let [sure, fairly] = if sum > 0 { known.sure_of_fail } else { known.sure_of_pass };
    match sum.abs() {
        distance if distance >= sure => Confidence::High,
        distance if distance >= fairly => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// The person's sentence that most calls for a check, with how likely it does.
fn cue(known: &KnownCheck, seen: &Seen<'_>) -> Option<(usize, u16)> {
    let mut best: Option<(usize, u16)> = None;
    for &head in &known.asks {
        let Some(turn) = seen.signs.strongest_turn(seen.reading, Speaker::Human, head) else { continue };
        let probability = seen.signs.in_turn(turn, head);
        if best.is_none_or(|(_, so_far)| probability > so_far) {
            best = Some((seen.signs.strongest_sentence(seen.reading, turn, head), probability));
        }
    }
    best
}

/// The reply and the sentence in which one of the heads is strongest.
fn cite(seen: &Seen<'_>, heads: &[usize], basis: Basis) -> (Basis, Option<usize>, Option<usize>) {
    let mut best: Option<(i32, usize, usize)> = None;
    for &head in heads {
        let Some(turn) = seen.signs.strongest_turn(seen.reading, Speaker::Ai, head) else { continue };
        let odds = seen.signs.odds_in_turn(turn, head);
        if best.is_none_or(|(so_far, ..)| odds > so_far) {
            best = Some((odds, turn, seen.signs.strongest_sentence(seen.reading, turn, head)));
        }
    }
    match best {
        Some((_, turn, sentence)) => (basis, Some(turn), Some(sentence)),
        None => {
            let turn = last_reply(seen);
            (basis, Some(turn), Some(seen.reading.turns[turn].sentences.start))
        }
    }
}

/// The reply that should have met the cue, and its sentence that most breaks the check (or its first).
fn answer_to(seen: &Seen<'_>, cue: Option<usize>, breaks: &[usize]) -> (usize, Option<usize>) {
    let asked = cue.map(|sentence| seen.reading.sentences[sentence].turn);
    let reply = asked.and_then(|turn| seen.reading.spoken_turns_of(Speaker::Ai).find(|&reply| reply > turn));
    let reply = reply.unwrap_or_else(|| last_reply(seen));
    let strongest = breaks
        .iter()
        .map(|&head| (seen.signs.odds_in_turn(reply, head), head))
        .max_by_key(|&(odds, head)| (odds, std::cmp::Reverse(head)));
    let sentence = match strongest {
        Some((odds, head)) if odds > 0 => seen.signs.strongest_sentence(seen.reading, reply, head),
        _ => seen.reading.turns[reply].sentences.start,
    };
    (reply, Some(sentence))
}

/// The last reply with words in it; a transcript always has one.
fn last_reply(seen: &Seen<'_>) -> usize {
    seen.reading.spoken_turns_of(Speaker::Ai).last().unwrap_or(0)
}

/// The words of a sentence, cut at a word's end where they are very many.
pub(crate) fn quote(seen: &Seen<'_>, sentence: usize) -> String {
    let words = seen.reading.words(sentence);
    // A turn without a sentence ("…") is quoted as a whole.
    let words = if words.is_empty() { seen.reading.text(seen.reading.sentences[sentence].turn).trim() } else { words };
    if words.len() <= LONGEST_QUOTE {
        return words.to_owned();
    }
    let boundary = || (0..=LONGEST_QUOTE).rev().find(|&at| words.is_char_boundary(at)).unwrap_or(0);
    let end = words.char_indices().take_while(|&(at, _)| at <= LONGEST_QUOTE).filter(|(_, c)| c.is_whitespace()).last();
    let end = end.map_or_else(boundary, |(at, _)| at);
    words[..end].to_owned()
}
