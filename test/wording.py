#!/usr/bin/env python3
"""The words of what users read: --help, the manual page, questions, messages, descriptions of tables and documents.

wording.py SOURCE: complains of phrases that are not the plain technical English of CONTRIBUTING.md ("How the code is
written"). With a phrase there is what is said instead.
"""
import glob
import os
import re
import sys

SOURCE = sys.argv[1]

# What must not be there, and what is said instead. Words that begin or end with a letter are whole ones.
PHRASES = [
    (r"(?<![Tt]here )(?:is|are|was|were|be) no (?!longer|more|less|fewer|better|worse|way|need|doubt|matter|such)[a-z]+", "is not a ..., there is no ..."),
    (r"(?<!is )is none of", "is not one of"),
    (r"question (?:that|which) does not fit|does not fit:", "cannot answer ..., cannot compare ..."),
    (r"fits? (?:64|32) bits?", "fits into 64 bits"),
    (r"(?:is|are|was|were) wanted", "is asked for, is not asked for"),
    (r"in the mean\b", "on average"),
    (r"stands? (?:for|in|before|at|twice|there|on)", "is, means"),
    (r"(?<!look-)(?<!ahead or )behind", "after"),
    (r"nobody", "no one, nothing"),
    (r"(?:is|are) to (?:be|show|have|give|go|come|read|write|say)", "must be, shows"),
    (r"[Nn]eeds not", "need not"),
    (r"what [^.,;:]{1,40} (?:has|have) not\b(?! \w+(?:ed|en|n)\b)", "what ... lacks"),
    (r"\w+ (?:has|have) not[,.;:)]", "lacks"),
    (r"ended to", "stopped ...ing"),
    (r"of a CI", "of continuous integration, in CI"),
    (r"behind one another", "one after the other"),
    (r"at the least", "at least"),
    (r"as like as", "as"),
    (r"an own", "its own, one of its own"),
    (r"how (?:it|they) (?:is|are) called", "what it is called"),
    (r"[Ii]t gives", "there is"),
    (r"informations", "information"),
    (r"[Aa]llows to|[Pp]ermits to", "lets, allows ...ing"),
]
WORDS = [(re.compile(r"(?<![A-Za-z])(?:%s)(?![A-Za-z])" % p if p[-1].isalpha() or p[-1] == "t" else r"(?<![A-Za-z])(?:%s)" % p), say) for p, say in PHRASES]


def rel(path):
    return os.path.relpath(path, SOURCE)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|\'(?:\\.|[^\'\\\n])\'|((?:"(?:\\.|[^"\\\n])*"(?:\s|PRI[diuxX]\w+|\\\n)*)+)', re.S)


def literals(text):
    """(line, text) of string literals, those that follow each other as one."""
    for m in LITERAL.finditer(text):
        if m.group(1):
            said = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', m.group(1)))
            if " " in said and not re.match(r"\s*(SELECT|INSERT|CREATE|WITH|FROM|UPDATE|DELETE|WHERE|PRAGMA)\b", said):
                yield text.count("\n", 0, m.start()) + 1, said.replace("\\n", " ").replace('\\"', '"')


def sources():
    for ext in "c", "h", "def":
        for path in sorted(glob.glob(f"{SOURCE}/src/**/*.{ext}", recursive=True)):
            for line, said in literals(read(path)):
                yield f"{rel(path)}:{line}", said


def questions():
    """Comments of the questions and of the views."""
    for path in sorted(glob.glob(f"{SOURCE}/share/sql/**/*.sql", recursive=True) + glob.glob(f"{SOURCE}/src/tables/formats/**/*.sql", recursive=True)):
        comment, first = [], 0
        for n, line in enumerate(read(path).split("\n") + [""], 1):
            if line.lstrip().startswith("--"):
                first = first if comment else n
                comment.append(line.strip().lstrip("-").strip())
            elif comment:
                yield f"{rel(path)}:{first}", " ".join(comment)
                comment = []


def paragraphs(path, text):
    at = 1
    for part in re.split(r"(\n\s*\n)", text):
        yield f"{rel(path)}:{at}", re.sub(r"\s+", " ", part)
        at += part.count("\n")


def manual():
    path = f"{SOURCE}/docs/man/trace_streamer.1"
    text = re.sub(r"^\.(Pp|Bl|El|It|Sh|Ss|Dl|Bd|Ed).*$", lambda m: "\n" if m.group(1) in ("Pp", "El") else m.group(0) + "\n", read(path), flags=re.M)
    text = re.sub(r"^\.(\w\w) ", "", text, flags=re.M)
    yield from paragraphs(path, text)


def documents():
    for path in [f"{SOURCE}/README.md", *sorted(glob.glob(f"{SOURCE}/docs/**/*.md", recursive=True))]:
        text = re.sub(r"^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), read(path), flags=re.M | re.S)
        yield from paragraphs(path, re.sub(r"`[^`\n]*`", "`code`", text))


def main():
    bad = 0
    count = {}
    for part in sources, questions, manual, documents:
        for where, said in part():
            count[part] = count.get(part, 0) + 1
            for phrase, instead in WORDS:
                for m in phrase.finditer(said):
                    around = said[max(0, m.start() - 40):m.end() + 40].strip()
                    print(f"{where}: \"{m.group(0)}\" in: {around} (say: {instead})")
                    bad += 1
    for part in sources, questions, manual, documents:
        if count.get(part, 0) < 50:
            print(f"only {count.get(part, 0)} texts of {part.__name__}: is it read?")
            bad += 1
    return 1 if bad else 0


sys.exit(main())
