//! The scores of a run for the tool that traced its chats: as lines in a file, or sent to an address.

mod langfuse;
mod otlp;
mod phoenix;
mod scored;
mod send;

use std::io::Write as _;

use anyhow::Result;
use carelock_core::rubric::Rubric;
use carelock_store::{Filter, Run};
use serde_json::Value;

use super::{ExportFormat, Output};
use crate::runs::{Database, OpenRun, StoredReport};
pub use send::ScoreSender;

/// Whose scores are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreFormat {
    /// `gen_ai.evaluation.result` events of OpenTelemetry, as log records in OTLP's JSON.
    Otlp,
    /// Scores of Langfuse.
    Langfuse,
    /// Annotations of Phoenix.
    Phoenix,
}

impl ScoreFormat {
    /// The format of scores that an export asks for, where it does.
    #[must_use]
    pub fn of_export(format: ExportFormat) -> Option<Self> {
        match format {
            ExportFormat::Otlp => Some(Self::Otlp),
            ExportFormat::Langfuse => Some(Self::Langfuse),
            ExportFormat::Phoenix => Some(Self::Phoenix),
            _ => None,
        }
    }
}

/// What came of writing scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Chats that the filter let through.
    pub chats: u64,
    /// Those that came from no trace: a format that hangs scores on traces has nowhere to put theirs.
    pub untraced: u64,
    /// Scores that are missing and that the format cannot mark.
    pub unscored: u64,
    /// Scores written.
    pub scores: u64,
}

/// Where scores go.
pub enum ScoreTarget {
    /// A file or standard output, a record a line.
    File(Output),
    /// A server.
    Server(Box<ScoreSender>),
}

/// The records of one chat, and how many of its scores they leave out.
struct Records {
    records: Vec<Value>,
    scores: u64,
    unscored: u64,
}

/// Writes the scores of the chats that a filter lets through.
pub fn write_scores(
    database: &Database,
    open: &OpenRun,
    format: ScoreFormat,
    filter: Filter,
    mut target: ScoreTarget,
) -> Result<Delivered> {
    let mut delivered = Delivered::default();
    let mut take = |stored: &StoredReport| -> Result<()> {
        delivered.chats += 1;
        let Some(Records { records, scores, unscored }) = records(format, &open.run, &open.scoring.rubric, stored)
        else {
            delivered.untraced += 1;
            return Ok(());
        };
        delivered.scores += scores;
        delivered.unscored += unscored;
        match &mut target {
            ScoreTarget::File(output) => {
                for record in records {
                    serde_json::to_writer(&mut *output, &record)?;
                    output.write_all(b"\n")?;
                }
            }
            ScoreTarget::Server(sender) => sender.send(database, records)?,
        }
        Ok(())
    };
    open.each(database, filter, |stored| take(&stored))?;
    if let ScoreTarget::File(output) = target {
        output.finish()?;
    }
    Ok(delivered)
}

/// The records of a chat; none where it came from no trace and the format needs one.
fn records(format: ScoreFormat, run: &Run, rubric: &Rubric, stored: &StoredReport) -> Option<Records> {
    let scores = scored::scores(&stored.report, rubric);
    match format {
        ScoreFormat::Otlp => Some(otlp::records(run, stored, &scores)),
        ScoreFormat::Langfuse => langfuse::records(run, stored, &scores),
        ScoreFormat::Phoenix => phoenix::records(run, stored, &scores),
    }
}

/// What tells the same score of the same chat and run when it is sent again.
fn identity(run: &Run, stored: &StoredReport, score: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [run.name.as_str(), stored.listed.name.as_str(), score] {
        // The length keeps "ab"+"c" apart from "a"+"bc".
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("carelock-{}", &hasher.finalize().to_hex()[..32])
}
