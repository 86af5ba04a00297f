"""What the models of perf.data, native_hook and hiebpf share: processes and threads, symbol tables of ELF, rows of a database with their
texts, and how rows are compared. Nothing of it is taken from trace_streamer.
"""

import gzip
import sqlite3
import struct

import htrace
from cells import cells

M64 = (1 << 64) - 1
SHOWN = 4

# Names of C++ and what they are for people. Others that begin _Z are none that a demangler knows.
DEMANGLED = {
    "_ZN1a1bEv": "a::b()", "_ZN2ns4leafEi": "ns::leaf(int)", "_Z3foov": "foo()", "_ZN3app4Main3runERKi": "app::Main::run(int const&)",
    "_ZdlPv": "operator delete(void*)", "_ZNSt6vectorIiSaIiEE9push_backEOi": "std::vector<int, std::allocator<int> >::push_back(int&&)",
}


class Wrong(Exception):
    """The database is not what it must be."""


class AnyOf:
    """A cell for which the format's description allows several values."""

    def __init__(self, *values):
        self.values = values

    def __eq__(self, other):
        return other in self.values

    def __hash__(self):
        return 0

    def __repr__(self):
        return " or ".join(map(repr, self.values))


class Anything:
    """A cell of which the format's description says nothing."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __repr__(self):
        return "any"


def s64(v):
    v &= M64
    return v - (1 << 64) if v >> 63 else v


def demangled(name):
    return DEMANGLED.get(name, name) if name.startswith("_Z") else name


def unwrapped(data):
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def sections(path):
    """(kind, clocks or None, plugin name, payload) of every part of a file: kind is perf, protobuf or standalone."""
    with open(path, "rb") as f:
        data = unwrapped(f.read())
    if data[:8] != b"OHOSPROF":
        yield "perf", None, "", data
        return
    clocks = None
    for header, payload in htrace.sections(data):
        if clocks is None and header["boot"]:
            clocks = {k: v for k, v in header.items() if k in htrace.CLOCKS and v}
        kind = {1: "perf", 1000: "standalone"}.get(header["type"], "protobuf")
        yield kind, clocks, header.get("plugin", ""), unwrapped(payload) if kind == "perf" else payload


def to_boot(clocks, clock, ts):
    """A time of another clock in the trace's, which is boottime."""
    return ts + clocks["boot"] - clocks[clock] if clocks and clock in clocks else ts


def text_at(data, at):
    end = data.find(b"\0", at)
    return data[at:len(data) if end < 0 else end].decode("utf-8", "replace")


# --- processes and threads ----------------------------------------------------------------------

class Processes:
    """The calls of plugins.md 0.6."""

    def __init__(self):
        self.processes, self.by_pid = [], {}
        self.threads = []  # [tid, process or None, name]
        self.process(0)

    def process(self, pid):
        if pid not in self.by_pid:
            self.by_pid[pid] = len(self.processes)
            self.processes.append([pid, None])
            self.thread(pid, pid)
        return self.by_pid[pid]

    def thread(self, tid, pid):
        same = [t for t in self.threads if t[0] == tid]
        if pid == 0:
            found = same[-1:]
        else:
            own = [t for t in same if t[1] is not None and self.processes[t[1]][0] == pid]
            found = own[:1] or [t for t in same if t[1] is None][-1:]
        if not found:
            found = [[tid, None, None]]
            self.threads += found
        if found[0][1] is None:
            found[0][1] = self.process(pid)
        return found[0]

    def names_of_processes(self):
        """(pid, name): that of the main thread."""
        out = []
        for i, (pid, name) in enumerate(self.processes):
            mains = [t[2] for t in self.threads if t[1] == i and t[0] == pid and t[2]]
            out.append((pid, "swapper" if pid == 0 else mains[0] if mains else name))
        return out

    def rows_of_threads(self):
        return [(t[0], self.processes[t[1]][0] if t[1] is not None else t[0], "swapper" if t[0] == 0 else t[2] or None) for t in self.threads]


# --- symbols of ELF ------------------------------------------------------------------------------

class SymbolTable:
    """Functions by address: of equal addresses the last or the first."""

    def __init__(self, text_vaddr, text_offset, entry_size, table, strings, last=True):
        self.shift = text_vaddr - text_offset
        self.key = (text_vaddr, text_offset, entry_size, table, strings)
        found = {}
        size = 16 if entry_size == 16 else 24
        self.empty = len(table) < size
        for at in range(0, len(table) - size + 1, size):
            if size == 16:
                name, value, length, info = struct.unpack_from("<IIIB", table, at)
            else:
                name, info, value, length = struct.unpack_from("<IB3xQQ", table, at)
            if value != 0 and info & 15 in (2, 10) and (last or value not in found):
                found[value] = (length, name)
        self.addresses = sorted(found)
        self.found, self.strings = found, strings

    def symbol(self, v):
        """(address, name), or None."""
        below = [a for a in self.addresses if a <= v]
        if not below:
            return None
        length, name = self.found[below[-1]]
        if (length and v >= below[-1] + length) or name >= len(self.strings):
            return None
        return below[-1], demangled(text_at(self.strings, name))


class Maps:
    """Mappings of a process: a new one takes the place of what it overlaps, what is left keeps its offsets in the file."""

    def __init__(self, maps=()):
        self.maps = list(maps)  # (start, end, offset, what)

    def add(self, start, end, offset, what):
        kept = []
        for m in self.maps:
            if m[0] < start and m[1] > m[0]:
                kept.append((m[0], min(m[1], start), m[2], m[3]))
            if m[1] > end and m[0] < m[1]:
                at = max(m[0], end)
                kept.append((at, m[1], m[2] + at - m[0], m[3]))
        self.maps = kept + [(start, end, offset, what)]

    def find(self, ip):
        for m in self.maps:
            if m[0] <= ip < m[1]:
                return m
        return None


# --- rows of a database --------------------------------------------------------------------------

class Database:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.words = dict(self.rows("SELECT id, data FROM data_dict"))
        self.pids = dict(self.rows("SELECT ipid, pid FROM process"))
        self.tids = {i: (tid, self.pids.get(ipid)) for i, tid, ipid in self.rows("SELECT itid, tid, ipid FROM thread")}

    def rows(self, sql, *args):
        return self.db.execute(sql, args)

    def word(self, number):
        if number is not None and number not in self.words:
            raise Wrong("%r is no id of data_dict" % number)
        return None if number is None else self.words[number]

    def table(self, columns, table, where="1"):
        """Rows by their id: a column `a$` is an id of data_dict, `a%` of a process, `a#` of a thread."""
        names = columns.split(", ")
        kinds = [c[-1] if c[-1] in "$%#" else "" for c in names]
        how = {"$": self.word, "%": lambda v: None if v is None else self.pids[v], "#": lambda v: None if v is None else self.tids[v], "": lambda v: v}
        sql = "SELECT %s FROM %s WHERE %s ORDER BY rowid" % (", ".join(c.rstrip("$%#") for c in names), table, where)
        return [tuple(how[k](v) for k, v in zip(kinds, row)) for row in self.rows(sql)]

    def stat(self, event, kind="received"):
        return self.rows("SELECT count FROM stat WHERE event_name = ? AND stat_type = ?", event, kind).fetchone()[0]

    def range(self):
        return self.rows("SELECT start_ts, end_ts FROM trace_range").fetchone()

    def codes(self):
        return dict(self.rows("SELECT code, sum(count) FROM import_issue GROUP BY 1"))

    def paths(self):
        """node → ((name, library, file, line), …) from the root."""
        out = {None: ()}
        for node, parent, line, *method in self.rows(
                "SELECT n.id, n.parent_id, n.line, m.name, m.library, m.file, m.line FROM stack_node n LEFT JOIN stack_method m ON m.id = n.method_id ORDER BY n.id"):
            if line is not None:
                raise Wrong("stack_node %d has a line" % node)
            out[node] = out[parent] + (tuple(method),)
        return out

    def samples(self, kind):
        """[(event, thread, ts, dur, path, {value: (unit, number)}, {label: text})] of the sources of a kind, in their order."""
        paths, values, labels = self.paths(), {}, {}
        for sample, name, unit, value in self.rows("SELECT v.sample_id, t.name, t.unit, v.value FROM stack_sample_value v JOIN stack_value_type t ON t.id = v.value_type_id"):
            values.setdefault(sample, {})[name] = (unit, value)
        for sample, key, value in self.rows("SELECT sample_id, key, value FROM stack_sample_label"):
            labels.setdefault(sample, {})[key] = value
        sql = "SELECT s.id, s.event, s.itid, s.ts, s.dur, s.node_id FROM stack_sample s JOIN source o ON o.id = s.source_id WHERE o.kind = ? ORDER BY s.id"
        return [(event, None if itid is None else self.tids[itid], ts, dur, paths[node], values.get(i, {}), labels.get(i, {}))
                for i, event, itid, ts, dur, node in self.rows(sql, kind)]

    def methods(self, kind):
        return list(self.rows("SELECT m.source_id, m.name, m.library, m.file, m.line FROM stack_method m JOIN source o ON o.id = m.source_id WHERE o.kind = ?", kind))


class Comparison:
    """Collects what differs."""

    def __init__(self):
        self.wrong = []

    def same(self, what, want, got):
        cells.compared += 1
        if want != got:
            self.wrong.append("%s: %r instead of %r" % (what, got, want))

    def rows(self, what, want, got, columns=""):
        cells.add([tuple(str(c) for c in w) for w in want])
        bad = [i for i, (w, g) in enumerate(zip(want, got)) if tuple(w) != tuple(g)]
        head = what + (" (%s)" % columns if columns else "")
        if len(want) != len(got):
            self.wrong.append("%s: %d rows instead of %d" % (head, len(got), len(want)))
            for i in range(min(len(want), len(got)), min(min(len(want), len(got)) + SHOWN, max(len(want), len(got)))):
                self.wrong.append("  row %d %s %r" % (i, "is missing:" if i < len(want) else "is too many:", (want if i < len(want) else got)[i]))
        for i in bad[:SHOWN]:
            self.wrong.append("%s: row %d\n  want %r\n  got  %r" % (head, i, want[i], got[i]))
        if len(bad) > SHOWN:
            self.wrong.append("%s: %d rows differ" % (head, len(bad)))

    def sets(self, what, want, got):
        """Rows whose order says nothing."""
        cells.add(list(want))
        want, got = sorted(want, key=repr), sorted(got, key=repr)
        if want != got:
            self.wrong.append("%s: missing %r, not expected %r" % (what, [w for w in want if w not in got][:SHOWN], [g for g in got if g not in want][:SHOWN]))
            if len(set(got)) != len(got):
                self.wrong.append("%s: some rows are there twice" % what)

    def threads(self, db, processes, ordered):
        compare = self.rows if ordered else self.sets
        compare("process (pid, name)", processes.names_of_processes(), [(pid, name or None) for pid, name in db.rows("SELECT pid, name FROM process ORDER BY id")])
        compare("thread (tid, pid, name)", processes.rows_of_threads(),
                [(tid, db.pids.get(ipid), name or None) for tid, ipid, name in db.rows("SELECT tid, ipid, name FROM thread ORDER BY id")])

    def samples(self, db, kind, want, ordered=True, more_labels=None):
        """want as of Database.samples; values of 0 may be left out. more_labels(number of the sample, key, value): may a sample have this label too?"""
        got = db.samples(kind)
        plain = lambda s: (*s[:5], tuple(sorted((k, v) for k, v in s[5].items() if v[1])), tuple(sorted(s[6].items())))
        if more_labels:
            got = [(*s[:6], {k: v for k, v in s[6].items() if not more_labels(i, k, v)}) for i, s in enumerate(got)]
        want, got = [plain(s) for s in want], [plain(s) for s in got]
        if not ordered:
            want, got = (sorted(rows, key=lambda s: repr((s[2], s[5], s[4]))) for rows in (want, got))
        self.rows("stack_sample of %s" % kind, want, got, "event, thread, ts, dur, path, values, labels")
        used = {m for s in want for m in s[4]}
        self.same("stack_method of %s: each is there once" % kind, len(set(db.methods(kind))), len(db.methods(kind)))
        there = [m[1:] for m in db.methods(kind)]
        missing = [m for m in used - set(there) if m not in there]
        if missing and not any("stack_sample" in w for w in self.wrong):
            self.wrong.append("stack_method of %s: missing %r" % (kind, missing[:SHOWN]))

    def issues(self, db, alone, want):
        """Kinds of defects that must be there, and those that must not: {code: must it?}; alone: nothing else may be lost."""
        there = db.codes()
        for code, here in want.items():
            self.same("import_issue " + code, here, code in there)
        losses = {code for (code,) in db.rows("SELECT DISTINCT code FROM import_issue WHERE severity IN ('data_loss', 'error')")}
        self.same("other losses", set(), {code for code in losses if code not in want} if alone else set())

    def counts(self, db, want=()):
        """seen = imported + lost + skipped; want: {item: (seen, imported, lost, skipped)}, with None where any will do."""
        for item, seen, imported, lost, skipped in db.rows("SELECT item, seen, imported, lost, skipped FROM import_count"):
            self.same("import_count %s: seen" % item, imported + lost + skipped, seen)
        for item, numbers in dict(want).items():
            got = db.rows("SELECT sum(seen), sum(imported), sum(lost), sum(skipped) FROM import_count WHERE item = ?", item).fetchone()
            self.same("import_count %s" % item, tuple(g if n is None else n for n, g in zip(numbers, got)), got)
