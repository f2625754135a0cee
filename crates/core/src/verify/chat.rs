//! The chat inside a report: its turns, its digest, and whether words stand in it.

use super::json::Place;
use super::points::{Outcome, Points, quoted, shown};
use crate::transcript::{Speaker, Transcript};

/// The turns as far as they can be read.
pub(super) struct Chat {
    turns: Vec<ReadTurn>,
    /// The whole chat; none where a turn cannot be read or there is nothing to judge.
    pub(super) transcript: Option<Transcript>,
}

struct ReadTurn {
    number: Option<u32>,
    speaker: Option<Speaker>,
    text: Option<String>,
}

/// How a speaker may be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `HUMAN` and `AI`.
    Strict,
    /// In any case, as earlier reports have it.
    AnyCase,
}

impl Chat {
    pub(super) fn read(place: &Place<'_>, id: &str, spelling: Spelling, points: &mut Points) -> Self {
        let missing = if spelling == Spelling::Strict { Outcome::DoesNotHold } else { Outcome::CannotVerify };
        let items = points.list(place, missing);
        let turns: Vec<ReadTurn> =
            (1..).zip(&items).map(|(number, item)| ReadTurn::read(number, item, spelling, points)).collect();
        let spoken = |turn: &ReadTurn| Some((turn.speaker?, turn.text.clone()?));
        let whole: Option<Vec<(Speaker, String)>> = turns.iter().map(spoken).collect();
        let transcript = whole.filter(|_| place.items().is_some()).and_then(|turns| {
            let made = Transcript::new(id, turns);
            made.inspect_err(|error| points.fails(place, error.to_string())).ok()
        });
        Self { turns, transcript }
    }

    pub(super) fn last(&self) -> usize {
        self.turns.len()
    }

    /// Looked up by the number a turn gives itself; where that is wrong, a point says so.
    fn turn(&self, number: u32) -> Option<(u32, &ReadTurn)> {
        (1..).zip(&self.turns).find(|(_, turn)| turn.number == Some(number))
    }

    /// Whether there is a turn with this number; unknown where there are no turns at all.
    pub(super) fn has(&self, number: u32) -> Option<bool> {
        (!self.turns.is_empty()).then(|| self.turn(number).is_some())
    }

    pub(super) fn speaker(&self, number: u32) -> Option<Speaker> {
        self.turn(number)?.1.speaker
    }

    /// Says whether a quote stands, letter by letter, in one of the turns cited.
    pub(super) fn check_quote(&self, place: &Place<'_>, cited: &[u32], points: &mut Points) {
        let Some(quote) = place.text() else {
            return points.fails(place, format!("expected a text, found {}", place.sort()));
        };
        if self.turns.is_empty() {
            return points.open(place, "the report has no turns to look the quote up in");
        }
        let here: Vec<u32> = cited.iter().copied().filter(|&number| self.turn(number).is_some()).collect();
        let says = |&number: &u32| self.turn(number).and_then(|(_, turn)| turn.text.as_deref());
        if let Some(number) = here.iter().find(|number| says(number).is_some_and(|text| text.contains(quote)))
            && !quote.trim().is_empty()
        {
            return points.holds(place, format!("stands in turn {number}: {}", quoted(quote)));
        }
        if !here.is_empty() && here.iter().all(|number| says(number).is_none()) {
            return points.open(place, "the turn it is said to stand in cannot be read");
        }
        points.fails(place, self.why_not(quote, &here));
    }

    /// What the chat says instead of a quote that does not stand in it.
    fn why_not(&self, quote: &str, cited: &[u32]) -> String {
        if quote.trim().is_empty() {
            return "the quote is empty".to_owned();
        }
        let list: Vec<String> = cited.iter().map(u32::to_string).collect();
        let mut what = match list.is_empty() {
            true => format!("{} is tied to no turn of the chat", quoted(quote)),
            false => format!("{} does not stand word for word in turn {}", quoted(quote), list.join(", ")),
        };
        let Some(transcript) = &self.transcript else { return what };
        let positions = cited.iter().filter_map(|&number| self.turn(number)).map(|(position, _)| position);
        let near = positions.clone().find_map(|position| transcript.cite(position, quote).ok());
        if let Some(proof) = near {
            what +=
                &format!(": it differs in {}, the turn says {}", proof.differences().join(", "), quoted(proof.quote()));
        } else if let Some(proof) = transcript.locate(quote) {
            let number = self.turns[proof.turn() as usize - 1].number.unwrap_or(proof.turn());
            what += &format!("; turn {number} says {}", quoted(proof.quote()));
        }
        what
    }
}

impl ReadTurn {
    /// One turn is one point, unless something about it is wrong.
    fn read(expected: u32, item: &Place<'_>, spelling: Spelling, points: &mut Points) -> Self {
        let before = points.len();
        let (idx, who, said) = (item.key("idx"), item.key("speaker"), item.key("text"));
        let number = idx.number();
        if number != Some(expected) {
            points.fails(&idx, format!("turn {expected} of the list is numbered {}", shown(idx.value())));
        }
        let speaker = who.text().and_then(|name| speaker(name, spelling));
        if speaker.is_none() {
            points.fails(&who, format!("expected HUMAN or AI, found {}", shown(who.value())));
        }
        let text = said.text();
        match text {
            None => points.fails(&said, format!("expected a text, found {}", said.sort())),
            Some(text) if spelling == Spelling::Strict && text.contains('\r') => {
                points.fails(&said, "its line ends are not those of a transcript, so it was changed afterwards");
            }
            Some(_) => {}
        }
        if points.len() == before {
            points.holds(item, format!("turn {expected}, {}", shown(who.value())));
        }
        Self { number, speaker, text: text.map(str::to_owned) }
    }
}

/// The speaker a word names.
pub(super) fn speaker(name: &str, spelling: Spelling) -> Option<Speaker> {
    let is = |who: Speaker| match spelling {
        Spelling::Strict => name == who.to_string(),
        Spelling::AnyCase => name.trim().eq_ignore_ascii_case(&who.to_string()),
    };
    [Speaker::Human, Speaker::Ai].into_iter().find(|&who| is(who))
}
