//! Responses that mean the same in every wire format: gateways, proxies, broken connections, bodies that are no API's.

use proptest::prelude::*;

use super::*;

const HTML: &[(&str, &str)] = &[("content-type", "text/html; charset=utf-8")];
const WAIT: &[(&str, &str)] = &[("retry-after", "7")];

#[rustfmt::skip]
const CASES: &[Case] = &[
    (200, NONE, "", "unavailable, later"),
    (200, NONE, " \r\n\r\n ", "unavailable, later"),
    (204, NONE, "", "unavailable, later"),
    (200, HTML, "<!doctype html><title>Login</title>", "invalid"),
    (200, NONE, "<html></html>", "invalid"),
    (200, HTML, "Welcome", "invalid"),
    (200, NONE, "OK", "invalid"),
    (200, NONE, "null", "invalid"),
    (200, NONE, "42", "invalid"),
    (200, NONE, "\"met\"", "invalid"),
    (200, NONE, "[]", "invalid"),
    (200, NONE, "{}", "invalid"),
    (200, NONE, "true", "invalid"),
    (200, NONE, "{\"choices\": [{\"message\": {\"content\": \"{\\\"verd", "unavailable, later"),
    (200, NONE, "{\"content\": [{\"type\": \"text\", \"text\": \"{", "unavailable, later"),
    (200, NONE, "{\"a\": }", "invalid"),
    (200, NONE, "{\"a\": 1} trailing", "invalid"),
    (200, &[("content-type", "text/event-stream")], "data: {\"choices\":[]}\n\n", "invalid"),
    (200, NONE, "data: {\"choices\":[]}\n\ndata: [DONE]", "invalid"),
    (200, NONE, "event: message_start\ndata: {}", "invalid"),
    (200, NONE, "{\"error\": \"upstream failed\"}", "unavailable, later"),
    (200, NONE, "{\"error\": {}}", "unavailable, later"),
    (200, NONE, "{\"error\": {\"code\": 429, \"message\": \"slow\"}}", "unavailable, later"),
    (200, NONE, "{\"error\": {\"code\": \"401\", \"message\": \"no\"}}", "misconfigured"),
    (200, NONE, "{\"error\": {\"type\": \"rate_limit_error\", \"message\": \"slow\"}}", "unavailable, later"),
    (200, NONE, "{\"error\": {\"type\": \"invalid_request_error\", \"message\": \"no\"}}", "misconfigured"),
    (200, NONE, "[{\"error\": {\"code\": 503, \"message\": \"busy\"}}]", "unavailable, later"),
    (200, NONE, "{\"message\": \"upstream failed\"}", "unavailable, later"),
    (200, NONE, "{\"object\": \"error\", \"message\": \"no such field\", \"code\": 400}", "misconfigured"),
    (301, &[("location", "https://elsewhere")], "", "misconfigured"),
    (400, NONE, "", "misconfigured"),
    (400, NONE, "bad request", "misconfigured"),
    (401, NONE, "", "misconfigured"),
    (402, NONE, "", "misconfigured"),
    (403, HTML, "<html>blocked</html>", "misconfigured"),
    (404, HTML, "<html>404</html>", "misconfigured"),
    (404, NONE, "{\"detail\": \"Not Found\"}", "misconfigured"),
    (405, NONE, "{\"detail\": \"Method Not Allowed\"}", "misconfigured"),
    (407, HTML, "<html>proxy</html>", "misconfigured"),
    (408, NONE, "", "unavailable, later"),
    (409, NONE, "", "unavailable, later"),
    (413, HTML, "<html>413 Request Entity Too Large</html>", "too long -/-"),
    (422, NONE, "{\"detail\": [{\"loc\": [\"body\", \"messages\"], \"msg\": \"field required\", \"input\": {}}]}", "misconfigured"),
    (425, NONE, "", "unavailable, later"),
    (429, NONE, "", "unavailable, later"),
    (429, WAIT, "", "unavailable, after 7"),
    (429, &[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")], "", "unavailable, after 10"),
    (429, &[("retry-after", "3600")], "", "unavailable, after 3600"),
    (429, &[("retry-after-ms", "250")], "", "unavailable, after 0.25"),
    (429, &[("x-should-retry", "false")], "", "unavailable, never"),
    (400, &[("x-should-retry", "true")], "", "unavailable, later"),
    (401, &[("x-should-retry", "true")], "", "misconfigured"),
    (500, NONE, "", "unavailable, later"),
    (500, NONE, "Internal Server Error", "unavailable, later"),
    (502, HTML, "<html>502 Bad Gateway</html>", "unavailable, later"),
    (503, WAIT, "", "unavailable, after 7"),
    (503, NONE, "{\"error\": {\"code\": \"server_is_overloaded\", \"message\": \"busy\"}}", "unavailable, later"),
    (504, HTML, "<html>504</html>", "unavailable, later"),
    (520, HTML, "<html>error</html>", "unavailable, later"),
    (529, NONE, "", "unavailable, later"),
    (599, NONE, "", "unavailable, later"),
    (0, NONE, "", "unavailable, later"),
    (100, NONE, "", "misconfigured"),
    (418, NONE, "{\"verdicts\": \"all met\"}", "misconfigured"),
];

#[test]
fn what_no_api_says_means_the_same_everywhere() {
    for name in EVERY_PROVIDER {
        check(name, CASES);
    }
}

#[test]
fn bytes_that_are_no_text_are_no_answer() {
    for name in EVERY_PROVIDER {
        let judge = judge(name);
        let garbled = Response { status: 200, headers: Vec::new(), body: vec![0xff, 0xfe, 0x00, 0x80, b'{'] };
        assert_eq!(summary(&to_outcome(&garbled, &CallTarget::from(&judge), now())), "invalid");
        let deep = Response { status: 200, headers: Vec::new(), body: "[".repeat(100_000).into_bytes() };
        assert_ne!(summary(&to_outcome(&deep, &CallTarget::from(&judge), now())).split(' ').next(), Some("answered"));
    }
}

#[test]
fn a_missing_model_is_answered_with_its_successor() {
    let judge = judge("openai:gpt-4.1-mini");
    let outcome =
        to_outcome(&response(404, NONE, "{\"error\":{\"message\":\"gone\"}}"), &CallTarget::from(&judge), now());
    let Outcome::Misconfigured { what } = outcome else { panic!("{outcome:?}") };
    assert!(what.contains("openai:gpt-6-luna"), "{what}");
}

#[test]
fn a_wrong_key_is_answered_with_the_variable_it_comes_from() {
    for (name, variable) in [("openai:gpt-6-luna", "OPENAI_API_KEY"), ("http://127.0.0.1:1/v1#m", "CARELOCK_JUDGE_KEY")]
    {
        let judge = judge(name);
        let outcome = to_outcome(&response(401, NONE, ""), &CallTarget::from(&judge), now());
        assert!(format!("{outcome:?}").contains(variable), "{outcome:?}");
    }
}

#[test]
fn a_key_that_a_server_quotes_is_never_passed_on() {
    let key = "sk-live-PLANTED0123456789abcdef";
    for name in EVERY_PROVIDER {
        let judge = judge(name);
        for status in [200, 301, 400, 401, 403, 404, 413, 422, 429, 500, 529] {
            for body in [
                format!(
                    "{{\"error\":{{\"message\":\"Incorrect API key provided: {key}.\",\"type\":\"{key}\",\"code\":\"{key}\"}}}}"
                ),
                format!("{{\"error\":\"Bearer {key}\"}}"),
                format!("{{\"detail\":[{{\"loc\":[\"header\"],\"msg\":\"{key}\",\"input\":\"{key}\"}}]}}"),
                format!("<html>{key}</html>"),
                key.to_owned(),
            ] {
                let outcome = to_outcome(&response(status, HTML, &body), &CallTarget::from(&judge), now());
                assert!(!format!("{outcome:?}").contains("PLANTED"), "{status} {outcome:?}");
            }
        }
    }
}

#[test]
fn a_request_that_a_server_echoes_is_not_passed_on_at_length() {
    let chat = "I told nobody but you. ".repeat(400);
    let body = format!("{{\"detail\":[{{\"loc\":[\"body\"],\"msg\":\"bad\",\"input\":\"{chat}\"}}]}}");
    let judge = judge("http://127.0.0.1:8080/v1#m");
    let outcome = to_outcome(&response(422, NONE, &body), &CallTarget::from(&judge), now());
    assert!(!format!("{outcome:?}").contains("nobody"), "{outcome:?}");
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z ]{0,8}".prop_map(Value::from),
        prop_oneof!["stop", "length", "refusal", "content_filter", "end_turn", "max_tokens", "text", "tool_use"]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let name = prop_oneof![
            "choices",
            "message",
            "content",
            "refusal",
            "finish_reason",
            "stop_reason",
            "stop_details",
            "type",
            "text",
            "usage",
            "error",
            "code",
            "prompt_tokens",
            "completion_tokens",
            "input_tokens",
            "output_tokens",
            "input",
            "name",
            "detail",
            "filtered"
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_body_makes_the_reader_panic(status in prop_oneof![Just(200_u16), any::<u16>()], body in json_value()) {
        for name in ["openai:gpt-6-luna", "anthropic:claude-sonnet-5-5"] {
            let judge = judge(name);
            let asked = CallTarget::from(&judge);
            let response = response(status, NONE, &body.to_string());
            let outcome = to_outcome(&response, &asked, now());
            let success = (200..300).contains(&status);
            prop_assert!(success || !matches!(outcome, Outcome::Answered(_)));
            let _ = to_usage(&response, judge.provider.wire);
            let _ = next_mechanism(&response, judge.model.structured, &asked);
        }
    }

    #[test]
    fn no_bytes_and_headers_make_the_reader_panic(
        status in any::<u16>(),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        value in "\\PC{0,20}",
    ) {
        let names = ["retry-after", "retry-after-ms", "x-ratelimit-reset-tokens", "anthropic-ratelimit-requests-reset", "content-type"];
        let headers = names.iter().map(|name| ((*name).to_owned(), value.clone())).collect();
        let response = Response { status, headers, body: bytes };
        let judge = judge("openai:gpt-6-luna");
        let outcome = to_outcome(&response, &CallTarget::from(&judge), now());
        prop_assert!(!matches!(outcome, Outcome::Answered(_)));
        let _ = Limits::read(&response, now());
    }
}
