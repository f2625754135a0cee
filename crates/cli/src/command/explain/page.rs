//! An explanation as text for a terminal: the verdict and its story, what was added up, the sentences behind it.

use anstyle::{AnsiColor, Style};
use carelock_builtin::{Contribution, Explanation};
use carelock_core::report::safe_text::{excerpt, one_line};
use carelock_core::report::{TextStyle, columns, names, wrap};
use carelock_core::rubric::Check;
use carelock_core::transcript::Transcript;

/// The columns of one number of the table: a sign, four digits, a point and three digits.
const NUMBER: usize = 10;
/// Enough of a sentence to recognise it; the whole of it stands in the JSON.
const QUOTE: usize = 240;

/// What the embedded judge adds up for a check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// What the whole chat shows.
    Chat,
    /// What the one sentence shows that decides a gate.
    Sentence,
}

/// The explanation as text; no line is wider than the style says.
pub(super) fn text(
    explanation: &Explanation,
    check: &Check,
    rule: Rule,
    transcript: &Transcript,
    style: &TextStyle,
) -> String {
    let mut page = Page { out: String::new(), style };
    page.verdict(explanation, check);
    page.sum(explanation, rule);
    page.sentences(explanation, transcript);
    page.out
}

struct Page<'a> {
    out: String,
    style: &'a TextStyle,
}

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

fn coloured(colour: AnsiColor) -> Style {
    STRONG.fg_color(Some(anstyle::Color::Ansi(colour)))
}

impl Page<'_> {
    fn verdict(&mut self, explanation: &Explanation, check: &Check) {
        self.wrapped("", STRONG, &format!("{} · {}", check.id, one_line(&check.title)));
        let (sign, word, colour) = match explanation.pass {
            Some(true) => ("●", "passes", AnsiColor::Green),
            Some(false) => ("✗", "fails", AnsiColor::Red),
            None => ("?", "not judged", AnsiColor::Yellow),
        };
        let line = format!("{sign} {word} · {} · confidence {}", explanation.basis, explanation.confidence);
        self.wrapped("", coloured(colour), &one_line(&line));
        self.wrapped("  ", Style::new(), &one_line(&explanation.why));
        if !explanation.story.is_empty() {
            self.line(Style::new(), "");
        }
        for sentence in &explanation.story {
            self.wrapped("  ", Style::new(), &one_line(sentence));
        }
    }

    fn sum(&mut self, explanation: &Explanation, rule: Rule) {
        if explanation.contributions.is_empty() {
            return;
        }
        let names = ["strength", "weight", "adds"].map(|name| format!("{name:>NUMBER$}")).concat();
        self.row(STRONG, "What was added up", &names);
        for part in &explanation.contributions {
            let Contribution { what, value, weight, adds } = part;
            let numbers = [plain(*value), plain(*weight), signed(*adds)].map(|number| format!("{number:>NUMBER$}"));
            self.row(Style::new(), &format!("  {}", one_line(what)), &numbers.concat());
        }
        let (sum, meaning) = match rule {
            Rule::Chat => (explanation.sum, "Positive numbers speak for a failure; a sum above zero is one."),
            Rule::Sentence => (total(explanation), "The terms of the sentence above; their sum is its log-odds."),
        };
        self.row(STRONG, "  sum", &format!("{:>1$}", signed(sum), 3 * NUMBER));
        self.wrapped("  ", FAINT, meaning);
    }

    fn sentences(&mut self, explanation: &Explanation, transcript: &Transcript) {
        if explanation.sentences.is_empty() {
            return;
        }
        self.line(Style::new(), "");
        self.line(STRONG, "Sentences considered");
        for sentence in &explanation.sentences {
            let speaker =
                transcript.turn(sentence.turn).map(|turn| format!(" {}", names::who(turn.speaker))).unwrap_or_default();
            let quote = excerpt(&sentence.quote, QUOTE);
            self.wrapped("  ", Style::new(), &format!("turn {}{speaker}: “{quote}”", sentence.turn));
            let act =
                |(name, probability): &(String, u16)| format!("{} {}", one_line(name), plain(i64::from(*probability)));
            let acts: Vec<String> = sentence.acts.iter().map(act).collect();
            let acts = if acts.is_empty() { "no act recognised".to_owned() } else { acts.join(", ") };
            self.wrapped("      ", FAINT, &acts);
        }
    }

    /// Words at the left, numbers at the right of the first line, with a blank line above a heading.
    fn row(&mut self, style: Style, words: &str, numbers: &str) {
        if style == STRONG && !words.starts_with(' ') {
            self.line(Style::new(), "");
        }
        let room = self.style.width.saturating_sub(3 * NUMBER + 1);
        let indent = &words[..words.len() - words.trim_start().len()];
        for (number, part) in wrap(words, room.saturating_sub(indent.len() + 2)).iter().enumerate() {
            let hanging = if number == 0 { "" } else { "  " };
            let left = format!("{indent}{hanging}{part}");
            let gap = (room + 1).saturating_sub(columns(&left));
            let right = if number == 0 { format!("{:gap$}{numbers}", "") } else { String::new() };
            self.line(style, &format!("{left}{right}"));
        }
    }

    fn wrapped(&mut self, indent: &str, style: Style, text: &str) {
        for part in wrap(text, self.style.width.saturating_sub(indent.len())) {
            self.line(style, &format!("{indent}{part}"));
        }
    }

    fn line(&mut self, style: Style, line: &str) {
        let line = line.trim_end();
        if self.style.color && style != Style::new() && !line.is_empty() {
            self.out.push_str(&format!("{style}{line}{style:#}\n"));
        } else {
            self.out.push_str(&format!("{line}\n"));
        }
    }
}

/// What the rows add up to. For a gate the explanation's own sum is another one: the distance from the border.
fn total(explanation: &Explanation) -> i64 {
    explanation.contributions.iter().fold(0, |sum, contribution| sum.saturating_add(contribution.adds))
}

/// Thousandths as a decimal.
fn plain(thousandths: i64) -> String {
    let (minus, size) = (if thousandths < 0 { "−" } else { "" }, thousandths.unsigned_abs());
    format!("{minus}{}.{:03}", size / 1000, size % 1000)
}

/// Thousandths as a decimal with its sign.
fn signed(thousandths: i64) -> String {
    let plus = if thousandths > 0 { "+" } else { "" };
    format!("{plus}{}", plain(thousandths))
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
