//! What went wrong, where, and what can be done about it: the one shape of errors that front ends show.

use std::fmt;

/// What stands between a problem and its remedy in a text of both.
const FIX: &str = "\n  fix: ";

/// An error as a front end shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: a file, a line, a judge; may be empty.
    pub at: String,
    /// What is wrong.
    pub what: String,
    /// What can be done about it.
    pub remedy: Option<Box<Remedy>>,
}

impl Problem {
    /// Something that is wrong, with no place and no remedy yet.
    pub fn new(what: impl Into<String>) -> Self {
        Self { at: String::new(), what: what.into(), remedy: None }
    }

    /// The same problem with its remedy.
    #[must_use]
    pub fn with(self, remedy: Remedy) -> Self {
        Self { remedy: Some(Box::new(remedy)), ..self }
    }

    /// The same problem with a remedy that reads the same everywhere.
    #[must_use]
    pub fn advice(self, text: impl Into<String>) -> Self {
        self.with(Remedy::Advice(text.into()))
    }

    /// The same problem, seen from a wider place: a file, a chat.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        let at = match (place, self.at.as_str()) {
            ("", _) => self.at,
            (place, "") => place.to_owned(),
            (place, at) => format!("{place}: {at}"),
        };
        Self { at, ..self }
    }

    /// Reads back what [`Display`](fmt::Display) has written, such as the failures that a database keeps.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        match text.split_once(FIX) {
            Some((what, fix)) => Self::new(what).advice(fix),
            None => Self::new(text),
        }
    }

    /// Where and what, without the remedy.
    #[must_use]
    pub fn what(&self) -> String {
        if self.at.is_empty() { self.what.clone() } else { format!("{}: {}", self.at, self.what) }
    }

    /// The remedy in the words of a front end; empty where there is none.
    #[must_use]
    pub fn fix(&self, words: &dyn Words) -> String {
        self.remedy.as_ref().map(|remedy| remedy.worded(words)).unwrap_or_default()
    }

    /// The whole problem in the words of a front end, its remedy on a line of its own.
    #[must_use]
    pub fn worded(&self, words: &dyn Words) -> String {
        match &self.remedy {
            Some(remedy) => format!("{}{FIX}{}", self.what(), remedy.worded(words)),
            None => self.what(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&PlainWords))
    }
}

impl std::error::Error for Problem {}

/// Shows an error type as the problem it amounts to, by its method `problem`.
#[macro_export]
macro_rules! shown_as_problem {
    ($error:ty) => {
        impl ::std::fmt::Display for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.problem(), f)
            }
        }

        impl From<$error> for $crate::problem::Problem {
            fn from(error: $error) -> Self {
                error.problem()
            }
        }
    };
}

/// What can be done about a problem. Each front end words it in its own terms, through [`Words`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Say which labels are the person's and which the AI's.
    NameSpeakers(Speakers),
    /// Set the key of a provider.
    SetKey {
        /// The provider's name in settings.
        provider: String,
        /// The variables that may hold it.
        variables: Vec<String>,
        /// The settings file that may hold it.
        file: String,
    },
    /// Allow larger inputs, or do something else.
    RaiseMaxSize {
        /// What else helps.
        or: String,
    },
    /// A sentence with the names of settings in it.
    Sentence(Vec<Part>),
    /// Something that reads the same everywhere.
    Advice(String),
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Plain words.
    Text(String),
    /// Something that can be set.
    Setting(Setting),
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Setting> for Part {
    fn from(setting: Setting) -> Self {
        Self::Setting(setting)
    }
}

/// Something that can be set, whatever a front end calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    /// Whether http:// to another machine is allowed.
    AllowPlainHttp,
    /// Whether questions go to a batch API.
    Batch,
    /// A settings file.
    Config,
    /// The judges.
    Judge,
    /// The lock file.
    Lock,
    /// Whether all answers come from the lock.
    Locked,
    /// The largest input.
    MaxSize,
    /// A run to carry on with.
    Resume,
    /// The rubric.
    Rubric,
}

impl Setting {
    /// Its name, in small letters with underscores.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AllowPlainHttp => "allow_plain_http",
            Self::Batch => "batch",
            Self::Config => "config",
            Self::Judge => "judge",
            Self::Lock => "lock",
            Self::Locked => "locked",
            Self::MaxSize => "max_size",
            Self::Resume => "resume",
            Self::Rubric => "rubric",
        }
    }
}

/// A remedy that names settings: texts and [`Setting`]s in order.
#[macro_export]
macro_rules! remedy {
    ($($part:expr),+ $(,)?) => {
        $crate::problem::Remedy::Sentence(vec![$($crate::problem::Part::from($part)),+])
    };
}

/// What is to be said about the speakers of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speakers {
    /// Name the labels of both sides.
    Both,
    /// Name them if they are unusual.
    IfUnusual,
    /// Name them, out of a list that was shown.
    FromList,
    /// Start messages with known labels, or name those that are used.
    LabelOrName,
    /// Give messages of both sides; where one was taken for the other, name them.
    BothSides,
    /// Names cannot settle it, because there are no labels.
    NoLabels,
    /// One label is unclear; the first label of each side, where there is one.
    Unclear {
        /// The label.
        label: String,
        /// A label of the person.
        human: Option<String>,
        /// A label of the AI.
        ai: Option<String>,
    },
}

impl Remedy {
    /// The remedy in the words of a front end.
    #[must_use]
    pub fn worded(&self, words: &dyn Words) -> String {
        match self {
            Self::NameSpeakers(speakers) => speakers.worded(words),
            Self::SetKey { provider, variables, file } => {
                format!("set {}, or write {provider} = \"…\" under [keys] in {file}", variables.join(" or "))
            }
            Self::RaiseMaxSize { or } => format!("raise {}, or {or}", words.setting(Setting::MaxSize)),
            Self::Sentence(parts) => parts.iter().map(|part| part.worded(words)).collect(),
            Self::Advice(text) => text.clone(),
        }
    }
}

impl Part {
    fn worded(&self, words: &dyn Words) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Setting(setting) => words.setting(*setting),
        }
    }
}

impl From<String> for Remedy {
    fn from(text: String) -> Self {
        Self::Advice(text)
    }
}

impl From<&str> for Remedy {
    fn from(text: &str) -> Self {
        Self::Advice(text.to_owned())
    }
}

impl From<Speakers> for Remedy {
    fn from(speakers: Speakers) -> Self {
        Self::NameSpeakers(speakers)
    }
}

impl Speakers {
    fn worded(&self, words: &dyn Words) -> String {
        match self {
            Self::Both => words.use_speakers(),
            Self::IfUnusual => format!("{} if its labels are unusual", words.use_speakers()),
            Self::FromList => format!(
                "say who is who {}, names from this list; each may be given more than once",
                words.with_speakers()
            ),
            Self::LabelOrName => format!(
                "start each message on a new line with its speaker, like \"User: …\" and \"Assistant: …\", or name the \
                 labels used {}; a table needs a header with a speaker and a text column; docs/formats shows every \
                 format",
                words.with_speakers()
            ),
            Self::BothSides => format!(
                "give a chat with messages of both sides; where a speaker was taken for the wrong one, say who is who {}",
                words.with_speakers()
            ),
            Self::NoLabels => format!(
                "{} and {} cannot settle this: there are no labels; add a list `speakers` of the same length, or write \
                 each message as {{\"speaker\": \"HUMAN\", \"text\": \"...\"}}",
                words.human(None),
                words.ai(None)
            ),
            Self::Unclear { label, human, ai } => unclear(words, label, human.as_deref(), ai.as_deref()),
        }
    }
}

fn unclear(words: &dyn Words, label: &str, human: Option<&str>, ai: Option<&str>) -> String {
    let (person, program) = (|name: &str| words.human(Some(name)), |name: &str| words.ai(Some(name)));
    match (human, ai) {
        (Some(human), Some(ai)) => format!(
            "if \"{label}\" is a speaker, say which with {} or {}; if it is part of a message, name both sides: {} {}",
            person(label),
            program(label),
            person(human),
            program(ai)
        ),
        (None, Some(ai)) => format!("if \"{label}\" is the person: {} {}", person(label), program(ai)),
        (Some(human), None) => format!("if \"{label}\" is the AI: {} {}", person(human), program(label)),
        (None, None) => Speakers::FromList.worded(words),
    }
}

/// What a front end calls the things a remedy asks for: options, form fields, keywords.
pub trait Words {
    /// "Use … to say which labels are whose", as an order.
    fn use_speakers(&self) -> String;
    /// "With …" or "in …", where labels are named.
    fn with_speakers(&self) -> String;
    /// Where labels of the person are named, with a label that is to be given.
    fn human(&self, label: Option<&str>) -> String;
    /// Where labels of the AI are named, with a label that is to be given.
    fn ai(&self, label: Option<&str>) -> String;
    /// Something that can be set.
    fn setting(&self, setting: Setting) -> String {
        format!("`{}`", setting.name())
    }
}

/// Words that belong to no front end.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainWords;

impl Words for PlainWords {
    fn use_speakers(&self) -> String {
        "name the labels of the person and of the AI".to_owned()
    }

    fn with_speakers(&self) -> String {
        "by the labels of the person and of the AI".to_owned()
    }

    fn human(&self, label: Option<&str>) -> String {
        label.map_or_else(|| "labels of the person".to_owned(), |label| format!("person \"{label}\""))
    }

    fn ai(&self, label: Option<&str>) -> String {
        label.map_or_else(|| "of the AI".to_owned(), |label| format!("AI \"{label}\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_what_and_what_to_do_are_apart_and_shown_together() {
        let problem = Problem::new("not JSON").advice("correct it").within("line 3").within("a.json");
        assert_eq!(
            (problem.what().as_str(), problem.fix(&PlainWords).as_str()),
            ("a.json: line 3: not JSON", "correct it")
        );
        assert_eq!(problem.to_string(), "a.json: line 3: not JSON\n  fix: correct it");
        assert_eq!(Problem::new("broken").to_string(), "broken");
        assert_eq!(Problem::from_stored(&problem.to_string()).to_string(), problem.to_string());
    }

    #[test]
    fn a_setting_is_named_as_the_front_end_calls_it() {
        let remedy = crate::remedy!["run without ", Setting::Locked, " to ask"];
        assert_eq!(Problem::new("x").with(remedy).fix(&PlainWords), "run without `locked` to ask");
    }

    #[test]
    fn one_label_that_is_unclear_is_met_with_what_is_known_of_the_others() {
        let unclear = |human: Option<&str>, ai: Option<&str>| {
            let (human, ai) = (human.map(str::to_owned), ai.map(str::to_owned));
            Remedy::from(Speakers::Unclear { label: "Joy".to_owned(), human, ai }).worded(&PlainWords)
        };
        assert_eq!(unclear(None, Some("Bot")), "if \"Joy\" is the person: person \"Joy\" AI \"Bot\"");
        assert_eq!(unclear(Some("Ana"), None), "if \"Joy\" is the AI: person \"Ana\" AI \"Joy\"");
        assert!(unclear(None, None).starts_with("say who is who"));
    }
}
