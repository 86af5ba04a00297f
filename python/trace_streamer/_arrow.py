"""The Arrow C data interface by ctypes: streams of the library, streams made of rows, capsules of both, and a reader of them.

The structs are those of https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. Whoever gets one calls its
`release`, or moves it (copies it and clears `release` in what was copied); after that nothing of it is touched here.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import itertools
import sys
from array import array
from ctypes import CFUNCTYPE, PYFUNCTYPE, Structure, c_char_p, c_int, c_int64, c_void_p, py_object, pythonapi, sizeof, string_at
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ._errors import UsageError, error_of
from ._session import Row, Stream
from ._values import widened, widest

_NULLABLE = 2
_NAME = b"arrow_array_stream"  # of capsules; it has to live as long as they do
BATCH_ROWS = 65536  # as the library has them; the first decide the types
_LONGEST = (1 << 31) - 1  # bytes of a column of texts in a batch: offsets have 32 bits


class ArrowSchema(Structure):
    _fields_ = [
        ("format", c_char_p),
        ("name", c_char_p),
        ("metadata", c_void_p),
        ("flags", c_int64),
        ("n_children", c_int64),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


class ArrowArray(Structure):
    _fields_ = [
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
        ("buffers", c_void_p),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


class ArrowArrayStream(Structure):
    _fields_ = [
        ("get_schema", c_void_p),
        ("get_next", c_void_p),
        ("get_last_error", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


_Release = CFUNCTYPE(None, c_void_p)
_Get = CFUNCTYPE(c_int, c_void_p, c_void_p)
_LastError = CFUNCTYPE(c_void_p, c_void_p)


def _c(kind: Any) -> Callable[[Callable[..., Any]], Any]:
    """Makes a C function of that kind of a Python function."""
    return lambda function: kind(function)


def _address(function: Any) -> int:
    return ctypes.cast(function, c_void_p).value or 0


# --- what lives as long as a consumer needs it --------------------------------------------------------

_kept: Dict[int, Any] = {}
_numbers = itertools.count(1)


def _keep(things: Any) -> int:
    number = next(_numbers)
    _kept[number] = things
    return number


def _release_children(count: int, children: Optional[int], kind: Any) -> None:
    if children:
        for address in (c_void_p * count).from_address(children):
            child = kind.from_address(address)
            if child.release:
                _Release(child.release)(address)


@_c(_Release)
def _release_schema(address: int) -> None:
    schema = ArrowSchema.from_address(address)
    _release_children(schema.n_children, schema.children, ArrowSchema)
    _kept.pop(schema.private_data, None)
    schema.release = None


@_c(_Release)
def _release_array(address: int) -> None:
    made = ArrowArray.from_address(address)
    _release_children(made.n_children, made.children, ArrowArray)
    _kept.pop(made.private_data, None)
    made.release = None


# --- a stream of the library --------------------------------------------------------------------------

_watched: Dict[int, Tuple[int, Callable[[], None]]] = {}


@_c(_Release)
def _release_watched(address: int) -> None:
    stream = ArrowArrayStream.from_address(address)
    release, then = _watched.pop(stream.private_data)
    stream.release = release
    _Release(release)(address)
    then()


class NativeStream:
    """One that the library fills in. `then` is called when its consumer has released it."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._struct = ArrowArrayStream()
        self._then = then

    @property
    def address(self) -> int:
        return ctypes.addressof(self._struct)

    def watch(self) -> None:
        """Takes note of its release from now on."""
        _watched[self._struct.private_data] = (self._struct.release, self._then)
        self._struct.release = _address(_release_watched)

    def release(self) -> None:
        if self._struct.release:
            _Release(self._struct.release)(self.address)


# --- a stream that is made of rows ---------------------------------------------------------------------


_FORMATS = {int: "l", float: "g", str: "u", bytes: "z"}
_DECLARED = {"INTEGER": int, "INT": int, "INTEGER PRIMARY KEY": int, "REAL": float, "TEXT": str, "BLOB": bytes}


class _Misfit(Exception):
    pass


class _Column(NamedTuple):
    values: Any  # the address is stable while this lives
    address: int
    offsets: Any


def _numbers_of(kind: type, values: Sequence[Any]) -> _Column:
    made = array("q" if kind is int else "d", [0 if v is None else v for v in values])
    return _Column(made, made.buffer_info()[0], None)


def _bytes_of(kind: type, values: Sequence[Any]) -> _Column:
    pieces = [b"" if v is None else v.encode("utf-8", "replace") if kind is str else v for v in values]
    ends = list(itertools.accumulate(map(len, pieces), initial=0))
    if ends[-1] > _LONGEST:
        raise OverflowError("a text is longer than 2 GiB")
    data = ctypes.create_string_buffer(b"".join(pieces), max(1, ends[-1]))
    return _Column(data, ctypes.addressof(data), array("i", ends))


def _bitmap(values: Sequence[Any]) -> Optional[bytearray]:
    if None not in values:
        return None
    bits = bytearray((len(values) + 7) // 8)
    for i, value in enumerate(values):
        if value is not None:
            bits[i >> 3] |= 1 << (i & 7)
    return bits


def _leaf(name: str, kind: type, values: Sequence[Any]) -> ArrowArray:
    try:
        values = widened(values, kind)
    except TypeError as error:
        raise _Misfit(f'a later row of the column "{name}" has another type: {error}: use CAST') from None
    column = _numbers_of(kind, values) if kind in (int, float) else _bytes_of(kind, values)
    bits = _bitmap(values)
    kept_bits = (ctypes.c_char * len(bits)).from_buffer(bits) if bits else None
    buffers = (c_void_p * 3)(ctypes.addressof(kept_bits) if kept_bits is not None else None)
    if column.offsets is None:
        buffers[1] = column.address
    else:
        buffers[1], buffers[2] = column.offsets.buffer_info()[0], column.address
    return ArrowArray(
        length=len(values),
        null_count=sum(v is None for v in values) if bits else 0,
        n_buffers=2 if column.offsets is None else 3,
        buffers=ctypes.addressof(buffers),
        release=_address(_release_array),
        private_data=_keep((column, bits, kept_bits, buffers)),
    )


def _fill(out: int, made: Any) -> None:
    """Moves a struct to where the consumer wants it."""
    ctypes.memmove(out, ctypes.addressof(made), sizeof(made))


def _batch(out: int, names: Sequence[str], kinds: Sequence[type], rows: Sequence[Row]) -> None:
    children: List[ArrowArray] = []
    try:
        for i, kind in enumerate(kinds):
            children.append(_leaf(names[i], kind, [row[i] for row in rows]))
    except BaseException:
        for child in children:
            _release_array(ctypes.addressof(child))
        raise
    pointers = (c_void_p * max(1, len(children)))(*map(ctypes.addressof, children))
    buffers = (c_void_p * 1)(None)
    parent = ArrowArray(
        length=len(rows),
        n_buffers=1,
        n_children=len(children),
        buffers=ctypes.addressof(buffers),
        children=ctypes.addressof(pointers),
        release=_address(_release_array),
        private_data=_keep((children, pointers, buffers)),
    )
    _fill(out, parent)


def _schema(out: int, names: Sequence[str], formats: Sequence[str]) -> None:
    children = []
    for name, format_ in zip(names, formats):
        child = ArrowSchema(flags=_NULLABLE, release=_address(_release_schema))
        texts = (ctypes.create_string_buffer(format_.encode()), ctypes.create_string_buffer(name.encode("utf-8", "replace")))
        child.format, child.name = (ctypes.cast(text, c_char_p) for text in texts)
        child.private_data = _keep(texts)
        children.append(child)
    pointers = (c_void_p * max(1, len(children)))(*map(ctypes.addressof, children))
    format_text, name_text = ctypes.create_string_buffer(b"+s"), ctypes.create_string_buffer(b"")
    parent = ArrowSchema(
        n_children=len(children),
        children=ctypes.addressof(pointers),
        release=_address(_release_schema),
        private_data=_keep((children, pointers, format_text, name_text)),
    )
    parent.format, parent.name = ctypes.cast(format_text, c_char_p), ctypes.cast(name_text, c_char_p)
    _fill(out, parent)


class _Making:
    """The state of a stream: its rows, its formats, and the last error."""

    def __init__(self, names: Sequence[str], fetch: Callable[[int], List[Row]], declared: Optional[Sequence[str]]) -> None:
        self.names = names
        self._fetch = fetch
        self._waiting: List[List[Row]] = []
        self.error = ctypes.create_string_buffer(1)
        first = fetch(BATCH_ROWS)
        if first:
            self._waiting.append(first)
        known = [_DECLARED.get(d.upper()) for d in declared] if declared is not None else [None] * len(names)
        self.kinds = [widest([row[i] for row in first], k) or str for i, k in enumerate(known)]

    def next(self, out: int) -> None:
        rows = self._waiting.pop(0) if self._waiting else self._fetch(BATCH_ROWS)
        if not rows:
            _fill(out, ArrowArray())
            return
        try:
            _batch(out, self.names, self.kinds, rows)
        except OverflowError:
            if len(rows) == 1:
                raise
            half = len(rows) // 2
            self._waiting[:0] = [rows[:half], rows[half:]]
            self.next(out)

    def failed(self, error: BaseException) -> int:
        self.error = ctypes.create_string_buffer(str(error).encode("utf-8", "replace"))
        return errno.EINVAL if isinstance(error, _Misfit) else errno.EIO


def _making(stream: int) -> _Making:
    making: _Making = _kept[ArrowArrayStream.from_address(stream).private_data][0]
    return making


@_c(_Get)
def _get_schema(stream: int, out: int) -> int:
    making = _making(stream)
    try:
        _schema(out, making.names, [_FORMATS[kind] for kind in making.kinds])
    except BaseException as error:
        return making.failed(error)
    return 0


@_c(_Get)
def _get_next(stream: int, out: int) -> int:
    making = _making(stream)
    try:
        making.next(out)
    except BaseException as error:
        return making.failed(error)
    return 0


@_c(_LastError)
def _get_last_error(stream: int) -> int:
    return ctypes.addressof(_making(stream).error)


@_c(_Release)
def _release_stream(address: int) -> None:
    stream = ArrowArrayStream.from_address(address)
    _, close = _kept.pop(stream.private_data)
    stream.release = None
    close()


class MadeStream:
    """A stream of rows that come from Python. `close` is called when it is released."""

    def __init__(
        self,
        names: Sequence[str],
        fetch: Callable[[int], List[Row]],
        declared: Optional[Sequence[str]],
        close: Callable[[], None],
    ) -> None:
        making = _Making(names, fetch, declared)
        self._struct = ArrowArrayStream(
            get_schema=_address(_get_schema),
            get_next=_address(_get_next),
            get_last_error=_address(_get_last_error),
            release=_address(_release_stream),
            private_data=_keep((making, close)),
        )

    @property
    def address(self) -> int:
        return ctypes.addressof(self._struct)

    def release(self) -> None:
        if self._struct.release:
            _Release(self._struct.release)(self.address)


# --- capsules ------------------------------------------------------------------------------------------

# Prototypes of our own: attributes of pythonapi are shared with whoever else uses it.
_new = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
_keep_forever = PYFUNCTYPE(None, py_object)(("Py_IncRef", pythonapi))

# A consumer may call these while Python ends: their code is never freed.
for _function in (_release_schema, _release_array, _release_watched, _get_schema, _get_next, _get_last_error, _release_stream):
    _keep_forever(_function)

# A destructor of a capsule would be Python code that runs wherever the last reference goes, also while an exception is on its way, which it
# would lose. So the capsules have none and are held here; when this is the last reference, `sweep` releases the stream, unless a consumer
# took it over.
_capsules: List[Tuple[object, Stream]] = []
_ALONE = 2  # references that sys.getrefcount sees of a capsule that is only here


def sweep(*_: Any) -> None:
    """Lets streams go whose capsules have been dropped."""
    dropped = [entry for entry in list(_capsules) if sys.getrefcount(entry[0]) <= _ALONE]
    for entry in dropped:
        if entry in _capsules:
            _capsules.remove(entry)
            entry[1].release()


gc.callbacks.append(sweep)


def release_all() -> None:
    """Ends the streams that no consumer took over, when Python ends."""
    while _capsules:
        _capsules.pop()[1].release()


def capsule(stream: Stream) -> object:
    """A PyCapsule for consumers of Arrow."""
    sweep()
    made: object = _new(stream.address, _NAME, None)
    _capsules.append((made, stream))
    return made


# --- reading -------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """Values of a column in a batch: bytes of its buffers, without the bits of what is NULL (None: nothing is)."""

    format: str
    length: int
    valid: Optional[bytes]
    offsets: Optional[bytes]
    data: bytes


_WIDTHS = {"l": 8, "g": 8}


def _part(format_: str, values: ArrowArray) -> Part:
    if values.offset != 0 or values.dictionary:
        raise UsageError("an Arrow array with an offset is not read")
    n = values.length
    buffers = (c_void_p * values.n_buffers).from_address(values.buffers)
    valid = string_at(buffers[0], (n + 7) // 8) if buffers[0] and values.null_count != 0 else None
    if format_ in _WIDTHS:
        return Part(format_, n, valid, None, string_at(buffers[1], n * _WIDTHS[format_]) if n else b"")
    offsets = string_at(buffers[1], 4 * (n + 1)) if n else b"\0\0\0\0"
    end = int(memoryview(offsets).cast("i")[n])
    return Part(format_, n, valid, offsets, string_at(buffers[2], end) if end else b"")


def _checked(code: int, stream: ArrowArrayStream) -> None:
    if code != 0:
        text = _LastError(stream.get_last_error)(ctypes.addressof(stream))
        raise error_of(2 if code == errno.EINVAL else 1, string_at(text).decode("utf-8", "replace") if text else "")


def parts_of(address: int) -> Iterator[List[Part]]:
    """The batches of a stream, column by column."""
    stream = ArrowArrayStream.from_address(address)
    schema = ArrowSchema()
    _checked(_Get(stream.get_schema)(address, ctypes.addressof(schema)), stream)
    children = (c_void_p * schema.n_children).from_address(schema.children) if schema.n_children else []
    formats = [ArrowSchema.from_address(child).format.decode() for child in children]
    _Release(schema.release)(ctypes.addressof(schema))
    get_next = _Get(stream.get_next)
    while True:
        batch = ArrowArray()
        _checked(get_next(address, ctypes.addressof(batch)), stream)
        if not batch.release:
            return
        try:
            columns = (c_void_p * batch.n_children).from_address(batch.children) if batch.n_children else []
            found = [_part(f, ArrowArray.from_address(c)) for f, c in zip(formats, columns)]
        finally:
            _Release(batch.release)(ctypes.addressof(batch))
        yield found
