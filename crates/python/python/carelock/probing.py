"""Simulated users talk with a bot that is a Python function."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from .chats import Path
from .errors import CareLockError
from .report import Report

if TYPE_CHECKING:
    import pathlib

Bot: TypeAlias = "Callable[[list[dict[str, str]]], str]"
"""A bot: it gets all messages so far, each with `role` and `content`, and returns its reply."""

_UNSCORED = 3


class Probe:
    """What a probe showed."""

    def __init__(self, text: str, coverage: dict[str, Any], reports: tuple[Report, ...]) -> None:
        self._text = text
        self._coverage = coverage
        self.reports = reports
        """The reports on the chats that could be judged."""

    @property
    def overall(self) -> float | None:
        """The mean overall score; `None` where no chat has one."""
        mean: float | None = self._coverage["overall"]["mean"]
        return mean

    @property
    def gates(self) -> dict[str, int]:
        """In how many chats each gate was tripped."""
        return dict(self._coverage["gates"])

    @property
    def false_alarms(self) -> tuple[str, ...]:
        """Chats without any danger in which the bot treated the person as being in danger."""
        return tuple(self._coverage["false_alarms"])

    @property
    def unscored(self) -> dict[str, str]:
        """Chats that say nothing about the bot, with the reason."""
        return dict(self._coverage["unscored"])

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `carelock probe --coverage FILE.json` writes it."""
        return dict(self._coverage)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        score = "no score" if self.overall is None else f"{self.overall:.2f}"
        return f"<Probe of {self._coverage['conversations']} chats: {score}, gates in {sum(self.gates.values())}>"


def probe(
    bot: Bot | str,
    *,
    personas: Sequence[Path] = (),
    only: Sequence[str] = (),
    turns: int = 12,
    repeat: int = 1,
    seed: int = 7,
    judge: str | Sequence[str] = (),
    user: str | None = None,
    max_cost: float | None = None,
    timeout: int | None = None,
    threads: int = 1,
    name: str = "probe",
    db: Path | None = None,
) -> Probe:
    """Lets simulated users talk with a bot and judges the chats, as `carelock probe` does.

    `bot` is a function that gets the messages so far and returns its reply, or what the command takes after `--bot`. A function that raises ends the
    probe with its exception. It is called by one thread at a time unless `threads` says more. `db` keeps the run, under `name`, for `carelock
    show` and the others; without it nothing is kept but what is returned.
    """
    import pathlib
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory(prefix="carelock-") as place, _served(bot, pathlib.Path(place), threads) as (address, failures):
        text, data, reports = (pathlib.Path(place) / file for file in ("probe.txt", "probe.json", "reports.jsonl"))
        several: dict[str, Sequence[object]] = {
            "--personas": [os.fspath(path) for path in personas],
            "--only": only,
            "--judge": [judge] if isinstance(judge, str) else judge,
            "--user": [user] if user else [],
            "--max-cost": [] if max_cost is None else [max_cost],
            "--timeout": [] if timeout is None else [timeout],
            "--coverage": [text, data],
            "--output": [reports],
        }
        once = {"--turns": turns, "--repeat": repeat, "--seed": seed, "--concurrency": threads, "--name": name}
        database = os.fspath(db) if db is not None else os.path.join(place, "runs.db")
        command = [sys.executable, "-m", "carelock", "probe", "--bot", address, "--db", database]
        command += [str(part) for option, value in once.items() for part in (option, value)]
        command += [str(part) for option, values in several.items() for value in values for part in (option, value)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
        if failures:
            raise failures[0]
        if done.returncode not in (0, _UNSCORED) or not data.exists():
            raise CareLockError("probe", done.stderr.strip().removeprefix("error: "), "see `carelock probe --help`")
        lines = reports.read_text(encoding="utf-8").splitlines() if reports.exists() else []
        shown = json.loads(data.read_text(encoding="utf-8"))
        return Probe(text.read_text(encoding="utf-8"), shown, tuple(map(Report.from_json, lines)))


@contextmanager
def _served(bot: Bot | str, place: pathlib.Path, threads: int) -> Iterator[tuple[str, list[BaseException]]]:
    """The bot as the command takes it, and what it raised."""
    failures: list[BaseException] = []
    if isinstance(bot, str):
        yield bot, failures
        return
    import threading
    from http.server import ThreadingHTTPServer

    free = threading.Semaphore(threads)

    def reply(messages: list[dict[str, str]]) -> str | None:
        try:
            with free:
                said = bot(messages)
            if not isinstance(said, str):
                raise TypeError(f"the bot returned a {type(said).__name__}, not its reply as str")
            return said
        except BaseException as error:
            failures.append(error)
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(reply)) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            path = place / "function.toml"
            address = json.dumps(f"http://127.0.0.1:{server.server_address[1]}/")
            path.write_text(f'url = {address}\nbody = {{ messages = "{{messages}}" }}\nreply = "/reply"\n', encoding="utf-8")
            yield str(path), failures
        finally:
            server.shutdown()


def _handler(reply: Callable[[list[dict[str, str]]], str | None]) -> type[Any]:
    from http.server import BaseHTTPRequestHandler

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = reply(asked["messages"])
            body = json.dumps({"reply": said}).encode()
            # 403 ends the probe at once; what the bot raised is raised in its place.
            self.send_response(200 if said is not None else 403)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
