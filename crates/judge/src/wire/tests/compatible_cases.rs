//! What servers that people run themselves answer, and what it means.

use super::*;

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Missing parts.
    (200, NONE, r#"{"choices":[{"message":{"role":"assistant","content":"{\"a\":1}"}}]}"#, r#"answered {"a":1}"#),
    (200, NONE, r#"{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"{}"}}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}"#, "answered {} [5/0/2]"),
    (200, NONE, r#"{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}],"usage":{"prompt_tokens":5}}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}],"usage":{}}"#, "answered {}"),
    (200, NONE, r#"{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}],"usage":[1]}"#, "answered {}"),
    // Thoughts in the answer.
    (200, NONE, r#"{"choices":[{"finish_reason":"stop","message":{"content":"<think>\n{\"a\":0}?\n</think>\n\n{\"a\":1}"}}]}"#, r#"answered {"a":1}"#),
    (200, NONE, r#"{"choices":[{"finish_reason":"stop","message":{"content":"<think>done</think>"}}]}"#, "empty"),
    (200, NONE, r#"{"choices":[{"finish_reason":"length","message":{"content":"<think>still"}}]}"#, "truncated"),
    (200, NONE, r#"{"choices":[{"finish_reason":"abort","message":{"content":"{"}}]}"#, "unavailable, later"),
    // llama.cpp.
    (400, NONE, r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9312,"n_ctx":8192}}"#, "too long 9312/8192"),
    (400, NONE, r#"{"error":{"code":400,"message":"request (9312 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error"}}"#, "too long 9312/8192"),
    (503, NONE, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#, "unavailable, later"),
    (400, NONE, r#"{"error":{"code":400,"message":"Either \"json_schema\" or \"grammar\" can be specified, but not both","type":"invalid_request_error"}}"#, "misconfigured"),
    (401, NONE, r#"{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}"#, "misconfigured"),
    // llama-cpp-python.
    (400, NONE, r#"{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested 9000 tokens (8000 in your prompt; 1000 for the completion).","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#, "too long 9000/8192"),
    (500, NONE, r#"{"error":{"message":"Requested tokens (9312) exceed context window of 8192","type":"internal_server_error","param":null,"code":null}}"#, "too long 9312/8192"),
    (500, NONE, r#"{"error":{"message":"[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}]","type":"internal_server_error","param":null,"code":null}}"#, "unavailable, later"),
    // vLLM.
    (400, NONE, r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.","type":"BadRequestError","param":null,"code":400}"#, "too long 5000/4096"),
    (404, NONE, r#"{"object":"error","message":"The model `m` does not exist.","type":"NotFoundError","param":null,"code":404}"#, "misconfigured"),
    (400, NONE, r#"{"error":{"message":"Grammar error: unsupported","type":"BadRequestError","code":400}}"#, "misconfigured"),
    // Ollama.
    (404, NONE, r#"{"error":{"message":"model \"llama3.2\" not found, try pulling it first","type":"api_error","param":null,"code":null}}"#, "misconfigured"),
    (404, NONE, r#"{"error":"model 'llama3.2' not found"}"#, "misconfigured"),
    (400, NONE, r#"{"error":{"message":"the input length exceeds the context length","type":"invalid_request_error"}}"#, "too long -/-"),
    (500, NONE, r#"{"error":"llama runner process has terminated"}"#, "unavailable, later"),
    // Gateways.
    (200, NONE, r#"{"error":{"message":"Provider returned error","code":502}}"#, "unavailable, later"),
    (200, NONE, r#"{"error":{"message":"Rate limited upstream","code":429,"metadata":{"headers":{}}}}"#, "unavailable, later"),
    (402, NONE, r#"{"error":{"message":"Insufficient credits","code":402}}"#, "misconfigured"),
    (403, NONE, r#"{"success":false,"errors":[{"code":1010,"message":"Access denied"}]}"#, "misconfigured"),
    (400, NONE, r#"{"error":{"message":"litellm.ContextWindowExceededError: prompt is too long","code":"400"}}"#, "too long -/-"),
    (500, NONE, r#"[{"error":{"code":500,"message":"internal","status":"INTERNAL"}}]"#, "unavailable, later"),
    // Fields of other types than they should have.
    (400, NONE, r#"{"error":{"message":["a"],"type":1,"code":[]}}"#, "misconfigured"),
    (400, NONE, r#"{"error":[1,2]}"#, "misconfigured"),
    (400, NONE, r#"{"errors":[]}"#, "misconfigured"),
    (400, NONE, r#"{"detail":{"msg":"no"}}"#, "misconfigured"),
    (400, NONE, r#"{"detail":7}"#, "misconfigured"),
    (429, NONE, r#"{"error":{"code":1e400}}"#, "unavailable, later"),
];

#[test]
fn every_response_of_an_own_server_has_its_outcome() {
    check("http://127.0.0.1:8080/v1#model", CASES);
    check("ollama:llama3.2", CASES);
}
