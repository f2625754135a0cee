//! Chats: read from files, text and JSON.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use carelock::{Chats, ReadingOptions, Speaker};
use pyo3::prelude::*;

use crate::error::exception;
use crate::waiting::in_own_pool;

/// How chats are read, as keyword arguments give it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    human: Vec<String>,
    ai: Vec<String>,
    other: Vec<String>,
    ignore_speaker: Vec<String>,
    not_a_speaker: Vec<String>,
    format: Option<String>,
    max_size: Option<u64>,
}

impl From<Reading> for ReadingOptions {
    fn from(reading: Reading) -> Self {
        Self {
            human: reading.human,
            ai: reading.ai,
            other: reading.other,
            ignore_speaker: reading.ignore_speaker,
            not_a_speaker: reading.not_a_speaker,
            skip_unreadable: false,
            from: reading.format,
            max_size: reading.max_size,
        }
    }
}

/// A chat that was read.
#[pyclass(frozen, module = "carelock._native")]
pub(crate) struct Chat(pub(crate) carelock::Chat);

#[pymethods]
impl Chat {
    #[getter]
    fn id(&self) -> &str {
        self.0.transcript().id()
    }

    #[getter]
    fn origin(&self) -> &str {
        self.0.origin()
    }

    #[getter]
    fn digest(&self) -> String {
        self.0.transcript().digest()
    }

    /// What was left out, counted.
    fn dropped(&self) -> Vec<(&str, usize)> {
        self.0.dropped().iter().map(|(what, count)| (what.as_str(), *count)).collect()
    }

    /// Number, speaker and text of every turn.
    fn turns(&self) -> Vec<(u32, &'static str, &str)> {
        let turns = self.0.transcript().turns().iter();
        turns.map(|turn| (turn.idx, speaker(turn.speaker), turn.text.as_str())).collect()
    }

    /// The same chat under another id.
    fn with_id(&self, id: String) -> PyResult<Self> {
        self.0.clone().with_id(id).map(Self).map_err(|error| exception(&error))
    }
}

/// Who said a turn, as Python has it.
pub(crate) fn speaker(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Human => "HUMAN",
        Speaker::Ai => "AI",
    }
}

/// All chats in bytes of any format; those that cannot be read are exceptions in the list.
#[pyfunction]
pub(crate) fn parse(py: Python<'_>, name: &str, bytes: Vec<u8>, reading: Reading) -> PyResult<Vec<Py<PyAny>>> {
    let options = ReadingOptions::from(reading);
    let chats = py.detach(|| in_own_pool(1, || carelock::Chat::parse(name, bytes, &options)))?;
    chats.map_err(|error| exception(&error))?.into_iter().map(|chat| object(py, chat)).collect()
}

/// The one chat in a JSON object.
#[pyfunction]
pub(crate) fn from_json(py: Python<'_>, name: &str, json: &[u8], reading: Reading) -> PyResult<Chat> {
    let options = ReadingOptions::from(reading);
    let chat = py.detach(|| carelock::Chat::from_json(name, json, &options));
    chat.map(Chat).map_err(|error| exception(&error))
}

/// The chats in files, a little at a time; those that cannot be read come as exceptions.
#[pyclass(frozen, module = "carelock._native")]
pub(crate) struct ChatReader {
    chats: Mutex<Chats>,
    threads: usize,
}

#[pymethods]
impl ChatReader {
    #[new]
    fn new(paths: Vec<PathBuf>, reading: Reading, threads: usize) -> PyResult<Self> {
        let chats = Chats::open(paths, &reading.into()).map_err(|error| exception(&error))?;
        Ok(Self { chats: Mutex::new(chats), threads })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let next = py.detach(|| {
            let mut guard = self.chats.lock().unwrap_or_else(PoisonError::into_inner);
            let chats = &mut *guard;
            if chats.has_ready() { Ok(chats.next()) } else { in_own_pool(self.threads, || chats.next()) }
        })?;
        next.map(|chat| object(py, chat)).transpose()
    }
}

/// A chat, or the exception that says why there is none.
fn object(py: Python<'_>, chat: Result<carelock::Chat, carelock::Error>) -> PyResult<Py<PyAny>> {
    match chat {
        Ok(chat) => Ok(Py::new(py, Chat(chat))?.into_any()),
        Err(error) => Ok(exception(&error).into_value(py).into_any()),
    }
}
