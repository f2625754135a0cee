//! The embedded judge: languages, changes that must not matter, properties.

mod language;
mod metamorphic;
mod properties;
mod support;
