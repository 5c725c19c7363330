"""export-sqlite.py DATABASE STAT: "agrees", or what does not."""
import json, sqlite3, sys
from collections import Counter
db, stat = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True), json.load(open(sys.argv[2]))
wrong = []
def rows(query):
    return db.execute(query).fetchall()
def same(name, got, wanted):
    if got != wanted:
        wrong.append("%s: got %.300r, wanted %.300r" % (name, got, wanted))
def total(counters, key, ns, n=0):
    counters[key] = tuple(a + b for a, b in zip(counters.get(key, (0, 0)), (ns, n)))

same("integrity", rows("PRAGMA integrity_check"), [("ok",)])
same("foreign keys", rows("PRAGMA foreign_key_check"), [])
same("version", rows("PRAGMA user_version"), [(2,)])
meta = dict(rows("SELECT key, value FROM meta"))
for key in ("duration_ns", "threads", "events", "go"):
    same(key, meta[key], stat["trace"][key])
same("complete", bool(meta["complete"]), stat["trace"]["complete"])
same("samples", (meta["samples"], rows("SELECT count(*) FROM cpu")[0][0]), (stat["samples"], stat["samples"]))
same("rate", meta["samples_hz"], stat["samples_hz"])
same("states", sorted(map(str, rows("SELECT state, reason, count, total_ns FROM sums_by_state"))),
     sorted(str((r["state"], r["reason"], r["count"], r["total_ns"])) for r in stat["states"]))
same("locks", sorted(rows("SELECT object, full, name, kind, class, count, total_ns, max_ns FROM sums_by_object")),
     sorted((r["object"], int(r["full"]), r["name"], r["kind"], r["class"], r["count"], r["total_ns"], r["max_ns"])
            for r in stat["locks"]))
same("threads", sorted(map(str, rows("SELECT goroutine, name, tid, running_ns, waiting_ns, runnable_ns, syscall_ns, blocks"
                                     " FROM sums_by_thread"))),
     sorted(str((r["id"], r["name"] or None, r["tid"], r["running_ns"], r["waiting_ns"], r["runnable_ns"], r["syscall_ns"],
                 r["blocks"])) for r in stat["threads"]))

wanted, wakers, got, enders = {}, {}, {}, {}
for r in stat["waits"]:
    function = [f["function"] for f in r["stack"]] + [None]
    if function[0] in ("(no stack)", "(began before the trace)"):
        function = [None]
    total(wanted, (r["reason"], r["object"], function[0]), r["total_ns"], r["count"])
    for w in r["wakers"]:
        if w["thread"]:
            total(wakers, w["thread"], w["total_ns"], w["count"])
for reason, object, function, ns, n in rows("SELECT reason, object, function, sum(duration_ns), count(*) FROM waits"
                                            " GROUP BY reason, object, function"):
    total(got, (reason, object, function), ns, n)
same("waits", got, wanted)
for name, ns, n in rows("SELECT waker, sum(duration_ns), count(*) FROM waits WHERE waker_id IS NOT NULL GROUP BY waker"):
    total(enders, name or "a thread without name", ns, n)
same("wakers", enders, wakers)
# Of a turn only the first stretch may have begun before the trace, and a thread is in one state at a time.
same("times", rows("SELECT count(*) FROM (SELECT begin_ns, lag(begin_ns + duration_ns) OVER (PARTITION BY thread"
                   " ORDER BY begin_ns, begin_ns + duration_ns, id) AS ended FROM spans) WHERE begin_ns < ended"), [(0,)])
same("begins", rows("SELECT thread FROM spans WHERE NOT began GROUP BY thread HAVING count(*) > 1"), [])
same("waits for a processor", rows("SELECT total(runnable_ns) FROM waits WHERE runnable_ns NOT IN"
                                   " (SELECT duration_ns FROM spans JOIN states ON states.id = spans.state"
                                   " WHERE states.state = 'runnable')"), [(0.0,)])
wanted, got = {}, {}
for r in stat["syscalls"]:
    name = r["stack"][0]["function"] if r["stack"] else r["name"]
    total(wanted, None if name in ("(no stack)", "(began before the trace)") else name, r["total_ns"], r["count"])
for name, ns, n in rows("SELECT function, sum(duration_ns), count(*) FROM syscalls GROUP BY function"):
    total(got, name, ns, n)
same("syscalls", got, wanted)
print("; ".join(wrong) or "agrees")
