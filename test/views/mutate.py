#!/usr/bin/env python3
"""Changes the SQL of views and questions, one token at a time, and says which changes no group of views.py sees.

usage: mutate.py TRACE_STREAMER TOOLS SOURCE_DIR [NAME...]

Nothing is built: a changed view is a subquery in place of the view, with the comparisons that the groups made. Views that
the database changes while it runs have to end in some seconds, or count as seen. Prints the survivors and the score.
"""

import os
import re
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge
import views

GROUPS = ("heaps", "cpuprofile", "flare", "cloud", "quality")
TOKEN = re.compile(r"--[^\n]*|'[^']*'|\"[^\"]*\"|<>|<=|>=|<<|>>|\|\||:?\w+|\S")
SWAPS = {"<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",), "=": ("<>",), "<>": ("=",), "+": ("-",), "-": ("+",),
         "*": ("+",), "/": ("*",), "%": ("/",), "and": ("OR",), "or": ("AND",), "max": ("min",), "min": ("max",),
         "sum": ("max",), "desc": ("ASC",), "left": ("INNER",), "distinct": ("ALL",), "lag": ("lead",), "not": ("",),
         "||": ("+",), "count": ("max",), "ifnull": ("nullif",), "partition": ("ORDER",), ">>": ("<<",)}
STEPS = 300


def mutants(sql):
    """(what, changed SQL) for each token that can be changed."""
    tokens = list(TOKEN.finditer(sql))
    for n, m in enumerate(tokens):
        token = m.group()
        before = tokens[n - 1].group().lower() if n else ""
        after = tokens[n + 1].group() if n + 1 < len(tokens) else ""
        swaps = SWAPS.get(token.lower(), ())
        if token == "*" and (before in ("select", "(", ".", ",") or after == ")"):
            swaps = ()
        if token.lower() == "count" and after != "(" or token.lower() in ("min", "max", "sum", "lag") and after != "(":
            swaps = ()
        if token.lower() == "desc" and before in (".", "as"):
            swaps = ()
        if token.isdigit():
            swaps = (str(int(token) + 1),) if len(token) < 10 and token != "32" else ()
        elif token[0] == "'" and len(token) > 2:
            swaps = ("'%s?'" % token[1:-1],)
        for swap in swaps:
            line = sql.count("\n", 0, m.start()) + 1
            yield "line %d: %s -> %s" % (line, token, swap or "nothing"), sql[:m.start()] + swap + sql[m.end():]


class Recorder(judge.Judge):
    """Notes what each comparison of a view or question was, beside doing it."""

    def __init__(self, *args):
        super().__init__(*args)
        self.notes = {}  # name -> [(database, sql for the rows, parameters, expected rows, key)]

    def convert(self, name, *inputs, code=0):
        super().convert(name, *inputs, code=code)
        self.path = os.path.join(self.work, "%s-%d.db" % (name, len(os.listdir(self.work))))
        os.rename(os.path.join(self.work, name + ".db"), self.path)
        self.db = sqlite3.connect(self.path)

    def view(self, name, columns, rows, key=None, got=None, where=""):
        rows = list(rows)
        self.path = self.db.execute("PRAGMA database_list").fetchone()[2]
        super().view(name, columns, rows, key, got, where)
        if self.rows("SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = ?", (name,)):
            select = "SELECT %s FROM @ %s" % (", ".join('"%s"' % c for c in columns.split()), where)
            self.notes.setdefault(name, []).append((self.path, select, {}, rows, key or judge.order))

    def ask(self, question, columns, rows, ordered=True, close=(), **params):
        rows = list(rows)
        super().ask(question, columns, rows, ordered, close, **params)
        if not close:
            self.path = self.db.execute("PRAGMA database_list").fetchone()[2]
            self.notes.setdefault(question + ".sql", []).append((self.path, None, params, rows, False if ordered else judge.order))


def seen(note, sql):
    """Whether the changed SQL gives other rows, or none in time."""
    path, select, params, want, key = note
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    left = [STEPS]

    def step():
        left[0] -= 1
        return left[0] < 0

    db.set_progress_handler(step, 100000)
    try:
        if select is None:
            got = db.execute(sql, {n: params.get(n) for n in judge.named(sql)}).fetchall()
        else:
            got = db.execute(select.replace("@", "(%s)" % sql)).fetchall()
    except sqlite3.Error:
        return True
    finally:
        db.close()
    if len(got) != len(want):
        return True
    want = [tuple(r) for r in want]
    if key is not False:
        try:
            got.sort(key=key)
            want.sort(key=key)
        except TypeError:
            return True
    return got != want or judge.types(got) != judge.types(want)


def body(note, name):
    db = sqlite3.connect("file:%s?mode=ro" % note[0], uri=True)
    sql = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
    db.close()
    return sql.split(" AS\n", 1)[1]


def main(argv):
    program, tools, source, *names = argv[1:]
    notes = {}
    with tempfile.TemporaryDirectory() as work:
        for group in GROUPS:
            os.mkdir(os.path.join(work, group))
            j = Recorder(program, os.path.join(work, group), os.path.join(os.path.dirname(program), "../share/trace_streamer/sql"))
            j.what = group
            views.GROUPS[group](j, views.Tools(tools, source))
            if j.bad:
                return 1
            for name, of in j.notes.items():
                notes.setdefault(name, []).extend(of)
        total = caught = 0
        for name, of in sorted(notes.items()):
            if names and name not in names:
                continue
            of.sort(key=lambda n: len(n[3]))
            of = [n for n in of if n[3]] + [n for n in of if not n[3]]
            if name.endswith(".sql"):
                with open(os.path.join(os.path.dirname(program), "../share/trace_streamer/sql", name), encoding="utf-8") as f:
                    sql = f.read()
            else:
                sql = body(of[0], name)
            n = hit = 0
            for what, changed in mutants(sql):
                n += 1
                if any(seen(note, changed) for note in of):
                    hit += 1
                else:
                    print("survived: %s, %s" % (name, what), flush=True)
            print("%s: %d of %d" % (name, hit, n), flush=True)
            total, caught = total + n, caught + hit
    print("%d of %d changes were seen" % (caught, total))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
