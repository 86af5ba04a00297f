"""Random profiles of the Firefox Profiler, of many versions of the processed form and of that of Gecko, as trees for json."""

PROCESSED = (20, 25, 26, 28, 29, 30, 33, 36, 40, 41, 46, 47, 48, 49, 50, 52, 53, 55, 56, 57, 58, 59, 60, 62, 64, 65, 66, 69, 70, 71, 74, 75, 78)
GECKO = (5, 11, 19, 20, 26, 31, 32, 36)
NAMES = ("main", "f", "std::vec<T>::push", "näme \U0001f40e", "", "a (b)", "0x1f40", "(idle)", "JSON.parse", "x" * 300)
TYPES = ("Text", "call", "UserTiming", "tracing", "CompositorScreenshot", "NoSchema")
NESTED = ("call", "UserTiming")
PATHS = ("/usr/lib/libxul.so", "https://example.org/a.js", "C:\\x\\y.pdb", "resource://gre/modules/b.sys.mjs")


def ms(rng, low, high):
    """A time with up to nine decimals, as JSON writes it."""
    digits = rng.choice((0, 1, 3, 6, 9))
    return round(rng.uniform(low, high), digits) if digits else rng.randint(int(low), int(high))


class Strings:
    def __init__(self):
        self.list = []

    def __call__(self, text):
        if text not in self.list:
            self.list.append(text)
        return self.list.index(text)


class Maker:
    def __init__(self, rng, version, gecko=False):
        self.rng, self.v, self.gecko = rng, version, gecko
        self.strings = Strings()
        self.libs = [{"arch": "x86_64", "name": "lib%d.so" % i, "path": "/opt/lib%d.so" % i, "debugName": "lib%d.dbg" % i, "debugPath": "", "breakpadId": "%032X0" % (i + 7), "codeId": None}
                     for i in range(rng.randint(0, 3))]
        self.categories = [{"name": "Other", "color": "grey", "subcategories": ["Other"]}, {"name": "JavaScript", "color": "yellow", "subcategories": ["Other", "Parsing"]},
                           {"name": "Graphics", "color": "green", "subcategories": ["Other", "FlushingAsyncPaints", "DisplayList building"]}]
        for i, lib in enumerate(self.libs):
            if gecko or version <= 40:
                lib.update(start=0x10000 * (i + 1), end=0x10000 * (i + 1) + 0x8000, offset=0)
        if gecko:
            rng.shuffle(self.libs)

    # --- tables ---------------------------------------------------------------------------------

    def maybe(self, value, share=0.8, other=None):
        return value if self.rng.random() < share else other

    def category(self):
        return self.rng.randrange(len(self.categories))

    def sub(self, category):
        return None if category is None else self.rng.randrange(len(self.categories[category]["subcategories"]))

    def columns(self, rows, names, table=None):
        """A table of lists of columns; some are NULL throughout and left out."""
        table = dict(table or {})
        for i, name in enumerate(names):
            table[name] = [row[i] for row in rows]
        table["length"] = len(rows)
        items = list(table.items())
        if self.rng.random() < 0.3:
            self.rng.shuffle(items)
        return dict(items)

    def tables(self):
        """{stackTable, frameTable, funcTable, resourceTable, sources}, and the number of stacks."""
        rng, v, s = self.rng, self.v, self.strings
        flags = v >= 71
        resources = [(s("host%d" % i), None if rng.random() < 0.5 else s("h"), rng.randrange(6), rng.randrange(len(self.libs)) if self.libs and rng.random() < 0.7 else None)
                     for i in range(rng.randint(0, 4))]
        sources = [s(path) for path in rng.sample(PATHS, rng.randint(1, len(PATHS)))]
        funcs, frames, stacks = [], [], []
        for _ in range(rng.randint(1, 12)):
            has = {"resource": resources and rng.random() < 0.6, "source": rng.random() < 0.6, "line": rng.random() < 0.5}
            js = rng.random() < 0.3
            none = 0 if v >= 75 else None
            funcs.append((s(rng.choice(NAMES)), js, js, rng.randrange(len(resources)) if has["resource"] else 0 if v >= 75 else -1,
                          (rng.randrange(len(sources)) if v >= 58 else rng.choice(sources)) if has["source"] else none, rng.randint(1, 9999) if has["line"] else none, None,
                          (1 if js else 0) | (4 if has["resource"] else 0) | (8 if has["source"] else 0) | (16 if has["line"] else 0)))
        for _ in range(rng.randint(1, 20)):
            category = self.maybe(self.category(), 0.7)
            sub = self.maybe(self.sub(category), 0.8)
            lib = rng.randrange(len(self.libs)) if self.libs and rng.random() < 0.5 else None
            line = self.maybe(rng.randint(1, 500), 0.6)
            bits = (2 if lib is not None else 0) | (4 if category is not None else 0) | (16 if line is not None else 0)
            zero = lambda x, none=None: (0 if x is None else x) if flags else (none if x is None else x)
            frames.append((rng.randrange(len(funcs)), zero(None, -1), zero(lib, -1), 0, zero(category), zero(sub), None, 0, zero(line), None, bits))
        for i in range(rng.randint(1, 30)):
            parent = rng.randrange(i) if i and rng.random() < 0.85 else None
            category = self.category()
            stacks.append((rng.randrange(len(frames)), (0 if parent is None else i - parent) if v >= 66 else parent, category, self.sub(category)))
        fn = ["name", "isJS", "relevantForJS", "resource", "source" if v >= 58 else "fileName", "lineNumber", "columnNumber"] + (["flags"] if v >= 75 else [])
        if v >= 75:
            funcs = [(r[0],) + (False, False) + r[3:] for r in funcs]
            drop = {"isJS", "relevantForJS"}
        else:
            drop = set()
        tables = {
            "stackTable": self.columns([r[:2] + (() if v >= 53 else r[2:]) for r in stacks], ["frame", "prefixOffset" if v >= 66 else "prefix"] + ([] if v >= 53 else ["category", "subcategory"])),
            "frameTable": self.columns([tuple(r[i] for i in self.frame_columns()) for r in frames], [self.FRAME[i] for i in self.frame_columns()]),
            "funcTable": {k: x for k, x in self.columns(funcs, fn).items() if k not in drop},
            "resourceTable": self.columns([r[:3] + ((r[3],) if v < 70 else ()) for r in resources], ["name", "host", "type"] + (["lib"] if v < 70 else [])),
            "nativeSymbols": {"length": 0, "libIndex": [], "address": [], "name": [], "functionSize": []},
        }
        if v >= 64:
            for name in ("frameTable", "funcTable"):
                tables[name]["originalLocation"] = [0 if v >= 71 else None] * tables[name]["length"]
            tables["sourceLocationTable"] = {"source": [], "line": [], "column": [], "length": 0}
        if v >= 58:
            tables["sources"] = self.columns([(x,) for x in sources], ["filename"])
        return tables, len(stacks)

    FRAME = ["func", "address", "lib", "inlineDepth", "category", "subcategory", "nativeSymbol", "innerWindowID", "line", "column", "flags"]

    def frame_columns(self):
        return [0, 1] + ([2] if self.v >= 70 else []) + ([3] if self.v < 71 else []) + [4, 5, 6, 7, 8, 9] + ([10] if self.v >= 71 else [])

    # --- what threads have ----------------------------------------------------------------------

    def times(self, n):
        """Rising, mostly."""
        list_ = sorted(ms(self.rng, 0, 50) for _ in range(n))
        if n > 2 and self.rng.random() < 0.1:
            list_[1], list_[2] = list_[2], list_[1]
        return list_

    def deltas(self, n):
        return [ms(self.rng, 0, 3) for _ in range(n)]

    def samples(self, stacks):
        rng, n = self.rng, self.rng.choice((0, 1, 2, 10, 40))
        table = {"stack": [rng.randrange(stacks) if rng.random() < 0.9 else None for _ in range(n)]}
        if self.v >= 50 and rng.random() < 0.5:
            table["timeDeltas"] = self.deltas(n)
        else:
            table["time"] = self.times(n)
        if rng.random() < 0.5:
            table["threadCPUDelta"] = [rng.choice((None, 0, rng.randint(0, 10**6))) for _ in range(n)]
        if self.v >= 29:
            kind = rng.choice(("samples", "samples", "tracing-ms", "bytes"))
            table["weightType"] = kind
            table["weight"] = None if rng.random() < 0.3 else [ms(rng, 0, 20) if kind == "tracing-ms" else rng.randint(-5, 1000) for _ in range(n)]
        if rng.random() < 0.3:
            table["eventDelay"] = [0.5] * n
        table["length"] = n
        return table

    def data(self, stacks, old=None):
        """Data of a marker, or None. old: its times are in it."""
        rng = self.rng
        if old is None and rng.random() < 0.2:
            return None
        type_ = rng.choice(TYPES)
        data = {"type": type_}
        if rng.random() < 0.5:
            data["name"] = self.strings("tx%d" % rng.randrange(4)) if self.schema(type_, "name") else "own text"
        if rng.random() < 0.4:
            data["flow"] = self.strings("flow \"%d\"" % rng.randrange(4)) if self.schema(type_, "flow") else 0.25
        if rng.random() < 0.3:
            data["list"] = [1, -2.5, None, True, {"deep": [[], {}]}, "te\\xt"]
        if type_ == "CompositorScreenshot":
            data["url"] = self.strings("data:image/jpeg;base64,AAAA")
        data.update(old or {})
        if stacks and rng.random() < 0.3:
            node = rng.randrange(stacks)
            if self.gecko:
                data["stack"] = {"name": "SyncProfile", "registerTime": None, "samples": {"schema": {"time": 0, "stack": 1}, "data": [[1.5, node], [2, 0]]}, "markers": {"schema": {}, "data": []}}
            else:
                data["cause"] = {"tid": 1, "time": 0.5, "stack": node}
        items = list(data.items())
        rng.shuffle(items)
        return dict(items)

    def schema(self, type_, key):
        return self.markers_have_schemas() and type_ in ("Text", "call", "UserTiming") and key in ("name", "flow")

    def markers_have_schemas(self):
        return self.v >= (20 if self.gecko else 33)

    def schemas(self):
        key = "fields" if not self.gecko and self.v >= 55 else "data"
        list_ = [{"name": t, "display": ["marker-chart"], key: [{"key": "name", "label": "Name", "format": "unique-string"}, {"key": "flow", "format": self.rng.choice(("flow-id", "terminating-flow-id"))},
                                                             {"key": "list", "format": "list"}, {"label": "Description", "value": "static"}]} for t in ("Text", "call", "UserTiming")]
        for s in list_:
            if s["name"] in NESTED:
                s["isStackBased"] = True
        return list_ + [{"name": "tracing", "display": [], key: []}]

    def markers(self, stacks):
        rng = self.rng
        rows = []
        for start in sorted(ms(rng, 0, 30) for _ in range(rng.choice((0, 1, 3, 12, 40)))):
            name, category = self.strings(rng.choice(NAMES[:6])), self.category()
            end = round(start + (rng.choice((0, 1, ms(rng, 0, 8)))), 9)
            phase = rng.choice((0, 1, 1, 1, 2, 3))
            if self.v >= (20 if self.gecko else 30):
                rows.append((name, None if phase == 3 else start, end if phase in (1, 3) else None, phase, category, self.data(stacks)))
            else:
                old = {} if phase == 0 else {"startTime": start, "endTime": end} if phase == 1 else {"interval": "start" if phase == 2 else "end"}
                rows.append((name, start, category, self.data(stacks, old)))
        return rows, ["name", "startTime", "endTime", "phase", "category", "data"] if self.v >= (20 if self.gecko else 30) else ["name", "time", "category", "data"]

    def allocations(self, stacks, native):
        rng, rows = self.rng, []
        for _ in range(rng.randint(1, 8)):
            stack, weight = rng.randrange(stacks) if rng.random() < 0.9 else None, rng.randint(1, 1 << 40)
            if native:
                rows.append((ms(rng, 0, 40), weight * rng.choice((1, -1)), stack, rng.randint(1, 1 << 47), 12))
            else:
                rows.append((ms(rng, 0, 40), rng.choice(("Object", "Function")), "JSObject", "Objects", weight, False, stack))
        return self.columns(rows, ["time", "weight", "stack", "memoryAddress", "threadId"] if native else ["time", "className", "typeName", "coarseType", "weight", "inNursery", "stack"])

    def pauses(self):
        at, list_ = 0, []
        for _ in range(self.rng.choice((0, 0, 1, 3))):
            at += ms(self.rng, 1, 15)
            list_.append({"startTime": at, "endTime": at + 1, "reason": "collecting"})
        return list_

    def thread(self, i, tables, stacks):
        rng, v = self.rng, self.v
        own = {}
        if tables is None:
            tables, stacks = self.tables()
            own = tables
            if v < 56:
                self.strings = Strings()
                own, stacks = self.tables()
        pid = rng.choice((7, 8))
        thread = {"processType": rng.choice(("default", "tab")), "processName": rng.choice(("Web", "GPU", "")), "processStartupTime": 0, "processShutdownTime": None, "registerTime": 0,
                  "unregisterTime": None, "pausedRanges": self.pauses(), "name": rng.choice(("GeckoMain", "Compositor", "T%d" % i)), "isMainThread": i == 0,
                  "pid": rng.choice((str(pid), "%d.1" % pid, "weird")) if v >= 47 else pid, "tid": rng.choice((100 + i, str(100 + i), "100.%d" % i)), "samples": self.samples(stacks)}
        rows, names = self.markers(stacks)
        thread["markers"] = self.columns(rows, names)
        if rng.random() < 0.3:
            thread["jsAllocations"] = self.allocations(stacks, False)
        if rng.random() < 0.3:
            thread["nativeAllocations"] = self.allocations(stacks, True)
        thread.update(own)
        if v < 58:
            thread.pop("sources", None)
        if v < 56:
            thread["stringArray"] = self.strings.list
        if v <= 40:
            thread["libs"] = self.libs
        items = list(thread.items())
        if rng.random() < 0.3:
            rng.shuffle(items)
        return dict(items)

    def counters(self):
        rng, list_ = self.rng, []
        for i in range(rng.choice((0, 1, 3))):
            n = rng.randint(0, 6)
            samples = {"count": [rng.choice((rng.randint(-1000, 1000), 0.5)) for _ in range(n)], "length": n}
            samples.update({"timeDeltas": self.deltas(n)} if self.v >= 50 and rng.random() < 0.5 else {"time": self.times(n)})
            if rng.random() < 0.5:
                samples["number"] = [rng.randint(0, 9) for _ in range(n)]
            c = {"name": "c%d" % i, "category": rng.choice(("Memory", "power", "Bandwidth")), "description": "d%d" % i, "pid": 7, "mainThreadIndex": 0}
            if self.v >= 62:
                c["display"] = {"graphType": rng.choice(("line-accumulated", "line-rate")), "unit": rng.choice(("bytes", "", "percent"))}
            c.update({"samples": samples} if self.v >= 48 else {"sampleGroups": [{"id": 0, "samples": samples}]} if self.v >= 26 else {"sampleGroups": {"id": 0, "samples": samples}})
            list_.append(c)
        return list_

    def meta(self):
        rng = self.rng
        meta = {"interval": rng.choice((1, 0.5, 2.125)), "startTime": rng.choice((0, 1700000000123.456, 1650000000000)), "processType": 0, "product": "Firefox", "stackwalk": 1, "version": 24,
                "abi": "x86_64-gcc3", "oscpu": "Linux x86_64", "symbolicated": False, "debug": None, "categories": self.categories}
        if rng.random() < 0.5:
            meta["sampleUnits"] = {"time": "ms", "eventDelay": "ms", "threadCPUDelta": rng.choice(("ns", "µs", "variable CPU cycles"))}
        if rng.random() < 0.5:
            meta.update(profilingStartTime=1.5, profilingEndTime=100.25)
        if self.markers_have_schemas():
            meta["markerSchema"] = self.schemas()
        return meta

    def processed(self):
        rng, v = self.rng, self.v
        meta = self.meta()
        meta["preprocessedProfileVersion"] = v
        profile = {"meta": meta, "pages": [], "profilerOverhead": []}
        if v >= 41:
            profile["libs"] = self.libs
        tables, stacks = self.tables() if v >= 60 else (None, 0)
        threads = [self.thread(i, tables, stacks) for i in range(rng.randint(0, 4))]
        counters = self.counters() if threads else []
        if v >= 60:
            profile["shared"] = {**tables, "stringArray": self.strings.list}
        elif v >= 56:
            profile["shared"] = {"stringArray": self.strings.list}
            if v >= 58:
                # Sources are shared, and functions are not: all threads list the same ones.
                profile["shared"]["sources"] = self.shared_sources(threads)
        profile.update(threads=threads, counters=counters)
        items = list(profile.items())
        if rng.random() < 0.3:
            rng.shuffle(items)
        return dict(items)

    def shared_sources(self, threads):
        """One list for all: that of each thread follows the one before."""
        names = []
        for t in threads:
            own = t.pop("sources")["filename"]
            t["funcTable"]["source"] = [None if x is None else x + len(names) for x in t["funcTable"]["source"]]
            names += own
        return {"filename": names, "length": len(names)}

    # --- gecko ----------------------------------------------------------------------------------

    def rows(self, names, rows):
        """A table of Gecko: places in any order, NULLs at the end of a row left out."""
        order = list(range(len(names)))
        self.rng.shuffle(order)
        data = []
        for row in rows:
            row = [row[i] for i in order]
            while row and row[-1] is None and self.rng.random() < 0.7:
                row.pop()
            data.append(row)
        table = {"schema": {names[i]: k for k, i in enumerate(order)}, "data": data}
        return table if self.rng.random() < 0.8 else {"data": data, "schema": table["schema"]}

    def location(self):
        rng = self.rng
        lib = rng.choice(self.libs) if self.libs else {"start": 0x10000, "end": 0x20000}
        return rng.choice((
            "0x%x" % (lib["start"] + rng.choice((0, 1, 0x7fff, 0x8000, 0x8001))), "0xzz", "(root)", "IPC::Foo", "a b (c)", "foo (in libxul.so)", "foo::bar(int) (in libxul.so) + 12",
            "foo (in lib x) (/build/a.cpp:12)", "fn (https://example.org/a.js:3:14)", "fn (https://example.org/a.js:3)[12]", "https://example.org/a.js:3:14", "resource://x.js:9",
            "f/< (chrome://a.js -> resource://b.js:77:1)[3]", "anonymous (self-hosted:12:1)", "PresShell::DoReflow https://x.org/", "", "x (in y", "(a:1)", "näme (file:///ö.js:5:6)"))

    def gecko_thread(self, i):
        rng, v = self.rng, self.v
        self.strings = s = Strings()
        frames = []
        for _ in range(rng.randint(1, 15)):
            category = self.maybe(self.category(), 0.6)
            frames.append((s(self.location()), True, None, None, self.maybe(rng.randint(1, 900), 0.5), None, category, self.sub(category)))
        stacks = []
        for k in range(rng.randint(1, 25)):
            stacks.append((rng.randrange(k) if k and rng.random() < 0.85 else None, rng.randrange(len(frames))))
        n = rng.choice((0, 1, 5, 30))
        units = rng.random() < 0.5
        times = self.times(n)
        samples = [(rng.randrange(len(stacks)) if rng.random() < 0.9 else None, times[k], 0.0, rng.choice((None, rng.randint(0, 10**6))) if units else None) for k in range(n)]
        rows, names = self.markers(len(stacks))
        return {"name": "T%d" % i, "processType": "tab", "processName": "Web", "registerTime": 0, "unregisterTime": None, "tid": 200 + i, "pid": 70 + i % 2,
                "samples": self.rows(["stack", "time", "eventDelay", "threadCPUDelta"], samples), "markers": self.rows(names, rows),
                "frameTable": self.rows(["location", "relevantForJS", "innerWindowID", "implementation", "line", "column", "category", "subcategory"], frames),
                "stackTable": self.rows(["prefix", "frame"], stacks), "stringTable": s.list}

    def gecko_profile(self, depth=0):
        rng = self.rng
        meta = self.meta() if depth == 0 else {"version": self.v, "startTime": rng.choice((1700000000200.5, 12.25)), "markerSchema": []}
        meta["version"] = self.v
        if depth == 0 and meta["startTime"] == 0:
            meta["startTime"] = 1
        profile = {"meta": meta, "libs": self.libs if depth == 0 or rng.random() < 0.7 else [], "threads": [self.gecko_thread(depth * 10 + i) for i in range(rng.randint(0 if depth else 1, 3))],
                   "pausedRanges": self.pauses(), "pages": []}
        if self.v >= 32:
            profile["sources"] = {"schema": {"id": 0, "filename": 1}, "data": [[i, "x%d" % i] for i in range(13)]}
        if rng.random() < 0.4:
            n = rng.randint(0, 5)
            profile["counters"] = [{"name": "malloc", "category": "Memory", "description": "Amount of allocated memory",
                                    "samples": self.rows(["time", "count", "number"], [(t, rng.randint(-9, 9), rng.randint(0, 3)) for t in self.times(n)])}]
        profile["processes"] = [self.gecko_profile(depth + 1) for _ in range(rng.choice((0, 0, 1, 2)) if depth < 2 else 0)]
        return profile


def profile(rng, version, gecko=False):
    maker = Maker(rng, version, gecko)
    return maker.gecko_profile() if gecko else maker.processed()
