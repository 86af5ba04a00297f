"""Processes and threads as events of the kernel mention them (docs/differences.md, QF-6b, QF-12)."""


class Process:
    def __init__(self, pid):
        self.pid = pid
        self.name = ""
        self.start = 0
        self.memory = 0


class Thread:
    def __init__(self, tid, name=""):
        self.tid = tid
        self.name = name
        self.start = 0
        self.end = 0
        self.ipid = None
        self.switched = False
        self.sliced = False


class Threads:
    """Rows are numbers in `processes` and `threads`."""

    def __init__(self):
        self.processes = [Process(0)]
        self.threads = [Thread(0, "swapper")]
        self.threads[0].ipid = 0
        self.by_pid = {0: 0}
        self.by_tid = {0: [0]}

    def new(self, tid, name=""):
        self.threads.append(Thread(tid, name))
        self.by_tid.setdefault(tid, []).append(len(self.threads) - 1)
        return len(self.threads) - 1

    def process(self, pid, start=0):
        """P"""
        if pid not in self.by_pid:
            self.by_pid[pid] = len(self.processes)
            self.processes.append(Process(pid))
            self.of_process(pid, pid)
        ipid = self.by_pid[pid]
        if not self.processes[ipid].start:
            self.processes[ipid].start = start
        return ipid

    def process_named(self, pid, name):
        """PN"""
        process = self.processes[self.process(pid)]
        if name:
            process.name = name
        for itid in self.by_tid.get(pid, []):
            if self.threads[itid].ipid == self.by_pid[pid]:
                self.threads[itid].name = process.name

    def alive(self, itid):
        return not self.threads[itid].end

    def any(self, tid, name=""):
        """T1"""
        if tid not in self.by_tid:
            return self.new(tid, name)
        known = self.by_tid[tid]
        itid = known[-1]
        if self.threads[itid].end:
            itid = next((i for i in reversed(known) if self.alive(i)), itid)
        if name and itid:
            self.threads[itid].name = name
        return itid

    def of_process(self, tid, pid):
        """T"""
        if tid == 0:
            return 0
        if pid <= 0:
            return self.any(tid)
        known = self.by_tid.get(tid, [])
        for itid in known:
            ipid = self.threads[itid].ipid
            if ipid is not None and self.processes[ipid].pid == pid:
                return itid
        free = [i for i in known if self.threads[i].ipid is None]
        itid = free[-1] if free else self.new(tid)
        self.threads[itid].ipid = self.process(pid)
        return itid

    def named(self, tid, pid, name):
        """TN"""
        itid = self.of_process(tid, pid)
        if itid:
            self.threads[itid].name = name
        if tid == pid:
            self.process_named(pid, name)
        return itid

    def finish(self, comms):
        """Every thread with a number has a process; `comms` names those that have no name."""
        for itid, thread in enumerate(self.threads):
            if thread.ipid is None and thread.tid > 0:
                self.of_process(thread.tid, thread.tid)
                process = self.processes[self.threads[itid].ipid]
                process.name = process.name or thread.name
        for process in self.processes[1:]:
            if not process.name and process.pid in comms:
                self.process_named(process.pid, comms[process.pid])

    def main_thread(self, ipid):
        pid = self.processes[ipid].pid
        return next(i for i in self.by_tid[pid] if self.threads[i].ipid == ipid)

    def process_rows(self, compat=False):
        rows = []
        for ipid, process in enumerate(self.processes):
            mine = [t for t in self.threads if t.ipid == ipid]
            name = "swapper" if ipid == 0 else self.threads[self.main_thread(ipid)].name or process.name
            rows.append((ipid, ipid, process.pid, name or None, process.start or None, sum(t.switched for t in mine), max(len(mine) - compat, 0) if ipid else 0,
                         sum(t.sliced for t in mine), process.memory))
        return rows

    def thread_rows(self):
        rows = []
        for itid, t in enumerate(self.threads):
            name = "swapper" if itid == 0 else t.name
            rows.append((itid, itid, t.tid, name or None, t.start or None, t.end or None, t.ipid, int(t.ipid is not None and t.tid == self.processes[t.ipid].pid),
                         int(t.switched)))
        return rows
