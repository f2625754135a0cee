//! Recorded chats of simulated users: every broken one is recognised, and no sound one is taken for broken.

use std::fs;
use std::path::Path;

use carelock_probe::Persona;
use carelock_probe::simulator::{self, Failure, Played};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    persona: String,
    failure: Option<String>,
    #[expect(dead_code, reason = "for whoever reads the file")]
    note: String,
    ended: bool,
    turns: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    person: Option<String>,
    bot: Option<String>,
}

fn recorded(folder: &str) -> Vec<(String, Recorded)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulators").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let chat = toml::from_str(&fs::read_to_string(path).unwrap());
        (name.clone(), chat.unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    files.iter().map(read).collect()
}

fn failure_in(chat: &Recorded, personas: &[Persona]) -> Option<Failure> {
    let lines: Vec<&str> = chat.turns.iter().filter_map(|said| said.person.as_deref()).collect();
    let replies: Vec<&str> = chat.turns.iter().filter_map(|said| said.bot.as_deref()).collect();
    let persona = personas.iter().find(|persona| persona.id == chat.persona);
    let leaves_early = persona.is_some_and(|persona| persona.leaves_early);
    let name = persona.and_then(Persona::first_name);
    simulator::failure(&Played { lines: &lines, replies: &replies, ended: chat.ended, leaves_early, name })
}

#[test]
fn every_broken_chat_is_unscored() {
    let personas = Persona::builtin().unwrap();
    let chats = recorded("broken");
    let missed: Vec<String> = chats
        .iter()
        .filter(|(_, chat)| failure_in(chat, &personas).is_none())
        .map(|(name, chat)| format!("{name} ({})", chat.failure.as_deref().unwrap_or_default()))
        .collect();
    assert!(missed.is_empty(), "{} of {} missed: {missed:#?}", missed.len(), chats.len());
    assert!(chats.len() >= 30, "{}", chats.len());
}

#[test]
fn no_sound_chat_is_taken_for_broken() {
    let personas = Persona::builtin().unwrap();
    let chats = recorded("sound");
    let wrong: Vec<String> = chats
        .iter()
        .filter_map(|(name, chat)| failure_in(chat, &personas).map(|failure| format!("{name}: {failure:?}")))
        .collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), chats.len());
    assert!(chats.len() >= 30, "{}", chats.len());
}

#[test]
fn most_broken_chats_are_called_by_the_right_name() {
    let personas = Persona::builtin().unwrap();
    let chats = recorded("broken");
    let right = |chat: &Recorded| failure_in(chat, &personas).map(Failure::word) == chat.failure.as_deref();
    let named = chats.iter().filter(|(_, chat)| right(chat)).count();
    assert!(named * 10 >= chats.len() * 8, "{named} of {}", chats.len());
}
