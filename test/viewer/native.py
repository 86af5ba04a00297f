#!/usr/bin/env python3
"""native.py PROGRAM: what the web viewer and HapRay ask of hiperf, native memory and hiebpf (their statements, with the columns and joins that
they use), row by row on the examples of the formats' description."""

import os
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import ebpf_write
import native_examples as examples
import starts

S = 2 * 10**9
LIBA, KALLSYMS = examples.LIBA, examples.KALLSYMS
PERF = [
    ("files", "select file_id as fileId, symbol, path from perf_files order by file_id, serial_id",
     [(0, "schedule", KALLSYMS), (1, "main", LIBA), (1, "ns::leaf(int)", LIBA), (2, "onClick: a.ets:3", "/data/x.abc"), (3, None, "/system/lib/nosym.so"),
      (4, None, "/data/other.so")]),
    ("threads", "select a.thread_id as tid, a.thread_name as threadName, a.process_id as pid, b.thread_name as processName from perf_thread a "
     "left join (select * from perf_thread where thread_id = process_id) b on a.process_id = b.thread_id order by pid", [(20, "app", 20, "app"), (21, "renamed", 20, "app")]),
    ("events", "select id, report_value from perf_report where report_type = 'config_name' and id in (select distinct event_type_id from perf_sample)",
     [(0, "hw-cpu-cycles"), (1, "sched:sched_switch")]),
    ("command", "select report_value from perf_report where report_type = 'cmdline'", [("hiperf record -a --offcpu",)]),
    # The order of the rows is that of depths: the outermost frame first.
    ("stacks", "select c.callchain_id, c.depth, d.data, c.file_id, c.symbol_id from perf_callchain c join data_dict d on c.name = d.id where callchain_id != -1",
     [(1, 0, "main", 1, 0), (1, 1, "ns::leaf(int)", 1, 1), (1, 2, "schedule", 0, 0), (2, 0, "@0x50008", -1, -1), (2, 1, "other.so+0x8", 4, -1),
      (2, 2, "nosym.so+0x8", 3, -1), (2, 3, "onClick: a.ets:3", 2, 0), (2, 4, "ns::leaf(int)", 1, 1)]),
    ("samples in a range", "select p.callchain_id, t.thread_id, p.thread_state, t.process_id, count(p.callchain_id), sum(event_count) from perf_sample p, trace_range r "
     "left join perf_thread t on p.thread_id = t.thread_id where timestamp_trace between 0 + r.start_ts and 15 + r.start_ts and p.thread_id != 0 "
     "group by p.callchain_id, t.thread_id, p.thread_state, t.process_id order by 1", [(1, 21, "-", 20, 1, 500), (2, 21, "Suspend", 20, 1, 7)]),
    ("HapRay: samples of a thread", "select s.callchain_id, s.timestamp_trace, s.event_count, s.cpu_id from perf_sample s join perf_thread t on s.thread_id = t.thread_id "
     "where t.thread_name = 'renamed' and s.event_type_id = 0 order by s.timestamp_trace", [(1, S, 500, 3), (1, S + 20, 600, 2)]),
    ("HapRay: frames whose symbols are missing", "select f.path, d.data, printf('0x%x', c.ip) from perf_callchain c join perf_files f on f.file_id = c.file_id "
     "join data_dict d on d.id = c.name where c.symbol_id = -1 and f.path like '%.so' group by 1, 2, 3 order by 1",
     [("/data/other.so", "other.so+0x8", "0x40008"), ("/system/lib/nosym.so", "nosym.so+0x8", "0x30008")]),
]
HOOK = [
    ("memory of a process", "select h.start_ts - r.start_ts, h.end_ts - r.start_ts, h.heap_size, h.event_type, (select data from data_dict where id = h.sub_type_id) "
     "from native_hook h, trace_range r where h.ipid = (select ipid from process where pid = 20) and (h.event_type = 'AllocEvent' or h.event_type = 'MmapEvent') order by h.start_ts",
     [(0, None, 100, "AllocEvent", None), (10, None, 8192, "MmapEvent", "heap"), (20, 30, 50, "AllocEvent", None)]),
    ("curve of the heap", "select h.start_ts - r.start_ts, h.all_heap_size, h.current_size_dur from native_hook h, trace_range r where h.event_type in ('AllocEvent', 'FreeEvent') "
     "order by h.start_ts", [(0, 100, 20), (20, 150, 10), (30, 100, 0)]),
    ("callers", "select h.id, l.data, s.data from native_hook h join data_dict l on l.id = h.last_lib_id join data_dict s on s.id = h.last_symbol_id order by h.id",
     [(0, "/data/liba.so", "ns::make()+0x20"), (1, "/system/bin/app", "main"), (2, "/data/liba.so", "ns::make()+0x20")]),
    ("frames", "select f.callchain_id, f.depth, s.data, l.data, f.vaddr from native_hook_frame f left join data_dict s on s.id = f.symbol_id left join data_dict l on l.id = f.file_id",
     [(1, 0, "main", "/system/bin/app", "0x204"), (1, 1, "ns::make()+0x20", "/data/liba.so", "0x20"), (1, 2, "malloc", "/system/lib/ld-musl-arm.so.1", "0x108"),
      (2, 0, "main", "/system/bin/app", "0x204")]),
]
STATISTIC = [("sums", "select callchain_id, ts, max(apply_size) as heapsize, sum(apply_count), type from native_hook_statistic where type in (0, 1) group by callchain_id, ts order by ts",
              [(1, S, 300, 3, 0), (1, S + 10**9, 400, 4, 0)]),
             ("their frames", "select callchain_id, depth, vaddr from native_hook_frame", [(1, 0, "0x7")])]
EBPF = [
    ("calls to the file system", "select type, fd, (select data from data_dict where id = file_id), dur, return_value, error_code, size from file_system_sample "
     "where end_ts >= %d order by end_ts" % S, [(2, 7, "/data/f", 50, "0x64", None, 100), (0, None, None, 10, "0x0", "0x2", None)]),
    ("page faults", "select callchain_id, type, dur, size, addr from paged_memory_sample", [(1, 2, 2, 4096, "0x7000")]),
    ("block requests", "select callchain_id, type, latency_dur, tier, size, block_number, dur_per_4k from bio_latency_sample", [(1, 2, 2000, 4, 8192, "0x30", 1000)]),
    ("stacks of events", "select callchain_id, depth, ip, (select data from data_dict where id = symbols_id), (select data from data_dict where id = file_path_id) from ebpf_callstack "
     "where callchain_id != -1", [(0, 0, "0x7000000010", "f", "/data/liba.so"), (0, 1, "0x7000000104", "a::b()", "/data/liba.so"),
                                  (0, 2, "0xffffffc010000008", "vfs_read", "/proc/kallsyms"), (1, 0, "0x7000000140", None, "/data/liba.so")]),
]


def main():
    program, wrong, rows = sys.argv[1], 0, 0
    clocks = (10**9, 11 * 10**9, 11 * 10**9, 10**9, 10**9, 10**9)
    with tempfile.TemporaryDirectory() as folder:
        for name, data, statements in (("perf.data", examples.perf_a(), PERF), ("hook.htrace", examples.plain(), HOOK), ("statistic.htrace", examples.statistic(), STATISTIC),
                                       ("ebpf.htrace", ebpf_write.recording(0, examples.ebpf_items(), clocks), EBPF)):
            path, database = os.path.join(folder, name), os.path.join(folder, name + ".db")
            with open(path, "wb") as f:
                f.write(data)
            done = starts.run([program, path, "-e", database, "--quiet"], capture_output=True, text=True, check=False, timeout=300)
            if done.returncode not in (0, 3):
                raise SystemExit("%s: exit code %d: %s" % (name, done.returncode, done.stderr))
            db = sqlite3.connect(database)
            for what, sql, want in statements:
                got = db.execute(sql).fetchall()
                rows += len(want)
                if got != want:
                    wrong += 1
                    print("%s: %s: %r instead of %r" % (name, what, got, want))
            db.close()
    print("%d rows, %d statements differ" % (rows, wrong))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
