"""What was imported and what was not: v_data_quality and the questions about it, and args_view."""

import os
import shutil
import sqlite3

import htrace

SEVERITIES = ("error", "data_loss", "warning", "info")


def issues(j):
    return j.rows("SELECT source_id, severity, code, stream, offset, count, message FROM import_issue")


def counts(j):
    return j.rows("SELECT source_id, item, declared, seen, imported, lost, skipped FROM import_count")


def quality_rows(j):
    """From the rows of issues and counts, which tests of the importers compare with their inputs."""
    source = {i: (path, name) for i, path, name in j.rows("SELECT id, path, name FROM source")}
    source[None] = (None, None)
    for s, severity, code, stream, offset, n, message in issues(j):
        yield (s, *source[s], "issue", severity, code, n, stream, offset, message)
    for s, item, declared, seen, imported, lost, skipped in counts(j):
        short = declared is not None and declared != seen
        if not (lost or skipped or short):
            continue
        severity, n = ("data_loss", lost) if lost else ("warning", abs(declared - seen)) if short else ("info", skipped)
        text = "" if declared is None else "declared %d, " % declared
        text += "seen %d, imported %d, lost %d, skipped %d" % (seen, imported, lost, skipped)
        yield (s, *source[s], "count", severity, item, n, None, None, text)


def check_quality(j):
    rows = list(quality_rows(j))
    j.view("v_data_quality", "source_id path recording kind severity what count stream offset message", rows)
    j.ask("import_losses", "source_id path recording place severity what count message",
          [(r[0], r[1], r[2], r[7], r[4], r[5], r[6], r[9]) for r in rows], ordered=False)
    # Rows of equal source, kind and name come in any order.
    rows.sort(key=lambda r: (SEVERITIES.index(r[4]), (r[0] is not None, r[0] or 0), r[3] != "issue", r[5].encode()))
    with open(os.path.join(j.questions, "import_losses.sql"), encoding="utf-8") as f:
        sql = f.read()
    found = [(r[0], r[4], r[5]) for r in j.db.execute(sql, {"limit": None})]
    j.same("order of import_losses", found, [(r[0], r[4], r[5]) for r in rows])
    whole = j.db.execute(sql, {"limit": None}).fetchall()
    for n in (1, 3):
        j.ask("import_losses", "source_id path recording place severity what count message", whole[:n], limit=n)


def source_rows(j, wanted):
    """`wanted`: rows of the question `sources` but for the number of issues."""
    bad = {}
    for s, severity, _, _, _, n, _ in issues(j):
        if severity in ("data_loss", "error"):
            bad[s] = bad.get(s, 0) + n
    wanted = list(wanted)
    j.some("source", "id parent_id kind path name format clock start_ts end_ts bytes complete",
           (row[:8] + (None if row[8] is None else row[7] + row[8],) + row[9:] for row in wanted))
    # A recording is asked for with the file that it is in.
    by = {row[0]: row for row in wanted}

    def path(row):
        return row[3] if row[3] is not None or row[1] not in by else path(by[row[1]])

    answer = [(*row[:3], path(row), *row[4:], bad.get(row[0], 0)) for row in wanted]
    j.ask("sources", "id parent_id kind path name format clock start_ts duration_ns bytes complete issues", answer)
    for n in (1, 2):
        j.ask("sources", "id parent_id kind path name format clock start_ts duration_ns bytes complete issues",
              answer[:n], limit=n)


def htrace_sources(j, path, recording, kinds):
    """`kinds`: (kind, name, format, start, end, bytes) of each recording in the file."""
    name = os.path.basename(path)
    data = htrace.read_bytes(path)
    rows = [(1, None, "input", name, None, "htrace", "boottime", recording.header["boot"] or None, None, len(data), 1)]
    for i, (kind, name, fmt, start, end, size) in enumerate(kinds, 2):
        rows.append((i, 1, kind, None, name, fmt, "boottime", start, end - start, size, 1))
    source_rows(j, rows)


def heap_counts(j, recording, heaps):
    """The counts of a recording of heaps."""
    used = sum(1 for _, raw in recording.messages if is_used(raw))
    rows = [(1, "messages", None, len(recording.messages), used, 0, len(recording.messages) - used),
            (1, "text_bytes", None, *[sum(len(h["text"]) for h in recording.heaps)] * 2, 0, 0),
            (1, "snapshots", None, len(heaps), len(heaps), 0, 0), (1, "configs", None, 1, 1, 0, 0)]
    for plugin, n in recording.plugins.items():
        rows.append((1, "plugin_segments:" + plugin, None, n, n, 0, 0))
    rows.append((1, "segments", None, *[sum(recording.plugins.values())] * 2, 0, 0))
    for i, h in enumerate(heaps, 2):
        head = h.json["snapshot"]
        for item, declared, n in (("nodes", head["node_count"], h.node_count), ("edges", head["edge_count"], h.edge_count),
                                  ("trace_functions", head["trace_function_count"], len(list(h.function_rows()))),
                                  ("locations", None, len(list(h.location_rows()))),
                                  ("heap_samples", None, len(list(h.sample_rows()))),
                                  ("trace_nodes", None, len(list(h.trace_rows()))),
                                  ("strings", None, len(h.json["strings"]))):
            rows.append((i, item, declared, n, n, 0, 0))
    items = {r[:2] for r in rows}
    j.some("import_count", "source_id item declared seen imported lost skipped", rows,
           got=[r for r in counts(j) if r[:2] in items])


def is_used(raw):
    """Pieces of heaps, profiles and marks; all other messages are progress and the like."""
    m = htrace.parse_message(raw)
    params = m.get("params") or {}
    return "chunk" in params or m.get("result") == {} and m.get("id") in (1, 2, 3) or "profile" in (m.get("result") or {})


def check_clocks(j, recording, size):
    head = recording.header
    names = ("boottime", "realtime", "realtime_corse", "monotonic", "monotonic-coarse", "monotonic-raw")
    j.some("clock_snapshot", "id clock_id ts clock_name",
           ((i, i + 1, head[clock], name) for i, (clock, name) in enumerate(zip(htrace.CLOCKS, names))))
    j.some("datasource_clockid", "id data_source_name clock_id", [(0, "arkts-plugin", 2)])
    heap = recording.heaps[0]
    j.some("meta", "name value", [("datasize", str(size)), ("parse_tool", "trace_streamer"),
                                  ("source_name", "recording-timeline.htrace.gz"), ("output_name", ""), ("runtime", ""),
                                  ("trace_duration", "%d s" % ((heap["end"] - heap["start"]) // 10**9)),
                                  ("source_type", "proto-based-trace")],
           got=j.rows("SELECT name, value FROM meta WHERE name NOT LIKE 'tool%'"))


def check_made(j):
    """What no recording has, put into a copy of a database: arguments, which no importer writes yet, and issues and
    counts of no source."""
    path = os.path.join(j.work, "args.db")
    shutil.copy(j.path, path)
    db = sqlite3.connect(path)
    types = dict(db.execute("SELECT typeId, desc FROM data_type"))
    texts = ["", "prio", "comm", "swapper/0", "next"]
    db.execute("DELETE FROM data_dict")
    db.executemany("INSERT INTO data_dict(id, data) VALUES (?, ?)", [(10 * i, t) for i, t in enumerate(texts)])
    rows = [(0, 10, 0, 20, 0), (1, 20, 1, 30, 0), (2, 40, 1, 999, 1), (3, 77, 5, -1, 2), (4, 10, 2, 30, 2)]
    db.executemany("INSERT INTO args(id, key, datatype, value, argset) VALUES (?, ?, ?, ?, ?)", rows)
    db.execute("INSERT INTO import_issue VALUES (NULL, 'error', 'made', 'x', 7, 3, 'of no source')")
    db.executemany("INSERT INTO import_count VALUES (NULL, ?, ?, ?, ?, ?, ?)", (
        ("both", 9, 5, 3, 2, 0), ("short", 9, 5, 5, 0, 0), ("more", 3, 5, 4, 0, 1), ("equal", 5, 5, 5, 0, 0),
        ("skipped", 5, 5, 3, 0, 2), ("one", None, 7, 6, 1, 0), ("none", None, 7, 7, 0, 0)))
    db.commit()
    j.db.close()
    j.db = db
    text = lambda i: texts[i // 10] if i % 10 == 0 and i // 10 < len(texts) else None
    j.same("types of arguments", types[1], "string")
    j.view("args_view", "argset keyName id desc strValue",
           ((argset, text(key), i, types.get(kind), text(value) if kind == 1 else value)
            for i, key, kind, value, argset in rows))
    check_quality(j)
