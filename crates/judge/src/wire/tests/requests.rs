//! The requests each provider gets.

use serde_json::json;

use super::*;

fn question(judge: &Resolved) -> Question {
    Question {
        model: judge.model.id.clone(),
        system: "Judge by the rubric.".to_owned(),
        messages: vec![
            Message { from_model: false, text: "{\"turns\":[]}".to_owned() },
            Message { from_model: true, text: "{}".to_owned() },
            Message { from_model: false, text: "Field a is missing.".to_owned() },
        ],
        schema: json!({ "type": "object", "properties": { "a": { "type": "string", "minLength": 3 } }, "required": ["a"] }),
        max_tokens: 4000,
    }
}

fn request(name: &str, mechanism: Option<StructuredOutput>) -> Request {
    let judge = judge(name);
    to_request(&question(&judge), &CallTarget::from(&judge), mechanism.unwrap_or(judge.model.structured))
}

fn narrow_schema() -> Value {
    json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"], "additionalProperties": false })
}

fn chat(system: &str) -> Value {
    json!([
        { "role": "system", "content": system },
        { "role": "user", "content": "{\"turns\":[]}" },
        { "role": "assistant", "content": "{}" },
        { "role": "user", "content": "Field a is missing." }
    ])
}

#[test]
fn openai_is_asked_with_a_strict_schema_and_keeps_nothing() {
    let request = request("openai:gpt-6-luna", None);
    assert_eq!(request.url, "https://api.openai.com/v1/chat/completions");
    let key = request.body["prompt_cache_key"].as_str().unwrap();
    assert!(key.starts_with("carelock-") && key.len() == 25);
    assert_eq!(
        request.body,
        json!({
            "model": "gpt-6-luna",
            "messages": chat("Judge by the rubric."),
            "response_format": { "type": "json_schema", "json_schema": { "name": "carelock_answer", "strict": true, "schema": narrow_schema() } },
            "max_completion_tokens": 4000,
            "temperature": 0,
            "reasoning_effort": "none",
            "store": false,
            "prompt_cache_key": key
        })
    );
}

#[test]
fn the_cache_key_depends_on_the_rubric_alone() {
    let judge = judge("openai:gpt-6-luna");
    let mut other = question(&judge);
    other.messages.truncate(1);
    let key = |question: &Question| {
        to_request(question, &CallTarget::from(&judge), StructuredOutput::JsonSchema).body["prompt_cache_key"].clone()
    };
    assert_eq!(key(&question(&judge)), key(&other));
    other.system.push('!');
    assert_ne!(key(&question(&judge)), key(&other));
}

#[test]
fn a_model_of_which_nothing_is_known_gets_nothing_it_could_refuse() {
    let body = request("openai:gpt-9-nova", None).body;
    for field in ["temperature", "seed", "reasoning_effort", "thinking", "max_tokens"] {
        assert!(body.get(field).is_none(), "{field}");
    }
}

#[test]
fn claude_is_asked_by_output_config_with_the_rubric_cached_and_no_temperature() {
    let request = request("anthropic:claude-sonnet-5-5", None);
    assert_eq!(request.url, "https://api.anthropic.com/v1/messages");
    assert!(request.headers.contains(&("anthropic-version", "2026-10-21".to_owned())));
    assert_eq!(
        request.body,
        json!({
            "model": "claude-sonnet-5-5",
            "max_tokens": 4000,
            "system": [{ "type": "text", "text": "Judge by the rubric.", "cache_control": { "type": "ephemeral" } }],
            "messages": [
                { "role": "user", "content": "{\"turns\":[]}" },
                { "role": "assistant", "content": "{}" },
                { "role": "user", "content": "Field a is missing." }
            ],
            "output_config": { "effort": "low", "format": { "type": "json_schema", "schema": narrow_schema() } },
            "thinking": { "type": "between_tools" }
        })
    );
}

#[test]
fn an_older_claude_is_made_to_call_a_tool() {
    let body = request("anthropic:claude-sonnet-4-5", None).body;
    assert_eq!(body["tool_choice"], json!({ "type": "tool", "name": "carelock_answer" }));
    assert_eq!(body["tools"][0]["input_schema"], narrow_schema());
    assert_eq!(body["tools"][0]["strict"], true);
    assert!(body.get("output_config").is_none() && body.get("thinking").is_none());
    let weaker = request("anthropic:claude-haiku-5-5", Some(StructuredOutput::Tool)).body;
    assert!(weaker["tools"][0].get("strict").is_none());
}

#[test]
fn claude_without_a_mechanism_gets_the_schema_in_its_instructions() {
    let body = request("anthropic:claude-sonnet-5-5", Some(StructuredOutput::None)).body;
    assert!(body["system"][0]["text"].as_str().unwrap().contains("\"minLength\":3"));
    assert!(body.get("output_config").is_none() && body.get("tools").is_none());
}

#[test]
fn deepseek_is_asked_for_json_with_thinking_off() {
    let request = request("deepseek:deepseek-flash", None);
    assert_eq!(request.url, "https://api.deepseek.com/chat/completions");
    let system = request.body["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("JSON") && system.contains("\"minLength\":3"));
    assert_eq!(
        request.body,
        json!({
            "model": "deepseek-flash",
            "messages": chat(system),
            "response_format": { "type": "json_object" },
            "max_tokens": 4000,
            "temperature": 0,
            "thinking": { "type": "disabled" }
        })
    );
}

#[test]
fn an_own_server_gets_the_full_schema_and_only_common_fields() {
    let full =
        json!({ "type": "object", "properties": { "a": { "type": "string", "minLength": 3 } }, "required": ["a"] });
    for (name, url) in [
        ("http://127.0.0.1:8080/v1#m", "http://127.0.0.1:8080/v1/chat/completions"),
        ("ollama:m", "http://127.0.0.1:11434/v1/chat/completions"),
    ] {
        let request = request(name, None);
        assert_eq!(request.url, url);
        assert_eq!(
            request.body,
            json!({
                "model": "m",
                "messages": chat("Judge by the rubric."),
                "response_format": { "type": "json_schema", "json_schema": { "name": "carelock_answer", "strict": true, "schema": full } },
                "max_tokens": 4000,
                "temperature": 0,
                "seed": 7
            })
        );
    }
    let weaker = request("ollama:m", Some(StructuredOutput::JsonObjectSchema)).body;
    assert_eq!(weaker["response_format"], json!({ "type": "json_object", "schema": full }));
    let plain = request("ollama:m", Some(StructuredOutput::None)).body;
    assert!(plain.get("response_format").is_none());
    assert!(plain["messages"][0]["content"].as_str().unwrap().contains("\"minLength\":3"));
}

#[test]
fn no_more_room_is_asked_for_than_the_model_has() {
    let judge = judge("openai:gpt-4.1-mini");
    let mut question = question(&judge);
    question.max_tokens = 1_000_000;
    let body = to_request(&question, &CallTarget::from(&judge), StructuredOutput::JsonSchema).body;
    assert_eq!(body["max_completion_tokens"], 32_768);
}

#[test]
fn an_anthropic_gateway_is_found_with_and_without_a_version_in_its_address() {
    for base in ["http://127.0.0.1:4000", "http://127.0.0.1:4000/v1/"] {
        let terms = Terms { base_url: Some(base.to_owned()), ..Terms::on("2026-11-15".parse().unwrap()) };
        let spec = JudgeSpec::parse("anthropic:claude-sonnet-5-5").unwrap();
        let judge = Table::shipped().resolve(&spec, &terms).unwrap();
        let request = to_request(&question(&judge), &CallTarget::from(&judge), StructuredOutput::OutputConfig);
        assert_eq!(request.url, "http://127.0.0.1:4000/v1/messages");
    }
}

#[test]
fn fields_of_the_users_table_are_sent_along() {
    let table = Table::shipped()
        .with_overrides("[[provider]]\nname = \"ollama\"\nextra = { keep_alive = \"5m\" }\n[[model]]\nprovider = \"ollama\"\nid = \"m\"\nextra = { options = { num_ctx = 16384 } }\n")
        .unwrap();
    let judge =
        table.resolve(&JudgeSpec::parse("ollama:m").unwrap(), &Terms::on("2026-11-15".parse().unwrap())).unwrap();
    let body = to_request(&question(&judge), &CallTarget::from(&judge), judge.model.structured).body;
    assert_eq!((&body["keep_alive"], &body["options"]["num_ctx"]), (&json!("5m"), &json!(16384)));
}

#[test]
fn no_request_carries_a_header_for_a_key() {
    for name in EVERY_PROVIDER {
        let request = request(name, None);
        for (header, _) in &request.headers {
            assert!(["content-type", "accept", "anthropic-version"].contains(header), "{name} {header}");
        }
    }
}
