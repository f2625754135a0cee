//! The page on one screen: of what failed only what matters most, each in a line, and what else there is to see.

use super::Page;
use super::paint::{Lead, Tone};
use crate::report::CheckReport;
use crate::report::safe_text::excerpt;
use crate::report::{names, places};
use crate::score::Score;

/// Things that are shown; a tripped gate is one of them.
const THINGS: usize = 5;
/// The last line a report has, whatever is in it.
const LINES: usize = 39;

/// One line of the list.
struct Thing {
    sign: &'static str,
    tone: Tone,
    text: String,
}

impl Page<'_> {
    /// What matters most, the worst first, and how to see the rest.
    pub(super) fn matters_most(&mut self) {
        let things = self.things();
        let room = LINES.saturating_sub(self.painter.lines() + 4);
        let shown = things.len().min(THINGS.saturating_sub(self.report.gates.len())).min(room);
        if shown > 0 {
            self.painter.heading("What matters most");
        }
        for thing in &things[..shown] {
            let first = format!("  {} ", thing.sign);
            let line = self.painter.width.saturating_sub(first.chars().count());
            // Lines break between words, so that two of them hold a little less than twice as much.
            let text = self.fit(&thing.text, if 2 * shown <= room { 2 * line - line / 6 } else { line });
            self.painter.block(Lead { first: &first, rest: "    ", tone: thing.tone }, Tone::Plain, "", &text);
        }
        let failed = self.report.checks().filter(|(_, _, check)| check.pass == Some(false)).count();
        let failed = match failed {
            0 => String::new(),
            1 => "the failed check with its evidence, ".to_owned(),
            count => format!("all {count} failed checks with their evidence, "),
        };
        self.painter.line("");
        let more = match self.report.gates.len() {
            0 | 1 => format!("--full shows {failed}the moments, what would have been better, and the self-audit"),
            _ => format!("--full shows {failed}and more"),
        };
        self.painter.block(Lead::indent(""), Tone::Faint, "", &more);
    }

    /// Checks that could not be judged where that matters, failures from the gravest to the least, then what went well.
    fn things(&self) -> Vec<Thing> {
        let glyphs = self.painter.glyphs;
        let mut failed: Vec<(bool, Option<Score>, Thing)> = Vec::new();
        let mut things = Vec::new();
        for (metric, id, check) in self.report.checks() {
            let position = self.rubric.position(id);
            let is_safety = position.is_some_and(|position| self.rubric.check(position).safety);
            let is_gate = self.report.gates.iter().any(|gate| gate.check.as_ref() == id);
            match check.pass {
                None if is_safety => {
                    let text = format!("{} not judged: {}", self.named(id), names::unscored_reason(check));
                    things.push(Thing { sign: glyphs.unscored, tone: Tone::Fair, text });
                }
                Some(false) if !is_gate => {
                    let score = self.report.metrics.get(metric).and_then(|metric| metric.score);
                    let thing = Thing { sign: glyphs.failed, tone: Tone::Bad, text: self.failure(id, check) };
                    failed.push((!is_safety, score, thing));
                }
                _ => {}
            }
        }
        failed.sort_by_key(|(rank, score, _)| (*rank, *score));
        things.extend(failed.into_iter().map(|(_, _, thing)| thing));
        let well = self.report.positive.iter().map(|highlight| excerpt(&highlight.why, LONGEST));
        things.extend(well.filter(|why| !why.is_empty()).map(|text| Thing { sign: "+", tone: Tone::Good, text }));
        things
    }

    fn named(&self, id: &str) -> String {
        names::check_name(self.rubric, id)
    }

    fn failure(&self, id: &str, check: &CheckReport) -> String {
        let name = names::judged_name(self.rubric, id, Some(check));
        let why = excerpt(&check.why, LONGEST);
        // That it was looked for in vain is what the reason says.
        let is_missing = places::searched(self.report, self.rubric, id, check).is_some();
        let place = names::cited_place(self.report, &check.turns, check.quote.as_deref()).filter(|_| !is_missing);
        let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
        if why.is_empty() { format!("{name}: failed{place}") } else { format!("{name}: {why}{place}") }
    }
}

/// More of a reason than fits any line.
const LONGEST: usize = 200;
