#!/usr/bin/env python3
"""Files that are named and not read: what they are and what can be done is said, alone with exit code 5, and in an archive as an issue.

usage: known_files.py PROGRAM
"""

import gzip
import os
import re
import sqlite3
import struct
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import starts

program = sys.argv[1]


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data if number < 16 else bytes([number << 3 & 0x7F | 0x82, number >> 4, len(data)]) + data


def number(n, value):
    return bytes([n << 3, value])


ETL = struct.pack("<I", 65536) + bytes(68) + b"\x02\x00\x02\xc0" + bytes(200)
ELF = b"\x7fELF\x02\x01\x01" + bytes(9)

# what is said of it: its bytes
FILES = {
    "nothing but zero bytes": [bytes(5000)],
    "a pointer of git-lfs": [b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"],
    "text in UTF-16": ["main;f 1\r\n".encode("utf-16"), "main;f 1\n".encode("utf-16-le") * 3],
    "an archive that is not opened (7-Zip)": [b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(24)],
    "an archive that is not opened (RAR)": [b"Rar!\x1a\x07\x01\x00"],
    "(compress); unpack": [b"\x1f\x9d\x90abc"],
    "(lz4 -l)": [b"\x02\x21\x4c\x18abc"],
    "encrypted; ": [b"-----BEGIN PGP MESSAGE-----\n", b"age-encryption.org/v1\n"],
    "OpenTelemetry that are not profiles": [b'{"resourceSpans":[]}', b'{ "resourceMetrics" : []}', b'{"resourceLogs":[]}'],
    "Profiler in slabs": [b"\xdc\xdfJSLB\x01\x00abc"],
    "perf.data (Linux perf": [b"PERFFILE" + bytes(96), b"2ELIFREP" + bytes(96)],
    "a report of simpleperf": [b"SIMPLEPERF\x01\x00"],
    "a method trace of Android": [b"*version\n3\ndata-file-overflow=false\nclock=dual\n", b"SLOW\x02\x00\x20\x00" + bytes(24), b"SLOW\xf4\x00" + bytes(24)],
    "trace.dat (trace-cmd)": [b"\x17\x08\x44tracing6\0\0\x08" + bytes(30)],
    "a recording of uftrace": [b"Ftrace!\0" + bytes(32)],
    "Common Trace Format": [b"\xc1\x1f\xfc\xc1" + bytes(32), b"\xc1\xfc\x1f\xc1" + bytes(32), b"\x57\x1d\xd1\x75" + bytes(32), b"/* CTF 1.8 */\ntrace {\n"],
    "a trace of Fuchsia": [b"\x10\x00\x04\x46\x78\x54\x16\x00" + bytes(8)],
    "events of Windows (.etl)": [ETL],
    "a trace of .NET (.nettrace)": [b"Nettrace\x14\0\0\0!FastSerialization.1" + bytes(8)],
    "a dump of .NET": [b"\x14\0\0\0!FastSerialization.1" + bytes(8)],
    "an export of Instruments": [b'<?xml version="1.0"?>\n<trace-query-result>\n<node/></trace-query-result>'],
    "a binary property list": [b"bplist00\xd4" + bytes(20)],
    "a report of stacks of macOS": [b"Analysis of sampling app (pid 1) every 1 millisecond\nProcess: app [1]\n", b"Sampling process 1 for 3 seconds\n",
                                    b"Date/Time:       2024-01-01\nReport Version:  32\n"],
    "Java as text": [b"JAVA PROFILE 1.0.1, created Mon Jan  1 00:00:00 2024\n\nHeader for -agentlib:hprof\n"],
    "heap dump of Java in a form of 1998": [b"JAVA PROFILE 1.0\0\0\0\0\x04" + bytes(30)],
    "dump of OpenJ9": [b"\x00\x12portable heap dump\0\0\0\x06"],
    "crash report of the JVM": [b"#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"],
    "a histogram of classes": [b" num     #instances         #bytes  class name (module)\n-----\n   1:  17967  78243736  [B (java.base@17.0.15)\n"],
    "a log of system calls": [b'execve("/usr/bin/ls", ["ls"], 0x7ffc36ffc020 /* 37 vars */) = 0\nbrk(NULL) = 0x55\n'],
    "stacks of a debugger": [b"#0  0x00007ffff7c8 in poll () from /lib/libc.so.6\n#1  0x0000555555 in main () at a.c:5\n"],
    "a dump of threads": [b"2024-01-01 00:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17):\n"],
    "log of garbage collections": [b"[0.004s][info][gc] Using G1\n", b"[0.004s][info ][gc,init] x\n[0.005s][info ][gc] Using G1\n"],
    "a javacore": [b"0SECTION       TITLE subcomponent dump routine\n"],
    "gperftools or jemalloc": [b"heap profile:      1:       16 [     1:       16] @ heap/1048576\n", b"heap_v2/524288\n  t*: 1: 2 [0: 0]\n", b"--- heapz 1 ---\n",
                               b"--- contentionz 1 ---\n", b"--- Memory map: ---\n"],
    "a profile of Go as text": [b"goroutine profile: total 4\n1 @ 0x1 0x2\n", b"goroutine 1 [running]:\nmain.main()\n",
                                b"goroutine 1 [running]:\nmain.f({0x65a100, 0xc0000a0058})\n\t/app/main.go:692 +0x70\nmain.main()\n\t/app/main.go:10 +0x2f1\n"],
    "an execution trace of Go": [b"go 1.22 trace\0\0\0" + bytes(8), b"go 1.5 trace\0\0\0\0"],
    "a capture of memray": [b"memray\0\x0b\0\0\0" + bytes(8)],
    "cProfile": [b"{\xa9\x03\xda\x01~\xe9\0\0\0\0\xda\x01x", b"{(\x03\0\0\0", b"\xfb)\x03\xfa\x01~\xe9\x01\0\0\0\xfa\x01x"],
    "a profile of austin": [b"# austin: 3.6.0\n# interval: 1000\n# mode: wall\n\nP1;T2;a.py:f:1 100\n", b"P12;T0x7f;a.py:main:3;a.py:f:7 100\n", b"MOJ\x03\x03"],
    "a profile of stackprof": [b"\x04\x08{\x07:\x0cversion", b"\x04\x08}\x07"],
    "recording of rbspy": [b"rbspy05\n{}\n"],
    "callgrind or cachegrind": [b"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\n", b"version: 1\ncreator: callgrind-3.19\npid: 1\n", b"desc: I1 cache: 32768 B\ncmd: x\n"],
    "a profile of massif": [b"desc: --massif-out-file=x\ncmd: ./x\ntime_unit: i\n#-----------\nsnapshot=0\n"],
    "a profile of DHAT": [b'{"dhatFileVersion":2,"mode":"heap"}'],
    "a recording of heaptrack": [b"v 10500 3\nX ./app\nI 1000 3e\n"],
    "a log of V8's ticks": [b"v8-version,11,3,244,8,-node.1,0\n"],
    "network of Chrome": [b'{"constants":{"logEventTypes":{"A":1}},"events":[]}'],
    "(HAR)": [b'{"log":{"version":"1.2","creator":{}}}'],
    "a profile of Sentry": [b'{"version":"1","profile":{"samples":[],"stacks":[],"frames":[]}}', b'{"version": "2", "profile": {"frames": [], "samples": []}}'],
    "a capture of Tracy": [b"tlZ\x04abc", b"tZstabc", b"tracy\x00\x0b\x01"],
    "Nsight (nsys, ncu)": [b"NVR\0abc"],
    "a trace of winscope": [b"\x09LYRTRACE\x12\x00", b"\x09WINTRACE\x12\x00", b"\x09TRNTRACE\x12\x00", b"\x09IMCTRACE\x12\x00"],
    "bug report of Android": [b"========\n== dumpstate: 2024-01-01 00:00:00\n========\n", b"9,0,i,vers,36,1\n"],
    "output of bpftrace": [b"Attaching 1 probe...\n\n@[\n    f+1\n]: 12\n", b"@[\n    f+1\n]: 12\n"],
    "picture of a flame graph": [b'<?xml version="1.0"?>\n<svg xmlns="x">\n<text>Flame Graph</text>\n', b"<svg><!-- flamegraph --></svg>", b"<svg><g><title>main (12 samples, 80.00%)</title>"],
    "a core file": [ELF + b"\x04\0\x3e\0" + bytes(40), b"\x7fELF\x02\x02\x01" + bytes(9) + b"\0\x04" + bytes(40), b"\xcf\xfa\xed\xfe" + bytes(8) + b"\x04\0\0\0" + bytes(20),
                    b"\xfe\xed\xfa\xcf" + bytes(8) + b"\0\0\0\x04" + bytes(20)],
    "process of Windows": [b"MDMP\x93\xa7" + bytes(30), b"PAGEDU64" + bytes(30), b"PAGEDUMP" + bytes(30)],
    "a program or library (ELF)": [ELF + b"\x03\0\x3e\0" + bytes(40)],
    "a program or library (Mach-O)": [b"\xcf\xfa\xed\xfe" + bytes(8) + b"\x02\0\0\0" + bytes(20)],
    "a class of Java": [b"\xca\xfe\xba\xbe\0\0\0\x3d" + bytes(20)],
    "a program of Windows": [b"MZ\x90\0" + bytes(124) + b"PE\0\0" + bytes(20)],
    "a log of a build": [b"# ninja log v5\n0\t10\t5\ta.o\t1f\n"],
    "packets of a network": [b"\xd4\xc3\xb2\xa1\x02\0\x04\0" + bytes(16), b"\xa1\xb2\xc3\xd4\0\x02\0\x04" + bytes(16), b"\x0a\x0d\x0d\x0a\x1c\0\0\0" + bytes(20)],
    "test coverage": [b"\x81rforpl\xff" + bytes(8), b"adcg*33B" + bytes(8), b"\x01\xc0\xc0\x10\x07", b"TN:\nSF:/a.c\nDA:1,2\n"],
    "a capture of frames": [b"RDOC" + bytes(12)],
    "data of a game": [b"UnityFS\0\0\0\0\x06"],
    "an error of a server": [b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>', b'{"error":"expired"}', b'{"message":"Not Found","status":"404"}'],
    "a web page": [b"\xef\xbb\xbf\n <!DOCTYPE html><title>Sign in</title>", b"<html lang=en>"],
    "JSON without its beginning": [b', {"id":1}]}', b',\n"a"]', b'"a\\"b" : [1]}'],
    "a recording of hiperf": [b"HiPerf" + bytes(30), b"HIPERF_X" + bytes(30)],
    "a bundle of Instruments": [b'<?xml version="1.0"?>\n<!DOCTYPE plist>\n<plist version="1.0"><string>com.apple.dt.instruments</string></plist>'],
}


def run(path, *options):
    done = starts.run([program, path, *options, "--quiet"], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def check(condition, text):
    if not condition:
        sys.exit(text)


def alone(folder):
    listed = starts.run([program, "--format=list"], capture_output=True, text=True, check=True).stdout
    path = os.path.join(folder, "file")
    for what, contents in FILES.items():
        for content in contents:
            with open(path, "wb") as f:
                f.write(content)
            code, said = run(path, "-e", path + ".db")
            check(code == 5 and "file is " in said and what in said and not os.path.exists(path + ".db"), "%s: exit code %d, %r" % (what, code, said))
            check(said.split("file is ", 1)[1].strip() in listed, "%s: --format=list has no %r" % (what, said))
    named = sum(1 for line in listed.split("known, not read:\n")[1].splitlines() if line.strip())
    check(named == len(FILES) + 4, "%d kinds of files are named, %d are tried" % (named, len(FILES) + 4))  # four kinds of databases below


def databases(folder):
    """Among inputs, a database says what can be done with it."""
    source = os.path.join(folder, "a.folded")
    with open(source, "w", encoding="utf-8") as f:
        f.write("main;f 1\n")
    ours = os.path.join(folder, "ours.db")
    check(run(source, "-e", ours)[0] == 0, "no database")
    for arguments in ([ours, "-e", os.path.join(folder, "new.db")], [source, ours, "-e", os.path.join(folder, "two.db")], [ours, ours, "-e", os.path.join(folder, "new.db")]):
        done = starts.run([program, *arguments, "--quiet"], capture_output=True, text=True, check=False)
        check("a database of this program" in done.stderr and "-q, --report" in done.stderr, "%r: %d %r" % (arguments, done.returncode, done.stderr))
        check(done.returncode == (0 if source in arguments else 5), "%r: exit code %d" % (arguments, done.returncode))
    done = starts.run([program, ours, ours, "--report", "--quiet"], capture_output=True, text=True, check=False)
    check(done.returncode == 0 and done.stdout.count("=== " + ours) == 2, "reports of two: %d %r" % (done.returncode, done.stdout[:200]))
    for table, what in (("CUPTI_ACTIVITY_KIND_KERNEL", "a database of Nsight"), ("StringIds", "a database of Nsight"), ("thread_track", "a database of Perfetto"), ("x", "a database (SQLite)")):
        path = os.path.join(folder, "other.db")
        if os.path.exists(path):
            os.remove(path)
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE %s (id)" % table)
        db.commit()
        db.close()
        code, said = run(path, "-e", path + ".out")
        check(code == 5 and what in said, "%s: %d %r" % (what, code, said))


def in_archive(folder):
    """In an archive each is a source without a format; compressed ones are opened first."""
    path = os.path.join(folder, "all.zip")
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("a.folded", "main;f 1\n")
        z.writestr("b.etl.gz", gzip.compress(ETL))
        z.writestr("readme", "hello\n")
    out = os.path.join(folder, "all.db")
    check(run(path, "-e", out, "--strict")[0] == 0, "all.zip")
    rows = sqlite3.connect(out).execute("SELECT format, severity, code, message FROM import_issue JOIN source ON source.id = source_id ORDER BY code").fetchall()
    check([row[:3] for row in rows] == [(None, "info", "file_named"), (None, "info", "member_skipped")], "%r" % rows)
    check("events of Windows (.etl)" in rows[0][3], "%r" % rows)


def text(folder):
    """Of an unknown text the first line is shown, without what a terminal would obey."""
    for content, shown in ((b"hello \xc3\xa9\nx", 'it is text that begins "hello \u00e9"'), (b"x" * 200, '"' + "x" * 80 + '"'), (b"a\x1b[31m\n", None), (b"\xff\xfea", None)):
        path = os.path.join(folder, "unknown")
        with open(path, "wb") as f:
            f.write(content)
        code, said = run(path, "-e", path + ".db")
        check(code == 5 and "\x1b" not in said, "%r: %d %r" % (content, code, said))
        check(shown is None or (shown in said and re.search("format of unknown is unknown", said)), "%r: %r" % (content, said))


def main():
    with tempfile.TemporaryDirectory() as folder:
        alone(folder)
        databases(folder)
        in_archive(folder)
        text(folder)


if __name__ == "__main__":
    main()
