//! Lists of results: filtered, sorted, and read page by page.

use std::fmt::Write as _;

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};

use crate::classify::Failure;
use crate::result::place_number;
use crate::sql::{Values, small};
use crate::{ChatKey, METRICS, RunKey, Scores, Store, StoreError};

mod order;

use order::Key;
pub use order::{BadCursor, Cursor, MetricPlace, Sort, UnknownSort};

/// Which results of a run a list has, and in what order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The run.
    pub run: RunKey,
    /// The results of the judge at this place; `None` for those of the chats as a whole.
    pub place: Option<u32>,
    /// Only those with a gate tripped, or only those without.
    pub gated: Option<bool>,
    /// Only those this check tripped a gate in.
    pub gate: Option<String>,
    /// Only those with checks that have no verdict, or only those without.
    pub unscored: Option<bool>,
    /// Only those with an overall score below this, in hundredths; undetermined ones are not below anything.
    pub below: Option<u8>,
    /// Only this tier.
    pub tier: Option<String>,
    /// Only this group.
    pub group: Option<String>,
    /// Only this judge.
    pub judge: Option<String>,
    /// Only chats with these words in their id or origin, whatever the case of ASCII letters.
    pub text: Option<String>,
    /// The order.
    pub sort: Sort,
    /// The other way round.
    pub descending: bool,
    /// Only what comes behind this place in the list. A place of a list in another order is the beginning.
    pub after: Option<Cursor>,
    /// Only what comes before this place, and of that the last: the page before. Counts where `after` is not given.
    pub before: Option<Cursor>,
}

/// Some results of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The results.
    pub results: Vec<ListedResult>,
    /// What the next page comes after; `None` where this was the last.
    pub next: Option<Cursor>,
    /// What the page before comes before; `None` where this was the first.
    pub previous: Option<Cursor>,
}

/// One result of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedResult {
    /// The chat.
    pub chat: ChatKey,
    /// The chat's id.
    pub name: String,
    /// The chat's digest.
    pub digest: String,
    /// Where the chat came from.
    pub origin: String,
    /// Its place in the run, counted from 0.
    pub position: u64,
    /// Its group.
    pub group: Option<String>,
    /// The judge or the panel.
    pub judge: String,
    /// The numbers.
    pub scores: Scores,
}

const COLUMNS: &str = "SELECT results.chat, chats.name, chats.digest, chats.origin, results.position, \
    results.group_name, results.judge, results.overall, results.gates, results.tier, results.unscored, \
    results.outcomes, metric_1, metric_2, metric_3, metric_4, metric_5, metric_6, metric_7, metric_8, metric_9, \
    metric_10";

/// How many ids are looked at in their order for a page of those that pass a filter.
const NEAR: i64 = 2000;

impl Filter {
    /// All results of a run's chats, in the order of the chats.
    pub fn for_run(run: RunKey) -> Self {
        Self {
            run,
            place: None,
            gated: None,
            gate: None,
            unscored: None,
            below: None,
            tier: None,
            group: None,
            judge: None,
            text: None,
            sort: Sort::default(),
            descending: false,
            after: None,
            before: None,
        }
    }

    fn conditions(&self) -> (String, Values) {
        let mut sql = " WHERE results.run = $1 AND results.place = $2".to_owned();
        let mut values = Values::default();
        values.integer(self.run.0).integer(place_number(self.place));
        if let Some(gated) = self.gated {
            sql.push_str(if gated { " AND results.gated = 1" } else { " AND results.gated = 0" });
        }
        if let Some(unscored) = self.unscored {
            sql.push_str(if unscored { " AND results.unscored > 0" } else { " AND results.unscored = 0" });
        }
        if let Some(below) = self.below {
            values.integer(i64::from(below));
            // Writing to a string cannot fail, here and below.
            let _ = write!(sql, " AND results.overall < ${}", values.len());
        }
        let equal = [("tier", &self.tier), ("group_name", &self.group), ("judge", &self.judge)];
        for (column, wanted) in equal.into_iter().filter_map(|(column, wanted)| Some((column, wanted.as_ref()?))) {
            values.text(wanted.as_str());
            let _ = write!(sql, " AND results.{column} = ${}", values.len());
        }
        if let Some(gate) = &self.gate {
            values.text(format!("%,{},%", literal(gate)).as_str());
            let _ = write!(sql, r" AND ',' || results.gates || ',' LIKE ${} ESCAPE '\'", values.len());
        }
        if let Some(text) = &self.text {
            values.text(format!("%{}%", literal(&text.to_ascii_lowercase())).as_str());
            let number = values.len();
            let _ = write!(
                sql,
                r" AND (LOWER(chats.name) LIKE ${number} ESCAPE '\' OR LOWER(chats.origin) LIKE ${number} ESCAPE '\')"
            );
        }
        (sql, values)
    }

    /// Whether anything but the run and the judge's place is asked for that the results' own columns tell.
    fn narrows(&self) -> bool {
        let words = [&self.gate, &self.tier, &self.group, &self.judge];
        let numbers = self.gated.is_some() || self.unscored.is_some() || self.below.is_some();
        numbers || words.iter().any(|word| word.is_some())
    }

    /// The place to go on from, and whether towards the end of the list.
    fn from(&self) -> (Option<&Cursor>, bool) {
        let of_order = |cursor: &&Cursor| cursor.sort == self.sort;
        let after = self.after.as_ref().filter(of_order);
        match self.before.as_ref().filter(of_order) {
            Some(before) if after.is_none() => (Some(before), false),
            _ => (after, true),
        }
    }

    /// Which tables the page is looked for in.
    fn source(&self, near: bool) -> Source {
        match self.sort {
            Sort::Name if near => Source::NearNames,
            Sort::Name if self.text.is_some() || !self.narrows() => Source::Names,
            _ if self.text.is_some() || self.sort == Sort::Name => Source::Both,
            _ => Source::Results,
        }
    }

    /// The page's keys in their order, then everything about them: what is looked through is narrow, what is read is few.
    fn statement(&self, source: Source, most: u32) -> (String, Values) {
        let (mut conditions, mut values) = self.conditions();
        if matches!(source, Source::Names | Source::NearNames) {
            // The result of a chat is found by the chat. PostgreSQL, before it has counted a new run, thinks that looking
            // through the run's results for each chat is no worse.
            conditions = conditions.replacen("results.run =", "results.run + 0 =", 1);
        }
        let (cursor, forward) = self.from();
        let direction = if self.descending == forward { "DESC" } else { "ASC" };
        let plain = self.narrows() || self.text.is_some();
        let key = self.sort.key(plain);
        let behind = cursor.map(|cursor| behind(cursor, key.as_deref(), direction, &mut values)).unwrap_or_default();
        let tables = source.tables(&behind, direction);
        let joined = if source == Source::Results { "" } else { " AND chats.id = results.chat AND chats.run = $1" };
        let sorted = key.as_deref().unwrap_or("0");
        let mut keys = format!(
            "SELECT results.chat AS chat, results.position AS position, {sorted} AS sorted \
             FROM {tables}{conditions}{joined}{behind}"
        );
        if source == Source::Results && direction == "DESC" && !self.sort.has_index(plain) {
            // From the last position on: otherwise every result would take the place of one before it that is alike. Only
            // with a limit does a database keep to an order within.
            keys = format!("SELECT * FROM ({keys} ORDER BY results.position DESC LIMIT {}) AS results", i64::MAX);
        }
        let order = match self.sort {
            Sort::Position => format!("results.position {direction}"),
            Sort::Name => format!("chats.name {direction}"),
            _ if self.sort.has_index(plain) => format!("{sorted} {direction}, results.position {direction}"),
            _ => format!("sorted {direction}, position {direction}"),
        };
        values.integer(i64::from(most) + 1);
        let limit = values.len();
        let sql = format!(
            "{COLUMNS} FROM ({keys} ORDER BY {order} LIMIT ${limit}) AS page \
             CROSS JOIN results CROSS JOIN chats WHERE results.chat = page.chat AND results.place = $2 \
             AND chats.id = page.chat ORDER BY page.sorted {direction}, page.position {direction}"
        );
        (sql, values)
    }
}

/// What comes behind a place. Every value has to stand somewhere, because PostgreSQL asks for the type of each.
fn behind(cursor: &Cursor, key: Option<&str>, direction: &str, values: &mut Values) -> String {
    match &cursor.key {
        Key::Number(number) => values.integer(*number),
        Key::Text(text) => values.text(text.as_str()),
    };
    values.integer(cursor.position);
    let sign = if direction == "DESC" { "<" } else { ">" };
    let (first, second) = (values.len() - 1, values.len());
    match (cursor.sort, key) {
        // No two chats of a run share an id.
        (Sort::Name, _) => format!(" AND chats.name {sign} ${first} AND ${second} >= 0"),
        (_, Some(key)) => format!(" AND ({key}, results.position) {sign} (${first}, ${second})"),
        (_, None) => format!(" AND results.position {sign} ${second} AND ${first} >= 0"),
    }
}

/// The tables a page is looked for in, the first one first: a cross join is carried out as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// What is needed stands in the results.
    Results,
    /// Results, and then their chats.
    Both,
    /// Chats in the order of their ids, and then their results.
    Names,
    /// The same with a limit, for filters that many pass.
    NearNames,
}

impl Source {
    fn tables(self, behind: &str, direction: &str) -> String {
        match self {
            Self::Results => "results".to_owned(),
            Self::Both => "results CROSS JOIN chats".to_owned(),
            Self::Names => "chats CROSS JOIN results".to_owned(),
            Self::NearNames => format!(
                "(SELECT id, run, name FROM chats WHERE run = $1{behind} ORDER BY name {direction} LIMIT {NEAR}) AS chats \
                 CROSS JOIN results"
            ),
        }
    }
}

/// A text for LIKE that stands for itself.
fn literal(text: &str) -> String {
    text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_")
}

impl Store {
    /// The next results of a list, at most so many.
    pub async fn list(&self, filter: &Filter, most: u32) -> Result<Page, StoreError> {
        self.told(self.read_page(filter, most).await)
    }

    async fn read_page(&self, filter: &Filter, most: u32) -> Result<Page, Failure> {
        let near = filter.sort == Sort::Name && filter.narrows() && filter.text.is_none();
        let mut rows = self.read_rows(filter, near, most).await?;
        // One more than asked for tells whether the list goes on.
        let most_rows = usize::try_from(most).unwrap_or(usize::MAX);
        if near && rows.len() <= most_rows {
            rows = self.read_rows(filter, false, most).await?;
        }
        let more = rows.len() > most_rows;
        let mut results: Vec<ListedResult> = rows.iter().take(most_rows).map(read).collect::<Result<_, _>>()?;
        let (cursor, forward) = filter.from();
        if !forward {
            results.reverse();
        }
        let came = cursor.is_some();
        let (goes_on, goes_back) = if forward { (more, came) } else { (came, more) };
        let place = |result: &ListedResult| Cursor::after(filter.sort, result);
        let next = results.last().filter(|_| goes_on).map(place);
        let previous = results.first().filter(|_| goes_back).map(place);
        Ok(Page { results, next, previous })
    }

    async fn read_rows(&self, filter: &Filter, near: bool, most: u32) -> Result<Vec<AnyRow>, Failure> {
        let (sql, values) = filter.statement(filter.source(near), most);
        Ok(sqlx::query_with(AssertSqlSafe(sql), values.ready()?).fetch_all(&self.reader).await?)
    }

    /// How many results a list has in all, whatever its cursor.
    pub async fn count(&self, filter: &Filter) -> Result<u64, StoreError> {
        let counting = async {
            let (conditions, values) = filter.conditions();
            let join = if filter.text.is_some() { " JOIN chats ON chats.id = results.chat" } else { "" };
            let sql = format!("SELECT COUNT(*) FROM results{join}{conditions}");
            let row = sqlx::query_with(AssertSqlSafe(sql), values.ready()?).fetch_one(&self.reader).await?;
            small(row.try_get(0)?)
        };
        self.told(counting.await)
    }
}

fn read(row: &AnyRow) -> Result<ListedResult, Failure> {
    let score = |column: usize| row.try_get::<Option<i64>, _>(column)?.map(small).transpose();
    let mut metrics = [None; METRICS];
    for (at, metric) in metrics.iter_mut().enumerate() {
        *metric = score(12 + at)?;
    }
    let gates: String = row.try_get(8)?;
    let scores = Scores {
        overall: score(7)?,
        gates: gates.split(',').filter(|gate| !gate.is_empty()).map(str::to_owned).collect(),
        tier: row.try_get(9)?,
        unscored: small(row.try_get(10)?)?,
        metrics,
        outcomes: row.try_get(11)?,
    };
    Ok(ListedResult {
        chat: ChatKey(row.try_get(0)?),
        name: row.try_get(1)?,
        digest: row.try_get(2)?,
        origin: row.try_get(3)?,
        position: small(row.try_get(4)?)?,
        group: row.try_get(5)?,
        judge: row.try_get(6)?,
        scores,
    })
}
