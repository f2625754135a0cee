//! Stability as Markdown.

use carelock_core::report::escape_markdown;

use super::Stability;
use super::text::{canonical, check_table, gate_table, how, spread_table};
use crate::shown::{estimate, plural};

/// The figures as Markdown.
pub fn markdown(stability: &Stability) -> String {
    let title =
        format!("{}, asked {} times about {}", stability.judge, stability.repeats, plural(stability.chats, "chat"));
    let gates = &stability.gates;
    let mut text = format!("## {}\n\n", escape_markdown(&title));
    text += &format!(
        "A gate fires with a probability of {}: always in {}, sometimes in {}, never in {}.\n\n",
        estimate(&gates.probability),
        plural(gates.always, "chat"),
        gates.sometimes,
        gates.never
    );
    if !gates.unsteady.is_empty() {
        text += &format!("{}\n", gate_table(stability).markdown());
    }
    text += &format!("### Overall score\n\n{}\n", spread_table(stability).markdown());
    let rate = estimate(&stability.flip_rate);
    text += &format!("### Checks\n\nTwo answers to the same check of the same chat differ: {rate}.\n\n");
    text += &format!("{}\n### Which verdict counts\n\n", check_table(stability).markdown());
    for sentence in canonical(stability) {
        text += &format!("- {}\n", escape_markdown(&sentence));
    }
    text + &format!("\n{}\n", escape_markdown(&how(stability)))
}
