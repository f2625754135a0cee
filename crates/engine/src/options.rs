//! What can be set about judging and reading, whoever sets it: a command line, a file, a stored run or a request.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use carelock_core::problem::Problem;
use carelock_core::transcript::formats::{Format, ReadOptions};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How judges are asked. What is not set here is taken from the next layer below, and at last from the defaults.
///
/// Stored runs keep what decides the answers; what holds for one process only is never written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeOptions {
    /// The judges by name. A stored run names them beside these options.
    #[serde(skip)]
    pub judges: Vec<String>,
    /// The judge to ask when another one refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Whether doubtful checks are asked once more; they are unless this says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_look: Option<bool>,
    /// Whether personal details are replaced before anything is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redact: Option<Redact>,
    /// Chats judged at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<usize>,
    /// The most it may cost, in US dollars, as it was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<String>,
    /// What models cost whose price is not known, as it was typed: dollars for a million tokens in and out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// The longest one call may take, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// The model's context in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The lock file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<PathBuf>,
    /// Whether questions go to the provider's batch API.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub batch: bool,
    /// Whether all answers come from the lock and nothing is asked.
    #[serde(skip)]
    pub locked: bool,
    /// Whether what is known already is asked again.
    #[serde(skip)]
    pub refresh: bool,
    /// Whether the cache of this machine is neither read nor written.
    #[serde(skip)]
    pub no_cache: bool,
    /// Whether only the cost is estimated, and nothing is sent.
    #[serde(skip)]
    pub dry_run: bool,
    /// Whether http:// to another machine is allowed.
    #[serde(skip)]
    pub allow_plain_http: bool,
    /// The folder that answers are kept in and taken from, instead of the cache of this machine. Any number of workers may
    /// use it at once.
    #[serde(skip)]
    pub answers: Option<PathBuf>,
    /// How many workers share the limits: each takes its part of the cap, of the calls at once and of the provider's pace.
    #[serde(skip)]
    pub workers: Option<NonZeroU32>,
}

impl JudgeOptions {
    /// These options, with those of a lower layer where these set nothing.
    #[must_use]
    pub fn or(self, lower: &Self) -> Self {
        Self {
            judges: if self.judges.is_empty() { lower.judges.clone() } else { self.judges },
            fallback: self.fallback.or_else(|| lower.fallback.clone()),
            second_look: self.second_look.or(lower.second_look),
            redact: self.redact.or(lower.redact),
            concurrency: self.concurrency.or(lower.concurrency),
            max_cost: self.max_cost.or_else(|| lower.max_cost.clone()),
            price: self.price.or_else(|| lower.price.clone()),
            timeout: self.timeout.or(lower.timeout),
            context: self.context.or(lower.context),
            lock: self.lock.or_else(|| lower.lock.clone()),
            batch: self.batch || lower.batch,
            locked: self.locked || lower.locked,
            refresh: self.refresh || lower.refresh,
            no_cache: self.no_cache || lower.no_cache,
            dry_run: self.dry_run || lower.dry_run,
            allow_plain_http: self.allow_plain_http || lower.allow_plain_http,
            answers: self.answers.or_else(|| lower.answers.clone()),
            workers: self.workers.or(lower.workers),
        }
    }
}

/// What redaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Redact {
    /// Nothing is replaced.
    #[cfg_attr(feature = "clap", value(skip))]
    Off,
    /// Replace.
    On,
    /// Replace, and list what was replaced.
    Show,
}

impl Redact {
    /// Whether anything is replaced.
    #[must_use]
    pub fn is_on(self) -> bool {
        self != Self::Off
    }
}

impl From<bool> for Redact {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

/// Files and stored runs say yes or no; listing is for whoever sits before the screen.
impl Serialize for Redact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(self.is_on())
    }
}

impl<'de> Deserialize<'de> for Redact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bool::deserialize(deserializer).map(Self::from)
    }
}

/// The largest file in MiB that is read unless something else is said.
pub const MAX_SIZE: u64 = 256;

/// How chats are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadingOptions {
    /// Labels that mean the person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub human: Vec<String>,
    /// Labels that mean the AI.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ai: Vec<String>,
    /// Labels of third parties, kept as context on the person's side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other: Vec<String>,
    /// Labels whose messages are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignore_speaker: Vec<String>,
    /// Words before a colon that are no speakers: their lines belong to the message they stand in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_a_speaker: Vec<String>,
    /// Whether what cannot be read is left out instead of being an error.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skip_unreadable: bool,
    /// The name of the text format, where it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The largest file in MiB, where it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_size: Option<u64>,
}

impl ReadingOptions {
    /// The options of the reader.
    pub fn reader(&self) -> Result<ReadOptions> {
        let from = self.from.as_deref().map(TextFormat::parse).transpose()?;
        Ok(ReadOptions {
            human: self.human.clone(),
            ai: self.ai.clone(),
            other: self.other.clone(),
            neither: self.ignore_speaker.clone(),
            text: self.not_a_speaker.clone(),
            from: from.map(TextFormat::format),
            unpacked_limit: Some(self.max_size().saturating_mul(1 << 20)),
            ..ReadOptions::default()
        })
    }

    /// The largest file in MiB.
    #[must_use]
    pub fn max_size(&self) -> u64 {
        self.max_size.unwrap_or(MAX_SIZE)
    }
}

/// A text format that can be named where the looks of a chat deceive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum TextFormat {
    /// Speaker labels at the start of lines.
    Text,
    /// Headings or bold labels.
    Markdown,
    /// WhatsApp, Slack, Discord, Telegram.
    Messenger,
    /// CSV or TSV.
    Table,
}

impl TextFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Text, Self::Markdown, Self::Messenger, Self::Table];

    /// The format of this name, in capitals or not.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            anyhow!(
                Problem::new(format!("from = {name:?}: there is no such format"))
                    .advice("use text, markdown, messenger or table")
            )
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Messenger => "messenger",
            Self::Table => "table",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Text => "Plain text with speaker labels",
            Self::Markdown => "Markdown with headings or bold labels",
            Self::Messenger => "Messenger export (WhatsApp, Slack, Discord, Telegram)",
            Self::Table => "Table (CSV or TSV)",
        }
    }

    /// The format as the reader knows it.
    #[must_use]
    pub fn format(self) -> Format {
        match self {
            Self::Text => Format::PlainText,
            Self::Markdown => Format::Markdown,
            Self::Messenger => Format::ChatExport,
            Self::Table => Format::Delimited,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upper_layer_wins_and_a_lower_one_fills_what_it_leaves_open() {
        let upper = JudgeOptions { timeout: Some(5), redact: Some(Redact::Off), ..JudgeOptions::default() };
        let lower = JudgeOptions {
            judges: vec!["builtin".to_owned()],
            timeout: Some(9),
            context: Some(4096),
            redact: Some(Redact::On),
            no_cache: true,
            ..JudgeOptions::default()
        };
        let merged = upper.or(&lower);
        assert_eq!((merged.timeout, merged.context, merged.redact), (Some(5), Some(4096), Some(Redact::Off)));
        assert_eq!((merged.judges, merged.no_cache), (lower.judges, true));
    }

    #[test]
    fn a_stored_run_keeps_what_decides_the_answers_and_nothing_of_the_process() {
        let options = JudgeOptions {
            judges: vec!["builtin".to_owned()],
            redact: Some(Redact::Show),
            max_cost: Some("5".to_owned()),
            locked: true,
            dry_run: true,
            ..JudgeOptions::default()
        };
        let stored = serde_json::to_string(&options).unwrap();
        assert_eq!(stored, r#"{"redact":true,"max_cost":"5"}"#);
        let read: JudgeOptions = serde_json::from_str(&stored).unwrap();
        assert_eq!((read.redact, read.locked), (Some(Redact::On), false));
    }

    #[test]
    fn every_text_format_is_found_by_its_name() {
        for format in TextFormat::ALL {
            assert_eq!(TextFormat::parse(&format.name().to_uppercase()).unwrap(), format);
        }
        assert!(TextFormat::parse("pdf").unwrap_err().to_string().contains("there is no such format"));
    }
}
