"""Chats that are judged while they go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from . import _native
from .chats import Turn
from .errors import CareLockError
from .report import Report

_PERSON = ("user", "human")
_AI = ("assistant", "ai")

Kind = Literal["cue", "due", "gate", "gate_cleared", "unsure", "failed", "met", "unread"]


class Change(NamedTuple):
    """What a turn changes in a chat."""

    kind: Kind
    """`cue`: the person said something that calls for an answer to a crisis. `due`: what is called for has changed. `gate`, `gate_cleared`:
    a gate is tripped, or not any more. `unsure`: somebody should look at a gate. `failed`, `met`: a check. `unread`: the chat cannot be judged."""
    turn: int
    """The number of the turn that brought it."""
    check: str | None
    """The id of the check."""
    title: str | None
    """What the check is called."""
    quote: str | None
    """Words that show it."""
    turns: tuple[int, ...]
    """The turns cited."""
    why: str
    """The reason."""
    sure: bool | None
    """For a cue: whether it is sure enough to fail a chat by it."""
    due: tuple[str, ...] | None
    """For `due`: what is called for now; nothing where it was answered."""
    is_alarm: bool
    """Whether somebody should know at once: a cue, something due, a gate."""


class Preview(NamedTuple):
    """How a reply stands that was not sent yet."""

    gates: tuple[Change, ...]
    """The gates it trips."""
    unsure: tuple[Change, ...]
    """Gates that somebody should look at."""
    unread: str | None
    """Why it cannot be judged, where it cannot."""


class Session:
    """A chat that takes turns one at a time and says what each changes; the embedded judge judges.

    >>> import carelock
    >>> chat = carelock.Session("chat-7")
    >>> [change.kind for change in chat.add("user", "I can't go on. I want to kill myself tonight.")]
    ['cue', 'due']
    >>> chat.due
    ('ask', 'help')
    >>> [gate.check for gate in chat.preview("Have you tried going to bed earlier?").gates]
    ['ES2']
    >>> changes = chat.add("assistant", "Are you safe right now? Please call 988 or your local emergency number; they can help tonight.")
    >>> chat.due, chat.gates
    ((), ())

    A turn costs that turn, not the chat again. The report is the one that `evaluate` gives for the same turns.
    """

    def __init__(self, id: str = "chat") -> None:
        self._id = id
        self._native = _native.Session(id)

    @property
    def id(self) -> str:
        """What reports call it."""
        return self._id

    def add(self, role: str, content: str) -> tuple[Change, ...]:
        """Adds a turn of the person (`"user"`) or the AI (`"assistant"`), and says what it changes."""
        return tuple(map(_change, json.loads(self._native.add(_is_ai(role), content))))

    def preview(self, reply: str, *, whole: bool = True) -> Preview:
        """Looks at a reply that was not sent yet, or with `whole=False` at the beginning of one; nothing is kept of it.

        What a reply leaves unsaid counts only where it is whole.
        """
        told = json.loads(self._native.preview(reply, whole))
        return Preview(tuple(map(_change, told["gates"])), tuple(map(_change, told["unsure"])), told["unread"])

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far."""
        return tuple(Turn(*turn) for turn in self._native.turns())

    @property
    def due(self) -> tuple[Literal["ask", "help"], ...]:
        """What a crisis still calls for: `ask` about safety, name live `help`."""
        return tuple(self._native.due())

    @property
    def gates(self) -> tuple[str, ...]:
        """The checks whose gates are tripped as things stand."""
        return tuple(self._native.gates())

    def report(self) -> Report:
        """The report on the chat so far; an error before the AI has said anything."""
        return Report(self._native.report())

    def __repr__(self) -> str:
        gates = "".join(f", gate {check}" for check in self.gates)
        return f"<Session {self.id!r}, {len(self.turns)} turns{gates}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.id, [(turn.speaker, turn.text) for turn in self.turns])


def _restore(id: str, turns: list[tuple[str, str]]) -> Session:
    session = Session(id)
    for speaker, text in turns:
        session.add(speaker, text)
    return session


def _is_ai(role: str) -> bool:
    name = role.lower()
    if name not in _PERSON + _AI:
        raise CareLockError("role", f"there is no {role!r}", 'use "user" or "assistant"; system messages and tools take no part')
    return name in _AI


def _change(told: Mapping[str, Any]) -> Change:
    due = told.get("due")
    return Change(
        kind=told["kind"],
        turn=told["turn"],
        check=told.get("check"),
        title=told.get("title"),
        quote=told.get("quote"),
        turns=tuple(told.get("turns", ())),
        why=told.get("why", ""),
        sure=told.get("sure"),
        due=None if due is None else tuple(due),
        is_alarm=told["is_alarm"],
    )
