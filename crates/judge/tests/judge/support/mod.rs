//! What the tests of this crate share.
#![allow(dead_code, reason = "no test binary uses all of it")]

pub(crate) mod fault_server;
