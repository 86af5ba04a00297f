"""Recordings of plugins that invite too much time or memory, for growth.py and memory.py: SHAPES[name](n) is their segments."""

from htrace_bytes import field, segment, varint


def number(field, v):
    return varint(field << 3) + varint(v & (1 << 64) - 1)


def hilog_lines(n):
    """Numbers that go back, all in few messages, and each with another text."""
    def line(i):
        return field(1, field(1, number(1, 12 + i) + number(5, 73) + field(6, b"tag %d" % i)) + field(2, b"text %d" % i) + number(3, n - i))

    return b"".join(segment(b"hilog-plugin", b"".join(line(i) for i in range(at, min(n, at + 1000)))) for at in range(0, n, 1000))


SHAPES = {f.__name__: f for f in (hilog_lines,)}
