#!/usr/bin/env python3
"""Random OTLP profiles of every layout: each sample is compared with what an independent reader finds, and forms of the same profiles with each other.

usage: otlp_files.py TRACE_STREAMER TESTDIR
"""

import json
import os
import random
import sqlite3
import sys
import tempfile

program, testdir = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import otlp_rows
import otlp_write
import starts

ROUNDS = 200 if os.environ.get("TS_SLOW") == "1" else 3
# What may be found: samples of 1.8 are those of 1.9, and not all of its profiles have what only they have.
FOUND = {layout: (layout,) for layout in otlp_write.LAYOUTS}
FOUND.update({"1.5": ("1.4",), "1.8": ("1.8", "1.9")})


def convert(path, out, codes, *options):
    done = starts.run([program, path, "-e", out, "--strict", "--quiet", *options], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        issues = sqlite3.connect(out).execute("SELECT code, message FROM import_issue").fetchall() if done.returncode == 3 else ""
        sys.exit("%s: exit code %d: %s%s" % (path, done.returncode, done.stderr, issues))
    return done.returncode


def check(path, out, layout, codes=(0,), *options):
    convert(path, out, codes, *options)
    wrong = otlp_rows.compare(out, path, layout)
    if wrong:
        if os.environ.get("KEEP"):
            os.system("cp %s %s" % (path, os.environ["KEEP"]))
        sys.exit("%s, layout %s: %s" % (path, layout, wrong))
    return sqlite3.connect(out)


def rows(db, without_source=True):
    """What samples are, whatever they were read from."""
    return otlp_rows.actual(db)[1]


def unsure(db):
    return db.execute("SELECT count(*) FROM import_issue WHERE code = 'otlp_layout_guessed'").fetchone()[0] > 0


def one_round(rng, folder, layout):
    path, out = os.path.join(folder, "x"), os.path.join(folder, "x.db")
    bad = rng.random() < 0.2
    trees = [otlp_write.message(rng, layout, bad=bad) for _ in range(rng.choice([1, 1, 3]))]
    found = otlp_write.schema(layout)
    codes = (0, 3) if bad else (0,)
    messages = [otlp_write.protobuf(found, "top", t, rng) for t in trees]
    otlp_write.write(path, messages[0] if len(trees) == 1 else otlp_write.framed(messages))
    forced = "--format", "otlp-profiles:layout=" + layout
    db = check(path, out, layout, codes, *forced)
    want = rows(db)
    if rng.random() < 0.8:
        convert(path, out, codes)
        db = sqlite3.connect(out)
        (said,) = db.execute("SELECT DISTINCT format_version FROM source WHERE kind = 'profile'").fetchone()
        if said not in FOUND[layout] and not unsure(db):
            sys.exit("%s: layout %s is taken for %s" % (path, layout, said))
        if said in FOUND[layout] and not unsure(db) and rows(db) != want:
            sys.exit("%s: other rows when the layout is found" % path)
    if layout == "1.3":
        return
    with open(path, "w", encoding="utf-8") as f:
        for t in trees:
            f.write(json.dumps(otlp_write.json_of(found, "top", t, rng), ensure_ascii=rng.random() < 0.5) + "\n")
    db = check(path, out, layout, codes)
    if rows(db) != want:
        sys.exit("%s: layout %s has other rows as JSON" % (path, layout))


# --- questions ---------------------------------------------------------------------------------------


def question(db, name, **parameters):
    options = [x for key, value in parameters.items() for x in ("--param", "%s=%s" % (key, value))]
    done = starts.run([program, db, "-q", name, "--output=json", *options, "--param", "limit=1000000"], capture_output=True, check=True)
    return json.loads(done.stdout)


def questions(rng, folder):
    """otlp_by_resource and samples_of_span against what the independent reader finds in the file."""
    path, out = os.path.join(folder, "x"), os.path.join(folder, "x.db")
    trees = [otlp_write.message(rng, "1.10", profiles=4, samples=60) for _ in range(2)]
    otlp_write.write(path, otlp_write.framed([otlp_write.protobuf(otlp_write.schema("1.10"), "top", t, rng) for t in trees]))
    convert(path, out, (0,), "--format", "otlp-profiles:layout=1.10")
    with open(path, "rb") as f:
        sources, samples = otlp_rows.expected(f.read(), "1.10")
    for key in ("service.name", "host.name"):
        want = {}
        for source, _, _, values, _ in samples:
            for kind, unit, value in values:
                row = want.setdefault((dict(list(sources)[source][0]).get(key), kind, unit), [set(), 0, 0])
                row[0].add(source)
                row[1] += 1
                row[2] += value
        have = {(r["resource"], r["weight"], r["unit"]): (r["profiles"], r["samples"], r["sum"]) for r in question(out, "otlp_by_resource", by=key)}
        if have != {k: (len(s), n, v) for k, (s, n, v) in want.items()}:
            sys.exit("%s: otlp_by_resource, %s: %r instead of %r" % (path, key, have, want))
    spans = {}
    for _, time, stack, values, labels in samples:
        ids = dict((k, v) for k, v, _ in labels)
        if "span id" in ids:
            for kind, unit, value in values or ((None, None, 0),):
                row = spans.setdefault((ids["span id"], ids.get("trace id"), kind, unit, stack[-1][0] if stack and stack[-1] else None, stack[-1][3] if stack and stack[-1] else None), [0, 0])
                row[0] += 1
                row[1] += value
    some = rng.choice(sorted({key[0] for key in spans}))
    # A module of Python is no part of the name in the file.
    named = {method: otlp_rows.full_name(package, cls, name, kind == "cpython") for method, package, cls, name, kind in sqlite3.connect(out).execute(
        "SELECT v.method, m.package, m.class, m.name, m.modifiers FROM v_method v JOIN stack_method m USING (id)")}
    for parameters in ({}, {"span": some}):
        have, want = {}, {}
        for r in question(out, "samples_of_span", **parameters):
            row = have.setdefault((r["span"], r["trace"], r["weight"], r["unit"], named.get(r["method"]), r["line"]), [0, 0])
            row[0] += r["samples"]
            row[1] += r["sum"]
        want = {key: row for key, row in spans.items() if not parameters or key[0] == some}
        if have != want:
            sys.exit("%s: samples_of_span %r: %r instead of %r" % (path, parameters, {k: v for k, v in have.items() if want.get(k) != v}, {k: v for k, v in want.items() if have.get(k) != v}))


# --- the same as pprof -------------------------------------------------------------------------------


def pprof_of(tree):
    """Of a message of one profile in layout 1.7, as pprof has it."""
    w = otlp_write
    d, p = tree["dictionary"], tree["resourceProfiles"][0]["scopeProfiles"][0]["profiles"][0]
    out = b"".join(w.field(1, w.scalar(1, "u", t["typeStrindex"]) + w.scalar(2, "u", t["unitStrindex"])) for t in p["sampleType"])
    for s in p["sample"]:
        at = s["locationsStartIndex"]
        locations = [i + 1 for i in p["locationIndices"][at:at + s["locationsLength"]]]
        out += w.field(2, w.field(1, b"".join(map(w.varint, locations))) + w.field(2, b"".join(map(w.varint, s["value"]))))
    for i, l in enumerate(d["locationTable"]):
        lines = b"".join(w.field(4, w.scalar(1, "u", x["functionIndex"] + 1) + w.scalar(2, "i", x["line"])) for x in l["line"])
        out += w.field(4, w.scalar(1, "u", i + 1) + w.scalar(3, "u", l["address"]) + lines)
    for i, f in enumerate(d["functionTable"]):
        out += w.field(5, w.scalar(1, "u", i + 1) + w.scalar(2, "u", f["nameStrindex"]) + w.scalar(4, "u", f["filenameStrindex"]) + w.scalar(5, "i", f["startLine"]))
    return out + b"".join(w.field(6, t.encode()) for t in d["stringTable"])


def same_sums(rng, folder):
    """Samples without times, so that both have one row each."""
    path, out = os.path.join(folder, "x"), os.path.join(folder, "x.db")
    sql = ("SELECT t.name, t.unit, n.depth, n.line, sum(v.value), count(*) FROM stack_sample s JOIN stack_sample_value v ON v.sample_id = s.id "
           "JOIN stack_value_type t ON t.id = v.value_type_id LEFT JOIN stack_node n ON n.id = s.node_id GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4")
    tree = otlp_write.message(rng, "1.7", profiles=1)
    group = tree["resourceProfiles"][0]
    tree["resourceProfiles"] = [group]
    profile = group["scopeProfiles"][0]["profiles"][0]
    profile.pop("periodType", None)
    for s in profile["sample"]:
        s["timestampsUnixNano"] = []
    otlp_write.write(path, otlp_write.protobuf(otlp_write.schema("1.7"), "top", tree))
    convert(path, out, (0,), "--format", "otlp-profiles")
    want = sqlite3.connect(out).execute(sql).fetchall()
    otlp_write.write(path, pprof_of(tree))
    convert(path, out, (0,), "--format", "pprof")
    have = sqlite3.connect(out).execute(sql).fetchall()
    if have != want:
        sys.exit("%s: pprof has other sums: %r instead of %r" % (path, have, want))


def main():
    rng = random.Random(47)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            for layout in otlp_write.LAYOUTS:
                one_round(rng, folder, layout)
            same_sums(rng, folder)
            questions(rng, folder)


if __name__ == "__main__":
    main()
