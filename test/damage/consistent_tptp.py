"""Is a trace of the TPTP profiler one that contradicts nothing, and what are its rows? By the reader of test/check, which shares nothing with
the program.

What a trace may lack: its end (a profiled process is killed: invocations, waits and collections stay open), the root's end tag in XML, and
what was there before it began (objects that are freed, waits that end).
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import tptp
import tptp_rows

MISSING_EXIT = 2  # of a slice's state


def read(path):
    with open(path, "rb") as f:
        found = tptp.sessions(f.read())
    return found, tptp_rows.tables(found)


def why_not(path):
    """What contradicts something, or None."""
    try:
        found, rows = read(path)
    except Exception as e:  # whatever is wrong with it
        return "it cannot be read: %s" % e
    for s in found:
        notes = [name for name, n in s.notes.items() if n]
        if notes:
            return ", ".join(notes)
    if any(row[-1] == MISSING_EXIT for row in rows.get("slices", [])):
        return "an exit is missing"
    if any(not row[-1] for row in rows.get("classes", [])):
        return "a class is not defined"
    if any(row[2] == "method#%s" % row[1] for row in rows.get("methods", [])):
        return "a method is not defined"
    started = {(row[0], row[1]) for row in rows.get("thread starts", [])}
    if any((row[0], row[1]) not in started for row in rows["threads"]):
        return "a thread is not defined"
    return None


def consistent(path):
    return why_not(path) is None


def text(cell):
    return cell.encode() if isinstance(cell, str) else cell


def rows(path):
    """All rows, a table after the other, as the campaign's connections give them."""
    _, found = read(path)
    return [tuple(map(text, row)) for name in tptp_rows.SQL for row in found.get(name, [])]


SQL = list(tptp_rows.SQL.values())
