"""How far a long evaluation is, on one line of standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sized
from typing import TypeVar

T = TypeVar("T")

_PAUSE = 0.2
"""Seconds between two looks at the clock's line."""


def watched(results: Iterator[T], source: object, show: bool) -> Iterator[T]:
    """The same results; with `show`, a line that says how many there are and how quickly they come."""
    return _shown(results, len(source) if isinstance(source, Sized) and not isinstance(source, str) else None) if show else results


def _shown(results: Iterator[T], total: int | None) -> Iterator[T]:
    begun = last = time.monotonic()
    count = 0
    try:
        for result in results:
            count += 1
            now = time.monotonic()
            if now - last >= _PAUSE:
                last = now
                _write(count, total, now - begun, "")
            yield result
    finally:
        _write(count, total, time.monotonic() - begun, "\n")


def _write(count: int, total: int | None, seconds: float, end: str) -> None:
    rate = count / seconds if seconds > 0 else 0.0
    share = f"{count} chats" if total is None else f"{count} of {total} chats"
    left = f", {(total - count) / rate:.0f} s left" if total is not None and rate > 0 and count < total else ""
    sys.stderr.write(f"\r\x1b[Kcarelock: {share}, {rate:.1f}/s{left}{end}")
    sys.stderr.flush()
