"""--time-range for what events of the kernel become: the rows whose [ts, ts + dur] meets the range, samples by ts, what a row
is in with it. The model makes all rows; here those outside are left out and the numbers that refer to rows become those of the rows that are left.

What has no end goes on. Rows without a time belong to rows that have one: arguments, relations of frames, times of the GPU. Processes, threads,
filters, symbols and `stat` are of the whole recording.
"""

from ftrace_compare import split_columns

SPANS = ("callstack", "thread_state", "sched_slice", "irq", "frame_slice", "measure", "process_measure", "dma_fence", "syscall")
POINTS = ("instant", "raw", "timerfd_wakeup")


class Rows:
    """A table of the model by names of columns."""

    def __init__(self, what, rows):
        head, columns = what.split(": ", 1)
        self.what, self.name, self.columns = what, head.split()[0], [c.split("(")[0] and c for c in split_columns(columns)]
        self.rows = [dict(zip(self.columns, row)) for row in rows]
        self.number = {}  # old number -> new

    def keep(self, wanted):
        """wanted: one truth for each row."""
        kept = [i for i, want in enumerate(wanted) if want]
        self.number = {old: new for new, old in enumerate(kept)}
        self.rows = [self.rows[i] for i in kept]
        for i, row in enumerate(self.rows):
            if "id" in row and self.name not in ("measure_filter",):
                row["id"] = i

    def tuples(self):
        return [tuple(row[c] for c in self.columns) for row in self.rows]


def meets(row, low, high):
    return row["ts"] < high and (row.get("dur") is None or row["ts"] + row["dur"] >= low)


def is_sync(row):
    """Of asynchronous slices parent_id is a thread."""
    return row["cookie"] is None and row["parent_id"] not in (None, 4294967295)


def with_parents(rows, wanted):
    for i in reversed(range(len(rows))):  # what a row is in stands before it
        if wanted[i] and is_sync(rows[i]):
            wanted[rows[i]["parent_id"]] = True
    return wanted


def limited(tables, low, high, noted, marked):
    """The tables of the model for [low, high); noted: times of the events that count for trace_range; marked: what makes tables of the slices and
    frames that are left."""
    all_tables = {}
    for what, rows in tables.items():
        table = Rows(what, rows)
        all_tables[table.name] = table
    for name in SPANS + POINTS:
        table = all_tables[name]
        if name in POINTS:
            wanted = [low <= row["ts"] < high for row in table.rows]
        else:
            wanted = [meets(row, low, high) for row in table.rows]
        table.keep(with_parents(table.rows, wanted) if name == "callstack" else wanted)
    slices, frames = all_tables["callstack"].number, all_tables["frame_slice"].number
    arguments(all_tables, slices)
    for row in all_tables["callstack"].rows:
        if is_sync(row):
            row["parent_id"] = slices[row["parent_id"]]
    for row in all_tables["frame_slice"].rows:
        row["callstack_id"] = slices.get(row["callstack_id"])
        row["dst"] = frames.get(row["dst"])
        src = [frames[int(n)] for n in (row["src"] or "").split(",") if n and int(n) in frames]
        row["src"] = ",".join(map(str, src)) or None
    for name, columns in (("frame_maps", ("src_row", "dst_row")), ("gpu_slice", ("frame_row",))):
        table = all_tables[name]
        table.keep([all(row[c] in frames for c in columns) for row in table.rows])
        for row in table.rows:
            row.update((c, frames[row[c]]) for c in columns)
    for what, rows in marked(slices, frames).items():
        all_tables[what.split()[0]] = Rows(what, rows)
    noted = [ts for ts in noted if ts and low <= ts < high]
    out = {table.what: table.tuples() for table in all_tables.values()}
    for what in out:
        if what.startswith("trace_range "):
            first, last = (min(noted), max(noted)) if noted else (0, 1)
            out[what] = [(first - 1, last + 1) if first == last else (first, last)]
    return out


def arguments(all_tables, slices):
    """Sets of rows that are left; a slice that is not left is not named."""
    owners = [(row, column) for name, column in (("callstack", "argsetid"), ("thread_state", "arg_setid"), ("irq", "argsetid"))
              for row in all_tables[name].rows if row[column] is not None]
    sets = {old: new for new, old in enumerate(sorted({row[column] for row, column in owners}))}
    for row, column in owners:
        row[column] = sets[row[column]]
    args = all_tables["args"]
    key, value = args.columns[1], args.columns[3]
    args.keep([row["argset"] in sets and (row[key] != "destination slice id" or row[value] in slices) for row in args.rows])
    for row in args.rows:
        row["argset"] = sets[row["argset"]]
        if row[key] == "destination slice id":
            row[value] = slices[row[value]]
