"""Chromium: what its DevTools protocol gives, asked for over a pipe."""

import base64
import gzip
import os
import shutil
import subprocess
import sys

import devtools

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "export"))
import browser

PAGE = """<!doctype html><meta charset="utf-8"><title>Shop</title><style>li:hover{color:red}</style><ul></ul><canvas></canvas><script>
const kept = [];
function item(n) { const li = document.createElement('li'); li.textContent = 'artikel ' + n + ' 😀'; li.addEventListener('click', () => n); return li; }
function tick() {
  const list = document.querySelector('ul');
  for (let i = 0; i < 20; i++) list.append(item(kept.length + i));
  while (list.children.length > 100) { const gone = list.firstChild; gone.remove(); if (kept.length < 500) kept.push({gone, text: 'x'.repeat(50)}); }
  list.offsetHeight;
  performance.mark('tick'); console.timeStamp('stamp');
  document.querySelector('canvas').getContext('2d').fillRect(0, 0, kept.length, 10);
}
setInterval(tick, 10);
requestAnimationFrame(function frame() { performance.measure('frame'); requestAnimationFrame(frame); });
</script>"""


class Page(browser.Browser):
    """One that hands notifications on, as devtools.WebSocket does."""

    def __init__(self):
        self.events = []
        super().__init__(800, 600)

    def event(self, message):
        for event in self.events:
            event(message["method"], message.get("params", {}))
        return super().event(message)


def tracing(page, out, compressed=False):
    """What DevTools and chrome://tracing save: the stream of a recording of all categories, screenshots left out."""
    categories = [c for c in page.call("Tracing.getCategories")["categories"] if "screenshot" not in c]
    categories += ["disabled-by-default-v8.cpu_profiler", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.stack"]
    page.call("Tracing.start", transferMode="ReturnAsStream", streamFormat="json", streamCompression="gzip" if compressed else "none",
              traceConfig={"recordMode": "recordUntilFull", "includedCategories": sorted(set(categories))})
    page.run("new Promise((done) => setTimeout(done, 300))")
    streams = []
    page.events.append(lambda name, given: streams.append(given["stream"]) if name == "Tracing.tracingComplete" else None)
    page.call("Tracing.end")
    while not streams:
        page.event(page.receive())
    page.events.pop()
    with open(out, "wb") as f:
        while True:
            part = page.call("IO.read", handle=streams[0])
            f.write(base64.b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode())
            if part["eof"]:
                break


KINDS = {
    "heap": ("heap", devtools.heap),
    "heap internals and numbers": ("heap", lambda p, out: devtools.heap(p, out, exposeInternals=True, captureNumericValue=True)),
    "timeline": ("heap", lambda p, out: devtools.timeline(p, out, False)),
    "timeline allocations": ("heap", lambda p, out: devtools.timeline(p, out, True)),
    "sampling": ("heapprofile", devtools.sampling),
    "cpu 100": ("cpuprofile", lambda p, out: devtools.profile(p, out, 100)),
    "cpu 1000": ("cpuprofile", lambda p, out: devtools.profile(p, out, 1000)),
    "cpu 10000": ("cpuprofile", lambda p, out: devtools.profile(p, out, 10000)),
    "trace": ("chrome_trace", tracing),
    "trace gzip": ("chrome_trace", lambda p, out: tracing(p, out, True)),
}

QUICK = ("timeline allocations", "cpu 1000")


def record(program, kind, folder):
    form, how = KINDS[kind]
    out = os.path.join(folder, "out." + form + (".gz" if "gzip" in kind else ""))
    path = os.path.join(folder, "page.html")
    with open(path, "w", encoding="utf-8") as f:
        f.write(PAGE)
    page = Page()
    try:
        page.open(path)
        how(page, out)
    finally:
        page.close()
    return form, [out]


def kinds(program):
    return list(KINDS)


def installed():
    return [p for p in [browser.program()] if p]


def version(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
