//! Runs in a database: opening it, what a run was set up with, and reports made again from what is stored.

mod config;
mod database;
mod file_or_run;
mod judges;
mod moment;
mod naming;
mod overview;
mod person;
mod reading;
mod report;

pub(crate) use config::{DatasetConfig, JudgingConfig, ReadingConfig, StoredConfig, Thresholds};
pub(crate) use database::{Database, location, now};
pub(crate) use file_or_run::{is_absence, is_file};
pub(crate) use judges::{from_records, judges_for_people};
pub(crate) use moment::{moment, moment_for_people};
pub(crate) use naming::{chat_name, own_name, shell_word};
pub(crate) use overview::{Overview, mean_for_people};
pub(crate) use person::{answers_of_person, finished_by, report_of_person};
pub(crate) use reading::{OpenRun, Told, of_chat};
pub(crate) use report::{Scoring, report_of, results_of, source_of};
