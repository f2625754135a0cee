//! A real browser for the tests of the web app: sessions of headless Chromium, the app's own server, and checks of both.
//!
//! Everything stands behind the feature `browser`, which `tests/browser/run` turns on.

#[cfg(feature = "browser")]
mod axe;
#[cfg(feature = "browser")]
mod browser;
#[cfg(feature = "browser")]
mod driver;
#[cfg(feature = "browser")]
pub mod pictures;
#[cfg(feature = "browser")]
mod server;

#[cfg(feature = "browser")]
pub use axe::Violation;
#[cfg(feature = "browser")]
pub use browser::{Browser, Problem, Scheme, Size};
#[cfg(feature = "browser")]
pub use carelock_test_support::Server;
#[cfg(feature = "browser")]
pub use server::{Database, serve, serve_with, tell_chat};
#[cfg(feature = "browser")]
pub use thirtyfour;
