#!/usr/bin/env python3
"""Messages have one shape: `trace_streamer: WHAT: WHY; DO`, causes below it as `  because: WHY`.

messages.py PROGRAM SOURCE: looks at what wrong command lines print, and at the texts of the sources that become messages.
What can be checked of the shape: one line, no sentence that ends, no capital and no word that only complains at the
beginning, quotes in pairs, nothing of the C library in place of a text. The exit codes are those that README.md lists.
"""
import glob
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
DATA = f"{SOURCE}/test/data"
BAD = []


def complain(text):
    BAD.append(text)
    print(text)


# --- the shape -----------------------------------------------------------------------------------

NAMES = ("SQL", "SQLite", "JSON", "OUT", "DB", "CPU", "XML", "JFR", "HotSpot", "Java", "Snapshot", "H", "ClickHouse", "UTF", "U", "NULL", "INPUT")
SHAPE = [
    (r"^(?!(?:%s)\b)[A-Z]" % "|".join(NAMES), "begins with a capital"),
    (r"[.!,:;]$", "ends like a sentence, or in the middle of one"),
    (r"^\s|\s$|  |\t|\n", "has blanks where none belong"),
    (r"^(error|fatal|sorry|oops|please|invalid input)\b[:,]?", "begins with a word that says nothing"),
    (r"\(null\)|%[sdulz]|\berrno\b|0x0\b|-?nan\b", "has what is left of a format"),
    (r"\berror [0-9]+$", "has a number in place of a reason"),
    (r"::(?!1)|;;|, ,|\(\)|\?\?", "has signs twice"),
    (r"; [A-Z](?!REATE)[a-z]", "goes on with a capital after a semicolon"),
]
SHAPE = [(re.compile(p), say) for p, say in SHAPE]


def wrong(text):
    """What is wrong with a message."""
    found = [say for p, say in SHAPE if p.search(text)]
    if text.count('"') % 2 != 0:
        found.append("has a quote without its other one")
    if text.count("(") != text.count(")"):
        found.append("has a bracket without its other one")
    return found


# --- of the program ------------------------------------------------------------------------------

def run(work, *arguments):
    env = os.environ | {"HOME": work, "TRACE_STREAMER_SQL": ""}
    return subprocess.run([PROGRAM, *arguments], cwd=work, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)


WRONG = """2
2 -e
2 java.jfr
2 java.jfr -e
2 java.jfr -e -
2 java.jfr -e x.db -e y.db
2 java.jfr -e x.db --force=1
2 java.jfr -ex.db
2 java.jfr --exprot-db=x.db
2 java.jfr --no -e x.db
2 java.jfr -e x.db --fail-if=self>1
2 java.jfr -e x.db --by=class
2 java.jfr -e x.db --param a=1
2 java.jfr -e x.db --format=elf
2 java.jfr -e x.db --analyze=haep
2 java.jfr -e x.db --analyze=none,heap
2 java.jfr -e x.db --max-memory=12Q
2 java.jfr -e x.db --max-inflate=0
2 java.jfr -e x.db --time-range=5,1
2 java.jfr -e x.db --time-range=never
2 java.jfr -e x.db --syscalls=read
2 java.jfr -e x.db --threads=many
2 java.jfr -e x.db --viewer=work
2 java.jfr -e x.db -l LOUD
2 java.jfr -e x.db -c
2 java.jfr -e x.db -m names
2 java.jfr -e x.db -tn 9999
2 java.jfr -e java.jfr
2 java.jfr -e x.db --log-file=java.jfr
2 java.jfr -e x.db --redact-key=k
2 java.jfr -e x.db --redact=words
2 java.jfr -s
2 java.jfr -o out
2 java.jfr -s -o out -e x.db --to=flame
2 java.jfr --each -o dir -e x.db
2 java.jfr --jobs=2 -e x.db
2 java.jfr --json --json=x
2 java.jfr --to=flame
2 java.jfr --to=flam -o x
2 java.jfr --to=flame -o x --thread=nobody
2 java.jfr --to=flame -o x --source=9
2 java.jfr --to=flame -o x --weight=gold
2 java.jfr --to=flame -o x --from=later
2 java.jfr --to=flame -o x --event=noon
2 java.jfr --to=clickhouse
2 java.jfr --at=http://127.0.0.1:1/x
2 java.jfr --to=parquet -o x --layout=bee
2 - - -e x.db
1 nothing.jfr -e x.db
1 nothing.jfr java.jfr -e x.db
5 text.txt -e x.db
5 pointer.jfr -e x.db
1 empty -e x.db
4 java.jfr -e nodir/x.db
4 java.jfr -e foreign.txt
2 java.db -q hot_method
2 java.db -q js_class_histogram
2 java.db -q hot_methods --param limit=x
2 java.db -q hot_methods --param limits=1
2 java.db -q hot_methods --param limit=1 --param limit=2
2 java.db -q lock_waits --param kind=noon
2 java.db -q hot_methods --param source=9
2 java.db -q cloud_call_methods
2 java.db -q js_objects_like
2 java.db -q "SELECT nothing"
2 java.db -q "SELEC 1"
2 java.db -q "DELETE FROM thread"
2 java.db -q hot_methods --report
2 java.db -q hot_methods --output=xml
2 java.db --output=csv
2 java.db --report=html
2 --tables=nothing
2 --explain=nothing
2 --questions=nothing
2 foreign.db -q threads
1 cut.db -q threads
2 diff
2 diff java.db
2 diff java.db java.db
2 diff java.db other.db --by=clas
2 diff java.db other.db --by=class
2 diff java.db other.db --fail-if=self
2 diff java.db other.db --fail-if=self>5parsecs
2 diff java.db other.db --fail-if=gold>5
2 diff java.db other.db --to=pprof -o x
2 diff java.db other.db --before=9
1 diff java.db --baseline=.
1 diff java.db nothing.db
2 upgrade java.db
2 upgrade java.db -e
2 redact java.db
2 unredact java.db x
1 unredact java.db x --redact-key=text.txt
2 help nothing
2 version now
2 serve
2 serve java.db --port=99999
2 serve java.db --listen=nowhere.
2 fleet
2 fleet dance --at=http://127.0.0.1:1/x
2 fleet list
2 fleet list --at=nowhere
4 fleet list --at=http://127.0.0.1:1/x --retries=0
2 sample x -e x.db
2 sample 1
2 mcp --port=1"""


def codes_of_readme():
    with open(f"{SOURCE}/README.md", encoding="utf-8") as f:
        return {int(n) for codes in re.findall(r"^\| ([0-9, ]+) \| ", f.read(), re.M) for n in codes.split(",")}


def lines_of(what, stderr):
    """The messages of an answer that was refused."""
    out = []
    for n, line in enumerate(stderr.decode().split("\n")[:-1]):
        begin = "  because: " if line.startswith("  because: ") and n > 0 else "trace_streamer: "
        if not line.startswith(begin):
            complain(f"{what}: a line is no message: {line!r}")
        else:
            out.append(line[len(begin):])
    if not out or not stderr.endswith(b"\n"):
        complain(f"{what}: says {stderr!r}")
    return out


def of_program(work, listed):
    for line in WRONG.splitlines():
        expected, _, typed = line.partition(" ")
        arguments = [a.strip('"') for a in re.findall(r'"[^"]*"|\S+', typed)]
        done = run(work, *arguments)
        what = f"trace_streamer {typed}"
        if b"this build" in done.stderr:
            continue  # a verb is left out of it
        if done.returncode not in listed:
            complain(f"{what}: exit code {done.returncode} is not in README.md")
        if done.returncode != int(expected):
            complain(f"{what}: exit code {done.returncode}, not {expected}: {done.stderr.decode()[:300]}")
        if done.stdout:
            complain(f"{what}: prints {done.stdout[:80]!r}")
        for message in lines_of(what, done.stderr):
            for why in wrong(message):
                complain(f"{what}: {message!r} {why}")
    left = sorted(set(os.listdir(work)) - BEFORE)
    if left:
        complain(f"refused commands left files: {left}")


BEFORE = set()


def files(work):
    shutil.copy(f"{DATA}/work.jfr.gz", f"{work}/java.jfr")
    for source, db in ("work.jfr.gz", "java.db"), ("work21.jfr.gz", "other.db"):
        subprocess.run([PROGRAM, f"{DATA}/{source}", "-e", db, "--quiet"], cwd=work, check=True)
    texts = {"text.txt": "some words\n" * 20, "foreign.txt": "mine\n", "empty": "", "pointer.jfr": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"}
    for name, text in texts.items():
        with open(f"{work}/{name}", "w", encoding="utf-8") as f:
            f.write(text)
    with open(f"{work}/java.db", "rb") as f, open(f"{work}/cut.db", "wb") as cut:
        cut.write(f.read(5000))
    db = sqlite3.connect(f"{work}/foreign.db")
    db.execute("CREATE TABLE t(x)")
    db.commit()
    db.close()
    BEFORE.update(os.listdir(work))


def beside(work):
    """An unknown input beside good ones: 0, named in the summary and in the database; 1 with --strict."""
    for strict in (), ("--strict",):
        done = run(work, "java.jfr", "text.txt", "-e", "both.db", *strict)
        said = done.stderr.decode()
        if done.returncode != len(strict):
            complain(f"an unknown input beside a good one, {strict}: exit code {done.returncode}")
        if not re.search(r"^.*text\.txt.*$", said, re.M) or "1 of 2 inputs could not be imported" not in said:
            complain(f"an unknown input beside a good one is not in the summary: {said}")
        db = sqlite3.connect(f"{work}/both.db")
        named = db.execute("SELECT count(*) FROM import_issue AS i JOIN source AS s ON s.id = i.source_id WHERE s.path = 'text.txt' AND i.severity = 'error'").fetchone()[0]
        good = db.execute("SELECT count(*) FROM stack_sample").fetchone()[0]
        db.close()
        if named != 1 or good == 0:
            complain(f"an unknown input beside a good one: {named} issues, {good} samples")


# --- of the sources ------------------------------------------------------------------------------

# Texts that other programs compare (the agent of Flare), and parts of longer messages.
OF_OTHERS = ("src/serve/flare/", "src/serve/api/")
LITERAL = r'"(?:\\.|[^"\\\n])*"'


def of_sources():
    count = 0
    call = re.compile(r'\bts_(?:fail|cause|message)\((?:[^";()]|\([^()"]*\))*?((?:%s(?:\s|PRI[diuxX]\w+)*)+)' % LITERAL, re.S)
    for path in sorted(glob.glob(f"{SOURCE}/src/**/*.c", recursive=True)):
        name = os.path.relpath(path, SOURCE)
        if name.startswith(OF_OTHERS):
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for m in call.finditer(text):
            literals = re.sub(r"PRI[diuxX]\w+", '"d"', m.group(1))
            said = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', literals)).replace('\\"', '"').replace("\\\\", "\\")
            said = re.sub(r"%[-#0-9.*]*(?:ll|l|z|h|j)?[a-zA-Z]", "x", said)
            count += 1
            for why in wrong(said):
                complain(f"{name}:{text.count(chr(10), 0, m.start()) + 1}: {said!r} {why}")
    if count < 500:
        complain(f"only {count} messages found in the sources: does the pattern still fit?")


def main():
    of_sources()
    listed = codes_of_readme()
    if not {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70} <= listed:
        complain(f"README.md lists the exit codes {sorted(listed)}")
    with tempfile.TemporaryDirectory() as work:
        files(work)
        of_program(work, listed)
        beside(work)
    return 1 if BAD else 0


sys.exit(main())
