//! Which of the JSON formats a value is in.
