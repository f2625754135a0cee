//! Tables with aligned columns, for a terminal and for Markdown.

use carelock_core::report::safe_text::one_line;
use carelock_core::report::{columns, escape_markdown};

/// Where a column's cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the left, for words.
    Left,
    /// At the right, for numbers.
    Right,
}

/// A table; every row has as many cells as there are columns.
#[derive(Clone, Debug)]
pub struct Table {
    header: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

/// A first column is never made narrower than this.
const NARROWEST: usize = 8;

impl Table {
    /// A table with these columns and no rows yet.
    pub fn new(header: &[(&str, Align)]) -> Self {
        Self { header: header.iter().map(|(name, align)| (one_line(name), *align)).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// Lines for a terminal, indented; where they would be too wide, the first column is cut.
    pub fn lines(&self, indent: usize, width: usize) -> Vec<String> {
        let mut widths: Vec<usize> = self.header.iter().map(|(name, _)| columns(name)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(columns(cell));
            }
        }
        let all = indent + widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        let gap = if all > width { 1 } else { 2 };
        let all = indent + widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1);
        if let Some(first) = widths.first_mut() {
            *first = first.saturating_sub(all.saturating_sub(width)).max(NARROWEST.min(*first));
        }
        let header: Vec<String> = self.header.iter().map(|(name, _)| name.clone()).collect();
        let line = |cells: &Vec<String>| {
            let mut line = " ".repeat(indent);
            for (place, (cell, (_, align))) in cells.iter().zip(&self.header).enumerate() {
                if place > 0 {
                    line.push_str(&" ".repeat(gap));
                }
                line.push_str(&padded(&cut(cell, widths[place]), widths[place], *align));
            }
            line.trim_end().to_owned()
        };
        // A header without words would be a blank line.
        let header = Some(&header).filter(|header| header.iter().any(|name| !name.is_empty()));
        header.into_iter().chain(&self.rows).map(line).collect()
    }

    /// A Markdown table.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = String>| {
            text.push('|');
            for cell in cells {
                text.push_str(&format!(" {cell} |"));
            }
            text.push('\n');
        };
        line(&mut self.header.iter().map(|(name, _)| escape_markdown(name)));
        let rule = |align: Align| if align == Align::Left { "---".to_owned() } else { "---:".to_owned() };
        line(&mut self.header.iter().map(|(_, align)| rule(*align)));
        for row in &self.rows {
            line(&mut row.iter().map(|cell| escape_markdown(cell)));
        }
        text
    }
}

fn padded(cell: &str, width: usize, align: Align) -> String {
    let gap = " ".repeat(width.saturating_sub(columns(cell)));
    match align {
        Align::Left => format!("{cell}{gap}"),
        Align::Right => format!("{gap}{cell}"),
    }
}

/// As much of a cell as fits.
fn cut(cell: &str, width: usize) -> String {
    if columns(cell) <= width {
        return cell.to_owned();
    }
    let mut kept = String::new();
    for character in cell.chars() {
        if columns(&kept) + columns(&character.to_string()) + 1 > width {
            break;
        }
        kept.push(character);
    }
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[("metric", Align::Left), ("mean", Align::Right)]);
        table.row(["EmotionalRelevance".to_owned(), "0.91".to_owned()]);
        table.row(["a|b".to_owned(), "1".to_owned()]);
        table
    }

    #[test]
    fn columns_are_aligned_and_the_first_is_cut_where_there_is_no_room() {
        assert_eq!(
            table().lines(1, 80),
            [" metric              mean", " EmotionalRelevance  0.91", " a|b                    1"]
        );
        assert_eq!(table().lines(0, 15), ["metric     mean", "Emotional… 0.91", "a|b           1"]);
    }

    #[test]
    fn nobody_is_called_and_nothing_is_linked_by_a_cell() {
        let mut table = Table::new(&[("chat", Align::Left)]);
        table.row(["@team &amp; $x$ http://a.example www.b.example".to_owned()]);
        let text = table.markdown();
        for live in ["@", "&amp;", "$", "://", "www."] {
            assert!(!text.contains(live), "{live}: {text}");
        }
    }

    #[test]
    fn markdown_keeps_what_is_in_a_cell_inside_it() {
        assert_eq!(
            table().markdown(),
            "| metric | mean |\n| --- | ---: |\n| EmotionalRelevance | 0.91 |\n| a&#124;b | 1 |\n"
        );
    }
}
