//! What stands before every page: the right host, the right origin, who is asking, and how long it may take.

pub(crate) mod access;
pub(crate) mod compression;
pub(crate) mod cross_site;
pub(crate) mod framing;
pub(crate) mod headers;
pub(crate) mod request_head;
pub(crate) mod watch;
