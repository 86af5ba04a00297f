"""Whether a profile of a server is a legal one that contradicts nothing, and what it says then; for the campaign."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import profiles


def folded(data):
    rows = []
    for line in data.decode("utf-8").split("\n"):
        line = line.rstrip("\r")
        if not line.strip(" \t") or line.strip(" \t").startswith("#"):
            continue
        match = re.match(r"(.*[^ \t])[ \t]+(\d+)[ \t]*$", line)
        if not match or re.match(r".*[ \t]\d+$", match.group(1)) or int(match.group(2)) >= 1 << 63:
            return None
        stack = match.group(1).split(";")
        rows.append(("cpu-samples", int(match.group(2)), stack[-1], None, None, stack[-2] if len(stack) > 1 else None))
    return rows


def perf(data):
    """An end in the middle of a sample contradicts nothing but that perf never writes one."""
    if not data.endswith(b"\n\n"):
        return None
    return [(event or kind, value, *((stack[-1][0], stack[-1][2], stack[-1][3]) if stack else (None,) * 3), stack[-2][0] if len(stack) > 1 else None)
            for _, _, _, _, event, kind, _, value, stack in profiles.perf_text.read(data)]


def speedscope(data):
    """Samples by value; of calls their times. What the database has no rows for (values) is what the SQL below finds nothing of."""
    profiles.read_speedscope(data)
    return []


def found(path):
    """(name of the kind of value, value, name and line of the innermost frame, that of its caller), or None."""
    try:
        rows = []
        if "speedscope" in os.path.basename(path):
            return speedscope(profiles.read(path))
        if "perf-text" in os.path.basename(path):
            return perf(profiles.read(path))
        if "folded" in os.path.basename(path):
            return folded(profiles.read(path))
        for stack, values, labels in profiles.Pprof(profiles.read(path)).rows():
            stack = profiles.expected_stack(stack)
            last, caller = (stack[-1:] or ((None,) * 4,))[0], (stack[-2:-1] or ((None,) * 4,))[0]
            rows += [(name, value, last[0], last[1], last[3], caller[0]) for name, _, value in values]
        return rows
    except (profiles.Damaged, OverflowError, UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError):
        return None


def consistent(path):
    return found(path) is not None


def text(cell):
    return cell.encode() if isinstance(cell, str) else cell


def rows(path):
    """As the campaign's connections give them."""
    return [tuple(map(text, row)) for row in found(path)]


NAME = "ifnull(%s.package || '.', '') || ifnull(%s.class || '.', '') || %s.name"
SQL = ["SELECT t.name, v.value, " + NAME % ("m", "m", "m") + ", m.file, n.line, " + NAME % ("pm", "pm", "pm") + " FROM stack_sample_value v JOIN stack_value_type t "
       "ON t.id = v.value_type_id JOIN stack_sample s ON s.id = v.sample_id LEFT JOIN stack_node n ON n.id = s.node_id LEFT JOIN stack_method m ON m.id = n.method_id "
       "LEFT JOIN stack_node pn ON pn.id = n.parent_id LEFT JOIN stack_method pm ON pm.id = pn.method_id ORDER BY v.rowid"]
