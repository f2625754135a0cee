"""A model under Spark and Ray: what a task asked is not asked again when the task is tried again."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from stub_model import Model


def sent(found: Model) -> list[str]:
    """What the model was sent, request by request."""
    return [json.dumps(body["messages"]) for body in found.requests]


def test_a_task_that_is_tried_again_asks_nothing_twice(spark: Any, model: Model, tmp_path: pathlib.Path) -> None:
    import carelock.spark

    mark, count = str(tmp_path / "killed"), 6
    chats = [(str(number), f"Human: I feel low, night {number}.\nAI: What happened?") for number in range(count)]
    df = spark.createDataFrame(chats, "id string, text string")
    options = {"judge": model.name, "workers": 2, "answers": tmp_path / "answers", "second_look": False}
    judged = carelock.spark.judge(df, messages="text", id="id", checks=False, **options)

    def killed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import signal

        for batch in batches:
            if "0" in batch["id"].to_pylist() and not os.path.exists(mark):
                open(mark, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    rows = judged.select("id", "overall", "error").mapInArrow(killed, "id string, overall double, error string").collect()
    assert os.path.exists(mark)
    assert sorted(row.id for row in rows) == [str(number) for number in range(count)]
    assert all(row.error is None and row.overall is not None for row in rows)
    assert len(sent(model)) == len(set(sent(model))) == count
    assert len(judged.collect()) == count and len(sent(model)) == count, "a second job finds every answer"


def test_an_actor_of_ray_that_is_killed_leaves_its_answers_to_the_next(ray: Any, model: Model, tmp_path: pathlib.Path) -> None:
    mark, answers, count, name = str(tmp_path / "killed"), str(tmp_path / "answers"), 6, model.name

    class Judge:
        def __init__(self) -> None:
            import carelock

            self.judge = carelock.Evaluator(judge=name, workers=2, answers=answers, second_look=False)

        def __call__(self, batch: pa.Table) -> pa.Table:
            import os
            import signal

            judged = self.judge.evaluate_table(batch, messages="text", checks=False).to_pyarrow()
            if "0" in batch["id"].to_pylist() and not os.path.exists(mark):
                open(mark, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            return judged.select(["id", "overall", "error"])

    chats = [f"Human: I feel low, night {number}.\nAI: What happened?" for number in range(count)]
    source = ray.data.from_arrow(pa.table({"id": [str(number) for number in range(count)], "text": chats})).repartition(3)
    strategy = ray.data.ActorPoolStrategy(size=2)
    rows = source.map_batches(Judge, batch_format="pyarrow", batch_size=2, num_cpus=0.5, compute=strategy).take_all()
    assert os.path.exists(mark)
    assert sorted(row["id"] for row in rows) == [str(number) for number in range(count)]
    assert all(row["error"] is None and row["overall"] is not None for row in rows)
    assert len(sent(model)) == len(set(sent(model))) == count


def test_what_cannot_hold_over_workers_is_refused(spark: Any) -> None:
    import carelock
    import carelock.spark

    df = spark.createDataFrame([("a", "Human: Hello\nAI: Hello")], "id string, text string")
    with pytest.raises(carelock.CareLockError, match="a cap cannot hold") as cap:
        carelock.spark.judge(df, messages="text", judge="openai:gpt-4.1-mini", max_cost=1)
    assert "workers=" in cap.value.fix
    with pytest.raises(carelock.CareLockError, match="over each other") as lock:
        carelock.spark.judge(df, messages="text", judge="openai:gpt-4.1-mini", lock="carelock.lock")
    assert "answers=" in lock.value.fix
