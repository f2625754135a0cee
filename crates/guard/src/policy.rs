//! The policy: what the guard may do, chosen by the operator in a small file.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use carelock_core::problem::Problem;
use serde::Deserialize;

/// What the guard does with a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It watches and passes everything through.
    #[default]
    Observe,
    /// It passes everything through and adds what it saw.
    Annotate,
    /// It releases what it has looked at; what trips a gate is not released.
    Hold,
    /// A reply that trips a gate is replaced by the operator's text.
    Replace,
}

/// What happens where the guard could not judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fail {
    /// The reply is passed on.
    #[default]
    Open,
    /// The reply is refused, and the refusal says that it could not be judged.
    Closed,
}

/// How much of a stream is released at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// Sentence by sentence.
    Sentence,
    /// The whole reply.
    Reply,
}

/// Everything that can be set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Where requests go; without it only the guardrail and moderation addresses answer.
    pub upstream: Option<String>,
    /// Where the guard listens.
    pub listen: SocketAddr,
    /// What it does.
    pub mode: Mode,
    /// What it does where it cannot judge.
    pub fail: Fail,
    /// Whether a gate between its borders counts as not judged, which [`Policy::fail`] decides; otherwise it passes.
    pub unsure_counts: bool,
    /// How much of a stream is released at once; a sentence with `hold`, the reply with `replace`.
    pub release: Option<Release>,
    /// The operator's text for a reply that is replaced.
    pub replacement: Option<String>,
    /// How long a check may take, in milliseconds.
    pub check_timeout_ms: u64,
    /// How long the upstream may take to begin its answer, in seconds.
    pub upstream_seconds: u64,
    /// Where alarms are sent as JSON.
    pub alert: Option<String>,
    /// Whether alarms hold the words they are about.
    pub alert_quotes: bool,
    /// A collector of OpenTelemetry that gets the outcome of every reply.
    pub otlp: Option<String>,
    /// Whether addresses of others may be reached over plain HTTP.
    pub allow_plain_http: bool,
    /// Whether LiteLLM sends whole replies only, so that what one leaves unsaid counts.
    pub litellm_whole_replies: bool,
    /// How many chats are kept in memory.
    pub sessions: usize,
    /// After how many minutes without a turn a chat is forgotten.
    pub idle_minutes: u64,
    /// How many chats are kept ready for a quick next turn, a few megabytes each.
    pub warm: usize,
    /// A model that is asked about a chat after each reply; no stream waits for it.
    pub judge: Option<String>,
    /// How long one call of that model may take, in seconds.
    pub judge_seconds: u64,
    /// About how many chats that model is asked at once.
    pub judge_at_once: usize,
    /// How many requests are served at once.
    pub requests: usize,
    /// The largest request, in MiB.
    pub max_body_mib: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            upstream: None,
            listen: SocketAddr::from(([127, 0, 0, 1], 8430)),
            mode: Mode::Observe,
            fail: Fail::Open,
            unsure_counts: false,
            release: None,
            replacement: None,
            check_timeout_ms: 3000,
            upstream_seconds: 300,
            alert: None,
            alert_quotes: false,
            otlp: None,
            allow_plain_http: false,
            litellm_whole_replies: false,
            sessions: 10_000,
            idle_minutes: 60,
            warm: 64,
            judge: None,
            judge_seconds: 120,
            judge_at_once: 4,
            requests: 1000,
            max_body_mib: 64,
        }
    }
}

impl Policy {
    /// Reads a policy file.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Problem::located(&name, error.to_string(), "name a policy file that can be read".to_owned())
        })?;
        Ok(Self::parse(&text).map_err(|problem| problem.within(&name))?)
    }

    /// Reads the text of a policy.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let read =
            toml::from_str(text).map_err(|error: toml::de::Error| Problem::new(error.to_string().trim().to_owned()));
        read.map_err(|problem| problem.advice("correct the policy; docs/guard.md lists what can be set"))
    }

    /// The policy once everything is set; an error where parts contradict each other.
    pub fn checked(self) -> Result<Self> {
        let text = self.replacement.as_deref().unwrap_or_default().trim();
        if self.mode == Mode::Replace && text.is_empty() {
            let problem = Problem::new("mode is replace, and there is no replacement");
            return Err(problem.advice("write `replacement`: the guard never makes up a text").into());
        }
        for address in [&self.upstream, &self.alert, &self.otlp].into_iter().flatten() {
            let checked = carelock_judge::provider::checked_address(address, self.allow_plain_http);
            checked.map_err(|error| {
                let fix = "name an https:// address, one on this machine, or set allow_plain_http = true";
                Problem::new(format!("{address}: {}", error.what())).advice(fix)
            })?;
        }
        Ok(self)
    }

    /// Whether replies are held back until they were looked at.
    pub(crate) fn holds(&self) -> bool {
        matches!(self.mode, Mode::Hold | Mode::Replace)
    }

    /// How much of a stream is released at once.
    pub(crate) fn releases(&self) -> Release {
        let usual = if self.mode == Mode::Replace { Release::Reply } else { Release::Sentence };
        self.release.unwrap_or(usual)
    }

    /// How long a check may take.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_millis(self.check_timeout_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_a_policy_and_nothing_is_the_careful_default() {
        let example = include_str!("../../../examples/guard.toml");
        let policy = Policy::parse(example).unwrap().checked().unwrap();
        assert_eq!(policy.mode, Mode::Replace);
        let policy = Policy::parse("").unwrap().checked().unwrap();
        assert_eq!((policy.mode, policy.fail, policy.alert_quotes), (Mode::Observe, Fail::Open, false));
    }

    #[test]
    fn what_contradicts_itself_is_refused_with_a_remedy() {
        assert!(Policy::parse("mode = \"silence\"").unwrap_err().remedy.is_some());
        assert!(Policy::parse("colour = 1").is_err());
        assert!(Policy::parse("mode = \"replace\"").unwrap().checked().is_err());
        assert!(Policy::parse("upstream = \"http://example.org\"").unwrap().checked().is_err());
    }
}
