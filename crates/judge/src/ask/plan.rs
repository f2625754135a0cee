//! What is asked in how many questions: one for a chat that fits, parts for a long one, groups of checks for a small model.

use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;

use super::failure::Failure;
use crate::prompt::{Prompt, Window, estimate_tokens, windows};
use crate::provider::Resolved;

/// Tokens of an answer to all checks, with room to spare; a hosted model stops where it is done.
const HOSTED_ROOM: u32 = 4_000;
/// Tokens a bounded answer needs at the least, and for each check.
const OWN_ROOM: (u32, u32) = (300, 60);
/// A part of a chat smaller than this would lose too much of what the turns mean to each other.
const SMALLEST_PART: u64 = 1_200;
/// What chat templates and our own words around the chat take.
const MARGIN: u64 = 160;

/// The questions to ask.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) groups: Vec<Group>,
    /// The tokens there are for the turns shown in one question.
    pub(super) chat_budget: usize,
    own_server: bool,
}

/// Questions about the same checks.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) prompt: Prompt,
    pub(super) questions: Vec<Planned>,
    pub(super) room: u32,
}

/// One question: a message about a part of the chat.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) window: Window,
    pub(super) message: String,
}

impl Plan {
    /// The fewest questions that fit: all checks at once if possible, else the checks in groups of metrics; the whole chat
    /// if possible, else overlapping parts. Where no check is wanted there is no question.
    pub(super) fn make(
        rubric: &Rubric,
        transcript: &Transcript,
        only: Option<&[String]>,
        context: Option<u64>,
        resolved: &Resolved,
        overlap: usize,
    ) -> Result<Self, Failure> {
        let own_server = resolved.provider.own_server;
        let mut last = Ok(Self { groups: Vec::new(), chat_budget: usize::MAX, own_server });
        for groups in groupings(rubric, only) {
            match Self::with_groups(rubric, transcript, &groups, context, own_server, overlap) {
                Ok(plan) => return Ok(plan),
                Err(failure) => last = Err(failure),
            }
        }
        last
    }

    fn with_groups(
        rubric: &Rubric,
        transcript: &Transcript,
        groups: &[Vec<String>],
        context: Option<u64>,
        own_server: bool,
        overlap: usize,
    ) -> Result<Self, Failure> {
        let mut plan = Self { groups: Vec::new(), chat_budget: usize::MAX, own_server };
        for checks in groups {
            let prompt = Prompt::focused(rubric, checks);
            let room = plan.room_for(checks.len());
            let taken = estimate_tokens(prompt.system()) as u64 + u64::from(room) + MARGIN;
            let whole = prompt.chat(transcript);
            let budget = context.map(|context| context.saturating_sub(taken));
            let fits = budget.is_none_or(|budget| estimate_tokens(&whole) as u64 <= budget);
            let last_turn = u32::try_from(transcript.turns().len()).unwrap_or(u32::MAX);
            let questions = if fits {
                vec![Planned { window: Window { first: 1, last: last_turn }, message: whole }]
            } else {
                parts(&prompt, transcript, budget.unwrap_or_default(), overlap)?
            };
            let budget = budget.map_or(usize::MAX, |budget| usize::try_from(budget).unwrap_or(usize::MAX));
            plan.chat_budget = plan.chat_budget.min(budget);
            plan.groups.push(Group { prompt, questions, room });
        }
        Ok(plan)
    }

    /// The room an answer to so many checks gets.
    pub(super) fn room_for(&self, checks: usize) -> u32 {
        if !self.own_server {
            return HOSTED_ROOM;
        }
        let checks = u32::try_from(checks).unwrap_or(u32::MAX);
        OWN_ROOM.0.saturating_add(OWN_ROOM.1.saturating_mul(checks))
    }

    /// About how many tokens the largest question takes, its answer included.
    pub(super) fn largest_question(&self) -> u64 {
        let size = |group: &Group, question: &Planned| {
            (estimate_tokens(group.prompt.system()) + estimate_tokens(&question.message)) as u64 + u64::from(group.room)
        };
        let all =
            self.groups.iter().flat_map(|group| group.questions.iter().map(move |question| size(group, question)));
        all.max().unwrap_or_default()
    }
}

fn parts(prompt: &Prompt, transcript: &Transcript, budget: u64, overlap: usize) -> Result<Vec<Planned>, Failure> {
    if budget < SMALLEST_PART {
        let what = format!("about {budget} tokens are left for the chat beside the instructions and the answer");
        return Err(Failure::TooLong { what, limit: None });
    }
    // What stands around the turns of a part is about what stands around the whole chat's.
    let windows = windows(transcript, usize::try_from(budget).unwrap_or(usize::MAX).saturating_sub(200), overlap)?;
    let count = windows.len();
    let message =
        |(part, window): (usize, Window)| Planned { window, message: prompt.window(transcript, window, part, count) };
    Ok((1..).zip(windows).map(message).collect())
}

/// Ways to divide the checks, from all at once to a metric at a time.
fn groupings(rubric: &Rubric, only: Option<&[String]>) -> Vec<Vec<Vec<String>>> {
    let wanted = |id: &String| only.is_none_or(|only| only.contains(id));
    let of_metric = |metric: usize| -> Vec<String> {
        rubric.checks_of(metric).map(|position| rubric.check(position).id.clone()).filter(wanted).collect()
    };
    let metrics: Vec<Vec<String>> =
        (0..rubric.metrics().len()).map(of_metric).filter(|checks| !checks.is_empty()).collect();
    let mut ways = Vec::new();
    for together in [metrics.len(), 5, 2, 1] {
        if together > 0 && together <= metrics.len() {
            let way: Vec<Vec<String>> = metrics.chunks(together).map(<[Vec<String>]>::concat).collect();
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ways
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
