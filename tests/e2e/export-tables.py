"""export-tables.py FOLDER STAT [TIMES]: "agrees", or what does not: the one trace of the folder, or so many times the same."""
import csv, glob, json, sys
from urllib.parse import unquote
folder, stat, times = sys.argv[1], json.load(open(sys.argv[2])), int((sys.argv + ["1"])[3])
wrong = []
def table(name):
    found = []
    for path in glob.glob(folder + "/" + name + "/host=*/date=*/*.csv"):
        found += csv.DictReader(open(path, encoding="utf-8", newline=""), strict=True)
    return found
def same(name, got, wanted):
    if got != wanted:
        wrong.append("%s: got %.300r, wanted %.300r" % (name, got, wanted))
def sums(rows, key, *values):
    found = {}
    for r in rows:
        k = key(r)
        found[k] = tuple(a + int(r[v]) for a, v in zip(found.get(k, (0,) * len(values)), values))
    return found
def many(found):
    return {k: tuple(times * n for n in v) for k, v in found.items()}
def place(r):
    function = r["stack"][0]["function"] if r["stack"] else ""
    return "" if function in ("(no stack)", "(began before the trace)") else function

traces = table("traces")
same("traces", len(traces), times)
same("names", len({t["trace"] for t in traces}), times)
for t in traces:
    for key in ("duration_ns", "threads", "events"):
        same(key, int(t[key]), stat["trace"][key])
    same("complete", t["complete"] == "true", stat["trace"]["complete"])
same("threads", sums(table("threads"), lambda r: r["thread"], "running_ns", "runnable_ns", "waiting_ns", "syscall_ns"),
     many(sums(stat["threads"], lambda r: r["name"] or "", "running_ns", "runnable_ns", "waiting_ns", "syscall_ns")))
waits = table("waits")
same("reasons", sums(waits, lambda r: r["reason"], "total_ns", "waits"),
     many(sums((r for r in stat["states"] if r["state"] == "waiting"), lambda r: r["reason"], "total_ns", "count")))
same("locks", sums((r for r in waits if r["object"]), lambda r: (r["object"], r["class"], r["full"]), "total_ns", "waits"),
     many(sums(stat["locks"], lambda r: (r["object"], r["class"], str(r["full"]).lower()), "total_ns", "count")))
same("waits", sums(waits, lambda r: (r["reason"], r["object"], r["function"]), "total_ns", "waits"),
     many(sums(stat["waits"], lambda r: (r["reason"], r["object"] or "", place(r)), "total_ns", "count")))
for r in stat["locks"]:
    same("longest", max(int(w["max_ns"]) for w in waits if w["object"] == r["object"] and
                        w["full"] == str(r["full"]).lower()), r["max_ns"])
for w in waits:
    if int(w["max_ns"]) * int(w["waits"]) > int(w["total_ns"]) * 9 / 8 + 1:
        wrong.append("a row's waits differ by more than an eighth: %r" % w)
same("syscalls", sums(table("syscalls"), lambda r: r["function"], "total_ns", "calls"),
     many(sums(stat["syscalls"], place, "total_ns", "count")))
samples = table("samples")
same("samples", sum(int(r["samples"]) for r in samples), times * stat["samples"])
for r in samples:
    same("CPU time", int(r["cpu_ns"]), int(r["samples"]) * 1000000000 // stat["samples_hz"])
    same("stack", r["stack"].split(";")[-1].replace(":", ""), r["function"].replace(";", "").replace(":", ""))
print("; ".join(wrong[:4]) or "agrees")
