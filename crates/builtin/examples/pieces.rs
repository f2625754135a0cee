//! Writes the sentences of chats and their word pieces, for training: `pieces < chats.jsonl > pieces.jsonl`.
//!
//! Training reads text only through this program, so that the judge later sees exactly what it was trained on.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let vocabulary = carelock_builtin::text::Vocabulary::embedded();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let chat: Value = serde_json::from_str(&line?)?;
        let turns = chat["turns"].as_array().ok_or("a chat without turns")?;
        let turns: Vec<Value> = turns
            .iter()
            .map(|turn| {
                let text = turn["text"].as_str().unwrap_or_default();
                let sentences: Vec<Value> = carelock_builtin::text::sentences(text)
                    .into_iter()
                    .map(|range| json!([range.start, range.end, vocabulary.pieces(&text[range])]))
                    .collect();
                json!({"speaker": turn["speaker"], "text": text, "sentences": sentences})
            })
            .collect();
        writeln!(out, "{}", json!({"id": chat["id"], "turns": turns}))?;
    }
    Ok(())
}
