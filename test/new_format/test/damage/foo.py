"""Lists of foo whose cost should grow with their size and no faster, in time and in memory; see measure.py. And one that is damaged."""

import sys

import measure

MB = 1 << 20


class Out:
    def __init__(self, path):
        self.path = path
        self.bytes = 0

    def put(self, text):
        with open(self.path, "w", encoding="ascii") as f:
            f.write(text)
        self.bytes = len(text)


def values(n):
    return "foo 1\n" + "".join("%d name %d\n" % (i, i) for i in range(1, n + 1)) + "end\n"


def s_foo(o, n):
    o.put(values(n))


def s_foo_names(o, n):  # none like another
    o.put("foo 1\n" + "".join("%d %s 1\n" % (i, "".join(chr(97 + int(c)) for c in str(i))) for i in range(1, n + 1)) + "end\n")


def s_foo_bad(o, n):
    o.put("foo 1\n" + "1 a\n" * n + "end\n")


# For campaign.py: tables that are compared, and the recording.
DAMAGED = [("values of foo", "set", "SELECT number, name, value FROM foo_value")]


def damaged(path):
    Out(path).put(values(400))


if __name__ == "__main__":
    measure.main({name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}, Out, "foo", 40 * MB, 24)
