//! What the tests of all crates share: programs and servers that are started for a test, clients and scripted models.
//!
//! Everything fails by a panic that says what was waited for; nothing waits without a limit.

mod client;
mod disk;
#[cfg(feature = "faults")]
pub mod fault_server;
mod gate;
mod left_out;
#[cfg(feature = "model")]
pub mod model;
mod outcome;
mod place;
#[cfg(feature = "postgres")]
pub mod postgres;
mod running;
mod server;
mod stub_server;
mod visitor;
mod wait;

pub use client::{Reply, connect, request, send};
pub use disk::Disk;
pub use gate::Gate;
pub use left_out::leave_out;
pub use outcome::{Outcome, without_digests};
pub use place::{EXAMPLES, Place, binary, example, examples, repository};
pub use running::Running;
pub use server::{SECRET, Server};
pub use stub_server::{Request, StubServer};
pub use visitor::{Field, Visitor};
pub use wait::{LIMIT, wait_for, wait_until};
