"""Makes mutants of C files and of the SQL of views: one small change each, at a place that code is.

A mutant is (path, line, column, old text, new text, kind). Comments, preprocessor lines and, in C, the insides of string literals are left
alone. The kinds are those that the literature of mutation testing calls relational, logical and arithmetic operator replacement, constant
replacement, negation of conditions and deletion of statements.
"""

import random
import re

# Operators and what they become. Longer ones stand first, because the first that fits is taken.
C_OPERATORS = [
    ("<<=", []), (">>=", []), ("->", []), ("++", ["--"]), ("--", ["++"]), ("<<", [">>"]), (">>", ["<<"]), ("<=", ["<", "=="]), (">=", [">", "=="]),
    ("==", ["!="]), ("!=", ["=="]), ("&&", ["||"]), ("||", ["&&"]), ("+=", ["-="]), ("-=", ["+="]), ("|=", ["&="]), ("&=", ["|="]), ("*=", []),
    ("/=", []), ("%=", []), ("^=", []), ("<", ["<=", ">="]), (">", [">=", "<="]), ("+", ["-"]), ("-", ["+"]), ("/", ["*"]), ("%", ["/"]), ("|", ["&"]),
]
SQL_OPERATORS = [
    ("||", []), ("<=", ["<"]), (">=", [">"]), ("!=", ["="]), ("<>", ["="]), ("<<", [">>"]), (">>", ["<<"]), ("=", ["!="]), ("<", ["<="]), (">", [">="]), ("+", ["-"]),
    ("-", ["+"]), ("/", ["*"]),
]
SQL_WORDS = {"AND": "OR", "OR": "AND", "MIN": "MAX", "MAX": "MIN", "min": "max", "max": "min", "LEFT JOIN": "JOIN", "UNION ALL": "UNION"}
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])")
STATEMENT = re.compile(r"^\s+(?!return\b|break\b|goto\b|case\b|default\b|else\b|typedef\b|static\b|const\b|struct\b|enum\b|union\b)[A-Za-z_(*+-][^{}]*;\s*$")
# `type name = value;` and `type name;` declare: without them nothing compiles.
DECLARATION = re.compile(r"^\s+(?:const\s+|unsigned\s+|struct\s+\w+\s+|enum\s+\w+\s+)*[a-z_]\w*\s+\**\s*[a-z_]\w*(\[.*\])?\s*(=|;|,)")


def blank_c(text):
    """The text with comments, strings, characters and preprocessor lines made blank; positions stay."""
    out = list(text)

    def wipe(a, b):
        for k in range(a, b):
            if out[k] != "\n":
                out[k] = " "

    pattern = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
    for m in pattern.finditer(text):
        wipe(m.start(), m.end())
    return "".join(out)


def blank_sql(text):
    out = list(text)
    for m in re.finditer(r"--[^\n]*|'[^']*'", text):
        for k in range(m.start(), m.end()):
            if out[k] != "\n":
                out[k] = " "
    return "".join(out)


def operators_of(blank, table):
    """(start, old, new) for every operator that can be exchanged."""
    i = 0
    while i < len(blank):
        for old, news in table:
            if blank.startswith(old, i):
                yield from ((i, old, new) for new in news if binary(blank, i, old))
                i += len(old)
                break
        else:
            i += 1


def binary(blank, i, old):
    """False for signs, dereferences and pointers in declarations: those are no operators between two values."""
    if old not in ("+", "-", "|", "<", ">", "/", "%", "&"):
        return True
    before = blank[:i].rstrip()[-1:]
    return blank[i - 1:i] == " " and blank[i + len(old):i + len(old) + 1] == " " and (before.isalnum() or before in "_)]")


def numbers_of(blank):
    for m in NUMBER.finditer(blank):
        digits, suffix = m.group(1), m.group(2)
        value = int(digits, 8 if re.fullmatch("0[0-7]+", digits) else 0)
        for new in {value + 1, 0} if value > 1 else {1 - value}:
            yield m.start(), m.group(0), "%d%s" % (new, suffix)


def statements_of(blank):
    at = 0
    for line in blank.split("\n"):
        if STATEMENT.match(line) and not DECLARATION.match(line) and line.count("(") == line.count(")"):
            body = line.strip()
            yield at + line.index(body), body, ";"
        at += len(line) + 1


def conditions_of(blank):
    for m in re.finditer(r"\b(if|while) \((?=[^;{}\n]*\)( \{)?\n)", blank):
        yield m.end(), "", "!"
    for m in re.finditer(r"(?<=[(&| ])!(?=[a-z(])", blank):
        yield m.start(), "!", ""
    for m in re.finditer(r"\b(true|false)\b", blank):
        yield m.start(), m.group(0), "false" if m.group(0) == "true" else "true"


def negated(text, blank, at):
    """An `if (` at whose condition `!` was put needs the condition in parentheses."""
    depth, k = 1, at
    while depth > 0:
        depth += {"(": 1, ")": -1}.get(blank[k], 0)
        k += 1
    return text[at:k - 1]


def of_text(path, text):
    """All mutants of a file."""
    found = []

    def add(kind, at, old, new):
        # The text itself, not the blanked one: a statement may hold a string.
        end = at + len(old)
        found.append((path, text.count("\n", 0, at) + 1, at, text[at:end], new, kind))

    if path.endswith(".sql"):
        blank = blank_sql(text)
        for at, old, new in operators_of(blank, SQL_OPERATORS):
            add("operator", at, old, new)
        for word, new in SQL_WORDS.items():
            for m in re.finditer(r"\b%s\b" % word, blank):
                add("operator", m.start(), word, new)
        for at, old, new in numbers_of(blank):
            add("constant", at, old, new)
        return found
    blank = blank_c(text)
    for at, old, new in operators_of(blank, C_OPERATORS):
        add("operator", at, old, new)
    for at, old, new in numbers_of(blank):
        add("constant", at, old, new)
    for at, old, new in statements_of(blank):
        # What the blanks hide (strings) belongs to the statement.
        line_end = text.index("\n", at)
        add("statement", at, text[at:line_end].rstrip(), new)
    for at, old, new in conditions_of(blank):
        if new == "!":
            old = negated(text, blank, at)
            new = "!(%s)" % old
        add("condition", at, old, new)
    return found


def sample(files, count, seed):
    """`count` mutants drawn at random, each line of code as likely as any other; `files` maps paths to texts."""
    rng = random.Random(seed)
    lines = {}
    for path in sorted(files):
        for m in of_text(path, files[path]):
            lines.setdefault((path, m[1]), []).append(m)
    keys = sorted(lines)
    rng.shuffle(keys)
    return [rng.choice(lines[key]) for key in keys[:count]]


def apply(text, mutant):
    _, _, at, old, new, _ = mutant
    assert text[at:at + len(old)] == old
    return text[:at] + new + text[at + len(old):]
