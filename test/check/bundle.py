#!/usr/bin/env python3
"""Uploads to Datakit: a reader of its own, and the comparison of every row of the tables of profiles with it.

usage: bundle.py DATABASE UPLOAD     (UPLOAD: a directory, a form, a request)
"""

import datetime
import gzip
import json
import os
import re
import sqlite3
import sys

LANGUAGES = {name: lang for lang, names in {
    "nodejs": "javascript js node nodejs node.js", "rust": "pyroscope-rs rust", "cpp": "cplusplus cpp c++", "java": "java jvm kotlin scala", "python": "python",
    "dotnet": "dotnet .net c# csharp", "ruby": "ruby", "php": "php", "golang": "golang go"}.items() for name in names.split()}
FORMATS = {"jfr": "jfr", "pprof": "pprof", "collapse": "collapse", "rawflamegraph": "collapse", "speedscope": "speedscope"}
COLUMNS = {"agent_ver": ("profiler_version", "library_ver"), "endpoint": ("endpoint",), "service": ("service",), "env": ("env",), "host": ("host",),
           "pid": ("pid", "process_id"), "language_ver": ("runtime_version", "language_version"), "runtime": ("runtime",), "runtime_os": ("runtime_os",),
           "runtime_arch": ("runtime_arch",), "profiler": ("profiler",), "runtime_id": ("runtime-id",), "profile_id": ("profile_id",)}


class Damaged(Exception):
    pass


# --- forms ------------------------------------------------------------------------------------------


def parameters(value):
    return {name.lower(): quoted if quoted is not None else bare for name, quoted, bare in re.findall(r';\s*([^=;\s]+)=(?:"([^"]*)"|([^;"]*))', value)}


def headers(text):
    return {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in text.split("\r\n") if line)}


def form(data):
    """(path, [(field, file name or None, bytes)])"""
    target, length, boundary = None, None, None
    if not data.startswith(b"--"):
        head, blank, data = data.partition(b"\r\n\r\n")
        first, _, rest = head.decode().partition("\r\n")
        if not blank or not re.fullmatch(r"POST \S+ HTTP/1\.\d", first):
            raise Damaged("head")
        target = first.split(" ")[1].split("?")[0]
        said = headers(rest)
        boundary = parameters(said["content-type"])["boundary"]
        if len(data) != int(said["content-length"]):
            raise Damaged("length")
    else:
        boundary = data[2:data.index(b"\r\n")].decode()
    mark = b"--" + boundary.encode()
    if not data.startswith(mark + b"\r\n") or not data.endswith(b"\r\n" + mark + b"--\r\n"):
        raise Damaged("boundary")
    parts = []
    for part in data[len(mark) + 2:-len(mark) - 6].split(b"\r\n" + mark + b"\r\n"):
        head, blank, body = part.partition(b"\r\n\r\n")
        if not blank or mark in body:
            raise Damaged("part")
        said = parameters(headers(head.decode())["content-disposition"])
        parts.append((said["name"], said.get("filename"), body))
    return target, parts


def parts_of(path):
    if not os.path.isdir(path):
        with open(path, "rb") as f:
            data = f.read()
        return form(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    parts = []
    for name in sorted(os.listdir(path), key=os.fsencode):
        with open(os.path.join(path, name), "rb") as f:
            parts.append((name, name, f.read()))
    return None, parts


# --- what an upload says ----------------------------------------------------------------------------


def flat(value, path, out):
    if isinstance(value, dict):
        for key, v in value.items():
            flat(v, path + "." + key if path else key, out)
    elif isinstance(value, list):
        texts = {}
        for v in value:
            flat(v, path, texts)
            if path in texts:
                out[path] = out[path] + "," + texts[path] if out.get(path) else texts[path]
    else:
        out[path] = {True: "true", False: "false", None: ""}.get(value, value) if not isinstance(value, (str, int, float)) or isinstance(value, bool) else str(value)


def tag(text, tags):
    if text:
        at = text.find(":")
        key, value = (text[:at], text[at + 1:]) if at > 0 else (text, "")
        tags[key] = value


def nanoseconds(text):
    m = re.fullmatch(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:\d\d)", text)
    if not m:
        return None
    try:
        when = datetime.datetime.fromisoformat("%sT%s%s" % (m[1], m[2], "+00:00" if m[4] in "Zz" else m[4]))
    except ValueError:
        return None
    whole = (when - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(seconds=1)
    ns = whole * 10**9 + int(((m[3] or "") + "0" * 9)[:9])
    return ns if 0 <= ns < 1 << 63 else None


class Bundle:
    def __init__(self, path):
        self.target, parts = parts_of(path)
        self.values, self.tags, self.files, listed = {}, {}, [], None
        for field, name, body in parts:
            if field in ("event", "event.json") or name in ("event", "event.json"):
                event = json.loads(body.decode())
                if not isinstance(event, dict):
                    raise Damaged("event")
                listed = event.pop("attachments", listed)
                flat(event, "", self.values)
                for key in ("tags_profiler", "sub_custom_tags"):
                    for text in self.values.pop(key, "").split(","):
                        tag(text, self.tags)
            elif name is None and field == "tags[]":
                tag(body.decode(), self.tags)
            elif name is None:
                text = body.decode()
                self.values[field] = self.values[field] + "," + text if self.values.get(field) else text
            else:
                self.files.append([field, name, body, listed is None])
        if listed is not None:
            order = {name: i for i, name in reversed(list(enumerate(listed)))}
            for f in self.files:
                f[3] = f[1] in order or f[0] in order
            self.files.sort(key=lambda f: min(order.get(f[1], len(order)), order.get(f[0], len(order))))
        self.missing = [] if listed is None else [name for name in listed if all(name not in f[:2] for f in self.files)]

    def profile(self):
        """Cells of the row, and the tags that have none."""
        row, used = {}, {"language", "runtime", "version"}
        for column, names in COLUMNS.items():
            found = [v for v in [self.tags.get(n) or self.values.get(n) for n in names] if v]
            row[column] = found[0] if found else None
            used.update(names)
        row["version"] = self.tags.get("version") or None
        row["endpoint"] = row["endpoint"] or self.target or None
        said = [LANGUAGES.get((where.get(n) or "").lower()) for n in ("language", "runtime", "family") for where in (self.tags, self.values)]
        row["language"] = ([v for v in said if v] or [None])[0]
        used.add("family" if not any(said[:4]) else "language")
        row["format"] = FORMATS.get(self.tags.get("format") or self.values.get("format"))
        row["start_ts"], row["end_ts"] = (next((nanoseconds(self.values[n]) for n in names if n in self.values), None)
                                          for names in (("recording-start", "start"), ("recording-end", "end")))
        if row["start_ts"] is not None and row["end_ts"] is not None:
            row["dur"] = max(0, row["end_ts"] - row["start_ts"])
        tags = {(k, v) for k, v in self.tags.items() if k not in used}
        return row, tags

    def numbers(self):
        for field, name, body, _ in self.files:
            if "metrics.json" in (field, name):
                return [(n, v) for n, v in json.loads(body.decode())]
        return []


# --- comparison -------------------------------------------------------------------------------------


def compare(db, path):
    """None, or what is different."""
    bundle = Bundle(path)
    row, tags = bundle.profile()
    found = db.execute("SELECT * FROM profile")
    names = [d[0] for d in found.description]
    rows = found.fetchall()
    if len(rows) != 1:
        return "%d rows of profile" % len(rows)
    have = dict(zip(names, rows[0]))
    for column, value in row.items():
        if value is not None and have[column] != value:
            return "%s is %r instead of %r" % (column, have[column], value)
    stored = set(db.execute("SELECT key, value FROM profile_tag"))
    if stored != tags:
        return "tags: %r instead of %r" % (stored - tags, tags - stored)
    stored = db.execute("SELECT name, value FROM profile_number").fetchall()
    if stored != bundle.numbers():
        return "numbers: %r instead of %r" % (stored, bundle.numbers())
    stored = db.execute("SELECT name, listed, size FROM profile_attachment WHERE state <> 'missing'").fetchall()
    want = [(name, int(listed), len(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)) for _, name, body, listed in bundle.files]
    if stored != want:
        return "attachments: %r instead of %r" % (stored, want)
    stored = [name for (name,) in db.execute("SELECT name FROM profile_attachment WHERE state = 'missing'")]
    if stored != bundle.missing:
        return "missing: %r instead of %r" % (stored, bundle.missing)
    return None


def main():
    wrong = compare(sqlite3.connect(sys.argv[1]), sys.argv[2])
    if wrong:
        sys.exit("%s: %s" % (sys.argv[2], wrong))


if __name__ == "__main__":
    main()
