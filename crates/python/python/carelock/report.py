"""Reports, their parts, and checking them again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple, cast

from . import _native
from .chats import Turn

Format = Literal["json", "jsonl", "text", "md", "csv", "junit", "html"]


class Check(NamedTuple):
    """One check of a report."""

    id: str
    """Its id in the rubric, such as `E1`."""
    metric: str
    """The metric it belongs to."""
    passed: bool | None
    """Met or not met; `None` where there is no verdict."""
    unscored: str | None
    """Why there is no verdict."""
    basis: str | None
    """What the verdict rests on: `observed`, `absent` or `not_triggered`."""
    turns: tuple[int, ...]
    """The turns cited."""
    quote: str | None
    """Words that stand in one of them."""
    why: str
    """The reason."""
    confidence: str | None
    """How sure the judge is: `high`, `medium` or `low`."""


class Metric(NamedTuple):
    """One metric of a report."""

    key: str
    """Its key in the rubric, such as `Empathy`."""
    score: float | None
    """The score; `None` where a check is unscored."""
    tier: str | None
    """The tier's name."""
    why: str
    """Why, in a few words."""
    checks: tuple[Check, ...]
    """Its checks in the rubric's order."""


class Gate(NamedTuple):
    """A safety gate that was tripped."""

    metric: str
    """The metric that became 0."""
    check: str
    """The check that tripped it."""
    says: str
    """What the AI did, in words that complete "The AI …"."""
    turns: tuple[int, ...]
    """The turns cited."""
    quote: str | None
    """Words from one of them."""
    why: str
    """The judge's reason."""


class Moment(NamedTuple):
    """A turn that matters."""

    id: int
    idx: int
    """The number of the turn."""
    speaker: Literal["HUMAN", "AI"]
    quote: str
    why: str


class Highlight(NamedTuple):
    """What went well or wrong in a moment."""

    moment: int
    """The id of the moment."""
    why: str
    better: str | None
    """What would have been better."""


class Verification(NamedTuple):
    """What became of every claim of a report that was checked again."""

    holds: bool
    """Whether every number was derived again and every quote was found."""
    conclusion: Literal["holds", "does_not_hold", "not_verifiable"]
    failing: tuple[str, ...]
    """What does not hold, each with the reason."""
    points: int
    """How many claims were looked at."""


class Report:
    """One judge's or one panel's report on one chat.

    A notebook shows it as a page with the chat and all evidence.
    """

    def __init__(self, native: _native.Report) -> None:
        self._native = native

    @classmethod
    def from_json(cls, text: str, *, rubric: str | None = None) -> Report:
        """Reads a report that `to_json` or the command has written; `rubric` is the text of its rubric where it is your own."""
        return cls(_native.Report.from_json(text, rubric))

    @cached_property
    def _data(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self._native.render("jsonl")))

    @property
    def id(self) -> str:
        """The chat's id."""
        return str(self._data["transcript"]["id"])

    @property
    def digest(self) -> str:
        """The chat's identity: the same for the same turns."""
        return str(self._data["transcript"]["hash"])

    @property
    def overall(self) -> float | None:
        """The overall score from 0 to 1; `None` where it is undetermined."""
        return cast("float | None", self._data["overall"])

    @property
    def undetermined(self) -> str | None:
        """Why there is no overall score."""
        return cast("str | None", self._data.get("undetermined"))

    @property
    def overall_partial(self) -> float | None:
        """The mean of the metrics that have a score, where others have none."""
        return cast("float | None", self._data.get("overall_partial"))

    @property
    def overall_ungated(self) -> float | None:
        """What the overall score would be without any gate, where one was tripped."""
        return cast("float | None", self._data.get("overall_ungated"))

    @property
    def coverage(self) -> float:
        """The share of checks that have a verdict."""
        return float(self._data["coverage"])

    @property
    def summary(self) -> str:
        """The verdict in one sentence."""
        return str(self._data["summary"])

    @property
    def judge(self) -> str:
        """Who judged."""
        return str(self._data["judge"]["name"])

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """The gates that were tripped."""
        return tuple(map(_gate, self._data["gates"]))

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics by key, in the rubric's order."""
        return {key: _metric(key, metric) for key, metric in self._data["metrics"].items()}

    @cached_property
    def checks(self) -> Mapping[str, Check]:
        """All checks by id, in the rubric's order."""
        return {check.id: check for metric in self.metrics.values() for check in metric.checks}

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The chat, turn by turn."""
        return tuple(Turn(turn["idx"], turn["speaker"], turn["text"]) for turn in self._data["turns"])

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """The turns that matter."""
        return tuple(Moment(m["id"], m["idx"], m["speaker"], m["quote"], m["why"]) for m in self._data["moments"])

    @cached_property
    def positive(self) -> tuple[Highlight, ...]:
        """What went well."""
        return tuple(map(_highlight, self._data["positive"]))

    @cached_property
    def negative(self) -> tuple[Highlight, ...]:
        """What went wrong, and what would have been better."""
        return tuple(map(_highlight, self._data["negative"]))

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that are not met."""
        return tuple(check for check in self.checks.values() if check.passed is False)

    @property
    def unscored(self) -> tuple[Check, ...]:
        """The checks without a verdict, each with the reason."""
        return tuple(check for check in self.checks.values() if check.passed is None)

    def to_dict(self) -> dict[str, Any]:
        """Everything, in the shape of the JSON (`carelock schema report` describes it)."""
        return cast("dict[str, Any]", json.loads(self._native.render("jsonl")))

    def to_json(self) -> str:
        """The report byte by byte as `carelock eval --format json` writes it."""
        return self._native.render("json")

    def render(self, format: Format) -> str:
        """The report as `carelock eval --format FORMAT` writes it to a file."""
        if format not in ("json", "jsonl", "text", "md", "csv", "junit", "html"):
            from .errors import CareLockError

            raise CareLockError("format", f"there is no {format!r}", "use json, jsonl, text, md, csv, junit or html")
        return self._native.render(format)

    def verify(self) -> Verification:
        """Derives every number again, looks every quote up, and asks the embedded judge again where it answered."""
        return verify(self.to_json(), rubric=self._native.other_rubric())

    def _repr_html_(self) -> str:
        # In a frame: the page brings its own style, which must not reach the rest of a notebook.
        import html

        page = html.escape(self._native.render("html"), quote=True)
        return f'<iframe srcdoc="{page}" sandbox="" width="100%" height="640" style="border:0" title="Care-Lock report"></iframe>'

    def __repr__(self) -> str:
        score = "undetermined" if self.overall is None else f"{self.overall:.2f}"
        gates = "".join(f", gate {gate.check}" for gate in self.gates)
        return f"<Report {self.id!r}: {score}{gates}>"

    def __str__(self) -> str:
        return self._native.render("text")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._native.render("jsonl") == other._native.render("jsonl")

    def __hash__(self) -> int:
        return hash(self._native.render("jsonl"))

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self._native.render("jsonl"), self._native.other_rubric())


def verify(report: str | Report, *, rubric: str | None = None) -> Verification:
    """Checks a report in JSON again: `carelock verify` as a function."""
    if isinstance(report, Report):
        return report.verify()
    told = json.loads(_native.verify(report, rubric))
    failing = [point for point in told["points"] if point["outcome"] == "does_not_hold"]
    reasons = tuple(f"{point['what']}: {point['detail']}" for point in failing)
    return Verification(told["holds"], told["conclusion"], reasons, len(told["points"]))


def rubric(text: str | None = None) -> dict[str, Any]:
    """The rubric with its metrics, checks, tiers and gates; your own where its text (TOML or JSON) is given.

    >>> import carelock
    >>> len(carelock.rubric()["metric"])
    10
    """
    return cast("dict[str, Any]", json.loads(_native.rubric(text)))


def _restore(text: str, rubric: str | None) -> Report:
    return Report.from_json(text, rubric=rubric)


def _metric(key: str, metric: Mapping[str, Any]) -> Metric:
    checks = tuple(_check(id, key, check) for id, check in metric["checks"].items())
    return Metric(key, metric["score"], metric["tier"], metric["why"], checks)


def _check(id: str, metric: str, check: Mapping[str, Any]) -> Check:
    return Check(
        id=id,
        metric=metric,
        passed=check["pass"],
        unscored=check.get("unscored"),
        basis=check.get("basis"),
        turns=tuple(check.get("turns", ())),
        quote=check.get("quote"),
        why=check.get("why", ""),
        confidence=check.get("confidence"),
    )


def _gate(gate: Mapping[str, Any]) -> Gate:
    return Gate(gate["metric"], gate["check"], gate["says"], tuple(gate["turns"]), gate.get("quote"), gate["why"])


def _highlight(highlight: Mapping[str, Any]) -> Highlight:
    return Highlight(highlight["id"], highlight["why"], highlight.get("better"))
