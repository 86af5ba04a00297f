"""Compares views, tables and answers of questions with rows that were computed from the input itself.

Every comparison is noted by view or table and column, so that list.txt can be checked: what it says is compared
by a group has to be compared there, with at least one value.
"""

import os
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

SHOWN = 4


def order(row):
    """A key for rows whose cells have several types."""
    return tuple((v is not None, isinstance(v, str), v) if v is not None else (False, False, 0) for v in row)


class Judge:
    def __init__(self, program, work, questions):
        self.program = program
        self.work = work
        self.questions = questions
        self.bad = 0
        self.cells = 0
        self.seen = {}  # (name, column) -> the distinct values expected, two at most
        self.db = None
        self.path = None

    # --- databases

    def convert(self, name, *inputs, code=0):
        self.path = os.path.join(self.work, name + ".db")
        run = starts.run([self.program, *inputs, "-e", self.path, "--quiet"], capture_output=True, text=True)
        if run.returncode != code:
            raise SystemExit("%s %s: exit code %d\n%s" % (self.program, inputs, run.returncode, run.stderr))
        self.db = sqlite3.connect("file:%s?mode=ro" % self.path, uri=True)
        self.what = name

    def rows(self, sql, args=()):
        return self.db.execute(sql, args).fetchall()

    def has(self, name):
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)))

    def columns(self, name):
        return [d[0] for d in self.db.execute('SELECT * FROM "%s" LIMIT 0' % name).description]

    # --- comparisons

    def fail(self, text):
        self.bad += 1
        print("%s: %s" % (self.what, text))

    def view(self, name, columns, rows, key=None, got=None, where=""):
        """All columns of a view (or table), and its rows; `key` sorts both sides."""
        have = self.columns(name)
        columns = columns.split()
        if have != columns:
            self.fail("%s has the columns %s instead of %s" % (name, have, columns))
            return
        self.some(name, columns, rows, key, got, where)

    def some(self, name, columns, rows, key=None, got=None, where=""):
        """Some columns of a table. `got`: its rows, when they had to be translated."""
        columns = columns.split() if isinstance(columns, str) else columns
        if got is None:
            got = self.rows("SELECT %s FROM \"%s\" %s" % (", ".join('"%s"' % c for c in columns), name, where))
        rows = list(rows)
        self.note(name, columns, rows)
        self.same_rows(name, columns, got, rows, order if key is None else key)

    def note(self, name, columns, rows):
        for i, column in enumerate(columns):
            values = self.seen.setdefault((name, column), set())
            for row in rows:
                if len(values) > 1:
                    break
                if row[i] is not None:
                    values.add(row[i])

    def same_rows(self, what, columns, got, want, key):
        got, want = [tuple(r) for r in got], [tuple(r) for r in want]
        if key is not False:
            got.sort(key=key)
            want.sort(key=key)
        if len(got) != len(want):
            self.fail("%s: %d rows instead of %d" % (what, len(got), len(want)))
        self.cells += len(want) * len(columns)
        if got == want and types(got) == types(want):
            return
        shown = wrong = 0
        for g, w in zip(got, want):
            if g == w and all(type(a) is type(b) for a, b in zip(g, w)):
                continue
            wrong += 1
            if shown < SHOWN:
                shown += 1
                cells = ["%s %r instead of %r" % (c, a, b) for c, a, b in zip(columns, g, w)
                         if a != b or type(a) is not type(b)]
                print("  %s: %s\n    row %r" % (what, ", ".join(cells), g))
        if wrong:
            self.fail("%s: %d rows are wrong" % (what, wrong))

    def same(self, what, got, want):
        self.cells += 1
        if got != want:
            self.fail("%s: %r instead of %r" % (what, got, want))

    def ask(self, question, columns, rows, ordered=True, close=(), **params):
        """The answer of a shipped question. `close`: columns that may differ by the last digit."""
        columns = columns.split()
        with open(os.path.join(self.questions, question + ".sql"), encoding="utf-8") as f:
            sql = f.read()
        names = {n: params.get(n) for n in named(sql)}
        unknown = set(params) - set(names)
        if unknown:
            self.fail("%s has no parameter %s" % (question, unknown))
        cursor = self.db.execute(sql, names)
        have = [d[0] for d in cursor.description]
        got = cursor.fetchall()
        self.same(question + " columns", have, columns)
        want = [tuple(r) for r in rows]
        for c in close:
            i = columns.index(c)
            got = [r[:i] + (blur(r[i], [w[i] for w in want], n),) + r[i + 1:] for n, r in enumerate(got)]
        self.note(question + ".sql", columns, want)
        for name, value in names.items():
            self.seen.setdefault((question + ".sql", ":" + name), set()).update([value] if value is not None else ())
        self.same_rows("%s %r" % (question, params), columns, got, want, False if ordered else order)


def types(rows):
    return [set(map(type, column)) for column in zip(*rows)]


def blur(value, wanted, n):
    if n < len(wanted) and isinstance(value, float) and isinstance(wanted[n], float) and abs(value - wanted[n]) < 0.0101:
        return wanted[n]
    return value


def named(sql):
    """Names of the parameters of a question."""
    names, at = [], 0
    lines = "\n".join(line.split("--")[0] for line in sql.split("\n"))
    while (at := lines.find(":", at)) >= 0:
        end = at + 1
        while end < len(lines) and (lines[end].isalnum() or lines[end] == "_"):
            end += 1
        if end > at + 1 and not lines[at + 1].isdigit() and lines[at + 1:end] not in names:
            names.append(lines[at + 1:end])
        at = end
    return names


class Listed:
    """list.txt: what is compared by which group."""

    def __init__(self, path):
        self.lines = {}  # (kind, name) -> (groups, {"null": columns, "one": columns, "not": columns})
        with open(path, encoding="utf-8") as f:
            for line in f:
                words = line.split("#")[0].split()
                if words:
                    marks = dict(w.split("=") for w in words[3:])
                    self.lines[words[0], words[1]] = (words[2].split(","), {k: v.split(",") for k, v in marks.items()})

    def check_group(self, j, group):
        """The first group of a line compares every column, with two values at least."""
        for (kind, name), (groups, marks) in self.lines.items():
            if groups[0] != group:
                continue
            if kind == "question":
                name += ".sql"
                columns = [c for n, c in j.seen if n == name]
                if not columns:
                    j.fail("%s is not asked" % name)
            else:
                columns = j.columns(name) if j.has(name) else []
                if not columns:
                    j.fail("%s is not in the last database" % name)
            for column in columns:
                wanted = {"null": 0, "one": 1}.get(next((m for m in ("null", "one") if column in marks.get(m, ())), ""), 2)
                wanted = min(wanted, 1) if column.startswith(":") else wanted
                if column in marks.get("not", ()):
                    continue
                found = j.seen.get((name, column))
                if found is None:
                    j.fail("%s.%s is not compared" % (name, column))
                elif len(found) < wanted:
                    j.fail("%s.%s is compared with %d different values only" % (name, column, len(found)))

    def check_all(self, j, kind, name):
        if (kind, name) not in self.lines:
            j.fail("the %s %s is in no independent check: see test/views/list.txt" % (kind, name))
