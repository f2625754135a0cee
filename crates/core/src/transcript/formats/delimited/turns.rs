//! From the rows of a table to turns: a row per message, or a row per exchange.

use indexmap::IndexMap;

use super::super::labels::cast::{Cast, Part, Sighting, Strength, cast};
use super::super::labels::marks::speaker_notes;
use super::super::labels::{OTHER, as_context, normal};
use super::super::{ReadError, ReadOptions, Reading, Speaker, SpeakerNote};
use super::{Chat, Row, Table};

/// A row per message: who is who is settled for the whole table.
pub(super) fn of_messages(
    table: &Table,
    chats: &[Chat<'_>],
    (speaker, text): (usize, usize),
    options: &ReadOptions,
) -> Result<Vec<Reading>, ReadError> {
    let sightings = sightings(table, speaker)?;
    let list: Vec<Sighting> = sightings.values().cloned().collect();
    let at = || format!("column `{}`", table.name(speaker));
    let cast = cast(&list, options).map_err(|error| ReadError { at: at(), ..error })?;
    let label_of = |row: &Row| sightings.get_index_of(&normal(row.cell(speaker))).unwrap_or_default();
    let one = |chat| messages(table.reading(chat), chat, (&list, &cast), text, label_of);
    Ok(chats.iter().map(one).collect())
}

/// The speakers' labels by their normal form; a row without one is refused.
fn sightings(table: &Table, speaker: usize) -> Result<IndexMap<String, Sighting>, ReadError> {
    let mut sightings: IndexMap<String, Sighting> = IndexMap::new();
    for row in &table.rows {
        let label = row.cell(speaker).trim();
        if label.is_empty() {
            let what = format!("the cell in `{}` is empty, so nobody said this", table.name(speaker));
            let fix = "fill in the speaker or remove the row";
            return Err(ReadError::new(format!("line {}", row.line), what, fix));
        }
        let strength = Strength::Certain;
        let new = || Sighting { label: label.to_owned(), count: 0, strength };
        sightings.entry(normal(label)).or_insert_with(new).count += 1;
    }
    Ok(sightings)
}

fn messages(
    mut reading: Reading,
    chat: &Chat<'_>,
    (sightings, cast): (&[Sighting], &Cast),
    text: usize,
    label_of: impl Fn(&Row) -> usize,
) -> Reading {
    let mut counts = vec![0_usize; sightings.len()];
    for row in &chat.rows {
        let label = label_of(row);
        match cast.parts.get(label) {
            Some(Part::Speaks(who, because)) => {
                counts[label] += 1;
                let said = row.cell(text);
                let is_other = *because == OTHER;
                let said = if is_other { as_context(&sightings[label].label, said) } else { said.to_owned() };
                reading.turns.push((*who, said));
            }
            Some(Part::Dropped(kind)) => {
                *reading.dropped.entry((*kind).to_owned()).or_default() += 1;
            }
            Some(Part::Text) | None => {}
        }
    }
    reading.speakers = speaker_notes(sightings, &cast.parts, &counts);
    // They speak of the whole table, so they are true of a chat only where it is the whole table.
    if chat.id.is_none() {
        reading.notes.extend(cast.notes.iter().cloned());
    }
    reading
}

/// A row per exchange: first what the person said, then what the AI answered.
pub(super) fn of_exchanges(
    table: &Table,
    chats: &[Chat<'_>],
    (human, ai): (usize, usize),
    system: Option<usize>,
) -> Vec<Reading> {
    let (human_name, ai_name) = (table.name(human), table.name(ai));
    let note = format!("each row is one exchange: `{human_name}`, then `{ai_name}`");
    let one = |chat: &Chat<'_>| {
        let mut reading = table.reading(chat);
        reading.notes.push(note.clone());
        for row in &chat.rows {
            if system.is_some_and(|column| !row.cell(column).trim().is_empty()) {
                *reading.dropped.entry("system message".to_owned()).or_default() += 1;
            }
            for (who, column) in [(Speaker::Human, human), (Speaker::Ai, ai)] {
                if row.cell(column).trim().is_empty() {
                    *reading.dropped.entry("empty cell".to_owned()).or_default() += 1;
                } else {
                    reading.turns.push((who, row.cell(column).to_owned()));
                }
            }
        }
        reading.speakers =
            vec![column_note(&reading, human_name, Speaker::Human), column_note(&reading, ai_name, Speaker::Ai)];
        reading
    };
    chats.iter().map(one).collect()
}

fn column_note(reading: &Reading, column: &str, taken_for: Speaker) -> SpeakerNote {
    SpeakerNote {
        label: column.to_owned(),
        taken_for,
        because: "column name".to_owned(),
        turns: reading.turns.iter().filter(|(who, _)| *who == taken_for).count(),
    }
}
