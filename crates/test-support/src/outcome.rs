//! How a program ended, and all it said.

use std::fmt;

use serde_json::Value;

/// How a program ended, and all it said; shown as one text, without digests.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code.
    pub code: i32,
    /// All of standard output.
    pub stdout: String,
    /// All of standard error.
    pub stderr: String,
}

impl Outcome {
    /// The same, of a command that must have ended with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// What was printed, of a command that did what it was asked and had nothing to add.
    #[track_caller]
    pub fn done(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// What was said of a command line or an input that is wrong, with nothing printed besides.
    #[track_caller]
    pub fn refused(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        self.stderr
    }

    /// The JSON that was printed.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit {}", self.code)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "--- {name}\n{}", without_digests(text).replace('\\', "/"))?;
            }
        }
        Ok(())
    }
}

/// Digests change with every word of the rubric; what is said around them does not.
pub fn without_digests(text: &str) -> String {
    const SHORTEST: usize = 12;
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !matches!(letter, '0'..='9' | 'a'..='f')).unwrap_or(rest.len());
        // A long number is no digest.
        let is_digest = end >= SHORTEST && rest[..end].contains(|letter: char| letter.is_ascii_alphabetic());
        plain.push_str(if is_digest { "<digest>" } else { &rest[..end] });
        let next = rest[end..].chars().next().map_or(0, char::len_utf8);
        plain.push_str(&rest[end..end + next]);
        rest = &rest[end + next..];
    }
    plain
}
