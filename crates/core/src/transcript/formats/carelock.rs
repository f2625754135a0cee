//! Care-Lock's own turns.
