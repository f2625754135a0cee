//! The chats of a run, read from their files a batch at a time.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use carelock_core::transcript::formats::ReadOptions;
use rayon::prelude::*;

use super::chat::ReadChat;
use crate::error::problem;
use crate::event::Events;
use crate::input::{Batches, Chat, Unread};
use crate::runs::StoredConfig;

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
    events: Events,
}

/// All datasets of a run, read in order.
pub struct DatasetReader {
    sources: VecDeque<Source>,
    inline: bool,
}

impl DatasetReader {
    /// Finds the files; nothing is read yet. Folders of answers hold no chats.
    pub fn open(stored: &StoredConfig, answers: &[&Path], events: &Events) -> Result<Self> {
        let reader = stored.reading.reader()?;
        let mut sources = VecDeque::new();
        for dataset in &stored.datasets {
            let grouping = Grouping::parse(dataset.group.as_deref());
            let field = match &grouping {
                Grouping::Field(field) => Some(field.clone()),
                _ => None,
            };
            let options = ReadOptions { field, ..reader.clone() };
            let batches = Batches::outside(&dataset.paths, stored.reading.max_size(), answers)?
                .skipping_unreadable(stored.reading.skip_unreadable);
            let mut folders: Vec<PathBuf> =
                dataset.paths.iter().map(PathBuf::from).filter(|path| path.is_dir()).collect();
            folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
            sources
                .push_back(Source { batches, manner: Manner { grouping, folders, options, events: events.clone() } });
        }
        Ok(Self { sources, inline: stored.inline })
    }

    /// The next chats; none when all are read.
    pub fn next_batch(&mut self) -> Option<Vec<Result<ReadChat, Unread>>> {
        let inline = self.inline;
        loop {
            let Source { batches, manner } = self.sources.front_mut()?;
            let Some(chats) = batches.read_next(&manner.options) else {
                self.sources.pop_front();
                continue;
            };
            let manner = &*manner;
            let one = |chat: Result<Chat, Unread>| chat.and_then(|chat| manner.chat(chat, inline));
            return Some(chats.into_par_iter().map(one).collect());
        }
    }
}

impl Manner {
    fn chat(&self, chat: Chat, inline: bool) -> Result<ReadChat, Unread> {
        let origin = chat.origin.clone();
        chat.warnings.iter().for_each(|warning| self.events.warn(&format!("{origin}: {warning}")));
        self.understand(chat, inline).map_err(|error| Unread::new(&origin, problem(&error)))
    }

    fn understand(&self, chat: Chat, inline: bool) -> Result<ReadChat> {
        let (group, name) = self.group_and_name(&chat);
        ReadChat::new(chat, group, &name, inline)
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
        let mut reader = DatasetReader::open(&serde_json::from_value(value).unwrap(), &[], &Events::default()).unwrap();
        let mut found = Vec::new();
        while let Some(chats) = reader.next_batch() {
            for chat in chats {
                let chat = chat.map_err(|unread| unread.problem).unwrap().chat;
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
    fn any_other_text_is_the_group_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let found = read(folder.path(), &[("a.txt", CHAT)], " model v2 ");
        assert_eq!(found, [("model v2/a".to_owned(), Some("model v2".to_owned()))]);
    }
}
