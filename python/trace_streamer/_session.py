"""What both backends, the library and the program, give the rest of the package."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Protocol, Sequence, Tuple

from ._errors import InputError
from ._options import Options

Row = Tuple[Any, ...]
Params = Mapping[str, str]

BLOCK = 1 << 20


class Cursor(Protocol):
    """Rows on their way. It is read by one thread at a time."""

    @property
    def columns(self) -> Sequence[str]: ...

    def fetch(self, n: int) -> List[Row]:
        """At most n rows; none are left when the list is empty."""

    def arrow(self) -> Optional["Stream"]:
        """The rows as an Arrow stream of the library, which takes the cursor; None: there is no such stream."""

    def declared(self) -> Optional[Sequence[str]]:
        """The types of the columns as their tables declare them ("": not known), for a stream that is made here."""

    def close(self) -> None: ...


class Stream(Protocol):
    """An Arrow stream that is still ours."""

    @property
    def address(self) -> int:
        """Of the ArrowArrayStream."""

    def release(self) -> None:
        """Unless a consumer took it over: its end."""


@dataclass(frozen=True)
class Source:
    """A recording: a path, or bytes that a reader gives, with a name."""

    path: Optional[str] = None
    name: str = "-"
    read: Optional[Callable[[], bytes]] = None  # the next bytes; b"" is the end


class Session(Protocol):
    """A database that can be asked. Calls come from one thread at a time, but for cancel."""

    path: str
    failures: List[str]

    def query(self, sql: str, params: Params) -> Cursor: ...

    def ask(self, question: str, params: Params) -> Cursor: ...

    def diff(self, before: "Session", by: Optional[str], params: Params) -> Cursor: ...

    def save(self, path: str, force: bool) -> None: ...

    def cancel(self) -> None: ...

    def close(self) -> None: ...


class Backend(Protocol):
    """Opens sessions."""

    kind: str
    path: str

    def version(self) -> str: ...

    def questions(self) -> Dict[str, str]:
        """The first sentence of each question by its name."""

    def open(self, sources: Sequence[Source], options: Options) -> Session: ...

    def open_database(self, path: str, options: Options) -> Session: ...


def is_database(path: str) -> bool:
    """Whether the file begins as SQLite's do."""
    try:
        with open(path, "rb") as f:
            return f.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def _of_bytes(data: Any, name: str) -> Source:
    view = memoryview(data).cast("B")
    at = 0

    def read() -> bytes:
        nonlocal at
        block = view[at : at + BLOCK].tobytes()
        at += len(block)
        return block

    return Source(name=name, read=read)


def _of_file(file: IO[bytes], name: str) -> Source:
    def read() -> bytes:
        try:
            block = file.read(BLOCK)
        except OSError as error:
            raise InputError(f"cannot read the file object: {error}") from error
        if not isinstance(block, (bytes, bytearray, memoryview)):
            raise TypeError("the file object gives text; it has to be opened in binary mode ('rb')")
        return bytes(block)

    return Source(name=name, read=read)


def source_of(given: Any, name: Optional[str]) -> Source:
    """What one argument of `open` names."""
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not path or "\0" in path:
            raise InputError(f"this is no path: {path!r}")
        return Source(path=path)
    if isinstance(given, (bytes, bytearray, memoryview)):
        return _of_bytes(given, name or "-")
    if hasattr(given, "read"):
        own = getattr(given, "name", None)
        return _of_file(given, name or (os.path.basename(own) if isinstance(own, str) and own else "-"))
    raise TypeError(f"a recording is a path, bytes or a binary file object, not {type(given).__name__}")


_FIRST = re.compile(r"--\s*Question:\s*(.*)")


def questions_in(folder: str) -> Dict[str, str]:
    """The questions of a folder with their first lines."""
    found = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith(".sql"):
            with open(os.path.join(folder, file), encoding="utf-8") as f:
                first = _FIRST.match(f.readline())
            if first:
                found[file[:-4]] = first.group(1).strip()
    return found
