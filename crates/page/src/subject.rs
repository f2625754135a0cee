//! What every part of a page looks at: the report, its rubric, its anchors and its evidence.

use askama::Template;
use askama::filters::HtmlSafe;
use carelock_core::report::safe_text::{as_said, one_line};
use carelock_core::report::{CheckReport, Report, names, places};
use carelock_core::rubric::Rubric;

use crate::anchor::Anchors;
use crate::evidence::Evidence;

pub(crate) struct Subject<'a> {
    pub(crate) report: &'a Report,
    pub(crate) rubric: &'a Rubric,
    pub(crate) anchors: Anchors,
    pub(crate) evidence: Evidence,
}

/// A link inside the page.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) anchor: String,
    pub(crate) text: String,
}

/// Words of the chat where something else quotes them.
#[derive(Template)]
#[template(path = "quote.html", whitespace = "minimize")]
pub(crate) struct Quote {
    words: String,
    /// The number and the anchor of the words in the chat; nothing where they do not stand there.
    found: Option<(usize, String)>,
    turns: Vec<Link>,
    place: String,
}

impl HtmlSafe for Quote {}

impl<'a> Subject<'a> {
    pub(crate) fn new(report: &'a Report, rubric: &'a Rubric, number: usize) -> Self {
        let anchors = Anchors::new(report, number);
        let evidence = Evidence::new(report, rubric, &anchors);
        Self { report, rubric, anchors, evidence }
    }

    /// A quote with links to its words and to the other turns cited; nothing where there is neither.
    pub(crate) fn quote(&self, turns: &[u32], quote: Option<&str>) -> Option<Quote> {
        let words = quote.filter(|quote| !quote.trim().is_empty());
        let piece = words.and_then(|words| self.evidence.piece(self.report, turns, words));
        let others = turns.iter().filter(|turn| piece.is_none_or(|piece| piece.turn != **turn));
        let others: Vec<Link> = others.filter_map(|&idx| self.turn_link(idx)).collect();
        if words.is_none() && others.is_empty() {
            return None;
        }
        let place = piece.and_then(|piece| names::turn(self.report, piece.turn));
        Some(Quote {
            words: words.map(as_said).unwrap_or_default(),
            found: piece.map(|piece| (piece.number, self.anchors.quote(piece.number))),
            turns: others,
            place: place.map(|turn| names::place(turn.idx, turn.speaker)).unwrap_or_default(),
        })
    }

    /// The words or turns a check rests on; nothing where it is passed because nothing against it was found.
    pub(crate) fn proof(&self, id: &str, check: &CheckReport) -> Option<Quote> {
        let is_clean = places::is_clean_pass(self.rubric, id, check);
        if is_clean { None } else { self.quote(&check.turns, check.quote.as_deref()) }
    }

    /// A link to a turn the chat has.
    pub(crate) fn turn_link(&self, idx: u32) -> Option<Link> {
        let turn = names::turn(self.report, idx)?;
        Some(Link { anchor: self.anchors.turn(idx), text: format!("{idx}, {}", names::who(turn.speaker)) })
    }

    /// Where a check of this report stands, by its id.
    pub(crate) fn check_anchor(&self, id: &str) -> Option<String> {
        let position = self.report.checks().position(|(_, known, _)| known == id)?;
        Some(self.anchors.check(position))
    }

    /// The check's name without its id.
    pub(crate) fn check_title(&self, id: &str) -> String {
        self.rubric.position(id).map(|position| one_line(&self.rubric.check(position).title)).unwrap_or_default()
    }
}

/// Text on one line, or nothing where there is none.
pub(crate) fn said(text: &str) -> Option<String> {
    Some(one_line(text)).filter(|text| !text.is_empty())
}
