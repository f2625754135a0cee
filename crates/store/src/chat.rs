//! The chats of a run: adding them, and reading them back.

use std::collections::BTreeMap;

use carelock_core::transcript::{Turn, turns_digest};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};

use crate::classify::Failure;
use crate::pack::{pack, unpack};
use crate::sql::{Shape, Values, count_on, small, storable, whole};
use crate::{ChatKey, RunKey, Store, StoreError};

/// A chat that is about to be added to a run.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChat {
    /// The chat's id, which no other chat of the run has.
    pub name: String,
    /// The digest of its turns.
    pub digest: String,
    /// The file it came from, and where in it.
    pub origin: String,
    /// The group it is compared in, such as the model that spoke.
    pub group: Option<String>,
    /// Messages and parts that are not turns, counted by what they were.
    pub dropped: BTreeMap<String, usize>,
    /// What people said about it, as it was read.
    pub labels: Option<Value>,
    /// The chat, turn by turn.
    pub turns: Vec<Turn>,
}

/// A chat of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChat {
    /// Its number in the database.
    pub key: ChatKey,
    /// Its run.
    pub run: RunKey,
    /// Its place in the run, counted from 0.
    pub position: u64,
    /// What was added.
    pub chat: NewChat,
}

const CHATS: Shape = Shape {
    before: "INSERT INTO chats (id, run, position, name, digest, origin, group_name)",
    width: 7,
    after: "ON CONFLICT (run, name) DO NOTHING RETURNING id",
};
const TRANSCRIPTS: Shape =
    Shape { before: "INSERT INTO transcripts (chat, dropped, labels, turns)", width: 4, after: "" };
const TASKS: Shape = Shape { before: "INSERT INTO tasks (chat, place, run)", width: 3, after: "" };

const COLUMNS: &str = "SELECT chats.id, chats.position, chats.name, chats.digest, chats.origin, chats.group_name, \
                       transcripts.dropped, transcripts.labels, transcripts.turns, chats.run \
                       FROM chats JOIN transcripts ON transcripts.chat = chats.id";

/// The length of a digest, such as `blake3:` and 64 digits.
const DIGEST: usize = 71;

/// Keys in one query; each is a placeholder of its own.
const AT_ONCE: usize = 256;

struct Packed<'chat> {
    key: i64,
    chat: &'chat NewChat,
    dropped: String,
    labels: Option<String>,
    turns: Vec<u8>,
}

impl Packed<'_> {
    fn new(chat: &NewChat) -> Option<Packed<'_>> {
        let dropped = serde_json::to_string(&chat.dropped).ok()?;
        let labels = chat.labels.as_ref().map(Value::to_string);
        let turns = pack(&serde_json::to_vec(&chat.turns).ok()?, &beside(chat, &dropped, labels.as_deref()))?;
        Some(Packed { key: 0, chat, dropped, labels, turns })
    }
}

/// What lies beside the turns of a chat; their checksum holds for it too.
fn beside<'chat>(chat: &'chat NewChat, dropped: &'chat str, labels: Option<&'chat str>) -> [Option<&'chat str>; 6] {
    [Some(&chat.name), Some(&chat.digest), Some(&chat.origin), chat.group.as_deref(), Some(dropped), labels]
}

impl Store {
    /// Adds chats behind those the run already has, and a task for each chat and judge: all of them or none.
    pub async fn add_chats(&self, run: RunKey, chats: &[NewChat]) -> Result<Vec<ChatKey>, StoreError> {
        self.told(self.insert_chats(run, chats).await)
    }

    async fn insert_chats(&self, run: RunKey, chats: &[NewChat]) -> Result<Vec<ChatKey>, Failure> {
        let mut packed = self.packed(chats)?;
        let mut transaction = self.begin().await?;
        let sql = "UPDATE runs SET chats = chats + $2 WHERE id = $1 AND state = 'filling' RETURNING chats, judges";
        let counted = sqlx::query(sql).bind(run.0).bind(whole(chats.len())).fetch_optional(&mut *transaction).await?;
        let Some(counted) = counted else {
            return Err(StoreError::Sealed { database: self.label().to_owned(), run: run.0.to_string() }.into());
        };
        let (after, judges): (i64, i64) = (counted.try_get(0)?, counted.try_get(1)?);
        let last = count_on(&mut transaction, "chat", chats.len()).await?;
        let first = last - whole(chats.len()) + 1;
        let position = after - whole(chats.len()) - first;
        packed.iter_mut().zip(first..).for_each(|(chat, key)| chat.key = key);
        let made = CHATS.run(self, &mut transaction, &packed, |row, values| {
            let Packed { key, chat, .. } = row;
            values.integer(*key).integer(run.0).integer(position + key).text(chat.name.as_str());
            values.text(chat.digest.as_str()).text(chat.origin.as_str()).text(chat.group.as_deref());
        });
        let made = made.await?;
        if made.len() < packed.len() {
            return Err(self.twice(&made, &packed)?.into());
        }
        let transcripts = TRANSCRIPTS.run(self, &mut transaction, &packed, |row, values| bind_transcript(row, values));
        transcripts.await?;
        let tasks: Vec<(i64, i64)> =
            (first..=last).flat_map(|key| (0..judges).map(move |place| (key, place))).collect();
        let tasks = TASKS.run(self, &mut transaction, &tasks, |&(key, place), values| {
            values.integer(key).integer(place).integer(run.0);
        });
        tasks.await?;
        transaction.commit().await?;
        Ok((first..=last).map(ChatKey).collect())
    }

    fn packed<'chat>(&self, chats: &'chat [NewChat]) -> Result<Vec<Packed<'chat>>, StoreError> {
        let one = |chat| Packed::new(chat).ok_or_else(|| self.too_large("a chat"));
        chats.iter().map(one).collect()
    }

    fn twice(&self, made: &[AnyRow], packed: &[Packed<'_>]) -> Result<StoreError, sqlx::Error> {
        let made: Vec<i64> = made.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        let second = packed.iter().find(|row| made.binary_search(&row.key).is_err());
        let (name, origin) = second.map(|row| (row.chat.name.clone(), row.chat.origin.clone())).unwrap_or_default();
        Ok(StoreError::ChatTwice { database: self.label().to_owned(), name, origin })
    }

    /// The chats with these numbers, in the order of their numbers; those that are gone are left out.
    pub async fn chats(&self, keys: &[ChatKey]) -> Result<Vec<StoredChat>, StoreError> {
        let mut found = Vec::with_capacity(keys.len());
        for some in keys.chunks(AT_ONCE) {
            let sql = format!("{COLUMNS} WHERE chats.id IN ({})", placeholders(some.len()));
            let mut values = Values::default();
            for key in some {
                values.integer(key.0);
            }
            found.extend(self.read_chats(sql, values).await?);
        }
        found.sort_by_key(|chat| chat.key);
        Ok(found)
    }

    /// The next chats of a run behind a position (`None` for the first), in their order.
    pub async fn chats_after(
        &self,
        run: RunKey,
        position: Option<u64>,
        most: u32,
    ) -> Result<Vec<StoredChat>, StoreError> {
        let sql = format!("{COLUMNS} WHERE chats.run = $1 AND chats.position > $2 ORDER BY chats.position LIMIT $3");
        let behind = position.map_or(-1, |position| i64::try_from(position).unwrap_or(i64::MAX));
        let mut values = Values::default();
        values.integer(run.0).integer(behind).integer(i64::from(most));
        self.read_chats(sql, values).await
    }

    /// The number of the chat with this id, if the run has one.
    pub async fn chat_named(&self, run: RunKey, name: &str) -> Result<Option<ChatKey>, StoreError> {
        let query = sqlx::query("SELECT id FROM chats WHERE run = $1 AND name = $2").bind(run.0).bind(storable(name));
        let found = async {
            let row = query.fetch_optional(&self.reader).await?;
            Ok(row.map(|row| row.try_get(0).map(ChatKey)).transpose()?)
        };
        self.told(found.await)
    }

    async fn read_chats(&self, sql: String, values: Values) -> Result<Vec<StoredChat>, StoreError> {
        let read = async {
            let query = sqlx::query_with(AssertSqlSafe(sql), values.ready()?);
            let rows = query.fetch_all(&self.reader).await?;
            rows.iter().map(|row| self.read_chat(row)).collect()
        };
        self.told(read.await)
    }

    fn read_chat(&self, row: &AnyRow) -> Result<StoredChat, Failure> {
        let name: String = row.try_get(2)?;
        let damaged = || self.damaged(format!("the transcript of chat \"{name}\" cannot be read"));
        let dropped: String = row.try_get(6)?;
        let labels: Option<String> = row.try_get(7)?;
        let mut chat = NewChat {
            digest: row.try_get(3)?,
            origin: row.try_get(4)?,
            group: row.try_get(5)?,
            dropped: serde_json::from_str(&dropped).map_err(|_| damaged())?,
            labels: labels.as_deref().map(serde_json::from_str).transpose().map_err(|_| damaged())?,
            turns: Vec::new(),
            name: name.clone(),
        };
        let turns = unpack(&row.try_get::<Vec<u8>, _>(8)?, &beside(&chat, &dropped, labels.as_deref()));
        chat.turns = turns.and_then(|turns| serde_json::from_slice(&turns).ok()).ok_or_else(damaged)?;
        if chat.digest.len() == DIGEST && turns_digest(&chat.turns) != chat.digest {
            return Err(damaged().into());
        }
        let (key, run) = (ChatKey(row.try_get(0)?), RunKey(row.try_get(9)?));
        Ok(StoredChat { key, run, position: small(row.try_get(1)?)?, chat })
    }
}

fn bind_transcript(row: &Packed<'_>, values: &mut Values) {
    values.integer(row.key).text(row.dropped.as_str()).text(row.labels.as_deref()).bytes(row.turns.clone());
}

/// `$1, $2, …` for a list of values.
pub(crate) fn placeholders(number: usize) -> String {
    (1..=number).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ")
}
