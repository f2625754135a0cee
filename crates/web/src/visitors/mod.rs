//! What is known of browsers before they are asked who they are: the names they may use, their sessions, wrong tokens.

pub(crate) mod attempts;
pub(crate) mod host;
pub(crate) mod secret;
pub(crate) mod sessions;
