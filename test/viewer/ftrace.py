#!/usr/bin/env python3
"""What the web viewer finds in a recording with events of the kernel and plugins, table by table.

usage: ftrace.py TRACE_STREAMER TESTDIR

Of events of the kernel each statement is asked of the program's database and of one that is filled with the model's rows; both must answer the
same, and something. Of plugins the answers for example messages are here.
"""

import os
import random
import sqlite3
import sys
import tempfile

program, testdir = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import ftrace_write as write
from ftrace_compare import fill
from ftrace_made import Made
from ftrace_model import Event, Model
import starts

# Threads of the recording, as the viewer shows them: ids of rows depend on what else is in the file.
PEOPLE = "(SELECT p.pid FROM process p WHERE p.ipid = %s.ipid)"
THREAD = "(SELECT h.tid || '/' || p.pid FROM thread h JOIN process p ON p.ipid = h.ipid WHERE h.itid = %s)"
OURS = "p.pid NOT IN (20, 30, 40, 50)"  # those are of the plugins' messages

KERNEL = (
    ("any process row", "processes", "SELECT p.pid, p.name, switch_count > 0, thread_count > 0, slice_count > 0 FROM process p WHERE p.pid != 0 AND "
     "(switch_count > 0 OR thread_count > 0 OR slice_count > 0 OR mem_count > 0) AND %s ORDER BY 1" % OURS),
    ("any process row", "threads", "SELECT p.pid, t.tid, t.name, t.is_main_thread FROM thread t JOIN process p ON p.ipid = t.ipid WHERE t.tid != 0 AND %s "
     "ORDER BY 1, 2" % OURS),
    ("any process row", "what was received", "SELECT event_name, count FROM stat WHERE event_name IN ('print', 'tracing_mark_write', 'sched_switch') AND "
     "stat_type = 'received' AND count > 0 ORDER BY 1"),
    ("CPU rows", "slices", "SELECT s.ts, s.dur, s.cpu, %s, s.priority, s.end_state FROM sched_slice s ORDER BY s.id" % (THREAD % "s.itid")),
    ("CPU rows", "processes of slices", "SELECT s.id, %s FROM sched_slice s ORDER BY s.id" % (PEOPLE % "s")),
    ("CPU rows", "states", "SELECT s.ts, s.dur, s.cpu, s.state, s.tid, s.pid FROM thread_state s ORDER BY s.id"),
    ("CPU rows", "frequencies", "SELECT f.name, f.cpu, m.ts, m.dur, m.value FROM measure m JOIN cpu_measure_filter f ON f.id = m.filter_id WHERE f.name IN "
     "('cpu_frequency', 'cpu_idle', 'cpu_frequency_limits_max', 'cpu_frequency_limits_min') ORDER BY m.rowid"),
    ("wake-up arrows", "who wakes whom", "SELECT i.ts, i.name, %s, %s FROM instant i ORDER BY i.rowid" % (THREAD % "i.ref", THREAD % "i.wakeup_from")),
    ("wake-up arrows", "why a thread was blocked", "SELECT s.ts, s.tid, s.state, a.keyName, a.strValue FROM thread_state s JOIN args_view a ON "
     "a.argset = s.arg_setid ORDER BY s.id, a.id"),
    ("call stacks", "calls", "SELECT c.id, c.ts, c.dur, %s, c.depth, c.name, c.parent_id FROM callstack c WHERE c.cookie IS NULL ORDER BY c.id" %
     (THREAD % "c.callid")),
    ("call stacks", "asynchronous calls", "SELECT c.ts, c.dur, %s, %s, %s, c.cat, c.name, c.cookie FROM callstack c WHERE c.cookie IS NOT NULL ORDER BY c.id" %
     (THREAD % "c.callid", THREAD % "c.parent_id", THREAD % "c.child_callid")),
    ("call stacks", "arguments", "SELECT c.id, a.keyName, a.\"desc\", CAST(a.strValue AS TEXT) FROM callstack c JOIN args_view a ON a.argset = c.argsetid "
     "ORDER BY c.id, a.id"),
    ("call stacks", "jumps between binder calls", "SELECT c.id, c.name, d.id, d.name, %s FROM callstack c JOIN args_view a ON a.argset = c.argsetid "
     "AND a.keyName = 'destination slice id' JOIN callstack d ON d.id = a.strValue ORDER BY c.id, a.id" % (THREAD % "d.callid")),
    ("frames", "what is drawn", "SELECT f.id, f.ts, f.dur, f.type, f.flag, f.dst, f.vsync, f.depth, %s, %s, c.name FROM frame_slice f JOIN callstack c ON "
     "c.id = f.callstack_id WHERE f.flag IS NULL OR f.flag <> 2 ORDER BY f.id" % (PEOPLE % "f", THREAD % "f.itid")),
    ("frames", "what waits for the GPU", "SELECT g.dur, f.ts, f.vsync FROM gpu_slice g JOIN frame_slice f ON f.id = g.frame_row ORDER BY g.id"),
    ("frames", "late ones", "SELECT f.ts, f.dur FROM frame_slice f WHERE f.type = 0 AND f.flag = 1 ORDER BY f.id"),
    ("clocks", "rates", "SELECT f.name, f.type, f.cpu, m.ts, m.dur, m.value FROM measure m JOIN clock_event_filter f ON f.id = m.filter_id ORDER BY m.rowid"),
    ("interrupts", "on CPUs", "SELECT i.callid, i.cat, i.name, i.ts, i.dur, i.argsetid FROM irq i ORDER BY i.id"),
    ("interrupts", "what came of them", "SELECT i.id, a.keyName, CAST(a.strValue AS TEXT) FROM irq i JOIN args_view a ON a.argset = i.argsetid ORDER BY i.id, a.id"),
    ("dma fence", "states", "SELECT d.timeline, d.cat, d.ts, d.dur, d.driver, d.context, d.seqno FROM dma_fence d ORDER BY d.id"),
    ("syscalls", "calls", "SELECT s.syscall_number, s.ts, s.dur, %s, s.ret FROM syscall s ORDER BY s.ts, s.dur" % (THREAD % "s.itid")),
    ("process memory", "oom_score_adj and counters", "SELECT %s, f.name, m.ts, m.dur, m.value FROM process_measure m JOIN process_measure_filter f ON "
     "f.id = m.filter_id WHERE (SELECT pid FROM process p WHERE p.ipid = f.ipid) NOT IN (20, 30, 40, 50) ORDER BY m.rowid" % (PEOPLE % "f")),
)
SECOND = 10**9
# plugin, ((seconds, message as hex), ...)
MESSAGES = (
    ("cpu-plugin", ((12, "0a00180721000000000000f83f29000000000000e03f310000000000000040"), (13, "0a00180821000000000000004029000000000000e83f310000000000000640"))),
    ("diskio-plugin", ((12, "0800100020e80728f403"), (14, "08e80710f40320c00c28bc053a31121b0a0373646119000000000000f83f210000000000000440300a381412120a0373646219000000000000"
                                                          "e03f30013802"))),
    ("network-plugin", ((12, "120a18e807200a28f4033005"), (14, "120a18b81720142884073009"))),
    ("process-plugin", ((12, "0a2708011204696e6974180120e8072a0d09000000000000e03f10031864320208643a0528802030000a2608141203617070180120e8072a0d09000000000000f03f"
                         "10031832320208643a052800308040"),)),
    ("memory-plugin_config", ((12, "4a0114"),)),
    ("memory-plugin", ((12, "0a1b0814120361707018882720b81728d00f5898f8ffffffffffffff01120708011080a4e80312070802108092f401120408631001" "1a040801104d" "200c"),
                       (13, "0a120814120361707018ec27209c1828d00f5800" "1207080210e084ee01"),
                       (14, "0a4c08141203617070180162410a0438303030120438303031" "1a0472772d73" "220d2f6465762f6173686d656d2f78" "2804" "3004" "3802"
                            "41000000000000e03f" "480e" "5000" "5805" "6006" "6807" "7008" "7800" "800101"
                            "2a130a03617070101420092a01783080203805406432190a0d636f6d706f7365725f686f73741028180520808040284d"
                            "3a190a056d616c69301080401a0d0a04307861621014181520802042200a0377696e10032080081a140a04536b6961120c0a05496d616765108010180448646a070a0377696e1014"))),
    ("hidump-plugin", ((12, "0a0e08021208080c1080cab5ee01183c0a08080112020803183b"),)),
    ("hilog-plugin", ((15, "0a1d0a0e080c100518142015284932025431120973617920226869222018010a190a0e080d1005181420152846320254321205666174616c1802"),)),
    ("hisysevent-plugin", ((14, "0a670a637b22646f6d61696e5f223a2250222c226e616d655f223a22504f5745525f4944455f435055222c2274696d655f223a31323030302c227461675f223a22506f77657253"
                                "74617473222c224c4f4144223a5b332c342e355d2c224e4f5445223a226e227d1001121108501001180120022a0708051807800109"),)),
    ("xpower-plugin", ((12, "08e05d10987532100a04080b100c2a04083310342202102a3a15120d1204a00684071a0201022201031a0408642007"), (15, "08987510d08c012a1b08a01f284f3a14d4fdffffff"
                                                                                                              "ffffffff01cafdffffffffffffff01"))),
)
WORD = "(SELECT data FROM data_dict d WHERE d.id = t.%s)"
# row of the table, statement, answer
PLUGINS = (
    ("Ability monitor: CPU", "SELECT ts, dur, total_load, user_load, system_load, process_num FROM cpu_usage", [(3 * SECOND, SECOND, 2.75, 2.0, 0.75, 8)]),
    ("Ability monitor: disk", "SELECT ts, dur, rd, wr, rd_speed, wr_speed, rd_count, wr_count FROM diskio", [(4 * SECOND, 2 * SECOND, 1600, 700, 300.0, 100.0, 11, 22)]),
    ("Ability monitor: network", "SELECT ts, dur, tx, rx, tx_speed, rx_speed, packet_in, packet_in_sec, packet_out, packet_out_sec FROM network",
     [(4 * SECOND, 2 * SECOND, 900, 3000, 200.0, 1000.0, 20, 5.0, 9, 2.0)]),
    ("Ability monitor: processes", "SELECT ts, dur, process_id, process_name, thread_num, cpu_usage, pss_info, disk_reads, disk_writes FROM live_process",
     [(2 * SECOND, 0, 1, "init", 3, 0.5, 100, 4096, 0), (2 * SECOND, 0, 20, "app", 3, 1.0, 100, 0, 8192)]),
    ("Ability monitor: memory", "SELECT f.name, t.ts, t.value FROM sys_mem_measure t JOIN sys_event_filter f ON f.id = t.filter_id WHERE f.name IN "
     "('sys.mem.total', 'sys.mem.free', 'sys.virtual.mem.nr.free.pages') ORDER BY t.ts, t.rowid",
     [("sys.mem.total", 2 * SECOND, 8000000), ("sys.mem.free", 2 * SECOND, 4000000), ("sys.virtual.mem.nr.free.pages", 2 * SECOND, 77),
      ("sys.mem.free", 3 * SECOND, 3900000)]),
    ("process memory: which process", "SELECT p.pid FROM trace_config c JOIN process p ON p.ipid = c.value WHERE c.trace_source = 'memory_config' AND c.key = 'ipid'",
     [(20,)]),
    ("process memory: curve", "SELECT p.pid, t.ts, t.value FROM process_measure t JOIN process_measure_filter f ON f.id = t.filter_id JOIN process p ON p.ipid = f.ipid "
     "WHERE f.name = 'mem.vm.size' AND t.ts < 4000000000 ORDER BY t.ts", [(20, 2 * SECOND, 5000), (20, 3 * SECOND, 5100)]),
    ("process memory: clock", "SELECT s.clock_name, s.ts FROM datasource_clockid d JOIN clock_snapshot s ON s.clock_id = d.clock_id WHERE d.data_source_name = 'memory-plugin'",
     [("realtime", 11 * SECOND)]),
    ("Smaps", "SELECT timeStamp, start_addr, end_addr, dirty, swapper, resident_size, pss, virtaul_size, reside, " + WORD % "protection_id" + ", " + WORD % "path_id" +
     ", shared_clean, private_dirty, type FROM smaps t", [(4 * SECOND, "0x8000", "0x8001", 14, 0, 4, 2, 4, 0.5, "rw-s", "/dev/ashmem/x", 7, 6, 9)]),
    ("DMA", "SELECT p.pid, t.ts, t.fd, t.size, t.flag FROM memory_dma t JOIN process p ON p.ipid = t.ipid", [(40, 4 * SECOND, 5, 1048576, 0)]),
    ("Ashmem", "SELECT p.pid, t.ts, t.fd, t.pss, t.flag FROM memory_ashmem t JOIN process p ON p.ipid = t.ipid", [(20, 4 * SECOND, 9, 3, 0)]),
    ("GPU of processes", "SELECT " + WORD % "gpu_name_id" + ", all_gpu_size, addr, used_gpu_size FROM memory_process_gpu t", [("mali0", 8192, "0xab", 4096)]),
    ("GPU of windows", "SELECT " + WORD % "window_name_id" + ", " + WORD % "module_name_id" + ", " + WORD % "category_name_id" + ", size, count, purgeable_size FROM "
     "memory_window_gpu t", [("win", "Skia", "Image", 2048, 4, 1024)]),
    ("FPS", "SELECT ts, fps FROM hidump", [(2500000000, 60), (3 * SECOND, 59)]),
    ("hilog", "SELECT ts, level, tag, context, pid, tid FROM log", [(2000000005, "I", "T1", 'say "hi" ', 20, 21), (3000000005, "F", "T2", "fatal", 20, 21)]),
    ("energy: values", "SELECT t.ts, (SELECT data FROM data_dict d WHERE d.id = a.app_key), t.int_value FROM hisys_event_measure t JOIN app_name a ON a.id = t.key_id "
     "WHERE t.type = 0 ORDER BY t.id", [(2 * SECOND, "LOAD", 3.0), (2 * SECOND, "LOAD", 4.5)]),
    ("energy: state", "SELECT brightness, bt_state, location, wifi, stream_default, music, stream_all FROM device_state", [(80, 1, 1, 2, 5, 7, 9)]),
    ("xpower: battery", "SELECT f.name, t.ts, t.value FROM xpower_measure t JOIN measure_filter f ON f.id = t.filter_id WHERE f.name IN ('Battery.Level', "
     "'Battery.RealCurrent') ORDER BY t.ts, t.rowid", [("Battery.Level", 5 * SECOND, 79), ("Battery.RealCurrent", 5 * SECOND, -300), ("Battery.RealCurrent", 5100000000, -310)]),
    ("xpower: components", "SELECT " + WORD % "component_type_id" + ", start_time, duration, energy FROM xpower_app_statistic t",
     [("audio", 2 * SECOND, 12, 11), ("cpu", 2 * SECOND, 42, None), ("display", 2 * SECOND, 52, 51)]),
    ("xpower: GPU", "SELECT frequency, start_time, idle_time, run_time FROM xpower_app_detail_gpu", [(800, 2 * SECOND, 1, 3)]),
)


# An application that starts, loads a library, has tasks and is animated: (ms, thread, process, marker)
LAUNCHER, ABILITIES, SHOP, SERVICE = (7001, 7001), (7002, 7002), (7003, 7003), (7004, 7004)
VSYNC = "H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d"
ORIGIN = 2 * 10**15
START = "H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)##com.shop##"
STARTUP = (
    (1, LAUNCHER, "H:client dispatch touchId:5"), (2, LAUNCHER, None),
    (10, LAUNCHER, "H:OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB(x)"), (11, LAUNCHER, None),
    (20, ABILITIES, "H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility(x)"), (21, ABILITIES, None),
    (30, ABILITIES, "H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)##com.shop##"),
    (31, ABILITIES, None),
    (40, SHOP, START), (41, SHOP, "H:dlopen: /lib/libshop.so"), (43, SHOP, "H:dlopen: /lib/libinner.so"), (44, SHOP, None), (45, SHOP, None), (46, SHOP, None),
    (50, SHOP, "H:void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction(x)##com.shop##"), (51, SHOP, None),
    (60, SHOP, VSYNC % (ORIGIN + 60 * 10**6 - 10, ORIGIN + 76 * 10**6, 5)), (61, SHOP, "H:MarshRSTransactionData transactionFlag:[7003,1]"), (62, SHOP, None),
    (64, SHOP, None),
    (76, SERVICE, VSYNC % (ORIGIN + 76 * 10**6 - 10, ORIGIN + 92 * 10**6, 6)), (77, SERVICE, "H:RSMainThread::ProcessCommandUni [7003,1]"), (78, SERVICE, None),
    (79, SERVICE, "H:RSMainThread::DoComposition"), (80, SERVICE, None), (81, SERVICE, None),
    (82, SERVICE, "H:RSUniRender::Process:[SCBDesktop2] (0, 0, 1260, 2720) Alpha: 1.00"), (83, SERVICE, None),
    (84, SERVICE, "H:RSUniRender::Process:[WindowScene_shop] (0, 10, 1260, 2710) Alpha: 0.80"), (85, SERVICE, None),
    (86, SERVICE, "S|7004|H:LAUNCHER_APP_LAUNCH_FROM_ICON, com.shop, %d|5" % (ORIGIN // 10**6 + 10000)), (87, SERVICE, "H:Repaint"), (88, SERVICE, None),
    (89, SERVICE, "F|7004|H:LAUNCHER_APP_LAUNCH_FROM_ICON, com.shop, %d|5" % (ORIGIN // 10**6 + 10000)),
    (90, SHOP, "H:Task Allocation: taskId : 3, priority : 1, executeState : 1"), (91, SHOP, None),
    (92, SHOP, "H:Task Perform: taskId : 3"), (94, SHOP, "H:Task PerformTask End: taskId : 3, performResult : Successful"), (95, SHOP, None), (96, SHOP, None),
)
MS = 10**6
THREAD_OF = "(SELECT tid FROM thread h WHERE h.itid = t.%s)"
STARTED = (
    ("app startup", "SELECT start_name, start_time - %d, end_time - %d, packed_name, tid, %s FROM app_startup t ORDER BY start_name" % (ORIGIN, ORIGIN, THREAD_OF % "call_id"),
     [(0, 1 * MS, 10 * MS, "com.shop", 7001, 7001), (1, 10 * MS, 20 * MS, "com.shop", 7001, 7001), (2, 20 * MS, 30 * MS, "com.shop", 7002, 7002),
      (3, 30 * MS, 40 * MS, "com.shop", 7002, 7002), (4, 40 * MS, 50 * MS, "com.shop", 7003, 7003), (5, 50 * MS, 60 * MS, "com.shop", 7003, 7003),
      (6, 60 * MS, 64 * MS, "com.shop", 7003, 7003), (7, 76 * MS, 81 * MS, "com.shop", 7004, 7004)]),
    ("so loading", "SELECT tid, start_time - %d, end_time - %d, instr(so_name, 'libshop') > 0, depth FROM static_initalize ORDER BY id" % (ORIGIN, ORIGIN),
     [(7003, 41 * MS, 45 * MS, 1, 0), (7003, 43 * MS, 44 * MS, 0, 1)]),
    ("task pool", "SELECT task_id, priority, execute_state, return_state, %s, %s, %s, (SELECT ts - %d FROM callstack c WHERE c.id = t.execute_task_row) FROM task_pool t" %
     (THREAD_OF % "allocation_itid", THREAD_OF % "execute_itid", THREAD_OF % "return_itid", ORIGIN), [(3, 1, 1, 0, 7003, 7003, 7003, 92 * MS)]),
    ("animation", "SELECT input_time - %d, start_point - %d, end_point - %d, frame_info, substr(name, 1, 11) FROM animation" % (ORIGIN, ORIGIN, ORIGIN),
     [(0, 86 * MS, 89 * MS, "1:0", "H:LAUNCHER_")]),
    ("dynamic effect", "SELECT x, y, width, height, alpha, name, end_time - %d FROM dynamic_frame" % ORIGIN, [(0, 10, 1260, 2710, "0.80", "WindowScene_shop", 85 * MS)]),
    ("display", "SELECT * FROM device_info", [(1260, 2720, None)]),
)


def startup():
    """The recording of STARTUP alone: of nothing else are its processes and frames."""
    events = []
    for ms, (tid, pid), name in STARTUP:
        events.append(Event("print", ORIGIN + ms * MS, 0, tid, pid, "render_service" if tid == 7004 else "t%d" % tid, buf="E|%d" % pid if name is None else name if name[1] == "|" else "B|%d|%s" % (pid, name)))
    return write.htrace([write.clock_stats("boot"), write.details(events)], SECOND, 11 * SECOND, SECOND)


def recording(made):
    messages = [("ftrace-plugin", 12, write.clock_stats("boot") + write.symbol(0x1000, "do_work"))]
    messages += [("ftrace-plugin", 12, write.details(run)) for run in write.cut(made.events)]
    for name, samples in MESSAGES:
        messages += [(name, seconds, bytes.fromhex(data)) for seconds, data in samples]
    return write.container(messages, SECOND, 11 * SECOND, SECOND)


def model(made):
    database = sqlite3.connect(":memory:")
    fill(database, Model(symbols=[(0x1000, "do_work")], from_real=-10 * SECOND).run(made.events))
    database.executescript("""
        CREATE TABLE data_type (id, typeId, "desc");
        INSERT INTO data_type VALUES (0, 0, 'int32_t'), (1, 1, 'string'), (2, 2, 'double'), (3, 3, 'boolean');
        CREATE VIEW args_view AS SELECT a.argset, k.data AS keyName, a.id, d."desc", CASE a.datatype WHEN 1 THEN v.data ELSE a.value END AS strValue
          FROM args a JOIN data_type d ON d.typeId = a.datatype LEFT JOIN data_dict v ON v.id = a.value LEFT JOIN data_dict k ON k.id = a.key;""")
    return database


def converted(folder, name, data):
    path, out = os.path.join(folder, name + ".htrace"), os.path.join(folder, name + ".db")
    with open(path, "wb") as f:
        f.write(data)
    starts.run([program, path, "-e", out, "--quiet"], check=True)
    return sqlite3.connect(out)


def added_later(folder, name):
    """The same recording; the analysis is done on the finished database."""
    plain, out = os.path.join(folder, name + "-plain.db"), os.path.join(folder, name + "-later.db")
    starts.run([program, os.path.join(folder, name + ".htrace"), "-e", plain, "--quiet", "--analyze=none"], check=True)
    if any(sqlite3.connect(plain).execute("SELECT count(*) FROM " + table).fetchone()[0] for table in ("app_startup", "animation", "dynamic_frame")):
        raise SystemExit("--analyze=none: there are rows")
    starts.run([program, plain, "-e", out, "--quiet", "--analyze=markers"], check=True)
    return sqlite3.connect(out)


def unlike(database, answers):
    """What is answered otherwise."""
    wrong = []
    for row, sql, want in answers:
        got = database.execute(sql).fetchall()
        if got != want:
            wrong.append("%s: %r instead of %r" % (row, got, want))
    return wrong


def main():
    wrong = []
    made = Made(random.Random(54), "protobuf", 1500)
    with tempfile.TemporaryDirectory() as folder:
        database, expected = converted(folder, "recording", recording(made)), model(made)
        for row, what, sql in KERNEL:
            got, want = database.execute(sql).fetchall(), expected.execute(sql).fetchall()
            if not want:
                wrong.append("%s: %s: the model has nothing" % (row, what))
            elif got != want:
                at = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
                wrong.append("%s: %s: %d rows instead of %d, row %d: %r instead of %r" % (row, what, len(got), len(want), at, got[at : at + 1], want[at : at + 1]))
        wrong += unlike(database, PLUGINS)
        started = converted(folder, "startup", startup())
        wrong += unlike(started, STARTED)
        wrong += ["added later: " + text for text in unlike(added_later(folder, "startup"), STARTED[:-1])]  # device_info is no table of an analysis
    print("\n".join(wrong + ["%d statements, %d wrong" % (len(KERNEL) + len(PLUGINS) + 2 * len(STARTED) - 1, len(wrong))]))
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
