//! Rating by hand without the web around it: drafts, what is wrong with them, queues, and agreement afterwards.

pub(crate) mod comparison;
pub(crate) mod complaint;
pub(crate) mod draft;
pub(crate) mod order;
