"""The rows of a query, in the forms that people work with."""

from __future__ import annotations

import html
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _arrow, _frames
from ._errors import UsageError
from ._session import Cursor, Row, Stream

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_BLOCK = 256
_SHOWN = 20
_WIDEST = 80  # characters of a text that is shown as a table


class Result:
    """Rows of a statement, a question or a comparison.

    Each use (`for row in result`, `rows`, `df`, ...) gives all rows from the first one on. The first use takes the rows that are waiting;
    every later one runs the statements again, which give the same, since a recording does not change. An iterator that was begun is good
    for one pass, as always, and so is each Arrow stream. Nothing is read ahead: rows are made as they are asked for.
    """

    def __init__(self, run: Callable[[], Cursor], lock: Any = None, owner: object = None) -> None:
        self._run = run
        self._lock = lock or threading.RLock()
        self._owner = owner  # lives as long as its rows
        self._waiting: Optional[Cursor] = run()
        self._columns = tuple(self._waiting.columns)

    @property
    def columns(self) -> Tuple[str, ...]:
        """The names of the columns."""
        return self._columns

    def _cursor(self) -> Cursor:
        with self._lock:
            cursor, self._waiting = self._waiting, None
            return cursor if cursor is not None else self._run()

    def _fetch(self, cursor: Cursor, n: int) -> List[Row]:
        with self._lock:
            return cursor.fetch(n)

    def __iter__(self) -> Iterator[Row]:
        cursor = self._cursor()
        try:
            rows = self._fetch(cursor, _BLOCK)
            while rows:
                yield from rows
                rows = self._fetch(cursor, _BLOCK)
        finally:
            with self._lock:
                cursor.close()

    def rows(self) -> List[Row]:
        """All rows as tuples."""
        return list(self)

    def dicts(self) -> List[Dict[str, Any]]:
        """All rows by names of columns; the second column `a` is `a:1`."""
        names = _frames.unique(self.columns)
        return [dict(zip(names, row)) for row in self]

    def value(self) -> Any:
        """The first column of the first row; None when there is no row."""
        return next((row[0] for row in self), None)

    def _first(self, n: int) -> List[Row]:
        rows = iter(self)
        found = [row for _, row in zip(range(n), rows)]
        rows.close()  # type: ignore[attr-defined]
        return found

    # --- Arrow ---

    def _stream(self, cursor: Cursor) -> Stream:
        def close() -> None:
            with self._lock:
                cursor.close()

        with self._lock:
            stream = cursor.arrow()
            if stream is not None:
                return stream
            return _arrow.MadeStream(self.columns, lambda n: self._fetch(cursor, n), cursor.declared(), close)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as a stream of the Arrow C data interface, which DuckDB, pandas, Polars and pyarrow read.

        Columns are int64, float64, utf8 or binary, whatever schema is requested: as the table's column is declared, else as the first
        rows have it. A later value that does not fit is an error for whoever reads the stream. The trace stays open until the stream is
        released.
        """
        return _arrow.capsule(self._stream(self._cursor()))

    def arrow(self) -> "pyarrow.Table":
        """A table of pyarrow (14 or later)."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def pl(self) -> "polars.DataFrame":
        """A DataFrame of Polars (1.3 or later)."""
        import polars

        return polars.DataFrame(self)

    def df(self) -> "pandas.DataFrame":
        """A DataFrame of pandas.

        Integers are int64, or Int64 when some are NULL, so that times keep all their digits; reals are float64; the rest is objects.
        """
        cursor = self._cursor()
        with self._lock:
            stream = cursor.arrow()
        if stream is None:
            rows = self._fetch(cursor, _BLOCK)
            found: List[Row] = []
            while rows:
                found += rows
                rows = self._fetch(cursor, 16 * _BLOCK)
            with self._lock:
                cursor.close()
            return _frames.of_rows(self.columns, found)
        try:
            with self._lock:
                return _frames.of_parts(self.columns, _arrow.parts_of(stream.address))[0]
        except UsageError:  # a column with values of several types, which Arrow does not have
            return _frames.of_rows(self.columns, list(self))
        finally:
            with self._lock:
                stream.release()

    # --- to look at ---

    def __repr__(self) -> str:
        return f"<Result: {', '.join(self.columns)}>"

    def __str__(self) -> str:
        rows = self._first(_SHOWN + 1)
        cells = [list(self.columns)] + [[_shown(v) for v in row] for row in rows[:_SHOWN]]
        right = [all(isinstance(row[i], (int, float, type(None))) for row in rows) for i in range(len(self.columns))]
        widths = [max(len(line[i]) for line in cells) for i in range(len(self.columns))]
        cells.insert(1, ["-" * w for w in widths])
        lines = [
            "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right)).rstrip() for line in cells
        ]
        return "\n".join(lines + ["..."] * (len(rows) > _SHOWN))

    def _repr_html_(self) -> str:
        """The first rows as a table, for notebooks."""
        rows = self._first(_SHOWN + 1)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join("<tr>" + "".join(_cell(v) for v in row) + "</tr>\n" for row in rows[:_SHOWN])
        more = f"<p>the first {_SHOWN} rows</p>\n" if len(rows) > _SHOWN else ""
        return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n{more}"


def _shown(value: Any) -> str:
    text = "" if value is None else str(value).translate({10: " ", 13: " ", 9: " "})
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, (int, float)):
        return f'<td style="text-align: right">{value}</td>'
    return f"<td>{html.escape(str(value))}</td>"


def rows_result(columns: Sequence[str], run: Callable[[], Iterator[Row]], owner: object = None) -> Result:
    """A result of rows that Python makes."""
    return Result(lambda: IteratorCursor(columns, run()), owner=owner)


class IteratorCursor:
    """A cursor over an iterator of rows."""

    def __init__(self, columns: Sequence[str], rows: Iterator[Row]) -> None:
        self.columns = tuple(columns)
        self._rows = rows

    def fetch(self, n: int) -> List[Row]:
        return [row for _, row in zip(range(n), self._rows)]

    def arrow(self) -> Optional[Stream]:
        return None

    def declared(self) -> Optional[Sequence[str]]:
        return None

    def close(self) -> None:
        close = getattr(self._rows, "close", None)
        if close is not None:
            close()
