"""What lost events make unknown (docs/formats.md, "Lost events"), from that text and from nothing else: which of the events of a recording stand around a loss,
and whether a value that reaches from one event to another has one in between."""

ALL = None  # CPUs
UNKNOWN = -2  # a CPU of which nothing is known
EVER = float("inf")


class Loss:
    """In a recording, between its events. before: of `cpu` before its next event; here: an event of `cpu` at `ts`; between: of `cpu` from `ts` to `end`;
    started: `cpu` begins, perhaps once more; any: of whatever CPU, between two events; part: a part of the recording."""

    def __init__(self, what, cpu=ALL, ts=None, end=None):
        self.what, self.cpu, self.ts, self.end = what, cpu, ts, end


class Mark:
    """Where a loss begins or ends, among the events by time."""

    def __init__(self, kind, cpu, ts):
        self.kind, self.cpu, self.ts = kind, cpu, ts


class Cpu:
    def __init__(self):
        self.latest, self.parts, self.lost = -EVER, 0, False


def marked(items, is_used):
    """The events of a recording, in its order, with marks in place of its losses. is_used: whether the program reads such an event."""
    cpus, out = {}, []
    latest, any_lost, parts, part_after = -EVER, False, 0, -EVER

    def begin(number, cpu, end):
        start = cpu.latest if cpu.lost or cpu.latest != -EVER else part_after
        out.append(Mark("begin", number, min(start, end)))
        cpu.lost, cpu.parts = False, parts

    def between(number, start, end):
        out.extend((Mark("begin", number, min(start, end)), Mark("end", number, end)))

    for item in items:
        if isinstance(item, Loss):
            if item.what == "any":
                any_lost = True
            elif item.what == "part":
                any_lost, parts, part_after = True, parts + 1, latest
            elif item.what == "between":
                between(item.cpu, item.ts, item.end)
            elif item.what == "here":
                between(item.cpu, item.ts, item.ts)
            else:
                cpu = cpus.setdefault(item.cpu, Cpu())
                cpu.lost = cpu.lost or item.what == "before" or cpu.latest != -EVER
            continue
        if is_used(item):
            if any_lost and latest != -EVER:
                out.append(Mark("all", ALL, latest))
            any_lost = False
            latest = max(latest, item.ts)
            if not item.kind.startswith("ffrt"):
                cpu = cpus.setdefault(item.cpu, Cpu())
                if item.ts >= cpu.latest and (cpu.lost or cpu.parts != parts):
                    begin(item.cpu, cpu, item.ts)
                    out.append(Mark("end", item.cpu, item.ts))
                cpu.latest = max(cpu.latest, item.ts)
        out.append(item)
    for number, cpu in cpus.items():
        if cpu.lost or cpu.parts != parts:
            begin(number, cpu, EVER)
    return out


class Losses:
    """Places are numbers of events and marks by time, `now` that of the one that is handled."""

    def __init__(self):
        self.now = 0
        self.all = []  # [cpu, from, to]
        self.runs = {}  # thread -> [cpu, from, to]

    def take(self, mark):
        if mark.kind == "all":
            self.all.append([ALL, self.now, self.now])
        elif mark.kind == "begin":
            self.all.append([mark.cpu, self.now, EVER])
        else:
            next(loss for loss in self.all if loss[0] == mark.cpu and loss[2] == EVER)[2] = self.now

    def runs_on(self, itid, cpu):
        """The thread runs on a CPU from now on, None: on no one that is known."""
        runs = self.runs.setdefault(itid, [])
        if runs:
            runs[-1][2] = min(runs[-1][2], self.now)
        if cpu is not None:
            runs.append([cpu, self.now, EVER])

    def runs_now(self, itid):
        runs = self.runs.get(itid)
        return runs[-1][0] if runs and runs[-1][2] == EVER else None

    def since(self, place, cpus=None):
        """Losses between a place and now; of some CPUs, or of any."""
        return [loss for loss in self.all if loss[1] < self.now and loss[2] > place and (cpus is None or loss[0] in cpus)]

    def of_any(self, place):
        return bool(self.since(place))

    def of_cpu(self, place, cpu):
        return bool(self.since(place, (cpu, ALL)))

    def known(self, itid):
        """Where the thread ran for certain: up to what was lost of its CPU."""
        for cpu, begin, end in self.runs.get(itid, []):
            losses = [max(begin, loss[1]) for loss in self.all if loss[0] in (cpu, ALL) and loss[2] > begin]
            yield cpu, begin, min(losses + [end])

    def of_thread(self, place, itid):
        for cpu, begin, end in self.since(place):
            at, end = max(begin, place), min(end, self.now)
            if begin == end:  # an event of any CPU
                return True
            for other, known, until in sorted(self.known(itid), key=lambda run: run[1]):
                if other != cpu and until > at:
                    if known > at:
                        break
                    at = until
            if at < end:
                return True
        return False
