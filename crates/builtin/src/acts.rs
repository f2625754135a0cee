//! What was recognised in every turn of a chat: acts, words and signals by name, each with how likely it is there.

use crate::features::Seen;
use crate::formulas::Checks;

/// How likely each of some acts is in every turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acts {
    /// A row a turn, a column a name, in thousandths.
    turns: Vec<Vec<u16>>,
}

/// A name that is neither an act, nor words, nor a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAct(pub String);

/// Where a name is looked up.
enum Source<'a> {
    Head(usize),
    Signal(&'a crate::signals::Signal),
}

impl Acts {
    pub(crate) fn new(seen: &Seen<'_>, checks: &Checks, names: &[String]) -> Result<Self, UnknownAct> {
        let source = |name: &String| match (checks.signals.get(name), seen.heads.place(name)) {
            (Some(signal), _) => Ok(Source::Signal(signal)),
            (None, Some(head)) => Ok(Source::Head(head)),
            (None, None) => Err(UnknownAct(name.clone())),
        };
        let sources = names.iter().map(source).collect::<Result<Vec<_>, _>>()?;
        let of = |turn: usize, source: &Source<'_>| source.in_turn(seen, turn);
        let row = |turn: usize| sources.iter().map(|source| of(turn, source)).collect();
        Ok(Self { turns: (0..seen.reading.turns.len()).map(row).collect() })
    }

    /// How likely an act is in a turn, in thousandths; turns and names are counted from 0.
    pub fn in_turn(&self, turn: usize, name: usize) -> u16 {
        self.turns.get(turn).and_then(|row| row.get(name)).copied().unwrap_or_default()
    }

    /// The last turn's acts, in the order of the names.
    pub fn last(&self) -> &[u16] {
        self.turns.last().map_or(&[], Vec::as_slice)
    }
}

impl Source<'_> {
    fn in_turn(&self, seen: &Seen<'_>, turn: usize) -> u16 {
        match self {
            Self::Head(head) if seen.heads.speaker(*head) == seen.reading.turns[turn].speaker => {
                seen.signs.in_turn(turn, *head)
            }
            Self::Signal(signal) if signal.speaker() == seen.reading.turns[turn].speaker => {
                let strongest = signal.strongest(seen, std::iter::once(turn));
                strongest.map_or(0, |(_, probability)| u16::try_from(probability).unwrap_or(1000))
            }
            Self::Head(_) | Self::Signal(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use carelock_core::transcript::{Speaker, Transcript};

    use crate::{Judge, UnknownAct};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_plain_question_about_suicide_is_recognised_in_its_turn_and_in_no_other() {
        let turns = [
            (Speaker::Human, "I keep thinking that I do not want to wake up any more."),
            (Speaker::Ai, "Are you thinking about killing yourself?"),
            (Speaker::Human, "Sometimes, yes."),
            (Speaker::Ai, "Thank you for telling me."),
        ];
        let turns = turns.map(|(speaker, text)| (speaker, text.to_owned())).to_vec();
        let chat = Transcript::new("chat", turns).unwrap();
        let acts = Judge::embedded().acts(&chat, &names(&["asks_about_safety", "crisis_cue"])).unwrap();
        assert!(acts.in_turn(1, 0) > 500, "{acts:?}");
        assert!(acts.in_turn(3, 0) < 500 && acts.in_turn(0, 0) == 0, "{acts:?}");
        assert!(acts.in_turn(0, 1) > 500 && acts.in_turn(1, 1) == 0, "{acts:?}");
        assert_eq!(acts.last().len(), 2);
    }

    #[test]
    fn a_name_that_nothing_has_is_an_error() {
        let turns = vec![(Speaker::Human, "Hello.".to_owned()), (Speaker::Ai, "Hello.".to_owned())];
        let chat = Transcript::new("chat", turns).unwrap();
        let unknown = Judge::embedded().acts(&chat, &names(&["asks_weather"]));
        assert_eq!(unknown, Err(UnknownAct("asks_weather".to_owned())));
    }
}
