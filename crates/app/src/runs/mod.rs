//! Runs in a database: opening it, what a run was set up with, and reports made again from what is stored.

mod config;
mod database;
mod naming;
mod report;

pub(crate) use config::{DatasetConfig, JudgingConfig, ReadingConfig, StoredConfig, Thresholds};
pub(crate) use database::{Database, now};
pub(crate) use naming::{chat_name, own_name};
pub(crate) use report::{Scoring, report_of, results_of, source_of};
