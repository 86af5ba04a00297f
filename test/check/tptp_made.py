"""Options of mktptp for traces of the TPTP profiler: random ones, in both forms, whose rows are to be equal."""

import os
import random
import subprocess


def maybe(rng, chance, *options):
    return list(options) if rng.random() < chance else []


def times(rng):
    """A clock that both forms can say all times of."""
    kind = rng.choice(["ticks"] * 6 + ["MHz", "ns", "us", "ms"])
    if kind == "ticks":
        frequency = rng.choice([2400000000, 1000000000, 3333333333, 5000000000, 1193182, 1000000])
    else:
        frequency = 2400000000
    # Without a frequency small numbers are ns, whatever they were; a relative start needs ticks.
    start = rng.choice(["5000000000", "0"]) if kind == "ticks" and rng.random() < 0.3 else None
    return ["--unit", kind, "--frequency", str(frequency)] + (["--start", start] if start else [])


def faults(rng, events):
    names = ["missing-exit", "extra-exit", "backwards", "undefined-method", "undefined-class", "undefined-thread", "unknown-free",
             "monitor-begin", "monitor-end", "redefine", "unknown-event"]
    found = []
    for name in rng.sample(names, rng.randrange(1, 5)):
        found += ["--" + name, str(rng.randrange(1, 12))]
    for _ in range(rng.randrange(0, 3)):
        found += ["--break", "%d:%s" % (rng.randrange(events), rng.choice(["unknown", "drop", "twice"]))]
    return found + maybe(rng, 0.3, *rng.choice([("--stop", str(rng.randrange(1, events))),
                                                ("--break", "%d:half" % rng.randrange(1, events))]))


def random_options(seed, damaged):
    """Options of both forms, of the binary one, of the XML one."""
    rng = random.Random(seed)
    latin = rng.random() < 0.25
    calls = rng.choice([20, 100, 300])
    both = ["--seed", str(seed), "--calls", str(calls), "--threads", str(rng.choice([1, 2, 5])), "--depth", str(rng.choice([1, 4, 15, 60])),
            "--methods", str(rng.choice([3, 20, 90])), "--classes", str(rng.choice([2, 9, 30])), "--open", str(rng.choice([0, 0, 1, 2])),
            "--cpu", rng.choice(["none", "exit", "both", "own"]), "--ids", rng.choice(["static", "static", "relocatable"]),
            "--names", "latin" if latin else rng.choice(["ascii", "latin", "all"])]
    both += times(rng) + maybe(rng, 0.2, "--no-tickets") + maybe(rng, 0.2, "--zip", "--sessions", "3")
    if damaged:
        both += faults(rng, calls)
    binary = ["--endian", rng.choice(["little", "big"]), "--size", rng.choice(["inclusive", "exclusive"]),
              "--system", rng.choice(["sized", "unsized"]), "--arrays", rng.choice(["plain", "counted"]), "--exit", rng.choice("AB"),
              "--platform", rng.choice("01"), "--minor", str(rng.randrange(3))]
    both += ["--entry", rng.choice("AB")]  # its B names objects that A does not have
    binary += maybe(rng, 0.2, "--data-offset", "40") + (["--encoding", "ISO-8859-1"] if latin else rng.choice([[], ["--encoding", "utf8"]]))
    xml = ["--form", "xml", "--root", rng.choice(["TRACE", "traceRoot", "trace", "none"]), "--close", rng.choice(["yes", "no"])]
    encoding = rng.choice(["UTF-8", "UTF-8", "UTF-16LE", "UTF-16BE"] + (["ISO-8859-1"] if latin else []))
    xml += ["--xml-encoding", encoding]
    if encoding == "ISO-8859-1":
        xml += ["--declared", encoding]
    elif encoding == "UTF-8":
        xml += maybe(rng, 0.3, "--bom") + rng.choice([[], ["--declared", "UTF-8"], ["--declared", "none"]])
    else:
        xml += ["--bom"] + rng.choice([[], ["--declared", "UTF-16"]])
    for flag in ("--entities", "--words", "--lines", "--shuffle", "--comments", "--slashes"):
        xml += maybe(rng, 0.3, flag)
    if damaged:
        for _ in range(rng.randrange(3)):
            xml += ["--break", "%d:%s" % (rng.randrange(1, calls), rng.choice(["text", "nested", "other", "attribute"]))]
        # Three known messages in a row end such a gap, so it needs them to lose nothing.
        if not any("unknown-event" in o or ":" in o or o == "--stop" for o in both):
            binary += maybe(rng, 0.7, "--break", "%d:%s" % (rng.randrange(calls), rng.choice(["padding", "garbage"])))
    return both, binary, xml


def make(mktptp, path, *options):
    """Writes a trace; returns the figures that a reader must find in it."""
    text = subprocess.run([mktptp, "-o", path, "--expect", "-"] + list(options), check=True, stdout=subprocess.PIPE).stdout.decode()
    return {name: int(value) for name, value in map(str.split, text.splitlines())}


def seeds(few):
    """Few in a normal run, 200 with TS_SLOW=1."""
    return range(1, (200 if os.environ.get("TS_SLOW") == "1" else few) + 1)
