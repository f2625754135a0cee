//! Moments and highlights as a judge sent them: proven, numbered from 1, tied together, or refused.

use serde_json::json;

use super::Moment;
use super::admit::shown;
use super::submission::{Highlight, RawMoment};
use crate::audit::{Finding, Outcome};
use crate::rubric::Rubric;
use crate::transcript::Transcript;

/// The moments that stand, and how the judge's own numbers map to ours.
pub(super) struct Taken {
    pub(super) moments: Vec<Moment>,
    numbers: Vec<(u32, u32)>,
}

pub(super) fn admit(
    rubric: &Rubric,
    transcript: &Transcript,
    sent: Vec<RawMoment>,
    findings: &mut Vec<Finding>,
) -> Taken {
    let mut taken = Taken { moments: Vec::new(), numbers: Vec::new() };
    let most = rubric.limits().moments;
    for (place, raw) in (1..).zip(sent) {
        let name = format!("moment {}", raw.id.unwrap_or(place));
        if taken.moments.len() == most {
            let saw = format!("more than {most} moments");
            findings.push(Finding::evidence("moment", Outcome::Rejected, name, saw, (json!(raw.quote), json!(null))));
            continue;
        }
        let number = raw.id.unwrap_or(place);
        let Some(moment) = prove(transcript, raw, &name, taken.next_id(), findings) else { continue };
        if taken.numbers.iter().any(|&(theirs, _)| theirs == number) {
            let saw = format!("the number {number} is used twice");
            findings.push(Finding::evidence("moment", Outcome::Fixed, name, saw, (json!(number), json!(moment.id))));
        } else {
            taken.numbers.push((number, moment.id));
        }
        taken.moments.push(moment);
    }
    taken
}

fn prove(transcript: &Transcript, raw: RawMoment, name: &str, id: u32, findings: &mut Vec<Finding>) -> Option<Moment> {
    let here = transcript.cite(raw.idx, &raw.quote);
    let moved = here.is_err();
    let Some(proven) = here.ok().or_else(|| transcript.locate(&raw.quote)) else {
        let saw = format!("the quote {} is not in turn {}", shown(&raw.quote), raw.idx);
        findings.push(Finding::evidence("moment", Outcome::Rejected, name, saw, (json!(raw.quote), json!(null))));
        return None;
    };
    if moved {
        let saw = format!("the quote stands in turn {}, not in {}", proven.turn(), raw.idx);
        findings.push(Finding::evidence("moment", Outcome::Fixed, name, saw, (json!(raw.idx), json!(proven.turn()))));
    }
    if proven.is_fixed() {
        let saw = format!("the quote differs from turn {} in {}", proven.turn(), proven.differences().join(", "));
        let change = (json!(raw.quote), json!(proven.quote()));
        findings.push(Finding::evidence("quote", Outcome::Fixed, name, saw, change));
    }
    if let Some(speaker) = raw.speaker.filter(|&speaker| speaker != proven.speaker()) {
        let saw = format!("turn {} was said by {}", proven.turn(), proven.speaker());
        findings.push(Finding::evidence(
            "moment",
            Outcome::Fixed,
            name,
            saw,
            (json!(speaker), json!(proven.speaker())),
        ));
    }
    let (idx, speaker, quote) = (proven.turn(), proven.speaker(), proven.quote().to_owned());
    Some(Moment { id, idx, speaker, quote, why: raw.why })
}

impl Taken {
    fn next_id(&self) -> u32 {
        u32::try_from(self.moments.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn ours(&self, theirs: u32) -> Option<u32> {
        self.numbers.iter().find(|&&(number, _)| number == theirs).map(|&(_, ours)| ours)
    }

    /// The moments a metric rests on that exist, under our numbers.
    pub(super) fn known(&self, metric: &str, sent: &[u32], findings: &mut Vec<Finding>) -> Vec<u32> {
        let mut known: Vec<u32> = sent.iter().filter_map(|&theirs| self.ours(theirs)).collect();
        known.sort_unstable();
        known.dedup();
        if sent.iter().any(|&theirs| self.ours(theirs).is_none()) {
            let saw = "it rests on a moment that does not exist";
            findings.push(Finding::evidence("ev", Outcome::Flagged, metric, saw, (json!(sent), json!(known))));
        }
        known
    }

    /// The highlights whose moment exists, as many as the rubric allows.
    pub(super) fn highlights(
        &self,
        rubric: &Rubric,
        sort: &str,
        sent: Vec<Highlight>,
        findings: &mut Vec<Finding>,
    ) -> Vec<Highlight> {
        let most = rubric.limits().highlights;
        let mut kept = Vec::new();
        for (place, highlight) in (1..).zip(sent) {
            let problem = match self.ours(highlight.id) {
                Some(id) if kept.len() < most => {
                    kept.push(Highlight { id, ..highlight });
                    continue;
                }
                Some(_) => format!("more than {most} of them"),
                None => format!("there is no moment {}", highlight.id),
            };
            let about = format!("{sort} {place}");
            findings.push(Finding::evidence(
                "highlight",
                Outcome::Rejected,
                about,
                problem,
                (json!(highlight.why), json!(null)),
            ));
        }
        kept
    }
}
