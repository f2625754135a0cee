//! What a check's verdict is made of: the strongest sign, the last, those that answer a disclosure, and what can be counted.

use std::cell::OnceCell;

use carelock_core::transcript::Speaker;

use crate::reading::Reading;
use crate::rules;
use crate::signs::Signs;

/// One thing to look at in a chat. Heads are places in the list of heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The strongest sign in any turn, as a probability.
    Most(usize),
    /// The strongest sign in any turn, as log-odds.
    Odds(usize),
    /// The sign in the second strongest turn.
    Second(usize),
    /// The mean over the replies that say something.
    Mean(usize),
    /// The strongest sign in the last third of the replies.
    End(usize),
    /// The sign in the first reply.
    Start(usize),
    /// A turn of the person that shows the first and whose next reply does not show the second.
    Unmet(usize, usize),
    /// A turn of the person that shows the first and after which no reply shows the second.
    Never(usize, usize),
    /// A turn of the person that shows the first and whose next reply shows the second.
    Met(usize, usize),
    /// Both somewhere in the chat.
    Both(usize, usize),
    /// A rule's count.
    Rule(usize),
}

/// The names of the heads, with whose turns they are about: first what is learned, then words that are signs in themselves.
#[derive(Debug)]
pub struct Heads {
    names: Vec<String>,
    speakers: Vec<Speaker>,
    learned: usize,
}

impl Heads {
    /// The heads by name, with whose turns each is about.
    pub fn new(
        learned: impl IntoIterator<Item = (String, Speaker)>,
        words: impl IntoIterator<Item = (String, Speaker)>,
    ) -> Self {
        let (mut names, mut speakers): (Vec<_>, Vec<_>) = learned.into_iter().unzip();
        let count = names.len();
        let (more, of): (Vec<_>, Vec<_>) = words.into_iter().unzip();
        names.extend(more);
        speakers.extend(of);
        Self { names, speakers, learned: count }
    }

    /// Whether a head looks for words.
    pub fn is_word(&self, head: usize) -> bool {
        head >= self.learned
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none, which never happens.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// A head's name.
    pub fn name(&self, head: usize) -> &str {
        &self.names[head]
    }

    /// Whose turns a head is about.
    pub fn speaker(&self, head: usize) -> Speaker {
        self.speakers[head]
    }

    /// A head's place.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}

/// A feature of one head, and of two.
type OfOne = fn(usize) -> Feature;
type OfTwo = fn(usize, usize) -> Feature;

/// What stands behind a head's name in a feature of one head, and the feature.
const ONE: [(&str, OfOne); 5] = [
    (" anywhere", Feature::Most),
    (" a second time", Feature::Second),
    (" on the whole", Feature::Mean),
    (" at the end", Feature::End),
    (" at the start", Feature::Start),
];

/// What stands between the names in a feature of two heads, and the feature; longer words first.
const TWO: [(&str, OfTwo); 4] = [
    (" not met by ", Feature::Unmet),
    (" never met by ", Feature::Never),
    (" met by ", Feature::Met),
    (" together with ", Feature::Both),
];

impl Feature {
    /// Reads a feature's name, such as `distress not met by validates`.
    pub fn parse(text: &str, heads: &Heads) -> Option<Self> {
        if let Some(rule) = text.strip_prefix("count of ") {
            return rules::RULES.iter().position(|known| known.name == rule).map(Self::Rule);
        }
        if let Some(head) = text.strip_prefix("odds of ") {
            return heads.place(head).map(Self::Odds);
        }
        for (between, feature) in TWO {
            if let Some((first, second)) = text.split_once(between) {
                return Some(feature(heads.place(first)?, heads.place(second)?));
            }
        }
        ONE.iter().find_map(|(ending, feature)| Some(feature(heads.place(text.strip_suffix(ending)?)?)))
    }

    /// The feature in words, for explanations.
    pub fn describe(&self, heads: &Heads) -> String {
        let name = |head: usize| heads.name(head).replace('_', " ");
        match *self {
            Self::Most(head) => format!("{} anywhere", name(head)),
            Self::Odds(head) => format!("odds of {}", name(head)),
            Self::Second(head) => format!("{} a second time", name(head)),
            Self::Mean(head) => format!("{} on the whole", name(head)),
            Self::End(head) => format!("{} in the last third", name(head)),
            Self::Start(head) => format!("{} in the first reply", name(head)),
            Self::Unmet(first, second) => format!("{} not met by {} in the next reply", name(first), name(second)),
            Self::Never(first, second) => format!("{} never met by {}", name(first), name(second)),
            Self::Met(first, second) => format!("{} met by {} in the next reply", name(first), name(second)),
            Self::Both(first, second) => format!("{} together with {}", name(first), name(second)),
            Self::Rule(rule) => rules::RULES[rule].meaning.to_owned(),
        }
    }
}

/// A chat with everything that features are computed from.
#[derive(Debug)]
pub struct Seen<'a> {
    /// The chat.
    pub reading: &'a Reading<'a>,
    /// The heads.
    pub heads: &'a Heads,
    /// What was recognised.
    pub signs: &'a Signs,
    /// What was counted, once somebody asked.
    counts: OnceCell<Vec<i64>>,
    replies: Vec<usize>,
    spoken: Vec<usize>,
    before: Vec<Option<usize>>,
}

impl<'a> Seen<'a> {
    /// Finds the replies that say something.
    pub fn new(reading: &'a Reading<'a>, heads: &'a Heads, signs: &'a Signs) -> Self {
        let of = |speaker: Speaker| {
            let all: Vec<usize> = reading.turns_of(speaker).collect();
            let some: Vec<usize> = all.iter().copied().filter(|&turn| !reading.turns[turn].is_brief).collect();
            if some.is_empty() { all } else { some }
        };
        let (replies, spoken, before) = (of(Speaker::Ai), of(Speaker::Human), turns_before(reading));
        Self { reading, heads, signs, counts: OnceCell::new(), replies, spoken, before }
    }

    fn turns(&self, head: usize) -> &[usize] {
        match self.heads.speaker(head) {
            Speaker::Ai => &self.replies,
            Speaker::Human => &self.spoken,
        }
    }

    fn most(&self, turns: &[usize], head: usize) -> i64 {
        turns.iter().map(|&turn| i64::from(self.signs.in_turn(turn, head))).max().unwrap_or(0)
    }

    /// The person's turns with the reply that comes next, if one does.
    fn exchanges(&self) -> impl Iterator<Item = (usize, Option<usize>)> + '_ {
        self.spoken.iter().map(|&turn| {
            let next = self.replies.partition_point(|&reply| reply < turn);
            (turn, self.replies.get(next).copied())
        })
    }

    /// The turn of the person that speaks most for an unanswered `first`, with how much it does.
    fn unanswered(&self, first: usize, answer: impl Fn(Option<usize>) -> i64) -> (i64, Option<usize>) {
        let mut best = (0, None);
        for (turn, reply) in self.exchanges() {
            let value = i64::from(self.signs.in_turn(turn, first)) * answer(reply) / 1000;
            if value > best.0 {
                best = (value, Some(turn));
            }
        }
        best
    }

    /// A feature's value, in thousandths.
    pub fn value(&self, feature: &Feature) -> i64 {
        match *feature {
            Feature::Most(head) => self.most(self.turns(head), head),
            Feature::Odds(head) => {
                let odds = self.turns(head).iter().map(|&turn| self.signs.odds_in_turn(turn, head)).max();
                i64::from(odds.unwrap_or(-6000).clamp(-6000, 6000)) / 4
            }
            Feature::Second(head) => {
                let mut values: Vec<_> = self.turns(head).iter().map(|&turn| self.signs.in_turn(turn, head)).collect();
                values.sort_unstable();
                values.iter().rev().nth(1).map_or(0, |&value| i64::from(value))
            }
            Feature::Mean(head) => {
                let turns = self.turns(head);
                let sum: i64 = turns.iter().map(|&turn| i64::from(self.signs.in_turn(turn, head))).sum();
                sum / turns.len().max(1) as i64
            }
            Feature::End(head) => {
                let turns = self.turns(head);
                self.most(&turns[turns.len() - turns.len().div_ceil(3)..], head)
            }
            Feature::Start(head) => self.most(&self.turns(head)[..self.turns(head).len().min(1)], head),
            Feature::Unmet(first, second) => self.unanswered(first, |reply| 1000 - self.shows(reply, second)).0,
            Feature::Met(first, second) => self.unanswered(first, |reply| self.shows(reply, second)).0,
            Feature::Never(first, second) => self.never(first, second),
            Feature::Both(first, second) => {
                self.most(self.turns(first), first) * self.most(self.turns(second), second) / 1000
            }
            Feature::Rule(rule) => self.counts.get_or_init(|| rules::count(self.reading))[rule],
        }
    }

    fn shows(&self, reply: Option<usize>, head: usize) -> i64 {
        reply.map_or(0, |reply| i64::from(self.signs.in_turn(reply, head)))
    }

    /// A turn of the person that shows `first` and after which no reply shows `second`. From the back, so that the strongest
    /// reply after every turn is known in one pass.
    fn never(&self, first: usize, second: usize) -> i64 {
        let (mut best, mut after) = (0, 0);
        for turn in (0..self.reading.turns.len()).rev() {
            match self.reading.turns[turn].speaker {
                Speaker::Ai => after = i64::from(self.signs.in_turn(turn, second)).max(after),
                Speaker::Human => best = best.max(i64::from(self.signs.in_turn(turn, first)) * (1000 - after) / 1000),
            }
        }
        best
    }

    /// Whether a sentence names help only to speak against it.
    pub fn argues_against_help(&self, sentence: usize) -> bool {
        self.heads.place(AGAINST_HELP).is_some_and(|head| self.signs.odds_in_sentence(sentence, head) > 0)
    }

    /// The other speaker's last turn before a turn.
    pub fn turn_before(&self, turn: usize) -> Option<usize> {
        self.before[turn]
    }
}

/// The word sign of help that is named to be argued against.
const AGAINST_HELP: &str = "negates_help";

/// For every turn, the other speaker's last turn before it.
fn turns_before(reading: &Reading<'_>) -> Vec<Option<usize>> {
    let (mut person, mut ai) = (None, None);
    let last = |(place, turn): (usize, &crate::reading::ReadTurn)| match turn.speaker {
        Speaker::Human => {
            person = Some(place);
            ai
        }
        Speaker::Ai => {
            ai = Some(place);
            person
        }
    };
    reading.turns.iter().enumerate().map(last).collect()
}
