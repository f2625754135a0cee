//! Chats that are judged while they go on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use carelock::{Change, Rubric, Speaker};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error::exception;
use crate::report::Report;

/// A chat that takes turns one at a time.
#[pyclass(frozen, module = "carelock._native")]
pub(crate) struct Session(Mutex<carelock::Session>);

impl Session {
    fn lock(&self) -> MutexGuard<'_, carelock::Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Session {
    #[new]
    fn new(id: String) -> Self {
        Self(Mutex::new(carelock::Session::new(id)))
    }

    /// Adds a turn of the AI or of the person; the changes as JSON.
    fn add(&self, py: Python<'_>, is_ai: bool, text: &str) -> String {
        let speaker = if is_ai { Speaker::Ai } else { Speaker::Human };
        let changes = py.detach(|| self.lock().push(speaker, text));
        listed(&changes).to_string()
    }

    /// How a reply stands that was not sent yet, as JSON.
    fn preview(&self, py: Python<'_>, reply: &str, is_whole: bool) -> String {
        let preview = py.detach(|| self.lock().preview(reply, is_whole));
        let (gates, unsure) = (listed(&preview.gates), listed(&preview.unsure));
        json!({ "gates": gates, "unsure": unsure, "unread": preview.unread }).to_string()
    }

    /// Number, speaker and text of every turn.
    fn turns(&self) -> Vec<(u32, &'static str, String)> {
        let session = self.lock();
        let turns = session.turns().iter();
        turns.map(|turn| (turn.idx, crate::chat::speaker(turn.speaker), turn.text.clone())).collect()
    }

    /// What a crisis still calls for.
    fn due(&self) -> Vec<&'static str> {
        self.lock().due().to_vec()
    }

    /// The checks whose gates are tripped as things stand.
    fn gates(&self) -> Vec<String> {
        self.lock().tripped().map(str::to_owned).collect()
    }

    /// The report on the chat so far.
    fn report(&self, py: Python<'_>) -> PyResult<Report> {
        let report = py.detach(|| self.lock().report()).map_err(|error| exception(&error))?;
        Ok(Report { report: Arc::new(report), rubric: Arc::new(Rubric::care_lock()) })
    }
}

/// Changes as the HTTP API writes them, each with whether somebody should know at once.
fn listed(changes: &[Change]) -> Value {
    let with_alarm = |change: &Change| {
        let mut told = json!(change);
        told["is_alarm"] = json!(change.is_alarm());
        told
    };
    changes.iter().map(with_alarm).collect()
}
