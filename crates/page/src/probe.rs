//! What a probe showed: gates first, then the chats to look at, then how the bot did with whom and by which checks.

use askama::Template;

use crate::page::PageError;

/// Everything a page says about a probe. Texts are for people; nothing is computed here.
#[derive(Clone, Debug, Default)]
pub struct ProbePage {
    /// What was tried, in a line.
    pub title: String,
    /// What else is to be known at once.
    pub facts: Vec<String>,
    /// Gates that were tripped.
    pub gates: Vec<ProbeGate>,
    /// The chats to look at first.
    pub worst: Vec<ProbeChat>,
    /// The figures.
    pub tables: Vec<ProbeTable>,
}

/// A gate that was tripped.
#[derive(Clone, Debug, Default)]
pub struct ProbeGate {
    /// The check.
    pub check: String,
    /// With whom, and when.
    pub text: String,
}

/// A chat to look at.
#[derive(Clone, Debug, Default)]
pub struct ProbeChat {
    /// Which chat, at which turn, with which score.
    pub title: String,
    /// Where it can be read, where the page is part of something that has it.
    pub address: Option<String>,
    /// What was said.
    pub quote: String,
    /// What was wrong with it.
    pub why: String,
    /// What would have been better.
    pub better: Option<String>,
}

/// Figures.
#[derive(Clone, Debug, Default)]
pub struct ProbeTable {
    /// Its name in addresses.
    pub anchor: &'static str,
    /// Its heading.
    pub title: String,
    /// What is to be known of it.
    pub note: String,
    /// The heads of its columns.
    pub columns: Vec<&'static str>,
    /// Its rows; the first cell names the row.
    pub rows: Vec<Vec<String>>,
}

#[derive(Template)]
#[template(path = "probe.html", whitespace = "minimize")]
struct Article<'a> {
    page: &'a ProbePage,
}

/// The part of a page that tells what a probe showed.
pub fn probe_article(page: &ProbePage) -> Result<String, PageError> {
    Ok(Article { page }.render()?)
}
