//! Looking for words in what was said, chat after chat.

use std::time::{Duration, Instant};

use askama::Template;
use axum::extract::{Path, Query, State};
use carelock_core::report::names;
use carelock_core::report::safe_text::{excerpt, one_line};
use carelock_store::StoredChat;
use serde::Deserialize;

use super::query::LONGEST;
use crate::address::encoded;
use crate::api_error::{ApiError, ApiResult};
use crate::blocking::blocking;
use crate::middleware::access::Who;
use crate::page::{Frame, Section, html};
use crate::state::Shared;
use crate::stored;

/// Chats that are listed on a page.
const FOUND: usize = 50;
/// Chats that are read at a time.
const AT_ONCE: u32 = 256;
/// How long a page looks; what is left is looked at from the next one.
const PATIENCE: Duration = Duration::from_secs(3);
/// Letters on either side of the words.
const AROUND: usize = 80;

#[derive(Template)]
#[template(path = "runs/search.html")]
struct SearchPage {
    frame: Frame,
    key: i64,
    name: String,
    words: String,
    found: Vec<ChatMatch>,
    /// How many chats were looked at, and how many there are.
    looked: u64,
    chats: u64,
    next: Option<String>,
}

/// A chat that has the words.
struct ChatMatch {
    chat: i64,
    name: String,
    turns: Vec<TurnMatch>,
    more: usize,
}

/// A turn with the words and what stands around them.
struct TurnMatch {
    idx: u32,
    who: &'static str,
    before: String,
    words: String,
    after: String,
}

/// What is looked for, and from which chat on.
#[derive(Deserialize)]
pub(crate) struct SearchQuery {
    #[serde(default)]
    words: String,
    after: Option<u64>,
}

/// The page. It tells nothing of verdicts, so whoever has yet to rate may use it.
pub(crate) async fn page(
    State(server): State<Shared>,
    who: Who,
    Path(number): Path<i64>,
    Query(asked): Query<SearchQuery>,
) -> ApiResult {
    let words = one_line(asked.words.trim());
    if words.chars().count() > LONGEST {
        return Err(ApiError::bad("These are too many words to look for.", format!("use up to {LONGEST} letters")));
    }
    let open = stored::run(&server, number).await?;
    let begun = Instant::now();
    let mut page = SearchPage {
        frame: Frame::new(format!("{words} in {}", open.run.name), Section::Runs, &who),
        key: number,
        name: open.run.name,
        found: Vec::new(),
        looked: asked.after.map_or(0, |after| after.saturating_add(1)),
        chats: open.run.chats,
        next: None,
        words: words.clone(),
    };
    let mut after = asked.after;
    while !words.is_empty() {
        let chats = server.store.chats_after(open.run.key, after, AT_ONCE).await?;
        let Some(last) = chats.last().map(|chat| chat.position) else { break };
        let wanted = words.clone();
        let found =
            blocking(move || chats.iter().map(|chat| (chat.position, found_in(chat, &wanted))).collect::<Vec<_>>());
        after = Some(last);
        for (position, found) in found.await? {
            page.looked = position + 1;
            page.found.extend(found);
            if page.found.len() == FOUND {
                after = Some(position);
                break;
            }
        }
        if page.found.len() == FOUND || begun.elapsed() > PATIENCE {
            page.next = (page.looked < page.chats).then(|| {
                format!("/runs/{number}/search?words={}&after={}", encoded(&words), after.unwrap_or_default())
            });
            break;
        }
    }
    html(&page)
}

/// The turns of a chat that have the words, whatever the case of their letters.
fn found_in(chat: &StoredChat, words: &str) -> Option<ChatMatch> {
    const SHOWN: usize = 3;
    let wanted = words.to_lowercase();
    let places = chat.chat.turns.iter().filter_map(|turn| {
        let text = one_line(&turn.text);
        let (start, end) = position(&text, &wanted)?;
        let head: String = text[..start].chars().rev().take(AROUND).collect();
        Some(TurnMatch {
            idx: turn.idx,
            who: names::who(turn.speaker),
            before: head.chars().rev().collect(),
            words: text[start..end].to_owned(),
            after: excerpt(&text[end..], AROUND),
        })
    });
    let mut places: Vec<TurnMatch> = places.collect();
    let more = places.len().saturating_sub(SHOWN);
    places.truncate(SHOWN);
    (!places.is_empty()).then(|| ChatMatch { chat: chat.key.0, name: one_line(&chat.chat.name), turns: places, more })
}

/// Where words stand in a text, as bytes of the text itself: lower case may have other lengths.
fn position(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.into_iter().find_map(|start| {
        let mut rest = wanted;
        for (at, letter) in text[start..].char_indices() {
            let lower: String = letter.to_lowercase().collect();
            rest = rest.strip_prefix(lower.as_str())?;
            if rest.is_empty() {
                return Some((start, start + at + letter.len_utf8()));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whatever_their_case_and_length() {
        assert_eq!(position("I feel LOW today", "low"), Some((7, 10)));
        assert_eq!(position("İstanbul now", "now"), Some((10, 13)));
        assert_eq!(position("Ärger, ÄRGER", "ärger"), Some((0, 6)));
        assert_eq!(position("lo", "low"), None);
        assert_eq!(position("", "low"), None);
    }
}
