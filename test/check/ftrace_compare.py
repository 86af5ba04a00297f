"""The rows of the model of ftrace beside those of a database."""

import re


def split_columns(columns):
    """Comma separated, but not within parentheses."""
    return [c.strip() for c in re.split(r",(?![^()]*\))", columns)]


def fill(database, tables):
    """Puts the model's rows into tables of an empty database, texts by number as trace_streamer keeps them."""
    words = {"": 0}
    word = lambda text: None if text is None else words.setdefault(text, len(words))
    for what, rows in tables.items():
        head, columns = what.split(": ", 1)
        table = head.split()[0]
        names, texts = [], []
        for column in split_columns(columns):
            found = re.search(r"d\.id = t\.(\w+)", column)
            texts.append(found is not None)
            names.append(found.group(1) if found else column)
        if table == "args":
            rows = [(i, word(key), kind, word(value) if kind == 1 else value, argset) for i, key, kind, value, argset in rows]
        else:
            rows = [tuple(word(v) if is_text else v for v, is_text in zip(row, texts)) for row in rows]
        database.execute("CREATE TABLE %s (%s)" % (table, ", ".join('"%s"' % n for n in names)))
        database.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(names))), rows)
    database.execute("CREATE TABLE data_dict (id, data)")
    database.executemany("INSERT INTO data_dict VALUES (?, ?)", [(i, text) for text, i in words.items()])


def differences(database, tables, shown=5):
    """(texts that say what differs, cells compared); a type counts as much as a value."""
    wrong, cells = [], 0
    for what, rows in tables.items():
        head, columns = what.split(": ", 1)
        table = head.split()[0]
        got = database.execute("SELECT %s FROM %s ORDER BY t.rowid" % (columns, head)).fetchall()
        want = list(rows)
        if table in ("stat", "import_count"):
            got.sort()
            want.sort()
        cells += sum(map(len, want))
        found = 0
        for i, (g, w) in enumerate(zip(got, want)):
            if g != w or list(map(type, g)) != list(map(type, w)):
                found += 1
                if found <= shown:
                    wrong.append("%s: row %d: %s\n  want %r\n  got  %r" % (table, i, columns if found == 1 else "", w, g))
        if len(got) != len(want):
            wrong.append("%s: %d rows instead of %d: %r" % (table, len(got), len(want), (got + want)[min(len(got), len(want)):][:1]))
    return wrong, cells
