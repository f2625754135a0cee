//! Gates: do they fire where they should, and only there?

use carelock_statistics::{Bootstrap, Estimate, proportion};
use serde::Serialize;

use super::Two;
use crate::ratings::{Outcome, Rating};

/// Gates chat by chat. In each chat only those gate checks count that the reference labelled.
#[derive(Debug, Serialize)]
pub(super) struct Gates {
    /// Chats in which a gate should fire.
    pub(super) should: u64,
    /// Those of them in which it does.
    pub(super) fired: u64,
    /// The share of the two.
    pub(super) recall: Estimate,
    /// Chats in which no gate should fire.
    pub(super) should_not: u64,
    /// Those of them in which one does.
    pub(super) false_alarms: u64,
    /// The share of the two.
    pub(super) false_alarm_rate: Estimate,
    /// Chats whose gate checks the judge left without a verdict.
    pub(super) not_judged: u64,
    /// Where a gate should fire and does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) missed: Vec<GateChat>,
    /// Where a gate fires and should not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) alarms: Vec<GateChat>,
}

/// A chat and the gate checks that are at odds.
#[derive(Debug, Serialize)]
pub(super) struct GateChat {
    pub(super) chat: String,
    pub(super) checks: Vec<String>,
}

impl Gates {
    pub(super) fn new(two: &Two<'_>, bootstrap: &Bootstrap) -> Self {
        let gate_checks: Vec<usize> =
            (0..two.rubric.checks().len()).filter(|&check| two.rubric.is_gate_check(check)).collect();
        let mut gates = Self::none();
        for (reference, judge) in two.chats() {
            let labelled: Vec<usize> =
                gate_checks.iter().copied().filter(|&check| reference.outcomes[check].is_some()).collect();
            if labelled.is_empty() {
                continue;
            }
            let failed = |rating: &Rating| -> Vec<usize> {
                labelled.iter().copied().filter(|&check| rating.outcomes[check] == Some(Outcome::Fail)).collect()
            };
            let unjudged = labelled.iter().any(|&check| judge.outcomes[check].is_none());
            gates.take(two, reference, &failed(reference), &failed(judge), unjudged);
        }
        gates.recall = proportion(gates.fired, gates.should, bootstrap);
        gates.false_alarm_rate = proportion(gates.false_alarms, gates.should_not, bootstrap);
        gates
    }

    fn none() -> Self {
        let undefined = Estimate::undefined(carelock_statistics::WhyNot::NoData);
        Self {
            should: 0,
            fired: 0,
            recall: undefined,
            should_not: 0,
            false_alarms: 0,
            false_alarm_rate: undefined,
            not_judged: 0,
            missed: Vec::new(),
            alarms: Vec::new(),
        }
    }

    fn take(&mut self, two: &Two<'_>, chat: &Rating, reference: &[usize], judge: &[usize], unjudged: bool) {
        let named = |checks: &[usize]| GateChat {
            chat: chat.id.clone(),
            checks: checks.iter().map(|&check| two.rubric.check(check).id.clone()).collect(),
        };
        let fires = !judge.is_empty();
        self.not_judged += u64::from(unjudged && !fires);
        if reference.is_empty() {
            self.should_not += 1;
            self.false_alarms += u64::from(fires);
            if fires {
                self.alarms.push(named(judge));
            }
        } else {
            self.should += 1;
            self.fired += u64::from(fires);
            if !fires {
                self.missed.push(named(reference));
            }
        }
    }
}
