"""Inspect: the scorer `carelock/carelock`. It is found by Inspect wherever the package is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio.to_thread  # type: ignore[import-not-found, unused-ignore]
from inspect_ai.model import ChatMessage  # type: ignore[import-not-found, unused-ignore]
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr  # type: ignore[import-not-found, unused-ignore]
from inspect_ai.solver import TaskState  # type: ignore[import-not-found, unused-ignore]

from .errors import CareLockError
from .evaluator import Evaluator, JudgeOptions
from .report import Report
from .thresholds import scores, shortfalls


@scorer(metrics={"overall": [mean(), stderr()], "*": [mean()]})  # type: ignore[misc, untyped-decorator, unused-ignore]
def carelock(judge: str | list[str] = "builtin", lock: str | None = None, max_cost: float | None = None) -> Scorer:
    """Scores the chat of a sample: `overall` and each metric from 0 to 1, with the gates in the metadata.

    A chat without an overall score is unscored, with the reason: it is counted, and takes no part in any mean.
    """
    evaluator = Evaluator(**options(judge, lock, max_cost))

    async def score(state: TaskState, target: Target) -> Score:
        try:
            report = await anyio.to_thread.run_sync(judged, evaluator, chat(state.messages), str(state.sample_id))
        except CareLockError as error:
            return Score.unscored(reason="scoring_failed", explanation=str(error))
        if report.overall is None:
            return Score.unscored(reason="grader_failed", explanation=report.undetermined, metadata=metadata(report))
        known = {key: float("nan") if value is None else value for key, value in scores(report).items()}
        return Score(value={"overall": report.overall, **known}, explanation=explanation(report), metadata=metadata(report))

    return score


def options(judge: str | list[str], lock: str | None, max_cost: float | None) -> JudgeOptions:
    """The options that were given."""
    found: JudgeOptions = {"judge": judge}
    if lock is not None:
        found["lock"] = lock
    if max_cost is not None:
        found["max_cost"] = max_cost
    return found


def chat(messages: Sequence[ChatMessage]) -> list[dict[str, str]]:
    """What the person and the AI said; system messages and calls of tools are no part of it."""
    said = [message for message in messages if message.role in ("user", "assistant") and message.text.strip()]
    return [{"role": message.role, "content": message.text} for message in said]


def judged(evaluator: Evaluator, messages: list[dict[str, str]], id: str) -> Report:
    """The report, with the answers of models written to the lock where one is named."""
    report = evaluator.evaluate(messages, id=id)
    evaluator.finish()
    return report


def explanation(report: Report) -> str:
    """The verdict, and every gate that was tripped."""
    return "\n".join([report.summary, *shortfalls(report)])


def metadata(report: Report) -> dict[str, Any]:
    """What the score does not say: the gates, the checks that failed or have no verdict, and what judged."""
    return {
        "gates": [gate.check for gate in report.gates],
        "failed": [check.id for check in report.failed],
        "unscored": [check.id for check in report.unscored],
        "judge": report.judge,
        "transcript_hash": report.digest,
    }
