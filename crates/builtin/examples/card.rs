//! Prints the judge card: `card > docs/judges/judge-card.md`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let page = carelock_builtin::Card::embedded().to_markdown(&carelock_core::rubric::Rubric::care_lock());
    std::io::stdout().lock().write_all(page.as_bytes())
}
