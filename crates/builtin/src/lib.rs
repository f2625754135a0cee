//! The embedded judge: reads a chat offline and answers every check of the rubric with evidence.

pub mod text;
