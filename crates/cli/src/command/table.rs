//! Tables for a terminal: aligned, and never wider than it is.

use anstyle::Style;
use carelock_core::report::columns;
use carelock_core::report::safe_text::one_line;

/// One column of a table.
pub(super) struct Column {
    name: &'static str,
    is_number: bool,
    /// Whether it gives way where the table is too wide.
    shrinks: bool,
}

impl Column {
    /// Text that is shown whole.
    pub(super) const fn text(name: &'static str) -> Self {
        Self { name, is_number: false, shrinks: false }
    }

    /// Text that may be cut.
    pub(super) const fn long(name: &'static str) -> Self {
        Self { name, is_number: false, shrinks: true }
    }

    /// Numbers, which stand to the right.
    pub(super) const fn number(name: &'static str) -> Self {
        Self { name, is_number: true, shrinks: false }
    }
}

/// What is left of a column at the least.
const LEAST: usize = 8;
const GAP: usize = 2;

/// The table, with its heading in bold where there is colour.
pub(super) fn draw(heading: &[Column], rows: &[Vec<String>], width: usize, color: bool) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let widths = widths(heading, &rows, width);
    let mut out = String::new();
    let names: Vec<String> = heading.iter().map(|column| column.name.to_owned()).collect();
    let first = line(heading, &names, &widths);
    let bold = Style::new().bold();
    out.push_str(&if color { format!("{bold}{first}{bold:#}") } else { first });
    out.push('\n');
    for row in &rows {
        out.push_str(&line(heading, row, &widths));
        out.push('\n');
    }
    out
}

fn widths(heading: &[Column], rows: &[Vec<String>], width: usize) -> Vec<usize> {
    let natural = |(place, column): (usize, &Column)| {
        let cells = rows.iter().filter_map(|row| row.get(place)).map(|cell| columns(cell));
        cells.max().unwrap_or_default().max(columns(column.name))
    };
    let mut widths: Vec<usize> = heading.iter().enumerate().map(natural).collect();
    loop {
        let total: usize = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let widest = (0..widths.len()).filter(|&place| heading[place].shrinks && widths[place] > LEAST);
        match widest.max_by_key(|&place| widths[place]).filter(|_| total > width) {
            Some(place) => widths[place] -= 1,
            None => return widths,
        }
    }
}

fn line(heading: &[Column], cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for ((column, cell), &width) in heading.iter().zip(cells).zip(widths) {
        let cell = cut(cell, width);
        let fill = " ".repeat(width.saturating_sub(columns(&cell)));
        if !line.is_empty() {
            line.push_str(&" ".repeat(GAP));
        }
        line.push_str(&if column.is_number { format!("{fill}{cell}") } else { format!("{cell}{fill}") });
    }
    line.trim_end().to_owned()
}

/// A text in so many columns; what was cut is marked.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    for character in text.chars() {
        if columns(&shown) + columns(character.encode_utf8(&mut [0; 4])) + 1 > width {
            break;
        }
        shown.push(character);
    }
    shown.push('…');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_column_gives_way_and_numbers_stand_to_the_right() {
        let heading = [Column::long("Name"), Column::number("Chats")];
        let rows =
            [["a name that is far too long".to_owned(), "7".to_owned()].to_vec(), vec!["b".into(), "1000".into()]];
        assert_eq!(
            draw(&heading, &rows, 20, false),
            "Name           Chats\na name that …      7\nb               1000\n"
        );
    }

    #[test]
    fn wide_letters_are_counted_as_they_are_shown() {
        assert_eq!(cut("心心心", 5), "心心…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
