//! Writes the features of chats, for fitting the checks: `features HEADS AI HUMAN LOGITS NAMES < chats.jsonl > matrix`.
//!
//! HEADS names a head a line, AI and HUMAN count those about either's turns, LOGITS holds 16-bit log-odds (1/256) of every
//! sentence in order, NAMES a feature a line. The matrix has a row of 16-bit thousandths a chat.

use std::io::{BufRead, Write};

use carelock_builtin::features::{Feature, Heads, Seen};
use carelock_builtin::lexicon::Lexicon;
use carelock_builtin::reading::Reading;
use carelock_builtin::signs::Signs;
use carelock_builtin::text::Vocabulary;
use carelock_core::transcript::{Speaker, Transcript};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let names: Vec<String> = std::fs::read_to_string(&arguments[1])?.lines().map(str::to_owned).collect();
    let (ai, human): (usize, usize) = (arguments[2].parse()?, arguments[3].parse()?);
    let speaker = |place| if (ai..ai + human).contains(&place) { Speaker::Human } else { Speaker::Ai };
    let learned = names.len();
    let lexicon = Lexicon::embedded();
    let named = names.into_iter().enumerate().map(|(place, name)| (name, speaker(place)));
    let heads = Heads::new(named, lexicon.names());
    let logits = std::fs::read(&arguments[4])?;
    let wanted = std::fs::read_to_string(&arguments[5])?;
    let features: Vec<Feature> =
        wanted.lines().map(|line| Feature::parse(line, &heads).ok_or(line)).collect::<Result<_, _>>()?;
    let vocabulary = Vocabulary::embedded();
    let mut at = 0;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let chat: serde_json::Value = serde_json::from_str(&line?)?;
        let turns = chat["turns"].as_array().ok_or("a chat without turns")?;
        let mut turns: Vec<(Speaker, String)> = turns
            .iter()
            .map(|turn| {
                let speaker = if turn["speaker"] == "AI" { Speaker::Ai } else { Speaker::Human };
                (speaker, turn["text"].as_str().unwrap_or_default().to_owned())
            })
            .collect();
        let full = turns.len();
        // Single sentences are training material too, but a transcript needs both sides.
        turns.extend(
            [(Speaker::Human, ".".to_owned()), (Speaker::Ai, ".".to_owned())]
                .into_iter()
                .skip(usize::from(full > 1) * 2),
        );
        let transcript = Transcript::new("training", turns)?;
        let reading = Reading::new(&transcript, &vocabulary);
        let mut values = Vec::with_capacity(reading.sentences.len() * heads.len());
        for (sentence, words) in lexicon.odds(&reading).iter().enumerate() {
            for head in 0..learned {
                let place = (at + sentence * learned + head) * 2;
                let pair = logits.get(place..place + 2);
                values.push(pair.map_or(-2000, |pair| i16::from_le_bytes([pair[0], pair[1]])));
            }
            values.extend(words);
        }
        let own = if full > 1 { reading.sentences.len() } else { reading.turns[0].sentences.len() };
        at += own * learned;
        let signs = Signs::new(&reading, heads.len(), values);
        let seen = Seen::new(&reading, &heads, &signs);
        for feature in &features {
            out.write_all(&(seen.value(feature).clamp(-30_000, 30_000) as i16).to_le_bytes())?;
        }
    }
    if at * 2 != logits.len() {
        return Err(format!("{at} log-odds used of {}", logits.len() / 2).into());
    }
    Ok(())
}
