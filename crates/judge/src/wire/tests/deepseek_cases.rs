//! What DeepSeek answers where it differs from OpenAI, and what it means.

use super::*;

#[rustfmt::skip]
const CASES: &[Case] = &[
    (200, NONE, r#"{"model":"deepseek-flash","choices":[{"message":{"content":"{\"a\":1}","reasoning_content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}}"#, r#"answered {"a":1} [100/64/20]"#),
    (200, NONE, "\n\n\n\n{\"choices\":[{\"message\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]}", "answered {}"),
    (200, NONE, "\n\n\n\n", "unavailable, later"),
    (200, NONE, "\n\n{\"choices\":[{\"message\":{\"con", "unavailable, later"),
    (200, NONE, r#"{"choices":[{"message":{"content":"\n\n  {\"a\":1}"},"finish_reason":"stop"}]}"#, "answered \n\n  {\"a\":1}"),
    (200, NONE, r#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"message":{"content":"","reasoning_content":"{\"a\":1}"},"finish_reason":"stop"}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"message":{"content":null,"reasoning_content":"thinking"},"finish_reason":"length"}]}"#, "truncated"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{\"a\":1}","reasoning_content":"I think no"},"finish_reason":"stop"}]}"#, r#"answered {"a":1}"#),
    (200, NONE, r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#, "filtered answer: -"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{\"a\""},"finish_reason":"insufficient_system_resource"}]}"#, "unavailable, later"),
    (400, NONE, r#"{"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#, "filtered prompt: -"),
    (400, NONE, r#"{"error":{"message":"This model's maximum context length is 1,000,000 tokens. However, you requested 1,200,000 tokens","type":"invalid_request_error","code":"invalid_request_error"}}"#, "too long 1200000/1000000"),
    (400, NONE, r#"{"error":{"message":"Prompt must contain the word 'json'","type":"invalid_request_error","code":"invalid_request_error"}}"#, "misconfigured"),
    (400, NONE, r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error","code":"invalid_request_error"}}"#, "misconfigured"),
    (401, NONE, r#"{"error":{"message":"Authentication Fails (no such user)","type":"authentication_error","code":"invalid_request_error"}}"#, "misconfigured"),
    (402, NONE, r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}"#, "misconfigured"),
    (422, NONE, r#"{"error":{"message":"Invalid parameter","type":"invalid_request_error"}}"#, "misconfigured"),
    (429, NONE, r#"{"error":{"message":"Rate limit reached","type":"rate_limit_error"}}"#, "unavailable, later"),
    (500, NONE, r#"{"error":{"message":"Server error"}}"#, "unavailable, later"),
    (503, NONE, r#"{"error":{"message":"Server overloaded"}}"#, "unavailable, later"),
];

#[test]
fn every_deepseek_response_has_its_outcome() {
    check("deepseek:deepseek-flash", CASES);
}
