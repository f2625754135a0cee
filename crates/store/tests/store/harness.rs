//! A fresh database for every test, and chats, answers and results to fill it with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use carelock_core::transcript::{Speaker, Transcript};
use carelock_store::{
    ChatKey, Claim, ClaimedTask, Location, METRICS, NewAnswer, NewChat, NewResult, NewRun, OpenMode, RunKey, Scores,
    Store,
};
use serde_json::json;
use sqlx::{AnyConnection, Connection as _};
use tempfile::TempDir;

pub(crate) const NOW: i64 = 1_790_000_000_000;
pub(crate) const MINUTE: i64 = 60_000;

/// A database that nobody else uses, gone when the test is over.
pub(crate) struct Fresh {
    pub(crate) location: Location,
    pub(crate) url: String,
    file: Option<PathBuf>,
    _folder: Option<TempDir>,
}

impl Fresh {
    pub(crate) fn file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let url = format!("sqlite://{}?mode=rwc", path.display());
        Self { location: Location::file(&path), url, file: Some(path), _folder: Some(folder) }
    }

    /// A database of its own on the server, where there is one.
    #[cfg(feature = "postgres")]
    pub(crate) async fn server() -> Option<Self> {
        let url = carelock_test_support::postgres::fresh().await?;
        Some(Self { location: Location::parse(&url).unwrap(), url, file: None, _folder: None })
    }

    /// Another one of the same kind.
    pub(crate) async fn another(&self) -> Self {
        #[cfg(feature = "postgres")]
        if self.file.is_none() {
            return Self::server().await.expect("the server was there before");
        }
        Self::file()
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        self.file.as_deref().expect("a file")
    }

    pub(crate) async fn open(&self) -> Store {
        Store::open(&self.location, OpenMode::Create).await.unwrap()
    }

    /// A connection past the store, as another program would have it.
    pub(crate) async fn raw(&self) -> AnyConnection {
        sqlx::any::install_default_drivers();
        AnyConnection::connect(&self.url).await.unwrap()
    }
}

/// Runs each test on a file and on a server.
macro_rules! on_both {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {
        mod on_sqlite {
            $($(#[$attribute])* #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() {
                super::$name($crate::harness::Fresh::file()).await;
            })*
        }
        #[cfg(feature = "postgres")]
        mod on_postgres {
            $($(#[$attribute])* #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() {
                if let Some(fresh) = $crate::harness::Fresh::server().await {
                    super::$name(fresh).await;
                }
            })*
        }
    };
}
pub(crate) use on_both;

pub(crate) fn new_run(name: &str, judges: u32) -> NewRun {
    NewRun { name: name.to_owned(), created: NOW, judges, config: json!({ "judges": judges, "note": "as resolved" }) }
}

pub(crate) fn chat(number: usize) -> NewChat {
    let turns = vec![
        (Speaker::Human, format!("I feel hopeless since day {number}.")),
        (Speaker::Ai, "I hear you. That sounds heavy.".to_owned()),
    ];
    let transcript = Transcript::new(format!("chat-{number}"), turns).unwrap();
    NewChat {
        name: transcript.id().to_owned(),
        digest: transcript.digest(),
        origin: format!("chats/part-{}.jsonl:{number}", number / 100),
        group: Some(format!("model-{}", number % 3)),
        dropped: BTreeMap::from([("system".to_owned(), 1)]),
        labels: number.is_multiple_of(2).then(|| json!({ "HC-2": "fail" })),
        turns: transcript.into_turns(),
    }
}

/// A run with chats, ready to be worked on.
pub(crate) async fn filled(store: &Store, name: &str, chats: usize, judges: u32) -> (RunKey, Vec<ChatKey>) {
    let run = store.create_run(&new_run(name, judges)).await.unwrap();
    let chats: Vec<NewChat> = (0..chats).map(chat).collect();
    let keys = store.add_chats(run, &chats).await.unwrap();
    store.seal(run, "blake3:dataset").await.unwrap();
    (run, keys)
}

pub(crate) fn claim(run: RunKey, worker: &str, tasks: u32, now: i64) -> Claim {
    Claim { run, place: None, worker: worker.to_owned(), tasks, now, until: now + MINUTE }
}

pub(crate) fn answer(chat: ChatKey, place: u32) -> NewAnswer {
    NewAnswer {
        chat,
        place,
        judge: "scripted".to_owned(),
        answered: NOW,
        input_tokens: 1200,
        cached_tokens: 200,
        output_tokens: 300,
        cost_nanos: 1_500,
        from_record: false,
        body: format!("{{\"judge\":{{\"name\":\"scripted\"}},\"chat\":{},\"place\":{place}}}", chat.0),
    }
}

pub(crate) fn answer_to(task: &ClaimedTask) -> NewAnswer {
    answer(task.chat, task.place)
}

/// A result that depends on the number of the chat alone.
pub(crate) fn result(chat: ChatKey, number: usize) -> NewResult {
    let gated = number.is_multiple_of(10);
    let mut metrics = [Some(80); METRICS];
    metrics[0] = if gated { Some(0) } else { Some(100) };
    metrics[9] = (!number.is_multiple_of(7)).then_some(60);
    let overall = if gated { 20 } else { 40 + (number % 50) as u8 };
    let scores = Scores {
        overall: (!number.is_multiple_of(7)).then_some(overall),
        gates: if gated { vec!["HC-2".to_owned()] } else { Vec::new() },
        tier: Some(if gated { "low" } else { "fair" }.to_owned()),
        unscored: u32::from(number.is_multiple_of(7)),
        metrics,
        outcomes: "pfnup".repeat(10),
    };
    NewResult { chat, place: None, judge: "scripted".to_owned(), scores }
}
