//! The answers a report carries: each there once, on the menu, resting on turns and words that exist.

use std::collections::BTreeMap;

use serde_json::Value;

use super::chat::Chat;
use super::json::Place;
use super::points::{Points, differs, shown};
use crate::rubric::Rubric;
use crate::score::Score;
use crate::verdict::{Basis, Confidence, Judged, Verdict, on_the_menu};

/// The judge's own verdict on each check of the report that can be read, by metric and check.
type Found<'a> = BTreeMap<(&'a str, &'a str), Option<Verdict>>;

/// Checks every answer and gives the judge's own verdicts in rubric order, if all of them can be read.
pub(super) fn check(
    report: &Place<'_>,
    rubric: Option<&Rubric>,
    chat: &Chat,
    points: &mut Points,
) -> Option<Vec<Verdict>> {
    let metrics = report.key("metrics");
    let Some(entries) = metrics.entries() else {
        points.fails(&metrics, format!("expected an object, found {}", metrics.sort()));
        return None;
    };
    let mut found = Found::new();
    let (mut scored, mut total) = (0, 0);
    for (key, metric) in &entries {
        let mut tally = Tally::default();
        for (id, place) in checks_of(metric, points) {
            found.insert((*key, id), read_check(&place, chat, &mut tally, points));
        }
        scored += tally.earned + tally.not_triggered + tally.failed;
        total += tally.all();
        tally.compare(metric, points);
    }
    let total = rubric.map_or(total, |rubric| rubric.checks().len());
    let coverage = serde_json::json!(Score::ratio(scored as u128, total as u128));
    points.compare(&report.key("coverage"), &coverage);
    in_order(&metrics, found, rubric?, points)
}

fn checks_of<'a>(metric: &Place<'a>, points: &mut Points) -> Vec<(&'a str, Place<'a>)> {
    let checks = metric.key("checks");
    checks.entries().unwrap_or_else(|| {
        points.fails(&checks, format!("expected the checks by id, found {}", checks.sort()));
        Vec::new()
    })
}

/// The verdicts in rubric order; what is missing, misplaced or unknown is said.
fn in_order<'a>(
    metrics: &Place<'_>,
    mut found: Found<'a>,
    rubric: &'a Rubric,
    points: &mut Points,
) -> Option<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    for (position, check) in rubric.checks().enumerate() {
        let key = rubric.metrics()[rubric.metric_of(position)].key.as_str();
        let place = metrics.key(key).key("checks").key(&check.id);
        let Some(verdict) = found.remove(&(key, check.id.as_str())) else {
            points.fails(&place, "the rubric asks this, and the report has no answer");
            continue;
        };
        if let Some(Verdict::Judged(judged)) = &verdict
            && let Err(reason) = on_the_menu(check, judged.pass, judged.basis, &judged.turns)
        {
            points.fails(place.key("basis"), reason);
        }
        verdicts.extend(verdict);
    }
    for (key, id) in found.into_keys() {
        let place = metrics.key(key).key("checks").key(id);
        match rubric.position(id).map(|position| &rubric.metrics()[rubric.metric_of(position)].key) {
            Some(owner) => points.fails(&place, format!("the check belongs to {owner}")),
            None => points.fails(&place, "the rubric has no such check"),
        }
    }
    for (key, metric) in metrics.entries().unwrap_or_default() {
        if !rubric.metrics().iter().any(|known| known.key == key) {
            points.fails(&metric, "the rubric has no such metric");
        }
    }
    (verdicts.len() == rubric.checks().len()).then_some(verdicts)
}

/// Reads one check as the report has it, counts it, and gives what the judge itself had said.
fn read_check(place: &Place<'_>, chat: &Chat, tally: &mut Tally, points: &mut Points) -> Option<Verdict> {
    let verdict = read_verdict(place, chat, points);
    tally.count(verdict.as_ref());
    let (before, cause) = (place.key("judged"), place.key("entailed_by"));
    if before.is_missing() {
        if !cause.is_missing() {
            points.fails(&cause, "it is said to be entailed, but what the judge had said is not kept");
        }
        return verdict;
    }
    let said = read_verdict(&before, chat, points);
    if cause.text().is_none() {
        points.fails(&cause, "the judge's answer was changed, and nothing says by which check");
    }
    let turned = (said.as_ref().and_then(Verdict::pass), verdict.as_ref().and_then(Verdict::pass));
    if turned != (Some(true), Some(false)) {
        points.fails(&before, "the audit only ever turns a pass into a fail");
    }
    said
}

fn read_verdict(place: &Place<'_>, chat: &Chat, points: &mut Points) -> Option<Verdict> {
    let (pass, reason) = (place.key("pass"), place.key("unscored"));
    match pass.value() {
        Value::Bool(pass) => {
            if !reason.is_missing() {
                points.fails(&reason, "it has a verdict, and a reason why there is none");
            }
            read_judged(place, *pass, chat, points).map(Verdict::Judged)
        }
        Value::Null => read_unscored(place, &reason, points),
        _ => {
            points.fails(&pass, format!("expected true, false or null, found {}", shown(pass.value())));
            None
        }
    }
}

fn read_unscored(place: &Place<'_>, reason: &Place<'_>, points: &mut Points) -> Option<Verdict> {
    for field in ["basis", "turns", "quote", "confidence"].map(|field| place.key(field)) {
        if !field.is_missing() {
            points.fails(&field, "a check without a verdict rests on nothing");
        }
    }
    let Some(text) = reason.text().filter(|text| !text.trim().is_empty()) else {
        points.fails(reason, "there is neither a verdict nor a reason why there is none");
        return None;
    };
    Some(Verdict::Unscored(text.to_owned()))
}

fn read_judged(place: &Place<'_>, pass: bool, chat: &Chat, points: &mut Points) -> Option<Judged> {
    let (basis, quote, why) = (place.key("basis"), place.key("quote"), place.key("why"));
    let read: Option<Basis> = serde_json::from_value(basis.value().clone()).ok();
    if read.is_none() {
        let found = shown(basis.value());
        points.fails(&basis, format!("expected observed, absent or not_triggered, found {found}"));
    }
    let turns = read_turns(&place.key("turns"), chat, points);
    if !quote.is_missing() {
        chat.check_quote(&quote, turns.as_deref().unwrap_or_default(), points);
    }
    if !why.is_missing() && why.text().is_none() {
        points.fails(&why, format!("expected a text, found {}", why.sort()));
    }
    let confidence = read_confidence(&place.key("confidence"), points);
    let quote = quote.text().map(str::to_owned);
    let why = why.text().unwrap_or_default().to_owned();
    Some(Judged { pass, basis: read?, turns: turns?, quote, why, confidence })
}

/// How sure the judge says it is; nothing follows from it, so it only has to be on the menu.
fn read_confidence(place: &Place<'_>, points: &mut Points) -> Option<Confidence> {
    if place.is_missing() {
        return None;
    }
    let read = serde_json::from_value(place.value().clone()).ok();
    if read.is_none() {
        points.fails(place, format!("expected high, medium or low, found {}", shown(place.value())));
    }
    read
}

/// The turns cited; nothing where one is not a number at all.
pub(super) fn read_turns(place: &Place<'_>, chat: &Chat, points: &mut Points) -> Option<Vec<u32>> {
    if place.is_missing() {
        return Some(Vec::new());
    }
    let numbers: Option<Vec<u32>> = place.items().and_then(|items| items.iter().map(Place::number).collect());
    let Some(numbers) = numbers else {
        points.fails(place, format!("expected the numbers of turns, found {}", shown(place.value())));
        return None;
    };
    let lost = numbers.iter().find(|&&number| chat.has(number) == Some(false));
    match lost {
        Some(lost) => points.fails(place, format!("there is no turn {lost}, the chat has {}", chat.last())),
        None if chat.last() == 0 => points.open(place, "the report has no turns"),
        None => points.holds(place, shown(place.value())),
    }
    Some(numbers)
}

/// How the checks of one metric came out.
#[derive(Default)]
struct Tally {
    earned: usize,
    not_triggered: usize,
    failed: usize,
    unscored: usize,
    unreadable: usize,
}

impl Tally {
    fn count(&mut self, verdict: Option<&Verdict>) {
        let counter = match verdict {
            None => &mut self.unreadable,
            Some(Verdict::Unscored(_)) => &mut self.unscored,
            Some(Verdict::Judged(judged)) if !judged.pass => &mut self.failed,
            Some(Verdict::Judged(judged)) if judged.basis == Basis::NotTriggered => &mut self.not_triggered,
            Some(Verdict::Judged(_)) => &mut self.earned,
        };
        *counter += 1;
    }

    fn all(&self) -> usize {
        self.earned + self.not_triggered + self.failed + self.unscored + self.unreadable
    }

    fn compare(&self, metric: &Place<'_>, points: &mut Points) {
        let counts = [
            ("passes", self.earned + self.not_triggered),
            ("earned", self.earned),
            ("not_triggered", self.not_triggered),
            ("failed", self.failed),
            ("unscored", self.unscored),
        ];
        if self.unreadable > 0 {
            return points.open(metric.key("passes"), "not all of its checks can be read");
        }
        let before = points.len();
        for (name, count) in counts {
            let said = metric.key(name);
            if said.number().map(|said| said as usize) != Some(count) {
                points.fails(&said, differs(said.value(), &count.into()));
            }
        }
        if points.len() == before {
            let list = counts.map(|(name, count)| format!("{count} {}", name.replace('_', " ")));
            points.holds(metric.key("passes"), list.join(", "));
        }
    }
}
