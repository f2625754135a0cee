//! Which verdict counts: the first answer, which is kept, against the majority of all.

use carelock_core::rubric::Rubric;
use serde::Serialize;

use super::Repeats;

/// The rule in words. A model is asked once; the lock and the record of answers give back what it said then.
const RULE: &str = "the first answer counts, because it is kept and not asked for again; among repeats the majority would \
                    count, and a tie would fail";

/// How far the first answers are those of the majority.
#[derive(Debug, Serialize)]
pub(super) struct Canonical {
    pub(super) rule: &'static str,
    /// Checks of chats that have an answer in the first repeat.
    pub(super) checks: usize,
    /// Those of them in which the majority says something else.
    pub(super) outvoted: usize,
    /// Those of them in which the repeats are evenly divided.
    pub(super) ties: usize,
    /// Chats in which the first answers trip a gate and the majority does not, or the other way round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) other_gate: Vec<String>,
}

impl Canonical {
    pub(super) fn new(rubric: &Rubric, chats: &[Repeats]) -> Self {
        let mut canonical = Self { rule: RULE, checks: 0, outvoted: 0, ties: 0, other_gate: Vec::new() };
        for chat in chats {
            let mut gates = (false, false);
            for check in 0..rubric.checks().len() {
                let Some(first) = chat.answers(check).next().flatten() else { continue };
                let (passes, fails) = chat.votes(check);
                let majority = passes > fails;
                canonical.checks += 1;
                canonical.outvoted += usize::from(majority != first);
                canonical.ties += usize::from(passes == fails);
                if rubric.is_gate_check(check) {
                    gates = (gates.0 || !first, gates.1 || !majority);
                }
            }
            if gates.0 != gates.1 {
                canonical.other_gate.push(chat.id.clone());
            }
        }
        canonical
    }
}
