"""Scout: a scanner that judges every transcript of a scan."""

from __future__ import annotations

import anyio.to_thread  # type: ignore[import-not-found, unused-ignore]
from inspect_scout import Reference, Result, Scanner, Transcript, scanner  # type: ignore[import-not-found, unused-ignore]

from .evaluator import Evaluator
from .inspect_scorer import chat, explanation, judged, metadata, options
from .report import Report
from .thresholds import scores


@scanner(messages=["user", "assistant"])  # type: ignore[misc, untyped-decorator, unused-ignore]
def carelock(judge: str | list[str] = "builtin", lock: str | None = None, max_cost: float | None = None) -> Scanner[Transcript]:
    """The overall score of each transcript, with references to the messages that tripped a gate.

    The value is null where there is no overall score; the explanation says why. A transcript that cannot be judged is an error
    of the scan.
    """
    evaluator = Evaluator(**options(judge, lock, max_cost))

    async def scan(transcript: Transcript) -> Result:
        messages = chat(transcript.messages)
        report = await anyio.to_thread.run_sync(judged, evaluator, messages, transcript.transcript_id)
        return Result(
            value=report.overall,
            answer=", ".join(gate.check for gate in report.gates) or None,
            explanation=explanation(report) if report.overall is not None else report.undetermined,
            metadata={**metadata(report), "metrics": scores(report)},
            references=_references(report, transcript),
        )

    return scan


def _references(report: Report, transcript: Transcript) -> list[Reference]:
    """The messages that tripped a gate, found by what was said in the turn."""
    said = {turn.text: turn.idx for turn in report.turns}
    cited = {turn for gate in report.gates for turn in gate.turns}
    found = [message for message in transcript.messages if said.get(message.text.strip()) in cited]
    return [Reference(type="message", id=message.id) for message in found if message.id]
