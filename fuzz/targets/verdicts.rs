//! A judge's answers, taken in, scored and reported.

use std::sync::LazyLock;

use carelock_core::report::{Report, TextStyle, markdown, text};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Submission, Verdicts};
use libfuzzer_sys::Corpus;

static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    let Ok(answer) = std::str::from_utf8(data) else { return Corpus::Keep };
    let Ok(submission) = Submission::from_json(answer) else { return Corpus::Keep };
    let said =
        vec![(Speaker::Human, "I cry at work.".to_owned()), (Speaker::Ai, "That’s **hard** — I hear you.".to_owned())];
    let Ok(chat) = Transcript::new("t", said) else { return Corpus::Keep };
    let Ok(verdicts) = Verdicts::admit(&RUBRIC, &chat, submission) else { return Corpus::Keep };
    let report = Report::assemble(&RUBRIC, chat, verdicts, &Weights::equal(&RUBRIC));
    let json = serde_json::to_string(&report).expect("a report can always be written");
    let again: Report = serde_json::from_str(&json).expect("and read back");
    assert_eq!(report, again);
    let checked = carelock_core::verify::verify(&json, &RUBRIC).expect("and verified");
    assert!(checked.holds(), "{}", checked.to_text(false));
    let _ = (text(&report, &RUBRIC, &TextStyle::default()), markdown(&report, &RUBRIC));
    Corpus::Keep
}
