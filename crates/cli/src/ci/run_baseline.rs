//! Runs of a database, as a baseline and as what is held against one.

use anyhow::Result;
use carelock_core::score::Score;
use carelock_engine::runs::{Database, OpenRun, StoredConfig};
use carelock_store::{Filter, RunKey, ScoredChat};

use super::{Baseline, Earlier, Reason, Review, Standing};
use crate::ci::Pipeline;
use crate::cli::{CiArguments, DatabaseArgument};
use crate::exit;
use crate::message::{say, say_error};

impl Baseline {
    /// What a run came to.
    pub(super) fn of_run(database: &Database, name: &str) -> Result<Self> {
        let run = database.wait(database.store().run(name))?;
        let config = database.wait(StoredConfig::load(database.store(), run.key))?;
        let scores = database.wait(database.store().scores(run.key, None))?;
        let earlier = |scored: ScoredChat| {
            let overall = scored.scores.overall.and_then(Score::from_hundredths);
            (scored.name, Earlier { overall, gates: scored.scores.gates })
        };
        Ok(Self {
            name: name.to_owned(),
            chats: scores.into_iter().map(earlier).collect(),
            rubric: Some(config.rubric_digest),
            judge: judge_of(database, run.key)?,
            weights: config.weights,
        })
    }
}

/// Holds a run to what is asked of it; the exit code that follows.
pub(crate) fn review_run(
    database: &Database,
    open: &OpenRun,
    arguments: &CiArguments,
    location: &DatabaseArgument,
) -> Result<u8> {
    if !arguments.is_asked() {
        return Ok(exit::DONE);
    }
    let rubric = &open.scoring.rubric;
    let mut review = Review::new(arguments, super::baseline(arguments, location)?, &open.scoring);
    let judge = judge_of(database, open.run.key)?.unwrap_or_default();
    let mut judged = 0;
    let mut is_whole = true;
    for scored in database.wait(database.store().scores(open.run.key, None))? {
        judged += 1;
        is_whole &= scored.scores.unscored == 0;
        let mut standing = standing(scored, &judge);
        if arguments.gate_confidence.is_some() && !standing.gates.is_empty() {
            // How sure a judge was stands in the report alone.
            if let Some((_, report)) = open.report(database, &standing.id)? {
                standing.confidences = Standing::new(&report, rubric, "").confidences;
            }
        }
        review.see(standing);
    }
    for standing in review.named() {
        if let Some((chat, report)) = open.report(database, &standing.id)? {
            standing.origin = chat.chat.origin;
            standing.verdict = report.summary;
        }
    }
    let missing = usize::try_from(open.run.chats).unwrap_or(usize::MAX).saturating_sub(judged);
    let reasons = review.finish(rubric, &Pipeline::of_process(), missing)?;
    for reason in &reasons {
        // What has to do with the baseline has been told, with names.
        if matches!(reason, Reason::Gates(_) | Reason::Below { .. }) {
            say_error(reason);
        }
    }
    if missing > 0 {
        say(format_args!("{missing} of {} chats have no result yet", open.run.chats));
    }
    Ok(match (!reasons.is_empty(), is_whole && missing == 0 && judged > 0) {
        (true, _) => exit::NOT_MET,
        (false, false) => exit::UNSCORED,
        (false, true) => exit::DONE,
    })
}

fn standing(scored: ScoredChat, judge: &str) -> Standing {
    let score = |hundredths: Option<u8>| hundredths.and_then(Score::from_hundredths);
    Standing {
        id: scored.name,
        overall: score(scored.scores.overall),
        tier: scored.scores.tier,
        gates: scored.scores.gates,
        metrics: scored.scores.metrics.into_iter().map(score).collect(),
        unscored: scored.scores.unscored > 0,
        judge: judge.to_owned(),
        ..Standing::default()
    }
}

/// Who judged; all chats of a run have the same judge or panel.
fn judge_of(database: &Database, run: RunKey) -> Result<Option<String>> {
    let first = database.wait(database.store().list(&Filter::for_run(run), 1))?;
    Ok(first.results.into_iter().next().map(|result| result.judge))
}
