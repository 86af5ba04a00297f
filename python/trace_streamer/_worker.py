"""One recording after the other, in this process or in worker processes that are started here."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Sequence, Tuple, Union

from ._errors import DefectError, Error
from ._options import Options
from ._result import Result
from ._session import Row
from ._trace import Trace, open_with

_BLOCK = 256


@dataclass(frozen=True)
class Job:
    """What each recording is asked."""

    kind: str  # "query" or "ask"
    text: str
    params: Dict[str, Any]

    def of(self, trace: Trace) -> Result:
        """The answer of one."""
        return trace.query(self.text, self.params) if self.kind == "query" else trace.ask(self.text, self.params)


@dataclass(frozen=True)
class Failed:
    """Why there are no (more) rows of a recording. asked: it was open, and what it was asked failed."""

    error: Error
    asked: bool


# What comes of a recording, in this order: the names of its columns, blocks of rows, or that it failed.
Message = Union[Tuple[str, ...], List[Row], Failed]


def messages(recording: Any, options: Options, job: Job) -> Iterator[Message]:
    """Opens a recording, asks it, closes it."""
    asked = False
    try:
        with open_with([recording], options) as trace:
            asked = True
            result = job.of(trace)
            yield tuple(result.columns)
            block: List[Row] = []
            for row in result:
                block.append(row)
                if len(block) == _BLOCK:
                    yield block
                    block = []
            if block:
                yield block
    except Error as error:
        yield Failed(error, asked)


def serial(recordings: Sequence[Any], options: Options, job: Job) -> Iterator[Iterator[Message]]:
    """The messages of each recording."""
    for recording in recordings:
        yield messages(recording, options, job)


# --- other processes ----------------------------------------------------------------------------------

_START = "import sys; sys.path.insert(0, sys.argv[1]); from trace_streamer._worker import main; main()"
_END = None


class _Worker:
    def __init__(self, options: Options, job: Job) -> None:
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        self._process = subprocess.Popen([sys.executable, "-c", _START, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send((options, job))

    def _send(self, thing: Any) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(thing, self._process.stdin)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: receive says so

    def give(self, recording: Any) -> None:
        """Lets it begin."""
        self._send(recording)

    def receive(self) -> Iterator[Message]:
        """The messages of the recording that it was given first."""
        assert self._process.stdout is not None
        while True:
            try:
                message = pickle.load(self._process.stdout)
            except (EOFError, pickle.UnpicklingError):
                code = self._process.wait()
                why = f"signal {-code}" if code < 0 else f"exit code {code}"
                yield Failed(DefectError(f"the process that read the recording ended with {why}"), False)
                return
            if message is _END:
                return
            yield message

    def ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass


def parallel(recordings: Sequence[Any], options: Options, job: Job, count: int) -> Iterator[Iterator[Message]]:
    """The messages of each recording, in order. `count` processes read one recording each, as far ahead as a pipe holds rows."""
    workers: List[_Worker] = []
    try:
        for recording in recordings[:count]:
            workers.append(_Worker(options, job))
            workers[-1].give(recording)
        for n in range(len(recordings)):
            at = n % count
            received = workers[at].receive()
            yield received
            for _ in received:  # what was not read
                pass
            if n + count < len(recordings):
                if workers[at].ended():
                    workers[at].stop()
                    workers[at] = _Worker(options, job)
                workers[at].give(recordings[n + count])
    finally:
        for worker in workers:
            worker.stop()


def main() -> None:
    """A worker: recordings on its standard input, their messages on its standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    options, job = pickle.load(sys.stdin.buffer)
    while True:
        try:
            recording = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            for message in messages(recording, options, job):
                pickle.dump(message, out)
        except BrokenPipeError:
            return
        pickle.dump(_END, out)
        out.flush()


def each(recordings: Sequence[Any], options: Options, job: Job, workers: int) -> Iterator[Iterator[Message]]:
    """The messages of each recording, by this process or by others."""
    count = min(workers, len(recordings))
    return parallel(recordings, options, job, count) if count > 1 else serial(recordings, options, job)


