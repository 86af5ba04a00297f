"""Runs of the program without the time to load it, which is most of a short run with sanitizers.

run() takes what subprocess.run takes and gives what that gives. A command whose program has trace_streamer_starts beside it is run by
that (starts.c), a process for each thread that asks; any other, and what this cannot do, is started as usual. A run that ends the
process (a sanitizer's finding, a signal) gives its status; leaks fail the test at its end.
"""

import atexit
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

KNOWN = {"capture_output", "text", "check", "timeout", "cwd", "input", "stdin", "stdout", "stderr", "encoding", "errors", "env"}
LARGEST = 60000  # of a request
own = threading.local()


class Starts:
    """The process, for runs with one environment."""

    def __init__(self, path, environment):
        self.path, self.owner = path, os.getpid()
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen([path], stdin=theirs, start_new_session=True, env=environment)
        theirs.close()
        atexit.register(self.close)

    def close(self):
        """The end of the test fails when memory was lost."""
        if self.owner != os.getpid() or self.process.returncode is not None:
            return
        self.socket.close()
        if self.process.wait() != 0:
            sys.stderr.write("%s: exit code %d\n" % (self.path, self.process.returncode))
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.socket.close()

    def ask(self, words, folder, descriptors):
        socket.send_fds(self.socket, [b"".join(os.fsencode(w) + b"\0" for w in (folder, *words))], descriptors)

    def code(self, seconds):
        """The exit code, as subprocess has it."""
        self.socket.settimeout(seconds)
        answer = self.socket.recv(4)
        if answer:
            return os.waitstatus_to_exitcode(int.from_bytes(answer, sys.byteorder))
        self.socket.close()
        return self.process.wait()


def server(program, environment):
    """That of this thread, or None."""
    path = os.path.join(os.path.dirname(os.path.abspath(program)), "trace_streamer_starts")
    if os.path.basename(program) != "trace_streamer" or not os.access(path, os.X_OK):
        return None
    if not hasattr(own, "servers"):
        own.servers = {}
    key = path, os.getpid(), tuple(sorted(environment.items()))
    found = own.servers.get(key)
    if found is None or found.process.returncode is not None:
        own.servers[key] = found = Starts(path, environment)
    return found


def read_all(pipes, until):
    """What comes of each of the pipes up to its end, or None when time is over."""
    parts = {fd: [] for fd in pipes}
    with selectors.DefaultSelector() as selector:
        for fd in pipes:
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map():
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return None
            for key, _ in selector.select(left):
                block = os.read(key.fd, 1 << 16)
                parts[key.fd].append(block)
                if not block:
                    selector.unregister(key.fd)
    return [b"".join(parts[fd]) for fd in pipes]


class Streams:
    """Standard descriptors of a run: `theirs`, the ends of pipes that are read here, and which of output and errors these are."""

    def __init__(self, options):
        both = subprocess.PIPE if options.get("capture_output") else None
        self.opened, self.pipes, self.which, self.theirs = [], [], [], []
        given = options.get("input")
        if given is not None:
            self.given = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
            self.given.write(given.encode() if isinstance(given, str) else given)
            self.given.seek(0)
            self.theirs.append(self.given.fileno())
        else:
            self.theirs.append(self.descriptor(options.get("stdin") or subprocess.DEVNULL, 0))
        for number, name in ((1, "stdout"), (2, "stderr")):
            self.theirs.append(self.descriptor(options.get(name) if both is None else both, number))

    def descriptor(self, stream, number):
        if stream == subprocess.PIPE:
            mine, theirs = os.pipe()
            self.pipes.append(mine)
            self.which.append(number)
        elif stream == subprocess.DEVNULL:
            theirs = os.open(os.devnull, os.O_RDWR)
        elif stream == subprocess.STDOUT:
            return self.theirs[1]
        else:
            return number if stream is None else stream if isinstance(stream, int) else stream.fileno()
        self.opened.append(theirs)
        return theirs

    def handed_over(self):
        while self.opened:
            os.close(self.opened.pop())

    def close(self):
        self.handed_over()
        for fd in self.pipes:
            os.close(fd)


def run_by(starts, words, options):
    limit = options.get("timeout")
    until = None if limit is None else time.monotonic() + limit
    streams = Streams(options)
    try:
        starts.ask(words, os.path.abspath(options.get("cwd") or "."), streams.theirs)
        streams.handed_over()
        texts = read_all(streams.pipes, until)
        try:
            code = None if texts is None else starts.code(None if until is None else max(0.001, until - time.monotonic()))
        except TimeoutError:
            code = None
    finally:
        streams.close()
    if code is None:
        starts.kill()
        raise subprocess.TimeoutExpired(words, limit)
    if options.get("text") or options.get("encoding"):
        texts = [b.decode(options.get("encoding") or "utf-8", options.get("errors") or "strict").replace("\r\n", "\n").replace("\r", "\n") for b in texts]
    found = dict(zip(streams.which, texts))
    return subprocess.CompletedProcess(words, code, found.get(1), found.get(2))


def run(command, check=False, **options):
    words = [os.fspath(word) for word in command]
    can = set(options) <= KNOWN and options.get("stdin") != subprocess.PIPE and sum(len(os.fsencode(w)) + 1 for w in words) < LARGEST
    environment = options.get("env")
    starts = server(words[0], dict(os.environ) if environment is None else environment) if can else None
    if starts is None:
        return subprocess.run(command, check=check, **options)
    sys.stdout.flush()
    done = run_by(starts, words, options)
    if check:
        done.check_returncode()
    return done
