"""What `trace_streamer diff` has to print, computed from two databases with plain dictionaries: no SQL but whole tables, no program.

Each function gives {key: {value: number}} of one database; compare() puts two together.
"""

import collections
import math
import sqlite3

SUM, LEVEL, EACH, ONCE = "sum", "level", "each", "once"

# by: key columns, values in order with their kind; those of which the share is printed too.
SHAPES = {
    "class": (["class"], [("self_size", SUM), ("count", SUM), ("retained_size", LEVEL), ("new_count", ONCE), ("deleted_count", ONCE), ("new_size", ONCE), ("deleted_size", ONCE)]),
    "node": (["node_id", "state", "class", "name"], [("self_size", SUM), ("retained_size", LEVEL)]),
    "call": (["title"], [("total", SUM), ("count", SUM), ("mean", EACH), ("p95", EACH), ("longest", EACH), ("cpu", SUM)]),
    "statement": (["statement"], [("total", SUM), ("count", SUM), ("mean", EACH), ("longest", EACH)]),
    "series": (["series", "thread", "unit"], [("mean", EACH), ("sum", EACH), ("lowest", EACH), ("highest", EACH), ("last", EACH), ("count", SUM)]),
    "java_class": (["class"], [("shallow_size", SUM), ("count", SUM), ("retained_size", LEVEL)]),
    "pause": (["kind"], [("total", SUM), ("count", SUM), ("mean", EACH), ("longest", EACH)]),
}
SHARES = {"self_" + word: "share_" + word for word in ("cpu", "wall", "waiting", "allocation", "live", "value", "samples")}


def shape(by, weight=None):
    """Methods have the values of their weight, then the number of samples."""
    if by != "method":
        return SHAPES[by]
    return ["method", "file"], [v for word in dict.fromkeys((weight, "samples")) for v in (("self_" + word, SUM), (word, LEVEL))]


class Db:
    def __init__(self, path):
        self.con = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.con.text_factory = lambda b: b.decode("utf-8", "surrogateescape")

    def rows(self, table):
        cursor = self.con.execute("SELECT rowid AS rowid_, * FROM %s ORDER BY rowid" % table)
        names = [d[0] for d in cursor.description]
        return [dict(zip(names, row)) for row in cursor]

    def view(self, name):
        cursor = self.con.execute("SELECT * FROM %s" % name)
        names = [d[0] for d in cursor.description]
        return [dict(zip(names, row)) for row in cursor]


# --- heaps ---------------------------------------------------------------------------------------


class Heap:
    """The nodes of a heap file: (id, class, size, retained, name), those without a size of an analysis left out."""

    def __init__(self, db, file_id, analysed):
        detail = [d for d in db.rows("js_heap_file_detail") if d["file_id"] == file_id][0]
        strings = {s["file_index"]: s["string"] for s in db.rows("js_heap_string") if s["file_id"] == file_id}
        types = {i["rowid_"] - detail["first_info_rowid"]: i["str_value"] for i in db.rows("js_heap_info") if detail["first_info_rowid"]
                 and 0 <= i["rowid_"] - detail["first_info_rowid"] < detail["node_type_count"]}
        nodes = [n for n in db.rows("js_heap_nodes") if n["file_id"] == file_id]
        self.retained_of = collections.Counter()
        self.nodes = []
        if not analysed:
            for n in nodes:
                kind = types.get(n["type"])
                name = {"code": "(compiled code)", "hidden": "(system)"}.get(kind, "(%s)" % kind)
                if kind in ("object", "native"):
                    name = strings.get(n["name"])
                self.nodes.append((n["id"], name, n["self_size"], None, strings.get(n["name"])))
            return
        classes = {}
        for c in db.rows("js_heap_constructor"):
            place = "" if c["line"] is None or c["column"] is None else " %d:%d" % (c["line"], c["column"])
            classes[c["id"]] = c["name"] or "(anonymous)" + place
            if c["file_id"] == file_id and c["count"] > 0:
                self.retained_of[classes[c["id"]]] += c["retained_size"]
        retained = [r for r in db.rows("js_heap_retained") if r["file_id"] == file_id]
        for n, r in zip(nodes, retained):
            if r["shallow_size"] != 0:
                self.nodes.append((r["node_id"], classes[r["constructor_id"]], r["shallow_size"], r["retained_size"], strings.get(n["name"])))

    def classes(self, analysed):
        found = collections.defaultdict(lambda: {"self_size": 0, "count": 0})
        for _, name, size, _, _ in self.nodes:
            found[(name,)]["self_size"] += size
            found[(name,)]["count"] += 1
        for name, size in self.retained_of.items():
            if analysed and (name,) in found:
                found[(name,)]["retained_size"] = size
        return found


def heap_changes(a, b):
    """{class: new and deleted} by (id, class); nodes of one id and class are paired one by one."""
    sides = []
    for heap in (a, b):
        side = collections.defaultdict(list)
        for i, (node, name, size, _, _) in enumerate(heap.nodes):
            side[(node if node is not None else ("none", id(heap), i), name)].append(size)
        sides.append(side)
    changes = collections.defaultdict(lambda: {"new_count": 0, "deleted_count": 0, "new_size": 0, "deleted_size": 0})
    for one, other, word in ((0, 1, "deleted"), (1, 0, "new")):
        for (node, name), sizes in sides[one].items():
            for size in sizes[len(sides[other].get((node, name), ())):]:
                changes[(name,)][word + "_count"] += 1
                changes[(name,)][word + "_size"] += size
    return changes


def comparable(a, b):
    """Whether odd ids show that both are of one run of the program, in this order (docs/formats.md, Comparison)."""
    old, new = ({n[0]: n[1:3] for n in heap.nodes if n[0] is not None and n[0] % 2 != 0} for heap in (a, b))
    last = max(old, default=0)
    both = [node for node in new if node in old]
    below = [node for node in new if node <= last]
    alike = sum(new[node] == old[node] for node in both)
    return bool(both) and max(new) >= last and alike >= len(both) - len(both) // 8 and len(both) >= len(below) - len(below) // 8


def heap_nodes(a, b, analysed):
    """{key: (before, after)} of nodes; ids are taken as unique."""
    old = {n[0]: n for n in a.nodes}
    new = {n[0]: n for n in b.nodes}
    found = {}
    for node in set(old) | set(new):
        x, y = old.get(node), new.get(node)
        z = y or x
        state = "changed" if x and y else "new" if y else "deleted"
        found[(str(node), state, z[1], z[4])] = tuple(
            {"self_size": n[2] if n else 0, **({"retained_size": n[3] if n else 0} if analysed else {})} for n in (x, y))
    return found


# --- stacks --------------------------------------------------------------------------------------


def below(db, source):
    """Ids of a source and of all that is in it; None: all."""
    rows = db.rows("source")
    if source is None:
        return {r["id"] for r in rows}
    found = {source}
    while True:
        more = {r["id"] for r in rows if r["parent_id"] in found} - found
        if not more:
            return found
        found |= more


# Classes of kinds of values that the recordings of test/tools/diff.py have.
VALUE_CLASSES = {("cpu", "ns"): "cpu", ("alloc_space", "bytes"): "live"}


def methods(db, weight, source=None, thread=None, since=None, until=None):
    """What methods weigh: samples by the values of the class, or by the part of their length that lies in [since, until), calls that begin there by
    their own time. Elapsed time is that of all samples where no event is of its class."""
    sources = below(db, source)
    label, nodes = {None: ("(unknown)", None)}, {}
    for m in db.rows("stack_method"):
        name = m["name"] or "(anonymous)" + ("" if m["line"] is None else " %d" % m["line"])
        label[m["id"]] = ("".join(p + "." for p in (m["package"], m["class"]) if p) + name, m["file"])
    for n in db.rows("stack_node"):
        nodes[n["id"]] = (n["parent_id"], label[n["method_id"]])
    kinds = {t["id"]: (VALUE_CLASSES[t["name"], t["unit"]], t["unit"], t["source_id"]) for t in db.rows("stack_value_type")}
    in_ns = {(where, kind) for kind, unit, where in kinds.values() if unit == "ns"}
    values = collections.defaultdict(list)
    for v in db.rows("stack_sample_value"):
        values[v["sample_id"]].append((*kinds[v["value_type_id"]][:2], v["value"]))
    slices = db.rows("stack_slice")
    sliced = {s["source_id"] for s in slices}
    spans = []  # rows with what they weigh by class

    def wanted(row):
        return row["source_id"] in sources and row["node_id"] is not None and (thread is None or row["itid"] == thread)

    def begins(row):
        return (since is None and until is None) or (row["ts"] is not None and (since is None or row["ts"] >= since) and (until is None or row["ts"] < until))

    def inside(row):
        if row["ts"] is None or (since is None and until is None):
            return row["dur"] if begins(row) else 0
        end = row["ts"] + row["dur"]
        return max(0, min(end, end if until is None else until) - max(row["ts"], row["ts"] if since is None else since))

    for s in db.view("v_sample"):
        if not wanted(s) or (s["ts"] is None and s["source_id"] in sliced):
            continue
        part = None if s["dur"] is None else inside(s)
        if not begins(s) and not part:
            continue
        weights = {"dur": part or 0, "samples": int(begins(s))}
        if part is not None and (s["source_id"], s["class"]) not in in_ns:
            weights[s["class"]] = part
        for kind, unit, value in values[s["id"]]:
            if unit == "ns" and part:
                weights[kind] = weights.get(kind, 0) + value * part // s["dur"]
            elif begins(s):
                weights[kind] = weights.get(kind, 0) + value
        spans.append((s, weights))
    for s in slices:
        if wanted(s) and begins(s):
            spans.append((s, {"wall": s["self_dur"] or 0, "dur": s["self_dur"] or 0, "samples": 1}))
    named = weight if weight != "wall" or any(w.get("wall") for _, w in spans) else "dur"
    found = collections.defaultdict(dict)
    for row, weights in spans:
        numbers = {"samples": weights["samples"], weight: weights.get(named, 0)}
        if not any(numbers.values()):
            continue
        node, seen, top = row["node_id"], set(), True
        while node is not None:
            parent, key = nodes[node]
            for name, number in numbers.items():
                entry = found[key]
                entry["self_" + name] = entry.get("self_" + name, 0) + (number if top else 0)
                entry[name] = entry.get(name, 0) + (0 if key in seen else number)
            seen.add(key)
            node, top = parent, False
    return found


def java_classes(db):
    held = {r["class_id"]: r["retained_size"] for r in db.rows("java_heap_class_retained")}
    found = {}
    for c in db.rows("java_heap_class"):
        if c["count"]:
            entry = found.setdefault((c["name"],), {"shallow_size": 0, "count": 0, "retained_size": 0 if held else None})
            for v, number in (("shallow_size", c["shallow_size"]), ("count", c["count"]), ("retained_size", held.get(c["rowid_"]))):
                entry[v] = None if number is None else entry[v] + number
    return found


# --- calls and what they did -----------------------------------------------------------------------


def spread(groups, cpu=False):
    found = {}
    for key, entries in groups.items():
        durs = sorted(d for d, _ in entries if d is not None)
        found[key] = {"total": sum(durs) if durs else None, "count": len(entries), "mean": sum(durs) / len(durs) if durs else None,
                      "p95": durs[math.ceil(len(durs) * 0.95 - 1e-9) - 1] if durs else None, "longest": durs[-1] if durs else None}
        if cpu:
            cpus = [c for _, c in entries if c is not None]
            found[key]["cpu"] = sum(cpus) if cpus else None
    return found


def calls(db):
    method = {m["id"]: (m["class"] + "." if m["class"] else "") + (m["name"] if m["name"] is not None else "#%s" % m["raw_id"]) for m in db.rows("stack_method")}
    node = {n["id"]: n["method_id"] for n in db.rows("stack_node")}
    words = {d["id"]: d["word"] for d in db.rows("cloud_dictionary")}
    params = collections.defaultdict(dict)
    for p in db.rows("cloud_call_param"):
        if p["ordinal"] == 0:
            params[p["call_id"]].setdefault(words.get(p["dictionary_id"]), p["value"])
    groups, roots = collections.defaultdict(list), set()
    for c in db.rows("cloud_call"):
        p = params[c["id"]]
        title = p.get("profiler.title")
        if title is None and p.get("web.url") is not None:
            title = (p["web.method"] + " " if p.get("web.method") else "") + p["web.url"]
        if title is None:
            job = p.get("job.name", p.get("job.class", p.get("job.id")))
            topic = p.get("jms.destination", p.get("kafka.topic", p.get("queue")))
            title = "job " + job if job is not None else "message " + topic if topic is not None else p.get("sql")
        roots.add(c["root_slice_id"])
        groups[(title or method.get(c["method_id"], "(unknown)"),)].append((c["dur"], c["cpu_dur"]))
    for s in db.rows("stack_slice"):
        if s["parent_id"] is None and s["depth"] == 0 and s["state"] is not None and s["id"] not in roots:
            groups[(method.get(node.get(s["node_id"]), "(unknown)"),)].append((s["dur"], s["cpu_dur"]))
    return spread(groups, True)


def statements(db):
    words = {d["id"]: d["word"] for d in db.rows("cloud_dictionary")}
    texts = {t["id"]: t["value"] for t in db.rows("cloud_text")}
    slices = {s["id"]: s["dur"] for s in db.rows("stack_slice")}
    ran, count = collections.defaultdict(dict), collections.Counter()
    for t in db.rows("cloud_tag"):
        value = t["value"] if t["value"] is not None else texts.get(t["text_id"])
        if words.get(t["dictionary_id"]) == "sql" and value is not None:
            ran[(value,)][t["slice_id"] if t["slice_id"] is not None else -t["id"]] = (slices.get(t["slice_id"]), None)
            count[(value,)] += 1
    found = spread({k: list(v.values()) for k, v in ran.items()})
    for key, entry in found.items():
        entry["count"] = count[key]
        del entry["p95"]
    return found


def pauses(db):
    groups = collections.defaultdict(list)
    for p in db.view("v_pause"):
        groups[(p["kind"],)].append((p["dur"], None))
    found = spread(groups)
    for entry in found.values():
        del entry["p95"]
    return found


def series(db):
    names = {t["id"]: t for t in db.rows("timeseries")}
    threads = {t["rowid_"] - 1: t["name"] for t in db.rows("thread")}
    groups = collections.defaultdict(list)
    for v in db.rows("timeseries_value"):
        t = names[v["series_id"]]
        if v["value"] is not None:
            key = (t["name"], threads.get(t["itid"]) if t["itid"] is not None else None, t["unit"])
            groups[key].append((v["ts"] is not None, v["ts"], v["rowid_"], v["value"]))
    filters = {f["id"]: f for f in db.rows("measure_filter")}
    processes = {p["rowid_"] - 1: p for p in db.rows("process")}
    for table in ("measure", "sys_mem_measure", "process_measure", "xpower_measure"):
        for v in db.rows(table):
            f = filters[v["filter_id"]]
            owner = None
            if f["type"] == "cpu_measure_filter":
                owner = "CPU %d" % f["source_arg_set_id"]
            elif f["type"] == "process_measure_filter":
                p = processes.get(f["source_arg_set_id"])
                owner = None if p is None else p["name"] if p["name"] is not None else "process %d" % p["pid"]
            if v["value"] is not None:
                groups[f["name"], owner, None].append((v["ts"] is not None, v["ts"], v["rowid_"], v["value"]))
    found = {}
    for key, points in groups.items():
        numbers = [p[3] for p in points]
        found[key] = {"mean": sum(numbers) / len(numbers), "sum": sum(numbers), "lowest": min(numbers), "highest": max(numbers),
                      "last": max(points, key=lambda p: (p[0], p[1] or 0, p[2]))[3], "count": len(numbers)}
    return found


# --- both sides ------------------------------------------------------------------------------------


def pairs(by, before, after, weight=None):
    """{key: (before, after)}: what one side lacks is 0 where values are added up, or have a level."""
    kinds = dict(shape(by, weight)[1])
    found = {}
    for key in list(before) + [k for k in after if k not in before]:
        sides = []
        for side in (before, after):
            entry = side.get(key)
            sides.append({v: (entry.get(v) if entry is not None else 0 if kind in (SUM, LEVEL) else None) for v, kind in kinds.items() if kind != ONCE})
        found[key] = tuple(sides)
    return found


def near(a, b, digits=3):
    if a is None or b is None:
        return a is None and b is None
    return a == b or abs(a - b) <= 0.6 * 10 ** -digits + 1e-9 * max(abs(a), abs(b))


def check(by, before_side, after_side, output, once=None, weight=None):
    """Differences between what both sides hold ({key: {value: number}}) and the JSON of the program; once: values that stand alone."""
    keys, values = shape(by, weight)
    wrong, has = [], {}
    expected = pairs(by, before_side, after_side, weight)
    for v, kind in values:
        b, a = (any(entry.get(v) is not None for entry in side.values()) for side in (before_side, after_side))
        has[v] = (once is not None) if kind == ONCE else (b and a) or (b and not after_side) or (a and not before_side)
    rows = {}
    for row in output["rows"]:
        key = tuple(row[k] for k in keys)
        if key in rows:
            wrong.append("%r comes twice" % (key,))
        rows[key] = row
    totals = {v: [sum(p[s].get(v) or 0 for p in expected.values()) for s in (0, 1)] for v, kind in values if kind == SUM}
    changed = 0
    for key, (before, after) in expected.items():
        alone = (once or {}).get(key, {})
        names = [v for v, kind in values if has[v] and kind != ONCE]
        differs = any(before.get(v) != after.get(v) for v in names) or any(alone.get(v) for v in alone)
        differs = differs or any(v in SHARES and share(totals, v, before, 0) != share(totals, v, after, 1) for v in names)
        differs = differs or (by == "node" and key[1] in ("new", "deleted"))
        changed += differs
        row = rows.pop(key, None)
        if (row is not None) != differs:
            wrong.append("%r: %r, %r: %s" % (key, before, after, "is missing" if row is None else "has no change"))
            continue
        if row is None:
            continue
        for v in names:
            b, a = before.get(v), after.get(v)
            change = None if a is None or b is None else a - b
            percent = None if change is None or b == 0 else 100 * change / abs(b)
            got = [row.get("%s_%s" % (v, part), "missing") for part in ("before", "after", "change", "percent")]
            if "missing" in got or not (near(b, got[0]) and near(a, got[1]) and near(change, got[2]) and near(percent, got[3], 1)):
                wrong.append("%r: %s is %r, not %r" % (key, v, got, [b, a, change, percent]))
            if v in SHARES:
                want = [share(totals, v, before, 0), share(totals, v, after, 1)]
                got = [row["%s_%s" % (SHARES[v], part)] for part in ("before", "after")]
                if not (near(want[0], got[0], 2) and near(want[1], got[1], 2)):
                    wrong.append("%r: the share of %s is %r, not %r" % (key, v, got, want))
        for v, number in alone.items():
            if row[v] != number:
                wrong.append("%r: %s is %r, not %r" % (key, v, row[v], number))
    wrong += ["%r is not expected" % (key,) for key in rows]
    if output["changed_rows"] != changed:
        wrong.append("%d rows have changed, not %d" % (output["changed_rows"], changed))
    for v, (b, a) in totals.items():
        if has[v] and not (near(b, output["totals"][v]["before"]) and near(a, output["totals"][v]["after"])):
            wrong.append("the total of %s is %r, not %r" % (v, output["totals"][v], (b, a)))
    main = output["weight"]
    if dict(values)[main] != ONCE:
        sizes = [abs(row[main + "_change"]) if row[main + "_change"] is not None else -1 for row in output["rows"]]
        if sizes != sorted(sizes, reverse=True):
            wrong.append("rows are not in the order of %s" % main)
    return wrong


def share(totals, v, entry, side):
    if entry.get(v) is None:
        return None
    return 100.0 * entry[v] / totals[v][side] if totals[v][side] else 0.0
