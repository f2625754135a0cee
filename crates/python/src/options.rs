//! How chats are judged, as keyword arguments give it.

use std::num::NonZeroU32;
use std::path::PathBuf;

use carelock::{Error, EvaluatorBuilder, Event, FunctionQuestion, GatePolicy, TiePolicy, Weights};
use pyo3::prelude::*;

use crate::error::exception;
use crate::report::read_rubric;

/// Levels of Python's `logging`.
const INFO: u8 = 20;
const WARNING: u8 = 30;

/// Everything that can be set about judges.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    /// The judges by name; with a function where it answers itself.
    judges: Vec<(String, Option<Py<PyAny>>)>,
    verdicts: Vec<PathBuf>,
    fallback: Option<String>,
    lock: Option<PathBuf>,
    locked: bool,
    refresh: bool,
    cache: Option<bool>,
    answers: Option<PathBuf>,
    workers: Option<NonZeroU32>,
    redact: Option<bool>,
    max_cost: Option<String>,
    price: Option<String>,
    concurrency: Option<usize>,
    timeout: Option<u64>,
    context: Option<u64>,
    second_look: Option<bool>,
    allow_plain_http: bool,
    rubric: Option<String>,
    weights: Option<String>,
    gate_policy: String,
    tie: String,
    config: Option<PathBuf>,
    /// Told what happens: a level of `logging` and a text.
    on_event: Option<Py<PyAny>>,
}

impl Options {
    /// The evaluator of these options, with nothing looked up yet.
    pub(crate) fn builder(self) -> PyResult<EvaluatorBuilder> {
        let mut builder = carelock::Evaluator::builder();
        for (name, function) in self.judges {
            builder = match function {
                None => builder.judge(name),
                Some(function) => builder.function(name, move |question| call(&function, question)),
            };
        }
        for path in self.verdicts {
            builder = builder.verdicts(path);
        }
        let rubric = read_rubric(self.rubric.as_deref())?;
        if let Some(text) = self.weights {
            let weights = Weights::parse(&rubric, &text).map_err(|error| exception(&error.within("weights")))?;
            builder = builder.weights(weights);
        }
        builder = builder.rubric(rubric).gate_policy(gate_policy(&self.gate_policy)?).tie(tie(&self.tie)?);
        builder = builder.locked(self.locked).refresh(self.refresh).allow_plain_http(self.allow_plain_http);
        builder = with(builder, self.fallback, EvaluatorBuilder::fallback);
        builder = with(builder, self.lock, EvaluatorBuilder::lock);
        builder = with(builder, self.cache, EvaluatorBuilder::cache);
        builder = with(builder, self.answers, EvaluatorBuilder::answers);
        builder = with(builder, self.workers, EvaluatorBuilder::workers);
        builder = with(builder, self.redact, EvaluatorBuilder::redact);
        builder = with(builder, self.max_cost, EvaluatorBuilder::max_cost);
        builder = with(builder, self.price, EvaluatorBuilder::price);
        builder = with(builder, self.concurrency, EvaluatorBuilder::concurrency);
        builder = with(builder, self.timeout, EvaluatorBuilder::timeout);
        builder = with(builder, self.context, EvaluatorBuilder::context);
        builder = with(builder, self.second_look, EvaluatorBuilder::second_look);
        builder = with(builder, self.config, EvaluatorBuilder::config);
        Ok(match self.on_event {
            Some(listener) => builder.on_event(move |event| tell(&listener, event)),
            None => builder,
        })
    }
}

fn with<V>(
    builder: EvaluatorBuilder,
    value: Option<V>,
    set: impl FnOnce(EvaluatorBuilder, V) -> EvaluatorBuilder,
) -> EvaluatorBuilder {
    match value {
        Some(value) => set(builder, value),
        None => builder,
    }
}

fn gate_policy(name: &str) -> PyResult<GatePolicy> {
    match name {
        "any" => Ok(GatePolicy::Any),
        "majority" => Ok(GatePolicy::Majority),
        _ => Err(unknown("gate_policy", name, "use \"any\" or \"majority\"")),
    }
}

fn tie(name: &str) -> PyResult<TiePolicy> {
    match name {
        "standing" => Ok(TiePolicy::Standing),
        "fails" => Ok(TiePolicy::Fails),
        _ => Err(unknown("tie", name, "use \"standing\" or \"fails\"")),
    }
}

fn unknown(option: &str, name: &str, advice: &str) -> PyErr {
    exception(&Error::new(format!("there is no {name:?}")).within(option).advice(advice))
}

/// Has a Python function answer a question: it gets the messages and the schema as JSON, and returns JSON.
fn call(function: &Py<PyAny>, question: FunctionQuestion) -> Result<String, String> {
    Python::attach(|py| {
        let schema = question.schema.to_string();
        let answered = function.call1(py, (question.messages, schema)).and_then(|answer| answer.extract(py));
        answered.map_err(|error: PyErr| error.to_string())
    })
}

/// Tells a Python function what happened. What goes wrong in it must not end the judging.
fn tell(listener: &Py<PyAny>, event: &Event) {
    let level = if matches!(event, Event::Spent(_)) || event.is_progress() { INFO } else { WARNING };
    Python::attach(|py| {
        if let Err(error) = listener.call1(py, (level, event.to_string())) {
            error.write_unraisable(py, None);
        }
    });
}
