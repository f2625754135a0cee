//! Cases in which the way to the model is at fault.

use std::time::Duration;

use super::case::Case;
use super::flavour::Flavour;
use super::script::good;
use carelock_test_support::fault_server::Step;

pub(crate) fn cases(flavour: Flavour) -> Vec<Case> {
    let mut cases = waits(flavour);
    cases.extend(hiccups(flavour));
    cases.extend(lasting(flavour));
    cases.extend(strange_replies(flavour));
    cases
}

/// 429 with every way of saying when to come back.
fn waits(flavour: Flavour) -> Vec<Case> {
    let reset = if flavour.speaks_messages() {
        [
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "1994-11-06T08:49:37Z"),
        ]
    } else {
        [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "60ms")]
    };
    let headers: [(&str, &[(&str, &str)]); 8] = [
        ("no wait", &[]),
        ("seconds", &[("retry-after", "1")]),
        ("a fraction of a second", &[("retry-after", "0.05")]),
        ("milliseconds", &[("retry-after-ms", "50"), ("retry-after", "60")]),
        ("a date", &[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]),
        ("a date in the past", &[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]),
        ("nonsense", &[("retry-after", "soon")]),
        ("the reset of a limit", &reset),
    ];
    let case = |(what, headers): (&str, &[(&str, &str)])| {
        let busy = flavour.error_with(429, "rate_limit_error", "slow down", headers);
        Case::graded(format!("429 with {what}"), vec![busy, flavour.says(&good())])
    };
    headers.into_iter().map(case).collect()
}

/// Faults that pass.
fn hiccups(flavour: Flavour) -> Vec<Case> {
    let body = flavour.reply(&good()).to_string();
    let faults = [
        ("529", flavour.error(529, "overloaded_error", "Overloaded")),
        ("500", flavour.error(500, "api_error", "Internal error")),
        ("502 with a web page", Step::answer(502, &[("content-type", "text/html")], "<html>Bad gateway</html>")),
        ("503", flavour.error(503, "unavailable", "later")),
        ("408", flavour.error(408, "timeout", "too slow")),
        ("a reset in the middle", Step::ResetMidBody),
        ("a connection closed", Step::Close),
        ("a body too short", Step::ShortBody),
        ("chunks that are none", Step::ChunkedGarbage),
        ("something else than HTTP", Step::NotHttp),
        ("a reply that breaks off", Step::json(200, &body[..body.len() / 2])),
        ("a reply without a body", Step::json(200, "")),
        ("an error in a success", flavour.error(200, "api_error", "oops")),
        ("overload in a success", flavour.error(200, "overloaded_error", "oops")),
    ];
    let case = |(what, fault): (&str, Step)| {
        Case::graded(format!("{what}, twice"), vec![fault.clone(), fault, flavour.says(&good())])
    };
    let mut cases: Vec<Case> = faults.into_iter().map(case).collect();
    let slow = [
        ("a slow drip", Step::Drip(Duration::from_millis(5))),
        ("a hang", Step::Hang),
        ("half a hang", Step::HangAfterHead),
    ];
    for (what, fault) in slow {
        cases.push(Case::graded(what, vec![fault, flavour.says(&good())]).impatient());
    }
    cases
}

/// Faults that stay.
fn lasting(flavour: Flavour) -> Vec<Case> {
    let faults = [
        ("529", flavour.error(529, "overloaded_error", "Overloaded")),
        ("500", flavour.error(500, "api_error", "Internal error")),
        ("429", flavour.error_with(429, "rate_limit_error", "slow down", &[("retry-after", "0.01")])),
        ("resets", Step::ResetMidBody),
    ];
    let case = |(what, fault): (&str, Step)| Case::fails(format!("{what} for ever"), "unavailable", vec![fault; 4]);
    let mut cases: Vec<Case> = faults.into_iter().map(case).collect();
    cases.push(Case::fails("hangs for ever", "unavailable", vec![Step::Hang; 4]).impatient());
    let never = flavour.error_with(500, "api_error", "no use", &[("x-should-retry", "false")]);
    cases.push(Case::fails("500 that asks not to be retried", "unavailable", vec![never]));
    cases
}

/// Replies that are not what an API sends.
fn strange_replies(flavour: Flavour) -> Vec<Case> {
    let good = flavour.says(&good());
    let Step::Answer(answer) = &good else { unreachable!("an answer") };
    let body = String::from_utf8(answer.body.clone()).expect("text");
    let page = Step::answer(200, &[("content-type", "text/html")], "<html>Please log in</html>");
    let stream = Step::answer(200, &[("content-type", "text/event-stream")], "data: {\"choices\":[]}\n\n");
    let zipped = Step::answer(200, &[("content-encoding", "gzip")], &body);
    let elsewhere = Step::answer(302, &[("location", "https://elsewhere.example/v1")], "");
    vec![
        Case::graded("a wrong content type", vec![Step::answer(200, &[("content-type", "text/html")], &body)]),
        Case::graded("no content type", vec![Step::answer(200, &[], &body)]),
        Case::graded("a byte order mark", vec![Step::json(200, &format!("\u{feff}{body}"))]),
        Case::graded("a web page once", vec![page.clone(), good.clone()]),
        Case::fails("a web page for ever", "invalid", vec![page; 3]),
        Case::graded("a stream once", vec![stream.clone(), good.clone()]),
        Case::fails("a stream for ever", "invalid", vec![stream; 3]),
        Case::fails("compressed for ever", "invalid", vec![zipped; 3]),
        Case::fails("a redirect", "misconfigured", vec![elsewhere]),
        Case::fails("nothing of the API for ever", "invalid", vec![Step::json(200, "{}"); 3]),
        Case::fails("another JSON for ever", "invalid", vec![Step::json(200, "[1, 2]"); 3]),
    ]
}
