//! A page of figures for a terminal: headings, lines that fit, and nothing in colour that is not also in words.

use anstyle::{AnsiColor, Style};
use carelock_core::report::safe_text::one_line;
use carelock_core::report::{TextStyle, wrap};

use super::table::Table;

/// Text for a terminal that grows line by line.
pub struct Page {
    style: TextStyle,
    text: String,
}

impl Page {
    /// An empty page.
    pub fn new(style: TextStyle) -> Self {
        Self { style, text: String::new() }
    }

    /// A heading with a line above it.
    pub fn heading(&mut self, title: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.styled(Style::new().bold(), "", title);
    }

    /// Words that must not be missed, indented.
    pub fn alarm(&mut self, words: &str) {
        self.styled(Style::new().bold().fg_color(Some(AnsiColor::Red.into())), "  ", words);
    }

    fn styled(&mut self, style: Style, indent: &str, words: &str) {
        for line in wrap(&one_line(words), self.style.width.saturating_sub(indent.len())) {
            if self.style.color {
                self.text.push_str(&format!("{indent}{style}{line}{style:#}\n"));
            } else {
                self.text.push_str(&format!("{indent}{line}\n"));
            }
        }
    }

    /// A line as it is.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Words under a mark, wrapped so that later lines stand under the first word.
    pub fn block(&mut self, mark: &str, words: &str) {
        let indent = carelock_core::report::columns(mark);
        let lines = wrap(&one_line(words), self.style.width.saturating_sub(indent).max(20));
        for (place, line) in lines.iter().enumerate() {
            let before = if place == 0 { mark.to_owned() } else { " ".repeat(indent) };
            self.line(&format!("{before}{line}"));
        }
    }

    /// A table, indented.
    pub fn table(&mut self, indent: usize, table: &Table) {
        for line in table.lines(indent, self.style.width) {
            self.line(&line);
        }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }
}
