"""Figures over many chats: how far raters agree, and how runs differ."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, cast

from . import _native
from .chats import Path, threads
from .report import Report

Rater: TypeAlias = "Path | Iterable[Report]"
"""Labels, rating sheets or reports in a file or folder, the name of a run, or reports."""


class Figures:
    """Figures with their intervals. Printed, they read as the command shows them."""

    __slots__ = ("_json", "_markdown", "_text")

    def __init__(self, shown: tuple[str, str, str]) -> None:
        self._json, self._text, self._markdown = shown

    def to_dict(self) -> dict[str, Any]:
        """Everything, in the shape of the JSON."""
        return cast("dict[str, Any]", json.loads(self._json))

    def to_json(self) -> str:
        """Byte by byte what the command writes with `--format json`."""
        return self._json

    def to_markdown(self) -> str:
        """Byte by byte what the command writes with `--format md`."""
        return self._markdown

    def _repr_markdown_(self) -> str:
        return self._markdown

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Figures {self.to_dict()['schema']}>"


def agreement(
    labels: Rater,
    *raters: Rater,
    by: Literal["check", "metric", "source"] | None = None,
    worst: int = 10,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int | None = None,
    db: str | None = None,
    rubric: Path | None = None,
) -> Figures:
    """How far raters agree with `labels`: `carelock agree` as a function."""
    settings = _settings(confidence, resamples, seed, worst, db, rubric)
    with _named([labels, *raters]) as names:
        return Figures(_native.agreement(names, by, settings, threads(None)))


def compare(
    *sides: Rater,
    by: Literal["group"] | None = None,
    changes: int = 10,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int | None = None,
    db: str | None = None,
    rubric: Path | None = None,
) -> Figures:
    """How reports or runs differ from the first of them: `carelock compare` as a function."""
    settings = _settings(confidence, resamples, seed, changes, db, rubric)
    with _named(sides) as names:
        return Figures(_native.compare(names, by == "group", settings, threads(None)))


def _settings(
    confidence: float, resamples: int, seed: int | None, listed: int, db: str | None, rubric: Path | None
) -> _native.FigureSettings:
    return {
        "confidence": confidence,
        "resamples": resamples,
        "seed": seed,
        "listed": listed,
        "database": db,
        "rubric": None if rubric is None else os.fspath(rubric),
    }


@contextmanager
def _named(raters: Sequence[Rater]) -> Iterator[list[str]]:
    """Raters by name; reports are written into files for as long as they are needed."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="carelock-") as folder:
        names = []
        for number, rater in enumerate(raters, 1):
            if isinstance(rater, (str, os.PathLike)):
                names.append(os.fspath(rater))
                continue
            path = os.path.join(folder, f"reports-{number}.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(report.render("jsonl") for report in rater)
            names.append(path)
        yield names
