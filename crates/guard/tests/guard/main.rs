//! The guard from the outside: what passes, what is held back, and what no fault may do.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod behind;
mod doors;
mod faults;
mod holding;
mod support;
