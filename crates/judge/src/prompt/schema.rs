//! The JSON Schema of an answer, in the narrow subset that every provider's constrained decoding accepts.

use carelock_core::rubric::{Kind, Rubric};
use serde_json::{Map, Value, json};

/// The schema of an answer to these checks.
///
/// `verdicts` is an object with one property per check, all required, rather than a list: a list's length cannot be
/// enforced in the common subset, while an object makes a constrained model answer each check exactly once and in
/// rubric order. All properties share two definitions, so the compiled grammar stays small. There is no union and no
/// nullable field, because providers count and limit those: an empty string or list stands for nothing. `basis` is left
/// out; it follows from the verdict and the turns cited. Reasons stand before verdicts.
///
/// Asked for some checks only, an answer has `verdicts` alone.
pub fn answer_schema(rubric: &Rubric, checks: &[impl AsRef<str>]) -> Value {
    let mut properties = Map::new();
    if super::is_whole(rubric, checks) {
        properties.insert("moments".to_owned(), list("Moment"));
        properties.insert("verdicts".to_owned(), verdicts(rubric, checks));
        properties.insert("positive".to_owned(), list("Positive"));
        properties.insert("negative".to_owned(), list("Negative"));
        properties.insert("summary".to_owned(), json!({ "type": "string" }));
    } else {
        properties.insert("verdicts".to_owned(), verdicts(rubric, checks));
    }
    let mut schema = object(properties);
    schema["$defs"] = definitions(rubric, checks);
    schema
}

/// The same schema with limits on lengths, for servers whose grammar enforces them.
///
/// Small local models can repeat themselves for ever inside a string, while providers with a strict subset refuse limits.
/// The limits are chosen so that the longest answer they allow takes about this many tokens; about 2,700 is the least that
/// works for all checks of the shipped rubric, and fewer checks need less.
pub fn bounded_answer_schema(rubric: &Rubric, checks: &[impl AsRef<str>], max_tokens: usize) -> Value {
    let mut schema = answer_schema(rubric, checks);
    let lengths = Lengths::fitting(rubric, checks, max_tokens);
    bound(&mut schema, "", &|name| lengths.of(name));
    schema
}

/// How long the parts of a bounded answer may be.
struct Lengths {
    why: usize,
    quote: usize,
    summary: usize,
    moments: usize,
    highlights: usize,
}

impl Lengths {
    fn fitting(rubric: &Rubric, checks: &[impl AsRef<str>], max_tokens: usize) -> Self {
        /// Tokens of a verdict without its reason and quote.
        const VERDICT: usize = 34;
        const SHORTEST: usize = 42;
        const LONGEST: usize = 210;
        let limits = rubric.limits();
        let whole = super::is_whole(rubric, checks);
        // The bytes each check may have for its words, when so many tokens are kept for everything else.
        let share = |kept: usize| {
            let kept = if whole { kept } else { 0 };
            let left = max_tokens.saturating_sub(VERDICT * checks.len() + kept);
            (left * 4 / checks.len().max(1)).min(LONGEST)
        };
        let roomy = share(1_700);
        let (share, moments, highlights) = if roomy >= LONGEST / 2 {
            (roomy, limits.moments, limits.highlights)
        } else {
            (share(600).max(SHORTEST), limits.moments.min(3), limits.highlights.min(2))
        };
        let why = share * 3 / 7;
        Self { why, quote: share - why, summary: limits.summary_words * 6, moments, highlights }
    }

    fn of(&self, name: &str) -> usize {
        match name {
            "summary" => self.summary,
            "quote" => self.quote,
            "better" => self.why + self.quote,
            "moments" => self.moments,
            "positive" | "negative" => self.highlights,
            "turns" => 3,
            _ => self.why,
        }
    }
}

fn bound(schema: &mut Value, name: &str, limit: &dyn Fn(&str) -> usize) {
    let Some(fields) = schema.as_object_mut() else { return };
    match fields.get("type").and_then(Value::as_str) {
        Some("string") if !fields.contains_key("enum") => {
            fields.insert("maxLength".to_owned(), json!(limit(name)));
        }
        Some("array") => {
            fields.insert("maxItems".to_owned(), json!(limit(name)));
        }
        _ => {}
    }
    for key in ["properties", "$defs"] {
        let inner = fields.get_mut(key).and_then(Value::as_object_mut);
        for (name, part) in inner.into_iter().flatten() {
            bound(part, name, limit);
        }
    }
}

fn verdicts(rubric: &Rubric, checks: &[impl AsRef<str>]) -> Value {
    let mut properties = Map::new();
    for id in checks.iter().map(AsRef::as_ref) {
        properties.insert(id.to_owned(), json!({ "$ref": format!("#/$defs/{}", definition(rubric, id)) }));
    }
    object(properties)
}

/// The name of the definition an answer to this check has.
fn definition(rubric: &Rubric, id: &str) -> &'static str {
    let kind = rubric.position(id).map(|position| rubric.check(position).kind);
    if kind == Some(Kind::Conditional) { "Conditional" } else { "Verdict" }
}

fn definitions(rubric: &Rubric, checks: &[impl AsRef<str>]) -> Value {
    let mut definitions = Map::new();
    // An unused definition would still be compiled.
    for (name, words) in [("Verdict", &["pass", "fail"][..]), ("Conditional", &["pass", "fail", "not_triggered"])] {
        if checks.iter().any(|id| definition(rubric, id.as_ref()) == name) {
            definitions.insert(name.to_owned(), verdict(words));
        }
    }
    if super::is_whole(rubric, checks) {
        let fields = [
            ("Moment", &[("id", "integer"), ("idx", "integer"), ("quote", "string"), ("why", "string")][..]),
            ("Positive", &[("id", "integer"), ("why", "string")]),
            ("Negative", &[("id", "integer"), ("why", "string"), ("better", "string")]),
        ];
        for (name, fields) in fields {
            let properties = fields.iter().map(|&(name, kind)| (name.to_owned(), json!({ "type": kind }))).collect();
            definitions.insert(name.to_owned(), object(properties));
        }
    }
    Value::Object(definitions)
}

fn verdict(words: &[&str]) -> Value {
    let mut properties = Map::new();
    properties.insert("why".to_owned(), json!({ "type": "string" }));
    properties.insert("verdict".to_owned(), json!({ "type": "string", "enum": words }));
    properties.insert("turns".to_owned(), json!({ "type": "array", "items": { "type": "integer" } }));
    properties.insert("quote".to_owned(), json!({ "type": "string" }));
    object(properties)
}

fn list(definition: &str) -> Value {
    json!({ "type": "array", "items": { "$ref": format!("#/$defs/{definition}") } })
}

/// An object with these properties, all of them and no others.
fn object(properties: Map<String, Value>) -> Value {
    let required: Vec<Value> = properties.keys().map(|key| json!(key)).collect();
    let mut object = json!({ "type": "object" });
    object["properties"] = Value::Object(properties);
    object["required"] = Value::Array(required);
    object["additionalProperties"] = json!(false);
    object
}
