#!/usr/bin/env python3
"""Damages recordings of every format and asks whether the database presents anything wrong as certain.

    campaign.py --program TS --tools DIR --data DIR [--runs N] [--seed N] [--only NAME] [--verbose]

Each run deletes, doubles, swaps, overwrites or cuts a block of one file of a recording and converts the result with --strict. Its rows
are compared with those of the undamaged recording:

* a row counts as wrong when its cells that are not NULL are those of no row of the undamaged recording. A number or a name that was
  changed in place cannot be recognised by anybody; a block that is taken out or put in touches two rows at each of its seams. So
  SEAM wrong cells are allowed for a run, whatever the size of the block: values that moved to other rows are far more;
* rows that are missing, or wrong, beyond those seams need an issue of severity data_loss or error: exit code 3;
* times that are sums of differences all move when one difference is changed. Where nothing of it was noticed (exit code 0) the
  differences of neighbouring rows are compared instead, so that one changed number is one wrong row; and no sample may lie behind the
  end of its profile;
* the exit code is one that is documented, integrity_check passes, nothing takes longer than a few seconds.

Rows that are wrong all the same are a failure, unless a reader that shares nothing with the program (CONSISTENT) says that the damaged
input is a legal one that contradicts nothing, and the rows are what that reader finds in it (SAYS): that is counted as
indistinguishable.

Equal seeds give equal runs; a failure prints what makes it again.
"""

import argparse
import bz2
import collections
import concurrent.futures
import gc
import gzip
import importlib.util
import lzma
import multiprocessing
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import consistent_bundle
import consistent_ftrace
import consistent_heap
import consistent_native
import consistent_profile
import consistent_profiles
import consistent_tptp
import plugin_messages
import plugin_shapes

SEAM = 12
SILENT = 3  # rows that may be missing without a word: one on each side of a seam, and one between
SECONDS = 20

# Events of perf whose description is lost have a number instead of a name.
EVENT = "CASE WHEN s.event NOT GLOB 'event-[0-9]*' THEN s.event END"

# What is compared: name, kind, SQL. `set`: rows of cells; ids of rows, which are places, stand in none of them. `map`: a key and a
# text that many rows may refer to, so that each pair of texts counts once.
TABLES = [
    ("nodes", "set", "SELECT file_id, node_id, type, self_size, edge_count, trace_node_id, detachedness, native_size FROM v_js_node"),
    ("node names", "map", "SELECT file_id || ':' || node_id, name FROM v_js_node WHERE node_id IS NOT NULL"),
    ("edges", "set", "SELECT file_id, from_node_id, to_node_id, type FROM v_js_edge"),
    ("edge names", "map", "SELECT file_id || ':' || from_node_id || ':' || to_node_id || ':' || type, name FROM v_js_edge "
     "WHERE from_node_id IS NOT NULL AND to_node_id IS NOT NULL"),
    ("edge owners", "map", "SELECT file_id || ':' || from_node_id, from_type FROM v_js_edge WHERE from_node_id IS NOT NULL"),
    ("heap samples", "set", "SELECT file_id, timestamp_us, last_assigned_id FROM js_heap_sample"),
    ("trace nodes", "set", "SELECT file_id, id, count, size, parent_id FROM js_heap_trace_node"),
    ("trace functions", "set", "SELECT file_id, function_id, line, column FROM js_heap_trace_function_info"),
    ("threads", "set", "SELECT tid, name FROM thread"),
    ("methods", "map", "SELECT raw_id, CASE WHEN name IN (CAST(raw_id AS TEXT), 'method#' || raw_id) OR class LIKE 'class#%' THEN NULL "
     "ELSE name END || '|' || ifnull(class, '') FROM stack_method WHERE raw_id IS NOT NULL"),
    # A path says nothing of itself but where a row refers to it: the table holds each once, whatever became of the rows.
    ("call paths", "set", "WITH RECURSIVE used(id) AS (SELECT node_id FROM stack_sample UNION SELECT node_id FROM stack_slice "
     "UNION SELECT p.parent_id FROM used u JOIN stack_node p ON p.id = u.id) "
     "SELECT coalesce(n.raw_id, m.raw_id), coalesce(p.raw_id, pm.raw_id) FROM used u JOIN stack_node n ON n.id = u.id "
     "LEFT JOIN stack_method m ON m.id = n.method_id LEFT JOIN stack_node p ON p.id = n.parent_id "
     "LEFT JOIN stack_method pm ON pm.id = p.method_id"),
    ("samples", "set", "SELECT t.tid, s.ts, s.dur, coalesce(n.raw_id, m.raw_id), " + EVENT + " FROM stack_sample s LEFT JOIN thread t ON "
     "t.itid = s.itid LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id"),
    ("cpu runs", "set", "SELECT start_time, dur FROM js_cpu_profiler_sample WHERE function_id IS NOT NULL"),
    ("profiles", "set", "SELECT start_time, end_time FROM js_cpu_profile"),
    ("sample values", "set", "SELECT t.tid, s.ts, v.value FROM stack_sample_value v JOIN stack_sample s ON s.id = v.sample_id "
     "LEFT JOIN thread t ON t.itid = s.itid WHERE s.ts IS NOT NULL"),
    ("heap profile nodes", "set", "SELECT h.id, h.script_id, h.line_number, h.column_number, h.self_size, m.name, p.raw_id FROM heap_profile_node h "
     "JOIN stack_node n ON n.id = h.node_id LEFT JOIN stack_method m ON m.id = n.method_id LEFT JOIN stack_node p ON p.id = n.parent_id"),
    ("heap profile samples", "set", "SELECT h.ordinal, n.raw_id, v.value FROM heap_profile_sample h JOIN stack_sample s ON s.id = h.sample_id "
     "LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_sample_value v ON v.sample_id = s.id"),
    ("method places", "map", "SELECT raw_id, ifnull(file, '') || '|' || ifnull(line, '') FROM stack_method WHERE raw_id IS NOT NULL AND source_id IN "
     "(SELECT source_id FROM profile) AND file IS NOT NULL"),
    ("profile samples", "set", "SELECT t.name, v.value, n.line, m.raw_id, pm.raw_id FROM stack_sample s JOIN stack_sample_value v ON "
     "v.sample_id = s.id JOIN stack_value_type t ON t.id = v.value_type_id JOIN profile_value_type p ON p.value_type_id = t.id LEFT JOIN stack_node n ON "
     "n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id LEFT JOIN stack_node pn ON pn.id = n.parent_id LEFT JOIN stack_method pm ON "
     "pm.id = pn.method_id"),
    ("profile labels", "set", "SELECT l.key, l.value FROM stack_sample_label l"),
    ("profile tags", "set", "SELECT key, value FROM profile_tag"),
    ("profile numbers", "set", "SELECT name, value FROM profile_number"),
    ("profile files", "set", "SELECT name, format, start_ts, end_ts FROM profile_attachment WHERE state = 'imported'"),
    ("profile texts", "set", "SELECT service, env, version, host, pid, runtime, runtime_os, runtime_arch, agent_ver, endpoint FROM profile"),
    ("profile facts", "set", "SELECT start_ts, end_ts, dur, language, period, period_type, period_unit FROM profile"),
    ("series", "set", "SELECT t.tid, v.ts, v.value FROM timeseries_value v JOIN timeseries x ON x.id = v.series_id "
     "LEFT JOIN thread t ON t.itid = x.itid"),
    ("flare stacks", "set", "SELECT s.ts, f.cpu_time, f.cpu_time_delta, f.sample_count FROM flare_stack f JOIN stack_sample s "
     "ON s.id = f.sample_id"),
    ("slices", "set", "SELECT t.tid, s.ts, s.dur, s.depth, m.raw_id FROM stack_slice s LEFT JOIN thread t ON t.itid = s.itid "
     "LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id WHERE s.state = 0"),
    ("calls", "set", "SELECT c.ts, c.dur, c.calls, c.cpu_dur, c.wait_dur, c.memory, c.file_read, c.net_read, m.raw_id FROM cloud_call c "
     "LEFT JOIN stack_method m ON m.id = c.method_id"),
    ("pauses", "set", "SELECT ts, dur FROM cloud_suspend"),
    ("tags", "set", "SELECT s.ts, t.word_id, t.type FROM cloud_tag t LEFT JOIN stack_slice s ON s.id = t.slice_id"),
    ("words", "map", "SELECT word_id, word FROM cloud_dictionary"),
    ("invocations", "set", "SELECT t.ticket, t.stack_depth, c.class_id, s.ts FROM tptp_invocation t LEFT JOIN stack_slice s ON s.id = t.slice_id "
     "LEFT JOIN tptp_class c ON c.id = t.class_id"),
    ("classes", "map", "SELECT class_id, CASE defined WHEN 1 THEN name END FROM tptp_class"),
    ("allocations", "set", "SELECT t.tid, a.ts, a.object_id, a.size, a.line, c.class_id, m.raw_id FROM tptp_allocation a LEFT JOIN thread t ON "
     "t.itid = a.itid LEFT JOIN tptp_class c ON c.id = a.class_id LEFT JOIN stack_method m ON m.id = a.method_id"),
    ("frees", "set", "SELECT f.ts, f.object_id, f.age, a.ts FROM tptp_free f LEFT JOIN tptp_allocation a ON a.id = f.allocation_id"),
    ("collections", "set", "SELECT ts, dur, bytes_after, bytes_total, objects_after FROM runtime_pause WHERE state = 0"),
    ("waits", "set", "SELECT w.kind, t.tid, w.object_id, o.tid, w.timeout, w.ts, w.dur FROM lock_wait w LEFT JOIN thread t ON t.itid = w.itid "
     "LEFT JOIN thread o ON o.itid = w.owner_itid WHERE w.state = 0"),
    ("aggregates", "set", "SELECT a.depth, a.base_dur, a.min_dur, a.max_dur, a.base_cpu_dur, a.calls, m.raw_id FROM tptp_aggregate a LEFT JOIN "
     "stack_method m ON m.id = a.method_id"),
    ("references", "set", "SELECT d.dump_id, r.from_object_id, r.to_object_id FROM tptp_reference r LEFT JOIN tptp_heap_dump d ON "
     "d.id = r.heap_dump_id"),
    ("options", "set", "SELECT key, value FROM tptp_option"),
    ("cpu usage", "set", "SELECT ts, dur, total_load, user_load, system_load, process_num FROM cpu_usage"),
    ("live processes", "set", "SELECT ts, dur, cpu_time, process_id, process_name, parent_process_id, uid, user_name, cpu_usage, pss_info, "
     "thread_num, disk_writes, disk_reads FROM live_process"),
    ("disk traffic", "set", "SELECT ts, dur, rd, wr, rd_speed, wr_speed, rd_count, wr_count, rd_count_speed, wr_count_speed FROM diskio"),
    ("network traffic", "set", "SELECT ts, dur, tx, rx, tx_speed, rx_speed, packet_in, packet_in_sec, packet_out, packet_out_sec FROM network"),
    ("frame rates", "set", "SELECT ts, fps FROM hidump"),
    ("counters of processes", "set", "SELECT p.pid, f.name, m.ts, m.dur, m.value FROM process_measure m LEFT JOIN process_measure_filter f "
     "ON f.id = m.filter_id LEFT JOIN process p ON p.ipid = f.ipid"),
    ("counters of the system", "set", "SELECT f.name, m.ts, m.dur, m.value FROM sys_mem_measure m LEFT JOIN sys_event_filter f "
     "ON f.id = m.filter_id"),
    ("mappings", "set", "SELECT s.timeStamp, s.start_addr, s.end_addr, s.dirty, s.resident_size, s.pss, s.shared_clean, s.swap, p.pid FROM smaps s "
     "JOIN smaps_detail d ON d.smaps_id = s.id LEFT JOIN process p ON p.ipid = d.ipid"),
    ("shared memory", "set", "SELECT m.ts, p.pid, m.fd, m.size, m.pss, m.flag FROM memory_ashmem m LEFT JOIN process p ON p.ipid = m.ipid"),
    ("buffers", "set", "SELECT m.ts, p.pid, m.fd, m.size, m.ino, m.flag FROM memory_dma m LEFT JOIN process p ON p.ipid = m.ipid"),
    ("counters of power", "set", "SELECT f.name, m.ts, m.dur, m.value FROM xpower_measure m LEFT JOIN measure_filter f ON f.id = m.filter_id"),
    ("power of components", "set", "SELECT d.data, s.start_time, s.duration, s.energy FROM xpower_app_statistic s LEFT JOIN data_dict d "
     "ON d.id = s.component_type_id"),
    ("power of threads", "set", "SELECT d.data, s.start_time, s.thread_time, s.thread_loads, s.thread_energy FROM xpower_app_detail_cpu s "
     "LEFT JOIN data_dict d ON d.id = s.thread_name_id"),
    ("power of applications", "set", "SELECT d.data, s.start_time, n.data, s.background_duration, s.screen_on_energy, s.camera_id, s.uid, s.load, "
     "s.app_usage_energy FROM xpower_component_top s LEFT JOIN data_dict d ON d.id = s.component_type_id LEFT JOIN data_dict n ON n.id = s.appname"),
    ("system events", "set", "SELECT d.data, n.data, e.ts, e.type, e.time_zone, e.pid, e.tid, e.uid, e.level, e.tag, e.event_id, e.seq, e.info, "
     "e.contents FROM hisys_all_event e LEFT JOIN data_dict d ON d.id = e.domain_id LEFT JOIN data_dict n ON n.id = e.event_name_id"),
    ("values of events", "set", "SELECT m.serial, m.ts, n.data, k.data, m.int_value, m.string_value FROM hisys_event_measure m LEFT JOIN data_dict n "
     "ON n.id = m.name_id LEFT JOIN app_name a ON a.id = m.key_id LEFT JOIN data_dict k ON k.id = a.app_key"),
    ("runs on a CPU", "set", "SELECT s.ts, s.dur, s.cpu, t.tid, s.priority FROM sched_slice s LEFT JOIN thread t ON t.itid = s.itid"),
    ("states of threads", "set", "SELECT ts, dur, cpu, tid, state FROM thread_state"),
    ("wakes", "set", "SELECT i.ts, i.name, t.tid, w.tid FROM instant i LEFT JOIN thread t ON t.itid = i.ref LEFT JOIN thread w ON w.itid = i.wakeup_from"),
    ("marked sections", "set", "SELECT c.ts, c.dur, t.tid, d.data FROM callstack c LEFT JOIN thread t ON t.itid = c.callid LEFT JOIN data_dict d ON d.id = c.name"),
    ("interrupts", "set", "SELECT i.ts, i.dur, i.callid, d.data FROM irq i LEFT JOIN data_dict d ON d.id = i.name"),
    ("counters of CPUs", "set", "SELECT f.name, f.cpu, m.ts, m.dur, m.value FROM measure m LEFT JOIN cpu_measure_filter f ON f.id = m.filter_id"),
    # What is in use is a sum over all events before, so that one number that was changed in place would be in each row after it.
    ("native memory", "set", "SELECT h.event_type, h.start_ts, h.addr, h.heap_size, p.pid, t.tid, s.data FROM native_hook h "
     "LEFT JOIN process p ON p.ipid = h.ipid LEFT JOIN thread t ON t.itid = h.itid LEFT JOIN data_dict s ON s.id = h.last_symbol_id"),
    ("frames of native memory", "set", "SELECT f.depth, f.ip, CASE WHEN s.data NOT LIKE 'unknown 0x%' THEN s.data END, l.data "
     "FROM native_hook_frame f LEFT JOIN data_dict s ON s.id = f.symbol_id "
     "LEFT JOIN data_dict l ON l.id = f.file_id"),
    ("log lines", "set", "SELECT seq, ts, pid, tid, level, tag, context, origints FROM log"),
    ("parameters", "set", "SELECT c.ts, p.word_id, p.value FROM cloud_call_param p JOIN cloud_call c ON c.id = p.call_id"),
    # Their threads, sizes, descriptors and paths are compared as those of samples.
    ("calls to the file system", "set", "SELECT start_ts, dur, type, return_value, error_code FROM file_system_sample"),
    ("page faults", "set", "SELECT start_ts, dur, type, addr FROM paged_memory_sample"),
    ("block requests", "set", "SELECT start_ts, latency_dur, type, tier, block_number, dur_per_4k FROM bio_latency_sample"),
    ("frames of eBPF", "set", "SELECT depth, ip FROM ebpf_callstack"),
    # One number of a map or a table of symbols decides on all names that are found by it.
    ("functions of eBPF", "map", "SELECT c.ip, s.data FROM ebpf_callstack c JOIN data_dict s ON s.id = c.symbols_id"),
    ("files of eBPF", "map", "SELECT c.ip, f.data FROM ebpf_callstack c JOIN data_dict f ON f.id = c.file_path_id"),
]

# The same with the difference to the row before, the first one's time as it is. So is a time behind one that is not known.
SINCE = "%s - coalesce(lag(%s) OVER (PARTITION BY %s ORDER BY %s), 0)"
CALLS = "(SELECT *, " + SINCE % ("ts", "ts", "source_id", "id") + " AS since FROM cloud_call)"
DIFFERENCES = [
    ("samples", "set", "SELECT t.tid, s.since, s.dur, coalesce(n.raw_id, m.raw_id), " + EVENT + " FROM (SELECT *, " +
     SINCE % ("ts", "ts", "source_id", "id") + " AS since FROM stack_sample) s LEFT JOIN thread t ON t.itid = s.itid "
     "LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id"),
    ("cpu runs", "set", "SELECT " + SINCE % ("start_time", "start_time", "1", "id") + ", dur FROM js_cpu_profiler_sample"),
    ("calls", "set", "SELECT c.since, c.dur, c.calls, c.cpu_dur, c.wait_dur, c.memory, c.file_read, c.net_read, m.raw_id FROM " + CALLS +
     " c LEFT JOIN stack_method m ON m.id = c.method_id"),
    ("pauses", "set", "SELECT " + SINCE % ("ts", "ts", "source_id", "id") + ", dur FROM cloud_suspend"),
    ("parameters", "set", "SELECT c.since, p.word_id, p.value FROM cloud_call_param p JOIN " + CALLS + " c ON c.id = p.call_id"),
]
BEHIND = "SELECT count(*) FROM js_cpu_profile p WHERE p.end_time < (SELECT max(s.ts) FROM stack_sample s WHERE s.source_id = p.source_id)"

# Tables of heaps are long: what they are made of is looked at first.
HEAP_TABLES = {
    "nodes": ("js_heap_nodes",), "node names": ("js_heap_nodes", "js_heap_string"), "edges": ("js_heap_edges",),
    "edge names": ("js_heap_edges", "js_heap_string"), "edge owners": ("js_heap_edges", "js_heap_nodes", "js_heap_edge_block"),
}
HEAP_BASE = ("js_heap_file_detail", "js_heap_info")  # all of the views above read these


# --- input that contradicts nothing ---------------------------------------------------------------


def consistent_zip(path):
    """Of a zip file with the folder of a recording of the Cloud Profiler."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(path) as z:
                if z.testzip() is not None:
                    return False
                z.extractall(folder)
        except Exception:  # whatever is wrong with it, a reader of zip files notices
            return False
        return consistent_cloud.consistent(folder)


def scripts():
    """Scripts of the shapes of one format (measure.py) with a recording for the campaign: damaged(path) writes it, and DAMAGED are its tables."""
    found = {}
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                if "\ndef damaged(" in f.read():
                    found[name[:-3].replace("_", "-")] = importlib.import_module(name[:-3])
    return found


SCRIPTS = scripts()
TABLES += [table for script in SCRIPTS.values() for table in script.DAMAGED] + consistent_native.TABLES

CONSISTENT = {name: consistent_profile.consistent for name in ("cpuprofile", "profile", "htrace", "real-cpuprofile", "in-gz", "in-bz2", "in-xz")}
if importlib.util.find_spec("consistent_cloud") is not None:
    import consistent_cloud

    CONSISTENT.update({"cloud-" + name: consistent_cloud.consistent for name in ("agent", "flat", "tcp", "gz")})
    CONSISTENT["in-zip"] = consistent_zip


HEAPS = ("timeline", "real-timeline", "snapshot", "arkts-snapshot", "arkts-timeline")
CONSISTENT.update({name: consistent_heap.consistent for name in HEAPS})
CONSISTENT.update({name: consistent_tptp.consistent for name in ("tptp-binary", "tptp-xml")})

# What such a reader finds in the damaged input, and where the database has it.
SAYS = {name: consistent_profile.samples for name in ("cpuprofile", "profile", "htrace", "real-cpuprofile", "in-gz", "in-bz2", "in-xz")}
SAYS_SQL = {name: ["SELECT p.id, s.ts - p.start_time, n.raw_id FROM js_cpu_profile p JOIN stack_sample s ON s.source_id = p.source_id "
                   "LEFT JOIN stack_node n ON n.id = s.node_id ORDER BY p.id, s.id"] for name in SAYS}
SAYS.update({name: consistent_heap.rows for name in HEAPS})
SAYS_SQL.update({name: consistent_heap.SQL for name in HEAPS})
SAYS.update({name: consistent_tptp.rows for name in ("tptp-binary", "tptp-xml")})
SAYS_SQL.update({name: consistent_tptp.SQL for name in ("tptp-binary", "tptp-xml")})
CONSISTENT["upload"] = consistent_bundle.consistent
SAYS["upload"], SAYS_SQL["upload"] = consistent_bundle.rows, consistent_bundle.SQL
CONSISTENT["ftrace-text"] = consistent_ftrace.consistent
SAYS["ftrace-text"], SAYS_SQL["ftrace-text"] = consistent_ftrace.rows, consistent_ftrace.SQL
PPROFS = ("pprof", "pprof-reversed", "folded", "speedscope", "speedscope-calls", "perf-text")
CONSISTENT.update({name: consistent_profiles.consistent for name in PPROFS})
SAYS.update({name: consistent_profiles.rows for name in PPROFS})
SAYS_SQL.update({name: consistent_profiles.SQL for name in PPROFS})
for script in (name for name in SCRIPTS if hasattr(SCRIPTS[name], "consistent")):
    CONSISTENT[script], SAYS[script], SAYS_SQL[script] = SCRIPTS[script].consistent, SCRIPTS[script].rows, SCRIPTS[script].SQL
CONSISTENT.update(consistent_native.CONSISTENT)
SAYS.update(consistent_native.SAYS)
SAYS_SQL.update(consistent_native.SAYS_SQL)


# --- recordings ----------------------------------------------------------------------------------


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


# A big share of samples, since most damage is to fall into those.
PROFILES = {
    "pprof": ["--samples", "400", "--functions", "40", "--labels", "2"],
    "pprof-reversed": ["--samples", "400", "--functions", "40", "--order", "reversed", "--packed", "never", "--sparse"],
    "speedscope": ["--form", "speedscope", "--samples", "300", "--functions", "40"],
    "speedscope-calls": ["--form", "speedscope", "--samples", "200", "--functions", "40", "--evented", "--frames-last"],
    "folded": ["--form", "folded", "--samples", "400", "--functions", "40"],
    "perf-text": ["--form", "perf", "--samples", "300", "--functions", "40"],
}


def hook_event(i):
    """An allocation of native memory."""
    number, text = plugin_messages.number, plugin_messages.text
    frames = b"".join(text(5, number(1, 256 + f) + text(3, b"function%d" % f) + text(4, b"/lib%d.so" % (f % 3))) for f in (i % 11, i % 5, 40))
    body = number(1, 7) + number(2, 8 + i % 3) + number(3, 4096 + i * 64) + number(4, 16 + i) + frames
    return text(1, number(1, 12) + number(2, 1000 * i + 1) + text(3, body))


def recordings(program, tools, data, folder):
    """name, path of the input, files of it that are damaged."""
    tool = lambda name: os.path.join(tools, name)
    path = lambda name: os.path.join(folder, name)
    profile = "synth:nodes=60,samples=400,depth=8"
    made = {
        "cpuprofile": ["--emit", "cpuprofile", "--synthetic-profile", profile[6:]],
        "htrace": ["--config", "pid=7,type=none,cpu=1", "--profile", profile, "--plugin", "bytrace-plugin:300", "--profile", profile],
    }
    # Loads that name their sample, one a second, with threads and cores of some length.
    made["cpu-plugin"] = ["--clocks", "boot=1000000000,real=11000000000", "--time", "12000000000,1000000000"]
    for i in range(200):
        loads = b"".join(bytes([n << 3 | 1]) + struct.pack("<d", i + n / 16) for n in (4, 5, 6))
        text = b"\x0a\x10" + bytes(16) + b"\x12\x08\x08\x07\x12\x04main\x18" + bytes([i % 100 + 1]) + loads
        made["cpu-plugin"] += ["--plugin", "cpu-plugin:=" + text.hex()]
    # All other plugins, in turn.
    made["plugins"] = ["--clocks", "boot=1000000000,real=1700000000000000000"]
    rng = random.Random(1)
    makers = [(name, maker()) for name, maker in plugin_messages.PLUGINS.items() if name not in ("cpu-plugin", "memory-plugin")]
    makers.append(("memory-plugin", plugin_messages.Memory(single=True)))
    for i in range(400):
        name, maker = makers[i % len(makers)]
        now = 1700000001000000000 + i * 10**9
        made["plugins"] += ["--time", "%d" % now, "--plugin", name + ":=" + maker.message(rng, now).hex()]
    # Blocks at addresses of their own with stacks of texts, in messages of five events. None is released: with a changed address there would be
    # a release of memory that was allocated before the recording, which is usual.
    made["native_hook"] = ["--clocks", "boot=1000000000,real=11000000000"]
    for i in range(0, 300, 5):
        made["native_hook"] += ["--plugin", "nativehook:=" + b"".join(hook_event(k) for k in range(i, i + 5)).hex()]
    # Heaps as ArkTS writes them: no habit of V8 says where damage is.
    arkts = "synth:nodes=3000,edges=11000,strings=900,arkts=1,seed=%d"
    made["arkts-snapshot"] = ["--config", "pid=7,type=snapshot", "--snapshot", arkts % 1]
    made["arkts-timeline"] = ["--config", "pid=7,type=timeline", "--timeline", arkts % 2 + ",trace=60,samples=300"]
    for name, options in made.items():
        run(tool("mkhtrace"), "-o", path(name), *options)
        yield name, path(name), [path(name)]
    for name, write in consistent_native.RECORDINGS.items():
        write(path(name))
        yield name, path(name), [path(name)]
    with open(path("ebpf"), "wb") as f:
        f.write(plugin_shapes.ebpf_section(plugin_shapes.ebpf_mixture(200)))
    yield "ebpf", path("ebpf"), [path("ebpf")]
    # Few threads, and calls that are not deep: what is lost touches one row of each CPU and of each open call.
    events = "events=1200,cpus=2,processes=1,threads=2,depth=1,batch=20"
    run(tool("mkhtrace"), "-o", path("ftrace"), "--ftrace", events)
    yield "ftrace", path("ftrace"), [path("ftrace")]
    run(tool("mkhtrace"), "-o", path("ftrace-text"), "--emit", "ftrace", "--synthetic-ftrace", events)
    yield "ftrace-text", path("ftrace-text"), [path("ftrace-text")]
    shutil.copy(os.path.join(data, "kernel.sys"), path("ftrace-raw"))
    yield "ftrace-raw", path("ftrace-raw"), [path("ftrace-raw")]
    # Heaps as V8 writes them: what made ones lack (strings in the order of their first use, large numbers) is what shows damage.
    for name in ("cpuprofile", "timeline"):
        with gzip.open(os.path.join(data, "recording-%s.htrace.gz" % name)) as f, open(path("real-" + name), "wb") as g:
            g.write(f.read())
        yield "real-" + name, path("real-" + name), [path("real-" + name)]
    with gzip.open(os.path.join(data, "recording-snapshots.htrace.gz")) as f, open(path("snapshots"), "wb") as g:
        g.write(f.read())
    bare = {"timeline": "real-timeline.Timeline.heaptimeline", "profile": "real-cpuprofile.Profile0.cpuprofile",
            "snapshot": "snapshots.Snapshot0.heapsnapshot"}
    for name in ("real-timeline", "real-cpuprofile", "snapshots"):
        run(program, path(name), "-s", "-o", folder, "--quiet")
    for name, source in bare.items():
        os.rename(path(source), path(name))
        yield name, path(name), [path(name)]
    shutil.copy(os.path.join(data, "sessions.heapprofile"), path("heapprofile"))
    yield "heapprofile", path("heapprofile"), [path("heapprofile")]
    run(tool("mkchrometrace"), "-o", path("chrome-trace"), "--form", "list", "--pairs", "500", "--bytes", "40000")
    yield "chrome-trace", path("chrome-trace"), [path("chrome-trace")]
    for name, options in PROFILES.items():
        run(tool("mkprofile"), "-o", path(name), *options)
        yield name, path(name), [path(name)]
    with open(path("pprof"), "rb") as f, open(path("pprof.gz"), "wb") as g:
        g.write(gzip.compress(f.read(), mtime=0))
    with open(path("numbers"), "w", encoding="utf-8") as f:
        f.write("[%s]" % ",".join('["go_x%d", %d.5]' % (i, i * 7) for i in range(40)))
    run(tool("mkprofile"), "-o", path("upload"), "--form", "bundle", "--shape", "request", "--file", "cpu.pprof=" + path("pprof.gz"), "--file",
        "metrics.json=" + path("numbers"), "--file", "auto.folded=" + path("folded"))
    yield "upload", path("upload"), [path("upload")]
    run(tool("mkjfr"), "-o", path("jfr"), "--events", "150")
    yield "jfr", path("jfr"), [path("jfr")]
    run(tool("mkflare"), "--threads=2", "--seconds=2", path("flare"))
    sets = [("flare", path("flare"))]
    os.makedirs(path("directory/sub"))
    shutil.copy(path("cpuprofile"), path("directory"))
    shutil.copy(path("htrace"), path("directory/sub"))
    sets.append(("directory", path("directory")))
    for kind in ("agent", "flat", "tcp"):
        name = "cloud-" + kind
        extra = ["--plain"] if kind == "agent" else []
        run(tool("mkcloud"), "-o", path(name), "--container", kind, "--calls", "15", "--rotate-trace", "2000", *extra)
        sets.append((name, path(name)))
    run(tool("mkcloud"), "-o", path("cloud-gz"), "--calls", "15", "--rotate-trace", "2000", "--trailers")
    sets.append(("cloud-gz", path("cloud-gz")))
    for name, source in sets:
        files = [os.path.join(d, f) for d, _, names in os.walk(source) for f in names] if os.path.isdir(source) else [source]
        yield name, source, sorted(f for f in files if "filelist" not in f and "callsDictionary" not in f and "/gc/" not in f)
    for name, form in (("tptp-binary", "binary"), ("tptp-xml", "xml")):
        run(tool("mktptp"), "-o", path(name), "--form", form, "--calls", "150")
        yield name, path(name), [path(name)]
    pack = {"gz": lambda data: gzip.compress(data, mtime=0), "bz2": bz2.compress, "xz": lzma.compress}
    for name, source in (("tar", "flare"), ("zip", "cloud-agent"), ("gz", "cpuprofile"), ("bz2", "cpuprofile"), ("xz", "cpuprofile")):
        target = path("in-" + name)
        if name in pack:
            with open(path(source), "rb") as f, open(target, "wb") as g:
                g.write(pack[name](f.read()))
        else:
            base = shutil.make_archive(path("archive"), name, path(source))
            os.rename(base, target)
        yield "in-" + name, target, [target]
    for name, script in sorted(SCRIPTS.items()):
        script.damaged(path(name))
        yield name, path(name), [path(name)]


# --- damage --------------------------------------------------------------------------------------


def size_of(rng, n):
    return min(n, int(2 ** rng.uniform(0, 12)))


def place(rng, text, at):
    """A seam at a comma half of the time, so that rows are taken out whole."""
    if rng.random() < 0.5:
        comma = text.find(b",", at)
        if comma >= 0:
            return comma
    return at


def damage(rng, text):
    """The kind of damage and the damaged bytes."""
    n = len(text)
    kind = rng.choice(["delete", "delete", "double", "double", "swap", "swap", "zero", "cut", "flip", "insert"])
    if n == 0:
        return kind, text
    a = place(rng, text, rng.randrange(n))
    b = min(n, place(rng, text, min(n, a + size_of(rng, n))))
    b = max(a, b)
    if kind == "delete":
        return kind, text[:a] + text[b:]
    if kind == "double":
        return kind, text[:b] + text[a:b] + text[b:]
    if kind == "swap":
        c = min(n, b + (b - a))
        return kind, text[:a] + text[b:c] + text[a:b] + text[c:]
    if kind == "zero":
        return kind, text[:a] + bytes(b - a) + text[b:]
    if kind == "cut":
        return kind, text[:a]
    if kind == "insert":
        return kind, text[:a] + bytes(rng.randrange(256) for _ in range(min(b - a, 64))) + text[a:]
    i = rng.randrange(n)
    return kind, text[:i] + bytes([text[i] ^ 1 << rng.randrange(8)]) + text[i + 1:]


# --- comparison ----------------------------------------------------------------------------------


class Truth:
    """The rows of an undamaged recording, for comparisons with many others."""

    def __init__(self, database):
        self.database = database
        self.con = connect(database)
        self.tables = {}

    def table(self, name, kind, sql):
        if sql not in self.tables:
            self.tables[sql] = (TruthSet if kind == "set" else TruthMap)(fetch(self.con, name, sql))
        return self.tables[sql]


class TruthSet:
    def __init__(self, rows):
        self.rows = rows
        self.have = set(rows)
        self.masks = {}

    def compare(self, got):
        """Rows that are wrong, and how many rows of the truth are not there."""
        ours, theirs = differing(self.rows, got)
        left = collections.Counter(ours)
        wrong = []
        for row, count in collections.Counter(theirs).items():
            if row in self.have:
                left[row] -= count
                continue
            mask = tuple(i for i, cell in enumerate(row) if cell is not None)
            if mask not in self.masks:
                self.masks[mask] = {tuple(t[i] for i in mask) for t in self.have}
            if tuple(row[i] for i in mask) not in self.masks[mask]:
                wrong.append(row)
        return wrong, sum(n for n in left.values() if n > 0)


class TruthMap:
    def __init__(self, rows):
        self.rows = rows
        self.texts = {}
        for key, text in rows:
            self.texts.setdefault(key, set()).add(text)

    def compare(self, got):
        _, theirs = differing(self.rows, got)
        texts = self.texts
        pairs = {(tuple(sorted(map(str, texts[key]))), text) for key, text in theirs
                 if text is not None and key in texts and text not in texts[key]}
        return sorted(pairs, key=str), 0


def differing(ours, theirs):
    """Both without the rows that they have in common at their beginnings and ends."""
    step = 4096
    n = min(len(ours), len(theirs))
    low = 0
    while low < n and ours[low : low + step] == theirs[low : low + step]:
        low += step
    low = min(low, n)
    high = 0
    while high + step <= n - low and ours[len(ours) - high - step : len(ours) - high] == theirs[len(theirs) - high - step : len(theirs) - high]:
        high += step
    return ours[low : len(ours) - high], theirs[low : len(theirs) - high]


def connect(database):
    con = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    con.text_factory = bytes
    return con


def fetch(con, name, sql):
    try:
        return con.execute(sql).fetchall()
    except sqlite3.Error as e:
        raise RuntimeError("%s: %s" % (name, e)) from e


def columns(con, table):
    return [row[1].decode() for row in con.execute("PRAGMA table_info(%s)" % table)]


def same_table(con, table):
    """Has a table the rows of the attached truth? Ids are places here."""
    count = "SELECT (SELECT count(*) FROM main.{0}) = (SELECT count(*) FROM truth.{0})".format(table)
    if not con.execute(count).fetchone()[0]:
        return False
    differs = " OR ".join('a."{0}" IS NOT b."{0}"'.format(c) for c in columns(con, table))
    return con.execute("SELECT 1 FROM main.{0} a LEFT JOIN truth.{0} b ON b.rowid = a.rowid WHERE {1} LIMIT 1".format(table, differs)).fetchone() is None


class Heaps:
    """Which tables of heaps are those of the truth."""

    def __init__(self, con, truth):
        self.con = con
        self.known = {}
        con.execute("ATTACH ? AS truth", ("file:%s?mode=ro" % truth.database,))

    def same(self, table):
        if table not in self.known:
            self.known[table] = same_table(self.con, table)
        return self.known[table]

    def skip(self, name):
        return name in HEAP_TABLES and all(map(self.same, HEAP_BASE + HEAP_TABLES[name]))


def compare(con, truth, tables, heaps=None):
    """Wrong rows by table, and the number of those missing."""
    wrong = {}
    missing = {}
    for name, kind, sql in tables:
        if heaps is not None and heaps.skip(name):
            continue
        w, m = truth.table(name, kind, sql).compare(fetch(con, name, sql))
        missing[name] = m
        if w:
            wrong[name] = w
    return wrong, missing


def tables_of(tables, name):
    """Those that are compared of a recording."""
    skipped = consistent_native.SKIPPED.get(name, ())
    return [t for t in tables if t[0] not in skipped]


# --- runs ----------------------------------------------------------------------------------------


class Result:
    """What the program did with one input: of its database the rows that are wrong, and of which something is missing."""

    def __init__(self, code, said):
        self.code = code
        self.said = said
        self.wrong = {}
        self.missing = {}
        self.losses = 0
        self.whole = True
        self.behind = False
        self.moved = False  # times were compared by their differences
        self.says = []

    def count(self):
        """A sample that is wrong makes a run of samples wrong: it counts once."""
        counts = {name: len(rows) for name, rows in self.wrong.items()}
        twice = min(counts.get("samples", 0), counts.get("cpu runs", 0))
        return sum(counts.values()) - twice

    def look(self, database, truth, name):
        con = connect(database)
        says_sql = SAYS_SQL.get(name, [])
        self.whole = con.execute("PRAGMA integrity_check").fetchone()[0] == b"ok"
        self.losses = con.execute("SELECT count(*) FROM import_issue WHERE severity IN ('data_loss', 'error')").fetchone()[0]
        self.wrong, self.missing = compare(con, truth, tables_of(TABLES, name), Heaps(con, truth))
        if self.count() > SEAM and self.code == 0:
            wrong, missing = compare(con, truth, tables_of(DIFFERENCES, name))
            for name, _, _ in DIFFERENCES:
                self.wrong.pop(name, None)
            self.wrong.update(wrong)
            self.missing.update(missing)
            self.behind = con.execute(BEHIND).fetchone()[0] > 0
            self.moved = True
        if self.count() > SEAM or self.moved or sum(self.missing.values()) > SILENT:
            self.says = [row for sql in says_sql for row in con.execute(sql)]
        con.close()


def says_other(said, got):
    """Are rows others than an input says? A cell may be NULL."""
    return len(said) != len(got) or any(b is not None and a != b for ours, theirs in zip(said, got) for a, b in zip(ours, theirs))


class Campaign:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.items = list(recordings(options.program, options.tools, options.data, os.path.join(folder, "made")))
        self.items = [i for i in self.items if options.only is None or i[0] in options.only.split(",")]
        self.truth = None
        self.name = None

    def convert(self, path, database):
        done = subprocess.run([self.options.program, path, "-e", database, "--strict", "--quiet"], capture_output=True, text=True,
                              errors="replace", timeout=SECONDS, check=False)
        result = Result(done.returncode, done.stderr)
        if done.returncode in (0, 3) and self.truth is not None:
            result.look(database, self.truth, self.name)
            os.unlink(database)
        return result

    def begin(self, index):
        """Reads the truth of a recording, which all of its runs share."""
        name, path, _ = self.items[index]
        self.name = name
        self.truth = None
        database = os.path.join(self.folder, "truth%d.db" % index)
        done = self.convert(path, database)
        if done.code != 0:
            sys.exit("%s: exit code %d of the undamaged recording: %s" % (name, done.code, done.said))
        if name in CONSISTENT and not CONSISTENT[name](path):
            sys.exit("%s: the undamaged recording is said to contradict itself" % name)
        self.truth = Truth(database)
        for table in TABLES + DIFFERENCES:
            self.truth.table(*table)
        self.truth.con.close()  # no connection goes to another process

    def one(self, number):
        """(recording, kind of damage, exit code, what is wrong or None, whether nobody could know)."""
        name, path, files = self.items[number % len(self.items)]
        rng = random.Random("%d %s %d" % (self.options.seed, name, number // len(self.items)))
        victim = rng.choice(files)
        with open(victim, "rb") as f:
            text = f.read()
        kind, changed = damage(rng, text)
        work = tempfile.mkdtemp(dir=self.folder)
        try:
            target = os.path.join(work, os.path.basename(path))
            if os.path.isdir(path):
                shutil.copytree(path, target)
                victim = os.path.join(target, os.path.relpath(victim, path))
            else:
                victim = target
            with open(victim, "wb") as f:
                f.write(changed)
            if self.options.keep is not None:
                if os.path.isdir(target):
                    shutil.copytree(target, self.options.keep, dirs_exist_ok=True)
                else:
                    shutil.copy(target, self.options.keep)
            try:
                result = self.convert(target, os.path.join(work, "out.db"))
            except subprocess.TimeoutExpired:
                return name, kind, -1, "takes longer than %d s" % SECONDS, False
            why, rows = self.judge(result, changed == text)
            legal = (rows or result.moved) and name in CONSISTENT and CONSISTENT[name](target)
            if legal and name in SAYS and says_other(SAYS[name](target), result.says):
                why = "the database says something else than its input, which is a legal one" + ("" if why is None else "; " + why)
                legal = False
            nobody = rows and legal
        finally:
            shutil.rmtree(work)
        return name, kind, result.code, why, nobody

    def judge(self, result, unchanged):
        """What is wrong with a run, or None; and whether that is rows."""
        code = result.code
        if code not in (0, 1, 3, 5, 6):
            return "exit code %d: %s" % (code, result.said[-300:]), False
        if code not in (0, 3):
            return (None if result.said.strip() else "exit code %d without a word" % code), False
        if not result.whole:
            return "integrity_check fails", False
        if (result.losses > 0) != (code == 3):
            return "exit code %d with %d losses" % (code, result.losses), False
        count = result.count()
        missing = sum(result.missing.values())
        if unchanged and (count or missing):
            return "the undamaged recording differs", False
        if count > SEAM:
            shown = [name + ": " + ", ".join(map(str, rows[: None if self.options.verbose else 2])) for name, rows in result.wrong.items()]
            return "%d wrong beyond the seams (exit code %d): %s" % (count, code, {name: len(rows) for name, rows in result.wrong.items()}) + \
                "".join("\n  " + line for line in shown), True
        if result.behind:
            return "samples are behind the end of their profile", True
        if code == 0 and missing > SILENT + count:
            return "%d rows are missing without a word" % missing, True
        return None, False


campaign = None  # of this process, and of those that it forks


def one(number):
    return campaign.one(number)


def by_recording(options, folder):
    """(number, result) of each run, one recording after the other: only the rows of one are in memory."""
    global campaign
    campaign = Campaign(options, folder)
    count = len(campaign.items)
    for index in range(count):
        numbers = [n for n in range(options.first, options.first + options.runs) if n % count == index]
        if not numbers:
            continue
        campaign.begin(index)
        gc.collect()
        gc.freeze()
        with concurrent.futures.ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) as pool:
            yield from zip(numbers, pool.map(one, numbers, chunksize=4))
        campaign.truth = None
        gc.unfreeze()


def print_summary(seen, failures, nobody, verbose):
    if verbose:
        for (name, kind, code), n in sorted(seen.items()):
            print("%-16s %-8s exit %d: %d" % (name, kind, code, n))
    runs = collections.Counter()
    for (name, _, _), n in seen.items():
        runs[name] += n
    for name, n in runs.items():
        kinds = {kind: count for (of, kind), count in sorted(nobody.items()) if of == name}
        print("%-16s %d runs, %d failures, %d indistinguishable%s" %
              (name, n, failures[name], sum(kinds.values()), "".join(", %s %d" % k for k in kinds.items())))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="names of recordings, with commas between them")
    parser.add_argument("--keep", help="where the damaged input of the (last) run is kept")
    parser.add_argument("--allow", type=int, default=0, help="failures in a hundred runs that are known and described in docs/trust.md")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    failures = collections.Counter()
    nobody = collections.Counter()
    seen = collections.Counter()
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        os.mkdir(os.path.join(folder, "made"))
        for number, (name, kind, code, why, indistinguishable) in by_recording(options, folder):
            seen[name, kind, code] += 1
            if indistinguishable:
                nobody[name, kind] += 1
            elif why is not None:
                failures[name] += 1
            if why is not None and (options.verbose or not indistinguishable):
                print("%s, %s%s: %s\n  again: --only %s --seed %d --first %d --runs 1" %
                      (name, kind, ", indistinguishable" if indistinguishable else "", why, name, options.seed,
                       number // len(campaign.items)), flush=True)
    finally:
        shutil.rmtree(folder)
    print_summary(seen, failures, nobody, options.verbose)
    print("%d damaged inputs, %d failures, %d indistinguishable" % (options.runs, sum(failures.values()), sum(nobody.values())))
    return sum(failures.values()) * 100 > options.allow * options.runs


if __name__ == "__main__":
    sys.exit(main())
