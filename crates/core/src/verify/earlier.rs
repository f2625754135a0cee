//! Reports of the earlier Python Care-Lock: no answers were kept, so only what is left can be checked.

use super::chat::{Chat, Spelling};
use super::json::Place;
use super::moments;
use super::points::{Outcome, Points, shown};
use crate::rubric::Rubric;
use crate::score::Score;

/// Names under which earlier reports keep the overall score, without case and punctuation.
const OVERALL: [&str; 6] = ["overall", "overallscore", "finalscore", "totalscore", "averagescore", "carelockscore"];

/// Names under which they keep the chat's id.
const IDS: [&str; 5] = ["id", "transcript_id", "conversation_id", "chat_id", "session_id"];

/// Checks all claims and gives the chat's id.
pub(super) fn check(report: &Place<'_>, rubric: &Rubric, points: &mut Points) -> Option<String> {
    let id = IDS.iter().find_map(|name| report.key(name).text());
    let limits = rubric.limits();
    let chat = Chat::read(&report.key("turns"), id.unwrap_or_default(), Spelling::AnyCase, points);
    let ids = moments::check(report, &chat, Spelling::AnyCase, Some(limits.moments), points);
    let metrics = report.key("metrics").entries().unwrap_or_default();
    let (mut scores, mut overalls) = (vec![None; rubric.metrics().len()], overalls(report));
    let mut seen = vec![false; scores.len()];
    for (key, metric) in metrics {
        let Some(position) = position(rubric, key) else {
            match OVERALL.contains(&plain(key).as_str()) {
                true => overalls.push(metric),
                false => points.open(&metric, "the framework has no such metric"),
            }
            continue;
        };
        if std::mem::replace(&mut seen[position], true) {
            points.fails(&metric, format!("a second entry for {}", rubric.metrics()[position].key));
            continue;
        }
        scores[position] = check_metric(&metric, rubric, position, points);
        if metric.entries().is_some() {
            let ev = metric.key("ev");
            match ev.items().is_some_and(|items| items.is_empty()) && ids.is_some() {
                true => points.fails(&ev, "it rests on no moment, and nothing in it says why"),
                false => moments::check_ids(&ev, ids.as_ref(), points),
            }
            moments::check_words(&metric.key("why"), Some(limits.why_words), false, points);
        }
    }
    for (metric, _) in rubric.metrics().iter().zip(seen).filter(|(_, seen)| !seen) {
        points
            .open(format!("metrics.{}", metric.key), "the report has no such metric, so nothing can be said about it");
    }
    check_distances(rubric, &scores, points);
    check_overalls(&overalls, rubric, &scores, points);
    moments::check_highlights(report, ids.as_ref(), Outcome::CannotVerify, Some(limits.highlights), points);
    match report.key("summary") {
        summary if summary.is_missing() => points.open(&summary, "the report has none"),
        summary => moments::check_words(&summary, Some(limits.summary_words), true, points),
    }
    id.map(str::to_owned)
}

/// A name without case, spaces and punctuation.
fn plain(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The metric a key names: its own, an older one, or its title, however it is written.
fn position(rubric: &Rubric, key: &str) -> Option<usize> {
    let wanted = plain(key);
    rubric.metric_position(key).or_else(|| {
        rubric.metrics().iter().position(|metric| {
            [&metric.key, &metric.title].into_iter().chain(&metric.aliases).any(|name| plain(name) == wanted)
        })
    })
}

fn overalls<'a>(report: &Place<'a>) -> Vec<Place<'a>> {
    let fields = report.entries().unwrap_or_default().into_iter();
    fields.filter(|(name, _)| OVERALL.contains(&plain(name).as_str())).map(|(_, place)| place).collect()
}

/// A number on its own, or the `score` of an object.
fn score_of<'a>(place: &Place<'a>) -> Place<'a> {
    if place.entries().is_some() { place.key("score") } else { place.clone() }
}

/// A score from 0 to 1, in millionths: earlier scores need not be whole hundredths.
fn millionths(place: &Place<'_>) -> Option<u128> {
    let number = place.value().as_f64().filter(|number| (0.0..=1.0).contains(number))?;
    // In range, so the cast cannot lose anything.
    Some((number * 1e6).round() as u128)
}

fn check_metric(metric: &Place<'_>, rubric: &Rubric, position: usize, points: &mut Points) -> Option<u128> {
    let place = score_of(metric);
    let Some(score) = millionths(&place) else {
        let found = shown(place.value());
        match place.is_missing() {
            true => points.open(&place, "there is no score"),
            false => points.fails(&place, format!("expected a score from 0 to 1, found {found}")),
        }
        return None;
    };
    let tier = rubric.file().tier.iter().find(|tier| in_millionths(tier.score) == score);
    let gated = rubric.gates().iter().any(|gate| gate.metric == position);
    let claim = format!("{place} (tier)");
    match tier {
        Some(tier) => points.holds(claim, format!("{} is {}", tier.score, tier.label)),
        None if gated && score == 0 => points.holds(claim, "0.00 is what its gate gives"),
        None => {
            let tiers: Vec<String> = rubric.file().tier.iter().map(|tier| tier.score.to_string()).collect();
            let found = shown(place.value());
            points.fails(claim, format!("{found} lies on no tier: there are {}", tiers.join(", ")));
        }
    }
    points.underived(&place, "no sub-check answers were kept, so the score cannot be re-derived");
    Some(score)
}

fn in_millionths(score: Score) -> u128 {
    u128::from(score.hundredths()) * 10_000
}

/// Metrics that describe one quality and lie far apart: the self-audit should have acted, and kept no record.
fn check_distances(rubric: &Rubric, scores: &[Option<u128>], points: &mut Points) {
    let Some(rule) = &rubric.file().audit.incoherent else { return };
    for &(left, right) in rubric.pairs() {
        let (Some(left_score), Some(right_score)) = (scores[left], scores[right]) else { continue };
        let gated = |metric, score| score == 0 && rubric.gates().iter().any(|gate| gate.metric == metric);
        if left_score.abs_diff(right_score) < in_millionths(rule.lower_gap)
            || gated(left, left_score)
            || gated(right, right_score)
        {
            continue;
        }
        let key = |position: usize| &rubric.metrics()[position].key;
        let what = format!("metrics.{} and metrics.{}", key(left), key(right));
        points.open(what, "they lie so far apart that the self-audit lowers one of them, and no audit was kept");
    }
}

fn check_overalls(overalls: &[Place<'_>], rubric: &Rubric, scores: &[Option<u128>], points: &mut Points) {
    if overalls.is_empty() {
        let derived = mean(rubric, scores).map(|score| format!("; its scores give {score}")).unwrap_or_default();
        points.open("overall", format!("the report states no overall score{derived}"));
    }
    for overall in overalls {
        let place = score_of(overall);
        match millionths(&place) {
            Some(said) => check_overall(&place, said, rubric, scores, points),
            None => points.fails(&place, format!("expected a score from 0 to 1, found {}", shown(place.value()))),
        }
    }
}

fn check_overall(place: &Place<'_>, said: u128, rubric: &Rubric, scores: &[Option<u128>], points: &mut Points) {
    let found = shown(place.value());
    if let Some((key, cap)) = cap(rubric, scores).filter(|&(_, cap)| said > in_millionths(cap)) {
        return points
            .fails(place, format!("{key} is 0.00, so a gate was tripped: at most {cap}, the report says {found}"));
    }
    if let Some(derived) = mean(rubric, scores) {
        let detail = format!("the report says {found}, the mean of its scores under the gates is {derived}");
        return match in_millionths(derived) == said {
            true => points.holds(place, detail),
            false => points.fails(place, detail),
        };
    }
    let missing = scores.iter().filter(|score| score.is_none()).count();
    let (least, all) = (scores.iter().flatten().sum::<u128>(), scores.len() as u128);
    let ratio = |sum: u128| Score::ratio(sum, all * 1_000_000);
    let (least, most) = (ratio(least), ratio(least + missing as u128 * 1_000_000));
    let gated = cap(rubric, scores).is_some();
    let detail = format!(
        "{missing} metrics have no score; with them it lies between {least} and {most}, the report says {found}"
    );
    match (gated || in_millionths(least) <= said) && said <= in_millionths(most) {
        true => points.open(place, detail),
        false => points.fails(place, detail),
    }
}

/// The lowest cap of the gates that were tripped, with the metric that shows it.
fn cap<'a>(rubric: &'a Rubric, scores: &[Option<u128>]) -> Option<(&'a str, Score)> {
    let tripped = rubric.gates().iter().filter(|gate| scores[gate.metric] == Some(0));
    tripped.map(|gate| (rubric.metrics()[gate.metric].key.as_str(), gate.cap)).min_by_key(|&(_, cap)| cap)
}

/// The mean of all metrics, half-up to hundredths, then the cap; nothing while a score is missing.
fn mean(rubric: &Rubric, scores: &[Option<u128>]) -> Option<Score> {
    let all: Option<Vec<u128>> = scores.iter().copied().collect();
    let mean = Score::ratio(all?.iter().sum(), scores.len() as u128 * 1_000_000);
    Some(cap(rubric, scores).map_or(mean, |(_, cap)| mean.min(cap)))
}
