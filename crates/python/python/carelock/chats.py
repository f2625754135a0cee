"""Chats: from files, text, messages and turns."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, Unpack

from . import _native
from .errors import CareLockError


Path: TypeAlias = "str | os.PathLike[str]"

ChatLike: TypeAlias = "Chat | Path | Mapping[str, object] | Sequence[object]"
"""What can be judged: a `Chat`, a path, a chat as text, a list of messages or turns, or a record that holds one.

A `str` with a line break, or one that begins with a bracket, is a chat; any other `str` is a path. A message is a mapping with
`role` and `content` or with `speaker` and `text`, a pair of both, or an object that has them as attributes, as clients of
OpenAI and Anthropic give it.
"""


class ReadOptions(TypedDict, total=False):
    """How chats are read. Labels are needed only where it is not clear who is who."""

    human: Sequence[str]
    """Labels that mean the person."""
    ai: Sequence[str]
    """Labels that mean the AI."""
    other: Sequence[str]
    """Labels of third parties, whose words are kept as context."""
    ignore_speaker: Sequence[str]
    """Labels whose messages are left out."""
    not_a_speaker: Sequence[str]
    """Words before a colon that are nobody's label."""
    format: Literal["text", "markdown", "messenger", "table"]
    """The text format, where the looks of a chat deceive."""
    max_size: int
    """The largest file that is read, in MiB; 256 without it."""


class Turn(NamedTuple):
    """One message of a chat."""

    idx: int
    """Its number, counted from 1."""
    speaker: Literal["HUMAN", "AI"]
    """Who said it."""
    text: str
    """What was said."""


class Chat:
    """A chat as it was understood.

    >>> import carelock
    >>> chat = carelock.parse("Human: I feel low.\\nAI: I'm sorry to hear that. What happened?")
    >>> [turn.speaker for turn in chat.turns]
    ['HUMAN', 'AI']
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Chat) -> None:
        self._native = native

    @property
    def id(self) -> str:
        """What reports call it."""
        return self._native.id

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Its messages in order."""
        return tuple(Turn(*turn) for turn in self._native.turns())

    @property
    def digest(self) -> str:
        """Its identity: the same for the same turns, whatever the chat is called."""
        return self._native.digest

    @property
    def dropped(self) -> dict[str, int]:
        """What was in it but is no turn, such as system messages, counted."""
        return dict(self._native.dropped())

    @property
    def origin(self) -> str:
        """The file it came from, and where in it."""
        return self._native.origin

    def __repr__(self) -> str:
        return f"<Chat {self.id!r}, {len(self._native.turns())} turns>"

    def __reduce__(self) -> tuple[object, ...]:
        turns = [{"speaker": speaker, "text": text} for _, speaker, text in self._native.turns()]
        return _from_record, (json.dumps({"id": self.id, "turns": turns}),)


def read(path: Path, **options: Unpack[ReadOptions]) -> Chat:
    """Reads the one chat in a file, in any format that Care-Lock knows; the format is found by looking at the content."""
    chats = list(read_all(path, **options))
    if len(chats) != 1:
        raise CareLockError(os.fspath(path), f"holds {len(chats)} chats, this is for one", "use read_all")
    return chats[0]


def read_all(path: Path | Iterable[Path], **options: Unpack[ReadOptions]) -> Iterator[Chat]:
    """Reads all chats in files, folders or patterns such as `chats/*.jsonl`, a little at a time and in order.

    A chat that cannot be read raises `CareLockError`, and the next one can still be asked for.
    """
    return _Chats(_native.ChatReader(_paths(path), _reading(options), threads(None)))


class _Chats(Iterator[Chat]):
    def __init__(self, reader: _native.ChatReader) -> None:
        self._reader = reader

    def __next__(self) -> Chat:
        chat = next(self._reader)
        if isinstance(chat, CareLockError):
            raise chat
        return Chat(chat)


def parse(text: str | bytes, *, id: str | None = None, **options: Unpack[ReadOptions]) -> Chat:
    """Reads the one chat in a text, in any format that `read` knows."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    chats = _native.parse(id or "chat", data, _reading(options))
    if len(chats) != 1:
        raise CareLockError("", f"there are {len(chats)} chats in this text", "give one chat; read_all takes files with several")
    chat = chats[0]
    if isinstance(chat, CareLockError):
        raise chat
    return Chat(chat.with_id(id) if id is not None and chat.id != id else chat)


def to_chat(chat: ChatLike, id: str | None, options: ReadOptions) -> Chat:
    """Understands anything that can be judged."""
    if isinstance(chat, Chat):
        return chat if id is None else Chat(chat._native.with_id(id))
    if isinstance(chat, (bytes, bytearray)):
        return parse(bytes(chat), id=id, **options)
    if isinstance(chat, str) and _is_text(chat):
        return parse(chat, id=id, **options)
    if isinstance(chat, (str, os.PathLike)):
        found = read(chat, **options)
        return found if id is None else Chat(found._native.with_id(id))
    record = dict(chat) if isinstance(chat, Mapping) else _record(chat)
    if id is not None:
        record["id"] = id
    try:
        text = json.dumps(record, default=_plain)
    except (TypeError, ValueError) as error:
        raise CareLockError("", f"the chat cannot be written as JSON: {error}", "give messages as dictionaries") from None
    return Chat(_native.from_json(id or "chat", text.encode(), _reading(options)))


def threads(wanted: int | None) -> int:
    """How many threads are used: as many as there are processors for this process unless something else is said."""
    if wanted is not None:
        if wanted < 1:
            raise CareLockError("threads", f"{wanted} is too few", "give a number from 1")
        return wanted
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_text(text: str) -> bool:
    return "\n" in text or text.lstrip()[:1] in ("{", "[")


def _record(messages: object) -> dict[str, Any]:
    if not isinstance(messages, Iterable):
        raise CareLockError("", f"a {type(messages).__name__} is no chat", "give messages, turns, text or a path")
    turns = [_message(message) for message in messages]
    by_speaker = bool(turns) and "speaker" in turns[0]
    return {"turns" if by_speaker else "messages": turns}


def _message(message: object) -> dict[str, Any]:
    if isinstance(message, Mapping):
        return dict(message)
    if isinstance(message, Turn):
        return {"speaker": message.speaker, "text": message.text}
    if isinstance(message, (tuple, list)) and len(message) == 2:
        return {"role": message[0], "content": message[1]}
    try:
        plain = _plain(message)
    except TypeError:
        plain = None
    if isinstance(plain, dict):
        return plain
    raise CareLockError("", f"a {type(message).__name__} is no message", "give dictionaries with role and content")


def _plain(value: object) -> object:
    """An object of a client library as a dictionary."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump()
    fields = {name: getattr(value, name) for name in ("role", "content", "speaker", "text") if hasattr(value, name)}
    if fields:
        return fields
    raise TypeError(f"{type(value).__name__} is no part of a chat")


def _paths(path: Path | Iterable[Path]) -> list[str]:
    if isinstance(path, (str, os.PathLike)):
        return [os.fspath(path)]
    return [os.fspath(one) for one in path]


def _reading(options: ReadOptions) -> _native.Reading:
    unknown = set(options) - set(ReadOptions.__annotations__)
    if unknown:
        raise TypeError(f"unexpected keyword argument {sorted(unknown)[0]!r}")
    return {
        "human": list(options.get("human", ())),
        "ai": list(options.get("ai", ())),
        "other": list(options.get("other", ())),
        "ignore_speaker": list(options.get("ignore_speaker", ())),
        "not_a_speaker": list(options.get("not_a_speaker", ())),
        "format": options.get("format"),
        "max_size": options.get("max_size"),
    }


def _from_record(text: str) -> Chat:
    return Chat(_native.from_json("chat", text.encode(), _reading({})))
