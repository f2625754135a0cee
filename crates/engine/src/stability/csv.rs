//! Stability as CSV: one row a figure.

use super::Stability;
use crate::shown::Sheet;

/// The figures as CSV.
pub fn csv(stability: &Stability) -> String {
    let mut sheet = Sheet::new(&["judge", "part", "name"]);
    let judge = stability.judge.as_str();
    let gates = &stability.gates;
    sheet.count(&[judge, "all", ""], "chats", stability.chats as u64);
    sheet.count(&[judge, "all", ""], "repeats", stability.repeats as u64);
    sheet.estimate(&[judge, "gates", ""], "probability", &gates.probability);
    sheet.count(&[judge, "gates", ""], "always", gates.always as u64);
    sheet.count(&[judge, "gates", ""], "sometimes", gates.sometimes as u64);
    sheet.count(&[judge, "gates", ""], "never", gates.never as u64);
    for chat in &gates.unsteady {
        sheet.estimate(&[judge, "chat", &chat.chat], "gate_probability", &chat.probability);
    }
    sheet.estimate(&[judge, "overall", ""], "deviation", &stability.overall.deviation);
    sheet.estimate(&[judge, "overall", ""], "mean_range", &stability.overall.mean_range);
    sheet.estimate(&[judge, "checks", ""], "flip_rate", &stability.flip_rate);
    for check in &stability.checks {
        sheet.estimate(&[judge, "check", &check.check], "flip_rate", &check.flips.flip_rate);
        sheet.estimate(&[judge, "check", &check.check], "unsteady_chats", &check.flips.unsteady);
    }
    sheet.count(&[judge, "first answers", ""], "checks", stability.canonical.checks as u64);
    sheet.count(&[judge, "first answers", ""], "outvoted", stability.canonical.outvoted as u64);
    sheet.finish()
}
