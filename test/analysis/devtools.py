"""devtools.py PROGRAM: what Chrome DevTools' own code computes from three fresh recordings of Node.js, cell by cell against the rows of
--analyze=heap: shallow and retained sizes, distances, dominators, detachedness and classes of nodes, and the rows of classes. DevTools comes from npm
when the test runs (20 MB, ten seconds) and is never a part of this project: with TS_SLOW=1 or TS_DEVTOOLS=install, as in .ci/run, or from the
node_modules that TS_DEVTOOLS names."""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))

import npm_packages  # noqa: E402

PROGRAM = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ["chrome-devtools-frontend@1.0.1705227", "esbuild@0.25.12"]
# A file that DevTools' own build makes.
LOCALES = """export const LOCALES = ['en-US'], BUNDLED_LOCALES = [], DEFAULT_LOCALE = 'en-US';
export const REMOTE_FETCH_PATTERN = '', LOCAL_FETCH_PATTERN = '';
"""
RECORD = r"""
const v8 = require('v8'), fs = require('fs'), inspector = require('inspector');
class Session { constructor(i) { this.id = i; this.data = new Array(i % 50).fill(i); this.close = () => this.id; } }
class Entry { constructor(next) { this.next = next; } }
const app = { sessions: new Map(), meta: new WeakMap(), rows: [], list: null, texts: [] };
global.app = app;
for (let i = 0; i < 3000; i++) {
  const s = new Session(i);
  app.sessions.set('s' + i, s);
  if (i % 3 === 0) app.meta.set(s, { seen: i, of: s });
  app.rows.push(i % 2 ? { a: i, b: s } : { b: s, a: i, [`'${i % 7}`]: i });
  app.list = new Entry(app.list);
  app.texts.push('text ' + (i % 100) + ' of ' + i, Buffer.alloc(i % 10 * 100), /x+/, Symbol('s' + i % 5));
}
v8.writeHeapSnapshot('0.heapsnapshot');
v8.writeHeapSnapshot('1.heapsnapshot', { exposeInternals: true, exposeNumericValues: true });
const session = new inspector.Session();
session.connect();
const out = fs.openSync('2.heapsnapshot', 'w');
session.on('HeapProfiler.addHeapSnapshotChunk', (m) => fs.writeSync(out, m.params.chunk));
session.post('HeapProfiler.startTrackingHeapObjects');
for (let i = 0; i < 2000; i++) app.sessions.set('t' + i, new Session(i));
session.post('HeapProfiler.stopTrackingHeapObjects', {}, () => fs.closeSync(out));
"""


def bundle(where):
    """DevTools' code and devtools_entry.mjs as one file."""
    front_end = os.path.join(where, "chrome-devtools-frontend", "front_end")
    locales = os.path.join(front_end, "core", "i18n", "locales.js")
    if not os.path.exists(locales):
        with open(locales, "w", encoding="utf-8") as f:
            f.write(LOCALES)
    esbuild = next(
        p for p in (os.path.join(where, "@esbuild", d, "bin", "esbuild") for d in os.listdir(os.path.join(where, "@esbuild"))) if os.path.exists(p)
    )
    entry = [os.path.join(HERE, "devtools_entry.mjs"), "--outfile=devtools.mjs", f"--alias:front_end={front_end}"]
    subprocess.run([esbuild, *entry, "--bundle", "--platform=node", "--format=esm", "--log-level=warning"], check=True)


def same(what, got, want):
    if got == want:
        return 0
    bad = [(i, a, b) for i, (a, b) in enumerate(zip(got, want)) if a != b]
    print(f"WRONG: {what}: {len(got)} rows, DevTools has {len(want)}; {len(bad)} differ (row, ours, DevTools'): {bad[:5]}")
    return 1


def compare(name):
    subprocess.run(["node", "devtools.mjs", name, "devtools.json"], check=True)
    subprocess.run([PROGRAM, name, "-e", "out.db", "--analyze=heap", "--quiet", "--force"], check=True)
    with open("devtools.json", encoding="utf-8") as f:
        said = json.load(f)
    db = sqlite3.connect("out.db")
    columns = "node_id, shallow_size, retained_size, distance, dominator, detachedness, constructor"
    # DevTools: -5 is not reached; the root is its own dominator.
    nodes = [tuple(n[:3]) + (None if n[3] < 0 else n[3], None if i == said["root"] else n[4]) + tuple(n[5:]) for i, n in enumerate(said["nodes"])]
    wrong = same(f"{name}: nodes", db.execute(f"SELECT {columns} FROM v_js_retained ORDER BY node_index").fetchall(), nodes)
    classes = sorted((c[0], c[1], -1 if c[2] < 0 else c[2], c[3], c[4]) for c in said["classes"])
    rows = db.execute("SELECT name, count, ifnull(distance, -1), shallow_size, retained_size FROM v_js_constructor").fetchall()
    wrong += same(f"{name}: classes", sorted(rows), classes)
    print(f"{name}: {len(nodes)} nodes, {len(classes)} classes")
    return wrong


def main():
    with tempfile.TemporaryDirectory(prefix="ts-devtools-") as scratch:
        os.chdir(scratch)
        bundle(npm_packages.modules(PACKAGES, "20 MB"))
        subprocess.run(["node", "-e", RECORD], check=True)
        wrong = sum(compare(f"{i}.heapsnapshot") for i in range(3))
        os.chdir("/")
    sys.exit(1 if wrong else 0)


main()
