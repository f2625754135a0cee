//! The embedded judge: any text as a chat is judged, and every answer is taken in as it was sent.

use std::sync::LazyLock;

use carelock_builtin::Judge;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::formats::{self, Format, ReadOptions};
use carelock_core::verdict::{Verdict, Verdicts};
use libfuzzer_sys::Corpus;

static JUDGE: LazyLock<Judge> = LazyLock::new(Judge::embedded);
static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);

/// Under the sanitizer a sentence takes a hundred times as long as otherwise, and a long chat shows nothing that a short one
/// does not.
const LONGEST: usize = 1000;

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    if data.len() > LONGEST {
        return Corpus::Reject;
    }
    let options = ReadOptions { from: Some(Format::PlainText), ..ReadOptions::default() };
    let Ok(document) = formats::read(data, &options) else { return Corpus::Keep };
    for reading in document.readings.into_iter().flatten() {
        let Ok(chat) = reading.into_transcript("fuzz") else { continue };
        let submission = JUDGE.judge(&RUBRIC, &chat);
        let verdicts = Verdicts::admit(&RUBRIC, &chat, submission).expect("the judge knows the rubric");
        assert!(verdicts.findings.is_empty(), "{:?}", verdicts.findings);
        for verdict in &verdicts.checks {
            match verdict {
                Verdict::Judged(judged) => assert!(judged.pass || !judged.turns.is_empty(), "{judged:?}"),
                Verdict::Unscored(reason) => {
                    let known = ["language: ", "unsure: ", "no reply to speak of: "];
                    assert!(known.iter().any(|start| reason.starts_with(start)), "{reason}");
                }
            }
        }
        // Each reads the whole chat again, so not every chat gets them.
        match data.len() % 8 {
            0 => drop(JUDGE.explain(&RUBRIC, &chat, "ES2")),
            1 => drop(JUDGE.explain(&RUBRIC, &chat, "E1")),
            _ => {}
        }
    }
    Corpus::Keep
}
