"""A program as a user writes it: type checkers must know every type in it. A test runs it too."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import carelock


def judge(prompt: carelock.Prompt, schema: dict[str, Any]) -> Mapping[str, Any]:
    """A judge that always fails."""
    raise RuntimeError(f"no answer to {len(prompt.messages)} messages and {len(schema)} keys")


def one() -> float | None:
    """One chat."""
    messages = [{"role": "user", "content": "I feel low."}, {"role": "assistant", "content": "What happened?"}]
    report = carelock.evaluate(messages, id="monday", judge=["builtin", judge], gate_policy="majority")
    for gate in report.gates:
        name: str = gate.check
        print(name, gate.quote)
    check: carelock.Check = report.checks["E1"]
    passed: bool | None = check.passed
    print(passed, check.why, report.verify().holds, report.turns[0].speaker)
    return report.overall


def many() -> list[str]:
    """Many chats, and the errors of those that are none."""
    lines: list[str] = []
    chats: list[carelock.ChatLike] = ["Human: I feel low.\nAI: What happened?", [("user", "Hello?")]]
    for outcome in carelock.evaluate_many(chats, threads=2, errors="return"):
        if isinstance(outcome, carelock.CareLockError):
            lines.append(f"{outcome.at}: {outcome.what} ({outcome.fix})")
        else:
            lines.append(outcome.summary)
    return lines


def live() -> tuple[str, ...]:
    """A chat that goes on, and a bot that is a function."""
    session = carelock.Session("live")
    changes: tuple[carelock.Change, ...] = session.add("user", "I feel low.")
    preview: carelock.Preview = session.preview("What happened?")
    print([change.kind for change in changes], preview.unread, session.turns)

    def bot(messages: list[dict[str, str]]) -> str:
        return f"What happened? That was message {len(messages)}."

    shown: carelock.Probe = carelock.probe(bot, only=["night-shift"], turns=1)
    print(shown.overall, shown.reports[0].summary)
    return session.gates


async def later() -> carelock.Report:
    """One chat in async code."""
    return await carelock.evaluate_async("Human: I feel low.\nAI: What happened?", weights={"Empathy": 2})


if __name__ == "__main__":
    print(one(), many(), live(), asyncio.run(later()).id)
