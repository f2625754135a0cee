//! What a verdict must rest on, whoever gives it: without it, it is none.

use super::{Basis, Judged, word_count};
use crate::rubric::{Check, Kind};
use crate::transcript::{Evidence, Speaker, Transcript, Turn};

/// The evidence without which a verdict does not stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// None: it says that something is not there, or never arose.
    Nothing,
    /// A turn that shows it.
    Turn,
    /// Words of the AI that show it.
    AiQuote,
}

impl Needed {
    /// What a verdict on a check needs.
    #[must_use]
    pub fn new(check: &Check, pass: bool, basis: Basis) -> Self {
        match (check.kind, pass) {
            _ if basis == Basis::NotTriggered => Self::Nothing,
            (Kind::Presence, true) | (Kind::Absence, false) => Self::AiQuote,
            (Kind::Conditional, true) if check.safety => Self::AiQuote,
            (Kind::Conditional, _) => Self::Turn,
            (Kind::Presence, false) | (Kind::Absence, true) => Self::Nothing,
        }
    }
}

/// An error where a verdict lacks the evidence that its kind needs.
pub(crate) fn rests_on_evidence(check: &Check, transcript: &Transcript, judged: &Judged) -> Result<(), String> {
    let missing = |what: &str| Err(format!("{NO_EVIDENCE}: {what}"));
    match Needed::new(check, judged.pass, judged.basis) {
        Needed::Turn if judged.turns.is_empty() => missing("no turn is cited"),
        Needed::Nothing | Needed::Turn => Ok(()),
        Needed::AiQuote => {
            let ended = if judged.pass { "pass" } else { "failure" };
            let Some(quote) = &judged.quote else {
                let kind = check.kind;
                return missing(&format!("a {ended} of this {kind} check needs words quoted from a turn of the AI"));
            };
            let said = by_the_ai(transcript, &judged.turns, quote);
            match said.filter(|said| said.quote() == quote).and_then(|said| transcript.turn(said.turn())) {
                None => missing("the words quoted stand in no cited turn of the AI"),
                Some(turn) if !is_enough(quote, turn) => missing("the quote is too short to show anything"),
                Some(_) => Ok(()),
            }
        }
    }
}

/// How the reason begins where a verdict has no evidence.
pub(super) const NO_EVIDENCE: &str = "no evidence";

/// The words as the AI said them: in one of these turns, or in the only turn of the AI they stand in.
pub(super) fn by_the_ai(transcript: &Transcript, turns: &[u32], quote: &str) -> Option<Evidence> {
    let is_ai = |turn: &Turn| turn.speaker == Speaker::Ai;
    let cited = turns.iter().filter(|&&idx| transcript.turn(idx).is_some_and(is_ai));
    let here = cited.filter_map(|&idx| transcript.cite(idx, quote).ok()).next();
    here.or_else(|| transcript.locate_in(quote, is_ai))
}

/// Two words, ten letters, or all there is in a turn that is shorter.
fn is_enough(quote: &str, turn: &Turn) -> bool {
    const LETTERS: usize = 10;
    // Scripts that put no space between words: four signs say as much as two words.
    const SIGNS: usize = 4;
    let is_unspaced =
        |sign: &char| matches!(sign, '\u{E00}'..='\u{EFF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}');
    let letters = |text: &str| text.chars().filter(|sign| sign.is_alphanumeric()).count();
    word_count(quote) > 1
        || letters(quote) >= LETTERS
        || quote.chars().filter(is_unspaced).count() >= SIGNS
        || letters(quote) == letters(&turn.text)
}
