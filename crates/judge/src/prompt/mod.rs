//! The prompt and the reading of answers.
