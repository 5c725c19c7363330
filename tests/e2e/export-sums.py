"""export-sums.py KIND FORMAT FILE: what the export adds up to. KIND stat FILE: what thrace stat --json says."""
import json, re, sys
kind, form, path = sys.argv[1:]
states = {"wait": "waiting", "syscall": "system call", "runnable": "runnable"}
if form == "stat":
    d = json.load(open(path))
    rows = [r for r in d["states"] or [] if r["state"] == states.get(kind)]
    print(d["samples"] if kind == "cpu" else sum(r["total_ns"] for r in rows))
elif form == "folded":
    total = 0
    for line in open(path, encoding="utf-8"):
        stack, n = re.fullmatch(r"([^;]+(?:;[^;]+)*) ([0-9]+)\n", line).groups()
        total += int(n)
    print(total)
elif form == "speedscope":
    d = json.load(open(path, encoding="utf-8"))
    assert d["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    n = len(d["shared"]["frames"])
    assert all(isinstance(f["name"], str) and f["name"] for f in d["shared"]["frames"])
    total = 0
    for p in d["profiles"]:
        assert p["type"] == "sampled" and p["unit"] == "nanoseconds" and p["startValue"] == 0
        assert len(p["samples"]) == len(p["weights"]) and sum(p["weights"]) == p["endValue"]
        assert all(0 <= f < n for s in p["samples"] for f in s)
        if p["name"] == kind:
            total = len(p["weights"]) if kind == "cpu" else p["endValue"]
    print(total)
elif form == "chrome":
    # Times are microseconds with three digits: whole ns. All events fit together.
    from decimal import Decimal
    d = json.load(open(path, encoding="utf-8"), parse_float=Decimal)
    frames, events, total = d["stackFrames"], d["traceEvents"], 0
    ns = lambda t: int(Decimal(t) * 1000)
    assert all(int(f.get("parent", 0)) < int(n) for n, f in frames.items())
    slices, arrows, open_ones = {}, {}, {}
    for e in events:
        assert e["pid"] == 1 and isinstance(e["tid"], int), e
        if "sf" in e:
            assert str(e["sf"]) in frames, e
        if e["ph"] == "X":
            assert e["dur"] >= 0 and e["name"], e
            slices.setdefault(e["tid"], []).append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
            total += ns(e["dur"]) if e["cat"] == kind else 0
        elif e["ph"] in "sf":
            arrows.setdefault(e["id"], []).append(e)
        elif e["ph"] in "be":
            open_ones.setdefault((e["cat"], e["id"]), []).append(e)
        elif e["ph"] == "P":
            total += kind == "cpu"
        else:
            assert e["ph"] in ("M", "C", "i"), e
    for tid, of in slices.items():
        of.sort()
        assert all(a[1] <= b[0] for a, b in zip(of, of[1:])), tid
    names = {e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert set(slices) <= names
    for pair in arrows.values():
        assert [e["ph"] for e in pair] == ["s", "f"] and pair[0]["ts"] == pair[1]["ts"] and pair[0]["tid"] != pair[1]["tid"]
        # Both ends are at slices: at the begin of one, where the wait ended.
        import bisect
        for e in pair:
            of = slices[e["tid"]]
            at = bisect.bisect_right(of, (ns(e["ts"]), float("inf"))) - 1
            assert at >= 0 and of[at][0] <= ns(e["ts"]) <= of[at][1], e
    print(total)
elif form == "svg":
    import xml.etree.ElementTree as tree
    root = tree.parse(path).getroot()
    frames = root.findall("{http://www.w3.org/2000/svg}g")
    first = frames[0].attrib
    assert first["data-name"] == "all" and float(first["data-w"]) == 1
    # Frames lie within those above them.
    for f in frames:
        x, w, depth = (float(f.attrib["data-" + k]) for k in ("x", "w", "depth"))
        if depth:
            assert any(abs(float(g.attrib["data-depth"]) - depth + 1) < .5 and float(g.attrib["data-x"]) <= x + 1e-7 and
                       x + w <= float(g.attrib["data-x"]) + float(g.attrib["data-w"]) + 1e-7 for g in frames), f.attrib
    print(len(frames))
