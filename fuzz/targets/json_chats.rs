//! Every JSON shape of a chat: the first byte chooses the envelope the rest is put into.

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::Corpus;

const ENVELOPES: [(&str, &str); 12] = [
    ("", ""),
    ("[", "]"),
    ("{\"turns\":[", "]}"),
    ("{\"messages\":[", "]}"),
    ("{\"system\":\"s\",\"messages\":[", "]}"),
    ("{\"conversations\":[", "]}"),
    ("[{\"uuid\":\"u\",\"chat_messages\":[", "]}]"),
    ("{\"dialog\":[", "]}"),
    ("{\"messages\":[{\"role\":\"user\",\"content\":[", "]}]}"),
    ("{\"turns\":[{\"idx\":1,\"speaker\":\"HUMAN\",\"text\":", "}]}"),
    ("{\"verdicts\":", ",\"turns\":[]}"),
    ("{\"utterances\":[", "],\"speakers\":[\"user\",\"bot\"]}"),
];

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    let Some((choice, rest)) = data.split_first() else { return Corpus::Keep };
    let (before, after) = ENVELOPES[usize::from(*choice) % ENVELOPES.len()];
    let whole = [before.as_bytes(), rest, after.as_bytes()].concat();
    let _ = formats::read(&whole, &ReadOptions::default());
    let options = ReadOptions { human: vec!["Ana".into()], ai: vec!["Bo".into()], ..ReadOptions::default() };
    let _ = formats::read(&whole, &options);
    Corpus::Keep
}
