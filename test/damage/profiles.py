"""Profiles of servers whose cost should grow with their size and no faster, in time and in memory; see measure.py."""

import os
import sys

import measure

MB = 1 << 20


class Out:
    def __init__(self, path):
        self.file = open(path, "wb")
        self.bytes = 0

    def put(self, parts):
        for part in parts:
            self.file.write(part)
            self.bytes += len(part)
        self.file.flush()


# --- pprof ----------------------------------------------------------------------------------------


def varint(v):
    out = bytearray()
    while v >= 128:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def number(field, v):
    return varint(field << 3) + varint(v)


def data(field, *parts):
    body = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def packed(field, values):
    return data(field, b"".join(map(varint, values)))


TYPES = data(1, number(1, 1), number(2, 2))
TEXTS = b"".join(data(6, t) for t in (b"", b"samples", b"count", b"main.f", b"main.go", b"key", b"thread id", b"thread name"))


def sample(locations, *more):
    return data(2, packed(1, locations), packed(2, [1]), *more)


def location(i, function=1):
    return data(4, number(1, i), data(4, number(1, function), number(2, 3)))


def function(i, name=3):
    return data(5, number(1, i), number(2, name), number(4, 4))


REST = location(1) + function(1) + TEXTS


def s_samples(o, n):
    o.put([TYPES] + [sample([1])] * n + [REST])


def s_stacks(o, n):  # none like another
    o.put([TYPES] + [sample([1 + i % 97, 1 + i // 97 % 89, 1 + i // 8633]) for i in range(n)] + [location(i + 1) for i in range(max(97, n // 8633 + 1))] +
          [function(1), TEXTS])


def s_stack_deep(o, n):
    o.put([TYPES, sample([1] * n), sample([1] * n), REST])


def s_stack_unknown(o, n):
    o.put([TYPES, sample(range(2, n + 2)), REST])


def s_locations(o, n):
    o.put([TYPES, sample([n])] + [location(i + 1) for i in range(n)] + [function(1), TEXTS])


def s_locations_sparse(o, n):
    o.put([TYPES] + [location((i + 1) << 40) for i in range(n)] + [function(1), sample([1 << 40]), TEXTS])


def s_locations_twice(o, n):
    o.put([TYPES] + [location(7)] * n + [function(1), sample([7]), TEXTS])


def s_lines(o, n):
    o.put([TYPES, data(4, number(1, 1), data(4, number(1, 1)) * n), function(1), sample([1]), TEXTS])


def s_functions(o, n):
    o.put([TYPES, sample([n])] + [location(i + 1, i + 1) for i in range(n)] + [function(i + 1, 8 + i) for i in range(n)] +
          [TEXTS] + [data(6, b"f%d" % i) for i in range(n)])


def s_mappings(o, n):
    o.put([TYPES] + [data(3, number(1, i + 1), number(5, 3)) for i in range(n)] + [sample([1]), REST])


def s_texts(o, n):
    o.put([TYPES, sample([1]), REST] + [data(6, b"t") for i in range(n)])


def s_text_long(o, n):
    o.put([TYPES, sample([1]), REST, data(6, b"t" * (n * 20))])


def s_types(o, n):
    o.put([TYPES] * n + [data(2, packed(1, [1]), packed(2, [1] * n)), REST])


def s_labels(o, n):
    o.put([TYPES, sample([1], data(3, number(1, 5), number(3, 7)) * n), REST])


def s_threads(o, n):
    o.put([TYPES] + [sample([1], data(3, number(1, 6), number(3, i + 1))) for i in range(n)] + [REST])


def s_thread_names(o, n):
    o.put([TYPES] + [sample([1], data(3, number(1, 7), number(2, 8 + i))) for i in range(n)] + [REST] + [data(6, b"w%d" % i) for i in range(n)])


def s_comments(o, n):
    o.put([TYPES, packed(13, [5] * n), sample([1]), REST])


def s_bad_messages(o, n):
    o.put([TYPES, sample([1]), REST] + [data(2, b"\x0b"), data(5, b"\x0b")] * n)


# --- folded stacks --------------------------------------------------------------------------------


def s_folded(o, n):
    o.put([b"main;f%d;g%d %d\n" % (i % 97, i % 89, i) for i in range(n)])


def s_folded_frames(o, n):  # none like another
    o.put([b"main;" + b"f%d" % i + b"x" * 50 + b" 1\n" for i in range(n)])


def s_folded_deep(o, n):
    o.put([b"a 1\nroot" + b";f" * n + b" 1\nroot" + b";f" * (n - 1) + b";g 1\n"])


def s_folded_bad(o, n):
    o.put([b"a;b 1\n" * 10, b"bad\n" * n, b"a;b 1\n" * n])


def s_folded_blank(o, n):
    o.put([b"a;b 1\n", b"\n" * n])


# --- samples of perf ------------------------------------------------------------------------------


def s_perf_text(o, n):
    o.put([b"w %d [001] %d.000001: 5 cycles:u: \n\t%16x f%d+0x1 (/l)\n\t%16x main+0x1 (/l)\n\n" % (i % 97, i, i % 89, i % 89, 5) for i in range(n)])


def s_perf_text_deep(o, n):  # none like another
    o.put([b"w 1 1.000001: cycles: \n"] + [b"\t%16x f%d (/l)\n" % (i, i) for i in range(n)] + [b"\n"])


def s_perf_text_threads(o, n):
    o.put([b"w%d %d/%d 1.000001: 5 cycles:      12345678 f+0x1 (/l)\n" % (i, i, i) for i in range(n)])


def s_perf_text_events(o, n):
    o.put([b"w 1/1 1.000001: 5 e%d:      12345678 f+0x1 (/l)\n" % i for i in range(n)])


def s_perf_text_bad(o, n):
    o.put([b"w 1 1.000001: cycles: \n\t%16x f (/l)\n\n" % 1, b"bad\n" * n])


def s_perf_text_numbers(o, n):  # each of them could be that of the thread
    o.put([b"w 1 1.000001: cycles: \n\t%16x f (/l)\n\n" % 1, b"w" + b" 1" * n + b"\n"])


# --- speedscope -----------------------------------------------------------------------------------


def scope(o, profiles, frames=1):
    text = ",".join('{"name":"f%d"}' % i for i in range(frames))
    o.put([('{"shared":{"frames":[%s]},"profiles":[' % text).encode()] + profiles + [b"]}"])


def evented(parts):
    return [b'{"type":"evented","name":"t","unit":"seconds","startValue":0,"endValue":9,"events":['] + parts + [b"]}"]


def sampled(stacks, n):
    return [b'{"type":"sampled","name":"t","unit":"seconds","startValue":0,"endValue":9,"samples":[' + b",".join(stacks) + b'],"weights":[' + b",".join([b"1"] * n) + b"]}"]


def event(kind, i, comma=True):
    return b'%s{"type":"%s","frame":0,"at":%d}' % (b"," if comma else b"", kind, i)


def s_speedscope_calls(o, n):
    scope(o, evented([event(b"O", 0, False)] + [event(b"O", i) + event(b"C", i) for i in range(n)] + [event(b"C", n)]))


def s_speedscope_open(o, n):
    scope(o, evented([event(b"O", 0, False)] + [event(b"O", i) for i in range(n)]))


def s_speedscope_nested(o, n):
    scope(o, evented([event(b"O", 0, False)] + [event(b"O", i) for i in range(n)] + [event(b"C", n)] * (n + 1)))


def s_speedscope_samples(o, n):
    scope(o, sampled([b"[%d,%d]" % (i % 97, i % 89) for i in range(n)], n), 97)


def s_speedscope_deep(o, n):
    scope(o, sampled([b"[" + b",".join([b"0"] * n) + b"]", b"[" + b",".join([b"0"] * (n - 1) + [b"1"]) + b"]"], 2), 2)


def s_speedscope_frames(o, n):
    scope(o, sampled([b"[%d]" % i for i in range(n)], n), n)


def s_speedscope_profiles(o, n):  # each looks its frames up anew
    one = b"".join(sampled([b"[0]"], 1))
    scope(o, [one] + [b"," + one] * (n // 20))


# --- uploads --------------------------------------------------------------------------------------


def part(head, body):
    return b"--b\r\nContent-Disposition: form-data; " + head + b"\r\n\r\n" + body + b"\r\n"


FOLDED = part(b'name="auto"; filename="auto"', b"a;b 1\n")


def s_datakit_parts(o, n):
    o.put([part(b'name="p%d"; filename="p%d"' % (i, i), b"no profile") for i in range(n)] + [FOLDED, b"--b--\r\n"])


def s_datakit_profiles(o, n):
    o.put([FOLDED] * (n // 4) + [b"--b--\r\n"])


def s_datakit_listed(o, n):  # all of one name, listed as often
    names = b",".join([b'"p"'] * n)
    o.put([part(b'name="event"; filename="event"', b'{"attachments":[' + names + b"]}")] + [part(b'name="x"; filename="p"', b"y")] * n + [FOLDED, b"--b--\r\n"])


def s_datakit_missing(o, n):
    o.put([part(b'name="event"; filename="event"', b'{"attachments":[' + b",".join(b'"n%d"' % i for i in range(n)) + b"]}"), FOLDED, b"--b--\r\n"])


def s_datakit_tags(o, n):
    o.put([part(b'name="tags[]"', b"key%d:value%d" % (i, i)) for i in range(n)] + [FOLDED, b"--b--\r\n"])


def s_datakit_joined(o, n):  # values of one key become one
    o.put([part(b'name="key"', b"v") for i in range(n)] + [FOLDED, b"--b--\r\n"])


def s_datakit_deep(o, n):
    o.put([part(b'name="event"; filename="event"', b'{"a":' * n + b"1" + b"}" * n), FOLDED, b"--b--\r\n"])


def s_datakit_path(o, n):
    o.put([part(b'name="event"; filename="event"', b'{"tags_profiler":"' + b"k:v," * n + b'"}'), FOLDED, b"--b--\r\n"])


def s_datakit_boundaries(o, n):  # that are none
    o.put([FOLDED, part(b'name="x"; filename="x"', b"\r\n--bx" * n), b"--b--\r\n"])


def s_datakit_heads(o, n):  # that have no end
    o.put([FOLDED] + [b"--b\r\nX: y\r\n"] * n + [b"--b--\r\n"])


def s_datakit_numbers(o, n):
    o.put([FOLDED, part(b'name="metrics.json"; filename="metrics.json"', b"[" + b",".join(b'["n%d",%d]' % (i, i) for i in range(n)) + b"]"), b"--b--\r\n"])


ALWAYS = "datakit_parts datakit_joined datakit_tags datakit_listed speedscope_calls speedscope_open speedscope_samples folded folded_frames perf_text perf_text_deep perf_text_threads perf_text_events samples stacks stack_deep stack_unknown locations_sparse functions thread_names".split()

if __name__ == "__main__":
    every = {name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}
    some = every if len(sys.argv) != 2 or os.environ.get("TS_SLOW") == "1" else {name: every[name] for name in ALWAYS}
    # docs/formats.md: a part that every import has, and so much for what is defined, each of which takes some bytes of the file.
    measure.main(every if sys.argv[1] == "--list" else some, Out, "samples", 40 * MB, 24, 5000)
