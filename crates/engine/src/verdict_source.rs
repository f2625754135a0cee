//! Where a judge's answers come from: sheets, recorded answers, JSONL files, folders.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::verdict::{Submission, read_sheet};
use carelock_judge::prompt::{AnswerError, read_answer};

use crate::input::{NO_NAME, read_text, text_name};

/// One judge's answers on any number of chats.
pub struct VerdictSource(Answers);

/// Where the answers are.
enum Answers {
    /// A single answer that does not say which chat it is about.
    Single { name: String, submission: Box<Submission> },
    /// Answers by chat id.
    ById { name: String, submissions: HashMap<String, Submission> },
    /// A large file of answers, a line each; only the places of the lines are held.
    Lines { name: String, file: Mutex<File>, places: HashMap<String, (u64, usize, usize)> },
    /// A folder with a file a chat.
    Folder(PathBuf),
}

/// A file of this size or more is looked up line by line instead of being held.
const LARGE: u64 = 8 << 20;

impl VerdictSource {
    /// Opens a file or a folder of answers.
    pub fn open(rubric: &Rubric, path: &str) -> Result<Self> {
        if Path::new(path).is_dir() {
            return Ok(Self(Answers::Folder(PathBuf::from(path))));
        }
        let is_lines = Path::new(path).extension().is_some_and(|ending| ending == "jsonl" || ending == "ndjson");
        if is_lines && std::fs::metadata(path).is_ok_and(|meta| meta.len() >= LARGE) {
            return index(path);
        }
        let text = read_text(path)?;
        let name = text_name(path);
        Self::from_submissions(name, parse(rubric, name, &text)?)
    }

    fn from_submissions(path: &str, mut found: Vec<Submission>) -> Result<Self> {
        if found.len() == 1
            && let Some(submission) = found.pop()
        {
            return Ok(Self(Answers::Single { name: path.to_owned(), submission: Box::new(submission) }));
        }
        let mut submissions = HashMap::new();
        for (number, submission) in (1..).zip(found) {
            let Some(id) = submission.transcript.as_ref().and_then(|about| about.id.clone()) else {
                bail!(
                    Problem::new(format!("{path}: answer {number} does not say which chat it is about"))
                        .advice("give every answer an \"id\"")
                );
            };
            if submissions.insert(id.clone(), submission).is_some() {
                bail!(Problem::new(format!("{path}: two answers are about the chat {id:?}")).advice("keep one"));
            }
        }
        Ok(Self(Answers::ById { name: path.to_owned(), submissions }))
    }

    /// The folder the answers lie in, which then holds no chats.
    pub fn folder(&self) -> Option<&Path> {
        match &self.0 {
            Answers::Folder(folder) => Some(folder),
            _ => None,
        }
    }

    /// The answers on one chat, with the file they stand in; `only` says whether it is the only chat there is.
    pub fn find(&self, rubric: &Rubric, id: &str, fallback_id: &str, only: bool) -> Result<(String, Submission)> {
        match &self.0 {
            Answers::Single { name, submission } => {
                is_about(name, submission, id, fallback_id, only)?;
                Ok((name.clone(), submission.as_ref().clone()))
            }
            Answers::ById { name, submissions } => {
                let found = submissions.get(id).cloned().ok_or_else(|| no_answer(name, id))?;
                Ok((name.clone(), found))
            }
            Answers::Lines { name, file, places } => {
                let &(offset, length, line) = places.get(id).ok_or_else(|| no_answer(name, id))?;
                let mut bytes = vec![0; length];
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut bytes));
                drop(file);
                read.with_context(|| format!("{name}: cannot be read"))?;
                let text = std::str::from_utf8(&bytes).with_context(|| format!("{name}, line {line}: not UTF-8"))?;
                Ok((format!("{name}, line {line}"), on_line(name, line, text)?))
            }
            Answers::Folder(folder) => in_folder(rubric, folder, id, fallback_id),
        }
    }
}

/// Refuses answers that are about another chat than the one they are to be used for.
fn is_about(name: &str, submission: &Submission, id: &str, fallback_id: &str, only: bool) -> Result<()> {
    let about = submission.transcript.as_ref();
    let about_id = about.and_then(|about| about.id.as_deref());
    if about_id == Some(id) {
        return Ok(());
    }
    if !only {
        bail!(
            Problem::new(format!("{name}: holds the answers on one chat, but several chats are given"))
                .advice("pass a folder of sheets named like the chats, or a file with an \"id\" in every answer")
        )
    }
    // Where a digest is given it decides, when the answers are taken in: a file may have been renamed since.
    let is_proven_later = about.is_some_and(|about| about.hash.is_some());
    match about_id {
        Some(other) if !is_proven_later && other != fallback_id && id != NO_NAME => bail!(
            Problem::new(format!("{name}: the answers are about the chat {other:?}, this is {id:?}"))
                .advice("pass the verdicts that belong to this chat, or correct the id in them")
        ),
        _ => Ok(()),
    }
}

/// The answers in the file of a folder that is named like the chat.
fn in_folder(rubric: &Rubric, folder: &Path, id: &str, fallback_id: &str) -> Result<(String, Submission)> {
    let path = Path::new(fallback_id);
    let part = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let names = [Some(id.to_owned()), part(path.file_name()), part(path.file_stem())];
    let candidates =
        names.iter().flatten().flat_map(|name| ["csv", "json"].map(|ending| folder.join(format!("{name}.{ending}"))));
    let Some(path) = candidates.into_iter().find(|path| is_inside(folder, path) && path.is_file()) else {
        return Err(no_answer(&folder.display().to_string(), id));
    };
    let path = path.display().to_string();
    let mut found = parse(rubric, &path, &read_text(&path)?)?;
    match found.pop().filter(|_| found.is_empty()) {
        Some(submission) => Ok((path, submission)),
        None => bail!(
            Problem::new(format!("{path}: holds several answers, expected one"))
                .advice(format!("keep the one on the chat {id:?}"))
        ),
    }
}

/// A chat's id is data: it must not lead out of the folder.
fn is_inside(folder: &Path, path: &Path) -> bool {
    path.parent() == Some(folder)
}

fn no_answer(name: &str, id: &str) -> anyhow::Error {
    anyhow!(
        Problem::new(format!("{name}: there are no verdicts on the chat {id:?}"))
            .advice("add them, or leave the chat out")
    )
}

fn parse(rubric: &Rubric, path: &str, text: &str) -> Result<Vec<Submission>> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.is_empty() {
        bail!(
            Problem::new(format!("{path}: the file is empty"))
                .advice("write a sheet with `carelock sheet` and fill it in")
        );
    }
    if is_from_a_chat_window(start) {
        return Ok(vec![copied(rubric, path, start)?]);
    }
    if !start.starts_with(['{', '[']) {
        return read_sheet(rubric, text).map_err(|error| error.within(path).into());
    }
    if start.starts_with('[') {
        let items: Vec<&serde_json::value::RawValue> =
            serde_json::from_str(start).with_context(|| format!("{path}: not JSON"))?;
        let read = |(number, item): (usize, &&serde_json::value::RawValue)| {
            let place = format!("{path}: answer {number}");
            Submission::from_json(item.get()).map_err(|error| error.within(&place).into())
        };
        return (1..).zip(&items).map(read).collect();
    }
    match Submission::from_json(start) {
        Ok(submission) => Ok(vec![submission]),
        // Several objects in a row are a JSONL file; any other mistake is reported as it is.
        Err(error) if is_jsonl(start) => {
            let lines = (1..).zip(start.lines()).filter(|(_, line)| !line.trim().is_empty());
            let read: Result<Vec<_>> = lines.map(|(number, line): (usize, &str)| on_line(path, number, line)).collect();
            read.map_err(|line_error| if start.lines().count() > 1 { line_error } else { error.within(path).into() })
        }
        Err(error) => Err(error.within(path).into()),
    }
}

/// Whether it is what a model wrote in a chat window: JSON in a code fence, or with words before it.
fn is_from_a_chat_window(start: &str) -> bool {
    !start.starts_with(['{', '[']) && (start.starts_with("```") || start.contains("\"verdicts\":"))
}

/// What a model wrote in a chat window; where parts of it are missing or too long, the rest counts.
fn copied(rubric: &Rubric, path: &str, text: &str) -> Result<Submission> {
    let checks: Vec<&str> = rubric.checks().map(|check| check.id.as_str()).collect();
    let read = match read_answer(text, rubric, &checks) {
        Err(AnswerError::SummaryTooLong { answer, .. }) => Ok(*answer),
        Err(AnswerError::Checks(mut problems)) => match problems.answer.take() {
            Some(answer) => Ok(*answer),
            None => Err(AnswerError::Checks(problems)),
        },
        read => read,
    };
    read.map(|read| read.submission).map_err(|error| {
        let problem = Problem::new(error.to_string()).within(path);
        problem.advice("copy the whole answer, or ask the model again").into()
    })
}

/// Reads the answer on one line of a file; errors count the lines of the file.
fn on_line(path: &str, number: usize, line: &str) -> Result<Submission> {
    Submission::from_json(line).map_err(|error| {
        if !error.at.contains("line 1,") {
            return error.within(&format!("{path}, line {number}")).into();
        }
        let at = error.at.replacen("line 1,", &format!("line {number},"), 1);
        Problem { at, ..error }.within(path).into()
    })
}

fn is_jsonl(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let whole = |line: &str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
    lines.next().is_some_and(whole) && lines.next().is_some()
}

/// Notes where each chat's answers lie in a file too large to hold.
fn index(path: &str) -> Result<VerdictSource> {
    #[derive(serde::Deserialize)]
    struct Named {
        id: Option<serde_json::Value>,
        transcript: Option<Inner>,
    }
    #[derive(serde::Deserialize)]
    struct Inner {
        id: Option<serde_json::Value>,
    }
    // Text or a number, as in the small files that are read whole.
    let text = |id: serde_json::Value| match id {
        serde_json::Value::String(id) => Some(id),
        serde_json::Value::Number(id) => Some(id.to_string()),
        _ => None,
    };
    let file = File::open(path).with_context(|| format!("{path}: cannot be opened"))?;
    let mut reader = BufReader::with_capacity(1 << 18, &file);
    let mut places = HashMap::new();
    let mut line = Vec::new();
    let (mut offset, mut number) = (0_u64, 0);
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).with_context(|| format!("{path}: cannot be read"))?;
        if read == 0 {
            break;
        }
        number += 1;
        if !line.iter().all(u8::is_ascii_whitespace) {
            let named: Named = serde_json::from_slice(&line).with_context(|| format!("{path}, line {number}"))?;
            let Some(id) = named.transcript.and_then(|inner| inner.id).or(named.id).and_then(text) else {
                bail!(
                    Problem::new(format!("{path}, line {number}: does not say which chat it is about"))
                        .advice("give every answer an \"id\"")
                );
            };
            if places.insert(id.clone(), (offset, line.len(), number)).is_some() {
                bail!(
                    Problem::new(format!("{path}, line {number}: a second answer about the chat {id:?}"))
                        .advice("keep one")
                );
            }
        }
        offset += read as u64;
    }
    drop(reader);
    Ok(VerdictSource(Answers::Lines { name: path.to_owned(), file: Mutex::new(file), places }))
}
