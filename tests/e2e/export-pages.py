"""export-pages.py SVG PROFILE.speedscope.json [SPEEDSCOPE/index.html]: "agrees", or what a browser does not show of them."""
import base64
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser

wrong = []


def hold(is_so, what):
    if not is_so:
        wrong.append(what)


def quiet(b, name):
    hold(not b.errors(), "%s: errors: %s" % (name, b.errors()))
    hold(not b.requests(), "%s asks a network for %s" % (name, b.requests()))


def flame_graph(b, path):
    b.events.clear()
    b.call("Page.navigate", url="file://" + os.path.abspath(path))
    hold(b.wait("document.querySelectorAll('g[data-name]').length > 1"), "svg: no frames")
    width = "Number(document.querySelectorAll('g[data-name]')[%d].querySelector('rect').getAttribute('width'))"
    whole = b.eval(width % 0)
    b.eval("document.querySelectorAll('g[data-name]')[1].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    hold(whole > 0 and abs(b.eval(width % 1) - whole) < 1, "svg: a click does not show a frame as wide as there is room")
    quiet(b, "svg")


def nanoseconds(text):
    """As speedscope writes a time, and how exactly."""
    found = re.fullmatch(r"([0-9.]+)(ns|µs|ms|s)", text)
    if found:
        unit = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[found[2]]
        return float(found[1]) * unit, unit / 100
    minutes, seconds = text.split(":")
    return (60 * int(minutes) + float(seconds)) * 1e9, 1e9


def speedscope(b, path, app):
    """Of each profile, the frame that has most by itself: its name, and how much, in the table that has it first."""
    profile = json.load(open(path, encoding="utf-8"))
    load = os.path.abspath("load.js")
    with open(load, "w", encoding="utf-8") as to:
        to.write("speedscope.loadFileFromBase64('x', %s)" %
                 json.dumps(base64.b64encode(open(path, "rb").read()).decode()))
    b.events.clear()
    b.call("Page.navigate", url="file://%s#localProfilePath=%s" % (app, load))
    hold(b.wait("document.title.startsWith(%s)" % json.dumps(profile["name"])), "speedscope: does not show the profile")
    b.key("3")
    for i, p in enumerate(profile["profiles"]):
        if i:
            b.key("n")
        title = p["name"] + (" (%d/%d)" % (i + 1, len(profile["profiles"])) if len(profile["profiles"]) > 1 else "")
        hold(b.wait("document.body.innerText.includes(%s) && document.querySelector('tr td')" % json.dumps(title) +
                    " && true"), "speedscope: no table of %s" % title)
        own = collections.Counter()
        for stack, weight in zip(p["samples"], p["weights"]):
            own[stack[-1]] += weight
        frame, most = own.most_common(1)[0]
        rows = b.eval("[...document.querySelectorAll('tr')].map((r) => [...r.cells].map((c) => c.innerText.trim()))")
        shown = [nanoseconds(r[1].split(" ")[0]) + (r[2],) for r in rows if len(r) == 3 and "(" in r[1]]
        hold(any(abs(ns - most) <= exactly and name == profile["shared"]["frames"][frame]["name"]
                 for ns, exactly, name in shown), "speedscope: %s: no row of %d ns: %.300r" % (title, most, shown[:3]))
    quiet(b, "speedscope")


b = browser.Browser()
try:
    flame_graph(b, sys.argv[1])
    if len(sys.argv) > 3:
        speedscope(b, sys.argv[2], sys.argv[3])
finally:
    b.close()
print("; ".join(wrong) or "agrees")
