//! The HTTP client: the only place that uses the network.
//!
//! A [`Client`] makes one call and says how it ended. A [`Lane`] holds what is shared by all calls to one judge: its key,
//! how many calls run at once, how many requests and tokens a minute take, and a breaker. A [`Caller`] brings both
//! together and tries again where that can help. [`Functions`] answer in place of a server. Time is tokio's, so tests can run on a paused clock.

mod breaker;
mod caller;
mod client;
mod error;
mod function;
mod lane;
mod pace;
mod passing;
mod request;
mod secret;

pub use breaker::BreakerOptions;
pub use caller::{Answer, CallStats, Caller, Jitter, RetryPolicy};
pub use client::{Client, ClientOptions, Transport};
pub use error::TransportError;
pub use function::{FUNCTION_TABLE, FunctionQuestion, Functions};
pub use lane::{Lane, LaneOptions};
pub use pace::Limits;
pub use passing::UpstreamResponse;
pub use request::{HttpRequest, Line, LineReader};
pub use reqwest::Method;
pub use secret::{Auth, Secret};
pub use tokio_util::sync::CancellationToken;
