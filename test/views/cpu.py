"""CPU profiles of JavaScript runtimes: views and derived columns, from the texts of the profiles."""

from expected import text_value
import stacks


def read(j, profiles, to_ns, pid):
    """The model of all samples; each profile is a source of its own behind the first."""
    s = stacks.Stacks()
    itid = {t: i for t, i in j.rows("SELECT tid, itid FROM thread WHERE itid > 0")}
    for source, p in enumerate(profiles, 2):
        paths = {}

        def path_of(node):
            if node not in paths:
                frame = p.by_id[node]["callFrame"]
                line = frame.get("lineNumber")
                m = stacks.Method(source, None, text_value(frame.get("functionName", "")), None, None, None,
                                  text_value(frame.get("url", "")) or None, line if line is not None and line >= 0 else None,
                                  text_value(frame.get("moduleName", "")) or None)
                above = path_of(p.parent[node]) if node in p.parent else ()
                paths[node] = above + (m,)
            return paths[node]

        for n in p.nodes:
            s.path(path_of(n["id"]), n["id"])
        tid = p.json.get("tid")
        if tid is not None:
            s.threads.add(stacks.Thread(1, tid, None, "os", pid, None))
        for t, dur, node in p.samples:
            s.samples.append(stacks.Sample(source, itid.get(tid), to_ns(t), dur * 1000,
                                           path_of(node) if node in p.by_id else None, "cpu", {}))
    return s


def sample_rows(profiles, to_ns):
    number = offset = 0
    for p in profiles:
        merged = p is not profiles[0] and profiles[0].root() == 1  # into the root of the first one
        for node, start, end in p.runs():
            n = profiles[0].by_id[1] if merged and node == p.root() else p.by_id.get(node)
            frame = n["callFrame"]
            parent = p.parent.get(node)
            yield (number, to_ns(start), to_ns(end), (end - start) * 1000, p.number(node, offset, merged),
                   text_value(frame.get("functionName", "")) or "(anonymous)", text_value(frame.get("url", "")),
                   str(frame.get("scriptId", "0")), frame.get("lineNumber"), frame.get("columnNumber"),
                   0 if parent is None else p.number(parent, offset, merged))
            number += 1
        offset += max(p.by_id)


def check(j, profiles, to_ns, pid, marks):
    """`marks`: when each profile was started and reported."""
    s = read(j, profiles, to_ns, pid)
    r = stacks.Reader(j)
    for i, t in enumerate(profiles):
        j.same("samples of profile %d" % i, sum(1 for x in s.samples if x.source == i + 2), len(t.samples))
    first, firsts, offset = 1, [], 0
    for i, p in enumerate(profiles, 1):
        firsts.append((i, first if p.samples else None, offset, p.json.get("title")))
        first += len(p.samples)
        offset += max(p.by_id)
    j.some("js_cpu_profile", "id first_sample_id id_offset title", firsts)
    j.view("v_js_cpu_sample", "id start_time end_time dur function_id function url script_id line_number column_number "
           "parent_id", sample_rows(profiles, to_ns), key=lambda row: row[0])
    texts = {""} | {m.name for m in s.methods if m.name} | {m.file for m in s.methods if m.file}
    j.some("data_dict", "data", ((t,) for t in texts))
    j.same("numbers of texts", j.rows("SELECT min(id), max(id) FROM data_dict"), [(0, len(texts) - 1)])
    stacks.check_tables(j, s, r, [(a if a is not None else b, b) for a, b in marks])
    stacks.check_views(j, s, r)
    stacks.check_questions(j, s, r)
