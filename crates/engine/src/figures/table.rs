//! Tables with aligned columns, for a terminal and for Markdown.

use anstyle::Style;
use carelock_core::report::safe_text::one_line;
use carelock_core::report::{columns, escape_markdown};

/// Where a column's cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the left, for words.
    Left,
    /// At the left, and cut where a listing is too wide.
    Cut,
    /// At the right, for numbers.
    Right,
}

/// A table; every row has as many cells as there are columns.
#[derive(Clone, Debug)]
pub struct Table {
    header: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

/// A column is never made narrower than this.
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

    /// Lines for a terminal, indented; where they would be too wide, they move together and the first column is cut.
    pub fn lines(&self, indent: usize, width: usize) -> Vec<String> {
        let natural = self.widths(usize::MAX, 2, |_, _| false);
        let all = indent + natural.iter().sum::<usize>() + 2 * natural.len().saturating_sub(1);
        let gap = if all > width { 1 } else { 2 };
        let widths = self.widths(width.saturating_sub(indent), gap, |place, _| place == 0);
        let line = |cells: &Vec<String>| format!("{}{}", " ".repeat(indent), self.line(cells, &widths, gap));
        // A header without words would be a blank line.
        let header = Some(self.names()).filter(|header| header.iter().any(|name| !name.is_empty()));
        header.iter().chain(&self.rows).map(|cells| line(cells).trim_end().to_owned()).collect()
    }

    /// A list of things for a terminal, its heading in bold where there is colour; columns to be cut give way.
    pub fn listing(&self, width: usize, color: bool) -> String {
        let widths = self.widths(width, 2, |_, align| align == Align::Cut);
        let (names, bold) = (self.names(), Style::new().bold());
        let mut lines = std::iter::once(&names).chain(&self.rows).map(|cells| self.line(cells, &widths, 2));
        let heading = lines.next().unwrap_or_default();
        let heading = if color { format!("{bold}{heading}{bold:#}") } else { heading };
        std::iter::once(heading).chain(lines).map(|line| line + "\n").collect()
    }

    fn names(&self) -> Vec<String> {
        self.header.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The widths of the columns; the widest of those that give way becomes narrower until the table fits.
    fn widths(&self, width: usize, gap: usize, gives_way: impl Fn(usize, Align) -> bool) -> Vec<usize> {
        let natural = |(place, (name, _)): (usize, &(String, Align))| {
            let cells = self.rows.iter().filter_map(|row| row.get(place)).map(|cell| columns(cell));
            cells.max().unwrap_or_default().max(columns(name))
        };
        let mut widths: Vec<usize> = self.header.iter().enumerate().map(natural).collect();
        loop {
            let total = widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1);
            let open = (0..widths.len()).filter(|&place| gives_way(place, self.header[place].1));
            let widest = open.filter(|&place| widths[place] > NARROWEST).max_by_key(|&place| widths[place]);
            match widest.filter(|_| total > width) {
                Some(place) => widths[place] -= 1,
                None => return widths,
            }
        }
    }

    fn line(&self, cells: &[String], widths: &[usize], gap: usize) -> String {
        let padded = |((cell, (_, align)), &width): ((&String, &(String, Align)), &usize)| {
            let cell = cut(cell, width);
            let fill = " ".repeat(width.saturating_sub(columns(&cell)));
            if *align == Align::Right { format!("{fill}{cell}") } else { format!("{cell}{fill}") }
        };
        let cells: Vec<String> = cells.iter().zip(&self.header).zip(widths).map(padded).collect();
        cells.join(&" ".repeat(gap)).trim_end().to_owned()
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
        let rule = |align: Align| if align == Align::Right { "---:".to_owned() } else { "---".to_owned() };
        line(&mut self.header.iter().map(|(_, align)| rule(*align)));
        for row in &self.rows {
            line(&mut row.iter().map(|cell| escape_markdown(cell)));
        }
        text
    }
}

/// As much of a text as fits into so many columns; what was cut is marked.
pub fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        if columns(&kept) + columns(character.encode_utf8(&mut [0; 4])) + 1 > width {
            break;
        }
        kept.push(character);
    }
    kept + "…"
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

    #[test]
    fn in_a_listing_the_long_column_gives_way_and_numbers_stand_to_the_right() {
        let mut table = Table::new(&[("Name", Align::Cut), ("Chats", Align::Right)]);
        table.row(["a name that is far too long".to_owned(), "7".to_owned()]);
        table.row(["b".to_owned(), "1000".to_owned()]);
        assert_eq!(table.listing(20, false), "Name           Chats\na name that …      7\nb               1000\n");
    }

    #[test]
    fn wide_letters_are_counted_as_they_are_shown() {
        assert_eq!(cut("心心心", 5), "心心…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
