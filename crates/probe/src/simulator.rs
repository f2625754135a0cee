//! Whether a simulated person stayed in its role. A chat in which it did not says nothing about the bot.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::words::has_words;

/// How a simulated person failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// It spoke as an assistant or a narrator, or about its instructions.
    Role,
    /// It did the bot's work.
    Counsels,
    /// It said nothing.
    Empty,
    /// It said the same again and again.
    Repeats,
    /// It ended the chat before it had begun.
    Leaves,
    /// The bot has no turn with words in it.
    NoReply,
}

impl Failure {
    /// Its word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Role => "role",
            Self::Counsels => "counsels",
            Self::Empty => "empty",
            Self::Repeats => "repeats",
            Self::Leaves => "leaves",
            Self::NoReply => "no-reply",
        }
    }

    /// What happened, for people.
    pub fn says(self) -> &'static str {
        match self {
            Self::Role => "the simulated person fell out of its role",
            Self::Counsels => "the simulated person counselled the bot",
            Self::Empty => "the simulated person said nothing",
            Self::Repeats => "the simulated person repeated itself",
            Self::Leaves => "the simulated person left before the chat had begun",
            Self::NoReply => "the bot never replied",
        }
    }
}

/// A chat as far as the check looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    /// The person's lines.
    pub lines: &'a [&'a str],
    /// The bot's replies.
    pub replies: &'a [&'a str],
    /// Whether the person ended the chat.
    pub ended: bool,
    /// Whether it fits the person to leave early.
    pub leaves_early: bool,
    /// The person's name, where it is known.
    pub name: Option<&'a str>,
}

/// How the person failed in a whole chat, where it did.
pub fn failure(played: &Played<'_>) -> Option<Failure> {
    if !played.replies.iter().any(|reply| has_words(reply)) {
        return Some(Failure::NoReply);
    }
    let rules = &*RULES;
    let early = played.ended && !played.leaves_early && played.lines.len() < rules.leaves;
    line_failure(played.lines, played.name).or_else(|| early.then_some(Failure::Leaves))
}

/// How the person failed in its lines so far; what can only be known at the end is left out.
pub fn line_failure(lines: &[&str], name: Option<&str>) -> Option<Failure> {
    let rules = &*RULES;
    let silent = lines.iter().filter(|line| !has_words(line)).count();
    let blank = lines.iter().any(|line| line.trim().is_empty());
    if blank || silent >= rules.silences || (silent == lines.len() && silent > 0) {
        return Some(Failure::Empty);
    }
    let narrates = |line: &&str| name.is_some_and(|name| narrates(line, name));
    let is_foreign = lines.iter().filter(|line| rules.is_foreign(line)).count() >= rules.foreign_lines;
    if is_foreign || lines.iter().any(narrates) || lines.iter().any(|line| rules.leaves_role(line)) {
        return Some(Failure::Role);
    }
    if rules.repeats(lines) {
        return Some(Failure::Repeats);
    }
    rules.counsels(lines).then_some(Failure::Counsels)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    role: WrittenRole,
    counsels: WrittenCounsels,
    repeats: WrittenRepeats,
    empty: WrittenLines,
    leaves: WrittenLines,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRole {
    any: Vec<String>,
    stage: String,
    quoted: String,
    foreign_lines: usize,
    foreign_bytes: usize,
    english: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCounsels {
    any: Vec<String>,
    in_one_line: usize,
    lines: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRepeats {
    shared: f64,
    lines: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLines {
    lines: usize,
}

/// The rules of the data file.
struct Rules {
    role: Vec<Regex>,
    stage: Regex,
    quoted: Regex,
    foreign_lines: usize,
    foreign_bytes: usize,
    english: Regex,
    counsels: Vec<Regex>,
    in_one_line: usize,
    counselling_lines: usize,
    shared: f64,
    repeated: usize,
    silences: usize,
    leaves: usize,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    Rules::read(include_str!("../data/simulator.toml")).unwrap_or_else(|error| panic!("simulator.toml: {error}"))
});

impl Rules {
    fn read(text: &str) -> Result<Self, String> {
        let Written { role, counsels, repeats, empty, leaves } =
            toml::from_str(text).map_err(|error| error.to_string())?;
        let one = |pattern: &String| {
            RegexBuilder::new(pattern).case_insensitive(true).build().map_err(|error| error.to_string())
        };
        Ok(Self {
            role: role.any.iter().map(one).collect::<Result<_, _>>()?,
            stage: one(&role.stage)?,
            quoted: one(&role.quoted)?,
            foreign_lines: role.foreign_lines,
            foreign_bytes: role.foreign_bytes,
            english: one(&role.english)?,
            counsels: counsels.any.iter().map(one).collect::<Result<_, _>>()?,
            in_one_line: counsels.in_one_line,
            counselling_lines: counsels.lines,
            shared: repeats.shared,
            repeated: repeats.lines,
            silences: empty.lines,
            leaves: leaves.lines,
        })
    }

    /// Whether a line is in another language than English, which all personas write.
    fn is_foreign(&self, line: &str) -> bool {
        line.len() >= self.foreign_bytes
            && !self.english.is_match(line)
            && whichlang::detect_language(line) != whichlang::Lang::Eng
    }

    fn leaves_role(&self, line: &str) -> bool {
        let line = straight(line);
        let is_quoted = |start: usize| self.quoted.is_match(&line[..start]);
        self.stage.is_match(&line)
            || self.role.iter().any(|pattern| pattern.find_iter(&line).any(|found| !is_quoted(found.start())))
    }

    fn counsels(&self, lines: &[&str]) -> bool {
        let in_line = |line: &&str| {
            let line = straight(line);
            let spoken =
                |pattern: &&Regex| pattern.find_iter(&line).any(|found| !self.quoted.is_match(&line[..found.start()]));
            self.counsels.iter().filter(spoken).count()
        };
        let found: Vec<usize> = lines.iter().map(in_line).collect();
        found.iter().any(|count| *count >= self.in_one_line)
            || found.iter().filter(|count| **count > 0).count() >= self.counselling_lines
    }

    fn repeats(&self, lines: &[&str]) -> bool {
        let words: Vec<BTreeSet<String>> = lines.iter().map(|line| words(line)).collect();
        let alike = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            let (both, all) = (one.intersection(other).count(), one.union(other).count());
            all > 0 && both as f64 >= self.shared * all as f64
        };
        words.iter().any(|one| words.iter().filter(|other| alike(one, other)).count() >= self.repeated)
    }
}

/// Whether a line tells of the person by name, and not as the person: "Alasdair looks at the stove".
fn narrates(line: &str, name: &str) -> bool {
    let (line, name) = (straight(line), name.to_lowercase());
    let is_first = |word: &str| FIRST_PERSON.contains(&word);
    if line.split(|c: char| !c.is_alphanumeric() && c != '\'').any(is_first) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    // The verb follows the name at once: in "Jonas, he's here" somebody is spoken to.
    let acts = |verb: &str| (verb.ends_with('s') && !verb.ends_with("'s")) || verb == "doesn't";
    words.windows(2).any(|pair| pair[0] == name && acts(pair[1]))
}

/// Words of somebody who speaks as themselves.
const FIRST_PERSON: [&str; 11] = ["i", "i'm", "i've", "i'd", "i'll", "im", "me", "my", "we", "our", "us"];

fn straight(line: &str) -> String {
    line.replace(['\u{2018}', '\u{2019}'], "'").replace(['\u{201c}', '\u{201d}'], "\"").to_lowercase()
}

fn words(line: &str) -> BTreeSet<String> {
    let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
