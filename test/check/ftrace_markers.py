"""What the names of slices say: app_startup, static_initalize, task_pool, animation, dynamic_frame, device_info.

Where the format leaves something open, docs/tables.md and docs/differences.md say what was chosen; each choice has its comment here.
"""

import re

PHASES = (
    "H:client dispatch touchId:", "H:OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB",
    "H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility",
    "H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)##",
    "H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)##",
    ("H:void OHOS::AbilityRuntime::FAAbilityThread::HandleAbilityTransaction(", "H:void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction"),
)
TASKS = ("H:Task Allocation: ", "H:Task Perform: ", "H:Task PerformTask End: ")
ANIMATIONS = ("H:LAUNCHER_APP_", "H:APP_TRANSITION_")
FLING = "H:APP_LIST_FLING"
RATE = "H:RSJankStats::RecordAnimationDynamicFrameRate"
DRAWN = re.compile(r"H:(?:RSUniRender::Process|RSSurfaceRenderNodeDrawable::OnDraw):\[([^\]]*)\][^(]*\( *(-?[0-9]+) *, *(-?[0-9]+) *, *(-?[0-9]+) *, *(-?[0-9]+) *\)(.*)", re.DOTALL)
ALPHA = re.compile(r".*?lpha[:\[ ]*([0-9.]+)", re.DOTALL)
NUMBER = re.compile(r"-?[0-9]+")


def fits(n):
    return -(1 << 63) <= n < 1 << 63


def number(text):
    return int(text) if NUMBER.fullmatch(text) and fits(int(text)) else None


class Call:
    """A row of callstack."""

    def __init__(self, row, slice_, threads):
        self.row, self.ts, self.name, self.itid = row, slice_.ts, slice_.name, slice_.callid
        self.end = None if slice_.dur is None else slice_.end()
        self.asynchronous = slice_.cookie is not None
        self.emitter = slice_.child
        self.thread = threads.threads[self.itid]


class Start:
    def __init__(self, package):
        self.package, self.phases = package, {}


class Marked:
    """`clocks`: what is added to a realtime to get a time of the recording. With --time-range the tables are made of the rows that are left:
    `slices` and `frames` say for the number of each of these in the whole recording its number among those that are left."""

    def __init__(self, m, clocks, slices=None, frames=None):
        self.m, self.clocks = m, clocks
        rows = m.slices.rows
        self.calls = [Call(new, rows[old], m.threads) for old, new in (enumerate(range(len(rows))) if slices is None else sorted(slices.items()))]
        self.frames = [f for i, f in enumerate(m.frames.rows) if frames is None or i in frames]
        self.paired = lambda f: m.frames.rows[f.dst] if f.dst is not None and (frames is None or f.dst in frames) else None
        self.sync = [c for c in self.calls if not c.asynchronous]

    def startup_rows(self):
        """A start is a phase 4. Phase 3: the last one of the package since its last start; 0 to 2: the last ones before phase 3 (4), each used once;
        5: the first one in the process since phase 4; 6: the first frame of the process that begins at or after phase 4."""
        early, attached, starts, of_process = {}, {}, [], {}
        for c in self.sync:
            phase = next((i for i, prefix in enumerate(PHASES) if c.name.startswith(prefix)), None)
            if phase is None:
                continue
            if phase < 3:
                early[phase] = c
                continue
            if phase == 5:
                start = of_process.get(c.thread.ipid)
                if start is not None:
                    start.phases.setdefault(5, c)
                continue
            package = c.name[len(PHASES[phase]):].split("##")[0].strip(" ")
            start = attached.get(package) or Start(package)
            if phase == 3 or 3 not in start.phases:
                start.phases.update(early)
                early = {}
            start.phases[phase] = c
            if phase == 3:
                attached[package] = start
            else:
                attached.pop(package, None)
                starts.append(start)
                of_process[c.thread.ipid] = start
        rows = []
        for start in starts:
            rows += self.phase_rows(start)
        return rows

    def phase_rows(self, start):
        launch = start.phases[4]
        first = next((f for f in self.frames if f.kind == 0 and f.ipid == launch.thread.ipid and f.ts >= launch.ts), None)
        spans = {i: (c.ts, start.phases[i + 1].ts if i + 1 in start.phases else None, c.itid) for i, c in start.phases.items()}
        if first is not None:
            if 5 in spans:
                spans[5] = (spans[5][0], first.ts, spans[5][2])
            of_frame = lambda f: (f.ts, None if f.dur is None else f.ts + f.dur, f.itid)
            spans[6] = of_frame(first)
            if self.paired(first) is not None:
                spans[7] = of_frame(self.paired(first))
        threads = self.m.threads.threads
        # A phase that begins before the one in front of it: its end is not known.
        return [(itid, threads[itid].ipid, threads[itid].tid, begin, end if end is not None and end >= begin else None, phase, start.package)
                for phase, (begin, end, itid) in sorted(spans.items())]

    def library_rows(self):
        rows, lanes = [], {}
        for c in self.calls:
            if "dlopen:" not in c.name:
                continue
            mine = lanes.setdefault(c.thread.ipid, [])
            lane = next((i for i, last in enumerate(mine) if last < c.ts), len(mine))
            mine[lane : lane + 1] = [float("inf") if c.end is None else c.end]
            rows.append((c.thread.ipid, c.thread.tid, c.itid, c.ts, c.end, c.name, lane))
        return rows

    def task_rows(self):
        """Of two calls of one kind, and of two numbers, the first counts; taskId before executeId."""
        tasks = {}
        for c in self.sync:
            step = next((i for i, prefix in enumerate(TASKS) if c.name.startswith(prefix)), None)
            if step is None:
                continue
            said = {}
            for pair in c.name[len(TASKS[step]):].partition("|")[0].split(","):
                key, _, value = pair.partition(":")
                key, value = key.strip(" "), value.strip(" ")
                if key == "performResult":
                    said.setdefault(key, 0 if value == "Successful" else 1)
                elif number(value) is not None:
                    said.setdefault(key, number(value))
            task = said.get("taskId", said.get("executeId"))
            if task is None:
                continue
            calls, numbers = tasks.setdefault((c.thread.ipid, task), ({}, {}))
            calls.setdefault(step, c)
            for key, value in said.items():
                numbers.setdefault(key, value)
        rows = []
        for (_, task), (calls, numbers) in tasks.items():
            rows.append(tuple(calls[s].row if s in calls else None for s in range(3)) + tuple(calls[s].itid if s in calls else None for s in range(3)) +
                        (task, numbers.get("priority"), numbers.get("executeState"), numbers.get("performResult"), None))
        return rows

    def animation_rows(self):
        """Repaints that end from the beginning to the end; the last frame rate that is said in that time comes before their number."""
        threads = self.m.threads.threads  # with --compat a slice may name a thread 4294967295 (QF-14)
        draws = lambda itid: itid < len(threads) and threads[itid].name.endswith(("render_service", "RSUniRenderThre"))
        repaints = [c.end for c in self.sync if c.name.startswith("H:Repaint") and c.end is not None]
        rates = sorted((c.ts, c.row, c.name) for c in self.sync if c.name.startswith(RATE))
        rows = []
        for c in self.calls:
            parts = c.name.split(", ")
            if not c.asynchronous or c.emitter is None or not draws(c.emitter):
                continue
            if not (c.name.startswith(ANIMATIONS) or parts[0].rstrip(" ") == FLING):
                continue
            ms = number(parts[2].strip(" ")) if len(parts) > 2 else None
            info = None
            if c.end is not None:
                said = [re.search("[0-9]+(?:[.][0-9]+)?", name) for ts, _, name in rates if c.ts <= ts <= c.end]
                if said and said[-1]:
                    info = "0:" + said[-1].group()
                else:
                    info = "%d:0" % sum(c.ts <= end <= c.end for end in repaints)
            ms = None if ms is None or not fits(ms * 10**6) or not fits(ms * 10**6 + self.clocks) else ms
            rows.append((None if ms is None else ms * 10**6 + self.clocks, c.ts, c.end, info, c.name))
        return rows

    def drawn(self):
        for c in self.sync:
            m = DRAWN.match(c.name)
            if m:
                yield c, m.group(1).strip(" "), [int(m.group(i)) for i in range(2, 6)], ALPHA.match(m.group(6))

    def window_rows(self):
        return [tuple(box) + (alpha.group(1) if alpha else None, name, c.end) for c, name, box, alpha in self.drawn() if name.startswith("WindowScene_")]

    def device_rows(self):
        size = next((tuple(box[2:]) for _, name, box, _ in self.drawn() if name.startswith("SCBDesktop")), (None, None))
        beats = [c.ts for c in self.sync if c.name.startswith("H:GenerateVsyncCount")][:6]
        rate = None
        if len(beats) == 6 and beats[5] > beats[0]:
            rate = min((60, 90, 120), key=lambda r: (abs(r - 5 * 10**9 / (beats[5] - beats[0])), r))
        return [size + (rate,)]

    def tables(self):
        numbered = lambda rows: [(i,) + tuple(row) for i, row in enumerate(rows)]
        return {
            "app_startup t: id, call_id, ipid, tid, start_time, end_time, start_name, packed_name": numbered(self.startup_rows()),
            "static_initalize t: id, ipid, tid, call_id, start_time, end_time, so_name, depth": numbered(self.library_rows()),
            "task_pool t: id, allocation_task_row, execute_task_row, return_task_row, allocation_itid, execute_itid, return_itid, task_id, priority, "
            "execute_state, return_state, timeout_row": numbered(self.task_rows()),
            "animation t: id, input_time, start_point, end_point, frame_info, name": numbered(self.animation_rows()),
            "dynamic_frame t: id, x, y, width, height, alpha, name, end_time": numbered(self.window_rows()),
            "device_info t: physical_width, physical_height, physical_frame_rate": self.device_rows(),
        }
