// What happened in a part of the trace: the same sums as `thrace stat --from --to` makes.

// The part of stretch i between from and to, or -1: it does not count. One without length counts where it begins.
function partOf(lane, i, from, to) {
    const begin = lane.at[i], end = lane.endOf(i);
    if (begin >= end)
        return begin >= from && begin < to ? 0 : -1;
    const part = Math.min(end, to) - Math.max(begin, from);
    return part > 0 ? part : -1;
}

// Calls f(lane, i, part) for the stretches of the lanes that count.
function eachPart(lanes, from, to, f) {
    for (const lane of lanes)
        for (let i = firstPart(lane, from); i < lane.n && lane.at[i] < to; i++) {
            const part = partOf(lane, i, from, to);
            if (part >= 0)
                f(lane, i, part);
        }
}

// The first stretch that may count; several without length may begin at `from`.
function firstPart(lane, from) {
    let i = Math.max(0, lane.find(from));
    while (i > 0 && lane.at[i - 1] >= from)
        i--;
    return i;
}

function firstSample(lane, from) {
    let low = 0, high = lane.sampled.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (lane.sampled[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

class Sums {
    constructor(trace, from, to) {
        this.trace = trace;
        this.from = from;
        this.to = to;
        this.time = new Float64Array(trace.nwhats);
        this.count = new Float64Array(trace.nwhats);
        this.longest = new Float64Array(trace.nwhats).fill(-1);
        this.where = new Array(trace.nwhats); // [lane, i] of the longest
        this.samples = new Map();             // by stack
        this.nsamples = 0;
        this.lanes = trace.lanes.map((lane) => this.ofLane(lane));
        this.takeSamples(trace.program);
    }

    ofLane(lane) {
        const {from, to, time, count, longest} = this, classes = this.trace.whatClass;
        const sum = {lane, time: [0, 0, 0, 0, 0], waits: 0, calls: 0, samples: this.takeSamples(lane), any: false};
        for (let i = firstPart(lane, from); i < lane.n && lane.at[i] < to; i++) {
            const part = partOf(lane, i, from, to), w = lane.what[i];
            if (part < 0)
                continue;
            sum.any = true;
            sum.time[classes[w]] += part;
            sum.waits += classes[w] >= CLASS_LOCK ? 1 : 0;
            sum.calls += classes[w] === CLASS_SYSCALL ? 1 : 0;
            time[w] += part;
            count[w]++;
            if (part > longest[w]) {
                longest[w] = part;
                this.where[w] = [lane, i];
            }
        }
        return sum;
    }

    takeSamples(lane) {
        let n = 0;
        for (let i = firstSample(lane, this.from); i < lane.sampled.length && lane.sampled[i] < this.to; i++, n++)
            this.samples.set(lane.sampleStack[i], (this.samples.get(lane.sampleStack[i]) || 0) + 1);
        this.nsamples += n;
        return n;
    }

    // Rows of what has the same key; key(w) is undefined for what is not in the table.
    group(key) {
        const rows = new Map();
        for (let w = 0; w < this.time.length; w++) {
            const name = this.count[w] ? key(w) : undefined;
            if (name === undefined)
                continue;
            let row = rows.get(name);
            if (!row)
                rows.set(name, row = {name, time: 0, count: 0, longest: -1, where: null, whats: []});
            row.time += this.time[w];
            row.count += this.count[w];
            row.whats.push(w);
            if (this.longest[w] > row.longest) {
                row.longest = this.longest[w];
                row.where = this.where[w];
            }
        }
        return [...rows.values()];
    }

    // Functions by samples: those that executed, and those that had called them.
    functions() {
        const rows = new Map(), {trace} = this;
        for (const [stack, n] of this.samples) {
            const met = new Set();
            trace.stacks[stack].forEach((frame, depth) => {
                const name = trace.placeOf(frame);
                let row = rows.get(name);
                if (!row)
                    rows.set(name, row = {name, self: 0, total: 0});
                row.self += depth ? 0 : n;
                if (!met.has(name))
                    row.total += n;
                met.add(name);
            });
        }
        return [...rows.values()];
    }

    // Who ended these, by the names that threads have in common.
    wakers(whats) {
        const wanted = new Uint8Array(this.time.length), rows = new Map();
        whats.forEach((w) => wanted[w] = 1);
        eachPart(this.trace.lanes, this.from, this.to, (lane, i, part) => {
            const waker = wanted[lane.what[i]] && this.trace.lanes[lane.waker[i] - 1];
            if (!waker)
                return;
            const row = rows.get(waker.name) || {name: waker.name, time: 0, count: 0};
            row.time += part;
            row.count++;
            rows.set(row.name, row);
        });
        return [...rows.values()].sort((a, b) => b.time - a.time);
    }

    // How long each of these took: so many in each power of two of ns.
    histogram(whats) {
        const wanted = new Uint8Array(this.time.length), bins = [];
        whats.forEach((w) => wanted[w] = 1);
        eachPart(this.trace.lanes, this.from, this.to, (lane, i, part) => {
            if (!wanted[lane.what[i]])
                return;
            const bin = part < 1 ? 0 : Math.floor(Math.log2(part));
            bins[bin] = (bins[bin] || 0) + 1;
        });
        return bins;
    }
}
