//! The personas that come with the program, and the check of simulated users on recorded chats.

mod personas;
mod scripts;
mod simulators;
