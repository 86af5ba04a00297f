"""Random messages of the plugins of .htrace, undamaged: parts left out, zeros written, things that nobody knows, in any order."""

import json
import struct


def varint(v):
    out = b""
    while v >= 0x80:
        out += bytes([v & 0x7F | 0x80])
        v >>= 7
    return out + bytes([v])


def number(field, v):
    return varint(field << 3) + varint(v & (1 << 64) - 1)


def real(field, v):
    return varint(field << 3 | 1) + struct.pack("<d", v)


def text(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def cpu_sample(rng):
    """CpuData with parts left out, zeros written, things that nobody knows, in any order, some fields twice."""
    core = text(7, number(1, rng.randrange(8)) + number(4, rng.randrange(1 << 40)))
    parts = [text(1, b"" if rng.random() < 0.3 else core * rng.randrange(9))] if rng.random() < 0.95 else []
    parts += [number(3, rng.choice([0, 1, 700, 1 << 40]))] * (rng.random() < 0.8)
    for field in (4, 5, 6):
        parts += [real(field, rng.choice([0.0, -0.0, 0.1, 33.3, 100.0, 1e-300, rng.random() * 100]))] * rng.choice([0, 1, 1, 1, 2])
    parts += [text(2, number(1, 42) + text(2, b"main"))] * rng.randrange(3)
    parts += [text(99, b"later")] * (rng.random() < 0.1)
    rng.shuffle(parts)
    return b"".join(parts)


def mixed(rng, parts):
    """A message of these parts: each a list of fields of which one is chosen, or none; the order changes unless they repeat."""
    chosen = [part for part in parts if rng.random() < 0.85]
    chosen += [text(99, b"later")] * (rng.random() < 0.1)
    rng.shuffle(chosen)
    return b"".join(chosen)


WORDS = [b"", b"a", b"main", b"com.example.app", b"\xc3\xa4\xe2\x82\xac", b'say "hi" ', b"x" * 200, b"two words", b"tab\tend\n"]
NUMBERS = [0, 1, 2, 127, 128, 300, 70000, (1 << 31) - 1, 1 << 31, (1 << 32) - 1]


class Hilog:
    def __init__(self):
        self.number = 0

    def message(self, rng, now):
        lines = []
        for _ in range(rng.randrange(5)):
            self.number = max(0, self.number + rng.choice([1, 1, 1, 1, 1, 5, -3, 0]))
            detail = [number(1, now // 10**9), number(2, rng.randrange(10**9))]
            detail += [number(3, rng.choice(NUMBERS)), number(4, rng.choice(NUMBERS)), text(6, rng.choice(WORDS))]
            line = mixed(rng, [text(2, rng.choice(WORDS)), number(3, self.number)])
            level = number(5, rng.choice(b"DIWEFVXz"))
            lines.append(text(1, text(1, detail[0] + level + mixed(rng, detail[1:])) + line))
        return b"".join(lines)


class Hidump:
    def __init__(self):
        self.events = 0

    def message(self, rng, now):
        events = []
        for _ in range(rng.randrange(1, 4)):
            self.events += 1
            time = number(1, now // 10**9) + number(2, self.events)
            events.append(text(1, number(1, rng.choice([0, 1, 2, 4])) + text(2, time) + mixed(rng, [number(3, rng.randrange(121))])))
        return b"".join(events)


class Stream:
    def message(self, rng, _):
        return mixed(rng, [number(1, 7), text(2, b"text")])


class Memory:
    """All parts, or one of them in a message, so that few rows depend on its time."""

    def __init__(self, single=False):
        self.single = single

    def process(self, rng):
        counters = [number(n, rng.choice(NUMBERS)) for n in (3, 4, 5, 6, 7, 8, 9, 10)] + [number(11, -1000)]
        if rng.random() < 0.4:
            counters = [number(n, rng.choice(NUMBERS)) for n in rng.sample((14, 15, 16, 17), 2)]
        parts = [mixed(rng, counters), number(1, rng.choice([1, 2, 300, 4000])), text(2, rng.choice(WORDS[1:4]))]
        if rng.random() < 0.3:
            for path in rng.sample([b"/dev/ashmem/x", b"/lib/libc.so", b"[heap]", b""], 2):
                numbers = [number(n, rng.choice(NUMBERS)) for n in (5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17)]
                parts.append(text(12, mixed(rng, [text(1, b"8000"), text(2, b"9000"), text(3, b"r-xp"), text(4, path), real(8, 0.5)] + numbers)))
        return text(1, b"".join(parts))

    def message(self, rng, _):
        pid = lambda: rng.choice([1, 2, 300, 4000, 50000])
        some = lambda field, make: b"".join(text(field, make()) for _ in range(rng.randrange(3)))
        word = lambda field: text(field, rng.choice(WORDS))
        num = lambda field: number(field, rng.choice(NUMBERS))
        named = lambda names: number(2, pid()) + text(1, rng.choice(names))
        parts = [
            b"".join(self.process(rng) for _ in range(1 if self.single else rng.randrange(3))),
            some(2, lambda: number(1, rng.choice([1, 2, 3, 5, 37])) + num(2)) + mixed(rng, [num(4), num(9), num(10)]),
            some(3, lambda: number(1, rng.choice([1, 38, 128])) + num(2)),
            some(5, lambda: named([b"", b"app"]) + mixed(rng, [num(3), num(4), word(5), num(6), number(7, rng.randrange(2)), num(9), num(10)])),
            some(6, lambda: named([b"composer_host", b"render_service", b"app", b""]) +
                 mixed(rng, [num(3), num(4), number(5, rng.randrange(2)), num(6), word(7), word(8), word(9)])),
            some(7, lambda: word(1) + num(2) + text(3, mixed(rng, [word(1), number(2, pid()), number(3, pid()), num(4)]))),
            some(8, lambda: text(1, rng.choice(WORDS[1:5])) + num(2) + text(3, word(1) + text(2, word(1) + num(2) + num(3))) + num(4)),
            some(13, lambda: text(1, rng.choice(WORDS[1:3])) + number(2, pid())),
            some(12, lambda: mixed(rng, [num(1)])), some(14, lambda: mixed(rng, [word(1), num(2)])),
            some(11, lambda: mixed(rng, [num(1), word(2), number(3, pid()), word(4)])),
        ]
        return rng.choice(parts) if self.single else mixed(rng, parts)


def packed(field, values):
    return text(field, b"".join(varint(v & (1 << 64) - 1) for v in values))


class Xpower:
    """Reports that follow each other, some of them twice; lists of one length, packed or not."""

    def __init__(self):
        self.start = 0
        self.old = b""

    def lists(self, rng, names, fields):
        count = rng.randrange(4)
        parts = [b"".join(text(field, rng.choice(WORDS)) for _ in range(count)) for field in names]
        for field in fields:
            values = [rng.choice(NUMBERS) for _ in range(count)]
            parts.append(packed(field, values) if rng.random() < 0.5 else b"".join(number(field, v) for v in values))
        rng.shuffle(parts)
        return b"".join(parts)

    def message(self, rng, now):
        if self.old and rng.random() < 0.1:
            return self.old
        num = lambda field: number(field, rng.choice(NUMBERS))
        self.start = max(self.start + 2000, now // 10**6)
        current = packed(7, [rng.randrange(-1000, 1000) for _ in range(rng.randrange(5))])
        statistic = mixed(rng, [text(n, mixed(rng, [num(1), num(2)])) for n in range(1, 12)])
        detail = mixed(rng, [text(1, self.lists(rng, [3], [2, 4, 5])), text(2, self.lists(rng, [], [2, 3, 4])),
                             text(3, mixed(rng, [num(n) for n in (1, 2, 3, 4)])), text(4, mixed(rng, [num(n) for n in range(1, 12)]))])
        fields = {3: range(3, 12), 4: range(3, 13), 5: (3, 4), 7: (3, 4)}
        top = mixed(rng, [text(n, self.lists(rng, [2], fields.get(n, range(3, 11)))) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9)])
        parts = [text(3, rng.choice(WORDS)), text(5, mixed(rng, [num(1), num(2), num(4), num(5), num(6), current])), text(6, statistic),
                 text(7, detail), text(8, top), text(10, mixed(rng, [num(1), num(2)]))]
        self.old = number(1, self.start) + mixed(rng, parts) + number(2, self.start + 1000)
        return self.old


class Hisysevent:
    """Events in lines of JSON with white space in many places, members in any order, values of many kinds where they have no column."""

    def value(self, rng, depth=0):
        kind = rng.randrange(9 if depth < 3 else 6)
        if kind >= 6:
            values = [self.value(rng, depth + 1) for _ in range(rng.randrange(4))]
            return values if kind == 6 else dict(zip(["a", "b\"", "\u00e4", "c"], values))
        return [7, -1, 4.5, 1e-3, "", "two words\n\U0001f600"][kind]

    def line(self, rng, now):
        event = {"time_": now // 10**6 + rng.randrange(1000)}
        power = rng.random() < 0.5
        if rng.random() < 0.9:
            event["name_"] = rng.choice(["WORK_ADD", "POWER_IDE_CPU", "GNSS_STATE"]) if power else rng.choice(["OTHER", "POWER_IDE"])
        for key, values in (("domain_", ["POWER", "D"]), ("tz_", ["+0800"]), ("level_", ["MINOR"]), ("tag_", ["PowerStats", "STATS", ""]),
                            ("id_", ["7f"]), ("info_", [""]), ("type_", [1, 4]), ("pid_", [0, 1 << 31]), ("tid_", [9]), ("uid_", [20010001]),
                            ("seq_", [(1 << 63) - 1])):
            if rng.random() < 0.6:
                event[key] = rng.choice(values)
        for key in rng.sample(["LOAD", "NOTE", "A", "\u00e9", "Z"], rng.randrange(4)):
            scalars = lambda: rng.choice([3, 4.5, "n", -1e6])
            event[key] = rng.choice([scalars(), [scalars() for _ in range(rng.randrange(4))]]) if power else self.value(rng)
        members = list(event.items())
        rng.shuffle(members)
        return json.dumps(dict(members), ensure_ascii=rng.random() < 0.5, separators=rng.choice([(",", ":"), (" , ", " : ")])).encode()

    def message(self, rng, now):
        lines = b"".join(text(1, mixed(rng, [number(2, rng.choice(NUMBERS))]) + text(1, self.line(rng, now))) for _ in range(rng.randrange(4)))
        volumes = text(5, mixed(rng, [number(n, rng.choice([0, 7, 15])) for n in range(1, 17)]))
        state = text(2, mixed(rng, [number(1, rng.choice(NUMBERS)), number(2, 1), number(3, 1), number(4, 3), volumes]))
        return lines + state * (rng.random() < 0.3)


class Process:
    def message(self, rng, _):
        entries = []
        for _ in range(rng.randrange(5)):
            cpu = mixed(rng, [real(1, rng.random() * 100), number(2, rng.choice(NUMBERS)), number(3, rng.randrange(1 << 40))])
            disk = mixed(rng, [number(5, rng.randrange(1 << 40)), number(6, rng.choice(NUMBERS))])
            parts = [number(1, rng.choice([0, 1, 2, 300, 4000])), text(2, rng.choice(WORDS)), number(3, rng.choice(NUMBERS))]
            parts += [number(4, rng.choice([0, 1000, -1])), text(5, cpu), text(6, mixed(rng, [number(1, rng.choice(NUMBERS))])), text(7, disk)]
            entries.append(text(1, mixed(rng, parts)))
        return b"".join(entries)


class Diskio:
    def message(self, rng, _):
        devices = []
        for _ in range(rng.randrange(4)):
            devices.append(text(2, mixed(rng, [text(1, b"sda"), real(3, rng.random()), real(4, rng.random() * 1e6),
                                               number(6, rng.randrange(1 << 40)), number(7, rng.choice(NUMBERS))])))
        totals = [number(n, rng.choice(NUMBERS)) for n in (1, 2, 4, 5)]
        return mixed(rng, totals + [text(3, number(1, 7)), text(7, b"".join(devices))])


class Network:
    def message(self, rng, _):
        system = mixed(rng, [number(n, rng.choice(NUMBERS)) for n in (3, 4, 5, 6)] + [text(7, b"eth0")])
        return mixed(rng, [text(1, number(1, 42)), text(2, system)])


class Cpu:
    def message(self, rng, _):
        return cpu_sample(rng)


PLUGINS = {
    "cpu-plugin": Cpu,
    "hilog-plugin": Hilog,
    "process-plugin": Process,
    "diskio-plugin": Diskio,
    "network-plugin": Network,
    "hidump-plugin": Hidump,
    "stream-plugin": Stream,
    "memory-plugin": Memory,
    "xpower-plugin": Xpower,
    "hisysevent-plugin": Hisysevent,
}
