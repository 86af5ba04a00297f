"""Traces of the TPTP profiler whose cost should grow with their size and no faster, in time and in memory; see measure.py."""

import os
import struct
import sys

import measure

MB = 1 << 20
START = 1185890426304424450
Q = struct.Struct("<q").pack
I = struct.Struct("<i").pack


# --- the format -----------------------------------------------------------------------------------

def message(number, *parts):
    body = b"".join(parts)
    return struct.pack("<HI", number, len(body) + 6) + body


def z(text=b""):
    return text + b"\0"


def ticks(i):
    return Q(START + 1000 * i)


TAIL = b"\0\0"
FREQUENCY = struct.pack("<HIQ", 2, 14, 10**9)


def thread_start(i, name=b"t", time=0):
    return message(1009, Q(0), Q(i), ticks(time), z(b"main"), z(), Q(0), Q(0), z(name), TAIL)


def thread_end(i, time=0):
    return message(1010, Q(0), Q(i), ticks(time), TAIL)


def class_def(i, name):
    return message(1011, Q(0), Q(1), ticks(0), I(0), z(), Q(0), Q(i), z(b"C.java"), z(), z(), Q(0), Q(0), z(name), z(), I(0), I(0), I(0), TAIL)


def method_def(i, name, owner=1):
    return message(1012, z(name), z(b"()V"), b"\0\0\0\0", z(), Q(1), Q(9), z(), Q(0), Q(owner), Q(i), TAIL)


def entry(i, method=1, thread=1, ticket=None):
    ticket = i + 1 if ticket is None else ticket
    return message(1015, Q(0), Q(thread), ticks(i), Q(method), I(ticket), Q(0), Q(1), Q(0), Q(0), Q(33), TAIL)


def leave(i, method=1, thread=1, ticket=None, cpu=0):
    ticket = i + 1 if ticket is None else ticket
    return message(1016, Q(0), Q(thread), ticks(i), I(ticket), Q(cpu), Q(method), Q(0), Q(0), Q(0), Q(1), z(), TAIL)


def alloc(i, thread=1):
    return message(1014, Q(0), Q(thread), ticks(i), b"\0", Q(0), Q(i), Q(48), Q(7), Q(1), Q(0), Q(1), z(), TAIL)


def free(i, thread=1):
    return message(1024, Q(0), Q(thread), ticks(i), Q(0), Q(i), Q(1), Q(0), Q(0), TAIL)


def frames(stack):
    return I(len(stack)) + b"".join(z(m) for m, _ in stack) + b"".join(Q(n) for _, n in stack)


def wait(i, thread=1, stack=((b"a.B.wait", 4),)):
    return message(1032, Q(thread), ticks(i), Q(i), Q(0), frames(stack))


def waited(i, thread=1):
    return message(1033, Q(thread), ticks(i), Q(i), Q(0), I(0))


HEAD = (b"0TBF\1\0\1\1\x0c\0\0\0" + FREQUENCY)
NAMES = thread_start(1) + class_def(1, b"a.B") + method_def(1, b"run") + method_def(2, b"go")


class Out:
    """Writes one file, and counts its bytes."""

    def __init__(self, path):
        self.f = open(path, "wb", buffering=MB)
        self.bytes = 0

    def put(self, parts):
        for part in parts:
            self.f.write(part)
            self.bytes += len(part)
        self.f.flush()

    def binary(self, *groups, head=HEAD + NAMES):
        self.put([head])
        for group in groups:
            self.put(group)

    def xml(self, *groups):
        self.put([b'<?xml version="1.0"?>\n<TRACE>\n<threadStart threadId="1" time="1.0" threadName="t"/>'
                  b'<classDef classId="1" name="a.B"/><methodDef methodId="1" name="run" classIdRef="1"/>'])
        for group in groups:
            self.put(group)


# --- shapes: a function for each, of the size in events; those that invite quadratic time are larger ------------------

def s_trcbin_calls(o, n):
    o.binary(entry(i) + leave(i) for i in range(n))


def s_trcbin_calls_deep(o, n):
    o.binary((entry(i, 1, 1, i + 1) for i in range(n)), (leave(i, 1, 1, i + 1) for i in range(n - 1, -1, -1)))


def s_trcbin_calls_deep_without_tickets(o, n):
    o.binary((entry(i, 1 + i % 2, 1, 0) for i in range(n)), (leave(i, 1 + i % 2, 1, 0) for i in range(n - 1, -1, -1)))


def s_trcbin_calls_open(o, n):
    n *= 3
    o.binary(entry(i) for i in range(n))


def s_exits_unmatched(o, n):  # each looks through all that is open
    n *= 3
    o.binary((entry(i) for i in range(n)), (leave(i, 1, 1, 2000000000 + i % 1000) for i in range(n)))


def s_exits_unmatched_without_tickets(o, n):
    n *= 3
    o.binary((entry(i, 1, 1, 0) for i in range(n)), (leave(i, 2, 1, 0) for i in range(n)))


def s_exits_below(o, n):  # of a frame far down that is closed, open again and closed
    n *= 3
    o.binary((entry(i) for i in range(n)), (leave(n // 2 - i, 1, 1, n // 2 - i) for i in range(n // 2)))


def s_tickets_alike(o, n):
    n *= 3
    o.binary((entry(i, 1, 1, 7) for i in range(n)), (leave(i, 1, 1, 7) for i in range(n)))


def s_paths(o, n):  # each of its own
    o.binary((method_def(i, b"m%d" % i) for i in range(10, 10 + n)),
             (entry(i, 10 + i) + entry(i + n, 1) + leave(i + n, 1) + leave(i, 10 + i) for i in range(n)))


def s_cpu_clocks(o, n):
    o.binary(entry(i) + leave(i, cpu=100 * i) for i in range(n))


def s_cpu_of_threads(o, n):  # too few exits to decide anything
    o.binary(entry(i, thread=i) + leave(i, thread=i, cpu=100) for i in range(1, n))


def s_threads(o, n):
    o.binary(thread_start(i, b"thread %d" % i) for i in range(2, n))


def s_threads_undefined(o, n):
    o.binary(entry(i, thread=i) for i in range(2, n))


def s_threads_again(o, n):  # one id
    n *= 3
    o.binary(thread_start(1) + entry(i) + thread_end(1) for i in range(n))


def s_classes(o, n):
    o.binary(class_def(i, b"a.b.C%d" % i) for i in range(2, n))


def s_classes_again(o, n):
    o.binary(class_def(1, b"a.b.C%d" % i) + method_def(1, b"run") + entry(i) + leave(i) for i in range(n))


def s_methods(o, n):
    o.binary(method_def(i, b"m%d" % i) for i in range(2, n))


def s_methods_collide(o, n):  # far apart, with equal low bits
    o.binary(method_def(i << 40, b"run") for i in range(1, n))


def s_methods_undefined(o, n):
    o.binary(entry(i, method=100 + i) + leave(i, method=100 + i) for i in range(n))


def s_names_long(o, n):
    o.binary(method_def(i, b"m" * 50000) for i in range(n // 500))


def s_objects_alive(o, n):
    o.binary(alloc(i) for i in range(1, n))


def s_objects_of_one_id(o, n):
    n *= 3
    o.binary((alloc(1) for i in range(n)), (free(1) for i in range(n)))


def s_objects_freed(o, n):
    o.binary((alloc(i) for i in range(1, n)), (free(i) for i in range(n - 1, 0, -1)))


def s_objects_unknown(o, n):
    o.binary(free(i) for i in range(1, n))


def s_collections_open(o, n):
    n *= 3
    o.binary((message(1023, Q(0), Q(1), ticks(i), TAIL) for i in range(n)),
             (message(1027, Q(0), Q(1), ticks(i), Q(1), Q(2), Q(3), TAIL) for i in range(n)))


def s_waits(o, n):
    o.binary(wait(i) + waited(i) for i in range(1, n))


def s_waits_open(o, n):
    n *= 3
    o.binary((wait(i) for i in range(1, n)), (waited(i) for i in range(1, n)))


def s_waits_of_one(o, n):  # begun again and again
    n *= 3
    o.binary(message(1034, Q(1), ticks(i), Q(7), Q(2), frames([(b"a.B.run", i)])) for i in range(n))


def s_waits_ended(o, n):  # that never began
    o.binary(waited(i) for i in range(1, n))


def s_wait_frames(o, n):
    o.binary(wait(i, stack=[(b"a.B.m%d" % (i * k % 1009), k) for k in range(500)]) for i in range(n // 500))


def s_aggregates_deep(o, n):
    n *= 3
    o.binary((message(1036, Q(1), Q(1 + i % 2), Q(5), Q(1), Q(9), Q(3), Q(4)) for i in range(n)),
             (message(1037, Q(1), Q(1 + i % 2)) for i in range(n)))


def s_aggregates_unmatched(o, n):
    n *= 3
    o.binary((message(1036, Q(1), Q(1), Q(5), Q(1), Q(9), Q(3), Q(4)) for i in range(n)), (message(1037, Q(1), Q(2)) for i in range(n)))


def s_references(o, n):
    o.binary([message(1038, Q(1), ticks(0), z(b"d"), Q(0))], (message(1040, Q(i), Q(i + 1), Q(1)) for i in range(n)))


def s_dumps(o, n):
    o.binary(message(1038, Q(i), ticks(i), z(b"d"), Q(0)) + message(1039, Q(1), Q(i), z(b"r")) for i in range(1, n))


def s_options(o, n):
    o.binary(message(1008, z(), z(b"k%d" % i), z(b"v")) + message(1007, z(), z(b"p%d" % i), z(), z(), z(), z(), z()) for i in range(n))


def s_hosts(o, n):
    o.binary(message(1001, z(b"n%d" % i), z(b"h"), z(), I(0), ticks(0)) + message(1002, z(b"p%d" % i), z(), I(i), z(b"n%d" % i), ticks(0), z()) +
             message(1003, z(b"a%d" % i), z(b"p%d" % i), z(), z(), ticks(0), z(), z()) for i in range(n))


def s_sessions(o, n):
    n *= 3
    o.binary(message(1005, z(b"t%d" % i), z(), ticks(0), z()) + entry(i) + leave(i) + message(1006, z(b"t%d" % i), ticks(0), z())
             for i in range(n // 20))


def s_headers(o, n):
    n *= 3
    o.put((HEAD + NAMES + entry(i) + leave(i)) for i in range(n // 20))


def s_headers_empty(o, n):
    n *= 3
    o.put([HEAD + NAMES] + [HEAD] * (n // 20))


def s_unknown_messages(o, n):
    o.binary(message(2000 + i % 30000, b"x" * 20) for i in range(n))


def s_frequencies(o, n):
    o.binary(struct.pack("<HIQ", 2, 14, 10**9 + i) + entry(i) for i in range(n))


def s_encodings(o, n):
    o.binary(message(1, z(b"UTF-8" if i % 2 else b"ISO-8859-1")) + thread_start(i, b"\xc3\xbc") for i in range(n))


def s_texts_bad(o, n):
    o.binary(method_def(i, b"\xff" * 20) for i in range(n))


def s_messages_bad(o, n):  # texts without an end
    o.binary(message(1008, b"abcdef") for i in range(n))


def s_gaps(o, n):  # that three messages end
    n *= 3
    o.binary(entry(i) + leave(i) + entry(i) + leave(i) + b"\xaa" * 9 for i in range(n // 4))


def s_gap_long(o, n):  # below what is searched
    o.binary([b"\xaa" * min(20 * n, MB - 1000)], (entry(i) + leave(i) for i in range(n)))


def s_gap_almost(o, n):  # every place looks like a message, and none begins three
    n *= 3
    o.binary([struct.pack("<HI", 1023, 34)[:6] * (3 * n)])


def s_gaps_of_two(o, n):  # two messages, and again something else
    n *= 3
    o.binary(entry(i) + leave(i) + b"\xaa" * 9 for i in range(n // 2))


def s_zeros(o, n):
    o.binary([bytes(100 * n)])


def s_message_long(o, n):
    o.binary([message(3000, b"x" * (100 * n))])


def s_text_long(o, n):
    o.binary([message(1041, z(b"x" * (100 * n)))])


def s_custom(o, n):
    o.binary(message(1041, z(b"<a b='%d'/>" % i)) for i in range(n))


CALL = b'<methodEntry threadIdRef="1" time="%d.000000000" methodIdRef="1" ticket="%d"/><methodExit threadIdRef="1" time="%d.5" ticket="%d"/>'


def s_trcxml_calls(o, n):
    o.xml(CALL % (i, i + 1, i, i + 1) for i in range(n))


def s_trcxml_calls_deep(o, n):
    o.xml(b'<methodEntry threadIdRef="1" time="%d.0" methodIdRef="1" ticket="%d"/>' % (i, i + 1) for i in range(n))


def s_trcxml_attributes(o, n):  # of one element
    o.xml([b"<methodEntry "], (b'a%d="1" ' % i for i in range(n)), [b"/>"])


def s_trcxml_attributes_unknown(o, n):
    o.xml(b'<methodEntry threadIdRef="1" a%d="1"/>' % i for i in range(n))


def s_trcxml_elements_unknown(o, n):
    o.xml(b'<e%d a="1"/>' % i for i in range(n))


def s_trcxml_nested(o, n):
    o.xml((b"<e>" for i in range(n)), (b"</e>" for i in range(n)))


def s_trcxml_nested_open(o, n):
    n *= 3
    o.xml(b"<e%d>" % (i % 1000) for i in range(n))


def s_trcxml_text(o, n):
    o.xml(b"text &amp; more<gcStart time='1.0'/>" for i in range(n))


def s_trcxml_text_long(o, n):
    o.xml([b"x" * (100 * n)])


def s_trcxml_comments(o, n):
    o.xml(b"<!-- > -- > < -->" for i in range(n))


def s_trcxml_comment_long(o, n):
    o.xml([b"<!--"], (b"<gcStart/>-" for i in range(n)), [b"-->"])


def s_trcxml_comment_open(o, n):
    n *= 3
    o.xml([b"<!--"], (b"<gcStart/>-" for i in range(n)))


def s_trcxml_value_long(o, n):
    o.xml([b'<customData body="' + b"x" * (100 * n) + b'"/>'])


def s_trcxml_value_open(o, n):  # a quote that nothing closes
    n *= 3
    o.xml([b'<customData body="'], (b"<gcStart time='1.0'/>" for i in range(n)))


def s_trcxml_references(o, n):
    o.xml([b'<customData body="' + b"&#65;&lt;" * (10 * n) + b'"/>'])


def s_trcxml_entities_unknown(o, n):
    o.xml(b'<customData body="&e%d;"/>' % i for i in range(n))


def s_trcxml_entities_bomb(o, n):
    o.put([b'<?xml version="1.0"?><!DOCTYPE TRACE [<!ENTITY a0 "' + b"x" * 100 + b'">'] +
          [b'<!ENTITY a%d "&a%d;&a%d;&a%d;&a%d;">' % (i, i - 1, i - 1, i - 1, i - 1) for i in range(1, 30)] + [b"]><TRACE>"])
    o.put(b'<customData body="&a29;"/>' for i in range(n // 10))


def s_trcxml_doctypes(o, n):
    o.xml(b'<!DOCTYPE TRACE SYSTEM "x.dtd">' for i in range(n))


def s_trcxml_documents(o, n):
    n *= 3
    o.put(b'<?xml version="1.0"?>\n<TRACE>\n<gcStart time="%d.0"/></TRACE>' % i for i in range(n))


def s_trcxml_roots_open(o, n):
    o.put(b"<TRACE><gcStart time='1.0'/>" for i in range(n))


def s_trcxml_raw_lt(o, n):
    o.xml(b'<customData body="a<b"/>' for i in range(n))


def s_trcxml_cut_elements(o, n):
    o.xml(b'<methodEntry threadIdRef="1" ti<gcStart time="1.0"/>' for i in range(n))


def s_trcxml_less(o, n):
    n *= 3
    o.xml([b"<" * (100 * n)])


def s_trcxml_bad_bytes(o, n):
    o.xml(b'<customData body="\xff\xfe"/>' for i in range(n))


def s_trcxml_bad_numbers(o, n):
    o.xml(b'<methodEntry threadIdRef="1,5" time="x" ticket="abc"/>' for i in range(n))


def s_trcxml_number_long(o, n):
    o.xml([b'<gcStart time="' + b"1" * (100 * n) + b'"/>'])


def s_trcxml_annotations(o, n):
    o.xml([b'<monWait threadIdRef="1" time="1.0" objIdRef="1"><annotation name="stackMethods">'],
          (b"<value>a.B.m%d</value>" % (i % 100) for i in range(min(n, 60000))), [b'</annotation><annotation name="stackLines">'],
          (b"<value>%d</value>" % i for i in range(min(n, 60000))), [b"</annotation></monWait>"])


def s_trcxml_annotations_many(o, n):
    o.xml([b'<monWait threadIdRef="1" time="1.0" objIdRef="1">'], (b'<annotation name="x%d" value="1"/>' % i for i in range(n)),
          [b"</monWait>"])


def s_trcxml_others(o, n):
    o.xml(b'<throw threadIdRef="1" time="1.0" objIdRef="%d"/>' % i for i in range(n))


def s_trcxml_wide(o, n):  # UTF-16
    o.put([b"\xff\xfe"] + [(CALL % (i, i + 1, i, i + 1)).decode().encode("utf-16-le") for i in range(n)])


# The others are tried with TS_SLOW=1.
ALWAYS = """options trcbin_calls trcbin_calls_open exits_unmatched exits_below aggregates_unmatched paths threads_undefined objects_of_one_id waits_of_one gaps
gap_almost sessions headers trcxml_calls trcxml_attributes_unknown trcxml_nested_open trcxml_value_open trcxml_comment_open trcxml_value_long
trcxml_cut_elements trcxml_annotations""".split()

if __name__ == "__main__":
    every = {name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}
    some = every if len(sys.argv) != 2 or os.environ.get("TS_SLOW") == "1" else {name: every[name] for name in ALWAYS}
    # docs/formats.md: a part that every import has, and so much for what is open, defined or alive, each of which takes some bytes of the file.
    measure.main(every if sys.argv[1] == "--list" else some, Out, "options", 40 * MB, 16, 2000)
