//! Our side: chats, a judge and a job, as an application would put them together.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_judge::ask::{AskOptions, Budget, Failure, Graded, Judge};
use carelock_judge::batch::{
    BatchError, Collected, CustomId, Entry, Fate, Item, Job, Part, Prepared, RemoteId, WaitOptions, entries,
};
use carelock_judge::http::{
    Auth, BreakerOptions, Caller, CancellationToken, Client, ClientOptions, Jitter, Lane, LaneOptions, RetryPolicy,
    Secret,
};
use carelock_judge::provider::{Date, JudgeSpec, Resolved, Table, Terms};

use super::provider::Provider;
use super::replies::{NOW, Words};

/// The moment of every test.
pub(crate) fn clock() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(NOW)
}

/// Everything a process holds; a restart makes a new one.
pub(crate) struct BatchClient {
    pub(crate) job: Job,
    pub(crate) judge: Judge<Client>,
    pub(crate) cancel: CancellationToken,
    pub(crate) rubric: Rubric,
    pub(crate) chats: Vec<Transcript>,
}

/// What is different about a client.
#[derive(Clone, Copy, Default)]
pub(crate) struct Setting {
    pub(crate) chats: usize,
    pub(crate) turns: usize,
    pub(crate) context: Option<u64>,
    pub(crate) requests: usize,
    pub(crate) bytes: usize,
}

fn resolved(provider: &Provider, setting: &Setting) -> (JudgeSpec, Resolved) {
    let (name, base) = match provider.words {
        Words::OpenAi => ("openai:gpt-4.1-mini", provider.server.base()),
        Words::Anthropic => ("anthropic:claude-sonnet-5-5", format!("http://{}", provider.server.address())),
    };
    let spec = JudgeSpec::parse(name).expect("a judge");
    let terms = Terms { base_url: Some(base), ..Terms::on("2026-06-01".parse::<Date>().expect("a day")) };
    let mut resolved = Table::shipped().resolve(&spec, &terms).expect("a judge that is served");
    let batch = resolved.provider.batch.as_mut().expect("it takes batches");
    if setting.requests > 0 {
        batch.requests = setting.requests;
    }
    if setting.bytes > 0 {
        batch.bytes = setting.bytes;
    }
    (spec, resolved)
}

impl BatchClient {
    pub(crate) fn new(provider: &Provider, chats: usize) -> Self {
        Self::with(provider, Setting { chats, turns: 2, ..Setting::default() })
    }

    pub(crate) fn with(provider: &Provider, setting: Setting) -> Self {
        let (spec, resolved) = resolved(provider, &setting);
        let lane = || {
            let key = Secret::new("zk-planted-0123456789abcdef");
            let auth = if provider.words == Words::OpenAi { Auth::Bearer(key) } else { Auth::x_api_key(key) };
            let breaker = BreakerOptions { failures: 1_000, ..BreakerOptions::default() };
            Lane::new(LaneOptions { auth, breaker, ..LaneOptions::default() })
        };
        let short = Duration::from_millis(2);
        let policy = RetryPolicy { first_pause: short, longest_pause: short * 4, ..RetryPolicy::default() };
        let cancel = CancellationToken::new();
        let client = Client::new(&ClientOptions::default()).expect("a client");
        let caller = Arc::new(Caller::new(client, policy, Jitter::seeded(1), cancel.clone()));
        let wait = WaitOptions { first_pause: short, longest_pause: short * 4, give_up: Duration::from_secs(20) };
        let job = Job::new(resolved.clone(), lane(), Arc::clone(&caller), wait, clock).expect("it takes batches");
        let options = AskOptions { second_look: false, context: setting.context, ..AskOptions::default() };
        let budget = Arc::new(Budget::default());
        let judge = Judge::new(spec, resolved, lane(), caller, budget, options, clock);
        let chats = (0..setting.chats).map(|number| chat(number, setting.turns)).collect();
        Self { job, judge, cancel, rubric: Rubric::care_lock(), chats }
    }

    /// The requests of a chat.
    pub(crate) fn entries(&self, number: usize) -> Vec<Entry> {
        let only = ["E1".to_owned()];
        let questions = self.judge.first_questions(&self.rubric, &self.chats[number], Some(&only)).expect("they fit");
        entries("a run", &format!("chat-{number}"), &self.judge.name(), questions)
    }

    /// The chats in parts; all of them fit.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let parts = self.job.parts((0..self.chats.len()).map(|number| self.entries(number)));
        parts.collect::<Result<_, _>>().expect("nothing is left out")
    }

    pub(crate) fn only_part(&self) -> Part {
        let mut parts = self.parts();
        assert_eq!(parts.len(), 1);
        parts.remove(0)
    }

    /// What became of each request.
    pub(crate) async fn collect(&self, id: &RemoteId, ids: &[CustomId]) -> Result<(Collected, Fates), BatchError> {
        let mut fates = BTreeMap::new();
        let collected = self
            .job
            .collect(id, ids, |item: Item| {
                assert!(fates.insert(item.id, item.fate).is_none(), "an item came twice");
            })
            .await?;
        assert_eq!(fates.len(), ids.len(), "everything that was expected was handed over");
        Ok((collected, fates))
    }

    /// Judges a chat with what became of its requests.
    pub(crate) async fn judge(&self, number: usize, fates: &Fates) -> Result<Graded, Failure> {
        let entries = self.entries(number);
        let mut prepared = Prepared::awaiting(&entries);
        for entry in &entries {
            let fate = fates.get(entry.id()).expect("every request has a fate").clone();
            assert!(prepared.put(Item { id: entry.id().clone(), fate }));
        }
        assert!(prepared.is_complete());
        let only = ["E1".to_owned()];
        self.judge.judge_with(&self.rubric, &self.chats[number], Some(&only), prepared).await
    }

    /// How each chat was answered, by its number: `batch 3`, `direct 4`.
    pub(crate) async fn reasons(&self, fates: &Fates) -> HashMap<usize, String> {
        let mut reasons = HashMap::new();
        for number in 0..self.chats.len() {
            let reason = match self.judge(number, fates).await {
                Ok(graded) => graded.submission.verdicts[0].1.why.clone(),
                Err(failure) => failure.to_string(),
            };
            reasons.insert(number, reason);
        }
        reasons
    }

    /// Waits, collects and cleans, and makes sure that every chat was answered in the batch, once.
    pub(crate) async fn finish(&self, id: &RemoteId, ids: &[CustomId]) {
        self.job.wait(id, |_| {}).await.expect("it ends");
        let (collected, fates) = self.collect(id, ids).await.expect("results");
        assert_eq!(collected.asked as usize, ids.len());
        for (number, reason) in self.reasons(&fates).await {
            assert_eq!(reason, format!("batch {number}"));
        }
        self.job.clean(id).await.expect("it is cleaned");
    }
}

/// What became of requests, by their names.
pub(crate) type Fates = BTreeMap<CustomId, Fate>;

fn chat(number: usize, turns: usize) -> Transcript {
    let turn = |place: usize| {
        let speaker = if place.is_multiple_of(2) { Speaker::Human } else { Speaker::Ai };
        (speaker, format!("qzx-{number}-here, turn {place}. {}", "It goes on for a while. ".repeat(12)))
    };
    Transcript::new(format!("chat {number}"), (0..turns).map(turn).collect()).expect("a chat")
}
