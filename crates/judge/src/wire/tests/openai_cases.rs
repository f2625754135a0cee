//! What OpenAI and Azure answer, and what it means.

use super::*;

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Answers.
    (200, NONE, r#"{"id":"c","object":"chat.completion","model":"gpt-6-luna","system_fingerprint":"fp_1","choices":[{"index":0,"message":{"role":"assistant","content":"{\"a\":1}","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64}}}"#, r#"answered {"a":1} [100/64/20]"#),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}"#, "answered {}"),
    (200, NONE, r#"{"error":null,"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":null}]}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"}}]}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"message":{"content":"prose, no JSON"},"finish_reason":"stop"}]}"#, "answered prose, no JSON"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}","refusal":""},"finish_reason":"stop"}]}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"message":{"content":"first"},"finish_reason":"stop"},{"message":{"content":"second"},"finish_reason":"stop"}]}"#, "answered first"),
    (200, NONE, r#"{"choices":[{"message":{"content":[{"type":"text","text":"{\"a\""},{"type":"text","text":":1}"}]},"finish_reason":"stop"}]}"#, r#"answered {"a":1}"#),
    (200, &[("content-type", "text/plain")], r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}"#, "answered {}"),
    (200, &[("content-type", "text/html")], r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}"#, "answered {}"),
    (200, NONE, "\u{feff}{\"choices\":[{\"message\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]}", "answered {}"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":null}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"many","completion_tokens":1}}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-5,"completion_tokens":1}}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10.0,"total_tokens":15}}"#, "answered {} [10/0/5]"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":99}}}"#, "answered {} [10/10/1]"),
    // Nothing, or not all of it.
    (200, NONE, r#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"message":{"content":" \n\t"},"finish_reason":"stop"}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"message":{"content":[]},"finish_reason":"stop"}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"message":{"content":7},"finish_reason":"stop"}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"message":{"role":"assistant"},"finish_reason":"stop"}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{\"a\":"},"finish_reason":"length"}]}"#, "truncated"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{\"a\":1}"},"finish_reason":"length"}]}"#, "truncated"),
    (200, NONE, r#"{"choices":[{"message":{"content":null},"finish_reason":"length"}]}"#, "truncated"),
    (200, NONE, r#"{"choices":[]}"#, "invalid"),
    (200, NONE, r#"{"choices":null}"#, "invalid"),
    (200, NONE, r#"{"choices":"none"}"#, "invalid"),
    (200, NONE, r#"{"choices":[null]}"#, "invalid"),
    (200, NONE, r#"{"choices":[{"finish_reason":"stop"}]}"#, "invalid"),
    (200, NONE, r#"{"choices":[{"message":"{}","finish_reason":"stop"}]}"#, "invalid"),
    (200, NONE, r#"{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"x","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}"#, "invalid"),
    // Refusals and filters.
    (200, NONE, r#"{"choices":[{"message":{"content":null,"refusal":"I can't help with that."},"finish_reason":"stop"}]}"#, "refused: I can't help with that."),
    (200, NONE, r#"{"choices":[{"message":{"content":"{\"a\":1}","refusal":"No."},"finish_reason":"stop"}]}"#, "refused: No."),
    (200, NONE, r#"{"choices":[{"message":{"content":[{"type":"refusal","refusal":"No."}]},"finish_reason":"stop"}]}"#, "refused: No."),
    (200, NONE, r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#, "filtered answer: -"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{\"a\""},"finish_reason":"content_filter","content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":true,"severity":"medium"}}}]}"#, "filtered answer: self_harm"),
    (200, NONE, r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"self_harm":{"filtered":true,"severity":"high"}}}]}"#, "filtered prompt: self_harm"),
    (400, NONE, r#"{"error":{"code":"content_filter","message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":false},"self_harm":{"filtered":true,"severity":"high"},"violence":{"filtered":true,"severity":"medium"}}}}}"#, "filtered prompt: self_harm, violence"),
    (400, NONE, r#"{"error":{"code":"content_filter","message":"filtered"}}"#, "filtered prompt: -"),
    (400, NONE, r#"{"error":{"code":"invalid_prompt","type":"invalid_request_error","message":"Your prompt was flagged"}}"#, "filtered prompt: -"),
    (400, NONE, r#"{"error":{"code":"content_policy_violation","message":"no"}}"#, "filtered prompt: -"),
    // Too long.
    (400, NONE, r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#, "too long 130512/128000"),
    (400, NONE, r#"{"error":{"message":"too big","code":"string_above_max_length"}}"#, "too long -/-"),
    (429, &[("retry-after", "7")], r#"{"error":{"message":"Request too large for gpt-4.1-mini on tokens per min (TPM): Limit 30000, Requested 41000.","type":"tokens","code":"rate_limit_exceeded"}}"#, "too long -/-"),
    // Keys, models, requests.
    (401, NONE, r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}"#, "misconfigured"),
    (403, NONE, r#"{"error":{"message":"Project does not have access","code":"model_not_found"}}"#, "misconfigured"),
    (403, NONE, r#"{"error":{"message":"Country not supported","code":"unsupported_country_region_territory"}}"#, "misconfigured"),
    (404, NONE, r#"{"error":{"message":"The model does not exist","type":"invalid_request_error","code":"model_not_found"}}"#, "misconfigured"),
    (400, NONE, r#"{"error":{"message":"Unsupported parameter: 'temperature'","param":"temperature","code":"unsupported_parameter"}}"#, "misconfigured"),
    (400, NONE, r#"{"error":{"message":"max_tokens is too large: 200000. This model supports at most 32768 completion tokens","code":"invalid_value"}}"#, "misconfigured"),
    (400, NONE, r#"{"error":{"message":"Invalid schema for response_format 'x'","code":"invalid_json_schema"}}"#, "misconfigured"),
    // Money.
    (429, NONE, r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#, "misconfigured"),
    (429, &[("retry-after", "7")], r#"{"error":{"message":"quota","type":"insufficient_quota","code":"insufficient_quota"}}"#, "misconfigured"),
    (429, NONE, r#"{"error":{"message":"Monthly spend limit reached","code":"spend_limit_reached"}}"#, "misconfigured"),
    (400, NONE, r#"{"error":{"message":"Billing hard limit has been reached","code":"billing_hard_limit_reached"}}"#, "misconfigured"),
    // Load.
    (429, &[("retry-after", "20")], r#"{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}"#, "unavailable, after 20"),
    (429, &[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "1m30s")], r#"{"error":{"code":"rate_limit_exceeded","message":"slow"}}"#, "unavailable, after 90"),
    (429, &[("retry-after", "9")], r#"{"error":{"message":"You exceeded your current quota, please retry","code":429}}"#, "unavailable, after 9"),
    (429, NONE, r#"{"error":{"message":"slow down","code":"slow_down"}}"#, "unavailable, later"),
    (500, NONE, r#"{"error":{"message":"The server had an error","type":"server_error"}}"#, "unavailable, later"),
    (500, &[("x-should-retry", "false")], r#"{"error":{"message":"The server had an error","type":"server_error"}}"#, "unavailable, never"),
    (503, &[("retry-after-ms", "1500")], r#"{"error":{"message":"overloaded","code":"server_is_overloaded"}}"#, "unavailable, after 1.5"),
    // An error inside a success is an error, whatever stands beside it.
    (200, NONE, r#"{"error":{"message":"oops"},"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}"#, "unavailable, later"),
    (200, NONE, r#"{"choices":[{"error":{"code":502,"message":"upstream"},"message":{"content":"{\"a\""},"finish_reason":"error"}]}"#, "unavailable, later"),
    (200, NONE, r#"{"choices":[{"message":{"content":"{}"},"finish_reason":"error"}]}"#, "unavailable, later"),
    (401, NONE, r#"{"choices":[{"message":{"content":"{\"a\":1}"},"finish_reason":"stop"}]}"#, "misconfigured"),
    (500, NONE, r#"{"choices":[{"message":{"content":"{\"a\":1}"},"finish_reason":"stop"}]}"#, "unavailable, later"),
];

#[test]
fn every_openai_response_has_its_outcome() {
    assert!(CASES.len() >= 40);
    check("openai:gpt-6-luna", CASES);
}

#[test]
fn an_answer_carries_model_and_fingerprint() {
    let judge = judge("openai:gpt-6-luna");
    let Outcome::Answered(reply) = to_outcome(&response(200, NONE, CASES[0].2), &CallTarget::from(&judge), now())
    else {
        panic!()
    };
    assert_eq!(reply.model.as_deref(), Some("gpt-6-luna"));
    assert_eq!(reply.fingerprint.as_deref(), Some("fp_1"));
}

#[test]
fn a_truncated_answer_still_reports_what_it_took() {
    let body = r#"{"choices":[{"message":{"content":"{"},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":2,"cache_write_tokens":3}}}"#;
    let usage = to_usage(&response(200, NONE, body), Wire::OpenAiChat).unwrap();
    assert_eq!((usage.tokens.input, usage.tokens.cached, usage.tokens.output, usage.cache_written), (9, 2, 4, 3));
}
