#!/usr/bin/env python3
"""Redacted databases say nothing of the recorded program, and answer in the same numbers.

    redact.py --program TS --data DIR --corpus DIR [--rounds N] [--only NAME]

* canaries: in recordings of every format words are replaced by canaries of the same length, wherever they are; what the program makes
  of it is redacted. No canary is in the bytes of the database, of its exports, its report, or in what is printed.
* texts: of each column that is redacted no text of six letters or more is found in the database, but words of the program itself.
* columns: every column of text has a class (the default is that it is redacted).
* numbers: questions, and comparisons of two databases with one key, give the same numbers before and after.
"""

import argparse
import collections
import gzip
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

SEED = 39
MOST = 200  # canaries in a recording and a round
EXPORTS = ["flame", "folded", "speedscope", "pprof", "chrome-json", "firefox", "datakit-flamegraph", "line-protocol", "profile-json"]
# Columns whose texts stay whatever they say: this program writes all of them itself, none as recorded.
OWN = {
    "clk_event_filter": "type",
    "clock_event_filter": "type",
    "clock_snapshot": "clock_name",
    "cloud_text": "stream",
    "data_type": "desc",
    "event_class": "format event state class reason",
    "frame_slice": "type_desc",
    "import_issue": "severity code",
    "instant": "ref_type",
    "jfr_event_type": "became",
    "jfr_stack": "frame_types",
    "js_heap_info": "key",
    "measure": "type",
    "measure_filter": "type",
    "meta": "name",
    "network": "net_type",
    "perf_report": "report_type",
    "perfetto_track": "kind",
    "process_measure": "type",
    "profile_attachment": "format state",
    "profile_metric": "name source",
    "profile_value_type": "kind",
    "schema_doc": "table_name column_name type unit description",
    "source": "kind format clock",
    "stat": "event_name stat_type serverity source",
    "sys_event_filter": "type",
    "sys_mem_measure": "type",
    "thread_detail": "tid_kind",
    "tptp_monitor_frame": "phase",
    "xpower_measure": "type",
}
SLOW = os.environ.get("TS_SLOW") == "1"
OF_NUMBERS = ["kernel.htrace.gz", "recording-system.htrace.gz", "work.jfr.gz", "work21.jfr.gz"]
OF_NUMBERS = OF_NUMBERS if not SLOW else ["Trace-page.json.gz", "go-heap.pprof", "kernel.htrace.gz", "recording-cloud.tar.gz", "recording-cpuprofile.htrace.gz", "recording-snapshots.htrace.gz",
              "recording-system.htrace.gz", "recording-timeline.htrace.gz", "trace.perfetto", "work.jfr.gz", "work21.jfr.gz"]


def run(*args, **more):
    return subprocess.run([str(a) for a in args], capture_output=True, check=False, timeout=250, **more)


def fail(*what):
    print("FAILED:", *what)
    sys.exit(1)


def recordings(options):
    """(name, bytes, options): test data, and seeds of the fuzzers, which have all formats."""
    for name in sorted(os.listdir(options.data)):
        path = os.path.join(options.data, name)
        if os.path.isfile(path) and name != "README.md":
            data = open(path, "rb").read()
            if data[:2] == b"\x1f\x8b":
                data = gzip.decompress(data)
            yield name.removesuffix(".gz"), data
    folders = ("arkts bundle chrome_trace cloud datakit flare folded ftrace_text heap heap_profile hprof htrace jfr logs otlp perf perfetto plugins "
               "firefox pprof profile rawheap text_profiles timeline tptp_binary tptp_xml ebpf").split()
    for folder in folders:
        top = os.path.join(options.corpus, folder)
        names = sorted(os.listdir(top)) if os.path.isdir(top) else []
        names = [n for n in names if os.path.isfile(os.path.join(top, n))]
        for name in sorted(names, key=lambda n: -os.path.getsize(os.path.join(top, n)))[:6 if SLOW else 2]:
            yield folder + "." + name, open(os.path.join(top, name), "rb").read()


def canary(chance, n):
    """n bytes that no word and no token is."""
    return ("Zq" + "".join(chance.choice("bcdfghjkmnpqrtvwxz") for _ in range(n - 2))).encode()


def planted(data, chance, most, database=b"", empty=b""):
    """The recording with words replaced, with `database` such as became rows; what they were replaced by."""
    words = list({m.group() for m in re.finditer(rb"[A-Za-z][A-Za-z_.$-]{6,38}[A-Za-z]", data)})
    if database:
        words = [w for w in words if w in database and w not in empty]
    chance.shuffle(words)
    made = {}
    for word in sorted(words[:most], key=len, reverse=True):
        made[word] = canary(chance, len(word))
    if not made:
        return data, []
    pattern = re.compile(b"|".join(re.escape(w) for w in made))
    return pattern.sub(lambda m: made[m.group()], data), list(made.values())


def search(what, data, canaries):
    low = data.lower()
    for c in canaries:
        if c.lower() in low:
            at = low.index(c.lower())
            fail(f"{what}: canary {c.decode()} at {at}: {data[max(0, at - 60):at + 60]!r}")


def check_canaries(options, scratch):
    total = collections.Counter()
    blank = os.path.join(scratch, "blank")
    with open(blank, "w") as out:
        out.write("a;b 1\n")
    run(options.program, blank, "-e", blank + ".db", "--quiet")
    empty = open(blank + ".db", "rb").read()
    for name, data in recordings(options):
        if options.only and options.only not in name:
            continue
        for n in range(0 if SLOW else 1, options.rounds):
            chance = random.Random(f"{SEED} {name} {n}")
            path = os.path.join(scratch, "recording")
            was = b""
            if n == 1:  # all words that become rows; else any, also keys and names of fields, few at a time so that the recording is read
                with open(path, "wb") as out:
                    out.write(data)
                done = run(options.program, path, "-e", blank + ".db", "--quiet", "--force", "--max-inflate=256M")
                was = open(blank + ".db", "rb").read() if done.returncode == 0 else b""
            changed, canaries = planted(data, chance, MOST if n == 1 else 4, was, empty)
            db, red = os.path.join(scratch, "plain.db"), os.path.join(scratch, "red.db")
            with open(path, "wb") as out:
                out.write(changed)
            for old in (db, red):
                if os.path.exists(old):
                    os.remove(old)
            done = run(options.program, path, "-e", db, "--quiet", "--max-inflate=256M")
            if done.returncode != 0 or not os.path.exists(db):
                total["not read"] += 1
                continue
            plain = open(db, "rb").read()
            inside = [c for c in canaries if c in plain]
            total["recordings"] += 1
            total["canaries"] += len(inside)
            total[name.split(".")[0]] += len(inside)
            done = run(options.program, "redact", db, "-e", red)
            if done.returncode != 0:
                fail(name, n, done.stderr.decode())
            where = f"{name} {n}"
            search(where + " messages", done.stdout + done.stderr, canaries)
            search(where + " database", open(red, "rb").read(), canaries)
            if sqlite3.connect(red).execute("PRAGMA integrity_check").fetchone() != ("ok",):
                fail(where, "integrity_check")
            if n == 1:
                for to in EXPORTS if SLOW else chance.sample(EXPORTS, 3):
                    done = run(options.program, red, "--to=" + to, "-o", "-")
                    out = gzip.decompress(done.stdout) if done.stdout[:2] == b"\x1f\x8b" else done.stdout
                    search(f"{where} --to={to}", out + done.stderr, canaries)
                done = run(options.program, red, "--report=json")
                search(where + " report", done.stdout + done.stderr, canaries)
            # The same at the conversion.
            if n == 0:
                os.remove(red)
                done = run(options.program, path, "-e", red, "--redact=all")
                if done.returncode != 0:
                    fail(where, "--redact=all", done.stderr.decode())
                search(where + " --redact: messages", done.stdout + done.stderr, canaries)
                search(where + " --redact: database", open(red, "rb").read(), canaries)
    print(dict(total))
    if not options.only and total["canaries"] < (1000 if SLOW else 800):
        fail("canaries reached databases only", total["canaries"], "times")


def convert(options, scratch, name, *more):
    db = os.path.join(scratch, name + ".db")
    inputs = [os.path.join(options.data, n) for n in more]
    done = run(options.program, *inputs, "-e", db, "--quiet", "--force", "--index")
    if done.returncode != 0:
        fail("conversion", name, done.stderr.decode())
    return db


def redact(options, db, key, *more):
    red = db.replace(".db", ".red.db")
    done = run(options.program, "redact", db, "-e", red, "--redact-key=" + key, "--force", *more)
    if done.returncode != 0:
        fail("redact", db, done.stderr.decode())
    return red


CLASSES = re.compile(r"^TS_TEXTS\((\w+), (\w+), ([^)]*)\)", re.M)


def declared(options):
    found = {}
    folder = os.path.join(options.data, "..", "..", "src", "tables", "formats")
    for top, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".def"):
                for table, kind, columns in CLASSES.findall(open(os.path.join(top, name)).read()):
                    for column in re.split(r",\s*", columns):
                        found[table, column] = kind
    return found


def check_texts(options, db, red, classes):
    """Texts of columns that are redacted are not where they were, row by row; numbers and ids are."""
    a, b = sqlite3.connect(db), sqlite3.connect(red)
    a.text_factory = b.text_factory = bytes
    tables = [n.decode() for n, in a.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    for table in tables:
        rows, other = (c.execute(f'SELECT rowid, * FROM "{table}" ORDER BY rowid') for c in (a, b))
        names = [d[0] for d in rows.description][1:]
        like = {"stack_sample_row": "stack_sample", "stack_sample_block": "stack_sample", "callstack_rows": "callstack"}.get(table, table)
        tokens = collections.defaultdict(dict)
        back = collections.defaultdict(dict)
        for row, new in zip(rows, other):
            if row[0] != new[0]:
                fail(db, table, "row", row[0])
            for name, old, text in zip(names, row[1:], new[1:]):
                if not isinstance(old, bytes):
                    if old != text:
                        fail(db, table, name, old, text)
                    continue
                kind = classes.get((like, name), "VALUE")
                if kind == "OWN":
                    if old != text:
                        fail(db, table, name, "is the program's own:", old, text)
                    continue
                if table in ("meta", "import_issue"):
                    continue
                # Equal texts stay equal, different ones different.
                if tokens[name].setdefault(old, text) != text or back[name].setdefault(text, old) != old:
                    fail(db, table, name, "is not one to one:", old, text)
                if kind in ("VALUE", "NAME", "PLACE") and old == text and len(re.findall(rb"[A-Za-z]", old)) >= 6 and old.decode() not in options.words:
                    fail(db, table, name, "stays:", old)
                if kind == "JSON" and json.loads(old) is not None:
                    json.loads(text)
                if kind in ("NAME", "PLACE") and old.count(b".") != text.count(b".") and len(old) <= 256:
                    fail(db, table, name, "has another depth:", old, text)
        if table != "meta" and other.fetchone() is not None:  # which says that the database is redacted
            fail(db, table, "has more rows")
    for query in ("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name", "PRAGMA application_id", "PRAGMA user_version"):
        if a.execute(query).fetchall() != b.execute(query).fetchall():
            fail(db, query)


def numbers(text):
    """Rows of JSON as a multiset of their numbers."""
    return collections.Counter(tuple((k, v) for k, v in row.items() if isinstance(v, (int, float))) for row in json.loads(text or "[]"))


def questions(options):
    listed = run(options.program, "--questions").stdout.decode()
    return re.findall(r"^  (\w+) .*\n(?: +parameters: (.*)\n)?", listed, re.M)


def check_numbers(options, db, red):
    asked = 0
    for name, parameters in questions(options):
        # All rows: which of equal ones come first depends on their names.
        more = ["--param", "limit=1000000"] if re.search(r"\blimit\b", parameters) else []
        one = run(options.program, db, "-q", name, "--output=json", "--quiet", *more)
        if one.returncode != 0 and not SLOW:
            continue
        two = run(options.program, red, "-q", name, "--output=json", "--quiet", *more)
        if one.returncode != two.returncode:
            fail(db, name, one.returncode, two.returncode, two.stderr.decode())
        if one.returncode != 0:
            continue
        a, b = numbers(one.stdout), numbers(two.stdout)
        if a != b:
            fail(db, name, "differs:", list((a - b).items())[:2], list((b - a).items())[:2])
        asked += sum(a.values()) > 0
    return asked


def check_diff(options, a, b, ra, rb, by):
    one, two = (run(options.program, "diff", x, y, "--by=" + by, "--limit=0", "--output=json", "--quiet") for x, y in ((a, b), (ra, rb)))
    if one.returncode != two.returncode or one.returncode not in (0,):
        fail("diff", by, one.returncode, two.returncode, one.stderr.decode(), two.stderr.decode())
    x, y = json.loads(one.stdout), json.loads(two.stdout)

    def rows(o):
        found = o if isinstance(o, list) else next(v for k, v in o.items() if isinstance(v, list) and v and isinstance(v[0], dict) and k in ("rows", "changes"))
        return collections.Counter(json.dumps({k: v for k, v in r.items() if not isinstance(v, str)}, sort_keys=True) for r in found)
    if rows(x) != rows(y):
        fail("diff", by, list((rows(x) - rows(y)))[:2], list((rows(y) - rows(x)))[:2])
    print("diff", by, sum(rows(x).values()), "rows")


def words_of(options):
    text = open(os.path.join(options.data, "..", "..", "src", "tables", "redact_words.c")).read()
    found = set()
    for m in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
        found.add(m)
        found.update(m.split(" "))
    for top, _, names in os.walk(os.path.join(options.data, "..", "..", "src", "tables", "formats")):
        for name in names:
            if name.endswith(".def"):
                source = open(os.path.join(top, name)).read()
                for args in re.findall(r"TS_EVENT\(([^)]*)\)", source):
                    for text in re.findall(r'"([^"]*)"', args):
                        found.add(text)
                        found.update(re.split(r"[ .]", text))
                found.update(re.findall(r"TS_ITEM(?:_ROWS)?\((\w+),", source))
    return found


def check_words(options):
    """What questions and views compare with is among the words that stay."""
    root = os.path.join(options.data, "..", "..")
    missing = set()
    for top in ("share/sql", "src/tables/formats"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if not name.endswith(".sql") or "/fleet" in folder:
                    continue
                text = re.sub(r"^\s*--.*$", "", open(os.path.join(folder, name)).read(), flags=re.M)
                for literal in re.findall(r"(?:=|<>|IN \(|, )\s*'([A-Za-z][\w.$-]{2,})'", text):
                    if literal not in options.words and literal not in ("unixepoch", "timeseries", "table"):  # no values of cells
                        missing.add(literal + " of " + name)
    if missing:
        fail("not among the words:", sorted(missing))


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "data", "corpus"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="")
    options = parser.parse_args()
    options.words = words_of(options)
    classes = declared(options)
    own = {(table, column) for table, columns in OWN.items() for column in columns.split()}
    said = {key for key, kind in classes.items() if kind == "OWN"}
    if own != said:
        fail("texts of these columns stay, or not any more; may they be as recorded?", sorted(own ^ said))
    with tempfile.TemporaryDirectory() as scratch:
        key = os.path.join(scratch, "key")
        if options.part != "canaries":
            check_words(options)
            pairs = {}
            for name in sorted(os.listdir(options.data)):
                if os.path.isfile(os.path.join(options.data, name)) and name in OF_NUMBERS and options.only in name:
                    db = convert(options, scratch, name.replace(".", "_"), name)
                    pairs[name] = db, redact(options, db, key)
                    check_texts(options, *pairs[name], classes)
                    print(name, check_numbers(options, *pairs[name]), "questions with rows")
            if not options.only:
                for by, one, two in (("method", "work.jfr.gz", "work21.jfr.gz"), ("class", "recording-snapshots.htrace.gz", "recording-timeline.htrace.gz"))[:2 if SLOW else 1]:
                    check_diff(options, pairs[one][0], pairs[two][0], pairs[one][1], pairs[two][1], by)
        if options.part != "numbers":
            check_canaries(options, scratch)
    print("redacted databases are as they should be")


main()
