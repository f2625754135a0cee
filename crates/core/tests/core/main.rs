//! The framework's sentences, one test each, and properties of scoring.

mod confidence;
mod framework;
mod properties;
mod support;
