"""perfetto.py TRACE.perfetto-trace STAT.json: whether an export obeys the rules of the format, and has the
sums of thrace stat. It needs no module: it takes the protobuf apart itself."""
import collections, json, sys


def varint(b, i):
    v = shift = 0
    while True:
        v |= (b[i] & 127) << shift
        i += 1
        shift += 7
        if b[i - 1] < 128:
            return v, i


def fields(b):
    i = 0
    out = collections.defaultdict(list)
    while i < len(b):
        key, i = varint(b, i)
        kind = key & 7
        if kind == 0:
            v, i = varint(b, i)
        elif kind == 1:
            v, i = int.from_bytes(b[i:i + 8], "little"), i + 8
        else:
            assert kind == 2, "wire type %d" % kind
            n, i = varint(b, i)
            v, i = b[i:i + n], i + n
        assert i <= len(b), "a field is cut off"
        out[key >> 3].append(v)
    return out


def one(f, n, default=None):
    assert len(f.get(n, [])) <= 1, "field %d twice" % n
    return f[n][0] if n in f else default


data, stat = open(sys.argv[1], "rb").read(), json.load(open(sys.argv[2]))
known = collections.defaultdict(dict)  # field of InternedData: iid to value
tracks, tids, events, flows = {}, {}, [], {48: [], 47: []}
nsamples = counters = wakes = 0
trace = fields(data)
assert set(trace) == {1}
for n, raw in enumerate(trace[1]):
    p = fields(raw)
    assert one(p, 10) == 1, "a packet of another sequence"
    flags = one(p, 13, 0)
    assert bool(flags & 1) == (n == 0) == (87 in p), "the state is cleared by the first packet, and only there"
    if 12 in p or 8 in p:
        assert flags & 2, "interned data are used without SEQ_NEEDS_INCREMENTAL_STATE"
    for field, entries in fields(one(p, 12, b"")).items():
        for e in map(fields, entries):
            iid = one(e, 1)
            assert iid and iid not in known[field], "field %d: iid %s again" % (field, iid)
            if field == 7:
                assert all(f in known[6] for f in e[2]), "a stack before its frames"
            known[field][iid] = e
    if 60 in p:
        t = fields(one(p, 60))
        uuid, parent = one(t, 1), one(t, 5)
        assert uuid and (parent is None or parent in tracks), "a track before its parent"
        if 4 in t:
            tids[uuid] = one(fields(one(t, 4)), 2)
        tracks[uuid] = "counter" if 8 in t else "events"
    if 66 in p:
        nsamples += 1
        s = one(fields(one(p, 66)), 4)
        assert s is None or s in known[7], "a sample before its stack"
    if 11 in p:
        e = fields(one(p, 11))
        kind, track, now = one(e, 9), one(e, 11), one(p, 8)
        assert track in tracks and now is not None
        assert (kind == 4) == (tracks[track] == "counter"), "a counter's value is on another track"
        counters += kind == 4
        name = one(e, 10)
        assert name is None or name in known[2]
        annotations = {}
        for a in map(fields, e.get(4, [])):
            assert one(a, 1) in known[3]
            value = one(known[29][one(a, 17)], 2) if 17 in a else one(a, 6)
            annotations[one(known[3][one(a, 1)], 2)] = value
        for field in flows:
            flows[field] += e.get(field, [])
        category = one(e, 3)
        assert category is None or category in known[1]
        state = one(known[1][category], 2).decode() if category else None
        events.append((now, kind, track, state, annotations))
for f in known[6].values():
    assert f[2][0] in known[5] and f[3][0] in known[19] and f[5][0] in known[18]
assert len(set(flows[47])) == len(flows[47]), "a flow begins twice"
assert sorted(flows[47]) == sorted(flows[48]), "a flow has one end only"

# As trace_processor has them: by time, and as they stand where that is equal.
events.sort(key=lambda e: e[0])
open_, sums, calls = collections.defaultdict(list), collections.Counter(), collections.Counter()
times, call_times = collections.Counter(), collections.Counter()
for now, kind, track, state, a in events:
    if kind == 1:
        assert not state or not open_[track], "stretches of a thread overlap"
        open_[track].append((now, state, a))
    elif kind == 2:
        begin, state, a = open_[track].pop()
        if state:
            key = (state, a.get(b"reason", b"").decode())
            sums[key] += 1
            times[key] += now - begin
            if b"call" in a:
                calls["all"] += 1
                call_times["all"] += now - begin
assert not any(open_.values()), "a slice does not end"
wanted = {(r["state"], r["reason"] or ""): (r["count"], r["total_ns"]) for r in stat["states"]}
got = {k: (sums[k], times[k]) for k in sums}
assert got == wanted, "states: %s, stat has %s" % (got, wanted)
rows = stat["syscalls"] or []
assert calls["all"] == sum(r["count"] for r in rows) and call_times["all"] == sum(r["total_ns"] for r in rows), "calls"
assert nsamples == stat["samples"], "samples"
print("sums are equal; %s%s%s" % ("flows " if flows[47] else "", "tids " if tids else "", "counters" if counters else ""))
