//! Every output format on the same reports.

mod fixtures;
mod text;
