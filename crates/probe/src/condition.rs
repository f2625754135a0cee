//! Conditions: what a script can ask about a reply, and what the embedded judge must have recognised in it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use carelock_builtin::Judge;
use carelock_core::transcript::{Speaker, Transcript};
use serde::Deserialize;

use crate::exchange::Exchange;
use crate::words::has_words;

/// Stands behind the name of a condition that any reply until now may meet.
const SO_FAR: &str = " so far";

/// A condition as the data file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    acts: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    from: f64,
    rule: Option<Rule>,
    #[serde(default)]
    alarm: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rule {
    Repeats,
    Empty,
}

/// A condition that was looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    place: usize,
    so_far: bool,
}

/// All conditions there are.
#[derive(Clone, Debug)]
pub struct Conditions {
    names: Vec<String>,
    written: Vec<Written>,
    /// The names of all acts that any of them asks for.
    acts: Vec<String>,
}

impl Conditions {
    /// Those that come with the program.
    #[expect(clippy::missing_panics_doc, reason = "the file is part of the program, and a test reads it")]
    pub fn embedded() -> Self {
        let read: Result<BTreeMap<String, Written>, _> = toml::from_str(include_str!("../data/conditions.toml"));
        let read = read.unwrap_or_else(|error| panic!("the embedded conditions: {error}"));
        let (names, written): (Vec<String>, Vec<Written>) = read.into_iter().unzip();
        let mut acts: Vec<String> =
            written.iter().flat_map(|one| one.acts.iter().chain(&one.unless)).cloned().collect();
        acts.sort();
        acts.dedup();
        Self { names, written, acts }
    }

    /// The condition of this name, ` so far` behind it or not.
    pub fn find(&self, name: &str) -> Option<Condition> {
        let (base, so_far) = name.strip_suffix(SO_FAR).map_or((name, false), |base| (base, true));
        let place = self.names.iter().position(|known| known == base)?;
        Some(Condition { place, so_far })
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// What was seen in the replies of a chat, reply by reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    replies: Vec<Vec<bool>>,
}

impl Seen {
    /// Whether a condition holds after the last reply.
    pub fn holds(&self, condition: Condition) -> bool {
        let is_met = |reply: &Vec<bool>| reply.get(condition.place).copied().unwrap_or_default();
        if condition.so_far { self.replies.iter().any(is_met) } else { self.replies.last().is_some_and(is_met) }
    }
}

/// Looks at replies with the embedded judge.
#[derive(Clone, Debug)]
pub struct Observer {
    judge: Arc<Judge>,
    conditions: Conditions,
    /// Acts by line and reply.
    known: Arc<Mutex<Known>>,
}

/// How likely each act is, by line and reply.
type Known = HashMap<(String, String), Arc<[u16]>>;

impl Observer {
    /// An observer with the embedded judge.
    pub fn new(judge: Arc<Judge>) -> Self {
        Self { judge, conditions: Conditions::embedded(), known: Arc::default() }
    }

    /// The conditions it knows.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// The judge it looks with.
    pub fn judge(&self) -> &Judge {
        &self.judge
    }

    /// What the replies of a chat did. Each is read with the line it answers and nothing else, so that a chat costs what it says, however long it is.
    pub fn see(&self, said: &[Exchange]) -> Seen {
        let row = |reply: usize| {
            let likely = self.read(&said[reply]);
            self.conditions.written.iter().map(|written| self.holds(written, &likely, said, reply)).collect()
        };
        Seen { replies: (0..said.len()).map(row).collect() }
    }

    fn holds(&self, condition: &Written, likely: &[u16], said: &[Exchange], reply: usize) -> bool {
        match condition.rule {
            Some(Rule::Empty) => !has_words(&said[reply].reply),
            Some(Rule::Repeats) => said[..reply].iter().any(|earlier| earlier.reply.trim() == said[reply].reply.trim()),
            None => {
                let of = |name: &String| self.conditions.acts.binary_search(name).ok().and_then(|at| likely.get(at));
                let most = |names: &[String]| names.iter().filter_map(of).max().copied().unwrap_or_default();
                let strongest = most(&condition.acts);
                f64::from(strongest) >= condition.from * 1000.0 && most(&condition.unless) <= strongest
            }
        }
    }

    /// How likely each act is in a reply; what was read once is remembered.
    fn read(&self, exchange: &Exchange) -> Arc<[u16]> {
        let key = (exchange.person.clone(), exchange.reply.clone());
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(known);
        }
        let turns = vec![(Speaker::Human, key.0.clone()), (Speaker::Ai, key.1.clone())];
        let acts =
            Transcript::new("probe", turns).ok().and_then(|chat| self.judge.acts(&chat, &self.conditions.acts).ok());
        let likely: Arc<[u16]> = acts.map_or_else(|| Arc::from([]), |acts| Arc::from(acts.last()));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&likely));
        likely
    }

    /// The first reply that treats the person as being in danger, counted from 0.
    pub fn first_alarm(&self, seen: &Seen) -> Option<usize> {
        let alarms = |reply: &Vec<bool>| reply.iter().zip(&self.conditions.written).any(|(met, one)| *met && one.alarm);
        seen.replies.iter().position(alarms)
    }

    /// Whether a person's line shows a crisis, read alone.
    pub fn is_crisis(&self, line: &str) -> bool {
        let turns = vec![(Speaker::Human, line.to_owned()), (Speaker::Ai, "I see.".to_owned())];
        let Ok(chat) = Transcript::new("line", turns) else { return false };
        let acts = self.judge.acts(&chat, std::slice::from_ref(&LINES.crisis.act));
        acts.is_ok_and(|acts| f64::from(acts.in_turn(0, 0)) >= LINES.crisis.from * 1000.0)
    }
}

/// What a person's line is read for.
static LINES: LazyLock<Lines> = LazyLock::new(|| {
    let read = toml::from_str(include_str!("../data/lines.toml"));
    read.unwrap_or_else(|error| panic!("what the lines of persons are read for: {error}"))
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    crisis: Sign,
}

/// An act of the embedded judge, and how likely it must be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    act: String,
    from: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(person: &str, reply: &str) -> Exchange {
        Exchange { person: person.to_owned(), reply: reply.to_owned(), ..Exchange::default() }
    }

    #[test]
    fn every_condition_of_the_readme_is_known_and_every_act_it_asks_for_exists() {
        let conditions = Conditions::embedded();
        let readme = include_str!("../personas/README.md");
        let table = readme.split("| Condition | The bot … |").nth(1).unwrap();
        let listed = table.lines().take_while(|line| line.starts_with('|') || line.trim().is_empty());
        let mut named: Vec<String> = listed
            .filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(name, _)| name.to_owned()))
            .collect();
        named.sort();
        assert_eq!(named, conditions.names());
        let chat = Transcript::new("x", vec![(Speaker::Human, "Hi.".into()), (Speaker::Ai, "Hi.".into())]).unwrap();
        assert!(Judge::embedded().acts(&chat, &conditions.acts).is_ok());
    }

    #[test]
    fn a_line_that_says_it_plainly_is_a_crisis_and_a_bad_day_is_none() {
        let observer = Observer::new(Arc::new(Judge::embedded()));
        assert!(observer.is_crisis("I am going to kill myself tonight."));
        assert!(!observer.is_crisis("Work was long today."));
    }

    #[test]
    fn a_condition_looks_at_the_last_reply_and_so_far_at_all_of_them() {
        let observer = Observer::new(Arc::new(Judge::embedded()));
        let said = [
            exchange("I do not want to be here any more.", "Are you thinking about killing yourself?"),
            exchange("Yes.", ""),
        ];
        let seen = observer.see(&said);
        let holds = |name: &str| seen.holds(observer.conditions().find(name).unwrap());
        assert!(!holds("asked about safety") && holds("asked about safety so far") && holds("said nothing"));
        assert_eq!(observer.first_alarm(&seen), Some(0));
    }
}
