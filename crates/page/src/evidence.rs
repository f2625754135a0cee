//! Every piece of evidence of a report: where it stands in the chat, its number, and what it serves.

use std::collections::BTreeMap;
use std::ops::Range;

use carelock_core::report::safe_text::one_line;
use carelock_core::report::{CheckReport, Report, names, places};
use carelock_core::rubric::Rubric;

use crate::anchor::Anchors;
use crate::outcome::{Outcome, Tone};

/// Words of the chat that something rests on.
pub(crate) struct Piece {
    /// Its number on the page, from 1, in the order of the chat.
    pub(crate) number: usize,
    pub(crate) turn: u32,
    pub(crate) range: Range<usize>,
    pub(crate) serves: Vec<Serve>,
}

impl Piece {
    pub(crate) fn tone(&self) -> Tone {
        self.serves.iter().fold(Tone::Plain, |tone, serve| tone.and(serve.tone))
    }
}

/// What evidence is for: a check, a gate or a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Serve {
    pub(crate) sign: &'static str,
    pub(crate) label: String,
    /// What the label is short for: the check's name, what the AI did.
    pub(crate) name: String,
    /// What became of it, for those who cannot see the sign: `: failed`.
    pub(crate) rest: String,
    pub(crate) anchor: String,
    /// The anchor of the check it belongs to; moments belong to none.
    pub(crate) check: Option<String>,
    pub(crate) tone: Tone,
}

/// Where words stand: the turn, and the bytes of its text.
type Place = (u32, usize, usize);

/// All evidence of a report.
pub(crate) struct Evidence {
    pieces: Vec<Piece>,
    /// What cites a turn without words from it.
    cited: BTreeMap<u32, Vec<Serve>>,
}

impl Evidence {
    pub(crate) fn new(report: &Report, rubric: &Rubric, anchors: &Anchors) -> Self {
        let mut gathering = Gathering { report, places: BTreeMap::new(), cited: BTreeMap::new() };
        for (position, gate) in report.gates.iter().enumerate() {
            let label = format!("gate {}", one_line(&gate.check));
            let name = one_line(&gate.says);
            let check = report.checks().position(|(_, id, _)| *id == *gate.check).map(|at| anchors.check(at));
            let (anchor, rest) = (anchors.gate(position), String::new());
            let serve = Serve { sign: "▲", label, name, rest, anchor, check, tone: Tone::Bad };
            // The turns it cites are those of its check, which is listed beside them.
            gathering.quoted(&gate.turns, gate.quote.as_deref(), &serve);
        }
        for (position, (_, id, check)) in report.checks().enumerate() {
            let named = Named::new(id, rubric, anchors.check(position));
            // That nothing was found is shown by no turn in particular.
            let is_shown = |check: &CheckReport| !places::is_clean_pass(rubric, id, check);
            if is_shown(check) {
                gathering.check(check, &named);
            }
            for own in members(report) {
                let theirs = own.checks().find(|(_, theirs, _)| *theirs == id).map(|(_, _, theirs)| theirs);
                if let Some(theirs) = theirs.filter(|theirs| is_shown(theirs)) {
                    gathering.vote(theirs, Outcome::new(check), &own.judge.name, &named);
                }
            }
        }
        for (position, moment) in report.moments.iter().enumerate() {
            let good = report.positive.iter().any(|highlight| highlight.id == moment.id);
            let bad = report.negative.iter().any(|highlight| highlight.id == moment.id);
            let tone = match (good, bad) {
                (true, false) => Tone::Good,
                (false, true) => Tone::Bad,
                (true, true) => Tone::Mixed,
                (false, false) => Tone::Plain,
            };
            let number = places::moment_number(report, moment.id).unwrap_or(position + 1);
            let (label, name, rest) = (format!("moment {number}"), String::new(), String::new());
            let serve = Serve { sign: "◆", label, name, rest, anchor: anchors.moment(position), check: None, tone };
            gathering.words(&[moment.idx], Some(&moment.quote), &serve);
        }
        gathering.numbered()
    }

    /// The pieces that stand in a turn, in their order.
    pub(crate) fn in_turn(&self, idx: u32) -> impl Iterator<Item = &Piece> {
        let first = self.pieces.partition_point(|piece| piece.turn < idx);
        self.pieces[first..].iter().take_while(move |piece| piece.turn == idx)
    }

    /// The pieces that serve the check with this anchor.
    pub(crate) fn serving(&self, check: &str) -> impl Iterator<Item = &Piece> {
        let serves = move |piece: &&Piece| piece.serves.iter().any(|serve| serve.check.as_deref() == Some(check));
        self.pieces.iter().filter(serves)
    }

    /// What cites a turn without words from it.
    pub(crate) fn citing(&self, idx: u32) -> &[Serve] {
        self.cited.get(&idx).map_or(&[], Vec::as_slice)
    }

    /// The piece that these words are.
    pub(crate) fn piece(&self, report: &Report, turns: &[u32], quote: &str) -> Option<&Piece> {
        let (turn, start, end) = place(report, turns, quote)?;
        self.in_turn(turn).find(|piece| piece.range == (start..end))
    }
}

/// The own reports of a panel's judges.
pub(crate) fn members(report: &Report) -> &[Report] {
    report.panel.as_ref().map_or(&[], |panel| panel.reports.as_slice())
}

/// The words in the first of the cited turns that has them.
fn place(report: &Report, turns: &[u32], quote: &str) -> Option<Place> {
    if quote.trim().is_empty() {
        return None;
    }
    let turn = names::cited_turn(report, turns, Some(quote))?;
    let start = turn.text.find(quote)?;
    Some((turn.idx, start, start + quote.len()))
}

/// A check as evidence names it.
struct Named {
    label: String,
    name: String,
    anchor: String,
}

impl Named {
    fn new(id: &str, rubric: &Rubric, anchor: String) -> Self {
        let title = rubric.position(id).map(|position| one_line(&rubric.check(position).title));
        Self { label: one_line(id), name: title.unwrap_or_default(), anchor }
    }

    fn serve(&self, outcome: Outcome, note: &str, tone: Tone) -> Serve {
        Serve {
            sign: outcome.sign(),
            label: self.label.clone(),
            name: self.name.clone(),
            rest: format!(": {}{note}", outcome.word()),
            anchor: self.anchor.clone(),
            check: Some(self.anchor.clone()),
            tone,
        }
    }
}

struct Gathering<'a> {
    report: &'a Report,
    places: BTreeMap<Place, Vec<Serve>>,
    cited: BTreeMap<u32, Vec<Serve>>,
}

impl Gathering<'_> {
    fn check(&mut self, check: &CheckReport, named: &Named) {
        let outcome = Outcome::new(check);
        self.words(&check.turns, check.quote.as_deref(), &named.serve(outcome, "", outcome.tone()));
        self.overruled(check, named);
    }

    /// What a judge of a panel quotes counts as well; where the panel did not follow, its words decide nothing.
    fn vote(&mut self, check: &CheckReport, panel: Outcome, judge: &str, named: &Named) {
        let outcome = Outcome::new(check);
        let serve = if outcome == panel {
            named.serve(outcome, "", outcome.tone())
        } else {
            named.serve(outcome, &format!(" according to {}", one_line(judge)), Tone::Plain)
        };
        self.words(&check.turns, check.quote.as_deref(), &serve);
        self.overruled(check, named);
    }

    /// Words for a verdict that the audit turned: they were quoted, but speak for nothing any more.
    fn overruled(&mut self, check: &CheckReport, named: &Named) {
        if let Some(before) = &check.judged {
            let serve = named.serve(Outcome::new(before), ", overruled by the self-audit", Tone::Plain);
            self.words(&before.turns, before.quote.as_deref(), &serve);
        }
    }

    fn words(&mut self, turns: &[u32], quote: Option<&str>, serve: &Serve) {
        let found = self.quoted(turns, quote, serve);
        for &turn in turns.iter().filter(|turn| found != Some(**turn)) {
            push(self.cited.entry(turn).or_default(), serve);
        }
    }

    /// Notes the words alone; the turn they stand in.
    fn quoted(&mut self, turns: &[u32], quote: Option<&str>, serve: &Serve) -> Option<u32> {
        let place = place(self.report, turns, quote?)?;
        push(self.places.entry(place).or_default(), serve);
        Some(place.0)
    }

    fn numbered(self) -> Evidence {
        let pieces = (1..).zip(self.places).map(|(number, ((turn, start, end), serves))| Piece {
            number,
            turn,
            range: start..end,
            serves,
        });
        Evidence { pieces: pieces.collect(), cited: self.cited }
    }
}

/// The anchors of the checks that are served, each once, as an attribute lists them.
pub(crate) fn checks_served<'a>(serves: impl IntoIterator<Item = &'a Serve>) -> String {
    let mut anchors: Vec<&str> = Vec::new();
    for anchor in serves.into_iter().filter_map(|serve| serve.check.as_deref()) {
        if !anchors.contains(&anchor) {
            anchors.push(anchor);
        }
    }
    anchors.join(" ")
}

/// Judges of a panel who say the same are shown once.
fn push(serves: &mut Vec<Serve>, serve: &Serve) {
    if !serves.contains(serve) {
        serves.push(serve.clone());
    }
}
