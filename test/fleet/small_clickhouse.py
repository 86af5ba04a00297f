"""A server on loopback that takes what trace_streamer sends to ClickHouse and answers the few questions that it asks, written from
the description of the format Native and of the HTTP interface. It fails on request: see Fault."""

import gzip, http.server, re, socket, struct, threading, time, urllib.parse, zlib


class Cut(Exception):
    """The connection is closed without an answer."""


class Fault:
    """What goes wrong with `times` INSERTs from number `at` on (from 0), or, with bytes, at that byte of all bodies of INSERTs.

    kinds: cut (after `bytes`), lost (taken, no answer), late (a commit that is taken after the next one), dropped (not taken, no answer),
    status (answered with `status`, not taken), taken_status (the same, taken), delay (answered after `seconds`), redirect, endless,
    bomb (a body of gzip that is 1000 times as long), words (200 with a text in the body), ask_status (a question is answered so)."""

    def __init__(self, kind, at=None, bytes=None, status=500, headers=None, seconds=0, times=1, body=b"no"):
        self.kind, self.at, self.bytes, self.status = kind, at, bytes, status
        self.headers, self.seconds, self.times, self.body = headers or {}, seconds, times, body


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def text(data, at):
    n, at = varint(data, at)
    if at + n > len(data):
        raise IndexError
    return data[at : at + n], at + n


FIXED = {"UInt8": "B", "UInt16": "H", "UInt32": "I", "UInt64": "Q", "Int64": "q", "Float64": "d", "Date": "H"}


def column(data, at, kind, rows):
    if kind.startswith("Nullable("):
        null = data[at : at + rows]
        values, at = column(data, at + rows, kind[9:-1], rows)
        return [None if n else v for n, v in zip(null, values)], at
    if kind == "String":
        values = []
        for _ in range(rows):
            value, at = text(data, at)
            values.append(value)
        return values, at
    form = "<%d%s" % (rows, FIXED[kind])
    size = struct.calcsize(form)
    if at + size > len(data):
        raise IndexError
    return list(struct.unpack_from(form, data, at)), at + size


def native(data):
    """Whole blocks of the data, and whether there is nothing else: [(names, types, columns)], bool."""
    blocks, at = [], 0
    try:
        while at < len(data):
            here = at
            columns, at = varint(data, at)
            rows, at = varint(data, at)
            names, types, values = [], [], []
            for _ in range(columns):
                name, at = text(data, at)
                kind, at = text(data, at)
                cells, at = column(data, at, kind.decode(), rows)
                names.append(name.decode())
                types.append(kind.decode())
                values.append(cells)
            blocks.append((names, types, values))
    except (IndexError, struct.error):
        return blocks, False
    return blocks, True


def values_of(row):
    """The values of one row of VALUES: numbers, texts as bytes, arrays of texts, None."""
    at = 0

    def literal():
        nonlocal at
        if row[at] == "'":
            out, at = bytearray(), at + 1
            while row[at] != "'":
                if row[at] == "\\":
                    assert row[at + 1] == "x"
                    out.append(int(row[at + 2 : at + 4], 16))
                    at += 4
                else:
                    out.append(ord(row[at]))
                    at += 1
            at += 1
            return bytes(out)
        if row[at] == "[":
            out, at = [], at + 1
            while row[at] != "]":
                out.append(literal())
                at += row[at] == ","
            at += 1
            return out
        word = re.compile(r"NULL|-?\d+").match(row, at).group()
        at += len(word)
        return None if word == "NULL" else int(word)

    assert row[0] == "(" and row[-1] == ")"
    row, out = row[1:-1], []
    while at < len(row):
        out.append(literal())
        assert at == len(row) or row[at] == ","
        at += 1
    return out


class Small(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port=0, host="127.0.0.1"):
        super().__init__((host, port), Handler)
        self.host = host
        self.lock = threading.Lock()
        self.shards = None  # of its cluster, servers like this one; an address of one that does not answer is a text
        self.clear()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def clear(self):
        self.rows = {}  # table: [(names, row)], names with load first
        self.commits = []  # dictionaries, in the order in which they came
        self.late = []
        self.fault = None
        self.inserts = self.asked = self.body_bytes = 0
        self.headers = []

    @property
    def at(self):
        return "http://%s:%d/prof" % self.server_address

    def visible(self):
        """Of each id the load of its last commit."""
        last = {}
        for commit in self.commits:
            last[commit["id"]] = commit
        return last

    def gone(self):
        return [s for s in self.shards or () if isinstance(s, str)]

    def visible_everywhere(self):
        return [c for s in self.shards or (self,) for c in s.visible().values()]

    def shown(self):
        """{table: [row]} of the loads that count, a row without load and day."""
        loads = {c["load"] for c in self.visible().values()}
        shown = {}
        for table, rows in self.rows.items():
            for names, row in rows:
                if row[0] in loads:
                    shown.setdefault(table, []).append(dict(zip(names, row)))
        return shown


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def drop(self):
        # With something unread in the socket the client gets a reset.
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        raise Cut

    def answer(self, status, body, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        try:
            self.post()
        except (Cut, BrokenPipeError, ConnectionResetError, ValueError):
            self.close_connection = True

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            pass

    def post(self):
        s = self.server
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        length = int(self.headers["Content-Length"])
        with s.lock:
            s.headers.append(dict(self.headers))
        if "query" not in query:
            return self.question(self.rfile.read(length).decode(), query)
        with s.lock:
            number, before, fault = s.inserts, s.body_bytes, s.fault
            s.inserts += 1
            s.body_bytes += length
        hit = fault is not None and fault.times > 0 and (
            number >= fault.at if fault.bytes is None else before <= fault.bytes < before + length)
        if hit and fault.kind != "ask_status":
            fault.times -= 1
            return self.fail(fault, query["query"], length, fault.bytes - before if fault.bytes is not None else 0)
        self.take(query["query"], self.rfile.read(length))
        self.answer(200, b"")

    def fail(self, fault, sql, length, cut):
        if fault.kind == "cut":
            self.take(sql, self.rfile.read(cut), whole=False)
            self.drop()
        if fault.kind == "endless":
            self.rfile.read(length)
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b"x" * 65536)
        body = self.rfile.read(length)
        if fault.kind in ("lost", "taken_status", "delay"):
            self.take(sql, body)
        if fault.kind == "late":
            self.take(sql, body, late=True)
        if fault.kind in ("lost", "late", "dropped"):
            self.drop()
        time.sleep(fault.seconds)
        if fault.kind == "delay":
            return self.answer(200, b"")
        if fault.kind == "bomb":
            return self.answer(200, gzip.compress(b"\0" * 5_000_000), {"Content-Encoding": "gzip"})
        if fault.kind == "words":
            return self.answer(200, b"Code: 241, e.displayText() = DB::Exception: Memory limit\n")
        return self.answer(fault.status, fault.body, fault.headers)

    def take(self, sql, body, whole=True, late=False):
        s = self.server
        table = re.match(r"INSERT INTO `?(\w+)`? \(", sql).group(1)
        listed = re.findall(r"`([\w.]+)`", sql[sql.index("(") :])
        if table == "recording":
            if whole:
                commit = dict(zip(listed, values_of(body.decode())))
                with s.lock:
                    (s.late if late else s.commits).append(commit)
                    if not late:
                        s.commits += s.late
                        s.late = []
            return
        if self.headers.get("Content-Encoding") == "gzip":
            unzip = zlib.decompressobj(31)
            body = unzip.decompress(body)
            assert not whole or unzip.eof
        blocks, ended = native(body)
        assert ended or not whole, "a body that is no Native"
        with s.lock:
            for names, types, columns in blocks:
                assert names == listed, (table, names, listed)
                assert types[:3] == ["UInt64", "UInt32", "Date"]
                s.rows.setdefault(table, []).extend((names, row) for row in zip(*columns))

    def question(self, sql, query):
        s = self.server
        with s.lock:
            s.asked += 1
            fault = s.fault
            if fault is not None and fault.kind == "ask_status" and fault.times > 0 and (fault.at is None or fault.at == s.asked - 1):
                fault.times -= 1
                return self.answer(fault.status, fault.body, fault.headers)
            counts = re.findall(r"SELECT (\d+) AS t, count\(\) AS c FROM `(\w+)` WHERE load = (\d+)", sql)
            if sql == "SELECT version()":
                out = "18.16.1\n"
            elif sql.startswith("SELECT name, engine, engine_full FROM system.tables WHERE database = 'prof' AND "):
                out = "v_recording\tView\t\n" if s.shards is None else (
                    "shard_recording\tView\t\nv_recording\tDistributed\tDistributed(ours, prof, shard_recording)\n")
            elif s.shards is not None and query.get("skip_unavailable_shards") != "0" and sql != "SELECT version()" and "system." not in sql:
                return self.answer(500, b"Code: 36, e.displayText() = DB::Exception: half an answer would do, e.what() = DB::Exception\n")
            elif sql.startswith("SELECT arrayStringConcat(arraySort(groupUniqArray(cluster)), ', ') FROM system.clusters"):
                out = "theirs\n"
            elif sql.startswith("SELECT shard_num, replica_num, host_name, host_address FROM system.clusters WHERE cluster = 'ours' "):
                hosts = [p if isinstance(p, str) else p.host for p in s.shards]
                out = "".join("%d\t1\t%s\t%s\n" % (i + 1, h, h) for i, h in enumerate(hosts))
            elif "v_recording" in sql and s.gone():
                return self.answer(500, ("Code: 279, e.displayText() = DB::NetException: All connection tries failed. Log: \n\n"
                                         "Code: 210, e.displayText() = DB::NetException: Connection refused (%s:9000)\n\n" % s.gone()[0]).encode())
            elif re.fullmatch(r"SELECT count\(\) FROM (v_)?recording WHERE lower\(hex\(id\)\) = '[0-9a-f]{64}'", sql):
                commits = s.visible_everywhere() if "v_" in sql else s.commits
                out = "%d\n" % sum(c["id"].hex() in sql for c in commits)
            elif counts:
                assert " UNION ALL ".join("SELECT %s AS t, count() AS c FROM `%s` WHERE load = %s" % c for c in counts) == sql
                out = "".join("%s\t%d\n" % (n, sum(r[0] == int(load) for _, r in s.rows.get(table, []))) for n, table, load in counts)
            elif sql.startswith("SELECT lower(hex(id)), amount FROM v_recording WHERE schema_version = "):
                ids = set(re.findall(r"'([0-9a-f]{64})'", sql))
                options = re.search(r"options = '((?:[^'\\]|\\x..)*)'", sql).group(1)
                out = "".join("%s\t%s\n" % (c["id"].hex(), c["amount"].decode()) for c in s.visible_everywhere()
                              if c["id"].hex() in ids and c["options"].decode() == options)
            elif re.fullmatch(r"SELECT count\(\) FROM recording WHERE load = \d+", sql):
                out = "%d\n" % sum(c["load"] == int(sql.split()[-1]) for c in s.commits)
            else:
                return self.answer(500, b"Code: 62, e.displayText() = DB::Exception: Syntax error, e.what() = DB::Exception\n")
        self.answer(200, out.encode())
