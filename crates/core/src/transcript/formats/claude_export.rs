//! Claude's data export.
