#!/usr/bin/env python3
"""What refers by place, in recordings and snapshots that lack a part or have one twice.

usage: places.py PROGRAM DATA-FOLDER [--all] [--only WORD]

Every chunk of the recordings is dropped, given another plugin name, doubled and exchanged with its
neighbour; blocks and rows inside the text of bare snapshots are deleted and doubled. Each cell is
then compared with the database of the undamaged recording: it may be right, NULL or absent, never
wrong. Rows are found by what does not depend on places (node id), or by the number that the row
itself claims. And when anything differs or is absent, --strict must give exit code 3.
"""

import argparse
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import htrace

TABLES = {
    "js_heap_nodes": "type name id self_size edge_count trace_node_id detachedness",
    "js_heap_edges": "type name_or_index to_node from_node_id to_node_id",
    "js_heap_string": "file_index string",
    "js_heap_location": "object_index script_id line column",
    "js_heap_sample": "timestamp_us last_assigned_id",
    "js_heap_trace_function_info": "function_index function_id name script_name script_id line column",
    "js_heap_trace_node": "id function_info_index count size parent_id",
}

# Every query names what is wrong; m is the damaged database, t the undamaged one.
SAME = "(m.{0} IS NULL OR m.{0} IS t.{0})"


def wrong_cells(columns):
    return " OR ".join('(m."%s" IS NOT NULL AND m."%s" IS NOT t."%s")' % (c, c, c) for c in columns)


def joined(table, key, columns, extra=""):
    return (
        "SELECT count(*) FROM main.%s m LEFT JOIN truth.%s t ON t.file_id = m.file_id AND t.%s = m.%s "
        "WHERE m.%s IS NOT NULL %s AND (t.%s IS NULL OR %s)"
        % (table, table, key, key, key, extra, key, wrong_cells(columns))
    )


def twice(table, key):
    return (
        "SELECT count(*) FROM (SELECT 1 FROM main.%s WHERE %s IS NOT NULL GROUP BY file_id, %s "
        "HAVING count(*) > 1)" % (table, key, key)
    )


def without(table, key, columns):
    """Rows that say nothing of their own place may say nothing at all in these recordings."""
    return "SELECT count(*) FROM main.%s WHERE %s IS NULL AND coalesce(%s, NULL) IS NOT NULL" % (
        table, key, ", ".join('"%s"' % c for c in columns))


def bag(table, columns):
    """Rows without a number: none that the truth does not have, as often as there."""
    names = ", ".join('"%s"' % c for c in columns)
    known = " OR ".join('"%s" IS NOT NULL' % c for c in columns)
    return (
        "SELECT count(*) FROM (SELECT file_id, %s, count(*) AS n FROM main.%s WHERE %s GROUP BY 1, %s) m "
        "LEFT JOIN (SELECT file_id, %s, count(*) AS n FROM truth.%s GROUP BY 1, %s) t "
        "ON t.file_id = m.file_id AND %s WHERE t.n IS NULL OR t.n < m.n"
        % (names, table, known, names, names, table, names,
           " AND ".join('t."%s" IS m."%s"' % (c, c) for c in columns))
    )


def cells(table):
    return TABLES[table].split()


CHECKS = [
    ("node cells", joined("js_heap_nodes", "id", cells("js_heap_nodes") + ["node_index"])),
    ("nodes twice", twice("js_heap_nodes", "id")),
    ("nodes without id", without("js_heap_nodes", "id", cells("js_heap_nodes") + ["node_index"])),
    ("edge cells", joined("js_heap_edges", "edge_index", cells("js_heap_edges"))),
    ("edges twice", twice("js_heap_edges", "edge_index")),
    ("edges without index", without("js_heap_edges", "edge_index", cells("js_heap_edges"))),
    ("string cells", joined("js_heap_string", "file_index", ["string"])),
    ("strings twice", twice("js_heap_string", "file_index")),
    ("strings without index", without("js_heap_string", "file_index", ["string"])),
    ("functions", joined("js_heap_trace_function_info", "function_index", cells("js_heap_trace_function_info"))),
    ("functions without index", without("js_heap_trace_function_info", "function_index",
                                        cells("js_heap_trace_function_info"))),
    ("tree", joined("js_heap_trace_node", "id", cells("js_heap_trace_node"))),
    ("tree twice", twice("js_heap_trace_node", "id")),
    ("tree without id", without("js_heap_trace_node", "id", cells("js_heap_trace_node"))),
    ("locations", bag("js_heap_location", cells("js_heap_location"))),
    ("samples", bag("js_heap_sample", cells("js_heap_sample"))),
    ("self_size", "SELECT count(*) FROM js_heap_files f WHERE f.self_size <> (SELECT coalesce(sum(n.self_size), 0) "
                  "FROM js_heap_nodes n WHERE n.file_id = f.id)"),
    ("class counts", "SELECT count(*) FROM js_heap_file_detail d WHERE d.class_count > 0 AND "
                     "(SELECT sum(count) FROM js_heap_class c WHERE c.file_id = d.file_id) <> "
                     "(SELECT count(id) FROM js_heap_nodes n WHERE n.file_id = d.file_id)"),
    ("complete", "SELECT count(*) FROM js_heap_file_detail d JOIN js_heap_files f ON f.id = d.file_id WHERE complete "
                 "AND file_name LIKE '%(incomplete)'"),
    ("conservation", "SELECT count(*) FROM import_issue WHERE code = 'conservation'"),
    ("lost and said", "SELECT (SELECT count(*) FROM import_count WHERE lost > 0) > 0 <> "
                      "(SELECT count(*) FROM import_issue WHERE severity IN ('data_loss', 'error')) > 0"),
]

VIEWS = [
    ("v_js_edge", "SELECT count(*) FROM main.v_js_edge m JOIN truth.edges_seen t USING (file_id, edge_index) WHERE "
     + wrong_cells("name from_type from_name to_type to_name to_self_size".split())),
    ("v_js_node", "SELECT count(*) FROM main.v_js_node m JOIN truth.nodes_seen t USING (file_id, node_id) WHERE "
     + wrong_cells("type name".split())),
    ("v_js_class_histogram", "SELECT count(*) FROM main.v_js_class_histogram m JOIN js_heap_file_detail d USING (file_id) "
     "LEFT JOIN truth.classes_seen t USING (file_id, class) WHERE d.complete AND m.class IS NOT NULL AND "
     "(t.count IS NOT m.count OR t.self_size IS NOT m.self_size)"),
    ("classes that never were", "SELECT count(*) FROM main.v_js_class_histogram m LEFT JOIN truth.classes_seen t "
     "USING (file_id, class) WHERE m.class IS NOT NULL AND (t.count IS NULL OR t.count < m.count)"),
    ("v_js_allocation_stack", "SELECT count(*) FROM main.v_js_allocation_stack m LEFT JOIN truth.stacks_seen t "
     "USING (file_id, id) WHERE m.function IS NOT NULL AND m.function IS NOT t.function"),
]


class Run:
    def __init__(self, program, folder):
        self.program = program
        self.input = os.path.join(folder, "in")
        self.db = os.path.join(folder, "out.db")
        self.truth = os.path.join(folder, "truth.db")

    def convert(self, data, db, strict):
        with open(self.input, "wb") as f:
            f.write(data)
        command = [self.program, self.input, "-e", db, "--quiet", "--force"] + (["--strict"] if strict else [])
        return subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)

    def set_truth(self, data):
        if os.path.exists(self.truth):
            os.remove(self.truth)
        done = self.convert(data, self.truth, True)
        if done.returncode != 0:
            sys.exit("the undamaged input gives exit code %d: %s" % (done.returncode, done.stderr.decode()))
        db = sqlite3.connect(self.truth)
        db.executescript("""
            CREATE TABLE edges_seen AS SELECT * FROM v_js_edge;
            CREATE INDEX ix_edges_seen ON edges_seen(file_id, edge_index);
            CREATE TABLE nodes_seen AS SELECT * FROM v_js_node;
            CREATE INDEX ix_nodes_seen ON nodes_seen(file_id, node_id);
            CREATE TABLE classes_seen AS SELECT * FROM v_js_class_histogram;
            CREATE TABLE stacks_seen AS SELECT * FROM v_js_allocation_stack;
            CREATE INDEX ix_edges ON js_heap_edges(file_id, edge_index);
            CREATE INDEX ix_strings ON js_heap_string(file_id, file_index);
            CREATE INDEX ix_nodes ON js_heap_nodes(file_id, id);
        """)
        self.sums = self.summary(db, "main")
        db.close()

    @staticmethod
    def summary(db, schema):
        """Rows and known cells of every table."""
        out = {}
        for table in TABLES:
            columns = ["rowid"] + cells(table)
            out[table] = db.execute("SELECT %s FROM %s.%s" % (
                ", ".join('count("%s")' % c for c in columns), schema, table)).fetchone()
        return out

    def judge(self, data, views):
        """(problems, exit code, whether anything is absent, share of known cells)."""
        done = self.convert(data, self.db, True)
        if done.returncode not in (0, 3):
            # Nothing is presented at all.
            return [] if done.returncode in (1, 5) else ["exit code %d: %s" % (
                done.returncode, done.stderr.decode())], done.returncode, True, 0.0
        db = sqlite3.connect(self.db)
        db.execute("ATTACH ? AS truth", (self.truth,))
        problems = []
        for what, sql in CHECKS + (VIEWS if views else []):
            (n,) = db.execute(sql).fetchone()
            if n:
                problems.append("%s: %d" % (what, n))
        sums = self.summary(db, "main")
        absent = sums != self.sums
        known = sum(map(sum, sums.values())) / sum(map(sum, self.sums.values()))
        if absent and done.returncode != 3:
            problems.append("something is absent, and --strict gives exit code 0")
        db.close()
        return problems, done.returncode, absent, known


# --- recordings ----------------------------------------------------------------------------------


def taken_apart(data):
    header = data[:1024]
    ((_, payload),) = htrace.sections(data)
    return header, list(htrace.segments(payload))


def put_together(header, segments):
    """With all that the header says made to fit, as if nothing had been there."""
    payload = b"".join(struct.pack("<I", len(s)) + s for s in segments)
    header = bytearray(header)
    struct.pack_into("<Q", header, 8, 1024 + len(payload))
    struct.pack_into("<I", header, 20, 2 * len(segments))
    return bytes(header) + payload


def renamed(segment, change):
    name = htrace.plugin_data(segment)["name"].encode()
    return segment.replace(name, change(bytearray(name)), 1)


def flipped(rnd):
    def change(name):
        name[rnd.randrange(len(name))] ^= 1 << rnd.randrange(7)
        return bytes(name)
    return change


def lettered(rnd):
    def change(name):
        at = rnd.randrange(len(name))
        name[at] = ord("x") if name[at] != ord("x") else ord("y")
        return bytes(name)
    return change


def of_recording(data, rnd):
    """(what, bytes) of every mutation."""
    header, segments = taken_apart(data)
    for i, segment in enumerate(segments):
        before, after = segments[:i], segments[i + 1:]
        if b'"HeapProfiler.addHeapSnapshotChunk"' not in segment[:400]:
            continue
        yield "drop %d" % i, lambda b=before, a=after: put_together(header, b + a)
        yield "bit in name %d" % i, lambda s=segment, b=before, a=after: put_together(
            header, b + [renamed(s, flipped(rnd))] + a)
        yield "letter in name %d" % i, lambda s=segment, b=before, a=after: put_together(
            header, b + [renamed(s, lettered(rnd))] + a)
        yield "no name %d" % i, lambda s=segment, b=before, a=after: put_together(
            header, b + [renamed(s, lambda n: b"other-plugin")] + a)
        yield "double %d" % i, lambda s=segment, b=before, a=after: put_together(header, b + [s, s] + a)
        if i + 1 < len(segments):
            yield "swap %d" % i, lambda s=segment, b=before, a=after: put_together(
                header, b + [a[0], s] + a[1:])


# --- bare files -----------------------------------------------------------------------------------


def of_text(text, rnd, each):
    """Blocks of bytes, and whole rows, inside the arrays."""
    for part in (b"nodes", b"edges", b"strings", b"samples", b"locations", b"trace_tree"):
        start = text.index(b'"%s":[' % part) + len(part) + 4
        end = len(text) - 2 if part == b"strings" else text.index(b"]", start)
        if end - start < 8:
            continue
        for k in range(each):
            n = min(rnd.choice((1 << rnd.randrange(4, 14), rnd.randrange(16, 200))), (end - start) // 2)
            at = rnd.randrange(start, end - n)
            if (b'"' if part == b"strings" else b",") not in text[at:at + n]:
                continue  # inside one text or number: nothing says that it was another one
            yield "delete %d bytes of %s at %d" % (n, part.decode(), at), lambda a=at, n=n: text[:a] + text[a + n:]
            yield "double %d bytes of %s at %d" % (n, part.decode(), at), lambda a=at, n=n: text[:a + n] + text[a:]
            a = text.find(b"\n,", at) if part != b"strings" else text.find(b"\n", at) + 1
            b = text.find(b"\n,", a + n) if part != b"strings" else text.find(b"\n", a + n) + 1
            if a > 0 and start < a < b < end:
                if part in (b"samples", b"locations"):
                    continue  # nothing says how many there were
                yield "delete rows of %s %d-%d" % (part.decode(), a, b), lambda a=a, b=b: text[:a] + text[b:]
                yield "double rows of %s %d-%d" % (part.decode(), a, b), lambda a=a, b=b: text[:b] + text[a:]


# --- small files ---------------------------------------------------------------------------------

# Of files that do not number their strings as V8 does, cells that depend on no place are kept: then it
# is the views that must not join by places. (what is replaced, by what, query, what it must give)
SMALL = [
    (b'"node_count":3', b'"node_count":4',
     "SELECT count(*), count(id), count(node_index) FROM js_heap_nodes", (3, 3, 0)),
    (b'"node_count":3', b'"node_count":4',
     "SELECT count(*), count(type), count(name), count(from_type), count(to_type), count(to_name) FROM v_js_edge",
     (4, 4, 4, 0, 0, 0)),
    (b'"User",\n', b"",
     "SELECT count(*), count(type), count(name) FROM v_js_node", (3, 3, 0)),
    (b'"User",\n', b"",
     "SELECT count(*), count(to_node_id), count(name), count(to_name) FROM v_js_edge", (4, 4, 1, 0)),
    (b'"User",\n', b"", "SELECT count(*), count(string), count(file_index) FROM js_heap_string", (4, 4, 0)),
    (b'"User",\n', b"", "SELECT count(*) FROM v_js_class_histogram WHERE class NOT LIKE '(%'", (0,)),
    (b'"edge_count":4', b'"edge_count":5',
     "SELECT count(*), count(type), count(from_node_id), count(from_type), count(to_node_id) FROM v_js_edge",
     (4, 4, 0, 0, 4)),
]


def small_files(run, data):
    bad = 0
    with open(os.path.join(data, "tiny", "snapshot.heapsnapshot"), "rb") as f:
        text = f.read()
    for old, new, sql, want in SMALL:
        assert old in text
        code = run.convert(text.replace(old, new, 1), run.db, True).returncode
        got = sqlite3.connect(run.db).execute(sql).fetchone()
        if code != 3 or got != want:
            print("WRONG: %r for %r, exit %d: %s: %r instead of %r" % (new, old, code, sql, got, want))
            bad += 1
    return bad


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("program")
    p.add_argument("data")
    p.add_argument("--all", action="store_true")
    p.add_argument("--only", default="")
    p.add_argument("--every", type=int, default=0)
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    slow = args.all or os.environ.get("TS_SLOW") == "1"
    rnd = random.Random(11)
    bad = runs = 0
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        run = Run(args.program, folder)
        bad += small_files(run, args.data)
        timeline = htrace.read_bytes(os.path.join(args.data, "recording-timeline.htrace.gz"))
        inputs = [("timeline", timeline, of_recording(timeline, rnd))]
        text = htrace.Recording(timeline).heaps[0]["text"]
        inputs.append(("bare timeline", text, of_text(text, rnd, 40 if slow else 3)))
        if slow:
            shots = htrace.read_bytes(os.path.join(args.data, "recording-snapshots.htrace.gz"))
            inputs.append(("snapshots", shots, of_recording(shots, rnd)))
        for name, whole, mutations in inputs:
            if args.only and not name.startswith(args.only.split("/")[0]):
                continue
            run.set_truth(whole)
            mutations = list(mutations)
            every = args.every or (1 if slow else 19)
            for k, (what, make) in enumerate(mutations):
                if "/" in args.only and args.only.split("/")[1] not in what:
                    continue
                if (k + 3) % every:
                    continue
                problems, code, absent, known = run.judge(make(), k % 8 == 0)
                runs += 1
                shares.append(known)
                if problems or args.verbose:
                    print("%s%s, %s: exit %d, %.3f known: %s" % (
                        "WRONG: " if problems else "", name, what, code, known, "; ".join(problems)), flush=True)
                bad += bool(problems)
    if runs:
        print("%d inputs, %d wrong; %.3f of the cells are known on average" % (runs, bad, sum(shares) / runs))
    return 1 if bad or not runs else 0


sys.exit(main())
