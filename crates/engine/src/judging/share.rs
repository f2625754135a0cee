//! The part that one of several workers takes of what all of them may use together.

use std::num::NonZeroU32;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::verdict::Submission;
use carelock_judge::http::LaneOptions;
use carelock_judge::provider::Cost;

/// The part of a cap, rounded down: all parts together never exceed it.
pub(super) fn cap(cap: Cost, workers: Option<NonZeroU32>) -> Cost {
    workers.map_or(cap, |workers| Cost::from_picodollars(cap.picodollars() / u128::from(workers.get())))
}

/// How many chats a worker asks about at the same time; one at least.
pub(super) fn at_once(all: usize, workers: Option<NonZeroU32>) -> usize {
    let workers = workers.map_or(1, |workers| usize::try_from(workers.get()).unwrap_or(usize::MAX));
    (all / workers).max(1)
}

/// The part of what a provider allows. A pace that cannot be divided is an error: every worker sends something.
pub(super) fn lane(lane: LaneOptions, workers: Option<NonZeroU32>) -> Result<LaneOptions> {
    let Some(workers) = workers else { return Ok(lane) };
    if let Some(all) = lane.requests_per_minute.filter(|all| *all < workers.get()) {
        let what = format!("{all} requests a minute cannot be shared by {workers} workers");
        bail!(Problem::located("workers", what, format!("use at most {all} workers")));
    }
    Ok(LaneOptions {
        concurrency: at_once(lane.concurrency, Some(workers)),
        requests_per_minute: lane.requests_per_minute.map(|all| all / workers.get()),
        tokens_per_minute: lane.tokens_per_minute.map(|all| (all / u64::from(workers.get())).max(1)),
        ..lane
    })
}

/// What answers cost when they were given.
pub(super) fn paid(submission: &Submission) -> Cost {
    let dollars = submission.judge.cost.as_ref().and_then(serde_json::Number::as_f64).unwrap_or_default();
    format!("{dollars:.12}").parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use carelock_core::verdict::JudgeInfo;

    use super::*;

    fn workers(count: u32) -> Option<NonZeroU32> {
        NonZeroU32::new(count)
    }

    #[test]
    fn all_parts_together_stay_within_the_whole() {
        let whole: Cost = "1".parse().expect("an amount");
        for count in [1, 3, 7, 1000] {
            let part = cap(whole, workers(count)).picodollars();
            assert!(part > 0 && part * u128::from(count) <= whole.picodollars());
        }
        let all = LaneOptions {
            concurrency: 8,
            requests_per_minute: Some(100),
            tokens_per_minute: Some(1000),
            ..LaneOptions::default()
        };
        let one = lane(all.clone(), workers(3)).expect("a part");
        assert_eq!((one.concurrency, one.requests_per_minute, one.tokens_per_minute), (2, Some(33), Some(333)));
        assert_eq!(lane(all, None).expect("the whole").requests_per_minute, Some(100));
        assert_eq!((at_once(2, workers(9)), at_once(2, None)), (1, 2));
    }

    #[test]
    fn fewer_requests_than_workers_cannot_be_shared() {
        let few = LaneOptions { requests_per_minute: Some(3), ..LaneOptions::default() };
        let error = lane(few, workers(4)).expect_err("too few");
        assert!(error.to_string().contains("3 requests a minute cannot be shared by 4 workers"), "{error}");
    }

    #[test]
    fn what_was_paid_is_read_from_the_answers() {
        let judge = JudgeInfo { cost: serde_json::Number::from_f64(0.000_123), ..JudgeInfo::named("model") };
        let submission = Submission { judge, ..Submission::default() };
        assert_eq!(paid(&submission), "0.000123".parse().expect("an amount"));
        assert_eq!(paid(&Submission::default()), Cost::ZERO);
    }
}
