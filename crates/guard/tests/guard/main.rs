//! The guard from the outside: what passes, what is held back, and what no fault may do.

mod doors;
mod faults;
mod holding;
mod support;
