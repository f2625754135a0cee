//! What Anthropic answers, and what it means.

use super::*;

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Answers.
    (200, NONE, r#"{"id":"m","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"{\"a\":1}"}],"stop_reason":"end_turn","usage":{"input_tokens":50,"cache_creation_input_tokens":30,"cache_read_input_tokens":20,"output_tokens":9}}"#, r#"answered {"a":1} [100/20/9]"#),
    (200, NONE, r#"{"type":"message","content":[{"type":"thinking","thinking":"{\"a\":0}","signature":"s"},{"type":"text","text":"{\"a\":1}"}],"stop_reason":"end_turn"}"#, r#"answered {"a":1}"#),
    (200, NONE, r#"{"type":"message","content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"{}"}],"stop_reason":"end_turn"}"#, "answered {}"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{\"a\""},{"type":"text","text":":1}"}],"stop_reason":"end_turn"}"#, r#"answered {"a":1}"#),
    (200, NONE, r#"{"type":"message","content":[{"type":"tool_use","id":"t","name":"carelock_answer","input":{"a":1}}],"stop_reason":"tool_use"}"#, r#"answered {"a":1}"#),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"Here it is."},{"type":"tool_use","id":"t","name":"carelock_answer","input":{"b":2,"a":1}}],"stop_reason":"tool_use"}"#, r#"answered {"b":2,"a":1}"#),
    (200, NONE, r#"{"type":"message","content":[{"type":"tool_use","name":"carelock_answer","input":"{\"a\":1}"}],"stop_reason":"tool_use"}"#, r#"answered {"a":1}"#),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{}"}],"stop_reason":"stop_sequence"}"#, "answered {}"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{}"}],"stop_reason":null}"#, "answered {}"),
    (200, NONE, r#"{"content":[{"type":"text","text":"{}"}]}"#, "answered {}"),
    (200, NONE, r#"{"type":"message","content":"{}","stop_reason":"end_turn"}"#, "answered {}"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"prose"}],"stop_reason":"end_turn"}"#, "answered prose"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":2}}"#, "answered {} [7/0/2]"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"output_tokens":2}}"#, "answered {}"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"input_tokens":18446744073709551615,"cache_read_input_tokens":1,"output_tokens":2}}"#, "answered {}"),
    (200, NONE, "\n\n{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"{}\"}],\"stop_reason\":\"end_turn\"}", "answered {}"),
    // Nothing, or not all of it.
    (200, NONE, r#"{"type":"message","content":[],"stop_reason":"end_turn"}"#, "empty"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":""}],"stop_reason":"end_turn"}"#, "empty"),
    (200, NONE, r#"{"type":"message","content":[{"type":"thinking","thinking":"{\"a\":1}"}],"stop_reason":"end_turn"}"#, "empty"),
    (200, NONE, r#"{"type":"message","content":[{"text":"{\"a\":1}"}],"stop_reason":"end_turn"}"#, "empty"),
    (200, NONE, r#"{"type":"message","content":[{"type":"tool_use","name":"carelock_answer","input":null}],"stop_reason":"tool_use"}"#, "empty"),
    (200, NONE, r#"{"type":"message","content":[{"type":"tool_use","name":"web_search","input":{"a":1}}],"stop_reason":"tool_use"}"#, "empty"),
    (200, NONE, r#"{"type":"message","content":[7,null,"x"],"stop_reason":"end_turn"}"#, "empty"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{\"a\""}],"stop_reason":"max_tokens"}"#, "truncated"),
    (200, NONE, r#"{"type":"message","content":[{"type":"tool_use","name":"carelock_answer","input":{"a":1}}],"stop_reason":"max_tokens"}"#, "truncated"),
    (200, NONE, r#"{"type":"message","content":[],"stop_reason":"max_tokens"}"#, "truncated"),
    (200, NONE, r#"{"type":"message","stop_reason":"end_turn"}"#, "invalid"),
    (200, NONE, r#"{"type":"message","content":null,"stop_reason":"end_turn"}"#, "invalid"),
    (200, NONE, r#"{"type":"message","content":{"type":"text","text":"{}"},"stop_reason":"end_turn"}"#, "invalid"),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"…"}],"stop_reason":"pause_turn"}"#, "invalid"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}"#, "invalid"),
    // Refusals and filters.
    (200, NONE, r#"{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"general_harms","explanation":"This touches on self-harm."}}"#, "refused: general_harms: This touches on self-harm."),
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{\"a\":1}"}],"stop_reason":"refusal","stop_details":{"type":"refusal","category":null,"explanation":null}}"#, "refused: the model declined"),
    (200, NONE, r#"{"type":"message","content":[],"stop_reason":"refusal"}"#, "refused: the model declined"),
    (400, NONE, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"},"request_id":"r"}"#, "filtered answer: -"),
    // Too long.
    (200, NONE, r#"{"type":"message","content":[{"type":"text","text":"{"}],"stop_reason":"model_context_window_exceeded","usage":{"input_tokens":999000,"output_tokens":1000}}"#, "too long 999000/1000000"),
    (400, NONE, r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#, "too long 210000/200000"),
    (400, NONE, r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}"#, "too long -/-"),
    (413, NONE, r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#, "too long -/-"),
    // Keys, models, requests, money.
    (401, NONE, r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#, "misconfigured"),
    (403, NONE, r#"{"type":"error","error":{"type":"permission_error","message":"no"}}"#, "misconfigured"),
    (404, NONE, r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-3-5-sonnet-20241022"}}"#, "misconfigured"),
    (400, NONE, r#"{"type":"error","error":{"type":"invalid_request_error","message":"temperature: this model does not accept it"}}"#, "misconfigured"),
    (400, NONE, r#"{"type":"error","error":{"type":"invalid_request_error","message":"The compiled grammar is too large"}}"#, "misconfigured"),
    (402, NONE, r#"{"type":"error","error":{"type":"billing_error","message":"payment required"}}"#, "misconfigured"),
    (400, NONE, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#, "misconfigured"),
    (400, NONE, r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}}"#, "misconfigured"),
    (429, NONE, r#"{"type":"error","error":{"type":"rate_limit_error","message":"Your workspace's spend limit is reached"}}"#, "misconfigured"),
    // Load.
    (429, &[("retry-after", "12")], r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#, "unavailable, after 12"),
    (429, &[("anthropic-ratelimit-input-tokens-remaining", "0"), ("anthropic-ratelimit-input-tokens-reset", "1994-11-06T08:50:07Z")], r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#, "unavailable, after 30"),
    (429, NONE, r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#, "unavailable, later"),
    (500, NONE, r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#, "unavailable, later"),
    (504, NONE, r#"{"type":"error","error":{"type":"timeout_error","message":"timed out"}}"#, "unavailable, later"),
    (529, NONE, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, "unavailable, later"),
    (529, &[("x-should-retry", "true"), ("retry-after", "3")], r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, "unavailable, after 3"),
    // An error inside a success.
    (200, NONE, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, "unavailable, later"),
    (200, NONE, r#"{"type":"error","error":{"type":"authentication_error","message":"no"}}"#, "misconfigured"),
    (200, NONE, r#"{"type":"error","message":"no"}"#, "unavailable, later"),
    (400, NONE, r#"{"type":"message","content":[{"type":"text","text":"{\"a\":1}"}],"stop_reason":"end_turn"}"#, "misconfigured"),
];

#[test]
fn every_anthropic_response_has_its_outcome() {
    assert!(CASES.len() >= 40);
    check("anthropic:claude-sonnet-5-5", CASES);
}

#[test]
fn a_refused_question_still_reports_what_it_took() {
    let body = r#"{"type":"message","content":[],"stop_reason":"refusal","usage":{"input_tokens":5,"cache_creation_input_tokens":3,"cache_read_input_tokens":2,"output_tokens":1}}"#;
    let usage = to_usage(&response(200, NONE, body), Wire::AnthropicMessages).unwrap();
    assert_eq!((usage.tokens.input, usage.tokens.cached, usage.tokens.output, usage.cache_written), (10, 2, 1, 3));
}
