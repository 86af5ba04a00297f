#!/usr/bin/env python3
"""enrolment.py PROGRAM SOURCE: every format, plugin, wrapper, export and shipped question has a test of everything that each of its kind must
have. The program and the lists in the sources are asked for what there is, and tests are looked for where those of its kind are: what is
missing is named. enrolment.txt has a line for each exception; what it says is then looked for instead.

growth: time over sizes that double; memory: the promised bound with inputs made to break it; cut: truncation at every byte; delete, double:
blocks taken out and doubled, nothing wrong shown as certain; blocks: all sizes of reads give the same rows; fault: every allocation and system
call fails; fuzz: a target with a corpus; strict: exit code 3 exactly when something was lost. Of exports: recorded, random, hostile: read back
from each kind of input, from databases of random rows, and with names that a careless writer lets out.
"""

import collections
import glob
import os
import re
import subprocess
import sys

PROPERTIES = "growth memory cut delete double blocks fault fuzz strict".split()
OF_EXPORTS = "recorded random hostile growth memory fault".split()
CAMPAIGN = "test/damage/campaign.py"
FAULTS = "test/fault/fault_import.c"
USUAL = {"cut": "test_cut_at_every_byte", "blocks": "test_blocks", "delete": "test_deleted_and_doubled", "double": "test_deleted_and_doubled"}
ENDINGS = {"gzip": "gz", "bzip2": "bz2", "zstd": "zst"}

texts = {}


def text(path):
    if path not in texts:
        try:
            with open(path, encoding="utf-8") as f:
                texts[path] = f.read()
        except FileNotFoundError:
            texts[path] = ""
    return texts[path]


def has(path, *patterns):
    return all(re.search(pattern, text(path), re.M) for pattern in patterns)


def runs(path, test):
    """A file of unit tests has this one and runs it."""
    return has(path, r"^static void %s\(" % test, r"\b%s[),]" % test)


def target(name, *patterns):
    """A fuzz target with a corpus."""
    return has("test/fuzz/fuzz_%s.c" % name, "fuzz", *patterns) and glob.glob("test/fuzz/corpus/%s/*" % name)


def damaged(pattern):
    """A recording that the campaign makes; it takes blocks out, doubles them and asks for the exit code of --strict."""
    made = re.search(r"^PROFILES = .*?^# --- damage", text(CAMPAIGN), re.M | re.S)
    return made and re.search(pattern, made.group(0), re.M) and has(CAMPAIGN, '"delete"', '"double"', "--strict", r"\(code == 3\)")


def measured(path):
    """A script of shapes that measure.py runs: time and memory of each."""
    return has(path, "^import measure$", r"^    measure\.main\(")


# --- what there is -------------------------------------------------------------------------------

Format = collections.namedtuple("Format", "name id folder alone")


def formats(program):
    """A format that is recognised only to be refused imports nothing."""
    listed = subprocess.run([program, "--format=list"], capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.split()[0] for line in listed if line and not line.startswith(" ") and not re.search("to be translated first|which cannot be read", line)]
    defined = {}  # by name: id, folder
    for path in sorted(glob.glob("src/parsers/**/*.c", recursive=True)):
        for ident, name in re.findall(r"^TS_SOURCE_FORMAT\((\w+)\) = \{\s*\.name = (\S+),", text(path), re.M):
            name = name.strip('"') if name.startswith('"') else ident
            defined[name] = ident, path.split("/")[2]
    folders = collections.Counter(defined[name][1] for name in names)
    return [Format(name, *defined[name], folders[defined[name][1]] == 1) for name in names]


def plugins():
    return re.findall(r"^TS_PLUGIN\((\w+)\)$", text("src/parsers/htrace/plugin_list.def"), re.M)


def wrappers(program):
    """zlib is gzip with another head, for the same decoder."""
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return [w for w in re.search(r"^ *wrappers  *(.*), nested", listed, re.M).group(1).split(", ") if w != "zlib"]


def exports(program):
    listed = subprocess.run([program, "--to=list"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split()[0] for line in listed if line]


# --- where their tests are -----------------------------------------------------------------------


def of_format(f, what):
    """Named after the format, or after its folder; where that has several formats the test says which it is of."""
    own = {f.name, f.id.replace("_", "-")}
    says = "" if f.alone else r'"%s"|\bts_format_%s\b' % (f.name, f.id)

    def unit(test):
        paths = {path for name in (*own, f.folder) for path in glob.glob("test/unit/test_parsers_%s*.c" % name.replace("-", "_"))}
        return any(runs(path, test) and has(path, says) for path in sorted(paths))

    if what in ("growth", "memory"):
        script = f.alone and measured("test/damage/%s.py" % f.folder)
        shape = r"^def s_(%s)(_\w+)?\(" % "|".join(sorted(n.replace("-", "_") for n in own))
        return script or any(measured(path) and has(path, shape) for path in sorted(glob.glob("test/damage/*.py")))
    if what in ("delete", "double", "strict"):
        recording = damaged('"(%s)["-]' % "|".join(sorted(own))) or damaged_by_script(f)
        return recording or (what != "strict" and unit(USUAL[what]))
    if what == "fault":
        return has(FAULTS, r'^    "(\w+\.)?(%s)",$' % "|".join(sorted(own))) or unit("test_every_allocation_fails")
    if what == "fuzz":
        return any(target(path[len("test/fuzz/fuzz_"):-2], r"\bts_format_%s\b" % f.id) for path in sorted(glob.glob("test/fuzz/fuzz_*.c")))
    return unit(USUAL[what])


def damaged_by_script(f):
    """The script of its shapes makes the recording (campaign.py)."""
    return has("test/damage/%s.py" % f.folder, r"^def damaged\(") and damaged(r"\.damaged\(")


def of_plugin(name, what):
    """A plugin is in htrace/plugins, or with the format whose reader it needs."""
    apart = os.path.isdir("src/htrace/plugins/" + name)
    tests = "test_htrace_plugin_%s.c" % name if apart else "test_parsers_%s_plugin.c" % name
    if what == "growth":
        return has("test/damage/growth.sh", r"^(more|for shape in)\b.*[ =\"]%s_\w+" % name)
    if what == "memory":
        return has("test/damage/memory.sh", r"^bound %s_" % name)
    if what in ("delete", "strict"):
        if damaged(r'name not in \(.*"%s-plugin"' % name):
            return damaged(r'(made\[|append\(\()"%s-plugin"' % name)
        return damaged('"%s"' % name) or (has("test/tools/plugin_messages.py", '^    "%s-plugin": ' % name) and damaged(r"plugin_messages\.PLUGINS"))
    if what == "blocks":
        return has("test/unit/" + tests, r"^ +convert\(&") and has("test/unit/plugin_build.h", r"blocks\[\] = \{7, 1\}")
    if what == "fuzz":
        return target("plugins" if apart else name)
    return runs("test/unit/" + tests, {"cut": "test_cut_recording", "double": "test_repeated", "fault": "test_every_allocation_fails"}[what])


def of_wrapper(name, what):
    ending = ENDINGS.get(name, name)
    if what == "growth":
        return has("test/damage/growth_archives.sh", r"^for shape in .*\b%ss?\b" % name)
    if what == "memory":
        import_of = r"^import 6 bomb\.%s$|^for kind in (.* )?%s\b.*\n *import 6 bomb\.\$kind" % (ending, ending)
        return has("test/damage/global.sh", import_of, "says 1000|1000 times its size")
    if what == "cut":
        return has("test/damage/sweep_wrapped.c", r"^enum wrapper \{.*\b%s\b" % name.upper(), r"cmocka_unit_test\(test_wrappers_cut_at_every_byte\)")
    if what == "fault":
        return has(FAULTS, r'^    ".*\.%s(\.gz)?",$' % ending)
    if what in ("blocks", "fuzz"):
        return target("input")
    return damaged(r'^    for name, source in \(.*\("%s", ' % ending) and damaged(r'^    pack = \{.*"%s": |make_archive' % ending)


def of_export(name, what):
    if what == "fault":
        return has("test/fault/fault_export.c", r"\bts_exports\b")
    if what in ("growth", "memory"):
        return has("test/export/exports.py", '^FORMATS = {.*"%s": ' % name, r"^def %s\(" % what)
    group = r'"%s": (%s|randomly)\b' % (what, what)
    return any(has("test/export/exports.py", r"^def check_%s\(" % one, r"^CHECKS = \[.*\bcheck_%s\b" % one, group)
               for one in (name.replace("-", "_"), name.split("-")[0]))


KINDS = {"format": (of_format, PROPERTIES), "plugin": (of_plugin, PROPERTIES), "wrapper": (of_wrapper, PROPERTIES), "export": (of_export, OF_EXPORTS),
         "stage": (None, PROPERTIES + ["random"])}


# --- exceptions ----------------------------------------------------------------------------------


def exceptions(wrong):
    """{(kind, name, property): whether its evidence is there}, from enrolment.txt."""
    found = {}
    group = False
    for line in text("test/enrolment.txt").splitlines():
        if not line.strip() or line.startswith("#"):
            group = line.startswith("#")  # the reason of the lines up to the next empty one
            continue
        kind, name, whats, path, evidence = (line.split(None, 4) + [""] * 5)[:5]
        if kind not in KINDS or not path:
            wrong("enrolment.txt: not \"kind name properties file\": " + line)
            continue
        if not group:
            wrong("enrolment.txt: no comment says why: " + line)
        for what in whats.split(","):
            if what not in KINDS[kind][1] or (kind, name, what) in found:
                wrong("enrolment.txt: %s, %s: there is no %s, or it is there twice" % (kind, name, what))
            found[kind, name, what] = evidence in text(path) if evidence else what in USUAL and runs(path, USUAL[what])
            if not found[kind, name, what]:
                wrong("%s %s, %s: %s has no \"%s\"" % (kind, name, what, path, evidence or USUAL.get(what)))
            if path.startswith("test/fuzz/fuzz_") and not target(path[len("test/fuzz/fuzz_"):-2]):
                wrong("%s has no corpus" % path)
            if path.startswith("test/damage/") and not run_by_ctest(path):
                wrong("%s is run by no test" % path)
    return found


def run_by_ctest(path):
    """Scripts of shapes are found by what they include; the name of others is in CMakeLists.txt."""
    name = os.path.splitext(os.path.basename(path))[0]
    return measured(path) or has("test/damage/CMakeLists.txt", r"(^|[ ;(/{])%s([ );]|\.(sh|py)|$)" % name)


def check(there, wrong):
    """there: {kind: names or formats}."""
    found = exceptions(wrong)
    used = set()
    count = 0
    for kind, subjects in there.items():
        finder, properties = KINDS[kind]
        for subject in subjects:
            name = getattr(subject, "name", subject)
            for what in properties:
                count += 1
                used.add((kind, name, what))
                if (kind, name, what) not in found:
                    if not finder(subject, what):
                        wrong("%s %s has no test of: %s" % (kind, name, what))
                elif found[kind, name, what] and finder(subject, what):
                    wrong("enrolment.txt: %s %s, %s is no exception: its test is where it is looked for" % (kind, name, what))
    for kind, name, what in sorted(set(found) - used):
        if kind != "stage":
            wrong("enrolment.txt: there is no %s %s" % (kind, name))
    for path in sorted(glob.glob("share/sql/*.sql")):
        name = os.path.splitext(os.path.basename(path))[0]
        count += 1
        if not has("test/damage/questions.sh", r"^question %s( |$)" % name):
            wrong("the question %s has no test of: growth" % name)
    return count, len(found)


def what_there_is(program, wrong):
    there = {"format": formats(program), "plugin": plugins(), "wrapper": wrappers(program), "export": exports(program)}
    for kind, least in (("format", 6), ("plugin", 2), ("wrapper", 4), ("export", 5)):
        if len(there[kind]) < least:
            wrong("only these of the kind %s: %s" % (kind, there[kind]))
    return there


def main():
    program = os.path.abspath(sys.argv[1])
    os.chdir(sys.argv[2])
    messages = []
    count, exempt = check(what_there_is(program, messages.append), messages.append)
    for message in messages:
        print("WRONG: " + message)
    if not messages:
        print("%d tests are where they are looked for or, %d of them, where enrolment.txt says" % (count, exempt))
    return bool(messages)


if __name__ == "__main__":
    sys.exit(main())
