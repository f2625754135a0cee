//! Cases in which the provider says something else than an answer.

use super::case::Case;
use super::flavour::Flavour;
use super::script::good;
use carelock_test_support::fault_server::Step;

pub(crate) fn cases(flavour: Flavour) -> Vec<Case> {
    let mut cases = declined(flavour);
    cases.extend(misconfigured(flavour));
    cases.extend(lengths(flavour));
    cases.extend(mechanisms(flavour));
    cases.extend(dressed(flavour));
    cases
}

fn declined(flavour: Flavour) -> Vec<Case> {
    let half = &good()[..200];
    let empty = flavour.says("");
    let blank = flavour.says(" \n\n ");
    vec![
        Case::fails("a refusal", "refused", vec![flavour.refusal()]),
        Case::fails("a filter on the question", "filtered", vec![flavour.filtered_question()]),
        Case::fails("a filter on the answer", "filtered", vec![flavour.filtered_answer(half)]),
        Case::fails("a filter on a whole answer", "filtered", vec![flavour.filtered_answer(&good())]),
        Case::graded("an empty answer once", vec![empty.clone(), flavour.says(&good())]),
        Case::fails("an empty answer for ever", "empty", vec![empty.clone(); 3]),
        Case::graded("a blank answer once", vec![blank, flavour.says(&good())]),
        Case::fails("an empty answer, then a refusal", "refused", vec![empty, flavour.refusal()]),
    ]
}

fn misconfigured(flavour: Flavour) -> Vec<Case> {
    let errors = [
        ("401", flavour.error(401, "authentication_error", "Incorrect API key provided")),
        ("403", flavour.error(403, "permission_error", "not allowed")),
        ("404", flavour.error(404, "not_found_error", "no such model")),
        ("410", flavour.error(410, "gone", "retired")),
        ("402", flavour.error(402, "billing_error", "pay first")),
        ("the money spent", flavour.quota()),
        ("a parameter refused", flavour.error(400, "invalid_request_error", "temperature is not supported")),
        ("401 in a success", flavour.error(200, "authentication_error", "wrong key")),
    ];
    let case = |(what, error): (&str, Step)| Case::fails(what, "misconfigured", vec![error]);
    errors.into_iter().map(case).collect()
}

fn lengths(flavour: Flavour) -> Vec<Case> {
    let text = good();
    let half = flavour.cut_by_length(&text[..text.len() / 2]);
    let whole = flavour.cut_by_length(&text);
    vec![
        Case::graded("cut off by length once", vec![half.clone(), flavour.says(&text)]),
        Case::fails("cut off by length twice", "truncated", vec![half.clone(), half.clone()]),
        Case::fails("whole, but said to be cut off, twice", "truncated", vec![whole.clone(), whole]),
        Case::fails("cut off, then no room for twice as much", "truncated", vec![half, flavour.overflow(Some(9_000))]),
    ]
}

fn mechanisms(flavour: Flavour) -> Vec<Case> {
    let names = flavour.mechanisms();
    let mut cases = Vec::new();
    for refused in 1..names.len() {
        let mut steps = vec![flavour.unknown_mechanism(); refused];
        steps.push(flavour.says(&good()));
        let note = format!("does not take {}; asked with {}", names[0], names[refused]);
        cases.push(Case::graded(format!("{refused} mechanisms refused"), steps).noted(note));
    }
    let all = vec![flavour.unknown_mechanism(); names.len()];
    cases.push(Case::fails("every mechanism refused", "misconfigured", all));
    cases
}

/// Good answers in unusual dress.
fn dressed(flavour: Flavour) -> Vec<Case> {
    let text = good();
    let huge = {
        let mut reply = flavour.reply(&text);
        let most = serde_json::json!(u64::MAX);
        for name in ["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens"] {
            reply["usage"][name] = most.clone();
        }
        Step::json(200, &reply.to_string())
    };
    let half = flavour.cut_by_length(&text[..100]);
    vec![
        Case::graded("a plain answer", vec![flavour.says(&text)]),
        Case::graded("thoughts before the answer", vec![flavour.thinks_first(&text)]),
        Case::graded("blank lines before the answer", vec![flavour.says(&format!("\n\n \n{text}\n\n"))]),
        Case::graded("no usage", vec![flavour.without_usage(&text)]).noted("they are estimated"),
        Case::graded("absurd usage", vec![huge]),
        Case::graded("cut off, then no usage", vec![half, flavour.without_usage(&text)]).noted("they are estimated"),
    ]
}
