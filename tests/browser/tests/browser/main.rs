//! The web app in a real browser (`app`), and the checks of the harness themselves (`harness`).

mod app;
mod harness;
