"""How many chats a second one core, Spark, and `carelock run` judge: the figures of docs/scale.md.

    tests/postgres PYTHON crates/python/benches/scale.py [CHATS]

PYTHON is that of an environment with the package and Spark (crates/python/test-engines makes one). Chats have ten turns and 0.8 kB each. The
database is the one that CARELOCK_TEST_POSTGRES names; without it, `carelock run` is measured with a file alone.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from overhead import chat

CORES = len(os.sched_getaffinity(0))


def show(what: str, chats: int, seconds: float, cores: int) -> None:
    print(f"{what}: {chats} chats in {seconds:.1f} s, {chats / seconds:.0f} chats/s, {chats / seconds / cores:.0f} a core", flush=True)


def one_core(chats: int) -> None:
    import carelock
    import pyarrow as pa

    table = pa.table({"id": [str(number) for number in range(chats)], "messages": [chat(number) for number in range(chats)]})
    carelock.evaluate_batch(table.slice(0, 10))
    begun = time.perf_counter()
    results = carelock.evaluate_batch(table)
    show("evaluate_batch, one thread", chats, time.perf_counter() - begun, 1)
    assert results.errors == 0


def spark(source: pathlib.Path, chats: int) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    begun = time.perf_counter()
    builder = SparkSession.builder.master(f"local[{CORES}]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    print(f"Spark: the session took {time.perf_counter() - begun:.1f} s", flush=True)
    import carelock.spark

    frame = session.read.json(str(source)).repartition(4 * CORES)
    for name in ("first job", "second job"):
        begun = time.perf_counter()
        judged = carelock.spark.judge(frame, id="id", checks=False)
        assert judged.filter("error IS NULL").count() == chats
        show(f"Spark, {CORES} cores, {name}", chats, time.perf_counter() - begun, CORES)
    session.stop()


def runs(source: pathlib.Path, chats: int, workers: int, database: str) -> None:
    program = [sys.executable, "-m", "carelock", "run"]
    environment = {**os.environ, "RAYON_NUM_THREADS": str(max(1, CORES // workers))}
    name = f"scale-{workers}-{time.time_ns()}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    begun = time.perf_counter()
    going = [subprocess.Popen([*program, str(source), "--name", name, "--db", database], **quiet)]  # type: ignore[call-overload]
    for _ in range(workers - 1):
        time.sleep(2)
        going.append(subprocess.Popen([*program, "--resume", name, "--db", database], **quiet))  # type: ignore[call-overload]
    codes = [worker.wait() for worker in going]
    assert codes == [0] * workers, codes
    kind = "PostgreSQL" if database.startswith("postgres") else "a file"
    show(f"carelock run into {kind}, workers {workers}", chats, time.perf_counter() - begun, CORES)


def main(chats: int) -> None:
    print(f"{CORES} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    one_core(min(chats, 2000))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "chats.jsonl"
        with source.open("w") as file:
            file.writelines(json.dumps({"id": str(number), "messages": chat(number)}) + "\n" for number in range(chats))
        runs(source, chats, 1, f"{folder}/runs.db")
        if database := os.environ.get("CARELOCK_TEST_POSTGRES"):
            runs(source, chats, 1, database)
            runs(source, chats, 2, database)
        spark(source, chats)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
