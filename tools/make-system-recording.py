#!/usr/bin/env python3
"""Makes test/data/recording-system.htrace.gz: two seconds of a device on which a gallery shows photos, as its recorder would write them.

usage: make-system-recording.py OUT.htrace.gz     equal bytes each time

What happens in it, for docs/tutorial.md and the tests of the report, on two CPUs:
* the gallery starts (0 to 180 ms) and then draws a frame each 16.6 ms, which the render service shows;
* for one frame (at 500 ms) it reads a photo from the disk on its main thread: 40 ms blocked, so the frame is late;
* its thread `uploader` is woken at 1 s and gets no CPU for 180 ms, because an indexer of higher priority has CPU 1; then it sends the photo;
* it keeps a decoded photo a frame, 64 KiB each, of which only each fourth is released; page faults of the new memory take time;
* the log has its errors, the system has an event of a late frame, and every 250 ms load, memory, disk and network were measured.
"""

import gzip
import json
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test/check"))
import ebpf_write
from ftrace_model import Event
from ftrace_write import clock_stats, comm, details, number, text
from perf_write import section

MS = 10**6
SECOND = 10**9
START = 100 * SECOND  # of the device
REAL = 1_790_000_000 * SECOND
CLOCKS = (START, REAL, REAL, START, START, START)
GALLERY, UPLOADER, DECODER, SERVICE, MEDIA, INDEXER = 2100, 2107, 2108, 700, 1500, 1503
NAMES = {GALLERY: "example.gallery", UPLOADER: "uploader", DECODER: "decoder", SERVICE: "render_service", MEDIA: "media_service", INDEXER: "indexer", 0: "swapper"}
PROCESS = {GALLERY: GALLERY, UPLOADER: GALLERY, DECODER: GALLERY, SERVICE: SERVICE, MEDIA: MEDIA, INDEXER: MEDIA, 0: 0}
PRIORITY = {0: 120, INDEXER: 98}
VSYNC = 16_600_000
SLOW = 18  # the frame that is late
PHOTO = "/data/photos/0042.jpg"
SLEEPING, BLOCKED = 1, 2


class Device:
    """Events of the kernel in order of time; who runs on each CPU."""

    def __init__(self):
        self.events = []
        self.on = {0: 0, 1: 0}

    def put(self, kind, at, cpu, tid, **fields):
        self.events.append(Event(kind, START + at, cpu, tid, PROCESS[tid], NAMES[tid], **fields))

    def switch(self, at, cpu, tid, left=SLEEPING):
        """tid runs now; what ran is `left`."""
        before = self.on[cpu]
        if before == tid:
            return
        self.put("sched_switch", at, cpu, before, prev_comm=NAMES[before], prev_pid=before, prev_prio=PRIORITY.get(before, 120), prev_state=0 if before == 0 else left,
                 next_comm=NAMES[tid], next_pid=tid, next_prio=PRIORITY.get(tid, 120))
        self.on[cpu] = tid

    def wake(self, at, cpu, by, tid, target):
        self.put("sched_waking", at, cpu, by, pid=tid, target_cpu=target)
        self.put("sched_wakeup", at + 5000, cpu, by, pid=tid, target_cpu=target)

    def mark(self, at, cpu, tid, name):
        self.put("print", at, cpu, tid, buf="B|%d|%s" % (PROCESS[tid], name))

    def end(self, at, cpu, tid):
        self.put("print", at, cpu, tid, buf="E|%d" % PROCESS[tid])


def start_of_the_gallery(d):
    phases = (("H:OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB", 5, 20, GALLERY),
              ("H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility", 22, 60, GALLERY),
              ("H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)##com.example.gallery", 62, 90, GALLERY),
              ("H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)##com.example.gallery", 92, 150, GALLERY),
              ("H:void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction##com.example.gallery", 152, 178, GALLERY))
    d.wake(4 * MS, 0, 0, GALLERY, 0)
    d.switch(4 * MS + 50000, 0, GALLERY)
    for name, begin, end, tid in phases:
        d.mark(begin * MS, 0, tid, name)
        if begin == 92:
            d.mark(100 * MS, 0, tid, "H:dlopen: /system/lib64/libimage.z.so")
            d.end(118 * MS, 0, tid)
        d.end(end * MS, 0, tid)
    d.switch(180 * MS, 0, 0)


def frame(d, k, at):
    """The gallery draws, on CPU 0; the result is when it has done so."""
    due = START + at + VSYNC
    d.wake(at - 100000, 0, 0, GALLERY, 0)
    d.switch(at, 0, GALLERY)
    now = at + 100000
    d.mark(now, 0, GALLERY, "H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d" % (START + at, due, 100 + k))
    d.mark(now + 50000, 0, GALLERY, "H:OnVsyncEvent")
    d.mark(now + 100000, 0, GALLERY, "H:Layout")
    d.end(now + 1_200_000, 0, GALLERY)
    now += 1_300_000
    if k == SLOW:
        d.mark(now, 0, GALLERY, "H:DecodePhoto " + PHOTO)
        d.switch(now + 500000, 0, 0, BLOCKED)
        d.put("sched_blocked_reason", now + 40_000_000, 0, 0, pid=GALLERY, caller=0, iowait=1, caller_str="f2fs_wait_on_page")
        d.wake(now + 40_400_000, 0, 0, GALLERY, 0)
        d.switch(now + 40_500_000, 0, GALLERY)
        now += 44_000_000
        d.end(now, 0, GALLERY)
    d.mark(now + 100000, 0, GALLERY, "H:MarshRSTransactionData cmdCount:20 transactionFlag:[%d,%d]" % (GALLERY, k + 1))
    d.end(now + 700000, 0, GALLERY)
    d.end(now + 800000, 0, GALLERY)
    d.end(now + 900000, 0, GALLERY)
    d.switch(now + 1_000_000, 0, 0)
    return now + 1_000_000


def shown(d, k, vsync):
    """The render service shows it at the next signal, on CPU 1, or on CPU 0 while the indexer has that."""
    now = vsync + 5 * MS
    cpu = 0 if 975 * MS < now < 1190 * MS else 1
    d.wake(now - 150000, 0, 0, SERVICE, cpu)
    d.switch(now, cpu, SERVICE)
    d.mark(now + 20000, cpu, SERVICE, "H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d" % (START + vsync, START + vsync + VSYNC, 100 + k))
    d.mark(now + 40000, cpu, SERVICE, "H:RSMainThread::ProcessCommandUni [%d,%d]" % (GALLERY, k + 1))
    d.end(now + 400000, cpu, SERVICE)
    d.mark(now + 500000, cpu, SERVICE, "H:RSMainThread::DoComposition")
    d.end(now + 2_000_000, cpu, SERVICE)
    d.end(now + 2_100_000, cpu, SERVICE)
    d.switch(now + 2_200_000, cpu, 0)


def frames(d):
    at, k, out = 200 * MS, 0, []
    while at < 1950 * MS:
        end = frame(d, k, at)
        out.append(at)
        if k > 0:
            shown(d, k - 1, at)
        k += 1
        at += VSYNC
        while at < end:
            at += VSYNC
    shown(d, k - 1, at)
    return out


def starving(d):
    """The indexer has CPU 1 from 990 ms to 1190 ms; the uploader waits from 1000 ms to 1180 ms."""
    d.wake(989_900_000, 1, 0, INDEXER, 1)
    d.switch(990 * MS, 1, INDEXER)
    d.mark(990_100_000, 1, INDEXER, "H:IndexFolder /data/photos")
    d.wake(1000 * MS, 0, 0, UPLOADER, 1)
    d.end(1179_900_000, 1, INDEXER)
    d.switch(1180 * MS, 1, UPLOADER)
    d.mark(1180_100_000, 1, UPLOADER, "H:UploadPhoto " + PHOTO)
    d.end(1189_000_000, 1, UPLOADER)
    d.switch(1189_500_000, 1, 0)


def kernel():
    d = Device()
    start_of_the_gallery(d)
    drawn = frames(d)
    starving(d)
    d.put("print", 1990 * MS, 0, 0, buf="C|%d|photos|%d" % (GALLERY, len(drawn)))
    for i, khz in enumerate((600000, 1800000, 2400000, 1200000)):
        for cpu in (0, 1):
            d.put("cpu_frequency", i * 500 * MS + 1000, cpu, 0, state=khz, cpu_id=cpu)
    d.events.sort(key=lambda e: e.ts)
    runs = []
    for cpu in (0, 1):
        events = [e for e in d.events if e.cpu == cpu]
        runs += [details(events[i:i + 200]) for i in range(0, len(events), 200)]
    return [(REAL, "ftrace-plugin", clock_stats("boot") + comm(MEDIA, NAMES[MEDIA]))] + [(REAL, "ftrace-plugin", run) for run in runs], drawn


def real(field, value):
    return bytes([field << 3 | 1]) + struct.pack("<d", value)


def measured():
    """Every 250 ms: (total, user, system) load; per process CPU time in ms, % and PSS in KiB; disk in KiB; network in bytes."""
    out = []
    read = written = sent = received = 0
    spent = {GALLERY: 0, SERVICE: 0, MEDIA: 0}
    for i in range(9):
        ts = REAL + i * 250 * MS
        load = (35.5, 20.0, 21.5, 24.0, 60.5, 61.0, 22.0, 20.5, 18.0)[i]
        out.append((ts, "cpu-plugin", number(3, 3) + real(4, load - 8) + real(5, 8.0) + real(6, load) + text(1, number(1, 0))))
        before = read, written
        read, written = read + (0, 400, 12288, 64, 512, 0, 0, 16, 0)[i], written + (64, 64, 0, 128, 64, 4096, 0, 64, 64)[i]
        out.append((ts, "diskio-plugin", number(1, before[0]) + number(2, before[1]) + number(4, read) + number(5, written)))
        sent, received = sent + (0, 0, 0, 0, 0, 3_145_728, 1_048_576, 0, 0)[i], received + (0, 900, 900, 900, 900, 9000, 3000, 900, 900)[i]
        out.append((ts, "network-plugin", text(2, number(3, received) + number(4, received // 900) + number(5, sent) + number(6, sent // 1400))))
        processes = b""
        for pid, name, share, pss in ((GALLERY, "com.example.gallery", (40.0, 21.0, 18.0, 19.0, 22.0, 20.0, 19.0, 18.0, 18.0)[i], 81920 + i * 1280),
                                      (SERVICE, "render_service", 12.5, 122880), (MEDIA, "media_service", (0.0, 0.0, 0.0, 0.0, 40.0, 35.0, 0.5, 0.0, 0.0)[i], 40960)):
            spent[pid] += int(share * 2.5)
            usage = real(1, share) + number(2, 8) + number(3, spent[pid])
            disk = number(5, read * 1024 if pid == GALLERY else 0) + number(6, written * 1024 if pid == GALLERY else 0)
            processes += text(1, number(1, pid) + text(2, name) + number(3, 1) + number(4, 20010044) + text(5, usage) + text(6, number(1, pss)) + text(7, disk))
        out.append((ts, "process-plugin", processes))
        memory = text(1, number(1, GALLERY) + text(2, "com.example.gallery") + number(3, 2_000_000) + number(4, 98304 + i * 1280) + number(5, 70000 + i * 1280))
        memory += text(2, number(1, 1) + number(2, 7_800_000)) + text(2, number(1, 2) + number(2, 3_000_000 - i * 1280)) + text(2, number(1, 3) + number(2, 4_000_000 - i * 1280))
        out.append((ts, "memory-plugin", memory))
    return out


def logs():
    lines = ((300, "I", "Gallery", "folder has 240 photos", GALLERY, GALLERY), (545, "W", "Gallery", "frame took 47 ms", GALLERY, GALLERY),
             (546, "E", "PhotoCache", "not in the cache: " + PHOTO, GALLERY, GALLERY), (700, "E", "PhotoCache", "not in the cache: /data/photos/0043.jpg", GALLERY, DECODER),
             (1185, "I", "Uploader", "sent 3145728 bytes", GALLERY, UPLOADER), (1186, "E", "Uploader", "timeout after 180 ms, tried again", GALLERY, UPLOADER),
             (1187, "F", "Uploader", "server closed the connection", GALLERY, UPLOADER), (1900, "D", "Indexer", "idle", MEDIA, INDEXER))
    data = b""
    for i, (ms, level, tag, words, pid, tid) in enumerate(lines):
        at = REAL + ms * MS
        data += text(1, text(1, number(1, at // SECOND) + number(2, at % SECOND) + number(3, pid) + number(4, tid) + number(5, ord(level)) + text(6, tag)) + text(2, words) + number(3, i + 1))
    event = {"domain_": "GRAPHIC", "name_": "JANK_FRAME", "type_": 1, "time_": (REAL + 546 * MS) // MS, "tz_": "+0000", "pid_": GALLERY, "tid_": GALLERY, "uid_": 20010044,
             "level_": "CRITICAL", "id_": "1", "info_": "", "FRAME_MS": 47}
    return [(REAL + 1990 * MS, "hilog-plugin", data), (REAL + 1990 * MS, "hisysevent-plugin", text(1, text(1, json.dumps(event)) + number(2, 1)))]


def allocations(drawn):
    """A photo a frame is decoded by two call paths; each fourth is released."""
    def stack(*frames):
        return b"".join(text(5, number(1, ip) + text(3, name) + text(4, path) + number(5, ip & 0xFFF) + number(6, 4)) for ip, name, path in frames)

    image, app = "/system/lib64/libimage.z.so", "/data/app/libgallery.so"
    decode = stack((0x7000, "malloc", "/system/lib/ld-musl-aarch64.so.1"), (0x8010, "ImageDecoder::decode", image), (0x9020, "PhotoCache::load", app), (0x9100, "main", app))
    thumb = stack((0x7000, "malloc", "/system/lib/ld-musl-aarch64.so.1"), (0x8210, "ImageDecoder::scale", image), (0x9020, "PhotoCache::load", app), (0x9100, "main", app))
    out = b""
    for i, at in enumerate(drawn):
        ts = REAL + at + 2 * MS
        address = 0x7F0000000000 + i * 0x20000
        for what, size, where in ((decode, 65536, address), (thumb, 4096, address + 0x18000)):
            out += text(1, number(1, ts // SECOND) + number(2, ts % SECOND) + text(3, number(1, GALLERY) + number(2, GALLERY) + number(3, where) + number(4, size) + what))
        later = ts + 8 * MS
        for where in [address + 0x18000] + [address] * (i % 4 == 3):
            out += text(1, number(1, later // SECOND) + number(2, later % SECOND) + text(4, number(1, GALLERY) + number(2, GALLERY) + number(3, where)))
    return [(REAL, "nativehook_config", b""), (REAL + 1990 * MS, "nativehook", out)]


def segments(messages):
    payload = b""
    for ts, name, data in sorted(messages, key=lambda m: m[0]):
        part = text(1, name) + text(3, data) + number(4, 7) + number(5, ts // SECOND) + number(6, ts % SECOND)
        payload += struct.pack("<I", len(part)) + part
    head = struct.pack("<8sQII32sI6Q", b"OHOSPROF", 1024 + len(payload), 0x10000, 2 * len(messages), bytes(32), 0, START, REAL, REAL, START, START, START)
    return head.ljust(1024, b"\0") + payload


def disk_and_faults(drawn):
    read, app = (0xFFFFFFC010000008, 0x7000000104, 0x7000000010), "example.gallery"
    names = b"\0PhotoCache::load\0main\0"
    table = struct.pack("<IBBHQQ", 1, 2, 0, 1, 0x2100, 0x40) + struct.pack("<IBBHQQ", 18, 18, 0, 1, 0x2000, 0x100)
    items = ebpf_write.maps(0x7000000000, 0x7000010000, 0x1000, GALLERY, "/data/app/libgallery.so") + ebpf_write.elf(0x2000, 0x1000, 24, table, names, "/data/app/libgallery.so")
    items += ebpf_write.kernel_symbols(0xFFFFFFC010000000, 0xFFFFFFC010001000, [(0xFFFFFFC010000000, 0x100, "vfs_read")])
    for begin, dur, path, size in ((300 * MS, 2 * MS, "/data/photos/index.db", 65536), (500_900_000, 39 * MS, PHOTO, 12_582_912), (1182 * MS, 1_500_000, PHOTO, 3_145_728)):
        at = START + begin
        items += ebpf_write.path(GALLERY, GALLERY, at, 2, 2, path) + ebpf_write.file_system(GALLERY, GALLERY, at, at + dur, size & 0x7FFFFFFF, 2, (7, 0, size, 0), app, read)
        items += ebpf_write.path(GALLERY, GALLERY, at + 1000, 4, 1, path) + ebpf_write.block(GALLERY, GALLERY, app, at + 1000, at + dur - 1000, 4, size, begin // MS, 1, read)
    for i, begin in enumerate(drawn):
        at = START + begin + 1_500_000
        items += ebpf_write.paged_memory(GALLERY, GALLERY, at, at + 20_000 + 100 * i, 0x7F0000000000 + i * 0x20000, 4096, 2, app, read[1:])
    head = struct.pack("<QIIII", 0x454C494646504245, 1024, 1, 1, 6) + b"hiebpf"
    return section(1000, head.ljust(1024, b"\0") + items, "hiebpf-plugin", CLOCKS)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    events, drawn = kernel()
    data = segments(events + measured() + logs() + allocations(drawn)) + disk_and_faults(drawn)
    with open(sys.argv[1], "wb") as f:
        f.write(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    main()
