"""Columns for pandas. The types depend on the values only, not on where the rows come from."""

from __future__ import annotations

from typing import Any, Iterable, List, Sequence, Tuple

from ._arrow import Part
from ._session import Row
from ._values import widened, widest


def unique(names: Sequence[str]) -> List[str]:
    """Names of columns as the program's JSON has them: the second `a` is `a:1`."""
    found: List[str] = []
    counts: dict[str, int] = {}
    for name in names:
        before = counts.get(name, 0)
        counts[name] = before + 1
        found.append(f"{name}:{before}" if before else name)
    return found


def _series(pandas: Any, values: List[Any]) -> Any:
    kind = widest(values)
    values = widened(values, kind) if kind is not None else values
    if kind is int:  # not float64, which has 53 bits: times are longer
        return pandas.array(values, dtype="Int64") if None in values else pandas.Series(values, dtype="int64")
    if kind is float:
        return pandas.Series([float("nan") if v is None else v for v in values], dtype="float64")
    return pandas.Series(values, dtype="object")


def of_rows(names: Sequence[str], rows: List[Row]) -> Any:
    """A DataFrame of rows."""
    import pandas

    columns = zip(*rows) if rows else ([] for _ in names)
    made = [_series(pandas, list(values)) for values in columns]
    return _frame(pandas, names, made, len(rows))


def _frame(pandas: Any, names: Sequence[str], columns: List[Any], n: int) -> Any:
    return pandas.DataFrame(dict(zip(unique(names), columns)), index=pandas.RangeIndex(n))


def _valid(numpy: Any, part: Part) -> Any:
    if part.valid is None:
        return numpy.ones(part.length, dtype=bool)
    bits = numpy.frombuffer(part.valid, dtype="u1")
    return numpy.unpackbits(bits, bitorder="little")[: part.length].astype(bool)


def _objects(part: Part) -> List[Any]:
    data, text = part.data, part.format == "u"
    ends = memoryview(part.offsets or b"").cast("i").tolist()
    pieces = [data[a:b] for a, b in zip(ends, ends[1:])]
    values: List[Any] = [str(p, "utf-8", "replace") for p in pieces] if text else list(pieces)
    if part.valid is not None:
        valid = part.valid
        values = [v if valid[i >> 3] >> (i & 7) & 1 else None for i, v in enumerate(values)]
    return values


def _column(pandas: Any, numpy: Any, parts: Sequence[Part]) -> Any:
    format_ = parts[0].format
    if format_ not in ("l", "g"):
        return pandas.Series([v for part in parts for v in _objects(part)], dtype="object")
    values = numpy.concatenate([numpy.frombuffer(part.data, dtype="i8" if format_ == "l" else "f8") for part in parts])
    valid = numpy.concatenate([_valid(numpy, part) for part in parts])
    if valid.all():
        return pandas.Series(values)
    if not valid.any():
        return pandas.Series([None] * len(values), dtype="object")
    if format_ == "l":
        return pandas.arrays.IntegerArray(values.copy(), ~valid)
    values = values.copy()
    values[~valid] = float("nan")
    return pandas.Series(values)


def of_parts(names: Sequence[str], batches: Iterable[List[Part]]) -> Tuple[Any, int]:
    """A DataFrame of the batches of an Arrow stream, and its rows."""
    import numpy
    import pandas

    kept = list(batches)
    n = sum(batch[0].length for batch in kept if batch)
    if n == 0:
        return of_rows(names, []), 0
    columns = [_column(pandas, numpy, [batch[i] for batch in kept]) for i in range(len(names))]
    return _frame(pandas, names, columns, n), n
