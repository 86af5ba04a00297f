"""Recordings of the Cloud Profiler whose cost should grow with their size and no faster, in time and in memory.

usage: cloud.py PROGRAM [SHAPE]...   each shape in the sizes that measure.py says, as long as nothing is wrong
       cloud.py --write SHAPE N PATH  one of them
"""

import os
import struct
import zlib

import measure

START = 1700000000000
MB = 1 << 20


# --- the format -----------------------------------------------------------------------------------

def u32(v):
    return struct.pack(">I", v)


def u64(v):
    return struct.pack(">Q", v)


def varint(v):
    b = bytearray()
    while v >= 0x80:
        b.append(v & 0x7F | 0x80)
        v >>= 7
    b.append(v)
    return bytes(b)


def text(s):
    return varint(len(s)) + s.encode("utf-16-be")


def zigzag(v):
    return varint(v << 1 if v >= 0 else (-v << 1) - 1)


def words(names):
    return b"".join(text(s) for s in names)


def positions(pairs):
    return b"".join(varint(i) + text(s) for i, s in pairs)


def params(names):
    return b"\1" + b"".join(text(s) + b"\1\0\1\0" for s in names)


def calls(records, fmt=4):
    return u32(0xFFFEFDFC) + u32(fmt) + u64(START) + b"".join(records)


def call(thread=b"\0", place=b"\1\x08\0", rest=b"\0"):
    """One that begins with the one before; thread, place in the trace, parameters."""
    return b"\0\1\1\1" + thread + b"\0\0" + place + b"\0" * 9 + rest


NAMED = b"\0" + text("main")


def block(thread, events):
    return u64(thread) + u64(START) + events + b"\3"


def trace(blocks):
    return u64(START) + b"".join(blocks)


def many(n, make):
    return b"".join(make(i) for i in range(n))


BASE = ["call.info", "a b.c() (d)", "e", "f"]
ROOT = b"\0\1"  # enters the method, at once


# --- containers -----------------------------------------------------------------------------------

class Out:
    """Writes to a path, and counts what the streams have."""

    def __init__(self, path):
        self.path = path
        self.bytes = 0

    def file(self, name, data, packed=None):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if packed is None else packed)
        self.bytes += len(data)

    def pod(self, start=START, **streams):
        """Files of the agent itself."""
        for stream, data in streams.items():
            for i, part in enumerate(data if isinstance(data, list) else [data]):
                self.file("%d/%s/%06d" % (start, stream, i + 1), part)

    def flat(self, **streams):
        for stream, data in streams.items():
            self.file("p.%s.protocol" % stream, data)

    def conversation(self, data):
        with open(self.path, "wb") as f:
            f.write(data)
        self.bytes += len(data)


def version(pod=b"", size=b""):
    return b"\x14" + u64(100605) + u32(len(pod)) + pod + u32(len(size)) + size + u32(0) + u64(100605)


def opened(name, handle, seq=0):
    return b"\x15" + u32(len(name)) + name + u64(0) + handle.to_bytes(16, "big") + u64(0) * 2 + u32(seq)


def sent(handle, data):
    return b"\2" + handle.to_bytes(16, "big") + u32(len(data)) + data + b"\0"


# --- shapes: a function for each, of the size in records ------------------------------------------

def s_words(o, n):
    o.pod(dictionary=words("word.%d" % i for i in range(n)), trace=trace([]))


def s_words_empty(o, n):
    o.pod(dictionary=b"\2\0a\0b" + b"\0" * (8 * n), trace=trace([]))


def s_words_of_methods(o, n):
    o.pod(dictionary=words("a b.c%d() (d)" % i for i in range(n)), trace=trace([]))


def s_words_long(o, n):
    o.pod(dictionary=words("%07d" % i * (n // 2) for i in range(10)), trace=trace([]))


def s_positions(o, n):
    o.pod(posDictionary=positions((i, "word.%d" % i) for i in range(n)), trace=trace([]))


def s_positions_far(o, n):
    o.pod(posDictionary=positions((i * (2**31 // n), "w%d" % i) for i in range(n)), trace=trace([]))


def s_positions_jump(o, n):  # as far as they may
    o.pod(posDictionary=positions((i << 20, "") for i in range(min(n // 20, 2047))), trace=trace([]))


def s_positions_again(o, n):
    o.pod(posDictionary=positions((7, "w%d" % i) for i in range(n)), trace=trace([]))


def s_phrases_bad(o, n):
    o.flat(posDictionary=many(n, lambda i: u32(3) + b"\0\xff\xff"), trace=trace([]))


def s_params(o, n):
    o.pod(dictionary=words("word.%d" % i for i in range(n)), params=params("word.%d" % (n - 1 - i) for i in range(n)), trace=trace([]))


def s_params_unknown(o, n):
    o.pod(dictionary=words("word.%d" % i for i in range(n)), params=params("none.%d" % i for i in range(n)), trace=trace([]))


def s_pauses(o, n):
    o.pod(suspend=u64(START) + b"\2\1" * (4 * n), trace=trace([]), dictionary=words(BASE))


def s_pauses_back(o, n):
    o.pod(suspend=u64(START) + b"\xff\xff\xff\xff\x0f\x7f" * n, trace=trace([]), dictionary=words(BASE))


def s_pauses_of_calls(o, n):
    o.pod(suspend=u64(START) + b"\2\1" * n, dictionary=words(BASE),
          calls=calls([call(NAMED)] + [call()[:2] + varint(i) + call()[3:] for i in range(n // 4)]), trace=trace([block(1, b"")]))


def s_texts(o, n):
    o.pod(dictionary=words(BASE), sql=many(n, lambda i: text("select %d" % i)), trace=trace([]))


def s_texts_empty(o, n):
    o.pod(dictionary=words(BASE), xml=b"\0" * (8 * n), trace=trace([]))


def s_text_long(o, n):
    o.pod(dictionary=words(BASE), xml=varint(100 * n) + b"\0x" * (100 * n), trace=trace([]))


def s_text_wide(o, n):
    o.pod(dictionary=words(BASE), xml=varint(100 * n) + b"\x4e\x2d" * (100 * n), trace=trace([]))


def s_text_cut(o, n):
    o.pod(dictionary=words(BASE), xml=varint(100000000) + b"\0x" * (100 * n), trace=trace([]))


def s_call_values(o, n):  # one record
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\1")]),
          calls=calls([call(NAMED, rest=b"\x20" + (b"\2" + varint(1 << 18) + b"\1\0x" * (1 << 18)) * (n // 5000))]))


def s_call_cut(o, n):  # one that never ends
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\1")]),
          calls=calls([call(NAMED, rest=varint(4096) + (b"\2" + varint(1 << 20) + b"\0" * (1 << 20)) * (n // 2500))]))


def s_call_params(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\1")]),
          calls=calls([call(NAMED)] + [call(rest=varint(4096) + b"\2\1\0" * 4096)] * (n // 400)))


def s_call_params_of_no_word(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\1")]), calls=calls([call(NAMED)] + [call(rest=b"\1\x77\1\0")] * n))


def s_calls_without_trace(o, n):
    o.pod(dictionary=words(BASE), calls=calls([call(NAMED)] + [call(place=b"\7\x08\0")] * n))


def s_calls_of_a_root(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\1")]), calls=calls([call(NAMED)] + [call()] * n))


def s_calls_of_no_method(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\1")]),
          calls=calls([call(NAMED)] + [b"\0" + varint(1000 + i) + call()[2:] for i in range(n)]))


def s_thread_names(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\1")]), calls=calls(call(varint(i) + text("t%d" % i)) for i in range(n)))


def s_threads(o, n):
    o.pod(dictionary=words(BASE), trace=trace(block(i << 32, b"") for i in range(n)))


def s_threads_open(o, n):
    o.pod(dictionary=words(BASE), trace=trace(block(i, ROOT) for i in range(n)))


def s_blocks(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\1")] * n))


def s_roots(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, (ROOT + b"\1") * (4 * n))]))


def s_deep(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT * min(4 * n, 900000))]))


def s_deep_many(o, n):
    o.pod(dictionary=words(BASE), trace=trace(block(i, ROOT * (n // 8)) for i in range(16)))


def s_paths(o, n):  # each callee of another method
    o.pod(dictionary=words("a b.c%d() (d)" % i for i in range(n)), trace=trace([block(1, many(n, lambda i: b"\0" + varint(i) + b"\1"))]))


def s_methods_without_word(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, many(n, lambda i: b"\0" + varint(i + 1000) + b"\1"))]))


def s_tags(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\2\2\0\2\0x\0y" * (2 * n) + b"\1")]))


def s_tag_long(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\2\2\0" + varint(100 * n) + b"\0x" * (100 * n) + b"\1")]))


def s_tags_of_texts(o, n):
    o.pod(dictionary=words(BASE), sql=b"\1\0x" * n, trace=trace([block(1, ROOT + many(n, lambda i: b"\2\2\3\1" + varint(3 * i)) + b"\1")]))


def s_tags_of_no_text(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\2\2\3\1\7" * n + b"\1")]))


def s_tags_of_no_word(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, ROOT + b"\2\x77\0\0" * n + b"\1")]))


def s_amounts(o, n):
    o.pod(dictionary=words(["call.info", "a b.c() (d)", "memory.allocated"]),
          trace=trace([block(1, (ROOT + b"\2\2\0" + text("536870919") + b"\1") * n)]))


def s_stray_exits(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, b"\1" * (8 * n))]))


def s_lost_roots(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, (ROOT * 3 + b"\2\0\0\0\1") * n)]))


def s_clock_back(o, n):
    o.pod(dictionary=words(BASE), trace=trace([block(1, (ROOT + b"\xfd\xff\xff\xff\x3f") * n)]))


def s_cut_files(o, n):  # many threads, and many files that end inside a block
    threads = trace(block(i, ROOT + b"\1") for i in range(8 * n))
    cut = trace([block(1, ROOT)])[:-1]
    o.pod(dictionary=words(BASE), trace=[threads] + [cut] * (n // 8))


def s_pods(o, n):  # none of them has params
    for i in range(n // 10):
        o.file("shop/2023/11/14/%d/trace/000001" % (START + i), trace([block(1, ROOT + b"\1")]))


def s_members(o, n):  # of gzip
    def packed(part):
        z = zlib.compressobj(1, zlib.DEFLATED, 31)
        return z.compress(part) + z.flush()
    parts = [text("word.%d" % i) for i in range(n)]
    o.file("%d/dictionary/000001.gz" % START, b"".join(parts), b"".join(packed(p) for p in parts))
    o.pod(trace=trace([]))


def s_tcp_pods(o, n):
    o.conversation(version() * n)


def s_tcp_streams(o, n):
    o.conversation(version() + many(n, lambda i: opened(b"sql", i, i) + sent(i, b"\0")))


def s_tcp_streams_of_pods(o, n):
    o.conversation((version() + many(60, lambda i: opened(b"s%d" % i, i << 64) + sent(i << 64, b"\0"))) * (n // 60))


def s_tcp_opened_again(o, n):
    o.conversation(version() + many(n, lambda i: opened(b"sql", 1, i % 4000)))


def s_tcp_data(o, n):  # a byte each, for streams in turn
    o.conversation(version() + many(4000, lambda i: opened(b"sql", i, i)) + many(4 * n, lambda i: sent(i * 7 % 4000, b"\0")))


def s_tcp_data_of_none(o, n):
    o.conversation(version() + sent(77, b"") * (4 * n))


def s_tcp_acknowledged(o, n):
    o.conversation(version() + b"\0\x11" * (8 * n))


def s_tcp_fields(o, n):  # of the largest size
    o.conversation(version() + version(b"p" * MB, b"s" * MB) * (n // 5000))


if __name__ == "__main__":
    # docs/formats.md: a part that every import has, and so many bytes for each of the streams.
    measure.main({name[2:]: f for name, f in list(globals().items()) if name.startswith("s_")}, Out, "words", 24 * MB, 96)
