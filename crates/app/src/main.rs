//! The `carelock` command.

fn main() {}
