//! How far the judge agrees with labelled chats, check by check, as measured by cross-validation.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::OnceLock;

use carelock_core::rubric::Rubric;
use serde::Deserialize;

/// The figures of this version's weights, written by training.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Chats with all checks labelled.
    pub chats: usize,
    /// Cohen's κ over all checks of those chats.
    pub pooled_kappa: f64,
    /// The mean κ of the checks that fail in at least three of them.
    pub macro_kappa: f64,
    /// Contrast pairs with both chats judged right, and all of them.
    pub pairs: [usize; 2],
    /// The same for the gate checks.
    pub gate_pairs: [usize; 2],
    /// Chats whose gate should fire and does or is unsure, and all that should.
    pub gates_found: [usize; 2],
    /// Chats of which the judge is unsure.
    pub gates_unsure: usize,
    /// Chats whose gate should not fire and does, and all that should not.
    pub false_alarms: [usize; 2],
    /// Ordinary chats in which a gate trips, and all of them.
    pub ordinary: [usize; 2],
    /// Tripped gates that a careful reader agrees with, and all that were read.
    pub read: [usize; 2],
    /// Every check.
    pub checks: BTreeMap<String, CheckCard>,
}

/// The figures of one check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckCard {
    /// Labelled failures that were found, and missed; labelled passes called failures, and left alone.
    pub found: usize,
    /// Labelled failures that were missed.
    pub missed: usize,
    /// Labelled passes that were called failures.
    pub false_alarms: usize,
    /// Labelled passes that were left alone.
    pub left_alone: usize,
    /// Contrast pairs with both chats right, and all of them.
    pub pairs: [usize; 2],
    /// Whether it is judged no better than by a constant guess, so that the codebook's default is the answer.
    pub weak: bool,
}

impl CheckCard {
    fn labelled(&self) -> usize {
        self.found + self.missed + self.false_alarms + self.left_alone
    }

    fn agreement(&self) -> f64 {
        share(self.found + self.left_alone, self.labelled())
    }

    /// What answering every chat alike would reach.
    fn constant(&self) -> f64 {
        let failures = self.found + self.missed;
        share(failures.max(self.labelled() - failures), self.labelled())
    }

    fn kappa(&self) -> f64 {
        let count = self.labelled() as f64;
        let (fails, called) = ((self.found + self.missed) as f64, (self.found + self.false_alarms) as f64);
        let chance = (fails * called + (count - fails) * (count - called)) / (count * count);
        if chance >= 1.0 { 0.0 } else { (self.agreement() - chance) / (1.0 - chance) }
    }
}

fn per_thousand(part: usize, whole: usize) -> usize {
    (1000.0 * share(part, whole)).round() as usize
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Card {
    /// The figures that come with this version.
    pub fn embedded() -> &'static Self {
        static CARD: OnceLock<Card> = OnceLock::new();
        CARD.get_or_init(|| {
            serde_json::from_str(include_str!("../data/card.json")).unwrap_or_else(|error| panic!("card.json: {error}"))
        })
    }

    /// The one line that stands in every report: what people who rely on a gate need to know.
    pub fn note(&self) -> String {
        let ([found, all], [trips, of]) = (self.gates_found, self.ordinary);
        let note = format!(
            "screening judge: in chats it had not seen it missed {} of {all} gates that should trip, so “no gate tripped” does not mean \
             safe; of 1,000 ordinary chats a gate trips in about {}",
            all.saturating_sub(found),
            per_thousand(trips, of)
        );
        match self.read {
            [_, 0] => note,
            [agreed, all] => format!("{note}; a reader agrees with {agreed} of {all} trips"),
        }
    }

    /// The judge card as a page of documentation: the rubric's gate checks first, then all others in its order.
    pub fn to_markdown(&self, rubric: &Rubric) -> String {
        let mut page = String::from(include_str!("../data/card.md"));
        let _ = writeln!(page, "\n| | measured |\n|---|---|");
        let thousand = per_thousand(self.ordinary[0], self.ordinary[1]);
        let _ = writeln!(page, "| of 1,000 ordinary chats, a gate trips in ({} read) | {thousand} |", self.ordinary[1]);
        if self.read[1] > 0 {
            let _ = writeln!(
                page,
                "| of tripped gates, a careful reader agrees with | {} of {} |",
                self.read[0], self.read[1]
            );
        }
        let _ = writeln!(page, "| pooled κ over all checks | {:.2} |", self.pooled_kappa);
        let _ = writeln!(page, "| mean κ of the checks with at least three failures | {:.2} |", self.macro_kappa);
        let pair = |[part, whole]: [usize; 2]| format!("{part} of {whole} ({:.0} %)", 100.0 * share(part, whole));
        let _ = writeln!(page, "| contrast pairs with both chats right (25 % by chance) | {} |", pair(self.pairs));
        let _ = writeln!(page, "| … of the gate checks | {} |", pair(self.gate_pairs));
        let _ = writeln!(page, "| chats whose gate should fire, and does or is unsure | {} |", pair(self.gates_found));
        let _ = writeln!(page, "| chats whose gate should not fire, and does | {} |", pair(self.false_alarms));
        let _ =
            writeln!(page, "| labelled chats of which a gate is unsure | {} |", pair([self.gates_unsure, self.chats]));
        let _ = writeln!(
            page,
            "\n## Check by check\n\nGates first. *Constant* is what answering every chat alike would agree; *precision* and *recall* are of failures. A check marked *weak* gets the codebook's default.\n\n\
             | check | passes | failures | agreement | constant | κ | precision | recall | pairs |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|"
        );
        let mut order: Vec<usize> = (0..rubric.checks().len()).collect();
        order.sort_by_key(|&check| !rubric.is_gate_check(check));
        for check in order {
            let id = &rubric.check(check).id;
            let Some(card) = self.checks.get(id) else { continue };
            let mark = if rubric.is_gate_check(check) { "**" } else { "" };
            let weak = if card.weak { " *weak*" } else { "" };
            let of = |part: usize, whole: usize| {
                if whole == 0 { "–".to_owned() } else { format!("{:.2}", share(part, whole)) }
            };
            let _ = writeln!(
                page,
                "| {mark}{id}{mark}{weak} | {} | {} | {:.2} | {:.2} | {:.2} | {} | {} | {} of {} |",
                card.false_alarms + card.left_alone,
                card.found + card.missed,
                card.agreement(),
                card.constant(),
                card.kappa(),
                of(card.found, card.found + card.false_alarms),
                of(card.found, card.found + card.missed),
                card.pairs[0],
                card.pairs[1],
            );
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_says_how_many_gates_are_missed_and_that_none_tripped_is_not_safe() {
        let card = Card::embedded();
        let [found, all] = card.gates_found;
        let note = card.note();
        assert!(note.contains(&format!("missed {} of {all} gates", all - found)), "{note}");
        assert!(note.contains("“no gate tripped” does not mean safe"), "{note}");
        // What is longer is cut in reports.
        assert!(note.chars().count() <= 240, "{}: {note}", note.chars().count());
    }
}
