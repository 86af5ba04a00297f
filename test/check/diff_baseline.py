"""What `trace_streamer diff --baseline=DIR` has to print, computed from the rows of each run ({key: {value: number}}, test/check/diff.py).

Before: the median of the runs. Noise: the largest less the smallest. A run without a row has 0 of values that are added up or are levels, nothing of others; a run
that has no value of a name at all counts for none of its rows. Whether a row came or went is said by the values that are added up.
"""

import diff


def median(numbers):
    numbers = sorted(numbers)
    low, high = numbers[(len(numbers) - 1) // 2], numbers[len(numbers) // 2]
    if isinstance(low, int) and isinstance(high, int) and (low + high) % 2 == 0:
        return (low + high) // 2
    return (low + high) / 2


def spread(numbers):
    return max(numbers) - min(numbers)


def with_shares(side, kinds):
    """The rows with the shares of their total, and the totals."""
    totals = {v: sum(entry.get(v) or 0 for entry in side.values()) for v, kind in kinds.items() if kind == diff.SUM}
    found = {}
    for key, entry in side.items():
        found[key] = dict(entry)
        for v, share in diff.SHARES.items():
            if v in kinds and entry.get(v) is not None:
                found[key][share] = 100.0 * entry[v] / totals[v] if totals[v] else 0.0
    return found, totals


def has(side, v):
    return not side or any(entry.get(v) is not None for entry in side.values())


class Baseline:
    """before, noise: {key: {value: number}}; totals: {value: (median, noise)}; kinds: of all values, shares among them."""

    def __init__(self, by, runs, weight=None):
        _, values = diff.shape(by, weight)
        self.kinds = {v: kind for v, kind in values if kind != diff.ONCE}
        runs = [with_shares(run, self.kinds) for run in runs]
        self.kinds.update({share: diff.LEVEL for v, share in diff.SHARES.items() if v in self.kinds})
        self.having = {v: [i for i, (run, _) in enumerate(runs) if has(run, v)] for v in self.kinds}
        self.before, self.noise, self.totals = {}, {}, {}
        for key in {k for run, _ in runs for k in run}:
            self.before[key], self.noise[key] = {}, {}
            for v, kind in self.kinds.items():
                zero = 0 if kind in (diff.SUM, diff.LEVEL) else None
                numbers = [runs[i][0].get(key, {}).get(v) if key in runs[i][0] else zero for i in self.having[v]]
                numbers = [n for n in numbers if n is not None]
                if numbers:
                    self.before[key][v], self.noise[key][v] = median(numbers), spread(numbers)
        for v, kind in self.kinds.items():
            if kind == diff.SUM and self.having[v]:
                numbers = [runs[i][1][v] for i in self.having[v]]
                self.totals[v] = median(numbers), spread(numbers)

    def of(self, key, v):
        """(before, noise) of a row that may be new."""
        if key in self.before:
            return self.before[key].get(v), self.noise[key].get(v)
        return (0, 0) if self.kinds[v] in (diff.SUM, diff.LEVEL) and self.having[v] else (None, None)


def is_noise(before, after, noise):
    return before is not None and after is not None and bool(noise) and abs(after - before) <= noise


def compare(by, runs, after, weight=None):
    """(rows that differ by more than the noise, how many only within it, totals): {key: {value: (before, after, noise)}}."""
    base = Baseline(by, runs, weight)
    side, totals = with_shares(after, {v: k for v, k in base.kinds.items() if v not in diff.SHARES.values()})
    names = [v for v in base.kinds if base.having[v] and has(side, v) and (side or base.before)]
    rows, inside = {}, 0
    for key in set(base.before) | set(side):
        cells, changed, noisy = {}, False, False
        for v in names:
            before, noise = base.of(key, v)
            zero = 0 if base.kinds[v] in (diff.SUM, diff.LEVEL) else None
            now = side[key].get(v) if key in side else zero
            cells[v] = (before, now, noise)
            if before != now:
                noisy = True
                changed = changed or not (before is None or now is None or is_noise(before, now, noise))
        if changed:
            rows[key] = cells
        inside += noisy and not changed
    return rows, inside, {v: (base.totals[v][0], totals[v], base.totals[v][1]) for v in names if v in base.totals}


def check(by, runs, after, output, weight=None):
    """Differences between that and the JSON of the program."""
    keys, _ = diff.shape(by, weight)
    rows, inside, totals = compare(by, runs, after, weight)
    wrong = []
    got = {tuple(row[k] for k in keys): row for row in output["rows"]}
    if set(got) != set(rows):
        wrong.append("rows %r are missing, %r too many" % (sorted(set(rows) - set(got), key=repr)[:5], sorted(set(got) - set(rows), key=repr)[:5]))
    if (output["changed_rows"], output["rows_inside_noise"]) != (len(rows), inside):
        wrong.append("%d rows differ and %d are noise, not %d and %d" % (output["changed_rows"], output["rows_inside_noise"], len(rows), inside))
    for key in set(got) & set(rows):
        for v, (before, now, noise) in rows[key].items():
            change = None if before is None or now is None else now - before
            digits = 2 if v in diff.SHARES.values() else 3
            want = {"before": before, "after": now, "change": change, "noise": noise}
            if any(not diff.near(number, got[key]["%s_%s" % (v, part)], digits) for part, number in want.items()):
                wrong.append("%r: %s is %r, not %r" % (key, v, [got[key]["%s_%s" % (v, part)] for part in want], want))
    for v, (before, now, noise) in totals.items():
        one = output["totals"][v]
        if not (diff.near(before, one["before"]) and diff.near(now, one["after"]) and diff.near(noise, one["noise"])):
            wrong.append("the total of %s is %r, not %r" % (v, one, (before, now, noise)))
    return wrong
