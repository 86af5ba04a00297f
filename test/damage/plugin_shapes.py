"""Recordings of plugins that invite too much time or memory, for growth.py and memory.py: SHAPES[name](n) is their segments."""

import struct

from htrace_bytes import field, segment, varint

LAUNCH = b"H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)"


def number(field, v):
    return varint(field << 3) + varint(v & (1 << 64) - 1)


def hilog_lines(n):
    """Numbers that go back, all in few messages, and each with another text."""
    def line(i):
        return field(1, field(1, number(1, 12 + i) + number(5, 73) + field(6, b"tag %d" % i)) + field(2, b"text %d" % i) + number(3, n - i))

    return b"".join(segment(b"hilog-plugin", b"".join(line(i) for i in range(at, min(n, at + 1000)))) for at in range(0, n, 1000))


def process_samples(n):
    """The last one first."""
    return b"".join(segment(b"process-plugin", field(1, number(1, 7) + field(2, b"name")), n - i) for i in range(n))


def diskio_samples(n):
    return b"".join(segment(b"diskio-plugin", number(4, i), n - i) for i in range(n))


def network_samples(n):
    return b"".join(segment(b"network-plugin", field(2, number(3, i)), n - i) for i in range(n))


def hidump_events(n):
    def event(i):
        return field(1, number(1, 1 + i % 2) + field(2, number(1, n - i)) + number(3, 60))

    return b"".join(segment(b"hidump-plugin", b"".join(event(i) for i in range(at, min(n, at + 1000)))) for at in range(0, n, 1000))


def stream_messages(n):
    return segment(b"stream-plugin", number(1, 7)) * n


def memory_counters(n):
    """A process in each message, most of them behind a gap, and a window that nobody owns."""
    def message(i):
        process = field(1, number(1, 1 + i % (n // 4 + 1)) + number(16, i))
        window = field(8, field(1, b"w%d" % i) + field(3, field(2, number(2, i))))
        return segment(b"memory-plugin", process + window, 12 + i) + b"\xff\xff\xff\x7f--" * (i % 2)

    return b"".join(message(i) for i in range(n))


def memory_maps(n):
    """All of one process, and as much shared memory of one name."""
    maps = b"".join(field(12, field(4, b"/dev/ashmem/%d" % i)) for i in range(n))
    return segment(b"memory-plugin", field(1, number(1, 7) + maps) + field(5, number(2, 7)) * n + field(6, number(2, 7)) * n)


def xpower_lists(n):
    """One report with long lists that are not packed, the texts last."""
    def column(number_of, size):
        return b"".join(number(number_of, i) for i in range(size))

    lists = b"".join(column(f, n) for f in (2, 4, 5)) + b"".join(field(3, b"t%d" % i) for i in range(n))
    return segment(b"xpower-plugin", number(1, 12000) + number(2, 13000) + field(7, field(1, lists)))


def xpower_reports(n):
    """Each with another counter's time before that of the one before."""
    return b"".join(segment(b"xpower-plugin", number(1, 12000 + n - i) + number(2, 13000 + n) + field(10, number(1, i))) for i in range(n))


def hisysevent_members(n):
    """One event with many members, keys in reverse, each an array or an object."""
    n //= 4  # else the line is too long
    members = b",".join(b'"k%07d":%s' % (n - i, b"[1]" if i % 2 else b'{"b":1,"a":[]}') for i in range(n))
    return segment(b"hisysevent-plugin", field(1, field(1, b'{"name_":"WORK_ADD","time_":12000,' + members + b"}")))


def hisysevent_arrays(n):
    """One long array beside a short one, and an event that is deep."""
    arrays = b'{"name_":"WORK_ADD","time_":12000,"A":[' + b",".join([b"1"] * n) + b'],"B":[2]}'
    deep = b'{"time_":12000,"A":' + b"[" * (n // 2) + b"]" * (n // 2) + b"}"
    return segment(b"hisysevent-plugin", field(1, field(1, arrays)) + field(1, field(1, deep)))


def hisysevent_keys(n):
    """Names that are all different."""
    def line(i):
        return field(1, field(1, b'{"name_":"WORK_ADD","time_":12000,"k%d":1}' % i))

    return b"".join(segment(b"hisysevent-plugin", b"".join(line(i) for i in range(at, min(n, at + 1000)))) for at in range(0, n, 1000))


def event(ts, pid, number_of_kind, body, tgid=20):
    return field(2, number(1, ts) + number(2, tgid) + field(3, b"app") + field(50, number(4, pid)) + field(number_of_kind, body))


def mark(ts, pid, text):
    return event(ts, pid, 1109, field(2, text))


def cpus(*details):
    """One message; each CPU's events."""
    return segment(b"ftrace-plugin", b"".join(field(2, number(1, i) + events) for i, events in enumerate(details)))


def batches(n, make, size=500):
    return b"".join(cpus(b"".join(make(i) for i in range(at, min(n, at + size)))) for at in range(0, n, size))


def ftrace_back(n):
    """The last event first."""
    return batches(n, lambda i: mark(2 * n - i, 20, b"C|20|n|1"))


def ftrace_equal(n):
    """All at one time."""
    return batches(n, lambda i: mark(7, 20, b"C|20|n|%d" % i))


def ftrace_threads(n):
    """Each of another thread."""
    return batches(n, lambda i: mark(7 + i, 1000 + i, b"B|%d|x" % (1000 + i)))


def ftrace_same_tid(n):
    """One thread number in many processes."""
    return batches(n, lambda i: mark(7 + i, 20, b"B|%d|x" % (1000 + i)))


def ftrace_deep(n):
    """Calls in calls, that all end."""
    return batches(n, lambda i: mark(7 + i, 20, b"B|20|x" if i < n // 2 else b"E|20"))


def ftrace_open(n):
    """Asynchronous calls that are open, and ends of others."""
    return batches(n, lambda i: mark(7 + i, 20, b"S|20|x|%d" % i if i < n // 2 else b"F|20|y|%d" % i))


def ftrace_cpus(n):
    """Each on another CPU."""
    return b"".join(cpus(*(mark(7 + i, 20, b"C|20|n|1") for i in range(at, min(n, at + 250)))) for at in range(0, n, 250))


def ftrace_switches(n):
    """One thread after the other, each woken before."""
    def pair(i):
        woken = event(2 * i + 1, 20 + i % 7, 2420, number(2, 20 + (i + 1) % 7))
        return woken + event(2 * i + 2, 20 + i % 7, 2417, number(2, 20 + i % 7) + number(4, 1) + number(6, 20 + (i + 1) % 7))

    return batches(n // 2, pair)


def ftrace_names(n):
    """Calls with names that are looked for, every other one open; starts of applications, and binder calls that are not received."""
    def some(i):
        ts, pid = 7 * i + 1, 20 + i % 50
        marks = (b"B|%d|H:dlopen: %d" % (pid, i), b"S|%d|H:APP_LIST_FLING, x, 5|%d" % (pid, i), b"B|%d|H:Task Perform: taskId : %d" % (pid, i), b"E|%d" % pid,
                 b"B|%d|%s##p%d##" % (pid, LAUNCH, i))
        call = event(ts + 5, pid, 113, number(1, i) + number(4, pid + 1))
        return b"".join(mark(ts + k, pid, text) for k, text in enumerate(marks)) + call + event(ts + 6, pid, 2417, number(2, pid) + number(4, 2048) + number(6, pid + 1))

    return batches(n // 8, some)


def ftrace_symbols(n):
    return segment(b"ftrace-plugin", b"".join(field(5, number(1, i) + field(2, b"symbol %d" % i)) for i in range(n)))


def ffrt_markers(n):
    """The last one first, each of a thread that is named before."""
    def one(i):
        head = number(1, n - i) + number(4, 20) + number(5, 21 + i % 1000)
        return field(1, head + field(6, b"name %d" % i)) + field(1, head + field(8, field(2, b"B") + field(3, b"x")))

    return b"".join(segment(b"ffrt-profiler", b"".join(one(i) for i in range(at, min(n // 2, at + 500)))) for at in range(0, n // 2, 500))


def hook(n, one, tables=b"", config=b""):
    """Segments of 500 events of native memory; one(i): what follows the time of an event."""
    events = lambda i: field(1, number(1, 12) + number(2, i + 1) + one(i))
    head = segment(b"nativehook_config", config) + segment(b"nativehook", tables)
    return head + b"".join(segment(b"nativehook", b"".join(events(i) for i in range(at, min(n, at + 500)))) for at in range(0, n, 500))


def native_hook_blocks(n):
    """All in use at one time, then released in another order; of each a stack of its own."""
    frame = field(5, number(1, 1) + field(3, b"f") + field(4, b"l"))

    def one(i):
        who = number(1, 7) + number(2, 7)
        if i < n // 2:
            return field(3, who + number(3, i << 32) + number(4, 16) + field(5, number(1, i)) + frame)
        return field(4, who + number(3, (i - n // 2) * 7919 % (n // 2) << 32))

    return hook(n, one)


def native_hook_maps(n):
    """Mappings from the highest address down, of each the middle released, then all that is left of many at once."""
    def one(i):
        at, who = n - i // 2, number(1, 7) + number(2, 7)
        if i % 2 == 0:
            return field(5, who + number(3, at << 16) + number(5, 49152))
        if i % 64 == 1:
            return field(6, who + number(3, at << 16) + number(4, 32 << 16))
        return field(6, who + number(3, (at << 16) + 16384) + number(4, 16384))

    return hook(n, one)


def native_hook_stacks(n):
    """Each of its own frames, with other texts; the last first, and each event another process."""
    def tables(i):
        pid = number(3, i % 50)
        return (field(1, field(8, number(1, i) + field(2, b"file %d" % i) + pid)) + field(1, field(9, number(1, i) + field(2, b"symbol %d" % i) + pid)) +
                field(1, field(13, number(1, i) + field(2, number(1, i) + number(7, i) + number(8, i)) + pid)) +
                field(1, field(14, number(1, n - i) + field(2, varint(i)) + number(4, i % 50))))

    return hook(n // 4, lambda i: field(3, number(1, i % 50) + number(2, i % 50) + number(3, i) + number(4, 8) + number(7, n - i)),
                b"".join(tables(i) for i in range(1, n // 4)), number(26, 1) + number(26, 2) + number(21, 1))


def native_hook_addresses(n):
    """Addresses of which nothing is known, then mappings over each other from the highest down, then symbols of their files, twice."""
    stacks = b"".join(field(1, field(14, number(1, i) + field(3, varint(i << 12) + varint(i << 20)) + number(4, 7))) for i in range(1, n // 4))
    maps = b"".join(field(1, field(11, number(1, 7) + number(2, i << 12) + number(3, (i << 12) + (1 << 20)) + number(5, i % 500))) for i in range(n // 4, 0, -1))
    symbols = b"".join(field(1, field(12, number(1, i % 500) + number(4, 16) + field(5, bytes(4) + varint(1) * 8 + b"\x02" + bytes(3)) + field(6, b"f%d\0" % i) + number(7, 7)))
                       for i in range(1000))
    return hook(n // 4, lambda i: field(3, number(1, 7) + number(2, 7) + number(3, i) + number(4, 8) + number(7, i)), stacks + maps + symbols, number(20, 1))


def native_hook_sums(n):
    """Statistics of stacks that are not there, each of several types."""
    return hook(n, lambda i: field(15, number(1, 7) + number(2, 1 + i // 4) + number(3, i % 4) + number(4, 1 + i) + number(6, 8 + i)), b"", number(22, 1))


def ebpf_section(items):
    """A section of its own; that of segments before it ends there."""
    ebpf = b"EBPFFILE" + struct.pack("<IIII", 1024, 1, 1, 0)
    data = ebpf + bytes(1024 - len(ebpf)) + b"".join(struct.pack("<II", kind, len(body)) + body for kind, body in items)
    header = b"OHOSPROF" + struct.pack("<QI", 1024 + len(data), 0x10000) + bytes(36) + struct.pack("<IQQ", 1000, 10**9, 11 * 10**9) + bytes(32) + b"hiebpf-plugin"
    return header + bytes(1024 - len(header)) + data


def ebpf_fault(start, ips):
    return 3, struct.pack("<II8sQQ16sQIHH16s", 20, 21, b"", start, start + 5, b"", 0x7000, 4096, len(ips), 1, b"app") + struct.pack("<%dQ" % len(ips), *ips)


def ebpf_open(start):
    return 2, struct.pack("<II8sQQ16siHH4Q16s", 20, 21, b"", start, start + 5, b"", 3, 0, 1, 0, 0, 0, 0, b"app")


def ebpf_path(start):
    return 5, struct.pack("<IIQIIII", 20, 21, start, 2, 1, 8, 0) + b"/data/f\0"


def ebpf_mixture(n):
    """Events of all kinds with maps, symbols and paths, as a recorder writes them."""
    names = b"\0open_file\0_ZN1a1bEv\0"
    functions = struct.pack("<IBBHQQ", 1, 2, 0, 1, 0x2000, 0x100) + struct.pack("<IBBHQQ", 11, 0x12, 0, 1, 0x2100, 0x40)
    yield 0, struct.pack("<QQIII", 0x7000000000, 0x7000010000, 0x1000, 20, 14) + b"/data/liba.so\0"
    yield 1, struct.pack("<QIIIII", 0x2000, 0x1000, len(names), len(functions), 14, 24) + names + functions + b"/data/liba.so\0"
    kernel = struct.pack("<QII", 0xFFFFFFC010000000, 0x100, 1)
    yield 0x10001, struct.pack("<QQII", 0xFFFFFFC010000000, 0xFFFFFFC010001000, len(kernel), 10) + kernel + b"\0vfs_read\0"
    for i in range(n):
        start, tid = 12 * 10**9 + i * 1000003, 20 + i % 3
        ips = (0xFFFFFFC010000008, 0x7000000104 + i % 2, 0x7000000010)[i % 2:]
        stack = struct.pack("<%dQ" % len(ips), *ips)
        if i % 4 < 2:
            text = b"/data/f%d\0" % (i % 7)
            yield 5, struct.pack("<IIQIIII", 20, tid, start, 2, 1 + i % 4, len(text), 0) + text
            yield 2, struct.pack("<II8sQQ16siHH4Q16s", 20, tid, b"fs", start, start + 50 + i, b"fs", 100 + i, len(ips), 1 + i % 4, 7 + i, 1, 2, 3, b"app") + stack
        elif i % 4 == 2:
            yield 3, struct.pack("<II8sQQ16sQIHH16s", 20, tid, b"pm", start, start + 7 + i, b"pm", 0x7000 + i, 4096, len(ips), 1 + i % 11, b"app") + stack
        else:
            yield 4, struct.pack("<II16sQQIIQII16s", 20, tid, b"app", start, start + 2000 + i, 4, 4096 * (1 + i % 3), 0x30 + i, len(ips), 1 + i % 5, b"bio") + stack


def ebpf_events(n):
    """The last one first, all with one stack."""
    return ebpf_section(ebpf_fault(n - i, [0x1010, 0x2010]) for i in range(n))


def ebpf_stacks(n):
    """Each with a stack of its own, in a map of its own."""
    maps = [(0, struct.pack("<QQIII", i << 12, (i + 1) << 12, 0, 20, 6) + b"/lib/a") for i in range(1, n + 2)]
    return ebpf_section(maps + [ebpf_fault(i, [0x1010, (i + 1) << 12, (i // 2 + 1) << 12]) for i in range(n)])


def ebpf_paths(n):
    """Of calls that are all alike, and paths that none of them has."""
    return ebpf_section([ebpf_open(7)] * n + [ebpf_path(7)] * n + [ebpf_path(9 + i) for i in range(n)])


def ebpf_requests(n):
    """Requests to a block device, each longer than the one before."""
    return ebpf_section((4, struct.pack("<II16sQQIIQII16s", 20, 21, b"app", 7 + i, 9 + 2 * i, 4, 4096, i, 0, 1, b"bio")) for i in range(n))


def ebpf_lengths(n):
    """Items that reach beyond the section, and good ones between them."""
    good, bad = ebpf_fault(7, []), ebpf_fault(7, [1])[1]
    return ebpf_section([good, (0, bad)] * n) + struct.pack("<II", 3, 1 << 31) * n


SHAPES = {f.__name__: f for f in (ebpf_events, ebpf_stacks, ebpf_paths, ebpf_requests, ebpf_lengths, hilog_lines, process_samples, diskio_samples, network_samples, hidump_events, stream_messages, memory_counters, memory_maps,
                                xpower_lists, xpower_reports, hisysevent_members, hisysevent_arrays, hisysevent_keys, ftrace_back, ftrace_equal, ftrace_threads, ftrace_same_tid,
                                ftrace_deep, ftrace_open, ftrace_cpus, ftrace_switches, ftrace_names, ftrace_symbols, ffrt_markers,
                                native_hook_blocks, native_hook_maps, native_hook_stacks, native_hook_addresses, native_hook_sums)}
