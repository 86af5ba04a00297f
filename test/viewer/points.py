"""The recordings of each group, and what must be seen of each."""

import os


def cloud(r):
    pods = r.make("mkcloud", "pods", "--container", "agent", "--pods", "2", "--calls", "60", "--threads", "3", "--pause", "150")
    r.convert("cloud", pods)
    r.view("calls", "tags")
    r.same("tables of hiperf", r.rows("SELECT name FROM sqlite_master WHERE type = 'view' AND name LIKE 'perf%'"), [])
    tags(r)
    r.same("calls", r.one("SELECT count(*) FROM callstack"), r.one("SELECT count(*) FROM stack_slice"))
    r.same("pids", r.rows("SELECT p.pid, d.pid_known FROM process AS p JOIN process_detail AS d ON d.ipid = p.ipid ORDER BY p.ipid"),
           [(0, 1), (4194305, 0), (4194306, 0)])
    r.same("names of pods", r.rows("SELECT name FROM process WHERE id > 0"), [("orders",), ("orders",)])
    r.holds("many colours", r.one("SELECT count(DISTINCT colorIndex) FROM callstack") > 10)
    tcp = r.make("mkcloud", "tcp", "--container", "tcp", "--pods", "3", "--calls", "30", "--callees", "3")
    r.convert("tcp", tcp)
    r.view("calls")
    r.same("names of pods", r.rows("SELECT name FROM process WHERE id > 0"), [("orders-%d" % i,) for i in range(3)])


def tptp(r):
    """Invocations of both forms as call stacks."""
    for form in ("binary", "xml"):
        r.convert(form, r.make("mktptp", "t." + form, "--form", form, "--calls", "400"))
        r.view("calls")
        r.same("calls", r.one("SELECT count(*) FROM callstack"), r.one("SELECT count(*) FROM stack_slice"))
        r.same("names", r.rows("""SELECT c.name, count(*) FROM callstack AS c GROUP BY 1 ORDER BY 1"""),
               r.rows("""SELECT coalesce(m.class || '.', '') || m.name, count(*) FROM stack_slice AS s JOIN stack_node AS n ON n.id = s.node_id
                         JOIN stack_method AS m ON m.id = n.method_id GROUP BY 1 ORDER BY 1"""))
        r.same("pids", r.rows("SELECT p.pid, d.pid_known FROM process AS p JOIN process_detail AS d ON d.ipid = p.ipid WHERE p.id > 0"),
               r.rows("SELECT pid, pid IS NOT NULL FROM tptp_process"))
        r.same("calls of the process", r.one("SELECT sum(slice_count) FROM process"), r.one("SELECT count(*) FROM stack_slice"))


def flare(r):
    r.make("mkflare", "flare-a", "--threads=4", "--seconds=6", output=False)
    path = r.make("mkflare", "flare-b", "--threads=3", "--seconds=5", "--seed=7", "--missing-every=3", output=False)
    r.convert("flare", path)
    r.view("samples")
    samples(r)
    stacks(r, path)
    r.convert("two", os.path.join(r.work, "flare-a"), path)
    r.view("samples")
    samples(r)
    r.holds("thread ids of both", r.one("SELECT count(*) FROM thread AS t WHERE t.itid > 0")
            > r.one("SELECT count(DISTINCT tid) FROM thread WHERE itid > 0"))


# What threads of JFR and Flare wait for (docs/formats.md), apart from what it is called in the table of classes.
WAITING = {"jfr": {"lock", "wait", "park", "sleep", "socket_read", "socket_write", "file_read", "file_write", "file_force"}, "flare": set()}
ASLEEP = {"jfr": {"SLEEPING", "STATE_SLEEPING", "WAITING", "PARKED", "CONTENDED", "SYSCALL"}, "flare": {"BLOCKED", "WAITING", "TIMED_WAITING"}}


def suspended(r):
    """Samples of threads that waited, and those of an unknown state without CPU time."""
    format_of = dict(r.rows("SELECT id, format FROM source"))
    state = dict(r.rows("SELECT sample_id, value FROM stack_sample_label WHERE key = 'state'"))
    state.update(r.rows("SELECT sample_id, state FROM flare_stack WHERE state IS NOT NULL"))
    ran = {i for i, in r.rows("SELECT v.sample_id FROM stack_sample_value AS v JOIN stack_value_type AS t ON t.id = v.value_type_id WHERE t.name = 'cpu' AND v.value > 0")}
    out = 0
    for i, source, event in r.rows("SELECT id, source_id, event FROM stack_sample WHERE ts IS NOT NULL"):
        kind = format_of[source]
        waits = event in WAITING[kind] or event == "wall" and state.get(i) in ASLEEP[kind]
        out += waits or event == "wall" and i not in ran
    return out


def samples(r):
    """The views say what the common tables say."""
    r.same("samples", r.rows("SELECT count(*), sum(event_count), count(DISTINCT callchain_id) FROM perf_sample"),
           r.rows("SELECT count(*), sum(dur), count(DISTINCT node_id) FROM stack_sample"))
    r.same("frames", r.one("SELECT count(*) FROM perf_callchain"),
           r.one("SELECT sum(depth + 1) FROM stack_node WHERE id IN (SELECT node_id FROM stack_sample)"))
    r.same("suspended", r.one("SELECT count(*) FROM perf_sample WHERE thread_state = 'Suspend'"), suspended(r))
    r.holds("both states", r.one("SELECT count(DISTINCT thread_state) FROM perf_sample") == 2)
    names = r.rows("SELECT DISTINCT v.stack FROM v_stack_folded AS v JOIN perf_sample AS s ON s.callchain_id = v.node_id ORDER BY 1")
    frames = {}
    for chain, name in r.rows("SELECT c.callchain_id, d.data FROM perf_callchain AS c JOIN data_dict AS d ON d.id = c.name ORDER BY c.id"):
        frames.setdefault(chain, []).append(name)
    r.same("stacks", sorted({";".join(f) for f in frames.values()}), [n for n, in names])
    r.same("time of threads", sorted(r.rows("SELECT t.thread_name, sum(s.event_count) FROM perf_sample AS s JOIN perf_thread AS t "
                                            "ON t.thread_id = s.thread_id GROUP BY s.thread_id")),
           sorted(r.rows("SELECT t.name, sum(s.dur) FROM stack_sample AS s JOIN thread AS t ON t.itid = s.itid GROUP BY s.itid")))
    r.same("columns", [c for t in ("report", "sample", "callchain", "thread", "files")
                       for c, in r.rows("SELECT name FROM pragma_table_info('perf_%s')" % t)],
           [c for t in ("report", "sample", "callchain", "thread", "files")
            for c, in r.rows("SELECT column_name FROM schema_doc WHERE table_name = 'perf_%s'" % t)])


def stacks(r, path):
    """With --viewer=stacks the frames are a table, with the rows of the view."""
    before, rows = r.what, r.rows("SELECT * FROM perf_callchain")
    r.same("numbers of frames", [row[0] for row in rows], list(range(len(rows))))
    r.convert(before + " stacks", path, "--viewer=stacks")
    r.same("table", r.rows("SELECT type FROM sqlite_master WHERE name LIKE 'perf_callchain%'"), [("table",)])
    r.same("rows", r.rows("SELECT * FROM perf_callchain"), rows)
    r.view("samples")


def jfr(r):
    """Threads that park, sleep, wait and read are suspended; those of samples and allocations run."""
    for name in ("work.jfr.gz", "work21.jfr.gz"):
        path = os.path.join(r.data, name)
        r.convert(name, path)
        r.view("samples")
        r.same("suspended", r.one("SELECT count(*) FROM perf_sample WHERE thread_state = 'Suspend'"), suspended(r))
        stacks(r, path)
    r.convert("work.jfr.gz", os.path.join(r.data, "work.jfr.gz"))
    r.same("states", r.rows("SELECT thread_state, count(*) FROM perf_sample GROUP BY 1"), [("Running", 1402), ("Suspend", 38)])


def tags(r):
    """What was recorded in a call and of it is what its details show."""
    want = r.rows("SELECT slice_id, name, value FROM v_cloud_tag WHERE slice_id IS NOT NULL UNION ALL "
                  "SELECT c.root_slice_id, p.name, p.value FROM v_cloud_call_param AS p JOIN cloud_call AS c ON c.id = p.call_id "
                  "WHERE c.root_slice_id IS NOT NULL")
    got = r.rows("SELECT c.id + 1, a.keyName, a.strValue FROM callstack AS c JOIN args_view AS a ON a.argset = c.argsetid "
                 "WHERE a.desc = 'string'")
    r.holds("tags", len(want) > 50)
    r.same("tags", sorted(got, key=str), sorted(want, key=str))
    got = r.rows("SELECT argset, keyName, strValue FROM args_view WHERE keyName IN ('CPU time (ns)', 'memory (bytes)', "
                 "'read from files (bytes)', 'written to network (bytes)', 'invocations')")
    want = [(row[0], name, value) for row in r.rows("SELECT root_slice_id, cpu_dur, memory, file_read, net_written, calls "
                                                    "FROM cloud_call WHERE root_slice_id IS NOT NULL")
            for name, value in zip(("CPU time (ns)", "memory (bytes)", "read from files (bytes)", "written to network (bytes)",
                                    "invocations"), row[1:]) if value is not None]
    r.same("amounts", sorted(got), sorted(want))


def arkts(r):
    for kind, has in (("snapshots", "snapshots"), ("timeline", "timelines"), ("cpuprofile", "profiles")):
        r.convert(kind, r.recording(kind))
        r.view(has)


def edges(r):
    """Names of edges as text, in the place of their numbers."""
    for name, path in (("snapshots", r.recording("snapshots")), ("files", r.tiny("snapshot.heapsnapshot"))):
        r.convert(name, path)
        plain = "SELECT * FROM js_heap_edges"
        before, ours = r.rows(plain + " ORDER BY rowid"), r.rows("SELECT * FROM v_js_edge WHERE file_id = 0 LIMIT 5000")
        size = os.path.getsize(r.path)
        r.convert(name + " named", path, "--viewer=edge-names")
        r.view("snapshots")
        after = r.rows(plain)
        r.same("other columns", [row[:3] + row[4:] for row in after], [row[:3] + row[4:] for row in before])
        strings = {(f, i): s for f, i, s in r.rows("SELECT file_id, file_index, string FROM js_heap_string")}
        indexes = {i for i, name in enumerate(n for n, in r.rows("SELECT str_value FROM js_heap_info WHERE key = 'edge_types' "
                                                                 "AND type = 0 AND file_id = 0")) if name in ("element", "hidden")}
        r.same("names", [row[3] for row in after], [row[3] if row[2] in indexes else strings[row[0], row[3]] for row in before])
        r.holds("texts", any(isinstance(row[3], str) for row in after))
        r.same("our own view", r.rows("SELECT * FROM v_js_edge WHERE file_id = 0 LIMIT 5000"), ours)
        r.holds("no larger", os.path.getsize(r.path) <= size + 4096)
        r.same("a finished database", r.run("-q", r.question("js_retainers_of_node"), "--param", "file=0", "--param", "node=1", r.path), 0)
        r.same("an analysis of it", r.run(r.path, "--analyze=heap", "--force"), 0)


def plugins(r):
    """What the statistics and the issues say of segments that nothing reads."""
    names = ["foo-plugin", "bar-plugin"]
    path = r.make("mkhtrace", "plugins.htrace", "--config", "pid=-1,type=snapshot", "--snapshot", r.tiny("snapshot.heapsnapshot"),
                  *[w for n in names for w in ("--plugin", n + ":=0801")])
    r.convert("plugins", path)
    r.view("snapshots")
    r.same("named", r.rows("SELECT stream FROM import_issue WHERE code = 'plugin_not_decoded' ORDER BY stream"),
           sorted((n,) for n in names))
    stat = dict(r.rows("SELECT event_name || ' ' || stat_type, count FROM stat WHERE count > 0"))
    r.same("stat", stat, {"trace_event_clock_sync received": 1, "other not_supported": 2, "trace_js_memory received": 1})
    r.same("pid", r.rows("SELECT pid FROM js_config"), [(4294967295,)])
    r.same("processes", r.rows("SELECT pid FROM process"), [(0,)])


MS = 1000000
PROFILE = "synth:nodes=%d,samples=200,seed=%d"


def bare_profile(r, name, nodes, seed):
    return r.make("mkhtrace", name, "--emit", "cpuprofile", "--synthetic-profile", "nodes=%d,samples=200,seed=%d" % (nodes, seed))


def bare(r):
    """Files without times: they stand beside each other in the order of the command line."""
    snapshot, timeline = r.tiny("snapshot.heapsnapshot"), r.tiny("timeline.heaptimeline")
    r.convert("snapshot", snapshot)
    r.view("snapshots")
    r.same("place", r.rows("SELECT start_time, end_time FROM js_heap_files"), [(0, MS)])
    r.same("range", r.rows("SELECT * FROM trace_range"), [(0, MS)])
    r.same("the recording itself has no length", r.rows("SELECT start_ts, end_ts FROM source WHERE kind = 'snapshot'"), [(0, 0)])
    r.convert("files", snapshot, timeline, r.tiny("sorted.heapsnapshot"))
    r.view("snapshots", "timelines")
    last = r.one("SELECT max(timestamp_us) * 1000 FROM js_heap_sample")
    width = max(last, MS)
    r.same("places", r.rows("SELECT start_time, end_time FROM js_heap_files ORDER BY id"),
           [(0, MS), (MS, MS + width), (MS + width, 2 * MS + width)])
    r.same("range", r.rows("SELECT * FROM trace_range"), [(0, 2 * MS + width)])
    r.same("type", r.rows("SELECT type, pid, enable_cpu_profiler FROM js_config"), [(1, 0, 0)])
    profiles = [bare_profile(r, "p%d.cpuprofile" % i, 40 + i, i) for i in range(2)]
    r.convert("profiles", snapshot, *profiles)
    r.view("snapshots", "profiles")
    both(r, 2)
    first = r.one("SELECT min(start_time) FROM js_cpu_profiler_sample")
    r.holds("behind the snapshot", first >= MS)
    r.same("own times", r.rows("SELECT min(start_time), count(*) FROM js_cpu_profile"), [(0, 2)])


def both(r, count):
    """Several CPU profiles: all nodes but the later roots are there, each sample is, and stack_* keeps every profile as it is."""
    r.same("profiles", r.one("SELECT count(*) FROM js_cpu_profile"), count)
    r.same("nodes", r.one("SELECT count(*) FROM js_cpu_profiler_node"), r.one("SELECT sum(node_count) FROM js_cpu_profile") - count + 1)
    of = "WHERE source_id IN (SELECT source_id FROM js_cpu_profile)"
    r.same("roots in stack_node", r.one("SELECT count(*) FROM stack_node %s AND parent_id IS NULL" % of), count)
    r.same("paths in stack_node", r.rows("SELECT source_id, count(*) FROM stack_node %s GROUP BY 1 ORDER BY 1" % of),
           r.rows("SELECT source_id, node_count FROM js_cpu_profile ORDER BY 1"))
    r.same("time in samples", r.one("SELECT sum(dur) FROM js_cpu_profiler_sample"), r.one("SELECT sum(dur) FROM stack_sample " + of))


def several(r):
    """Several configurations and CPU profiles, in one recording and in two."""
    one = r.make("mkhtrace", "one.htrace", "--config", "pid=77,type=none,cpu=1", "--profile", PROFILE % (30, 1), "--profile", PROFILE % (50, 2))
    two = r.make("mkhtrace", "two.htrace", "--config", "pid=78,type=snapshot,interval=2", "--snapshot", r.tiny("snapshot.heapsnapshot"),
                 "--snapshot", r.tiny("sorted.heapsnapshot"))
    again = r.make("mkhtrace", "again.htrace", "--config", "pid=5,type=snapshot", "--snapshot", r.tiny("snapshot.heapsnapshot"),
                   "--config", "pid=6,type=snapshot", "--snapshot", r.tiny("snapshot.heapsnapshot"))
    at_once = ("CPU samples lie inside the trace and do not overlap",)  # as they were recorded
    r.convert("one", one)
    r.view("profiles", but=at_once)
    both(r, 2)
    r.convert("two", one, two)
    r.view("profiles", "snapshots", but=at_once)
    both(r, 2)
    r.same("config", r.rows("SELECT pid, type, interval, enable_cpu_profiler FROM js_config"), [(77, 0, 2, 1)])
    r.same("configurations", r.rows("SELECT value FROM source_property WHERE key = 'js_config' ORDER BY source_id"), [
        ("pid=77,type=-1,interval=0,capture_numeric_value=0,trace_allocation=0,enable_cpu_profiler=1,cpu_profiler_interval=0",),
        ("pid=78,type=0,interval=2,capture_numeric_value=0,trace_allocation=0,enable_cpu_profiler=0,cpu_profiler_interval=0",)])
    r.same("files listed", len(r.rows(next(sql for n, _, sql in r.statements if n == "heap files"))), 2)
    r.convert("again", again)
    r.view("snapshots")
    r.same("config", r.rows("SELECT pid, type FROM js_config"), [(5, 0)])
    r.convert("bare beside", two, bare_profile(r, "p.cpuprofile", 20, 3))
    r.view("profiles", "snapshots")
    r.same("config", r.rows("SELECT pid, type, enable_cpu_profiler FROM js_config"), [(78, 0, 1)])


def ends(r):
    """Recordings whose end is missing."""
    at = 1_700_000_000 * 1000 * MS
    clocks = ["--clocks", "boot=5000000000,real=%d,mono=4000000000" % at]
    shift = 5000000000 - at
    path = r.make("mkhtrace", "unmarked.htrace", *clocks, "--config", "pid=1,type=snapshot", "--time", "%d,%d" % (at + 1000 * MS, MS),
                  "--no-end", "--no-progress", "--chunk-size", "100", "--snapshot", r.tiny("snapshot.heapsnapshot"))
    r.convert("unmarked", path)
    text = r.one("SELECT bytes FROM source WHERE kind = 'snapshot'")
    start = at + 1000 * MS + shift
    r.same("times", r.rows("SELECT start_time, (end_time - start_time) / 1000000 FROM js_heap_files"), [(start, (text - 1) // 100)])
    r.holds("shown", r.rows(next(sql for n, _, sql in r.statements if n == "heap files")))
    r.view("snapshots")
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data[:len(data) - 60])
    r.convert("cut", path)
    r.same("times", r.rows("SELECT start_time, end_time FROM js_heap_files"), [(start, None)])
    r.view("all")
    path = r.make("mkhtrace", "timeline.htrace", *clocks, "--config", "pid=1,type=timeline", "--time", "%d,1000" % (at + 1000 * MS),
                  "--no-end", "--timeline", r.tiny("timeline.heaptimeline"))
    r.convert("timeline", path)
    last = r.one("SELECT max(timestamp_us) * 1000 FROM js_heap_sample")
    r.holds("a length", last > 0)
    r.same("range", r.rows("SELECT * FROM trace_range"), [(start, start + last)])
    r.view("timelines")
    path = r.make("mkhtrace", "beside.htrace", *clocks, "--config", "pid=1,type=timeline,cpu=1",
                  "--timeline", r.tiny("timeline.heaptimeline") + "@%d" % (at + 1000 * MS),
                  "--profile", PROFILE % (20, 1) + "@%d" % (at + 9000 * MS))
    r.convert("beside", path)
    r.same("start of a timeline with a CPU profile beside it", r.one("SELECT start_time FROM js_heap_files"), start)
    r.view("timelines", "profiles")
    path = r.make("mkhtrace", "nostart.htrace", *clocks, "--config", "pid=1,type=timeline,cpu=1", "--no-start", "--no-progress",
                  "--timeline", r.tiny("timeline.heaptimeline") + "@%d" % (at + 1000 * MS))
    r.convert("nostart", path)
    r.same("start of a timeline without a mark", r.one("SELECT start_time FROM js_heap_files"), start)


def mixed(r):
    """All sources in one database, whatever comes first."""
    pods = r.make("mkcloud", "pods", "--container", "agent", "--pods", "1", "--calls", "30")
    agent = r.make("mkflare", "agent", "--threads=2", "--seconds=3", output=False)
    files = [r.tiny("snapshot.heapsnapshot"), r.tiny("sorted.heapsnapshot")]
    profile = bare_profile(r, "p.cpuprofile", 40, 1)
    trace = r.make("mkhtrace", "t.htrace", "--config", "pid=7,type=snapshot,cpu=1", "--snapshot", r.tiny("snapshot.heapsnapshot"),
                   "--profile", PROFILE % (30, 2))
    for name, inputs in (("first", [pods, agent, *files, profile]), ("last", [*files, profile, agent, pods])):
        r.convert(name, *inputs)
        r.view("calls", "samples", "snapshots", "profiles")
        r.same("places", r.rows("SELECT f.start_time - r.start_ts, f.end_time - r.start_ts FROM js_heap_files AS f, trace_range AS r"),
               [(0, MS), (MS, 2 * MS)])
        r.same("clock", r.one("SELECT start_ts > 1000000000000000000 FROM trace_range"), 1)
        r.same("own times", r.rows("SELECT start_ts, end_ts FROM source WHERE kind = 'snapshot'"), [(0, 0), (0, 0)])
    r.convert("all", pods, agent, *files, profile, trace)
    # Recordings of two clocks that nothing relates: trace_range is that of the first one.
    r.view("calls", "samples", "snapshots", "profiles", but=("heap files that are complete are shown",
                                                             "CPU samples lie inside the trace and do not overlap"))
    both(r, 2)


GROUPS = {"cloud": cloud, "flare": flare, "jfr": jfr, "tptp": tptp, "arkts": arkts, "plugins": plugins, "bare": bare, "several": several, "ends": ends, "edges": edges,
          "mixed": mixed}
