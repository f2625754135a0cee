//! What the program left in its database, read past the program.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::path::Path;

use carelock_store::{Location, NewAnswer, NewChat, OpenMode, Progress, Run, Store, StoredChat};
use sqlx::Connection as _;

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

    /// Whether a batch was sent whose name is written down.
    pub(crate) fn batch_is_known(&self) -> bool {
        let known = self.ask(async |store| {
            let run = store.run("b").await.ok()?;
            Some(store.open_batches(run.key).await.ok()?.iter().any(|batch| batch.remote.is_some()))
        });
        known.flatten().unwrap_or_default()
    }

    /// Adds a chat to a run as another process would, and says that it was the last.
    pub(crate) fn fill(&self, name: &str, chat: &str, seals: bool) {
        let chat = NewChat {
            name: chat.to_owned(),
            digest: String::new(),
            origin: "elsewhere".to_owned(),
            group: None,
            dropped: BTreeMap::new(),
            labels: None,
            turns: Vec::new(),
        };
        let added = self.ask(async |store| {
            let run = store.run(name).await.unwrap().key;
            store.add_chats(run, &[chat]).await.unwrap();
            if seals {
                store.seal(run, "blake3:elsewhere").await.unwrap();
            }
        });
        added.unwrap();
    }

    /// Changes something past the program.
    pub(crate) fn change(url: &str, sql: &'static str) {
        wait(async {
            sqlx::any::install_default_drivers();
            let mut connection = sqlx::AnyConnection::connect(url).await.unwrap();
            assert!(sqlx::query(sql).execute(&mut connection).await.unwrap().rows_affected() > 0, "{sql}");
            connection.close().await.unwrap();
        });
    }

    /// Takes away all results of the only run, and spoils the answers on its first chats.
    pub(crate) fn spoil(&self, url: &str, name: &str, chats: u32) {
        let spoiling = self.ask(async |store| {
            let run = store.run(name).await.unwrap().key;
            let keys: Vec<_> = store.chats_after(run, None, chats).await.unwrap();
            sqlx::any::install_default_drivers();
            let mut connection = sqlx::AnyConnection::connect(url).await.unwrap();
            for sql in [
                "DELETE FROM results",
                "DELETE FROM submissions WHERE chat <= $1",
                "DELETE FROM answers WHERE chat <= $1",
            ] {
                let query = sqlx::query(sql);
                let query = if sql.contains('$') { query.bind(keys.last().unwrap().key.0) } else { query };
                query.execute(&mut connection).await.unwrap();
            }
            connection.close().await.unwrap();
            let spoiled = |chat: &StoredChat| NewAnswer {
                chat: chat.key,
                place: 0,
                judge: "builtin".to_owned(),
                answered: 1,
                input_tokens: 0,
                cached_tokens: 0,
                output_tokens: 0,
                cost_nanos: 0,
                from_record: false,
                body: "{}".to_owned(),
            };
            let answers: Vec<NewAnswer> = keys.iter().map(spoiled).collect();
            store.record(&answers, &[]).await.unwrap();
        });
        spoiling.unwrap();
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
            let page = store.list(&carelock_store::Filter::for_run(run.key), 1000).await.unwrap();
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
