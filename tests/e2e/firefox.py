"""firefox.py PROFILE.firefox.json STAT.json: whether an export obeys the rules of the Firefox Profiler's processed format,
and has the sums of thrace stat. It holds the file against what version 63 of the format says of each table."""
import collections
import json
import sys
from decimal import Decimal

profile = json.load(open(sys.argv[1], encoding="utf-8"), parse_float=Decimal)
stat = json.load(open(sys.argv[2], encoding="utf-8"))
meta, shared, threads = profile["meta"], profile["shared"], profile["threads"]
assert meta["preprocessedProfileVersion"] == 63 and isinstance(meta["version"], int)
assert meta["interval"] > 0 and meta["startTime"] >= 0 and meta["product"]
assert set(profile) == {"meta", "libs", "shared", "threads", "counters"}, set(profile)


def ns(ms):
    """Times are milliseconds with six digits: whole ns."""
    return int(Decimal(ms) * 1000000)


def table(of, columns):
    """All of these columns are there, and no others, and are as long as the table says."""
    extra = {"length", "weightType"} & set(of)
    assert set(of) == set(columns) | extra, (set(of) ^ set(columns))
    for c in columns:
        assert len(of[c]) == of["length"], "%s has %d rows, not %d" % (c, len(of[c]), of["length"])
    return of["length"]


def within(column, n, null=False):
    for x in column:
        assert (null and x is None) or (type(x) is int and 0 <= x < n), (x, n)


def ordered(column):
    assert all(a <= b for a, b in zip(column, column[1:])), "times go back"


# --- stacks ---
strings = shared["stringArray"]
assert all(isinstance(s, str) for s in strings)
nsources = table(shared["sources"], ("id", "filename", "startLine", "startColumn", "sourceMapURL"))
nfunctions = table(shared["funcTable"], ("name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"))
nframes = table(shared["frameTable"], ("address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol",
                                       "innerWindowID", "line", "column"))
nstacks = table(shared["stackTable"], ("frame", "prefix"))
assert table(shared["resourceTable"], ("type", "lib", "name", "host")) == 0
assert table(shared["nativeSymbols"], ("libIndex", "address", "name", "functionSize")) == 0
within(shared["sources"]["filename"], len(strings))
within(shared["funcTable"]["name"], len(strings))
within(shared["funcTable"]["source"], nsources, null=True)
functions = list(zip(shared["funcTable"]["name"], shared["funcTable"]["source"]))
assert len(set(functions)) == len(functions), "a function twice"
within(shared["frameTable"]["func"], nfunctions)
within(shared["frameTable"]["category"], len(meta["categories"]))
within(shared["stackTable"]["frame"], nframes)
for i, prefix in enumerate(shared["stackTable"]["prefix"]):
    assert prefix is None or 0 <= prefix < i, "a stack stands before its caller's"

# --- what is said of types ---
assert any(c["color"] == "grey" for c in meta["categories"])
assert all(c["subcategories"] for c in meta["categories"])
names = [c["name"] for c in meta["categories"]]
schemas = {s["name"]: {f["key"]: f["format"] for f in s["fields"]} for s in meta["markerSchema"]}
assert len(schemas) == len(meta["markerSchema"])
within(meta["initialVisibleThreads"], len(threads))

# --- threads ---
tids = [t["tid"] for t in threads]
assert len(set(map(str, tids))) == len(tids), "a thread ID twice"
assert sum(t["isMainThread"] for t in threads) <= 1
times, counts, seen = collections.Counter(), collections.Counter(), collections.Counter()
samples = calls = call_time = 0
for t in threads:
    assert t["name"] and isinstance(t["pid"], str) and t["processType"] == "default" and t["pausedRanges"] == []
    s, m = t["samples"], t["markers"]
    table(s, ("time", "stack", "weight", "threadCPUDelta"))
    assert s["weightType"] == "samples"
    within(s["stack"], nstacks)
    ordered(s["time"])
    for stack, weight, cpu in zip(s["stack"], s["weight"], s["threadCPUDelta"]):
        assert (weight, cpu) == ((1, ns(meta["interval"])) if stack else (0, 0)), "only what is not sampled has no weight"
        samples += weight
    period, rows = ns(meta["interval"]), list(zip(map(ns, s["time"]), s["weight"]))
    for (before, was), (now, weight) in zip(rows, rows[1:]):
        assert not (was and weight) or now - before <= 3 * period, "a gap between samples is not seen as one"
        assert was == weight or now - before == period, "a gap is not a period away from its samples"
    table(m, ("data", "name", "startTime", "endTime", "phase", "category"))
    within(m["name"], len(strings))
    for data, name, begin, end, phase, category in zip(*(m[c] for c in ("data", "name", "startTime", "endTime", "phase",
                                                                        "category"))):
        kind, fields = data["type"], schemas[data["type"]]
        assert phase == (0 if kind == "message" else 1) and 0 <= begin <= end
        assert names[category] == ("annotations" if kind in ("region", "task", "message") else kind)
        seen[kind] += 1
        for key, value in data.items():
            if key == "cause":
                within([value["stack"]], nstacks)
                assert set(value) == {"stack"} and value["stack"] > 1
                seen["cause"] += 1
            elif key != "type":
                seen[key] += 1
                if fields[key] == "unique-string":
                    within([value], len(strings))
                elif fields[key] == "tid":
                    assert value in tids, "woken by a thread that is not there"
                else:
                    assert isinstance(value, str)
        if kind in ("running", "runnable", "waiting", "system call"):
            assert strings[name] == kind
            key = (kind, strings[data["reason"]] if "reason" in data else "")
            counts[key] += 1
            times[key] += ns(end) - ns(begin)
        if "call" in data:
            calls += 1
            call_time += ns(end) - ns(begin)

# --- counters ---
for c in profile["counters"]:
    table(c["samples"], ("time", "count"))
    ordered(c["samples"]["time"])
    assert c["samples"]["length"] and c["mainThreadIndex"] < len(threads) and c["pid"] == threads[0]["pid"]
    total = 0
    for change in c["samples"]["count"]:
        total += change
        most = stat["trace"]["threads"] if c["name"].startswith("threads ") else total
        assert 0 <= total <= most, "%s: %d" % (c["name"], total)
    assert c["display"]["label"] == c["name"] and c["display"]["tooltipRows"]

wanted = {(r["state"], r["reason"] or ""): (r["count"], r["total_ns"]) for r in stat["states"] or []}
got = {k: (counts[k], times[k]) for k in counts}
assert got == wanted, "states: %s, stat has %s" % (got, wanted)
rows = stat["syscalls"] or []
assert (calls, call_time) == (sum(r["count"] for r in rows), sum(r["total_ns"] for r in rows)), "calls"
assert samples == stat["samples"], "samples: %d, stat has %d" % (samples, stat["samples"])
print("sums are equal; " + " ".join(sorted(seen)))
