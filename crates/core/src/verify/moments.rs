//! Moments, and everything tied to them: what metrics rest on, highlights, and how many words were allowed.

use std::collections::BTreeSet;

use super::chat::{Chat, Spelling, speaker};
use super::json::Place;
use super::points::{Outcome, Points, shown};
use crate::verdict::word_count;

/// Checks the moments and gives the ids there are; nothing where the report has no moments.
pub(super) fn check(
    report: &Place<'_>,
    chat: &Chat,
    spelling: Spelling,
    most: Option<usize>,
    points: &mut Points,
) -> Option<BTreeSet<u32>> {
    let missing = if spelling == Spelling::Strict { Outcome::DoesNotHold } else { Outcome::CannotVerify };
    let place = report.key("moments");
    let items = points.list(&place, missing);
    place.items()?;
    at_most(&place, items.len(), most, points);
    let mut ids = BTreeSet::new();
    for (expected, item) in (1..).zip(&items) {
        let id = item.key("id");
        if id.number() != Some(expected) {
            points.fails(&id, format!("moment {expected} of the list is numbered {}", shown(id.value())));
        }
        ids.extend(id.number());
        check_one(item, chat, spelling, points);
    }
    Some(ids)
}

fn check_one(item: &Place<'_>, chat: &Chat, spelling: Spelling, points: &mut Points) {
    let (idx, who) = (item.key("idx"), item.key("speaker"));
    let number = idx.number();
    match number.map(|number| (number, chat.has(number))) {
        None => points.fails(&idx, format!("expected the number of a turn, found {}", shown(idx.value()))),
        Some((number, Some(false))) => {
            points.fails(&idx, format!("there is no turn {number}, the chat has {}", chat.last()));
        }
        Some((_, None)) => points.open(&idx, "the report has no turns"),
        Some((number, Some(true))) => points.holds(&idx, format!("there is a turn {number}")),
    }
    let named = who.text().and_then(|name| speaker(name, spelling));
    match (number.and_then(|number| chat.speaker(number)), named) {
        (_, None) => points.fails(&who, format!("expected HUMAN or AI, found {}", shown(who.value()))),
        (Some(real), Some(named)) if real != named => {
            points.fails(&who, format!("the report says {named}, the turn was said by {real}"));
        }
        (Some(real), Some(_)) => points.holds(&who, real.to_string()),
        (None, Some(_)) => points.open(&who, "there is no turn to compare it with"),
    }
    chat.check_quote(&item.key("quote"), number.as_slice(), points);
}

/// Whether ids point at moments that exist.
pub(super) fn check_ids(place: &Place<'_>, ids: Option<&BTreeSet<u32>>, points: &mut Points) {
    let Some(items) = place.items() else {
        return points.fails(place, format!("expected a list of moments, found {}", place.sort()));
    };
    let Some(ids) = ids else { return points.open(place, "the report has no moments") };
    let before = points.len();
    for item in &items {
        if item.number().is_none_or(|id| !ids.contains(&id)) {
            points.fails(place, format!("there is no moment {}", shown(item.value())));
        }
    }
    if points.len() == before {
        points.holds(place, shown(place.value()));
    }
}

/// Checks `positive` and `negative`: each tied to a moment, not too many.
pub(super) fn check_highlights(
    report: &Place<'_>,
    ids: Option<&BTreeSet<u32>>,
    missing: Outcome,
    most: Option<usize>,
    points: &mut Points,
) {
    for sort in ["positive", "negative"] {
        let place = report.key(sort);
        let items = points.list(&place, missing);
        if place.items().is_none() {
            continue;
        }
        at_most(&place, items.len(), most, points);
        for item in items {
            let id = item.key("id");
            match (id.number(), ids) {
                (_, None) => points.open(&id, "the report has no moments"),
                (Some(number), Some(ids)) if ids.contains(&number) => points.holds(&id, format!("moment {number}")),
                _ => points.fails(&id, format!("there is no moment {}", shown(id.value()))),
            }
        }
    }
}

fn at_most(place: &Place<'_>, count: usize, most: Option<usize>, points: &mut Points) {
    let Some(most) = most else { return points.open(place, "how many are allowed is in another rubric") };
    points.judge(
        place,
        if count <= most { Ok(count.to_string()) } else { Err(format!("{count}, where {most} are allowed")) },
    );
}

/// Whether a sentence is there, and short enough.
pub(super) fn check_words(place: &Place<'_>, most: Option<usize>, one_line: bool, points: &mut Points) {
    let Some(text) = place.text() else {
        return points.fails(place, format!("expected a text, found {}", place.sort()));
    };
    let words = word_count(text);
    if text.trim().is_empty() {
        return points.fails(place, "it is empty");
    }
    if one_line && text.trim().contains(['\n', '\r']) {
        return points.fails(place, "it has more than one line");
    }
    match most {
        None => points.open(place, "how many words are allowed is in another rubric"),
        Some(most) if words <= most => points.holds(place, format!("{words} of at most {most} words")),
        Some(most) => points.fails(place, format!("{words} words, where {most} are allowed")),
    }
}
