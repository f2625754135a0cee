//! Tests of verification: honest reports hold, tampered ones do not.

mod earlier;
mod honest;
mod mutated;
mod mutations;
mod property;
mod samples;
mod tampered;
