//! The harness itself: every check is seen to pass on a good page and to fail on one with a planted fault.

mod checks;
mod conditions;
mod pages;
mod programs;
