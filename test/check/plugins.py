#!/usr/bin/env python3
"""Compares what plugins of an .htrace other than ArkTS left in a database with what Python reads from the recording.

usage: plugins.py DATABASE RECORDING

Undamaged recordings only. Each plugin has a function that makes, from its messages as (ts, data) in the order of the file, the rows of
its tables and its counters in stat. Exit code 0: all equal; 1: differences; 2: the input is not one that can be judged.
"""

import itertools
import json
import struct
import sys

sys.dont_write_bytecode = True
import htrace
from check import Checker


def signed64(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def decode(data):
    """Values by field number, of repeated fields all."""
    got = {}
    for number, value in htrace.fields(data):
        got.setdefault(number, []).append(value)
    return got


def last(got, number, default=0):
    return got[number][-1] if number in got else default


def text(got, number):
    return last(got, number, b"").decode("utf-8", "replace")


def low32(got, number):
    return last(got, number) & 0xFFFFFFFF


def intervals(samples):
    """(ts, dur, record before, record) for all samples but the first, by time."""
    ordered = sorted(samples, key=lambda s: s[0])  # stable
    return [(b[0], b[0] - a[0], a[1], b[1]) for a, b in zip(ordered, ordered[1:])]


def real(got, number):
    return struct.unpack("<d", got[number][-1])[0] if number in got else 0.0


def cpu(messages, _):
    samples = []
    for ts, data in messages:
        got = decode(data)
        if 1 in got:
            samples.append((ts, (real(got, 6), real(got, 4), real(got, 5), signed64(last(got, 3)))))
    rows = [(ts, dur) + record for ts, dur, _, record in intervals(samples)]
    return {"cpu_usage: ts, dur, total_load, user_load, system_load, process_num": rows}, {"trace_cpu_usage received": len(samples)}


def rate(growth, dur):
    return None if dur == 0 else growth / (dur / 1e9)


def network(messages, _):
    samples = []
    for ts, data in messages:
        got = decode(data)
        if 2 in got:
            part = decode(got[2][-1])
            samples.append((ts, [last(part, n) for n in (3, 4, 5, 6)]))
    rows = []
    for ts, dur, before, at in intervals(samples):
        rx, packets_in, tx, packets_out = (rate(a - b, dur) for a, b in zip(at, before))
        rows.append((ts, dur, at[2], at[0], tx, rx, at[1], packets_in, at[3], packets_out, "undefined"))
    columns = "ts, dur, tx, rx, tx_speed, rx_speed, packet_in, packet_in_sec, packet_out, packet_out_sec, net_type"
    return {"network: " + columns: rows}, {"trace_network received": len(samples)}


def diskio(messages, _):
    samples = []
    for ts, data in messages:
        got = decode(data)
        number = lambda n, got=got: signed64(last(got, n))
        devices = [decode(d) for d in decode(last(got, 7, b"")).get(2, [])]
        reads = writes = 0.0
        for device in devices:
            reads += real(device, 3)
            writes += real(device, 4)
        samples.append((ts, (number(4), number(5), number(4) - number(1), number(5) - number(2), sum(last(d, 6) for d in devices),
                             sum(last(d, 7) for d in devices), reads, writes)))
    rows = [(ts, dur, at[0], at[1], rate(at[2], dur), rate(at[3], dur)) + at[4:] for ts, dur, _, at in intervals(samples)]
    columns = "ts, dur, rd, wr, rd_speed, wr_speed, rd_count, wr_count, rd_count_speed, wr_count_speed"
    return {"diskio: " + columns: rows}, {"trace_diskio received": len(samples)}


def process(messages, _):
    rows = []
    received = 0
    before = None
    for ts, data in sorted(messages, key=lambda m: m[0]):
        entries = [decode(e) for e in decode(data).get(1, [])]
        received += len(entries)
        dur = 0 if before is None else ts - before
        before = ts
        for e in entries:
            cpu, pss, disk = (decode(last(e, n, b"")) for n in (5, 6, 7))
            number = lambda n, e=e: htrace.signed32(last(e, n))
            if number(1) != 0:
                rows.append((ts, dur, last(cpu, 3), number(1), text(e, 2), number(3), number(4), str(number(4)), real(cpu, 1),
                             htrace.signed32(last(pss, 1)), htrace.signed32(last(cpu, 2)), last(disk, 6), last(disk, 5)))
    columns = "ts, dur, cpu_time, process_id, process_name, parent_process_id, uid, user_name, cpu_usage, pss_info, thread_num, " \
              "disk_writes, disk_reads"
    return {"live_process: " + columns: rows}, {"trace_process received": received}


def hidump(messages, clocks):
    rows = []
    for _, data in messages:
        for event in decode(data).get(1, []):
            event = decode(event)
            time = decode(last(event, 2, b""))
            ts = low32(time, 1) * 10**9 + low32(time, 2)
            clock = {1: "boot", 2: "real", 4: "mono"}.get(last(event, 1))
            rows.append((len(rows), ts + clocks["boot"] - clocks[clock] if clock else ts, low32(event, 3)))
    return {"hidump: id, ts, fps": rows}, {"hidump_fps received": len(rows)}


def stream(messages, _):
    return {}, {}


def integer(got, number):
    return signed64(last(got, number))


PROCESS_COUNTERS = ((3, "mem.vm.size"), (4, "mem.rss"), (5, "mem.rss.anon"), (6, "mem.rss.file"), (7, "mem.rss.schem"), (8, "mem.swap"),
                    (9, "mem.locked"), (10, "mem.hwm"), (11, "mm.oom_score_adj"))
GRAPHICS = ((14, "mem.purg_sum"), (15, "mem.purg_pin"), (16, "mem.gl_pss"), (17, "mem.graph_pss"))
SYSTEM = {1: "total", 2: "free", 3: "avaiable", 5: "cached", 37: "pined.purg"}
VIRTUAL = {1: "nr.free.pages", 38: "vmeminfo.pgpgin", 128: "workingset.restore"}


class Memory:
    """Values of counters with the time to the next one, and the other tables; counters and texts by their names."""

    def __init__(self):
        self.values = []  # table, pid or None, name, ts, dur, value
        self.open = {}
        self.maps, self.ashmem, self.dma, self.gpu, self.windows, self.images, self.cpu, self.profile = ([] for _ in range(8))
        self.window_pids = {}
        self.stat = dict.fromkeys(("memory", "sys_memory", "sys_virtual_memory", "trace_smaps", "trace_ash_mem", "trace_dma_mem",
                                   "trace_gpu_process_mem", "trace_gpu_window_mem", "trace_window_manager_service"), 0)
        self.names = {}
        self.order = {}  # of processes: by their first mention, as their ids are

    def seen(self, pid):
        self.order.setdefault(pid, len(self.order))
        return pid

    def value(self, table, pid, name, ts, value):
        key = (table, pid, name)
        before = self.open.get(key)
        if before is not None and ts >= before[3]:
            before[4] = ts - before[3]
        self.open[key] = [table, pid, name, ts, None, value]
        self.values.append(self.open[key])

    def named(self, got):
        if text(got, 1):
            self.names[htrace.signed32(last(got, 2))] = text(got, 1)
        return self.seen(htrace.signed32(last(got, 2)))

    def processes(self, ts, got, shared):
        for entry in map(decode, got.get(1, [])):
            pid = self.seen(htrace.signed32(last(entry, 1)))
            if text(entry, 2):
                self.names[pid] = text(entry, 2)
            if any(n in entry for n, _ in PROCESS_COUNTERS) or not any(n in entry for n, _ in GRAPHICS):
                for n, name in PROCESS_COUNTERS:
                    self.value("process_measure", pid, name, ts, integer(entry, n))
            for n, name in GRAPHICS:
                if n in entry:
                    self.value("process_measure", pid, name, ts, integer(entry, n))
            self.stat["trace_smaps"] += 12 in entry
            for item in map(decode, entry.get(12, [])):
                if "/dev/ashmem/" in text(item, 4):
                    shared[pid] = shared.get(pid, 0) + last(item, 7) + last(item, 16)
                self.maps.append((ts, pid, "0x" + text(item, 1), "0x" + text(item, 2), text(item, 3), text(item, 4), real(item, 8)) +
                                 tuple(last(item, n) for n in (9, 10, 6, 7, 5, 13, 14, 11, 12, 15, 16, 17)))

    def flags(self, rows, key, rank):
        """rows: (pid, ...); 0, 1 or 2 for each."""
        best = {}
        for row in rows:
            best.setdefault(key(row), []).append(rank(row))
        seen = set()
        out = []
        for row in rows:
            again = (key(row), row[0]) in seen
            seen.add((key(row), row[0]))
            out.append(1 if again else 0 if rank(row) == min(best[key(row)]) else 2)
        return out

    def message(self, ts, got):
        shared = {}
        for field, event in ((1, "memory"), (2, "sys_memory"), (3, "sys_virtual_memory"), (5, "trace_ash_mem"), (6, "trace_dma_mem"),
                             (7, "trace_gpu_process_mem"), (8, "trace_gpu_window_mem"), (13, "trace_window_manager_service")):
            self.stat[event] += field in got
        self.processes(ts, got, shared)
        for pair in map(decode, got.get(2, [])):
            self.value("sys_mem_measure", None, "sys.mem." + SYSTEM[last(pair, 1)], ts, integer(pair, 2))
        if 2 in got:
            for field, name in ((4, "zram"), (9, "gpu.limit"), (10, "gpu.used")):
                self.value("sys_mem_measure", None, "sys.mem." + name, ts, integer(got, field))
        for pair in map(decode, got.get(3, [])):
            self.value("sys_mem_measure", None, "sys.virtual.mem." + VIRTUAL[last(pair, 1)], ts, integer(pair, 2))
        rows = [(self.named(a), a) for a in map(decode, got.get(5, []))]
        flags = self.flags(rows, lambda r: (integer(r[1], 7), integer(r[1], 8)), lambda r: self.order[r[0]])
        for (pid, a), flag in zip(rows, flags):
            self.ashmem.append((ts, pid, text(a, 5), shared.get(pid, 0), flag) + tuple(integer(a, n) for n in (3, 4, 6, 7, 8, 9, 10)))
        rows = [(self.named(a), a) for a in map(decode, got.get(6, []))]
        rank = {"composer_host": 0, "render_service": -1}
        flags = self.flags(rows, lambda r: integer(r[1], 5), lambda r: rank.get(self.names.get(r[0]), -2))
        for (pid, a), flag in zip(rows, flags):
            self.dma.append((ts, pid, flag) + tuple(integer(a, n) for n in (3, 4, 5, 6)) + tuple(text(a, n) for n in (7, 8, 9)))
        for gpu in map(decode, got.get(7, [])):
            for p in map(decode, gpu.get(3, [])):
                self.gpu.append((ts, text(gpu, 1), integer(gpu, 2), text(p, 1), self.seen(htrace.signed32(last(p, 2))), htrace.signed32(last(p, 3)),
                                 integer(p, 4)))
        for info in map(decode, got.get(13, [])):
            self.window_pids.setdefault(text(info, 1), self.seen(htrace.signed32(last(info, 2))))
        for window in map(decode, got.get(8, [])):
            for module in map(decode, window.get(3, [])):
                for part in map(decode, module.get(2, [])):
                    self.windows.append([ts, text(window, 1), integer(window, 2), text(module, 1), text(part, 1), integer(part, 2),
                                         integer(part, 3), integer(window, 4)])
        self.cpu += [(ts, integer(decode(v), 1)) for v in got.get(12, [])]
        self.profile += [(ts, text(decode(v), 1), integer(decode(v), 2)) for v in got.get(14, [])]
        for image in map(decode, got.get(11, [])):
            pid = self.seen(htrace.signed32(last(image, 3))) if 3 in image else None
            self.images.append((ts, integer(image, 1), text(image, 2), pid, text(image, 4)))


def memory(messages, _):
    m = Memory()
    before = None
    for ts, data in messages:
        if data and (ts, data) == before:
            continue
        before = (ts, data)
        m.message(ts, decode(data))
    of = lambda table: [tuple(v[1:]) for v in m.values if v[0] == table]
    pid = "(SELECT pid FROM process p WHERE p.ipid = t.ipid)"
    word = lambda column: "(SELECT data FROM data_dict d WHERE d.id = t.%s)" % column
    tables = {
        "process_measure t JOIN process_measure_filter f ON f.id = t.filter_id: (SELECT pid FROM process p WHERE p.ipid = f.ipid), f.name, "
        "t.ts, t.dur, t.value": of("process_measure"),
        "sys_mem_measure t JOIN sys_event_filter f ON f.id = t.filter_id: NULL, f.name, t.ts, t.dur, t.value": of("sys_mem_measure"),
        "smaps t JOIN smaps_detail s ON s.smaps_id = t.id: t.timeStamp, (SELECT pid FROM process p WHERE p.ipid = s.ipid), t.start_addr, "
        "t.end_addr, " + word("protection_id") + ", " + word("path_id") + ", t.reside, t.dirty, t.swapper, t.resident_size, t.pss, "
        "t.virtaul_size, t.shared_clean, t.shared_dirty, t.private_clean, t.private_dirty, t.swap, t.swap_pss, s.category": m.maps,
        "memory_ashmem t: ts, " + pid + ", " + word("ashmem_name_id") + ", pss, flag, adj, fd, size, ashmem_id, time, ref_count, purged":
            m.ashmem,
        "memory_dma t: ts, " + pid + ", flag, fd, size, ino, exp_pid, " + word("exp_task_comm_id") + ", " + word("buf_name_id") + ", " +
        word("exp_name_id"): m.dma,
        "memory_process_gpu t: ts, " + word("gpu_name_id") + ", all_gpu_size, addr, " + pid +
        ", (SELECT tid FROM thread h WHERE h.itid = t.itid), used_gpu_size": m.gpu,
        "memory_window_gpu t: ts, " + word("window_name_id") + ", window_id, " + word("module_name_id") + ", " + word("category_name_id") +
        ", size, count, purgeable_size, " + pid: [tuple(w) + (m.window_pids.get(w[1]),) for w in m.windows],
        "memory_cpu t: ts, total_size": m.cpu,
        "memory_profile t: ts, " + word("channel_id") + ", total_size": m.profile,
        "memory_rs_image t: ts, mem_size, " + word("type_id") + ", " + pid + ", " + word("surface_name_id"): m.images,
    }
    return tables, {event + " received": count for event, count in m.stat.items()}


COMPONENTS = ("audio", "bluetooth", "camera", "cpu", "display", "flashlight", "gpu", "location", "wifiscan", "wifi", "modem")
TOPS = ((1, "audio"), (2, "bluetooth"), (6, "flashlight"), (8, "location"), (9, "wifiscan"), (5, "display"), (7, "gpu"), (3, "camera"), (4, "cpu"))


def numbers(got, number):
    """A repeated number, packed or not."""
    out = []
    for value in got.get(number, []):
        if isinstance(value, int):
            out.append(signed64(value))
        else:
            at = 0
            while at < len(value):
                v, at = htrace.varint(value, at)
                out.append(signed64(v))
    return out


def texts(got, number):
    return [t.decode("utf-8", "replace") for t in got.get(number, [])]


def top_rows(ts, name, got):
    """The lists of a component side by side, in the order of the table's columns."""
    none = itertools.repeat(None)
    apps = texts(got, 2)
    use = lambda first: [numbers(got, n) for n in range(first, first + 8)]
    if name in ("display", "gpu"):
        columns = [apps] + [none] * 8 + [none, none, none, numbers(got, 3), numbers(got, 4)]
    elif name == "camera":
        columns = [apps] + use(4) + [numbers(got, 3), none, none, none, none]
    elif name == "cpu":
        columns = [apps] + use(4) + [none, numbers(got, 3), numbers(got, 12), none, none]
    else:
        columns = [apps] + use(3) + [none] * 5
    return [(name, ts) + row for row in zip(*columns)]


def xpower(messages, clocks):
    starts = set()
    statistic, threads, frequencies, wifi, display, top, values = ([] for _ in range(7))
    config = []
    for _, data in messages:
        got = decode(data)
        start = integer(got, 1)
        if start in starts:
            continue
        starts.add(start)
        ts = start * 10**6 + shift_of(clocks)
        if text(got, 3) or not config:  # the first name that is one
            config = config if config and config[0][2] else [("xpower_config", "bundle_name", text(got, 3))]
        if 5 in got:
            part = decode(got[5][-1])
            values += [("Battery." + name, ts, integer(part, n)) for n, name in
                       ((1, "Capacity"), (2, "Charge"), (4, "GasGauge"), (5, "Level"), (6, "Screen"))]
            values += [("Battery.RealCurrent", ts + i * 10**8, htrace.signed32(v)) for i, v in enumerate(numbers(part, 7))]
        if 10 in got:
            part = decode(got[10][-1])
            values += [("ThermalReport.ShellTemp", ts, integer(part, 1)), ("ThermalReport.ThermalLevel", ts, integer(part, 2))]
        optional = lambda part, n: integer(part, n) if n in part else None
        components = decode(last(got, 6, b""))
        for n, name in enumerate(COMPONENTS, 1):
            part = decode(last(components, n, b""))
            if 1 in part or 2 in part:
                statistic.append((name, ts, optional(part, 2), optional(part, 1)))
        detail = decode(last(got, 7, b""))
        part = decode(last(detail, 1, b""))
        threads += [(name, ts, time, load, energy) for load, name, time, energy in
                    zip(numbers(part, 2), texts(part, 3), numbers(part, 4), numbers(part, 5))]
        part = decode(last(detail, 2, b""))
        frequencies += [(f, ts, idle, run) for f, idle, run in zip(numbers(part, 2), numbers(part, 3), numbers(part, 4))]
        wifi += [(ts,) + tuple(optional(decode(detail[3][-1]), n) for n in (1, 2, 3, 4))] if 3 in detail else []
        display += [(ts,) + tuple(optional(decode(detail[4][-1]), n) for n in range(1, 12))] if 4 in detail else []
        tops = decode(last(got, 8, b""))
        for n, name in TOPS:
            top += top_rows(ts, name, decode(last(tops, n, b"")))
    following = {}
    rows = []
    for name, ts, value in reversed(values):
        dur = following[name] - ts if name in following and following[name] >= ts else None
        following[name] = ts
        rows.append((name, ts, dur, value))
    word = lambda column: "(SELECT data FROM data_dict d WHERE d.id = t.%s)" % column
    return {
        "trace_config t WHERE trace_source = 'xpower_config': trace_source, key, value": config,
        "xpower_measure t JOIN measure_filter f ON f.id = t.filter_id: f.name, t.ts, t.dur, t.value": rows[::-1],
        "xpower_app_statistic t: " + word("component_type_id") + ", start_time, duration, energy": statistic,
        "xpower_app_detail_cpu t: " + word("thread_name_id") + ", start_time, thread_time, thread_loads, thread_energy": threads,
        "xpower_app_detail_gpu t: frequency, start_time, idle_time, run_time": frequencies,
        "xpower_app_detail_wifi t: start_time, tx_packets, rx_packets, tx_bytes, rx_bytes": wifi,
        "xpower_app_detail_display t: start_time, count_1hz, count_5hz, count_10hz, count_15hz, count_24hz, count_30hz, count_45hz, count_60hz, "
        "count_90hz, count_120hz, count_180hz": display,
        "xpower_component_top t: " + word("component_type_id") + ", start_time, " + word("appname") + ", background_duration, background_energy, "
        "foreground_duration, foreground_energy, screen_off_duration, screen_off_energy, screen_on_duration, screen_on_energy, camera_id, uid, "
        "load, app_usage_duration, app_usage_energy": top,
    }, {}


POWER_EVENTS = """POWER_IDE_BATTERY POWER_IDE_CPU POWER_IDE_LOCATION POWER_IDE_GPU POWER_IDE_DISPLAY POWER_IDE_CAMERA POWER_IDE_BLUETOOTH
POWER_IDE_FLASHLIGHT POWER_IDE_AUDIO POWER_IDE_WIFISCAN BRIGHTNESS_NIT SIGNAL_LEVEL WIFI_EVENT_RECEIVED AUDIO_STREAM_CHANGE AUDIO_VOLUME_CHANGE
WIFI_STATE BR_SWITCH_STATE BLUETOOTH_BR_SWITCH_STATE LOCATION_SWITCH_STATE ENABLE_SENSOR DISABLE_SENSOR WORK_REMOVE WORK_START WORK_STOP WORK_ADD
POWER_RUNNINGLOCK GNSS_STATE ANOMALY_SCREEN_OFF_ENERGY ANOMALY_ALARM_WAKEUP ANOMALY_KERNEL_WAKELOCK ANOMALY_RUNNINGLOCK ANOMALY_GNSS_ENERGY
ANOMALY_CPU_HIGH_FREQUENCY ANOMALY_CPU_ENERGY ANOMALY_WAKEUP ANORMALY_APP_ENERGY""".split()
EVENT_MEMBERS = ("domain_", "name_", "time_", "type_", "tz_", "pid_", "tid_", "uid_", "level_", "tag_", "id_", "seq_", "info_")


def measures(event):
    """(key, type, number, text) in the order of the rows."""
    arrays = []
    out = []
    one = lambda key, v: (key, 1, 0.0, v) if isinstance(v, str) else (key, 0, float(v), "")
    for key in sorted(event, key=str.encode):
        if isinstance(event[key], list):
            arrays.append(key)
        elif key not in ("name_", "time_"):
            out.append(one(key, event[key]))
    for i in range(max((len(event[key]) for key in arrays), default=0)):
        out += [one(key, event[key][i]) for key in arrays if i < len(event[key])]
    return out


def hisysevent(messages, clocks):
    events, values, states = [], [], []
    keys = {}
    stat = dict.fromkeys(("trace_hisys_event received", "trace_hisys_event not_match"), 0)
    before = None
    for message in messages:
        if message[1] and message == before:
            continue
        before = message
        got = decode(message[1])
        if 2 in got:
            state = decode(got[2][-1])
            volumes = decode(last(state, 5, b""))
            states.append((low32(state, 1), low32(state, 2), last(state, 3), low32(state, 4)) +
                          tuple(htrace.signed32(last(volumes, n)) for n in range(1, 17)))
        for line in map(decode, got.get(1, [])):
            event = json.loads(text(line, 1))
            ts = event["time_"] * 10**6 + shift_of(clocks)
            others = {key: event[key] for key in event if key not in EVENT_MEMBERS}
            contents = json.dumps(others, sort_keys=True, separators=(",", ":"), ensure_ascii=False) if others else "null"
            events.append((len(events) + 1, event.get("domain_"), event.get("name_"), ts) + tuple(
                event.get(k) for k in ("type_", "tz_", "pid_", "tid_", "uid_", "level_", "tag_", "id_", "seq_", "info_")) + (contents,))
            stat["trace_hisys_event received"] += 1
            stat["trace_hisys_event not_match"] += event.get("name_") not in POWER_EVENTS
            if event.get("name_") in POWER_EVENTS and event.get("tag_", "PowerStats") == "PowerStats":
                for row in measures(event):
                    keys.setdefault((event["name_"], row[0]), len(keys))
                    values.append((len(values), last(line, 2), ts, event["name_"]) + row)
    word = lambda column: "(SELECT data FROM data_dict d WHERE d.id = t.%s)" % column
    return {
        "hisys_all_event t: id, " + word("domain_id") + ", " + word("event_name_id") +
        ", ts, type, time_zone, pid, tid, uid, level, tag, event_id, seq, info, contents": events,
        "hisys_event_measure t JOIN app_name a ON a.id = t.key_id: t.id, t.serial, t.ts, " + word("name_id") +
        ", (SELECT data FROM data_dict d WHERE d.id = a.app_key), t.type, t.int_value, t.string_value": values,
        "app_name t: id, " + word("app_name") + ", " + word("app_key"): [(i,) + pair for pair, i in keys.items()],
        "device_state t: brightness, bt_state, location, wifi, stream_default, voice_call, music, stream_ring, media, voice_assistant, system, alarm, "
        "notification, bt_sco, enforced_audible, stream_dtmf, stream_tts, accessibility, recording, stream_all": states,
    }, stat


def hilog(messages, clocks):
    rows = []
    stat = dict.fromkeys(("hilog received", "hilog not_match", "hilog data_lost", "hilog invalid_data"), 0)
    before = 0
    for _, data in messages:
        for line in decode(data).get(1, []):
            line = decode(line)
            detail = decode(last(line, 1, b""))
            number = last(line, 3)
            stat["hilog received"] += 1
            stat["hilog not_match"] += number < before + 1
            stat["hilog data_lost"] += number > before + 1
            before = number
            level = chr(low32(detail, 5))
            stat["hilog invalid_data"] += level not in "DEIVWF"
            time = last(detail, 1) * 10**9 + last(detail, 2)
            rows.append((number, time + shift_of(clocks), low32(detail, 3), low32(detail, 4), level, text(detail, 6), text(line, 2), time))
    return {"log: seq, ts, pid, tid, level, tag, context, origints": rows}, stat


# name of the segments, function
PLUGINS = (
    ("cpu-plugin", cpu),
    ("hilog-plugin", hilog),
    ("process-plugin", process),
    ("diskio-plugin", diskio),
    ("network-plugin", network),
    ("hidump-plugin", hidump),
    ("stream-plugin", stream),
    ("memory-plugin", memory),
    ("xpower-plugin", xpower),
    ("hisysevent-plugin", hisysevent),
)


def shift_of(header):
    return header["boot"] - header["real"] if header and header["real"] else 0


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    c = Checker(argv[1])
    messages = {}
    clocks = None
    try:
        for header, payload in htrace.sections(htrace.read_bytes(argv[2])):
            if clocks is None and header["boot"]:
                clocks = header
            for segment in htrace.segments(payload):
                d = htrace.plugin_data(segment)
                messages.setdefault(d["name"], []).append((d["ts"], d["data"]))
    except htrace.FormatError as e:
        print("cannot judge the input: %s" % e, file=sys.stderr)
        return 2
    shift = shift_of(clocks)
    for name, model in PLUGINS:
        tables, stat = model([(ts + shift, data) for ts, data in messages.get(name, [])], clocks)
        for what, rows in tables.items():
            table, columns = what.split(": ", 1)
            c.compare(table, "SELECT %s FROM %s ORDER BY %s.rowid" % (columns, table, "t" if " t" in table else table), rows)
        for what, count in stat.items():
            c.same(what, c.rows("SELECT count FROM stat WHERE event_name = ? AND stat_type = ?", *what.split()).fetchone()[0], count)
    c.same("threads of no process", c.rows("SELECT count(*) FROM thread WHERE ipid IS NULL").fetchone()[0], 0)
    c.same("losses", c.rows("SELECT count(*) FROM import_issue WHERE severity IN ('data_loss', 'error')").fetchone()[0], 0)
    print("%d cells compared, %d differences" % (c.cells, c.bad))
    return 1 if c.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
