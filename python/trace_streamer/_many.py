"""The same question to many recordings, one after the other."""

from __future__ import annotations

import glob
import os
import warnings
from typing import Any, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from ._errors import Error, FailureWarning, InputError, UsageError, error_of
from ._options import Options, options_of
from ._result import IteratorCursor, Result
from ._session import Cursor, Row
from ._values import params_of
from ._worker import Failed, Job, each


class Failure(NamedTuple):
    """A recording that could not be read or asked."""

    recording: str
    error: Error


def _one_of(given: Any) -> str:
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"many recordings are paths, not {type(given).__name__}")
    return os.fsdecode(os.fspath(given))


class Many:
    """Recordings that are opened one after the other. Nothing is kept of one when the next one is opened."""

    def __init__(self, recordings: List[str], options: Options, workers: int) -> None:
        self.recordings = recordings
        self._options = options
        self._workers = workers

    def query(self, sql: str, params: Optional[Mapping[str, Any]] = None, **more: Any) -> "ManyResult":
        """The rows of SQL statements on each recording; the first column, `recording`, is its path."""
        return ManyResult(self.recordings, self._options, Job("query", sql, params_of(params, more)), self._workers)

    def ask(self, question: str, params: Optional[Mapping[str, Any]] = None, **more: Any) -> "ManyResult":
        """The rows of a shipped question on each recording. One that lacks the rows is a failure."""
        return ManyResult(self.recordings, self._options, Job("ask", question, params_of(params, more)), self._workers)

    def __len__(self) -> int:
        return len(self.recordings)

    def __repr__(self) -> str:
        return f"<Many: {len(self)} recordings>"


class ManyResult(Result):
    """Rows of many recordings, in their order. Each use reads the recordings again.

    What cannot be read or asked is in `failures`, as far as the rows have come; a FailureWarning at the end says how many there are. When
    none can, that is an error. So is SQL, or a question, that is wrong for the first recording that can be read.
    """

    def __init__(self, recordings: List[str], options: Options, job: Job, workers: int) -> None:
        self.failures: List[Failure] = []
        self._recordings = recordings
        self._options = options
        self._job = job
        self._workers = workers
        super().__init__(self._begin)

    def _begin(self) -> Cursor:
        failures: List[Failure] = []
        self.failures = failures
        rows = self._rows(failures)
        columns = next(rows)
        return IteratorCursor(columns, rows)

    def _rows(self, failures: List[Failure]) -> Iterator[Tuple[Any, ...]]:
        """First the names of the columns, then the rows."""
        columns: Optional[Tuple[str, ...]] = None
        every = each(self._recordings, self._options, self._job, self._workers)
        try:
            for recording, messages in zip(self._recordings, every):
                for message in messages:
                    if isinstance(message, list):
                        for row in message:
                            yield (recording, *row)
                        continue
                    if isinstance(message, Failed):
                        if columns is None and message.asked and not _lacks_rows(message.error):
                            raise message.error
                        failures.append(Failure(recording, message.error))
                    elif columns is None:
                        columns = message
                        yield ("recording", *columns)
                    elif message != columns:
                        names = ", ".join(message)
                        failures.append(Failure(recording, UsageError(f"it has other columns than the recordings before: {names}")))
                        break
        finally:
            close = getattr(every, "close", None)
            if close is not None:
                close()
        self._say(failures, columns is None)

    def _say(self, failures: List[Failure], none: bool) -> None:
        if not failures:
            return
        first = failures[0]
        all_of_them = len(self._recordings)
        if none:
            text = f"none of {all_of_them} recordings could be read and asked\n{first.recording}\n{first.error}".replace("\n  because: ", "\n")
            raise error_of(first.error.code, text)
        warnings.warn(
            f"{len(failures)} of {all_of_them} recordings could not be read or asked, such as {first.recording}: {first.error.causes[0]} "
            "(failures has all of them)",
            FailureWarning,
            stacklevel=4,
        )


def _lacks_rows(error: Error) -> bool:
    return isinstance(error, UsageError) and str(error).startswith("cannot answer ")


def open_many(recordings: Union[str, "os.PathLike[str]", Iterable[Any]], *, workers: int = 1, **options: Any) -> Many:
    """Many recordings, for one question to all.

    recordings: a pattern such as "runs/**/*.htrace", whose files are taken in the order of their names, or paths. workers: so many processes
    read recordings at the same time; the rows and their order are the same. The other keywords are those of `open`.
    """
    checked = options_of(options)
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise UsageError(f"workers is a number of processes, not {workers!r}")
    if isinstance(recordings, (str, os.PathLike)):
        pattern = os.fspath(recordings)
        paths = sorted(glob.glob(pattern, recursive=True))
        if not paths:
            raise InputError(f"no file matches {pattern}")
    else:
        paths = [_one_of(recording) for recording in recordings]
        if not paths:
            raise InputError("there is no recording")
    return Many(paths, checked, workers)
