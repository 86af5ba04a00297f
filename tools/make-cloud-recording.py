#!/usr/bin/env python3
"""Makes test/data/recording-cloud.tar.gz: a minute of a shop's order service, as the agent of the Cloud Profiler would record it.

usage: make-cloud-recording.py OUT.tar.gz     equal bytes each time

What happens in it, for docs/tutorial.md: the page of a customer's orders reads the lines of each order with a statement of its own. Most customers
have a few orders, one has 240. A collection of garbage hits that call as well, and one purchase waits for a lock.
"""

import gzip
import io
import struct
import sys
import tarfile

START = 1750000000000
POD = "orders-7c9d-x2x4/2025/06/15/%d" % START
SHOP = "(%s.java:%d) [app/orders.jar]"
METHODS = {
    "http": "void org.apache.catalina.core.StandardHostValve.invoke(Request,Response) (StandardHostValve.java:119) [tomcat.jar]",
    "catalog": "Page com.example.shop.CatalogController.list(int) " + SHOP % ("CatalogController", 41),
    "orders": "Page com.example.shop.OrderController.ofCustomer(long) " + SHOP % ("OrderController", 58),
    "buy": "Order com.example.shop.OrderController.create(Cart) " + SHOP % ("OrderController", 83),
    "load": "List com.example.shop.OrderRepository.load(long) " + SHOP % ("OrderRepository", 30),
    "lines": "List com.example.shop.OrderRepository.lines(Order) " + SHOP % ("OrderRepository", 47),
    "save": "void com.example.shop.OrderRepository.save(Order) " + SHOP % ("OrderRepository", 66),
    "reserve": "void com.example.shop.Inventory.reserve(Cart) " + SHOP % ("Inventory", 22),
    "query": "ResultSet org.postgresql.jdbc.PgStatement.executeQuery(String) (PgStatement.java:243) [postgresql.jar]",
    "render": "String com.example.shop.Renderer.render(Page) " + SHOP % ("Renderer", 15),
    "job": "void com.example.shop.StockReport.run() " + SHOP % ("StockReport", 12),
}
PLAIN = ("call.info common.started node.name java.thread time.cpu time.wait memory.allocated sql web.method web.url web.query job.name").split()
INDEXED = ("web.method", "web.url", "web.query", "job.name")
WORDS = PLAIN + list(METHODS.values())
ID = {w: i for i, w in enumerate(WORDS)}
CATALOG = "SELECT id, title, price FROM article ORDER BY title LIMIT 50"
ORDERS = "SELECT id, placed, state FROM orders WHERE customer = ? ORDER BY placed DESC"
LINES = "SELECT article, amount, price FROM order_line WHERE order_id = ?"
INSERT = "INSERT INTO orders (customer, placed, state) VALUES (?, now(), 'NEW')"
STOCK = "SELECT article, sum(amount) FROM stock GROUP BY article"


def varint(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    return bytes(out + bytearray([v]))


def text(s):
    raw = s.encode("utf-16-be")
    return varint(len(raw) // 2) + raw


class Pod:
    def __init__(self):
        self.trace = bytearray(struct.pack(">Q", START))
        self.sql = bytearray()
        self.statements = {}
        self.calls = []  # (end, record but for its time, start)
        self.threads = []

    def statement(self, s):
        if s not in self.statements:
            self.statements[s] = len(self.sql)
            self.sql += text(s)
        return varint(1) + varint(self.statements[s])

    def call(self, at, thread, tags, body, cpu, wait=0):
        """A root: `body` is [method, part...]; a part is ms that pass, a statement, or such a list again."""
        events = []  # (ms, bytes behind the first)
        enters = 0
        now = at

        def tag(name, kind, value):
            events.append((now, 2, varint(ID[name]) + bytes([kind]) + value))

        def leave():
            events.append((now, 1, b""))

        todo = [body]
        while todo:
            part = todo.pop()
            if part is None:
                leave()
            elif isinstance(part, int):
                now += part
            elif isinstance(part, str):
                tag("sql", 3, self.statement(part))
            else:
                events.append((now, 0, varint(ID[METHODS[part[0]]])))
                enters += 1
                for name, value in tags.items() if enters == 1 else ():
                    tag(name, 2, text(value))
                # The end of the root comes behind the tags of its call.
                todo += ([] if enters == 1 else [None]) + part[:0:-1]
        started = [("call.info", ""), ("common.started", str(START + at)), ("node.name", "orders-7c9d-x2x4"), ("java.thread", thread),
                   ("time.cpu", str(cpu))] + ([("time.wait", str(wait))] if wait else [])
        for name, value in started:
            tag(name, 0, text(value))
        leave()
        offset = len(self.trace)
        number = self.threads.index(thread) if thread in self.threads else len(self.threads)
        self.trace += struct.pack(">QQ", number + 20, START + at)
        before = 0
        for ms, kind, rest in events:
            step, before = ms - before, ms
            self.trace.append((0x80 if step >= 32 else 0) | (step & 31) << 2 | kind)
            self.trace += (varint(step >> 5) if step >= 32 else b"") + rest
        self.trace.append(3)
        name = b"" if thread in self.threads else text(thread)
        if name:
            self.threads.append(thread)
        groups = b"".join(varint(ID[n]) + varint(1) + text(v) for n, v in tags.items())
        self.calls.append((at, varint(ID[METHODS[body[0]]]) + varint(now - at) + varint(enters) + varint(number) + name + b"\0\0" +
                           varint(1) + varint(offset) + varint(0) + varint(cpu) + varint(wait) + b"\0" * 7 + varint(len(tags)) + groups))
        return now

    def streams(self):
        records, before = b"", 0
        for at, record in self.calls:
            delta, before = at - before, at
            records += varint(delta << 1 if delta >= 0 else (-delta << 1) - 1) + record
        pauses, end = struct.pack(">Q", START), 0
        for pause_end, delay in ((9400, 21), (17930, 24), (26480, 183), (41200, 26), (52750, 22)):
            pauses += varint(pause_end - end) + varint(delay)
            end = pause_end
        yield "dictionary", b"".join(text(w) for w in WORDS)
        yield "params", b"\1" + b"".join(text(n) + bytes([n in INDEXED, 0]) + varint(100) + text("") for n in PLAIN)
        yield "suspend", pauses
        yield "trace", bytes(self.trace)
        yield "calls", struct.pack(">IIQ", 0xFFFEFDFC, 4, START) + records
        yield "sql", bytes(self.sql)
        yield "xml", b""


def orders(customer, n, slow):
    """The page of a customer: one statement, and one more for each of the orders."""
    each = [["lines", 1, ["query", LINES, slow + i % 3]] for i in range(n)]
    return {"web.method": "GET", "web.url": "/orders", "web.query": "customer=%d" % customer}, \
        ["http", 1, ["orders", 2, ["load", ["query", ORDERS, 6 + n // 40], *each], ["render", 3 + n // 20]]]


def story():
    pod = Pod()
    for i in range(60):
        thread = "http-nio-8080-exec-%d" % (1 + i % 4)
        at = 1000 * i + 40
        if i == 24:
            tags, body = orders(4711, 240, 11)
            pod.call(at, "http-nio-8080-exec-5", tags, body, 412)
        elif i % 7 == 3:
            tags = {"web.method": "POST", "web.url": "/orders"}
            wait = 870 if i == 38 else 0
            pod.call(at, thread, tags, ["http", 1, ["buy", 3, ["reserve", 4 + wait], ["save", 1, ["query", INSERT, 9]]]], 11, wait)
        elif i % 3 == 0:
            tags, body = orders(1000 + 37 * i, 2 + i % 9, 7)
            pod.call(at, thread, tags, body, 20 + i % 9)
        else:
            tags = {"web.method": "GET", "web.url": "/catalog", "web.query": "page=%d" % (i % 5)}
            pod.call(at, thread, tags, ["http", 1, ["catalog", ["query", CATALOG, 14 + i % 11], ["render", 5 + i % 4]]], 8)
    pod.call(45010, "scheduler-1", {"job.name": "stock-report"}, ["job", 5, ["query", STOCK, 940], 210], 214)
    return pod


def main():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for stream, data in story().streams():
            packed = gzip.compress(data, 9, mtime=0)
            info = tarfile.TarInfo("%s/%s/000001.gz" % (POD, stream))
            info.size, info.mtime, info.mode = len(packed), START // 1000, 0o644
            tar.addfile(info, io.BytesIO(packed))
    with open(sys.argv[1], "wb") as f:
        f.write(gzip.compress(out.getvalue(), 9, mtime=0))


main()
