"""Looks at the timeline of a page of `thrace view`, and at its heap profile, in a browser. Prints TAP lines.

usage: view-timeline.py THRACE FILE.trace FILE.html NAME
"""
import gzip
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from page import b, center, ok, page, same, stat, text, thrace, title, trace, view

BAR, REGION = 16, 15  # px, as painter.js has them
INVISIBLE = "/[\\u0000-\\u0008\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069]/"


def pixel(x, y):
    return "#%02x%02x%02x" % tuple(b.eval(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => { const c = document.getElementById('chart');"
        f" done([...c.getContext('2d').getImageData({round(x)}, {round(y)}, 1, 1).data].slice(0, 3)); }})))"))


def color(name):
    return b.eval(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")


def row_of(name):
    """How far below the top of the chart the row of that name is, or None."""
    b.painted()
    return b.eval("""(() => { const l = [...document.querySelectorAll('#labels div')].find((e) => e.textContent === %r);
        return l ? parseInt(l.style.top) - document.getElementById('lanes').scrollTop : null; })()""" % name)


def chosen():
    """Begin and end of what is chosen, in ns."""
    lasted, began = b.eval("""['lasted', 'began'].map((n) => [...document.querySelectorAll('#details dt')]
        .find((e) => e.textContent === n).nextElementSibling.textContent)""")
    begin = int(began.split(" ")[0].replace(".", ""))
    return begin, begin + int(re.search(r"([\d,]+) ns$", lasted).group(1).replace(",", ""))


def wakeup():
    """The arrow from who ended the longest wait: it begins with a dot in the colour of texts."""
    b.eval("document.getElementById('tab-locks').click()")
    if not b.eval("!!document.querySelector('#table-locks tbody tr')"):
        return
    b.eval("document.querySelector('#table-locks tbody tr').click(), document.getElementById('to-longest').click()")
    row = row_of(text("to-waker")) if b.eval("!!document.getElementById('to-waker')") else None
    if row is None:
        return
    begin, end = chosen()
    shown = view()
    x = (end - shown[0]) / (shown[1] - shown[0]) * b.eval("document.getElementById('chart').clientWidth")
    same(pixel(x, row + 3 + BAR / 2), color("text"), "an arrow begins at who ended the wait")
    waker, waiter = text("to-waker"), text("said").split(":")[0]
    b.key("g")
    links = b.eval("[...document.querySelectorAll('#details dd > button:not([id])')].map((e) => e.textContent)")
    more = b.eval("[...document.querySelectorAll('#details dd')].some((e) => e.textContent.endsWith('and more'))")
    ok(waiter in links or more, "and that one says whom it woke", f"{waker}: {links}")
    b.key("Escape")
    b.key("0")


def hover():
    row = b.eval("parseInt([...document.querySelectorAll('#labels div')].find((e) => e.querySelector('.number').textContent).style.top)")
    x, y = center("chart", 0.5, 0)
    b.mouse("mouseMoved", x, y + row + 8)
    name = b.eval("[...document.querySelectorAll('#labels div')].find((e) => e.querySelector('.number').textContent).textContent")
    if b.eval("!document.getElementById('tip').hidden"):
        ok(text("tip").endswith(name), "what is under the pointer is told beside it", text("tip"))
    b.mouse("mouseMoved", 5, 5)
    ok(b.eval("document.getElementById('tip').hidden"), "and not when it is gone", text("tip"))


def touch():
    b.key("0")
    whole = view()
    x, y = center("chart", 0.5, 0.1)
    points = lambda *at: [{"x": px, "y": y, "id": i} for i, px in enumerate(at)]
    b.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(x - 50, x + 50))
    for apart in (70, 100):
        b.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(x - apart, x + apart))
    b.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    half = view()
    ok(abs((half[1] - half[0]) / (whole[1] - whole[0]) - 0.5) < 0.02, "two fingers zoom", f"{whole}, then {half}")
    middle = (half[0] + half[1]) / 2 / whole[1]
    ok(abs(middle - 0.5) < 0.02, "around what is between them", f"{half} of {whole}")
    b.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(x))
    for by in (20, 60, 100):
        b.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(x - by))
    b.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    moved = view()
    ok(moved[0] > half[0] and abs((moved[1] - moved[0]) - (half[1] - half[0])) <= 2, "one finger moves", f"{half}, then {moved}")
    b.key("0")


def surroundings():
    for _ in range(8):
        b.key("w")
    b.click(*center("minimap", 0.25))
    shown = view()
    length = b.eval("document.getElementById('zoom-all').click(), 0") or view()[1]
    ok(abs((shown[0] + shown[1]) / 2 / length - 0.25) < 0.02, "a click on the whole leads there", f"{shown} of {length}")
    before = b.eval("document.getElementById('time').clientHeight")
    b.eval("document.getElementById('split').focus()")
    b.key("ArrowDown")
    lower = b.eval("document.getElementById('time').clientHeight")
    b.key("ArrowUp")
    b.key("ArrowUp")
    ok(b.eval("document.getElementById('time').clientHeight") < lower and lower != before, "the timeline can be made higher and lower",
       f"{before}, then {lower}")
    facts = stat("--all")
    said = b.eval("document.getElementById('counts').getAttribute('aria-label')")
    procs = re.search(r", ([\d,]+) procs?", said)
    if facts["processors"]:
        ok(procs and int(procs.group(1).replace(",", "")) >= facts["processors"], "how many may run at once is told", said)
    most = max((h["most_bytes"] for h in facts["heap"]), default=0)
    if most:
        amount, unit = re.search(r"memory: up to ([\d.]+) (\w+)", said).groups()
        wanted = most / 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit)
        ok(abs(wanted - float(amount)) <= 0.5, "and how much memory was in use", f"{said}, and not {most}")
    b.eval("document.documentElement.dataset.theme = 'dark', dispatchEvent(new Event('beforeprint'))")
    same(b.eval("getComputedStyle(document.documentElement).colorScheme"), "light", "paper is light")
    b.eval("dispatchEvent(new Event('afterprint'))")
    same(b.eval("getComputedStyle(document.documentElement).colorScheme"), "dark", "and the screen as it was")
    b.eval("document.documentElement.dataset.theme = 'light'")


def tasks():
    if not b.eval("!!document.getElementById('tab-tasks')"):
        return
    b.eval("document.getElementById('tab-tasks').click()")
    rows = b.eval("[...document.querySelectorAll('#table-tasks tbody tr')].map((r) => r.cells[1].textContent)")
    for i, name in enumerate(rows[:2]):
        b.eval(f"document.querySelectorAll('#table-tasks tbody button')[{i}].click()")
        name = name.rsplit(" ", 1)[0]
        same(text("what"), name, "a task is told of")
        ok(b.wait(f"document.querySelector('#labels .chosen').textContent === 'task ' + {json.dumps(name)}"), "and has a row",
           text("labels"))
    if rows:
        begin, end = chosen()
        b.key("m")
        b.wait("document.getElementById('part').textContent.startsWith('selected')")
        view()
        same(b.eval("location.hash").split("select=")[1].split("&")[0], f"{begin}-{end}", "M selects its time")
        b.key("Escape")
        b.key("Escape")
    b.key("0")
    if title == "go1.23-annotations":
        view()
        x, y = center("chart", 0.97, 0)
        b.click(x, y + row_of("main.main 1, tid 9710") + 3 + BAR + 1 + 1.5 * REGION)
        same(text("what"), "post-existing region", "a region is told of")
        b.key("Escape")


def fields(data):
    """Of a message of protobuf: (field, number or bytes)."""
    def number():
        nonlocal at
        n = shift = 0
        while True:
            n |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                return n
    at = 0
    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            at += value
            value = data[at - value:at]
        yield key >> 3, value


def numbers(data):
    at = n = shift = 0
    for at, byte in enumerate(data):
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield n
            n = shift = 0


def heap():
    exported = subprocess.run([thrace, "export", "-f", "heap", trace, "-"], capture_output=True, check=False)
    kinds = b.eval("[...document.getElementById('flame-kind').options].map((o) => o.value)")
    same("alloc" in kinds, exported.returncode == 0, "there is a flame graph of the heap where there is a profile")
    if exported.returncode:
        return
    sums = [0] * 4  # objects and bytes allocated, and in use
    for field, sample in fields(gzip.decompress(exported.stdout)):
        for inner, values in fields(sample) if field == 2 else ():
            if inner == 2:
                sums = [a + v for a, v in zip(sums, numbers(values))]
    b.eval("document.getElementById('tab-flame').click()")
    for kind, wanted in (("alloc", sums[1]), ("inuse", sums[3])):
        b.eval(f"""(() => {{ const k = document.getElementById('flame-kind'); k.value = '{kind}';
            k.dispatchEvent(new Event('change')); }})()""")
        same(b.eval("Number((document.querySelector('#flame .frame') || {dataset: {value: 0}}).dataset.value)"), wanted,
             f"flame graph: {kind}")
    ok(text("flame-note").startswith("Of the whole recording"), "which says what it is of", text("flame-note"))


def names():
    for tab in b.eval("[...document.querySelectorAll('[role=tab]')].map((e) => e.id)"):
        b.eval(f"document.getElementById('{tab}').click()")
        found = b.eval(f"({INVISIBLE}.exec(document.body.innerText) || {{input: ''}}).input")
        same(found[:100], "", f"all that is there can be seen: {tab}")
    same(b.eval("document.title"), f"{os.path.basename(trace)} – thrace", "names are no scripts")


b.open(page)
same(text("failure"), "", "the page opens")
wakeup()
hover()
touch()
surroundings()
tasks()
heap()
names()
same(b.errors(), [], "no script has failed")
b.close()
