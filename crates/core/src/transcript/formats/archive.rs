//! Data exports inside a zip archive.
