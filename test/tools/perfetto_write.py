"""Packets of traces of Perfetto, and random traces of them: sequences with interned data and states of their own, clocks, tracks, events, counters,
arguments. Nothing of it is taken from the program's reader."""

import struct
import zlib

MARK = bytes.fromhex("82477a76b28d42ba81dc33326d57a079")
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    out.append(v)
    return bytes(out)


def number(field, v):
    return varint(field << 3) + varint(v)


def fixed64(field, v):
    return varint(field << 3 | 1) + struct.pack("<Q", v)


def real(field, v):
    return varint(field << 3 | 1) + struct.pack("<d", v)


def text(field, v):
    v = v.encode() if isinstance(v, str) else v
    return varint(field << 3 | 2) + varint(len(v)) + v


def packet(*parts):
    return text(1, b"".join(parts))


def clocks(values, primary=None):
    """{number: (time, incremental, unit)}"""
    body = b""
    for clock, (time, incremental, unit) in values.items():
        body += text(1, number(1, clock) + number(2, time) + (number(3, 1) if incremental else b"") + (number(4, unit) if unit else b""))
    return text(6, body + (number(2, primary) if primary else b""))


def process_track(uuid, pid, name):
    return text(60, number(1, uuid) + text(3, number(1, pid) + text(6, name)))


def thread_track(uuid, parent, pid, tid, name):
    return text(60, number(1, uuid) + text(4, number(1, pid) + number(2, tid) + text(5, name)) + number(5, parent))


def plain_track(uuid, parent, name):
    return text(60, number(1, uuid) + text(2, name) + (number(5, parent) if parent else b""))


def counter_track(uuid, parent, name, kind=0, unit=0, unit_name=None, multiplier=0, incremental=False):
    body = (number(1, kind) if kind else b"") + (number(3, unit) if unit else b"") + (text(6, unit_name) if unit_name else b"")
    body += (number(4, multiplier) if multiplier else b"") + (number(5, 1) if incremental else b"")
    return text(60, number(1, uuid) + text(2, name) + (number(5, parent) if parent else b"") + text(8, body))


class Sequence:
    """A writer: it sends each name once, under a number, until its state is cleared."""

    def __init__(self, number_, clock=None, track=None, counters=()):
        self.id, self.clock, self.track, self.counters, self.timebase = number_, clock, track, counters, None
        self.clear()

    def clear(self):
        self.known = {}
        self.cleared = True
        self.pending = b""

    def intern(self, field, name, rest=b""):
        if (field, name) not in self.known:
            self.known[field, name] = len(self.known) + 1
            body = number(1, self.known[field, name]) + (rest or text(2, name))
            self.pending += text(field, body)
        return self.known[field, name]

    def send(self, payload, time=None, clock=None, dropped=0):
        """The packet of a payload, with what it needs before it."""
        parts = number(8, time) if time is not None else b""
        parts += number(58, clock) if clock is not None else b""
        parts += number(10, self.id) + (number(42, dropped) if dropped else b"")
        if self.cleared:
            defaults = number(58, self.clock) if self.clock is not None else b""
            event = number(11, self.track) if self.track is not None else b""
            event += b"".join(number(31, u) for u in self.counters)
            perf = text(12, text(1, self.timebase)) if self.timebase is not None else b""
            parts += number(13, 1) + text(59, defaults + (text(11, event) if event else b"") + perf)
            self.cleared = False
        else:
            parts += number(13, 2)
        if self.pending:
            parts += text(12, self.pending)
            self.pending = b""
        return packet(parts, payload)


NAMES = ["main", "draw", "f", "naïve", "a\nb", 'say "x"', "\U0001f600", "Looper.loop", "x" * 200]


def value(rng, sequence, depth):
    kind = rng.randrange(9 if depth < 4 else 7)
    if kind == 0:
        return number(2, rng.randrange(2))
    if kind == 1:
        return number(3, rng.getrandbits(rng.choice((3, 40, 64))))
    if kind == 2:
        return number(4, rng.randrange(-1 << 40, 1 << 40))
    if kind == 3:
        return real(5, rng.choice((0.0, 1.5, -2.25e300, float("inf"), 0.1)))
    if kind == 4:
        return text(6, rng.choice(NAMES))
    if kind == 5:
        return number(7, rng.getrandbits(48))
    if kind == 6:
        return number(17, sequence.intern(29, rng.choice(NAMES)))
    if kind == 7:
        return b"".join(text(11, annotation(rng, sequence, depth + 1)) for _ in range(rng.randrange(1, 4)))
    return b"".join(text(12, value(rng, sequence, depth + 1)) for _ in range(rng.randrange(1, 4)))


def annotation(rng, sequence, depth=0):
    name = rng.choice(("key", "size", "naïve", "k"))
    head = number(1, sequence.intern(3, name)) if rng.random() < 0.5 else text(10, name)
    return head + value(rng, sequence, depth) if rng.random() < 0.5 else value(rng, sequence, depth) + head


def event(rng, sequence, kind, uuid, more=b""):
    """A track event; names by number or as texts."""
    name = rng.choice(NAMES)
    body = number(9, kind) + (number(11, uuid) if uuid is not None else b"")
    if kind != END and kind != COUNTER:
        body += number(10, sequence.intern(2, name)) if rng.random() < 0.6 else text(23, name)
        for category in rng.sample(("ui", "gc", "io"), rng.randrange(3)):
            body += number(3, sequence.intern(1, category)) if rng.random() < 0.5 else text(22, category)
    if kind != COUNTER:
        body += b"".join(text(4, annotation(rng, sequence)) for _ in range(rng.choice((0, 0, 1, 3))))
        if rng.random() < 0.2:
            body += fixed64(47, rng.getrandbits(64)) + (fixed64(48, 7) if rng.random() < 0.5 else b"")
        if rng.random() < 0.1:
            place = "%d" % rng.randrange(3)
            body += number(34, sequence.intern(4, place, text(2, "a%s.cc" % place) + text(3, "run") + number(4, 10)))
        if rng.random() < 0.1:
            body += number(52, rng.getrandbits(40)) if rng.random() < 0.5 else text(53, "id")
    return text(11, body + more)


# --- samples, heaps, measurements, logs -----------------------------------------------------------

MODULES = [(b"\x01\xff\x80", ("system", "lib64", "libc.so")), (b"id2", ("data", "app", "naïve.so")), (b"", ("[kernel.kallsyms]",)), (b"id4", ())]
FUNCTIONS = ["main", "malloc", "a<b>::c(int)", "naïve", "x" * 200]


def frame(rng):
    """(module, function or None, address, source or None, line)"""
    return rng.randrange(len(MODULES)), rng.choice((*FUNCTIONS, None, None)), rng.randrange(1, 9) * 16, rng.choice((None, None, "a.cc")), rng.choice((0, 0, 7))


def stacks(rng, count=6):
    bottom = [frame(rng) for _ in range(3)]
    return [tuple(bottom[:rng.randrange(4)] + [frame(rng) for _ in range(rng.randrange(1, 4))]) for _ in range(count)]


def intern_stack(s, stack, heap=None):
    """Number of the stack in the interned data of a sequence, or in a dump that explains itself: a Sequence that is never sent."""
    s, fields = (s, (5, 16, 17, 18, 19, 6, 7)) if heap is None else (heap, (1, 1, 1, 1, 4, 2, 3))
    frames = b""
    for module, function, address, source, line in stack:
        build, path = MODULES[module]
        body = number(2, s.intern(fields[1], build)) if build else b""
        body += b"".join(number(7, s.intern(fields[2], part)) for part in path)
        mapping = s.intern(fields[4], "mapping %d" % module, body) if path else 0
        body = number(2, s.intern(fields[0], function)) if function else b""
        body += (number(3, mapping) if mapping else b"") + number(4, address)
        body += (number(5, s.intern(fields[3], source)) if source else b"") + (number(6, line) if line else b"")
        frames += varint(s.intern(fields[5], "frame %r" % ((module, function, address, source, line),), body))
    return s.intern(fields[6], "stack %r" % (stack,), text(2, frames))


def perf_sample(rng, s, stack, lossy=False):
    body = number(1, rng.randrange(4)) + number(2, rng.choice((10, 30))) + number(3, rng.choice((11, 31))) + number(5, rng.randrange(6)) + number(6, rng.randrange(1000))
    kind = rng.randrange(12)
    if kind == 0 and lossy:
        return text(66, body + number(rng.choice((17, 18)), 2))
    if kind == 1:
        return text(66, body + number(18, 4))
    return text(66, body + number(4, intern_stack(s, stack)) + (number(16, rng.randrange(1, 9)) if kind == 2 else b""))


def heap_dump(rng, s, paths, sums, index, now, lossy=False):
    """Payloads of a dump in one or two packets; each with stacks of its own or of the sequence."""
    own = Sequence(0) if rng.random() < 0.5 else None
    out = []
    parts = rng.randrange(1, 3)
    for part in range(parts):
        body = b""
        for path in paths[part::parts]:
            v = sums.setdefault(path, [0, 0, 0, 0])
            if rng.random() < 0.7:
                grown = [rng.randrange(5000), rng.randrange(9)]
                v[0], v[2] = v[0] + grown[0], v[2] + grown[1]
                v[1], v[3] = rng.randrange(v[1], v[0] + 1), rng.randrange(v[3], v[2] + 1)
            body += text(2, number(1, intern_stack(s, path, own)) + number(2, v[0]) + number(3, v[1]) + number(5, v[2]) + number(6, v[3]) + (number(8, v[0]) if sums.get("max") else b""))
        body = number(1, 10) + body + text(11, "libc.malloc") + (number(9, now - 7) if rng.random() < 0.5 else b"") + (number(7, 1) if lossy and rng.random() < 0.3 else b"")
        explained = b""
        if own is not None:
            explained, own.pending = own.pending, b""
        out.append(text(37, explained + text(5, body) + (number(6, 1) if part + 1 < parts else b"") + number(7, index + part)))
    return out


def entry(field, key, value):
    return text(field, number(1, key) + number(2, value))


def measurement(rng):
    kind = rng.randrange(6)
    if kind == 0:
        body = entry(1, rng.choice((1, 2, 26, 33, 90)), rng.randrange(1 << 24)) + entry(2, rng.randrange(5), rng.randrange(1 << 30))
        body += text(3, number(1, rng.randrange(4)) + b"".join(number(i, rng.randrange(1 << 40)) for i in range(2, 10) if rng.random() < 0.8))
        body += number(4, rng.randrange(99)) + number(7, 5) + text(10, text(1, "bus") + number(2, 800)) + text(11, varint(1800) + varint(rng.randrange(900)))
        return text(7, body + text(13, text(1, "sda") + number(2, 4) + number(4, 7) + number(5, 2)) + number(17, 300))
    if kind == 1:
        return text(9, b"".join(text(1, number(1, pid) + b"".join(number(i, rng.randrange(1 << 20)) for i in range(2, 12) if rng.random() < 0.6)) for pid in rng.sample((10, 1, 30), 2)))
    if kind == 2:
        return text(38, number(1, 5000) + varint(2 << 3 | 5) + struct.pack("<f", rng.randrange(1000) / 8) + number(3, -rng.randrange(99)) + (text(5, "main") if rng.random() < 0.5 else b""))
    if kind == 3:
        return text(40, (text(1, number(1, 1) + text(2, "cpu.big")) if rng.random() < 0.5 else b"") + text(2, number(1, rng.randrange(3)) + number(2, 1000 + rng.randrange(99)) + number(3, 5)))
    if kind == 4:
        return text(52, (text(1, text(1, number(1, 1) + text(2, "busy"))) if rng.random() < 0.5 else b"") + text(2, number(1, 1) + real(3, 0.5)) + text(2, number(1, 2) + number(2, 9)) + number(3, 1))
    return text(71, number(1, 1) + (number(2, 10) if rng.random() < 0.5 else b"") + number(3, rng.randrange(1 << 30)))


def log_lines(rng):
    return text(39, b"".join(text(1, number(1, 0) + number(2, 10) + number(3, 11) + number(5, 10**18 + rng.randrange(10**9)) + text(6, "tag") + number(7, rng.randrange(2, 8))
                                  + text(8, rng.choice(NAMES))) for _ in range(rng.randrange(1, 4))))


def further(rng, count, lossy=False):
    """Packets of other kinds, those of each sequence in order."""
    perf, chrome, heap, other = Sequence(20), Sequence(21), Sequence(22), Sequence(23)
    perf.timebase = rng.choice((None, number(2, 99) + number(4, 1), number(1, 1000) + number(4, 11), number(4, 13) + text(10, "misses"), text(3, text(1, "sched:sched_switch"))))
    paths, sums, now, index = stacks(rng), {}, 10**9, 0
    if rng.random() < 0.5:
        sums["max"] = True
    out = [packet(number(10, 9), clocks({6: (10**9, 0, 0), 4: (9 * 10**8 - 1000, 0, 0)})), chrome.send(text(44, number(1, 10) + number(2, 60) + text(5, "sampler") + number(6, 905000))), packet(number(10, 23), text(34, number(1, 1) + text(2, number(1, 0) + number(3, 4))))]
    for _ in range(count):
        now += rng.randrange(1, 5000) * 1000
        kind = rng.randrange(6)
        for s in (perf, heap, chrome):
            if rng.random() < 0.05:
                s.clear()
        if kind == 0:
            out.append(perf.send(perf_sample(rng, perf, rng.choice(paths), lossy), now))
        elif kind == 1:
            n = rng.randrange(1, 4)
            deltas = b"".join(varint(rng.randrange(-5, 1000)) for _ in range(n))
            out.append(chrome.send(text(54, text(1, b"".join(varint(intern_stack(chrome, rng.choice(paths))) for _ in range(n))) + text(2, deltas)), now))
        elif kind == 2:
            for payload in heap_dump(rng, heap, paths, sums, index, now, lossy):
                out.append(heap.send(payload, now))
                index += 1
            index += lossy and rng.random() < 0.2
        elif kind == 3:
            out.append(other.send(measurement(rng), now))
        elif kind == 4:
            out.append(other.send(log_lines(rng), now))
        else:
            s = Sequence(24)
            body = number(9, INSTANT) + number(11, 0)
            body += number(56, intern_stack(s, rng.choice(paths))) if rng.random() < 0.5 else \
                text(55, b"".join(text(1, text(1, f) + text(2, "b.cc") + number(3, 5)) for f in rng.sample(FUNCTIONS, 2)))
            out.append(s.send(text(11, body), now))
    module = rng.choice(MODULES[:2])
    lines = b"".join(text(2, text(1, "symbol%d" % i) + (text(2, "s.cc") + number(3, 3) if i else b"")) for i in range(rng.randrange(1, 4)))
    out.append(packet(number(10, 23), text(61, text(1, "/" + "/".join(module[1])) + text(2, module[0]) + b"".join(text(3, number(1, a * 16) + lines) for a in (1, 2, 3)))))
    out.append(packet(number(10, 23), text(34, number(1, 2) + text(2, number(1, 0) + number(3, 4 + 5 * lossy)))))
    return out


def trace(rng, events=60, threads=3, lossy=False, compressed=True, others=0):
    """A random trace as bytes, with so many packets that are no events of tracks."""
    out = [packet(number(10, 9), clocks({6: (10**9, 0, 0), 3: (9 * 10**8, 0, 0), 1: (10**18, 0, 0)}, 6))]
    out.append(packet(number(10, 9), text(2, text(1, number(1, 10) + number(2, 1) + text(3, "/bin/app")) + text(2, number(1, 12) + text(2, "helper") + number(3, 10)))))
    out.append(packet(number(10, 9), process_track(1, 10, "app")))
    tracks = [None, plain_track(40, 1, "queue"), plain_track(41, 40, "inner"), plain_track(42, 0, "global")]
    out += [packet(number(10, 9), t) for t in tracks[1:]]
    counters = {50: counter_track(50, 1, "memory", unit=3, multiplier=1024), 51: counter_track(51, 0, "fps", unit_name="1/s")}
    late = []
    sequences = []
    for i in range(threads):
        uuid, time = 100 + i, 60 + i
        out.append(packet(number(10, 9), thread_track(uuid, 1, 10, 11 + i, "t%d" % i)))
        late.append(packet(number(10, 9), counter_track(time, uuid, "cpu", kind=1, unit=1, incremental=True)))
        s = Sequence(i + 1, 64 if i % 2 else None, uuid, (time,))
        if i % 2:
            first = s.send(clocks({6: (10**9, 0, 0), 64: (10**6, 1, 1000)}))
            out.append(first)
        sequences.append(s)
    late += [packet(number(10, 9), t) for t in counters.values()]
    rng.shuffle(late)
    now = 10**9
    body = []
    for _ in range(events):
        s = rng.choice(sequences)
        now += rng.randrange(0, 5000) * 1000
        kind = rng.choice((BEGIN, BEGIN, END, END, INSTANT, COUNTER))
        uuid = rng.choice((None, None, None, 40, 41, 42, 40 + rng.randrange(3)))
        more = b""
        if kind == COUNTER:
            uuid = rng.choice((50, 51))
            more = number(30, rng.randrange(-1000, 1 << 30)) if rng.random() < 0.7 else real(44, rng.random())
        elif uuid is None and rng.random() < 0.7:
            more = number(12, rng.randrange(1, 100000))
        dropped = 0
        if lossy and rng.random() < 0.08:
            dropped = rng.choice((1, 3, 65))
            if rng.random() < 0.5:
                s.clear()
        elif rng.random() < 0.05:
            s.clear()
        payload = event(rng, s, kind, uuid, more)
        if s.clock is None:
            body.append(s.send(payload, now, rng.choice((None, None, 6)), dropped))
        else:
            body.append(s.send(payload, rng.randrange(0, 3000), None, dropped))
        if rng.random() < 0.05:
            body.append(packet(number(8, now), text(36, MARK)))
        if rng.random() < 0.03:
            body.append(packet(number(8, now), text(rng.choice((38, 55, 200)), b"")))
    if others > 0:
        extra = further(rng, others, lossy)
        places = sorted(rng.randrange(len(body) + 1) for _ in extra)
        for place, p in reversed(list(zip(places, extra))):
            body.insert(place, p)
    if compressed and len(body) > 10:
        body[2:9] = [packet(text(50, zlib.compress(b"".join(body[2:9]))))]
    return b"".join(out + body + late)


def chain(names, times=1, mixed=False):
    """One thread that calls down a chain of names and back, again and again: for measurements and damage. mixed: with samples, dumps of a heap, measurements and a log, of which few
    share what they refer to."""
    s, perf, heap, other = Sequence(1, None, 100), Sequence(20), Sequence(22), Sequence(23)
    perf.timebase = number(2, 99) + number(4, 1)
    out = [packet(number(10, 9), clocks({6: (10**9, 0, 0), 3: (9 * 10**8, 0, 0)}, 6)), packet(number(10, 9), process_track(1, 10, "app")),
           packet(number(10, 9), thread_track(100, 1, 10, 11, "main"))]
    now = 10**9
    for i in range(times):
        for name in names:
            now += 1000
            out.append(s.send(text(11, number(9, BEGIN) + number(10, s.intern(2, name)) + text(4, text(10, "n") + number(4, now))), now))
        for _ in names:
            now += 1000
            out.append(s.send(text(11, number(9, END) + text(4, text(10, "n") + number(4, now))), now))
        if mixed:
            out.append(perf.send(text(66, number(1, i % 4) + number(2, 10) + number(3, 11) + number(4, intern_stack(perf, ((0, "main", 16, None, 0), (0, "f%d" % i, 32 + i, None, 0))))
                                      + number(5, 2)), now + 10))
            out.append(other.send(text(39, text(1, number(2, 10) + number(3, 11) + text(6, "tag") + number(7, 4) + text(8, "line %d" % i))), now + 20))
            out.append(other.send(text(9, text(1, number(1, 10) + number(3, 4000 + i))), now + 30))
            out.append(other.send(text(7, entry(1, 2, 90000 + i)), now + 40))
            if i % 4 == 3:
                stack = intern_stack(heap, ((0, "malloc", 16, None, 0),))
                sums = text(2, number(1, stack) + number(2, 100 * i * i) + number(3, 50 * i) + number(5, 3 * i) + number(6, i))
                out.append(heap.send(text(37, text(5, number(1, 10) + sums + text(11, "libc.malloc")) + number(7, i // 4)), now + 50))
            if i % 4 == 3:
                perf.clear()
                heap.clear()
        if i % 8 == 7:
            out.append(packet(number(8, now), number(10, 9), text(36, MARK)))
            s.clear()
    return b"".join(out)
