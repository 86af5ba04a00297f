"""Views and questions of TPTP traces: from the rows that test/check/tptp_rows.py makes of the trace itself."""

import collections

import stacks
import tptp
import tptp_rows


class Trace:
    """Rows of the trace, and the numbers that the database gives to sessions, threads, methods and classes."""

    def __init__(self, j, path):
        with open(path, "rb") as f:
            self.sessions = tptp.sessions(f.read())
        self.rows = collections.defaultdict(list, tptp_rows.tables(self.sessions))
        self.sources = dict(enumerate((r[0] for r in j.rows("SELECT id FROM source WHERE kind = 'session' ORDER BY id")), 1))
        self.itids = {(source, "%s:%s" % (tid, name or "")): itid for itid, tid, name, source in j.rows(
            "SELECT t.itid, t.tid, t.name, d.source_id FROM thread t JOIN thread_detail d ON d.itid = t.itid WHERE t.itid > 0")}
        self.classes = {(r[0], r[2]): i for i, r in enumerate(self.rows["classes"], 1)}
        numbers = [r[0] for r in j.rows("SELECT id FROM stack_method WHERE raw_id IS NOT NULL ORDER BY id")]
        self.methods = {(r[0], "%d:%s.%s" % (r[1], r[3] or "", r[2])): n for n, r in zip(numbers, self.rows["methods"])}
        self.freed = {r[1]: r for r in self.rows["frees"] if r[1]}

    def itid(self, session, thread):
        return self.itids[self.sources[session], thread] if thread else None

    @staticmethod
    def method(text):
        """As METHOD_NAME of the views has it: class without its package, and name."""
        return None if text is None else text.partition(":")[2].lstrip(".")

    @staticmethod
    def name(thread):
        return thread.partition(":")[2] or None if thread else None


def inner(path):
    """(method, line) of the innermost frame; names are without packages."""
    if path is None:
        return None, None
    method, _, line = path.split(";")[-1].rpartition(":")
    return ".".join(method.split(".")[-2:]), int(line) if line else None


def check_views(j, t):
    itid = t.itid
    source = t.sources
    j.some("v_pause", "source_id kind ts dur itid bytes_before bytes_after objects_before objects_after name cause",
           [(source[s], "gc", ts, dur, itid(s, thread), None, used, None, objects, None, None)
            for s, thread, ts, dur, used, total, objects, state in t.rows["pauses"]])
    j.some("v_lock_wait", "id source_id kind itid thread object_id class owner_itid owner timeout ts dur method line slice_id state",
           [(i, source[s], kind, itid(s, thread), t.name(thread), o, cls, itid(s, owner), t.name(owner), timeout, ts, dur, *inner(path), slice_id,
             state) for i, (s, kind, thread, o, cls, owner, timeout, ts, dur, path, slice_id, state) in enumerate(t.rows["waits"], 1)])
    j.view("v_tptp_allocation", "id source_id itid ts object_id class_id class size is_array method_id method line slice_id freed free_ts age",
           [(i, source[s], itid(s, thread), ts, o, t.classes.get((s, cls)), cls, size, array, t.methods.get((s, method)), t.method(method), line,
             slice_id, int(i in t.freed), *((t.freed[i][4], t.freed[i][5]) if i in t.freed else (None, None)))
            for i, (s, thread, ts, o, cls, size, array, method, line, slice_id, context) in enumerate(t.rows["allocations"], 1)])
    details = {r[1]: r for r in t.rows["invocations"]}
    j.view("v_tptp_invocation", "slice_id source_id itid thread parent_id method ts dur self_dur cpu_dur depth state object_id class ticket "
           "stack_depth sequence exit_sequence overhead",
           [(i, source[s], itid(s, thread), t.name(thread), parent, t.method(method), ts, dur, own, cpu, depth, state, *details[i][2:])
            for i, (s, thread, parent, method, ts, dur, own, cpu, depth, state) in enumerate(t.rows["slices"], 1)])
    ends = {(s, kind): ts for s, kind, thread, ts, ref in t.rows["events"]}
    j.view("v_tptp_trace", "id source_id trace_id ts end_ts agent type version agent_end_ts pid process hostname",
           [(i, source[s], trace, ts, ends.get((s, "traceEnd")), ("Java Profiling Agent", "org.eclipse.tptp.jvmti")[s % 2],
             "Profiler", "1.000", ends.get((s, "agentDestroy")), 4710 + s, ("batch", "app")[s % 2], "host%d.example.com" % (s - 1)) for i, (s, trace, agent, ts) in enumerate(t.rows["traces"], 1)])


def ask_waits(j, t):
    groups = collections.defaultdict(list)
    for s, kind, thread, o, cls, owner, timeout, ts, dur, path, slice_id, state in t.rows["waits"]:
        groups[s, kind, thread, o, cls, owner].append(dur or 0)
    for kind in (None, "wait", "contended"):
        for session in (None, 1):
            rows = [(k, t.name(thread), o, cls, t.name(owner), len(d), sum(d)) for (s, k, thread, o, cls, owner), d in groups.items()
                    if kind in (None, k) and session in (None, s)]
            params = {"kind": kind, "source": session and t.sources[session], "limit": 10000}
            j.ask("lock_waits", "kind thread object_id class owner count dur", rows, ordered=False, **params)


def ask_pauses(j, t):
    span = {s: (start, end) for s, start, end in j.rows("SELECT id, start_ts, end_ts FROM source WHERE kind = 'session'")}
    rows = []
    for s, source in t.sources.items():
        durs = [r[3] for r in t.rows["pauses"] if r[0] == s]
        times = [v for r in t.rows["slices"] if r[0] == s for v in (r[4], r[4] + (r[5] or 0))]
        j.same("session %d begins before its calls and ends behind them" % s, span[source][0] <= min(times) and span[source][1] >= max(times), True)
        rows.append((source, "gc", len(durs), sum(durs), max(durs), sum(durs) / (span[source][1] - span[source][0])))
    j.ask("pause_share", "source_id kind count dur longest share", rows, close=("share",))
    j.ask("pause_share", "source_id kind count dur longest share", rows[:1], close=("share",), source=t.sources[1])


def ask_longest(j, t, **params):
    rows = [(t.sources[s], "gc", None, None, ts, dur, None, used) for s, thread, ts, dur, used, total, objects, state in t.rows["pauses"]
            if params.get("source") in (None, t.sources[s])]
    rows.sort(key=lambda x: (stacks.down(x[5]), x[4], x[0]))
    j.ask("longest_pauses", "source_id kind name cause ts dur bytes_before bytes_after", rows[:params.get("limit", 20)], **params)


def ask_tree(j, t):
    slices = t.rows["slices"]
    children = collections.defaultdict(list)
    for i, r in enumerate(slices, 1):
        children[r[2]].append(i)
    top = max(children[None], key=lambda i: len(children[i]))
    for depth in (0, 1, 4, 50):
        rows = []
        level = [top]
        for n in range(depth + 1):
            rows += [(n, i, t.method(slices[i - 1][3]), slices[i - 1][4], slices[i - 1][5], slices[i - 1][6],
                      slices[i - 1][9]) for i in level]
            level = [c for i in level for c in children[i]]
        j.ask("slice_call_tree", "level slice_id method ts dur self state", sorted(rows, key=lambda r: r[1]), slice=top, depth=depth, limit=10**6)


def ask_calls(j, t):
    slices = t.rows["slices"]
    rows = [(None, i, r[4], r[5], r[7], None, None, t.name(r[1]), t.method(r[3]), t.method(r[3]))
            for i, r in enumerate(slices, 1) if r[2] is None]
    columns = "call_id slice_id ts dur cpu_dur wait_dur suspend_dur thread method title"
    j.ask("slow_calls", columns, sorted(rows, key=lambda x: (stacks.down(x[3]), x[1]))[:20])
    j.ask("slow_calls", columns, sorted(rows, key=lambda x: (stacks.down(x[4]), x[1])), weight="cpu", limit=10**6)
    of = j.rows(stacks.SLICES)
    roots = sorted((x for x in of if x[1] is None), key=lambda x: (stacks.down(x[2]), x[0]))
    stacks.ask_call_trees(j, of, roots[0][0], {})
    for n, x in enumerate(sorted(of, key=lambda x: -(x[2] or 0))[1:4]):
        stacks.ask_call_trees(j, of, x[0], {"slice": x[0]}, depth=n)


def ask_objects(j, t):
    sites = collections.defaultdict(list)
    for i, r in enumerate(t.rows["allocations"], 1):
        sites[t.method(r[7]), r[8], r[4]].append((r[5], i not in t.freed))
    rows = [(*k, len(v), sum(size for size, _ in v), sum(live for _, live in v)) for k, v in sites.items()]
    j.ask("tptp_allocation_sites", "method line class count bytes live", rows, ordered=False, limit=10**6)
    sites = collections.defaultdict(list)
    for i, r in enumerate(t.rows["allocations"], 1):
        if r[0] == 1:
            sites[t.method(r[7]), r[8], r[4]].append((r[5], i not in t.freed))
    rows = [(*k, len(v), sum(size for size, _ in v), sum(live for _, live in v)) for k, v in sites.items()]
    j.ask("tptp_allocation_sites", "method line class count bytes live", rows, ordered=False, limit=10**6, source=t.sources[1])
    times = [r[2] for r in t.rows["allocations"]]
    for at in (None, times[len(times) // 2]):
        for session in (None, 1):
            classes = collections.defaultdict(lambda: [0, 0, 0])
            for i, r in enumerate(t.rows["allocations"], 1):
                if session not in (None, r[0]) or at is not None and r[2] > at:
                    continue
                live = i not in t.freed or at is not None and t.freed[i][4] > at
                c = classes[r[4]]
                c[0] += live
                c[1] += r[5] * live
                c[2] += 1
            rows = [(name, live, size, n, n - live) for name, (live, size, n) in classes.items() if live]
            rows.sort(key=lambda r: (-r[2], r[0]))
            j.ask("tptp_live_objects", "class objects bytes allocated freed", rows, at=at, source=session and t.sources[session], limit=10**6)
    j.same("what leaks is on top", rows[0][0], "com.example.app.LeakedSession")


def pattern(mode, kind, text):
    star = {"PREFIX": "%s*", "SUFFIX": "*%s"}.get(kind)
    return "%s %s" % (mode or "", star % (text or "") if star else text or "*")


def ask_filters(j, t):
    rows = [(t.sources[s], "filter", pattern(mode, kind, text), pattern(mmode, mkind, mtext), i)
            for i, (s, text, kind, mode, mtext, mkind, mmode) in enumerate(t.rows["filters"], 1)]
    rows += [(t.sources[s], "option", key, value, i) for i, (s, key, value) in enumerate(t.rows["options"], 1)]
    rows.sort(key=lambda r: (r[0], r[1], r[4]))
    j.ask("tptp_filters", "source_id kind classes methods id", rows)
    j.ask("tptp_filters", "source_id kind classes methods id", [r for r in rows if r[0] == t.sources[1]], source=t.sources[1])


def ask_references(j, t):
    refs = [(r[2], r[3]) for r in t.rows["references"] if r[1] == 2]
    roots = {r[2]: r[4] for r in t.rows["roots"] if r[1] == 2}
    session = next(r[0] for r in t.rows["references"] if r[1] == 2)
    classes = {r[3]: r[4] for r in t.rows["allocations"] if r[0] == session}
    for o in (900, 910, 911, refs[-1][1]):
        rows = [("from", b, classes.get(b), roots.get(b)) for a, b in refs if a == o]
        rows += [("to", a, classes.get(a), roots.get(a)) for a, b in refs if b == o]
        j.ask("tptp_references", "direction object_id class root", sorted(rows, key=lambda r: r[:2]), dump=2, object=o, limit=1000)
    leaked = [b for a, b in refs if a == 911]
    for o in (leaked[0], leaked[-1], 911):
        ways = []
        work = [[o]]
        while work:
            way = work.pop()
            if way[0] in roots:
                ways.append((len(way) - 1, roots[way[0]], " ".join(map(str, way))))
            work += [[a] + way for a, b in refs if b == way[0] and a not in way and len(way) <= 10]
        ways.sort(key=lambda w: (w[0], w[2]))
        j.ask("tptp_paths_to_roots", "length root path", ways[:1000], dump=2, object=o, limit=1000)
        j.ask("tptp_paths_to_roots", "length root path", [w for w in ways if w[0] <= 2], dump=2, object=o, depth=2, visits=1000)


def check(j, path):
    t = Trace(j, path)
    j.same("sessions", j.rows("SELECT count(*) FROM source WHERE kind = 'session'")[0][0], len(t.sessions))
    check_views(j, t)
    ask_waits(j, t)
    ask_pauses(j, t)
    ask_tree(j, t)
    ask_calls(j, t)
    ask_longest(j, t)
    ask_longest(j, t, source=t.sources[1], limit=3)
    ask_objects(j, t)
    ask_filters(j, t)
    ask_references(j, t)
    j.same("hottest method", j.rows("SELECT m.name FROM stack_slice s JOIN stack_node n ON n.id = s.node_id JOIN stack_method m ON m.id = "
                                    "n.method_id GROUP BY m.id ORDER BY sum(s.self_dur) DESC LIMIT 1"), [("hotMethod",)])
    j.same("busiest monitor", j.rows("SELECT object_id, owner FROM v_lock_wait WHERE kind = 'contended' GROUP BY 1 ORDER BY sum(dur) DESC LIMIT 1"),
           [(77, "main")])
    # The viewer's table has every invocation, too.
    j.same("callstack", j.rows("SELECT count(*), sum(dur) FROM callstack"), [(len(t.rows["slices"]), sum(r[5] or 0 for r in t.rows["slices"]))])
