//! How what was sent is understood: chats, turns, who is who and why, and what is left out.

use std::collections::BTreeMap;

use carelock_core::problem::Problem;
use carelock_core::transcript::formats::ReadOptions;
use carelock_core::transcript::{Speaker, Transcript, Turn};
use carelock_engine::error::problem;
use carelock_engine::input::{Chat, Unread, read_files};
use carelock_engine::working::ReadChat;

use super::form::{Chosen, JudgeForm};
use crate::state::Server;
use crate::words::PageWords;

/// Chats that are shown in full.
const SHOWN_CHATS: usize = 10;
/// Turns of a chat that are shown.
const SHOWN_TURNS: usize = 400;
/// Labels that can be corrected.
const SHOWN_LABELS: usize = 40;
/// Chats whose language is looked at; a page that reads along while one types must not take long.
const LANGUAGES: usize = 100;
/// Chats that cannot be read and are listed.
const SHOWN_PROBLEMS: usize = 20;

/// What was understood.
#[derive(Default)]
pub(super) struct Understood {
    pub(super) chats: Vec<UnderstoodChat>,
    /// Chats that can be judged.
    pub(super) count: usize,
    /// Those of them that are not shown.
    pub(super) more: usize,
    pub(super) problems: Vec<Trouble>,
    pub(super) more_problems: usize,
    /// Whether what cannot be read may be left out.
    pub(super) left_out: bool,
    pub(super) labels: Vec<Label>,
    /// Chats that the embedded judge cannot read, by name, and why.
    pub(super) foreign: Vec<(String, String)>,
    /// Whether the embedded judge alone is to judge, so that these would get no verdict.
    pub(super) is_embedded_alone: bool,
    /// Whether they may be judged all the same.
    pub(super) all_the_same: bool,
}

/// One chat as it was understood.
pub(super) struct UnderstoodChat {
    pub(super) name: String,
    pub(super) origin: String,
    pub(super) format: String,
    pub(super) digest: String,
    pub(super) turns: Vec<Turn>,
    pub(super) count: usize,
    pub(super) dropped: BTreeMap<String, usize>,
    pub(super) notes: Vec<String>,
}

impl UnderstoodChat {
    /// Turns that are not shown.
    pub(super) fn more(&self) -> usize {
        self.count - self.turns.len()
    }
}

/// What cannot be judged, and what to do about it.
pub(super) struct Trouble {
    pub(super) origin: String,
    pub(super) what: String,
    pub(super) fix: String,
}

/// A speaker's label, who was taken for it, and what the person says.
pub(super) struct Label {
    pub(super) label: String,
    pub(super) taken_for: Option<Speaker>,
    pub(super) because: String,
    pub(super) turns: usize,
    pub(super) chosen: Chosen,
}

impl Label {
    /// Who it was taken for, in a word.
    pub(super) fn taken(&self) -> &'static str {
        match self.taken_for {
            Some(Speaker::Human) => "person",
            Some(Speaker::Ai) => "AI",
            None => match self.chosen {
                Chosen::Human => "person",
                Chosen::Ai => "AI",
                Chosen::Neither => "left out",
                Chosen::Other => "somebody else",
                Chosen::Text => "part of the message",
                Chosen::Open => "unclear",
            },
        }
    }

    /// Whether the person said this.
    pub(super) fn is(&self, who: &str) -> bool {
        let chosen = match self.chosen {
            Chosen::Open => "",
            Chosen::Human => "human",
            Chosen::Ai => "ai",
            Chosen::Neither => "neither",
            Chosen::Other => "other",
            Chosen::Text => "text",
        };
        chosen == who
    }
}

impl Understood {
    /// Whether chats would get no verdict, and nobody has said that this is all right.
    pub(super) fn needs_another_judge(&self) -> bool {
        self.is_embedded_alone && !self.foreign.is_empty() && !self.all_the_same
    }

    fn note_label(&mut self, label: &str, taken_for: Option<Speaker>, because: &str, turns: usize) {
        if let Some(known) = self.labels.iter_mut().find(|known| known.label == label) {
            known.turns += turns;
            if known.taken_for.is_none() && taken_for.is_some() {
                (known.taken_for, known.because) = (taken_for, because.to_owned());
            }
            return;
        }
        if self.labels.len() < SHOWN_LABELS {
            let (label, because) = (label.to_owned(), because.to_owned());
            self.labels.push(Label { label, taken_for, because, turns, chosen: Chosen::Open });
        }
    }

    fn trouble(&mut self, origin: String, problem: &Problem) {
        if self.problems.len() >= SHOWN_PROBLEMS {
            self.more_problems += 1;
            return;
        }
        self.problems.push(Trouble { origin, what: problem.what(), fix: problem.fix(&PageWords) });
    }

    fn take(&mut self, read: Result<Chat, Unread>, chats: &mut Vec<ReadChat>) {
        let chat = match read {
            Ok(chat) => chat,
            Err(Unread { origin, problem, labels, .. }) => {
                labels.iter().for_each(|label| self.note_label(label, None, "", 0));
                let asks = "say under “Who is who” which is the person and which is the AI";
                self.trouble(origin, &if labels.is_empty() { problem } else { problem.advice(asks) });
                return;
            }
        };
        for note in &chat.reading.speakers {
            let because = if note.because.starts_with("--") { "as you said" } else { &note.because };
            self.note_label(&note.label, Some(note.taken_for), because, note.turns);
        }
        let format = chat.format.map_or_else(|| "JSONL, a chat a line".to_owned(), |format| format.to_string());
        let notes = chat.warnings.iter().chain(&chat.file_notes).chain(&chat.reading.notes);
        let notes = notes.cloned().collect();
        let (origin, name) = (chat.origin.clone(), chat.fallback_id.clone());
        let read = match ReadChat::new(chat, None, &name, false) {
            Ok(read) => read,
            Err(error) => return self.trouble(origin, &problem(&error)),
        };
        self.count += 1;
        if self.chats.len() < SHOWN_CHATS {
            self.chats.push(UnderstoodChat {
                name: read.chat.name.clone(),
                origin,
                format,
                digest: read.chat.digest.clone(),
                turns: read.chat.turns.iter().take(SHOWN_TURNS).cloned().collect(),
                count: read.chat.turns.len(),
                dropped: read.chat.dropped.clone(),
                notes,
            });
        } else {
            self.more += 1;
        }
        chats.push(read);
    }
}

/// Reads what was sent, unpacking so much at most: what to show of it, and the chats that can be judged.
pub(super) fn understand(sent: &JudgeForm, server: &Server) -> (Understood, Vec<ReadChat>) {
    let most_unpacked = server.most_unpacked();
    let mut understood = Understood {
        left_out: sent.leave_out,
        all_the_same: sent.all_the_same,
        is_embedded_alone: sent.judges.iter().all(|judge| judge == carelock_builtin::NAME),
        ..Understood::default()
    };
    let mut chats = Vec::new();
    let options = ReadOptions { unpacked_limit: Some(most_unpacked), ..sent.options() };
    for read in read_files(sent.inputs(), &options) {
        understood.take(read, &mut chats);
    }
    // What the person said is kept, also of labels whose turns it took away.
    for (label, chosen) in sent.labels.iter().filter(|(_, chosen)| *chosen != Chosen::Open) {
        understood.note_label(label, None, "as you said", 0);
        if let Some(known) = understood.labels.iter_mut().find(|known| known.label == *label) {
            known.chosen = *chosen;
            if known.because.is_empty() {
                "as you said".clone_into(&mut known.because);
            }
        }
    }
    if sent.asks_embedded() {
        for chat in chats.iter().take(LANGUAGES) {
            let turns = chat.chat.turns.iter().map(|turn| (turn.speaker, turn.text.clone())).collect();
            let Ok(transcript) = Transcript::new(chat.chat.name.clone(), turns) else { continue };
            let why = server.embedded.other_language(&server.rubric, &transcript);
            understood.foreign.extend(why.map(|why| (chat.chat.name.clone(), why)));
        }
    }
    (understood, chats)
}
