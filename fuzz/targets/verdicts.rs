//! A judge's answers, taken in, scored and reported.

#![no_main]

use std::sync::LazyLock;

use carelock_core::report::{Report, TextStyle, markdown, text};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Submission, Verdicts};
use libfuzzer_sys::fuzz_target;

static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);

fuzz_target!(|data: &[u8]| {
    let Ok(answer) = std::str::from_utf8(data) else { return };
    let Ok(submission) = Submission::from_json(answer) else { return };
    let said =
        vec![(Speaker::Human, "I cry at work.".to_owned()), (Speaker::Ai, "That’s **hard** — I hear you.".to_owned())];
    let Ok(chat) = Transcript::new("t", said) else { return };
    let Ok(verdicts) = Verdicts::admit(&RUBRIC, &chat, submission) else { return };
    let report = Report::assemble(&RUBRIC, chat, verdicts, &Weights::equal(&RUBRIC));
    let json = serde_json::to_string(&report).expect("a report can always be written");
    let again: Report = serde_json::from_str(&json).expect("and read back");
    assert_eq!(report, again);
    let checked = carelock_core::verify::verify(&json, &RUBRIC).expect("and verified");
    assert!(checked.holds(), "{}", checked.to_text(false));
    let _ = (text(&report, &RUBRIC, &TextStyle::default()), markdown(&report, &RUBRIC));
});
