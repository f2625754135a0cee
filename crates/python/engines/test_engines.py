"""Engines for real: every chat exactly once in the result, whatever happens to a worker, and the same reports everywhere."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import carelock
import pyarrow as pa
import pytest
from conftest import CHATS, EXPECTED, ROWS


def test_spark_gives_every_report_byte_by_byte_and_once(spark: Any) -> None:
    import carelock.spark

    df = spark.createDataFrame(ROWS, "id string, text string").repartition(3)
    judged = carelock.spark.judge(df, messages="text", id="id", report=True)
    rows = judged.select("id", "report", "error").collect()
    assert len(rows) == len(ROWS) and {row.id: row.report for row in rows} == EXPECTED
    assert all(row.error is None for row in rows)


def test_spark_keeps_columns_and_a_bad_row_is_no_dead_job(spark: Any) -> None:
    import carelock.spark

    rows = [("a", 1, CHATS[0]), ("b", 2, None), ("c", 3, "{broken")]
    df = spark.createDataFrame(rows, "id string, site int, text string")
    judged = carelock.spark.judge(df, messages="text", id="id", keep=["site"], checks=False).collect()
    assert [(row.id, row.site, row.error is None) for row in sorted(judged)] == [("a", 1, True), ("b", 2, False), ("c", 3, False)]
    with pytest.raises(carelock.CareLockError, match="cap"):
        carelock.spark.judge(df, messages="text", max_cost=1)


def test_a_worker_of_spark_that_is_killed_loses_and_doubles_nothing(spark: Any, tmp_path: pathlib.Path) -> None:
    mark = str(tmp_path / "killed")

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import signal

        import carelock
        import pyarrow

        for batch in batches:
            results = pyarrow.record_batch(carelock.evaluate_batch(batch, messages="text", report=True))
            if "000" in batch["id"].to_pylist() and not os.path.exists(mark):
                open(mark, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            yield results.select(["id", "report"])

    df = spark.createDataFrame(ROWS, "id string, text string").repartition(2)
    rows = df.mapInArrow(work, "id string, report string").collect()
    assert os.path.exists(mark)
    assert len(rows) == len(ROWS) and {row.id: row.report for row in rows} == EXPECTED


def test_ray_gives_every_report_and_survives_a_killed_actor(ray: Any, tmp_path: pathlib.Path) -> None:
    mark = str(tmp_path / "killed")

    class Judge:
        def __call__(self, batch: pa.Table) -> pa.Table:
            import os
            import signal

            import carelock

            if "000" in batch["id"].to_pylist() and not os.path.exists(mark):
                open(mark, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            return carelock.evaluate_batch(batch, messages="text", report=True).to_pyarrow().select(["id", "report"])

    source = ray.data.from_arrow(pa.table({"id": [id for id, _ in ROWS], "text": [text for _, text in ROWS]}))
    strategy = ray.data.ActorPoolStrategy(size=2)
    judged = source.repartition(4).map_batches(Judge, batch_format="pyarrow", batch_size=4, num_cpus=0.5, compute=strategy)
    rows = judged.take_all()
    assert os.path.exists(mark)
    assert len(rows) == len(ROWS) and {row["id"]: row["report"] for row in rows} == EXPECTED


def test_the_reports_are_json() -> None:
    assert all(json.loads(report)["schema"] == "carelock/report/1" for report in EXPECTED.values())
