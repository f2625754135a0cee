//! Which chat of one rater is which chat of another.

use std::collections::{HashMap, HashSet};

use super::Rating;
use crate::runs::own_name;

/// Chats of two raters side by side, by their places in both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Chats that both have, in the order of the first.
    pub pairs: Vec<(usize, usize)>,
    /// How many of them have different ids and the same text.
    pub by_digest: usize,
    /// Those of them that have the same id and another text, as places in `pairs`.
    pub other_text: Vec<usize>,
    /// Chats of the first alone.
    pub only_first: Vec<usize>,
    /// Chats of the second alone.
    pub only_second: Vec<usize>,
}

/// Matches chats by their ids, and those that are left by their digests.
///
/// A chat of a group has the group in front of its id. Where no two chats of a rater are then called the same, the group
/// is left off: the same conversation put to two models is a pair.
pub fn match_chats(first: &[Rating], second: &[Rating]) -> Matching {
    match (own_names(first), own_names(second)) {
        (Some(first_names), Some(second_names)) => match_by(first, second, &first_names, &second_names),
        _ => match_by(first, second, &ids(first), &ids(second)),
    }
}

fn ids(ratings: &[Rating]) -> Vec<&str> {
    ratings.iter().map(|rating| rating.id.as_str()).collect()
}

/// The names of chats without their groups, where they still tell chats apart.
fn own_names(ratings: &[Rating]) -> Option<Vec<&str>> {
    let names: Vec<&str> = ratings.iter().map(|rating| own_name(rating.group.as_deref(), &rating.id)).collect();
    if ratings.iter().all(|rating| rating.group.is_none()) {
        return Some(names);
    }
    let mut seen = HashSet::with_capacity(names.len());
    names.iter().all(|name| seen.insert(*name)).then_some(names)
}

fn match_by(first: &[Rating], second: &[Rating], first_names: &[&str], second_names: &[&str]) -> Matching {
    let mut named: HashMap<&str, usize> = HashMap::with_capacity(second.len());
    for (place, name) in second_names.iter().enumerate() {
        named.entry(name).or_insert(place);
    }
    let mut taken = vec![false; second.len()];
    let mut partner: Vec<Option<usize>> = Vec::with_capacity(first.len());
    for name in first_names {
        let found = named.get(name).copied().filter(|&place| !taken[place]);
        if let Some(place) = found {
            taken[place] = true;
        }
        partner.push(found);
    }
    let by_digest = by_digest(first, second, &mut partner, &mut taken);
    let mut matching = Matching { by_digest, ..Matching::default() };
    for (place, partner) in partner.into_iter().enumerate() {
        let Some(other) = partner else {
            matching.only_first.push(place);
            continue;
        };
        if let (Some(one), Some(two)) = (&first[place].digest, &second[other].digest)
            && one != two
        {
            matching.other_text.push(matching.pairs.len());
        }
        matching.pairs.push((place, other));
    }
    matching.only_second = (0..second.len()).filter(|&place| !taken[place]).collect();
    matching
}

/// Finds partners for chats that have none; how many were found.
fn by_digest(first: &[Rating], second: &[Rating], partner: &mut [Option<usize>], taken: &mut [bool]) -> usize {
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, rating) in second.iter().enumerate().rev().filter(|(place, _)| !taken[*place]) {
        if let Some(digest) = &rating.digest {
            open.entry(digest).or_default().push(place);
        }
    }
    let mut found = 0;
    for (rating, partner) in first.iter().zip(partner).filter(|(_, partner)| partner.is_none()) {
        let digest = rating.digest.as_deref();
        *partner = digest.and_then(|digest| open.get_mut(digest)).and_then(Vec::pop);
        if let Some(place) = *partner {
            taken[place] = true;
            found += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::samples::rating;
    use super::*;

    fn chats(names: &[(&str, &str)]) -> Vec<Rating> {
        let one = |(id, digest): &(&str, &str)| Rating { digest: Some((*digest).to_owned()), ..rating(id) };
        names.iter().map(one).collect()
    }

    #[test]
    fn ids_come_first_and_digests_match_what_is_left() {
        let first = chats(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]);
        let second = chats(&[("x", "2"), ("a", "1"), ("c", "9"), ("y", "8")]);
        let matching = match_chats(&first, &second);
        assert_eq!(matching.pairs, [(0, 1), (1, 0), (2, 2)]);
        assert_eq!((matching.by_digest, matching.other_text), (1, vec![2]));
        assert_eq!((matching.only_first, matching.only_second), (vec![3], vec![3]));
    }

    #[test]
    fn a_chat_is_used_once_even_where_texts_repeat() {
        let first = chats(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let second = chats(&[("x", "1"), ("y", "1")]);
        let matching = match_chats(&first, &second);
        assert_eq!((matching.pairs, matching.only_first), (vec![(0, 0), (1, 1)], vec![2]));
    }

    #[test]
    fn the_same_chat_in_two_groups_is_a_pair_unless_a_rater_has_both() {
        let chat = |group: &str, id: &str| Rating { group: Some(group.to_owned()), ..rating(&format!("{group}/{id}")) };
        let (first, second) = ([chat("a", "1"), chat("a", "2")], [chat("b", "2"), chat("b", "3")]);
        assert_eq!(match_chats(&first, &second).pairs, [(1, 0)]);
        let both = [chat("a", "2"), chat("b", "2")];
        assert_eq!(match_chats(&first, &both).pairs, [(1, 0)]);
        assert_eq!(match_chats(&both, &second).pairs, [(1, 0)]);
    }

    #[test]
    fn nothing_matches_where_there_is_nothing() {
        assert_eq!(match_chats(&[], &[]), Matching::default());
        assert_eq!(match_chats(&[rating("a")], &[rating("b")]).pairs, []);
    }
}
