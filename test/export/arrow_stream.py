"""A reader of Arrow IPC streams, from the description of the format: flatbuffers with every reference checked, and record batches of four types."""
import struct


class Flat:
    """A table of a flatbuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        assert at % 4 == 0 and at + 4 <= len(data)
        self.vtable = at - struct.unpack_from("<i", data, at)[0]
        self.vsize, self.size = struct.unpack_from("<HH", data, self.vtable)
        assert self.vtable % 2 == 0 and self.vsize >= 4 and self.vsize % 2 == 0 and self.vtable + self.vsize <= len(data) and at + self.size <= len(data)

    def place(self, field, size):
        entry = 4 + 2 * field
        offset = struct.unpack_from("<H", self.data, self.vtable + entry)[0] if entry + 2 <= self.vsize else 0
        assert offset == 0 or offset >= 4 and offset + size <= self.size and (self.at + offset) % size == 0
        return self.at + offset if offset else None

    def number(self, field, form, default=0):
        at = self.place(field, struct.calcsize(form))
        return default if at is None else struct.unpack_from("<" + form, self.data, at)[0]

    def target(self, field):
        at = self.place(field, 4)
        return None if at is None else at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, field):
        return Flat(self.data, self.target(field))

    def vector(self, field, size, align):
        """Where its elements are."""
        at = self.target(field)
        count = struct.unpack_from("<I", self.data, at)[0]
        assert at % 4 == 0 and (at + 4) % align == 0 and at + 4 + count * size <= len(self.data)
        return [at + 4 + i * size for i in range(count)]

    def text(self, field):
        places = self.vector(field, 1, 1)
        at = self.target(field) + 4
        assert self.data[at + len(places)] == 0
        return self.data[at:at + len(places)].decode()


TYPES = {2: "int64", 3: "float64", 4: "binary", 5: "utf8"}


def column_of(field):
    kind = TYPES[field.number(2, "B")]
    one = field.table(3)
    assert field.number(1, "B") == 1 and field.vector(5, 4, 4) == [] and field.place(4, 4) is None
    assert kind != "int64" or (one.number(0, "i"), one.number(1, "B")) == (64, 1)
    assert kind != "float64" or one.number(0, "h") == 2
    return field.text(0), kind


def values_of(kind, rows, nulls, buffers):
    valid = [bool(buffers[0][i // 8] >> i % 8 & 1) for i in range(rows)]
    assert len(buffers[0]) == (rows + 7) // 8 and valid.count(False) == nulls
    if kind in ("int64", "float64"):
        values = struct.unpack(f"<{rows}{'q' if kind == 'int64' else 'd'}", buffers[1])
    else:
        offsets = struct.unpack(f"<{rows + 1}i", buffers[1])
        assert offsets[0] == 0 and offsets[-1] == len(buffers[2]) and list(offsets) == sorted(offsets)
        values = [buffers[2][a:b] for a, b in zip(offsets, offsets[1:])]
        values = [v.decode() for v in values] if kind == "utf8" else values
    return [v if ok else None for v, ok in zip(values, valid)]


def read(data):
    """([(name, type)], rows, rows of each batch) of a whole stream with nothing after it."""
    at, columns, rows, batches = 0, None, [], []
    while True:
        mark, size = struct.unpack_from("<Ii", data, at)
        assert mark == 0xFFFFFFFF and size % 8 == 0, (mark, size)
        at += 8
        if size == 0:
            assert at == len(data), "bytes after the end"
            return columns, rows, batches
        metadata = data[at:at + size]
        message = Flat(metadata, struct.unpack_from("<I", metadata)[0])
        at += size
        length = message.number(3, "q")
        assert message.number(0, "h") == 4 and length % 8 == 0 and at + length <= len(data)
        header = message.table(2)
        if message.number(1, "B") == 1:
            assert columns is None and length == 0 and header.number(0, "h") == 0
            columns = [column_of(Flat(metadata, p + struct.unpack_from("<I", metadata, p)[0])) for p in header.vector(1, 4, 4)]
            continue
        assert message.number(1, "B") == 3
        count = header.number(0, "q")
        nodes = [struct.unpack_from("<qq", metadata, p) for p in header.vector(1, 16, 8)]
        buffers, end = [], 0
        for p in header.vector(2, 16, 8):
            begin, n = struct.unpack_from("<qq", metadata, p)
            assert begin == end and begin % 8 == 0 and begin + n <= length
            buffers.append(data[at + begin:at + begin + n])
            end = begin + (n + 7) // 8 * 8
        assert end == length and len(nodes) == len(columns)
        found = []
        for (_, kind), (n, nulls) in zip(columns, nodes):
            assert n == count
            own = 2 if kind in ("int64", "float64") else 3
            found.append(values_of(kind, count, nulls, buffers[:own]))
            del buffers[:own]
        assert not buffers
        rows += zip(*found)
        batches.append(count)
        at += length
