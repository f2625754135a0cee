"""Tables of chats, in any library that speaks Arrow's C interface: pyarrow, Polars, pandas, DuckDB and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Unpack, runtime_checkable

from . import _native
from .chats import ReadOptions, _reading, threads
from .evaluator import Options, _split, evaluator_of

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import polars  # type: ignore[import-not-found, unused-ignore]
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]


@runtime_checkable
class ArrowStream(Protocol):
    """Anything with Arrow's C stream: a table, a data frame, a reader."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """Anything with Arrow's C array of structs: a record batch."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object: ...


class Table:
    """Results, a row a chat and in the order of the chats. Any library that speaks Arrow takes it as it is.

    `docs/python.md` lists the columns. A chat that could not be judged has a row with its `error` and nothing else.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def errors(self) -> int:
        """How many rows could not be judged."""
        return self._native.errors

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._native.column_names

    def to_pyarrow(self) -> pyarrow.Table:
        """The same as a table of pyarrow, without a copy."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a data frame of pandas, through pyarrow."""
        return self.to_pyarrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The same as a data frame of Polars."""
        import polars

        return polars.DataFrame(self)

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<Table of {len(self)} chats, {self.errors} of them with an error>"

    def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
        return self._native.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self._native.__arrow_c_schema__()


class Stream:
    """Results that are judged as they are read, so that memory stays small however long the table is. It can be read once."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.Stream) -> None:
        self._native = native

    @property
    def errors(self) -> int:
        """How many of the rows read so far could not be judged."""
        return self._native.errors

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self._native.__arrow_c_schema__()


def evaluate_table(
    data: ArrowStream | ArrowArray,
    *,
    messages: str | None = None,
    id: str | None = None,
    checks: bool = True,
    report: bool = False,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Table:
    """Judges every row of a table, on all processors unless `threads` says otherwise.

    `messages` names the column of the chats: lists of messages with `role` and `content`, or text in any format that Care-Lock
    reads. Without it, it is the first of `messages`, `conversation`, `conversations`, `turns`, `chat`, `transcript`, `text`. `id`
    names the column of ids; without it, it is `id` where there is one. `checks=False` leaves out the column with every check,
    `report=True` adds one with the whole report in JSON.

    A row that cannot be read or judged never ends the work: its `error` says why, and `Table.errors` counts such rows.
    """
    judging, reading = _split(options)
    with evaluator_of(judging) as evaluator:
        return evaluator.evaluate_table(data, messages=messages, id=id, checks=checks, report=report, threads=threads, **reading)


def evaluate_batch(
    batch: ArrowArray | ArrowStream,
    *,
    messages: str | None = None,
    id: str | None = None,
    checks: bool = True,
    report: bool = False,
    threads: int | None = 1,
    **options: Unpack[Options],
) -> Table:
    """Judges the rows of one batch on one thread, as a worker of Spark or Ray does; see `evaluate_table`."""
    return evaluate_table(batch, messages=messages, id=id, checks=checks, report=report, threads=threads, **options)


def evaluate_stream(
    data: ArrowStream | ArrowArray,
    *,
    messages: str | None = None,
    id: str | None = None,
    checks: bool = True,
    report: bool = False,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Stream:
    """Judges the rows of a table as the result is read: for tables that are larger than memory. See `evaluate_table`."""
    judging, reading = _split(options)
    native = evaluator_of(judging)._native
    return Stream(native.stream(data, _columns(messages, id, checks, report, reading), _threads(native, threads)))


def judged_table(native: _native.Evaluator, data: object, columns: _native.Columns, threads: int | None) -> Table:
    """The rows judged, and how many could not be said to the logger."""
    table = Table(native.table(data, columns, _threads(native, threads)))
    if table.errors:
        import logging

        told = "%d of %d rows could not be judged; the column error says why"
        logging.getLogger("carelock").warning(told, table.errors, len(table))
    return table


def _threads(native: _native.Evaluator, wanted: int | None) -> int:
    return native.at_once if wanted is None and native.asks else threads(wanted)


def _columns(messages: str | None, id: str | None, checks: bool, report: bool, reading: ReadOptions) -> _native.Columns:
    return {"messages": messages, "id": id, "checks": checks, "report": report, "reading": _reading(reading)}
