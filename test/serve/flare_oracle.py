"""What the Flare protocol must answer, computed from the files of sample directories.

Written from the description of the protocol alone, over the reader in test/check/flare.py: nothing here knows the
database. Dictionaries and lists, no shortcuts.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import flare as reader  # noqa: E402


class Sample:
    """A sample directory, and the answers about it."""

    def __init__(self, path):
        self.dir = reader.Directory(path)
        self.info = dict(self.dir.info)
        times = [r["time"] for t in self.dir.threads.values() for r in t.records]
        self.interval = self.dir.interval or 20
        self.start = self.info.get("record_start_time", min(times, default=0))
        self.last = max([self.info.get("last_record_time", 0)] + times)

    # --- dashboard ---------------------------------------------------------------------------

    def threads(self):
        return [t for _, t in sorted(self.dir.threads.items()) if t.records]

    def dashboard(self, session):
        info = {"sample_interval": self.interval, "sample_start_time": self.info["sample_start_time"],
                "record_start_time": self.start, "last_record_time": self.last,
                "agent_addr": self.info["agent_addr"], "sample_data_dir": session}
        threads = []
        for t in self.threads():
            s = t.records[-1]
            used = sum(v for v in t.series[0].values)
            threads.append({
                "id": t.tid, "name": t.last["name"], "priority": 0, "daemon": False, "state": "",
                "cpu_time": s["cpu"], "cpu_time_delta": s["delta"], "sample_time": s["time"],
                "sample_count": s["count"], "stacktrace": s["stack"], "duration": 0, "self_duration": 0,
                "self_cpu_time": 0, "cpu_util": used / (self.last - self.start) / 10})
        return {"sample_info": info, "threads": threads}

    # --- cpu ---------------------------------------------------------------------------------

    def cpu_time(self, session, thread_ids, start=-1, end=-1, unit=-1, width=900, legacy=False):
        start = max(start, self.start) if start >= 0 else self.start
        end = min(end, self.last) if end >= 0 else self.last
        if unit < 10:
            r = (end - start) // (width if width >= 1 else 900) // self.interval
            r = r // 10 * 10 if r > 10 else max(r, 1)
            unit = r * self.interval
        out = []
        ids = thread_ids or [t.tid for t in self.threads()]
        for tid in ids:
            t = self.dir.threads.get(tid)
            if t is None or not t.series:
                continue
            s = t.series[0]
            series_end = s.begin + (len(s.values) - 1) * s.unit
            a = min(max(start, s.begin), series_end)
            b = min(max(end, s.begin), series_end)
            s1, s2 = (a - s.begin) // s.unit, (b - s.begin) // s.unit
            m = max(unit // s.unit, 1)
            values = list(s.values[s1:s2] if legacy else s.values[s1:s2 + 1])
            steps = [sum(values[i:i + m]) for i in range(0, len(values), m) if not legacy or i + m <= len(values)]
            out.append({"id": tid, "start_time": a, "end_time": b, "unit_time_ms": m * s.unit,
                        "total_cpu_time": sum(steps), "steps": len(steps), "ts_data": steps})
        return [{"session_id": session, "thread_cpu_times": out[i:i + 50]} for i in range(0, len(out), 50)] or \
            [{"session_id": session, "thread_cpu_times": []}]

    def cpu_ts(self, session, thread_ids, **more):
        def ms(us):
            return (us + 500) // 1000
        threads = []
        for reply in self.cpu_time(session, thread_ids, **more):
            for t in reply["thread_cpu_times"]:
                threads.append({"id": t["id"], "name": self.dir.threads[t["id"]].last["name"],
                                "start_time": t["start_time"], "end_time": t["end_time"],
                                "unit_time_ms": t["unit_time_ms"], "cpu_time_ms": ms(t["total_cpu_time"]),
                                "ts_data": [ms(v) for v in t["ts_data"]]})
        return {"session_id": session, "threads": threads}

    # --- trees -------------------------------------------------------------------------------

    def label(self, method):
        return self.dir.methods.get(method, str(method))

    def select(self, t, start, end):
        """The records of a range; a negative time is that end of the recording."""
        def hit(time):
            step = max(0, (time - t.series[0].begin) // t.series[0].unit)
            steps = sorted({r["step"] for r in t.records})
            later = [s for s in steps if s >= step]
            wanted = later[0] if later else steps[-1]
            return max(i for i, r in enumerate(t.records) if r["step"] == wanted)
        if not t.records:
            return []
        first = 0 if start < 0 else hit(start)
        last = len(t.records) - 1 if end < 0 else hit(end)
        return t.records[first:last + 1]

    def node(self, ident, label, depth=0, start=0):
        return {"parent": None, "children": [], "id": ident, "label": label, "calls": 0, "cpu": 0, "duration": 0,
                "start_time": start, "depth": depth}

    def sequence(self, records):
        root = self.node(0, "root")
        for r, following in zip(records, records[1:]):
            length = max(0, following["time"] - r["time"])
            root["calls"] += 1
            root["duration"] += length
            at = root
            for method in reversed(r["stack"]):
                if not at["children"] or at["children"][-1]["id"] != method:
                    at["children"].append(self.node(method, self.label(method), at["depth"] + 1,
                                                    r["time"] - records[0]["time"]))
                at = at["children"][-1]
                at["calls"] += 1
                at["duration"] += length
        return root

    def sequenced(self, session, tid, start=-1, end=-1, stats="duration", key="sequenced_call_tree_data"):
        records = self.select(self.dir.threads[tid], start, end)
        out = {"session_id": session, "thread_id": tid, "start_time": start, "end_time": end, "stats_type": stats,
               key: self.sequence(records)}
        if len(records) > 1:
            out["start_time"], out["end_time"] = records[0]["time"], records[-2]["time"]
        return out

    @staticmethod
    def spread(records):
        cpu = [r["cpu"] or 0 for r in records]
        last, batch = 0, []
        for i, now in enumerate(list(cpu)):
            if last == 0:
                last = now
            if now != last:
                per = int((now - last) / len(batch)) if batch else 0
                for k, j in enumerate(batch, 1):
                    cpu[j] = last + per * k
                batch, last = [], now
            batch.append(i)
        return cpu

    def call_tree(self, session, thread_ids, start=-1, end=-1):
        root = self.node(0, "CallStack")
        count = 0
        for tid in thread_ids or [t.tid for t in self.threads()]:
            t = self.dir.threads.get(tid)
            if t is None or not t.series:
                continue
            records = self.select(t, start, end)
            cpu = self.spread(records)
            for i, r in enumerate(records):
                time = r["time"] - records[i - 1]["time"] if i else 0
                used = cpu[i] - cpu[i - 1] if i else 0
                at = root
                for method in reversed(r["stack"]):
                    child = next((c for c in at["children"] if c["method"] == method), None)
                    if child is None:
                        count += 1
                        child = self.node(count, self.label(method))
                        child["method"] = method
                        at["children"].append(child)
                    at = child
                    at["calls"] += 1
                    at["duration"] += time
                    at["cpu"] += used
        pending = [root]
        while pending:
            n = pending.pop()
            n.pop("method", None)
            n["cpu"] = int(n["cpu"] / 1000) if abs(n["cpu"]) < 2**52 else n["cpu"] // 1000
            pending += n["children"]
        return {"session_id": session, "call_tree_data": [root]}

    # --- methods -----------------------------------------------------------------------------

    def list_methods(self, session, text):
        found = sorted(((name, ident) for ident, name in self.dir.methods.items() if text in name),
                       key=lambda f: (f[0].encode(), f[1]))
        return {"session_id": session, "method_name_filter": text, "total_method_size": len(found),
                "method_infos": [{"method_id": ident, "full_name": name} for name, ident in found]}

    def search(self, session, ids, least=100, most=-1, size=2000, names=""):
        """The last reply, without its progress and message."""
        groups, error, hits = [], False, 0
        for t in self.threads():
            if names not in t.last["name"] or error:
                continue
            found = []
            pending = [self.sequence(t.records)]
            while pending:
                n = pending.pop()
                if n["duration"] < least:
                    continue
                if n["depth"] > 0 and n["id"] in ids and (most <= 0 or n["duration"] < most):
                    found.append(n)
                else:
                    pending += reversed(n["children"])
            for n in found:
                hits += 1
                floor = min(n["duration"] // 3, least, 50)
                stack, at = [], n
                while at is not None and at["duration"] >= floor:
                    stack.append(at)
                    at = max(at["children"], key=lambda c: c["duration"]) if at["children"] else None
                call = {"method_id": n["id"], "full_name": "", "thread_id": t.tid, "thread_name": t.last["name"],
                        "start_time": n["start_time"], "duration": n["duration"], "calls": n["calls"], "cpu": 0,
                        "samples": 0, "primary_stacks": [s["id"] for s in stack],
                        "durations": [s["duration"] for s in stack]}
                group = next((g for g in groups if g["method_calls"][0]["primary_stacks"] == call["primary_stacks"]),
                             None)
                if group is None:
                    group = {"group_id": len(groups) + 1, "method_calls": [], "features": [], "call_stack":
                             [{"method_id": s["id"], "full_name": self.label(s["id"]), "features": []} for s in stack]}
                    groups.append(group)
                group["method_calls"].append(call)
            error = size > 0 and hits >= size
        return {"session_id": session, "method_ids": sorted(ids), "method_call_groups": groups,
                "search_finished": not error, "search_error": error}
