"""What `open` takes beside the recordings: the options of the command line as keyword arguments."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional

from ._errors import UsageError

_SUFFIXES = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SIZE = re.compile(r"([0-9]+)([KMGT]?)\Z")


@dataclass(frozen=True)
class Options:
    """Each field is a keyword argument of `open`, with the meaning of the option of that name."""

    format: Optional[str] = None
    analyze: Optional[str] = None
    time_range: Optional[str] = None
    symbols: Optional[str] = None
    syscalls: Optional[str] = None
    jfr_events: Optional[str] = None
    viewer: Optional[str] = None
    temp_dir: Optional[str] = None
    max_memory: int = 0
    max_inflate: int = 0
    threads: int = 0
    index: bool = False
    with_times: bool = False
    no_meta: bool = False
    compat: bool = False
    strict: bool = False
    keep_going: bool = False

    def arguments(self) -> List[str]:
        """The same for the program's command line (but for temp_dir, which it does not have)."""
        found: List[str] = []
        for f in fields(self):
            value = getattr(self, f.name)
            name = "--nometa" if f.name == "no_meta" else "--" + f.name.replace("_", "-")
            if f.name == "temp_dir" or value is None or value is False or value == 0:
                continue
            found.append(name if value is True else f"{name}={value}")
        return found


def size_of(name: str, value: object) -> int:
    """Bytes: a number, or a text such as "64M"."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = _SIZE.match(value.strip().upper()) if isinstance(value, str) else None
    if found is None:
        raise UsageError(f'{name} is a number of bytes or a text such as "64M", not {value!r}')
    return int(found.group(1)) << _SUFFIXES[found.group(2)]


def _time_of(name: str, value: object) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise UsageError(f"{name} has a datetime without a time zone: {value!r}")
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return str(value)


def _text_of(name: str, value: object) -> str:
    if name in ("symbols", "temp_dir"):
        if not isinstance(value, (str, os.PathLike)):
            raise UsageError(f"{name} is the path of a folder, not {value!r}")
        return str(os.fspath(value))
    if name == "time_range" and isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise UsageError(f"time_range is FROM and UNTIL, not {value!r}")
        return ",".join(_time_of(name, v) for v in value)
    if isinstance(value, (tuple, list, set, frozenset)):
        return ",".join(sorted(map(str, value)) if isinstance(value, (set, frozenset)) else map(str, value))
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise UsageError(f"{name} is a text, not {value!r}")
    return str(value)


def names() -> List[str]:
    """Of all options."""
    return [f.name for f in fields(Options)]


def options_of(given: Mapping[str, Any]) -> Options:
    """The options; a TypeError for a name that is none, as with a function that has arguments of these names."""
    kinds: Dict[str, Any] = {f.name: f.default for f in fields(Options)}
    checked: Dict[str, Any] = {}
    for name, value in given.items():
        if name not in kinds:
            near = difflib.get_close_matches(name, [*kinds, "name"], 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(kinds))}"
            raise TypeError(f"open() has no option {name!r}{hint}")
        default = kinds[name]
        if value is None:
            continue
        if isinstance(default, bool):
            checked[name] = bool(value)
        elif name == "threads":
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise UsageError(f"threads is a number, not {value!r}")
            checked[name] = value
        elif isinstance(default, int):
            checked[name] = size_of(name, value)
        else:
            checked[name] = _text_of(name, value)
            if not checked[name] or "\0" in checked[name]:
                raise UsageError(f"{name} is empty or has a zero byte")
    return Options(**checked)
