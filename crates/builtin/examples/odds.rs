//! Writes the log-odds of every sentence of chats, to compare them with those of training: `odds < chats.jsonl > odds`.

use std::io::{BufRead, Write};

use carelock_builtin::network::Network;
use carelock_builtin::reading::Reading;
use carelock_builtin::text::Vocabulary;
use carelock_core::transcript::{Speaker, Transcript};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (network, vocabulary) = (Network::embedded(), Vocabulary::embedded());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let chat: serde_json::Value = serde_json::from_str(&line?)?;
        let turns = chat["turns"].as_array().ok_or("a chat without turns")?;
        let speaker = |turn: &serde_json::Value| if turn["speaker"] == "AI" { Speaker::Ai } else { Speaker::Human };
        let turns = turns.iter().map(|turn| (speaker(turn), turn["text"].as_str().unwrap_or_default().to_owned()));
        let transcript = Transcript::new("training", turns.collect())?;
        for odds in network.odds(&Reading::new(&transcript, &vocabulary)) {
            out.write_all(&odds.to_le_bytes())?;
        }
    }
    Ok(())
}
