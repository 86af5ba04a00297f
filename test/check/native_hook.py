#!/usr/bin/env python3
"""Rows of native_hook, read from an .htrace by a model of its own, against what a database has: every cell.

usage: native_hook.py DATABASE RECORDING

Undamaged recordings only, of fewer events than are kept for sorting. The rules are those of docs/formats.md and of docs/differences.md.
"""

import sys

sys.dont_write_bytecode = True
import htrace
import native_shared as shared
from cells import cells
from native_shared import AnyOf, Anything, M64, s64

ALLOC, FREE, MMAP, MUNMAP, TAG, STATISTICS, TRACE_ALLOC, TRACE_FREE = 3, 4, 5, 6, 7, 15, 16, 17
EVENTS = (ALLOC, FREE, MMAP, MUNMAP, TAG, STATISTICS, TRACE_ALLOC, TRACE_FREE)
STACK, FRAMES, THREAD_NAME = ({ALLOC: 7, FREE: 6, MMAP: 8, MUNMAP: 7, TRACE_ALLOC: 9, TRACE_FREE: 8}, {ALLOC: 5, FREE: 4, MMAP: 6, MUNMAP: 5},
                              {ALLOC: 6, FREE: 5, MMAP: 7, MUNMAP: 6, TRACE_ALLOC: 8, TRACE_FREE: 7})
PID = {8: 3, 9: 3, 10: 3, 11: 1, 12: 7, 13: 3, 14: 4}  # of tables
NAMES = {ALLOC: "AllocEvent", FREE: "FreeEvent", MMAP: "MmapEvent", MUNMAP: "MunmapEvent"}
GPU = {2: "VK", 3: "GLES", 4: "CL"}
STAT = {ALLOC: "malloc", FREE: "free", MMAP: "mmap", MUNMAP: "munmap", TAG: "memtag", STATISTICS: "record_statistics"}
NO_CALLERS = ("/system/lib/libc++.so", "/system/lib64/libc++.so", "/system/lib/ld-musl-aarch64.so.1", "/system/lib/ld-musl-arm.so.1",
              "/system/lib64/libdfmalloc.z.so", "/system/lib64/chipset-sdk-sp/libc++.so")
SAMPLES = {ALLOC: "malloc", MMAP: "mmap"}


def decode(data):
    out = {}
    for number, value in htrace.fields(data):
        out.setdefault(number, []).append(value)
    return out


def last(got, number, default=0):
    return got[number][-1] if number in got else default


def text(got, number):
    return last(got, number, b"").decode("utf-8", "replace")


def signed32(got, number):
    return htrace.signed32(last(got, number))


def numbers(got, number):
    """A repeated number, packed or not."""
    out = []
    for value in got.get(number, []):
        at = 0
        if isinstance(value, int):
            out.append(value)
        else:
            while at < len(value):
                v, at = htrace.varint(value, at)
                out.append(v)
    return out


class Frame:
    """ip, symbol, file, offset, symbol offset, symbol id, file id; None for what it lacks."""

    def __init__(self, data):
        got = decode(data)
        self.ip, self.offset, self.symbol_offset, self.symbol_id, self.file_id = (got[n][-1] if n in got else None for n in (1, 5, 6, 7, 8))
        self.symbol, self.file = (text(got, n) if n in got else None for n in (3, 4))


def vaddr_of(ip, offset, symbol_offset, symbol):
    if symbol_offset and offset and offset != ip:
        return "0x%x" % (offset + symbol_offset & M64)
    after = (symbol or "").rpartition("+")
    return (after[2] if after[1] else "") or None


class Script(tuple):
    """A row of a frame of JavaScript."""


class Stack:
    """A stack of offline mode: what its addresses are bound to, and its number."""

    def __init__(self, ips, number):
        self.ips, self.number = ips, number
        self.bound = [(None, None)] * len(ips)


class Owner:
    """Tables of a process, or of all processes."""

    def __init__(self):
        self.strings, self.names, self.frames, self.stacks, self.offline = {}, {}, {}, {}, {}
        self.maps, self.tables = shared.Maps(), {}

    def now(self, ip):
        """(map, symbol table) of an address at this moment."""
        found = self.maps.find(ip) if ip >> 40 != 0xFFFFFE else None
        return (found, self.tables.get(found[3])) if found else (None, None)

    def bind(self, ips, bound):
        """Gives addresses without a map or table those that came."""
        for i, ip in enumerate(ips):
            found, table = bound[i]
            if found is None:
                bound[i] = self.now(ip)
            elif table is None:
                bound[i] = (found, self.tables.get(found[3]))


class Model:
    def __init__(self):
        self.several = self.statistic = self.offline = self.stacks = self.strings = False
        self.interval, self.configs = 0, 0
        self.owners, self.processes, self.events = {}, shared.Processes(), []
        self.rows, self.statistics, self.chains, self.frame_rows, self.stat = [], [], {}, {}, dict.fromkeys(STAT.values(), 0)
        self.invalid, self.skipped, self.free_lost, self.unknown_stacks, self.cut = {}, 0, 0, 0, set()
        self.frames, self.next, self.written, self.thread_name_ids = {}, 1, [], {}

    # --- messages ------------------------------------------------------------------------------

    def config(self, data):
        got = decode(data)
        self.configs += 1
        self.several |= 26 in got or (7 in got and 1 in got)
        self.interval = last(got, 22) * 10**9 if 22 in got else self.interval
        self.statistic |= 22 in got
        self.offline |= 25 in got or 20 in got
        self.stacks |= self.statistic or self.offline or 21 in got
        self.strings |= self.stacks or 14 in got

    def owner(self, pid):
        return self.owners.setdefault(pid if self.several else 0, Owner())

    def message(self, data, clocks):
        for raw in decode(data).get(1, []):
            got = decode(raw)
            kind = next((n for n in got if 3 <= n <= 17), None)
            if kind is None:
                continue
            body = decode(got[kind][-1])
            if kind in EVENTS:
                ts = shared.to_boot(clocks, "real", last(got, 1) * 10**9 + last(got, 2)) if 1 in got or 2 in got else 0
                if kind == TAG and not (1 in got or 2 in got) and self.events:
                    ts = self.events[-1][0]
                self.events.append((ts, kind, body, self.arrived(kind, body)))
            else:
                self.processes.process(signed32(body, PID[kind]))
                self.table(kind, body, self.owner(signed32(body, PID[kind])))

    def table(self, kind, body, owner):
        number = last(body, 1)
        if kind in (8, 9):
            owner.strings[kind, number] = text(body, 2)
        elif kind == 10:
            owner.names.setdefault(number, text(body, 2))
        elif kind == 13:
            owner.frames[number] = Frame(last(body, 2, b""))
        elif kind == 11:
            owner.maps.add(last(body, 2), last(body, 3), last(body, 4), last(body, 5))
        elif kind == 12:
            owner.tables[number] = shared.SymbolTable(last(body, 2), last(body, 3), last(body, 4), last(body, 5, b""), last(body, 6, b""))
        elif kind == 14:
            self.stack_map(number, body, owner)
        if kind in (11, 12) and self.offline:
            for _, of, ips, bound in self.written:  # of numbers that a stack had before too
                if of is owner:
                    owner.bind(ips, bound)

    def stack_map(self, number, body, owner):
        if self.offline:
            if number not in owner.offline:
                owner.offline[number] = Stack(numbers(body, 3), self.next)
                self.next += 1
                stack = owner.offline[number]
                owner.bind(stack.ips, stack.bound)
                self.written.append([stack.number, owner, stack.ips, stack.bound])
        else:
            owner.stacks.setdefault(number, numbers(body, 2))

    def arrived(self, kind, body):
        """Offline: the number of the event's stack, which may be another now."""
        if not self.offline or kind == TAG:
            return None
        number = last(body, 2) if kind == STATISTICS else last(body, STACK[kind])
        owner = self.owner(signed32(body, 1))
        stack = owner.offline.get(number) if number else None
        if stack is None:
            self.unknown_stacks += number != 0
            return -1
        now = [owner.now(ip) for ip in stack.ips]
        shape = lambda ip, bound: (self.symbol(ip, *bound), bound[0] and bound[0][3])
        if any(n != b and shape(ip, n) != shape(ip, b) for ip, n, b in zip(stack.ips, now, stack.bound)):
            stack.number, stack.bound = self.next, now
            self.next += 1
            self.written.append([stack.number, owner, stack.ips, stack.bound])
        return stack.number

    # --- frames --------------------------------------------------------------------------------

    @staticmethod
    def symbol(ip, found, table):
        """(vaddr, offset, symbol offset, name) by its map and table."""
        if found is None or table is None:
            return (None, None, None, None)
        v = (ip - found[0] + found[2] + table.shift) & M64
        if table.empty:
            return ("0x%x" % v, None, None, None)
        got = table.symbol(v)
        return ("0x%x" % v, got[0], v - got[0], got[1]) if got else ("0x%x" % v, ip, 0, None)

    def offline_frames(self, number, owner, ips, bound):
        """Rows from the leaf."""
        out = []
        for ip, (found, table) in zip(ips, bound):
            if ip >> 40 == 0xFFFFFE:
                frame = owner.frames.get(ip & (1 << 40) - 1)
                if frame is None:
                    self.cut.add(number)
                    break
                names = owner.strings.get((9, frame.symbol_id)), owner.strings.get((8, frame.file_id))
                out.append(Script((None if frame.ip is None else s64(frame.ip), *names, frame.offset, None, None)))
                continue
            if found is None and ip == 0:
                break
            vaddr, offset, symbol_offset, name = self.symbol(ip, found, table)
            file = owner.strings.get((8, found[3])) if found else None
            if name is None and file is not None:
                name = "%s+%s" % (file, vaddr or "")
            elif name is None:
                size = ip >> 40 == 0xFFFFFF
                name = "alloc size(%dbytes)0x%x" % (ip & (1 << 40) - 1, ip) if size else "unknown 0x%x" % ip
            out.append((s64(ip), name, file, None if offset is None else s64(offset), symbol_offset, vaddr))
        return out

    def row_of(self, frame, owner):
        symbol, file = frame.symbol, frame.file
        if self.strings:
            symbol, file = owner.strings.get((9, frame.symbol_id)), owner.strings.get((8, frame.file_id))
            if symbol is None or file is None:
                return None
        ip, offset, symbol_offset = (None if v is None else s64(v) for v in (frame.ip, frame.offset, frame.symbol_offset))
        return (ip, symbol, file, offset, symbol_offset, vaddr_of(frame.ip, frame.offset, frame.symbol_offset, symbol))

    def known(self, chain, rows):
        """Rows, where nothing is known of some; such a chain is cut."""
        if None in rows:
            self.cut.add(chain)
        return [(None,) * 6 if r is None else r for r in rows]

    def stack_frames(self, chain, ids, owner):
        return self.known(chain, [self.row_of(owner.frames[n], owner) if n in owner.frames else None for n in ids])

    def chain(self, kind, body, arrived):
        """Key of the event's chain: a number, or (pid, stack) where only equality counts."""
        if self.offline:
            return arrived
        number = last(body, 2) if kind == STATISTICS else last(body, STACK[kind])
        pid = signed32(body, 1)
        if self.stacks:
            if number and number not in self.owner(pid).stacks:
                self.unknown_stacks += 1
            if self.several:
                return (pid, number) if number else -1
            return number if number else AnyOf(-1, 0) if kind == MUNMAP else -1
        raw = tuple(bytes(f) for f in body.get(FRAMES.get(kind), []))
        if not raw:
            return -1
        if raw not in self.chains:
            self.chains[raw] = len(self.chains) + 1
            self.frame_rows[self.chains[raw]] = self.known(self.chains[raw], [self.row_of(Frame(f), self.owner(pid)) for f in raw])
        return self.chains[raw]

    # --- events --------------------------------------------------------------------------------

    def finish(self):
        self.heap, self.mapped, self.gpu, self.sums, self.latest = {}, {}, {}, {}, {}
        times = []
        for ts, kind, body, arrived in sorted(self.events, key=lambda e: e[0]):
            times += [ts, max(ts - self.interval, 0)]
            if kind in STAT:
                self.stat[STAT[kind]] += 1
            {ALLOC: self.alloc, FREE: self.free, MMAP: self.mmap, MUNMAP: self.munmap, TAG: self.tag, STATISTICS: self.statistics_event,
             TRACE_ALLOC: self.trace, TRACE_FREE: self.trace}[kind](ts, kind, body, arrived)
        self.range = (min(times), max(times) + (min(times) == max(times))) if times else None
        for (tid, pid), number in self.thread_name_ids.items():
            t = self.processes.thread(tid, pid)
            t[2] = t[2] or self.owner(pid).names.get(number)
        if self.offline:
            self.frame_rows = {number: self.offline_frames(number, owner, ips, bound) for number, owner, ips, bound in self.written}
        elif self.stacks:
            for pid, owner in self.owners.items():
                for number in sorted(owner.stacks):
                    chain = (pid, number) if self.several else number
                    self.frame_rows[chain] = self.stack_frames(chain, owner.stacks[number], owner)
        self.numbers = len(self.frame_rows)
        if self.statistic:
            used = {s["chain"] for s in self.statistics}
            self.frame_rows = {k: v for k, v in self.frame_rows.items() if k in used}

    def row(self, ts, kind, body, arrived, name, group, size, sub=None):
        pid, tid = signed32(body, 1), signed32(body, 2)
        self.processes.thread(tid, pid)
        if last(body, THREAD_NAME[kind]):
            self.thread_name_ids[tid, pid] = last(body, THREAD_NAME[kind])
        key = (group, pid)
        sign = -1 if kind in (FREE, MUNMAP, TRACE_FREE) else 1
        self.sums[key] = self.sums.get(key, 0) + sign * size
        row = {"chain": self.chain(kind, body, arrived), "pid": pid, "thread": (tid, pid), "name": name, "sub": sub, "ts": ts, "end": None, "addr": last(body, 3),
               "size": size, "all": self.sums[key], "dur": 0, "kind": kind, "gpu": group if kind in (TRACE_ALLOC, TRACE_FREE) else None}
        if size:
            if key in self.latest:
                self.latest[key]["dur"] = ts - self.latest[key]["ts"]
            self.latest[key] = row
        self.rows.append(row)
        return row

    def bad(self, kind):
        self.invalid[STAT[kind]] = self.invalid.get(STAT[kind], 0) + 1

    def alloc(self, ts, kind, body, arrived):
        row = self.row(ts, kind, body, arrived, NAMES[kind], "heap", last(body, 4))
        self.free_lost += (row["pid"], row["addr"]) in self.heap
        self.heap[row["pid"], row["addr"]] = row

    def free(self, ts, kind, body, arrived):
        opened = self.heap.pop((signed32(body, 1), last(body, 3)), None)
        if opened is None:
            self.bad(kind)
            return
        opened["end"] = ts
        self.row(ts, kind, body, arrived, NAMES[kind], "heap", opened["size"])

    def mmap(self, ts, kind, body, arrived):
        sub = text(body, 4) or None
        row = self.row(ts, kind, body, arrived, NAMES[kind], "map", last(body, 5), sub)
        mine = self.mapped.setdefault(row["pid"], [])
        for part in [p for p in mine if p[0] < row["addr"] + row["size"] and row["addr"] < p[1]]:
            mine.remove(part)  # only ever the same mapping again: the older one stays open
            self.free_lost += 1
            self.left_at(mine, part[2], ts)
        mine.append([row["addr"], row["addr"] + row["size"], row])

    def munmap(self, ts, kind, body, arrived):
        pid, start = signed32(body, 1), last(body, 3)
        end, mine = start + last(body, 4), self.mapped.get(pid, [])
        touched = sorted((p for p in mine if p[0] < end and start < p[1]), key=lambda p: p[0])
        if not touched:
            self.bad(kind)
            return
        size = 0
        for part in touched:
            low, high = max(part[0], start), min(part[1], end)
            size += high - low
            mine.remove(part)
            mine += [[a, b, part[2]] for a, b in ((part[0], low), (high, part[1])) if a < b]
            if not self.left_at(mine, part[2], ts):
                part[2]["end"] = ts
        self.row(ts, kind, body, arrived, NAMES[kind], "map", size, touched[0][2]["sub"])

    @staticmethod
    def left_at(mine, row, ts):
        """Bytes that are left of a mapping from now on."""
        left = sum(p[1] - p[0] for p in mine if p[2] is row)
        row["left_at"] = "%d %d" % (left, ts) if left else row.get("left_at")
        return left

    def tag(self, ts, kind, body, arrived):
        start, size, pid = last(body, 1), last(body, 2), signed32(body, 4)
        for part in self.mapped.get(pid, []):
            row = part[2]
            if (row["addr"], row["size"]) == (start, size) and not row["sub"]:
                row["sub"] = text(body, 3) or None

    def trace(self, ts, kind, body, arrived):
        what, pid, addr = last(body, 4), signed32(body, 1), last(body, 3)
        if what not in GPU:
            self.skipped += 1
            return
        if kind == TRACE_ALLOC:
            name, size, sub = "GPU_%s_Alloc_Event" % GPU[what], last(body, 6), text(body, 5) or None
            self.free_lost += (pid, what, addr) in self.gpu
        else:
            opened = self.gpu.pop((pid, what, addr), None)
            if opened is None:
                return
            opened["end"] = ts
            name, size, sub = "GPU_%s_Free_Event" % GPU[what], opened["size"], opened["sub"]
        row = self.row(ts, kind, body, arrived, name, GPU[what], size, sub)
        if kind == TRACE_ALLOC:
            self.gpu[pid, what, addr] = row

    def statistics_event(self, ts, kind, body, arrived):
        self.processes.process(signed32(body, 1))
        chain = self.chain(kind, body, arrived)
        if last(body, 6) == last(body, 7) and not any(s["chain"] == chain for s in self.statistics):
            return
        self.statistics.append({"chain": chain, "pid": signed32(body, 1), "ts": ts, "type": last(body, 3), "sub": text(body, 8) or None,
                                "numbers": tuple(last(body, n) for n in (4, 5, 6, 7))})

    # --- what is made of chains ----------------------------------------------------------------

    def caller(self, chain):
        """(file, symbol) of the frame that counts as the caller."""
        rows = self.frame_rows.get(chain, []) if not isinstance(chain, AnyOf) else []
        for i, (_, symbol, file, *_) in enumerate(rows):
            if rows[i] == (None,) * 6:
                return None, None
            if file is not None and (i + 1 == len(rows) or (file not in NO_CALLERS and "libc++_shared.so" not in file)):
                return file, symbol
        return None, None

    def path(self, chain):
        rows = self.frame_rows.get(chain, []) if not isinstance(chain, AnyOf) else []
        return tuple((r[1], AnyOf(None, r[2]), r[2], r[3]) if isinstance(r, Script) else (r[1], r[2], None, None) for r in reversed(rows))

    def hook_rows(self):
        return [(r["chain"], r["pid"], r["thread"], r["name"], r["sub"], r["ts"], r["end"], None if r["end"] is None else r["end"] - r["ts"], s64(r["addr"]),
                 s64(r["size"]), s64(r["all"]), r["dur"], *self.caller(r["chain"])) for r in self.rows]

    def statistic_rows(self):
        return [(s["chain"], s["pid"], s["ts"], s["type"], s["sub"], *map(s64, s["numbers"]), *self.caller(s["chain"])) for s in self.statistics]

    def left(self, row):
        """What is in use of a mapping at the end; one that another took the place of has all."""
        parts = [p for p in self.mapped.get(row["pid"], ()) if p[2] is row] if row["kind"] == MMAP else []
        return sum(p[1] - p[0] for p in parts) or row["size"]

    def samples(self):
        out = []
        for r in self.rows:
            event = SAMPLES.get(r["kind"]) or ("gpu_" + r["gpu"].lower() if r["kind"] == TRACE_ALLOC else None)
            if event is None:
                continue
            values = {"alloc_space": ("bytes", r["size"]), "alloc_objects": ("count", 1)}
            if r["end"] is None:
                values.update({"inuse_space": ("bytes", self.left(r)), "inuse_objects": ("count", 1)})
            labels = {"addr": "0x%x" % r["addr"]}
            if r["end"] is None and self.left(r) != r["size"]:
                labels["left"] = str(self.left(r))
            if r.get("left_at"):
                labels["left_at"] = r["left_at"]  # the last of them
            if r["sub"]:
                labels["sub_type"] = r["sub"]
            out.append((event, r["thread"], r["ts"], None if r["end"] is None else r["end"] - r["ts"], self.path(r["chain"]), values, labels))
        return out

    def statistic_samples(self):
        latest = {}
        for s in self.statistics:
            latest[s["chain"], s["type"]] = s
        out = []
        for s in latest.values():
            count, released, size, released_size = s["numbers"]
            values = {"alloc_space": ("bytes", s64(size)), "alloc_objects": ("count", s64(count)), "inuse_space": ("bytes", s64(size - released_size)),
                      "inuse_objects": ("count", s64(count - released))}
            out.append((Anything(), Anything(), s["ts"], None, self.path(s["chain"]), values, {}))
        return out


def load(path):
    model = Model()
    for kind, clocks, _, payload in shared.sections(path):
        if kind != "protobuf":
            continue
        for segment in htrace.segments(payload):
            d = htrace.plugin_data(segment)
            if d["name"] == "nativehook_config":
                model.config(d["data"])
            elif d["name"] in ("nativehook", "hookdaemon"):
                model.message(d["data"], clocks)
    model.finish()
    return model


class Numbers:
    """Chain numbers of a database for keys of which only equality counts."""

    def __init__(self):
        self.of = {}

    def rows(self, want, got):
        """want, with the numbers that the database has where they do not contradict each other."""
        out = []
        for w, g in zip(want, got):
            if isinstance(w[0], tuple):
                number = self.of.setdefault(w[0], g[0])
                w = (number if list(self.of.values()).count(number) == 1 else "a number for two chains", *w[1:])
            out.append(w)
        return out + want[len(out):]


def compare(database, path, alone=True):
    """What differs, as texts; alone: nothing else in the recording has processes or times."""
    m, db, c = load(path), shared.Database(database), shared.Comparison()
    known = Numbers()
    columns = "callchain_id, ipid%, itid#, event_type, sub_type_id$, start_ts, end_ts, dur, addr, heap_size, all_heap_size, current_size_dur, last_lib_id$, last_symbol_id$"
    got = db.table(columns, "native_hook")
    c.rows("native_hook", known.rows(m.hook_rows(), got), got, columns)
    columns = "callchain_id, ipid%, ts, type, sub_type_id$, apply_count, release_count, apply_size, release_size, last_lib_id$, last_symbol_id$"
    got = db.table(columns, "native_hook_statistic")
    c.rows("native_hook_statistic", known.rows(m.statistic_rows(), got), got, columns)
    columns = "callchain_id, depth, ip, symbol_id$, file_id$, offset, symbol_offset, vaddr"
    got = db.table(columns, "native_hook_frame")
    numbered = {known.of.get(chain, chain) if isinstance(chain, tuple) else chain: rows for chain, rows in m.frame_rows.items()}
    free = iter(sorted({g[0] for g in got} - set(numbered)))
    loose = [k for k in numbered if isinstance(k, tuple) and numbered[k]]
    want = [(chain, depth, *row) for chain, rows in numbered.items() if not isinstance(chain, tuple) for depth, row in enumerate(reversed(rows))]
    if not loose:
        want.sort(key=lambda r: r[:2])
        c.rows("native_hook_frame", want, got if not m.several else sorted(got, key=lambda r: r[:2]), columns)
    else:  # stacks of no event: their numbers are not known otherwise
        others = set(free)
        c.rows("native_hook_frame", sorted(want, key=lambda r: r[:2]), sorted((g for g in got if g[0] not in others), key=lambda r: r[:2]), columns)
        of = lambda n: tuple(g[1:] for g in got if g[0] == n)
        c.sets("native_hook_frame of stacks without events", [tuple((d, *row) for d, row in enumerate(reversed(numbered[k]))) for k in loose], [of(n) for n in others])
    if known.of:
        c.same("chain numbers from 1", True, set(known.of.values()) <= set(range(1, 1 + m.numbers)))
    for table in ("native_hook", "native_hook_frame", "native_hook_statistic"):
        c.same("%s.id" % table, list(range(db.rows("SELECT count(*) FROM %s" % table).fetchone()[0])), [r[0] for r in db.rows("SELECT id FROM %s ORDER BY rowid" % table)])
    for event, count in m.stat.items():
        c.same("stat native_hook_" + event, count, db.stat("native_hook_" + event))
        c.same("stat native_hook_%s invalid_data" % event, m.invalid.get(event, 0), db.stat("native_hook_" + event, "invalid_data"))
    if m.range and alone:
        c.same("trace_range", m.range, db.range())
    if alone:
        c.threads(db, m.processes, True)
    if m.statistics:
        c.samples(db, "native_hook", m.statistic_samples(), False, lambda i, k, v: True)
    else:
        c.samples(db, "native_hook", m.samples())
    c.counts(db)
    c.issues(db, alone, {"hook_stack_unknown": m.unknown_stacks > 0, "hook_free_lost": m.free_lost > 0, "hook_frame_unknown": bool(m.cut & set(m.frame_rows)),
                  "hook_traces": m.skipped > 0, "hook_table_bad": False, "hook_late": False})
    return c.wrong


def main():
    cells.end("\n".join(compare(sys.argv[1], sys.argv[2])), sys.argv[2])


if __name__ == "__main__":
    main()
