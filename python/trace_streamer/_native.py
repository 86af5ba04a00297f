"""libtracestreamer by ctypes: include/tracestreamer.h in Python."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p, string_at
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _arrow
from ._errors import Error, InputError, LossError, UsageError, error_of
from ._options import Options
from ._session import Cursor, Params, Row, Session, Source, Stream, questions_in

_OK, _INPUT, _FORMAT, _ROW = 0, 1, 5, 100
_NULL, _INT64, _DOUBLE, _TEXT, _BLOB = range(5)
_INDEX, _WITH_TIMES, _NO_META, _COMPAT, _STRICT, _KEEP_GOING, _ONE_THREAD = (1 << i for i in range(7))
SONAME = "libtracestreamer.so.0"
_HERE = os.path.dirname(os.path.abspath(__file__))


class _Options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("flags", c_uint32),
        ("max_memory", c_uint64),
        ("max_inflate", c_uint64),
        ("format", c_char_p),
        ("analyze", c_char_p),
        ("time_range", c_char_p),
        ("symbols", c_char_p),
        ("syscalls", c_char_p),
        ("jfr_events", c_char_p),
        ("viewer", c_char_p),
        ("temp_dir", c_char_p),
        ("share_dir", c_char_p),
    ]


class _Param(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


_PARAMS = (POINTER(_Param), c_size_t)
_OUT = POINTER(c_void_p)
_PROTOTYPES: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "tst_version": (c_char_p, ()),
    "tst_open": (c_int, (_OUT, POINTER(_Options))),
    "tst_open_database": (c_int, (_OUT, c_char_p, POINTER(_Options))),
    "tst_close": (None, (c_void_p,)),
    "tst_message": (c_char_p, (c_void_p,)),
    "tst_cancel": (None, (c_void_p,)),
    "tst_name": (c_int, (c_void_p, c_char_p)),
    "tst_feed": (c_int, (c_void_p, c_char_p, c_size_t, c_int)),
    "tst_add_path": (c_int, (c_void_p, c_char_p)),
    "tst_finish": (c_int, (c_void_p,)),
    "tst_failure": (c_char_p, (c_void_p, c_size_t)),
    "tst_losses": (c_uint64, (c_void_p,)),
    "tst_save": (c_int, (c_void_p, c_char_p, c_int)),
    "tst_path": (c_char_p, (c_void_p,)),
    "tst_query": (c_int, (_OUT, c_void_p, c_char_p, *_PARAMS)),
    "tst_ask": (c_int, (_OUT, c_void_p, c_char_p, *_PARAMS)),
    "tst_diff": (c_int, (_OUT, c_void_p, c_void_p, c_char_p, *_PARAMS)),
    "tst_rows_next": (c_int, (c_void_p,)),
    "tst_rows_columns": (c_int, (c_void_p,)),
    "tst_rows_name": (c_char_p, (c_void_p, c_int)),
    "tst_rows_type": (c_int, (c_void_p, c_int)),
    "tst_rows_int64": (c_int64, (c_void_p, c_int)),
    "tst_rows_double": (c_double, (c_void_p, c_int)),
    "tst_rows_text": (c_void_p, (c_void_p, c_int, POINTER(c_size_t))),
    "tst_rows_blob": (c_void_p, (c_void_p, c_int, POINTER(c_size_t))),
    "tst_rows_free": (None, (c_void_p,)),
    "tst_rows_arrow": (c_int, (c_void_p, c_void_p)),
}


def find() -> Optional[str]:
    """The library: that of the variable, that of the wheel, or that of the system (a name for the loader)."""
    named = os.environ.get("TRACE_STREAMER_LIBRARY")
    if named:
        return named
    for name in (SONAME, "libtracestreamer.so"):
        path = os.path.join(_HERE, "_lib", name)
        if os.path.exists(path):
            return path
    return SONAME


def _share_dir(library: str) -> Optional[str]:
    """The folder with sql/: that of the wheel, or that which is installed or built beside the library."""
    places = [os.path.join(_HERE, "_share")]
    folder = os.path.dirname(os.path.realpath(library)) if os.path.sep in library else "/usr/lib"
    for _ in range(3):
        folder = os.path.dirname(folder)
        places.append(os.path.join(folder, "share", "trace_streamer"))
    return next((p for p in places if os.path.isdir(os.path.join(p, "sql"))), None)


def _bytes(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else os.fsencode(text)


def _utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the text has characters that UTF-8 has not") from None


class _Handle:
    """A session of the library. It ends when it was closed and the last Arrow stream of it was released."""

    def __init__(self, lib: Any, pointer: c_void_p) -> None:
        self.lib = lib
        self.pointer: Optional[c_void_p] = pointer
        self.forgotten: List[c_void_p] = []  # rows that nothing refers to; the next call frees them
        self._users = 1
        self._lock = threading.Lock()

    def take(self) -> None:
        with self._lock:
            self._users += 1

    def drop(self) -> None:
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            pointer, self.pointer = self.pointer, None
            self.lib.tst_close(pointer)

    def sweep(self) -> None:
        while self.forgotten:
            self.lib.tst_rows_free(self.forgotten.pop())

    def fail(self, code: int) -> Error:
        text = self.lib.tst_message(self.pointer) or b""
        return error_of(code, text.decode("utf-8", "replace"))

    def check(self, code: int) -> None:
        if code != _OK:
            raise self.fail(code)


class _Rows:
    """tst_rows."""

    def __init__(self, owners: Sequence[_Handle], pointer: c_void_p) -> None:
        lib = owners[0].lib
        self._owners = owners
        self._pointer: Optional[c_void_p] = pointer
        names = [lib.tst_rows_name(pointer, i) or b"" for i in range(lib.tst_rows_columns(pointer))]
        self.columns = tuple(name.decode("utf-8", "replace") for name in names)
        self._ended = False

    def fetch(self, n: int) -> List[Row]:
        found: List[Row] = []
        if self._ended or self._pointer is None:
            return found
        lib, rows = self._owners[0].lib, self._pointer
        step, kind_of, int64, double, text, blob = (
            lib.tst_rows_next,
            lib.tst_rows_type,
            lib.tst_rows_int64,
            lib.tst_rows_double,
            lib.tst_rows_text,
            lib.tst_rows_blob,
        )
        size = c_size_t()
        at = byref(size)
        columns = range(len(self.columns))
        for _ in range(n):
            code = step(rows)
            if code != _ROW:
                self._ended = True
                self._owners[0].check(code)
                break
            row: List[Any] = []
            for i in columns:
                kind = kind_of(rows, i)
                if kind == _INT64:
                    row.append(int64(rows, i))
                elif kind == _TEXT:
                    value = text(rows, i, at)
                    row.append(str(string_at(value, size.value), "utf-8", "replace") if value else "")
                elif kind == _DOUBLE:
                    row.append(double(rows, i))
                elif kind == _BLOB:
                    value = blob(rows, i, at)
                    row.append(string_at(value, size.value) if value else b"")
                else:
                    row.append(None)
            found.append(tuple(row))
        return found

    def arrow(self) -> Optional[Stream]:
        rows, self._pointer = self._pointer, None
        if rows is None:
            return None
        for owner in self._owners:
            owner.take()
        stream = _arrow.NativeStream(self._drop)
        code = self._owners[0].lib.tst_rows_arrow(stream.address, rows)
        if code != _OK:
            error = self._owners[0].fail(code)
            stream.release()
            self._drop()
            raise error
        stream.watch()
        return stream

    def _drop(self) -> None:
        for owner in self._owners:
            owner.drop()

    def declared(self) -> Optional[Sequence[str]]:
        return None

    def close(self) -> None:
        rows, self._pointer = self._pointer, None
        if rows is not None:
            self._owners[0].lib.tst_rows_free(rows)

    def __del__(self) -> None:
        rows, self._pointer = self._pointer, None
        if rows is not None:  # another thread may be using the session
            self._owners[0].forgotten.append(rows)


def _params(given: Params) -> Any:
    params = (_Param * max(1, len(given)))()
    for param, (name, value) in zip(params, given.items()):
        param.name, param.value = _utf8(name), _utf8(value)
    return params


class NativeSession:
    """A session of the library with its rows."""

    def __init__(self, handle: _Handle) -> None:
        self.handle = handle
        self.path = ""
        self.failures: List[str] = []
        self._rows: "weakref.WeakSet[_Rows]" = weakref.WeakSet()
        self._closed = False

    def opened(self) -> None:
        """The session has its database."""
        lib, pointer = self.handle.lib, self.handle.pointer
        self.path = os.fsdecode(lib.tst_path(pointer) or b"")
        text = lib.tst_failure(pointer, 0)
        while text is not None:
            self.failures.append(text.decode("utf-8", "replace"))
            text = lib.tst_failure(pointer, len(self.failures))

    def _cursor(self, call: Callable[..., int], *arguments: Any, before: Optional[_Handle] = None) -> Cursor:
        out = c_void_p()
        self.handle.sweep()
        self.handle.check(call(byref(out), *arguments))
        rows = _Rows([self.handle, before] if before else [self.handle], out)
        self._rows.add(rows)
        return rows

    def query(self, sql: str, params: Params) -> Cursor:
        if "\0" in sql:
            raise UsageError("SQL error: the text contains a NUL byte")
        return self._cursor(self.handle.lib.tst_query, self.handle.pointer, _utf8(sql), _params(params), len(params))

    def ask(self, question: str, params: Params) -> Cursor:
        return self._cursor(self.handle.lib.tst_ask, self.handle.pointer, _utf8(question), _params(params), len(params))

    def diff(self, before: Session, by: Optional[str], params: Params) -> Cursor:
        assert isinstance(before, NativeSession)
        name = None if by is None else _utf8(by)
        return self._cursor(
            self.handle.lib.tst_diff,
            before.handle.pointer,
            self.handle.pointer,
            name,
            _params(params),
            len(params),
            before=before.handle,
        )

    def save(self, path: str, force: bool) -> None:
        self.handle.check(self.handle.lib.tst_save(self.handle.pointer, _bytes(path), int(force)))

    def cancel(self) -> None:
        if not self._closed:
            self.handle.lib.tst_cancel(self.handle.pointer)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            for rows in list(self._rows):
                rows.close()
            self.handle.sweep()
            self.handle.drop()


class NativeBackend:
    """The library."""

    kind = "library"

    def __init__(self, path: str) -> None:
        self.path = path
        self._lib: Any = ctypes.CDLL(path)
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(self._lib, name)
            function.restype = result
            function.argtypes = arguments
        self.share = _share_dir(path)

    def version(self) -> str:
        text = self._lib.tst_version()
        return str(text.decode("utf-8", "replace"))

    def questions(self) -> Dict[str, str]:
        return questions_in(os.path.join(self.share, "sql")) if self.share else {}

    def _options(self, o: Options) -> _Options:
        flags = (
            (_INDEX if o.index else 0)
            | (_WITH_TIMES if o.with_times else 0)
            | (_NO_META if o.no_meta else 0)
            | (_COMPAT if o.compat else 0)
            | (_STRICT if o.strict else 0)
            | (_KEEP_GOING if o.keep_going else 0)
            | (_ONE_THREAD if o.threads == 1 else 0)
        )
        texts = {
            name: _bytes(getattr(o, name))
            for name in ("format", "analyze", "time_range", "symbols", "syscalls", "jfr_events", "viewer", "temp_dir")
        }
        return _Options(
            size=ctypes.sizeof(_Options),
            flags=flags,
            max_memory=o.max_memory,
            max_inflate=o.max_inflate,
            share_dir=_bytes(self.share),
            **texts,
        )

    def _opened(self, call: Callable[..., int], *arguments: Any) -> NativeSession:
        out = c_void_p()
        code = call(byref(out), *arguments)
        if not out:
            raise error_of(code or 7, "there is no memory for a session")
        session = NativeSession(_Handle(self._lib, out))
        if code != _OK:
            error = session.handle.fail(code)
            session.close()
            raise error
        return session

    def open(self, sources: Sequence[Source], options: Options) -> Session:
        session = self._opened(self._lib.tst_open, byref(self._options(options)))
        try:
            _interruptible(lambda: _read(session, sources), session.cancel)
            session.opened()
            losses = self._lib.tst_losses(session.handle.pointer) if options.strict else 0
            if losses:
                raise LossError(f"damage was recorded: {losses} defects that lost data (table import_issue, view v_data_quality)")
        except BaseException:
            session.close()
            raise
        return session

    def open_database(self, path: str, options: Options) -> Session:
        if not os.path.exists(path):
            raise InputError(f'cannot open the database: path="{path}": No such file or directory')
        session = self._opened(self._lib.tst_open_database, _bytes(path), byref(self._options(options)))
        session.opened()
        session.path = session.path or os.path.abspath(path)
        return session


def _read(session: NativeSession, sources: Sequence[Source]) -> None:
    lib, handle = session.handle.lib, session.handle
    for source in sources:
        if source.path is not None:
            path = "./-" if source.path == "-" else source.path
            handle.check(lib.tst_add_path(handle.pointer, _bytes(path)))
            continue
        handle.check(lib.tst_name(handle.pointer, _bytes(os.path.basename(source.name) or "-")))
        read = source.read or bytes
        block = read()
        code = _OK
        while block and code == _OK:
            code = lib.tst_feed(handle.pointer, block, len(block), 0)
            block = read()
        if code == _OK:
            code = lib.tst_feed(handle.pointer, None, 0, 1)
        if code not in (_OK, _INPUT, _FORMAT):  # tst_finish says whether another input could be imported
            raise handle.fail(code)
    handle.check(lib.tst_finish(handle.pointer))


def _interruptible(work: Callable[[], None], cancel: Callable[[], None]) -> None:
    """Does it in a thread, so that Control-C, which Python sees between two calls only, ends a long import."""
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    failed: List[BaseException] = []
    done = threading.Event()  # Thread.join takes a thread for ended once it was interrupted (Python before 3.13)

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    interrupted: Optional[BaseException] = None
    threading.Thread(target=run, name="trace_streamer").start()
    while not done.is_set():
        try:
            done.wait()
        except BaseException as error:
            interrupted = error
            cancel()
    if interrupted is not None:
        raise interrupted
    if failed:
        raise failed[0]
