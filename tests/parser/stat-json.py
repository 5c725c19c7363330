"""Reads what thrace stat --json wrote with Python's reader, and tries whether its sums agree.

stat-json.py KEYS DOCUMENT [CSV [REPORT]]: KEYS is docs/stat-json.md; CSV is the output of --csv of the same trace, and
REPORT that of neither, with all rows. Prints what is wrong.
"""
import csv
import json
import re
import sys


def problem(text):
    global problems
    problems += 1
    print(text[:300])


def documented(page):
    """The keys of each table, by its path."""
    keys, path = {}, None
    for line in open(page, encoding="utf-8"):
        if line.startswith("### "):
            path = line[4:].strip()
        elif line.startswith("| `") and path:
            keys.setdefault(path, set()).update(re.findall(r"`(\w+)`", line.split("|")[1]))
    keys["regions"] = keys["tasks"]
    return keys


def check_stack(path, stack):
    for frame in stack or []:
        if not isinstance(frame.get("function"), str) or set(frame) - {"function", "file", "line"}:
            problem("%s: a frame is %s" % (path, frame))


def check_row(path, row, keys):
    if set(row) != keys.get(path):
        problem("%s has the keys %s, and not %s" % (path, sorted(row), sorted(keys.get(path, []))))
    for key, value in row.items():
        if key == "stack":
            check_stack(path, value)
        elif isinstance(value, list):
            for inner in value:
                check_row(path + "." + key, inner, keys)
        elif key.endswith("_ns") and value is not None and (not isinstance(value, int) or value < 0):
            problem("%s: %s is %r" % (path, key, value))
        elif key.endswith("share") and value is not None and not 0 <= value <= 1:
            problem("%s: %s is %r" % (path, key, value))


def total(rows, key="total_ns"):
    return sum(row[key] for row in rows)


def equal(what, a, b):
    if a != b:
        problem("%s: %s is not %s" % (what, a, b))


def check_sums(d):
    for state, key in (("running", "running_ns"), ("waiting", "waiting_ns"), ("runnable", "runnable_ns"),
                       ("system call", "syscall_ns")):
        of_state = [row for row in d["states"] if row["state"] == state]
        equal("time " + state, total(d["threads"], key), total(of_state))
    waiting = [row for row in d["states"] if row["state"] == "waiting"]
    equal("waits", total(d["waits"]), total(waiting))
    for reason in {row["reason"] for row in waiting}:
        equal("waits for " + reason, total(w for w in d["waits"] if w["reason"] == reason),
              total(w for w in waiting if w["reason"] == reason))
    if "filter" not in d:
        equal("threads", len(d["threads"]), d["trace"]["threads"])
    equal("waits for objects", total(w for w in d["waits"] if w["object"]), total(d["locks"]))
    equal("samples", total(d["cpu"], "self_samples"), d["samples"])
    calls = [row for row in d["states"] if row["state"] == "system call"]
    if total(d["syscalls"]) > total(calls):
        problem("system calls: %d is more than %d" % (total(d["syscalls"]), total(calls)))
    for thread in d["threads"]:
        if thread["idle_ns"] > thread["waiting_ns"]:
            problem("%s was idle for longer than it waited" % thread)
    for wait in d["waits"]:
        if wait["needed_ns"] > wait["total_ns"]:
            problem("needed for longer than it lasted: %s" % wait)
        if total(wait["wakers"] or []) > wait["total_ns"] or total(wait["wakers"] or [], "count") > wait["count"]:
            problem("more was woken than waited: %s" % wait)
    for lock in d["locks"]:
        equal("owners of " + lock["object"], total(lock["owners"]), lock["total_ns"])
        for owner in lock["owners"]:
            if owner["thread"] is not None:
                equal("deeds of " + owner["thread"], total(owner["deeds"]), owner["total_ns"])
    for table in ("states", "locks", "waits", "syscalls"):
        times = [row["total_ns"] for row in d[table]]
        if table != "locks" and times != sorted(times, reverse=True):
            problem("%s is not in order" % table)


def check_tasks(d):
    for task in d["slowest"]:
        equal("the path of task %d" % task["id"], total(task["path"]), task["duration_ns"])
    for kind in {row["type"] for row in d["task_work"]}:
        share = sum(row["share"] for row in d["task_work"] if row["type"] == kind)
        if not 0.999999 < share < 1.000001:
            problem("shares of %s are %r" % (kind, share))


def check_csv(d, path):
    """Each field is as in JSON."""
    tables = {}
    name = None
    for row in csv.reader(open(path, encoding="utf-8", newline="")):
        if len(row) == 1 and row[0].startswith("# "):
            name, header = row[0][2:], None
            tables[name] = []
        elif row and header is None:
            header = row
        elif row:
            tables[name].append(dict(zip(header, row)))
    equal("tables", list(tables), [k for k in d if isinstance(d[k], list)])
    for name, rows in tables.items():
        equal("rows of " + name, len(rows), len(d[name]))
        for a, b in zip(rows, d[name]):
            equal("keys of " + name, list(a), list(b))
            for key, value in b.items():
                if key == "stack":
                    equal(name + " " + key, [f.split(" (")[0] for f in a[key].split("\n") if f],
                          [f["function"].split(" (")[0] for f in value])
                else:
                    equal(name + " " + key, a[key], "" if value is None else value if isinstance(value, str)
                          else json.dumps(value, ensure_ascii=False))


def check_report(d, path):
    """The text has the same states: as often, and for as long as three digits tell."""
    units = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
    rows, on = [], False
    for line in open(path, encoding="utf-8"):
        on = line.startswith("Time of all") or (on and line != "\n")
        m = re.match(r" +([\d.]+) (\S+) +([\d.]+)% +(\d+)  (.*)$", line)
        if on and m:
            rows.append((float(m[1]) * units[m[2]], float(m[3]), int(m[4]), m[5]))
    equal("rows of states", len(rows), len(d["states"]))
    for (ns, percent, count, name), row in zip(rows, d["states"]):
        wanted = row["state"] + (": " + row["reason"] if row["reason"] else "")
        equal("state", (name, count, "%.1f" % percent), (wanted, row["count"], "%.1f" % (100 * row["share"])))
        if abs(ns - row["total_ns"]) > 0.0051 * row["total_ns"]:
            problem("%s: %r is not %d ns" % (name, ns, row["total_ns"]))


problems = 0
keys = documented(sys.argv[1])
document = json.load(open(sys.argv[2], encoding="utf-8"))
equal("schema", (document["schema"], document["version"]), ("thrace-stat", 1))
check_row("trace", document["trace"], keys)
if "filter" in document:
    check_row("filter", document["filter"], keys)
for table, rows in document.items():
    if isinstance(rows, list):
        for row in rows:
            check_row(table, row, keys)
if "tasks" in document:
    check_tasks(document)
elif "states" in document:
    check_sums(document)
if len(sys.argv) > 3:
    check_csv(document, sys.argv[3])
if len(sys.argv) > 4:
    check_report(document, sys.argv[4])
sys.exit(problems > 0)
