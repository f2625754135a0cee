//! Names of places in a page that links can point at.

use carelock_core::report::Report;

/// The anchors of one report; those of several reports on one page differ in their prefix.
pub(crate) struct Anchors {
    prefix: String,
    metrics: Vec<String>,
    checks: Vec<String>,
}

impl Anchors {
    pub(crate) fn new(report: &Report, number: usize) -> Self {
        let prefix = if number == 1 { String::new() } else { format!("r{number}-") };
        let metrics = unique("m", report.metrics.keys().map(AsRef::as_ref));
        let checks = unique("c", report.checks().map(|(_, id, _)| id));
        Self { prefix, metrics, checks }
    }

    /// A part of the report, such as its chat.
    pub(crate) fn part(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The metric at this position of the report.
    pub(crate) fn metric(&self, position: usize) -> String {
        self.part(&self.metrics[position])
    }

    /// The check at this position of the report.
    pub(crate) fn check(&self, position: usize) -> String {
        self.part(&self.checks[position])
    }

    pub(crate) fn turn(&self, idx: u32) -> String {
        self.part(&format!("t{idx}"))
    }

    /// A piece of evidence where it stands in the chat.
    pub(crate) fn quote(&self, number: usize) -> String {
        self.part(&format!("q{number}"))
    }

    /// What is noted of a piece of evidence in the margin.
    pub(crate) fn note(&self, number: usize) -> String {
        self.part(&format!("n{number}"))
    }

    pub(crate) fn moment(&self, position: usize) -> String {
        self.part(&format!("moment{}", position + 1))
    }

    pub(crate) fn gate(&self, position: usize) -> String {
        self.part(&format!("gate{}", position + 1))
    }
}

/// Readable names where the identifiers allow it; a report read from a file may call its checks anything.
fn unique<'a>(kind: &str, ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (position, id) in ids.enumerate() {
        let plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let readable = Some(format!("{kind}-{id}")).filter(|name| plain && !names.contains(name));
        names.push(readable.unwrap_or_else(|| format!("{kind}{}", position + 1)));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_that_are_strange_or_repeated_are_numbered() {
        let names = unique("c", ["E1", "E1", "a\" onclick=", "", "2"].into_iter());
        assert_eq!(names, ["c-E1", "c2", "c3", "c4", "c-2"]);
    }
}
