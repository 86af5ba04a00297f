"""A consumer of the Arrow C stream interface, written from its specification alone (nothing of the package is used), with ctypes.

It checks what the specification asks of a producer: names and formats, flags, bitmaps, offsets that rise, release that clears itself, and
that children may be moved out of their parent and outlive it.
"""

import ctypes
import struct

P, I64 = ctypes.c_void_p, ctypes.c_int64


class Schema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", P), ("flags", I64), ("n_children", I64),
                ("children", ctypes.POINTER(P)), ("dictionary", P), ("release", ctypes.CFUNCTYPE(None, P)), ("private_data", P)]


class Array(ctypes.Structure):
    _fields_ = [("length", I64), ("null_count", I64), ("offset", I64), ("n_buffers", I64), ("n_children", I64),
                ("buffers", ctypes.POINTER(P)), ("children", ctypes.POINTER(P)), ("dictionary", P),
                ("release", ctypes.CFUNCTYPE(None, P)), ("private_data", P)]


class ArrayStream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, P, P)), ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, P, P)),
                ("get_last_error", ctypes.CFUNCTYPE(P, P)), ("release", ctypes.CFUNCTYPE(None, P)), ("private_data", P)]


_pointer = ctypes.PYFUNCTYPE(P, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
NAME = b"arrow_array_stream"


class ArrowError(Exception):
    """get_schema or get_next failed: errno and the text of get_last_error."""


def move(kind, address):
    """What is at the address, taken over: there it counts as released."""
    taken = kind()
    ctypes.memmove(ctypes.addressof(taken), address, ctypes.sizeof(kind))
    ctypes.memset(address + kind.release.offset, 0, ctypes.sizeof(P))
    return taken


def released(thing):
    return not ctypes.cast(thing.release, P).value


def end(thing):
    """Calls release, which has to clear itself."""
    thing.release(ctypes.addressof(thing))
    assert released(thing), "release did not clear itself"


def column(kind, a):
    """The values of an array of one of the formats that are expected."""
    assert a.n_children == 0 and not a.dictionary and a.offset >= 0, "no plain array"
    assert a.n_buffers == (3 if kind in "uz" else 2), f"{a.n_buffers} buffers of format {kind}"
    first, n = a.offset, a.length
    valid = None
    if a.buffers[0]:
        bits = ctypes.string_at(a.buffers[0], (first + n + 7) // 8)
        valid = [bits[i // 8] >> i % 8 & 1 for i in range(first, first + n)]
        assert a.null_count in (-1, valid.count(0)), f"null_count {a.null_count}, but {valid.count(0)}"
    else:
        assert a.null_count in (0, -1), "NULLs without a bitmap"
    if kind in "lg":
        raw = ctypes.string_at(a.buffers[1] + 8 * first, 8 * n) if n else b""
        values = list(struct.unpack(f"<{n}{'q' if kind == 'l' else 'd'}", raw))
    else:
        ends = struct.unpack(f"<{n + 1}i", ctypes.string_at(a.buffers[1] + 4 * first, 4 * (n + 1))) if n else (0,)
        assert all(0 <= x <= y for x, y in zip(ends, ends[1:])), "offsets that fall"
        raw = ctypes.string_at(a.buffers[2], ends[-1]) if ends[-1] else b""
        values = [raw[x:y] for x, y in zip(ends, ends[1:])]
        if kind == "u":
            values = [v.decode("utf-8") for v in values]  # strict
    return values if valid is None else [v if ok else None for v, ok in zip(values, valid)]


def take(capsule):
    """The stream in the capsule, moved out of it."""
    assert _is_valid(capsule, NAME), "no capsule of a stream"
    address = _pointer(capsule, NAME)
    assert not released(ArrayStream.from_address(address)), "the stream is released"
    return move(ArrayStream, address)


def checked(stream, code):
    if code:
        text = stream.get_last_error(ctypes.addressof(stream))
        raise ArrowError(code, ctypes.string_at(text).decode() if text else None)


def read_schema(stream):
    """[(name, format)]"""
    schema = Schema()
    checked(stream, stream.get_schema(ctypes.addressof(stream), ctypes.addressof(schema)))
    assert schema.format == b"+s" and not schema.dictionary, schema.format
    found = []
    for i in range(schema.n_children):
        child = Schema.from_address(schema.children[i])
        assert child.flags & 2, "a column that cannot be NULL"
        found.append((child.name.decode(), child.format.decode()))
    end(schema)
    return found


def read_batches(stream, formats, move_children=False):
    """Lists of columns. move_children: each child outlives its parent."""
    while True:
        batch = Array()
        checked(stream, stream.get_next(ctypes.addressof(stream), ctypes.addressof(batch)))
        if released(batch):
            return
        assert batch.n_children == len(formats) and batch.null_count in (0, -1) and batch.n_buffers == 1, "no struct"
        if move_children:
            moved = [move(Array, batch.children[i]) for i in range(len(formats))]
            end(batch)
        else:
            moved = [Array.from_address(batch.children[i]) for i in range(len(formats))]
        try:
            assert all(a.length == batch.length for a in moved), "columns of other lengths"
            yield [column(kind, a) for kind, a in zip(formats, moved)]
        finally:
            for a in moved if move_children else [batch]:
                end(a)


def read(capsule, move_children=False):
    """[(name, format)] and all rows."""
    stream = take(capsule)
    try:
        schema = read_schema(stream)
        rows = []
        for columns in read_batches(stream, [f for _, f in schema], move_children):
            rows += zip(*columns)
        return schema, rows
    finally:
        end(stream)
