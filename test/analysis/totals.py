"""totals.py DATABASE: stack_total against a plain computation: each sample with every method on its path."""
import collections
import sqlite3
import sys

db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
parent, method = {}, {}
for node, up, m in db.execute("SELECT id, parent_id, method_id FROM stack_node"):
    parent[node], method[node] = up, m
self_count, self_dur = collections.Counter(), collections.Counter()
total_count, total_dur = collections.Counter(), collections.Counter()
timed = set()
for source, itid, event, node, dur in db.execute(
    "SELECT source_id, itid, event, node_id, dur FROM stack_sample WHERE node_id IS NOT NULL"
):
    own = (source, itid, event, method[node])
    self_count[own] += 1
    self_dur[own] += dur or 0
    met = set()
    while node is not None:
        met.add((source, itid, event, method[node]))
        node = parent[node]
    for key in met:
        total_count[key] += 1
        total_dur[key] += dur or 0
        if dur is not None:
            timed.add(key)
want = {
    k: (self_count[k], total_count[k], self_dur[k] if k in timed else None, total_dur[k] if k in timed else None)
    for k in total_count
}
rows = db.execute("SELECT * FROM stack_total").fetchall()
got = {tuple(r[:4]): tuple(r[4:]) for r in rows}
if len(rows) != len(got) or got != want:
    sys.exit(f"stack_total: {len(rows)} rows, {len(want)} are right, {sum(got.get(k) != v for k, v in want.items())} differ")
print(f"{len(rows)} rows of stack_total")
