//! Every output format on the same reports.

mod csv;
mod fixtures;
mod junit;
mod markdown;
mod schema;
mod text;
