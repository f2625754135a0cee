//! Runs in a database: opening it, what a run was set up with, and reports made again from what is stored.

mod config;
mod database;
mod file_or_run;
mod judges;
mod naming;
mod overview;
mod person;
mod probe;
mod reading;
mod report;

pub use crate::timestamp::{moment, moment_for_people};
pub use config::{DatasetConfig, StoredConfig, Thresholds};
pub use database::{Database, location, now};
pub use file_or_run::{is_absence, is_file};
pub use judges::{from_records, judges_for_people};
pub use naming::{chat_name, own_name, shell_word};
pub use overview::{Overview, mean_for_people, runs_json};
pub use person::{answers_of_person, finished_by, report_of_person};
pub use probe::{ProbeConfig, ProbeNotes, probe_of};
pub use reading::{OpenRun, StoredReport, of_chat, trace_of};
pub use report::{Scoring, report_of, results_of, source_of};
