//! A run as text for a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use carelock_core::report::safe_text::one_line;
use carelock_core::report::{TextStyle, columns, wrap};
use carelock_engine::figures::{Align, Table, cut};
use carelock_engine::runs::{StoredReport, mean_for_people};
use carelock_engine::show::Shown;

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const ALARM: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const PLAIN: Style = Style::new();

/// The columns of a bar.
const BAR: usize = 20;

/// The page; no line is wider than the style says.
pub(super) fn text(shown: &Shown, style: &TextStyle) -> String {
    let mut page = Page { out: String::new(), style, shown };
    page.head();
    if shown.overview.results() > 0 {
        page.overall();
        page.tiers();
        page.metrics();
        page.groups();
    }
    page.chats();
    page.out
}

struct Page<'a> {
    out: String,
    style: &'a TextStyle,
    shown: &'a Shown,
}

impl Page<'_> {
    fn line(&mut self, style: Style, text: &str) {
        let painted = self.style.color && style != PLAIN && !text.is_empty();
        // Writing to a string cannot fail.
        let _ = if painted { writeln!(self.out, "{style}{text}{style:#}") } else { writeln!(self.out, "{text}") };
    }

    fn wrapped(&mut self, indent: &str, style: Style, text: &str) {
        for line in wrap(&one_line(text), self.style.width.saturating_sub(indent.len())) {
            self.line(style, &format!("{indent}{line}"));
        }
    }

    fn head(&mut self) {
        self.wrapped("", STRONG, &self.shown.open.run.name);
        self.wrapped("", FAINT, &self.shown.facts().join(" · "));
    }

    fn overall(&mut self) {
        let overview = &self.shown.overview;
        let (results, gated, unscored) = (overview.results(), overview.gated(), overview.unscored());
        self.line(STRONG, &format!("\nMean overall  {}", mean_for_people(overview.overall())));
        let style = if gated > 0 { ALARM } else { PLAIN };
        let of = if results == 1 { "1 chat".to_owned() } else { format!("{results} chats") };
        self.line(
            style,
            &if gated > 0 { format!("  gates tripped in {gated} of {of}") } else { "  no gate tripped".to_owned() },
        );
        if unscored > 0 {
            self.line(PLAIN, &format!("  {unscored} of {of} not fully judged"));
        }
    }

    fn tiers(&mut self) {
        self.line(STRONG, "\nTiers");
        let shown = self.shown;
        let mut rows: Vec<(String, u64)> = Vec::new();
        for tier in &shown.open.scoring.rubric.file().tier {
            rows.push((one_line(&tier.label), shown.tier_count(Some(&tier.label))));
        }
        let none = shown.tier_count(None);
        if none > 0 {
            rows.push(("undetermined".to_owned(), none));
        }
        let most = rows.iter().map(|(_, number)| *number).max().unwrap_or_default();
        let width = rows.iter().map(|(name, _)| columns(name)).max().unwrap_or_default();
        let digits = most.to_string().len();
        for (name, number) in rows {
            let bar = bar(number as f64 / most.max(1) as f64, false);
            let fill = " ".repeat(width - columns(&name));
            self.line(PLAIN, format!("  {name}{fill}  {number:>digits$}  {bar}").trim_end());
        }
    }

    fn metrics(&mut self) {
        self.line(STRONG, "\nMetrics");
        let titles: Vec<String> =
            self.shown.open.scoring.rubric.metrics().iter().map(|metric| one_line(&metric.title)).collect();
        let width = titles.iter().map(|title| columns(title)).max().unwrap_or_default();
        for (title, sum) in titles.iter().zip(self.shown.overview.metrics()) {
            let fill = " ".repeat(width - columns(title));
            let bar = sum.mean().map(|mean| bar(mean, true)).unwrap_or_default();
            self.line(PLAIN, format!("  {title}{fill}  {}  {bar}", mean_for_people(sum)).trim_end());
        }
    }

    /// The groups, where there are several.
    fn groups(&mut self) {
        let groups = &self.shown.overview.groups;
        if groups.len() < 2 {
            return;
        }
        let figures = ["Chats", "Overall", "Gates"].map(|name| (name, Align::Right));
        let mut table = Table::new(&[&[("Group", Align::Cut)][..], &figures].concat());
        for group in groups {
            let name = group.group.clone().unwrap_or_else(|| "(none)".to_owned());
            table.row([name, group.results.to_string(), mean_for_people(group.overall), group.gated.to_string()]);
        }
        self.out.push('\n');
        self.out.push_str(&table.listing(self.style.width, self.style.color));
    }

    fn chats(&mut self) {
        let Shown { listed, matching, is_filtered, .. } = self.shown;
        let what = if *is_filtered { "Chats that match" } else { "Chats" };
        if listed.is_empty() && *matching > 0 {
            return;
        }
        if listed.is_empty() {
            let none = if *is_filtered { "no chat matches" } else { "no chat has been judged yet" };
            self.line(PLAIN, &format!("\n{none}"));
            return;
        }
        let shown = listed.len();
        let count = if shown as u64 == *matching { format!("{shown}") } else { format!("{shown} of {matching}") };
        self.line(STRONG, &format!("\n{what} ({count}), tripped gates and low scores first"));
        for stored in listed {
            self.chat(stored);
        }
    }

    fn chat(&mut self, stored: &StoredReport) {
        let StoredReport { listed, report, .. } = stored;
        let score = report.overall.map_or_else(|| "–   ".to_owned(), |score| score.to_string());
        let name = cut(&one_line(&listed.name), self.style.width.saturating_sub(30).max(20));
        let gates = &listed.scores.gates;
        let (edge, style) = if gates.is_empty() { ("  ", STRONG) } else { ("▌ ", ALARM) };
        let gate = if gates.is_empty() { String::new() } else { format!("  gate {}", one_line(&gates.join(", "))) };
        let tier = listed.scores.tier.as_deref().filter(|_| gates.is_empty());
        let tier = tier.map(|tier| format!("  {}", one_line(tier))).unwrap_or_default();
        self.line(style, &format!("{edge}{score}  {name}{gate}{tier}"));
        self.wrapped(&format!("{edge}      "), PLAIN, &report.summary);
    }
}

/// A bar for a share of 1, with what is missing drawn where it means something.
fn bar(share: f64, rest: bool) -> String {
    let full = (share.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    let empty = if rest { BAR - full } else { 0 };
    format!("{}{}", "█".repeat(full), "░".repeat(empty))
}
