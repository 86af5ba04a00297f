"""Recordings of profilers as tables: libtracestreamer in Python.

    import trace_streamer as ts

    with ts.open("app.htrace", analyze="heap") as t:
        print(t.ask("js_leak_suspects", limit=5))
        frame = t.query("SELECT * FROM v_js_class_histogram").df()

docs/python.md says more.
"""

from ._backend import backend as _backend
from ._errors import (
    CancelledError,
    DefectError,
    Error,
    FailureWarning,
    FormatError,
    InputError,
    LimitError,
    LossError,
    OutOfMemoryError,
    OutputError,
    UsageError,
)
from ._many import Failure, Many, ManyResult, open_many
from ._result import Result
from ._trace import Trace, diff
from ._trace import open_trace as open


def version() -> str:
    """The version of the library or program that reads the recordings."""
    return _backend().version()


def backend() -> "tuple[str, str]":
    """What reads the recordings: "library" or "program", and its path."""
    used = _backend()
    return used.kind, used.path


__all__ = [
    "CancelledError",
    "DefectError",
    "Error",
    "Failure",
    "FailureWarning",
    "FormatError",
    "InputError",
    "LimitError",
    "LossError",
    "Many",
    "ManyResult",
    "OutOfMemoryError",
    "OutputError",
    "Result",
    "Trace",
    "UsageError",
    "backend",
    "diff",
    "open",
    "open_many",
    "version",
]
