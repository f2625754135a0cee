"""What tests of the engines share: chats, what is expected of them, sessions of Spark and Ray, and a model that counts what it is asked."""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

import carelock
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "crates/python/tests"))

from stub_model import Model, serving  # noqa: E402

CHATS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.txt"))]
ROWS = [(f"{number:03}", CHATS[number % len(CHATS)]) for number in range(24)]
EXPECTED = {id: carelock.evaluate(text, id=id).render("jsonl").rstrip("\n") for id, text in ROWS}


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Spark on two cores of this machine; a task is tried three times."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2, 3]").appName("carelock")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    """Ray on this machine. It has more places for workers than the machine has cores: most of them wait."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Its workers step back behind everything else on a machine unless told otherwise: beside a build they would not get on.
    os.environ["RAY_worker_niceness"] = "0"
    import ray as found

    found.init(num_cpus=4, include_dashboard=False, object_store_memory=2 * 10**8, log_to_driver=False)
    yield found
    found.shutdown()


@pytest.fixture
def model() -> Iterator[Model]:
    """A model on loopback."""
    with serving() as found:
        yield found
