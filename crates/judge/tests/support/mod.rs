//! What the tests of this crate share.

pub mod fault_server;
