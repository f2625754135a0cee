//! When a weaker mechanism is tried, and which.

use super::*;

use StructuredOutput::{JsonObject, JsonObjectSchema, JsonSchema, None as Plain, OutputConfig, Tool};

const LOCAL: &str = "http://127.0.0.1:8080/v1#m";

fn next(name: &str, mechanism: StructuredOutput, status: u16, body: &str) -> Option<StructuredOutput> {
    let judge = judge(name);
    next_mechanism(&response(status, NONE, body), mechanism, &CallTarget::from(&judge))
}

#[test]
fn an_own_server_is_led_down_the_whole_chain() {
    let rejected = r#"{"error":{"message":"response_format is not supported","type":"invalid_request_error"}}"#;
    let mut chain = vec![JsonSchema];
    while let Some(weaker) = next(LOCAL, chain[chain.len() - 1], 400, rejected) {
        chain.push(weaker);
    }
    assert_eq!(chain, [JsonSchema, JsonObjectSchema, JsonObject, Plain]);
}

#[test]
fn a_server_that_fails_on_a_mechanism_it_does_not_know_is_asked_with_a_weaker_one() {
    for (status, body) in [
        (400, r#"{"error":{"message":"Either \"json_schema\" or \"grammar\" can be specified"}}"#),
        (400, r#"{"error":"failed to parse grammar"}"#),
        (
            400,
            r#"{"error":{"code":400,"message":"JSON schema error at #: unrecognized type","type":"invalid_request_error"}}"#,
        ),
        (422, r#"{"detail":[{"loc":["body","response_format","type"],"msg":"unexpected value"}]}"#),
        (500, r#"{"error":{"message":"('body', 'response_format', 'type')","type":"internal_server_error"}}"#),
        (500, r#"{"error":{"message":"boom","type":"internal_server_error"}}"#),
        (501, r#"{"error":{"message":"json_schema: not implemented"}}"#),
    ] {
        assert_eq!(next(LOCAL, JsonSchema, status, body), Some(JsonObjectSchema), "{status} {body}");
    }
}

#[test]
fn other_failures_do_not_weaken_the_mechanism() {
    for (status, body) in [
        (200, r#"{"choices":[{"message":{"content":"json_schema"},"finish_reason":"stop"}]}"#),
        (400, r#"{"error":{"message":"temperature must be positive"}}"#),
        (
            400,
            r#"{"error":{"message":"context length exceeded while building grammar","code":"context_length_exceeded"}}"#,
        ),
        (400, r#"{"error":{"message":"response_format","code":"content_filter"}}"#),
        (401, r#"{"error":{"message":"response_format"}}"#),
        (429, r#"{"error":{"message":"json_schema"}}"#),
        (500, "<html>grammar</html>"),
        (500, ""),
        (502, r#"{"error":{"message":"json_schema"}}"#),
        (503, r#"{"error":{"message":"boom","type":"internal_server_error"}}"#),
    ] {
        assert_eq!(next(LOCAL, JsonSchema, status, body), Option::None, "{status} {body}");
    }
}

#[test]
fn a_hosted_model_is_not_offered_what_its_provider_never_had() {
    let rejected = r#"{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported","type":"invalid_request_error"}}"#;
    assert_eq!(next("openai:gpt-6-luna", JsonSchema, 400, rejected), Some(JsonObject));
    assert_eq!(next("deepseek:deepseek-flash", JsonObject, 400, rejected), Some(Plain));
    let crashed = r#"{"error":{"message":"boom","type":"internal_server_error"}}"#;
    assert_eq!(next("openai:gpt-6-luna", JsonSchema, 500, crashed), Option::None);
}

#[test]
fn claude_falls_back_to_a_tool_only_where_it_can_be_made_to_call_one() {
    let rejected = r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config: Extra inputs are not permitted"}}"#;
    let too_large =
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"The compiled grammar is too large"}}"#;
    for body in [rejected, too_large] {
        assert_eq!(next("anthropic:claude-haiku-5-5", OutputConfig, 400, body), Some(Tool));
        assert_eq!(next("anthropic:claude-sonnet-5-5", OutputConfig, 400, body), Some(Plain));
    }
    let forced = r#"{"type":"error","error":{"type":"invalid_request_error","message":"tool_choice: forcing is not supported"}}"#;
    assert_eq!(next("anthropic:claude-haiku-5-5", Tool, 400, forced), Some(Plain));
    assert_eq!(next("anthropic:claude-haiku-5-5", Plain, 400, forced), Option::None);
}
