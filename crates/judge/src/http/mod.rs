//! The HTTP client: the only place with IO.
