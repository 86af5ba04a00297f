"""A recording that is open, and what it is asked."""

from __future__ import annotations

import atexit
import difflib
import os
import sqlite3
import threading
import weakref
from types import TracebackType
from typing import IO, Any, Dict, List, Mapping, Optional, Sequence, Type, Union

from ._arrow import release_all, sweep
from ._backend import backend
from ._errors import UsageError
from ._options import Options, options_of
from ._program import connect
from ._result import Result
from ._session import Session, is_database, source_of
from ._values import params_of

Recording = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_live: "weakref.WeakSet[Trace]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Databases are files, which shall not be left behind."""
    for trace in list(_live):
        trace.close()
    release_all()


class Trace:
    """What `open` gives: a database of recordings.

    Calls of several threads wait for each other; threads that shall work at the same time open traces of their own. `cancel` may be
    called from any thread. A trace is closed at the end of a `with` block, by `close`, or when nothing refers to it any more.
    """

    def __init__(self, session: Session, inputs: Sequence[str]) -> None:
        self._session: Optional[Session] = session
        self._inputs = list(inputs)
        self._lock = threading.RLock()
        _live.add(self)

    def _open(self) -> Session:
        if self._session is None:
            raise UsageError("the trace is closed")
        return self._session

    # --- asking ---

    def query(self, sql: str, params: Optional[Mapping[str, Any]] = None, **more: Any) -> Result:
        """The rows of SQL statements: of the last one, when there are several.

        Statements can change nothing but temporary tables. `:name` in them gets the value of that keyword or entry of `params`; None, and
        what is not given, is NULL. A text that is a number is bound as the number.
        """
        given = params_of(params, more)
        return self._result(lambda session: session.query(sql, given))

    def ask(self, question: str, params: Optional[Mapping[str, Any]] = None, **more: Any) -> Result:
        """The rows of a shipped question (`questions` lists them), with its parameters.

        Sources and threads can be named, times are written as people do ("+1.5s", "2025-06-15T14:00:00Z"). `from_` is the parameter `from`.
        """
        given = params_of(params, more)
        return self._result(lambda session: session.ask(question, given))

    def _result(self, run: Any) -> Result:
        def locked() -> Any:
            with self._lock:
                return run(self._open())

        return Result(locked, self._lock, self)

    @property
    def questions(self) -> Dict[str, str]:
        """What can be asked: the first sentence of each question by its name."""
        return backend().questions()

    # --- what is in it ---

    @property
    def tables(self) -> List[str]:
        """The tables and views of the database that are described; most of them have rows of some recordings only."""
        return [row[0] for row in self.query("SELECT DISTINCT table_name FROM schema_doc ORDER BY 1")]

    @property
    def filled_tables(self) -> List[str]:
        """Those tables, without the views, that have rows."""
        names = self.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (SELECT table_name FROM schema_doc) ORDER BY name"
        ).rows()
        return [name for (name,) in names if self.query(f"SELECT 1 FROM {_quoted(name)} LIMIT 1").rows()]

    def describe(self, table: str) -> Result:
        """The columns of a table or view, with types, units and what they are."""
        names = self.tables
        if table not in names:
            near = difflib.get_close_matches(table, names, 1)
            raise UsageError(f'there is no table "{table}"' + (f'; is it "{near[0]}"?' if near else ""))
        sql = "SELECT column_name AS name, type, unit, description FROM schema_doc WHERE table_name = :name ORDER BY rowid"
        return self.query(sql, name=table)

    @property
    def issues(self) -> Result:
        """Damage and loss in the recordings: the table import_issue."""
        return self.query('SELECT source_id, severity, code, stream, "offset", count, message FROM import_issue')

    @property
    def losses(self) -> int:
        """How many of the issues lost data."""
        return int(self.query("SELECT count(*) FROM import_issue WHERE severity IN ('data_loss', 'error')").value())

    @property
    def failures(self) -> List[str]:
        """Inputs that could not be imported, and why (others could)."""
        return list(self._open().failures)

    # --- the database ---

    def save(self, path: "str | os.PathLike[str]", force: bool = False) -> None:
        """Writes the database, the bytes that the program's -e gives (of a finished database, what is in it).

        An existing file is replaced if it is a database of trace_streamer, or with force.
        """
        with self._lock:
            session = self._open()
            if os.path.exists(path) and os.path.samefile(path, session.path):
                raise UsageError(f'the output is an input: path="{os.fspath(path)}"')
            session.save(os.fspath(path), force)

    def sqlite(self) -> sqlite3.Connection:
        """A connection of Python's sqlite3 module, for reading only, on the same data; close it before the trace."""
        with self._lock:
            return connect(self._open().path)

    # --- its end ---

    def cancel(self) -> None:
        """The call that another thread waits for, or else the next one, ends with CancelledError."""
        session = self._session
        if session is not None:
            session.cancel()

    def close(self) -> None:
        """Gives everything back; what is asked later is a UsageError. An Arrow stream that a consumer has stays good."""
        sweep()
        with self._lock:
            session, self._session = self._session, None
            if session is not None:
                session.close()

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        session = getattr(self, "_session", None)
        if session is not None:
            session.close()

    def __repr__(self) -> str:
        return f"<Trace of {', '.join(self._inputs)}{'' if self._session is not None else ', closed'}>"


def open_with(recordings: Sequence[Any], options: Options, name: Optional[str] = None) -> Trace:
    """`open` with options that were looked at."""
    if not recordings:
        raise UsageError("there is no recording")
    sources = [source_of(recording, name) for recording in recordings]
    sources.sort(key=lambda s: s.path is not None)  # as the library reads them; sort keeps the order otherwise
    shown = [s.path or s.name for s in sources]
    only = sources[0].path if len(sources) == 1 else None
    if only is not None and options.format is None and is_database(only):
        if options.analyze not in (None, "default", "none"):
            raise UsageError(f"a finished database keeps the analyses that it has: trace_streamer {only} --analyze={options.analyze} adds others")
        return Trace(backend().open_database(only, options), shown)
    return Trace(backend().open(sources, options), shown)


def open_trace(recording: "Recording | Sequence[Recording]", *, name: Optional[str] = None, **options: Any) -> Trace:
    """Reads recordings, which are then asked.

    recording: a path (of a file, a folder, an archive, or a finished database, which is opened as it is), bytes, a binary file object, or a
    list of these; bytes and file objects are read before paths. name: what bytes are called; some formats are known by it.

    The other keywords are the options of the command line, with the same meaning: format, analyze, time_range ("FROM,UNTIL" or a pair),
    symbols, syscalls, jfr_events, viewer, index, with_times, no_meta, compat, strict (a LossError when data was lost), keep_going,
    max_memory and max_inflate (bytes, or a text such as "64M"), threads (1: none beside the caller's), temp_dir (where the database is).
    """
    checked = options_of(options)
    recordings = list(recording) if isinstance(recording, (list, tuple)) else [recording]
    return open_with(recordings, checked, name)


def diff(
    before: "Trace | Recording",
    after: "Trace | Recording",
    by: Optional[str] = None,
    params: Optional[Mapping[str, Any]] = None,
    **more: Any,
) -> Result:
    """What differs between two recordings: all rows that changed, the largest changes first.

    by: "class", "method", "call", "statement", "series", "pause" or "node"; None: what fits both. Parameters are options of the program's
    diff: source, thread, from_, until, weight, limit. Recordings that are no traces are opened, with those analyses that are the default.
    """
    sides = [side if isinstance(side, Trace) else open_trace(side) for side in (before, after)]
    given = params_of(params, more)

    def run() -> Any:
        first, second = sorted(sides, key=id)  # all that lock two traces do so in one order
        with first._lock, second._lock:
            return sides[1]._open().diff(sides[0]._open(), by, given)

    return Result(run, sides[1]._lock, sides)
