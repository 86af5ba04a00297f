#!/usr/bin/env python3
"""Redacted databases say nothing of the recorded program, and answer in the same numbers.

    redact.py --program TS --tools DIR --data DIR --corpus DIR [--rounds N] [--only NAME]

* canaries: in recordings of every format words are replaced by canaries of the same length, wherever they are, also in compressed
  members of archives and in directories, whose own names are canaries; what the program makes of it is redacted. No canary is in the
  bytes of the database, of its exports, its report, or in what is printed.
* texts: of each column that is redacted no text of six letters or more is found in the database, but words of the program itself.
* columns: every column of text has a class (the default is that it is redacted).
* numbers: questions, and comparisons of two databases with one key, give the same numbers before and after.
"""

import argparse
import collections
import gzip
import io
import json
import os
import random
import re
import shutil
import sqlite3
import sys
import tarfile
import tempfile
import zlib

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

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
    return starts.run([str(a) for a in args], capture_output=True, check=False, timeout=250, **more)


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


def unpacked(data):
    """(bytes, whether they were gzipped); of a stream that goes on what there is."""
    try:
        return (zlib.decompressobj(31).decompress(data), True) if data[:2] == b"\x1f\x8b" else (data, False)
    except zlib.error:
        return data, False


def wide(word):
    """As Java writes characters: two bytes each."""
    return word.decode().encode("utf-16-be")


def below(folder):
    """{name: bytes} of a directory."""
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


def members(data):
    """{name: bytes} of a tar."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()}


EVENT = {"family": "java", "language": "java", "format": "jfr", "host": "secrethost.example.org", "start": "2026-11-22T12:47:26Z", "end": "2026-11-22T12:47:27Z",
         "attachments": ["main.jfr"], "tags_profiler": "service:checkoutservice,env:stagingplace,customertag:customervalue", "runtime_id": "deadbeefdeadbeef"}


def sets(options, scratch):
    """(name, {member: bytes}, form) of recordings of several files; form: tar or directory."""
    flare, cloud = os.path.join(scratch, "flare"), os.path.join(scratch, "cloud")
    for command in (("mkflare", "--threads=3", "--seconds=2", flare), ("mkcloud", "-o", cloud, "--calls", "60", "--pause", "200")):
        done = run(os.path.join(options.tools, command[0]), *command[1:])
        if done.returncode != 0:
            fail(command, done.stderr.decode())
    data = lambda name: open(os.path.join(options.data, name), "rb").read()
    recorded = members(unpacked(data("recording-cloud.tar.gz"))[0])
    java = {"event.json": json.dumps(EVENT).encode(), "main.jfr": data("work.jfr.gz")}
    go = {"event.json": json.dumps(dict(EVENT, family="go", language="golang", format="pprof", attachments=["cpu.pprof"])).encode(), "cpu.pprof": data("go-cpu.pprof")}
    yield "flare", below(flare), "directory"
    yield "flare", below(flare), "tar"
    yield "cloud", below(cloud), "directory"
    yield "cloud", below(cloud), "tar"
    yield "recorded cloud", recorded, "tar"
    yield "recorded cloud", recorded, "directory"
    yield "datakit java", java, "directory"
    yield "datakit go", go, "tar"
    yield "datakit go", go, "directory"
    yield "several", {f"{k}/{name}": d for k, s in (("a", below(flare)), ("b", java)) for name, d in s.items()}, "directory"


def write_set(path, files, form):
    if form == "directory":
        for name, data in files.items():
            os.makedirs(os.path.join(path, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(path, name), "wb") as out:
                out.write(data)
        return
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def canary(chance, n):
    """n bytes that no word and no token is."""
    return ("Zq" + "".join(chance.choice("bcdfghjkmnpqrtvwxz") for _ in range(n - 2))).encode()


def planted(files, chance, most, database=b"", empty=b""):
    """{name: bytes} with words replaced, with `database` such as became rows; what they were replaced by."""
    files = {name: unpacked(data) for name, data in files.items()}
    letters = rb"[A-Za-z](?:%s[A-Za-z_.$-]){6,38}%s[A-Za-z]"
    words = {m.group() for data, _ in files.values() for m in re.finditer(letters % (b"", b""), data)}
    words |= {m.group().replace(b"\0", b"") for data, _ in files.values() for m in re.finditer(letters % (b"\0", b"\0"), data)}
    words = sorted(words)
    if database:
        rows, always = (b"\n".join(set(re.findall(rb"[A-Za-z_.$-]{8,}", d))) for d in (database, empty))
        words = [w for w in words if w in rows and w not in always]
    chance.shuffle(words)
    made = {word: canary(chance, len(word)) for word in sorted(words[:most], key=len, reverse=True)}
    forms = {form(word): form(new) for word, new in made.items() for form in (bytes, wide)}
    pattern = re.compile(b"|".join(re.escape(w) for w in forms)) if made else None
    changed = {}
    for name, (data, packed) in files.items():
        data = pattern.sub(lambda m: forms[m.group()], data) if made else data
        changed[name] = gzip.compress(data, 1) if packed else data
    return changed, list(made.values())


# What a canary is a part of, whatever is before and after it: its own letters.
LIKE_CANARIES = re.compile(rb"Zq[bcdfghjkmnpqrtvwxz]+")
LIKE_CANARIES_LOW = re.compile(LIKE_CANARIES.pattern.lower())


def present(data, canaries, pattern=LIKE_CANARIES):
    """Those that are in the data: one pass instead of one for each."""
    found = b"\n".join(set(pattern.findall(data)))
    return [c for c in canaries if c in found]


def search(what, data, canaries):
    low = data.lower()
    for c in present(low, [c.lower() for c in canaries], LIKE_CANARIES_LOW):
        at = low.index(c)
        fail(f"{what}: canary {c.decode()} at {at}: {data[max(0, at - 60):at + 60]!r}")


def check_redacted(options, scratch, where, path, canaries, most, chance):
    """Of one recording, all that is made of it; how many canaries became rows, None: it cannot be read."""
    db, red = os.path.join(scratch, "plain.db"), os.path.join(scratch, "red.db")
    for old in (db, red):
        if os.path.exists(old):
            os.remove(old)
    done = run(options.program, path, "-e", db, "--quiet", "--max-inflate=256M")
    if done.returncode != 0 or not os.path.exists(db):
        return None
    plain = open(db, "rb").read()
    done = run(options.program, "redact", db, "-e", red)
    if done.returncode != 0:
        fail(where, done.stderr.decode())
    search(where + " messages", done.stdout + done.stderr, canaries)
    search(where + " database", open(red, "rb").read(), canaries)
    if sqlite3.connect(red).execute("PRAGMA integrity_check").fetchone() != ("ok",):
        fail(where, "integrity_check")
    for to in (EXPORTS if SLOW else chance.sample(EXPORTS, 3)) if most else ():
        done = run(options.program, red, "--to=" + to, "-o", "-")
        out = gzip.decompress(done.stdout) if done.stdout[:2] == b"\x1f\x8b" else done.stdout
        search(f"{where} --to={to}", out + done.stderr, canaries)
    if most:
        done = run(options.program, red, "--report=json")
        search(where + " report", done.stdout + done.stderr, canaries)
    return len(present(plain, canaries))


def check_direct(options, scratch, where, path, canaries):
    """The recording itself, by the verb and at the conversion. What names the input in a message is the caller's own argument."""
    red = os.path.join(scratch, "red.db")
    for command in (("redact", path, "-e", red), (path, "-e", red, "--redact=all", "--index")):
        if os.path.exists(red):
            os.remove(red)
        done = run(options.program, *command)
        if done.returncode != 0:
            fail(where, command, done.stderr.decode())
        search(where + " --redact: messages", (done.stdout + done.stderr).replace(path.encode(), b""), canaries)
        search(where + " --redact: database", open(red, "rb").read(), canaries)


def empty_database(options, scratch):
    """The bytes of one with hardly a row."""
    blank = os.path.join(scratch, "blank")
    with open(blank, "w") as out:
        out.write("a;b 1\n")
    run(options.program, blank, "-e", blank + ".db", "--quiet", "--force")
    return open(blank + ".db", "rb").read()


def check_canaries(options, scratch):
    total = collections.Counter()
    blank = os.path.join(scratch, "blank")
    empty = empty_database(options, scratch)
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
            changed, canaries = planted({"": data}, chance, MOST if n == 1 else 4, was, empty)
            with open(path, "wb") as out:
                out.write(changed[""])
            found = check_redacted(options, scratch, f"{name} {n}", path, canaries, n == 1, chance)
            if found is None:
                total["not read"] += 1
                continue
            total["recordings"] += 1
            total["canaries"] += found
            total[name.split(".")[0]] += found
            # The same at the conversion.
            if n == 0:
                check_direct(options, scratch, f"{name} {n}", path, canaries)
    print(dict(total))
    if not options.only and total["canaries"] < (1000 if SLOW else 800):
        fail("canaries reached databases only", total["canaries"], "times")


def check_sets(options, scratch):
    """Recordings of several files; the name of the directory or archive is a canary, too."""
    total = collections.Counter()
    empty = empty_database(options, scratch)
    for name, files, form in sets(options, scratch):
        if options.only and options.only not in name:
            continue
        for n in range(0 if SLOW else 1, options.rounds):
            where = f"{name}, {form} {n}"
            chance = random.Random(f"{SEED} {where}")
            own = canary(chance, 14)
            path = os.path.join(scratch, "in", own.decode() + (".tar.gz" if form == "tar" else ""))
            os.makedirs(os.path.join(scratch, "in"), exist_ok=True)
            write_set(path, files, form)
            plain = os.path.join(scratch, "blank.db")
            done = run(options.program, path, "-e", plain, "--quiet", "--force")
            if done.returncode != 0:
                fail(where, done.stderr.decode())
            changed, canaries = planted(files, chance, MOST if n == 1 else 4, open(plain, "rb").read() if n == 1 else b"", empty)
            shutil.rmtree(os.path.join(scratch, "in"))
            os.makedirs(os.path.join(scratch, "in"))
            write_set(path, changed, form)
            found = check_redacted(options, scratch, where, path, [*canaries, own], n == 1, chance)
            if found is None and n == 1:
                fail(where, "is not read with canaries in it")
            if found is not None:
                total[f"{name}, {form}"] += found
                check_direct(options, scratch, where, path, [*canaries, own])
            shutil.rmtree(os.path.join(scratch, "in"))
    print(dict(total))
    few = [name for name, count in total.items() if count < 2]
    if few or not options.only and len(total) < 10:
        fail("canaries did not reach databases of", few, len(total))


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
    for name in ("program", "tools", "data", "corpus"):
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
        if options.part in ("", "numbers"):
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
        if options.part in ("", "canaries"):
            check_canaries(options, scratch)
        if options.part in ("", "sets"):
            check_sets(options, scratch)
    print("redacted databases are as they should be")


main()
