//! Scores on their way to a server: which call takes them, with which key, and what came of it.

use std::time::Duration;

use anyhow::{Result, bail};
use carelock_core::problem::{Problem, Setting};
use carelock_judge::http::{
    Caller, CancellationToken, Client, HttpRequest, Jitter, Lane, LaneOptions, Method, RetryPolicy,
};
use carelock_judge::outcome::{Outcome, Reply, Retry};
use carelock_judge::provider::checked_address;
use carelock_judge::wire::Response;
use serde_json::{Value, json};

use super::{ScoreFormat, phoenix};
use crate::config::{Config, ScoreKey};
use crate::runs::Database;

/// Sends scores to one server.
pub struct ScoreSender {
    format: ScoreFormat,
    base: String,
    lane: Lane,
    caller: Caller<Client>,
}

impl ScoreSender {
    /// A sender to an address, with the keys of the environment; nothing is sent yet.
    pub fn new(format: ScoreFormat, address: &str, allow_plain_http: bool, config: &Config) -> Result<Self> {
        let base = checked_address(address, allow_plain_http).map_err(|error| {
            Problem::new(format!("--to: {}", error.what())).with(error.remedy(Setting::AllowPlainHttp.into()))
        })?;
        let auth = format.key().auth()?;
        let client = Client::new(&config.client_options()?).map_err(|error| anyhow::anyhow!("{error}"))?;
        let seed = u64::from(std::process::id());
        let caller = Caller::new(client, RetryPolicy::default(), Jitter::seeded(seed), CancellationToken::new());
        let lane = Lane::new(LaneOptions { auth, concurrency: 1, ..LaneOptions::default() });
        Ok(Self { format, base, lane, caller })
    }

    /// Sends the records of a chat. Each has an id that stays the same, so sending them again changes nothing; only a
    /// collector of OpenTelemetry keeps what it gets twice.
    pub(super) fn send(&self, database: &Database, records: Vec<Value>) -> Result<()> {
        for (path, body) in self.requests(records) {
            let request = HttpRequest {
                method: Method::POST,
                url: self.url(&path),
                headers: Vec::new(),
                body: serde_json::to_vec(&body)?.into(),
                patience: Duration::ZERO,
                repeatable: true,
            };
            let (outcome, _) = database.wait(self.caller.request(&self.lane, &request, classify));
            told(outcome)?;
        }
        Ok(())
    }

    /// The calls that take some records.
    fn requests(&self, records: Vec<Value>) -> Vec<(String, Value)> {
        match self.format {
            ScoreFormat::Otlp => records.into_iter().map(|record| ("/v1/logs".to_owned(), record)).collect(),
            ScoreFormat::Langfuse => {
                records.into_iter().map(|record| ("/api/public/scores".to_owned(), record)).collect()
            }
            ScoreFormat::Phoenix => {
                let of_target = |(key, path): (&str, &str)| {
                    let own: Vec<&Value> = records.iter().filter(|record| record.get(key).is_some()).collect();
                    (!own.is_empty()).then(|| (path.to_owned(), json!({"data": own})))
                };
                phoenix::TARGETS.into_iter().filter_map(of_target).collect()
            }
        }
    }

    /// The address of a call; a base that names the call already is taken as it is.
    fn url(&self, path: &str) -> String {
        if self.base.ends_with(path) { self.base.clone() } else { format!("{}{path}", self.base) }
    }
}

fn classify(response: &Response) -> Outcome {
    let excerpt: String = String::from_utf8_lossy(&response.body).chars().take(200).collect();
    let what = format!("the server answers HTTP {}: {}", response.status, excerpt.trim());
    match response.status {
        200..=299 => Outcome::Answered(Reply::default()),
        408 | 425 | 429 | 500.. => Outcome::Unavailable { what, retry: Retry::Later },
        _ => Outcome::Misconfigured { what },
    }
}

fn told(outcome: Outcome) -> Result<()> {
    match outcome {
        Outcome::Answered(_) => Ok(()),
        Outcome::Misconfigured { what } => {
            bail!(
                Problem::new(format!("the scores are not taken: {what}"))
                    .advice("check the address, the key and the version of the server")
            )
        }
        Outcome::Unavailable { what, .. } => {
            bail!(
                Problem::new(format!("the scores cannot be sent: {what}"))
                    .advice("try again later; what was sent stays as it is")
            )
        }
        other => bail!(Problem::new(format!("the scores cannot be sent: {other:?}"))),
    }
}

impl ScoreFormat {
    /// How keys are found in the environment.
    fn key(self) -> ScoreKey {
        match self {
            Self::Otlp => ScoreKey::Otlp,
            Self::Langfuse => ScoreKey::Langfuse,
            Self::Phoenix => ScoreKey::Phoenix,
        }
    }
}
