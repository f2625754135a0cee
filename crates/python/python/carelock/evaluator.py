"""From chats to reports: one, many, or while something else goes on."""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, Unpack, overload

from . import _native
from .chats import Chat, ChatLike, Path, ReadOptions, read_all, threads, to_chat
from .errors import CareLockError
from .progress import watched
from .report import Report

if TYPE_CHECKING:
    from .tables import ArrowArray, ArrowStream, Table


class Prompt(str):
    """What a judge is asked: the whole text, and as `messages` the same in the form that chat APIs take."""

    messages: list[dict[str, str]]
    """The messages, each with `role` and `content`."""


class JudgeFunction(Protocol):
    """A function that judges: it gets the prompt and the JSON Schema of the answer, and returns the answer.

    The answer is JSON, as text or as a dictionary. It is checked as a model's answer is, and asked for again where it cannot
    be used. A function that raises leaves its checks unscored, with the reason in the report.
    """

    def __call__(self, prompt: Prompt, schema: dict[str, Any], /) -> str | Mapping[str, Any]: ...


Judge: TypeAlias = "str | JudgeFunction"


class JudgeOptions(TypedDict, total=False):
    """Who judges, and how. The options are those of the command, with underscores."""

    judge: Judge | Sequence[Judge]
    """`"builtin"` (without it), a model such as `"openai:gpt-4.1-mini"`, `"cascade:…"`, or a function; several form a panel."""
    verdicts: Path | Sequence[Path]
    """Recorded answers that judge as well: rating sheets, files of answers, folders."""
    fallback: str
    """The model to ask when another one refuses."""
    lock: Path
    """A file that answers are kept in, and taken from."""
    locked: bool
    """Takes all answers from the lock: no key, no network."""
    refresh: bool
    """Asks again what is known already."""
    cache: bool
    """Whether answers are kept on this machine and taken from there; for functions only where this says so."""
    answers: Path
    """A folder that answers are kept in and taken from, instead of this machine's cache; any number of workers may use it at once."""
    workers: int
    """How many workers share the limits: this one takes its part of `max_cost`, of `concurrency` and of the provider's pace."""
    redact: bool
    """Replaces names, numbers and addresses before anything is sent."""
    max_cost: float | str
    """The most that may be spent, in US dollars."""
    price: str
    """What a model costs whose price is not known: dollars for a million tokens in and out, such as `"0.15,0.60"`."""
    concurrency: int
    """How many chats models are asked about at the same time."""
    timeout: int
    """The longest one call may take, in seconds."""
    context: int
    """The model's context in tokens, where it is not known."""
    second_look: bool
    """Whether doubtful checks are asked once more; they are unless this says otherwise."""
    allow_plain_http: bool
    """Whether chats may be sent over http:// to another machine."""
    rubric: Path
    """The file of a rubric of your own."""
    weights: Mapping[str, float]
    """How much each metric counts; those not named count 1."""
    gate_policy: Literal["any", "majority"]
    """When a panel trips a gate."""
    tie: Literal["standing", "fails"]
    """Who decides where a panel is divided."""
    config: Path
    """A settings file, instead of the nearest `carelock.toml` and your own."""


class Options(JudgeOptions, ReadOptions, total=False):
    """Who judges and how chats are read."""


class Evaluator:
    """Judges that were looked up once, for any number of chats. Nothing is sent before the first chat.

    >>> import carelock
    >>> with carelock.Evaluator(judge="builtin", weights={"Empathy": 2}) as judge:
    ...     report = judge.evaluate([("user", "I feel low."), ("assistant", "I'm sorry to hear that. What happened?")])
    >>> report.judge
    'builtin'

    Leaving the `with` block writes the lock, as `finish` does. An evaluator can be used by several threads, in a forked child and,
    unless a function judges that cannot be pickled, in other processes.
    """

    def __init__(self, **options: Unpack[JudgeOptions]) -> None:
        unknown = set(options) - set(JudgeOptions.__annotations__)
        if unknown:
            raise TypeError(f"unexpected keyword argument {sorted(unknown)[0]!r}")
        self._options = options
        self._made = _native.Evaluator(_settings(options), _like(options))
        self._process = os.getpid()

    @property
    def _native(self) -> _native.Evaluator:
        # A forked child has none of the threads of its parent: it makes its own.
        if self._process != os.getpid():
            self._made = _native.Evaluator(_settings(self._options), _like(self._options))
            self._process = os.getpid()
        return self._made

    def evaluate(self, chat: ChatLike, *, id: str | None = None, **options: Unpack[ReadOptions]) -> Report:
        """The report on a chat. A model that cannot answer leaves its checks unscored, with the reason in the report."""
        return Report(self._native.evaluate(to_chat(chat, id, options)._native, True, None))

    async def evaluate_async(self, chat: ChatLike, *, id: str | None = None, **options: Unpack[ReadOptions]) -> Report:
        """The report on a chat, while other tasks go on. Cancelling the task ends the calls to models."""
        import asyncio

        cancel = _native.Cancel()
        native = self._native

        def work() -> Report:
            return Report(native.evaluate(to_chat(chat, id, options)._native, True, cancel))

        try:
            return await asyncio.to_thread(work)
        except asyncio.CancelledError:
            cancel.cancel()
            raise

    @overload
    def evaluate_many(
        self,
        chats: Path | Iterable[ChatLike],
        *,
        threads: int | None = None,
        progress: bool = False,
        errors: Literal["raise"] = "raise",
        **options: Unpack[ReadOptions],
    ) -> Iterator[Report]: ...

    @overload
    def evaluate_many(
        self,
        chats: Path | Iterable[ChatLike],
        *,
        threads: int | None = None,
        progress: bool = False,
        errors: Literal["return"],
        **options: Unpack[ReadOptions],
    ) -> Iterator[Report | CareLockError]: ...

    def evaluate_many(
        self,
        chats: Path | Iterable[ChatLike],
        *,
        threads: int | None = None,
        progress: bool = False,
        errors: Literal["raise", "return"] = "raise",
        **options: Unpack[ReadOptions],
    ) -> Iterator[Report] | Iterator[Report | CareLockError]:
        """The reports on many chats, in order and as they are asked for; a path stands for all chats in it.

        Few chats are read ahead, so that the input may be endless. `errors="return"` gives the error of a chat that cannot be
        judged in its place instead of raising it. `progress` shows on standard error how far it is.
        """
        return watched(self._many(chats, threads, errors, options), chats, progress)

    def _many(
        self,
        chats: Path | Iterable[ChatLike],
        wanted: int | None,
        errors: str,
        options: ReadOptions,
    ) -> Iterator[Any]:
        if errors not in ("raise", "return"):
            raise CareLockError("errors", f"there is no {errors!r}", 'use "raise" or "return"')
        native, cancel = self._native, _native.Cancel()
        count = native.at_once if wanted is None and native.asks else threads(wanted)
        found = read_all(chats, **options) if isinstance(chats, (str, os.PathLike)) else chats

        def one(chat: Callable[[], ChatLike]) -> Report:
            return Report(native.evaluate(to_chat(chat(), None, options)._native, False, cancel))

        def outcome(get: Callable[[], Report]) -> Report | CareLockError:
            try:
                return get()
            except CareLockError as error:
                if errors == "raise":
                    raise
                return error

        if count == 1:
            for chat in _each(found):
                yield outcome(lambda chat=chat: one(chat))  # type: ignore[misc]
            return
        from concurrent.futures import Future, ThreadPoolExecutor, wait

        pool = ThreadPoolExecutor(count, thread_name_prefix="carelock")
        ahead: deque[Future[Report]] = deque()
        source = _each(found)
        try:
            ahead.extend(pool.submit(one, chat) for chat in islice(source, 4 * count))
            while ahead:
                done = ahead.popleft()
                # Not for ever at once: other libraries change what a signal interrupts, and Ctrl-C must be heard.
                while not wait([done], timeout=0.1).done:
                    pass
                result = outcome(done.result)
                ahead.extend(pool.submit(one, chat) for chat in islice(source, 1))
                yield result
        finally:
            cancel.cancel()
            pool.shutdown(wait=True, cancel_futures=True)

    def evaluate_table(
        self,
        data: ArrowStream | ArrowArray,
        *,
        messages: str | None = None,
        id: str | None = None,
        checks: bool = True,
        report: bool = False,
        threads: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Table:
        """Judges every row of a table; see `carelock.evaluate_table`. A worker that gets batch after batch keeps one evaluator for
        all of them, so that the limits hold over all batches."""
        from .tables import _columns, judged_table

        return judged_table(self._native, data, _columns(messages, id, checks, report, options), threads)

    def finish(self) -> None:
        """Writes the lock, if one is kept."""
        self._native.finish()

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def __repr__(self) -> str:
        return f"<Evaluator {', '.join(name for name, _ in _judges(self._options)) or 'recorded verdicts'}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _evaluator, (dict(self._options),)


def evaluate(chat: ChatLike, *, id: str | None = None, **options: Unpack[Options]) -> Report:
    """The report on a chat, by the embedded judge unless others are named.

    >>> import carelock
    >>> report = carelock.evaluate("Human: I feel low.\\nAI: I'm sorry to hear that. What happened?")
    >>> report.verify().holds
    True
    """
    judging, reading = _split(options)
    if not judging:
        return embedded().evaluate(chat, id=id, **reading)
    with Evaluator(**judging) as evaluator:
        return evaluator.evaluate(chat, id=id, **reading)


async def evaluate_async(chat: ChatLike, *, id: str | None = None, **options: Unpack[Options]) -> Report:
    """The report on a chat, while other tasks go on."""
    judging, reading = _split(options)
    if not judging:
        return await embedded().evaluate_async(chat, id=id, **reading)
    with Evaluator(**judging) as evaluator:
        return await evaluator.evaluate_async(chat, id=id, **reading)


@overload
def evaluate_many(
    chats: Path | Iterable[ChatLike],
    *,
    threads: int | None = None,
    progress: bool = False,
    errors: Literal["raise"] = "raise",
    **options: Unpack[Options],
) -> Iterator[Report]: ...


@overload
def evaluate_many(
    chats: Path | Iterable[ChatLike],
    *,
    threads: int | None = None,
    progress: bool = False,
    errors: Literal["return"],
    **options: Unpack[Options],
) -> Iterator[Report | CareLockError]: ...


def evaluate_many(
    chats: Path | Iterable[ChatLike],
    *,
    threads: int | None = None,
    progress: bool = False,
    errors: Literal["raise", "return"] = "raise",
    **options: Unpack[Options],
) -> Iterator[Report] | Iterator[Report | CareLockError]:
    """The reports on many chats, in order and as they are asked for; see `Evaluator.evaluate_many`.

    >>> import carelock
    >>> chats = [[("user", "I feel low."), ("assistant", "What happened?")]] * 3
    >>> [report.judge for report in carelock.evaluate_many(chats, threads=2)]
    ['builtin', 'builtin', 'builtin']
    """
    judging, reading = _split(options)
    evaluator = Evaluator(**judging) if judging else embedded()

    def finished(reports: Iterator[Any]) -> Iterator[Any]:
        with evaluator:
            yield from reports

    return finished(evaluator.evaluate_many(chats, threads=threads, progress=progress, errors=errors, **reading))


_embedded: Evaluator | None = None


def embedded() -> Evaluator:
    """The evaluator with the embedded judge alone, made once."""
    global _embedded
    if _embedded is None:
        _embedded = Evaluator(judge="builtin")
    return _embedded


def evaluator_of(options: JudgeOptions) -> Evaluator:
    """An evaluator with these options; the one there is where nothing is set."""
    return Evaluator(**options) if options else embedded()


def _like(options: JudgeOptions) -> _native.Evaluator | None:
    """An evaluator whose embedded judge can be used again."""
    return None if _embedded is None or options == _embedded._options else _embedded._native


def _split(options: Options) -> tuple[JudgeOptions, ReadOptions]:
    judging: JudgeOptions = {}
    reading: ReadOptions = {}
    for name, value in options.items():
        if name in JudgeOptions.__annotations__:
            judging[name] = value  # type: ignore[literal-required]
        else:
            reading[name] = value  # type: ignore[literal-required]
    return judging, reading


def _each(chats: Iterable[ChatLike]) -> Iterator[Callable[[], ChatLike]]:
    """Chats as functions, so that one which cannot be read is an error in its own place."""
    source = iter(chats)
    while True:
        try:
            chat = next(source)
        except StopIteration:
            return
        except CareLockError as error:
            yield lambda error=error: _raise(error)  # type: ignore[misc]
        else:
            yield lambda chat=chat: chat  # type: ignore[misc]


def _raise(error: CareLockError) -> ChatLike:
    raise error


def _judges(options: JudgeOptions) -> list[tuple[str, Any]]:
    judges = options.get("judge", () if "verdicts" in options else "builtin")
    several: Sequence[Judge] = [judges] if isinstance(judges, str) or callable(judges) else judges
    return [(judge, None) if isinstance(judge, str) else (_name(judge), _answerer(judge)) for judge in several]


def _name(judge: JudgeFunction) -> str:
    name = getattr(judge, "__name__", type(judge).__name__)
    return re.sub(r"[^A-Za-z0-9_.-]+", "", name) or "function"


def _answerer(judge: JudgeFunction) -> Callable[[list[tuple[str, str]], str], str]:
    """A function of the user's as the native part calls it."""

    def answer(messages: list[tuple[str, str]], schema: str) -> str:
        prompt = Prompt("\n\n".join(text for _, text in messages))
        prompt.messages = [{"role": role, "content": text} for role, text in messages]
        answered: Any = judge(prompt, json.loads(schema))
        if hasattr(answered, "__await__"):
            import asyncio

            answered = asyncio.run(_awaited(answered))
        return answered if isinstance(answered, str) else json.dumps(answered)

    return answer


async def _awaited(answer: Any) -> Any:
    return await answer


def _log(level: int, text: str) -> None:
    import logging

    logging.getLogger("carelock").log(level, text)


def _settings(options: JudgeOptions) -> _native.Options:
    verdicts = options.get("verdicts", ())
    max_cost = options.get("max_cost")
    weights = options.get("weights")
    several = [verdicts] if isinstance(verdicts, (str, os.PathLike)) else verdicts
    return {
        "judges": _judges(options),
        "verdicts": [os.fspath(path) for path in several],
        "fallback": options.get("fallback"),
        "lock": _path(options.get("lock")),
        "locked": options.get("locked", False),
        "refresh": options.get("refresh", False),
        "cache": options.get("cache"),
        "answers": _path(options.get("answers")),
        "workers": _workers(options.get("workers")),
        "redact": options.get("redact"),
        "max_cost": None if max_cost is None else str(max_cost),
        "price": options.get("price"),
        "concurrency": options.get("concurrency"),
        "timeout": options.get("timeout"),
        "context": options.get("context"),
        "second_look": options.get("second_look"),
        "allow_plain_http": options.get("allow_plain_http", False),
        "rubric": _text(options.get("rubric")),
        "weights": None if weights is None else json.dumps(dict(weights)),
        "gate_policy": options.get("gate_policy", "any"),
        "tie": options.get("tie", "standing"),
        "config": _path(options.get("config")),
        "on_event": _log,
    }


def _workers(workers: int | None) -> int | None:
    if workers is not None and not 1 <= workers < 2**32:
        raise CareLockError("workers", f"{workers} workers cannot share anything", "give a number from 1")
    return workers


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def _text(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise CareLockError(os.fspath(path), f"cannot be read: {error}", "name a rubric's file") from None


def _evaluator(options: JudgeOptions) -> Evaluator:
    return Evaluator(**options)
