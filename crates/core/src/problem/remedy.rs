//! What can be done about a problem, and how each front end words it.

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
    /// What a model costs.
    Price,
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
            Self::Price => "price",
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
        (Some(_), Some(_)) => format!(
            "if \"{label}\" is the person or the AI, say so with {} or {}; if somebody else, {} to keep it as context or {} \
             to leave it out; if nobody, {}",
            person(label),
            program(label),
            words.other(label),
            words.ignored(label),
            words.not_a_speaker(label)
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
    /// Where a label is named whose messages are kept as context.
    fn other(&self, label: &str) -> String {
        format!("`other` \"{label}\"")
    }
    /// Where a label is named whose messages are left out.
    fn ignored(&self, label: &str) -> String {
        format!("`ignore_speaker` \"{label}\"")
    }
    /// Where a word is named that is nobody's label.
    fn not_a_speaker(&self, label: &str) -> String {
        format!("`not_a_speaker` \"{label}\"")
    }
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
