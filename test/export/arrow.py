"""arrow.py GROUP PROGRAM SOURCE: --output=arrow.

GROUP is one of questions: the answers of all shipped questions to the bundled recordings are, cell by cell, those of --output=jsonl, read by a reader of our own;
values: types, values of every kind, sizes of batches, several databases, comparisons; refused: what is no stream, and what a failure leaves; memory: its bound;
readers: streams of the first two as apache-arrow reads them (npm; TS_DEVTOOLS=install or TS_SLOW=1 asks for it, else skipped).
"""
import glob
import json
import os
import pty
import struct
import subprocess
import sys

import arrow_stream
import made

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import npm_packages  # noqa: E402

GROUP, PROGRAM, SOURCE = sys.argv[1:4]
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(SOURCE, "test", "data")
BATCH = 16384
MANY = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT %s FROM n"


def check(condition, text):
    if not condition:
        raise SystemExit(f"WRONG: {text}")


def database():
    """One of all bundled recordings, with all analyses."""
    inputs = sorted(p for p in glob.glob(os.path.join(DATA, "*")) if os.path.isfile(p) and not p.endswith((".md", ".txt.gz", ".py")))
    made.run(PROGRAM, *inputs, "--keep-going", "--analyze=default,heap,profile_metrics,stack_totals,markers,napi_async", "-e", "all.db", "--quiet", "--force", codes=(0, 3))
    return "all.db"


def ask(*arguments):
    return made.run(PROGRAM, *arguments, "--output=arrow", "--quiet").stdout


def same(cell, value, kind):
    """Whether a cell of Arrow is the value in JSON, whose reals have 15 digits."""
    if cell is None or value is None:
        return cell is value
    if kind == "binary":
        return cell.hex().upper() == value
    if kind == "float64":
        return cell == value or abs(cell - value) <= 1e-14 * abs(cell)
    return cell == value or kind == "utf8" and not isinstance(value, str) and cell == str(value)


def compare(what, stream, lines):
    columns, rows, _ = arrow_stream.read(stream)
    check(len(rows) == len(lines), f"{what}: {len(rows)} rows instead of {len(lines)}")
    for row, line in zip(rows, lines):
        want = json.loads(line)
        check(list(want) == [name for name, _ in columns], f"{what}: {columns} instead of {list(want)}")
        for cell, (name, kind) in zip(row, columns):
            check(same(cell, want[name], kind), f"{what}, {name}: {cell!r} instead of {want[name]!r}")
    return len(rows) * len(columns)


def names():
    listed = made.run(PROGRAM, "--questions").stdout.decode().splitlines()
    return [f[:-4] for f in sorted(os.listdir(os.path.join(SOURCE, "share", "sql"))) if f.endswith(".sql") and any(f[:-4] in line for line in listed)]


def questions():
    """(name, stream) of those that have an answer."""
    db = database()
    answered, cells, found = 0, 0, []
    for name in names():
        json_run = made.run(PROGRAM, db, "-q", name, "--output=jsonl", codes=(0, 2))
        arrow_run = made.run(PROGRAM, db, "-q", name, "--output=arrow", codes=(0, 2))
        check((json_run.returncode, json_run.stderr) == (arrow_run.returncode, arrow_run.stderr), f"{name}: {arrow_run.stderr.decode()}")
        if json_run.returncode == 0:
            cells += compare(name, arrow_run.stdout, json_run.stdout.decode().split("\n")[:-1])
            answered += 1
            found.append((name, arrow_run.stdout))
        else:
            check(arrow_run.stdout == b"", f"{name}: it wrote {arrow_run.stdout[:40]}")
    check(answered > 50 and cells > 10000, f"only {answered} questions and {cells} cells")
    print(f"{answered} questions, {cells} cells")
    return found


BIG = (1 << 63) - 1
# SQL of a result, columns and rows.
VALUES = {
    "integers": (f"SELECT 1 AS a, NULL AS b UNION ALL SELECT {BIG}, -3 UNION ALL SELECT -{BIG} - 1, NULL", [("a", "int64"), ("b", "int64")],
                 [(1, None), (BIG, -3), (-BIG - 1, None)]),
    "reals": ("SELECT 0.1 AS a, 1 AS b UNION ALL SELECT 9e999, 2.5 UNION ALL SELECT -9e999, NULL UNION ALL SELECT 5e-324, 9007199254740991 UNION ALL SELECT 0.30000000000000004, -1",
              [("a", "float64"), ("b", "float64")], [(0.1, 1.0), (float("inf"), 2.5), (float("-inf"), None), (5e-324, 9007199254740991.0), (0.30000000000000004, -1.0)]),
    # An integer that a real does not hold exactly stays, as a text.
    "large": ("SELECT 9007199254740993 AS a UNION ALL SELECT 0.5", [("a", "utf8")], [("9007199254740993",), ("0.5",)]),
    "texts": ("SELECT '' AS a, 'größe🔥' AS b UNION ALL SELECT 'x' || char(0) || 'y', CAST(x'61ff62' AS TEXT) UNION ALL SELECT NULL, 7",
              [("a", "utf8"), ("b", "utf8")], [("", "größe🔥"), ("x\0y", "a\ufffdb"), (None, "7")]),
    "bytes": ("SELECT x'00ff' AS a, x'' AS b UNION ALL SELECT NULL, 'text' UNION ALL SELECT x'80', 12", [("a", "binary"), ("b", "binary")],
              [(b"\x00\xff", b""), (None, b"text"), (b"\x80", b"12")]),
    "names": ("SELECT 1 AS a, 2 AS a, 'x' AS \"größe\", 4 AS a", [("a", "int64"), ("a:1", "int64"), ("größe", "utf8"), ("a:2", "int64")], [(1, 2, "x", 4)]),
    # Nothing but NULL, and nothing at all: what the tables declare.
    "declared": ("SELECT id, path, NULL AS c, id + 1 AS d FROM source WHERE 0", [("id", "int64"), ("path", "utf8"), ("c", "utf8"), ("d", "utf8")], []),
    "null": ("SELECT (SELECT 1 WHERE 0) AS a, pid FROM process WHERE pid IS NULL LIMIT 2", None, None),
    # A value of another type after the first batch.
    "late": (MANY % (BATCH + 1, f"CASE i WHEN {BATCH + 1} THEN 'last' ELSE i END AS a"), [("a", "utf8")], [(str(i),) for i in range(1, BATCH + 1)] + [("last",)]),
    "wide": ("SELECT " + ", ".join(f"{i} AS c{i}" for i in range(500)), [(f"c{i}", "int64") for i in range(500)], [tuple(range(500))]),
}


def values():
    """(name, stream)."""
    made.run(PROGRAM, os.path.join(DATA, "work.jfr.gz"), "-e", "work.db", "--quiet", "--force")
    made.run(PROGRAM, os.path.join(DATA, "go-cpu.pprof"), "-e", "go.db", "--quiet", "--force")
    found = []
    for name, (sql, columns, rows) in VALUES.items():
        stream = ask("work.db", "-q", sql)
        got = arrow_stream.read(stream)
        check(columns is None or got[:2] == (columns, rows), f"{name}: {got[:2]} instead of {columns} {rows}"[:2000])
        found.append((name, stream))
    for n in (0, 1, 7, 8, 9, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH):
        columns, rows, batches = arrow_stream.read(ask("work.db", "-q", MANY % (max(n, 1), "i, nullif(i % 3, 0) AS m") + ("" if n else " WHERE 0")))
        check(rows == [(i, i % 3 or None) for i in range(1, n + 1)], f"{n} rows: {rows[:9]}")
        check(batches == [BATCH] * (n // BATCH) + ([n % BATCH] if n % BATCH else []), f"{n}: {batches}")
    # A batch ends early when its texts are long.
    long = MANY % (20, "printf('%.*c', 1000000, 'x') AS t")
    _, rows, batches = arrow_stream.read(ask("work.db", "-q", long))
    check(len(rows) == 20 and len(batches) > 3 and all(row == ("x" * 1000000,) for row in rows), f"long texts: {batches}")
    # Several databases, a recording, a comparison.
    both = ("work.db", "go.db", "-q", "hot_methods", "--param", "limit=7")
    compare("several", ask(*both), made.run(PROGRAM, *both, "--output=jsonl").stdout.decode().split("\n")[:-1])
    compare("a recording", ask(os.path.join(DATA, "go-cpu.pprof"), "-q", "SELECT * FROM source"),
            made.run(PROGRAM, "go.db", "-q", "SELECT * FROM source", "--output=jsonl").stdout.decode().split("\n")[:-1])
    two = ("diff", "work.db", "go.db", "--limit=0")
    cells = compare("diff", ask(*two), made.run(PROGRAM, *two, "--output=jsonl", "--quiet").stdout.decode().split("\n")[:-1])
    check(cells > 100, f"diff: {cells} cells")
    demangled = ask("work.db", "-q", "SELECT '_ZN3foo3barEv' AS a, 1.5 AS b", "--demangle")
    check(arrow_stream.read(demangled)[1] == [("foo::bar()", 1.5)], "--demangle")
    return found


def refused():
    made.run(PROGRAM, os.path.join(DATA, "go-cpu.pprof"), "-e", "go.db", "--quiet", "--force")
    made.run(PROGRAM, os.path.join(DATA, "work.jfr.gz"), "-e", "work.db", "--quiet", "--force")
    two = made.run(PROGRAM, "go.db", "-q", "SELECT 1; SELECT 2", "--output=arrow", codes=(2,))
    check(two.stdout == b"" and b"a stream of one result" in two.stderr, two.stderr)
    failed = made.run(PROGRAM, "go.db", "-q", MANY % (50000, "CASE WHEN i > 40000 THEN abs(-9223372036854775807 - 1) ELSE i END AS a"), "--output=arrow", codes=(2,))
    check(failed.stdout == b"", "rows of a failed statement look like a whole stream")
    # Statements before the result have none.
    made_first = ask("go.db", "-q", "CREATE TEMP TABLE t AS SELECT 5 AS a; SELECT a FROM t")
    check(arrow_stream.read(made_first)[:2] == ([("a", "int64")], [(5,)]), "a temporary table")
    for command in (("go.db", "-q", "SELECT 1"), (os.path.join(DATA, "go-cpu.pprof"), "-q", "SELECT 1"), ("diff", "go.db", "work.db"), ("go.db", "work.db", "-q", "SELECT 1")):
        code, seen = on_terminal(*command, "--output=arrow")
        check(code == 2 and b"is a terminal" in seen and b"\xff" not in seen, f"{command}: {code} {seen}")
    with open("/dev/full", "wb") as full:
        check(subprocess.run([PROGRAM, "go.db", "-q", "SELECT 1", "--output=arrow"], stdout=full, stderr=subprocess.DEVNULL, check=False).returncode == 4, "/dev/full")


def on_terminal(*words):
    seen = b""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(PROGRAM, [PROGRAM, *words])
    try:
        while more := os.read(fd, 65536):
            seen += more
    except OSError:
        pass
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen


def memory():
    made.run(PROGRAM, os.path.join(DATA, "go-cpu.pprof"), "-e", "go.db", "--quiet", "--force")
    sql = MANY % (1000000, "i, i * 0.5 AS r, printf('row %d of many', i) AS t, nullif(i % 5, 0) AS m")
    run = made.run(PROGRAM, "go.db", "-q", sql, "--output=arrow", "--max-memory=16M")
    columns, rows, batches = arrow_stream.read(run.stdout)
    check(len(rows) == 1000000 and rows[-1] == (1000000, 500000.0, "row 1000000 of many", None) and [kind for _, kind in columns] == ["int64", "float64", "utf8", "int64"], "a million rows")
    print(f"{len(batches)} batches, {len(run.stdout)} bytes")


def as_js(cell):
    return struct.pack("<d", cell).hex() if isinstance(cell, float) else str(cell) if isinstance(cell, int) else {"hex": cell.hex()} if isinstance(cell, bytes) else cell


def readers():
    folder = os.path.dirname(npm_packages.modules(["apache-arrow@21.1.0"], "10 MB"))
    streams = values() + questions()
    files = []
    for i, (_, stream) in enumerate(streams):
        files.append(f"{i}.arrow")
        with open(files[-1], "wb") as f:
            f.write(stream)
    subprocess.run(["node", os.path.join(HERE, "arrow_cells.mjs"), folder, *files], check=True)
    kinds = {"int64": "Int64", "float64": "Float64", "utf8": "Utf8", "binary": "Binary"}
    for (name, stream), file in zip(streams, files):
        columns, rows, _ = arrow_stream.read(stream)
        with open(f"{file}.cells", encoding="utf-8") as f:
            got = [json.loads(line) for line in f.read().split("\n")]
        check(got[0] == [[column, kinds[kind]] for column, kind in columns], f"{name}: {got[0]}")
        check(got[1:] == [[as_js(cell) for cell in row] for row in rows], f"{name}: other rows")
    print(f"{len(streams)} streams")


{"questions": questions, "values": values, "refused": refused, "memory": memory, "readers": readers}[GROUP]()
