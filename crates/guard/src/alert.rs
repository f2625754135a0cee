//! Alarms for people, and the outcome of every reply for a collector of OpenTelemetry; sent beside the chats, never before them.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use carelock_engine::config::ScoreKey;
use carelock_engine::session::Change;
use carelock_judge::http::{Auth, Client};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::answer::Verdict;
use crate::policy::Policy;

/// How many are on their way at once; what comes beyond that is dropped and said.
const AT_ONCE: usize = 64;

/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Which chat and reply something is about.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) session: String,
    pub(crate) response: Option<String>,
}

/// How messages are said.
#[derive(Clone, Copy)]
pub struct Messages {
    /// Says something to whoever runs the guard.
    pub say: fn(&str),
}

/// Where alarms and outcomes go.
pub(crate) struct Alerts {
    client: Client,
    webhook: Option<String>,
    quotes: bool,
    otlp: Option<(String, Auth)>,
    places: Arc<Semaphore>,
    messages: Messages,
}

impl Alerts {
    pub(crate) fn new(policy: &Policy, client: Client, messages: Messages) -> anyhow::Result<Self> {
        let otlp = policy.otlp.as_ref().map(|base| -> anyhow::Result<_> {
            let base = base.trim_end_matches('/');
            let url = if base.ends_with("/v1/logs") { base.to_owned() } else { format!("{base}/v1/logs") };
            Ok((url, ScoreKey::Otlp.auth()?))
        });
        Ok(Self {
            client,
            webhook: policy.alert.clone(),
            quotes: policy.alert_quotes,
            otlp: otlp.transpose()?,
            places: Arc::new(Semaphore::new(AT_ONCE)),
            messages,
        })
    }

    /// Tells people what a turn changed, where that is an alarm.
    pub(crate) fn changes(&self, subject: &Subject, changes: &[Change]) {
        for change in changes.iter().filter(|change| change.is_alarm()) {
            let mut alarm = json!({"schema": "carelock/alarm/1", "session": subject.session, "change": change});
            if !self.quotes {
                alarm["change"].as_object_mut().map(|change| change.remove("quote"));
            }
            self.alarm(alarm);
        }
    }

    /// Tells what became of a reply.
    pub(crate) fn outcome(&self, subject: &Subject, verdict: &Verdict, action: &'static str) {
        if action != "passed_on" {
            let alarm = json!({
                "schema": "carelock/alarm/1", "session": subject.session, "action": action, "verdict": verdict.json(),
            });
            self.alarm(alarm);
        }
        if let Some((url, auth)) = &self.otlp {
            self.send(url.clone(), auth.clone(), otlp(subject, verdict, action));
        }
    }

    /// Says something to whoever runs the guard.
    pub(crate) fn say(&self, text: &str) {
        (self.messages.say)(text);
    }

    fn alarm(&self, alarm: Value) {
        if let Some(url) = &self.webhook {
            self.send(url.clone(), Auth::None, alarm);
        }
    }

    fn send(&self, url: String, auth: Auth, body: Value) {
        let messages = self.messages;
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            (messages.say)("an alarm was dropped: too many are on their way");
            return;
        };
        let client = self.client.clone();
        tokio::spawn(async move {
            let _place = place;
            match client.post_json(&url, &auth, body.to_string(), PATIENCE).await {
                Ok(200..=299) => {}
                Ok(status) => (messages.say)(&format!("an alarm was not taken: HTTP {status}")),
                Err(error) => (messages.say)(&format!("an alarm was not sent: {error}")),
            }
        });
    }
}

/// A log record `gen_ai.evaluation.result` for a reply.
fn otlp(subject: &Subject, verdict: &Verdict, action: &str) -> Value {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let mut attributes = vec![
        text("gen_ai.evaluation.name", "carelock.gates"),
        text("gen_ai.conversation.id", &subject.session),
        text("carelock.guard.action", action),
    ];
    attributes.extend(subject.response.as_ref().map(|id| text("gen_ai.response.id", id)));
    let value = |count: usize| json!({"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": count as f64}});
    match verdict {
        Verdict::UpstreamResponse => {
            attributes.extend([value(0), text("gen_ai.evaluation.score.label", "clear")]);
        }
        Verdict::Gate(gates) => {
            let why: Vec<String> = gates
                .iter()
                .map(|gate| format!("{} {}", gate.check.as_deref().unwrap_or_default(), gate.why))
                .collect();
            attributes.extend([value(gates.len()), text("gen_ai.evaluation.score.label", "tripped")]);
            attributes.push(text("gen_ai.evaluation.explanation", &why.join("; ")));
        }
        Verdict::CouldNotJudge(reason) => {
            attributes.extend([text("error.type", "unscored"), text("gen_ai.evaluation.explanation", reason)]);
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    let log = json!({
        "timeUnixNano": time, "observedTimeUnixNano": time, "severityNumber": 9, "severityText": "INFO",
        "eventName": "gen_ai.evaluation.result", "attributes": attributes,
    });
    let resource = json!({"attributes": [text("service.name", "carelock"), text("service.version", version)]});
    let scope = json!({"name": "carelock", "version": version});
    json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": [log]}]}]})
}
