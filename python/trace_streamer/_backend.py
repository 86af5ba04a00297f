"""Which of the two backends there is: the library, else the program."""

from __future__ import annotations

import os
import threading
from typing import Dict

from . import _native, _program
from ._errors import InputError
from ._session import Backend

_chosen: Dict[str, Backend] = {}
_lock = threading.Lock()


def _library(required: bool) -> "Backend | None":
    path = _native.find()
    try:
        return _native.NativeBackend(path) if path else None
    except (OSError, AttributeError) as error:
        if required or os.environ.get("TRACE_STREAMER_LIBRARY"):
            raise InputError(f"cannot load {path}\n  because: {error}") from error
        return None


def _make(wanted: str) -> Backend:
    found = _library(wanted == "library") if wanted in ("", "library") else None
    if found is not None:
        return found
    program = _program.find() if wanted in ("", "program") else None
    if program is None:
        raise InputError(
            f"there is neither {_native.SONAME} (TRACE_STREAMER_LIBRARY names another file) nor the program trace_streamer on the PATH "
            "(TRACE_STREAMER_PROGRAM)"
        )
    return _program.ProgramBackend(program)


def backend() -> Backend:
    """The library or the program; TRACE_STREAMER_BACKEND ("library", "program") asks for one of them."""
    wanted = os.environ.get("TRACE_STREAMER_BACKEND", "")
    if wanted not in ("", "library", "program"):
        raise InputError(f'TRACE_STREAMER_BACKEND is "library" or "program", not "{wanted}"')
    with _lock:
        if wanted not in _chosen:
            _chosen[wanted] = _make(wanted)
        return _chosen[wanted]
