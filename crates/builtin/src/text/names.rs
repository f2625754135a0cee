//! The first names that are hidden from the judge, and that the rules about names look for.

use std::collections::HashSet;
use std::sync::OnceLock;

/// The names of the embedded list, lower-cased.
pub(crate) fn first_names() -> &'static HashSet<&'static str> {
    static NAMES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let lines = include_str!("../../data/names.txt").lines();
        lines.filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
    })
}
