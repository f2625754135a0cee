//! The turns that matter, with what went well there and what would have been better.

use carelock_core::report::places;
use carelock_core::report::safe_text::{as_said, one_line};
use carelock_core::verdict::Highlight;

use crate::subject::{Quote, Subject, said};

/// A moment with what is said of it.
pub(crate) struct ShownMoment {
    pub(crate) anchor: String,
    /// Its number in the order of the chat.
    pub(crate) number: usize,
    pub(crate) quote: Option<Quote>,
    pub(crate) why: Option<String>,
    pub(crate) good: Vec<String>,
    pub(crate) bad: Vec<Better>,
}

/// What went wrong, and what would have been better.
pub(crate) struct Better {
    pub(crate) why: String,
    pub(crate) better: Option<String>,
}

/// The moments in the order of the chat.
pub(crate) fn moments(subject: &Subject<'_>) -> Vec<ShownMoment> {
    let report = subject.report;
    let mut shown = Vec::with_capacity(report.moments.len());
    for (number, moment) in (1..).zip(places::moments_in_order(report)) {
        let position = report.moments.iter().position(|other| other.id == moment.id).unwrap_or_default();
        let of = |highlight: &&Highlight| highlight.id == moment.id;
        // A judge that has one sentence for a moment says it once.
        let is_repeated = |why: &String| {
            let mut told = report.positive.iter().chain(&report.negative).filter(of);
            told.any(|highlight| one_line(&highlight.why) == *why)
        };
        shown.push(ShownMoment {
            anchor: subject.anchors.moment(position),
            number,
            quote: subject.quote(&[moment.idx], Some(&moment.quote)),
            why: said(&moment.why).filter(|why| !is_repeated(why)),
            good: report.positive.iter().filter(of).map(|good| as_said(&good.why)).collect(),
            bad: report.negative.iter().filter(of).map(better).collect(),
        });
    }
    shown
}

fn better(bad: &Highlight) -> Better {
    Better { why: as_said(&bad.why), better: bad.better.as_deref().map(as_said).filter(|text| !text.is_empty()) }
}
