"""Frames of applications and of the render service, from markers (docs/formats.md, "ftrace-plugin")."""

import re

PAIR = re.compile(r"\[([0-9]+),([0-9]+)\]")
MARSH = re.compile(r"transactionFlag:\[([0-9]+),([0-9]+)\](?:,tid:([0-9]+),timestamp:([0-9]+))?")
TASK = re.compile(r"H:UIVsyncTask\[timestamp:([0-9]+)\]\[vsyncID:([0-9]+)\]")
QUEUED = "H:M: Frame queued"


class Row:
    """Of frame_slice."""

    def __init__(self, ts, vsync, ipid, itid, call, dur, kind):
        self.ts, self.vsync, self.ipid, self.itid, self.call, self.dur, self.kind = ts, vsync, ipid, itid, call, dur, kind
        self.src = []
        self.dst = self.flag = self.depth = None
        self.lost = False


class Frame:
    def __init__(self, actual, expected=None, end=0, key=None):
        self.actual, self.expected, self.expected_end, self.key = actual, expected, end, key
        self.number = None
        self.render = self.vsync_ended = self.ended = False
        self.gpu_done = True
        self.queued = self.place = self.queue_place = None


class Frames:
    def __init__(self, m):
        self.m = m
        self.rows = []
        self.maps = []
        self.gpu = []
        self.lists = {}
        self.vsync_rows = {}
        self.numbered = {}  # (main thread, number) -> frame
        self.expected = {}  # (thread, vsync) -> expected end
        m.slices.forgets = self.forget

    def last(self, itid):
        frames = self.lists.get(itid)
        return frames[-1] if frames else None

    def leave(self, itid, frame):
        if frame in self.lists.get(itid, []):
            self.lists[itid].remove(frame)

    def add(self, itid, frame):
        frame.place = self.m.losses.now
        self.lists.setdefault(itid, []).append(frame)

    def forget(self, itid, calls):
        """Events of the thread may be lost: its frames have no end, slices that are not open end none."""
        for rows in self.vsync_rows.values():
            rows[:] = [call for call in rows if call not in calls]
        frames = self.lists.get(itid, [])
        for frame in [f for f in frames if self.m.losses.of_thread(f.place, itid)]:
            self.rows[frame.actual].lost = not frame.ended
            frames.remove(frame)

    def append(self, *columns):
        self.rows.append(Row(*columns))
        return len(self.rows) - 1

    def begin(self, event, call, tgid, name):
        prefix, _, args = name.partition(" ")
        itid = self.m.threads.any(event.pid)
        self.m.slices.check(itid)
        ipid = self.m.threads.process(tgid)
        main = event.pid == tgid
        if prefix == "H:ReceiveVsync":
            self.receive(event, call, itid, ipid, args)
        elif prefix == "H:OnVsyncEvent":
            if not main:
                self.add(itid, Frame(self.append(event.ts, None, ipid, itid, call, None, 0)))
            if len(self.vsync_rows.get(itid, [])) < 2:
                self.vsync_rows.setdefault(itid, []).append(call)
        elif prefix.startswith("H:UIVsyncTask"):
            if not main:
                self.task(prefix, itid, self.m.threads.main_thread(ipid))
        elif prefix == "H:MarshRSTransactionData":
            self.marsh(itid, args)
        elif prefix == "H:RSMainThread::ProcessCommandUni":
            self.commands(itid, args)
        elif prefix.startswith("H:RSMainThread::DoComposition"):
            self.m.count("trace_on_do_composition", "received")
            if self.last(itid):
                self.last(itid).render = True

    def receive(self, event, call, itid, ipid, args):
        self.m.count("trace_vsync", "received")
        values = dict(re.findall(r"(\w+):([0-9]+)", args))
        now, end, vsync = (int(values.get(key, 0)) for key in ("now", "expectedEnd", "vsyncId"))
        if not (now and end and vsync):
            return
        from_mono = self.m.from_mono
        actual = self.append(event.ts, vsync, ipid, itid, call, None, 0)
        expected = self.append(now + from_mono, vsync, ipid, itid, call, end - now, 1)
        self.add(itid, Frame(actual, expected, end + from_mono, now))
        self.vsync_rows.setdefault(itid, []).append(call)
        self.expected[itid, vsync] = end + from_mono

    def task(self, prefix, itid, main):
        m = TASK.match(prefix)
        frame = self.last(itid)
        if m and frame:
            frame.key = int(m.group(1))
            self.rows[frame.actual].vsync = int(m.group(2))
            frame.expected_end = self.expected.get((main, int(m.group(2))), 0)

    def marsh(self, itid, args):
        m = MARSH.search(args)
        if not m:
            return
        pid, number, tid, key = m.groups()
        if tid is None:
            frame = self.last(itid)
            if frame is None or frame.ended:
                return
        else:
            itid = self.m.threads.any(int(tid))
            self.m.slices.check(itid)
            frame = next((f for f in self.lists.get(itid, []) if f.key == int(key)), None)
            if frame is None:
                return
            if frame.ended:
                self.leave(itid, frame)
        frame.number = int(number)
        self.numbered[self.m.threads.any(int(pid)), frame.number] = frame

    def commands(self, itid, args):
        frame = self.last(itid)
        if frame is None or frame.vsync_ended:
            return
        for pid, number in PAIR.findall(args):
            key = (self.m.threads.any(int(pid)), int(number))
            other = self.numbered.get(key)
            if other is None:
                continue
            self.join(other.actual, frame.actual)
            if other.expected is not None and frame.expected is not None:
                self.join(other.expected, frame.expected)
                theirs, ours = self.rows[other.expected], self.rows[frame.expected]
                if abs(ours.ts - (theirs.ts + theirs.dur)) >= 10**6:
                    self.rows[frame.actual].flag = 3
            if other.ended:
                del self.numbered[key]

    def join(self, source, target):
        self.maps.append((source, target))
        self.rows[source].dst = target
        self.rows[target].src.append(source)

    def finish_frame(self, frame, ts):
        row = self.rows[frame.actual]
        row.dur = ts - row.ts
        if row.flag != 3:
            row.flag = 0 if frame.expected_end >= ts else 1
        frame.ended = True

    def end(self, event, call):
        itid = self.m.threads.any(event.pid)
        self.m.slices.check(itid)
        if call not in self.vsync_rows.get(itid, []):
            return
        self.vsync_rows[itid].remove(call)
        frame = self.last(itid)
        if frame is None:
            self.m.count("trace_vsync", "not_match")
            return
        frame.vsync_ended = True
        if frame.render:
            if frame.gpu_done:
                self.finish_frame(frame, event.ts)
                self.leave(itid, frame)
        elif frame.ended:
            self.m.count("trace_vsync", "not_match")
        else:
            self.finish_frame(frame, event.ts)
            if frame.number is not None:
                self.leave(itid, frame)

    def queued(self, event, tgid, name):
        if name != QUEUED:
            return
        self.m.count("trace_frame_queue", "received")
        itid = self.m.threads.any(tgid)
        self.m.slices.check(itid)
        frames = self.lists.get(itid)
        if frames:
            frames[0].queued = event.ts
            frames[0].queue_place = self.m.losses.now
            frames[0].gpu_done = False

    def dequeued(self, event, tgid, name):
        if name != QUEUED:
            return
        itid = self.m.threads.any(tgid)
        self.m.slices.check(itid)
        frames = self.lists.get(itid)
        if not frames:
            self.m.count("trace_frame_queue", "not_match")
            return
        frame = frames[0]
        never = event.ts + 1 if self.m.compat else None  # QF-35
        lost = frame.queued is not None and self.m.losses.of_any(frame.queue_place)
        self.gpu.append((frame.actual, never if frame.queued is None or lost else event.ts - frame.queued))
        frame.gpu_done = True
        if frame.vsync_ended:
            if not lost:
                self.finish_frame(frame, event.ts)
            self.rows[frame.actual].lost = lost
            self.leave(itid, frame)

    def finish(self):
        for frames in self.lists.values():
            for frame in frames:
                if frame.render:
                    break
                for number in (frame.actual, frame.expected):
                    if number is not None:
                        self.rows[number].flag = 2
        lanes = {}
        for row in self.rows:
            if row.flag == 2:
                continue
            mine = lanes.setdefault((row.ipid, row.kind), [])
            end = row.ts if row.lost else (row.ts - 1 if self.m.compat else float("inf")) if row.dur is None else row.ts + row.dur
            row.depth = next((i for i, last in enumerate(mine) if last < row.ts), len(mine))
            mine[row.depth : row.depth + 1] = [end]

    def slice_rows(self):
        return [(i, r.ts, r.vsync, r.ipid, r.itid, r.call, r.dur, ",".join(map(str, r.src)) or None, r.dst, r.kind,
                 ("actural", "expect")[r.kind], r.flag, r.depth, 0) for i, r in enumerate(self.rows)]
