//! Which chats a rater gets, and in which order.

use carelock_store::ChatKey;

/// The chats of a queue: all of them, or as many as wanted, drawn with a seed.
///
/// Raters with the same seed get the same chats, so that they can be compared, but each in an own order, so that no chat
/// is seen first or last by all.
pub(crate) fn draw(chats: &[ChatKey], most: Option<usize>, seed: u64, rater: &str) -> Vec<ChatKey> {
    let mut drawn = sorted(chats, &format!("draw {seed}"));
    drawn.truncate(most.unwrap_or(usize::MAX));
    sorted(&drawn, &format!("order {seed} {rater}"))
}

/// The chats of several raters: each chat is given to as many of them as wanted, and all get about the same number, each in
/// an own order.
pub(crate) fn share_out(
    chats: &[ChatKey],
    most: Option<usize>,
    seed: u64,
    raters: &[String],
    overlap: usize,
) -> Vec<(String, Vec<ChatKey>)> {
    let mut drawn = sorted(chats, &format!("draw {seed}"));
    drawn.truncate(most.unwrap_or(usize::MAX));
    let mut queues: Vec<(String, Vec<ChatKey>)> = raters.iter().map(|rater| (rater.clone(), Vec::new())).collect();
    let turns = (0..raters.len()).cycle();
    for (chat, rater) in drawn.iter().flat_map(|chat| std::iter::repeat_n(chat, overlap)).zip(turns) {
        queues[rater].1.push(*chat);
    }
    for (rater, chats) in &mut queues {
        *chats = sorted(chats, &format!("order {seed} {rater}"));
    }
    queues
}

/// The chats in an order that depends on nothing but their numbers and the salt.
fn sorted(chats: &[ChatKey], salt: &str) -> Vec<ChatKey> {
    let mut keyed: Vec<([u8; 32], ChatKey)> = chats
        .iter()
        .map(|&chat| {
            let mut hasher = blake3::Hasher::new_derive_key("carelock rating queue 1");
            hasher.update(&chat.0.to_le_bytes()).update(salt.as_bytes());
            (*hasher.finalize().as_bytes(), chat)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, chat)| chat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chat_has_as_many_raters_as_wanted_and_the_work_is_shared() {
        let chats: Vec<ChatKey> = (1..=50).map(ChatKey).collect();
        let raters = ["ana", "ben", "cara"].map(str::to_owned);
        let shared = share_out(&chats, Some(31), 7, &raters, 2);
        let numbers: Vec<usize> = shared.iter().map(|(_, chats)| chats.len()).collect();
        assert_eq!(numbers, [21, 21, 20]);
        let mut all: Vec<ChatKey> = shared.iter().flat_map(|(_, chats)| chats.clone()).collect();
        all.sort_unstable();
        assert!(all.chunks(2).all(|two| two[0] == two[1]), "each is rated twice: {all:?}");
        for (rater, chats) in &shared {
            let distinct: std::collections::HashSet<_> = chats.iter().collect();
            assert_eq!(distinct.len(), chats.len(), "{rater} gets none twice");
        }
    }

    #[test]
    fn raters_get_the_same_sample_each_in_an_own_order() {
        let chats: Vec<ChatKey> = (1..=50).map(ChatKey).collect();
        let (one, other) = (draw(&chats, Some(20), 7, "ana"), draw(&chats, Some(20), 7, "ben"));
        assert_ne!(one, other);
        let set = |mut chats: Vec<ChatKey>| {
            chats.sort_unstable();
            chats
        };
        assert_eq!(set(one.clone()), set(other));
        assert_eq!(one, draw(&chats, Some(20), 7, "ana"), "the same seed draws the same");
        assert_ne!(set(one), set(draw(&chats, Some(20), 8, "ana")));
        assert_eq!(set(draw(&chats, None, 7, "ana")), chats);
    }
}
