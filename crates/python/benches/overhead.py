"""What the package costs beside the engine: one chat, and a table against the command.

    python crates/python/benches/overhead.py CARELOCK [CHATS] [THREADS]

CARELOCK is the program in release. A table is judged in turn by the command and by the package with the same threads, each a process
of its own; the least of each counts. Ratios are of processor time, which other work on the machine disturbs little; the time that went by
stands beside it. Memory is the most that a process had, beyond what it had before the first row where it is the package.
"""

from __future__ import annotations

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

TURNS = 10


def chat(number: int) -> list[dict[str, str]]:
    """A chat of ten turns, each chat another one."""
    said = [
        f"I could not sleep again, it is night {number} by now, and I keep thinking that nobody would notice.",
        "That sounds exhausting, and lonely too. It makes sense that it wears you down. What goes through your mind then?",
        "Mostly work. My boss told me that I am too slow, and since then I check everything three times.",
        "Being told that would hurt anyone. You could write down the three worries before bed, so that they lie on paper.",
        "I tried that once. It helped a little, but I stopped.",
        "A little is something, and you found it yourself. Would tonight at ten be a good time to try it again?",
        "Maybe. I am not sure that I have the energy.",
        "Then make it smaller: one worry, one line. I'm an AI, so if it gets worse, your doctor can look at this with you.",
        "All right, one line. Thank you.",
        "You're welcome. Tell me tomorrow how it went, if you like.",
    ]
    return [{"role": "user" if place % 2 == 0 else "assistant", "content": text} for place, text in enumerate(said[:TURNS])]


TABLE = """
import sys, time, resource
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.json
import carelock
source, threads, how = sys.argv[1], int(sys.argv[2]), sys.argv[3]
table = pa.json.read_json(source)
carelock.evaluate("Human: a\\nAI: b")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begun, used = time.perf_counter(), time.process_time()
if how == "table":
    results = carelock.evaluate_table(table, threads=threads)
    rows, errors = len(results), results.errors
else:
    stream = carelock.evaluate_stream(table, threads=threads)
    rows = sum(batch.num_rows for batch in pa.RecordBatchReader.from_stream(stream))
    errors = stream.errors
took, used = time.perf_counter() - begun, time.process_time() - used
print(took, used, rows, errors, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def one_chat() -> None:
    """`evaluate` against the native call alone, on the same chat."""
    import carelock
    from carelock import evaluator

    messages = chat(1)
    native = evaluator.embedded()._native
    ready = carelock.parse(json.dumps({"messages": messages}))._native
    runs = 300

    works = {
        "engine": lambda: native.evaluate(ready, True, None),
        "evaluate": lambda: carelock.evaluate(messages),
        "evaluate, with its score read": lambda: carelock.evaluate(messages).overall,
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            begun = time.process_time()
            work()
            times[name].append(time.process_time() - begun)
    median = {name: sorted(found)[runs // 2] for name, found in times.items()}
    for name, found in median.items():
        print(f"one chat of {TURNS} turns, {name}: {found * 1e3:.2f} ms ({found / median['engine']:.3f}), median of {runs}, processor time")


def table(program: str, chats: int, threads: int) -> None:
    """`evaluate_table` and `evaluate_stream` against `carelock eval` with the same threads."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "chats.jsonl"
        with source.open("w") as file:
            for number in range(chats):
                file.write(json.dumps({"id": str(number), "messages": chat(number)}) + "\n")
        took: dict[str, list[tuple[float, float]]] = {"command": [], "table": [], "stream": []}
        memory: dict[str, list[float]] = {"command": [], "table": [], "stream": []}
        for _ in range(3 if chats <= 20_000 else 1):
            begun = time.perf_counter()
            environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
            done = subprocess.Popen([program, "eval", str(source), "--format", "jsonl", "-o", f"{folder}/out.jsonl"],
                                    env=environment, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(done.pid, 0)
            assert os.waitstatus_to_exitcode(status) == 0
            took["command"].append((usage.ru_utime + usage.ru_stime, time.perf_counter() - begun))
            memory["command"].append(usage.ru_maxrss / 1024)
            for how in ("table", "stream"):
                run = [sys.executable, "-c", TABLE, str(source), str(threads), how]
                said = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
                assert (int(said[2]), int(said[3])) == (chats, 0)
                took[how].append((float(said[1]), float(said[0])))
                memory[how].append((int(said[5]) - int(said[4])) / 1024)
        base = min(took["command"])[0]
        for how, times in took.items():
            used, passed = min(times)
            extra = "at most" if how == "command" else "more than before"
            print(f"{chats} chats, {threads} threads, {how}: {used:.2f} s of processor time ({used / base:.3f}), {chats / used:.0f} chats a second "
                  f"and core, {passed:.1f} s passed, {max(memory[how]):.0f} MiB {extra}")


if __name__ == "__main__":
    assert len(sys.argv) > 1, __doc__
    print(f"this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")
    one_chat()
    table(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000, int(sys.argv[3]) if len(sys.argv) > 3 else 2)
