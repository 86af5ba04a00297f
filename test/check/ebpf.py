#!/usr/bin/env python3
"""Rows of hiebpf sections of an .htrace, read by a model of its own, against what a database has: every cell.

usage: ebpf.py DATABASE RECORDING

Undamaged recordings only. The rules are those of docs/formats.md and of docs/differences.md.
"""

import struct
import sys

sys.dont_write_bytecode = True
import native_shared as shared
from cells import cells
from native_shared import AnyOf, M64

CLOCKS = {0: "real", 1: "boot", 2: "mono", 3: "mono_raw"}
CALLS = {1: 0, 10: 1, 2: 2, 4: 2, 6: 2, 8: 2, 3: 3, 5: 3, 7: 3, 9: 3}
FS_EVENTS = ("fs_open", "fs_close", "fs_read", "fs_write")


def hexa(v):
    return None if v & M64 == M64 else "0x%x" % (v & M64)


def word(data):
    return shared.text_at(data, 0)


class Model:
    def __init__(self):
        self.processes = shared.Processes()
        self.chains, self.numbers, self.frames, self.fs, self.paged, self.bio, self.common = {}, 0, [], [], [], [], []
        self.stat = dict.fromkeys(("trace_ebpf", "trace_ebpf_file_system", "trace_ebpf_paged_memory", "trace_ebpf_bio_latency"), 0)
        self.invalid = dict.fromkeys(self.stat, 0)
        self.times, self.items, self.paths, self.calls = [], 0, {}, set()

    def add(self, data, clocks):
        magic, size, _, clock = struct.unpack_from("<QIII", data)
        if magic != 0x454C494646504245 or size != 1024:
            raise ValueError("no header of hiebpf")
        self.clocks, self.clock = clocks, CLOCKS[clock]
        self.stat["trace_ebpf"] += 1
        self.maps, self.elf, self.kernel, self.texts, events = {}, {}, None, {}, {2: [], 3: [], 4: []}
        self.chains = {}  # of a section, numbers go on
        at = 1024
        while at < len(data):
            kind, length = struct.unpack_from("<II", data, at) if at + 8 <= len(data) else (0, len(data))
            if at + 8 + length > len(data):
                self.calls.add("ebpf_cut")
                break
            self.items += 1
            self.item(kind, data[at + 8:at + 8 + length], events)
            at += 8 + length
        for kind, handle in ((2, self.file_system), (3, self.paged_memory), (4, self.block)):
            for _, body in sorted(events[kind], key=lambda e: e[0]):
                handle(body)

    def item(self, kind, body, events):
        if kind == 0:
            start, end, offset, pid, length = struct.unpack_from("<QQIII", body)
            self.maps.setdefault(pid, []).append((start, end, offset, word(body[28:28 + length])))
        elif kind == 1:
            vaddr, offset, strings, table, name, entry = struct.unpack_from("<QIIIII", body)
            at = 28 + strings
            path = word(body[at + table:at + table + name])
            self.elf.setdefault(path, shared.SymbolTable(vaddr, offset, entry, body[at:at + table], body[28:at]))
        elif kind in events:
            events[kind].append((struct.unpack_from("<Q", body, {2: 24, 3: 24, 4: 32}[kind])[0], body))
        elif kind == 5:
            pid, tid, start, what, call, length, _ = struct.unpack_from("<IIQIIII", body)
            self.processes.thread(tid, pid)
            self.texts[what, call, tid, start] = word(body[32:32 + length])
        elif kind == 0x10001:
            first, last, table, _ = struct.unpack_from("<QQII", body)
            found = {}
            for i in range(table // 16):
                address, size, name = struct.unpack_from("<QII", body, 24 + 16 * i)
                found.setdefault(address, (size, shared.text_at(body[24 + table:], name)))
            self.kernel = (first, last, found)

    def ts(self, t):
        return shared.to_boot(self.clocks, self.clock, t)

    # --- frames --------------------------------------------------------------------------------

    def symbol(self, pid, ip):
        """(symbol, file, what the common model calls it)."""
        if self.kernel and self.kernel[0] <= ip < self.kernel[1]:
            below = [a for a in self.kernel[2] if a <= ip]
            if below and ip < max(below) + self.kernel[2][max(below)][0]:
                name = self.kernel[2][max(below)][1]
                return name, "/proc/kallsyms", name
            return None, None, "0x%x" % ip
        for start, end, offset, path in self.maps.get(pid, ()):
            if start <= ip < end:
                table = self.elf.get(path)
                v = (ip - start + offset + (table.shift if table else 0)) & M64
                found = table.symbol(v) if table else None
                return (found[1], path, found[1]) if found else (None, path, "%s+0x%x" % (path.rpartition("/")[2], v))
        return None, None, "0x%x" % ip

    def ips(self, body, fixed, count):
        """As many as there are."""
        if count > (len(body) - fixed) // 8:
            self.calls.add("ebpf_ips")
            count = (len(body) - fixed) // 8
        return struct.unpack_from("<%dQ" % count, body, fixed)

    def chain(self, pid, ips):
        """(number, path of the common model)."""
        if not ips:
            return -1, ()
        frames = [(ip, *self.symbol(pid, ip)) for ip in reversed(ips) if ip != 0]
        if (pid, ips) not in self.chains:
            self.chains[pid, ips] = self.numbers
            self.numbers += 1
            self.frames += [(self.chains[pid, ips], depth, hexa(ip), symbol, path) for depth, (ip, symbol, path, _) in enumerate(frames)]
        return self.chains[pid, ips], tuple((name, path, None, None) for _, _, path, name in frames)

    def thread(self, pid, tid, process):
        self.processes.process(pid)
        if process:
            row = self.processes.by_pid[pid]
            self.processes.processes[row][1] = process
            self.processes.thread(pid, pid)[2] = process
        self.processes.thread(tid, pid)
        return (tid, pid)

    def sample(self, event, thread, start, end, path, size, labels):
        self.times += [start, end]
        self.common.append((event, thread, start, end - start, path, {} if size is None else {"size": ("bytes", size)}, {k: v for k, v in labels.items() if v is not None}))

    # --- events --------------------------------------------------------------------------------

    def file_system(self, b):
        pid, tid, _, start, end, _, ret, n, call, *args, process = struct.unpack_from("<II8sQQ16siHH4Q16s", b)
        self.stat["trace_ebpf_file_system"] += 1
        if call not in CALLS or end < start:
            self.invalid["trace_ebpf_file_system"] += 1
            self.calls.add("ebpf_call" if call not in CALLS else "ebpf_times")
            return
        thread, kind = self.thread(pid, tid, word(process)), CALLS[call]
        chain, path = self.chain(pid, self.ips(b, 104, n))
        fd = {0: ret if ret >= 0 else 0xFFFFFFFF, 1: args[1] & 0xFFFFFFFF}.get(kind, args[0] & 0xFFFFFFFF)
        fd = None if fd == 0xFFFFFFFF else fd
        file = self.texts.pop((2, call, tid, start), None)
        size = ret if kind >= 2 and ret >= 0 else None
        start, end = self.ts(start), self.ts(end)
        error = "0x%x" % -ret if ret < 0 else None
        self.fs.append((chain, kind, pid, thread, start, end, end - start, "0x%x" % max(ret, 0), error, fd, file, size, *map(hexa, args)))
        labels = {"fd": None if fd is None else str(fd), "path": file or None, "error": error and AnyOf(error, str(-ret))}
        self.sample(FS_EVENTS[kind], thread, start, end, path, size, labels)

    def paged_memory(self, b):
        pid, tid, _, start, end, _, addr, size, n, kind, process = struct.unpack_from("<II8sQQ16sQIHH16s", b)
        self.stat["trace_ebpf_paged_memory"] += 1
        if end < start:
            self.invalid["trace_ebpf_paged_memory"] += 1
            self.calls.add("ebpf_times")
            return
        thread = self.thread(pid, tid, word(process))
        chain, path = self.chain(pid, self.ips(b, 80, n))
        start, end = self.ts(start), self.ts(end)
        self.paged.append((chain, kind, pid, thread, start, end, end - start, size, hexa(addr)))
        self.sample("page_fault_%d" % kind, thread, start, end, path, size, {})

    def block(self, b):
        pid, tid, process, start, end, prio, size, block, n, kind = struct.unpack_from("<II16sQQIIQII", b)
        self.stat["trace_ebpf_bio_latency"] += 1
        if end < start:
            self.invalid["trace_ebpf_bio_latency"] += 1
            self.calls.add("ebpf_times")
            return
        thread = self.thread(pid, tid, word(process))
        chain, path = self.chain(pid, self.ips(b, 80, n))
        file = self.texts.pop((4, kind, tid, start), None)
        start, end = self.ts(start), self.ts(end)
        self.bio.append((chain, kind, pid, thread, start, end, end - start, prio, size, hexa(block), file, (end - start) * 4096 // size if size else None))
        self.sample("bio_%d" % kind, thread, start, end, path, size, {"path": file or None})


def load(path):
    model = Model()
    for kind, clocks, plugin, payload in shared.sections(path):
        if kind == "standalone" and plugin == "hiebpf-plugin":
            model.add(payload, clocks)
    return model


def compare(database, path, alone=True):
    """What differs, as texts; alone: nothing else in the recording has processes or times."""
    m, db, c = load(path), shared.Database(database), shared.Comparison()
    columns = "callchain_id, type, ipid%, itid#, start_ts, end_ts, dur, return_value, error_code, fd, file_id$, size, first_argument, second_argument, third_argument, fourth_argument"
    c.rows("file_system_sample", m.fs, db.table(columns, "file_system_sample"), columns)
    columns = "callchain_id, type, ipid%, itid#, start_ts, end_ts, dur, size, addr"
    c.rows("paged_memory_sample", m.paged, db.table(columns, "paged_memory_sample"), columns)
    columns = "callchain_id, type, ipid%, itid#, start_ts, end_ts, latency_dur, tier, size, block_number, path_id, dur_per_4k"
    got = [(*r[:10], None if r[10] is None else db.word(int(r[10])), r[11]) for r in db.table(columns, "bio_latency_sample")]
    c.rows("bio_latency_sample", m.bio, got, columns)
    columns = "callchain_id, depth, ip, symbols_id$, file_path_id$"
    c.rows("ebpf_callstack", m.frames, db.table(columns, "ebpf_callstack"), columns)
    for table in ("file_system_sample", "paged_memory_sample", "bio_latency_sample", "ebpf_callstack"):
        c.same("%s.id" % table, list(range(db.rows("SELECT count(*) FROM %s" % table).fetchone()[0])), [r[0] for r in db.rows("SELECT id FROM %s ORDER BY rowid" % table)])
    for event, count in m.stat.items():
        c.same("stat " + event, count, db.stat(event))
        c.same("stat %s invalid_data" % event, m.invalid[event], db.stat(event, "invalid_data"))
    c.same("stat trace_ebpf not_supported", int("ebpf_cut" in m.calls), db.stat("trace_ebpf", "not_supported"))
    if m.times and alone:
        c.same("trace_range", (min(m.times) - (len(set(m.times)) == 1), max(m.times) + (len(set(m.times)) == 1)), db.range())
    if alone:
        c.threads(db, m.processes, True)
    c.samples(db, "ebpf", m.common)
    c.counts(db)
    c.issues(db, alone, {code: code in m.calls for code in ("ebpf_call", "ebpf_times", "ebpf_header", "ebpf_cut", "ebpf_item_short", "ebpf_ips")})
    return c.wrong


def main():
    cells.end("\n".join(compare(sys.argv[1], sys.argv[2])), sys.argv[2])


if __name__ == "__main__":
    main()
