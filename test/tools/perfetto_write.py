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
        self.id, self.clock, self.track, self.counters = number_, clock, track, counters
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
            parts += number(13, 1) + text(59, defaults + (text(11, event) if event else b""))
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


def trace(rng, events=60, threads=3, lossy=False, compressed=True):
    """A random trace as bytes."""
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
    if compressed and len(body) > 10:
        body[2:9] = [packet(text(50, zlib.compress(b"".join(body[2:9]))))]
    return b"".join(out + body + late)


def chain(names, times=1):
    """One thread that calls down a chain of names and back, again and again: for measurements and damage."""
    s = Sequence(1, None, 100)
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
        if i % 8 == 7:
            out.append(packet(number(8, now), number(10, 9), text(36, MARK)))
            s.clear()
    return b"".join(out)
