//! What judges answered: committed as it arrives, many in one transaction where they come fast.

use std::collections::HashSet;

use sqlx::{AssertSqlSafe, Row as _};

use crate::chat::placeholders;
use crate::classify::Failure;
use crate::pack::{pack, unpack};
use crate::sql::{Shape, Values, small};
use crate::{ChatKey, NewResult, RunKey, Store, StoreError};

/// One judge's answers on one chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAnswer {
    /// The chat.
    pub chat: ChatKey,
    /// The judge's place.
    pub place: u32,
    /// The judge's name.
    pub judge: String,
    /// When it was answered, in milliseconds since 1970.
    pub answered: i64,
    /// Tokens of the prompt, cached ones included.
    pub input_tokens: u64,
    /// Those of them that came from the provider's cache.
    pub cached_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// What it cost, in thousand-millionths of a US dollar: whole numbers add up the same in any order.
    pub cost_nanos: u64,
    /// Whether it came from the record of an earlier call.
    pub from_record: bool,
    /// The answers as JSON.
    pub body: String,
}

/// What became of answers that were handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// How many were kept.
    pub kept: usize,
    /// Chat and place of those that were refused, because that judge had answered already.
    pub refused: Vec<(ChatKey, u32)>,
}

/// One judge's answers on one chat, read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The chat.
    pub chat: ChatKey,
    /// The judge's place.
    pub place: u32,
    /// The judge's name.
    pub judge: String,
    /// When it was answered, in milliseconds since 1970.
    pub answered: i64,
    /// The answers as JSON.
    pub body: String,
}

/// What the answers of one judge in a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The judge's place.
    pub place: u32,
    /// How many answers there are.
    pub answers: u64,
    /// How many of them came from the record of an earlier call.
    pub from_record: u64,
    /// Tokens of the prompts.
    pub input_tokens: u64,
    /// Those of them that came from the provider's cache.
    pub cached_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// What they cost, in thousand-millionths of a US dollar.
    pub cost_nanos: u64,
}

const ANSWERS: Shape = Shape {
    before: "WITH given (chat, place, answered, judge, input_tokens, cached_tokens, output_tokens, cost_nanos, \
             from_record) AS (",
    width: 9,
    after: ") INSERT INTO answers (chat, place, run, answered, judge, input_tokens, cached_tokens, output_tokens, \
            cost_nanos, from_record) \
            SELECT given.chat, given.place, COALESCE(chats.run, 0), answered, judge, input_tokens, cached_tokens, \
            output_tokens, cost_nanos, from_record FROM given LEFT JOIN chats ON chats.id = given.chat \
            WHERE TRUE ORDER BY given.chat, given.place ON CONFLICT (chat, place) DO NOTHING RETURNING chat, place",
};
const SUBMISSIONS: Shape = Shape { before: "INSERT INTO submissions (chat, place, body)", width: 3, after: "" };
const DONE: Shape = Shape {
    before: "WITH given (chat, place) AS (",
    width: 2,
    after: "), picked AS MATERIALIZED (SELECT tasks.chat, tasks.place FROM tasks \
            JOIN given ON tasks.chat = given.chat AND tasks.place = given.place \
            ORDER BY tasks.chat, tasks.place {wait}) \
            UPDATE tasks SET state = 2, owner = NULL, until = NULL, error = NULL FROM picked \
            WHERE tasks.chat = picked.chat AND tasks.place = picked.place",
};

/// Keys in one query; each is a placeholder of its own.
const AT_ONCE: usize = 256;

struct Packed<'answer> {
    answer: &'answer NewAnswer,
    body: Vec<u8>,
}

impl Store {
    /// Keeps answers and the results derived from them, in one transaction: when this returns, they are safe.
    ///
    /// The first answer of a judge on a chat stays. A second one, as of a worker that lost its lease, is refused, and
    /// so is a result handed in for that chat, because it rests on an answer that does not count.
    pub async fn record(&self, answers: &[NewAnswer], results: &[NewResult]) -> Result<Recorded, StoreError> {
        self.told(self.record_all(answers, results).await)
    }

    async fn record_all(&self, answers: &[NewAnswer], results: &[NewResult]) -> Result<Recorded, Failure> {
        let packed = self.packed_answers(answers)?;
        let mut transaction = self.begin().await?;
        let kept = ANSWERS.run(self, &mut transaction, &packed, |row, values| bind_answer(row.answer, values)).await?;
        let mut fresh = HashSet::with_capacity(kept.len());
        for row in &kept {
            fresh.insert((row.try_get::<i64, _>(0)?, row.try_get::<i64, _>(1)?));
        }
        let mut refused = Vec::new();
        let mut rows = Vec::with_capacity(packed.len());
        for row in packed {
            // Taken out, so that the second of two in one call is refused as well.
            if fresh.remove(&key(row.answer)) {
                rows.push(row);
            } else {
                refused.push((row.answer.chat, row.answer.place));
            }
        }
        let bodies = SUBMISSIONS.run(self, &mut transaction, &rows, |row, values| {
            bind_key(row.answer, values);
            values.bytes(row.body.clone());
        });
        bodies.await?;
        DONE.run(self, &mut transaction, &rows, |row, values| bind_key(row.answer, values)).await?;
        let stale: HashSet<ChatKey> = refused.iter().map(|(chat, _)| *chat).collect();
        let results: Vec<&NewResult> = results.iter().filter(|result| !stale.contains(&result.chat)).collect();
        crate::result::put(self, &mut transaction, &results).await?;
        transaction.commit().await?;
        Ok(Recorded { kept: rows.len(), refused })
    }

    /// In the order of their keys, which is the order in which locks are taken.
    fn packed_answers<'answer>(&self, answers: &'answer [NewAnswer]) -> Result<Vec<Packed<'answer>>, StoreError> {
        let one = |answer: &'answer NewAnswer| {
            let answered = answer.answered.to_string();
            let body = pack(answer.body.as_bytes(), &[Some(&answer.judge), Some(&answered)]);
            let body = body.ok_or_else(|| self.too_large("an answer"))?;
            Ok(Packed { answer, body })
        };
        let mut packed: Vec<Packed<'_>> = answers.iter().map(one).collect::<Result<_, StoreError>>()?;
        packed.sort_by_key(|row| key(row.answer));
        Ok(packed)
    }

    /// The answers on these chats, by chat and place.
    pub async fn answers(&self, chats: &[ChatKey]) -> Result<Vec<StoredAnswer>, StoreError> {
        let mut found = Vec::with_capacity(chats.len());
        for some in chats.chunks(AT_ONCE) {
            found.extend(self.told(self.read_answers(some).await)?);
        }
        found.sort_by_key(|answer| (answer.chat, answer.place));
        Ok(found)
    }

    async fn read_answers(&self, chats: &[ChatKey]) -> Result<Vec<StoredAnswer>, Failure> {
        let sql = format!(
            "SELECT answers.chat, answers.place, answers.judge, answers.answered, submissions.body FROM answers \
             JOIN submissions ON submissions.chat = answers.chat AND submissions.place = answers.place \
             WHERE answers.chat IN ({})",
            placeholders(chats.len())
        );
        let mut values = Values::default();
        for chat in chats {
            values.integer(chat.0);
        }
        let rows = sqlx::query_with(AssertSqlSafe(sql), values.ready()?).fetch_all(&self.reader).await?;
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            let (chat, place): (_, u32) = (ChatKey(row.try_get(0)?), small(row.try_get(1)?)?);
            let (judge, answered): (String, i64) = (row.try_get(2)?, row.try_get(3)?);
            let body = unpack(&row.try_get::<Vec<u8>, _>(4)?, &[Some(&judge), Some(&answered.to_string())]);
            let body = body.and_then(|bytes| String::from_utf8(bytes).ok());
            let body = body.ok_or_else(|| self.damaged(format!("the answer of judge {place} on chat {}", chat.0)))?;
            found.push(StoredAnswer { chat, place, judge, answered, body });
        }
        Ok(found)
    }

    /// Chats of a run whose judges are all through, answered or failed, but that have no result yet: what a worker
    /// that died between the two leaves behind, and chats whose judges two workers shared. Only those behind a chat are
    /// given (`None` for the first), in their order.
    pub async fn without_result(
        &self,
        run: RunKey,
        behind: Option<ChatKey>,
        most: u32,
    ) -> Result<Vec<ChatKey>, StoreError> {
        let sql = "SELECT chats.id FROM chats WHERE chats.run = $1 AND chats.id > $3 \
                   AND NOT EXISTS (SELECT 1 FROM results WHERE results.chat = chats.id AND results.place = -1) \
                   AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.chat = chats.id AND tasks.state < 2) \
                   AND EXISTS (SELECT 1 FROM answers WHERE answers.chat = chats.id) ORDER BY chats.id LIMIT $2";
        let read = async {
            let behind = behind.map_or(-1, |chat| chat.0);
            let query = sqlx::query(sql).bind(run.0).bind(i64::from(most)).bind(behind);
            let rows = query.fetch_all(&self.reader).await?;
            Ok(rows.iter().map(|row| row.try_get(0).map(ChatKey)).collect::<Result<_, _>>()?)
        };
        self.told(read.await)
    }

    /// What the answers of a run took, judge by judge.
    pub async fn spent(&self, run: RunKey) -> Result<Vec<Spent>, StoreError> {
        let sql = "SELECT place, COUNT(*), CAST(SUM(from_record) AS BIGINT), CAST(SUM(input_tokens) AS BIGINT), \
                   CAST(SUM(cached_tokens) AS BIGINT), CAST(SUM(output_tokens) AS BIGINT), \
                   CAST(SUM(cost_nanos) AS BIGINT) FROM answers WHERE run = $1 GROUP BY place ORDER BY place";
        let read = async {
            let mut spent = Vec::new();
            for row in sqlx::query(sql).bind(run.0).fetch_all(&self.reader).await? {
                spent.push(Spent {
                    place: small(row.try_get(0)?)?,
                    answers: small(row.try_get(1)?)?,
                    from_record: small(row.try_get(2)?)?,
                    input_tokens: small(row.try_get(3)?)?,
                    cached_tokens: small(row.try_get(4)?)?,
                    output_tokens: small(row.try_get(5)?)?,
                    cost_nanos: small(row.try_get(6)?)?,
                });
            }
            Ok(spent)
        };
        self.told(read.await)
    }
}

fn key(answer: &NewAnswer) -> (i64, i64) {
    (answer.chat.0, i64::from(answer.place))
}

fn bind_key(answer: &NewAnswer, values: &mut Values) {
    values.integer(answer.chat.0).integer(i64::from(answer.place));
}

fn bind_answer(answer: &NewAnswer, values: &mut Values) {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    bind_key(answer, values);
    values.integer(answer.answered).text(answer.judge.as_str());
    values.integer(whole(answer.input_tokens)).integer(whole(answer.cached_tokens));
    values.integer(whole(answer.output_tokens)).integer(whole(answer.cost_nanos));
    values.integer(i64::from(answer.from_record));
}
