//! `carelock rescore`: a run computed again from its stored answers; no judge is asked.

use std::collections::HashSet;

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_core::scorecard::Weights;
use carelock_engine::rubric_file::{load_rubric, read_weights};
use carelock_engine::runs::{
    Database, OpenRun, Overview, Scoring, StoredConfig, mean_for_people, now, of_chat, report_of, results_of,
};
use carelock_engine::working::take_back_from_gone;
use carelock_store::{
    ChatKey, Filter, NewAnswer, NewResult, NewRun, OpenMode, RunKey, RunState, StoreError, StoredAnswer, StoredChat,
    Sum,
};
use rayon::prelude::*;

use crate::cli::RescoreArguments;
use crate::exit;
use crate::interrupt;
use crate::message::{say, say_error};

/// Chats at once.
const PAGE: u32 = 256;

pub(super) fn run(arguments: &RescoreArguments) -> Result<u8> {
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Existing)?;
    let open = OpenRun::find(&database, &arguments.run)?;
    if open.run.state == RunState::Filling {
        bail!(
            Problem::new(format!("run {:?} does not have all its chats yet", open.run.name))
                .advice("carry on with it by `carelock run --resume`, then try again")
        );
    }
    let config = changed(&open.config, arguments)?;
    let before = Overview::load(&database, open.run.clone())?;
    let after = match &arguments.name {
        None => {
            replace(&database, &open, &config)?;
            Overview::load(&database, open.run.clone())?
        }
        Some(name) => {
            let made = copy(&database, &open, &config, name)?;
            Overview::load(&database, database.wait(database.store().run(&made))?)?
        }
    };
    let name = &after.run.name;
    let word = |sum: Sum| mean_for_people(sum);
    say(format_args!(
        "{name}: {} chats computed again; mean overall {}, was {}; gates tripped in {}, was {}",
        after.results(),
        word(after.overall()),
        word(before.overall()),
        after.gated(),
        before.gated()
    ));
    Ok(exit::DONE)
}

/// The run's configuration with what the options change.
fn changed(config: &StoredConfig, arguments: &RescoreArguments) -> Result<StoredConfig> {
    let mut config = config.clone();
    if arguments.rubric.file.is_some() {
        config = config.with_rubric(&load_rubric(arguments.rubric.file.as_deref())?);
    }
    let equal = StoredConfig { weights: None, ..config.clone() };
    let rubric = equal.scoring()?.rubric;
    if arguments.equal_weights {
        config.weights = None;
    } else if let Some(path) = &arguments.weights {
        config.weights = read_weights(&rubric, path)?.to_map();
    } else if let Some(weights) = &config.weights
        && let Err(error) = Weights::from_map(&rubric, weights)
    {
        bail!(
            Problem::new(format!("the run's weights do not fit this rubric: {error}"))
                .advice("add --weights FILE or --equal-weights")
        );
    }
    if let Some(tie) = arguments.tie {
        config.tie = tie.into();
    }
    if let Some(policy) = arguments.gate_policy {
        config.gate_policy = policy.into();
    }
    Ok(config)
}

/// Puts new results in the place of the old ones: all of them or none.
fn replace(database: &Database, open: &OpenRun, config: &StoredConfig) -> Result<()> {
    let store = database.store();
    let name = &open.run.name;
    let busy = || {
        anyhow!(Problem::new(format!("run {name:?} is being worked on")).advice("wait until it is done; carry on with it by `carelock run --resume` where its worker died; or add --as NAME to leave it as it is"))
    };
    database.wait(take_back_from_gone(store, open.run.key))?;
    if database.wait(store.progress_at(open.run.key, now()))?.leased > 0 {
        return Err(busy());
    }
    // Counted before anything is read, so that whatever comes in later is noticed.
    let answers = database.wait(store.spent(open.run.key))?.iter().map(|spent| spent.answers).sum();
    let scoring = config.scoring()?;
    let mut results = Vec::new();
    let mut filter = Filter::for_run(open.run.key);
    loop {
        let page = database.wait(store.list(&filter, PAGE))?;
        let keys: Vec<ChatKey> = page.results.iter().map(|result| result.chat).collect();
        let chats = database.wait(store.chats(&keys))?;
        let answers = database.wait(store.answers(&keys))?;
        let scored: Vec<Vec<NewResult>> = chats
            .par_iter()
            .map(|chat| score(chat, chat.key, of_chat(&answers, chat.key), &scoring))
            // First all, then the first error: which one is told must not depend on the threads.
            .collect::<Vec<Result<_>>>()
            .into_iter()
            .collect::<Result<_>>()
            .with_context(|| format!("run {name:?} stays as it is, its answers do not fit"))?;
        results.extend(scored.into_iter().flatten());
        let Some(next) = page.next else { break };
        filter.after = Some(next);
    }
    let replaced = database.wait(store.replace_results(open.run.key, &config.to_value()?, &results, answers, now()));
    replaced.map_err(|error| match error {
        StoreError::Busy { .. } => busy(),
        error => error.into(),
    })
}

/// Makes another run with the same chats and answers, and results of its own.
fn copy(database: &Database, open: &OpenRun, config: &StoredConfig, name: &str) -> Result<String> {
    let store = database.store();
    let new = NewRun { name: name.to_owned(), created: now(), judges: open.run.judges, config: config.to_value()? };
    // The first Ctrl-C only asks, so that half a copy can be removed.
    interrupt::ask_first();
    let made = database.wait(store.create_run(&new))?;
    let filled = fill(database, open, config, made);
    if let Err(error) = filled {
        // Half a copy must not be taken for a run.
        if let Err(left) = database.wait(store.delete_run(made)) {
            say_error(format_args!("what there is of run {name:?} could not be removed: {left}"));
        }
        return Err(error.context(format!("run {name:?} was not made")));
    }
    Ok(new.name)
}

fn fill(database: &Database, open: &OpenRun, config: &StoredConfig, made: RunKey) -> Result<()> {
    let store = database.store();
    let scoring = config.scoring()?;
    let scores = database.wait(store.scores(open.run.key, None))?;
    let finished: HashSet<ChatKey> = scores.into_iter().map(|scored| scored.chat).collect();
    let mut position = None;
    loop {
        let chats = database.wait(store.chats_after(open.run.key, position, PAGE))?;
        let Some(last) = chats.last() else { break };
        if interrupt::was_asked() {
            bail!(Problem::new("stopped").advice("start it again when there is time"));
        }
        position = Some(last.position);
        let old: Vec<ChatKey> = chats.iter().map(|chat| chat.key).collect();
        let answers = database.wait(store.answers(&old))?;
        let copies: Vec<_> = chats.iter().map(|chat| chat.chat.clone()).collect();
        let keys = database.wait(store.add_chats(made, &copies))?;
        let pairs: Vec<(&StoredChat, ChatKey)> = chats.iter().zip(keys).collect();
        let scored: Vec<Vec<NewResult>> = pairs
            .par_iter()
            .filter(|(chat, _)| finished.contains(&chat.key))
            .map(|(chat, key)| score(chat, *key, of_chat(&answers, chat.key), &scoring))
            .collect::<Vec<Result<_>>>()
            .into_iter()
            .collect::<Result<_>>()?;
        let again = |(chat, key): &(&StoredChat, ChatKey)| -> Vec<NewAnswer> {
            of_chat(&answers, chat.key).iter().map(|answer| at_no_cost(answer, *key)).collect()
        };
        let answers: Vec<NewAnswer> = pairs.iter().flat_map(again).collect();
        let results: Vec<NewResult> = scored.into_iter().flatten().collect();
        database.wait(store.record(&answers, &results))?;
    }
    database.wait(store.seal(made, open.run.dataset.as_deref().unwrap_or_default()))?;
    if open.run.state == RunState::Done {
        database.wait(store.set_state(made, RunState::Done))?;
    }
    Ok(())
}

/// An answer once more: it was paid for in the run it came from.
fn at_no_cost(answer: &StoredAnswer, chat: ChatKey) -> NewAnswer {
    NewAnswer {
        chat,
        place: answer.place,
        judge: answer.judge.clone(),
        answered: answer.answered,
        input_tokens: 0,
        cached_tokens: 0,
        output_tokens: 0,
        cost_nanos: 0,
        // In a run whose chats brought answers, this tells theirs from the embedded judge's.
        from_record: answer.judge != carelock_builtin::NAME,
        body: answer.body.clone(),
    }
}

fn score(chat: &StoredChat, key: ChatKey, answers: &[StoredAnswer], scoring: &Scoring) -> Result<Vec<NewResult>> {
    let places: Vec<u32> = answers.iter().map(|answer| answer.place).collect();
    let report = report_of(chat, answers, scoring)?;
    Ok(results_of(&scoring.rubric, key, &places, &report))
}
