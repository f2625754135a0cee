"""Spark: the rows of a data frame judged by its workers. Every worker needs this package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from .errors import CareLockError
from .evaluator import Options, _split, evaluator_of
from .tables import Table, evaluate_batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame  # type: ignore[import-not-found, unused-ignore]

BATCH = 512
"""Rows that a worker gets at a time, unless the session says otherwise: the default of Spark takes minutes to judge."""


def judge(
    df: DataFrame,
    *,
    messages: str = "messages",
    id: str | None = None,
    keep: Sequence[str] = (),
    checks: bool = True,
    report: bool = False,
    **options: Unpack[Options],
) -> DataFrame:
    """A data frame with a row of results for every row of `df`, as `carelock.evaluate_table` gives them.

    `keep` names columns of `df` that are handed on before the results. Workers judge on one thread each, as Spark gives each of them one
    core. The same chat always gets the same row, so that a task which is tried again changes nothing; `transcript_hash` is the key.

    For models, `workers` says into how many tasks the rows are divided; each takes its part of `max_cost`, of `concurrency` and of the
    provider's pace. `answers` names a folder that all workers see: what was answered is not asked again when a task is tried again.
    """
    _check(options)
    kept = list(dict.fromkeys([*([id] if id else []), *keep]))
    chosen = df.select(*dict.fromkeys([messages, *kept]))
    if "workers" in options:
        chosen = chosen.repartition(options["workers"])
    _set_batch(df)

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

        judging, reading = _split(options)
        # One for the whole task: the limits hold over all its batches.
        with evaluator_of(judging) as evaluator:
            threads = None if evaluator._native.asks else 1
            for batch in batches:
                table = evaluator.evaluate_table(
                    batch, messages=messages, id=id, checks=checks, report=report, threads=threads, **reading
                )
                results = _results(table, kept)
                columns = [batch.column(name) for name in kept] + [results.column(name) for name in results.schema.names]
                yield pyarrow.RecordBatch.from_arrays(columns, names=[*kept, *results.schema.names])

    return chosen.mapInArrow(work, _schema(df, kept, checks, report))


def judge_messages(
    df: DataFrame,
    *,
    chat: str,
    order: str,
    role: str = "role",
    content: str = "content",
    checks: bool = True,
    report: bool = False,
    **options: Unpack[Options],
) -> DataFrame:
    """The same for a data frame with a row for every message: a row of results for every chat.

    `chat` names the column that is the same for all messages of a chat, and becomes the id; `order` the column that they are sorted by.
    """
    from pyspark.sql import functions as f  # type: ignore[import-not-found, unused-ignore]

    if str(df.schema[chat].dataType) != "StringType()":
        df = df.withColumn(chat, f.col(chat).cast("string"))
    message = f.struct(f.col(order).alias("order"), f.col(role).alias("role"), f.col(content).alias("content"))
    chats = df.groupBy(chat).agg(f.array_sort(f.collect_list(message)).alias("messages"))
    said = f.transform("messages", lambda one: f.struct(one["role"].alias("role"), one["content"].alias("content")))
    return judge(chats.withColumn("messages", said), id=chat, checks=checks, report=report, **options)


def _check(options: Options) -> None:
    """What cannot hold over workers that know nothing of each other is refused."""
    if "max_cost" in options and "workers" not in options:
        fix = "say with workers= into how many tasks the rows are divided; each takes its part of the cap"
        raise CareLockError("max_cost", "a cap cannot hold over workers that know nothing of each other", fix)
    if "lock" in options and not options.get("locked"):
        fix = "use answers= with a folder that all workers see, or locked=True to read the lock only"
        raise CareLockError("lock", "workers would write the same file over each other", fix)


def _results(table: Table, kept: Sequence[str]) -> Any:
    """The results as a batch, without what is handed on."""
    import pyarrow

    batch = pyarrow.record_batch(table)
    return batch.select([name for name in batch.schema.names if name not in kept])


def _schema(df: DataFrame, kept: Sequence[str], checks: bool, report: bool) -> Any:
    """The columns that are handed on and those of results, in Spark's types."""
    import pyarrow
    from pyspark.sql.pandas.types import from_arrow_schema  # type: ignore[import-not-found, unused-ignore]
    from pyspark.sql.types import StructType  # type: ignore[import-not-found, unused-ignore]

    empty = evaluate_batch(pyarrow.table({"text": pyarrow.array([], pyarrow.string())}), checks=checks, report=report)
    results = from_arrow_schema(_results(empty, kept).schema)
    return StructType([*(df.schema[name] for name in kept), *results.fields])


def _set_batch(df: DataFrame) -> None:
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    if df.sparkSession.conf.get(name) == "10000":
        df.sparkSession.conf.set(name, str(BATCH))
