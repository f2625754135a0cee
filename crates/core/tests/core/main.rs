//! The framework's sentences, one test each, and properties of scoring.

mod confidence;
mod evidence;
mod framework;
mod properties;
mod support;
