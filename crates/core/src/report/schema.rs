//! JSON Schemas of what Care-Lock reads and writes, made from the types and from the rubric in use.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{REPORT_SCHEMA, Report};
use crate::rubric::{Kind, RUBRIC_SCHEMA, Rubric, RubricFile};
use crate::verdict::{Highlight, JudgeInfo, MetricWording, RawMoment, TranscriptRef, VERDICTS_SCHEMA};

/// The schema of a report made with this rubric: its metrics and checks are all there, and no others.
///
/// ```
/// use carelock_core::{report::report_schema, rubric::Rubric};
/// let schema = report_schema(&Rubric::care_lock());
/// assert_eq!(schema["properties"]["schema"]["const"], "carelock/report/1");
/// ```
pub fn report_schema(rubric: &Rubric) -> Value {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report>();
    let mut schema = titled(schema, REPORT_SCHEMA, "Care-Lock report");
    let metric = |position: usize| {
        let ids: Vec<&str> = rubric.checks_of(position).map(|check| rubric.check(check).id.as_str()).collect();
        let any: Map<String, Value> = ids.iter().map(|&id| (id.to_owned(), json!(true))).collect();
        let checks = json!({ "required": ids, "properties": any, "additionalProperties": false });
        json!({ "$ref": "#/$defs/MetricReport", "properties": { "checks": checks } })
    };
    let keys: Vec<&str> = rubric.metrics().iter().map(|metric| metric.key.as_str()).collect();
    let metrics: Map<String, Value> =
        keys.iter().enumerate().map(|(position, &key)| (key.to_owned(), metric(position))).collect();
    schema["properties"]["metrics"] = json!({
        "description": "The metrics in rubric order.",
        "type": "object",
        "required": keys,
        "properties": metrics,
        "additionalProperties": false,
    });
    schema
}

/// The schema of a judge's answers to this rubric's checks.
///
/// It describes how answers should be written. Reading is more lenient: a check without an answer, or with one that is
/// off the menu, is left unscored with the reason.
pub fn verdicts_schema(rubric: &Rubric) -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let judge = generator.subschema_for::<JudgeInfo>();
    let transcript = generator.subschema_for::<TranscriptRef>();
    let moments = generator.subschema_for::<Vec<RawMoment>>();
    let wording = generator.subschema_for::<MetricWording>();
    let highlights = generator.subschema_for::<Vec<Highlight>>();
    let mut definitions = generator.take_definitions(true);
    for (name, conditional) in [("Answer", false), ("ConditionalAnswer", true)] {
        definitions.insert(name.to_owned(), answer(conditional));
    }
    let keys = rubric.metrics().iter().flat_map(|metric| std::iter::once(&metric.key).chain(&metric.aliases));
    let wordings: Map<String, Value> = keys.map(|key| (key.clone(), json!(wording))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": identifier(VERDICTS_SCHEMA),
        "title": "Care-Lock verdicts",
        "description": "One judge's answers on one chat. Answers only: scores are computed, never read.",
        "type": "object",
        "required": ["verdicts"],
        "properties": {
            "schema": { "const": VERDICTS_SCHEMA },
            "judge": { "description": "Who judged: a name, or all that is known.", "anyOf": [{ "type": "string" }, judge] },
            "transcript": transcript,
            "verdicts": { "anyOf": [answers_by_id(rubric), answers_in_a_list(rubric)] },
            "moments": moments,
            "metrics": { "type": "object", "properties": wordings, "additionalProperties": false },
            "positive": highlights,
            "negative": highlights,
            "summary": { "type": ["string", "null"], "description": summary_limit(rubric) },
        },
        "$defs": definitions,
    })
}

/// The schema of a rubric file, whether it is written in TOML or in JSON.
pub fn rubric_schema() -> Value {
    let schema = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    titled(schema.into_root_schema_for::<RubricFile>(), RUBRIC_SCHEMA, "Care-Lock rubric")
}

/// The schema with its name, and with the format it describes as the only value of `schema`.
fn titled(schema: Schema, format: &str, title: &str) -> Value {
    let mut named = json!({ "$schema": Value::Null, "$id": identifier(format), "title": title });
    let whole = schema.to_value();
    if let (Value::Object(named), Value::Object(whole)) = (&mut named, whole) {
        named.extend(whole.into_iter().filter(|(key, _)| key != "title"));
    }
    named["properties"]["schema"]["const"] = json!(format);
    named
}

/// `carelock/report/1` as an absolute identifier, which a schema's `$id` must be.
fn identifier(format: &str) -> String {
    format!("urn:{}", format.replace('/', ":"))
}

fn summary_limit(rubric: &Rubric) -> String {
    format!("One sentence of at most {} words.", rubric.limits().summary_words)
}

fn definition(kind: Kind) -> &'static str {
    if kind == Kind::Conditional { "#/$defs/ConditionalAnswer" } else { "#/$defs/Answer" }
}

fn answers_by_id(rubric: &Rubric) -> Value {
    let mut properties = Map::new();
    for check in rubric.checks() {
        properties.insert(check.id.clone(), json!({ "description": check.title, "$ref": definition(check.kind) }));
    }
    json!({
        "description": "Answers by check id.",
        "type": "object",
        "minProperties": 1,
        "properties": properties,
        "additionalProperties": false,
    })
}

/// A list of objects, each with the id of its check.
fn answers_in_a_list(rubric: &Rubric) -> Value {
    let mut entries = Vec::new();
    for conditional in [false, true] {
        let of_kind = rubric.checks().filter(|check| (check.kind == Kind::Conditional) == conditional);
        let ids: Vec<&str> = of_kind.map(|check| check.id.as_str()).collect();
        if ids.is_empty() {
            continue;
        }
        let mut entry = answer_object(conditional);
        entry["required"] = json!(["id"]);
        entry["properties"]["id"] = json!({ "enum": ids });
        entries.push(entry);
    }
    json!({
        "description": "Answers in a list, each with its `id`.",
        "type": "array",
        "minItems": 1,
        "items": { "anyOf": entries },
    })
}

/// One answer: in a word, or with what it rests on. Only a conditional check can be `not_triggered`.
fn answer(conditional: bool) -> Value {
    json!({ "anyOf": [
        { "type": ["boolean", "null"] },
        { "enum": words(conditional) },
        answer_object(conditional),
    ] })
}

fn words(conditional: bool) -> Vec<&'static str> {
    let mut words = vec!["pass", "fail"];
    words.extend(conditional.then_some("not_triggered"));
    words
}

fn answer_object(conditional: bool) -> Value {
    let mut bases = vec![json!("observed"), json!("absent"), Value::Null];
    bases.extend(conditional.then(|| json!("not_triggered")));
    json!({
        "type": "object",
        "anyOf": [{ "required": ["pass"] }, { "required": ["unscored"] }],
        "properties": {
            "pass": {
                "description": "Met or not met; null where it could not be judged.",
                "anyOf": [{ "type": ["boolean", "null"] }, { "enum": words(conditional) }],
            },
            "basis": {
                "description": "observed: turns are cited. absent: looked for in the whole chat, and not there.",
                "enum": bases,
            },
            "turns": {
                "description": "The turns cited.",
                "type": ["array", "null"],
                "items": { "type": "integer", "minimum": 1 },
            },
            "quote": { "description": "Words that stand in one of those turns.", "type": ["string", "null"] },
            "why": { "description": "The reason, in a few words.", "type": ["string", "null"] },
            "confidence": {
                "description": "How sure the judge is. It changes no score.",
                "enum": ["high", "medium", "low", null],
            },
            "unscored": { "description": "Why it could not be judged.", "type": ["string", "null"] },
        },
    })
}
