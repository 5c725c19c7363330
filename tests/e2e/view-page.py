"""Asks the page of `thrace view` in a browser what it shows, and holds it against `thrace stat`. Prints TAP lines.

usage: view-page.py THRACE FILE.trace FILE.html NAME
"""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from page import b, center, ok, page, same, stat, text, view


def rows(tab):
    """The rows of a table: values of its cells."""
    b.eval(f"document.getElementById('tab-{tab}').click()")
    return b.eval(f"""[...document.querySelectorAll('#table-{tab} tbody tr')].map((r) => [...r.cells].map(
        (c) => c.className === 'left' ? c.dataset.value : Number(c.dataset.value)))""")


def sums(table, key, *values):
    got = collections.defaultdict(lambda: [0] * len(values))
    for row in table:
        for i, value in enumerate(values):
            got[key(row)][i] += value(row)
    return dict(got)


def hold(what, *options):
    """All tables against those of stat, as far as both have all rows."""
    said = stat(*options)
    wanted = sums(said["states"], lambda r: r["state"] + (": " + r["reason"] if r["reason"] else ""),
                  lambda r: r["total_ns"], lambda r: r["count"])
    got = sums(rows("states"), lambda r: r[5], lambda r: r[0], lambda r: r[2])
    same(got, wanted, f"states of {what}")
    wanted = sums(said["locks"], lambda r: r["object"], lambda r: r["total_ns"], lambda r: r["count"])
    if len(wanted) < 100:
        same(sums(rows("locks"), lambda r: r[5], lambda r: r[0], lambda r: r[2]), wanted, f"what is waited for in {what}")
    wanted = sorted(([r["total_ns"], r["count"]] for r in said["waits"]), reverse=True)
    got = rows("waits")
    if len(got) < 100:
        same([sum(r[0] for r in got), sum(r[2] for r in got)], [sum(w[0] for w in wanted), sum(w[1] for w in wanted)],
             f"waits of {what}")
    got = rows("syscalls")
    if len(got) < 100:
        same([sum(r[0] for r in got), sum(r[2] for r in got)],
             [sum(r["total_ns"] for r in said["syscalls"]), sum(r["count"] for r in said["syscalls"])], f"system calls of {what}")
    got = rows("queue") if b.eval("document.getElementById('tab-queue').click(), !!document.querySelector('table#table-queue')") \
        else []
    same([[r[2], r[4]] for r in got], [[r["count"], r["total_ns"]] for r in said["run_queue"]],
         f"how long threads could run in {what}")
    # Stat cuts long names.
    wanted = sums(said["cpu"], lambda r: r["function"][:100], lambda r: r["self_samples"], lambda r: r["total_samples"])
    got = rows("functions")
    if len(got) < 100:
        got = sums(got, lambda r: r[3][:100], lambda r: r[0], lambda r: r[2])
        same(got, wanted, f"functions of {what}")
    got = rows("threads")
    if len(got) < 100:
        wanted = sorted([r["running_ns"], r["runnable_ns"], r["syscall_ns"], r["waiting_ns"]] for r in said["threads"])
        same(sorted([r[0], r[1], r[2], r[3] + r[4]] for r in got if any(r[:6])), [w for w in wanted if any(w)],
             f"threads of {what}")
        names = {r[8] for r in got}
        wanted = {f"{r['name']} {r['id']}" + (f", tid {r['tid']}" if r["tid"] not in (None, r["id"]) else "")
                  for r in said["threads"] if r["name"] and r["id"] and r["running_ns"]}
        same(sorted(wanted - names), [], f"names of threads of {what}")


def flame(kind):
    b.eval(f"""(() => {{ document.getElementById('tab-flame').click(); const k = document.getElementById('flame-kind');
        k.value = '{kind}'; k.dispatchEvent(new Event('change')); }})()""")
    return b.eval("Number((document.querySelector('#flame .frame') || {dataset: {value: 0}}).dataset.value)")


ACCESS = """(() => {
    const wrong = [], ids = new Set(), name = (e) => e.getAttribute('aria-label') || e.getAttribute('title') || e.textContent.trim()
        || (e.getAttribute('aria-labelledby') || '').split(' ').map((i) => (document.getElementById(i) || {}).textContent).join('')
        || (e.labels && [...e.labels].map((l) => l.textContent).join(''));
    for (const e of document.querySelectorAll('[id]')) {
        if (ids.has(e.id)) wrong.push('two have the id ' + e.id);
        ids.add(e.id);
    }
    for (const e of document.querySelectorAll('button, input, select, progress, canvas[role], [role=application], [role=tabpanel], aside, dialog, section[aria-label]'))
        if (!name(e)) wrong.push('no name: ' + e.outerHTML.slice(0, 80));
    for (const e of document.querySelectorAll('[aria-controls], [aria-labelledby]'))
        for (const i of (e.getAttribute('aria-controls') || e.getAttribute('aria-labelledby')).split(' '))
            if (!document.getElementById(i)) wrong.push('refers to nothing: ' + i);
    if (document.querySelectorAll('[role=tab][aria-selected=true]').length !== 1) wrong.push('not one tab is selected');
    if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
    if (!document.documentElement.lang) wrong.push('no language');
    for (const th of document.querySelectorAll('th')) if (!th.scope) wrong.push('a header without scope');
    const light = (c) => { const v = c.map((x) => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
    const rgb = (s) => s.match(/[\\d.]+/g).map(Number);
    const back = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
        if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
    for (const e of document.querySelectorAll('body *')) {
        if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
        const a = light(rgb(getComputedStyle(e).color).slice(0, 3)), c = light(back(e).slice(0, 3));
        const ratio = (Math.max(a, c) + 0.05) / (Math.min(a, c) + 0.05);
        if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)}: ${e.outerHTML.slice(0, 80)}`);
    }
    return wrong;
})()"""


def keyboard():
    b.eval("document.getElementById('lanes').focus()")
    b.key("ArrowDown")
    b.key("ArrowRight")
    b.key("ArrowRight")
    ok(text("what") != "", "arrow keys choose a stretch, and the page says what it is", text("details"))
    ok(text("said").endswith(("s", "ns")), "and says it to those who do not see", text("said"))
    b.key("0")
    whole = view()
    b.key("w")
    nearer = view()
    same(round((nearer[1] - nearer[0]) / (whole[1] - whole[0]), 2), 0.75, "W zooms in")
    b.key("a")
    left = view()
    ok(abs(left[1] - left[0] - nearer[1] + nearer[0]) < 3 and left[0] < nearer[0], "A moves to the left", f"{nearer}, then {left}")
    b.key("d")
    b.key("s")
    b.key("0")
    same(view(), whole, "D, S and 0 lead back")
    b.key("v")
    b.wait("document.getElementById('part').textContent.startsWith('selected')")
    b.key("Escape")
    b.wait("document.getElementById('part').textContent === 'the whole trace'")
    b.key("?")
    ok(b.eval("document.getElementById('keys').open"), "? shows the keys", "it does not")
    b.key("Escape")
    b.eval("document.getElementById('keys').close()")
    b.eval("document.getElementById('tab-findings').click(), document.getElementById('tab-findings').focus()")
    b.key("ArrowRight")
    same(b.eval("document.activeElement.id"), "tab-states", "arrow keys go from tab to tab")


def wakeups():
    """Goes to the longest wait for something, and from there to who ended it."""
    b.eval("document.getElementById('tab-locks').click()")
    if not b.eval("!!document.querySelector('#table-locks tbody tr')"):
        return
    b.eval("document.querySelector('#table-locks tbody tr').click()")
    ok(b.eval("document.querySelectorAll('.histogram tbody tr').length") > 0, "a row shows how long each of its waits took", "no bars")
    wanted = b.eval("Number(document.querySelector('#table-locks tbody td:nth-child(3)').dataset.value)")
    same(b.eval("[...document.querySelectorAll('.histogram td[data-value]')].reduce((n, c) => n + Number(c.dataset.value), 0)"),
         wanted, "and all of them are in it")
    b.eval("document.getElementById('to-longest').click()")
    said = text("said")
    ok("waiting" in said, "the longest one is chosen", said)
    top = b.eval("document.querySelector('#table-locks tbody td:last-child').dataset.value")
    wakers = {w["thread"] for r in stat("--all")["waits"] if r["object"] == top for w in r["wakers"]}
    if wakers and None not in wakers:
        ok(text("to-waker").rsplit(" ", 3)[0].split(" ")[0] in {w.split(" ")[0] for w in wakers}, "and says who ended it",
           f"{text('to-waker')} is none of {wakers}")
    if b.eval("!!document.getElementById('to-waker')"):
        waker = text("to-waker")
        b.eval("document.getElementById('lanes').focus()")
        b.key("g")
        ok(text("said").startswith(waker + ":"), "G goes to who ended it", f"{text('said')}, and not {waker}")
    b.eval("document.querySelector('#table-locks tbody tr').click(), document.getElementById('to-longest').click()")
    if b.eval("!!document.getElementById('to-holder')"):
        holder = text("to-holder")
        ok(holder != text("said").split(":")[0], "nobody waits for what he holds", holder)
        b.eval("document.getElementById('lanes').focus()")
        b.key("h")
        ok(text("said").startswith(holder + ":"), "H goes to who held it", f"{text('said')}, and not {holder}")


def run_queue():
    """Goes to the longest time that a thread could run."""
    b.eval("document.getElementById('tab-queue').click()")
    said = stat("--all")
    ok(("thrace record --switches" in text("table-queue")) == all(t["migrations"] is None for t in said["threads"]) or
       not said["run_queue"] or any(t["name"] == "runtime.main" for t in said["threads"]),
       "it says whether the kernel was asked", text("table-queue"))
    if not said["run_queue"]:
        return
    wrong = []
    for i, row in enumerate(said["run_queue"]):
        if b.eval(f"(() => {{ const e = document.querySelectorAll('#table-queue tbody tr')[{i}].querySelector('button'); "
                  "if (e) e.click(); return !!e; })()"):
            lasted = int(re.search(r"([\d,]+) ns", text("details").split("lasted", 1)[1].split(" ", 1)[1])[1].replace(",", ""))
            if lasted < row["total_ns"] // row["count"] or lasted > (row["at_most_ns"] or lasted):
                wrong.append((lasted, row))
    same(wrong, [], "a length leads to one that is no shorter than the mean")
    b.eval("document.querySelector('#table-queue tbody tr:last-child button').click()")
    same(text("what").split(":")[0], "runnable", "a length leads to the longest that could run")
    longest = max(t["runnable_max_ns"] for t in said["threads"])
    ok(f" {longest:,} ns" in text("details"), "which is that of stat", f"{longest} is not in {text('details')}")


def mouse():
    b.key("0")
    whole = view()
    b.drag(center("chart", 0.6), center("chart", 0.5))
    same(view(), whole, "there is nothing beyond the end to drag to")
    b.eval("document.getElementById('zoom-in').click()")
    half = view()
    b.drag(center("chart", 0.6, 0.05), center("chart", 0.4, 0.05))
    moved = view()
    ok(0.15 < (moved[0] - half[0]) / (half[1] - half[0]) < 0.25, "dragging moves the timeline", f"{half}, then {moved}")
    b.key("0")
    b.drag(center("ruler", 0.25), center("ruler", 0.5))
    b.wait("document.getElementById('part').textContent.startsWith('selected')")
    b.settled()
    begin, end = (int(n) for n in b.eval("location.hash").split("select=")[1].split("&")[0].split("-"))
    ok(abs(begin / whole[1] - 0.25) < 0.01 and abs(end / whole[1] - 0.5) < 0.01, "dragging along the times selects",
       f"{begin} to {end} of {whole[1]}")
    hold("what the mouse selects", "--all", "--from", f"{begin}ns", "--to", f"{end}ns")
    b.eval("document.getElementById('unselect').click()")
    b.wait("document.getElementById('part').textContent === 'the whole trace'")
    b.key("Escape")
    b.eval("document.getElementById('lanes').scrollTop = 0")
    b.painted()
    # The rows of the program and of tasks, if there are any, have no stretches.
    row = b.wait("""(() => { const l = [...document.querySelectorAll('#labels div')].find((e) => e.querySelector('.number').textContent);
        return l && parseInt(l.style.top) + 12; })()""")
    x, y = center("chart", 0.5, 0.0)
    b.click(x, y + row)
    what = text("what")
    ok(what != "", "a click chooses a stretch", "nothing is")
    if not what.startswith("running"):
        classes = {"runnable": "runnable", "system call": "syscall", "waiting for a lock": "lock", "waiting": "wait"}
        css = b.eval(f"getComputedStyle(document.documentElement).getPropertyValue('--{classes[what.split(':')[0]]}').trim()")
        b.key("f")
        b.settled()
        pixel = b.eval("(() => { const c = document.getElementById('chart'); "
                       "return [...c.getContext('2d').getImageData(Math.round(c.width * 0.93), %d, 1, 1).data].slice(0, 3); })()" % (row + 5))
        same("#%02x%02x%02x" % tuple(pixel), css, "the stretch has the colour of what it is")
    b.key("Escape")
    b.key("0")


def search():
    wanted = b.eval("document.querySelector('#labels div').textContent.split(' ')[0]")
    b.eval(f"document.getElementById('search').value = {json.dumps(wanted)}, document.getElementById('search').focus()")
    b.key("Enter")
    ok("thread" in text("found") and not text("found").endswith(" 0 threads"), "search finds a thread by its name", text("found"))
    ok(b.wait("!!document.querySelector('#labels .found')"), "and marks it", "no mark")
    b.key("Escape")
    same(text("found"), "", "Escape ends the search")


def looks():
    for theme in ("light", "dark"):
        b.eval(f"document.documentElement.dataset.theme = '{theme}'")
        for tab in ("findings", "states", "queue", "flame"):
            b.eval(f"document.getElementById('tab-{tab}').click()")
            same(b.eval(ACCESS), [], f"everybody can use it: {theme}, {tab}")
    before = b.eval("getComputedStyle(document.body).backgroundColor")
    b.eval("document.getElementById('theme').click()")
    ok(b.eval("getComputedStyle(document.body).backgroundColor") != before, "a button turns the theme", before)
    b.call("Emulation.setEmulatedMedia", media="print")
    ok(not b.eval("document.getElementById('zoom-in').checkVisibility()"), "on paper there are no buttons", "there are")
    b.call("Emulation.setEmulatedMedia", media="")


b.open(page)
same(text("failure"), "", "the page opens")
facts = stat("--all")
hold("the whole trace", "--all")
length = facts["trace"]["duration_ns"]
for begin, end in ((length // 10, length // 3), (length // 2, length // 2 + max(1, length // 1000))):
    b.eval(f"location.hash = '#select={begin}-{end}'")
    b.wait("document.getElementById('part').textContent.startsWith('selected')")
    b.settled()
    hold(f"{begin} to {end} ns", "--all", "--from", f"{begin}ns", "--to", f"{end}ns")
b.eval("document.getElementById('unselect').click()")
b.wait("document.getElementById('part').textContent === 'the whole trace'")
# The page is about to write its own address when somebody else sets another one.
b.eval(f"""(() => {{
    const timer = setTimeout;
    let write;
    setTimeout = (f) => {{ write = f; return 0; }};
    document.getElementById('tab-states').click();
    setTimeout = timer;
    location.hash = '#select=0-{length // 2}';
    write(); }})()""")
b.settled()
ok(text("part").startswith("selected"), "an address that somebody sets is not written over", text("part"))
b.eval("document.getElementById('unselect').click()")
b.wait("document.getElementById('part').textContent === 'the whole trace'")
of = {"wait": "waiting", "syscall": "system call", "runnable": "runnable"}
for kind, state in of.items():
    same(flame(kind), sum(r["total_ns"] for r in facts["states"] if r["state"] == state), f"flame graph: {kind}")
same(flame("cpu"), facts["samples"], "flame graph: cpu")
keyboard()
wakeups()
run_queue()
mouse()
search()
looks()
b.eval("document.getElementById('tab-findings').click()")
same(b.eval("[...document.querySelectorAll('#findings li')].map((e) => e.textContent)"),
     [f["text"] for f in stat().get("findings", [])], "findings are those of stat")
same(b.errors(), [], "no script has failed")
same(b.requests(), [], "nothing is asked of a network")
if os.environ.get("THRACE_SCREENSHOT"):
    b.eval("document.documentElement.dataset.theme = 'light'")
    b.screenshot(os.environ["THRACE_SCREENSHOT"])
b.close()
