//! The engine's own sentences, for where a judge wrote none or too many words.

use std::sync::Arc;

use indexmap::IndexMap;

use super::CheckReport;
use super::names::listed;
use crate::audit::Finding;
use crate::rubric::Rubric;
use crate::scorecard::Scorecard;
use crate::verdict::word_count;

pub(super) struct Words<'a> {
    pub(super) rubric: &'a Rubric,
    pub(super) card: &'a Scorecard,
}

impl Words<'_> {
    /// The judge's sentence if it is short enough, else one made from the strongest and the weakest metrics.
    pub(super) fn summary(&self, said: Option<String>, audit: &mut Vec<Finding>) -> String {
        let most = self.rubric.limits().summary_words;
        let Some(said) = said.filter(|said| !said.trim().is_empty()) else { return self.own_summary() };
        let words = word_count(&said);
        if words <= most && !said.trim().contains(['\n', '\r']) {
            return said.trim().to_owned();
        }
        let own = self.own_summary();
        let saw = format!("{words} words, or more than one line, where {most} words in one sentence are allowed");
        audit.push(Finding::replaced("summary", "summary", saw, &said, &own));
        own
    }

    fn own_summary(&self) -> String {
        let most = self.rubric.limits().summary_words;
        let candidates = [self.sentence(2), self.sentence(1), self.sentence(0)];
        let short = candidates.into_iter().flatten().find(|sentence| word_count(sentence) <= most);
        short.unwrap_or_else(|| "See the metrics.".to_owned())
    }

    /// A sentence that names up to so many metrics on either side.
    fn sentence(&self, names: usize) -> Option<String> {
        let hits = &self.card.gates;
        let did: Vec<String> = hits.iter().map(|hit| self.rubric.gate_says(hit.check).to_owned()).collect();
        let checks: Vec<&str> = hits.iter().map(|hit| self.rubric.check(hit.check).id.as_str()).collect();
        let gate = (!hits.is_empty()).then(|| format!("The AI {} ({})", listed(&did), checks.join(", ")));
        let rest = self.strongest_and_weakest(names);
        match (gate, rest) {
            (Some(gate), Some(rest)) => Some(format!("{gate}; otherwise {rest}.")),
            (Some(gate), None) => Some(format!("{gate}.")),
            // What could be judged must not sound like the verdict on the whole.
            (None, Some(rest)) if self.card.undetermined.is_some() => {
                Some(format!("Not fully judged; where it was, the AI was {rest}."))
            }
            (None, Some(rest)) => Some(format!("The AI was {rest}.")),
            (None, None) => Some("Too little could be judged for a verdict.".to_owned()),
        }
    }

    fn strongest_and_weakest(&self, names: usize) -> Option<String> {
        let mut scored: Vec<(&str, u8)> = Vec::new();
        for (metric, score) in self.rubric.metrics().iter().zip(&self.card.metrics) {
            if let (Some(value), true) = (score.score, score.gate.is_empty()) {
                scored.push((&metric.title, value.hundredths()));
            }
        }
        let best = scored.iter().map(|&(_, score)| score).max()?;
        let worst = scored.iter().map(|&(_, score)| score).min()?;
        let titles = |wanted: u8| -> String {
            let all = scored.iter().filter(|&&(_, score)| score == wanted).map(|&(title, _)| inside_sentence(title));
            all.take(names).collect::<Vec<_>>().join(" and ")
        };
        let tier = |score: u8| {
            let tier = self.rubric.file().tier.iter().find(|tier| tier.score.hundredths() == score);
            tier.map(|tier| inside_sentence(&tier.label)).unwrap_or_default()
        };
        if names == 0 {
            return None;
        }
        if best == worst {
            return Some(format!("{} throughout", tier(best)));
        }
        Some(format!("{} in {}, {} in {}", tier(best), titles(best), tier(worst), titles(worst)))
    }
}

/// A title as it stands inside a sentence: a small first letter, unless its first word is one like "AI".
fn inside_sentence(title: &str) -> String {
    let mut letters = title.chars();
    match (letters.next(), letters.next()) {
        (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
            let rest = &title[first.len_utf8()..];
            first.to_lowercase().chain(rest.chars()).collect()
        }
        _ => title.to_owned(),
    }
}

/// The judge's reason for a metric if it is short enough, else one made from the checks that failed.
pub(super) fn metric(
    rubric: &Rubric,
    metric: usize,
    checks: &IndexMap<Arc<str>, CheckReport>,
    said: String,
    audit: &mut Vec<Finding>,
) -> String {
    let most = rubric.limits().why_words;
    let words = word_count(&said);
    if words > 0 && words <= most {
        return said;
    }
    let own = own_reason(rubric, metric, checks, most);
    if words > most {
        let saw = format!("{words} words where {most} are allowed");
        audit.push(Finding::replaced("why", &rubric.metrics()[metric].key, saw, &said, &own));
    }
    own
}

fn own_reason(rubric: &Rubric, metric: usize, checks: &IndexMap<Arc<str>, CheckReport>, most: usize) -> String {
    let listed = |pass: Option<bool>, titled: bool| -> Vec<String> {
        let with = rubric.checks_of(metric).zip(checks.values()).filter(|(_, check)| check.pass == pass);
        with.map(|(position, _)| {
            let check = rubric.check(position);
            if titled { format!("{} ({})", check.id, inside_sentence(&check.title)) } else { check.id.clone() }
        })
        .collect()
    };
    let sentence = |titled: bool| {
        let (failed, open) = (listed(Some(false), titled), listed(None, false));
        match (failed.is_empty(), open.is_empty()) {
            (true, true) if checks.values().all(|check| check.turns.is_empty()) => {
                "Nothing against it was found.".to_owned()
            }
            (true, true) => "All checks pass.".to_owned(),
            (false, true) => format!("Fails {}.", failed.join(", ")),
            (true, false) => format!("Not judged: {}.", open.join(", ")),
            (false, false) => format!("Fails {}; not judged: {}.", failed.join(", "), open.join(", ")),
        }
    };
    let titled = sentence(true);
    if word_count(&titled) <= most { titled } else { sentence(false) }
}
