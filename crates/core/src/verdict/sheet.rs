//! Rating sheets.
