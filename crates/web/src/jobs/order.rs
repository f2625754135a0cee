//! What somebody wants to have judged, made into a run.

use std::sync::Arc;
use std::time::Duration;

use carelock_core::panel::GatePolicy;
use carelock_core::rubric::Rubric;
use carelock_engine::judging::JudgeKind;
use carelock_engine::options::{JudgeOptions, ReadingOptions};
use carelock_engine::panel::JudgePanel;
use carelock_engine::runs::{StoredConfig, Thresholds, now};
use carelock_engine::working::{DatasetDigest, ReadChat, run_name};
use carelock_store::{NewChat, NewRun, RunKey, RunState, Store, StoreError};

use super::start;
use crate::api_error::{ApiError, ApiResult};
use crate::blocking::blocking;
use crate::messages::Messages;
use crate::state::{Server, Shared};

/// Chats in one transaction.
const TOGETHER: usize = 512;
/// How long storing a run takes at most; bodies are bounded, so it is seconds.
const STORING: Duration = Duration::from_secs(600);
/// Runs of one name that are told apart by a number.
const NAMESAKES: u32 = 1_000;

/// What somebody wants to have judged, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// What the run is to be called; else it goes by the day.
    pub(crate) title: Option<String>,
    /// Who judges, at least one.
    pub(crate) judges: Vec<String>,
    /// When a panel trips a gate.
    pub(crate) gate_policy: GatePolicy,
    /// How judges are asked.
    pub(crate) judging: JudgeOptions,
    /// How the chats were read.
    pub(crate) reading: ReadingOptions,
}

impl Order {
    /// The configuration of the run.
    pub(crate) fn stored(&self, rubric: &Rubric) -> StoredConfig {
        StoredConfig {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            judges: self.judges.clone(),
            inline: false,
            gate_policy: self.gate_policy,
            tie: carelock_core::panel::TiePolicy::default(),
            weights: None,
            thresholds: Thresholds::default(),
            rubric: rubric.file().clone(),
            rubric_digest: rubric.digest().to_owned(),
            datasets: Vec::new(),
            reading: self.reading.clone(),
            judging: self.judging.clone(),
            outputs: Vec::new(),
            probe: None,
        }
    }
}

/// Looks the judges of an order up; an error says which cannot be asked, and why.
pub(crate) fn panel_of(order: &Order, server: &Server, is_estimate: bool) -> anyhow::Result<JudgePanel> {
    let (rubric, config, events) = (&server.rubric, &server.config, server.messages.events());
    for judge in &order.judges {
        JudgeKind::parse(judge)?;
    }
    let options = JudgeOptions { dry_run: is_estimate, no_cache: true, ..JudgeOptions::default() };
    Ok(JudgePanel::stored(&order.stored(rubric), &options, config, rubric, &events)?.without_record())
}

/// Makes a run of an order and its chats, and has it worked on; the run's number.
pub(crate) async fn begin(server: &Shared, order: Order, chats: Vec<ReadChat>) -> ApiResult<RunKey> {
    if chats.is_empty() {
        return Err(ApiError::bad("There is no chat to judge.", "paste one, or choose a file that holds chats"));
    }
    // Better known before anything is stored.
    let place = server.jobs.reserve()?;
    let (asked, shared) = (order.clone(), Arc::clone(server));
    let seated = blocking(move || panel_of(&asked, &shared, false).map(drop)).await?;
    seated.map_err(|error| ApiError::of_input(&error))?;
    let server = Arc::clone(server);
    // To the end, even where the client has gone: nobody could finish a run that is half filled.
    let storing = tokio::spawn(async move {
        let run = create(&server, &order).await?;
        let mut added = 0;
        if let Err(error) = fill(&server, run, chats, &mut added).await {
            // A run that never began would only be in the way.
            server.store.discard_run(run, added).await?;
            return Err(error);
        }
        start(&server, run, place)?;
        Ok(run)
    });
    storing.await.map_err(|error| ApiError::broken(&error))?
}

/// Removes runs that a server was storing when it died. Others may be storing theirs just now, so those that are not old
/// enough are looked at again later.
pub(crate) async fn discard_unfinished(store: Store, messages: Messages) {
    for pause in [Duration::ZERO, STORING] {
        tokio::time::sleep(pause).await;
        if let Err(error) = discard_older(&store, now() - millis(STORING)).await {
            let what = format!("runs that were never stored in full could not be removed: {error:#}");
            (messages.say_error)(&what);
        }
    }
}

async fn discard_older(store: &Store, moment: i64) -> anyhow::Result<()> {
    for run in store.runs().await? {
        if run.state != RunState::Filling || run.created > moment {
            continue;
        }
        // A run of the command line has datasets, and is carried on with by reading them again.
        let config = store.config(run.key).await?;
        if config["datasets"].as_array().is_none_or(Vec::is_empty) {
            store.discard_run(run.key, run.chats).await?;
        }
    }
    Ok(())
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Makes an empty run; where its name is taken, with a number behind it.
async fn create(server: &Shared, order: &Order) -> ApiResult<RunKey> {
    let name = run_name(order.title.as_deref())
        .map_err(|_| ApiError::bad("This cannot be the title.", "use up to 200 letters, digits and signs"))?;
    let judges = u32::try_from(order.judges.len()).map_err(anyhow::Error::from)?;
    let config = order.stored(&server.rubric).to_value()?;
    for number in 1..NAMESAKES {
        let name = if number == 1 { name.clone() } else { format!("{name} ({number})") };
        let new = NewRun { name, created: now(), judges, config: config.clone() };
        match server.store.create_run(&new).await {
            Err(StoreError::NameTaken { .. }) => {}
            made => return Ok(made?),
        }
    }
    Err(ApiError::bad("There are too many runs of this title.", "give it another one"))
}

async fn fill(server: &Shared, run: RunKey, chats: Vec<ReadChat>, added: &mut u64) -> ApiResult<()> {
    let mut digest = DatasetDigest::default();
    let chats: Vec<NewChat> = chats.into_iter().map(|chat| chat.chat).collect();
    for some in chats.chunks(TOGETHER) {
        some.iter().for_each(|chat| digest.add(chat));
        let keys = server.store.add_chats(run, some).await.map_err(|error| match error {
            StoreError::ChatTwice { name, .. } => {
                let what = format!("The id {name:?} is that of an earlier chat.");
                ApiError::bad(what, "give every chat its own id")
            }
            error => error.into(),
        })?;
        *added += keys.len() as u64;
    }
    Ok(server.store.seal(run, &digest.finish()).await?)
}
