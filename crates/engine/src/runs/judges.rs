//! Who judged a run, in words: answers that stood in the chats' own records are not the judge's.

use carelock_store::Spent;

/// The chats of a run whose answers stood in their own records.
pub fn from_records(inline: bool, spent: &[Spent]) -> u64 {
    if inline { spent.iter().map(|spent| spent.from_record).sum() } else { 0 }
}

/// The judges of a run of so many chats by name, with a word on answers that stood in the chats' own records.
pub fn judges_for_people(judges: &[String], from_records: u64, chats: u64) -> Vec<String> {
    match (judges, from_records) {
        (_, 0) => judges.to_vec(),
        (_, all) if all >= chats => vec!["answers in the records".to_owned()],
        (judges, 1) => vec![format!("{}, or answers in the records: 1 chat", judges.join(", "))],
        (judges, some) => vec![format!("{}, or answers in the records: {some} chats", judges.join(", "))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_in_records_are_never_said_to_be_the_judges() {
        let judges = ["builtin".to_owned()];
        assert_eq!(judges_for_people(&judges, 0, 3), ["builtin"]);
        assert_eq!(judges_for_people(&judges, 2, 3), ["builtin, or answers in the records: 2 chats"]);
        assert_eq!(judges_for_people(&judges, 3, 3), ["answers in the records"]);
    }
}
