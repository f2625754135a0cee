//! The chat, turn by turn, cut where evidence begins and ends.

use carelock_core::report::safe_text::as_said;
use carelock_core::transcript::{Speaker, Turn};

use crate::evidence::{Piece, Serve, checks_served};
use crate::outcome::Tone;
use crate::subject::Subject;

/// A turn with its evidence.
pub(crate) struct ShownTurn {
    pub(crate) idx: u32,
    pub(crate) anchor: String,
    pub(crate) who: &'static str,
    pub(crate) class: &'static str,
    pub(crate) segments: Vec<Segment>,
    pub(crate) notes: Vec<Note>,
    /// What cites this turn without words from it.
    pub(crate) cited: Vec<Serve>,
    /// What the margin holds in a few words, where it is folded because it holds much: `12 failed, 3 earned`.
    pub(crate) folded: Option<String>,
    /// The checks that anything in this turn serves.
    pub(crate) checks: String,
}

/// As many entries as a margin shows at once.
const IN_MARGIN: usize = 4;

/// A part of a turn in which the same evidence holds.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) text: String,
    pub(crate) mark: Option<Mark>,
    /// The pieces that end here, with the anchors of their notes.
    pub(crate) ends: Vec<(usize, String)>,
}

/// How a part that is evidence is shown.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) class: &'static str,
    /// Where the evidence is explained: the one check it serves, or the note that lists them.
    pub(crate) href: String,
    /// The anchors of the pieces that begin here.
    pub(crate) anchors: Vec<String>,
    /// The anchors of all pieces that hold here.
    pub(crate) quotes: String,
    pub(crate) checks: String,
}

/// What stands in the margin beside a piece of evidence.
pub(crate) struct Note {
    pub(crate) number: usize,
    pub(crate) anchor: String,
    pub(crate) quote: String,
    pub(crate) class: &'static str,
    pub(crate) checks: String,
    pub(crate) serves: Vec<Serve>,
}

pub(crate) fn turns(subject: &Subject<'_>) -> Vec<ShownTurn> {
    subject.report.turns.iter().map(|turn| shown(subject, turn)).collect()
}

fn shown(subject: &Subject<'_>, turn: &Turn) -> ShownTurn {
    let pieces: Vec<&Piece> = subject.evidence.in_turn(turn.idx).collect();
    let note = |piece: &&Piece| Note {
        number: piece.number,
        anchor: subject.anchors.note(piece.number),
        quote: subject.anchors.quote(piece.number),
        class: piece.tone().class(),
        checks: checks_served(&piece.serves),
        serves: piece.serves.clone(),
    };
    let cited = subject.evidence.citing(turn.idx);
    let serves: Vec<&Serve> = pieces.iter().flat_map(|piece| &piece.serves).chain(cited).collect();
    ShownTurn {
        idx: turn.idx,
        anchor: subject.anchors.turn(turn.idx),
        who: match turn.speaker {
            Speaker::Human => "Person",
            Speaker::Ai => "AI",
        },
        class: match turn.speaker {
            Speaker::Human => "human",
            Speaker::Ai => "ai",
        },
        segments: segments(subject, &turn.text, &pieces),
        notes: pieces.iter().map(note).collect(),
        cited: cited.to_vec(),
        folded: (serves.len() > IN_MARGIN).then(|| in_words(&serves)),
        checks: checks_served(serves),
    }
}

/// How many checks of which tone something serves, a check that is served twice counted once; gates by their names.
fn in_words(serves: &[&Serve]) -> String {
    let gates = serves.iter().filter(|serve| serve.sign == "▲").map(|serve| format!("▲ {}", serve.label));
    let mut words: Vec<String> = gates.collect();
    words.dedup();
    for (tone, word) in [(Tone::Bad, "failed"), (Tone::Good, "earned"), (Tone::Plain, "other")] {
        let is_counted = |serve: &&&Serve| serve.tone == tone && serve.sign != "▲" && serve.check.is_some();
        let mut anchors: Vec<&str> = serves.iter().filter(is_counted).map(|serve| serve.anchor.as_str()).collect();
        anchors.sort_unstable();
        anchors.dedup();
        if !anchors.is_empty() {
            words.push(format!("{} {word}", anchors.len()));
        }
    }
    words.join(", ")
}

/// Cuts the text wherever a piece begins or ends, so that pieces may overlap.
fn segments(subject: &Subject<'_>, text: &str, pieces: &[&Piece]) -> Vec<Segment> {
    let mut cuts: Vec<usize> = pieces.iter().flat_map(|piece| [piece.range.start, piece.range.end]).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    let part = |bounds: &[usize]| {
        let (start, end) = (bounds[0], bounds[1]);
        let here: Vec<&Piece> =
            pieces.iter().copied().filter(|piece| piece.range.start <= start && end <= piece.range.end).collect();
        let ends = here.iter().filter(|piece| piece.range.end == end);
        Segment {
            text: as_said(&text[start..end]),
            mark: mark(subject, &here, start),
            ends: ends.map(|piece| (piece.number, subject.anchors.note(piece.number))).collect(),
        }
    };
    cuts.windows(2).map(part).collect()
}

fn mark(subject: &Subject<'_>, here: &[&Piece], start: usize) -> Option<Mark> {
    // Of pieces that overlap, the shortest says most about the words both share.
    let inner = here.iter().min_by_key(|piece| piece.range.len())?;
    let tone = here.iter().fold(Tone::Plain, |tone, piece| tone.and(piece.tone()));
    let href = match inner.serves.as_slice() {
        [only] => only.anchor.clone(),
        _ => subject.anchors.note(inner.number),
    };
    let begin = here.iter().filter(|piece| piece.range.start == start);
    let anchors = begin.map(|piece| subject.anchors.quote(piece.number)).collect();
    let quotes: Vec<String> = here.iter().map(|piece| subject.anchors.quote(piece.number)).collect();
    let checks = checks_served(here.iter().flat_map(|piece| &piece.serves));
    Some(Mark { class: tone.class(), href, anchors, quotes: quotes.join(" "), checks })
}
