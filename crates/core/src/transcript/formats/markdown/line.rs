//! Labels in Markdown: headings and emphasised names at the start of a line.

use super::super::labels::line::is_invisible;

/// A label found in one line of Markdown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found<'a> {
    /// The label without its markup.
    pub(super) label: &'a str,
    /// Where in the line the text behind it starts.
    pub(super) body: usize,
    /// Whether it is written so that even an unknown word may be a label: emphasised and with a colon.
    pub(super) is_plain: bool,
    /// Whether the line stands in a block quote.
    pub(super) is_quoted: bool,
}

/// The label a line of Markdown starts with.
pub(super) fn label(line: &str) -> Option<Found<'_>> {
    let mut rest = line.trim_start_matches([' ', '\t']);
    let is_quoted = rest.starts_with('>');
    if is_quoted {
        rest = rest[1..].trim_start_matches(' ');
    }
    let (label, behind, is_plain) = match rest.chars().next()? {
        '#' => heading(rest)?,
        '*' | '_' => emphasised(rest)?,
        _ => return None,
    };
    let label = tidy(label);
    let is_label = label.chars().any(char::is_alphanumeric) && label.len() <= LONGEST_LABEL;
    is_label.then_some(Found { label, body: line.len() - behind.len(), is_plain, is_quoted })
}

/// In bytes; no label is longer, so that a line of any length is looked at for its start only.
const LONGEST_LABEL: usize = 120;

/// `### User`, `## **ChatGPT:**`, `# User: hi`: the label and what follows it.
fn heading(line: &str) -> Option<(&str, &str, bool)> {
    let text = line.trim_start_matches('#');
    if line.len() - text.len() > 6 || !text.starts_with([' ', '\t']) {
        return None;
    }
    let text = text.trim_start();
    if text.starts_with(['*', '_'])
        && let Some((label, behind, _)) = emphasised(text)
    {
        return Some((label, behind, false));
    }
    match split_at_colon(start_of(text)) {
        Some((label, length)) => Some((label, &text[length..], false)),
        // Closing hashes belong to the heading.
        None => Some((text.trim_end_matches(['#', ' ', '\t']), "", false)),
    }
}

/// `**User:** hi`, `**User**: hi`, `_User_ (10:32): hi`, or `**User**` alone on its line.
fn emphasised(line: &str) -> Option<(&str, &str, bool)> {
    let sign = line.chars().next()?;
    let inner = line.trim_start_matches(sign);
    let fence = &line[..line.len() - inner.len()];
    if fence.len() > 3 {
        return None;
    }
    let end = start_of(inner).find(fence)?;
    let behind = &inner[end + fence.len()..];
    let label = inner[..end].trim_end();
    if let Some(label) = label.strip_suffix([':', '：']) {
        return split_at_colon(label).is_none().then_some((label, behind, true));
    }
    if behind.trim().is_empty() {
        return Some((label, behind, false));
    }
    let (between, length) = split_at_colon(start_of(behind))?;
    let is_clear = between.trim().is_empty() || (between.trim().starts_with('(') && between.trim().ends_with(')'));
    is_clear.then_some((label, &behind[length..], true))
}

/// What stands before the first colon outside brackets, and how long it is with the colon.
fn split_at_colon(text: &str) -> Option<(&str, usize)> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ':' | '：' if depth == 0 => return Some((&text[..at], at + character.len_utf8())),
            _ => {}
        }
    }
    None
}

fn start_of(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_LABEL + 16);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The name alone: without a time in brackets behind it and signs around it.
fn tidy(label: &str) -> &str {
    let is_sign = |character: char| {
        character.is_whitespace() || is_invisible(character) || matches!(character, '*' | '_' | '#' | '`' | ':' | '：')
    };
    let label = label.trim_matches(is_sign);
    match label.find(['(', '[']) {
        Some(at) if at > 0 && label.ends_with([')', ']']) => label[..at].trim_matches(is_sign),
        _ => label,
    }
}

#[cfg(test)]
mod tests {
    use super::label;

    fn found(line: &str) -> Option<(&str, &str)> {
        label(line).map(|found| (found.label, line[found.body..].trim()))
    }

    #[test]
    fn headings_and_emphasised_names_are_labels() {
        for line in ["**User:** hi", "**User**: hi", "__User__: hi", "*User*: hi", "_User:_ hi", "***User:*** hi"] {
            assert_eq!(found(line), Some(("User", "hi")), "{line}");
        }
        for line in ["# User: hi", "### **User:** hi", "**User (10:32):** hi", "**User** (10:32): hi", "> **User**: hi"]
        {
            assert_eq!(found(line), Some(("User", "hi")), "{line}");
        }
        for line in ["## User", "#### User:", "## User ##", "## **User**", "**User**", "### User (10:32)", "  ## User:"]
        {
            assert_eq!(found(line), Some(("User", "")), "{line}");
        }
    }

    #[test]
    fn other_markup_is_no_label() {
        for line in [
            "",
            "#User",
            "####### User",
            "- **User:** hi",
            "**User** said hi",
            "**a: b:** c",
            "* item",
            "User: hi",
            "***",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn only_a_name_with_a_colon_may_be_unknown() {
        assert!(label("**Anna:** hi").unwrap().is_plain);
        assert!(!label("**Anna**").unwrap().is_plain);
        assert!(!label("## Anna: hi").unwrap().is_plain);
        assert!(label("> **Anna:** hi").unwrap().is_quoted);
    }
}
