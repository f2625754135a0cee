//! Providers and models, as data.

mod address;
mod build;
mod cost;
mod date;
mod file;
mod listing;
mod model;
mod spec;
mod table;

pub use address::{AddressError, check as checked_address};
pub use cost::{BatchFactor, Cost, LongPrice, NotAnAmount, Price, Rate};
pub use date::{Date, NotADate};
pub(crate) use date::{http_date, rfc3339};
pub use listing::{KeyState, Listing};
pub use model::{Auth, BatchTerms, KeyNeed, MaxTokensField, ModelInfo, ProviderInfo, StructuredOutput, Thinking, Wire};
pub use spec::{JudgeSpec, Resolved, Terms};
pub use table::{PROVIDERS_SCHEMA, PROVIDERS_TOML, Table};
