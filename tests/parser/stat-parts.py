"""Tries whether parts of a trace add up to the whole: stat-parts.py WHOLE PART…, documents of thrace stat --json."""
import json
import sys


def add(sums, key, row, *names):
    for name in names:
        at = key + (name,)
        sums[at] = sums.get(at, 0) + row[name]


def sums_of(path):
    """Times by what they are the times of. Chains are left out: how deep they are may depend on the part."""
    d, sums = json.load(open(path, encoding="utf-8")), {}
    for row in d["states"]:
        add(sums, ("state", row["state"], row["reason"]), row, "total_ns")
    for row in d["waits"]:
        add(sums, ("wait", row["reason"], row["object"], json.dumps(row["stack"])), row, "total_ns")
    for row in d["syscalls"]:
        add(sums, ("call", row["name"]), row, "total_ns")
    for row in d["threads"]:
        add(sums, ("thread", row["id"], row["name"]), row, "running_ns", "waiting_ns", "runnable_ns", "syscall_ns",
            "blocks")
    for row in d["cpu"]:
        add(sums, ("cpu", row["function"]), row, "self_samples", "total_samples")
    for lock in d["locks"]:
        add(sums, ("lock", lock["object"], lock["full"]), lock, "total_ns")
        for owner in lock["owners"]:
            add(sums, ("owner", lock["object"], lock["full"], owner["thread"]), owner, "total_ns")
            for deed in owner["deeds"]:
                add(sums, ("deed", lock["object"], owner["thread"], deed["state"]), deed, "total_ns")
    return {key: value for key, value in sums.items() if value}


whole, parts = sums_of(sys.argv[1]), {}
for path in sys.argv[2:]:
    for key, value in sums_of(path).items():
        parts[key] = parts.get(key, 0) + value
for key in sorted(whole.keys() | parts.keys(), key=str):
    if whole.get(key) != parts.get(key):
        print("%s: %s, and not %s" % (key, parts.get(key), whole.get(key)))
sys.exit(whole != parts)
