#!/usr/bin/env python3
"""The rows that a trace of the TPTP profiler gives, made from the events of tptp.py, and their comparison with a database of one input.

Times are ns. What is referred to is a row of the definition in force: here as texts, so that numbers of rows need not agree, except those
of invocations, allocations, waits, dumps and aggregates, whose order is the order of the file.

usage: tptp_rows.py DATABASE INPUT     cell by cell
       tptp_rows.py DATABASE DATABASE  two databases of the two forms of one trace
"""

import collections
import sqlite3
import sys

import tptp


def either(values, *names):
    """The first that says something: static ids before transient ones."""
    for name in names:
        if values.get(name):
            return values[name]
    return None


def dotted(name):
    return name.replace("/", ".") if name else None


class Model:
    """The rows of a session."""

    def __init__(self, number, out, notes):
        self.n = number
        self.notes = notes
        self.out = out
        self.threads = {}  # by id: the newest
        self.classes = {}
        self.methods = {}
        self.objects = {}  # live allocations by id, newest last
        self.starts = []  # collections that are open
        self.waits = {}
        self.dumps = {}
        self.dump = None
        self.trees = {}
        self.times = None  # the first and the last
        self.xml = False

    def row(self, table, *cells):
        self.out[table].append((self.n,) + cells)
        return len(self.out[table])

    def known(self, table, i):
        """A text id, where it is defined."""
        return i if any(row[0] == self.n and row[1] == i for row in self.out[table]) else None

    # Definitions.

    def thread(self, i):
        if not i:
            return None
        if i not in self.threads:
            self.threads[i] = Thread(i, None)
            self.out["threads"].append(self.threads[i])
            self.threads[i].session = self.n
        return self.threads[i]

    def tid(self, values, *names):
        t = self.thread(either(values, *(names or ("threadIdRef", "transientThreadIdRef"))))
        return t.name_of() if t else None

    def class_name(self, i):
        if not i:
            return None
        if i not in self.classes:
            self.classes[i] = dict(name="class#%d" % i)
            self.row("classes", i, "class#%d" % i, None, None, None, None, None, None, None, None, None, None, None, None, None, 0)
        return self.classes[i]["name"]

    def method(self, i):
        """What is said of a method: (id, name, class, package, signature, file, line, modifiers)."""
        if not i:
            return None
        if i not in self.methods:
            self.methods[i] = (i, "method#%d" % i) + (None,) * 6
            self.row("methods", *self.methods[i])
        return self.methods[i]

    def method_name(self, i):
        """Id, class and name, for a name is not enough to tell methods apart."""
        m = self.method(i)
        return None if m is None else "%d:%s.%s" % (m[0], m[2] or "", m[1])

    # Events, in their order.

    def on_node(self, v):
        self.row("nodes", v.get("nodeId"), v.get("hostname"), v.get("ipaddress"), v.get("timezone"), v["time"])

    def on_processCreate(self, v):
        self.row("processes", v.get("processId"), self.known("nodes", v.get("nodeIdRef")), v.get("pid"), v.get("name"), v.get("exe"), v["time"])

    def on_agentCreate(self, v):
        self.row("agents", v.get("agentId"), self.known("processes", v.get("processIdRef")), v.get("agentName"), v.get("agentType"), v.get("agentParameters"),
                 v.get("version"), v["time"])

    def on_traceStart(self, v):
        self.row("traces", v.get("traceId"), self.known("agents", v.get("agentIdRef")), v["time"])

    def on_filter(self, v):
        self.row("filters", v.get("pattern"), v.get("genericPattern"), v.get("mode"), v.get("methodPattern"),
                 v.get("methodGenericPattern"), v.get("methodMode"))

    def on_option(self, v):
        self.row("options", v.get("key"), v.get("value"))

    def on_threadStart(self, v):
        i = either(v, "threadId", "transientThreadId")
        t = Thread(i, v.get("threadName"))
        t.session = self.n
        t.start, t.group, t.defined = v["time"], v.get("groupName"), True
        self.threads[i] = t
        self.out["threads"].append(t)
        self.row("thread starts", i, v.get("parentName"), either(v, "objIdRef", "transientObjIdRef"))

    def on_threadEnd(self, v):
        t = self.thread(either(v, "threadIdRef", "transientThreadIdRef"))
        if t is not None:
            t.end = v["time"]
            t.close_all(3)
            t.decide()

    def on_classDef(self, v):
        i = either(v, "classId", "transientClassId")
        name = dotted(v.get("name"))
        package = name.rpartition(".")[0] or None if name else None
        self.classes[i] = dict(name=name, package=package, file=v.get("sourceName"))
        self.row("classes", i, name, package, v.get("sourceName"), v.get("classLoader"), dotted(v.get("superclass")),
                 v.get("interfaceNames"), v.get("numInterfaces"), v.get("access"), v.get("numStaticFields"), v.get("numInstanceFields"),
                 v.get("numMethods"), either(v, "objIdRef", "transientObjIdRef"), self.tid(v), v["time"], 1)

    def on_methodDef(self, v):
        i = v.get("methodId")
        name = {"-init-": "<init>", "-clinit-": "<clinit>"}.get(v.get("name"), v.get("name"))
        owner = either(v, "classIdRef", "transientClassIdRef")
        full = self.class_name(owner) or ""
        of = self.classes.get(owner, {})
        modifiers = [word for flag, word in (("isAbstract", "abstract"), ("isStatic", "static"), ("isSynchronized", "synchronized"),
                                             ("isNative", "native")) if v.get(flag)]
        package = of.get("package")
        method = (i, name, (full[len(package) + 1:] if package else full) or None, package, v.get("signature"), of.get("file"),
                  v.get("startLineNumber"), " ".join(modifiers) or None)
        if i and self.methods.get(i) != method:  # what is defined again as it was is no other method
            self.row("methods", *method)
        self.methods[i] = method
        self.row("method details", full or None, v.get("endLineNumber"), v.get("exceptions"), v.get("signatureNotation"))

    def on_methodEntry(self, v):
        t = self.thread(either(v, "threadIdRef", "transientThreadIdRef")) or self.nobody()
        t.enter(self, v)

    def on_methodExit(self, v):
        t = self.thread(either(v, "threadIdRef", "transientThreadIdRef")) or self.nobody()
        t.leave(self, v)

    def nobody(self):
        if 0 not in self.threads:
            self.threads[0] = Thread(None, None)
            self.threads[0].session = self.n
        return self.threads[0]

    def innermost(self, v):
        t = self.threads.get(either(v, "threadIdRef", "transientThreadIdRef") or 0)
        return t.stack[-1].number if t and t.stack else None

    def on_objAlloc(self, v):
        i = either(v, "objId", "transientObjId")
        owner = self.class_name(either(v, "classIdRef", "transientClassIdRef"))
        thread = self.tid(v)
        n = self.row("allocations", thread, v["time"], i, owner, v.get("size"), v.get("isArray", 0),
                     self.method_name(v.get("methodIdRef")), v.get("line"), self.innermost(v), v.get("contextData"))
        if i:
            self.objects.setdefault(i, []).append((n, owner))

    def on_objFree(self, v):
        i = either(v, "objIdRef", "transientObjIdRef")
        live = self.objects.get(i)
        self.row("frees", live.pop()[0] if live else None, i, self.tid(v), v["time"], v.get("objAge", 0))

    def on_gcStart(self, v):
        n = self.row("pauses", self.tid(v), v["time"], None, None, None, None, 1)
        self.starts.append((n, v["time"]))

    def on_gcFinish(self, v):
        figures = v.get("usedObjSpace"), v.get("totalObjSpace"), v.get("usedObjects")
        if not self.starts:
            self.row("pauses", self.tid(v), v["time"], None, *figures, 2)
            return
        n, start = self.starts.pop(0)
        old = self.out["pauses"][n - 1]
        self.out["pauses"][n - 1] = old[:3] + (span(start, v["time"]),) + figures + (0,)

    def wait(self, kind, v):
        i = either(v, "threadIdRef")
        o = v.get("objIdRef")
        live = self.objects.get(o)
        slice_id = self.innermost(v)
        n = self.row("waits", kind, self.tid(v, "threadIdRef"), o, live[-1][1] if live else None, self.tid(v, "threadOwner"),
                     v["timeout"] * 10**6 if v.get("timeout") else None, v["time"], None, self.path(v), slice_id, 1)
        self.waits.setdefault((kind, i, o), []).append((n, v["time"]))
        self.frames(n, "begin", v)

    def wait_end(self, kind, v):
        i = either(v, "threadIdRef")
        o = v.get("objIdRef")
        begun = self.waits.get((kind, i, o))
        if not begun:
            live = self.objects.get(o)
            n = self.row("waits", kind, self.tid(v, "threadIdRef"), o, live[-1][1] if live else None, None,
                         v["timeout"] * 10**6 if v.get("timeout") else None, v["time"], None, self.path(v), self.innermost(v), 2)
        else:
            n, start = begun.pop()
            old = self.out["waits"][n - 1]
            self.out["waits"][n - 1] = old[:8] + (span(start, v["time"]),) + old[9:11] + (0,)
        self.frames(n, "end", v)

    @staticmethod
    def path(v):
        """Outermost first, with lines."""
        frames = list(zip(v.get("stackMethods", []), v.get("stackLines", [])))
        return ";".join("%s:%s" % (m, n or "") for m, n in reversed(frames)) or None

    def frames(self, n, phase, v):
        lines = v.get("stackLines", [])
        for i, method in enumerate(v.get("stackMethods", [])):
            self.row("frames", n, phase, i, method or None, (lines[i] if i < len(lines) else 0) or None)

    def on_monWait(self, v):
        self.wait("wait", v)

    def on_monWaited(self, v):
        self.wait_end("wait", v)

    def on_monContendedEnter(self, v):
        self.wait("contended", v)

    def on_monContendedEntered(self, v):
        self.wait_end("contended", v)

    def on_agMethodEntry(self, v):
        tree = self.trees.setdefault(v.get("threadIdRef"), [])
        n = self.row("aggregates", tree[-1][0] if tree else None, self.tid(v, "threadIdRef"), self.method_name(v.get("methodIdRef")),
                     len(tree), *(v.get(k, 0) for k in ("baseTime", "minTime", "maxTime", "baseCPUTime", "numCalls")))
        tree.append((n, v.get("methodIdRef")))

    def on_agMethodExit(self, v):
        tree = self.trees.get(v.get("threadIdRef"), [])
        for i in range(len(tree) - 1, -1, -1):
            if tree[i][1] == v.get("methodIdRef"):
                del tree[i:]
                break

    def on_heapDumpDef(self, v):
        n = self.row("dumps", v.get("heapDumpId"), v.get("name"), v["time"], v.get("basetime"))
        self.dump = n
        self.dumps[v.get("heapDumpId")] = n

    def on_gcRoot(self, v):
        self.row("roots", self.dump, v.get("objIdRef"), self.class_name(v.get("classIdRef")), v.get("type"))

    def on_objReference(self, v):
        dump = v.get("heapDumpIdRef")
        self.row("references", self.dumps.get(dump) if dump else self.dump, v.get("srcIdRef"), v.get("targIdRef"))

    def on_customData(self, v):
        self.row("custom", v.get("body"))

    def on_other(self, name, v):
        ref = v.get("agentIdRef") or (v.get("traceIdRef") if name == "traceEnd" else None)
        self.row("events", name, self.tid(v), v.get("time"), ref)

    def on_extra(self, name, v):
        v = dict(v)
        thread = tptp.integer(v.pop("threadIdRef", "0"))
        time = v.pop("time", None)
        self.row("events", name, self.tid({"threadIdRef": thread}), tptp.seconds(time) if time else None, None)
        n = len(self.out["events"])
        for key, value in v.items():
            self.row("event values", n, key, value)

    def on_undescribed(self, name, v):
        """Thread and time are believed when there is such a thread, and when it is between the first time and an hour behind the last."""
        t = self.threads.get(v.get("thread"))
        fits = t is not None and t.defined and self.times and self.times[0] <= v["when"] <= self.times[1] + 3600 * 10**9
        self.row("events", name, t.name_of() if fits else None, v["when"] if fits else None, None)
        n = len(self.out["events"])
        self.row("event values", n, "size", str(v["size"]))
        self.row("event values", n, "bytes", v["bytes"])
        self.time(v["when"] if fits else None)

    def time(self, t):
        if t is not None:
            self.times = (min(t, self.times[0]), max(t, self.times[1])) if self.times else (t, t)

    def finish(self):
        for t in self.threads.values():
            t.close_all(1)
            t.decide()


def span(start, end):
    return None if start is None or end is None else max(0, end - start)


class Call:
    def __init__(self, number, method, ticket, raw, start, cpu, since):
        self.number, self.method, self.ticket, self.raw, self.start = number, method, ticket, raw, start
        self.entry_cpu = cpu
        self.before = since  # the last CPU time that was seen before it
        self.exit_cpu = None
        self.children = 0


class Thread:
    def __init__(self, tid, name):
        self.tid, self.name = tid, name
        self.defined = False
        self.start = self.end = self.group = None
        self.stack = []
        self.ended = []  # calls with CPU times
        self.cpu = None
        self.zeros = False  # entries have 0 where no CPU time was recorded: a clock never returns to it
        self.last = None  # time of the last event
        self.ticket = 0  # the greatest of an entry

    def name_of(self):
        return "%s:%s" % (self.tid, self.name or "")

    def row(self):
        return (self.session, self.tid, self.name, self.start, self.end, self.group)

    def enter(self, model, v):
        if v.get("ticket") and any(c.ticket == v["ticket"] for c in self.stack):
            model.notes["doubled"] += 1  # tickets are unique: a piece of the trace stands there twice
        # What is recorded as deep as this, or deeper, has ended: its exit is missing.
        level = depth = v.get("stackDepth") or 0
        while depth and self.stack and (self.stack[-1].details[5] or 0) >= depth:
            level = self.stack[-1].details[5]
            self.close(None, 2)
        model.notes["order"] += level != depth
        method = model.method_name(v.get("methodIdRef"))
        parent = self.stack[-1].number if self.stack else None
        out = model.out["slices"]
        cpu = v.get("threadCpuTime")
        out.append([model.n, self.name_of() if self.tid else None, parent, method, v["time"], None, None, None, len(self.stack), 1])
        # Tickets rise.
        model.notes["order"] += bool(
            v.get("ticket") and self.ticket and v["ticket"] <= self.ticket and v["time"] is not None and self.last is not None and
            v["time"] < self.last or not v.get("ticket") and self.ticket)
        self.ticket = max(self.ticket, v.get("ticket") or 0)
        self.last = self.last if v["time"] is None else v["time"]
        cpu = cpu if cpu or model.xml else None  # binary traces have no other way to say that there is none
        if cpu == 0 and self.cpu:
            self.zeros, cpu = True, None
        call = Call(len(out), out[-1], v.get("ticket"), v.get("methodIdRef"), v["time"], cpu, self.cpu)
        self.cpu = cpu or self.cpu
        call.details = [model.n, len(out), either(v, "objIdRef", "transientObjIdRef"),
                        model.class_name(either(v, "classIdRef", "transientClassIdRef")), v.get("ticket"), v.get("stackDepth"),
                        v.get("sequenceCounter"), None, None]
        model.out["invocations"].append(call.details)
        self.stack.append(call)

    def leave(self, model, v):
        ticket = v.get("ticket")
        earlier = v["time"] is not None and self.last is not None and v["time"] < self.last
        self.last = self.last if v["time"] is None else v["time"]
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i].ticket == ticket if ticket else self.stack[i].raw == v.get("methodIdRef"):
                break
        else:
            self.cpu = v.get("threadCpuTime") or self.cpu
            model.notes["order"] += 1  # its entry is missing
            return
        model.notes["order"] += earlier and len(self.stack) - 1 > i or not ticket and self.ticket != 0
        while len(self.stack) - 1 > i:
            self.close(v["time"], 2)
        call = self.stack[-1]
        call.exit_cpu = v.get("threadCpuTime")
        if call.exit_cpu:
            self.ended.append(call)
        self.cpu = call.exit_cpu or self.cpu
        call.details[7] = v.get("sequenceCounter")
        call.details[8] = v.get("overhead")
        self.close(v["time"], 0)

    def close(self, time, state):
        call = self.stack.pop()
        out = call.method  # the row
        dur = None if time is None else span(call.start, time)
        out[5] = dur
        out[6] = None if dur is None or call.children is None else max(0, dur - call.children)
        out[9] = state
        if self.stack:
            above = self.stack[-1]
            above.children = None if dur is None or above.children is None else above.children + dur

    def close_all(self, state):
        while self.stack:
            self.close(None, state)

    def decide(self):
        """CPU times: differences where both ends have one; else a clock, unless it falls."""
        for c in self.ended:
            c.entry_cpu = None if c.entry_cpu == 0 and self.zeros else c.entry_cpu
        only = [c.exit_cpu for c in self.ended if c.entry_cpu is None]
        clock = all(a <= b for a, b in zip(only, only[1:]))
        for c in self.ended:
            if c.entry_cpu is not None:
                c.method[7] = max(0, c.exit_cpu - c.entry_cpu)
            elif not clock:
                c.method[7] = c.exit_cpu
            elif c.before is not None:
                c.method[7] = c.exit_cpu - c.before
        self.ended = []


def tables(sessions):
    """Rows of each table by its name; the first cell is the number of the session."""
    out = collections.defaultdict(list)
    for number, s in enumerate(sessions, 1):
        m = Model(number, out, s.notes)
        m.xml = "xml_root" in s.facts
        for name, values in s.events:
            if name in tptp.OTHERS:
                m.on_extra(name, values)
                continue
            if name.startswith("message "):
                m.on_undescribed(name, values)
                continue
            values.setdefault("time", None)
            m.time(values["time"])
            handler = getattr(m, "on_" + name, None)
            if handler:
                handler(values)
            else:
                m.on_other(name, values)
        m.finish()
    out["threads"] = [t.row() for t in out["threads"]]
    return {name: [tuple(row) for row in rows] for name, rows in out.items()}


# --- the database ---------------------------------------------------------------------------------

N = "(SELECT count(*) FROM source s0 WHERE s0.kind = 'session' AND s0.id <= x.source_id)"
T = "(SELECT t.tid || ':' || ifnull(t.name, '') FROM thread t WHERE t.itid = x.%s)"
METHOD = "m.raw_id || ':' || ifnull(m.class, '') || '.' || m.name"
M = "(SELECT %s FROM stack_method m WHERE m.id = x.method_id)" % METHOD
C = "(SELECT c.name FROM tptp_class c WHERE c.id = x.class_id)"
PATH = ("(WITH RECURSIVE p(id, up, text, depth) AS (SELECT n.id, n.parent_id, ifnull(m.package || '.', '') || ifnull(m.class || '.', '') || "
        "m.name || ':' || ifnull(n.line, ''), 0 FROM stack_node n JOIN stack_method m ON m.id = n.method_id WHERE n.id = x.node_id "
        "UNION ALL SELECT n.id, n.parent_id, ifnull(m.package || '.', '') || ifnull(m.class || '.', '') || m.name || ':' || "
        "ifnull(n.line, ''), p.depth + 1 FROM p JOIN stack_node n ON n.id = p.up JOIN stack_method m ON m.id = n.method_id) "
        "SELECT group_concat(text, ';') FROM (SELECT text FROM p ORDER BY depth DESC))")
SQL = {
    "nodes": "SELECT %s, node_id, hostname, ip_address, timezone, ts FROM tptp_node x ORDER BY id" % N,
    "processes": "SELECT %s, process_id, (SELECT n.node_id FROM tptp_node n WHERE n.id = x.node_id), pid, name, executable, ts "
                 "FROM tptp_process x ORDER BY id" % N,
    "agents": "SELECT %s, agent_id, (SELECT p.process_id FROM tptp_process p WHERE p.id = x.process_id), name, type, parameters, version, "
              "ts FROM tptp_agent x ORDER BY id" % N,
    "traces": "SELECT %s, trace_id, (SELECT a.agent_id FROM tptp_agent a WHERE a.id = x.agent_id), ts FROM tptp_trace x ORDER BY id" % N,
    "filters": "SELECT %s, pattern, generic_pattern, mode, method_pattern, method_generic_pattern, method_mode FROM tptp_filter x "
               "ORDER BY id" % N,
    "options": "SELECT %s, key, value FROM tptp_option x ORDER BY id" % N,
    "threads": "SELECT (SELECT count(*) FROM source s0 WHERE s0.kind = 'session' AND s0.id <= d.source_id), t.tid, t.name, t.start_ts, "
               "t.end_ts, d.group_name FROM thread t JOIN thread_detail d ON d.itid = t.itid WHERE t.itid > 0 ORDER BY t.itid",
    "thread starts": "SELECT %s, thread_id, parent_name, object_id FROM tptp_thread x ORDER BY id" % N,
    "classes": "SELECT %s, class_id, name, package, source_name, class_loader, superclass, interface_names, interfaces, access, "
               "static_fields, instance_fields, methods, object_id, %s, ts, defined FROM tptp_class x ORDER BY id" % (N, T % "itid"),
    "methods": "SELECT %s, raw_id, name, class, package, signature, file, line, modifiers FROM stack_method x WHERE raw_id IS NOT NULL "
               "ORDER BY id" % N,
    "method details": "SELECT %s, %s, end_line, exceptions, signature_notation FROM tptp_method x ORDER BY id" % (N, C),
    "slices": "SELECT %s, %s, parent_id, (SELECT %s FROM stack_node n JOIN stack_method m ON m.id = n.method_id WHERE n.id = "
              "x.node_id), ts, dur, self_dur, cpu_dur, depth, state FROM stack_slice x ORDER BY id" % (N, T % "itid", METHOD),
    "invocations": "SELECT %s, slice_id, object_id, %s, ticket, stack_depth, sequence, exit_sequence, overhead FROM tptp_invocation x "
                   "ORDER BY slice_id" % (N, C),
    "allocations": "SELECT %s, %s, ts, object_id, %s, size, is_array, %s, line, slice_id, context FROM tptp_allocation x ORDER BY id" %
                   (N, T % "itid", C, M),
    "frees": "SELECT %s, allocation_id, object_id, %s, ts, age FROM tptp_free x ORDER BY id" % (N, T % "itid"),
    "pauses": "SELECT %s, %s, ts, dur, bytes_after, bytes_total, objects_after, state FROM runtime_pause x ORDER BY id" % (N, T % "itid"),
    "waits": "SELECT %s, kind, %s, object_id, class, %s, timeout, ts, dur, %s, slice_id, state FROM lock_wait x ORDER BY id" %
             (N, T % "itid", T % "owner_itid", PATH),
    "frames": "SELECT (SELECT %s FROM lock_wait x WHERE x.id = f.lock_wait_id), lock_wait_id, phase, level, method, line FROM "
              "tptp_monitor_frame f ORDER BY rowid" % N,
    "aggregates": "SELECT %s, parent_id, %s, %s, depth, base_dur, min_dur, max_dur, base_cpu_dur, calls FROM tptp_aggregate x ORDER BY id" %
                  (N, T % "itid", M),
    "dumps": "SELECT %s, dump_id, name, ts, base_time FROM tptp_heap_dump x ORDER BY id" % N,
    "roots": "SELECT %s, heap_dump_id, object_id, %s, type FROM tptp_gc_root x ORDER BY rowid" % (N, C),
    "references": "SELECT %s, heap_dump_id, from_object_id, to_object_id FROM tptp_reference x ORDER BY rowid" % N,
    "custom": "SELECT %s, body FROM tptp_custom x ORDER BY id" % N,
    "events": "SELECT %s, kind, %s, ts, ref FROM tptp_event x ORDER BY id" % (N, T % "itid"),
    "event values": "SELECT (SELECT %s FROM tptp_event x WHERE x.id = v.event_id), event_id, key, value FROM tptp_event_value v "
                    "ORDER BY rowid" % N,
}


def database(path):
    con = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    found = {name: con.execute(sql).fetchall() for name, sql in SQL.items()}
    con.close()
    return found


def same(a, b, doubtful):
    """Equal rows; behind a gap a cell may be NULL in either."""
    return a == b or doubtful and all(x == y or x is None or y is None for x, y in zip(a, b))


def compare(got, want, show=3, doubtful=False):
    """Lines that say what differs."""
    wrong = []
    for name in SQL:
        ours, theirs = want.get(name, []), got.get(name, [])
        if len(ours) != len(theirs):
            wrong.append("%s: want %d rows, got %d" % (name, len(ours), len(theirs)))
        bad = [(i, a, b) for i, (a, b) in enumerate(zip(ours, theirs)) if not same(a, b, doubtful)]
        if bad:
            wrong.append("%s: %d rows differ" % (name, len(bad)))
        for i, a, b in bad[:show]:
            wrong.append("  %s %d: want %r\n  %s %d: got  %r" % (name, i + 1, a, name, i + 1, b))
    return wrong


def main():
    with open(sys.argv[2], "rb") as f:
        data = f.read()
    if data[:6] == b"SQLite":
        want, doubtful = database(sys.argv[2]), False
    else:
        found = tptp.sessions(data)
        want = tables(found)
        doubtful = tptp.has_gap(found)
    wrong = compare(database(sys.argv[1]), want, doubtful=doubtful)
    print("\n".join(wrong) or "equal: %d rows" % sum(map(len, want.values())))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
