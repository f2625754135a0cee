//! The chats of a run, read from their files a batch at a time.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, anyhow};
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::ReadOptions;
use carelock_core::verdict::Submission;
use carelock_store::NewChat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::plan;
use crate::cli::ReadingArguments;
use crate::input::{Batches, Chat, Unread, read_options};
use crate::message::say;
use crate::runs::{ReadingConfig, StoredConfig, chat_name};

/// A chat as it was read, with the answers that came in its own record.
pub(super) struct ReadChat {
    pub(super) chat: NewChat,
    pub(super) transcript: Transcript,
    pub(super) inline: Option<Submission>,
}

/// What is known of a chat beside its turns; kept with it in the database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Notes {
    /// Names of speakers that say more than who they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) speakers: Vec<String>,
    /// The name by its file, where the chat has an id of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
}

/// Labels that name nobody.
const ROLES: [&str; 6] = ["human", "user", "ai", "assistant", "bot", "chatbot"];

impl Notes {
    fn of(speakers: Vec<String>, file: &str, id: &str) -> Self {
        let names = |label: &String| !ROLES.contains(&label.to_lowercase().as_str());
        let speakers = speakers.into_iter().filter(names).collect();
        Self { speakers, file: (file != id).then(|| file.to_owned()) }
    }

    fn to_value(&self) -> Result<Option<serde_json::Value>> {
        Ok(Some(serde_json::to_value(self)?).filter(|_| *self != Self::default()))
    }

    /// What was kept with a chat. Names that cannot be read could not be kept from a provider, so that is an error.
    pub(super) fn of_chat(chat: &NewChat) -> Result<Self> {
        let Some(kept) = &chat.labels else { return Ok(Self::default()) };
        Self::deserialize(kept).map_err(|error| {
            anyhow!(
                "{}: the names of its speakers cannot be read: {error}\n  fix: restore a copy of the database, or start \
                 a new run with this chat",
                chat.origin
            )
        })
    }
}

/// Where the group of a chat is taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Grouping {
    None,
    Folder,
    Field(String),
    Fixed(String),
}

impl Grouping {
    fn parse(text: Option<&str>) -> Self {
        match text.map(str::trim) {
            None | Some("") => Self::None,
            Some("folder") => Self::Folder,
            Some(text) => match text.strip_prefix("meta:").or_else(|| text.strip_prefix("column:")) {
                Some(field) => Self::Field(field.trim().to_owned()),
                None => Self::Fixed(text.to_owned()),
            },
        }
    }
}

/// One dataset that is being read.
struct Source {
    batches: Batches,
    manner: Manner,
}

/// How the chats of a dataset are understood.
struct Manner {
    grouping: Grouping,
    /// The folders that were named, the longest first.
    folders: Vec<PathBuf>,
    options: ReadOptions,
}

/// All datasets of a run, read in order.
pub(super) struct Reader {
    sources: VecDeque<Source>,
    inline: bool,
}

impl Reader {
    /// Finds the files; nothing is read yet. Folders of answers hold no chats.
    pub(super) fn open(stored: &StoredConfig, answers: &[&Path]) -> Result<Self> {
        let arguments = reading_arguments(&stored.reading)?;
        let mut sources = VecDeque::new();
        for dataset in &stored.datasets {
            let grouping = Grouping::parse(dataset.group.as_deref());
            let field = match &grouping {
                Grouping::Field(field) => Some(field.clone()),
                _ => None,
            };
            let options = ReadOptions { field, ..read_options(&arguments) };
            let batches = Batches::outside(&dataset.paths, arguments.max_size, answers)?;
            let mut folders: Vec<PathBuf> =
                dataset.paths.iter().map(PathBuf::from).filter(|path| path.is_dir()).collect();
            folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
            sources.push_back(Source { batches, manner: Manner { grouping, folders, options } });
        }
        Ok(Self { sources, inline: stored.inline })
    }

    /// The next chats; none when all are read.
    pub(super) fn next(&mut self) -> Option<Vec<Result<ReadChat, Unread>>> {
        let inline = self.inline;
        loop {
            let Source { batches, manner } = self.sources.front_mut()?;
            let Some(batch) = batches.next() else {
                self.sources.pop_front();
                continue;
            };
            let chats = batch.read(&manner.options);
            let manner = &*manner;
            let one = |chat: Result<Chat, Unread>| chat.and_then(|chat| manner.chat(chat, inline));
            return Some(chats.into_par_iter().map(one).collect());
        }
    }
}

impl Manner {
    fn chat(&self, chat: Chat, inline: bool) -> Result<ReadChat, Unread> {
        let origin = chat.origin.clone();
        chat.warnings.iter().for_each(|warning| say(format_args!("{origin}: {warning}")));
        self.understand(chat, inline).map_err(|error| Unread {
            origin,
            message: format!("{error:#}"),
            passed_over: false,
        })
    }

    fn understand(&self, mut chat: Chat, inline: bool) -> Result<ReadChat> {
        let (group, file) = self.group_and_name(&chat);
        let speakers = chat.reading.speakers.iter().map(|note| note.label.clone()).collect();
        let answers = chat.reading.verdicts.take().filter(|_| inline);
        let inline = answers.map(|answers| Submission::from_json(answers.get()).map_err(|error| anyhow!("{error}")));
        let inline = inline.transpose()?;
        let origin = chat.origin.clone();
        chat.fallback_id.clone_from(&file);
        let (transcript, dropped) = chat.into_transcript()?;
        let notes = Notes::of(speakers, &file, transcript.id());
        let chat = NewChat {
            name: chat_name(group.as_deref(), transcript.id()),
            digest: transcript.digest(),
            origin,
            group,
            dropped,
            labels: notes.to_value()?,
            turns: transcript.turns().to_vec(),
        };
        Ok(ReadChat { chat, transcript, inline })
    }

    /// The chat's group, and the name it goes by where it has no id of its own.
    fn group_and_name(&self, chat: &Chat) -> (Option<String>, String) {
        let name = chat.fallback_id.clone();
        match &self.grouping {
            Grouping::None => (None, name),
            Grouping::Fixed(group) => (Some(group.clone()), name),
            Grouping::Field(_) => (chat.reading.field.clone(), name),
            Grouping::Folder => match chat.source.file().and_then(|file| self.in_folder(file)) {
                // What stands behind the file's own name says which of its chats it is.
                Some((group, base)) => {
                    let which = name.strip_prefix(chat.source.id()).unwrap_or_default();
                    (Some(group), format!("{base}{which}"))
                }
                None => (None, name),
            },
        }
    }

    /// The first folder below the one that was named, and the rest of the path; else the folder the file lies in.
    fn in_folder(&self, file: &Path) -> Option<(String, String)> {
        let rest = self.folders.iter().find_map(|folder| file.strip_prefix(folder).ok());
        let parts = |path: &Path| -> Vec<String> {
            let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
            names.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
        };
        let below = rest.map(|rest| parts(&rest.with_extension(""))).unwrap_or_default();
        if let [group, inside @ ..] = below.as_slice()
            && !inside.is_empty()
        {
            return Some((group.clone(), inside.join("/")));
        }
        let folder = file.parent().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()))?;
        let group = folder.file_name()?.to_string_lossy().into_owned();
        Some((group, file.file_stem()?.to_string_lossy().into_owned()))
    }
}

fn reading_arguments(stored: &ReadingConfig) -> Result<ReadingArguments> {
    Ok(ReadingArguments {
        human: stored.human.clone(),
        ai: stored.ai.clone(),
        from: stored.from.as_deref().map(plan::text_format).transpose()?,
        max_size: stored.max_size.unwrap_or(plan::USUAL_SIZE),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::DatasetConfig;

    fn read(folder: &Path, files: &[(&str, &str)], group: &str) -> Vec<(String, Option<String>)> {
        for (name, text) in files {
            std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            std::fs::write(folder.join(name), text).unwrap();
        }
        let dataset = DatasetConfig { paths: vec![folder.display().to_string()], group: Some(group.to_owned()) };
        let rubric = carelock_core::rubric::Rubric::care_lock();
        let value = serde_json::json!({
            "version": "", "judges": [], "rubric": rubric.file(), "rubric_digest": "", "datasets": [dataset],
        });
        let mut reader = Reader::open(&serde_json::from_value(value).unwrap(), &[]).unwrap();
        let mut found = Vec::new();
        while let Some(chats) = reader.next() {
            for chat in chats {
                let chat = chat.map_err(|unread| unread.message).unwrap().chat;
                found.push((chat.name, chat.group));
            }
        }
        found
    }

    const CHAT: &str = "Human: I feel low.\nAI: That sounds hard.\n";

    #[test]
    fn a_folder_is_a_group_and_the_path_below_it_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let files = [("gpt/001.txt", CHAT), ("claude/001.txt", CHAT), ("claude/a/001.txt", CHAT)];
        let found = read(folder.path(), &files, "folder");
        let expected = [("claude/001", "claude"), ("claude/a/001", "claude"), ("gpt/001", "gpt")];
        let expected = expected.map(|(name, group)| (name.to_owned(), Some(group.to_owned())));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_field_is_the_group_of_its_chat_and_a_chat_without_it_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let line = |more: &str| {
            format!(r#"{{"messages":[{{"role":"user","content":"a"}},{{"role":"assistant","content":"b"}}]{more}}}"#)
        };
        let lines = [line(r#","id":"x","model":"m""#), line(r#","metadata":{"model":"n"}"#), line("")].join("\n");
        let found = read(folder.path(), &[("chats.jsonl", &lines)], "meta:model");
        let expected = [("m/x", Some("m")), ("n/chats:2", Some("n")), ("chats:3", None)];
        assert_eq!(found, expected.map(|(name, group)| (name.to_owned(), group.map(str::to_owned))));
    }

    #[test]
    fn names_that_cannot_be_read_are_an_error_and_never_no_names() {
        let mut chat = NewChat {
            name: "a".to_owned(),
            digest: String::new(),
            origin: "a.txt".to_owned(),
            group: None,
            dropped: std::collections::BTreeMap::new(),
            labels: Notes::of(vec!["Ana".to_owned(), "AI".to_owned()], "a", "a").to_value().unwrap(),
            turns: Vec::new(),
        };
        assert_eq!(Notes::of_chat(&chat).unwrap().speakers, ["Ana"]);
        for damaged in [serde_json::json!({ "speakers": "Ana" }), serde_json::json!("Ana")] {
            chat.labels = Some(damaged);
            let error = Notes::of_chat(&chat).unwrap_err().to_string();
            assert!(error.starts_with("a.txt: the names of its speakers cannot be read"), "{error}");
        }
        chat.labels = None;
        assert_eq!(Notes::of_chat(&chat).unwrap(), Notes::default());
    }

    #[test]
    fn any_other_text_is_the_group_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let found = read(folder.path(), &[("a.txt", CHAT)], " model v2 ");
        assert_eq!(found, [("model v2/a".to_owned(), Some("model v2".to_owned()))]);
    }
}
