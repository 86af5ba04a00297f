"""The program and the sqlite3 module of Python in the place of the library: the same rows, one process a recording more."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from typing import Dict, Iterator, List, NoReturn, Optional, Sequence, Tuple, Union
from urllib.parse import quote

from ._errors import CancelledError, Error, InputError, LossError, OutputError, UsageError, error_of
from ._options import Options
from ._session import Cursor, Params, Row, Session, Source, Stream, is_database
from ._values import bound

_APPLICATION_ID = b"trcs"  # of databases of trace_streamer, at byte 68 of the file
_SIGNALS = (129, 130, 143)


def find() -> Optional[str]:
    """The program, or None."""
    found = os.environ.get("TRACE_STREAMER_PROGRAM") or shutil.which("trace_streamer")
    return os.path.abspath(found) if found and os.path.sep in found else found


# --- the process ------------------------------------------------------------------------------------


def _messages(stderr: bytes) -> List[str]:
    """The errors on the standard error, each with its causes in lines of their own."""
    found: List[str] = []
    for line in stderr.decode("utf-8", "replace").splitlines():
        if line.startswith("  because: ") and found:
            found[-1] += "\n" + line[len("  because: ") :]
        elif line.startswith("trace_streamer: hint: "):
            continue
        else:
            found.append(line[len("trace_streamer: ") :] if line.startswith("trace_streamer: ") else line)
    return found


def _error(code: int, stderr: bytes) -> Error:
    messages = _messages(stderr)
    if code in _SIGNALS or code < 0:
        return CancelledError("the program was interrupted")
    return error_of(code, messages[-1] if messages else "")


class _Processes:
    """Runs the program; the process that runs can be ended from another thread."""

    def __init__(self, program: str) -> None:
        self.program = program
        self._cancelled = False  # the next call
        self._asking: Optional[sqlite3.Connection] = None
        self._running: Optional["subprocess.Popen[bytes]"] = None

    def run(self, *arguments: str, codes: Tuple[int, ...] = (0,), folder: Optional[str] = None) -> Tuple[bytes, bytes, int]:
        """Standard output and error, and the exit code, which is one of `codes`. folder: where it runs."""
        self._begin()
        command = [self.program, *arguments]
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
        except OSError as error:
            raise InputError(f"cannot start {self.program}: {error}") from error
        self._running = process
        try:
            out, err = process.communicate()
        except BaseException:
            process.terminate()
            process.communicate()
            raise
        finally:
            self._running = None
        if process.returncode not in codes:
            raise _error(process.returncode, err)
        return out, err, process.returncode

    def _begin(self) -> None:
        if self._cancelled:
            self._cancelled = False
            raise CancelledError("cancelled")

    @contextlib.contextmanager
    def asking(self, connection: sqlite3.Connection) -> Iterator[None]:
        """A call that SQLite works for."""
        self._begin()
        self._asking = connection
        try:
            yield
        finally:
            self._asking = None

    def cancel(self) -> None:
        """What runs ends, or else what comes next."""
        running, asking = self._running, self._asking
        if running is not None:
            running.terminate()
        elif asking is not None:
            asking.interrupt()
        else:
            self._cancelled = True


# --- rows -------------------------------------------------------------------------------------------


class _Rows:
    """Rows that are there."""

    def __init__(self, columns: Sequence[str], rows: List[Row]) -> None:
        self.columns = tuple(columns)
        self._rows = iter(rows)

    def fetch(self, n: int) -> List[Row]:
        return [row for _, row in zip(range(n), self._rows)]

    def arrow(self) -> Optional[Stream]:
        return None

    def declared(self) -> Optional[Sequence[str]]:
        return None

    def close(self) -> None:
        self._rows = iter(())


def _plain_names(keys: Sequence[str]) -> List[str]:
    """JSON has "a:1" for the second column that is called a."""
    names: List[str] = []
    for key in keys:
        base, _, number = key.rpartition(":")
        again = number.isdigit() and names.count(base) == int(number) > 0
        names.append(base if again else key)
    return names


def _rows_of(lines: bytes) -> Optional[_Rows]:
    rows = [json.loads(line, object_pairs_hook=list) for line in lines.splitlines()]
    if not rows:
        return None
    return _Rows(_plain_names([key for key, _ in rows[0]]), [tuple(value for _, value in row) for row in rows])


def _header_of(text: bytes) -> List[str]:
    escapes = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}
    line = text.decode("utf-8", "replace").split("\n", 1)[0]
    return [re.sub(r"\\(.)", lambda m: escapes.get(str(m.group(1)), str(m.group(1))), name) for name in line.split("\t")]


# --- SQL --------------------------------------------------------------------------------------------

_ALLOWED = {
    getattr(sqlite3, "SQLITE_" + name)
    for name in (
        *("SELECT", "READ", "FUNCTION", "RECURSIVE", "TRANSACTION", "SAVEPOINT"),
        *("CREATE_TEMP_INDEX", "CREATE_TEMP_TABLE", "CREATE_TEMP_TRIGGER", "CREATE_TEMP_VIEW"),
        *("DROP_TEMP_INDEX", "DROP_TEMP_TABLE", "DROP_TEMP_TRIGGER", "DROP_TEMP_VIEW"),
    )
}
_PRAGMAS = {
    "table_info",
    "table_xinfo",
    "table_list",
    "index_info",
    "index_xinfo",
    "index_list",
    "integrity_check",
    "foreign_key_list",
    "quick_check",
}


def authorize(action: int, first: Optional[str], second: Optional[str], database: Optional[str], trigger: Optional[str]) -> int:
    """Statements change nothing and open no other file; temporary tables are fine."""
    fine = database == "temp" or action in _ALLOWED
    if action == sqlite3.SQLITE_UPDATE:
        fine = database == "temp" or first == "sqlite_master"
    elif action == sqlite3.SQLITE_PRAGMA:
        fine = second is None or str(first).lower() in _PRAGMAS
    return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY


def _is_ours(path: str) -> bool:
    with open(path, "rb") as f:
        head = f.read(100)
    return head.startswith(b"SQLite format 3\0") and head[68:72] == _APPLICATION_ID


def connect(path: str) -> sqlite3.Connection:
    """The database, for reading only."""
    try:
        return sqlite3.connect(f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro", uri=True, check_same_thread=False, isolation_level=None)
    except sqlite3.Error as error:
        raise InputError(f'cannot open the database: path="{path}": {error}') from error


def statements(sql: str) -> Iterator[Tuple[int, str]]:
    """The statements of a text, each with its line."""
    start = 0
    for found in re.finditer(";", sql):
        end = found.end()
        if sqlite3.complete_statement(sql[start:end]):
            yield from _statement(sql, start, end)
            start = end
    yield from _statement(sql, start, len(sql))


_BLANK = re.compile(r"(?:[ \t\r\n\f;]|--[^\n]*|/\*(?:.*?\*/|.+\Z))*", re.S)


def _statement(sql: str, start: int, end: int) -> Iterator[Tuple[int, str]]:
    blank = _BLANK.match(sql, start, end)
    start = blank.end() if blank else start
    if start < end:
        yield 1 + sql.count("\n", 0, start), sql[start:end]


class _Bound(Dict[str, Union[None, int, float, str]]):
    """Values of parameters; what has none is NULL. It notes which names the statements have."""

    def __init__(self, params: Params) -> None:
        super().__init__({name: bound(text) for name, text in params.items()})
        self.used: Dict[str, bool] = {}

    def __getitem__(self, name: str) -> Union[None, int, float, str]:
        self.used[name] = True
        return self.get(name)


class _SqlRows:
    """What a cursor of the sqlite3 module gives."""

    def __init__(self, processes: _Processes, cursor: sqlite3.Cursor, line: int, statement: str) -> None:
        self._processes = processes
        self.columns = tuple(d[0] for d in cursor.description or ())
        self._cursor = cursor
        self._line = line
        self._statement = statement

    def fetch(self, n: int) -> List[Row]:
        try:
            with self._processes.asking(self._cursor.connection):
                return self._cursor.fetchmany(n) if self.columns else []
        except sqlite3.Error as error:
            _failed(error, self._line)

    def arrow(self) -> Optional[Stream]:
        return None

    def declared(self) -> Optional[Sequence[str]]:
        return _types_of(self._cursor.connection, self._statement)

    def close(self) -> None:
        with contextlib.suppress(sqlite3.ProgrammingError):  # the trace was closed before
            self._cursor.close()


def _failed(error: Exception, line: int) -> NoReturn:
    text = str(error)
    if "interrupted" in text:
        raise CancelledError("cancelled") from error
    if "closed database" in text:
        raise UsageError("the trace is closed") from error
    if "not authorized" in text or "prohibited" in text or "authorization denied" in text:
        text = "queries cannot change the database"
    if "disk image is malformed" in text or "disk I/O" in text or "not a database" in text:
        raise InputError(f"SQL statement failed: line={line}\n  because: {text}") from error
    raise UsageError(f"SQL error: line={line}: {text}") from error


def _text(data: bytes) -> str:
    return str(data, "utf-8", "replace")


def _types_of(connection: sqlite3.Connection, statement: str) -> Optional[List[str]]:
    """Types of columns as a view of the statement has them; None where it cannot be one."""
    try:
        connection.execute(f"CREATE TEMP VIEW trace_streamer_types AS {statement}")
    except sqlite3.Error:
        return None
    try:
        return [row[2] or "" for row in connection.execute("PRAGMA temp.table_info(trace_streamer_types)")]
    except sqlite3.Error:
        return None
    finally:
        connection.execute("DROP VIEW temp.trace_streamer_types")


def _diff(processes: _Processes, before: str, after: str, by: Optional[str], params: Params) -> Cursor:
    arguments = ["diff", before, after, "--quiet", "--no-progress"]
    arguments += [f"--by={by}"] if by else []
    arguments += [f"--{name}={value}" for name, value in {"limit": "0", **params}.items()]
    rows = _rows_of(processes.run(*arguments, "--output=jsonl")[0])
    return rows or _Rows(_header_of(processes.run(*arguments, "--output=tsv")[0]), [])


# --- sessions ---------------------------------------------------------------------------------------


class ProgramSession:
    """A database that the program made, or that was there."""

    def __init__(self, processes: _Processes, path: str, folder: Optional["tempfile.TemporaryDirectory[str]"], options: Options) -> None:
        self.path = os.path.abspath(path)
        self.failures: List[str] = []
        self._processes = processes
        self._folder = folder
        self._options = options
        self._connection: Optional[sqlite3.Connection] = None

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self.path)
            self._connection.text_factory = _text
            self._connection.set_authorizer(authorize)
        return self._connection

    def query(self, sql: str, params: Params) -> Cursor:
        if "\0" in sql:
            raise UsageError("SQL error: the text contains a NUL byte")
        connection = self._connected()
        values = _Bound(params)
        last: Cursor = _Rows((), [])
        for line, statement in statements(sql):
            while last.fetch(1000):
                pass
            last.close()
            try:
                with self._processes.asking(connection):
                    last = _SqlRows(self._processes, connection.execute(statement, values), line, statement)
            except Error:
                raise
            except (sqlite3.Error, sqlite3.Warning, ValueError, UnicodeError) as error:
                _failed(error, line)
        for name in params:
            if name not in values.used:
                raise UsageError(f'no statement has a parameter named "{name}"')
        return last

    def ask(self, question: str, params: Params) -> Cursor:
        # For the program it may also be SQL or a file, which comes first.
        if not re.fullmatch(r"[a-z0-9_]+(\.sql)?", question):
            raise UsageError(f'there is no question "{question}"')
        arguments = [self.path, f"--query-file={question}", "--quiet"]
        arguments += [f"--param={name}={value}" for name, value in params.items()]
        rows = _rows_of(self._processes.run(*arguments, "--output=jsonl", folder="/")[0])
        return rows or _Rows(_header_of(self._processes.run(*arguments, "--output=tsv", folder="/")[0]), [])

    def diff(self, before: Session, by: Optional[str], params: Params) -> Cursor:
        return _diff(self._processes, before.path, self.path, by, params)

    def save(self, path: str, force: bool) -> None:
        target = os.path.realpath(path)
        folder = os.path.dirname(target)
        try:
            if not force and os.path.exists(target) and os.path.getsize(target) > 0:
                if not _is_ours(target):
                    raise OutputError(
                        f'cannot write the output: path="{path}": the file exists and is not a database of trace_streamer (force=True replaces it)'
                    )
            handle, name = tempfile.mkstemp(prefix=".trace_streamer-", dir=folder)
            try:
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(handle, 0o666 & ~mask)
                os.close(handle)
                self._copy(name)
                os.replace(name, target)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            raise OutputError(f'cannot write the output: path="{path}": {error.strerror}') from error

    def _copy(self, path: str) -> None:
        if self._folder is not None:
            shutil.copyfile(self.path, path)
            return
        # One that was there may have a write-ahead log.
        with contextlib.closing(sqlite3.connect(path)) as to, contextlib.closing(connect(self.path)) as of:
            of.backup(to)

    def cancel(self) -> None:
        self._processes.cancel()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


class ProgramBackend:
    """The program."""

    kind = "program"

    def __init__(self, path: str) -> None:
        self.path = path

    def version(self) -> str:
        out = _Processes(self.path).run("--version")[0].decode("utf-8", "replace")
        return out.split()[-1]

    def questions(self) -> Dict[str, str]:
        out = _Processes(self.path).run("--questions")[0].decode("utf-8", "replace")
        return dict(sorted(re.findall(r"^  ([a-z0-9_]+) +(\S.*)$", out, re.M)))

    def open(self, sources: Sequence[Source], options: Options) -> Session:
        processes = _Processes(self.path)
        where = options.temp_dir or os.environ.get("TMPDIR") or "/var/tmp"
        try:
            folder = tempfile.TemporaryDirectory(prefix="trace_streamer-", dir=where)
        except OSError as error:
            raise OutputError(f"cannot make a folder in {where}: {error.strerror}") from error
        session = ProgramSession(processes, os.path.join(folder.name, "trace.db"), folder, options)
        try:
            inputs = _inputs(sources, folder.name)
            arguments = ["--quiet", "--no-progress", *options.arguments(), f"--export-db={session.path}", "--", *inputs]
            _, err, code = processes.run(*arguments, codes=(0, 3))
            session.failures = _messages(err)
            if code == 3:
                raise LossError(session.failures[-1].split(";")[0])
        except BaseException:
            session.close()
            raise
        return session

    def open_database(self, path: str, options: Options) -> Session:
        if not os.path.exists(path):
            raise InputError(f'cannot open the database: path="{path}": No such file or directory')
        if not is_database(path):
            raise InputError(f'not an SQLite database: path="{path}"')
        if not _is_ours(path):
            raise InputError(f'not a database of trace_streamer: path="{path}"')
        session = ProgramSession(_Processes(self.path), os.path.abspath(path), None, options)
        try:
            session.query("SELECT 1 FROM sqlite_master LIMIT 1", {}).fetch(1)
        except BaseException:
            session.close()
            raise
        return session


def _inputs(sources: Sequence[Source], folder: str) -> List[str]:
    """The paths of the recordings; those that are no files become some, each with its name, in a folder of its own."""
    paths = []
    for n, source in enumerate(sources):
        path = source.path
        if path is not None:
            paths.append("./-" if path == "-" else path)
            continue
        own = os.path.join(folder, str(n))
        os.mkdir(own)
        path = os.path.join(own, os.path.basename(source.name) or "-")
        with open(path, "wb") as f:
            block = source.read() if source.read else b""
            while block:
                f.write(block)
                block = source.read() if source.read else b""
        paths.append(path)
    return paths
