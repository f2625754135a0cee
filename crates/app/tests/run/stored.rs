//! What the program left in its database, read past the program.

use std::collections::HashMap;
use std::future::Future;
use std::path::Path;

use carelock_store::{Location, OpenMode, Progress, Run, Store};

fn wait<F: Future>(asked: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(asked)
}

/// A database that the program writes to.
#[derive(Clone)]
pub(crate) struct Stored(Location);

impl Stored {
    pub(crate) fn file(path: &Path) -> Self {
        Self(Location::file(path))
    }

    pub(crate) fn at(url: &str) -> Self {
        Self(Location::parse(url).unwrap())
    }

    fn ask<T>(&self, asked: impl AsyncFnOnce(&Store) -> T) -> Option<T> {
        wait(async {
            let store = Store::open(&self.0, OpenMode::Existing).await.ok()?;
            let answer = asked(&store).await;
            store.close().await;
            Some(answer)
        })
    }

    /// The run, where there is one.
    pub(crate) fn run(&self, name: &str) -> Option<Run> {
        self.ask(async |store| store.run(name).await.ok()).flatten()
    }

    pub(crate) fn progress(&self, name: &str) -> Progress {
        self.ask(async |store| store.progress(store.run(name).await.unwrap().key).await.unwrap()).unwrap()
    }

    /// How many answers each chat has, by its name, and how many chats have a result.
    pub(crate) fn answers(&self, name: &str) -> (HashMap<String, usize>, usize) {
        self.ask(async |store| {
            let run = store.run(name).await.unwrap();
            let chats = store.chats_after(run.key, None, 10_000).await.unwrap();
            let keys: Vec<_> = chats.iter().map(|chat| chat.key).collect();
            let mut counts: HashMap<String, usize> = chats.iter().map(|chat| (chat.chat.name.clone(), 0)).collect();
            for answer in store.answers(&keys).await.unwrap() {
                let chat = chats.iter().find(|chat| chat.key == answer.chat).unwrap();
                *counts.get_mut(&chat.chat.name).unwrap() += 1;
            }
            (counts, store.scores(run.key, None).await.unwrap().len())
        })
        .unwrap()
    }

    /// Who stands behind the result of the chat at a position.
    pub(crate) fn judge_of(&self, name: &str, position: usize) -> String {
        self.ask(async |store| {
            let run = store.run(name).await.unwrap();
            let page = store.list(&carelock_store::Filter::of(run.key), 1000).await.unwrap();
            page.results[position].judge.clone()
        })
        .unwrap()
    }

    /// The results of a run: each chat's name, group, overall score and outcomes.
    pub(crate) fn results(&self, name: &str) -> Vec<(String, Option<String>, Option<u8>, String)> {
        self.ask(async |store| {
            let run = store.run(name).await.unwrap();
            let scores = store.scores(run.key, None).await.unwrap();
            scores.into_iter().map(|chat| (chat.name, chat.group, chat.scores.overall, chat.scores.outcomes)).collect()
        })
        .unwrap()
    }
}
