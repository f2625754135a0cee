//! The lock: verdicts kept under a content-addressed key.
