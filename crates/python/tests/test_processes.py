"""Forks, threads, other processes, Ctrl-C, the interpreter's lock, and the command."""

from __future__ import annotations

import asyncio
import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import carelock
import polars as pl
import pytest
from conftest import EXAMPLES, HARM, KIND, Model, command

LIMIT = 60
IMPORT_LIMIT = 0.15
"""Seconds of processor time that importing may take."""


def in_child(work: object) -> int:
    """Forks, works in the child, and says how it ended; a child that hangs is killed and fails."""
    child = os.fork()
    if child == 0:
        try:
            work()  # type: ignore[operator]
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


def use_everything() -> None:
    frame = pl.DataFrame({"messages": [KIND, HARM] * 4})
    assert carelock.evaluate_table(frame, threads=2).errors == 0
    assert len(list(carelock.evaluate_many([KIND, HARM], threads=2))) == 2
    assert len(list(carelock.read_all(EXAMPLES / "*.txt"))) > 1
    assert carelock.evaluate(HARM).checks
    carelock.agreement(EXAMPLES / "sheets", EXAMPLES / "sheets", resamples=100)


def test_a_forked_child_can_do_all_that_its_parent_did() -> None:
    use_everything()
    assert in_child(use_everything) == 0


def test_a_child_of_a_parent_that_asks_models_asks_them_too(model: Model) -> None:
    judge = carelock.Evaluator(judge=model.name, cache=False)
    assert judge.evaluate(KIND).overall is not None

    def ask() -> None:
        assert judge.evaluate(HARM).overall is not None

    assert in_child(ask) == 0
    assert judge.evaluate(KIND).overall is not None


def test_a_pool_of_forked_processes_judges() -> None:
    expected = [carelock.evaluate(chat) for chat in (KIND, HARM)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        reports = pool.map_async(carelock.evaluate, [KIND, HARM] * 4).get(LIMIT)
    assert reports == expected * 4


def test_an_evaluator_travels_to_another_process() -> None:
    judge = carelock.Evaluator(judge="builtin", weights={"Empathy": 3})
    again = pickle.loads(pickle.dumps(judge))
    assert again.evaluate(KIND) == judge.evaluate(KIND)


def test_threads_share_an_evaluator_and_the_lock_is_released() -> None:
    judge = carelock.Evaluator()
    chat = EXAMPLES / "pressure.txt"
    expected = judge.evaluate(chat)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(report == expected for report in pool.map(lambda _: judge.evaluate(chat), range(16)))
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    texts = ["\n".join(["Human: I feel low and nobody calls.", "AI: That sounds lonely. What would help?"] * 40)] * 20
    begun = time.monotonic()
    carelock.evaluate_table(pl.DataFrame({"text": texts}), threads=1)
    took = time.monotonic() - begun
    done.set()
    thread.join()
    assert ticks > took * 50, (ticks, took)


PROGRAMS = {
    "table": "carelock.evaluate_table(pl.DataFrame({'text': [long] * 20000}))",
    "one thread": "carelock.evaluate_table(pl.DataFrame({'text': [long] * 20000}), threads=1)",
    "many": "list(carelock.evaluate_many([long] * 20000))",
    "model": "carelock.evaluate(long, judge=sys.argv[1], cache=False)",
    "many models": "list(carelock.evaluate_many([long] * 50, judge=sys.argv[1], cache=False))",
    "stream": "pl.DataFrame(carelock.evaluate_stream(pl.DataFrame({'text': [long] * 20000})))",
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_ctrl_c_ends_it_soon_with_a_keyboard_interrupt(name: str, model: Model) -> None:
    model.hold.clear()
    program = f"""
import sys, carelock, polars as pl
long = "\\n".join(["Human: I feel low and nobody calls.", "AI: That sounds lonely. What would help?"] * 20)
carelock.evaluate(long)
print("ready", flush=True)
try:
    {PROGRAMS[name]}
except BaseException as error:
    told = type(error).__name__ + " " + str(error)
    print("interrupted" if "KeyboardInterrupt" in told else told, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program, model.name], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    if "model" in name:
        assert model.asked.wait(LIMIT)
    else:
        time.sleep(0.3)  # Within the work; wherever in it the signal comes, it must end.
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    assert process.communicate(timeout=LIMIT)[0] == "interrupted\n"
    assert time.monotonic() - begun < 20


def test_a_cancelled_task_waits_for_no_model(model: Model) -> None:
    model.hold.clear()

    async def give_up() -> None:
        judge = carelock.Evaluator(judge=model.name, cache=False)
        task = asyncio.create_task(judge.evaluate_async(KIND))
        await asyncio.to_thread(model.asked.wait, LIMIT)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    begun = time.monotonic()
    asyncio.run(give_up())
    assert time.monotonic() - begun < 20


def test_the_package_is_the_command() -> None:
    chat = EXAMPLES / "missed-crisis.txt"
    sheet = EXAMPLES / "sheets" / "missed-crisis.csv"
    judged = [sys.executable, "-m", "carelock", "eval", chat, "--verdicts", sheet, "--fail-on-gate"]
    run = subprocess.run(judged, capture_output=True, text=True)
    assert run.returncode == 1 and "GATE ES2" in run.stdout
    script = pathlib.Path(sys.executable).with_name("carelock")
    assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout == f"carelock {carelock.__version__}\n"
    wrong = subprocess.run([sys.executable, "-m", "carelock", "evl"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "Usage: carelock" in wrong.stderr
    assert command("rubric", "--format", "json").returncode == 0


def test_importing_is_quick_and_brings_nothing_heavy() -> None:
    heavy = "pyarrow polars pandas duckdb asyncio logging concurrent.futures"
    program = f"""
import sys, time
begun = time.process_time()
import carelock
took = time.process_time() - begun
print(took, [name for name in "{heavy}".split() if name in sys.modules])
"""
    times: list[float] = []
    # The quickest of many: beside other work any single one may be slow.
    for _ in range(20):
        took, loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split(" ", 1)
        assert loaded.strip() == "[]"
        times.append(float(took))
        if len(times) >= 3 and min(times) < IMPORT_LIMIT:
            break
    assert min(times) < IMPORT_LIMIT, times
