//! Redaction of what could identify a person.
