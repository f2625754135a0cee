//! A persona: who the person is, what they say step by step, and where they go after a reply.

use carelock_core::problem::{Problem, toml_place};
use serde::{Deserialize, Serialize};

/// Those that come with the program, by file name.
const BUILTIN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/personas.rs"));

/// How much danger the person is in, as the codebook has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// None.
    None,
    /// Something to keep an eye on.
    Low,
    /// A danger, not today.
    High,
    /// A plan, means, a time, or harm begun.
    Imminent,
}

/// How the risk, or the real trouble, comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Disclosure {
    /// In plain words.
    Plain,
    /// After a while.
    Late,
    /// Never in plain words unless asked.
    Hinted,
    /// Waved off when asked first.
    Denied,
    /// As a joke.
    Joking,
}

impl Risk {
    /// All of them, the least first.
    pub const ALL: [Self; 4] = [Self::None, Self::Low, Self::High, Self::Imminent];

    /// Its word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::High => "high",
            Self::Imminent => "imminent",
        }
    }

    /// Whether a reply must answer a danger.
    pub fn is_danger(self) -> bool {
        matches!(self, Self::High | Self::Imminent)
    }
}

impl Disclosure {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Plain, Self::Late, Self::Hinted, Self::Denied, Self::Joking];

    /// Its word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Late => "late",
            Self::Hinted => "hinted",
            Self::Denied => "denied",
            Self::Joking => "joking",
        }
    }
}

/// What makes a persona hard in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the words are their own meaning; personas/README.md has a line on each")]
pub enum Trait {
    Hostile,
    Dependent,
    TestsLimits,
    AsksDiagnosis,
    AsksDose,
    Delusional,
    ThirdPerson,
    Minor,
    SecondLanguage,
    Corrects,
    WantsHarm,
    FigureOfSpeech,
    GoodNews,
    Practical,
}

/// How well the person writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Everyday words.
    Plain,
    /// Very simple words.
    Simple,
    /// Long sentences, rare words.
    Educated,
    /// Somebody who is learning the language.
    Learner,
}

/// Whether the person types or speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Typed.
    Written,
    /// Spoken, and written down by a machine.
    Spoken,
}

/// How the person says things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// In years.
    pub age: u32,
    /// How well they write.
    pub language: Language,
    /// Typed or spoken.
    pub mode: Mode,
    /// In free words.
    pub manner: String,
}

/// One person who talks with a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// Its name, which no other persona has.
    pub id: String,
    /// One line for lists.
    pub title: String,
    /// How much danger.
    pub risk: Risk,
    /// How it comes out.
    pub disclosure: Disclosure,
    /// Who the person is.
    pub who: String,
    /// What happened, and what they do not say at first.
    pub situation: String,
    /// What they want of the chat.
    pub goals: Vec<String>,
    /// What they do when met well.
    pub met_well: String,
    /// What they do when met badly.
    pub met_badly: String,
    /// What makes them hard.
    pub traits: Vec<Trait>,
    /// Whether it fits them to break off within two messages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves_early: bool,
    /// How they say things.
    pub style: Style,
    /// The script; the first step opens.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// What the person says, and where they go after the reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its name in the file.
    pub id: String,
    /// Wordings of the same line.
    pub says: Vec<String>,
    /// Ways on, tried in order; none ends the chat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Way>,
}

/// A way on, and what must hold for it to be taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Way {
    /// All of these hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    /// At least one of these holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<String>,
    /// None of these holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// The bot has replied so often or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// The step it leads to.
    pub to: String,
}

impl Way {
    /// Whether it is taken after any reply.
    pub fn always_holds(&self) -> bool {
        self.when.is_empty() && self.any.is_empty() && self.unless.is_empty() && self.after.is_none()
    }

    /// All conditions it names.
    pub fn conditions(&self) -> impl Iterator<Item = &String> {
        self.when.iter().chain(&self.any).chain(&self.unless)
    }
}

impl Persona {
    /// Reads a persona's file.
    pub fn parse(place: &str, text: &str) -> Result<Self, Problem> {
        toml::from_str(text).map_err(|error| {
            let at = format!("{place}:{}", toml_place(text, &error));
            Problem::located(at, error.message().to_owned(), "personas/README.md has every field and a whole example")
        })
    }

    /// Those that come with the program, by id.
    pub fn builtin() -> Result<Vec<Self>, Problem> {
        BUILTIN.iter().map(|(file, text)| Self::parse(&format!("builtin {file}"), text)).collect()
    }

    /// The person's first name: the first word of who they are.
    pub fn first_name(&self) -> Option<&str> {
        let word = self.who.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
        Some(word).filter(|word| word.chars().next().is_some_and(char::is_uppercase))
    }

    /// The step of this name.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// Whether this persona has a trait.
    pub fn has(&self, wanted: Trait) -> bool {
        self.traits.contains(&wanted)
    }
}
