//! Inputs in batches: read one after the other, understood in parallel.

use std::collections::{HashMap, VecDeque};
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use carelock_core::problem::{Problem, Remedy};
use carelock_core::report::safe_text::excerpt;
use carelock_core::transcript::formats::{self, ReadError, ReadOptions, Reading};
use rayon::prelude::*;

use crate::error::problem;

use super::Chat;
use super::lines::{Line, Lines};
use super::litter::is_litter;
use super::paths::{self, Input};

/// How much is read before it is worked on: enough to keep all cores busy, little enough to forget.
const BATCH_BYTES: usize = 4 << 20;
/// How much of a file is looked at to see whether it holds a chat a line.
const PEEK: usize = 1 << 16;
/// The letters of a chat's title that stand beside its place.
const TITLE: usize = 80;

/// Why something that is no chat is no error either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// It lies in a folder of chats and is something else: a picture, a program, a rating sheet.
    Litter,
    /// It could not be read, and the user said that such files are to be left out.
    Unreadable,
}

/// Something that could not be read as a chat.
#[derive(Debug)]
pub struct Unread {
    /// The file and the place in it.
    pub origin: String,
    /// What is wrong.
    pub problem: Problem,
    /// Why it is left out and counted, where it is no error.
    pub skipped: Option<Skipped>,
    /// Labels of which it is not clear who is meant.
    pub labels: Vec<String>,
}

impl Unread {
    /// A chat that cannot be judged.
    #[must_use]
    pub fn new(origin: &str, problem: Problem) -> Self {
        Self { origin: origin.to_owned(), problem, skipped: None, labels: Vec::new() }
    }

    /// The problem, with the file and the place in it.
    #[must_use]
    pub fn told(self) -> Problem {
        self.problem.within(&self.origin)
    }
}

/// An input and the id prefix of its chats.
#[derive(Debug)]
pub struct Named {
    input: Input,
    id: String,
    /// Whether what cannot be read in it is left out.
    skips_unreadable: bool,
}

impl Named {
    /// The file; none for standard input.
    pub fn file(&self) -> Option<&Path> {
        self.input.path()
    }

    /// Id prefix of its chats; a number is appended when the file holds several.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn unread(&self, problem: Problem) -> Unread {
        let skipped = self.skips_unreadable.then_some(Skipped::Unreadable);
        Unread { skipped, ..Unread::new(&self.input.name(), problem) }
    }
}

/// One piece of work.
enum Work {
    Line { input: Arc<Named>, number: usize, bytes: Vec<u8> },
    Whole { input: Arc<Named>, bytes: Vec<u8> },
    Failed { input: Arc<Named>, problem: Problem },
    Litter { input: Arc<Named> },
}

impl Work {
    fn read(self, options: &ReadOptions) -> Vec<Result<Chat, Unread>> {
        match self {
            Self::Line { input, number, bytes } => {
                let place = format!("line {number}");
                match formats::read_json_line(&bytes, number, options) {
                    Ok(readings) => {
                        readings.into_iter().map(|reading| Ok(chat(&input, &place, None, &[], reading))).collect()
                    }
                    Err(error) => vec![Err(unread(&input, &error))],
                }
            }
            Self::Whole { input, bytes } => match formats::read(&bytes, options) {
                Ok(document) => {
                    let (format, notes) = (document.format, document.notes);
                    // Said once a file, with its first chat.
                    let mut warnings = document.warnings;
                    let several = document.readings.len() > 1;
                    let mut chats = Vec::new();
                    for (number, reading) in (1..).zip(document.readings) {
                        chats.push(match reading {
                            Ok(reading) => {
                                let place = if several { format!("{number}") } else { String::new() };
                                let mut chat = chat(&input, &place, Some(format), &notes, reading);
                                chat.warnings = std::mem::take(&mut warnings);
                                Ok(chat)
                            }
                            Err(error) => Err(unread(&input, &error)),
                        });
                    }
                    chats
                }
                Err(error) => vec![Err(unread(&input, &error))],
            },
            Self::Failed { input, problem } => vec![Err(input.unread(problem))],
            Self::Litter { input } => {
                let unread = Unread::new(&input.input.name(), Problem::new("not a chat"));
                vec![Err(Unread { skipped: Some(Skipped::Litter), ..unread })]
            }
        }
    }
}

/// What stands around a title at the end of an origin.
const TITLE_OPENS: &str = ", “";
const TITLE_CLOSES: &str = "”";

/// The title of a conversation, where its origin names one.
pub(crate) fn title_in(origin: &str) -> Option<&str> {
    let (_, title) = origin.strip_suffix(TITLE_CLOSES)?.split_once(TITLE_OPENS)?;
    Some(title)
}

fn chat(named: &Arc<Named>, place: &str, format: Option<formats::Format>, notes: &[String], reading: Reading) -> Chat {
    let join = |name: String, place: &str| if place.is_empty() { name } else { format!("{name}, {place}") };
    let origin = join(named.input.name(), &reading.at);
    let title = reading.title.as_deref().map(|title| excerpt(title, TITLE));
    let origin = title.map_or(origin.clone(), |title| format!("{origin}{TITLE_OPENS}{title}{TITLE_CLOSES}"));
    let number = place.strip_prefix("line ").unwrap_or(place);
    let fallback_id = if number.is_empty() { named.id.clone() } else { format!("{}:{number}", named.id) };
    let source = Arc::clone(named);
    Chat { source, origin, fallback_id, format, file_notes: notes.to_vec(), warnings: Vec::new(), reading }
}

fn unread(named: &Named, error: &ReadError) -> Unread {
    Unread { labels: error.labels().to_vec(), ..named.unread(error.problem()) }
}

/// All inputs, a batch at a time.
pub struct Batches {
    inputs: VecDeque<Named>,
    streaming: Option<(Arc<Named>, Lines)>,
    largest: usize,
}

impl Batches {
    /// Expands what the user typed; `max_size` is in MiB.
    pub fn new(typed: &[String], max_size: u64) -> Result<Self> {
        Self::outside(typed, max_size, &[])
    }

    /// The same, but for files that lie in one of these folders.
    pub fn outside(typed: &[String], max_size: u64, folders: &[&Path]) -> Result<Self> {
        let largest = usize::try_from(max_size.saturating_mul(1 << 20)).unwrap_or(usize::MAX >> 1);
        let mut inputs = paths::expand(typed)?;
        inputs.retain(|input| !folders.iter().any(|folder| input.is_found_in(folder)));
        let inputs = named(inputs);
        Ok(Self { inputs, streaming: None, largest: largest.min(usize::MAX >> 1) })
    }

    /// The same, leaving out what cannot be read where that is asked for.
    #[must_use]
    pub fn skipping_unreadable(mut self, is_asked: bool) -> Self {
        self.inputs.iter_mut().for_each(|input| input.skips_unreadable = is_asked);
        self
    }

    /// Whether this file is among those still to be read.
    pub fn reads(&self, file: &Path) -> bool {
        file.exists() && self.inputs.iter().any(|named| named.input.is(file))
    }

    /// The chats of the next batch, in input order; none when all inputs are read.
    pub fn read_next(&mut self, options: &ReadOptions) -> Option<Vec<Result<Chat, Unread>>> {
        let mut work = Vec::new();
        let mut bytes = 0;
        while bytes < BATCH_BYTES {
            if self.streaming.is_some() {
                bytes += self.go_on(BATCH_BYTES - bytes, &mut work);
                continue;
            }
            let Some(input) = self.inputs.pop_front().map(Arc::new) else { break };
            match self.begin(&input, &mut work) {
                Ok(size) => bytes += size,
                Err(error) => work.push(Work::Failed { input, problem: problem(&error) }),
            }
            // Even an empty file costs something; this keeps a folder of them from becoming one endless batch.
            bytes += 1024;
        }
        if work.len() > 1 {
            let read: Vec<Vec<_>> = work.into_par_iter().map(|work| work.read(options)).collect();
            return Some(read.into_iter().flatten().collect());
        }
        // One piece needs no other threads, which a process that was forked may not have.
        work.pop().map(|work| work.read(options))
    }

    /// Reads on in the file that is read line by line; the number of bytes that were taken in.
    fn go_on(&mut self, size: usize, work: &mut Vec<Work>) -> usize {
        let Some((input, lines)) = &mut self.streaming else { return 0 };
        let mut batch = Vec::new();
        let failure = lines.batch(size, &mut batch).err();
        let at_end = batch.is_empty();
        let mut taken = 0;
        for Line { number, bytes } in batch {
            let input = Arc::clone(input);
            let Some(bytes) = bytes else {
                let or = "check that the file has line breaks".to_owned();
                let what = format!("line {number}: longer than {} MiB", self.largest >> 20);
                work.push(Work::Failed { input, problem: Problem::new(what).with(Remedy::RaiseMaxSize { or }) });
                continue;
            };
            taken += bytes.len();
            work.push(Work::Line { input, number, bytes });
        }
        if let Some(error) = &failure {
            let problem = Problem::new(format!("cannot be read on: {error}"));
            work.push(Work::Failed { input: Arc::clone(input), problem });
        }
        if at_end || failure.is_some() {
            self.streaming = None;
        }
        taken
    }

    /// Reads a file whole, or starts reading it line by line; the number of bytes that were taken in.
    fn begin(&mut self, input: &Arc<Named>, work: &mut Vec<Work>) -> Result<usize> {
        let mut source = input.input.open()?;
        let mut bytes = Vec::with_capacity(PEEK);
        source.by_ref().take(PEEK as u64).read_to_end(&mut bytes)?;
        if let Input::Found(path) = &input.input
            && is_litter(path, &bytes)
        {
            work.push(Work::Litter { input: Arc::clone(input) });
            return Ok(0);
        }
        if formats::looks_like_jsonl(&bytes) {
            let whole = Cursor::new(bytes).chain(source);
            self.streaming = Some((Arc::clone(input), Lines::new(Box::new(whole), self.largest)));
            return Ok(0);
        }
        source.take(self.largest as u64 + 1).read_to_end(&mut bytes)?;
        let size = bytes.len();
        if size > self.largest {
            let what = format!("larger than {} MiB", self.largest >> 20);
            let or = "split it into a chat a line".to_owned();
            anyhow::bail!(Problem::new(what).with(Remedy::RaiseMaxSize { or }));
        }
        work.push(Work::Whole { input: Arc::clone(input), bytes });
        Ok(size)
    }
}

/// The chats in bytes that came with a request: in any format, and without a look at any file.
pub fn read_bytes(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Vec<Result<Chat, Unread>> {
    read_files(vec![(name.to_owned(), bytes)], options)
}

/// The same of several files, each with its name.
pub fn read_files(files: Vec<(String, Vec<u8>)>, options: &ReadOptions) -> Vec<Result<Chat, Unread>> {
    let largest = files.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or_default();
    let inputs = files.into_iter().map(|(name, bytes)| Input::Given { name, bytes: bytes.into() }).collect();
    let mut batches = Batches { inputs: named(inputs), streaming: None, largest };
    let mut chats = Vec::new();
    while let Some(batch) = batches.read_next(options) {
        chats.extend(batch);
    }
    chats
}

/// Files go by their name; where two have the same name, by their path.
fn named(inputs: Vec<Input>) -> VecDeque<Named> {
    let mut count: HashMap<String, usize> = HashMap::new();
    for input in &inputs {
        *count.entry(input.stem()).or_default() += 1;
    }
    let name = |input: &Input| if count[&input.stem()] > 1 { input.name() } else { input.stem() };
    inputs.into_iter().map(|input| Named { id: name(&input), input, skips_unreadable: false }).collect()
}
