"""page.py GROUP PROGRAM DIFFERENCE SOURCE: the page of --to=flame in Chromium: what a person sees and does.

GROUP is all, or one of look: text, colours, zoom, search, keys, themes, callers and callees; hostile: names that try to leave their place;
large: 100 000 call paths within a second; difference: two profiles; speedscope: its own page opens its export (where the npm package is).
"""
import base64
import glob
import os
import random
import re
import shutil
import sqlite3
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "model"))
import browser
import made
import paths
from profiles import Database

GROUP, PROGRAM, DIFFERENCE, SOURCE = sys.argv[1:5]
CANVAS = "#graph-scroll canvas"
ROW = 19


def check(condition, text):
    if not condition:
        raise SystemExit(f"WRONG: {text}")


def equal(got, expected, what):
    check(got == expected, f"{what}: {got!r} instead of {expected!r}")


def page(database, out, *arguments):
    made.run(PROGRAM, database, "--to=flame", "-o", out, "--quiet", *arguments)
    return out


def cloud():
    made.run(PROGRAM, os.path.join(SOURCE, "test/data/recording-cloud.tar.gz"), "-e", "cloud.db", "--quiet")
    return Database("cloud.db")


def silent(view):
    equal(view.messages, [], "messages of the console")
    check(all(url.startswith("file:") for url in view.requests), f"requests: {view.requests}")


def row_y(view, row):
    """The middle of a row of the graph that grows upwards."""
    return view.place(CANVAS)[3] - 1 - ROW * row - ROW / 2


def click_row(view, row, x, times=1):
    left, top, _, _ = view.place(CANVAS)
    view.click(left + x, top + row_y(view, row), times)


def milliseconds(ns):
    return f"{ns / 1e6:,.2f} ms" if ns < 1e9 else f"{ns / 1e9:,.2f} s"


# --- what is drawn -----------------------------------------------------------------------------------------------------


def totals(database):
    """{path: ns below it} of all stacks and of those that lead to them."""
    sums = {}
    for path, value in database.by_path("wall").items():
        for n in range(len(path) + 1):
            sums[path[:n]] = sums.get(path[:n], 0) + value
    return sums


def widest(sums, above):
    """The path right below `above` with the most time: it stands at the left."""
    return max((path for path in sums if path[:-1] == above and len(path) == len(above) + 1), key=sums.get)


def look_graph(view, database):
    sums = totals(database)
    first = widest(sums, ())
    second = widest(sums, first)
    equal(view.run("document.title"), "cloud.db – flame graph", "title")
    equal(view.text("#title"), "cloud.db", "heading")
    check(view.text("#facts").startswith(f"wall: {milliseconds(sums[()])}"), view.text("#facts"))
    # Boxes are where their weights say: the pixel in the first box, and one behind the end of its row.
    width = view.place(CANVAS)[2]
    background = view.pixel(CANVAS, 5, 3)
    row = [path for path in sums if len(path) == 1]
    covered = sum(sums[path] for path in row) / sums[()]
    equal(covered, 1.0, "the first row has all")
    check(view.pixel(CANVAS, 2, row_y(view, 1)) != background, "no box in the first row")
    second_row = sum(value for path, value in sums.items() if len(path) == 2) / sums[()]
    check(view.pixel(CANVAS, width - 2, row_y(view, 9)) == background, "a box above all others")
    check(second_row < 1, "the second row is as wide as the first")
    # The tip of the box under the mouse has its numbers.
    left, top, _, _ = view.place(CANVAS)
    view.mouse("mouseMoved", left + 20, top + row_y(view, 2))
    view.settle()
    tip = view.text("#tip")
    check(second[-1] in tip and milliseconds(sums[second]) in tip and f"{100 * sums[second] / sums[()]:.2f} %" in tip, tip)
    return first, second


def look_zoom(view, first, second):
    def trail():
        return view.run("[...document.querySelectorAll('#trail button')].map((b) => b.textContent)")

    click_row(view, 2, 20)
    equal(trail(), ["all", first[0], second[1]], "zoom by a click")
    width = view.place(CANVAS)[2]
    check(view.pixel(CANVAS, width - 8, row_y(view, 2)) == view.pixel(CANVAS, 3, row_y(view, 2)), "the zoomed box is not as wide as all")
    view.press("Escape")
    equal(trail(), [], "Escape goes back")
    click_row(view, 1, 20)
    click_row(view, 2, 20)
    click_row(view, 3, 20, times=2)
    equal(trail(), ["all", first[0]], "a double click goes back by one")
    view.run("document.getElementById('reset').click()")
    view.settle()
    equal(trail(), [], "Reset")
    # The same by keys.
    view.run(f"document.querySelector('{CANVAS}').focus()")
    view.press("ArrowUp")
    view.press("ArrowUp")
    check(view.text("#status").startswith(second[1]), view.text("#status"))
    view.press("Enter", "\r")
    equal(trail(), ["all", first[0], second[1]], "Enter zooms")
    view.press("Escape")
    equal(trail(), [], "Escape goes back after keys")


def link_of(database, path):
    """The id of a call path, from the rows of its methods."""
    node = min(n for n, in database.sql.execute("SELECT id FROM stack_node") if database.path(n) == path)
    keys = []
    while node is not None:
        node, *parts = database.sql.execute("SELECT n.parent_id, CAST(library AS BLOB), CAST(package AS BLOB), CAST(class AS BLOB), CAST(name AS BLOB), CAST(signature AS BLOB),"
                                            " CAST(file AS BLOB), m.line FROM stack_node AS n JOIN stack_method AS m ON m.id = n.method_id WHERE n.id = ?", (node,)).fetchone()
        keys.insert(0, paths.method_key(*parts))
    return paths.hexadecimal(paths.path_id(keys))


def look_links(view, database, second):
    def trail():
        return view.run("[...document.querySelectorAll('#trail button')].map((b) => b.textContent)")

    link = link_of(database, second)
    click_row(view, 2, 20)
    equal(view.run("location.hash"), f"#at={link}&sel={link}", "the link of what is looked at")
    view.press("Escape")
    equal(view.run("location.hash"), "", "the link of all")
    deepest = max(database.by_path("wall"), key=lambda path: (len(path), path))
    below, above = link_of(database, deepest), link_of(database, deepest[:2])
    url = "file://" + os.path.abspath("out.html")
    # As a link of this page, and the fragment of the page of serve.
    for fragment in (f"at={above}&sel={below}", f"/flame?db=cloud.db&sel={below}&at={above}&w=wall"):
        view.open(f"{url}?{len(fragment)}#{fragment}")
        view.settle()
        equal(trail(), ["all", *deepest[:2]], f"zoomed by {fragment}")
        check(view.text("#status").startswith(deepest[-1]), f"{fragment}: {view.text('#status')}")
    view.run("location.hash = '#sel=0123456789abcdef'")
    view.settle()
    check("is not in this profile" in view.text("#status") and view.run("location.hash") == "#sel=0123456789abcdef", f"an unknown link: {view.text('#status')}")
    view.open(url)
    view.settle()


def look_search(view, database):
    sums = database.by_path("wall")
    wanted = sum(value for path, value in sums.items() if any("executeQuery" in label for label in path))
    view.press("/", "/")
    equal(view.run("document.activeElement.id"), "search", "/ goes to the search")
    view.write("EXECUTEquery")
    equal(view.text("#matched"), f"{100 * wanted / sum(sums.values()):.2f} %", "matched part")
    y = row_y(view, 5)
    colours = [view.pixel(CANVAS, x, y - 6) for x in (3, 60)]
    check(all(c == [246, 183, 60] for c in colours), f"what is found has the colour {colours}")
    view.press("Escape")
    equal(view.text("#matched"), "", "Escape ends the search")


def look_functions(view, database):
    sums = totals(database)
    view.run("document.getElementById('view-functions').click()")
    view.settle()
    rows = view.run("[...document.querySelectorAll('#rows tr')].map((r) => [...r.cells].map((c) => c.firstChild.textContent))")
    own, below = {}, {}
    for path, value in database.by_path("wall").items():
        own[path[-1]] = own.get(path[-1], 0) + value
        for label in set(path):
            below[label] = below.get(label, 0) + value
    expected = [[f"{own.get(label, 0) / 1e9:,.3f} s", f"{100 * own.get(label, 0) / sums[()]:.2f}", f"{below[label] / 1e9:,.3f} s", label] for label in below]
    equal(sorted(rows), sorted(expected), "the table of functions")
    equal([row[0] for row in rows], sorted((row[0] for row in rows), reverse=True), "the order of the table")
    view.run("document.querySelector('[data-by=name]').click()")
    names = view.run("[...document.querySelectorAll('#rows tr')].map((r) => r.cells[3].firstChild.textContent)")
    equal(names, sorted(names), "sorted by name")
    # Callers and callees of the function whose row is clicked.
    target = next(i for i, name in enumerate(names) if name.endswith("OrderRepository.lines"))
    x, y, w, h = view.place(f"#rows tr:nth-child({target + 1})")
    view.click(x + w / 2, y + h / 2)
    equal(view.text("#chosen"), names[target], "the chosen function")
    check(milliseconds(below[names[target]]) in view.text("#chosen-numbers"), view.text("#chosen-numbers"))
    left, top, _, _ = view.place("#callees-scroll canvas")
    view.mouse("mouseMoved", left + 20, top + ROW + ROW / 2)
    view.settle()
    callee = max(((path[i + 1], value) for path, value in sums.items() for i in range(len(path) - 1) if path[i] == names[target] and len(path) == i + 2),
                 key=lambda pair: pair[1])
    check(callee[0] in view.text("#tip"), f"callee {callee}: {view.text('#tip')}")
    view.press("Escape")
    equal(view.run("document.getElementById('functions').hidden"), True, "Escape leaves the functions")


def look_themes(view):
    def bright(pixel):
        return sum(pixel) / 3

    view.theme("light")
    light = view.pixel(CANVAS, 5, 3), view.run("getComputedStyle(document.body).color")
    view.theme("dark")
    dark = view.pixel(CANVAS, 5, 3), view.run("getComputedStyle(document.body).color")
    check(bright(light[0]) > 240 and bright(dark[0]) < 40 and light[1] != dark[1], f"themes: {light} {dark}")
    view.run("document.getElementById('theme').click()")
    view.settle()
    equal(view.pixel(CANVAS, 5, 3), light[0], "the button turns the theme")
    # Text on boxes can be read: at least 4.5 to 1 in both themes.
    for theme in ("light", "dark"):
        view.theme(theme)
        box = view.pixel(CANVAS, 2, row_y(view, 1) - 7)
        text = [28, 36, 48] if theme == "light" else [238, 241, 245]
        check(contrast(box, text) >= 4.5, f"contrast of {theme}: {contrast(box, text)}")
    view.theme("light")


def contrast(a, b):
    def luminance(rgb):
        parts = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def look(view):
    database = cloud()
    view.theme("light")
    view.open(page("cloud.db", "out.html"))
    view.settle()
    first, second = look_graph(view, database)
    look_zoom(view, first, second)
    look_links(view, database, second)
    look_search(view, database)
    look_functions(view, database)
    look_themes(view)
    view.run("document.getElementById('view-icicle').click()")
    view.settle()
    left, top, _, _ = view.place(CANVAS)
    view.mouse("mouseMoved", left + 20, top + ROW + ROW / 2)
    view.settle()
    check(first[0] in view.text("#tip"), "the icicle does not grow downwards")
    for width in (800, 360):
        view.resize(width, 600)
        view.settle()
        equal(view.run("document.documentElement.scrollWidth"), width, "the page is wider than its window")
    silent(view)
    database.close()


# --- names, sizes, differences ------------------------------------------------------------------------------------------


def hostile(view):
    base = made.empty(PROGRAM, SOURCE)
    sql = sqlite3.connect(base)
    sql.execute("INSERT INTO source(id, kind, path, bytes, complete) VALUES (1, 'input', 'r', 1, 1)")
    for i, name in enumerate(made.HOSTILE, 1):
        sql.execute("INSERT INTO stack_method VALUES (?, 1, NULL, ?, NULL, NULL, NULL, ?, ?, NULL, NULL)", (i, name, name, i))
        sql.execute("INSERT INTO stack_node VALUES (?, 1, NULL, ?, NULL, 0, NULL)", (i, i))
        sql.execute("INSERT INTO stack_sample VALUES (?, 1, 0, ?, ?, ?, 'cpu')", (i, i * 1000, i, i))
    sql.commit()
    sql.close()
    title = "</title><script>alert(1)</script>.db"
    shutil.copy(base, title.replace("/", "\\"))
    view.open(page(title.replace("/", "\\"), "out.html"))
    view.settle()
    labels = view.run("JSON.parse(document.getElementById('data').textContent).frames.label")
    equal(sorted(labels), sorted(name or "(anonymous)" for name in made.HOSTILE), "names")
    view.run("document.getElementById('view-functions').click()")
    for _ in made.HOSTILE:
        view.press("ArrowDown")
    view.write("script")
    equal(view.run("document.querySelectorAll('script, style, iframe, img').length"), 3, "elements that names made")
    silent(view)


def large(view):
    base = made.empty(PROGRAM, SOURCE)
    rng = random.Random(7)
    sql = sqlite3.connect(base)
    sql.execute("INSERT INTO source(id, kind, path, bytes, complete) VALUES (1, 'input', 'r', 1, 1)")
    sql.executemany("INSERT INTO stack_method VALUES (?, 1, NULL, ?, NULL, NULL, NULL, ?, ?, NULL, NULL)",
                    ((i, f"function{i}", f"file{i % 50}.js", i) for i in range(1, 5001)))
    nodes, callees = [], {}
    for i in range(1, 100001):  # callees of one path are different functions
        parent = None if i < 20 else rng.randrange(max(1, i - 20000), i)
        callees[parent] = callees.get(parent, 0) + 1
        nodes.append((i, parent, ((parent or 0) * 7919 + callees[parent] * 13) % 5000 + 1))
    sql.executemany("INSERT INTO stack_node VALUES (?, 1, ?, ?, NULL, 0, NULL)", nodes)
    sql.executemany("INSERT INTO stack_sample VALUES (?, 1, 0, ?, ?, ?, 'cpu')", ((i, i, rng.randrange(1, 100), i) for i in range(1, 100001)))
    sql.commit()
    sql.close()
    page(base, "out.html")
    times = []
    for _ in range(5):  # the machine may be busy
        view.open("out.html")
        view.settle()
        times.append(view.run("performance.getEntriesByName('drawn')[0].startTime"))
        if times[-1] < 1000:
            break
    check("100,000 call paths" in view.text("#facts"), view.text("#facts"))
    check(view.pixel(CANVAS, 30, row_y(view, 1)) != view.pixel(CANVAS, 5, 3) or view.pixel(CANVAS, 30, row_y(view, 0)) != [255, 255, 255], "nothing is drawn")
    check(min(times) < 1000, f"the first drawing took {times} ms")
    # What a person does next is quick too: a search, a zoom, a sandwich.
    view.press("/", "/")
    begin = view.run("performance.now()")
    view.write("function12")
    click_row(view, 1, 100)
    view.run("document.getElementById('view-functions').click()")
    view.settle()
    spent = view.run("performance.now()") - begin
    check(spent < 4000, f"a search, a zoom and the functions took {spent} ms")
    silent(view)
    print(f"drawn after {min(times):.0f} ms, search, zoom and functions in {spent:.0f} ms")


def difference(view):
    old = cloud()
    shutil.copy("cloud.db", "new.db")
    sql = sqlite3.connect("new.db")
    top = widest(totals(old), ())[0]
    sql.execute("UPDATE stack_slice SET self_dur = self_dur * 5 WHERE node_id IN (SELECT id FROM stack_node WHERE parent_id IS NOT NULL)")
    sql.execute("DELETE FROM stack_slice WHERE node_id NOT IN (WITH RECURSIVE t(id) AS (SELECT n.id FROM stack_node n JOIN stack_method m ON m.id = n.method_id"
                " WHERE n.parent_id IS NULL AND ? LIKE '%' || m.name UNION ALL SELECT n.id FROM t JOIN stack_node n ON n.parent_id = t.id) SELECT id FROM t)", (top,))
    sql.commit()
    sql.close()
    with open("out.html", "wb") as f:
        f.write(made.run(DIFFERENCE, "flame", "new.db", "cloud.db").stdout)
    new = Database("new.db")
    before, after = sum(old.by_path("wall").values()), sum(new.by_path("wall").values())
    view.theme("light")
    view.open("out.html")
    view.settle()
    facts = view.text("#facts")
    check(milliseconds(after) in facts and f"before {milliseconds(before)}" in facts and f"{100 * (after - before) / before:+.1f} %" in facts, facts)

    def colours():
        width = view.place(CANVAS)[2]
        y = row_y(view, 1) - 7
        return view.pixel(CANVAS, 2, y), view.pixel(CANVAS, width - 3, y)

    grew, went = colours()
    check(grew[0] > grew[2] + 30, f"what grew is not red: {grew}")
    check(went[2] > went[0] + 30, f"what went is not blue: {went}")
    left, top_y, _, _ = view.place(CANVAS)
    view.mouse("mouseMoved", left + 20, top_y + row_y(view, 1))
    view.settle()
    sums = [totals(old), totals(new)]
    tip = view.text("#tip")
    check(all(f"{one[(top,)] / 1e9:,.2f} s" in tip for one in sums), tip)
    view.run("document.getElementById('scale-normalised').click()")
    view.settle()
    normalised = colours()
    check(normalised[0] != grew, "Normalised changes nothing")
    view.run("document.getElementById('scale-absolute').click()")
    view.settle()
    equal(colours(), (grew, went), "Absolute again")
    silent(view)
    old.close()
    new.close()


def speedscope(view):
    """The page of speedscope itself, as its npm package has it."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    found = glob.glob(os.path.join(cache, "trace_streamer", "speedscope-*", "package", "dist", "release", "index.html"))
    if not found:
        print("SKIPPED: no speedscope (scripts/install-deps.sh ci fetches it)")
        return
    database = cloud()
    data = made.run(PROGRAM, "cloud.db", "--to=speedscope", "-o", "-", "--quiet", "--thread=scheduler-1").stdout
    # As its command does it: a script that hands the file over.
    with open("profile.js", "w", encoding="ascii") as f:
        f.write(f"speedscope.loadFileFromBase64('cloud.speedscope.json', '{base64.b64encode(data).decode()}')")
    view.open(f"file://{found[0]}#localProfilePath={os.path.abspath('profile.js')}")
    for _ in range(100):
        if "Sandwich" in view.run("document.body.innerText"):
            break
        view.run("new Promise((done) => setTimeout(done, 50))")
    view.press("3", "3")
    text = view.run("document.body.innerText")
    sums = database.by_path("wall", thread="scheduler-1")
    whole = sum(sums.values())
    for label in {label for path in sums for label in path}:
        own = sum(value for path, value in sums.items() if path[-1] == label)
        total = sum(value for path, value in sums.items() if label in path)
        row = re.search(r"([\d.]+)(ms|s) \(([\d.]+)%\)\s+([\d.]+)(ms|s) \(([\d.]+)%\)\s+" + re.escape(label), text)
        check(row, f"speedscope has no row of {label}: {text}")
        for value, part, unit, share in ((total, row[1], row[2], row[3]), (own, row[4], row[5], row[6])):
            check(abs(float(part) * (1e6 if unit == "ms" else 1e9) - value) <= value * 0.01 + 1 and abs(float(share) - 100 * value / whole) < 0.6, f"{label}: {row[0]} for {value}")
    database.close()


def main():
    groups = {"look": look, "hostile": hostile, "large": large, "difference": difference, "speedscope": speedscope}
    if browser.program() is None:
        print("SKIPPED: no Chromium is installed")
        return
    view = browser.Browser(1200, 800)
    try:
        for group in groups.values() if GROUP == "all" else [groups[GROUP]]:
            with tempfile.TemporaryDirectory() as scratch:
                os.chdir(scratch)
                view.resize(1200, 800)
                group(view)
                view.messages.clear()
                view.requests.clear()
                os.chdir("/")
    finally:
        view.close()


main()
