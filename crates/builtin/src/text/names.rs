//! Lists of words of one kind: first names, which are hidden from the judge, and medicines, which are all alike to it.

use std::collections::HashSet;
use std::sync::OnceLock;

/// The names of the embedded list, lower-cased.
pub(crate) fn first_names() -> &'static HashSet<&'static str> {
    static NAMES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| words_of(include_str!("../../data/names.txt")))
}

/// The medicines of the embedded list, lower-cased.
pub(crate) fn medicines() -> &'static HashSet<&'static str> {
    static MEDICINES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    MEDICINES.get_or_init(|| words_of(include_str!("../../data/medicines.txt")))
}

fn words_of(list: &'static str) -> HashSet<&'static str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
}
