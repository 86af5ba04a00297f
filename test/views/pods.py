"""Recordings of the Cloud Profiler: all their tables, views and questions, from what test/check/cloud.py reads."""

import re

import cloud
import quality
import stacks

MS = 1000000
CALL = ("id source_id calls_file record ts dur method_id calls itid thread_index thread_name logs_written logs_generated "
        "cpu_dur wait_dur memory file_read file_written net_read net_written transactions queue_wait_dur suspend_dur "
        "trace_file trace_offset trace_record root_slice_id")
METHOD = re.compile(r"^(\S+) (\S+)\.([^.\s(]+)\(([^)]*)\)(?: \(([^()]*?)(?::(\d+))?\))?(?: \[(.*)\])?$", re.S)
HALVES = re.compile("[\ud800-\udfff]")


def text(s):
    return HALVES.sub("\ufffd", s.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass"))


def method(source, word_id, word):
    if word is None:
        return stacks.Method(source, word_id, None, None, None, None, None, None, None)
    m = METHOD.match(text(word))
    if not m:
        return stacks.Method(source, word_id, text(word), None, None, None, None, None, None)
    kind, cls, name, types, file, line, jar = m.groups()
    return stacks.Method(source, word_id, name, cls, None, "%s (%s)" % (kind, types), file, line and int(line), jar)


class Pod:
    """One recording with the numbers that its rows have."""

    def __init__(self, source, recording, base):
        self.source = source
        self.r = recording
        self.t = recording.trace
        self.base = dict(base)  # table -> rows of the pods before
        self.slice_id = {id(f): base["slices"] + i for i, f in enumerate(self.t.frames, 1)}
        self.word_rows = recording.pod.word_rows
        self.words = {w: base["words"] + i for i, (w, _) in enumerate(self.word_rows, 1)}  # the last of several
        self.texts = {}
        for stream in ("sql", "xml"):
            for key in getattr(recording, stream):
                self.texts[(stream,) + key] = base["texts"] + len(self.texts) + 1
        for name, n in (("slices", len(self.t.frames)), ("words", len(self.word_rows)), ("texts", len(self.texts)),
                        ("blocks", len(self.t.blocks)), ("tags", len(self.t.values)), ("calls", len(recording.calls)),
                        ("roots", len(self.t.roots)), ("params", len(recording.params)),
                        ("pauses", len(recording.suspend))):
            base[name] += n

    def word(self, w):
        return text(self.r.words[w]) if w in self.r.words else "#%d" % w

    def method(self, w):
        return method(self.source, w, self.r.words.get(w))

    def thread_names(self):
        """The first name that a trace says, or else that a call gives the thread of its root."""
        names = {}
        for frame, word, kind, value in self.t.values:
            if frame and kind in (0, 2) and self.r.words.get(word) == "java.thread":
                names.setdefault(frame.thread, text(value))
        for c in self.r.calls:
            if c.root and c.thread:
                names.setdefault(c.root.thread, text(c.thread))
        return names


def called(pod):
    """By its name, not by its start: <pod>/<year>/<month>/<day>/<start>, or <pod>_<start>."""
    if re.fullmatch(".+_[0-9]+", pod.name):
        return pod.name.rpartition("_")[0]
    words = pod.inside.split("/") if pod.name.isdigit() else []
    return next((word for word in reversed(words) if word and not word.isdigit()), pod.name)


def read(pods):
    """The model of all invocations."""
    s = stacks.Stacks()
    for p in pods:
        names = p.thread_names()
        for tid in {b[2] for b in p.t.blocks}:
            s.threads.add(stacks.Thread(p.source, tid, names.get(tid), "java", None, called(p.r.pod)))
        for w, word in p.word_rows:
            if METHOD.match(text(word)):
                s.methods.add(method(p.source, w, word))
        for c in p.r.calls:
            s.methods.add(p.method(c.method))
        at = {}
        paths = {}
        for f in p.t.frames:
            if f.path not in paths:
                above = paths[f.parent.path] if f.parent else ()
                paths[f.path] = s.path(above + (p.method(f.method),))
            at[id(f)] = len(s.slices)
            s.slices.append(stacks.Slice(p.source, (p.source, f.thread), at[id(f.parent)] if f.parent else None,
                                         paths[f.path], f.start * MS, f.duration * MS, (f.duration - f.inner) * MS,
                                         f.level, f.state))
    return s


def call_rows(pods, r):
    for p in pods:
        record = {}
        for i, c in enumerate(p.r.calls, p.base["calls"] + 1):
            number = record.get(c.file, 0)
            record[c.file] = number + 1
            since = lambda version, value: value if c.format >= version else None
            yield (i, p.source, c.file, number, c.start * MS, c.duration * MS, r.method_id.get(p.method(c.method)), c.enters,
                   r.itid.get((p.source, c.root.thread)) if c.root else None, c.thread_index,
                   text(c.thread) if c.thread is not None else None, since(1, c.logs_written),
                   since(1, c.logs_written + c.logs_more), since(2, c.cpu * MS), since(2, c.wait * MS), since(2, c.memory),
                   since(3, c.file_read), since(3, c.file_written), since(3, c.net_read), since(3, c.net_written),
                   since(4, c.transactions), since(4, c.queue_wait * MS),
                   p.r.suspended(c.start, c.start + c.duration) * MS, *c.key,
                   p.slice_id[id(c.root)] if c.root else None), c


def param_rows(pods):
    """(call, word, dictionary id, ordinal, value), pod"""
    for p in pods:
        for i, c in enumerate(p.r.calls, p.base["calls"] + 1):
            for word, values in c.params:
                for n, value in enumerate(values):
                    yield (i, word, p.words.get(word), n, text(value)), p


def tag_rows(pods):
    """The columns of cloud_tag, and the resolved name and value."""
    for p in pods:
        for i, ((frame, word, kind, value), (block, record, time)) in enumerate(zip(p.t.values, p.t.places), 1):
            here = kind in (0, 2)
            stream = ("xml", None, "sql")[kind - 1] if not here else None
            known = None if here else getattr(p.r, stream).get(value)
            yield (p.base["tags"] + i, p.source, p.slice_id[id(frame)] if frame else None, p.base["blocks"] + block + 1,
                   record, time * MS, word, p.words.get(word), kind, text(value) if here else None,
                   None if here else p.texts.get((stream,) + value), None if here else value[0], None if here else value[1]), \
                p.word(word), text(value) if here else known if known is None else text(known)


def check_tables(j, pods, r):
    j.some("cloud_dictionary", "id source_id word_id word method_id",
           ((p.base["words"] + i, p.source, w, text(word),
             r.method_id.get(method(p.source, w, word)) if METHOD.match(text(word)) else None)
            for p in pods for i, (w, word) in enumerate(p.word_rows, 1)))
    j.some("cloud_suspend", "id source_id ts dur",
           ((p.base["pauses"] + i, p.source, (end - delay) * MS, delay * MS)
            for p in pods for i, (end, _, delay) in enumerate(p.r.suspend, 1)))
    by_name = [{w: i for i, w in p.r.words.items()} for p in pods]
    j.some("cloud_param", "id source_id name dictionary_id is_index is_list sort_order signature",
           ((p.base["params"] + i, p.source, text(name), p.words.get(names.get(name)), int(index), int(many), order, text(sig))
            for p, names in zip(pods, by_name) for i, (name, index, many, order, sig) in enumerate(p.r.params, 1)))
    j.some("cloud_text", "id source_id stream file offset value",
           ((p.texts[(stream,) + key], p.source, stream, *key, text(value)) for p in pods for stream in ("sql", "xml")
            for key, value in getattr(p.r, stream).items()))
    j.some("cloud_block", "id source_id file offset bytes itid real_ts start_ts end_ts events complete",
           ((p.base["blocks"] + i, p.source, b[0], b[1], b[5], r.itid[p.source, b[2]], b[3] * MS, t and t[0] * MS,
             t and t[1] * MS, b[4], b[6]) for p in pods for i, (b, t) in enumerate(zip(p.t.blocks, p.t.spans), 1)))
    places = [{b[:2]: p.base["blocks"] + i for i, b in enumerate(p.t.blocks, 1)} for p in pods]
    j.some("cloud_root", "id source_id slice_id block_id record",
           ((p.base["roots"] + i, p.source, p.slice_id[id(f)], blocks[key[:2]], key[2])
            for p, blocks in zip(pods, places) for i, (key, f) in enumerate(p.t.roots.items(), 1)))
    j.some("cloud_tag", "id source_id slice_id block_id record ts word_id dictionary_id type value text_id text_file "
           "text_offset", (row for row, _, _ in tag_rows(pods)))
    j.some("cloud_call", CALL, (row for row, _ in call_rows(pods, r)))
    j.some("cloud_call_param", "call_id word_id dictionary_id ordinal value", (row for row, _ in param_rows(pods)))


def titles(pods):
    """{call: what it was about}"""
    first = {}
    for row, p in param_rows(pods):
        if row[3] == 0 and row[2] is not None:
            of = first.setdefault(row[0], {})
            name = p.word(row[1])
            of[name] = max(of.get(name, ""), row[4])
    out = {}
    for call, of in first.items():
        pick = lambda *names: next((of[n] for n in names if n in of), None)
        url = of.get("web.url")
        if url is not None:
            url = (of["web.method"] + " " if "web.method" in of else "") + url + ("?" + of["web.query"] if "web.query" in of else "")
        job, message = pick("job.name", "job.class", "job.id"), pick("jms.destination", "kafka.topic", "queue")
        for title in (of.get("profiler.title"), url, job and "job " + job, message and "message " + message, of.get("sql")):
            if title is not None:
                out[call] = title
                break
    return out


def ask_pauses(j, pods, **params):
    rows = [(p.source, "suspend", None, None, (end - d) * MS, d * MS, None, None) for p in pods for end, _, d in p.r.suspend
            if params.get("source") in (None, p.source) and params.get("from", stacks.FIRST) <= (end - d) * MS < params.get("to", stacks.LAST)]
    rows.sort(key=lambda x: (-x[5], x[4], x[0]))
    j.ask("longest_pauses", "source_id kind name cause ts dur bytes_before bytes_after", rows[:params.get("limit", 20)], **params)


def ask_slow(j, pods, calls, **params):
    names = {p.source: p.thread_names() for p in pods}
    slices = [(None, p.slice_id[id(f)], p.source, f.start * MS, f.duration * MS, None, None, None, names[p.source].get(f.thread),
               stacks.short(p.method(f.method))) for p in pods for f in p.t.frames
              if (f.parent is None if "method" not in params else like(params["method"], stacks.short(p.method(f.method))))]
    used = {c[26] for c in calls}
    rows = slices if "method" in params else [x for x in slices if x[1] not in used] + [
        (c[0], c[26], c[1], c[4], c[5], c[13], c[14], c[22], c[10], c[28]) for c in calls]
    rows = [x for x in rows if params.get("from", stacks.FIRST) <= x[3] < params.get("to", stacks.LAST)
            and params.get("source") in (None, x[2])]
    at = {"wall": 4, "cpu": 5, "wait": 6, "suspend": 7}[params.get("weight", "wall")]
    rows.sort(key=lambda x: (stacks.down(x[at]), x[0] is None, x[0] or 0, -1 if x[1] is None else x[1]))
    of = titles(pods)
    j.ask("slow_calls", "call_id slice_id ts dur cpu_dur wait_dur suspend_dur thread method title",
          [x[:2] + x[3:] + (of.get(x[0], x[9]),) for x in rows[:params.get("limit", 20)]], **params)


def like(pattern, text):
    return re.fullmatch(re.escape(pattern).replace("%", ".*").replace("_", "."), text, re.I | re.S) is not None


def check_views(j, pods, r):
    of = {p.source: p for p in pods}
    resolved = []
    for row, c in call_rows(pods, r):
        m = of[row[1]].method(c.method)
        resolved.append(row + (of[row[1]].r.pod.name, stacks.short(m), m.signature, m.file, m.line, m.library))
    j.view("v_cloud_call", CALL + " pod method signature file line library", resolved)
    j.view("v_cloud_call_title", "call_id title", titles(pods).items())
    j.view("v_cloud_call_param", "call_id source_id name ordinal value",
           ((row[0], p.source, p.word(row[1]), row[3], row[4]) for row, p in param_rows(pods)))
    j.view("v_cloud_tag", "id source_id slice_id block_id record ts name type value",
           (row[:6] + (name, row[8], value) for row, name, value in tag_rows(pods)))
    return resolved


# --- questions


def subtree(p, root):
    """The invocations of a root: those of its thread up to the thread's next root."""
    return [f for f in p.t.frames if f.thread == root.thread and top(f) is root]


def top(f):
    while f.parent is not None:
        f = f.parent
    return f


def check_questions(j, s, r, pods, calls):
    tags = list(tag_rows(pods))
    params = list(param_rows(pods))
    chosen = [c for c in calls if c[26] is not None]
    picked = (chosen[0], chosen[-1], max(chosen, key=lambda c: c[7]), max(chosen, key=lambda c: c[22])) if chosen else ()
    slices = j.rows(stacks.SLICES)
    for n, row in enumerate(sorted(set(picked))[:2]):
        stacks.ask_call_trees(j, slices, row[26], {"call": row[0]}, depth=(None, 0, 2, 100)[n % 4])
    inner = max(slices, key=lambda x: (x[1] is not None, x[2] or 0))
    stacks.ask_call_trees(j, slices, inner[0], {"slice": inner[0]})
    longest = min((x for x in slices if x[1] is None), key=lambda x: (-(x[2] or 0), x[0]))
    stacks.ask_call_trees(j, slices, longest[0], {})
    for row in sorted(set(picked)):
        one_call(j, pods, row, tags, params, {} if row[0] == 1 else {"call": row[0]})
    if params:
        ask_params(j, params, calls)
    for given in ({}, {"limit": 3, "source": pods[-1].source},
                  {"from": sorted(c[4] for c in calls)[len(calls) // 4], "to": max(c[4] for c in calls), "limit": 100000}):
        rows = [c for c in calls if given.get("from", stacks.FIRST) <= c[4] < given.get("to", stacks.LAST)
                and given.get("source") in (None, c[1])]
        rows.sort(key=lambda c: (-c[5], c[0]))
        j.ask("cloud_slow_calls", "id ts dur suspend_dur cpu_dur wait_dur thread_name method",
              [(c[0], c[4], c[5], c[22], c[13], c[14], c[10], c[28]) for c in rows[:given.get("limit", 20)]], **given)
    ask_pauses(j, pods, source=pods[-1].source)
    for given in ({}, {"weight": "cpu"}, {"weight": "wait", "limit": 5}, {"weight": "suspend", "source": pods[-1].source},
                  {"method": "%method1%", "limit": 100000}, {"limit": 100000},
                  {"from": sorted(c[4] for c in calls)[len(calls) // 4], "to": max(c[4] for c in calls)}):
        ask_slow(j, pods, calls, **given)
        if not {"weight", "method"} & given.keys():
            ask_pauses(j, pods, **given)
    for given in ({}, {"weight": "wall", "limit": 7}, {"source": pods[0].source, "weight": "samples"}):
        stacks.ask_hot_methods(j, s, r, **given)
    stacks.ask_slices(j, s, r)
    stacks.ask_slices(j, s, r, source=pods[-1].source, limit=100000)
    stacks.ask_folded(j, s, r)
    stacks.ask_folded(j, s, r, source=pods[0].source, event="call")


def ask_params(j, params, calls):
    names = [p.word(row[1]) for row, p in params]
    name = max(set(names), key=lambda n: (names.count(n), n))
    by_id = {c[0]: c for c in calls}
    hits = [(row[0], by_id[row[0]][4], by_id[row[0]][5], by_id[row[0]][28], row[4], n)
            for n, (row, p) in enumerate(params) if p.word(row[1]) == name]
    hits.sort(key=lambda h: (h[1], h[0], h[5]))
    columns = "call_id ts dur method value"
    j.ask("cloud_calls_by_param", columns, [h[:5] for h in hits], name=name, limit=1000000)
    values = sorted({h[4] for h in hits})
    value = values[len(values) // 2]
    j.ask("cloud_calls_by_param", columns, [h[:5] for h in hits if h[4] == value][:100], name=name, value=value)
    other = [(row[0], by_id[row[0]][4], by_id[row[0]][5], by_id[row[0]][28], row[4])
             for row, p in params if p.word(row[1]) == "web.method"]
    j.ask("cloud_calls_by_param", columns, sorted(other, key=lambda h: (h[1], h[0]))[:100])


def one_call(j, pods, row, tags, params, given):
    p = next(p for p in pods if p.source == row[1])
    c = p.r.calls[row[0] - p.base["calls"] - 1]
    tree = subtree(p, c.root)
    lines = []
    for f in tree:
        m = p.method(f.method)
        lines.append((f.level, (f.start - c.root.start) * MS, f.duration * MS, (f.duration - f.inner) * MS,
                      stacks.short(m), m.file, m.line))
    columns = "depth at dur self_dur method file line"
    j.ask("cloud_call_tree", columns, lines, **given)
    j.ask("cloud_call_tree", columns, lines[:2], limit=2, **given)
    inside = {p.slice_id[id(f)] for f in tree}
    for name in ("sql", "web.method", "common.started"):
        found = {}
        dur = {p.slice_id[id(f)]: f.duration * MS for f in tree}
        for tag, text_of, value in tags:
            if tag[2] in inside and text_of == name:
                count, ran = found.get(value, (0, {}))
                found[value] = (count + 1, {**ran, tag[2]: dur[tag[2]]})
        rows = sorted(((v, n, sum(ran.values()), max(ran.values())) for v, (n, ran) in found.items()),
                      key=lambda i: (-i[2], -i[1], (i[0] or "").encode()))
        j.ask("cloud_call_statements", "value count dur longest", rows, **given, **({} if name == "sql" else {"name": name}))
    a, b = c.start, c.start + c.duration
    pauses = [((end - d) * MS, d * MS, (min(b, end) - max(a, end - d)) * MS, i)
              for i, (end, _, d) in enumerate(p.r.suspend) if end > a and end - d < b]
    j.ask("cloud_call_pauses", "ts dur hit", [x[:3] for x in sorted(pauses, key=lambda x: (x[0], x[3]))], **given)
    mine = sorted(((q.word(x[1]), x[3], x[4]) for x, q in params if x[0] == row[0]), key=lambda x: (x[0].encode(), x[1]))
    j.ask("cloud_call_params", "name value", [(name, value) for name, _, value in mine], **given)


def check(j, paths):
    base = dict.fromkeys(("slices", "words", "texts", "blocks", "tags", "calls", "roots", "params", "pauses"), 0)
    recordings = [cloud.Recording(p) for path in paths for p in cloud.load(path)]
    names = j.rows("SELECT id, name FROM source WHERE kind = 'pod' ORDER BY id")
    j.same("pods", sorted(n for _, n in names), sorted(x.pod.name for x in recordings))
    source = {n: i for i, n in names}
    recordings.sort(key=lambda x: source[x.pod.name])
    pods = [Pod(source[x.pod.name], x, base) for x in recordings]
    quality.check_quality(j)
    j.some("source", "id parent_id kind name format clock",
           ((p.source, None, "pod", p.r.pod.name, "cloud", "realtime") for p in pods),
           got=((*row[:4], row[4][:5], row[5]) for row in
                j.rows("SELECT id, parent_id, kind, name, format, clock FROM source")))
    s = read(pods)
    r = stacks.Reader(j)
    s.slices = [x._replace(itid=r.itid[x.itid]) for x in s.slices]
    check_tables(j, pods, r)
    stacks.check_tables(j, s, r, [((end - d) * MS, end * MS) for p in pods for end, _, d in p.r.suspend] +
                        [(c.start * MS, (c.start + c.duration) * MS) for p in pods for c in p.r.calls])
    calls = check_views(j, pods, r)
    stacks.check_views(j, s, r)
    check_questions(j, s, r, pods, calls)
