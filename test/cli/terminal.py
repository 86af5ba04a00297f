#!/usr/bin/env python3
"""What is seen at a terminal: tables that keep their columns at any width, and completion typed into real shells.

terminal.py PROGRAM SOURCE
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

PROGRAM, SOURCE = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
BAD = []


def complain(text):
    BAD.append(text)
    print(text)


def environment(**more):
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    return env | {"PATH": os.path.dirname(PROGRAM) + ":" + env["PATH"], "TERM": "dumb"} | more


def start(columns, argv, cwd, env):
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.chdir(cwd)
        os.execvpe(argv[0], argv, env)
    return pid, fd


def at_terminal(columns, *arguments, cwd, **more):
    """Lines that the program prints on a terminal."""
    pid, fd = start(columns, [PROGRAM, *arguments], cwd, environment(**more))
    out = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(fd)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code != 0:
        complain(f"{arguments}: exit {code}")
    return out.decode().replace("\r\n", "\n").splitlines()


# --- tables --------------------------------------------------------------------------------------

def char_width(c):
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def width(text):
    return sum(map(char_width, text))


def by_column(line):
    """The character at each column of the terminal, with its marks; '' is the second half of a wide one."""
    out = []
    for c in line:
        if char_width(c) == 0 and out:
            out[-2 if out[-1] == "" else -1] += c
        else:
            out += [c] + [""] * (char_width(c) - 1)
    return out


def shown(value):
    if value is None:
        return "NULL"
    if not isinstance(value, str):
        return str(value)
    out = ""
    for c in value:
        n = ord(c)
        if n < 0x20 or n == 0x7F:
            out += f"\\x{n:02x}"
        elif 0x80 <= n < 0xA0 or n in (0x200E, 0x202E):
            out += f"\\u{{{n:x}}}"
        else:
            out += c
    return out


def is_ruler(line):
    return re.fullmatch(r" *-+( +-+)*", line) is not None


def cells_of(lines, what):
    """Rows of a printed table, a list of cells each. What is between the columns of its ruler must be blank; after an empty
    line names and ruler come again, with other widths."""
    rows = []
    for block in "\n".join(lines).split("\n\n"):
        block = block.split("\n")
        height = next(i for i, line in enumerate(block) if is_ruler(line))
        spans = [[m.span() for m in re.finditer("-+", line)] for line in block[height:2 * height]]
        if not all(map(is_ruler, block[height:2 * height])) or len(block) % height != 0:
            complain(f"{what}: names have {height} lines, the table {len(block)}")
        for begin in range(0, len(block), height):
            row = []
            for line, columns in zip(block[begin:begin + height], spans):
                at = by_column(line)
                inside = {i for a, b in columns for i in range(a, b)}
                if any(c != " " for i, c in enumerate(at) if i not in inside):
                    complain(f"{what}: a line breaks its columns: {line!r}")
                row += ["".join(at[a:b]).strip() for a, b in columns]
            if begin >= 2 * height:
                rows.append(row)
    return rows


HARD = """SELECT 7 AS id, 'plain' AS text, 1.5 AS number, NULL AS empty
UNION ALL SELECT 8, '日本語のとても長い名前、端末より長いもの、まだまだ続く名前', 12345678901234, 'ｗｉｄｅ'
UNION ALL SELECT 9, 'e' || char(769) || 'cole ' || char(27) || '[31mred' || char(10) || 'next' || char(9) || 'tab', -1, char(8238) || 'turned'
UNION ALL SELECT 10, replace(printf('%.100c', 'o'), 'o', 'e' || char(769)), 0.25, x'00ff'
UNION ALL SELECT 11, 'a text that has more words than any terminal of eighty columns can show beside three other columns', 3, 'x'"""
LATER = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
SELECT i AS id, CASE WHEN i > 250 THEN 'name ' || i || ' that is far longer than what came before it' ELSE 'n' || i END AS name,
CASE WHEN i > 300 THEN i * 1000000000 ELSE i END AS amount, CASE WHEN i > 400 THEN 'word' ELSE i END AS mixed FROM n"""
MANY = "SELECT " + ", ".join(f"'value {i} of a row with many columns' AS column_{i}, {i * 1000003} AS number_{i}" for i in range(12))


def check_table(work, sql, columns, **more):
    what = f"{sql[:30]} at {columns}"
    lines = at_terminal(columns, "java.db", "-q", sql, cwd=work, **more)
    columns = int(more.get("COLUMNS") or columns or 80)
    lines = [line for line in lines if not line.startswith("trace_streamer: ")]
    for line in lines:
        if width(line) > columns:
            complain(f"{what}: {width(line)} columns: {line!r}")
    rows = cells_of(lines, what)
    told = subprocess.run([PROGRAM, "java.db", "-q", sql, "--output=jsonl"], cwd=work, env=environment(), check=True, capture_output=True)
    expected = [list(json.loads(line).values()) for line in told.stdout.decode().splitlines()]
    if len(rows) != len(expected):
        complain(f"{what}: {len(rows)} rows, not {len(expected)}")
    cut = 0
    for got, wanted in zip(rows, expected):
        for cell, value in zip(got, wanted):
            text = shown(value)
            if cell == text or cell == f"X'{text}'":
                continue
            if isinstance(value, str) and cell.endswith("...") and text.startswith(cell[:-3].rstrip()):
                cut += 1
            else:
                complain(f"{what}: {cell!r} is shown for {text!r}")
    return cut


def tables(work):
    cut = {}
    for sql in HARD, LATER, MANY:
        for columns in 20, 33, 40, 60, 80, 132, 250:
            cut[sql, columns] = check_table(work, sql, columns)
    if not cut[HARD, 40] > cut[HARD, 132] > 0:
        complain(f"texts that are cut: {cut[HARD, 40]} at 40, {cut[HARD, 132]} at 132 columns")
    if check_table(work, HARD, 80, COLUMNS="1000"):
        complain("texts are cut where there is room")
    if check_table(work, HARD, 0) != cut[HARD, 80]:
        complain("a terminal that does not know its width has 80 columns")
    if check_table(work, HARD, 200, COLUMNS="40") != cut[HARD, 40]:
        complain("COLUMNS is not respected")
    check_table(work, HARD, 80, COLUMNS="")
    check_table(work, HARD, 80, COLUMNS="80")
    # A message says so, once, and --quiet does not.
    said = [line for line in at_terminal(40, "java.db", "-q", HARD, cwd=work) if line.startswith("trace_streamer: ")]
    if len(said) != 1 or "--output=jsonl" not in said[0]:
        complain(f"of texts that were cut is said: {said}")
    if any(line.startswith("trace_streamer: ") for line in at_terminal(40, "java.db", "-q", HARD, "--quiet", cwd=work)):
        complain("--quiet says that texts were cut")
    # Pipes and files get all, whatever COLUMNS says.
    run = [PROGRAM, "java.db", "-q", HARD, "--output=table"]
    whole = subprocess.run(run, cwd=work, env=environment(), check=True, capture_output=True).stdout
    narrow = subprocess.run(run, cwd=work, env=environment(COLUMNS="30"), check=True, capture_output=True)
    if whole != narrow.stdout or "日本語のとても長い名前、端末より長いもの、まだまだ続く名前" not in whole.decode() or narrow.stderr:
        complain("a pipe gets another table when COLUMNS is set")
    for line in at_terminal(60, "java.db", "--report", cwd=work):
        if re.match(r"^ *\S*  ", line) and is_ruler(line) and width(line) > 60:
            complain(f"the report is wider than the terminal: {line!r}")


# --- shells --------------------------------------------------------------------------------------

class Shell:
    """An interactive shell on a terminal."""

    def __init__(self, argv, ready, cwd):
        self.pid, self.fd = start(200, argv, cwd, environment(LC_ALL="C.UTF-8", HISTFILE="/dev/null"))
        self.typed(ready + "\n", "ready", 60)

    def read(self, until, seconds):
        out = ""
        end = time.monotonic() + seconds
        while time.monotonic() < end and until not in out:
            if select.select([self.fd], [], [], 0.1)[0]:
                out += os.read(self.fd, 65536).decode(errors="replace")
        return out

    def typed(self, text, until, seconds=20):
        os.write(self.fd, text.encode())
        return self.read(until, seconds)

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             f"PS1='> '; . {SOURCE}/share/completion/trace_streamer.bash; bind 'set bell-style none'; echo rea''dy"),
    "zsh": (["zsh", "-f", "-i"],
            f"PS1='> '; unsetopt beep; fpath=({SOURCE}/share/completion $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy"),
}
TYPED = [  # what is typed before the key, and what the line is after it
    ("trace_streamer java.db -q lock_waits --param ki", "--param kind="),
    ("trace_streamer java.db -q lock_waits --param kind=co", "--param kind=contended "),
    ("trace_streamer java.db -q lock_waits --param=kind=co", "--param=kind=contended "),
    ("trace_streamer java.db --to=folded --thread=Comm", "--thread=Common-Cleaner "),
    ("trace_streamer java.db --to=folded --thread wai", "--thread waiter\\ é "),
    ("trace_streamer java.db --to=folded --weight wal", "--weight wall "),
]


def shells(work):
    for name, (argv, ready) in SHELLS.items():
        if shutil.which(name) is None:
            print(f"{name}: not installed")
            continue
        shell = Shell(argv, ready, work)
        for line, completed in TYPED:
            got = shell.typed(line + "\t", completed)
            if completed not in got:
                complain(f"{name}: {line!r} becomes {got!r}, not {completed!r}")
            shell.typed("\x15", "> ", 0.5)
        shell.close()


def main():
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([PROGRAM, f"{SOURCE}/test/data/work.jfr.gz", "-e", "java.db", "--quiet"], cwd=work, check=True)
        tables(work)
        shells(work)
    return 1 if BAD else 0


sys.exit(main())
