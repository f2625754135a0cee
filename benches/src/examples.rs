//! The example chats cut to ten turns, and put together to chats of any length.

use std::path::Path;

use carelock_core::transcript::formats::{ReadOptions, read};
use carelock_core::transcript::{Speaker, Transcript};

type Failed = Box<dyn std::error::Error>;

/// A chat's name and what was said.
type Named = (String, Vec<(Speaker, String)>);

/// The turns of every example chat that has ten of them, its first ten.
fn turns() -> Result<Vec<Named>, Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut paths: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut chats = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for reading in read(&std::fs::read(&path)?, &ReadOptions::default())?.readings {
            let mut turns = reading?.turns;
            if turns.len() >= 10 {
                turns.truncate(10);
                chats.push((name.clone(), turns));
            }
        }
    }
    if chats.is_empty() { Err("no example has ten turns".into()) } else { Ok(chats) }
}

/// Example chats of ten turns each.
pub fn ten_turn_chats() -> Result<Vec<Transcript>, Failed> {
    turns()?.into_iter().map(|(name, turns)| Ok(Transcript::new(name, turns)?)).collect()
}

/// The turns of the examples one after the other, from the beginning again where they are too few.
pub fn long_chat(length: usize) -> Result<Transcript, Failed> {
    let all: Vec<(Speaker, String)> = turns()?.into_iter().flat_map(|(_, turns)| turns).collect();
    let turns = all.iter().cycle().take(length).cloned().collect();
    Ok(Transcript::new(format!("{length} turns"), turns)?)
}
