"""Random recordings of the kernel's events: a small machine whose threads run, wait, call each other and draw, with what goes wrong in between."""

from ftrace_markers import PHASES
from ftrace_model import Event

NAMES = ["app", "worker", "Binder 1", "com.example.app", "kworker/u8:3", "a-b", "näme", "IPC_2 x", "k=v", "RSUniRender", "render_service", "RSUniRenderThre"]
STATES = [0, 0, 1, 1, 1, 1, 2, 2, 2, 2048, 2048, 4, 8, 16, 32, 64, 128, 2049, 48]
MORE_STATES = STATES + [130, 130, 136, 256, 4096, 32768, 1026, 1 << 40]
SLICES = ["H:outer", "H:x y", "call", "H:[8b0e,2,1]#C##dist", "H:[a,b,c]#S##", "H:[a,b,c]###none", "H:[a,b]#C##no", "H:name|M62|k=v", "H:n|I|", "H:n||z",
          "H:n|D3|a|b", " lead", "tail  ", "", "H:ünï", 'q"uote', "|", "H:[8b0e,2,1]#plain"]
MALFORMED = ["", "E", "B", "B|", "B|20", "B|20|", "B|x|H:y", "X|20|no", "E|", "E|abc", "E\n", "C|20|H:bad|x", "C|20|", "C|20|v", "S|20|H:no",
             "S|20|H:a|b", "F|20||1", "S|20||1", "trace_event_clock_sync: parent_ts=1", "trace_event_clock_sync", "BB|1|x", "E20", "C|20|H:n 5", "S|20|H:sp ace 5",
             "F|20|H:sp ace 5", "C|20|H:[a,b,c]#chain|4", "H|20|cat|H:g", "G|20|cat|H:g|x", "C|20|n|-0", "C|0|zero|1", "C|20|n|7|more", "hello world", "E|20 "]
FLAGS = [0, 1, 4, 16, 17, 24, 29, 2, -1, 0x80000000]


DIGITS = ["3", "7", "-1", "x", "", "99999999999999999999"]
PACKAGES = ["com.shop", "com.shop", "com.maps", "", " com.x "]
LAUNCH = [prefix if isinstance(prefix, str) else prefix[0] for prefix in PHASES]
ANIMATED = ["H:LAUNCHER_APP_LAUNCH_FROM_ICON", "H:APP_TRANSITION_TO_OTHER_APP", "H:APP_LIST_FLING", "H:APP_LIST_FLING2", "H:LAUNCHER_APP", "APP_LIST_FLING"]
BOXES = ["(0, 0, 1260, 2720) Alpha: 1.00", "(0,-5,10,20)Alpha:0.5", "(1, 2, 3, 4)", "(1, 2, 3)", "(1, 2, 3, x) Alpha: 1", "(1,2,3,4) alpha[0.3], x", "no", "(1, 2, 3, 4) Alpha: none"]


class Made:
    """`events` are in the order of the recording; `only` names the kinds of actions that are wanted."""

    def __init__(self, rng, reader, count, only=None):
        self.rng, self.reader = rng, reader
        self.text = reader == "text"
        self.now = rng.choice([10**12, 10**12 + 5, 168758663039000000])
        self.cpus = rng.randrange(1, 5)
        self.events = []
        self.names = {0: "swapper"}
        self.of = {0: 0}  # tid -> pid
        for _ in range(rng.randrange(2, 6)):
            self.spawn()
        self.main = [tid for tid in self.of if tid and self.of[tid] == tid]
        self.running = [0] * self.cpus
        self.blocked = []
        self.calls = 0
        self.sent = []
        self.flags = {}
        self.scripts = []
        self.frame = 0
        actions = [(self.switch, 10), (self.wakeup, 6), (self.blocked_reason, 2), (self.marker, 16), (self.binder, 5), (self.counter, 5),
                   (self.interrupt, 5), (self.script, 10), (self.syscall, 3), (self.life, 1), (self.odd, 1), (self.fence, 1), (self.work, 2), (self.named, 4)]
        if reader == "protobuf" and rng.random() < 0.5:
            actions.append((self.ffrt, 4))
        actions = [a for a in actions if not only or a[0].__name__ in only]
        chosen = [a for a in actions if rng.random() < 0.85] or actions
        while len(self.events) < count:
            self.now += rng.choice([0, 0, 0, 1, 7, 100, 5000, 10**6])
            rng.choices([a for a, _ in chosen], [w for _, w in chosen])[0]()
        self.events = self.mixed(self.with_holes(self.events))

    def with_holes(self, events):
        """In some recordings events are lost in the middle of a CPU, once or several times, and in most the next one says so (`missed`, how many)."""
        rng = self.rng
        for _ in range(rng.choice([0, 0, 1, 1, 4])):
            cpu, at, n = rng.randrange(self.cpus), rng.randrange(len(events)), rng.choice([1, 3, 20, 60])
            lost = {id(e) for e in [e for e in events[at:] if e.cpu == cpu][:n]}
            if len(lost) < len(events) // 2:
                following = [e for e in events[at:] if e.cpu == cpu and id(e) not in lost]
                if following and rng.random() < 0.7:
                    following[0].missed = max(len(lost), 1)
                events = [e for e in events if id(e) not in lost]
        return events

    def mixed(self, events):
        """The order of the recording: within some blocks CPU by CPU, and a few events out of order."""
        rng, out = self.rng, []
        while events:
            n = rng.randrange(1, 80)
            block, events = events[:n], events[n:]
            if rng.random() < (0.2 if self.text else 0.8):
                block.sort(key=lambda e: e.cpu)
            if rng.random() < 0.1:
                rng.shuffle(block)
            out += block
        return out

    def spawn(self):
        pid = self.rng.randrange(20, 5000)
        for tid in [pid] + [self.rng.randrange(20, 5000) for _ in range(self.rng.randrange(4))]:
            self.of[tid] = pid
            self.names[tid] = self.rng.choice(NAMES)
        return pid

    def some(self):
        return self.rng.choice(list(self.of))

    def thread(self, cpu=None):
        """One that runs, or any."""
        return self.running[self.rng.randrange(self.cpus) if cpu is None else cpu] if self.rng.random() < 0.8 else self.some()

    def put(self, kind, tid=None, cpu=None, /, **fields):
        rng = self.rng
        cpu = rng.randrange(self.cpus) if cpu is None else cpu
        tid = self.thread(cpu) if tid is None else tid
        pid = self.of[tid]
        if rng.random() < 0.06:
            pid = rng.choice([0, 0, 0, self.of[self.some()], -3 if not self.text else 0])
        comm = self.names[tid] if rng.random() < 0.97 else rng.choice(["", "other"])
        self.events.append(Event(kind, self.now, cpu, tid, pid, comm, **fields))

    def switch(self):
        rng = self.rng
        cpu = rng.randrange(self.cpus)
        prev = self.running[cpu] if rng.random() < 0.95 else self.some()
        following = self.some() if rng.random() < 0.75 else 0
        state = rng.choice(STATES if self.text else MORE_STATES)
        if state in (2, 130):
            self.blocked.append(prev)
        fields = {"prev_comm": self.names[prev], "prev_pid": prev, "prev_prio": 120, "prev_state": state, "next_comm": self.names[following],
                  "next_pid": following, "next_prio": rng.choice([120, 100, 0, 41])}
        if self.reader != "protobuf" and rng.random() < 0.2:
            fields["next_info"] = rng.choice(["0,1,2", "f"])
        self.running[cpu] = following
        if self.rng.random() > 0.03:  # some are lost
            self.put("sched_switch", prev, cpu, **fields)

    def wakeup(self):
        kinds = ["sched_wakeup", "sched_waking", "sched_wakeup_new"] + ["wakeup"] * (self.reader == "protobuf")
        self.put(self.rng.choice(kinds), pid=self.some(), target_cpu=self.rng.randrange(self.cpus))

    def blocked_reason(self):
        rng = self.rng
        tid = self.blocked.pop() if self.blocked and rng.random() < 0.8 else self.some()
        fields = {"pid": tid, "caller": rng.choice([0, 0x1000, (1 << 64) - 8]), "iowait": rng.randrange(2)}
        if rng.random() < 0.5:
            fields["caller_str"] = rng.choice(["do_wait+0x10/0x20", "f"])
        if self.text and rng.random() < 0.5:
            fields["delay"] = rng.randrange(1000)
        self.put("sched_blocked_reason", **fields)

    def mark(self, tid, text):
        self.put("print", tid, buf=text + ("\n" if not self.text and self.rng.random() < 0.2 else ""))

    def marker(self):
        rng = self.rng
        tid = self.thread()
        pid = self.of[tid] if rng.random() < 0.9 else rng.choice([0, self.of[self.some()], 33])
        kind = rng.choice("BBBBBEEEEESSFFCGH?")
        cookie = rng.choice([1, 2, 7, -5])
        name = rng.choice(["H:load", "net$$H:x", "a$$b$$c", "$$x", "H:[a,b,c]#chain", "x y"])
        tail = rng.choice(["", "", "|M62", "|I|cat", "|D1|cat|args", "|||", "|E5|c|a|b"])
        if kind == "B":
            self.mark(tid, "B|%d|%s" % (pid, rng.choice(SLICES)))
        elif kind == "E":
            self.mark(tid, "E|%d%s" % (pid, rng.choice(["", "|", "|H:x"])))
        elif kind in "SF":
            self.mark(tid, "%s|%d|%s|%d%s" % (kind, pid, name, cookie, tail if kind == "S" else ""))
        elif kind == "C":
            self.mark(tid, "C|%d|%s|%d" % (pid, rng.choice(["H:count", "x y", "H:[a,b,c]#n"]), rng.choice([0, 5, -6, 1 << 40, -(1 << 63), (1 << 63) - 1])))
        elif kind in "GH":
            self.mark(tid, "%s|%d|%s|%s|%d" % (kind, pid, rng.choice(["cat", "dog"]), rng.choice(["H:g", "g"]), cookie))
        else:
            self.mark(tid, rng.choice(MALFORMED).replace("20", str(pid)))

    def binder(self):
        rng = self.rng
        what = rng.random()
        tid = self.thread()
        if what < 0.35 or not self.sent:
            self.calls += 1
            to = self.some()
            reply = int(rng.random() < 0.2)
            flags = rng.choice(FLAGS)
            self.sent.append((self.calls, to, tid, reply, flags & 1))
            self.put("binder_transaction", tid, debug_id=self.calls, target_node=rng.randrange(9), to_proc=self.of[to], to_thread=to, reply=reply,
                     code=rng.choice([0, 1, -2]), flags=flags)
        elif what < 0.75:
            number, to, sender, reply, one_way = self.sent.pop(rng.randrange(len(self.sent)) if rng.random() < 0.3 else -1)
            self.put("binder_transaction_received", to, debug_id=number if rng.random() < 0.95 else 999999)
            if not reply and not one_way and rng.random() < 0.8:
                self.calls += 1
                self.scripts.append([("binder_transaction", to, {"debug_id": self.calls, "target_node": 0, "to_proc": self.of[sender], "to_thread": sender,
                                                                 "reply": 1, "code": 0, "flags": 0}),
                                     ("binder_transaction_received", sender, {"debug_id": self.calls})])
        elif what < 0.85:
            self.put("binder_transaction_alloc_buf", tid, debug_id=self.calls, data_size=rng.randrange(500), offsets_size=8)
        else:
            self.put(rng.choice(["binder_lock", "binder_locked", "binder_unlock"]), tid)

    def counter(self):
        rng = self.rng
        cpu = rng.randrange(self.cpus)
        kind = rng.randrange(6)
        if kind == 0:
            self.put("cpu_idle", state=rng.choice([0, 1, 2, 10, 11, 4294967295]), cpu_id=cpu)
        elif kind == 1:
            self.put("cpu_frequency", state=rng.choice([500000, 1800000, 2400000]), cpu_id=cpu)
        elif kind == 2:
            self.put("cpu_frequency_limits", min_freq=500000, max_freq=rng.choice([1800000, 2000000]), cpu_id=cpu)
        elif kind == 3:
            self.put(rng.choice(["clock_set_rate", "clock_enable", "clock_disable"]), name=rng.choice(["gpu", "ddr"]), state=rng.randrange(900), cpu_id=cpu)
        elif kind == 4:
            what = rng.choice(["clk_set_rate", "clk_enable", "clk_disable"])
            self.put(what, name=rng.choice(["ddr", "uart_clk"]), **({"rate": rng.randrange(10**9)} if what == "clk_set_rate" else {}))
        else:
            self.put("oom_score_adj_update", pid=rng.choice([self.of[self.some()], rng.randrange(20, 5000)]), oom_score_adj=rng.choice([0, -1000, 900]))

    def interrupt(self):
        rng = self.rng
        kind = rng.choice(["irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit", "softirq_raise", "ipi_entry", "ipi_exit"])
        if kind == "irq_handler_entry":
            self.put(kind, irq=4, name=rng.choice(["uart", "gpio-keys" if self.text else "gpio keys"]))
        elif kind == "irq_handler_exit":
            self.put(kind, irq=4, ret=rng.randrange(2))
        elif kind.startswith("ipi"):
            self.put(kind, reason="(Function call interrupts)")
        else:
            self.put(kind, vec=rng.choice([0, 1, 9, 10, 7]))

    def fence(self):
        rng = self.rng
        self.put("dma_fence_" + rng.choice(["init", "destroy", "enable_signal", "signaled"]), driver="gpu",
                 timeline=rng.choice(["ring0", "ring1"] + ([""] if not self.text else [])), context=rng.randrange(3), seqno=rng.randrange(9))

    def syscall(self):
        rng = self.rng
        number = rng.choice([3, 64])
        if rng.random() < 0.5:
            self.put("sys_enter", id=number, **({"args": "3, 7f0010, 10"} if self.text else {}))
        else:
            self.put("sys_exit", id=number, ret=rng.choice([0, 5, -11]))

    def work(self):
        rng = self.rng
        if rng.random() < 0.5:
            self.put("workqueue_execute_end")
        elif self.text:
            self.put("workqueue_execute_start", function_name="pm_runtime_work")
        else:
            self.put("workqueue_execute_start", function=rng.choice([0x1000, 0x2000, 0x1500, (1 << 64) - 4096]))

    def life(self):
        rng = self.rng
        tid = self.some()
        what = rng.randrange(4)
        if what == 0 and tid:
            self.put(rng.choice(["sched_process_exit", "sched_process_free"]), comm=self.names[tid], pid=tid)
            if rng.random() < 0.5:
                self.of[tid] = rng.choice(self.main)  # the number is used again
        elif what == 1:
            self.names[tid] = rng.choice(NAMES) if tid else "swapper"
            self.put("task_rename", pid=tid, newcomm=self.names[tid])
        elif what == 2:
            pid = self.spawn()
            new = rng.choice([t for t in self.of if self.of[t] == pid])
            self.put("task_newtask", pid=new, comm=self.names[new], clone_flags=0x10000 if new != pid else 0)
        else:
            self.put("suspend_resume")

    def odd(self):
        self.put(self.rng.choice(["unknown", "signal_deliver", "signal_generate"] + ["timerfd_wakeup"] * (self.reader != "protobuf")), **{})
        event = self.events[-1]
        if event.kind == "timerfd_wakeup":
            event.fields.update(thread_pid=20, thread_tid=21, thread_name="timer", interval=0, curr_mono=5, expire_mono=6)

    def ffrt(self):
        """A marker of the ffrt profiler, or names for its threads."""
        rng = self.rng
        tid = self.some() or 20
        fields = {"type": rng.choice("BBEESF"), "label": rng.choice(["", "task", "x|M62", "nul\0\0"]), "cookie": rng.choice([0, 0, 7])}
        if rng.random() < 0.15:
            fields = {"process_name": rng.choice(["", "ffrt"]), "thread_name": rng.choice(["", "OS_FFRT_2_0"])}
        self.events.append(Event("ffrt" if "type" in fields else "ffrt_name", self.now, -1, tid, self.of.get(tid, tid), "", **fields))

    def launched(self, phase):
        rng = self.rng
        text = rng.choice((PHASES[5][0], PHASES[5][1], PHASES[5][1])) if phase == 5 else LAUNCH[phase]
        return text + rng.choice(PACKAGES) + rng.choice(["##", "##x##y", ""]) if phase > 2 else text + rng.choice(["", "5"])

    def task(self):
        rng = self.rng
        step = rng.choice(("Allocation", "Perform", "PerformTask End"))
        pairs = [(rng.choice(("taskId", "taskId", "executeId", "other")), rng.choice(DIGITS)), ("priority", rng.choice(DIGITS)), ("executeState", rng.choice(DIGITS)),
                 ("performResult", rng.choice(("Successful", "Unsuccessful", ""))), ("executeId", rng.choice(DIGITS))]
        text = ", ".join(k + rng.choice((" : ", ":")) + v for k, v in pairs if rng.random() < 0.7 or k == "taskId")
        return "H:Task %s: %s%s" % (step, text, rng.choice(("", "", "|M62")))

    def named(self):
        """A slice whose name says something to those who read names."""
        rng = self.rng
        tid = self.thread()
        pid = self.of[tid]
        what = rng.randrange(6)
        if what == 0:
            text = self.launched(rng.randrange(6))
        elif what == 1:
            text = rng.choice(("H:dlopen: /lib/libä.so", "dlopen:x", "x dlopen: y", "H:dlopen", "dlopen :"))
        elif what == 2:
            text = self.task()
        elif what == 3:
            text = rng.choice(("H:Repaint", "H:Repaint", "H:RepaintAll", "H:RSJankStats::RecordAnimationDynamicFrameRate",
                               "H:RSJankStats::RecordAnimationDynamicFrameRate rate is %d.%d.5: x" % (rng.randrange(120), rng.randrange(9)),
                               "H:GenerateVsyncCount: 1"))
        elif what == 4:
            text = rng.choice(("H:RSUniRender::Process:", "H:RSSurfaceRenderNodeDrawable::OnDraw:")) + rng.choice(
                ("[WindowScene_x1]", "[WindowScene_]", "[SCBDesktop2]", "[other]", "WindowScene", "[WindowScene_y")) + " " + rng.choice(BOXES)
        else:
            kind = "SF"[rng.random() < 0.5]
            tid = rng.choice([t for t in self.of if self.names[t].startswith(("render", "RSUni"))] or [tid])
            name = rng.choice(ANIMATED) + rng.choice(("", ", app", ", app, 1700000000123, 5", ", app,  12 ", ", app, x", ", app, 99999999999999999"))
            self.mark(tid, "%s|%d|%s|%d" % (kind, self.of[tid], name, rng.choice((1, 2))))
            return
        self.mark(tid, "B|%d|%s" % (pid, text))
        if rng.random() < 0.7:
            self.mark(tid, "E|%d" % pid)

    def start(self):
        """An application that starts."""
        rng = self.rng
        app = rng.choice(self.main)
        steps = []
        for phase in range(6):
            tid = app if phase > 3 else self.main[0]
            if rng.random() < 0.8:
                steps += [("print", tid, {"buf": "B|%d|%s" % (tid, self.launched(phase))}), ("print", tid, {"buf": "E|%d" % tid})]
        return steps

    def animate(self):
        """An animation of the render service, and what it draws meanwhile."""
        rng = self.rng
        tid = rng.choice([t for t in self.of if self.names[t].startswith(("render", "RSUni"))] or [self.main[-1]])
        pid = self.of[tid]
        name = "%s, app, %d" % (rng.choice(ANIMATED[:3]), self.now // 10**6)
        steps = ["S|%d|%s|8" % (pid, name)]
        for _ in range(rng.randrange(8)):
            text = rng.choice(("H:Repaint", "H:Repaint", "H:GenerateVsyncCount: 1", "H:GenerateVsyncCount: 1",
                               "H:RSJankStats::RecordAnimationDynamicFrameRate frame rate is %d.5: x" % rng.randrange(120)))
            steps += ["B|%d|%s" % (pid, text), "E|%d" % pid]
        return [("print", tid, {"buf": text}) for text in steps + ["F|%d|%s|8" % (pid, name)]]

    def work_on(self):
        """A task that one thread submits and another one runs."""
        rng = self.rng
        self.calls += 1
        task = "%s : %d" % (rng.choice(("taskId", "taskId", "executeId")), self.calls % 7)
        texts = ["Allocation: %s, priority : 1, executeState : 0" % task, "Perform: " + task, "PerformTask End: %s, performResult : %s" % (task, rng.choice(("Successful", "no")))]
        worker = rng.choice([t for t in self.of if self.of[t] == self.main[0]] or [self.main[0]])
        steps = []
        for text, tid in zip(texts, (self.main[0], worker, worker)):
            steps += [("print", tid, {"buf": "B|%d|H:Task %s" % (self.of[tid], text)}), ("print", tid, {"buf": "E|%d" % self.of[tid]})]
        return steps

    def hand_over(self):
        """A call whose sender makes room for the thread that receives it."""
        rng = self.rng
        self.calls += 1
        sender, receiver = rng.choice(self.main), self.some()
        switch = {"prev_comm": self.names[sender], "prev_pid": sender, "prev_prio": 120, "prev_state": rng.choice((2048, 2048, 2048, 1)),
                  "next_comm": self.names[receiver], "next_pid": receiver, "next_prio": 120}
        back = dict(switch, prev_comm=self.names[receiver], prev_pid=receiver, prev_state=1, next_comm=self.names[sender], next_pid=sender)
        steps = [("binder_transaction", sender, {"debug_id": self.calls, "target_node": 0, "to_proc": self.of[receiver], "to_thread": receiver, "reply": 0, "code": 0,
                                                 "flags": rng.choice((0, 0, 1, 16))}), ("sched_switch", sender, switch)]
        middle = [("sched_switch", receiver, back)] if rng.random() < 0.3 else []
        return steps + middle + [("binder_transaction_received", rng.choice((receiver, receiver, self.some())), {"debug_id": self.calls})]

    def script(self):
        """The next step of something that takes several."""
        rng = self.rng
        if not self.scripts or rng.random() < 0.1:
            self.scripts = [s for s in self.scripts + [rng.choice((self.draw, self.draw, self.draw, self.start, self.hand_over, self.animate, self.work_on))()] if s]
        if not self.scripts:
            return
        script = rng.choice(self.scripts[-3:])
        kind, tid, fields = script.pop(0)
        if rng.random() < 0.97:
            if "buf" in fields:
                fields["buf"] = fields["buf"].replace("NOW", str(self.now - self.rng.randrange(1, 200))).replace("END", str(self.now + rng.choice([50, 10**4, 10**7])))
            self.put(kind, tid, **fields)
        self.scripts = [s for s in self.scripts if s][-8:]

    def draw(self):
        """A frame of an application, or of the render service that shows it."""
        rng = self.rng
        self.frame += 1
        app, service = self.main[0], self.main[-1]
        ui = rng.choice([t for t in self.of if self.of[t] == app] or [app])
        vsync = "H:ReceiveVsync dataCount:24bytes now:NOW expectedEnd:END vsyncId:%d" % rng.choice([self.frame, 7, self.frame, 0])
        flag = "transactionFlag:[%d,%d]" % (app, self.frame)
        steps = []
        if rng.random() < 0.7:
            tid = app if rng.random() < 0.7 else ui
            texts = ["B|%d|" + vsync, "B|%d|H:OnVsyncEvent"]
            if rng.random() < 0.3:
                texts += ["B|%d|H:UIVsyncTask[timestamp:123][vsyncID:7]", "E|%d"]
            if rng.random() < 0.8:
                if rng.random() < 0.3:
                    flag += ",tid:%d,timestamp:%s" % (ui, rng.choice(["123", "5"]))
                texts += ["B|%d|H:MarshRSTransactionData cmdCount:20 " + flag, "E|%d"]
            steps += [("print", tid, {"buf": text % app}) for text in texts + ["E|%d", "E|%d"]]
        if rng.random() < 0.7:
            shown = "".join("[%d,%d]" % (app, self.frame - rng.choice((0, 0, 1, 2))) for _ in range(rng.randrange(1, 3)))
            texts = ["B|%d|" + vsync, "B|%d|H:RSMainThread::ProcessCommandUni " + shown, "E|%d"]
            texts += ["B|%d|H:RSMainThread::DoComposition" + rng.choice(["", ": x"]), "E|%d"] * (rng.random() < 0.9)
            queue = rng.random() < 0.6
            mark = "|%%d|H:M: Frame queued|%d" % (self.frame % 8)  # one that is open is not begun again
            texts += ["S" + mark] * queue + ["E|%d"] + ["F" + mark] * (queue and rng.random() < 0.9)
            steps += [("print", service, {"buf": text % service}) for text in texts]
        return steps
