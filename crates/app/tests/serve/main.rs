//! The web app from the outside: the real program, asked over plain HTTP.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod rate;
mod visitor;
