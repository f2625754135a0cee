//! Restoring: a judge's answers on a redacted chat become answers on the original.

use carelock_core::verdict::{Answer, Highlight, MetricWording, Pass, RawMoment, Submission, TranscriptRef};

use super::placeholder::Book;

pub(super) fn submission(book: &Book, original: &(String, String), sent: &Submission) -> Submission {
    let text = |text: &str| book.restore_loosely(text);
    let highlight =
        |sent: &Highlight| Highlight { id: sent.id, why: text(&sent.why), better: sent.better.as_deref().map(text) };
    let moment = |sent: &RawMoment| RawMoment { quote: text(&sent.quote), why: text(&sent.why), ..sent.clone() };
    let wording = |sent: &MetricWording| MetricWording { ev: sent.ev.clone(), why: text(&sent.why) };
    Submission {
        judge: sent.judge.clone(),
        transcript: Some(TranscriptRef { id: Some(original.0.clone()), hash: Some(original.1.clone()) }),
        verdicts: sent.verdicts.iter().map(|(id, sent)| (id.clone(), answer(book, sent))).collect(),
        moments: sent.moments.iter().map(moment).collect(),
        metrics: sent.metrics.iter().map(|(key, sent)| (key.clone(), wording(sent))).collect(),
        positive: sent.positive.iter().map(highlight).collect(),
        negative: sent.negative.iter().map(highlight).collect(),
        summary: sent.summary.as_deref().map(text),
    }
}

fn answer(book: &Book, sent: &Answer) -> Answer {
    let pass = match &sent.pass {
        Pass::Unscored(reason) => Pass::Unscored(book.restore_loosely(reason)),
        Pass::OffMenu(word) => Pass::OffMenu(book.restore_loosely(word)),
        other => other.clone(),
    };
    Answer {
        pass,
        basis: sent.basis,
        turns: sent.turns.clone(),
        quote: sent.quote.as_deref().map(|quote| book.restore_loosely(quote)),
        why: book.restore_loosely(&sent.why),
        confidence: sent.confidence,
    }
}
