//! What the tests of the embedded judge share: one judge, one rubric, and the chats written for this project.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use carelock_builtin::Judge;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::formats::{ReadOptions, read};
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::Verdict;

/// The judge; reading its weights takes longer than many a test.
pub(crate) static JUDGE: LazyLock<Judge> = LazyLock::new(Judge::embedded);

/// The rubric.
pub(crate) static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);

/// Whether a chat was read: a check has a verdict, or the judge is unsure, or no reply says anything. Another language is not read.
pub(crate) fn is_read(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Judged(_) => true,
        Verdict::Unscored(reason) => reason.starts_with("unsure: ") || reason.starts_with("no reply to speak of: "),
    }
}

/// A chat by name, as who said what.
#[derive(Clone, Debug)]
pub(crate) struct Chat {
    /// Where it comes from.
    pub(crate) name: String,
    /// What was said.
    pub(crate) turns: Vec<(Speaker, String)>,
}

impl Chat {
    /// The chat as a judge takes it.
    pub(crate) fn transcript(&self) -> Transcript {
        Transcript::new(&self.name, self.turns.clone()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The same chat with every text of a speaker changed.
    pub(crate) fn with_texts_of(&self, speaker: Speaker, change: impl Fn(&str) -> String) -> Self {
        let turns = self.turns.iter().map(|(who, text)| {
            let text = if *who == speaker { change(text) } else { text.clone() };
            (*who, text)
        });
        Self { name: self.name.clone(), turns: turns.collect() }
    }
}

/// A chat from lines that begin with `H: ` or `A: `; `\n` stands for a line break.
pub(crate) fn chat(name: &str, lines: &str) -> Chat {
    let turns = lines.lines().filter_map(turn).collect();
    Chat { name: name.to_owned(), turns }
}

fn turn(line: &str) -> Option<(Speaker, String)> {
    let (label, text) = line.trim_start().split_once(": ")?;
    let speaker = match label {
        "H" => Speaker::Human,
        "A" => Speaker::Ai,
        _ => return None,
    };
    Some((speaker, text.replace("\\n", "\n")))
}

/// Chats from a file in which each begins with `== name`.
fn chats_in(path: &Path) -> Vec<Chat> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parts = format!("\n{text}");
    let parts = parts.split("\n== ").skip(1).map(|part| part.split_once('\n').unwrap_or((part, "")));
    parts.map(|(name, lines)| chat(name.trim(), lines)).filter(|chat| chat.turns.len() > 1).collect()
}

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(files_below(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found
}

fn example(path: &Path) -> Chat {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let document = read(&bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let reading = document.readings.into_iter().flatten().next().unwrap_or_default();
    Chat { name, turns: reading.turns }
}

/// The chats a reader meets first, those written for these tests, and every so-manieth of those written for training.
pub(crate) fn corpus() -> Vec<Chat> {
    const FROM_TRAINING: usize = 40;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let examples = std::fs::read_dir(here.join("../../examples")).expect("the examples lie in the repository");
    let mut examples: Vec<PathBuf> = examples.flatten().map(|entry| entry.path()).collect();
    examples.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    examples.sort();
    let mut chats: Vec<Chat> = examples.iter().map(|path| example(path)).collect();
    chats.extend(chats_in(&here.join("tests/data/written.chats")));
    let training: Vec<Chat> =
        files_below(&here.join("../../training/data"), "chats").iter().flat_map(|path| chats_in(path)).collect();
    chats.extend(training.iter().step_by(training.len() / FROM_TRAINING + 1).cloned());
    chats
}
