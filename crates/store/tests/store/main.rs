//! The database of runs on real SQLite files, and on a real PostgreSQL where `CARELOCK_TEST_POSTGRES` names one.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod answers;
mod batches;
mod claims;
mod damage;
mod deletion;
mod harness;
mod leases;
mod lists;
mod migrations;
mod opening;
mod people;
mod probes;
mod runs;
#[cfg(feature = "postgres")]
mod server;
mod size;
