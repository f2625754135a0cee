"""Spark: the rows of a data frame judged by its workers. Every worker needs this package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from .errors import CareLockError
from .evaluator import Options
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
    """
    if "max_cost" in options:
        raise CareLockError("max_cost", "a cap cannot hold over workers that know nothing of each other", _CAP)
    kept = list(dict.fromkeys([*([id] if id else []), *keep]))
    chosen = df.select(*dict.fromkeys([messages, *kept]))
    _set_batch(df)

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

        for batch in batches:
            results = _results(evaluate_batch(batch, messages=messages, id=id, checks=checks, report=report, **options), kept)
            columns = [batch.column(name) for name in kept] + [results.column(name) for name in results.schema.names]
            yield pyarrow.RecordBatch.from_arrays(columns, names=[*kept, *results.schema.names])

    return chosen.mapInArrow(work, _schema(df, kept, checks, report))


_CAP = "divide it yourself with an Evaluator a partition, or use `carelock run` with a PostgreSQL database, whose workers share a cap"


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
