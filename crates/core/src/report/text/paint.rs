//! The painter: wrapped lines with hanging indents, in colour only where asked, in ASCII where it must be.

use anstyle::{AnsiColor, Style};

use super::TextStyle;
use super::wrap::{columns, wrap};

/// The signs a report is drawn with. Each differs in shape, so that nothing depends on colour.
#[derive(Debug)]
pub(super) struct Glyphs {
    pub(super) full: &'static str,
    pub(super) empty: &'static str,
    pub(super) unknown: &'static str,
    pub(super) edge: &'static str,
    pub(super) earned: &'static str,
    pub(super) not_triggered: &'static str,
    pub(super) failed: &'static str,
    pub(super) unscored: &'static str,
    pub(super) lowered: &'static str,
    pub(super) arrow: &'static str,
    pub(super) dot: &'static str,
    pub(super) times: &'static str,
    pub(super) minus: &'static str,
    pub(super) none: &'static str,
    pub(super) cut: &'static str,
    pub(super) open_quote: &'static str,
    pub(super) close_quote: &'static str,
}

const UNICODE: Glyphs = Glyphs {
    full: "█",
    empty: "░",
    unknown: "·",
    edge: "▌ ",
    earned: "●",
    not_triggered: "○",
    failed: "✗",
    unscored: "?",
    lowered: "↓",
    arrow: "→",
    dot: "·",
    times: "×",
    minus: "−",
    none: "—",
    cut: "…",
    open_quote: "“",
    close_quote: "”",
};

const ASCII: Glyphs = Glyphs {
    full: "#",
    empty: "-",
    unknown: ".",
    edge: "! ",
    earned: "+",
    not_triggered: "o",
    failed: "x",
    unscored: "?",
    lowered: "v",
    arrow: "->",
    dot: "|",
    times: "x",
    minus: "-",
    none: "--",
    cut: "~",
    open_quote: "\"",
    close_quote: "\"",
};

/// What a piece of text is for; colour only underlines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Fair,
    Bad,
    Alarm,
}

impl Tone {
    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Strong => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Good => color(AnsiColor::Green),
            Self::Fair => color(AnsiColor::Yellow),
            Self::Bad => color(AnsiColor::Red),
            Self::Alarm => color(AnsiColor::Red).bold(),
        }
    }
}

/// What stands before a block: on its first line, and below it on the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lead<'a> {
    pub(super) first: &'a str,
    pub(super) rest: &'a str,
    pub(super) tone: Tone,
}

impl<'a> Lead<'a> {
    /// Spaces on every line.
    pub(super) fn indent(spaces: &'a str) -> Self {
        Self { first: spaces, rest: spaces, tone: Tone::Plain }
    }
}

/// Narrower than this, a table of scores cannot be drawn.
const NARROWEST: usize = 40;
/// Wider than this, lines are tiring to read.
const WIDEST: usize = 100;

/// Collects lines.
pub(super) struct Painter {
    out: String,
    color: bool,
    ascii: bool,
    pub(super) width: usize,
    pub(super) glyphs: &'static Glyphs,
}

impl Painter {
    pub(super) fn new(style: &TextStyle) -> Self {
        Self {
            out: String::new(),
            color: style.color,
            ascii: !style.unicode,
            width: style.width.clamp(NARROWEST, WIDEST),
            glyphs: if style.unicode { &UNICODE } else { &ASCII },
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// How many lines there are.
    pub(super) fn lines(&self) -> usize {
        self.out.matches('\n').count()
    }

    /// The text in its tone.
    pub(super) fn paint(&self, tone: Tone, text: &str) -> String {
        let style = tone.style();
        if !self.color || style == Style::new() || text.is_empty() {
            return text.to_owned();
        }
        format!("{style}{text}{style:#}")
    }

    /// A finished line; the caller has made sure that it fits.
    pub(super) fn line(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    /// A section's heading, with a blank line above it.
    pub(super) fn heading(&mut self, title: &str) {
        self.line("");
        let title = self.paint(Tone::Strong, title);
        self.line(&title);
    }

    /// Text wrapped behind its lead; the label that opens it is faint. Nothing is written where there is no text.
    pub(super) fn block(&mut self, lead: Lead<'_>, tone: Tone, label: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let whole = if label.is_empty() { text.to_owned() } else { format!("{label} {text}") };
        let whole = if self.ascii { plain_signs(&whole) } else { whole };
        let room = self.width.saturating_sub(columns(lead.first).max(columns(lead.rest)));
        for (number, line) in wrap(&whole, room).iter().enumerate() {
            let before = self.paint(lead.tone, if number == 0 { lead.first } else { lead.rest });
            let labelled = line.strip_prefix(label).filter(|_| number == 0);
            let body = match labelled {
                Some(rest) => format!("{}{}", self.paint(Tone::Faint, label), self.paint(tone, rest)),
                None => self.paint(tone, line),
            };
            self.line(&format!("{before}{body}"));
        }
    }

    /// Words of the chat between quotation marks.
    pub(super) fn quoted(&self, words: &str) -> String {
        format!("{}{words}{}", self.glyphs.open_quote, self.glyphs.close_quote)
    }

    /// A bar of ten parts per hundred, rounded down so that only a full score fills it.
    pub(super) fn bar(&self, hundredths: Option<u8>, parts: usize) -> (String, String) {
        let Some(hundredths) = hundredths else { return (String::new(), self.glyphs.unknown.repeat(parts)) };
        let full = usize::from(hundredths) * parts / 100;
        (self.glyphs.full.repeat(full), self.glyphs.empty.repeat(parts.saturating_sub(full)))
    }
}

/// Typographic signs as they were typed before there were any.
fn plain_signs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '“' | '”' => out.push('"'),
            '‘' | '’' => out.push('\''),
            '–' | '—' | '−' => out.push('-'),
            '…' => out.push_str("..."),
            '→' => out.push_str("->"),
            _ => out.push(character),
        }
    }
    out
}
