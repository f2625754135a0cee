"""DeepEval: a metric for conversations."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Unpack

from deepeval.metrics import BaseConversationalMetric  # type: ignore[import-not-found, unused-ignore]

from .evaluator import Evaluator, JudgeOptions
from .report import Report
from .thresholds import scores, shortfalls

if TYPE_CHECKING:
    from deepeval.test_case import ConversationalTestCase  # type: ignore[import-not-found, unused-ignore]


class CareLockMetric(BaseConversationalMetric):  # type: ignore[misc, unused-ignore]
    """The overall score of a conversation. It succeeds where the score reaches `threshold` and no gate is tripped.

    `report` is the whole report, `score_breakdown` has the score of each metric. A conversation without an overall score has
    `error` set and no score; it does not succeed.
    """

    def __init__(self, threshold: float = 0.8, *, fail_on_gate: bool = True, **options: Unpack[JudgeOptions]) -> None:
        self.threshold = threshold
        self.fail_on_gate = fail_on_gate
        self.report: Report | None = None
        self._options = options
        self._evaluator = Evaluator(**options)

    def measure(self, test_case: ConversationalTestCase, *args: Any, **kwargs: Any) -> float | None:
        """Judges a conversation."""
        turns = [{"role": turn.role, "content": turn.content} for turn in test_case.turns]
        with self._evaluator as evaluator:
            report = evaluator.evaluate(turns, id=test_case.name)
        found = shortfalls(report, fail_on_gate=self.fail_on_gate, min_overall=self.threshold)
        self.report, self.score, self.success = report, report.overall, not found
        self.error = None if report.overall is not None else f"there is no overall score: {report.undetermined}"
        self.reason = "; ".join(found) or report.summary
        self.score_breakdown = scores(report)
        return report.overall

    async def a_measure(self, test_case: ConversationalTestCase, *args: Any, **kwargs: Any) -> float | None:
        """Judges a conversation while others are judged."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        """Whether the conversation that was judged last passed."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "Care-Lock"
