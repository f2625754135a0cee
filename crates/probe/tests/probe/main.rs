//! The personas that come with the program, and the check of simulated users on recorded chats.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod personas;
mod scripts;
mod simulators;
